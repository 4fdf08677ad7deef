// Golden pictures: a small render of every shipped scene beside the one kept in tests/golden/,
// within what an eye would let pass; and some from close by, of what was once wrong there. `make
// golden` draws them anew; look at them before they are committed. `test_golden SCENE ...` looks at
// these alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_leaks.h"
#include "io/image.h"
#include "io/scene_file.h"
#include "rivulet_gl/renderer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A library in one header, written for other warnings than ours.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#define STBI_ONLY_PNG
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

enum { W = 192, H = 144, FRAMES = 100 };
// Differences of OKLab, in which 0.02 is just seen, of pictures blurred by a pixel: drivers differ
// in where an edge falls within a pixel, and in the last bit everywhere.
#define MEAN_MOST 0.006
#define SEEN 0.08
#define SEEN_SHARE 0.005

typedef struct lab {
    float l, a, b;
} lab;

static float linear(uint8_t c)
{
    float v = (float)c / 255.0f;
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static lab lab_of(const float rgb[3])
{
    float l = cbrtf(0.4122215f * rgb[0] + 0.5363325f * rgb[1] + 0.0514460f * rgb[2]);
    float m = cbrtf(0.2119035f * rgb[0] + 0.6806996f * rgb[1] + 0.1073970f * rgb[2]);
    float s = cbrtf(0.0883025f * rgb[0] + 0.2817188f * rgb[1] + 0.6299788f * rgb[2]);
    return (lab){0.2104543f * l + 0.7936178f * m - 0.0040720f * s,
                 1.9779985f * l - 2.4285922f * m + 0.4505937f * s,
                 0.0259040f * l + 0.7827718f * m - 0.8086758f * s};
}

// A pixel as an eye at some distance has it: the mean of the nine around it, in linear light.
static lab seen_at(const uint8_t *rgb, int x, int y)
{
    float sum[3] = {0}, weight = 0;
    for (int j = y - 1; j <= y + 1; j++) {
        for (int i = x - 1; i <= x + 1; i++) {
            if (i < 0 || j < 0 || i >= W || j >= H) continue;
            const uint8_t *p = rgb + 3 * (j * W + i);
            for (int c = 0; c < 3; c++) sum[c] += linear(p[c]);
            weight++;
        }
    }
    for (int c = 0; c < 3; c++) sum[c] /= weight;
    return lab_of(sum);
}

typedef struct difference {
    double mean;  // OKLab
    double share; // of pixels that differ by more than SEEN
} difference;

static difference compare(const uint8_t *a, const uint8_t *b)
{
    difference d = {0};
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            lab p = seen_at(a, x, y), q = seen_at(b, x, y);
            double e = sqrt((double)((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) +
                                     (p.b - q.b) * (p.b - q.b)));
            d.mean += e / (W * H);
            d.share += (e > SEEN) / (double)(W * H);
        }
    }
    return d;
}

// ---- Pictures -----------------------------------------------------------------------------------

static void must(bool good, const rv_messages *m, const char *what)
{
    if (!good) fail_msg("%s: %s", what, m->text);
}

// Many particles take long: there are fewer, in larger cells. So does a large pane.
static void make_coarser(rv_params *p)
{
    if (p->solver == RV_SOLVER_GLASS && p->grid_nx > 1000)
        p->grid_nx /= 2, p->grid_ny /= 2, p->grid_dx *= 2;
    if (p->solver != RV_SOLVER_SPLAT) return;
    int by = p->splat_form == RV_SPLAT_3D ? 3 : 2;
    p->grid_nx /= by, p->grid_dx *= by;
    if (p->splat_form != RV_SPLAT_2D) p->grid_ny /= by;
}

static void simulate(rv_world *world, const rv_params *p, int most)
{
    double frames = p->time_end / p->time_step;
    for (int n = 0; n < most && n < frames; n++)
        assert_int_equal(rv_world_step(world, p->time_step), RV_OK);
}

static void draw(rv_target *target, rv_world *world, const rv_params *view, uint8_t *rgb,
                 const char *name)
{
    rv_renderer *renderer;
    rv_surface *surface;
    rv_messages m = {0};
    must(rv_renderer_create(target, NULL, &renderer, &m) == RV_OK, &m, name);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    must(rv_renderer_update(renderer, world, surface, &m) == RV_OK, &m, name);
    assert_int_equal(rv_renderer_draw(renderer, view), RV_OK);
    assert_int_equal(rv_target_read(target, rgb), RV_OK);
    rv_surface_destroy(surface);
    rv_renderer_destroy(renderer);
}

static void picture_of(rv_target *target, const char *name, uint8_t *rgb)
{
    rv_scene_file scene;
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    must(rv_scene_load(name, &scene, &m) && rv_scene_load_forms(&scene, &work, &m), &m, name);
    make_coarser(&scene.params);
    rv_world_def def = rv_scene_world_def(&scene);
    rv_world *world = NULL;
    must(rv_world_create(&def, &world, &m) == RV_OK, &m, name);
    simulate(world, &scene.params, FRAMES);
    draw(target, world, rv_world_params(world), rgb, name);
    rv_world_destroy(world);
    rv_scene_free(&scene);
}

// Returns whether it looks as it did.
static bool looks_as_kept(const uint8_t *now, const char *name, bool renew)
{
    char path[1024];
    rv_messages m = {0};
    snprintf(path, sizeof path, RV_SOURCE_DIR "/tests/golden/%s.png", name);
    if (renew) {
        must(rv_image_write_png(path, now, W, H, &m), &m, path);
        return true;
    }
    int width, height, channels;
    uint8_t *then = stbi_load(path, &width, &height, &channels, 3);
    difference d = {1, 1};
    if (then && width == W && height == H) d = compare(now, then);
    stbi_image_free(then);
    bool good = d.mean <= MEAN_MOST && d.share <= SEEN_SHARE;
    printf("%-16s mean %.4f, %.2f%% of pixels differ visibly%s\n", name, d.mean, 100 * d.share,
           then ? "" : ": there is no golden picture");
    if (!good) {
        snprintf(path, sizeof path, "%s.png", name);
        must(rv_image_write_png(path, now, W, H, &m), &m, path);
    }
    return good;
}

// From the command line; none: all.
static char **wanted;
static int wanted_count;

static bool is_wanted(const char *name)
{
    for (int i = 0; i < wanted_count; i++)
        if (strcmp(wanted[i], name) == 0) return true;
    return wanted_count == 0;
}

static bool check(rv_target *target, const char *name, bool renew)
{
    static uint8_t now[W * H * 3];
    picture_of(target, name, now);
    return looks_as_kept(now, name, renew);
}

// ---- From close by ------------------------------------------------------------------------------

enum { SETS = 6, VIEWS = 5 };

typedef struct near_view {
    const char *name;      // of the picture
    const char *set[SETS]; // KEY=VALUE
} near_view;

typedef struct near_scene {
    const char *scene;
    int frames;
    const char *set[SETS];
    near_view view[VIEWS];
} near_scene;

static const near_scene near_scenes[] = {
    // a lake over a slab: no seam along the drowned edges
    {RV_SOURCE_DIR "/tests/data/drowned-slab.yaml",
     4,
     {NULL},
     {{"near-slab", {"view.azimuth=-150 deg", "view.elevation=10 deg"}},
      {"near-slab-far", {"view.azimuth=-90 deg", "view.elevation=21 deg"}}}},
    // rims of puddles at large contact angles: no hair, no teeth
    {"puddle",
     250,
     {"liquid.contact=90 deg", "liquid.advancing=92 deg", "liquid.receding=70 deg"},
     {{"near-rim-90", {"view.zoom=3", "view.elevation=35 deg"}}}},
    {"puddle-mercury",
     250,
     {NULL},
     {{"near-rim-mercury", {"view.zoom=5", "view.elevation=40 deg"}}}},
    // the waterline in a cup, the sheet around its foot and under it; the corner between foot and
    // table, and the cup's brim
    {"coffee",
     150,
     {NULL},
     {{"near-cup",
       {"view.zoom=5", "view.elevation=40 deg", "view.x=20 mm", "view.y=28 mm", "view.z=14 mm"}},
      {"near-foot",
       {"view.zoom=9", "view.elevation=12 deg", "view.x=2 mm", "view.y=-13 mm", "view.z=-24 mm"}},
      {"near-waterline",
       {"view.zoom=12", "view.elevation=38 deg", "view.x=10 mm", "view.y=32 mm", "view.z=17 mm"}},
      {"near-corner",
       {"view.zoom=9", "view.azimuth=0 deg", "view.elevation=20 deg", "view.x=28 mm", "view.y=0 mm",
        "view.z=-22 mm"}},
      {"near-brim",
       {"view.zoom=12", "view.elevation=30 deg", "view.x=3 mm", "view.y=-20 mm", "view.z=27 mm"}}}},
    // films and falls on bone
    {"surgery",
     260,
     {NULL},
     {{"near-bone",
       {"view.zoom=6", "view.elevation=30 deg", "view.x=-12 mm", "view.y=-16 mm", "view.z=4 mm"}},
      {"near-process",
       {"view.zoom=5", "view.azimuth=30 deg", "view.elevation=30 deg", "view.y=22 mm",
        "view.z=22 mm"}},
      {"near-cling",
       {"view.zoom=8", "view.azimuth=60 deg", "view.elevation=10 deg", "view.x=18 mm",
        "view.y=12 mm", "view.z=8 mm"}},
      {"near-film",
       {"view.zoom=12", "view.elevation=38 deg", "view.x=-9 mm", "view.y=-17 mm", "view.z=4 mm"}}}},
    // the rim of a hole that paint falls into, and a shelf's edge
    {"paint-drip",
     300,
     {NULL},
     {{"near-hole",
       {"view.zoom=7", "view.azimuth=30 deg", "view.elevation=55 deg", "view.x=-5 mm",
        "view.y=5 mm"}},
      {"near-shelf", {"view.zoom=5", "view.elevation=20 deg"}},
      {"near-peg",
       {"view.zoom=10", "view.azimuth=-60 deg", "view.elevation=30 deg", "view.x=16 mm",
        "view.y=4 mm", "view.z=6 mm"}}}},
    // the cut of a tank: clear, its corners clearer, no comb behind it
    {"tank-heavy-ball",
     FRAMES,
     {NULL},
     {{"near-tank-side", {"view.azimuth=-55 deg", "view.elevation=6 deg", "view.zoom=1.2"}},
      {"near-tank-back",
       {"view.azimuth=-55 deg", "view.elevation=60 deg", "view.zoom=2.5", "view.x=-30 cm",
        "view.y=30 cm"}}}},
    // particles as a height: no saw along the cut
    {"splat-height-42k",
     FRAMES,
     {NULL},
     {{"near-shore-cut",
       {"view.azimuth=-75 deg", "view.elevation=8 deg", "view.zoom=6", "view.y=-50 cm"}}}},
    // a dam that breaks over a ball: sheets without holes, threads and no strings of pearls
    {"splat-3d-125k",
     50,
     {NULL},
     {{"near-sheet", {"view.zoom=2.2", "view.x=16 cm", "view.y=-6 cm", "view.z=4 cm"}},
      // and the feet of what stands on ground in a plane of samples: no teeth
      {"near-box",
       {"view.azimuth=-120 deg", "view.elevation=50 deg", "view.zoom=8", "view.x=-10 cm",
        "view.y=5 cm"}}}},
    // tar: its steep side is a pixel or two wide, and has no fringe
    {"viscosity-4e-1", 400, {NULL}, {{"near-tar", {"view.zoom=1.6", "view.y=25 mm"}}}},
    // a wave over rocks: foam
    {"splat-surf", 90, {NULL}, {{"near-foam", {"view.zoom=2.2", "view.x=30 cm"}}}},
    // drops on a bottle: round, and not cut off by films beside them
    {"bottle-sweat",
     120,
     {"dew.sweat=1e-3", "dew.seeds=6e5"},
     {{"near-sweat", {"view.zoom=5", "view.elevation=10 deg", "view.x=8 mm", "view.z=-10 mm"}},
      {"near-bottle-foot",
       {"view.azimuth=-60 deg", "view.elevation=45 deg", "view.zoom=12", "view.x=15 mm",
        "view.y=-28 mm", "view.z=-64 mm"}}}},
    // drops on glass: smooth however near, not quite round, with a clear picture in them
    {"glass-merge",
     FRAMES,
     {NULL},
     {{"near-drop", {"view.zoom=9", "view.x=-16 mm", "view.y=5 mm"}}}},
    // and a pane seen from low, and from behind: a street, and no noise
    {"glass-rain",
     FRAMES,
     {NULL},
     {{"near-drops", {"view.zoom=9"}},
      {"near-pane-low", {"view.azimuth=-70 deg", "view.elevation=-20 deg", "view.zoom=3"}}}},
    // spray is fine and faint, not confetti
    {"splash", 22, {NULL}, {{"near-spray", {"view.zoom=4", "view.elevation=30 deg"}}}},
    // light that clear liquid gathers on the ground, and its shadow
    {"swe-dam-break", 50, {NULL}, {{"near-light", {"view.zoom=3", "view.elevation=50 deg"}}}},
    // edges of solids: no nicks where they run nearly along the grid, no tags beside joints
    {"leaf", 1, {NULL}, {{"near-leaf", {"view.zoom=10", "view.elevation=12 deg"}}}},
    {"rivulet", 1, {NULL}, {{"near-bead", {"view.zoom=8", "view.elevation=40 deg"}}}},
    // drops on wax: round outlines, rims that hang over
    {"leaf",
     300,
     {NULL},
     {{"near-wax",
       {"view.zoom=10", "view.azimuth=-90 deg", "view.elevation=75 deg", "view.y=3 mm"}},
      {"near-wax-low", {"view.zoom=3", "view.elevation=40 deg"}}}},
    {RV_SOURCE_DIR "/tests/data/drop-on-wax.yaml", 120, {NULL}, {{"near-wax-drop", {NULL}}}},
    // waves have no facets, nor has their cut at the side
    {"three-layers-drowned",
     445,
     {NULL},
     {{"near-waves", {"view.zoom=6", "view.elevation=20 deg", "view.y=-40 mm"}},
      {"near-waves-shelf", {"view.zoom=6", "view.x=-45 mm", "view.y=10 mm"}}}},
    // no teeth where the sheet meets a dish that it reaches under
    {RV_SOURCE_DIR "/tests/data/foot-of-dish.yaml",
     4,
     {NULL},
     {{"near-dish", {"view.zoom=20", "view.x=-6.4 mm", "view.z=-4.2 mm"}}}},
    // no outlines beside posts that stand before the liquid
    {RV_SOURCE_DIR "/tests/data/posts-in-clear.yaml",
     1,
     {NULL},
     {{"near-posts", {"view.zoom=2.5"}}}},
    // a jet goes on into what it lands on
    {"tap-and-plate",
     160,
     {NULL},
     {{"near-jet", {"view.zoom=6", "view.elevation=20 deg", "view.x=-12 mm", "view.z=-12 mm"}},
      {"near-jet-foot",
       {"view.zoom=9", "view.azimuth=30 deg", "view.elevation=50 deg", "view.x=-12 mm",
        "view.z=-12 mm"}},
      // large drops that fall are no pills, and what the sink mirrors is no row of specks
      {"near-falling",
       {"view.azimuth=-60 deg", "view.elevation=6 deg", "view.zoom=3", "view.z=-45 mm"}}}},
    // rims of what edits carve, and of a solid that was moved and tilted: no teeth, no nicks
    {RV_SOURCE_DIR "/tests/data/drilled.yaml",
     15,
     {NULL},
     {{"near-drilled", {"view.zoom=2.4"}},
      {"near-window",
       {"view.zoom=3", "view.azimuth=60 deg", "view.elevation=40 deg", "view.x=-5 mm",
        "view.y=1 mm", "view.z=4 mm"}}}},
    {RV_SOURCE_DIR "/tests/data/tilted-cup.yaml",
     2,
     {NULL},
     {{"near-tilted", {"view.zoom=5", "view.elevation=20 deg", "view.x=-14 mm", "view.z=22 mm"}}}},
    // what the grid's top cuts is flat
    {"surgery-drill",
     FRAMES,
     {NULL},
     {{"near-drill-top",
       {"view.azimuth=128 deg", "view.elevation=46 deg", "view.zoom=6", "view.x=40 mm",
        "view.y=40 mm", "view.z=60 mm"}}}},
};

static void apply(rv_scene_file *scene, const char *const set[SETS])
{
    rv_messages m = {0};
    for (int i = 0; i < SETS && set[i]; i++) must(rv_scene_set(scene, set[i], &m), &m, set[i]);
}

// Returns how many of its views look other than they did.
static int check_near(rv_target *target, const near_scene *from, bool renew)
{
    static uint8_t now[W * H * 3];
    rv_scene_file scene;
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    must(rv_scene_load(from->scene, &scene, &m), &m, from->scene);
    apply(&scene, from->set);
    make_coarser(&scene.params);
    must(rv_scene_load_forms(&scene, &work, &m), &m, from->scene);
    rv_world_def def = rv_scene_world_def(&scene);
    rv_world *world = NULL;
    must(rv_world_create(&def, &world, &m) == RV_OK, &m, from->scene);
    simulate(world, &scene.params, from->frames);
    const rv_params own = scene.params;
    int bad = 0;
    for (int i = 0; i < VIEWS && from->view[i].name; i++) {
        scene.params = own;
        apply(&scene, from->view[i].set);
        draw(target, world, &scene.params, now, from->view[i].name);
        bad += !looks_as_kept(now, from->view[i].name, renew);
    }
    rv_world_destroy(world);
    rv_scene_free(&scene);
    return bad;
}

static void close_views_look_as_they_did(void **state)
{
    (void)state;
    const rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
    rv_target *target;
    rv_messages m = {0};
    must(rv_target_create(&def, &target, &m) == RV_OK, &m, "the target");
    int bad = 0;
    for (size_t i = 0; i < sizeof near_scenes / sizeof near_scenes[0]; i++)
        if (is_wanted(near_scenes[i].scene))
            bad += check_near(target, &near_scenes[i], getenv("RIVULET_GOLDEN") != NULL);
    rv_target_destroy(target);
    if (bad) fail_msg("%d views look other than in tests/golden/; how they look now is here", bad);
}

// ---- Shipped scenes -----------------------------------------------------------------------------

static void scenes_look_as_they_did(void **state)
{
    (void)state;
    bool renew = getenv("RIVULET_GOLDEN") != NULL;
    const rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
    rv_target *target;
    rv_scene_names names;
    rv_messages m = {0};
    must(rv_target_create(&def, &target, &m) == RV_OK, &m, "the target");
    must(rv_scene_names_list(&names, &m), &m, "the scenes");
    int bad = 0;
    for (int i = 0; i < names.count; i++)
        if (is_wanted(names.name[i])) bad += !check(target, names.name[i], renew);
    rv_scene_names_free(&names);
    rv_target_destroy(target);
    if (bad) fail_msg("%d scenes look other than in tests/golden/; how they look now is here", bad);
}

// What the comparison lets pass, and what it does not.
static void comparison_sees_what_an_eye_sees(void **state)
{
    (void)state;
    static uint8_t a[W * H * 3], b[W * H * 3];
    for (int i = 0; i < W * H; i++) memset(a + 3 * i, 40 + 120 * (i % W) / W, 3);
    memcpy(b, a, sizeof b);
    for (int i = 0; i < W * H * 3; i++) b[i] = (uint8_t)(b[i] + i % 3 - 1);
    difference noise = compare(a, b);
    assert_true(noise.mean < MEAN_MOST && noise.share == 0);
    memcpy(b, a, sizeof b);
    for (int y = 60; y < 76; y++)
        for (int x = 60; x < 76; x++) b[3 * (y * W + x)] = 200; // a red spot
    difference spot = compare(a, b);
    assert_true(spot.share > SEEN_SHARE);
    for (int i = 0; i < W * H * 3; i++) b[i] = (uint8_t)(a[i] + 12); // all of it brighter
    assert_true(compare(a, b).mean > MEAN_MOST);
}

int main(int argc, char **argv)
{
    wanted = argv + 1, wanted_count = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparison_sees_what_an_eye_sees),
        cmocka_unit_test(close_views_look_as_they_did),
        cmocka_unit_test(scenes_look_as_they_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
