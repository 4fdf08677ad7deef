// With surface tension everything comes to rest: poured puddles, pools in bowls and between walls,
// drops on slopes that hold them. Nothing hums on: no column of more than 0.1 mm moves faster than
// 0.01 mm/s in the end. Thinner films still drain for a long time, as real ones do.
//
// Solids are uneven and the angles of wetting and drying differ, as by default; viscosity is that
// of water, so all that takes energy out is the drag of thin liquid and pipes.kept.
#include "capillary.h"

#include <math.h>

typedef struct still {
    const char *word;
    double viscosity;           // m²/s
    double advancing, receding; // degrees
    double uneven;
    double tilt;  // degrees
    double bumps; // m
    double dx;    // m
    enum { BED, BOWL, TROUGH } on;
    enum { POURED, DROP, POOL } liquid;
    bool quick;
} still;

#define FAR 0.2   // m, beyond the grid
#define SIDE 0.04 // m, of the grid; wider for the bowl

static int solids_of(const still *s, rv_solid_def out[3])
{
    out[0] = rv_verify_box(RV_UNION, -FAR, FAR, -FAR, FAR, -FAR, 0);
    out[0].noise = s->bumps, out[0].noise_size = 6e-3;
    if (s->on == BED && s->tilt != 0) {
        out[0] = rv_default_solid_def();
        out[0].shape = RV_SHAPE_PLANE, out[0].rotate.y = s->tilt * RV_DEGREE;
    }
    if (s->on == BED) return 1;
    if (s->on == BOWL) {
        out[1] = rv_default_solid_def();
        out[1].shape = RV_SHAPE_SPHERE, out[1].op = RV_SUBTRACT;
        out[1].at.z = 0.03, out[1].radius = 0.04;
        return 2;
    }
    out[1] = rv_verify_box(RV_UNION, -FAR, -0.015, -FAR, FAR, -FAR, 0.02);
    out[2] = rv_verify_box(RV_UNION, 0.013, FAR, -FAR, FAR, -FAR, 0.02);
    return 3;
}

static void come_to_rest(rv_report *report, const still *s, double time, rv_plot *plot, int hue)
{
    const int n = (int)lround((s->on == BOWL ? 0.056 : SIDE) / s->dx);
    rv_world_def def = rv_wet_def(n, n, s->dx, s->advancing * RV_DEGREE);
    rv_solid_def solids[3];
    rv_fill_def fill = rv_default_fill_def();
    rv_source_def source = rv_default_source_def();
    def.params.liquid_viscosity = s->viscosity, def.params.liquid_uneven = s->uneven;
    def.params.liquid_receding = s->receding * RV_DEGREE;
    def.params.grid_bottom = -0.02, def.params.grid_top = 0.03;
    def.solids = solids, def.solid_count = solids_of(s, solids);
    source.at.z = 0.029, source.radius = 5e-3, source.rate = 1e-6, source.stop = 1;
    fill.level = s->on == BOWL ? -3e-3 : 4e-3;
    if (s->liquid == DROP)
        fill.kind = RV_FILL_DROP, fill.volume = 0.2e-6, fill.radius = 6e-3, fill.at.z = 0.029;
    if (s->liquid == POURED)
        def.sources = &source, def.source_count = 1;
    else
        def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    rv_series *series = rv_plot_series(plot, RV_MARK_POINTS, hue, "%s", s->word);
    bool good = world != NULL;
    double first = good ? rv_verify_stats(world).volume : 0;
    for (int k = 1; good && k <= 15; k++) {
        good = rv_verify_run(report, world, 0.01, time / 15);
        if (good) rv_plot_point(series, time * k / 15, rv_wet_fastest(world));
        rv_stats stats = rv_verify_stats(world);
        // Each of some hundred thousand substeps rounds every depth: more of them are a case of
        // their own.
        if (good && k == (int)lround(150 / time))
            rv_report_add(report, stats.volume + stats.airborne, first + stats.sourced, 1e-6,
                          "volume after 10 s, %s, m3", s->word);
    }
    if (good)
        rv_report_add(report, rv_wet_fastest(world), 0, 1e-5, "fastest after %g s, %s, m/s", time,
                      s->word);
    rv_world_destroy(world);
}

static void check_rest(rv_report *report)
{
    static const still all[] = {
        {"puddle poured", 1e-6, 60, 20, 0.15, 0, 0, 1e-3, BED, POURED, false},
        {"puddle poured, one angle", 1e-6, 60, 60, 0, 0, 0, 1e-3, BED, POURED, true},
        {"puddle of blood poured", 3.3e-6, 45, 20, 0.15, 0, 0, 1e-3, BED, POURED, false},
        {"puddle on bumps", 1e-6, 60, 20, 0.15, 0, 3e-4, 1e-3, BED, POURED, false},
        {"drop", 1e-6, 60, 20, 0.15, 0, 0, 1e-3, BED, DROP, false},
        {"drop on 5 deg", 1e-6, 60, 20, 0.15, 5, 0, 0.5e-3, BED, DROP, false},
        {"pool in a bowl", 1e-6, 60, 20, 0.15, 0, 0, 1e-3, BOWL, POOL, false},
        {"pool between walls", 1e-6, 60, 20, 0.15, 0, 0, 1e-3, TROUGH, POOL, false},
    };
    const int count = (int)(sizeof all / sizeof *all);
    rv_plot *plot = rv_plot_begin(report, "speed", "What still moves", "time, s",
                                  "fastest column of more than 0.1 mm, m/s");
    rv_plot_log(plot);
    for (int i = 0; i < count; i++)
        if (all[i].quick || !report->quick)
            come_to_rest(report, &all[i], report->quick ? 10 : 30, plot, 1 + i % 7);
}

const rv_case rv_case_tension_rest = {
    .name = "tension-rest",
    .title = "Coming to rest with surface tension",
    .about = "puddles, pools and drops come to rest, and keep their volume",
    .text =
        "Water and blood poured on a table and on bumps of 0.3 mm, a drop on a level bed and on "
        "one that falls by 5°, a pool in a bowl and one between walls: 30 s later no column "
        "of more than 0.1 mm moves faster than 0.01 mm/s. Solids are uneven and angles of "
        "wetting and drying differ, as by default. Thinner films go on draining for longer.\n\n"
        "To rely on: spilt liquid stops by itself, and stays.",
    .run = check_rest,
};
