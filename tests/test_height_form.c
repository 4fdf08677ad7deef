// Height maps as solids: exact along vertical lines, never more than the true distance, bounds over
// balls, columns of a world, what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet/world.h"
#include "terrain/form.h"

#include <math.h>

static double random_in(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*seed >> 11) / 9007199254740992.0);
}

static rv_form *form_of(const rv_height_map *map)
{
    rv_form_def def = rv_default_form_def();
    rv_form_work work = rv_default_form_work();
    rv_messages messages = {0};
    rv_form *form = NULL;
    if (rv_form_from_heights(map, &def, &work, &form, NULL, &messages) != RV_OK)
        fail_msg("no form: %s", messages.text);
    return form;
}

static double at(const rv_form *form, rv_vec3 p)
{
    return form->kind->distance(form, p);
}

// ---- The surface, the plain way -----------------------------------------------------------------

static double pixel(const rv_height_map *m, int i, int j)
{
    i = i < 0 ? 0 : i > m->nx - 1 ? m->nx - 1 : i, j = j < 0 ? 0 : j > m->ny - 1 ? m->ny - 1 : j;
    return (double)m->heights[j * m->nx + i];
}

static double height(const rv_height_map *m, double x, double y)
{
    double u = (x + 0.5 * m->size_x) / m->size_x * m->nx - 0.5;
    double v = (y + 0.5 * m->size_y) / m->size_y * m->ny - 0.5;
    int i = (int)floor(u), j = (int)floor(v);
    double s = u - i, t = v - j;
    return (1 - s) * (1 - t) * pixel(m, i, j) + s * (1 - t) * pixel(m, i + 1, j) +
           (1 - s) * t * pixel(m, i, j + 1) + s * t * pixel(m, i + 1, j + 1);
}

static double away(const rv_height_map *m, rv_vec3 p, double x, double y)
{
    double z = height(m, x, y) - p.z;
    return sqrt((x - p.x) * (x - p.x) + (y - p.y) * (y - p.y) + z * z);
}

// The distance to the surface: the nearest of many points of it, then downhill in ever smaller
// steps.
static double true_distance(const rv_height_map *m, rv_vec3 p)
{
    const int fine = 10;
    double wide = m->size_x / m->nx, long_ = m->size_y / m->ny;
    double best = away(m, p, p.x, p.y), x = p.x, y = p.y;
    for (int j = -fine; j <= (m->ny + 1) * fine; j++) {
        for (int i = -fine; i <= (m->nx + 1) * fine; i++) {
            double a = -0.5 * m->size_x + i * wide / fine, b = -0.5 * m->size_y + j * long_ / fine;
            double d = away(m, p, a, b);
            if (d < best) best = d, x = a, y = b;
        }
    }
    for (double step = 0.1; step > 1e-9; step *= 0.5) {
        for (bool moved = true; moved;) {
            moved = false;
            for (int k = 0; k < 9; k++) {
                double a = x + (k % 3 - 1) * step * wide, b = y + (k / 3 - 1) * step * long_;
                double d = away(m, p, a, b);
                if (d < best * (1 - 1e-15)) best = d, x = a, y = b, moved = true;
            }
        }
    }
    return best;
}

// ---- Maps ---------------------------------------------------------------------------------------

#define MOST 4096 // pixels
typedef struct land {
    rv_height_map m;
    float heights[MOST];
} land;

typedef enum relief { FLAT, RAMP, ROUGH, CLIFF, TOWER, HILLS, RELIEFS } relief;

static float relief_at(relief kind, int i, int j, uint64_t *seed)
{
    switch (kind) {
    case FLAT:
        return 0.004f;
    case RAMP:
        return (float)(3 * i - j) / 1024; // exact in single precision
    case ROUGH:
        return (float)random_in(seed, -0.02, 0.02);
    case CLIFF:
        return i < 3 ? 0.05f : 0.0f;
    case TOWER:
        return i == 5 && j == 2 ? 0.1f : 0.001f * (float)random_in(seed, 0, 1);
    case HILLS:
    case RELIEFS:
        break;
    }
    return (float)(0.01 * sin(0.4 * i) * cos(0.3 * j));
}

static void make_map(land *out, relief kind, int nx, int ny, double size_x, double size_y,
                     uint64_t *seed)
{
    out->m = (rv_height_map){nx, ny, out->heights, size_x, size_y};
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) out->heights[j * nx + i] = relief_at(kind, i, j, seed);
}

// Sizes that are no multiple of anything, single rows and pixels among them.
static const struct {
    int nx, ny;
    double size_x, size_y;
} sizes[] = {{11, 9, 0.11, 0.07}, {1, 1, 0.1, 0.1}, {1, 7, 0.03, 0.1},
             {23, 1, 0.2, 0.01},  {2, 2, 0.1, 0.3}, {30, 13, 0.1, 0.1}};
#define SIZES ((int)(sizeof sizes / sizeof sizes[0]))

static void each_map(void (*check)(const land *m, const rv_form *form, relief kind, uint64_t *seed))
{
    land *m = test_malloc(sizeof *m);
    uint64_t seed = 5;
    for (int kind = 0; kind < RELIEFS; kind++) {
        for (int s = 0; s < SIZES; s++) {
            make_map(m, (relief)kind, sizes[s].nx, sizes[s].ny, sizes[s].size_x, sizes[s].size_y,
                     &seed);
            rv_form *form = form_of(&m->m);
            check(m, form, (relief)kind, &seed);
            rv_form_free(form);
        }
    }
    test_free(m);
}

static rv_vec3 random_place(const land *m, uint64_t *seed, double up)
{
    double x = random_in(seed, -0.7, 0.7) * m->m.size_x,
           y = random_in(seed, -0.7, 0.7) * m->m.size_y;
    return (rv_vec3){x, y, random_in(seed, -up, up)};
}

// ---- Distances ----------------------------------------------------------------------------------

static void check_line(const land *m, const rv_form *form, relief kind, uint64_t *seed)
{
    for (int n = 0; n < 200; n++) {
        rv_vec3 p = random_place(m, seed, 0.15), q = p;
        double h = height(&m->m, p.x, p.y), slack = 1e-14;
        if (fabs(p.z - h) > slack) assert_true((at(form, p) < 0) == (p.z < h));
        q.z = h + 2 * (p.z - h);
        if (fabs(at(form, q) - 2 * at(form, p)) > slack)
            fail_msg("relief %d is not linear along z: %g and %g", kind, at(form, p), at(form, q));
    }
}

static void it_is_linear_along_z_with_the_right_sign(void **state)
{
    (void)state;
    each_map(check_line);
}

static void check_bound(const land *m, const rv_form *form, relief kind, uint64_t *seed)
{
    double extent = fmax(m->m.size_x, m->m.size_y);
    for (int n = 0; n < 40; n++) {
        rv_vec3 p = random_place(m, seed, n % 4 == 0 ? 3 * extent : 0.1);
        double d = fabs(at(form, p)), exact = true_distance(&m->m, p);
        if (d > exact * (1 + 1e-9) + 1e-12)
            fail_msg("relief %d, %d × %d, at (%g, %g, %g): %g is more than the distance, %g", kind,
                     m->m.nx, m->m.ny, p.x, p.y, p.z, d, exact);
    }
}

static void it_is_never_more_than_the_true_distance(void **state)
{
    (void)state;
    each_map(check_bound);
}

// The largest factor of z - h that is never more than the distance: by the steepest way from (x, y)
// to points of the surface.
static double best_factor(const rv_height_map *m, double x, double y)
{
    const int fine = 4;
    double h = height(m, x, y), steepest = 0;
    for (int j = 0; j <= m->ny * fine; j++) {
        for (int i = 0; i <= m->nx * fine; i++) {
            double a = ((double)i / (m->nx * fine) - 0.5) * m->size_x;
            double b = ((double)j / (m->ny * fine) - 0.5) * m->size_y;
            double way = (a - x) * (a - x) + (b - y) * (b - y), rise = height(m, a, b) - h;
            if (way > 0) steepest = fmax(steepest, rise * rise / way);
        }
    }
    return 1 / sqrt(1 + steepest);
}

// The same bound, looked at where it is sharpest, on a plain with towers of all heights.
static void its_factor_is_below_the_best_and_near_it(void **state)
{
    (void)state;
    land *m = test_malloc(sizeof *m);
    uint64_t seed = 21;
    double sum = 0; // of factor over best
    int count = 0;
    for (int round = 0; round < 6; round++) {
        make_map(m, HILLS, 70, 50, 0.7, 0.25, &seed);
        for (int n = 0; n < 5; n++)
            m->heights[(int)random_in(&seed, 0, 3500)] = (float)pow(10, random_in(&seed, -2.5, 0));
        rv_form *form = form_of(&m->m);
        for (int n = 0; n < 120; n++) {
            rv_vec3 p = random_place(m, &seed, 0);
            double best = best_factor(&m->m, p.x, p.y), h = height(&m->m, p.x, p.y);
            p.z = h + 1;
            double factor = at(form, p);
            if (factor > best * (1 + 1e-9))
                fail_msg("at (%g, %g): %g is more than %g", p.x, p.y, factor, best);
            sum += factor / best, count++;
        }
        rv_form_free(form);
    }
    assert_true(sum / count > 0.45); // one slope for the whole map gives 0.03
    test_free(m);
}

static void a_ramp_is_exact(void **state)
{
    (void)state;
    land *m = test_malloc(sizeof *m);
    uint64_t seed = 1;
    make_map(m, RAMP, 64, 64, 0.64, 0.32, &seed);
    rv_form *form = form_of(&m->m);
    double a = 3 / 10.24, b = -1 / 5.12, steep = sqrt(1 + a * a + b * b);
    for (int n = 0; n < 500; n++) {
        double x = random_in(&seed, -0.3, 0.3), y = random_in(&seed, -0.15, 0.15);
        double h = height(&m->m, x, y), z = h + random_in(&seed, -0.1, 0.1), d = (z - h) / steep;
        assert_true(fabs(at(form, (rv_vec3){x, y, z}) - d) <= 1e-6 * fabs(d) + 1e-12);
        rv_ball ball = {{x, y, z}, random_in(&seed, 0, 0.01)};
        rv_range r = form->kind->range(form, ball);
        assert_true(fabs(r.low - (d - ball.radius)) < 1e-5 * (fabs(d) + ball.radius));
        assert_true(fabs(r.high - (d + ball.radius)) < 1e-5 * (fabs(d) + ball.radius));
    }
    rv_form_free(form);
    test_free(m);
}

// One tower shortens distances around it, not at the other end of the map.
static void a_cliff_counts_where_it_is(void **state)
{
    (void)state;
    land *m = test_malloc(sizeof *m);
    make_map(m, FLAT, 64, 64, 0.64, 0.64, &(uint64_t){1});
    m->heights[0] = 0.1f; // in the corner, ten pixels high
    rv_form *form = form_of(&m->m);
    double near = at(form, (rv_vec3){-0.305, -0.305, 1.004}),
           far = at(form, (rv_vec3){0.3, 0.3, 1.004});
    assert_true(near < 0.15 && near > 0.05); // at best 0.01 / 0.1
    assert_true(far > 0.97 && far <= 1);
    rv_form_free(form);
    test_free(m);
}

static void flat_ground_is_exact(void **state)
{
    (void)state;
    land *m = test_malloc(sizeof *m);
    make_map(m, FLAT, 17, 5, 0.3, 0.2, &(uint64_t){1});
    rv_form *form = form_of(&m->m);
    double h = (double)0.004f;
    assert_true(at(form, (rv_vec3){0.0123, -0.01, h}) == 0);
    assert_true(fabs(at(form, (rv_vec3){0.7, -3, h + 1}) - 1) < 1e-6);
    assert_true(fabs(at(form, (rv_vec3){0, 0, h - 1}) + 1) < 1e-6);
    rv_form_free(form);
    test_free(m);
}

// ---- Bounds over balls --------------------------------------------------------------------------

static void check_balls(const land *m, const rv_form *form, relief kind, uint64_t *seed)
{
    rv_vec3 points[60];
    double values[60];
    for (int n = 0; n < 100; n++) {
        rv_ball ball = {random_place(m, seed, 0.15), pow(10, random_in(seed, -5, 0))};
        rv_range r = form->kind->range(form, ball);
        for (int k = 0; k < 60; k++) {
            rv_vec3 d;
            do {
                d.x = random_in(seed, -1, 1), d.y = random_in(seed, -1, 1);
                d.z = random_in(seed, -1, 1);
            } while (d.x * d.x + d.y * d.y + d.z * d.z > 1);
            double push =
                k % 2 == 0 ? 1 / sqrt(d.x * d.x + d.y * d.y + d.z * d.z) : 1; // on its skin
            push *= ball.radius;
            points[k] =
                (rv_vec3){ball.at.x + push * d.x, ball.at.y + push * d.y, ball.at.z + push * d.z};
        }
        form->kind->sample(form, ball, points, 60, values);
        for (int k = 0; k < 60; k++) {
            assert_true(values[k] == at(form, points[k]));
            if (values[k] < r.low || values[k] > r.high)
                fail_msg("relief %d, radius %g: %.12g is not within %.12g … %.12g", kind,
                         ball.radius, values[k], r.low, r.high);
        }
    }
}

static void bounds_over_balls_hold(void **state)
{
    (void)state;
    each_map(check_balls);
}

// A ball that is free of the surface is seen to be, although the map is steep: over rough ground,
// and beside a cliff below its top.
static void balls_off_the_surface_are_seen_to_be(void **state)
{
    (void)state;
    land *m = test_malloc(sizeof *m);
    uint64_t seed = 9;
    for (int kind = 0; kind < 2; kind++) {
        double top = kind == 0 ? 0.02 : 0, bottom = kind == 0 ? -0.02 : 0;
        make_map(m, kind == 0 ? ROUGH : CLIFF, 64, 64, 0.064, 0.064, &seed);
        rv_form *form = form_of(&m->m);
        for (int n = 0; n < 200; n++) {
            double r = random_in(&seed, 0.0005, 0.018), first = -0.032 + 0.009; // off the cliff
            rv_ball ball = {{random_in(&seed, first + r, 0.04), random_in(&seed, -0.04, 0.04), 0},
                            r};
            ball.at.z = top + 0.0001 + r;
            assert_true(form->kind->range(form, ball).low > 0);
            ball.at.z = bottom - 0.0001 - r;
            assert_true(form->kind->range(form, ball).high < 0);
            ball.at.z = height(&m->m, ball.at.x, ball.at.y);
            assert_true(form->kind->range(form, ball).low < 0);
            assert_true(form->kind->range(form, ball).high > 0);
        }
        rv_form_free(form);
    }
    test_free(m);
}

// ---- Columns of a world -------------------------------------------------------------------------

static void check_columns(const land *m, rv_solid_def solid, double stretch)
{
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = 37, def.params.grid_ny = 23, def.params.grid_dx = 0.003;
    def.params.grid_stretch = stretch;
    def.params.grid_bottom = -0.03, def.params.grid_top = 0.17;
    def.solids = &solid, def.solid_count = 1;
    rv_world *world = NULL;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    rv_columns c;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    assert_int_equal(c.planes, 1);
    for (int y = 0; y < c.ny; y++) {
        for (int x = 0; x < c.nx; x++) {
            double px = c.x0 + (x + 0.5) * c.dx - solid.at.x,
                   py = c.y0 + (y + 0.5) * c.dx - solid.at.y;
            double s = solid.scale, h = solid.at.z + s * height(&m->m, px / s, py / s);
            double base = (double)c.base[rv_slot(c.plane, x, y)];
            // heights are single precision numbers of the size of grid.top
            if (fabs(base - h) > 1e-6 * 0.17)
                fail_msg("cell (%d, %d): base %.9g, but the map has %.9g", x, y, base, h);
        }
    }
    rv_world_destroy(world);
}

static void columns_are_the_heights(void **state)
{
    (void)state;
    land *m = test_malloc(sizeof *m);
    uint64_t seed = 77;
    for (int kind = 0; kind < RELIEFS; kind++) {
        make_map(m, (relief)kind, 19, 14, 0.12, 0.08, &seed);
        rv_solid_def solid = rv_default_solid_def();
        rv_form *form = form_of(&m->m);
        solid.shape = RV_SHAPE_HEIGHTS, solid.form = form;
        check_columns(m, solid, 1);
        check_columns(m, solid, 0.37);
        solid.at = (rv_vec3){0.011, -0.02, 0.005}, solid.scale = 1.3;
        check_columns(m, solid, 1);
        rv_form_free(form);
    }
    test_free(m);
}

// ---- What is refused, and failures --------------------------------------------------------------

static bool refused(const rv_height_map *map, const rv_form_def *def, const char *start)
{
    rv_form_work work = rv_default_form_work();
    rv_messages messages = {0};
    rv_form *form = (rv_form *)&work;
    rv_result r = rv_form_from_heights(map, def, &work, &form, NULL, &messages);
    if (r == RV_BAD_ARGUMENT && !form && messages.count == 1 &&
        strncmp(messages.text, start, strlen(start)) == 0)
        return true;
    print_message("%d: %s\n", (int)r, messages.text);
    return false;
}

static void bad_maps_are_refused(void **state)
{
    (void)state;
    float h[6] = {0};
    const rv_height_map good = {3, 2, h, 1, 1};
    rv_form_def def = rv_default_form_def();
    rv_height_map m = good;
    m.nx = 0, assert_true(refused(&m, &def, "heights: 0 × 2 pixels; must be 1 to 16384"));
    m = good, m.ny = -1, assert_true(refused(&m, &def, "heights: 3 × -1"));
    m = good, m.nx = 16385, assert_true(refused(&m, &def, "heights: 16385 × 2"));
    m = good, m.heights = NULL, assert_true(refused(&m, &def, "heights: there are none"));
    const double bad[] = {0, -1, NAN, INFINITY, 1e7, 1e-300};
    for (int i = 0; i < 6; i++) {
        m = good, m.size_x = bad[i], assert_true(refused(&m, &def, "size: "));
        m = good, m.size_y = bad[i], assert_true(refused(&m, &def, "size: "));
    }
    const float wrong[] = {NAN, INFINITY, -INFINITY, 3e38f, -2e6f};
    for (int i = 0; i < 5; i++) {
        h[4] = wrong[i];
        assert_true(refused(&good, &def, "heights: pixel (1, 1) is "));
    }
}

static void keys_without_meaning_are_refused(void **state)
{
    (void)state;
    float h[6] = {0};
    const rv_height_map map = {3, 2, h, 1, 1};
    rv_form_def d = rv_default_form_def();
    d.unit = RV_UNIT_MM, assert_true(refused(&map, &d, "unit: "));
    d = rv_default_form_def(), d.up = RV_UP_Y, assert_true(refused(&map, &d, "up: "));
    d = rv_default_form_def(), d.fit.y = 1, assert_true(refused(&map, &d, "fit: "));
    d = rv_default_form_def(), d.origin = RV_ORIGIN_BASE;
    assert_true(refused(&map, &d, "origin: "));
    d = rv_default_form_def(), d.thickness = 1, assert_true(refused(&map, &d, "thickness: "));
    d = rv_default_form_def(), d.fill_holes = false, assert_true(refused(&map, &d, "fill_holes: "));
    d = rv_default_form_def(), d.threshold = 0, assert_true(refused(&map, &d, "threshold: "));
    d = rv_default_form_def(), d.label = 2, assert_true(refused(&map, &d, "label: "));

    d = rv_default_form_def(), d.unit = RV_UNIT_M, d.up = RV_UP_Z, d.low = -1, d.high = 5;
    rv_form_work work = rv_default_form_work();
    rv_form *form = NULL;
    assert_int_equal(rv_form_from_heights(&map, &d, &work, &form, NULL, NULL), RV_OK);
    rv_form_free(form);
    assert_int_equal(rv_form_from_heights(NULL, &d, &work, &form, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_form_from_heights(&map, NULL, &work, &form, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_form_from_heights(&map, &d, NULL, &form, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_form_from_heights(&map, &d, &work, NULL, NULL, NULL), RV_BAD_ARGUMENT);
}

static void note_progress(double share, void *user)
{
    double *last = user;
    assert_true(share > *last && share <= 1);
    *last = share;
}

// The report, progress, and the same bits with threads.
static void it_reports(void **state)
{
    (void)state;
    int nx = 700, ny = 900;
    float *h = test_malloc((size_t)(nx * ny) * sizeof *h);
    uint64_t seed = 3;
    for (int i = 0; i < nx * ny; i++) h[i] = (float)random_in(&seed, -0.001, 0.002);
    h[1234] = -0.5f, h[99999] = 0.25f;
    rv_height_map map = {nx, ny, h, 0.7, 1.8};
    rv_form_def def = rv_default_form_def();
    rv_form_work work = rv_default_form_work();
    double last = 0;
    work.progress = note_progress, work.progress_user = &last;
    rv_form_report report;
    rv_form *one, *three;
    assert_int_equal(rv_form_from_heights(&map, &def, &work, &one, &report, NULL), RV_OK);
    assert_true(last == 1);
    assert_true(report.low.x == -0.35 && report.high.x == 0.35 && report.low.y == -0.9 &&
                report.high.y == 0.9 && report.low.z == -0.5 && report.high.z == 0.25);
    assert_true(report.least == -0.5 && report.most == 0.25 && report.scale == 1);
    assert_true(report.triangles == 0 && report.voxels == 0);
    work.progress = NULL;
    work.pool = rv_pool_create(3);
    assert_int_equal(rv_form_from_heights(&map, &def, &work, &three, NULL, NULL), RV_OK);
    memset(h, 0, (size_t)(nx * ny) * sizeof *h); // the form has its own
    for (int n = 0; n < 2000; n++) {
        rv_vec3 p = {random_in(&seed, -0.4, 0.4), random_in(&seed, -1, 1), random_in(&seed, -1, 1)};
        assert_true(at(one, p) == at(three, p));
    }
    assert_true(at(one, (rv_vec3){-0.35 + (1234 % 700 + 0.5) * 0.001,
                                  -0.9 + (1234 / 700 + 0.5) * 0.002, -0.4999}) > 0);
    rv_pool_destroy(work.pool);
    rv_form_free(one), rv_form_free(three);
    test_free(h);
}

typedef struct counter {
    int until_failure, held;
} counter;

static void *counted(size_t bytes, void *user)
{
    counter *c = user;
    if (c->until_failure-- == 0) return NULL;
    c->held++;
    return aligned_alloc(64, bytes);
}

static void uncounted(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    ((counter *)user)->held--;
    free(memory);
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    land *m = test_malloc(sizeof *m);
    make_map(m, HILLS, 64, 50, 1, 1, &(uint64_t){1});
    rv_form_def def = rv_default_form_def();
    for (int n = 0;; n++) {
        counter c = {.until_failure = n};
        rv_form_work work = {.allocator = {counted, uncounted, &c}};
        rv_form *form;
        rv_result r = rv_form_from_heights(&m->m, &def, &work, &form, NULL, NULL);
        if (r == RV_OK) {
            assert_true(n >= 4); // form, heights, shares, blocks
            rv_form_free(form);
            assert_int_equal(c.held, 0);
            break;
        }
        assert_int_equal(r, RV_OUT_OF_MEMORY);
        assert_null(form);
        assert_int_equal(c.held, 0);
    }
    test_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_linear_along_z_with_the_right_sign),
        cmocka_unit_test(it_is_never_more_than_the_true_distance),
        cmocka_unit_test(its_factor_is_below_the_best_and_near_it),
        cmocka_unit_test(a_ramp_is_exact),
        cmocka_unit_test(a_cliff_counts_where_it_is),
        cmocka_unit_test(flat_ground_is_exact),
        cmocka_unit_test(bounds_over_balls_hold),
        cmocka_unit_test(balls_off_the_surface_are_seen_to_be),
        cmocka_unit_test(columns_are_the_heights),
        cmocka_unit_test(bad_maps_are_refused),
        cmocka_unit_test(keys_without_meaning_are_refused),
        cmocka_unit_test(it_reports),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
