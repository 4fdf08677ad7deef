// Makes the pipes of a column set, and the memory and rows that the passes work on. docs/pipes.md.
#include "columns/joints.h"
#include "columns/tension.h"

#include <string.h>

static void lay_rows(rv_engine *s)
{
    const rv_column_set *c = s->columns;
    uint32_t n = 0;
    for (int p = 0; p < c->planes; p++) {
        const rv_plane *plane = &c->plane[p];
        s->plane_row[p] = n;
        for (int y = 0; y < plane->ny; y++, n++) {
            s->row[n] =
                (rv_pipe_row){.first = (uint32_t)(plane->offset + (size_t)y * (size_t)plane->pitch),
                              .plane = (uint16_t)p,
                              .y = plane->y0 + y,
                              .count = (uint32_t)plane->nx & 0x1ffff,
                              .below = y > 0 ? (int32_t)n - 1 : -1,
                              .above = y + 1 < plane->ny ? (int32_t)n + 1 : -1};
        }
    }
}

// The arrays by slot lie in one piece of memory, each shifted by some lines against the last:
// arrays that start at the same place of a page make every store look like the next load's address
// to the processor.
#define SHIFT 144 // floats

static size_t slot_stride(const rv_engine *s)
{
    return (s->slots + 1023) / 1024 * 1024 + SHIFT;
}

// Where the arrays by slot stand in a piece of memory, which is NULL at first; returns how many
// floats they take.
static size_t lay_slot_arrays(rv_engine *s, float *memory)
{
    size_t stride = slot_stride(s), used = SHIFT;
    float **plain[] = {&s->depth, &s->head, &s->out_scale, &s->in_scale};
    float **seen[] = {&s->seen_x, &s->seen_y};
#define LAY(pointer, type)                                                                         \
    do {                                                                                           \
        if (memory) pointer = (type *)(void *)(memory + used);                                     \
        used += stride;                                                                            \
    } while (0)
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) LAY(*plain[k], float);
    for (int way = 0; way < rv_ways(s); way++) {
        LAY(s->flux[way], float);
        LAY(s->speed[way], float);
    }
    for (int way = 0; way < rv_ways(s); way += 2) { // two of half the size
        LAY(s->slope[way], uint16_t);
        if (memory) s->slope[way + 1] = s->slope[way] + s->slots; // a whole number of lines
    }
    LAY(s->rise[0], int16_t);
    if (memory) s->rise[1] = s->rise[0] + s->slots;
    if (!s->eight) return used;
    for (int k = 0; k < 2; k++) LAY(*seen[k], float);
    LAY(s->gaps_x, uint16_t);
    if (memory) s->gaps_y = s->gaps_x + s->slots;
#undef LAY
    return used;
}

static bool take_slot_arrays(rv_engine *s)
{
    s->memory = rv_new_wide(&s->allocator, s->pool, lay_slot_arrays(s, NULL), sizeof(float));
    if (s->memory) lay_slot_arrays(s, s->memory);
    return s->memory != NULL;
}

static bool take_memory(rv_engine *s)
{
    const rv_allocator *a = &s->allocator;
    for (int p = 0; p < s->columns->planes; p++) s->row_count += (uint32_t)s->columns->plane[p].ny;
    s->full = rv_new_wide(a, s->pool, s->slots, 1);
    s->odd_at = rv_new_wide(a, s->pool, s->slots, sizeof *s->odd_at);
    s->row = rv_new(a, s->row_count, sizeof *s->row);
    s->wet = rv_new(a, s->row_count, sizeof *s->wet);
    s->awake = rv_new(a, s->row_count, sizeof *s->awake);
    s->was_awake = rv_new(a, s->row_count, sizeof *s->was_awake);
    s->row_full = rv_new(a, s->row_count, 1);
    s->row_cut = rv_new(a, s->row_count, 1);
    s->row_limited = rv_new(a, s->row_count, 1);
    s->row_most = rv_new(a, s->row_count, sizeof *s->row_most);
    s->row_pace = rv_new(a, s->row_count, sizeof *s->row_pace);
    s->odd_row = rv_new(a, (size_t)s->columns->grid.ny + 1, sizeof *s->odd_row);
    s->border[0] = rv_new(a, 2 * (size_t)s->columns->grid.ny, sizeof(double));
    if (s->border[0]) s->border[1] = s->border[0] + s->columns->grid.ny;
    return take_slot_arrays(s) && rv_busy_make(s) && s->full && s->odd_at && s->row && s->wet &&
           s->awake && s->was_awake && s->row_full && s->row_cut && s->row_limited && s->row_most &&
           s->row_pace && s->odd_row && s->border[0];
}

void rv_pipes_survey_row(rv_engine *s, uint32_t r)
{
    const rv_column_set *c = s->columns;
    rv_pipe_row *row = &s->row[r];
    float top = (float)c->grid.top;
    row->ceilings = 0, row->highest = (float)c->grid.bottom, row->lowest = 3e38f;
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        float height = c->max[i] - c->base[i];
        if (c->max[i] < top && height > 0.0f) row->lowest = rv_f_min(height, row->lowest);
        if (!rv_column_exists(c, i)) continue;
        if (c->base[i] > row->highest) row->highest = c->base[i];
        if (c->max[i] < top) row->ceilings = 1;
    }
}

void rv_pipes_survey_all(rv_engine *s)
{
    s->highest_base = (float)s->columns->grid.bottom, s->has_ceilings = false;
    for (uint32_t r = 0; r < s->row_count; r++) {
        if (s->row[r].highest > s->highest_base) s->highest_base = s->row[r].highest;
        s->has_ceilings |= s->row[r].ceilings;
    }
    if (!s->columns->grid.cut) return;
    double found[2] = {(double)s->highest_base, s->has_ceilings};
    rv_cut_greatest(s->columns->grid.cut, found, 2);
    s->highest_base = (float)found[0], s->has_ceilings = found[1] > 0.0;
}

static bool has_falls(const rv_engine *s, const rv_pipe_row *row)
{
    const rv_column_set *c = s->columns;
    float fall =
        RV_FALL_SLOPE * (float)c->grid.dx * 0.999f; // sooner than the flux loop would say so
    for (int way = 0; way < rv_ways(s); way++) {
        ptrdiff_t step = rv_way_step((rv_way)way, c->plane[row->plane].pitch);
        const uint16_t *slope = s->slope[way];
        for (ptrdiff_t i = (ptrdiff_t)row->first; i < (ptrdiff_t)(row->first + row->count); i++)
            if (slope[i] && rv_f_abs(c->base[i + step] - c->base[i]) > fall) return true;
    }
    return false;
}

// Whether the bed is level to the bit along all pipes of the row, and across them.
static bool is_even(const rv_engine *s, const rv_pipe_row *row)
{
    const rv_column_set *c = s->columns;
    for (int way = 0; way < 2; way++) {
        ptrdiff_t step = rv_way_step((rv_way)way, c->plane[row->plane].pitch);
        for (ptrdiff_t i = row->first; i < (ptrdiff_t)(row->first + row->count); i++)
            if (s->slope[way][i] && (s->rise[way][i] || c->base[i + step] != c->base[i]))
                return false;
    }
    return true;
}

void rv_pipes_set_kind(rv_engine *s, uint32_t r)
{
    rv_pipe_row *row = &s->row[r];
    bool ceilings = row->ceilings || (row->above >= 0 && s->row[row->above].ceilings);
    row->kind = ceilings || has_falls(s, row) ? RV_FLOW_HARD
                : is_even(s, row)             ? RV_FLOW_LEVEL
                                              : RV_FLOW_TILTED;
    s->row_limited[r] = 1; // so that the next substep sets its shares
}

// Rows of the grid that have no odd pipes are found at once; the others, whose pipes stand in a
// list in their order, one after the other.
typedef struct search {
    rv_engine *s;
    int from;
    int64_t *pipes; // by row; -1: it has odd ones, and is still to be done
} search;

static void find_plain_row(void *context, int task)
{
    const search *all = context;
    int y = all->from + task;
    rv_joints none = {.closed = true};
    for (int x = 0; x < all->s->columns->grid.nx && !none.failed; x++)
        rv_pipes_join_cell(all->s, &none, x, y);
    all->pipes[y] = none.failed ? -1 : none.pipes;
}

static void set_kind(void *context, int row)
{
    rv_pipes_set_kind(context, (uint32_t)row);
}

static void survey_row(void *context, int row)
{
    rv_pipes_survey_row(context, (uint32_t)row);
}

static rv_result find_pipes(rv_engine *s)
{
    const rv_grid *g = &s->columns->grid;
    rv_joints j = {0};
    rv_rows kept = rv_grid_kept(g);
    search all = {s, kept.from, rv_new(&s->allocator, (size_t)g->ny, sizeof *all.pipes)};
    if (!all.pipes) return RV_OUT_OF_MEMORY;
    rv_parallel_for(s->pool, kept.to - kept.from, find_plain_row, &all);
    for (int y = kept.from; y < kept.to; y++) {
        bool plain = all.pipes[y] >= 0;
        if (plain) j.pipes += all.pipes[y];
        for (int x = 0; !plain && x < g->nx; x++) rv_pipes_join_cell(s, &j, x, y);
    }
    rv_free(&s->allocator, all.pipes, (size_t)g->ny, sizeof *all.pipes);
    s->has_borders |= j.border;
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
    s->odd_flux_capacity = s->odd_flux ? s->odd_count : 0;
    s->odd_speed = rv_new(&s->allocator, s->odd_count, sizeof(float));
    s->odd_speed_capacity = s->odd_speed ? s->odd_count : 0;
    if (!s->odd_flux || !s->odd_speed) return RV_OUT_OF_MEMORY;
    return RV_OK;
}

// With a cut: where one rank has no memory, none goes on to what they find out together.
static bool on_all(const rv_engine *s, bool good)
{
    rv_cut *cut = s->columns->grid.cut;
    return cut ? !rv_cut_any(cut, !good) : good;
}

static rv_result build_pipes(rv_engine *s)
{
    rv_result result = find_pipes(s);
    if (result != RV_OK) return result;
    rv_parallel_for(s->pool, (int)s->row_count, set_kind, s);
    result = rv_pipes_list_odd(s);
    if (result != RV_OK) return result;
    rv_pipes_index_rows(s);
    result = rv_bands_make(s);
    if (result == RV_OK) result = rv_far_make(s);
    if (result != RV_OK) return result;
    // also without the wet area or any tension: both may change while it runs
    return s->params.tension_on ? rv_tension_make(s, s->map) : RV_OK;
}

rv_result rv_pipes_build(rv_engine *s)
{
    s->slots = s->columns->slots;
    s->block_width = rv_grid_block(s->columns->grid.nx);
    s->block_shift = __builtin_ctz((unsigned)s->block_width);
    if (!on_all(s, take_memory(s))) return RV_OUT_OF_MEMORY;
    lay_rows(s);
    rv_parallel_for(s->pool, (int)s->row_count, survey_row, s);
    rv_pipes_survey_all(s);
    rv_result result = build_pipes(s);
    if (!on_all(s, result == RV_OK)) return result != RV_OK ? result : RV_OUT_OF_MEMORY;
    if (s->tense) rv_tension_survey_all(s);
    return RV_OK;
}

void rv_pipes_release(rv_engine *s)
{
    const rv_allocator *a = &s->allocator;
    rv_free(a, s->memory, lay_slot_arrays(s, NULL), sizeof(float));
    rv_bands_free(s);
    rv_far_free(s);
    rv_tension_free(s);
    rv_free(a, s->full, s->slots, 1);
    rv_free(a, s->odd_at, s->slots, sizeof *s->odd_at);
    rv_free(a, s->row, s->row_count, sizeof *s->row);
    rv_free(a, s->wet, s->row_count, sizeof *s->wet);
    rv_free(a, s->awake, s->row_count, sizeof *s->awake);
    rv_free(a, s->was_awake, s->row_count, sizeof *s->was_awake);
    rv_busy_free(s);
    rv_free(a, s->row_full, s->row_count, 1);
    rv_free(a, s->row_cut, s->row_count, 1);
    rv_free(a, s->row_limited, s->row_count, 1);
    rv_free(a, s->row_most, s->row_count, sizeof *s->row_most);
    rv_free(a, s->row_pace, s->row_count, sizeof *s->row_pace);
    rv_free(a, s->odd_row, (size_t)s->columns->grid.ny + 1, sizeof *s->odd_row);
    rv_free(a, s->border[0], 2 * (size_t)s->columns->grid.ny, sizeof(double));
    rv_free(a, s->odd, s->odd_capacity, sizeof *s->odd);
    rv_free(a, s->odd_flux, s->odd_flux_capacity, sizeof(float));
    rv_free(a, s->odd_speed, s->odd_speed_capacity, sizeof(float));
    rv_free(a, s->odd_column, s->odd_column_capacity, sizeof *s->odd_column);
    rv_free(a, s->odd_depth, s->odd_depth_capacity, sizeof(float));
    rv_free(a, s->odd_of, s->odd_of_capacity, sizeof *s->odd_of);
    rv_free(a, s->link, s->link_capacity, sizeof *s->link);
    rv_free(a, s->cut, s->cut_capacity, sizeof *s->cut);
}

size_t rv_pipes_bytes(const rv_engine *s)
{
    size_t rows = sizeof *s->row + 3 * sizeof(uint64_t) + 2 * sizeof(float) + 3;
    rv_engine unlaid = *s;
    return lay_slot_arrays(&unlaid, NULL) * sizeof(float) + s->slots * (1 + sizeof *s->odd_at) +
           s->row_count * rows + ((size_t)s->columns->grid.ny + 1) * sizeof *s->odd_row +
           2 * (size_t)s->columns->grid.ny * sizeof(double) + rv_far_bytes(s) +
           s->odd_capacity * sizeof *s->odd + s->link_capacity * sizeof *s->link +
           (s->odd_flux_capacity + s->odd_speed_capacity + s->odd_depth_capacity) * sizeof(float) +
           s->odd_column_capacity * sizeof *s->odd_column + s->odd_of_capacity * sizeof *s->odd_of +
           s->cut_capacity * sizeof *s->cut + rv_busy_bytes(s);
}
