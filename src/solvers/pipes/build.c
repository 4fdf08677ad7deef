// Makes the pipes of a column set: which columns are joined, how steep the bed is there, and the
// lists of odd pipes and of the columns that have them. SPEC §1, §2 (slope correction).
#include "solvers/pipes/pipes.h"

#include <stdlib.h>
#include <string.h>

// Slopes from 60° on are falls, not films: tan 60°.
#define FALL_SLOPE 1.7320508f

typedef struct builder {
    rv_solver *s;
    bool failed;
} builder;

// The columns of cell (x, y) from below; returns how many.
static int cell_columns(const rv_column_set *c, int x, int y, uint32_t out[RV_LAYERS_MAX])
{
    int n = 0;
    for (int p = 0; p < c->planes; p++) {
        if (!rv_plane_has(&c->plane[p], x, y)) break;
        size_t slot = rv_slot(&c->plane[p], x, y);
        if (!rv_column_exists(c, slot)) break;
        out[n++] = (uint32_t)slot;
    }
    return n;
}

// Height of the opening between two columns; none when <= 0.
static float opening_between(const rv_column_set *c, uint32_t a, uint32_t b)
{
    return rv_f_min(c->max[a], c->max[b]) - rv_f_max(c->base[a], c->base[b]);
}

// Bed's difference to the joined neighbour of the same plane at slot + step, 0 and *found unchanged
// where there is none or it is a wall or a fall.
static float bed_step(const rv_solver *s, uint32_t slot, ptrdiff_t step, int *found)
{
    const rv_column_set *c = s->columns;
    uint32_t other = (uint32_t)((ptrdiff_t)slot + step);
    if (!rv_column_exists(c, other) || opening_between(c, slot, other) <= 0.0f) return 0.0f;
    float rise = c->base[other] - c->base[slot];
    if (rv_f_abs(rise) > FALL_SLOPE * (float)c->grid.dx) return 0.0f;
    ++*found;
    return rise;
}

// Mean difference of the bed per cell along one axis at a column.
static float bed_slope(const rv_solver *s, uint32_t slot, ptrdiff_t step)
{
    int found = 0;
    float forward = bed_step(s, slot, step, &found);
    float backward = bed_step(s, slot, -step, &found);
    return found ? (forward - backward) / (float)found : 0.0f;
}

static bool slope_corrected(const rv_params *p)
{
    return p->pipes_slope == RV_SWITCH_ON ||
           (p->pipes_slope == RV_SWITCH_AUTO && p->pipes_area == RV_AREA_WET);
}

// cos²α of the steepest slope of the bed at a pipe, coded; `along` and `across` are rises per cell.
static uint16_t slope_code(const rv_solver *s, float along, float across)
{
    if (!slope_corrected(&s->params)) return (uint16_t)RV_SLOPE_ONE;
    float dx = (float)s->columns->grid.dx;
    float tangent2 = (along * along + across * across) / (dx * dx);
    if (tangent2 > FALL_SLOPE * FALL_SLOPE) return (uint16_t)RV_SLOPE_ONE;
    return (uint16_t)(RV_SLOPE_ONE / (1.0f + tangent2) + 0.5f);
}

static uint16_t pipe_slope(const rv_solver *s, uint32_t a, uint32_t b, bool along_y)
{
    const rv_column_set *c = s->columns;
    ptrdiff_t step_a = along_y ? 1 : rv_plane_of(c, a)->pitch;
    ptrdiff_t step_b = along_y ? 1 : rv_plane_of(c, b)->pitch;
    float across = 0.5f * (bed_slope(s, a, step_a) + bed_slope(s, b, step_b));
    return slope_code(s, c->base[b] - c->base[a], across);
}

static void *grown(rv_solver *s, void *old, uint32_t count, uint32_t capacity, size_t size)
{
    void *fresh = rv_new(&s->allocator, capacity, size);
    if (fresh && old) memcpy(fresh, old, count * size);
    return fresh;
}

static void add_odd(builder *b, rv_odd_pipe pipe)
{
    rv_solver *s = b->s;
    if (s->odd_count == s->odd_capacity) {
        uint32_t capacity = s->odd_capacity ? 2 * s->odd_capacity : 256;
        rv_odd_pipe *fresh = grown(s, s->odd, s->odd_count, capacity, sizeof *fresh);
        if (!fresh) {
            b->failed = true;
            return;
        }
        rv_free(&s->allocator, s->odd, s->odd_capacity, sizeof *s->odd);
        s->odd = fresh, s->odd_capacity = capacity;
    }
    s->odd[s->odd_count++] = pipe;
}

static void join_cells(builder *b, const uint32_t *low, int lows, const uint32_t *high, int highs,
                       bool along_y)
{
    rv_solver *s = b->s;
    uint16_t *slope = along_y ? s->slope_y : s->slope_x;
    for (int i = 0; i < lows; i++) {
        for (int j = 0; j < highs; j++) {
            float opening = opening_between(s->columns, low[i], high[j]);
            if (!(opening > 0.0f)) continue;
            uint16_t code = pipe_slope(s, low[i], high[j], along_y);
            s->pipe_count++;
            if (i == j)
                slope[low[i]] = code;
            else
                add_odd(b, (rv_odd_pipe){.a = low[i],
                                         .b = high[j],
                                         .along_y = along_y,
                                         .slope = code,
                                         .opening = opening});
        }
    }
}

static rv_border border_kind(const rv_params *p, rv_side side)
{
    const rv_border kinds[] = {p->border_west, p->border_east, p->border_south, p->border_north};
    return kinds[side];
}

// Beyond an open border the bed goes on as it comes, if that is downhill, and is dry.
static void add_border(builder *b, uint32_t slot, rv_side side)
{
    rv_solver *s = b->s;
    const rv_column_set *c = s->columns;
    bool along_y = side == RV_SOUTH || side == RV_NORTH;
    ptrdiff_t pitch = rv_plane_of(c, slot)->pitch;
    ptrdiff_t inward = along_y ? pitch : 1;
    if (side == RV_EAST || side == RV_NORTH) inward = -inward;
    int found = 0;
    float rise = bed_step(s, slot, inward, &found);
    float fall = rise > 0.0f ? rise : 0.0f;
    bool open = border_kind(&s->params, side) == RV_BORDER_OPEN;
    float across = bed_slope(s, slot, along_y ? 1 : pitch);
    s->has_borders = true;
    add_odd(b, (rv_odd_pipe){.a = slot,
                             .b = RV_NO_SLOT,
                             .along_y = along_y,
                             .side = (uint8_t)side,
                             .slope = slope_code(s, open ? fall : 0.0f, across),
                             .opening = rv_cap(s, slot),
                             .beyond = c->base[slot] - (open ? fall : 0.0f)});
}

static void add_borders(builder *b, int x, int y, const uint32_t *cols, int n)
{
    const rv_grid *g = &b->s->columns->grid;
    const bool at[] = {x == 0, x == g->nx - 1, y == 0, y == g->ny - 1};
    for (int side = 0; side < 4; side++) {
        rv_border kind = border_kind(&b->s->params, (rv_side)side);
        if (!at[side] || (kind != RV_BORDER_OPEN && kind != RV_BORDER_LEVEL)) continue;
        for (int i = 0; i < n; i++) add_border(b, cols[i], (rv_side)side);
    }
}

static void find_pipes(builder *b)
{
    rv_solver *s = b->s;
    const rv_column_set *c = s->columns;
    s->odd_count = 0, s->pipe_count = 0;
    for (int y = 0; y < c->grid.ny; y++) {
        for (int x = 0; x < c->grid.nx; x++) {
            uint32_t here[RV_LAYERS_MAX], there[RV_LAYERS_MAX];
            int n = cell_columns(c, x, y, here);
            if (x + 1 < c->grid.nx)
                join_cells(b, here, n, there, cell_columns(c, x + 1, y, there), 0);
            if (y + 1 < c->grid.ny)
                join_cells(b, here, n, there, cell_columns(c, x, y + 1, there), 1);
            add_borders(b, x, y, here, n);
        }
    }
}

// ---- Columns with odd pipes
// ----------------------------------------------------------------------

static rv_side side_of_end(const rv_odd_pipe *p, bool is_a)
{
    if (p->b == RV_NO_SLOT) return (rv_side)p->side;
    if (p->along_y) return is_a ? RV_NORTH : RV_SOUTH;
    return is_a ? RV_EAST : RV_WEST;
}

typedef struct end_of_pipe {
    uint32_t slot, other, pipe;
    uint8_t side;
    int8_t sign;
} end_of_pipe;

static int compare_ends(const void *pa, const void *pb)
{
    const end_of_pipe *a = pa, *b = pb;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    return a->other < b->other ? -1 : a->other > b->other; // planes ascend with slots
}

static uint32_t collect_ends(const rv_solver *s, end_of_pipe *ends)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->odd_count; i++) {
        const rv_odd_pipe *p = &s->odd[i];
        bool border = p->b == RV_NO_SLOT;
        ends[n++] = (end_of_pipe){p->a, p->b, i, (uint8_t)side_of_end(p, true), 1};
        if (!border) ends[n++] = (end_of_pipe){p->b, p->a, i, (uint8_t)side_of_end(p, false), -1};
    }
    qsort(ends, n, sizeof *ends, compare_ends);
    return n;
}

static uint32_t row_of(const rv_solver *s, uint32_t slot, int *x)
{
    uint32_t r = rv_pipes_row_of(s, slot);
    *x = (int)(slot - s->row[r].first);
    return r;
}

static bool at_level_border(const rv_solver *s, const rv_odd_pipe *p)
{
    return p->b == RV_NO_SLOT && border_kind(&s->params, (rv_side)p->side) == RV_BORDER_LEVEL;
}

static rv_result list_odd_columns(rv_solver *s)
{
    uint32_t most = 2 * s->odd_count;
    end_of_pipe *ends = rv_new(&s->allocator, most, sizeof *ends);
    if (!ends) return RV_OUT_OF_MEMORY;
    uint32_t n = collect_ends(s, ends), columns = 0;
    for (uint32_t i = 0; i < n; i++) columns += i == 0 || ends[i].slot != ends[i - 1].slot;
    s->odd_of = rv_new(&s->allocator, n, sizeof *s->odd_of);
    s->odd_column = rv_new(&s->allocator, columns, sizeof *s->odd_column);
    s->odd_depth = rv_new(&s->allocator, columns, sizeof(float));
    bool got = s->odd_of && s->odd_column && s->odd_depth;
    if (got) {
        s->odd_of_count = n, s->odd_column_count = columns;
        rv_odd_column *column = s->odd_column - 1;
        for (uint32_t i = 0; i < n; i++) {
            if (i == 0 || ends[i].slot != ends[i - 1].slot) {
                int x;
                uint32_t row = row_of(s, ends[i].slot, &x);
                *++column = (rv_odd_column){.slot = ends[i].slot,
                                            .first = i,
                                            .row = row,
                                            .block = (uint8_t)(x / s->block_width)};
                rv_pipe_row *r = &s->row[row];
                if (r->odd_count++ == 0) r->odd_first = (uint32_t)(column - s->odd_column);
            }
            column->count++;
            s->has_odd[ends[i].slot] = 1;
            column->at_level |= at_level_border(s, &s->odd[ends[i].pipe]);
            s->odd_of[i] = (rv_odd_entry){ends[i].pipe, ends[i].side, ends[i].sign};
        }
    }
    rv_free(&s->allocator, ends, most, sizeof *ends);
    return got ? RV_OK : RV_OUT_OF_MEMORY;
}

static int compare_links(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(rv_block_link));
}

static rv_result list_links(rv_solver *s)
{
    s->link = rv_new(&s->allocator, s->odd_count, sizeof *s->link);
    if (!s->link) return RV_OUT_OF_MEMORY;
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < s->odd_count; i++) {
        if (s->odd[i].b == RV_NO_SLOT) continue;
        int xa, xb;
        rv_block_link *l = &s->link[n++]; // zeroed memory: padding compares equal
        l->row_a = row_of(s, s->odd[i].a, &xa), l->row_b = row_of(s, s->odd[i].b, &xb);
        l->block_a = (uint8_t)(xa / s->block_width), l->block_b = (uint8_t)(xb / s->block_width);
    }
    qsort(s->link, n, sizeof *s->link, compare_links);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || compare_links(&s->link[i], &s->link[i - 1]) != 0)
            s->link[kept++] = s->link[i];
    s->link_count = kept;
    return RV_OK;
}

// ---- Rows and memory
// -----------------------------------------------------------------------------

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

enum { BY_SLOT = 8 };

static size_t slot_stride(const rv_solver *s)
{
    return (s->columns->slots + 1023) / 1024 * 1024 + SHIFT;
}

static bool take_slot_arrays(rv_solver *s)
{
    size_t stride = slot_stride(s);
    s->memory = rv_new(&s->allocator, BY_SLOT * stride, sizeof(float));
    if (!s->memory) return false;
    float **arrays[] = {&s->depth, &s->flux_x, &s->flux_y, &s->head, &s->out_scale, &s->in_scale};
    size_t used = SHIFT;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++, used += stride)
        *arrays[k] = s->memory + used;
    s->slope_x = (uint16_t *)(void *)(s->memory + used);
    s->slope_y = s->slope_x + s->columns->slots; // a whole number of lines
    return true;
}

static bool take_memory(rv_solver *s)
{
    const rv_allocator *a = &s->allocator;
    for (int p = 0; p < s->columns->planes; p++) s->row_count += (uint32_t)s->columns->plane[p].ny;
    s->full = rv_new(a, s->columns->slots, 1);
    s->has_odd = rv_new(a, s->columns->slots, 1);
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

static void survey_row(rv_solver *s, rv_pipe_row *row)
{
    const rv_column_set *c = s->columns;
    float top = (float)c->grid.top;
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        if (!rv_column_exists(c, i)) continue;
        if (c->base[i] > s->highest_base) s->highest_base = c->base[i];
        if (c->max[i] < top) row->ceilings = 1;
    }
    s->has_ceilings |= row->ceilings;
}

static bool has_falls(const rv_solver *s, const rv_pipe_row *row)
{
    const rv_column_set *c = s->columns;
    float fall = FALL_SLOPE * (float)c->grid.dx * 0.999f; // sooner than the flux loop would say so
    uint32_t pitch = (uint32_t)c->plane[row->plane].pitch;
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        if (s->slope_x[i] && rv_f_abs(c->base[i + 1] - c->base[i]) > fall) return true;
        if (s->slope_y[i] && rv_f_abs(c->base[i + pitch] - c->base[i]) > fall) return true;
    }
    return false;
}

// Needs the pipes.
static void set_kinds(rv_solver *s)
{
    for (uint32_t r = 0; r < s->row_count; r++) {
        rv_pipe_row *row = &s->row[r];
        bool ceilings = row->ceilings || (row->above >= 0 && s->row[row->above].ceilings);
        row->kind = ceilings ? RV_ROW_ANY : has_falls(s, row) ? RV_ROW_OPEN : RV_ROW_GENTLE;
        s->row_limited[r] = 1; // so that the first substep sets its shares
    }
}

rv_result rv_pipes_build(rv_solver *s)
{
    for (s->block_shift = 5; s->columns->grid.nx > 64 << s->block_shift;) s->block_shift++;
    s->block_width = 1 << s->block_shift;
    if (!take_memory(s)) return RV_OUT_OF_MEMORY;
    builder b = {.s = s};
    lay_rows(s);
    s->highest_base = (float)s->columns->grid.bottom;
    for (uint32_t r = 0; r < s->row_count; r++) survey_row(s, &s->row[r]);
    find_pipes(&b);
    set_kinds(s);
    s->odd_flux = rv_new(&s->allocator, s->odd_count, sizeof(float));
    if (b.failed || !s->odd_flux) return RV_OUT_OF_MEMORY;
    if (s->odd_capacity != s->odd_count) { // give back what doubling took too much
        rv_odd_pipe *exact = grown(s, s->odd, s->odd_count, s->odd_count, sizeof *exact);
        if (!exact) return RV_OUT_OF_MEMORY;
        rv_free(&s->allocator, s->odd, s->odd_capacity, sizeof *s->odd);
        s->odd = exact, s->odd_capacity = s->odd_count;
    }
    rv_result result = list_odd_columns(s);
    return result == RV_OK ? list_links(s) : result;
}

void rv_pipes_build_slopes(rv_solver *s)
{
    const rv_column_set *c = s->columns;
    for (uint32_t r = 0; r < s->row_count; r++) {
        uint32_t pitch = (uint32_t)c->plane[s->row[r].plane].pitch;
        for (uint32_t i = s->row[r].first; i < s->row[r].first + s->row[r].count; i++) {
            if (s->slope_x[i]) s->slope_x[i] = pipe_slope(s, i, i + 1, false);
            if (s->slope_y[i]) s->slope_y[i] = pipe_slope(s, i, i + pitch, true);
        }
    }
    for (uint32_t i = 0; i < s->odd_count; i++) {
        rv_odd_pipe *p = &s->odd[i];
        if (p->b != RV_NO_SLOT) p->slope = pipe_slope(s, p->a, p->b, p->along_y);
    }
}

void rv_pipes_release(rv_solver *s)
{
    const rv_allocator *a = &s->allocator;
    rv_free(a, s->memory, BY_SLOT * slot_stride(s), sizeof(float));
    rv_free(a, s->full, s->columns->slots, 1);
    rv_free(a, s->has_odd, s->columns->slots, 1);
    rv_free(a, s->row, s->row_count, sizeof *s->row);
    rv_free(a, s->wet, s->row_count, sizeof *s->wet);
    rv_free(a, s->awake, s->row_count, sizeof *s->awake);
    rv_free(a, s->row_full, s->row_count, 1);
    rv_free(a, s->row_cut, s->row_count, 1);
    rv_free(a, s->row_limited, s->row_count, 1);
    rv_free(a, s->row_most, s->row_count, sizeof *s->row_most);
    rv_free(a, s->odd, s->odd_capacity, sizeof *s->odd);
    rv_free(a, s->odd_flux, s->odd_count, sizeof(float));
    rv_free(a, s->odd_column, s->odd_column_count, sizeof *s->odd_column);
    rv_free(a, s->odd_depth, s->odd_column_count, sizeof(float));
    rv_free(a, s->odd_of, s->odd_of_count, sizeof *s->odd_of);
    rv_free(a, s->link, s->odd_count, sizeof *s->link);
    rv_free(a, s->halo, s->halo_count, sizeof(float));
    rv_free(a, s->cut, s->cut_capacity, sizeof *s->cut);
}
