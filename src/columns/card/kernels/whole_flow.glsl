// A whole substep of pipes that carry momentum: fluxes and velocities, shares and depths, for four
// neighbours, without odd pipes and ceilings, where columns are few and dispatches take long. A group
// works out again what it needs of the pipes around it.
#define STOPS
#define ROWS_MORE 4u
#include "tile"
#include "flow_buffers"
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
#include "halted"
#include "rows"
#include "tile_rows"
#include "sums"
#define TILED_ROWS
#include "found"
#include "shares"
#include "through"
#define TILED
#include "around"
#include "flow_pipe"

#define PIPES_WIDE 35u
#define PIPES_ALL (PIPES_WIDE * (HIGH + 3u))
// Of the pipes to the east and to the north, from two columns before on: fluxes, velocities.
shared vec2 flows[PIPES_ALL], paces[PIPES_ALL];

void take_pipes(Place at, uint x, uint y)
{
    Place own = moved_to(at, int(tile_x + x) - 2, int(tile_y + y) - 2);
    vec2 flow = vec2(0.0), pace = vec2(0.0);
    if (own.exists && is_awake(own)) {
        uint slopes = pipes[own.slot], rises = 0u;
#ifdef TILTED
        rises = pipes[law.slots + own.slot];
#endif
        Flow east = pipe_of(own, 0u, 1, 0, float(slopes & 0xffffu), float(int(rises << 16) >> 16), 0.0);
        Flow north = Flow(speed_at(own, 1u, 0, 0), flux_at(own, 1u, 0, 0)); // the last row keeps them
        if (own.y + 1u < at.ny)
            north = pipe_of(own, 1u, 0, 1, float(slopes >> 16), float(int(rises) >> 16), 0.0);
        flow = vec2(east.flux, north.flux), pace = vec2(east.speed, north.speed);
    }
    flows[y * PIPES_WIDE + x] = flow, paces[y * PIPES_WIDE + x] = pace;
}

void take_share(Place at, uint x, uint y)
{
    Place place = share_place(at, x, y);
    uint own = (y + 1u) * PIPES_WIDE + x + 1u;
    float share = 1.0;
    if (place.exists)
        share = share_given(depth_at(place, 0, 0), flows[own - 1u].x, flows[own].x, flows[own - PIPES_WIDE].y,
                            flows[own].y);
    gives[y * WIDE + x] = share;
}

void finish_column(Place at)
{
    uint i = at.slot, n = law.slots;
    uint k = (gl_LocalInvocationID.y + 2u) * PIPES_WIDE + gl_LocalInvocationID.x + 2u;
    vec3 left = finished(depth_at(at, 0, 0), flows[k - 1u].x, flows[k].x, flows[k - PIPES_WIDE].y, flows[k].y);
    new_flux[i] = left.x, new_flux[n + i] = left.y, new_depth[i] = left.z;
    new_speed[i] = paces[k].x, new_speed[n + i] = paces[k].y;
    float south = at.y > 0u ? paces[k - PIPES_WIDE].y : 0.0;
    float u = larger(abs(paces[k - 1u].x), abs(paces[k].x));
    note_depth(at, left.z);
    note_most(left.z);
    note_pace(pace_from(left.z, u, larger(abs(south), abs(paces[k].y))));
}

// What falls asleep stops; others know it.
void stop_column(uint i)
{
    new_depth[i] = depth[i];
    for (uint way = 0u; way < 2u; way++) {
        uint at = way * law.slots + i;
        flux[at] = 0.0, new_flux[at] = 0.0, speed[at] = 0.0, new_speed[at] = 0.0;
    }
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
    begin_found();
    take_rows(at);
    take_tile(at);
    if (halted || !group_works(at)) return;
    stop_tile(at);
    EACH_PLACE(take_pipes, at, PIPES_WIDE, HIGH + 3u)
    barrier();
    EACH_PLACE(take_share, at, WIDE, HIGH + 2u)
    barrier();
    if (at.exists && is_awake(at))
        finish_column(at);
    else if (at.exists && was_awake(at))
        stop_column(at.slot);
    tell_found();
    tell_wet(at, law.next_at);
}
