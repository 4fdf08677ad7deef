// Vertices that are none of a column inside: where the surface ends, extra nodes, curtains
// (../../ends.c).
layout(local_size_x = 64) in;

#include "shape"
#include "vertex"
#include "line"
#include "flanks"

#define RISE_MOST 1.0

float wall_between(float low, float high, bool diagonal)
{
    precise float rise = (high - low) * law.per_dx * (diagonal ? 0.70710678 : 1.0);
    precise float wall = rise - 1.0;
    return smaller(larger(wall, 0.0), 1.0);
}

float height_of(uint node)
{
    precise float sum = z_of(node);
    float number = 1.0;
    for (int d = 0; d < 8 && is_extra(node); d++) {
        uint o = links[uint(d) * law.nodes + node];
        if (o == NONE || !is_extra(o) || kind_of(o) != kind_of(node)) continue;
        sum += z_of(o), number += 1.0;
    }
    if (!(number > 1.0)) return sum;
    precise float mean = sum * quotient_of(1.0, number);
    return mean;
}

float floor_of(uint node)
{
    return is_extra(node) ? height_of(node) : floor_at(node);
}

vec3 place_at(uint node)
{
    ivec2 cell = cell_at(node);
    return vec3(cell_x(cell.x), cell_y(cell.y), height_of(node));
}

// ---- Curtains -----------------------------------------------------------------------------------

vec3 face(vec3 to, uint node)
{
    uint begins = extra_word(node, EXTRA_BEGINS), ends = extra_word(node, EXTRA_ENDS);
    precise vec3 sum = to;
    if (begins != 0u) {
        int d = int(begins) - 1;
        sum += unit_of(vec3(float(STEP_Y[d]), float(-STEP_X[d]), 0.0));
    }
    if (ends != 0u) {
        int d = int(ends) - 1;
        sum += unit_of(vec3(float(-STEP_Y[d]), float(STEP_X[d]), 0.0));
    }
    return sum;
}

vec3 facing(uint node)
{
    uint begins = extra_word(node, EXTRA_BEGINS), ends = extra_word(node, EXTRA_ENDS);
    vec3 own = face(vec3(0.0), node), all = face(own, node);
    if (begins != 0u) all = face(all, linked_to(node, int(begins) - 1));
    if (ends != 0u) all = face(all, linked_to(node, int(ends) - 1));
    precise float square = all.x * all.x + all.y * all.y;
    return unit_of(square > 0.01 ? all : own);
}

bool is_side(uint node)
{
    return (extra_word(node, EXTRA_BEGINS) == 0u) != (extra_word(node, EXTRA_ENDS) == 0u);
}

vec3 away_of(uint node)
{
    uint begins = extra_word(node, EXTRA_BEGINS), ends = extra_word(node, EXTRA_ENDS);
    int d = int(begins != 0u ? begins : ends) - 1;
    return unit_of(vec3(float(-STEP_X[d]), float(-STEP_Y[d]), 0.0));
}

bool does_cling(uint node)
{
    return extra_word(node, EXTRA_APRON) != 0xff800000u;
}

struct Hanging {
    vec3 at, lip, forth, beside; // forth: the way out
    float back, far[CURTAIN_ROWS], z[CURTAIN_ROWS];
};

struct Holding {
    vec3 middle, seat, forth;
    float reach[FLANK_ROWS], base, low;
    bool known;
};

float share_of(int row)
{
    return row == 1 ? 0.12 : row == 2 ? 0.5 : row == 3 ? 0.88 : 1.0;
}

#define THIN_REACH 0.4

Holding holding_of(uint node)
{
    precise vec3 all = vec3(0.0), seat = vec3(0.0), forth = vec3(0.0), reach = vec3(0.0);
    precise float base = 0.0, low = 0.0;
    float number = 0.0, number_all = 0.0;
    ivec2 cell = cell_at(node);
    uint wet = does_cling(node) && law.flank_at != 0u ? wet_links(node) : 0u;
    for (int d = 0; d < 8; d++) {
        if ((wet >> d & 1u) == 0u) continue;
        uint o = links[uint(d) * law.nodes + node], drip = given[law.drip_at + o];
        vec3 at = vec3(cell_x(cell.x + STEP_X[d]), cell_y(cell.y + STEP_Y[d]), 0.0);
        all += at, number_all += 1.0;
        if (drip == 0u) continue;
        seat += at;
        forth += vec3(flank_value(drip - 1u, 0u), flank_value(drip - 1u, 1u), 0.0);
        reach += vec3(flank_value(drip - 1u, FLANK_REACH), flank_value(drip - 1u, FLANK_REACH + 1u),
                      flank_value(drip - 1u, FLANK_REACH + 2u));
        base += base_at(o), low += min_at(o), number += 1.0;
    }
    Holding h;
    h.known = number > 0.0;
    if (!h.known) return h;
    float per = quotient_of(1.0, number), per_all = quotient_of(1.0, number_all);
    precise float square = forth.x * forth.x + forth.y * forth.y;
    if (!(square > 0.25)) {
        precise float x = cell_x(cell.x) - seat.x * per, y = cell_y(cell.y) - seat.y * per;
        precise float thin = THIN_REACH * number;
        forth = vec3(x, y, 0.0), reach = vec3(thin);
    }
    precise vec3 middle = vec3(seat.x * per, seat.y * per, 0.0), mean = reach * per;
    precise vec3 middle_all = vec3(all.x * per_all, all.y * per_all, 0.0);
    h.middle = middle_all;
    precise float mean_base = base * per, mean_low = low * per;
    h.seat = middle, h.forth = unit_of(forth), h.base = mean_base, h.low = mean_low;
    h.reach[0] = mean.x, h.reach[1] = mean.y, h.reach[2] = mean.z;
    return h;
}

float height_below(uint node)
{
    uint below = extra_word(node, EXTRA_BELOW);
    return is_wet(below) && is_inside(below) ? z_of(below) : floor_at(below);
}

void hang_free(uint node, inout Hanging h)
{
    float low = does_cling(node) ? uintBitsToFloat(extra_word(node, EXTRA_APRON)) : height_below(node);
    precise float bound = h.z[0] - NEAREST * law.dx;
    low = smaller(low, bound);
    for (int k = 1; k < CURTAIN_ROWS; k++) h.z[k] = mixed(h.z[0], low, share_of(k));
}

float tall_of(uint node, Holding own)
{
    precise float tall = own.base - own.low, sum = 2.0 * tall;
    float number = 2.0;
    for (int onward = 0; onward < 2; onward++) {
        uint way = extra_word(node, onward != 0 ? EXTRA_BEGINS : EXTRA_ENDS);
        if (way == 0u) continue;
        Holding o = holding_of(linked_to(node, int(way) - 1));
        precise float other = o.base - o.low;
        if (o.known) sum += other, number += 1.0;
    }
    precise float mean = sum * quotient_of(1.0, number);
    return mean;
}

#define ROUND 4

float reaches(uint node)
{
    int nearest = ROUND;
    for (int onward = 0; onward < 2; onward++) {
        uint at = node;
        for (int k = 0; k < nearest; k++) {
            uint way = extra_word(at, onward != 0 ? EXTRA_BEGINS : EXTRA_ENDS);
            if (way == 0u) nearest = k;
            else at = linked_to(at, int(way) - 1);
        }
    }
    precise float left = 0.85 * (1.0 - float(nearest) * (1.0 / float(ROUND)));
    precise float square = 1.0 - left * left;
    return root_of(square);
}

#define LIP_BACK 0.65

void hang_close(uint node, Holding e, inout Hanging h)
{
    precise float way_x = h.at.x - e.seat.x, way_y = h.at.y - e.seat.y;
    precise float along = way_x * e.forth.x + way_y * e.forth.y;
    precise float thick = values[2u * law.nodes + node] * law.per_dx;
    precise float thin = 4.0 * thick - 0.25, full = 0.12 + 0.5 * smaller(thick, 0.6);
    precise float over = smaller(thin, full);
    if (is_side(node)) {
        precise float lower = h.z[0] - 0.3 * law.dx;
        over = -0.1, h.z[0] = lower;
    }
    precise float beside_x = way_x - along * e.forth.x, beside_y = way_y - along * e.forth.y;
    precise float low = e.base - reaches(node) * tall_of(node, e);
    h.lip = mixed3(h.at, e.middle, LIP_BACK);
    h.forth = e.forth, h.beside = vec3(beside_x, beside_y, 0.0), h.back = 0.55;
    for (int k = 0; k < CURTAIN_ROWS; k++) {
        precise float far = k == 0 ? 0.2 : -0.1;
        if (k > 0 && k < CURTAIN_ROWS - 1) far = e.reach[k - 1] + over;
        precise float off = far * law.dx - along;
        h.far[k] = off;
        if (k == 0) continue;
        precise float bound = h.z[k - 1] - NEAREST * law.dx;
        h.z[k] = smaller(mixed(e.base, low, share_of(k)), bound);
    }
    precise float reach = e.reach[0] + over;
    h.z[0] = mixed(h.z[0], h.z[1], quotient_of(0.2, larger(reach, 0.4)));
}

Hanging hanging_of(uint node)
{
    Hanging h;
    Holding e = holding_of(node);
    vec3 away = is_side(node) ? away_of(node) : vec3(0.0);
    precise vec3 beside = vec3(away.x * law.dx, away.y * law.dx, 0.0);
    h.at = h.lip = place_at(node), h.forth = facing(node), h.beside = beside, h.back = 0.0;
    for (int k = 0; k < CURTAIN_ROWS; k++) h.far[k] = 0.0, h.z[k] = h.at.z;
    if (e.known) hang_close(node, e, h);
    else hang_free(node, h);
    return h;
}

vec3 row_place(Hanging h, bool side, int row)
{
    if (row == 0) return vec3(h.lip.xy, h.z[0]);
    precise float back = side ? h.back + 0.1 * float(row) : 0.0;
    precise float x = h.at.x + h.far[row] * h.forth.x - back * h.beside.x;
    precise float y = h.at.y + h.far[row] * h.forth.y - back * h.beside.y;
    return vec3(x, y, h.z[row]);
}

// Where a node is drawn.
vec3 drawn_at(uint node)
{
    if (kind_of(node) != KIND_LIP ||
        (extra_word(node, EXTRA_BEGINS) | extra_word(node, EXTRA_ENDS)) == 0u)
        return place_at(node);
    return row_place(hanging_of(node), is_side(node), 0);
}

vec3 row_normal(Hanging h, uint node, int row)
{
    precise vec3 forth = h.forth;
    if (is_side(node)) {
        precise vec3 both = forth + away_of(node);
        forth = unit_of(both);
    }
    int above = max(row - 1, 0), below = min(row + 1, CURTAIN_ROWS - 1);
    precise float fall = h.z[above] - h.z[below], bulge = h.far[below] - h.far[above];
    precise vec3 normal = vec3(forth.x * fall, forth.y * fall, bulge);
    return unit_of(normal);
}

void put_curtain(uint vertex, uint node, int row)
{
    Hanging h = hanging_of(node);
    Flow f = flow_around(node);
    float up = larger(f.normal.z, 0.2);
    if (row > 0) f.normal = row_normal(h, node, row);
    f.rough = 0.0;
    float own = values[2u * law.nodes + node];
    precise float thick = own * law.per_dx, there = 10.0 * thick - 0.5;
    const float THINS[CURTAIN_ROWS] = float[](1.0, 1.0, 0.8, 0.4, 0.0);
    precise float share = is_side(node) ? 0.0 : THINS[row];
    precise float thin = clamp01(there) * up, deep = share * thin * own;
    precise float drop = h.z[0] - h.z[row];
    put(vertex, row_place(h, is_side(node), row), f, deep, drop);
}

#include "falls"

// ---- Ends ---------------------------------------------------------------------------------------

// By how much the surface rises from a column inside to a node outside.
float rise_to(uint inner, vec3 at, vec3 to)
{
    vec3 n = normals[inner].xyz;
    precise float x = to.x - at.x, y = to.y - at.y, most = RISE_MOST * law.dx;
    precise float toward = -(n.x * x + n.y * y);
    return smaller(larger(over_of(toward, n.z), -most), most);
}

// `outside` has the end in a direction, in which the one inside is.
void put_end(uint vertex, uint outside, int direction)
{
    uint inner = links[uint(direction) * law.nodes + outside], k = vertex - counted.inside;
    float deep = inside_of(inner), low = floor_of(inner), high = floor_of(outside), rise = 0.0;
    vec3 at = drawn_at(inner), to = place_at(outside);
    Flow f = flow_beside(inner), beside = flow_beside(outside);
    precise float whole = deep - values[law.nodes + outside], most = 1.0 - NEAREST;
    float t = smaller(larger(over_of(deep, whole), NEAREST), most);
    precise float wall = wall_between(low, high, (direction & 1) != 0);
    if (wall > 0.0 && !is_extra(inner) && (law.has & HAS_BENDS) != 0u) {
        wall *= 1.0 - clings(inner, outside, opposite(direction));
        wall *= 1.0 - runs_down(normals[inner].z);
        rise = rise_to(inner, at, to);
    }
    begin_end(k, vec3(at.xy, wall), to.xy, t);
    set_span(k, vec4(low, high, at.z, rise), is_extra(inner));
    float onward = end_share(k, t);
    vec3 end = mixed3(at, to, onward);
    end.z = end_height(k, t, onward);
    precise float turned = 0.25 + 0.5 * onward;
    Flow both = Flow(unit_of(mixed3(f.normal, beside.normal, turned)),
                     mixed3(f.velocity, beside.velocity, onward),
                     mixed(f.rough, beside.rough, onward));
    put(vertex, end, both, 0.0, -1.0);
}

void main()
{
    uint k = thread_x();
    take_counts();
    if (k >= counted.fresh) return;
    uint node = fresh[2u * k], what = fresh[2u * k + 1u], vertex = counted.inside + k;
    set_end(k, END_IS, what < IS_EXTRA ? 1u : 0u);
    if (what < IS_EXTRA)
        put_end(vertex, node, int(what));
    else if (what == IS_EXTRA)
        put(vertex, drawn_at(node), flow_around(node), values[2u * law.nodes + node], -1.0);
    else if (extra_word(node, EXTRA_FALLS) == FALL_NONE)
        put_curtain(vertex, node, int(what - IS_TOP));
    else
        put_fall(vertex, node, int(what - IS_TOP));
}
