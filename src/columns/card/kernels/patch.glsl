// Up to four substeps of the papers' pipes in one call, of grids so small that it takes longer to begin
// a call than to work it out, for four neighbours, without odd pipes and ceilings. A group works out 32
// by 32 columns, four rows a thread, and keeps those that are two a substep away from the sides of it.
// law.band: how many columns each way it keeps, and how many substeps.
#define KEPT int(law.band.x)
#define MORE ((32 - KEPT) / 2)
#define TIMES law.band.y
#define BAND_MOST 28
#define FEW_GROUPS
layout(local_size_x = 32, local_size_y = 8) in;
#include "several_parts"

#define WIDE 32u
#define ALL (WIDE * 32u)
shared vec2 levels[ALL], flows[ALL]; // levels with depths; to the east and to the north, unscaled
shared float gives[ALL];
shared uint short_in; // 1 + the last substep in which a column was asked for more than it has

// Which row the thread's k-th is; where it stands above.
int row_of(int k)
{
    return first - MORE + int(gl_LocalInvocationID.y) + 8 * k;
}

uint place_of(int k)
{
    return (gl_LocalInvocationID.y + 8u * uint(k)) * WIDE + gl_LocalInvocationID.x;
}

// ---- A substep, in four parts between which all threads meet -------------------------------------

void publish(Column c, int k)
{
    levels[place_of(k)] = level_of(c.bed, c.deep);
}

vec2 find_flows(Column c, int k)
{
    uint at = place_of(k);
    vec2 own = levels[at];
    vec2 flow = vec2(flow_east(c, own, levels[min(at + 1u, ALL - 1u)], row_of(k)),
                     flow_north(c, own, levels[min(at + WIDE, ALL - 1u)], row_of(k)));
    flows[at] = flow;
    return flow;
}

float west_of(uint at)
{
    return flows[max(at, 1u) - 1u].x;
}

float south_of(uint at)
{
    return flows[max(at, WIDE) - WIDE].y;
}

float find_want(Column c, vec2 flow, int k)
{
    uint at = place_of(k);
    gives[at] = 1.0;
    return want_of(c.deep, west_of(at), flow.x, south_of(at), flow.y);
}

void give(Column c, float want, int k)
{
    if (want > 0.0) gives[place_of(k)] = share_for(c.deep, want);
}

// `plain`: nobody was asked for more than it has, and shares are 1.
void finish(inout Column c, vec2 flow, int k, uint salt, bool plain)
{
    uint at = place_of(k);
    float w = west_of(at), e = flow.x, south = south_of(at), north = flow.y;
    if (!plain) {
        float own = gives[at];
        w = scaled_by(w, gives[max(at, 1u) - 1u], own);
        e = scaled_by(e, own, gives[min(at + 1u, ALL - 1u)]);
        south = scaled_by(south, gives[max(at, WIDE) - WIDE], own);
        north = scaled_by(north, own, gives[min(at + WIDE, ALL - 1u)]);
    }
    precise float change = law.dt_area * ((w - e) + (south - north));
    c.deep = depth_salted(c.deep, change, salt), c.flow = vec2(e, north);
}

// ---- All of it ----------------------------------------------------------------------------------

bool mine;

bool keeps(int k)
{
    return mine && row_of(k) >= first && row_of(k) < last;
}

void main()
{
    uvec3 t = thread_here() - gl_LocalInvocationID;
    thread = gl_LocalInvocationIndex;
    uint p = min(t.z, 15u), group = t.x / 32u, plane_row = law.plane[2u * p + 1u].x;
    uvec4 plane = law.plane[2u * p];
    int west = int(group) * KEPT;
    origin = plane.x, pitch = plane.y, wide = int(plane.z), high = int(plane.w);
    x = west - MORE + int(gl_LocalInvocationID.x), first = int(t.y / 8u) * KEPT;
    last = min(first + KEPT, high), within = x >= 0 && x < wide;
    // asked for before it is known whether the group works: the way to it is long
    Column a = column_at(row_of(0)), b = column_at(row_of(1));
    Column c = column_at(row_of(2)), d = column_at(row_of(3));
    uvec4 rows = take_blocks(plane_row);
    if (begin_status(t.x + t.y + t.z == 0u)) return;
    if (west >= wide || first >= high) return;
    if (thread == 0u) short_in = 0u;
    uint block = uint(west) >> law.shift, end = uint(min(west + KEPT, wide) - 1) >> law.shift;
    if (group == 0u) tell_awake(plane_row, rows.xy);
    find_works(rows.xy, rows.zw, block, (2u << (end - block)) - 1u);
    if (works == 0u) return;

    Most most = Most(0.0, 0.0), between = most;
    mine = within && x >= west && x < west + KEPT;
    for (uint k = 0u; k < TIMES; k++) {
        publish(a, 0), publish(b, 1), publish(c, 2), publish(d, 3);
        barrier();
        vec2 fa = find_flows(a, 0), fb = find_flows(b, 1), fc = find_flows(c, 2), fd = find_flows(d, 3);
        barrier();
        float wa = find_want(a, fa, 0), wb = find_want(b, fb, 1), wc = find_want(c, fc, 2);
        float wd = find_want(d, fd, 3);
        if (max(max(wa, wb), max(wc, wd)) > 0.0) { // rare
            give(a, wa, 0), give(b, wb, 1), give(c, wc, 2), give(d, wd, 3);
            short_in = k + 1u;
        }
        barrier();
        uint salt = law.salts[k];
        bool plain = short_in != k + 1u;
        finish(a, fa, 0, salt, plain), finish(b, fb, 1, salt, plain);
        finish(c, fc, 2, salt, plain), finish(d, fd, 3, salt, plain);
        between = Most(max(between.deep, most.deep), between.odd + most.odd), most = Most(0.0, 0.0);
        if (keeps(0)) note(most, a.deep);
        if (keeps(1)) note(most, b.deep);
        if (keeps(2)) note(most, c.deep);
        if (keeps(3)) note(most, d.deep);
    }
    uint bit = mine ? 1u << ((uint(x) >> law.shift) - block) : 0u;
    if (keeps(0)) put_column(row_of(0), a, bit);
    if (keeps(1)) put_column(row_of(1), b, bit);
    if (keeps(2)) put_column(row_of(2), c, bit);
    if (keeps(3)) put_column(row_of(3), d, bit);
    tell_found(most, between);
    tell_wet(plane_row, block);
}
