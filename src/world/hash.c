// The hash of a world's state, and the fingerprint of its columns. Where processes share the grid
// it goes from rank to rank, in the order in which one process would see their rows.
#include "base/hash.h"
#include "world/state_rows.h"

#include <string.h>

// Continues over the existing columns of an array by slot, in some rows of a plane. Other slots
// hold nothing that is ever read into a column, and may differ between instruction sets and
// layouts.
static uint64_t hash_rows(const rv_column_set *set, const rv_plane *p, rv_rows rows,
                          const void *data, size_t item, uint64_t hash)
{
    const unsigned char *bytes = data;
    for (int y = rows.from; y < rows.to; y++) {
        size_t a = rv_slot(p, p->x0, y), end = a + (size_t)p->nx, b;
        for (; rv_next_run_of(set, &a, &b, end); a = b)
            hash = rv_hash_bytes(hash, bytes + a * item, (b - a) * item);
    }
    return hash;
}

// Plane by plane over the rows of all ranks, in their order: each goes on with the hash of the one
// before. `holder`: who has it.
static uint64_t hash_columns(const rv_column_set *set, const void *data, size_t item, uint64_t hash,
                             int *holder)
{
    rv_cut *cut = set->grid.cut;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int rank = 0; rank < (cut ? cut->ranks->count : 1); rank++) {
            if (cut) rv_cut_pass(cut, *holder, rank, &hash, sizeof hash);
            *holder = rank;
            if (!cut || rank == cut->ranks->rank)
                hash = hash_rows(set, p, rv_own_rows(set, p), data, item, hash);
        }
    }
    return hash;
}

bool rv_own_items(const rv_world *world, const rv_state_field *field, size_t *from, size_t *to)
{
    const rv_columns_api *api = world->api->columns;
    rv_rows own = rv_grid_own(&world->columns.grid);
    *from = 0, *to = field->count;
    if (!world->cut || api->row_first(world->solver, field->name, own.from) == SIZE_MAX)
        return false;
    *from = api->row_first(world->solver, field->name, own.from);
    *to = api->row_first(world->solver, field->name, own.to);
    return true;
}

static uint64_t hash_items(const rv_world *world, const rv_state_field *field, uint64_t hash,
                           int *holder)
{
    size_t from, to;
    const unsigned char *bytes = field->data;
    bool parted = rv_own_items(world, field, &from, &to);
    if (!parted) return rv_hash_bytes(hash, bytes, field->count * field->item);
    rv_hasher h = {.hash = hash};
    for (int rank = 0; rank < world->cut->ranks->count; rank++) {
        rv_cut_pass(world->cut, *holder, rank, &h, sizeof h);
        *holder = rank;
        if (rank == world->cut->ranks->rank)
            rv_hasher_add(&h, bytes + from * field->item, (to - from) * field->item);
    }
    if (*holder == world->cut->ranks->rank) rv_hasher_end(&h);
    return h.hash;
}

uint64_t rv_world_hash(const rv_world *world)
{
    if (!world) return 0;
    const rv_counters *c = &world->counters;
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields), holder = 0;
    uint64_t hash = rv_hash_bytes(RV_HASH_START, &c->time, sizeof c->time);
    hash = rv_hash_bytes(hash, &c->steps, sizeof c->steps);
    hash = rv_hash_bytes(hash, &c->sourced, sizeof c->sourced);
    hash = rv_hash_bytes(hash, &c->drained, sizeof c->drained);
    hash = rv_hash_bytes(hash, &c->held, sizeof c->held);
    hash = rv_world_hash_bodies(world, hash);
    hash = rv_world_hash_spray(world, hash);
    hash = rv_world_hash_dew(world, hash);
    for (int i = 0; i < n; i++) {
        if (fields[i].name[0] == '~') continue;
        if (fields[i].by_slot)
            hash = hash_columns(&world->columns, fields[i].data, fields[i].item, hash, &holder);
        else
            hash = hash_items(world, &fields[i], hash, &holder);
    }
    if (world->cut) rv_cut_spread(world->cut, holder, &hash, sizeof hash);
    return hash;
}

uint64_t rv_world_fingerprint(const rv_world *world)
{
    const rv_column_set *set = &world->columns;
    const rv_grid *g = &set->grid;
    const double place[5] = {g->dx, g->x0, g->y0, g->bottom, g->top};
    const int sizes[2] = {g->nx, g->ny};
    int holder = 0;
    uint64_t hash = rv_hash_bytes(RV_HASH_START, world->api->name, strlen(world->api->name));
    hash = rv_hash_bytes(hash, place, sizeof place);
    hash = rv_hash_bytes(hash, sizes, sizeof sizes);
    hash = hash_columns(set, set->min, sizeof(float), hash, &holder);
    hash = hash_columns(set, set->base, sizeof(float), hash, &holder);
    hash = hash_columns(set, set->max, sizeof(float), hash, &holder);
    if (world->cut) rv_cut_spread(world->cut, holder, &hash, sizeof hash);
    return hash;
}
