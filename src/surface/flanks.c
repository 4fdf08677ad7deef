// How the side of a solid stands under an edge that drips: what clings there is drawn over it
// (docs/surface.md). The columns know a solid's top and its underside; between them its field says
// how far out it reaches. And gaps in films along such edges.
#include "surface/surface.h"

#include <math.h>

#define TRIES 6        // places looked at on the way out
#define FARTHEST 1.5f  // cells, that a side is believed to be away from the middle of its column
#define FLATTEST 0.15f // of the field's slope over two cells, that tells where outside is

static const float HEIGHT[RV_FLANK_ROWS] = RV_FLANK_HEIGHTS;

// The way out of the solid, level, from the middle of a column: 0 where there is none, as in the
// middle of something thin.
static void way_out(const rv_terrain *t, rv_vec3 at, double dx, float out[2])
{
    const double step[2][2] = {{dx, 0}, {0, dx}};
    float slope[2], size;
    for (int a = 0; a < 2; a++) {
        rv_vec3 to = {at.x + step[a][0], at.y + step[a][1], at.z};
        rv_vec3 from = {at.x - step[a][0], at.y - step[a][1], at.z};
        slope[a] = (rv_terrain_distance(t, to) - rv_terrain_distance(t, from)) / (float)dx;
    }
    size = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
    bool known = size > FLATTEST;
    for (int a = 0; a < 2; a++) out[a] = known ? slope[a] / size : 0.0f;
}

// Cells from the middle of a column to the side of its solid.
static float reach(const rv_terrain *t, rv_vec3 at, double dx, const float out[2])
{
    float before = rv_terrain_distance(t, at), last = 0.0f;
    if (before >= 0.0f) return 0.0f;
    for (int k = 1; k <= TRIES; k++) {
        float far = FARTHEST * (float)k / TRIES;
        double way = (double)far * dx;
        rv_vec3 p = {at.x + way * (double)out[0], at.y + way * (double)out[1], at.z};
        float now = rv_terrain_distance(t, p);
        if (now >= 0.0f) return last + (far - last) * before / (before - now);
        before = now, last = far;
    }
    return FARTHEST;
}

void rv_flank_find(const rv_column_set *set, const rv_terrain *terrain, rv_flank *out)
{
    size_t slot = out->slot;
    const rv_grid *g = &set->grid;
    const rv_plane *p = rv_surface_plane(set, out->slot);
    size_t off = slot - p->offset, pitch = (size_t)p->pitch;
    int x = p->x0 + (int)(off % pitch), y = p->y0 + (int)(off / pitch);
    double top = (double)set->base[slot], tall = top - (double)set->min[slot];
    rv_vec3 at = {g->x0 + (x + 0.5) * g->dx, g->y0 + (y + 0.5) * g->dx, top - 0.5 * tall};
    way_out(terrain, at, g->dx, out->out);
    for (int k = 0; k < RV_FLANK_ROWS; k++) {
        at.z = top - (double)HEIGHT[k] * tall;
        out->reach[k] = reach(terrain, at, g->dx, out->out);
    }
}

// ---- Brims --------------------------------------------------------------------------------------

// What was found along an edge: bits of places five by five around it, and depths.
typedef struct brim {
    uint32_t at;
    int count;
    float sum;
} brim;

static void note(brim *b, int x, int y, float depth)
{
    b->at |= 1u << (5 * (y + 2) + x + 2);
    b->count++, b->sum += depth;
}

// Up to two steps from an edge, as long as the columns between are dry.
static brim look_along(const rv_flank *flank, size_t edge, const float *depth, float least)
{
    brim b = {.count = 0};
    for (int k = 0; k < RV_DIRECTIONS; k++) {
        if (flank[edge].next[k] < 0) continue;
        const rv_flank *beside = &flank[flank[edge].next[k]];
        float own = depth[beside->slot];
        if (own > least) note(&b, rv_step_x(k), rv_step_y(k), own);
        for (int i = 0; i < RV_DIRECTIONS && !(own > least); i++) {
            if (beside->next[i] < 0) continue;
            float far = depth[flank[beside->next[i]].slot];
            if (far > least)
                note(&b, rv_step_x(k) + rv_step_x(i), rv_step_y(k) + rv_step_y(i), far);
        }
    }
    return b;
}

// Whether two of the places lie on opposite sides.
static bool on_both_sides(uint32_t at)
{
    for (int i = 0; i < 25; i++)
        for (int k = 0; k < i && (at >> i & 1); k++)
            if ((at >> k & 1) && (i % 5 - 2) * (k % 5 - 2) + (i / 5 - 2) * (k / 5 - 2) < 0)
                return true;
    return false;
}

// Along an edge some columns run dry, because what comes over them falls at once, and tension would
// not let the film part there: with enough of it on both sides, within two cells along the edge, it
// goes on.
float rv_flank_brim(const rv_flank *flank, size_t edge, const float *depth, float least)
{
    brim b = look_along(flank, edge, depth, least);
    return on_both_sides(b.at) ? RV_BRIM_SHARE * b.sum / (float)b.count : 0.0f;
}
