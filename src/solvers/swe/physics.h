// The physics of one face between two cells and of one cell (SPEC §9), as small functions without
// branches over rv_f: one float, or a vector of them (base/simd.h).
//
// Depths H stand in the middle of cells, velocities u on their faces. A face joins cell a (low
// side) to cell b (high side); u is positive from a to b. Time is staggered too: u stands half a
// substep before H. One substep, with q = u H the flux a width and h the level:
//     u ← u − dt' (q̄ u)_x / H̄ + …      carried with the q that made H what it is
//     u ← u − dt g h_x, then drag
//     q = u H at the faces, cut so that no cell gives more than it has
//     H ← H − dt q_x
// With H̄ the mean of a and b, and q̄ the mean of two faces, H̄ u changes by sums that cancel
// between faces: momentum is kept, so shocks run at the right speed.
#ifndef RV_SWE_PHYSICS_H
#define RV_SWE_PHYSICS_H

#include "base/depths.h"

// A face's tilt is 1 − cos²α of the bed as a whole number of 1/65535.
#define RV_TILT_ONE 65535.0f
// Beds where there is no cell, m: a wall of which no liquid reaches the top.
#define RV_SWE_WALL 1e9f
#define RV_SWE_TINY 1e-36f

// What stays the same for all faces of a substep.
typedef struct rv_swe_law {
    float push;    // s·m/s²/m: time of the push · g / dx; drop in level to velocity
    float kept;    // share of the velocity that is kept
    float drag;    // m², 3 dt ν
    float film;    // m, thinner cells do not flow
    float fall;    // m, drop between beds from which a face is a fall: dx tan 60°
    float carried; // s/m², dt'/dx²: last flux to change of depth
    float courant; // s/m, dt/dx
    float width;   // m, dx
    float dt_area; // s/m², dt/dx²
    float second;  // 1: of second order, 0: of first
    float deepest; // m, deeper faces push as this one would, so that a clipped step stays stable
    float fastest; // m/s
    float held;    // m⁶, (90 ν²/g)²: films with H⁶ under this are held by viscosity
    float free;    // 1, or 0: all films count as held
    float tilt;    // 1/65535, or 0: none is corrected
    float gravity; // m/s², 2 g
    uint32_t salt; // changes with every substep
} rv_swe_law;

RV_INLINE rv_f rv_swe_minmod(rv_f a, rv_f b)
{
    rv_f zero = rv_f_set(0.0f);
    return rv_f_max(rv_f_min(a, b), zero) + rv_f_min(rv_f_max(a, b), zero);
}

// Slope between two differences of neighbours: their mean, but no more than twice the smaller.
RV_INLINE rv_f rv_swe_slope(rv_f a, rv_f b)
{
    rv_f zero = rv_f_set(0.0f), mean = rv_f_set(0.5f) * (a + b), a2 = a + a, b2 = b + b;
    return rv_f_max(rv_f_min(rv_f_min(a2, b2), mean), zero) +
           rv_f_min(rv_f_max(rv_f_max(a2, b2), mean), zero);
}

// ---- Velocity -----------------------------------------------------------------------------------

// A velocity and its neighbours along one axis.
typedef struct rv_swe_line {
    rv_f low2, low, own, high, high2;
} rv_swe_line;

// How far into its future a velocity is looked at where it leaves its cell: half of what of the
// cell does not leave in the substep.
RV_INLINE rv_f rv_swe_lead(rv_f second, rv_f leaves)
{
    return rv_f_set(0.5f) * second * rv_f_max(rv_f_set(1.0f) - leaves, rv_f_set(0.0f));
}

// What the flow along one axis carries into a face's cell, over its depth: the change of u. in and
// out are what flows through the two ends, as shares of the depth, positive toward high. What comes
// in has the velocity at the end in the middle of the substep, by a limited slope; the leads are
// those of u.low, u.own and u.high.
RV_INLINE rv_f rv_swe_carry(rv_swe_line u, rv_f in, rv_f out, rv_f low, rv_f own, rv_f high)
{
    rv_f zero = rv_f_set(0.0f);
    rv_f d1 = u.low - u.low2, d2 = u.own - u.low, d3 = u.high - u.own, d4 = u.high2 - u.high;
    rv_f here = own * rv_swe_minmod(d2, d3);
    rv_f from_low = low * rv_swe_minmod(d1, d2) - d2, from_high = d3 - high * rv_swe_minmod(d3, d4);
    rv_f at_low = rv_f_pick(rv_f_above(in, zero), from_low, zero - here);
    rv_f at_high = rv_f_pick(rv_f_above(out, zero), here, from_high);
    return in * at_low - out * at_high;
}

// Along the face: its cell leaves at its own velocity.
RV_INLINE rv_f rv_swe_carry_along(const rv_swe_law *law, rv_swe_line u, rv_f in, rv_f out)
{
    rv_f second = rv_f_set(law->second), c = rv_f_set(law->carried * law->width);
    return rv_swe_carry(u, in, out, rv_swe_lead(second, c * rv_f_abs(u.low)),
                        rv_swe_lead(second, c * rv_f_abs(u.own)),
                        rv_swe_lead(second, c * rv_f_abs(u.high)));
}

// Across the face: by what flows through the ends.
RV_INLINE rv_f rv_swe_carry_across(const rv_swe_law *law, rv_swe_line u, rv_f in, rv_f out)
{
    rv_f second = rv_f_set(law->second);
    rv_f at_in = rv_swe_lead(second, rv_f_abs(in)), at_out = rv_swe_lead(second, rv_f_abs(out));
    rv_f own = rv_f_set(0.5f) * (at_in + at_out);
    return rv_swe_carry(u, in, out, at_in, own, at_out);
}

// One face and what is around it.
typedef struct rv_swe_face {
    rv_f bed_a, bed_b, depth_a, depth_b; // m
    rv_f press;                          // m, head from outside at a less that at b
    rv_f tilt;
    rv_swe_line along, across;       // m/s
    rv_f in, out, in_side, out_side; // m³/s, twice the mean flux through the ends of its cell
} rv_swe_face;

// Velocity after carrying, push and drag. `bare`: there is no viscosity; `tilted`: the tilt may not
// be 0; `limited`: the step is longer than waves allow.
//
// The depth of the drag is that of `pipes`: on a level bed the mean of both squares, which with the
// mean depth of the flux gives lubrication theory's H³; where the bed drives, the upstream one.
// On a slope a film's depth is normal to the bed: g becomes g cos²α and H² becomes H² cos²α. That
// is for films that viscosity holds, where its rate 3ν/H² is well over that of waves, √(g/H): the
// swinging lake has a level of its own, whatever its bed.
RV_INLINE rv_f rv_swe_velocity(const rv_swe_law *law, rv_swe_face f, int bare, int tilted,
                               int limited)
{
    rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f);
    rv_f level_a = f.bed_a + f.depth_a, level_b = f.bed_b + f.depth_b;
    rv_f drop = (level_a - level_b) + f.press, m = rv_f_abs(drop);
    rv_f up = rv_f_max(rv_f_max(level_a, level_b) - rv_f_max(f.bed_a, f.bed_b), zero);

    // twice the mean depth, and half the sums of fluxes: the halves cancel
    rv_f both = rv_f_max(f.depth_a + f.depth_b, rv_f_set(law->film));
    rv_f share = rv_f_set(law->carried) * rv_f_inverse(both);
    rv_f u =
        f.along.own + (rv_swe_carry_along(law, f.along, f.in * share, f.out * share) +
                       rv_swe_carry_across(law, f.across, f.in_side * share, f.out_side * share));
    // whatever the depths, nothing faster or slower is made than what was around
    rv_f most = rv_f_max(rv_f_max(rv_f_max(f.along.low, f.along.high), f.along.own),
                         rv_f_max(f.across.low, f.across.high));
    rv_f least = rv_f_min(rv_f_min(rv_f_min(f.along.low, f.along.high), f.along.own),
                          rv_f_min(f.across.low, f.across.high));
    u = rv_f_max(rv_f_min(u, most), least) * rv_f_set(law->kept);

    rv_mask falls = rv_f_above(rv_f_abs(f.bed_a - f.bed_b), rv_f_set(law->fall));
    rv_f head = rv_f_pick(falls, rv_f_min(m, up), m);
    rv_f push = rv_f_set(law->push) * rv_f_with_sign(head, drop);
    if (limited)
        push =
            push * rv_f_min(one, rv_f_set(law->deepest) * rv_f_inverse(up + rv_f_set(RV_SWE_TINY)));
    if (!bare) {
        rv_f down = rv_f_pick(rv_f_above(drop, zero), f.depth_b, f.depth_a);
        rv_f own = rv_f_min(rv_f_max(up - down, zero), m);
        rv_f m2 = m + m + rv_f_set(1e-10f);
        rv_f square = up * up * m2 - own * own * (up + down); // times m2
        if (tilted) {
            rv_f held = rv_f_set(law->held + RV_SWE_TINY), cube = up * up * up;
            rv_f all = held + rv_f_set(law->free) * (cube * cube);
            rv_f cos2 = one - f.tilt * rv_f_set(law->tilt) * (held * rv_f_inverse(all));
            square = square * cos2, push = push * cos2;
        }
        rv_f total = square + rv_f_set(law->drag) * m2 + rv_f_set(RV_SWE_TINY);
        u = (u + push) * (square * rv_f_inverse(total));
    } else {
        u = u + push;
    }
    rv_f fastest = rv_f_set(law->fastest);
    u = rv_f_max(rv_f_min(u, fastest), zero - fastest);
    return rv_f_pick(rv_f_above(up, rv_f_set(law->film)), u, zero);
}

// ---- Flux ---------------------------------------------------------------------------------------

// One end of a face, for the depth that flows through it.
typedef struct rv_swe_end {
    rv_f bed, depth, behind; // m; behind: depth one cell further from the face
    rv_f spread;             // m/s, outflow of the cell's four velocities
} rv_swe_end;

// Flux (m³/s) with the upstream depth: at the face, by a limited slope, and in the middle of the
// substep, in which the cell is thinned by what spreads and the flow itself is carried on (`low`
// and `high` are the velocities one face before and after). Toward a dry cell, and over a fall,
// only what stands over the sill flows.
RV_INLINE rv_f rv_swe_flux(const rv_swe_law *law, rv_swe_end a, rv_swe_end b, rv_f low, rv_f u,
                           rv_f high)
{
    rv_f zero = rv_f_set(0.0f), half = rv_f_set(0.5f), one = rv_f_set(1.0f);
    rv_f film = rv_f_set(law->film), courant = rv_f_set(law->courant);
    rv_f step = rv_f_set(law->second) * half;
    rv_mask from_a = rv_f_above(u, zero);
    rv_f up = rv_f_pick(from_a, a.depth, b.depth), down = rv_f_pick(from_a, b.depth, a.depth);
    rv_f behind = rv_f_pick(from_a, a.behind, b.behind);
    rv_f spread = rv_f_pick(from_a, a.spread, b.spread);
    rv_f level = up + rv_f_pick(from_a, a.bed, b.bed);
    rv_f thinned = one - rv_f_max(rv_f_min(step * courant * spread, half), zero - half);
    rv_f lead = step * rv_f_max(one - courant * rv_f_abs(u), zero);
    rv_f depth = up * thinned + lead * rv_swe_slope(up - behind, down - up);
    rv_f sill = rv_f_max(level - rv_f_max(a.bed, b.bed), zero);
    rv_f steep = rv_f_pick(rv_f_above(rv_f_abs(a.bed - b.bed), rv_f_set(law->fall)), zero, down);
    depth = rv_f_pick(rv_f_above(steep, film), depth, rv_f_min(depth, sill));
    rv_f turn = rv_f_max(step * half * courant * (high - low), zero - half);
    rv_f flux = u * rv_f_inverse(one + turn) * rv_f_max(depth, zero) * rv_f_set(law->width);
    return rv_f_pick(rv_f_above(up, film), flux, zero);
}

// How many substeps a second a cell needs, times dx (m/s): waves run at √(gH) beside the flow, and
// a chessboard of them feels both axes. u and v are the faster of the cell's two faces each.
RV_INLINE rv_f rv_swe_pace(const rv_swe_law *law, rv_f depth, rv_f u, rv_f v)
{
    rv_f pace = rv_f_sqrt(rv_f_set(law->gravity) * depth) + (u + v);
    return rv_f_pick(rv_f_above(depth, rv_f_set(law->film)), pace, rv_f_set(0.0f));
}

#endif
