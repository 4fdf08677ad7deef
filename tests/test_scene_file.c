// Scene files: what a good one gives, and that every kind of bad one is told by file, line and key.
#define _POSIX_C_SOURCE 200809L // setenv
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA RV_SOURCE_DIR "/tests/data"
#define TRAY RV_SOURCE_DIR "/tests/data/tray.yaml"

static bool load(const char *text, rv_scene_file *scene, rv_messages *messages)
{
    return rv_scene_load_memory(text, strlen(text), "t.yaml", scene, messages);
}

static void expect_problems(const char *text, const char *expected)
{
    rv_scene_file scene;
    rv_messages m = {0};
    bool loaded = load(text, &scene, &m);
    if (loaded) rv_scene_free(&scene);
    assert_string_equal(m.text, expected);
    assert_false(loaded);
}

static rv_scene_file expect_good(const char *text)
{
    rv_scene_file scene;
    rv_messages m = {0};
    if (!load(text, &scene, &m)) fail_msg("%s", m.text);
    return scene;
}

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 16);
    *size = fread(text, 1, 1 << 16, file);
    fclose(file);
    return text;
}

static void a_good_scene_is_read_whole(void **state)
{
    (void)state;
    rv_scene_file s;
    rv_messages m = {0};
    if (!rv_scene_load(TRAY, &s, &m)) fail_msg("%s", m.text);
    assert_string_equal(s.name, "tray");
    assert_string_equal(s.title, "A tray with a shelf, for tests");
    assert_string_equal(s.about, "Two lines of text\nthat nobody needs.");
    assert_string_equal(s.paper.figure, "pipes paper Fig. 1");
    assert_true(s.paper.ms_simulation == 4.86 && s.paper.ms_surface == 1.10);
    assert_true(isnan(s.paper.ms_rendering));
    assert_int_equal(s.params.grid_nx, 24);
    assert_true(s.params.grid_dx == 0.002 && s.params.grid_top == 0.04);
    assert_true(s.params.liquid_viscosity == 4e-6 && s.params.time_step == 0.005);
    assert_int_equal(s.params.border_east, RV_BORDER_OPEN);
    assert_int_equal(s.fill_count, 3);
    assert_int_equal(s.fills[1].kind, RV_FILL_DROP);
    assert_true(s.fills[1].volume == 50e-9 && s.fills[0].from.x == -1e6);
    assert_int_equal(s.source_count, 1);
    assert_true(s.sources[0].rate == 1e-6);
    assert_int_equal(s.drain_count, 1);
    rv_scene_free(&s);
}

static void groups_are_flattened(void **state)
{
    (void)state;
    rv_scene_file s;
    rv_messages m = {0};
    assert_true(rv_scene_load(TRAY, &s, &m));
    const struct {
        rv_shape shape;
        int children, line;
    } expected[] = {{RV_SHAPE_PLANE, 0, 22},  {RV_SHAPE_GROUP, 4, 24},    {RV_SHAPE_BOX, 0, 28},
                    {RV_SHAPE_GROUP, 1, 29},  {RV_SHAPE_CYLINDER, 0, 31}, {RV_SHAPE_SPHERE, 0, 35},
                    {RV_SHAPE_CAPSULE, 0, 36}};
    assert_int_equal(s.solid_count, 7);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(s.solids[i].shape, expected[i].shape);
        assert_int_equal(s.solids[i].children, expected[i].children);
        assert_int_equal(s.solid_lines[i], expected[i].line);
    }
    assert_int_equal(s.solids[5].op, RV_SUBTRACT);
    rv_world_def def = rv_scene_world_def(&s);
    assert_ptr_equal(def.solids, s.solids);
    assert_int_equal(def.solid_count, 7);
    assert_int_equal(def.params.grid_ny, 16);
    rv_scene_free(&s);
    rv_scene_free(&s); // twice does no harm
}

static void later_problems_are_placed(void **state)
{
    (void)state;
    rv_scene_file s;
    rv_messages m = {0}, inner = {0}, placed = {0};
    assert_true(rv_scene_load(TRAY, &s, &m));
    rv_messages_add(&inner, "solids[4].radius: too thin");
    rv_messages_add(&inner, "solids[6].to: too far");
    rv_messages_add(&inner, "grid.nx: too many");
    rv_messages_add(&inner, "grid.stretch: odd");
    rv_messages_add(&inner, "sources[0].at: too high");
    rv_messages_add(&inner, "solids[7].to: no such solid");
    rv_messages_add(&inner, "something else");
    inner.count += 2; // two that did not fit
    rv_scene_place(&s, &inner, &placed);
    assert_string_equal(placed.text,
                        TRAY ":31: solids[1].solids[1].solids[0].radius: too thin\n" TRAY
                             ":36: solids[2].to: too far\n" TRAY ":9: grid.nx: too many\n" TRAY
                             ": grid.stretch: odd\n" TRAY ":42: sources[0].at: too high\n" TRAY
                             ": solids[7].to: no such solid\n" TRAY ": something else");
    assert_int_equal(placed.count, 9);
    rv_scene_free(&s);
}

static void unknown_keys(void **state)
{
    (void)state;
    expect_problems("grid:\n  nx: 5\n  nnx: 6\n",
                    "t.yaml:3: grid.nnx: unknown key; did you mean 'grid.nx'?");
    expect_problems("viscosity: 1\n",
                    "t.yaml:1: viscosity: unknown key; did you mean 'liquid.viscosity'?");
    expect_problems("\ngird: {nx: 5}\n", "t.yaml:2: gird: unknown key; did you mean 'grid'?");
    expect_problems("soilds: []\n", "t.yaml:1: soilds: unknown key; did you mean 'solids'?");
    expect_problems("xylophone: 4\n", "t.yaml:1: xylophone: unknown key");
    expect_problems("solids:\n  - shape: sphere\n    raduis: 5\n",
                    "t.yaml:3: solids[0].raduis: unknown key; did you mean 'radius'?");
    expect_problems("solids: [{shape: group, children: 3, solids: []}]\n",
                    "t.yaml:1: solids[0].children: unknown key; did you mean 'solids'?");
    expect_problems("paper: {figur: x}\n",
                    "t.yaml:1: paper.figur: unknown key; did you mean 'figure'?");
    expect_problems("grid: {nx: {deep: 5}}\n",
                    "t.yaml:1: grid.nx: expected a whole number, not a map");
}

static void wrong_types(void **state)
{
    (void)state;
    expect_problems("grid: 5\n", "t.yaml:1: grid: expected a map of nx, ny, dx, x, y, bottom, top, "
                                 "stretch, not a value");
    expect_problems("grid: {nx: [1, 2]}\n",
                    "t.yaml:1: grid.nx: expected a whole number, not a list");
    expect_problems("gravity: down\n", "t.yaml:1: gravity: 'down' is not a number");
    expect_problems("grid: {nx: 1.5}\n", "t.yaml:1: grid.nx: '1.5' is not a whole number");
    expect_problems("grid: {nx: }\n", "t.yaml:1: grid.nx: a value is missing");
    expect_problems(
        "grid: {dx: 5 s}\n",
        "t.yaml:1: grid.dx: '5 s': the unit 's' does not fit, expected m, mm, cm, um, µm or km");
    expect_problems("gravity: .inf\n", "t.yaml:1: gravity: '.inf': must be a finite number");
    expect_problems("pipes: {area: round}\n",
                    "t.yaml:1: pipes.area: 'round' is not one of wet, cell");
    expect_problems("terrain: {keep: maybe}\n",
                    "t.yaml:1: terrain.keep: 'maybe' is neither true nor false");
    expect_problems("solids: {shape: box}\n",
                    "t.yaml:1: solids: expected a list, each item with a '-'");
    expect_problems("fills: many\n", "t.yaml:1: fills: expected a list, not a value");
    expect_problems("solids:\n  - box\n", "t.yaml:2: solids[0]: expected a map of keys");
    expect_problems("solids:\n- shape: box\n  at: [1, 2]\n",
                    "t.yaml:3: solids[0].at: has 2 numbers, expected three: [x, y, z]");
    expect_problems("solids:\n- shape: box\n  at: {x: 1}\n",
                    "t.yaml:3: solids[0].at: expected three numbers, not a map");
    expect_problems("solids:\n- shape: box\n  at: [1, [2], 3]\n",
                    "t.yaml:3: solids[0].at: expected three numbers, not a list");
    expect_problems("title: [a]\n", "t.yaml:1: title: expected a text");
    expect_problems("title: \"a\\nb\"\n", "t.yaml:1: title: must be one line");
    expect_problems("paper: 5\n", "t.yaml:1: paper: expected a map of figure, ms_simulation, "
                                  "ms_surface, ms_rendering");
}

static void out_of_range(void **state)
{
    (void)state;
    expect_problems("grid: {nx: 0}\n",
                    "t.yaml:1: grid.nx: 0 is out of range, must be 1 to 65536 cells");
    expect_problems("sources:\n  - {rate: -1}\n",
                    "t.yaml:2: sources[0].rate: -1 is out of range, must be 0 to 1e6 m3/s");
    expect_problems("solids:\n  - {shape: box, size: [1, -2, 3]}\n",
                    "t.yaml:2: solids[0].size: -2 is out of range, must be 0 to 1e6 m");
}

static void repeated_keys(void **state)
{
    (void)state;
    expect_problems("gravity: 1\ngravity: 2\n", "t.yaml:2: gravity: given twice, first on line 1");
    expect_problems("grid:\n  nx: 5\n  nx: 6\n", "t.yaml:3: grid.nx: given twice, first on line 2");
    expect_problems("grid:\n  nx: 5\ngrid.nx: 6\n",
                    "t.yaml:3: grid.nx: given twice, first on line 2");
    expect_problems("grid: {nx: 5}\ngrid: {ny: 5}\n",
                    "t.yaml:2: grid: given twice, first on line 1");
    expect_problems("solids:\n- shape: box\n  size: 1 1 1\n  shape: box\n",
                    "t.yaml:4: solids[0].shape: given twice, first on line 2");
    expect_problems("fills: []\nfills: []\n", "t.yaml:2: fills: given twice, first on line 1");
}

static void useless_and_missing_keys(void **state)
{
    (void)state;
    expect_problems("solids:\n- shape: box\n  size: 1 1 1\n  radius: 5 mm\n",
                    "t.yaml:4: solids[0].radius: does nothing for box, which has size, round");
    expect_problems("solids:\n- shape: box\n  solids: []\n",
                    "t.yaml:3: solids[0].solids: does nothing for box, which has size, round");
    expect_problems("solids:\n- shape: group\n",
                    "t.yaml:2: solids[0].solids: missing, needed for group");
    expect_problems("solids:\n- {shape: torus, radius: 1}\n",
                    "t.yaml:2: solids[0].radius2: missing, needed for torus");
    expect_problems(
        "fills:\n- kind: drop\n  depth: 5\n",
        "t.yaml:2: fills[0].volume: missing, needed for drop\n"
        "t.yaml:3: fills[0].depth: does nothing for drop, which has at, radius, volume");
    expect_problems("sources:\n- at: 0 0 0.01\n", "t.yaml:2: sources[0].rate: missing");
}

// ---- Solids from files --------------------------------------------------------------------------

static void solids_from_files_are_read(void **state)
{
    (void)state;
    rv_scene_file s = expect_good(
        "solids:\n"
        "- {shape: mesh, file: part.stl, unit: mm, fit: [20 mm, 0, 0], origin: base, at: 0 0 5 "
        "mm}\n"
        "- shape: group\n  solids:\n"
        "  - {shape: mesh, file: part.stl, unit: mm, fit: 0.02 0 0, origin: base, scale: 2}\n"
        "- {shape: mesh, file: part.stl, unit: mm, origin: base}\n"
        "- {shape: volume, file: a/b c.nii.gz, threshold: 200, up: y}\n"
        "- {shape: volume, file: a/b c.nii.gz, label: 3}\n"
        "- {shape: heights, file: h.png, size: [80 mm, 60 mm], low: 1 mm, high: 5 mm}\n"
        "- {shape: heights, file: h.png, size: 80 60 mm, low: 0.001, high: 0.005}\n"
        "- {shape: heights, file: h.png}\n");
    assert_int_equal(s.solid_count, 9);
    assert_int_equal(s.form_count, 6);
    const int expected[] = {0, -1, 0, 1, 2, 3, 4, 4, 5};
    for (int i = 0; i < 9; i++) {
        assert_int_equal(s.solid_forms[i], expected[i]);
        assert_null(s.solids[i].form); // not loaded yet
    }
    assert_string_equal(s.forms[0].file, "part.stl");
    assert_int_equal(s.forms[0].def.unit, RV_UNIT_MM);
    assert_int_equal(s.forms[0].def.origin, RV_ORIGIN_BASE);
    assert_true(s.forms[0].def.fit.x == 0.02 && s.forms[0].def.fit.y == 0);
    assert_int_equal(s.forms[2].def.up, RV_UP_Y);
    assert_true(s.forms[2].def.threshold == 200 && s.forms[2].def.label == -1);
    assert_int_equal(s.forms[3].def.label, 3);
    assert_true(s.forms[4].size_x == 0.08 && s.forms[4].size_y == 0.06);
    assert_true(s.forms[4].def.low == 0.001 && s.forms[4].def.high == 0.005);
    assert_true(s.forms[5].size_x == 0 && s.forms[5].size_y == 0);
    rv_scene_free(&s);
}

static void wrong_keys_of_files(void **state)
{
    (void)state;
    expect_problems("solids:\n- shape: mesh\n",
                    "t.yaml:2: solids[0].file: missing, needed for mesh");
    expect_problems("solids:\n- shape: box\n  file: a.stl\n",
                    "t.yaml:3: solids[0].file: does nothing for box, which has size, round");
    expect_problems("solids:\n- shape: box\n  unit: mm\n",
                    "t.yaml:3: solids[0].unit: does nothing for box, which has size, round");
    expect_problems("solids:\n- {shape: mesh, file: a.stl, threshold: 5}\n",
                    "t.yaml:2: solids[0].threshold: does nothing for mesh, which has file, unit, "
                    "up, fit, origin, thickness, fill_holes");
    expect_problems("solids:\n- {shape: heights, file: a.png, unit: mm}\n",
                    "t.yaml:2: solids[0].unit: does nothing for heights, which has file, size, "
                    "low, high");
    expect_problems("solids:\n- {shape: volume, file: a.nii, label: 3, threshold: 5}\n",
                    "t.yaml:2: solids[0].threshold: does nothing beside label");
    expect_problems("solids:\n- {shape: mesh, file: a.stl, unit: miles}\n",
                    "t.yaml:2: solids[0].unit: 'miles' is not one of auto, m, cm, mm, um, in, ft");
    expect_problems("solids:\n- {shape: mesh, fiel: a.stl}\n",
                    "t.yaml:2: solids[0].fiel: unknown key; did you mean 'file'?");
    expect_problems("solids:\n- {shape: mesh, file: a.stl, treshold: 5}\n",
                    "t.yaml:2: solids[0].treshold: unknown key; did you mean 'threshold'?");
    expect_problems("solids:\n- shape: mesh\n  file: [a.stl]\n",
                    "t.yaml:3: solids[0].file: expected the name of a file");
    expect_problems("solids:\n- shape: mesh\n  file:\n",
                    "t.yaml:3: solids[0].file: a value is missing");
    expect_problems("solids:\n- {shape: heights, file: a.png, size: 1 2 3}\n",
                    "t.yaml:2: solids[0].size: a height map has a width and a length; its heights "
                    "are low and high");
    expect_problems("solids:\n- {shape: heights, file: a.png, size: [1, 0]}\n",
                    "t.yaml:2: solids[0].size: width and length must be larger than 0");
    expect_problems("solids:\n- {shape: box, size: [1, 2]}\n",
                    "t.yaml:2: solids[0].size: has 2 numbers, expected three: [x, y, z]");
}

// Loads a scene of tests/data's folder and its files, and expects these lines.
static void expect_form_problems(const char *text, const char *expected)
{
    rv_scene_file s;
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    if (!rv_scene_load_memory(text, strlen(text), DATA "/t.yaml", &s, &m)) fail_msg("%s", m.text);
    assert_false(rv_scene_load_forms(&s, &work, &m));
    assert_string_equal(m.text, expected);
    rv_scene_free(&s);
}

static void files_of_solids_that_are_not_good(void **state)
{
    (void)state;
    expect_form_problems(
        "solids:\n- {shape: box}\n- shape: mesh\n  file: none.stl\n"
        "- {shape: mesh, file: scene-broken.stl}\n",
        DATA "/t.yaml:4: solids[1].file: none.stl: no such file\n" DATA
             "/t.yaml:5: solids[2].file: scene-broken.stl: cut short: 12 triangles announced, 6 "
             "there");
    // A key that the form does not like is told where it stands.
    expect_form_problems("solids:\n- shape: volume\n  file: inspect-cube.nrrd\n  threshold: 1000\n",
                         DATA "/t.yaml:4: solids[0].threshold: no voxel reaches 1000; values run "
                              "from 0 to 100");
    expect_form_problems(
        "solids:\n- shape: mesh\n  file: tray.yaml\n",
        DATA "/t.yaml:3: solids[0].file: tray.yaml: is no mesh that is read here; OBJ, STL, "
             "PLY, glTF and GLB are");
}

static void files_of_solids_are_loaded(void **state)
{
    (void)state;
    rv_scene_file s;
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    if (!rv_scene_load(DATA "/scene-part.yaml", &s, &m)) fail_msg("%s", m.text);
    assert_int_equal(s.form_count, 3);
    assert_true(rv_scene_set(&s, "grid.x=10 mm", &m) && rv_scene_set(&s, "grid.nx=50", &m));
    if (!rv_scene_load_forms(&s, &work, &m)) fail_msg("%s", m.text);
    assert_true(rv_scene_load_forms(&s, &work, &m)); // a second time does nothing
    for (int i = 0; i < s.solid_count; i++)
        assert_true((s.solids[i].form != NULL) == (s.solid_forms[i] >= 0));
    assert_ptr_equal(s.solids[2].form, s.solids[4].form);
    // The height map covers the grid as it is now.
    assert_true(s.solids[0].at.x == 0.01 && s.solids[0].at.y == 0);
    assert_true(fabs(s.forms[0].report.high.x - 0.05) < 1e-6);
    assert_true(fabs(s.forms[0].report.least - 0.001) < 1e-6);
    assert_true(fabs(s.forms[0].report.most - 0.005) < 1e-6);
    assert_int_equal(s.forms[1].report.triangles, 12);
    assert_true(s.forms[1].report.closed);
    assert_true(fabs(s.forms[1].report.volume - 8e-6) < 1e-10);
    rv_world_def def = rv_scene_world_def(&s);
    rv_world *world;
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    const rv_vec3 points[] = {{0.004, 0, 0.03}, {-0.024, 0, 0.02}, {0.034, 0, 0.01}};
    float distance[3]; // inside the first cube, in the hollow of the second, inside the volume
    rv_world_distance(world, points, 3, distance);
    assert_true(distance[0] < -1e-3f && distance[1] > 1e-3f && distance[2] < -1e-3f);
    rv_world_destroy(world);
    rv_scene_free(&s);
}

// ---- Events -------------------------------------------------------------------------------------

static void events_are_read(void **state)
{
    (void)state;
    rv_scene_file s = expect_good(
        "solids:\n- {shape: box}\n- {shape: sphere, mover: 2}\n"
        "events:\n"
        "- kind: carve\n  start: 1 s\n  duration: 500 ms\n"
        "  path: [[0, 0, 20 mm], 5 0 10 mm, [0.01, 0, 0.01]]\n"
        "  tool:\n  - {shape: sphere, radius: 2 mm}\n"
        "  - shape: group\n    op: subtract\n    solids:\n    - {shape: box}\n    - {shape: box}\n"
        "- {kind: move, start: 2, mover: 2, shift: 0 0 50 mm, rotate: 0 20 0 deg, pivot: 1 0 0}\n"
        "- {kind: add, tool: {shape: mesh, file: part.stl}}\n"
        "- {tool: [{shape: box}], path: [[1, 2, 3]]}\n");
    assert_int_equal(s.event_count, 4);
    const rv_event_def *e = s.events;
    assert_int_equal(e[0].kind, RV_EVENT_CARVE);
    assert_true(e[0].start == 1 && e[0].duration == 0.5);
    assert_int_equal(e[0].tool_count, 4);
    assert_int_equal(e[0].tool[1].children, 2);
    assert_int_equal(e[0].tool[1].op, RV_SUBTRACT);
    assert_true(e[0].tool[0].radius == 0.002);
    assert_int_equal(e[0].path_count, 3);
    assert_true(e[0].path[0].z == 0.02 && e[0].path[1].x == 0.005 && e[0].path[2].x == 0.01);
    assert_int_equal(e[1].kind, RV_EVENT_MOVE);
    assert_int_equal(e[1].mover, 2);
    assert_true(e[1].shift.z == 0.05 && fabs(e[1].rotate.y - 0.349065850) < 1e-8);
    assert_true(!e[1].tool && !e[1].path && e[1].pivot.x == 1);
    assert_int_equal(e[2].tool_count, 1);
    assert_int_equal(e[2].tool[0].shape, RV_SHAPE_MESH);
    assert_int_equal(s.tool_forms[4], 0);
    assert_int_equal(e[3].tool[0].shape, RV_SHAPE_BOX);
    assert_true(e[3].path[0].z == 3);
    rv_world_def def = rv_scene_world_def(&s);
    assert_ptr_equal(def.events, s.events);
    assert_int_equal(def.event_count, 4);
    rv_messages inner = {0}, placed = {0};
    rv_messages_add(&inner, "events[0].tool[3].radius: too thin");
    rv_messages_add(&inner, "events[1].start: too late");
    rv_messages_add(&inner, "events[2].tool[0].form: odd");
    rv_messages_add(&inner, "events[4].tool[0].form: no such event");
    rv_scene_place(&s, &inner, &placed);
    assert_string_equal(placed.text, "t.yaml:15: events[0].tool[1].solids[1].radius: too thin\n"
                                     "t.yaml:16: events[1].start: too late\n"
                                     "t.yaml:17: events[2].tool[0].form: odd\n"
                                     "t.yaml: events[4].tool[0].form: no such event");
    rv_scene_free(&s);
}

static void gravity_is_read(void **state)
{
    (void)state;
    rv_scene_file s = expect_good("gravity: [0, 170 cm/s2, -966 cm/s2]\n"
                                  "events:\n"
                                  "- {kind: gravity, start: 1, duration: 2 s, gravity: 0 0 -2}\n"
                                  "- {kind: gravity, gravity: 3.7}\n"
                                  "fills:\n- {kind: depth, depth: 2 mm, velocity: 0.1 -0.2 0}\n");
    assert_true(s.params.gravity.x == 0 && s.params.gravity.y == 1.7);
    assert_true(s.params.gravity.z == -9.66);
    assert_int_equal(s.event_count, 2);
    assert_int_equal(s.events[0].kind, RV_EVENT_GRAVITY);
    assert_true(s.events[0].start == 1 && s.events[0].duration == 2);
    assert_true(s.events[0].gravity.z == -2 && s.events[1].gravity.z == -3.7);
    assert_true(s.fills[0].velocity.x == 0.1 && s.fills[0].velocity.y == -0.2);
    rv_scene_free(&s);

    expect_problems("gravity: 0 0 1\n",
                    "t.yaml:1: gravity: z 1 is out of range, must be -1000 to 0 m/s2");
    expect_problems("gravity: {x: 1}\n",
                    "t.yaml:1: gravity: expected a number or three numbers, not a map");
    expect_problems("gravity: [1, 2]\n",
                    "t.yaml:1: gravity: has 2 numbers, expected three: [x, y, z]");
    expect_problems("events:\n- {kind: gravity}\n",
                    "t.yaml:2: events[0].gravity: missing, needed for gravity");
    expect_problems("events:\n- {kind: gravity, gravity: 1, shift: 0 0 1}\n",
                    "t.yaml:2: events[0].shift: does nothing for gravity, which has gravity");
    expect_problems("events:\n- {kind: move, shift: 0 0 1, gravity: 1}\n",
                    "t.yaml:2: events[0].gravity: does nothing for move, which has mover, shift, "
                    "rotate, pivot");
}

static void wrong_events(void **state)
{
    (void)state;
    expect_problems("events: {kind: carve}\n",
                    "t.yaml:1: events: expected a list, each item with a '-'");
    expect_problems("event: []\n", "t.yaml:1: event: unknown key; did you mean 'events'?");
    expect_problems("events:\n- {kind: drill}\n",
                    "t.yaml:2: events[0].kind: 'drill' is not one of carve, add, move, gravity");
    expect_problems("events:\n- {kind: carve}\n",
                    "t.yaml:2: events[0].tool: missing, needed for carve");
    expect_problems("events:\n- {kind: add, tool: []}\n",
                    "t.yaml:2: events[0].tool: needs a solid");
    expect_problems("events:\n- {kind: move}\n",
                    "t.yaml:2: events[0].shift: missing, needed for move, or rotate");
    expect_problems("events:\n- {kind: move, shift: 1 0 0, tool: [{shape: box}]}\n",
                    "t.yaml:2: events[0].tool: does nothing for move, which has mover, shift, "
                    "rotate, pivot");
    expect_problems("events:\n- {kind: carve, tool: [{shape: box}], shift: 1 0 0}\n",
                    "t.yaml:2: events[0].shift: does nothing for carve, which has tool, path");
    expect_problems("events:\n- {kind: carve, tol: [{shape: box}]}\n",
                    "t.yaml:2: events[0].tol: unknown key; did you mean 'tool'?");
    expect_problems("events:\n- {tool: {shape: sphere, size: 1 1 1}}\n",
                    "t.yaml:2: events[0].tool.size: does nothing for sphere, which has radius");
    expect_problems("events:\n- {tool: [{shape: sphere, mover: 1}]}\n",
                    "t.yaml:2: events[0].tool[0].mover: a part of a tool does not move by itself");
    expect_problems("events:\n- {tool: {shape: box}, path: 5}\n",
                    "t.yaml:2: events[0].path: expected a list of points: [[x, y, z], [x, y, z]]");
    expect_problems("events:\n- {tool: {shape: box}, path: [[0, 0, 1], [0, 1]]}\n",
                    "t.yaml:2: events[0].path[1]: has 2 numbers, expected three: [x, y, z]");
    expect_problems("events:\n- {kind: move, mover: 3, shift: 0 0 1}\n",
                    "t.yaml:2: events[0].mover: no solid has `mover: 3`");
    expect_problems("solids:\n- {shape: group, solids: [{shape: box, mover: 1}]}\n",
                    "t.yaml:2: solids[0].solids[0].mover: only at the top: give it to the "
                    "outermost group");
    expect_problems("solids:\n- {shape: box, mover: 17}\n",
                    "t.yaml:2: solids[0].mover: 17 is out of range, must be 0 to 16");
}

static void fields_that_disagree(void **state)
{
    (void)state;
    expect_problems("grid:\n  bottom: 0.1\n  top: 0.1\n",
                    "t.yaml:3: grid.top: 0.1 must be above grid.bottom, which is 0.1");
    expect_problems("grid: {bottom: 1}\n",
                    "t.yaml:1: grid.top: 0.05 must be above grid.bottom, which is 1");
    expect_problems(
        "border:\n  west: level\n  west_level: 2\n",
        "t.yaml:3: border.west_level: 2 is not between grid.bottom 0 and grid.top 0.05");
    expect_problems(
        "sources:\n- {at: [1, 0, 0], rate: 1 ml/s}\n",
        "t.yaml:2: sources[0].at: (1, 0) lies outside the grid, which is x -0.05 to 0.05, "
        "y -0.05 to 0.05");
    expect_problems(
        "sources:\n- {at: [0, 0, -1], rate: 1 ml/s}\n",
        "t.yaml:2: sources[0].at: height -1 lies under grid.bottom 0: nothing is below it");
    expect_problems("sources:\n- {rate: 1 ml/s, start: 2, stop: 1}\n",
                    "t.yaml:2: sources[0].stop: 1 is before start, which is 2");
    expect_problems("drains:\n- {from: [1, 1, 1], to: [0, 0, 0]}\n",
                    "t.yaml:2: drains[0].from: is not below `to` in x, y and z");
    expect_problems("fills:\n- {kind: depth, depth: 1 mm, from: [1, 0, 0]}\n",
                    "t.yaml:2: fills[0].from: the region from … to lies outside the grid");
}

static void malformed_files(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_scene_file s;
    expect_problems("", "t.yaml: the file is empty");
    expect_problems("# only a comment\n", "t.yaml: the file is empty");
    expect_problems("---\n", "t.yaml: the file is empty");
    expect_problems("just words\n",
                    "t.yaml:1: expected a map of keys, like \"grid: {nx: 100}\", not a "
                    "value");
    expect_problems("- a\n- b\n",
                    "t.yaml:1: expected a map of keys, like \"grid: {nx: 100}\", not a list");
    expect_problems("grid: {nx: 5}\n---\ngrid: {nx: 6}\n",
                    "t.yaml:2: a second document in one file");
    expect_problems("a: &x 5\n", "t.yaml:1: anchors (&name) are not part of the scene format");
    expect_problems("a: *x\n", "t.yaml:1: aliases (*name) are not part of the scene format");
    expect_problems("a: !t 5\n", "t.yaml:1: tags (!name) are not part of the scene format");
    expect_problems("gravity: \"1\\0\"\n", "t.yaml:1: a text with a zero byte in it");
    expect_problems("[a]: 1\n", "t.yaml:1: a key must be a word");
    assert_false(load("grid: {nx: 5\nny: 6\n", &s, &m));
    assert_non_null(strstr(m.text, "t.yaml:2: not valid YAML: "));
    rv_messages n = {0};
    assert_false(load("grid:\n  nx: 5\n\ttab: 1\n", &s, &n));
    assert_non_null(strstr(n.text, "t.yaml:3: not valid YAML: "));
    rv_messages u = {0};
    assert_false(load("title: ok\nabout: \xff\xfe\n", &s, &u));
    assert_non_null(strstr(u.text, "t.yaml:2: not valid UTF-8 text: "));
    rv_messages z = {0};
    assert_false(rv_scene_load_memory("a: \0b\n", 6, "t.yaml", &s, &z));
    assert_int_equal(z.count, 1);
}

static void all_problems_at_once(void **state)
{
    (void)state;
    expect_problems(
        "grid:\n  nx: -1\n  foo: 2\ngravity: up\nsolids:\n  - {shape: boxx}\n"
        "sources:\n  - {rate: 1 kg}\n",
        "t.yaml:2: grid.nx: -1 is out of range, must be 1 to 65536 cells\n"
        "t.yaml:3: grid.foo: unknown key\n"
        "t.yaml:4: gravity: 'up' is not a number\n"
        "t.yaml:6: solids[0].shape: 'boxx' is not one of group, box, sphere, ellipsoid, "
        "capsule, cylinder, cone, torus, plane, mesh, volume, heights; did you mean 'box'?\n"
        "t.yaml:8: sources[0].rate: '1 kg': the unit 'kg' does not fit, expected m3/s, l/s, "
        "ml/s, cm3/s, mm3/s, l/min, ml/min or m3/h");
}

static void files_that_are_not_there(void **state)
{
    (void)state;
    rv_scene_file s;
    rv_messages m = {0};
    assert_false(rv_scene_load("missing.yaml", &s, &m));
    assert_string_equal(m.text, "missing.yaml: no such file");
    rv_messages n = {0};
    assert_false(rv_scene_load("./", &s, &n));
    assert_string_equal(n.text, "./: is a folder");
    rv_messages o = {0};
    assert_int_equal(setenv("RIVULET_SCENES", RV_SOURCE_DIR "/tests/data", 1), 0);
    assert_false(rv_scene_load("trya", &s, &o));
    assert_string_equal(o.text, "trya: no such scene; did you mean 'tray'?");
    rv_messages p = {0};
    assert_true(rv_scene_load("tray", &s, &p));
    rv_scene_free(&s);
    rv_scene_names names;
    assert_true(rv_scene_names_list(&names, &p));
    bool found = false;
    for (int i = 0; i < names.count; i++) found = found || strcmp(names.name[i], "tray") == 0;
    assert_true(found);
    rv_scene_names_free(&names);
    unsetenv("RIVULET_SCENES");
}

static void hostile_files_are_bounded(void **state)
{
    (void)state;
    rv_scene_file s;
    size_t size = RV_SCENE_BYTES_MAX + 1;
    char *big = malloc(size);
    memset(big, '#', size);
    rv_messages m = {0};
    assert_false(rv_scene_load_memory(big, size, "t.yaml", &s, &m));
    assert_string_equal(m.text, "t.yaml: larger than 16 MiB");
    memset(big, '[', 100000);
    rv_messages n = {0};
    assert_false(rv_scene_load_memory(big, 100000, "t.yaml", &s, &n));
    assert_int_equal(n.count, 1);
    // A million unknown keys: refused quickly, with one line saying why.
    size_t used = 0;
    for (int i = 0; i < 1000000 && used + 32 < RV_SCENE_BYTES_MAX; i++)
        used += (size_t)sprintf(big + used, "k%d: 1\n", i);
    rv_messages o = {0};
    assert_false(rv_scene_load_memory(big, used, "t.yaml", &s, &o));
    assert_string_equal(o.text, "t.yaml:1001: too many keys in one map");
    // More points, tools and files than anyone has: one line each.
    used = (size_t)sprintf(big, "events:\n- tool: {shape: box}\n  path:\n");
    for (int i = 0; i <= RV_SCENE_ITEMS_MAX; i++)
        used += (size_t)sprintf(big + used, "  - 0 0 0\n");
    rv_messages p = {0};
    assert_false(rv_scene_load_memory(big, used, "t.yaml", &s, &p));
    assert_string_equal(p.text, "t.yaml:3: events[0].path: too many points");
    used = (size_t)sprintf(big, "events:\n");
    for (int i = 0; i < 60000; i++)
        used += (size_t)sprintf(big + used, "- tool: [{shape: box}, {shape: box}]\n");
    rv_messages q = {0};
    assert_false(rv_scene_load_memory(big, used, "t.yaml", &s, &q));
    assert_string_equal(q.text, "t.yaml: solids: more than 100000");
    used = (size_t)sprintf(big, "solids:\n");
    for (int i = 0; i < 20000; i++)
        used += (size_t)sprintf(big + used, "- {shape: mesh, file: %d.stl}\n", i);
    rv_messages t = {0};
    assert_false(rv_scene_load_memory(big, used, "t.yaml", &s, &t));
    assert_string_equal(t.text, "t.yaml: solids from more than 1000 files");
    free(big);
}

static const char *const good_files[] = {TRAY, DATA "/scene-part.yaml", DATA "/scene-events.yaml"};
#define GOOD_FILES 3

// A file cut anywhere either loads or says why; the sanitizers watch for the rest.
static void every_prefix_loads_or_complains(void **state)
{
    (void)state;
    for (int k = 0; k < GOOD_FILES; k++) {
        size_t size;
        char *text = read_text(good_files[k], &size);
        int good = 0;
        for (size_t n = 0; n <= size; n++) {
            char *cut = malloc(n + 1); // of exactly this size, so that reading past it is caught
            memcpy(cut, text, n);
            rv_scene_file s;
            rv_messages m = {0};
            bool loaded = rv_scene_load_memory(cut, n, "cut.yaml", &s, &m);
            assert_true(loaded == (m.count == 0));
            if (loaded) rv_scene_free(&s);
            good += loaded;
            free(cut);
        }
        assert_true(good > 10);
        free(text);
    }
}

static void changed_bytes_do_no_harm(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int k = 0; k < GOOD_FILES; k++) {
        size_t size;
        char *text = read_text(good_files[k], &size);
        for (int round = 0; round < 2000; round++) {
            char *copy = malloc(size);
            memcpy(copy, text, size);
            for (int change = 0; change < 3; change++) {
                seed = seed * 6364136223846793005ull + 1442695040888963407ull;
                copy[(seed >> 20) % size] = (char)(seed >> 56);
            }
            rv_scene_file s;
            rv_messages m = {0};
            bool loaded = rv_scene_load_memory(copy, size, "bad.yaml", &s, &m);
            assert_true(loaded == (m.count == 0));
            if (loaded) rv_scene_free(&s);
            free(copy);
        }
        free(text);
    }
}

// What is printed for every parameter reads back as the same scene.
static void parameters_go_around(void **state)
{
    (void)state;
    rv_scene_file s = expect_good("grid: {nx: 7, dx: 0.3 mm}\nliquid: {look: blood}\nseed: 9\n"
                                  "view.azimuth: 33 deg\nterrain: {keep: off}\n");
    const rv_table *table = rv_params_table();
    char text[8192];
    size_t used = 0;
    for (int i = 0; i < table->count; i++) {
        char value[96];
        rv_field_print(&table->fields[i], &s.params, value, sizeof value);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s\n", table->fields[i].key,
                                 value);
    }
    rv_scene_file again = expect_good(text);
    assert_memory_equal(&again.params, &s.params, sizeof s.params);
    rv_scene_free(&s);
    rv_scene_free(&again);
}

static void assignments(void **state)
{
    (void)state;
    rv_scene_file s = expect_good("grid: {nx: 7}\n");
    rv_messages m = {0};
    assert_true(rv_scene_set(&s, "grid.dx=2 mm", &m) && s.params.grid_dx == 0.002);
    assert_true(rv_scene_set(&s, "view.zoom=2", &m) && s.params.view_zoom == 2);
    // A studio is a word of the surroundings; another word is a file, which is looked for later.
    assert_true(rv_scene_set(&s, "environment=warm", &m) && !s.environment);
    assert_int_equal(s.params.view_studio, RV_STUDIO_WARM);
    assert_true(rv_scene_set(&s, "environment=kitchen.hdr", &m) && s.environment);
    assert_true(rv_scene_set(&s, "environment=studio", &m) && !s.environment);
    assert_true(rv_scene_set(&s, "environment=plain", &m));
    assert_int_equal(s.params.view_studio, RV_STUDIO_PLAIN);
    assert_int_equal(m.count, 0);
    assert_false(rv_scene_set(&s, "grid.nx", &m));
    assert_false(rv_scene_set(&s, "=5", &m));
    assert_false(rv_scene_set(&s, "grid.nz=5", &m));
    assert_false(rv_scene_set(&s, "viscosity=5", &m));
    assert_false(rv_scene_set(&s, "grid.nx=many", &m));
    assert_false(rv_scene_set(&s, "solids=5", &m));
    assert_string_equal(m.text, "--set grid.nx: expected KEY=VALUE\n"
                                "--set =5: expected KEY=VALUE\n"
                                "--set grid.nz=5: unknown key; did you mean 'grid.nx'?\n"
                                "--set viscosity=5: unknown key; did you mean 'liquid.viscosity'?\n"
                                "--set grid.nx=many: 'many' is not a number\n"
                                "--set solids=5: unknown key");
    rv_messages n = {0};
    assert_true(rv_scene_set(&s, "grid.top=-1", &n));
    assert_false(rv_scene_check(&s, &n));
    assert_string_equal(n.text, "t.yaml: grid.top: -1 must be above grid.bottom, which is 0");
    rv_scene_free(&s);
}

static rv_scene_file expect_like(const char *text)
{
    rv_scene_file scene;
    rv_messages m = {0};
    if (!rv_scene_load_memory(text, strlen(text), DATA "/t.yaml", &scene, &m))
        fail_msg("%s", m.text);
    return scene;
}

static void a_scene_like_another(void **state)
{
    (void)state;
    rv_scene_file s = expect_like("like: tray.yaml\nliquid: {density: 900}\ngrid.nx: 30\n");
    assert_string_equal(s.name, "t");
    assert_string_equal(s.title, "A tray with a shelf, for tests");
    assert_true(s.params.grid_nx == 30 && s.params.grid_ny == 16 && s.params.liquid_density == 900);
    assert_true(s.params.liquid_viscosity == 4e-6 && isnan(s.paper.ms_simulation));
    assert_int_equal(s.solid_count, 7);
    assert_true(s.fill_count == 3 && s.source_count == 1 && s.drain_count == 1);
    rv_scene_free(&s);
    // a list takes the place of the other's, or goes on from it
    s = expect_like("like: tray.yaml\nfills: []\nsources:\n  - {at: [0, 0, 30 mm], rate: 2 ml/s}\n"
                    "solids:\n  - like\n  - {shape: sphere, radius: 1 mm}\n"
                    "drains:\n  - like\n  - {rate: 3 ml/s}\n");
    assert_true(s.fill_count == 0 && s.source_count == 1 && s.sources[0].rate == 2e-6);
    assert_int_equal(s.solid_count, 8);
    assert_int_equal(s.solids[7].shape, RV_SHAPE_SPHERE);
    assert_true(s.solid_lines[0] == 0 && s.solid_lines[7] == 7);
    assert_true(s.drain_count == 2 && s.drains[1].rate == 3e-6);
    rv_scene_free(&s);
    // files and events come along
    s = expect_like("like: scene-part.yaml\n");
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    if (!rv_scene_load_forms(&s, &work, &m)) fail_msg("%s", m.text);
    rv_scene_free(&s);
    s = expect_like("like: scene-events.yaml\nevents:\n  - like\n"
                    "  - {start: 1, tool: {shape: sphere, radius: 1 mm}, path: [[0, 0, 1 mm]]}\n");
    rv_scene_file base = expect_like("like: scene-events.yaml\n");
    assert_int_equal(s.event_count, base.event_count + 1);
    for (int i = 0; i < base.event_count; i++) {
        assert_int_equal(s.events[i].tool_count, base.events[i].tool_count);
        assert_int_equal(s.events[i].path_count, base.events[i].path_count);
    }
    assert_true(s.events[base.event_count].tool->radius == 0.001);
    assert_true(s.events[base.event_count].path[0].z == 0.001);
    rv_scene_free(&s), rv_scene_free(&base);
}

static void a_scene_like_nothing_good(void **state)
{
    (void)state;
    expect_problems(
        "like: nosuch\n",
        "t.yaml:1: like: nosuch: no such scene; `rivulet scenes` lists them, a file needs "
        "its extension .yaml");
    expect_problems("grid.nx: 5\nlike: nosuch.yaml\n", "t.yaml:2: like: nosuch.yaml: no such file");
    expect_problems("like: /etc/passwd\n",
                    "t.yaml:1: like: /etc/passwd: not the name of a scene, nor "
                    "of a .yaml file beside this one");
    expect_problems("like: ../t.yaml\n",
                    "t.yaml:1: like: ../t.yaml: not the name of a scene, nor of a "
                    ".yaml file beside this one");
    expect_problems("like: []\n", "t.yaml:1: like: expected the name of a scene");
    expect_problems("solids: [like]\nfills: [like, 5]\n",
                    "t.yaml:2: fills[0]: expected a map of keys");
    // a circle ends
    FILE *file = fopen("circle.yaml", "w");
    assert_non_null(file);
    fputs("like: circle.yaml\n", file);
    fclose(file);
    rv_scene_file s;
    rv_messages m = {0};
    assert_false(rv_scene_load("circle.yaml", &s, &m));
    assert_int_equal(m.count, 1);
    assert_string_equal(m.text,
                        "circle.yaml:1: like: circle.yaml: scenes that are like each other, "
                        "in a circle");
    // what is wrong with inherited items is told without a line
    m = (rv_messages){0};
    s = expect_like("like: tray.yaml\n");
    rv_messages_add(&m, "solids[1].radius: bad");
    rv_messages_add(&m, "sources[0].at: bad");
    rv_messages placed = {0};
    rv_scene_place(&s, &m, &placed);
    assert_string_equal(placed.text,
                        DATA "/t.yaml: solids[1].radius: bad\n" DATA "/t.yaml: sources[0].at: bad");
    rv_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_scene_is_read_whole),
        cmocka_unit_test(groups_are_flattened),
        cmocka_unit_test(later_problems_are_placed),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(out_of_range),
        cmocka_unit_test(repeated_keys),
        cmocka_unit_test(useless_and_missing_keys),
        cmocka_unit_test(solids_from_files_are_read),
        cmocka_unit_test(wrong_keys_of_files),
        cmocka_unit_test(files_of_solids_that_are_not_good),
        cmocka_unit_test(files_of_solids_are_loaded),
        cmocka_unit_test(events_are_read),
        cmocka_unit_test(gravity_is_read),
        cmocka_unit_test(wrong_events),
        cmocka_unit_test(a_scene_like_another),
        cmocka_unit_test(a_scene_like_nothing_good),
        cmocka_unit_test(fields_that_disagree),
        cmocka_unit_test(malformed_files),
        cmocka_unit_test(all_problems_at_once),
        cmocka_unit_test(files_that_are_not_there),
        cmocka_unit_test(hostile_files_are_bounded),
        cmocka_unit_test(every_prefix_loads_or_complains),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(parameters_go_around),
        cmocka_unit_test(assignments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
