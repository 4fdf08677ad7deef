// Pipes that carry momentum (docs/pipes-inside.md, Law flow), as small functions without branches
// over rv_f: one float, or a vector of them (base/simd.h). The velocity u through a pipe is the
// state.
//
// A pipe joins column a (low side) to column b (high side); u is positive from a to b. Time is
// staggered: u stands half a substep before the depths H. One substep, with q = u H the flux a
// width and φ the head:
//     u ← u − dt' ((q̄ û)_x − u q̄_x) / H̄     carried with the q that made H what it is
//     u ← (ζ u − dt g φ_x) H²/(H² + 3 dt ν)
//     q = u H at the pipe, cut so that no column gives more than it has
//     H ← H − dt q_x
// (docs/pipes-inside.md tells what it takes to keep films whole.)
// With H̄ the mean of a and b, and q̄ the mean of two pipes, H̄ u changes by sums that cancel
// between pipes: momentum is kept, so shocks run at the right speed, and a film on a slope is not
// torn: its waves travel with it (Stelling and Duinmeijer's form).
#ifndef RV_COLUMNS_FLOW_H
#define RV_COLUMNS_FLOW_H

#include "columns/laws/cell.h"

// What a run of pipes needs thought about. Constants where the functions are called, so that the
// compiler drops what does not apply; the result is the same to the bit.
typedef struct rv_flow_ease {
    int tilted; // the bed may be steep across the pipe or along it
    // Ceilings, falls, heads from outside, slanting gravity; 1: also shares, the viscosity quotient
    // and clipped steps, 2: without these.
    int hard;
    int tense; // surface tension adds its heads, and draws liquid up a dry bed
    int timed; // velocities are carried on to the middle of the substep: solver `swe`
} rv_flow_ease;

RV_INLINE rv_f rv_minmod(rv_f a, rv_f b)
{
    rv_f zero = rv_f_set(0.0f);
    return rv_f_max(rv_f_min(a, b), zero) + rv_f_min(rv_f_max(a, b), zero);
}

// Slope between two differences of neighbours: their mean, but no more than twice the smaller.
RV_INLINE rv_f rv_limited(rv_f a, rv_f b)
{
    rv_f zero = rv_f_set(0.0f), mean = rv_f_set(0.5f) * (a + b), a2 = a + a, b2 = b + b;
    return rv_f_max(rv_f_min(rv_f_min(a2, b2), mean), zero) +
           rv_f_min(rv_f_max(rv_f_max(a2, b2), mean), zero);
}

// ---- What is carried ----------------------------------------------------------------------------

// How far a velocity differs half way to its neighbours from what it is at its pipe: a limited
// slope, taken on to the middle of the substep: without the latter fast sheets ripple.
RV_INLINE rv_f rv_flow_slope(const rv_law *law, rv_f low, rv_f own, rv_f high)
{
    rv_f left = rv_f_set(1.0f) - rv_f_set(law->lead) * rv_f_abs(own);
    return rv_f_set(law->second) * rv_f_max(left, rv_f_set(0.0f)) *
           rv_minmod(own - low, high - own);
}

// Velocity half way between two pipes, `low` and `own`, of what flows there from one to the other:
// that upstream. `q`: twice what flows.
RV_INLINE rv_f rv_flow_between(const rv_law *law, rv_f low2, rv_f low, rv_f own, rv_f high, rv_f q)
{
    return rv_f_pick(rv_f_above(q, rv_f_set(0.0f)), low + rv_flow_slope(law, low2, low, own),
                     own - rv_flow_slope(law, low, own, high));
}

// What flows past a velocity: twice the flux (m³/s, positive toward high) half way to the pipes
// before and after it and to those beside it, and that times the velocity there (m⁴/s²).
typedef struct rv_flow_past {
    rv_f in, out, in_side, out_side;
    rv_f low, high, south, north;
} rv_flow_past;

// What is carried, as a change of u times the sum of the two depths, m²/s.
RV_INLINE rv_f rv_flow_carried(const rv_law *law, rv_flow_past p, rv_f u)
{
    rv_f brought = (p.low - p.high) + (p.south - p.north);
    rv_f gained = (p.in - p.out) + (p.in_side - p.out_side);
    return rv_f_set(law->carried) * (brought - u * gained);
}

// What comes, m: the sum of depths counts as no less, so that nothing faster or slower is made than
// what was around.
RV_INLINE rv_f rv_flow_comes(const rv_law *law, rv_flow_past p)
{
    rv_f zero = rv_f_set(0.0f);
    return rv_f_set(law->carried) * ((rv_f_max(p.in, zero) - rv_f_min(p.out, zero)) +
                                     (rv_f_max(p.in_side, zero) - rv_f_min(p.out_side, zero)));
}

// ---- One pipe -----------------------------------------------------------------------------------

// One end of a pipe.
typedef struct rv_flow_end {
    rv_f base, depth, behind; // m; behind: depth one column further from the pipe
    rv_f spread;              // m/s, outflow of the column's four velocities
    rv_f press;               // hard or tense: m
} rv_flow_end;

// The pipe itself and what is around it.
typedef struct rv_flow_pipe {
    rv_f slope;
    rv_f u, carried, both;      // m/s, m²/s, m: velocity, what is carried, sum of depths
    rv_f rise, side;            // tilted: the bed's rise across, coded; four times the depth's, m
    rv_f pull;                  // tilted and tense: four times the rise of level and head across, m
    rv_f slant, opening, share; // hard: m, m, of the law's push
    rv_f low, high;             // timed: m/s, velocities one pipe before and after
} rv_flow_pipe;

typedef struct rv_flow {
    rv_f speed, flux; // m/s, m³/s
} rv_flow;

// On a slope a film's depth is normal to its bed: g becomes g cos²α, and levelling, the part of the
// push that is not the bed's, needs cos²α once more, while a lake, whose depths fall as its bed
// rises, must keep g. The bracket 1 − cos²α ∇b·∇H does both. It is kept within 0.8 … 1.2: at the
// front of a stream it would stick or jump.
RV_INLINE rv_f rv_flow_lean(const rv_law *law, rv_flow_end a, rv_flow_end b, rv_flow_pipe p)
{
    rv_f along = (b.base - a.base) * (b.depth - a.depth) * rv_f_set(law->bend);
    rv_f lean = rv_f_set(1.0f) - p.slope * (along + p.rise * p.side * rv_f_set(law->bend_side));
    return rv_f_max(rv_f_min(lean, rv_f_set(1.2f)), rv_f_set(0.8f));
}

// With surface tension level and head are one pressure, φ, that draws along the bed itself: by
// cos²α
// ((1 + b_y²) φ_x − b_x b_y φ_y), with cos²α left to the push. What leans is drawn together across
// its slope as much as if it were level, and where φ is even nothing moves.
RV_INLINE rv_f rv_flow_drawn(const rv_law *law, rv_flow_end a, rv_flow_end b, rv_flow_pipe p,
                             rv_f drop)
{
    rv_f across = (b.base - a.base) * p.rise * rv_f_set(law->draw_side);
    return drop * (rv_f_set(1.0f) + p.rise * p.rise * rv_f_set(law->draw)) + across * p.pull;
}

// Head that drives a pipe, m, positive toward b. Over 60° it is the depth over the sill, as over a
// weir. Clipped steps push less where it is deep, so that they stay stable.
RV_INLINE rv_f rv_flow_head(const rv_law *law, rv_flow_end a, rv_flow_end b, rv_flow_pipe p,
                            rv_flow_ease ease)
{
    rv_f zero = rv_f_set(0.0f), level_a = a.base + a.depth, level_b = b.base + b.depth;
    rv_f drop = level_a - level_b;
    if (ease.hard || ease.tense) drop = drop + (a.press - b.press);
    if (ease.hard) drop = drop + p.slant;
    if (ease.tense && ease.tilted) drop = rv_flow_drawn(law, a, b, p, drop);
    if (!ease.hard) return drop;
    rv_f m = rv_f_abs(drop), deepest = rv_f_set(law->deepest);
    rv_f higher = rv_f_pick(rv_f_above(drop, zero), level_a, level_b);
    rv_f up = rv_f_max(higher - rv_f_max(a.base, b.base), zero);
    rv_mask falls = rv_f_above(rv_f_abs(a.base - b.base), rv_f_set(law->fall));
    rv_f head = rv_f_with_sign(rv_f_pick(falls, rv_f_min(m, up), m), drop);
    if (ease.hard == 2) return head;
    rv_f less = rv_f_pick(rv_f_above(up, deepest),
                          deepest * rv_f_inverse(up + rv_f_set(RV_PIPE_TINY)), rv_f_set(1.0f));
    return head * (p.share * rv_pipe_left(law, m) * less);
}

// The depth that flows through a pipe, m: that upstream, at the pipe by a limited slope, in the
// middle of the substep, in which the column is thinned by what spreads. It is no more than what
// stands over the middle of the two beds; toward a dry column, and over a fall, than what stands
// over the sill.
RV_INLINE rv_f rv_flow_depth(const rv_law *law, rv_flow_end a, rv_flow_end b, rv_mask from_a,
                             rv_flow_pipe p, rv_flow_ease ease)
{
    rv_f zero = rv_f_set(0.0f), half = rv_f_set(0.5f), one = rv_f_set(1.0f);
    rv_f film = rv_f_set(law->film), courant = rv_f_set(law->courant), step = rv_f_set(law->reach);
    rv_f up = rv_f_pick(from_a, a.depth, b.depth), down = rv_f_pick(from_a, b.depth, a.depth);
    rv_f behind = rv_f_pick(from_a, a.behind, b.behind);
    rv_f spread = rv_f_pick(from_a, a.spread, b.spread);
    rv_f level_a = a.base + a.depth, level_b = b.base + b.depth, sill = rv_f_max(a.base, b.base);
    rv_f step_up = rv_f_abs(a.base - b.base);
    rv_f lead = step * rv_f_max(one - courant * rv_f_abs(p.u), zero);
    rv_f thinned = one - rv_f_max(rv_f_min(step * courant * spread, half), zero - half);
    rv_f depth = up * thinned + lead * rv_limited(up - behind, down - up), beyond = down;
    if (ease.hard) beyond = rv_f_pick(rv_f_above(step_up, rv_f_set(law->fall)), zero, down);
    rv_f most = rv_f_max(level_a, level_b) + half * step_up,
         own = rv_f_pick(from_a, level_a, level_b);
    if (!ease.tense) most = rv_f_pick(rv_f_above(beyond, film), most, own);
    if (ease.tense && ease.hard)
        most = rv_f_pick(rv_f_above(step_up, rv_f_set(law->fall)), own, most);
    depth = rv_f_min(depth, most - sill);
    if (ease.hard) depth = rv_f_min(depth, p.opening);
    return rv_f_pick(rv_f_above(up, film), rv_f_max(depth, zero), zero);
}

// Velocity and flux after carrying, push and drag: with D the depth that flows,
//     u ← (ζ u + push) D²/(D² + 3 dt ν),  q = u D
// in three parts. D depends on which way it flows, and that is known before the drag, which turns
// nothing round.

// Velocity before the drag, times the sum of depths.
RV_INLINE rv_f rv_flow_pushed(const rv_law *law, rv_flow_end a, rv_flow_end b, rv_flow_pipe p,
                              rv_flow_ease ease)
{
    rv_f push = rv_f_set(law->push) * p.slope;
    if (ease.tilted && !ease.tense) push = push * rv_flow_lean(law, a, b, p); // else heads do it
    rv_f pushed = rv_f_set(law->kept) * (p.u * p.both + p.carried) +
                  push * rv_flow_head(law, a, b, p, ease) * p.both;
    return rv_unless_small(pushed, RV_DRIVE_LEAST);
}

RV_INLINE rv_f rv_flow_clamped(const rv_law *law, rv_f u)
{
    rv_f fastest = rv_f_set(law->fastest);
    return rv_f_max(rv_f_min(u, fastest), rv_f_set(0.0f) - fastest);
}

// The same as rv_flow_dragged where nothing flows: a zero, signed as what it was before the drag.
RV_INLINE rv_f rv_flow_dry(const rv_law *law, rv_f pushed)
{
    return rv_flow_clamped(law, pushed * rv_f_set(0.0f));
}

RV_INLINE rv_flow rv_flow_dragged(const rv_law *law, rv_f pushed, rv_f depth, rv_flow_pipe p,
                                  rv_flow_ease ease)
{
    rv_f square = depth * depth * p.slope;
    rv_f total = (square + rv_f_set(law->drag)) * p.both;
    rv_f u = pushed * (square * rv_f_inverse(rv_f_max(total, rv_f_set(1e-30f))));
    u = rv_flow_clamped(law, u);
    rv_f flux = u * depth * rv_f_set(law->width);
    if (ease.timed) { // the flow itself is carried on
        rv_f turn = rv_f_set(0.5f) * rv_f_set(law->reach * law->courant) * (p.high - p.low);
        flux = flux * rv_f_inverse(rv_f_set(1.0f) + rv_f_max(turn, rv_f_set(-0.5f)));
    }
    // over a sill that is all but dry: else depths of 1e-34 m come of it
    rv_f none = rv_f_with_sign(rv_f_set(0.0f), flux);
    flux = rv_f_pick(rv_f_above(rv_f_set(RV_FLUX_LEAST), rv_f_abs(flux)), none, flux);
    return (rv_flow){u, flux};
}

RV_INLINE rv_flow rv_flow_through(const rv_law *law, rv_flow_end a, rv_flow_end b, rv_flow_pipe p,
                                  rv_flow_ease ease)
{
    rv_f pushed = rv_flow_pushed(law, a, b, p, ease);
    rv_f depth = rv_flow_depth(law, a, b, rv_f_above(pushed, rv_f_set(0.0f)), p, ease);
    return rv_flow_dragged(law, pushed, depth, p, ease);
}

// How many substeps a second a column needs, times dx (m/s): waves run at √(gH) beside the flow,
// and a chessboard of them feels both axes. u and v are the faster of its two velocities each.
RV_INLINE rv_f rv_flow_pace(const rv_law *law, rv_f depth, rv_f u, rv_f v)
{
    rv_f pace = rv_f_sqrt(rv_f_set(law->gravity) * depth) + (u + v);
    return rv_f_pick(rv_f_above(depth, rv_f_set(law->film)), pace, rv_f_set(0.0f));
}

// Depth-averaged, short waves are too fast where liquid is deeper than they are long: √(g H (1 +
// ℓ²k²)) where √(g tanh(kH) (1 + ℓ²k²)/k) is right, and the substeps would be for them alone. So
// there the heads are smoothed (tension.c), up to four times, each the deeper the liquid is; never
// as much as tanh(kH)/(kH) would have it. Heads that are even stay, so what is at rest does not
// know. The share 0 … 1 of the smoothing `pass` that a depth gets.
#define RV_CALM_NEAR (3.0f / 32.0f) // what each neighbour's head counts for

RV_INLINE rv_f rv_calm_share(const rv_law *law, rv_f depth, int pass)
{
    rv_f share = depth * rv_f_set(law->calm[pass]) - rv_f_set(2.0f);
    return rv_f_max(rv_f_min(share, rv_f_set(1.0f)), rv_f_set(0.0f));
}

// Heads that are smoothed by the depth of each place are no longer the slope of one energy, so what
// is left of the shortest waves could feed on them, and nothing else damps these. So a deep column
// that spreads (`spread`: m/s, outflow of its four velocities) presses less, one that is filled
// presses more: waves of a few cells lose most of their height in some ten substeps, those of
// twenty cells a hundredth of that.
RV_INLINE rv_f rv_calm_damps(const rv_law *law, rv_f depth, rv_f spread)
{
    return rv_calm_share(law, depth, 0) * spread * rv_f_set(law->damp);
}

// What is then left of the stiffness of the stiffest waves, bounds: of that by weight, and of that by
// tension. With a pass at its whole, waves have 1 − 3s/8 left, s = 0 … 2 from the longest to the
// shortest, and the stiffness is as s and as s².
RV_INLINE rv_f rv_calm_weight(const rv_law *law, rv_f depth)
{
    return (rv_f_set(1.0f) - rv_f_set(0.666f) * rv_calm_share(law, depth, 0)) -
           (rv_f_set(0.135f) * rv_calm_share(law, depth, 1) +
            (rv_f_set(0.057f) * rv_calm_share(law, depth, 2) +
             rv_f_set(0.031f) * rv_calm_share(law, depth, 3)));
}

RV_INLINE rv_f rv_calm_left(const rv_law *law, rv_f depth)
{
    return (rv_f_set(1.0f) - rv_f_set(0.736f) * rv_calm_share(law, depth, 0)) -
           (rv_f_set(0.152f) * rv_calm_share(law, depth, 1) +
            (rv_f_set(0.049f) * rv_calm_share(law, depth, 2) +
             rv_f_set(0.022f) * rv_calm_share(law, depth, 3)));
}

// The pace with surface tension, which makes short waves fast. With c² the square of their speed
// and d the drag 3ν/H² over 1/dx, the explicit step is stable to dt ≤ (d + √(d² + 16 c²)) dx/(4
// c²), so thick liquid needs no more substeps than without.
// `even`: 1 where heads are smoothed, else 0.
RV_INLINE rv_f rv_flow_pace_tense(const rv_law *law, rv_f depth, rv_f even, rv_f u, rv_f v)
{
    rv_f zero = rv_f_set(0.0f), four = rv_f_set(4.0f);
    rv_f stiff = rv_f_pick(rv_f_above(rv_f_set(law->thin), depth), rv_f_set(law->stiff_thin),
                           rv_f_set(law->stiff));
    rv_f left = rv_calm_left(law, depth * even), weight = rv_calm_weight(law, depth * even);
    rv_f square = four * (rv_f_set(law->gravity) * depth * (weight + stiff * left));
    rv_f inside = rv_f_max(depth * depth, rv_f_set(1e-20f));
    rv_f drag = rv_f_set(law->drag_pace) * rv_f_inverse(inside);
    rv_f root = rv_f_sqrt(drag * drag + four * square);
    rv_f pace = square * rv_f_inverse(rv_f_max(drag + root, rv_f_set(1e-20f))) + (u + v);
    return rv_f_pick(rv_f_above(depth, rv_f_set(law->film)), pace, zero);
}

#endif
