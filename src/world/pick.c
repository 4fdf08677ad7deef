// Columns are asked for what a ray meets. Among particles the density says where the liquid begins:
// a ray is followed through the grid to where it is half of that at rest. A slice and a pane are
// planes, and all of them can be touched.
#include "rivulet/pick.h"

#include "solvers/solver.h"

#include <math.h>

#define HALF 0.5 // density that the surface has
#define STEP 0.5 // cells that a ray is followed by

rv_scope rv_scope_of(const rv_params *p)
{
    const rv_solver_api *api = p ? rv_solver_find(p->solver) : NULL;
    if (!api) return RV_SCOPE_COLUMNS;
    rv_solver_traits traits = api->traits(p);
    if (traits.on_pane) return RV_SCOPE_PANE;
    if (!traits.has_density) return RV_SCOPE_COLUMNS;
    return traits.in_plane ? RV_SCOPE_SLICE : RV_SCOPE_SPACE;
}

static rv_vec3 plus(rv_vec3 a, rv_vec3 b, double s)
{
    return (rv_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static rv_vec3 unit(rv_vec3 a)
{
    double length = sqrt(dot(a, a)), s = length > 0 ? 1 / length : 0;
    return (rv_vec3){s * a.x, s * a.y, s * a.z};
}

// ---- Columns ------------------------------------------------------------------------------------

static rv_pick pick_columns(const rv_world *world, const rv_ray *ray, bool solid)
{
    rv_hit hit;
    rv_world_cast(world, ray, 1, &hit);
    bool liquid = !solid && hit.liquid && hit.liquid_distance <= hit.terrain_distance;
    return (rv_pick){.over = liquid || hit.terrain,
                     .liquid = liquid,
                     .at = liquid ? hit.liquid_point : hit.terrain_point,
                     .normal = liquid ? hit.liquid_normal : hit.terrain_normal,
                     .plane = {0, 0, 1}};
}

// ---- Particles in space -------------------------------------------------------------------------

static double value_at(const rv_density *d, int x, int y, int z)
{
    if (x < 0 || y < 0 || z < 0 || x >= d->nx || y >= d->ny || z >= d->nz) return 0;
    return (double)d->value[((size_t)z * (size_t)d->ny + (size_t)y) * (size_t)d->nx + (size_t)x];
}

// Between the middles of cells; nothing outside of the grid.
static double density_at(const rv_density *d, rv_vec3 p)
{
    double f[3] = {(p.x - d->low.x) / d->dx - 0.5, (p.y - d->low.y) / d->dx - 0.5,
                   (p.z - d->low.z) / d->dx - 0.5};
    int i[3];
    for (int k = 0; k < 3; k++) i[k] = (int)floor(f[k]), f[k] -= i[k];
    double sum = 0;
    for (int c = 0; c < 8; c++) {
        int x = c & 1, y = c >> 1 & 1, z = c >> 2;
        double share = (x ? f[0] : 1 - f[0]) * (y ? f[1] : 1 - f[1]) * (z ? f[2] : 1 - f[2]);
        sum += share * value_at(d, i[0] + x, i[1] + y, i[2] + z);
    }
    return sum;
}

// From where to where a ray is in the grid, m along a unit direction. false: nowhere.
static bool clip(const rv_density *d, const rv_ray *ray, double *first, double *last)
{
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z};
    const double way[3] = {ray->toward.x, ray->toward.y, ray->toward.z};
    const double low[3] = {d->low.x, d->low.y, d->low.z};
    const double size[3] = {d->nx * d->dx, d->ny * d->dx, d->nz * d->dx};
    *first = 0, *last = INFINITY;
    for (int k = 0; k < 3; k++) {
        double a = low[k] - from[k], b = a + size[k];
        if (way[k] == 0) {
            if (a > 0 || b < 0) return false;
            continue;
        }
        *first = fmax(*first, fmin(a / way[k], b / way[k]));
        *last = fmin(*last, fmax(a / way[k], b / way[k]));
    }
    return *last > *first && isfinite(*last);
}

// How far along the ray the liquid begins; INFINITY: nowhere.
static double meet(const rv_density *d, const rv_ray *ray)
{
    double first, last, before = 0;
    if (!clip(d, ray, &first, &last)) return INFINITY;
    for (double t = first; t <= last; t += STEP * d->dx) {
        double now = density_at(d, plus(ray->from, ray->toward, t));
        if (now >= HALF) {
            double back = now > before ? (now - HALF) / (now - before) : 0;
            return fmax(t - back * STEP * d->dx, first);
        }
        before = now;
    }
    return INFINITY;
}

static rv_vec3 slope_at(const rv_density *d, rv_vec3 p)
{
    double h = d->dx;
    rv_vec3 x = {h, 0, 0}, y = {0, h, 0}, z = {0, 0, h};
    return (rv_vec3){density_at(d, plus(p, x, 1)) - density_at(d, plus(p, x, -1)),
                     density_at(d, plus(p, y, 1)) - density_at(d, plus(p, y, -1)),
                     density_at(d, plus(p, z, 1)) - density_at(d, plus(p, z, -1))};
}

static rv_pick pick_space(const rv_world *world, const rv_ray *given, bool solid)
{
    rv_ray ray = {given->from, unit(given->toward)};
    rv_density density;
    rv_hit hit;
    rv_world_cast(world, &ray, 1, &hit);
    double far = INFINITY;
    if (!solid && rv_world_get_density(world, &density) == RV_OK) far = meet(&density, &ray);
    rv_vec3 back = {-ray.toward.x, -ray.toward.y, -ray.toward.z};
    rv_pick pick = {.over = hit.terrain, .at = hit.terrain_point, .normal = hit.terrain_normal};
    pick.plane = back;
    if (!isfinite(far) || (hit.terrain && hit.terrain_distance < far)) return pick;
    pick.over = pick.liquid = true;
    pick.at = plus(ray.from, ray.toward, far);
    rv_vec3 slope = unit(slope_at(&density, pick.at));
    pick.normal = dot(slope, slope) > 0 ? (rv_vec3){-slope.x, -slope.y, -slope.z} : back;
    return pick;
}

// ---- Planes -------------------------------------------------------------------------------------

static rv_pick pick_plane(const rv_params *p, const rv_ray *ray, rv_scope scope)
{
    bool pane = scope == RV_SCOPE_PANE;
    rv_vec3 through = {p->grid_x, p->grid_y, pane ? 0 : p->grid_bottom};
    rv_vec3 normal = pane ? (rv_vec3){0, 0, 1} : (rv_vec3){0, -1, 0};
    double along = dot(ray->toward, normal);
    double way = dot(plus(through, ray->from, -1), normal);
    rv_pick pick = {.normal = normal, .plane = normal};
    if (along == 0 || !(way / along > 0)) return pick;
    // a slice can be seen from behind
    if (along > 0) pick.normal = (rv_vec3){-normal.x, -normal.y, -normal.z};
    pick.at = plus(ray->from, ray->toward, way / along);
    double half_x = 0.5 * p->grid_nx * p->grid_dx, half_y = 0.5 * p->grid_ny * p->grid_dx;
    pick.over = fabs(pick.at.x - p->grid_x) <= half_x;
    if (pane)
        pick.over = pick.over && fabs(pick.at.y - p->grid_y) <= half_y;
    else
        pick.over = pick.over && pick.at.z >= p->grid_bottom && pick.at.z <= p->grid_top;
    pick.liquid = pick.over;
    return pick;
}

rv_result rv_world_pick(const rv_world *world, const rv_ray *ray, bool solid, rv_pick *out)
{
    if (out) *out = (rv_pick){.normal = {0, 0, 1}, .plane = {0, 0, 1}};
    if (!world || !ray || !out) return RV_BAD_ARGUMENT;
    const rv_params *p = rv_world_params(world);
    rv_scope scope = rv_scope_of(p);
    if (scope == RV_SCOPE_COLUMNS)
        *out = pick_columns(world, ray, solid);
    else
        *out = scope == RV_SCOPE_SPACE ? pick_space(world, ray, solid) : pick_plane(p, ray, scope);
    return RV_OK;
}
