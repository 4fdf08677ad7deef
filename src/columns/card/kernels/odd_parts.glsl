// Odd pipes, and what flows through the sides of columns that have them (../../seams.h). Needs odd,
// odd_columns, odd_flow, speed, flux.
#define NO_SLOT 0xffffffffu

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

SideFlow odd_last(uint k, uint side)
{
    bool back = odd[8u * k + 1u] == NO_SLOT && (side == 0u || side == 2u);
    float f = odd_flow[LAST_AT + k], u = odd_flow[LAST_AT + law.pipes + k];
    return back ? SideFlow(-f, -u) : SideFlow(f, u);
}

uint column_word(uint k, uint word)
{
    return odd_columns[law.slots + 4u * k + word];
}

uint entry_of(uint e, uint word)
{
    return odd_columns[law.slots + 4u * law.columns + 2u * e + word];
}

SideFlow side_sum(uint slot, uint side, SideFlow regular)
{
    uint at = odd_columns[slot];
    if (at == 0u) return regular;
    precise float total = regular.flux, weight = abs(regular.flux);
    precise float speeds = weight * regular.speed;
    uint first = column_word(at - 1u, 1u), end = first + column_word(at - 1u, 2u);
    for (uint e = first; e < end; e++) {
        if ((entry_of(e, 1u) & 15u) != side) continue;
        SideFlow f = odd_last(entry_of(e, 0u), side);
        total = total + f.flux;
        weight = weight + abs(f.flux);
        speeds = speeds + abs(f.flux) * f.speed;
    }
    float mean = 0.0;
    if (weight > 0.0) {
        mean = quotient_of(abs(speeds), weight);
        mean = uintBitsToFloat(floatBitsToUint(mean) | (floatBitsToUint(speeds) & 0x80000000u));
    }
    return SideFlow(total, mean);
}

float side_flux(uint slot, uint side, float regular)
{
    uint at = odd_columns[slot];
    if (at == 0u) return regular;
    precise float total = regular;
    uint first = column_word(at - 1u, 1u), end = first + column_word(at - 1u, 2u);
    for (uint e = first; e < end; e++)
        if ((entry_of(e, 1u) & 15u) == side) total = total + odd_last(entry_of(e, 0u), side).flux;
    return total;
}

// To first order what is half way has the velocity upstream.
float pass_by(float q, float low, float high)
{
    precise float product = q * (q > 0.0 ? low : high);
    return product;
}
