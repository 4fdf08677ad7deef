// Drops on a pane: no water is lost, and neither the grid nor the time step decides how much of the
// pane is wet.
//
// Rain is the same on every grid: the same drops at the same times and places. What follows is
// chaotic, as drops that just meet on one grid just miss each other on another; so wet areas are
// means over several seeds and over spans of time.
#include "verify.h"

#include <math.h>
#include <string.h>

#define QUANTUM 1e-18 // m³: volumes of drops are whole numbers of it
#define SEEDS 6
#define SPANS 8 // of the time

typedef struct area {
    double span[SPANS]; // m², mean over each and over all seeds
    double mean;        // over all spans
} area;

static rv_world_def pane(int n, double side)
{
    rv_world_def def = rv_default_world_def();
    rv_params *p = &def.params;
    p->solver = RV_SOLVER_GLASS;
    p->grid_nx = n, p->grid_ny = n, p->grid_dx = side / n;
    p->glass_static = 4e-9, p->glass_rain = 3000;
    p->glass_drops = (int)(10000 * side * side);
    return def;
}

// ---- Mass ---------------------------------------------------------------------------------------

// Whole quanta in a volume; exact, as all are far below 2^53.
static double quanta(double volume)
{
    return round(volume / QUANTUM);
}

static void check_mass(rv_report *report)
{
    rv_world_def def = pane(report->quick ? 125 : 250, 0.1);
    def.params.glass_rain = 30000, def.params.glass_evaporation = 1e-6;
    def.params.glass_wiper = true, def.params.glass_wiper_y = -0.05;
    def.params.glass_wiper_length = 0.09;
    rv_world *world = rv_verify_world(report, &def);
    rv_pane p;
    if (!world) return;
    bool good = true;
    double worst = 0, end = report->quick ? 1 : 10;
    for (int i = 0; good && i < (int)(end / 0.1 + 0.5); i++) {
        good = rv_verify_run(report, world, 0.005, 0.1) && rv_world_get_pane(world, &p) == RV_OK;
        double left = quanta(p.rained) - quanta(p.over) - quanta(p.evaporated);
        worst = fmax(worst, fabs(left - quanta(rv_verify_stats(world).volume)));
    }
    if (good) {
        rv_report_add(report, worst, 0, 0, "rained - over - evaporated - drops, most, 1e-18 m3");
        rv_report_add(report, p.shown, rv_verify_stats(world).volume, NAN,
                      "volume in the height map beside that of the drops, m3");
    }
    rv_world_destroy(world);
}

// ---- Wet area -----------------------------------------------------------------------------------

static bool measure(rv_report *report, int n, double side, double dt, double time, area *out)
{
    memset(out, 0, sizeof *out);
    int per_span = (int)(time / dt / SPANS + 0.5), seeds = report->quick ? 3 : SEEDS;
    for (int seed = 1; seed <= seeds; seed++) {
        rv_world_def def = pane(n, side);
        def.params.seed = seed;
        rv_world *world = rv_verify_world(report, &def);
        bool good = world != NULL;
        for (int k = 0; good && k < SPANS; k++) {
            for (int i = 0; good && i < per_span; i++) {
                good = rv_verify_run(report, world, dt, dt);
                double wet = (double)rv_verify_stats(world).wet * (side / n) * (side / n);
                out->span[k] += wet / (per_span * seeds);
            }
        }
        rv_world_destroy(world);
        if (!good) return false;
    }
    for (int k = 0; k < SPANS; k++) out->mean += out->span[k] / SPANS;
    return true;
}

static void compare(rv_report *report, const area *measured, const area *with, const char *what)
{
    double worst = 0;
    for (int k = 0; k < SPANS; k++)
        worst = fmax(worst, fabs(measured->span[k] / with->span[k] - 1));
    rv_report_add(report, measured->mean, with->mean, 0.1, "wet area, %s, m2", what);
    // small panes have few drops: their spans are too noisy to promise anything
    rv_report_add(report, worst, 0, report->quick ? NAN : 0.1,
                  "wet area, %s, greatest difference in a span, relative", what);
}

static void draw(rv_plot *plot, int hue, const char *label, const area *a, double time)
{
    rv_series *series = rv_plot_series(plot, hue ? RV_MARK_POINTS : RV_MARK_LINE, hue, "%s", label);
    for (int k = 0; k < SPANS; k++)
        rv_plot_point(series, (k + 0.5) * time / SPANS, a->span[k] * 1e4);
}

static void check_area(rv_report *report)
{
    int n = report->quick ? 200 : 500;
    double side = report->quick ? 0.08 : 0.2, time = report->quick ? 1.6 : 4;
    area middle, coarse, fine, short_step, long_step;
    if (!measure(report, n, side, 0.005, time, &middle) ||
        !measure(report, n / 2, side, 0.005, time, &coarse) ||
        !measure(report, n * 2, side, 0.005, time, &fine) ||
        !measure(report, n, side, 0.0025, time, &short_step) ||
        !measure(report, n, side, 0.02, time, &long_step))
        return;
    compare(report, &coarse, &middle, report->quick ? "100² beside 200²" : "250² beside 500²");
    compare(report, &fine, &middle, report->quick ? "400² beside 200²" : "1000² beside 500²");
    compare(report, &short_step, &middle, "2.5 ms beside 5 ms");
    compare(report, &long_step, &middle, "20 ms beside 5 ms");
    rv_plot *plot = rv_plot_begin(report, "wet", "Wet area on three grids and with three steps",
                                  "time, s", "wet area, cm²");
    draw(plot, 0, "500², 5 ms", &middle, time);
    draw(plot, 1, "250²", &coarse, time);
    draw(plot, 2, "1000²", &fine, time);
    draw(plot, 3, "2.5 ms", &short_step, time);
    draw(plot, 4, "20 ms", &long_step, time);
}

static void check_glass(rv_report *report)
{
    check_mass(report);
    check_area(report);
}

const rv_case rv_case_glass = {
    .name = "glass",
    .title = "Drops on a pane: mass, grid and step",
    .about = "mass of all drops to the quantum; wet area on three grids and with three steps",
    .text =
        "Rain falls on a pane, drops merge, run, leave droplets, dry, are wiped and run over the "
        "edge. Volumes of drops are whole numbers of 1e-18 m³, so what rained must be what is "
        "there, what ran over and what evaporated, without any rounding.\n\n"
        "The paper's trails shrink the faster the coarser the grid, since it smooths and erodes by "
        "cells and steps. Here both are rates in metres and seconds: the same rain must wet as "
        "much of the pane at any time on 250², 500² and 1000² cells, and with steps of 2.5, 5 and "
        "20 ms (long steps are divided). Single drops take other ways as soon as two of them just "
        "meet or just miss; so areas are means over six seeds and half a second each.",
    .run = check_glass,
};
