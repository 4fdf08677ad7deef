#ifndef WITH_SHAPE
#define WITH_SHAPE
// How far inside a node is (../../shape.c, which says why).
#define BLURRED 0.52
#define FARTHEST 0.75

// ---- What clings to steep beds ------------------------------------------------------------------

uint behind(uint slot, int direction)
{
    uint back = uint(int(slot) - step_of(direction, pitch_of(slot)));
    return max_at(back) > base_at(back) ? back : NONE;
}

float goes_on(uint node, uint above, int direction)
{
    if (is_extra(node) || is_extra(above)) return 0.0;
    uint back = behind(node, direction);
    if (back == NONE) return 0.0;
    precise float rise = base_at(above) - base_at(node), fall = base_at(node) - base_at(back);
    if (!(rise > 0.0)) return 0.0;
    precise float thrice = 3.0 * fall;
    precise float on = over_of(thrice, rise) - 1.0;
    return clamp01(on);
}

float clings(uint node, uint above, int direction)
{
    float on = goes_on(node, above, direction);
    if (!(on > 0.0)) return 0.0;
    uint back = behind(node, direction);
    precise float fall = base_at(node) - base_at(back);
    precise float deeper = depth[node] - larger(depth[back], 0.0);
    precise float twice = 2.0 * (fall + deeper);
    precise float part = over_of(twice, fall) - 0.5;
    precise float all = on * clamp01(part);
    return all;
}

float clings_steeply(uint node, uint above, int direction)
{
    precise float up = base_at(above) - base_at(node);
    precise float rise = up * law.per_dx * ((direction & 1) != 0 ? 0.70710678 : 1.0);
    precise float steep = 2.0 * rise - 1.4;
    if (!(steep > 0.0)) return 0.0;
    precise float all = clamp01(steep) * clings(node, above, direction);
    return all;
}

float inside_wedge(float own, float at[8])
{
    precise float sides = (at[0] + at[4]) + (at[2] + at[6]);
    precise float corner = (at[1] + at[5]) + (at[3] + at[7]);
    precise float mean = (4.0 * own + 2.0 * sides + corner) * 0.0625;
    precise float diagonal = at[1] - at[5], other = at[7] - at[3];
    precise float x = 2.0 * (at[0] - at[4]) + (diagonal + other);
    precise float y = 2.0 * (at[2] - at[6]) + (diagonal - other);
    precise float square = x * x + y * y;
    precise float slope = root_of(square) * 0.125;
    precise float most = FARTHEST * law.dx, bound = (BLURRED + FARTHEST) * slope;
    if (!(mean < bound)) return most;
    precise float inside = (over_of(mean, slope) - BLURRED) * law.dx;
    return larger(inside, -most);
}

float more_than_film(float own)
{
    precise float more = 4.0 * own * law.per_dx - 1.0;
    return clamp01(more);
}

float is_rim(float own, float at[8])
{
    float most = own;
    for (int d = 0; d < 8; d++) most = at[d] > most ? at[d] : most;
    return more_than_film(most);
}

float inside_even(uint slot)
{
    float own = depth[slot], at[8];
    if (!(law.rim > 0.0)) return own;
    int pitch = pitch_of(slot);
    for (int d = 0; d < 8; d++) at[d] = depth[uint(int(slot) + step_of(d, pitch))];
    float inside = inside_wedge(own, at);
    precise float least = 0.05 * law.dx, part = law.rim * is_rim(own, at);
    return mixed(own, inside > least ? inside : least, part);
}

float thick_on(float own, float rise)
{
    precise float slope = rise * law.per_dx;
    precise float square = 1.0 + slope * slope;
    return over_of(own, root_of(square));
}

// How far a surface runs down a slope (../../surface.h).
float runs_down(float normal_z)
{
    precise float share = 4.0 * (0.76 - normal_z);
    return clamp01(share);
}

// How far inside a node is, whatever it is: as it is found, and when it is made fair (../../fair.c).
float inside_found(uint node)
{
    return kind_of(node) == KIND_EVEN ? inside_even(node) : values[law.nodes + node];
}

float inside_of(uint node)
{
    if (kind_of(node) != KIND_EVEN) return values[law.nodes + node];
    return (law.has & HAS_BENDS) != 0u ? law.dx : inside_even(node);
}
#endif
