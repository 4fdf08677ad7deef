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

// `thin`: known where this is called; then the compiler leaves out what is only the level's.
RV_INLINE void faces_of(const rv_tension_law *law_in, rv_tension_rows in, ptrdiff_t step,
                        ptrdiff_t left, rv_tension_faces out, int first, int count, int thin)
{
    const rv_tension_law law = *law_in;
    for (int x = first; x < count; x += RV_LANES) {
        six base = load_six(in.base, x, step, left), depth = load_six(in.depth, x, step, left);
        six thick = times(depth, load_six(in.lean, x, step, left));
        rv_tension_face f =
            rv_tension_through(slopes(&law, base), slopes(&law, depth), slopes(&law, thick));
        rv_f_store(out.bed + x, f.bed);
        rv_f_store(out.film + x, f.film);
        if (!thin) rv_f_store(out.level + x, f.level);
        rv_f_store(out.along + x, f.along);
    }
}

static void faces(const rv_tension_law *law, rv_tension_rows in, ptrdiff_t step, ptrdiff_t left,
                  rv_tension_faces out, int first, int count)
{
    faces_of(law, in, step, left, out, first, count, 0);
}

static void faces_thin(const rv_tension_law *law, rv_tension_rows in, ptrdiff_t step,
                       ptrdiff_t left, rv_tension_faces out, int first, int count)
{
    faces_of(law, in, step, left, out, first, count, 1);
}

RV_INLINE rv_tension_face face_at(rv_tension_faces f, int x, int thin)
{
    rv_f level = thin ? rv_f_set(0.0f) : rv_f_load(f.level + x);
    return (rv_tension_face){rv_f_load(f.bed + x), rv_f_load(f.film + x), level,
                             rv_f_load(f.along + x)};
}

RV_INLINE void heads_of(const rv_tension_law *law_in, rv_tension_rows in, rv_tension_faces along,
                        rv_tension_faces south, rv_tension_faces north, float *wetted, float *head,
                        int count, int thin)
{
    const rv_tension_law law = *law_in;
    for (int x = 0; x < count; x += RV_LANES) {
        rv_f lean = rv_f_load(in.lean + x), thick = rv_f_load(in.depth + x) * lean;
        rv_f full = rv_f_load(in.full + x);
        rv_f wet = rv_tension_wetted(thick, full, rv_f_load(wetted + x));
        rv_f_store(wetted + x, wet);
        rv_tension_face sum = rv_tension_sum(face_at(along, x - 1, thin), face_at(along, x, thin),
                                             face_at(south, x, thin), face_at(north, x, thin));
        rv_f deep = thin ? rv_f_set(0.0f) : rv_tension_deep(&law, thick);
        rv_f cost = rv_f_pick(rv_f_above(wet, rv_f_set(0.0f)), rv_f_load(in.recede + x),
                              rv_f_load(in.advance + x));
        rv_f curve =
            thin ? rv_tension_curve_thin(&law, sum, lean) : rv_tension_curve(&law, sum, lean, deep);
        rv_f_store(head + x, rv_tension_head(&law, curve, thick, cost, full) -
                                 rv_tension_leans(rv_f_load(in.depth + x), sum.along, deep));
    }
}

static void heads(const rv_tension_law *law, rv_tension_rows in, rv_tension_faces along,
                  rv_tension_faces south, rv_tension_faces north, float *wetted, float *head,
                  int count)
{
    heads_of(law, in, along, south, north, wetted, head, count, 0);
}

static void heads_thin(const rv_tension_law *law, rv_tension_rows in, rv_tension_faces along,
                       rv_tension_faces south, rv_tension_faces north, float *wetted, float *head,
                       int count)
{
    heads_of(law, in, along, south, north, wetted, head, count, 1);
}

// ---- Ends ---------------------------------------------------------------------------------------

RV_INLINE rv_tension_slope end_slopes(const rv_tension_law *law,
                                      const float v[RV_AROUND][RV_END_BATCH], int low, int high,
                                      int left, int x)
{
    return rv_tension_slopes(law, rv_f_load(v[low] + x), rv_f_load(v[high] + x),
                             rv_f_load(v[low + left] + x), rv_f_load(v[high + left] + x),
                             rv_f_load(v[low - left] + x), rv_f_load(v[high - left] + x));
}

// A face as if it were open; zeros where it is not.
RV_INLINE rv_tension_face open_face(const rv_tension_law *law, const rv_end_batch *b, int side,
                                    int low, int high, int left, int x)
{
    rv_f zero = rv_f_set(0.0f);
    rv_mask open = rv_f_above(rv_f_load(b->face[side] + x), rv_f_set(RV_FACE_WALL));
    rv_tension_face f = rv_tension_through(end_slopes(law, b->base, low, high, left, x),
                                           end_slopes(law, b->depth, low, high, left, x),
                                           end_slopes(law, b->thick, low, high, left, x));
    return (rv_tension_face){rv_f_pick(open, f.bed, zero), rv_f_pick(open, f.film, zero),
                             rv_f_pick(open, f.level, zero), rv_f_pick(open, f.along, zero)};
}

// How far a wall pulls, 0 … 1. One beyond a step down is a slant, with no corner that would hold
// liquid: it pulls as far as the liquid stands over that step.
RV_INLINE rv_f wall_acts(const rv_end_batch *b, int side, int x)
{
    rv_mask down = rv_f_above(rv_f_set(0.0f), rv_f_load(b->step[side ^ 1] + x));
    return rv_f_pick(down, rv_f_load(b->over[side ^ 1] + x), rv_f_set(1.0f));
}

// What a face is where it is closed; an edge where it is open.
RV_INLINE rv_f closed_face(rv_f face)
{
    return rv_f_pick(rv_f_above(face, rv_f_set(RV_FACE_WALL)), rv_f_set(RV_FACE_EDGE), face);
}

// A solid stands there, or a step goes up.
RV_INLINE rv_mask is_wall(rv_f face, rv_f step)
{
    rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f);
    rv_f wall = rv_f_pick(rv_f_above(closed_face(face), rv_f_set(RV_FACE_LIMIT)), one, zero);
    return rv_f_above(rv_f_max(wall, step), zero);
}

// The grid ends there; asked where no wall is.
RV_INLINE rv_mask is_limit(rv_f face)
{
    return rv_f_above(closed_face(face), rv_f_set(RV_FACE_EDGE));
}

RV_INLINE rv_f mix(rv_f a, rv_f b, rv_f t)
{
    return a + t * (b - a);
}

// Toward an edge a surface goes on as it comes, but not upward: nothing beyond would hold it, and a
// tower at an edge would weigh nothing.
RV_INLINE rv_f toward_edge(rv_f far, int side)
{
    rv_f out = rv_f_set(side & 1 ? 1.0f : -1.0f);
    return out * rv_f_min(out * far, rv_f_set(0.0f));
}

// A face of an end; `far`: the one on the opposite side. Toward an edge, bed and surface go on as
// they come; at a wall the level stands at the contact angle. A step is either, until liquid stands
// over it.
RV_INLINE rv_tension_face end_face(const rv_end_batch *b, rv_tension_face open, rv_tension_face far,
                                   int side, int x)
{
    rv_f zero = rv_f_set(0.0f), step = rv_f_load(b->step[side] + x);
    rv_f back = rv_f_load(b->step[side ^ 1] + x), over = rv_f_load(b->over[side] + x);
    rv_f face = rv_f_load(b->face[side] + x);
    rv_mask is_open = rv_f_above(face, rv_f_set(RV_FACE_WALL));
    rv_mask limit = is_limit(face), wall = is_wall(face, step);
    // on a ridge, with a step down to either side, there is nothing to go on from
    rv_mask ends =
        rv_f_above(rv_f_pick(limit, rv_f_set(1.0f), rv_f_min(zero - step, zero - back)), zero);
    rv_f pull = rv_f_load(b->pull[side] + x) * rv_f_set(1.0f / RV_PULL_ONE);
    pull = rv_f_set(side & 1 ? 1.0f : -1.0f) * (pull * wall_acts(b, side, x));
    rv_tension_face closed = {
        .bed = far.bed,
        .film = rv_f_pick(wall, zero, rv_f_pick(ends, zero, toward_edge(far.film, side))),
        .level = rv_f_pick(wall, pull, rv_f_pick(ends, zero, toward_edge(far.level, side))),
        .along = rv_f_pick(rv_f_above(rv_f_abs(back), zero), zero, far.along),
    };
    rv_f along = rv_f_pick(is_open, mix(closed.along, open.along, over), closed.along);
    return (rv_tension_face){
        .bed = rv_f_pick(is_open, mix(closed.bed, open.bed, over), closed.bed),
        .film = rv_f_pick(is_open, mix(closed.film, open.film, over), closed.film),
        .level = rv_f_pick(is_open, mix(closed.level, open.level, over), closed.level),
        // a step is not a bed that leans
        .along = rv_f_pick(rv_f_above(rv_f_abs(step), zero), closed.along, along),
    };
}

// A wall's pull is one on the level: as far as there is one, liquid counts as deep.
RV_INLINE rv_f end_deep(const rv_tension_law *law, const rv_end_batch *b, rv_f thick, int x)
{
    rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f), deep = rv_tension_deep(law, thick);
    for (int side = 0; side < 4; side++) {
        rv_f face = rv_f_load(b->face[side] + x);
        rv_f left = one - rv_f_load(b->over[side] + x), step = rv_f_load(b->step[side] + x);
        rv_f share = wall_acts(b, side, x) * rv_f_pick(is_wall(face, zero), one, left);
        deep = rv_f_max(deep, rv_f_pick(is_wall(face, step), share, deep));
    }
    return deep;
}

static void ends(const rv_tension_law *law_in, rv_end_batch *b)
{
    const rv_tension_law law = *law_in;
    for (int x = 0; x < b->count; x += RV_LANES) {
        rv_tension_face open[4] = {open_face(&law, b, 0, RV_AT_W, RV_AT_MID, 3, x),
                                   open_face(&law, b, 1, RV_AT_MID, RV_AT_E, 3, x),
                                   open_face(&law, b, 2, RV_AT_S, RV_AT_MID, 1, x),
                                   open_face(&law, b, 3, RV_AT_MID, RV_AT_N, 1, x)};
        rv_tension_face sum = rv_tension_sum(
            end_face(b, open[0], open[1], 0, x), end_face(b, open[1], open[0], 1, x),
            end_face(b, open[2], open[3], 2, x), end_face(b, open[3], open[2], 3, x));
        rv_f thick = rv_f_load(b->thick[RV_AT_MID] + x), deep = end_deep(&law, b, thick, x);
        rv_f curve = rv_tension_curve(&law, sum, rv_f_load(b->lean + x), deep);
        rv_f head =
            rv_tension_head(&law, curve, thick, rv_f_load(b->cost + x), rv_f_load(b->full + x));
        rv_f leans = rv_tension_leans(rv_f_load(b->depth[RV_AT_MID] + x), sum.along, deep);
        rv_f_store(b->head + x, head - leans);
    }
}

// ---- Deep liquid --------------------------------------------------------------------------------

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
        rv_f_store(to + x, own + rv_f_set(RV_CALM_NEAR) * sum);
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
const rv_tension_loops PASTE(rv_tension_loops_, RV_ISA) = {.faces = {faces, faces_thin},
                                                           .heads = {heads, heads_thin},
                                                           .ends = ends,
                                                           .calm = calm,
                                                           .calmed = calmed};
