// Frames: copies of what questions need, published at the end of a step and asked by other threads.
//
// A share has two frames more than readers may hold. A step fills one that is neither in front nor
// held, then puts it in front with one atomic store. A reader takes the one in front: it counts
// itself in, and looks whether that frame is still in front; if not, it counts itself out and tries
// again. So a frame whose count was seen at 0, while it was not in front, has no reader who looks
// at what is in it, and none that begins to before it is published again.
//
// Columns are kept by cell, one after another from below, so that a question finds them side by
// side. What follows from the terrain alone is made anew only when that changed, and what is dry,
// was dry when this frame was last filled, and has nothing wet beside it, is left as it is.
#include "world/frame_internal.h"

#include <string.h>

#define ROWS_AT_ONCE 8 // that one item of work does

// ---- The frozen world ---------------------------------------------------------------------------

static void still_view(const rv_solver *s, rv_liquid *out)
{
    *out = (rv_liquid){.depth = s->depth};
}

static void still_velocity(const rv_solver *s, size_t slot, float out[2])
{
    (void)s, (void)slot;
    out[0] = out[1] = 0; // rays and distances do not ask
}

static const rv_solver_api still_api = {
    .name = "still", .view = still_view, .velocity = still_velocity};

static void free_columns(rv_frame *f)
{
    const rv_allocator *a = &f->world.allocator;
    rv_free(a, f->still.depth, f->world.columns.slots, sizeof *f->still.depth);
    rv_columns_free(&f->world.columns);
    rv_free(a, f->first, f->cells + 1, sizeof *f->first);
    rv_free(a, f->wet, f->cells, sizeof *f->wet);
    rv_free(a, f->damp, f->chunks, sizeof *f->damp);
    rv_free(a, f->used, f->chunks, sizeof *f->used);
    rv_free(a, f->column, f->columns, sizeof *f->column);
    rv_free(a, f->slot, f->columns, sizeof *f->slot);
    f->still.depth = NULL, f->first = NULL, f->wet = NULL, f->column = NULL, f->slot = NULL;
    f->damp = f->used = NULL;
    f->world.columns = (rv_column_set){0};
    f->cells = f->columns = f->chunks = 0, f->changes = -1;
}

static float *copy_floats(const rv_allocator *a, const float *from, size_t count)
{
    float *to = rv_new(a, count, sizeof *to);
    if (to) memcpy(to, from, count * sizeof *to);
    return to;
}

static bool copy_set(rv_frame *f, const rv_column_set *from)
{
    const rv_allocator *a = &f->world.allocator;
    rv_column_set *set = &f->world.columns;
    *set = *from;
    set->min = copy_floats(a, from->min, from->slots);
    set->base = copy_floats(a, from->base, from->slots);
    set->max = copy_floats(a, from->max, from->slots);
    f->still.depth = rv_new(a, from->slots, sizeof *f->still.depth);
    return set->min && set->base && set->max && f->still.depth;
}

// Chunks in a row.
static int across(const rv_frame *f)
{
    return (f->world.columns.grid.nx + RV_FRAME_CHUNK - 1) / RV_FRAME_CHUNK;
}

// The columns of the world by cell.
static bool list_columns(rv_frame *f)
{
    const rv_allocator *a = &f->world.allocator;
    const rv_column_set *set = &f->world.columns;
    size_t next = 0, slot;
    f->cells = (size_t)set->grid.nx * (size_t)set->grid.ny, f->columns = (size_t)set->columns;
    f->first = rv_new(a, f->cells + 1, sizeof *f->first);
    f->wet = rv_new(a, f->cells, sizeof *f->wet);
    f->column = rv_new(a, f->columns, sizeof *f->column);
    f->slot = rv_new(a, f->columns, sizeof *f->slot);
    f->chunks = (size_t)across(f) * (size_t)set->grid.ny;
    f->damp = rv_new(a, f->chunks, sizeof *f->damp);
    f->used = rv_new(a, f->chunks, sizeof *f->used);
    if (!f->first || !f->wet || !f->damp || !f->used ||
        (f->columns > 0 && (!f->column || !f->slot)))
        return false;
    for (int y = 0; y < set->grid.ny; y++)
        for (int x = 0; x < set->grid.nx; x++) {
            f->first[(size_t)y * (size_t)set->grid.nx + (size_t)x] = (uint32_t)next;
            for (int l = 0; l < set->planes && rv_column_at(set, l, x, y, &slot); l++) {
                f->slot[next] = (uint32_t)slot;
                f->column[next++] = (rv_frame_column){.min = set->min[slot],
                                                      .base = set->base[slot],
                                                      .max = set->max[slot],
                                                      .shore = set->base[slot]};
            }
        }
    f->first[f->cells] = (uint32_t)next;
    return true;
}

// Columns and field after the terrain changed.
static rv_result follow_terrain(rv_frame *f, const rv_world *world)
{
    if (f->changes == world->changes) return RV_OK;
    free_columns(f);
    rv_result r = RV_OK;
    if (world->terrain && !f->field)
        r = rv_field_copy_create(world->terrain, &f->field);
    else if (world->terrain)
        r = rv_field_copy_update(f->field, world->terrain);
    // nobody changes a field through a frame
    f->world.terrain = (rv_terrain *)(uintptr_t)rv_field_copy_terrain(f->field);
    if (r == RV_OK && (!copy_set(f, &world->columns) || !list_columns(f))) r = RV_OUT_OF_MEMORY;
    if (r != RV_OK) {
        free_columns(f);
        return r;
    }
    f->changes = world->changes;
    return RV_OK;
}

// ---- Filling ------------------------------------------------------------------------------------

typedef struct filling {
    rv_frame *frame;
    const rv_world *world;
    rv_liquid view;
} filling;

// Which chunks of a row have liquid.
static void find_damp(const filling *w, int y)
{
    rv_frame *f = w->frame;
    const rv_column_set *set = &f->world.columns;
    uint8_t *damp = f->damp + (size_t)y * (size_t)across(f);
    memset(damp, 0, (size_t)across(f));
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        if (y < p->y0 || y >= p->y0 + p->ny) continue;
        const float *depth = w->view.depth + rv_slot(p, p->x0, y);
        for (int x = p->x0; x < p->x0 + p->nx;) {
            int end = x - x % RV_FRAME_CHUNK + RV_FRAME_CHUNK, k = x / RV_FRAME_CHUNK, any = 0;
            if (end > p->x0 + p->nx) end = p->x0 + p->nx;
            for (; x < end; x++) any |= depth[x - p->x0] > 0;
            damp[k] |= (uint8_t)any;
        }
    }
}

// Slots without a column may hold anything, so a damp chunk can turn out dry.
static void fill_cells(const filling *w, size_t first, size_t end)
{
    rv_frame *f = w->frame;
    for (size_t cell = first; cell < end; cell++) {
        bool wet = false;
        for (uint32_t i = f->first[cell]; i < f->first[cell + 1]; i++) {
            rv_frame_column *c = &f->column[i];
            size_t slot = f->slot[i];
            float u[2] = {0, 0};
            c->depth = w->view.depth[slot];
            c->head = w->view.head ? w->view.head[slot] : c->base;
            if (c->depth > 0) w->world->api->velocity(w->world->solver, slot, u), wet = true;
            c->u = u[0], c->v = u[1], c->shore = c->base;
        }
        f->wet[cell] = wet;
    }
}

static void fill_rows(void *context, int block)
{
    const filling *w = context;
    rv_frame *f = w->frame;
    int nx = f->world.columns.grid.nx, ny = f->world.columns.grid.ny;
    for (int y = block * ROWS_AT_ONCE; y < (block + 1) * ROWS_AT_ONCE && y < ny; y++) {
        find_damp(w, y);
        for (int k = 0; k < across(f); k++) {
            size_t chunk = (size_t)y * (size_t)across(f) + (size_t)k;
            if (!f->damp[chunk] && !f->used[chunk]) continue; // as it was
            int x = k * RV_FRAME_CHUNK, end = x + RV_FRAME_CHUNK < nx ? x + RV_FRAME_CHUNK : nx;
            fill_cells(w, (size_t)y * (size_t)nx + (size_t)x, (size_t)y * (size_t)nx + (size_t)end);
        }
    }
}

// As shore_level of query.c; the cells around that are in the grid have bounds x0 … y1.
static float shore_of(const rv_frame *f, const rv_frame_column *own, int x0, int x1, int y0, int y1,
                      size_t cell)
{
    double sum = 0;
    int count = 0;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            size_t other = (size_t)y * (size_t)f->world.columns.grid.nx + (size_t)x;
            if (other == cell || !f->wet[other]) continue;
            const rv_frame_column *c = rv_frame_linked(f, own, (double)own->base, other);
            if (c && c->depth > 0) sum += rv_frame_level(c), count++;
        }
    return count > 0 ? (float)fmin(sum / count, (double)own->base) : own->base;
}

static bool is_wet_around(const rv_frame *f, int x0, int x1, int y0, int y1)
{
    int wet = 0;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++)
            wet |= f->wet[(size_t)y * (size_t)f->world.columns.grid.nx + (size_t)x];
    return wet != 0;
}

static void shore_cells(rv_frame *f, int y, int x, int end)
{
    int nx = f->world.columns.grid.nx, ny = f->world.columns.grid.ny;
    int y0 = y > 0 ? y - 1 : 0, y1 = y + 1 < ny ? y + 1 : y;
    for (; x < end; x++) {
        size_t cell = (size_t)y * (size_t)nx + (size_t)x;
        int x0 = x > 0 ? x - 1 : 0, x1 = x + 1 < nx ? x + 1 : x;
        if (!is_wet_around(f, x0, x1, y0, y1)) continue;
        for (uint32_t i = f->first[cell]; i < f->first[cell + 1]; i++)
            if (!(f->column[i].depth > 0))
                f->column[i].shore = shore_of(f, &f->column[i], x0, x1, y0, y1, cell);
    }
}

static void shore_rows(void *context, int block)
{
    const filling *w = context;
    rv_frame *f = w->frame;
    int nx = f->world.columns.grid.nx, ny = f->world.columns.grid.ny, n = across(f);
    for (int y = block * ROWS_AT_ONCE; y < (block + 1) * ROWS_AT_ONCE && y < ny; y++)
        for (int k = 0; k < n; k++) {
            int damp = 0, x = k * RV_FRAME_CHUNK;
            for (int b = y > 0 ? y - 1 : 0; b <= y + 1 && b < ny; b++)
                for (int a = k > 0 ? k - 1 : 0; a <= k + 1 && a < n; a++)
                    damp |= f->damp[(size_t)b * (size_t)n + (size_t)a];
            f->used[(size_t)y * (size_t)n + (size_t)k] = damp != 0;
            if (damp) shore_cells(f, y, x, x + RV_FRAME_CHUNK < nx ? x + RV_FRAME_CHUNK : nx);
        }
}

static rv_result copy_bodies(rv_frame *f, const rv_world *world)
{
    int count = world->bodies.count;
    if (count > f->body_room) {
        int room = 2 * count;
        rv_body *fresh = rv_new(&f->world.allocator, (size_t)room, sizeof *fresh);
        if (!fresh) return RV_OUT_OF_MEMORY;
        rv_free(&f->world.allocator, f->body, (size_t)f->body_room, sizeof *f->body);
        f->body = fresh, f->body_room = room;
    }
    if (count > 0) memcpy(f->body, world->bodies.body, (size_t)count * sizeof *f->body);
    f->body_count = count;
    return RV_OK;
}

static rv_result fill(rv_frame *f, const rv_world *world)
{
    rv_result r = follow_terrain(f, world);
    if (r == RV_OK) r = copy_bodies(f, world);
    if (r != RV_OK) return r;
    filling w = {f, world, rv_world_view(world)};
    int blocks = (f->world.columns.grid.ny + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    memcpy(f->still.depth, w.view.depth, f->world.columns.slots * sizeof *f->still.depth);
    rv_parallel_for(world->pool, blocks, fill_rows, &w);
    rv_parallel_for(world->pool, blocks, shore_rows, &w);
    f->info.time = world->counters.time, f->info.steps = world->counters.steps;
    return RV_OK;
}

// ---- Publishing ---------------------------------------------------------------------------------

// A frame that nobody holds and nobody can take; NULL: all are held.
static rv_frame *free_frame(rv_share *share)
{
    int front = atomic_load(&share->front);
    for (int i = 0; i < share->count; i++)
        if (i != front && atomic_load(&share->frame[i].held) == 0) return &share->frame[i];
    return NULL;
}

rv_result rv_world_publish(rv_world *world)
{
    if (!world || !world->share) return RV_BAD_ARGUMENT;
    rv_share *share = world->share;
    rv_frame *f = free_frame(share);
    rv_result r = f ? fill(f, world) : RV_BAD_ARGUMENT;
    if (r != RV_OK) {
        share->missed++;
        return r;
    }
    f->info.number = ++share->published, f->info.missed = share->missed;
    atomic_store(&share->front, (int)(f - share->frame));
    return RV_OK;
}

static bool is_held(const rv_share *share)
{
    for (int i = 0; share && i < share->count; i++)
        if (atomic_load(&share->frame[i].held) != 0) return true;
    return false;
}

static size_t share_bytes(int count)
{
    return sizeof(rv_share) + (size_t)count * sizeof(rv_frame);
}

void rv_share_free(rv_world *world)
{
    rv_share *share = world->share;
    for (int i = 0; share && i < share->count; i++) {
        rv_frame *f = &share->frame[i];
        free_columns(f);
        rv_field_copy_free(f->field);
        rv_free(&world->allocator, f->body, (size_t)f->body_room, sizeof *f->body);
    }
    if (share) rv_free(&world->allocator, share, share_bytes(share->count), 1);
    world->share = NULL;
}

rv_result rv_world_share(rv_world *world, int readers, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!world || readers < 0 || readers > RV_FRAME_READERS_MAX) {
        rv_messages_add(messages, "rv_world_share: no world, or not 0 to %d readers",
                        RV_FRAME_READERS_MAX);
        return RV_BAD_ARGUMENT;
    }
    if (is_held(world->share)) {
        rv_messages_add(messages, "rv_world_share: a frame is held");
        return RV_BAD_ARGUMENT;
    }
    rv_share_free(world);
    if (readers == 0) return RV_OK;
    int count = readers + 2;
    rv_share *share = rv_new(&world->allocator, share_bytes(count), 1);
    if (share) share->count = count, atomic_init(&share->front, -1);
    for (int i = 0; share && i < count; i++) {
        rv_frame *f = &share->frame[i];
        atomic_init(&f->held, 0);
        f->changes = -1;
        f->world.allocator = world->allocator, f->world.params = world->params;
        f->world.api = &still_api, f->world.solver = &f->still;
    }
    world->share = share;
    rv_result r = share ? RV_OK : RV_OUT_OF_MEMORY;
    // all of them now, so that no step has to take memory
    for (int i = 0; i < count && r == RV_OK; i++) r = fill(&share->frame[i], world);
    if (r == RV_OK) r = rv_world_publish(world);
    if (r == RV_OK) return RV_OK;
    rv_messages_add(messages, "rv_world_share: not enough memory for frames");
    rv_share_free(world);
    return r;
}

const rv_frame *rv_world_take_frame(const rv_world *world)
{
    rv_share *share = world ? world->share : NULL;
    while (share) {
        int front = atomic_load(&share->front);
        rv_frame *f = &share->frame[front];
        atomic_fetch_add(&f->held, 1);
        if (atomic_load(&share->front) == front) return f;
        atomic_fetch_sub(&f->held, 1); // another was published meanwhile
    }
    return NULL;
}

void rv_frame_release(const rv_frame *frame)
{
    // its count is all of a frame that a reader changes
    if (frame) atomic_fetch_sub(&((rv_frame *)(uintptr_t)frame)->held, 1);
}
