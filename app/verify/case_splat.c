// Particles at rest (docs/splat.md): a column of them stays where it is, as dense at its floor as
// its weight asks for, and a dam that broke comes to rest as deep as its volume says.
#include "verify.h"

#include <math.h>

#define GRAVITY 9.81
#define STIFFNESS 2.0
#define GAMMA 5
#define PI 3.14159265358979323846

typedef struct measures {
    double middle;  // m, mean height of the particles
    double kinetic; // m²/s², mean of half the square of their speed
    double surface; // m, mean height at which the density falls under half
    double floor;   // density four cells over the floor
} measures;

// A tank of n cells each way, 1 m wide; filled to half its height, or a dam over 0.4 of its length.
static rv_world *make_tank(rv_report *report, rv_splat_form form, int n, bool dam, bool wide,
                           double stiffness)
{
    rv_fill_def fill = rv_default_fill_def();
    rv_emitter_def block = rv_default_emitter_def();
    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_SPLAT, def.params.splat_form = form;
    def.params.splat_method = wide ? RV_SPLAT_WIDE : RV_SPLAT_NARROW;
    def.params.splat_stiffness = stiffness, def.params.splat_gamma = GAMMA;
    def.params.grid_nx = n, def.params.grid_ny = form == RV_SPLAT_3D ? n : 1;
    def.params.grid_dx = 1.0 / n, def.params.grid_top = 1, def.params.gravity.z = -GRAVITY;
    fill.kind = RV_FILL_DEPTH, fill.depth = 0.5;
    block.kind = RV_EMITTER_BLOCK, block.from = (rv_vec3){-0.5, -0.5, 0};
    block.to = (rv_vec3){-0.1, 0.5, 0.6};
    if (dam)
        def.emitters = &block, def.emitter_count = 1;
    else
        def.fills = &fill, def.fill_count = 1;
    return rv_verify_world(report, &def);
}

static double surface_at(const rv_density *d, int x, int y)
{
    size_t layer = (size_t)d->nx * (size_t)d->ny, at = (size_t)y * (size_t)d->nx + (size_t)x;
    for (int k = d->nz - 1; k >= 0; k--) {
        double own = (double)d->value[at + (size_t)k * layer];
        if (!(own > 0.5)) continue;
        double next = k + 1 < d->nz ? (double)d->value[at + (size_t)(k + 1) * layer] : 0;
        return (k + 0.5 + (own - 0.5) / (own - next)) * d->dx;
    }
    return 0;
}

static measures measure(const rv_world *world)
{
    rv_particles p;
    rv_density d;
    measures m = {0};
    if (rv_world_get_particles(world, &p) != RV_OK || rv_world_get_density(world, &d) != RV_OK)
        return m;
    for (int64_t i = 0; i < p.count; i++) {
        double u = (double)p.u[i], v = p.v ? (double)p.v[i] : 0, w = (double)p.w[i];
        m.middle += (double)p.z[i] / (double)p.count;
        m.kinetic += 0.5 * (u * u + v * v + w * w) / (double)p.count;
    }
    double columns = (double)d.nx * d.ny;
    for (int y = 0; y < d.ny; y++)
        for (int x = 0; x < d.nx; x++) {
            size_t row = ((size_t)4 * (size_t)d.ny + (size_t)y) * (size_t)d.nx;
            m.surface += surface_at(&d, x, y) / columns;
            m.floor += (double)d.value[row + (size_t)x] / columns;
        }
    return m;
}

static void stand(rv_report *report, rv_splat_form form, int n, const char *what)
{
    rv_world *world = make_tank(report, form, n, false, false, STIFFNESS);
    double dt = 0.05 / n, time = report->quick ? 2 : 10;
    if (!world) return;
    rv_verify_run(report, world, dt, 1); // it is laid out without its own weight: lets it settle
    measures first = measure(world);
    double furthest = 0, most = 0, area = form == RV_SPLAT_3D ? 1 : 1.0 / n;
    rv_plot *plot = NULL;
    if (form == RV_SPLAT_2D)
        plot = rv_plot_begin(report, "rest", "Mean height of a column of particles at rest",
                             "time, s", "mean height over half the depth");
    rv_series *line = rv_plot_series(plot, RV_MARK_POINTS, 1, "%s", what);
    measures m = first;
    for (int i = 0; i < 20; i++) {
        if (!rv_verify_run(report, world, dt, time / 20)) break;
        m = measure(world);
        furthest = fmax(furthest, fabs(m.middle / first.middle - 1));
        most = fmax(most, m.kinetic);
        rv_plot_point(line, 1 + (i + 1) * time / 20, 2 * m.middle / 0.5);
    }
    double depth = rv_verify_stats(world).volume / area;
    rv_report_add(report, furthest, 0, 0.01, "%s at rest, mean height moves in %g s, relative",
                  what, time);
    rv_report_add(report, most / (GRAVITY * depth), 0, 1e-3, "%s at rest, kinetic energy over g D",
                  what);
    rv_report_add(report, m.surface, depth, 0.1, "%s at rest, depth, m", what);
    rv_report_add(report, m.floor, 1, 0.02, "%s at rest, density over the floor", what);
    rv_world_destroy(world);
}

static void settle(rv_report *report, rv_splat_form form, int n, const char *what)
{
    rv_world *world = make_tank(report, form, n, true, false, STIFFNESS);
    double time = report->quick ? 4 : 25;
    if (!world) return;
    double area = form == RV_SPLAT_3D ? 1 : 1.0 / n, depth = rv_verify_stats(world).volume / area;
    rv_verify_run(report, world, 0.1 / n, time);
    measures m = measure(world);
    rv_report_add(report, m.surface, depth, 0.1, "%s, dam after %g s, depth, m", what, time);
    rv_report_add(report, m.kinetic / (GRAVITY * depth), 0, NAN,
                  "%s, dam after %g s, kinetic energy over g D", what, time);
    rv_report_add(report, rv_verify_stats(world).volume / area, depth, 1e-9,
                  "%s, dam, volume over floor, m", what);
    rv_world_destroy(world);
}

// The density of liquid under `above` metres of itself: g above = k (q^γ - 1).
static double dense_under(double above, double height)
{
    return pow(1 + above / (STIFFNESS * height), 1.0 / GAMMA);
}

// The wide form. Ten times as stiff: more substeps, not an explosion.
static void stiffen(rv_report *report)
{
    rv_world *soft = make_tank(report, RV_SPLAT_2D, 32, false, true, STIFFNESS);
    rv_world *stiff = make_tank(report, RV_SPLAT_2D, 32, false, true, 10 * STIFFNESS);
    if (soft && stiff) {
        rv_verify_run(report, soft, 0.02, 1);
        rv_verify_run(report, stiff, 0.02, 1);
        double ratio = (double)rv_verify_stats(stiff).all_substeps /
                       (double)rv_verify_stats(soft).all_substeps;
        measures m = measure(soft);
        rv_report_add(report, m.floor, dense_under(0.5 - 4.5 / 32, 1), 0.02,
                      "wide form at rest, density over the floor");
        m = measure(stiff);
        rv_report_add(report, ratio, sqrt(10.0), 0.2, "ten times as stiff, substeps over before");
        rv_report_add(report, m.surface, 0.5, 0.1, "ten times as stiff, depth, m");
        rv_report_add(report, m.kinetic / (GRAVITY * 0.5), 0, 1e-2,
                      "ten times as stiff, kinetic energy over g D");
    }
    rv_world_destroy(soft);
    rv_world_destroy(stiff);
}

#define LAYER 0.0625 // m, what a layer of particles as a height stands for: splat.depth times dx

// ---- Bodies -------------------------------------------------------------------------------------

// A ball half as dense as the liquid floats with its middle in the surface.
static void float_ball(rv_report *report, rv_splat_form form, int n, const char *what)
{
    rv_fill_def fill = rv_default_fill_def();
    rv_body_def ball = rv_default_body_def();
    rv_world_def def = rv_default_world_def();
    rv_body_state now;
    bool plane = form == RV_SPLAT_2D;
    double time = report->quick ? 3 : 8, r = 0.15, low = INFINITY, high = -INFINITY, mean = 0;
    def.params.solver = RV_SOLVER_SPLAT, def.params.splat_form = form;
    def.params.grid_nx = n, def.params.grid_ny = plane ? 1 : n;
    def.params.grid_dx = 1.0 / n, def.params.grid_top = 1, def.params.gravity.z = -GRAVITY;
    def.params.splat_depth = LAYER * n;
    fill.kind = RV_FILL_DEPTH, fill.depth = 0.5;
    ball.radius = r, ball.density = 0.5 * def.params.liquid_density;
    ball.at = (rv_vec3){0, 0, 0.55};
    def.fills = &fill, def.fill_count = 1, def.bodies = &ball, def.body_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    if (!world) return;
    rv_verify_run(report, world, 0.2 / n, time - 1);
    for (int i = 0; i < 20; i++) {
        if (!rv_verify_run(report, world, 0.2 / n, 0.05)) break;
        if (rv_world_get_body(world, 0, NULL, &now) != RV_OK) break;
        low = fmin(low, now.at.z), high = fmax(high, now.at.z), mean += now.at.z / 20;
    }
    // half of it is under: the surface is higher by that over the tank's floor
    double surface = 0.5 + (plane ? PI * r * r / 2 : 2.0 / 3.0 * PI * r * r * r);
    rv_report_add(report, 1 + (mean - surface) / r, 1, 0.1,
                  "%s, ball half as dense, 1 + its middle over the surface in radii", what);
    rv_report_add(report, (high - low) / r, 0, 0.05, "%s, ball half as dense, bobs by, in radii",
                  what);
    rv_world_destroy(world);
}

// A ball flies into liquid without weight: what one loses the other gets.
static void hit(rv_report *report, rv_splat_form form, int n, const char *what)
{
    rv_emitter_def block = rv_default_emitter_def();
    rv_body_def ball = rv_default_body_def();
    rv_world_def def = rv_default_world_def();
    rv_body_state now;
    rv_particles p;
    bool plane = form == RV_SPLAT_2D;
    def.params.solver = RV_SOLVER_SPLAT, def.params.splat_form = form;
    def.params.grid_nx = n, def.params.grid_ny = plane ? 1 : n;
    def.params.grid_dx = 1.0 / n, def.params.grid_top = 1, def.params.gravity = (rv_vec3){0, 0, 0};
    block.kind = RV_EMITTER_BLOCK, block.from = (rv_vec3){-0.1, -0.2, 0.3};
    block.to = (rv_vec3){0.2, 0.2, 0.7};
    ball.radius = 0.1, ball.density = 600, ball.at = (rv_vec3){-0.28, 0, 0.52};
    ball.velocity = (rv_vec3){1.5, 0, 0};
    def.emitters = &block, def.emitter_count = 1, def.bodies = &ball, def.body_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    if (!world) return;
    rv_verify_run(report, world, 0.004, 0.12);
    double r = ball.radius, mass = ball.density * 4.0 / 3.0 * PI * r * r * r, liquid = 0;
    if (plane) mass = ball.density * PI * r * r * def.params.grid_dx;
    if (rv_world_get_particles(world, &p) == RV_OK &&
        rv_world_get_body(world, 0, NULL, &now) == RV_OK) {
        for (int64_t i = 0; i < p.count; i++)
            liquid += def.params.liquid_density * p.each * (double)p.u[i];
        double whole = mass * ball.velocity.x;
        rv_report_add(report, (liquid + mass * now.velocity.x) / whole, 1, 1e-6,
                      "%s, ball hits liquid, momentum over that before", what);
        rv_report_add(report, liquid / whole, 1, NAN, "%s, ball hits liquid, share that it loses",
                      what);
    }
    rv_world_destroy(world);
}

// Momentum of all particles along x, kg m/s.
static double momentum_of(const rv_world *world, double density)
{
    rv_particles p;
    double sum = 0;
    if (rv_world_get_particles(world, &p) != RV_OK) return NAN;
    for (int64_t i = 0; i < p.count; i++) sum += density * p.each * (double)p.u[i];
    return sum;
}

// As a height liquid has weight, or it would not feel the ball, and a grid's own errors move it a
// little. So one substep from rest, with the ball and without: the difference is what it gave.
static void shove(rv_report *report, int n)
{
    rv_emitter_def block = rv_default_emitter_def();
    rv_body_def ball = rv_default_body_def();
    rv_world_def def = rv_default_world_def();
    rv_body_state now;
    def.params.solver = RV_SOLVER_SPLAT, def.params.splat_form = RV_SPLAT_HEIGHT;
    def.params.grid_nx = def.params.grid_ny = n, def.params.grid_dx = 1.0 / n;
    def.params.grid_top = 1, def.params.gravity.z = -GRAVITY, def.params.splat_depth = LAYER * n;
    block.kind = RV_EMITTER_BLOCK, block.from = (rv_vec3){-0.3, -0.3, 0};
    block.to = (rv_vec3){0.2, 0.3, 0.2};
    ball.radius = 0.15, ball.density = 600, ball.at = (rv_vec3){-0.21, 0.02, 0.2};
    ball.velocity = (rv_vec3){1.5, 0.2, 0};
    def.emitters = &block, def.emitter_count = 1;
    rv_world *alone = rv_verify_world(report, &def);
    def.bodies = &ball, def.body_count = 1;
    rv_world *both = rv_verify_world(report, &def);
    if (alone && both && rv_verify_run(report, alone, 5e-4, 5e-4) &&
        rv_verify_run(report, both, 5e-4, 5e-4) &&
        rv_world_get_body(both, 0, NULL, &now) == RV_OK) {
        double r = ball.radius, mass = ball.density * 4.0 / 3.0 * PI * r * r * r;
        double lost = mass * (ball.velocity.x - now.velocity.x);
        double got = momentum_of(both, def.params.liquid_density) -
                     momentum_of(alone, def.params.liquid_density);
        rv_report_add(report, got / lost, 1, 1e-6,
                      "height, ball in liquid, momentum that this gets over what it loses");
    }
    rv_world_destroy(alone);
    rv_world_destroy(both);
}

static void check_splat(rv_report *report)
{
    bool quick = report->quick;
    stand(report, RV_SPLAT_2D, quick ? 32 : 64, "2D");
    stand(report, RV_SPLAT_3D, quick ? 16 : 32, "3D");
    settle(report, RV_SPLAT_2D, quick ? 32 : 64, "2D");
    if (!quick) settle(report, RV_SPLAT_3D, 32, "3D");
    stiffen(report);
    if (!quick) float_ball(report, RV_SPLAT_2D, 64, "2D");
    float_ball(report, RV_SPLAT_3D, quick ? 24 : 32, "3D");
    hit(report, RV_SPLAT_2D, 48, "2D");
    hit(report, RV_SPLAT_3D, quick ? 24 : 32, "3D");
    float_ball(report, RV_SPLAT_HEIGHT, quick ? 32 : 48, "height");
    shove(report, quick ? 32 : 48);
}

const rv_case rv_case_splat = {
    .name = "splat",
    .title = "Particles at rest",
    .about =
        "a column of particles: no drift, no motion, density by its weight; a dam's last depth",
    .text =
        "Particles in a tank 1 m wide and high, filled to half, in a plane and in space. The "
        "density must be that at rest down to the floor, and the mean height must stay. Motion "
        "must die away.\n\n"
        "A dam over 0.4 of the tank falls and sloshes. After 25 s its surface must be as high as "
        "its volume says, within a tenth; what energy the last waves have is told. Real water "
        "would slosh on too.\n\n"
        "The wide form is weakly compressible: its pressure is k (q^γ - 1) with q the density over "
        "that at rest, so at rest q under a depth d is (1 + g d/k)^(1/γ). Ten times the stiffness "
        "must give √10 times the substeps, and liquid at rest.\n\n"
        "A ball half as dense as the liquid must float with its middle in the surface, and lie "
        "still after a few seconds. A ball that flies into liquid without weight must give it "
        "just the momentum that it loses.",
    .run = check_splat,
};
