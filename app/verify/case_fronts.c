// Fronts of liquid sheets down a slope, against solutions that have what the sheet of case_films.c
// leaves out: inertia at the start (case `disc`), and levelling (case `slope`).
//
// s is the distance along the slope, h the thickness normal to it, a the slope. On the grid x = s
// cos(a), and a thin sheet has the vertical depth H = h / cos(a).
#include "both.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define WIDE 3 // cells across a channel

// Steps of at most `most` seconds until `time` has passed.
static bool run_for(rv_report *report, rv_world *world, double most, double time)
{
    return rv_verify_run(report, world, time / ceil(time / most), time);
}

// ---- A half disc on 30 degrees ------------------------------------------------------------------

// A half disc of radius R lies with its flat side on the slope, s² + n² <= R². Above the place x =
// s cos(a) of the grid the vertical line meets it from the bed up to x tan(a) + sqrt(R² - x²); from
// s = R on it overhangs, and only 2 sqrt(R² - x²) of the line is liquid, which falls on the bed.
// Both together are its whole area.
//
// The reference is a resolved two-dimensional computation of the same release: with inertia,
// without any assumption of thinness. Where its distances begin was not told with them. They are
// taken as how far the front has run from where it was, the lower end of the flat side, s = R,
// because lubrication theory leaves nothing else: in the end inertia is gone (the square of the
// Froude number is 0.02 at 4 s) and the front of an area A must be where theory has it, but for a
// delay by the start of a tenth of a second, 1.5 mm by then, and a thickness or so, 1 mm. Theory
// with levelling, solved as below, gives 62.9, 84.2, 111.1 and 145.1 mm from there (61.7, 83.7,
// 111.3, 146.4); counted from the disc's middle it would be 9.2 mm ahead of the reference at first
// and still 6.7 mm, seven thicknesses, in the end.
#define DISC_RADIUS 0.008 // m
#define DISC_VISCOSITY 1e-4
#define DISC_SLOPE 30.0 // deg
#define DISC_EDGE 1e-4  // m, vertical depth at the front
#define DISC_TIMES 4

static const double disc_time[DISC_TIMES] = {0.5, 1, 2, 4};                  // s
static const double disc_run[DISC_TIMES] = {0.0617, 0.0837, 0.1113, 0.1464}; // m

static double disc_depth(double x)
{
    const double a = DISC_SLOPE * PI / 180, r = DISC_RADIUS;
    if (x <= -r * cos(a) || x >= r) return 0;
    double half = sqrt(r * r - x * x);
    return x < r * cos(a) ? x * tan(a) + half : 2 * half;
}

static double disc_cell(double x, double dx)
{
    double sum = 0;
    for (int k = 0; k < 64; k++) sum += disc_depth(x + ((k + 0.5) / 64 - 0.5) * dx);
    return sum / 64;
}

static rv_world *make_disc(rv_report *report, int solver, double dx, double above, double run)
{
    const double a = DISC_SLOPE * PI / 180;
    const int n = (int)lround((above + run) / dx);
    rv_world_def def;
    float *bed = rv_channel(&def, solver, n, WIDE, dx, tan(a), 0.02);
    rv_fill_def *fills = calloc((size_t)n, sizeof *fills);
    for (int x = 0; fills && x < n; x++) {
        double depth = disc_cell((x + 0.5) * dx - above, dx);
        if (depth > 0) fills[def.fill_count++] = rv_channel_fill(&def, x, depth);
    }
    def.fills = fills;
    def.params.liquid_viscosity = DISC_VISCOSITY, def.params.border_east = RV_BORDER_OPEN;
    rv_world *world = bed && fills ? rv_verify_world(report, &def) : NULL;
    free(bed);
    free(fills);
    return world;
}

static rv_plot *plot_disc(rv_report *report)
{
    rv_plot *plot = rv_plot_begin(report, "front", "A half disc of 8 mm let go on 30°", "time, s",
                                  "way of the front along the slope, mm");
    rv_series *series = rv_plot_series(plot, RV_MARK_LINE, 0, "resolved in two dimensions");
    rv_plot_key(plot, "bottom right");
    for (int k = 0; k < DISC_TIMES; k++) rv_plot_point(series, disc_time[k], 1e3 * disc_run[k]);
    return plot;
}

static void run_disc(rv_report *report, int solver, double dx, rv_plot *plot)
{
    const double above = 0.02,
                 cosine = cos(DISC_SLOPE * PI / 180); // m, horizontal, over the middle
    rv_world *world = make_disc(report, solver, dx, above, 0.18);
    rv_series *series = rv_plot_series(plot, RV_MARK_POINTS, solver + 1, "%s, dx %g mm",
                                       rv_both_word(solver), dx * 1e3);
    double time = 0;
    for (int k = 0; world && k < DISC_TIMES; k++) {
        if (!run_for(report, world, 0.005, disc_time[k] - time)) break;
        time = disc_time[k];
        double run = (rv_channel_front(world, DISC_EDGE) - above) / cosine - DISC_RADIUS;
        rv_plot_point(series, time, 1e3 * run);
        rv_report_add(report, run, disc_run[k], 0.05, "%s, front's way in %g s, dx %g mm, m",
                      rv_both_word(solver), time, dx * 1e3);
    }
    rv_world_destroy(world);
}

static void check_disc(rv_report *report)
{
    rv_plot *plot = plot_disc(report);
    for (int k = 0; k < RV_BOTH; k++) run_disc(report, k, 0.5e-3, plot);
    for (int k = 0; k < RV_BOTH && !report->quick; k++) run_disc(report, k, 0.25e-3, NULL);
}

const rv_case rv_case_disc = {
    .name = "disc",
    .title = "A half disc let go on a slope",
    .about = "front of a half disc let go on 30 degrees, beside a resolved computation",
    .text = "A half disc of radius 8 mm, ν = 1e-4 m²/s, lies on a slope of 30° and is let go; "
            "across the slope it is endless. It falls together by its inertia, then runs as a "
            "sheet. How far the front (0.1 mm deep) has run from where it was is compared with a "
            "resolved two-dimensional computation. At first the liquid is as thick as it is long, "
            "which no column can know; that it is right afterwards takes momentum that is carried "
            "along and a slope that is corrected.\n\n"
            "To rely on: how far a spill runs, also when it starts as a heap.",
    .run = check_disc,
};

// ---- Levelling on a slope -----------------------------------------------------------------------

// Lubrication theory with levelling, in one dimension:
//     dh/dt + d/ds [m h³ (sin a - cos a dh/ds)] = 0,   m = g / (3 nu).
// In columns the same reads q = m H³ cos³(a) (sin a - cos³(a) dH/dx), so levelling carries two more
// cosines than a correction of the drive alone gives: at 42 degrees it would be 1.8 times too
// strong.
//
// It is solved here by explicit steps in doubles on a grid of its own, and once more on one twice
// as fine; both must agree. Two sheets: a thin one that has run over its own length, whose nose is
// a hundredth of its way, and a thick one that levels as much as it runs. The front alone would not
// tell: levelling pushes it ahead at first and holds it back later. The whole profile does; with
// levelling as strong as the drive's cos²(a) has it, it is 2% off at 42 degrees on any grid. Both
// are viscous enough that inertia is nowhere: the square of the Froude number, g h³ sin²(a) / (9
// nu² cos(a)), is 0.01 or less.
typedef struct sheet {
    const char *word;
    double viscosity;
    double half;    // m along the slope, half of its length at first
    double depth;   // m, normal to the slope, in its middle at first; the front is at a twentieth
    double time[2]; // s, for each of the slopes
    double length;  // m along the slope, all that there is
} sheet;

static const double sheet_slope[2] = {17, 42}; // deg
static const sheet sheets[2] = {{"thin", 4e-4, 0.015, 1e-3, {20, 9}, 0.09},
                                {"thick", 2e-3, 0.020, 2e-3, {8, 3.5}, 0.09}};

// Where its middle is at first, m along the slope.
static double sheet_middle(const sheet *p)
{
    return 2 * p->half;
}

static double sheet_cell(const sheet *p, double s, double d)
{
    double sum = 0;
    for (int k = 0; k < 16; k++) {
        double r = (s + ((k + 0.5) / 16 - 0.5) * d - sheet_middle(p)) / p->half;
        sum += p->depth * fmax(0, 1 - r * r) / 16;
    }
    return sum;
}

typedef struct theory {
    int n;
    double d;
    double *h; // m
} theory;

// One step; flux[i] enters cell i. The mean of h³ between two cells is the one that makes spreading
// exact for a profile h³ ~ s.
static void step_theory(theory *t, double *flux, double drive, double level, double dt)
{
    double *h = t->h;
    for (int i = 1; i < t->n; i++) {
        double u = h[i - 1], v = h[i], mean = 0.25 * (u + v) * (u * u + v * v);
        flux[i] = drive * u * u * u - level * mean * (v - u) / t->d;
    }
    for (int i = 0; i < t->n; i++) h[i] = fmax(0, h[i] + dt / t->d * (flux[i] - flux[i + 1]));
}

static bool solve_theory(const sheet *p, int slope, double d, theory *out)
{
    const double a = sheet_slope[slope] * PI / 180, m = GRAVITY / (3 * p->viscosity);
    theory t = {.n = (int)lround(p->length / d), .d = d};
    double *flux = calloc((size_t)t.n + 1, sizeof *flux), now = 0;
    t.h = calloc((size_t)t.n, sizeof *t.h);
    bool good = flux && t.h;
    for (int i = 0; good && i < t.n; i++) t.h[i] = sheet_cell(p, (i + 0.5) * d, d);
    while (good && now < p->time[slope]) {
        double most = 0;
        for (int i = 0; i < t.n; i++) most = fmax(most, t.h[i]);
        double spread = m * cos(a) * pow(most, 3), run = 3 * m * sin(a) * most * most;
        double dt = 0.7 / (2 * spread / (d * d) + run / d);
        // the greatest depth falls slowly: ten steps for one look at it
        for (int k = 0; k < 10 && now < p->time[slope]; k++) {
            double part = fmin(dt, p->time[slope] - now);
            step_theory(&t, flux, m * sin(a), m * cos(a), part);
            now = part < dt ? p->time[slope] : now + part;
        }
    }
    free(flux);
    *out = t;
    return good;
}

static double theory_front(const theory *t, double edge)
{
    for (int i = t->n - 2; i >= 0; i--)
        if (t->h[i] >= edge) return (i + 0.5 + (t->h[i] - edge) / (t->h[i] - t->h[i + 1])) * t->d;
    return NAN;
}

// Thickness at a place along the slope, between cells by straight lines.
static double theory_at(const theory *t, double s)
{
    double k = s / t->d - 0.5;
    int i = (int)floor(k);
    if (i < 0 || i + 1 >= t->n) return 0;
    return t->h[i] + (k - i) * (t->h[i + 1] - t->h[i]);
}

static rv_world *make_sheet(rv_report *report, int solver, const sheet *p, int slope, double dx)
{
    const double a = sheet_slope[slope] * PI / 180, cosine = cos(a);
    const int n = (int)lround(p->length * cosine / dx);
    rv_world_def def;
    float *bed = rv_channel(&def, solver, n, WIDE, dx, tan(a), 0.02);
    rv_fill_def *fills = calloc((size_t)n, sizeof *fills);
    for (int x = 0; fills && x < n; x++) {
        double depth = sheet_cell(p, (x + 0.5) * dx / cosine, dx / cosine) / cosine;
        if (depth > 0) fills[def.fill_count++] = rv_channel_fill(&def, x, depth);
    }
    def.fills = fills;
    def.params.liquid_viscosity = p->viscosity, def.params.pipes_kept = 1;
    def.params.border_east = RV_BORDER_OPEN;
    rv_world *world = bed && fills ? rv_verify_world(report, &def) : NULL;
    free(bed);
    free(fills);
    return world;
}

static void run_sheet(rv_report *report, int solver, const sheet *p, int slope, double dx,
                      const theory *t)
{
    const double cosine = cos(sheet_slope[slope] * PI / 180), edge = 0.05 * p->depth;
    const double degrees = sheet_slope[slope], middle = sheet_middle(p);
    rv_world *world = make_sheet(report, solver, p, slope, dx);
    double apart = 0, whole = 0, tolerance = dx < 0.3e-3 ? 0.01 : NAN;
    if (world && run_for(report, world, 0.01, p->time[slope])) {
        for (int x = 0; x < rv_world_params(world)->grid_nx; x++) {
            double exact = theory_at(t, (x + 0.5) * dx / cosine);
            apart += fabs(cosine * rv_verify_depth(world, x, WIDE / 2) - exact), whole += exact;
        }
        rv_report_add(report, rv_channel_front(world, edge / cosine) / cosine - middle,
                      theory_front(t, edge) - middle, tolerance,
                      "%s, front, %s sheet, %g deg, dx %g mm, m", rv_both_word(solver), p->word,
                      degrees, dx * 1e3);
        rv_report_add(report, apart / whole, 0, tolerance,
                      "%s, profile L1, %s sheet, %g deg, dx %g mm", rv_both_word(solver), p->word,
                      degrees, dx * 1e3);
    }
    rv_world_destroy(world);
}

static void check_slope_of(rv_report *report, const sheet *p, int slope)
{
    const double d = 1e-4, edge = 0.05 * p->depth;
    theory coarse = {0}, fine = {0};
    if (solve_theory(p, slope, d, &coarse) && solve_theory(p, slope, 0.5 * d, &fine)) {
        rv_report_add(report, theory_front(&coarse, edge) - sheet_middle(p),
                      theory_front(&fine, edge) - sheet_middle(p), 0.002,
                      "theory, cells of %g and %g mm, %s, %g deg, m", d * 1e3, d * 500, p->word,
                      sheet_slope[slope]);
        for (int k = 0; k < RV_BOTH; k++) {
            if (!report->quick) run_sheet(report, k, p, slope, 0.5e-3, &fine);
            run_sheet(report, k, p, slope, 0.25e-3, &fine);
        }
    }
    free(coarse.h);
    free(fine.h);
}

static void check_slope(rv_report *report)
{
    for (int i = report->quick ? 1 : 0; i < 2; i++)
        for (int j = 0; j < 2; j++) check_slope_of(report, &sheets[i], j);
}

const rv_case rv_case_slope = {
    .name = "slope",
    .title = "Levelling on a slope",
    .about = "front of a viscous sheet on 17 and 42 degrees, beside theory with levelling",
    .text = "Two sheets run down 17° and 42°: one 30 mm long and 1 mm thick, ν = 4e-4 m²/s, and "
            "one 40 mm long and 2 mm thick, ν = 2e-3 m²/s. The front, a twentieth of that thick, "
            "measured from the middle at first, and the mean of |h − exact| over the mean of exact "
            "are compared with lubrication theory in the slope's "
            "own coordinates, "
            "∂h/∂t + ∂/∂s [g h³/(3ν) (sin α − cos α ∂h/∂s)] = 0, solved on fine grids of its own, "
            "whose agreement has a row. The last term, levelling, is what `sheet` leaves out; in "
            "columns it carries cos⁴α, so this is where a wrong correction for slopes shows.\n\n"
            "To rely on: fronts on slopes to 1%, on grids that resolve them.",
    .run = check_slope,
};
