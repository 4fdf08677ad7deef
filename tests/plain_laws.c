// What flows through one pipe, for the plain solver: the papers' law (area `cell`) and the one that
// carries momentum (area `wet`, and swe).
#include "plain_laws.h"

#include <math.h>
#include <string.h>

// ---- Numbers ------------------------------------------------------------------------------------

static uint32_t bits_of(float a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

// 1/a by a guess from the exponent and three steps of Newton's: what the engine has in place of a
// division, and its last bits count.
static float inverse(float a)
{
    float guess = float_of(0x7ef311c7u - bits_of(a));
    for (int i = 0; i < 3; i++) guess = guess * (2.0f - a * guess);
    return guess;
}

// What has died out is none.
static float unless_small(float a, float least)
{
    return fabsf(a) < least ? 0.0f : a;
}

float plain_new_depth(float depth, float change, uint32_t salt)
{
    if (change == 0.0f) return depth;
    uint32_t mixed = ((bits_of(change) ^ bits_of(depth) << 7) + salt) * 0x9e3779b1u;
    float chance = (float)(int32_t)mixed * 0x1p-55f;             // -½ … ½ of 2^-23
    float power_of_two = float_of(bits_of(depth) & 0x7f800000u); // 2^23 times the spacing there
    return fmaxf(0.0f, depth + (change + chance * power_of_two));
}

// The number of the substep, well mixed.
static uint32_t salt_of(uint32_t n)
{
    n = (n ^ n >> 16) * 0x85ebca6bu;
    n = (n ^ n >> 13) * 0xc2b2ae35u;
    return n ^ n >> 16;
}

// ---- What stays the same ------------------------------------------------------------------------

// ζ: what is left after a time of the share that a second, or a step, leaves.
static double kept_after(const rv_params *p, double time)
{
    if (p->solver == RV_SOLVER_SWE) return pow(p->swe_kept, time);
    return pow(p->pipes_kept, time) * pow(p->pipes_kept_step, time / p->time_step);
}

plain_law plain_law_of(const plain *p, double dt, bool clipped)
{
    const rv_params *q = &p->params;
    bool swe = q->solver == RV_SOLVER_SWE, second = !swe || q->swe_order == 2;
    double g = -q->gravity.z, dx = q->grid_dx, reach = q->pipes_pipe_area / q->pipes_pipe_length;
    double cell = q->liquid_density * g * 4.0 * dx, of = q->pipes_quotient_pressure; // Pa
    double weight = q->liquid_density * g / (of > 0 ? of : cell);
    // velocities go from the middle of the last substep to the middle of this one
    double time = p->flow ? 0.5 * (p->last + dt) : dt, one = (double)SLOPE_ONE;
    double push = p->flow ? time * g * reach / dx / one : time * g * reach / one * dx;
    plain_law law = {.push = (float)push,
                     .kept = (float)kept_after(q, time),
                     .drag = (float)(3.0 * time * q->liquid_viscosity * one),
                     .dt_area = (float)(dt / (dx * dx)),
                     .film = (float)q->pipes_film,
                     .fall = (float)(dx * tan(60.0 * 3.14159265358979323846 / 180.0)),
                     .quotient = swe ? 0.0f : (float)(q->pipes_quotient * weight * weight),
                     .last_area = (float)(p->last / (dx * dx)),
                     .last_courant = (float)(p->last / dx),
                     .courant = (float)(dt / dx),
                     .dx = (float)dx,
                     .half = second ? 0.5f : 0.0f,
                     .deepest = clipped ? (float)(dx * dx / (2.0 * g * dt * dt)) : 1e30f,
                     .fastest = (float)(dx / dt),
                     .slant_x = (float)(q->gravity.x / g * dx),
                     .slant_y = (float)(q->gravity.y / g * dx),
                     .salt = salt_of(p->substeps)};
    double lost = swe ? 0 : q->pipes_quotient * weight * weight;
    law.steepest = lost > 0 && !q->pipes_quotient_holds ? (float)(1 / sqrt(3 * lost)) : 1e30f;
    if (p->flow) law.film = fmaxf(law.film, 1e-25f); // something to divide by
    if (p->has_slopes) law.bend = (float)(1.0 / (one * dx * dx));
    if (p->has_slopes) law.bend_side = (float)(0.25 / (one * (double)RISE_ONE * dx));
    return law;
}

plain_law plain_law_diagonal(plain_law law)
{
    law.fall = law.fall * 1.41421356f, law.bend = 0.5f * law.bend; // √2 as long
    return law;
}

// What the viscous force of a tank leaves of the push: with P the difference of pressures that
// force is V P³ while |P| ≤ 1/√(3V), and beyond that all but what it leaves there; held, it is V P³
// while |P| ≤ 1/√V, and P itself beyond.
static float left_of_push(const plain_law *law, float drop)
{
    float size = fabsf(drop);
    if (size > law->steepest) return law->steepest * 0.6666667f * inverse(size + 1e-36f);
    return fmaxf(1.0f - law->quotient * (drop * drop), 0.0f);
}

// ---- Area `cell` --------------------------------------------------------------------------------

// f ← ζ f + dt g dx (h_a − h_b), then f ← f H²/(H² + 3 dt ν), H where it comes from.
float plain_cell_flux(const plain_law *law, plain_end a, plain_end b, const plain_look *pipe,
                      float flux)
{
    float drop = (a.base + a.depth) - (b.base + b.depth);
    drop = (drop + (a.press - b.press)) + pipe->slant;
    drop = drop * pipe->share * left_of_push(law, drop);
    float pushed = unless_small(law->kept * flux + law->push * pipe->slope * drop, 1e-24f);
    float depth = pushed > 0.0f ? a.depth : b.depth;
    if (!(depth > law->film)) return 0.0f;
    float square = depth * depth * pipe->slope;
    return pushed * (square * inverse(square + law->drag + 1e-36f));
}

// ---- Area `wet`: what is carried ----------------------------------------------------------------

// Of two slopes the flatter; none where they differ in sign.
static float flatter(float a, float b)
{
    if (a > 0.0f && b > 0.0f) return fminf(a, b);
    if (a < 0.0f && b < 0.0f) return fmaxf(a, b);
    return 0.0f;
}

// Their mean, but no more than twice the flatter; none where they differ in sign.
static float limited(float a, float b)
{
    float mean = 0.5f * (a + b);
    if (a > 0.0f && b > 0.0f) return fminf(fminf(a + a, b + b), mean);
    if (a < 0.0f && b < 0.0f) return fmaxf(fmaxf(a + a, b + b), mean);
    return 0.0f;
}

// From upstream along a limited slope, as it is in the middle of the substep.
float plain_between_two(const plain_law *law, float low2, float low, float own, float high,
                        float flux)
{
    float up = flux > 0.0f ? low : own;
    float way = law->half * fmaxf(1.0f - law->last_courant * fabsf(up), 0.0f);
    if (flux > 0.0f) return low + way * flatter(low - low2, own - low);
    return own - way * flatter(own - low, high - own);
}

// dt (Σ q̄ û − u Σ q̄) / dx², of what comes less what goes.
float plain_carried(const plain_law *law, const plain_past *past, float u)
{
    float brought = (past->low - past->high) + (past->south - past->north);
    float gained = (past->in - past->out) + (past->in_side - past->out_side);
    return law->last_area * (brought - u * gained);
}

// The depth of all that comes.
float plain_comes(const plain_law *law, const plain_past *past)
{
    return law->last_area * ((fmaxf(past->in, 0.0f) - fminf(past->out, 0.0f)) +
                             (fmaxf(past->in_side, 0.0f) - fminf(past->out_side, 0.0f)));
}

// ---- Area `wet`: one pipe -----------------------------------------------------------------------

// 1 − cos²α ∇b·∇H, kept within 0.8 … 1.2.
static float lean(const plain_law *law, plain_end a, plain_end b, const plain_look *pipe)
{
    float along = (b.base - a.base) * (b.depth - a.depth) * law->bend;
    float across = pipe->rise * pipe->side * law->bend_side;
    return fmaxf(fminf(1.0f - pipe->slope * (along + across), 1.2f), 0.8f);
}

static bool is_fall(const plain_law *law, plain_end a, plain_end b)
{
    return fabsf(a.base - b.base) > law->fall;
}

// The head that drives it, positive toward b: the difference of levels; at a fall no more than what
// stands over the sill, as over a weir.
static float head(const plain_law *law, plain_end a, plain_end b, const plain_look *pipe)
{
    float level_a = a.base + a.depth, level_b = b.base + b.depth;
    float drop = ((level_a - level_b) + (a.press - b.press)) + pipe->slant, size = fabsf(drop);
    float over = fmaxf((drop > 0.0f ? level_a : level_b) - fmaxf(a.base, b.base), 0.0f);
    float less = over > law->deepest ? law->deepest * inverse(over + 1e-36f) : 1.0f;
    float driving = is_fall(law, a, b) ? fminf(size, over) : size;
    return copysignf(driving, drop) * (pipe->share * left_of_push(law, size) * less);
}

// The depth that flows: that upstream, on a limited slope taken to the pipe and to the middle of
// the substep, less what has spread by then. Toward liquid it is at most what stands over the
// middle of both beds, toward a dry column and down a fall what stands over the sill.
static float depth_that_flows(const plain_law *law, plain_end a, plain_end b, bool from_a,
                              const plain_look *pipe)
{
    plain_end up = from_a ? a : b, down = from_a ? b : a;
    if (!(up.depth > law->film)) return 0.0f;
    float level_a = a.base + a.depth, level_b = b.base + b.depth, step = fabsf(a.base - b.base);
    float way = law->half * fmaxf(1.0f - law->courant * fabsf(pipe->u), 0.0f);
    float thinner = fmaxf(fminf(law->half * law->courant * up.spread, 0.5f), -0.5f);
    float depth =
        up.depth * (1.0f - thinner) + way * limited(up.depth - up.behind, down.depth - up.depth);
    bool wet_beyond = !is_fall(law, a, b) && down.depth > law->film;
    float most = wet_beyond ? fmaxf(level_a, level_b) + 0.5f * step : from_a ? level_a : level_b;
    depth = fminf(depth, most - fmaxf(a.base, b.base));
    return fmaxf(fminf(depth, pipe->opening), 0.0f);
}

// u ← (ζ u + push) D²/(D² + 3 dt ν) and q = u D, D the depth that flows.
plain_flow plain_wet_flow(const plain_law *law, plain_end a, plain_end b, const plain_look *pipe,
                          bool timed)
{
    float push = law->push * pipe->slope * lean(law, a, b, pipe);
    float pushed = unless_small(law->kept * (pipe->u * pipe->both + pipe->carried) +
                                    push * head(law, a, b, pipe) * pipe->both,
                                1e-20f);
    float depth = depth_that_flows(law, a, b, pushed > 0.0f, pipe);
    float square = depth * depth * pipe->slope, total = (square + law->drag) * pipe->both;
    float u = pushed * (square * inverse(fmaxf(total, 1e-30f)));
    u = fmaxf(fminf(u, law->fastest), -law->fastest);
    float flux = u * depth * law->dx;
    if (timed) { // the flow itself goes on to the middle of the substep
        float turn = 0.5f * (law->half * law->courant) * (pipe->high - pipe->low);
        flux = flux * inverse(1.0f + fmaxf(turn, -0.5f));
    }
    if (fabsf(flux) < 1e-24f) flux = copysignf(0.0f, flux);
    return (plain_flow){u, flux};
}
