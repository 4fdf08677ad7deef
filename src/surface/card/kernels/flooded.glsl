// Faces of flooded columns at the sides of the grid, which no mesh ends above (render/sides.c): a
// thread a cell of a side. Rings are depths, then whether a column is flooded.
layout(local_size_x = 64) in;

#include "vertex"
#include "cut"

bool is_full(uint slot)
{
    return rings[law.slots + slot] != 0u;
}

float top_of(uint slot)
{
    return is_full(slot) ? max_at(slot) : level_at(slot);
}

int cells_along(int side)
{
    return int(side < 2 ? law.ny : law.nx);
}

bool column_of(int side, int k, uint plane, out uint slot)
{
    int x = side == 0 ? 0 : side == 1 ? int(law.nx) - 1 : k;
    int y = side == 2 ? 0 : side == 3 ? int(law.ny) - 1 : k;
    return slot_in(plane, x, y, slot) && max_at(slot) > base_at(slot);
}

void put_alone(uint vertex, int side, float along, float z, float deep)
{
    int begins = side < 2 ? 2 : 0;
    uint axis = uint(side >> 1);
    precise float at = law.side[begins] + along;
    vec3 place = vec3(0.0, 0.0, z), normal = vec3(0.0);
    place[axis] = law.side[side], place[1u - axis] = at;
    normal[axis] = (side & 1) != 0 ? 1.0 : -1.0;
    put(vertex, place, Flow(normal, vec3(0.0), 0.0), larger(deep, 1e-9), CUT_ALONE);
    uint contact = 10u * law.vertices + 4u * vertex;
    mesh[contact] = 1e9; // far from any
    mesh[contact + 1u] = mesh[contact + 2u] = mesh[contact + 3u] = 0.0;
}

void add_plate(int side, vec2 along, vec2 top, float low, float deep)
{
    uint v, at;
    // seen from outside, the second end is to the right on the southern and the eastern side
    int first = side == 1 || side == 2 ? 0 : 1;
    if (!take(4u, 6u, v, at)) return;
    put_alone(v, side, along[first], top[first], deep);
    put_alone(v + 1u, side, along[first], low, deep);
    put_alone(v + 2u, side, along[1 - first], low, deep);
    put_alone(v + 3u, side, along[1 - first], top[1 - first], deep);
    add_quad(at, v, v + 1u, v + 2u, v + 3u);
}

// The column of a cell whose void meets that of a flooded one; a wet one goes before a dry one.
bool column_beside(int side, int k, uint own, out uint found, out bool wet)
{
    bool any = false;
    wet = false, found = 0u;
    for (uint l = 0u; l < law.planes && !wet; l++) {
        uint slot;
        if (!column_of(side, k, l, slot)) continue;
        float low = larger(base_at(own), base_at(slot));
        if (!(low < smaller(max_at(own), max_at(slot)))) continue;
        wet = low < top_of(slot) && depth[slot] > 0.0;
        found = slot, any = true;
    }
    return any;
}

// Half of a flooded column's face, toward the cell on one side of it.
void add_half(int side, int k, int step, uint own)
{
    precise float into = 0.5 * law.dx, middle = (float(k) + 0.5) * law.dx, reach = 0.5 * law.dx;
    precise float high = max_at(own) + into, low = base_at(own) - into;
    vec2 top = vec2(high);
    bool within = k + step >= 0 && k + step < cells_along(side), wet = false;
    uint other = 0u;
    bool found = within && column_beside(side, k + step, own, other, wet);
    if (within && !found) reach = law.dx;
    precise float other_low = base_at(other) - into;
    if (found && wet) low = smaller(low, other_low);
    if (found && wet && !is_full(other)) {
        float level = level_at(other);
        reach = law.dx;
        top = vec2(larger(max_at(own), level), level);
    } else if (found && wet) {
        precise float both = larger(max_at(own), max_at(other)) + into;
        top = vec2(both);
    }
    precise float far = middle + float(step) * reach, deep = max_at(own) - base_at(own);
    if (step < 0)
        add_plate(side, vec2(far, middle), top.yx, low, deep);
    else
        add_plate(side, vec2(middle, far), top, low, deep);
}

void main()
{
    int k = int(thread_x()), side = 0;
    take_counts();
    if (!counted.fits) return;
    while (side < 4 && k >= cells_along(side)) k -= cells_along(side), side++;
    for (uint l = 0u; side < 4 && l < law.planes; l++) {
        uint slot;
        if (!column_of(side, k, l, slot) || !is_full(slot)) continue;
        add_half(side, k, -1, slot);
        add_half(side, k, 1, slot);
    }
}
