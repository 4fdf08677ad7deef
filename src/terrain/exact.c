// The distance of the solids, asked for where it is wanted, and its gradient over a small step.
// What edits changed is in it as far as their tools were kept (tools.c): where samples differ from
// it there is no answer.
#include "terrain/exact.h"

#include <math.h>
#include <string.h>

#define NODES_MAX 4096 // more are not culled again for every place
#define ALL_NODES 12   // so few are asked without culling
#define STEP 2e-3      // of dx: for gradients; finer than what is seen, coarser than rounding
#define OFF 0.01       // of dx: a sample that is farther from it was changed by an edit
#define ON 1e-4        // of dx: what is no farther from the surface is on it
#define SETTLING 16    // steps to get there, most
#define LEAST_RATE 0.5 // of the distance along a way: a longer step may pass something thin

// The tools after the solids, as one list.
static bool join_tools(rv_exact *e)
{
    const rv_terrain *t = e->t;
    const rv_looks *s = &t->solids;
    e->part_count = (size_t)t->tool_count;
    e->parts = rv_new(&e->allocator, e->part_count, sizeof *e->parts);
    if (!e->parts) return false;
    rv_tools_parts(t, e->parts);
    int64_t needed = rv_nodes_needed(e->parts, t->tool_count);
    if (needed > NODES_MAX) return true; // without them, then
    e->all_room = (size_t)s->node_count + (size_t)needed;
    e->all = rv_new(&e->allocator, e->all_room, sizeof *e->all);
    if (!e->all) return false;
    if (s->node_count > 0) memcpy(e->all, s->nodes, (size_t)s->node_count * sizeof *e->all);
    e->node_count += rv_nodes_of(e->parts, t->tool_count, e->all + s->node_count);
    e->nodes = e->all;
    return true;
}

rv_exact rv_exact_of(const rv_terrain *t, const rv_allocator *allocator)
{
    rv_exact e = {.t = t, .allocator = *allocator, .ball.radius = -1};
    if (t->solids.node_count > NODES_MAX) return e;
    for (int i = 0; i < t->mover_count; i++)
        if (t->mover[i].solids.node_count > NODES_MAX) return e;
    e.nodes = t->solids.nodes, e.node_count = t->solids.node_count;
    if (t->tool_count > 0 && !join_tools(&e)) return e;
    e.room = (size_t)e.node_count;
    e.near = e.room > 0 ? rv_new(allocator, e.room, sizeof *e.near) : NULL;
    e.usable = e.room == 0 || e.near;
    return e;
}

void rv_exact_free(rv_exact *e)
{
    rv_free(&e->allocator, e->near, e->room, sizeof *e->near);
    rv_free(&e->allocator, e->parts, e->part_count, sizeof *e->parts);
    rv_free(&e->allocator, e->all, e->all_room, sizeof *e->all);
    e->near = e->all = NULL, e->parts = NULL;
}

// The nodes that matter around a place, found anew when it is another.
static double of_solids(rv_exact *e, rv_vec3 p)
{
    if (e->node_count <= ALL_NODES) return rv_nodes_distance(e->nodes, e->node_count, p);
    double x = p.x - e->ball.at.x, y = p.y - e->ball.at.y, z = p.z - e->ball.at.z;
    double inner = e->ball.radius;
    if (!(inner > 0 && x * x + y * y + z * z < inner * inner)) {
        e->ball = (rv_ball){p, 4 * fmax(e->t->grid.dx, e->t->grid.dz)};
        rv_nodes_cull(e->nodes, e->node_count, e->ball, e->near, &e->near_count);
    }
    return rv_nodes_distance(e->near, e->near_count, p);
}

double rv_exact_movers(const rv_exact *e, rv_vec3 p)
{
    const rv_terrain *t = e->t;
    double d = INFINITY;
    for (int i = 0; i < t->mover_count; i++) {
        const rv_mover *m = &t->mover[i];
        if (m->node_count == 0 || !rv_box_meets(rv_box_grow(m->now, t->margin), (rv_box){p, p}))
            continue;
        const rv_looks *s = &m->solids;
        d = fmin(d, rv_nodes_distance(s->nodes, s->node_count, rv_part_frame(&m->parts[0], p, 0)));
    }
    return d;
}

double rv_exact_distance(rv_exact *e, rv_vec3 p)
{
    return fmin(of_solids(e, p), rv_exact_movers(e, p));
}

double rv_exact_kink(rv_exact *e, rv_vec3 p, double step)
{
    const double at[3] = {p.x, p.y, p.z};
    double own = rv_exact_distance(e, p), most = 0;
    for (int a = 0; a < 3; a++) {
        double low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
        low[a] -= step, high[a] += step;
        double both = rv_exact_distance(e, (rv_vec3){high[0], high[1], high[2]}) +
                      rv_exact_distance(e, (rv_vec3){low[0], low[1], low[2]});
        most = fmax(most, fabs(both - 2 * own) / (2 * step));
    }
    return most;
}

bool rv_exact_normal(rv_exact *e, rv_vec3 p, double out[3])
{
    double h = STEP * e->t->grid.dx, size;
    out[0] = rv_exact_distance(e, (rv_vec3){p.x + h, p.y, p.z}) -
             rv_exact_distance(e, (rv_vec3){p.x - h, p.y, p.z});
    out[1] = rv_exact_distance(e, (rv_vec3){p.x, p.y + h, p.z}) -
             rv_exact_distance(e, (rv_vec3){p.x, p.y - h, p.z});
    out[2] = rv_exact_distance(e, (rv_vec3){p.x, p.y, p.z + h}) -
             rv_exact_distance(e, (rv_vec3){p.x, p.y, p.z - h});
    size = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    if (!(size > 0.2 * h) || !isfinite(size)) return false;
    for (int a = 0; a < 3; a++) out[a] /= size;
    return true;
}

static rv_vec3 on_edge(rv_vec3 a, rv_vec3 b, double share)
{
    return (rv_vec3){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y),
                     a.z + share * (b.z - a.z)};
}

bool rv_exact_crossing(rv_exact *e, const int at[3], int axis, float from, float to,
                       double place[3], double normal[3])
{
    const rv_grid *g = &e->t->grid;
    int other[3] = {at[0], at[1], at[2]};
    other[axis]++;
    if (at[2] < 0) return false;
    rv_vec3 a = rv_field_point(g, at[0], at[1], at[2]);
    rv_vec3 b = rv_field_point(g, other[0], other[1], other[2]);
    double low = rv_exact_distance(e, a), high = rv_exact_distance(e, b), off = OFF * g->dx;
    if (fabs(low - (double)from) > off || fabs(high - (double)to) > off) return false;
    double begin = 0, end = 1;
    if ((low < 0) == (high < 0)) // rounding: the surface is at the nearer end
        begin = end = fabs(low) < fabs(high) ? 0 : 1;
    for (int n = 0; n < 10 && begin < end; n++) {
        double middle = 0.5 * (begin + end);
        if ((rv_exact_distance(e, on_edge(a, b, middle)) < 0) == (low < 0))
            begin = middle;
        else
            end = middle;
    }
    rv_vec3 p = on_edge(a, b, 0.5 * (begin + end));
    place[0] = p.x, place[1] = p.y, place[2] = p.z;
    return rv_exact_normal(e, p, normal);
}

// Steps of the distance, made longer where it changes slowly: along the way between the two sides
// of a thin edge it does.
bool rv_exact_settle(rv_exact *e, const double normal[3], double reach, double place[3])
{
    rv_vec3 start = {place[0], place[1], place[2]};
    double gone = 0, before = 0, at_before = 0, left = INFINITY, near = ON * e->t->grid.dx;
    for (int n = 0; n < SETTLING && fabs(left) > near; n++) {
        rv_vec3 p = {start.x + gone * normal[0], start.y + gone * normal[1],
                     start.z + gone * normal[2]};
        left = rv_exact_distance(e, p);
        double rate = n > 0 ? (left - at_before) / (gone - before) : 1;
        before = gone, at_before = left;
        gone -= left / (rate < 1 ? fmax(rate, LEAST_RATE) : 1);
        if (!(fabs(gone) < reach)) return false;
    }
    if (!(fabs(left) < OFF * e->t->grid.dx)) return false;
    place[0] += gone * normal[0], place[1] += gone * normal[1], place[2] += gone * normal[2];
    return true;
}
