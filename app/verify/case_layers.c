// Momentum between layers: the dam break of case_swe.c in channels whose columns are not all of one
// plane, which the liquid must not feel.
//
//   open    nothing above the channel: one plane, as a first comparison
//   roof    a slab hangs over the whole channel, a metre above the highest level: two planes, the
//           liquid in the lower one, under a ceiling that it never touches
//   onto    behind the dam the channel's bed is the ground; from the dam on it is the top of a slab
//           that hangs over a lower floor, so that the liquid runs from the lowest plane onto the
//           next one
//   off     the same, mirrored: the reservoir stands on the slab and runs onto the ground
//
// The exact solution is the same in all four, Ritter's on a dry and Stoker's on a wet bed: without
// friction (viscosity 0, pipes.kept 1), the bed level, the void under the slab closed and dry.
#include "both.h"
#include "dam.h"

#include <math.h>

#define CELLS 200
#define WIDE 4     // cells
#define ROOF 2.0   // m, its underside
#define FLOOR -1.0 // m, under the slab
#define SLAB 0.3   // m, thickness

typedef enum place { OPEN, ROOFED, ONTO, OFF, PLACES } place;

static const char *const place_word[PLACES] = {"open", "under a roof", "onto a shelf",
                                               "off a shelf"};

// The solids of a place; returns how many.
static int build(place where, rv_solid_def solids[3])
{
    const double far = RV_DAM_LENGTH, side = where == OFF ? -1 : 1;
    if (where == OPEN || where == ROOFED) {
        solids[0] = rv_verify_box(RV_UNION, -far, far, -far, far, -4, 0);
        solids[1] = rv_verify_box(RV_UNION, -far, far, -far, far, ROOF, ROOF + SLAB);
        return where == OPEN ? 1 : 2;
    }
    double edge = side * far; // the slab reaches from the dam to beyond this end
    solids[0] = rv_verify_box(RV_UNION, -far, far, -far, far, -4, FLOOR);
    solids[1] = rv_verify_box(RV_UNION, fmin(0, -edge), fmax(0, -edge), -far, far, -4, 0);
    solids[2] = rv_verify_box(RV_UNION, fmin(0, edge), fmax(0, edge), -far, far, -SLAB, 0);
    return 3;
}

// Depth of the column of a cell that stands on the channel's bed, height 0.
static double channel_depth(const rv_world *world, int x, int y)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    for (int l = 0; l < c.planes; l++) {
        if (!rv_plane_has(&c.plane[l], x, y)) continue;
        size_t slot = rv_slot(&c.plane[l], x, y);
        bool exists = c.max[slot] > c.base[slot];
        if (exists && fabs((double)c.base[slot]) < 0.01) return (double)c.depth[slot];
    }
    return NAN;
}

static rv_world *make_channel(rv_report *report, int solver, place where, const rv_dam *d)
{
    rv_solid_def solids[3];
    rv_fill_def fills[2] = {rv_default_fill_def(), rv_default_fill_def()};
    rv_world_def def = rv_verify_def();
    def.params.solver = rv_both_kind(solver);
    def.params.liquid_viscosity = 0, def.params.pipes_kept = 1;
    def.params.grid_nx = CELLS, def.params.grid_ny = WIDE;
    def.params.grid_dx = RV_DAM_LENGTH / CELLS;
    def.params.grid_bottom = -2, def.params.grid_top = 4;
    for (int i = 0; i < 2; i++) {
        fills[i].kind = RV_FILL_DEPTH;
        // on the channel's bed, neither on the roof nor under the slab
        fills[i].from.z = -0.1, fills[i].to.z = 0.1;
    }
    fills[0].depth = d->high, fills[0].to.x = 0;
    fills[1].depth = d->low, fills[1].from.x = 0;
    def.fills = fills, def.fill_count = d->low > 0 ? 2 : 1;
    def.solids = solids, def.solid_count = build(where, solids);
    return rv_verify_world(report, &def);
}

static void break_dam(rv_report *report, int solver, place where, double low, rv_plot *plot)
{
    const rv_dam d = rv_dam_of(RV_DAM_HIGH, low);
    const double dx = RV_DAM_LENGTH / CELLS, time = RV_DAM_TIME;
    const char *word = rv_both_word(solver), *bed = low > 0 ? "wet" : "dry";
    rv_world *world = make_channel(report, solver, where, &d);
    rv_series *series = NULL;
    if (where == ONTO) series = rv_plot_series(plot, RV_MARK_POINTS, solver + 1, "%s", word);
    double apart = 0, volume = 0.5 * (d.high + d.low) * RV_DAM_LENGTH * WIDE * dx;
    if (world && rv_verify_run(report, world, time / 60, time)) {
        for (int x = 0; x < CELLS; x++) {
            double at = (x + 0.5) * dx - 0.5 * RV_DAM_LENGTH, depth = channel_depth(world, x, 1);
            apart += fabs(depth - rv_dam_cell(&d, at, dx, time));
            rv_plot_point(series, at, depth);
        }
        rv_report_add(report, apart / CELLS / (d.high - d.low), 0, 0.03,
                      "%s, level error over the step, %s bed, %s", word, bed, place_word[where]);
        if (where != OPEN)
            rv_report_add(report, rv_verify_stats(world).volume, volume, 1e-6,
                          "%s, volume, %s bed, %s, m3", word, bed, place_word[where]);
    }
    rv_world_destroy(world);
}

static void check_layers(rv_report *report)
{
    const rv_dam wet = rv_dam_of(RV_DAM_HIGH, RV_DAM_LOW);
    rv_plot *plot = rv_plot_begin(report, "shelf", "Dam break onto a shelf, wet bed, 0.6 s", "x, m",
                                  "depth, m");
    rv_series *exact = rv_plot_series(plot, RV_MARK_LINE, 0, "exact");
    for (int i = 0; i <= 1000; i++) {
        double x = (i / 1000.0 - 0.5) * RV_DAM_LENGTH;
        rv_plot_point(exact, x, rv_dam_depth(&wet, x, RV_DAM_TIME));
    }
    for (int where = OPEN; where < PLACES; where++)
        for (int k = 0; k < RV_BOTH; k++) {
            break_dam(report, k, (place)where, 0, NULL);
            break_dam(report, k, (place)where, RV_DAM_LOW, plot);
        }
}

const rv_case rv_case_layers = {
    .name = "layers",
    .title = "Dam break between layers",
    .about = "a dam that breaks under a roof and across the edge of a shelf",
    .text = "The dam break of case `dam`, n = 200, where the liquid has layers to cross: under a "
            "roof that it does not touch, and across the edge of a shelf, a slab over a lower "
            "floor that is the channel's bed over half of its length. The level is the same on "
            "both sides of that edge, so the exact solution is Ritter's and Stoker's as before. No "
            "friction (ν = 0, `pipes.kept` 1), for `pipes` and `swe`; the level error is the mean "
            "of |h − exact| over the height of the step.\n\n"
            "To rely on: a wave does not feel how the solids under and over it are made.",
    .run = check_layers,
};
