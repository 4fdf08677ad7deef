// What closes the surface at the sides of the grid stands behind its own vertices and triangles,
// and behind those of droplets.
#define SHEET (-1.0)
#define CUT (-2.0)
#define CUT_ALONE (-2.25) // of a face that is not under the surface

void add_quad(inout uint at, uint a, uint b, uint c, uint d)
{
    corners[at] = a, corners[at + 1u] = b, corners[at + 2u] = c;
    corners[at + 3u] = a, corners[at + 4u] = c, corners[at + 5u] = d;
    at += 6u;
}

// Room for so many vertices and corners; false: there is none.
bool take(uint vertices, uint number, out uint vertex, out uint at)
{
    uint own = atomicAdd(status[STATUS_SIDE_VERTICES], vertices);
    vertex = counted.inside + counted.fresh + law.more + own, at = 0u;
    if (own + vertices > law.side_vertices) return false;
    at = atomicAdd(status[STATUS_DRAW], number);
    return true;
}
