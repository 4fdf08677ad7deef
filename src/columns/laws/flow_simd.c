// Law `flow` over runs of pipes, see loops.h. This file is compiled once per instruction set with
// RV_ISA set to its name; contraction to fused multiply-add is off everywhere, so that all of them
// give the same bits.
#define RV_SIMD
#include "columns/laws/flow.h"
#include "columns/laws/loops.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

static void between(const rv_law *law_in, const float *low2, const float *low, const float *own,
                    const float *high, const float *q_a, const float *q_b, float *out, int count)
{
    const rv_law law = *law_in; // a copy, so that stores cannot change it
    for (int x = 0; x < count; x += RV_LANES)
        rv_f_store(out + x, rv_flow_between(&law, rv_f_load(low2 + x), rv_f_load(low + x),
                                            rv_f_load(own + x), rv_f_load(high + x),
                                            rv_f_load(q_a + x) + rv_f_load(q_b + x)));
}

// ---- Velocity -----------------------------------------------------------------------------------

RV_INLINE rv_flow_past past_at(rv_past p, int x)
{
    rv_f own = rv_f_load(p.q_own + x);
    return (rv_flow_past){
        .own = rv_f_load(p.own + x),
        .low = rv_f_load(p.low + x),
        .high = rv_f_load(p.high + x),
        .south = rv_f_load(p.south + x),
        .north = rv_f_load(p.north + x),
        .in = rv_f_load(p.q_low + x) + own,
        .out = own + rv_f_load(p.q_high + x),
        .in_side = rv_f_load(p.q_south[0] + x) + rv_f_load(p.q_south[1] + x),
        .out_side = rv_f_load(p.q_north[0] + x) + rv_f_load(p.q_north[1] + x),
    };
}

RV_INLINE void velocity(const rv_law *law_in, rv_ends a, rv_ends b, rv_past past, rv_across across,
                        const uint16_t *slope, const uint16_t *gaps, float slant, float *out,
                        int count, rv_flow_ease ease, int carries)
{
    const rv_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_flow_pipe p = {
            .base_a = rv_f_load(a.base + x),
            .base_b = rv_f_load(b.base + x),
            .depth_a = rv_f_load(a.depth + x),
            .depth_b = rv_f_load(b.depth + x),
            .slope = rv_f_load_u16(slope + x),
        };
        if (carries)
            p.u = rv_flow_carry(&law, past_at(past, x), p.depth_a + p.depth_b);
        else
            p.u = rv_f_load(past.own + x);
        if (ease.tilted) {
            p.rise = rv_f_load_s16(across.rise + x);
            p.side = (rv_f_load(across.north_a + x) + rv_f_load(across.north_b + x)) -
                     (rv_f_load(across.south_a + x) + rv_f_load(across.south_b + x));
        }
        if (ease.hard) {
            p.press_a = p.press_b = rv_f_set(0.0f), p.slant = rv_f_set(slant);
            if (a.press) p.press_a = rv_f_load(a.press + x), p.press_b = rv_f_load(b.press + x);
            p.opening =
                rv_f_min(rv_f_load(a.max + x), rv_f_load(b.max + x)) - rv_f_max(p.base_a, p.base_b);
            p.share = rv_f_set(law.share);
            if (gaps) p.share = p.share + rv_f_load_u16(gaps + x) * rv_f_set(law.share_gap);
        }
        rv_f_store(out + x, rv_flow_velocity(&law, p, ease));
    }
}

#define VELOCITY(name, tilted, hard)                                                               \
    static void name(const rv_law *law, rv_ends a, rv_ends b, rv_past past, rv_across across,      \
                     const uint16_t *slope, const uint16_t *gaps, float slant, float *out,         \
                     int count)                                                                    \
    {                                                                                              \
        if (past.low)                                                                              \
            velocity(law, a, b, past, across, slope, gaps, slant, out, count,                      \
                     (rv_flow_ease){tilted, hard}, 1);                                             \
        else                                                                                       \
            velocity(law, a, b, past, across, slope, gaps, slant, out, count,                      \
                     (rv_flow_ease){tilted, hard}, 0);                                             \
    }
VELOCITY(velocity_level, 0, 0)
VELOCITY(velocity_tilted, 1, 0)
VELOCITY(velocity_hard, 1, 1)

// ---- Flux ---------------------------------------------------------------------------------------

RV_INLINE void flux(const rv_law *law_in, rv_ends a, rv_ends b, const float *u, float *out,
                    int count, int hard, int full)
{
    const rv_law law = *law_in;
    rv_f zero = rv_f_set(0.0f);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_flow_end ends[2];
        rv_f opening = zero, low = zero, high = zero;
        for (int k = 0; k < 2; k++) {
            rv_ends e = k == 0 ? a : b;
            ends[k] = (rv_flow_end){rv_f_load(e.base + x), rv_f_load(e.depth + x),
                                    rv_f_load(e.behind + x), zero};
            if (full)
                ends[k].spread = (rv_f_load(e.high + x) - rv_f_load(e.low + x)) +
                                 (rv_f_load(e.high_side + x) - rv_f_load(e.low_side + x));
        }
        if (hard)
            opening = rv_f_min(rv_f_load(a.max + x), rv_f_load(b.max + x)) -
                      rv_f_max(ends[0].base, ends[1].base);
        if (full) low = rv_f_load(a.low + x), high = rv_f_load(b.high + x);
        rv_f_store(out + x, rv_flow_flux(&law, ends[0], ends[1], rv_f_load(u + x), opening, low,
                                         high, hard, full));
    }
}

#define FLUX(name, hard, full)                                                                     \
    static void name(const rv_law *law, rv_ends a, rv_ends b, const float *u, float *out,          \
                     int count)                                                                    \
    {                                                                                              \
        flux(law, a, b, u, out, count, hard, full);                                                \
    }
FLUX(flux_gentle, 0, 0)
FLUX(flux_gentle_full, 0, 1)
FLUX(flux_hard, 1, 0)
FLUX(flux_hard_full, 1, 1)

static float pace(const rv_law *law_in, const float *depth, const float *u, const float *low_v,
                  const float *high_v, int count)
{
    const rv_law law = *law_in;
    rv_f most = rv_f_set(0.0f);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f along = rv_f_max(rv_f_abs(rv_f_load(u + x - 1)), rv_f_abs(rv_f_load(u + x)));
        rv_f side = rv_f_max(rv_f_abs(rv_f_load(low_v + x)), rv_f_abs(rv_f_load(high_v + x)));
        most = rv_f_max(rv_flow_pace(&law, rv_f_load(depth + x), along, side), most);
    }
    float lane[RV_LANES], greatest = 0.0f;
    rv_f_store(lane, most);
    for (int k = 0; k < RV_LANES; k++) greatest = lane[k] > greatest ? lane[k] : greatest;
    return greatest;
}

const rv_flow_loops PASTE(rv_flow_loops_, RV_ISA);
const rv_flow_loops PASTE(rv_flow_loops_, RV_ISA) = {
    .between = between,
    .velocity = {velocity_level, velocity_tilted, velocity_hard},
    .flux = {{flux_gentle, flux_gentle_full}, {flux_hard, flux_hard_full}},
    .pace = pace,
};
