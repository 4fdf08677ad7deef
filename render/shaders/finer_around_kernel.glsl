// What is around each vertex: its edges with their twins, which edge is which, those beside it and along the rim, how thick
// and how deep the liquid is there. A thread a vertex.
layout(local_size_x = 256) in;
#include finer
shared uint owned, first_edge;

uint h[16], to_vertex[16], from_vertex_of[16]; // its edges, where they go, and where the triangle comes back from

// In the order of triangles, since sums are to be the same in every picture.
uint take_edges(uint v)
{
    uint number = min(ring[RING_WORDS * v], RING_MOST);
    for (uint n = 0u; n < number; n++) {
        uint own = ring[RING_WORDS * v + 1u + n], k = n;
        for (; k > 0u && h[k - 1u] > own; k--) h[k] = h[k - 1u];
        h[k] = own;
    }
    for (uint n = 0u; n < number; n++) {
        to_vertex[n] = edges[3u * next_of(h[n]) + EDGE_FROM];
        from_vertex_of[n] = edges[3u * last_of(h[n]) + EDGE_FROM];
    }
    return number;
}

uint beside_count, rim_count;

void put_beside(uint v, uint other, bool rim)
{
    if (beside_count < RING_MOST) ring[beside_at(v, beside_count++)] = other;
    if (!rim) return;
    if (rim_count < 2u) marks[rim_at(v, rim_count)] = other;
    rim_count++;
}

// Returns how many edges are this vertex's own: each belongs to one of its two ends.
uint find_twins(uint v, uint number)
{
    uint own = 0u;
    for (uint n = 0u; n < number; n++) {
        uint twin = NONE, back = NONE;
        for (uint k = 0u; k < number; k++) {
            if (from_vertex_of[k] == to_vertex[n]) twin = last_of(h[k]);
            if (to_vertex[k] == from_vertex_of[n]) back = k;
        }
        edges[3u * h[n] + EDGE_TWIN] = twin;
        put_beside(v, to_vertex[n], twin == NONE);
        if (back == NONE) put_beside(v, from_vertex_of[n], true);
        if (h[n] < twin) own++;
    }
    return own;
}

void number_edges(uint number, uint edge)
{
    for (uint n = 0u; n < number; n++) {
        uint twin = edges[3u * h[n] + EDGE_TWIN];
        if (h[n] > twin) continue;
        edges[3u * h[n] + EDGE_OWN] = edge;
        if (twin != NONE) edges[3u * twin + EDGE_OWN] = edge;
        edge++;
    }
}

float own_thickness(uint v)
{
    return thickness_of(mesh_depth(v) / law.dx, mesh[3u * (law.mesh_room + v) + 2u], mesh[15u * law.mesh_room + v]);
}

vec4 place_and_depth(uint v)
{
    return vec4(mesh_place(v), mesh_depth(v));
}

float looseness_at(uint v, float before, float after)
{
    float bent = abs(mesh_place(v).z - 0.5 * (before + after)) / law.dx;
    float tilt = (law.has & HAS_CONTACT) != 0u ? mesh[10u * law.mesh_room + 4u * v + 3u] : 0.0;
    return looseness_of(bent, mesh[3u * (law.mesh_room + v) + 2u], tilt);
}

// Thickness where the liquid ends, and in the film beside a drop, is that of what is next to it.
void look_around(uint v)
{
    float own = mesh_depth(v), thick = own_thickness(v), near = own;
    vec2 wet = vec2(0.0);
    for (uint n = 0u; n < beside_count; n++) {
        uint o = ring[beside_at(v, n)];
        float depth = mesh_depth(o);
        thick = max(thick, own_thickness(o)), near = max(near, depth);
        if (depth > 0.0) wet += vec2(depth, 1.0);
    }
    float loose = thick;
    uint meta = beside_count | min(rim_count, 255u) << 8u;
    if (rim_count == 2u && own <= 0.0) {
        vec4 a = place_and_depth(marks[rim_at(v, 0u)]), b = place_and_depth(marks[rim_at(v, 1u)]);
        if (is_curve(place_and_depth(v), a, b)) meta |= IS_END, loose = max(loose, looseness_at(v, a.z, b.z));
    }
    state[loose_at(v)] = loose, state[state_at(STATE_FILM, v)] = film_of(own, wet.y > 0.0 ? wet.x / wet.y : own);
    marks[meta_at(v)] = meta, marks[out_at(v)] = h[0];
    state[thick_at(v)] = thick, state[state_at(STATE_NEAR, v)] = near;
}

void main()
{
    uint v = thread(), number = 0u, own = 0u, at = 0u;
    beside_count = rim_count = 0u;
    if (gl_LocalInvocationIndex == 0u) owned = 0u;
    barrier();
    if (v < law.vertices) {
        number = take_edges(v);
        own = find_twins(v, number);
        at = atomicAdd(owned, own);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u) first_edge = atomicAdd(work[WORK_EDGES], owned);
    barrier();
    if (v >= law.vertices) return;
    number_edges(number, first_edge + at);
    if (number > 0u) look_around(v);
    else marks[meta_at(v)] = 0u;
}
