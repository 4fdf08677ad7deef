// The liquid's surface, over random layered terrains with liquid at rest, in motion, and as no
// solver would leave it: a proper mesh without holes, steady, the same however it was made; memory
// taken once, and never lost.
//
// A failure prints the seed; `test_surface SEED` runs that one alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"
#include "small_worlds.h"
#include "surface_check.h"

#define SCENES 200

static uint64_t first_seed = 1, last_seed = SCENES;

// Settings by number: both, no curtain, no edge, neither.
static void set_surface(rv_world *world, int number)
{
    rv_params p = *rv_world_params(world);
    p.surface_curtain = !(number & 1), p.surface_edge = !(number & 2);
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
}

static rv_surface *surface_of(const rv_world *world)
{
    rv_surface *surface;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    return surface;
}

// ---- No holes -----------------------------------------------------------------------------------

// Films up to four times the thinnest are on their way to dry, and the surface may end beside them.
static bool is_wet(const rv_columns *c, size_t slot, double film)
{
    return (double)c->depth[slot] > 4 * film;
}

// Whether the end of the liquid is out of reach: all that is linked to the column is wet.
static bool far_from_end(const rv_columns *c, size_t slot, int x, int y, double film)
{
    for (int j = y - 1; j <= y + 1; j++)
        for (int i = x - 1; i <= x + 1; i++) {
            if (i == x && j == y) continue;
            size_t o = linked_in(c, slot, i, j);
            if (o != NOTHING && !is_wet(c, o, film)) return false;
        }
    return true;
}

// Wet columns around a corner of cells, each linked to each: all four, or without one of the cells,
// NOTHING, none of whose columns is linked to the others.
static bool find_group(const rv_columns *c, size_t first, int x, int y, int without, double film,
                       size_t slot[4])
{
    int from = without == 0;
    for (int k = 0; k < 4; k++)
        slot[k] = k == without ? NOTHING
                  : k == from  ? first
                               : linked_in(c, first, x + k % 2, y + k / 2);
    for (int k = 0; k < 4; k++) {
        if (k == without) continue;
        if (slot[k] == NOTHING || !is_wet(c, slot[k], film)) return false;
        if (!far_from_end(c, slot[k], x + k % 2, y + k / 2, film)) return false;
        if (without >= 0 && linked_in(c, slot[k], x + without % 2, y + without / 2) != NOTHING)
            return false;
        for (int n = 0; n < k; n++)
            if (n != without && !linked(c, slot[k], slot[n])) return false;
    }
    return true;
}

// Area in plan of the triangles between the columns, in cells; an extra vertex may stand in the
// cell that has none of them, or a column that is joined under a lower ceiling.
static double covered(const surface_view *v, const size_t slot[4], int x, int y,
                      const uint32_t *first, const uint32_t *next)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        if (slot[k] == NOTHING) continue;
        for (uint32_t i = first[v->vertex[slot[k]]]; i != UINT32_MAX; i = next[i]) {
            int among = 0, extra = 0;
            for (int n = 0; n < 3; n++) {
                uint32_t vertex = v->mesh.indices[i / 3 * 3 + (uint32_t)n];
                const int *cell = v->cell[vertex];
                for (int m = 0; m < 4; m++) {
                    among += slot[m] != NOTHING && v->column[vertex] == slot[m];
                    extra += slot[m] == NOTHING && cell[0] == x + m % 2 && cell[1] == y + m / 2;
                }
            }
            // each is met at its corners that are columns
            if (among + extra == 3) sum += 0.5 * plan_of(v, i / 3) / among;
        }
    }
    return sum;
}

// Corners of triangles by vertex: first[vertex], then next[corner].
static void list_corners(const surface_view *v, uint32_t **first, uint32_t **next)
{
    size_t corners_ = 3 * v->mesh.triangle_count;
    *first = test_malloc((v->mesh.vertex_count + 1) * sizeof **first);
    *next = test_malloc((corners_ + 1) * sizeof **next);
    memset(*first, 0xff, v->mesh.vertex_count * sizeof **first);
    for (size_t i = 0; i < corners_; i++) {
        (*next)[i] = (*first)[v->mesh.indices[i]];
        (*first)[v->mesh.indices[i]] = (uint32_t)i;
    }
}

// Exactly once: edges do not let triangles overlap, so that the area tells.
static void check_group(const surface_view *v, const size_t slot[4], const uint32_t *first,
                        const uint32_t *next, int x, int y)
{
    int missing = 0;
    for (int k = 0; k < 4; k++) {
        missing += slot[k] == NOTHING;
        if (slot[k] == NOTHING || v->vertex[slot[k]] != NOTHING) continue;
        complain(v, "cells from %d %d: column %d has no vertex", x, y, k);
        return;
    }
    double area = covered(v, slot, x, y, first, next);
    if (!(fabs(area - 1) < 1e-3) && !(missing && fabs(area - 0.5) < 1e-3))
        complain(v, "cells from %d %d: %g covered, %d columns", x, y, area, 4 - missing);
}

// Counts groups of four and of three.
static void check_cover(const surface_view *v, double film, int64_t count[2])
{
    const rv_columns *c = v->c;
    uint32_t *first, *next;
    list_corners(v, &first, &next);
    for (int l = 0; l < c->planes; l++)
        for (int y = 0; y + 1 < c->ny; y++)
            for (int x = 0; x + 1 < c->nx; x++)
                for (int without = -1; without < 4; without++) {
                    size_t from, slot[4];
                    if (!column_at(c, l, x + (without == 0), y, &from)) continue;
                    if (!find_group(c, from, x, y, without, film, slot)) continue;
                    check_group(v, slot, first, next, x, y);
                    count[without >= 0]++;
                }
    test_free(first), test_free(next);
}

static void random_surfaces_are_whole(void **state)
{
    (void)state;
    int64_t triangles = 0, groups[2] = {0, 0}, curtains = 0, extra = 0, layered = 0, alone = 0;
    int problems = 0;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        random_scene s;
        rv_fill_def fill;
        random_scene_of(&s, seed);
        random_fill(&s, &fill);
        rv_world *world = make_world(&s.def);
        random_liquid(&s, world);
        rv_surface *surface;
        assert_int_equal(rv_surface_create(world, &surface), RV_OK);
        for (int k = 0; k < 4; k++) {
            char what[64];
            rv_columns c;
            surface_view v;
            snprintf(what, sizeof what, "seed %llu, settings %d", (unsigned long long)seed, k);
            set_surface(world, k);
            assert_int_equal(rv_surface_update(surface, world), RV_OK);
            rv_world_get_columns(world, &c);
            open_view(&v, &c, surface, s.def.params.surface_film, &problems, what);
            alone += (int64_t)check_surface(&v);
            check_cover(&v, s.def.params.surface_film, groups);
            triangles += (int64_t)v.mesh.triangle_count, curtains += v.stats.curtain;
            extra += v.stats.extra, layered += c.planes > 1;
            close_view(&v);
        }
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
    print_message("%lld triangles, %lld of them hanging, %lld extra vertices, %lld vertices alone; "
                  "%lld groups of four columns, %lld of three\n",
                  (long long)triangles, (long long)curtains, (long long)extra, (long long)alone,
                  (long long)groups[0], (long long)groups[1]);
    assert_int_equal(problems, 0);
    if (last_seed > first_seed)
        assert_true(layered > 2 * SCENES && curtains > SCENES && extra > SCENES &&
                    groups[0] > 100 * SCENES && groups[1] > SCENES);
}

// ---- Ends ---------------------------------------------------------------------------------------

// A tank with a post in it, turned, its walls anywhere between the middles of cells.
static void random_tank(random_scene *s, uint64_t *r, bool turned)
{
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    rv_params *p = &s->def.params;
    p->tension_on = false; // levels are even
    p->grid_nx = 30, p->grid_ny = 26, p->grid_dx = MM, p->grid_bottom = 0, p->grid_top = 30 * MM;
    add_solid(s, RV_SHAPE_PLANE, 0, 0, 25);
    rv_solid_def *hollow = add_solid(s, RV_SHAPE_BOX, 0, 0, 17);
    hollow->size = (rv_vec3){between(r, 16, 20) * MM, between(r, 12, 16) * MM, 30 * MM};
    hollow->op = RV_SUBTRACT, hollow->rotate.z = turned ? between(r, 0, 1.6) : 0;
    rv_solid_def *post = add_solid(s, RV_SHAPE_CYLINDER, between(r, -2, 2), 0, 10);
    post->radius = between(r, 1.5, 3) * MM, post->height = 28 * MM;
    s->def.solids = s->solid;
}

// Whatever the depth, the surface ends in the walls, not before them.
static void the_surface_reaches_walls(void **state)
{
    (void)state;
    uint64_t r = 11;
    double most = -1;
    for (int i = 0; i < 24; i++) {
        random_scene s;
        rv_fill_def fill = rv_default_fill_def();
        rv_surface_mesh mesh;
        random_tank(&s, &r, i > 7);
        fill.level = between(&r, 2.1, 7) * MM, s.def.fills = &fill, s.def.fill_count = 1;
        rv_world *world = make_world(&s.def);
        rv_surface *surface = surface_of(world);
        rv_surface_get_mesh(surface, &mesh);
        int64_t ends = 0;
        for (size_t k = 0; k < mesh.vertex_count; k++) {
            const float *at = mesh.positions + 3 * k;
            rv_vec3 point = {(double)at[0], (double)at[1], (double)at[2]};
            float distance;
            if (mesh.depth[k] > 0) continue;
            rv_world_distance(world, &point, 1, &distance);
            most = fmax(most, (double)distance / MM), ends++;
        }
        assert_true(ends > 50);
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
    print_message("ends are %.3f dx before the wall or less\n", most);
    assert_true(most < 0.05);
}

// Where the surface ends: segments in plan, in cells.
typedef struct end_line {
    double (*at)[4];
    size_t count;
} end_line;

static end_line end_line_of(const surface_view *v)
{
    size_t count = 3 * v->mesh.triangle_count;
    uint64_t *edges = surface_edges(v);
    end_line line = {test_malloc((count + 1) * sizeof *line.at), 0};
    for (size_t i = 0; i < count; i++) {
        size_t end[2] = {edges[i] >> 32, (uint32_t)edges[i]};
        if (v->mesh.depth[end[0]] > 0 || v->mesh.depth[end[1]] > 0) continue;
        if (has_edge(edges, count, end[1], end[0])) continue;
        double *to = line.at[line.count++];
        for (int k = 0; k < 4; k++) {
            double from = k % 2 ? v->c->y0 : v->c->x0;
            to[k] = ((double)v->mesh.positions[3 * end[k / 2] + (size_t)(k % 2)] - from) / v->c->dx;
        }
    }
    test_free(edges);
    return line;
}

// A drop on the bare bottom of the grid ends as on any bed.
static void a_drop_on_the_ground_has_an_end(void **state)
{
    (void)state;
    random_scene s;
    uint64_t r = 1;
    rv_fill_def fill = rv_default_fill_def();
    rv_surface_stats stats;
    int problems = 0;
    random_tank(&s, &r, false);
    fill.kind = RV_FILL_DROP, fill.volume = 4e-7, fill.radius = 10 * MM, fill.at.z = 10 * MM;
    s.def.solid_count = 0, s.def.fills = &fill, s.def.fill_count = 1;
    rv_world *world = make_world(&s.def);
    rv_surface *surface = surface_of(world);
    rv_surface_get_stats(surface, &stats);
    assert_true(stats.edge > 40 && stats.curtain == 0 && stats.extra == 0);
    rv_columns c;
    surface_view v;
    rv_world_get_columns(world, &c);
    open_view(&v, &c, surface, s.def.params.surface_film, &problems, "a drop");
    check_surface(&v);
    end_line line = end_line_of(&v);
    for (size_t i = 0; i < line.count; i++) { // a ring, as wide as the drop
        double away = hypot(line.at[i][0] - 0.5 * c.nx, line.at[i][1] - 0.5 * c.ny);
        if (!(away > 9 && away < 11)) fail_msg("the end is %g cells from the middle", away);
    }
    assert_int_equal(line.count, stats.edge);
    test_free(line.at);
    close_view(&v);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
    assert_int_equal(problems, 0);
}

// ---- Volume -------------------------------------------------------------------------------------

static rv_world *shipped(const char *name, rv_scene_file *scene, rv_pool *pool)
{
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    if (!rv_scene_load(name, scene, &m) || !rv_scene_load_forms(scene, &work, &m))
        fail_msg("%s: %s", name, m.text);
    rv_world_def def = rv_scene_world_def(scene);
    def.pool = pool;
    return make_world(&def);
}

static void run_until(rv_world *world, const rv_scene_file *scene, double time)
{
    rv_stats s = {0};
    while (s.time < time) {
        assert_int_equal(rv_world_step(world, scene->params.time_step), RV_OK);
        rv_world_get_stats(world, &s);
    }
}

static void volume_is_that_of_the_columns(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double time; // s
    } of[] = {{"bowl", 1}, {"bowl", 2.5}, {"viscosity-4e-1", 1}, {"incline-1cm3", 0.5}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        rv_scene_file scene;
        rv_world *world = shipped(of[i].name, &scene, NULL);
        run_until(world, &scene, of[i].time);
        rv_surface *surface = surface_of(world);
        rv_surface_stats got;
        rv_stats s;
        rv_surface_get_stats(surface, &got), rv_world_get_stats(world, &s);
        print_message("%s at %g s: %+.2f%%\n", of[i].name, of[i].time,
                      100 * (got.volume / s.volume - 1));
        if (!(fabs(got.volume / s.volume - 1) < 0.02))
            fail_msg("%s: %g of %g", of[i].name, got.volume, s.volume);
        rv_surface_destroy(surface);
        rv_world_destroy(world);
        rv_scene_free(&scene);
    }
}

// ---- Flooded columns ----------------------------------------------------------------------------

// The flooded column that a point lies in; NOTHING.
static size_t full_column(const rv_columns *c, const float *at)
{
    int x = (int)floor(((double)at[0] - c->x0) / c->dx);
    int y = (int)floor(((double)at[1] - c->y0) / c->dx);
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *p = &c->plane[l];
        if (x < p->x0 || y < p->y0 || x >= p->x0 + p->nx || y >= p->y0 + p->ny) continue;
        size_t i = rv_slot(p, x, y);
        if (c->full[i] && at[2] >= c->base[i] && at[2] <= c->max[i]) return i;
    }
    return NOTHING;
}

// Solved by pressure, the columns of a passage lack up to a thousandth of their height: they are
// flooded because the solver says so, and no triangle has a corner in one.
static void flooded_columns_have_no_surface(void **state)
{
    (void)state;
    rv_scene_file scene;
    rv_messages m = {0};
    if (!rv_scene_load("cross-passage", &scene, &m)) fail_msg("%s", m.text);
    scene.params.pipes_passages = RV_PASSAGES_PRESSURE;
    rv_world_def def = rv_scene_world_def(&scene);
    rv_world *world = make_world(&def);
    run_until(world, &scene, 1);
    rv_surface *surface = surface_of(world);
    rv_surface_mesh mesh;
    rv_columns c;
    rv_stats s;
    rv_surface_get_mesh(surface, &mesh), rv_world_get_columns(world, &c);
    rv_world_get_stats(world, &s);
    int64_t inside = 0;
    for (size_t n = 0; n < 3 * mesh.triangle_count; n++)
        inside += full_column(&c, mesh.positions + 3 * (size_t)mesh.indices[n]) != NOTHING;
    print_message("%lld flooded columns, %lld of %zu corners in them\n", (long long)s.flooded,
                  (long long)inside, 3 * mesh.triangle_count);
    assert_true(s.flooded > 1900 && mesh.triangle_count > 3000);
    assert_int_equal(inside, 0);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
    rv_scene_free(&scene);
}

// ---- Steadiness ---------------------------------------------------------------------------------

// A copy of a mesh, whole.
typedef struct still {
    rv_surface_mesh mesh;
    void *memory;
} still;

static still keep(const rv_surface *surface)
{
    still s;
    assert_int_equal(rv_surface_get_mesh(surface, &s.mesh), RV_OK);
    rv_surface_mesh *m = &s.mesh;
    size_t n = m->vertex_count, t = m->triangle_count;
    float *f = s.memory = test_malloc((11 * n + 3 * t + 1) * sizeof *f);
    memcpy(f, m->positions, 3 * n * sizeof *f), m->positions = f, f += 3 * n;
    memcpy(f, m->normals, 3 * n * sizeof *f), m->normals = f, f += 3 * n;
    memcpy(f, m->velocity, 3 * n * sizeof *f), m->velocity = f, f += 3 * n;
    memcpy(f, m->opacity, n * sizeof *f), m->opacity = f, f += n;
    memcpy(f, m->depth, n * sizeof *f), m->depth = f, f += n;
    uint32_t *indices = (uint32_t *)f;
    memcpy(indices, m->indices, 3 * t * sizeof *indices), m->indices = indices;
    return s;
}

static bool same_bits(const float *a, const float *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool same_mesh(const rv_surface_mesh *a, const rv_surface_mesh *b)
{
    size_t n = a->vertex_count;
    return n == b->vertex_count && a->triangle_count == b->triangle_count &&
           same_bits(a->positions, b->positions, 3 * n) &&
           same_bits(a->normals, b->normals, 3 * n) && same_bits(a->velocity, b->velocity, 3 * n) &&
           same_bits(a->opacity, b->opacity, n) && same_bits(a->depth, b->depth, n) &&
           (a->triangle_count == 0 ||
            memcmp(a->indices, b->indices, 3 * a->triangle_count * sizeof *a->indices) == 0);
}

static void assert_same_as(const rv_surface *surface, const still *s, const char *what,
                           uint64_t seed)
{
    rv_surface_mesh mesh;
    assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
    if (!same_mesh(&mesh, &s->mesh))
        fail_msg("seed %llu: another mesh %s", (unsigned long long)seed, what);
}

// A second world with the state of the first.
static rv_world *twin_of(const rv_world *world, const rv_world_def *def)
{
    rv_world *twin = make_world(def);
    size_t size = rv_world_snapshot_size(world);
    void *snapshot = test_malloc(size);
    rv_messages m = {0};
    assert_int_equal(rv_world_save(world, snapshot, size), RV_OK);
    if (rv_world_restore(twin, snapshot, size, &m) != RV_OK) fail_msg("%s", m.text);
    test_free(snapshot);
    return twin;
}

static void check_the_same(uint64_t seed)
{
    random_scene s;
    rv_fill_def fill;
    random_scene_of(&s, seed);
    random_fill(&s, &fill);
    rv_world *world = make_world(&s.def);
    random_liquid(&s, world);
    rv_surface *surface = surface_of(world);
    still first = keep(surface);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_same_as(surface, &first, "at the second update", seed);
    for (int threads = 2; threads <= 3; threads++) {
        rv_world_def def = s.def;
        def.pool = rv_pool_create(threads);
        rv_world *twin = twin_of(world, &def);
        rv_surface *other = surface_of(twin);
        assert_same_as(other, &first, threads == 2 ? "with 2 threads" : "with 3 threads", seed);
        rv_surface_destroy(other);
        rv_world_destroy(twin);
        rv_pool_destroy(def.pool);
    }
    // the same object follows its world away and back
    rv_world *twin = twin_of(world, &s.def);
    rv_surface *other = surface_of(twin);
    run_steps(twin, 5);
    assert_int_equal(rv_surface_update(other, twin), RV_OK);
    size_t size = rv_world_snapshot_size(world);
    void *snapshot = test_malloc(size);
    assert_int_equal(rv_world_save(world, snapshot, size), RV_OK);
    assert_int_equal(rv_world_restore(twin, snapshot, size, NULL), RV_OK);
    assert_int_equal(rv_surface_update(other, twin), RV_OK);
    assert_same_as(other, &first, "after going on and back", seed);
    test_free(snapshot), test_free(first.memory);
    rv_surface_destroy(other), rv_surface_destroy(surface);
    rv_world_destroy(twin), rv_world_destroy(world);
}

static void the_same_liquid_gives_the_same_mesh(void **state)
{
    (void)state;
    uint64_t last = first_seed == last_seed ? last_seed : first_seed + 39;
    for (uint64_t seed = first_seed; seed <= last; seed++) check_the_same(seed);
}

// A pool at rest, over many steps.
static void liquid_at_rest_stays(void **state)
{
    (void)state;
    random_scene s;
    rv_fill_def fill = rv_default_fill_def();
    random_scene_of(&s, 5);
    s.def.params.border_west = s.def.params.border_north = RV_BORDER_WALL;
    s.def.source_count = 0, s.def.fills = &fill, s.def.fill_count = 1, fill.level = 9 * MM;
    rv_world *world = make_world(&s.def);
    rv_surface *surface = surface_of(world);
    still first = keep(surface);
    assert_true(first.mesh.triangle_count > 100);
    for (int i = 0; i < 10; i++) {
        run_steps(world, 10);
        assert_int_equal(rv_surface_update(surface, world), RV_OK);
        assert_same_as(surface, &first, "of a lake", 5);
    }
    test_free(first.memory);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// ---- A bowl that fills --------------------------------------------------------------------------

// From a point to the nearest of the segments, in cells.
static double far_from(const end_line *line, const double *p)
{
    double least = INFINITY;
    for (size_t i = 0; i < line->count; i++) {
        const double *s = line->at[i];
        double x = s[2] - s[0], y = s[3] - s[1], size = x * x + y * y;
        double t = size > 0 ? ((p[0] - s[0]) * x + (p[1] - s[1]) * y) / size : 0;
        t = fmin(fmax(t, 0), 1);
        least = fmin(least, hypot(s[0] + t * x - p[0], s[1] + t * y - p[1]));
    }
    return least;
}

static double farthest(const end_line *a, const end_line *b)
{
    double most = 0;
    for (size_t i = 0; i < a->count; i++) most = fmax(most, far_from(b, a->at[i]));
    return most;
}

typedef struct frame {
    surface_view v;
    end_line line;
    still mesh;
    float *level, *z; // by slot; z is -1 without a vertex
} frame;

static frame take_frame(rv_world *world, rv_surface *surface, const rv_columns *c, int number)
{
    frame f = {.level = test_malloc(2 * c->slots * sizeof(float))};
    int problems = 0;
    char what[32];
    snprintf(what, sizeof what, "frame %d", number);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    open_view(&f.v, c, surface, rv_world_params(world)->surface_film, &problems, what);
    check_surface(&f.v);
    assert_int_equal(problems, 0);
    f.z = f.level + c->slots;
    for (size_t i = 0; i < c->slots; i++) {
        size_t vertex = f.v.vertex[i];
        f.level[i] = level_of(c, i);
        f.z[i] = vertex == NOTHING ? -1 : f.v.mesh.positions[3 * vertex + 2];
    }
    f.line = end_line_of(&f.v);
    return f;
}

static void end_frame(frame *f)
{
    close_view(&f->v);
    test_free(f->line.at), test_free(f->level);
}

// A bowl with walls of all slopes.
static rv_world *bowl_that_fills(random_scene *s)
{
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    rv_params *p = &s->def.params;
    p->tension_on = false; // levels are even
    p->grid_nx = p->grid_ny = 48, p->grid_dx = MM, p->grid_bottom = 0, p->grid_top = 30 * MM;
    p->liquid_viscosity = 1e-4;
    add_solid(s, RV_SHAPE_PLANE, 0, 0, 20);
    rv_solid_def *hollow = add_solid(s, RV_SHAPE_SPHERE, 0.3, 0.2, 21);
    hollow->radius = 20 * MM, hollow->op = RV_SUBTRACT;
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){0, 0, 29 * MM}, s->source.radius = 5 * MM, s->source.rate = 4e-7;
    s->def.solids = s->solid, s->def.sources = &s->source, s->def.source_count = 1;
    return make_world(&s->def);
}

typedef struct unrest {
    double beyond; // dx, by which a vertex moved further than the level of its column
    double end;    // dx, by which the line where the liquid ends moved in a frame
    double level;  // dx, by which a level changed
} unrest;

static void compare_frames(const frame *old, const frame *now, unrest *most)
{
    const rv_columns *c = now->v.c;
    for (size_t k = 0; k < c->slots; k++) {
        if (now->z[k] < 0 || old->z[k] < 0) continue;
        double moved = fabs((double)now->z[k] - (double)old->z[k]);
        double by = fabs((double)now->level[k] - (double)old->level[k]);
        most->beyond = fmax(most->beyond, (moved - by) / c->dx);
        most->level = fmax(most->level, by / c->dx);
    }
    most->end = fmax(most->end, farthest(&old->line, &now->line));
    most->end = fmax(most->end, farthest(&now->line, &old->line));
}

static unrest fill_bowl(int frames, int steps)
{
    random_scene s;
    rv_columns c;
    rv_world *world = bowl_that_fills(&s);
    rv_surface *surface;
    unrest most = {0, 0, 0};
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    rv_world_get_columns(world, &c);
    run_steps(world, 50);
    frame old = take_frame(world, surface, &c, 0);
    for (int i = 1; i <= frames; i++) {
        run_steps(world, steps);
        frame now = take_frame(world, surface, &c, i);
        compare_frames(&old, &now, &most);
        end_frame(&old);
        old = now;
    }
    print_message("%d frames of %d steps: levels change by %.3f dx or less, a vertex by %.2g dx "
                  "more, the end moves by %.3f dx or less\n",
                  frames, steps, most.level, most.beyond, most.end);
    end_frame(&old);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
    return most;
}

// No vertex moves further than the level of its column. The line where the liquid ends moves by a
// fraction of a cell in a frame, and by half of it in half the time: what jumps would jump as far.
static void a_filling_bowl_is_steady(void **state)
{
    (void)state;
    unrest whole = fill_bowl(200, 2), half = fill_bowl(200, 1);
    assert_true(whole.beyond < 1e-6 && half.beyond < 1e-6);
    assert_true(whole.level > 0.05 && whole.end > 0.05);
    assert_true(whole.end < 0.4);
    assert_true(half.end < 0.6 * whole.end);
}

// ---- Memory -------------------------------------------------------------------------------------

// Counts, and fails once its patience is over.
typedef struct stingy {
    rv_allocator real;
    int64_t left, taken, held; // left < 0: without end
} stingy;

static void *stingy_allocate(size_t bytes, void *user)
{
    stingy *s = user;
    if (s->left == 0) return NULL;
    if (s->left > 0) s->left--;
    s->taken++, s->held += (int64_t)bytes;
    return s->real.allocate(bytes, s->real.user);
}

static void stingy_release(void *memory, size_t bytes, void *user)
{
    stingy *s = user;
    if (memory) s->held -= (int64_t)bytes;
    s->real.release(memory, bytes, s->real.user);
}

static rv_world *stingy_world(stingy *user, random_scene *s, rv_fill_def *fill, uint64_t seed)
{
    *user = (stingy){.real = rv_default_allocator(), .left = -1};
    random_scene_of(s, seed);
    random_fill(s, fill);
    s->def.allocator = (rv_allocator){stingy_allocate, stingy_release, user};
    rv_world *world = make_world(&s->def);
    random_liquid(s, world);
    return world;
}

static void warm_updates_take_no_memory(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_scene s;
        rv_fill_def fill;
        stingy user;
        rv_world *world = stingy_world(&user, &s, &fill, seed);
        int64_t before = user.held;
        rv_surface *surface = surface_of(world);
        rv_surface_stats stats;
        assert_int_equal(rv_surface_update(surface, world), RV_OK);
        rv_surface_get_stats(surface, &stats);
        int64_t taken = user.taken, own = user.held - before;
        if (!(fabs((double)stats.bytes / (double)own - 1) < 0.05))
            fail_msg("seed %llu: says %zu bytes, has %lld", (unsigned long long)seed, stats.bytes,
                     (long long)own);
        for (int i = 0; i < 3; i++) assert_int_equal(rv_surface_update(surface, world), RV_OK);
        if (user.taken != taken) fail_msg("seed %llu allocates", (unsigned long long)seed);
        rv_surface_destroy(surface);
        rv_world_destroy(world);
        assert_int_equal(user.held, 0);
    }
}

static void carve(rv_world *world, uint64_t *r)
{
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def e = rv_default_event_def();
    rv_vec3 at = {rv_world_params(world)->grid_x + between(r, -12, 12) * MM,
                  between(r, -10, 10) * MM, between(r, 0, 13) * MM};
    tool.shape = choice(r, 2) ? RV_SHAPE_SPHERE : RV_SHAPE_BOX;
    tool.radius = between(r, 1, 4) * MM;
    tool.size = (rv_vec3){between(r, 1, 8) * MM, between(r, 1, 8) * MM, between(r, 1, 6) * MM};
    e.kind = choice(r, 2) ? RV_EVENT_CARVE : RV_EVENT_ADD;
    e.tool = &tool, e.tool_count = 1, e.path = &at, e.path_count = 1;
    assert_int_equal(rv_world_edit(world, &e, NULL, NULL), RV_OK);
}

// Whatever allocation fails, nothing is lost, and the next update makes the whole surface.
static void memory_that_runs_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        random_scene s;
        rv_fill_def fill;
        stingy user;
        rv_world *world = stingy_world(&user, &s, &fill, seed);
        rv_surface *whole = surface_of(world);
        still want = keep(whole);
        rv_surface_destroy(whole);
        int64_t before = user.held;
        bool done = false;
        for (int64_t patience = 0; !done; patience++) {
            rv_surface *surface = NULL;
            user.left = patience;
            rv_result r = rv_surface_create(world, &surface);
            if (r == RV_OK) r = rv_surface_update(surface, world);
            user.left = -1;
            assert_true(r == RV_OK || r == RV_OUT_OF_MEMORY);
            done = r == RV_OK;
            if (surface) {
                rv_surface_mesh mesh;
                assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
                if (!done) assert_int_equal(mesh.triangle_count, 0);
                assert_int_equal(rv_surface_update(surface, world), RV_OK);
                assert_same_as(surface, &want, "after running out", seed);
            }
            rv_surface_destroy(surface);
            assert_int_equal(user.held, before);
            assert_true(patience < 200);
        }
        test_free(want.memory);
        rv_world_destroy(world);
    }
}

// Posts on a floor, under as many layers as before, and more walls than there were.
static void add_posts(rv_world *world, int count)
{
    rv_solid_def post = rv_default_solid_def();
    rv_event_def e = rv_default_event_def();
    post.size = (rv_vec3){2 * MM, 2 * MM, 20 * MM};
    e.kind = RV_EVENT_ADD, e.tool = &post, e.tool_count = 1, e.path_count = 1;
    for (int i = 0; i < count; i++) {
        rv_vec3 at = {(i % 6 * 4 - 10) * MM, (i / 6 * 4 - 8) * MM, 0};
        e.path = &at;
        assert_int_equal(rv_world_edit(world, &e, NULL, NULL), RV_OK);
    }
}

// The same, of an update after the terrain changed.
static void memory_that_runs_out_after_edits(void **state)
{
    (void)state;
    bool done = false;
    int64_t failed = 0;
    for (int64_t patience = 0; !done; patience++) {
        random_scene s;
        uint64_t r = 1;
        rv_fill_def fill = rv_default_fill_def();
        stingy user = {.real = rv_default_allocator(), .left = -1};
        random_tank(&s, &r, false);
        s.def.solid_count = 1, s.solid[0].at.z = 4 * MM;
        fill.level = 6 * MM, s.def.fills = &fill, s.def.fill_count = 1;
        s.def.allocator = (rv_allocator){stingy_allocate, stingy_release, &user};
        rv_world *world = make_world(&s.def);
        rv_surface *surface = surface_of(world);
        add_posts(world, 24);
        user.left = patience;
        rv_result result = rv_surface_update(surface, world);
        user.left = -1;
        assert_true(result == RV_OK || result == RV_OUT_OF_MEMORY);
        done = result == RV_OK, failed += !done;
        assert_int_equal(rv_surface_update(surface, world), RV_OK);
        rv_surface *fresh = surface_of(world);
        still want = keep(fresh);
        assert_same_as(surface, &want, "after running out", 3);
        test_free(want.memory);
        rv_surface_destroy(fresh), rv_surface_destroy(surface);
        rv_world_destroy(world);
        assert_int_equal(user.held, 0);
        assert_true(patience < 200);
    }
    assert_true(failed > 0);
}

// ---- Terrain that changes -----------------------------------------------------------------------

static void the_surface_follows_its_terrain(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        random_scene s;
        rv_fill_def fill;
        int problems = 0;
        random_scene_of(&s, seed);
        random_fill(&s, &fill);
        rv_solid_def *mover = add_solid(&s, RV_SHAPE_BOX, 0, 0, 6);
        mover->size = (rv_vec3){6 * MM, 5 * MM, 4 * MM}, mover->mover = 1;
        mover->at.x += s.def.params.grid_x;
        rv_world *world = make_world(&s.def);
        random_liquid(&s, world);
        rv_surface *surface = surface_of(world);
        for (int i = 0; i < 15; i++) {
            rv_pose pose = {.shift = {between(&s.random, -6, 6) * MM, 0.3 * i * MM, 0.1 * i * MM}};
            if (i % 3 == 2)
                assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
            else
                carve(world, &s.random);
            // several changes at a time, and so many that they are forgotten
            for (int k = 0; i == 7 && k < 70; k++) carve(world, &s.random);
            if (i % 4 == 1) continue;
            if (i % 2) run_steps(world, 1);
            rv_columns c;
            surface_view v;
            assert_int_equal(rv_surface_update(surface, world), RV_OK);
            rv_surface *fresh = surface_of(world);
            still want = keep(fresh);
            assert_same_as(surface, &want, "than a fresh one after an edit", seed);
            rv_world_get_columns(world, &c);
            open_view(&v, &c, surface, s.def.params.surface_film, &problems, "after an edit");
            check_surface(&v);
            close_view(&v);
            test_free(want.memory);
            rv_surface_destroy(fresh);
        }
        rv_surface_destroy(surface);
        rv_world_destroy(world);
        assert_int_equal(problems, 0);
    }
}

static void changed_settings_count_at_once(void **state)
{
    (void)state;
    random_scene s;
    rv_fill_def fill;
    random_scene_of(&s, 4);
    random_fill(&s, &fill);
    rv_world *world = make_world(&s.def);
    random_liquid(&s, world);
    rv_surface *surface = surface_of(world);
    for (int i = 0; i < 12; i++) {
        rv_params p = *rv_world_params(world);
        p.surface_over = (double[]){0.05, 0.3, 0.02}[i % 3];
        p.surface_film = (double[]){0, 1e-5, 1e-3}[i / 2 % 3];
        p.surface_edge = i % 2, p.surface_curtain = i / 3 % 2, p.view_opaque = 1e-3 * (1 + i);
        p.surface_minimum = i % 5 != 0, p.surface_boundary = i % 4 != 2,
        p.surface_links = i % 7 < 5;
        assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
        assert_int_equal(rv_surface_update(surface, world), RV_OK);
        rv_surface *fresh = surface_of(world);
        still want = keep(fresh);
        assert_same_as(surface, &want, "than a fresh one with other settings", 4);
        test_free(want.memory);
        rv_surface_destroy(fresh);
    }
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

static void bad_arguments_are_results(void **state)
{
    (void)state;
    random_scene s;
    random_scene_of(&s, 1);
    rv_world *world = make_world(&s.def);
    rv_surface *surface = (rv_surface *)&s;
    rv_surface_mesh mesh;
    rv_surface_stats stats;
    assert_int_equal(rv_surface_create(NULL, &surface), RV_BAD_ARGUMENT);
    assert_null(surface);
    assert_int_equal(rv_surface_create(world, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_get_mesh(surface, &mesh),
                     RV_OK); // before the first update: nothing
    assert_int_equal(mesh.vertex_count + mesh.triangle_count, 0);
    assert_int_equal(rv_surface_get_stats(surface, &stats), RV_OK);
    assert_int_equal(rv_surface_update(NULL, world), RV_BAD_ARGUMENT);
    assert_int_equal(rv_surface_update(surface, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_surface_get_mesh(NULL, &mesh), RV_BAD_ARGUMENT);
    assert_int_equal(rv_surface_get_mesh(surface, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_surface_get_stats(surface, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_surface_update(surface, world), RV_OK); // nothing is wet
    assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
    assert_int_equal(mesh.vertex_count + mesh.triangle_count, 0);
    rv_surface_destroy(surface), rv_surface_destroy(NULL);
    rv_world_destroy(world);
}

// What the switches for comparing leave out: the surface then lies lower over its bed, climbs to
// the beds of dry columns, and has no triangles between layers.
static void parts_can_be_left_out(void **state)
{
    (void)state;
    small_world s;
    small_layers(&s, RV_SOLVER_PIPES);
    rv_world *world = make_world(&s.def);
    for (int n = 0; n < 20; n++) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
    const rv_params all = *rv_world_params(world);
    double sum[4] = {0}, highest[4] = {0};
    size_t triangles[4];
    for (int k = 0; k < 4; k++) {
        rv_params p = all;
        p.surface_minimum = k != 1, p.surface_boundary = k != 2, p.surface_links = k != 3;
        p.surface_edge = false;
        assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
        rv_surface *surface = surface_of(world);
        rv_surface_mesh mesh;
        assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
        triangles[k] = mesh.triangle_count;
        for (size_t n = 0; n < mesh.vertex_count; n++) {
            sum[k] += (double)mesh.positions[3 * n + 2];
            highest[k] = fmax(highest[k], (double)mesh.positions[3 * n + 2]);
        }
        rv_surface_destroy(surface);
    }
    assert_true(sum[1] < sum[0] && triangles[1] == triangles[0]);
    assert_true(highest[2] > highest[0] || sum[2] > sum[0]);
    assert_true(triangles[3] < triangles[0]);
    rv_world_destroy(world);
}

int main(int argc, char **argv)
{
    if (argc > 1) first_seed = last_seed = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_surfaces_are_whole),
        cmocka_unit_test(the_surface_reaches_walls),
        cmocka_unit_test(a_drop_on_the_ground_has_an_end),
        cmocka_unit_test(volume_is_that_of_the_columns),
        cmocka_unit_test(flooded_columns_have_no_surface),
        cmocka_unit_test(the_same_liquid_gives_the_same_mesh),
        cmocka_unit_test(liquid_at_rest_stays),
        cmocka_unit_test(a_filling_bowl_is_steady),
        cmocka_unit_test(warm_updates_take_no_memory),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(memory_that_runs_out_after_edits),
        cmocka_unit_test(the_surface_follows_its_terrain),
        cmocka_unit_test(changed_settings_count_at_once),
        cmocka_unit_test(parts_can_be_left_out),
        cmocka_unit_test(bad_arguments_are_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
