// One division: vertices that were there move, each edge has one in its middle, and each triangle becomes four. A thread a
// vertex, and after these a thread an edge of a triangle.
layout(local_size_x = 256) in;
#include finer
layout(location = 0) uniform uint level;
uint base, chosen, placed, count; // where this level's edges begin; its triangles, vertices and edges

uint edge(uint h, uint word)
{
    return edges[base + 3u * h + word];
}

Vertex sum_of(Vertex a, Vertex b, float of_a, float of_b)
{
    return Vertex(of_a * a.place + of_b * b.place, of_a * a.normal + of_b * b.normal, of_a * a.velocity + of_b * b.velocity,
                  of_a * a.contact + of_b * b.contact, of_a * a.film + of_b * b.film);
}

// What a vertex becomes, as far as this level counts; its place only as far as it may move.
void settle(uint v, Vertex was, Vertex becomes, float thick, bool rim)
{
    float share = law.share[level];
    vec3 way = thick * (becomes.place.xyz - was.place.xyz);
    if (!rim) way.z = max(way.z, -SINKS * was.place.w);
    Vertex out_of = sum_of(was, becomes, 1.0 - share, share);
    out_of.place.xyz = was.place.xyz + share * way;
    out_of.velocity.w = was.velocity.w;
    float square = dot(out_of.normal.xyz, out_of.normal.xyz);
    if (square > 1e-12) out_of.normal.xyz *= 1.0 / sqrt(square);
    put_to(v, out_of);
}

void move_inner(uint v, Vertex own)
{
    Vertex sum = Vertex(vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0), 0.0);
    uint first = marks[out_at(v)], h = first;
    float number = 0.0;
    do {
        sum = sum_of(sum, from_vertex(edge(next_of(h), EDGE_FROM)), 1.0, 1.0);
        number += 1.0;
        h = edge(last_of(h), EDGE_TWIN);
    } while (h != first && h != NONE && number < 32.0);
    float each = ring_share(number);
    Vertex becomes = sum_of(own, sum, 1.0 - each * number, each);
    if (number < 2.5) put_to(v, own);
    else settle(v, own, becomes, state[thick_at(v)], false);
}

// The next at the rim, one way round or the other.
uint rim_of(uint v, bool onward)
{
    uint h = marks[out_at(v)];
    for (int turn = 0; turn < 32; turn++) {
        uint on = edge(onward ? last_of(h) : h, EDGE_TWIN);
        if (on == NONE) break;
        h = onward ? on : next_of(on);
    }
    return edge(onward ? last_of(h) : next_of(h), EDGE_FROM);
}

void move_rim(uint v, Vertex own)
{
    Vertex a = from_vertex(rim_of(v, true)), b = from_vertex(rim_of(v, false));
    Vertex becomes = sum_of(own, sum_of(a, b, 1.0, 1.0), 0.75, 0.125);
    bool ends = own.place.w <= 0.0;
    if (is_curve(own.place, a.place, b.place)) settle(v, own, becomes, state[ends ? loose_at(v) : thick_at(v)], ends);
    else put_to(v, own);
}

void move(uint v)
{
    uint meta = marks[meta_at(v)], rims = meta >> 8u & 255u;
    if ((meta & 255u) == 0u) return; // both buffers have it
    Vertex own = from_vertex(v);
    if (rims == 0u) move_inner(v, own);
    else if (rims == 2u) move_rim(v, own);
    else put_to(v, own);
    uint h = marks[out_at(v)];
    marks[out_at(v)] = 3u * (4u * (h / 3u) + h % 3u);
}

// The vertex in the middle of an edge.
uint middle_of(uint h)
{
    return placed + edge(h, EDGE_OWN);
}

void put_middle(uint h, uint twin, uint into)
{
    uint v = middle_of(h), from_a = edge(h, EDGE_FROM), from_b = edge(next_of(h), EDGE_FROM);
    Vertex middle = sum_of(from_vertex(from_a), from_vertex(from_b), 0.5, 0.5), becomes = middle;
    bool rim = twin == NONE;
    if (!rim) {
        Vertex c = from_vertex(edge(last_of(h), EDGE_FROM)), d = from_vertex(edge(last_of(twin), EDGE_FROM));
        becomes = sum_of(middle, sum_of(c, d, 1.0, 1.0), 0.75, 0.125);
    }
    float thick = 0.5 * (state[thick_at(from_a)] + state[thick_at(from_b)]);
    state[thick_at(v)] = thick, state[loose_at(v)] = 0.5 * (state[loose_at(from_a)] + state[loose_at(from_b)]);
    marks[meta_at(v)] = (rim ? 4u : 6u) | (rim ? 2u << 8u : 0u), marks[out_at(v)] = into;
    settle(v, middle, becomes, thick, rim);
}

void put_edge(uint h, uint from_vertex_at, uint twin, uint own)
{
    uint at = 3u * work[WORK_CHOSEN] * ((4u << 2u * level) - 1u) + 3u * h;
    edges[at + EDGE_FROM] = from_vertex_at, edges[at + EDGE_TWIN] = twin, edges[at + EDGE_OWN] = own;
}

// The triangle at corner k of triangle t, {corner, middle of the edge from there, middle of that to there}; the one between
// the middles comes with the first.
void put_triangle(uint h, uint twin)
{
    uint t = h / 3u, k = h % 3u, before = last_of(h), child = 3u * (4u * t + k), inner = 3u * (4u * t + 3u);
    uint m[3] = uint[3](middle_of(3u * t), middle_of(3u * t + 1u), middle_of(3u * t + 2u));
    uint own = edge(h, EDGE_FROM), j = (k + 2u) % 3u;
    if (level + 1u == work[WORK_LEVELS]) {
        index[child] = own, index[child + 1u] = m[k], index[child + 2u] = m[j];
        if (k == 0u) index[inner] = m[0], index[inner + 1u] = m[1], index[inner + 2u] = m[2];
        return;
    }
    uint back = edge(before, EDGE_TWIN);
    uint on = twin == NONE ? NONE : 3u * (4u * (twin / 3u) + (twin % 3u + 1u) % 3u) + 2u;
    uint comes = back == NONE ? NONE : 3u * (4u * (back / 3u) + back % 3u);
    put_edge(child, own, on, 2u * edge(h, EDGE_OWN) + uint(h > twin));
    put_edge(child + 1u, m[k], inner + j, 2u * count + 3u * t + j);
    put_edge(child + 2u, m[j], comes, 2u * edge(before, EDGE_OWN) + uint(before < back));
    if (k != 0u) return;
    for (uint n = 0u; n < 3u; n++)
        put_edge(inner + n, m[n], 3u * (4u * t + (n + 1u) % 3u) + 1u, 2u * count + 3u * t + n);
}

void main()
{
    uint n = thread(), made = min(level, work[WORK_LEVELS]);
    placed = law.vertices, count = work[WORK_EDGES], chosen = work[WORK_CHOSEN];
    for (uint k = 0u; k < made; k++) placed += count, count = 2u * count + 3u * chosen, chosen *= 4u;
    base = edges_at(level);
    if (level >= work[WORK_LEVELS]) {
        if (n < placed) put_to(n, from_vertex(n));
        return;
    }
    if (n < placed) {
        move(n);
        return;
    }
    uint h = n - placed;
    if (h >= 3u * chosen) return;
    uint twin = edge(h, EDGE_TWIN);
    if (h < twin) put_middle(h, twin, 3u * (4u * (h / 3u) + h % 3u) + 1u);
    put_triangle(h, twin);
}
