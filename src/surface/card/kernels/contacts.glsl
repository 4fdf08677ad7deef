// Where contacts stand at first (../../contacts.c: begin_end, begin_wall).
#ifndef ALONE
layout(local_size_x = 64) in;
#endif

#include "shape"
#include "vertex"
#include "line"
#include "contact"
#include "bed"

void begin(uint k, vec2 at, float kind)
{
    uint c = k * CONTACT_WORDS;
    for (uint i = 0u; i < CONTACT_WORDS; i++) contacts[c + i] = 0u;
    set_number(k, IS_X, at.x), set_number(k, IS_Y, at.y);
    set_number(k, IS_AT_X, at.x), set_number(k, IS_AT_Y, at.y);
    set_number(k, IS_KIND, kind);
    contacts[c + IS_BEFORE] = contacts[c + IS_AFTER] = NONE;
    if (kind > 0.0) return;
    contacts[c + IS_LAST] = NONE;
    contacts[c + IS_NEAR] = 0x7f800000u;
}

void begin_end(uint k, uint node, int back)
{
    uint inner = links[uint(back) * law.nodes + node];
    int direction = opposite(back);
    vec2 to = vec2(float(STEP_X[direction]), float(STEP_Y[direction]));
    ivec2 cell = cell_at(node);
    vec3 at = place_of(counted.inside + k);
    precise float up = (base_of(node) - base_of(inner)) * law.per_dx;
    precise float away = 0.5 * law.dx, wall = wall_of(over_of(up, way(direction)));
    if (wall > 0.0 && (law.has & HAS_BENDS) != 0u) {
        float on = goes_on(inner, node, direction), t = end_number(k, END_T);
        wall *= 1.0 - clings(inner, node, direction);
        if (!is_extra(inner)) wall *= 1.0 - runs_down(normals[inner].z);
        away *= 1.0 + on * (1.0 - 2.0 * t);
    }
    precise float x = at.x + wall * (cell_x(cell.x) - away * to.x - at.x);
    precise float y = at.y + wall * (cell_y(cell.y) - away * to.y - at.y), kind = 1.0 + wall;
    begin(k, vec2(x, y), kind);
}

void begin_wall(uint k, uint node)
{
    vec2 sum = vec2(0.0);
    float number = 0.0;
    uint wet = wet_links(node);
    for (int d = 0; d < 8; d++)
        if ((wet >> d & 1u) != 0u)
            sum += vec2(float(STEP_X[d]), float(STEP_Y[d])), number += 1.0;
    precise float half_dx = 0.5 * law.dx;
    float part = number > 0.0 ? quotient_of(half_dx, number) : 0.0;
    ivec2 cell = extra_cell(node);
    precise float x = cell_x(cell.x) + part * sum.x, y = cell_y(cell.y) + part * sum.y;
    begin(k, vec2(x, y), 2.0);
}

void begin_contact(uint k)
{
    uint node = fresh[2u * k], what = fresh[2u * k + 1u];
    if (what < IS_EXTRA)
        begin_end(k, node, int(what));
    else if (what == IS_EXTRA && kind_of(node) == KIND_WALL)
        begin_wall(k, node);
    else
        begin(k, vec2(0.0), 0.0);
}

#ifndef ALONE
void main()
{
    take_counts();
    if (thread_x() < counted.fresh) begin_contact(thread_x());
}
#endif
