// Curtains (../../triangles.c): from which lip to which. A lip has one that begins at it at most,
// and one that ends. FIRST: each says where one would begin; then each which of those may end; then
// (LAST) those are that both say.
layout(local_size_x = 64) in;

#include "vertex"

#ifdef LAST
// Where the curtain from a lip ends, whether that was settled already or not.
uint begins_at(uint node)
{
    uint begins = extra_word(node, EXTRA_BEGINS);
    if (begins == 0u) return 0u;
    int d = int(begins) - 1;
    uint o = links[uint(d) * law.nodes + node];
    return extra_word(o, EXTRA_ENDS) == uint(opposite(d)) + 1u ? begins : 0u;
}

bool is_free(uint node)
{
    return extra_word(node, EXTRA_APRON) == 0xff800000u;
}

bool falls_beside(uint node, uint way)
{
    return way != 0u && is_free(linked_to(node, int(way) - 1));
}

uint falls_at(uint node)
{
    if (!is_free(node)) return FALL_NONE;
    bool after = falls_beside(node, begins_at(node));
    bool before = falls_beside(node, extra_word(node, EXTRA_ENDS));
    return after && before ? FALL_INNER : after || before ? FALL_SIDE : FALL_NONE;
}

uint triangles_at(uint node, uint begins, uint falls)
{
    uint number = 0u;
    if (begins != 0u) {
        bool other = falls_at(linked_to(node, int(begins) - 1)) != FALL_NONE;
        if (other != (falls != FALL_NONE)) number += uint(2 * FALL_JOINED + CURTAIN_ROWS - 1 - FALL_JOINED);
        else number += uint(other ? 4 * (FALL_ROWS - 1) : 2 * (CURTAIN_ROWS - 1));
    }
    if (falls != FALL_SIDE) return number;
    uint way = falls_beside(node, begins) ? extra_word(node, EXTRA_ENDS) : begins;
    return number + uint(4 * (FALL_ROWS - 1 - (way != 0u ? FALL_JOINED : 0)));
}
#endif

void main()
{
    uint i = thread_x(), node = law.slots + i, at = i * EXTRA_WORDS;
    if (i >= min(status[STATUS_EXTRAS], law.extras) || kind_of(node) != KIND_LIP) return;
#if defined(FIRST)
    uint shares = extra[at + EXTRA_SHARED], begins = 0u;
    for (int d = 0; d < 8 && begins == 0u; d++) {
        if ((shares >> d & 1u) == 0u) continue;
        uint o = links[uint(d) * law.nodes + node];
        if (kind_of(o) == KIND_LIP && (extra_word(o, EXTRA_SHARED) >> opposite(d) & 1u) == 0u)
            begins = uint(d) + 1u;
    }
    extra[at + EXTRA_BEGINS] = begins;
#elif defined(LAST)
    uint begins = begins_at(node), falls = falls_at(node);
    extra[at + EXTRA_BEGINS] = begins;
    extra[at + EXTRA_FALLS] = falls;
    nodes[AT_TRIANGLES * law.nodes + node] += triangles_at(node, begins, falls);
#else
    uint ends = 0u;
    for (int d = 0; d < 8 && ends == 0u; d++) {
        uint o = links[uint(d) * law.nodes + node];
        if (o == NONE || o < law.slots || kind_of(o) != KIND_LIP) continue;
        if (extra_word(o, EXTRA_BEGINS) == uint(opposite(d)) + 1u) ends = uint(d) + 1u;
    }
    extra[at + EXTRA_ENDS] = ends;
#endif
}
