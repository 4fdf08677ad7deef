// Liquid of particles in a vertical plane is drawn as a cut through it. What the shader needs
// besides the density is found here, cell by cell: how much light comes down to a cell, and how
// thick the liquid is around it.
#include "render/flat.h"

#include "render/grow.h"
#include "render/program.h"
#include "render/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DENSITY, LIGHT, THICK, SPEED };

#define FAR 1e3f  // cells: no solid is near
#define FADE 1.7f // light that a column as high as the grid takes, as the power of e

// ---- Solids ------------------------------------------------------------------------------------

// The terrain's field is exact only near solids: farther away distances are found from neighbours',
// cell by cell, once from below and once from above.
static void spread_distances(rv_flat *f)
{
    const float aside = 1.41421356f;
    size_t row = (size_t)f->nx, cells = row * (size_t)f->nz;
    for (size_t n = 0; n < cells; n++)
        if (fabsf(f->solid[n]) > 1.5f) f->solid[n] = f->solid[n] > 0 ? FAR : -FAR;
    for (size_t m = 0; m < 2 * cells; m++) {
        bool down = m >= cells;
        size_t n = down ? 2 * cells - 1 - m : m, i = n % row, k = n / row;
        if (fabsf(f->solid[n]) <= 1.5f) continue;
        float least = fabsf(f->solid[n]);
        bool before = down ? i + 1 < row : i > 0, after = down ? i > 0 : i + 1 < row;
        size_t beside = down ? n + 1 : n - 1, next = down ? n + row : n - row;
        if (before) least = minf(least, fabsf(f->solid[beside]) + 1);
        if (down ? k + 1 < (size_t)f->nz : k > 0) {
            least = minf(least, fabsf(f->solid[next]) + 1);
            if (before) least = minf(least, fabsf(f->solid[down ? next + 1 : next - 1]) + aside);
            if (after) least = minf(least, fabsf(f->solid[down ? next - 1 : next + 1]) + aside);
        }
        f->solid[n] = f->solid[n] > 0 ? least : -least;
    }
}

// Distances by row, along the plane's middle.
static rv_result find_solids(rv_flat *f, const rv_world *world, const rv_density *d)
{
    rv_vec3 *points = malloc((size_t)f->nx * sizeof *points);
    if (!points) return RV_OUT_OF_MEMORY;
    for (int k = 0; k < f->nz; k++) {
        float *row = f->solid + (size_t)k * (size_t)f->nx;
        for (int i = 0; i < f->nx; i++)
            points[i] = (rv_vec3){d->low.x + (i + 0.5) * d->dx, d->low.y + 0.5 * d->dx,
                                  d->low.z + (k + 0.5) * d->dx};
        rv_world_distance(world, points, f->nx, row);
        for (int i = 0; i < f->nx; i++) row[i] = clamp((float)((double)row[i] / d->dx), -FAR, FAR);
    }
    free(points);
    spread_distances(f);
    return RV_OK;
}

// Distance to a body, cells; both lie in the plane.
static float from_body(const rv_body_def *def, const rv_body_state *state, double x, double z,
                       double dx)
{
    double u = x - state->at.x, w = z - state->at.z;
    if (def->shape == RV_BODY_SPHERE) return (float)((sqrt(u * u + w * w) - def->radius) / dx);
    // Turned about y only: in its own axes.
    double a = 2 * atan2(state->turn[1], state->turn[3]), c = cos(a), s = sin(a);
    double p = fabs(c * u - s * w) - 0.5 * def->size.x, q = fabs(s * u + c * w) - 0.5 * def->size.z;
    double out = hypot(fmax(p, 0), fmax(q, 0));
    return (float)((out + fmin(fmax(p, q), 0)) / dx);
}

static void add_bodies(rv_flat *f, const rv_world *world, const rv_density *d)
{
    size_t cells = (size_t)f->nx * (size_t)f->nz;
    for (size_t n = 0; n < cells; n++) f->both[n][0] = f->solid[n], f->both[n][1] = FAR;
    for (int b = 0; b < rv_world_body_count(world); b++) {
        rv_body_def def;
        rv_body_state state;
        if (rv_world_get_body(world, b, &def, &state) != RV_OK) continue;
        for (size_t n = 0; n < cells; n++) {
            double x = d->low.x + ((double)(n % (size_t)f->nx) + 0.5) * d->dx;
            double z = d->low.z + ((double)(n / (size_t)f->nx) + 0.5) * d->dx;
            f->both[n][1] = minf(f->both[n][1], from_body(&def, &state, x, z, d->dx));
        }
    }
}

// ---- Liquid ------------------------------------------------------------------------------------

static void take_density(rv_flat *f, const rv_density *d)
{
    size_t cells = (size_t)f->nx * (size_t)f->nz;
    f->densest = 0;
    for (size_t n = 0; n < cells; n++) {
        f->cell[n][DENSITY] = d->value[n], f->cell[n][SPEED] = 0;
        f->densest = maxf(f->densest, d->value[n]);
    }
}

// Mean speed of the particles in a cell and, thinner, of those around.
static void take_speeds(rv_flat *f, const rv_world *world, const rv_density *d)
{
    rv_particles p;
    size_t cells = (size_t)f->nx * (size_t)f->nz;
    f->fastest = 0;
    if (rv_world_get_particles(world, &p) != RV_OK || !p.x || !p.z || !p.u || !p.w) return;
    memset(f->sum, 0, cells * sizeof *f->sum);
    memset(f->spare, 0, cells * sizeof *f->spare);
    for (int64_t n = 0; n < p.count; n++) {
        int i = (int)(((double)p.x[n] - d->low.x) / d->dx);
        int k = (int)(((double)p.z[n] - d->low.z) / d->dx);
        if (i < 0 || k < 0 || i >= f->nx || k >= f->nz) continue;
        float speed = sqrtf(p.u[n] * p.u[n] + p.w[n] * p.w[n]) / (float)d->dx;
        size_t c = (size_t)k * (size_t)f->nx + (size_t)i;
        f->sum[c] += speed, f->spare[c] += 1;
        f->fastest = maxf(f->fastest, speed);
    }
    for (int k = 1; k < f->nz - 1; k++) {
        for (int i = 1; i < f->nx - 1; i++) {
            float sum = 0, count = 0;
            for (int n = 0; n < 9; n++) {
                size_t c = (size_t)(k + n / 3 - 1) * (size_t)f->nx + (size_t)(i + n % 3 - 1);
                sum += f->sum[c], count += f->spare[c];
            }
            f->cell[(size_t)k * (size_t)f->nx + (size_t)i][SPEED] = count > 0 ? sum / count : 0;
        }
    }
}

// Mean over 2 · reach + 1 neighbours along a line of cells, `step` apart; beyond its ends it goes
// on as it ends.
static void blur_line(const float *from, float *to, int count, size_t step, int reach)
{
    float sum = 0, per = 1 / (float)(2 * reach + 1);
    for (int n = -reach; n <= reach; n++) {
        int at = n < 0 ? 0 : n >= count ? count - 1 : n;
        sum += from[(size_t)at * step];
    }
    for (int n = 0; n < count; n++) {
        to[(size_t)n * step] = sum * per;
        int out = n - reach < 0 ? 0 : n - reach;
        int in = n + reach + 1 >= count ? count - 1 : n + reach + 1;
        sum += from[(size_t)in * step] - from[(size_t)out * step];
    }
}

// How full the surroundings are: what is thin or at the surface is bright.
static void find_thickness(rv_flat *f)
{
    size_t row = (size_t)f->nx, cells = row * (size_t)f->nz;
    int reach = f->nx / 64 > 2 ? f->nx / 64 : 2;
    for (size_t n = 0; n < cells; n++) f->sum[n] = clamp(f->cell[n][DENSITY], 0, 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < f->nz; k++)
            blur_line(f->sum + (size_t)k * row, f->spare + (size_t)k * row, f->nx, 1, reach);
        for (int i = 0; i < f->nx; i++) blur_line(f->spare + i, f->sum + i, f->nz, row, reach);
    }
    for (size_t n = 0; n < cells; n++) f->cell[n][THICK] = f->sum[n];
}

// Light comes down row by row: the liquid takes some of it, solids nearly all, and it spreads; a
// little to the right, because the lamp stands at the left.
static void find_light(rv_flat *f)
{
    const float lean = 0.42f, spread = 0.16f;
    float fade = FADE / (float)f->nz;
    float *above = f->spare, *here = f->spare + f->nx;
    for (int i = 0; i < f->nx; i++) above[i] = 1;
    for (int k = f->nz - 1; k >= 0; k--) {
        float(*row)[4] = f->cell + (size_t)k * (size_t)f->nx;
        for (int i = 0; i < f->nx; i++) {
            int left = i > 0 ? i - 1 : 0, right = i + 1 < f->nx ? i + 1 : i;
            float own = 1 - lean - spread;
            float light = lean * above[left] + own * above[i] + spread * above[right];
            size_t n = (size_t)k * (size_t)f->nx + (size_t)i;
            light *= expf(-fade * clamp(row[i][DENSITY], 0, 1.5f));
            float solid = minf(f->both[n][0], f->both[n][1]);
            light *= 1 - 0.12f * clamp(0.5f - solid, 0, 1);
            here[i] = row[i][LIGHT] = light;
        }
        float *swap = above;
        above = here, here = swap;
    }
}

// ---- To the card -------------------------------------------------------------------------------

static bool take_size(rv_flat *f, const rv_density *d)
{
    size_t cells = (size_t)d->nx * (size_t)d->nz;
    if (f->cells && f->nx == d->nx && f->nz == d->nz) return true;
    rv_flat_card_free(&f->card); // it draws into the old texture, and a new one may have its name
    glDeleteTextures(1, &f->cells);
    glDeleteTextures(1, &f->solids);
    f->nx = d->nx, f->nz = d->nz, f->world = NULL;
    f->cells = rv_texture_make(GL_RGBA16F, f->nx, f->nz, GL_LINEAR),
    f->solids = rv_texture_make(GL_RG16F, f->nx, f->nz, GL_LINEAR);
    // Light needs two rows of `spare`.
    size_t spare = cells > 2 * (size_t)f->nx ? cells : 2 * (size_t)f->nx;
    return rv_grow((void **)&f->cell, &f->cell_room, cells, sizeof *f->cell) &&
           rv_grow((void **)&f->spare, &f->spare_room, spare, sizeof *f->spare) &&
           rv_grow((void **)&f->solid, &f->solid_room, cells, sizeof *f->solid) &&
           rv_grow((void **)&f->both, &f->both_room, cells, sizeof *f->both) &&
           rv_grow((void **)&f->sum, &f->sum_room, cells, sizeof *f->sum);
}

// Solids and bodies; `fresh`: they are not those on the card.
static rv_result take_solids(rv_flat *f, const rv_world *world, const rv_density *d, uint64_t print,
                             bool *fresh)
{
    f->uploaded = 0;
    if (!take_size(f, d)) return RV_OUT_OF_MEMORY;
    bool known = f->world == world && f->print == print;
    rv_result result = known ? RV_OK : find_solids(f, world, d);
    f->world = result == RV_OK ? world : NULL, f->print = print;
    f->level = (float)rv_world_params(world)->surface_level;
    *fresh = !known || rv_world_body_count(world) > 0;
    if (result == RV_OK && *fresh) add_bodies(f, world, d);
    return result;
}

// Solids and bodies, on the card.
static rv_result send_solids(rv_flat *f, const rv_world *world, const rv_density *d, uint64_t print)
{
    bool fresh;
    rv_result result = take_solids(f, world, d, print, &fresh);
    if (result != RV_OK || !fresh) return result;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, f->solids);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, f->nx, f->nz, GL_RG, GL_FLOAT, f->both);
    f->uploaded = (size_t)f->nx * (size_t)f->nz * sizeof *f->both;
    return RV_OK;
}

rv_result rv_flat_fill(rv_flat *f, rv_splat_gl *splat, const rv_world *world, const rv_density *d,
                       uint64_t print)
{
    rv_result result = send_solids(f, world, d, print);
    return result == RV_OK ? rv_splat_gl_fill_cut(splat, f->cells, f->solids, (double)FADE)
                           : result;
}

rv_result rv_flat_take_card(rv_flat *f, const rv_world *world, const rv_density_card *card,
                            uint64_t print, GLuint nothing, rv_messages *messages)
{
    rv_result result = send_solids(f, world, &card->grid, print);
    if (result == RV_OK)
        result = rv_foam_take_card(&f->foam, f->nx, f->nz, card->values, card->froth_at);
    return result == RV_OK ? rv_flat_card_fill(&f->card, f, card, FADE, nothing, messages) : result;
}

rv_result rv_flat_update(rv_flat *f, const rv_world *world, const rv_density *d, uint64_t print)
{
    bool fresh;
    rv_result result = take_solids(f, world, d, print, &fresh);
    if (result != RV_OK) return result;
    result = rv_foam_take(&f->foam, f->nx, f->nz, d->froth);
    if (result != RV_OK) return result;
    take_density(f, d);
    take_speeds(f, world, d);
    find_thickness(f);
    find_light(f);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, f->solids);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, f->nx, f->nz, GL_RG, GL_FLOAT, f->both);
    glBindTexture(GL_TEXTURE_2D, f->cells);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, f->nx, f->nz, GL_RGBA, GL_FLOAT, f->cell);
    glBindTexture(GL_TEXTURE_2D, 0);
    f->uploaded = (size_t)f->nx * (size_t)f->nz * (sizeof *f->cell + sizeof *f->both);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

bool rv_flat_prepare(rv_flat *f, rv_material material, rv_messages *messages)
{
    static const char *const function[] = {"plain_of",   "bone_of", "tissue_of",
                                           "ceramic_of", "wood_of", "steel_of"};
    bool foams = f->foam.texture != 0;
    if (f->program && f->material == material && f->foams == foams) return true;
    char defines[64];
    snprintf(defines, sizeof defines, "#define OF %s\n%s", function[material],
             foams ? "#define FOAM 1\n" : "");
    GLuint program = rv_program_make("whole_vertex", "flat_pixel", defines, NULL, messages);
    if (!program) return false;
    glDeleteProgram(f->program);
    f->program = program, f->material = material, f->foams = foams;
    return true;
}

void rv_flat_draw(const rv_flat *f, GLuint nothing, bool empty)
{
    glActiveTexture(GL_TEXTURE0 + RV_AT_FRONT);
    glBindTexture(GL_TEXTURE_2D, f->solids);
    glActiveTexture(GL_TEXTURE0 + RV_AT_NEAREST);
    glBindTexture(GL_TEXTURE_2D, f->cells);
    rv_foam_bind(&f->foam);
    glUseProgram(f->program);
    glUniform1i(glGetUniformLocation(f->program, "walls"), RV_AT_FRONT);
    glUniform1i(glGetUniformLocation(f->program, "cells"), RV_AT_NEAREST);
    glUniform4f(glGetUniformLocation(f->program, "grid"), (float)f->nx, (float)f->nz,
                empty ? 1e9f : f->level, 0);
    glBindVertexArray(nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindTexture(GL_TEXTURE_2D, 0);
}

void rv_flat_free(rv_flat *f)
{
    rv_flat_card_free(&f->card);
    glDeleteTextures(1, &f->cells);
    glDeleteTextures(1, &f->solids);
    glDeleteProgram(f->program);
    rv_foam_free(&f->foam);
    free(f->cell);
    free(f->spare);
    free(f->solid);
    free(f->both);
    free(f->sum);
    memset(f, 0, sizeof *f);
}

// ---- The camera --------------------------------------------------------------------------------

void rv_flat_extent(const rv_density *d, rv_extent *e)
{
    *e = (rv_extent){.x0 = d->low.x, .y0 = d->low.y, .bottom = d->low.z, .dx = d->dx};
    e->wide = (float)d->nx, e->deep = 1, e->top = e->high = (float)d->nz;
    for (int n = 0; n < RV_EXTENT_PEAKS * RV_EXTENT_PEAKS; n++) e->peak[n] = e->top;
}

rv_params rv_flat_params(const rv_params *params)
{
    rv_params p = *params;
    p.view_azimuth = -1.57079632679, p.view_elevation = 0;
    p.view_lens = 0.02; // as narrow as it goes: parallel
    p.view_y = 0;
    return p;
}
