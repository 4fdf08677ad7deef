// The mesh of droplets' bricks. Each cell that the surface passes gets one vertex, the mean of
// where its edges cross, and each edge that crosses a quad of the four cells around it ("surface
// nets", Gibson 1998). Bricks count what they will make; then each knows where to put it, and all
// work at once. At last the mesh is smoothed.
#include "surface/blobs_inside.h"

#include <math.h>
#include <string.h>

#define SIDE RV_BLOB_SIDE
#define THICK 6.0  // spacings, that the middle of a stream is shaded as thick as
#define REST 10.0f // Σ w in the middle of a stream: 0.638 R³ over that of a spacing
#define PASSES 4   // of smoothing

typedef rv_blob_brick brick;

typedef struct maker {
    rv_blob_work *w;
    const rv_blob_input *in;
    const float *from[2]; // a turn of smoothing
    float *to[2];
    float share[2];
} maker;

// ---- Samples around a brick ---------------------------------------------------------------------

// The brick that has the sample (x, y, z), -1 … SIDE, of another, and the sample in it.
static const brick *brick_at(const rv_blob_work *w, const brick *b, int x, int y, int z, size_t *i)
{
    int bx = x < 0 ? 0 : x >= SIDE ? 2 : 1, by = y < 0 ? 0 : y >= SIDE ? 2 : 1;
    int bz = z < 0 ? 0 : z >= SIDE ? 2 : 1;
    int32_t n = b->next[(bz * 3 + by) * 3 + bx];
    *i = rv_blob_sample(x & (SIDE - 1), y & (SIDE - 1), z & (SIDE - 1));
    return n > 0 ? &w->brick[n - 1] : NULL;
}

static float phi_at(const rv_blob_work *w, const brick *b, int x, int y, int z)
{
    size_t i;
    if (x < SIDE && y < SIDE && z < SIDE) return b->phi[rv_blob_sample(x, y, z)]; // as most are
    const brick *other = brick_at(w, b, x, y, z, &i);
    return other ? other->phi[i] : RV_BLOB_FAR;
}

static void find_insides(const rv_blob_work *w, brick *b)
{
    for (int z = 0; z <= SIDE; z++)
        for (int y = 0; y <= SIDE; y++) {
            int row = ((z >= SIDE) + 1) * 9 + ((y >= SIDE) + 1) * 3, in_y = y & (SIDE - 1);
            int32_t own = b->next[row + 1], beyond = b->next[row + 2];
            unsigned bits = own ? w->brick[own - 1].under[z & (SIDE - 1)][in_y] : 0;
            if (beyond) bits |= (w->brick[beyond - 1].under[z & (SIDE - 1)][in_y] & 1u) << SIDE;
            b->inside[z][y] = (uint16_t)bits;
        }
}

#define ROW ((1u << SIDE) - 1)

// Of a row of cells, bits of those that the surface passes.
static unsigned cells_crossed(const brick *b, int y, int z)
{
    const uint16_t *low = &b->inside[z][y], *high = &b->inside[z + 1][y];
    unsigned any = low[0] | low[1] | high[0] | high[1];
    unsigned all = low[0] & low[1] & high[0] & high[1];
    return (any | any >> 1) & ~(all & all >> 1) & ROW;
}

// Of a row of samples, bits of those from which the edge along an axis crosses the surface.
static unsigned edges_crossed(const brick *b, int y, int z, int axis)
{
    unsigned own = b->inside[z][y];
    unsigned other = axis == 0 ? own >> 1 : axis == 1 ? b->inside[z][y + 1] : b->inside[z + 1][y];
    return (own ^ other) & ROW;
}

static void count_brick(void *context, int task)
{
    const maker *m = context;
    brick *b = &m->w->brick[task];
    find_insides(m->w, b);
    b->vertices = b->quads = 0;
    for (int z = 0; z < SIDE; z++) {
        uint64_t cells = 0, edges[3] = {0, 0, 0}; // of a slice
        for (int y = 0; y < SIDE; y++) {
            cells |= (uint64_t)cells_crossed(b, y, z) << SIDE * y;
            for (int a = 0; a < 3; a++) edges[a] |= (uint64_t)edges_crossed(b, y, z, a) << SIDE * y;
        }
        b->vertices += __builtin_popcountll(cells);
        for (int a = 0; a < 3; a++) b->quads += __builtin_popcountll(edges[a]);
    }
}

// ---- Vertices -----------------------------------------------------------------------------------

// φ at the corners of a cell: x first, then y, then z.
static void corners(const rv_blob_work *w, const brick *b, const int low[3], float f[8])
{
    if (low[0] < SIDE - 1 && low[1] < SIDE - 1 && low[2] < SIDE - 1) { // as most are
        const float *phi = b->phi + rv_blob_sample(low[0], low[1], low[2]);
        for (int c = 0; c < 8; c += 2) {
            const float *row = phi + (c & 2 ? SIDE : 0) + (c & 4 ? SIDE * SIDE : 0);
            f[c] = row[0], f[c + 1] = row[1];
        }
        return;
    }
    for (int c = 0; c < 8; c++)
        f[c] = phi_at(w, b, low[0] + (c & 1), low[1] + (c >> 1 & 1), low[2] + (c >> 2));
}

// The mean of where the edges of a cell cross the surface, in samples from its low corner.
static void cross(const float f[8], float out[3])
{
    static const uint8_t edge[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                        {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    unsigned under = 0, count = 0, whole[3] = {0, 0, 0}; // whole: crossings at the far side
    float part[3] = {0.0f, 0.0f, 0.0f};
    for (unsigned c = 0; c < 8; c++) under |= (unsigned)(f[c] < 0.0f) << c;
    for (int e = 0; e < 12; e++) {
        unsigned c = edge[e][0], d = edge[e][1];
        if (!((under >> c ^ under >> d) & 1)) continue;
        part[e / 4] += f[c] / (f[c] - f[d]);
        whole[0] += c & 1, whole[1] += c >> 1 & 1, whole[2] += c >> 2;
        count++;
    }
    float per = count > 0 ? 1.0f / (float)count : 0.0f;
    for (int a = 0; a < 3; a++) out[a] = (part[a] + (float)whole[a]) * per;
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

// How much of a stream the liquid around a sample is, 0 … 1; 0: one droplet alone.
static float many_at(float w)
{
    return fminf(fmaxf(5.0f * w / REST - 1.0f, 0.0f), 1.0f);
}

// A ball that is alone is smaller than two cells: its vertices are moved out to where it ends.
static void round_off(const float sum[RV_BLOB_SUMS], const float near[3], float p[3], float n[3])
{
    float per = 1.0f / sum[RV_BLOB_W], many = many_at(sum[RV_BLOB_W]), d[3], l = 0.0f, middle[3];
    if (many >= 1.0f) return;
    for (int a = 0; a < 3; a++) {
        middle[a] = near[a] + sum[RV_BLOB_X + a] * per;
        d[a] = p[a] - middle[a], l += d[a] * d[a];
    }
    l = sqrtf(l);
    for (int a = 0; a < 3 && l > 1e-6f; a++) {
        p[a] += (1.0f - many) * (middle[a] + d[a] / l * sum[RV_BLOB_R] * per - p[a]);
        n[a] += (1.0f - many) * (d[a] / l - n[a]);
    }
}

static void put_vertex(const maker *m, brick *b, const int low[3], size_t own)
{
    rv_blob_work *w = m->w;
    float f[8], p[3], n[3], near[3], sum[RV_BLOB_SUMS] = {0};
    corners(w, b, low, f);
    cross(f, p);
    gradient(f, n);
    int at[3]; // of the cell's samples the nearest
    size_t i;
    for (int a = 0; a < 3; a++) at[a] = low[a] + (p[a] > 0.5f), near[a] = (float)(at[a] - low[a]);
    const brick *has = brick_at(w, b, at[0], at[1], at[2], &i);
    for (int k = 0; k < RV_BLOB_SUMS && has; k++) sum[k] = has->sum[k][i];
    if (sum[RV_BLOB_W] > 0.0f) round_off(sum, near, p, n);
    float per = sum[RV_BLOB_W] > 0.0f ? 1.0f / sum[RV_BLOB_W] : 0.0f;
    for (int a = 0; a < 3; a++) {
        double place = (double)b->at[a] * SIDE + low[a] + (double)p[a];
        w->smooth[0][4 * own + (size_t)a] = (float)(place * RV_BLOB_STEP * m->in->spacing);
        w->smooth[1][4 * own + (size_t)a] = n[a];
        w->velocity[3 * own + (size_t)a] = sum[RV_BLOB_U + a] * per;
    }
    w->smooth[0][4 * own + 3] = 0.0f;
    w->smooth[1][4 * own + 3] =
        (float)(THICK * m->in->spacing) * fminf(sum[RV_BLOB_W] / REST, 1.0f);
    w->part[own] = many_at(sum[RV_BLOB_W]);
}

static void put_vertices(void *context, int task)
{
    const maker *m = context;
    brick *b = &m->w->brick[task];
    int own = b->first_vertex;
    for (int k = 0; k < SIDE * SIDE; k++)
        for (unsigned bits = cells_crossed(b, k % SIDE, k / SIDE); bits; bits &= bits - 1) {
            const int low[3] = {__builtin_ctz(bits), k % SIDE, k / SIDE};
            put_vertex(m, b, low, (size_t)own);
            b->vertex[rv_blob_sample(low[0], low[1], low[2])] = ++own;
        }
}

// ---- Triangles ----------------------------------------------------------------------------------

static int32_t vertex_at(const rv_blob_work *w, const brick *b, int x, int y, int z)
{
    size_t i;
    if (x >= 0 && y >= 0 && z >= 0) return b->vertex[rv_blob_sample(x, y, z)];
    const brick *other = brick_at(w, b, x, y, z, &i);
    return other ? other->vertex[i] : 0;
}

// The quad around the edge from a sample along an axis, of the cells on its four sides. false: one
// of them is where no droplet reaches.
static bool put_quad(const rv_blob_work *w, const brick *b, const int at[3], int axis, uint32_t *to)
{
    static const int e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int order[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
    const int x = at[0], y = at[1], z = at[2], *p = e[(axis + 1) % 3], *q = e[(axis + 2) % 3];
    const int32_t v[4] = {vertex_at(w, b, x, y, z), vertex_at(w, b, x - p[0], y - p[1], z - p[2]),
                          vertex_at(w, b, x - p[0] - q[0], y - p[1] - q[1], z - p[2] - q[2]),
                          vertex_at(w, b, x - q[0], y - q[1], z - q[2])};
    bool up = b->inside[z][y] >> x & 1;
    for (int k = 0; k < 4; k++)
        if (v[k] == 0) return false;
    for (int k = 0; k < 6; k++) to[k] = (uint32_t)v[order[up][k]] - 1;
    return true;
}

static void put_quads(void *context, int task)
{
    const maker *m = context;
    brick *b = &m->w->brick[task];
    uint32_t *to = m->w->indices + 6 * (size_t)b->first_quad;
    b->quads = 0;
    for (int k = 0; k < SIDE * SIDE; k++) {
        unsigned of[3], any = 0;
        for (int a = 0; a < 3; a++) any |= of[a] = edges_crossed(b, k % SIDE, k / SIDE, a);
        for (; any; any &= any - 1) {
            const int at[3] = {__builtin_ctz(any), k % SIDE, k / SIDE};
            for (int a = 0; a < 3; a++)
                if ((of[a] >> at[0] & 1) && put_quad(m->w, b, at, a, to)) b->quads++, to += 6;
        }
    }
}

// Moves quads together where bricks made fewer than they had room for.
static void close_up(rv_blob_work *w)
{
    size_t quads = 0;
    for (int i = 0; i < w->brick_count; i++) {
        const brick *b = &w->brick[i];
        size_t first = (size_t)b->first_quad, count = (size_t)b->quads;
        if (first != quads)
            memmove(w->indices + 6 * quads, w->indices + 6 * first, 6 * count * sizeof *w->indices);
        quads += count;
    }
    w->triangles = 2 * (int)quads;
}

// ---- Smoothing ----------------------------------------------------------------------------------

// Lists the vertices beside each: of every corner the next one, in the order of triangles.
static void list_neighbours(rv_blob_work *w)
{
    size_t corners = 3 * (size_t)w->triangles, vertices = (size_t)w->vertices;
    int32_t *first = w->first_of;
    memset(first, 0, (vertices + 1) * sizeof *first);
    for (size_t n = 0; n < corners; n++) first[w->indices[n] + 1]++;
    for (size_t n = 0; n < vertices; n++) first[n + 1] += first[n];
    for (size_t n = 0; n < corners; n += 3)
        for (size_t k = 0; k < 3; k++)
            w->beside[first[w->indices[n + k]]++] = (int32_t)w->indices[n + (k + 1) % 3];
    for (size_t n = vertices; n > 0; n--) first[n] = first[n - 1]; // back to where they begin
    first[0] = 0;
}

static void even_out(void *context, int task)
{
    const maker *m = context;
    size_t from = (size_t)task * RV_BLOB_PIECE, all = (size_t)m->w->vertices;
    size_t to = from + RV_BLOB_PIECE < all ? from + RV_BLOB_PIECE : all;
    for (int what = 0; what < 2; what++)
        if (m->from[what])
            rv_blob_loops_best()->even(m->w, m->from[what], m->to[what], m->share[what], from, to);
}

static void put_smooth(void *context, int task)
{
    const maker *m = context;
    rv_blob_work *w = m->w;
    size_t from = (size_t)task * RV_BLOB_PIECE, all = (size_t)w->vertices;
    size_t to = from + RV_BLOB_PIECE < all ? from + RV_BLOB_PIECE : all;
    for (size_t n = from; n < to; n++) {
        const float *p = w->smooth[0] + 4 * n, *d = w->smooth[1] + 4 * n;
        float l = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (size_t a = 0; a < 3; a++) {
            w->positions[3 * n + a] = p[a];
            w->normals[3 * n + a] = l > 1e-9f ? d[a] / l : a == 2;
        }
        w->depth[n] = d[3];
    }
}

// There and a little more back (Taubin 1995, "A Signal Processing Approach to Fair Surface
// Design"): bumps of single droplets go, and the stream stays as thick as it was. Balls that are
// alone have too few vertices for it, and stay as they are.
static void smooth(maker *m)
{
    rv_blob_work *w = m->w;
    int pieces = (w->vertices + RV_BLOB_PIECE - 1) / RV_BLOB_PIECE;
    for (int pass = 0; pass < PASSES; pass++) {
        int there = pass % 2 ? 3 : 1, back = 4 - there; // of normals
        m->from[0] = w->smooth[0], m->to[0] = w->smooth[2], m->share[0] = 0.5f;
        m->from[1] = w->smooth[there], m->to[1] = w->smooth[back], m->share[1] = 0.5f;
        rv_parallel_for(m->in->pool, pieces, even_out, m);
        m->from[0] = w->smooth[2], m->to[0] = w->smooth[0], m->share[0] = -0.53f;
        m->from[1] = NULL;
        rv_parallel_for(m->in->pool, pieces, even_out, m);
    }
    rv_parallel_for(m->in->pool, pieces, put_smooth, m);
}

_Static_assert(PASSES % 2 == 0, "normals end where they began");

// ---- The mesh -----------------------------------------------------------------------------------

static bool make_room(rv_blob_work *w, int64_t vertices, int64_t quads)
{
    const rv_allocator *a = &w->allocator;
    bool ok =
        rv_array_grow(a, &w->positions, &w->vertex_room[0], vertices, 3 * sizeof(float)) &&
        rv_array_grow(a, &w->normals, &w->vertex_room[1], vertices, 3 * sizeof(float)) &&
        rv_array_grow(a, &w->velocity, &w->vertex_room[2], vertices, 3 * sizeof(float)) &&
        rv_array_grow(a, &w->depth, &w->vertex_room[3], vertices, sizeof(float)) &&
        rv_array_grow(a, &w->part, &w->vertex_room[8], vertices, sizeof(float)) &&
        rv_array_grow(a, &w->first_of, &w->vertex_room[9], vertices + 1, sizeof *w->first_of) &&
        rv_array_grow(a, &w->beside, &w->corner_room, 6 * quads, sizeof *w->beside) &&
        rv_array_grow(a, &w->indices, &w->triangle_room, 2 * quads, 3 * sizeof *w->indices);
    for (int k = 0; k < 4 && ok; k++)
        ok = rv_array_grow(a, &w->smooth[k], &w->vertex_room[4 + k], vertices, 4 * sizeof(float));
    return ok;
}

rv_result rv_blobs_mesh(rv_blob_work *w, const rv_blob_input *in)
{
    maker m = {.w = w, .in = in};
    int64_t vertices = 0, quads = 0;
    rv_parallel_for(in->pool, w->brick_count, count_brick, &m);
    for (int i = 0; i < w->brick_count; i++) {
        brick *b = &w->brick[i];
        b->first_vertex = (int)vertices, b->first_quad = (int)quads;
        vertices += b->vertices, quads += b->quads;
        if (vertices > INT32_MAX / 8 || quads > INT32_MAX / 8) return RV_OUT_OF_MEMORY;
    }
    if (vertices == 0) return RV_OK;
    if (!make_room(w, vertices, quads)) return RV_OUT_OF_MEMORY;
    w->vertices = (int)vertices;
    rv_parallel_for(in->pool, w->brick_count, put_vertices, &m);
    rv_parallel_for(in->pool, w->brick_count, put_quads, &m);
    close_up(w);
    list_neighbours(w);
    smooth(&m);
    return RV_OK;
}
