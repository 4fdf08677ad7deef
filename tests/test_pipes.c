// The engine of columns against a plain solver (plain_columns.h), which must agree to the last bit,
// against itself by other ways, and the laws of single pipes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "columns/bands.h"
#include "columns/laws/flow.h"
#include "plain_columns.h"

// ---- Random layered columns ---------------------------------------------------------------------

static uint32_t random_state;

static double random_unit(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (double)(random_state >> 8) / 16777216.0;
}

static rv_params random_params(int n)
{
    rv_params p = rv_default_params();
    p.grid_nx = n, p.grid_ny = n - 3, p.grid_dx = 1e-3;
    p.grid_bottom = 0, p.grid_top = 0.03;
    p.pipes_passages = RV_PASSAGES_NONE;
    p.tension_on = false; // the plain solver has none
    p.pipes_area = random_unit() < 0.3 ? RV_AREA_CELL : RV_AREA_WET;
    p.liquid_viscosity = random_unit() < 0.3 ? 0 : pow(10, -6 + 4 * random_unit());
    rv_border *const border[] = {&p.border_west, &p.border_east, &p.border_south, &p.border_north};
    double *const level[] = {&p.border_west_level, &p.border_east_level, &p.border_south_level,
                             &p.border_north_level};
    for (int k = 0; k < 4; k++) {
        double draw = random_unit();
        *border[k] = draw < 0.4 ? RV_BORDER_WALL : draw < 0.7 ? RV_BORDER_OPEN : RV_BORDER_LEVEL;
        *level[k] = 0.012 * random_unit();
    }
    return p;
}

// Ground, and up to three slabs above it with gaps, each a smooth random height.
static void make_columns(rv_column_set *set, const rv_params *p, int layers)
{
    rv_grid grid = rv_grid_of(p);
    rv_allocator allocator = rv_default_allocator();
    size_t cells = (size_t)(grid.nx * grid.ny);
    uint8_t *count = calloc(cells, 1);
    double wave[8][3];
    for (int l = 0; l < 8; l++)
        for (int k = 0; k < 3; k++) wave[l][k] = random_unit();
    for (int pass = 0; pass < 2; pass++) {
        for (int y = 0; y < grid.ny; y++) {
            for (int x = 0; x < grid.nx; x++) {
                double high = 0.0015 + 0.003 * wave[0][2]; // so that some is nearly a fall
                double top =
                    high * (1 + sin(9 * wave[0][0] + 0.2 * x) * cos(9 * wave[0][1] + 0.45 * y));
                double low = 0;
                int n = 0;
                for (int l = 0; l <= layers; l++) {
                    double hole =
                        sin(7 * wave[l + 1][0] + 0.31 * x) + sin(7 * wave[l + 1][1] + 0.23 * y);
                    bool last = l == layers;
                    if (!last && hole < 0.2) continue;
                    double under = last ? 0.03 : 0.004 + 0.006 * (l + 1) + 0.001 * hole;
                    if (pass == 1) {
                        size_t slot = rv_slot(&set->plane[n], x, y);
                        set->min[slot] = (float)low, set->base[slot] = (float)top;
                        set->max[slot] = (float)under;
                    }
                    n++;
                    low = under, top = under + 0.0015 + 0.0005 * hole;
                }
                count[y * grid.nx + x] = (uint8_t)n;
            }
        }
        if (pass == 0)
            assert_int_equal(rv_columns_layout(set, &grid, count, NULL, &allocator), RV_OK);
    }
    rv_columns_snap(set);
    free(count);
}

static void pour(rv_engine *s, const rv_column_set *c)
{
    for (size_t i = 0; i < c->slots; i++)
        if (rv_column_exists(c, i) && random_unit() < 0.4)
            rv_pipes_add(s, i, 0.004 * random_unit());
}

// ---- Tests --------------------------------------------------------------------------------------

static rv_engine *make_solver(const rv_column_set *set, const rv_params *params, rv_pool *pool)
{
    rv_allocator allocator = rv_default_allocator();
    rv_solver_setup setup = {
        .columns = set, .params = params, .pool = pool, .allocator = &allocator};
    rv_engine *s = NULL;
    assert_int_equal(rv_pipes_create(&setup, &s), RV_OK);
    return s;
}

// Where the engine keeps a column of the plain solver.
static size_t slot_of(const rv_engine *s, const plain_column *c)
{
    return rv_slot(&s->columns->plane[c->plane], c->x, c->y);
}

static void compare_one(const char *what, int where, int step, float own, float plainly)
{
    if (own != plainly)
        fail_msg("%s %d, step %d: %.9g, plainly %.9g", what, where, step, (double)own,
                 (double)plainly);
}

static void compare(const rv_engine *s, const plain *p, int step)
{
    for (int k = 0; k < p->columns; k++)
        compare_one("depth", k, step, s->depth[slot_of(s, &p->column[k])], p->column[k].depth);
    for (int i = 0; i < p->pipes; i++) {
        const plain_pipe *q = &p->pipe[i];
        if (!q->regular) continue;
        size_t slot = slot_of(s, &p->column[q->a]);
        compare_one("flux", i, step, s->flux[q->way][slot], q->flux);
        if (s->flow) compare_one("speed", i, step, s->speed[q->way][slot], q->speed);
    }
}

// Both find the same pipes, on beds that are as steep.
static void compare_pipes(const rv_engine *s, const plain *p)
{
    uint32_t odd = 0;
    assert_int_equal(p->inner_pipes, s->pipe_count);
    for (int i = 0; i < p->pipes; i++) {
        const plain_pipe *q = &p->pipe[i];
        odd += !q->regular;
        if (!q->regular) continue;
        size_t slot = slot_of(s, &p->column[q->a]);
        compare_one("slope", i, 0, (float)s->slope[q->way][slot], q->slope);
        if (q->way < ALONG_NE) compare_one("rise", i, 0, (float)s->rise[q->way][slot], q->rise);
    }
    assert_int_equal(odd, s->odd_count);
}

static float *random_press(const rv_column_set *set, rv_rect cells)
{
    float *press = calloc(set->slots, sizeof(float));
    for (int l = 0; l < set->planes; l++)
        for (int y = cells.y0; y < cells.y1; y++)
            for (int x = cells.x0; x < cells.x1; x++)
                if (rv_plane_has(&set->plane[l], x, y))
                    press[rv_slot(&set->plane[l], x, y)] = (float)(0.004 * random_unit());
    return press;
}

// A substep of any length in which nothing goes further than a cell, so that it is not divided.
static double random_substep(const rv_engine *s)
{
    double longest = 0.9 * s->params.grid_dx / fmax(s->pace, 0.5);
    return s->flow ? longest * (0.3 + 0.7 * random_unit()) : 1e-3;
}

// Steps both; the last third under heads from outside, `clipped` as a step that is far too long.
static void run_both(const rv_params *params, int layers, bool clipped)
{
    rv_column_set set;
    make_columns(&set, params, layers);
    rv_engine *s = make_solver(&set, params, NULL);
    pour(s, &set);
    plain p = make_plain(&set, params);
    compare_pipes(s, &p);
    rv_rect pressed = {4, 3, 9, 7};
    float *press = random_press(&set, pressed), *own = calloc((size_t)p.columns, sizeof *own);
    for (int k = 0; k < p.columns; k++) {
        size_t slot = slot_of(s, &p.column[k]);
        p.column[k].depth = s->depth[slot], own[k] = press[slot];
    }
    if (clipped) rv_pipes_substeps(s, 1.0);
    assert_true(s->clipped == clipped);
    for (int step = 0; step < 60; step++) {
        if (step == 40) p.press = own, rv_pipes_press(s, press, pressed);
        uint32_t before = s->clock.substeps;
        double dt = random_substep(s);
        rv_pipes_substep(s, dt);
        assert_int_equal(s->clock.substeps, before + 1);
        plain_step(&p, dt, clipped);
        compare(s, &p, step);
    }
    free_plain(&p);
    free(press), free(own);
    rv_pipes_destroy(s);
    rv_columns_free(&set);
}

// Of law `cell` and law `flow`, of four neighbours and eight, of swe with all its ways to carry:
// random layered terrains with borders, thick and thin liquid, gravity that slants.
static void agrees_with_plain(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 24; seed++) {
        random_state = seed;
        rv_params p = random_params(13);
        int kind = (int)seed % 6; // cell, flow, eight neighbours of both, swe in three ways
        p.pipes_area = kind == 0 || seed % 12 == 2 ? RV_AREA_CELL : RV_AREA_WET;
        if (kind == 2) p.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
        if (kind > 2) p.solver = RV_SOLVER_SWE, p.swe_order = kind == 3 ? 1 : 2;
        if (kind == 5) p.swe_advection = RV_SWE_SEMI;
        if (seed % 5 == 0) p.pipes_quotient = 1e-4, p.pipes_quotient_pressure = seed % 2 ? 1 : 0;
        if (seed % 4 == 0) p.gravity = (rv_vec3){0.7, -1.1, -9.7};
        if (seed % 7 == 0) p.pipes_momentum = false;
        p.time_substeps_max = 1;
        run_both(&p, (int)(seed / 6) % 4, seed % 8 == 1);
    }
}

// A substep that is too long for the pace is the same as the parts it is divided into.
static void long_substeps_are_divided(void **state)
{
    (void)state;
    random_state = 5;
    rv_params params = random_params(40);
    params.pipes_area = RV_AREA_WET;
    rv_column_set set;
    make_columns(&set, &params, 1);
    rv_engine *one = make_solver(&set, &params, NULL), *two = make_solver(&set, &params, NULL);
    random_state = 6;
    pour(one, &set);
    random_state = 6;
    pour(two, &set);
    for (int step = 0; step < 40; step++) {
        double dt = (step < 20 ? 0.7 : 2.1) * params.grid_dx / one->pace; // first, all gets going
        int parts = step < 20 ? 1 : 3;
        uint32_t before = one->clock.substeps;
        rv_pipes_substep(one, dt);
        assert_int_equal(one->clock.substeps, before + (uint32_t)parts);
        for (int k = 0; k < parts; k++) rv_pipes_substep(two, dt / parts);
        assert_int_equal(two->clock.substeps, one->clock.substeps);
        for (size_t i = 0; i < set.slots; i++)
            if (rv_column_exists(&set, i)) assert_true(one->depth[i] == two->depth[i]);
    }
    rv_pipes_destroy(one);
    rv_pipes_destroy(two);
    rv_columns_free(&set);
}

// ---- The same bits by other ways ----------------------------------------------------------------

// All of the state: columns that there are, odd pipes, clock.
static uint64_t state_hash(rv_engine *s)
{
    rv_state_field field[RV_STATE_FIELDS_MAX];
    uint64_t hash = 0xcbf29ce484222325u;
    for (int n = rv_pipes_fields(s, field); n-- > 0;)
        for (size_t i = 0; i < field[n].count; i++) {
            if (field[n].by_slot && !rv_column_exists(s->columns, i)) continue;
            const uint8_t *bytes = (const uint8_t *)field[n].data + i * field[n].item;
            for (size_t k = 0; k < field[n].item; k++) hash = (hash ^ bytes[k]) * 0x100000001b3u;
        }
    return hash;
}

// Nothing flows in blocks that sleep, nor has it a velocity.
static void assert_asleep(const rv_engine *s)
{
    for (uint32_t r = 0; r < s->row_count; r++)
        for (int x = 0; x < s->row[r].count; x++) {
            uint32_t i = s->row[r].first + (uint32_t)x;
            if (s->awake[r] >> (x >> s->block_shift) & 1) continue;
            for (int way = 0; way < rv_ways(s); way++) {
                assert_true(s->flux[way][i] == 0);
                if (s->flow) assert_true(s->speed[way][i] == 0);
            }
        }
}

// Half of the grid is dry at first. `set`: of instructions; NULL: the best.
static uint64_t run_way(const rv_column_set *set, const rv_params *params, rv_pool *pool,
                        const char *instructions, const float *press)
{
    rv_engine *s = make_solver(set, params, pool);
    if (instructions) s->loops = rv_loops_named(instructions);
    random_state = 8;
    for (int l = 0; l < set->planes; l++)
        for (int y = 0; y < set->grid.ny; y++)
            for (int x = 0; x < set->grid.nx / 2; x++) {
                if (!rv_plane_has(&set->plane[l], x, y)) continue;
                size_t slot = rv_slot(&set->plane[l], x, y);
                if (rv_column_exists(set, slot) && random_unit() < 0.6)
                    rv_pipes_add(s, slot, 0.005 * random_unit());
            }
    for (int step = 0; step < 12; step++) {
        if (step == 4) rv_pipes_press(s, press, (rv_rect){10, 20, 30, 50});
        if (step == 8) rv_pipes_press(s, NULL, (rv_rect){0, 0, 0, 0});
        int n = rv_pipes_substeps(s, 2e-3);
        for (int k = 0; k < n; k++) rv_pipes_substep(s, 2e-3 / n);
        assert_asleep(s);
    }
    assert_int_equal(s->bands->count, rv_pool_threads(pool));
    uint64_t hash = state_hash(s);
    rv_pipes_destroy(s);
    return hash;
}

static void ways_agree_for(const rv_params *params, int layers)
{
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    static const int threads[] = {2, 3, 4, 7};
    rv_column_set set;
    make_columns(&set, params, layers);
    float *press = random_press(&set, (rv_rect){10, 20, 30, 50});
    uint64_t want = run_way(&set, params, NULL, "baseline", press);
    for (int k = 1; k < 3; k++)
        if (rv_loops_named(sets[k]).rows)
            assert_true(run_way(&set, params, NULL, sets[k], press) == want);
    for (int k = 0; k < 4; k++) {
        rv_pool *pool = rv_pool_create(threads[k]);
        uint64_t got = run_way(&set, params, pool, NULL, press);
        rv_pool_destroy(pool);
        if (got != want) fail_msg("%d threads give other bits", threads[k]);
    }
    free(press);
    rv_columns_free(&set);
}

// Both laws, both solvers, with and without ceilings, passages and borders, on a grid that is large
// enough for seven bands, and whose rows are as few as bands can be.
static void ways_agree(void **state)
{
    (void)state;
    for (int kind = 0; kind < 12; kind++) {
        random_state = 70 + (uint32_t)kind;
        rv_params p = random_params(70);
        p.grid_ny = 7 * 16 + kind % 3;
        p.pipes_area = kind % 6 == 0 ? RV_AREA_CELL : RV_AREA_WET;
        if (kind % 6 == 2) p.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
        if (kind % 6 > 2) p.solver = RV_SOLVER_SWE, p.swe_order = kind % 6 == 3 ? 1 : 2;
        if (kind % 6 == 5) p.swe_advection = RV_SWE_SEMI;
        if (kind >= 6) p.pipes_passages = RV_PASSAGES_PRESSURE;
        if (kind < 3) p.grid_top = 1; // the lid is far, and with no layers one part is all
        ways_agree_for(&p, kind < 3 ? 0 : 1 + kind % 3);
    }
}

// A drop in the corner of a large dry plain wakes only blocks near it.
static void dry_sleeps(void **state)
{
    (void)state;
    rv_allocator allocator = rv_default_allocator();
    rv_params params = rv_default_params();
    params.grid_nx = params.grid_ny = 512, params.grid_top = 1;
    rv_column_set set;
    float *heights = calloc(512 * 512, sizeof(float));
    rv_grid grid = rv_grid_of(&params);
    assert_int_equal(rv_columns_from_heights(&set, &grid, heights, NULL, &allocator), RV_OK);
    rv_engine *s = make_solver(&set, &params, NULL);
    for (int y = 10; y < 20; y++)
        for (int x = 10; x < 20; x++) rv_pipes_add(s, rv_slot(&set.plane[0], x, y), 2e-3);
    for (int step = 0; step < 200; step++) rv_pipes_substep(s, 2e-3);
    int awake = 0;
    for (uint32_t r = 0; r < s->row_count; r++) awake += __builtin_popcountll(s->awake[r]);
    assert_in_range(awake, 1, 400); // of 512 × 16
    rv_pipes_destroy(s);
    rv_columns_free(&set);
    free(heights);
}

// ---- Single pipes -------------------------------------------------------------------------------

static rv_law law_of(double dt, double viscosity)
{
    double one = (double)RV_SLOPE_ONE, dx = 1e-3;
    return (rv_law){.steepest = 1e30f,
                    .push = (float)(dt * 9.81 / dx / one),
                    .kept = 1,
                    .drag = (float)(3 * dt * viscosity * one),
                    .dt_area = (float)(dt / (dx * dx)),
                    .film = 1e-6f,
                    .fall = 1.732e-3f,
                    .courant = (float)(dt / dx),
                    .width = (float)dx,
                    .second = 0.5f,
                    .reach = 0.5f,
                    .deepest = 1e30f,
                    .fastest = 1e30f};
}

static const rv_flow_ease hard = {.tilted = 1, .hard = 1};

// Thick liquid between columns of depth a and b, and those behind them, on a level bed or a step
// down by `drop`: the flux over what lubrication theory says, g (Ha⁴ - Hb⁴) / (12 ν) and g H³ S dx
// / (3 ν).
static double thick_flux(double a, double b, double drop)
{
    rv_law law = law_of(1e-3, 1.0);
    rv_flow_end low = {.base = (float)drop, .depth = (float)a, .behind = (float)(a + (a - b))};
    rv_flow_end high = {.depth = (float)b, .behind = (float)(b - (a - b))};
    rv_flow_pipe pipe = {
        .slope = RV_SLOPE_ONE, .both = (float)(a + b), .opening = 1.0f, .share = 1.0f};
    double flux = (double)rv_flow_through(&law, low, high, pipe, hard).flux;
    double level = 9.81 * (pow(a, 4) - pow(b, 4)) / 12.0, film = 9.81 * pow(a, 3) / 3.0 * drop;
    return flux / (drop > 0 ? film : level);
}

// To second order of the difference of depths on a level bed, and at once on a slope.
static void thick_flux_is_lubrication(void **state)
{
    (void)state;
    double near = thick_flux(2.1e-3, 1.9e-3, 0), nearer = thick_flux(2.05e-3, 1.95e-3, 0);
    double drag = 1 + 4e-6 / 3e-3; // 3 dt ν is 3e-3 m², H² 4e-6; the theory knows drag alone
    assert_true(fabs(near * drag - 1) < 3e-3);
    assert_true(fabs(nearer * drag - 1) < 8e-4);
    assert_true(fabs(thick_flux(2e-3, 2e-3, 4e-4) * drag - 1) < 1e-4);
}

static rv_flow_end random_end(void)
{
    float depth = random_unit() < 0.2 ? 0 : (float)pow(10, -9 + 9 * random_unit());
    return (rv_flow_end){.base = (float)(random_unit() - 0.5),
                         .depth = depth,
                         .behind = (float)(0.01 * random_unit()),
                         .spread = (float)(20 * (random_unit() - 0.5))};
}

static rv_pipe_end cell_end(rv_flow_end e)
{
    return (rv_pipe_end){e.depth, e.base + e.depth, e.press};
}

// Over wild numbers: finite, the same seen from the other side, and drag never speeds up.
static void flux_is_sane(void **state)
{
    (void)state;
    random_state = 99;
    for (int i = 0; i < 200000; i++) {
        double viscosity = random_unit() < 0.2 ? 0 : pow(10, -9 + 12 * random_unit());
        rv_law law = law_of(pow(10, -6 + 5 * random_unit()), viscosity), free_law = law;
        free_law.drag = 0;
        rv_flow_end a = random_end(), b = random_end();
        float u = (float)((random_unit() - 0.5) * pow(10, -6 + 8 * random_unit()));
        rv_flow_pipe pipe = {.slope = RV_SLOPE_ONE * (float)(0.25 + 0.75 * random_unit()),
                             .u = u,
                             .carried = u * (float)(0.1 * random_unit()),
                             .both = fmaxf(a.depth + b.depth, law.film),
                             .opening = 3e38f,
                             .share = 1};
        rv_flow_pipe reverse = pipe;
        reverse.u = -pipe.u, reverse.carried = -pipe.carried;
        rv_flow f = rv_flow_through(&law, a, b, pipe, hard);
        rv_flow back = rv_flow_through(&law, b, a, reverse, hard);
        rv_flow loose = rv_flow_through(&free_law, a, b, pipe, hard);
        assert_true(isfinite(f.flux) && isfinite(f.speed));
        assert_true(f.flux == -back.flux && f.speed == -back.speed);
        assert_true(fabsf(f.flux) <= fabsf(loose.flux) * 1.000001f);
        rv_pipe cell = {pipe.slope, 1, 0, u}, other = {pipe.slope, 1, 0, -u};
        float flux = rv_pipe_flux(&law, cell_end(a), cell_end(b), cell, 0);
        assert_true(isfinite(flux));
        assert_true(flux == -rv_pipe_flux(&law, cell_end(b), cell_end(a), other, 0));
        assert_true(flux == rv_pipe_flux(&law, cell_end(a), cell_end(b), cell, 1));
    }
}

// A change far below the spacing of floats is kept on average.
static void rounding_has_no_bias(void **state)
{
    (void)state;
    float depth = 0.0173f, start = depth, change = -3.3e-11f; // the spacing here is 1.9e-9
    int n = 200000;
    for (uint32_t i = 0; i < (uint32_t)n; i++) depth = rv_depth_after(depth, change, rv_salt(i));
    double want = (double)change * n, got = (double)depth - (double)start;
    assert_true(fabs(got / want - 1) < 0.05);
    assert_true(rv_depth_after(0.25f, 0.0f, 5) == 0.25f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_plain),
        cmocka_unit_test(long_substeps_are_divided),
        cmocka_unit_test(ways_agree),
        cmocka_unit_test(dry_sleeps),
        cmocka_unit_test(thick_flux_is_lubrication),
        cmocka_unit_test(flux_is_sane),
        cmocka_unit_test(rounding_has_no_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
