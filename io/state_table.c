// Gathers the state of a world into named arrays: of columns, each with its place and velocity; of
// particles with the density that they make; of drops with the maps of their pane.
#include "io/state_table.h"

#include <stdlib.h>
#include <string.h>

void rv_state_table_free(rv_state_table *t)
{
    for (int i = 0; i < t->columns; i++) free(t->column[i].whole), free(t->column[i].real);
    for (int i = 0; i < t->maps; i++) free(t->map[i].value);
    *t = (rv_state_table){0};
}

static int32_t *add_wholes(rv_state_table *t, const char *name)
{
    int32_t *whole = calloc(t->count ? t->count : 1, sizeof *whole);
    t->column[t->columns++] = (rv_state_column){.name = name, .whole = whole};
    return whole;
}

static float *add_reals(rv_state_table *t, const char *name)
{
    float *real = calloc(t->count ? t->count : 1, sizeof *real);
    t->column[t->columns++] = (rv_state_column){.name = name, .real = real};
    return real;
}

static void add_scalar(rv_state_table *t, const char *name, double value)
{
    t->scalar[t->scalars++] = (rv_state_scalar){name, value};
}

// A copy without what rows have beyond their end.
static bool add_map(rv_state_table *t, const char *name, const float *from, int nx, int ny, int nz,
                    int pitch)
{
    size_t row = (size_t)nx, rows = (size_t)ny * (size_t)(nz > 0 ? nz : 1);
    float *value = malloc(row * rows * sizeof *value);
    if (!value) return false;
    for (size_t i = 0; i < rows; i++)
        memcpy(value + i * row, from + i * (size_t)pitch, row * sizeof *value);
    t->map[t->maps++] = (rv_state_map){name, nx, ny, nz, value};
    return true;
}

// ---- Columns ------------------------------------------------------------------------------------

static rv_result gather_columns(const rv_world *world, rv_state_table *t)
{
    rv_columns c;
    rv_result result = rv_world_get_columns(world, &c);
    if (result != RV_OK) return result;
    t->count = rv_world_list_columns(world, NULL, 0);
    rv_column_table rows = {.x = add_wholes(t, "x"), .y = add_wholes(t, "y")};
    rows.layer = add_wholes(t, "layer");
    rows.min = add_reals(t, "min"), rows.base = add_reals(t, "base");
    rows.max = add_reals(t, "max"), rows.depth = add_reals(t, "depth");
    rows.level = add_reals(t, "level");
    rows.u = add_reals(t, "u"), rows.v = add_reals(t, "v");
    for (int i = 0; i < t->columns; i++)
        if (!t->column[i].whole && !t->column[i].real) return RV_OUT_OF_MEMORY;
    rv_world_list_columns(world, &rows, t->count);
    add_scalar(t, "dx", c.dx), add_scalar(t, "x0", c.x0), add_scalar(t, "y0", c.y0);
    return RV_OK;
}

// ---- Particles and drops ------------------------------------------------------------------------

// A component of all particles; one that all have alike is written out, so that a reader need not
// know which form the solver has.
static bool add_component(rv_state_table *t, const char *name, const float *from, double same)
{
    float *to = add_reals(t, name);
    if (!to) return false;
    for (size_t i = 0; i < t->count; i++) to[i] = from ? from[i] : (float)same;
    return true;
}

static rv_result gather_particles(const rv_world *world, const rv_particles *p, rv_state_table *t)
{
    rv_density d;
    t->count = (size_t)p->count;
    bool good = add_component(t, "x", p->x, p->at.x) && add_component(t, "y", p->y, p->at.y) &&
                add_component(t, "z", p->z, p->at.z) && add_component(t, "u", p->u, 0) &&
                add_component(t, "v", p->v, 0) && add_component(t, "w", p->w, 0);
    if (!good) return RV_OUT_OF_MEMORY;
    add_scalar(t, "each", p->each);
    rv_result result = rv_world_get_density(world, &d);
    if (result != RV_OK) return result;
    add_scalar(t, "dx", d.dx), add_scalar(t, "x0", d.low.x);
    add_scalar(t, "y0", d.low.y), add_scalar(t, "z0", d.low.z);
    return add_map(t, "density", d.value, d.nx, d.ny, d.nz, d.nx) ? RV_OK : RV_OUT_OF_MEMORY;
}

static rv_result gather_drops(const rv_params *params, const rv_particles *p, const rv_pane *pane,
                              rv_state_table *t)
{
    t->count = (size_t)p->count;
    bool good = add_component(t, "x", p->x, p->at.x) && add_component(t, "y", p->y, p->at.y) &&
                add_component(t, "u", p->u, 0) && add_component(t, "v", p->v, 0) &&
                add_component(t, "volume", p->volume, p->each);
    good = good && add_map(t, "height", pane->height, pane->nx, pane->ny, 0, pane->pitch) &&
           add_map(t, "mist", pane->mist, pane->nx, pane->ny, 0, pane->pitch);
    if (!good) return RV_OUT_OF_MEMORY;
    add_scalar(t, "dx", pane->dx);
    add_scalar(t, "x0", params->grid_x - 0.5 * pane->nx * pane->dx);
    add_scalar(t, "y0", params->grid_y - 0.5 * pane->ny * pane->dx);
    add_scalar(t, "rained", pane->rained);
    add_scalar(t, "over", pane->over), add_scalar(t, "evaporated", pane->evaporated);
    return RV_OK;
}

rv_result rv_state_gather(const rv_world *world, rv_state_table *out)
{
    rv_stats stats;
    rv_pane pane;
    rv_particles particles;
    *out = (rv_state_table){0};
    rv_result result = rv_world_get_stats(world, &stats);
    if (result != RV_OK) return result;
    bool flows = rv_world_get_particles(world, &particles) == RV_OK;
    if (flows && rv_world_get_pane(world, &pane) == RV_OK)
        result = gather_drops(rv_world_params(world), &particles, &pane, out);
    else if (flows)
        result = gather_particles(world, &particles, out);
    else
        result = gather_columns(world, out);
    if (result != RV_OK) return result;
    // each drop has a volume; that of all of them needs another name
    add_scalar(out, "time", stats.time);
    add_scalar(out, out->maps > 1 ? "all" : "volume", stats.volume);
    return RV_OK;
}
