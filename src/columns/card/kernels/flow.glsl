// New velocities and fluxes of pipes that carry momentum (../../laws/flow.h, ../../passes.c),
// unscaled, of the pipes whose low end is a column. ODD: of odd pipes too, and of regular ones beside
// them as `seam` has it. CARRIES: what flows past counts; TRACED: it is
// traced back instead (../../trace.c); TIMED: solver `swe`. EIGHT: diagonals too.
#include "tile"
#include "flow_buffers"
#include "halted"
#include "rows"
#include "tile_rows"
#include "through"
#define TILED
#include "around"
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#include "odd_parts"
#include "odd_pipes"
#include "seam_past"

// Through the sides of this thread's column and of those to the east and to the north.
Sides own_sides, far_sides[2];

uvec3 odd_here(Place at)
{
    uint i = at.exists ? at.slot : 0u, north = at.exists ? at.slot + at.pitch : 0u;
    return uvec3(odd_columns[i], odd_columns[i + 1u], odd_columns[north]);
}

void take_sides(Place at, uvec3 odd)
{
    own_sides = sides_at(at, odd.x, 0, 0);
    far_sides[0] = sides_at(at, odd.y, 1, 0);
    far_sides[1] = sides_at(at, odd.z, 0, 1);
}
#endif

#include "flow_pipe"

void set_pipe(Place at, uint way, int dx, int dy, float slope, float rise, float gaps)
{
    Flow f = pipe_of(at, way, dx, dy, slope, rise, gaps);
    uint i = way * law.slots + at.slot;
    new_speed[i] = f.speed, new_flux[i] = f.flux;
}

void stop_pipe(uint i)
{
    new_flux[i] = 0.0, new_speed[i] = 0.0;
#ifdef STOPS
    flux[i] = 0.0, speed[i] = 0.0;
#endif
}

void main()
{
    Place at = place_first();
#ifdef WAKES
    bool halted = tell_halted();
    if (halted) return;
#else
    bool halted = is_halted();
#endif
#ifdef ODD
    if (thread_here().z >= law.planes) { // in higher planes: odd pipes
        uint k = listed_here();
        if (!halted && k < law.pipes) set_odd(k);
        return;
    }
#endif
#ifdef ODD
    uvec3 odd_around = odd_here(at); // the way to it is long
#endif
    take_rows(at);
#ifdef MANY
    barrier();
    if (halted || !group_works(at)) return;
    take_tile(at);
#else
    take_tile(at);
    if (halted || !group_works(at)) return;
#endif
    stop_tile(at);
    if (!at.exists) return;
    uint i = at.slot, n = law.slots;
    bool awake = is_awake(at), top = at.y + 1u == at.ny;
    if (!awake) {
        if (was_awake(at))
            for (uint way = 0u; way < law.ways; way++) stop_pipe(way * n + i);
        return;
    }
    uint slopes = pipes[i], rises = 0u, gaps = 0u;
#if defined(ODD) && defined(CARRIES)
    take_sides(at, odd_around);
#endif
#ifdef TILTED
    rises = pipes[n + i];
#endif
#ifdef EIGHT
    uint diagonals = pipes[2u * n + i];
    gaps = pipes[3u * n + i];
#endif
    set_pipe(at, 0u, 1, 0, float(slopes & 0xffffu), float(int(rises << 16) >> 16),
             float(gaps & 0xffffu));
    if (!top)
        set_pipe(at, 1u, 0, 1, float(slopes >> 16), float(int(rises) >> 16), float(gaps >> 16));
    else // it has none, and keeps what there is
        new_speed[n + i] = speed[n + i], new_flux[n + i] = flux[n + i];
#ifdef EIGHT
    if (!top) {
        set_pipe(at, 2u, 1, 1, float(diagonals & 0xffffu), 0.0, 0.0);
        set_pipe(at, 3u, -1, 1, float(diagonals >> 16), 0.0, 0.0);
    } else {
        new_speed[2u * n + i] = speed[2u * n + i], new_flux[2u * n + i] = flux[2u * n + i];
        new_speed[3u * n + i] = speed[3u * n + i], new_flux[3u * n + i] = flux[3u * n + i];
    }
#endif
}
