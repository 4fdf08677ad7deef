// The surface of liquid made of particles, where their density is that of the surface.
//
// Samples stand at the middles of cells and once more in each side of the grid, so that the mesh is
// cut flat in the side itself. A sample is how far it is from the liquid, about in cells: (level -
// ρ) / slope, and at least how deep it lies in a solid. So the mesh ends along solids as their own
// mesh does, a tenth of a cell inside them: no crack is left between the two.
#include "surface/density.h"

#include "base/memory.h"
#include "terrain/marching.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define SLOPE 0.3f // change of the density by cell at a surface at rest, with a kernel of 3 cells
#define INTO 0.1f  // cells that the liquid reaches into solids
#define COARSE 2   // cells along a side of the boxes over which velocities are averaged

// ---- Kept memory --------------------------------------------------------------------------------

static void *kept_allocate(size_t bytes, void *user)
{
    rv_kept_memory *k = user;
    k->wanted += bytes;
    if (bytes > k->size - k->used) return k->host.allocate(bytes, k->host.user);
    void *memory = k->block + k->used;
    k->used += bytes; // asked for in whole lines, so all of it stays aligned
    return memory;
}

static void kept_release(void *memory, size_t bytes, void *user)
{
    rv_kept_memory *k = user;
    uint8_t *at = memory;
    bool own = k->block && at >= k->block && at < k->block + k->size;
    if (!own && memory) k->host.release(memory, bytes, k->host.user);
}

// Forgets what was taken, and makes room for as much as was wanted.
static void kept_begin(rv_kept_memory *k)
{
    if (k->wanted > k->size) {
        rv_free(&k->host, k->block, k->size, 1);
        size_t size = k->wanted + k->wanted / 4;
        k->block = rv_new(&k->host, size, 1);
        k->size = k->block ? size : 0;
    }
    k->used = k->wanted = 0;
}

static rv_allocator kept_allocator(rv_kept_memory *k)
{
    return (rv_allocator){kept_allocate, kept_release, k};
}

// ---- Samples ------------------------------------------------------------------------------------

typedef struct maker {
    rv_density_work *w;
    const rv_density_input *in;
    const rv_density *d;
} maker;

// The cell that a sample of the lattice is of: samples in the sides are as the outermost cells.
static int cell_of(int sample, int cells)
{
    int cell = sample - 1;
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

static void fill_slice(void *user, int k, float *out)
{
    const maker *m = user;
    const rv_density *d = m->d;
    size_t flat = (size_t)d->nx * (size_t)d->ny;
    float level = (float)m->in->level;
    for (int j = 0; j < d->ny + 2; j++) {
        size_t row = (size_t)cell_of(k, d->nz) * flat + (size_t)cell_of(j, d->ny) * (size_t)d->nx;
        for (int i = 0; i < d->nx + 2; i++) {
            size_t n = row + (size_t)cell_of(i, d->nx);
            float f = (level - d->value[n]) / SLOPE;
            if (m->w->solid) f = fmaxf(f, -m->w->solid[n] - INTO);
            *out++ = f;
        }
    }
}

// Where sample i stands along an axis, m.
static double place_of(const rv_density *d, double low, int cells, int i)
{
    if (i <= 0) return low;
    return i > cells ? low + cells * d->dx : low + (i - 0.5) * d->dx;
}

static void place(void *user, const int at[3], int axis, double share, float out[3])
{
    const maker *m = user;
    const rv_density *d = m->d;
    const double low[3] = {d->low.x, d->low.y, d->low.z};
    const int cells[3] = {d->nx, d->ny, d->nz};
    for (int a = 0; a < 3; a++) {
        double p = place_of(d, low[a], cells[a], at[a]);
        if (a == axis && share > 0) p += share * (place_of(d, low[a], cells[a], at[a] + 1) - p);
        out[a] = (float)p;
    }
}

// ---- Solids -------------------------------------------------------------------------------------

// Distances at the middles of cells, found once for each terrain.
static rv_result follow_solids(rv_density_work *w, const rv_density_input *in)
{
    const rv_density *d = &in->density;
    const int n[3] = {d->nx, d->ny, d->nz};
    size_t cells = (size_t)d->nx * (size_t)d->ny * (size_t)d->nz;
    if (w->cells == cells && w->changes == in->changes && memcmp(w->n, n, sizeof n) == 0)
        return RV_OK;
    if (w->cells != cells) {
        rv_free(&w->allocator, w->solid, w->cells, sizeof *w->solid);
        w->solid = in->terrain ? rv_new(&w->allocator, cells, sizeof *w->solid) : NULL;
        w->cells = w->solid || !in->terrain ? cells : 0;
        if (in->terrain && !w->solid) return RV_OUT_OF_MEMORY;
    }
    memcpy(w->n, n, sizeof n);
    w->changes = in->changes;
    float *out = w->solid;
    for (int k = 0; k < d->nz && out; k++) {
        for (int j = 0; j < d->ny; j++) {
            for (int i = 0; i < d->nx; i++) {
                rv_vec3 p = {d->low.x + (i + 0.5) * d->dx, d->low.y + (j + 0.5) * d->dx,
                             d->low.z + (k + 0.5) * d->dx};
                *out++ = rv_terrain_distance(in->terrain, p) / (float)d->dx;
            }
        }
    }
    return RV_OK;
}

// ---- What vertices have besides their place -----------------------------------------------------

static int cell_at(double at, double low, double dx, int cells)
{
    double c = (at - low) / dx;
    return c <= 0 ? 0 : c >= cells ? cells - 1 : (int)c;
}

// Metres of liquid straight below a vertex; 0 under a drop.
static float depth_below(const maker *m, const float *at)
{
    const rv_density *d = m->d;
    int i = cell_at((double)at[0], d->low.x, d->dx, d->nx);
    int j = cell_at((double)at[1], d->low.y, d->dx, d->ny);
    int k = cell_at((double)at[2] - 0.5 * d->dx, d->low.z, d->dx, d->nz), top = k;
    size_t flat = (size_t)d->nx * (size_t)d->ny, cell = (size_t)j * (size_t)d->nx + (size_t)i;
    while (k >= 0) {
        size_t n = (size_t)k * flat + cell;
        if ((double)d->value[n] < m->in->level || (m->w->solid && m->w->solid[n] < 0)) break;
        k--;
    }
    if (k == top) return 0;
    double bottom = d->low.z + (k + 1) * d->dx;
    return (float)fmax((double)at[2] - bottom, 0);
}

typedef struct mean {
    float u, v, w, count;
} mean;

typedef struct box_grid {
    int n[3];
    size_t count;
    mean *box;
} box_grid;

static size_t box_of(const maker *m, const box_grid *g, double x, double y, double z)
{
    const rv_density *d = m->d;
    double side = COARSE * d->dx;
    size_t i = (size_t)cell_at(x, d->low.x, side, g->n[0]);
    size_t j = (size_t)cell_at(y, d->low.y, side, g->n[1]);
    size_t k = (size_t)cell_at(z, d->low.z, side, g->n[2]);
    return (k * (size_t)g->n[1] + j) * (size_t)g->n[0] + i;
}

static double part(const float *values, int64_t n, double otherwise)
{
    return values ? (double)values[n] : otherwise;
}

// Sums of the particles' velocities in boxes of a few cells.
static bool sum_velocities(const maker *m, const rv_allocator *a, box_grid *g)
{
    const rv_density *d = m->d;
    const rv_particles *p = &m->in->particles;
    const int cells[3] = {d->nx, d->ny, d->nz};
    g->count = 1;
    for (int n = 0; n < 3; n++) {
        g->n[n] = (cells[n] + COARSE - 1) / COARSE;
        g->count *= (size_t)g->n[n];
    }
    g->box = rv_new(a, g->count, sizeof *g->box);
    if (!g->box) return false;
    for (int64_t n = 0; n < p->count; n++) {
        mean *b = &g->box[box_of(m, g, part(p->x, n, p->at.x), part(p->y, n, p->at.y),
                                 part(p->z, n, p->at.z))];
        b->u += (float)part(p->u, n, 0), b->v += (float)part(p->v, n, 0);
        b->w += (float)part(p->w, n, 0), b->count += 1;
    }
    return true;
}

// The mean of the box half a cell inside the surface, where the liquid is.
static void velocity_at(const maker *m, const box_grid *g, const float *at, const float *normal,
                        float out[3])
{
    double in = 0.5 * m->d->dx;
    mean b = g->box[box_of(m, g, (double)at[0] - in * (double)normal[0],
                           (double)at[1] - in * (double)normal[1],
                           (double)at[2] - in * (double)normal[2])];
    float per = b.count > 0 ? 1 / b.count : 0;
    out[0] = b.u * per, out[1] = b.v * per, out[2] = b.w * per;
}

static rv_result add_extras(const maker *m)
{
    rv_density_work *w = m->w;
    rv_allocator a = kept_allocator(&w->kept);
    size_t count = w->mesh.vertex_count;
    box_grid g;
    w->opacity = rv_new(&a, count, sizeof *w->opacity);
    w->depth = rv_new(&a, count, sizeof *w->depth);
    w->velocity = rv_new(&a, count, 3 * sizeof *w->velocity);
    if (!w->opacity || !w->depth || !w->velocity || !sum_velocities(m, &a, &g))
        return RV_OUT_OF_MEMORY;
    for (size_t n = 0; n < count; n++) {
        const float *at = w->mesh.positions + 3 * n;
        w->opacity[n] = 1;
        w->depth[n] = depth_below(m, at);
        velocity_at(m, &g, at, w->mesh.normals + 3 * n, w->velocity + 3 * n);
    }
    rv_free(&a, g.box, g.count, sizeof *g.box);
    return RV_OK;
}

// By the sum of the tetrahedra between the triangles and a corner of the grid.
static double volume_of(const rv_mesh *mesh, const rv_density *d)
{
    const double low[3] = {d->low.x, d->low.y, d->low.z};
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3];
        for (int k = 0; k < 3; k++) {
            const float *at = mesh->positions + 3 * (size_t)mesh->indices[3 * t + (size_t)k];
            for (int a = 0; a < 3; a++) p[k][a] = (double)at[a] - low[a];
        }
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
               p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum / 6;
}

// ---- An update ----------------------------------------------------------------------------------

// The mesh of the last update, and what of it the host had to give.
static void drop_mesh(rv_density_work *w)
{
    rv_allocator a = kept_allocator(&w->kept);
    size_t count = w->mesh.vertex_count;
    rv_free(&a, w->opacity, count, sizeof *w->opacity);
    rv_free(&a, w->depth, count, sizeof *w->depth);
    rv_free(&a, w->velocity, count, 3 * sizeof *w->velocity);
    w->opacity = w->depth = w->velocity = NULL;
    rv_free(&a, w->mesh.positions, count, 3 * sizeof *w->mesh.positions);
    rv_free(&a, w->mesh.normals, count, 3 * sizeof *w->mesh.normals);
    rv_free(&a, w->mesh.indices, w->mesh.triangle_count, 3 * sizeof *w->mesh.indices);
    w->mesh = (rv_mesh){.allocator = a};
}

rv_result rv_density_build(rv_density_work *w, const rv_density_input *in)
{
    const rv_density *d = &in->density;
    if (d->nx < 1 || d->ny < 1 || d->nz < 1 || !d->value) return RV_BAD_ARGUMENT;
    w->kept.host = w->allocator;
    drop_mesh(w);
    kept_begin(&w->kept);
    w->volume = 0;
    rv_result result = follow_solids(w, in);
    if (result != RV_OK) return result;
    maker m = {.w = w, .in = in, .d = d};
    double far = fmax(fabs(d->low.x) + d->nx * d->dx, fabs(d->low.y) + d->ny * d->dx);
    far = fmax(far, fabs(d->low.z) + d->nz * d->dx);
    rv_lattice lattice = {.n = {d->nx + 2, d->ny + 2, d->nz + 2},
                          .slice = fill_slice,
                          .place = place,
                          .user = &m,
                          .inset = rv_march_inset(far, 0.5 * d->dx),
                          .normals = true,
                          .spacing = {d->dx, d->dx, d->dx},
                          .ground = INT_MIN};
    for (int n = 0; n < 6; n++) lattice.cut[n / 2][n % 2] = true;
    rv_allocator a = kept_allocator(&w->kept);
    result = rv_march(&lattice, &a, &w->mesh);
    if (result == RV_OK && w->mesh.vertex_count > 0) result = add_extras(&m);
    if (result == RV_OK)
        w->volume = volume_of(&w->mesh, d);
    else
        drop_mesh(w);
    return result;
}

void rv_density_work_free(rv_density_work *w)
{
    drop_mesh(w);
    rv_free(&w->kept.host, w->kept.block, w->kept.size, 1);
    rv_free(&w->allocator, w->solid, w->cells, sizeof *w->solid);
    *w = (rv_density_work){.allocator = w->allocator};
}

size_t rv_density_work_bytes(const rv_density_work *w)
{
    return w->kept.size + (w->solid ? w->cells * sizeof *w->solid : 0);
}
