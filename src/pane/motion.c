// Where drops go (glass paper §4): forces, the way they choose, the droplets they leave.
//
// A drop of volume V is pulled by gravity along the pane and by wind, held by friction:
//     a = |f| - F(affinity) V_static g / V,   dv/dt = a - k v
// solved exactly over a substep. It chooses a way once every three cells of the paper (glass.look),
// not once a step, and turns into it over its own radius, so the path does not depend on the step.
// What it leaves behind is a rate, integrated over time (Eq. 1 in the limit of small steps).
#include "pane/glass.h"

#define AIR 1.2         // kg/m³
#define FRONT 0.76      // area that wind meets over volume^(2/3), of caps of 40 to 60 degrees
#define SLOWEST 1e-4    // m/s; slower drops stand
#define FASTEST 20.0    // m/s
#define LOOKS 3         // samples along each side of a region (§4.1, Fig. 5)
#define EVEN 1e-4       // difference of affinities that is none
#define LEAST_LEFT 0.25 // of glass.static; a smaller drop leaves nothing behind

typedef struct pull {
    double x, y, size; // unit, m/s²
} pull;

// Gravity along the pane, and the wind's pressure over the mass.
static pull pull_on(const rv_glass *s, double volume)
{
    const rv_params *p = &s->params;
    double sine, cosine,
        wind = sqrt(p->glass_wind_x * p->glass_wind_x + p->glass_wind_y * p->glass_wind_y);
    rv_sine(p->glass_tilt, &sine, &cosine);
    double press = 0.5 * AIR * FRONT * wind / (p->liquid_density * rv_cube_root(volume));
    rv_vec3 g = rv_glass_gravity(p, sine, cosine);
    double x = press * p->glass_wind_x + g.x, y = press * p->glass_wind_y + g.y;
    double size = sqrt(x * x + y * y);
    if (!(size > 0.0)) return (pull){0.0, -1.0, 0.0};
    return (pull){x / size, y / size, size};
}

void rv_glass_aim(rv_glass *s)
{
    pull f = pull_on(s, s->params.glass_static);
    s->down_x = f.x, s->down_y = f.y;
}

// ---- The way ------------------------------------------------------------------------------------

typedef struct ahead {
    double water, affinity;
} ahead;

static ahead look_at(const rv_glass *s, int self, double x, double y)
{
    ahead sum = {0.0, 0.0};
    for (int j = 0; j < LOOKS; j++) {
        for (int i = 0; i < LOOKS; i++) {
            double px = x + (i - 1) * s->params.glass_look, py = y + (j - 1) * s->params.glass_look;
            double cx = floor((px - s->x0) / s->dx), cy = floor((py - s->y0) / s->dx);
            sum.affinity += rv_glass_affinity_at(s, px, py);
            if (!(cx >= 0.0 && cx < s->nx && cy >= 0.0 && cy < s->ny)) continue;
            size_t cell = rv_cell(s, (int)cx, (int)cy);
            if (s->id[cell] != self) sum.water += (double)s->height[cell];
        }
    }
    return sum;
}

// Three regions side by side in front of the drop: that with most water; else that with most
// affinity; else any way that points down (§4.1).
static void choose_way(const rv_glass *s, int self, pull f)
{
    rv_drop *d = &s->drops[self];
    const double aside[3] = {0.0, -3.0, 3.0};
    double look = s->params.glass_look, reach = d->radius + 1.5 * look, best_x = f.x, best_y = f.y;
    ahead best = {0.0, 0.0};
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        double x = reach * f.x - aside[k] * look * f.y, y = reach * f.y + aside[k] * look * f.x;
        double far = sqrt(x * x + y * y);
        ahead a = look_at(s, self, d->x + x, d->y + y);
        least = fmin(least, a.affinity), most = fmax(most, a.affinity);
        bool better = a.water > best.water || (!(best.water > 0.0) && !(a.water > 0.0) &&
                                               a.affinity > best.affinity + EVEN);
        if (k == 0 || better) best = a, best_x = x / far, best_y = y / far;
    }
    if (!(best.water > 0.0) && most - least <= EVEN) {
        double sine, cosine;
        rv_sine((rv_drop_chance(s, d) - 0.5) * 0.5 * RV_PI, &sine, &cosine);
        best_x = cosine * f.x - sine * f.y, best_y = sine * f.x + cosine * f.y;
    }
    d->toward_x = best_x, d->toward_y = best_y;
}

// Goes `distance` along a way that turns.
static void walk(const rv_glass *s, int self, pull f, double distance)
{
    rv_drop *d = &s->drops[self];
    while (distance > 0.0) {
        if (!(d->choose > 0.0)) {
            choose_way(s, self, f);
            d->choose = LOOKS * s->params.glass_look;
        }
        double part = fmin(distance, d->choose);
        double turn = 1.0 - rv_decay(part / fmax(d->radius, s->params.glass_look));
        double x = d->way_x + turn * (d->toward_x - d->way_x);
        double y = d->way_y + turn * (d->toward_y - d->way_y), size = sqrt(x * x + y * y);
        if (size > 1e-6) d->way_x = x / size, d->way_y = y / size;
        d->x += part * d->way_x, d->y += part * d->way_y;
        d->choose -= part, distance -= part, d->apart += part;
    }
}

// ---- Droplets left behind -----------------------------------------------------------------------

// A share of the drop, behind it on its trail, small enough to stay (§4.2, Algorithm 1).
static void leave(rv_glass *s, int self, double affinity)
{
    const rv_params *p = &s->params;
    rv_drop *d = &s->drops[self];
    double volume = rv_drop_volume(d);
    if (volume < LEAST_LEFT * p->glass_static) return;
    double share = p->glass_residual * (0.5 + rv_drop_chance(s, d)) * fmin(1.0, 2.0 * affinity);
    double part = fmin(share * volume, p->glass_static * fmin(1.0, rv_glass_hold(affinity)));
    double radius = rv_cap_radius(part, 1, rv_glass_contact(s, affinity));
    double gap = d->radius + radius + 2.0 * s->dx;
    double x = d->x - gap * d->way_x, y = d->y - gap * d->way_y;
    if (d->apart < 2.0 * radius || !(part / RV_QUANTUM >= 1.0)) return;
    if (!(x > s->x0 && x < s->x0 + s->nx * s->dx && y > s->y0 && y < s->y0 + s->ny * s->dx)) return;
    int child = rv_glass_add_drop(s, x, y, (int64_t)(part / RV_QUANTUM));
    if (child < 0) return;
    d = &s->drops[self];
    d->volume -= s->drops[child].volume;
    d->since = 0.0, d->apart = 0.0;
    d->patience = -rv_ln(1.0 - rv_drop_chance(s, d));
}

// The rate is β/τ min(1, t/τ) at a time t after the last one (Eq. 1), here over the whole substep.
static double rate_between(const rv_params *p, double from, double to)
{
    double tau = p->glass_residual_time, a = fmin(from, tau), b = fmin(to, tau);
    double rising = 0.5 * (b * b - a * a) / (tau * tau);
    double full = (fmax(to, tau) - fmax(from, tau)) / tau;
    return p->glass_residual_rate * (rising + full);
}

// ---- A substep ----------------------------------------------------------------------------------

static void run(rv_glass *s, int self, double dt)
{
    const rv_params *p = &s->params;
    rv_drop *d = &s->drops[self];
    double volume = rv_drop_volume(d), affinity = rv_glass_affinity_at(s, d->x, d->y);
    double holds = p->glass_static * rv_glass_hold(affinity) * RV_WEIGHT / volume; // m/s²
    pull f = pull_on(s, volume);
    if (d->state != RV_DROP_RUNS && f.size <= holds && !(d->speed > 0.0)) return;
    if (d->state == RV_DROP_RESTS) rv_glass_loosen(s, self);
    double a = f.size - p->glass_kinetic * holds, before = d->speed, k = p->glass_drag;
    double kept = rv_decay(k * dt), end = k * dt > 1e-6 ? a / k : 0.0;
    d->speed = k * dt > 1e-6 ? end + (before - end) * kept : before + a * dt;
    d->speed = fmin(d->speed, FASTEST);
    d->state = RV_DROP_RUNS;
    if (!(d->speed > SLOWEST)) {
        d->speed = 0.0, d->state = RV_DROP_SETTLES;
        return;
    }
    walk(s, self, f, 0.5 * (before + d->speed) * dt);
    d->patience -= rate_between(p, d->since, d->since + dt);
    d->since += dt;
    if (d->patience <= 0.0) leave(s, self, affinity);
}

// Past the edge by more than its size: what is left of it on the pane is its trail, and the rest is
// gone.
static void leave_pane(rv_glass *s, rv_drop *d)
{
    double far = d->radius + s->dx, x = d->x - s->x0, y = d->y - s->y0;
    bool in = x > -far && y > -far && x < s->nx * s->dx + far && y < s->ny * s->dx + far;
    if (in && d->state != RV_DROP_LEAVES) return;
    double shown = rv_units_volume(s, d->drawn) / RV_QUANTUM;
    int64_t left = shown < (double)d->volume ? (int64_t)shown : d->volume;
    rv_glass_went(s, &s->clock.over, d->volume - left);
    d->volume = left, d->state = RV_DROP_LEAVES;
    if (d->drawn == 0 || left == 0) {
        rv_glass_went(s, &s->clock.over, d->volume);
        d->volume = 0;
        s->dead[d - s->drops] = 1;
    }
}

void rv_glass_move(rv_glass *s, double dt)
{
    int count = s->count; // droplets that are left do not move yet
    for (int i = 0; i < count; i++) {
        if (s->dead[i]) continue;
        if (s->drops[i].state != RV_DROP_LEAVES) run(s, i, dt);
        if (s->drops[i].state != RV_DROP_RESTS) leave_pane(s, &s->drops[i]);
    }
}
