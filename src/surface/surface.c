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
    DO(drop, drop_room, 1)
#define GROWING(DO)                                                                                \
    OF_VERTICES(DO)                                                                                \
    DO(indices, index_room, 3)                                                                     \
    DO(records, room, 1)                                                                           \
    DO(ends, ends_room, 1)                                                                         \
    DO(fresh, fresh_room, 1)                                                                       \
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
    bool good = grow(w, (void **)&w->indices, &w->index_room, 0, triangles, 3 * sizeof *w->indices);
#define GROW(array, room, n)                                                                       \
    good = good && grow(w, (void **)&w->array, &w->room, 0, vertices, (n) * sizeof *w->array);
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
           rv_surface_grow_nodes(w, w->slots);
    if (!good) free_maps(w);
    return good;
}

void rv_surface_work_free(rv_surface_work *w)
{
#define FREE(array, room, n) rv_free(&w->allocator, w->array, w->room, (n) * sizeof *w->array);
    GROWING(FREE)
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
#define ADD(array) bytes += w->nodes_room * sizeof *w->array;
    BY_NODE(ADD)
#undef ADD
#define ADD(array) bytes += w->slots * sizeof *w->array;
    BY_SLOT(ADD)
#undef ADD
    return bytes + rv_meniscus_bytes(&w->meniscus);
}

// ---- Sharing out --------------------------------------------------------------------------------

// At least four rows: a band may touch nodes of two rows beyond it on either side.
void rv_surface_cut_bands(rv_surface_work *w, int y0, int y1)
{
    int rows = y1 - y0, height = rows < 64 ? 4 : 8, most = RV_BANDS_MAX - 1;
    if ((rows + height - 1) / height > most) height = (rows + most - 1) / most;
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

static bool build(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    if (!rv_surface_find(p)) return false;
    if (w->bands == 0) {
        w->stats = (rv_surface_stats){0};
        return true;
    }
    return rv_surface_extend(p) && rv_surface_triangulate(p) && rv_surface_fill(p);
}

rv_result rv_surface_build(rv_surface_work *w, const rv_surface_input *in)
{
    const rv_grid *g = &in->columns->grid;
    if (!w->loops) w->loops = rv_surface_rows_best();
    w->vertices = w->triangles = 0;
    if (!take_maps(w, in->columns)) return RV_OUT_OF_MEMORY;
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
    if (build(&pass) && rv_meniscus_make(&pass)) return RV_OK;
    free_maps(w); // half-made: begin anew next time
    w->vertices = w->triangles = 0;
    return RV_OUT_OF_MEMORY;
}
