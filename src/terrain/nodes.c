// Culling: of a long list of solids, only a few matter near a place. Which ones follows from
// bounds.
//
// A shape's distance changes by at most as much as the point moves, so over a ball it stays within
// its radius of the value in the middle, plus the height of the noise. Joins keep the order of
// their arguments, so bounds of a list follow by joining the bounds. A solid that stays farther
// than the blend behind what came before it gives exactly what came before, and can be left out;
// one that stays so far ahead of it replaces it.
#include "terrain/parts.h"

#include <math.h>
#include <string.h>

// ---- Making nodes -------------------------------------------------------------------------------

static int images_of(const rv_part *part)
{
    int n = 0;
    for (int image = 0; image < 4; image++) n += rv_part_has_image(part, image);
    return n;
}

static int children_of(const rv_part *parts, int i, int count)
{
    return parts[i].children < count - i - 1 ? parts[i].children : count - i - 1;
}

int64_t rv_nodes_needed(const rv_part *parts, int count)
{
    int64_t n = 0;
    for (int i = 0; i < count && n <= RV_COPIES_MAX;) {
        int children = children_of(parts, i, count);
        n += images_of(&parts[i]) * (1 + rv_nodes_needed(parts + i + 1, children));
        i += 1 + children;
    }
    return n;
}

int rv_nodes_of(const rv_part *parts, int count, rv_node *out)
{
    int n = 0;
    for (int i = 0; i < count;) {
        int children = children_of(parts, i, count);
        rv_node *node = NULL;
        for (int image = 0; image < 4; image++) {
            if (!rv_part_has_image(&parts[i], image)) continue;
            node = &out[n++];
            *node = (rv_node){.part = &parts[i], .image = (uint8_t)image};
            node->children = rv_nodes_of(parts + i + 1, children, out + n);
            n += node->children;
        }
        node->last = true;
        i += 1 + children;
    }
    return n;
}

// ---- The distance -------------------------------------------------------------------------------

double rv_nodes_distance(const rv_node *nodes, int count, rv_vec3 p)
{
    double d = INFINITY, nearest = INFINITY;
    for (int i = 0; i < count;) {
        const rv_node *node = &nodes[i];
        const rv_part *part = node->part;
        rv_vec3 q = rv_part_frame(part, p, node->image);
        double own = part->shape == RV_SHAPE_GROUP ? rv_nodes_distance(node + 1, node->children, q)
                                                   : rv_part_shape(part, q);
        own = rv_part_finish(part, own, q);
        if (own < nearest) nearest = own;
        i += 1 + node->children;
        if (!node->last) continue;
        if (node->alone)
            d = part->op == RV_SUBTRACT ? -nearest : nearest;
        else
            d = rv_part_join(part, d, nearest);
        nearest = INFINITY;
    }
    return d;
}

// One image of one part at n points of the frame around it.
static void sample_image(const rv_node *node, rv_ball ball, const rv_vec3 *points, int n,
                         double *own)
{
    const rv_part *part = node->part;
    rv_vec3 q[RV_BATCH];
    for (int k = 0; k < n; k++) q[k] = rv_part_frame(part, points[k], node->image);
    if (part->shape == RV_SHAPE_GROUP || rv_part_has_form(part)) {
        rv_ball inner = {rv_part_frame(part, ball.at, node->image),
                         ball.radius * part->shrink * (1 + 1e-9)};
        if (part->shape == RV_SHAPE_GROUP)
            rv_nodes_sample(node + 1, node->children, inner, q, n, own);
        else
            part->as.form->kind->sample(part->as.form, inner, q, n, own);
    } else {
        for (int k = 0; k < n; k++) own[k] = rv_part_shape(part, q[k]);
    }
    for (int k = 0; k < n; k++) own[k] = rv_part_finish(part, own[k], q[k]);
}

void rv_nodes_sample(const rv_node *nodes, int count, rv_ball ball, const rv_vec3 *points, int n,
                     double *out)
{
    double nearest[RV_BATCH], own[RV_BATCH];
    for (int k = 0; k < n; k++) out[k] = nearest[k] = INFINITY;
    for (int i = 0; i < count; i += 1 + nodes[i].children) {
        const rv_node *node = &nodes[i];
        sample_image(node, ball, points, n, own);
        for (int k = 0; k < n; k++)
            if (own[k] < nearest[k]) nearest[k] = own[k];
        if (!node->last) continue;
        for (int k = 0; k < n; k++) {
            if (node->alone)
                out[k] = node->part->op == RV_SUBTRACT ? -nearest[k] : nearest[k];
            else
                out[k] = rv_part_join(node->part, out[k], nearest[k]);
            nearest[k] = INFINITY;
        }
    }
}

// ---- Culling ------------------------------------------------------------------------------------

// What rounding may add to a distance of size d at q, far above what it does.
static double rounding(const rv_part *part, rv_vec3 q, double d, double radius)
{
    double size = fabs(q.x) + fabs(q.y) + fabs(q.z) + fabs(d) +
                  part->shrink * (fabs(part->at.x) + fabs(part->at.y) + fabs(part->at.z));
    return 1e-9 * radius + 1e-13 * size;
}

// Copies one node with what matters of its children.
static rv_range cull_image(const rv_node *node, rv_ball ball, rv_node *out, int *length)
{
    const rv_part *part = node->part;
    rv_vec3 q = rv_part_frame(part, ball.at, node->image);
    double radius = ball.radius * part->shrink;
    rv_range range;
    *out = *node, out->last = out->alone = false;
    if (part->shape == RV_SHAPE_GROUP) {
        range =
            rv_nodes_cull(node + 1, node->children, (rv_ball){q, radius}, out + 1, &out->children);
    } else if (rv_part_has_form(part)) {
        range = part->as.form->kind->range(part->as.form, (rv_ball){q, radius * (1 + 1e-9)});
    } else {
        double d = rv_part_shape(part, q), reach = radius + rounding(part, q, d, radius);
        range = (rv_range){d - reach, d + reach};
    }
    *length = 1 + out->children;
    double rough = part->noise * (1 + 1e-9);
    return (rv_range){(range.low - rough) * part->scale, (range.high + rough) * part->scale};
}

typedef struct copied {
    rv_range range; // of the part
    int length;     // nodes written
    int last;       // which of them carries the operation
    bool alone;     // as it was before
} copied;

// Copies the images of one part, at *i of nodes, that may be the nearest somewhere in the ball.
static copied cull_images(const rv_node *nodes, int *i, rv_ball ball, rv_node *out)
{
    copied c = {.range = {INFINITY, INFINITY}};
    rv_range range[4];
    int size[4], count = 0, from = 0;
    for (bool more = true; more && count < 4; count++) {
        const rv_node *node = &nodes[*i];
        range[count] = cull_image(node, ball, out + from, &size[count]);
        c.range.low = fmin(c.range.low, range[count].low);
        c.range.high = fmin(c.range.high, range[count].high);
        more = !node->last, c.alone = node->alone;
        from += size[count], *i += 1 + node->children;
    }
    from = 0;
    for (int k = 0; k < count; from += size[k++]) {
        if (range[k].low > c.range.high) continue;
        memmove(out + c.length, out + from, (size_t)size[k] * sizeof *out);
        c.last = c.length, c.length += size[k];
    }
    out[c.last].last = true;
    return c;
}

typedef enum verdict { BOTH, BEFORE, ALONE } verdict;

// Whether only what was before counts, or only the new part, or both. b: as the join sees it.
static verdict decide(const rv_part *part, rv_range a, rv_range b)
{
    double blend = part->blend;
    if (part->op == RV_UNION) {
        if (b.low - blend > a.high) return BEFORE;
        return b.high + blend < a.low ? ALONE : BOTH;
    }
    if (b.high + blend < a.low) return BEFORE;
    return b.low - blend > a.high ? ALONE : BOTH;
}

rv_range rv_nodes_cull(const rv_node *nodes, int count, rv_ball ball, rv_node *out, int *out_count)
{
    rv_range a = {INFINITY, INFINITY};
    int n = 0;
    for (int i = 0; i < count;) {
        const rv_part *part = nodes[i].part;
        bool clear = nodes[i].clear;
        copied c = cull_images(nodes, &i, ball, out + n);
        rv_range b = c.range;
        if (part->op == RV_SUBTRACT) b = (rv_range){-c.range.high, -c.range.low};
        verdict v = c.alone ? ALONE : decide(part, a, b);
        if (v == BEFORE) continue;
        if (v == ALONE && clear) v = BOTH; // the same bits
        if (v == ALONE) {
            memmove(out, out + n, (size_t)c.length * sizeof *out);
            n = 0, a = b;
        } else {
            bool flips = part->op == RV_SUBTRACT; // the join turns b's sign itself
            a.low = rv_part_join(part, a.low, flips ? c.range.high : c.range.low);
            a.high = rv_part_join(part, a.high, flips ? c.range.low : c.range.high);
        }
        out[n + c.last].alone = v == ALONE;
        n += c.length;
    }
    *out_count = n;
    return a;
}

typedef struct judge {
    const rv_node *nodes;
    int count;
    rv_node *scratch;
    bool any, solid;
    double least; // bound of the distance's size over what was judged so far
} judge;

static bool is_far(judge *j, rv_box box, int depth)
{
    int unused;
    rv_range range = rv_nodes_cull(j->nodes, j->count, rv_ball_around(box), j->scratch, &unused);
    if (range.low > 0 || range.high < 0) {
        bool solid = range.high < 0;
        if (j->any && solid != j->solid) return false;
        j->any = true, j->solid = solid;
        j->least = fmin(j->least, solid ? -range.high : range.low);
        return true;
    }
    if (depth == 0) return false;
    rv_vec3 mid = {0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y),
                   0.5 * (box.low.z + box.high.z)};
    for (int part = 0; part < 8; part++) {
        rv_box eighth = box;
        *(part & 1 ? &eighth.low.x : &eighth.high.x) = mid.x;
        *(part & 2 ? &eighth.low.y : &eighth.high.y) = mid.y;
        *(part & 4 ? &eighth.low.z : &eighth.high.z) = mid.z;
        if (!is_far(j, eighth, depth - 1)) return false;
    }
    return true;
}

double rv_nodes_far(const rv_node *nodes, int count, rv_box box, int depth, rv_node *scratch)
{
    judge j = {.nodes = nodes, .count = count, .scratch = scratch, .least = INFINITY};
    if (!is_far(&j, box, depth)) return 0;
    return j.solid ? -j.least : j.least;
}
