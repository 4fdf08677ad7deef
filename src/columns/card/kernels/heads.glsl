// Heads of surface tension of columns in the open (../../tension.c), and which beds count as wet. A
// group works out each face of its columns once. Ends, whose thickness of a full film has a minus,
// get theirs in another kernel; ENDS: beside it.
#include "tile"
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
CHANGES(AT_PRESS, Press, float, press);
#ifdef STOPS
CHANGES(AT_SPEED, Speed, float, speed);
CHANGES(AT_FLUX, Flux, float, flux);
#endif
#include "halted"
#include "rows"
#include "tile_rows"
#include "curve"
#ifdef ENDS
READS(AT_ENDS, Ends, uint, ends);
#include "end_heads"
#endif

#define WIDE 34u
// Base, depth and thickness of the group's columns and those around; and their faces to the east,
// from one column before the first on, and to the north, from one row before.
shared vec3 around[340];
#define EAST 264u // faces: 33 in each of 8 rows
#define FACES 552u // … and 32 in each of 9
shared vec4 faces[552];

void take_column(Place at, uint k)
{
    uint sx = k % WIDE, sy = k / WIDE;
    int x = int(at.x - gl_LocalInvocationID.x + sx) - 1;
    int y = int(at.y - gl_LocalInvocationID.y + sy) - 1;
    vec3 found = vec3(0.0);
    if (x <= int(at.nx) && y <= int(at.ny)) {
        uint i = uint(int(at.slot) + (x - int(at.x)) + (y - int(at.y)) * int(at.pitch));
        float own = depth[i];
        precise float thick = own * beds[2u * law.slots + i];
        found = vec3(beds[i], own, thick);
    }
    around[k] = found;
}

void take_columns(Place at)
{
    uint k = gl_LocalInvocationIndex;
    take_column(at, k);
    if (k < 84u) take_column(at, 256u + k);
}

// What else this thread needs of its column.
struct Own {
    float lean, advances, recedes, full, wetted, flooded;
};

Own take_own(Place at)
{
    uint n = law.slots, i = at.exists ? at.slot : 0u;
    return Own(beds[2u * n + i], beds[3u * n + i], beds[4u * n + i], beds[5u * n + i],
               press[4u * n + i], press[6u * n + i]);
}

void take_face(uint k)
{
    uint n = k - EAST, low = k < EAST ? (k / 33u + 1u) * WIDE + k % 33u
                                      : n / 32u * WIDE + n % 32u + 1u;
    uint high = low + (k < EAST ? 1u : WIDE), left = k < EAST ? WIDE : 1u;
    vec3 a = around[low], b = around[high], c = around[low + left], d = around[high + left];
    vec3 e = around[low - left], f = around[high - left];
    Face face = face_through(slopes_of(a.x, b.x, c.x, d.x, e.x, f.x),
                             slopes_of(a.y, b.y, c.y, d.y, e.y, f.y),
                             slopes_of(a.z, b.z, c.z, d.z, e.z, f.z));
    faces[k] = vec4(face.bed, face.film, face.level, face.along);
}

Face face_at(uint k)
{
    vec4 v = faces[k];
    return Face(v.x, v.y, v.z, v.w);
}

#ifdef STOPS
// What falls asleep stops.
void stop_column(uint i)
{
    for (uint way = 0u; way < law.ways; way++)
        flux[way * law.slots + i] = 0.0, speed[way * law.slots + i] = 0.0;
    press[law.slots + i] = 0.0;
}
#endif

void main()
{
    Place at = place_first();
#ifdef WAKES
    bool halted = tell_halted();
    if (halted) return;
#else
    bool halted = is_halted();
#endif
#ifdef ENDS
    if (thread_here().z >= law.planes) { // in higher planes: ends
        uint end = listed_here();
        if (!halted && end < law.ends) set_end(end);
        return;
    }
#endif
    uint lx = gl_LocalInvocationID.x, ly = gl_LocalInvocationID.y, k = gl_LocalInvocationIndex;
    take_rows(at);
#ifndef MANY // asked for before it is known whether the group works: the way to it is long
    take_columns(at);
    Own own_here = take_own(at);
#endif
    barrier();
    if (halted || !group_works(at)) return;
    bool works = at.exists && is_awake(at);
#ifdef MANY
    take_columns(at);
    Own own_here = take_own(at);
    barrier();
#endif
    for (uint face = k; face < FACES; face += 256u) take_face(face);
    barrier();
#ifdef STOPS
    if (at.exists && !works && was_awake(at)) stop_column(at.slot);
#endif
    if (!works) return;
    uint i = at.slot, n = law.slots, mid = (ly + 1u) * WIDE + lx + 1u;
    float own = around[mid].y, thick = around[mid].z, full = abs(own_here.full);
    float wet = wetted_after(thick, full, own_here.wetted);
    press[4u * n + i] = wet;
    if (own_here.full < 0.0) return; // an end
    float cost = wet > 0.0 ? own_here.recedes : own_here.advances;
    uint west = ly * 33u + lx, south = EAST + ly * 32u + lx;
    Face sum = sum_of(face_at(west), face_at(west + 1u), face_at(south), face_at(south + 32u));
    precise float head = head_of(sum, own, thick, own_here.lean, how_deep(thick), cost, full);
    if (own_here.flooded > 0.0) head = 0.0; // full to its ceiling: no surface
#ifdef PRESSED
    head = head + press[i];
#endif
    press[law.heads_at + i] = head;
}
