// Waves without friction: a standing wave in a box, and two tanks that swing through a long
// passage.
#include "verify.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81

// The longest wave of a box of length L and depth H swings with period 2 L / sqrt(g H).
static void check_wave(rv_report *report)
{
    const int n = report->quick ? 50 : 100, ny = 3;
    const double dx = 0.2 / n, depth = 0.02, height = 2e-4, length = n * dx;
    double exact = 2 * length / sqrt(GRAVITY * depth);
    rv_world_def def = rv_verify_def();
    def.params.grid_nx = n, def.params.grid_ny = ny, def.params.grid_dx = dx;
    def.params.gravity.z = -GRAVITY, def.params.liquid_viscosity = 0, def.params.pipes_kept = 1;
    rv_fill_def *fills = calloc((size_t)n, sizeof *fills);
    float *heights = calloc((size_t)(n * ny), sizeof *heights);
    for (int x = 0; fills && x < n; x++) {
        double at = (x + 0.5) * dx;
        fills[x] = rv_default_fill_def();
        fills[x].kind = RV_FILL_DEPTH;
        fills[x].depth = depth + height * cos(PI * at / length);
        fills[x].from.x = at - 0.5 * length - 0.25 * dx,
        fills[x].to.x = at - 0.5 * length + 0.25 * dx;
    }
    def.fills = fills, def.fill_count = n, def.heights = heights;
    rv_world *world = fills && heights ? rv_verify_world(report, &def) : NULL;
    rv_crossings c = {0};
    const double dt = exact / 400;
    rv_plot *plot = rv_plot_begin(report, "swing", "Standing wave in a box, 0.2 m long, 20 mm deep",
                                  "time, s", "level at the left wall over rest, mm");
    rv_series *theory = rv_plot_series(plot, RV_MARK_LINE, 0, "linear theory");
    rv_series *ours = rv_plot_series(plot, RV_MARK_POINTS, 1, "pipes, dx %g mm", dx * 1e3);
    rv_plot_key(plot, "outside top center horizontal");
    for (int i = 0; world && i < 400 * (report->quick ? 3 : 10); i++) {
        double apart = rv_verify_level(world, 0, 1) - rv_verify_level(world, n - 1, 1);
        rv_crossings_add(&c, i * dt, apart);
        if (i % 5 == 0 && i <= 1200)
            rv_plot_point(theory, i * dt, 1e3 * height * cos(2 * PI * i * dt / exact));
        if (i % 20 == 0 && i <= 1200)
            rv_plot_point(ours, i * dt, 1e3 * (rv_verify_level(world, 0, 1) - depth));
        if (rv_world_step(world, dt) != RV_OK) break;
    }
    if (world) rv_report_add(report, rv_crossings_period(&c), exact, 0.01, "period, wet pipes, s");
    rv_world_destroy(world);
    free(fills);
    free(heights);
}

const rv_case rv_case_wave = {
    .name = "wave",
    .title = "Standing wave",
    .about = "period of a standing wave in a box",
    .text = "The longest wave of a box 0.2 m long with 20 mm of liquid, no friction: period "
            "2L/√(gH), from ten periods of zero crossings. Linear theory: the wave is low "
            "against the depth.\n\n"
            "To rely on: long waves run at √(gH) with the default area `wet`. With the papers' "
            "area `cell` they run at √(g dx), whatever the depth.",
    .run = check_wave,
};

// Two tanks of width W joined by a passage of length L and height D: the liquid in the passage is
// the mass, the levels are the spring; period 2 pi sqrt(L W / (2 g D)).
static void check_period(rv_report *report)
{
    const double dx = report->quick ? 2e-3 : 1e-3, width = 0.02, length = 0.12, gap = 4e-3;
    const double deep = 0.03, half = 0.5 * length, side = 4 * dx, high = 0.05;
    double exact = 2 * PI * sqrt(length * width / (2 * GRAVITY * gap));
    rv_world_def def = rv_verify_def();
    def.params.grid_nx = (int)lround((length + 2 * width) / dx), def.params.grid_ny = 4;
    def.params.grid_dx = dx, def.params.grid_bottom = -gap, def.params.grid_top = high;
    def.params.gravity.z = -GRAVITY, def.params.liquid_viscosity = 0, def.params.pipes_kept = 1;
    // the roof of the passage is a slab; it reaches over the edge of the grid to both sides
    rv_solid_def roof = rv_verify_box(RV_UNION, -half, half, -side, side, gap, 2 * high);
    rv_solid_def ground = rv_verify_box(RV_UNION, -1, 1, -1, 1, -0.1, 0);
    rv_solid_def solids[2] = {ground, roof};
    rv_fill_def fills[2] = {rv_default_fill_def(), rv_default_fill_def()};
    fills[0].level = deep, fills[1].level = deep + 1e-3;
    fills[1].to.x = -half;
    def.solids = solids, def.solid_count = 2, def.fills = fills, def.fill_count = 2;
    rv_world *world = rv_verify_world(report, &def);
    rv_crossings c = {0};
    const double dt = exact / 200;
    rv_plot *plot = rv_plot_begin(report, "swing", "Two tanks that swing through a long passage",
                                  "time, s", "difference of levels, mm");
    rv_series *theory = rv_plot_series(plot, RV_MARK_LINE, 0, "theory, a rigid plug");
    rv_series *ours = rv_plot_series(plot, RV_MARK_POINTS, 1, "pipes, passages pressure");
    rv_plot_key(plot, "outside top center horizontal");
    for (int i = 0; world && i < 200 * 4; i++) {
        double apart =
            rv_verify_level(world, 2, 1) - rv_verify_level(world, def.params.grid_nx - 3, 1);
        rv_crossings_add(&c, i * dt, apart);
        if (i % 4 == 0) rv_plot_point(theory, i * dt, cos(2 * PI * i * dt / exact));
        if (i % 10 == 0) rv_plot_point(ours, i * dt, 1e3 * apart);
        if (report->progress && i % 20 == 0)
            report->progress(report->name, i / 800.0, report->user);
        if (rv_world_step(world, dt) != RV_OK) break;
    }
    if (world)
        rv_report_add(report, rv_crossings_period(&c), exact, 0.05, "period, passages pressure, s");
    rv_world_destroy(world);
}

const rv_case rv_case_period = {
    .name = "period",
    .title = "Two tanks and a long passage",
    .about = "two tanks swing through a long passage",
    .text = "Two tanks 20 mm wide, a passage 120 mm long and 4 mm high, no friction, "
            "`pressure`: period 2π√(LW/(2gD)). The formula takes the liquid of the passage for "
            "a rigid plug and leaves out that the liquid in the tanks swings along, and the "
            "shift at the start is the time that the first wave takes to the tunnel; that is "
            "most of the difference.\n\n"
            "To rely on: a full passage has the inertia of its own length and height.",
    .run = check_period,
};
