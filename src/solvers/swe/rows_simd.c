// The loops of rows.h. This file is compiled once per instruction set with RV_ISA set to its name;
// contraction to fused multiply-add is off everywhere, so that all of them give the same bits.
#define RV_SIMD
#include "solvers/swe/rows.h"

#include <stddef.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

// ---- Velocity -----------------------------------------------------------------------------------

RV_INLINE rv_swe_line line_at(rv_swe_around u, int x)
{
    return (rv_swe_line){rv_f_load(u.low2 + x), rv_f_load(u.low + x), rv_f_load(u.own + x),
                         rv_f_load(u.high + x), rv_f_load(u.high2 + x)};
}

RV_INLINE void velocity_any(const rv_swe_law *law_in, rv_swe_cells a, rv_swe_cells b,
                            rv_swe_around along, rv_swe_around across, rv_swe_ends ends,
                            const uint16_t *tilt, float *out, int count, int bare, int limited)
{
    const rv_swe_law law = *law_in; // a copy, so that stores cannot change it
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f own = rv_f_load(ends.own + x);
        rv_swe_face f = {
            .bed_a = rv_f_load(a.bed + x),
            .bed_b = rv_f_load(b.bed + x),
            .depth_a = rv_f_load(a.depth + x),
            .depth_b = rv_f_load(b.depth + x),
            .press = rv_f_set(0.0f),
            .tilt = bare || !tilt ? rv_f_set(0.0f) : rv_f_load_u16(tilt + x),
            .along = line_at(along, x),
            .across = line_at(across, x),
            .in = rv_f_load(ends.low + x) + own,
            .out = own + rv_f_load(ends.high + x),
            .in_side = rv_f_load(ends.in_a + x) + rv_f_load(ends.in_b + x),
            .out_side = rv_f_load(ends.out_a + x) + rv_f_load(ends.out_b + x),
        };
        if (a.press) f.press = rv_f_load(a.press + x) - rv_f_load(b.press + x);
        rv_f_store(out + x, rv_swe_velocity(&law, f, bare, tilt != NULL, limited));
    }
}

#define VELOCITY(name, bare, limited)                                                              \
    static void name(const rv_swe_law *law, rv_swe_cells a, rv_swe_cells b, rv_swe_around along,   \
                     rv_swe_around across, rv_swe_ends ends, const uint16_t *tilt, float *out,     \
                     int count)                                                                    \
    {                                                                                              \
        velocity_any(law, a, b, along, across, ends, tilt, out, count, bare, limited);             \
    }
VELOCITY(velocity_viscous, 0, 0)
VELOCITY(velocity_viscous_limited, 0, 1)
VELOCITY(velocity_bare, 1, 0)
VELOCITY(velocity_bare_limited, 1, 1)

// ---- Flux and its scaling -----------------------------------------------------------------------

RV_INLINE rv_swe_end end_at(rv_swe_sweep c, int x)
{
    rv_f along = rv_f_load(c.spread.high + x) - rv_f_load(c.spread.low + x);
    rv_f side = rv_f_load(c.spread.high_side + x) - rv_f_load(c.spread.low_side + x);
    return (rv_swe_end){rv_f_load(c.bed + x), rv_f_load(c.depth + x), rv_f_load(c.behind + x),
                        along + side};
}

static void flux(const rv_swe_law *law_in, rv_swe_sweep a, rv_swe_sweep b, const float *u,
                 float *flux_out, int count)
{
    const rv_swe_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES)
        rv_f_store(flux_out + x,
                   rv_swe_flux(&law, end_at(a, x), end_at(b, x), rv_f_load(a.spread.low + x),
                               rv_f_load(u + x), rv_f_load(b.spread.high + x)));
}

static int scale_out(const rv_swe_law *law, const float *depth, const float *flux_x,
                     const float *low_y, const float *high_y, float *out, int count)
{
    return rv_scale_out(law->dt_area, depth, flux_x, low_y, high_y, out, count);
}

static int scale(const rv_swe_law *law, const float *depth, const float *bed, float top,
                 const float *flux_x, const float *low_y, const float *high_y, float *out,
                 float *in, int count)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    int any = 0;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f west = rv_f_load(flux_x + x - 1), east = rv_f_load(flux_x + x);
        rv_f south = rv_f_load(low_y + x), north = rv_f_load(high_y + x);
        rv_f own = rv_f_load(depth + x), cap = rv_f_set(top) - rv_f_load(bed + x);
        rv_f leaves = dt_area * rv_outflow(west, east, south, north);
        rv_f enters = dt_area * rv_inflow(west, east, south, north);
        any |= rv_store_share(out + x, rv_to_give(own), leaves) ? RV_CUT_OUT : 0;
        any |= rv_store_share(in + x, rv_to_take(own, cap), enters) ? RV_CUT_IN : 0;
    }
    return any;
}

static void finish(float *flux_io, const float *out_a, const float *in_a, const float *out_b,
                   const float *in_b, int count)
{
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f f = rv_f_load(flux_io + x);
        rv_f forward = rv_f_min(rv_f_load(out_a + x), rv_f_load(in_b + x));
        rv_f backward = rv_f_min(rv_f_load(out_b + x), rv_f_load(in_a + x));
        rv_f_store(flux_io + x, f * rv_f_pick(rv_f_above(f, rv_f_set(0.0f)), forward, backward));
    }
}

// ---- Depths -------------------------------------------------------------------------------------

RV_INLINE float greatest(rv_f a)
{
    float lane[RV_LANES], most = 0.0f;
    rv_f_store(lane, a);
    for (int k = 0; k < RV_LANES; k++) most = lane[k] > most ? lane[k] : most;
    return most;
}

RV_INLINE rv_f pace_at(const rv_swe_law *law, rv_f depth, rv_swe_spread u, int x)
{
    rv_f along = rv_f_max(rv_f_abs(rv_f_load(u.low + x)), rv_f_abs(rv_f_load(u.high + x)));
    rv_f side = rv_f_max(rv_f_abs(rv_f_load(u.low_side + x)), rv_f_abs(rv_f_load(u.high_side + x)));
    return rv_swe_pace(law, depth, along, side);
}

// A running maximum would lose a NaN; the sum beside it does not.
RV_INLINE rv_swe_found level_any(const rv_swe_law *law_in, float *depth, const float *flux_x,
                                 const float *low_y, const float *high_y, rv_swe_spread u,
                                 int count, int change)
{
    const rv_swe_law law = *law_in;
    rv_f dt_area = rv_f_set(law.dt_area), film = rv_f_set(law.film);
    rv_f most = rv_f_set(0.0f), pace = most, sum = most;
    rv_swe_found found = {.first = 0, .end = 0};
    for (int first = 0; first < count; first += RV_SWE_BLOCK) {
        int any = 0;
        for (int x = first; x < first + RV_SWE_BLOCK; x += RV_LANES) {
            rv_f own = rv_f_load(depth + x);
            if (change) {
                rv_f gain = (rv_f_load(flux_x + x - 1) - rv_f_load(flux_x + x)) +
                            (rv_f_load(low_y + x) - rv_f_load(high_y + x));
                own = rv_depth_after(own, dt_area * gain, law.salt);
                rv_f_store(depth + x, own);
            }
            any |= rv_any(rv_f_above(own, film));
            most = rv_f_max(own, most), sum = sum + own;
            pace = rv_f_max(pace_at(&law, own, u, x), pace);
        }
        if (!any) continue;
        if (found.end == 0) found.first = first;
        found.end = first + RV_SWE_BLOCK;
    }
    float lane[RV_LANES], total = 0.0f;
    rv_f_store(lane, sum);
    for (int k = 0; k < RV_LANES; k++) total += lane[k];
    found.most = greatest(most), found.pace = greatest(pace);
    found.not_finite = !(total < 3e38f && found.pace < 3e38f);
    return found;
}

static rv_swe_found level(const rv_swe_law *law, float *depth, const float *flux_x,
                          const float *low_y, const float *high_y, rv_swe_spread u, int count)
{
    return level_any(law, depth, flux_x, low_y, high_y, u, count, 1);
}

static rv_swe_found survey(const rv_swe_law *law, float *depth, rv_swe_spread u, int count)
{
    return level_any(law, depth, depth, depth, depth, u, count, 0);
}

const rv_swe_rows PASTE(rv_swe_rows_, RV_ISA);
const rv_swe_rows PASTE(rv_swe_rows_, RV_ISA) = {
    .name = TEXT(RV_ISA),
    .velocity = {{velocity_viscous, velocity_viscous_limited},
                 {velocity_bare, velocity_bare_limited}},
    .flux = flux,
    .scale_out = scale_out,
    .scale = scale,
    .finish = finish,
    .level = level,
    .survey = survey,
};
