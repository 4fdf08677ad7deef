// Liquid poured on a smooth plane stays one film: no dry holes, no stripes.
//
// A steady film that runs down a plane is smooth, so its depth along the fall differs from a
// straight line only where it is poured, at its rim and at its front. What a cell adds to that is
// the roughness, the mean of |H(k-1) - 2 H(k) + H(k+1)| / H(k). Of a smooth profile of length L it
// is of the order of (dx/L)²: a few thousandths here, L being the 6 mm of the source and more. A
// scheme whose shortest waves grow shows tenths, and holes where their troughs are dry
// (docs/pipes-inside.md: 0.28 and 132 holes for blood on 15 degrees with the flux as state and no
// momentum carried).
//
// The plane is a solid as scenes have it, so casting is part of what is checked; all parameters but
// grid, liquid and solver are the defaults. There is no surface tension, which would hold films
// together that are not whole by themselves.
#include "both.h"

#include <math.h>

#define PI 3.14159265358979323846
#define WIDE 0.05 // m, across the fall
#define LONG 0.08 // m, along the fall, horizontal
#define RATE 8e-7 // m³/s

typedef struct pour {
    rv_liquid_look liquid;
    double degrees, dx;
    double rough; // what is allowed
} pour;

static rv_world *make_pour(rv_report *report, int solver, const pour *p)
{
    rv_world_def def = rv_verify_def();
    rv_solid_def plane = rv_default_solid_def();
    rv_source_def source = rv_default_source_def();
    double a = p->degrees * PI / 180, middle = 0.0475 * tan(a) + 0.025;
    rv_params_set_liquid(&def.params, p->liquid);
    def.params.liquid_tension = 0;
    def.params.solver = rv_both_kind(solver);
    def.params.grid_dx = p->dx, def.params.grid_top = 2 * middle;
    def.params.grid_nx = (int)lround(WIDE / p->dx), def.params.grid_ny = (int)lround(LONG / p->dx);
    def.params.border_south = RV_BORDER_OPEN;
    plane.shape = RV_SHAPE_PLANE, plane.at.z = middle, plane.rotate.x = a;
    source.at = (rv_vec3){0, 0.03, 2 * middle - 1e-3};
    source.radius = 0.006, source.rate = RATE;
    def.solids = &plane, def.solid_count = 1, def.sources = &source, def.source_count = 1;
    return rv_verify_world(report, &def);
}

// The depth along the middle, from the source's end on.
static void draw_pour(const rv_world *world, rv_plot *plot, int solver, const pour *p)
{
    const rv_params *q = rv_world_params(world);
    rv_series *s = rv_plot_series(plot, RV_MARK_POINTS, solver + 1, "%s", rv_both_word(solver));
    for (int y = q->grid_ny - 1; y >= 0; y--)
        rv_plot_point(s, 1e3 * (LONG - (y + 0.5) * p->dx),
                      1e3 * rv_verify_depth(world, q->grid_nx / 2, y));
}

static void pour_film(rv_report *report, int solver, const pour *p, double time, rv_plot *plot)
{
    const char *word = rv_both_word(solver), *liquid = rv_liquid_get(p->liquid)->name;
    rv_world *world = make_pour(report, solver, p);
    if (world && rv_verify_run(report, world, 0.004, time)) {
        int ny = rv_world_params(world)->grid_ny;
        rv_wholeness w = rv_whole_of(world, true, 0, ny);
        rv_report_add(report, w.counted > 0 ? w.rough : (double)NAN, 0, p->rough,
                      "%s, roughness, %s, %g deg, dx %g mm", word, liquid, p->degrees, p->dx * 1e3);
        rv_report_add(report, w.holes, 0, 0, "%s, holes, %s, %g deg, dx %g mm", word, liquid,
                      p->degrees, p->dx * 1e3);
        draw_pour(world, plot, solver, p);
    }
    rv_world_destroy(world);
}

static void check_whole(rv_report *report)
{
    static const rv_liquid_look others[4] = {RV_LOOK_WATER, RV_LOOK_COFFEE, RV_LOOK_OIL,
                                             RV_LOOK_HONEY};
    const double side[3] = {1e-3, 0.5e-3, 0.25e-3}, angle[3] = {10, 30, 50};
    rv_plot *plot = rv_plot_begin(report, "film", "Blood poured on a plane of 15°, after 2 s",
                                  "horizontal distance down the plane, mm", "depth, mm");
    for (int i = 0; i < (report->quick ? 1 : 3); i++)
        for (int k = 0; k < RV_BOTH; k++) {
            pour p = {RV_LOOK_BLOOD, 15, side[i], 0.01};
            pour_film(report, k, &p, 2, i == (report->quick ? 0 : 1) ? plot : NULL);
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < RV_BOTH; k++) {
                pour p = {others[i], angle[j], 1e-3, 0.08};
                if (report->quick && j != 1) continue;
                pour_film(report, k, &p, 2, NULL);
            }
}

const rv_case rv_case_whole = {
    .name = "whole",
    .title = "Films that stay whole",
    .about = "liquid poured on a plane runs as one smooth film, without holes",
    .text =
        "0.8 ml/s poured on a smooth plane, without surface tension, which would smooth what the "
        "flow itself does not, and all else as by default: blood on 15° with "
        "three cells, and water, coffee, oil and honey on 10°, 30° and 50°. After 2 s, "
        "roughness is the mean of |second difference| / depth along the fall over all that is "
        "deeper than 0.1 mm; a hole is a dry cell between two wet ones along the fall. A "
        "smooth profile has a few thousandths at the rim and under the source.\n\n"
        "To rely on: what is poured runs as one film, on any grid and with any liquid.",
    .run = check_whole,
};
