// Ray and distance queries. The liquid is met by walking over the squares between cell centres: in
// each, the surface of every group of linked columns is smooth along the ray, and a change of sign
// of the height over it is narrowed down. The terrain is met in its distance field; without one, on
// the columns' beds in the same walk.
#include "world/world_internal.h"

#define NARROWINGS 40 // halvings of a part of the ray inside one square: below rounding

typedef struct ray {
    rv_vec3 from, unit;
    double first, last; // distances where it enters and leaves the grid
} ray;

typedef struct walk {
    const rv_world *world;
    rv_liquid view;
    ray ray;
    bool want_liquid, want_terrain;
    rv_hit *hit;
} walk;

static rv_vec3 along(const ray *r, double t)
{
    return (rv_vec3){r->from.x + t * r->unit.x, r->from.y + t * r->unit.y,
                     r->from.z + t * r->unit.z};
}

static bool clip(double from, double unit, double low, double high, double *first, double *last)
{
    if (unit == 0) return from >= low && from <= high;
    double a = (low - from) / unit, b = (high - from) / unit;
    *first = fmax(*first, fmin(a, b)), *last = fmin(*last, fmax(a, b));
    return *first <= *last;
}

static bool enter(const rv_grid *g, const rv_ray *in, ray *out)
{
    rv_vec3 d = in->toward;
    double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    if (!(length > 0) || !isfinite(length)) return false;
    if (!isfinite(in->from.x) || !isfinite(in->from.y) || !isfinite(in->from.z)) return false;
    out->from = in->from;
    out->unit = (rv_vec3){d.x / length, d.y / length, d.z / length};
    out->first = 0, out->last = INFINITY;
    return clip(out->from.x, out->unit.x, g->x0, g->x0 + g->nx * g->dx, &out->first, &out->last) &&
           clip(out->from.y, out->unit.y, g->y0, g->y0 + g->ny * g->dx, &out->first, &out->last) &&
           clip(out->from.z, out->unit.z, g->bottom - g->dx, g->top + g->dx, &out->first,
                &out->last);
}

// ---- One square between four cell centres -------------------------------------------------------

typedef struct square {
    int i, j; // its low corner is the centre of cell (i, j)
    double t1, t2;
} square;

static void weights(const walk *w, const square *s, double t, double *fx, double *fy)
{
    const rv_grid *g = &w->world->columns.grid;
    rv_vec3 p = along(&w->ray, t);
    *fx = fmin(fmax((p.x - g->x0) / g->dx - 0.5 - s->i, 0), 1);
    *fy = fmin(fmax((p.y - g->y0) / g->dx - 0.5 - s->j, 0), 1);
}

static double over(const walk *w, const square *s, const rv_patch *patch, const double value[4],
                   double t)
{
    double fx, fy;
    weights(w, s, t, &fx, &fy);
    return along(&w->ray, t).z - rv_patch_mean(patch, value, fx, fy);
}

// The first change of sign of the height over the surface in this square; false: none. The height
// is a quadratic along the ray, so looking at both ends and the middle finds all but the slightest
// touch.
static bool crossing(const walk *w, const square *s, const rv_patch *patch, const double value[4],
                     double *t)
{
    double a = s->t1, fa = over(w, s, patch, value, a);
    for (int half = 1; half <= 2; half++) {
        double b = half == 1 ? 0.5 * (s->t1 + s->t2) : s->t2, fb = over(w, s, patch, value, b);
        if ((fa > 0) != (fb > 0)) {
            for (int n = 0; n < NARROWINGS; n++) {
                double m = 0.5 * (a + b), fm = over(w, s, patch, value, m);
                if ((fa > 0) != (fm > 0))
                    b = m;
                else
                    a = m;
            }
            *t = 0.5 * (a + b);
            return true;
        }
        a = b, fa = fb;
    }
    return false;
}

static void meet_liquid(walk *w, const square *s, const rv_patch *patch)
{
    double t, fx, fy;
    if (!crossing(w, s, patch, patch->level, &t) || t >= w->hit->liquid_distance) return;
    weights(w, s, t, &fx, &fy);
    double level = rv_patch_mean(patch, patch->level, fx, fy);
    double depth = level - rv_patch_mean(patch, patch->base, fx, fy);
    // the surface ends at the shore, and a full passage has none
    double roof = 0;
    for (int k = 0; k < 4; k++)
        if (patch->has[k])
            roof = fmax(roof, (double)w->world->columns.max[patch->slot[k]] - patch->level[k]);
    if (!(depth > 0) || !(roof > 0)) return;
    w->hit->liquid = true;
    w->hit->liquid_distance = t;
    w->hit->liquid_point = along(&w->ray, t);
    w->hit->liquid_depth = depth;
    w->hit->liquid_normal = rv_patch_normal(patch, patch->level, fx, fy, w->world->columns.grid.dx);
}

static void meet_terrain(walk *w, const square *s, const rv_patch *patch)
{
    double t, fx, fy;
    if (!crossing(w, s, patch, patch->base, &t) || t >= w->hit->terrain_distance) return;
    weights(w, s, t, &fx, &fy);
    w->hit->terrain = true;
    w->hit->terrain_distance = t;
    w->hit->terrain_point = along(&w->ray, t);
    w->hit->terrain_normal = rv_patch_normal(patch, patch->base, fx, fy, w->world->columns.grid.dx);
}

static void visit(walk *w, const square *s)
{
    const rv_column_set *set = &w->world->columns;
    size_t seen[4 * RV_LAYERS_MAX], slot;
    int seen_count = 0;
    for (int l = 0; l < set->planes; l++) {
        for (int k = 0; k < 4; k++) {
            int x = s->i + k % 2, y = s->j + k / 2;
            if (!rv_column_at(set, l, x, y, &slot)) continue;
            bool wet = w->view.depth[slot] > 0;
            if (!wet && !w->want_terrain) continue;
            bool done = false;
            for (int n = 0; n < seen_count; n++) done = done || seen[n] == slot;
            if (done) continue;
            rv_patch patch;
            rv_patch_find(w->world, &w->view, s->i, s->j, x, y, slot, &patch);
            for (int n = 0; n < 4; n++)
                if (patch.has[n] && seen_count < 4 * RV_LAYERS_MAX) {
                    bool is_wet = w->view.depth[patch.slot[n]] > 0;
                    wet = wet || is_wet;
                    seen[seen_count++] = patch.slot[n];
                }
            if (wet && w->want_liquid) meet_liquid(w, s, &patch);
            if (w->want_terrain) meet_terrain(w, s, &patch);
        }
    }
}

// ---- The walk -----------------------------------------------------------------------------------

// Distance at which the ray leaves row `index` of squares along one axis.
static double leaves(double from, double unit, double low, double dx, int index)
{
    if (unit == 0) return INFINITY;
    return (low + (index + (unit > 0 ? 1.5 : 0.5)) * dx - from) / unit;
}

static bool finished(const walk *w, double t)
{
    bool liquid = !w->want_liquid || w->hit->liquid_distance <= t;
    bool terrain = !w->want_terrain || w->hit->terrain_distance <= t;
    // nothing is looked for behind the terrain
    return (liquid && terrain) || w->hit->terrain_distance <= t;
}

static void go(walk *w)
{
    const rv_grid *g = &w->world->columns.grid;
    const ray *r = &w->ray;
    rv_vec3 p = along(r, r->first);
    square s = {.t1 = r->first};
    s.i = (int)fmin(fmax(floor((p.x - g->x0) / g->dx - 0.5), -1), g->nx - 1);
    s.j = (int)fmin(fmax(floor((p.y - g->y0) / g->dx - 0.5), -1), g->ny - 1);
    while (s.t1 <= r->last && s.i >= -1 && s.i < g->nx && s.j >= -1 && s.j < g->ny) {
        double tx = leaves(r->from.x, r->unit.x, g->x0, g->dx, s.i);
        double ty = leaves(r->from.y, r->unit.y, g->y0, g->dx, s.j);
        s.t2 = fmax(fmin(fmin(tx, ty), r->last), s.t1);
        visit(w, &s);
        if (finished(w, s.t2) || s.t2 >= r->last) return;
        s.t1 = s.t2;
        if (tx <= ty)
            s.i += r->unit.x > 0 ? 1 : -1;
        else
            s.j += r->unit.y > 0 ? 1 : -1;
    }
}

static void cast_field(const rv_world *world, const ray *r, rv_hit *hit)
{
    // a ray that starts outside the grid is brought to its edge first
    rv_vec3 start = along(r, r->first);
    double t = rv_terrain_cast(world->terrain, start, r->unit);
    if (!isfinite(t)) return;
    hit->terrain = true;
    hit->terrain_distance = r->first + t;
    hit->terrain_point = along(r, hit->terrain_distance);
    hit->terrain_normal = rv_terrain_normal(world->terrain, hit->terrain_point);
}

void rv_world_cast(const rv_world *world, const rv_ray *rays, int n, rv_hit *out)
{
    if (!out) return;
    walk w = {.world = world, .want_liquid = true};
    if (world) w.view = rv_world_view(world), w.want_terrain = world->terrain == NULL;
    for (int i = 0; i < n; i++) {
        out[i] = (rv_hit){.liquid_distance = INFINITY, .terrain_distance = INFINITY};
        if (!world || !rays || !enter(&world->columns.grid, &rays[i], &w.ray)) continue;
        w.hit = &out[i];
        if (world->terrain) cast_field(world, &w.ray, w.hit);
        go(&w);
        if (out[i].liquid_distance > out[i].terrain_distance) {
            // hidden behind the solid: not met
            out[i].liquid = false, out[i].liquid_distance = INFINITY, out[i].liquid_depth = 0;
            out[i].liquid_point = out[i].liquid_normal = (rv_vec3){0, 0, 0};
        }
    }
}

// ---- Distance -----------------------------------------------------------------------------------

// From the columns alone: the vertical distance to the nearest bed or ceiling, made shorter by the
// slope of the bed as a plane would.
static double column_distance(const rv_world *world, rv_vec3 p)
{
    const rv_grid *g = &world->columns.grid;
    rv_vec3 high = {fmin(fmax(p.x, g->x0), g->x0 + g->nx * g->dx),
                    fmin(fmax(p.y, g->y0), g->y0 + g->ny * g->dx), INFINITY};
    rv_sample s;
    rv_vec3 at = {high.x, high.y, p.z};
    rv_world_sample(world, &at, 1, &s);
    if (!s.inside) rv_world_sample(world, &high, 1, &s);
    if (!s.inside) return p.z - g->bottom;
    double slope = s.wet ? 1 : s.normal.z, over = (p.z - s.base) * slope;
    if (s.ceiling < g->top) over = fmin(over, s.ceiling - p.z);
    return over;
}

void rv_world_distance(const rv_world *world, const rv_vec3 *points, int n, float *out)
{
    if (!out) return;
    for (int i = 0; i < n; i++) {
        if (!world || !points)
            out[i] = INFINITY;
        else if (world->terrain)
            out[i] = rv_terrain_distance(world->terrain, points[i]);
        else
            out[i] = (float)column_distance(world, points[i]);
    }
}
