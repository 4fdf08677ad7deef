// The physics of one pipe and of one column (SPEC §2; 003 §3.1 to §3.2), as small functions of plain floats
// without branches, so that loops over them become vector code and other compilers can take them.
//
// A pipe joins column a (low side) to column b (high side); flux is positive from a to b.
#ifndef RV_PIPES_PHYSICS_H
#define RV_PIPES_PHYSICS_H

#ifndef RV_INLINE
#define RV_INLINE static inline __attribute__((always_inline))
#endif

// What stays the same for all pipes of a substep.
typedef struct rv_pipe_law {
    float push;      // dt g / dx · dx = dt g: acceleration, for A = dx · H
    float push_cell; // dt g dx, for A = dx²
    float kept;      // ω^dt
    float drag;      // 3 dt ν
    float dx;        // m
    float dt_area;   // dt / dx²: flux to change of depth
    float film;      // m, thinner columns do not flow
    float fall;      // m, drop between bases from which a pipe is a fall: dx tan 60°
} rv_pipe_law;

// Share of what a column may give or take in one substep. The last millionth stays, so that rounding of the
// four scaled fluxes can never take more than there is, and nothing need be clipped (clipping makes volume).
#define RV_PIPE_SHARE 0.999999f
// Smallest drag in a denominator, so that a dry frictionless pipe is 0 and not 0/0.
#define RV_PIPE_TINY 1e-37f
// Smallest drop in head in the weights below, m; far under what a float level resolves.
#define RV_PIPE_SMALL 1e-10f

RV_INLINE float rv_minf(float a, float b)
{
    return a < b ? a : b;
}

RV_INLINE float rv_maxf(float a, float b)
{
    return a > b ? a : b;
}

RV_INLINE float rv_absf(float a)
{
    return __builtin_fabsf(a);
}

// The column at one end of a pipe.
typedef struct rv_pipe_end {
    float base;  // m
    float depth; // m
    float head;  // m, the level unless pressure is on it
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
RV_INLINE float rv_pipe_flux_wet(const rv_pipe_law *law, rv_pipe_end a, rv_pipe_end b, float opening,
                                 float slope, float flux)
{
    float drop = a.head - b.head;
    float m = rv_absf(drop);
    float sill = rv_maxf(a.base, b.base);
    float level_a = a.base + a.depth, level_b = b.base + b.depth;
    float level = drop > 0.0f ? level_a : level_b;
    float up = rv_minf(rv_maxf(level - sill, 0.0f), opening);
    float down = rv_minf(drop > 0.0f ? b.depth : a.depth, opening);
    float more = rv_maxf(up - down, 0.0f);
    float more2 = more * more;

    // Over 60° it is a fall: the depth over the sill drives it, as over a weir.
    float film = up * m - 0.5f * more2;
    float weir = up * rv_minf(m, up);
    float push = rv_absf(a.base - b.base) > law->fall ? weir : film;

    float pushed = law->kept * flux + law->push * slope * __builtin_copysignf(push, drop);
    float m2 = m + m + RV_PIPE_SMALL;
    float square = slope * (up * up * m2 - more2 * (up + down));
    float result = pushed * (square / (square + law->drag * m2 + RV_PIPE_TINY));
    return up > law->film ? result : 0.0f;
}

// The papers' pipe: A = dx², drag by the depth of the column that the flux leaves.
RV_INLINE float rv_pipe_flux_cell(const rv_pipe_law *law, rv_pipe_end a, rv_pipe_end b, float slope,
                                  float flux)
{
    float pushed = law->kept * flux + law->push_cell * slope * (a.head - b.head);
    float depth = pushed > 0.0f ? a.depth : b.depth;
    float depth2 = depth * depth * slope;
    float result = pushed * (depth2 / (depth2 + law->drag + RV_PIPE_TINY));
    return depth > law->film ? result : 0.0f;
}

// Share of its outflow that a column can give. out: change of depth that the fluxes ask for.
RV_INLINE float rv_out_scale(float depth, float out)
{
    return out > depth * RV_PIPE_SHARE ? depth * RV_PIPE_SHARE / out : 1.0f;
}

// Share of its inflow that a column can take. cap: depth at which it is full.
RV_INLINE float rv_in_scale(float depth, float cap, float in)
{
    float room = rv_maxf(cap * RV_PIPE_SHARE - depth, 0.0f);
    return in > room ? room / in : 1.0f;
}

RV_INLINE float rv_outflow(float low_x, float high_x, float low_y, float high_y)
{
    return (rv_maxf(-low_x, 0.0f) + rv_maxf(high_x, 0.0f)) +
           (rv_maxf(-low_y, 0.0f) + rv_maxf(high_y, 0.0f));
}

RV_INLINE float rv_inflow(float low_x, float high_x, float low_y, float high_y)
{
    return rv_outflow(-low_x, -high_x, -low_y, -high_y);
}

#endif
