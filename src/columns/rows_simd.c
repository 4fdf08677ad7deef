// The loops of rows.h. This file is compiled once per instruction set with RV_ISA set to its name;
// contraction to fused multiply-add is off everywhere, so that all of them give the same bits. A
// row's run is rounded up to whole vectors: the slots past a row's end belong to it, have no pipe
// and stay empty (terrain/columns.h).
#define RV_SIMD
#include "columns/rows.h"

#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

RV_INLINE rv_pipe_end end_at(rv_row row, const float *behind, int x)
{
    rv_f base = rv_f_load(row.base + x), depth = rv_f_load(row.depth + x);
    return (rv_pipe_end){base, depth, base + depth, rv_f_load(behind + x), rv_f_set(0.0f)};
}

RV_INLINE void one_flux(const rv_pipe_law *law, rv_row row_a, rv_row row_b, const float *behind_a,
                        int x, const uint16_t *slope, float *flux, int cell, rv_pipe_ease ease)
{
    rv_pipe_end a = end_at(row_a, behind_a, x), b = end_at(row_b, row_b.behind, x);
    rv_pipe pipe = {rv_f_set(0.0f), rv_f_load_u16(slope + x), rv_f_set(1.0f), rv_f_load(flux + x)};
    if (cell) {
        rv_f_store(flux + x, rv_pipe_flux_cell(law, a, b, pipe, ease));
        return;
    }
    if (!ease.no_ceiling)
        pipe.opening =
            rv_f_min(rv_f_load(row_a.max + x), rv_f_load(row_b.max + x)) - rv_f_max(a.base, b.base);
    rv_f_store(flux + x, rv_pipe_flux_wet(law, a, b, pipe, ease));
}

#define FLUX_ROW(name, cell, no_ceiling, no_fall)                                                  \
    static void name(const rv_pipe_law *law_in, rv_row here, rv_row east, rv_row north,            \
                     const float *south, const uint16_t *slope_x, const uint16_t *slope_y,         \
                     float *flux_x, float *flux_y, int count)                                      \
    {                                                                                              \
        const rv_pipe_law law =                                                                    \
            *law_in; /* a copy, so that stores to the fluxes cannot change it */                   \
        const rv_pipe_ease ease = {no_ceiling, no_fall, 1};                                        \
        for (int x = 0; x < count; x += RV_LANES) {                                                \
            one_flux(&law, here, east, here.behind, x, slope_x, flux_x, cell, ease);               \
            one_flux(&law, here, north, south, x, slope_y, flux_y, cell, ease);                    \
        }                                                                                          \
    }
FLUX_ROW(flux_wet_gentle, 0, 1, 1)
FLUX_ROW(flux_wet_open, 0, 1, 0)
FLUX_ROW(flux_wet_any, 0, 0, 0)
FLUX_ROW(flux_cell, 1, 1, 1)

RV_INLINE void flux_tank(const rv_pipe_law *law_in, rv_row row_a, rv_row row_b,
                         const uint16_t *slope, const uint16_t *gaps, float *flux, int count,
                         int cell, rv_pipe_ease ease)
{
    const rv_pipe_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_pipe_end a = end_at(row_a, row_a.behind, x), b = end_at(row_b, row_b.behind, x);
        if (row_a.press) a.press = rv_f_load(row_a.press + x), b.press = rv_f_load(row_b.press + x);
        rv_f share = rv_f_set(law.share);
        if (gaps) share = share + rv_f_load_u16(gaps + x) * rv_f_set(law.share_gap);
        rv_pipe pipe = {rv_f_set(0.0f), rv_f_load_u16(slope + x), share, rv_f_load(flux + x)};
        if (cell) {
            rv_f_store(flux + x, rv_pipe_flux_cell(&law, a, b, pipe, ease));
            continue;
        }
        if (!ease.no_ceiling)
            pipe.opening = rv_f_min(rv_f_load(row_a.max + x), rv_f_load(row_b.max + x)) -
                           rv_f_max(a.base, b.base);
        rv_f_store(flux + x, rv_pipe_flux_wet(&law, a, b, pipe, ease));
    }
}

#define FLUX_TANK(name, cell, no_ceiling, no_fall)                                                 \
    static void name(const rv_pipe_law *law, rv_row a, rv_row b, const uint16_t *slope,            \
                     const uint16_t *gaps, float *flux, int count)                                 \
    {                                                                                              \
        flux_tank(law, a, b, slope, gaps, flux, count, cell,                                       \
                  (rv_pipe_ease){no_ceiling, no_fall, 0});                                         \
    }
FLUX_TANK(tank_wet_gentle, 0, 1, 1)
FLUX_TANK(tank_wet_open, 0, 1, 0)
FLUX_TANK(tank_wet_any, 0, 0, 0)
FLUX_TANK(tank_cell, 1, 1, 1)

static int scale_out(const rv_pipe_law *law, const float *depth, const float *flux_x,
                     const float *low_y, const float *high_y, float *out_scale, int count)
{
    return rv_scale_out(law->dt_area, depth, flux_x, low_y, high_y, out_scale, count);
}

static int scale(const rv_pipe_law *law, rv_row row, const float *flux_x, const float *low_y,
                 const float *high_y, float *out_scale, float *in_scale, int count)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    int any = 0;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f west = rv_f_load(flux_x + x - 1), east = rv_f_load(flux_x + x);
        rv_f south = rv_f_load(low_y + x), north = rv_f_load(high_y + x);
        rv_f depth = rv_f_load(row.depth + x);
        rv_f cap = rv_f_load(row.max + x) - rv_f_load(row.base + x);
        rv_f out = dt_area * rv_outflow(west, east, south, north);
        rv_f in = dt_area * rv_inflow(west, east, south, north);
        any |= rv_store_share(out_scale + x, rv_to_give(depth), out) ? RV_CUT_OUT : 0;
        any |= rv_store_share(in_scale + x, rv_to_take(depth, cap), in) ? RV_CUT_IN : 0;
    }
    return any;
}

RV_INLINE rv_f outflow_eight(rv_eight f, int x)
{
    return rv_outflow(rv_f_load(f.x + x - 1), rv_f_load(f.x + x), rv_f_load(f.low_y + x),
                      rv_f_load(f.high_y + x)) +
           rv_outflow(rv_f_load(f.low_ne + x), rv_f_load(f.high_ne + x), rv_f_load(f.low_nw + x),
                      rv_f_load(f.high_nw + x));
}

RV_INLINE rv_f inflow_eight(rv_eight f, int x)
{
    return rv_inflow(rv_f_load(f.x + x - 1), rv_f_load(f.x + x), rv_f_load(f.low_y + x),
                     rv_f_load(f.high_y + x)) +
           rv_inflow(rv_f_load(f.low_ne + x), rv_f_load(f.high_ne + x), rv_f_load(f.low_nw + x),
                     rv_f_load(f.high_nw + x));
}

static int scale_out_eight(const rv_pipe_law *law, const float *depth, rv_eight flux,
                           float *out_scale, int count)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    int any = 0;
    for (int x = 0; x < count; x += RV_LANES)
        any |= rv_store_share(out_scale + x, rv_to_give(rv_f_load(depth + x)),
                              dt_area * outflow_eight(flux, x));
    return any ? RV_CUT_OUT : 0;
}

static int scale_eight(const rv_pipe_law *law, rv_row row, rv_eight flux, float *out_scale,
                       float *in_scale, int count)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    int any = 0;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f depth = rv_f_load(row.depth + x);
        rv_f cap = rv_f_load(row.max + x) - rv_f_load(row.base + x);
        rv_f out = dt_area * outflow_eight(flux, x), in = dt_area * inflow_eight(flux, x);
        any |= rv_store_share(out_scale + x, rv_to_give(depth), out) ? RV_CUT_OUT : 0;
        any |= rv_store_share(in_scale + x, rv_to_take(depth, cap), in) ? RV_CUT_IN : 0;
    }
    return any;
}

static void finish_out(float *flux, const float *out_a, const float *out_b, int count)
{
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f f = rv_f_load(flux + x);
        rv_mask forward = rv_f_above(f, rv_f_set(0.0f));
        rv_f_store(flux + x, f * rv_f_pick(forward, rv_f_load(out_a + x), rv_f_load(out_b + x)));
    }
}

static void finish(float *flux, const float *out_a, const float *in_a, const float *out_b,
                   const float *in_b, int count)
{
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f f = rv_f_load(flux + x);
        rv_f forward = rv_f_min(rv_f_load(out_a + x), rv_f_load(in_b + x));
        rv_f backward = rv_f_min(rv_f_load(out_b + x), rv_f_load(in_a + x));
        rv_f_store(flux + x, f * rv_f_pick(rv_f_above(f, rv_f_set(0.0f)), forward, backward));
    }
}

// A running maximum would lose a NaN; the sum beside it does not.
RV_INLINE rv_level_result level_any(const rv_pipe_law *law, float *depth, rv_eight f, int count,
                                    int block, int eight)
{
    rv_f dt_area = rv_f_set(law->dt_area), film = rv_f_set(law->film);
    rv_f most = rv_f_set(0.0f), sum = most;
    uint32_t salt = law->salt;
    uint64_t wet = 0;
    for (int first = 0, k = 0; first < count; first += block, k++) {
        int end = count - first < block ? count : first + block, any = 0;
        for (int x = first; x < end; x += RV_LANES) {
            rv_f gain = (rv_f_load(f.x + x - 1) - rv_f_load(f.x + x)) +
                        (rv_f_load(f.low_y + x) - rv_f_load(f.high_y + x));
            if (eight)
                gain = gain + ((rv_f_load(f.low_ne + x) - rv_f_load(f.high_ne + x)) +
                               (rv_f_load(f.low_nw + x) - rv_f_load(f.high_nw + x)));
            rv_f d = rv_depth_after(rv_f_load(depth + x), dt_area * gain, salt);
            rv_f_store(depth + x, d);
            any |= rv_any(rv_f_above(d, film));
            most = rv_f_max(most, d);
            sum = sum + d;
        }
        if (any) wet |= 1ull << k;
    }
    float lanes[RV_LANES], greatest_lane = 0.0f, finite = 0.0f;
    rv_f_store(lanes, most);
    for (int i = 0; i < RV_LANES; i++)
        greatest_lane = lanes[i] > greatest_lane ? lanes[i] : greatest_lane;
    rv_f_store(lanes, sum);
    for (int i = 0; i < RV_LANES; i++) finite += lanes[i] - lanes[i];
    return (rv_level_result){wet, greatest_lane, !(finite == 0.0f)};
}

static rv_level_result level(const rv_pipe_law *law, float *depth, const float *flux_x,
                             const float *low_y, const float *high_y, int count, int block)
{
    rv_eight flux = {.x = flux_x, .low_y = low_y, .high_y = high_y};
    return level_any(law, depth, flux, count, block, 0);
}

static rv_level_result level_eight(const rv_pipe_law *law, float *depth, rv_eight flux, int count,
                                   int block)
{
    return level_any(law, depth, flux, count, block, 1);
}

// flux.low_ne starts one column to the west and low_nw one to the east, see rv_eight.
static void see(rv_eight flux, float *seen_x, float *seen_y, int count)
{
    rv_f half = rv_f_set(0.5f);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f ne = rv_f_load(flux.high_ne + x), nw = rv_f_load(flux.high_nw + x);
        rv_f east = rv_f_load(flux.high_nw + x + 1), west = rv_f_load(flux.high_ne + x - 1);
        rv_f low = rv_f_load(flux.low_ne + x + 1) - rv_f_load(flux.low_nw + x);
        rv_f_store(seen_x + x, rv_f_load(flux.x + x) + half * ((ne - east) + low));
        rv_f_store(seen_y + x, rv_f_load(flux.high_y + x) + half * ((ne + east) + (west + nw)));
    }
}

RV_INLINE int32_t bits_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int32_t greatest(const float *values, int count)
{
    int32_t most = 0;
    for (int x = 0; x < count; x++) {
        int32_t bits = bits_of(values[x]);
        most = bits > most ? bits : most;
    }
    return most;
}

static int any_full(const float *base, const float *max, const float *depth, float top, float share,
                    int count)
{
    int any = 0;
    for (int x = 0; x < count; x++) {
        float cap = max[x] - base[x];
        any |= (max[x] < top) & (depth[x] >= cap * share) & (cap > 0.0f);
    }
    return any;
}

const rv_pipes_rows PASTE(rv_pipes_rows_, RV_ISA);
const rv_pipes_rows PASTE(rv_pipes_rows_, RV_ISA) = {
    .name = TEXT(RV_ISA),
    .flux_wet = {flux_wet_gentle, flux_wet_open, flux_wet_any},
    .flux_cell = flux_cell,
    .tank_wet = {tank_wet_gentle, tank_wet_open, tank_wet_any},
    .tank_cell = tank_cell,
    .scale_out = scale_out,
    .scale = scale,
    .finish_out = finish_out,
    .finish = finish,
    .level = level,
    .scale_out_eight = scale_out_eight,
    .scale_eight = scale_eight,
    .level_eight = level_eight,
    .see = see,
    .greatest = greatest,
    .any_full = any_full,
};
