// The mesh form: distances against exact shapes and against a plain search with exact solid angles,
// equal bits however it is asked, bounds, repair of broken meshes, placement, errors and memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "terrain/form.h"
#include "terrain/mesh_tree.h"

#include <math.h>

#define PI 3.14159265358979323846

static double random_in(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*seed >> 11) / 9007199254740992.0);
}

static rv_vec3 random_point(uint64_t *seed, double size)
{
    double x = random_in(seed, -size, size), y = random_in(seed, -size, size);
    return (rv_vec3){x, y, random_in(seed, -size, size)};
}

static rv_vec3 plus(rv_vec3 a, rv_vec3 b, double t)
{
    return (rv_vec3){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static rv_vec3 cross(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// ---- Meshes -------------------------------------------------------------------------------------

#define VERTICES 20000
#define TRIANGLES 20000

typedef struct mesh {
    float position[VERTICES][3];
    uint32_t index[TRIANGLES][3];
    size_t vertices, triangles;
} mesh;

static mesh *new_mesh(void)
{
    mesh *m = test_calloc(1, sizeof *m);
    assert_non_null(m);
    return m;
}

static uint32_t add_vertex(mesh *m, double x, double y, double z)
{
    float *p = m->position[m->vertices];
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
    return (uint32_t)m->vertices++;
}

static void add_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *i = m->index[m->triangles++];
    i[0] = a, i[1] = b, i[2] = c;
}

static void turn(mesh *m, size_t t)
{
    uint32_t swap = m->index[t][1];
    m->index[t][1] = m->index[t][2], m->index[t][2] = swap;
}

static void drop(mesh *m, size_t t)
{
    memmove(m->index[t], m->index[t + 1], (--m->triangles - t) * sizeof m->index[0]);
}

// 12 triangles, two for each of the faces -x +x -y +y -z +z.
static void add_box(mesh *m, rv_vec3 low, rv_vec3 high)
{
    uint32_t v = (uint32_t)m->vertices;
    for (int i = 0; i < 8; i++)
        add_vertex(m, i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    static const uint32_t quad[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int f = 0; f < 6; f++) {
        const uint32_t *q = quad[f];
        add_triangle(m, v + q[0], v + q[1], v + q[2]);
        add_triangle(m, v + q[0], v + q[2], v + q[3]);
    }
}

// A grid of nu × nv that closes on itself both ways.
static void add_torus(mesh *m, double ring, double tube, int nu, int nv)
{
    uint32_t v = (uint32_t)m->vertices;
    for (int i = 0; i < nu; i++) {
        for (int j = 0; j < nv; j++) {
            double a = 2 * PI * i / nu, b = 2 * PI * j / nv, r = ring + tube * cos(b);
            add_vertex(m, r * cos(a), r * sin(a), tube * sin(b));
        }
    }
    for (int i = 0; i < nu; i++) {
        for (int j = 0; j < nv; j++) {
            uint32_t a = v + (uint32_t)(i * nv + j), b = v + (uint32_t)((i + 1) % nu * nv + j);
            uint32_t c = v + (uint32_t)((i + 1) % nu * nv + (j + 1) % nv);
            uint32_t d = v + (uint32_t)(i * nv + (j + 1) % nv);
            add_triangle(m, a, b, c), add_triangle(m, a, c, d);
        }
    }
}

// Rings of nu vertices between two poles.
static void add_sphere(mesh *m, rv_vec3 at, double radius, int nu, int nv)
{
    uint32_t south = add_vertex(m, at.x, at.y, at.z - radius), v = south + 1;
    for (int j = 1; j < nv; j++) {
        double b = PI * j / nv - PI / 2;
        for (int i = 0; i < nu; i++) {
            double a = 2 * PI * i / nu;
            add_vertex(m, at.x + radius * cos(b) * cos(a), at.y + radius * cos(b) * sin(a),
                       at.z + radius * sin(b));
        }
    }
    uint32_t north = add_vertex(m, at.x, at.y, at.z + radius);
    for (int i = 0; i < nu; i++) {
        uint32_t a = (uint32_t)i, b = (uint32_t)((i + 1) % nu);
        add_triangle(m, south, v + b, v + a);
        for (int j = 0; j + 2 < nv; j++) {
            uint32_t low = v + (uint32_t)(j * nu), high = low + (uint32_t)nu;
            add_triangle(m, low + a, low + b, high + b);
            add_triangle(m, low + a, high + b, high + a);
        }
        uint32_t top = v + (uint32_t)((nv - 2) * nu);
        add_triangle(m, top + a, top + b, north);
    }
}

// nx × ny squares over [-1, 1]², facing up.
static void add_sheet(mesh *m, int n, double bend)
{
    uint32_t v = (uint32_t)m->vertices, w = (uint32_t)n + 1;
    for (int j = 0; j <= n; j++) {
        for (int i = 0; i <= n; i++) {
            double x = 2.0 * i / n - 1, y = 2.0 * j / n - 1;
            add_vertex(m, x, y, bend * (x * x + y * y));
        }
    }
    for (uint32_t j = 0; j + 1 < w; j++) {
        for (uint32_t i = 0; i + 1 < w; i++) {
            uint32_t a = v + j * w + i;
            add_triangle(m, a, a + 1, a + w + 1), add_triangle(m, a, a + w + 1, a + w);
        }
    }
}

static rv_form *make(const mesh *m, const rv_form_def *def, rv_form_report *report)
{
    rv_form_def plain = rv_default_form_def();
    rv_form_work work = rv_default_form_work();
    rv_triangles t = {m->position[0], m->vertices, m->index[0], m->triangles};
    rv_messages messages = {0};
    rv_form *form = NULL;
    rv_result r = rv_form_from_triangles(&t, def ? def : &plain, &work, &form, report, &messages);
    if (r != RV_OK) fail_msg("%s", messages.text);
    assert_non_null(form);
    return form;
}

static double at(const rv_form *f, rv_vec3 p)
{
    return f->kind->distance(f, p);
}

static void assert_near(double a, double b, double tolerance, const char *what, rv_vec3 p)
{
    if (fabs(a - b) <= tolerance) return;
    fail_msg("%s at (%g, %g, %g): %.12g is not %.12g", what, p.x, p.y, p.z, a, b);
}

// ---- The plain way ------------------------------------------------------------------------------

static void corners_of(const mesh *m, size_t t, rv_vec3 p, rv_vec3 out[3])
{
    for (int k = 0; k < 3; k++) {
        const float *v = m->position[m->index[t][k]];
        out[k] = (rv_vec3){(double)v[0] - p.x, (double)v[1] - p.y, (double)v[2] - p.z};
    }
}

static double segment_square(rv_vec3 a, rv_vec3 b)
{
    rv_vec3 e = plus(b, a, -1);
    double t = -dot(a, e) / dot(e, e);
    rv_vec3 n = plus(a, e, t > 0 ? (t < 1 ? t : 1) : 0);
    return dot(n, n);
}

// From the origin.
static double triangle_square(const rv_vec3 c[3])
{
    rv_vec3 n = cross(plus(c[1], c[0], -1), plus(c[2], c[0], -1));
    bool inner = true;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        rv_vec3 a = c[k], b = c[(k + 1) % 3];
        inner = inner && dot(cross(plus(b, a, -1), n), a) >= 0;
        least = fmin(least, segment_square(a, b));
    }
    double height = dot(n, c[0]);
    return inner ? fmin(least, height * height / dot(n, n)) : least;
}

static double triangle_angle(const rv_vec3 c[3])
{
    double a = sqrt(dot(c[0], c[0])), b = sqrt(dot(c[1], c[1])), d = sqrt(dot(c[2], c[2]));
    double under = a * b * d + dot(c[0], c[1]) * d + dot(c[1], c[2]) * a + dot(c[2], c[0]) * b;
    return 2 * atan2(dot(c[0], cross(c[1], c[2])), under);
}

typedef struct plain {
    double size, winding;
} plain;

static plain plain_at(const mesh *m, rv_vec3 p)
{
    plain found = {INFINITY, 0};
    for (size_t t = 0; t < m->triangles; t++) {
        rv_vec3 c[3];
        corners_of(m, t, p, c);
        found.size = fmin(found.size, triangle_square(c));
        found.winding += triangle_angle(c) / (4 * PI);
    }
    found.size = sqrt(found.size);
    return found;
}

// Compares with a form of the same mesh, made without keys. Signs where they are clear.
static void compare(const mesh *m, const rv_form *f, double reach, int points, const char *what)
{
    uint64_t seed = 11;
    int clear = 0;
    for (int n = 0; n < points; n++) {
        rv_vec3 p = random_point(&seed, reach);
        plain want = plain_at(m, p);
        double got = at(f, p);
        assert_near(fabs(got), want.size, 2e-6 * reach, what, p);
        if (want.size < 1e-5 * reach || fabs(want.winding - 0.5) < 0.1) continue;
        if ((got < 0) != (want.winding > 0.5))
            fail_msg("%s at (%g, %g, %g): %g, but the winding number is %g", what, p.x, p.y, p.z,
                     got, want.winding);
        clear++;
    }
    assert_true(clear > points / 2);
}

// ---- Distances ----------------------------------------------------------------------------------

static double box_distance(rv_vec3 low, rv_vec3 high, rv_vec3 p)
{
    double x = fmax(low.x - p.x, p.x - high.x), y = fmax(low.y - p.y, p.y - high.y);
    double z = fmax(low.z - p.z, p.z - high.z), inner = fmin(fmax(x, fmax(y, z)), 0);
    x = fmax(x, 0), y = fmax(y, 0), z = fmax(z, 0);
    return sqrt(x * x + y * y + z * z) + inner;
}

static void box_is_exact(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_vec3 low = {-1, -0.5, 0.25}, high = {0.5, 1.5, 1};
    add_box(m, low, high);
    rv_form_report report;
    rv_form *f = make(m, NULL, &report);
    uint64_t seed = 1;
    for (int i = 0; i < 5000; i++) {
        rv_vec3 p = random_point(&seed, i % 2 ? 3 : 30);
        assert_near(at(f, p), box_distance(low, high, p), 1e-6 * (i % 2 ? 3 : 30), "box", p);
    }
    // beyond a million times its size, too
    rv_vec3 p = {3e7, -2e7, 1e7};
    double far = at(f, p), want = box_distance(low, high, p);
    assert_true(far <= want * (1 + 1e-6) && far > want - 3);
    assert_true(report.closed && !report.inside_out);
    assert_int_equal(report.triangles, 12);
    assert_int_equal(report.vertices, 8);
    assert_int_equal(report.pieces, 1);
    assert_int_equal(report.open_edges + report.crowded_edges + report.holes + report.flipped, 0);
    assert_true(fabs(report.area - 2 * (1.5 * 2 + 2 * 0.75 + 0.75 * 1.5)) < 1e-6);
    assert_true(fabs(report.volume - 1.5 * 2 * 0.75) < 1e-6);
    assert_true(f->box.low.x <= low.x && f->box.high.z >= high.z && f->box.low.z > 0.249);
    rv_form_free(f), test_free(m);
}

static void sphere_and_torus(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    add_sphere(m, (rv_vec3){0.1, 0.2, -0.3}, 0.8, 48, 24);
    rv_form *f = make(m, NULL, NULL);
    compare(m, f, 1.5, 600, "sphere");
    uint64_t seed = 2;
    for (int i = 0; i < 2000; i++) {
        rv_vec3 p = random_point(&seed, 1.5), q = plus(p, (rv_vec3){0.1, 0.2, -0.3}, -1);
        // its flat faces lie up to r (1 - cos) inside, for half the largest step
        assert_near(at(f, p), sqrt(dot(q, q)) - 0.8, 0.8 * (1 - cos(PI / 24)) + 1e-6, "ball", p);
    }
    rv_form_free(f);
    m->vertices = m->triangles = 0;
    add_torus(m, 1, 0.4, 60, 30);
    f = make(m, NULL, NULL);
    compare(m, f, 1.6, 600, "torus");
    for (int i = 0; i < 2000; i++) {
        rv_vec3 p = random_point(&seed, 1.6);
        double want = hypot(hypot(p.x, p.y) - 1, p.z) - 0.4;
        assert_near(at(f, p), want, 1.4 * (1 - cos(PI / 30)) + 1e-6, "ring", p);
    }
    rv_form_free(f), test_free(m);
}

static void add_cases(mesh *m, int which)
{
    m->vertices = m->triangles = 0;
    if (which == 0) {
        add_torus(m, 1, 0.4, 40, 20);
    } else if (which == 1) { // overlapping
        add_sphere(m, (rv_vec3){-0.4, 0, 0}, 0.9, 30, 16);
        add_sphere(m, (rv_vec3){0.5, 0.1, 0.1}, 0.7, 24, 12);
        add_box(m, (rv_vec3){-0.2, -0.3, -1.2}, (rv_vec3){0.3, 0.4, 1.3});
    } else { // open; turned where another surface would enclose it
        add_torus(m, 1, 0.4, 40, 20);
        m->triangles -= 60;
    }
}

#define CASES 4

static rv_form *make_case(mesh *m, int which)
{
    rv_form_def def = rv_default_form_def();
    add_cases(m, which % 3);
    def.fill_holes = false;
    if (which == 3) def.thickness = 0.1;
    return make(m, &def, NULL);
}

static void overlaps_and_gaps(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    for (int which = 1; which < 3; which++) {
        rv_form *f = make_case(m, which);
        compare(m, f, 1.6, 1000, which == 1 ? "overlapping" : "open");
        rv_form_free(f);
    }
    test_free(m);
}

// ---- Equal bits ---------------------------------------------------------------------------------

static void assert_same(const rv_form *f, const rv_vec3 *points, int n)
{
    double out[600];
    f->kind->sample(f, (rv_ball){points[0], 10}, points, n, out);
    for (int i = 0; i < n; i++) {
        double one = at(f, points[i]);
        if (memcmp(&one, &out[i], sizeof one) != 0)
            fail_msg("%d of %d: %.17g alone, %.17g among others", i, n, one, out[i]);
    }
}

static void same_bits_in_any_company(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_vec3 points[600];
    uint64_t seed = 3;
    for (int which = 0; which < CASES; which++) {
        rv_form *f = make_case(m, which);
        for (int n = 1; n < 600; n = n * 2 + 1) {
            for (int i = 0; i < n; i++) points[i] = random_point(&seed, 1.5);
            assert_same(f, points, n);
        }
        for (int batch = 0; batch < 40; batch++) { // 4×4×4 on a lattice, and 8×8×8
            int n = 0, side = batch % 4 == 0 ? 8 : 4;
            rv_vec3 p = random_point(&seed, 1.5);
            for (int k = 0; k < side * side * side; k++)
                points[n++] = (rv_vec3){p.x + 0.02 * (k % side), p.y + 0.02 * (k / side % side),
                                        p.z + 0.02 * (k / side / side)};
            assert_same(f, points, n);
        }
        points[0] = (rv_vec3){1e30, 0, 0}, points[1] = (rv_vec3){0, 0, 0};
        points[2] = (rv_vec3){1, 0, 0.4}, points[3] = (rv_vec3){-1e9, 1e9, 3};
        assert_same(f, points, 4);
        rv_form_free(f);
    }
    test_free(m);
}

static void get_triangle(const void *user, size_t index, rv_mesh_triangle *out)
{
    const mesh *m = user;
    for (int k = 0; k < 3; k++) {
        const float *v = m->position[m->index[index][k]];
        out->corner[k] = (rv_vec3){(double)v[0], (double)v[1], (double)v[2]};
    }
    out->loose = 0;
}

static void same_bits_on_any_machine(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    add_torus(m, 0.7, 0.3, 40, 20);
    rv_form_work work = rv_default_form_work();
    rv_mesh_tree tree;
    rv_mesh_source source = {get_triangle, m, m->triangles};
    assert_int_equal(rv_mesh_tree_build(&source, false, &work, &tree), RV_OK);
    static const char *const names[] = {"avx2", "avx512"};
    const rv_mesh_walks *base = rv_mesh_walks_named("baseline");
    assert_non_null(base);
    assert_null(rv_mesh_walks_named("abacus"));
    uint64_t seed = 4;
    for (int n = 0; n < 200; n++) {
        rv_mesh_points p;
        rv_vec3 near = random_point(&seed, 1);
        for (int i = 0; i < RV_MESH_BATCH; i++) {
            rv_vec3 q = plus(near, random_point(&seed, n % 3 ? 0.05 : 1), 1);
            p.x[i] = (float)q.x, p.y[i] = (float)q.y, p.z[i] = (float)q.z;
        }
        float want[2][RV_MESH_BATCH], got[2][RV_MESH_BATCH];
        base->nearest(&tree, &p, RV_MESH_BATCH, want[0]);
        base->angle(&tree, &p, RV_MESH_BATCH, want[1]);
        for (int k = 0; k < 2; k++) {
            const rv_mesh_walks *other = rv_mesh_walks_named(names[k]);
            if (!other) continue;
            other->nearest(&tree, &p, RV_MESH_BATCH, got[0]);
            other->angle(&tree, &p, RV_MESH_BATCH, got[1]);
            assert_memory_equal(want, got, sizeof want);
        }
    }
    rv_mesh_tree_free(&tree), test_free(m);
}

// What the far terms of the winding number leave out, on a closed mesh, where it must be whole.
static void winding_is_nearly_whole(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    add_sphere(m, (rv_vec3){0, 0, 0}, 1, 80, 40);
    add_torus(m, 0.5, 0.2, 60, 20);
    rv_form_work work = rv_default_form_work();
    rv_mesh_tree tree;
    rv_mesh_source source = {get_triangle, m, m->triangles};
    assert_int_equal(rv_mesh_tree_build(&source, false, &work, &tree), RV_OK);
    uint64_t seed = 5;
    double worst = 0;
    for (int n = 0; n < 300; n++) {
        rv_mesh_points p;
        float angle[16];
        for (int i = 0; i < 16; i++) {
            rv_vec3 q = random_point(&seed, 1.2);
            p.x[i] = (float)q.x, p.y[i] = (float)q.y, p.z[i] = (float)q.z;
        }
        rv_mesh_walks_best()->angle(&tree, &p, 16, angle);
        for (int i = 0; i < 16; i++) {
            double w = (double)angle[i] / (4 * PI);
            worst = fmax(worst, fabs(w - round(w)));
        }
    }
    if (4 * PI * worst > RV_MESH_ANGLE_ERROR) fail_msg("winding number off by %g", worst);
    rv_mesh_tree_free(&tree), test_free(m);
}

// ---- Bounds -------------------------------------------------------------------------------------

static void ranges_hold(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    uint64_t seed = 6;
    for (int which = 0; which < CASES; which++) {
        rv_form *f = make_case(m, which);
        int told = 0;
        for (int n = 0; n < 1500; n++) {
            rv_ball ball = {random_point(&seed, n % 10 ? 1.8 : 1e3), random_in(&seed, 0, 0.6)};
            if (n % 50 == 0) ball.at.x *= 1.6e6, ball.radius *= 1e6;
            rv_range range = f->kind->range(f, ball);
            told += range.low > 0 || range.high < 0;
            for (int i = 0; i < 20; i++) {
                rv_vec3 way = random_point(&seed, 1);
                double length = sqrt(dot(way, way));
                if (length > 1 && i > 2) continue; // the first few on its surface
                rv_vec3 p = plus(ball.at, way, ball.radius / (i > 2 ? 1 : length * (1 + 1e-12)));
                double d = at(f, p);
                if (d < range.low || d > range.high)
                    fail_msg("case %d: %.12g is not in %.12g … %.12g", which, d, range.low,
                             range.high);
            }
        }
        assert_true(told > 300); // they say something
        rv_form_free(f);
    }
    test_free(m);
}

// ---- Repair -------------------------------------------------------------------------------------

static const rv_vec3 low = {-1, -1, -1}, high = {1, 1, 1};

static void assert_is_box(const rv_form *f, const char *what)
{
    uint64_t seed = 7;
    for (int i = 0; i < 1000; i++) {
        rv_vec3 p = random_point(&seed, 2);
        assert_near(at(f, p), box_distance(low, high, p), 1e-5, what, p);
    }
}

static void turned_faces(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    add_box(m, low, high);
    turn(m, 0), turn(m, 5), turn(m, 9);
    rv_form *f = make(m, NULL, &r);
    assert_int_equal(r.flipped, 3);
    assert_true(r.closed && !r.inside_out && fabs(r.volume - 8) < 1e-6);
    assert_is_box(f, "three turned");
    rv_form_free(f);

    for (size_t t = 0; t < 12; t++) turn(m, t); // now three are right
    f = make(m, NULL, &r);
    assert_int_equal(r.flipped, 3);
    assert_true(r.closed && r.inside_out && fabs(r.volume - 8) < 1e-6);
    assert_is_box(f, "nine turned");
    rv_form_free(f), test_free(m);
}

static void repeated_faces(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    add_box(m, low, high);
    add_triangle(m, m->index[3][0], m->index[3][1], m->index[3][2]);
    add_triangle(m, m->index[3][1], m->index[3][2], m->index[3][0]);
    add_triangle(m, m->index[7][2], m->index[7][1], m->index[7][0]);
    rv_form *f = make(m, NULL, &r);
    assert_int_equal(r.duplicate, 3);
    assert_int_equal(r.crowded_edges, 0);
    assert_true(r.closed);
    assert_is_box(f, "three twice");
    rv_form_free(f);

    // every face from both sides
    m->vertices = m->triangles = 0;
    add_box(m, low, high), add_box(m, low, high);
    for (size_t t = 12; t < 24; t++) turn(m, t);
    f = make(m, NULL, &r);
    assert_int_equal(r.duplicate, 12);
    assert_int_equal(r.vertices, 8);
    assert_is_box(f, "all from both sides");
    rv_form_free(f), test_free(m);
}

static void shared_wall(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    add_box(m, low, (rv_vec3){0, 1, 1}), add_box(m, (rv_vec3){0, -1, -1}, high);
    rv_form *f = make(m, NULL, &r);
    assert_true(r.closed);
    assert_int_equal(r.pieces, 1);
    assert_int_equal(r.duplicate, 4); // given by both, kept by none
    assert_is_box(f, "two halves");
    rv_form_free(f), test_free(m);
}

static void slivers(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    add_box(m, low, high);
    uint32_t edge[2] = {m->index[11][1], m->index[11][2]};
    // the last face in two, from the middle of an edge that its neighbour has whole: a flat one
    // between would close it, here none does
    const float *a = m->position[edge[0]], *b = m->position[edge[1]];
    uint32_t middle = add_vertex(m, 0.5 * (double)(a[0] + b[0]), 0.5 * (double)(a[1] + b[1]),
                                 0.5 * (double)(a[2] + b[2]));
    uint32_t tip = m->index[11][0];
    m->index[11][2] = middle, add_triangle(m, tip, middle, edge[1]);
    rv_form *f = make(m, NULL, &r);
    assert_int_equal(r.open_edges, 3);
    assert_int_equal(r.holes, 1);
    assert_int_equal(r.filled, 1);
    assert_true(r.closed);
    assert_is_box(f, "a vertex on an edge");
    rv_form_free(f);

    add_triangle(m, edge[1], middle, edge[0]); // the flat one
    add_triangle(m, tip, tip, middle);         // a needle
    uint32_t far = add_vertex(m, 5, 5, 5), farther = add_vertex(m, 6, 6, 6);
    uint32_t line[4] = {far, farther, add_vertex(m, 7, 7, 7), add_vertex(m, 9, 9, 9)};
    add_triangle(m, far, farther, line[2]); // a line far away
    for (int k = 0; k < 4; k++)             // and one that is closed
        add_triangle(m, line[k], line[(k + 1) % 4], line[(k + 2) % 4]);
    f = make(m, NULL, &r);
    assert_int_equal(r.degenerate, 6);
    assert_int_equal(r.duplicate, 1);
    assert_int_equal(r.open_edges, 0);
    assert_true(r.closed && r.high.x < 1.001);
    assert_is_box(f, "a flat triangle on an edge");
    rv_form_free(f);

    // needles far thinner than single precision resolves, but with an area
    m->vertices = m->triangles = 0;
    add_box(m, low, high);
    middle = add_vertex(m, 1, 1 - 3e-7, 0), tip = m->index[2][0];
    uint32_t c[3] = {m->index[2][0], m->index[2][1], m->index[2][2]};
    drop(m, 2);
    for (int k = 0; k < 3; k++) add_triangle(m, c[k], c[(k + 1) % 3], middle);
    f = make(m, NULL, &r);
    assert_true(r.closed);
    assert_is_box(f, "a needle");
    rv_form_free(f), test_free(m);
}

static void missing_faces(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    for (int face = 0; face < 6; face++) {
        m->vertices = m->triangles = 0;
        add_box(m, low, high);
        drop(m, (size_t)face * 2), drop(m, (size_t)face * 2);
        rv_form *f = make(m, NULL, &r);
        assert_int_equal(r.open_edges, 4);
        assert_int_equal(r.holes, 1);
        assert_int_equal(r.filled, 1);
        assert_true(r.closed && fabs(r.volume - 8) < 1e-6 && fabs(r.area - 20) < 1e-6);
        assert_is_box(f, "a face is missing");
        rv_form_free(f);
    }
    // left open, the winding number is above one half in most of it, below outside
    rv_form_def def = rv_default_form_def();
    def.fill_holes = false;
    rv_form *f = make(m, &def, &r);
    assert_int_equal(r.holes, 1);
    assert_int_equal(r.filled, 0);
    assert_false(r.closed);
    assert_true(at(f, (rv_vec3){0, 0, 0}) < 0 && at(f, (rv_vec3){0, 0, -0.9}) < 0);
    assert_true(at(f, (rv_vec3){0, 0, 1.1}) > 0 && at(f, (rv_vec3){1.1, 0, 0}) > 0);
    rv_form_free(f), test_free(m);
}

// A prism over an L, the end missing: a ring whose middle does not see all of it.
static void hole_with_a_bend(void **state)
{
    (void)state;
    static const double outline[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    mesh *m = new_mesh();
    for (int k = 0; k < 12; k++) add_vertex(m, outline[k % 6][0], outline[k % 6][1], k / 6);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t j = (i + 1) % 6;
        add_triangle(m, i, j, j + 6), add_triangle(m, i, j + 6, i + 6);
    }
    rv_form_report r;
    rv_form *f = make(m, NULL, &r);
    assert_int_equal(r.holes, 2);
    assert_int_equal(r.filled, 2);
    assert_true(r.closed && fabs(r.volume - 5) < 1e-5);
    uint64_t seed = 8;
    for (int i = 0; i < 2000; i++) {
        rv_vec3 p = random_point(&seed, 4);
        double a = box_distance((rv_vec3){0, 0, 0}, (rv_vec3){3, 1, 1}, p);
        double b = box_distance((rv_vec3){0, 0, 0}, (rv_vec3){1, 3, 1}, p), d = at(f, p);
        if (a > 0 && b > 0)
            assert_near(d, fmin(a, b), 1e-5, "L", p);
        else
            assert_true(d <= 1e-5);
    }
    rv_form_free(f), test_free(m);
}

static void overlapping_boxes(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    rv_vec3 low2 = {0, 0, 0}, high2 = {2, 2, 2};
    add_box(m, low, high), add_box(m, low2, high2);
    rv_form *f = make(m, NULL, &r);
    assert_true(r.closed);
    assert_int_equal(r.pieces, 2);
    uint64_t seed = 9;
    for (int i = 0; i < 2000; i++) {
        rv_vec3 p = random_point(&seed, 3);
        double a = box_distance(low, high, p), b = box_distance(low2, high2, p), d = at(f, p);
        if (a > 0 && b > 0)
            assert_near(d, fmin(a, b), 1e-5, "union", p);
        else
            assert_true(d <= 0 && fabs(d) <= fabs(fmin(a, b)) + 1e-5);
    }
    rv_form_free(f), test_free(m);
}

static void cavity_and_strays(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    rv_vec3 low2 = {-0.5, -0.5, -0.5}, high2 = {0.5, 0.4, 0.3};
    for (int inside_out = 0; inside_out < 2; inside_out++) {
        m->vertices = m->triangles = 0;
        add_box(m, low, high), add_box(m, low2, high2);
        for (size_t t = inside_out ? 0 : 12; t < (inside_out ? 12 : 24); t++) turn(m, t);
        rv_form *f = make(m, NULL, &r);
        assert_true(r.closed && r.inside_out == (inside_out == 1));
        assert_int_equal(r.flipped, 0);
        assert_true(fabs(r.volume - (8 - 0.72)) < 1e-6);
        uint64_t seed = 10;
        for (int i = 0; i < 1000; i++) {
            rv_vec3 p = random_point(&seed, 2);
            double want = fmax(box_distance(low, high, p), -box_distance(low2, high2, p));
            assert_near(fabs(at(f, p)),
                        fmin(fabs(box_distance(low, high, p)), fabs(box_distance(low2, high2, p))),
                        1e-5, "shell", p);
            if (fabs(want) > 1e-4) assert_true((at(f, p) < 0) == (want < 0));
        }
        rv_form_free(f);
    }
    // beside the other it is not a cavity
    m->vertices = m->triangles = 0;
    add_box(m, low, high), add_box(m, (rv_vec3){2, 0, 0}, (rv_vec3){3, 1, 1});
    for (size_t t = 12; t < 24; t++) turn(m, t);
    rv_form *f = make(m, NULL, &r);
    assert_int_equal(r.flipped, 12);
    assert_true(fabs(r.volume - 9) < 1e-6 && !r.inside_out);
    assert_true(at(f, (rv_vec3){2.5, 0.5, 0.5}) < -0.49 && at(f, (rv_vec3){0, 0, 0}) < -0.99);
    rv_form_free(f), test_free(m);
}

// Triangles that share nothing but places that rounding has moved apart a little.
static void loose_soup(void **state)
{
    (void)state;
    mesh *whole = new_mesh(), *m = new_mesh();
    add_torus(whole, 1, 0.4, 30, 12);
    uint64_t seed = 12;
    for (size_t t = 0; t < whole->triangles; t++) {
        for (int k = 0; k < 3; k++) {
            const float *p = whole->position[whole->index[t][k]];
            rv_vec3 off = random_point(&seed, t % 2 ? 1e-7 : 0);
            whole->index[t][k] = whole->index[t][k];
            add_vertex(m, (double)p[0] + off.x, (double)p[1] + off.y, (double)p[2] + off.z);
        }
    }
    rv_form_def def = rv_default_form_def();
    rv_form_work work = rv_default_form_work();
    rv_triangles soup = {m->position[0], m->vertices, NULL, whole->triangles};
    rv_form_report r;
    rv_form *f = NULL;
    assert_int_equal(rv_form_from_triangles(&soup, &def, &work, &f, &r, NULL), RV_OK);
    assert_true(r.closed);
    assert_int_equal(r.vertices, 360);
    assert_int_equal(r.pieces, 1);
    assert_int_equal(r.degenerate + r.duplicate + r.flipped + r.open_edges, 0);
    compare(whole, f, 1.6, 200, "soup");
    rv_form_free(f), test_free(m), test_free(whole);
}

static void sheets(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    rv_form_def def = rv_default_form_def();
    def.thickness = 0.2;
    add_sheet(m, 8, 0);
    rv_form *f = make(m, &def, &r);
    assert_int_equal(r.open_edges, 32);
    assert_int_equal(r.holes, 1);
    assert_int_equal(r.filled, 0); // its rim
    assert_false(r.closed);
    uint64_t seed = 13;
    for (int i = 0; i < 1000; i++) {
        rv_vec3 p = random_point(&seed, 2);
        double want = box_distance((rv_vec3){-1, -1, 0}, (rv_vec3){1, 1, 0}, p) - 0.1;
        assert_near(at(f, p), want, 1e-6, "plate", p);
    }
    assert_true(f->box.low.z <= -0.1 && f->box.high.x >= 1.1);
    rv_form_free(f);
    // a deep bowl, its mouth down, winds around what is under it
    m->vertices = m->triangles = 0;
    add_sheet(m, 16, -2);
    def.thickness = 0, def.fill_holes = false;
    f = make(m, &def, &r);
    assert_true(at(f, (rv_vec3){0, 0, -1}) < -0.1);
    assert_true(at(f, (rv_vec3){0, 0, 0.5}) > 0.4 && at(f, (rv_vec3){0, 0, -6}) > 0);
    compare(m, f, 4, 300, "bowl");
    rv_form_free(f), test_free(m);
}

// ---- Placement ----------------------------------------------------------------------------------

static void assert_vector(rv_vec3 a, double x, double y, double z)
{
    assert_near(a.x, x, 1e-6, "x", a), assert_near(a.y, y, 1e-6, "y", a);
    assert_near(a.z, z, 1e-6, "z", a);
}

static void placement(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_report r;
    add_box(m, (rv_vec3){1, 2, 3}, (rv_vec3){3, 6, 4}); // 2 × 4 × 1
    rv_form_def def = rv_default_form_def();
    def.unit = RV_UNIT_CM;
    rv_form *f = make(m, &def, &r);
    assert_vector(r.low, 0.01, 0.02, 0.03), assert_vector(r.high, 0.03, 0.06, 0.04);
    assert_true(fabs(r.scale - 0.01) < 1e-15 && fabs(r.volume - 8e-6) < 1e-11);
    assert_near(at(f, (rv_vec3){0.02, 0.04, 0.05}), 0.01, 1e-7, "cm", low);
    rv_form_free(f);

    static const double unit[] = {1, 1, 0.01, 0.001, 1e-6, 0.0254, 0.3048};
    for (int u = 0; u < 7; u++) {
        def.unit = (rv_length_unit)u;
        rv_form_free(make(m, &def, &r));
        assert_true(fabs(r.scale - unit[u]) < 1e-15);
    }
    def.unit = RV_UNIT_AUTO, def.up = RV_UP_Y;
    f = make(m, &def, &r); // (x, y, z) → (x, -z, y)
    assert_vector(r.low, 1, -4, 2), assert_vector(r.high, 3, -3, 6);
    assert_true(at(f, (rv_vec3){1.1, -3.9, 5.9}) < 0 && at(f, (rv_vec3){1.1, 3.9, 5.9}) > 6);
    rv_form_free(f);
    def.up = RV_UP_X;
    f = make(m, &def, &r); // (x, y, z) → (y, z, x)
    assert_vector(r.low, 2, 3, 1), assert_vector(r.high, 6, 4, 3);
    assert_true(at(f, (rv_vec3){5.9, 3.9, 1.1}) < 0);
    rv_form_free(f);

    def.up = RV_UP_Z, def.fit = (rv_vec3){1, 1, 0}; // the second edge limits
    rv_form_free(make(m, &def, &r));
    assert_true(fabs(r.scale - 0.25) < 1e-12);
    assert_vector(r.low, 0.25, 0.5, 0.75), assert_vector(r.high, 0.75, 1.5, 1);
    def.origin = RV_ORIGIN_MIDDLE;
    rv_form_free(make(m, &def, &r));
    assert_vector(r.low, -0.25, -0.5, -0.125), assert_vector(r.high, 0.25, 0.5, 0.125);
    def.origin = RV_ORIGIN_BASE, def.fit = (rv_vec3){0, 0, 3};
    f = make(m, &def, &r);
    assert_vector(r.low, -3, -6, 0), assert_vector(r.high, 3, 6, 3);
    assert_near(at(f, (rv_vec3){0, 0, 3.5}), 0.5, 1e-5, "base", low);
    rv_form_free(f), test_free(m);
}

// ---- Errors and memory --------------------------------------------------------------------------

static void expect(const rv_triangles *t, const rv_form_def *def, rv_result want, const char *text)
{
    rv_form_work work = rv_default_form_work();
    rv_form *form = (rv_form *)1;
    rv_form_report report;
    rv_messages messages = {0};
    assert_int_equal(rv_form_from_triangles(t, def, &work, &form, &report, &messages), want);
    assert_null(form);
    assert_int_equal(messages.count, 1);
    if (!strstr(messages.text, text)) fail_msg("'%s' says nothing of '%s'", messages.text, text);
    assert_int_equal(rv_form_from_triangles(t, def, &work, &form, NULL, NULL), want);
}

static void errors(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    rv_form_def def = rv_default_form_def();
    rv_triangles t = {m->position[0], 0, m->index[0], 0};
    expect(&t, &def, RV_BAD_DATA, "no triangle with an area");
    add_box(m, low, high);
    t.vertex_count = m->vertices;
    expect(&t, &def, RV_BAD_DATA, "no triangle with an area");
    t.triangle_count = m->triangles;
    m->position[3][1] = NAN, m->position[5][0] = INFINITY;
    expect(&t, &def, RV_BAD_DATA, "2 coordinates are not finite");
    m->position[3][1] = m->position[5][0] = 1;
    def.thickness = -1;
    expect(&t, &def, RV_BAD_ARGUMENT, "thickness");
    def.thickness = 0;
    // counts that no memory holds are refused before any is read or taken
    t.triangle_count = SIZE_MAX / 2;
    expect(&t, &def, RV_BAD_DATA, "at most");
    t.triangle_count = m->triangles, t.vertex_count = (size_t)1 << 40;
    expect(&t, &def, RV_BAD_DATA, "at most");
    t.vertex_count = m->vertices;
    for (size_t i = 0; i < 12; i++) m->index[i][i % 3] = 8 + (uint32_t)i * 100000000u;
    expect(&t, &def, RV_BAD_DATA, "no triangle with an area");
    t.positions = NULL;
    expect(&t, &def, RV_BAD_ARGUMENT, "positions");

    // one index out of range is one triangle less
    m->vertices = m->triangles = 0;
    add_box(m, low, high), add_triangle(m, 0, 1, 8), add_triangle(m, UINT32_MAX, 1, 2);
    rv_form_report r;
    rv_form *f = make(m, NULL, &r);
    assert_int_equal(r.degenerate, 2);
    assert_is_box(f, "two indices out of range");
    rv_form_free(f), test_free(m);
}

// Sizes at the ends of what single precision holds.
static void extreme_sizes(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    static const double sizes[] = {1e-37, 1e-20, 1e20, 1e38};
    for (int i = 0; i < 4; i++) {
        double s = sizes[i];
        m->vertices = m->triangles = 0;
        add_box(m, (rv_vec3){-s, -s, -s}, (rv_vec3){s, s, s});
        rv_form_def def = rv_default_form_def();
        rv_form *f = make(m, &def, NULL);
        rv_vec3 p = {1.5 * s, 0, 0.3 * s};
        assert_near(at(f, p) / s, 0.5, 1e-6, "size", p);
        assert_near(at(f, (rv_vec3){0.25 * s, 0, 0}) / s, -0.75, 1e-6, "size", p);
        rv_form_free(f);
        def.fit = (rv_vec3){2, 2, 2};
        f = make(m, &def, NULL);
        assert_is_box(f, "fitted");
        rv_form_free(f);
    }
    test_free(m);
}

typedef struct counted {
    int64_t until_failure, live;
    size_t bytes;
} counted;

static void *take(size_t bytes, void *user)
{
    counted *c = user;
    if (c->until_failure-- == 0) return NULL;
    c->live++, c->bytes += bytes;
    return rv_default_allocator().allocate(bytes, NULL);
}

static void give(void *memory, size_t bytes, void *user)
{
    counted *c = user;
    c->live--, c->bytes -= bytes;
    rv_default_allocator().release(memory, bytes, NULL);
}

static void out_of_memory(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    add_torus(m, 1, 0.4, 20, 10);
    m->triangles -= 7;     // a hole
    m->position[3][0] = 0; // and with it a crumpled face
    turn(m, 30);
    add_box(m, low, high), add_box(m, (rv_vec3){1, -1, -1}, (rv_vec3){2, 1, 1}); // and a wall
    rv_triangles t = {m->position[0], m->vertices, m->index[0], m->triangles};
    for (int fill = 0; fill < 2; fill++) {
        int64_t n = 0;
        for (rv_result r = RV_OUT_OF_MEMORY; r != RV_OK; n++) {
            counted c = {.until_failure = n};
            rv_form_def def = rv_default_form_def();
            def.fill_holes = fill;
            rv_form_work work = {.allocator = {take, give, &c}};
            rv_form *form = NULL;
            rv_messages messages = {0};
            r = rv_form_from_triangles(&t, &def, &work, &form, NULL, &messages);
            assert_true(r == RV_OK || (r == RV_OUT_OF_MEMORY && !form));
            rv_form_free(form);
            assert_int_equal(c.live, 0);
            assert_int_equal(c.bytes, 0);
        }
        assert_true(n > 15);
    }
    test_free(m);
}

static void hear(double share, void *user)
{
    double *last = user;
    assert_true(share >= *last && share <= 1);
    *last = share;
}

static void progress_reaches_one(void **state)
{
    (void)state;
    mesh *m = new_mesh();
    add_torus(m, 1, 0.4, 40, 20);
    double last = 0;
    rv_form_def def = rv_default_form_def();
    rv_form_work work = rv_default_form_work();
    work.progress = hear, work.progress_user = &last;
    rv_triangles t = {m->position[0], m->vertices, m->index[0], m->triangles};
    rv_form *form = NULL;
    assert_int_equal(rv_form_from_triangles(&t, &def, &work, &form, NULL, NULL), RV_OK);
    assert_true(last == 1);
    rv_form_free(form), test_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_exact),
        cmocka_unit_test(sphere_and_torus),
        cmocka_unit_test(overlaps_and_gaps),
        cmocka_unit_test(same_bits_in_any_company),
        cmocka_unit_test(same_bits_on_any_machine),
        cmocka_unit_test(winding_is_nearly_whole),
        cmocka_unit_test(ranges_hold),
        cmocka_unit_test(turned_faces),
        cmocka_unit_test(repeated_faces),
        cmocka_unit_test(shared_wall),
        cmocka_unit_test(slivers),
        cmocka_unit_test(missing_faces),
        cmocka_unit_test(hole_with_a_bend),
        cmocka_unit_test(overlapping_boxes),
        cmocka_unit_test(cavity_and_strays),
        cmocka_unit_test(loose_soup),
        cmocka_unit_test(sheets),
        cmocka_unit_test(placement),
        cmocka_unit_test(errors),
        cmocka_unit_test(extreme_sizes),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(progress_reaches_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
