// What particles and drops cost: the scenes of the splat paper in substeps a second beside the
// paper's frames a second, each of which is one such pass, and as a share of real time, the target;
// and panes with drops in milliseconds a step beside the glass paper and three targets. Each is run
// for a while, then timed.
#include "app/bench_particles.h"

#include "app/options.h"
#include "app/progress.h"
#include "rivulet_gl/renderer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_STEPS 20    // that are timed
#define LEAST_SECONDS 2.0 // wall clock of a run, unless it has
#define MOST_STEPS 400    // timed as many
#define SETS 6

typedef struct item {
    const char *name, *scene;
    double warm;    // s simulated before
    double target;  // of particles: time simulated over time spent; of drops: ms of a step
    int threads;    // that the target is for
    int cells;      // along a pane's side, its size kept; 0: the scene's own
    double paper;   // ms, of a paper; NAN: none, or the scene's own figure
    bool real_time; // the target is time.step
    double spacing; // splat.spacing; 0: the scene's own
    int drops;      // kept on a pane; 0: the scene's own
    double rate;    // to reach, of particles: substeps a second; 0: `target` is
} item;

// splat paper §1.7, a Quadro 2000M with drawing: 2D on 256² 64k 296 frames a second, 32k 510, 16k
// 830, 3D 125k on 96³ 35, height field 42k on 256² 130. To reach with two threads, simulation
// alone: shares of real time.
static const item particles[] = {
    {"2d, 16k on 256^2", "splat-2d-64k", 0.5, 1, 2, 0, 1e3 / 830, false, 1.2, 0, 0},
    {"2d, 32k on 256^2", "splat-2d-64k", 0.5, 1, 2, 0, 1e3 / 510, false, 0.8485, 0, 0},
    {"2d, 64k on 256^2", "splat-2d-64k", 0.5, 1, 2, 0, 1e3 / 296, false, 0, 0, 0},
    {"3d, 125k on 96^3", "splat-3d-125k", 0.5, 0.25, 2, 0, 1e3 / 35, false, 0, 0, 0},
    {"height, 42k on 256^2", "splat-height-42k", 0.5, 1, 2, 0, 1e3 / 130, false, 0, 0, 0},
};

// The same on a card, with one and ten million in the grid of the third; the targets are for one of
// the fastest cards.
static const item on_card[] = {
    {"2d, 16k on 256^2", "splat-2d-64k", 0.5, 0, 1, 0, 1e3 / 830, false, 1.2, 0, 2000},
    {"2d, 64k on 256^2", "splat-2d-64k", 0.5, 0, 1, 0, 1e3 / 296, false, 0, 0, 2000},
    {"height, 42k on 256^2", "splat-height-42k", 0.5, 1, 1, 0, 1e3 / 130, false, 0, 0, 0},
    {"3d, 125k on 96^3", "splat-3d-125k", 0.5, 0, 1, 0, 1e3 / 35, false, 0, 0, 1000},
    {"3d, 1M on 192^3", "splat-3d-125k", 0.2, 1, 1, 192, NAN, false, 1, 0, 0},
    {"3d, 10M on 192^3", "splat-3d-125k", 0.04, 0, 1, 192, NAN, false, 0.464, 0, 1},
};

// glass paper §7 Table 1, an i7-2600, parts A and B together: 250 drops on 500² 5 to 9 ms a step,
// on 1000² 9 to 12; 500 drops 12 to 16 and 15 to 20.
static const item panes[] = {
    {"250 drops on 500^2", "glass-rain", 2, 1.2, 1, 500, 5, false, 0, 250, 0},
    {"250 drops on 1000^2", "glass-rain", 2, 2.5, 1, 1000, 9, false, 0, 250, 0},
    {"500 drops on 500^2", "glass-rain", 2, 1.2, 1, 500, 12, false, 0, 0, 0},
    {"500 drops on 1000^2", "glass-rain", 2, 2.5, 1, 1000, 15, false, 0, 0, 0},
    {"5000 drops on 2000^2", "glass-storm", 1, 5, 2, 2000, NAN, true, 0, 0, 0},
};

typedef struct result {
    int64_t count, steps; // particles or drops; timed
    double substeps, ms, slowest;
    double touched, cells; // of a pane, a step
    double step;           // s, time.step
} result;

// What draws the steps of a world.
typedef struct picture {
    rv_renderer *renderer; // NULL: nothing is drawn
    rv_surface *surface;   // NULL: it needs none
    const rv_device *device;
} picture;

// ---- Drawing ------------------------------------------------------------------------------------

static bool begin_picture(picture *p, const rv_particles_bench *s, rv_world *world,
                          const rv_params *params)
{
    rv_messages messages = {0};
    *p = (picture){.device = s->device};
    if (!s->device || !s->target) return true;
    if (rv_renderer_create(s->target, NULL, &p->renderer, &messages) != RV_OK) {
        rv_print_messages(&messages);
        return false;
    }
    return !rv_renderer_needs_surface(params) || rv_surface_create(world, &p->surface) == RV_OK;
}

// Waits until it is there.
static bool draw(const picture *p, rv_world *world)
{
    rv_messages messages = {0};
    rv_device_ticket ticket;
    rv_result r = RV_OK;
    bool done = false;
    if (!p->renderer) return true;
    if (p->surface) r = rv_surface_update_drawn(p->surface, world);
    if (r == RV_OK) r = rv_renderer_update(p->renderer, world, p->surface, &messages);
    if (r == RV_OK) r = rv_renderer_draw(p->renderer, rv_world_params(world));
    if (r == RV_OK) r = p->device->fence(p->device->user, &ticket);
    if (r == RV_OK) r = p->device->passed(p->device->user, ticket, true, &done);
    if (r != RV_OK) fprintf(stderr, "drawing: %s\n", rv_result_text(r));
    return r == RV_OK;
}

static void end_picture(picture *p)
{
    rv_surface_destroy(p->surface);
    rv_renderer_destroy(p->renderer);
}

// ---- One run ------------------------------------------------------------------------------------

// The same liquid in other particles, and perhaps in other cells.
static bool load_liquid(const item *it, rv_scene_file *scene)
{
    char text[SETS][64];
    const char *sets[SETS];
    const rv_params *p = &scene->params;
    double share = it->cells > 0 ? (double)p->grid_nx / it->cells : 1;
    int count = 0;
    snprintf(text[count++], sizeof text[0], "splat.spacing=%.6g", it->spacing);
    if (it->cells > 0) {
        snprintf(text[count++], sizeof text[0], "grid.dx=%.17g", p->grid_dx * share);
        snprintf(text[count++], sizeof text[0], "grid.nx=%d", it->cells);
        snprintf(text[count++], sizeof text[0], "grid.ny=%d", (int)lround(p->grid_ny / share));
        snprintf(text[count++], sizeof text[0], "splat.particles=12000000");
    }
    for (int i = 0; i < count; i++) sets[i] = text[i];
    rv_scene_free(scene);
    return rv_app_load(it->scene, sets, count, scene);
}

static bool load(const item *it, rv_scene_file *scene)
{
    char text[SETS][64];
    const char *sets[SETS];
    if (!rv_app_load(it->scene, NULL, 0, scene)) return false;
    if (it->spacing > 0) return load_liquid(it, scene);
    bool same = it->cells == 0 || it->cells == scene->params.grid_nx;
    if (same && it->drops == 0) return true;
    // the same pane in other cells, or with other drops
    double share = same ? 1 : (double)scene->params.grid_nx / it->cells;
    int ny = (int)lround(scene->params.grid_ny / share), count = 0;
    if (it->drops > 0) {
        snprintf(text[count++], sizeof text[0], "glass.drops=%d", it->drops);
        snprintf(text[count++], sizeof text[0], "glass.keep=%d", it->drops);
        // and no more: with the scene's rain, and what runs and leaves droplets behind, there would
        // be 500 again after a while
        snprintf(text[count++], sizeof text[0], "glass.most=%d", it->drops);
    }
    snprintf(text[count++], sizeof text[0], "grid.dx=%.17g", scene->params.grid_dx * share);
    snprintf(text[count++], sizeof text[0], "grid.nx=%d",
             (int)lround(scene->params.grid_nx / share));
    snprintf(text[count++], sizeof text[0], "grid.ny=%d", ny);
    for (int i = 0; i < count; i++) sets[i] = text[i];
    rv_scene_free(scene);
    return rv_app_load(it->scene, sets, count, scene);
}

static bool step(rv_world *world, double dt, const char *name)
{
    rv_result r = rv_world_step(world, dt);
    if (r != RV_OK) fprintf(stderr, "%s: %s\n", name, rv_result_text(r));
    return r == RV_OK;
}

static bool time_steps(rv_world *world, const item *it, const picture *seen, double dt, result *r)
{
    rv_stats before, after;
    rv_pane pane;
    double began = rv_seconds(), spent = 0;
    rv_world_get_stats(world, &before);
    *r = (result){.step = dt};
    while (r->steps < LEAST_STEPS ||
           (r->steps < MOST_STEPS && rv_seconds() - began < LEAST_SECONDS)) {
        double start = rv_seconds();
        if (!step(world, dt, it->name) || !draw(seen, world)) return false;
        double ms = 1e3 * (rv_seconds() - start);
        spent += ms, r->slowest = fmax(r->slowest, ms);
        r->steps++;
        if (rv_world_get_pane(world, &pane) != RV_OK) continue;
        r->touched += (double)pane.touched;
        r->cells = (double)pane.nx * pane.ny;
    }
    rv_particles now;
    rv_world_get_stats(world, &after);
    if (rv_world_get_particles(world, &now) == RV_OK) r->count = now.count;
    r->ms = spent / (double)r->steps, r->touched /= (double)r->steps;
    r->substeps = (double)(after.all_substeps - before.all_substeps) / (double)r->steps;
    return true;
}

static bool run_once(const item *it, rv_pool *pool, const rv_particles_bench *s, result *r)
{
    picture seen = {0};
    rv_scene_file scene;
    rv_messages messages = {0}, placed = {0};
    rv_world *world = NULL;
    if (!load(it, &scene)) return false;
    rv_form_work work = rv_default_form_work();
    work.pool = pool;
    bool fine = rv_scene_load_forms(&scene, &work, &placed);
    rv_world_def def = rv_scene_world_def(&scene);
    def.pool = pool, def.device = s->device;
    if (fine && rv_world_create(&def, &world, &messages) != RV_OK) {
        rv_scene_place(&scene, &messages, &placed);
        fine = false;
    }
    if (!fine) rv_print_messages(&placed);
    double dt = scene.params.time_step;
    for (double t = 0; fine && t < it->warm; t += dt) fine = step(world, dt, it->name);
    fine = fine && begin_picture(&seen, s, world, &scene.params) && draw(&seen, world);
    fine = fine && time_steps(world, it, &seen, dt, r);
    end_picture(&seen);
    rv_world_destroy(world);
    rv_scene_free(&scene);
    return fine;
}

static bool run_item(const item *it, const rv_particles_bench *s, rv_pool *pool, result *best)
{
    for (int k = 0; k < s->repeat; k++) {
        result r;
        if (!run_once(it, pool, s, &r)) return false;
        if (k == 0 || r.ms < best->ms) *best = r;
    }
    return true;
}

// ---- Printing -----------------------------------------------------------------------------------

static double target_of(const item *it, const result *r)
{
    return it->real_time ? 1e3 * r->step : it->target;
}

// Substeps, and particles moved by one, a second.
static double rate(const result *r)
{
    return 1e3 * r->substeps / r->ms;
}

// Milliseconds of what the paper's are of.
static double own_ms(const result *r, bool glass)
{
    return glass ? r->ms : 1e3 / rate(r);
}

// Time simulated over time spent.
static double share(const result *r)
{
    return 1e3 * r->step / r->ms;
}

static bool reached(const item *it, const result *r, bool glass)
{
    if (it->rate > 0) return rate(r) >= it->rate;
    return glass ? r->ms <= target_of(it, r) : share(r) >= it->target;
}

static void print_head(bool glass)
{
    if (glass)
        printf("%-22s %7s %8s %9s %9s %9s %9s %8s\n", "drops on a pane", "threads", "drops",
               "ms/step", "slowest", "cells", "target", "paper");
    else
        printf("%-22s %7s %9s %8s %9s %9s %9s %9s %9s %8s\n", "particles", "threads", "number",
               "substeps", "ms/step", "M upd./s", "subst./s", "real time", "target", "paper");
}

static void print_row(const item *it, int threads, const result *r, bool glass)
{
    double target = target_of(it, r);
    if (glass)
        printf("%-22s %7d %8lld %9.3f %9.3f %8.2f%% %6.2f ms", it->name, threads,
               (long long)r->count, r->ms, r->slowest, 100 * r->touched / r->cells, target);
    else
        printf("%-22s %7d %9lld %8.2f %9.3f %9.2f %9.1f %8.3gx", it->name, threads,
               (long long)r->count, r->substeps, r->ms, 1e-6 * (double)r->count * rate(r), rate(r),
               share(r));
    if (!glass && it->rate > 0)
        printf(" %7.0f/s", it->rate);
    else if (!glass)
        printf(" %8.2fx", it->target);
    if (isfinite(it->paper))
        printf(" %7.2fx", it->paper / own_ms(r, glass));
    else
        printf(" %8s", "-");
    if (threads == it->threads && !reached(it, r, glass)) printf(" NOT REACHED");
    putchar('\n');
    fflush(stdout);
}

static void print_json(const item *it, int threads, const result *r, bool glass, bool first)
{
    double target = target_of(it, r);
    printf("%s\n  {\"item\": \"%s\", \"scene\": \"%s\", \"threads\": %d, \"%s\": %lld, \"steps\": "
           "%lld, \"substeps\": %.4g, \"ms\": %.6g, \"ms_slowest\": %.6g, ",
           first ? "[" : ",", it->name, it->scene, threads, glass ? "drops" : "particles",
           (long long)r->count, (long long)r->steps, r->substeps, r->ms, r->slowest);
    if (glass)
        printf("\"cells\": %.0f, \"cells_touched\": %.6g, ", r->cells, r->touched);
    else
        printf("\"updates_per_second\": %.6g, \"substeps_per_second\": %.6g, \"real_time\": %.6g, ",
               (double)r->count * rate(r), rate(r), share(r));
    if (it->rate > 0)
        printf("\"target_substeps_per_second\": %.6g, ", it->rate);
    else
        printf(glass ? "\"target_ms\": %.6g, " : "\"target_real_time\": %.6g, ", target);
    if (threads == it->threads)
        printf("\"reached\": %s, ", reached(it, r, glass) ? "true" : "false");
    else
        printf("\"reached\": null, ");
    if (isfinite(it->paper))
        printf("\"paper_ms\": %.6g, \"paper_ratio\": %.4g}", it->paper,
               it->paper / own_ms(r, glass));
    else
        printf("\"paper_ms\": null, \"paper_ratio\": null}");
}

// ---- All of them --------------------------------------------------------------------------------

static bool bench(const rv_particles_bench *s, const item *items, int count, bool glass)
{
    rv_progress progress = rv_progress_start(s->json);
    int pools = s->threads > 1 && !s->device ? 2 : 1, done = 0;
    bool fine = true;
    if (!s->json) print_head(glass);
    for (int i = 0; i < count && fine; i++)
        for (int p = 0; p < pools && fine; p++, done++) {
            int threads = p == 0 ? 1 : s->threads;
            rv_pool *pool = threads > 1 ? rv_pool_create(threads) : NULL;
            result r = {0};
            rv_progress_show(&progress, (double)done / (count * pools), items[i].name);
            fine = run_item(&items[i], s, pool, &r);
            rv_pool_destroy(pool);
            rv_progress_clear(&progress);
            if (fine && s->json)
                print_json(&items[i], threads, &r, glass, done == 0);
            else if (fine)
                print_row(&items[i], threads, &r, glass);
        }
    if (s->json) puts(done ? "\n]" : "[]");
    return fine;
}

bool rv_bench_particles(const rv_particles_bench *settings)
{
    if (settings->device)
        return bench(settings, on_card, (int)(sizeof on_card / sizeof *on_card), false);
    return bench(settings, particles, (int)(sizeof particles / sizeof *particles), false);
}

bool rv_bench_glass(const rv_particles_bench *settings)
{
    return bench(settings, panes, (int)(sizeof panes / sizeof *panes), true);
}
