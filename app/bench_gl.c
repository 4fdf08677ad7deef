// What particles cost that are stepped by drawing (render/splat_gl.h): the scenes of the splat
// paper, alone, and with a picture of each step, as the paper's figures are. The card works behind
// the calls: what is timed ends when it has done all that was asked for.
#include "app/bench_gl.h"

#include "app/backend.h"
#include "app/progress.h"
#include "rivulet_gl/renderer.h"

#include <math.h>
#include <stdio.h>

#define LEAST_SECONDS 1.5 // wall clock of what is timed
#define LEAST_FRAMES 10

typedef struct item {
    const char *name, *scene;
    int cells;      // along x, the size of the grid kept; 0: the scene's own
    double spacing; // splat.spacing; 0: the scene's own
    double warm;    // s simulated before
    double target;  // frames a second, with drawing
    double paper;   // frames a second of splat paper §1.7, Quadro 2000M, with drawing; NAN: none
} item;

// Ten times the paper's; and sixty for a million.
static const item items[] = {
    {"2d, 64k on 256^2", "splat-2d-64k", 0, 0, 0.5, 2960, 296},
    {"height, 42k on 256^2", "splat-height-42k", 0, 0, 0.5, 1300, 130},
    {"3d, 125k on 96^3", "splat-3d-125k", 0, 0, 0.5, 350, 35},
    {"3d, 1M on 128^3", "splat-3d-125k", 128, 0.68, 0.1, 60, NAN},
};

typedef struct timing {
    int64_t count, frames;
    double step;        // s, simulated in a frame
    double substeps;    // a frame
    double ms, ms_with; // a frame: simulation alone, and with its picture
} timing;

typedef struct rig {
    rv_backend backend;
    rv_renderer *renderer;
    rv_world *world;
    rv_surface *surface; // NULL: pictures need none
    rv_scene_file scene;
    bool loaded;
    double step; // s
} rig;

// ---- One scene ----------------------------------------------------------------------------------

static bool load(const item *it, rv_scene_file *scene)
{
    char text[5][64];
    const char *sets[5] = {text[0], text[1], text[2], text[3], text[4]};
    if (!rv_app_load(it->scene, NULL, 0, scene)) return false;
    if (it->cells == 0) return true;
    const rv_params *p = &scene->params;
    double share = (double)p->grid_nx / it->cells;
    snprintf(text[0], sizeof text[0], "grid.dx=%.17g", p->grid_dx * share);
    snprintf(text[1], sizeof text[1], "grid.nx=%d", it->cells);
    snprintf(text[2], sizeof text[2], "grid.ny=%d", (int)lround(p->grid_ny / share));
    snprintf(text[3], sizeof text[3], "splat.spacing=%.6g", it->spacing);
    snprintf(text[4], sizeof text[4], "splat.particles=2000000");
    rv_scene_free(scene);
    return rv_app_load(it->scene, sets, 5, scene);
}

static bool set_up(rig *r, const item *it, const rv_gl_bench *s, rv_messages *messages)
{
    r->loaded = load(it, &r->scene);
    if (!r->loaded) return false;
    r->scene.params.splat_method = RV_SPLAT_WIDE; // the one that is drawn
    r->scene.params.view_width = s->width, r->scene.params.view_height = s->height;
    r->backend = (rv_backend){.wanted = true, .draws = true, .half = s->half};
    if (!rv_backend_open(&r->backend, NULL, &r->scene.params, messages) ||
        rv_renderer_create(r->backend.target, NULL, &r->renderer, messages) != RV_OK)
        return false;
    rv_renderer_set_splat(r->renderer, r->backend.gl);
    rv_form_work work = rv_default_form_work();
    if (!rv_scene_load_forms(&r->scene, &work, messages)) return false;
    rv_world_def def = rv_scene_world_def(&r->scene);
    rv_messages problems = {0};
    def.backend = rv_backend_table(&r->backend);
    if (rv_world_create(&def, &r->world, &problems) != RV_OK) {
        rv_scene_place(&r->scene, &problems, messages);
        return false;
    }
    return !rv_renderer_needs_surface(&r->scene.params) ||
           rv_surface_create(r->world, &r->surface) == RV_OK;
}

static void take_down(rig *r)
{
    rv_surface_destroy(r->surface);
    rv_world_destroy(r->world);
    rv_renderer_destroy(r->renderer);
    rv_backend_close(&r->backend);
    if (r->loaded) rv_scene_free(&r->scene);
}

static rv_result frame(rig *r, bool draw, rv_messages *messages)
{
    rv_result result = rv_world_step(r->world, r->step);
    if (!draw || result != RV_OK) return result;
    if (r->surface) result = rv_surface_update(r->surface, r->world);
    if (result == RV_OK) result = rv_renderer_update(r->renderer, r->world, r->surface, messages);
    if (result == RV_OK) result = rv_renderer_draw(r->renderer, &r->scene.params);
    return result;
}

// Milliseconds a frame.
static rv_result time_frames(rig *r, bool draw, double *ms, timing *out, rv_messages *messages)
{
    rv_stats before, after;
    rv_result result = frame(r, draw, messages); // warm
    rv_splat_gl_finish(r->backend.gl);
    rv_world_get_stats(r->world, &before);
    double start = rv_seconds(), spent = 0;
    int64_t frames = 0;
    while (result == RV_OK && (frames < LEAST_FRAMES || spent < LEAST_SECONDS)) {
        result = frame(r, draw, messages);
        // The card is waited for once in a while, so that it is known how far it is.
        if (++frames % LEAST_FRAMES == 0) rv_splat_gl_finish(r->backend.gl);
        spent = rv_seconds() - start;
    }
    rv_splat_gl_finish(r->backend.gl);
    rv_world_get_stats(r->world, &after);
    *ms = 1e3 * (rv_seconds() - start) / (double)frames;
    out->frames = frames;
    out->substeps = (double)(after.all_substeps - before.all_substeps) / (double)frames;
    return result;
}

static bool run_once(const item *it, const rv_gl_bench *s, timing *out)
{
    rig r = {0};
    rv_messages messages = {0};
    rv_result result = set_up(&r, it, s, &messages) ? RV_OK : RV_BAD_ARGUMENT;
    r.step = r.scene.params.time_step;
    for (double t = 0; result == RV_OK && t < it->warm; t += r.step)
        result = frame(&r, false, &messages);
    // The paper draws a picture of each step, and so do we.
    rv_stats stats;
    if (result == RV_OK && rv_world_get_stats(r.world, &stats) == RV_OK)
        r.step *= 0.9 / fmax(1, stats.substeps);
    out->step = r.step;
    if (result == RV_OK) result = time_frames(&r, true, &out->ms_with, out, &messages);
    if (result == RV_OK) result = time_frames(&r, false, &out->ms, out, &messages);
    rv_splat_gl_particles p;
    if (rv_splat_gl_get_particles(r.backend.gl, &p)) out->count = p.count;
    if (result != RV_OK && messages.count == 0)
        rv_messages_add(&messages, "%s: %s", it->name, rv_result_text(result));
    if (result != RV_OK) rv_print_messages(&messages);
    take_down(&r);
    return result == RV_OK;
}

// ---- All of them --------------------------------------------------------------------------------

static double updates(const timing *r)
{
    return (double)r->count * r->substeps / (1e-3 * r->ms);
}

static void print_row(const item *it, const timing *r)
{
    double rate = 1e3 / r->ms_with;
    printf("%-22s %9lld %9.3f %9.2f %9.3f %9.1f %9.2f %9.0f", it->name, (long long)r->count, r->ms,
           1e-6 * updates(r), r->ms_with, rate, r->step * rate, it->target);
    if (isfinite(it->paper))
        printf(" %7.1fx", rate / it->paper);
    else
        printf(" %8s", "-");
    puts(rate < it->target ? " NOT REACHED" : "");
    fflush(stdout);
}

static void print_json(const item *it, const rv_gl_bench *s, const timing *r, bool first)
{
    double rate = 1e3 / r->ms_with;
    printf("%s\n  {\"item\": \"%s\", \"scene\": \"%s\", \"backend\": \"%s\", \"particles\": %lld, "
           "\"frames\": %lld, \"step\": %.6g, \"substeps\": %.4g, \"ms_simulation\": %.6g, "
           "\"ms_frame\": %.6g, "
           "\"updates_per_second\": %.6g, \"frames_per_second\": %.6g, \"target\": %.6g, "
           "\"reached\": %s, ",
           first ? "[" : ",", it->name, it->scene, s->half ? "gl-half" : "gl", (long long)r->count,
           (long long)r->frames, r->step, r->substeps, r->ms, r->ms_with, updates(r), rate,
           it->target, rate >= it->target ? "true" : "false");
    if (isfinite(it->paper))
        printf("\"paper_frames_per_second\": %.6g, \"paper_ratio\": %.4g}", it->paper,
               rate / it->paper);
    else
        printf("\"paper_frames_per_second\": null, \"paper_ratio\": null}");
}

bool rv_bench_gl(const rv_gl_bench *s)
{
    int count = (int)(sizeof items / sizeof *items);
    rv_progress progress = rv_progress_start(s->json);
    if (!s->json)
        printf("%-22s %9s %9s %9s %9s %9s %9s %9s %8s\n", "particles, by drawing", "number",
               "ms/step", "M upd./s", "+ picture", "frames/s", "real time", "target", "paper");
    for (int i = 0; i < count; i++) {
        timing best = {0};
        rv_progress_show(&progress, (double)i / count, items[i].name);
        for (int k = 0; k < s->repeat; k++) {
            timing r = {0};
            if (!run_once(&items[i], s, &r)) return false;
            if (k == 0 || r.ms_with < best.ms_with) best = r;
        }
        rv_progress_clear(&progress);
        if (s->json)
            print_json(&items[i], s, &best, i == 0);
        else
            print_row(&items[i], &best);
    }
    if (s->json) puts("\n]");
    return true;
}
