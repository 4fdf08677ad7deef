// Changing the terrain while liquid is on it (docs/terrain.md): the field is changed, the cells it
// touches are cast again, and those whose columns came out different are replaced, with their
// liquid and their pipes.
#include "world/world_internal.h"

#include <string.h>

void rv_edit_work_free(rv_world *world)
{
    const rv_allocator *a = &world->allocator;
    rv_edit_work *w = &world->edit;
    rv_free(a, w->change, (size_t)w->change_room, sizeof *w->change);
    rv_free(a, w->before, (size_t)w->before_room, sizeof *w->before);
    rv_free(a, w->after, (size_t)w->after_room, sizeof *w->after);
    rv_free(a, w->pushed, (size_t)w->pushed_room, sizeof *w->pushed);
    rv_free(a, w->rests, (size_t)w->rest_room, sizeof *w->rests);
    rv_rings_free(world);
    rv_free(a, w->first, (size_t)w->first_room, sizeof *w->first);
    rv_free(a, w->lifted, (size_t)w->lifted_room, sizeof *w->lifted);
    rv_free(a, w->ring, (size_t)w->ring_room, sizeof *w->ring);
    rv_free(a, w->seen, w->seen_room, sizeof *w->seen);
    rv_free(a, w->way, (size_t)w->way_room, sizeof *w->way);
    rv_free(a, w->stack, (size_t)w->stack_room, sizeof *w->stack);
    rv_free(a, w->other, (size_t)w->other_room, sizeof *w->other);
}

// ---- Finding what changed -----------------------------------------------------------------------

static bool same_columns(float (*a)[3], float (*b)[3], int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (a[i][k] != b[i][k]) return false;
    return true;
}

static bool add_change(rv_world *world, int x, int y, const rv_stack *now, const float (*was)[3],
                       int before)
{
    rv_edit_work *w = &world->edit;
    int n = w->change_count;
    if (!rv_array_grow(&world->allocator, &w->change, &w->change_room, n + 1, sizeof *w->change) ||
        !rv_array_grow(&world->allocator, &w->before, &w->before_room, n + 1, sizeof *w->before) ||
        !rv_array_grow(&world->allocator, &w->after, &w->after_room, n + 1, sizeof *w->after))
        return false;
    w->change[n] = (rv_cell_change){.x = x, .y = y, .before = before, .after = now->count};
    memcpy(w->before[n], was, (size_t)before * sizeof *was);
    memcpy(w->after[n], now->column, (size_t)now->count * sizeof *was);
    w->change_count++;
    return true;
}

typedef struct casting {
    const rv_world *world;
    rv_rect cells;
    rv_stack *stack; // of each cell
    uint8_t *other;  // its columns are not those it had
} casting;

static void cast_row(void *context, int row)
{
    const casting *c = context;
    int width = c->cells.x1 - c->cells.x0;
    for (int x = 0; x < width; x++) {
        size_t i = (size_t)row * (size_t)width + (size_t)x;
        rv_stack *now = &c->stack[i];
        rv_cell_columns was;
        rv_terrain_cast_cell(c->world->terrain, c->cells.x0 + x, c->cells.y0 + row, now);
        int before = rv_columns_get(&c->world->columns, c->cells.x0 + x, c->cells.y0 + row, was);
        c->other[i] = before != now->count || !same_columns(was, now->column, before);
    }
}

#define CELLS_WORTH_THREADS 512

// Of the rows that are here.
static rv_result find_changes(rv_world *world, rv_rect cells)
{
    rv_edit_work *w = &world->edit;
    rv_rows rows = rv_rows_both((rv_rows){cells.y0, cells.y1}, rv_grid_kept(&world->columns.grid));
    cells.y0 = rows.from, cells.y1 = rows.to;
    int width = cells.x1 - cells.x0, height = cells.y1 - cells.y0;
    int64_t count = (int64_t)width * height;
    w->change_count = 0;
    if (count == 0) return RV_OK;
    if (!rv_array_grow(&world->allocator, &w->stack, &w->stack_room, count, sizeof *w->stack) ||
        !rv_array_grow(&world->allocator, &w->other, &w->other_room, count, sizeof *w->other))
        return RV_OUT_OF_MEMORY;
    casting c = {world, cells, w->stack, w->other};
    rv_parallel_for(count < CELLS_WORTH_THREADS ? NULL : world->pool, height, cast_row, &c);
    for (int64_t i = 0; i < count; i++) {
        if (!w->other[i]) continue;
        int x = cells.x0 + (int)(i % width), y = cells.y0 + (int)(i / width);
        rv_cell_columns was;
        int before = rv_columns_get(&world->columns, x, y, was);
        if (!add_change(world, x, y, &w->stack[i], (const float(*)[3])was, before))
            return RV_OUT_OF_MEMORY;
    }
    return RV_OK;
}

// ---- Slots for them -----------------------------------------------------------------------------

// Lays the columns out anew where a changed cell has a layer that its plane does not reach.
static rv_result ensure_slots(rv_world *world)
{
    rv_column_set *set = &world->columns, old;
    rv_rect need[RV_LAYERS_MAX] = {{0, 0, 0, 0}};
    bool fits = true;
    for (int i = 0; i < world->edit.change_count; i++) {
        const rv_cell_change *c = &world->edit.change[i];
        for (int l = 0; l < c->after; l++) {
            need[l] = rv_rect_join(need[l], (rv_rect){c->x, c->y, c->x + 1, c->y + 1});
            fits = fits && l < set->planes && rv_plane_has(&set->plane[l], c->x, c->y);
        }
    }
    if (world->cut) fits = !rv_cut_any(world->cut, !fits);
    if (fits) return RV_OK;
    rv_result r = rv_columns_widen(set, need, &old);
    bool wider = r == RV_OK;
    r = rv_world_agree(world, r);
    if (r == RV_OK) r = world->api->ground->relaid(world->solver, &old);
    if (r == RV_OK) {
        world->stale_feeds = true;
        rv_columns_free(&old);
    } else if (wider) {
        rv_columns_free(set);
        *set = old;
    }
    return r;
}

static void put_columns(rv_world *world, rv_cell_columns *columns, bool after)
{
    for (int i = 0; i < world->edit.change_count; i++) {
        const rv_cell_change *c = &world->edit.change[i];
        rv_columns_put(&world->columns, c->x, c->y, (const float(*)[3])columns[i],
                       after ? c->after : c->before);
    }
}

// How many columns there are: with a cut, on all ranks.
static void recount(rv_world *world)
{
    const rv_edit_work *w = &world->edit;
    rv_column_set *set = &world->columns, before = *set;
    int64_t change[RV_LAYERS_MAX + 2];
    for (int i = 0; i < w->change_count; i++)
        if (rv_edit_owns(world, i))
            rv_columns_recount(set, w->change[i].before, w->change[i].after);
    if (!world->cut) return;
    change[RV_LAYERS_MAX + 1] = set->columns - before.columns;
    for (int k = 0; k <= RV_LAYERS_MAX; k++) change[k] = set->cells_with[k] - before.cells_with[k];
    rv_cut_sum(world->cut, change, RV_LAYERS_MAX + 2);
    set->columns = before.columns + change[RV_LAYERS_MAX + 1];
    for (int k = 0; k <= RV_LAYERS_MAX; k++) set->cells_with[k] = before.cells_with[k] + change[k];
}

static rv_result replace_columns(rv_world *world)
{
    rv_edit_work *w = &world->edit;
    put_columns(world, w->after, true);
    rv_result r = world->api->ground->edited(world->solver, w->change, w->change_count);
    if (r != RV_OK) {
        put_columns(world, w->before, false);
        return r;
    }
    recount(world);
    world->stale_feeds = world->undo.recast = true;
    return RV_OK;
}

// ---- The change ---------------------------------------------------------------------------------

// Particles go out of the way by themselves, where it is not far.
static rv_result take_buried(rv_world *world, double *rest)
{
    bool buried = world->traits.gets_buried;
    world->edit.pushed_count = 0, *rest = 0;
    for (int i = 0; buried && i < world->edit.change_count; i++)
        if (!rv_take_buried(world, i)) return RV_OUT_OF_MEMORY;
    return RV_OK;
}

// On all ranks.
static int64_t count_changes(rv_world *world)
{
    int64_t count = 0;
    for (int i = 0; i < world->edit.change_count; i++) count += rv_edit_owns(world, i);
    if (world->cut) rv_cut_sum(world->cut, &count, 1);
    return count;
}

// Divides the liquid of all changed cells among their new columns, and evens out how that lifts it.
// With a cut a rank does so for all rows that it has, and tells what is pushed from its own.
static rv_result divide(rv_world *world, rv_rect cells, double *rest)
{
    rv_edit_work *w = &world->edit;
    rv_result r = RV_OK;
    w->pushed_count = w->rest_count = 0;
    for (int i = 0; i < w->change_count && r == RV_OK; i++) {
        w->foreign = !rv_edit_owns(world, i);
        if (!rv_divide_liquid(world, i, rest)) r = RV_OUT_OF_MEMORY;
    }
    w->foreign = false;
    if (world->cut) r = rv_edit_join(world, 0, rest, r);
    int first = w->pushed_count;
    if (r != RV_OK || !world->api->columns) return r;
    if (!rv_even_lifts(world, cells, rest)) r = RV_OUT_OF_MEMORY;
    w->foreign = false;
    return world->cut ? rv_edit_join(world, first, rest, r) : r;
}

static rv_result change_columns(rv_world *world, rv_rect cells, rv_edit_report *report)
{
    rv_edit_work *w = &world->edit;
    double rest = 0, pushed = 0, area = world->params.grid_dx * world->params.grid_dx;
    if (world->cut) world->api->columns->ready(world->solver);
    rv_result r = rv_world_agree(world, find_changes(world, cells));
    int64_t changed = count_changes(world);
    report->cells += (int64_t)(cells.x1 - cells.x0) * (cells.y1 - cells.y0);
    if (r != RV_OK || changed == 0) return r;
    r = ensure_slots(world);
    if (r == RV_OK) r = divide(world, cells, &rest);
    if (r != RV_OK) return r;
    if (world->api->bulk) r = take_buried(world, &rest);
    if (r == RV_OK) r = replace_columns(world);
    for (int i = 0; r != RV_OK && world->api->bulk && i < w->pushed_count; i++)
        world->counters.held += w->pushed[i].depth * area; // it was taken
    if (r != RV_OK) return r;
    world->counters.held += rest * area; // what rounding took
    r = rv_place_pushed(world, cells, &pushed);
    report->changed += changed;
    report->displaced += pushed;
    world->counters.displaced += pushed;
    return r;
}

// What is seen of the terrain besides columns: a solid that turns in itself changes none, but how
// it wets; one that moves between lines of sight, or beside the grid, only how far away it is.
static void see_terrain(rv_world *world, rv_rect cells, rv_box box)
{
    if (world->api->columns) world->api->columns->rewet(world->solver, cells);
    if (!world->api->ground->reshaped) return;
    world->api->ground->reshaped(world->solver, &box);
    world->undo.recast = true;
}

rv_result rv_world_recast(rv_world *world, rv_rect cells, rv_edit_report *report)
{
    cells = rv_rect_join(cells, world->edit.stale);
    world->edit.stale = cells;
    rv_result r = change_columns(world, cells, report);
    if (r == RV_OK) world->edit.stale = (rv_rect){0, 0, 0, 0};
    if (r == RV_OK) see_terrain(world, cells, rv_terrain_touched(world->terrain));
    if (r == RV_OK && world->cut) r = rv_world_share_more(world);
    world->edit.recent[world->changes++ % RV_RECENT_EDITS] = cells;
    world->counters.edits++;
    if (r == RV_OK && world->dew.count > 0) rv_world_follow_dew(world, cells);
    report->held = world->counters.held;
    return r;
}

rv_result rv_world_cast_back(rv_world *world, rv_rect cells)
{
    rv_edit_work *w = &world->edit;
    rv_result r = find_changes(world, cells);
    if (r == RV_OK && w->change_count == 0) see_terrain(world, cells, RV_BOX_OF_ALL);
    if (r != RV_OK || w->change_count == 0) return r;
    for (int i = 0; i < w->change_count; i++) {
        memset(w->change[i].to, -1, sizeof w->change[i].to);
        memset(w->change[i].depth, 0, sizeof w->change[i].depth);
    }
    r = replace_columns(world);
    if (r == RV_OK) see_terrain(world, cells, RV_BOX_OF_ALL);
    return r;
}

bool rv_changes_since(const rv_world *world, int64_t then, rv_rect *cells)
{
    *cells = (rv_rect){0, 0, 0, 0};
    if (then < 0 || then > world->changes || world->changes - then > RV_RECENT_EDITS) return false;
    for (int64_t i = then; i < world->changes; i++)
        *cells = rv_rect_join(*cells, world->edit.recent[i % RV_RECENT_EDITS]);
    return true;
}

// Whether ranks have other fields now, since one of them had no memory to change its own: there is
// no way back, and what the others would cast again it does not know of.
static bool fields_part(rv_world *world, rv_result r)
{
    if (world->cut && r != RV_OK) world->cut->lost = true;
    return world->cut && r != RV_OK;
}

rv_result rv_world_carve(rv_world *world, const rv_event_def *edit, const rv_vec3 *path, int points,
                         rv_edit_report *report)
{
    rv_edit_report unread;
    rv_terrain_change change;
    if (!report) report = &unread;
    *report = (rv_edit_report){0};
    rv_result r = rv_world_agree(
        world, rv_terrain_edit(world->terrain, edit->tool, edit->tool_count, path, points,
                               edit->kind == RV_EVENT_CARVE, world->pool, &change));
    if (fields_part(world, r)) return r;
    report->bricks = change.bricks;
    rv_result cast = rv_world_recast(world, change.cells, report);
    return r != RV_OK ? r : cast;
}

rv_result rv_world_place_mover(rv_world *world, int mover, double time, rv_edit_report *report)
{
    rv_edit_report unread;
    rv_terrain_change change;
    if (!report) report = &unread;
    *report = (rv_edit_report){0};
    rv_motion motion = rv_world_motion(world, mover, time);
    if (world->dew.count > 0) rv_world_mark_dew(world, mover);
    rv_result r = rv_world_agree(
        world, rv_terrain_move(world->terrain, mover, &motion, world->pool, &change));
    if (fields_part(world, r)) return r;
    if (r == RV_OK && world->dew.count > 0)
        rv_world_carry_dew(world, &world->stands[mover - 1], &motion);
    if (r == RV_OK) world->stands[mover - 1] = motion;
    report->bricks = change.bricks;
    rv_result cast = rv_world_recast(world, change.cells, report);
    return r != RV_OK ? r : cast;
}

// ---- From outside -------------------------------------------------------------------------------

static bool can_change(const rv_world *world, const char *what, rv_messages *messages)
{
    if (!world) {
        rv_messages_add(messages, "%s: no world", what);
        return false;
    }
    if (!world->api->ground) {
        rv_messages_add(messages, "%s: the ground of solver %s does not change", what,
                        world->api->name);
        return false;
    }
    if (world->terrain) return true;
    rv_messages_add(
        messages,
        "%s: this world's terrain has no field (made of heights, or terrain.keep is false)", what);
    return false;
}

rv_result rv_world_edit(rv_world *world, const rv_event_def *edit, rv_edit_report *report,
                        rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (report) *report = (rv_edit_report){0};
    if (!can_change(world, "rv_world_edit", messages)) return RV_BAD_ARGUMENT;
    if (!edit || edit->kind >= RV_EVENT_MOVE) {
        rv_messages_add(messages, "rv_world_edit: an edit carves or adds");
        return RV_BAD_ARGUMENT;
    }
    if (!rv_table_check(rv_event_table(), edit, "edit", messages) ||
        !rv_world_check_edit(edit, "edit", messages))
        return RV_BAD_ARGUMENT;
    rv_result r = rv_world_begin(world, rv_world_keeping_of_edit(world));
    if (r != RV_OK) return r;
    return rv_world_end(world, rv_world_carve(world, edit, edit->path, edit->path_count, report));
}

static bool finite3(rv_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

rv_result rv_world_move(rv_world *world, int mover, const rv_pose *pose, rv_edit_report *report,
                        rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (report) *report = (rv_edit_report){0};
    if (!can_change(world, "rv_world_move", messages)) return RV_BAD_ARGUMENT;
    if (!pose || !finite3(pose->shift) || !finite3(pose->rotate) || !finite3(pose->pivot)) {
        rv_messages_add(messages, "rv_world_move: no pose, or one that is not finite");
        return RV_BAD_ARGUMENT;
    }
    if (!rv_terrain_has_mover(world->terrain, mover)) {
        rv_messages_add(messages, "rv_world_move: no solid has mover %d", mover);
        return RV_BAD_ARGUMENT;
    }
    rv_result r = rv_world_begin(world, rv_world_keeping_of_edit(world));
    if (r != RV_OK) return r;
    world->pose[mover - 1] = *pose;
    r = rv_world_place_mover(world, mover, world->counters.time, report);
    return rv_world_end(world, r);
}
