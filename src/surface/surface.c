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

#define ARRAYS(DO)                                                                                 \
    DO(node, room, sizeof(rv_node_data))                                                           \
    DO(positions, position_room, 3 * sizeof(float))                                                \
    DO(normals, normal_room, 3 * sizeof(float))                                                    \
    DO(velocity, velocity_room, 3 * sizeof(float))                                                 \
    DO(opacity, opacity_room, sizeof(float))                                                       \
    DO(depth, depth_room, sizeof(float))                                                           \
    DO(indices, index_room, 3 * sizeof(uint32_t))

void rv_surface_work_free(rv_surface_work *w)
{
#define FREE(array, room, size) rv_free(&w->allocator, w->array, w->room, size);
    ARRAYS(FREE)
#undef FREE
    rv_free(&w->allocator, w->active, w->slots, sizeof *w->active);
    rv_free(&w->allocator, w->wet_cell, w->cells, 1);
    rv_allocator allocator = w->allocator;
    *w = (rv_surface_work){.allocator = allocator};
}

size_t rv_surface_work_bytes(const rv_surface_work *w)
{
    size_t bytes = w->slots * sizeof *w->active + w->cells;
#define ADD(array, room, size) bytes += w->room * (size);
    ARRAYS(ADD)
#undef ADD
    return bytes;
}

static bool take_maps(rv_surface_work *w, const rv_column_set *c)
{
    size_t cells = (size_t)c->grid.nx * (size_t)c->grid.ny;
    if (w->slots == c->slots && w->cells == cells) return true;
    rv_free(&w->allocator, w->active, w->slots, sizeof *w->active);
    rv_free(&w->allocator, w->wet_cell, w->cells, 1);
    w->active = rv_new(&w->allocator, c->slots, sizeof *w->active);
    w->wet_cell = rv_new(&w->allocator, cells, 1);
    w->slots = w->active ? c->slots : 0, w->cells = w->wet_cell ? cells : 0;
    return w->active && w->wet_cell;
}

rv_result rv_surface_build(rv_surface_work *w, const rv_surface_input *in)
{
    w->vertices = w->triangles = 0;
    if (!take_maps(w, in->columns) || !rv_surface_find(w, in)) return RV_OUT_OF_MEMORY;
    rv_surface_shape(w, in);
    if (rv_surface_triangulate(w, in)) return RV_OK;
    w->vertices = w->triangles = 0;
    return RV_OUT_OF_MEMORY;
}
