// Point queries: level, depth, velocity, normal (docs/c-interface.md), for many points at once,
// without allocation.
//
// The surface between four cell centres is bilinear over the columns that are linked
// (docs/surface.md), with the weights of absent ones left out, so it is continuous where columns
// are linked. A dry column has no level; it stands for the liquid beside it as far as that is under
// its bed, so a pool stays level up to its shore and a film thins out to nothing.
#include "terrain/levels.h"
#include "world/world_internal.h"

rv_liquid rv_world_view(const rv_world *world)
{
    rv_liquid v = {0};
    world->api->view(world->solver, &v);
    return v;
}

rv_liquid rv_world_view_of(rv_world *world, const size_t *slots, int count)
{
    rv_liquid v = {0};
    if (world->device && world->api->columns)
        world->api->columns->view_of(world->solver, slots, count, &v);
    else
        world->api->view(world->solver, &v);
    return v;
}

// Columns of these cells, on all planes.
rv_liquid rv_world_view_cells(rv_world *world, rv_rect cells)
{
    const rv_column_set *set = &world->columns;
    int64_t most = (int64_t)set->planes * (cells.x1 - cells.x0) * (cells.y1 - cells.y0);
    int count = 0;
    if (!world->device || !world->api->columns || most > (int64_t)set->slots ||
        !rv_array_grow(&world->allocator, &world->looked, &world->looked_room, most,
                       sizeof *world->looked))
        return rv_world_view(world);
    for (int l = 0; l < set->planes; l++)
        for (int y = cells.y0; y < cells.y1; y++)
            for (int x = cells.x0; x < cells.x1; x++) {
                size_t slot;
                if (rv_column_at(set, l, x, y, &slot)) world->looked[count++] = slot;
            }
    return rv_world_view_of(world, world->looked, count);
}

rv_liquid rv_world_view_depths(rv_world *world)
{
    rv_liquid v = {0};
    if (world->device && world->api->columns)
        world->api->columns->view_depths(world->solver, &v);
    else
        world->api->view(world->solver, &v);
    return v;
}

static double level_of(const rv_column_set *set, const rv_liquid *view, size_t slot)
{
    return (double)set->base[slot] + (double)view->depth[slot];
}

// The column of a cell that is joined to `own`; of several the one with the nearest level.
static bool linked_column(const rv_column_set *set, const rv_liquid *view, size_t own, int x, int y,
                          size_t *found)
{
    double level = level_of(set, view, own), best = INFINITY;
    for (int l = 0; l < set->planes; l++) {
        size_t slot;
        if (!rv_column_at(set, l, x, y, &slot)) break; // nor has the cell one above it
        double other = level_of(set, view, slot), apart = fabs(other - level);
        if (apart < best && rv_levels_joined(set, own, level, slot, other))
            best = apart, *found = slot;
    }
    return best < INFINITY;
}

static bool is_wet_cell(const rv_column_set *set, const rv_liquid *view, int x, int y)
{
    size_t slot;
    for (int l = 0; l < set->planes && rv_column_at(set, l, x, y, &slot); l++)
        if (view->depth[slot] > 0) return true;
    return false;
}

// The level that a dry column stands for: the mean of the linked wet columns around it, at most its
// bed.
static double shore_level(const rv_column_set *set, const rv_liquid *view, int x, int y,
                          size_t slot)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 9; k++) {
        size_t other;
        int cx = x + k % 3 - 1, cy = y + k / 3 - 1;
        if (k == 4 || !is_wet_cell(set, view, cx, cy)) continue; // most are dry: the quick way out
        if (!linked_column(set, view, slot, cx, cy, &other)) continue;
        if (view->depth[other] > 0) sum += level_of(set, view, other), count++;
    }
    return count > 0 ? fmin(sum / count, (double)set->base[slot]) : (double)set->base[slot];
}

void rv_patch_find(const rv_world *world, const rv_liquid *view, int i, int j, int x, int y,
                   size_t slot, rv_patch *patch)
{
    const rv_column_set *set = &world->columns;
    for (int k = 0; k < 4; k++) {
        int cx = i + k % 2, cy = j + k / 2;
        size_t other = slot;
        bool home = cx == x && cy == y;
        patch->has[k] = home || linked_column(set, view, slot, cx, cy, &other);
        if (!patch->has[k]) continue;
        patch->slot[k] = other;
        patch->base[k] = (double)set->base[other];
        patch->level[k] = view->depth[other] > 0 ? level_of(set, view, other)
                                                 : shore_level(set, view, cx, cy, other);
    }
}

double rv_patch_mean(const rv_patch *patch, const double value[4], double fx, double fy)
{
    const double weight[4] = {(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy};
    double sum = 0, all = 0;
    for (int k = 0; k < 4; k++)
        if (patch->has[k]) sum += weight[k] * value[k], all += weight[k];
    if (all > 1e-9) return sum / all;
    sum = all = 0; // at the corner of an absent column: the limit is not unique, take the mean
    for (int k = 0; k < 4; k++)
        if (patch->has[k]) sum += value[k], all += 1;
    return all > 0 ? sum / all : 0;
}

// Slope between two corners, when both are there.
static void add_slope(const rv_patch *patch, const double value[4], int a, int b, double weight,
                      double *sum, double *all)
{
    if (!patch->has[a] || !patch->has[b]) return;
    *sum += weight * (value[b] - value[a]), *all += weight;
}

rv_vec3 rv_patch_normal(const rv_patch *patch, const double value[4], double fx, double fy,
                        double dx)
{
    double sx = 0, sy = 0, ax = 1e-12, ay = 1e-12;
    add_slope(patch, value, 0, 1, 1 - fy, &sx, &ax);
    add_slope(patch, value, 2, 3, fy, &sx, &ax);
    add_slope(patch, value, 0, 2, 1 - fx, &sy, &ay);
    add_slope(patch, value, 1, 3, fx, &sy, &ay);
    double nx = -sx / (ax * dx), ny = -sy / (ay * dx), length = sqrt(nx * nx + ny * ny + 1);
    return (rv_vec3){nx / length, ny / length, 1 / length};
}

// ---- Samples ------------------------------------------------------------------------------------

// Corner of the four cell centres around a point, and the place between them, 0..1.
static void place(double at, double low, double dx, int n, int *corner, double *f)
{
    double g = (at - low) / dx - 0.5;
    double c = floor(g);
    *corner = (int)fmin(fmax(c, -1), n - 1);
    *f = fmin(fmax(g - *corner, 0), 1);
}

// The column at or below z of the cell, by the bed at the very point: on a slope the bed there can
// be under the bed at the cell's centre.
static bool find_column(const rv_world *world, const rv_liquid *view, const int cell[2],
                        const int corner[2], const double f[2], double z, size_t *slot, int *layer,
                        rv_patch *patch)
{
    const rv_column_set *set = &world->columns;
    int below = rv_columns_below(set, cell[0], cell[1], z), above = below + 1;
    if (above < set->planes && rv_column_at(set, above, cell[0], cell[1], slot) &&
        (above == 0 || z > (double)set->min[*slot])) {
        rv_patch_find(world, view, corner[0], corner[1], cell[0], cell[1], *slot, patch);
        *layer = above;
        if (rv_patch_mean(patch, patch->base, f[0], f[1]) <= z) return true;
    }
    if (below < 0 || !rv_column_at(set, below, cell[0], cell[1], slot)) return false;
    rv_patch_find(world, view, corner[0], corner[1], cell[0], cell[1], *slot, patch);
    *layer = below;
    return true;
}

static void fill_velocity(const rv_world *world, const rv_patch *patch, double fx, double fy,
                          rv_sample *out)
{
    double u[4] = {0}, v[4] = {0};
    for (int k = 0; k < 4; k++) {
        float own[2];
        if (!patch->has[k]) continue;
        world->api->velocity(world->solver, patch->slot[k], own);
        u[k] = (double)own[0], v[k] = (double)own[1];
    }
    out->u = rv_patch_mean(patch, u, fx, fy);
    out->v = rv_patch_mean(patch, v, fx, fy);
}

static void sample(const rv_world *world, const rv_liquid *view, rv_vec3 p, rv_sample *out)
{
    const rv_column_set *set = &world->columns;
    const rv_grid *g = &set->grid;
    int cell[2] = {(int)floor((p.x - g->x0) / g->dx), (int)floor((p.y - g->y0) / g->dx)}, corner[2];
    double f[2], head[4] = {0};
    size_t slot;
    rv_patch patch;
    if (cell[0] == g->nx) cell[0]--; // the far edge belongs to the grid
    if (cell[1] == g->ny) cell[1]--;
    place(p.x, g->x0, g->dx, g->nx, &corner[0], &f[0]);
    place(p.y, g->y0, g->dx, g->ny, &corner[1], &f[1]);
    if (!find_column(world, view, cell, corner, f, p.z, &slot, &out->layer, &patch)) return;
    out->inside = true;
    out->base = rv_patch_mean(&patch, patch.base, f[0], f[1]);
    out->ceiling = fmax((double)set->max[slot], out->base);
    double level = fmin(rv_patch_mean(&patch, patch.level, f[0], f[1]), out->ceiling);
    out->wet = level > out->base;
    out->level = out->wet ? level : out->base;
    out->depth = out->level - out->base;
    out->head = out->level;
    out->normal = rv_patch_normal(&patch, out->wet ? patch.level : patch.base, f[0], f[1], g->dx);
    if (!out->wet) return;
    if (view->head && (double)view->head[slot] > (double)set->max[slot]) {
        for (int k = 0; k < 4; k++)
            if (patch.has[k]) head[k] = fmax((double)view->head[patch.slot[k]], patch.level[k]);
        out->head = rv_patch_mean(&patch, head, f[0], f[1]);
    }
    fill_velocity(world, &patch, f[0], f[1], out);
}

void rv_world_sample(const rv_world *world, const rv_vec3 *points, int n, rv_sample *out)
{
    if (!out) return;
    rv_liquid view = {0};
    if (world) view = rv_world_view(world);
    for (int i = 0; i < n; i++) {
        out[i] = (rv_sample){.normal = {0, 0, 1}};
        if (!world || !points) continue;
        const rv_grid *g = &world->columns.grid;
        rv_vec3 p = points[i];
        bool inside = p.x >= g->x0 && p.x <= g->x0 + g->nx * g->dx && p.y >= g->y0 &&
                      p.y <= g->y0 + g->ny * g->dx && !isnan(p.z);
        if (inside) sample(world, &view, p, &out[i]);
    }
}
