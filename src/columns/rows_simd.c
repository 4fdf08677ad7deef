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

// Sums of what leaves and enters a column.
RV_INLINE rv_f outflow(rv_eight f, int x, int eight)
{
    rv_f sum = rv_outflow(rv_f_load(f.x + x - 1), rv_f_load(f.x + x), rv_f_load(f.low_y + x),
                          rv_f_load(f.high_y + x));
    if (!eight) return sum;
    return sum + rv_outflow(rv_f_load(f.low_ne + x), rv_f_load(f.high_ne + x),
                            rv_f_load(f.low_nw + x), rv_f_load(f.high_nw + x));
}

RV_INLINE rv_f inflow(rv_eight f, int x, int eight)
{
    rv_f sum = rv_inflow(rv_f_load(f.x + x - 1), rv_f_load(f.x + x), rv_f_load(f.low_y + x),
                         rv_f_load(f.high_y + x));
    if (!eight) return sum;
    return sum + rv_inflow(rv_f_load(f.low_ne + x), rv_f_load(f.high_ne + x),
                           rv_f_load(f.low_nw + x), rv_f_load(f.high_nw + x));
}

RV_INLINE int scale_out_any(const rv_law *law, const float *depth, rv_eight flux, float *out_scale,
                            int count, int eight)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    int any = 0;
    for (int x = 0; x < count; x += RV_LANES)
        any |= rv_store_share(out_scale + x, rv_to_give(rv_f_load(depth + x)),
                              dt_area * outflow(flux, x, eight));
    return any ? RV_CUT_OUT : 0;
}

static int scale_out(const rv_law *law, const float *depth, rv_eight flux, float *out_scale,
                     int count)
{
    return scale_out_any(law, depth, flux, out_scale, count, 0);
}

static int scale_out_eight(const rv_law *law, const float *depth, rv_eight flux, float *out_scale,
                           int count)
{
    return scale_out_any(law, depth, flux, out_scale, count, 1);
}

RV_INLINE int scale_any(const rv_law *law, const float *depth, const float *base, const float *max,
                        rv_eight flux, float *out_scale, float *in_scale, int count, int eight)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    int any = 0;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f own = rv_f_load(depth + x), cap = rv_f_load(max + x) - rv_f_load(base + x);
        rv_f out = dt_area * outflow(flux, x, eight), in = dt_area * inflow(flux, x, eight);
        any |= rv_store_share(out_scale + x, rv_to_give(own), out) ? RV_CUT_OUT : 0;
        any |= rv_store_share(in_scale + x, rv_to_take(own, cap), in) ? RV_CUT_IN : 0;
    }
    return any;
}

static int scale(const rv_law *law, const float *depth, const float *base, const float *max,
                 rv_eight flux, float *out_scale, float *in_scale, int count)
{
    return scale_any(law, depth, base, max, flux, out_scale, in_scale, count, 0);
}

static int scale_eight(const rv_law *law, const float *depth, const float *base, const float *max,
                       rv_eight flux, float *out_scale, float *in_scale, int count)
{
    return scale_any(law, depth, base, max, flux, out_scale, in_scale, count, 1);
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

static void stop(float *speed, const float *in_a, const float *in_b, int count)
{
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f u = rv_f_load(speed + x);
        rv_mask forward = rv_f_above(u, rv_f_set(0.0f));
        rv_f_store(speed + x, u * rv_f_pick(forward, rv_f_load(in_b + x), rv_f_load(in_a + x)));
    }
}

// A running maximum would lose a NaN; the sum beside it does not.
RV_INLINE rv_level_result level_any(const rv_law *law, float *depth, rv_eight f, int count,
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

static rv_level_result level(const rv_law *law, float *depth, rv_eight flux, int count, int block)
{
    return level_any(law, depth, flux, count, block, 0);
}

static rv_level_result level_eight(const rv_law *law, float *depth, rv_eight flux, int count,
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

#define FAR 64 // columns that are looked at at once

static uint64_t holding(const float *depth, int count, int shift)
{
    rv_f zero = rv_f_set(0.0f);
    uint64_t found = 0;
    for (int first = 0; first < count; first += FAR) {
        int end = first + FAR < count ? first + FAR : count;
        rv_f all = zero;
        for (int x = first; x < end; x += RV_LANES) all = all + rv_f_abs(rv_f_load(depth + x));
        if (!rv_any(rv_f_above(all, zero))) continue; // most are dry
        for (int x = first; x < end; x += RV_LANES)
            if (rv_any(rv_f_above(rv_f_abs(rv_f_load(depth + x)), zero)))
                found |= 1ull << (x >> shift);
    }
    return found;
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

const rv_row_loops PASTE(rv_row_loops_, RV_ISA);
const rv_row_loops PASTE(rv_row_loops_, RV_ISA) = {
    .name = TEXT(RV_ISA),
    .lanes = RV_LANES,
    .scale_out = {scale_out, scale_out_eight},
    .scale = {scale, scale_eight},
    .finish_out = finish_out,
    .finish = finish,
    .stop = stop,
    .level = {level, level_eight},
    .see = see,
    .holding = holding,
    .greatest = greatest,
    .any_full = any_full,
};
