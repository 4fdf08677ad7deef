// The surface of droplets that fly (Zhu and Bridson 2005, "Animating Sand as a Fluid", §4): where
//
//     φ(x) = |x - x̄| - r̄ = 0,   x̄ = Σ w x_i / Σ w,  r̄ = Σ w r_i / Σ w,  w = (1 - d²/R²)³, d < R,
//
// over the droplets within R, two and a half spacings of a stream: where many end in a plane, x̄ is
// then 0.246 R = 0.62 spacings from it, which is r̄. Alone a droplet is its own ball; many close
// together are one smooth liquid without the bumps of its parts.
//
// φ is sampled on a lattice of three quarters of the spacing, in bricks of 8³ samples that are
// there only where droplets reach. Where a stream lands the last of it would end in the air or be
// torn: droplets right over the liquid go on into it. Droplets are sorted by the bricks that they
// reach; then bricks are worked on at once, each summing up its own in their order. Bricks are in
// the order of their first droplet: the mesh, which blobs_mesh.c makes, does not depend on threads.
#include "surface/blobs_inside.h"

#include "base/isa.h"

#include <math.h>
#include <string.h>

#define SIDE RV_BLOB_SIDE
#define PLACE_MOST 1000000000 // samples from the origin, that are believed
#define NEAR_LIQUID 1.5       // spacings over the liquid, from which a droplet goes on into it,
#define LANDED 4.5            // and how far at most

typedef rv_blob_brick brick;

RV_ISA_DECLARE(const rv_blob_loops, rv_blob_loops_)

const rv_blob_loops *rv_blob_loops_best(void)
{
    static const rv_blob_loops *const forms[] = {RV_ISA_LIST(rv_blob_loops_)};
    return forms[rv_isa_best()];
}

// ---- Bricks -------------------------------------------------------------------------------------

static uint32_t hash_of(const int at[3])
{
    uint32_t h = (uint32_t)at[0] * 0x9e3779b1u ^ (uint32_t)at[1] * 0x85ebca77u ^
                 (uint32_t)at[2] * 0xc2b2ae3du;
    return h ^ h >> 15;
}

// The place of a brick in the table; where that is 0 it is not there.
static int32_t *find(const rv_blob_work *w, const int at[3])
{
    uint32_t mask = (uint32_t)w->table_room - 1, n = hash_of(at) & mask;
    while (w->table[n] != 0) {
        const brick *b = &w->brick[w->table[n] - 1];
        if (b->at[0] == at[0] && b->at[1] == at[1] && b->at[2] == at[2]) break;
        n = (n + 1) & mask;
    }
    return &w->table[n];
}

static bool grow_table(rv_blob_work *w)
{
    int room = w->table_room > 0 ? 2 * w->table_room : 1024;
    int32_t *fresh = rv_new(&w->allocator, (size_t)room, sizeof *fresh);
    if (!fresh) return false;
    rv_free(&w->allocator, w->table, (size_t)w->table_room, sizeof *fresh);
    w->table = fresh, w->table_room = room;
    for (int i = 0; i < w->brick_count; i++) *find(w, w->brick[i].at) = i + 1;
    return true;
}

// Its number; -1: no memory.
static int take_brick(rv_blob_work *w, const int at[3])
{
    if (2 * w->brick_count >= w->table_room && !grow_table(w)) return -1;
    int32_t *place = find(w, at);
    if (*place != 0) return *place - 1;
    if (!rv_array_grow(&w->allocator, &w->brick, &w->brick_room, (int64_t)w->brick_count + 1,
                       sizeof *w->brick))
        return -1;
    brick *b = &w->brick[w->brick_count];
    memcpy(b->at, at, sizeof b->at);
    b->count = 0;
    *place = ++w->brick_count;
    return w->brick_count - 1;
}

static int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// ---- Droplets by brick --------------------------------------------------------------------------

#define BRICKS_MOST 8 // that a droplet reaches: two along an axis, since 2 R is shorter than one

// A droplet in samples, and the samples that it may reach.
typedef struct reach {
    double at[3];
    int low[3], high[3];
} reach;

static bool make_room(rv_blob_work *w)
{
    const rv_allocator *a = &w->allocator;
    int64_t need = (int64_t)w->grains + BRICKS_MOST;
    return rv_array_grow(a, &w->grain, &w->grain_room[0], need, sizeof *w->grain) &&
           rv_array_grow(a, &w->owner, &w->grain_room[1], need, sizeof *w->owner) &&
           rv_array_grow(a, &w->sorted, &w->grain_room[2], need, sizeof *w->sorted);
}

static bool add_grain(rv_blob_work *w, const int n[3], const reach *r, rv_blob_grain *grain)
{
    int index = take_brick(w, n);
    if (index < 0) return false;
    for (int k = 0; k < 3; k++) {
        int low = r->low[k] - n[k] * SIDE, high = r->high[k] - n[k] * SIDE;
        grain->at[k] = (float)(r->at[k] - (double)n[k] * SIDE);
        grain->low[k] = low > 0 ? low : 0;
        grain->high[k] = high < SIDE ? high : SIDE - 1;
    }
    w->grain[w->grains] = *grain, w->owner[w->grains++] = index;
    w->brick[index].count++;
    return true;
}

// `on`: m, how far on its way.
static bool add_droplet(rv_blob_work *w, const rv_blob_input *in, int i, double per, double on)
{
    const rv_vec3 *v = &in->velocity[i], *p = &in->at[i];
    double speed = sqrt(v->x * v->x + v->y * v->y + v->z * v->z), t = on > 0 ? on / speed : 0;
    reach r = {.at = {(p->x + t * v->x) * per, (p->y + t * v->y) * per, (p->z + t * v->z) * per}};
    int from[3], to[3], n[3];
    rv_blob_grain grain = {.radius = (float)(in->radius[i] * per),
                           .velocity = {(float)v->x, (float)v->y, (float)v->z}};
    for (int a = 0; a < 3; a++) {
        if (!(fabs(r.at[a]) < PLACE_MOST)) return true; // nobody sees it
        r.low[a] = (int)ceil(r.at[a] - (double)RV_BLOB_FAR);
        r.high[a] = (int)floor(r.at[a] + (double)RV_BLOB_FAR);
        from[a] = floor_div(r.low[a], SIDE), to[a] = floor_div(r.high[a], SIDE);
    }
    if (!make_room(w)) return false;
    for (n[2] = from[2]; n[2] <= to[2]; n[2]++)
        for (n[1] = from[1]; n[1] <= to[1]; n[1]++)
            for (n[0] = from[0]; n[0] <= to[0]; n[0]++)
                if (!add_grain(w, n, &r, &grain)) return false;
    return true;
}

// How far a droplet is over the liquid that it falls to, m; INFINITY: over none, or it rises.
static double over_liquid(const rv_blob_input *in, int i)
{
    const rv_column_set *c = in->columns;
    if (!c || !in->depth || !(in->velocity[i].z < 0)) return INFINITY;
    double x = floor((in->at[i].x - c->grid.x0) / c->grid.dx);
    double y = floor((in->at[i].y - c->grid.y0) / c->grid.dx);
    if (!(x >= 0 && y >= 0 && x < c->grid.nx && y < c->grid.ny)) return INFINITY;
    int l = rv_columns_below(c, (int)x, (int)y, in->at[i].z);
    if (l < 0) return INFINITY;
    size_t slot = rv_slot(&c->plane[l], (int)x, (int)y);
    double depth = (double)in->depth[slot];
    return depth > 0 ? in->at[i].z - ((double)c->base[slot] + depth) : INFINITY;
}

// The droplets that one stands for: itself, and where it is about to land, those that landed
// before.
static bool add_stream(rv_blob_work *w, const rv_blob_input *in, int i, double per)
{
    double gap = over_liquid(in, i), h = in->spacing;
    const rv_vec3 *v = &in->velocity[i];
    double speed = sqrt(v->x * v->x + v->y * v->y + v->z * v->z);
    if (!add_droplet(w, in, i, per, 0)) return false;
    if (!(gap < NEAR_LIQUID * h)) return true;
    for (double on = h; on < LANDED * h && -v->z / speed * (on - h) < gap + h; on += h)
        if (!add_droplet(w, in, i, per, on)) return false;
    return true;
}

static void sort_grains(rv_blob_work *w)
{
    int first = 0;
    for (int i = 0; i < w->brick_count; i++) {
        brick *b = &w->brick[i];
        b->first = first, first += b->count, b->count = 0;
    }
    for (int n = 0; n < w->grains; n++) {
        brick *b = &w->brick[w->owner[n]];
        w->sorted[b->first + b->count++] = n;
    }
}

// ---- An update ----------------------------------------------------------------------------------

static void fill_brick(void *context, int task)
{
    const rv_blob_work *w = context;
    const rv_blob_loops *loops = rv_blob_loops_best();
    brick *b = &w->brick[task];
    int k = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                b->next[k++] = *find(w, (int[3]){b->at[0] + x, b->at[1] + y, b->at[2] + z});
    memset(b->sum, 0, sizeof b->sum);
    memset(b->vertex, 0, sizeof b->vertex);
    for (int n = 0; n < b->count; n++) loops->add(b, &w->grain[w->sorted[b->first + n]]);
    loops->phi(b);
}

rv_result rv_blobs_build(rv_blob_work *w, const rv_blob_input *in)
{
    w->vertices = w->triangles = w->brick_count = w->grains = 0;
    if (w->table) memset(w->table, 0, (size_t)w->table_room * sizeof *w->table);
    double per = 1 / (RV_BLOB_STEP * in->spacing);
    for (int i = 0; i < in->count; i++) {
        if (in->hangs[i] != 0 || in->radius[i] > in->largest) continue;
        if (!add_stream(w, in, i, per)) return RV_OUT_OF_MEMORY;
    }
    sort_grains(w);
    rv_parallel_for(in->pool, w->brick_count, fill_brick, w);
    return rv_blobs_mesh(w, in);
}

void rv_blobs_free(rv_blob_work *w)
{
    rv_allocator a = w->allocator;
    rv_free(&a, w->brick, (size_t)w->brick_room, sizeof *w->brick);
    rv_free(&a, w->table, (size_t)w->table_room, sizeof *w->table);
    rv_free(&a, w->grain, (size_t)w->grain_room[0], sizeof *w->grain);
    rv_free(&a, w->owner, (size_t)w->grain_room[1], sizeof *w->owner);
    rv_free(&a, w->sorted, (size_t)w->grain_room[2], sizeof *w->sorted);
    rv_free(&a, w->positions, (size_t)w->vertex_room[0], 3 * sizeof(float));
    rv_free(&a, w->normals, (size_t)w->vertex_room[1], 3 * sizeof(float));
    rv_free(&a, w->velocity, (size_t)w->vertex_room[2], 3 * sizeof(float));
    rv_free(&a, w->depth, (size_t)w->vertex_room[3], sizeof(float));
    for (int k = 0; k < 4; k++)
        rv_free(&a, w->smooth[k], (size_t)w->vertex_room[4 + k], 4 * sizeof(float));
    rv_free(&a, w->part, (size_t)w->vertex_room[8], sizeof(float));
    rv_free(&a, w->first_of, (size_t)w->vertex_room[9], sizeof *w->first_of);
    rv_free(&a, w->beside, (size_t)w->corner_room, sizeof *w->beside);
    rv_free(&a, w->indices, (size_t)w->triangle_room, 3 * sizeof *w->indices);
    *w = (rv_blob_work){.allocator = a};
}

size_t rv_blobs_bytes(const rv_blob_work *w)
{
    size_t grains = (size_t)w->grain_room[0], vertices = (size_t)w->vertex_room[0];
    return (size_t)w->brick_room * sizeof *w->brick + (size_t)w->table_room * sizeof *w->table +
           grains * (sizeof *w->grain + sizeof *w->owner + sizeof *w->sorted) +
           vertices * 28 * sizeof(float) + (size_t)w->corner_room * sizeof *w->beside +
           (size_t)w->triangle_room * 3 * sizeof *w->indices;
}
