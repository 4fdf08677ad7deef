// What vertices.c and triangles.c share: the mesh being made, and a vertex of it.
#ifndef RV_SURFACE_MESHER_H
#define RV_SURFACE_MESHER_H

#include "surface/surface.h"

#include <math.h>

typedef struct rv_vec {
    float x, y, z;
} rv_vec;

typedef struct rv_vertex {
    rv_vec at, normal, velocity;
    float opacity, depth;
} rv_vertex;

typedef struct rv_mesher {
    rv_surface_work *w;
    const rv_surface_input *in;
    float dx, per_dx, per_opaque;
    double x0, y0;
} rv_mesher;

rv_mesher rv_mesher_of(rv_surface_work *w, const rv_surface_input *in);
// The vertex of any node.
rv_vertex rv_vertex_at(const rv_mesher *m, uint32_t node);
void rv_vertex_store(rv_surface_work *w, uint32_t index, const rv_vertex *v);

static inline rv_vec rv_vec_unit(rv_vec v)
{
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    if (!(length > 0.0f)) return (rv_vec){0, 0, 1};
    float per = 1.0f / length;
    return (rv_vec){v.x * per, v.y * per, v.z * per};
}

#endif
