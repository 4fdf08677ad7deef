// The passes of a substep over rows of columns, see sweep.h.
#include "columns/sweep.h"

#include "columns/tension.h"

#include <string.h>

// Rows around a run along one axis: the same place of an array in other lines.
static float *place(const rv_band *t, int plane, int y, int array, int x)
{
    return rv_band_line(t, plane, y)->array[array] + x;
}

// Cells of a way from its low end to its high one.
static const int way_x[RV_WAYS] = {1, 0, 1, -1}, way_y[RV_WAYS] = {0, 1, 1, 1};

// The columns at one end of a run of pipes along a way; `back` is the way from the pipes, in cells.
static rv_ends ends_at(const rv_band *t, int plane, int y, int x, int back_x, int back_y)
{
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    size_t i = (size_t)((ptrdiff_t)line->first + x);
    return (rv_ends){.base = s->columns->base + i,
                     .max = s->columns->max + i,
                     .depth = line->array[RV_DEPTH] + x,
                     .behind = place(t, plane, y + back_y, RV_DEPTH, x + back_x),
                     .press = s->heads ? s->heads + i : NULL};
}

static const rv_law *law_of(const rv_engine *s, rv_way way)
{
    return way >= RV_WAY_NE ? &s->law_diagonal : &s->law;
}

static float slant_of(const rv_engine *s, rv_way way)
{
    return (float)way_x[way] * s->law.slant[0] + (float)way_y[way] * s->law.slant[1];
}

// Whether more than levels counts for the pipes of a row.
static bool is_special(const rv_engine *s, uint32_t row)
{
    return s->eight || s->law.quotient > 0.0f || s->law.slant[0] != 0.0f ||
           s->law.slant[1] != 0.0f || rv_pipes_is_pressed(s, row);
}

// Pipes of a row to the next one; the last row has none.
static bool has_way(const rv_engine *s, const rv_line *line, rv_way way)
{
    return way == RV_WAY_X || s->row[line->row].above >= 0;
}

// ---- Fluxes -------------------------------------------------------------------------------------

// The flow of a row as it was before the substep.
static void keep_last(rv_band *t, int plane, int y)
{
    const rv_line *line = rv_band_line(t, plane, y);
    rv_band_ring *ring = &t->ring[plane];
    size_t bytes = (size_t)t->s->columns->plane[plane].pitch * sizeof(float);
    for (int way = 0; way < 2; way++) {
        memcpy(ring->speed[way][y & 3] - 16, line->array[RV_SPEED + way] - 16, bytes);
        memcpy(ring->flux[way][y & 3] - 16, line->array[RV_FLUX + way] - 16, bytes);
    }
    ring->last_row[y & 3] = y;
}

const float *rv_band_speed(const rv_band *t, int plane, int y, rv_way way)
{
    const rv_band_ring *ring = &t->ring[plane];
    if (y >= 0 && ring->last_row[y & 3] == y) return ring->speed[way][y & 3];
    return rv_band_line(t, plane, y)->array[RV_SPEED + way];
}

const float *rv_band_flux(const rv_band *t, int plane, int y, rv_way way)
{
    const rv_band_ring *ring = &t->ring[plane];
    if (y >= 0 && ring->last_row[y & 3] == y) return ring->flux[way][y & 3];
    return rv_band_line(t, plane, y)->array[RV_FLUX + way];
}

static uint64_t busy_at(const rv_band *t, int plane, int y)
{
    const rv_line *line = rv_band_line(t, plane, y);
    return line->exists ? t->s->busy[line->row] : 0;
}

// What velocities of row y are half way to row y + 1, over strips of a row of the solver.
static void set_ahead(rv_band *t, int plane, int y, uint32_t r, uint64_t strips)
{
    const rv_engine *s = t->s;
    for (int way = 0; way < 2; way++) {
        const float *low = rv_band_speed(t, plane, y - 1, (rv_way)way);
        const float *own = rv_band_speed(t, plane, y, (rv_way)way);
        const float *high = rv_band_speed(t, plane, y + 1, (rv_way)way);
        float *ahead = t->ring[plane].ahead[way];
        for (rv_run run = rv_first_run_in(s, r, strips); run.count; run = rv_next_run(s, r, run))
            s->loops.flow->ahead(&s->law, low + run.x, own + run.x, high + run.x, ahead + run.x,
                                 run.count);
    }
}

// What flows along x between rows y - 1 and y, and along y in the middle of row y, over strips of
// row y.
static void set_between(rv_band *t, int plane, int y, uint64_t strips)
{
    const rv_engine *s = t->s;
    rv_band_ring *ring = &t->ring[plane];
    int row_y = rv_band_line(t, plane, y)->exists ? y : y - 1; // a plane's rows are of one length
    uint32_t r = rv_band_line(t, plane, row_y)->row;
    uint64_t lacks = ring->ahead_row == y - 1 ? strips & ~ring->ahead_strips : strips;
    if (lacks) set_ahead(t, plane, y - 1, r, lacks);
    const float *u[3], *v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = rv_band_speed(t, plane, y - 1 + k, RV_WAY_X);
        v[k] = rv_band_speed(t, plane, y - 1 + k, RV_WAY_Y);
    }
    const float *below = rv_band_flux(t, plane, y - 1, RV_WAY_Y);
    const float *here = rv_band_flux(t, plane, y, RV_WAY_Y);
    float *const *out_u = ring->between[0][y & 1], *const *out_v = ring->between[1][y & 1];
    for (rv_run run = rv_first_run_in(s, r, strips); run.count; run = rv_next_run(s, r, run)) {
        int x = run.x;
        s->loops.flow->between_rows(&s->law, u[0] + x, u[1] + x, u[2] + x, below + x, below + x + 1,
                                    ring->ahead[0] + x, out_u[0] + x, out_u[1] + x, run.count);
        s->loops.flow->between_rows(&s->law, v[0] + x, v[1] + x, v[2] + x, below + x, here + x,
                                    ring->ahead[1] + x, out_v[0] + x, out_v[1] + x, run.count);
    }
    ring->between_row[y & 1] = ring->ahead_row = y;
    ring->ahead_strips = strips;
}

// A row beyond the grid is dry, and the rest of it, that of row `own`, is not looked at.
static rv_pull_row pull_row(const rv_band *t, int plane, int y, const rv_line *own, int x)
{
    const rv_line *line = rv_band_line(t, plane, y);
    size_t i = (line->exists ? line : own)->first + (size_t)x;
    return (rv_pull_row){t->s->columns->base + i, line->array[RV_DEPTH] + x, t->s->heads + i};
}

// What the columns of a row have around them: spread of velocities, rise of depths.
static void set_around(rv_band *t, int plane, int y, uint64_t strips)
{
    const rv_engine *s = t->s;
    rv_band_ring *ring = &t->ring[plane];
    const rv_line *line = rv_band_line(t, plane, y);
    ring->around_row[y & 1] = y;
    if (!line->exists) return; // there are zeros, and no pipes to them
    const float *u = rv_band_speed(t, plane, y, RV_WAY_X);
    const float *low = rv_band_speed(t, plane, y - 1, RV_WAY_Y);
    const float *high = rv_band_speed(t, plane, y, RV_WAY_Y);
    const float *south = place(t, plane, y - 1, RV_DEPTH, 0);
    const float *north = place(t, plane, y + 1, RV_DEPTH, 0), *depth = line->array[RV_DEPTH];
    float *const *out = ring->around[y & 1];
    uint32_t r = line->row;
    for (rv_run run = rv_first_run_in(s, r, strips); run.count; run = rv_next_run(s, r, run)) {
        int x = run.x; // and the column after its last
        s->loops.flow->around(u + x, low + x, high + x, depth + x, south + x, north + x, out[0] + x,
                              out[1] + x, out[2] + x, run.count + 1);
        if (!s->tense) continue;
        s->loops.flow->pulls(&s->law, pull_row(t, plane, y, line, x),
                             pull_row(t, plane, y - 1, line, x), pull_row(t, plane, y + 1, line, x),
                             out[3] + x, out[4] + x, run.count + 1);
    }
}

// What flows past a run of pipes along x.
static rv_past past_x(rv_band *t, int plane, int y, int x, int count)
{
    const rv_engine *s = t->s;
    float *(*between)[2] = t->ring[plane].between[0];
    const float *u = rv_band_speed(t, plane, y, RV_WAY_X) + x;
    const float *f = rv_band_flux(t, plane, y, RV_WAY_X) + x;
    float *q = t->scratch[0] + x, *product = t->scratch[1] + x;
    int here = y & 1, above = (y + 1) & 1;
    s->loops.flow->between(&s->law, u, f - 1, f, q, product, count + 1);
    return (rv_past){q,       q + 1,       between[here][0] + x, between[above][0] + x,
                     product, product + 1, between[here][1] + x, between[above][1] + x};
}

static rv_past past_y(rv_band *t, int plane, int y, int x, int count)
{
    const rv_engine *s = t->s;
    float *(*between)[2] = t->ring[plane].between[1];
    const float *v = rv_band_speed(t, plane, y, RV_WAY_Y) + x;
    const float *row = rv_band_flux(t, plane, y, RV_WAY_X) + x;
    const float *next = rv_band_flux(t, plane, y + 1, RV_WAY_X) + x;
    float *q = t->scratch[0] + x, *product = t->scratch[1] + x;
    int here = y & 1, above = (y + 1) & 1;
    s->loops.flow->between(&s->law, v, row - 1, next - 1, q, product, count + 1);
    return (rv_past){between[here][0] + x, between[above][0] + x, q,       q + 1,
                     between[here][1] + x, between[above][1] + x, product, product + 1};
}

// Before the substep: the velocities of a run, what is carried to them, and what comes.
static void set_carried(rv_band *t, int plane, int y, rv_run run, rv_way way, rv_run_pipes *pipes)
{
    const rv_engine *s = t->s;
    if (s->traced) {
        pipes->u = rv_band_trace(t, plane, y, run.x, run.count, way);
        return;
    }
    rv_past past = way == RV_WAY_X ? past_x(t, plane, y, run.x, run.count)
                                   : past_y(t, plane, y, run.x, run.count);
    float *carried = t->scratch[2] + run.x, *comes = t->scratch[3] + run.x;
    s->loops.flow->carry(&s->law, past, pipes->u, carried, comes, run.count);
    pipes->carried = carried, pipes->comes = comes;
}

static void flow_run(rv_band *t, int plane, int y, rv_run run, rv_way way, rv_flow_kind kind)
{
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    rv_band_ring *ring = &t->ring[plane];
    size_t i = line->first + (size_t)run.x;
    int x = run.x, dx = way_x[way], dy = way_y[way];
    bool straight = way < RV_WAY_NE; // diagonals know the slope along them only
    // no other pipe looks at the velocity of a diagonal one, so it is not put aside
    const float *zeros = s->bands->zeros;
    const float *u = straight ? rv_band_speed(t, plane, y, way) : line->array[RV_SPEED + way];
    const uint16_t *gaps = rv_gaps_of(s, way);
    const int16_t *rise = straight ? s->rise[way] + i : (const int16_t *)(const void *)zeros;
    rv_run_pipes pipes = {.slope = s->slope[way] + i,
                          .gaps = gaps ? gaps + i : NULL,
                          .rise = rise,
                          .slant = slant_of(s, way),
                          .u = u + x};
    if (s->carries) set_carried(t, plane, y, run, way, &pipes);
    if (s->timed) {
        pipes.low = rv_band_speed(t, plane, y - dy, way) + x - dx;
        pipes.high = rv_band_speed(t, plane, y + dy, way) + x + dx;
    }
    rv_ends a = ends_at(t, plane, y, x, -dx, -dy);
    rv_ends b = ends_at(t, plane, y + dy, x + dx, dx, dy);
    a.spread = ring->around[y & 1][0] + x, b.spread = ring->around[(y + dy) & 1][0] + x + dx;
    int lean = way == RV_WAY_X ? 2 : 1; // across
    a.lean = straight ? ring->around[y & 1][lean] + x : zeros;
    b.lean = straight ? ring->around[(y + dy) & 1][lean] + x + dx : zeros;
    a.pull = straight ? ring->around[y & 1][lean + 2] + x : zeros;
    b.pull = straight ? ring->around[(y + dy) & 1][lean + 2] + x + dx : zeros;
    s->loops.flow->through[kind][s->timed](law_of(s, way), a, b, pipes,
                                           line->array[RV_SPEED + way] + x,
                                           line->array[RV_FLUX + way] + x, run.count);
}

static void cell_run(const rv_engine *s, const rv_line *line, const rv_line *next, rv_run run,
                     rv_way way, bool plain)
{
    const rv_column_set *c = s->columns;
    const rv_line *far = way_y[way] ? next : line;
    const uint16_t *gaps = rv_gaps_of(s, way);
    int x = run.x, b = x + way_x[way];
    size_t i = line->first + (size_t)x, j = (size_t)((ptrdiff_t)far->first + b);
    rv_cell_ends low = {c->base + i, line->array[RV_DEPTH] + x, s->heads ? s->heads + i : NULL};
    rv_cell_ends high = {c->base + j, far->array[RV_DEPTH] + b, s->heads ? s->heads + j : NULL};
    s->loops.cell->flux[plain](law_of(s, way), &low, &high, s->slope[way] + i,
                               gaps ? gaps + i : NULL, plain ? 0.0f : slant_of(s, way),
                               line->array[RV_FLUX + way] + x, run.count);
}

static void cell_line(rv_band *t, int plane, int y, bool plain)
{
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y), *next = rv_band_line(t, plane, y + 1);
    int ways = s->row[line->row].above < 0 ? 1 : rv_ways(s); // the last row has none to the next
    for (rv_run run = rv_first_run(s, line->row); run.count; run = rv_next_run(s, line->row, run))
        for (int way = 0; way < ways; way++) cell_run(s, line, next, run, (rv_way)way, plain);
}

// Before a row's flow changes, what its neighbours still need of it is put aside.
static void prepare_line(rv_band *t, int plane, int y)
{
    const rv_engine *s = t->s;
    rv_band_ring *ring = &t->ring[plane];
    uint64_t busy = busy_at(t, plane, y);
    uint64_t above = busy | busy_at(t, plane, y + 1);
    keep_last(t, plane, y);
    if (ring->around_row[y & 1] != y) set_around(t, plane, y, busy);
    set_around(t, plane, y + 1, above);
    if (!s->carries || s->traced) return;
    if (ring->between_row[y & 1] != y) set_between(t, plane, y, busy);
    set_between(t, plane, y + 1, above);
}

static void flux_line(rv_band *t, int plane, int y)
{
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    uint32_t r = line->row;
    if (!s->busy[r]) return;
    bool special = is_special(s, r), hard = special || s->clipped || s->lid_touched;
    if (!s->flow) {
        cell_line(t, plane, y, !special);
        return;
    }
    rv_flow_kind kind = hard ? RV_FLOW_HARD : (rv_flow_kind)s->row[r].kind;
    if (s->tense) kind = kind == RV_FLOW_HARD ? RV_FLOW_TENSE_HARD : RV_FLOW_TENSE;
    prepare_line(t, plane, y);
    for (int k = 0; k < rv_ways(s); k++) {
        rv_way way = (rv_way)k;
        if (!has_way(s, line, way)) continue;
        for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run))
            flow_run(t, plane, y, run, way, kind);
    }
}

void rv_pass_fluxes(rv_band *t, int y)
{
    for (int p = 0; p < t->planes; p++)
        if (rv_band_line(t, p, y)->exists) flux_line(t, p, y);
    rv_odd_fluxes(t, y);
    if (!t->s->carries || t->s->traced) return;
    for (int p = 0; p < t->planes; p++)
        if (rv_band_line(t, p, y)->exists) rv_seam_fluxes(t, p, y);
    rv_seams_finish(t);
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
static void no_ceiling_in_reach(rv_engine *s, const rv_line *line)
{
    if (!s->row_limited[line->row]) return;
    s->row_limited[line->row] = 0;
    for (uint32_t k = 0; k < s->row[line->row].count; k++) line->array[RV_IN][k] = 1.0f;
}

static void scale_line(rv_band *t, int plane, int y)
{
    rv_engine *s = t->s;
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
    for (int p = 0; p < t->planes; p++) {
        rv_line *line = rv_band_line(t, p, y);
        line->cut = 0;
        if (line->exists && t->s->busy[line->row]) scale_line(t, p, y);
    }
}

// ---- Scaled fluxes ------------------------------------------------------------------------------

static bool is_cut(const rv_band *t, int plane, int y)
{
    const rv_line *line = rv_band_line(t, plane, y);
    return line->exists && t->s->busy[line->row] &&
           (t->s->parted ? t->s->row_cut[line->row] : line->cut);
}

static void finish_run(const rv_band *t, int plane, int y, int x, int count, rv_way way)
{
    const rv_engine *s = t->s;
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
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    bool here = is_cut(t, plane, y), above = is_cut(t, plane, y + 1);
    if (!here && !above) return;
    for (rv_run run = rv_first_run(s, line->row); run.count; run = rv_next_run(s, line->row, run))
        for (int way = here ? 0 : 1; way < rv_ways(s); way++)
            finish_run(t, plane, y, run.x, run.count, (rv_way)way);
}

void rv_pass_finish(rv_band *t, int y)
{
    for (int p = 0; p < t->planes; p++) {
        const rv_line *line = rv_band_line(t, p, y);
        if (line->exists && t->s->busy[line->row]) finish_line(t, p, y);
    }
    rv_odd_finish(t, y);
}

// ---- Depths -------------------------------------------------------------------------------------

static float pace_of(const rv_band *t, int plane, int y)
{
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    float most = 0.0f;
    for (rv_run run = rv_first_run(s, line->row); run.count; run = rv_next_run(s, line->row, run))
        most = rv_f_max(
            s->loops.flow->pace[s->tense](&s->law, line->array[RV_DEPTH] + run.x,
                                          rv_tension_even(s, line->first + (size_t)run.x),
                                          line->array[RV_SPEED + RV_WAY_X] + run.x,
                                          place(t, plane, y - 1, RV_SPEED + RV_WAY_Y, run.x),
                                          line->array[RV_SPEED + RV_WAY_Y] + run.x, run.count),
            most);
    return most;
}

static void level_line(rv_band *t, int plane, int y)
{
    rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y);
    uint32_t r = line->row;
    rv_level_result found = {0};
    rv_odd_depths(t, line, plane, y);
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run))
        rv_pipes_merge(&found,
                       s->loops.rows->level[s->eight](&s->law, line->array[RV_DEPTH] + run.x,
                                                      eight_at(t, plane, y, run.x), run.count,
                                                      1 << s->strip_shift),
                       run.x >> s->strip_shift);
    found.wet = rv_busy_blocks(s, found.wet);
    rv_odd_depths_set(t, line, &found);
    rv_pipes_note_row(s, r, found);
    if (s->flow) s->row_pace[r] = pace_of(t, plane, y);
}

void rv_pass_levels(rv_band *t, int y)
{
    for (int p = 0; p < t->planes; p++) {
        const rv_line *line = rv_band_line(t, p, y);
        if (line->exists && t->s->busy[line->row]) level_line(t, p, y);
    }
}
