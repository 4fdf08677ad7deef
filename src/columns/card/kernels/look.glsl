// What is known of all columns as they are: wet blocks, the greatest depth and pace of those that do
// not sleep (rv_pipes_scan in ../../awake.c).
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_DEPTH, Depth, float, depth);
READS(AT_SPEED, Speed, float, speed);
READS(AT_BEDS, Beds, float, beds);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#include "blocks"
#define FULL_COUNTS
#include "found"

#ifdef FLOW
float pace_of(Place at, float own)
{
    uint i = at.slot, n = law.slots;
    float u = larger(abs(speed[i - 1u]), abs(speed[i]));
    float v = larger(abs(speed[n + i - at.pitch]), abs(speed[n + i]));
    return pace_from(own, u, v);
}
#endif

void main()
{
    Place at = place_here();
    begin_found();
    barrier();
    if (at.exists) {
        float own = depth[at.slot];
        note_depth(at, own, law.wet_at);
        if (!is_asleep(at)) {
            note_most(own);
            note_full(at, own);
#ifdef FLOW
            note_pace(pace_of(at, own));
#endif
        }
    }
    tell_found();
}
