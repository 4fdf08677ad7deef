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
        copied c = cull_images(nodes, &i, ball, out + n);
        rv_range b = c.range;
        if (part->op == RV_SUBTRACT) b = (rv_range){-c.range.high, -c.range.low};
        verdict v = c.alone ? ALONE : decide(part, a, b);
        if (v == BEFORE) continue;
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
