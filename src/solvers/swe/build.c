// Memory of the solver, and terrain that changes under the liquid (SPEC §2, §9).
#include "solvers/swe/swe.h"

#include <string.h>

// The arrays by slot lie in one piece of memory, each shifted by some lines against the last, so
// that no two of them start at the same place of a page.
#define SHIFT 144 // floats
#define ARRAYS 11

static size_t stride_of(const rv_solver *s)
{
    return (s->slots + 1023) / 1024 * 1024 + SHIFT;
}

static size_t zero_count(const rv_solver *s)
{
    return (size_t)s->pitch + 64;
}

static size_t rim_count(const rv_solver *s)
{
    return (size_t)s->columns->grid.nx + (size_t)s->columns->grid.ny;
}

static bool take_memory(rv_solver *s)
{
    const rv_allocator *a = &s->allocator;
    size_t stride = stride_of(s), used = SHIFT, rows = (size_t)s->ny;
    s->memory = rv_new(a, ARRAYS * stride, sizeof(float));
    s->zeros = rv_new(a, zero_count(s), sizeof(float));
    s->rim = rv_new(a, rim_count(s), sizeof *s->rim);
    s->wet = rv_new(a, rows, sizeof *s->wet);
    s->awake = rv_new(a, rows, sizeof *s->awake);
    s->row_most = rv_new(a, rows, sizeof(float));
    s->row_pace = rv_new(a, rows, sizeof(float));
    s->row_cut = rv_new(a, rows, 1);
    s->row_tilted = rv_new(a, rows, 1);
    if (!s->memory || !s->zeros || !s->rim) return false;
    bool fine = s->wet && s->awake && s->row_most && s->row_pace && s->row_cut && s->row_tilted;
    if (rows > 0 && !fine) return false;
    float **arrays[] = {&s->depth,  &s->speed_x, &s->speed_y, &s->last_x,    &s->last_y,
                        &s->flux_x, &s->flux_y,  &s->bed,     &s->out_scale, &s->in_scale};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++, used += stride)
        *arrays[k] = s->memory + used;
    s->tilt_x = (uint16_t *)(void *)(s->memory + used);
    s->tilt_y = s->tilt_x + s->slots;
    return true;
}

rv_result rv_swe_build(rv_solver *s)
{
    const rv_column_set *c = s->columns;
    const rv_plane *p = &c->plane[0];
    s->slots = c->slots;
    if (c->planes > 0) {
        s->first = p->offset, s->pitch = p->pitch;
        s->x0 = p->x0, s->y0 = p->y0, s->nx = p->nx, s->ny = p->ny;
    }
    if (!take_memory(s)) return RV_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->slots; i++)
        s->bed[i] = RV_SWE_WALL, s->out_scale[i] = s->in_scale[i] = 1.0f;
    rv_swe_ground(s, (rv_rect){0, 0, c->grid.nx, c->grid.ny});
    rv_swe_set_sides(s);
    return rv_swe_find_raised(s);
}

void rv_swe_release(rv_solver *s)
{
    const rv_allocator *a = &s->allocator;
    size_t rows = (size_t)s->ny;
    rv_free(a, s->memory, ARRAYS * stride_of(s), sizeof(float));
    rv_free(a, s->zeros, zero_count(s), sizeof(float));
    rv_free(a, s->rim, rim_count(s), sizeof *s->rim);
    rv_free(a, s->wet, rows, sizeof *s->wet);
    rv_free(a, s->awake, rows, sizeof *s->awake);
    rv_free(a, s->row_most, rows, sizeof(float));
    rv_free(a, s->row_pace, rows, sizeof(float));
    rv_free(a, s->row_cut, rows, 1);
    rv_free(a, s->row_tilted, rows, 1);
    rv_free(a, s->raised, s->raised_capacity, sizeof *s->raised);
    rv_free(a, s->seen, s->seen ? 4 * s->slots : 0, sizeof(float));
}

size_t rv_swe_bytes(const rv_solver *s)
{
    size_t rows = (size_t)s->ny;
    return sizeof *s + (ARRAYS * stride_of(s) + zero_count(s)) * sizeof(float) +
           rim_count(s) * sizeof *s->rim +
           rows * (sizeof *s->wet + sizeof *s->awake + 2 * sizeof(float) + 2) +
           s->raised_capacity * sizeof *s->raised + (s->seen ? 4 * s->slots * sizeof(float) : 0);
}

// ---- Terrain that changes -----------------------------------------------------------------------

// Flow goes on in a cell whose topmost column does.
static void change_cell(rv_solver *s, const rv_cell_change *c)
{
    size_t i = rv_slot(&s->columns->plane[0], c->x, c->y), south = i - (size_t)s->pitch;
    bool goes_on = c->before > 0 && c->after > 0 && c->to[c->before - 1] == c->after - 1;
    double depth = 0.0;
    for (int k = 0; k < c->after; k++) depth += (double)c->depth[k]; // what is below comes up
    s->depth[i] = (float)depth;
    if (goes_on) return;
    s->speed_x[i] = s->speed_x[i - 1] = s->speed_y[i] = s->speed_y[south] = 0.0f;
    s->flux_x[i] = s->flux_x[i - 1] = s->flux_y[i] = s->flux_y[south] = 0.0f;
}

rv_result rv_swe_edited(rv_solver *s, const rv_cell_change *changes, int count)
{
    rv_rect cells = {0, 0, 0, 0};
    rv_result r = rv_swe_find_raised(s);
    if (r != RV_OK) return r;
    for (int i = 0; i < count; i++) {
        change_cell(s, &changes[i]);
        rv_rect own = {changes[i].x, changes[i].y, changes[i].x + 1, changes[i].y + 1};
        cells = rv_rect_join(cells, own);
    }
    rv_swe_ground(s, cells);
    rv_swe_scan(s);
    rv_swe_see(s);
    return RV_OK;
}

static void copy_rows(rv_solver *to, const rv_solver *from, const rv_plane *p, const rv_plane *old)
{
    float *into[] = {to->depth, to->speed_x, to->speed_y, to->flux_x, to->flux_y};
    const float *out[] = {from->depth, from->speed_x, from->speed_y, from->flux_x, from->flux_y};
    for (int y = old->y0; y < old->y0 + old->ny; y++)
        for (int k = 0; k < 5; k++)
            memcpy(into[k] + rv_slot(p, old->x0, y), out[k] + rv_slot(old, old->x0, y),
                   (size_t)old->nx * sizeof(float));
}

// Built from scratch beside the old one: rare, and simple.
rv_result rv_swe_relaid(rv_solver *s, const rv_column_set *old)
{
    rv_solver *fresh = rv_new(&s->allocator, 1, sizeof *fresh);
    if (!fresh) return RV_OUT_OF_MEMORY;
    fresh->columns = s->columns, fresh->params = s->params, fresh->pool = s->pool;
    fresh->allocator = s->allocator, fresh->rows = s->rows, fresh->law = s->law;
    rv_result r = rv_swe_build(fresh);
    if (r == RV_OK) {
        if (old->planes > 0) copy_rows(fresh, s, &s->columns->plane[0], &old->plane[0]);
        memcpy(fresh->rim, s->rim, rim_count(s) * sizeof *s->rim);
        fresh->clock = s->clock, fresh->totals = s->totals;
        rv_swe_scan(fresh);
        rv_swe_see(fresh);
        rv_solver kept = *s;
        *s = *fresh, *fresh = kept; // what pressed was by the old slots: none now
    }
    rv_swe_release(fresh);
    rv_free(&s->allocator, fresh, 1, sizeof *fresh);
    return r;
}
