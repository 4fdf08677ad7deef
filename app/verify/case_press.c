// Air over a basin (tank paper: P = ρ g h + P_atm + P_ext; rivulet/press.h).
//
// At rest h + p/(ρ g) is the same everywhere: under a pressure p the level is lower by p/(ρ g) than
// beside it. Wind with the shear τ on a closed basin piles liquid up until the slope of the level
// holds it: ρ g H dh/dx = τ.
#include "both.h"

#include <math.h>
#include <stdlib.h>

#define WIDE 6     // cells
#define DEEP 0.02  // m
#define LONG 0.2   // m
#define CALM 60.0  // s, in which thick liquid comes to rest
#define THICK 1e-4 // m²/s

static rv_world *basin(rv_report *report, int solver, double dx, float **bed)
{
    rv_world_def def;
    rv_fill_def fill = rv_default_fill_def();
    *bed = rv_channel(&def, solver, (int)lround(LONG / dx), WIDE, dx, 0, 0.1);
    def.params.liquid_viscosity = THICK;
    fill.level = DEEP;
    def.fills = &fill, def.fill_count = 1;
    return *bed ? rv_verify_world(report, &def) : NULL;
}

static double weight_of(const rv_world *world)
{
    const rv_params *p = rv_world_params(world);
    return p->liquid_density * rv_gravity_down(p);
}

static void pressed(rv_report *report, int solver, double dx)
{
    float *bed;
    rv_world *world = basin(report, solver, dx, &bed);
    rv_press_def half = rv_default_press_def();
    int n = (int)lround(LONG / dx);
    half.to.x = 0, half.pressure = 40;
    if (world && rv_world_add_press(world, &half, NULL, NULL) == RV_OK &&
        rv_verify_run(report, world, 0.02, CALM)) {
        double drop = rv_verify_level(world, n - 2, 2) - rv_verify_level(world, 1, 2);
        rv_report_add(report, drop, half.pressure / weight_of(world), 1e-4,
                      "%s, level under 40 Pa below that beside it, dx %g mm, m",
                      rv_both_word(solver), dx * 1e3);
        rv_report_add(report, rv_verify_stats(world).fastest, 0, 1e-6,
                      "%s, fastest when settled, m/s", rv_both_word(solver));
    }
    rv_world_destroy(world);
    free(bed);
}

// The slope is taken off the walls: the force of the wind on the cell at a wall is held by the one
// face it has.
static void blown(rv_report *report, int solver, double dx)
{
    float *bed;
    rv_world *world = basin(report, solver, dx, &bed);
    rv_press_def wind = rv_default_press_def();
    int n = (int)lround(LONG / dx), off = n / 10;
    wind.wind.x = 0.5;
    if (world && rv_world_add_press(world, &wind, NULL, NULL) == RV_OK &&
        rv_verify_run(report, world, 0.02, CALM)) {
        double rise = rv_verify_level(world, n - 1 - off, 2) - rv_verify_level(world, off, 2);
        rv_report_add(report, rise / ((n - 1 - 2 * off) * dx),
                      wind.wind.x / (weight_of(world) * DEEP), 0.02,
                      "%s, slope under a wind of 0.5 Pa, dx %g mm", rv_both_word(solver), dx * 1e3);
    }
    rv_world_destroy(world);
    free(bed);
}

static void check_press(rv_report *report)
{
    for (int k = 0; k < RV_BOTH; k++) {
        pressed(report, k, 5e-3);
        blown(report, k, 5e-3);
        if (!report->quick) blown(report, k, 2.5e-3);
    }
}

const rv_case rv_case_press = {
    .name = "press",
    .title = "Pressure and wind",
    .about = "a level under pressure, a basin tilted by wind",
    .text =
        "Air presses on half of a basin: at rest the level under it is lower by p/(ρg). This is "
        "exact, as the pressure is a head like the level itself.\n\n"
        "Wind with the shear τ over a closed basin of depth H tilts its level by τ/(ρgH). The "
        "model has one velocity over the depth, so the return flow along the bed, by which a "
        "laminar basin tilts up to half as much more, is not in it.",
    .run = check_press,
};
