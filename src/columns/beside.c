// Regular pipes of columns that have odd ones, where momentum is carried: what flows past them may
// come through the odd pipes, so they are worked out again, to first order. They are few and lie
// anywhere, so what they need is gathered from a row of the grid, in all planes, and goes through
// the same loops as rows do.
#include "columns/seams.h"

#include <limits.h>

// Rows y - 1 … y + 2 of a plane: flow as it was before the substep, and depths.
typedef struct rows {
    const float *u[4], *v[4], *flux_x[4], *flux_y[4], *depth[4];
    uint32_t first, pitch; // slot of row y, and slots to the next one
    uint64_t awake;        // blocks of row y
    float *speed[2], *flux[2];
} rows;

static rows rows_at(const rv_band *t, int plane, int y)
{
    const rv_line *line = rv_band_line(t, plane, y);
    rows r = {.first = (uint32_t)line->first,
              .pitch = (uint32_t)t->s->columns->plane[plane].pitch,
              .awake = t->s->awake[line->row],
              .speed = {line->array[RV_SPEED], line->array[RV_SPEED + 1]},
              .flux = {line->array[RV_FLUX], line->array[RV_FLUX + 1]}};
    for (int k = 0; k < 4; k++) {
        int at = y - 1 + k;
        r.u[k] = rv_band_speed(t, plane, at, RV_WAY_X);
        r.v[k] = rv_band_speed(t, plane, at, RV_WAY_Y);
        r.flux_x[k] = rv_band_flux(t, plane, at, RV_WAY_X);
        r.flux_y[k] = rv_band_flux(t, plane, at, RV_WAY_Y);
        r.depth[k] = rv_band_line(t, plane, at)->array[RV_DEPTH];
    }
    return r;
}

// ---- Gathering ----------------------------------------------------------------------------------

// A column at an end of pipe k, `end` 0 or 1, in row `row` of r.
static void gather_end(const rv_engine *s, const rows *r, rv_seam_batch *out, int k, int end,
                       uint32_t slot, int row, int x)
{
    out->base[end][k] = s->columns->base[slot], out->max[end][k] = s->columns->max[slot];
    out->depth[end][k] = r->depth[row][x];
    out->press[end][k] = rv_extra(s, slot);
    out->spread[end][k] = (r->u[row][x] - r->u[row][x - 1]) + (r->v[row][x] - r->v[row - 1][x]);
}

static float pressure_at(const rv_engine *s, uint32_t slot, float depth)
{
    return (s->columns->base[slot] + depth) + rv_extra(s, slot);
}

// Rise of depths, and of levels and heads between wet columns, across pipe k at one end: columns
// `step` slots before and after it.
static void gather_lean(const rv_engine *s, rv_seam_batch *out, int k, int end, uint32_t slot,
                        const float depth[3], uint32_t step)
{
    float own = pressure_at(s, slot, depth[1]), low = 0.0f, high = 0.0f;
    if (depth[0] > s->law.film) low = pressure_at(s, slot - step, depth[0]) - own;
    if (depth[2] > s->law.film) high = pressure_at(s, slot + step, depth[2]) - own;
    out->lean[end][k] = depth[2] - depth[0], out->pull[end][k] = high - low;
}

// What flows past pipe k along it, from its own flow and that through the sides before and after.
static void gather_along(rv_seam_batch *out, int k, rv_side_flow low, rv_side_flow own,
                         rv_side_flow high)
{
    rv_pass_by(low.flux + own.flux, low.speed, own.speed, &out->q_low[k], &out->low[k]);
    rv_pass_by(own.flux + high.flux, own.speed, high.speed, &out->q_high[k], &out->high[k]);
    out->u[k] = own.speed;
}

static void gather_x(const rv_engine *s, const rows *r, rv_seam_batch *out, int k, int x)
{
    uint32_t a = r->first + (uint32_t)x, b = a + 1;
    gather_end(s, r, out, k, 0, a, 1, x);
    gather_end(s, r, out, k, 1, b, 1, x + 1);
    out->behind[0][k] = r->depth[1][x - 1], out->behind[1][k] = r->depth[1][x + 2];
    for (int end = 0; end < 2; end++) {
        const float depth[3] = {r->depth[0][x + end], r->depth[1][x + end], r->depth[2][x + end]};
        gather_lean(s, out, k, end, end ? b : a, depth, r->pitch);
    }
    const float *u = r->u[1], *f = r->flux_x[1], *low = r->flux_y[0], *high = r->flux_y[1];
    gather_along(out, k, rv_side_sum(s, a, RV_WEST, (rv_side_flow){f[x - 1], u[x - 1]}),
                 (rv_side_flow){f[x], u[x]},
                 rv_side_sum(s, b, RV_EAST, (rv_side_flow){f[x + 1], u[x + 1]}));
    float in = rv_side_flux(s, a, RV_SOUTH, low[x]) + rv_side_flux(s, b, RV_SOUTH, low[x + 1]);
    float away = rv_side_flux(s, a, RV_NORTH, high[x]) + rv_side_flux(s, b, RV_NORTH, high[x + 1]);
    rv_pass_by(in, r->u[0][x], u[x], &out->q_south[k], &out->south[k]);
    rv_pass_by(away, u[x], r->u[2][x], &out->q_north[k], &out->north[k]);
}

static void gather_y(const rv_engine *s, const rows *r, rv_seam_batch *out, int k, int x)
{
    uint32_t a = r->first + (uint32_t)x, b = a + r->pitch;
    gather_end(s, r, out, k, 0, a, 1, x);
    gather_end(s, r, out, k, 1, b, 2, x);
    out->behind[0][k] = r->depth[0][x], out->behind[1][k] = r->depth[3][x];
    for (int end = 0; end < 2; end++)
        gather_lean(s, out, k, end, end ? b : a, r->depth[1 + end] + x - 1, 1);
    const float *v = r->v[1], *here = r->flux_x[1], *next = r->flux_x[2];
    gather_along(out, k, rv_side_sum(s, a, RV_SOUTH, (rv_side_flow){r->flux_y[0][x], r->v[0][x]}),
                 (rv_side_flow){r->flux_y[1][x], v[x]},
                 rv_side_sum(s, b, RV_NORTH, (rv_side_flow){r->flux_y[2][x], r->v[2][x]}));
    float in = rv_side_flux(s, a, RV_WEST, here[x - 1]) + rv_side_flux(s, b, RV_WEST, next[x - 1]);
    float away = rv_side_flux(s, a, RV_EAST, here[x]) + rv_side_flux(s, b, RV_EAST, next[x]);
    rv_pass_by(in, v[x - 1], v[x], &out->q_south[k], &out->south[k]);
    rv_pass_by(away, v[x], v[x + 1], &out->q_north[k], &out->north[k]);
}

// ---- Working out --------------------------------------------------------------------------------

static rv_ends ends_of(const rv_seam_batch *b, int end)
{
    return (rv_ends){b->base[end],  b->max[end],    b->depth[end], b->behind[end],
                     b->press[end], b->spread[end], b->lean[end],  b->pull[end]};
}

static void work_out(const rv_engine *s, rv_seam_batch *b, rv_way way)
{
    if (b->count == 0) return;
    rv_past past = {b->q_low, b->q_high, b->q_south, b->q_north,
                    b->low,   b->high,   b->south,   b->north};
    s->loops.flow->carry(&s->law, past, b->u, b->carried, b->comes, b->count);
    rv_run_pipes pipes = {.slope = b->slope,
                          .rise = b->rise,
                          .slant = s->law.slant[way],
                          .u = b->u,
                          .carried = b->carried,
                          .comes = b->comes};
    rv_flow_kind kind = s->tense ? RV_FLOW_TENSE_HARD : RV_FLOW_HARD;
    s->loops.flow->through[kind][0](&s->law, ends_of(b, 0), ends_of(b, 1), pipes, b->speed, b->flux,
                                    b->count);
    for (int k = 0; k < b->count; k++) *b->speed_at[k] = b->speed[k], *b->flux_at[k] = b->flux[k];
    b->count = 0;
}

void rv_seams_finish(rv_band *t)
{
    work_out(t->s, &t->batch[RV_WAY_X], RV_WAY_X);
    work_out(t->s, &t->batch[RV_WAY_Y], RV_WAY_Y);
}

static void add_pipe(rv_band *t, const rows *r, rv_way way, int x)
{
    const rv_engine *s = t->s;
    rv_seam_batch *b = &t->batch[way];
    uint32_t slot = r->first + (uint32_t)x;
    if (x < 0 || !s->slope[way][slot]) return;
    if (!(r->awake >> (x >> s->block_shift) & 1)) return; // what sleeps has zeros without a sign
    if (b->count == RV_SEAM_BATCH) work_out(s, b, way);
    int k = b->count++;
    b->slope[k] = s->slope[way][slot], b->rise[k] = s->rise[way][slot];
    b->speed_at[k] = r->speed[way] + x, b->flux_at[k] = r->flux[way] + x;
    if (way == RV_WAY_X)
        gather_x(s, r, b, k, x);
    else
        gather_y(s, r, b, k, x);
}

// ---- Which pipes --------------------------------------------------------------------------------

// The next column of a row whose odd pipes had a flow, from odd column k on; INT_MAX: no more.
static int next_live(const rv_engine *s, const rv_pipe_row *row, uint32_t *k)
{
    uint32_t end = row->odd_first + row->odd_count;
    *k = rv_next_live(s->bands->was_live, *k, end);
    return *k < end ? (int)(s->odd_column[*k].slot - row->first) : INT_MAX;
}

// The pipes of row y at such columns of rows y and y + 1, from low x to high, each once.
void rv_seam_fluxes(rv_band *t, int plane, int y)
{
    const rv_engine *s = t->s;
    const rv_line *line = rv_band_line(t, plane, y), *above = rv_band_line(t, plane, y + 1);
    const rv_pipe_row none = {0}, *low = &s->row[line->row];
    const rv_pipe_row *high = above->exists ? &s->row[above->row] : &none;
    uint32_t i = low->odd_first, j = high->odd_first;
    int x = next_live(s, low, &i), x_above = next_live(s, high, &j), last = -1;
    if (x == INT_MAX && x_above == INT_MAX) return;
    rows r = rows_at(t, plane, y);
    while (x != INT_MAX || x_above != INT_MAX) {
        int at = x < x_above ? x : x_above;
        add_pipe(t, &r, RV_WAY_Y, at);
        if (x == at) {
            if (last != at - 1) add_pipe(t, &r, RV_WAY_X, at - 1);
            add_pipe(t, &r, RV_WAY_X, at);
            last = at, i++, x = next_live(s, low, &i);
        }
        if (x_above == at) j++, x_above = next_live(s, high, &j);
    }
}
