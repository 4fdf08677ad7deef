// Going back when memory runs out: a call that cannot have what it asks for leaves the world as it
// was.
//
// Lists that grow are in every room of a world, and much has changed when one of them cannot. So
// nothing is undone piece by piece: a call that may ask for memory keeps the state first, as a
// snapshot has it, and takes it back when the host refused anything on the way, whoever asked.
// Terrain that was edited meanwhile goes back to its bricks, the cells that were cast again are
// cast once more, and their liquid comes with the state. Nothing of that should need more memory
// than there was; where it does, the world goes back at the next call that changes it.
#include "world/world_internal.h"

#include <string.h>

// ---- The host's allocator, and what it refused --------------------------------------------------

static void *purse_allocate(size_t bytes, void *user)
{
    rv_purse *purse = user;
    void *memory = purse->host.allocate(bytes, purse->host.user);
    if (!memory) atomic_store(&purse->refused, 1);
    return memory;
}

static void purse_release(void *memory, size_t bytes, void *user)
{
    rv_purse *purse = user;
    purse->host.release(memory, bytes, purse->host.user);
}

void rv_world_open_purse(rv_world *world, const rv_allocator *host)
{
    world->purse.host = *host;
    world->purse.own = host->allocate != rv_default_allocator().allocate;
    atomic_init(&world->purse.refused, 0);
    world->allocator = (rv_allocator){purse_allocate, purse_release, &world->purse};
}

bool rv_world_was_refused(const rv_world *world)
{
    return atomic_load(&world->purse.refused) != 0;
}

// ---- Keeping ------------------------------------------------------------------------------------

void rv_undo_free(rv_world *world)
{
    rv_free(&world->allocator, world->undo.bytes, world->undo.room, 1);
    world->undo.bytes = NULL, world->undo.room = 0;
}

// Room for the state, for all droplets there may be, and somewhat more: a warm step is to ask for
// nothing.
static bool make_room(rv_world *world, size_t size)
{
    rv_undo *u = &world->undo;
    size_t drops =
        rv_world_spray_bytes(world->spray.room) - rv_world_spray_bytes(world->spray.count) +
        rv_world_dew_bytes(world->dew.room) - rv_world_dew_bytes(world->dew.count);
    size_t room = size + size / 8 + drops;
    if (size <= u->room) return true;
    rv_undo_free(world);
    u->bytes = rv_new(&world->allocator, room, 1);
    if (u->bytes) u->room = room;
    return u->bytes != NULL;
}

rv_keeping rv_world_keeping(rv_world *world, double time, double dt)
{
    rv_growth growth = world->api->grows(world->solver);
    if (world->device || world->cut || growth == RV_GROWS_ELSEWHERE) return RV_KEEP_NOTHING;
    if (rv_world_has_events(world, time, dt)) return RV_KEEP_TERRAIN;
    // Keeping costs as much as a substep, and the C library hardly ever refuses: only a host that
    // counts its memory itself pays for it in every step.
    if (!world->purse.own) return RV_KEEP_NOTHING;
    bool lists = growth == RV_GROWS || world->bodies.count > 0 || world->params.spray_on ||
                 world->params.dew_on ||
                 world->press_count > 0 || world->emitter_count > 0 || world->counters.held != 0 ||
                 world->stale_feeds || rv_world_drips(world);
    return lists ? RV_KEEP_STATE : RV_KEEP_NOTHING;
}

rv_keeping rv_world_keeping_of_edit(rv_world *world)
{
    bool elsewhere = world->device || world->cut || world->api->grows(world->solver) == RV_GROWS_ELSEWHERE;
    return elsewhere ? RV_KEEP_NOTHING : RV_KEEP_TERRAIN;
}

static rv_result go_back(rv_world *world);

rv_result rv_world_begin(rv_world *world, rv_keeping keeping)
{
    rv_undo *u = &world->undo;
    if (world->cut && world->cut->lost) return RV_RANK_LOST; // nothing that follows is right
    if (u->owed && go_back(world) != RV_OK) return RV_OUT_OF_MEMORY;
    atomic_store(&world->purse.refused, 0);
    u->keeping = RV_KEEP_NOTHING;
    if (keeping == RV_KEEP_NOTHING) return RV_OK;
    bool terrain = keeping == RV_KEEP_TERRAIN;
    // what particles an edit moves first follows from their order, which is to be that of a world
    // that has gone back, or was restored
    if (terrain && world->api->bulk) world->api->restored(world->solver);
    if (!make_room(world, rv_world_kept_bytes(world, terrain)) ||
        (terrain && !rv_terrain_reserve(world->terrain)))
        return RV_OUT_OF_MEMORY;
    rv_world_write(world, u->bytes, terrain);
    u->keeping = keeping;
    u->params = world->params, u->given = world->given, u->given_at = world->given_at;
    u->changes = world->changes, u->stale = world->edit.stale;
    u->substeps = world->substeps, u->all_substeps = world->all_substeps;
    u->recast = false;
    return RV_OK;
}

// ---- Going back ---------------------------------------------------------------------------------

static rv_result put_terrain_back(rv_world *world)
{
    rv_undo *u = &world->undo;
    rv_rect all = {0, 0, world->columns.grid.nx, world->columns.grid.ny}, cells;
    rv_result r = rv_world_read_terrain(world, u->bytes);
    if (r != RV_OK || !u->recast) return r;
    if (!rv_changes_since(world, u->changes, &cells)) return rv_world_cast_back(world, all);
    for (int64_t i = world->changes; i > u->changes && r == RV_OK; i--)
        r = rv_world_cast_back(world, world->edit.recent[(i - 1) % RV_RECENT_EDITS]);
    return r;
}

static rv_result go_back(rv_world *world)
{
    rv_undo *u = &world->undo;
    rv_result r = RV_OK;
    u->owed = true;
    if (u->keeping == RV_KEEP_TERRAIN) r = put_terrain_back(world);
    if (r != RV_OK) return r;
    // an event may have turned gravity; first, since that wakes what may have slept
    bool turned = memcmp(&world->params.gravity, &u->params.gravity, sizeof u->params.gravity) != 0;
    world->params = u->params;
    if (turned) world->api->set_params(world->solver, &world->params);
    r = rv_world_read(world, u->bytes);
    if (r != RV_OK) return r;
    world->params = u->params, world->given = u->given, world->given_at = u->given_at;
    world->edit.stale = u->stale;
    world->substeps = u->substeps, world->all_substeps = u->all_substeps;
    if (world->stirred) world->api->stir(world->solver, &world->rod);
    u->owed = false;
    return RV_OK;
}

rv_result rv_world_end(rv_world *world, rv_result result)
{
    bool starved = rv_world_was_refused(world) || result == RV_OUT_OF_MEMORY;
    if (!starved) return result;
    if (world->undo.keeping != RV_KEEP_NOTHING) (void)go_back(world); // or later
    return RV_OUT_OF_MEMORY;
}
