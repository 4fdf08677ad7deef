// How far inside columns are, made fair (../../fair.c). BEGIN: a distance; then a turn, law.ring the
// share of the way to the mean, law.pass_number which of the two numbers is read; END: what they are.
layout(local_size_x = 16, local_size_y = 16) in;

#include "shape"

#define FAR 1.0
#define MOST 0.6
#define DRY 0.2
#define BARELY 0.12
#define LEAST 0.05

// Of a column, as it was found, and while it is made fair, twice.
#define AT_FOUND 3u
#define AT_FAIR 4u

float cells_to_end(uint slot)
{
    float at[8], own = values[law.nodes + slot];
    for (int d = 0; d < 8; d++) {
        uint o = linked_to(slot, d);
        at[d] = o == NONE ? own : inside_found(o);
    }
    precise float diagonal = at[1] - at[5], other = at[7] - at[3];
    precise float x = 2.0 * (at[0] - at[4]) + (diagonal + other);
    precise float y = 2.0 * (at[2] - at[6]) + (diagonal - other);
    precise float square = x * x + y * y;
    precise float slope = root_of(square) * 0.125, bound = FAR * slope;
    float cells = abs(own) < bound ? over_of(abs(own), slope) : FAR;
    return own > 0.0 ? cells : -cells;
}

float fair_of(uint node)
{
    if (kind_of(node) == KIND_EVEN) return FAR;
    return values[(AT_FAIR + law.pass_number) * law.nodes + node];
}

float mean_around(uint slot, bool dry)
{
    precise float sum = 0.0, all = 0.0;
    for (int d = 0; d < 8; d++) {
        uint o = linked_to(slot, d);
        bool corner = (d & 1) != 0;
        precise float rise = o != NONE ? (base_at(o) - base_at(slot)) * law.per_dx : 0.0;
        precise float far = 1.0 + (corner ? 0.5 : 1.0) * rise * rise;
        precise float weight = over_of(corner ? 1.0 : 2.0, far);
        float there = o != NONE ? fair_of(o) : dry ? -FAR : fair_of(slot);
        sum += weight * there, all += weight;
    }
    return over_of(sum, all);
}

float evened(uint slot)
{
    bool dry = kind_of(slot) == KIND_DRY;
    float own = fair_of(slot), found = values[AT_FOUND * law.nodes + slot];
    precise float to = own + law.ring * (mean_around(slot, dry) - own);
    precise float low = found - MOST, high = found + MOST;
    to = smaller(larger(to, low), high);
    if (dry) to = smaller(to, -DRY);
    return smaller(larger(to, -FAR), FAR);
}

void main()
{
    Place p = place_here();
    if (!p.exists || (kind_of(p.slot) != KIND_DRY && kind_of(p.slot) != KIND_WET)) return;
#if defined(BEGIN)
    float cells = cells_to_end(p.slot);
    values[AT_FOUND * law.nodes + p.slot] = values[AT_FAIR * law.nodes + p.slot] = cells;
#elif defined(END)
    float cells = values[AT_FAIR * law.nodes + p.slot];
    if (kind_of(p.slot) == KIND_WET && cells > -BARELY) cells = larger(cells, LEAST);
    precise float inside = cells * law.dx;
    values[law.nodes + p.slot] = inside;
#else
    values[(AT_FAIR + 1u - law.pass_number) * law.nodes + p.slot] = evened(p.slot);
#endif
}
