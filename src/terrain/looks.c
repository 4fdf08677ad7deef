// Whose surface it is: looks follow the solids as the distance does. Of a union the nearer one
// counts, also in its smooth seam, where it has the larger weight; the walls that a subtracted or
// intersecting solid leaves are those of what it cuts, unless it says a look of its own.
#include "terrain/looks.h"

#include <math.h>
#include <string.h>

bool rv_looks_are_said(const rv_solid_def *solids, int count)
{
    for (int i = 0; i < count; i++)
        if (solids[i].material != RV_SOLID_SCENE) return true;
    return false;
}

void rv_looks_resolve(rv_part *parts, int count, uint8_t otherwise)
{
    for (int i = 0; i < count;) {
        rv_part *part = &parts[i];
        int children = part->children < count - i - 1 ? part->children : count - i - 1;
        if (part->look == RV_LOOK_SCENE)
            part->look = part->op == RV_UNION ? otherwise : RV_LOOK_CLEAR;
        rv_looks_resolve(part + 1, children, part->look);
        i += 1 + children;
    }
}

void rv_looks_mark(rv_node *nodes, int count)
{
    for (int i = 0; i < count; i++) {
        const rv_part *part = nodes[i].part;
        nodes[i].clear =
            part->op != RV_UNION && (part->shape == RV_SHAPE_GROUP || part->look == RV_LOOK_CLEAR);
    }
}

bool rv_looks_make(rv_looks *looks, const rv_solid_def *solids, int count, const uint8_t *own,
                   const rv_allocator *a)
{
    looks->parts = rv_new(a, (size_t)count, sizeof *looks->parts);
    if (!looks->parts) return false;
    looks->part_count = count;
    for (int i = 0; i < count; i++) {
        looks->parts[i] = rv_part_of(&solids[i]);
        if (own) looks->parts[i].look = own[i];
    }
    rv_looks_resolve(looks->parts, count, RV_LOOK_SCENE);
    int64_t needed = rv_nodes_needed(looks->parts, count);
    looks->nodes = needed <= RV_COPIES_MAX ? rv_new(a, (size_t)needed, sizeof *looks->nodes) : NULL;
    if (!looks->nodes) return false;
    looks->node_count = rv_nodes_of(looks->parts, count, looks->nodes);
    rv_looks_mark(looks->nodes, looks->node_count);
    return true;
}

void rv_looks_free(rv_looks *looks, const rv_allocator *a)
{
    rv_free(a, looks->parts, (size_t)looks->part_count, sizeof *looks->parts);
    rv_free(a, looks->nodes, (size_t)looks->node_count, sizeof *looks->nodes);
    *looks = (rv_looks){0};
}

bool rv_nodes_one_look(const rv_node *nodes, int count, uint8_t *look)
{
    bool any = false;
    *look = RV_LOOK_CLEAR;
    for (int i = 0; i < count; i++) {
        const rv_part *part = nodes[i].part;
        if (part->shape == RV_SHAPE_GROUP) continue;
        if (part->op != RV_UNION && part->look == RV_LOOK_CLEAR) continue;
        if (any && part->look != *look) return false;
        any = true, *look = part->look;
    }
    return true;
}

typedef struct seen {
    double d; // m
    uint8_t look;
} seen;

static void join(const rv_node *node, seen new, seen *all)
{
    const rv_part *part = node->part;
    double b = part->op == RV_SUBTRACT ? -new.d : new.d;
    bool wins = node->alone || (part->op == RV_UNION ? b < all->d : b > all->d);
    if (wins && (part->op == RV_UNION || new.look != RV_LOOK_CLEAR)) all->look = new.look;
    all->d = node->alone ? b : rv_part_join(part, all->d, new.d);
}

static seen look_at(const rv_node *nodes, int count, rv_vec3 p)
{
    const seen nothing = {INFINITY, RV_LOOK_CLEAR};
    seen all = nothing, nearest = nothing;
    for (int i = 0; i < count; i += 1 + nodes[i].children) {
        const rv_node *node = &nodes[i];
        const rv_part *part = node->part;
        rv_vec3 q = rv_part_frame(part, p, node->image);
        seen own = part->shape == RV_SHAPE_GROUP ? look_at(node + 1, node->children, q)
                                                 : (seen){rv_part_shape(part, q), part->look};
        own.d = rv_part_finish(part, own.d, q);
        if (own.d < nearest.d) nearest = own;
        if (!node->last) continue;
        join(node, nearest, &all);
        nearest = nothing;
    }
    return all;
}

double rv_nodes_look(const rv_node *nodes, int count, rv_vec3 p, uint8_t *look)
{
    seen s = look_at(nodes, count, p);
    *look = s.look;
    return s.d;
}
