// Tanks in a block of stone, joined near the ground by tunnels that are full: however the tunnels
// run, the levels must become equal.
#include "verify.h"

#include <math.h>
#include <stdio.h>

#define MM 1e-3
#define PARTS_MAX 8

typedef struct shape {
    const char *name;
    bool axis; // a straight run along the grid, which `axis` can follow
    bool dry;  // only the first tank has liquid at first
    int tanks, tunnels;
    double tank[3][4];   // mm: x1, x2, y1, y2; the first one starts full
    double tunnel[4][4]; // mm
    double turn;         // rad, of the first tunnel
} shape;

static const shape shapes[] = {
    {"straight", true, false, 2, 1, {{-28, -12, -8, 8}, {12, 28, -8, 8}}, {{-13, 13, -3, 3}}, 0},
    {"bent",
     false,
     false,
     2,
     3,
     {{-28, -12, -16, 0}, {12, 28, 0, 16}},
     {{-13, 3, -12, -6}, {-3, 3, -12, 12}, {-3, 13, 6, 12}},
     0},
    {"branched",
     false,
     false,
     3,
     4,
     {{-28, -12, -8, 8}, {12, 28, 2, 16}, {12, 28, -16, -2}},
     {{-13, 3, -3, 3}, {-3, 3, -12, 12}, {-3, 13, 6, 12}, {-3, 13, -12, -6}},
     0},
    {"at 25 deg",
     false,
     false,
     2,
     1,
     {{-28, -12, -16, 2}, {12, 28, -2, 16}},
     {{-19, 19, -3, 3}},
     0.44},
    {"straight, dry at first",
     true,
     true,
     2,
     1,
     {{-28, -12, -8, 8}, {12, 28, -8, 8}},
     {{-13, 13, -3, 3}},
     0},
};

static int build(const shape *s, rv_solid_def solids[PARTS_MAX])
{
    int n = 0;
    solids[n++] = rv_verify_box(RV_UNION, -0.1, 0.1, -0.1, 0.1, -0.05, 0.1);
    for (int i = 0; i < s->tanks; i++)
        solids[n++] = rv_verify_box(RV_SUBTRACT, s->tank[i][0] * MM, s->tank[i][1] * MM,
                                    s->tank[i][2] * MM, s->tank[i][3] * MM, 0, 0.2);
    for (int i = 0; i < s->tunnels; i++) {
        solids[n] = rv_verify_box(RV_SUBTRACT, s->tunnel[i][0] * MM, s->tunnel[i][1] * MM,
                                  s->tunnel[i][2] * MM, s->tunnel[i][3] * MM, 0, 4 * MM);
        if (i == 0) solids[n].rotate.z = s->turn;
        n++;
    }
    return n;
}

// Greatest difference of level between any two columns that are open to the top.
static double apart(const rv_world *world)
{
    rv_columns c;
    double low = INFINITY, high = -INFINITY;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i]) || (double)c.max[i] < 0.9 * c.top) continue;
        double level = (double)c.base[i] + (double)c.depth[i];
        low = fmin(low, level), high = fmax(high, level);
    }
    return high - low;
}

// Level (m) in the middle of a tank.
static double tank_level(const rv_world *world, const shape *s, int tank)
{
    const double *box = s->tank[tank];
    rv_vec3 at = {0.5 * (box[0] + box[1]) * MM, 0.5 * (box[2] + box[3]) * MM, 1};
    rv_sample sample;
    rv_world_sample(world, &at, 1, &sample);
    return sample.level;
}

static bool run_tanks(rv_report *report, rv_world *world, const shape *s, double time,
                      rv_series *first, rv_series *second)
{
    bool good = true;
    for (int k = 0; k < 150 && good; k++) {
        rv_plot_point(first, 0.02 * k, 1e3 * tank_level(world, s, 0));
        rv_plot_point(second, 0.02 * k, 1e3 * tank_level(world, s, 1));
        good = rv_verify_run(report, world, 0.01, 0.02);
    }
    return good && rv_verify_run(report, world, 0.01, time - 3);
}

static void level_out(rv_report *report, const shape *s, rv_passages passages, const char *word,
                      rv_plot *plot)
{
    rv_solid_def solids[PARTS_MAX];
    rv_fill_def fills[2] = {rv_default_fill_def(), rv_default_fill_def()};
    rv_world_def def = rv_verify_def();
    double dx = report->quick ? 2 * MM : 1 * MM;
    def.params.grid_nx = (int)lround(60 * MM / dx), def.params.grid_ny = (int)lround(36 * MM / dx);
    def.params.grid_dx = dx, def.params.grid_bottom = -2 * MM, def.params.grid_top = 30 * MM;
    def.params.pipes_passages = passages;
    def.solids = solids, def.solid_count = build(s, solids);
    fills[0].level = 20 * MM, fills[1].level = 8 * MM;
    fills[0].to.x = s->tank[0][1] * MM;
    def.fills = fills, def.fill_count = s->dry ? 1 : 2;
    rv_world *world = rv_verify_world(report, &def);
    if (!world) return;
    double volume = rv_verify_stats(world).volume;
    bool must = passages != RV_PASSAGES_AXIS || s->axis;
    int hue = (int)passages - (int)RV_PASSAGES_AXIS + 1;
    rv_series *first = rv_plot_series(plot, RV_MARK_LINE, hue, "%s", word);
    rv_series *second = rv_plot_series(plot, RV_MARK_LINE, hue, "%s, second tank", word);
    rv_plot_unlisted(second);
    if (run_tanks(report, world, s, must ? 20 : 5, first, second)) {
        rv_report_add(report, apart(world), 0, must ? 1e-4 : NAN, "levels apart, %s, %s, m",
                      s->name, word);
        rv_report_add(report, rv_verify_stats(world).volume, volume, 1e-6, "volume, %s, %s, m3",
                      s->name, word);
    }
    rv_world_destroy(world);
}

static void check_tanks(rv_report *report)
{
    static const char *const word[] = {"none", "axis", "unified", "pressure"};
    int count = (int)(sizeof shapes / sizeof *shapes);
    for (int i = 0; i < count; i++) {
        char name[32], title[96];
        rv_plot *plot = NULL;
        if (i < 2) { // the other shapes look much like these
            snprintf(name, sizeof name, "levels-%s", shapes[i].name);
            snprintf(title, sizeof title, "Two tanks and a %s tunnel", shapes[i].name);
            plot = rv_plot_begin(report, name, title, "time, s", "levels of both tanks, mm");
            rv_plot_range_x(plot, 0, 3);
        }
        for (int p = RV_PASSAGES_AXIS; p <= RV_PASSAGES_PRESSURE; p++)
            level_out(report, &shapes[i], (rv_passages)p, word[p], plot);
    }
}

const rv_case rv_case_tanks = {
    .name = "tanks",
    .title = "Tanks and a flooded passage",
    .about = "tanks joined by a flooded passage come to one level",
    .text =
        "Tanks in a block of stone, 20 mm and 8 mm full, joined by tunnels 4 mm high that "
        "are full: straight, with two bends, with a branch to a third tank, at 25° to the "
        "grid, and straight but dry at first. After 20 s the levels of all open columns "
        "must be equal. `axis` cannot follow a tunnel that turns (pipes paper §7): those rows only "
        "inform.\n\n"
        "The plots show how they get there: `pressure` has the passage's own inertia and no "
        "jumps; with `axis` and `unified` the passage is as long as one cell, so its liquid "
        "is too light and swings too fast, and connecting and disconnecting leaves ripples.\n\n"
        "To rely on: communicating vessels, whatever joins them, with `unified` and "
        "`pressure`; the time it takes only with `pressure`.",
    .run = check_tanks,
};
