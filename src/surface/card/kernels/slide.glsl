// Ends slide between their two nodes until the line they make is smooth (../../line.c): a thread an
// end, law.ring the share of the way to the chord, law.from which of the two places is read; PUT: to
// where they came. ALONE: all turns in one group of so many threads, where there are ENDS_MOST ends
// at most: places stand where all of them have them, and what an end is stays with its thread.
#ifdef ALONE
layout(local_size_x = ALONE) in;
#else
layout(local_size_x = 64) in;
#endif

#include "line"

#define TURNS 8
#define THERE 0.5
#define BACK (-0.53)
#define CHORD 1.25
#define STRETCH 3.0
#define MOST 0.3
#define STAYS 0.03
#define ACROSS 0.1
#define SPAN 5
#define SPIKE 0.15
#define STEEP 0.7

struct End {
    vec3 from, way;
    float wall, free, first, t, whole, reach, most;
};

float dot_of(vec3 a, vec3 b)
{
    precise float sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

// `t`: which word of it is.
End end_at(uint k, uint t)
{
    End e;
    float low = end_number(k, END_LOW), high = end_number(k, END_HIGH);
    precise float up = high - low;
    e.from = vec3(end_number(k, END_X), end_number(k, END_Y), low);
    e.way = vec3(end_number(k, END_WAY_X), end_number(k, END_WAY_Y), up);
    e.wall = end_number(k, END_WALL), e.free = end_number(k, END_FREE);
    e.first = end_number(k, END_FIRST), e.t = end_number(k, t);
    return e;
}

// How far an end looks along the line, and how far it may slide.
void measure(inout End e)
{
    precise float plan = e.way.x * e.way.x + e.way.y * e.way.y, whole = dot_of(e.way, e.way);
    precise float cells = smaller(root_of(over_of(whole, plan)), STRETCH) * law.dx;
    precise float reach = CHORD * cells, bound = MOST * law.dx;
    e.whole = whole, e.reach = reach;
    e.most = quotient_of(bound, root_of(plan));
}

vec3 place_in(End e)
{
    float t = into_wall(e.t, e.wall);
    precise float x = e.from.x + t * e.way.x, y = e.from.y + t * e.way.y;
    precise float z = e.from.z + t * e.way.z;
    return vec3(x, y, z);
}

vec3 across_of(vec3 a, vec3 c)
{
    float along = dot_of(a, c);
    precise float x = a.x - along * c.x, y = a.y - along * c.y, z = a.z - along * c.z;
    return vec3(x, y, z);
}

float size_between(vec3 a, vec3 b)
{
    precise vec3 by = b - a;
    return root_of(dot_of(by, by));
}

#ifdef ALONE
#define NOBODY 0xffffu
#define EACH (ENDS_MOST / ALONE)

shared float at_x[ENDS_MOST], at_y[ENDS_MOST], at_z[ENDS_MOST], to_next[ENDS_MOST];
shared uint around[ENDS_MOST]; // the last end, << 16 the next

uint beside(uint k, bool on)
{
    uint o = on ? around[k] >> 16 : around[k] & NOBODY;
    return o == NOBODY ? NONE : o;
}

vec3 place_of(uint k)
{
    return vec3(at_x[k], at_y[k], at_z[k]);
}

// Of the way to the end beside it: there and back it is as long.
float size_to(uint k, uint o)
{
    if (around[k] >> 16 == o) return to_next[k];
    if (around[o] >> 16 == k) return to_next[o];
    return size_between(place_of(k), place_of(o));
}
#else
uint beside(uint k, bool on)
{
    return end_word(k, on ? END_NEXT : END_LAST);
}

vec3 place_of(uint k)
{
    return place_in(end_at(k, END_T + law.from));
}

float size_to(uint k, uint o)
{
    return size_between(place_of(k), place_of(o));
}
#endif

// The place on the line so far on from an end; false: the line ends before.
bool along(uint k, bool on, float most, out vec3 at)
{
    precise float left = most;
    at = place_of(k);
    for (int n = 0; n < 12; n++) {
        uint o = beside(k, on);
        if (o == NONE) return false;
        float size = size_to(k, o);
        vec3 to = place_of(o);
        if (size >= left) {
            float part = quotient_of(left, size);
            precise vec3 by = to - at;
            precise vec3 there = at + by * part;
            at = there;
            return true;
        }
        at = to, left -= size, k = o;
    }
    return true;
}

float slid(End e, uint k, float share)
{
    vec3 a, b, way = e.way, own = place_in(e);
    if (!(e.free > 0.0)) return e.t;
    if (!along(k, false, e.reach, a) || !along(k, true, e.reach, b)) return e.t;
    precise vec3 chord = b - a;
    float size = root_of(dot_of(chord, chord));
    precise float few = 0.1 * law.dx;
    if (!(size > few)) return e.t;
    float per = quotient_of(1.0, size);
    precise vec3 unit = chord * per, to_a = a - own;
    vec3 off = across_of(to_a, unit), over = across_of(way, unit);
    precise float above = share * e.free * dot_of(off, over);
    precise float under = dot_of(over, over) + ACROSS * e.whole;
    precise float tooth = over_of(root_of(dot_of(off, off)), law.dx) - STAYS;
    float counts = smaller(larger(over_of(tooth, STAYS), 0.0), 1.0);
    precise float by = over_of(above, under) * counts;
    precise float to = e.t + by, low = e.first - e.most, high = e.first + e.most;
    precise float last = 1.0 - NEAREST;
    return smaller(larger(smaller(larger(to, low), high), NEAREST), last);
}

// ---- To where they came -------------------------------------------------------------------------

#ifdef ALONE
// When they have come to rest: heights, and how steep beds are, in the places of places.
float height_of(uint k)
{
    return at_x[k];
}

float rise_of(uint k)
{
    return at_y[k];
}
#else
float height_of(uint k)
{
    float t = end_number(k, END_T);
    return end_height(k, t, end_share(k, t));
}

float rise_of(uint k)
{
    precise float rise = abs(end_number(k, END_HIGH) - end_number(k, END_LOW));
    return rise;
}
#endif

void least_beside(uint k, bool on, out float least[2 * SPAN + 1])
{
    least[0] = height_of(k);
    for (int n = 1; n <= 2 * SPAN; n++) {
        least[n] = least[n - 1];
        if (k == NONE) continue;
        k = beside(k, on);
        if (k != NONE) least[n] = smaller(least[n], height_of(k));
    }
}

float broad_height(uint k)
{
    float before[2 * SPAN + 1], after[2 * SPAN + 1];
    least_beside(k, false, before), least_beside(k, true, after);
    float most = smaller(before[0], after[2 * SPAN]);
    for (int n = 1; n <= 2 * SPAN; n++)
        most = larger(most, smaller(before[n], after[2 * SPAN - n]));
    return most;
}

float rise_at(uint k)
{
    uint last = beside(k, false), next = beside(k, true);
    float most = rise_of(k);
    if (last != NONE) most = larger(most, rise_of(last));
    if (next != NONE) most = larger(most, rise_of(next));
    return most;
}

void put(End e, uint k)
{
    float height = height_of(k);
    uint at = 3u * (counted.inside + k);
    precise float steep = STEEP * law.dx;
    if (rise_at(k) > steep) {
        precise float most = broad_height(k) + SPIKE * law.dx;
        height = smaller(height, most);
    }
    mesh[at + 2u] = height;
    if (e.t == e.first) return;
    vec3 place = place_in(e);
    mesh[at] = place.x, mesh[at + 1u] = place.y;
}

#ifdef ALONE
// The end of this thread, one of EACH; NONE: none.
uint own_end(int n)
{
    uint k = gl_LocalInvocationIndex + uint(n * ALONE);
    return k < counted.fresh && end_word(k, END_IS) != 0u ? k : NONE;
}

void main()
{
    take_counts();
    End e[EACH];
    uint own[EACH];
    for (int n = 0; n < EACH; n++) {
        own[n] = own_end(n);
        uint k = own[n];
        if (k == NONE) continue;
        e[n] = end_at(k, END_T);
        measure(e[n]);
        around[k] = min(end_word(k, END_LAST), NOBODY) | min(end_word(k, END_NEXT), NOBODY) << 16;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int n = 0; n < EACH; n++) {
            if (own[n] == NONE) continue;
            vec3 at = place_in(e[n]);
            at_x[own[n]] = at.x, at_y[own[n]] = at.y, at_z[own[n]] = at.z;
        }
        barrier();
        for (int n = 0; n < EACH; n++) {
            uint o = own[n] != NONE ? beside(own[n], true) : NONE;
            if (o != NONE) to_next[own[n]] = size_between(place_of(own[n]), place_of(o));
        }
        barrier();
        for (int n = 0; n < EACH; n++)
            if (own[n] != NONE) e[n].t = slid(e[n], own[n], turn % 2 == 0 ? THERE : BACK);
        barrier();
    }
    for (int n = 0; n < EACH; n++) {
        uint k = own[n];
        if (k == NONE) continue;
        at_x[k] = end_height(k, e[n].t, into_wall(e[n].t, e[n].wall)), at_y[k] = abs(e[n].way.z);
        set_end_number(k, END_T, e[n].t);
    }
    barrier();
    for (int n = 0; n < EACH; n++)
        if (own[n] != NONE) put(e[n], own[n]);
}
#else
void main()
{
    uint k = thread_x();
    take_counts();
    if (k >= counted.fresh || end_word(k, END_IS) == 0u) return;
    End e = end_at(k, END_T + law.from);
#ifdef PUT
    put(e, k);
#else
    measure(e);
    set_end_number(k, END_T + 1u - law.from, slid(e, k, law.ring));
#endif
}
#endif
