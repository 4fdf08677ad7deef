// What `awake`, `heads` with ends, and each pass of `calm` do, in one call: by groups that all run at
// the same time and meet between passes. A pass goes over tiles that work, or over a list, of which
// every group does its share. Where groups do not come the substep is left out, HALT 3: all this can
// be done again. law.calm_pass: how often heads are smoothed.
#define ODD
#define TENSE
#include "tile"
#define BY_ALL(place, block, type, name)                                                           \
    layout(std430, binding = place) coherent buffer block { type name[]; }
layout(std430, binding = AT_STATUS) coherent volatile buffer Status { uint status[]; };
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
READS(AT_ENDS, Ends, uint, ends);
BY_ALL(AT_SPEED, Speed, float, speed);
BY_ALL(AT_FLUX, Flux, float, flux);
BY_ALL(AT_BITS, Bits, uint, bits);
BY_ALL(AT_ODD_FLOW, OddFlow, float, odd_flow);
BY_ALL(AT_PRESS, Press, float, press);
#include "rows"
#define WAKES
#include "halted"
#undef WAKES
#include "tile_rows"
#include "meeting"
#include "dealt"
#define ROWS_HERE 32
#include "awake_row"
#include "curve"
#include "end_heads"
#define STOPS
#include "heads_tile"
#include "odd_list"
#include "calming"
#include "calm_column"

// Passes; those after HEADS smooth.
#define WAKE 0u
#define HEADS 1u
#define NO_TILE 0xffffffffu

uint rows_of; // the tile whose rows the group has at hand

void do_listed(uint pass, uint k)
{
    if (pass == WAKE) wake_row(k);
    if (pass == HEADS && k < law.ends) set_end(k);
}

void do_tile(uint pass, uint k)
{
    Place at = place_in(k);
    if (pass == HEADS) {
        set_heads(at, false); // takes them with all else
    } else {
        uint turn = pass - HEADS - 1u;
        if (rows_of != k) take_rows(at);
        barrier();
        if (at.exists && is_awake(at))
            calm_column(at, turn, turn == 0u, turn + 1u == law.calm_pass);
    }
    rows_of = k;
}

// The group's tiles, and then its parts of the list.
void do_pass(uint pass)
{
    uint tiles = pass == WAKE ? 0u : own_count, listed = 0u, first = groups - 1u - group;
    if (pass == WAKE) listed = max(8u * law.rows, law.columns);
    if (pass == HEADS) listed = law.ends;
    uint parts = (listed + 255u) / 256u;
    uint all = tiles + (parts > first ? (parts - first + groups - 1u) / groups : 0u);
    for (uint k = 0u; k < all; k++) {
        barrier(); // what a group shares is used again
        if (k < tiles)
            do_tile(pass, k);
        else
            do_listed(pass, 256u * (first + groups * (k - tiles)) + gl_LocalInvocationIndex);
    }
}

void do_all()
{
    rows_of = NO_TILE;
    for (uint pass = WAKE; pass < 2u + law.calm_pass; pass++) {
        if (pass == HEADS) list_tiles();
        do_pass(pass);
        if (pass < 1u + law.calm_pass && !meet_all()) return;
    }
}

shared uint halts;

void main()
{
    uint k = gl_LocalInvocationIndex;
    group = thread_here().x / 32u, groups = gl_NumWorkGroups.x;
    // all threads of a group or none: another one may give up meanwhile
    if (k == 0u) halts = is_halted() ? 1u : status[law.meet_at + MISSED] != 0u ? 3u : 0u;
    barrier();
    if (halts == 3u) { // this group is late
        if (k == 0u) status[law.status_at + HALT] = 3u;
        return;
    }
    if (group == 0u && k < 8u) status[law.status_at + k] = k == HALT ? halts : 0u;
    if (halts != 0u) return;
    do_all();
    leave_all();
}
