// A world whose rows are shared out among processes (rivulet/ranks.h, docs/scale.md): which rows a
// rank keeps, and lists of columns that several ranks have a part of.
//
// What looks at few columns in places that are known, passages, edges that drip and droplets of
// emitters, is worked out by every rank in the same way: all of them keep those rows, and come to
// keep them where they are others later. Bodies have a rank each that keeps what they reach
// (bodies/homes.c). Liquid that changes of the terrain push goes from rank to rank (rings.c). Spray
// and dew, which may start anywhere, keep the world from being cut at all; then every rank has the
// whole of it.
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

// ---- The cut ------------------------------------------------------------------------------------

// Why a definition cannot be cut; NULL: it can.
static const char *uncut_reason(const rv_world_def *def)
{
    if (def->params.spray_on) return "spray.on";
    if (def->params.dew_on) return "dew.on";
    // what they give flies, and ranks come to keep the rows that it flies over
    bool field = def->params.terrain_keep && !def->heights;
    if (def->emitter_count > 0 && !field) return "emitters";
    return NULL;
}

rv_result rv_world_cut(rv_world *world, const rv_world_def *def, rv_messages *messages)
{
    const rv_ranks *ranks = def->ranks;
    if (!ranks) return RV_OK;
    if (ranks->count < 1 || ranks->rank < 0 || ranks->rank >= ranks->count) {
        rv_messages_add(messages, "ranks: %d of %d", ranks->rank, ranks->count);
        return RV_BAD_ARGUMENT;
    }
    if (!world->api->columns || def->device) {
        rv_messages_add(messages, "%s: only solvers pipes and swe, on processors, share their grid",
                        def->device ? "backend" : "solver");
        return RV_BAD_ARGUMENT;
    }
    if (ranks->count > def->params.grid_ny) {
        rv_messages_add(messages, "grid.ny: %d rows are too few for %d ranks", def->params.grid_ny,
                        ranks->count);
        return RV_BAD_ARGUMENT;
    }
    const char *why = uncut_reason(def);
    if (ranks->count == 1) return RV_OK;
    if (why) {
        rv_world_warn(world, "%s: the grid is not cut, each of %d ranks works out the whole of it",
                      why, ranks->count);
        return RV_OK;
    }
    world->cut = rv_cut_make(ranks, def->params.grid_ny, &world->allocator);
    if (!world->cut) return RV_OUT_OF_MEMORY;
    for (int i = 0; i < def->body_count; i++) {
        int rows = rv_body_rows(&def->bodies[i], def->params.grid_dx);
        if (rows > world->cut->bodies) world->cut->bodies = rows;
    }
    rv_cut_set(world->cut);
    world->bodies.cut = world->cut;
    return RV_OK;
}

// Own rows with a column that may be flooded.
static void find_ceilings(const rv_world *world, rv_rows *rows)
{
    const rv_column_set *set = &world->columns;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        rv_rows here = rv_rows_both(world->cut->own, (rv_rows){p->y0, p->y0 + p->ny});
        for (int y = here.from; y < here.to; y++)
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot = rv_slot(p, x, y);
                if (!rv_column_exists(set, slot) || !(set->max[slot] < (float)set->grid.top))
                    continue;
                if (y < rows->from) rows->from = y;
                if (y >= rows->to) rows->to = y + 1;
            }
    }
}

// Own rows with an edge that may drip, and those beside it. false: no memory to find them.
static bool find_edges(const rv_world *world, rv_rows *rows)
{
    rv_edges edges = {0};
    if (!rv_world_drips(world)) return true;
    bool found =
        rv_edges_list(&edges, &world->columns, rv_world_drip_clear(world), &world->allocator);
    for (int i = 0; found && i < edges.count; i++) {
        int y = edges.edge[i].y;
        if (!rv_rows_have(world->cut->own, y)) continue;
        if (y - 2 < rows->from) rows->from = y - 2;
        if (y + 3 > rows->to) rows->to = y + 3;
    }
    rv_edges_free(&edges, &world->allocator);
    return found;
}

// Rows between two places along y, and some beside them.
#define ROWS_BESIDE 8

static void add_rows(const rv_world *world, double low, double high, rv_rows *rows)
{
    const rv_params *p = &world->params;
    double dx = p->grid_dx, y0 = rv_middle_y(p, 0) - 0.5 * dx;
    double from = floor((low - y0) / dx) - ROWS_BESIDE, to = floor((high - y0) / dx) + ROWS_BESIDE;
    int first = (int)fmin(fmax(from, 0), p->grid_ny - 1),
        end = (int)fmin(fmax(to, 0), p->grid_ny - 1) + 1;
    if (first < rows->from) rows->from = first;
    if (end > rows->to) rows->to = end;
}

// Rows over which droplets fly within dt, and over which emitters give some. All ranks have the
// same droplets, and work out all of them.
static void find_droplets(const rv_world *world, double dt, rv_rows *rows)
{
    const rv_spray *s = &world->spray;
    double pull = fabs(world->params.gravity.y) * dt;
    for (int i = 0; i < s->count; i++) {
        double reach = (fabs(s->velocity[i].y) + pull) * dt + s->radius[i] + fabs(s->off[i].y);
        add_rows(world, s->at[i].y - reach, s->at[i].y + reach, rows);
    }
    for (int i = 0; i < world->emitter_count; i++) {
        const rv_emitter_def *e = &world->emitters[i].def;
        bool box = e->kind == RV_EMITTER_BLOCK || e->kind == RV_EMITTER_RAIN;
        double reach = (fabs(e->velocity.y) + pull) * dt + (box ? 0 : e->radius);
        add_rows(world, (box ? e->from.y : e->at.y) - reach, (box ? e->to.y : e->at.y) + reach,
                 rows);
    }
}

// The rows that every rank must keep; none: an empty range, and where one of them has no memory to
// find its own, no rank can go on.
static rv_rows rows_to_share(rv_world *world)
{
    rv_cut *cut = world->cut;
    rv_rows rows = {cut->ny, 0};
    find_ceilings(world, &rows);
    bool found = find_edges(world, &rows);
    find_droplets(world, world->params.time_step, &rows);
    double ends[3] = {-rows.from, rows.to, found ? 0 : 1};
    rv_cut_greatest(cut, ends, 3);
    if (ends[2] > 0) cut->lost = true;
    if (cut->lost) return (rv_rows){0, 0};
    rows = (rv_rows){(int)-ends[0], (int)ends[1]};
    if (rows.to <= rows.from) return (rv_rows){0, 0};
    return rv_rows_both(rows, (rv_rows){0, cut->ny});
}

bool rv_world_cut_again(rv_world *world)
{
    rv_cut *cut = world->cut;
    rv_rows rows = rows_to_share(world), before = cut->kept;
    if (rows.to <= rows.from) return false;
    cut->shared = rows;
    rv_cut_set(cut);
    return rv_cut_any(cut, before.from != cut->kept.from || before.to != cut->kept.to);
}

// ---- Rows that come to be shared ----------------------------------------------------------------

#define ROWS_AHEAD 8 // so that a solid on its way does not ask for more in each step

// The columns of rows that were not here.
static void cast_rows(rv_world *world, rv_rows before)
{
    rv_column_set *set = &world->columns;
    rv_rows kept = world->cut->kept;
    for (int y = kept.from; y < kept.to; y++)
        for (int x = 0; !rv_rows_have(before, y) && x < set->grid.nx; x++) {
            rv_stack stack;
            rv_terrain_cast_cell(world->terrain, x, y, &stack);
            rv_columns_put(set, x, y, (const float(*)[3])stack.column, stack.count);
        }
}

// Keeps the rows that the cut says now, where fewer were kept and the field is there: columns are
// cast, the solver is built on them, and takes the liquid there from its owners.
static rv_result keep_more(rv_world *world, rv_rows before)
{
    const rv_rect none[RV_LAYERS_MAX] = {{0, 0, 0, 0}};
    rv_cut *cut = world->cut;
    rv_column_set old;
    rv_result r = rv_columns_widen(&world->columns, none, &old);
    bool wider = r == RV_OK;
    r = rv_world_agree(world, r);
    if (r == RV_OK) {
        cast_rows(world, before);
        r = world->api->columns->keep_more(world->solver, &old);
    }
    if (r != RV_OK) {
        cut->lost = true; // the cut is another; but the solver's columns are as it knows them
        if (wider) rv_columns_free(&world->columns), world->columns = old;
        return r;
    }
    rv_columns_free(&old);
    world->stale_feeds = true;
    world->changes += RV_RECENT_EDITS + 1; // slots are others
    return RV_OK;
}

// The cut becomes one with these rows shared, and bodies that reach so far; what ranks come to keep
// of the field by it they take from those who have it. *more: some do.
static rv_result cut_further(rv_world *world, rv_rows shared, int bodies, bool *more)
{
    rv_cut *cut = world->cut;
    int count = cut->ranks->count;
    rv_rows *before = rv_new(&world->allocator, (size_t)count, sizeof *before);
    rv_result r = RV_OK;
    *more = false;
    if (rv_cut_any(cut, !before)) r = RV_OUT_OF_MEMORY;
    for (int k = 0; r == RV_OK && k < count; k++) before[k] = rv_cut_kept_of(cut, k);
    if (r == RV_OK) {
        cut->shared = rv_rows_both(shared, (rv_rows){0, cut->ny}), cut->bodies = bodies;
        rv_cut_set(cut);
    }
    for (int k = 0; r == RV_OK && k < count; k++) {
        rv_rows now = rv_cut_kept_of(cut, k);
        *more = *more || now.from < before[k].from || now.to > before[k].to;
    }
    if (*more) r = rv_terrain_take_rows(world->terrain, before);
    rv_free(&world->allocator, before, (size_t)count, sizeof *before);
    return r;
}

// These rows become shared, besides those that are.
static rv_result share_rows(rv_world *world, rv_rows rows, bool *more)
{
    rv_cut *cut = world->cut;
    rv_rows had = cut->shared;
    bool none = had.to <= had.from;
    *more = false;
    if (rows.to <= rows.from) return RV_OK;
    if (!none && rows.from >= had.from && rows.to <= had.to) return RV_OK;
    if (none || rows.from < had.from) rows.from -= ROWS_AHEAD;
    if (none || rows.to > had.to) rows.to += ROWS_AHEAD;
    if (!none && had.from < rows.from) rows.from = had.from;
    if (!none && had.to > rows.to) rows.to = had.to;
    return cut_further(world, rows, cut->bodies, more);
}

rv_result rv_world_share_field(rv_world *world, bool *more)
{
    rv_rows rows = rows_to_share(world);
    *more = false;
    return world->cut->lost ? RV_RANK_LOST : share_rows(world, rows, more);
}

// What lands presses on rows farther away, which is known only once it was worked out: as often as
// that needs rows that are not shared.
rv_result rv_world_share_air(rv_world *world, double dt)
{
    rv_cut *cut = world->cut;
    if (!cut || !world->terrain || (world->spray.count == 0 && world->emitter_count == 0))
        return RV_OK;
    rv_rows rows = {cut->ny, 0};
    find_droplets(world, dt, &rows);
    for (;;) {
        rv_rows before = cut->kept;
        bool more = false;
        rv_result r = share_rows(world, rows, &more);
        if (r == RV_OK && more) r = keep_more(world, before);
        if (r != RV_OK || cut->lost) return r;
        rv_rows pressed = rv_landing_rows(world, dt);
        double ends[2] = {-pressed.from, pressed.to};
        rv_cut_greatest(cut, ends, 2);
        pressed = (rv_rows){(int)-ends[0], (int)ends[1]};
        if (pressed.to <= pressed.from ||
            (pressed.from >= cut->shared.from && pressed.to <= cut->shared.to))
            return RV_OK;
        rows = pressed;
    }
}

rv_result rv_world_share_more(rv_world *world)
{
    rv_rows before = world->cut->kept;
    bool more;
    rv_result r = rv_world_share_field(world, &more);
    return r == RV_OK && more ? keep_more(world, before) : r;
}

rv_result rv_world_reach_further(rv_world *world, int rows)
{
    rv_cut *cut = world->cut;
    bool more;
    if (!cut || rows <= cut->bodies) return RV_OK;
    rv_rows before = cut->kept;
    rv_result r = cut_further(world, cut->shared, rows, &more);
    return r == RV_OK && more ? keep_more(world, before) : r;
}

rv_result rv_world_agree(rv_world *world, rv_result r)
{
    if (!world->cut || !rv_cut_any(world->cut, r != RV_OK)) return r;
    return r != RV_OK ? r : RV_OUT_OF_MEMORY;
}

bool rv_world_refuse_cut(const rv_world *world, const char *what, rv_messages *messages)
{
    if (!world || !world->cut) return false;
    rv_messages_add(messages, "%s: not while processes share the grid", what);
    return true;
}

bool rv_world_stays_cut(const rv_world *world, const rv_params *params, rv_messages *messages)
{
    if (!world->cut) return true;
    if (params->spray_on) return !rv_world_refuse_cut(world, "spray.on", messages);
    if (params->dew_on) return !rv_world_refuse_cut(world, "dew.on", messages);
    bool drips = params->drips_on && world->api->traits(params).has_tension;
    if (drips && !rv_world_drips(world)) return !rv_world_refuse_cut(world, "drips.on", messages);
    return true;
}

rv_result rv_world_get_traffic(const rv_world *world, rv_rank_traffic *out)
{
    if (!world || !out) return RV_BAD_ARGUMENT;
    int ny = world->params.grid_ny;
    *out = (rv_rank_traffic){.end = ny, .high = ny};
    if (world->cut) *out = world->cut->traffic;
    return RV_OK;
}

// ---- Lists of columns ---------------------------------------------------------------------------

typedef struct place {
    int32_t plane, y, x, rank;
} place;

// The order of slots in one process.
static int by_place(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->plane != q->plane) return p->plane < q->plane ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static int plane_of(const rv_column_set *set, size_t slot)
{
    int found = 0;
    for (int l = 0; l < set->planes; l++)
        if (set->plane[l].offset <= slot) found = l;
    return found;
}

// Puts those of a list that are this rank's own into `out`; returns how many.
static int own_places(const rv_world *world, const size_t *slots, int count, place *out)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        int x, y;
        rv_cell_of_slot(&world->columns, slots[i], &x, &y);
        if (!rv_rows_have(world->cut->own, y)) continue;
        out[n++] = (place){plane_of(&world->columns, slots[i]), y, x, world->cut->ranks->rank};
    }
    return n;
}

rv_result rv_ranks_join(rv_world *world, size_t **slots, int *count, int *room, int **rank,
                        int *rank_room)
{
    const rv_column_set *set = &world->columns;
    size_t bytes = 0;
    place *own = rv_cut_room(world->cut, 0, ((size_t)*count + 1) * sizeof *own);
    if (!own) return RV_OUT_OF_MEMORY;
    int n = own_places(world, *slots, *count, own);
    const void *found = rv_cut_collect(world->cut, own, (size_t)n * sizeof *own, false);
    if (!found) return RV_OUT_OF_MEMORY;
    for (int k = 0; k < world->cut->ranks->count; k++) bytes += world->cut->sizes[k];
    place *all = rv_cut_room(world->cut, 1, bytes + 1);
    if (!all) return RV_OUT_OF_MEMORY;
    memcpy(all, found, bytes);
    int64_t total = (int64_t)(bytes / sizeof *all);
    if (total > 0) qsort(all, (size_t)total, sizeof *all, by_place);
    if (!rv_array_grow(&world->allocator, slots, room, total, sizeof **slots) ||
        !rv_array_grow(&world->allocator, rank, rank_room, total, sizeof **rank))
        return RV_OUT_OF_MEMORY;
    for (int64_t i = 0; i < total; i++) {
        size_t slot;
        bool here = rv_column_at(set, all[i].plane, all[i].x, all[i].y, &slot);
        (*slots)[i] = here ? slot : RV_ELSEWHERE, (*rank)[i] = all[i].rank;
    }
    *count = (int)total;
    return RV_OK;
}

// ---- Giving to them -----------------------------------------------------------------------------

double rv_ranks_give(rv_world *world, const size_t *slots, const int *rank, int count,
                     const double *depth, double scale)
{
    double *done = rv_cut_room(world->cut, 1, (size_t)count * sizeof *done), given = 0;
    int64_t steps = 0;
    if (!done) return 0;
    for (int i = 0; i < count; i++)
        done[i] =
            depth[i] != 0 && slots[i] != RV_ELSEWHERE ? rv_world_add(world, slots[i], depth[i]) : 0;
    rv_cut_agree(world->cut, rank, count, done, sizeof *done);
    for (int i = 0; i < count; i++) given += done[i], steps += (int64_t)(done[i] * scale);
    return scale > 0 ? (double)steps / scale : given;
}

static bool has_room(const rv_world *world, const float *depth, size_t slot)
{
    const rv_column_set *set = &world->columns;
    return slot != RV_ELSEWHERE && depth[slot] < set->max[slot] - set->base[slot];
}

// How many of the first `count` have room, as their owners know, and which.
static int find_open(rv_world *world, const rv_feed *feed, int count, uint8_t *open)
{
    rv_liquid view = rv_world_view(world);
    int n = 0;
    for (int i = 0; i < count; i++) open[i] = has_room(world, view.depth, feed->slots[i]);
    rv_cut_agree(world->cut, feed->rank, count, open, 1);
    for (int i = 0; i < count; i++) n += open[i];
    return n;
}

// rv_world_spread over all ranks.
#define ROUNDS_MAX 16

double rv_ranks_spread(rv_world *world, const rv_feed *feed, double depth, bool *room)
{
    double left = depth;
    int count = feed->disk;
    // what each gets, and behind it which of them have room
    double *share =
        rv_cut_room(world->cut, 0, (size_t)feed->all * (sizeof *share + 1) + sizeof *share);
    if (!share) return left;
    uint8_t *open = (uint8_t *)(share + feed->all);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        int n = find_open(world, feed, count, open), cut = 0;
        *room = n > 0;
        if (n > 0) {
            for (int i = 0; i < count; i++) share[i] = open[i] ? left / n : 0;
            left -= rv_ranks_give(world, feed->slots, feed->rank, count, share, 0);
            cut = n - find_open(world, feed, count, open);
        }
        bool widen = count < feed->all && (n == 0 || cut > 0);
        if (left <= 0 || (cut == 0 && !widen) || world->cut->lost) break;
        count = feed->all;
    }
    return left;
}
