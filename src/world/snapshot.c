// Saving snapshots, in memory; snapshot_read.c finds their parts again, restore.c takes them.
//
// A snapshot is a header, the world's counters, where moving solids were put, what sources and
// drains owe, which of them the host changed while the world ran, the bodies, the droplets, the
// drops on solids, the bricks of the field that were edited, then each state field of the solver
// with its name and length, and a checksum over all of it. Fields by slot hold the columns that
// exist, cell by cell, however they are laid out. The header carries a fingerprint of the columns
// the world was made with, so the state of one terrain is refused by another, and one of the
// columns as edited. Parameters belong to the definition and stay as the restoring world has them,
// and so do sources and drains that nobody changed; of the borders the header has the kinds,
// because the solver's fields are as long as they say. Numbers are stored as this machine has them;
// a machine of the other byte order sees a wrong magic number.
#include "base/hash.h"
#include "world/snapshot_parts.h"

#include <string.h>

static size_t owed_count(const rv_world *world)
{
    return (size_t)world->source_count + (size_t)world->drain_count + 1;
}

uint64_t rv_snapshot_items(const rv_world *world, const rv_state_field *field)
{
    size_t from, to;
    if (field->by_slot) return (uint64_t)world->columns.columns;
    if (!rv_own_items(world, field, &from, &to)) return field->count;
    int64_t count = (int64_t)(to - from);
    rv_cut_sum(world->cut, &count, 1);
    return (uint64_t)count;
}

// What edits did to the field, of all ranks.
static size_t terrain_bytes(const rv_world *world)
{
    int64_t bytes = (int64_t)rv_terrain_saved_bytes(world->terrain);
    if (world->cut) rv_cut_sum(world->cut, &bytes, 1);
    return (size_t)bytes;
}

// Each rank has the bricks of its own rows, so theirs one behind the other are those of one
// process.
static void save_terrain(const rv_world *world, unsigned char *to)
{
    rv_cut *cut = world->cut;
    if (!cut) {
        rv_terrain_save(world->terrain, to);
        return;
    }
    size_t bytes = rv_terrain_saved_bytes(world->terrain), all = 0;
    unsigned char *own = rv_cut_room(cut, 0, bytes + 1);
    if (own) rv_terrain_save(world->terrain, own);
    const void *theirs = rv_cut_collect(cut, own, bytes, false);
    for (int k = 0; theirs && k < cut->ranks->count; k++) all += cut->sizes[k];
    if (all > 0) memcpy(to, theirs, all);
}

size_t rv_snapshot_head_bytes(const rv_world *world, bool terrain)
{
    return sizeof(rv_snapshot_header) + sizeof(rv_counters) + sizeof world->pose +
           owed_count(world) * sizeof(double) + rv_world_bodies_bytes(world->bodies.count) +
           rv_world_spray_bytes(world->spray.count) + rv_world_dew_bytes(world->dew.count) +
           rv_live_bytes(world) + (terrain ? terrain_bytes(world) : 0);
}

size_t rv_world_kept_bytes(const rv_world *world, bool terrain)
{
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    size_t bytes = rv_snapshot_head_bytes(world, terrain);
    for (int i = 0; i < n; i++)
        bytes += sizeof(rv_snapshot_field) + rv_snapshot_items(world, &fields[i]) * fields[i].item;
    return bytes + sizeof(uint64_t);
}

size_t rv_world_snapshot_size(const rv_world *world)
{
    return world ? rv_world_kept_bytes(world, true) : 0;
}

static unsigned char *put(unsigned char *to, const void *data, size_t bytes)
{
    if (bytes > 0) memcpy(to, data, bytes);
    return to + bytes;
}

static unsigned char *put_field(const rv_column_set *set, const rv_state_field *field,
                                unsigned char *to)
{
    if (!field->by_slot) return put(to, field->data, field->count * field->item);
    const unsigned char *bytes = field->data;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            size_t a = rv_slot(p, p->x0, y), end = a + (size_t)p->nx, b;
            for (; rv_next_run_of(set, &a, &b, end); a = b)
                to = put(to, bytes + a * field->item, (b - a) * field->item);
        }
    }
    return to;
}

// The counters as the statistics show them, whatever part of them the solver keeps.
static rv_counters all_counters(const rv_world *world)
{
    rv_counters c = world->counters;
    rv_solver_stats s;
    world->api->counters(world->solver, &s);
    c.border_in += s.border_in, c.border_out += s.border_out;
    c.clipped += s.clipped, c.unsolved += s.unsolved, c.not_finite += s.not_finite;
    return c;
}

rv_snapshot_header rv_snapshot_header_of(const rv_world *world, int fields, bool terrain)
{
    rv_snapshot_header head = {
        .magic = RV_SNAPSHOT_MAGIC,
        .version = RV_SNAPSHOT_VERSION,
        .fields = (uint32_t)fields,
        .bytes = rv_world_kept_bytes(world, terrain),
        .born = world->born,
        .terrain_bytes = terrain ? terrain_bytes(world) : 0,
        .live_bytes = rv_live_bytes(world),
        .sources = world->source_count,
        .drains = world->drain_count,
        .bodies = world->bodies.count,
        .droplets = world->spray.count,
        .dew = world->dew.count,
        .border = {(int32_t)world->params.border_west, (int32_t)world->params.border_east,
                   (int32_t)world->params.border_south, (int32_t)world->params.border_north},
        .touched = rv_terrain_touched(world->terrain)};
    rv_world_likeness(&world->params, head.likeness);
    return head;
}

// All before the fields; returns where it ends.
unsigned char *rv_snapshot_write_head(const rv_world *world, const rv_snapshot_header *head,
                                      unsigned char *to)
{
    rv_counters counters = all_counters(world);
    to = put(to, head, sizeof *head);
    to = put(to, &counters, sizeof counters);
    to = put(to, world->pose, sizeof world->pose);
    for (int i = 0; i < world->source_count; i++)
        to = put(to, &world->sources[i].owed, sizeof(double));
    for (int i = 0; i < world->drain_count; i++)
        to = put(to, &world->drains[i].owed, sizeof(double));
    to = put(to, &world->inflow.owed, sizeof(double));
    rv_world_save_bodies(world, to);
    to += rv_world_bodies_bytes(head->bodies);
    rv_world_save_spray(world, to);
    to += rv_world_spray_bytes(head->droplets);
    rv_world_save_dew(world, to);
    to += rv_world_dew_bytes(head->dew);
    rv_live_save(world, to);
    to += head->live_bytes;
    if (head->terrain_bytes > 0) save_terrain(world, to);
    return to + head->terrain_bytes;
}

rv_snapshot_field rv_snapshot_field_head(const rv_world *world, const rv_state_field *field)
{
    rv_snapshot_field h = {.count = rv_snapshot_items(world, field)};
    strncpy(h.name, field->name, RV_SNAPSHOT_NAME - 1);
    return h;
}

// Returns where it ends: what is left is the checksum.
static unsigned char *write_parts(const rv_world *world, const rv_snapshot_header *head,
                                  unsigned char *to)
{
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    to = rv_snapshot_write_head(world, head, to);
    for (int i = 0; i < n; i++) {
        rv_snapshot_field h = rv_snapshot_field_head(world, &fields[i]);
        to = put(to, &h, sizeof h);
        to = put_field(&world->columns, &fields[i], to);
    }
    return to;
}

rv_result rv_snapshot_save_whole(const rv_world *world, unsigned char *start)
{
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    rv_snapshot_header head =
        rv_snapshot_header_of(world, world->api->fields(world->solver, fields), true);
    head.columns = rv_world_fingerprint(world);
    unsigned char *to = write_parts(world, &head, start);
    uint64_t sum = rv_hash_bytes(RV_HASH_START, start, (size_t)(to - start));
    put(to, &sum, sizeof sum);
    return RV_OK;
}

void rv_world_write(const rv_world *world, unsigned char *to, bool terrain)
{
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    rv_snapshot_header head =
        rv_snapshot_header_of(world, world->api->fields(world->solver, fields), terrain);
    write_parts(world, &head, to);
}
