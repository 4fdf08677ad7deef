// Two tanks joined by a flooded passage, from 500 to 4,000 columns of it, in frames of 9 ms: what a
// frame costs with `axis`, `unified` and `pressure`, and how many iterations `pressure` takes. A
// straight passage one column wide is the hardest for an iteration, since what happens at one end
// has the longest way to the other. A wide one is the most work; one that turns back and forth
// between walls of one cell shows that the shape does not matter; at rest nothing is to be done.
#include "app/bench_passages.h"

#include "app/options.h"
#include "app/progress.h"
#include "app/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FRAMES 60
#define FRAME 9e-3    // s, the papers' step
#define SIDE 1e-3     // m, of a cell
#define TANK 16       // cells, each way
#define CEILING 4e-3  // m, of the passage
#define DOMAIN 30e-3  // m, the top
#define LANES_MOST 63 // of a passage that turns back and forth

// The passage between the tanks, in cells. More than one lane: it runs back and forth, with walls
// of one cell between.
typedef struct passage {
    const char *name;
    int length, width, lanes;
    double second; // m, level in the second tank; that in the first is 20 mm
} passage;

static const passage passages[] = {
    {"straight", 500, 1, 1, 8e-3},       {"straight", 1000, 1, 1, 8e-3},
    {"straight", 2000, 1, 1, 8e-3},      {"straight", 4000, 1, 1, 8e-3},
    {"at rest", 4000, 1, 1, 20e-3},      {"wide", 64, 63, 1, 8e-3},
    {"wide, at rest", 64, 63, 1, 20e-3}, {"back and forth", 63, 1, 63, 8e-3},
};
enum { PASSAGES = sizeof passages / sizeof *passages };

typedef struct kind {
    const char *name;
    rv_passages passages;
    rv_area area;
} kind;

static const kind kinds[] = {
    {"axis", RV_PASSAGES_AXIS, RV_AREA_CELL},
    {"unified", RV_PASSAGES_UNIFIED, RV_AREA_CELL},
    {"pressure", RV_PASSAGES_PRESSURE, RV_AREA_CELL},
    {"pressure, wet", RV_PASSAGES_PRESSURE, RV_AREA_WET},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct result {
    double ms, substeps, iterations; // of a frame, mean over the run; ms of one processor
    int64_t flooded, unsolved;
} result;

// ---- The scene ----------------------------------------------------------------------------------

typedef struct scene {
    rv_solid_def solids[3 + 2 * LANES_MOST];
    rv_fill_def fills[2];
    rv_world_def def;
} scene;

// A box over cells [x1, x2) × [y1, y2), counted from the grid's corner.
static void add_box(scene *s, rv_operation op, const int x[2], const int y[2], double z1, double z2)
{
    const rv_params *p = &s->def.params;
    rv_solid_def *box = &s->solids[s->def.solid_count++];
    *box = rv_default_solid_def();
    box->shape = RV_SHAPE_BOX, box->op = op;
    box->size = (rv_vec3){(x[1] - x[0]) * SIDE, (y[1] - y[0]) * SIDE, z2 - z1};
    box->at = (rv_vec3){(0.5 * (x[0] + x[1]) - 0.5 * p->grid_nx) * SIDE,
                        (0.5 * (y[0] + y[1]) - 0.5 * p->grid_ny) * SIDE, 0.5 * (z1 + z2)};
}

// The lanes from south to north, and what joins each to the next: at the east, then the west, ….
static void cut_passage(scene *s, const passage *p)
{
    int west = TANK + 1, pitch = p->width + 1;
    for (int lane = 0; lane < p->lanes; lane++) {
        int y = 1 + lane * pitch, east = west + p->length;
        bool first = lane == 0, last = lane == p->lanes - 1;
        add_box(s, RV_SUBTRACT, (int[2]){west - first, east + last}, (int[2]){y, y + p->width}, 0,
                CEILING);
        if (last) break;
        int turn = lane % 2 == 0 ? east - p->width : west;
        add_box(s, RV_SUBTRACT, (int[2]){turn, turn + p->width},
                (int[2]){y + p->width, y + p->width + 1}, 0, CEILING);
    }
}

static void make_scene(scene *s, const passage *p, const kind *k)
{
    int across = p->lanes * (p->width + 1) - 1, high = across > TANK ? across : TANK;
    int nx = p->length + 2 * TANK + 2, ny = high + 2;
    *s = (scene){.def = rv_default_world_def()};
    rv_params *q = &s->def.params;
    q->grid_nx = nx, q->grid_ny = ny, q->grid_dx = SIDE, q->tension_on = false;
    q->grid_bottom = -2e-3, q->grid_top = DOMAIN, q->time_step = FRAME;
    q->pipes_passages = k->passages, q->pipes_area = k->area;
    add_box(s, RV_UNION, (int[2]){-9, nx + 9}, (int[2]){-9, ny + 9}, -0.05, 0.1);
    add_box(s, RV_SUBTRACT, (int[2]){1, 1 + TANK}, (int[2]){1, 1 + TANK}, 0, 0.2);
    add_box(s, RV_SUBTRACT, (int[2]){nx - 1 - TANK, nx - 1}, (int[2]){ny - 1 - TANK, ny - 1}, 0,
            0.2);
    cut_passage(s, p);
    for (int i = 0; i < 2; i++) s->fills[i] = rv_default_fill_def();
    s->fills[0].level = 20e-3, s->fills[1].level = p->second;
    s->fills[0].to.x = (1 + TANK - 0.5 * nx) * SIDE;
    s->def.solids = s->solids, s->def.fills = s->fills, s->def.fill_count = 2;
}

// ---- Measuring ----------------------------------------------------------------------------------

static bool time_once(const scene *s, result *out)
{
    rv_world *world = NULL;
    rv_messages messages = {0};
    rv_stats stats = {0};
    if (rv_world_create(&s->def, &world, &messages) != RV_OK) {
        rv_print_messages(&messages);
        return false;
    }
    rv_world_step(world, FRAME); // makes room for the passage
    double seconds = 0, iterations = 0, substeps = 0;
    for (int i = 0; i < FRAMES; i++) {
        clock_t start = clock(); // of the processor: there is one thread, and others may be busy
        rv_world_step(world, FRAME);
        seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
        rv_world_get_stats(world, &stats);
        iterations += (double)stats.iterations, substeps += (double)stats.substeps;
    }
    rv_world_destroy(world);
    out->ms = fmin(out->ms, 1e3 * seconds / FRAMES);
    out->iterations = iterations / FRAMES, out->substeps = substeps / FRAMES;
    out->flooded = stats.flooded, out->unsolved = stats.unsolved;
    return true;
}

static bool measure(const passage *p, const kind *k, int repeat, result *out)
{
    scene *s = malloc(sizeof *s);
    if (!s) return false;
    make_scene(s, p, k);
    *out = (result){.ms = INFINITY};
    bool fine = true;
    for (int i = 0; i < repeat && fine; i++) fine = time_once(s, out);
    free(s);
    return fine;
}

static void print_result(const passage *p, const kind *k, const result *r, bool json, bool first)
{
    if (json)
        printf("%s\n  {\"passage\": \"%s\", \"kind\": \"%s\", \"flooded\": %lld, \"substeps\": "
               "%.4g, \"ms_simulation\": %.4g, \"iterations\": %.4g, \"unsolved\": %lld}",
               first ? "[" : ",", p->name, k->name, (long long)r->flooded, r->substeps, r->ms,
               r->iterations, (long long)r->unsolved);
    else
        printf("%-16s %-14s %8lld %9.2f %9.3f %11.1f %9lld\n", p->name, k->name,
               (long long)r->flooded, r->substeps, r->ms, r->iterations, (long long)r->unsolved);
    fflush(stdout);
}

bool rv_bench_passages(const rv_passages_bench *settings)
{
    rv_progress progress = rv_progress_start(settings->json);
    bool fine = true;
    if (!settings->json)
        printf("%-16s %-14s %8s %9s %9s %11s %9s\n", "passage", "kind", "flooded", "substeps",
               "ms/frame", "iterations", "unsolved");
    for (int i = 0; i < PASSAGES && fine; i++)
        for (int k = 0; k < KINDS && fine; k++) {
            result r;
            rv_progress_show(&progress, (i * KINDS + k) / (double)(PASSAGES * KINDS),
                             passages[i].name);
            fine = measure(&passages[i], &kinds[k], settings->repeat, &r);
            rv_progress_clear(&progress);
            if (fine) print_result(&passages[i], &kinds[k], &r, settings->json, i + k == 0);
        }
    if (settings->json) puts("\n]");
    return fine;
}
