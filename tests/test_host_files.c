// What hosts call of rivulet_io: scenes by name, path and from memory, worlds from them, files that
// are written and read; problems come as a result and lines that name the file.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet_io/rivulet_io.h"

#include <stdio.h>
#include <unistd.h>

static const char tray[] = "title: a tray\n"
                           "grid: {nx: 20, ny: 16, dx: 2 mm, top: 20 mm}\n"
                           "fills:\n"
                           "  - {kind: depth, depth: 3 mm}\n";

static rv_scene *open_tray(void)
{
    rv_messages messages = {0};
    rv_scene *scene = NULL;
    if (rv_scene_open_memory(tray, strlen(tray), "tray.yaml", &scene, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    return scene;
}

static rv_world *make(rv_scene *scene)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_scene_make_world(scene, NULL, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static void told(int *calls, const rv_messages *messages, const char *want)
{
    if (!strstr(messages->text, want)) fail_msg("no \"%s\" in: %s", want, messages->text);
    ++*calls;
}

static void count(const char *what, double share, void *user)
{
    assert_non_null(what);
    assert_true(share >= 0 && share <= 1);
    ++*(int *)user;
}

static void scenes_become_worlds(void **state)
{
    (void)state;
    rv_scene *scene = open_tray();
    rv_scene_info info;
    rv_stats stats;
    rv_messages messages = {0};
    assert_int_equal(rv_scene_get_info(scene, &info), RV_OK);
    assert_string_equal(info.name, "tray");
    assert_string_equal(info.title, "a tray");
    assert_int_equal(info.params->grid_nx, 20);
    assert_null(info.environment);
    assert_int_equal(rv_scene_assign(scene, "liquid.viscosity=2e-5", &messages), RV_OK);
    int progress = 0;
    rv_scene_work work = rv_default_scene_work();
    work.pool = rv_pool_create(2), work.progress = count, work.user = &progress;
    rv_world *world = NULL, *second = make(scene);
    assert_int_equal(rv_scene_make_world(scene, &work, &world, &messages), RV_OK);
    assert_true(progress > 0);
    assert_true(rv_world_params(world)->liquid_viscosity == 2e-5);
    assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
    assert_true(stats.volume > 3.8e-6 && stats.volume < 3.9e-6); // 40 × 32 × 3 mm
    assert_true(rv_world_hash(world) == rv_world_hash(second));
    // up to the definition, to add something to it
    rv_world_def def;
    rv_body_def ball = rv_default_body_def();
    ball.at.z = 0.01, ball.radius = 0.003;
    assert_int_equal(rv_scene_make_def(scene, &work, &def, &messages), RV_OK);
    def.bodies = &ball, def.body_count = 1;
    rv_world *third = NULL;
    assert_int_equal(rv_world_create(&def, &third, &messages), RV_OK);
    rv_world_destroy(world), rv_world_destroy(second), rv_world_destroy(third);
    rv_scene_close(scene);
    rv_pool_destroy(work.pool);
}

static void shipped_ones_are_found(void **state)
{
    (void)state;
    rv_scene_list list;
    rv_messages messages = {0};
    bool found = false;
    assert_int_equal(rv_scene_list_make(&list, &messages), RV_OK);
    for (int i = 0; i < list.count; i++) found = found || strcmp(list.name[i], "surgery") == 0;
    assert_true(found);
    rv_scene_list_free(&list);
    assert_int_equal(list.count, 0);
    rv_scene *scene = NULL;
    assert_int_equal(rv_scene_open("bowl", &scene, &messages), RV_OK);
    rv_scene_close(scene);
}

static void problems_are_told(void **state)
{
    (void)state;
    static const char bad[] = "grid: {nx: 20, ny: 16}\nliquid:\n  viscosity: -1\n";
    rv_messages m = {0};
    rv_scene *scene = (rv_scene *)&m;
    rv_world *world = NULL;
    int n = 0;
    assert_int_equal(rv_scene_open("no-such-scene", &scene, &m), RV_BAD_DATA);
    assert_null(scene);
    told(&n, &m, "no-such-scene");
    m = (rv_messages){0};
    assert_int_equal(rv_scene_open_memory(bad, strlen(bad), "bad.yaml", &scene, &m), RV_BAD_DATA);
    told(&n, &m, "bad.yaml:3: liquid.viscosity:");
    assert_int_equal(rv_scene_open(NULL, &scene, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_scene_open("bowl", NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_scene_make_world(NULL, NULL, &world, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_scene_get_info(NULL, NULL), RV_BAD_ARGUMENT);
    rv_scene_close(NULL);
    scene = open_tray();
    m = (rv_messages){0};
    assert_int_equal(rv_scene_assign(scene, "grid.nx=0", &m), RV_BAD_ARGUMENT);
    told(&n, &m, "grid.nx");
    assert_null(strstr(m.text, "--set")); // a host has no command line
    assert_int_equal(rv_scene_assign(scene, "grid.top=-5", &m), RV_OK); // good alone
    m = (rv_messages){0};
    assert_int_equal(rv_scene_make_world(scene, NULL, &world, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "grid.top");
    assert_null(world);
    rv_scene_close(scene);
    assert_int_equal(n, 4);
}

static void files_go_and_come(void **state)
{
    (void)state;
    rv_scene *scene = open_tray();
    rv_world *world = make(scene), *other = make(scene);
    rv_messages m = {0};
    int number = -1;
    rv_source_def tap = rv_default_source_def();
    tap.at.z = 0.015, tap.rate = 1e-6;
    // a snapshot brings what was added
    assert_int_equal(rv_world_add_source(world, &tap, &number, NULL), RV_OK);
    for (int i = 0; i < 10; i++) rv_world_step(world, 0.01);
    assert_int_equal(rv_io_write_snapshot("host.snapshot", world, &m), RV_OK);
    assert_int_equal(rv_io_read_snapshot("host.snapshot", other, &m), RV_OK);
    for (int i = 0; i < 10; i++) rv_world_step(world, 0.01), rv_world_step(other, 0.01);
    assert_true(rv_world_hash(world) == rv_world_hash(other));
    // state and meshes
    rv_surface *surface;
    rv_surface_mesh liquid;
    rv_mesh terrain;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(surface, &liquid), RV_OK);
    assert_int_equal(rv_world_terrain_mesh(world, &terrain, NULL), RV_OK);
    assert_int_equal(rv_io_write_liquid("host.ply", &liquid, &m), RV_OK);
    assert_int_equal(rv_io_write_all_liquid("all.ply", &liquid, world, &m), RV_OK);
    assert_int_equal(rv_io_write_terrain("host.stl", &terrain, &m), RV_OK);
    assert_int_equal(rv_io_write_state("host.csv", world, &m), RV_OK);
    // a mesh comes back as a form
    rv_form *form = NULL;
    rv_form_report report;
    rv_shape shape;
    assert_int_equal(rv_io_read_form("host.stl", NULL, 0, 0, NULL, &form, &shape, &report, &m),
                     RV_OK);
    assert_int_equal(shape, RV_SHAPE_MESH);
    assert_true(report.closed && report.triangles > 100);
    rv_form_free(form);
    // a picture comes back as light
    uint8_t pixels[4 * 2 * 3];
    rv_light light;
    memset(pixels, 128, sizeof pixels);
    assert_int_equal(rv_io_write_picture("host.png", pixels, 4, 2, 3, &m), RV_OK);
    assert_int_equal(rv_io_read_light("host.png", &light, &m), RV_OK);
    assert_int_equal(light.width, 4);
    assert_true(light.rgb[0] > 0.1f && light.rgb[0] < 0.5f);
    rv_io_free_light(&light);
    assert_null(light.rgb);
    assert_int_equal(m.count, 0);
    rv_mesh_free(&terrain);
    rv_surface_destroy(surface);
    rv_world_destroy(world), rv_world_destroy(other);
    rv_scene_close(scene);
}

static void bad_files_are_told(void **state)
{
    (void)state;
    rv_scene *scene = open_tray();
    rv_world *world = make(scene);
    rv_messages m = {0};
    rv_form *form = NULL;
    rv_light light;
    uint8_t pixels[12] = {0};
    int n = 0;
    uint64_t before = rv_world_hash(world);
    assert_int_equal(rv_io_read_snapshot("not-there.snapshot", world, &m), RV_BAD_DATA);
    told(&n, &m, "not-there.snapshot: no such file");
    assert_int_equal(rv_io_write_state("no/such/folder/x.csv", world, &m), RV_BAD_DATA);
    told(&n, &m, "no/such/folder/x.csv");
    assert_int_equal(rv_io_write_picture("x.png", pixels, 2, 2, 5, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "5 channels");
    assert_int_equal(rv_io_write_picture("x.tiff", pixels, 2, 2, 3, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "x.tiff: the name must end in .png");
    assert_int_equal(rv_io_write_picture(NULL, pixels, 2, 2, 3, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "no file name");
    assert_int_equal(rv_io_write_liquid("x.ply", NULL, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "x.ply: there is nothing");
    const rv_surface_mesh dry = {0};
    assert_int_equal(rv_io_write_all_liquid("x.ply", NULL, world, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "x.ply: there is nothing");
    assert_int_equal(rv_io_write_all_liquid("x.ply", &dry, NULL, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "x.ply: there is nothing");
    assert_int_equal(rv_io_write_all_liquid("x.nonsense", &dry, world, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "x.nonsense");
    rv_mesh nothing = {0};
    assert_int_equal(rv_io_write_terrain("x.nonsense", &nothing, &m), RV_BAD_ARGUMENT);
    told(&n, &m, "nonsense");
    assert_int_equal(rv_io_read_form("x.txt", NULL, 0, 0, NULL, &form, NULL, NULL, &m),
                     RV_BAD_ARGUMENT);
    told(&n, &m, "x.txt: neither");
    assert_int_equal(rv_io_read_form("gone.stl", NULL, 0, 0, NULL, &form, NULL, NULL, &m),
                     RV_BAD_DATA);
    told(&n, &m, "gone.stl");
    assert_null(form);
    assert_int_equal(rv_io_read_light("gone.hdr", &light, &m), RV_BAD_DATA);
    told(&n, &m, "gone.hdr");
    assert_int_equal(rv_io_read_light("gone.hdr", NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_io_read_snapshot("x", NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(access("x.png", F_OK), -1);
    assert_true(rv_world_hash(world) == before);
    assert_int_equal(n, 13);
    rv_world_destroy(world);
    rv_scene_close(scene);
}

static void keep_line(rv_log_level level, const char *line, void *user)
{
    if (level == RV_LOG_WARNING) rv_messages_add(user, "%s", line);
}

static void warnings_have_their_line(void **state)
{
    (void)state;
    static const char cut[] = "grid: {nx: 20, ny: 16, dx: 2 mm, top: 4 mm}\n"
                              "fills:\n"
                              "  - {kind: drop, at: 0 0 3 mm, radius: 5 mm, volume: 2 ml}\n"
                              "  - {kind: drop, at: 9 0 3 mm, radius: 4 mm, volume: 2 ml}\n";
    rv_messages messages = {0}, said = {0};
    rv_scene *scene;
    rv_world *world;
    rv_scene_work work = rv_default_scene_work();
    work.logger = (rv_logger){keep_line, &said};
    assert_int_equal(rv_scene_open_memory(cut, strlen(cut), "cut.yaml", &scene, &messages), RV_OK);
    assert_int_equal(rv_scene_make_world(scene, &work, &world, &messages), RV_OK);
    assert_int_equal(said.count, 2);
    assert_int_equal(strncmp(said.text, "cut.yaml:3: fills[0].volume: of 2e-06 m3 only", 44), 0);
    assert_non_null(strstr(said.text, "\ncut.yaml:4: fills[1].volume: "));
    rv_world_destroy(world);
    rv_scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_become_worlds), cmocka_unit_test(shipped_ones_are_found),
        cmocka_unit_test(problems_are_told),    cmocka_unit_test(files_go_and_come),
        cmocka_unit_test(bad_files_are_told),   cmocka_unit_test(warnings_have_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
