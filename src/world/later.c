// What comes after substeps, asked of a card that has not told yet what came of them: what runs to
// edges where it hangs in beads is taken, sources and inflow borders give, and drains take
// (docs/card.md, Asking ahead). The card
// does to columns what the functions in drips.c and sources.c do, to the bit, and tells at the end
// of the step what fell, what was drained and how much rounding took; where it cannot, they are
// called after all, substep by substep.
#include "world/world_internal.h"

// ---- What came of it ----------------------------------------------------------------------------

// As rv_feed_give has it: with room in all columns.
static double give(rv_source *s, double volume, double left, double area)
{
    double asked = (volume + s->owed) / area;
    s->owed = left * area;
    return (asked - left) * area;
}

// The same of borders, as pour_in in sources.c has it.
static double pour(rv_world *world, double left, double area)
{
    const rv_pouring *p = &world->later.pouring;
    double asked = p->fresh + world->inflow.owed / area;
    world->inflow.owed = left * area;
    return (asked - left) * area;
}

static void told(void *user, int number, const rv_later_told *told, rv_later_done done)
{
    rv_world *world = user;
    rv_later_work *w = &world->later;
    double area = world->params.grid_dx * world->params.grid_dx, out = 0;
    bool all = done == RV_DONE_ALL;
    w->in = 0;
    for (int f = 0; f < w->giving_count; f++) {
        rv_source *s = &world->sources[w->source[f]];
        double volume = rv_source_volume(s, w->start + number * w->part, w->part);
        w->in += give(s, volume, told->left[f], area);
    }
    if (!all) return; // what is left of it adds to `in`
    if (w->pours) w->in += pour(world, told->poured_left, area);
    for (int d = 0; d < w->draining_count; d++) {
        world->drains[w->drain[d]].owed = told->owed[d];
        out += told->taken[d] * area;
    }
    world->counters.sourced += w->in, world->counters.drained += out;
    w->taken = out > 0 || w->taken;
}

static void fell(void *user, int number, rv_fallen *falls, int count)
{
    rv_world *world = user;
    rv_later_work *w = &world->later;
    double past = number * w->part;
    w->taken = rv_world_dripped(world, falls, count, past + w->part) || w->taken;
}

static void redo(void *user, int number, rv_later_done done)
{
    rv_world *world = user;
    rv_later_work *w = &world->later;
    double past = number * w->part;
    if (w->spray && done == RV_DONE_NOTHING)
        w->taken = rv_world_fall(world, w->part, past, w->step) || w->taken;
    bool taken = done == RV_DONE_GAVE
                     ? rv_world_exchange_rest(world, w->start + past, w->part, w->in)
                     : rv_world_exchange(world, w->start + past, w->part);
    w->taken = taken || w->taken;
}

// ---- What can be asked --------------------------------------------------------------------------

static bool has_threads(const rv_spray *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->form[i] == RV_HANG_THREAD) return true;
    return false;
}

// Pipes over edges within layers, made anew where these are others; and room for what hangs there.
static bool list_brinks(rv_world *world)
{
    rv_later_work *w = &world->later;
    const rv_spray *s = &world->spray;
    if (w->changes == world->changes && w->clear == s->edges.clear &&
        w->brink_count == (int)s->cliff_count && w->site_room >= s->edges.count)
        return true;
    if (!rv_array_grow(&world->allocator, &w->brinks, &w->brink_room, (int64_t)s->cliff_count,
                       sizeof *w->brinks) ||
        !rv_array_grow(&world->allocator, &w->sites, &w->site_room, s->edges.count,
                       sizeof *w->sites))
        return false;
    for (size_t i = 0; i < s->cliff_count; i++) {
        const rv_cliff *c = &s->cliff[i];
        w->brinks[i] = (rv_brink){c->low, {c->from, c->to, c->x, c->y, c->dx, c->dy, 0}};
    }
    w->brink_count = (int)s->cliff_count, w->changes = world->changes;
    w->clear = s->edges.clear;
    return true;
}

static void note_sites(rv_world *world)
{
    const rv_edges *e = &world->spray.edges;
    for (int i = 0; i < e->count; i++) {
        int form = e->site[i] > 0 ? world->spray.form[e->site[i] - 1] : RV_HANG_NOT;
        world->later.sites[i] = form == RV_HANG_BEAD    ? RV_SITE_BEAD
                                : form == RV_HANG_SHEET ? RV_SITE_SHEET
                                                        : RV_SITE_NONE;
    }
}

// Drains that take in this step. false: there are too many.
static bool list_draining(rv_world *world, double start, double dt)
{
    rv_later_work *w = &world->later;
    w->draining_count = 0;
    for (int i = 0; i < world->drain_count; i++) {
        const rv_drain *d = &world->drains[i];
        if (!(rv_drain_volume(d, start, dt) > 0)) continue;
        if (w->draining_count == RV_DRAINING_MOST) return false;
        w->drain[w->draining_count] = i;
        w->draining[w->draining_count++] =
            (rv_draining){.slots = d->slots, .count = d->count, .owed = d->owed, .scale = d->scale};
    }
    return true;
}

// false: no memory.
static bool list_pouring(rv_world *world)
{
    rv_later_work *w = &world->later;
    const rv_inflow *in = &world->inflow;
    w->pours = rv_world_flows_in(world);
    if (!w->pours) return true;
    if (!rv_array_grow(&world->allocator, &w->rates, &w->rate_room, in->cells, sizeof *w->rates))
        return false;
    rv_inflow_rates(world, w->rates);
    w->pouring = (rv_pouring){.slots = in->slots,
                              .first = in->first,
                              .rate = w->rates,
                              .cells = in->cells,
                              .owed = in->owed,
                              .scale = in->scale,
                              .swallowed = rv_world_swallowed(world, in->cells)};
    return true;
}

// Sources that give in this step. false: one of them has nowhere to.
static bool list_giving(rv_world *world, double start, double dt)
{
    rv_later_work *w = &world->later;
    w->giving_count = 0;
    for (int i = 0; i < world->source_count; i++) {
        const rv_source *s = &world->sources[i];
        if (!(rv_source_volume(s, start, dt) > 0)) continue;
        if (s->feed.disk == 0 || w->giving_count == RV_GIVING_MOST) return false;
        w->source[w->giving_count] = i;
        w->giving[w->giving_count++] =
            (rv_giving){.slots = s->feed.slots,
                        .count = s->feed.disk,
                        .owed = s->owed,
                        .swallowed = rv_world_swallowed(world, s->feed.all)};
    }
    return true;
}

void rv_world_begin_later(rv_world *world, double start, double dt, bool spray, bool others)
{
    rv_later_work *w = &world->later;
    bool drips = spray && world->spray.edges.count > 0 && rv_world_drips(world);
    w->asks = false, w->taken = false;
    w->start = start, w->step = dt, w->spray = spray, w->drips = drips;
    if (!world->device || !world->api->columns || !world->api->columns->later) return;
    if (others || world->emitter_count > 0 || world->params.spray_on || world->cut) return;
    if (drips && (has_threads(&world->spray) || !list_brinks(world))) return;
    if (world->stale_feeds) rv_world_refresh_feeds(world);
    if (world->stale_feeds || !list_giving(world, start, dt) || !list_draining(world, start, dt) ||
        !list_pouring(world))
        return;
    w->asks = drips || w->giving_count > 0 || w->draining_count > 0 || w->pours;
}

static bool ask(rv_world *world, int number, double part)
{
    rv_later_work *w = &world->later;
    w->part = part;
    for (int f = 0; f < w->giving_count; f++) {
        const rv_source *s = &world->sources[w->source[f]];
        w->giving[f].volume = rv_source_volume(s, w->start + number * part, part);
        if (!(w->giving[f].volume > 0)) return false; // it begins or ends in this step
    }
    for (int d = 0; d < w->draining_count; d++) {
        const rv_drain *of = &world->drains[w->drain[d]];
        w->draining[d].volume = rv_drain_volume(of, w->start + number * part, part);
        w->draining[d].owed = of->owed;
        if (!(w->draining[d].volume > 0)) return false;
    }
    w->pouring.fresh = w->pours ? rv_world_inflow(world, part) : 0;
    w->pouring.dt = part, w->pouring.owed = world->inflow.owed;
    const rv_later what = {
        .giving = w->giving,
        .giving_count = w->giving_count,
        .pouring = w->pours ? &w->pouring : NULL,
        .draining = w->draining,
        .draining_count = w->draining_count,
        .area = world->params.grid_dx * world->params.grid_dx,
        .brinks = w->brinks,
        .brink_count = w->drips ? w->brink_count : 0,
        .edges = w->drips ? world->spray.edges.of : NULL,
        .sites = w->sites,
        .clear = world->spray.edges.clear,
        .changes = 2 * (uint64_t)world->changes + w->drips,
        .number = number,
        .fell = fell,
        .told = told,
        .redo = redo,
        .user = world,
    };
    for (int f = 0; f < w->giving_count; f++) w->giving[f].owed = world->sources[w->source[f]].owed;
    if (w->drips) note_sites(world);
    return world->api->columns->later(world->solver, &what);
}

// What is owed, and what hangs, is known after that.
static void settle(rv_world *world)
{
    if (world->later.asked) world->api->columns->settle(world->solver);
    world->later.asked = false;
}

bool rv_world_ask_later(rv_world *world, int number, double part)
{
    rv_later_work *w = &world->later;
    if (w->asks && ask(world, number, part)) {
        w->asked = true;
        return true;
    }
    settle(world);
    return false;
}

bool rv_world_end_later(rv_world *world)
{
    settle(world);
    world->later.asks = false;
    return world->later.taken;
}

void rv_later_free(rv_world *world)
{
    rv_later_work *w = &world->later;
    rv_free(&world->allocator, w->brinks, (size_t)w->brink_room, sizeof *w->brinks);
    rv_free(&world->allocator, w->sites, (size_t)w->site_room, sizeof *w->sites);
    rv_free(&world->allocator, w->rates, (size_t)w->rate_room, sizeof *w->rates);
    *w = (rv_later_work){0};
}
