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
// and the lower ceiling; `slope` is cos²α of the bed, 1 where no correction applies.
//
// Which depth the pipe sees: where the bed is level, the mean (exact for the lubrication flux
// (Ha⁴ - Hb⁴)/4 and second order for waves); where the bed drives the flow, the upstream depth (stable).
// `s`, the share of the drop in head that is a drop of the bed, goes from one to the other.
RV_INLINE float rv_pipe_flux_wet(const rv_pipe_law *law, rv_pipe_end a, rv_pipe_end b, float opening,
                                 float slope, float flux)
{
    float drop = a.head - b.head;
    float bed = a.base - b.base;
    float sill = rv_maxf(a.base, b.base);
    int from_a = drop > 0.0f;
    float level_up = from_a ? a.base + a.depth : b.base + b.depth;
    float down = rv_minf(from_a ? b.depth : a.depth, opening);
    float up = rv_minf(rv_maxf(level_up - sill, 0.0f), opening);

    float along = bed * drop;
    float square = drop * drop;
    float s = along >= square ? 1.0f : along <= 0.0f ? 0.0f : along / square;
    float mix = 0.5f - 0.5f * s;
    float height = up + mix * (down - up);
    float height2 = (up * up + mix * (down * down - up * up)) * slope;

    // Over 60° it is a fall: the depth over the sill drives it, as over a weir.
    float weir = rv_minf(rv_absf(drop), up);
    float drive = rv_absf(bed) > law->fall ? (from_a ? weir : -weir) : drop;

    float pushed = law->kept * flux + law->push * slope * height * drive;
    float result = pushed * (height2 / (height2 + law->drag + RV_PIPE_TINY));
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
