// What the kernels share that make a surface in the card's memory finer: render/finer_card.c tells what each does, and in
// which order; render/finer.c does the same on the processor.
//
// Triangles know each other by their edges: edge h of triangle h / 3 goes from its corner h % 3 to the next, and its twin is
// the same edge in the triangle on the other side.
precision highp float;
precision highp int;
#define RULE
#define minf min
#define maxf max
#include finer_rule
#ifndef SHARED
#define SHARED
#endif

layout(std140, binding = 2) uniform Finer {
    vec4 grid;                    // low corner, cells in a metre
    vec4 eye, right, up, forward; // as rv_eye has them, in cells; right.w, up.w: tangents
    vec4 line, side;              // m: middles of the outermost cells, the grid's sides; west, east, south, north
    vec4 share;                   // of what moves vertices, by level
    uint vertices, triangles, mesh_room, room; // of the surface; vertices of an array of it, and of what is made
    uint groups, levels, most, has;            // of 256 triangles; wanted; triangles at most; HAS_...
    float dx, near_line;
    uint side_room, mesh_draw; // vertices at the grid's sides; where the surface's draw is, in words
} law;
#define HAS_CONTACT 1u
#define HAS_MIRROR 2u

layout(std430, binding = 27) readonly buffer Mesh { float mesh[]; };     // arrays, one behind the other
layout(std430, binding = 28) readonly buffer Corners { uint corners[]; };
layout(std430, binding = 29) SHARED buffer From { float from[]; };       // as `mesh`: what a level is made from,
layout(std430, binding = 30) buffer To { float to[]; };                  // and what it makes
layout(std430, binding = 31) buffer Edges { uint edges[]; };             // levels one behind the other, EDGE_... of each edge
layout(std430, binding = 32) buffer Index { uint index[]; };             // corners that are drawn
layout(std430, binding = 33) SHARED buffer Work { uint work[]; };        // WORK_...
layout(std430, binding = 34) buffer Ring { uint ring[]; };               // by vertex: RING_..., then BESIDE
layout(std430, binding = 35) SHARED buffer State { float state[]; };     // by vertex, STATE_... after each other
layout(std430, binding = 36) SHARED buffer Marks { uint marks[]; };      // the same, MARK_...
layout(std430, binding = 37) readonly buffer Draw { uint mesh_draws[]; };

#define NONE 0xffffffffu
#define EDGE_FROM 0u // the vertex it begins at
#define EDGE_TWIN 1u // NONE: the surface ends there
#define EDGE_OWN 2u  // which of all edges it is, twins being one: its middle's number

#define WORK_CHOSEN 0u // triangles that are divided
#define WORK_LEVELS 1u // how often
#define WORK_OTHER 2u
#define WORK_EDGES 3u
#define WORK_HANGING 4u
#define WORK_SIDE 5u
#define WORK_OWN 6u    // triangles without those at the grid's sides
#define WORK_CALLS 8u  // groups of a call, four words each: three levels, the sides
#define WORK_DRAW 24u
#define WORK_WORDS 32u // by group: chosen triangles; behind that eight words of bits each

#define RING_MOST 16u // edges of a vertex: eight neighbours, and each of its eight triangles may be cut
#define RING_WORDS 17u

#define STATE_NEAR 0u // the greatest depth around; around those
#define STATE_FAR 1u
#define STATE_HANG 2u // how far a rim hangs over
#define STATE_HANG_TOO 3u
#define STATE_WAY 4u // three numbers each
#define STATE_WAY_TOO 7u
#define STATE_LACK 10u
#define STATE_FILM 13u  // how thick the liquid around is
#define STATE_THICK 14u // of finer vertices too; and behind these how far ends may move along their bed

// Of finer vertices too: an edge that begins there; how many there are around, of these at the rim << 8, and flags. Then two
// at the rim; lists of those that hang over, and of these with all around them.
#define IS_END 0x10000u // and its line may be made smooth
#define IS_LISTED 0x20000u

uint thread() { return gl_GlobalInvocationID.x; }

uint next_of(uint h) { return h % 3u == 2u ? h - 2u : h + 1u; }
uint last_of(uint h) { return h % 3u == 0u ? h + 2u : h - 1u; }

// Where the edges of a level begin.
uint edges_at(uint level) { return 3u * work[WORK_CHOSEN] * ((1u << 2u * level) - 1u); }

uint out_at(uint v) { return v; }
uint meta_at(uint v) { return law.room + v; }
uint rim_at(uint v, uint which) { return 2u * law.room + 2u * v + which; }
uint list_at(uint list, uint n) { return 2u * law.room + (2u + list) * law.vertices + n; }
uint thick_at(uint v) { return STATE_THICK * law.vertices + v; }
uint loose_at(uint v) { return STATE_THICK * law.vertices + law.room + v; }
uint beside_at(uint v, uint n) { return RING_WORDS * law.vertices + RING_MOST * v + n; }

uint state_at(uint what, uint v) { return what * law.vertices + v; }

vec3 state3(uint what, uint v)
{
    return vec3(state[state_at(what, v)], state[state_at(what + 1u, v)], state[state_at(what + 2u, v)]);
}

void put_state3(uint what, uint v, vec3 value)
{
    state[state_at(what, v)] = value.x, state[state_at(what + 1u, v)] = value.y, state[state_at(what + 2u, v)] = value.z;
}

uint around(uint v) { return marks[meta_at(v)] & 255u; }
uint rims_of(uint v) { return marks[meta_at(v)] >> 8u & 255u; }

// What a vertex has, as rv_surface_mesh has it, and how thick the liquid around it is, which the surface does not know.
struct Vertex {
    vec4 place, normal, velocity, contact; // place and depth, normal and roughness, velocity and drop
    float film;
};

#define FETCH(name, source, n, thick)                                                                                    \
    Vertex name(uint v)                                                                                                  \
    {                                                                                                                    \
        uint k = 3u * v, at = n;                                                                                         \
        Vertex a;                                                                                                        \
        a.place = vec4(source[k], source[k + 1u], source[k + 2u], source[6u * at + v]);                                  \
        a.normal = vec4(source[3u * at + k], source[3u * at + k + 1u], source[3u * at + k + 2u], source[14u * at + v]);  \
        a.velocity = vec4(source[7u * at + k], source[7u * at + k + 1u], source[7u * at + k + 2u], source[15u * at + v]);\
        k = 10u * at + 4u * v;                                                                                           \
        a.contact = vec4(0.0);                                                                                           \
        if ((law.has & HAS_CONTACT) != 0u) a.contact = vec4(source[k], source[k + 1u], source[k + 2u], source[k + 3u]);  \
        a.film = thick;                                                                                                  \
        return a;                                                                                                        \
    }

#define STORE(name, to, n)                                                                                               \
    void name(uint v, Vertex a)                                                                                          \
    {                                                                                                                    \
        uint k = 3u * v, at = n;                                                                                         \
        to[k] = a.place.x, to[k + 1u] = a.place.y, to[k + 2u] = a.place.z, to[6u * at + v] = a.place.w;                  \
        to[3u * at + k] = a.normal.x, to[3u * at + k + 1u] = a.normal.y, to[3u * at + k + 2u] = a.normal.z;              \
        to[14u * at + v] = a.normal.w;                                                                                   \
        to[7u * at + k] = a.velocity.x, to[7u * at + k + 1u] = a.velocity.y, to[7u * at + k + 2u] = a.velocity.z;        \
        to[15u * at + v] = a.velocity.w;                                                                                 \
        k = 10u * at + 4u * v;                                                                                           \
        to[k] = a.contact.x, to[k + 1u] = a.contact.y, to[k + 2u] = a.contact.z, to[k + 3u] = a.contact.w;               \
        to[16u * at + v] = a.film;                                                                                       \
    }

FETCH(mesh_vertex, mesh, law.mesh_room, a.place.w)
FETCH(from_vertex, from, law.room, from[16u * at + v])
STORE(put_from, from, law.room)
STORE(put_to, to, law.room)

vec3 mesh_place(uint v) { return vec3(mesh[3u * v], mesh[3u * v + 1u], mesh[3u * v + 2u]); }
vec3 from_place(uint v) { return vec3(from[3u * v], from[3u * v + 1u], from[3u * v + 2u]); }
float mesh_depth(uint v) { return mesh[6u * law.mesh_room + v]; }

// The line at a side of the grid that a place is in; -1: none, 4: in a corner.
int side_of(vec3 place)
{
    int found = -1;
    for (int k = 0; k < 4; k++)
        if (abs(place[k >> 1] - law.line[k]) < law.near_line) found = found < 0 ? k : 4;
    return found;
}

// Whether a vertex at the rim, between two others, is on a curve that may be made smooth; places and depths.
bool is_curve(vec4 own, vec4 a, vec4 b)
{
    int k = side_of(own.xyz);
    if (k >= 0) return k < 4 && side_of(a.xyz) == k && side_of(b.xyz) == k;
    return own.w <= 0.0 && a.w <= 0.0 && b.w <= 0.0;
}
