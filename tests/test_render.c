// The renderer: pictures without a display, what they show, what is sent to the card, rays through
// pixels, and what happens without a driver.
#define _POSIX_C_SOURCE 200809L // fork, setenv

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_leaks.h"
#include "rivulet_gl/renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { W = 160, H = 120, N = 48 };

// ---- A bowl in a block, and what is needed to draw it -------------------------------------------

typedef struct stage {
    rv_world *world;
    rv_surface *surface;
    rv_target *target;
    rv_renderer *renderer;
    uint8_t *rgb;
} stage;

static rv_world *make_world_with(bool spray)
{
    rv_solid_def solids[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solids[0].shape = RV_SHAPE_PLANE, solids[0].at = (rv_vec3){0, 0, 0.012};
    solids[1].shape = RV_SHAPE_SPHERE, solids[1].op = RV_SUBTRACT;
    solids[1].at = (rv_vec3){0, 0, 0.016}, solids[1].radius = 0.012;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N;
    def.params.grid_top = 0.03;
    def.params.view_material = RV_MATERIAL_CERAMIC;
    def.params.liquid_look = RV_LOOK_BLOOD;
    def.params.spray_on = spray;
    def.solids = solids, def.solid_count = 2;
    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static rv_world *make_world(void)
{
    return make_world_with(false);
}

static void make_renderer(rv_target_kind kind, rv_target **target, rv_renderer **renderer)
{
    rv_target_def def = {.kind = kind, .width = W, .height = H};
    rv_messages messages = {0};
    if (rv_target_create(&def, target, &messages) != RV_OK ||
        rv_renderer_create(*target, NULL, renderer, &messages) != RV_OK)
        fail_msg("%s", messages.text);
}

// One renderer for all tests without a display, which compiles its programs once; each has a world
// of its own.
typedef struct shared {
    rv_target *target;
    rv_renderer *renderer;
} shared;

static stage set_up(void **state)
{
    shared *one = *state;
    if (!one->target) make_renderer(RV_TARGET_HEADLESS, &one->target, &one->renderer);
    stage s = {.world = make_world(), .target = one->target, .renderer = one->renderer};
    s.rgb = malloc((size_t)2 * W * 2 * H * 3);
    assert_non_null(s.rgb);
    assert_int_equal(rv_surface_create(s.world, &s.surface), RV_OK);
    return s;
}

static void take_down(stage *s)
{
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    free(s->rgb);
}

static rv_renderer_stats update(stage *s)
{
    rv_messages messages = {0};
    rv_renderer_stats stats;
    assert_int_equal(rv_surface_update(s->surface, s->world), RV_OK);
    if (rv_renderer_update(s->renderer, s->world, s->surface, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    assert_int_equal(rv_renderer_get_stats(s->renderer, &stats), RV_OK);
    return stats;
}

static void draw_with(stage *s, const rv_params *params)
{
    assert_int_equal(rv_renderer_draw(s->renderer, params), RV_OK);
    assert_int_equal(rv_target_read(s->target, s->rgb), RV_OK);
}

static void draw(stage *s)
{
    draw_with(s, rv_world_params(s->world));
}

static void fill(stage *s)
{
    // little by little: at once it would run up the bowl and over its rim
    for (int n = 0; n < 200; n++) {
        if (n < 100) assert_true(rv_world_pour(s->world, (rv_vec3){0, 0, 0.029}, 0.004, 1e-8) > 0);
        assert_int_equal(rv_world_step(s->world, 0.01), RV_OK);
    }
}

static const uint8_t *pixel(const stage *s, int x, int y)
{
    return s->rgb + 3 * (y * W + x);
}

static bool red(const uint8_t *c)
{
    return c[0] > 40 && 2 * c[0] > 3 * c[1] && 2 * c[0] > 3 * c[2];
}

static int count_red(const stage *s)
{
    int count = 0;
    for (int n = 0; n < W * H; n++) count += red(s->rgb + 3 * n);
    return count;
}

// Two spills on the block's top: what one of them does is all that is sent, and the picture is that
// of a surface that was sent whole.
static void test_only_changes_are_sent(void **state)
{
    stage s = set_up(state);
    const rv_vec3 one = {-0.019, -0.019, 0.02}, other = {0.019, 0.019, 0.02};
    update(&s); // the terrain
    rv_world_pour(s.world, one, 0.003, 3e-8);
    rv_world_pour(s.world, other, 0.003, 3e-8);
    int64_t all = (int64_t)update(&s).uploaded;
    assert_true(all > 0);
    assert_int_equal(update(&s).uploaded, 0);
    for (int n = 0; n < 3; n++) {
        rv_world_pour(s.world, n == 1 ? one : other, 0.003, 1e-8);
        int64_t some = (int64_t)update(&s).uploaded;
        assert_true(some > 0);
        if (n == 0) assert_true(some < all * 3 / 4); // those of the second stand last
    }
    draw(&s);
    static uint8_t parts[3 * W * H];
    memcpy(parts, s.rgb, sizeof parts);
    rv_surface_destroy(s.surface);
    assert_int_equal(rv_surface_create(s.world, &s.surface), RV_OK);
    update(&s);
    draw(&s);
    assert_memory_equal(parts, s.rgb, sizeof parts);
    take_down(&s);
}

// ---- Pictures -----------------------------------------------------------------------------------

static void test_picture_is_not_empty(void **state)
{
    stage s = set_up(state);
    update(&s);
    draw(&s);
    // The block's top in the middle is bright ceramic, the corners are the darker backdrop.
    assert_true(pixel(&s, W / 2, H / 2)[0] > pixel(&s, 2, 2)[0] + 30);
    assert_true(pixel(&s, 2, 2)[0] > 20);
    int shades[256] = {0}, different = 0;
    for (int n = 0; n < W * H; n++) different += shades[s.rgb[3 * n]]++ == 0;
    assert_true(different > 60);
    assert_int_equal(count_red(&s), 0);
    assert_true(strlen(rv_target_driver(s.target)) > 4);
    assert_null(rv_target_window(s.target));
    take_down(&s);
}

static void test_liquid_is_seen(void **state)
{
    stage s = set_up(state);
    assert_int_equal(update(&s).liquid_triangles, 0);
    draw(&s);
    assert_int_equal(count_red(&s), 0);
    fill(&s);
    assert_true(update(&s).liquid_triangles > 100);
    draw(&s);
    // The pool is a third of the block's width across.
    assert_true(count_red(&s) > 300);
    // Where a ray meets the liquid it is red, where it meets the rim far from it, it is not.
    rv_vec3 dry = {0.02, 0.02, 0.012};
    int wet = 0, wet_red = 0, dry_red = 0;
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            rv_ray ray = rv_renderer_ray(s.renderer, rv_world_params(s.world), x + 0.5, y + 0.5);
            rv_hit hit;
            rv_world_cast(s.world, &ray, 1, &hit);
            bool inside = hit.liquid && hit.liquid_distance < hit.terrain_distance;
            if (inside && hit.liquid_depth > 2e-3) wet++, wet_red += red(pixel(&s, x, y));
            if (hit.terrain && fabs(hit.terrain_point.x) > dry.x) dry_red += red(pixel(&s, x, y));
        }
    }
    assert_true(wet > 100);
    assert_true(wet_red > 0.9 * wet); // the rest is the lamp, mirrored
    assert_int_equal(dry_red, 0);
    take_down(&s);
}

static void test_same_again(void **state)
{
    stage s = set_up(state);
    fill(&s);
    update(&s);
    draw(&s);
    uint8_t *first = malloc(W * H * 3);
    assert_non_null(first);
    memcpy(first, s.rgb, W * H * 3);
    // The second frame keeps the solids of the first; going elsewhere and back makes them anew.
    draw(&s);
    assert_memory_equal(first, s.rgb, W * H * 3);
    rv_params params = *rv_world_params(s.world);
    params.view_azimuth += 1;
    draw_with(&s, &params);
    assert_memory_not_equal(first, s.rgb, W * H * 3);
    draw(&s);
    assert_memory_equal(first, s.rgb, W * H * 3);
    free(first);
    take_down(&s);
}

static double mean_of(const stage *s)
{
    double sum = 0;
    for (int n = 0; n < W * H * 3; n++) sum += s->rgb[n];
    return sum / (W * H * 3);
}

static void test_settings_count(void **state)
{
    stage s = set_up(state);
    fill(&s);
    update(&s);
    rv_params params = *rv_world_params(s.world);
    draw_with(&s, &params);
    double plain = mean_of(&s);
    params.view_exposure = 0.5;
    draw_with(&s, &params);
    assert_true(mean_of(&s) < 0.9 * plain);
    params.view_exposure = 1, params.liquid_look = RV_LOOK_MILK;
    draw_with(&s, &params);
    assert_int_equal(count_red(&s), 0);
    params.view_material = RV_MATERIAL_TISSUE, params.view_samples = 1;
    draw_with(&s, &params);
    assert_true(count_red(&s) > 1000); // of the 19200; the block fills about half
    take_down(&s);
}

static void test_every_view(void **state)
{
    stage s = set_up(state);
    fill(&s);
    rv_params params = *rv_world_params(s.world);
    uint8_t *shaded = malloc(W * H * 3);
    assert_non_null(shaded);
    for (int mode = RV_VIEW_SHADED; mode <= RV_VIEW_BOUNDARY; mode++) {
        params.view_mode = (rv_view_mode)mode;
        update(&s);
        draw_with(&s, &params); // what it needs of the columns is taken at the next update
        update(&s);
        draw_with(&s, &params);
        if (mode == RV_VIEW_SHADED) memcpy(shaded, s.rgb, W * H * 3);
        int other = 0;
        for (int n = 0; n < W * H * 3; n++) other += abs(s.rgb[n] - shaded[n]) > 12;
        assert_true(mode == RV_VIEW_SHADED || other > 500);
    }
    free(shaded);
    take_down(&s);
}

static void test_mark_is_seen(void **state)
{
    stage s = set_up(state);
    update(&s);
    rv_mark mark = {.shown = true,
                    .at = {0, 0, 0.0125},
                    .normal = {0, 0, 1},
                    .radius = 0.016,
                    .rgb = {1, 0, 0}};
    draw(&s);
    assert_int_equal(count_red(&s), 0);
    rv_renderer_set_mark(s.renderer, &mark);
    draw(&s);
    assert_true(count_red(&s) > 50);
    rv_renderer_set_mark(s.renderer, NULL);
    draw(&s);
    assert_int_equal(count_red(&s), 0);
    take_down(&s);
}

// ---- Bodies -------------------------------------------------------------------------------------

static int add_ball(stage *s, rv_vec3 at, double radius, rv_body_shape shape)
{
    rv_body_def def = rv_default_body_def();
    rv_messages messages = {0};
    int body = -1;
    def.at = at, def.radius = radius, def.shape = shape, def.motion = RV_BODY_HELD;
    def.size = (rv_vec3){2 * radius, 2 * radius, 2 * radius};
    if (rv_world_add_body(s->world, &def, &body, &messages) != RV_OK) fail_msg("%s", messages.text);
    return body;
}

// The pixels that differ clearly from a picture, and the middle of these.
static int differing(const stage *s, const uint8_t *from, double *x, double *y)
{
    int count = 0;
    *x = *y = 0;
    for (int n = 0; n < W * H; n++) {
        int most = 0;
        for (int k = 0; k < 3; k++) {
            int by = abs(s->rgb[3 * n + k] - from[3 * n + k]);
            most = by > most ? by : most;
        }
        if (most > 12) *x += n % W + 0.5, *y += n / W + 0.5, count++;
    }
    if (count > 0) *x /= count, *y /= count;
    return count;
}

// A body is seen where the camera's rays say, its shadow beside it; where it is not any more the
// picture is as it was, bit for bit, although only a part of it was drawn anew.
static void test_bodies_are_seen(void **state)
{
    stage s = set_up(state);
    uint8_t *bare = malloc(W * H * 3);
    assert_non_null(bare);
    update(&s);
    draw(&s);
    memcpy(bare, s.rgb, W * H * 3);
    for (int shape = RV_BODY_SPHERE; shape <= RV_BODY_BOX; shape++) {
        const rv_vec3 at = {0.013, 0.013, 0.016};
        int body = add_ball(&s, at, 0.004, (rv_body_shape)shape);
        assert_true(update(&s).uploaded > 0);
        draw(&s);
        double x, y;
        int count = differing(&s, bare, &x, &y);
        assert_true(count > 60 && count < W * H / 6);
        // The shadow draws the middle away from the body, but not far.
        rv_ray ray = rv_renderer_ray(s.renderer, rv_world_params(s.world), x, y);
        double t = (at.z - ray.from.z) / ray.toward.z;
        double off =
            hypot(ray.from.x + t * ray.toward.x - at.x, ray.from.y + t * ray.toward.y - at.y);
        assert_true(off < 0.008);
        // Nothing moves: nothing is sent. A body that moves is seen elsewhere.
        assert_int_equal(update(&s).uploaded, 0);
        rv_body_state moved;
        assert_int_equal(rv_world_get_body(s.world, body, NULL, &moved), RV_OK);
        moved.at.x = -0.013;
        assert_int_equal(rv_world_set_body(s.world, body, &moved), RV_OK);
        update(&s);
        draw(&s);
        double other_x, other_y;
        assert_true(differing(&s, bare, &other_x, &other_y) > 60);
        assert_true(hypot(other_x - x, other_y - y) > 20);
        assert_int_equal(rv_world_remove_body(s.world, body), RV_OK);
        update(&s);
        draw(&s);
        assert_memory_equal(bare, s.rgb, W * H * 3);
    }
    free(bare);
    take_down(&s);
}

// The part that was drawn anew fits into the rest: as if all were drawn at once.
static void test_moved_body_leaves_nothing(void **state)
{
    stage s = set_up(state);
    uint8_t *part = malloc(W * H * 3);
    assert_non_null(part);
    int body = add_ball(&s, (rv_vec3){-0.014, 0.01, 0.02}, 0.004, RV_BODY_SPHERE);
    fill(&s);
    update(&s);
    draw(&s);
    rv_body_state moved;
    assert_int_equal(rv_world_get_body(s.world, body, NULL, &moved), RV_OK);
    moved.at = (rv_vec3){0.008, -0.006, 0.013};
    assert_int_equal(rv_world_set_body(s.world, body, &moved), RV_OK);
    update(&s);
    draw(&s);
    memcpy(part, s.rgb, W * H * 3);
    rv_params params = *rv_world_params(s.world);
    params.view_azimuth += 1;
    draw_with(&s, &params);
    draw(&s);
    assert_memory_equal(part, s.rgb, W * H * 3);
    free(part);
    take_down(&s);
}

// Under liquid that lets nothing through a body is not seen, under clear liquid it is.
static void test_body_under_liquid(void **state)
{
    stage s = set_up(state);
    uint8_t *without = malloc(W * H * 3);
    assert_non_null(without);
    fill(&s);
    rv_params clear = *rv_world_params(s.world), thick = clear;
    clear.liquid_look = RV_LOOK_WATER, clear.view_opaque = 0.1;
    thick.liquid_look = RV_LOOK_MILK, thick.view_opaque = 1e-4;
    int seen[2];
    for (int n = 0; n < 2; n++) {
        double x, y;
        update(&s);
        draw_with(&s, n ? &thick : &clear);
        memcpy(without, s.rgb, W * H * 3);
        int body = add_ball(&s, (rv_vec3){0, 0, 0.0055}, 0.0012, RV_BODY_SPHERE);
        update(&s);
        draw_with(&s, n ? &thick : &clear);
        seen[n] = differing(&s, without, &x, &y);
        rv_world_remove_body(s.world, body);
    }
    assert_true(seen[0] > 10);
    assert_true(seen[1] < seen[0] / 4);
    free(without);
    take_down(&s);
}

// ---- What is sent -------------------------------------------------------------------------------

static void test_uploads_only_changes(void **state)
{
    stage s = set_up(state);
    // The shared renderer knows this terrain already.
    make_renderer(RV_TARGET_HEADLESS, &s.target, &s.renderer);
    rv_renderer_stats stats = update(&s);
    assert_int_equal(stats.tiles, 4); // 48 cells are two tiles of 32 each way
    assert_true(stats.uploaded > 10000 && stats.terrain_triangles > 4000);
    stats = update(&s);
    assert_int_equal(stats.tiles, 0);
    assert_int_equal(stats.uploaded, 0); // no liquid either
    draw(&s);
    rv_solid_def tool = rv_default_solid_def();
    tool.shape = RV_SHAPE_SPHERE, tool.radius = 0.003;
    rv_vec3 at = {-0.017, -0.017, 0.012};
    rv_event_def edit = rv_default_event_def();
    edit.kind = RV_EVENT_CARVE, edit.tool = &tool, edit.tool_count = 1, edit.path = &at,
    edit.path_count = 1;
    assert_int_equal(rv_world_edit(s.world, &edit, NULL, NULL), RV_OK);
    stats = update(&s);
    assert_int_equal(stats.tiles, 1); // it lies in one corner
    uint8_t *before = malloc(W * H * 3);
    assert_non_null(before);
    memcpy(before, s.rgb, W * H * 3);
    draw(&s);
    assert_memory_not_equal(before, s.rgb, W * H * 3);
    free(before);
    rv_renderer_destroy(s.renderer);
    rv_target_destroy(s.target);
    take_down(&s);
}

// Another world may have the memory of one that is gone.
static void test_another_world(void **state)
{
    stage s = set_up(state);
    update(&s);
    rv_surface_destroy(s.surface);
    rv_world_destroy(s.world);
    float heights[N * N];
    for (int n = 0; n < N * N; n++) heights[n] = 0.002f + 0.001f * (float)(n % N) / N;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_top = 0.03;
    def.heights = heights;
    assert_int_equal(rv_world_create(&def, &s.world, NULL), RV_OK);
    assert_int_equal(rv_surface_create(s.world, &s.surface), RV_OK);
    assert_int_equal(update(&s).tiles, 4);
    draw(&s);
    take_down(&s);
}

// Memory that is given out from the beginning again, so that a world stands where one stood before.
typedef struct shelf {
    unsigned char *memory;
    size_t size, used;
} shelf;

static void *take_from(size_t bytes, void *user)
{
    shelf *s = user;
    size_t from = (s->used + 63) / 64 * 64;
    if (bytes > s->size - from) return NULL;
    s->used = from + bytes;
    return s->memory + from;
}

static void give_to(void *memory, size_t bytes, void *user)
{
    (void)memory, (void)bytes, (void)user;
}

static void stand_on(stage *s, shelf *on, double azimuth)
{
    float heights[N * N];
    for (int n = 0; n < N * N; n++) heights[n] = n / N == N / 2 ? 0.012f : 0.002f;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_top = 0.03;
    def.params.view_azimuth = azimuth;
    def.heights = heights, on->used = 0;
    def.allocator = (rv_allocator){take_from, give_to, on};
    rv_surface_destroy(s->surface);
    assert_int_equal(rv_world_create(&def, &s->world, NULL), RV_OK);
    assert_int_equal(rv_surface_create(s->world, &s->surface), RV_OK);
    update(s);
}

// The studio turns with a world's own camera; another with the same ground is lit for its own.
static void test_where_another_stood(void **state)
{
    static uint8_t first[W * H * 3];
    stage s = set_up(state);
    rv_world *other = s.world, *before;
    shelf on = {.size = (size_t)64 << 20};
    on.memory = malloc(on.size);
    assert_non_null(on.memory);
    stand_on(&s, &on, 0.3);
    before = s.world;
    draw(&s);
    rv_world_destroy(s.world);
    stand_on(&s, &on, 2.3);
    assert_ptr_equal(s.world, before);
    draw(&s);
    memcpy(first, s.rgb, sizeof first);
    // taken over anew, since another came between
    rv_world *own = s.world;
    rv_surface *surface = s.surface;
    s.world = other;
    assert_int_equal(rv_surface_create(other, &s.surface), RV_OK);
    update(&s);
    rv_surface_destroy(s.surface);
    s.world = own, s.surface = surface;
    update(&s);
    draw(&s);
    assert_memory_equal(s.rgb, first, sizeof first);
    rv_world_destroy(other);
    take_down(&s);
    free(on.memory);
}

// ---- The camera ---------------------------------------------------------------------------------

// A carved pit is darker than what is around it: the ray through its darkest pixels meets it.
static void test_ray_meets_what_is_drawn(void **state)
{
    stage s = set_up(state);
    update(&s);
    rv_mark mark = {
        .shown = true, .at = {0.015, -0.012, 0.012}, .normal = {0, 0, 1}, .radius = 6e-4};
    mark.rgb[0] = 1;
    rv_renderer_set_mark(s.renderer, &mark);
    for (int turn = 0; turn < 4; turn++) {
        rv_params params = *rv_world_params(s.world);
        params.view_azimuth += 1.3 * turn, params.view_zoom = 1 + 0.2 * turn;
        params.view_x = 0.001 * turn;
        draw_with(&s, &params);
        double x = 0, y = 0;
        int count = 0;
        for (int n = 0; n < W * H; n++)
            if (red(s.rgb + 3 * n)) x += n % W + 0.5, y += n / W + 0.5, count++;
        assert_true(count > 3);
        rv_ray ray = rv_renderer_ray(s.renderer, &params, x / count, y / count);
        rv_hit hit;
        rv_world_cast(s.world, &ray, 1, &hit);
        assert_true(hit.terrain);
        double off = hypot(hit.terrain_point.x - mark.at.x, hit.terrain_point.y - mark.at.y);
        assert_true(off < 2 * rv_renderer_pixel(s.renderer, &params));
    }
    take_down(&s);
}

static void test_resize(void **state)
{
    stage s = set_up(state);
    update(&s);
    draw(&s);
    double small = rv_renderer_pixel(s.renderer, rv_world_params(s.world));
    assert_int_equal(rv_target_resize(s.target, 2 * W, 2 * H), RV_OK);
    int width, height;
    rv_target_get_size(s.target, &width, &height);
    assert_int_equal(width, 2 * W);
    draw(&s);
    double large = rv_renderer_pixel(s.renderer, rv_world_params(s.world));
    assert_true(fabs(small - 2 * large) < 1e-3 * small);
    // The block fills the larger picture as it did the smaller one.
    const uint8_t *middle = s.rgb + 3 * (H * 2 * W + W), *corner = s.rgb + 3 * (4 * 2 * W + 4);
    assert_true(middle[0] > corner[0] + 30);
    assert_int_equal(rv_target_resize(s.target, 0, H), RV_BAD_ARGUMENT);
    assert_int_equal(rv_target_resize(s.target, W, 1000000), RV_BAD_ARGUMENT);
    assert_int_equal(rv_target_resize(s.target, W, H), RV_OK);
    take_down(&s);
}

// ---- Surroundings -------------------------------------------------------------------------------

static void test_environment(void **state)
{
    stage s = set_up(state);
    update(&s);
    // A green room is seen in the block's light, and then the studio again.
    static float rgb[32 * 16 * 3];
    for (int n = 0; n < 32 * 16; n++) rgb[3 * n] = 0.1f, rgb[3 * n + 1] = 1, rgb[3 * n + 2] = 0.1f;
    rv_environment green = {32, 16, rgb};
    assert_int_equal(rv_renderer_set_environment(s.renderer, &green), RV_OK);
    draw(&s);
    const uint8_t *c = pixel(&s, W / 2, H / 4);
    assert_true(c[1] > c[0] + 30 && c[1] > c[2] + 30);
    assert_int_equal(rv_renderer_set_environment(s.renderer, NULL), RV_OK);
    draw(&s);
    assert_true(abs(c[1] - c[0]) < 20);
    rv_environment none = {0, 0, NULL};
    assert_int_equal(rv_renderer_set_environment(s.renderer, &none), RV_BAD_ARGUMENT);
    take_down(&s);
}

// The lamp stands at the left: a heap of liquid throws its shadow to the right, onto dry ground,
// and leaves the ground on the other side as it was.
static void test_liquid_throws_a_shadow(void **state)
{
    stage s = set_up(state);
    assert_true(rv_world_pour(s.world, (rv_vec3){-0.016, -0.017, 0.029}, 0.004, 6e-7) > 0);
    update(&s);
    rv_params params = *rv_world_params(s.world);
    params.view_azimuth = -1.5708, params.view_elevation = 1.2;
    params.view_caustics = false;
    draw_with(&s, &params);
    uint8_t *bare = malloc((size_t)W * H * 3);
    assert_non_null(bare);
    memcpy(bare, s.rgb, (size_t)W * H * 3);
    params.view_caustics = true;
    draw_with(&s, &params);
    int low = W, high = 0, beyond = 0, before = 0;
    for (int n = 0; n < W * H; n++)
        if (red(bare + 3 * n)) low = n % W < low ? n % W : low, high = n % W > high ? n % W : high;
    assert_true(low < high);
    for (int n = 0; n < W * H; n++) {
        bool darker = bare[3 * n + 1] - s.rgb[3 * n + 1] > 12;
        beyond += darker && n % W > high + 1, before += darker && n % W < low - 1;
    }
    assert_true(beyond > 30);
    assert_true(before < beyond / 10);
    // Without liquid in the light everything is as it was.
    params.view_caustics = false;
    draw_with(&s, &params);
    assert_memory_equal(s.rgb, bare, (size_t)W * H * 3);
    free(bare);
    take_down(&s);
}

static void colour_of(const stage *s, double mean[3])
{
    mean[0] = mean[1] = mean[2] = 0;
    for (int n = 0; n < W * H * 3; n++) mean[n % 3] += s->rgb[n] / (double)(W * H);
}

static void test_studios(void **state)
{
    stage s = set_up(state);
    update(&s);
    rv_params params = *rv_world_params(s.world);
    double plain[3], neutral[3], warm[3], again[3];
    draw_with(&s, &params);
    colour_of(&s, plain);
    params.view_studio = RV_STUDIO_NEUTRAL;
    draw_with(&s, &params);
    colour_of(&s, neutral);
    params.view_studio = RV_STUDIO_WARM;
    draw_with(&s, &params);
    colour_of(&s, warm);
    assert_true(warm[0] - warm[2] > plain[0] - plain[2] + 15);
    assert_true(fabs(neutral[0] - plain[0]) + fabs(neutral[2] - plain[2]) > 2);
    // A picture of one's own is not touched by it.
    static float rgb[32 * 16 * 3];
    for (int n = 0; n < 32 * 16 * 3; n++) rgb[n] = 0.5f;
    rv_environment grey = {32, 16, rgb};
    assert_int_equal(rv_renderer_set_environment(s.renderer, &grey), RV_OK);
    draw_with(&s, &params);
    colour_of(&s, again);
    assert_true(again[0] - again[2] < warm[0] - warm[2] - 10);
    assert_int_equal(rv_renderer_set_environment(s.renderer, NULL), RV_OK);
    params.view_studio = RV_STUDIO_PLAIN;
    draw_with(&s, &params);
    colour_of(&s, again);
    assert_true(fabs(again[0] - plain[0]) < 0.01 && fabs(again[2] - plain[2]) < 0.01);
    take_down(&s);
}

// Through the edge of the lens what is in focus stays where it is, what is nearer or farther moves.
static void test_lens(void **state)
{
    stage s = set_up(state);
    update(&s);
    rv_params params = *rv_world_params(s.world);
    draw_with(&s, &params);
    uint8_t *middle = malloc((size_t)W * H * 3);
    assert_non_null(middle);
    memcpy(middle, s.rgb, (size_t)W * H * 3);
    // Without a lens there is no edge of it.
    assert_int_equal(rv_renderer_draw_through(s.renderer, &params, 1, 0), RV_OK);
    assert_int_equal(rv_target_read(s.target, s.rgb), RV_OK);
    assert_memory_equal(s.rgb, middle, (size_t)W * H * 3);
    double moved[2];
    for (int k = 0; k < 2; k++) {
        params.view_aperture = 0.004, params.view_focus = k == 0 ? 0 : 10;
        assert_int_equal(rv_renderer_draw_through(s.renderer, &params, 1, 0), RV_OK);
        assert_int_equal(rv_target_read(s.target, s.rgb), RV_OK);
        moved[k] = 0;
        for (int n = 0; n < W * H * 3; n++) moved[k] += abs(s.rgb[n] - middle[n]);
    }
    assert_true(moved[0] > 0);
    assert_true(moved[1] > 3 * moved[0]); // focused far behind the block, all of it moves
    assert_int_equal(rv_renderer_draw_through(s.renderer, &params, NAN, 0), RV_BAD_ARGUMENT);
    assert_int_equal(rv_renderer_draw_through(NULL, &params, 0, 0), RV_BAD_ARGUMENT);
    free(middle);
    take_down(&s);
}

// A droplet that hangs in the air is one ball; a fast one is drawn in pieces.
static void test_fast_droplets_break(void **state)
{
    shared *one = *state;
    if (!one->target) make_renderer(RV_TARGET_HEADLESS, &one->target, &one->renderer);
    size_t bytes[3];
    for (int k = 0; k < 3; k++) {
        stage s = {
            .world = make_world_with(true), .target = one->target, .renderer = one->renderer};
        assert_int_equal(rv_surface_create(s.world, &s.surface), RV_OK);
        if (k > 0)
            assert_true(rv_world_throw(s.world, (rv_vec3){0, 0, 0.028},
                                       (rv_vec3){k == 1 ? 0 : 4, 0, 0}, 3e-8) > 0);
        update(&s);
        bytes[k] = update(&s).uploaded; // of what is in the air, in each frame
        rv_surface_destroy(s.surface);
        rv_world_destroy(s.world);
    }
    assert_int_equal(bytes[0], 0);
    assert_int_equal(bytes[1], 32);
    assert_true(bytes[2] >= 3 * bytes[1]);
}

// ---- Without a driver ---------------------------------------------------------------------------

static void test_none(void **state)
{
    stage s = {.world = make_world(), .rgb = malloc(W * H * 3)};
    (void)state;
    make_renderer(RV_TARGET_NONE, &s.target, &s.renderer);
    assert_non_null(s.rgb);
    assert_int_equal(rv_surface_create(s.world, &s.surface), RV_OK);
    assert_string_equal(rv_target_driver(s.target), "none");
    fill(&s);
    rv_renderer_stats stats = update(&s);
    assert_true(stats.liquid_triangles > 100);
    assert_int_equal(stats.uploaded, 0);
    assert_true(stats.ms < 0);
    draw(&s);
    for (int n = 0; n < W * H * 3; n++) assert_int_equal(s.rgb[n], 0);
    // The camera works all the same.
    rv_ray ray = rv_renderer_ray(s.renderer, rv_world_params(s.world), W / 2.0, H / 2.0);
    rv_hit hit;
    rv_world_cast(s.world, &ray, 1, &hit);
    assert_true(hit.terrain);
    rv_target_present(s.target);
    rv_renderer_destroy(s.renderer);
    rv_target_destroy(s.target);
    take_down(&s);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    rv_messages messages = {0};
    rv_target *target;
    rv_target_def def = {.kind = RV_TARGET_NONE, .width = 0, .height = 5};
    assert_int_equal(rv_target_create(&def, &target, &messages), RV_BAD_ARGUMENT);
    assert_int_equal(messages.count, 1);
    assert_null(target);
    rv_renderer *renderer;
    assert_int_equal(rv_renderer_create(NULL, NULL, &renderer, &messages), RV_BAD_ARGUMENT);
    assert_int_equal(rv_renderer_draw(NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_renderer_update(NULL, NULL, NULL, NULL), RV_BAD_ARGUMENT);
    rv_renderer_destroy(NULL);
    rv_target_destroy(NULL);
    // Nothing was taken over yet: there is nothing to draw.
    def = (rv_target_def){.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
    assert_int_equal(rv_target_create(&def, &target, &messages), RV_OK);
    assert_int_equal(rv_renderer_create(target, NULL, &renderer, &messages), RV_OK);
    rv_params params = rv_default_params();
    assert_int_equal(rv_renderer_draw(renderer, &params), RV_BAD_ARGUMENT);
    rv_renderer_destroy(renderer);
    rv_target_destroy(target);
}

// In a process of its own, because a library that found its driver keeps it.
static void test_no_driver(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere/driver.json", 1);
        rv_messages messages = {0};
        rv_target *target = NULL;
        rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
        rv_result result = rv_target_create(&def, &target, &messages);
        bool good = result == RV_BAD_ARGUMENT && !target && messages.count == 1 &&
                    strstr(messages.text, "headless: EGL has no device");
        _exit(good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int open_shared(void **state)
{
    static shared one;
    *state = &one;
    return 0;
}

static int close_shared(void **state)
{
    shared *one = *state;
    rv_renderer_destroy(one->renderer);
    rv_target_destroy(one->target);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_driver), // before this process has a driver
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_bad_arguments),
        // The lamp turns with the camera of the world that was taken over: before others turn it.
        cmocka_unit_test(test_liquid_throws_a_shadow),
        cmocka_unit_test(test_picture_is_not_empty),
        cmocka_unit_test(test_liquid_is_seen),
        cmocka_unit_test(test_only_changes_are_sent),
        cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_settings_count),
        cmocka_unit_test(test_every_view),
        cmocka_unit_test(test_mark_is_seen),
        cmocka_unit_test(test_bodies_are_seen),
        cmocka_unit_test(test_moved_body_leaves_nothing),
        cmocka_unit_test(test_body_under_liquid),
        cmocka_unit_test(test_uploads_only_changes),
        cmocka_unit_test(test_another_world),
        cmocka_unit_test(test_where_another_stood),
        cmocka_unit_test(test_ray_meets_what_is_drawn),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_studios),
        cmocka_unit_test(test_lens),
        cmocka_unit_test(test_fast_droplets_break),
    };
    return cmocka_run_group_tests(tests, open_shared, close_shared);
}
