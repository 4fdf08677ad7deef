// A world: terrain, columns, one solver, sources and drains, stepped together (docs/pipes.md).
//
// A step of dt is divided into the equal substeps the solver needs; in each, bodies and air press
// on the liquid, the solver moves it, sources and drains act, then the bodies move; droplets fly
// once a step. What is in the world at any time, droplets and what is held included, is
//     first + sourced - drained + in over borders - out over borders
// where each term counts what was really added to or taken from a depth, in double precision.
#include "base/clock.h"
#include "rivulet/frame.h"
#include "world/world_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rv_world_def rv_default_world_def(void)
{
    rv_world_def def;
    memset(&def, 0, sizeof def);
    def.params = rv_default_params();
    def.allocator = rv_default_allocator();
    return def;
}

void rv_world_warn(const rv_world *world, const char *format, ...)
{
    char line[320];
    va_list arguments;
    if (!world->logger.write) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    world->logger.write(RV_LOG_WARNING, line, world->logger.user);
}

void rv_world_set_logger(rv_world *world, rv_logger logger)
{
    if (world) world->logger = logger;
}

// ---- Making and ending --------------------------------------------------------------------------

// The solids of one moving solid (0: of the terrain that stays), with all that is in their groups;
// returns how many.
static int pick_solids(const rv_world_def *def, int mover, rv_solid_def *out)
{
    int n = 0;
    for (int i = 0; i < def->solid_count;) {
        int all = 1 + (def->solids[i].shape == RV_SHAPE_GROUP ? def->solids[i].children : 0);
        if (def->solids[i].mover == mover) {
            memcpy(out + n, def->solids + i, (size_t)all * sizeof *out);
            n += all;
        }
        i += all;
    }
    return n;
}

// Puts the moving solids where they are at first, and casts the columns with them.
static rv_result add_movers(rv_world *world, const rv_world_def *def, rv_solid_def *solids)
{
    bool any = false;
    for (int m = 1; m <= RV_MOVERS_MAX; m++) {
        int count = pick_solids(def, m, solids);
        if (count == 0) continue;
        rv_terrain_change change;
        rv_result r = rv_terrain_add_mover(world->terrain, m, solids, count, world->pool);
        rv_motion motion = rv_world_motion(world, m, 0);
        if (r == RV_OK) r = rv_terrain_move(world->terrain, m, &motion, world->pool, &change);
        world->stands[m - 1] = motion;
        if (r != RV_OK) return r;
        any = true;
    }
    if (!any) return RV_OK;
    rv_columns_free(&world->columns);
    return rv_terrain_columns(world->terrain, world->pool, &world->columns);
}

// A pane is flat and has its own frame: nothing stands on it.
static rv_result make_pane(rv_world *world, const rv_grid *grid)
{
    size_t cells = (size_t)grid->nx * (size_t)grid->ny;
    float *heights = rv_new(&world->allocator, cells, sizeof *heights);
    if (!heights) return RV_OUT_OF_MEMORY;
    for (size_t i = 0; i < cells; i++) heights[i] = (float)grid->bottom;
    rv_result r =
        rv_columns_from_heights(&world->columns, grid, heights, world->pool, &world->allocator);
    rv_free(&world->allocator, heights, cells, sizeof *heights);
    return r;
}

static rv_result cast_columns(rv_world *world, const rv_world_def *def)
{
    rv_grid grid = rv_grid_of(&def->params);
    grid.cut = world->cut;
    if (def->heights)
        return rv_columns_from_heights(&world->columns, &grid, def->heights, world->pool,
                                       &world->allocator);
    if (world->traits.on_pane) return make_pane(world, &grid);
    size_t room = (size_t)def->solid_count;
    rv_solid_def *solids = rv_new(&world->allocator, room, sizeof *solids);
    if (!solids) return RV_OUT_OF_MEMORY;
    int still = pick_solids(def, 0, solids);
    rv_result r = rv_terrain_build(solids, still, &grid, def->params.terrain_keep, world->pool,
                                   &world->allocator, def->progress, def->progress_user,
                                   &world->terrain, &world->columns);
    if (r == RV_OK && world->terrain) r = add_movers(world, def, solids);
    rv_free(&world->allocator, solids, room, sizeof *solids);
    return r;
}

static rv_result make_columns(rv_world *world, const rv_world_def *def)
{
    rv_result r = cast_columns(world, def);
    if (r != RV_OK || !world->cut || !rv_world_cut_again(world)) return r;
    rv_columns_free(&world->columns);
    rv_terrain_free(world->terrain);
    world->terrain = NULL;
    return cast_columns(world, def);
}

static rv_result make_exchange(rv_world *world, const rv_world_def *def)
{
    rv_result r = rv_live_make(world, RV_SOURCES, def->sources, def->source_count);
    if (r == RV_OK) r = rv_live_make(world, RV_DRAINS, def->drains, def->drain_count);
    for (int i = 0; i < world->source_count && r == RV_OK; i++)
        r = rv_feed_find(world, &world->sources[i].feed, def->sources[i].at,
                         def->sources[i].radius);
    for (int i = 0; i < world->drain_count && r == RV_OK; i++)
        r = rv_drain_find(world, &world->drains[i]);
    return r == RV_OK ? rv_inflow_find(world) : r;
}

// A source that can never feed anything is a mistake in the scene, and cheap to tell.
static bool check_reach(const rv_world *world, rv_messages *messages)
{
    bool good = true;
    for (int i = 0; i < world->source_count; i++) {
        if (world->sources[i].feed.disk > 0) continue;
        rv_messages_add(messages, "sources[%d].at: no column of the grid lies below it", i);
        good = false;
    }
    return good;
}

static rv_result fill(rv_world *world, const rv_world_def *def)
{
    rv_solver_stats stats;
    rv_result r = rv_world_fill(world, def->fills, def->fill_count);
    if (r != RV_OK) return r;
    rv_world_first_particles(world);
    world->api->changed(world->solver);
    if (world->api->bulk) world->each = world->api->bulk->each(world->solver);
    world->api->measure(world->solver, &stats);
    world->counters.first = stats.volume + rv_spray_volume(&world->spray);
    world->counters.unplaced = 0;
    return RV_OK;
}

rv_result rv_world_make_solver(rv_world *world, rv_solver **out, rv_messages *messages)
{
    const rv_solver_setup setup = {.columns = &world->columns,
                                   .terrain = world->terrain,
                                   .params = &world->params,
                                   .pool = world->pool,
                                   .allocator = &world->allocator,
                                   .kept = world->kept,
                                   .device = world->device,
                                   .messages = messages};
    return world->api->create(&setup, out);
}

// Terrain of solids tells itself how far it is; of heights it is what follows that takes long.
static void tell(const rv_world_def *def, double share)
{
    if (def->heights && def->progress) def->progress(share, def->progress_user);
}

static rv_result make(rv_world *world, const rv_world_def *def, rv_messages *messages)
{
    rv_result r = rv_world_cut(world, def, messages);
    if (r == RV_OK) r = rv_events_copy(world, def->events, def->event_count);
    if (r == RV_OK) r = rv_world_copy_emitters(world, def);
    if (r == RV_OK) r = world->api->keep(def, &world->kept);
    if (r == RV_OK) r = make_columns(world, def);
    if (r != RV_OK) return r;
    tell(def, 0.2);
    world->born = rv_world_fingerprint(world);
    if (world->columns.dropped > 0)
        rv_world_warn(world, "solids: %lld columns above the %dth of their cells were left out",
                      (long long)world->columns.dropped, RV_LAYERS_MAX);
    r = rv_world_make_solver(world, &world->solver, messages);
    if (r != RV_OK) return r;
    tell(def, 0.8);
    r = make_exchange(world, def);
    if (r != RV_OK) return r;
    if (!check_reach(world, messages)) return RV_BAD_ARGUMENT;
    if (!rv_world_spray_room(world, &world->params, 0)) return RV_OUT_OF_MEMORY;
    if (!rv_world_dew_room(world, 0)) return RV_OUT_OF_MEMORY;
    rv_world_make_dew(world);
    r = fill(world, def);
    if (r != RV_OK) return r;
    tell(def, 1);
    return rv_world_make_bodies(world, def->bodies, def->body_count);
}

rv_result rv_world_create(const rv_world_def *def, rv_world **out, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (out) *out = NULL;
    if (!def || !out) {
        rv_messages_add(messages, "rv_world_create: no definition or no place for the world");
        return RV_BAD_ARGUMENT;
    }
    if (!rv_instructions_check(messages) || !rv_world_check(def, messages)) return RV_BAD_ARGUMENT;
    rv_world *world = rv_new(&def->allocator, 1, sizeof *world);
    rv_result r = RV_OUT_OF_MEMORY;
    if (world) {
        rv_world_open_purse(world, &def->allocator);
        world->logger = def->logger;
        world->made = rv_wall_ms();
        world->pool = def->pool, world->params = def->params;
        world->device = def->device;
        world->given = def->params.gravity;
        world->bodies.allocator = world->allocator, world->bodies.pool = def->pool;
        world->spray.allocator = world->allocator;
        world->dew.allocator = world->allocator;
        world->api = rv_solver_find(def->params.solver);
        world->traits = world->api->traits(&def->params);
        r = make(world, def, messages);
        // what could be done without for now would be missing later
        if (r == RV_OK && rv_world_was_refused(world)) r = RV_OUT_OF_MEMORY;
    }
    if (r == RV_OUT_OF_MEMORY && messages->count == 0)
        rv_messages_add(messages, "grid.nx: not enough memory for %d x %d cells",
                        def->params.grid_nx, def->params.grid_ny);
    if (r != RV_OK)
        rv_world_destroy(world);
    else
        *out = world;
    return r;
}

void rv_world_destroy(rv_world *world)
{
    if (!world) return;
    rv_allocator a = world->allocator, host = world->purse.host;
    rv_share_free(world);
    rv_undo_free(world);
    rv_live_free(world);
    rv_press_free(world);
    rv_inflow_free(world, &world->inflow);
    rv_later_free(world);
    rv_feed_free(world, &world->poured);
    rv_events_free(world);
    rv_edit_work_free(world);
    rv_free(&a, world->carried, (size_t)world->carried_room, sizeof *world->carried);
    rv_bodies_free(&world->bodies);
    rv_spray_free(&world->spray);
    rv_dew_free(&world->dew);
    rv_free(&a, world->falls, (size_t)world->fall_room, sizeof *world->falls);
    rv_landing_free(world);
    rv_free(&world->allocator, world->looked, (size_t)world->looked_room, sizeof *world->looked);
    if (world->solver) world->api->destroy(world->solver);
    world->api->drop(&a, world->kept);
    rv_columns_free(&world->columns);
    rv_terrain_free(world->terrain);
    rv_cut_free(world->cut);
    rv_free(&host, world, 1, sizeof *world);
}

// ---- Stepping -----------------------------------------------------------------------------------

static rv_result step(rv_world *world, double dt)
{
    double start = world->counters.time;
    rv_result r = rv_world_events(world, start, dt);
    if (r != RV_OK) return r;
    rv_world_turn_gravity(world, start, dt);
    rv_place_held(world);
    r = rv_world_share_air(world, dt);
    if (r != RV_OK) return r;
    bool bodies = rv_world_begin_bodies(world, start), spray = rv_world_begin_spray(world);
    bool lands = rv_world_begin_landing(world, dt);
    bool pressed = rv_world_begin_press(world, start, dt) || lands;
    // columns under a body are stiffer than free ones
    double stiff = bodies && !rv_carries_bodies(world) ? RV_BODY_SUBSTEPS : 1;
    int n = world->api->substeps(world->solver, dt * stiff);
    if (n < 1) n = 1;
    double part = dt / n;
    bool taken = false;
    rv_world_begin_later(world, start, dt, spray, bodies || pressed);
    for (int i = 0; i < n; i++) {
        if (bodies) rv_world_press_bodies(world, part);
        if (pressed && !bodies) rv_world_set_heads(world, NULL);
        if (pressed) rv_world_blow(world, part);
        world->api->substep(world->solver, part);
        if (rv_world_ask_later(world, i, part)) continue;
        if (spray) taken = rv_world_fall(world, part, i * part, dt) || taken;
        taken = rv_world_exchange(world, start + i * part, part) || taken;
        if (lands) rv_world_land(world, n, part);
        rv_world_emit(world, start + i * part, part);
        if (bodies) rv_world_move_bodies(world, part);
    }
    taken = rv_world_end_later(world) || taken;
    if (bodies) rv_world_end_bodies(world, dt);
    if (lands) rv_world_end_landing(world);
    if (pressed) world->api->columns->press(world->solver, NULL, (rv_rect){0, 0, 0, 0});
    if (spray) taken = rv_world_end_spray(world, dt, bodies) || taken;
    rv_world_step_dew(world, dt);
    // add() keeps up with what is given; what was taken may have lowered the greatest depth, from
    // which the next step's substeps follow, and a restored world would know
    if (taken) world->api->changed(world->solver);
    world->counters.time = start + dt;
    world->counters.steps++;
    world->substeps = n;
    world->all_substeps += n;
    return RV_OK;
}

rv_result rv_world_step(rv_world *world, double dt)
{
    if (!world || !(dt > 0) || !isfinite(dt)) return RV_BAD_ARGUMENT;
    double began = rv_wall_ms();
    rv_result r = rv_world_begin(world, rv_world_keeping(world, world->counters.time, dt));
    if (r == RV_OK) r = rv_world_end(world, step(world, dt));
    if (r != RV_OK) return r;
    world->stirred = false;
    if (world->share) rv_world_publish(world); // what it missed, frames tell
    world->ms = rv_wall_ms() - began;
    if (world->cut && world->cut->lost) return RV_RANK_LOST;
    if (world->device && world->api->columns) return world->api->columns->trouble(world->solver);
    return world->api->bulk ? world->api->bulk->trouble(world->solver) : RV_OK;
}

static double pour(rv_world *world, rv_vec3 at, double radius, double volume)
{
    double owed = 0;
    if (rv_feed_find(world, &world->poured, at, radius) != RV_OK || world->poured.disk == 0)
        return 0;
    double poured = rv_feed_give(world, &world->poured, volume, &owed);
    world->counters.sourced += poured;
    world->api->changed(world->solver);
    return poured;
}

double rv_world_pour(rv_world *world, rv_vec3 at, double radius, double volume)
{
    if (!world || !(radius >= 0) || !(volume > 0) || !isfinite(radius) || !isfinite(volume))
        return 0;
    if (!isfinite(at.x) || !isfinite(at.y) || isnan(at.z)) return 0;
    if (world->traits.on_pane) return rv_world_place_drop(world, at, volume);
    bool keeps = rv_world_keeping_of_edit(world) != RV_KEEP_NOTHING;
    if (rv_world_begin(world, keeps ? RV_KEEP_STATE : RV_KEEP_NOTHING) != RV_OK) return 0;
    double poured = pour(world, at, radius, volume);
    return rv_world_end(world, RV_OK) == RV_OK ? poured : 0;
}

rv_result rv_world_paint(rv_world *world, rv_vec3 at, double radius, double affinity)
{
    if (!world || !(radius >= 0) || !isfinite(radius) || !(affinity >= 0 && affinity <= 1))
        return RV_BAD_ARGUMENT;
    if (!isfinite(at.x) || !isfinite(at.y) || !world->api->columns) return RV_BAD_ARGUMENT;
    bool good = world->api->columns->paint(world->solver, at.x, at.y, radius, affinity);
    return good ? RV_OK : RV_BAD_ARGUMENT;
}

// ---- Changing while running ---------------------------------------------------------------------

const rv_params *rv_world_params(const rv_world *world)
{
    return world ? &world->params : NULL;
}

rv_result rv_world_set_params(rv_world *world, const rv_params *params, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!world || !params) {
        rv_messages_add(messages, "rv_world_set_params: no world or no parameters");
        return RV_BAD_ARGUMENT;
    }
    const rv_table *table = rv_params_table();
    bool good = rv_table_check(table, params, "", messages);
    for (int i = 0; i < table->count; i++) {
        const rv_field_info *field = &table->fields[i];
        if (!field->fixed || rv_field_same(field, &world->params, params)) continue;
        rv_messages_add(messages, "%s: cannot change while the world lives", field->key);
        good = false;
    }
    if (good) good = world->api->check(params, NULL, messages);
    if (good) good = rv_world_stays_cut(world, params, messages);
    if (good) good = rv_world_check_dew_sizes(params, messages);
    if (!good || !rv_world_check_spray(params, messages)) return RV_BAD_ARGUMENT;
    if (!rv_world_spray_room(world, params, 0)) {
        rv_messages_add(messages, "spray.droplets: not enough memory for %d",
                        params->spray_droplets);
        return RV_OUT_OF_MEMORY;
    }
    if (!rv_same_borders(&world->params, params) && world->api->columns &&
        world->api->columns->set_borders(world->solver, params) != RV_OK) {
        rv_messages_add(messages, "border: not enough memory to change it");
        return RV_OUT_OF_MEMORY;
    }
    if (params->view_material != world->params.view_material)
        world->changes += RV_RECENT_EDITS + 1; // all of the terrain may look different
    if (memcmp(&world->params.gravity, &params->gravity, sizeof params->gravity) != 0)
        world->given = params->gravity, world->given_at = world->counters.time;
    world->params = *params;
    rv_world_find_feet(world);
    world->api->set_params(world->solver, params);
    return RV_OK;
}

// ---- What it knows ------------------------------------------------------------------------------

static void fill_counters(const rv_world *world, const rv_solver_stats *s, rv_stats *out)
{
    const rv_counters *c = &world->counters;
    *out = (rv_stats){
        .time = c->time,
        .steps = c->steps,
        .sourced = c->sourced + c->border_in + s->border_in,
        .drained = c->drained + c->border_out + s->border_out,
        .held = c->held + s->held,
        .displaced = c->displaced,
        .edits = c->edits,
        .substeps = world->substeps,
        .all_substeps = world->all_substeps,
        .passages = s->passages,
        .iterations = s->iterations,
        .on_cpu = s->on_cpu,
        .clipped = c->clipped + s->clipped,
        .unsolved = c->unsolved + s->unsolved,
        .unplaced = c->unplaced,
        .not_finite = c->not_finite + s->not_finite,
        .bodies = rv_world_count_bodies(world),
        .droplets = world->spray.count,
        .refused = world->spray.refused,
        .dew_drops = world->dew.count,
        .dew_refused = world->dew.refused,
        .ms = world->ms,
    };
}

rv_result rv_world_get_counters(const rv_world *world, rv_stats *out)
{
    if (!world || !out) return RV_BAD_ARGUMENT;
    rv_solver_stats s;
    world->api->counters(world->solver, &s);
    fill_counters(world, &s, out);
    return RV_OK;
}

rv_result rv_world_get_stats(const rv_world *world, rv_stats *out)
{
    if (!world || !out) return RV_BAD_ARGUMENT;
    rv_solver_stats s;
    world->api->measure(world->solver, &s);
    fill_counters(world, &s, out);
    out->volume = s.volume, out->wet = s.wet, out->flooded = s.flooded;
    out->deepest = s.deepest, out->fastest = s.fastest;
    out->airborne = rv_spray_volume(&world->spray) + s.airborne;
    out->dew = rv_dew_volume(&world->dew);
    out->kinetic = s.kinetic, out->potential = s.potential;
    rv_world_spray_energy(world, &out->kinetic, &out->potential);
    rv_world_dew_energy(world, &out->kinetic, &out->potential);
    return RV_OK;
}

rv_result rv_world_get_info(const rv_world *world, rv_world_info *out)
{
    if (!world || !out) return RV_BAD_ARGUMENT;
    rv_solver_info info;
    world->api->info(world->solver, &info);
    *out = (rv_world_info){
        .columns = world->columns.columns,
        .pipes = info.pipes,
        .odd = info.odd,
        .bytes = info.bytes + world->columns.slots * 3 * sizeof(float),
        .terrain_bytes = world->terrain ? rv_terrain_bytes(world->terrain) : 0,
        .changes = world->changes,
        .instructions = info.instructions,
        .made = world->made,
    };
    for (int n = 0; n <= RV_LAYERS_MAX; n++) {
        out->cells_with[n] = world->columns.cells_with[n];
        if (out->cells_with[n] > 0) out->layers = n;
    }
    return RV_OK;
}

rv_result rv_world_get_beds(const rv_world *world, rv_columns *out)
{
    if (!world || !out) return RV_BAD_ARGUMENT;
    const rv_column_set *set = &world->columns;
    *out = (rv_columns){
        .nx = set->grid.nx,
        .ny = set->grid.ny,
        .dx = set->grid.dx,
        .x0 = set->grid.x0,
        .y0 = set->grid.y0,
        .bottom = set->grid.bottom,
        .top = set->grid.top,
        .planes = set->planes,
        .plane = set->plane,
        .slots = set->slots,
        .min = set->min,
        .base = set->base,
        .max = set->max,
    };
    return RV_OK;
}

bool rv_world_liquid_on_card(const rv_world *world, rv_card_liquid *out)
{
    const rv_solver_api *api = world->api;
    if (api->columns) return api->columns->on_card(world->solver, out);
    return api->bulk && api->bulk->columns_on_card(world->solver, out);
}

uint32_t rv_world_card_depth(const rv_world *world)
{
    rv_card_liquid liquid;
    if (!world || !rv_world_liquid_on_card(world, &liquid)) return 0;
    const rv_device *d = liquid.device;
    if (!d->name_of) return 0;
    if (d->shown) d->shown(d->user);
    return d->name_of(d->user, liquid.depth);
}

rv_result rv_world_get_columns(const rv_world *world, rv_columns *out)
{
    rv_result result = rv_world_get_beds(world, out);
    if (result != RV_OK) return result;
    rv_liquid view = rv_world_view(world);
    out->depth = view.depth, out->flux_x = view.flux_x, out->flux_y = view.flux_y;
    out->speed_x = view.speed_x, out->speed_y = view.speed_y, out->full = view.full;
    out->affinity = world->api->columns ? world->api->columns->affinity(world->solver) : NULL;
    return RV_OK;
}

void rv_world_get_column_velocity(const rv_world *world, size_t slot, float out[2])
{
    if (!out) return;
    out[0] = out[1] = 0.0f;
    if (!world || slot >= world->columns.slots || !rv_column_exists(&world->columns, slot)) return;
    world->api->velocity(world->solver, slot, out);
}
