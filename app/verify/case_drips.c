// Edges that drip: how large drops are and how many fall.
//
// A peg under a slow tap drips from its rim. Tate's law has a drop let go when its weight is what
// surface tension along its rim carries: V = 2 π r γ/(ρ g), r the radius of the rim, where that is
// at most the capillary length √(γ/(ρ g)). Drops then fall at the rate of the flow over that.
#include "verify.h"

#include <math.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define STEP 5e-3

// What fell in a while.
typedef struct dripped {
    int drops;
    double largest, smallest; // m³
} dripped;

// Drops that were not in the air a step ago are high up and slow.
static void watch(const rv_world *world, double under, dripped *d)
{
    rv_droplets all;
    if (rv_world_get_droplets(world, &all) != RV_OK) return;
    for (int i = 0; i < all.count; i++) {
        if (all.hangs[i]) continue;
        double volume = 4 * PI / 3 * pow(all.radius[i], 3);
        d->largest = fmax(d->largest, volume), d->smallest = fmin(d->smallest, volume);
        // it flew for less than a step from rest at the bead; one that left at a step's end has
        // flown for a whole one at the next
        if (all.at[i].z < under && -all.velocity[i].z < GRAVITY * STEP * (1 - 1e-6)) d->drops++;
    }
}

static void drip(rv_report *report, double wide, double tension, double rate, double time)
{
    const double density = 1000, dx = 0.5e-3, top = 0.03;
    const int n = (int)lround((wide + 0.02) / dx);
    double length = sqrt(tension / (density * GRAVITY)), r = fmin(0.5 * wide, length);
    double exact = 2 * PI * r * length * length;
    rv_world_def def = rv_default_world_def();
    rv_solid_def solids[2] = {rv_default_solid_def(), rv_default_solid_def()};
    rv_source_def tap = rv_default_source_def();
    def.params.grid_nx = def.params.grid_ny = n, def.params.grid_dx = dx;
    def.params.grid_top = 0.05;
    def.params.tension_on = true, def.params.liquid_tension = tension, def.params.liquid_uneven = 0;
    solids[0].shape = RV_SHAPE_PLANE, solids[0].at.z = 1e-3;
    solids[1].shape = RV_SHAPE_BOX, solids[1].at.z = top - 2e-3;
    solids[1].size = (rv_vec3){wide, wide, 4e-3};
    tap.at = (rv_vec3){0, 0, 0.045}, tap.radius = 1e-3, tap.rate = rate;
    def.solids = solids, def.solid_count = 2, def.sources = &tap, def.source_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    dripped d = {0, 0, 1};
    if (world && rv_verify_run(report, world, STEP, 1)) {
        for (int i = 0; i < (int)lround(time / STEP); i++) {
            if (rv_world_step(world, STEP) != RV_OK) break;
            watch(world, top, &d);
        }
        rv_stats s = rv_verify_stats(world);
        rv_report_add(report, d.largest, exact, 0.2, "%g mm wide, %g N/m, largest drop, m3",
                      wide * 1e3, tension);
        rv_report_add(report, d.smallest, exact, 0.2, "%g mm wide, %g N/m, smallest drop, m3",
                      wide * 1e3, tension);
        rv_report_add(report, d.drops / time, rate / exact, 0.1,
                      "%g mm wide, %g N/m, drops a second", wide * 1e3, tension);
        rv_report_add(report, (s.volume + s.airborne) / s.sourced - 1, 0, 1e-6,
                      "%g mm wide, %g N/m, volume over what came", wide * 1e3, tension);
    }
    rv_world_destroy(world);
}

static void check_drips(rv_report *report)
{
    drip(report, 3e-3, 0.0728, 4e-7, 4);
    drip(report, 4e-3, 0.035, 3e-7, 3);
    if (!report->quick) drip(report, 8e-3, 0.0728, 1e-6, 4);
}

const rv_case rv_case_drips = {
    .name = "drips",
    .title = "Drops from an edge",
    .about = "a peg under a tap drips by Tate's law",
    .text = "A square peg under a slow tap drips from its rim. Drops have Tate's volume "
            "2πrγ/(ρg), r half the peg's width and at most the capillary length, and fall at the "
            "rate of the flow over that volume; nothing is lost on the way. The volume is the "
            "law's own "
            "rule: what is checked is that width and tension come through, and the count.\n\n"
            "To rely on: how large drops are and how often they fall, to a fifth. Real drops leave "
            "a part of Tate's volume behind, so they are up to a third smaller.",
    .run = check_drips,
};
