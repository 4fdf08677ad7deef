// Passages solved by pressure: long ones flow as theory says and cost no more iterations than short
// ones, what rests costs none, a turned scene gives the same bits however the passage runs, lists
// that are kept do not outlive what they were made for, and no memory is no disaster.
#include "columns/passages/passages.h"
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SIDE 0x1p-10 // m, a power of two: places on the grid are exact, turned or not
#define GAP (4 * SIDE)
#define SOLIDS 24

// ---- Two tanks in a block of stone --------------------------------------------------------------

typedef struct scene {
    rv_solid_def solid[SOLIDS];
    rv_fill_def fill[2];
    rv_world_def def;
} scene;

// A box over cells [x1, x2) × [y1, y2), counted from the grid's corner; heights in cells.
static void box(scene *s, rv_operation op, const int cells[4], double z1, double z2)
{
    const rv_params *p = &s->def.params;
    rv_solid_def *b = &s->solid[s->def.solid_count++];
    assert_true(s->def.solid_count <= SOLIDS);
    *b = rv_default_solid_def();
    b->shape = RV_SHAPE_BOX, b->op = op;
    b->size =
        (rv_vec3){(cells[1] - cells[0]) * SIDE, (cells[3] - cells[2]) * SIDE, (z2 - z1) * SIDE};
    b->at =
        (rv_vec3){(0.5 * (cells[0] + cells[1]) - 0.5 * p->grid_nx) * SIDE,
                  (0.5 * (cells[2] + cells[3]) - 0.5 * p->grid_ny) * SIDE, 0.5 * (z1 + z2) * SIDE};
}

static void begin(scene *s, int nx, int ny)
{
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    rv_params *p = &s->def.params;
    p->tension_on = false; // levels are even
    p->grid_nx = nx, p->grid_ny = ny, p->grid_dx = SIDE;
    p->grid_bottom = -2 * SIDE, p->grid_top = 32 * SIDE;
    s->def.solids = s->solid, s->def.fills = s->fill, s->def.fill_count = 2;
    box(s, RV_UNION, (int[4]){-8, nx + 8, -8, ny + 8}, -8, 40);
    s->fill[0] = s->fill[1] = rv_default_fill_def();
}

// A tank `width` cells wide at both ends of a straight passage; all as wide across as the grid.
static void straight(scene *s, int length, int width, double first, double second)
{
    int nx = length + 2 * width;
    begin(s, nx, 2);
    box(s, RV_SUBTRACT, (int[4]){0, width, -1, 3}, 0, 60);
    box(s, RV_SUBTRACT, (int[4]){nx - width, nx, -1, 3}, 0, 60);
    box(s, RV_SUBTRACT, (int[4]){width - 1, nx - width + 1, -1, 3}, 0, 4);
    s->fill[0].level = second * SIDE, s->fill[1].level = first * SIDE;
    s->fill[1].to.x = (width - 0.5 * nx) * SIDE;
}

static rv_world *create(const rv_world_def *def)
{
    rv_world *world = NULL;
    rv_messages m = {0};
    if (rv_world_create(def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static double level_at(const rv_world *world, double x, double y)
{
    rv_vec3 at = {x, y, 1};
    rv_sample sample;
    rv_world_sample(world, &at, 1, &sample);
    return sample.level;
}

// ---- Long passages ------------------------------------------------------------------------------

// The liquid of the passage is the mass, the levels are the spring: a quarter of the period
// 2π √(L W / (2 g D)) after the start the levels are equal. Filled to the brim, it must begin to
// flow at once.
static void a_long_passage_swings(void **state)
{
    (void)state;
    const int length = 1200, width = 20;
    scene s;
    straight(&s, length, width, 21, 20);
    s.def.params.liquid_viscosity = 0, s.def.params.pipes_kept = 1;
    double exact =
        0.5 * PI * sqrt(length * SIDE * width * SIDE / (2 * rv_gravity_down(&s.def.params) * GAP));
    double dt = exact / 80, end = (0.5 * length + 0.5 * width) * SIDE, crossed = NAN, before = 0;
    rv_world *world = create(&s.def);
    for (int i = 1; i < 120 && isnan(crossed); i++) {
        assert_int_equal(rv_world_step(world, dt), RV_OK);
        double apart = level_at(world, -end, 0) - level_at(world, end, 0);
        if (apart <= 0) crossed = dt * (i - apart / (apart - before));
        before = apart;
    }
    rv_stats t = stats_of(world);
    rv_world_destroy(world);
    if (!(fabs(crossed - exact) < 0.05 * exact)) fail_msg("%g s, not %g", crossed, exact);
    assert_int_equal(t.unsolved, 0);
}

// Iterations of a substep, mean over some frames.
static double iterations_of(int length, rv_area area)
{
    enum { FRAMES = 12 };
    scene s;
    straight(&s, length, 16, 20, 8);
    s.def.params.pipes_area = area;
    rv_world *world = create(&s.def);
    double iterations = 0, substeps = 0;
    for (int i = 0; i < FRAMES; i++) {
        assert_int_equal(rv_world_step(world, 9e-3), RV_OK);
        rv_stats t = stats_of(world);
        iterations += (double)t.iterations, substeps += (double)t.substeps;
        assert_int_equal(t.unsolved, 0);
        assert_true(t.flooded >= 2 * length);
    }
    rv_world_destroy(world);
    return iterations / substeps;
}

// Less flows through a longer passage, so that more digits of the heads count; but it is these
// digits and not the columns that cost. One more iteration for each column was what it cost before.
static void iterations_do_not_grow_with_the_length(void **state)
{
    (void)state;
    const rv_area areas[] = {RV_AREA_CELL, RV_AREA_WET};
    for (int k = 0; k < 2; k++) {
        double some = iterations_of(250, areas[k]), many = iterations_of(2000, areas[k]);
        if (!(many <= 2.5 * some)) fail_msg("%g, for 8 times the length %g", some, many);
        assert_true(many < 12);
    }
}

// The first substep finds the heads; after that there is nothing to do, and nothing moves.
static void what_rests_costs_no_iteration(void **state)
{
    (void)state;
    scene s;
    straight(&s, 400, 16, 20, 20);
    rv_world *world = create(&s.def);
    rv_world_step(world, 9e-3);
    for (int i = 0; i < 20; i++) {
        rv_world_step(world, 9e-3);
        assert_int_equal(stats_of(world).iterations, 0);
    }
    assert_true(stats_of(world).fastest == 0);
    double head = level_at(world, 0, 0); // of the passage: full to its ceiling
    assert_true(fabs(head - GAP) < 1e-6);
    rv_world_destroy(world);
}

// ---- Turned by 90 degrees -----------------------------------------------------------------------

// Tanks in two corners; between them a tunnel that turns back and forth, a hall, a cross, and a
// lower tunnel under them, joined by shafts. `odd`: cells in the middle of the grid.
static void maze(scene *s, bool odd)
{
    int n = odd ? 47 : 46, m = odd ? 39 : 40;
    begin(s, n, m);
    box(s, RV_SUBTRACT, (int[4]){1, 9, 1, 9}, 0, 60);
    box(s, RV_SUBTRACT, (int[4]){n - 9, n - 1, m - 9, m - 1}, 0, 60);
    for (int lane = 0; lane < 4; lane++) {
        int y = 2 + 2 * lane, x = lane % 2 ? 8 : 24;
        box(s, RV_SUBTRACT, (int[4]){8, 25, y, y + 1}, 0, 4);
        if (lane < 3) box(s, RV_SUBTRACT, (int[4]){x, x + 1, y, y + 3}, 0, 4);
    }
    box(s, RV_SUBTRACT, (int[4]){23, 40, 6, 20}, 0, 3);
    box(s, RV_UNION, (int[4]){28, 31, 9, 16}, -2, 6);
    box(s, RV_SUBTRACT, (int[4]){30, 33, 18, m - 2}, 0, 4);
    box(s, RV_SUBTRACT, (int[4]){12, n - 8, 26, 29}, 0, 5);
    box(s, RV_SUBTRACT, (int[4]){4, 6, 8, 36}, 0, 4);
    box(s, RV_SUBTRACT, (int[4]){4, n - 4, 34, 36}, 0, 4);
    box(s, RV_SUBTRACT, (int[4]){26, 28, 8, 36}, 6, 8);
    box(s, RV_SUBTRACT, (int[4]){26, 28, 10, 12}, 0, 8);
    box(s, RV_SUBTRACT, (int[4]){26, 28, 34, 36}, 0, 8);
    s->fill[0].level = 9 * SIDE, s->fill[1].level = 22 * SIDE;
    s->fill[1].to.x = (9 - 0.5 * n) * SIDE;
}

// (x, y) becomes (-y, x).
static void turn(scene *s)
{
    rv_params *p = &s->def.params;
    for (int i = 0; i < s->def.solid_count; i++) {
        rv_solid_def *b = &s->solid[i];
        b->at = (rv_vec3){-b->at.y, b->at.x, b->at.z};
        b->size = (rv_vec3){b->size.y, b->size.x, b->size.z};
    }
    for (int i = 0; i < 2; i++) {
        rv_vec3 from = s->fill[i].from, to = s->fill[i].to;
        s->fill[i].from = (rv_vec3){-to.y, from.x, from.z};
        s->fill[i].to = (rv_vec3){-from.y, to.x, to.z};
    }
    int nx = p->grid_nx;
    p->grid_nx = p->grid_ny, p->grid_ny = nx;
}

static int differing(const rv_world *a, const rv_world *b)
{
    rv_columns ca, cb;
    int count = 0;
    assert_int_equal(rv_world_get_columns(a, &ca), RV_OK);
    assert_int_equal(rv_world_get_columns(b, &cb), RV_OK);
    assert_int_equal(ca.planes, cb.planes);
    for (int l = 0; l < ca.planes; l++)
        for (int y = 0; y < ca.ny; y++)
            for (int x = 0; x < ca.nx; x++) {
                if (!rv_plane_has(&ca.plane[l], x, y)) continue;
                size_t i = rv_slot(&ca.plane[l], x, y);
                size_t j = rv_slot(&cb.plane[l], ca.ny - 1 - y, x);
                count += memcmp(&ca.depth[i], &cb.depth[j], sizeof(float)) != 0;
            }
    return count;
}

static void a_turned_maze_gives_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        scene a, b;
        maze(&a, k & 1);
        a.def.params.pipes_area = k & 2 ? RV_AREA_CELL : RV_AREA_WET;
        a.def.params.pipes_neighbours = k & 4 ? RV_NEIGHBOURS_EIGHT : RV_NEIGHBOURS_FOUR;
        b = a;
        b.def.solids = b.solid, b.def.fills = b.fill;
        turn(&b);
        rv_world *first = create(&a.def), *second = create(&b.def);
        for (int i = 0; i < 40; i++) {
            rv_world_step(first, 9e-3), rv_world_step(second, 9e-3);
            if (differing(first, second)) fail_msg("case %d, step %d differs", k, i);
        }
        rv_stats t = stats_of(first);
        assert_true(t.flooded > 300 && t.passages >= 1 && t.fastest > 1e-3);
        assert_int_equal(t.unsolved, 0);
        rv_world_destroy(first), rv_world_destroy(second);
    }
}

// ---- Lists that are kept ------------------------------------------------------------------------

static void set(rv_world *world, const rv_params *p)
{
    rv_messages m = {0};
    if (rv_world_set_params(world, p, &m) != RV_OK) fail_msg("%s", m.text);
}

// Another world with the same state and parameters, which has listed nothing yet.
static rv_world *twin(const rv_world *world, const scene *s, const rv_params *p)
{
    size_t size = rv_world_snapshot_size(world);
    void *snapshot = malloc(size);
    rv_world *other = create(&s->def);
    set(other, p);
    assert_int_equal(rv_world_save(world, snapshot, size), RV_OK);
    assert_int_equal(rv_world_restore(other, snapshot, size, NULL), RV_OK);
    free(snapshot);
    return other;
}

// The twin makes its lists anew, the first goes on with those it has: parameters that change in
// between, and cells that are carved, must be seen by both.
static void kept_lists_know_what_they_are_for(void **state)
{
    (void)state;
    scene s;
    maze(&s, false);
    rv_world *world = create(&s.def);
    rv_params p = s.def.params, next[4];
    for (int i = 0; i < 10; i++) rv_world_step(world, 9e-3);
    next[0] = next[1] = p;
    next[1].liquid_viscosity = 1e-5, next[1].gravity.z = -5;
    next[2] = next[1], next[2].pipes_slope = RV_SWITCH_OFF;
    next[3] = next[2], next[3].pipes_area = RV_AREA_CELL;
    for (int k = 0; k < 4; k++) {
        rv_world *other = twin(world, &s, &p);
        p = next[k];
        set(world, &p), set(other, &p);
        for (int i = 0; i < 10; i++) rv_world_step(world, 4e-3), rv_world_step(other, 4e-3);
        assert_true(stats_of(world).passages >= 1);
        assert_int_equal(rv_world_hash(world), rv_world_hash(other));
        rv_world_destroy(other);
    }
    rv_world_destroy(world);
}

// What is carved and added beside full columns makes other pipes of the same columns.
static void kept_lists_see_edits(void **state)
{
    (void)state;
    scene s;
    maze(&s, false);
    rv_world *world = create(&s.def);
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def edit = rv_default_event_def();
    tool.shape = RV_SHAPE_BOX, tool.size = (rv_vec3){2 * SIDE, 2 * SIDE, 40 * SIDE};
    edit.tool = &tool, edit.tool_count = 1, edit.path_count = 1;
    for (int k = 0; k < 4; k++) {
        rv_vec3 at = {(k < 2 ? 2 : 9) * SIDE, -2 * SIDE, 0};
        edit.kind = k % 2 ? RV_EVENT_CARVE : RV_EVENT_ADD, edit.path = &at;
        for (int i = 0; i < 5; i++) rv_world_step(world, 9e-3);
        rv_edit_report report;
        assert_int_equal(rv_world_edit(world, &edit, &report, NULL), RV_OK);
        assert_true(report.changed > 0);
        rv_world *other = twin(world, &s, &s.def.params);
        for (int i = 0; i < 5; i++) rv_world_step(world, 9e-3), rv_world_step(other, 9e-3);
        assert_true(stats_of(world).flooded > 300);
        assert_int_equal(rv_world_hash(world), rv_world_hash(other));
        rv_world_destroy(other);
    }
    rv_world_destroy(world);
}

// ---- No memory ----------------------------------------------------------------------------------

typedef struct stingy {
    rv_allocator real;
    int64_t left;
} stingy;

static void *stingy_allocate(size_t bytes, void *user)
{
    stingy *s = user;
    if (s->left == 0) return NULL;
    if (s->left > 0) s->left--;
    return s->real.allocate(bytes, s->real.user);
}

static void stingy_release(void *memory, size_t bytes, void *user)
{
    stingy *s = user;
    s->real.release(memory, bytes, s->real.user);
}

// Whichever array of a passage cannot be had: the step says so and is not made, nothing is lost,
// and with memory the passage is there again.
static void steps_without_memory_keep_the_liquid(void **state)
{
    (void)state;
    bool refused = true;
    for (int64_t patience = 0; refused; patience++) {
        scene s;
        stingy user = {rv_default_allocator(), -1};
        maze(&s, false);
        s.def.allocator = (rv_allocator){stingy_allocate, stingy_release, &user};
        rv_world *world = create(&s.def);
        double volume = stats_of(world).volume;
        user.left = patience;
        uint64_t before = rv_world_hash(world);
        rv_result r = RV_OK;
        for (int i = 0; i < 3 && r == RV_OK; i++) {
            before = rv_world_hash(world);
            r = rv_world_step(world, 9e-3);
        }
        refused = r != RV_OK;
        if (refused) {
            assert_int_equal(r, RV_OUT_OF_MEMORY);
            assert_true(rv_world_hash(world) == before);
        }
        user.left = -1;
        rv_stats t = stats_of(world);
        assert_true(fabs(t.volume - volume) < 1e-6 * volume && t.not_finite == 0);
        for (int i = 0; i < 3; i++) assert_int_equal(rv_world_step(world, 9e-3), RV_OK);
        t = stats_of(world);
        assert_true(t.passages >= 1 && fabs(t.volume - volume) < 1e-6 * volume);
        rv_world_destroy(world);
        assert_true(patience < 2000);
    }
}

// ---- Sums ---------------------------------------------------------------------------------------

static void sums_do_not_depend_on_the_order(void **state)
{
    (void)state;
    enum { N = 1003 };
    double a[N], b[N], exact = 0, size = 0;
    uint32_t random = 1;
    for (int i = 0; i < N; i++) {
        random = random * 1664525u + 1013904223u;
        a[i] = ldexp((double)(int32_t)random, -(int)(random >> 27) - 20);
        b[i] = 1.0 / (3.0 + (double)i);
        exact += a[i] * b[i], size += fabs(a[i] * b[i]);
    }
    double first = rv_passage_dot(N, a, b);
    assert_true(fabs(first - exact) < 1e-11 * size);
    for (int i = 0; i < N / 2; i++) {
        double va = a[i], vb = b[i];
        a[i] = a[N - 1 - i], b[i] = b[N - 1 - i];
        a[N - 1 - i] = va, b[N - 1 - i] = vb;
    }
    double second = rv_passage_dot(N, a, b);
    assert_memory_equal(&first, &second, sizeof first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_passage_swings),
        cmocka_unit_test(iterations_do_not_grow_with_the_length),
        cmocka_unit_test(what_rests_costs_no_iteration),
        cmocka_unit_test(a_turned_maze_gives_the_same_bits),
        cmocka_unit_test(kept_lists_know_what_they_are_for),
        cmocka_unit_test(kept_lists_see_edits),
        cmocka_unit_test(steps_without_memory_keep_the_liquid),
        cmocka_unit_test(sums_do_not_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
