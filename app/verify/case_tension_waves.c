// Surface tension where nothing needs to be wetted: ripples, and liquid that climbs a wall.
//
// Low waves on liquid of depth H, long against it: ω² = g H k² (1 + ℓ² k²), ℓ² = γ/(ρg).
//
// At a wall the surface stands at the contact angle θ. Far from other walls it comes down to the
// level along g h = γ/ρ κ, whose first integral gives the rise at the wall, ℓ √(2 (1 − sin θ)), and
// as much of a dip for angles beyond 90°.
#include "both.h"
#include "capillary.h"

#include <math.h>
#include <stdlib.h>

#define WIDE 4 // cells

// ---- Waves --------------------------------------------------------------------------------------

#define DEEP 3e-3   // m
#define SIDE 0.5e-3 // m, of a cell

static double wave_period(double length, double length2)
{
    double k = 2 * RV_PI / length;
    return 2 * RV_PI / sqrt(9.81 * DEEP * k * k * (1 + length2 * k * k));
}

// Half a wave in a box that is closed at both ends.
static void swing(rv_report *report, int solver, double length, int periods, rv_series *series)
{
    const int n = (int)lround(0.5 * length / SIDE), parts = 100;
    const double height = 0.01 * DEEP;
    rv_world_def def = rv_wet_def(n, WIDE, SIDE, RV_PI / 2);
    double exact = wave_period(length, rv_wet_length2(&def.params)), dt = exact / parts;
    rv_fill_def *fills = calloc((size_t)n, sizeof *fills);
    float *bed = calloc((size_t)(n * WIDE), sizeof *bed);
    def.params.solver = rv_both_kind(solver), def.params.grid_top = 0.03;
    def.params.liquid_viscosity = 0, def.params.pipes_kept = 1;
    for (int x = 0; fills && x < n; x++)
        fills[x] = rv_channel_fill(&def, x, DEEP + height * cos(RV_PI * (x + 0.5) / n));
    def.heights = bed, def.fills = fills, def.fill_count = n;
    rv_world *world = fills && bed ? rv_verify_world(report, &def) : NULL;
    rv_crossings c = {0};
    bool good = world != NULL;
    for (int i = 0; good && i < parts * periods; i++) {
        rv_crossings_add(&c, i * dt,
                         rv_verify_level(world, 0, 1) - rv_verify_level(world, n - 1, 1));
        good = rv_world_step(world, dt) == RV_OK;
    }
    if (good) {
        double period = rv_crossings_period(&c);
        rv_report_add(report, 2 * RV_PI / period, 2 * RV_PI / exact, 0.02,
                      "%s, frequency of waves of %g mm, 1/s", rv_both_word(solver), length * 1e3);
        rv_plot_point(series, length * 1e3, 1 / period);
    }
    rv_world_destroy(world);
    free(fills);
    free(bed);
}

static void check_waves(rv_report *report)
{
    const double length[3] = {0.04, 0.02, 0.01};
    const rv_world_def def = rv_wet_def(1, 1, 1, 1);
    const double length2 = rv_wet_length2(&def.params);
    rv_plot *plot = rv_plot_begin(report, "waves", "Waves on 3 mm of liquid, dx 0.5 mm",
                                  "length of the wave, mm", "frequency, 1/s");
    rv_series *with = rv_plot_series(plot, RV_MARK_LINE, 0, "theory");
    rv_series *without = rv_plot_series(plot, RV_MARK_DASHES, 0, "theory without tension");
    for (double l = 8e-3; l <= 0.05; l += 1e-3) {
        rv_plot_point(with, l * 1e3, 1 / wave_period(l, length2));
        rv_plot_point(without, l * 1e3, 1 / wave_period(l, 0));
    }
    for (int k = 0; k < RV_BOTH; k++) {
        rv_series *ours = rv_plot_series(plot, RV_MARK_POINTS, k + 1, "%s", rv_both_word(k));
        for (int i = 0; i < 3; i++) swing(report, k, length[i], report->quick ? 2 : 6, ours);
    }
}

// ---- Walls --------------------------------------------------------------------------------------

#define LEVEL 0.01 // m
#define WALL 0.026 // m from the middle
#define HALF 0.03  // m, of the grid

static void draw_wall(const rv_world *world, rv_series *series, int first, double far)
{
    const rv_params *p = rv_world_params(world);
    for (int x = first; x < p->grid_nx / 2; x++)
        rv_plot_point(series, (x - first + 0.5) * p->grid_dx * 1e3,
                      (rv_verify_level(world, x, 1) - far) * 1e3);
}

// A trough between two walls, ten times ℓ from one another. Liquid thick enough to come to rest
// soon.
static void climb(rv_report *report, int solver, double degrees, double dx, rv_series *series)
{
    const double time = report->quick ? 1.5 : 4;
    const int n = 2 * (int)lround(HALF / dx), first = (int)lround((HALF - WALL) / dx);
    const double angle = degrees * RV_DEGREE;
    rv_world_def def = rv_wet_def(n, WIDE, dx, angle);
    rv_fill_def fill = rv_default_fill_def();
    rv_solid_def solids[3] = {
        rv_verify_box(RV_UNION, -1, 1, -1, 1, -0.1, 0),
        rv_verify_box(RV_UNION, -1, -WALL, -1, 1, -0.1, 0.03),
        rv_verify_box(RV_UNION, WALL, 1, -1, 1, -0.1, 0.03),
    };
    def.params.solver = rv_both_kind(solver), def.params.liquid_viscosity = 1e-4;
    def.params.grid_bottom = -0.01, def.params.grid_top = 0.04;
    def.solids = solids, def.solid_count = 3;
    fill.level = LEVEL, def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    if (world && rv_verify_run(report, world, 0.01, time)) {
        double far =
            0.5 * (rv_verify_level(world, n / 2 - 1, 1) + rv_verify_level(world, n / 2, 1));
        double near =
            1.5 * rv_verify_level(world, first, 1) - 0.5 * rv_verify_level(world, first + 1, 1);
        double exact = sqrt(rv_wet_length2(&def.params) * 2 * (1 - sin(angle)));
        rv_report_add(report, near - far, degrees > 90 ? -exact : exact, 0.05,
                      "%s, rise at a wall, %g deg, dx %g mm, m", rv_both_word(solver), degrees,
                      dx * 1e3);
        draw_wall(world, series, first, far);
    }
    rv_world_destroy(world);
}

static void check_walls(rv_report *report)
{
    rv_plot *plot = rv_plot_begin(report, "wall", "Liquid at a wall, dx 0.5 mm",
                                  "distance from the wall, mm", "over the level far away, mm");
    for (int i = 0; i < 3; i++) {
        const double degrees[3] = {30, 60, 120};
        if (report->quick && i != 1) continue;
        rv_series *s = rv_plot_series(plot, RV_MARK_POINTS, i + 1, "%g°", degrees[i]);
        climb(report, 0, degrees[i], 0.5e-3, s);
        if (!report->quick) climb(report, 0, degrees[i], 0.25e-3, NULL);
    }
    if (!report->quick) climb(report, 1, 30, 0.5e-3, NULL);
}

static void check_both(rv_report *report)
{
    check_waves(report);
    check_walls(report);
}

const rv_case rv_case_tension_waves = {
    .name = "tension-waves",
    .title = "Ripples and walls",
    .about = "waves with surface tension, and how far liquid climbs a wall",
    .text =
        "Half a wave in a box with 3 mm of liquid, no friction: ω² = gHk²(1 + ℓ²k²), the law "
        "of waves that are long against the depth, with ℓ² = γ/(ρg) = 7.3 mm². Waves shorter "
        "than the depth are slower in truth; the columns do not know that, with tension or "
        "without.\n\n"
        "A trough between two walls: liquid climbs them by ℓ√(2(1 − sin θ)), or dips by as much "
        "where θ is over 90°. The rise is taken at the wall itself, by a straight line through "
        "the first two columns. Sides of the grid are no walls: nothing climbs them.\n\n"
        "To rely on: ripples at their right speed, rims of the right height at cells of half a "
        "millimetre.",
    .run = check_both,
};
