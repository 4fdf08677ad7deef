// What must not change: a lake at rest stays at rest, and volume is kept.
#include "verify.h"

#include "io/scene_file.h"

#include <math.h>
#include <string.h>

// ---- Lake ---------------------------------------------------------------------------------------

#define LAKE_LEVEL 0.014

// Rough ground, a rough slab over it that the lake covers (a flooded passage of odd shape), a ball
// that rises out of the lake, and a pillar that hangs into it.
static int lake_solids(rv_solid_def solids[4])
{
    solids[0] = rv_verify_box(RV_UNION, -0.1, 0.1, -0.1, 0.1, -0.05, 0.003);
    solids[0].noise = 0.004, solids[0].noise_size = 0.012, solids[0].noise_seed = 3;
    solids[1] = rv_verify_box(RV_UNION, -0.02, 0.012, -0.015, 0.014, 0.008, 0.011);
    solids[1].rotate.z = 0.4, solids[1].noise = 0.0015, solids[1].noise_size = 0.008;
    solids[1].noise_seed = 4;
    solids[2] = rv_default_solid_def();
    solids[2].shape = RV_SHAPE_SPHERE, solids[2].radius = 0.008;
    solids[2].at = (rv_vec3){0.018, 0.017, 0.012};
    solids[3] = rv_verify_box(RV_UNION, 0.015, 0.025, -0.025, -0.015, 0.012, 0.1);
    return 4;
}

static void rest(rv_report *report, rv_passages passages, const char *word, int steps)
{
    rv_solid_def solids[4];
    rv_fill_def fill = rv_default_fill_def();
    rv_world_def def = rv_verify_def();
    int n = report->quick ? 32 : 64;
    def.params.grid_nx = def.params.grid_ny = n, def.params.grid_dx = 0.064 / n;
    def.params.grid_bottom = -0.01, def.params.grid_top = 0.03;
    def.params.pipes_passages = passages;
    def.solids = solids, def.solid_count = lake_solids(solids);
    fill.level = LAKE_LEVEL;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    rv_columns c;
    if (!world || rv_world_get_columns(world, &c) != RV_OK) return;
    double fastest = 0, moved = 0, volume = rv_verify_stats(world).volume;
    for (int i = 0; i < steps; i++) {
        if (rv_world_step(world, 1e-3) != RV_OK) break;
        if (i % 100 != 99) continue;
        if (report->progress) report->progress(report->name, (double)i / steps, report->user);
        fastest = fmax(fastest, rv_verify_stats(world).fastest);
    }
    rv_world_get_columns(world, &c);
    for (size_t s = 0; s < c.slots; s++) {
        if (!(c.max[s] > c.base[s]) || (double)c.base[s] >= LAKE_LEVEL) continue;
        double level = fmin(LAKE_LEVEL, (double)c.max[s]);
        moved = fmax(moved, fabs((double)c.base[s] + (double)c.depth[s] - level));
    }
    rv_report_add(report, fastest, 0, 1e-6, "fastest, %s, %d steps, m/s", word, steps);
    // exact: to the spacing of single precision at the lake's level, 14 mm
    rv_report_add(report, moved, 0, 0x1p-30, "greatest error of level, %s, %d steps, m", word,
                  steps);
    rv_report_add(report, rv_verify_stats(world).volume, volume, 1e-6, "volume, %s, m3", word);
    rv_world_destroy(world);
}

static void check_lake(rv_report *report)
{
    rest(report, RV_PASSAGES_PRESSURE, "pressure", report->quick ? 500 : 10000);
    rest(report, RV_PASSAGES_UNIFIED, "unified", report->quick ? 200 : 2000);
    rest(report, RV_PASSAGES_AXIS, "axis", report->quick ? 200 : 2000);
    rest(report, RV_PASSAGES_NONE, "none", report->quick ? 200 : 2000);
}

const rv_case rv_case_lake = {
    .name = "lake",
    .title = "Lake at rest",
    .about = "a lake at rest on rough terrain with overhangs does not move",
    .text = "A lake over rough ground covers a rough slab, so that a full passage of odd shape "
            "lies under it; a ball rises out of it and a pillar hangs into it. Nothing may "
            "move. Levels are exact when they differ from the lake's by no more than the "
            "spacing of single precision at its level.\n\n"
            "To rely on: liquid at rest stays at rest, over any terrain and through any "
            "passage, for as long as one likes.",
    .run = check_lake,
};

// ---- Volume -------------------------------------------------------------------------------------

// Runs a scene and reports what is in it against what came in and went out.
static void keep_volume(rv_report *report, const char *name, int steps)
{
    rv_scene_file scene;
    rv_messages messages = {0};
    rv_form_work work = rv_default_form_work();
    if (!rv_scene_load(name, &scene, &messages) || !rv_scene_load_forms(&scene, &work, &messages)) {
        rv_scene_free(&scene);
        messages.text[strcspn(messages.text, "\n")] = 0;
        rv_report_add(report, NAN, 0, 0, "%.30s: %.60s", name, messages.text);
        return;
    }
    rv_world_def def = rv_scene_world_def(&scene);
    double dt = scene.params.time_step;
    // a step of many particles costs as much as a hundred of columns, and there is no rounding in
    // it
    if (def.params.solver == RV_SOLVER_SPLAT && steps > 10) steps = 10;
    rv_world *world = rv_verify_world(report, &def);
    if (world) {
        double first = rv_verify_stats(world).volume;
        bool ran = rv_verify_run(report, world, dt, steps * dt);
        rv_stats s = rv_verify_stats(world);
        double most = first + s.sourced, expected = first + s.sourced - s.drained;
        double error =
            ran ? fabs(s.volume + s.airborne + s.dew - expected) / (most > 0 ? most : 1) : NAN;
        rv_report_add(report, error, 0, 1e-6, "%.30s, %d steps, share of what came in", name,
                      steps);
        if (s.not_finite > 0)
            rv_report_add(report, (double)s.not_finite, 0, 0, "%.30s, columns not finite", name);
    }
    rv_world_destroy(world);
    rv_scene_free(&scene);
}

// A thick drop that creeps: each column changes by a like amount in every step, so an error of
// rounding that prefers one side adds up instead of cancelling.
static void keep_creeping_volume(rv_report *report, int steps)
{
    enum { N = 140 };
    static const float heights[N * N];
    rv_world_def def = rv_verify_def();
    rv_fill_def fill = rv_default_fill_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_dx = 5e-4,
    def.params.grid_top = 0.1;
    def.params.liquid_viscosity = 1e-3;
    fill.kind = RV_FILL_DROP, fill.volume = 5e-6, fill.radius = 0.0126, fill.at.z = 1;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    if (!world) return;
    double first = rv_verify_stats(world).volume;
    if (rv_verify_run(report, world, 1e-3, steps * 1e-3))
        rv_report_add(report, rv_verify_stats(world).volume, first, 1e-6,
                      "creeping drop, %d steps, m3", steps);
    rv_world_destroy(world);
}

static void check_volume(rv_report *report)
{
    keep_creeping_volume(report, report->quick ? 100 : 10000);
    rv_scene_names names;
    rv_messages messages = {0};
    if (!rv_scene_names_list(&names, &messages)) {
        rv_report_add(report, NAN, 0, 0, "no scenes found");
        return;
    }
    for (int i = 0; i < names.count; i++)
        keep_volume(report, names.name[i], report->quick ? 5 : 100);
    const char *const long_run[] = {"three-layers", "viscosity-4e-5"};
    for (int k = 0; k < 2 && !report->quick; k++)
        for (int i = 0; i < names.count; i++)
            if (strcmp(names.name[i], long_run[k]) == 0) keep_volume(report, long_run[k], 10000);
    rv_scene_names_free(&names);
}

const rv_case rv_case_volume = {
    .name = "volume",
    .title = "Volume",
    .about = "every shipped scene keeps its volume",
    .text = "What is in the world against what was there, came in and went out, in double "
            "precision, as a share of what came in: every shipped scene, long runs of two of "
            "them, and a thick drop that creeps. In the creeping drop each column falls by a "
            "like amount in every step; rounding that prefers one side would add up.\n\n"
            "To rely on: no liquid is made or lost, to a millionth, whatever a scene does.",
    .run = check_volume,
};
