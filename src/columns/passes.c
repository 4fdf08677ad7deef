// The passes of a substep over rows of columns, see sweep.h.
#include "columns/sweep.h"

#include <string.h>

// Rows around a run along one axis: the same place of an array in other lines.
static float *place(const rv_band *t, int plane, int y, int array, int x)
{
    return rv_band_line(t, plane, y)->array[array] + x;
}

static int planes_of(const rv_band *t)
{
    return t->s->columns->planes;
}

// Cells of a way from its low end to its high one.
static const int way_x[RV_WAYS] = {1, 0, 1, -1}, way_y[RV_WAYS] = {0, 1, 1, 1};

// The columns at one end of a run of pipes along a way; `back` is the way from the pipes, in cells.
static rv_ends ends_at(const rv_band *t, int plane, int y, int x, int back_x, int back_y)
{
    const rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    size_t i = (size_t)((ptrdiff_t)line->first + x);
    return (rv_ends){.base = s->columns->base + i,
                     .max = s->columns->max + i,
                     .depth = line->array[RV_DEPTH] + x,
                     .behind = place(t, plane, y + back_y, RV_DEPTH, x + back_x),
                     .press = s->press ? s->press + i : NULL};
}

static const rv_law *law_of(const rv_solver *s, rv_way way)
{
    return way >= RV_WAY_NE ? &s->law_diagonal : &s->law;
}

static float slant_of(const rv_solver *s, rv_way way)
{
    return (float)way_x[way] * s->law.slant[0] + (float)way_y[way] * s->law.slant[1];
}

// Whether more than levels counts for the pipes of a row.
static bool is_special(const rv_solver *s, uint32_t row)
{
    return s->eight || s->law.quotient > 0.0f || s->law.slant[0] != 0.0f ||
           s->law.slant[1] != 0.0f || rv_pipes_is_pressed(s, row);
}

// Pipes of a row to the next one; the last row has none.
static bool has_way(const rv_solver *s, const rv_line *line, rv_way way)
{
    return way == RV_WAY_X || s->row[line->row].above >= 0;
}

// ---- Velocities ---------------------------------------------------------------------------------

static void keep_last(rv_band *t, int plane, int y)
{
    const rv_line *line = rv_band_line(t, plane, y);
    rv_band_ring *ring = &t->ring[plane];
    size_t bytes = (size_t)t->s->columns->plane[plane].pitch * sizeof(float);
    for (int way = 0; way < 2; way++)
        memcpy(ring->last[way][y & 3] - 16, line->array[RV_SPEED + way] - 16, bytes);
    ring->last_row[y & 3] = y;
}

const float *rv_band_last(const rv_band *t, int plane, int y, rv_way way)
{
    const rv_band_ring *ring = &t->ring[plane];
    if (y >= 0 && ring->last_row[y & 3] == y) return ring->last[way][y & 3];
    return rv_band_line(t, plane, y)->array[RV_SPEED + way];
}

static uint64_t awake_at(const rv_band *t, int plane, int y)
{
    const rv_line *line = rv_band_line(t, plane, y);
    return line->exists ? t->s->awake[line->row] : 0;
}

// Velocities along x between rows y - 1 and y, and along y in the middle of row y, over blocks of
// row y.
static void set_between(rv_band *t, int plane, int y, uint64_t blocks)
{
    const rv_solver *s = t->s;
    rv_band_ring *ring = &t->ring[plane];
    const rv_line *line = rv_band_line(t, plane, y);
    int row_y = line->exists ? y : y - 1; // rows of a plane have the same length
    const float *u[4], *v[4];
    for (int k = 0; k < 4; k++) {
        u[k] = rv_band_last(t, plane, y - 2 + k, RV_WAY_X);
        v[k] = rv_band_last(t, plane, y - 2 + k, RV_WAY_Y);
    }
    const float *below = place(t, plane, y - 1, RV_FLUX + RV_WAY_Y, 0);
    const float *here = place(t, plane, y, RV_FLUX + RV_WAY_Y, 0);
    uint32_t r = rv_band_line(t, plane, row_y)->row;
    for (rv_run run = rv_first_run_of(s, r, blocks); run.count; run = rv_next_run(s, r, run)) {
        int x = run.x;
        s->loops.flow->between(&s->law, u[0] + x, u[1] + x, u[2] + x, u[3] + x, below + x,
                               below + x + 1, ring->between[0][y & 1] + x, run.count);
        s->loops.flow->between(&s->law, v[0] + x, v[1] + x, v[2] + x, v[3] + x, below + x, here + x,
                               ring->between[1][y & 1] + x, run.count);
    }
    ring->between_row[y & 1] = y;
}

// What flows past a run of pipes along x.
static rv_past past_x(rv_band *t, int plane, int y, int x, int count)
{
    const rv_band_ring *ring = &t->ring[plane];
    const float *u = rv_band_last(t, plane, y, RV_WAY_X) + x;
    const float *f = place(t, plane, y, RV_FLUX + RV_WAY_X, x);
    const float *south = place(t, plane, y - 1, RV_FLUX + RV_WAY_Y, x);
    const float *north = place(t, plane, y, RV_FLUX + RV_WAY_Y, x);
    t->s->loops.flow->between(&t->s->law, u - 2, u - 1, u, u + 1, f - 1, f, t->scratch[0] + x,
                              count + 1);
    return (rv_past){.own = u,
                     .low = t->scratch[0] + x,
                     .high = t->scratch[0] + x + 1,
                     .south = ring->between[0][y & 1] + x,
                     .north = ring->between[0][(y + 1) & 1] + x,
                     .q_low = f - 1,
                     .q_own = f,
                     .q_high = f + 1,
                     .q_south = {south, south + 1},
                     .q_north = {north, north + 1}};
}

static rv_past past_y(rv_band *t, int plane, int y, int x, int count)
{
    const rv_band_ring *ring = &t->ring[plane];
    const float *v = rv_band_last(t, plane, y, RV_WAY_Y) + x;
    const float *here = place(t, plane, y, RV_FLUX + RV_WAY_X, x);
    const float *above = place(t, plane, y + 1, RV_FLUX + RV_WAY_X, x);
    t->s->loops.flow->between(&t->s->law, v - 2, v - 1, v, v + 1, here - 1, above - 1,
                              t->scratch[1] + x, count + 1);
    return (rv_past){.own = v,
                     .low = ring->between[1][y & 1] + x,
                     .high = ring->between[1][(y + 1) & 1] + x,
                     .south = t->scratch[1] + x,
                     .north = t->scratch[1] + x + 1,
                     .q_low = place(t, plane, y - 1, RV_FLUX + RV_WAY_Y, x),
                     .q_own = place(t, plane, y, RV_FLUX + RV_WAY_Y, x),
                     .q_high = place(t, plane, y + 1, RV_FLUX + RV_WAY_Y, x),
                     .q_south = {here - 1, above - 1},
                     .q_north = {here, above}};
}

static rv_across across_of(const rv_band *t, int plane, int y, int x, rv_way way)
{
    const rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    if (way >= RV_WAY_NE) { // diagonals know the slope along them only
        const float *zeros = s->bands->zeros;
        return (rv_across){zeros, zeros, zeros, zeros, (const int16_t *)(const void *)zeros};
    }
    int sx = way == RV_WAY_Y, sy = way == RV_WAY_X;
    return (rv_across){place(t, plane, y - sy, RV_DEPTH, x - sx),
                       place(t, plane, y + way_y[way] - sy, RV_DEPTH, x + way_x[way] - sx),
                       place(t, plane, y + sy, RV_DEPTH, x + sx),
                       place(t, plane, y + way_y[way] + sy, RV_DEPTH, x + way_x[way] + sx),
                       s->rise[way] + line->first + x};
}

static void velocity_run(rv_band *t, int plane, int y, rv_run run, rv_way way, rv_flow_kind kind)
{
    const rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    size_t i = line->first + (size_t)run.x;
    int x = run.x, dx = way_x[way], dy = way_y[way];
    rv_past past = {.own = line->array[RV_SPEED + way] + x};
    if (s->traced)
        past.own = rv_band_trace(t, plane, y, x, run.count, way);
    else if (s->carries)
        past =
            way == RV_WAY_X ? past_x(t, plane, y, x, run.count) : past_y(t, plane, y, x, run.count);
    const uint16_t *gaps = rv_gaps_of(s, way);
    s->loops.flow->velocity[kind](law_of(s, way), ends_at(t, plane, y, x, -dx, -dy),
                                  ends_at(t, plane, y + dy, x + dx, dx, dy), past,
                                  across_of(t, plane, y, x, way), s->slope[way] + i,
                                  gaps ? gaps + i : NULL, slant_of(s, way),
                                  line->array[RV_SPEED + way] + x, run.count);
}

static void velocity_line(rv_band *t, int plane, int y)
{
    const rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    uint64_t awake = s->awake[line->row];
    if (!awake) return;
    bool special = s->clipped || is_special(s, line->row);
    rv_flow_kind kind = special ? RV_FLOW_HARD : (rv_flow_kind)s->row[line->row].kind;
    if (s->carries) {
        rv_band_ring *ring = &t->ring[plane];
        keep_last(t, plane, y);
        if (!s->traced) {
            if (ring->between_row[y & 1] != y) set_between(t, plane, y, awake);
            set_between(t, plane, y + 1, awake | awake_at(t, plane, y + 1));
        }
    }
    for (int k = 0; k < rv_ways(s); k++) {
        rv_way way = (rv_way)k;
        if (!has_way(s, line, way)) continue;
        for (rv_run run = rv_first_run(s, line->row); run.count;
             run = rv_next_run(s, line->row, run))
            velocity_run(t, plane, y, run, way, kind);
    }
}

void rv_pass_velocities(rv_band *t, int y)
{
    for (int p = 0; p < planes_of(t); p++)
        if (rv_band_line(t, p, y)->exists) velocity_line(t, p, y);
    rv_odd_velocities(t, y);
    if (!t->s->carries || t->s->traced) return;
    for (int p = 0; p < planes_of(t); p++)
        if (rv_band_line(t, p, y)->exists) rv_seam_velocities(t, p, y);
}

// ---- Fluxes -------------------------------------------------------------------------------------

// Velocities around the columns of a run, along a way and across.
static void add_around(const rv_band *t, rv_ends *e, int plane, int y, int x, rv_way way)
{
    const float *u = place(t, plane, y, RV_SPEED + RV_WAY_X, x);
    const float *low_v = place(t, plane, y - 1, RV_SPEED + RV_WAY_Y, x);
    const float *high_v = place(t, plane, y, RV_SPEED + RV_WAY_Y, x);
    bool along_x = way == RV_WAY_X;
    e->low = along_x ? u - 1 : low_v, e->high = along_x ? u : high_v;
    e->low_side = along_x ? low_v : u - 1, e->high_side = along_x ? high_v : u;
}

static void flux_run(rv_band *t, int plane, int y, rv_run run, rv_way way)
{
    const rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    size_t i = line->first + (size_t)run.x;
    int x = run.x, dx = way_x[way], dy = way_y[way];
    rv_ends a = ends_at(t, plane, y, x, -dx, -dy);
    rv_ends b = ends_at(t, plane, y + dy, x + dx, dx, dy);
    float *flux = line->array[RV_FLUX + way] + x;
    if (!s->flow) {
        const uint16_t *gaps = rv_gaps_of(s, way);
        s->loops.cell->flux[!is_special(s, line->row)](law_of(s, way), a, b, s->slope[way] + i,
                                                       gaps ? gaps + i : NULL, slant_of(s, way),
                                                       flux, run.count);
        return;
    }
    bool hard = s->row[line->row].kind == RV_FLOW_HARD;
    bool second = s->second && way < RV_WAY_NE;
    if (second) add_around(t, &a, plane, y, x, way), add_around(t, &b, plane, y + dy, x + dx, way);
    s->loops.flow->flux[hard][second](law_of(s, way), a, b, line->array[RV_SPEED + way] + x, flux,
                                      run.count);
}

void rv_pass_fluxes(rv_band *t, int y)
{
    const rv_solver *s = t->s;
    for (int p = 0; p < planes_of(t); p++) {
        const rv_line *line = rv_band_line(t, p, y);
        for (int way = 0; line->exists && way < rv_ways(s); way++) {
            if (!has_way(s, line, (rv_way)way)) continue;
            for (rv_run run = rv_first_run(s, line->row); run.count;
                 run = rv_next_run(s, line->row, run))
                flux_run(t, p, y, run, (rv_way)way);
        }
    }
    rv_odd_fluxes(t, y);
}

// ---- Scales -------------------------------------------------------------------------------------

static rv_eight eight_at(const rv_band *t, int plane, int y, int x)
{
    rv_eight f = {.x = place(t, plane, y, RV_FLUX + RV_WAY_X, x),
                  .low_y = place(t, plane, y - 1, RV_FLUX + RV_WAY_Y, x),
                  .high_y = place(t, plane, y, RV_FLUX + RV_WAY_Y, x)};
    if (!t->s->eight) return f;
    f.low_ne = place(t, plane, y - 1, RV_FLUX + RV_WAY_NE, x - 1);
    f.high_ne = place(t, plane, y, RV_FLUX + RV_WAY_NE, x);
    f.low_nw = place(t, plane, y - 1, RV_FLUX + RV_WAY_NW, x + 1);
    f.high_nw = place(t, plane, y, RV_FLUX + RV_WAY_NW, x);
    return f;
}

// Shares of inflow are 1 in rows without ceilings unless the lid is near.
static void no_ceiling_in_reach(rv_solver *s, const rv_line *line)
{
    if (!s->row_limited[line->row]) return;
    s->row_limited[line->row] = 0;
    for (uint32_t k = 0; k < s->row[line->row].count; k++) line->array[RV_IN][k] = 1.0f;
}

static void scale_line(rv_band *t, int plane, int y)
{
    rv_solver *s = t->s;
    rv_line *line = rv_band_line(t, plane, y);
    const rv_row_loops *rows = s->loops.rows;
    bool limited = s->row[line->row].ceilings || s->lid_near;
    int cut = 0;
    if (limited && line->own) s->row_limited[line->row] = 1;
    if (!limited && line->own) no_ceiling_in_reach(s, line);
    for (rv_run run = rv_first_run(s, line->row); run.count; run = rv_next_run(s, line->row, run)) {
        int x = run.x;
        size_t i = line->first + (size_t)x;
        rv_eight flux = eight_at(t, plane, y, x);
        const float *depth = line->array[RV_DEPTH] + x;
        float *out = line->array[RV_OUT] + x, *in = line->array[RV_IN] + x;
        cut |= limited ? rows->scale[s->eight](&s->law, depth, s->columns->base + i,
                                               s->columns->max + i, flux, out, in, run.count)
                       : rows->scale_out[s->eight](&s->law, depth, flux, out, run.count);
    }
    cut |= rv_odd_scales(t, line, plane, y);
    line->cut = (uint8_t)cut;
    if (line->own) s->row_cut[line->row] = (uint8_t)cut;
}

void rv_pass_scales(rv_band *t, int y)
{
    for (int p = 0; p < planes_of(t); p++) {
        rv_line *line = rv_band_line(t, p, y);
        line->cut = 0;
        if (line->exists && t->s->awake[line->row]) scale_line(t, p, y);
    }
}

// ---- Scaled fluxes ------------------------------------------------------------------------------

static bool is_cut(const rv_band *t, int plane, int y)
{
    const rv_line *line = rv_band_line(t, plane, y);
    return line->exists && t->s->awake[line->row] &&
           (t->s->parted ? t->s->row_cut[line->row] : line->cut);
}

static void finish_run(const rv_band *t, int plane, int y, int x, int count, rv_way way)
{
    const rv_solver *s = t->s;
    const rv_row_loops *rows = s->loops.rows;
    int bx = x + way_x[way], by = y + way_y[way];
    float *flux = place(t, plane, y, RV_FLUX + (int)way, x);
    const float *out_a = place(t, plane, y, RV_OUT, x), *out_b = place(t, plane, by, RV_OUT, bx);
    if (!s->parted) {
        rows->finish_out(flux, out_a, out_b, count);
        return;
    }
    const float *in_a = place(t, plane, y, RV_IN, x), *in_b = place(t, plane, by, RV_IN, bx);
    rows->finish(flux, out_a, in_a, out_b, in_b, count);
    if (s->flow) rows->stop(place(t, plane, y, RV_SPEED + (int)way, x), in_a, in_b, count);
}

static void finish_line(rv_band *t, int plane, int y)
{
    const rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    bool here = is_cut(t, plane, y), above = is_cut(t, plane, y + 1);
    if (!here && !above) return;
    for (rv_run run = rv_first_run(s, line->row); run.count; run = rv_next_run(s, line->row, run))
        for (int way = here ? 0 : 1; way < rv_ways(s); way++)
            finish_run(t, plane, y, run.x, run.count, (rv_way)way);
}

void rv_pass_finish(rv_band *t, int y)
{
    for (int p = 0; p < planes_of(t); p++) {
        const rv_line *line = rv_band_line(t, p, y);
        if (line->exists && t->s->awake[line->row]) finish_line(t, p, y);
    }
    rv_odd_finish(t, y);
}

// ---- Depths -------------------------------------------------------------------------------------

static float pace_of(const rv_band *t, int plane, int y)
{
    const rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    float most = 0.0f;
    for (rv_run run = rv_first_run(s, line->row); run.count; run = rv_next_run(s, line->row, run))
        most = rv_f_max(s->loops.flow->pace(&s->law, line->array[RV_DEPTH] + run.x,
                                            line->array[RV_SPEED + RV_WAY_X] + run.x,
                                            place(t, plane, y - 1, RV_SPEED + RV_WAY_Y, run.x),
                                            line->array[RV_SPEED + RV_WAY_Y] + run.x, run.count),
                        most);
    return most;
}

static void level_line(rv_band *t, int plane, int y)
{
    rv_solver *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    uint32_t r = line->row;
    rv_level_result found = {0};
    rv_odd_depths(t, line, plane, y);
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run))
        rv_pipes_merge(&found,
                       s->loops.rows->level[s->eight](&s->law, line->array[RV_DEPTH] + run.x,
                                                      eight_at(t, plane, y, run.x), run.count,
                                                      s->block_width),
                       run.x / s->block_width);
    if (rv_odd_depths_set(t, line))
        rv_pipes_scan_row(s, r);
    else
        rv_pipes_note_row(s, r, found);
    if (s->flow) s->row_pace[r] = pace_of(t, plane, y);
}

void rv_pass_levels(rv_band *t, int y)
{
    for (int p = 0; p < planes_of(t); p++) {
        const rv_line *line = rv_band_line(t, p, y);
        if (line->exists && t->s->awake[line->row]) level_line(t, p, y);
    }
}
