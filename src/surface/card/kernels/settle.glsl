// Directions and angles of contacts, from the lines they stand in (../../contacts.c).
#ifndef ALONE
layout(local_size_x = 64) in;
#endif

#include "vertex"
#include "contact"
#include "bed"

#define NEAR_ON_LINE 0.15
#define ALONG_LINE 2.0

// Rises to places around, by least squares.
float xx, xy, yy, xh, yh;

void add_rise(float x, float y, float rise)
{
    precise float a = xx + x * x, b = xy + x * y, c = yy + y * y;
    precise float d = xh + x * rise, e = yh + y * rise;
    xx = a, xy = b, yy = c, xh = d, yh = e;
}

float slope_along(vec2 to)
{
    precise float few = 1e-3 * (xx + yy);
    precise float a = xx + few, c = yy + few, whole = a * c - xy * xy;
    float per = over_of(1.0, whole);
    precise float sx = per * (c * xh - xy * yh), sy = per * (a * yh - xy * xh);
    precise float slope = sx * to.x + sy * to.y;
    return slope;
}

// The contact angle on the bed of a node.
float alpha_at(uint node)
{
    if (law.angle_at == NONE || node >= law.slots) return law.alpha;
    float own = uintBitsToFloat(given[law.angle_at + node]);
    return own >= 0.0 ? own : law.alpha;
}

float tilt_end(uint k, uint inner, uint outer, int direction, vec2 to)
{
    float base = base_of(inner);
    precise float rise = (base_of(outer) - base) * law.per_dx;
    xx = xy = yy = xh = yh = 0.0;
    add_rise(float(STEP_X[direction]), float(STEP_Y[direction]), rise);
    int beside = (direction & 1) != 0 ? 1 : 2;
    for (int side = -1; side <= 1 && inner < law.slots; side += 2) {
        int d = (direction + side * beside + 8) & 7;
        uint node = linked_to(inner, d);
        if (node == NONE || node >= law.slots) continue;
        precise float up = (base_at(node) - base) * law.per_dx;
        if (abs(up) < 2.0) add_rise(float(STEP_X[d]), float(STEP_Y[d]), up);
    }
    float beta = atan_of(slope_along(to));
    precise float wall = number_of(k, IS_KIND) - 1.0;
    precise float tilt = beta + wall * (HALF_PI - beta) - alpha_at(inner);
    return tilt;
}

// What normals still lack.
float rest_of(float tilt, vec2 to, uint beside)
{
    if ((law.has & HAS_BENDS) == 0u) return tilt;
    vec3 normal = normal_of(beside);
    precise float toward = -(normal.x * to.x + normal.y * to.y);
    float rises = normal.z > 0.0 ? atan_of(over_of(toward, normal.z)) : atan(toward, normal.z);
    if (tilt > 0.0) {
        precise float rest = tilt - larger(rises, 0.0);
        return larger(rest, 0.0);
    }
    precise float rest = tilt - smaller(rises, 0.0);
    return smaller(rest, 0.0);
}

uint joined_to(uint k, bool on)
{
    uint key = word_of(k, on ? IS_NEXT : IS_LAST);
    return key == 0u ? NONE : with_key(key - 1u);
}

#ifdef ALONE
shared float line_x[ENDS_MOST], line_y[ENDS_MOST];
shared uint line_on[ENDS_MOST]; // the contact before, << 16 the one after
#define NOBODY 0xffffu

// Before any is settled.
void bring_line(uint k)
{
    vec2 at = pair_of(k, IS_AT_X);
    line_x[k] = at.x, line_y[k] = at.y;
    line_on[k] = min(joined_to(k, false), NOBODY) | min(joined_to(k, true), NOBODY) << 16;
}

uint along(uint k, bool on)
{
    uint o = on ? line_on[k] >> 16 : line_on[k] & NOBODY;
    return o == NOBODY ? NONE : o;
}

vec2 at_first(uint k)
{
    return vec2(line_x[k], line_y[k]);
}
#else
uint along(uint k, bool on)
{
    return joined_to(k, on);
}

vec2 at_first(uint k)
{
    return pair_of(k, IS_AT_X);
}
#endif

uint beside_on_line(uint k, bool on, float cells, int most)
{
    vec2 at = at_first(k);
    uint other = along(k, on);
    precise float least = cells * law.dx, bound = least * least;
    for (int n = 0; n < most && other != NONE; n++) {
        vec2 there = at_first(other);
        precise float x = there.x - at.x, y = there.y - at.y;
        precise float square = x * x + y * y;
        uint beyond = along(other, on);
        if (square >= bound || beyond == NONE || beyond == k) break;
        other = beyond;
    }
    return other;
}

vec2 direct(uint k, uint a, uint b)
{
    if ((law.has & HAS_BENDS) != 0u) {
        uint before = beside_on_line(k, false, ALONG_LINE, 9);
        uint after = beside_on_line(k, true, ALONG_LINE, 9);
        if (before != NONE && after != NONE) a = before, b = after;
    }
    vec2 p = at_first(a), q = at_first(b);
    precise vec2 to = vec2(q.y - p.y, p.x - q.x);
    return to;
}

vec2 lay_on_line(uint k, vec2 away)
{
    uint before = beside_on_line(k, false, NEAR_ON_LINE, 3);
    uint after = beside_on_line(k, true, NEAR_ON_LINE, 3);
    uint a = before != NONE ? before : k, b = after != NONE ? after : k;
    contacts[k * CONTACT_WORDS + IS_BEFORE] = before;
    contacts[k * CONTACT_WORDS + IS_AFTER] = after;
    vec2 to = direct(k, a, b);
    precise float least = 1e-3 * law.dx, bound = least * least;
    precise float same = to.x * away.x + to.y * away.y;
    if (!(same > bound)) to = away;
    precise float square = to.x * to.x + to.y * to.y;
    float size = root_of(square), per = size > 1e-12 ? quotient_of(1.0, size) : 0.0;
    precise vec2 unit = to * per;
    set_number(k, IS_TO_X, unit.x), set_number(k, IS_TO_Y, unit.y);
    if (a == k || b == k) return unit;
    vec2 p = at_first(a), q = at_first(b), own = at_first(k);
    precise float part = 0.5 * (number_of(k, IS_KIND) - 1.0);
    precise float x = own.x + part * (0.5 * (p.x + q.x) - own.x);
    precise float y = own.y + part * (0.5 * (p.y + q.y) - own.y);
    set_number(k, IS_X, x), set_number(k, IS_Y, y);
    return unit;
}

vec2 point_away(uint node)
{
    precise vec2 to = vec2(0.0);
    uint wet = wet_links(node);
    for (int d = 0; d < 8; d++)
        if ((wet >> d & 1u) != 0u)
            to -= vec2(over_of(float(STEP_X[d]), way(d)), over_of(float(STEP_Y[d]), way(d)));
    return to;
}

void settle(uint k)
{
    uint node = fresh[2u * k], what = fresh[2u * k + 1u], beside = counted.inside + k;
    float tilt;
    vec2 to;
    if (what < IS_EXTRA) {
        int direction = opposite(int(what));
        uint inner = links[what * law.nodes + node];
        to = lay_on_line(k, vec2(float(STEP_X[direction]), float(STEP_Y[direction])));
        tilt = tilt_end(k, inner, node, direction, to);
        if (number_of(k, IS_KIND) >= 1.5 && inner < law.slots)
            beside = nodes[AT_VERTEX * law.nodes + inner];
    } else {
        to = lay_on_line(k, point_away(node));
        precise float upright = HALF_PI - law.alpha;
        tilt = upright;
    }
    set_number(k, IS_REST, rest_of(tilt, to, beside));
}

#ifndef ALONE
void main()
{
    uint k = thread_x();
    take_counts();
    if (k < counted.fresh && is_contact(counted.inside + k)) settle(k);
}
#endif
