// What terrain costs: the field of a mesh, a drill in bone with blood on it, a cup moved through a
// spill, and the triangles that are drawn; each beside the figure it has to reach.
#include "app/bench_terrain.h"

#include "app/options.h"
#include "app/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAU 6.28318530717958647692
#define FIGURES 64
#define RUN_MAX 400 // edits or moves of a run

typedef struct figure {
    const char *item, *quantity, *unit;
    int threads;
    double value, target; // target NAN: there is none; else the value has to be under it
} figure;

typedef struct bench {
    const rv_terrain_bench *settings;
    rv_progress progress;
    const char *item;  // the one that runs
    double done, span; // share of all that was done before its part that runs, and of that part
    rv_pool *pool;
    int threads;
    figure figure[FIGURES];
    int count;
    // ms of each edit, or move, step and both, of a run: the least of all repeats, which are alike
    double least[3][RUN_MAX];
} bench;

// Keeps the least of all repeats.
static void note(bench *b, const char *quantity, double value, const char *unit, double target)
{
    for (int i = 0; i < b->count; i++) {
        figure *f = &b->figure[i];
        if (strcmp(f->item, b->item) == 0 && strcmp(f->quantity, quantity) == 0 &&
            f->threads == b->threads) {
            if (value < f->value) f->value = value;
            return;
        }
    }
    if (b->count < FIGURES)
        b->figure[b->count++] = (figure){b->item, quantity, unit, b->threads, value, target};
}

static void show(double share, void *user)
{
    bench *b = user;
    rv_progress_show(&b->progress, b->done + share * b->span, b->item);
}

static rv_world *make_world(bench *b, rv_world_def *def)
{
    rv_world *world = NULL;
    rv_messages messages = {0};
    def->pool = b->pool, def->progress = show, def->progress_user = b;
    if (rv_world_create(def, &world, &messages) == RV_OK) return world;
    rv_progress_clear(&b->progress);
    rv_print_messages(&messages);
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void keep_least(double *least, double seconds)
{
    *least = fmin(*least, 1e3 * seconds);
}

// The value that `share` of n, at most RUN_MAX, are not above.
static double quantile(const double *values, int n, double share)
{
    double sorted[RUN_MAX];
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    int i = (int)ceil(share * n) - 1;
    return sorted[i < 0 ? 0 : i];
}

// ---- The field of a mesh ------------------------------------------------------------------------

#define MESH_CELLS 200
#define MESH_HIGH 120
#define MESH_DX 5e-4 // m

typedef struct ring {
    float *positions;
    uint32_t *indices;
    int around, across;
} ring;

// A ring with bumps, closed, leaning, so that it has overhangs all around: around × across places,
// two triangles each. 95 mm wide, 52 mm high.
static bool make_ring(ring *r, int around, int across)
{
    size_t places = (size_t)around * (size_t)across, at = 0, k = 0;
    *r = (ring){.around = around, .across = across};
    r->positions = malloc(places * 3 * sizeof *r->positions);
    r->indices = malloc(places * 6 * sizeof *r->indices);
    if (!r->positions || !r->indices) return false;
    for (int i = 0; i < around; i++) {
        for (int j = 0; j < across; j++) {
            double u = TAU * i / around, v = TAU * j / across;
            double tube = 0.0155 + 0.0012 * sin(11 * u + 2 * v) * cos(5 * v);
            double out = 0.030 + tube * cos(v), up = tube * sin(v);
            double x = out * cos(u), y = out * sin(u);
            r->positions[at++] = (float)(0.94 * x - 0.342 * up);
            r->positions[at++] = (float)y;
            r->positions[at++] = (float)(0.030 + 0.342 * x + 0.94 * up);
            int i1 = (i + 1) % around, j1 = (j + 1) % across;
            uint32_t a = (uint32_t)(i * across + j), b = (uint32_t)(i1 * across + j);
            uint32_t c = (uint32_t)(i1 * across + j1), d = (uint32_t)(i * across + j1);
            const uint32_t two[6] = {a, b, c, a, c, d};
            memcpy(r->indices + k, two, sizeof two);
            k += 6;
        }
    }
    return true;
}

static void free_ring(ring *r)
{
    free(r->positions);
    free(r->indices);
}

// Made by the one thread that the targets are given for.
static bool field_of_mesh(bench *b, const ring *r, double target)
{
    rv_form_def how = rv_default_form_def();
    rv_form_work work = rv_default_form_work();
    rv_form *form = NULL;
    rv_form_report found;
    rv_messages messages = {0};
    size_t places = (size_t)r->around * (size_t)r->across;
    rv_triangles mesh = {r->positions, places, r->indices, 2 * places};
    double start = rv_seconds();
    b->span *= 0.5;
    work.progress = show, work.progress_user = b;
    if (rv_form_from_triangles(&mesh, &how, &work, &form, &found, &messages) != RV_OK) {
        rv_progress_clear(&b->progress);
        rv_print_messages(&messages);
        return false;
    }
    double made = rv_seconds();
    b->done += b->span;
    rv_solid_def solid = rv_default_solid_def();
    solid.shape = RV_SHAPE_MESH, solid.form = form;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = MESH_CELLS, def.params.grid_dx = MESH_DX;
    def.params.grid_bottom = 0, def.params.grid_top = (MESH_HIGH - 1) * MESH_DX;
    def.solids = &solid, def.solid_count = 1;
    rv_world *world = make_world(b, &def);
    double end = rv_seconds();
    rv_world_info info;
    bool fine = world && rv_world_get_info(world, &info) == RV_OK;
    if (fine) {
        note(b, "repair and tree", made - start, "s", NAN);
        note(b, "field and columns", end - made, "s", NAN);
        note(b, "all", end - start, "s", target);
        note(b, "memory of the field",
             (double)info.terrain_bytes / ((double)MESH_CELLS * MESH_CELLS * MESH_HIGH), "B/voxel",
             6);
    }
    rv_world_destroy(world);
    rv_form_free(form);
    return fine;
}

static bool bench_mesh(bench *b, int around, int across, double target)
{
    ring r;
    bool fine = make_ring(&r, around, across) && field_of_mesh(b, &r, target);
    free_ring(&r);
    return fine;
}

static bool bench_small_mesh(bench *b)
{
    return bench_mesh(b, 250, 200, 2);
}

static bool bench_large_mesh(bench *b)
{
    return bench_mesh(b, 1000, 500, 10);
}

// ---- A drill in bone ----------------------------------------------------------------------------

#define EDITS RUN_MAX
#define BURR_CELLS 10 // across
#define LANES 9       // that the burr goes to and fro

// Where the burr goes: over the bone to and fro, one cell at a time, half sunk into what it meets.
// Up a wall it goes through it; over a cliff it is lifted and set down again below.
static int drill_path(const rv_world *world, double dx, rv_vec3 *path, int most)
{
    double radius = 0.5 * BURR_CELLS * dx, half = 36 * dx, z = NAN;
    int count = 0;
    for (int lane = 0; lane < LANES && count < most; lane++) {
        double y = (8 * lane - 4 * (LANES - 1)) * dx;
        for (double s = -half; s < half && count < most; s += dx) {
            rv_ray ray = {{lane % 2 ? -s : s, y, 0.077}, {0, 0, -1}};
            rv_hit hit;
            rv_world_cast(world, &ray, 1, &hit);
            if (!hit.terrain) continue;
            double goal = hit.terrain_point.z - 0.5 * radius;
            z = isnan(z) ? goal : fmin(goal, z + dx);
            path[count++] = (rv_vec3){ray.from.x, y, z};
        }
    }
    return count;
}

static bool drill(bench *b, rv_world *world, double dt)
{
    rv_vec3 path[EDITS + 1];
    double dx = rv_world_params(world)->grid_dx, changed = 0, *ms = b->least[0];
    int points = drill_path(world, dx, path, EDITS + 1), cut = 0;
    rv_solid_def burr = rv_default_solid_def();
    burr.shape = RV_SHAPE_SPHERE, burr.radius = 0.5 * BURR_CELLS * dx;
    rv_event_def edit = rv_default_event_def();
    edit.tool = &burr, edit.tool_count = 1;
    for (int i = 0; i + 1 < points; i++) {
        rv_edit_report report;
        bool lifted = path[i + 1].z < path[i].z - 2 * dx;
        edit.path = path + i + lifted, edit.path_count = lifted ? 1 : 2;
        double start = rv_seconds();
        if (rv_world_edit(world, &edit, &report, NULL) != RV_OK) return false;
        keep_least(&ms[i], rv_seconds() - start);
        cut += report.changed > 0, changed += (double)report.changed;
        rv_world_step(world, dt);
        show(0.5 + 0.5 * i / points, b);
    }
    if (points < 2) return false;
    note(b, "edits", points - 1, "", NAN);
    note(b, "edits that cut", 100.0 * cut / (points - 1), "%", NAN);
    note(b, "cells changed by one, mean", changed / (points - 1), "", NAN);
    note(b, "median", quantile(ms, points - 1, 0.5), "ms", 0.5);
    note(b, "95 of 100 within", quantile(ms, points - 1, 0.95), "ms", 0.5);
    note(b, "slowest", quantile(ms, points - 1, 1), "ms", NAN);
    return true;
}

static void marching(bench *b, const rv_world *world)
{
    double best = INFINITY;
    rv_mesh mesh = {0};
    b->item = "marching";
    for (int i = 0; i < 3; i++) {
        double start = rv_seconds();
        if (rv_world_terrain_mesh(world, &mesh, NULL) != RV_OK) return;
        best = fmin(best, rv_seconds() - start);
        if (i == 2) note(b, "triangles", (double)mesh.triangle_count, "", NAN);
        rv_mesh_free(&mesh);
    }
    note(b, "all of surgery", best * 1e3, "ms", NAN);
}

static bool bench_drill(bench *b)
{
    rv_scene_file scene;
    if (!rv_app_load("surgery", NULL, 0, &scene)) return false;
    rv_world_def def = rv_scene_world_def(&scene);
    double dt = def.params.time_step;
    rv_world *world = make_world(b, &def);
    bool fine = world != NULL;
    for (int i = 0; fine && i < 500; i++) fine = rv_world_step(world, dt) == RV_OK;
    fine = fine && drill(b, world, dt);
    if (fine) marching(b, world);
    rv_world_destroy(world);
    rv_scene_free(&scene);
    return fine;
}

// ---- A cup in a spill ---------------------------------------------------------------------------

#define MOVES 250     // at most RUN_MAX
#define MOVER_DX 1e-3 // m
#define MOVER_DT 8e-3 // s, in which a move and a step have to be done to be in real time

static rv_solid_def part(rv_shape shape, rv_operation op, double z, double radius, double height)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = shape, s.op = op, s.at.z = z, s.radius = radius, s.height = height;
    return s;
}

// 60 cells across and 56 high, with a handle, a hollow foot and rounded seams; its foot stands at
// z = 0.
static int make_cup(rv_solid_def *s)
{
    const double c = MOVER_DX;
    int n = 0;
    s[n++] = part(RV_SHAPE_GROUP, RV_UNION, 8 * c, 0, 0);
    s[n] = part(RV_SHAPE_CONE, RV_UNION, 30 * c, 20 * c, 52 * c);
    s[n++].radius2 = 25 * c;
    s[n] = part(RV_SHAPE_SPHERE, RV_UNION, 20 * c, 22 * c, 0);
    s[n++].blend = 4 * c;
    s[n] = part(RV_SHAPE_TORUS, RV_UNION, 32 * c, 12 * c, 0);
    s[n].at.x = 20 * c, s[n].radius2 = 3 * c, s[n].rotate.x = TAU / 4, s[n++].blend = 3 * c;
    s[n] = part(RV_SHAPE_CONE, RV_SUBTRACT, 33 * c, 17 * c, 50 * c);
    s[n].radius2 = 22.5 * c, s[n++].blend = 2 * c;
    s[n] = part(RV_SHAPE_CYLINDER, RV_UNION, 3 * c, 17 * c, 6 * c);
    s[n++].blend = 2 * c;
    s[n] = part(RV_SHAPE_CYLINDER, RV_SUBTRACT, 0, 14 * c, 5 * c);
    s[n++].blend = c;
    s[0].children = n - 1, s[0].mover = 1;
    return n;
}

// It slides to and fro through the spill, turning, is lifted and tilted a little, and comes back:
// at most three quarters of a cell in a step.
static rv_pose pose_at(int i)
{
    double t = (double)i / MOVES;
    rv_pose pose = {.pivot = {0, 0, 0.03}};
    pose.shift = (rv_vec3){0.03 * (1 - cos(TAU * t)), 0.015 * sin(TAU * t),
                           0.02 * fmax(0, sin(TAU * (t - 0.5)))};
    pose.rotate = (rv_vec3){0.2 * fmax(0, sin(TAU * (t - 0.5))), 0, 1.2 * t};
    return pose;
}

static bool move(bench *b, rv_world *world)
{
    double *move_ms = b->least[0], *step_ms = b->least[1], *both = b->least[2];
    for (int i = 0; i < MOVES; i++) {
        rv_pose pose = pose_at(i + 1);
        double start = rv_seconds();
        if (rv_world_move(world, 1, &pose, NULL, NULL) != RV_OK) return false;
        double moved = rv_seconds();
        if (rv_world_step(world, MOVER_DT) != RV_OK) return false;
        double end = rv_seconds();
        keep_least(&move_ms[i], moved - start);
        keep_least(&step_ms[i], end - moved);
        keep_least(&both[i], end - start);
        show((double)i / MOVES, b);
    }
    note(b, "move, median", quantile(move_ms, MOVES, 0.5), "ms", NAN);
    note(b, "step, median", quantile(step_ms, MOVES, 0.5), "ms", NAN);
    note(b, "both, median", quantile(both, MOVES, 0.5), "ms", 1e3 * MOVER_DT);
    note(b, "both, 95 of 100 within", quantile(both, MOVES, 0.95), "ms", 1e3 * MOVER_DT);
    note(b, "both, slowest", quantile(both, MOVES, 1), "ms", NAN);
    return true;
}

static bool bench_mover(bench *b)
{
    rv_solid_def solid[8];
    rv_fill_def fill = rv_default_fill_def();
    rv_world_def def = rv_default_world_def();
    solid[0] = part(RV_SHAPE_PLANE, RV_UNION, 8e-3, 0, 0);
    solid[0].noise = 3e-4, solid[0].noise_size = 0.04;
    def.solids = solid, def.solid_count = 1 + make_cup(solid + 1);
    fill.level = 14e-3; // 6 cells of spill, in the foot, too
    def.fills = &fill, def.fill_count = 1;
    def.params.grid_nx = 200, def.params.grid_ny = 150, def.params.grid_dx = MOVER_DX;
    def.params.grid_bottom = 0, def.params.grid_top = 0.09;
    def.params.liquid_viscosity = 2e-6;
    rv_world *world = make_world(b, &def);
    bool fine = world && move(b, world);
    rv_world_destroy(world);
    return fine;
}

// ---- Printing -----------------------------------------------------------------------------------

static void print_json(const figure *f, bool first)
{
    printf("%s\n  {\"item\": \"%s\", \"quantity\": \"%s\", \"threads\": %d, \"value\": %.6g, "
           "\"unit\": \"%s\", ",
           first ? "[" : ",", f->item, f->quantity, f->threads, f->value, f->unit);
    if (isnan(f->target))
        printf("\"target\": null, \"reached\": null}");
    else
        printf("\"target\": %g, \"reached\": %s}", f->target,
               f->value < f->target ? "true" : "false");
}

static void print_row(const figure *f)
{
    printf("%-12s %-28s %7d %11.*f %-8s", f->item, f->quantity, f->threads,
           f->unit[0] == '\0' ? 0 : 3, f->value, f->unit);
    if (isnan(f->target))
        printf(" %8s\n", "-");
    else
        printf(" %8g %s\n", f->target, f->value < f->target ? "" : " NOT REACHED");
    fflush(stdout);
}

// ---- All of it ----------------------------------------------------------------------------------

typedef struct item {
    const char *name;
    bool (*run)(bench *b);
    double share;  // of the time of all
    bool threaded; // with more threads, too
} item;

static const item items[] = {
    {"mesh-100k", bench_small_mesh, 0.15, false}, {"mesh-1m", bench_large_mesh, 0.45, false},
    {"drill", bench_drill, 0.15, false},          {"mover", bench_mover, 0.125, false},
    {"mover", bench_mover, 0.125, true},
};

static bool run_item(bench *b, const item *it, double before)
{
    bool fine = true;
    int from = b->count, repeat = b->settings->repeat;
    b->threads = it->threaded ? b->settings->threads : 1;
    for (int i = 0; i < 3 * RUN_MAX; i++) b->least[i / RUN_MAX][i % RUN_MAX] = INFINITY;
    b->pool = b->threads > 1 ? rv_pool_create(b->threads) : NULL;
    for (int k = 0; k < repeat && fine; k++) {
        b->item = it->name, b->span = it->share / repeat;
        b->done = before + k * b->span;
        fine = it->run(b);
    }
    rv_pool_destroy(b->pool);
    rv_progress_clear(&b->progress);
    for (int i = from; i < b->count; i++)
        if (b->settings->json)
            print_json(&b->figure[i], i == 0);
        else
            print_row(&b->figure[i]);
    return fine;
}

bool rv_bench_terrain(const rv_terrain_bench *settings)
{
    bench b = {.settings = settings, .progress = rv_progress_start(settings->json)};
    double before = 0;
    bool fine = true;
    if (!settings->json)
        printf("%-12s %-28s %7s %11s %-8s %8s\n", "terrain", "quantity", "threads", "measured",
               "unit", "target");
    for (size_t i = 0; i < sizeof items / sizeof *items && fine; i++) {
        if (items[i].threaded && settings->threads < 2) continue;
        fine = run_item(&b, &items[i], before);
        before += items[i].share;
    }
    if (settings->json) puts(b.count > 0 ? "\n]" : "[]");
    return fine;
}
