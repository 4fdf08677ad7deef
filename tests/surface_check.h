// What every surface of liquid must be, and random layered terrains with liquid to try it on:
// shared by the tests of the surface. Include cmocka.h first.
//
// Links and the columns of vertices are found here from docs/surface.md and the public interface
// alone, by brute force.
#ifndef RV_TESTS_SURFACE_CHECK_H
#define RV_TESTS_SURFACE_CHECK_H

#include "column_at.h"
#include "rivulet/rivulet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING SIZE_MAX

// ---- Random worlds ------------------------------------------------------------------------------

static inline double between(uint64_t *state, double low, double high)
{
    *state += 0x9e3779b97f4a7c15ull;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline int choice(uint64_t *state, int count)
{
    return (int)between(state, 0, count);
}

#define SCENE_SOLIDS 16
#define MM 1e-3

typedef struct random_scene {
    uint64_t seed, random;
    rv_solid_def solid[SCENE_SOLIDS];
    rv_source_def source;
    rv_world_def def;
} random_scene;

static inline rv_solid_def *add_solid(random_scene *s, rv_shape shape, double x, double y, double z)
{
    rv_solid_def *solid = &s->solid[s->def.solid_count++];
    *solid = rv_default_solid_def();
    solid->shape = shape, solid->at = (rv_vec3){x * MM, y * MM, z * MM};
    return solid;
}

static inline void add_lump(random_scene *s)
{
    static const rv_shape shapes[] = {RV_SHAPE_SPHERE, RV_SHAPE_BOX, RV_SHAPE_CYLINDER};
    uint64_t *r = &s->random;
    rv_solid_def *lump = add_solid(s, shapes[choice(r, 3)], between(r, -12, 12),
                                   between(r, -10, 10), between(r, 1, 13));
    double size = between(r, 1.5, 5) * MM;
    lump->radius = size, lump->height = between(r, 0.5, 3) * size;
    lump->size =
        (rv_vec3){between(r, 0.5, 2) * size, between(r, 0.5, 2) * size, between(r, 0.5, 2) * size};
    lump->rotate = (rv_vec3){between(r, 0, 3), between(r, 0, 3), between(r, 0, 3)};
    lump->op = choice(r, 2) ? RV_SUBTRACT : RV_UNION;
    if (choice(r, 3) == 0) lump->noise = 0.1 * size, lump->noise_size = size;
}

// A floor, even, tilted or rough, with slabs over it, lumps on it and holes through all.
static inline void random_solids(random_scene *s)
{
    uint64_t *r = &s->random;
    rv_solid_def *floor = add_solid(s, RV_SHAPE_PLANE, 0, 0, between(r, -1, 5));
    if (choice(r, 2)) floor->normal = (rv_vec3){between(r, -0.3, 0.3), between(r, -0.3, 0.3), 1};
    if (choice(r, 2))
        floor->noise = between(r, 0.2, 1.5) * MM, floor->noise_size = between(r, 2, 8) * MM;
    for (int i = choice(r, 5); i > 0; i--) {
        rv_solid_def *slab =
            add_solid(s, RV_SHAPE_BOX, between(r, -10, 10), between(r, -10, 10), between(r, 4, 13));
        slab->size =
            (rv_vec3){between(r, 4, 18) * MM, between(r, 4, 18) * MM, between(r, 0.8, 4) * MM};
        if (choice(r, 2))
            slab->rotate =
                (rv_vec3){between(r, -0.4, 0.4), between(r, -0.4, 0.4), between(r, 0, 3)};
        if (choice(r, 3) == 0) slab->noise = 0.4 * MM, slab->noise_size = 3 * MM;
    }
    for (int i = choice(r, 6); i > 0; i--) add_lump(s);
}

static inline void random_params(random_scene *s)
{
    static const double stretches[] = {1, 1, 0.6, 1.7}, films[] = {1e-5, 1e-5, 0, 2e-4};
    static const double overs[] = {0.05, 0.05, 0.05, 0.01, 0.2};
    uint64_t *r = &s->random;
    rv_params *p = &s->def.params;
    p->grid_nx = 20 + choice(r, 12), p->grid_ny = 18 + choice(r, 12), p->grid_dx = MM;
    p->grid_x = choice(r, 4) == 0 ? between(r, -0.3, 0.3) : 0;
    p->grid_bottom = 0, p->grid_top = 16 * MM, p->grid_stretch = stretches[choice(r, 4)];
    p->liquid_viscosity = choice(r, 2) ? 1e-5 : 1e-6;
    p->pipes_passages = (rv_passages)choice(r, 4);
    p->border_west = (rv_border)choice(r, 4), p->border_north = (rv_border)choice(r, 4);
    p->border_west_rate = p->border_north_rate = 2e-7;
    p->border_west_level = p->border_north_level = between(r, 0, 8) * MM;
    p->surface_film = films[choice(r, 4)], p->surface_over = overs[choice(r, 5)];
}

static inline double column_room(const rv_columns *c, size_t slot)
{
    return (double)c->max[slot] - (double)c->base[slot];
}

static inline double middle_x(const rv_columns *c, int x)
{
    return c->x0 + (x + 0.5) * c->dx;
}

static inline double middle_y(const rv_columns *c, int y)
{
    return c->y0 + (y + 0.5) * c->dx;
}

// Wets single columns: hardly, somewhat, deeply, to the ceiling, or not at all.
static inline void random_depths(rv_world *world, uint64_t *r, double share)
{
    rv_columns c;
    rv_world_get_columns(world, &c);
    size_t slot;
    for (int l = 0; l < c.planes; l++)
        for (int y = 0; y < c.ny; y++)
            for (int x = 0; x < c.nx; x++) {
                if (!column_at(&c, l, x, y, &slot) || between(r, 0, 1) > share) continue;
                double most[] = {2e-5, 5e-4, 4e-3, 1}, depth = between(r, 0, most[choice(r, 4)]);
                depth = fmin(depth, column_room(&c, slot) - (double)c.depth[slot]);
                rv_vec3 at = {middle_x(&c, x), middle_y(&c, y), (double)c.base[slot] + 1e-9};
                rv_world_pour(world, at, 0, depth * c.dx * c.dx);
            }
}

static inline rv_world *make_world(const rv_world_def *def)
{
    rv_world *world = NULL;
    rv_messages m = {0};
    if (rv_world_create(def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static inline void run_steps(rv_world *world, int steps)
{
    for (int i = 0; i < steps; i++) assert_int_equal(rv_world_step(world, 4e-3), RV_OK);
}

// The definition of random world `seed`; what a caller changes in it before random_liquid stays.
static inline void random_scene_of(random_scene *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->seed = seed, s->random = seed * 7919;
    s->def = rv_default_world_def();
    s->def.params.tension_on = false; // with it thin films on steep beds are not drawn
    random_params(s);
    random_solids(s);
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){between(&s->random, -8, 8) * MM, between(&s->random, -8, 8) * MM, 1};
    s->source.at.x += s->def.params.grid_x, s->source.rate = between(&s->random, 0, 4e-6);
    for (int i = 0; i < s->def.solid_count; i++) s->solid[i].at.x += s->def.params.grid_x;
    s->def.solids = s->solid, s->def.sources = &s->source, s->def.source_count = 1;
}

// Liquid as no solver would leave it, or as one did.
static inline void random_liquid(random_scene *s, rv_world *world)
{
    uint64_t *r = &s->random;
    int kind = choice(r, 4);
    if (kind <= 1) random_depths(world, r, between(r, 0.2, 1));
    if (kind == 1) run_steps(world, 1 + choice(r, 8));
    if (kind == 2) run_steps(world, 20 + choice(r, 40));
    if (kind == 3) {
        random_depths(world, r, 0.3);
        run_steps(world, 60);
    }
}

static inline void random_fill(random_scene *s, rv_fill_def *fill)
{
    *fill = rv_default_fill_def();
    fill->level = between(&s->random, 1, 12) * MM;
    s->def.fills = fill, s->def.fill_count = choice(&s->random, 2);
}

// ---- Columns ------------------------------------------------------------------------------------

static inline bool is_full(const rv_columns *c, size_t slot)
{
    return c->full && c->full[slot];
}

// A flooded column reaches its ceiling, whatever it lacks.
static inline float level_of(const rv_columns *c, size_t slot)
{
    if (is_full(c, slot)) return fmaxf(c->max[slot], c->base[slot] + c->depth[slot]);
    return c->base[slot] + (c->depth[slot] > 0 ? c->depth[slot] : 0);
}

// As docs/surface.md has it. A level at the very underside of the other's solid counts: below the
// grid all is solid.
static inline bool linked(const rv_columns *c, size_t a, size_t b)
{
    float h = level_of(c, a), o = level_of(c, b);
    return h >= c->min[b] && h < c->max[b] && o >= c->min[a] && o < c->max[a];
}

// The column of a cell that another column is linked to; NOTHING.
static inline size_t linked_in(const rv_columns *c, size_t from, int x, int y)
{
    size_t slot;
    for (int l = 0; x >= 0 && y >= 0 && x < c->nx && y < c->ny && l < c->planes; l++)
        if (column_at(c, l, x, y, &slot) && linked(c, from, slot)) return slot;
    return NOTHING;
}

// ---- The mesh -----------------------------------------------------------------------------------

typedef struct surface_view {
    const rv_columns *c;
    int *problems; // counts them
    rv_surface_mesh mesh;
    rv_surface_stats stats;
    char what[64];
    bool *curtain;  // [triangles]
    size_t *column; // [vertices] slot of the wet column whose vertex it is, NOTHING
    size_t *vertex; // [slots] the other way
    int (*cell)[2]; // [vertices] cell whose middle it is over, or -1
} surface_view;

// Prints the first few problems, and counts all.
__attribute__((format(printf, 2, 3))) static inline void complain(const surface_view *v,
                                                                  const char *format, ...)
{
    char line[256];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (++*v->problems <= 20) print_message("%s: %s\n", v->what, line);
}

typedef struct words {
    char text[96];
} words;

// Where a vertex is, in cells from the middle of the first, and its height in cells.
static inline words place_text(const surface_view *v, size_t i)
{
    words w;
    const float *p = v->mesh.positions + 3 * i;
    snprintf(w.text, sizeof w.text, "(%.3f %.3f %.4f)", ((double)p[0] - v->c->x0) / v->c->dx - 0.5,
             ((double)p[1] - v->c->y0) / v->c->dx - 0.5, ((double)p[2] - v->c->bottom) / v->c->dx);
    return w;
}

static inline const float *place_of(const surface_view *v, size_t triangle, int corner)
{
    return v->mesh.positions + 3 * (size_t)v->mesh.indices[3 * triangle + (size_t)corner];
}

// Twice the area in plan, in cells; counter-clockwise counts.
static inline double plan_of(const surface_view *v, size_t t)
{
    const float *a = place_of(v, t, 0), *b = place_of(v, t, 1), *c = place_of(v, t, 2);
    double bx = (double)b[0] - (double)a[0], by = (double)b[1] - (double)a[1];
    double cx = (double)c[0] - (double)a[0], cy = (double)c[1] - (double)a[1];
    return (bx * cy - by * cx) / (v->c->dx * v->c->dx);
}

static inline double area_of(const surface_view *v, size_t t)
{
    const float *p[3] = {place_of(v, t, 0), place_of(v, t, 1), place_of(v, t, 2)};
    double e[2][3];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) e[k][i] = (double)p[k + 1][i] - (double)p[0][i];
    double x = e[0][1] * e[1][2] - e[0][2] * e[1][1], y = e[0][2] * e[1][0] - e[0][0] * e[1][2];
    double z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

static inline void find_cell(surface_view *v, size_t i)
{
    const float *p = v->mesh.positions + 3 * i;
    double x = ((double)p[0] - v->c->x0) / v->c->dx - 0.5,
           y = ((double)p[1] - v->c->y0) / v->c->dx - 0.5;
    bool over = fabs(x - round(x)) < 1e-3 && fabs(y - round(y)) < 1e-3;
    v->cell[i][0] = over ? (int)round(x) : -1, v->cell[i][1] = over ? (int)round(y) : -1;
}

// The column of its cell that has its depth, and room for its height. Extra vertices may agree with
// a column by chance: the one nearer to its level is the column's.
static inline void find_vertex_column(surface_view *v, size_t i, double film)
{
    const rv_columns *c = v->c;
    float z = v->mesh.positions[3 * i + 2];
    size_t slot;
    if (v->cell[i][0] < 0 || !((double)v->mesh.depth[i] > film)) return;
    for (int l = 0; l < c->planes; l++) {
        if (!column_at(c, l, v->cell[i][0], v->cell[i][1], &slot)) break;
        float off = fabsf(c->depth[slot] - v->mesh.depth[i]),
              lack = level_of(c, slot) - c->base[slot];
        if (is_full(c, slot)) off = fabsf(lack - v->mesh.depth[i]) < 1e-5f * lack ? 0.0f : 1.0f;
        if (off > 0.0f || z < c->base[slot] || z > c->max[slot]) continue;
        size_t was = v->vertex[slot];
        if (was != NOTHING) {
            float old = v->mesh.positions[3 * was + 2], level = level_of(c, slot);
            if (fabsf(old - level) <= fabsf(z - level)) continue;
            v->column[was] = NOTHING;
        }
        v->column[i] = slot, v->vertex[slot] = i;
    }
}

static inline void open_view(surface_view *v, const rv_columns *c, const rv_surface *surface,
                             double film, int *problems, const char *what)
{
    *v = (surface_view){.c = c, .problems = problems};
    assert_int_equal(rv_surface_get_mesh(surface, &v->mesh), RV_OK);
    assert_int_equal(rv_surface_get_stats(surface, &v->stats), RV_OK);
    snprintf(v->what, sizeof v->what, "%s", what);
    size_t n = v->mesh.vertex_count, triangles = v->mesh.triangle_count;
    v->curtain = test_calloc(triangles + 1, 1);
    v->column = test_malloc((n + 1) * sizeof *v->column);
    v->cell = test_malloc((n + 1) * sizeof *v->cell);
    v->vertex = test_malloc((c->slots + 1) * sizeof *v->vertex);
    bool *sheet = test_calloc(n + 1, 1);
    memset(v->vertex, 0xff, c->slots * sizeof *v->vertex);
    memset(v->column, 0xff, n * sizeof *v->column);
    for (size_t t = 0; t < triangles; t++) {
        for (int k = 0; k < 3; k++)
            if (v->mesh.indices[3 * t + (size_t)k] >= n) fail_msg("%s: index of %zu", what, t);
        v->curtain[t] = v->mesh.drop[v->mesh.indices[3 * t]] >= 0;
        for (size_t k = 0; k < 3 && !v->curtain[t]; k++) sheet[v->mesh.indices[3 * t + k]] = true;
    }
    for (size_t i = 0; i < n; i++) {
        find_cell(v, i);
        if (sheet[i]) find_vertex_column(v, i, film);
    }
    test_free(sheet);
}

static inline void close_view(surface_view *v)
{
    test_free(v->curtain), test_free(v->column), test_free(v->cell), test_free(v->vertex);
}

static inline bool all_finite(const float *of, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(of[i])) return false;
    return true;
}

// Numbers of vertices, and that each is used, or counted.
static inline void check_surface_vertices(const surface_view *v, size_t *alone)
{
    const rv_surface_mesh *m = &v->mesh;
    size_t n = m->vertex_count;
    if (!all_finite(m->positions, 3 * n) || !all_finite(m->normals, 3 * n) ||
        !all_finite(m->velocity, 3 * n) || !all_finite(m->depth, n) || !all_finite(m->opacity, n))
        complain(v, "not finite");
    bool *used = test_calloc(n + 1, 1);
    for (size_t i = 0; i < 3 * m->triangle_count; i++) used[m->indices[i]] = true;
    for (size_t i = 0; i < n; i++) {
        const float *k = m->normals + 3 * i;
        double size = sqrt((double)k[0] * (double)k[0] + (double)k[1] * (double)k[1] +
                           (double)k[2] * (double)k[2]);
        if (!(fabs(size - 1) < 1e-5)) complain(v, "normal %zu has length %g", i, size);
        if (!(m->opacity[i] >= 0 && m->opacity[i] <= 1 && m->depth[i] >= 0))
            complain(v, "vertex %zu: opacity %g, depth %g", i, (double)m->opacity[i],
                     (double)m->depth[i]);
        // a column may be too much alone for a triangle; anything else is made for one
        *alone += !used[i];
        if (!used[i] && v->cell[i][0] < 0)
            complain(v, "vertex %zu, %s, belongs to no triangle", i, place_text(v, i).text);
    }
    test_free(used);
}

typedef struct corners {
    uint32_t of[3];
} corners;

static inline int compare_corners(const void *a, const void *b)
{
    const uint32_t *x = ((const corners *)a)->of, *y = ((const corners *)b)->of;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static inline void sort_corners(corners *t)
{
    for (int k = 0; k < 3; k++) {
        int n = k % 2;
        if (t->of[n] <= t->of[n + 1]) continue;
        uint32_t was = t->of[n];
        t->of[n] = t->of[n + 1], t->of[n + 1] = was;
    }
}

// Triangles have area, face up unless they hang, and none is there twice, one way or the other.
static inline void check_surface_triangles(const surface_view *v)
{
    const rv_surface_mesh *m = &v->mesh;
    corners *all = test_malloc((m->triangle_count + 1) * sizeof *all);
    int64_t curtain = 0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        memcpy(all[t].of, m->indices + 3 * t, sizeof all[t].of);
        double area = area_of(v, t), plan = plan_of(v, t);
        if (!(area > 1e-9 * v->c->dx * v->c->dx))
            complain(v, "triangle %zu, %s, %s, %s, has area %g dx²", t,
                     place_text(v, m->indices[3 * t]).text,
                     place_text(v, m->indices[3 * t + 1]).text,
                     place_text(v, m->indices[3 * t + 2]).text, area / (v->c->dx * v->c->dx));
        curtain += v->curtain[t];
        if (!v->curtain[t] && !(plan > 0)) complain(v, "triangle %zu faces down", t);
        sort_corners(&all[t]);
    }
    if (curtain != v->stats.curtain)
        complain(v, "%lld triangles hang, %lld should", (long long)curtain,
                 (long long)v->stats.curtain);
    qsort(all, m->triangle_count, sizeof *all, compare_corners);
    for (size_t t = 1; t < m->triangle_count; t++)
        if (compare_corners(&all[t], &all[t - 1]) == 0)
            complain(v, "triangle %u %u %u is there twice", all[t].of[0], all[t].of[1],
                     all[t].of[2]);
    test_free(all);
}

static inline int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Directed edges, sorted: from in the high half. The caller frees them.
static inline uint64_t *surface_edges(const surface_view *v)
{
    size_t count = 3 * v->mesh.triangle_count;
    uint64_t *edges = test_malloc((count + 1) * sizeof *edges);
    for (size_t i = 0; i < count; i++) {
        uint32_t a = v->mesh.indices[i], b = v->mesh.indices[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (uint64_t)a << 32 | b;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    return edges;
}

static inline bool has_edge(const uint64_t *edges, size_t count, uint64_t a, uint64_t b)
{
    uint64_t edge = a << 32 | b;
    return bsearch(&edge, edges, count, sizeof *edges, compare_edges);
}

// No edge runs twice in the same direction: so none has three triangles, and of two the sides
// agree.
static inline void check_surface_edges(const surface_view *v)
{
    size_t count = 3 * v->mesh.triangle_count;
    uint64_t *edges = surface_edges(v);
    for (size_t i = 1; i < count; i++)
        if (edges[i] == edges[i - 1]) {
            complain(v, "edge %s, %s is there twice", place_text(v, edges[i] >> 32).text,
                     place_text(v, (uint32_t)edges[i]).text);
        }
    test_free(edges);
}

// Returns how many vertices belong to no triangle.
static inline size_t check_surface(const surface_view *v)
{
    size_t alone = 0;
    check_surface_vertices(v, &alone);
    check_surface_triangles(v);
    check_surface_edges(v);
    return alone;
}

#endif
