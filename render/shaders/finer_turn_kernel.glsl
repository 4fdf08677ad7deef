// Of what mirrors all light the normals of a rim that hangs over are those of its triangles: the angle that was lacking is
// there then. A thread a vertex.
layout(local_size_x = 256) in;
#include finer

void main()
{
    uint v = thread();
    if (v >= law.vertices || around(v) == 0u) return;
    float hang = state[state_at(STATE_HANG, v)];
    if (!(hang > 0.0)) return;
    vec3 sum = vec3(0.0), own = from_place(v);
    uint last = 0u;
    // in the order of triangles
    uint number = min(ring[RING_WORDS * v], RING_MOST);
    for (uint n = 0u; n < number; n++) {
        uint h = NONE;
        for (uint k = 0u; k < number; k++) {
            uint o = ring[RING_WORDS * v + 1u + k];
            if (o >= last && o < h) h = o;
        }
        last = h + 1u;
        vec3 a = from_place(edges[3u * next_of(h) + EDGE_FROM]), b = from_place(edges[3u * last_of(h) + EDGE_FROM]);
        sum += cross(a - own, b - own);
    }
    float size = length(sum);
    if (!(size > 0.0)) return;
    Vertex is = from_vertex(v);
    is.normal.xyz += hang * (sum / size - is.normal.xyz);
    is.contact.w *= 1.0 - hang;
    put_from(v, is);
}
