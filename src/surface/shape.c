// How high the surface is drawn at each node, and where it ends (SPEC §4; 003 §4.3, §4.4).
//
// The surface ends between nodes, where `inside` is zero. Against a shore that is where the level
// meets the bed. On a bed that goes on evenly there is no such place: a front is a step from some
// depth to none, a cell wide. There the end is put where the liquid of the last column would reach
// if it stood as high as the one behind it: with depths 1, H, 0 in a row, at about half a cell
// behind the middle of the last one and H further. So it moves evenly as H grows, over the middle
// of one cell and of the next.
#include "surface/surface.h"

#include <math.h>

#define SHARE 0.5f // of the depth behind it, at which a column at a front is half covered

static float clamp01(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static void raise_wet(rv_node_data *n, const rv_surface_input *in)
{
    n->bed = in->columns->base[n->slot];
    n->floor = n->bed + in->over[n->slot];
    n->depth = in->depth[n->slot];
    n->z = fmaxf(n->bed + n->depth, n->floor);
}

// Dry: the mean level of the wet ones around it. Extra: their drawn height and depth too.
static void raise_other(rv_surface_work *w, rv_node_data *n, const rv_surface_input *in)
{
    float level = 0.0f, z = 0.0f, depth = 0.0f;
    int count = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        if (n->link[d] == RV_NO_NODE) continue;
        const rv_node_data *o = &w->node[n->link[d]];
        if (o->kind != RV_NODE_WET) continue;
        level += o->bed + o->depth, z += o->z, depth += o->depth, count++;
    }
    float share = count > 0 ? 1.0f / (float)count : 0.0f;
    if (rv_is_extra(n)) {
        n->z = z * share, n->depth = depth * share;
        n->bed = n->z - n->depth, n->floor = n->z;
    } else {
        n->bed = in->columns->base[n->slot];
        n->floor = n->bed + in->over[n->slot];
        n->z = level * share, n->depth = 0.0f;
    }
}

// How much of a column's surroundings is an even bed without liquid: 0 inside and at shores, 1 at a
// front.
static float front(const rv_surface_work *w, const rv_node_data *n, float thin)
{
    float most = 0.0f, level = n->bed + n->depth;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        if (n->link[d] == RV_NO_NODE) continue;
        const rv_node_data *o = &w->node[n->link[d]];
        if (rv_is_extra(o)) continue;
        float dry = thin > 0.0f ? 1.0f - clamp01(o->depth / thin) : o->depth > 0.0f ? 0.0f : 1.0f;
        most = fmaxf(most, dry * clamp01((level - o->bed) / n->depth));
    }
    return most;
}

static float deepest(const rv_surface_work *w, const rv_node_data *n)
{
    float most = n->depth;
    for (int d = 0; d < RV_DIRECTIONS; d++)
        if (n->link[d] != RV_NO_NODE) most = fmaxf(most, w->node[n->link[d]].depth);
    return most;
}

static float inside_of(const rv_surface_work *w, const rv_node_data *n, float thin)
{
    if (rv_is_extra(n)) return n->depth;
    if (n->kind == RV_NODE_WET) {
        float at_front = front(w, n, thin);
        return at_front > 0.0f ? n->depth - SHARE * at_front * deepest(w, n) : n->depth;
    }
    float over = n->z - n->bed;
    return over <= 0.0f ? over : -SHARE * over;
}

void rv_surface_shape(rv_surface_work *w, const rv_surface_input *in)
{
    float thin = 4.0f * (float)in->film;
    for (uint32_t i = 0; i < w->columns; i++)
        if (w->node[i].kind == RV_NODE_WET) raise_wet(&w->node[i], in);
    for (uint32_t i = 0; i < w->count; i++)
        if (w->node[i].kind != RV_NODE_WET) raise_other(w, &w->node[i], in);
    for (uint32_t i = 0; i < w->count; i++)
        w->node[i].inside = in->edge ? inside_of(w, &w->node[i], thin) : 1.0f;
}
