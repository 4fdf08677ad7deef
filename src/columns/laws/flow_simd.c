// Law `flow` over runs of pipes, see loops.h. This file is compiled once per instruction set with
// RV_ISA set to its name; contraction to fused multiply-add is off everywhere, so that all of them
// give the same bits.
#define RV_SIMD
#include "columns/laws/flow.h"
#include "columns/laws/loops.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

// A run is worked on in pieces that stay in the nearest cache.
#define PIECE 128

static void between(const rv_law *law_in, const float *u, const float *q_a, const float *q_b,
                    float *flux, float *product, int count)
{
    const rv_law law = *law_in;                           // a copy, so that stores cannot change it
    _Alignas(64) float slope[PIECE + 2 * RV_LANES] = {0}; // from one pipe before the piece on
    for (int first = 0; first < count; first += PIECE) {
        int n = count - first < PIECE ? count - first : PIECE;
        const float *w = u + first, *a = q_a + first, *b = q_b + first;
        int x = -1;
        for (; x < n; x += RV_LANES)
            rv_f_store(slope + (x + 1), rv_flow_slope(&law, rv_f_load(w + x - 1), rv_f_load(w + x),
                                                      rv_f_load(w + x + 1)));
        rv_f_store(slope + (x + 1), rv_f_set(0.0f)); // past a row's end nothing moves
        for (x = 0; x < n; x += RV_LANES) {
            rv_f q = rv_f_load(a + x) + rv_f_load(b + x);
            rv_f from_low = rv_f_load(w + x - 1) + rv_f_load(slope + x);
            rv_f from_own = rv_f_load(w + x) - rv_f_load(slope + x + 1);
            rv_f_store(flux + first + x, q);
            rv_f_store(product + first + x,
                       q * rv_f_pick(rv_f_above(q, rv_f_set(0.0f)), from_low, from_own));
        }
    }
}

static void between_rows(const rv_law *law_in, const float *low, const float *own,
                         const float *high, const float *q_a, const float *q_b, float *ahead,
                         float *flux, float *product, int count)
{
    const rv_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f w = rv_f_load(own + x), q = rv_f_load(q_a + x) + rv_f_load(q_b + x);
        rv_f slope = rv_flow_slope(&law, rv_f_load(low + x), w, rv_f_load(high + x));
        rv_f u = rv_f_pick(rv_f_above(q, rv_f_set(0.0f)), rv_f_load(ahead + x), w - slope);
        rv_f_store(flux + x, q);
        rv_f_store(product + x, q * u);
        rv_f_store(ahead + x, w + slope);
    }
}

static void ahead(const rv_law *law_in, const float *low, const float *own, const float *high,
                  float *ahead, int count)
{
    const rv_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f w = rv_f_load(own + x);
        rv_f_store(ahead + x, w + rv_flow_slope(&law, rv_f_load(low + x), w, rv_f_load(high + x)));
    }
}

static void carry(const rv_law *law_in, rv_past past, const float *u, float *carried, float *comes,
                  int count)
{
    const rv_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_flow_past p = {rv_f_load(past.q_low + x),   rv_f_load(past.q_high + x),
                          rv_f_load(past.q_south + x), rv_f_load(past.q_north + x),
                          rv_f_load(past.low + x),     rv_f_load(past.high + x),
                          rv_f_load(past.south + x),   rv_f_load(past.north + x)};
        rv_f_store(carried + x, rv_flow_carried(&law, p, rv_f_load(u + x)));
        rv_f_store(comes + x, rv_flow_comes(&law, p));
    }
}

static void around(const float *u, const float *low_v, const float *high_v, const float *depth,
                   const float *south, const float *north, float *spread, float *lean_x,
                   float *lean_y, int count)
{
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f along = rv_f_load(u + x) - rv_f_load(u + x - 1);
        rv_f_store(spread + x, along + (rv_f_load(high_v + x) - rv_f_load(low_v + x)));
        rv_f_store(lean_x + x, rv_f_load(depth + x + 1) - rv_f_load(depth + x - 1));
        rv_f_store(lean_y + x, rv_f_load(north + x) - rv_f_load(south + x));
    }
}

RV_INLINE rv_f pressure_at(rv_pull_row row, int x)
{
    return (rv_f_load(row.base + x) + rv_f_load(row.depth + x)) + rv_f_load(row.head + x);
}

// From `own` to the column at x, where that is more than a film.
RV_INLINE rv_f rise_to(const rv_law *law, rv_pull_row row, int x, rv_f own)
{
    rv_mask wet = rv_f_above(rv_f_load(row.depth + x), rv_f_set(law->film));
    return rv_f_pick(wet, pressure_at(row, x) - own, rv_f_set(0.0f));
}

static void pulls(const rv_law *law_in, rv_pull_row own, rv_pull_row behind, rv_pull_row ahead,
                  float *pull_x, float *pull_y, int count)
{
    const rv_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f here = pressure_at(own, x);
        rv_f_store(pull_x + x, rise_to(&law, own, x + 1, here) - rise_to(&law, own, x - 1, here));
        rv_f_store(pull_y + x, rise_to(&law, ahead, x, here) - rise_to(&law, behind, x, here));
    }
}

// Each piece is worked on in three loops (see rv_flow_through): with few instructions from one
// column to the next the processor has several columns under way at once.
typedef struct piece {
    _Alignas(64) float pushed[PIECE], both[PIECE], depth[PIECE];
    uint8_t wet[PIECE / RV_LANES]; // of each vector: some of its pipes have liquid at an end
    int dry;                       // some pipes have none at both
} piece;

RV_INLINE rv_f opening_at(rv_ends a, rv_ends b, int x)
{
    return rv_f_min(rv_f_load(a.max + x), rv_f_load(b.max + x)) -
           rv_f_max(rv_f_load(a.base + x), rv_f_load(b.base + x));
}

RV_INLINE void push_piece(const rv_law *law_in, rv_ends a, rv_ends b, rv_run_pipes pipes, int first,
                          int count, piece *out, rv_flow_ease ease, int carries)
{
    const rv_law law = *law_in;
    rv_f least = rv_f_set(3e38f);
    for (int k = 0; k < count; k += RV_LANES) {
        int x = first + k;
        rv_flow_end low = {.base = rv_f_load(a.base + x), .depth = rv_f_load(a.depth + x)};
        rv_flow_end high = {.base = rv_f_load(b.base + x), .depth = rv_f_load(b.depth + x)};
        least = rv_f_min(rv_f_max(low.depth, high.depth), least);
        rv_flow_pipe p = {.slope = rv_f_load_u16(pipes.slope + x),
                          .u = rv_f_load(pipes.u + x),
                          .carried = rv_f_set(0.0f),
                          .both = rv_f_max(low.depth + high.depth, rv_f_set(law.film))};
        if (carries) {
            p.carried = rv_f_load(pipes.carried + x);
            p.both = rv_f_max(p.both, rv_f_load(pipes.comes + x));
        }
        if (ease.tilted) {
            p.rise = rv_f_load_s16(pipes.rise + x);
            p.side = rv_f_load(a.lean + x) + rv_f_load(b.lean + x);
            if (ease.tense) p.pull = rv_f_load(a.pull + x) + rv_f_load(b.pull + x);
        }
        if (ease.tense || ease.hard) low.press = high.press = rv_f_set(0.0f);
        if (ease.tense || (ease.hard && a.press))
            low.press = rv_f_load(a.press + x), high.press = rv_f_load(b.press + x);
        if (ease.hard) {
            p.slant = rv_f_set(pipes.slant);
        }
        if (ease.hard == 1) {
            p.share = rv_f_set(law.share);
            if (pipes.gaps)
                p.share = p.share + rv_f_load_u16(pipes.gaps + x) * rv_f_set(law.share_gap);
        }
        rv_f_store(out->pushed + k, rv_flow_pushed(&law, low, high, p, ease));
        rv_f_store(out->both + k, p.both);
    }
    out->dry = rv_any(rv_f_above(rv_f_set(law.film), least));
}

RV_INLINE rv_flow_end end_at(rv_ends e, int x)
{
    return (rv_flow_end){.base = rv_f_load(e.base + x),
                         .depth = rv_f_load(e.depth + x),
                         .behind = rv_f_load(e.behind + x),
                         .spread = rv_f_load(e.spread + x)};
}

RV_INLINE void depth_piece(const rv_law *law_in, rv_ends a, rv_ends b, rv_run_pipes pipes,
                           int first, int count, piece *out, rv_flow_ease ease, int dry)
{
    const rv_law law = *law_in;
    for (int k = 0; k < count; k += RV_LANES) {
        int x = first + k;
        if (dry) {
            rv_f deeper = rv_f_max(rv_f_load(a.depth + x), rv_f_load(b.depth + x));
            int wet = rv_any(rv_f_above(deeper, rv_f_set(law.film)));
            out->wet[k / RV_LANES] = (uint8_t)wet;
            if (!wet) continue;
        }
        rv_flow_pipe p = {.u = rv_f_load(pipes.u + x)};
        if (ease.hard) p.opening = opening_at(a, b, x);
        rv_mask from_a = rv_f_above(rv_f_load(out->pushed + k), rv_f_set(0.0f));
        rv_f_store(out->depth + k,
                   rv_flow_depth(&law, end_at(a, x), end_at(b, x), from_a, p, ease));
    }
}

RV_INLINE void drag_piece(const rv_law *law_in, rv_run_pipes pipes, int first, int count,
                          const piece *in, float *speed, float *flux, rv_flow_ease ease, int dry)
{
    const rv_law law = *law_in;
    for (int k = 0; k < count; k += RV_LANES) {
        int x = first + k;
        if (dry && !in->wet[k / RV_LANES]) {
            rv_f u = rv_flow_dry(&law, rv_f_load(in->pushed + k));
            rv_f_store(speed + x, u);
            rv_f_store(flux + x, u * rv_f_set(0.0f));
            continue;
        }
        rv_flow_pipe p = {.slope = rv_f_load_u16(pipes.slope + x), .both = rv_f_load(in->both + k)};
        if (ease.timed) p.low = rv_f_load(pipes.low + x), p.high = rv_f_load(pipes.high + x);
        rv_flow f =
            rv_flow_dragged(&law, rv_f_load(in->pushed + k), rv_f_load(in->depth + k), p, ease);
        rv_f_store(speed + x, f.speed);
        rv_f_store(flux + x, f.flux);
    }
}

RV_INLINE void through(const rv_law *law, rv_ends a, rv_ends b, rv_run_pipes pipes, float *speed,
                       float *flux, int count, rv_flow_ease ease)
{
    piece now;
    // all pipes get the whole push, which is only worth telling where there is most to do
    int whole = ease.hard && law->share == 1.0f && !pipes.gaps && !(law->quotient > 0.0f) &&
                law->deepest >= 1e30f;
    rv_flow_ease less = {ease.tilted, ease.hard ? 2 : 0, ease.tense, ease.timed};
    for (int first = 0; first < count; first += PIECE) {
        int n = count - first < PIECE ? count - first : PIECE;
        if (whole && pipes.carried)
            push_piece(law, a, b, pipes, first, n, &now, less, 1);
        else if (pipes.carried)
            push_piece(law, a, b, pipes, first, n, &now, ease, 1);
        else
            push_piece(law, a, b, pipes, first, n, &now, ease, 0);
        if (now.dry) {
            depth_piece(law, a, b, pipes, first, n, &now, ease, 1);
            drag_piece(law, pipes, first, n, &now, speed, flux, ease, 1);
        } else {
            depth_piece(law, a, b, pipes, first, n, &now, ease, 0);
            drag_piece(law, pipes, first, n, &now, speed, flux, ease, 0);
        }
    }
}

#define THROUGH(name, tilted, hard, tense, timed)                                                  \
    static void name(const rv_law *law, rv_ends a, rv_ends b, rv_run_pipes pipes, float *speed,    \
                     float *flux, int count)                                                       \
    {                                                                                              \
        through(law, a, b, pipes, speed, flux, count, (rv_flow_ease){tilted, hard, tense, timed}); \
    }
THROUGH(through_level, 0, 0, 0, 0)
THROUGH(through_level_timed, 0, 0, 0, 1)
THROUGH(through_tilted, 1, 0, 0, 0)
THROUGH(through_tilted_timed, 1, 0, 0, 1)
THROUGH(through_hard, 1, 1, 0, 0)
THROUGH(through_hard_timed, 1, 1, 0, 1)
THROUGH(through_tense, 1, 0, 1, 0)
THROUGH(through_tense_timed, 1, 0, 1, 1)
THROUGH(through_tense_hard, 1, 1, 1, 0)
THROUGH(through_tense_hard_timed, 1, 1, 1, 1)

RV_INLINE float pace(const rv_law *law_in, const float *depth, const float *even, const float *u,
                     const float *low_v, const float *high_v, int count, int tense)
{
    const rv_law law = *law_in;
    rv_f most = rv_f_set(0.0f);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f along = rv_f_max(rv_f_abs(rv_f_load(u + x - 1)), rv_f_abs(rv_f_load(u + x)));
        rv_f side = rv_f_max(rv_f_abs(rv_f_load(low_v + x)), rv_f_abs(rv_f_load(high_v + x)));
        rv_f own =
            tense ? rv_flow_pace_tense(&law, rv_f_load(depth + x), rv_f_load(even + x), along, side)
                  : rv_flow_pace(&law, rv_f_load(depth + x), along, side);
        most = rv_f_max(own, most);
    }
    float lane[RV_LANES], greatest = 0.0f;
    rv_f_store(lane, most);
    for (int k = 0; k < RV_LANES; k++) greatest = lane[k] > greatest ? lane[k] : greatest;
    return greatest;
}

static float pace_plain(const rv_law *law, const float *depth, const float *even, const float *u,
                        const float *low_v, const float *high_v, int count)
{
    return pace(law, depth, even, u, low_v, high_v, count, 0);
}

static float pace_tense(const rv_law *law, const float *depth, const float *even, const float *u,
                        const float *low_v, const float *high_v, int count)
{
    return pace(law, depth, even, u, low_v, high_v, count, 1);
}

const rv_flow_loops PASTE(rv_flow_loops_, RV_ISA);
const rv_flow_loops PASTE(rv_flow_loops_, RV_ISA) = {
    .between = between,
    .between_rows = between_rows,
    .ahead = ahead,
    .carry = carry,
    .around = around,
    .pulls = pulls,
    .through = {{through_level, through_level_timed},
                {through_tilted, through_tilted_timed},
                {through_hard, through_hard_timed},
                {through_tense, through_tense_timed},
                {through_tense_hard, through_tense_hard_timed}},
    .pace = {pace_plain, pace_tense},
};
