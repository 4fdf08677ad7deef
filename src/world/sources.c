// Sources, drains and inflow borders: volume that enters and leaves the columns (docs/pipes.md).
//
// All shares of one source are equal and all sums are taken so that the order of the columns does
// not matter: a scene that is turned gives the same state, turned. A share can be too small for the
// single precision of a depth; what rounding swallows is owed, and given with a later share.
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

// Rounds in which overflow looks for room; each fills at least one column, most end after two.
#define ROUNDS_MAX 16

static rv_result push(const rv_world *world, size_t **slots, int *count, int *room, size_t slot)
{
    if (!rv_array_grow(&world->allocator, slots, room, (int64_t)*count + 1, sizeof **slots))
        return RV_OUT_OF_MEMORY;
    (*slots)[(*count)++] = slot;
    return RV_OK;
}

static int by_slot(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

// ---- Sources ------------------------------------------------------------------------------------

// First and last cell of a row that a disk can reach, with room for rounding.
static void reach(double middle, double radius, double low, double dx, int n, int *first, int *last)
{
    double a = floor((middle - radius - low) / dx) - 1, b = floor((middle + radius - low) / dx) + 1;
    *first = a < 0 ? 0 : a > n ? n : (int)a;
    *last = b >= n ? n - 1 : b < -1 ? -1 : (int)b;
}

// Square of the distance from the middle of a disk to the nearest cell centre; all cells that share
// it are fed by a disk smaller than a cell, so that a source on an edge does not prefer one side.
static double nearest_centre(const rv_world *world, rv_vec3 at, double dx)
{
    double fx = fabs(at.x - world->params.grid_x) / dx + 0.5 * world->params.grid_nx - 0.5;
    double fy = fabs(at.y - world->params.grid_y) / dx + 0.5 * world->params.grid_ny - 0.5;
    double ex = (fx - floor(fx + 0.5)) * dx, ey = (fy - floor(fy + 0.5)) * dx;
    return ex * ex + ey * ey;
}

static rv_result push_disk(rv_world *world, rv_feed *feed, rv_vec3 at, double radius)
{
    const rv_column_set *set = &world->columns;
    const rv_grid *g = &set->grid;
    double near2 = nearest_centre(world, at, g->dx);
    double bound = fmax(radius * radius, near2) * (1 + 1e-9) + 1e-18 * g->dx * g->dx;
    int x1, x2, y1, y2;
    reach(at.x, radius, g->x0, g->dx, g->nx, &x1, &x2);
    reach(at.y, radius, g->y0, g->dx, g->ny, &y1, &y2);
    for (int y = y1; y <= y2; y++) {
        for (int x = x1; x <= x2; x++) {
            double rx = rv_cell_x(world, x) - at.x, ry = rv_cell_y(world, y) - at.y;
            if (rx * rx + ry * ry > bound) continue;
            int l = rv_columns_below(set, x, y, at.z);
            if (l < 0) continue;
            rv_result r =
                push(world, &feed->slots, &feed->all, &feed->room, rv_slot(&set->plane[l], x, y));
            if (r != RV_OK) return r;
        }
    }
    feed->disk = feed->all;
    return RV_OK;
}

// Cell of a slot: its plane is the last one that starts at or before it.
void rv_cell_of_slot(const rv_column_set *set, size_t slot, int *x, int *y)
{
    int found = 0;
    for (int l = 0; l < set->planes; l++)
        if (set->plane[l].offset <= slot) found = l;
    const rv_plane *p = &set->plane[found];
    size_t ahead = slot - p->offset;
    *x = p->x0 + (int)(ahead % (size_t)p->pitch), *y = p->y0 + (int)(ahead / (size_t)p->pitch);
}

// The columns that share a void with one of the disk and are not of the disk.
static rv_result push_beside(rv_world *world, rv_feed *feed)
{
    static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const rv_column_set *set = &world->columns;
    for (int i = 0; i < feed->disk; i++) {
        size_t own = feed->slots[i], other;
        int x, y;
        rv_cell_of_slot(set, own, &x, &y);
        for (int k = 0; k < 4 * set->planes; k++) {
            if (!rv_column_at(set, k / 4, x + step[k % 4][0], y + step[k % 4][1], &other)) continue;
            float floor_ = fmaxf(set->base[own], set->base[other]);
            if (floor_ >= fminf(set->max[own], set->max[other])) continue;
            if (bsearch(&other, feed->slots, (size_t)feed->disk, sizeof other, by_slot)) continue;
            rv_result r = push(world, &feed->slots, &feed->all, &feed->room, other);
            if (r != RV_OK) return r;
        }
    }
    size_t *ring = feed->slots + feed->disk;
    int n = feed->all - feed->disk, kept = 0;
    if (n > 0) qsort(ring, (size_t)n, sizeof *ring, by_slot);
    for (int i = 0; i < n; i++)
        if (i == 0 || ring[i] != ring[i - 1]) ring[kept++] = ring[i];
    feed->all = feed->disk + kept;
    return RV_OK;
}

// The disk of all ranks, then what is beside it.
static rv_result join_feed(rv_world *world, rv_feed *feed)
{
    int beside = feed->all - feed->disk, disk = feed->disk;
    rv_feed ring = {0};
    rv_result r = RV_OK;
    for (int i = 0; i < beside && r == RV_OK; i++)
        r = push(world, &ring.slots, &ring.all, &ring.room, feed->slots[disk + i]);
    if (r == RV_OK)
        r = rv_ranks_join(world, &feed->slots, &disk, &feed->room, &feed->rank, &feed->rank_room);
    if (r == RV_OK)
        r = rv_ranks_join(world, &ring.slots, &ring.all, &ring.room, &ring.rank, &ring.rank_room);
    feed->disk = feed->all = disk;
    for (int i = 0; i < ring.all && r == RV_OK; i++) {
        int count = feed->all;
        r = push(world, &feed->slots, &count, &feed->room, ring.slots[i]);
        if (r == RV_OK &&
            !rv_array_grow(&world->allocator, &feed->rank, &feed->rank_room, count, sizeof(int)))
            r = RV_OUT_OF_MEMORY;
        if (r == RV_OK) feed->rank[feed->all] = ring.rank[i], feed->all = count;
    }
    rv_feed_free(world, &ring);
    return r;
}

// Finds the columns of a disk. No column at all is not an error here: feed->disk is 0.
rv_result rv_feed_find(rv_world *world, rv_feed *feed, rv_vec3 at, double radius)
{
    feed->disk = feed->all = 0;
    rv_result r = push_disk(world, feed, at, radius);
    if (r != RV_OK || (feed->disk == 0 && !world->cut)) return r;
    if (feed->disk > 0) qsort(feed->slots, (size_t)feed->disk, sizeof *feed->slots, by_slot);
    r = push_beside(world, feed);
    return world->cut && r == RV_OK ? join_feed(world, feed) : r;
}

void rv_feed_free(const rv_world *world, rv_feed *feed)
{
    rv_free(&world->allocator, feed->slots, (size_t)feed->room, sizeof *feed->slots);
    rv_free(&world->allocator, feed->rank, (size_t)feed->rank_room, sizeof *feed->rank);
    *feed = (rv_feed){0};
}

static bool has_room(const rv_world *world, const float *depth, size_t slot)
{
    const rv_column_set *set = &world->columns;
    return depth[slot] < set->max[slot] - set->base[slot];
}

double rv_world_spread(rv_world *world, const size_t *slots, int first, int all, double depth,
                       bool *room)
{
    double left = depth;
    int count = first;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        rv_liquid view = rv_world_view_of(world, slots, count);
        int open = 0, cut = 0;
        for (int i = 0; i < count; i++) open += has_room(world, view.depth, slots[i]);
        *room = open > 0;
        if (open > 0) {
            double share = left / open;
            int still = 0;
            rv_world_begin_giving(world, 0);
            for (int i = 0; i < count; i++)
                if (has_room(world, view.depth, slots[i])) rv_world_put_add(world, slots[i], share);
            left -= rv_world_end_giving(world);
            for (int i = 0; i < count; i++) still += has_room(world, view.depth, slots[i]);
            cut = open - still;
        }
        bool widen = count < all && (open == 0 || cut > 0);
        if (left <= 0 || (cut == 0 && !widen)) break;
        count = all;
    }
    return left;
}

// Half a unit in the last place of the deepest depth, per column, is all that rounding can take.
double rv_world_swallowed(const rv_world *world, int columns)
{
    double height = world->params.grid_top - world->params.grid_bottom;
    return 6e-8 * height * columns;
}

// Keeps what rounding swallowed for later; more than that found no room and is counted.
static double keep_owed(rv_world *world, double left, bool room, int columns)
{
    if (room && left <= rv_world_swallowed(world, columns)) return left;
    world->counters.unplaced++;
    return 0;
}

// Adds volume (m³) over the feed's columns; returns what was really added, in m³.
double rv_feed_give(rv_world *world, const rv_feed *feed, double volume, double *owed)
{
    double area = world->params.grid_dx * world->params.grid_dx;
    double asked = (volume + *owed) / area;
    if (!(volume > 0)) return 0;
    if (!(asked > 0)) { // rounding gave more than was due: wait
        *owed = asked * area;
        return 0;
    }
    bool room = false;
    double left = world->cut
                      ? rv_ranks_spread(world, feed, asked, &room)
                      : rv_world_spread(world, feed->slots, feed->disk, feed->all, asked, &room);
    *owed = keep_owed(world, left, room, feed->all) * area;
    return (asked - left) * area;
}

// ---- Drains -------------------------------------------------------------------------------------

// Units in a metre for sums over so many columns: a power of two, so that scaling is exact; the
// whole sum stays below 2^62.
static double scale_of(const rv_world *world, int columns)
{
    const rv_grid *g = &world->columns.grid;
    return exp2(floor(61 - log2((g->top - g->bottom) * (columns + 1))));
}

rv_result rv_drain_find(rv_world *world, rv_drain *drain)
{
    const rv_column_set *set = &world->columns;
    const rv_drain_def *d = &drain->def;
    drain->count = 0;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            if (!rv_within(rv_cell_y(world, y), d->from.y, d->to.y)) continue;
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot;
                if (!rv_within(rv_cell_x(world, x), d->from.x, d->to.x)) continue;
                if (!rv_column_at(set, l, x, y, &slot)) continue;
                if (!rv_within((double)set->base[slot], d->from.z, d->to.z)) continue;
                rv_result r = push(world, &drain->slots, &drain->count, &drain->room, slot);
                if (r != RV_OK) return r;
            }
        }
    }
    rv_result r = RV_OK;
    if (world->cut)
        r = rv_ranks_join(world, &drain->slots, &drain->count, &drain->room, &drain->rank,
                          &drain->rank_room);
    if (r != RV_OK) return r;
    drain->scale = scale_of(world, drain->count);
    return RV_OK;
}

static bool is_here(size_t slot)
{
    return slot != RV_ELSEWHERE;
}

// Takes a share of what each column of a drain has; returns how much that was, m.
static double take_share(rv_world *world, const rv_drain *drain, const float *depth, double share)
{
    if (world->cut) {
        double *change = rv_cut_room(world->cut, 0, (size_t)drain->count * sizeof *change);
        for (int i = 0; change && i < drain->count; i++) {
            size_t slot = drain->slots[i];
            change[i] = is_here(slot) ? 0 - (double)depth[slot] * share : 0;
        }
        return change ? 0 - rv_ranks_give(world, drain->slots, drain->rank, drain->count, change,
                                          drain->scale)
                      : 0;
    }
    rv_world_begin_giving(world, drain->scale);
    for (int i = 0; i < drain->count; i++) {
        double there = (double)depth[drain->slots[i]];
        if (there > 0) rv_world_put_add(world, drain->slots[i], -there * share);
    }
    return 0 - rv_world_end_giving(world);
}

static double take(rv_world *world, rv_drain *drain, double volume)
{
    double area = world->params.grid_dx * world->params.grid_dx, asked = volume + drain->owed;
    if (!(asked > 0)) {
        drain->owed = asked;
        return 0;
    }
    rv_liquid view = rv_world_view_of(world, drain->slots, drain->count);
    int64_t sum = 0;
    for (int i = 0; i < drain->count; i++)
        if (!world->cut || drain->rank[i] == world->cut->ranks->rank)
            sum += (int64_t)((double)view.depth[drain->slots[i]] * drain->scale);
    if (world->cut) rv_cut_sum(world->cut, &sum, 1);
    double there = (double)sum / drain->scale * area;
    if (!(there > 0)) {
        drain->owed = 0;
        return 0;
    }
    double share = fmin(1, asked / there);
    double taken = take_share(world, drain, view.depth, share);
    drain->owed = share < 1 ? asked - taken * area : 0;
    return taken * area;
}

// Particles are taken where they are, not where their column stands; what is less than a particle
// is owed.
static double take_there(rv_world *world, rv_drain *drain, double volume)
{
    double asked = volume + drain->owed;
    double taken = world->api->bulk->take(world->solver, drain->def.from, drain->def.to, asked);
    drain->owed = fmin(asked - taken, world->each);
    return taken;
}

// ---- Inflow borders -----------------------------------------------------------------------------

static rv_result push_cell(rv_world *world, rv_inflow *in, int x, int y)
{
    const rv_column_set *set = &world->columns;
    for (int l = 0; l < set->planes; l++) {
        size_t slot;
        if (!rv_column_at(set, l, x, y, &slot)) continue;
        rv_result r = push(world, &in->slots, &in->count, &in->room, slot);
        if (r != RV_OK) return r;
    }
    in->sides[in->cells] = (unsigned char)((x == 0) | (x == set->grid.nx - 1) << 1 | (y == 0) << 2 |
                                           (y == set->grid.ny - 1) << 3);
    if (world->cut) in->rank[in->cells] = rv_cut_owner(world->cut, y);
    in->first[++in->cells] = in->count;
    return RV_OK;
}

// Cells along the borders, at most; corners are counted twice.
static size_t perimeter(const rv_world *world)
{
    return 2 * ((size_t)world->params.grid_nx + (size_t)world->params.grid_ny);
}

rv_result rv_inflow_find(rv_world *world)
{
    rv_inflow *in = &world->inflow;
    int nx = world->columns.grid.nx, ny = world->columns.grid.ny;
    rv_result r = RV_OK;
    in->first = rv_new(&world->allocator, perimeter(world) + 1, sizeof *in->first);
    in->sides = rv_new(&world->allocator, perimeter(world), sizeof *in->sides);
    if (world->cut) in->rank = rv_new(&world->allocator, perimeter(world), sizeof *in->rank);
    if (!in->first || !in->sides || (world->cut && !in->rank)) return RV_OUT_OF_MEMORY;
    for (int y = 0; y < ny; y++) {
        int step = y == 0 || y == ny - 1 || nx == 1 ? 1 : nx - 1;
        for (int x = 0; x < nx && r == RV_OK; x += step) r = push_cell(world, in, x, y);
    }
    in->scale = scale_of(world, in->cells);
    return r;
}

void rv_inflow_free(const rv_world *world, rv_inflow *in)
{
    rv_free(&world->allocator, in->slots, (size_t)in->room, sizeof *in->slots);
    rv_free(&world->allocator, in->first, perimeter(world) + 1, sizeof *in->first);
    rv_free(&world->allocator, in->sides, perimeter(world), sizeof *in->sides);
    rv_free(&world->allocator, in->rank, perimeter(world), sizeof *in->rank);
    *in = (rv_inflow){0};
}

// The lowest column with room of a border cell; false: none.
static bool lowest_with_room(const rv_world *world, const rv_inflow *in, int cell,
                             const float *depth, size_t *slot)
{
    for (int i = in->first[cell]; i < in->first[cell + 1]; i++) {
        *slot = in->slots[i];
        if (has_room(world, depth, *slot)) return true;
    }
    return false;
}

// What each cell of a border gets, m/s; 0 where the border is no inflow.
static void inflow_rates(const rv_world *world, double rate[4])
{
    const rv_params *p = &world->params;
    double along_y = p->grid_ny * p->grid_dx * p->grid_dx,
           along_x = p->grid_nx * p->grid_dx * p->grid_dx;
    rate[0] = p->border_west == RV_BORDER_INFLOW ? p->border_west_rate / along_y : 0;
    rate[1] = p->border_east == RV_BORDER_INFLOW ? p->border_east_rate / along_y : 0;
    rate[2] = p->border_south == RV_BORDER_INFLOW ? p->border_south_rate / along_x : 0;
    rate[3] = p->border_north == RV_BORDER_INFLOW ? p->border_north_rate / along_x : 0;
}

static double cell_rate(const double rate[4], unsigned sides)
{
    double x = (sides & 1u ? rate[0] : 0) + (sides & 2u ? rate[1] : 0);
    double y = (sides & 4u ? rate[2] : 0) + (sides & 8u ? rate[3] : 0);
    return x + y;
}

// One round over the cells that have an inflow: `even` 0 gives each `scale` times its own share, 1
// an equal part of what is left. Says how many cells had room.
static double pour_round(rv_world *world, const double rate[4], double scale, bool even, int *open)
{
    const rv_inflow *in = &world->inflow;
    rv_liquid view = rv_world_view(world);
    size_t slot;
    *open = 0;
    rv_world_begin_giving(world, in->scale);
    for (int pass = even ? 0 : 1; pass < 2; pass++) {
        for (int c = 0; c < in->cells; c++) {
            double own = cell_rate(rate, in->sides[c]);
            if (!(own > 0) || !lowest_with_room(world, in, c, view.depth, &slot)) continue;
            *open += even ? pass == 0 : 1;
            if (pass == 0) continue;
            rv_world_put_add(world, slot, even ? scale / *open : own * scale);
        }
    }
    return rv_world_end_giving(world);
}

// The same over all ranks.
static double pour_ranks(rv_world *world, const double rate[4], double scale, bool even, int *open)
{
    const rv_inflow *in = &world->inflow;
    rv_liquid view = rv_world_view(world);
    uint8_t *wants = rv_cut_room(world->cut, 0, (size_t)in->cells);
    double *done = rv_cut_room(world->cut, 1, (size_t)in->cells * sizeof *done);
    int64_t given = 0;
    size_t slot;
    *open = 0;
    if (!wants || !done) return 0;
    for (int c = 0; c < in->cells; c++)
        wants[c] =
            cell_rate(rate, in->sides[c]) > 0 && lowest_with_room(world, in, c, view.depth, &slot);
    rv_cut_agree(world->cut, in->rank, in->cells, wants, 1);
    for (int c = 0; c < in->cells; c++) *open += wants[c];
    for (int c = 0; c < in->cells; c++) {
        done[c] = 0;
        if (!wants[c] || !lowest_with_room(world, in, c, view.depth, &slot)) continue;
        double own = cell_rate(rate, in->sides[c]);
        done[c] = rv_world_add(world, slot, even ? scale / *open : own * scale);
    }
    rv_cut_agree(world->cut, in->rank, in->cells, done, sizeof *done);
    for (int c = 0; c < in->cells; c++) given += (int64_t)(done[c] * in->scale);
    return (double)given / in->scale;
}

double rv_world_inflow(const rv_world *world, double dt)
{
    const rv_params *p = &world->params;
    double rate[4];
    inflow_rates(world, rate);
    return ((rate[0] + rate[1]) * p->grid_ny + (rate[2] + rate[3]) * p->grid_nx) * dt;
}

void rv_inflow_rates(const rv_world *world, double *out)
{
    double rate[4];
    inflow_rates(world, rate);
    for (int c = 0; c < world->inflow.cells; c++) out[c] = cell_rate(rate, world->inflow.sides[c]);
}

static double pour_in(rv_world *world, double dt)
{
    const rv_params *p = &world->params;
    double rate[4], area = p->grid_dx * p->grid_dx, fresh = rv_world_inflow(world, dt);
    inflow_rates(world, rate);
    double asked = fresh + world->inflow.owed / area, left = asked;
    if (!(fresh > 0)) return 0;
    if (!(asked > 0)) {
        world->inflow.owed = asked * area;
        return 0;
    }
    int open = 0;
    double (*pour)(rv_world *, const double *, double, bool, int *) =
        world->cut ? pour_ranks : pour_round;
    left -= pour(world, rate, dt * asked / fresh, false, &open);
    for (int round = 0; round < ROUNDS_MAX && left > 1e-6 * asked && open > 0; round++)
        left -= pour(world, rate, left, true, &open);
    world->inflow.owed = keep_owed(world, left, open > 0, world->inflow.cells) * area;
    return (asked - left) * area;
}

// ---- All of them --------------------------------------------------------------------------------

// Seconds of [time, time + dt] within [start, stop].
static double overlap(double time, double dt, double start, double stop)
{
    if (start <= time && stop >= time + dt) return dt;
    return fmax(0, fmin(time + dt, stop) - fmax(time, start));
}

double rv_source_volume(const rv_source *s, double time, double dt)
{
    return s->def.rate * overlap(time, dt, s->def.start, s->def.stop);
}

double rv_drain_volume(const rv_drain *d, double time, double dt)
{
    return d->def.rate * overlap(time, dt, d->def.start, d->def.stop);
}

bool rv_world_flows_in(const rv_world *world)
{
    double rate[4];
    inflow_rates(world, rate);
    return rate[0] > 0 || rate[1] > 0 || rate[2] > 0 || rate[3] > 0;
}

// Without memory for a list it stays empty: nothing is given or taken there until a later try.
void rv_world_refresh_feeds(rv_world *world)
{
    world->stale_feeds = false;
    for (int i = 0; i < world->source_count; i++) {
        rv_source *s = &world->sources[i];
        if (rv_feed_find(world, &s->feed, s->def.at, s->def.radius) == RV_OK) continue;
        s->feed.disk = s->feed.all = 0, world->stale_feeds = true;
    }
    for (int i = 0; i < world->drain_count; i++) {
        if (rv_drain_find(world, &world->drains[i]) == RV_OK) continue;
        world->drains[i].count = 0, world->stale_feeds = true;
    }
    double owed = world->inflow.owed;
    rv_inflow_free(world, &world->inflow);
    if (rv_inflow_find(world) != RV_OK) {
        rv_inflow_free(world, &world->inflow);
        world->stale_feeds = true;
    }
    world->inflow.owed = owed;
}

bool rv_world_exchange_rest(rv_world *world, double time, double dt, double in)
{
    double out = 0;
    in += pour_in(world, dt);
    for (int i = 0; i < world->drain_count; i++) {
        rv_drain *d = &world->drains[i];
        double volume = rv_drain_volume(d, time, dt);
        if (volume > 0)
            out += world->api->bulk ? take_there(world, d, volume) : take(world, d, volume);
    }
    world->counters.sourced += in, world->counters.drained += out;
    return out > 0;
}

bool rv_world_exchange(rv_world *world, double time, double dt)
{
    double in = 0;
    if (world->stale_feeds) rv_world_refresh_feeds(world);
    for (int i = 0; i < world->source_count; i++) {
        rv_source *s = &world->sources[i];
        double volume = rv_source_volume(s, time, dt);
        int64_t before = world->counters.unplaced;
        if (volume > 0 && s->feed.disk == 0) world->counters.unplaced++;
        if (volume > 0 && s->feed.disk > 0) in += rv_feed_give(world, &s->feed, volume, &s->owed);
        if (world->counters.unplaced == before) continue;
        if (s->unplaced++ == 0)
            rv_world_warn(world, "sources[%d]: no column below it has room; what it gives is lost",
                          i);
    }
    return rv_world_exchange_rest(world, time, dt, in);
}

int64_t rv_world_unplaced(const rv_world *world, int source)
{
    if (!world || source < 0 || source >= world->source_count) return 0;
    return world->sources[source].unplaced;
}
