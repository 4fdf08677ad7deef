// Makes the pipes of a column set, and the memory and rows that the passes work on. SPEC §1, §2.
#include "columns/joints.h"

#include <string.h>

static void lay_rows(rv_solver *s)
{
    const rv_column_set *c = s->columns;
    uint32_t n = 0;
    for (int p = 0; p < c->planes; p++) {
        const rv_plane *plane = &c->plane[p];
        for (int y = 0; y < plane->ny; y++, n++) {
            s->row[n] =
                (rv_pipe_row){.first = (uint32_t)(plane->offset + (size_t)y * (size_t)plane->pitch),
                              .plane = (uint16_t)p,
                              .count = (uint16_t)plane->nx,
                              .below = y > 0 ? (int32_t)n - 1 : -1,
                              .above = y + 1 < plane->ny ? (int32_t)n + 1 : -1};
        }
    }
}

// The arrays by slot lie in one piece of memory, each shifted by some lines against the last:
// arrays that start at the same place of a page make every store look like the next load's address
// to the processor.
#define SHIFT 144 // floats

// Arrays of one float by slot, with some room at the end.
static size_t by_slot(const rv_solver *s)
{
    return s->eight ? 14 : 8;
}

static size_t slot_stride(const rv_solver *s)
{
    return (s->slots + 1023) / 1024 * 1024 + SHIFT;
}

static bool take_slot_arrays(rv_solver *s)
{
    size_t stride = slot_stride(s);
    s->memory = rv_new(&s->allocator, by_slot(s) * stride, sizeof(float));
    if (!s->memory) return false;
    float **arrays[] = {&s->depth, &s->flux_x, &s->flux_y, &s->head, &s->out_scale, &s->in_scale};
    size_t used = SHIFT;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++, used += stride)
        *arrays[k] = s->memory + used;
    s->slope_x = (uint16_t *)(void *)(s->memory + used);
    s->slope_y = s->slope_x + s->slots; // a whole number of lines
    if (!s->eight) return true;
    float **diagonal[] = {&s->flux_ne, &s->flux_nw, &s->seen_x, &s->seen_y};
    used += stride;
    for (size_t k = 0; k < sizeof diagonal / sizeof *diagonal; k++, used += stride)
        *diagonal[k] = s->memory + used;
    s->slope_ne = (uint16_t *)(void *)(s->memory + used);
    s->slope_nw = s->slope_ne + s->slots;
    s->gaps_x = (uint16_t *)(void *)(s->memory + used + stride);
    s->gaps_y = s->gaps_x + s->slots;
    return true;
}

static bool take_memory(rv_solver *s)
{
    const rv_allocator *a = &s->allocator;
    for (int p = 0; p < s->columns->planes; p++) s->row_count += (uint32_t)s->columns->plane[p].ny;
    s->full = rv_new(a, s->slots, 1);
    s->has_odd = rv_new(a, s->slots, 1);
    s->row = rv_new(a, s->row_count, sizeof *s->row);
    s->wet = rv_new(a, s->row_count, sizeof *s->wet);
    s->awake = rv_new(a, s->row_count, sizeof *s->awake);
    s->row_full = rv_new(a, s->row_count, 1);
    s->row_cut = rv_new(a, s->row_count, 1);
    s->row_limited = rv_new(a, s->row_count, 1);
    s->row_most = rv_new(a, s->row_count, sizeof *s->row_most);
    return take_slot_arrays(s) && s->full && s->has_odd && s->row && s->wet && s->awake &&
           s->row_full && s->row_cut && s->row_limited && s->row_most;
}

void rv_pipes_survey_row(rv_solver *s, uint32_t r)
{
    const rv_column_set *c = s->columns;
    rv_pipe_row *row = &s->row[r];
    float top = (float)c->grid.top;
    row->ceilings = 0, row->highest = (float)c->grid.bottom;
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        if (!rv_column_exists(c, i)) continue;
        if (c->base[i] > row->highest) row->highest = c->base[i];
        if (c->max[i] < top) row->ceilings = 1;
    }
}

void rv_pipes_survey_all(rv_solver *s)
{
    s->highest_base = (float)s->columns->grid.bottom, s->has_ceilings = false;
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (s->row[r].highest > s->highest_base) s->highest_base = s->row[r].highest;
        s->has_ceilings |= s->row[r].ceilings;
    }
}

static bool has_falls(const rv_solver *s, const rv_pipe_row *row)
{
    const rv_column_set *c = s->columns;
    float fall =
        RV_FALL_SLOPE * (float)c->grid.dx * 0.999f; // sooner than the flux loop would say so
    for (int way = 0; way < rv_ways(s); way++) {
        ptrdiff_t step = rv_way_step((rv_way)way, c->plane[row->plane].pitch);
        const uint16_t *slope = rv_slope_of(s, (rv_way)way);
        for (ptrdiff_t i = (ptrdiff_t)row->first; i < (ptrdiff_t)(row->first + row->count); i++)
            if (slope[i] && rv_f_abs(c->base[i + step] - c->base[i]) > fall) return true;
    }
    return false;
}

void rv_pipes_set_kind(rv_solver *s, uint32_t r)
{
    rv_pipe_row *row = &s->row[r];
    bool ceilings = row->ceilings || (row->above >= 0 && s->row[row->above].ceilings);
    row->kind = ceilings ? RV_ROW_ANY : has_falls(s, row) ? RV_ROW_OPEN : RV_ROW_GENTLE;
    s->row_limited[r] = 1; // so that the next substep sets its shares
}

static rv_result find_pipes(rv_solver *s)
{
    const rv_grid *g = &s->columns->grid;
    rv_joints j = {0};
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) rv_pipes_join_cell(s, &j, x, y);
    s->odd = j.odd, s->odd_capacity = j.capacity;
    if (j.failed) return RV_OUT_OF_MEMORY;
    s->odd_count = j.count, s->pipe_count = j.pipes;
    if (j.capacity != j.count) { // give back what doubling took too much
        rv_odd_pipe *exact = rv_new(&s->allocator, j.count, sizeof *exact);
        if (!exact) return RV_OUT_OF_MEMORY;
        if (j.count > 0) memcpy(exact, j.odd, j.count * sizeof *exact);
        rv_free(&s->allocator, j.odd, j.capacity, sizeof *j.odd);
        s->odd = exact, s->odd_capacity = j.count;
    }
    s->odd_flux = rv_new(&s->allocator, s->odd_count, sizeof(float));
    if (!s->odd_flux) return RV_OUT_OF_MEMORY;
    s->odd_flux_capacity = s->odd_count;
    return RV_OK;
}

rv_result rv_pipes_build(rv_solver *s)
{
    s->slots = s->columns->slots;
    for (s->block_shift = 5; s->columns->grid.nx > 64 << s->block_shift;) s->block_shift++;
    s->block_width = 1 << s->block_shift;
    if (!take_memory(s)) return RV_OUT_OF_MEMORY;
    lay_rows(s);
    for (uint32_t r = 0; r < s->row_count; r++) rv_pipes_survey_row(s, r);
    rv_pipes_survey_all(s);
    rv_result result = find_pipes(s);
    if (result != RV_OK) return result;
    for (uint32_t r = 0; r < s->row_count; r++) rv_pipes_set_kind(s, r);
    result = rv_pipes_list_odd(s);
    if (result != RV_OK) return result;
    s->halo_count = rv_pipes_strips_scratch(s);
    s->halo = rv_new(&s->allocator, s->halo_count, sizeof(float));
    return s->halo ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_pipes_release(rv_solver *s)
{
    const rv_allocator *a = &s->allocator;
    rv_free(a, s->memory, by_slot(s) * slot_stride(s), sizeof(float));
    rv_free(a, s->full, s->slots, 1);
    rv_free(a, s->has_odd, s->slots, 1);
    rv_free(a, s->row, s->row_count, sizeof *s->row);
    rv_free(a, s->wet, s->row_count, sizeof *s->wet);
    rv_free(a, s->awake, s->row_count, sizeof *s->awake);
    rv_free(a, s->row_full, s->row_count, 1);
    rv_free(a, s->row_cut, s->row_count, 1);
    rv_free(a, s->row_limited, s->row_count, 1);
    rv_free(a, s->row_most, s->row_count, sizeof *s->row_most);
    rv_free(a, s->odd, s->odd_capacity, sizeof *s->odd);
    rv_free(a, s->odd_flux, s->odd_flux_capacity, sizeof(float));
    rv_free(a, s->odd_column, s->odd_column_capacity, sizeof *s->odd_column);
    rv_free(a, s->odd_depth, s->odd_depth_capacity, sizeof(float));
    rv_free(a, s->odd_of, s->odd_of_capacity, sizeof *s->odd_of);
    rv_free(a, s->link, s->link_capacity, sizeof *s->link);
    rv_free(a, s->halo, s->halo_count, sizeof(float));
    rv_free(a, s->cut, s->cut_capacity, sizeof *s->cut);
}
