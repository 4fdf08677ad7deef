// The surface's memory, and one update of it from beginning to end.
#include "surface/surface.h"

#include "base/memory.h"

// ---- Arrays that grow ---------------------------------------------------------------------------

static bool grow(const rv_surface_work *w, void **array, uint32_t *room, uint32_t keep,
                 uint64_t need, size_t size)
{
    if (need <= *room) return true;
    uint64_t fresh = need + need / 2 + 256;
    if (fresh >= UINT32_MAX) return false;
    void *memory = rv_regrow(&w->allocator, *array, *room, keep, (size_t)fresh, size);
    if (!memory) return false;
    *array = memory, *room = (uint32_t)fresh;
    return true;
}

bool rv_surface_grow(const rv_surface_work *w, void **array, uint32_t *room, uint64_t need,
                     size_t size)
{
    return grow(w, array, room, 0, need, size);
}

#define OF_VERTICES(DO)                                                                            \
    DO(positions, position_room, 3)                                                                \
    DO(normals, normal_room, 3)                                                                    \
    DO(velocity, velocity_room, 3)                                                                 \
    DO(opacity, opacity_room, 1)                                                                   \
    DO(depth, depth_room, 1)                                                                       \
    DO(roughness, roughness_room, 1)                                                               \
    DO(drop, drop_room, 1)                                                                         \
    DO(contact, contact_room, 4)
#define OF_MESH(DO)                                                                                \
    OF_VERTICES(DO)                                                                                \
    DO(indices, index_room, 3)
#define GROWING(DO)                                                                                \
    OF_MESH(DO)                                                                                    \
    DO(records, room, 1)                                                                           \
    DO(ends, ends_room, 1)                                                                         \
    DO(fresh, fresh_room, 1)                                                                       \
    DO(line, line_room, 1)                                                                         \
    DO(laid, laid_room, RV_LINE_PARTS)                                                             \
    DO(laid_end, laid_end_room, 1)                                                                 \
    DO(line_links, line_links_room, RV_LINE_LINKS)                                                 \
    DO(chain, chain_room, 1)                                                                       \
    DO(fair, fair_room, RV_FAIR_PARTS)                                                             \
    DO(loose, loose_room, 3)
#define BY_NODE(DO) DO(z) DO(kind) DO(inside) DO(vertex) DO(record)
#define BY_SLOT(DO)                                                                                \
    DO(level)                                                                                      \
    DO(bits)                                                                                       \
    DO(linked)                                                                                     \
    DO(wet)                                                                                        \
    DO(held)                                                                                       \
    DO(odd)                                                                                        \
    DO(quad)                                                                                       \
    DO(normal_x)                                                                                   \
    DO(normal_y)                                                                                   \
    DO(normal_z)                                                                                   \
    DO(soft_x)                                                                                     \
    DO(soft_y)                                                                                     \
    DO(soft_z)                                                                                     \
    DO(rough)

bool rv_surface_reserve(rv_surface_work *w, uint64_t vertices, uint64_t triangles)
{
    bool good = grow(w, (void **)&w->indices, &w->index_room, w->triangles, triangles,
                     3 * sizeof *w->indices);
#define GROW(array, room, n)                                                                       \
    good = good &&                                                                                 \
           grow(w, (void **)&w->array, &w->room, w->vertices, vertices, (n) * sizeof *w->array);
    OF_VERTICES(GROW)
#undef GROW
    return good;
}

bool rv_surface_grow_records(rv_surface_work *w, uint64_t need, uint32_t keep)
{
    return grow(w, (void **)&w->records, &w->room, keep, need, sizeof *w->records) &&
           grow(w, (void **)&w->ends, &w->ends_room, keep, need, sizeof *w->ends);
}

bool rv_surface_grow_nodes(rv_surface_work *w, size_t need)
{
    if (need <= w->nodes_room) return true;
    size_t fresh = need + (need - w->slots) + 256, old = w->nodes_room;
    bool good = fresh < RV_FRESH;
#define GROW(array)                                                                                \
    if (good) {                                                                                    \
        void *memory =                                                                             \
            rv_regrow(&w->allocator, w->array, w->array##_room, old, fresh, sizeof *w->array);     \
        good = memory != NULL;                                                                     \
        if (good) w->array = memory, w->array##_room = fresh;                                      \
    }
    BY_NODE(GROW)
#undef GROW
    if (good) w->nodes_room = fresh;
    return good;
}

// ---- Arrays as long as the columns --------------------------------------------------------------

static size_t wet_cells(const rv_surface_work *w)
{
    return w->wet_pitch ? ((size_t)w->ny + 2) * w->wet_pitch + 32 : 0;
}

static size_t row_count(const rv_surface_work *w)
{
    return (size_t)w->ny * (size_t)w->planes;
}

// Groups of 16 cells may reach beyond the grid.
static size_t width(const rv_surface_work *w)
{
    return (size_t)w->nx + 32;
}

static void free_maps(rv_surface_work *w)
{
    const rv_allocator *a = &w->allocator;
#define FREE(array)                                                                                \
    rv_free(a, w->array, w->array##_room, sizeof *w->array);                                       \
    w->array = NULL, w->array##_room = 0;
    BY_NODE(FREE)
#undef FREE
#define FREE(array)                                                                                \
    rv_free(a, w->array, w->slots, sizeof *w->array);                                              \
    w->array = NULL;
    BY_SLOT(FREE)
#undef FREE
    rv_free(a, w->wet_planes, wet_cells(w), sizeof *w->wet_planes);
    rv_free(a, w->wet_from, (size_t)w->ny, sizeof *w->wet_from);
    rv_free(a, w->wet_to, (size_t)w->ny, sizeof *w->wet_to);
    rv_free(a, w->row, row_count(w), sizeof *w->row);
    rv_free(a, w->cell_x, width(w), sizeof *w->cell_x);
    rv_free(a, w->cell_y, (size_t)w->ny, sizeof *w->cell_y);
    rv_surface_free_squares(w);
    w->wet_planes = NULL, w->wet_from = w->wet_to = NULL, w->row = NULL,
    w->cell_x = w->cell_y = NULL;
    w->slots = w->nodes_room = w->wet_pitch = 0, w->planes = w->nx = w->ny = 0;
}

static bool take_maps(rv_surface_work *w, const rv_column_set *c)
{
    const rv_allocator *a = &w->allocator;
    if (w->slots == c->slots && w->planes == c->planes && w->nx == c->grid.nx &&
        w->ny == c->grid.ny)
        return true;
    free_maps(w);
    w->slots = c->slots, w->planes = c->planes, w->nx = c->grid.nx, w->ny = c->grid.ny;
    w->wet_pitch = c->planes > 1 ? width(w) + 16 : 0;
    bool good = true;
#define TAKE(array) good = (w->array = rv_new(a, w->slots, sizeof *w->array)) && good;
    BY_SLOT(TAKE)
#undef TAKE
    w->wet_planes = rv_new(a, wet_cells(w), sizeof *w->wet_planes);
    w->wet_from = rv_new(a, (size_t)w->ny, sizeof *w->wet_from);
    w->wet_to = rv_new(a, (size_t)w->ny, sizeof *w->wet_to);
    w->row = rv_new(a, row_count(w), sizeof *w->row);
    w->cell_x = rv_new(a, width(w), sizeof *w->cell_x);
    w->cell_y = rv_new(a, (size_t)w->ny, sizeof *w->cell_y);
    good = good && w->wet_planes && w->wet_from && w->wet_to && w->row && w->cell_x && w->cell_y &&
           rv_surface_grow_nodes(w, w->slots) && rv_surface_take_squares(w);
    if (!good) free_maps(w);
    return good;
}

void rv_surface_work_free(rv_surface_work *w)
{
#define FREE(array, room, n) rv_free(&w->allocator, w->array, w->room, (n) * sizeof *w->array);
    GROWING(FREE)
#undef FREE
#define FREE(array, room, n)                                                                       \
    rv_free(&w->allocator, w->old.array, w->old.room, (n) * sizeof *w->array);
    OF_MESH(FREE)
#undef FREE
    free_maps(w);
    rv_meniscus_free(&w->meniscus, &w->allocator);
    rv_allocator allocator = w->allocator;
    *w = (rv_surface_work){.allocator = allocator};
}

size_t rv_surface_work_bytes(const rv_surface_work *w)
{
    size_t bytes = wet_cells(w) * sizeof *w->wet_planes + row_count(w) * sizeof *w->row +
                   3 * (size_t)w->ny * sizeof *w->wet_from + width(w) * sizeof *w->cell_x;
#define ADD(array, room, n) bytes += (size_t)w->room * (n) * sizeof *w->array;
    GROWING(ADD)
#undef ADD
#define ADD(array, room, n) bytes += (size_t)w->old.room * (n) * sizeof *w->array;
    OF_MESH(ADD)
#undef ADD
#define ADD(array) bytes += w->nodes_room * sizeof *w->array;
    BY_NODE(ADD)
#undef ADD
#define ADD(array) bytes += w->slots * sizeof *w->array;
    BY_SLOT(ADD)
#undef ADD
    return bytes + rv_meniscus_bytes(&w->meniscus) + rv_surface_squares_bytes(w);
}

// ---- Sharing out --------------------------------------------------------------------------------

// At least four rows: a band may touch nodes of two rows beyond it on either side.
int rv_surface_band_rows(int rows)
{
    int height = rows < 64 ? 4 : 8, most = RV_BANDS_MAX - 1;
    return (rows + height - 1) / height > most ? (rows + most - 1) / most : height;
}

void rv_surface_cut_bands(rv_surface_work *w, int y0, int y1)
{
    int rows = y1 - y0, height = rv_surface_band_rows(rows);
    w->bands = (rows + height - 1) / height;
    for (int b = 0; b < w->bands; b++) {
        int from = y0 + b * height, to = from + height < y1 ? from + height : y1;
        w->band[b] = (rv_surface_band){.y0 = from, .y1 = to};
    }
}

void rv_surface_each_band(rv_surface_pass *p, rv_task *task)
{
    p->first = 0, p->step = 1;
    rv_parallel_for(p->w->pool, p->w->bands, task, p);
}

void rv_surface_each_second_band(rv_surface_pass *p, rv_task *task)
{
    p->step = 2;
    for (p->first = 0; p->first < 2; p->first++)
        rv_parallel_for(p->w->pool, (p->w->bands + 1 - p->first) / 2, task, p);
    p->first = 0, p->step = 1;
}

rv_row_view rv_view_of(const rv_surface_pass *p, const rv_surface_row *row, int plane)
{
    const rv_surface_work *w = p->w;
    const rv_surface_input *in = p->in;
    size_t i = row->first;
    return (rv_row_view){.pitch = in->columns->plane[plane].pitch,
                         .z = w->z + i,
                         .depth = in->depth + i,
                         .flux_x = in->flux_x + i,
                         .flux_y = in->flux_y + i,
                         .bits = w->bits + i,
                         .kind = w->kind + i,
                         .inside = w->inside + i,
                         .odd = w->odd + i,
                         .wet = w->wet + i,
                         .rough = w->rough + i,
                         .x = w->cell_x + row->x0,
                         .per_dx = p->per_dx,
                         .per_opaque = p->per_opaque};
}

// ---- An update ----------------------------------------------------------------------------------

static void swap_meshes(rv_surface_work *w)
{
    rv_surface_store old = w->old;
#define SWAP(array, room, n)                                                                       \
    w->old.array = w->array, w->old.room = w->room;                                                \
    w->array = old.array, w->room = old.room;
    OF_MESH(SWAP)
#undef SWAP
}

// Takes an island over from the mesh before.
static bool move_island(rv_surface_work *w, rv_surface_island *own, const rv_surface_island *from)
{
    if (!rv_surface_reserve(w, (uint64_t)w->vertices + from->vertex_count,
                            (uint64_t)w->triangles + from->triangle_count))
        return false;
#define MOVE(array, room, n)                                                                       \
    if (from->vertex_count > 0)                                                                    \
        memcpy(w->array + (n) * (size_t)w->vertices, w->old.array + (n) * (size_t)from->vertices,  \
               (n)*from->vertex_count * sizeof *w->array);
    OF_VERTICES(MOVE)
#undef MOVE
    uint32_t by = w->vertices - from->vertices;
    const uint32_t *index = w->old.indices + 3 * (size_t)from->triangles;
    uint32_t *to = w->indices + 3 * (size_t)w->triangles;
    for (size_t i = 0; i < 3 * (size_t)from->triangle_count; i++) to[i] = index[i] + by;
    w->vertices += from->vertex_count, w->triangles += from->triangle_count;
    own->vertex_count = from->vertex_count, own->triangle_count = from->triangle_count;
    own->columns = from->columns, own->extra = from->extra;
    own->edge = from->edge, own->curtain = from->curtain;
    return true;
}

static bool make_island(rv_surface_pass *p, rv_surface_island *island)
{
    rv_surface_work *w = p->w;
    uint32_t vertices = w->vertices, triangles = w->triangles;
    w->pool = p->in->pool, p->island = island;
    bool good = rv_surface_find(p) && rv_surface_extend(p) && rv_surface_triangulate(p) &&
                rv_surface_fill(p) && rv_meniscus_make(p);
    if (!good) return false;
    rv_surface_forget(p);
    island->vertex_count = w->vertices - vertices;
    island->triangle_count = w->triangles - triangles;
    island->columns = w->stats.columns, island->extra = w->stats.extra;
    island->edge = w->stats.edge, island->curtain = w->stats.curtain;
    return true;
}

static void widen(uint32_t range[2], uint32_t from, uint32_t count)
{
    if (from < range[0]) range[0] = from;
    if (from + count > range[1]) range[1] = from + count;
}

static bool any_kept(const rv_surface_islands *now)
{
    for (uint32_t i = 0; i < now->count; i++)
        if (now->island[i].kept) return true;
    return false;
}

// All islands, one after the other: what is kept from the mesh before, the others anew.
static bool build(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    rv_surface_islands *now = &w->squares.now, *before = &w->squares.before;
    rv_surface_stats all = {0};
    if (any_kept(now)) swap_meshes(w); // else nothing is wanted of the mesh that is there
    w->vertices = w->triangles = 0;
    w->changed_vertices[0] = w->changed_triangles[0] = UINT32_MAX;
    w->changed_vertices[1] = w->changed_triangles[1] = 0;
    for (uint32_t i = 0; i < now->count; i++) {
        rv_surface_island *own = &now->island[i];
        const rv_surface_span *first = &now->span[own->spans];
        uint32_t square = (uint32_t)(own->y0 * w->squares.across + first->x0);
        const rv_surface_island *was = own->kept ? &before->island[before->of[square]] : NULL;
        own->vertices = w->vertices, own->triangles = w->triangles;
        if (!(was ? move_island(w, own, was) : make_island(p, own))) return false;
        all.columns += own->columns, all.extra += own->extra;
        all.edge += own->edge, all.curtain += own->curtain;
        all.made += !was, all.islands++;
        if (was && was->vertices == own->vertices && was->triangles == own->triangles) continue;
        widen(w->changed_vertices, own->vertices, own->vertex_count);
        widen(w->changed_triangles, own->triangles, own->triangle_count);
    }
    w->stats = all;
    return true;
}

// Whether nothing is to be done: all islands are kept, and there was no other.
static bool all_kept(const rv_surface_squares *s)
{
    if (!s->there || s->now.count != s->before.count) return false;
    for (uint32_t i = 0; i < s->now.count; i++)
        if (!s->now.island[i].kept) return false;
    return true;
}

static rv_result give_up(rv_surface_work *w)
{
    free_maps(w); // half-made: begin anew next time
    w->vertices = w->triangles = 0;
    return RV_OUT_OF_MEMORY;
}

rv_result rv_surface_build(rv_surface_work *w, const rv_surface_input *in)
{
    const rv_grid *g = &in->columns->grid;
    if (!w->loops) w->loops = rv_surface_rows_best(), w->lists = rv_surface_lists_best();
    w->changed = true, w->meniscus.ms = 0;
    if (!take_maps(w, in->columns)) return give_up(w);
    w->pool = in->pool;
    for (int x = 0; x < w->nx; x++) w->cell_x[x] = (float)(g->x0 + (x + 0.5) * g->dx);
    for (int y = 0; y < w->ny; y++) w->cell_y[y] = (float)(g->y0 + (y + 0.5) * g->dx);
    rv_surface_pass pass = {.w = w,
                            .in = in,
                            .dx = (float)g->dx,
                            .per_dx = (float)(1 / g->dx),
                            .per_opaque = (float)(1 / in->opaque),
                            .film = (float)in->film,
                            .step = 1};
    rv_surface_find_islands(&pass);
    w->stats.made = 0, w->stats.islands = w->squares.now.count;
    if (all_kept(&w->squares)) {
        w->changed = false;
        return RV_OK;
    }
    w->meniscus.there = in->meniscus;
    if (!rv_surface_remember(&pass) || !build(&pass)) return give_up(w);
    rv_surface_islands made = w->squares.now;
    w->squares.now = w->squares.before, w->squares.before = made;
    w->squares.there = true;
    return RV_OK;
}
