// Snapshots that all ranks write at once: each knows where its rows stand in the file and hands
// them to its host with their place. The bytes are those of one process. The checksum goes over all
// of them in their order, so it goes from rank to rank, as the hash of the state does, and is
// written last; only that is done one after the other.
#include "base/hash.h"
#include "world/snapshot_parts.h"

#include <string.h>

#define PIECE (1u << 20) // bytes that are handed over at once, or one row

typedef struct placing {
    const rv_world *world;
    rv_sink_at *sink;
    void *user;
    bool good;
    uint64_t at;     // of the next part of the file
    int rank, ranks; // this one, and how many
    int64_t *counts; // [ranks][rows of counts]: existing columns by plane, then items by field
    int each;        // counts of a rank
    unsigned char *piece;
    size_t room;
    rv_hasher sum;
    int holder; // who has the sum
    bool sums;  // this time nothing is written, and all is added to the sum
} placing;

// The sum comes to the rank whose bytes are next.
static bool take_sum(placing *p, int rank)
{
    if (!p->sums) return rank == p->rank;
    rv_cut_pass(p->world->cut, p->holder, rank, &p->sum, sizeof p->sum);
    p->holder = rank;
    return rank == p->rank;
}

static void put(placing *p, uint64_t at, const void *bytes, size_t count)
{
    if (count == 0) return;
    if (p->sums)
        rv_hasher_add(&p->sum, bytes, count);
    else
        p->good = p->good && p->sink(p->user, at, bytes, count);
}

// What all ranks have alike; rank 0 writes it.
static void put_shared(placing *p, const void *bytes, size_t count)
{
    if (take_sum(p, 0)) put(p, p->at, bytes, count);
    p->at += count;
}

// Where the part of this rank begins, of `count` things of each; *all is where the next one does.
static uint64_t place_of(const placing *p, int index, size_t item, uint64_t *all)
{
    uint64_t at = p->at, mine = at;
    for (int k = 0; k < p->ranks; k++) {
        if (k == p->rank) mine = at;
        at += (uint64_t)p->counts[k * p->each + index] * item;
    }
    *all = at;
    return mine;
}

static void put_plane(placing *p, int l, const rv_state_field *field)
{
    const rv_column_set *set = &p->world->columns;
    const rv_plane *plane = &set->plane[l];
    rv_rows own = rv_own_rows(set, plane);
    size_t most = (size_t)plane->nx * field->item, used = 0;
    uint64_t next, at = place_of(p, l, field->item, &next);
    for (int rank = 0; rank < p->ranks; rank++) {
        if (!take_sum(p, rank)) continue;
        for (int y = own.from; y < own.to; y++) {
            if (used + most > p->room) put(p, at, p->piece, used), at += used, used = 0;
            used += rv_pack_row(set, plane, y, field, p->piece + used);
        }
        put(p, at, p->piece, used);
    }
    p->at = next;
}

static void put_items(placing *p, int index, const rv_state_field *field, size_t from, size_t to)
{
    uint64_t next, at = place_of(p, index, field->item, &next);
    const unsigned char *bytes = field->data;
    for (int rank = 0; rank < p->ranks; rank++)
        if (take_sum(p, rank)) put(p, at, bytes + from * field->item, (to - from) * field->item);
    p->at = next;
}

static void put_all(placing *p, const unsigned char *head, size_t head_bytes)
{
    const rv_world *world = p->world;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields), planes = world->columns.planes;
    p->at = 0;
    put_shared(p, head, head_bytes);
    for (int i = 0; i < n; i++) {
        rv_snapshot_field h = rv_snapshot_field_head(world, &fields[i]);
        size_t from, to;
        put_shared(p, &h, sizeof h);
        for (int l = 0; fields[i].by_slot && l < planes; l++) put_plane(p, l, &fields[i]);
        if (fields[i].by_slot) continue;
        if (rv_own_items(world, &fields[i], &from, &to))
            put_items(p, planes + i, &fields[i], from, to);
        else
            put_shared(p, fields[i].data, fields[i].count * fields[i].item);
    }
}

// ---- How much each rank has ---------------------------------------------------------------------

static int64_t columns_of(const rv_column_set *set, const rv_plane *plane)
{
    rv_rows own = rv_own_rows(set, plane);
    int64_t count = 0;
    for (int y = own.from; y < own.to; y++) {
        size_t a = rv_slot(plane, plane->x0, y), end = a + (size_t)plane->nx, b;
        for (; rv_next_run_of(set, &a, &b, end); a = b) count += (int64_t)(b - a);
    }
    return count;
}

static bool count_all(placing *p)
{
    const rv_world *world = p->world;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields), planes = world->columns.planes;
    int64_t own[RV_LAYERS_MAX + RV_STATE_FIELDS_MAX] = {0};
    p->each = planes + n;
    for (int l = 0; l < planes; l++) own[l] = columns_of(&world->columns, &world->columns.plane[l]);
    for (int i = 0; i < n; i++) {
        size_t from, to;
        if (!fields[i].by_slot && rv_own_items(world, &fields[i], &from, &to))
            own[planes + i] = (int64_t)(to - from);
    }
    size_t bytes = (size_t)p->each * sizeof *own;
    const void *all = rv_cut_collect(world->cut, own, bytes, true);
    if (all) memcpy(p->counts, all, (size_t)p->ranks * bytes);
    return all != NULL;
}

static rv_result place_all(placing *p)
{
    const rv_world *world = p->world;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    size_t bytes = rv_snapshot_head_bytes(world, true);
    size_t counts = (size_t)p->ranks * (RV_LAYERS_MAX + RV_STATE_FIELDS_MAX);
    unsigned char *head = rv_new(&world->allocator, bytes, 1);
    p->room = PIECE;
    if (p->room < 8 * (size_t)world->columns.grid.nx) p->room = 8 * (size_t)world->columns.grid.nx;
    p->piece = rv_new(&world->allocator, p->room, 1);
    p->counts = rv_new(&world->allocator, counts, sizeof *p->counts);
    bool starved = rv_cut_any(world->cut, !head || !p->piece || !p->counts);
    if (!starved && count_all(p)) {
        rv_snapshot_header h =
            rv_snapshot_header_of(world, world->api->fields(world->solver, fields), true);
        h.columns = rv_world_fingerprint(world);
        rv_snapshot_write_head(world, &h, head);
        put_all(p, head, bytes);
        p->sums = true;
        put_all(p, head, bytes);
        take_sum(p, 0);
        rv_hasher_end(&p->sum);
        uint64_t sum = p->sum.hash;
        p->sums = false;
        put_shared(p, &sum, sizeof sum);
        p->good = !rv_cut_any(world->cut, !p->good);
    }
    rv_free(&world->allocator, head, bytes, 1);
    rv_free(&world->allocator, p->piece, p->room, 1);
    rv_free(&world->allocator, p->counts, counts, sizeof *p->counts);
    if (world->cut->lost) return RV_RANK_LOST;
    return starved ? RV_OUT_OF_MEMORY : p->good ? RV_OK : RV_BAD_DATA;
}

// Of a world that is whole here.
typedef struct stream {
    rv_sink_at *sink;
    void *user;
    uint64_t at;
} stream;

static bool go_on(void *user, const void *bytes, size_t count)
{
    stream *s = user;
    s->at += count;
    return s->sink(s->user, s->at - count, bytes, count);
}

rv_result rv_world_save_at(const rv_world *world, rv_sink_at *sink, void *user)
{
    if (!world || !sink) return RV_BAD_ARGUMENT;
    if (!world->cut) {
        stream s = {sink, user, 0};
        return rv_world_save_to(world, go_on, &s);
    }
    placing p = {.world = world,
                 .sink = sink,
                 .user = user,
                 .good = true,
                 .rank = world->cut->ranks->rank,
                 .ranks = world->cut->ranks->count,
                 .sum.hash = RV_HASH_START};
    return place_all(&p);
}
