// How high the surface is drawn at each node, and where it ends (SPEC §4; 003 §4.3, §4.4).
//
// The surface ends between nodes, where `inside` is zero. Against a shore that is where the level
// meets the bed. On a bed that goes on evenly there is no such place: a front is a step from some
// depth to none, a cell wide. There the end is put where the liquid of the last column would reach
// if it stood as deep as what is behind it: with depths 1, H, 0 in a row, at half a cell behind the
// middle of the last one and H further. So it moves evenly as H grows, over the middle of one cell
// and of the next. What stands as high as the liquid around it is covered, dry neighbours or not:
// so shores are fronts that have come to rest, and nothing jumps between the two.
#include "surface/surface.h"

#include <math.h>

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

// 1: dry or no deeper than the thinnest film, 0: four times as deep.
static float dryness(const rv_surface_input *in, float depth)
{
    float film = (float)in->film;
    if (film <= 0.0f) return depth > 0.0f ? 0.0f : 1.0f;
    return 1.0f - clamp01((depth - film) / (3.0f * film));
}

// How dry a column is, or the driest that it is linked to.
static float driest(const rv_surface_work *w, const rv_surface_input *in, const rv_node_record *n)
{
    float most = dryness(in, n->depth);
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        if (o != RV_NO_NODE && o < w->slots) most = fmaxf(most, dryness(in, in->depth[o]));
    }
    return most;
}

// How deep the liquid around would stand here: of each wet column as deep as it is, or up to its
// level if that is less; a mean, by depth, so that a film that comes or goes changes nothing.
static float depth_around(const rv_surface_work *w, const rv_surface_input *in,
                          const rv_node_record *n)
{
    float sum = 0.0f, weight = 0.0f;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        if (o == RV_NO_NODE || !rv_is_wet_node(w->kind[o])) continue;
        float depth = in->depth[o];
        sum += depth * fminf(w->level[o] - n->bed, depth), weight += depth;
    }
    return weight > 0.0f ? sum / weight : n->depth;
}

static float inside_wet(const rv_surface_work *w, const rv_surface_input *in,
                        const rv_node_record *n)
{
    float lack = depth_around(w, in, n) - n->depth;
    return lack > 0.0f ? n->depth - driest(w, in, n) * lack : n->depth;
}

// By how much wet columns around lack, a mean by depth.
static float lack_around(const rv_surface_work *w, const rv_surface_input *in,
                         const rv_node_record *n)
{
    float sum = 0.0f, weight = 0.0f;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        if (o == RV_NO_NODE || !rv_is_wet_node(w->kind[o])) continue;
        float depth = in->depth[o];
        if (w->kind[o] == RV_NODE_WET) sum += depth * (depth - w->records[w->record[o]].inside);
        weight += depth;
    }
    return weight > 0.0f ? sum / weight : 0.0f;
}

// As far outside as the liquid around is below its bed, or has still to come.
static float inside_dry(const rv_surface_work *w, const rv_surface_input *in,
                        const rv_node_record *n)
{
    return -fmaxf(fabsf(depth_around(w, in, n)), lack_around(w, in, n));
}

static void find_inside(rv_surface_work *w, const rv_surface_input *in)
{
    for (uint32_t i = 0; i < w->count; i++) {
        rv_node_record *n = &w->records[i];
        if (!in->edge)
            n->inside = 1.0f;
        else
            n->inside = w->kind[n->node] == RV_NODE_WET ? inside_wet(w, in, n) : n->depth;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        rv_node_record *n = &w->records[i];
        if (in->edge && w->kind[n->node] == RV_NODE_DRY) n->inside = inside_dry(w, in, n);
        w->inside[n->node] = n->inside > 0.0f;
    }
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
    for (uint32_t i = 0; i < w->count; i++) {
        rv_node_record *n = &w->records[i];
        if (n->node < w->slots) raise_column(n, in);
        if (w->kind[n->node] != RV_NODE_WET) raise_other(w, n, in);
    }
    find_inside(w, in);
}
