// Law `cell` over runs of pipes, see loops.h. This file is compiled once per instruction set with
// RV_ISA set to its name; contraction to fused multiply-add is off everywhere, so that all of them
// give the same bits.
#define RV_SIMD
#include "columns/laws/cell.h"
#include "columns/laws/loops.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

RV_INLINE rv_pipe_end end_at(rv_cell_ends e, int x)
{
    rv_f depth = rv_f_load(e.depth + x);
    return (rv_pipe_end){depth, rv_f_load(e.base + x) + depth, rv_f_set(0.0f)};
}

static void flux_plain(const rv_law *law_in, const rv_cell_ends *ends_a, const rv_cell_ends *ends_b,
                       const uint16_t *slope, const uint16_t *gaps, float slant, float *flux,
                       int count)
{
    const rv_law law = *law_in; // copies, so that stores to the fluxes cannot change them
    const rv_cell_ends a = *ends_a, b = *ends_b;
    (void)gaps, (void)slant;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_pipe pipe = {rv_f_load_u16(slope + x), rv_f_set(1.0f), rv_f_set(0.0f),
                        rv_f_load(flux + x)};
        rv_f_store(flux + x, rv_pipe_flux(&law, end_at(a, x), end_at(b, x), pipe, 1));
    }
}

static void flux_any(const rv_law *law_in, const rv_cell_ends *ends_a, const rv_cell_ends *ends_b,
                     const uint16_t *slope, const uint16_t *gaps, float slant, float *flux,
                     int count)
{
    const rv_law law = *law_in;
    const rv_cell_ends a = *ends_a, b = *ends_b;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_pipe_end low = end_at(a, x), high = end_at(b, x);
        if (a.press) low.press = rv_f_load(a.press + x), high.press = rv_f_load(b.press + x);
        rv_f share = rv_f_set(law.share);
        if (gaps) share = share + rv_f_load_u16(gaps + x) * rv_f_set(law.share_gap);
        rv_pipe pipe = {rv_f_load_u16(slope + x), share, rv_f_set(slant), rv_f_load(flux + x)};
        rv_f_store(flux + x, rv_pipe_flux(&law, low, high, pipe, 0));
    }
}

const rv_cell_loops PASTE(rv_cell_loops_, RV_ISA);
const rv_cell_loops PASTE(rv_cell_loops_, RV_ISA) = {.flux = {flux_any, flux_plain}};
