// Bodies in a tank (docs/bodies.md): Archimedes' draught, sinking at the speed of the drag's
// balance, momentum that goes from a thrown ball into the liquid, and energy that comes from
// nowhere.
#include "verify.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define DENSITY 1000.0
#define FLOOR 0.1
#define LEVEL 0.3
#define DX 0.01

static double ball_volume(double radius)
{
    return 4.0 / 3.0 * PI * radius * radius * radius;
}

// A tank of n × n cells with one ball, friction in the liquid as given.
static rv_world *make_tank(rv_report *report, int n, rv_body_def *ball, double kept)
{
    rv_solid_def ground = rv_verify_box(RV_UNION, -5, 5, -5, 5, -1, FLOOR);
    rv_fill_def fill = rv_default_fill_def();
    rv_world_def def = rv_verify_def();
    def.params.grid_nx = def.params.grid_ny = n, def.params.grid_dx = DX;
    def.params.grid_top = 0.8, def.params.gravity.z = -GRAVITY, def.params.pipes_kept = kept;
    def.params.liquid_density = DENSITY, def.params.liquid_viscosity = 0;
    fill.level = LEVEL;
    def.solids = &ground, def.solid_count = 1, def.fills = &fill, def.fill_count = 1;
    def.bodies = ball, def.body_count = 1;
    return rv_verify_world(report, &def);
}

static rv_body_state state_of(const rv_world *world)
{
    rv_body_state state = {.at = {NAN, NAN, NAN}};
    rv_world_get_body(world, 0, NULL, &state);
    return state;
}

// ---- Draught ------------------------------------------------------------------------------------

// Depth to which a ball of radius r floats, from its volume below the surface, π d² (3 r - d) / 3.
static double draught_of(double r, double volume)
{
    double low = 0, high = 2 * r;
    for (int i = 0; i < 60; i++) {
        double d = 0.5 * (low + high);
        if (PI * d * d * (3 * r - d) / 3 < volume)
            low = d;
        else
            high = d;
    }
    return low;
}

static void float_ball(rv_report *report, double density, rv_plot *plot, int hue)
{
    const double r = 0.06, dt = 3e-3;
    rv_body_def ball = rv_default_body_def();
    ball.radius = r, ball.density = density, ball.at.z = LEVEL + 0.02;
    const int n = report->quick ? 30 : 60, steps = report->quick ? 1500 : 4000;
    rv_world *world = make_tank(report, n, &ball, 0.05);
    if (!world) return;
    double draught = 0, volume = rv_verify_stats(world).volume;
    int last = 500; // it still bobs by a hair: the mean of the last ones
    double exact = draught_of(r, ball_volume(r) * density / DENSITY);
    rv_series *archimedes =
        rv_plot_series(plot, RV_MARK_LINE, hue, "Archimedes, %g kg/m³", density);
    rv_series *ours = rv_plot_series(plot, RV_MARK_POINTS, hue, "ball, %g kg/m³", density);
    rv_plot_point(archimedes, 0, exact * 1e3);
    rv_plot_point(archimedes, 3, exact * 1e3);
    for (int i = 0; i < steps; i++) {
        if (rv_world_step(world, dt) != RV_OK) break;
        double deep = rv_verify_level(world, 1, 1) - (state_of(world).at.z - r);
        if (i % 5 == 0 && i * dt <= 3) rv_plot_point(ours, (i + 1) * dt, deep * 1e3);
        if (i >= steps - last) draught += deep / last;
    }
    rv_report_add(report, draught, exact, 0.02, "draught of a ball of %g kg/m3, m", density);
    rv_report_add(report, rv_verify_stats(world).volume, volume, 1e-6, "volume beside it, m3");
    rv_world_destroy(world);
}

// A ball that lies on the ground of a lake.
static void lie_still(rv_report *report)
{
    rv_body_def ball = rv_default_body_def();
    ball.radius = 0.04, ball.density = 2500, ball.at.z = FLOOR + 0.04;
    rv_world *world = make_tank(report, 30, &ball, 0.05);
    if (!world) return;
    rv_verify_run(report, world, 3e-3, report->quick ? 3 : 10);
    rv_body_state first = state_of(world);
    double speed = 0;
    for (int i = 0; i < 500 && rv_world_step(world, 3e-3) == RV_OK; i++) {
        rv_vec3 v = state_of(world).velocity;
        speed = fmax(speed, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    rv_body_state after = state_of(world);
    double moved = fabs(after.at.x - first.at.x) + fabs(after.at.y - first.at.y) +
                   fabs(after.at.z - first.at.z);
    rv_report_add(report, speed, 0, 1e-6, "ball on the ground of a lake, fastest, m/s");
    rv_report_add(report, moved, 0, 1e-6, "ball on the ground of a lake, moved in 1.5 s, m");
    rv_world_destroy(world);
}

static void check_draught(rv_report *report)
{
    rv_plot *plot = rv_plot_begin(report, "depth", "A ball of 60 mm radius, dropped into a tank",
                                  "time, s", "depth of its lowest point, mm");
    rv_plot_key(plot, "outside top center horizontal maxcols 3");
    rv_plot_range_x(plot, 0, 3);
    float_ball(report, 200, plot, 1);
    float_ball(report, 500, plot, 2);
    float_ball(report, 800, plot, 3);
    lie_still(report);
}

const rv_case rv_case_draught = {
    .name = "draught",
    .title = "Draught",
    .about = "balls float at Archimedes' draught, and lie still on the ground",
    .text = "A ball of 60 mm radius is dropped into a tank with 0.2 m of liquid and left to "
            "float: how deep it lies under the level far from it, mean of the last 1.5 s, "
            "against Archimedes. Then a heavy ball on the ground of a lake, which must not "
            "move.\n\n"
            "To rely on: what floats, and how deep. How a ball bobs is only like the real "
            "thing: pressure is hydrostatic, and the mass of liquid that goes along with it is "
            "an estimate.",
    .run = check_draught,
};

// ---- Sinking ------------------------------------------------------------------------------------

// Where weight, buoyancy and drag balance: (m - ρ V) g = 6 π μ r v + ½ ρ C π r² v².
static double balance(double r, double density, double drag, double viscosity)
{
    double net = (density - DENSITY) * ball_volume(r) * GRAVITY;
    double a = 0.5 * DENSITY * drag * PI * r * r, b = 6 * PI * DENSITY * viscosity * r;
    return a > 0 ? (-b + sqrt(b * b + 4 * a * net)) / (2 * a) : net / b;
}

static void sink(rv_report *report, double radius, double density, double viscosity, double dt)
{
    rv_solid_def ground = rv_verify_box(RV_UNION, -5, 5, -5, 5, -5, -4);
    rv_body_def ball = rv_default_body_def();
    rv_fill_def fill = rv_default_fill_def();
    rv_world_def def = rv_verify_def();
    def.params.grid_nx = def.params.grid_ny = 24, def.params.grid_dx = DX;
    def.params.grid_bottom = -4, def.params.grid_top = 0.2, def.params.gravity.z = -GRAVITY;
    def.params.grid_stretch = 10, def.params.liquid_density = DENSITY;
    def.params.liquid_viscosity = viscosity;
    fill.level = 0;
    def.solids = &ground, def.solid_count = 1, def.fills = &fill, def.fill_count = 1;
    ball.radius = radius, ball.density = density, ball.at.z = -0.3;
    def.bodies = &ball, def.body_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    if (!world) return;
    double exact = balance(radius, density, ball.drag, viscosity);
    rv_verify_run(report, world, dt, 1.2);
    rv_report_add(report, -state_of(world).velocity.z, exact, 0.02,
                  "radius %g m, %g kg/m3, viscosity %g m2/s, m/s", radius, density, viscosity);
    rv_world_destroy(world);
}

static void check_sinking(rv_report *report)
{
    sink(report, 0.02, 1500, 0, 3e-3);
    sink(report, 0.02, 3000, 1e-6, 3e-3);
    sink(report, 0.02, 3000, 5e-3, 3e-3);
    sink(report, 0.01, 1500, 0.05, 9e-3);
}

const rv_case rv_case_sinking = {
    .name = "sinking",
    .title = "Sinking",
    .about = "a ball sinks where weight, buoyancy and drag balance",
    .text = "A ball sinks in deep liquid until weight, buoyancy and drag balance, (m - ρ V) g = 6 "
            "π μ r v + ½ ρ C π r² v²: from drag that is all inertia to drag that is all "
            "viscosity.",
    .run = check_sinking,
};

// ---- Momentum -----------------------------------------------------------------------------------

#define THROW_CELLS 100

// Velocities stand half a substep after the depths that a push on them counts with: `depth` is that
// of before the step, which has one substep.
static double liquid_momentum(const rv_world *world, const float *depth)
{
    rv_columns c;
    double sum = 0;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x + 1 < c.nx; x++) {
            size_t k = rv_slot(c.plane, x, y);
            sum += 0.5 * ((double)depth[k] + (double)depth[k + 1]) * (double)c.speed_x[k];
        }
    return DENSITY * c.dx * c.dx * sum;
}

static bool keep_depths(const rv_world *world, float *depth, size_t room)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK || c.slots > room) return false;
    for (size_t i = 0; i < c.slots; i++) depth[i] = c.depth[i];
    return true;
}

// A ball thrown flat into still liquid, until its waves reach a wall.
static void throw_ball(rv_report *report, double drag)
{
    rv_body_def ball = rv_default_body_def();
    ball.radius = 0.05, ball.at = (rv_vec3){-0.1, 0, LEVEL + 0.04}, ball.velocity.x = 1;
    ball.drag = drag;
    rv_world *world = make_tank(report, THROW_CELLS, &ball, 1);
    size_t room = (THROW_CELLS + 48) * (THROW_CELLS + 4);
    float *depth = malloc(room * sizeof *depth);
    double mass = ball.density * ball_volume(ball.radius), worst = 0, given = 0;
    for (int i = 0; world && depth && i < 210; i++) {
        if (!keep_depths(world, depth, room) || rv_world_step(world, 1e-3) != RV_OK) break;
        given = liquid_momentum(world, depth);
        worst = fmax(worst, fabs(given + mass * state_of(world).velocity.x - mass));
    }
    rv_report_add(report, mass + worst, mass, 1e-3, "ball and liquid, drag %g, kg m/s", drag);
    rv_report_add(report, given / mass, 0, NAN, "share of it that the liquid has, drag %g", drag);
    rv_world_destroy(world);
    free(depth);
}

static void check_momentum(rv_report *report)
{
    throw_ball(report, 0.5);
    throw_ball(report, 0);
}

const rv_case rv_case_momentum = {
    .name = "momentum",
    .title = "Momentum",
    .about = "what a thrown ball loses the liquid gains",
    .text = "A ball is thrown flat into still liquid at 1 m/s; until its waves reach a wall, what "
            "it and the liquid have together must stay what it had. With drag, and with the "
            "pressure of the heads alone. The row gives the worst of all steps.",
    .run = check_momentum,
};

// ---- Energy -------------------------------------------------------------------------------------

// What the liquid in a body's place would need to get out of it: up to the level around, or, where
// the body is under water, past it.
static double way_out(const rv_columns *c, rv_vec3 at, double radius, double level)
{
    const int fine = 4;
    double area = c->dx * c->dx / (fine * fine), sum = 0;
    for (int y = 0; y < fine * c->ny; y++)
        for (int x = 0; x < fine * c->nx; x++) {
            double dx = c->x0 + (x + 0.5) * c->dx / fine - at.x;
            double dy = c->y0 + (y + 0.5) * c->dx / fine - at.y;
            double square = radius * radius - dx * dx - dy * dy;
            if (!(square > 0)) continue;
            size_t k = rv_slot(c->plane, x / fine, y / fine);
            double low = fmax(at.z - sqrt(square), (double)c->base[k]);
            double high = at.z + sqrt(square), own = (double)c->base[k] + (double)c->depth[k];
            if (!(own > low) || !(high > low)) continue;
            double up = fmax(level - 0.5 * (low + own), 0);
            sum += area * (own - low) * fmin(high - low, up);
        }
    return sum;
}

static double total_energy(const rv_world *world, const rv_body_def *ball)
{
    rv_columns c;
    rv_body_state b = state_of(world);
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    double mass = ball->density * ball_volume(ball->radius), energy = 0, level = 0;
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++) {
            size_t k = rv_slot(c.plane, x, y), up = k + (size_t)c.plane->pitch;
            double d = (double)c.depth[k], h = (double)c.base[k] + d - LEVEL;
            double u = (double)c.flux_x[k], v = (double)c.flux_y[k];
            energy += 0.5 * DENSITY * GRAVITY * c.dx * c.dx * (h * h + 2 * h * LEVEL);
            if (x + 1 < c.nx) energy += DENSITY * u * u / (d + (double)c.depth[k + 1]);
            if (y + 1 < c.ny) energy += DENSITY * v * v / (d + (double)c.depth[up]);
            if (x == 0 || y == 0) level += h + LEVEL;
        }
    level /= c.nx + c.ny - 1;
    energy += DENSITY * GRAVITY * way_out(&c, b.at, ball->radius, level);
    // half of what it displaces goes along with it, up and down
    double heave = mass + 0.5 * DENSITY * b.submerged;
    energy += 0.5 * mass * (b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y);
    energy += 0.5 * heave * b.velocity.z * b.velocity.z;
    return energy + mass * GRAVITY * (b.at.z - FLOOR);
}

// Nothing takes energy out of the liquid here; what a ball brings may change hands and be lost to
// drag, no more.
static void drop_ball(rv_report *report, double density, double height)
{
    rv_body_def ball = rv_default_body_def();
    ball.radius = 0.05, ball.density = density, ball.at.z = LEVEL + height, ball.restitution = 0;
    rv_world *world = make_tank(report, 60, &ball, 1);
    if (!world) return;
    double mass = density * ball_volume(ball.radius), start = total_energy(world, &ball), most = 0;
    for (int i = 0; i < (report->quick ? 300 : 2000); i++) {
        if (rv_world_step(world, 3e-3) != RV_OK) break;
        if (i % 5 == 0) most = fmax(most, total_energy(world, &ball) - start);
    }
    // of the energy it has over a ball that lies on the ground
    double brought = mass * GRAVITY * (LEVEL + height - FLOOR - ball.radius);
    rv_report_add(report, most / brought, 0, 0.02,
                  "gained, %g kg/m3 from %g m, share of what it had", density, height);
    rv_world_destroy(world);
}

static void check_energy(rv_report *report)
{
    drop_ball(report, 300, 0.08);
    drop_ball(report, 300, 0.4);
    drop_ball(report, 800, 0.3);
    drop_ball(report, 3000, 0.3);
}

const rv_case rv_case_energy = {
    .name = "energy",
    .title = "Energy",
    .about = "a ball that drops into a tank brings no more energy than it has",
    .text = "Nothing takes energy out of this liquid. A ball dropped in brings some; what both "
            "have, potential and kinetic, may be less later and never more. The row gives the "
            "most by which it was above, as a share of what there was.",
    .run = check_energy,
};

// ---- Response -----------------------------------------------------------------------------------

// tank paper §6: the higher the viscosity quotient, the weaker the liquid answers to a ball that
// drops in.
static double response(rv_report *report, double quotient)
{
    rv_solid_def ground = rv_verify_box(RV_UNION, -5, 5, -5, 5, -1, FLOOR);
    rv_fill_def fill = rv_default_fill_def();
    rv_body_def ball = rv_default_body_def();
    rv_world_def def = rv_verify_def();
    def.params.grid_nx = def.params.grid_ny = 60, def.params.grid_dx = DX;
    def.params.grid_top = 0.8, def.params.pipes_area = RV_AREA_CELL;
    def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT, def.params.pipes_quotient = quotient;
    def.params.pipes_kept = 1, def.params.pipes_kept_step = 0.93, def.params.time_step = 0.02;
    fill.level = LEVEL;
    def.solids = &ground, def.solid_count = 1, def.fills = &fill, def.fill_count = 1;
    ball.radius = 0.06, ball.density = 3000, ball.at.z = LEVEL + 0.2;
    def.bodies = &ball, def.body_count = 1;
    rv_world *world = rv_verify_world(report, &def);
    double most = 0;
    for (int i = 0; world && i < 60; i++) {
        rv_columns c;
        double sum = 0;
        if (rv_world_step(world, 0.02) != RV_OK || rv_world_get_columns(world, &c) != RV_OK) break;
        for (int y = 0; y < c.ny; y++)
            for (int x = 0; x < c.nx; x++) {
                size_t k = rv_slot(c.plane, x, y);
                sum += (double)c.flux_x[k] * (double)c.flux_x[k] +
                       (double)c.flux_y[k] * (double)c.flux_y[k];
            }
        most = fmax(most, sqrt(sum));
    }
    rv_world_destroy(world);
    return most;
}

static void check_response(rv_report *report)
{
    const double quotients[] = {0, 1.0 / 64, 1.0 / 16, 0.25, 1};
    double last = INFINITY, first = 0;
    rv_plot *plot = rv_plot_begin(report, "quotient", "How strongly a tank answers to a ball",
                                  "viscosity quotient V", "greatest flux, share of that at V = 0");
    rv_plot_log(plot);
    rv_plot_key(plot, "bottom left");
    rv_series *series = rv_plot_series(plot, RV_MARK_POINTS, 1, "pipes, eight neighbours");
    int rises = 0;
    for (int i = 0; i < (int)(sizeof quotients / sizeof *quotients); i++) {
        double now = response(report, quotients[i]);
        if (i == 0) first = now;
        rises += !(now < last);
        last = now;
        if (quotients[i] > 0) rv_plot_point(series, quotients[i], now / first);
        rv_report_add(report, now / first, 0, NAN, "greatest flux at V = %g, share of V = 0",
                      quotients[i]);
    }
    rv_report_add(report, rises, 0, 0, "times that it rises with V");
}

const rv_case rv_case_response = {
    .name = "response",
    .title = "Response",
    .about = "the higher the viscosity quotient, the weaker the answer",
    .text = "Tank paper §6: with a higher viscosity quotient V the liquid answers less to the same "
            "ball. "
            "The root of the sum of all squared fluxes, its greatest value in 1.2 s.",
    .run = check_response,
};
