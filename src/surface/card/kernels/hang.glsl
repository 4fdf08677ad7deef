// Curtains (../../triangles.c): from which lip to which. A lip has one that begins at it at most,
// and one that ends. FIRST: each says where one would begin; then each which of those may end; then
// (LAST) those are that both say.
layout(local_size_x = 64) in;

#include "vertex"

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
    uint begins = extra[at + EXTRA_BEGINS];
    if (begins == 0u) return;
    int d = int(begins) - 1;
    uint o = links[uint(d) * law.nodes + node];
    if (extra_word(o, EXTRA_ENDS) != uint(opposite(d)) + 1u)
        extra[at + EXTRA_BEGINS] = 0u;
    else
        nodes[AT_TRIANGLES * law.nodes + node] += uint(2 * (CURTAIN_ROWS - 1));
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
