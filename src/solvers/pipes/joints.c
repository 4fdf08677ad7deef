// Which columns are joined, and how steep the bed is there (SPEC §1; §2, slope correction).
#include "solvers/pipes/joints.h"

#include <string.h>

int rv_pipes_cell(const rv_column_set *c, int x, int y, uint32_t out[RV_LAYERS_MAX])
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
    if (rv_f_abs(rise) > RV_FALL_SLOPE * (float)c->grid.dx) return 0.0f;
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
    if (tangent2 > RV_FALL_SLOPE * RV_FALL_SLOPE) return (uint16_t)RV_SLOPE_ONE;
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

static void add_odd(rv_solver *s, rv_joints *j, rv_odd_pipe pipe)
{
    if (j->count == j->capacity) {
        uint32_t capacity = j->capacity ? 2 * j->capacity : 256;
        rv_odd_pipe *fresh = rv_new(&s->allocator, capacity, sizeof *fresh);
        if (!fresh) {
            j->failed = true;
            return;
        }
        if (j->count > 0) memcpy(fresh, j->odd, j->count * sizeof *fresh);
        rv_free(&s->allocator, j->odd, j->capacity, sizeof *fresh);
        j->odd = fresh, j->capacity = capacity;
    }
    j->odd[j->count++] = pipe;
}

static void join_cells(rv_solver *s, rv_joints *joints, const uint32_t *low, int lows,
                       const uint32_t *high, int highs, bool along_y)
{
    uint16_t *slope = along_y ? s->slope_y : s->slope_x;
    for (int i = 0; i < lows; i++) {
        for (int j = 0; j < highs; j++) {
            float opening = opening_between(s->columns, low[i], high[j]);
            if (!(opening > 0.0f)) continue;
            uint16_t code = pipe_slope(s, low[i], high[j], along_y);
            joints->pipes++;
            if (i == j)
                slope[low[i]] = code;
            else
                add_odd(s, joints,
                        (rv_odd_pipe){.a = low[i],
                                      .b = high[j],
                                      .along_y = along_y,
                                      .slope = code,
                                      .opening = opening});
        }
    }
}

rv_border rv_pipes_border(const rv_solver *s, rv_side side)
{
    const rv_params *p = &s->params;
    const rv_border kinds[] = {p->border_west, p->border_east, p->border_south, p->border_north};
    return kinds[side];
}

// Beyond an open border the bed goes on as it comes, if that is downhill, and is dry.
static void add_border(rv_solver *s, rv_joints *joints, uint32_t slot, rv_side side)
{
    const rv_column_set *c = s->columns;
    bool along_y = side == RV_SOUTH || side == RV_NORTH;
    ptrdiff_t pitch = rv_plane_of(c, slot)->pitch;
    ptrdiff_t inward = along_y ? pitch : 1;
    if (side == RV_EAST || side == RV_NORTH) inward = -inward;
    int found = 0;
    float rise = bed_step(s, slot, inward, &found);
    float fall = rise > 0.0f ? rise : 0.0f;
    bool open = rv_pipes_border(s, side) == RV_BORDER_OPEN;
    float across = bed_slope(s, slot, along_y ? 1 : pitch);
    s->has_borders = true;
    add_odd(s, joints,
            (rv_odd_pipe){.a = slot,
                          .b = RV_NO_SLOT,
                          .along_y = along_y,
                          .side = (uint8_t)side,
                          .slope = slope_code(s, open ? fall : 0.0f, across),
                          .opening = rv_cap(s, slot),
                          .beyond = c->base[slot] - (open ? fall : 0.0f)});
}

// Which sides of cell (x, y) are borders that let liquid through.
static bool is_passable(const rv_solver *s, int x, int y, int side)
{
    const rv_grid *g = &s->columns->grid;
    const bool at[] = {x == 0, x == g->nx - 1, y == 0, y == g->ny - 1};
    rv_border kind = rv_pipes_border(s, (rv_side)side);
    return at[side] && (kind == RV_BORDER_OPEN || kind == RV_BORDER_LEVEL);
}

void rv_pipes_join_cell(rv_solver *s, rv_joints *joints, int x, int y)
{
    const rv_column_set *c = s->columns;
    uint32_t here[RV_LAYERS_MAX], there[RV_LAYERS_MAX];
    int n = rv_pipes_cell(c, x, y, here);
    for (int p = 0; p < c->planes; p++) {
        if (!rv_plane_has(&c->plane[p], x, y)) continue;
        size_t slot = rv_slot(&c->plane[p], x, y);
        s->slope_x[slot] = s->slope_y[slot] = 0;
    }
    if (x + 1 < c->grid.nx)
        join_cells(s, joints, here, n, there, rv_pipes_cell(c, x + 1, y, there), 0);
    if (y + 1 < c->grid.ny)
        join_cells(s, joints, here, n, there, rv_pipes_cell(c, x, y + 1, there), 1);
    for (int side = 0; side < 4; side++)
        for (int i = 0; is_passable(s, x, y, side) && i < n; i++)
            add_border(s, joints, here[i], (rv_side)side);
}

static uint32_t count_between(const rv_column_set *c, const uint32_t *low, int lows,
                              const uint32_t *high, int highs)
{
    uint32_t n = 0;
    for (int i = 0; i < lows; i++)
        for (int j = 0; j < highs; j++) n += i != j && opening_between(c, low[i], high[j]) > 0.0f;
    return n;
}

uint32_t rv_pipes_count_odd(const rv_solver *s, int x, int y)
{
    const rv_column_set *c = s->columns;
    uint32_t here[RV_LAYERS_MAX], there[RV_LAYERS_MAX], count = 0;
    int n = rv_pipes_cell(c, x, y, here);
    if (x + 1 < c->grid.nx)
        count += count_between(c, here, n, there, rv_pipes_cell(c, x + 1, y, there));
    if (y + 1 < c->grid.ny)
        count += count_between(c, here, n, there, rv_pipes_cell(c, x, y + 1, there));
    for (int side = 0; side < 4; side++)
        if (is_passable(s, x, y, side)) count += (uint32_t)n;
    return count;
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
