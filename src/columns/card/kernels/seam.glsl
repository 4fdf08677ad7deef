// Regular pipes of columns whose odd ones carried something, where momentum is carried: worked out
// again, to first order, with what came through the odd pipes (../../beside.c). One thread an odd
// column; two beside each other both set the pipe between them, to the same.
layout(local_size_x = 64) in;
#include "flow_buffers"
#include "blocks"
#include "halted"
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
READS(AT_ODD_FLOW, OddFlow, float, odd_flow);
#define HARD
#define TILTED
#include "through"
#include "around"
#include "odd_parts"

#include "seam_past"

void set_pipe(Place at, uint way)
{
    uint n = law.slots, i = at.slot;
    int dx = way == 0u ? 1 : 0, dy = 1 - dx;
    uint slopes = pipes[i], rises = pipes[n + i];
    float slope = float(way == 0u ? slopes & 0xffffu : slopes >> 16);
    if (slope == 0.0 || !is_awake(at)) return;
    uint j = slot_at(at, dx, dy);
    End a = end_at(at, 0, 0, -dx, -dy), b = end_at(at, dx, dy, dx, dy);
    Past past = past_beside(at, way, sides_at(at, odd_columns[i], 0, 0),
                            sides_at(at, odd_columns[j], dx, dy));
    Pipe p;
    p.slope = slope, p.u = speed[way * n + i];
    precise float both = a.depth + b.depth;
    p.both = larger(larger(both, law.film), flow_comes(past));
    p.carried = flow_carried(past, p.u);
    p.rise = float(way == 0u ? int(rises << 16) >> 16 : int(rises) >> 16);
    precise float side = lean_at(at, 0, 0, dy, dx) + lean_at(at, dx, dy, dy, dx);
    precise float opening = smaller(beds[n + i], beds[n + j]) - larger(beds[i], beds[j]);
    p.side = side, p.opening = opening, p.share = law.share, p.pull = 0.0;
#ifdef TENSE
    precise float pull = pull_at(at, 0, 0, dy, dx) + pull_at(at, dx, dy, dy, dx);
    p.pull = pull;
#endif
    p.slant = way == 0u ? law.slant_x : law.slant_y;
    Flow f = flow_through(a, b, p, law.fall, law.bend, false);
    new_speed[way * n + i] = f.speed, new_flux[way * n + i] = f.flux;
}

Place moved(Place at, int dx, int dy)
{
    Place next = at;
    next.slot = slot_at(at, dx, dy);
    next.x = uint(int(at.x) + dx), next.y = uint(int(at.y) + dy), next.row = at.row + uint(dy);
    return next;
}

void main()
{
    if (is_halted()) return;
    uint k = thread_here().x, p = 0u;
    if (k >= law.columns) return;
    uint slot = column_word(k, 0u), row = column_word(k, 3u) & 0xffffffu;
    while (p < 15u && law.plane[2u * p + 2u].w > 0u && row >= law.plane[2u * p + 3u].x) p++;
    uvec4 plane = law.plane[2u * p];
    uint y = row - law.plane[2u * p + 1u].x;
    Place at = Place(slot, plane.y, slot - plane.x - y * plane.y, y, plane.z, plane.w, row, true);
    if (!sides_at(at, k + 1u, 0, 0).live) return;
    set_pipe(at, 0u);
    set_pipe(at, 1u);
    if (at.x > 0u) set_pipe(moved(at, -1, 0), 0u);
    if (at.y > 0u) set_pipe(moved(at, 0, -1), 1u);
}
