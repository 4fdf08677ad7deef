// Contacts that share a triangle are joined to lines, and columns that share one with a contact
// begin with the nearest (../../contacts.c). A thread a triangle; GUESS: who has the distance that
// was found to be the least says which contact that is.
#ifndef ALONE
layout(local_size_x = 256) in;
#ifdef GUESS
#define GUESSES true
#else
#define GUESSES false
#endif
#endif

#include "vertex"
#include "contact"

void seed(uint vertex, uint contact, bool guess)
{
    uint bits = floatBitsToUint(square_to(contact, place_of(vertex).xy));
    bool column = vertex < counted.inside;
    uint k = column ? fresh[2u * law.fresh + vertex] : (vertex - counted.inside) * CONTACT_WORDS;
    if (!guess) {
        if (column)
            atomicMin(rings[RING_GUESS * law.slots + k], bits);
        else
            atomicMin(contacts[k + IS_NEAR], bits);
    } else if (column) {
        if (rings[RING_GUESS * law.slots + k] != bits) return;
        atomicMin(rings[RING_NEAREST * law.slots + k], key_of(contact));
        rings[RING_NEAR * law.slots + k] = NEAR;
    } else if (contacts[k + IS_NEAR] == bits) {
        atomicMin(contacts[k + IS_LAST], key_of(contact));
    }
}

// Of a triangle.
void join_lines(uint t, bool guess)
{
    uint v[3] = uint[3](corners[3u * t], corners[3u * t + 1u], corners[3u * t + 2u]);
    bool is[3];
    for (int k = 0; k < 3; k++) is[k] = is_contact(v[k]);
    if (!(is[0] || is[1] || is[2])) return;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        for (int o = 0; o < 3 && !is[k]; o++)
            if (is[o]) seed(v[k], v[o] - counted.inside, guess);
        if (!is[k] || !is[next] || guess) continue;
        uint a = v[k] - counted.inside, b = v[next] - counted.inside;
        atomicMax(contacts[a * CONTACT_WORDS + IS_NEXT], key_of(b) + 1u);
        atomicMax(contacts[b * CONTACT_WORDS + IS_LAST], key_of(a) + 1u);
    }
}

#ifndef ALONE
void main()
{
    take_counts();
    if (thread_x() < counted.triangles) join_lines(thread_x(), GUESSES);
}
#endif
