// Jets of particles on a plate of columns: what they bring, and the film that they make.
//
// A frictionless jet of radius a and speed v that falls straight on a plate leaves as a film as
// fast as the jet, since nothing is lost along its free surface: u = v, depth a²/(2r), and the
// momentum that the film carries outward through any circle is ρ Q v, the thrust. One that comes at
// an angle gives the film what it has along the plate. Where the film is slowed by friction it
// jumps up to thicker liquid, at a radius of about 0.73 q^(5/8) ν^(-3/8) g^(-1/8), q = Q/(2π)
// (Bohr, Dimon and Putkaradze 1993).
#include "verify.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define STEP 2e-3
#define PLATE 5e-3 // m, height of the plate

typedef struct jet {
    double dx, radius, speed, angle, viscosity; // m, m/s, rad from straight down, m²/s
    int n;                                      // cells along a side
    double high;                                // m, from the mouth to the plate
    double pool;                                // m, of liquid on the plate at first
} jet;

static rv_world *make_jet(rv_report *report, const jet *j)
{
    rv_world_def def = rv_verify_def();
    rv_solid_def plate = rv_default_solid_def();
    rv_emitter_def mouth = rv_default_emitter_def();
    rv_params *p = &def.params;
    p->grid_nx = p->grid_ny = j->n, p->grid_dx = j->dx, p->grid_top = 0.1;
    p->border_west = p->border_east = p->border_south = p->border_north = RV_BORDER_OPEN;
    p->liquid_viscosity = j->viscosity, p->pipes_kept = 1;
    p->spray_impact = true, p->spray_drag = 0, p->spray_droplets = 100000;
    plate.shape = RV_SHAPE_PLANE, plate.at.z = PLATE;
    mouth.kind = RV_EMITTER_JET, mouth.radius = j->radius;
    mouth.velocity = (rv_vec3){j->speed * sin(j->angle), 0, -j->speed * cos(j->angle)};
    mouth.at = (rv_vec3){-j->high * tan(j->angle), 0, PLATE + j->high};
    rv_fill_def pool = rv_default_fill_def();
    pool.level = PLATE + j->pool;
    def.fills = &pool, def.fill_count = j->pool > 0 ? 1 : 0;
    def.solids = &plate, def.solid_count = 1, def.emitters = &mouth, def.emitter_count = 1;
    return rv_verify_world(report, &def);
}

static double volume_error(const rv_world *world, double first)
{
    rv_stats s = rv_verify_stats(world);
    double in = s.sourced + first;
    return (s.volume + s.airborne + s.held + s.drained - in) / in;
}

// Of the film between two radii: flow and momentum outward through a circle, m³/s and m⁴/s², mean
// speed, m/s, and depth, m.
typedef struct film {
    double flow, thrust, speed, depth;
} film;

static film film_between(const rv_world *world, const jet *j, double low, double high)
{
    rv_columns c;
    film f = {0, 0, 0, 0};
    double sum = 0, cells = 0;
    if (rv_world_get_columns(world, &c) != RV_OK) return f;
    for (int k = 0; k < j->n * j->n; k++) {
        int x = k % j->n, y = k / j->n;
        size_t slot = c.plane[0].offset + (size_t)(y - c.plane[0].y0) * (size_t)c.plane[0].pitch +
                      (size_t)(x - c.plane[0].x0);
        double px = c.x0 + (x + 0.5) * c.dx, py = c.y0 + (y + 0.5) * c.dx, r = hypot(px, py);
        float u[2];
        if (r < low || r >= high) continue;
        rv_world_get_column_velocity(world, slot, u);
        double out = ((double)u[0] * px + (double)u[1] * py) / r, deep = (double)c.depth[slot];
        f.flow += 2 * PI * r * deep * out, f.thrust += 2 * PI * r * deep * out * out;
        sum += deep * out, f.depth += deep, cells++;
    }
    f.speed = f.depth > 0 ? sum / f.depth : 0;
    f.flow /= cells, f.thrust /= cells, f.depth /= cells;
    return f;
}

static film mean_film(rv_report *report, rv_world *world, const jet *j, double low, double high)
{
    film sum = {0, 0, 0, 0};
    const int times = 60;
    for (int i = 0; i < times; i++) {
        if (!rv_verify_run(report, world, STEP, STEP)) break;
        film f = film_between(world, j, low, high);
        sum.flow += f.flow / times, sum.thrust += f.thrust / times;
        sum.speed += f.speed / times, sum.depth += f.depth / times;
    }
    return sum;
}

static void straight(rv_report *report, double dx, double radius, double speed, double tolerance)
{
    jet j = {.dx = dx, .radius = radius, .speed = speed, .high = 10e-3};
    j.n = (int)lround(12 * radius / dx);
    rv_world *world = make_jet(report, &j);
    if (world && rv_verify_run(report, world, STEP, 0.1)) {
        double v = sqrt(speed * speed + 2 * GRAVITY * j.high), flow = PI * radius * radius * speed;
        film f = mean_film(report, world, &j, 3 * radius, 4 * radius);
        int cells = (int)lround(radius / dx);
        rv_report_add(report, f.speed / v, 1, tolerance,
                      "jet of %d cells, %g m/s: film over jet, speed", cells, speed);
        rv_report_add(report, f.thrust / (flow * v), 1, tolerance,
                      "jet of %d cells, %g m/s: outward momentum over thrust", cells, speed);
        rv_report_add(report, f.flow / flow, 1, 0.02, "jet of %d cells, %g m/s: flow", cells,
                      speed);
        rv_report_add(report, volume_error(world, 0), 0, 1e-6, "jet of %d cells, %g m/s: volume",
                      cells, speed);
    }
    rv_world_destroy(world);
}

// Volume times velocity of all liquid along x, m⁴/s: of the film, and of what flies or lands.
static double momentum_of(const rv_world *world, int n)
{
    rv_columns c;
    rv_droplets d;
    double sum = 0;
    if (rv_world_get_columns(world, &c) != RV_OK || !c.speed_x) return NAN;
    for (int y = 0; y < n; y++)
        for (int x = 0; x + 1 < n; x++) {
            size_t slot = c.plane[0].offset +
                          (size_t)(y - c.plane[0].y0) * (size_t)c.plane[0].pitch +
                          (size_t)(x - c.plane[0].x0);
            double deep = 0.5 * ((double)c.depth[slot] + (double)c.depth[slot + 1]);
            sum += deep * (double)c.speed_x[slot] * c.dx * c.dx;
        }
    if (rv_world_get_droplets(world, &d) != RV_OK) return NAN;
    for (int i = 0; i < d.count; i++)
        sum += 4 * PI / 3 * d.radius[i] * d.radius[i] * d.radius[i] * d.velocity[i].x;
    return sum;
}

// All that the jet brought along the plate is in the liquid, while nothing has reached the borders;
// at the fronts of a film on a dry plate a little is lost.
static void slanting(rv_report *report, double angle, double pool)
{
    jet j = {.pool = pool,
             .dx = 2e-3,
             .radius = 8e-3,
             .speed = 2,
             .angle = angle,
             .n = 160,
             .high = 12e-3};
    rv_world *world = make_jet(report, &j);
    double first = world ? rv_verify_stats(world).volume : 0;
    if (world && rv_verify_run(report, world, STEP, 0.04)) {
        const char *on = pool > 0 ? "into a pool" : "on a dry plate";
        double all = rv_verify_stats(world).sourced * j.speed;
        rv_report_add(report, momentum_of(world, j.n) / all - sin(angle), 0, 0.01,
                      "%.0f degrees off, %s: momentum along it over all, off by", angle * 180 / PI,
                      on);
        rv_report_add(report, volume_error(world, first), 0, 1e-6, "%.0f degrees off, %s: volume",
                      angle * 180 / PI, on);
    }
    rv_world_destroy(world);
}

// Where the film is steepest, seen from the jet: the mean depth of rings.
static double jump_of(const rv_world *world, const jet *j)
{
    double best = 0, at = NAN, before = NAN;
    for (double r = 3 * j->radius; r < 0.45 * j->n * j->dx; r += j->dx) {
        double deep = film_between(world, j, r, r + 2 * j->dx).depth;
        if (deep - before > best) best = deep - before, at = r + 0.5 * j->dx;
        before = deep;
    }
    return at;
}

static void jumping(rv_report *report)
{
    jet j = {.dx = 1e-3, .radius = 3e-3, .speed = 1, .viscosity = 4e-6, .n = 120, .high = 10e-3};
    rv_world *world = make_jet(report, &j);
    if (world && rv_verify_run(report, world, STEP, 1)) {
        double q = 0.5 * j.radius * j.radius * j.speed;
        double exact = 0.73 * pow(q, 0.625) * pow(j.viscosity, -0.375) * pow(GRAVITY, -0.125);
        rv_report_add(report, jump_of(world, &j), exact, NAN, "radius of the jump, m");
    }
    rv_world_destroy(world);
}

static void check_landing(rv_report *report)
{
    straight(report, 2e-3, 8e-3, 2, 0.1);
    slanting(report, 45 * PI / 180, 0.02);
    slanting(report, 45 * PI / 180, 0);
    if (report->quick) return;
    straight(report, 1e-3, 8e-3, 2, 0.1);
    straight(report, 1e-3, 4e-3, 3, 0.1);
    straight(report, 1e-3, 4e-3, 1, NAN); // slow: what stands under it is deep
    slanting(report, 20 * PI / 180, 0.02);
    jumping(report);
}

const rv_case rv_case_landing = {
    .name = "landing",
    .title = "A jet on a plate",
    .about = "particles become a film: volume, momentum, the film's speed",
    .text = "A jet of particles falls on a plate and goes on as a film of columns "
            "(`spray.impact`). Without friction the film leaves as fast as the jet came, and "
            "carries "
            "the jet's thrust ρQv outward; one that comes at an angle gives it its momentum "
            "along the plate. Nothing is lost at the hand-over. Where friction slows the film it "
            "jumps; the radius is set beside 0.73 q^(5/8) ν^(-3/8) g^(-1/8), q = Q/(2π), the "
            "scaling of Bohr, Dimon and Putkaradze (1993), and only informs.\n\n"
            "To rely on: volume and momentum, and the speed of the film to a tenth. Under the jet "
            "itself depths are those of liquid that mixes, not of a jet that turns; the slower the "
            "jet, "
            "the slower the film beside it.",
    .run = check_landing,
};
