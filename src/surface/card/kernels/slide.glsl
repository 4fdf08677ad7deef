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
#define STRETCH 3.0
#define MOST 0.3
#define STAYS 0.03
#define ACROSS 0.1
#define SPAN 5
#define SPIKE 0.15
#define STEEP 0.7

bool is_end(uint vertex)
{
    return vertex >= law.inside && end_word(vertex - law.inside, END_IS) != 0u;
}

float dot_of(vec3 a, vec3 b)
{
    precise float sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

vec3 way_of(uint k)
{
    precise float z = end_number(k, END_HIGH) - end_number(k, END_LOW);
    return vec3(end_number(k, END_WAY_X), end_number(k, END_WAY_Y), z);
}

vec3 place_on(uint k)
{
    vec3 way = way_of(k);
    float t = end_share(k, end_number(k, END_T + law.from));
    precise float x = end_number(k, END_X) + t * way.x;
    precise float y = end_number(k, END_Y) + t * way.y;
    precise float z = end_number(k, END_LOW) + t * way.z;
    return vec3(x, y, z);
}

vec3 across_of(vec3 a, vec3 c)
{
    float along = dot_of(a, c);
    precise float x = a.x - along * c.x, y = a.y - along * c.y, z = a.z - along * c.z;
    return vec3(x, y, z);
}

// The place on the line so far on from an end; false: the line ends before.
bool along(uint k, uint on, float most, out vec3 at)
{
    precise float left = most;
    at = place_on(k);
    for (int n = 0; n < 12; n++) {
        k = end_word(k, on);
        if (k == NONE) return false;
        vec3 to = place_on(k);
        precise vec3 by = to - at;
        float size = root_of(dot_of(by, by));
        if (size >= left) {
            float part = quotient_of(left, size);
            precise vec3 there = at + by * part;
            at = there;
            return true;
        }
        at = to, left -= size;
    }
    return true;
}

float slid(uint k)
{
    vec3 way = way_of(k), a, b, own = place_on(k);
    float t = end_number(k, END_T + law.from), free = end_number(k, END_FREE);
    if (!(free > 0.0)) return t;
    precise float plan = way.x * way.x + way.y * way.y, whole = dot_of(way, way);
    precise float cells = smaller(root_of(over_of(whole, plan)), STRETCH) * law.dx;
    precise float most_on = CHORD * cells;
    if (!along(k, END_LAST, most_on, a) || !along(k, END_NEXT, most_on, b)) return t;
    precise vec3 chord = b - a;
    float size = root_of(dot_of(chord, chord));
    precise float few = 0.1 * law.dx;
    if (!(size > few)) return t;
    float per = quotient_of(1.0, size);
    precise vec3 unit = chord * per, to_a = a - own;
    vec3 off = across_of(to_a, unit), over = across_of(way, unit);
    precise float above = law.ring * free * dot_of(off, over);
    precise float under = dot_of(over, over) + ACROSS * whole;
    precise float tooth = over_of(root_of(dot_of(off, off)), law.dx) - STAYS;
    precise float bound = MOST * law.dx;
    float counts = smaller(larger(over_of(tooth, STAYS), 0.0), 1.0);
    precise float by = over_of(above, under) * counts;
    float most = quotient_of(bound, root_of(plan)), first = end_number(k, END_FIRST);
    precise float to = t + by, low = first - most, high = first + most, last = 1.0 - NEAREST;
    return smaller(larger(smaller(larger(to, low), high), NEAREST), last);
}

float height_of(uint k)
{
    float t = end_number(k, END_T);
    return end_height(k, t, end_share(k, t));
}

void least_beside(uint k, uint on, out float least[2 * SPAN + 1])
{
    least[0] = height_of(k);
    for (int n = 1; n <= 2 * SPAN; n++) {
        least[n] = least[n - 1];
        if (k == NONE) continue;
        k = end_word(k, on);
        if (k != NONE) least[n] = smaller(least[n], height_of(k));
    }
}

float broad_height(uint k)
{
    float before[2 * SPAN + 1], after[2 * SPAN + 1];
    least_beside(k, END_LAST, before), least_beside(k, END_NEXT, after);
    float most = smaller(before[0], after[2 * SPAN]);
    for (int n = 1; n <= 2 * SPAN; n++)
        most = larger(most, smaller(before[n], after[2 * SPAN - n]));
    return most;
}

float rise_of(uint k)
{
    precise float rise = abs(end_number(k, END_HIGH) - end_number(k, END_LOW));
    return rise;
}

float rise_at(uint k)
{
    uint last = end_word(k, END_LAST), next = end_word(k, END_NEXT);
    float most = rise_of(k);
    if (last != NONE) most = larger(most, rise_of(last));
    if (next != NONE) most = larger(most, rise_of(next));
    return most;
}

void put(uint k)
{
    float t = end_number(k, END_T), share = end_share(k, t), height = end_height(k, t, share);
    uint at = 3u * (law.inside + k);
    precise float steep = STEEP * law.dx;
    if (rise_at(k) > steep) {
        precise float most = broad_height(k) + SPIKE * law.dx;
        height = smaller(height, most);
    }
    mesh[at + 2u] = height;
    if (t == end_number(k, END_FIRST)) return;
    precise float x = end_number(k, END_X) + share * end_number(k, END_WAY_X);
    precise float y = end_number(k, END_Y) + share * end_number(k, END_WAY_Y);
    mesh[at] = x, mesh[at + 1u] = y;
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
