// How high the surface is drawn at each node, and where it ends (SPEC §4; 003 §4.3, §4.4).
//
// The surface ends between nodes, where `inside` is zero. Against a shore that is where the level
// meets the bed. On a bed that goes on evenly there is no such place: a front is a step from some
// depth to none, a cell wide. There the end is put where the liquid of the last column would reach
// if it stood as high as the one behind it: with depths 1, H, 0 in a row, at about half a cell
// behind the middle of the last one and H further. So it moves evenly as H grows, over the middle
// of one cell and of the next.
#include "surface/surface.h"

#define SHARE 0.5f // of the depth behind it, at which a column at a front is half covered

static float clamp01(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static void raise_column(rv_node_record *n, const rv_surface_input *in)
{
    n->bed = in->columns->base[n->node];
    n->floor = n->bed + in->over[n->node];
    n->depth = in->depth[n->node] > 0.0f ? in->depth[n->node] : 0.0f;
}

// Dry: the mean level of the wet ones around it. Extra: their drawn height and depth.
static void raise_other(rv_surface_work *w, rv_node_record *n, const rv_surface_input *in)
{
    bool extra = n->node >= w->slots;
    float level = 0.0f, depth = 0.0f;
    int count = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        if (o == RV_NO_NODE || !rv_is_wet_node(w->kind[o])) continue;
        level += extra ? w->z[o] : w->level[o], depth += in->depth[o], count++;
    }
    float share = count > 0 ? 1.0f / (float)count : 0.0f;
    w->z[n->node] = level * share;
    if (!extra) return;
    n->depth = depth * share, n->floor = w->z[n->node], n->bed = n->floor - n->depth;
}

// How much of a column's surroundings is an even bed without liquid: 0 inside and at shores, 1 at a
// front.
static float front(const rv_surface_work *w, const rv_surface_input *in, const rv_node_record *n,
                   float thin)
{
    float most = 0.0f, level = n->bed + n->depth;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        if (o == RV_NO_NODE || o >= w->slots) continue;
        float depth = in->depth[o];
        float dry = thin > 0.0f ? 1.0f - clamp01(depth / thin) : depth > 0.0f ? 0.0f : 1.0f;
        if (dry > 0.0f) {
            float share = dry * clamp01((level - in->columns->base[o]) / n->depth);
            if (share > most) most = share;
        }
    }
    return most;
}

static float deepest(const rv_surface_work *w, const rv_surface_input *in, const rv_node_record *n)
{
    float most = n->depth;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        if (o != RV_NO_NODE && o < w->slots && in->depth[o] > most) most = in->depth[o];
    }
    return most;
}

static float inside_of(const rv_surface_work *w, const rv_surface_input *in,
                       const rv_node_record *n, float thin)
{
    if (n->node >= w->slots) return n->depth;
    if (w->kind[n->node] == RV_NODE_WET) {
        float at_front = front(w, in, n, thin);
        return at_front > 0.0f ? n->depth - SHARE * at_front * deepest(w, in, n) : n->depth;
    }
    float over = w->z[n->node] - n->bed;
    return over <= 0.0f ? over : -SHARE * over;
}

// While liquid runs over the edge of a cliff, the column at its foot is drawn as high as the edge
// needs.
static void raise_steps(rv_surface_work *w, const rv_surface_input *in)
{
    const rv_heights *h = in->heights;
    const rv_column_set *c = in->columns;
    for (int y = 0; y < h->rows; y++) {
        if (w->wet_to[y] <= w->wet_from[y]) continue;
        for (size_t i = h->row[y]; i < h->row[y + 1]; i++) {
            uint32_t a = h->step[i].slot, b = h->step[i].beside;
            if (!rv_is_wet_node(w->kind[a]) || !rv_is_wet_node(w->kind[b])) continue;
            float la = w->level[a], lb = w->level[b], z = c->base[a] + h->step[i].over;
            bool linked = la > c->min[b] && la < c->max[b] && lb > c->min[a] && lb < c->max[a];
            if (linked && z > w->z[a]) w->z[a] = z;
        }
    }
}

void rv_surface_shape(rv_surface_work *w, const rv_surface_input *in)
{
    raise_steps(w, in);
    float thin = 4.0f * (float)in->film;
    for (uint32_t i = 0; i < w->count; i++) {
        rv_node_record *n = &w->records[i];
        if (n->node < w->slots) raise_column(n, in);
        if (w->kind[n->node] != RV_NODE_WET) raise_other(w, n, in);
    }
    for (uint32_t i = 0; i < w->count; i++) {
        rv_node_record *n = &w->records[i];
        n->inside = in->edge ? inside_of(w, in, n, thin) : 1.0f;
        w->inside[n->node] = n->inside > 0.0f;
    }
}
