// Films at Froude numbers below and above one: each keeps the flux that its depth carries, and
// stays smooth.
//
// h is the thickness normal to the bed, a the slope. A steady even film has the mean speed u = g
// sin(a) h² / (3 nu), and the Froude number Fr = u / sqrt(g cos(a) h), so
//     nu = sqrt(g h³ sin²(a) / (9 Fr² cos(a)))
// makes a film of that thickness and that Froude number. Its flux per width is u h, or, in the
// vertical depth H = h / cos(a) of a column, g sin(a) cos³(a) H³ / (3 nu).
//
// What must be carried for this: kinematic waves of the film run at 3u, waves of momentum at u +
// sqrt(g cos(a) h) and, along them, short waves grow at the rate (Fr - 1/2) 3 nu / h². So from Fr =
// 1/2 on a film is unstable in the equations themselves (roll waves): a disturbance grows e times
// over Fr (1 + Fr) / (Fr - 1/2) h cot(a), 8 to 10 mm here. The slope is short enough that rounding
// has no time to become a wave: 60 mm, six or seven of these lengths. A scheme in which these waves
// run slower than they should grows them from cell to cell and tears the film.
//
// No share of the flux is lost but by viscosity (pipes.kept = 1): with the default, 0.5, two per
// cent of these films' drag would not be viscous.
#include "both.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define SLOPE 15.0     // deg
#define THICKNESS 6e-4 // m, normal to the bed
#define LONG 0.06      // m, horizontal
#define WIDE 4         // cells
#define SAMPLES 50     // in the last crossing, over which flux and depth are averaged

typedef struct film {
    double froude, dx;
    double viscosity; // m²/s
    double flux;      // m²/s
    double speed;     // m/s
} film;

static film film_of(double froude, double dx)
{
    const double a = SLOPE * PI / 180, h = THICKNESS;
    film f = {.froude = froude, .dx = dx};
    f.viscosity = sqrt(GRAVITY * pow(h, 3) * pow(sin(a), 2) / (9 * froude * froude * cos(a)));
    f.speed = GRAVITY * sin(a) * h * h / (3 * f.viscosity);
    f.flux = f.speed * h;
    return f;
}

static double carried(double depth, double viscosity)
{
    const double a = SLOPE * PI / 180;
    return GRAVITY * sin(a) * pow(cos(a), 3) * pow(depth, 3) / (3 * viscosity);
}

// Flux per width and depth in the middle of the slope.
static void probe(const rv_world *world, double *flux, double *depth)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK) return;
    size_t slot = rv_slot(&c.plane[0], c.nx / 2, WIDE / 2);
    // the flux is that of the face between this cell and the next
    *flux += (double)c.flux_x[slot] / c.dx / SAMPLES;
    *depth += 0.5 * ((double)c.depth[slot] + (double)c.depth[slot + 1]) / SAMPLES;
}

// Starts with the even film at rest, fed at its upper end with what it carries, and waits until
// what that began has left: twelve times the time in which the film runs down the slope.
static void run_film(rv_report *report, int solver, const film *f, rv_switch slope)
{
    const double a = SLOPE * PI / 180, crossing = LONG / cos(a) / f->speed;
    const int n = (int)lround(LONG / f->dx), crossings = report->quick ? 4 : 12;
    rv_world_def def;
    rv_fill_def fill = rv_default_fill_def();
    float *bed = rv_channel(&def, solver, n, WIDE, f->dx, tan(a), 0.02);
    fill.kind = RV_FILL_DEPTH, fill.depth = THICKNESS / cos(a);
    def.fills = &fill, def.fill_count = 1;
    def.params.liquid_viscosity = f->viscosity, def.params.pipes_kept = 1;
    def.params.swe_slope = slope;
    def.params.border_west = RV_BORDER_INFLOW, def.params.border_east = RV_BORDER_OPEN;
    def.params.border_west_rate = f->flux * WIDE * f->dx;
    rv_world *world = bed ? rv_verify_world(report, &def) : NULL;
    double flux = 0, depth = 0, part = crossing / SAMPLES, steps = ceil(part / 0.004);
    bool good = world && rv_verify_run(report, world, part / steps, crossing * (crossings - 1));
    for (int k = 0; k < SAMPLES && good; k++) {
        good = rv_verify_run(report, world, part / steps, part);
        probe(world, &flux, &depth);
    }
    if (good && slope == RV_SWITCH_AUTO)
        rv_report_add(report, flux, carried(depth, f->viscosity), NAN,
                      "swe by default, flux of its depth, Froude %g, m2/s", f->froude);
    if (good && slope == RV_SWITCH_ON) {
        // the ends have profiles of their own, from the inflow and to the edge
        rv_wholeness w = rv_whole_of(world, false, n / 6, n - n / 6);
        rv_report_add(report, flux, carried(depth, f->viscosity), 0.01,
                      "%s, flux of its depth, Froude %g, dx %g mm, m2/s", rv_both_word(solver),
                      f->froude, f->dx * 1e3);
        rv_report_add(report, w.counted > 0 && w.holes == 0 ? w.rough : (double)INFINITY, 0, 0.01,
                      "%s, roughness, Froude %g, dx %g mm", rv_both_word(solver), f->froude,
                      f->dx * 1e3);
    }
    rv_world_destroy(world);
    free(bed);
}

static void check_froude(rv_report *report)
{
    const double froude[3] = {0.3, 0.84, 1.5}, side[3] = {1e-3, 0.5e-3, 0.25e-3};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < (report->quick ? 1 : 3); j++)
            for (int k = 0; k < RV_BOTH; k++) {
                film f = film_of(froude[i], side[j]);
                run_film(report, k, &f, RV_SWITCH_ON);
            }
    for (int i = 0; i < 3; i++) {
        film f = film_of(froude[i], side[0]);
        run_film(report, 1, &f, RV_SWITCH_AUTO);
    }
}

const rv_case rv_case_froude = {
    .name = "froude",
    .title = "Films at Froude 0.3, 0.84 and 1.5",
    .about = "films below and above Froude 1 keep their flux and stay smooth",
    .text = "A film 0.6 mm thick on 15°, fed at its upper end, with the viscosity that gives it "
            "the Froude number u/√(g cos α h), h normal to the bed, u its mean speed. In the "
            "middle of the slope the flux per width, mean of one crossing, is compared with "
            "g sin α cos³α H³/(3ν) of the depth that was measured there; the roughness is the mean "
            "of |second difference| / depth over the middle two thirds. `pipes.kept` is 1, so that "
            "only "
            "viscosity holds the film, and `swe.slope` is on; three rows tell what `swe` does by "
            "default.\n\n"
            "From Froude 1/2 on short waves on a film grow by nature (roll waves). The slope here "
            "is too short for rounding to become one, so a film that is not smooth is the "
            "scheme's doing.\n\n"
            "To rely on: thin liquids on slopes, slow or fast, carry what theory says.",
    .run = check_froude,
};
