// The liquid at the sides of the grid (render/sides.c): from edges along the middles of the
// outermost cells strips go on to the grid's sides, and faces hang from these. A thread a triangle.
layout(local_size_x = 256) in;

#include "vertex"

#include "cut"

bool is_on(uint vertex, int side)
{
    precise float off = mesh[3u * vertex + uint(side >> 1)] - law.line[side];
    return abs(off) < law.near_line;
}

// A copy of a vertex, moved to a side of the grid (and to a second one in a corner, else -1). On a
// face: `below` how far under the surface, and a normal out of that side.
void put_copy(uint vertex, uint like, int side, int second, bool face, float below)
{
    const int width[7] = int[7](3, 3, 1, 3, 4, 1, 1);
    uint n = law.vertices, first = 0u;
    for (int k = 0; k < 7; k++) {
        uint wide = uint(width[k]);
        for (uint i = 0u; i < wide; i++)
            mesh[first * n + wide * vertex + i] = mesh[first * n + wide * like + i];
        first += wide;
    }
    mesh[3u * vertex + uint(side >> 1)] = law.side[side];
    if (second >= 0) mesh[3u * vertex + uint(second >> 1)] = law.side[second];
    precise float z = mesh[3u * like + 2u] - below;
    mesh[3u * vertex + 2u] = z;
    // without depth the surface ends there, and shaders carry an end on into what is steep
    mesh[6u * n + vertex] = larger(mesh[6u * n + like], 1e-9);
    mesh[15u * n + vertex] = face ? CUT : SHEET;
    if (!face) return;
    for (uint i = 0u; i < 3u; i++) mesh[3u * n + 3u * vertex + i] = 0.0;
    mesh[3u * n + 3u * vertex + uint(side >> 1)] = (side & 1) != 0 ? 1.0 : -1.0;
    mesh[14u * n + vertex] = 0.0;
}

// Faces reach half a cell into the ground: the bed may fall toward the side.
float lowest(uint vertex)
{
    precise float low = mesh[3u * vertex + 2u] - mesh[6u * law.vertices + vertex] - 0.5 * law.dx;
    return low;
}

// The lower of the two ends counts for both: at a wall the sheet ends without depth, and the liquid
// under it does not.
void add_face(inout uint vertex, inout uint at, uint a, int a_second, uint b, int b_second, int side)
{
    put_copy(vertex, a, side, a_second, true, 0.0);
    put_copy(vertex + 1u, b, side, b_second, true, 0.0);
    float low = smaller(lowest(a), lowest(b));
    precise float below_a = mesh[3u * a + 2u] - low, below_b = mesh[3u * b + 2u] - low;
    put_copy(vertex + 2u, a, side, a_second, true, below_a);
    put_copy(vertex + 3u, b, side, b_second, true, below_b);
    add_quad(at, vertex, vertex + 2u, vertex + 3u, vertex + 1u);
    vertex += 4u;
}

void add_strip(uint a, uint b, int side)
{
    uint v, at;
    if (!take(6u, 12u, v, at)) return;
    put_copy(v, a, side, -1, false, 0.0);
    put_copy(v + 1u, b, side, -1, false, 0.0);
    add_quad(at, b, a, v, v + 1u);
    v += 2u;
    add_face(v, at, a, -1, b, -1, side);
}

// The square in a corner of the grid.
void add_corner(uint like, int side, int next)
{
    uint v, at;
    if (!take(11u, 18u, v, at)) return;
    put_copy(v, like, side, -1, false, 0.0);
    put_copy(v + 1u, like, side, next, false, 0.0);
    put_copy(v + 2u, like, next, -1, false, 0.0);
    add_quad(at, like, v, v + 1u, v + 2u);
    v += 3u;
    add_face(v, at, like, -1, like, next, side);
    add_face(v, at, like, side, like, -1, next);
}

void main()
{
    const int next_side[4] = int[4](2, 3, 1, 0); // counter-clockwise: west, south, east, north
    uint t = thread_x();
    take_counts();
    if (t >= counted.triangles) return;
    for (uint k = 0u; k < 3u; k++) {
        uint a = corners[3u * t + k], b = corners[3u * t + (k + 1u) % 3u];
        for (int side = 0; side < 4; side++) {
            if (!is_on(a, side) || !is_on(b, side)) continue;
            add_strip(a, b, side);
            if (is_on(b, next_side[side])) add_corner(b, side, next_side[side]);
        }
    }
}
