// Which columns are joined, and how steep the bed is there (docs/pipes-inside.md, Slopes and
// falls).
#include "columns/joints.h"

#include <math.h>
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
static float bed_step(const rv_engine *s, uint32_t slot, ptrdiff_t step, int *found)
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
static float bed_slope(const rv_engine *s, uint32_t slot, ptrdiff_t step)
{
    int found = 0;
    float forward = bed_step(s, slot, step, &found);
    float backward = bed_step(s, slot, -step, &found);
    return found ? (forward - backward) / (float)found : 0.0f;
}

bool rv_pipes_corrects_slopes(const rv_engine *s)
{
    rv_switch kind =
        s->params.solver == RV_SOLVER_SWE ? s->params.swe_slope : s->params.pipes_slope;
    return kind == RV_SWITCH_ON || (kind == RV_SWITCH_AUTO && s->flow);
}

// cos²α of the steepest slope of the bed at a pipe, coded; `along` and `across` are rises per cell.
static uint16_t slope_code(const rv_engine *s, float along, float across)
{
    if (!rv_pipes_corrects_slopes(s)) return (uint16_t)RV_SLOPE_ONE;
    float dx = (float)s->columns->grid.dx;
    float tangent2 = (along * along + across * across) / (dx * dx);
    if (tangent2 > RV_FALL_SLOPE * RV_FALL_SLOPE) return (uint16_t)RV_SLOPE_ONE;
    return (uint16_t)(RV_SLOPE_ONE / (1.0f + tangent2) + 0.5f);
}

// Rise of the bed across a pipe along x or y, per cell.
static float axial_rise(const rv_engine *s, uint32_t a, uint32_t b, bool along_y)
{
    const rv_column_set *c = s->columns;
    ptrdiff_t step_a = along_y ? 1 : rv_plane_of(c, a)->pitch;
    ptrdiff_t step_b = along_y ? 1 : rv_plane_of(c, b)->pitch;
    return 0.5f * (bed_slope(s, a, step_a) + bed_slope(s, b, step_b));
}

static uint16_t axial_slope(const rv_engine *s, uint32_t a, uint32_t b, bool along_y)
{
    const float *base = s->columns->base;
    return slope_code(s, base[b] - base[a], axial_rise(s, a, b, along_y));
}

// The rise across, coded; nothing where the slope is not corrected.
static int16_t pipe_rise(const rv_engine *s, uint32_t a, uint32_t b, rv_way way)
{
    if (way >= RV_WAY_NE || !rv_pipes_corrects_slopes(s)) return 0;
    const rv_column_set *c = s->columns;
    float dx = (float)c->grid.dx, across = axial_rise(s, a, b, way == RV_WAY_Y) / dx;
    float along = (c->base[b] - c->base[a]) / dx;
    if (along * along + across * across > RV_FALL_SLOPE * RV_FALL_SLOPE) return 0;
    return (int16_t)lroundf(across * RV_RISE_ONE);
}

// ---- Diagonals ----------------------------------------------------------------------------------

static bool cell_joins(const rv_column_set *c, int x, int y, uint32_t a, uint32_t b)
{
    uint32_t side[RV_LAYERS_MAX];
    if (x < 0 || y < 0 || x >= c->grid.nx || y >= c->grid.ny) return false;
    for (int n = rv_pipes_cell(c, x, y, side); n-- > 0;)
        if (opening_between(c, side[n], a) > 0.0f && opening_between(c, side[n], b) > 0.0f)
            return true;
    return false;
}

// Whether column a of cell (x, y) and column b of the cell at (x + sx, y + sy) are joined.
static bool are_joined(const rv_column_set *c, uint32_t a, int x, int y, uint32_t b, int sx, int sy)
{
    if (!(opening_between(c, a, b) > 0.0f)) return false;
    if (sx == 0 || sy == 0) return true;
    return cell_joins(c, x + sx, y, a, b) || cell_joins(c, x, y + sy, a, b);
}

static int is_gap(const rv_column_set *c, uint32_t a, int x, int y, int sx, int sy)
{
    uint32_t there[RV_LAYERS_MAX];
    if (x + sx < 0 || y + sy < 0 || x + sx >= c->grid.nx || y + sy >= c->grid.ny) return 1;
    for (int n = rv_pipes_cell(c, x + sx, y + sy, there); n-- > 0;)
        if (are_joined(c, a, x, y, there[n], sx, sy)) return 0;
    return 1;
}

// Missing diagonals on both sides of a pipe from cell (x, y) along x or y, 0 to 4.
static uint16_t count_gaps(const rv_engine *s, uint32_t a, uint32_t b, int x, int y, rv_way way)
{
    const rv_column_set *c = s->columns;
    if (!s->eight || way >= RV_WAY_NE) return 0;
    if (way == RV_WAY_X)
        return (uint16_t)((is_gap(c, a, x, y, 1, 1) + is_gap(c, b, x + 1, y, -1, 1)) +
                          (is_gap(c, a, x, y, 1, -1) + is_gap(c, b, x + 1, y, -1, -1)));
    return (uint16_t)((is_gap(c, a, x, y, 1, 1) + is_gap(c, b, x, y + 1, 1, -1)) +
                      (is_gap(c, a, x, y, -1, 1) + is_gap(c, b, x, y + 1, -1, -1)));
}

// Rise of the bed from `middle` to the column of the same plane as `end` in a cell beside a
// diagonal pipe.
static bool rise_beside(const rv_engine *s, uint32_t end, int x, int y, float middle, float *rise)
{
    const rv_column_set *c = s->columns;
    const rv_plane *plane = rv_plane_of(c, end);
    if (!rv_plane_has(plane, x, y)) return false;
    uint32_t slot = (uint32_t)rv_slot(plane, x, y);
    if (!rv_column_exists(c, slot) || opening_between(c, slot, end) <= 0.0f) return false;
    *rise = c->base[slot] - middle;
    return rv_f_abs(*rise) <= RV_FALL_SLOPE * (float)c->grid.dx;
}

// Rise of the bed across a diagonal pipe from cell (x, y), between the two cells beside it, as the
// plane of one of its ends has it.
static float rise_across(const rv_engine *s, uint32_t end, float middle, int x, int y, int sx)
{
    float east = 0.0f, north = 0.0f;
    bool has_east = rise_beside(s, end, x + sx, y, middle, &east);
    bool has_north = rise_beside(s, end, x, y + 1, middle, &north);
    if (has_east && has_north) return east - north;
    return has_east ? 2.0f * east : has_north ? -2.0f * north : 0.0f;
}

static uint16_t diagonal_slope(const rv_engine *s, uint32_t a, uint32_t b, rv_way way)
{
    const rv_column_set *c = s->columns;
    const float half = 0.70710678f; // of √2, the pipe's length in cells
    rv_place at = rv_place_of(c, a);
    int sx = way == RV_WAY_NE ? 1 : -1;
    float middle = 0.5f * (c->base[a] + c->base[b]);
    float across = 0.5f * (rise_across(s, a, middle, at.x, at.y, sx) +
                           rise_across(s, b, middle, at.x, at.y, sx));
    return slope_code(s, half * (c->base[b] - c->base[a]), half * across);
}

// ---- Pipes --------------------------------------------------------------------------------------

static uint16_t pipe_slope(const rv_engine *s, uint32_t a, uint32_t b, rv_way way)
{
    return way >= RV_WAY_NE ? diagonal_slope(s, a, b, way) : axial_slope(s, a, b, way == RV_WAY_Y);
}

static void add_odd(rv_engine *s, rv_joints *j, rv_odd_pipe pipe)
{
    if (j->closed) {
        j->failed = true;
        return;
    }
    if (j->count == j->capacity) {
        uint32_t capacity = j->capacity ? 2 * j->capacity : 256;
        rv_odd_pipe *fresh =
            rv_regrow(&s->allocator, j->odd, j->capacity, j->count, capacity, sizeof *fresh);
        if (!fresh) {
            j->failed = true;
            return;
        }
        j->odd = fresh, j->capacity = capacity;
    }
    j->odd[j->count++] = pipe;
}

// The cell that a way leads to from (x, y).
static void cell_at(rv_way way, int *x, int *y)
{
    *x += way == RV_WAY_Y ? 0 : way == RV_WAY_NW ? -1 : 1;
    *y += way != RV_WAY_X;
}

// The pipes from the columns `low` of cell (x, y) to those of the next cell.
static void join_cells(rv_engine *s, rv_joints *joints, int x, int y, const uint32_t *low, int lows,
                       rv_way way)
{
    const rv_column_set *c = s->columns;
    uint16_t *slope = s->slope[way], *gaps = way == RV_WAY_X ? s->gaps_x : s->gaps_y;
    uint32_t high[RV_LAYERS_MAX];
    int hx = x, hy = y;
    cell_at(way, &hx, &hy);
    if (hx < 0 || hx >= c->grid.nx || hy >= c->grid.ny) return;
    int highs = rv_pipes_cell(c, hx, hy, high);
    for (int i = 0; i < lows; i++) {
        for (int j = 0; j < highs; j++) {
            if (!are_joined(c, low[i], x, y, high[j], hx - x, hy - y)) continue;
            rv_odd_pipe pipe = {.a = low[i],
                                .b = high[j],
                                .way = (uint8_t)way,
                                .plane_a = (uint8_t)i,
                                .plane_b = (uint8_t)j,
                                .x = (uint16_t)x,
                                .y = (uint16_t)y,
                                .slope = pipe_slope(s, low[i], high[j], way),
                                .rise = pipe_rise(s, low[i], high[j], way),
                                .gaps = count_gaps(s, low[i], high[j], x, y, way),
                                .opening = opening_between(c, low[i], high[j])};
            joints->pipes++;
            if (i != j) {
                add_odd(s, joints, pipe);
                continue;
            }
            slope[low[i]] = pipe.slope;
            if (way < RV_WAY_NE) s->rise[way][low[i]] = pipe.rise;
            if (s->eight && way < RV_WAY_NE) gaps[low[i]] = pipe.gaps;
        }
    }
}

rv_border rv_pipes_border(const rv_engine *s, rv_side side)
{
    const rv_params *p = &s->params;
    const rv_border kinds[] = {p->border_west, p->border_east, p->border_south, p->border_north};
    return kinds[side];
}

bool rv_pipes_lets_through(const rv_engine *s, rv_side side)
{
    rv_border kind = rv_pipes_border(s, side);
    return kind == RV_BORDER_OPEN || kind == RV_BORDER_LEVEL;
}

static bool is_along_y(rv_side side)
{
    return side == RV_SOUTH || side == RV_NORTH;
}

// Beyond an open border the bed goes on as it comes, if that is downhill, and is dry: how far it
// falls to the next cell, m.
static float border_fall(const rv_engine *s, uint32_t slot, rv_side side)
{
    ptrdiff_t inward = is_along_y(side) ? rv_plane_of(s->columns, slot)->pitch : 1;
    if (side == RV_EAST || side == RV_NORTH) inward = -inward;
    int found = 0;
    float rise = bed_step(s, slot, inward, &found);
    return rv_pipes_border(s, side) == RV_BORDER_OPEN && rise > 0.0f ? rise : 0.0f;
}

static uint16_t border_slope(const rv_engine *s, uint32_t slot, rv_side side)
{
    ptrdiff_t across = is_along_y(side) ? 1 : rv_plane_of(s->columns, slot)->pitch;
    return slope_code(s, border_fall(s, slot, side), bed_slope(s, slot, across));
}

static void add_border(rv_engine *s, rv_joints *joints, rv_place at, uint32_t slot, rv_side side)
{
    joints->border = true;
    add_odd(s, joints,
            (rv_odd_pipe){.a = slot,
                          .b = RV_NO_SLOT,
                          .way = is_along_y(side) ? RV_WAY_Y : RV_WAY_X,
                          .side = (uint8_t)side,
                          .plane_a = (uint8_t)at.plane,
                          .plane_b = (uint8_t)at.plane,
                          .x = (uint16_t)at.x,
                          .y = (uint16_t)at.y,
                          .gaps = 4, // beyond, all directions are one
                          .slope = border_slope(s, slot, side),
                          .opening = rv_cap(s, slot),
                          .beyond = s->columns->base[slot] - border_fall(s, slot, side)});
}

// Which sides of cell (x, y) are borders that let liquid through.
static bool is_passable(const rv_engine *s, int x, int y, int side)
{
    const rv_grid *g = &s->columns->grid;
    const bool at[] = {x == 0, x == g->nx - 1, y == 0, y == g->ny - 1};
    return at[side] && rv_pipes_lets_through(s, (rv_side)side);
}

void rv_pipes_join_cell(rv_engine *s, rv_joints *joints, int x, int y)
{
    const rv_column_set *c = s->columns;
    uint32_t here[RV_LAYERS_MAX];
    int n = rv_pipes_cell(c, x, y, here);
    for (int p = 0; p < c->planes; p++) {
        if (!rv_plane_has(&c->plane[p], x, y)) continue;
        size_t slot = rv_slot(&c->plane[p], x, y);
        for (int way = 0; way < rv_ways(s); way++) s->slope[way][slot] = 0;
    }
    for (int way = 0; way < rv_ways(s); way++) join_cells(s, joints, x, y, here, n, (rv_way)way);
    // a cell beside a diagonal pipe can shut it
    for (int i = 0; s->eight && i < n; i++) {
        for (int way = RV_WAY_NE; way < RV_WAYS; way++)
            if (!s->slope[way][here[i]]) s->flux[way][here[i]] = s->speed[way][here[i]] = 0.0f;
    }
    for (int side = 0; side < 4; side++)
        for (int i = 0; is_passable(s, x, y, side) && i < n; i++)
            add_border(s, joints, (rv_place){x, y, i}, here[i], (rv_side)side);
}

static uint32_t count_between(const rv_column_set *c, const uint32_t *low, int lows,
                              const uint32_t *high, int highs)
{
    uint32_t n = 0;
    for (int i = 0; i < lows; i++)
        for (int j = 0; j < highs; j++) n += i != j && opening_between(c, low[i], high[j]) > 0.0f;
    return n;
}

uint32_t rv_pipes_count_odd(const rv_engine *s, int x, int y)
{
    const rv_column_set *c = s->columns;
    uint32_t here[RV_LAYERS_MAX], there[RV_LAYERS_MAX], count = 0;
    int n = rv_pipes_cell(c, x, y, here);
    for (int way = 0; way < rv_ways(s); way++) {
        int hx = x, hy = y;
        cell_at((rv_way)way, &hx, &hy);
        if (hx < 0 || hx >= c->grid.nx || hy >= c->grid.ny) continue;
        count += count_between(c, here, n, there, rv_pipes_cell(c, hx, hy, there));
    }
    for (int side = 0; side < 4; side++)
        if (is_passable(s, x, y, side)) count += (uint32_t)n;
    return count;
}

void rv_pipes_build_slopes(rv_engine *s)
{
    const rv_column_set *c = s->columns;
    for (uint32_t r = 0; r < s->row_count; r++) {
        ptrdiff_t pitch = c->plane[s->row[r].plane].pitch;
        for (int way = 0; way < rv_ways(s); way++) {
            uint16_t *slope = s->slope[way];
            uint32_t step = (uint32_t)rv_way_step((rv_way)way, pitch);
            for (uint32_t i = s->row[r].first; i < s->row[r].first + s->row[r].count; i++) {
                if (!slope[i]) continue;
                slope[i] = pipe_slope(s, i, i + step, (rv_way)way);
                if (way < RV_WAY_NE) s->rise[way][i] = pipe_rise(s, i, i + step, (rv_way)way);
            }
        }
    }
    for (uint32_t i = 0; i < s->odd_count; i++) {
        rv_odd_pipe *p = &s->odd[i];
        if (p->b == RV_NO_SLOT) {
            p->slope = border_slope(s, p->a, (rv_side)p->side);
            continue;
        }
        p->slope = pipe_slope(s, p->a, p->b, (rv_way)p->way);
        p->rise = pipe_rise(s, p->a, p->b, (rv_way)p->way);
    }
}
