// Borders whose kind changes while the world runs: volume is accounted for, inner flow goes on, and
// the world is the one that would have come of a fresh solver with those borders.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 1e-3 // m

typedef struct scene {
    rv_solid_def solids[3];
    rv_fill_def fill;
    rv_world_def def;
} scene;

static rv_solid_def box(double x, double y, double z, double lx, double ly, double lz)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = RV_SHAPE_BOX;
    s.at = (rv_vec3){x * SIDE, y * SIDE, z * SIDE};
    s.size = (rv_vec3){lx * SIDE, ly * SIDE, lz * SIDE};
    return s;
}

// Ground, a slab that reaches over the western border with room under it, and a pillar; flooded so
// that there is a full passage and a free surface above.
static void make_scene(scene *s, rv_neighbours neighbours)
{
    memset(s, 0, sizeof *s);
    s->solids[0] = box(0, 0, -5, 60, 60, 10);
    s->solids[1] = box(-8, 2, 4, 18, 12, 2);
    s->solids[2] = box(6, -6, 4, 3, 3, 12);
    s->fill = rv_default_fill_def();
    s->fill.level = 6 * SIDE;
    s->fill.to.x = 5 * SIDE;
    s->def = rv_default_world_def();
    s->def.params.grid_nx = 26, s->def.params.grid_ny = 22, s->def.params.grid_dx = SIDE;
    s->def.params.grid_bottom = -SIDE, s->def.params.grid_top = 16 * SIDE;
    s->def.params.pipes_neighbours = neighbours;
    s->def.params.tension_rest = 0; // how long liquid has rested begins anew with every parameter
    s->def.params.border_west_level = 3 * SIDE, s->def.params.border_north_level = 5 * SIDE;
    s->def.params.border_west_rate = s->def.params.border_east_rate = 3e-6;
    s->def.solids = s->solids, s->def.solid_count = 3;
    s->def.fills = &s->fill, s->def.fill_count = 1;
}

static bool near_to(double a, double b, double apart)
{
    return fabs(a - b) <= apart;
}

static void set_borders(rv_world *world, rv_border west, rv_border east, rv_border north)
{
    rv_messages messages = {0};
    rv_params p = *rv_world_params(world);
    p.border_west = west, p.border_east = east, p.border_north = north;
    if (rv_world_set_params(world, &p, &messages) != RV_OK) fail_msg("%s", messages.text);
}

// ---- Volume -------------------------------------------------------------------------------------

static void volume_is_accounted_for(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, RV_NEIGHBOURS_FOUR);
    rv_world *world = make(&s.def);
    double first = stats_of(world).volume, before;
    run(world, 20, 0.01);
    assert_true(near_to(stats_of(world).volume, first, 1e-6 * first));
    // out over an open border
    set_borders(world, RV_BORDER_OPEN, RV_BORDER_WALL, RV_BORDER_WALL);
    run(world, 20, 0.01);
    rv_stats t = stats_of(world);
    assert_true(t.volume < 0.9 * first && t.drained > 0 && t.sourced == 0);
    assert_true(near_to(t.volume, first - t.drained, 1e-6 * first));
    // in again from a level that is held
    before = t.volume;
    set_borders(world, RV_BORDER_LEVEL, RV_BORDER_WALL, RV_BORDER_LEVEL);
    run(world, 100, 0.01);
    t = stats_of(world);
    assert_true(t.volume > before && t.sourced > 0);
    assert_true(near_to(t.volume, first + t.sourced - t.drained, 1e-6 * (first + t.sourced)));
    // fed at a rate: nothing else comes in and nothing leaves
    double sourced = t.sourced, drained = t.drained;
    set_borders(world, RV_BORDER_WALL, RV_BORDER_INFLOW, RV_BORDER_WALL);
    run(world, 100, 0.01);
    t = stats_of(world);
    assert_true(near_to(t.sourced - sourced, 3e-6 * 1.0, 1e-6 * t.sourced));
    assert_true(t.drained == drained);
    // and closed: no more
    before = t.volume;
    set_borders(world, RV_BORDER_WALL, RV_BORDER_WALL, RV_BORDER_WALL);
    run(world, 20, 0.01);
    assert_true(near_to(stats_of(world).volume, before, 1e-6 * before));
    rv_world_destroy(world);
}

// ---- The same as a fresh world ------------------------------------------------------------------

static void goes_on_like_a_fresh_world(void **state)
{
    (void)state;
    static const rv_border kinds[4][3] = {
        {RV_BORDER_OPEN, RV_BORDER_WALL, RV_BORDER_WALL},
        {RV_BORDER_OPEN, RV_BORDER_INFLOW, RV_BORDER_LEVEL},
        {RV_BORDER_LEVEL, RV_BORDER_OPEN, RV_BORDER_OPEN},
        {RV_BORDER_INFLOW, RV_BORDER_OPEN, RV_BORDER_WALL},
    };
    for (int n = 0; n < 2; n++) {
        scene s;
        make_scene(&s, (rv_neighbours)n);
        rv_world *world = make(&s.def);
        for (int k = 0; k < 4; k++) {
            run(world, 7, 0.01);
            set_borders(world, kinds[k][0], kinds[k][1], kinds[k][2]);
            s.def.params = *rv_world_params(world);
            rv_world *fresh = make(&s.def);
            size_t size;
            void *snapshot = save(world, &size);
            assert_int_equal(rv_world_restore(fresh, snapshot, size, NULL), RV_OK);
            assert_true(rv_world_hash(fresh) == rv_world_hash(world));
            run(world, 9, 0.01);
            run(fresh, 9, 0.01);
            assert_true(rv_world_hash(fresh) == rv_world_hash(world));
            free(snapshot);
            rv_world_destroy(fresh);
        }
        rv_world_destroy(world);
    }
}

// What flows inside is not touched by opening a border and closing it again.
static void there_and_back_changes_nothing(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        scene s;
        make_scene(&s, (rv_neighbours)n);
        s.def.params.border_north = RV_BORDER_OPEN;
        rv_world *world = make(&s.def);
        run(world, 12, 0.01);
        uint64_t before = rv_world_hash(world);
        set_borders(world, RV_BORDER_OPEN, RV_BORDER_LEVEL, RV_BORDER_OPEN);
        set_borders(world, RV_BORDER_INFLOW, RV_BORDER_WALL, RV_BORDER_OPEN);
        set_borders(world, RV_BORDER_WALL, RV_BORDER_WALL, RV_BORDER_OPEN);
        assert_true(rv_world_hash(world) == before);
        rv_world_destroy(world);
    }
}

// A snapshot from before the change goes back to the liquid of then, with the borders of now.
static void an_older_snapshot_is_restored(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, RV_NEIGHBOURS_FOUR);
    s.def.params.border_north = RV_BORDER_OPEN;
    rv_world *world = make(&s.def);
    run(world, 6, 0.01);
    size_t size;
    void *snapshot = save(world, &size);
    double volume = stats_of(world).volume;
    set_borders(world, RV_BORDER_OPEN, RV_BORDER_OPEN, RV_BORDER_WALL);
    run(world, 15, 0.01);
    assert_int_equal(rv_world_restore(world, snapshot, size, NULL), RV_OK);
    assert_true(stats_of(world).volume == volume);
    assert_int_equal(rv_world_params(world)->border_west, RV_BORDER_OPEN);
    assert_int_equal(rv_world_params(world)->border_north, RV_BORDER_WALL);
    s.def.params = *rv_world_params(world);
    rv_world *fresh = make(&s.def);
    assert_int_equal(rv_world_restore(fresh, snapshot, size, NULL), RV_OK);
    run(world, 10, 0.01);
    run(fresh, 10, 0.01);
    assert_true(rv_world_hash(fresh) == rv_world_hash(world));
    free(snapshot);
    rv_world_destroy(fresh);
    rv_world_destroy(world);
}

// ---- Memory -------------------------------------------------------------------------------------

typedef struct ration {
    int left; // allocations that succeed
    int64_t bytes;
} ration;

static void *allocate(size_t bytes, void *user)
{
    ration *r = user;
    if (r->left-- <= 0) return NULL;
    rv_allocator plain = rv_default_allocator();
    r->bytes += (int64_t)bytes;
    return plain.allocate(bytes, plain.user);
}

static void release(void *memory, size_t bytes, void *user)
{
    rv_allocator plain = rv_default_allocator();
    ((ration *)user)->bytes -= (int64_t)bytes;
    plain.release(memory, bytes, plain.user);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    ration r = {.left = 1 << 30};
    scene s;
    make_scene(&s, RV_NEIGHBOURS_FOUR);
    s.def.allocator = (rv_allocator){allocate, release, &r};
    rv_world *world = make(&s.def);
    run(world, 5, 0.01);
    uint64_t before = rv_world_hash(world);
    rv_params p = *rv_world_params(world);
    p.border_west = RV_BORDER_OPEN;
    int refused = 0;
    for (int allowed = 0; allowed < 100; allowed++) {
        rv_messages messages = {0};
        r.left = allowed;
        rv_result result = rv_world_set_params(world, &p, &messages);
        if (result == RV_OK) break;
        assert_int_equal(result, RV_OUT_OF_MEMORY);
        assert_int_equal(messages.count, 1);
        assert_true(rv_world_hash(world) == before);
        assert_int_equal(rv_world_params(world)->border_west, RV_BORDER_WALL);
        refused++;
    }
    assert_true(refused > 3);
    r.left = 1 << 30;
    run(world, 5, 0.01);
    assert_true(stats_of(world).drained > 0);
    // as often as one likes, in the same memory
    int64_t held = r.bytes;
    for (int i = 0; i < 50; i++) {
        set_borders(world, i % 2 ? RV_BORDER_OPEN : RV_BORDER_LEVEL, RV_BORDER_WALL,
                    RV_BORDER_WALL);
        run(world, 1, 0.01);
    }
    set_borders(world, RV_BORDER_OPEN, RV_BORDER_WALL, RV_BORDER_WALL);
    assert_true(r.bytes <= held + held / 100);
    rv_world_destroy(world);
    assert_int_equal(r.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_is_accounted_for),
        cmocka_unit_test(goes_on_like_a_fresh_world),
        cmocka_unit_test(there_and_back_changes_nothing),
        cmocka_unit_test(an_older_snapshot_is_restored),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
