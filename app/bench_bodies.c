// What bodies cost: one ball dropped into a tank as large as the tank paper's (§8), and two
// hundred balls and boxes dropped into a larger one, in steps of 3 ms; each as a share of real
// time.
#include "app/bench_bodies.h"

#include "app/options.h"
#include "app/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP 3e-3     // s
#define STEPS 1000    // of a run: all bodies drop in within the first 100
#define LAST 667      // from here on they float: the third second
#define WINDOW 33     // steps of the dearest tenth of a second
#define DX 0.01       // m
#define BODIES 200    // in the larger tank
#define PAPER_FPS 25. // tank paper §8: frames a second of 100 × 100 cells with one body
#define PAPER_TIMES 100

typedef struct item {
    const char *name;
    int cells;     // of the tank, each way
    double radius; // cells; of a box: half of its mean edge
    int boxes;     // so many of the bodies, the others are balls
    double depth;  // m of liquid
    rv_area area;  // of the pipes
    bool one;      // a single ball, beside the paper's figure
    bool eight;    // pipes to all eight neighbours
} item;

static const item items[] = {
    {"one ball, cell", 100, 5, 0, 0.10, RV_AREA_CELL, true, true},
    {"one ball, wet", 100, 5, 0, 0.10, RV_AREA_WET, true, false},
    {"200 balls r2, cell", 200, 2, 0, 0.10, RV_AREA_CELL, false, false},
    {"200 balls r2, wet", 200, 2, 0, 0.10, RV_AREA_WET, false, false},
    {"200 balls r4, cell", 200, 4, 0, 0.20, RV_AREA_CELL, false, false},
    {"200 balls r4, wet", 200, 4, 0, 0.20, RV_AREA_WET, false, false},
    {"100 boxes + 100 balls r4, wet", 200, 4, 100, 0.20, RV_AREA_WET, false, false},
};

typedef struct result {
    double ms[STEPS]; // of each step: the least of all repeats, which are alike
    double mean, worst, substeps;
} result;

// A third of them light, most afloat, some sink; boxes are no cubes and stand askew.
static rv_body_def body_of(const item *it, int index)
{
    static const double density[8] = {300, 700, 500, 900, 200, 600, 2000, 800};
    rv_body_def body = rv_default_body_def();
    double r = it->radius * DX;
    body.density = density[index % 8];
    body.radius = r;
    body.at.z = it->depth + 2 * r + 0.1;
    if (it->one) return body;
    int x = index % 15, y = index / 15;
    double pitch = it->cells * DX / 15;
    body.at.x = (x - 7) * pitch, body.at.y = (y - 7) * pitch;
    body.at.z += 0.01 * (index * 7 % 23); // not all at once
    if ((index & 1) == 0 || it->boxes == 0) return body;
    body.shape = RV_BODY_BOX;
    body.size = (rv_vec3){1.8 * r, 1.5 * r, 2.2 * r};
    body.rotate = (rv_vec3){0.3 * (index % 5), 0.2 * (index % 7), 0.1 * (index % 11)};
    return body;
}

static rv_world *make_world(const item *it, rv_pool *pool)
{
    size_t cells = (size_t)it->cells * (size_t)it->cells;
    rv_world *world = NULL;
    rv_messages messages = {0};
    rv_body_def bodies[BODIES];
    int count = it->one ? 1 : BODIES;
    for (int i = 0; i < count; i++) bodies[i] = body_of(it, i);
    float *bed = calloc(cells, sizeof *bed);
    rv_world_def def = rv_default_world_def();
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_LEVEL, fill.level = it->depth;
    def.params.grid_nx = def.params.grid_ny = it->cells;
    def.params.grid_dx = DX, def.params.grid_top = 2.0;
    def.params.time_step = STEP, def.params.tension_on = false;
    def.params.pipes_area = it->area;
    def.params.pipes_neighbours = it->eight ? RV_NEIGHBOURS_EIGHT : RV_NEIGHBOURS_FOUR;
    def.heights = bed, def.pool = pool;
    def.fills = &fill, def.fill_count = 1;
    def.bodies = bodies, def.body_count = count;
    if (!bed || rv_world_create(&def, &world, &messages) != RV_OK) rv_print_messages(&messages);
    free(bed);
    return world;
}

static bool run_once(const item *it, rv_pool *pool, result *r, rv_progress *progress, double done,
                     double span)
{
    rv_world *world = make_world(it, pool);
    if (!world) return false;
    for (int i = 0; i < STEPS; i++) {
        double start = rv_seconds();
        rv_world_step(world, STEP);
        r->ms[i] = fmin(r->ms[i], 1e3 * (rv_seconds() - start));
        rv_progress_show(progress, done + span * i / STEPS, it->name);
    }
    rv_stats stats;
    rv_world_get_stats(world, &stats);
    r->substeps = (double)stats.all_substeps / STEPS;
    rv_world_destroy(world);
    return true;
}

static double mean_of(const double *ms, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += ms[i];
    return sum / count;
}

static bool run_item(const rv_bodies_bench *settings, const item *it, rv_pool *pool, result *r,
                     rv_progress *progress, double done, double span)
{
    for (int i = 0; i < STEPS; i++) r->ms[i] = INFINITY;
    for (int k = 0; k < settings->repeat; k++)
        if (!run_once(it, pool, r, progress, done + k * span / settings->repeat,
                      span / settings->repeat))
            return false;
    r->mean = mean_of(r->ms + LAST, STEPS - LAST);
    r->worst = 0;
    for (int i = 0; i + WINDOW <= STEPS; i++) r->worst = fmax(r->worst, mean_of(r->ms + i, WINDOW));
    rv_progress_clear(progress);
    return true;
}

// How much faster than the paper one ball has to be, all others than real time. NAN: no target.
static void print_row(const item *it, int threads, const result *r)
{
    double real = r->mean / (1e3 * STEP), worst = r->worst / (1e3 * STEP);
    printf("%-30s %7d %8.2f %9.3f %8.1f%% %9.3f %8.1f%%", it->name, threads, r->substeps, r->mean,
           100 * real, r->worst, 100 * worst);
    double times = 1e3 / r->worst / PAPER_FPS;
    if (it->one) printf(" %6.0fx%s", times, times >= PAPER_TIMES ? "" : " NOT REACHED");
    if (!it->one && threads > 1) printf(" %7s%s", "", worst < 1 ? "" : " NOT REACHED");
    putchar('\n');
    fflush(stdout);
}

static void print_json(const item *it, int threads, const result *r, bool first)
{
    printf("%s\n  {\"item\": \"%s\", \"threads\": %d, \"substeps\": %.3g, \"ms\": %.6g, "
           "\"real_time\": %.4g, \"ms_dearest\": %.6g, \"real_time_dearest\": %.4g, ",
           first ? "[" : ",", it->name, threads, r->substeps, r->mean, r->mean / (1e3 * STEP),
           r->worst, r->worst / (1e3 * STEP));
    if (it->one)
        printf("\"paper_ratio\": %.4g}", 1e3 / r->worst / PAPER_FPS);
    else
        printf("\"paper_ratio\": null}");
}

bool rv_bench_bodies(const rv_bodies_bench *settings)
{
    enum { ITEMS = sizeof items / sizeof *items };
    rv_progress progress = rv_progress_start(settings->json);
    int pools = settings->threads > 1 ? 2 : 1, done = 0;
    bool fine = true;
    result *r = malloc(sizeof *r);
    if (!settings->json)
        printf("%-30s %7s %8s %9s %9s %9s %9s %7s\n", "bodies", "threads", "substeps", "ms/step",
               "of 3 ms", "dearest", "of 3 ms", "paper");
    for (int i = 0; i < ITEMS && fine && r; i++)
        for (int p = 0; p < pools && fine; p++, done++) {
            int threads = p == 0 ? 1 : settings->threads;
            rv_pool *pool = threads > 1 ? rv_pool_create(threads) : NULL;
            double all = ITEMS * pools;
            fine = run_item(settings, &items[i], pool, r, &progress, done / all, 1 / all);
            rv_pool_destroy(pool);
            if (fine && settings->json)
                print_json(&items[i], threads, r, done == 0);
            else if (fine)
                print_row(&items[i], threads, r);
        }
    if (settings->json) puts("\n]");
    free(r);
    return fine && r != NULL;
}
