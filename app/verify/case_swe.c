// The solver `swe` against exact solutions of the shallow water equations: a dam that breaks on a
// dry and on a wet bed, liquid that swings in a bowl, a wave in a box, a lake at rest.
#include "case_swe.h"
#include "dam.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81

rv_world_def rv_swe_def(int nx, int ny, double dx, double viscosity)
{
    rv_world_def def = rv_verify_def();
    def.params.solver = RV_SOLVER_SWE;
    def.params.grid_nx = nx, def.params.grid_ny = ny, def.params.grid_dx = dx;
    def.params.gravity.z = -GRAVITY, def.params.liquid_viscosity = viscosity;
    return def;
}

// A fill that gives the cell around (x, y) a depth.
static rv_fill_def cell_fill(double x, double y, double dx, double depth)
{
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DEPTH, fill.depth = depth;
    fill.from.x = x - 0.25 * dx, fill.to.x = x + 0.25 * dx;
    fill.from.y = y - 0.25 * dx, fill.to.y = y + 0.25 * dx;
    return fill;
}

// ---- Dam break ----------------------------------------------------------------------------------

typedef struct dam_errors {
    double of_step;  // mean |h - exact| over the step between the levels
    double relative; // the same over the mean depth
} dam_errors;

static bool run_dam(rv_report *report, int n, const rv_dam *d, rv_swe_advection advection,
                    int order, dam_errors *out, rv_series *series)
{
    const double dx = RV_DAM_LENGTH / n, half = 0.5 * RV_DAM_LENGTH;
    rv_world_def def = rv_swe_def(n, 4, dx, 0);
    float *heights = calloc((size_t)n * 4, sizeof *heights);
    rv_fill_def fills[2] = {rv_default_fill_def(), rv_default_fill_def()};
    def.params.grid_top = 4;
    def.params.swe_advection = advection, def.params.swe_order = order;
    fills[0].kind = fills[1].kind = RV_FILL_DEPTH;
    fills[0].depth = d->high, fills[0].to.x = 0;
    fills[1].depth = d->low, fills[1].from.x = 0;
    def.heights = heights, def.fills = fills, def.fill_count = d->low > 0 ? 2 : 1;
    rv_world *world = heights ? rv_verify_world(report, &def) : NULL;
    bool good = world && rv_verify_run(report, world, RV_DAM_TIME / 60, RV_DAM_TIME);
    double apart = 0, whole = 0;
    for (int x = 0; good && x < n; x++) {
        double at = (x + 0.5) * dx - half, depth = rv_verify_depth(world, x, 1);
        double exact = rv_dam_cell(d, at, dx, RV_DAM_TIME);
        apart += fabs(depth - exact), whole += exact;
        rv_plot_point(series, at, depth);
    }
    *out = (dam_errors){apart / n / (d->high - d->low), apart / whole};
    rv_world_destroy(world);
    free(heights);
    return good;
}

static rv_plot *plot_dam(rv_report *report, const rv_dam *d, const char *bed)
{
    rv_plot *plot = rv_plot_begin(
        report, bed, d->low > 0 ? "Dam break on a wet bed, 0.6 s" : "Dam break on a dry bed, 0.6 s",
        "x, m", "depth, m");
    rv_series *exact = rv_plot_series(plot, RV_MARK_LINE, 0, "exact");
    for (int i = 0; i <= 1000; i++) {
        double x = (i / 1000.0 - 0.5) * RV_DAM_LENGTH;
        rv_plot_point(exact, x, rv_dam_depth(d, x, RV_DAM_TIME));
    }
    return plot;
}

// One bed: three grids, then the two simpler forms on the coarsest.
static void break_dam(rv_report *report, double low, const char *bed, const double peer[3])
{
    const rv_dam d = rv_dam_of(RV_DAM_HIGH, low);
    const int grids = report->quick ? 1 : 3;
    double side[3], error[3];
    rv_plot *plot = plot_dam(report, &d, bed);
    for (int i = 0; i < grids; i++) {
        dam_errors e;
        int n = 200 << i;
        rv_series *ours =
            i == 0 ? rv_plot_series(plot, RV_MARK_POINTS, 1, "n = 200, conserving") : NULL;
        if (!run_dam(report, n, &d, RV_SWE_CONSERVING, 2, &e, ours)) return;
        side[i] = RV_DAM_LENGTH / n, error[i] = e.relative;
        rv_report_add(report, e.of_step, 0, 0.03, "mean level error over the step, %s bed, n %d",
                      bed, n);
        if (peer)
            rv_report_add(report, e.relative, 0, NAN, "relative L1 of depth, %s bed, n %d (%.4f)",
                          bed, n, peer[i]);
        else
            rv_report_add(report, e.relative, 0, NAN, "relative L1 of depth, %s bed, n %d", bed, n);
    }
    if (grids == 3)
        rv_report_add(report, rv_fit_order(side, error, 3), 1, NAN, "order of the L1, %s bed", bed);
    dam_errors e;
    if (run_dam(report, 200, &d, RV_SWE_CONSERVING, 1, &e, NULL))
        rv_report_add(report, e.relative, 0, NAN, "relative L1, %s bed, n 200, first order", bed);
    rv_series *traced = rv_plot_series(plot, RV_MARK_POINTS, 2, "n = 200, semi-Lagrangian");
    if (run_dam(report, 200, &d, RV_SWE_SEMI, 1, &e, traced))
        rv_report_add(report, e.relative, 0, NAN, "relative L1, %s bed, n 200, semi-Lagrangian",
                      bed);
}

static void check_dam(rv_report *report)
{
    const double basilisk[3] = {0.0034, 0.0017, 0.0008};
    break_dam(report, 0, "dry", basilisk);
    break_dam(report, RV_DAM_LOW, "wet", NULL);
}

const rv_case rv_case_dam = {
    .name = "dam",
    .title = "Dam break",
    .about = "depth after a dam broke on a dry and on a wet bed, swe",
    .text = "A dam 1 m high in the middle of 10 m breaks; after 0.6 s the depth is compared with "
            "Ritter's solution on the dry bed and with Stoker's on a bed with 0.1 m of liquid, "
            "where a shock runs ahead. The level error is the mean of |h − exact| over the height "
            "of the step; the relative L1 is the same over the mean depth, and in brackets stands "
            "what Basilisk, a second-order finite-volume code in double precision, was found to "
            "have at that n on a dry bed.\n\n"
            "Both solutions have corners, so no scheme is of more than first order here. What "
            "the paper's form of the solver does, velocity traced back, is shown beside it: it "
            "keeps no momentum, and its shock is too slow on every grid.",
    .run = check_dam,
};

// ---- Bowl ---------------------------------------------------------------------------------------

#define BOWL_RADIUS 1.0 // m, a: of the lake's edge at rest
#define BOWL_DEPTH 0.1  // m, h0
#define BOWL_SWING 0.2  // m, how far the middle swings

// Thacker: in the bowl b = h0 r²/a² a plane surface swings to and fro with the period 2πa/√(2gh0):
// h = h0 + (2 s h0/a²) cos ωt (x - (s/2) cos ωt), its edge a circle of radius a around s cos ωt.
static double bowl_depth(double x, double y, double swing)
{
    double a2 = BOWL_RADIUS * BOWL_RADIUS, bed = BOWL_DEPTH * (x * x + y * y) / a2;
    double level = BOWL_DEPTH + 2 * BOWL_DEPTH * swing / a2 * (x - 0.5 * swing);
    return fmax(level - bed, 0);
}

static rv_world *make_bowl(rv_report *report, int n, double dx)
{
    size_t cells = (size_t)n * (size_t)n;
    float *heights = malloc(cells * sizeof *heights);
    rv_fill_def *fills = malloc(cells * sizeof *fills);
    rv_world_def def = rv_swe_def(n, n, dx, 0);
    def.params.grid_top = 1;
    for (int i = 0; heights && fills && i < (int)cells; i++) {
        double x = (i % n + 0.5 - 0.5 * n) * dx, y = (i / n + 0.5 - 0.5 * n) * dx;
        double depth = bowl_depth(x, y, BOWL_SWING);
        heights[i] = (float)(BOWL_DEPTH * (x * x + y * y) / (BOWL_RADIUS * BOWL_RADIUS));
        if (depth > 0) fills[def.fill_count++] = cell_fill(x, y, dx, depth);
    }
    def.heights = heights, def.fills = fills;
    rv_world *world = heights && fills ? rv_verify_world(report, &def) : NULL;
    free(heights);
    free(fills);
    return world;
}

// Where the middle of the liquid is along x, m; *error: mean |H - exact| over the mean depth.
static double bowl_middle(const rv_world *world, int n, double dx, double swing, double *error)
{
    double sum = 0, moment = 0, apart = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double at = (x + 0.5 - 0.5 * n) * dx, depth = rv_verify_depth(world, x, y);
            sum += depth, moment += depth * at;
            apart += fabs(depth - bowl_depth(at, (y + 0.5 - 0.5 * n) * dx, swing));
        }
    *error = apart / sum;
    return moment / sum;
}

static bool swing_bowl(rv_report *report, int n, int periods, double exact, rv_plot *plot, int hue)
{
    const double dx = 2.6 / n, dt = exact / 100;
    rv_series *series = rv_plot_series(plot, RV_MARK_POINTS, hue, "dx %.0f mm", dx * 1e3);
    rv_world *world = make_bowl(report, n, dx);
    rv_crossings c = {0};
    double error = NAN, middle = NAN;
    for (int i = 0; world && i <= 100 * periods; i++) {
        double swing = BOWL_SWING * cos(2 * PI * i / 100);
        middle = bowl_middle(world, n, dx, swing, &error);
        rv_crossings_add(&c, i * dt, middle);
        if (i % 4 == 0) rv_plot_point(series, i * dt, middle);
        if (report->progress && i % 10 == 0)
            report->progress(report->name, i / (100.0 * periods), report->user);
        if (i < 100 * periods && rv_world_step(world, dt) != RV_OK) break;
    }
    if (world) {
        rv_report_add(report, rv_crossings_period(&c), exact, 0.02, "period, dx %.0f mm, s",
                      dx * 1e3);
        rv_report_add(report, middle, BOWL_SWING, NAN, "swing after %d periods, dx %.0f mm, m",
                      periods, dx * 1e3);
        rv_report_add(report, error, 0, NAN, "relative L1 of depth after %d periods, dx %.0f mm",
                      periods, dx * 1e3);
    }
    rv_world_destroy(world);
    return world != NULL;
}

static void check_bowl(rv_report *report)
{
    const int periods = report->quick ? 1 : 4;
    double exact = 2 * PI * BOWL_RADIUS / sqrt(2 * GRAVITY * BOWL_DEPTH);
    rv_plot *plot = rv_plot_begin(report, "swing", "Plane surface in a parabolic bowl", "time, s",
                                  "middle of the liquid, m");
    rv_series *theory = rv_plot_series(plot, RV_MARK_LINE, 0, "exact");
    rv_plot_key(plot, "outside top center horizontal");
    for (int i = 0; i <= 50 * periods; i++)
        rv_plot_point(theory, i * exact / 50, BOWL_SWING * cos(2 * PI * i / 50));
    swing_bowl(report, 65, periods, exact, plot, 1);
    if (!report->quick) swing_bowl(report, 130, periods, exact, plot, 2);
}

const rv_case rv_case_bowl = {
    .name = "bowl",
    .title = "Plane surface in a parabolic bowl",
    .about = "liquid that swings in a parabolic bowl, swe",
    .text = "Thacker's solution: in the bowl b = h₀r²/a², a = 1 m and h₀ = 0.1 m, a plane surface "
            "swings to and fro with the period 2πa/√(2gh₀), and its edge is a circle that moves "
            "over the dry bed and back. The period is taken from the middle of the liquid. What "
            "is lost is lost at the moving edge: it halves with the cell.",
    .run = check_bowl,
};

// ---- Wave and lake ------------------------------------------------------------------------------

// The longest wave of a box; its height small, as long waves grow steep in these equations.
static void swing_wave(rv_report *report)
{
    const int n = report->quick ? 50 : 100, ny = 3, periods = report->quick ? 3 : 10;
    const double dx = 0.2 / n, depth = 0.02, height = 2e-5, length = n * dx;
    double exact = 2 * length / sqrt(GRAVITY * depth), most = 0;
    rv_world_def def = rv_swe_def(n, ny, dx, 0);
    rv_fill_def *fills = calloc((size_t)n, sizeof *fills);
    float *heights = calloc((size_t)(n * ny), sizeof *heights);
    for (int x = 0; fills && x < n; x++) {
        double at = (x + 0.5) * dx;
        fills[x] = cell_fill(at - 0.5 * length, 0, dx, depth + height * cos(PI * at / length));
        fills[x].from.y = -1, fills[x].to.y = 1;
    }
    def.fills = fills, def.fill_count = n, def.heights = heights;
    rv_world *world = fills && heights ? rv_verify_world(report, &def) : NULL;
    rv_crossings c = {0};
    for (int i = 0; world && i <= 400 * periods; i++) {
        double apart = rv_verify_level(world, 0, 1) - rv_verify_level(world, n - 1, 1);
        rv_crossings_add(&c, i * exact / 400, apart);
        if (i > 400 * periods - 100) most = fmax(most, fabs(apart));
        if (i < 400 * periods && rv_world_step(world, exact / 400) != RV_OK) break;
    }
    if (world) {
        rv_report_add(report, rv_crossings_period(&c), exact, 0.01, "period of a standing wave, s");
        rv_report_add(report, most, 2 * height, NAN, "its height after %d periods, m", periods);
    }
    rv_world_destroy(world);
    free(fills);
    free(heights);
}

// Ground that jumps at random from cell to cell, a tenth of it above the lake.
static void rest_lake(rv_report *report, int steps)
{
    enum { N = 64 };
    static float heights[N * N];
    uint32_t random = 1;
    for (int i = 0; i < N * N; i++) {
        random = random * 1664525u + 1013904223u;
        heights[i] = (float)(0.0155 * (random >> 8) * 0x1p-24);
    }
    rv_world_def def = rv_swe_def(N, N, 1e-3, 1e-6);
    rv_fill_def fill = rv_default_fill_def();
    fill.level = 0.014;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    if (!world) return;
    double volume = rv_verify_stats(world).volume, moved = 0, first[N * N];
    for (int i = 0; i < N * N; i++) first[i] = rv_verify_level(world, i % N, i / N);
    if (!rv_verify_run(report, world, 0.005, 0.005 * steps)) steps = 0;
    for (int i = 0; i < N * N; i++)
        moved = fmax(moved, fabs(rv_verify_level(world, i % N, i / N) - first[i]));
    rv_stats s = rv_verify_stats(world);
    rv_report_add(report, s.fastest, 0, 1e-6, "lake at rest, fastest, %d steps, m/s", steps);
    // exact: to the spacing of single precision at the lake's level, 14 mm
    rv_report_add(report, moved, 0, 0x1p-30, "lake at rest, greatest change of level, m");
    rv_report_add(report, s.volume, volume, 1e-6, "lake at rest, volume, m3");
    rv_world_destroy(world);
}

// Water that sloshes over hills for long: what rounding does to its volume.
static void slosh(rv_report *report, int steps)
{
    enum { N = 48 };
    static float heights[N * N];
    for (int i = 0; i < N * N; i++)
        heights[i] = (float)(0.01 + 0.008 * sin(0.4 * (i % N)) * cos(0.3 * (i / N)));
    rv_world_def def = rv_swe_def(N, N, 2e-3, 1e-6);
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DROP, fill.volume = 4e-5, fill.radius = 0.03, fill.at.z = 1;
    def.params.grid_top = 0.2;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    if (!world) return;
    double first = rv_verify_stats(world).volume;
    if (rv_verify_run(report, world, 0.002, steps * 0.002))
        rv_report_add(report, rv_verify_stats(world).volume, first, 1e-6,
                      "volume, sloshing over hills, %d steps, m3", steps);
    rv_world_destroy(world);
}

static void check_shallow(rv_report *report)
{
    swing_wave(report);
    rest_lake(report, report->quick ? 500 : 10000);
    slosh(report, report->quick ? 200 : 10000);
    rv_swe_films(report);
}

const rv_case rv_case_shallow = {
    .name = "shallow",
    .title = "The shallow-water solver where `pipes` is checked too",
    .about = "waves, a lake at rest, volume and viscous films with swe",
    .text = "What must hold for both solvers: the period of a standing wave (20 µm high over 20 "
            "mm, since higher waves grow steep in these equations and not in those of pipes); a "
            "lake at rest over ground that jumps at random from cell to cell and rises out of "
            "it; volume; and the viscous films, whose drag is that of pipes: flux down an "
            "incline, with `swe.slope` on and as it is by default, and a drop of 5 ml with "
            "ν = 1e-3 m²/s on a plane.",
    .run = check_shallow,
};
