// How much a plate holds before it runs over: at a sharp edge liquid has to turn before it wets
// what lies beyond, so it stands there up to an angle larger by 90° than on a bed (Gibbs 1906). A
// wide puddle that is pinned at an edge is as thick as one with that angle, 2ℓ sin((θ + 90°)/2).
#include "capillary.h"

#include <math.h>

#define HALF 0.015  // m, of the plate: 5.6 ℓ
#define TOP 0.02    // m, of the plate
#define ANGLE 60.0  // degrees
#define POURED 4e-5 // m²/s, by the width of the strip
#define CELLS 8     // across the strip, whose sides are mirrors

// The thickness in the middle when the first liquid leaves the plate.
static double brim(rv_report *report, double dx)
{
    rv_world_def def = rv_wet_def((int)lround(0.044 / dx), CELLS, dx, ANGLE * RV_DEGREE);
    rv_solid_def solids[2] = {rv_verify_box(RV_UNION, -1, 1, -1, 1, -1, 0),
                              rv_verify_box(RV_UNION, -HALF, HALF, -1, 1, TOP - 6e-3, TOP)};
    rv_source_def source = rv_default_source_def();
    source.at.z = 0.039, source.radius = fmin(0.5 * CELLS * dx, 4e-3);
    source.rate = POURED * CELLS * dx;
    def.params.grid_bottom = 0, def.params.grid_top = 0.04;
    def.solids = solids, def.solid_count = 2, def.sources = &source, def.source_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    bool good = world != NULL;
    for (int k = 0; good && k < 2000; k++) {
        good = rv_verify_run(report, world, 4e-3, 4e-3);
        if (good && rv_verify_stats(world).airborne > 0) break;
    }
    double thick = good ? rv_wet_depth(world, TOP, 0, 0) : NAN;
    rv_world_destroy(world);
    return thick;
}

static void check_brim(rv_report *report)
{
    static const double cells[] = {1e-3, 2e-3, 0.5e-3};
    rv_world_def def = rv_wet_def(1, 1, 1e-3, ANGLE * RV_DEGREE);
    double length = sqrt(rv_wet_length2(&def.params));
    double exact = 2 * length * sin(0.5 * (ANGLE + 90) * RV_DEGREE);
    for (int i = 0; i < (report->quick ? 2 : 3); i++)
        rv_report_add(report, brim(report, cells[i]), exact, 0.02,
                      "thickness at which a plate runs over, cells of %g mm, m", cells[i] * 1e3);
}

const rv_case rv_case_tension_brim = {
    .name = "tension-brim",
    .title = "A plate that runs over",
    .about = "how thick liquid stands on a plate before it runs over the edge",
    .text = "Liquid with a contact angle of 60° is poured on a plate 30 mm wide until the first of "
            "it leaves over the edge. Pinned there it stands as thick as a wide puddle with a "
            "contact angle larger by 90°, 2ℓ sin((θ + 90°)/2), whatever the size of cells.\n\n"
            "To rely on: a plate or a tray holds on a coarse grid what it holds on a fine one.",
    .run = check_brim,
};
