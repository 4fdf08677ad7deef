// The terrain as the picture sees it: signed distances on a regular grid, in cells (render/vec.h).
#ifndef RENDER_FIELD_H
#define RENDER_FIELD_H

#include "render/vec.h"
#include "rivulet/rivulet.h"

enum { RV_FIELD_PEAKS = 16 };

typedef struct rv_field {
    int nx, ny, nz;   // samples; (i, j, k) stands at ((i + ½) h, (j + ½) h, z0 + k hz)
    float h, hz, z0;  // cells
    float *d;         // z fastest
    float wide, deep; // the grid's rectangle, cells
    float low, high;  // lowest and highest bed, cells
    float floor;      // underside of the block that is drawn, cells
    // Highest bed or liquid in each of 16 × 16 parts of the grid, cells; -INFINITY where there is
    // none.
    float peak[RV_FIELD_PEAKS * RV_FIELD_PEAKS];
} rv_field;

rv_result rv_field_build(rv_field *field, const rv_world *world, rv_pool *pool);
void rv_field_free(rv_field *field);

// Trilinear; positions outside are moved to the nearest sample.
static inline float rv_field_at(const rv_field *f, vec3 p)
{
    float u = clamp(p.x / f->h - 0.5f, 0, (float)(f->nx - 1));
    float v = clamp(p.y / f->h - 0.5f, 0, (float)(f->ny - 1));
    float w = clamp((p.z - f->z0) / f->hz, 0, (float)(f->nz - 1));
    int i = (int)u, j = (int)v, k = (int)w;
    i = i < f->nx - 1 ? i : f->nx > 1 ? f->nx - 2 : 0;
    j = j < f->ny - 1 ? j : f->ny > 1 ? f->ny - 2 : 0;
    k = k < f->nz - 1 ? k : f->nz - 2;
    u -= (float)i, v -= (float)j, w -= (float)k;
    size_t column = (size_t)f->nz, row = column * (size_t)f->nx;
    size_t right = f->nx > 1 ? column : 0, back = f->ny > 1 ? row : 0;
    const float *d = f->d + (size_t)j * row + (size_t)i * column + (size_t)k;
    float a = mixf(d[0], d[1], w), b = mixf(d[right], d[right + 1], w);
    float c = mixf(d[back], d[back + 1], w), e = mixf(d[back + right], d[back + right + 1], w);
    return mixf(mixf(a, b, u), mixf(c, e, u), v);
}

vec3 rv_field_normal(const rv_field *field, vec3 p);
// First t in [t0, t1] at which the ray is inside the solid; INFINITY when there is none.
float rv_field_cast(const rv_field *field, vec3 from, vec3 direction, float t0, float t1);
// The part of a ray inside the drawn block, up to `top`. false: it misses. side: 0 none (it starts
// inside), 1 x, 2 y, 3 z face.
bool rv_field_clip(const rv_field *field, vec3 from, vec3 direction, float top, float *t0,
                   float *t1, int *side);
// Share of the sky, and of a light of the given width (tangent), that reaches p; 0..1.
float rv_field_open(const rv_field *field, vec3 p, vec3 normal);
float rv_field_lit(const rv_field *field, vec3 p, vec3 normal, vec3 light, float width);

#endif
