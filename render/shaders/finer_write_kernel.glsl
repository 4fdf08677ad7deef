// Triangles that are divided, in the order they had, each noted with its corners; and the others as they are drawn.
layout(local_size_x = 256) in;
#include finer

// An edge too many for the ring of its vertex finds no twin: it is drawn as if the surface ended there.
void note_edge(uint v, uint h)
{
    uint n = atomicAdd(ring[RING_WORDS * v], 1u);
    edges[3u * h + EDGE_FROM] = v, edges[3u * h + EDGE_TWIN] = NONE, edges[3u * h + EDGE_OWN] = 0u;
    if (n < RING_MOST) ring[RING_WORDS * v + 1u + n] = h;
}

void main()
{
    uint own = gl_LocalInvocationIndex, t = thread();
    if (t >= law.triangles) return;
    uint group = gl_WorkGroupID.x, first = WORK_WORDS + law.groups + 8u * group;
    uint word = work[first + own / 32u], bit = own % 32u, levels = work[WORK_LEVELS];
    uint before = work[WORK_WORDS + group] + uint(bitCount(word & ((1u << bit) - 1u)));
    for (uint k = 0u; k < own / 32u; k++) before += uint(bitCount(work[first + k]));
    bool chosen = (word >> bit & 1u) != 0u;
    uint at = chosen ? before : (work[WORK_CHOSEN] << 2u * levels) + t - before;
    for (uint k = 0u; k < 3u; k++) {
        uint v = corners[3u * t + k];
        if (chosen && levels > 0u) note_edge(v, 3u * before + k);
        if (!chosen || levels == 0u) index[3u * at + k] = v;
    }
}
