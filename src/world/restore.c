// A world takes back the state of a snapshot: in place, or beside what there is where the terrain
// or the borders differ.
#include "world/snapshot_parts.h"

#include <math.h>
#include <string.h>

// Whether the fields are those of the solver on the columns as they are, and hold what they can;
// makes room for those whose number is not fixed.
static rv_result fit_fields(rv_world *world, const rv_snapshot_parts *p)
{
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    rv_saved_field saved[RV_STATE_FIELDS_MAX];
    uint64_t counts[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    const unsigned char *at = p->fields;
    bool same = true;
    if (p->head.fields != (uint32_t)n) return RV_BAD_DATA;
    for (int i = 0; i < n; i++) {
        rv_snapshot_field h;
        if ((size_t)(p->end - at) < sizeof h) return RV_BAD_DATA;
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        counts[i] = h.count;
        bool fits = h.count == rv_snapshot_items(world, &fields[i]);
        if (!fits && (fields[i].by_slot || !world->traits.counts_vary)) return RV_BAD_DATA;
        if (strncmp(h.name, fields[i].name, RV_SNAPSHOT_NAME - 1) != 0) return RV_BAD_DATA;
        if ((size_t)(p->end - at) / fields[i].item < h.count) return RV_BAD_DATA;
        saved[i] = (rv_saved_field){fields[i].name, at, h.count};
        at += h.count * fields[i].item;
        same = same && fits;
    }
    if (at != p->end || !world->api->state_good(world->solver, saved, n)) return RV_BAD_DATA;
    return same ? RV_OK : world->api->particles->resize(world->solver, counts, n);
}

static void restore_owed(rv_world *world, const unsigned char *from, const rv_snapshot_header *head)
{
    for (int i = 0; i < world->source_count; i++) {
        world->sources[i].owed = 0;
        if (i < head->sources)
            memcpy(&world->sources[i].owed, from + (size_t)i * sizeof(double), sizeof(double));
    }
    from += (size_t)head->sources * sizeof(double);
    for (int i = 0; i < world->drain_count; i++) {
        world->drains[i].owed = 0;
        if (i < head->drains)
            memcpy(&world->drains[i].owed, from + (size_t)i * sizeof(double), sizeof(double));
    }
    from += (size_t)head->drains * sizeof(double);
    memcpy(&world->inflow.owed, from, sizeof(double));
}

// What `other` lacks of the whole, so that the two sum to it exactly where that can be.
static double rest_of(double whole, double other)
{
    double rest = whole - other;
    for (int i = 0; i < 4 && rest + other != whole; i++) rest += whole - (rest + other);
    return rest;
}

// The solver may or may not have taken its counters back from its fields: what is missing is added
// here.
static void restore_counters(rv_world *world, const rv_counters *saved)
{
    rv_solver_stats s;
    world->api->counters(world->solver, &s);
    world->counters = *saved;
    world->counters.border_in = rest_of(saved->border_in, s.border_in);
    world->counters.border_out = rest_of(saved->border_out, s.border_out);
    world->counters.clipped -= s.clipped, world->counters.unsolved -= s.unsolved;
    world->counters.not_finite -= s.not_finite;
}

// The columns of each row of a plane, as far as rank 0 … the last have them: how many items of a
// field stand before a row that is here. Rows of other ranks are counted by them.
static void get_rows(const rv_world *world, const rv_plane *p, const uint64_t *counts,
                     const rv_state_field *field, const unsigned char **from)
{
    const rv_column_set *set = &world->columns;
    unsigned char *bytes = field->data;
    for (int y = 0; y < set->grid.ny; y++) {
        const unsigned char *at = *from;
        bool here = y >= p->y0 && y < p->y0 + p->ny;
        size_t a = here ? rv_slot(p, p->x0, y) : 0, end = here ? a + (size_t)p->nx : 0, b;
        for (; rv_next_run_of(set, &a, &b, end); a = b) {
            memcpy(bytes + a * field->item, at, (b - a) * field->item);
            at += (b - a) * field->item;
        }
        *from = counts ? *from + counts[y] * field->item : at;
    }
}

// How many of a plane's columns, or of a field's items by rows, there are in each row of the grid.
// NULL: all rows are here, or there is no memory, which counts as a lost rank.
static const uint64_t *row_counts(const rv_world *world, const rv_plane *p,
                                  const rv_state_field *field)
{
    const rv_column_set *set = &world->columns;
    const rv_columns_api *api = world->api->columns;
    rv_cut *cut = world->cut;
    if (!cut) return NULL;
    rv_rows own = cut->own;
    uint64_t *counts = rv_cut_room(cut, 0, (size_t)(own.to - own.from) * sizeof *counts);
    for (int y = own.from; counts && y < own.to; y++) {
        uint64_t n = 0;
        if (p && y >= p->y0 && y < p->y0 + p->ny)
            for (size_t a = rv_slot(p, p->x0, y), end = a + (size_t)p->nx; a < end; a++)
                n += rv_column_exists(set, a);
        if (!p)
            n = api->row_first(world->solver, field->name, y + 1) -
                api->row_first(world->solver, field->name, y);
        counts[y - own.from] = n;
    }
    return counts ? rv_cut_collect(cut, counts, (size_t)(own.to - own.from) * sizeof *counts, false)
                  : NULL;
}

static void get_items(const rv_world *world, const rv_state_field *field, const unsigned char *from)
{
    size_t first, end;
    unsigned char *bytes = field->data;
    if (!rv_own_items(world, field, &first, &end)) {
        if (field->count > 0) memcpy(bytes, from, field->count * field->item);
        return;
    }
    const uint64_t *counts = row_counts(world, NULL, field);
    rv_rows kept = rv_grid_kept(&world->columns.grid);
    for (int y = 0; counts && y < world->columns.grid.ny; from += counts[y] * field->item, y++) {
        if (!rv_rows_have(kept, y)) continue;
        size_t at = world->api->columns->row_first(world->solver, field->name, y);
        size_t here = world->api->columns->row_first(world->solver, field->name, y + 1) - at;
        // of the last rows some may be missing here; they are taken from their owners later
        memcpy(bytes + at * field->item, from,
               (here < counts[y] ? here : (size_t)counts[y]) * field->item);
    }
}

static void get_field(const rv_world *world, const rv_state_field *field, const unsigned char *from)
{
    if (!field->by_slot) {
        get_items(world, field, from);
        return;
    }
    memset(field->data, 0, field->count * field->item);
    for (int l = 0; l < world->columns.planes; l++) {
        const rv_plane *p = &world->columns.plane[l];
        get_rows(world, p, row_counts(world, p, field), field, &from);
    }
}

static void restore_state(rv_world *world, const rv_snapshot_parts *p)
{
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    const unsigned char *from = p->fields;
    // gravity as its events have it by then, before the state: what a change of it wakes may have
    // slept again since; what was given since stays, as all parameters do
    world->given_at = fmin(world->given_at, p->counters.time);
    rv_world_turn_gravity(world, p->counters.time, 0);
    for (int i = 0; i < n; i++) {
        rv_snapshot_field h;
        memcpy(&h, from, sizeof h);
        get_field(world, &fields[i], from + sizeof h);
        from += sizeof h + h.count * fields[i].item;
    }
    rv_live_restore(world, p->live);
    restore_owed(world, p->owed, &p->head);
    rv_world_restore_bodies(world, p->bodies, p->head.bodies);
    rv_world_restore_spray(world, p->spray, p->head.droplets);
    rv_world_restore_dew(world, p->dew, p->head.dew);
    world->api->restored(world->solver);
    restore_counters(world, &p->counters);
}

// ---- Terrain that changed -----------------------------------------------------------------------

static bool has_movers(const rv_world *world)
{
    for (int m = 1; world->terrain && m <= RV_MOVERS_MAX; m++)
        if (rv_terrain_has_mover(world->terrain, m)) return true;
    return false;
}

// The field alone.
static rv_result restore_field(rv_world *world, const rv_snapshot_parts *p)
{
    rv_terrain_change change;
    rv_result r = rv_terrain_restore(world->terrain, p->terrain, p->head.terrain_bytes);
    if (r != RV_OK) return r;
    memcpy(world->pose, p->pose, sizeof world->pose);
    for (int m = 1; m <= RV_MOVERS_MAX && r == RV_OK; m++) {
        if (!rv_terrain_has_mover(world->terrain, m)) continue;
        rv_motion motion = rv_world_motion(world, m, p->counters.time);
        r = rv_terrain_move(world->terrain, m, &motion, world->pool, &change);
        world->stands[m - 1] = motion;
    }
    rv_terrain_set_touched(world->terrain, p->head.touched);
    return r;
}

static void open_own(const unsigned char *from, rv_snapshot_parts *p)
{
    memcpy(&p->head, from, sizeof p->head);
    rv_snapshot_place(from, p);
}

// A tool beside the grid leaves the columns and the field as they were, but not how far distances
// are known.
static void retouch(rv_world *world, const rv_box *touched)
{
    rv_box now = rv_terrain_touched(world->terrain), all = RV_BOX_OF_ALL;
    if (!world->terrain || memcmp(&now, touched, sizeof now) == 0) return;
    rv_terrain_set_touched(world->terrain, *touched);
    if (world->api->ground && world->api->ground->reshaped)
        world->api->ground->reshaped(world->solver, &all);
}

rv_result rv_world_read(rv_world *world, const unsigned char *from)
{
    rv_snapshot_parts p = {0};
    open_own(from, &p);
    rv_result r = fit_fields(world, &p);
    if (r != RV_OK) return r;
    retouch(world, &p.head.touched); // where memory ran out in a restore, it may be another's
    restore_state(world, &p);
    return r;
}

rv_result rv_world_read_terrain(rv_world *world, const unsigned char *from)
{
    rv_snapshot_parts p = {0};
    open_own(from, &p);
    return restore_field(world, &p);
}

// ---- Beside what there is -----------------------------------------------------------------------

// The world is restored with another solver, on other columns where the terrain differs, beside
// what there is, which goes only when all has come out well: so it can always be had again.
typedef struct beside {
    rv_params own;       // of the world
    unsigned char *safe; // its state
    size_t size;
    bool terrain;          // that changes too
    rv_column_set columns; // as they are
    rv_solver *solver;
    bool read; // the world's own lists have been written to
} beside;

static rv_result build_beside(rv_world *world, const rv_snapshot_parts *p, const beside *old)
{
    rv_messages unread = {0};
    rv_column_set columns = {0};
    if (old->terrain) {
        rv_result r = restore_field(world, p);
        if (r == RV_OK) r = rv_terrain_columns(world->terrain, world->pool, &columns);
        if (r != RV_OK) return r;
        world->columns = columns;
    }
    world->solver = NULL;
    return rv_world_make_solver(world, &world->solver, &unread);
}

// While it is restored the world has the borders that it was saved with.
static rv_result restore_beside(rv_world *world, const rv_snapshot_parts *p, beside *old)
{
    rv_params *now = &world->params;
    now->border_west = (rv_border)p->head.border[0];
    now->border_east = (rv_border)p->head.border[1];
    now->border_south = (rv_border)p->head.border[2];
    now->border_north = (rv_border)p->head.border[3];
    rv_result r = build_beside(world, p, old);
    if (r == RV_OK && old->terrain && rv_world_fingerprint(world) != p->head.columns)
        r = RV_BAD_DATA;
    if (r == RV_OK) r = fit_fields(world, p);
    if (r != RV_OK) return r;
    old->read = true;
    restore_state(world, p);
    const bool borders = !rv_same_borders(&world->params, &old->own);
    const rv_vec3 gravity = world->params.gravity;
    world->params = old->own, world->params.gravity = gravity; // events may have turned it
    if (borders && world->api->columns)
        r = world->api->columns->set_borders(world->solver, &world->params);
    else if (borders)
        world->api->set_params(world->solver, &world->params);
    world->changes += RV_RECENT_EDITS + 1;      // everything may be different
    rv_world_list_edges(world, &world->params); // for those who draw
    return r == RV_OK && rv_world_was_refused(world) ? RV_OUT_OF_MEMORY : r;
}

// Frees a solver and its columns; it knows how large its arrays are by these.
static void drop_solver(rv_world *world, rv_solver *solver, rv_column_set *columns, bool terrain)
{
    rv_column_set now = world->columns;
    world->columns = *columns;
    if (solver) world->api->destroy(solver);
    if (terrain) rv_columns_free(&world->columns);
    world->columns = now;
}

static void put_back(rv_world *world, beside *old)
{
    rv_column_set columns = world->columns;
    rv_solver *solver = world->solver;
    rv_snapshot_parts own = {0};
    bool other = old->terrain && columns.min != old->columns.min;
    if (solver != old->solver)
        drop_solver(world, solver, &columns, other);
    else if (other)
        rv_columns_free(&columns);
    world->columns = old->columns, world->solver = old->solver, world->params = old->own;
    open_own(old->safe, &own);
    if (old->terrain) (void)restore_field(world, &own); // its memory is there
    if (old->read) restore_state(world, &own);
    world->params = old->own;
    world->changes += RV_RECENT_EDITS + 1;
}

static rv_result restore_all(rv_world *world, const rv_snapshot_parts *p, bool same)
{
    beside old = {.own = world->params, .terrain = !same, .columns = world->columns};
    old.solver = world->solver;
    old.size = rv_world_kept_bytes(world, old.terrain);
    old.safe = rv_new(&world->allocator, old.size, 1);
    if (!old.safe || (old.terrain && !rv_terrain_reserve(world->terrain))) {
        rv_free(&world->allocator, old.safe, old.size, 1);
        return RV_OUT_OF_MEMORY;
    }
    rv_world_write(world, old.safe, old.terrain);
    rv_result r = restore_beside(world, p, &old);
    if (r == RV_OK) {
        drop_solver(world, old.solver, &old.columns, old.terrain);
        world->stale_feeds = true;
        world->edit.stale = (rv_rect){0, 0, 0, 0};
    } else {
        put_back(world, &old);
    }
    rv_free(&world->allocator, old.safe, old.size, 1);
    return r;
}

// ---- In place -----------------------------------------------------------------------------------

static bool same_borders(const rv_world *world, const rv_snapshot_header *h)
{
    const rv_params *p = &world->params;
    return h->border[0] == (int32_t)p->border_west && h->border[1] == (int32_t)p->border_east &&
           h->border[2] == (int32_t)p->border_south && h->border[3] == (int32_t)p->border_north;
}

static rv_result restore_in_place(rv_world *world, const rv_snapshot_parts *p)
{
    rv_keeping keeping =
        rv_world_keeping_of_edit(world) == RV_KEEP_NOTHING ? RV_KEEP_NOTHING : RV_KEEP_STATE;
    rv_result r = rv_world_begin(world, keeping);
    if (r != RV_OK) return r;
    r = fit_fields(world, p);
    if (r == RV_OK) {
        retouch(world, &p->head.touched);
        restore_state(world, p);
        rv_world_list_edges(world, &world->params); // for those who draw
    }
    return rv_world_end(world, r);
}

// The terrain of a world that is cut: field, columns and solver of the rows that are here, and of
// those that must be here with this terrain.
static rv_result recast_cut(rv_world *world, const rv_snapshot_parts *p)
{
    rv_messages unread = {0};
    rv_column_set old = world->columns, columns = {0};
    rv_solver *was = world->solver;
    bool more = false;
    rv_result r = rv_world_agree(world, restore_field(world, p));
    if (r == RV_OK)
        r = rv_world_agree(world, rv_terrain_columns(world->terrain, world->pool, &columns));
    if (r != RV_OK) {
        rv_columns_free(&columns);
        return r;
    }
    world->columns = columns;
    r = rv_world_share_field(world, &more);
    if (r == RV_OK && more) {
        rv_columns_free(&world->columns);
        r = rv_world_agree(world, rv_terrain_columns(world->terrain, world->pool, &world->columns));
    }
    world->solver = NULL;
    if (r == RV_OK) r = rv_world_agree(world, rv_world_make_solver(world, &world->solver, &unread));
    if (r != RV_OK) { // of no use, but a world without a solver could not even be asked
        columns = world->columns;
        drop_solver(world, world->solver, &columns, true);
        world->columns = old, world->solver = was;
        return r;
    }
    drop_solver(world, was, &old, true);
    world->stale_feeds = true, world->edit.stale = (rv_rect){0, 0, 0, 0};
    world->changes += RV_RECENT_EDITS + 1;
    return rv_world_fingerprint(world) == p->head.columns ? RV_OK : RV_BAD_DATA;
}

// There is no way back: ranks that fail are lost.
static rv_result restore_cut(rv_world *world, const rv_snapshot_parts *p)
{
    rv_result r = recast_cut(world, p);
    if (r == RV_OK) r = rv_world_agree(world, fit_fields(world, p));
    if (r != RV_OK) {
        world->cut->lost = true;
        return r;
    }
    restore_state(world, p);
    rv_world_list_edges(world, &world->params);
    return RV_OK;
}

static rv_result restore_parts(rv_world *world, const rv_snapshot_parts *p, bool same)
{
    if (same && (!world->api->columns || same_borders(world, &p->head)))
        return restore_in_place(world, p);
    // other borders are other pipes, and these are shared
    if (world->cut) return same_borders(world, &p->head) ? restore_cut(world, p) : RV_BAD_ARGUMENT;
    rv_result r = rv_world_begin(world, RV_KEEP_NOTHING);
    return r == RV_OK ? restore_all(world, p, same) : r;
}

rv_result rv_world_restore(rv_world *world, const void *buffer, size_t size, rv_messages *messages)
{
    rv_messages unread = {0};
    rv_snapshot_parts p;
    if (!messages) messages = &unread;
    if (!world || !buffer) {
        rv_messages_add(messages, "rv_world_restore: no world or no snapshot");
        return RV_BAD_ARGUMENT;
    }
    if (world->cut && world->cut->lost) return RV_RANK_LOST;
    memset(&p, 0, sizeof p);
    const char *why = rv_snapshot_open(world, buffer, size, &p);
    rv_result r = why ? RV_BAD_DATA : RV_OK;
    bool starved =
        !why && (!rv_live_room(world, p.live) || !rv_world_bodies_room(world, p.head.bodies) ||
                 !rv_world_spray_room(world, &world->params, p.head.droplets) ||
                 !rv_world_dew_room(world, p.head.dew));
    if (world->cut) starved = rv_cut_any(world->cut, starved);
    if (starved) {
        rv_messages_add(messages, "snapshot: not enough memory to restore it");
        return RV_OUT_OF_MEMORY;
    }
    bool edited = rv_terrain_is_edited(world->terrain);
    if (world->cut) edited = rv_cut_any(world->cut, edited);
    bool same = p.head.terrain_bytes == 0 && !edited && !has_movers(world);
    if (!why && world->cut)
        r = rv_world_reach_further(world, rv_world_bodies_rows(world, p.bodies, p.head.bodies));
    if (!why && r == RV_OK) r = restore_parts(world, &p, same);
    if (r == RV_OK && world->cut && world->cut->lost) return RV_RANK_LOST;
    if (r == RV_BAD_DATA)
        rv_messages_add(messages, "snapshot: %s",
                        why    ? why
                        : same ? "damaged, or of another build of the solver"
                               : "its terrain or liquid does not come out as it was saved");
    else if (r == RV_OUT_OF_MEMORY)
        rv_messages_add(messages, "snapshot: not enough memory to restore it");
    else if (r == RV_BAD_ARGUMENT)
        rv_messages_add(messages,
                        "snapshot: its borders are of other kinds than the scene's, which "
                        "cannot change while processes share the grid");
    return r;
}
