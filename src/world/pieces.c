// Snapshots in pieces. Where processes share the grid each hands its rows to rank 0, in the order
// of the file, and rank 0 hands them to the host: so nobody need hold all of a snapshot. Its bytes
// are those of one process.
#include "base/hash.h"
#include "world/snapshot_parts.h"

#include <string.h>

static unsigned char *put(unsigned char *to, const void *data, size_t bytes)
{
    if (bytes > 0) memcpy(to, data, bytes);
    return to + bytes;
}

#define PIECE (1u << 20) // bytes that ranks hand over at once, or one row

typedef struct pouring {
    const rv_world *world;
    rv_sink *sink; // of rank 0
    void *user;
    bool first; // this is rank 0
    bool good;
    rv_hasher sum;
    unsigned char *piece;
    size_t room;
} pouring;

static void pour(pouring *p, const void *bytes, size_t count)
{
    if (!p->first || count == 0) return;
    rv_hasher_add(&p->sum, bytes, count);
    p->good = p->good && p->sink(p->user, bytes, count);
}

// What a rank has put into its piece goes to rank 0, which writes it; 0 bytes are the end of its
// part.
static void hand_over(pouring *p, int rank, uint64_t bytes)
{
    rv_cut *cut = p->world->cut;
    rv_cut_pass(cut, rank, 0, &bytes, sizeof bytes);
    if (bytes > 0) rv_cut_pass(cut, rank, 0, p->piece, (size_t)bytes);
    pour(p, p->piece, (size_t)bytes);
}

// Rank 0 takes all that another hands over.
static void take_over(pouring *p, int rank)
{
    rv_cut *cut = p->world->cut;
    for (uint64_t bytes = 1; bytes > 0 && !cut->lost;) {
        rv_cut_pass(cut, rank, 0, &bytes, sizeof bytes);
        if (bytes > p->room) cut->lost = true; // the ranks do not agree
        if (bytes > 0) rv_cut_pass(cut, rank, 0, p->piece, (size_t)bytes);
        if (!cut->lost) pour(p, p->piece, (size_t)bytes);
    }
}

static void pour_plane(pouring *p, const rv_plane *plane, const rv_state_field *field)
{
    rv_cut *cut = p->world->cut;
    const rv_column_set *set = &p->world->columns;
    size_t most = (size_t)plane->nx * field->item, used = 0;
    for (int rank = 0; rank < cut->ranks->count; rank++) {
        if (rank != cut->ranks->rank) {
            if (p->first) take_over(p, rank);
            continue;
        }
        rv_rows own = rv_own_rows(set, plane);
        for (int y = own.from; y < own.to; y++) {
            if (used + most > p->room) hand_over(p, rank, used), used = 0;
            used += rv_pack_row(set, plane, y, field, p->piece + used);
        }
        if (used > 0) hand_over(p, rank, used);
        if (!p->first) hand_over(p, rank, 0);
    }
}

// Of a field by rows.
static void pour_items(pouring *p, const rv_state_field *field, size_t from, size_t to)
{
    rv_cut *cut = p->world->cut;
    const unsigned char *bytes = field->data;
    size_t at = from * field->item, end = to * field->item;
    for (int rank = 0; rank < cut->ranks->count; rank++) {
        if (rank != cut->ranks->rank) {
            if (p->first) take_over(p, rank);
            continue;
        }
        for (size_t n; at < end; at += n) {
            n = end - at < p->room ? end - at : p->room;
            memcpy(p->piece, bytes + at, n);
            hand_over(p, rank, n);
        }
        if (!p->first) hand_over(p, rank, 0);
    }
}

static void pour_fields(pouring *p)
{
    const rv_world *world = p->world;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields);
    for (int i = 0; i < n; i++) {
        rv_snapshot_field h = rv_snapshot_field_head(world, &fields[i]);
        size_t from, to;
        pour(p, &h, sizeof h);
        if (fields[i].by_slot)
            for (int l = 0; l < world->columns.planes; l++)
                pour_plane(p, &world->columns.plane[l], &fields[i]);
        else if (rv_own_items(world, &fields[i], &from, &to))
            pour_items(p, &fields[i], from, to);
        else
            pour(p, fields[i].data, fields[i].count * fields[i].item);
    }
}

// Every rank makes the head, since parts of it are agreed on, and rank 0 writes it.
static rv_result pour_all(pouring *p)
{
    const rv_world *world = p->world;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    size_t bytes = rv_snapshot_head_bytes(world, true);
    unsigned char *start = rv_new(&world->allocator, bytes, 1);
    p->room = PIECE;
    if (p->room < 8 * (size_t)world->columns.grid.nx) p->room = 8 * (size_t)world->columns.grid.nx;
    p->piece = rv_new(&world->allocator, p->room, 1);
    bool starved = rv_cut_any(world->cut, !start || !p->piece);
    if (!starved) {
        rv_snapshot_header head =
            rv_snapshot_header_of(world, world->api->fields(world->solver, fields), true);
        head.columns = rv_world_fingerprint(world);
        rv_snapshot_write_head(world, &head, start);
        pour(p, start, bytes);
        pour_fields(p);
        rv_hasher_end(&p->sum);
        uint64_t sum = p->sum.hash;
        pour(p, &sum, sizeof sum);
        p->good = !rv_cut_any(world->cut, p->first && !p->good);
    }
    rv_free(&world->allocator, start, bytes, 1);
    rv_free(&world->allocator, p->piece, p->room, 1);
    if (world->cut->lost) return RV_RANK_LOST;
    return starved ? RV_OUT_OF_MEMORY : p->good ? RV_OK : RV_BAD_DATA;
}

rv_result rv_world_save_to(const rv_world *world, rv_sink *sink, void *user)
{
    if (!world || !sink) return RV_BAD_ARGUMENT;
    if (world->cut) {
        pouring p = {.world = world,
                     .sink = sink,
                     .user = user,
                     .first = world->cut->ranks->rank == 0,
                     .good = true,
                     .sum.hash = RV_HASH_START};
        return pour_all(&p);
    }
    size_t size = rv_world_snapshot_size(world);
    unsigned char *bytes = rv_new(&world->allocator, size, 1);
    rv_result r = bytes ? rv_snapshot_save_whole(world, bytes) : RV_OUT_OF_MEMORY;
    if (r == RV_OK && !sink(user, bytes, size)) r = RV_BAD_DATA;
    rv_free(&world->allocator, bytes, size, 1);
    return r;
}

typedef struct room {
    unsigned char *to;
    size_t left;
} room;

static bool fill_room(void *user, const void *bytes, size_t count)
{
    room *b = user;
    if (count > b->left) return false;
    b->to = put(b->to, bytes, count), b->left -= count;
    return true;
}

rv_result rv_world_save(const rv_world *world, void *to, size_t size)
{
    if (!world || !to || size < rv_world_snapshot_size(world)) return RV_BAD_ARGUMENT;
    room b = {to, size};
    return world->cut ? rv_world_save_to(world, fill_room, &b) : rv_snapshot_save_whole(world, to);
}
