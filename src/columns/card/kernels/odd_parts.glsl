// Odd pipes, and what flows through the sides of columns that have them (../../seams.h). Needs odd,
// odd_columns, odd_flow.
#include "odd_list"

struct OddPipe {
    uint a, b, way, side, plane_a, plane_b;
    float slope, gaps, opening;
    float beyond, held; // m, of a border: the bed there, and the depth that is held
    uint kind;
    bool border, back; // through a border; and there against x or y
};

OddPipe odd_pipe(uint k)
{
    uint w = 8u * k, what = odd[w + 2u];
    OddPipe p;
    p.a = odd[w], p.b = odd[w + 1u];
    p.way = what & 15u, p.side = (what >> 4) & 15u;
    p.plane_a = (what >> 8) & 255u, p.plane_b = (what >> 16) & 255u;
    p.slope = float(odd[w + 3u] & 0xffffu), p.gaps = float(odd[w + 3u] >> 16);
    p.held = uintBitsToFloat(odd[w + 4u]), p.opening = uintBitsToFloat(odd[w + 5u]);
    p.beyond = uintBitsToFloat(odd[w + 6u]);
    p.kind = odd[w + 7u];
    p.border = p.b == NO_SLOT;
    p.back = p.border && (p.side == 0u || p.side == 2u);
    return p;
}

// Through one side of a column, in the last substep, positive toward high.
struct SideFlow {
    float flux, speed;
};

// What flows through the sides of a column, west to north, with its odd pipes: `speeds` times what
// flows, whose sizes are `weight`. Without odd pipes it is what there is.
struct Sides {
    vec4 total, weight, speeds;
    bool odd, live; // it has odd pipes; one of them carried something
};

// `at`: 1 + the odd column, 0: it is none. `flux`, `speed`: of its regular pipes.
Sides sides_of(uint at, vec4 flux, vec4 speed)
{
    precise vec4 weight = abs(flux), speeds = weight * speed;
    Sides s = Sides(flux, weight, speeds, at != 0u, false);
    if (at == 0u) return s;
    OddSpan span = span_of(at - 1u);
    for (uint e = span.first; e < span.end; e += 4u) {
        OddFour four = four_from(e, span.end);
        vec4 flows = FOUR_OF(odd_flow, LAST_AT + four.pipe);
        vec4 fast = FOUR_OF(odd_flow, LAST_AT + law.pipes + four.pipe);
        uvec4 far = FOUR_WORDS(odd, 8u * four.pipe + 1u);
        for (uint j = 0u; j < 4u; j++) {
            if (e + j >= span.end) break;
            uint own = four.how[j] & 15u;
            bool back = far[j] == NO_SLOT && (own == 0u || own == 2u);
            float f = back ? -flows[j] : flows[j], u = back ? -fast[j] : fast[j];
            s.live = s.live || flows[j] != 0.0;
            for (uint side = 0u; side < 4u; side++) {
                precise float total = s.total[side] + f, size = s.weight[side] + abs(f);
                precise float sum = s.speeds[side] + abs(f) * u;
                if (side == own) s.total[side] = total, s.weight[side] = size, s.speeds[side] = sum;
            }
        }
    }
    return s;
}

// Through one of them; `regular` is the velocity in its regular pipe.
SideFlow side_of(Sides s, uint side, float regular)
{
    if (!s.odd) return SideFlow(s.total[side], regular);
    float mean = 0.0, weight = s.weight[side], speeds = s.speeds[side];
    if (weight > 0.0) {
        mean = quotient_of(abs(speeds), weight);
        mean = uintBitsToFloat(floatBitsToUint(mean) | (floatBitsToUint(speeds) & 0x80000000u));
    }
    return SideFlow(s.total[side], mean);
}

// To first order what is half way has the velocity upstream.
float pass_by(float q, float low, float high)
{
    precise float product = q * (q > 0.0 ? low : high);
    return product;
}
