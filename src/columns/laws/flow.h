// Pipes that carry momentum (SPEC §9 and §13), as small functions without branches over rv_f: one
// float, or a vector of them (base/simd.h). The velocity u through a pipe is the state.
//
// A pipe joins column a (low side) to column b (high side); u is positive from a to b. Time is
// staggered: u stands half a substep before the depths H. One substep, with q = u H the flux a
// width and φ the head:
//     u ← u − dt' ((q̄ û)_x − u q̄_x) / H̄     carried with the q that made H what it is
//     u ← (ζ u − dt g φ_x) H²/(H² + 3 dt ν)
//     q = u H at the pipe, cut so that no column gives more than it has
//     H ← H − dt q_x
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
    int hard;   // ceilings, falls, heads from outside, slanting gravity, shares, clipped steps
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

// ---- Velocity -----------------------------------------------------------------------------------

// Velocity half way between two pipes, `low` and `own`, of what flows there from one to the other:
// that upstream, taken on by a limited slope to the middle of the substep. `q`: twice what flows.
RV_INLINE rv_f rv_flow_between(const rv_law *law, rv_f low2, rv_f low, rv_f own, rv_f high, rv_f q)
{
    rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f), lead = rv_f_set(law->lead);
    rv_f second = rv_f_set(law->second), step = own - low;
    rv_f of_low = second * rv_f_max(one - lead * rv_f_abs(low), zero);
    rv_f of_own = second * rv_f_max(one - lead * rv_f_abs(own), zero);
    rv_f from_low = low + of_low * rv_minmod(low - low2, step);
    rv_f from_own = own - of_own * rv_minmod(step, high - own);
    return rv_f_pick(rv_f_above(q, zero), from_low, from_own);
}

// A velocity and what flows past it: velocities half way to the pipes before and after it and to
// those beside it, and twice what flows there, m³/s, positive toward high.
typedef struct rv_flow_past {
    rv_f own, low, high, south, north;
    rv_f in, out, in_side, out_side;
} rv_flow_past;

// Velocity after carrying. `both`: the sum of the two depths. Whatever the depths, nothing faster
// or slower is made than what was around.
RV_INLINE rv_f rv_flow_carry(const rv_law *law, rv_flow_past p, rv_f both)
{
    rv_f share = rv_f_set(law->carried) * rv_f_inverse(rv_f_max(both, rv_f_set(law->film)));
    rv_f along = p.in * (p.low - p.own) - p.out * (p.high - p.own);
    rv_f across = p.in_side * (p.south - p.own) - p.out_side * (p.north - p.own);
    rv_f most = rv_f_max(rv_f_max(rv_f_max(p.low, p.high), rv_f_max(p.south, p.north)), p.own);
    rv_f least = rv_f_min(rv_f_min(rv_f_min(p.low, p.high), rv_f_min(p.south, p.north)), p.own);
    return rv_f_max(rv_f_min(p.own + share * (along + across), most), least);
}

// One pipe and what is around it.
typedef struct rv_flow_pipe {
    rv_f base_a, base_b, depth_a, depth_b; // m
    rv_f slope;
    rv_f u;          // m/s, carried
    rv_f rise, side; // tilted: the bed's rise across, coded, and four times the depth's, m
    rv_f press_a, press_b, slant, opening, share; // hard: m; of the law's push
} rv_flow_pipe;

// On a slope a film's depth is normal to its bed: g becomes g cos²α, and levelling, the part of the
// push that is not the bed's, needs cos²α once more, while a lake, whose depths fall as its bed
// rises, must keep g. The bracket 1 − cos²α ∇b·∇H does both. It is kept within 0.8 … 1.2: at the
// front of a stream it would stick or jump.
RV_INLINE rv_f rv_flow_lean(const rv_law *law, rv_flow_pipe p)
{
    rv_f along = (p.base_b - p.base_a) * (p.depth_b - p.depth_a) * rv_f_set(law->bend);
    rv_f lean = rv_f_set(1.0f) - p.slope * (along + p.rise * p.side * rv_f_set(law->bend_side));
    return rv_f_max(rv_f_min(lean, rv_f_set(1.2f)), rv_f_set(0.8f));
}

// Level of the end with the higher total head. Where the heads are equal, the higher level: the
// same from both sides.
RV_INLINE rv_f rv_flow_level_up(rv_f a, rv_f b, rv_f drop)
{
    rv_f zero = rv_f_set(0.0f), higher = rv_f_max(a, b);
    return rv_f_pick(rv_f_above(drop, zero), a, rv_f_pick(rv_f_above(zero, drop), b, higher));
}

// Velocity after push and drag.
//
// The depth that the drag sees: on a level bed the mean of both squares, which with the mean depth
// of the flux gives lubrication theory's H³; where the bed drives the flow, the upstream one. With
// `up` the upstream level over the sill, `down` the downstream depth and m the drop in head, the
// share of the drop that is not the bed's is (up − down)/m, and half of it is the weight of
// `down`: H² = up² − (up² − down²)(up − down)/(2m). Multiplied by 2m it needs no division.
RV_INLINE rv_f rv_flow_velocity(const rv_law *law, rv_flow_pipe p, rv_flow_ease ease)
{
    rv_f zero = rv_f_set(0.0f), tiny = rv_f_set(RV_PIPE_TINY);
    rv_f level_a = p.base_a + p.depth_a, level_b = p.base_b + p.depth_b;
    rv_f drop = level_a - level_b, higher = rv_f_max(level_a, level_b);
    if (ease.hard) {
        drop = (drop + (p.press_a - p.press_b)) + p.slant;
        higher = rv_flow_level_up(level_a, level_b, drop);
    }
    rv_f m = rv_f_abs(drop);
    rv_f up = rv_f_max(higher - rv_f_max(p.base_a, p.base_b), zero);
    if (ease.hard) up = rv_f_min(up, p.opening);
    rv_f down = rv_f_pick(rv_f_above(drop, zero), p.depth_b, p.depth_a);
    rv_f own = rv_f_min(rv_f_max(up - down, zero), m);
    rv_f m2 = m + m + rv_f_set(1e-10f); // far under what a float level resolves
    rv_f square = p.slope * (up * up * m2 - own * own * (up + down));
    rv_f push = rv_f_set(law->push) * p.slope;
    if (ease.tilted) push = push * rv_flow_lean(law, p);
    if (ease.hard) { // over 60° the depth over the sill drives it, as over a weir
        rv_mask falls = rv_f_above(rv_f_abs(p.base_a - p.base_b), rv_f_set(law->fall));
        rv_f head = rv_f_pick(falls, rv_f_min(m, up), m);
        rv_f deepest = rv_f_set(law->deepest);
        rv_f less =
            rv_f_pick(rv_f_above(up, deepest), deepest * rv_f_inverse(up + tiny), rv_f_set(1.0f));
        push = push * (p.share * rv_pipe_left(law, m) * less);
        drop = rv_f_with_sign(head, drop);
    }
    rv_f total = square + rv_f_set(law->drag) * m2 + tiny;
    rv_f u = (rv_f_set(law->kept) * p.u + push * drop) * (square * rv_f_inverse(total));
    rv_f fastest = rv_f_set(law->fastest);
    u = rv_f_max(rv_f_min(u, fastest), zero - fastest);
    return rv_f_pick(rv_f_above(up, rv_f_set(law->film)), u, zero);
}

// ---- Flux ---------------------------------------------------------------------------------------

// One end of a pipe, for the depth that flows through it.
typedef struct rv_flow_end {
    rv_f base, depth, behind; // m; behind: depth one column further from the pipe
    rv_f spread;              // full: m/s, outflow of the column's four velocities
} rv_flow_end;

// Flux (m³/s) with the upstream depth, at the pipe by a limited slope and in the middle of the
// substep. `full`: in which the column is also thinned by what spreads, and the flow itself carried
// on (`low` and `high` are the velocities one pipe before and after). Toward a dry column, and over
// a fall, only what stands over the sill flows.
RV_INLINE rv_f rv_flow_flux(const rv_law *law, rv_flow_end a, rv_flow_end b, rv_f u, rv_f opening,
                            rv_f low, rv_f high, int hard, int full)
{
    rv_f zero = rv_f_set(0.0f), half = rv_f_set(0.5f), one = rv_f_set(1.0f);
    rv_f film = rv_f_set(law->film), courant = rv_f_set(law->courant), step = rv_f_set(law->reach);
    rv_mask from_a = rv_f_above(u, zero);
    rv_f up = rv_f_pick(from_a, a.depth, b.depth), down = rv_f_pick(from_a, b.depth, a.depth);
    rv_f behind = rv_f_pick(from_a, a.behind, b.behind);
    rv_f level = up + rv_f_pick(from_a, a.base, b.base);
    rv_f lead = step * rv_f_max(one - courant * rv_f_abs(u), zero);
    rv_f depth = up;
    if (full) {
        rv_f spread = rv_f_pick(from_a, a.spread, b.spread);
        depth = up * (one - rv_f_max(rv_f_min(step * courant * spread, half), zero - half));
    }
    depth = depth + lead * rv_limited(up - behind, down - up);
    rv_f sill = rv_f_max(level - rv_f_max(a.base, b.base), zero), beyond = down;
    if (hard)
        beyond = rv_f_pick(rv_f_above(rv_f_abs(a.base - b.base), rv_f_set(law->fall)), zero, down);
    depth = rv_f_pick(rv_f_above(beyond, film), depth, rv_f_min(depth, sill));
    if (hard) depth = rv_f_min(depth, opening);
    rv_f flux = u * rv_f_max(depth, zero) * rv_f_set(law->width);
    if (full) {
        rv_f turn = rv_f_max(step * half * courant * (high - low), zero - half);
        flux = flux * rv_f_inverse(one + turn);
    }
    return rv_f_pick(rv_f_above(up, film), flux, zero);
}

// How many substeps a second a column needs, times dx (m/s): waves run at √(gH) beside the flow,
// and a chessboard of them feels both axes. u and v are the faster of its two velocities each.
RV_INLINE rv_f rv_flow_pace(const rv_law *law, rv_f depth, rv_f u, rv_f v)
{
    rv_f pace = rv_f_sqrt(rv_f_set(law->gravity) * depth) + (u + v);
    return rv_f_pick(rv_f_above(depth, rv_f_set(law->film)), pace, rv_f_set(0.0f));
}

#endif
