// `swe` and `pipes` on the same scenes of one layer: how long a substep each allows and what a
// second of simulation costs. pipes paper §7 says of its pipes that they had "results of equivalent
// quality with significantly smaller computation times"; here are the numbers, with pipes as the
// paper has them (cell) and with the true cross-section (wet), whose waves are as fast as those of
// `swe`.
#include "app/bench_swe.h"

#include "app/options.h"
#include "app/progress.h"
#include "app/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAM 256 // cells of the dam break, each way
#define SECONDS 1.5

// What moves the liquid.
typedef struct mover {
    const char *name;
    rv_solver_kind solver;
    rv_area area;
    rv_swe_advection advection;
} mover;

static const mover movers[] = {
    {"pipes, cell", RV_SOLVER_PIPES, RV_AREA_CELL, RV_SWE_CONSERVING},
    {"pipes, wet", RV_SOLVER_PIPES, RV_AREA_WET, RV_SWE_CONSERVING},
    {"swe", RV_SOLVER_SWE, RV_AREA_WET, RV_SWE_CONSERVING},
    {"swe, semi", RV_SOLVER_SWE, RV_AREA_WET, RV_SWE_SEMI},
};
enum { MOVERS = sizeof movers / sizeof *movers };

// NULL: the dam break, made here.
static const char *const scenes[] = {"paper-viscosity-0", "paper-viscosity-4e-6",
                                     "paper-viscosity-4e-1", "bowl", NULL};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct result {
    int64_t columns, substeps, steps;
    double seconds, simulated; // of the clock, of the liquid
} result;

static void set_mover(rv_params *p, const mover *m)
{
    p->solver = m->solver, p->pipes_area = m->area, p->swe_advection = m->advection;
    p->swe_order = m->advection == RV_SWE_SEMI ? 1 : 2; // semi: as Chentanez and Müller have it
}

static bool time_world(const rv_world_def *def, int repeat, result *out)
{
    out->seconds = INFINITY;
    for (int k = 0; k < repeat; k++) {
        rv_world *world = NULL;
        rv_messages messages = {0};
        rv_world_info info;
        rv_stats stats;
        if (rv_world_create(def, &world, &messages) != RV_OK) {
            rv_print_messages(&messages);
            return false;
        }
        double dt = def->params.time_step, seconds = 0;
        int64_t steps = (int64_t)ceil(SECONDS / dt - 1e-9);
        for (int64_t i = 0; i < steps; i++) {
            double start = rv_seconds();
            rv_world_step(world, dt);
            seconds += rv_seconds() - start;
        }
        rv_world_get_info(world, &info);
        rv_world_get_stats(world, &stats);
        out->columns = info.columns, out->substeps = stats.all_substeps, out->steps = steps;
        out->simulated = (double)steps * dt;
        out->seconds = fmin(out->seconds, seconds);
        rv_world_destroy(world);
    }
    return true;
}

// Water 5 cm deep in one half of a box of 256 mm, 1 mm in the other.
static bool time_dam(const mover *m, int repeat, result *out)
{
    float *heights = calloc((size_t)DAM * DAM, sizeof *heights);
    rv_world_def def = rv_default_world_def();
    rv_fill_def fills[2] = {rv_default_fill_def(), rv_default_fill_def()};
    fills[0].level = 0.05, fills[0].to.x = 0;
    fills[1].level = 0.001;
    def.params.grid_nx = def.params.grid_ny = DAM, def.params.grid_top = 0.5;
    def.params.tension_on = false;
    def.heights = heights, def.fills = fills, def.fill_count = 2;
    set_mover(&def.params, m);
    bool fine = heights && time_world(&def, repeat, out);
    free(heights);
    return fine;
}

static bool time_scene(const char *name, const mover *m, int repeat, result *out)
{
    if (!name) return time_dam(m, repeat, out);
    rv_scene_file scene;
    rv_messages messages = {0};
    rv_form_work work = rv_default_form_work();
    if (!rv_app_load(name, NULL, 0, &scene)) return false;
    bool fine = rv_scene_load_forms(&scene, &work, &messages);
    if (!fine) rv_print_messages(&messages);
    rv_world_def def = rv_scene_world_def(&scene);
    set_mover(&def.params, m);
    fine = fine && time_world(&def, repeat, out);
    rv_scene_free(&scene);
    return fine;
}

static void print_result(const char *scene, const mover *m, const result *r, bool json, bool first)
{
    double step = r->simulated / (double)r->substeps;
    double cost = r->seconds / r->simulated;
    double each = 1e9 * r->seconds / (double)r->substeps / (double)r->columns;
    if (json)
        printf("%s\n  {\"scene\": \"%s\", \"solver\": \"%s\", \"columns\": %lld, \"substeps\": "
               "%.4g, \"step_ms\": %.4g, \"s_per_s\": %.4g, \"ns_per_column\": %.4g}",
               first ? "[" : ",", scene, m->name, (long long)r->columns,
               (double)r->substeps / (double)r->steps, 1e3 * step, cost, each);
    else
        printf("%-16s %-12s %8lld %9.2f %9.3f %10.4f %8.2f\n", scene, m->name,
               (long long)r->columns, (double)r->substeps / (double)r->steps, 1e3 * step, cost,
               each);
    fflush(stdout);
}

bool rv_bench_swe(const rv_swe_bench *settings)
{
    rv_progress progress = rv_progress_start(settings->json);
    bool fine = true;
    if (!settings->json)
        printf("%-16s %-12s %8s %9s %9s %10s %8s\n", "one layer", "solver", "columns", "substeps",
               "dt, ms", "s per s", "ns/col");
    for (int i = 0; i < SCENES && fine; i++)
        for (int k = 0; k < MOVERS && fine; k++) {
            const char *name = scenes[i] ? scenes[i] : "dam-256";
            result r;
            rv_progress_show(&progress, (i * MOVERS + k) / (double)(SCENES * MOVERS), name);
            fine = time_scene(scenes[i], &movers[k], settings->repeat, &r);
            rv_progress_clear(&progress);
            if (fine) print_result(name, &movers[k], &r, settings->json, i + k == 0);
        }
    if (settings->json) puts("\n]");
    return fine;
}
