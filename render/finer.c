// The liquid's mesh made finer where the eye is near (docs/rendering-inside.md, Liquid).
//
// A mesh has a vertex a column. From afar that is finer than pixels; from close by its triangles
// are seen: waves have facets, and the outline of a drop has corners. So each triangle in the
// picture is divided in four, and vertices are moved as C. Loop's scheme has it (Smooth Subdivision
// Surfaces Based on Triangles, 1987): what that goes to is smooth, and so is the line where it
// ends, which has the rule for curves. All that a vertex carries is evened in the same way, normals
// with it.
//
// Films stay on their beds: terrain is drawn with triangles of its own size, and a film that left
// the plane of its triangle would be pierced. So a place moves by how thick the liquid is there,
// and never by more than part of its depth. What hangs from a lip keeps its place too, and along
// the grid's sides vertices stay in their line.
#include "render/finer.h"

#include "render/grow.h"

#include <string.h>

#define RULE static inline
#include "render/shaders/finer_rule.glsl"

#define NONE UINT32_MAX
enum { PLACE = 0, NORMAL = 3, DEPTH = 6, VELOCITY = 7, CONTACT = 10, ROUGHNESS = 14, DROP = 15 };
enum { FILM = 16, PARTS = 8 };
static const int AT[PARTS + 1] = {PLACE,     NORMAL, DEPTH, VELOCITY,       CONTACT,
                                  ROUGHNESS, DROP,   FILM,  RV_FINER_FLOATS};

// Pixels that a cell must have to be divided once, twice, and so on; and part of them from which on
// it is, at first into what lies in the planes of its triangles.
static const float PIXELS[] = {6, 16, 45};
#define BEGINS 0.85f
#define MIRRORS 1 // of what mirrors all light: its rims are no films, and are seen from afar
_Static_assert(sizeof PIXELS / sizeof PIXELS[0] == RV_FINER_LEVELS, "as many");

typedef struct finer_pass {
    rv_finer *f;
    const rv_extent *e;
    float line[4]; // m: middles of the outermost cells, west, east, south, north
    float near;    // m; nearer is on a line
    float share;   // of what moves vertices at this level
} finer_pass;

// ---- What is kept -------------------------------------------------------------------------------

static void parts_of(const rv_surface_mesh *mesh, const float *part[PARTS])
{
    const float *const all[PARTS] = {mesh->positions, mesh->normals,   mesh->depth, mesh->velocity,
                                     mesh->contact,   mesh->roughness, mesh->drop,  NULL};
    memcpy(part, all, sizeof all);
}

bool rv_finer_keep(rv_finer *f, const rv_surface_mesh *mesh)
{
    const float *part[PARTS];
    size_t count = mesh->vertex_count, corners = 3 * mesh->triangle_count;
    f->vertex_count = f->triangle_count = 0;
    if (!rv_grow((void **)&f->vertices, &f->vertex_room, RV_FINER_FLOATS * count, sizeof(float)) ||
        !rv_grow((void **)&f->indices, &f->index_room, corners, sizeof *f->indices))
        return false;
    parts_of(mesh, part);
    for (int k = 0; k < PARTS; k++) {
        int width = AT[k + 1] - AT[k];
        float *to = f->vertices + AT[k];
        for (size_t n = 0; n < count; n++, to += RV_FINER_FLOATS)
            for (int i = 0; i < width; i++)
                to[i] = part[k] ? part[k][(size_t)width * n + (size_t)i] : 0;
    }
    f->contact = mesh->contact, f->roughness = mesh->roughness, f->drop = mesh->drop;
    if (corners > 0) memcpy(f->indices, mesh->indices, corners * sizeof *f->indices);
    f->vertex_count = count, f->triangle_count = mesh->triangle_count;
    return true;
}

rv_finer_how rv_finer_how_of(const rv_eye *eye, bool mirror)
{
    vec3 to = sub(eye->target, eye->at);
    float pixels = (float)eye->height / (2 * eye->sy * maxf(dot(to, eye->forward), 1e-3f));
    rv_finer_how how = {.most = RV_FINER_MOST, .mirror = mirror};
    for (; how.levels < RV_FINER_LEVELS; how.levels++) {
        float full = mirror && how.levels == 0 ? MIRRORS : PIXELS[how.levels];
        if (pixels < BEGINS * full) break;
        how.share[how.levels] = eased(BEGINS * full, full, pixels);
    }
    return how;
}

// ---- Which triangles ----------------------------------------------------------------------------

static bool is_divided(const rv_finer *f, const uint32_t corner[3])
{
    for (int k = 0; k < 3 && f->drop; k++)
        if (!may_divide(f->vertices[RV_FINER_FLOATS * (size_t)corner[k] + DROP])) return false;
    return true;
}

static bool is_seen(const finer_pass *p, const rv_eye *eye, const uint32_t corner[3])
{
    vec3 low = v3(INFINITY, INFINITY, INFINITY), high = scale(low, -1);
    for (int k = 0; k < 3; k++) {
        const float *v = p->f->vertices + RV_FINER_FLOATS * (size_t)corner[k];
        vec3 at = rv_extent_cells(p->e, (double)v[0], (double)v[1], (double)v[2]);
        low = v3(minf(low.x, at.x), minf(low.y, at.y), minf(low.z, at.z));
        high = v3(maxf(high.x, at.x), maxf(high.y, at.y), maxf(high.z, at.z));
    }
    vec3 rim = v3(SEEN_BESIDE, SEEN_BESIDE, SEEN_BESIDE);
    return !rv_eye_hides(eye, sub(low, rim), add(high, rim));
}

// To `corners` those that are divided, to `other` the rest. false: no memory.
static bool choose(finer_pass *p, const rv_eye *eye, size_t *others)
{
    rv_finer *f = p->f;
    f->corner_count = *others = 0;
    if (!rv_grow((void **)&f->corners, &f->corner_room, 3 * f->triangle_count, sizeof(uint32_t)) ||
        !rv_grow((void **)&f->other, &f->other_room, 3 * f->triangle_count, sizeof(uint32_t)))
        return false;
    for (size_t t = 0; t < f->triangle_count; t++) {
        const uint32_t *corner = f->indices + 3 * t;
        bool chosen = is_divided(f, corner) && is_seen(p, eye, corner);
        memcpy(chosen ? f->corners + f->corner_count : f->other + *others, corner,
               3 * sizeof *corner);
        *(chosen ? &f->corner_count : others) += 3;
    }
    return true;
}

// ---- Edges --------------------------------------------------------------------------------------

static rv_finer_edge *edge_at(rv_finer *f, size_t mask, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t at = (low * 0x9E3779B1u ^ high * 0x85EBCA77u) & mask;
    while (f->table[at] != NONE) {
        rv_finer_edge *e = &f->edges[f->table[at]];
        if (e->a == low && e->b == high) return e;
        at = (at + 1) & mask;
    }
    f->table[at] = (uint32_t)f->edge_count;
    rv_finer_edge *e = &f->edges[f->edge_count++];
    *e = (rv_finer_edge){low, high, {NONE, NONE}, NONE};
    return e;
}

static bool find_edges(rv_finer *f)
{
    size_t size = 1024;
    while (size < 2 * f->corner_count) size *= 2;
    if (!rv_grow((void **)&f->table, &f->table_room, size, sizeof *f->table) ||
        !rv_grow((void **)&f->edges, &f->edge_room, f->corner_count, sizeof *f->edges) ||
        !rv_grow((void **)&f->edge_of, &f->edge_of_room, f->corner_count, sizeof *f->edge_of))
        return false;
    memset(f->table, 0xff, size * sizeof *f->table);
    f->edge_count = 0;
    for (size_t n = 0; n < f->corner_count; n++) {
        const uint32_t *corner = f->corners + n / 3 * 3;
        rv_finer_edge *e = edge_at(f, size - 1, corner[n % 3], corner[(n + 1) % 3]);
        e->across[e->across[0] == NONE ? 0 : 1] = corner[(n + 2) % 3];
        f->edge_of[n] = (uint32_t)(e - f->edges);
    }
    return true;
}

static const float *vertex_at(const rv_finer *f, uint32_t n)
{
    return f->fine + RV_FINER_FLOATS * (size_t)n;
}

// What is around each vertex: the sum and the number of those beside it, and along the rim which.
static bool look_around(rv_finer *f)
{
    size_t count = f->fine_count;
    if (!rv_grow((void **)&f->sum, &f->sum_room, RV_FINER_FLOATS * count, sizeof *f->sum) ||
        !rv_grow((void **)&f->beside, &f->beside_room, 2 * count, sizeof *f->beside) ||
        !rv_grow((void **)&f->count, &f->count_room, count, sizeof *f->count) ||
        !rv_grow((void **)&f->rims, &f->rims_room, count, sizeof *f->rims))
        return false;
    memset(f->sum, 0, RV_FINER_FLOATS * count * sizeof *f->sum);
    memset(f->count, 0, count), memset(f->rims, 0, count);
    for (size_t n = 0; n < f->edge_count; n++) {
        const rv_finer_edge *e = &f->edges[n];
        for (int end = 0; end < 2; end++) {
            uint32_t own = end ? e->b : e->a, far = end ? e->a : e->b;
            float *sum = f->sum + RV_FINER_FLOATS * (size_t)own;
            const float *v = vertex_at(f, far);
            for (int k = 0; k < RV_FINER_FLOATS; k++) sum[k] += v[k];
            if (f->count[own] < 255) f->count[own]++;
            if (e->across[1] != NONE) continue;
            if (f->rims[own] < 2) f->beside[2 * (size_t)own + f->rims[own]] = far;
            if (f->rims[own] < 255) f->rims[own]++;
        }
    }
    return true;
}

// ---- How thick ----------------------------------------------------------------------------------

static float own_thickness(const finer_pass *p, uint32_t n)
{
    const float *v = vertex_at(p->f, n);
    float drop = p->f->drop ? v[DROP] : -1;
    return thickness_of(v[DEPTH] / (float)p->e->dx, v[NORMAL + 2], drop);
}

// Where the liquid ends, and in the film beside a drop, as what is next to it.
static bool find_thickness(finer_pass *p)
{
    rv_finer *f = p->f;
    if (!rv_grow((void **)&f->thick, &f->thick_room, f->fine_count, sizeof *f->thick) ||
        !rv_grow((void **)&f->loose, &f->loose_room, f->fine_count, sizeof *f->loose))
        return false;
    for (size_t n = 0; n < f->fine_count; n++) f->thick[n] = own_thickness(p, (uint32_t)n);
    for (size_t n = 0; n < f->edge_count; n++) {
        const rv_finer_edge *e = &f->edges[n];
        f->thick[e->a] = maxf(f->thick[e->a], own_thickness(p, e->b));
        f->thick[e->b] = maxf(f->thick[e->b], own_thickness(p, e->a));
    }
    return true;
}

// ---- Vertices -----------------------------------------------------------------------------------

// Takes over what a vertex becomes, as far as this level counts; its place only as far as it may
// move from `from`.
static void settle(const finer_pass *p, const float *from, const float *becomes, float thick,
                   bool rim, float *to)
{
    float way[3], most = SINKS * from[DEPTH], share = p->share;
    for (int k = 0; k < 3; k++) way[k] = thick * (becomes[k] - from[k]);
    if (!rim) way[2] = maxf(way[2], -most);
    for (int k = 0; k < 3; k++) to[k] = from[k] + share * way[k];
    for (int k = NORMAL; k < RV_FINER_FLOATS; k++)
        to[k] = (1 - share) * from[k] + share * becomes[k];
    to[DROP] = from[DROP];
    float *n = to + NORMAL, square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    float unit = square > 1e-12f ? 1 / sqrtf(square) : 1;
    for (int k = 0; k < 3; k++) n[k] *= unit;
}

// The line at a side of the grid that a vertex is in; -1: none, 4: in a corner.
static int side_of(const finer_pass *p, uint32_t n)
{
    const float *v = vertex_at(p->f, n);
    int found = -1;
    for (int side = 0; side < 4; side++)
        if (fabsf(v[side / 2] - p->line[side]) < p->near) found = found < 0 ? side : 4;
    return found;
}

// Whether a vertex at the rim, between two others, is on a curve that may be made smooth: where the
// liquid ends, or along a side of the grid. Lips, and ends in corners, stay.
static bool is_curve(const finer_pass *p, uint32_t n)
{
    const rv_finer *f = p->f;
    if (f->rims[n] != 2) return false;
    uint32_t a = f->beside[2 * (size_t)n], b = f->beside[2 * (size_t)n + 1];
    int side = side_of(p, n);
    if (side >= 0) return side < 4 && side_of(p, a) == side && side_of(p, b) == side;
    return vertex_at(f, n)[DEPTH] <= 0 && vertex_at(f, a)[DEPTH] <= 0 &&
           vertex_at(f, b)[DEPTH] <= 0;
}

// A vertex that was there: `to` may not be what others are made from.
static void move_vertex(const finer_pass *p, uint32_t n, float *to)
{
    const rv_finer *f = p->f;
    const float *v = vertex_at(f, n);
    float becomes[RV_FINER_FLOATS];
    if (f->rims[n] == 0 && f->count[n] >= 3) {
        const float *sum = f->sum + RV_FINER_FLOATS * (size_t)n;
        float count = (float)f->count[n], each = ring_share(count);
        for (int k = 0; k < RV_FINER_FLOATS; k++)
            becomes[k] = (1 - each * count) * v[k] + each * sum[k];
        settle(p, v, becomes, f->thick[n], false, to);
    } else if (is_curve(p, n)) {
        const float *a = vertex_at(f, f->beside[2 * (size_t)n]);
        const float *b = vertex_at(f, f->beside[2 * (size_t)n + 1]);
        for (int k = 0; k < RV_FINER_FLOATS; k++)
            becomes[k] = 0.75f * v[k] + 0.125f * (a[k] + b[k]);
        bool ends = v[DEPTH] <= 0;
        settle(p, v, becomes, ends ? f->loose[n] : f->thick[n], ends, to);
    } else {
        memcpy(to, v, RV_FINER_FLOATS * sizeof *to);
    }
}

// One in the middle of an edge.
static void put_middle(const finer_pass *p, const rv_finer_edge *e, float *to)
{
    const rv_finer *f = p->f;
    const float *a = vertex_at(f, e->a), *b = vertex_at(f, e->b);
    float middle[RV_FINER_FLOATS], becomes[RV_FINER_FLOATS];
    for (int k = 0; k < RV_FINER_FLOATS; k++) middle[k] = becomes[k] = 0.5f * (a[k] + b[k]);
    bool rim = e->across[1] == NONE;
    if (!rim) {
        const float *c = vertex_at(f, e->across[0]), *d = vertex_at(f, e->across[1]);
        for (int k = 0; k < RV_FINER_FLOATS; k++)
            becomes[k] = 0.75f * middle[k] + 0.125f * (c[k] + d[k]);
    }
    settle(p, middle, becomes, 0.5f * (f->thick[e->a] + f->thick[e->b]), rim, to);
}

// ---- Ends ---------------------------------------------------------------------------------------

// By vertex, 0 … 1, behind the ways: how far it belongs to a rim that hangs over.
static float *hangs_of(const rv_finer *f)
{
    return f->sum + 9 * f->fine_count;
}

// The greatest depth around each vertex, its own with it; in `to`, of what is in `from`.
static void most_around(const rv_finer *f, const float *from, float *to)
{
    for (size_t n = 0; n < f->fine_count; n++) to[n] = from[n];
    for (size_t n = 0; n < f->edge_count; n++) {
        const rv_finer_edge *e = &f->edges[n];
        to[e->a] = maxf(to[e->a], from[e->b]), to[e->b] = maxf(to[e->b], from[e->a]);
    }
}

static bool is_end(const finer_pass *p, uint32_t n)
{
    return vertex_at(p->f, n)[DEPTH] <= 0 && is_curve(p, n);
}

static void loosen_ends(finer_pass *p)
{
    rv_finer *f = p->f;
    float per = (float)(1 / p->e->dx);
    for (size_t n = 0; n < f->fine_count; n++) {
        f->loose[n] = f->thick[n];
        if (f->count[n] == 0 || !is_end(p, (uint32_t)n)) continue;
        const float *v = vertex_at(f, (uint32_t)n);
        const float *a = vertex_at(f, f->beside[2 * n]), *b = vertex_at(f, f->beside[2 * n + 1]);
        float bent = fabsf(v[2] - 0.5f * (a[2] + b[2])) * per;
        f->loose[n] = maxf(f->thick[n], looseness_of(bent, v[NORMAL + 2], v[CONTACT + 3]));
    }
}

static void find_films(rv_finer *f)
{
    float *sum = f->sum, *count = sum + f->fine_count;
    memset(sum, 0, 2 * f->fine_count * sizeof *sum);
    for (size_t n = 0; n < 2 * f->edge_count; n++) {
        const rv_finer_edge *e = &f->edges[n / 2];
        size_t own = n % 2 ? e->b : e->a;
        float depth = vertex_at(f, n % 2 ? e->a : e->b)[DEPTH];
        if (depth > 0) sum[own] += depth, count[own]++;
    }
    for (size_t n = 0; n < f->fine_count; n++) {
        float *v = f->fine + RV_FINER_FLOATS * n;
        v[FILM] = film_of(v[DEPTH], count[n] > 0 ? sum[n] / count[n] : v[DEPTH]);
    }
    f->films = true;
}

// Evens out what ends have along their line, since columns differ; `is`: which are ends, > 0.
static void even_along(const rv_finer *f, float *value, float *is)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t n = 0; n < f->fine_count; n++)
            if (is[n] > 0)
                is[n] = 1 + 0.5f * value[n] +
                        0.25f * (value[f->beside[2 * n]] + value[f->beside[2 * n + 1]]);
        for (size_t n = 0; n < f->fine_count; n++)
            if (is[n] > 0) value[n] = is[n] - 1;
    }
}

// By how much of its angle a rim at an end hangs over: what the meniscus lacks there, as far as
// there is a rim and no film.
static void find_hang(finer_pass *p, const float *far, float *hang, float *is)
{
    rv_finer *f = p->f;
    float per = (float)(1 / p->e->dx);
    for (size_t n = 0; n < f->fine_count; n++) {
        const float *v = vertex_at(f, (uint32_t)n);
        is[n] = f->count[n] > 0 && is_end(p, (uint32_t)n);
        hang[n] = is[n] * p->share * hang_of(v[CONTACT + 3], far[n] * per);
    }
    even_along(f, hang, is);
}

// Columns cannot hang over, drops on wax do: where the rim lacks so much of its angle that columns
// cannot have it (the meniscus' tilt), the end goes in under it.
static void hang_over(finer_pass *p)
{
    rv_finer *f = p->f;
    float dx = (float)p->e->dx, *way = f->sum, *near = way + 6 * f->fine_count;
    float *far = near + f->fine_count, *own = far + f->fine_count, *hang = hangs_of(f);
    memset(way, 0, 10 * f->fine_count * sizeof *way);
    if (!f->contact) return;
    for (size_t n = 0; n < f->fine_count; n++) own[n] = vertex_at(f, (uint32_t)n)[DEPTH];
    most_around(f, own, near);
    most_around(f, near, far);
    find_hang(p, far, hang, own);
    for (size_t n = 0; n < f->fine_count; n++) {
        const float *v = vertex_at(f, (uint32_t)n);
        float by = goes_under(hang[n], far[n], dx);
        f->thick[n] = maxf(f->thick[n], hang[n]), f->loose[n] = maxf(f->loose[n], hang[n]);
        for (size_t k = 0; k < 2; k++) way[3 * n + k] = -by * v[CONTACT + 1 + k];
    }
}

// The line where a drop ends follows cells over some of them: corners that no curve between its
// vertices takes away. It is evened out before anything is divided, and what is beside it moves
// along, or triangles would fold. Ways are kept where the sums stand, which come later.
static void even_ends(finer_pass *p)
{
    rv_finer *f = p->f;
    float *way = f->sum, *next = way + 3 * f->fine_count;
    hang_over(p);
    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t n = 0; n < f->fine_count; n++) {
            bool ends = is_end(p, (uint32_t)n);
            for (size_t k = 0; k < 3; k++) {
                float own = vertex_at(f, (uint32_t)n)[k] + way[3 * n + k], mean = 0;
                for (size_t i = 0; i < 2 && ends; i++) {
                    uint32_t o = f->beside[2 * n + i];
                    mean += 0.5f * (vertex_at(f, o)[k] + way[3 * (size_t)o + k]);
                }
                next[3 * n + k] = way[3 * n + k] + (ends ? 0.5f * f->loose[n] * (mean - own) : 0);
            }
        }
        float *swap = way;
        way = next, next = swap;
    }
    if (way != f->sum) memcpy(f->sum, way, 3 * f->fine_count * sizeof *way);
}

// Into the liquid: a vertex goes part of the way of those around it, if it does not end there and
// has no farther to go. Longer ways count more: one that begins to be none changes nothing by that.
static void draw_along(const finer_pass *p)
{
    rv_finer *f = p->f;
    float *way = f->sum, *mean = way + 3 * f->fine_count;
    for (int ring = 0; ring < 2; ring++) {
        memset(mean, 0, 3 * f->fine_count * sizeof *mean);
        for (size_t n = 0; n < 2 * f->edge_count; n++) {
            const rv_finer_edge *e = &f->edges[n / 2];
            size_t own = n % 2 ? e->b : e->a, far = n % 2 ? e->a : e->b;
            const float *by = way + 3 * far;
            float weight = sqrtf(by[0] * by[0] + by[1] * by[1]), *sum = mean + 3 * own;
            sum[0] += weight * by[0], sum[1] += weight * by[1], sum[2] += weight;
        }
        for (size_t n = 0; n < f->fine_count; n++) {
            float *by = way + 3 * n, *sum = mean + 3 * n;
            if (f->rims[n] > 0 || !(sum[2] > 0)) continue;
            float x = DRAWN_IN * sum[0] / sum[2], y = DRAWN_IN * sum[1] / sum[2];
            if (x * x + y * y > by[0] * by[0] + by[1] * by[1]) by[0] = x, by[1] = y;
        }
    }
    for (size_t n = 0; n < f->fine_count; n++)
        for (size_t k = 0; k < 3; k++)
            f->fine[RV_FINER_FLOATS * n + k] += p->share * way[3 * n + k];
}

// ---- Rims that hang over ------------------------------------------------------------------------

// What a vertex lacks to the mean of those around it, of three numbers each; at the rim nothing.
static void lack(const rv_finer *f, const float *of, size_t stride, float *to)
{
    memset(to, 0, 3 * f->fine_count * sizeof *to);
    for (size_t n = 0; n < 2 * f->edge_count; n++) {
        const rv_finer_edge *e = &f->edges[n / 2];
        size_t own = n % 2 ? e->b : e->a, far = n % 2 ? e->a : e->b;
        for (size_t k = 0; k < 3; k++)
            to[3 * own + k] += of[stride * far + k] - of[stride * own + k];
    }
    for (size_t n = 0; n < f->fine_count; n++)
        for (size_t k = 0; k < 3; k++)
            to[3 * n + k] =
                f->rims[n] > 0 || f->count[n] == 0 ? 0 : to[3 * n + k] / (float)f->count[n];
}

// Between its end and what lies behind it a rim becomes as a thin plate would be, which goes on as
// the drop comes and has no dents of single columns: what it lacks of what it lacks goes to
// nothing.
static void fair_rims(const rv_finer *f, const float *hang)
{
    float *first = f->sum + 10 * f->fine_count, *second = f->sum + 13 * f->fine_count;
    for (int turn = 0; turn < FAIRED; turn++) {
        lack(f, f->fine, RV_FINER_FLOATS, first);
        lack(f, first, 3, second);
        for (size_t n = 0; n < f->fine_count; n++) {
            if (!(hang[n] > 0) || f->rims[n] > 0) continue;
            for (size_t k = 0; k < 3; k++)
                f->fine[RV_FINER_FLOATS * n + k] -= FAIRED_BY * hang[n] * second[3 * n + k];
        }
    }
}

// The normals are those of its triangles then, and the angle that was lacking is there. For what
// mirrors all light: through clear liquid the bed is seen, and a rim that the meniscus bends is
// dark as a drop's is, however thin columns are there.
static void turn_rims(const rv_finer *f, const float *share)
{
    float *normal = f->sum + 10 * f->fine_count;
    memset(normal, 0, 3 * f->fine_count * sizeof *normal);
    for (size_t t = 0; t < f->corner_count; t += 3) {
        const uint32_t *corner = f->corners + t;
        const float *a = vertex_at(f, corner[0]), *b = vertex_at(f, corner[1]);
        const float *c = vertex_at(f, corner[2]);
        vec3 n = cross(v3(b[0] - a[0], b[1] - a[1], b[2] - a[2]),
                       v3(c[0] - a[0], c[1] - a[1], c[2] - a[2]));
        for (int k = 0; k < 3; k++) {
            float *to = normal + 3 * (size_t)corner[k];
            to[0] += n.x, to[1] += n.y, to[2] += n.z;
        }
    }
    for (size_t n = 0; n < f->fine_count; n++) {
        float *v = f->fine + RV_FINER_FLOATS * n, *own = normal + 3 * n;
        float length = sqrtf(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
        if (!(share[n] > 0) || !(length > 0)) continue;
        for (int k = 0; k < 3; k++) v[NORMAL + k] += share[n] * (own[k] / length - v[NORMAL + k]);
        v[CONTACT + 3] *= 1 - share[n];
    }
}

static bool round_ends(finer_pass *p, bool mirror)
{
    rv_finer *f = p->f;
    if (!look_around(f)) return false;
    find_films(f);
    loosen_ends(p);
    even_ends(p);
    draw_along(p);
    float *hang = hangs_of(f), *other = f->sum + 10 * f->fine_count, most = 0;
    for (size_t n = 0; n < f->fine_count; n++) most = maxf(most, hang[n]);
    if (!(most > 0)) return true;
    most_around(f, hang, other), most_around(f, other, hang);
    fair_rims(f, hang);
    if (mirror) turn_rims(f, hang);
    return true;
}

static bool put_vertices(finer_pass *p)
{
    rv_finer *f = p->f;
    size_t old = f->fine_count, all = old + f->edge_count;
    if (all >= NONE ||
        !rv_grow((void **)&f->fine, &f->fine_room, RV_FINER_FLOATS * all, sizeof *f->fine) ||
        !rv_grow((void **)&f->thick, &f->thick_room, all, sizeof *f->thick) ||
        !rv_grow((void **)&f->loose, &f->loose_room, all, sizeof *f->loose))
        return false;
    for (size_t n = 0; n < f->edge_count; n++) {
        rv_finer_edge *e = &f->edges[n];
        e->middle = (uint32_t)(old + n);
        put_middle(p, e, f->fine + RV_FINER_FLOATS * (old + n));
        f->thick[old + n] = 0.5f * (f->thick[e->a] + f->thick[e->b]);
        f->loose[old + n] = 0.5f * (f->loose[e->a] + f->loose[e->b]);
    }
    // The sums are not needed any more once a vertex has become what it will be.
    for (size_t n = 0; n < old; n++) {
        float to[RV_FINER_FLOATS];
        if (f->count[n] == 0) continue;
        move_vertex(p, (uint32_t)n, to);
        memcpy(f->sum + RV_FINER_FLOATS * n, to, sizeof to);
    }
    for (size_t n = 0; n < old; n++)
        if (f->count[n] > 0)
            memcpy(f->fine + RV_FINER_FLOATS * n, f->sum + RV_FINER_FLOATS * n,
                   RV_FINER_FLOATS * sizeof *f->fine);
    f->fine_count = all;
    return true;
}

// ---- Triangles ----------------------------------------------------------------------------------

// From the last to the first: the four of one stand where later ones stood.
static bool divide_triangles(rv_finer *f)
{
    size_t triangles = f->corner_count / 3;
    if (!rv_grow((void **)&f->corners, &f->corner_room, 4 * f->corner_count, sizeof *f->corners))
        return false;
    for (size_t t = triangles; t-- > 0;) {
        uint32_t v[3], m[3];
        for (int k = 0; k < 3; k++) {
            v[k] = f->corners[3 * t + (size_t)k];
            m[k] = f->edges[f->edge_of[3 * t + (size_t)k]].middle;
        }
        const uint32_t four[12] = {v[0], m[0], m[2], v[1], m[1], m[0],
                                   v[2], m[2], m[1], m[0], m[1], m[2]};
        memcpy(f->corners + 12 * t, four, sizeof four);
    }
    f->corner_count *= 4;
    return true;
}

// ---- All of it ----------------------------------------------------------------------------------

static bool to_parts(rv_finer *f, rv_surface_mesh *out)
{
    size_t count = f->fine_count;
    if (!rv_grow((void **)&f->part, &f->part_room, RV_FINER_FLOATS * count, sizeof *f->part))
        return false;
    const float *part[PARTS];
    for (int k = 0; k < PARTS; k++) {
        int width = AT[k + 1] - AT[k];
        float *to = f->part + (size_t)AT[k] * count;
        part[k] = to;
        for (size_t n = 0; n < count; n++)
            for (int i = 0; i < width; i++)
                *to++ = f->fine[RV_FINER_FLOATS * n + (size_t)(AT[k] + i)];
    }
    *out = (rv_surface_mesh){.vertex_count = count,
                             .triangle_count = f->corner_count / 3,
                             .positions = part[0],
                             .normals = part[1],
                             .depth = part[2],
                             .velocity = part[3],
                             .contact = f->contact ? part[4] : NULL,
                             .roughness = f->roughness ? part[5] : NULL,
                             .drop = f->drop ? part[6] : NULL,
                             .indices = f->corners};
    return true;
}

// As often as it is wanted, if that does not make too many.
static int levels_of(const rv_finer *f, const rv_finer_how *how)
{
    int levels = how->levels;
    while (levels > 0 && f->corner_count / 3 << 2 * levels > how->most) levels--;
    return levels;
}

static bool divide(finer_pass *p, const rv_finer_how *how)
{
    rv_finer *f = p->f;
    int levels = levels_of(f, how);
    for (int k = 0; k < levels; k++) {
        p->share = how->share[k];
        if (!find_edges(f) || (k == 0 && (!find_thickness(p) || !round_ends(p, how->mirror))) ||
            !look_around(f) || !put_vertices(p) || !divide_triangles(f))
            return false;
    }
    return true;
}

bool rv_finer_make(rv_finer *f, const rv_extent *e, const rv_eye *eye, const rv_finer_how *how,
                   rv_surface_mesh *out)
{
    float half = (float)(0.5 * e->dx), x0 = (float)e->x0, y0 = (float)e->y0;
    finer_pass p = {.f = f,
                    .e = e,
                    .line = {x0 + half, (float)(e->x0 + (double)e->wide * e->dx) - half, y0 + half,
                             (float)(e->y0 + (double)e->deep * e->dx) - half},
                    .near = (float)(1e-3 * e->dx)};
    size_t others = 0;
    if (!rv_grow((void **)&f->fine, &f->fine_room, RV_FINER_FLOATS * f->vertex_count,
                 sizeof *f->fine) ||
        !rv_grow((void **)&f->corners, &f->corner_room, 3 * f->triangle_count,
                 sizeof *f->corners) ||
        (how->levels > 0 && !choose(&p, eye, &others)))
        return false;
    if (how->levels == 0 && f->triangle_count > 0)
        memcpy(f->corners, f->indices, 3 * f->triangle_count * sizeof *f->corners);
    if (how->levels == 0) f->corner_count = 3 * f->triangle_count;
    f->films = false;
    f->fine_count = f->vertex_count;
    if (f->vertex_count > 0)
        memcpy(f->fine, f->vertices, RV_FINER_FLOATS * f->vertex_count * sizeof *f->fine);
    if (!divide(&p, how)) return false;
    if (!rv_grow((void **)&f->corners, &f->corner_room, f->corner_count + others,
                 sizeof *f->corners))
        return false;
    if (others > 0) memcpy(f->corners + f->corner_count, f->other, others * sizeof *f->corners);
    f->corner_count += others;
    return to_parts(f, out);
}

const float *rv_finer_films(const rv_finer *f)
{
    return f->films ? f->part + (size_t)FILM * f->fine_count : NULL;
}

void rv_finer_free(rv_finer *f)
{
    void *const all[] = {f->vertices, f->indices, f->fine,  f->thick, f->loose,
                         f->corners,  f->other,   f->part,  f->sum,   f->beside,
                         f->count,    f->rims,    f->edges, f->table, f->edge_of};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
    *f = (rv_finer){0};
}
