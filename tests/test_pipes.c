// The pipes solver against a plain one: the same physics of one pipe, but columns in a list, pipes
// found by looking at every pair, no planes, blocks, strips, vectors or threads. They must agree to
// the last bit.
#include "columns/columns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const rv_solver_api rv_pipes_api;

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
    p.pipes_area = random_unit() < 0.3 ? RV_AREA_CELL : RV_AREA_WET;
    p.liquid_viscosity = random_unit() < 0.3 ? 0 : pow(10, -6 + 4 * random_unit());
    p.border_east = random_unit() < 0.5 ? RV_BORDER_OPEN : RV_BORDER_WALL;
    p.border_south = random_unit() < 0.5 ? RV_BORDER_LEVEL : RV_BORDER_WALL;
    p.border_south_level = 0.01;
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
                double top =
                    0.003 * (1 + sin(9 * wave[0][0] + 0.2 * x) * cos(9 * wave[0][1] + 0.3 * y));
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
        if (pass == 0) assert_int_equal(rv_columns_layout(set, &grid, count, &allocator), RV_OK);
    }
    rv_columns_snap(set);
    free(count);
}

static void pour(rv_solver *s, const rv_column_set *c)
{
    for (size_t i = 0; i < c->slots; i++)
        if (rv_column_exists(c, i) && random_unit() < 0.4)
            rv_pipes_api.add(s, i, 0.004 * random_unit());
}

static const rv_pipe_ease hard = {0, 0, 0};

// ---- The plain solver ---------------------------------------------------------------------------

typedef struct plain_pipe {
    int a, b; // columns; b < 0 beyond a border
    int side; // of a
    float slope, opening, beyond, flux;
    bool diagonal;
    int gaps;
} plain_pipe;

typedef struct plain {
    int columns, pipes;
    uint32_t *slot;
    int *cell_x, *cell_y, *plane;
    float *depth, *out, *in;
    const float *press; // by slot
    plain_pipe *pipe;
} plain;

static float slope_in_solver(const rv_solver *s, uint32_t a, uint32_t b, rv_way way)
{
    for (uint32_t i = 0; i < s->odd_count; i++)
        if (s->odd[i].a == a && s->odd[i].b == b) return (float)s->odd[i].slope;
    return (float)rv_slope_of(s, way)[a];
}

static float plain_opening(const plain *p, const rv_solver *s, int a, int b)
{
    const rv_column_set *c = s->columns;
    uint32_t sa = p->slot[a], sb = p->slot[b];
    return fminf(c->max[sa], c->max[sb]) - fmaxf(c->base[sa], c->base[sb]);
}

// A diagonal pipe needs a third column, at the corner between its ends, that is open to both.
static bool plain_corner(const plain *p, const rv_solver *s, int a, int b)
{
    for (int k = 0; k < p->columns; k++) {
        bool one = p->cell_x[k] == p->cell_x[a] && p->cell_y[k] == p->cell_y[b];
        bool two = p->cell_x[k] == p->cell_x[b] && p->cell_y[k] == p->cell_y[a];
        if ((one || two) && plain_opening(p, s, k, a) > 0 && plain_opening(p, s, k, b) > 0)
            return true;
    }
    return false;
}

static void plain_join(plain *p, const rv_solver *s, int a, int b, rv_way way)
{
    float opening = plain_opening(p, s, a, b);
    bool diagonal = way >= RV_WAY_NE;
    if (!(opening > 0) || (diagonal && !plain_corner(p, s, a, b))) return;
    float slope = slope_in_solver(s, p->slot[a], p->slot[b], way);
    assert_true(slope > 0); // the solver knows this pipe too
    p->pipe[p->pipes++] = (plain_pipe){.a = a,
                                       .b = b,
                                       .side = (int)rv_side_of(way, true),
                                       .slope = slope,
                                       .opening = opening,
                                       .diagonal = diagonal};
}

// Whether column k has a diagonal pipe to some column of a cell.
static bool plain_reaches(const plain *p, int k, int x, int y)
{
    for (int i = 0; i < p->pipes; i++) {
        const plain_pipe *q = &p->pipe[i];
        if (!q->diagonal || (q->a != k && q->b != k)) continue;
        int other = q->a == k ? q->b : q->a;
        if (p->cell_x[other] == x && p->cell_y[other] == y) return true;
    }
    return false;
}

static void plain_gaps(plain *p)
{
    for (int i = 0; i < p->pipes; i++) {
        plain_pipe *q = &p->pipe[i];
        if (q->diagonal) continue;
        int ends[2] = {q->a, q->b};
        for (int k = 0; k < 2; k++) {
            int own = ends[k], other = ends[1 - k];
            for (int side = -1; side <= 1; side += 2) {
                int x = p->cell_x[other], y = p->cell_y[other];
                if (p->cell_y[own] == y)
                    y += side;
                else
                    x += side;
                q->gaps += !plain_reaches(p, own, x, y);
            }
        }
    }
}

static void plain_borders(plain *p, const rv_solver *s)
{
    for (uint32_t i = 0; i < s->odd_count; i++) {
        if (s->odd[i].b != RV_NO_SLOT) continue;
        for (int k = 0; k < p->columns; k++)
            if (p->slot[k] == s->odd[i].a)
                p->pipe[p->pipes++] = (plain_pipe){.a = k,
                                                   .b = -1,
                                                   .side = s->odd[i].side,
                                                   .gaps = 4,
                                                   .slope = (float)s->odd[i].slope,
                                                   .opening = s->odd[i].opening,
                                                   .beyond = s->odd[i].beyond};
    }
}

static plain make_plain(const rv_solver *s)
{
    const rv_column_set *c = s->columns;
    size_t n = (size_t)c->columns;
    plain p = {.slot = calloc(n, sizeof(uint32_t)),
               .cell_x = calloc(n, sizeof(int)),
               .cell_y = calloc(n, sizeof(int)),
               .plane = calloc(n, sizeof(int)),
               .depth = calloc(n, sizeof(float)),
               .out = calloc(n, sizeof(float)),
               .in = calloc(n, sizeof(float)),
               .pipe = calloc(n * 32 + 1000, sizeof(plain_pipe))};
    for (int l = 0; l < c->planes; l++)
        for (int y = 0; y < c->grid.ny; y++)
            for (int x = 0; x < c->grid.nx; x++) {
                if (!rv_plane_has(&c->plane[l], x, y)) continue;
                size_t slot = rv_slot(&c->plane[l], x, y);
                if (!rv_column_exists(c, slot)) continue;
                int k = p.columns++;
                p.slot[k] = (uint32_t)slot, p.cell_x[k] = x, p.cell_y[k] = y, p.plane[k] = l;
                p.depth[k] = s->depth[slot];
            }
    for (int a = 0; a < p.columns; a++)
        for (int b = 0; b < p.columns; b++) {
            int dx = p.cell_x[b] - p.cell_x[a], dy = p.cell_y[b] - p.cell_y[a];
            if (dx == 1 && dy == 0) plain_join(&p, s, a, b, RV_WAY_X);
            if (dx == 0 && dy == 1) plain_join(&p, s, a, b, RV_WAY_Y);
            if (s->eight && dx == 1 && dy == 1) plain_join(&p, s, a, b, RV_WAY_NE);
            if (s->eight && dx == -1 && dy == 1) plain_join(&p, s, a, b, RV_WAY_NW);
        }
    plain_gaps(&p);
    int inner = p.pipes;
    assert_int_equal(inner, s->pipe_count);
    plain_borders(&p, s);
    return p;
}

// `step`: from the pipe's other end to this one, in slots; 0 for odd pipes.
static rv_pipe_end plain_end(const plain *p, const rv_solver *s, int k, ptrdiff_t step)
{
    float base = s->columns->base[p->slot[k]], behind = step ? 0 : p->depth[k];
    for (int i = 0; step && i < p->columns; i++)
        if ((ptrdiff_t)p->slot[i] == (ptrdiff_t)p->slot[k] + step) behind = p->depth[i];
    float press = p->press ? p->press[p->slot[k]] : 0;
    return (rv_pipe_end){base, p->depth[k], base + p->depth[k], behind, press};
}

static rv_pipe_end plain_beyond(const rv_solver *s, const plain_pipe *q)
{
    float depth = 0;
    if (q->side == RV_SOUTH) depth = fmaxf((float)s->params.border_south_level - q->beyond, 0);
    return (rv_pipe_end){q->beyond, depth, q->beyond + depth, depth, 0};
}

// Flux out of column k by side, regular pipe first, then planes upward: the order the solver
// promises.
static void plain_sides(const plain *p, int k, float out[8], float in[8], float net[8])
{
    memset(out, 0, 32), memset(in, 0, 32), memset(net, 0, 32);
    static const int opposite[8] = {RV_EAST,       RV_WEST,       RV_NORTH,      RV_SOUTH,
                                    RV_NORTH_EAST, RV_SOUTH_WEST, RV_NORTH_WEST, RV_SOUTH_EAST};
    for (int regular = 1; regular >= 0; regular--)
        for (int l = 0; l < RV_LAYERS_MAX; l++)
            for (int i = 0; i < p->pipes; i++) {
                const plain_pipe *q = &p->pipe[i];
                if (q->a != k && q->b != k) continue;
                int other = q->a == k ? q->b : q->a;
                int plane = other < 0 ? 0 : p->plane[other];
                bool is_regular = other >= 0 && plane == p->plane[k];
                if (plane != l || is_regular != (regular == 1)) continue;
                int side = q->a == k ? q->side : opposite[q->side];
                float flux = q->a == k ? q->flux : -q->flux;
                out[side] += fmaxf(flux, 0), in[side] += fmaxf(-flux, 0), net[side] += flux;
            }
}

static float plain_sum(const float v[8])
{
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

static void plain_step(plain *p, const rv_solver *s, const rv_pipe_law *law)
{
    bool cell = s->params.pipes_area == RV_AREA_CELL;
    float axial = !s->eight || cell ? 1 : (float)(2.0 / 3),
          more = s->eight && !cell ? (float)(1.0 / 12) : 0;
    rv_pipe_law slanted = *law;
    slanted.fall *= 1.41421356f;
    for (int i = 0; i < p->pipes; i++) {
        plain_pipe *q = &p->pipe[i];
        bool regular = q->b >= 0 && p->plane[q->a] == p->plane[q->b];
        ptrdiff_t step = regular ? (ptrdiff_t)p->slot[q->b] - (ptrdiff_t)p->slot[q->a] : 0;
        rv_pipe_end a = plain_end(p, s, q->a, -step);
        rv_pipe_end b = q->b < 0 ? plain_beyond(s, q) : plain_end(p, s, q->b, step);
        float share = axial + (float)q->gaps * more;
        if (q->diagonal) share = cell ? (float)sqrt(0.5) : (float)(1.0 / 6);
        rv_pipe pipe = {q->opening, q->slope, share, q->flux};
        const rv_pipe_law *own = q->diagonal ? &slanted : law;
        q->flux = cell ? rv_pipe_flux_cell(own, a, b, pipe, hard)
                       : rv_pipe_flux_wet(own, a, b, pipe, hard);
    }
    for (int k = 0; k < p->columns; k++) {
        float out[8], in[8], net[8];
        plain_sides(p, k, out, in, net);
        uint32_t slot = p->slot[k];
        float cap = s->columns->max[slot] - s->columns->base[slot];
        p->out[k] = rv_share(rv_to_give(p->depth[k]), law->dt_area * plain_sum(out));
        p->in[k] = rv_share(rv_to_take(p->depth[k], cap), law->dt_area * plain_sum(in));
    }
    for (int i = 0; i < p->pipes; i++) {
        plain_pipe *q = &p->pipe[i];
        float out_b = q->b < 0 ? 1 : p->out[q->b], in_b = q->b < 0 ? 1 : p->in[q->b];
        q->flux *= q->flux > 0 ? fminf(p->out[q->a], in_b) : fminf(out_b, p->in[q->a]);
    }
    for (int k = 0; k < p->columns; k++) {
        float out[8], in[8], net[8];
        plain_sides(p, k, out, in, net);
        p->depth[k] = rv_depth_after(p->depth[k], law->dt_area * -plain_sum(net), law->salt);
    }
}

static void free_plain(plain *p)
{
    free(p->slot), free(p->cell_x), free(p->cell_y), free(p->plane);
    free(p->depth), free(p->out), free(p->in), free(p->pipe);
}

// ---- Tests --------------------------------------------------------------------------------------

// Whether a column without room takes more than the plain solver would let it, see scales.c.
static bool is_relaxed(const rv_solver *s)
{
    for (uint32_t k = 0; k < s->cut_count; k++)
        if (s->in_scale[s->cut[k].slot] > s->cut[k].safe) return true;
    return false;
}

static void agrees_with_plain(void **state)
{
    (void)state;
    rv_allocator allocator = rv_default_allocator();
    for (uint32_t seed = 1; seed <= 12; seed++) {
        random_state = seed > 6 ? seed - 6 : seed;
        rv_params params = random_params(13);
        if (seed > 6) params.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
        if (seed % 3 == 0) params.pipes_quotient = 1e-4;
        rv_column_set set;
        make_columns(&set, &params, (int)(seed % 4));
        rv_solver *s;
        assert_int_equal(rv_pipes_api.create(&(rv_solver_setup){.columns = &set,
                                                                .params = &params,
                                                                .pool = NULL,
                                                                .allocator = &allocator},
                                             &s),
                         RV_OK);
        pour(s, &set);
        plain p = make_plain(s);
        float *press = calloc(set.slots, sizeof(float));
        rv_rect pressed = {4, 3, 9, 7};
        for (int l = 0; l < set.planes; l++)
            for (int y = pressed.y0; y < pressed.y1; y++)
                for (int x = pressed.x0; x < pressed.x1; x++)
                    if (rv_plane_has(&set.plane[l], x, y))
                        press[rv_slot(&set.plane[l], x, y)] = (float)(0.004 * random_unit());
        for (int step = 0; step < 40; step++) {
            if (step == 20) p.press = press, rv_pipes_api.press(s, press, pressed);
            rv_pipes_api.substep(s, 1e-3);
            assert_false(is_relaxed(s));
            plain_step(&p, s, &s->law);
            for (int k = 0; k < p.columns; k++)
                if (memcmp(&p.depth[k], &s->depth[p.slot[k]], sizeof(float)) != 0)
                    fail_msg("seed %u step %d column %d: %.9g, plainly %.9g", seed, step, k,
                             (double)s->depth[p.slot[k]], (double)p.depth[k]);
        }
        free_plain(&p);
        free(press);
        rv_pipes_api.destroy(s);
        rv_columns_free(&set);
    }
}

// A single layer goes through strips; the same by passes, by other instruction sets and by more
// threads.
static void ways_agree_with(rv_neighbours neighbours)
{
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    rv_allocator allocator = rv_default_allocator();
    rv_pool *pool = rv_pool_create(3);
    random_state = 7;
    rv_params params = random_params(100);
    params.border_east = params.border_south = RV_BORDER_WALL;
    params.pipes_area = RV_AREA_WET, params.grid_top = 1;
    params.pipes_neighbours = neighbours;
    rv_column_set set;
    make_columns(&set, &params, 0);
    for (size_t i = 0; i < set.slots; i++)
        if (rv_column_exists(&set, i)) set.max[i] = 1.0f;
    float *want = NULL, *press = calloc(set.slots, sizeof(float));
    for (int y = 30; y < 50; y++)
        for (int x = 20; x < 60; x++) press[rv_slot(&set.plane[0], x, y)] = 1e-3f;
    for (int way = 0; way < 5; way++) {
        rv_solver *s;
        assert_int_equal(rv_pipes_api.create(&(rv_solver_setup){.columns = &set,
                                                                .params = &params,
                                                                .pool = way == 4 ? pool : NULL,
                                                                .allocator = &allocator},
                                             &s),
                         RV_OK);
        if (way < 3 && !rv_pipes_rows_named(sets[way])) {
            rv_pipes_api.destroy(s);
            continue;
        }
        if (way < 3) s->rows = rv_pipes_rows_named(sets[way]);
        random_state = 8;
        pour(s, &set);
        for (int step = 0; step < 200; step++) {
            if (step == 50) rv_pipes_api.press(s, press, (rv_rect){20, 30, 60, 50});
            if (step == 150) rv_pipes_api.press(s, NULL, (rv_rect){0, 0, 0, 0});
            if (way != 3) {
                rv_pipes_api.substep(s, 1e-3);
            } else {
                rv_pipes_wake(s);
                rv_pipes_set_law(s, 1e-3);
                rv_pipes_substep_split(s, 1e-3);
                s->clock.substeps++;
            }
        }
        if (!want) {
            want = malloc(set.slots * sizeof(float));
            memcpy(want, s->depth, set.slots * sizeof(float));
        }
        for (size_t i = 0; i < set.slots; i++)
            if (rv_column_exists(&set, i) && memcmp(&want[i], &s->depth[i], sizeof(float)) != 0)
                fail_msg("way %d, slot %zu: %.9g, not %.9g", way, i, (double)s->depth[i],
                         (double)want[i]);
        rv_pipes_api.destroy(s);
    }
    free(want), free(press);
    rv_columns_free(&set);
    rv_pool_destroy(pool);
}

static void ways_agree(void **state)
{
    (void)state;
    ways_agree_with(RV_NEIGHBOURS_FOUR);
    ways_agree_with(RV_NEIGHBOURS_EIGHT);
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
    assert_int_equal(rv_columns_from_heights(&set, &grid, heights, &allocator), RV_OK);
    rv_solver *s;
    assert_int_equal(rv_pipes_api.create(&(rv_solver_setup){.columns = &set,
                                                            .params = &params,
                                                            .pool = NULL,
                                                            .allocator = &allocator},
                                         &s),
                     RV_OK);
    for (int y = 10; y < 20; y++)
        for (int x = 10; x < 20; x++) rv_pipes_api.add(s, rv_slot(&set.plane[0], x, y), 2e-3);
    for (int step = 0; step < 200; step++) rv_pipes_api.substep(s, 2e-3);
    int awake = 0;
    for (uint32_t r = 0; r < s->row_count; r++) awake += __builtin_popcountll(s->awake[r]);
    assert_in_range(awake, 1, 400); // of 512 × 16
    rv_pipes_api.destroy(s);
    rv_columns_free(&set);
    free(heights);
}

static rv_pipe_law law_of(double dt, double viscosity)
{
    double one = (double)RV_SLOPE_ONE;
    return (rv_pipe_law){.push = (float)(dt * 9.81 / one),
                         .push_cell = (float)(dt * 9.81e-3 / one),
                         .kept = 1,
                         .drag = (float)(3 * dt * viscosity * one),
                         .dt_area = (float)(dt / 1e-6),
                         .film = 1e-6f,
                         .fall = 1.732e-3f};
}

// On a level bed a thick liquid flows as lubrication theory says: g (Ha⁴ - Hb⁴) / (12 ν) a width.
static void thick_flux_is_lubrication(void **state)
{
    (void)state;
    rv_pipe_law law = law_of(1e-3, 1.0);
    const rv_pipe level_pipe = {1, RV_SLOPE_ONE, 1, 0};
    rv_pipe_end a = {0, 2e-3f, 2e-3f, 2.4e-3f, 0}, b = {0, 1.2e-3f, 1.2e-3f, 1e-3f, 0};
    double flux = (double)rv_pipe_flux_wet(&law, a, b, level_pipe, hard);
    double want = 9.81 * (pow(2e-3, 4) - pow(1.2e-3, 4)) / 12.0;
    assert_true(fabs(flux / want - 1) < 1e-3); // drag 3 dt ν is 3e-3 m², H² 4e-6
    rv_pipe_end high = {4e-4f, 2e-3f, 2.4e-3f, 2e-3f, 0},
                low = {0, 2e-3f, 2e-3f, 2e-3f, 0}; // uniform film downhill
    flux = (double)rv_pipe_flux_wet(&law, high, low, level_pipe, hard);
    assert_true(fabs(flux / (9.81 * 8e-9 / 3.0 * 4e-4) - 1) < 2e-3);
}

// Over wild numbers: finite, the same seen from the other side, and drag never speeds up.
static void flux_is_sane(void **state)
{
    (void)state;
    random_state = 99;
    for (int i = 0; i < 200000; i++) {
        double viscosity = random_unit() < 0.2 ? 0 : pow(10, -9 + 12 * random_unit());
        rv_pipe_law law = law_of(pow(10, -6 + 5 * random_unit()), viscosity);
        rv_pipe_law free_law = law;
        free_law.drag = 0;
        rv_pipe_end e[2];
        for (int k = 0; k < 2; k++) {
            float depth = random_unit() < 0.2 ? 0 : (float)pow(10, -9 + 9 * random_unit());
            float base = (float)(random_unit() - 0.5);
            e[k] = (rv_pipe_end){base, depth, base + depth, (float)(0.01 * random_unit()), 0};
        }
        float flux = (float)((random_unit() - 0.5) * pow(10, -12 + 12 * random_unit()));
        float slope = RV_SLOPE_ONE * (float)(0.25 + 0.75 * random_unit());
        rv_pipe pipe = {3e38f, slope, 1, flux}, reverse = {3e38f, slope, 1, -flux};
        float f = rv_pipe_flux_wet(&law, e[0], e[1], pipe, hard);
        float back = rv_pipe_flux_wet(&law, e[1], e[0], reverse, hard);
        float loose = rv_pipe_flux_wet(&free_law, e[0], e[1], pipe, hard);
        assert_true(isfinite(f));
        assert_true(f == -back);
        assert_true(fabsf(f) <= fabsf(loose) * 1.000001f);
        f = rv_pipe_flux_cell(&law, e[0], e[1], pipe, hard);
        assert_true(isfinite(f) && f == -rv_pipe_flux_cell(&law, e[1], e[0], reverse, hard));
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
        cmocka_unit_test(agrees_with_plain), cmocka_unit_test(ways_agree),
        cmocka_unit_test(dry_sleeps),        cmocka_unit_test(thick_flux_is_lubrication),
        cmocka_unit_test(flux_is_sane),      cmocka_unit_test(rounding_has_no_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
