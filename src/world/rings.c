// Rings of columns that take pushed liquid, where processes share the grid (displace.c,
// docs/scale.md). All ranks have the same list of what was pushed, and of the columns that were
// reached so far. What is reached next from each of them is found by the rank that owns it, which
// has the rows beside its own; then all is put together in the order in which one process would
// have found it.
#include "world/world_internal.h"

#include <stdlib.h>
#include <string.h>

// A column that was reached from item `item` of a list that all ranks have.
typedef struct reached {
    int32_t item, plane, y, x;
} reached;

struct rv_ring_work {
    reached *found; // here, since the last join
    int count, room;
    int item;       // that is looked from
    reached *place; // of the ring's columns
    int place_room;
    int *rank; // whose they are
    int rank_room;
    int32_t *bucket; // [buckets] number of a place from 1 on, by its hash; 0: none
    int buckets;
};

static struct rv_ring_work *work_of(rv_world *world)
{
    rv_edit_work *w = &world->edit;
    if (!w->over) w->over = rv_new(&world->allocator, 1, sizeof *w->over);
    return w->over;
}

void rv_rings_free(rv_world *world)
{
    const rv_allocator *a = &world->allocator;
    struct rv_ring_work *o = world->edit.over;
    if (!o) return;
    rv_free(a, o->found, (size_t)o->room, sizeof *o->found);
    rv_free(a, o->place, (size_t)o->place_room, sizeof *o->place);
    rv_free(a, o->rank, (size_t)o->rank_room, sizeof *o->rank);
    rv_free(a, o->bucket, (size_t)o->buckets, sizeof *o->bucket);
    rv_free(a, o, 1, sizeof *o);
    world->edit.over = NULL;
}

rv_result rv_ring_begin(rv_world *world)
{
    struct rv_ring_work *o = work_of(world);
    if (!o) return RV_OUT_OF_MEMORY;
    o->count = 0, world->edit.ring_count = 0;
    if (o->bucket) memset(o->bucket, 0, (size_t)o->buckets * sizeof *o->bucket);
    return RV_OK;
}

bool rv_ring_looks_from(rv_world *world, int item, int y)
{
    world->edit.over->item = item;
    return rv_rows_have(world->cut->own, y);
}

bool rv_ring_owns(const rv_world *world, int index)
{
    world->edit.over->item = index;
    return world->edit.over->rank[index] == world->cut->ranks->rank;
}

rv_result rv_ring_reach(rv_world *world, int plane, int x, int y)
{
    struct rv_ring_work *o = world->edit.over;
    if (!rv_array_grow(&world->allocator, &o->found, &o->room, (int64_t)o->count + 1,
                       sizeof *o->found))
        return RV_OUT_OF_MEMORY;
    o->found[o->count++] = (reached){o->item, plane, y, x};
    return RV_OK;
}

// ---- Putting it together ------------------------------------------------------------------------

static uint32_t hash_of(const reached *r)
{
    uint64_t h = ((uint64_t)(uint32_t)r->y << 32 | (uint32_t)r->x) * 16 + (uint64_t)r->plane;
    h *= 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 32);
}

static int32_t *bucket_of(const struct rv_ring_work *o, const reached *r)
{
    uint32_t mask = (uint32_t)o->buckets - 1, at = hash_of(r) & mask;
    for (;; at = (at + 1) & mask) {
        const reached *p = o->bucket[at] ? &o->place[o->bucket[at] - 1] : NULL;
        if (!p || (p->plane == r->plane && p->y == r->y && p->x == r->x)) return &o->bucket[at];
    }
}

// Buckets for twice as many places, those that there are put in again.
static bool make_buckets(rv_world *world, int64_t places)
{
    struct rv_ring_work *o = world->edit.over;
    int64_t count = 64;
    while (count < 2 * places) count *= 2;
    if (count <= o->buckets) return true;
    if (count > INT32_MAX / 2) return false;
    int32_t *fresh = rv_new(&world->allocator, (size_t)count, sizeof *fresh);
    if (!fresh) return false;
    rv_free(&world->allocator, o->bucket, (size_t)o->buckets, sizeof *o->bucket);
    o->bucket = fresh, o->buckets = (int)count;
    for (int i = 0; i < world->edit.ring_count; i++) *bucket_of(o, &o->place[i]) = i + 1;
    return true;
}

static bool make_room(rv_world *world, int64_t places)
{
    rv_edit_work *w = &world->edit;
    const rv_allocator *a = &world->allocator;
    return rv_array_grow(a, &w->ring, &w->ring_room, places, sizeof *w->ring) &&
           rv_array_grow(a, &w->over->place, &w->over->place_room, places,
                         sizeof *w->over->place) &&
           rv_array_grow(a, &w->over->rank, &w->over->rank_room, places, sizeof *w->over->rank) &&
           make_buckets(world, places);
}

typedef struct ordered {
    reached r;
    int64_t at; // behind those of lower ranks; what one rank found is in order
} ordered;

static int by_item(const void *a, const void *b)
{
    const ordered *p = a, *q = b;
    if (p->r.item != q->r.item) return p->r.item < q->r.item ? -1 : 1;
    return p->at < q->at ? -1 : 1;
}

rv_result rv_ring_join(rv_world *world, rv_result r)
{
    rv_edit_work *w = &world->edit;
    struct rv_ring_work *o = w->over;
    rv_cut *cut = world->cut;
    size_t bytes = 0;
    r = rv_world_agree(world, r);
    if (r != RV_OK) return r;
    const reached *all = rv_cut_collect(cut, o->found, (size_t)o->count * sizeof *all, false);
    o->count = 0;
    for (int k = 0; all && k < cut->ranks->count; k++) bytes += cut->sizes[k];
    int64_t count = (int64_t)(bytes / sizeof *all);
    ordered *list = all ? rv_cut_room(cut, 1, (size_t)(count + 1) * sizeof *list) : NULL;
    if (!list || !make_room(world, w->ring_count + count)) {
        cut->lost = true;
        return RV_OUT_OF_MEMORY;
    }
    for (int64_t i = 0; i < count; i++) list[i] = (ordered){all[i], i};
    if (count > 1) qsort(list, (size_t)count, sizeof *list, by_item);
    for (int64_t i = 0; i < count; i++) {
        const reached *p = &list[i].r;
        int32_t *bucket = bucket_of(o, p);
        size_t slot;
        if (*bucket) continue;
        bool here = rv_column_at(&world->columns, p->plane, p->x, p->y, &slot);
        w->ring[w->ring_count] = here ? slot : RV_ELSEWHERE;
        o->place[w->ring_count] = *p, o->rank[w->ring_count] = rv_cut_owner(cut, p->y);
        *bucket = ++w->ring_count;
    }
    return RV_OK;
}

double rv_ring_spread(rv_world *world, int from, int count, double depth, bool *room)
{
    rv_edit_work *w = &world->edit;
    rv_feed feed = {.slots = w->ring + from, .disk = count, .all = count};
    feed.rank = w->over->rank + from;
    return rv_ranks_spread(world, &feed, depth, room);
}

// ---- What was pushed ----------------------------------------------------------------------------

rv_result rv_edit_join(rv_world *world, int first, double *rest, rv_result r)
{
    rv_edit_work *w = &world->edit;
    rv_cut *cut = world->cut;
    size_t bytes = 0;
    r = rv_world_agree(world, r);
    if (r != RV_OK) return r;
    const double *rests =
        rv_cut_collect(cut, w->rests, (size_t)w->rest_count * sizeof *rests, false);
    w->rest_count = 0;
    for (int k = 0; rests && k < cut->ranks->count; k++) bytes += cut->sizes[k];
    for (size_t i = 0; i < bytes / sizeof *rests; i++) *rest += rests[i];
    // ranks have rows in their order, so their lists one behind the other are that of one process
    const rv_pushed *own = w->pushed ? w->pushed + first : NULL;
    const rv_pushed *all =
        rv_cut_collect(cut, own, (size_t)(w->pushed_count - first) * sizeof *all, false);
    bytes = 0;
    for (int k = 0; all && k < cut->ranks->count; k++) bytes += cut->sizes[k];
    int64_t count = (int64_t)(bytes / sizeof *all);
    if (!all || !rv_array_grow(&world->allocator, &w->pushed, &w->pushed_room, first + count,
                               sizeof *w->pushed)) {
        cut->lost = true;
        return RV_OUT_OF_MEMORY;
    }
    if (count > 0) memcpy(w->pushed + first, all, (size_t)count * sizeof *all);
    w->pushed_count = first + (int)count;
    return RV_OK;
}

bool rv_note_rest(rv_world *world, double *rest, double term)
{
    rv_edit_work *w = &world->edit;
    if (!world->cut) {
        *rest += term;
        return true;
    }
    if (w->foreign || term == 0) return true;
    if (!rv_array_grow(&world->allocator, &w->rests, &w->rest_room, (int64_t)w->rest_count + 1,
                       sizeof *w->rests))
        return false;
    w->rests[w->rest_count++] = term;
    return true;
}
