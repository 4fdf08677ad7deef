// The surface of droplets that fly (Zhu and Bridson 2005, "Animating Sand as a Fluid", §4): where
//
//     φ(x) = |x - x̄| - r̄ = 0,   x̄ = Σ w x_i / Σ w,  r̄ = Σ w r_i / Σ w,  w = (1 - d²/R²)³, d < R,
//
// over the droplets within R, two spacings of a stream. Alone a droplet is its own ball; many close
// together are one smooth liquid without the bumps of its parts.
//
// φ is sampled on a lattice of three quarters of the spacing, in bricks of 8³ samples that are
// there only where droplets reach. Each cell that the surface passes gets one vertex, the mean of
// where its edges cross, and each edge that crosses a quad of the four cells around it ("surface
// nets", Gibson 1998). Sums go in the order of droplets, bricks in that of their first droplet: the
// mesh does not depend on threads.
#include "surface/blobs.h"

#include <math.h>
#include <string.h>

#define SIDE 8
#define SAMPLES (SIDE * SIDE * SIDE)
#define REACH 2.0             // spacings, R
#define STEP 0.75             // spacings, of the lattice
#define THICK 6.0             // spacings, that the middle of a stream is shaded as thick as
#define REST 5.1f             // Σ w in the middle of a stream: 0.638 R³ over that of a spacing
#define PASSES 4              // of smoothing
#define PLACE_MOST 1000000000 // samples from the origin, that are believed

// Sums at a sample; of one droplet what its weight is multiplied by, w being 1.
typedef struct sums {
    float w, x, y, z, r, u, v, vz;
} sums;

typedef struct rv_blob_brick {
    int at[3];        // in bricks
    int32_t next[27]; // the bricks around it + 1; 13: itself
    sums sum[SAMPLES];
    float phi[SAMPLES];
    int32_t vertex[SAMPLES]; // of the cell above that sample + 1, 0
} brick;

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
    memset(b->sum, 0, sizeof b->sum);
    *place = ++w->brick_count;
    return w->brick_count - 1;
}

static int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static size_t sample_of(int x, int y, int z)
{
    return (size_t)((z * SIDE + y) * SIDE + x);
}

// ---- Sums ---------------------------------------------------------------------------------------

// What one droplet adds to the samples of one brick. p: place in samples from the brick's first.
static void add_to(brick *b, const double p[3], double reach, const sums *own)
{
    int lo[3], hi[3];
    float per = (float)(1 / (reach * reach)), d[3][SIDE];
    for (int a = 0; a < 3; a++) {
        lo[a] = (int)fmax(ceil(p[a] - reach), 0);
        hi[a] = (int)fmin(floor(p[a] + reach), SIDE - 1);
        for (int k = lo[a]; k <= hi[a]; k++) d[a][k] = (float)(p[a] - k);
    }
    for (int z = lo[2]; z <= hi[2]; z++)
        for (int y = lo[1]; y <= hi[1]; y++)
            for (int x = lo[0]; x <= hi[0]; x++) {
                float dx = d[0][x], dy = d[1][y], dz = d[2][z];
                float q = 1.0f - (dx * dx + dy * dy + dz * dz) * per;
                if (!(q > 0.0f)) continue;
                float w = q * q * q;
                sums *s = &b->sum[sample_of(x, y, z)];
                s->w += w * own->w, s->x += w * dx, s->y += w * dy, s->z += w * dz;
                s->r += w * own->r, s->u += w * own->u, s->v += w * own->v, s->vz += w * own->vz;
            }
}

static bool add_droplet(rv_blob_work *w, const rv_blob_input *in, int i, double step)
{
    const double at[3] = {in->at[i].x / step, in->at[i].y / step, in->at[i].z / step};
    double reach = REACH / STEP;
    int from[3], to[3], n[3];
    sums own = {.w = 1.0f,
                .r = (float)(in->radius[i] / step),
                .u = (float)in->velocity[i].x,
                .v = (float)in->velocity[i].y,
                .vz = (float)in->velocity[i].z};
    for (int a = 0; a < 3; a++) {
        if (!(fabs(at[a]) < PLACE_MOST)) return true; // nobody sees it
        from[a] = floor_div((int)ceil(at[a] - reach), SIDE);
        to[a] = floor_div((int)floor(at[a] + reach), SIDE);
    }
    for (n[2] = from[2]; n[2] <= to[2]; n[2]++)
        for (n[1] = from[1]; n[1] <= to[1]; n[1]++)
            for (n[0] = from[0]; n[0] <= to[0]; n[0]++) {
                int index = take_brick(w, n);
                if (index < 0) return false;
                const double p[3] = {at[0] - n[0] * SIDE, at[1] - n[1] * SIDE, at[2] - n[2] * SIDE};
                add_to(&w->brick[index], p, reach, &own);
            }
    return true;
}

// φ in samples; where no droplet reaches, as far as one could.
static void find_phi(void *context, int task)
{
    const rv_blob_work *w = context;
    brick *b = &w->brick[task];
    int k = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                b->next[k++] = *find(w, (int[3]){b->at[0] + x, b->at[1] + y, b->at[2] + z});
    for (int i = 0; i < SAMPLES; i++) {
        const sums *s = &b->sum[i];
        b->phi[i] = (float)(REACH / STEP);
        b->vertex[i] = 0;
        if (!(s->w > 1e-6f)) continue;
        float x = s->x / s->w, y = s->y / s->w, z = s->z / s->w;
        b->phi[i] = sqrtf(x * x + y * y + z * z) - s->r / s->w;
    }
}

// ---- Vertices -----------------------------------------------------------------------------------

// The brick that has the sample (x, y, z), -1 … SIDE, of another, and the sample in it.
static const brick *brick_at(const rv_blob_work *w, const brick *b, int x, int y, int z, size_t *i)
{
    int bx = x < 0 ? 0 : x >= SIDE ? 2 : 1, by = y < 0 ? 0 : y >= SIDE ? 2 : 1;
    int bz = z < 0 ? 0 : z >= SIDE ? 2 : 1;
    int32_t n = b->next[(bz * 3 + by) * 3 + bx];
    *i = sample_of(x & (SIDE - 1), y & (SIDE - 1), z & (SIDE - 1));
    return n > 0 ? &w->brick[n - 1] : NULL;
}

static float phi_at(const rv_blob_work *w, const brick *b, int x, int y, int z)
{
    size_t i;
    if (x < SIDE && y < SIDE && z < SIDE) return b->phi[sample_of(x, y, z)]; // as most are
    const brick *other = brick_at(w, b, x, y, z, &i);
    return other ? other->phi[i] : (float)(REACH / STEP);
}

// Of a brick's samples, and of those one beyond, which are inside: a row is nine bits.
typedef struct insides {
    uint16_t row[SIDE + 1][SIDE + 1]; // by z, by y
} insides;

static insides find_insides(const rv_blob_work *w, const brick *b)
{
    insides in;
    for (int z = 0; z <= SIDE; z++)
        for (int y = 0; y <= SIDE; y++) {
            unsigned bits = 0;
            if (y < SIDE && z < SIDE) {
                const float *phi = b->phi + sample_of(0, y, z);
                for (int x = 0; x < SIDE; x++) bits |= (unsigned)(phi[x] < 0.0f) << x;
            } else {
                for (int x = 0; x < SIDE; x++)
                    bits |= (unsigned)(phi_at(w, b, x, y, z) < 0.0f) << x;
            }
            bits |= (unsigned)(phi_at(w, b, SIDE, y, z) < 0.0f) << SIDE;
            in.row[z][y] = (uint16_t)bits;
        }
    return in;
}

// Of a row of cells, bits of those that the surface passes.
static unsigned cells_crossed(const insides *in, int y, int z)
{
    const uint16_t *low = &in->row[z][y], *high = &in->row[z + 1][y];
    unsigned any = low[0] | low[1] | high[0] | high[1];
    unsigned all = low[0] & low[1] & high[0] & high[1];
    return (any | any >> 1) & ~(all & all >> 1) & ((1u << SIDE) - 1);
}

// Of a row of samples, bits of those from which an edge along an axis crosses the surface.
static unsigned edges_crossed(const insides *in, int y, int z)
{
    unsigned own = in->row[z][y];
    unsigned other = (own ^ own >> 1) | (own ^ in->row[z][y + 1]) | (own ^ in->row[z + 1][y]);
    return other & ((1u << SIDE) - 1);
}

// The mean of where the edges of a cell cross the surface, in samples from its low corner.
static bool cross(const float f[8], float out[3])
{
    int count = 0;
    out[0] = out[1] = out[2] = 0.0f;
    for (int c = 0; c < 8; c++)
        for (int a = 0; a < 3; a++) {
            int d = c | 1 << a;
            if (d == c || (f[c] < 0.0f) == (f[d] < 0.0f)) continue;
            float share = f[c] / (f[c] - f[d]);
            for (int k = 0; k < 3; k++) out[k] += k == a ? share : (float)(c >> k & 1);
            count++;
        }
    for (int k = 0; k < 3 && count > 0; k++) out[k] /= (float)count;
    return count > 0;
}

static void gradient(const float f[8], float out[3])
{
    for (int a = 0; a < 3; a++) {
        out[a] = 0.0f;
        for (int c = 0; c < 8; c++) out[a] += c >> a & 1 ? f[c] : -f[c];
    }
    float l = sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int a = 0; a < 3; a++) out[a] = l > 1e-9f ? out[a] / l : a == 2;
}

static bool room_for_vertex(rv_blob_work *w)
{
    int64_t need = (int64_t)w->vertices + 1;
    const rv_allocator *a = &w->allocator;
    return rv_array_grow(a, &w->positions, &w->vertex_room[0], need, 3 * sizeof(float)) &&
           rv_array_grow(a, &w->normals, &w->vertex_room[1], need, 3 * sizeof(float)) &&
           rv_array_grow(a, &w->velocity, &w->vertex_room[2], need, 3 * sizeof(float)) &&
           rv_array_grow(a, &w->depth, &w->vertex_room[3], need, sizeof(float)) &&
           rv_array_grow(a, &w->sum, &w->vertex_room[4], need, 8 * sizeof(float));
}

// How much of a stream the liquid around a sample is, 0 … 1; 0: one droplet alone.
static float many_at(float w)
{
    return fminf(fmaxf(5.0f * w / REST - 1.0f, 0.0f), 1.0f);
}

// A ball that is alone is smaller than two cells: its vertices are moved out to where it ends.
static void round_off(const sums *s, const float near[3], float p[3], float n[3])
{
    float per = 1.0f / s->w, many = many_at(s->w), d[3], l = 0.0f;
    const float middle[3] = {near[0] + s->x * per, near[1] + s->y * per, near[2] + s->z * per};
    for (int a = 0; a < 3; a++) d[a] = p[a] - middle[a], l += d[a] * d[a];
    l = sqrtf(l);
    for (int a = 0; a < 3 && l > 1e-6f; a++) {
        p[a] += (1.0f - many) * (middle[a] + d[a] / l * s->r * per - p[a]);
        n[a] += (1.0f - many) * (d[a] / l - n[a]);
    }
}

static void put_extras(rv_blob_work *w, const sums *s, double spacing)
{
    size_t own = (size_t)w->vertices;
    float per = s->w > 0.0f ? 1.0f / s->w : 0.0f;
    w->velocity[3 * own] = s->u * per, w->velocity[3 * own + 1] = s->v * per;
    w->velocity[3 * own + 2] = s->vz * per;
    w->depth[own] = (float)(THICK * spacing) * fminf(s->w / REST, 1.0f);
}

static bool put_vertex(rv_blob_work *w, brick *b, int x, int y, int z, const rv_blob_input *in)
{
    float f[8], p[3], n[3];
    for (int c = 0; c < 8; c++) f[c] = phi_at(w, b, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
    if (!cross(f, p)) return true;
    if (!room_for_vertex(w)) return false;
    size_t i, own = (size_t)w->vertices; // i: of the cell's samples the nearest
    const float at[3] = {p[0] > 0.5f, p[1] > 0.5f, p[2] > 0.5f};
    const brick *near = brick_at(w, b, x + (p[0] > 0.5f), y + (p[1] > 0.5f), z + (p[2] > 0.5f), &i);
    sums none = {.w = 0.0f}, s = near ? near->sum[i] : none;
    const int low[3] = {x, y, z};
    gradient(f, n);
    if (s.w > 0.0f) round_off(&s, at, p, n);
    for (int a = 0; a < 3; a++) {
        double place = (double)b->at[a] * SIDE + low[a] + (double)p[a];
        w->positions[3 * own + (size_t)a] = (float)(place * STEP * in->spacing);
        w->normals[3 * own + (size_t)a] = n[a];
    }
    put_extras(w, &s, in->spacing);
    b->vertex[sample_of(x, y, z)] = ++w->vertices;
    return true;
}

// ---- Triangles ----------------------------------------------------------------------------------

static uint32_t vertex_at(const rv_blob_work *w, const brick *b, int x, int y, int z)
{
    size_t i;
    const brick *other = brick_at(w, b, x, y, z, &i);
    return other && other->vertex[i] > 0 ? (uint32_t)other->vertex[i] - 1 : UINT32_MAX;
}

// The quad around the edge from a sample along an axis, of the cells on its four sides.
static bool put_quad(rv_blob_work *w, const brick *b, int x, int y, int z, int axis, bool up)
{
    const int e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int *p = e[(axis + 1) % 3], *q = e[(axis + 2) % 3];
    uint32_t v[4] = {vertex_at(w, b, x, y, z), vertex_at(w, b, x - p[0], y - p[1], z - p[2]),
                     vertex_at(w, b, x - p[0] - q[0], y - p[1] - q[1], z - p[2] - q[2]),
                     vertex_at(w, b, x - q[0], y - q[1], z - q[2])};
    for (int k = 0; k < 4; k++)
        if (v[k] == UINT32_MAX) return true;
    if (!rv_array_grow(&w->allocator, &w->indices, &w->triangle_room, (int64_t)w->triangles + 2,
                       3 * sizeof *w->indices))
        return false;
    uint32_t *to = w->indices + 3 * (size_t)w->triangles;
    const int order[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
    for (int k = 0; k < 6; k++) to[k] = v[order[up][k]];
    w->triangles += 2;
    return true;
}

static bool put_quads(rv_blob_work *w, brick *b, int x, int y, int z, const rv_blob_input *in)
{
    (void)in;
    float own = phi_at(w, b, x, y, z);
    for (int a = 0; a < 3; a++) {
        float other = phi_at(w, b, x + (a == 0), y + (a == 1), z + (a == 2));
        if ((own < 0.0f) == (other < 0.0f)) continue;
        if (!put_quad(w, b, x, y, z, a, own < 0.0f)) return false;
    }
    return true;
}

// ---- Smoothing ----------------------------------------------------------------------------------

// Moves what vertices have by a share of the way to the mean of those beside them; balls that are
// alone have too few of them, and stay as they are. `thick`: as `depth` is in a stream's middle.
static void even_out(rv_blob_work *w, float *of, float share, float thick)
{
    float *sum = w->sum, *place = sum + 4 * (size_t)w->vertices; // places with a 1 behind each
    memset(sum, 0, (size_t)w->vertices * 4 * sizeof *sum);
    for (size_t n = 0; n < (size_t)w->vertices; n++)
        memcpy(place + 4 * n, of + 3 * n, 3 * sizeof *of), place[4 * n + 3] = 1.0f;
    for (size_t n = 0; n < 3 * (size_t)w->triangles; n += 3) {
        for (size_t k = 0; k < 3; k++) {
            float *to = sum + 4 * (size_t)w->indices[n + k];
            const float *from = place + 4 * (size_t)w->indices[n + (k + 1) % 3];
            for (int a = 0; a < 4; a++) to[a] += from[a];
        }
    }
    for (size_t n = 0; n < (size_t)w->vertices; n++) {
        const float *to = sum + 4 * n;
        float many = many_at(REST * w->depth[n] / thick);
        for (size_t a = 0; a < 3 && to[3] > 0.0f; a++)
            of[3 * n + a] += share * many * (to[a] / to[3] - of[3 * n + a]);
    }
}

// There and a little more back (Taubin 1995, "A Signal Processing Approach to Fair Surface
// Design"): bumps of single droplets go, and the stream stays as thick as it was.
static void smooth(rv_blob_work *w, float thick)
{
    if (w->vertices == 0) return;
    for (int pass = 0; pass < PASSES; pass++) {
        even_out(w, w->positions, 0.5f, thick);
        even_out(w, w->positions, -0.53f, thick);
        even_out(w, w->normals, 0.5f, thick);
    }
    for (size_t n = 0; n < (size_t)w->vertices; n++) {
        float *d = w->normals + 3 * n, l = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int a = 0; a < 3; a++) d[a] = l > 1e-9f ? d[a] / l : a == 2;
    }
}

// ---- An update ----------------------------------------------------------------------------------

// Does something at all samples of all bricks, in order, at which there is something to do.
static bool put_all(rv_blob_work *w, const rv_blob_input *in,
                    unsigned (*crossed)(const insides *in, int y, int z),
                    bool (*put)(rv_blob_work *, brick *, int, int, int, const rv_blob_input *))
{
    for (int i = 0; i < w->brick_count; i++) {
        const insides of = find_insides(w, &w->brick[i]);
        for (int k = 0; k < SIDE * SIDE; k++)
            for (unsigned bits = crossed(&of, k % SIDE, k / SIDE); bits; bits &= bits - 1)
                if (!put(w, &w->brick[i], __builtin_ctz(bits), k % SIDE, k / SIDE, in))
                    return false;
    }
    return true;
}

rv_result rv_blobs_build(rv_blob_work *w, const rv_blob_input *in)
{
    w->vertices = w->triangles = w->brick_count = 0;
    if (w->table) memset(w->table, 0, (size_t)w->table_room * sizeof *w->table);
    for (int i = 0; i < in->count; i++) {
        if (in->hangs[i] != 0 || in->radius[i] > in->largest) continue;
        if (!add_droplet(w, in, i, STEP * in->spacing)) return RV_OUT_OF_MEMORY;
    }
    rv_parallel_for(in->pool, w->brick_count, find_phi, w);
    if (!put_all(w, in, cells_crossed, put_vertex) || !put_all(w, in, edges_crossed, put_quads))
        return RV_OUT_OF_MEMORY;
    smooth(w, (float)(THICK * in->spacing));
    return RV_OK;
}

void rv_blobs_free(rv_blob_work *w)
{
    rv_allocator a = w->allocator;
    rv_free(&a, w->brick, (size_t)w->brick_room, sizeof *w->brick);
    rv_free(&a, w->table, (size_t)w->table_room, sizeof *w->table);
    rv_free(&a, w->positions, (size_t)w->vertex_room[0], 3 * sizeof(float));
    rv_free(&a, w->normals, (size_t)w->vertex_room[1], 3 * sizeof(float));
    rv_free(&a, w->velocity, (size_t)w->vertex_room[2], 3 * sizeof(float));
    rv_free(&a, w->depth, (size_t)w->vertex_room[3], sizeof(float));
    rv_free(&a, w->sum, (size_t)w->vertex_room[4], 8 * sizeof(float));
    rv_free(&a, w->indices, (size_t)w->triangle_room, 3 * sizeof *w->indices);
    *w = (rv_blob_work){.allocator = a};
}

size_t rv_blobs_bytes(const rv_blob_work *w)
{
    return (size_t)w->brick_room * sizeof *w->brick + (size_t)w->table_room * sizeof *w->table +
           (size_t)w->vertex_room[0] * 18 * sizeof(float) +
           (size_t)w->triangle_room * 3 * sizeof *w->indices;
}
