// Vertices that are none of a column inside: where the surface ends, extra nodes, curtains
// (../../ends.c).
layout(local_size_x = 64) in;

#include "shape"
#include "vertex"
#include "line"

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
    uint inner = links[uint(direction) * law.nodes + outside], k = vertex - law.inside;
    float deep = inside_of(inner), low = floor_of(inner), high = floor_of(outside), rise = 0.0;
    vec3 at = place_at(inner), to = place_at(outside);
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
    all = unit_of(square > 0.01 ? all : own);
    if ((begins == 0u) == (ends == 0u)) return all;
    int d = int(begins != 0u ? begins : ends) - 1;
    precise vec3 both = all + unit_of(vec3(float(-STEP_X[d]), float(-STEP_Y[d]), 0.0));
    return unit_of(both);
}

bool thins_out(uint node)
{
    uint begins = extra_word(node, EXTRA_BEGINS), ends = extra_word(node, EXTRA_ENDS);
    if ((begins == 0u) == (ends == 0u)) return false;
    uint beside = linked_to(node, int(begins != 0u ? begins : ends) - 1);
    return extra_word(beside, EXTRA_BEGINS) != 0u && extra_word(beside, EXTRA_ENDS) != 0u;
}

void put_curtain(uint vertex, uint node, bool top)
{
    uint below = extra_word(node, EXTRA_BELOW);
    uint apron = extra_word(node, EXTRA_APRON);
    bool lands = is_wet(below) && is_inside(below);
    float low = apron != 0xff800000u ? uintBitsToFloat(apron)
                : lands ? z_of(below) : floor_at(below);
    vec3 at = place_at(node);
    Flow f = flow_around(node);
    precise float bound = at.z - NEAREST * law.dx;
    low = smaller(low, bound);
    precise float drop = at.z - low;
    if (!top) at.z = low;
    f.normal = facing(node), f.rough = 0.0;
    // a film that clings to an edge thins out to nothing at its underside
    precise float deep = values[2u * law.nodes + node], more = 4.0 * deep * law.per_dx - 1.0;
    if (!top && apron != 0xff800000u) deep *= smaller(larger(more, 0.0), 1.0);
    if (thins_out(node)) deep = 0.0;
    put(vertex, at, f, deep, top ? 0.0 : drop);
}

void main()
{
    uint k = thread_x();
    if (k >= law.fresh) return;
    uint node = fresh[2u * k], what = fresh[2u * k + 1u], vertex = law.inside + k;
    set_end(k, END_IS, what < IS_EXTRA ? 1u : 0u);
    if (what < IS_EXTRA)
        put_end(vertex, node, int(what));
    else if (what == IS_EXTRA)
        put(vertex, place_at(node), flow_around(node), values[2u * law.nodes + node], -1.0);
    else
        put_curtain(vertex, node, what == IS_TOP);
}
