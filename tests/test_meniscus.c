// The meniscus field: distances against brute force over the mesh, angles and directions on shapes
// whose answer is known, layers that must not see each other, and steadiness.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_check.h"

#define PI 3.14159265358979

// ---- Worlds -------------------------------------------------------------------------------------

#define SIDE 60

// A bed by cell, and liquid up to a level.
typedef struct pool {
    rv_world_def def;
    rv_fill_def fill;
    float bed[SIDE * SIDE]; // m
} pool;

static double middle(int cell)
{
    return (cell + 0.5 - SIDE / 2) * MM;
}

static void begin_pool(pool *p, double level)
{
    p->def = rv_default_world_def();
    p->def.params.grid_nx = p->def.params.grid_ny = SIDE, p->def.params.grid_dx = MM;
    p->def.params.grid_bottom = -1, p->def.params.grid_top = 1;
    p->def.params.surface_meniscus_length = 5.6 * MM;
    p->def.params.tension_on = false; // level surfaces, unless a test is about others
    p->fill = rv_default_fill_def();
    p->fill.level = level;
    p->def.heights = p->bed, p->def.fills = &p->fill, p->def.fill_count = 1;
}

// A parabola, 10 mm deep and 25 mm wide at its rim.
static void make_bowl(pool *p, double level)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = middle(i % SIDE), y = middle(i / SIDE);
        p->bed[i] = (float)((x * x + y * y) / (62.5 * MM));
    }
    begin_pool(p, level);
}

// Rises with a slope in a direction, from 0 in the middle of the grid.
static void make_incline(pool *p, double slope, double toward)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        p->bed[i] =
            (float)(slope * (cos(toward) * middle(i % SIDE) + sin(toward) * middle(i / SIDE)));
    begin_pool(p, 0);
}

// A floor between walls that stand 10 cells from the border, turned.
static void make_tank(pool *p, double turn)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = middle(i % SIDE), y = middle(i / SIDE);
        double u = fabs(cos(turn) * x + sin(turn) * y), v = fabs(cos(turn) * y - sin(turn) * x);
        p->bed[i] = u > 15 * MM || v > 15 * MM ? (float)(30 * MM) : 0.0f;
    }
    begin_pool(p, 8 * MM);
}

// Hills and valleys that rise by less than half a cell from one cell to the next.
static void make_hills(pool *p, uint64_t seed)
{
    uint64_t random = seed;
    double wave[4][4];
    for (int k = 0; k < 4; k++)
        for (int n = 0; n < 4; n++) wave[k][n] = between(&random, 0, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double h = 0;
        for (int k = 0; k < 4; k++) {
            double along = 2 * PI * wave[k][0], size = (8 + 20 * wave[k][1]) * MM;
            double phase = (cos(along) * middle(i % SIDE) + sin(along) * middle(i / SIDE)) / size;
            h += 0.12 * size * sin(2 * PI * (phase + wave[k][2])) / PI;
        }
        p->bed[i] = (float)h;
    }
    begin_pool(p, between(&random, -1, 1) * MM);
}

static rv_surface *surface_of(const rv_world *world)
{
    rv_surface *surface;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    return surface;
}

static rv_surface_mesh mesh_of(const rv_surface *surface)
{
    rv_surface_mesh mesh;
    assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
    assert_non_null(mesh.contact);
    return mesh;
}

static void set_edge(rv_world *world, bool edge)
{
    rv_params p = *rv_world_params(world);
    p.surface_edge = edge;
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
}

// ---- Brute force --------------------------------------------------------------------------------

// From every contact, and every edge of a triangle between two, the mesh is walked outward as long
// as it is within the meniscus length; what is met on the way is so far from it. Outward: where the
// surface folds back over itself, over another layer, the way ends. Nor does it go down curtains.
typedef struct walk {
    rv_surface_mesh mesh;
    double length, *distance;
    bool *hangs;              // [triangles]
    uint32_t *first, *corner; // by vertex: its corners of triangles are first[v] … first[v + 1]
    uint32_t *stack, *seen;
    uint32_t mark;
} walk;

static bool hangs(const rv_surface_mesh *m, size_t t)
{
    const float *p[3];
    for (size_t k = 0; k < 3; k++) p[k] = m->positions + 3 * (size_t)m->indices[3 * t + k];
    double bx = (double)p[1][0] - (double)p[0][0], by = (double)p[1][1] - (double)p[0][1];
    double cx = (double)p[2][0] - (double)p[0][0], cy = (double)p[2][1] - (double)p[0][1];
    return fabs(bx * cy - by * cx) < 1e-7 * MM * MM;
}

static void open_walk(walk *w, rv_surface_mesh mesh, double length)
{
    size_t n = mesh.vertex_count, corners_ = 3 * mesh.triangle_count;
    *w = (walk){.mesh = mesh, .length = length};
    w->distance = test_malloc((n + 1) * sizeof *w->distance);
    w->first = test_calloc(n + 2, sizeof *w->first);
    w->corner = test_malloc((corners_ + 1) * sizeof *w->corner);
    w->stack = test_malloc((n + 1) * sizeof *w->stack);
    w->seen = test_calloc(n + 1, sizeof *w->seen);
    w->hangs = test_malloc((mesh.triangle_count + 1) * sizeof *w->hangs);
    for (size_t i = 0; i < n; i++) w->distance[i] = length;
    for (size_t t = 0; t < mesh.triangle_count; t++) w->hangs[t] = hangs(&mesh, t);
    for (size_t i = 0; i < corners_; i++) w->first[mesh.indices[i] + 1] += !w->hangs[i / 3];
    for (size_t i = 0; i < n; i++) w->first[i + 1] += w->first[i];
    uint32_t *next = test_malloc((n + 1) * sizeof *next);
    memcpy(next, w->first, n * sizeof *next);
    for (size_t i = 0; i < corners_; i++)
        if (!w->hangs[i / 3]) w->corner[next[mesh.indices[i]]++] = (uint32_t)i;
    test_free(next);
}

static void close_walk(walk *w)
{
    test_free(w->distance), test_free(w->first), test_free(w->corner);
    test_free(w->stack), test_free(w->seen), test_free(w->hangs);
}

// In plan, to the line between two vertices.
static double to_line(const walk *w, uint32_t vertex, uint32_t from, uint32_t to)
{
    const float *p = w->mesh.positions + 3 * (size_t)vertex;
    const float *a = w->mesh.positions + 3 * (size_t)from, *b = w->mesh.positions + 3 * (size_t)to;
    double ux = (double)b[0] - (double)a[0], uy = (double)b[1] - (double)a[1];
    double px = (double)p[0] - (double)a[0], py = (double)p[1] - (double)a[1];
    double whole = ux * ux + uy * uy, t = whole > 0 ? (ux * px + uy * py) / whole : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(px - t * ux, py - t * uy);
}

static void walk_from(walk *w, uint32_t a, uint32_t b)
{
    size_t count = 0;
    w->mark++;
    w->stack[count++] = a, w->seen[a] = w->mark;
    while (count > 0) {
        uint32_t v = w->stack[--count];
        double d = to_line(w, v, a, b);
        if (d >= w->length) continue;
        if (d < w->distance[v]) w->distance[v] = d;
        for (uint32_t i = w->first[v]; i < w->first[v + 1]; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t o = w->mesh.indices[w->corner[i] / 3 * 3 + k];
                if (w->seen[o] == w->mark || to_line(w, o, a, b) < d - 0.01 * MM) continue;
                w->stack[count++] = o, w->seen[o] = w->mark;
            }
        }
    }
}

static bool is_contact(const rv_surface_mesh *mesh, size_t vertex)
{
    return mesh->contact[4 * vertex] == 0;
}

static void walk_all(walk *w)
{
    const rv_surface_mesh *m = &w->mesh;
    for (size_t i = 0; i < m->vertex_count; i++)
        if (is_contact(m, i)) walk_from(w, (uint32_t)i, (uint32_t)i);
    for (size_t i = 0; i < 3 * m->triangle_count; i++) {
        uint32_t a = m->indices[i], b = m->indices[i % 3 == 2 ? i - 2 : i + 1];
        if (!w->hangs[i / 3] && is_contact(m, a) && is_contact(m, b)) walk_from(w, a, b);
    }
}

typedef struct errors {
    double above, below; // m, largest
    double sum;
    int64_t vertices, near, contacts, wrong; // wrong: by more than a cell
} errors;

static void compare(const rv_surface *surface, double length, errors *e)
{
    walk w;
    open_walk(&w, mesh_of(surface), length);
    walk_all(&w);
    for (size_t i = 0; i < w.mesh.vertex_count; i++) {
        if (w.first[i] == w.first[i + 1]) continue; // in no triangle but of curtains
        const float *field = w.mesh.contact + 4 * i;
        double error = (double)field[0] - w.distance[i];
        if (!all_finite(field, 4) || !(field[0] >= 0 && (double)field[0] <= length * (1 + 1e-6)) ||
            hypot((double)field[1], (double)field[2]) > 1 + 1e-5)
            fail_msg("vertex %zu: %g, %g %g, %g", i, (double)field[0], (double)field[1],
                     (double)field[2], (double)field[3]);
        e->above = fmax(e->above, error), e->below = fmax(e->below, -error);
        e->sum += fabs(error), e->wrong += fabs(error) > MM;
        e->vertices++, e->near += w.distance[i] < length, e->contacts += is_contact(&w.mesh, i);
    }
    close_walk(&w);
}

static void report(const char *what, const errors *e)
{
    print_message(
        "%s: %lld vertices, %lld contacts, %lld near them; too far by %.3f cells at most, "
        "too near by %.3f, mean %.4f; %lld by more than one\n",
        what, (long long)e->vertices, (long long)e->contacts, (long long)e->near, e->above / MM,
        e->below / MM, e->sum / (double)e->near / MM, (long long)e->wrong);
}

static void compare_both(rv_world *world, errors *on, errors *off)
{
    rv_surface *surface = surface_of(world);
    double length = rv_world_params(world)->surface_meniscus_length;
    compare(surface, length, on);
    set_edge(world, false);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    compare(surface, length, off);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// Dead reckoning may miss the nearest contact by a little, and cuts corners of the line where
// contacts stand very near to each other. A fifth of a cell is 4% of the meniscus length here.
static void distances_on_open_beds(void **state)
{
    (void)state;
    static pool p;
    errors on = {0}, off = {0};
    for (int k = 0; k < 6; k++) {
        make_bowl(&p, (1.3 + k) * MM);
        compare_both(make_world(&p.def), &on, &off);
        make_incline(&p, 0.2 + 0.1 * k, 0.3 * k);
        compare_both(make_world(&p.def), &on, &off);
    }
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_hills(&p, seed);
        compare_both(make_world(&p.def), &on, &off);
    }
    report("with an edge", &on);
    report("without", &off);
    assert_true(on.contacts > 10000 && on.near > 30000 && off.contacts > 5000);
    assert_true(on.above < 0.2 * MM && on.below < 0.1 * MM);
    assert_true(off.above < 0.2 * MM && off.below < 1e-3 * MM);
    assert_true(on.sum < 1e-3 * MM * (double)on.near && off.sum < 1e-3 * MM * (double)off.near);
}

// A wall counts halfway between columns, half a cell (half a diagonal) before the vertex in it.
// Where layers part and meet again within a few cells, wet here and there at random, it is a matter
// of taste what is near what: one vertex in fifty.
static void distances_in_layers(void **state)
{
    (void)state;
    errors on = {0}, off = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_scene s;
        rv_fill_def fill;
        random_scene_of(&s, seed);
        random_fill(&s, &fill);
        s.def.params.surface_meniscus_length = 3.7 * MM;
        rv_world *world = make_world(&s.def);
        random_liquid(&s, world);
        compare_both(world, &on, &off);
    }
    report("layers with an edge", &on);
    report("without", &off);
    assert_true(on.near > 15000 && off.near > 12000); // there is something to compare
    assert_true(on.wrong < on.near / 50 && off.wrong < off.near / 40);
    assert_true(on.sum < 0.15 * MM * (double)on.near && off.sum < 0.15 * MM * (double)off.near);
}

// A pool from border to border has no contact, whatever lies on the shelf over it.
static void layers_do_not_see_each_other(void **state)
{
    (void)state;
    rv_solid_def solid[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solid[0].shape = RV_SHAPE_PLANE;
    solid[1].shape = RV_SHAPE_BOX, solid[1].at.z = 10 * MM;
    solid[1].size = (rv_vec3){1, 1, 2 * MM};
    rv_fill_def fill = rv_default_fill_def();
    fill.level = 4 * MM, fill.to.z = 8 * MM;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = 40, def.params.grid_dx = MM;
    def.params.grid_bottom = -2 * MM, def.params.grid_top = 20 * MM;
    def.params.surface_meniscus_length = 4 * MM;
    def.solids = solid, def.solid_count = 2, def.fills = &fill, def.fill_count = 1;
    rv_world *world = make_world(&def);
    rv_world_pour(world, (rv_vec3){0, 0, 15 * MM}, 8 * MM, 2e-7);
    rv_surface *surface = surface_of(world);
    rv_surface_mesh m = mesh_of(surface);
    int lower = 0, upper = 0, contacts = 0;
    for (size_t i = 0; i < m.vertex_count; i++) {
        bool under = (double)m.positions[3 * i + 2] < 8 * MM;
        if (under && m.contact[4 * i] != (float)(4 * MM)) fail_msg("below, %zu sees a contact", i);
        lower += under, upper += !under, contacts += is_contact(&m, i);
    }
    assert_true(lower == 1600 && upper > 100 && contacts > 40);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// ---- Angles and directions ----------------------------------------------------------------------

// Vertices nearer than `most` to a contact must tilt by psi there; returns how many. Not at the
// border of the grid, where the columns beside a contact are on one side only.
static int check_tilts(const rv_surface_mesh *m, double psi, double tolerance, double most)
{
    int count = 0;
    for (size_t i = 0; i < m->vertex_count; i++) {
        const float *field = m->contact + 4 * i;
        double x = (double)m->positions[3 * i], y = (double)m->positions[3 * i + 1];
        if (!((double)field[0] < most) || fmax(fabs(x), fabs(y)) > 24 * MM) continue;
        if (!(fabs((double)field[3] - psi) <= tolerance))
            fail_msg("vertex %zu at (%g, %g) mm: %g, not %g", i, x / MM, y / MM, (double)field[3],
                     psi);
        count++;
    }
    return count;
}

// Liquid climbs where the contact angle is less than the tilt of the solid, and bends down where it
// is more.
static void tilts_on_inclines(void **state)
{
    (void)state;
    static pool p;
    static const double degrees[] = {5, 20, 40}, toward[] = {0, 45, 70, 180, 261};
    static const double contact[] = {0.1, 0.7, 2.4};
    for (int k = 0; k < 45; k++) {
        double beta = degrees[k % 3] * PI / 180, along = toward[k / 9] * PI / 180;
        double alpha = contact[k / 3 % 3];
        make_incline(&p, tan(beta), along);
        p.def.params.liquid_contact = alpha;
        rv_world *world = make_world(&p.def);
        rv_surface *surface = surface_of(world);
        for (int edge = 1; edge >= 0; edge--) {
            set_edge(world, edge);
            assert_int_equal(rv_surface_update(surface, world), RV_OK);
            rv_surface_mesh m = mesh_of(surface);
            // without an edge the line is a saw, and so is its direction
            double tolerance = edge ? 5e-3 : 0.12 * beta;
            assert_true(check_tilts(&m, beta - alpha, tolerance, 4 * MM) > 100);
        }
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
}

// Against walls the solid stands upright, and the contact is where they stand, to half a cell.
static void tilts_in_tanks(void **state)
{
    (void)state;
    static pool p;
    for (int k = 0; k < 8; k++) {
        double turn = k < 4 ? 0 : 0.15 * k, alpha = k % 2 ? 0.5 : 2.0;
        make_tank(&p, turn);
        p.def.params.liquid_contact = alpha;
        rv_world *world = make_world(&p.def);
        rv_surface *surface = surface_of(world);
        set_edge(world, k % 4 < 2);
        assert_int_equal(rv_surface_update(surface, world), RV_OK);
        rv_surface_mesh m = mesh_of(surface);
        assert_true(check_tilts(&m, PI / 2 - alpha, 1e-4, 5 * MM) > 300);
        for (size_t i = 0; i < m.vertex_count; i++) {
            double x = (double)m.positions[3 * i], y = (double)m.positions[3 * i + 1];
            double u = fabs(cos(turn) * x + sin(turn) * y), v = fabs(cos(turn) * y - sin(turn) * x);
            double wall = 15 * MM - fmax(u, v), field = (double)m.contact[4 * i];
            double room = (k % 4 < 2 ? 0.75 : 1.05) * MM; // without an edge: the solid's columns
            if (wall > 0 && wall < 5 * MM && !(fabs(field - wall) < room))
                fail_msg("tank %d: %g mm from the wall, not %g", k, field / MM, wall / MM);
        }
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
}

// In a round bowl the contact is a circle: radial directions, and the distance to it.
static void directions_in_a_bowl(void **state)
{
    (void)state;
    static pool p;
    double worst = 0, off = 0, sum = 0;
    int count = 0;
    for (int k = 0; k < 5; k++) {
        double level = (2 + 0.83 * k) * MM, radius = sqrt(level * 62.5 * MM);
        make_bowl(&p, level);
        rv_world *world = make_world(&p.def);
        rv_surface *surface = surface_of(world);
        rv_surface_mesh m = mesh_of(surface);
        for (size_t i = 0; i < m.vertex_count; i++) {
            const float *field = m.contact + 4 * i;
            double x = (double)m.positions[3 * i], y = (double)m.positions[3 * i + 1];
            if ((double)field[0] > 5 * MM) continue;
            assert_true(fabs(hypot((double)field[1], (double)field[2]) - 1) < 1e-3);
            double cross = (x * (double)field[2] - y * (double)field[1]) / hypot(x, y);
            double along = (x * (double)field[1] + y * (double)field[2]) / hypot(x, y);
            double angle = fabs(atan2(cross, along)) * 180 / PI;
            worst = fmax(worst, angle), sum += angle, count++;
            off = fmax(off, fabs((double)field[0] - (radius - hypot(x, y))));
        }
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
    print_message("%d vertices: %.2f° off at most, %.2f° in the mean; %.3f cells\n", count, worst,
                  sum / count, off / MM);
    assert_true(count > 2000 && worst < 5 && sum / count < 1 && off < 0.1 * MM);
}

// ---- Steadiness ---------------------------------------------------------------------------------

static void the_same_for_any_threads(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        random_scene s;
        rv_fill_def fill;
        float *first = NULL;
        size_t size = 0;
        for (int threads = 1; threads <= 4; threads *= 2) {
            random_scene_of(&s, seed);
            random_fill(&s, &fill);
            s.def.params.grid_nx = s.def.params.grid_ny = 48; // enough to be shared out
            s.def.pool = rv_pool_create(threads);
            rv_world *world = make_world(&s.def);
            random_liquid(&s, world);
            rv_surface *surface = surface_of(world);
            rv_surface_mesh m = mesh_of(surface);
            if (!first) {
                size = 4 * m.vertex_count * sizeof *first;
                first = test_malloc(size + 1);
                memcpy(first, m.contact, size);
            }
            assert_int_equal(size, 4 * m.vertex_count * sizeof *first);
            assert_memory_equal(first, m.contact, size);
            rv_surface_destroy(surface);
            rv_world_destroy(world);
            rv_pool_destroy(s.def.pool);
        }
        test_free(first);
    }
}

static void off_there_is_none(void **state)
{
    (void)state;
    static pool p;
    rv_surface_mesh m;
    rv_surface_stats stats;
    make_bowl(&p, 4 * MM);
    rv_world *world = make_world(&p.def);
    rv_surface *surface = surface_of(world);
    mesh_of(surface);
    p.def.params.surface_meniscus = false;
    assert_int_equal(rv_world_set_params(world, &p.def.params, NULL), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(surface, &m), RV_OK);
    assert_int_equal(rv_surface_get_stats(surface, &stats), RV_OK);
    assert_null(m.contact);
    assert_true(stats.ms_meniscus == 0 && m.vertex_count > 0);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// How far the field changes the normal of a level surface at a vertex.
typedef struct lean {
    double x, y;
} lean;

static lean lean_of(const float field[4], double length)
{
    float normal[3];
    rv_surface_bend((const float[3]){0, 0, 1}, field, length, normal);
    return (lean){(double)normal[0], (double)normal[1]};
}

// Normals over the middles of cells, with the liquid at a level.
typedef struct leans {
    lean at[SIDE * SIDE];
    bool has[SIDE * SIDE];
} leans;

static void read_leans(pool *p, double level, leans *to)
{
    p->fill.level = level;
    rv_world *world = make_world(&p->def);
    rv_surface *surface = surface_of(world);
    rv_surface_mesh m = mesh_of(surface);
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < m.vertex_count; i++) {
        double x = (double)m.positions[3 * i] / MM + SIDE / 2.0 - 0.5;
        double y = (double)m.positions[3 * i + 1] / MM + SIDE / 2.0 - 0.5;
        if (fabs(x - round(x)) > 1e-3 || fabs(y - round(y)) > 1e-3) continue;
        int cell = (int)round(y) * SIDE + (int)round(x);
        to->at[cell] = lean_of(m.contact + 4 * i, p->def.params.surface_meniscus_length);
        to->has[cell] = true;
    }
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// The liquid rises by some thousandths of a cell a time: normals change by as little.
// `step`: of the level, m. Returns the largest change.
static double fill_slowly(pool *p, double from, double step, int steps)
{
    static leans leans_[2];
    double worst = 0;
    for (int i = 0; i <= steps; i++) {
        leans *now = &leans_[i % 2], *last = &leans_[1 - i % 2];
        read_leans(p, from + i * step, now);
        for (int k = 0; i > 0 && k < SIDE * SIDE; k++)
            if (now->has[k] && last->has[k])
                worst =
                    fmax(worst, hypot(now->at[k].x - last->at[k].x, now->at[k].y - last->at[k].y));
    }
    return worst;
}

static void a_moving_edge_pops_nothing(void **state)
{
    (void)state;
    static pool p;
    make_bowl(&p, 0);
    double bowl = fill_slowly(&p, 3 * MM, 4e-3 * MM, 150);
    make_incline(&p, 0.3, 0.35);
    double incline = fill_slowly(&p, -MM, 4e-3 * MM, 100);
    print_message("normals change by %.4f at most in a bowl, %.4f on an incline\n", bowl, incline);
    assert_true(bowl < 0.03 && incline < 0.03);
}

// ---- Surfaces that bend of themselves -----------------------------------------------------------

static double mean_tilt(const rv_surface_mesh *m, double most)
{
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < m->vertex_count; i++) {
        if (!is_contact(m, i)) continue;
        double tilt = (double)m->contact[4 * i + 3];
        if (!(tilt >= 0 && tilt <= most + 1e-5)) fail_msg("a tilt of %g", tilt);
        sum += tilt, count++;
    }
    assert_true(count > 100);
    return sum / count;
}

// In a tank with tension the liquid climbs its walls, and only the rest is left to normals; without
// tension the same columns have all of it.
static void only_the_rest_is_painted(void **state)
{
    (void)state;
    static pool p;
    double alpha = 0.6, wanted = PI / 2 - alpha;
    make_tank(&p, 0.4);
    p.def.params.liquid_contact = alpha, p.def.params.tension_on = true;
    rv_world *world = make_world(&p.def);
    rv_surface *surface = surface_of(world);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    rv_surface_mesh m = mesh_of(surface);
    double level = mean_tilt(&m, wanted); // it has not climbed yet
    for (int i = 0; i < 40; i++) assert_int_equal(rv_world_step(world, 0.005), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    m = mesh_of(surface);
    double bent = mean_tilt(&m, wanted);
    rv_params params = *rv_world_params(world);
    params.liquid_tension = 0;
    assert_int_equal(rv_world_set_params(world, &params, NULL), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    m = mesh_of(surface);
    double painted = mean_tilt(&m, wanted);
    print_message("wanted %.3f rad: level %.3f, bent %.3f, without tension %.3f\n", wanted, level,
                  bent, painted);
    assert_true(fabs(level - wanted) < 1e-3 && fabs(painted - wanted) < 1e-3);
    assert_true(bent < 0.75 * wanted);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// ---- What it is for -----------------------------------------------------------------------------

static void normals_lean_as_told(void **state)
{
    (void)state;
    float n[3], up[3] = {0, 0, 1};
    rv_surface_bend(up, (const float[4]){0, 1, 0, 0.5f}, 2e-3, n); // climbs a wall in the east
    assert_true(fabsf(n[0] + sinf(0.5f)) < 1e-6f && n[1] == 0 && fabsf(n[2] - cosf(0.5f)) < 1e-6f);
    rv_surface_bend(up, (const float[4]){1e-3f, 0, -1, -0.5f}, 2e-3, n); // bends down in the south
    assert_true(fabsf(n[1] + sinf(0.25f)) < 1e-6f && fabsf(n[2] - cosf(0.25f)) < 1e-6f);
    float slanted[3] = {0.6f, 0, 0.8f};
    rv_surface_bend(slanted, (const float[4]){0, 0, 1, 0.3f}, 2e-3, n); // across the slope
    assert_true(n[0] == 0.6f && fabsf(n[1] + 0.8f * sinf(0.3f)) < 1e-6f);
    rv_surface_bend(slanted, (const float[4]){2e-3f, 0, 0, 0}, 2e-3, n);
    assert_memory_equal(n, slanted, sizeof n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_on_open_beds),
        cmocka_unit_test(distances_in_layers),
        cmocka_unit_test(layers_do_not_see_each_other),
        cmocka_unit_test(tilts_on_inclines),
        cmocka_unit_test(tilts_in_tanks),
        cmocka_unit_test(directions_in_a_bowl),
        cmocka_unit_test(the_same_for_any_threads),
        cmocka_unit_test(off_there_is_none),
        cmocka_unit_test(a_moving_edge_pops_nothing),
        cmocka_unit_test(only_the_rest_is_painted),
        cmocka_unit_test(normals_lean_as_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
