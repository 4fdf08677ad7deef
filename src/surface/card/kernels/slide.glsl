// Ends slide between their two nodes until the line they make is smooth (../../line.c). JOIN: ends
// in one triangle are beside each other, a thread a triangle; then a thread an end, law.ring the
// share of the way to the chord, law.from which of the two places is read; PUT: to where they came.
#ifdef JOIN
layout(local_size_x = 256) in;
#else
layout(local_size_x = 64) in;
#endif

#include "line"

#define CHORD 1.25
#define MOST 0.8
#define STAYS 0.03
#define ACROSS 0.1

bool is_end(uint vertex)
{
    return vertex >= law.inside && end_word(vertex - law.inside, END_IS) != 0u;
}

vec2 place_on(uint k)
{
    float t = end_share(k, end_number(k, END_T + law.from));
    precise float x = end_number(k, END_X) + t * end_number(k, END_WAY_X);
    precise float y = end_number(k, END_Y) + t * end_number(k, END_WAY_Y);
    return vec2(x, y);
}

// The place on the line so far on from an end; false: the line ends before.
bool along(uint k, uint on, out vec2 at)
{
    precise float left = CHORD * law.dx;
    at = place_on(k);
    for (int n = 0; n < 12; n++) {
        k = end_word(k, on);
        if (k == NONE) return false;
        vec2 to = place_on(k);
        precise float x = to.x - at.x, y = to.y - at.y;
        precise float square = x * x + y * y;
        float size = root_of(square);
        if (size >= left) {
            float part = quotient_of(left, size);
            precise float there_x = at.x + x * part, there_y = at.y + y * part;
            at = vec2(there_x, there_y);
            return true;
        }
        at = to, left -= size;
    }
    return true;
}

float slid(uint k)
{
    float t = end_number(k, END_T + law.from), free = end_number(k, END_FREE);
    vec2 a, b, own = place_on(k);
    if (!(free > 0.0) || !along(k, END_LAST, a) || !along(k, END_NEXT, b)) return t;
    precise float x = a.y - b.y, y = b.x - a.x; // across the chord
    precise float square = x * x + y * y, few = 0.1 * law.dx;
    float size = root_of(square);
    if (!(size > few)) return t;
    x = over_of(x, size), y = over_of(y, size);
    float way_x = end_number(k, END_WAY_X), way_y = end_number(k, END_WAY_Y);
    precise float off = (a.x - own.x) * x + (a.y - own.y) * y, across = way_x * x + way_y * y;
    precise float way = way_x * way_x + way_y * way_y;
    precise float above = law.ring * free * off * across;
    precise float under = across * across + ACROSS * way;
    precise float tooth = over_of(abs(off), law.dx) - STAYS, cells = MOST * law.dx;
    float counts = smaller(larger(over_of(tooth, STAYS), 0.0), 1.0);
    precise float by = over_of(above, under) * counts;
    float most = quotient_of(cells, root_of(way)), first = end_number(k, END_FIRST);
    precise float to = t + by, low = first - most, high = first + most, last = 1.0 - NEAREST;
    return smaller(larger(smaller(larger(to, low), high), NEAREST), last);
}

void put(uint k)
{
    float t = end_number(k, END_T), share = end_share(k, t);
    if (t == end_number(k, END_FIRST)) return;
    uint at = 3u * (law.inside + k);
    precise float x = end_number(k, END_X) + share * end_number(k, END_WAY_X);
    precise float y = end_number(k, END_Y) + share * end_number(k, END_WAY_Y);
    mesh[at] = x, mesh[at + 1u] = y, mesh[at + 2u] = end_height(k, t, share);
}

void main()
{
    uint i = thread_x();
#if defined(JOIN)
    if (i >= law.triangles) return;
    for (uint k = 0u; k < 3u; k++) {
        uint a = corners[3u * i + k], b = corners[3u * i + (k + 1u) % 3u];
        if (!is_end(a) || !is_end(b)) continue;
        set_end(a - law.inside, END_NEXT, b - law.inside);
        set_end(b - law.inside, END_LAST, a - law.inside);
    }
#else
    if (i >= law.fresh || end_word(i, END_IS) == 0u) return;
#ifdef PUT
    put(i);
#else
    set_end_number(i, END_T + 1u - law.from, slid(i));
#endif
#endif
}
