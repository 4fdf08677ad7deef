// The physics of one pipe and of one column (SPEC §2; 003 §3.1 to §3.2), as small functions without
// branches over rv_f: one float, or a vector of them (base/simd.h).
//
// A pipe joins column a (low side) to column b (high side); flux is positive from a to b.
#ifndef RV_PIPES_PHYSICS_H
#define RV_PIPES_PHYSICS_H

#include "base/depths.h"

// A pipe's slope is cos²α of the bed as a whole number of 1/65535, 0 where there is no pipe. The
// law's factors take that into account, so that no loop need divide.
#define RV_SLOPE_ONE 65535.0f

// What stays the same for all pipes of a substep.
typedef struct rv_pipe_law {
    float push;      // m/s, dt g / 65535: for A = dx H and l = dx
    float push_cell; // m²/s, dt g dx / 65535: for A = dx²
    float share;     // of the push that a pipe gets; not looked at by plain ones, which get 1
    float share_gap; // added to it for each gap beside the pipe, see joints.h
    float kept;      // ω^dt
    float drag;      // m², 3 dt ν · 65535
    float dt_area;   // s/m², dt / dx²: flux to change of depth
    float film;      // m, thinner columns do not flow
    float fall;      // m, drop between bases from which a pipe is a fall: dx tan 60°
    uint32_t salt;   // changes with every substep
    float quotient;  // 1/m², V (ρ g)², V the viscosity quotient
} rv_pipe_law;

// Smallest drag in a denominator, so that a dry frictionless pipe is 0 and not 0/0.
#define RV_PIPE_TINY 1e-36f
// Smallest drop in head in the weights below, m; far under what a float level resolves.
#define RV_PIPE_SMALL 1e-10f

// The column at one end of a pipe.
typedef struct rv_pipe_end {
    rv_f base;   // m
    rv_f depth;  // m
    rv_f level;  // m
    rv_f behind; // m, depth of the next column away from the pipe
    rv_f press;  // m, head from outside, not looked at where the pipe's ease says so
} rv_pipe_end;

// What a kind of terrain needs no thought about. Constants where the functions are called, so that
// the compiler drops what does not apply; the result is the same to the bit.
typedef struct rv_pipe_ease {
    int no_ceiling; // the opening is above every level
    int no_fall;    // no drop between bases is steeper than 60°
    int plain;      // nothing presses from outside, and the viscosity quotient is 0
} rv_pipe_ease;

// Difference in total head. Equal presses cancel to the bit.
RV_INLINE rv_f rv_pipe_drop(rv_pipe_end a, rv_pipe_end b, rv_pipe_ease ease)
{
    rv_f drop = a.level - b.level;
    if (!ease.plain) drop = drop + (a.press - b.press);
    return drop;
}

// Share of the push that the viscous force of 004 §6 leaves: with P the difference in pressure that
// force is V P³ while |P| ≤ 1/√V, and P itself beyond.
RV_INLINE rv_f rv_pipe_left(const rv_pipe_law *law, rv_f drop)
{
    return rv_f_max(rv_f_set(1.0f) - rv_f_set(law->quotient) * (drop * drop), rv_f_set(0.0f));
}

// Level of the end with the higher total head. Where the heads are equal, the higher level: the
// same from both sides.
RV_INLINE rv_f rv_pipe_level_up(rv_pipe_end a, rv_pipe_end b, rv_f drop, rv_pipe_ease ease)
{
    rv_f higher = rv_f_max(a.level, b.level), zero = rv_f_set(0.0f);
    if (ease.plain) return higher;
    return rv_f_pick(rv_f_above(drop, zero), a.level,
                     rv_f_pick(rv_f_above(zero, drop), b.level, higher));
}

// The pipe itself.
typedef struct rv_pipe {
    rv_f opening; // m, from the higher base to the lower ceiling
    rv_f slope;
    rv_f share; // of the law's push, not looked at where the pipe is plain
    rv_f flux;  // m³/s, of the last substep
} rv_pipe;

// Flux after pressure and drag with the wet cross-section.
//
// Which depth the pipe sees: where the bed is level, the mean of the two (exact for the lubrication
// flux (Ha⁴ - Hb⁴)/4, second order for waves); where the bed drives the flow, the upstream one
// (stable). With `up` the upstream level over the sill, `down` the downstream depth and m the drop
// in level, the share of the drop that is not the bed's is (up - down)/m, and half of it is the
// weight of `down`:
//     height  = up  - (up - down)  (up - down)/(2m)
//     height² = up² - (up² - down²)(up - down)/(2m)
// Multiplied by 2m neither needs a division; the drag's is the only one. What presses from outside
// is not the bed's either: then the share is (up - down + difference of the presses)/m, so that on
// a level bed the height is the mean also under a body, and the two exchange momentum without loss.
// The upstream depth is taken at the pipe, not at the column: half a limited slope further
// (minmod), by no more than the bed falls, which is nothing on a level one. Without that a front
// that runs across the grid is behind one that runs along it.
RV_INLINE rv_f rv_pipe_flux_wet(const rv_pipe_law *law, rv_pipe_end a, rv_pipe_end b, rv_pipe pipe,
                                rv_pipe_ease ease)
{
    rv_f zero = rv_f_set(0.0f);
    rv_f drop = rv_pipe_drop(a, b, ease);
    rv_f m = rv_f_abs(drop);
    rv_f up = rv_f_max(rv_pipe_level_up(a, b, drop, ease) - rv_f_max(a.base, b.base), zero);
    rv_mask from_a = rv_f_above(drop, zero);
    rv_f down = rv_f_pick(from_a, b.depth, a.depth);
    rv_f behind = rv_f_pick(from_a, a.behind, b.behind);
    if (!ease.no_ceiling) up = rv_f_min(up, pipe.opening);
    rv_f own = up - down, share = own, lead;
    if (!ease.plain) share = own + rv_f_pick(from_a, a.press - b.press, b.press - a.press);
    rv_f more = rv_f_min(rv_f_max(share, zero), m); // at most m but for rounding
    lead = more;
    if (!ease.plain) lead = rv_f_pick(rv_f_above(rv_f_abs(a.press - b.press), zero), own, more);
    rv_f more2 = more * lead;
    rv_f before = up - behind, after = down - up, fall = m - more;
    rv_f bend = rv_f_set(0.5f) *
                (rv_f_max(rv_f_min(before, after), zero) + rv_f_min(rv_f_max(before, after), zero));
    up = rv_f_max(up + rv_f_max(rv_f_min(bend, fall), zero - fall), zero);
    rv_f push = up * m - rv_f_set(0.5f) * more2;
    if (!ease.no_fall) { // over 60° the depth over the sill drives it, as over a weir
        rv_mask falls = rv_f_above(rv_f_abs(a.base - b.base), rv_f_set(law->fall));
        push = rv_f_pick(falls, up * rv_f_min(m, up), push);
    }
    if (!ease.plain) push = push * pipe.share * rv_pipe_left(law, m);
    rv_f pushed = rv_f_set(law->kept) * pipe.flux +
                  rv_f_set(law->push) * pipe.slope * rv_f_with_sign(push, drop);
    rv_f m2 = m + m + rv_f_set(RV_PIPE_SMALL);
    rv_f square = pipe.slope * (up * up * m2 - more2 * (up + down));
    rv_f total = square + rv_f_set(law->drag) * m2 + rv_f_set(RV_PIPE_TINY);
    rv_f result = pushed * (square * rv_f_inverse(total));
    return rv_f_pick(rv_f_above(up, rv_f_set(law->film)), result, zero);
}

// The papers' pipe: A = dx², drag by the depth of the column that the flux leaves.
RV_INLINE rv_f rv_pipe_flux_cell(const rv_pipe_law *law, rv_pipe_end a, rv_pipe_end b, rv_pipe pipe,
                                 rv_pipe_ease ease)
{
    rv_f zero = rv_f_set(0.0f);
    rv_f drop = rv_pipe_drop(a, b, ease);
    if (!ease.plain) drop = drop * pipe.share * rv_pipe_left(law, drop);
    rv_f pushed = rv_f_set(law->kept) * pipe.flux + rv_f_set(law->push_cell) * pipe.slope * drop;
    rv_f depth = rv_f_pick(rv_f_above(pushed, zero), a.depth, b.depth);
    rv_f square = depth * depth * pipe.slope;
    rv_f total = square + rv_f_set(law->drag) + rv_f_set(RV_PIPE_TINY);
    rv_f result = pushed * (square * rv_f_inverse(total));
    return rv_f_pick(rv_f_above(depth, rv_f_set(law->film)), result, zero);
}

#endif
