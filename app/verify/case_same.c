// What must be the same: a scene turned by 90 degrees bit for bit, one turned by 45 degrees in its
// front, and any scene for any number of threads.
#include "both.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SIDE 0x1p-10 // m: a power of two, so that places on the grid are exact, turned or not

// ---- A scene with layers, a source, a drain and a passage ---------------------------------------

typedef struct scene {
    rv_solid_def solids[4];
    rv_fill_def fills[2];
    rv_source_def source;
    rv_drain_def drain;
    rv_world_def def;
} scene;

static void make_scene(scene *s)
{
    memset(s, 0, sizeof *s);
    s->solids[0] =
        rv_verify_box(RV_UNION, -40 * SIDE, 40 * SIDE, -40 * SIDE, 40 * SIDE, -8 * SIDE, 0);
    s->solids[1] =
        rv_verify_box(RV_UNION, -12 * SIDE, 4 * SIDE, -16 * SIDE, 10 * SIDE, 3 * SIDE, 6 * SIDE);
    s->solids[2] =
        rv_verify_box(RV_SUBTRACT, -6 * SIDE, -2 * SIDE, -6 * SIDE, 2 * SIDE, 2 * SIDE, 8 * SIDE);
    s->solids[3] = rv_default_solid_def();
    s->solids[3].shape = RV_SHAPE_SPHERE, s->solids[3].radius = 5.5 * SIDE;
    s->solids[3].at = (rv_vec3){13 * SIDE, 7 * SIDE, SIDE};
    s->fills[0] = rv_default_fill_def();
    s->fills[0].level = 3.5 * SIDE;
    s->fills[0].to.x = 2 * SIDE;
    s->fills[1] = rv_default_fill_def();
    s->fills[1].kind = RV_FILL_DROP, s->fills[1].volume = 4e-7, s->fills[1].radius = 6 * SIDE;
    s->fills[1].at = (rv_vec3){9 * SIDE, -11 * SIDE, 20 * SIDE};
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){-5 * SIDE, 6 * SIDE, 20 * SIDE};
    s->source.radius = 2.6 * SIDE, s->source.rate = 1e-6;
    s->drain = rv_default_drain_def();
    s->drain.from = (rv_vec3){10 * SIDE, -20 * SIDE, -1},
    s->drain.to = (rv_vec3){20 * SIDE, -12 * SIDE, 1};
    s->drain.rate = 3e-7;
    s->def = rv_verify_def();
    s->def.params.grid_nx = 44, s->def.params.grid_ny = 40, s->def.params.grid_dx = SIDE;
    s->def.params.grid_bottom = -2 * SIDE, s->def.params.grid_top = 20 * SIDE;
    s->def.params.border_east = RV_BORDER_OPEN;
    s->def.solids = s->solids, s->def.solid_count = 4;
    s->def.fills = s->fills, s->def.fill_count = 2;
    s->def.sources = &s->source, s->def.source_count = 1;
    s->def.drains = &s->drain, s->def.drain_count = 1;
}

// ---- Turned by 90 degrees: (x, y) becomes (-y, x) -----------------------------------------------

static rv_vec3 turned(rv_vec3 p)
{
    return (rv_vec3){-p.y, p.x, p.z};
}

static void turn_box(rv_vec3 *from, rv_vec3 *to)
{
    rv_vec3 a = *from, b = *to;
    *from = (rv_vec3){-b.y, a.x, a.z}, *to = (rv_vec3){-a.y, b.x, b.z};
}

static void turn_scene(scene *s)
{
    for (int i = 0; i < 4; i++) {
        rv_vec3 size = s->solids[i].size;
        s->solids[i].at = turned(s->solids[i].at);
        s->solids[i].size = (rv_vec3){size.y, size.x, size.z};
    }
    for (int i = 0; i < 2; i++) {
        s->fills[i].at = turned(s->fills[i].at);
        turn_box(&s->fills[i].from, &s->fills[i].to);
    }
    s->source.at = turned(s->source.at);
    turn_box(&s->drain.from, &s->drain.to);
    rv_params *p = &s->def.params;
    int nx = p->grid_nx;
    p->grid_nx = p->grid_ny, p->grid_ny = nx;
    rv_border west = p->border_west, south = p->border_south;
    p->border_south = west, p->border_west = p->border_north;
    p->border_north = p->border_east, p->border_east = south;
}

// Columns whose base, ceiling or depth differs from that of the turned world.
static double differing(const rv_world *a, const rv_world *b)
{
    rv_columns ca, cb;
    if (rv_world_get_columns(a, &ca) != RV_OK || rv_world_get_columns(b, &cb) != RV_OK) return NAN;
    if (ca.planes != cb.planes) return INFINITY;
    double count = 0;
    for (int l = 0; l < ca.planes; l++) {
        for (int y = 0; y < ca.ny; y++) {
            for (int x = 0; x < ca.nx; x++) {
                int tx = ca.ny - 1 - y, ty = x;
                bool has = rv_plane_has(&ca.plane[l], x, y),
                     has_b = rv_plane_has(&cb.plane[l], tx, ty);
                if (has != has_b) count++;
                if (!has || !has_b) continue;
                size_t i = rv_slot(&ca.plane[l], x, y), j = rv_slot(&cb.plane[l], tx, ty);
                bool same = memcmp(&ca.depth[i], &cb.depth[j], 4) == 0 &&
                            ca.base[i] == cb.base[j] && ca.max[i] == cb.max[j];
                count += !same;
            }
        }
    }
    return count;
}

static void turn_by_90(rv_report *report, rv_passages passages, const char *word)
{
    scene a, b;
    make_scene(&a);
    make_scene(&b);
    turn_scene(&b);
    a.def.params.pipes_passages = b.def.params.pipes_passages = passages;
    rv_world *first = rv_verify_world(report, &a.def), *second = rv_verify_world(report, &b.def);
    double time = report->quick ? 0.3 : 3;
    if (first && second) {
        double before = differing(first, second);
        rv_verify_run(report, first, 0.01, time);
        rv_verify_run(report, second, 0.01, time);
        rv_report_add(report, before + differing(first, second), 0, 0,
                      "columns that differ, 90 deg, %s", word);
    }
    rv_world_destroy(first);
    rv_world_destroy(second);
}

// ---- Turned by 45 degrees: a drop runs down an incline ------------------------------------------

static double run_out(rv_report *report, int solver, double turn, double dx, double viscosity,
                      double radius, double time)
{
    const double slope = tan(20 * PI / 180), start = -0.02;
    const int n = (int)lround(0.08 / dx);
    double cx = cos(turn), cy = sin(turn), reached = NAN;
    rv_world_def def = rv_verify_def();
    rv_fill_def fill = rv_default_fill_def();
    float *heights = malloc((size_t)n * (size_t)n * sizeof *heights);
    if (!heights) return NAN;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            heights[y * n + x] = (float)(0.1 - slope * ((x + 0.5 - 0.5 * n) * dx * cx +
                                                        (y + 0.5 - 0.5 * n) * dx * cy));
    def.params.grid_nx = def.params.grid_ny = n, def.params.grid_dx = dx, def.params.grid_top = 0.2;
    def.params.solver = rv_both_kind(solver), def.params.liquid_viscosity = viscosity;
    fill.kind = RV_FILL_DROP, fill.volume = 1e-6, fill.radius = radius;
    fill.at = (rv_vec3){start * cx, start * cy, 1};
    def.fills = &fill, def.fill_count = 1, def.heights = heights;
    rv_world *world = rv_verify_world(report, &def);
    if (world && rv_verify_run(report, world, 0.005, time)) {
        for (double s = start; s < 0.04; s += 2e-5) {
            rv_vec3 at = {s * cx, s * cy, 1};
            rv_sample sample;
            rv_world_sample(world, &at, 1, &sample);
            if (sample.depth > 5e-5) reached = s - start;
        }
    }
    rv_world_destroy(world);
    free(heights);
    return reached;
}

static void check_turned(rv_report *report)
{
    turn_by_90(report, RV_PASSAGES_PRESSURE, "pressure");
    turn_by_90(report, RV_PASSAGES_UNIFIED, "unified");
    turn_by_90(report, RV_PASSAGES_AXIS, "axis");
    turn_by_90(report, RV_PASSAGES_NONE, "none");
    const double finest = report->quick ? 1e-3 : 0.25e-3;
    for (double dx = 1e-3; dx >= finest; dx *= 0.5) {
        double straight = run_out(report, 0, 0, dx, 1e-3, 0.012, report->quick ? 2 : 10);
        double diagonal = run_out(report, 0, PI / 4, dx, 1e-3, 0.012, report->quick ? 2 : 10);
        // In the short time of --quick the drop has run only some 20 cells.
        rv_report_add(report, diagonal, straight, report->quick ? NAN : 0.02,
                      "front of a viscous drop, 45 deg, dx %.2f mm, m", dx * 1e3);
    }
    // This one falls together by its inertia and throws its edge out; which way it runs further is
    // decided by how momentum is carried.
    for (int k = 0; k < RV_BOTH; k++) {
        const double dx = report->quick ? 1e-3 : 0.5e-3;
        double straight = run_out(report, k, 0, dx, 1e-4, 0.008, 1.5);
        double diagonal = run_out(report, k, PI / 4, dx, 1e-4, 0.008, 1.5);
        rv_report_add(report, diagonal, straight, report->quick ? NAN : 0.02,
                      "%s, front of a tall thin drop, 45 deg, m", rv_both_word(k));
    }
}

const rv_case rv_case_turned = {
    .name = "turned",
    .title = "Turned scenes",
    .about = "a scene turned by 90 and by 45 degrees gives the same, turned",
    .text = "A layered scene with a passage, a source, a drain and an open border, turned by "
            "90°: every column must have the same bits. A viscous drop that runs down 20° along "
            "x and along the diagonal: the same front. A tall thin drop (1 ml, 8 mm in radius, "
            "ν = 1e-4 m²/s), with `pipes` and with `swe`: it falls together by its inertia at "
            "first, and must still run equally far both ways; that takes momentum that is carried "
            "along with the liquid.\n\n"
            "To rely on: it does not matter how a scene is laid on the grid.",
    .run = check_turned,
};

// ---- Threads ------------------------------------------------------------------------------------

static uint64_t run_on(rv_report *report, int threads, rv_passages passages)
{
    scene s;
    rv_pool *own = report->pool, *pool = rv_pool_create(threads);
    make_scene(&s);
    s.def.params.pipes_passages = passages;
    report->pool = pool;
    rv_world *world = rv_verify_world(report, &s.def);
    if (world) rv_verify_run(report, world, 0.01, report->quick ? 0.2 : 2);
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    report->pool = own;
    rv_pool_destroy(pool);
    return hash;
}

static void check_threads(rv_report *report)
{
    static const char *const word[] = {"none", "axis", "unified", "pressure"};
    for (int p = RV_PASSAGES_NONE; p <= RV_PASSAGES_PRESSURE; p++) {
        uint64_t one = run_on(report, 1, (rv_passages)p);
        int different = (run_on(report, 2, (rv_passages)p) != one);
        different += run_on(report, 4, (rv_passages)p) != one;
        rv_report_add(report, one == 0 ? (double)NAN : (double)different, 0, 0,
                      "hashes that differ, %s", word[p]);
    }
}

const rv_case rv_case_threads = {
    .name = "threads",
    .title = "Threads",
    .about = "1, 2 and 4 threads give the same state",
    .text = "The same scene on 1, 2 and 4 threads: equal hashes.\n\n"
            "To rely on: a result can be repeated bit for bit, on any number of threads and "
            "with any instruction set.",
    .run = check_threads,
};
