// The picture of a pane: what flat glass and a drop show of a backdrop, the water alone with alpha,
// normals, the street, and the camera.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_leaks.h"
#include "render/renderer_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 160, H = 120, NX = 160, NY = 120, BW = 64, BH = 48 };
#define DX 4e-4
#define RADIUS 36.0 // of the drop in the middle, cells and pixels

// One renderer for all tests; each has maps of its own.
typedef struct stage {
    rv_target *target;
    rv_renderer *renderer;
    rv_params params;
    float height[NX * NY], mist[NX * NY], affinity[NX * NY];
    float backdrop[BW * BH * 3];
    uint8_t rgba[W * H * 4];
} stage;

static int open_stage(void **state)
{
    stage *s = calloc(1, sizeof *s);
    rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
    rv_messages messages = {0};
    if (!s || rv_target_create(&def, &s->target, &messages) != RV_OK ||
        rv_renderer_create(s->target, NULL, &s->renderer, &messages) != RV_OK)
        return -1;
    *state = s;
    return 0;
}

static int close_stage(void **state)
{
    stage *s = *state;
    rv_renderer_destroy(s->renderer);
    rv_target_destroy(s->target);
    free(s);
    return 0;
}

// Dry glass, straight on, all in focus, no fog; a backdrop of one colour.
static stage *set_up(void **state, float grey)
{
    stage *s = *state;
    s->params = rv_default_params();
    s->params.grid_nx = NX, s->params.grid_ny = NY, s->params.grid_dx = DX;
    s->params.view_azimuth = -1.5707963, s->params.view_elevation = 1.57;
    s->params.view_bokeh = 0, s->params.view_fog = 0;
    memset(s->height, 0, sizeof s->height);
    memset(s->mist, 0, sizeof s->mist);
    for (int n = 0; n < NX * NY; n++) s->affinity[n] = 0.5f;
    for (int n = 0; n < BW * BH * 3; n++) s->backdrop[n] = grey;
    return s;
}

// White above, black below.
static void split_backdrop(stage *s)
{
    for (int n = 0; n < BW * BH * 3; n++) s->backdrop[n] = n < BW * BH * 3 / 2 ? 0.9f : 0.02f;
}

// A cap in the middle that meets the glass at an angle.
static void add_cap_of(stage *s, double angle, double radius, double x0, double y0)
{
    double r = radius / sin(angle);
    for (int y = 0; y < NY; y++) {
        for (int x = 0; x < NX; x++) {
            double d = hypot(x + 0.5 - NX / 2 - x0, y + 0.5 - NY / 2 - y0);
            if (d < radius)
                s->height[y * NX + x] = (float)(DX * (sqrt(r * r - d * d) - r * cos(angle)));
        }
    }
}

static void add_cap(stage *s, double angle)
{
    add_cap_of(s, angle, RADIUS, 0, 0);
}

static void draw(stage *s, bool own)
{
    const rv_pane pane = {.nx = NX,
                          .ny = NY,
                          .pitch = NX,
                          .dx = DX,
                          .height = s->height,
                          .mist = s->mist,
                          .affinity = s->affinity};
    const rv_backdrop backdrop = {BW, BH, s->backdrop};
    rv_messages messages = {0};
    rv_renderer *r = s->renderer;
    assert_int_equal(rv_renderer_set_backdrop(r, own ? &backdrop : NULL), RV_OK);
    rv_pane_extent(&pane, &s->params, &r->extent);
    r->pane.shown = true;
    if (rv_pane_part_update(&r->pane, &pane, &messages) != RV_OK) fail_msg("%s", messages.text);
    assert_int_equal(rv_renderer_draw(r, &s->params), RV_OK);
    assert_int_equal(rv_target_read_alpha(s->target, s->rgba), RV_OK);
}

// From the picture's middle, up is up.
static const uint8_t *at(const stage *s, double right, double up)
{
    int x = (int)(W / 2 + right), y = (int)(H / 2 - up);
    return s->rgba + 4 * (y * W + x);
}

static void test_flat_glass_shows_the_backdrop(void **state)
{
    stage *s = set_up(state, 0.2f);
    for (int y = 0; y < BH; y++)
        for (int x = 0; x < BW; x++) {
            float *p = s->backdrop + 3 * (y * BW + x);
            p[0] = x < BW / 2 ? 0.8f : 0.05f, p[1] = y < BH / 2 ? 0.8f : 0.05f, p[2] = 0.05f;
        }
    draw(s, true);
    for (int k = 0; k < 4; k++) {
        bool left = k & 1, top = k & 2;
        const uint8_t *p = at(s, left ? -60 : 60, top ? 40 : -40);
        assert_true(left ? p[0] > 180 : p[0] < 90);
        assert_true(top ? p[1] > 180 : p[1] < 90);
        assert_true(p[2] < 90);
        assert_int_equal(p[3], 255);
    }
    // It fills the picture: the four quarters meet in its middle.
    assert_true(at(s, -3, 3)[0] > 180 && at(s, 3, -3)[0] < 90);
}

static void test_drop_turns_the_world_upside_down(void **state)
{
    stage *s = set_up(state, 0);
    split_backdrop(s);
    add_cap(s, 0.7);
    draw(s, true);
    for (int n = 0; n < 3; n++) {
        double x = -8 + 8 * n;
        assert_true(at(s, x, 10)[1] < 70);   // over the drop's middle: the dark ground
        assert_true(at(s, x, -10)[1] > 200); // under it: the sky
    }
    assert_true(at(s, 0, RADIUS + 8)[1] > 200); // and the glass around it as it was
    assert_true(at(s, 0, -RADIUS - 8)[1] < 70);
}

// Steeper than 48.6° nothing comes through: a dark rim, here in front of a bright sky.
static void test_rim_is_dark(void **state)
{
    stage *s = set_up(state, 0.9f);
    add_cap(s, 1.35);
    draw(s, true);
    int middle = at(s, 3, 3)[1];
    assert_true(middle > 200);
    for (int n = 0; n < 16; n++) {
        double a = 0.3927 * n, r = RADIUS - 4;
        int rim = at(s, r * cos(a), r * sin(a))[1];
        // The room's lamp lights the lower side.
        assert_true(rim < (n <= 8 ? 0.5 : 0.8) * middle);
    }
    // Flatter drops have none.
    set_up(state, 0.9f);
    add_cap(s, 0.5);
    draw(s, true);
    for (int n = 0; n < 16; n++) {
        double a = 0.3927 * n, r = RADIUS - 4;
        assert_true(at(s, r * cos(a), r * sin(a))[1] > 180);
    }
}

static void test_alpha_is_the_cover(void **state)
{
    stage *s = set_up(state, 0.5f);
    s->params.view_alpha = true;
    add_cap(s, 0.9);
    draw(s, true);
    for (int y = -55; y <= 55; y += 5) {
        for (int x = -75; x <= 75; x += 5) {
            double d = hypot(x, y);
            if (d < RADIUS - 2) assert_int_equal(at(s, x, y)[3], 255);
            // A shadow reaches a few cells beyond the edge.
            if (d > RADIUS + 14) assert_int_equal(at(s, x, y)[3], 0);
        }
    }
    // The edge is smooth: some pixels are covered in part.
    int partly = 0;
    for (int n = 0; n < W * H; n++) partly += s->rgba[4 * n + 3] > 20 && s->rgba[4 * n + 3] < 235;
    assert_true(partly > 50);
}

static void test_mist_counts_with_fog(void **state)
{
    stage *s = set_up(state, 0.5f);
    s->params.view_alpha = true;
    for (int n = 0; n < NX * NY; n++) s->mist[n] = n % NX < NX / 2 ? 0.9f : 0.0f;
    draw(s, true);
    assert_int_equal(at(s, -40, 0)[3], 0); // none is asked for
    s->params.view_fog = 0.8;
    draw(s, true);
    assert_true(at(s, -40, 0)[3] > 100);
    assert_int_equal(at(s, 40, 0)[3], 0); // wiped
    for (int n = 0; n < NX * NY; n++) s->affinity[n] = n / NX < NY / 2 ? 0.0f : 0.5f;
    draw(s, true);
    assert_int_equal(at(s, -40, -30)[3], 0); // the pane repels it
    assert_true(at(s, -40, 30)[3] > 100);
}

static void test_normals(void **state)
{
    stage *s = set_up(state, 0.5f);
    s->params.view_mode = RV_VIEW_NORMALS;
    add_cap(s, 0.9);
    draw(s, true);
    const uint8_t *flat = at(s, 70, 50), *left = at(s, -25, 0), *top = at(s, 0, 25);
    assert_in_range(flat[0], 126, 129);
    assert_in_range(flat[1], 126, 129);
    assert_int_equal(flat[2], 255);
    assert_true(left[0] < 100 && abs(left[1] - 128) < 12);
    assert_true(top[1] > 155 && abs(top[0] - 128) < 12);
    // The slope of a cap r from its middle is r / sqrt(R² - r²).
    double r = 25, sphere = RADIUS / sin(0.9), sine = r / sphere;
    assert_true(fabs((top[1] / 255.0 * 2 - 1) - sine) < 0.05);
}

// How far the edge is from the drop's middle in a direction, pixels.
static double edge_at(const stage *s, double angle)
{
    double before = 255;
    for (double r = 0.5; r < H / 2 - 2; r += 0.25) {
        double x = W / 2 + r * cos(angle) - 0.5, y = H / 2 - r * sin(angle) - 0.5, now = 0;
        int i = (int)x, j = (int)y;
        for (int n = 0; n < 4; n++) {
            double wx = n % 2 ? x - i : i + 1 - x, wy = n / 2 ? y - j : j + 1 - y;
            now += wx * wy * s->rgba[4 * ((j + n / 2) * W + i + n % 2) + 3];
        }
        if (now < 128) return r - 0.25 * (128 - now) / (before - now);
        before = now;
    }
    return H / 2;
}

// A drop of a few cells, from so near that each is as wide as a tenth of the picture: its outline
// has no corners where cells end, that is nothing that comes back seven times or more around it.
static void test_small_drop_has_no_corners(void **state)
{
    enum { WAYS = 96 };
    for (int k = 0; k < 6; k++) {
        stage *s = set_up(state, 0.5f);
        s->params.view_mode = RV_VIEW_NORMALS, s->params.view_alpha = true;
        s->params.view_zoom = 11;
        add_cap_of(s, k % 2 ? 0.7 : 1.4, 2.2 + 0.27 * k, 0.13 * k, 0.31 * k - 0.5);
        draw(s, true);
        double edge[WAYS], mean = 0, sum = 0;
        for (int n = 0; n < WAYS; n++) mean += edge[n] = edge_at(s, 6.283185307 * n / WAYS);
        mean /= WAYS;
        double cells = mean / 11; // a cell is a pixel at zoom 1
        assert_true(fabs(cells - (2.2 + 0.27 * k)) < 0.45);
        for (int wave = 7; wave <= 24; wave++) {
            double c = 0, d = 0;
            for (int n = 0; n < WAYS; n++) {
                c += edge[n] * cos(6.283185307 * n * wave / WAYS);
                d += edge[n] * sin(6.283185307 * n * wave / WAYS);
            }
            sum += 2 * (c * c + d * d) / WAYS / WAYS;
        }
        print_message("drop %d: radius %.2f cells, corners %.4f of it\n", k, cells,
                      sqrt(sum) / mean);
        assert_true(sqrt(sum) < 0.012 * mean);
    }
}

static void test_depth_in_colours(void **state)
{
    stage *s = set_up(state, 0.5f);
    s->params.view_mode = RV_VIEW_DEPTH;
    add_cap(s, 0.9);
    draw(s, true);
    const uint8_t *middle = at(s, 0, 0), *rim = at(s, 0, 30), *dry = at(s, -70, 50);
    assert_true(memcmp(middle, rim, 3) != 0 && memcmp(rim, dry, 3) != 0);
}

// Noise as steep as can be: whatever cannot be computed would be black.
static void test_nothing_is_missing(void **state)
{
    stage *s = set_up(state, 0.9f);
    uint32_t h = 1;
    for (int n = 0; n < NX * NY; n++) {
        h = h * 1664525u + 1013904223u;
        s->height[n] = h >> 30 == 0 ? 0 : (float)(h >> 8) * (float)(40 * DX) / 16777216.0f;
        s->mist[n] = (float)(h & 255) / 255.0f;
    }
    s->params.view_fog = 1;
    for (int turn = 0; turn < 2; turn++) {
        s->params.view_azimuth = -1.5707963 + 0.3 * turn;
        s->params.view_elevation = 1.5707963 - 0.6 * turn;
        draw(s, true);
        for (int n = 0; n < W * H; n++)
            assert_true(s->rgba[4 * n] + s->rgba[4 * n + 1] + s->rgba[4 * n + 2] > 0);
    }
}

static void test_street(void **state)
{
    stage *s = set_up(state, 0);
    uint8_t first[W * H * 4];
    s->params.view_bokeh = 0.03;
    draw(s, false);
    memcpy(first, s->rgba, sizeof first);
    int dark = 0, bright = 0;
    for (int n = 0; n < W * H; n++) {
        int most = first[4 * n] > first[4 * n + 2] ? first[4 * n] : first[4 * n + 2];
        dark += most<100, bright += most> 200;
    }
    assert_true(dark > W * H / 5 && bright > W * H / 100); // a night with lights
    draw(s, false);
    assert_memory_equal(first, s->rgba, sizeof first);
    s->params.seed = 2;
    draw(s, false);
    assert_true(memcmp(first, s->rgba, sizeof first) != 0);
    s->params.seed = 1;
}

// A point of light becomes a disk of the radius that view.bokeh says, and its light stays.
static void test_bokeh_is_a_disk(void **state)
{
    stage *s = set_up(state, 0);
    rv_light_map in, out;
    (void)s;
    assert_true(rv_light_map_make(&in, 61, 51));
    memset(in.rgb, 0, sizeof(float) * 61 * 51 * 3);
    in.rgb[3 * (25 * 61 + 30)] = 1000;
    assert_true(rv_blur_lens(&in, 12, &out));
    double sum = 0;
    for (int y = 0; y < 51; y++) {
        for (int x = 0; x < 61; x++) {
            double d = hypot(x - 30, y - 25), v = (double)out.rgb[3 * (y * 61 + x)];
            sum += v;
            if (d < 9) assert_true(v > 1.2);
            if (d > 13) assert_true(v < 0.01);
        }
    }
    assert_true(fabs(sum - 1000) < 1);
    rv_light_map_free(&in);
    rv_light_map_free(&out);
}

static void test_world(void **state)
{
    stage *s = set_up(state, 0.5f);
    rv_world_def def = rv_default_world_def();
    def.params = s->params;
    def.params.solver = RV_SOLVER_GLASS, def.params.glass_drops = 40, def.params.time_step = 0.005;
    rv_world *world;
    rv_surface *surface;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_world_step(world, 0.005), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    if (rv_renderer_update(s->renderer, world, surface, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    rv_params params = *rv_world_params(world);
    params.view_alpha = true;
    assert_int_equal(rv_renderer_draw(s->renderer, &params), RV_OK);
    assert_int_equal(rv_target_read_alpha(s->target, s->rgba), RV_OK);
    int covered = 0;
    for (int n = 0; n < W * H; n++) covered += s->rgba[4 * n + 3] == 255;
    assert_true(covered > 100 && covered < W * H / 2);
    // The picture's corners look at the pane's: straight on it fills the picture.
    rv_ray ray = rv_renderer_ray(s->renderer, &params, 0, 0);
    double t = -ray.from.z / ray.toward.z;
    assert_true(fabs(ray.from.x + t * ray.toward.x + 0.5 * NX * DX) < 3 * DX);
    assert_true(fabs(ray.from.y + t * ray.toward.y - 0.5 * NY * DX) < 3 * DX);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// ---- Only what changed is sent ------------------------------------------------------------------

// A pane with all that can change it: rain, drops that run, mist, a wiper, evaporation.
static rv_world *stormy(const stage *s, int seed)
{
    rv_world_def def = rv_default_world_def();
    rv_params *p = &def.params;
    *p = s->params;
    p->solver = RV_SOLVER_GLASS, p->time_step = 0.005, p->seed = seed;
    p->glass_drops = 12, p->glass_rain = 3000, p->glass_mist = 0.7, p->glass_mist_return = 0.2;
    p->glass_wiper = true, p->glass_wiper_period = 0.4, p->glass_wiper_pause = 0.2;
    p->glass_wiper_length = 0.02, p->glass_wiper_y = -0.02, p->glass_evaporation = 1e-5;
    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static void change(rv_world *world, int n)
{
    const rv_vec3 low = {-0.02, -0.015, 0}, high = {0.02, 0.015, 0}, middle = {0.01, 0.01, 0};
    if (n % 7 == 3) rv_world_stir(world, low, high, 0.004, 0.005);
    if (n % 5 == 2) rv_world_pour(world, middle, 0, 2e-8);
    assert_int_equal(rv_world_step(world, 0.005), RV_OK);
}

// Cells of a map that differ from a copy though their tile says it did not change since.
static int untold(const rv_pane *p, const float *map, const int64_t *changes, int64_t since,
                  const float *copy)
{
    int count = 0, across = (p->nx + p->tile - 1) / p->tile;
    for (int y = 0; y < p->ny; y++)
        for (int x = 0; x < p->nx; x++)
            count += changes[y / p->tile * across + x / p->tile] <= since &&
                     memcmp(map + y * p->pitch + x, copy + y * NX + x, sizeof *map) != 0;
    return count;
}

static void copy_map(const rv_pane *p, const float *map, float *copy)
{
    for (int y = 0; y < p->ny; y++) memcpy(copy + y * NX, map + y * p->pitch, NX * sizeof *map);
}

static void test_pane_tells_what_changed(void **state)
{
    stage *s = set_up(state, 0.5f);
    rv_world *world = stormy(s, 1);
    rv_pane pane;
    int told = 0;
    assert_int_equal(rv_world_get_pane(world, &pane), RV_OK);
    int tiles = (NX + pane.tile - 1) / pane.tile * ((NY + pane.tile - 1) / pane.tile);
    for (int n = 0; n < 200; n++) {
        int64_t since = pane.changes;
        copy_map(&pane, pane.height, s->height);
        copy_map(&pane, pane.mist, s->mist);
        change(world, n);
        assert_int_equal(rv_world_get_pane(world, &pane), RV_OK);
        assert_int_equal(untold(&pane, pane.height, pane.height_changes, since, s->height), 0);
        assert_int_equal(untold(&pane, pane.mist, pane.mist_changes, since, s->mist), 0);
        for (int t = 0; t < tiles; t++) told += pane.height_changes[t] > since;
    }
    // Not simply all of them.
    assert_true(told > 0 && told < 200 * tiles * 9 / 10);
    rv_world_destroy(world);
}

// The picture by the renderer that follows from change to change is that of one that takes all.
static void compare(stage *s, rv_target *target, rv_renderer *whole, const rv_world *world,
                    uint8_t *rgba)
{
    rv_messages messages = {0};
    whole->pane.maps.made = 0; // so it knows nothing of what it has
    assert_int_equal(rv_renderer_update(s->renderer, world, NULL, &messages), RV_OK);
    assert_int_equal(rv_renderer_update(whole, world, NULL, &messages), RV_OK);
    assert_true(whole->pane.maps.uploaded == 3 * sizeof(float) * NX * NY);
    assert_true(s->renderer->pane.maps.thickest == whole->pane.maps.thickest);
    assert_int_equal(rv_renderer_draw(s->renderer, rv_world_params(world)), RV_OK);
    assert_int_equal(rv_target_read_alpha(s->target, s->rgba), RV_OK);
    assert_int_equal(rv_renderer_draw(whole, rv_world_params(world)), RV_OK);
    assert_int_equal(rv_target_read_alpha(target, rgba), RV_OK);
    assert_memory_equal(s->rgba, rgba, sizeof s->rgba);
}

static void test_parts_are_the_whole(void **state)
{
    static uint8_t rgba[W * H * 4];
    stage *s = set_up(state, 0.5f);
    rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
    rv_messages messages = {0};
    rv_target *target;
    rv_renderer *whole;
    assert_int_equal(rv_target_create(&def, &target, &messages), RV_OK);
    assert_int_equal(rv_renderer_create(target, NULL, &whole, &messages), RV_OK);
    assert_int_equal(rv_renderer_set_backdrop(s->renderer, NULL), RV_OK);
    rv_world *world = stormy(s, 1), *other = stormy(s, 2);
    size_t size = rv_world_snapshot_size(world);
    void *snapshot = malloc(size);
    assert_int_equal(rv_world_save(world, snapshot, size), RV_OK);
    uint64_t sent = 0;
    for (int n = 0; n < 24; n++) {
        for (int k = 0; k < 1 + n % 3; k++) change(world, n + k);
        compare(s, target, whole, world, rgba);
        if (n > 0) sent += s->renderer->pane.maps.uploaded;
    }
    assert_true(sent > 0 && sent < 23 * 2 * sizeof(float) * NX * NY * 9 / 10);
    // Nothing is sent again while nothing changed.
    compare(s, target, whole, world, rgba);
    assert_true(s->renderer->pane.maps.uploaded == 0);
    // Back to the beginning; another pane; this one again.
    assert_int_equal(rv_world_restore(world, snapshot, size, &messages), RV_OK);
    compare(s, target, whole, world, rgba);
    change(other, 2);
    compare(s, target, whole, other, rgba);
    change(world, 3);
    compare(s, target, whole, world, rgba);
    // One that stands where another stood.
    rv_world_destroy(other);
    other = stormy(s, 3);
    compare(s, target, whole, other, rgba);
    rv_world_destroy(other);
    other = stormy(s, 4);
    compare(s, target, whole, other, rgba);
    free(snapshot);
    rv_world_destroy(other);
    rv_world_destroy(world);
    rv_renderer_destroy(whole);
    rv_target_destroy(target);
}

static void test_bad_arguments(void **state)
{
    stage *s = *state;
    const rv_backdrop none = {0, 0, NULL};
    assert_int_equal(rv_renderer_set_backdrop(s->renderer, &none), RV_BAD_ARGUMENT);
    assert_int_equal(rv_renderer_set_backdrop(NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_target_read_alpha(s->target, NULL), RV_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_glass_shows_the_backdrop),
        cmocka_unit_test(test_drop_turns_the_world_upside_down),
        cmocka_unit_test(test_rim_is_dark),
        cmocka_unit_test(test_alpha_is_the_cover),
        cmocka_unit_test(test_mist_counts_with_fog),
        cmocka_unit_test(test_normals),
        cmocka_unit_test(test_small_drop_has_no_corners),
        cmocka_unit_test(test_depth_in_colours),
        cmocka_unit_test(test_nothing_is_missing),
        cmocka_unit_test(test_street),
        cmocka_unit_test(test_bokeh_is_a_disk),
        cmocka_unit_test(test_world),
        cmocka_unit_test(test_pane_tells_what_changed),
        cmocka_unit_test(test_parts_are_the_whole),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, open_stage, close_stage);
}
