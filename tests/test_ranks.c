// Worlds whose rows are shared out among ranks (docs/scale.md), which here are threads: every
// shipped scene of columns has, after each of a few steps, the hash and the statistics of one
// process, on 2, 3 and 5 ranks; its snapshot is the same bytes and goes on on another number of
// ranks; a rank keeps its part and no more; what cannot be cut is whole on each.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"
#include "thread_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 40

// What a run gives, and what it is of.
typedef struct outcome {
    const rv_scene_file *scene;
    int steps, done; // to do, and so many were done before the snapshot
    uint64_t hash[STEPS_MOST + 1];
    rv_stats stats;
    rv_rank_traffic traffic[RANKS_MOST];
    unsigned char *saved;  // by rank 0; NULL: not asked for
    unsigned char *placed; // by all ranks; the same
    size_t size;
    const unsigned char *from; // to restore first; NULL: nothing
    size_t from_size;
    bool saves;
    void (*meddle)(rv_world *world, int step, rv_messages *m); // before each step; NULL: nothing
    char trouble[RANKS_MOST][200];
} outcome;

static rv_scene_file load(const char *name, const char *const *sets, int count)
{
    rv_scene_file scene;
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    bool good = rv_scene_load(name, &scene, &m);
    for (int i = 0; good && i < count; i++) good = rv_scene_set(&scene, sets[i], &m);
    if (!good || !rv_scene_load_forms(&scene, &work, &m)) fail_msg("%s: %s", name, m.text);
    return scene;
}

// Threads must not fail by themselves: they tell.
static void complain(outcome *o, int rank, const char *what)
{
    snprintf(o->trouble[rank], sizeof o->trouble[rank], "%.190s", what);
}

// All ranks write into one buffer, each at its places.
static bool write_at(void *user, uint64_t at, const void *bytes, size_t count)
{
    outcome *o = user;
    if (at + count > o->size) return false;
    memcpy(o->placed + at, bytes, count);
    return true;
}

static void save(outcome *o, int rank, const rv_world *world)
{
    size_t size = rv_world_snapshot_size(world);
    unsigned char *bytes = malloc(size);
    if (o->placed && rv_world_save_at(world, write_at, o) != RV_OK)
        complain(o, rank, "not saved by all");
    if (!bytes || rv_world_save(world, bytes, size) != RV_OK) complain(o, rank, "not saved");
    if (rank == 0)
        o->saved = bytes, o->size = size; // the same as it was
    else
        free(bytes);
}

static void run_rank(outcome *o, const rv_ranks *ranks)
{
    rv_messages m = {0};
    rv_world *world = NULL;
    rv_world_def def = rv_scene_world_def(o->scene);
    int rank = ranks ? ranks->rank : 0;
    uint64_t hash;
    def.ranks = ranks;
    if (rv_world_create(&def, &world, &m) != RV_OK) {
        complain(o, rank, m.text);
        return;
    }
    if (o->from && rv_world_restore(world, o->from, o->from_size, &m) != RV_OK)
        complain(o, rank, m.text);
    for (int i = 0; i <= o->steps; i++) {
        if (i > 0 && o->meddle) o->meddle(world, i, &m);
        if (m.count > 0) complain(o, rank, m.text);
        if (i > 0 && rv_world_step(world, def.params.time_step) != RV_OK)
            complain(o, rank, "no step");
        hash = rv_world_hash(world);
        if (rank == 0) o->hash[i] = hash;
    }
    rv_stats stats;
    rv_world_get_stats(world, &stats);
    if (rank == 0) o->stats = stats;
    rv_world_get_traffic(world, &o->traffic[rank]);
    if (o->saves) save(o, rank, world);
    rv_world_destroy(world);
}

static void task(thread_rank *rank)
{
    run_rank(rank->user, &rank->table);
}

static void check_trouble(const outcome *o, int ranks)
{
    for (int k = 0; k < ranks; k++)
        if (o->trouble[k][0])
            fail_msg("%s: rank %d of %d: %s", o->scene->name, k, ranks, o->trouble[k]);
}

static outcome run(const rv_scene_file *scene, int ranks, int steps, bool saves,
                   const outcome *from)
{
    outcome o = {.scene = scene, .steps = steps, .saves = saves};
    if (from) o.from = from->saved, o.from_size = from->size;
    if (from && saves) o.placed = malloc(from->size), o.size = from->size;
    if (ranks > 0)
        thread_ranks_run(ranks, task, &o);
    else
        run_rank(&o, NULL);
    check_trouble(&o, ranks > 0 ? ranks : 1);
    return o;
}

static void compare(const outcome *one, const outcome *many, int ranks)
{
    for (int i = 0; i <= one->steps; i++)
        if (one->hash[i] != many->hash[i])
            fail_msg("%s: on %d ranks another hash after %d steps", one->scene->name, ranks, i);
    rv_stats a = one->stats, b = many->stats;
    a.ms = b.ms = 0;
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%s: on %d ranks other statistics: volume %.17g and %.17g m3", one->scene->name,
                 ranks, a.volume, b.volume);
}

static void same_on_ranks(const char *name, int steps, const int *ranks, int count,
                          const char *const *sets, int set_count)
{
    rv_scene_file scene = load(name, sets, set_count);
    outcome one = run(&scene, 0, steps, false, NULL);
    for (int i = 0; i < count; i++) {
        outcome many = run(&scene, ranks[i], steps, false, NULL);
        compare(&one, &many, ranks[i]);
    }
    rv_scene_free(&scene);
}

// ---- Tests --------------------------------------------------------------------------------------

static void the_scenes_have_one_hash(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int steps;
    } scenes[] = {
        {"bowl", 3},
        {"cross-passage", 3},
        {"drip", 2},
        {"incline-1cm3", 3},
        {"leaf", 1},
        {"paint-drip", 1},
        {"paper-passages", 3},
        {"paper-three-layers", 3},
        {"paper-viscosity-0", 3},
        {"passages", 2},
        {"puddle", 2},
        {"puddle-mercury", 1},
        {"rivulet", 2},
        {"swe-bowl", 2},
        {"swe-dam-break", 3},
        {"three-layers", 2},
        {"tray", 1},
        {"viscosity-0", 2},
        {"viscosity-4e-1", 2},
        {"wet-wall", 1},
    };
    const int ranks[] = {2, 3, 5};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        same_on_ranks(scenes[i].name, scenes[i].steps, &ranks[i % 3], 1, NULL, 0);
}

// Wide bands, so that rows far from a cut are not here; liquid that crosses cuts and leaves over
// borders.
#define BANDS RV_SOURCE_DIR "/tests/data/bands.yaml"

static void bands_are_cut(void **state)
{
    (void)state;
    // a high top, so that it is far from the liquid and rows cross beside computation; then one
    // near it, and a border that may flood
    static const char *const kinds[][2] = {
        {"solver=pipes", "tension.on=false"},     {"solver=swe", "tension.on=false"},
        {"pipes.area=cell", "tension.on=false"},  {"pipes.neighbours=eight", "tension.on=false"},
        {"solver=pipes", "tension.on=true"},      {"grid.top=24 mm", "tension.on=false"},
        {"border.west=level", "tension.on=false"}};
    const int ranks[] = {2, 3, 5};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        rv_scene_file scene = load(BANDS, kinds[k], 2);
        outcome one = run(&scene, 0, 12, false, NULL);
        for (int i = 0; i < 3; i++) {
            outcome many = run(&scene, ranks[i], 12, false, NULL);
            compare(&one, &many, ranks[i]);
            const rv_rank_traffic *t = &many.traffic[ranks[i] - 1];
            assert_int_equal(t->end, 320);
            assert_int_equal(t->first, 320 * (ranks[i] - 1) / ranks[i]);
            assert_int_equal(t->low, t->first - 24);
            assert_true(t->swaps > 12 && t->bytes > 0);
            assert_int_equal(t->beside >= 12, k < 4);
        }
        rv_scene_free(&scene);
    }
}

static void a_snapshot_goes_on_anywhere(void **state)
{
    (void)state;
    static const char *const tense[] = {"tension.on=true"};
    rv_scene_file scene = load(BANDS, tense, 1);
    outcome one = run(&scene, 0, 6, true, NULL), three = run(&scene, 3, 6, true, NULL);
    assert_int_equal(one.size, three.size);
    assert_memory_equal(one.saved, three.saved, one.size);
    for (int ranks = 1; ranks <= 4; ranks += 3) { // … written by all of them at once too
        outcome again = run(&scene, ranks, 0, true, &one);
        assert_non_null(again.placed);
        assert_memory_equal(again.placed, one.saved, one.size);
        free(again.placed), free(again.saved);
    }
    outcome whole = run(&scene, 0, 10, false, NULL);
    for (int ranks = 0; ranks <= 5; ranks += ranks < 1 ? 2 : 3) {
        outcome next = run(&scene, ranks, 4, false, &three);
        for (int i = 0; i <= 4; i++)
            if (next.hash[i] != whole.hash[6 + i])
                fail_msg("restored on %d ranks: another hash after %d steps", ranks, i);
    }
    free(one.saved), free(three.saved);
    rv_scene_free(&scene);
}

// What is deep and fast is in rows that are not rank 0's, and the snapshot tells of it all the
// same.
static void snapshots_tell_of_all_ranks(void **state)
{
    (void)state;
    rv_scene_file scene = load(BANDS, NULL, 0);
    outcome one = run(&scene, 0, 5, true, NULL), three = run(&scene, 3, 5, true, NULL);
    assert_int_equal(one.size, three.size);
    assert_memory_equal(one.saved, three.saved, one.size);
    free(one.saved), free(three.saved);
    rv_scene_free(&scene);
}

// What sleeps on both sides of a cut wakes together.
static void rest_is_agreed_on(void **state)
{
    (void)state;
    static const char *const sets[] = {"time.step=20 ms", "tension.rest=0.02"};
    const int ranks[] = {3};
    same_on_ranks("puddle", 25, ranks, 1, sets, 2);
}

static void what_cannot_be_cut_is_whole(void **state)
{
    (void)state;
    static const char *const sets[] = {"spray.on=true"};
    rv_scene_file scene = load("tank-light-ball", sets, 1);
    outcome one = run(&scene, 0, 3, false, NULL), two = run(&scene, 2, 3, false, NULL);
    compare(&one, &two, 2);
    assert_int_equal(two.traffic[1].low, 0);
    assert_int_equal(two.traffic[1].swaps, 0);
    rv_scene_free(&scene);
}

// A ball and a box lie on cuts, float, and drift over them; others meet on a bed.
#define AFLOAT RV_SOURCE_DIR "/tests/data/bands_bodies.yaml"

static void bodies_float_over_cuts(void **state)
{
    (void)state;
    static const char *const kinds[][1] = {{"solver=pipes"},           {"solver=swe"},
                                           {"pipes.neighbours=eight"}, {"pipes.area=cell"},
                                           {"tension.on=true"},        {"grid.top=90 mm"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        rv_scene_file scene = load(AFLOAT, kinds[k], 1);
        outcome one = run(&scene, 0, 12, false, NULL);
        for (int ranks = 2; ranks <= 5; ranks += k == 0 ? 1 : 3) {
            outcome many = run(&scene, ranks, 12, false, NULL);
            compare(&one, &many, ranks);
            assert_true(many.traffic[1].low > 0 || ranks == 5);
        }
        rv_scene_free(&scene);
    }
}

// A drill, a heap, a block that sinks and a slab that is moved over liquid, all across cuts: liquid
// is pushed over them, and ceilings come to be in rows that not all ranks kept.
#define CHANGES RV_SOURCE_DIR "/tests/data/bands_edits.yaml"

static void terrain_changes_across_cuts(void **state)
{
    (void)state;
    static const char *const kinds[][1] = {
        {"solver=pipes"}, {"pipes.neighbours=eight"}, {"tension.on=false"}};
    const int steps = 15;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        rv_scene_file scene = load(CHANGES, kinds[k], 1);
        outcome one = run(&scene, 0, steps, false, NULL);
        assert_true(one.stats.displaced > 1e-6 && one.stats.edits > 20);
        for (int ranks = k == 0 ? 2 : 5; ranks <= 5; ranks += 3) {
            outcome many = run(&scene, ranks, steps, false, NULL);
            compare(&one, &many, ranks);
            assert_true(many.traffic[ranks - 1].low > 0 && many.traffic[0].high < 320);
        }
        rv_scene_free(&scene);
    }
}

static void a_changed_terrain_goes_on_anywhere(void **state)
{
    (void)state;
    rv_scene_file scene = load(CHANGES, NULL, 0);
    outcome whole = run(&scene, 0, 15, false, NULL);
    outcome one = run(&scene, 0, 10, true, NULL), three = run(&scene, 3, 10, true, NULL);
    assert_int_equal(one.size, three.size);
    assert_memory_equal(one.saved, three.saved, one.size);
    for (int ranks = 0; ranks <= 5; ranks += ranks < 1 ? 2 : 3) {
        outcome next = run(&scene, ranks, 5, false, &three);
        for (int i = 0; i <= 5; i++)
            if (next.hash[i] != whole.hash[10 + i])
                fail_msg("restored on %d ranks: another hash after %d steps", ranks, i);
    }
    free(one.saved), free(three.saved);
    rv_scene_free(&scene);
}

// A jet flies over several bands, comes down in a pool and presses on it.
#define JET RV_SOURCE_DIR "/tests/data/bands_jet.yaml"

static void a_jet_flies_over_cuts(void **state)
{
    (void)state;
    static const char *const kinds[][1] = {{"tension.on=true"}, {"tension.on=false"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        rv_scene_file scene = load(JET, kinds[k], 1);
        outcome one = run(&scene, 0, 24, false, NULL);
        assert_true(one.stats.airborne > 0);
        for (int ranks = 2; ranks <= 5; ranks += 3) {
            outcome many = run(&scene, ranks, 24, k == 0, NULL);
            compare(&one, &many, ranks);
            assert_true(many.traffic[ranks - 1].low > 0 && many.traffic[0].high < 320);
            if (!many.saved) continue; // in the air, on another number of ranks
            outcome next = run(&scene, ranks == 5 ? 3 : 0, 0, false, &many);
            assert_int_equal(next.hash[0], one.hash[24]);
            free(many.saved);
        }
        rv_scene_free(&scene);
    }
}

// What a host may do while the world runs.
static void meddle(rv_world *world, int step, rv_messages *m)
{
    rv_solid_def ball = rv_default_solid_def();
    rv_event_def edit = rv_default_event_def();
    rv_pose pose = {.shift = {0, -0.002 * step, -0.002 * step}, .rotate = {0.02 * step, 0, 0}};
    rv_press_def press = rv_default_press_def();
    rv_body_def body = rv_default_body_def();
    rv_vec3 way[2] = {{-0.03, -0.03 * step, 0.02}, {0.03, -0.03 * step - 0.02, 0.012}};
    ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.006;
    edit.kind = step % 2 ? RV_EVENT_CARVE : RV_EVENT_ADD;
    edit.tool = &ball, edit.tool_count = 1, edit.path = way, edit.path_count = 2;
    press.from = (rv_vec3){-0.02, -0.1, -1}, press.to = (rv_vec3){0.02, 0.1, 1};
    press.pressure = 40, press.wind = (rv_vec3){0.5, 0.3, 0};
    body.radius = 0.03, body.density = 400, body.at = (rv_vec3){0.005, 0.19, 0.05};
    if (step < 6) rv_world_edit(world, &edit, NULL, m);
    if (step > 2) rv_world_move(world, 2, &pose, NULL, m);
    if (step == 3) rv_world_add_press(world, &press, NULL, m);
    if (step == 4) rv_world_add_body(world, &body, NULL, m);
}

static void hosts_may_meddle(void **state)
{
    (void)state;
    rv_scene_file scene = load(CHANGES, NULL, 0);
    outcome one = {.scene = &scene, .steps = 9, .meddle = meddle};
    run_rank(&one, NULL);
    check_trouble(&one, 1);
    for (int ranks = 2; ranks <= 5; ranks += 3) {
        outcome many = {.scene = &scene, .steps = 9, .meddle = meddle};
        thread_ranks_run(ranks, task, &many);
        check_trouble(&many, ranks);
        compare(&one, &many, ranks);
    }
    rv_scene_free(&scene);
}

typedef struct refusal {
    char text[2][300];
} refusal;

static void refuse(thread_rank *rank)
{
    refusal *out = rank->user;
    rv_messages m = {0}, rows = {0};
    rv_scene_file scene;
    rv_form_work work = rv_default_form_work();
    rv_world *world = NULL;
    if (!rv_scene_load(BANDS, &scene, &m) || !rv_scene_load_forms(&scene, &work, &m)) return;
    rv_world_def def = rv_scene_world_def(&scene);
    def.ranks = &rank->table;
    if (rv_world_create(&def, &world, &m) == RV_OK) {
        rv_params params = *rv_world_params(world);
        params.spray_on = true;
        rv_world_set_params(world, &params, &m);
    }
    rv_world_destroy(world);
    rv_ranks many = rank->table;
    many.count = 1000;
    def.ranks = &many;
    rv_world_create(&def, &world, &rows);
    if (rank->table.rank == 0) {
        snprintf(out->text[0], sizeof out->text[0], "%.290s", m.text);
        snprintf(out->text[1], sizeof out->text[1], "%.290s", rows.text);
    }
    rv_scene_free(&scene);
}

static void what_would_need_other_rows_is_refused(void **state)
{
    (void)state;
    refusal said = {0};
    thread_ranks_run(2, refuse, &said);
    assert_string_equal(said.text[0], "spray.on: not while processes share the grid");
    assert_string_equal(said.text[1], "grid.ny: 320 rows are too few for 1000 ranks");
}

int main(void)
{
    setenv("RIVULET_SCENES", RV_SCENES_BUILD_DIR, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_are_cut),
        cmocka_unit_test(a_snapshot_goes_on_anywhere),
        cmocka_unit_test(snapshots_tell_of_all_ranks),
        cmocka_unit_test(rest_is_agreed_on),
        cmocka_unit_test(what_cannot_be_cut_is_whole),
        cmocka_unit_test(bodies_float_over_cuts),
        cmocka_unit_test(terrain_changes_across_cuts),
        cmocka_unit_test(a_changed_terrain_goes_on_anywhere),
        cmocka_unit_test(a_jet_flies_over_cuts),
        cmocka_unit_test(hosts_may_meddle),
        cmocka_unit_test(what_would_need_other_rows_is_refused),
        cmocka_unit_test(the_scenes_have_one_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
