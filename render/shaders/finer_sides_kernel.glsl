// What closes the finer surface at the sides of the grid (render/sides.c): from edges along the middles of the outermost
// cells strips go on to the grid's sides, and faces hang from these. Those of flooded columns, which no mesh ends above, are
// the surface's own. A thread a triangle.
layout(local_size_x = 256) in;
#include finer
#define SHEET (-1.0)
#define CUT (-2.0)
#define CUT_ALONE (-2.25)

bool is_on(uint v, int k)
{
    return abs(from[3u * v + uint(k >> 1)] - law.line[k]) < law.near_line;
}

// Room for so many vertices and corners; false: there is none.
bool take(uint vertices, uint number, out uint v, out uint at)
{
    uint own = atomicAdd(work[WORK_SIDE], vertices);
    v = law.room - law.side_room + own, at = 0u;
    if (own + vertices > law.side_room) return false;
    at = atomicAdd(work[WORK_DRAW], number);
    return true;
}

void add_quad(inout uint at, uint a, uint b, uint c, uint d)
{
    index[at] = a, index[at + 1u] = b, index[at + 2u] = c;
    index[at + 3u] = a, index[at + 4u] = c, index[at + 5u] = d;
    at += 6u;
}

// A copy of a vertex, moved to a side of the grid (and to a second one in a corner, else -1). On a face: `below` how far
// under the surface, and a normal out of that side.
void put_copy(uint v, uint like, int k, int second, bool face, float below)
{
    Vertex a = from_vertex(like);
    a.place[k >> 1] = law.side[k];
    if (second >= 0) a.place[second >> 1] = law.side[second];
    a.place.z -= below;
    // without depth the surface ends there, and shaders carry an end on into what is steep
    a.place.w = max(a.place.w, 1e-9);
    a.velocity.w = face ? CUT : SHEET;
    if (face) {
        a.normal = vec4(0.0);
        a.normal[k >> 1] = (k & 1) != 0 ? 1.0 : -1.0;
    }
    put_from(v, a);
}

// Faces reach half a cell into the ground: the bed may fall toward the side.
float lowest(uint v)
{
    return from[3u * v + 2u] - from[6u * law.room + v] - 0.5 * law.dx;
}

// The lower of the two ends counts for both: at a wall the sheet ends without depth, and the liquid under it does not.
void add_face(inout uint v, inout uint at, uint a, int a_second, uint b, int b_second, int k)
{
    float low = min(lowest(a), lowest(b));
    put_copy(v, a, k, a_second, true, 0.0);
    put_copy(v + 1u, b, k, b_second, true, 0.0);
    put_copy(v + 2u, a, k, a_second, true, from[3u * a + 2u] - low);
    put_copy(v + 3u, b, k, b_second, true, from[3u * b + 2u] - low);
    add_quad(at, v, v + 2u, v + 3u, v + 1u);
    v += 4u;
}

void add_strip(uint a, uint b, int k)
{
    uint v, at;
    if (!take(6u, 12u, v, at)) return;
    put_copy(v, a, k, -1, false, 0.0);
    put_copy(v + 1u, b, k, -1, false, 0.0);
    add_quad(at, b, a, v, v + 1u);
    v += 2u;
    add_face(v, at, a, -1, b, -1, k);
}

// The square in a corner of the grid.
void add_corner(uint like, int k, int next)
{
    uint v, at;
    if (!take(11u, 18u, v, at)) return;
    put_copy(v, like, k, -1, false, 0.0);
    put_copy(v + 1u, like, k, next, false, 0.0);
    put_copy(v + 2u, like, next, -1, false, 0.0);
    add_quad(at, like, v, v + 1u, v + 2u);
    v += 3u;
    add_face(v, at, like, -1, like, next, k);
    add_face(v, at, like, k, like, -1, next);
}

void look_at(uint t)
{
    const int next_side[4] = int[4](2, 3, 1, 0); // counter-clockwise: west, south, east, north
    for (uint n = 0u; n < 3u; n++) {
        uint a = index[3u * t + n], b = index[3u * t + (n + 1u) % 3u];
        for (int k = 0; k < 4; k++) {
            if (!is_on(a, k) || !is_on(b, k)) continue;
            add_strip(a, b, k);
            if (is_on(b, next_side[k])) add_corner(b, k, next_side[k]);
        }
    }
}

// A face of a flooded column, of the surface's own two triangles.
void take_over(uint first)
{
    uint v, at, like = corners[first];
    if (mesh[15u * law.mesh_room + like] != CUT_ALONE || !take(4u, 6u, v, at)) return;
    for (uint k = 0u; k < 4u; k++) put_from(v + k, mesh_vertex(like + k));
    add_quad(at, v, v + 1u, v + 2u, v + 3u);
}

void main()
{
    uint t = thread(), drawn = max(mesh_draws[law.mesh_draw] / 3u, law.triangles), quads = (drawn - law.triangles) / 2u;
    if (t < work[WORK_OWN]) look_at(t);
    for (uint n = t; n < quads; n += 256u * gl_NumWorkGroups.x) take_over(3u * law.triangles + 6u * n);
}
