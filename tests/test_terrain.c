// Solids: distances of every shape against sampled outlines and offsets of known surfaces, joins,
// moves, noise, and what the check refuses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "terrain/parts.h"
#include "terrain/terrain.h"

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

static rv_vec3 random_unit(uint64_t *seed)
{
    for (;;) {
        rv_vec3 v = random_point(seed, 1);
        double length = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        if (length > 0.1 && length < 1) return (rv_vec3){v.x / length, v.y / length, v.z / length};
    }
}

static rv_solid_def solid(rv_shape shape)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = shape;
    return s;
}

static double at(const rv_solid_def *s, rv_vec3 p)
{
    return rv_solids_distance(s, 1, p);
}

static void assert_near(double a, double b, double tolerance, const char *what, rv_vec3 p)
{
    if (fabs(a - b) <= tolerance) return;
    fail_msg("%s at (%g, %g, %g): %.12g is not %.12g", what, p.x, p.y, p.z, a, b);
}

// ---- Shapes around an axis, against their sampled outline ---------------------------------------

typedef struct outline {
    int count;
    double r[20000], z[20000];
} outline;

static void add_line(outline *o, double r0, double z0, double r1, double z1)
{
    for (int i = 0; i <= 3000; i++) {
        o->r[o->count] = r0 + (r1 - r0) * i / 3000, o->z[o->count++] = z0 + (z1 - z0) * i / 3000;
    }
}

// Angles from the +z axis.
static void add_arc(outline *o, double r, double z, double radius, double from, double to)
{
    for (int i = 0; i <= 3000; i++) {
        double a = from + (to - from) * i / 3000;
        o->r[o->count] = r + radius * sin(a), o->z[o->count++] = z + radius * cos(a);
    }
}

// The outline is closed by the axis: a point is inside when a ray to +r crosses it an odd number of
// times.
static bool is_inside(const outline *o, double r, double z)
{
    bool inside = false;
    for (int i = 0; i + 1 < o->count; i++) {
        if ((o->z[i] > z) == (o->z[i + 1] > z)) continue;
        double share = (z - o->z[i]) / (o->z[i + 1] - o->z[i]);
        if (o->r[i] + share * (o->r[i + 1] - o->r[i]) > r) inside = !inside;
    }
    return inside;
}

static void compare(const outline *o, const rv_solid_def *s, const char *what)
{
    uint64_t seed = 7;
    for (int n = 0; n < 300; n++) {
        rv_vec3 p = random_point(&seed, 2);
        double r = sqrt(p.x * p.x + p.y * p.y), nearest = INFINITY;
        for (int i = 0; i < o->count; i++) {
            double a = r - o->r[i], b = p.z - o->z[i];
            nearest = fmin(nearest, a * a + b * b);
        }
        double d = is_inside(o, r, p.z) ? -sqrt(nearest) : sqrt(nearest);
        assert_near(at(s, p), d, 2e-3 * fmin(1, 1e-3 / (fabs(d) + 1e-3)) + 1e-5, what, p);
    }
}

static void revolved_shapes(void **state)
{
    (void)state;
    outline *o = test_malloc(sizeof *o);
    rv_solid_def s = solid(RV_SHAPE_CYLINDER);
    s.radius = 0.7, s.height = 1.8;
    o->count = 0, add_line(o, 0, -0.9, 0.7, -0.9), add_line(o, 0.7, -0.9, 0.7, 0.9);
    add_line(o, 0.7, 0.9, 0, 0.9), compare(o, &s, "cylinder");

    s.round = 0.25;
    o->count = 0, add_line(o, 0, -0.9, 0.45, -0.9), add_arc(o, 0.45, -0.65, 0.25, PI, PI / 2);
    add_line(o, 0.7, -0.65, 0.7, 0.65), add_arc(o, 0.45, 0.65, 0.25, PI / 2, 0),
        add_line(o, 0.45, 0.9, 0, 0.9);
    compare(o, &s, "round cylinder");

    const double ends[4][2] = {{0.9, 0.3}, {0.2, 1.1}, {0.8, -1}, {0, 0.6}};
    for (int i = 0; i < 4; i++) {
        double a = ends[i][0], b = fmax(ends[i][1], 0);
        s = solid(RV_SHAPE_CONE), s.radius = a, s.radius2 = ends[i][1], s.height = 1.4;
        o->count = 0, add_line(o, 0, -0.7, a, -0.7), add_line(o, a, -0.7, b, 0.7);
        add_line(o, b, 0.7, 0, 0.7), compare(o, &s, "cone");
    }

    s = solid(RV_SHAPE_TORUS), s.radius = 1, s.radius2 = 0.35;
    o->count = 0, add_arc(o, 1, 0, 0.35, 0, 2 * PI), compare(o, &s, "torus");

    s = solid(RV_SHAPE_SPHERE), s.radius = 0.8;
    o->count = 0, add_arc(o, 0, 0, 0.8, PI, 0), compare(o, &s, "sphere");
    test_free(o);
}

static void capsules(void **state)
{
    (void)state;
    outline *o = test_malloc(sizeof *o);
    const double radii[4][2] = {{0.5, -1}, {0.7, 0.2}, {0.1, 0.6}, {0, 0.5}};
    for (int i = 0; i < 4; i++) {
        rv_solid_def s = solid(RV_SHAPE_CAPSULE);
        s.from.z = -0.6, s.to.z = 0.7, s.radius = radii[i][0], s.radius2 = radii[i][1];
        double a = s.radius, b = s.radius2 < 0 ? a : s.radius2, lean = (a - b) / 1.3;
        double angle = acos(lean), up = sin(angle); // of the flank's normal, from the axis
        o->count = 0, add_arc(o, 0, -0.6, a, PI, angle);
        add_line(o, a * up, -0.6 + a * lean, b * up, 0.7 + b * lean);
        add_arc(o, 0, 0.7, b, angle, 0), compare(o, &s, "capsule");
    }
    // one end swallows the other: a sphere
    rv_solid_def s = solid(RV_SHAPE_CAPSULE);
    s.from.z = 0.1, s.to.z = 0.3, s.radius = 0.9, s.radius2 = 0.2;
    o->count = 0, add_arc(o, 0, 0.1, 0.9, PI, 0), compare(o, &s, "swallowed capsule");
    s.from.z = s.to.z = 0, s.radius = 0.4, s.radius2 = 0.6;
    o->count = 0, add_arc(o, 0, 0, 0.6, PI, 0), compare(o, &s, "point capsule");
    // any direction: the same as the upright one, turned
    s = solid(RV_SHAPE_CAPSULE), s.to = (rv_vec3){0.6, -0.3, 0.8}, s.radius = 0.3, s.radius2 = 0.1;
    rv_solid_def upright = s;
    upright.to = (rv_vec3){0, 0, sqrt(0.36 + 0.09 + 0.64)};
    for (int n = -5; n < 15; n++) {
        rv_vec3 p = {0.06 * n, -0.03 * n, 0.08 * n}, q = {0, 0, upright.to.z * n / 10};
        assert_near(at(&s, p), at(&upright, q), 1e-12, "slanted capsule", p);
    }
    test_free(o);
}

static void spheroids(void **state)
{
    (void)state;
    outline *o = test_malloc(sizeof *o);
    const double axes[4][2] = {{1, 0.3}, {0.25, 1.2}, {1.5, 0.05}, {0.7, 0.7}};
    for (int k = 0; k < 4; k++) {
        rv_solid_def s = solid(RV_SHAPE_ELLIPSOID);
        s.size = (rv_vec3){2 * axes[k][0], 2 * axes[k][0], 2 * axes[k][1]};
        o->count = 0;
        for (int i = 0; i <= 19000; i++) {
            double a = PI * (1 - i / 19000.0);
            o->r[o->count] = axes[k][0] * sin(a), o->z[o->count++] = axes[k][1] * cos(a);
        }
        compare(o, &s, "spheroid");
        for (int i = -10; i <= 10; i++) { // where the usual formulas divide by 0
            rv_vec3 p = {0.1 * i * axes[k][0], 0, 0}, q = {0, 0, 0.1 * i * axes[k][1]};
            rv_vec3 near_p = {p.x, 1e-9, 1e-9}, near_q = {1e-9, 1e-9, q.z};
            assert_near(at(&s, p), at(&s, near_p), 1e-7, "spheroid's plane", p);
            assert_near(at(&s, q), at(&s, near_q), 1e-7, "spheroid's axis", q);
        }
        rv_vec3 middle = {0, 0, 0};
        assert_near(at(&s, middle), -fmin(axes[k][0], axes[k][1]), 1e-12, "middle", middle);
    }
    test_free(o);
}

// From a point of the surface along the normal the distance is the way gone, also a little way
// inward.
static void ellipsoid_offsets(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int n = 0; n < 2000; n++) {
        rv_vec3 r = {random_in(&seed, 0.1, 1), random_in(&seed, 0.1, 1), random_in(&seed, 0.1, 1)};
        rv_solid_def s = solid(RV_SHAPE_ELLIPSOID);
        s.size = (rv_vec3){2 * r.x, 2 * r.y, 2 * r.z};
        rv_vec3 u = random_unit(&seed), x = {u.x * r.x, u.y * r.y, u.z * r.z};
        rv_vec3 g = {u.x / r.x, u.y / r.y, u.z / r.z};
        double length = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
        double least = fmin(r.x, fmin(r.y, r.z)), most = fmax(r.x, fmax(r.y, r.z));
        double h = random_in(&seed, -least * least / most, 3); // down to the sharpest curvature
        rv_vec3 p = {x.x + h * g.x / length, x.y + h * g.y / length, x.z + h * g.z / length};
        assert_near(at(&s, p), h, 1e-10, "ellipsoid", p);
    }
}

static double inner(double half, double round, double direction, double t)
{
    return direction != 0 ? copysign(half - round, direction) : t * (half - round);
}

// Points of a rounded box by the part of its core they stand on: faces, edges, corners.
static void boxes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const double rounds[3] = {0, 0.1, 0.3};
    for (int n = 0; n < 3000; n++) {
        rv_solid_def s = solid(RV_SHAPE_BOX);
        s.size = (rv_vec3){1.2, 0.8, 2}, s.round = rounds[n % 3];
        double x = (double)(n / 3 % 3 - 1), y = (double)(n / 9 % 3 - 1),
               z = (double)(n / 27 % 3 - 1);
        if (x == 0 && y == 0 && z == 0) continue;
        x *= random_in(&seed, 0.2, 1), y *= random_in(&seed, 0.2, 1), z *= random_in(&seed, 0.2, 1);
        double length = sqrt(x * x + y * y + z * z), h = random_in(&seed, -s.round, 2);
        double far = (s.round + h) / length;
        rv_vec3 p = {inner(0.6, s.round, x, random_in(&seed, -1, 1)) + far * x,
                     inner(0.4, s.round, y, random_in(&seed, -1, 1)) + far * y,
                     inner(1.0, s.round, z, random_in(&seed, -1, 1)) + far * z};
        assert_near(at(&s, p), h, 1e-12, "box", p);
        rv_vec3 q = {random_in(&seed, -0.3, 0.3), random_in(&seed, -0.1, 0.1),
                     random_in(&seed, -0.7, 0.7)};
        double depth = fmin(0.6 - fabs(q.x), fmin(0.4 - fabs(q.y), 1 - fabs(q.z)));
        assert_near(at(&s, q), -depth, 1e-12, "box inside", q);
    }
}

static void planes(void **state)
{
    (void)state;
    rv_solid_def s = solid(RV_SHAPE_PLANE);
    s.at = (rv_vec3){1, 2, 3};
    assert_near(at(&s, (rv_vec3){9, -5, 4.5}), 1.5, 1e-15, "plane", s.at);
    s.normal = (rv_vec3){0, 3, 4};
    assert_near(at(&s, (rv_vec3){7, 2 + 0.6 * 2, 3 + 0.8 * 2}), 2, 1e-14, "plane", s.at);
    s.normal = (rv_vec3){0, 0, 1}, s.rotate.y = PI / 6; // falls toward +x
    assert_near(at(&s, (rv_vec3){2, 2, 3}), sin(PI / 6), 1e-14, "turned plane", s.at);
}

// ---- Moves and joins ----------------------------------------------------------------------------

static void moves(void **state)
{
    (void)state;
    uint64_t seed = 11;
    rv_solid_def plain = solid(RV_SHAPE_BOX), moved;
    plain.size = (rv_vec3){1, 2, 0.5};
    moved = plain, moved.at = (rv_vec3){0.3, -0.2, 0.1}, moved.scale = 2.5;
    moved.rotate = (rv_vec3){0.4, -0.7, 1.1};
    for (int n = 0; n < 200; n++) {
        rv_vec3 q = random_point(&seed, 2), p = {2.5 * q.x, 2.5 * q.y, 2.5 * q.z}, r = p;
        r.y = cos(0.4) * p.y - sin(0.4) * p.z, r.z = sin(0.4) * p.y + cos(0.4) * p.z, p = r;
        r.x = cos(-0.7) * p.x + sin(-0.7) * p.z, r.z = -sin(-0.7) * p.x + cos(-0.7) * p.z, p = r;
        r.x = cos(1.1) * p.x - sin(1.1) * p.y, r.y = sin(1.1) * p.x + cos(1.1) * p.y;
        r.x += 0.3, r.y -= 0.2, r.z += 0.1;
        assert_near(at(&moved, r), 2.5 * at(&plain, q), 1e-13, "moved box", r);
    }
}

static void mirrors(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int mirror = 1; mirror < 4; mirror++) {
        rv_solid_def s = solid(RV_SHAPE_SPHERE);
        s.at = (rv_vec3){-0.5, 0.2, 0}, s.radius = 0.4, s.mirror = (rv_mirror)mirror;
        for (int n = 0; n < 100; n++) {
            rv_vec3 p = random_point(&seed, 1);
            double d = INFINITY;
            for (int k = 0; k < 4; k++) {
                if (k & ~mirror) continue;
                double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? -0.2 : 0.2;
                d = fmin(d, sqrt((p.x - x) * (p.x - x) + (p.y - y) * (p.y - y) + p.z * p.z) - 0.4);
            }
            assert_near(at(&s, p), d, 1e-14, "mirrored sphere", p);
        }
    }
}

static void joins(void **state)
{
    (void)state;
    rv_solid_def s[2] = {solid(RV_SHAPE_SPHERE), solid(RV_SHAPE_SPHERE)};
    s[0].radius = 1, s[1].radius = 0.8, s[1].at.x = 0.9;
    uint64_t seed = 13;
    for (int n = 0; n < 300; n++) {
        rv_vec3 p = random_point(&seed, 2);
        s[1].blend = 0, s[1].op = RV_UNION;
        double a = at(&s[0], p), b = at(&s[1], p);
        assert_near(rv_solids_distance(s, 2, p), fmin(a, b), 0, "union", p);
        s[1].op = RV_SUBTRACT;
        assert_near(rv_solids_distance(s, 2, p), fmax(a, -b), 0, "subtract", p);
        s[1].op = RV_INTERSECT;
        assert_near(rv_solids_distance(s, 2, p), fmax(a, b), 0, "intersect", p);
        s[1].blend = 0.4;
        double h = fmax(0.4 - fabs(a - b), 0) / 0.4;
        assert_near(rv_solids_distance(s, 2, p), fmax(a, b) + 0.1 * h * h, 1e-14, "smooth", p);
        s[1].op = RV_UNION;
        assert_near(rv_solids_distance(s, 2, p), fmin(a, b) - 0.1 * h * h, 1e-14, "smooth", p);
        s[1].op = RV_SUBTRACT, h = fmax(0.4 - fabs(a + b), 0) / 0.4;
        assert_near(rv_solids_distance(s, 2, p), fmax(a, -b) + 0.1 * h * h, 1e-14, "smooth", p);
    }
}

// Lists start from empty space.
static void empty_space(void **state)
{
    (void)state;
    rv_solid_def s[2] = {solid(RV_SHAPE_SPHERE), solid(RV_SHAPE_SPHERE)};
    rv_vec3 p = {0.1, 0, 0};
    assert_true(rv_solids_distance(s, 0, p) == INFINITY);
    s[0].radius = 1, s[1].radius = 0.5, s[0].blend = s[1].blend = 0.2;
    s[0].op = RV_SUBTRACT;
    assert_true(rv_solids_distance(s, 1, p) == INFINITY);
    assert_near(rv_solids_distance(s, 2, p), -0.4, 1e-15, "union after nothing", p);
    s[0].op = RV_INTERSECT;
    assert_true(rv_solids_distance(s, 1, p) == INFINITY);
}

static void groups(void **state)
{
    (void)state;
    // a cup on a table: the cup's hollow does not dig into the table
    rv_solid_def s[4] = {solid(RV_SHAPE_PLANE), solid(RV_SHAPE_GROUP), solid(RV_SHAPE_CYLINDER),
                         solid(RV_SHAPE_CYLINDER)};
    s[1].children = 2, s[1].at.z = 1, s[1].scale = 2, s[1].rotate.x = PI; // upside down
    s[2].radius = 1, s[2].height = 1, s[3].radius = 0.8, s[3].height = 1, s[3].at.z = 0.2;
    s[3].op = RV_SUBTRACT;
    rv_vec3 table = {0, 0, -0.1}, hollow = {0, 0, 0.5}, wall = {1.8, 0, 0.5}, bottom = {0, 0, 1.8};
    assert_near(rv_solids_distance(s, 4, table), -0.1, 1e-15, "table", table);
    assert_near(rv_solids_distance(s, 4, hollow), 0.5, 1e-15, "hollow", hollow);
    assert_near(rv_solids_distance(s, 4, wall), -0.2, 1e-14, "wall", wall);
    assert_near(rv_solids_distance(s, 4, bottom), -0.2, 1e-14, "bottom", bottom);
}

static void noise(void **state)
{
    (void)state;
    uint64_t seed = 17;
    rv_solid_def plain = solid(RV_SHAPE_SPHERE), rough;
    plain.radius = 1, rough = plain;
    rough.noise = 0.05, rough.noise_size = 0.3, rough.noise_seed = 4;
    rv_part part = rv_part_of(&rough);
    double sum = 0, largest = 0;
    for (int n = 0; n < 20000; n++) {
        rv_vec3 p = random_point(&seed, 1.3), q = p;
        double d = at(&plain, p), r = at(&rough, p), e = 1e-6;
        q.x += e;
        assert_true(fabs(r - d) <= 0.05);
        if (fabs(d) >= 0.2) assert_true(r == d);
        if (fabs(d) <= 0.1) assert_near(r, d + rv_noise_at(&part, p), 1e-15, "noise", p);
        assert_true(fabs(at(&rough, q) - r) < 4 * e); // no jumps, also where it fades out
        double value = rv_noise_at(&part, p) / 0.05;
        sum += value, largest = fmax(largest, fabs(value));
    }
    assert_true(fabs(sum / 20000) < 0.05 && largest > 0.5 && largest <= 1);
    rough.noise_seed = 5;
    rv_part other = rv_part_of(&rough);
    assert_true(rv_noise_at(&part, (rv_vec3){1, 0, 0}) != rv_noise_at(&other, (rv_vec3){1, 0, 0}));
    // far away without trouble
    assert_true(isfinite(rv_noise_at(&part, (rv_vec3){1e300, 1e9, -1e18})));
}

// ---- What is refused ----------------------------------------------------------------------------

static void refuse(const rv_solid_def *s, int count, const char *expected)
{
    rv_messages m = {0};
    assert_false(rv_solids_check(s, count, "solids", &m));
    if (!strstr(m.text, expected)) fail_msg("'%s' is not in '%s'", expected, m.text);
    assert_int_equal(m.count, 1);
}

static void refuses_shapes(void **state)
{
    (void)state;
    rv_solid_def s = solid(RV_SHAPE_BOX);
    s.size.y = 0, refuse(&s, 1, "solids[0].size: every edge");
    s.size.y = 0.004, s.round = 0.003, refuse(&s, 1, "solids[0].round: 0.003 m is more than half");
    s = solid(RV_SHAPE_SPHERE), s.radius = 0, refuse(&s, 1, "solids[0].radius");
    s.radius = NAN, refuse(&s, 1, "solids[0].radius: must be a finite");
    s = solid(RV_SHAPE_ELLIPSOID), s.size.z = 0, refuse(&s, 1, "solids[0].size");
    s = solid(RV_SHAPE_CAPSULE), s.radius = 0, refuse(&s, 1, "solids[0].radius");
    s.to.x = 1, refuse(&s, 1, "solids[0].radius");
    s = solid(RV_SHAPE_CYLINDER), s.height = 0, refuse(&s, 1, "solids[0].height");
    s.height = 0.01, s.round = 0.006, refuse(&s, 1, "solids[0].round");
    s = solid(RV_SHAPE_CONE), s.radius = 0, refuse(&s, 1, "solids[0].radius");
    s = solid(RV_SHAPE_TORUS), s.radius2 = s.radius, refuse(&s, 1, "solids[0].radius2");
    s.radius2 = 0, refuse(&s, 1, "solids[0].radius2");
    s.radius2 = 0.001, s.noise_octaves = 9, refuse(&s, 1, "solids[0].noise_octaves");
    rv_messages m = {0};
    for (int shape = RV_SHAPE_BOX; shape <= RV_SHAPE_PLANE; shape++)
        s = solid((rv_shape)shape), assert_true(rv_solids_check(&s, 1, "solids", &m));
    s.op = RV_SUBTRACT, assert_true(rv_solids_check(&s, 1, "solids", &m) && rv_solids_check(NULL, 0, "solids", &m));
    assert_int_equal(m.count, 0);
}

static void refuses_groups(void **state)
{
    (void)state;
    rv_solid_def s[40];
    rv_messages m = {0};
    for (int i = 0; i < 40; i++) s[i] = solid(RV_SHAPE_GROUP), s[i].children = 39 - i;
    s[39] = solid(RV_SHAPE_SPHERE);
    refuse(s, 40, "solids[32].children: groups stand in groups");
    assert_true(rv_solids_check(s + 8, 32, "solids", &m));
    s[39].shape = RV_SHAPE_GROUP, refuse(s + 38, 2, "solids[1].children: a group needs");
    s[38].children = 2, s[39].shape = RV_SHAPE_BOX;
    refuse(s + 38, 2, "solids[0].children: 2, but only 1 solid is left");
    s[37].children = 1, refuse(s + 37, 3, "solids[1].children: 2, but only 0 solids are left in");
    s[39].children = 1, refuse(s + 39, 1, "solids[0].children: only a group");
    for (int i = 0; i < 40; i++) s[i] = solid(RV_SHAPE_GROUP), s[i].children = 39 - i;
    s[39] = solid(RV_SHAPE_SPHERE);
    for (int i = 0; i < 40; i++) s[i].mirror = RV_MIRROR_XY;
    refuse(s + 20, 20, "mirror: more than");
    // every problem, not only the first
    s[0] = s[1] = s[2] = solid(RV_SHAPE_BOX);
    s[0].size.x = 0, s[1].scale = 0, s[2].round = 1;
    assert_false(rv_solids_check(s, 3, "solids", &m));
    assert_int_equal(m.count, 3);
    assert_true(strstr(m.text, "solids[0].size") && strstr(m.text, "solids[1].scale") &&
                strstr(m.text, "solids[2].round"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revolved_shapes), cmocka_unit_test(capsules),
        cmocka_unit_test(spheroids),       cmocka_unit_test(ellipsoid_offsets),
        cmocka_unit_test(boxes),           cmocka_unit_test(planes),
        cmocka_unit_test(moves),           cmocka_unit_test(mirrors),
        cmocka_unit_test(joins),           cmocka_unit_test(empty_space),
        cmocka_unit_test(groups),          cmocka_unit_test(noise),
        cmocka_unit_test(refuses_shapes),  cmocka_unit_test(refuses_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
