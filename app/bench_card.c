// What a substep costs on the graphics card: plain grids, every column wet, a wave running over
// them, by the card's own timers, beside the wall clock; and whether the same steps on the
// processor give the same bits.
#include "app/bench_card.h"

#include "app/backend.h"
#include "app/options.h"
#include "app/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MOST 1.5   // of the wall clock, a row
#define COMPARED_MOST 1024 // cells each way up to which the processor does the same
#define STEPS_MOST 40

static const int sizes[] = {200, 1024, 4096, 8192};
enum { SIZES = sizeof sizes / sizeof *sizes };

// What moves the liquid, and a step of some thirty substeps.
typedef struct law {
    const char *name;
    rv_solver_kind solver;
    rv_area area;
    double step; // s
    bool tense;
} law;

static const law laws[] = {
    {"pipes, cell", RV_SOLVER_PIPES, RV_AREA_CELL, 0.2, false},
    {"pipes, wet", RV_SOLVER_PIPES, RV_AREA_WET, 0.05, false},
    {"swe", RV_SOLVER_SWE, RV_AREA_WET, 0.05, false},
    {"pipes, tense", RV_SOLVER_PIPES, RV_AREA_WET, 0.01, true},
};
enum { LAWS = sizeof laws / sizeof *laws };

typedef struct result {
    int size;
    int64_t substeps;
    double card_us, wall_us; // a substep; NAN: there are no timers
    int same;                // -1: not compared
} result;

typedef struct bench {
    const rv_card_bench *settings;
    const rv_device *device;
    float *heights;
    rv_fill_def fills[2];
} bench;

static rv_world_def def_of(bench *b, int n, const law *l)
{
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = n;
    def.params.grid_top = 1.0, def.params.tension_on = l->tense;
    def.params.time_step = l->step;
    def.params.solver = l->solver, def.params.pipes_area = l->area;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        double x = (double)(i % (size_t)n), y = (double)(i / (size_t)n);
        b->heights[i] = (float)(0.01 + 0.005 * sin(0.02 * x) * cos(0.03 * y));
    }
    b->fills[0] = b->fills[1] = rv_default_fill_def();
    b->fills[0].level = 0.022, b->fills[0].to.x = 0, b->fills[1].level = 0.02;
    def.heights = b->heights, def.fills = b->fills, def.fill_count = 2;
    return def;
}

// Steps until it has taken long enough; the clocks begin after the first step, which warms it up.
static bool time_world(bench *b, const rv_world_def *def, result *r, int *steps, uint64_t *hash)
{
    const rv_device *d = def->device;
    rv_world *world = NULL;
    rv_messages messages = {0};
    rv_stats before, after;
    rv_device_ticket ticket = 0;
    bool done = false, good = rv_world_create(def, &world, &messages) == RV_OK;
    if (!good) {
        rv_print_messages(&messages);
        return false;
    }
    good = rv_world_step(world, def->params.time_step) == RV_OK;
    rv_world_fetch(world, RV_FETCH_ALL); // waits for it
    rv_world_get_counters(world, &before);
    if (d && d->timers) d->begin_timer(d->user);
    double start = rv_seconds(), ms = NAN;
    int n = 0;
    while (good &&
           (*steps > 0 ? n < *steps : n < STEPS_MOST && rv_seconds() < start + SECONDS_MOST))
        good = rv_world_step(world, def->params.time_step) == RV_OK, n++;
    if (d && d->timers && d->end_timer(d->user, &ticket) == RV_OK)
        d->timer(d->user, ticket, true, &done, &ms);
    rv_world_get_counters(world, &after);
    *hash = rv_world_hash(world);
    r->substeps = after.all_substeps - before.all_substeps;
    r->card_us = 1e3 * ms / (double)r->substeps;
    r->wall_us = 1e6 * (rv_seconds() - start) / (double)r->substeps;
    *steps = n;
    rv_world_destroy(world);
    (void)b;
    if (!good) fprintf(stderr, "rivulet bench: the card failed\n");
    return good;
}

static bool measure(bench *b, int size, const law *l, result *out)
{
    rv_world_def def = def_of(b, size, l);
    uint64_t hash = 0, other = 0;
    int steps = 0;
    *out = (result){.size = size, .card_us = INFINITY, .wall_us = INFINITY, .same = -1};
    def.device = b->device;
    for (int k = 0; k < b->settings->repeat; k++) {
        result r = {0};
        if (!time_world(b, &def, &r, &steps, &hash)) return false;
        out->substeps = r.substeps;
        out->card_us = isnan(r.card_us) ? NAN : fmin(out->card_us, r.card_us);
        out->wall_us = fmin(out->wall_us, r.wall_us);
    }
    if (size > COMPARED_MOST) return true;
    result here = {0};
    def.device = NULL;
    if (!time_world(b, &def, &here, &steps, &other)) return false;
    out->same = hash == other;
    return true;
}

static void print_result(const rv_card_bench *s, const law *l, const result *r, bool first)
{
    char card[24] = "null", same[8] = "null";
    if (isfinite(r->card_us)) snprintf(card, sizeof card, "%.4g", r->card_us);
    if (r->same >= 0) snprintf(same, sizeof same, "%s", r->same ? "true" : "false");
    if (s->json)
        printf("%s\n  {\"item\": \"card\", \"grid\": %d, \"law\": \"%s\", \"substeps\": %lld, "
               "\"us_card\": %s, \"us_wall\": %.4g, \"same\": %s}",
               first ? "[" : ",", r->size, l->name, (long long)r->substeps, card, r->wall_us, same);
    else
        printf("%-10d %-12s %9lld %10s %10.1f  %s\n", r->size, l->name, (long long)r->substeps,
               isfinite(r->card_us) ? card : "-", r->wall_us,
               r->same < 0 ? "-"
               : r->same   ? "yes"
                           : "NO");
    fflush(stdout);
}

static bool run(bench *b, rv_progress *progress)
{
    bool fine = true, first = true;
    for (int i = 0; i < SIZES && fine; i++)
        for (int k = 0; k < LAWS && fine && sizes[i] <= b->settings->most; k++) {
            result r;
            rv_progress_show(progress, (i * LAWS + k) / (double)(SIZES * LAWS), laws[k].name);
            fine = measure(b, sizes[i], &laws[k], &r);
            rv_progress_clear(progress);
            if (fine) print_result(b->settings, &laws[k], &r, first);
            first = false;
        }
    return fine;
}

bool rv_bench_card(const rv_card_bench *settings)
{
    rv_backend backend = {.wanted = true, .is_card = true};
    rv_messages messages = {0};
    rv_params params = rv_default_world_def().params;
    if (!rv_backend_open(&backend, NULL, &params, &messages)) {
        rv_print_messages(&messages);
        return false;
    }
    bench b = {.settings = settings, .device = rv_backend_device(&backend)};
    rv_progress progress = rv_progress_start(settings->json);
    b.heights = malloc((size_t)settings->most * (size_t)settings->most * sizeof *b.heights);
    if (!settings->json) {
        printf("card: %s\n", b.device->name);
        printf("%-10s %-12s %9s %10s %10s  %s\n", "grid", "law", "substeps", "us, card", "us, wall",
               "same bits");
    }
    bool fine = b.heights && run(&b, &progress);
    if (settings->json) puts("\n]");
    free(b.heights);
    rv_backend_close(&backend);
    return fine;
}
