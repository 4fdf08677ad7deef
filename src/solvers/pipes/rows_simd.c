// The loops of rows.h. Written for the compiler to turn into vector code: no branches, no aliasing. This file
// is compiled once per instruction set with RV_ISA set to its name; contraction to fused multiply-add is off
// everywhere, so that all of them give the same bits.
#include "solvers/pipes/rows.h"

#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

RV_INLINE int32_t bits_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

RV_INLINE float one_flux(const rv_pipe_law *law, rv_row a, rv_row b, int x, uint16_t slope, float flux,
                         int cell, int plain)
{
    float c = (float)slope * (1.0f / RV_SLOPE_ONE);
    rv_pipe_end ea = {a.base[x], a.depth[x], 0.0f};
    rv_pipe_end eb = {b.base[x], b.depth[x], 0.0f};
    ea.head = plain ? ea.base + ea.depth : a.head[x];
    eb.head = plain ? eb.base + eb.depth : b.head[x];
    if (cell) return rv_pipe_flux_cell(law, ea, eb, c, flux);
    float opening = 3e38f;
    if (!plain) opening = rv_minf(a.max[x], b.max[x]) - rv_maxf(ea.base, eb.base);
    return rv_pipe_flux_wet(law, ea, eb, opening, c, flux);
}

RV_INLINE void flux_loop(const rv_pipe_law *law_in, rv_row here, rv_row east, rv_row north,
                         const uint16_t *restrict slope_x, const uint16_t *restrict slope_y,
                         float *restrict flux_x, float *restrict flux_y, int count, int cell, int plain)
{
    const rv_pipe_law law = *law_in; // a copy, so that stores to the fluxes cannot change it
    for (int x = 0; x < count; x++) {
        flux_x[x] = one_flux(&law, here, east, x, slope_x[x], flux_x[x], cell, plain);
        flux_y[x] = one_flux(&law, here, north, x, slope_y[x], flux_y[x], cell, plain);
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

static void scale_plain(const rv_pipe_law *law, const float *restrict depth,
                        const float *restrict flux_x, const float *restrict low_y,
                        const float *restrict high_y, float *restrict out_scale, int count)
{
    float dt_area = law->dt_area;
    for (int x = 0; x < count; x++) {
        float out = dt_area * rv_outflow(flux_x[x - 1], flux_x[x], low_y[x], high_y[x]);
        out_scale[x] = rv_out_scale(depth[x], out);
    }
}

static void scale(const rv_pipe_law *law, rv_row row, const float *restrict flux_x,
                  const float *restrict low_y, const float *restrict high_y, float *restrict out_scale,
                  float *restrict in_scale, int count)
{
    float dt_area = law->dt_area;
    for (int x = 0; x < count; x++) {
        float out = dt_area * rv_outflow(flux_x[x - 1], flux_x[x], low_y[x], high_y[x]);
        float in = dt_area * rv_inflow(flux_x[x - 1], flux_x[x], low_y[x], high_y[x]);
        out_scale[x] = rv_out_scale(row.depth[x], out);
        in_scale[x] = rv_in_scale(row.depth[x], row.max[x] - row.base[x], in);
    }
}

static void finish_plain(float *restrict flux, const float *out_a, const float *out_b, int count)
{
    for (int x = 0; x < count; x++) {
        float forward = out_a[x];
        float backward = out_b[x];
        flux[x] *= flux[x] > 0.0f ? forward : backward;
    }
}

static void finish(float *restrict flux, const float *out_a, const float *in_a, const float *out_b,
                   const float *in_b, int count)
{
    for (int x = 0; x < count; x++) {
        float forward = rv_minf(out_a[x], in_b[x]);
        float backward = rv_minf(out_b[x], in_a[x]);
        flux[x] *= flux[x] > 0.0f ? forward : backward;
    }
}

static void level(const rv_pipe_law *law, float *restrict depth, const float *restrict flux_x,
                  const float *restrict low_y, const float *restrict high_y, int count, int block,
                  int32_t *restrict most)
{
    float dt_area = law->dt_area;
    for (int first = 0; first < count; first += block) {
        int end = count - first < block ? count : first + block;
        int32_t greatest_bits = 0;
        for (int x = first; x < end; x++) {
            float gain = (flux_x[x - 1] - flux_x[x]) + (low_y[x] - high_y[x]);
            float d = depth[x] + dt_area * gain;
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
    .any_full = any_full,
};
