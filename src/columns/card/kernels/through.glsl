// One pipe of law `flow` (../../laws/flow.h): the functions have the same names there. HARD, TILTED,
// TENSE and TIMED are what rv_flow_ease has.

struct End {
    float base, depth, behind; // m
    float spread;              // m/s
    float press;               // m
};

struct Pipe {
    float slope;
    float u, carried, both;
    float rise, side, pull;
    float slant, opening, share;
    float low, high;
};

struct Flow {
    float speed, flux;
};

// What flows past a velocity.
struct Past {
    float comes_in, goes_out, in_side, out_side;
    float low, high, south, north;
};

float minmod(float a, float b)
{
    precise float sum = larger(smaller(a, b), 0.0) + smaller(larger(a, b), 0.0);
    return sum;
}

float limited(float a, float b)
{
    precise float mean = 0.5 * (a + b), a2 = a + a, b2 = b + b;
    precise float sum = larger(smaller(smaller(a2, b2), mean), 0.0) +
                        smaller(larger(larger(a2, b2), mean), 0.0);
    return sum;
}

float flow_slope(float low, float own, float high)
{
    precise float left = 1.0 - law.lead * abs(own);
    precise float below = own - low, above = high - own;
    precise float slope = law.second * larger(left, 0.0) * minmod(below, above);
    return slope;
}

// Half way from a pipe to the one after it: q, twice what flows there, times the velocity upstream.
// `low2` … `high`: velocities of the pipe before the first, the two, and the pipe after.
float flow_between(float low2, float low, float own, float high, float q)
{
    precise float from_low = low + flow_slope(low2, low, own);
    precise float from_own = own - flow_slope(low, own, high);
    precise float product = q * (q > 0.0 ? from_low : from_own);
    return product;
}

float flow_carried(Past p, float u)
{
    precise float brought = (p.low - p.high) + (p.south - p.north);
    precise float gained = (p.comes_in - p.goes_out) + (p.in_side - p.out_side);
    precise float result = law.carried * (brought - u * gained);
    return result;
}

float flow_comes(Past p)
{
    precise float result =
        law.carried * ((larger(p.comes_in, 0.0) - smaller(p.goes_out, 0.0)) +
                       (larger(p.in_side, 0.0) - smaller(p.out_side, 0.0)));
    return result;
}

float flow_lean(End a, End b, Pipe p, float bend)
{
    precise float along = (b.base - a.base) * (b.depth - a.depth) * bend;
    precise float lean = 1.0 - p.slope * (along + p.rise * p.side * law.bend_side);
    return larger(smaller(lean, 1.2), 0.8);
}

#ifdef TENSE
float flow_drawn(End a, End b, Pipe p, float drop)
{
    precise float across = (b.base - a.base) * p.rise * law.draw_side;
    precise float drawn = drop * (1.0 + p.rise * p.rise * law.draw) + across * p.pull;
    return drawn;
}
#endif

float flow_head(End a, End b, Pipe p, float fall)
{
    precise float level_a = a.base + a.depth, level_b = b.base + b.depth;
    precise float drop = level_a - level_b;
#if defined(HARD) || defined(TENSE)
    drop = drop + (a.press - b.press);
#endif
#ifdef HARD
    drop = drop + p.slant;
#endif
#ifdef TENSE
    drop = flow_drawn(a, b, p, drop);
#endif
#ifdef HARD
    float m = abs(drop);
    float higher = drop > 0.0 ? level_a : level_b;
    precise float over = higher - larger(a.base, b.base), step_up = a.base - b.base;
    float up = larger(over, 0.0);
    float size = abs(step_up) > fall ? smaller(m, up) : m;
    float head = uintBitsToFloat((floatBitsToUint(size) & 0x7fffffffu) |
                                 (floatBitsToUint(drop) & 0x80000000u));
    precise float tiny = up + 1e-36;
    precise float small = law.deepest * inverse_of(tiny);
    float less = up > law.deepest ? small : 1.0;
    precise float result = head * (p.share * pipe_left(m) * less);
    return result;
#else
    return drop;
#endif
}

float flow_depth(End a, End b, bool from_a, Pipe p, float fall)
{
    float up = from_a ? a.depth : b.depth, down = from_a ? b.depth : a.depth;
    float behind = from_a ? a.behind : b.behind, spread = from_a ? a.spread : b.spread;
    precise float level_a = a.base + a.depth, level_b = b.base + b.depth;
    precise float apart = a.base - b.base;
    float sill = larger(a.base, b.base), step_up = abs(apart);
    precise float left = 1.0 - law.courant * abs(p.u);
    precise float lead = law.reach * larger(left, 0.0);
    precise float out_of = law.reach * law.courant * spread;
    precise float thinned = 1.0 - larger(smaller(out_of, 0.5), -0.5);
    precise float before = up - behind, after = down - up;
    precise float deep = up * thinned + lead * limited(before, after);
    precise float half_way = larger(level_a, level_b) + 0.5 * step_up;
    float own = from_a ? level_a : level_b, beyond = down, most = half_way;
#ifdef TENSE
#ifdef HARD
    most = step_up > fall ? own : half_way;
#endif
#else
#ifdef HARD
    beyond = step_up > fall ? 0.0 : down;
#endif
    most = beyond > law.film ? half_way : own;
#endif
    precise float over = most - sill;
    deep = smaller(deep, over);
#ifdef HARD
    deep = smaller(deep, p.opening);
#endif
    return up > law.film ? larger(deep, 0.0) : 0.0;
}

float flow_pushed(End a, End b, Pipe p, float fall, float bend)
{
    precise float push = law.push * p.slope;
#if defined(TILTED) && !defined(TENSE) // else heads do it
    push = push * flow_lean(a, b, p, bend);
#endif
    precise float head = flow_head(a, b, p, fall);
    precise float pushed = law.kept * (p.u * p.both + p.carried) + push * head * p.both;
    return unless_small(pushed, DRIVE_LEAST);
}

float flow_clamped(float u)
{
    precise float least = 0.0 - law.fastest;
    return larger(smaller(u, law.fastest), least);
}

Flow flow_dragged(float pushed, float deep, Pipe p, bool timed)
{
    precise float square = deep * deep * p.slope;
    precise float total = (square + law.drag) * p.both;
    precise float share = square * inverse_of(larger(total, 1e-30));
    precise float fast = pushed * share;
    float u = flow_clamped(fast);
    precise float flux = u * deep * law.width;
    if (timed) {
        precise float turn = 0.5 * law.turned * (p.high - p.low);
        precise float more = 1.0 + larger(turn, -0.5);
        flux = flux * inverse_of(more);
    }
    if (abs(flux) < FLUX_LEAST) // over a sill that is all but dry
        return Flow(u, uintBitsToFloat(floatBitsToUint(flux) & 0x80000000u));
    return Flow(u, flux);
}

Flow flow_through(End a, End b, Pipe p, float fall, float bend, bool timed)
{
    float pushed = flow_pushed(a, b, p, fall, bend);
    float deep = flow_depth(a, b, pushed > 0.0, p, fall);
    return flow_dragged(pushed, deep, p, timed);
}
