#ifndef WITH_VERTEX
#define WITH_VERTEX
// What vertices are made of (../../ends.c), and where they stand in the mesh.
#define IS_EXTRA 8u // what a vertex is that is none of a column; under that: an end, by direction
#define IS_TOP 9u // of a curtain, and its other rows after it
#define CURTAIN_ROWS 5
#define FALL_ROWS 10 // of a fall: of its front, its back, and of its rim where it ends
#define FALL_JOINED 3

// Vertices of the curtain at a lip.
uint curtain_vertices(uint node)
{
    if ((extra_word(node, EXTRA_BEGINS) | extra_word(node, EXTRA_ENDS)) == 0u) return 0u;
    uint falls = extra_word(node, EXTRA_FALLS);
    return uint(falls == FALL_NONE ? CURTAIN_ROWS : falls == FALL_INNER ? 2 * FALL_ROWS : 3 * FALL_ROWS);
}

struct Flow {
    vec3 normal, velocity;
    float rough;
};

vec3 place_of(uint vertex)
{
    return vec3(mesh[3u * vertex], mesh[3u * vertex + 1u], mesh[3u * vertex + 2u]);
}

vec3 normal_of(uint vertex)
{
    uint at = 3u * law.vertices + 3u * vertex;
    return vec3(mesh[at], mesh[at + 1u], mesh[at + 2u]);
}

void put(uint vertex, vec3 at, Flow f, float deep, float drop)
{
    uint n = law.vertices, k = 3u * vertex;
    mesh[k] = at.x, mesh[k + 1u] = at.y, mesh[k + 2u] = at.z;
    k += 3u * n;
    mesh[k] = f.normal.x, mesh[k + 1u] = f.normal.y, mesh[k + 2u] = f.normal.z;
    mesh[6u * n + vertex] = deep;
    k = 7u * n + 3u * vertex;
    precise vec3 moves = f.velocity + vec3(0.0); // fluxes at rest may be -0
    mesh[k] = moves.x, mesh[k + 1u] = moves.y, mesh[k + 2u] = moves.z;
    mesh[14u * n + vertex] = f.rough;
    mesh[15u * n + vertex] = drop;
}

// Of a wet column.
Flow flow_of(uint slot)
{
    vec4 normal = normals[slot];
    return Flow(normal.xyz, normals[2u * law.slots + slot].xyz, normal.w);
}

// Dry columns and extra nodes: means of the wet ones around; a dry column does not move.
Flow flow_around(uint node)
{
    precise vec3 normal = vec3(0.0), velocity = vec3(0.0);
    precise float rough = 0.0;
    float number = 0.0;
    uint wet = wet_links(node), beside[8];
    Flow flows[8];
    for (int d = 0; d < 8; d++) beside[d] = links[uint(d) * law.nodes + node];
    for (int d = 0; d < 8; d++) flows[d] = flow_of((wet >> d & 1u) != 0u ? beside[d] : 0u);
    for (int d = 0; d < 8; d++) {
        if ((wet >> d & 1u) == 0u) continue;
        Flow f = flows[d];
        normal += f.normal, velocity += f.velocity, rough += f.rough, number += 1.0;
    }
    float part = number > 0.0 ? quotient_of(1.0, number) : 0.0, moves = is_extra(node) ? part : 0.0;
    precise vec3 mean = velocity * moves;
    precise float mean_rough = rough * part;
    return Flow(unit_of(normal), mean, mean_rough);
}

Flow flow_beside(uint node)
{
    return is_wet(node) ? flow_of(node) : flow_around(node);
}
#endif
