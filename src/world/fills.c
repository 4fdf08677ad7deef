// The first liquid: pools up to a level, films of a depth, drops. It is there at time 0 and counts
// as the first volume, not as sourced. What moves is pushed when all of it is there, each column by
// the momentum of what it was given; particles are made with their velocity.
#include "world/world_internal.h"

// Points per side of a cell for the integral of a drop's profile; the profile is smooth inside, so
// only the cells of its rim are approximate, and the sum is made exact afterwards.
#define RIM_POINTS 8

// Of a column: momentum over density, m⁴/s.
typedef struct impulse {
    double x, y;
} impulse;

static bool in_region(const rv_fill_def *fill, double x, double y, double z)
{
    return rv_within(x, fill->from.x, fill->to.x) && rv_within(y, fill->from.y, fill->to.y) &&
           rv_within(z, fill->from.z, fill->to.z);
}

// Gives a column some of a fill, and notes the push that makes it move. Returns what there was room
// for, m.
static double give(rv_world *world, const rv_fill_def *fill, impulse *pushes, size_t slot,
                   double depth)
{
    double dx = world->params.grid_dx, added = rv_world_add(world, slot, depth);
    if (!pushes) return added;
    pushes[slot].x += added * dx * dx * fill->velocity.x;
    pushes[slot].y += added * dx * dx * fill->velocity.y;
    return added;
}

// What a fill of a region gives to a column that has `has` of liquid, m; not over 0: nothing.
static double region_gives(const rv_world *world, const rv_fill_def *fill, int x, int y,
                           double base, double has)
{
    if (!in_region(fill, rv_cell_x(world, x), rv_cell_y(world, y), base)) return 0;
    if (fill->kind != RV_FILL_LEVEL) return fill->depth;
    return rv_grid_snap(&world->columns.grid, fill->level) - base - has;
}

typedef struct region {
    const rv_world *world;
    const rv_fill_def *fill;
} region;

static void give_row(const void *user, int plane, int x, int y, int count, const float *depth,
                     double *more)
{
    const region *r = user;
    const rv_column_set *set = &r->world->columns;
    const float *base = set->base + rv_slot(&set->plane[plane], x, y);
    for (int i = 0; i < count; i++)
        more[i] = region_gives(r->world, r->fill, x + i, y, (double)base[i], (double)depth[i]);
}

static void fill_region(rv_world *world, const rv_fill_def *fill, impulse *pushes)
{
    const rv_column_set *set = &world->columns;
    if (world->api->columns && !pushes) { // all rows at once: who counts what, nobody asks
        const region r = {world, fill};
        rv_world_trade(world);
        world->api->columns->fill(world->solver, give_row, &r);
        return;
    }
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot;
                if (!rv_column_at(set, l, x, y, &slot)) continue;
                double depth = region_gives(world, fill, x, y, (double)set->base[slot],
                                            (double)rv_world_view(world).depth[slot]);
                if (depth > 0) give(world, fill, pushes, slot, depth);
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

// Smaller than a cell: all on the nearest one.
static double fill_nearest(rv_world *world, const rv_fill_def *fill, impulse *pushes)
{
    rv_feed feed = {0};
    double owed = 0, given = 0;
    if (rv_feed_find(world, &feed, fill->at, fill->radius) == RV_OK && feed.disk > 0) {
        given = rv_feed_give(world, &feed, fill->volume, &owed);
        bool here = feed.slots[0] != RV_ELSEWHERE;
        if (pushes && here) pushes[feed.slots[0]].x += given * fill->velocity.x;
        if (pushes && here) pushes[feed.slots[0]].y += given * fill->velocity.y;
    }
    rv_feed_free(world, &feed);
    return given;
}

// Of what is only told, not kept: the order of the sum does not matter.
static double sum_over_ranks(rv_world *world, double own)
{
    const double *all = rv_cut_collect(world->cut, &own, sizeof own, true);
    double sum = 0;
    for (int k = 0; all && k < world->cut->ranks->count; k++) sum += all[k];
    return sum;
}

// Returns the volume that there was room for, m³.
static double fill_drop(rv_world *world, const rv_fill_def *fill, impulse *pushes)
{
    const rv_column_set *set = &world->columns;
    double area = world->params.grid_dx * world->params.grid_dx, given = 0;
    int64_t sum = 0;
    rv_rows kept = rv_grid_kept(&set->grid);
    for (int pass = 0; pass < 2; pass++) {
        for (int y = kept.from; y < kept.to; y++) {
            bool own = rv_rows_have(rv_grid_own(&set->grid), y);
            for (int x = 0; x < set->grid.nx; x++) {
                int64_t weight = cell_weight(world, fill, x, y);
                int l = weight > 0 ? rv_columns_below(set, x, y, fill->at.z) : -1;
                if (l < 0) continue;
                if (pass == 0) {
                    sum += own ? weight : 0;
                    continue;
                }
                double done = give(world, fill, pushes, rv_slot(&set->plane[l], x, y),
                                   fill->volume / area * ((double)weight / (double)sum));
                given += own ? done : 0;
            }
        }
        if (pass == 0 && world->cut) rv_cut_sum(world->cut, &sum, 1);
    }
    if (world->cut) given = sum_over_ranks(world, given);
    return sum > 0 ? given * area : fill_nearest(world, fill, pushes);
}

// A drop has a volume; where less of it was placed that is told. Single precision may swallow a
// millionth.
static void fill_one(rv_world *world, const rv_fill_def *fill, int index, impulse *pushes)
{
    if (fill->kind != RV_FILL_DROP) {
        fill_region(world, fill, pushes);
        return;
    }
    double given = fill_drop(world, fill, pushes);
    if (given >= fill->volume * (1 - 1e-5)) return;
    rv_world_warn(world, "fills[%d].volume: of %.4g m3 only %.4g m3 were placed: %s", index,
                  fill->volume, given,
                  given > 0 ? "the rest would stand above the lid, or in the ceiling, over it"
                            : "no column below it has room");
}

static bool moves(const rv_fill_def *fill)
{
    return fill->velocity.x != 0 || fill->velocity.y != 0 || fill->velocity.z != 0;
}

// What came before it becomes particles at rest, then what it gives particles that move.
static void launch(rv_world *world, const rv_fill_def *fill, int index)
{
    world->api->changed(world->solver);
    world->api->bulk->launch(world->solver, fill->velocity);
    fill_one(world, fill, index, NULL);
    world->api->changed(world->solver);
    world->api->bulk->launch(world->solver, (rv_vec3){0, 0, 0});
}

rv_result rv_world_fill(rv_world *world, const rv_fill_def *fills, int count)
{
    const rv_solver_api *api = world->api;
    size_t slots = world->columns.slots;
    impulse *pushes = NULL;
    bool any = false;
    for (int i = 0; i < count; i++) any = any || moves(&fills[i]);
    if (any && api->columns) {
        pushes = rv_new(&world->allocator, slots, sizeof *pushes);
        if (!pushes) return RV_OUT_OF_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        if (moves(&fills[i]) && api->bulk)
            launch(world, &fills[i], i);
        else
            fill_one(world, &fills[i], i, pushes);
    }
    if (pushes) api->changed(world->solver);
    for (size_t i = 0; pushes && i < slots; i++)
        if (pushes[i].x != 0 || pushes[i].y != 0)
            rv_world_put_push(world, i, pushes[i].x, pushes[i].y);
    rv_world_trade(world);
    rv_free(&world->allocator, pushes, slots, sizeof *pushes);
    return RV_OK;
}
