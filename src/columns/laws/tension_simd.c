// Heads of surface tension over runs of columns, see loops.h. Compiled once per instruction set
// with RV_ISA set to its name.
#define RV_SIMD
#include "columns/laws/flow.h"
#include "columns/laws/loops.h"
#include "columns/laws/tension.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

// Six columns around a face: low and high, and those left and right of them.
typedef struct six {
    rv_f low, high, low_left, high_left, low_right, high_right;
} six;

RV_INLINE six load_six(const float *at, int x, ptrdiff_t step, ptrdiff_t left)
{
    const float *p = at + x;
    return (six){rv_f_load(p),        rv_f_load(p + step),
                 rv_f_load(p + left), rv_f_load(p + step + left),
                 rv_f_load(p - left), rv_f_load(p + step - left)};
}

RV_INLINE six times(six a, six b)
{
    return (six){a.low * b.low,
                 a.high * b.high,
                 a.low_left * b.low_left,
                 a.high_left * b.high_left,
                 a.low_right * b.low_right,
                 a.high_right * b.high_right};
}

RV_INLINE rv_tension_slope slopes(const rv_tension_law *law, six v)
{
    return rv_tension_slopes(law, v.low, v.high, v.low_left, v.high_left, v.low_right,
                             v.high_right);
}

static void faces(const rv_tension_law *law_in, rv_tension_rows in, ptrdiff_t step, ptrdiff_t left,
                  rv_tension_faces out, int first, int count)
{
    const rv_tension_law law = *law_in;
    for (int x = first; x < count; x += RV_LANES) {
        six base = load_six(in.base, x, step, left), depth = load_six(in.depth, x, step, left);
        six thick = times(depth, load_six(in.lean, x, step, left));
        rv_tension_face f =
            rv_tension_through(slopes(&law, base), slopes(&law, depth), slopes(&law, thick));
        rv_f_store(out.bed + x, f.bed);
        rv_f_store(out.film + x, f.film);
        rv_f_store(out.level + x, f.level);
        rv_f_store(out.along + x, f.along);
    }
}

RV_INLINE rv_tension_face face_at(rv_tension_faces f, int x)
{
    return (rv_tension_face){rv_f_load(f.bed + x), rv_f_load(f.film + x), rv_f_load(f.level + x),
                             rv_f_load(f.along + x)};
}

static void heads(const rv_tension_law *law_in, rv_tension_rows in, rv_tension_faces along,
                  rv_tension_faces south, rv_tension_faces north, float *wetted, float *head,
                  int count)
{
    const rv_tension_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f lean = rv_f_load(in.lean + x), thick = rv_f_load(in.depth + x) * lean;
        rv_f full = rv_f_load(in.full + x);
        rv_f wet = rv_tension_wetted(thick, full, rv_f_load(wetted + x));
        rv_f_store(wetted + x, wet);
        rv_tension_face sum = rv_tension_sum(face_at(along, x - 1), face_at(along, x),
                                             face_at(south, x), face_at(north, x));
        rv_f deep = rv_tension_deep(&law, thick);
        rv_f cost = rv_f_pick(rv_f_above(wet, rv_f_set(0.0f)), rv_f_load(in.recede + x),
                              rv_f_load(in.advance + x));
        rv_f curve = rv_tension_curve(&law, sum, lean, deep);
        rv_f_store(head + x, rv_tension_head(&law, curve, thick, cost, full) -
                                 rv_tension_leans(rv_f_load(in.depth + x), sum.along, deep));
    }
}

// What a neighbour's head adds to a column's, by the share of both; nothing without a pipe.
RV_INLINE rv_f toward(rv_f own, rv_f other, rv_f share_own, rv_f share_other, rv_f slope)
{
    rv_f zero = rv_f_set(0.0f), share = rv_f_min(share_own, share_other);
    return rv_f_pick(rv_f_above(slope, zero), share * (other - own), zero);
}

static void calm(const rv_law *law_in, rv_calm_rows in, const float *from, float *to,
                 ptrdiff_t pitch, int pass, int count)
{
    const rv_law law = *law_in;
    const ptrdiff_t step[4] = {-1, 1, -pitch, pitch};
    const uint16_t *slope[4] = {in.slope_x - 1, in.slope_x, in.slope_y - pitch, in.slope_y};
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f own = rv_f_load(from + x), gain[4];
        rv_f share = rv_calm_share(&law, rv_f_load(in.depth + x) * rv_f_load(in.even + x), pass);
        for (int k = 0; k < 4; k++) {
            const float *depth = in.depth + x + step[k], *even = in.even + x + step[k];
            rv_f other = rv_calm_share(&law, rv_f_load(depth) * rv_f_load(even), pass);
            gain[k] = toward(own, rv_f_load(from + x + step[k]), share, other,
                             rv_f_load_u16(slope[k] + x));
        }
        rv_f sum = (gain[0] + gain[1]) + (gain[2] + gain[3]);
        rv_f_store(to + x, own + rv_f_set(1.0f / 16.0f) * sum);
    }
}

// What is not deep keeps its head to the bit, whatever else its row has.
static void calmed(const rv_law *law_in, rv_calm_rows in, const float *whole, float *head,
                   ptrdiff_t pitch, int count)
{
    const rv_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f depth = rv_f_load(in.depth + x), calm = depth * rv_f_load(in.even + x);
        rv_f spread = (rv_f_load(in.u + x) - rv_f_load(in.u + x - 1)) +
                      (rv_f_load(in.v + x) - rv_f_load(in.v + x - pitch));
        rv_f deep = (rv_f_load(whole + x) - (rv_f_load(in.base + x) + depth)) -
                    rv_calm_damps(&law, calm, spread);
        rv_mask is_deep = rv_f_above(rv_calm_share(&law, calm, 0), rv_f_set(0.0f));
        rv_f_store(head + x, rv_f_pick(is_deep, deep, rv_f_load(head + x)));
    }
}

const rv_tension_loops PASTE(rv_tension_loops_, RV_ISA);
const rv_tension_loops PASTE(rv_tension_loops_, RV_ISA) = {
    .faces = faces, .heads = heads, .calm = calm, .calmed = calmed};
