// Heads of surface tension of columns in the open, and which beds count as wet. Ends get theirs in
// another kernel; ENDS: beside it.
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
#include "heads_tile"

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
    set_heads(at, halted);
}
