// Drops that rest on a level bed, against Young and Laplace; and that it does not matter what the
// bed is made of: under a roof, and across the edge of a slab whose top goes on with the ground.
//
// A drop begins as a square block, so its outline has to become round by itself. Its exact shape is
// that of the volume that the grid holds: a block has whole cells.
#include "capillary.h"

#include <math.h>
#include <stdlib.h>

typedef struct sessile {
    double volume;  // m³
    double degrees; // contact angle
    double dx;      // m
    double wide;    // m, of the grid
    double time;    // s
    bool quick;     // also in a quick run
} sessile;

static rv_fill_def block(double volume, double x)
{
    double half = 0.7 * cbrt(volume);
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DEPTH, fill.depth = volume / (4 * half * half);
    fill.from = (rv_vec3){x - half, -half, -1e-3}, fill.to = (rv_vec3){x + half, half, 1e-3};
    return fill;
}

// ---- Against Young and Laplace ------------------------------------------------------------------

static void draw_drop(const rv_world *world, const rv_wet_shape *exact, rv_plot *plot, int hue,
                      const sessile *d)
{
    const rv_params *p = rv_world_params(world);
    rv_series *ours = rv_plot_series(plot, RV_MARK_POINTS, hue, "%g ml, %g°, dx %g mm",
                                     d->volume * 1e6, d->degrees, d->dx * 1e3);
    for (int i = p->grid_nx / 2; i < p->grid_nx; i++) {
        double x = (i + 0.5 - 0.5 * p->grid_nx) * d->dx, depth = rv_wet_depth(world, 0, x, 0);
        if (depth > 0) rv_plot_point(ours, x * 1e3, depth * 1e3);
    }
    rv_series *theory = rv_plot_series(plot, RV_MARK_LINE, hue, "Young and Laplace");
    rv_wet_draw_drop(theory, exact, p->liquid_advancing, rv_wet_length2(p));
}

static void rest_drop(rv_report *report, const sessile *d, rv_plot *plot, int hue)
{
    const int n = 2 * (int)lround(0.5 * d->wide / d->dx);
    rv_world_def def = rv_wet_def(n, n, d->dx, d->degrees * RV_DEGREE);
    def.params.liquid_viscosity = d->degrees < 45 && d->volume < 1e-6 ? 1e-4 : 4e-5;
    rv_fill_def fill = block(d->volume, 0);
    float *bed = calloc((size_t)n * (size_t)n, sizeof *bed);
    def.params.grid_top = 0.06;
    def.heights = bed, def.fills = &fill, def.fill_count = 1;
    rv_world *world = bed ? rv_verify_world(report, &def) : NULL;
    double volume = world ? rv_verify_stats(world).volume : 0;
    if (world && rv_verify_run(report, world, 0.01, d->time)) {
        rv_wet_shape exact =
            rv_wet_drop(volume, def.params.liquid_advancing, rv_wet_length2(&def.params));
        rv_wet_outline o = rv_wet_outline_of(world, 0, 0, 0);
        double ml = d->volume * 1e6, mm = d->dx * 1e3;
        rv_report_add(report, o.radius, exact.half, 0.02, "radius, %g ml, %g deg, dx %g mm, m", ml,
                      d->degrees, mm);
        rv_report_add(report, rv_wet_depth(world, 0, 0, 0), exact.high, 0.03,
                      "middle, %g ml, %g deg, dx %g mm, m", ml, d->degrees, mm);
        rv_report_add(report, o.round, 0, 0.02, "off round, %g ml, %g deg, dx %g mm", ml,
                      d->degrees, mm);
        rv_report_add(report, rv_verify_stats(world).volume, volume, 1e-6,
                      "volume, %g ml, %g deg, m3", ml, d->degrees);
        draw_drop(world, &exact, plot, hue, d);
    }
    rv_world_destroy(world);
    free(bed);
}

// ---- Roofs and shelves --------------------------------------------------------------------------

typedef enum place { OPEN, ROOFED, SHELF, PLACES } place;
static const char *const place_word[PLACES] = {"open", "under a roof", "across a shelf"};

#define FAR 0.1 // m, beyond the grid

// The bed is at height 0 everywhere. Shelf: for x > 0 it is the top of a slab over a lower floor.
static int build(place where, rv_solid_def solids[3])
{
    solids[0] = rv_verify_box(RV_UNION, -FAR, FAR, -FAR, FAR, -FAR, where == SHELF ? -0.02 : 0);
    solids[1] = rv_verify_box(RV_UNION, -FAR, FAR, -FAR, FAR, 0.015, 0.025);
    if (where != SHELF) return where == OPEN ? 1 : 2;
    solids[1] = rv_verify_box(RV_UNION, -FAR, 0, -FAR, FAR, -FAR, 0);
    solids[2] = rv_verify_box(RV_UNION, 0, FAR, -FAR, FAR, -0.01, 0);
    return 3;
}

// Two drops so near that they become one where they touch: its mean depth over cells beside the
// middle line, and how far it reaches along x and y.
typedef struct pair {
    double along, across, middle; // m
} pair;

static bool two_drops(rv_report *report, place where, double dx, double time, pair *out)
{
    const int nx = (int)lround(0.048 / dx), ny = (int)lround(0.032 / dx);
    rv_solid_def solids[3];
    rv_fill_def fills[2] = {block(0.3e-6, -7e-3), block(0.3e-6, 7e-3)};
    rv_world_def def = rv_wet_def(nx, ny, dx, RV_PI / 3);
    def.params.grid_bottom = -0.03, def.params.grid_top = 0.03;
    def.solids = solids, def.solid_count = build(where, solids);
    def.fills = fills, def.fill_count = 2;
    rv_world *world = rv_verify_world(report, &def);
    bool good = world && rv_verify_run(report, world, 0.01, time);
    if (good)
        *out = (pair){rv_wet_reach(world, 0, 0, 0, 0) + rv_wet_reach(world, 0, 0, 0, RV_PI),
                      rv_wet_reach(world, 0, 0, 0, 0.5 * RV_PI), rv_wet_depth(world, 0, 0, 0)};
    rv_world_destroy(world);
    return good;
}

static void check_places(rv_report *report)
{
    const double dx = 1e-3, time = report->quick ? 0.3 : 1;
    pair open, other;
    if (!two_drops(report, OPEN, dx, time, &open)) return;
    for (int where = ROOFED; where < PLACES; where++) {
        if (!two_drops(report, (place)where, dx, time, &other)) return;
        const char *word = place_word[where];
        rv_report_add(report, other.along, open.along, 0.01, "two drops, length, %s, m", word);
        rv_report_add(report, other.across, open.across, 0.01, "two drops, half width, %s, m",
                      word);
        rv_report_add(report, other.middle, open.middle, 0.01, "two drops, middle, %s, m", word);
    }
}

static void check_drops(rv_report *report)
{
    static const sessile drops[] = {
        {0.1e-6, 30, 0.25e-3, 0.018, 0.6, false}, {0.1e-6, 60, 0.25e-3, 0.015, 0.4, true},
        {0.1e-6, 90, 0.25e-3, 0.013, 0.5, false}, {0.5e-6, 30, 0.5e-3, 0.032, 2, false},
        {0.5e-6, 60, 0.5e-3, 0.026, 1, true},     {0.5e-6, 90, 0.5e-3, 0.024, 1, false},
        {3e-6, 30, 0.5e-3, 0.068, 3, false},      {3e-6, 60, 0.5e-3, 0.058, 2, false},
        {3e-6, 90, 0.5e-3, 0.052, 2, false},
    };
    const int count = (int)(sizeof drops / sizeof *drops);
    rv_plot *plot = rv_plot_begin(report, "shapes", "Drops that rest, from the middle to the rim",
                                  "distance from the middle, mm", "depth, mm");
    for (int i = 0; i < count; i++)
        if (drops[i].quick || !report->quick)
            rest_drop(report, &drops[i], drops[i].degrees == 60 ? plot : NULL, 1 + i / 3);
    check_places(report);
}

const rv_case rv_case_tension_drops = {
    .name = "tension-drops",
    .title = "Drops at rest",
    .about = "drops that rest on a bed against Young and Laplace",
    .text = "Drops of 0.1, 0.5 and 3 ml with contact angles of 30°, 60° and 90° begin as square "
            "blocks on a level bed, ℓ² = γ/(ρg) = 7.3 mm². When they rest, their radius, their "
            "thickness in the middle and their outline are compared with the shape that Young's "
            "and Laplace's equation gives for the same volume, which the case integrates. No "
            "front is followed: the radius is where the depth falls below h*/2, and a wedge of the "
            "contact angle from there.\n\n"
            "Two drops beside each other become one; under a roof that they do not touch, and "
            "across the edge of a slab whose top goes on with the ground, as in the open.\n\n"
            "To rely on: how far a spill spreads and how thick it stays, to 2% and 3% at cells "
            "of a fifteenth of its radius; a coarser grid makes it some per cent smaller.",
    .run = check_drops,
};
