// rivulet bench: what the shipped scenes cost, for one thread and for all, beside the memory floor
// measured in the same run and beside the papers' figures. Also plain grids from 256² to 4096², all
// wet, which show the cost of a column-step and how it grows. Then what terrain costs
// (bench_terrain.c), what bodies do (bench_bodies.c), `swe` beside `pipes` (bench_swe.c),
// long flooded passages (bench_passages.c), surface tension (bench_tension.c), particles and
// drops (bench_particles.c), plain grids on the graphics card (bench_card.c), and large worlds
// (bench_large.c).
#include "app/backend.h"
#include "app/bench_bodies.h"
#include "app/bench_card.h"
#include "app/bench_card_calls.h"
#include "app/bench_draw.h"
#include "app/bench_gl.h"
#include "app/bench_large.h"
#include "app/bench_particles.h"
#include "app/bench_passages.h"
#include "app/bench_swe.h"
#include "app/bench_tension.h"
#include "app/bench_terrain.h"
#include "app/progress.h"
#include "app/settings.h"
#include "io/snapshot_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rv_option options[] = {
    {"--json", NULL, "print JSON: an array with one object a row"},
    {"--threads", "N", "compare 1 thread with N (default: all cores)"},
    {"--time", "S", "simulate this long instead of each scene's own time"},
    {"--draw", "WxH", "also draw the last frames of each scene at this size, without a display"},
    RV_BACKEND_OPTION,
    {"--most", "N", "with `card`: cells of the largest grid, each way (default: 1024)"},
    {"--repeat", "N", "run each N times and keep the fastest (default: 1)"},
    {"--resume", "FILE", "go on from a snapshot of the scene that is named"},
    {"--kernels", NULL, "with --backend card: also what each kernel takes, by the card's clock"},
};
static const rv_command command = {
    "bench",
    "[SCENE...] [options]",
    "Times the shipped scenes, or those named. Besides scenes there are the "
    "plain\n"
    "grids grid-256, grid-1024, grid-2048 and grid-4096: one layer, every column wet; and "
    "`terrain`:\n"
    "fields from meshes, edits, moving solids, triangles, each beside its target; and `bodies`: "
    "one\n"
    "ball, and two hundred balls and boxes, as a share of real time; and `swe`: swe and pipes on "
    "the same scenes;\n"
    "and `passages-long`: flooded passages of 500 to 4,000 columns by each kind of "
    "pipes.passages;\n"
    "and `tension`: scenes with surface tension beside the same without;\n"
    "and `particles` and `glass`: "
    "the\n"
    "scenes of these solvers in substeps a second and milliseconds a step, beside their targets;\n"
    "and `card`: plain grids of 200, 1024, 4096 and 8192 cells each way on the graphics card, by "
    "its\n"
    "own timers, with --most; and land-N and decks-N, N up to 16384 and 2048: a landscape with a "
    "lake,\n"
    "and three layers, N columns each way; only if asked for.\n"
    "\n"
    "  ms/frame    wall clock of one time.step, mean over the run\n"
    "  slowest     and the longest of them\n"
    "  ns/col      the same per existing column and substep\n"
    "  floor       ns/col over a pass that reads and writes the solver's arrays once, measured "
    "here;\n"
    "              under 1 where dry parts are skipped\n"
    "  paper       the paper's simulation time over ours\n"
    "  surface     ms of the liquid's surface, mean over the run; then the paper's over ours\n"
    "  meniscus    ms of its meniscus, besides\n"
    "  rest        ms of both at the end of the run, where nothing moved since\n"
    "  drawing     with --draw: ms of the GPU a frame; then the paper's over ours",
    options,
    (int)(sizeof options / sizeof options[0]),
    NULL};

typedef struct row {
    const char *scene;
    int threads;
    int64_t columns, pipes, steps, particles; // particles or drops: there are no columns to count
    bool drops, card;
    bool plain; // only stepped: no surface, nothing drawn
    rv_progress *progress;
    bool drawn, surfaced;
    // NAN where it does not apply
    double ms, slowest_ms, ns, floor_ratio, bytes, substeps, paper_ms, surface_ms, paper_surface_ms;
    double slowest_surface_ms; // meniscus and all
    double meniscus_ms, rest_ms, drawing_ms, paper_drawing_ms, frame_ms, median_ms, turning_ms;
    rv_card_calls calls; // of all steps, on a card
} row;

typedef struct settings {
    bool json;
    int threads, repeat;
    double time; // s; NAN: the scene's own
    double floor_ns;
    int width, height; // of what is drawn; 0: nothing is
    rv_backend backend;
    rv_counted *card;   // NULL: the CPU
    int most;           // cells of the largest grid of `card`
    bool kernels;       // are timed one by one
    const char *resume; // a snapshot; NULL: from the beginning
} settings;

// ---- The memory floor ---------------------------------------------------------------------------

// One pass over arrays as large as a plain grid's: depth and two fluxes read and written, base and
// slopes read. Returns ns a column.
static double memory_floor(size_t n)
{
    enum { ARRAYS = 5 };
    float *a[ARRAYS];
    bool fine = true;
    for (int k = 0; k < ARRAYS; k++) {
        a[k] = malloc((n + 1024) * sizeof(float));
        fine = fine && a[k];
    }
    double best = INFINITY;
    for (int round = 0; fine && round < 12; round++) {
        for (size_t i = 0; round == 0 && i < n; i++)
            for (int k = 0; k < ARRAYS; k++) a[k][i] = (float)(i % 7) * 1e-3f;
        float *restrict depth = a[0], *restrict flux_x = a[1], *restrict flux_y = a[2];
        const float *restrict base = a[3], *restrict slopes = a[4];
        double start = rv_seconds();
        for (size_t i = 0; i < n; i++) {
            float s = base[i] + slopes[i];
            depth[i] += s, flux_x[i] -= s, flux_y[i] += s;
        }
        double seconds = rv_seconds() - start;
        if (round > 0 && seconds < best) best = seconds;
    }
    for (int k = 0; k < ARRAYS; k++) free(a[k]);
    return best * 1e9 / (double)n;
}

// ---- One row ------------------------------------------------------------------------------------

typedef struct timing {
    double seconds, slowest, surface_seconds, meniscus_seconds, rest_seconds, slowest_surface;
    int64_t frames, substeps;
    rv_card_calls calls;
} timing;

static const rv_device *device_of(const settings *s)
{
    return s->card ? &s->card->table : NULL;
}

// What a card was asked for so far.
static rv_card_calls calls_of(const rv_world_def *def)
{
    const rv_counted *counted = def->device ? def->device->user : NULL;
    return counted ? counted->calls : (rv_card_calls){0};
}

static void add_calls(rv_card_calls *sum, const rv_card_calls *before, const rv_card_calls *after)
{
    sum->dispatches += after->dispatches - before->dispatches;
    sum->waits += after->waits - before->waits, sum->moves += after->moves - before->moves;
    sum->up += after->up - before->up, sum->down += after->down - before->down;
    sum->waited += after->waited - before->waited;
    sum->asking += after->asking - before->asking;
}

// Whether a surface is made of the liquid. A wide world is drawn without.
static bool has_surface(const rv_world *world, const row *r)
{
    const rv_params *p = rv_world_params(world);
    if (r->plain) return false;
    return r->drawn ? rv_renderer_wants_surface(world, p) : rv_renderer_needs_surface(p);
}

// Seconds of an update where nothing moved, the least of some.
static double time_rest(rv_surface *surface, const rv_world *world)
{
    double least = INFINITY;
    for (int i = 0; surface && i < 16; i++) {
        double start = rv_seconds();
        rv_surface_update_drawn(surface, world);
        least = fmin(least, rv_seconds() - start);
    }
    return least;
}

static bool time_world(const settings *s, const rv_world_def *def, double end, timing *out, row *r,
                       rv_draw_bench *draw)
{
    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(def, &world, &messages) != RV_OK) {
        rv_print_messages(&messages);
        return false;
    }
    if (s->resume && !rv_snapshot_read(s->resume, world, &messages)) {
        rv_print_messages(&messages);
        rv_world_destroy(world);
        return false;
    }
    rv_world_info info;
    rv_world_get_info(world, &info);
    r->columns = info.columns, r->pipes = info.pipes;
    *out = (timing){0};
    double dt = def->params.time_step;
    int64_t frames = (int64_t)ceil(end / dt - 1e-9);
    if (frames < 1) frames = 1;
    rv_surface *surface = NULL;
    r->surfaced = has_surface(world, r);
    if (r->surfaced) rv_surface_create(world, &surface);
    if (surface) rv_surface_update_drawn(surface, world); // warm, as the world is
    for (; out->frames < frames; out->frames++) {
        rv_card_calls before = calls_of(def);
        double start = rv_seconds();
        rv_world_step(world, dt);
        double between = rv_seconds();
        rv_card_calls after = calls_of(def);
        add_calls(&out->calls, &before, &after);
        out->seconds += between - start;
        out->slowest = fmax(out->slowest, between - start);
        if (surface) rv_surface_update_drawn(surface, world);
        double surface_seconds = rv_seconds() - between;
        rv_surface_stats made = {0};
        if (surface) rv_surface_get_counters(surface, &made);
        // on a card by its own clock, which tells of the update before
        if (made.on_card && made.ms_card > 0)
            surface_seconds = 1e-3 * made.ms_card, made.ms_meniscus = made.ms_card_meniscus;
        // the first is known by the wall clock only, where it is made on a card
        if (out->frames > 1) out->slowest_surface = fmax(out->slowest_surface, surface_seconds);
        out->surface_seconds += surface_seconds - 1e-3 * made.ms_meniscus;
        out->meniscus_seconds += 1e-3 * made.ms_meniscus;
        if (draw && !r->plain && frames - out->frames <= RV_BENCH_FRAMES &&
            !rv_bench_draw_frame(draw, world, surface, &messages)) {
            rv_print_messages(&messages);
            draw = NULL;
        }
    }
    rv_stats stats;
    if (rv_world_get_counters(world, &stats) == RV_OK) out->substeps = stats.all_substeps;
    if (draw && !r->plain && !rv_bench_draw_whole(draw, world, surface, &messages))
        rv_print_messages(&messages);
    out->rest_seconds = time_rest(surface, world);
    rv_surface_destroy(surface);
    rv_world_get_info(world, &info);
    r->bytes = (double)info.bytes / (double)info.columns;
    rv_particles particles;
    if (rv_world_get_particles(world, &particles) == RV_OK) r->particles = particles.count;
    r->drops = def->params.solver == RV_SOLVER_GLASS;
    rv_world_destroy(world);
    return true;
}

static bool measure(const settings *s, const rv_world_def *def, double end, row *r,
                    rv_draw_bench *draw)
{
    timing best = {.seconds = INFINITY};
    double surface = INFINITY, meniscus = INFINITY, rest = INFINITY;
    r->drawn = draw != NULL;
    for (int i = 0; i < s->repeat; i++) {
        timing t;
        if (!time_world(s, def, end, &t, r, i == 0 ? draw : NULL)) return false;
        if (t.seconds < best.seconds) best = t;
        if (t.surface_seconds < surface) surface = t.surface_seconds;
        if (t.meniscus_seconds < meniscus) meniscus = t.meniscus_seconds;
        rest = fmin(rest, t.rest_seconds);
    }
    r->surface_ms = r->surfaced ? surface * 1e3 / (double)best.frames : NAN;
    r->meniscus_ms = r->surfaced ? meniscus * 1e3 / (double)best.frames : NAN;
    r->rest_ms = r->surfaced ? rest * 1e3 : NAN;
    r->slowest_surface_ms = r->surfaced ? best.slowest_surface * 1e3 : NAN;
    r->steps = best.frames, r->calls = best.calls;
    r->substeps = (double)best.substeps / (double)best.frames;
    r->ms = best.seconds * 1e3 / (double)best.frames, r->slowest_ms = best.slowest * 1e3;
    r->ns = best.seconds * 1e9 / (double)best.substeps / (double)r->columns;
    r->floor_ratio = r->ns / s->floor_ns;
    if (r->particles > 0) r->ns = r->floor_ratio = r->bytes = NAN; // these are of columns
    if (draw) {
        r->drawing_ms = rv_bench_draw_ms(draw);
        if (draw->still > 0) r->frame_ms = draw->still, r->turning_ms = draw->turning;
        if (draw->still > 0) r->median_ms = draw->median;
    }
    return true;
}

// A gentle, all-wet bed: everything awake, nothing special anywhere.
static bool bench_grid(const settings *s, int n, rv_pool *pool, row *r)
{
    size_t cells = (size_t)n * (size_t)n;
    float *heights = malloc(cells * sizeof *heights);
    if (!heights) return false;
    for (size_t i = 0; i < cells; i++) {
        double x = (double)(i % (size_t)n), y = (double)(i / (size_t)n);
        heights[i] = (float)(0.01 + 0.005 * sin(0.02 * x) * cos(0.03 * y));
    }
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = n;
    def.params.grid_top = 1.0, def.params.tension_on = false;
    def.params.time_step = 5e-4;
    def.heights = heights, def.pool = pool, def.device = device_of(s);
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_LEVEL, fill.level = 0.02;
    def.fills = &fill, def.fill_count = 1;
    double frames = 2e8 / (double)cells;
    r->plain = true;
    bool fine = measure(s, &def, def.params.time_step * (frames < 10 ? 10 : frames), r, NULL);
    free(heights);
    return fine;
}

static void show_making(double share, void *user)
{
    const row *r = user;
    rv_progress_show(r->progress, share, r->scene);
}

static bool bench_large(const settings *s, const char *name, int cells, rv_pool *pool, row *r,
                        rv_draw_bench *draw)
{
    rv_large_world large;
    rv_messages messages = {0};
    if (!rv_large_make(name, cells, show_making, r, &large, &messages)) {
        rv_print_messages(&messages);
        return false;
    }
    large.def.pool = pool, large.def.device = device_of(s);
    double end = isnan(s->time) ? large.def.params.time_end : s->time;
    bool fine = measure(s, &large.def, end, r, draw);
    rv_large_free(&large);
    return fine;
}

static bool bench_scene(const settings *s, const char *name, rv_pool *pool, row *r,
                        rv_draw_bench *draw)
{
    int n = 0;
    rv_messages refused = {0};
    if (rv_large_name(name, &n)) return bench_large(s, name, n, pool, r, draw);
    if (rv_large_refused(name, &refused)) {
        rv_print_messages(&refused);
        return false;
    }
    if (sscanf(name, "grid-%d", &n) == 1 && n >= 16 && n <= 8192) return bench_grid(s, n, pool, r);
    rv_scene_file scene;
    if (!rv_app_load(name, NULL, 0, &scene)) return false;
    rv_messages messages = {0};
    rv_form_work work = rv_default_form_work();
    work.pool = pool;
    bool fine = rv_scene_load_forms(&scene, &work, &messages);
    if (!fine) rv_print_messages(&messages);
    rv_world_def def = rv_scene_world_def(&scene);
    def.pool = pool, def.device = device_of(s);
    r->paper_ms = scene.paper.ms_simulation, r->paper_surface_ms = scene.paper.ms_surface;
    r->paper_drawing_ms = scene.paper.ms_rendering;
    fine = fine && measure(s, &def, isnan(s->time) ? def.params.time_end : s->time, r, draw);
    rv_scene_free(&scene);
    return fine;
}

// ---- Printing -----------------------------------------------------------------------------------

static void print_number(const char *key, double value, const char *end)
{
    if (isfinite(value))
        printf("\"%s\": %.*g%s", key, value == floor(value) ? 15 : 6, value, end);
    else
        printf("\"%s\": null%s", key, end);
}

static double calls_a_frame(const row *r, int64_t calls)
{
    return r->card ? (double)calls / (double)r->steps : NAN;
}

static void print_calls(const row *r)
{
    printf("  the card, a frame: %.1f dispatches, %.1f waits, %.1f writes and copies, %.1f KiB "
           "there, %.1f back; asking took %.3f ms, waiting %.3f\n",
           calls_a_frame(r, r->calls.dispatches), calls_a_frame(r, r->calls.waits),
           calls_a_frame(r, r->calls.moves), calls_a_frame(r, r->calls.up) / 1024,
           calls_a_frame(r, r->calls.down) / 1024, 1e3 * r->calls.asking / (double)r->steps,
           1e3 * r->calls.waited / (double)r->steps);
}

static void print_json(const row *r, bool first)
{
    bool columns = r->particles == 0;
    printf("%s\n  {\"scene\": \"%s\", \"backend\": \"%s\", \"threads\": %d, ", first ? "[" : ",",
           r->scene, r->card ? "card" : "cpu", r->threads);
    print_number("columns", columns ? (double)r->columns : NAN, ", ");
    print_number("pipes", columns ? (double)r->pipes : NAN, ", ");
    print_number("particles", columns ? NAN : (double)r->particles, ", ");
    printf("\"steps\": %lld, ", (long long)r->steps);
    print_number("ms_simulation", r->ms, ", ");
    print_number("ms_simulation_slowest", r->slowest_ms, ", ");
    print_number("ms_surface", r->surface_ms, ", ");
    print_number("ms_meniscus", r->meniscus_ms, ", ");
    print_number("ms_surface_rest", r->rest_ms, ", ");
    print_number("ms_rendering", r->drawing_ms, ", ");
    print_number("ms_frame", r->frame_ms, ", ");
    print_number("ms_frame_median", r->median_ms, ", ");
    print_number("ms_frame_turning", r->turning_ms, ", ");
    print_number("ns_per_column", r->ns, ", ");
    print_number("floor_ratio", r->floor_ratio, ", ");
    print_number("paper_ms", r->paper_ms, ", ");
    print_number("paper_ratio", r->paper_ms / r->ms, ", ");
    print_number("substeps", r->substeps, ", ");
    print_number("paper_ms_surface", r->paper_surface_ms, ", ");
    print_number("paper_ms_rendering", r->paper_drawing_ms, ", ");
    print_number("card_dispatches", calls_a_frame(r, r->calls.dispatches), ", ");
    print_number("card_waits", calls_a_frame(r, r->calls.waits), ", ");
    print_number("card_moves", calls_a_frame(r, r->calls.moves), ", ");
    print_number("card_bytes_up", calls_a_frame(r, r->calls.up), ", ");
    print_number("card_bytes_down", calls_a_frame(r, r->calls.down), ", ");
    print_number("bytes_per_column", r->bytes, "}");
}

// A number, or a dash where there is none.
static void print_cell(double value, const char *format, int width)
{
    if (isfinite(value))
        printf(format, value);
    else
        printf(" %*s", width, "-");
}

static void print_row(const row *r)
{
    bool columns = r->particles == 0;
    printf("%-18s %7d", r->scene, r->threads);
    print_cell(columns ? (double)r->columns : NAN, " %9.0f", 9);
    print_cell(columns ? (double)r->pipes : NAN, " %9.0f", 9);
    printf(" %8.2f %9.4f %9.4f", r->substeps, r->ms, r->slowest_ms);
    print_cell(r->ns, " %8.2f", 8);
    print_cell(r->floor_ratio, " %7.2f", 7);
    print_cell(r->bytes, " %7.1f", 7);
    print_cell(r->paper_ms, " %8.2f", 8);
    print_cell(r->paper_ms / r->ms, " %7.1fx", 8);
    print_cell(r->surface_ms, " %8.3f", 8);
    print_cell(r->paper_surface_ms / r->surface_ms, " %7.1fx", 8);
    print_cell(r->meniscus_ms, " %8.3f", 8);
    print_cell(r->rest_ms, " %8.3f", 8);
    if (isfinite(r->drawing_ms)) {
        print_cell(r->drawing_ms, " %8.3f", 8);
        print_cell(r->paper_drawing_ms / r->drawing_ms, " %7.1fx", 8);
    }
    if (!columns) printf("  %lld %s", (long long)r->particles, r->drops ? "drops" : "particles");
    putchar('\n');
    if (r->card) print_calls(r);
    fflush(stdout);
}

// ---- The command --------------------------------------------------------------------------------

// One row, measured and printed.
static bool bench_name(const settings *s, const char *name, int threads, rv_pool *pool, bool first,
                       rv_progress *progress)
{
    row r = {.scene = name,
             .threads = threads,
             .progress = progress,
             .card = s->backend.is_card,
             .paper_ms = NAN,
             .paper_surface_ms = NAN,
             .drawing_ms = NAN,
             .frame_ms = NAN,
             .median_ms = NAN,
             .turning_ms = NAN,
             .paper_drawing_ms = NAN};
    rv_draw_bench draw = {0};
    rv_messages messages = {0};
    if (s->width &&
        !rv_bench_draw_start(&draw, s->backend.target, s->width, s->height, &messages)) {
        rv_print_messages(&messages);
        return false;
    }
    bool fine = bench_scene(s, name, pool, &r, s->width ? &draw : NULL);
    rv_progress_clear(progress);
    if (fine && s->json)
        print_json(&r, first);
    else if (fine)
        print_row(&r);
    if (fine && !s->json && s->kernels && s->card)
        rv_counted_print_kernels(s->card, (double)(r.steps * s->repeat));
    if (fine && !s->json && draw.frames > 0) {
        rv_bench_draw_print(&draw);
        double surface = r.surfaced ? r.surface_ms + r.meniscus_ms : 0;
        printf("    the parts each by itself: step %.3f, surface and meniscus %.3f, drawing %.3f: "
               "%.3f ms\n",
               r.ms, surface, r.drawing_ms, r.ms + surface + r.drawing_ms);
        printf("    slowest: step %.3f, surface and meniscus %.3f, drawing %.3f ms\n", r.slowest_ms,
               r.surfaced ? r.slowest_surface_ms : 0, draw.slowest);
    }
    rv_bench_draw_end(&draw);
    return fine;
}

// A world that takes one thread minutes to make is measured with all of them only.
static bool is_huge(const char *name)
{
    int cells = 0;
    return rv_large_name(name, &cells) && cells >= 4096;
}

static bool bench_all(const settings *s, const char *const *names, int count)
{
    rv_progress progress = rv_progress_start(s->json);
    int pools = s->threads > 1 ? 2 : 1, done = 0, rows = 0;
    bool fine = true;
    if (!s->json)
        printf("%-18s %7s %9s %9s %8s %9s %9s %8s %7s %7s %8s %8s %8s %8s %8s %8s%s\n", "scene",
               "threads", "columns", "pipes", "substeps", "ms/frame", "slowest", "ns/col", "floor",
               "B/col", "paper ms", "paper", "surface", "paper", "meniscus", "rest",
               s->width ? "  drawing    paper" : "");
    for (int p = 0; p < pools; p++) {
        int threads = p == 0 ? 1 : s->threads;
        rv_pool *pool = threads > 1 ? rv_pool_create(threads) : NULL;
        for (int i = 0; i < count && fine; i++, done++) {
            if (pools == 2 && p == 0 && is_huge(names[i])) continue;
            rv_progress_show(&progress, (double)done / (double)(pools * count), names[i]);
            fine = bench_name(s, names[i], threads, pool, rows == 0, &progress);
            rows += fine;
        }
        rv_pool_destroy(pool);
    }
    if (s->json) puts(rows ? "\n]" : "[]");
    if (!s->json && fine) printf("memory floor: %.2f ns a column (1024²)\n", s->floor_ns);
    return fine;
}

static bool all_names(rv_scene_names *scenes, const char **names, int *count, int most)
{
    static const char *const grids[] = {"grid-256", "grid-1024", "grid-2048", "grid-4096"};
    rv_messages messages = {0};
    if (!rv_scene_names_list(scenes, &messages)) {
        rv_print_messages(&messages);
        return false;
    }
    for (int i = 0; i < scenes->count && *count < most; i++) names[(*count)++] = scenes->name[i];
    for (int i = 0; i < 4 && *count < most; i++) names[(*count)++] = grids[i];
    return true;
}

// Whether `name` is among the names; takes it out.
static bool take(const char *name, const char **names, int *count)
{
    int kept = 0, all = *count;
    for (int i = 0; i < all; i++)
        if (strcmp(names[i], name) != 0) names[kept++] = names[i];
    *count = kept;
    return kept < all;
}

// The rows that are no scenes.
enum { TERRAIN, BODIES, SHALLOW, PASSAGES, TENSION, PARTICLES, GLASS, CARD, OTHERS };
static const char *const others[OTHERS] = {"terrain", "bodies",    "swe",   "passages-long",
                                           "tension", "particles", "glass", "card"};

static bool bench_other(const settings *s, int which)
{
    rv_terrain_bench grounds = {s->json, s->threads, s->repeat};
    rv_bodies_bench floats = {s->json, s->threads, s->repeat};
    rv_swe_bench layers = {s->json, s->repeat};
    rv_passages_bench tunnels = {s->json, s->repeat};
    rv_tension_bench puddles = {s->json, s->threads, s->repeat, s->time};
    rv_particles_bench flows = {s->json, s->threads, s->repeat, rv_backend_device(&s->backend),
                                s->width > 0 ? s->backend.target : NULL};
    rv_card_bench cards = {s->json, s->repeat, s->most};
    // Pictures as large as the paper's, splat paper §1.7.
    rv_gl_bench drawn = {s->json, s->backend.half, s->width ? s->width : 1024,
                         s->width ? s->height : 768, s->repeat};
    switch (which) {
    case TERRAIN:
        return rv_bench_terrain(&grounds);
    case BODIES:
        return rv_bench_bodies(&floats);
    case SHALLOW:
        return rv_bench_swe(&layers);
    case PASSAGES:
        return rv_bench_passages(&tunnels);
    case TENSION:
        return rv_bench_tension(&puddles);
    case PARTICLES:
        return s->backend.draws ? rv_bench_gl(&drawn) : rv_bench_particles(&flows);
    case CARD:
        return rv_bench_card(&cards);
    default:
        return rv_bench_glass(&flows);
    }
}

// Those that are wanted, with an empty line before each but the first thing that is printed.
static bool bench_others(const settings *s, const bool *wanted, bool first)
{
    for (int i = 0; i < OTHERS; i++) {
        if (!wanted[i]) continue;
        if (!first) putchar('\n');
        if (!bench_other(s, i)) return false;
        first = false;
    }
    return true;
}

static bool take_size(settings *s, const char *text)
{
    char width[16], height[16];
    long w, h;
    if (!rv_split_size(&command, "--draw", text, width, height) ||
        !rv_option_whole(&command, "--draw", width, 16, 8192, &w) ||
        !rv_option_whole(&command, "--draw", height, 16, 8192, &h))
        return false;
    s->width = (int)w, s->height = (int)h;
    return true;
}

// Scenes on the card share one; their grids may be of any size.
static bool open_card(settings *s, rv_counted *counted)
{
    rv_messages messages = {0};
    rv_params params = rv_default_world_def().params;
    if (s->width > 0) params.view_width = s->width, params.view_height = s->height;
    if (!s->backend.is_card) return true;
    if (!rv_backend_open(&s->backend, NULL, &params, &messages)) {
        rv_print_messages(&messages);
        return false;
    }
    rv_counted_over(counted, rv_backend_device(&s->backend));
    counted->times = s->kernels && counted->real->timers;
    s->card = counted;
    return true;
}

int rv_app_bench(int argc, char **argv)
{
    enum { MOST = 256 };
    settings s = {.threads = rv_hardware_threads(), .repeat = 1, .time = NAN, .most = 1024};
    const char *names[MOST];
    int count = 0;
    rv_args args = rv_args_begin(&command, argc, argv);
    const char *name, *value;
    for (rv_arg kind; (kind = rv_args_next(&args, &name, &value)) != RV_ARG_END;) {
        long whole = 0;
        if (kind == RV_ARG_STOP) return args.status;
        if (kind == RV_ARG_PLAIN) {
            if (count == MOST) return rv_usage_error(&command, "too many scenes");
            names[count++] = value;
        } else if (strcmp(name, "--json") == 0) {
            s.json = true;
        } else if (strcmp(name, "--kernels") == 0) {
            s.kernels = true;
        } else if (strcmp(name, "--resume") == 0) {
            s.resume = value;
        } else if (strcmp(name, "--time") == 0) {
            if (!rv_option_real(&command, name, value, "s", 1e-6, 1e6, &s.time))
                return RV_EXIT_USAGE;
        } else if (strcmp(name, "--draw") == 0) {
            if (!take_size(&s, value)) return RV_EXIT_USAGE;
        } else if (strcmp(name, "--threads") == 0) {
            if (!rv_option_whole(&command, name, value, 1, 256, &whole)) return RV_EXIT_USAGE;
            s.threads = (int)whole;
        } else if (strcmp(name, "--most") == 0) {
            if (!rv_option_whole(&command, name, value, 200, 8192, &whole)) return RV_EXIT_USAGE;
            s.most = (int)whole;
        } else if (strcmp(name, "--backend") == 0) {
            if (!rv_backend_option(&s.backend, &command, value)) return RV_EXIT_USAGE;
        } else {
            if (!rv_option_whole(&command, name, value, 1, 1000, &whole)) return RV_EXIT_USAGE;
            s.repeat = (int)whole;
        }
    }
    rv_scene_names scenes = {0};
    bool wanted[OTHERS];
    int some = 0, last = 0;
    for (int i = 0; i < OTHERS; i++) {
        wanted[i] = take(others[i], names, &count);
        if (wanted[i]) some++, last = i;
    }
    if (s.json && some > 0 && count + some > 1)
        return rv_usage_error(&command,
                              "rows of `%s` have other fields: with --json ask for it "
                              "alone",
                              others[last]);
    if (s.backend.draws && (count > 0 || some > wanted[PARTICLES]))
        return rv_usage_error(&command, "--backend gl: only `particles` are timed with it");
    if (s.backend.draws) return bench_other(&s, PARTICLES) ? 0 : RV_EXIT_USAGE;
    if (s.backend.is_card && (some > wanted[PARTICLES] || count + some == 0))
        return rv_usage_error(&command,
                              "--backend card: name scenes, or ask for `particles` or `card`");
    if (s.kernels && (!s.backend.is_card || s.json))
        return rv_usage_error(&command, "--kernels: with --backend card, and without --json");
    if (s.resume && (count != 1 || some > 0))
        return rv_usage_error(&command, "--resume: a snapshot is of one scene, name that");
    rv_counted counted = {0};
    if (!open_card(&s, &counted)) return RV_EXIT_USAGE;
    if (some > 0 && count == 0) {
        bool timed = bench_others(&s, wanted, true);
        rv_backend_close(&s.backend);
        return timed ? 0 : RV_EXIT_USAGE;
    }
    if (count == 0)
        for (int i = 0; i < OTHERS; i++) wanted[i] = !s.json && i != CARD; // it may have none
    if (count == 0 && !all_names(&scenes, names, &count, MOST)) return RV_EXIT_USAGE;
    s.floor_ns = memory_floor((size_t)1024 * 1024);
    bool fine = bench_all(&s, names, count);
    fine = fine && bench_others(&s, wanted, false);
    rv_scene_names_free(&scenes);
    rv_backend_close(&s.backend);
    return fine ? 0 : RV_EXIT_USAGE;
}
