// The loops of rows.h. This file is compiled once per instruction set with RV_ISA set to its name; contraction
// to fused multiply-add is off everywhere, so that all of them give the same bits. A row's run is rounded up
// to whole vectors: the slots past a row's end belong to it, have no pipe and stay empty (terrain/columns.h).
#define RV_SIMD
#include "solvers/pipes/rows.h"

#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

RV_INLINE rv_pipe_end end_at(rv_row row, int x, int plain)
{
    rv_pipe_end end = {rv_f_load(row.base + x), rv_f_load(row.depth + x), rv_f_set(0.0f)};
    end.head = end.base + end.depth;
    if (!plain) end.head = rv_f_load(row.head + x);
    return end;
}

RV_INLINE rv_f opening_at(rv_row a, rv_row b, int x, int plain)
{
    if (plain) return rv_f_set(3e38f);
    return rv_f_min(rv_f_load(a.max + x), rv_f_load(b.max + x)) -
           rv_f_max(rv_f_load(a.base + x), rv_f_load(b.base + x));
}

RV_INLINE void one_flux(const rv_pipe_law *law, rv_row row_a, rv_row row_b, rv_pipe_end a, int x,
                        const uint16_t *slope, float *flux, int cell, int plain)
{
    rv_f c = rv_f_load_u16(slope + x) * rv_f_set(1.0f / RV_SLOPE_ONE);
    rv_pipe_end b = end_at(row_b, x, plain);
    rv_f old = rv_f_load(flux + x);
    if (cell)
        rv_f_store(flux + x, rv_pipe_flux_cell(law, a, b, c, old));
    else
        rv_f_store(flux + x,
                   rv_pipe_flux_wet(law, a, b, opening_at(row_a, row_b, x, plain), c, old));
}

RV_INLINE void flux_loop(const rv_pipe_law *law_in, rv_row here, rv_row east, rv_row north,
                         const uint16_t *slope_x, const uint16_t *slope_y, float *flux_x,
                         float *flux_y, int count, int cell, int plain)
{
    const rv_pipe_law law = *law_in; // a copy, so that stores to the fluxes cannot change it
    for (int x = 0; x < count; x += RV_LANES) {
        rv_pipe_end a = end_at(here, x, plain);
        one_flux(&law, here, east, a, x, slope_x, flux_x, cell, plain);
        one_flux(&law, here, north, a, x, slope_y, flux_y, cell, plain);
    }
}

#define FLUX_ROW(name, cell, plain)                                                                  \
    static void name(const rv_pipe_law *law, rv_row here, rv_row east, rv_row north,                 \
                     const uint16_t *slope_x, const uint16_t *slope_y, float *flux_x, float *flux_y, \
                     int count)                                                                      \
    {                                                                                                \
        flux_loop(law, here, east, north, slope_x, slope_y, flux_x, flux_y, count, cell, plain);     \
    }
FLUX_ROW(flux_wet_plain, 0, 1)
FLUX_ROW(flux_wet, 0, 0)
FLUX_ROW(flux_cell_plain, 1, 1)
FLUX_ROW(flux_cell, 1, 0)

static void scale_plain(const rv_pipe_law *law, const float *depth, const float *flux_x,
                        const float *low_y, const float *high_y, float *out_scale, int count)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f out = rv_outflow(rv_f_load(flux_x + x - 1), rv_f_load(flux_x + x), rv_f_load(low_y + x),
                              rv_f_load(high_y + x));
        rv_f_store(out_scale + x, rv_out_scale(rv_f_load(depth + x), dt_area * out));
    }
}

static void scale(const rv_pipe_law *law, rv_row row, const float *flux_x, const float *low_y,
                  const float *high_y, float *out_scale, float *in_scale, int count)
{
    rv_f dt_area = rv_f_set(law->dt_area);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f west = rv_f_load(flux_x + x - 1), east = rv_f_load(flux_x + x);
        rv_f south = rv_f_load(low_y + x), north = rv_f_load(high_y + x);
        rv_f depth = rv_f_load(row.depth + x);
        rv_f cap = rv_f_load(row.max + x) - rv_f_load(row.base + x);
        rv_f out = dt_area * rv_outflow(west, east, south, north);
        rv_f in = dt_area * rv_inflow(west, east, south, north);
        rv_f_store(out_scale + x, rv_out_scale(depth, out));
        rv_f_store(in_scale + x, rv_in_scale(depth, cap, in));
    }
}

static void finish_plain(float *flux, const float *out_a, const float *out_b, int count)
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

RV_INLINE int32_t bits_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void level(const rv_pipe_law *law, float *restrict depth, const float *restrict flux_x,
                  const float *restrict low_y, const float *restrict high_y, int count, int block,
                  int32_t *restrict most)
{
    float dt_area = law->dt_area;
    uint32_t salt = law->salt;
    for (int first = 0; first < count; first += block) {
        int end = count - first < block ? count : first + block;
        int32_t greatest_bits = 0;
        for (int x = first; x < end; x++) {
            float gain = (flux_x[x - 1] - flux_x[x]) + (low_y[x] - high_y[x]);
            float d = rv_depth_after(depth[x], dt_area * gain, salt);
            depth[x] = d;
            int32_t bits = bits_of(d);
            greatest_bits = bits > greatest_bits ? bits : greatest_bits;
        }
        *most++ = greatest_bits;
    }
}

static void head(const float *restrict base, const float *restrict depth, float *restrict out, int count)
{
    for (int x = 0; x < count; x++) out[x] = base[x] + depth[x];
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

static int any_cut(const float *scales, int count)
{
    int any = 0;
    for (int x = 0; x < count; x++) any |= scales[x] < 1.0f;
    return any;
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
    .flux_wet_plain = flux_wet_plain,
    .flux_wet = flux_wet,
    .flux_cell_plain = flux_cell_plain,
    .flux_cell = flux_cell,
    .scale_plain = scale_plain,
    .scale = scale,
    .finish_plain = finish_plain,
    .finish = finish,
    .level = level,
    .head = head,
    .greatest = greatest,
    .any_cut = any_cut,
    .any_full = any_full,
};
