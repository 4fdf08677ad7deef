// Volumes: by threshold and by label, leaning and left-handed lattices, voxels without a value, and
// what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_check.h"
#include "terrain/form.h"
#include "terrain/volume_form.h"

#include <float.h>

#define PI 3.14159265358979323846

static double random_in(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*seed >> 11) / 9007199254740992.0);
}

static int random_int(uint64_t *seed, int low, int high)
{
    return low + (int)random_in(seed, 0, high - low + 0.999999);
}

// ---- Volumes ------------------------------------------------------------------------------------

typedef struct scan {
    rv_volume v;
    float *values;
} scan;

static scan make_scan(int nx, int ny, int nz)
{
    scan s = {.v = {.nx = nx, .ny = ny, .nz = nz, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    s.values = test_calloc((size_t)nx * (size_t)ny * (size_t)nz, sizeof *s.values);
    s.v.values = s.values;
    return s;
}

static float *voxel(const scan *s, int i, int j, int k)
{
    return s->values + ((size_t)k * (size_t)s->v.ny + (size_t)j) * (size_t)s->v.nx + (size_t)i;
}

static rv_vec3 centre_of(const rv_volume *v, double i, double j, double k)
{
    const rv_vec3 *s = v->step;
    return (rv_vec3){v->first.x + i * s[0].x + j * s[1].x + k * s[2].x,
                     v->first.y + i * s[0].y + j * s[1].y + k * s[2].y,
                     v->first.z + i * s[0].z + j * s[1].z + k * s[2].z};
}

// Value: 100 less the distance from a point.
static void fill_ball(scan *s, rv_vec3 at)
{
    for (int k = 0; k < s->v.nz; k++)
        for (int j = 0; j < s->v.ny; j++)
            for (int i = 0; i < s->v.nx; i++) {
                rv_vec3 d = vector(at, centre_of(&s->v, i, j, k));
                *voxel(s, i, j, k) = (float)(100 - sqrt(dot_product(d, d)));
            }
}

static rv_result try_triangles(const scan *s, const rv_form_def *def, rv_mesh *mesh,
                               rv_form_report *report, rv_messages *m)
{
    rv_allocator a = rv_default_allocator();
    memset(report, 0, sizeof *report);
    return rv_volume_triangles(&s->v, def, &a, mesh, report, m);
}

static rv_mesh triangles(const scan *s, const rv_form_def *def, rv_form_report *report)
{
    rv_mesh mesh;
    rv_messages m = {0};
    if (try_triangles(s, def, &mesh, report, &m) != RV_OK) fail_msg("%s", m.text);
    assert_int_equal(m.count, 0);
    check_closed(&mesh, "volume");
    assert_int_equal(report->voxels, (int64_t)s->v.nx * s->v.ny * s->v.nz);
    return mesh;
}

static rv_form_def by_threshold(double threshold)
{
    rv_form_def def = rv_default_form_def();
    def.threshold = threshold;
    return def;
}

static rv_form_def by_label(int label)
{
    rv_form_def def = rv_default_form_def();
    def.label = label;
    return def;
}

// Steps of different length, turned about an axis, in one order or the other.
static void lean(rv_volume *v, bool left_handed)
{
    double c = cos(0.7), s = sin(0.7);
    v->step[0] = (rv_vec3){0.5 * c, 0.5 * s, 0};
    v->step[1] = (rv_vec3){-0.8 * s * cos(0.4), 0.8 * c * cos(0.4), 0.8 * sin(0.4)};
    v->step[2] = (rv_vec3){1.1 * s * sin(0.4), -1.1 * c * sin(0.4), 1.1 * cos(0.4)};
    if (left_handed) v->step[2] = (rv_vec3){-v->step[2].x, -v->step[2].y, -v->step[2].z};
    v->first = (rv_vec3){0, 0, 0};
    rv_vec3 middle = centre_of(v, 0.5 * (v->nx - 1), 0.5 * (v->ny - 1), 0.5 * (v->nz - 1));
    v->first = (rv_vec3){7 - middle.x, -3 - middle.y, 2 - middle.z};
}

static const rv_vec3 ball_at = {7.1, -3.05, 2.2};
#define BALL 9.0
#define BALL_VOLUME (4 / 3.0 * PI * BALL * BALL * BALL)

static scan leaning_ball(bool left_handed)
{
    scan s = make_scan(46, 30, 22);
    lean(&s.v, left_handed);
    fill_ball(&s, ball_at);
    return s;
}

static void a_ball_has_its_place_and_size_however_the_lattice_leans(void **state)
{
    (void)state;
    for (int left = 0; left < 2; left++) {
        scan s = leaning_ball(left);
        rv_form_def def = by_threshold(100 - BALL);
        rv_form_report report;
        rv_mesh mesh = triangles(&s, &def, &report);
        assert_true(fabs(volume_of(&mesh) / BALL_VOLUME - 1) < 0.015);
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            const float *p = mesh.positions + 3 * i;
            rv_vec3 d = vector(ball_at, (rv_vec3){(double)p[0], (double)p[1], (double)p[2]});
            assert_true(fabs(sqrt(dot_product(d, d)) - BALL) < 0.05);
        }
        double cells = 0.5 * 0.8 * 1.1 * (double)report.solid;
        assert_true(fabs(cells / BALL_VOLUME - 1) < 0.02);
        assert_true(report.most > 99 && report.most <= 100 && report.least < 90);
        rv_mesh_free(&mesh);
        test_free(s.values);
    }
}

// A label's ball: less rough than its staircase, which is off by up to half a voxel.
static void a_label_is_smoothed_and_keeps_its_volume(void **state)
{
    (void)state;
    scan s = make_scan(28, 27, 29);
    fill_ball(&s, (rv_vec3){13.3, 13.1, 14.2});
    for (int i = 0; i < 28 * 27 * 29; i++)
        s.values[i] = s.values[i] >= 100 - BALL ? 3 : (float)(i % 3);
    rv_form_def def = by_label(3);
    rv_form_report report;
    rv_mesh mesh = triangles(&s, &def, &report);
    double square = 0;
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const float *p = mesh.positions + 3 * i;
        rv_vec3 d = vector((rv_vec3){13.3, 13.1, 14.2},
                           (rv_vec3){(double)p[0], (double)p[1], (double)p[2]});
        double off = sqrt(dot_product(d, d)) - BALL;
        square += off * off;
    }
    double rough = sqrt(square / (double)mesh.vertex_count);
    print_message("label: volume %.4f of what it is, roughness %.3f voxels\n",
                  volume_of(&mesh) / BALL_VOLUME, rough);
    assert_true(rough < 0.13);
    assert_true(fabs(volume_of(&mesh) / BALL_VOLUME - 1) < 0.02);
    assert_true(report.least == 0 && report.most == 3);
    rv_mesh_free(&mesh);
    test_free(s.values);
}

static void box_of(const rv_mesh *mesh, double low[3], double high[3])
{
    for (int a = 0; a < 3; a++) low[a] = INFINITY, high[a] = -INFINITY;
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], (double)mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], (double)mesh->positions[i]);
    }
}

static void check_box(const rv_mesh *mesh, const double low[3], const double high[3], double off)
{
    double l[3], h[3];
    box_of(mesh, l, h);
    for (int a = 0; a < 3; a++)
        if (fabs(l[a] - low[a]) > off || fabs(h[a] - high[a]) > off)
            fail_msg("axis %d: from %g to %g, not from %g to %g", a, l[a], h[a], low[a], high[a]);
}

// One voxel, a line of them, a sheet of them: as thick as a voxel, none lost.
static void what_is_one_voxel_thin_stays(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        scan s = make_scan(12, 13, 10);
        int nx = kind > 0 ? 8 : 1, ny = kind > 1 ? 8 : 1;
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) *voxel(&s, 2 + i, 3 + j, 5) = 1;
        rv_form_def def = by_label(1);
        rv_form_report report;
        rv_mesh mesh = triangles(&s, &def, &report);
        assert_int_equal(report.solid, nx * ny);
        check_box(&mesh, (double[3]){1.5, 2.5, 4.5}, (double[3]){1.5 + nx, 2.5 + ny, 5.5}, 1e-5);
        for (size_t i = 0; i < mesh.vertex_count; i++)
            assert_true(fabsf(mesh.positions[3 * i + 2] - 5) == 0.5f ||
                        mesh.positions[3 * i + 2] == 5);
        rv_mesh_free(&mesh);
        test_free(s.values);
    }
}

static void solid_at_the_border_ends_half_a_voxel_outside(void **state)
{
    (void)state;
    scan s = make_scan(4, 5, 6);
    for (int i = 0; i < 4 * 5 * 6; i++) s.values[i] = 1;
    for (int label = 0; label < 2; label++) {
        rv_form_def def = label ? by_label(1) : by_threshold(1); // equal is solid
        rv_form_report report;
        rv_mesh mesh = triangles(&s, &def, &report);
        assert_int_equal(report.solid, 4 * 5 * 6);
        // smoothing lets the sides of a small block stand out a little
        check_box(&mesh, (double[3]){-0.5, -0.5, -0.5}, (double[3]){3.5, 4.5, 5.5},
                  label ? 0.1 : 1e-5);
        assert_true(volume_of(&mesh) > 3 * 4 * 5 && volume_of(&mesh) < 4 * 5 * 6);
        rv_mesh_free(&mesh);
    }
    test_free(s.values);
    s = make_scan(2, 2, 2);
    *voxel(&s, 1, 1, 1) = 5;
    rv_form_def def = by_threshold(5);
    rv_form_report report;
    rv_mesh mesh = triangles(&s, &def, &report);
    rv_mesh_free(&mesh);
    test_free(s.values);
}

static void voxels_without_a_value_are_not_solid(void **state)
{
    (void)state;
    scan s = leaning_ball(false);
    int64_t lost = 0;
    for (int k = 0; k < 22; k++)
        for (int j = 0; j < 30; j++)
            for (int i = 0; i < 46; i++)
                if (i < 23) {
                    lost += *voxel(&s, i, j, k) >= 100 - (float)BALL;
                    *voxel(&s, i, j, k) = NAN;
                }
    rv_form_def def = by_threshold(100 - BALL);
    rv_form_report report;
    rv_mesh mesh = triangles(&s, &def, &report);
    assert_true(lost > 1000);
    assert_true(isfinite(report.least) && isfinite(report.most));
    double share = (double)report.solid / ((double)report.solid + (double)lost);
    assert_true(fabs(volume_of(&mesh) / BALL_VOLUME - share) < 0.03);
    rv_mesh_free(&mesh);
    test_free(s.values);
}

static void random_volumes_are_closed(void **state)
{
    (void)state;
    uint64_t seed = 11;
    static const float odd[] = {0, 1, 2, 3, NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e-40f};
    for (int n = 0; n < 200; n++) {
        scan s =
            make_scan(random_int(&seed, 2, 9), random_int(&seed, 2, 9), random_int(&seed, 2, 9));
        int count = s.v.nx * s.v.ny * s.v.nz;
        for (int i = 0; i < count; i++)
            s.values[i] =
                n % 3 == 0 ? odd[random_int(&seed, 0, 9)] : (float)random_int(&seed, 0, n % 7 + 1);
        s.values[0] = 1;
        for (int a = 0; a < 3; a++) {
            double *step[3] = {&s.v.step[a].x, &s.v.step[a].y, &s.v.step[a].z};
            for (int b = 0; b < 3; b++) *step[b] += random_in(&seed, -0.3, 0.3);
        }
        rv_form_def def = n % 2 ? by_label(1) : by_threshold(n % 5 == 0 ? 0 : 1);
        rv_form_report report;
        rv_mesh mesh = triangles(&s, &def, &report);
        assert_true(volume_of(&mesh) > 0);
        rv_mesh_free(&mesh);
        test_free(s.values);
    }
}

// ---- Refused ------------------------------------------------------------------------------------

static void refuse(const scan *s, const rv_form_def *def, const char *why)
{
    rv_mesh mesh;
    rv_form_report report;
    rv_messages m = {0};
    assert_int_equal(try_triangles(s, def, &mesh, &report, &m), RV_BAD_ARGUMENT);
    assert_true(!mesh.positions && !mesh.indices && mesh.triangle_count == 0);
    if (!strstr(m.text, why)) fail_msg("\"%s\" does not say \"%s\"", m.text, why);
}

static void bad_volumes_are_refused(void **state)
{
    (void)state;
    scan s = make_scan(3, 3, 3);
    rv_form_def def = by_threshold(0.5), label = by_label(7);
    s.values[4] = -1024, s.values[5] = 210;
    def.threshold = 300;
    refuse(&s, &def, "threshold: no voxel reaches 300; values run from -1024 to 210");
    refuse(&s, &label, "label: no voxel is 7; values run from -1024 to 210");
    for (int i = 0; i < 27; i++) s.values[i] = NAN;
    refuse(&s, &def, "no voxel has a value");
    def.threshold = -1;
    scan t = s;
    t.v.nx = 1, refuse(&t, &def, "1 × 3 × 3 voxels");
    t.v.nx = -3, refuse(&t, &def, "-3 × 3 × 3 voxels");
    t.v.nx = 4097, refuse(&t, &def, "must be 2 to 4096");
    t.v.nx = t.v.ny = t.v.nz = 4096, refuse(&t, &def, "together");
    t = s, t.v.values = NULL, refuse(&t, &def, "there are no values");
    t = s, t.v.step[1] = t.v.step[0], refuse(&t, &def, "in a plane");
    t = s, t.v.step[1] = (rv_vec3){0, 0, 0}, refuse(&t, &def, "in a plane");
    t = s, t.v.step[2].y = NAN, refuse(&t, &def, "not finite");
    t = s, t.v.first.x = INFINITY, refuse(&t, &def, "not finite");
    t = s, t.v.first.x = 1e300, refuse(&t, &def, "beyond");
    test_free(s.values);
}

// ---- Forms --------------------------------------------------------------------------------------

static void a_form_from_a_volume_is_right(void **state)
{
    (void)state;
    for (int left = 0; left < 2; left++) {
        scan s = leaning_ball(left);
        rv_form_def def = by_threshold(100 - BALL);
        rv_form_work work = rv_default_form_work();
        rv_form_report report;
        rv_messages m = {0};
        rv_form *form = NULL;
        if (rv_form_from_volume(&s.v, &def, &work, &form, &report, &m) != RV_OK)
            fail_msg("%s", m.text);
        // one unit of a volume is a millimetre
        assert_true(fabs(report.volume / (BALL_VOLUME * 1e-9) - 1) < 0.015);
        assert_true(report.closed && !report.inside_out && report.flipped == 0 &&
                    report.open_edges == 0);
        assert_int_equal(report.pieces, 1);
        assert_true(report.degenerate == 0 && report.duplicate == 0 && report.triangles > 1000);
        assert_int_equal(report.voxels, 46 * 30 * 22);
        assert_true(report.solid > 0 && report.most > 99 && report.scale == 1e-3);
        assert_true(fabs(report.low.x - 1e-3 * (ball_at.x - BALL)) < 5e-5);
        assert_true(fabs(report.high.z - 1e-3 * (ball_at.z + BALL)) < 5e-5);
        uint64_t seed = 2;
        for (int n = 0; n < 300; n++) {
            rv_vec3 d = {random_in(&seed, -0.012, 0.012), random_in(&seed, -0.012, 0.012),
                         random_in(&seed, -0.012, 0.012)};
            rv_vec3 p = {1e-3 * ball_at.x + d.x, 1e-3 * ball_at.y + d.y, 1e-3 * ball_at.z + d.z};
            double exact = sqrt(dot_product(d, d)) - 1e-3 * BALL;
            assert_true(fabs(form->kind->distance(form, p) - exact) < 6e-5);
        }
        rv_form_free(form);
        test_free(s.values);
    }
}

// Whole numbers meet the threshold in many voxels, where the surface would run through their very
// centres.
static void forms_of_rough_volumes_have_nothing_to_repair(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int n = 0; n < 40; n++) {
        scan s =
            make_scan(random_int(&seed, 2, 12), random_int(&seed, 2, 12), random_int(&seed, 2, 12));
        int count = s.v.nx * s.v.ny * s.v.nz;
        for (int i = 0; i < count; i++) s.values[i] = (float)random_int(&seed, 0, 3);
        s.values[count / 2] = 2;
        s.v.first = (rv_vec3){-120, 80, 40};
        rv_form_def def = n % 2 ? by_label(2) : by_threshold(2);
        rv_form_work work = rv_default_form_work();
        rv_form_report r;
        rv_form *form;
        rv_messages m = {0};
        if (rv_form_from_volume(&s.v, &def, &work, &form, &r, &m) != RV_OK) fail_msg("%s", m.text);
        if (r.degenerate || r.duplicate || r.flipped || r.open_edges || r.crowded_edges ||
            !r.closed || !(r.volume > 0))
            fail_msg("volume %d is not clean", n);
        // solid and free voxels are on their sides
        for (int i = 0; i < count; i++) {
            int x = i % s.v.nx, y = i / s.v.nx % s.v.ny, z = i / s.v.nx / s.v.ny;
            rv_vec3 p = centre_of(&s.v, x, y, z);
            double d = form->kind->distance(form, (rv_vec3){1e-3 * p.x, 1e-3 * p.y, 1e-3 * p.z});
            bool solid = n % 2 ? s.values[i] == 2 : s.values[i] >= 2;
            if (solid != (d < 0))
                fail_msg("volume %d: voxel %d %d %d has distance %g", n, x, y, z, d);
        }
        rv_form_free(form);
        test_free(s.values);
    }
}

static void a_form_without_a_solid_is_refused(void **state)
{
    (void)state;
    scan s = make_scan(3, 4, 5);
    rv_form_def def = by_threshold(1);
    rv_form_work work = rv_default_form_work();
    rv_form_report report;
    rv_form *form = (rv_form *)&s;
    rv_messages m = {0};
    assert_int_equal(rv_form_from_volume(&s.v, &def, &work, &form, &report, &m), RV_BAD_ARGUMENT);
    assert_null(form);
    assert_int_equal(m.count, 1);
    assert_int_equal(report.voxels, 60);
    def.threshold = NAN;
    assert_int_equal(rv_form_from_volume(&s.v, &def, &work, &form, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_form_from_volume(NULL, &def, &work, &form, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_form_from_volume(&s.v, NULL, &work, &form, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_form_from_volume(&s.v, &def, NULL, &form, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_form_from_volume(&s.v, &def, &work, NULL, NULL, NULL), RV_BAD_ARGUMENT);
    test_free(s.values);
}

// ---- Memory -------------------------------------------------------------------------------------

typedef struct meter {
    int left;      // calls until it fails
    int64_t bytes; // out now
    rv_allocator real;
} meter;

static void *metered_allocate(size_t bytes, void *user)
{
    meter *m = user;
    if (m->left-- <= 0) return NULL;
    m->bytes += (int64_t)bytes;
    return m->real.allocate(bytes, m->real.user);
}

static void metered_release(void *memory, size_t bytes, void *user)
{
    meter *m = user;
    m->bytes -= (int64_t)bytes;
    m->real.release(memory, bytes, m->real.user);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    scan s = make_scan(9, 8, 7);
    fill_ball(&s, (rv_vec3){4, 4, 3});
    for (int i = 0; i < 9 * 8 * 7; i++) s.values[i] = s.values[i] > 97;
    rv_form_def def = by_label(1);
    int tries = 0;
    for (rv_result r = RV_OUT_OF_MEMORY; r != RV_OK; tries++) {
        meter m = {.left = tries, .real = rv_default_allocator()};
        rv_form_work work = {.allocator = {metered_allocate, metered_release, &m}};
        rv_form *form = NULL;
        r = rv_form_from_volume(&s.v, &def, &work, &form, NULL, NULL);
        if (r != RV_OK) assert_int_equal(r, RV_OUT_OF_MEMORY);
        rv_form_free(form);
        assert_int_equal(m.bytes, 0);
    }
    assert_true(tries > 8);
    test_free(s.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_has_its_place_and_size_however_the_lattice_leans),
        cmocka_unit_test(a_label_is_smoothed_and_keeps_its_volume),
        cmocka_unit_test(what_is_one_voxel_thin_stays),
        cmocka_unit_test(solid_at_the_border_ends_half_a_voxel_outside),
        cmocka_unit_test(voxels_without_a_value_are_not_solid),
        cmocka_unit_test(random_volumes_are_closed),
        cmocka_unit_test(bad_volumes_are_refused),
        cmocka_unit_test(a_form_from_a_volume_is_right),
        cmocka_unit_test(forms_of_rough_volumes_have_nothing_to_repair),
        cmocka_unit_test(a_form_without_a_solid_is_refused),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
