// Energy of liquid that sloshes without friction: nothing brings any in, so there must never be
// more than at first.
//
// Of columns of depth H on a level bed, over that of the same liquid at rest at its mean depth D:
//     P = 1/2 rho g dx² sum (H H' - D²),    K = 1/2 rho sum over faces f² / Hf,
// f the flux through a face and Hf the mean depth of its two columns: a face stands for the volume
// dx² Hf, which moves at f / (dx Hf). H and H' are the depths before and after the step whose flux
// f is: fluxes stand between them in time, and for a low wave it is this sum that such steps keep
// to rounding. (With the depths after the step alone, K + P would swing by the wave's frequency
// times the step.) The steps are short enough to be one substep each.
//
// Waves in these equations grow steep and break into shocks, in which energy is lost, as in nature;
// so it falls, and what is left informs.
#include "both.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define DENSITY 1000.0 // kg/m³
#define LONG 0.2       // m
#define WIDE 0.1       // m
#define DEPTH 0.02     // m, at rest
#define SECONDS 30

typedef struct tank {
    const char *word;
    double along, across; // m, height of the first wave along each side
    bool heap;            // all liquid stands in a third of the tank at first; the rest is dry
} tank;

static const tank tanks[3] = {{"a low wave", 2e-4, 1e-4, false},
                              {"a high wave", 6e-3, 4e-3, false},
                              {"a heap that falls", 0, 0, true}};

static double first_depth(const tank *t, double x, double y)
{
    if (t->heap) return x < LONG / 3 ? 3 * DEPTH : 0;
    return DEPTH + t->along * cos(PI * x / LONG) + t->across * cos(PI * y / WIDE);
}

static rv_world *make_tank(rv_report *report, int solver, const tank *t, double dx)
{
    const int nx = (int)lround(LONG / dx), ny = (int)lround(WIDE / dx);
    rv_world_def def;
    float *bed = rv_channel(&def, solver, nx, ny, dx, 0, 0.3);
    rv_fill_def *fills = calloc((size_t)nx * (size_t)ny, sizeof *fills);
    for (int i = 0; fills && i < nx * ny; i++) {
        double x = (i % nx + 0.5) * dx, y = (i / nx + 0.5) * dx, depth = first_depth(t, x, y);
        rv_fill_def fill = rv_channel_fill(&def, i % nx, depth);
        fill.from.y = y - 0.5 * WIDE - 0.25 * dx, fill.to.y = y - 0.5 * WIDE + 0.25 * dx;
        if (depth > 0) fills[def.fill_count++] = fill;
    }
    def.fills = fills;
    def.params.liquid_viscosity = 0, def.params.pipes_kept = 1;
    rv_world *world = bed && fills ? rv_verify_world(report, &def) : NULL;
    free(bed);
    free(fills);
    return world;
}

static double kinetic_of(double flux, double a, double b)
{
    return a + b > 0 ? DENSITY * flux * flux / (a + b) : 0;
}

// J, over that at rest; `before` has the depths before the step, and gets those after it.
static double energy_of(const rv_world *world, double *before)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    double product = 0, whole = 0, kinetic = 0, cells = (double)c.nx * c.ny;
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++) {
            size_t k = rv_slot(c.plane, x, y), up = k + (size_t)c.plane->pitch;
            double d = (double)c.depth[k];
            product += d * before[y * c.nx + x], whole += d;
            before[y * c.nx + x] = d;
            if (x + 1 < c.nx) kinetic += kinetic_of((double)c.flux_x[k], d, (double)c.depth[k + 1]);
            if (y + 1 < c.ny) kinetic += kinetic_of((double)c.flux_y[k], d, (double)c.depth[up]);
        }
    return 0.5 * DENSITY * GRAVITY * c.dx * c.dx * (product - whole * whole / cells) + kinetic;
}

// The most by which the mean of a tenth of a second is above that of an earlier one, as a share of
// what there was at first; and what is left in the last.
typedef struct energies {
    double gained, left;
} energies;

static bool slosh(rv_report *report, rv_world *world, double dx, rv_series *series, energies *out)
{
    const int steps = (int)lround(0.1 / (0.8 * dx)); // 2 ms on cells of 2.5 mm
    const rv_params *p = rv_world_params(world);
    double *before = calloc((size_t)p->grid_nx * (size_t)p->grid_ny, sizeof *before);
    double first = 0, least = INFINITY;
    bool good = before != NULL;
    if (good) energy_of(world, before), first = energy_of(world, before);
    *out = (energies){0, NAN};
    for (int k = 0; k < 10 * SECONDS && good; k++) {
        double mean = 0;
        for (int i = 0; i < steps && good; i++) {
            good = rv_world_step(world, 0.1 / steps) == RV_OK;
            mean += energy_of(world, before) / first / steps;
        }
        out->gained = fmax(out->gained, mean - least), out->left = mean;
        least = fmin(least, mean);
        if (k % 5 == 0) rv_plot_point(series, 0.1 * k, mean);
        if (report->progress && k % 10 == 0)
            report->progress(report->name, 0.1 * k / SECONDS, report->user);
    }
    free(before);
    return good;
}

static void slosh_tank(rv_report *report, int solver, const tank *t, rv_plot *plot)
{
    const double dx = report->quick ? 5e-3 : 2.5e-3;
    const char *word = rv_both_word(solver);
    rv_world *world = make_tank(report, solver, t, dx);
    rv_series *series = rv_plot_series(plot, RV_MARK_POINTS, solver + 1, "%s, %s", word, t->word);
    energies e;
    if (world && slosh(report, world, dx, series, &e)) {
        rv_report_add(report, isfinite(e.left) ? e.gained : (double)NAN, 0, 1e-3,
                      "%s, energy gained in %d s, %s, share", word, SECONDS, t->word);
        rv_report_add(report, e.left, 1, NAN, "%s, energy left after %d s, %s, share", word,
                      SECONDS, t->word);
    }
    rv_world_destroy(world);
}

static void check_slosh(rv_report *report)
{
    rv_plot *plot = rv_plot_begin(report, "energy", "Energy of a tank without friction", "time, s",
                                  "share of the first energy");
    rv_plot_key(plot, "outside top center horizontal");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < RV_BOTH; k++) slosh_tank(report, k, &tanks[i], i == 1 ? plot : NULL);
}

const rv_case rv_case_slosh = {
    .name = "slosh",
    .title = "Energy of a sloshing tank",
    .about = "the energy of a tank that sloshes without friction does not grow",
    .text =
        "A tank of 200 by 100 mm with 20 mm of liquid, no friction (ν = 0, `pipes.kept` 1), "
        "sloshes for 30 s: a low wave along both sides, a high one, and all liquid heaped up "
        "in a third of it. Kinetic and potential energy together, the latter over that at "
        "rest, as means of a tenth of a second: the first row gives the most by which one had more "
        "than one before it, the second what is left in the end. High waves break, and lose "
        "energy in it.\n\n"
        "To rely on: no wave is made of nothing.",
    .run = check_slosh,
};
