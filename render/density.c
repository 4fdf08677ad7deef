// Sends the density of particles to the card (splat paper §1.7: the surface is ray-cast from it),
// and beside it which boxes of cells rays may pass without looking: those without liquid, and those
// that are full of it.
#include "render/density.h"

#include "render/grow.h"

#include <stdlib.h>
#include <string.h>

enum { SOME = 0, GAPS = 1 }; // what a box has: liquid, and room without

// ---- Textures ----------------------------------------------------------------------------------

static GLuint texture(GLenum format, const int n[3], GLint filter)
{
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_3D, name);
    glTexStorage3D(GL_TEXTURE_3D, 1, format, n[0], n[1], n[2]);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
    return name;
}

static bool take_size(rv_density_box *b, const rv_density *d)
{
    const int n[3] = {d->nx, d->ny, d->nz};
    if (b->texture && memcmp(n, b->n, sizeof n) == 0) return true;
    GLuint old[4] = {b->texture, b->coarse, b->solids, b->froth};
    glDeleteTextures(4, old);
    b->froth = 0;
    size_t count = 1;
    for (int a = 0; a < 3; a++) {
        b->n[a] = n[a], b->bricks[a] = (n[a] + RV_BRICK - 1) / RV_BRICK;
        count *= (size_t)b->bricks[a];
    }
    b->texture = texture(GL_R16F, b->n, GL_LINEAR);
    b->coarse = texture(GL_RGBA8, b->bricks, GL_NEAREST);
    b->solids = texture(GL_R16F, b->n, GL_LINEAR);
    b->solid_known = false;
    return rv_grow((void **)&b->brick, &b->brick_room, count, sizeof *b->brick);
}

// ---- Boxes -------------------------------------------------------------------------------------

// The boxes along an axis whose rays may look at cell i: a ray between two cells looks at both.
static void boxes_of(int i, int boxes, int *first, int *last)
{
    *first = i > 0 ? (i - 1) / RV_BRICK : 0;
    *last = (i + 1) / RV_BRICK;
    if (*last >= boxes) *last = boxes - 1;
}

static void mark_row(rv_density_box *b, const float *row, int j, int k)
{
    int j0, j1, k0, k1;
    boxes_of(j, b->bricks[1], &j0, &j1);
    boxes_of(k, b->bricks[2], &k0, &k1);
    for (int x = 0; x < b->bricks[0]; x++) {
        int from = x * RV_BRICK - 1, to = (x + 1) * RV_BRICK;
        bool some = false, gaps = false;
        for (int i = from > 0 ? from : 0; i <= to && i < b->n[0]; i++) {
            some = some || row[i] >= b->level;
            gaps = gaps || !(row[i] >= b->level);
        }
        for (int z = k0; z <= k1; z++) {
            for (int y = j0; y <= j1; y++) {
                uint8_t *brick =
                    b->brick[((size_t)z * (size_t)b->bricks[1] + (size_t)y) * (size_t)b->bricks[0] +
                             (size_t)x];
                if (some) brick[SOME] = 255;
                if (gaps) brick[GAPS] = 255;
            }
        }
    }
}

// A box around all that may be seen, at whole boxes of cells.
static void find_bounds(rv_density_box *b)
{
    int lo[3] = {b->bricks[0], b->bricks[1], b->bricks[2]}, hi[3] = {0, 0, 0};
    size_t n = 0;
    for (int z = 0; z < b->bricks[2]; z++) {
        for (int y = 0; y < b->bricks[1]; y++) {
            for (int x = 0; x < b->bricks[0]; x++, n++) {
                if (!b->brick[n][SOME]) continue;
                const int at[3] = {x, y, z};
                for (int a = 0; a < 3; a++) {
                    if (at[a] < lo[a]) lo[a] = at[a];
                    if (at[a] + 1 > hi[a]) hi[a] = at[a] + 1;
                }
            }
        }
    }
    b->any = hi[0] > lo[0];
    float side = b->size.x / (float)b->n[0]; // of a cell of the density
    const float end[3] = {b->size.x, b->size.y, b->size.z};
    float from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    for (int a = 0; a < 3 && b->any; a++) {
        from[a] = (float)(lo[a] * RV_BRICK) * side;
        to[a] = minf((float)(hi[a] * RV_BRICK) * side, end[a]);
    }
    b->from = add(b->low, v3(from[0], from[1], from[2]));
    b->to = add(b->low, v3(to[0], to[1], to[2]));
}

static void find_bricks(rv_density_box *b, const float *value)
{
    size_t count = (size_t)b->bricks[0] * (size_t)b->bricks[1] * (size_t)b->bricks[2];
    memset(b->brick, 0, count * sizeof *b->brick);
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            mark_row(b, value + ((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0], j, k);
    find_bounds(b);
}

// ---- Updates -----------------------------------------------------------------------------------

// Where the grid is.
static rv_result take_grid(rv_density_box *b, const rv_density *d, const rv_extent *e, double level)
{
    b->uploaded = 0, b->there = b->any = false;
    if (d->nx < 1 || d->ny < 1 || d->nz < 1) return RV_BAD_ARGUMENT;
    if (!take_size(b, d)) return RV_OUT_OF_MEMORY;
    float side = (float)(d->dx / e->dx);
    b->low = rv_extent_cells(e, d->low.x, d->low.y, d->low.z);
    b->size = v3((float)d->nx * side, (float)d->ny * side, (float)d->nz * side);
    b->level = (float)level;
    b->there = true;
    return RV_OK;
}

// Foam, from here or from the buffer that is bound for it; `there`: there is some.
static void take_froth(rv_density_box *b, bool there, const void *from)
{
    if (!there) {
        glDeleteTextures(1, &b->froth);
        b->froth = 0;
        return;
    }
    if (!b->froth) b->froth = texture(GL_R8, b->n, GL_LINEAR);
    glBindTexture(GL_TEXTURE_3D, b->froth);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, b->n[0], b->n[1], b->n[2], GL_RED, GL_UNSIGNED_BYTE,
                    from);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

bool rv_density_follow(const rv_splat_gl *splat, rv_splat_form form, rv_density *out)
{
    rv_splat_gl_grid g;
    if (!splat || !rv_splat_gl_get_grid(splat, &g) || g.form != (int)form) return false;
    *out = (rv_density){.nx = g.nx, .ny = g.ny, .nz = g.nz, .dx = g.dx, .low = g.low};
    if (form == RV_SPLAT_2D) out->ny = 1, out->nz = g.ny;
    return true;
}

rv_result rv_density_fill(rv_density_box *b, rv_splat_gl *splat, const rv_density *d,
                          const rv_extent *e, double level)
{
    rv_result result = take_grid(b, d, e, level);
    if (result == RV_OK) take_froth(b, false, NULL);
    if (result == RV_OK) result = rv_splat_gl_fill(splat, b->texture, b->coarse, level);
    b->any = result == RV_OK;
    b->from = b->low, b->to = add(b->low, b->size);
    return result;
}

static bool pack_froth(rv_density_box *b, const rv_density *d, size_t cells)
{
    if (!d->froth) return true;
    if (!rv_grow((void **)&b->foam, &b->foam_room, cells, 1)) return false;
    for (size_t i = 0; i < cells; i++) b->foam[i] = (uint8_t)(255 * d->froth[i] + 0.5f);
    return true;
}

rv_result rv_density_update(rv_density_box *b, const rv_density *d, const rv_extent *e,
                            double level)
{
    if (!d->value) return RV_BAD_ARGUMENT;
    rv_result result = take_grid(b, d, e, level);
    if (result != RV_OK) return result;
    find_bricks(b, d->value);
    glBindTexture(GL_TEXTURE_3D, b->coarse);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, b->bricks[0], b->bricks[1], b->bricks[2], GL_RGBA,
                    GL_UNSIGNED_BYTE, b->brick);
    glBindTexture(GL_TEXTURE_3D, b->texture);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, d->nx, d->ny, d->nz, GL_RED, GL_FLOAT, d->value);
    size_t cells = (size_t)d->nx * (size_t)d->ny * (size_t)d->nz;
    if (!pack_froth(b, d, cells)) return RV_OUT_OF_MEMORY;
    take_froth(b, d->froth, b->foam);
    glBindTexture(GL_TEXTURE_3D, 0);
    b->uploaded = cells * (sizeof *d->value + (d->froth ? 1 : 0));
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

rv_result rv_density_take_card(rv_density_box *b, const rv_density_card *card, const rv_extent *e,
                               double level)
{
    const rv_density *d = &card->grid;
    rv_result result = card->side == RV_BRICK ? take_grid(b, d, e, level) : RV_BAD_ARGUMENT;
    if (result != RV_OK) return result;
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, card->values);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    glBindTexture(GL_TEXTURE_3D, b->texture);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, d->nx, d->ny, d->nz, GL_RED, GL_HALF_FLOAT, NULL);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_3D, b->coarse);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, b->bricks[0], b->bricks[1], b->bricks[2], GL_RGBA,
                    GL_UNSIGNED_BYTE, (const void *)(uintptr_t)card->boxes_at);
    take_froth(b, card->froth_at > 0, (const void *)(uintptr_t)card->froth_at);
    glBindTexture(GL_TEXTURE_3D, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    b->any = true;
    b->from = b->low, b->to = add(b->low, b->size);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

// The middles of the cells of slice k, in metres.
static void take_points(rv_density_box *b, const rv_density *d, int k)
{
    double z = d->low.z + (k + 0.5) * d->dx;
    rv_vec3 *out = b->points;
    for (int j = 0; j < d->ny; j++)
        for (int i = 0; i < d->nx; i++)
            *out++ = (rv_vec3){d->low.x + (i + 0.5) * d->dx, d->low.y + (j + 0.5) * d->dx, z};
}

rv_result rv_density_take_solids(rv_density_box *b, const rv_world *world, const rv_density *d)
{
    if (b->solid_known) return RV_OK;
    size_t cells = (size_t)d->nx * (size_t)d->ny;
    if (!rv_grow((void **)&b->slice, &b->slice_room, cells, sizeof *b->slice) ||
        !rv_grow((void **)&b->points, &b->point_room, cells, sizeof *b->points))
        return RV_OUT_OF_MEMORY;
    glBindTexture(GL_TEXTURE_3D, b->solids);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    for (int k = 0; k < d->nz; k++) {
        take_points(b, d, k);
        rv_world_distance(world, b->points, (int)cells, b->slice);
        for (size_t n = 0; n < cells; n++)
            b->slice[n] = clamp((float)((double)b->slice[n] / d->dx), -16, 16);
        glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, k, d->nx, d->ny, 1, GL_RED, GL_FLOAT, b->slice);
    }
    glBindTexture(GL_TEXTURE_3D, 0);
    b->solid_known = true;
    b->uploaded += cells * (size_t)d->nz * sizeof(float);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_density_numbers(const rv_density_box *b, GLuint program)
{
    float side = b->size.x / (float)b->n[0];
    glUniform4f(glGetUniformLocation(program, "grid_low"), b->low.x, b->low.y, b->low.z, b->level);
    glUniform4f(glGetUniformLocation(program, "grid_size"), b->size.x, b->size.y, b->size.z, side);
    glUniform3f(glGetUniformLocation(program, "seen_from"), b->from.x, b->from.y, b->from.z);
    glUniform3f(glGetUniformLocation(program, "seen_to"), b->to.x, b->to.y, b->to.z);
    glUniform3f(glGetUniformLocation(program, "boxes"), (float)b->bricks[0], (float)b->bricks[1],
                (float)b->bricks[2]);
}

void rv_density_free(rv_density_box *b)
{
    GLuint old[4] = {b->texture, b->coarse, b->solids, b->froth};
    glDeleteTextures(4, old);
    free(b->foam);
    free(b->brick);
    free(b->slice);
    free(b->points);
    memset(b, 0, sizeof *b);
}
