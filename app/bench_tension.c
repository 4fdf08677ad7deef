// What surface tension costs (docs/tension.md): scenes with it beside the same scenes without, and
// a puddle that has come to rest, which costs next to nothing. Short waves are fast with tension,
// so there are more substeps, and each has heads to work out.
#include "app/bench_tension.h"

#include "app/options.h"
#include "app/progress.h"
#include "app/settings.h"

#include <math.h>
#include <stdio.h>

// `later`: s, after which it is timed; the sources have stopped and all of it sleeps.
typedef struct item {
    const char *scene, *name;
    double later;
} item;

static const item items[] = {{"puddle", "puddle", 0},
                             {"coffee", "coffee", 0},
                             {"surgery", "surgery", 0},
                             {"rivulet", "rivulet", 0},
                             {"puddle", "puddle at rest", 12}};
enum { ITEMS = sizeof items / sizeof *items };

typedef struct result {
    double ms, substeps, real; // a frame; a frame; simulated seconds in one of the clock
} result;

static void step_until(rv_world *world, double dt, double time)
{
    for (int64_t n = (int64_t)ceil(time / dt - 1e-9); n > 0; n--) rv_world_step(world, dt);
}

static bool time_once(const rv_world_def *def, const item *of, double end, result *out)
{
    rv_world *world = NULL;
    rv_messages messages = {0};
    rv_stats before, after;
    if (rv_world_create(def, &world, &messages) != RV_OK) {
        rv_print_messages(&messages);
        return false;
    }
    double dt = def->params.time_step;
    step_until(world, dt, of->later);
    rv_world_get_stats(world, &before);
    double start = rv_seconds();
    step_until(world, dt, end);
    double seconds = rv_seconds() - start;
    rv_world_get_stats(world, &after);
    double frames = ceil(end / dt - 1e-9);
    out->ms = fmin(out->ms, 1e3 * seconds / frames);
    out->substeps = (double)(after.all_substeps - before.all_substeps) / frames;
    out->real = 1e3 * dt / out->ms;
    rv_world_destroy(world);
    return true;
}

// out[0] without, out[1] with.
static bool time_item(const rv_tension_bench *settings, const item *of, rv_pool *pool,
                      result out[2])
{
    rv_scene_file scene;
    rv_messages messages = {0};
    rv_form_work work = rv_default_form_work();
    work.pool = pool;
    if (!rv_app_load(of->scene, NULL, 0, &scene)) return false;
    bool fine = rv_scene_load_forms(&scene, &work, &messages);
    if (!fine) rv_print_messages(&messages);
    rv_world_def def = rv_scene_world_def(&scene);
    double end = isnan(settings->time) ? def.params.time_end : settings->time;
    def.pool = pool;
    for (int on = 0; on < 2; on++) {
        out[on].ms = INFINITY;
        def.params.tension_on = on;
        for (int k = 0; k < settings->repeat && fine; k++)
            fine = time_once(&def, of, end, &out[on]);
    }
    rv_scene_free(&scene);
    return fine;
}

static void print_json(const char *name, int threads, const result r[2], bool first)
{
    printf(
        "%s\n  {\"scene\": \"%s\", \"threads\": %d, \"ms\": %.4g, \"substeps\": %.4g, "
        "\"ms_without\": %.4g, \"substeps_without\": %.4g, \"ratio\": %.4g, \"real_time\": %.4g}",
        first ? "[" : ",", name, threads, r[1].ms, r[1].substeps, r[0].ms, r[0].substeps,
        r[1].ms / r[0].ms, r[1].real);
}

static void print_row(const char *name, int threads, const result r[2])
{
    printf("%-16s %7d %9.3f %9.1f %9.3f %9.1f %7.2f %9.2f\n", name, threads, r[1].ms, r[1].substeps,
           r[0].ms, r[0].substeps, r[1].ms / r[0].ms, r[1].real);
}

bool rv_bench_tension(const rv_tension_bench *settings)
{
    rv_progress progress = rv_progress_start(settings->json);
    rv_pool *pool = rv_pool_create(settings->threads);
    bool fine = true;
    if (!settings->json)
        printf("%-16s %7s %9s %9s %9s %9s %7s %9s\n", "with tension", "threads", "ms/frame",
               "substeps", "without", "substeps", "ratio", "real time");
    for (int i = 0; i < ITEMS && fine; i++) {
        result r[2];
        rv_progress_show(&progress, i / (double)ITEMS, items[i].name);
        fine = time_item(settings, &items[i], pool, r);
        rv_progress_clear(&progress);
        if (!fine) break;
        if (settings->json)
            print_json(items[i].name, settings->threads, r, i == 0);
        else
            print_row(items[i].name, settings->threads, r);
        fflush(stdout);
    }
    if (settings->json) puts("\n]");
    rv_pool_destroy(pool);
    return fine;
}
