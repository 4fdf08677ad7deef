// The physics of one pipe and of one column (SPEC §2; 003 §3.1 to §3.2), as small functions without branches
// over rv_f: one float, or a vector of them (base/simd.h).
//
// A pipe joins column a (low side) to column b (high side); flux is positive from a to b.
#ifndef RV_PIPES_PHYSICS_H
#define RV_PIPES_PHYSICS_H

#include "base/simd.h"

// What stays the same for all pipes of a substep.
typedef struct rv_pipe_law {
    float push;      // m/s, dt g: for A = dx H and l = dx
    float push_cell; // m²/s, dt g dx: for A = dx²
    float kept;      // ω^dt
    float drag;      // m², 3 dt ν
    float dt_area;   // s/m², dt / dx²: flux to change of depth
    float film;      // m, thinner columns do not flow
    uint32_t salt;   // changes with every substep
    float fall;      // m, drop between bases from which a pipe is a fall: dx tan 60°
} rv_pipe_law;

// Share of what a column may give or take in one substep. The last millionth stays, so that rounding of the
// four scaled fluxes can never take more than there is, and nothing need be clipped (clipping makes volume).
#define RV_PIPE_SHARE 0.999999f
// Smallest drag in a denominator, so that a dry frictionless pipe is 0 and not 0/0.
#define RV_PIPE_TINY 1e-37f
// Smallest drop in head in the weights below, m; far under what a float level resolves.
#define RV_PIPE_SMALL 1e-10f

#define RV_SALT 0x632be5abu // times a substep's number: its salt

// Depth after a change, rounded without bias. Where a deep column loses less than half the spacing of floats
// in every substep, plain rounding drops all of it, while its shallow neighbour gains all of it: 10,000
// substeps of a creeping drop made 4e-5 of its volume. Here the sum is rounded up or down by chance, in
// proportion; the chance comes from the bits of the numbers themselves and from the substep's number, so
// the same liquid gives the same result, also in a turned scene.
RV_INLINE float rv_depth_after(float depth, float change, uint32_t salt)
{
    int32_t d, c;
    __builtin_memcpy(&d, &depth, sizeof d);
    __builtin_memcpy(&c, &change, sizeof c);
    uint32_t mixed = (((uint32_t)c ^ (uint32_t)d << 7) + salt) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca6bu;
    float chance = (float)(int32_t)mixed * 0x1p-32f; // -½ … ½
    int32_t exponent = d & 0x7f800000;
    float spacing;
    __builtin_memcpy(&spacing, &exponent, sizeof spacing);
    float sum = depth + (change + chance * (spacing * 0x1p-23f));
    return change == 0.0f ? depth : sum;
}

// The column at one end of a pipe.
typedef struct rv_pipe_end {
    rv_f base;  // m
    rv_f depth; // m
    rv_f head;  // m, the level unless pressure is on it
} rv_pipe_end;

// Flux after pressure and drag with the wet cross-section. `opening` is the height between the higher base
// and the lower ceiling; `slope` is cos²α of the bed, 1 where no correction applies, 0 where there is no pipe.
//
// Which depth the pipe sees: where the bed is level, the mean of the two (exact for the lubrication flux
// (Ha⁴ - Hb⁴)/4, second order for waves); where the bed drives the flow, the upstream one (stable). With
// `up` the upstream level over the sill, `down` the downstream depth and m the drop in head, the share of the
// drop that is not the bed's is (up - down)/m, and half of it is the weight of `down`:
//     height  = up  - (up - down)  (up - down)/(2m)
//     height² = up² - (up² - down²)(up - down)/(2m)
// Multiplied by 2m neither needs a division; the drag's is the only one.
RV_INLINE rv_f rv_pipe_flux_wet(const rv_pipe_law *law, rv_pipe_end a, rv_pipe_end b, rv_f opening,
                                rv_f slope, rv_f flux)
{
    rv_f zero = rv_f_set(0.0f);
    rv_f drop = a.head - b.head;
    rv_f m = rv_f_abs(drop);
    rv_f sill = rv_f_max(a.base, b.base);
    rv_mask from_a = rv_f_above(drop, zero);
    rv_f level = rv_f_pick(from_a, a.base + a.depth, b.base + b.depth);
    rv_f up = rv_f_min(rv_f_max(level - sill, zero), opening);
    rv_f down = rv_f_min(rv_f_pick(from_a, b.depth, a.depth), opening);
    rv_f more = rv_f_min(rv_f_max(up - down, zero), m); // at most m but for rounding
    rv_f more2 = more * more;

    // Over 60° it is a fall: the depth over the sill drives it, as over a weir.
    rv_f film = up * m - rv_f_set(0.5f) * more2;
    rv_f weir = up * rv_f_min(m, up);
    rv_mask falls = rv_f_above(rv_f_abs(a.base - b.base), rv_f_set(law->fall));
    rv_f push = rv_f_max(rv_f_pick(falls, weir, film), zero);

    rv_f pushed = rv_f_set(law->kept) * flux +
                  rv_f_set(law->push) * slope * rv_f_with_sign(push, drop);
    rv_f m2 = m + m + rv_f_set(RV_PIPE_SMALL);
    rv_f square = slope * (up * up * m2 - more2 * (up + down));
    rv_f result = pushed * (square / (square + rv_f_set(law->drag) * m2 + rv_f_set(RV_PIPE_TINY)));
    return rv_f_pick(rv_f_above(up, rv_f_set(law->film)), result, zero);
}

// The papers' pipe: A = dx², drag by the depth of the column that the flux leaves.
RV_INLINE rv_f rv_pipe_flux_cell(const rv_pipe_law *law, rv_pipe_end a, rv_pipe_end b, rv_f slope,
                                 rv_f flux)
{
    rv_f zero = rv_f_set(0.0f);
    rv_f pushed = rv_f_set(law->kept) * flux + rv_f_set(law->push_cell) * slope * (a.head - b.head);
    rv_f depth = rv_f_pick(rv_f_above(pushed, zero), a.depth, b.depth);
    rv_f square = depth * depth * slope;
    rv_f result = pushed * (square / (square + rv_f_set(law->drag) + rv_f_set(RV_PIPE_TINY)));
    return rv_f_pick(rv_f_above(depth, rv_f_set(law->film)), result, zero);
}

// Share of its outflow that a column can give. out: change of depth that the fluxes ask for.
RV_INLINE rv_f rv_out_scale(rv_f depth, rv_f out)
{
    rv_f most = depth * rv_f_set(RV_PIPE_SHARE);
    return rv_f_pick(rv_f_above(out, most), most / out, rv_f_set(1.0f));
}

// Share of its inflow that a column can take. cap: depth at which it is full.
RV_INLINE rv_f rv_in_scale(rv_f depth, rv_f cap, rv_f in)
{
    rv_f room = rv_f_max(cap * rv_f_set(RV_PIPE_SHARE) - depth, rv_f_set(0.0f));
    return rv_f_pick(rv_f_above(in, room), room / in, rv_f_set(1.0f));
}

RV_INLINE rv_f rv_outflow(rv_f low_x, rv_f high_x, rv_f low_y, rv_f high_y)
{
    rv_f zero = rv_f_set(0.0f);
    return (rv_f_max(zero - low_x, zero) + rv_f_max(high_x, zero)) +
           (rv_f_max(zero - low_y, zero) + rv_f_max(high_y, zero));
}

RV_INLINE rv_f rv_inflow(rv_f low_x, rv_f high_x, rv_f low_y, rv_f high_y)
{
    rv_f zero = rv_f_set(0.0f);
    return (rv_f_max(low_x, zero) + rv_f_max(zero - high_x, zero)) +
           (rv_f_max(low_y, zero) + rv_f_max(zero - high_y, zero));
}

#endif
