// Gravity that is not straight down: a tray that is tilted with its grid.
//
// With the acceleration g = (G sin t, 0, -G cos t) liquid at rest has its surface across g, so it
// rises toward +x by dh/dx = tan t, whatever the bed is like.
//
// A film on the grid's level plane flows along x as on an incline of the angle t seen in the
// slope's own coordinates: the columns stand normal to the bed, depth is thickness, and the flux
// per width is G sin(t) H³ / (3 nu), without any correction for a slope, as the bed has none.
#include "both.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define WIDE 4 // cells

static rv_vec3 tilted(double degrees)
{
    double t = degrees * PI / 180;
    return (rv_vec3){GRAVITY * sin(t), 0, -GRAVITY * cos(t)};
}

// ---- A tank that settles ------------------------------------------------------------------------

// The straight line that fits the levels along the middle best; *off: the most that a level is off
// it, m.
static double slope_of(const rv_world *world, double *off)
{
    const rv_params *p = rv_world_params(world);
    const int n = p->grid_nx, y = p->grid_ny / 2;
    double mean = 0, moment = 0, square = 0;
    for (int x = 0; x < n; x++) mean += rv_verify_level(world, x, y) / n;
    for (int x = 0; x < n; x++) {
        double at = (x + 0.5 - 0.5 * n) * p->grid_dx;
        moment += at * rv_verify_level(world, x, y), square += at * at;
    }
    double slope = moment / square;
    *off = 0;
    for (int x = 0; x < n; x++) {
        double at = (x + 0.5 - 0.5 * n) * p->grid_dx;
        *off = fmax(*off, fabs(rv_verify_level(world, x, y) - mean - slope * at));
    }
    return slope;
}

// Liquid so thick that it does not swing for long: the lowest wave of the tank, 0.3 s, loses
// exp(-3 nu t / (2 H²)) of its height, e times in 0.5 s at 40 mm and in a third of that at the
// shallow end; 12 s leave nothing of it.
static void settle(rv_report *report, int solver, double fall)
{
    const double degrees = 10, dx = 2e-3, exact = tan(degrees * PI / 180);
    const int n = 50;
    double off = NAN;
    rv_world_def def;
    rv_fill_def fill = rv_default_fill_def();
    float *bed = rv_channel(&def, solver, n, WIDE, dx, fall, 0.12);
    def.params.gravity = tilted(degrees), def.params.liquid_viscosity = 2e-3;
    fill.level = 0.04 + 0.5 * n * dx * fall;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world = bed ? rv_verify_world(report, &def) : NULL;
    const char *where = fall > 0 ? "falling" : "level";
    if (world && rv_verify_run(report, world, 0.01, 12)) {
        double slope = slope_of(world, &off);
        rv_report_add(report, slope - exact, 0, 1e-3,
                      "%s, slope of the surface over tan %g deg, %s bed", rv_both_word(solver),
                      degrees, where);
        rv_report_add(report, off, 0, 1e-3 * n * dx, "%s, surface off a straight line, %s bed, m",
                      rv_both_word(solver), where);
        rv_report_add(report, rv_verify_stats(world).fastest, 0, 1e-4,
                      "%s, fastest when settled, %s bed, m/s", rv_both_word(solver), where);
    }
    rv_world_destroy(world);
    free(bed);
}

// ---- A film on a level plane --------------------------------------------------------------------

// An even film, before its ends are felt: waves from the upper end, and the levelling that runs
// ahead of them. case_films.c has the same on an incline.
static void tilted_film(rv_report *report, int solver, double dx)
{
    const double degrees = 15, viscosity = 1e-4, depth = 1e-3, t = degrees * PI / 180;
    const int n = (int)lround(0.096 / dx);
    double exact = GRAVITY * sin(t) * pow(depth, 3) / (3 * viscosity);
    double speed = 3 * exact / depth; // of waves from the upper end
    rv_world_def def;
    rv_fill_def fill = rv_default_fill_def();
    float *bed = rv_channel(&def, solver, n, WIDE, dx, 0, 0.02);
    rv_columns c;
    def.params.gravity = tilted(degrees), def.params.liquid_viscosity = viscosity;
    def.params.pipes_kept = 1, def.params.border_east = RV_BORDER_OPEN;
    fill.kind = RV_FILL_DEPTH, fill.depth = depth;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world = bed ? rv_verify_world(report, &def) : NULL;
    if (world && rv_verify_run(report, world, 0.005, 0.2 * n * dx / speed) &&
        rv_world_get_columns(world, &c) == RV_OK)
        rv_report_add(report, (double)c.flux_x[rv_slot(&c.plane[0], n / 2, WIDE / 2)] / dx, exact,
                      0.01, "%s, flux per width, gravity %g deg off, dx %g mm, m2/s",
                      rv_both_word(solver), degrees, dx * 1e3);
    rv_world_destroy(world);
    free(bed);
}

static void check_tilt(rv_report *report)
{
    for (int k = 0; k < RV_BOTH; k++) {
        settle(report, k, 0);
        settle(report, k, 0.1);
        tilted_film(report, k, 1e-3);
        if (!report->quick) tilted_film(report, k, 0.5e-3);
    }
}

const rv_case rv_case_tilt = {
    .name = "tilt",
    .title = "Tilted gravity",
    .about = "a tank settles across tilted gravity, a film flows by it",
    .text = "Gravity off the vertical, as in a tray that is tilted with its grid. A tank under "
            "gravity 10° off settles with its surface across it, dh/dx = tan 10°, over a level bed "
            "and over one that falls. A film on a level plane under gravity 15° off flows as on an "
            "incline in the slope's own coordinates: flux per width g sin α H³/(3ν), H normal to "
            "the bed, with no correction for a slope since the bed has none.\n\n"
            "To rely on: a tilted tray and tilted gravity are the same.",
    .run = check_tilt,
};
