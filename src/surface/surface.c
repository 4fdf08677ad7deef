// The surface's memory, and one update of it from beginning to end.
#include "surface/surface.h"

#include "base/memory.h"

#include <string.h>

bool rv_surface_grow(const rv_surface_work *w, void **array, uint32_t *room, uint32_t used,
                     uint64_t need, size_t size)
{
    if (need <= *room) return true;
    uint64_t fresh = need + need / 2 + 256;
    if (fresh >= UINT32_MAX) return false;
    void *memory = rv_new(&w->allocator, (size_t)fresh, size);
    if (!memory) return false;
    if (used > 0) memcpy(memory, *array, used * size);
    rv_free(&w->allocator, *array, *room, size);
    *array = memory, *room = (uint32_t)fresh;
    return true;
}

#define GROWING(DO)                                                                                \
    DO(row, row_room, sizeof(rv_surface_row))                                                      \
    DO(records, room, sizeof(rv_node_record))                                                      \
    DO(positions, position_room, 3 * sizeof(float))                                                \
    DO(normals, normal_room, 3 * sizeof(float))                                                    \
    DO(velocity, velocity_room, 3 * sizeof(float))                                                 \
    DO(opacity, opacity_room, sizeof(float))                                                       \
    DO(depth, depth_room, sizeof(float))                                                           \
    DO(indices, index_room, 3 * sizeof(uint32_t))
#define BY_NODE(DO) DO(z) DO(kind) DO(inside) DO(vertex) DO(record)
#define BY_SLOT(DO) DO(level) DO(bits) DO(quad)

bool rv_surface_reserve(rv_surface_work *w, uint64_t vertices, uint64_t triangles)
{
    uint32_t n = w->vertices;
    vertices += n, triangles += w->triangles;
    return rv_surface_grow(w, (void **)&w->positions, &w->position_room, n, vertices,
                           3 * sizeof(float)) &&
           rv_surface_grow(w, (void **)&w->normals, &w->normal_room, n, vertices,
                           3 * sizeof(float)) &&
           rv_surface_grow(w, (void **)&w->velocity, &w->velocity_room, n, vertices,
                           3 * sizeof(float)) &&
           rv_surface_grow(w, (void **)&w->opacity, &w->opacity_room, n, vertices, sizeof(float)) &&
           rv_surface_grow(w, (void **)&w->depth, &w->depth_room, n, vertices, sizeof(float)) &&
           rv_surface_grow(w, (void **)&w->indices, &w->index_room, w->triangles, triangles,
                           3 * sizeof(uint32_t));
}

bool rv_surface_grow_nodes(rv_surface_work *w, size_t need)
{
    if (need <= w->nodes_room) return true;
    size_t fresh = need + (need - w->slots) + 256, old = w->nodes_room;
    bool good = fresh < UINT32_MAX;
#define GROW(array)                                                                                \
    if (good) {                                                                                    \
        void *memory = rv_new(&w->allocator, fresh, sizeof *w->array);                             \
        good = memory != NULL;                                                                     \
        if (good) {                                                                                \
            if (old > 0) memcpy(memory, w->array, old * sizeof *w->array);                         \
            rv_free(&w->allocator, w->array, w->array##_room, sizeof *w->array);                   \
            w->array = memory, w->array##_room = fresh;                                            \
        }                                                                                          \
    }
    BY_NODE(GROW)
#undef GROW
    if (good) {
        memset(w->record + old, 0xff, (fresh - old) * sizeof *w->record);
        memset(w->vertex + old, 0xff, (fresh - old) * sizeof *w->vertex);
        w->nodes_room = fresh;
    }
    return good;
}

static void free_maps(rv_surface_work *w)
{
#define FREE(array)                                                                                \
    rv_free(&w->allocator, w->array, w->array##_room, sizeof *w->array);                           \
    w->array = NULL, w->array##_room = 0;
    BY_NODE(FREE)
#undef FREE
#define FREE(array)                                                                                \
    rv_free(&w->allocator, w->array, w->slots, sizeof *w->array);                                  \
    w->array = NULL;
    BY_SLOT(FREE)
#undef FREE
    rv_free(&w->allocator, w->wet_cell, w->cells, 1);
    rv_free(&w->allocator, w->wet_from, w->wet_rows, sizeof *w->wet_from);
    rv_free(&w->allocator, w->wet_to, w->wet_rows, sizeof *w->wet_to);
    w->wet_cell = NULL, w->wet_from = w->wet_to = NULL;
    w->slots = w->cells = w->nodes_room = 0, w->wet_rows = 0, w->rows = 0;
}

void rv_surface_work_free(rv_surface_work *w)
{
#define FREE(array, room, size) rv_free(&w->allocator, w->array, w->room, size);
    GROWING(FREE)
#undef FREE
    free_maps(w);
    rv_allocator allocator = w->allocator;
    *w = (rv_surface_work){.allocator = allocator};
}

size_t rv_surface_work_bytes(const rv_surface_work *w)
{
    size_t bytes = w->cells + 2 * w->wet_rows * sizeof *w->wet_from;
#define ADD(array, room, size) bytes += w->room * (size);
    GROWING(ADD)
#undef ADD
#define ADD(array) bytes += w->nodes_room * sizeof *w->array;
    BY_NODE(ADD)
#undef ADD
#define ADD(array) bytes += w->slots * sizeof *w->array;
    BY_SLOT(ADD)
#undef ADD
    return bytes;
}

// Arrays as long as the columns.
static bool take_maps(rv_surface_work *w, const rv_column_set *c)
{
    size_t cells = (size_t)c->grid.nx * (size_t)c->grid.ny, rows = (size_t)c->grid.ny;
    if (w->slots == c->slots && w->cells == cells) return true;
    free_maps(w);
    w->slots = c->slots, w->cells = cells, w->wet_rows = (uint32_t)rows;
    bool good = true;
#define TAKE(array) good = (w->array = rv_new(&w->allocator, w->slots, sizeof *w->array)) && good;
    BY_SLOT(TAKE)
#undef TAKE
    w->wet_cell = rv_new(&w->allocator, cells, 1);
    w->wet_from = rv_new(&w->allocator, rows, sizeof *w->wet_from);
    w->wet_to = rv_new(&w->allocator, rows, sizeof *w->wet_to);
    good = good && w->wet_cell && w->wet_from && w->wet_to && rv_surface_grow_nodes(w, w->slots);
    if (!good) free_maps(w);
    return good;
}

rv_result rv_surface_build(rv_surface_work *w, const rv_surface_input *in)
{
    if (!w->loops) w->loops = rv_surface_rows_best();
    w->vertices = w->triangles = 0;
    if (!take_maps(w, in->columns)) return RV_OUT_OF_MEMORY;
    bool good = rv_surface_find(w, in);
    if (good) {
        rv_surface_shape(w, in);
        good = rv_surface_vertices(w, in) && rv_surface_triangulate(w, in);
    }
    if (!good) {
        free_maps(w); // half-made: begin anew next time
        w->vertices = w->triangles = 0;
        return RV_OUT_OF_MEMORY;
    }
    w->stats.extra = w->count - w->columns, w->stats.columns = 0;
    for (uint32_t r = 0; r < w->rows; r++) w->stats.columns += w->row[r].vertex_count;
    return RV_OK;
}
