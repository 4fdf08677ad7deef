// State hash, and snapshots in memory.
//
// A snapshot is a header, the world's counters, what sources and drains owe, then each state field
// of the solver with its name and length, and a checksum over all of it. The header carries a
// fingerprint of the columns, so the state of one terrain is refused by another. Parameters,
// sources and drains belong to the definition and stay as the restoring world has them. Numbers are
// stored as this machine has them; a machine of the other byte order sees a wrong magic number.
#include "base/hash.h"
#include "world/world_internal.h"

#include <string.h>

#define MAGIC 0x31304e5356525652ull // "RVRVSN01" in little-endian bytes
#define VERSION 1u
#define NAME_BYTES 24

typedef struct header {
    uint64_t magic;
    uint32_t version, fields;
    uint64_t bytes; // all of the snapshot
    uint64_t fingerprint;
    int32_t sources, drains;
} header;

typedef struct field_header {
    char name[NAME_BYTES];
    uint64_t count;
} field_header;

// ---- Hash ---------------------------------------------------------------------------------------

// Continues over the existing columns of an array by slot. Other slots hold nothing that is ever
// read into a column, and may differ between instruction sets.
static uint64_t hash_columns(const rv_column_set *set, const void *data, uint64_t hash)
{
    const float *values = data;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = 0; y < p->ny; y++) {
            size_t row = p->offset + (size_t)y * (size_t)p->pitch, end = row + (size_t)p->nx;
            for (size_t a = row, b; a < end; a = b) {
                while (a < end && !rv_column_exists(set, a)) a++;
                for (b = a; b < end && rv_column_exists(set, b); b++) {
                }
                if (b > a) hash = rv_hash_bytes(hash, values + a, (b - a) * sizeof *values);
            }
        }
    }
    return hash;
}

uint64_t rv_world_hash(const rv_world *world)
{
    if (!world) return 0;
    const rv_counters *c = &world->counters;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    uint64_t hash = rv_hash_bytes(RV_HASH_START, &c->time, sizeof c->time);
    hash = rv_hash_bytes(hash, &c->steps, sizeof c->steps);
    hash = rv_hash_bytes(hash, &c->sourced, sizeof c->sourced);
    hash = rv_hash_bytes(hash, &c->drained, sizeof c->drained);
    for (int i = 0; i < n; i++) {
        if (fields[i].count == world->columns.slots)
            hash = hash_columns(&world->columns, fields[i].data, hash);
        else
            hash = rv_hash_bytes(hash, fields[i].data, fields[i].count * 4);
    }
    return hash;
}

static uint64_t fingerprint(const rv_world *world)
{
    const rv_column_set *set = &world->columns;
    const rv_grid *g = &set->grid;
    const double place[5] = {g->dx, g->x0, g->y0, g->bottom, g->top};
    const int sizes[3] = {g->nx, g->ny, set->planes};
    uint64_t hash = rv_hash_bytes(RV_HASH_START, world->api->name, strlen(world->api->name));
    hash = rv_hash_bytes(hash, place, sizeof place);
    hash = rv_hash_bytes(hash, sizes, sizeof sizes);
    hash = hash_columns(set, set->min, hash);
    hash = hash_columns(set, set->base, hash);
    return hash_columns(set, set->max, hash);
}

// ---- Saving -------------------------------------------------------------------------------------

static size_t owed_count(const rv_world *world)
{
    return (size_t)world->source_count + (size_t)world->drain_count + 1;
}

size_t rv_world_snapshot_size(const rv_world *world)
{
    if (!world) return 0;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    size_t bytes = sizeof(header) + sizeof(rv_counters) + owed_count(world) * sizeof(double);
    for (int i = 0; i < n; i++) bytes += sizeof(field_header) + fields[i].count * 4;
    return bytes + sizeof(uint64_t);
}

static unsigned char *put(unsigned char *to, const void *data, size_t bytes)
{
    if (bytes > 0) memcpy(to, data, bytes);
    return to + bytes;
}

// The counters as the statistics show them, whatever part of them the solver keeps.
static rv_counters all_counters(const rv_world *world)
{
    rv_counters c = world->counters;
    rv_solver_stats s;
    world->api->stats(world->solver, &s);
    c.border_in += s.border_in, c.border_out += s.border_out;
    c.clipped += s.clipped, c.unsolved += s.unsolved, c.not_finite += s.not_finite;
    return c;
}

rv_result rv_world_save(const rv_world *world, void *buffer, size_t size)
{
    if (!world || !buffer || size < rv_world_snapshot_size(world)) return RV_BAD_ARGUMENT;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    size_t bytes = rv_world_snapshot_size(world);
    unsigned char *start = buffer, *to = start;
    rv_counters counters = all_counters(world);
    header head = {MAGIC,
                   VERSION,
                   (uint32_t)n,
                   bytes,
                   fingerprint(world),
                   world->source_count,
                   world->drain_count};
    to = put(to, &head, sizeof head);
    to = put(to, &counters, sizeof counters);
    for (int i = 0; i < world->source_count; i++)
        to = put(to, &world->sources[i].owed, sizeof(double));
    for (int i = 0; i < world->drain_count; i++)
        to = put(to, &world->drains[i].owed, sizeof(double));
    to = put(to, &world->inflow.owed, sizeof(double));
    for (int i = 0; i < n; i++) {
        field_header h = {.count = fields[i].count};
        strncpy(h.name, fields[i].name, NAME_BYTES - 1);
        to = put(to, &h, sizeof h);
        to = put(to, fields[i].data, fields[i].count * 4);
    }
    uint64_t sum = rv_hash_bytes(RV_HASH_START, start, (size_t)(to - start));
    put(to, &sum, sizeof sum);
    return RV_OK;
}

// ---- Restoring ----------------------------------------------------------------------------------

// Everything that can be wrong, found before anything is changed. NULL: nothing.
static const char *refuse(const rv_world *world, const unsigned char *from, size_t size,
                          const rv_state_field *fields, int n, header *head)
{
    uint64_t sum;
    if (size < sizeof *head + sizeof(rv_counters) + sizeof sum) return "too short to be one";
    memcpy(head, from, sizeof *head);
    if (head->magic != MAGIC) return "not a snapshot";
    if (head->version != VERSION) return "written by another version";
    if (head->bytes > size || head->bytes < sizeof *head + sizeof(rv_counters) + sizeof sum)
        return "cut short";
    memcpy(&sum, from + head->bytes - sizeof sum, sizeof sum);
    if (sum != rv_hash_bytes(RV_HASH_START, from, head->bytes - sizeof sum)) return "damaged";
    if (head->fingerprint != fingerprint(world)) return "of another terrain, grid or solver";
    if (head->sources < 0 || head->drains < 0 || head->fields != (uint32_t)n)
        return "of another build of the solver";
    size_t at = sizeof *head + sizeof(rv_counters);
    at += ((size_t)head->sources + (size_t)head->drains + 1) * sizeof(double);
    for (int i = 0; i < n; i++) {
        field_header h;
        if (at + sizeof h + sizeof sum > head->bytes) return "cut short";
        memcpy(&h, from + at, sizeof h);
        if (h.count != fields[i].count || strncmp(h.name, fields[i].name, NAME_BYTES - 1) != 0)
            return "of another build of the solver";
        at += sizeof h + h.count * 4;
    }
    return at + sizeof sum == head->bytes ? NULL : "cut short";
}

static void restore_owed(rv_world *world, const unsigned char *from, const header *head)
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

// The solver may or may not have taken its counters back from its fields: what is missing is added
// here.
static void restore_counters(rv_world *world, const rv_counters *saved)
{
    rv_solver_stats s;
    world->api->stats(world->solver, &s);
    world->counters = *saved;
    world->counters.border_in -= s.border_in, world->counters.border_out -= s.border_out;
    world->counters.clipped -= s.clipped, world->counters.unsolved -= s.unsolved;
    world->counters.not_finite -= s.not_finite;
}

rv_result rv_world_restore(rv_world *world, const void *buffer, size_t size, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!world || !buffer) {
        rv_messages_add(messages, "rv_world_restore: no world or no snapshot");
        return RV_BAD_ARGUMENT;
    }
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    const unsigned char *from = buffer;
    header head;
    rv_counters counters;
    const char *why = refuse(world, from, size, fields, n, &head);
    if (why) {
        rv_messages_add(messages, "snapshot: %s", why);
        return RV_BAD_DATA;
    }
    from += sizeof head;
    memcpy(&counters, from, sizeof counters);
    from += sizeof counters;
    restore_owed(world, from, &head);
    from += ((size_t)head.sources + (size_t)head.drains + 1) * sizeof(double);
    for (int i = 0; i < n; i++) {
        from += sizeof(field_header);
        if (fields[i].count > 0) memcpy(fields[i].data, from, fields[i].count * 4);
        from += fields[i].count * 4;
    }
    world->api->changed(world->solver);
    restore_counters(world, &counters);
    return RV_OK;
}
