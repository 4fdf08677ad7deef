// The first liquid: pools up to a level, films of a depth, drops. It is there at time 0 and counts
// as the first volume, not as sourced.
#include "world/world_internal.h"

// Points per side of a cell for the integral of a drop's profile; the profile is smooth inside, so
// only the cells of its rim are approximate, and the sum is made exact afterwards.
#define RIM_POINTS 8

static bool in_region(const rv_fill_def *fill, double x, double y, double z)
{
    return x >= fill->from.x && x <= fill->to.x && y >= fill->from.y && y <= fill->to.y &&
           z >= fill->from.z && z <= fill->to.z;
}

static void fill_region(rv_world *world, const rv_fill_def *fill)
{
    const rv_column_set *set = &world->columns;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot;
                if (!rv_column_at(set, l, x, y, &slot)) continue;
                double base = (double)set->base[slot];
                if (!in_region(fill, rv_cell_x(world, x), rv_cell_y(world, y), base)) continue;
                double depth = fill->depth;
                if (fill->kind == RV_FILL_LEVEL)
                    depth = rv_grid_snap(&set->grid, fill->level) - base -
                            (double)rv_world_view(world).depth[slot];
                if (depth > 0) world->api->add(world->solver, slot, depth);
            }
        }
    }
}

// Mean of 1 - r²/R² (0 outside the rim) over a cell at (rx, ry) from the drop's middle.
static double drop_weight(double rx, double ry, double dx, double radius)
{
    double sum = 0;
    for (int j = 0; j < RIM_POINTS; j++) {
        double row = 0, y = ry + ((j + 0.5) / RIM_POINTS - 0.5) * dx;
        for (int i = 0; i < RIM_POINTS; i++) {
            double x = rx + ((i + 0.5) / RIM_POINTS - 0.5) * dx;
            row += fmax(0, 1 - (x * x + y * y) / (radius * radius));
        }
        sum += row;
    }
    return sum / (RIM_POINTS * RIM_POINTS);
}

// The weight of a cell, in units of 2^-40, the same for a turned or mirrored cell: sums of whole
// numbers do not depend on their order.
static int64_t cell_weight(const rv_world *world, const rv_fill_def *fill, int x, int y)
{
    double dx = world->params.grid_dx;
    double rx = fabs(rv_cell_x(world, x) - fill->at.x), ry = fabs(rv_cell_y(world, y) - fill->at.y);
    double far_ = fmax(rx, ry), near_ = fmin(rx, ry);
    if (near_ * near_ + far_ * far_ > (fill->radius + dx) * (fill->radius + dx)) return 0;
    return (int64_t)(drop_weight(far_, near_, dx, fill->radius) * 0x1p40);
}

static void fill_drop(rv_world *world, const rv_fill_def *fill)
{
    const rv_column_set *set = &world->columns;
    double area = world->params.grid_dx * world->params.grid_dx;
    int64_t sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int y = 0; y < set->grid.ny; y++) {
            for (int x = 0; x < set->grid.nx; x++) {
                int64_t weight = cell_weight(world, fill, x, y);
                int l = weight > 0 ? rv_columns_below(set, x, y, fill->at.z) : -1;
                if (l < 0) continue;
                if (pass == 0)
                    sum += weight;
                else
                    world->api->add(world->solver, rv_slot(&set->plane[l], x, y),
                                    fill->volume / area * ((double)weight / (double)sum));
            }
        }
    }
    if (sum > 0) return;
    rv_feed feed = {0}; // smaller than a cell: all on the nearest one
    double owed = 0;
    if (rv_feed_find(world, &feed, fill->at, fill->radius) == RV_OK && feed.disk > 0)
        rv_feed_give(world, &feed, fill->volume, &owed);
    rv_feed_free(world, &feed);
}

void rv_world_fill(rv_world *world, const rv_fill_def *fill)
{
    if (fill->kind == RV_FILL_DROP)
        fill_drop(world, fill);
    else
        fill_region(world, fill);
}
