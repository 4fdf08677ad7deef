// Surface tension on a slope: the tilt at which a drop lets go, a rivulet's section, and a scene
// that is turned against the grid.
//
// A drop on a plane of tilt α is held by the difference of its angles at the back and at the front:
// it lets go at about w γ (cos θr − cos θa) = ρ g V sin α, w its width (Furmidge 1962). The factor
// before it depends on the outline, 0.8 … 1.3 for real drops, so a third off is as good as the
// rule.
//
// A steady rivulet has no flow across, so its section is Young's and Laplace's with gravity g cos
// α; along the plane a film's law gives the flux, Q = g sin α / (3ν) ∫ h³ dy, which fixes its size
// (Towell & Rothfeld 1966).
#include "capillary.h"

#include <math.h>
#include <stdlib.h>

// How a slope is made: a bed that is steep, or gravity that slants over a level one.
typedef enum slope_way { STEEP_BED, SLANTING_GRAVITY, SLOPE_WAYS } slope_way;
static const char *const way_word[SLOPE_WAYS] = {"steep bed", "slanting gravity"};

// Makes a plane that falls toward high x by `tilt` (rad), at height 0 in its middle; NULL: no
// memory.
static float *make_slope(rv_world_def *def, slope_way how, double tilt)
{
    rv_params *p = &def->params;
    float *bed = calloc((size_t)p->grid_nx * (size_t)p->grid_ny, sizeof *bed);
    double size = rv_gravity_down(p), reach = 0.5 * p->grid_nx * p->grid_dx * tan(tilt);
    for (int i = 0; bed && how == STEEP_BED && i < p->grid_nx * p->grid_ny; i++)
        bed[i] = (float)((0.5 * p->grid_nx - i % p->grid_nx - 0.5) * p->grid_dx * tan(tilt));
    if (how == SLANTING_GRAVITY)
        p->gravity = (rv_vec3){size * sin(tilt), 0, -size * cos(tilt)}, reach = 0;
    p->grid_bottom = -reach - 0.01, p->grid_top = reach + 0.03;
    def->heights = bed;
    return bed;
}

// ---- A drop that lets go ------------------------------------------------------------------------

#define DROP 0.05e-6            // m³
#define AHEAD (70 * RV_DEGREE)  // advancing
#define BEHIND (40 * RV_DEGREE) // receding

// Where the liquid is along x on the whole, m.
static double middle_of(const rv_world *world)
{
    rv_columns c;
    double sum = 0, moment = 0;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++) {
            double depth = rv_verify_depth(world, x, y);
            sum += depth, moment += depth * (c.x0 + (x + 0.5) * c.dx);
        }
    return moment / sum;
}

// How fast a drop runs down in the end, m/s along x. It begins as a cap as wide as it would be at
// rest on a level bed, with an angle between the two.
static double sliding(rv_report *report, slope_way how, double degrees, double dx)
{
    const int nx = (int)lround(0.026 / dx), ny = (int)lround(0.012 / dx);
    rv_world_def def = rv_wet_def(nx, ny, dx, AHEAD);
    rv_fill_def fill = rv_default_fill_def();
    const double between = acos(0.5 * (cos(AHEAD) + cos(BEHIND)));
    rv_wet_shape cap = rv_wet_drop(DROP, between, rv_wet_length2(&def.params));
    double speed = NAN;
    def.params.liquid_receding = BEHIND;
    fill.kind = RV_FILL_DROP, fill.volume = DROP, fill.radius = cap.half;
    fill.at = (rv_vec3){-7e-3, 0, 1};
    def.params.border_east = RV_BORDER_OPEN;
    def.fills = &fill, def.fill_count = 1;
    float *bed = make_slope(&def, how, degrees * RV_DEGREE);
    rv_world *world = bed ? rv_verify_world(report, &def) : NULL;
    if (world && rv_verify_run(report, world, 0.01, 0.35)) {
        double before = middle_of(world);
        if (rv_verify_run(report, world, 0.01, 0.15)) speed = (middle_of(world) - before) / 0.15;
    }
    rv_world_destroy(world);
    free(bed);
    return speed;
}

// Halves the tilts between one at which it rests and one at which it slides. A drop that runs does
// so at some centimetres a second; a millimetre a second is a creep.
static void let_go(rv_report *report, slope_way how, double dx, int halvings, double tolerance)
{
    rv_world_def def = rv_wet_def(1, 1, dx, AHEAD);
    const double between = acos(0.5 * (cos(AHEAD) + cos(BEHIND))), g = rv_gravity_down(&def.params);
    double width = 2 * rv_wet_drop(DROP, between, rv_wet_length2(&def.params)).half;
    double hold = width * def.params.liquid_tension * (cos(BEHIND) - cos(AHEAD));
    double exact = asin(hold / (def.params.liquid_density * g * DROP)) / RV_DEGREE;
    double low = 0.4 * exact, high = 1.6 * exact;
    for (int i = 0; i < halvings; i++) {
        double tilt = 0.5 * (low + high), speed = sliding(report, how, tilt, dx);
        if (speed < 1e-3)
            low = tilt;
        else
            high = tilt; // or it is gone
    }
    rv_report_add(report, 0.5 * (low + high), exact, tolerance,
                  "tilt at which a drop lets go, %s, dx %g mm, deg", way_word[how], dx * 1e3);
}

// ---- A rivulet ----------------------------------------------------------------------------------

typedef struct stream {
    double tilt, angle;     // degrees
    double viscosity, rate; // m²/s, m³/s
    double dx;              // m
    slope_way how;
    bool quick;
} stream;

#define LONG 0.08 // m, horizontal
#define SPAN 0.04 // m, across

static void run_stream(rv_report *report, const stream *r, rv_plot *plot, int hue)
{
    const int nx = (int)lround(LONG / r->dx), ny = (int)lround(SPAN / r->dx);
    const double tilt = r->tilt * RV_DEGREE, lean = r->how == STEEP_BED ? cos(tilt) : 1;
    rv_world_def def = rv_wet_def(nx, ny, r->dx, r->angle * RV_DEGREE);
    rv_source_def source = rv_default_source_def();
    const double g = rv_gravity_down(&def.params), angle = def.params.liquid_advancing;
    const double tolerance = 0.05;
    rv_wet_shape exact = rv_wet_rivulet(r->rate * 3 * r->viscosity / (g * sin(tilt)), angle,
                                        rv_wet_length2(&def.params) / cos(tilt));
    def.params.liquid_viscosity = r->viscosity;
    def.params.border_east = RV_BORDER_OPEN;
    source.at = (rv_vec3){-0.5 * LONG + 8e-3, 0, 1}, source.radius = 3e-3, source.rate = r->rate;
    def.sources = &source, def.source_count = 1;
    float *bed = make_slope(&def, r->how, tilt);
    source.at.z = def.params.grid_top - 1e-3;
    rv_world *world = bed ? rv_verify_world(report, &def) : NULL;
    // four times what its middle, three times as fast as a film on the whole, takes to the end
    double speed = g * sin(tilt) * exact.high * exact.high / (3 * r->viscosity);
    double time = 0.01 * ceil(400 * LONG / speed);
    if (world && rv_verify_run(report, world, 0.01, time)) {
        const double x = 0.15 * LONG, half = 0.5 * rv_wet_full(&def.params), step = r->dx / 50;
        double width = 0, high = 0;
        rv_series *ours =
            rv_plot_series(plot, RV_MARK_POINTS, hue, "%g°, %s", r->tilt, way_word[r->how]);
        for (double y = -0.5 * SPAN + r->dx; y < 0.5 * SPAN - r->dx; y += step) {
            double thick = lean * rv_wet_depth(world, -x * tan(tilt), x, y);
            width += thick > half ? step : 0, high = fmax(high, thick);
        }
        for (int k = 0; k < ny; k++)
            rv_plot_point(ours, ((k + 0.5) * r->dx - 0.5 * SPAN) * 1e3,
                          lean * 1e3 * rv_verify_depth(world, (int)(x / r->dx) + nx / 2, k));
        rv_report_add(report, high, exact.high, tolerance,
                      "rivulet, %g deg, thickness, %s, dx %g mm, m", r->tilt, way_word[r->how],
                      r->dx * 1e3);
        rv_report_add(report, width + 2 * half / tan(angle), 2 * exact.half, tolerance,
                      "rivulet, %g deg, width, %s, dx %g mm, m", r->tilt, way_word[r->how],
                      r->dx * 1e3);
    }
    rv_world_destroy(world);
    free(bed);
}

// ---- A scene that is turned ---------------------------------------------------------------------

// Where liquid ends down the fall and to both sides, m from where it was let go.
typedef struct fronts {
    double down, left, right;
} fronts;

#define PILLARS 3
#define FALL (20 * RV_DEGREE)

static rv_vec3 turned(double down, double left, double turn, double z)
{
    return (rv_vec3){down * cos(turn) - left * sin(turn), down * sin(turn) + left * cos(turn), z};
}

// The furthest that liquid thicker than half of h* is in a direction.
static double furthest(const rv_world *world, double direction)
{
    rv_columns c;
    double most = 0, half = 0.5 * rv_wet_full(rv_world_params(world));
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    const double step = c.dx / 8, cx = cos(direction), cy = sin(direction);
    for (double y = c.y0 + c.dx; y < c.y0 + (c.ny - 1) * c.dx; y += step)
        for (double x = c.x0 + c.dx; x < c.x0 + (c.nx - 1) * c.dx; x += step)
            if (x * cx + y * cy > most && rv_wet_depth(world, 0, x, y) > half)
                most = x * cx + y * cy;
    return most;
}

// A drop let go on a plane that falls in the direction `turn`, with posts in its way.
static bool run_turned(rv_report *report, double turn, double dx, double time, fronts *out)
{
    static const double post[PILLARS][2] = {{0.012, 0.004}, {0.018, -0.006}, {0.026, 0.003}};
    const int n = (int)lround(0.072 / dx);
    rv_world_def def = rv_wet_def(n, n, dx, 50 * RV_DEGREE);
    rv_solid_def solids[1 + PILLARS];
    rv_fill_def fill = rv_default_fill_def();
    solids[0] = rv_default_solid_def();
    solids[0].shape = RV_SHAPE_PLANE, solids[0].rotate = (rv_vec3){0, FALL, turn};
    for (int i = 0; i < PILLARS; i++) {
        solids[1 + i] = rv_verify_box(RV_UNION, -2e-3, 2e-3, -2e-3, 2e-3, -0.05, 0.02);
        rv_vec3 at = turned(post[i][0] - 0.02, post[i][1], turn, -0.01);
        solids[1 + i].at = at, solids[1 + i].rotate.z = turn;
    }
    def.params.grid_bottom = -0.04, def.params.grid_top = 0.04;
    def.params.liquid_viscosity = 3e-5;
    fill.kind = RV_FILL_DROP, fill.volume = 0.6e-6, fill.radius = 7e-3;
    fill.at = turned(-0.02, 0, turn, 0.039);
    def.solids = solids, def.solid_count = 1 + PILLARS, def.fills = &fill, def.fill_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    bool good = world && rv_verify_run(report, world, 0.01, time);
    if (good)
        *out = (fronts){furthest(world, turn) + 0.02, furthest(world, turn + 0.5 * RV_PI),
                        furthest(world, turn - 0.5 * RV_PI)};
    rv_world_destroy(world);
    return good;
}

static void check_turned(rv_report *report, double dx, double tolerance)
{
    fronts straight, askew;
    const double time = 0.5, mm = dx * 1e3;
    if (!run_turned(report, 0, dx, time, &straight) ||
        !run_turned(report, RV_PI / 6, dx, time, &askew))
        return;
    rv_report_add(report, askew.down, straight.down, tolerance,
                  "front among posts, turned by 30 deg, dx %g mm, m", mm);
    rv_report_add(report, askew.left, straight.left, tolerance,
                  "front to the left, turned by 30 deg, dx %g mm, m", mm);
    rv_report_add(report, askew.right, straight.right, tolerance,
                  "front to the right, turned by 30 deg, dx %g mm, m", mm);
}

static void check_slopes(rv_report *report)
{
    static const stream streams[] = {
        {10, 50, 1e-4, 1e-6, 1e-3, STEEP_BED, false},
        {20, 50, 1e-4, 1.5e-6, 1e-3, SLANTING_GRAVITY, false},
        {40, 50, 1e-4, 1.5e-6, 1e-3, SLANTING_GRAVITY, true},
        {20, 50, 1e-4, 1.5e-6, 1e-3, STEEP_BED, false},
        {40, 50, 1e-4, 1.5e-6, 1e-3, STEEP_BED, false},
    };
    rv_plot *plot = rv_plot_begin(report, "rivulet", "Sections of rivulets", "across the fall, mm",
                                  "thickness, mm");
    for (int how = 0; how < SLOPE_WAYS; how++) {
        if (how == STEEP_BED || !report->quick)
            let_go(report, (slope_way)how, 0.25e-3, report->quick ? 3 : 6, 1.0 / 3);
        // eight cells over the radius are too few: a part of the hold is lost
        if (!report->quick) let_go(report, (slope_way)how, 0.5e-3, 6, NAN);
    }
    for (int i = 0; i < 5; i++)
        if (streams[i].quick || !report->quick) run_stream(report, &streams[i], plot, i + 1);
    if (report->quick) return;
    check_turned(report, 1e-3, NAN);
    check_turned(report, 0.5e-3, 0.05);
}

const rv_case rv_case_tension_slopes = {
    .name = "tension-slopes",
    .title = "Drops and rivulets on a slope",
    .about = "a drop that lets go, a rivulet's section, a scene turned by 30 degrees",
    .text =
        "A drop of 0.05 ml with angles of 70° and 40° is put on a plane as a cap; the tilt at "
        "which it lets go is found by halving, and compared with Furmidge's rule "
        "w γ (cos θr − cos θa) = ρ g V sin α. Real drops differ from that rule by a fifth to a "
        "third, as their outline matters.\n\n"
        "A rivulet fed with 1.5 ml/s, ν = 1e-4 m²/s, 50°: thickness and width of its section "
        "against Young and Laplace with g cos α and the flux of a film, g sin α/(3ν) ∫ h³ dy. "
        "The slope is a steep bed, or a level one with gravity that slants.\n\n"
        "0.6 ml let go on 20° among posts, and the same turned by 30° against the grid: how "
        "far liquid gets down the fall and to both sides after half a second.\n\n"
        "To rely on: which drops stick and which run, and how wide a stream is.",
    .run = check_slopes,
};
