// A wiper and a finger, which push water before them.
//
// Drops that they meet are moved to the side where they go, and become one with what is there
// already; trails under them are swept into the drops that own them. So no water is lost. The blade
// leaves a share of what it pushes behind it as droplets. Both wipe off the mist.
#include "pane/glass.h"

#define BLADE 1.5e-3      // m, half the width of the blade
#define LEAVES_EVERY 6e-3 // m that the blade pushes a drop between two droplets
#define SLIDES 0.5        // how fast a drop slides off a finger, over the finger's way
#define LEAST_LEFT 2e-11  // m³, the smallest drop that leaves some

// Half the extent of what a drop covers (m).
static double reach_of(const rv_glass *s, const rv_drop *d)
{
    int wide = d->x1 - d->x0, tall = d->y1 - d->y0;
    double box = 0.45 * (wide > tall ? wide : tall) * s->dx;
    return d->state == RV_DROP_RUNS ? d->radius : fmax(d->radius, fmin(box, 2.0 * d->radius));
}

static void place(rv_glass *s, int drop, double x, double y)
{
    rv_drop *d = &s->drops[drop];
    if (d->state == RV_DROP_RESTS) rv_glass_loosen(s, drop);
    d->state = RV_DROP_SETTLES, d->speed = 0.0;
    d->x = d->last_x = x, d->y = d->last_y = y;
}

static void clear_cell(rv_glass *s, int x, int y)
{
    size_t cell = rv_cell(s, x, y);
    rv_set_mist(s, x, y, 0.0f);
    if (rv_is_loose(s, cell)) rv_set_dry(s, x, y);
}

// Cells whose middles are in a box (m), cut at the pane's edges.
static rv_rect cells_in(const rv_glass *s, double x0, double y0, double x1, double y1)
{
    double left = fmax(0.0, ceil((x0 - s->x0) / s->dx - 0.5));
    double low = fmax(0.0, ceil((y0 - s->y0) / s->dx - 0.5));
    double right = fmin(s->nx, floor((x1 - s->x0) / s->dx + 0.5));
    double high = fmin(s->ny, floor((y1 - s->y0) / s->dx + 0.5));
    if (!(left < right && low < high)) return (rv_rect){0, 0, 0, 0};
    return (rv_rect){(int)left, (int)low, (int)right, (int)high};
}

// ---- The finger ---------------------------------------------------------------------------------

typedef struct stroke {
    double x0, y0, x1, y1; // m
    double radius;
} stroke;

static double distance_to(const stroke *k, double x, double y)
{
    double ax = k->x1 - k->x0, ay = k->y1 - k->y0, px = x - k->x0, py = y - k->y0;
    double length = ax * ax + ay * ay;
    double t = length > 0.0 ? fmin(fmax((px * ax + py * ay) / length, 0.0), 1.0) : 0.0;
    px -= t * ax, py -= t * ay;
    return sqrt(px * px + py * py);
}

// Before the finger where it is now, as far aside of its way as the drop was, and a little more, so
// that it slides off in the end; a drop behind its start is only pushed away from there.
static void push_by_finger(rv_glass *s, const stroke *k, int drop)
{
    const rv_drop *d = &s->drops[drop];
    double reach = reach_of(s, d), far = k->radius + reach + s->dx;
    double ax = k->x1 - k->x0, ay = k->y1 - k->y0, length = sqrt(ax * ax + ay * ay);
    double x = d->x - k->x0, y = d->y - k->y0, size = sqrt(x * x + y * y);
    if (distance_to(k, d->x, d->y) >= k->radius + reach) return;
    if (length > 0.0) ax /= length, ay /= length;
    if (!(length > 0.0) || x * ax + y * ay < 0.0) {
        if (!(size > 0.0)) x = s->down_x, y = s->down_y, size = 1.0;
        place(s, drop, k->x0 + far * x / size, k->y0 + far * y / size);
        return;
    }
    double aside = y * ax - x * ay;
    aside += SLIDES * length * aside / far;
    aside = fmin(fmax(aside, -far), far);
    double before = sqrt(far * far - aside * aside);
    place(s, drop, k->x1 + before * ax - aside * ay, k->y1 + before * ay + aside * ax);
}

static void finger(rv_glass *s)
{
    const rv_solver_rod *rod = &s->rod;
    double from = 1.0 - (double)s->substeps_left / s->substeps;
    double to = from + 1.0 / s->substeps;
    stroke k = {.x0 = rod->from.x + from * (rod->to.x - rod->from.x),
                .y0 = rod->from.y + from * (rod->to.y - rod->from.y),
                .x1 = rod->from.x + to * (rod->to.x - rod->from.x),
                .y1 = rod->from.y + to * (rod->to.y - rod->from.y),
                .radius = rod->radius};
    for (int i = 0; i < s->count; i++)
        if (!s->dead[i] && s->drops[i].state != RV_DROP_LEAVES) push_by_finger(s, &k, i);
    rv_rect r = cells_in(s, fmin(k.x0, k.x1) - k.radius, fmin(k.y0, k.y1) - k.radius,
                         fmax(k.x0, k.x1) + k.radius, fmax(k.y0, k.y1) + k.radius);
    for (int y = r.y0; y < r.y1; y++)
        for (int x = r.x0; x < r.x1; x++)
            if (distance_to(&k, s->x0 + (x + 0.5) * s->dx, s->y0 + (y + 0.5) * s->dx) < k.radius)
                clear_cell(s, x, y);
    s->has_rod = s->substeps_left > 1;
}

// ---- The wiper ----------------------------------------------------------------------------------

double rv_glass_wiper_angle(const rv_params *p, double time)
{
    double cycle = p->glass_wiper_period + p->glass_wiper_pause, sine, cosine;
    double t = fmin(time - cycle * floor(time / cycle), p->glass_wiper_period);
    rv_sine(2.0 * RV_PI * t / p->glass_wiper_period, &sine, &cosine);
    return p->glass_wiper_from + (p->glass_wiper_to - p->glass_wiper_from) * 0.5 * (1.0 - cosine);
}

typedef struct sweep {
    double x, y;         // m, where it turns
    double inner, outer; // m, of the blade
    double sine, cosine; // of its angle before
    double turn;         // rad, from there
} sweep;

// Polar coordinates around the pivot; the angle from the blade as it was, positive where it goes.
static double ahead_of(const sweep *w, double x, double y, double *radius)
{
    double px = x - w->x, py = y - w->y;
    double u = px * w->cosine + py * w->sine, v = py * w->cosine - px * w->sine;
    *radius = sqrt(u * u + v * v);
    return rv_angle(u, w->turn < 0.0 ? -v : v);
}

static void to_place(const sweep *w, double radius, double ahead, double *x, double *y)
{
    double sine, cosine, angle = w->turn < 0.0 ? -ahead : ahead;
    rv_sine(angle, &sine, &cosine);
    double u = radius * cosine, v = radius * sine;
    *x = w->x + u * w->cosine - v * w->sine;
    *y = w->y + u * w->sine + v * w->cosine;
}

// A droplet behind the blade.
static void leave_behind(rv_glass *s, const sweep *w, int drop, double radius)
{
    rv_drop *d = &s->drops[drop];
    double share = s->params.glass_wiper_film * d->apart / 0.1;
    double part = fmin(share, 0.5) * (0.5 + rv_drop_chance(s, d)) * rv_drop_volume(d);
    double reach = fmax(d->radius, s->dx), x, y;
    d->apart = 0.0;
    if (rv_drop_volume(d) < LEAST_LEFT || !(part > 1e-13)) return;
    radius += (2.0 * rv_drop_chance(s, d) - 1.0) * reach;
    to_place(w, radius, -(BLADE + reach) / fmax(radius, reach), &x, &y);
    int child = rv_glass_add_drop(s, x, y, (int64_t)(part / RV_QUANTUM));
    if (child >= 0) s->drops[drop].volume -= s->drops[child].volume;
}

static void push_by_blade(rv_glass *s, const sweep *w, int drop)
{
    rv_drop *d = &s->drops[drop];
    double radius, x, y, reach = reach_of(s, d), ahead = ahead_of(w, d->x, d->y, &radius);
    if (radius < w->inner - reach || radius > w->outer + reach || radius < reach) return;
    double room = (reach + BLADE) / radius, now = fabs(w->turn) + room;
    if (ahead < -room || ahead >= now) return;
    to_place(w, radius, now, &x, &y);
    place(s, drop, x, y);
    d->apart += (now - ahead) * radius;
    if (d->apart > LEAVES_EVERY) leave_behind(s, w, drop, radius);
}

// Cells between the blade as it was and as it is.
static void clear_sweep(rv_glass *s, const sweep *w)
{
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (int k = 0; k < 6; k++) {
        double x, y;
        to_place(w, k & 1 ? w->outer : w->inner, fabs(w->turn) * 0.5 * (k / 2), &x, &y);
        x0 = fmin(x0, x), y0 = fmin(y0, y), x1 = fmax(x1, x), y1 = fmax(y1, y);
    }
    rv_rect r = cells_in(s, x0 - BLADE, y0 - BLADE, x1 + BLADE, y1 + BLADE);
    for (int y = r.y0; y < r.y1; y++) {
        for (int x = r.x0; x < r.x1; x++) {
            double radius,
                ahead = ahead_of(w, s->x0 + (x + 0.5) * s->dx, s->y0 + (y + 0.5) * s->dx, &radius);
            if (radius < w->inner || radius > w->outer) continue;
            double wide = BLADE / radius;
            if (ahead > -wide && ahead < fabs(w->turn) + wide) clear_cell(s, x, y);
        }
    }
}

static void wiper(rv_glass *s, double dt)
{
    const rv_params *p = &s->params;
    double angle = rv_glass_wiper_angle(p, s->clock.time);
    sweep w = {.x = p->grid_x + p->glass_wiper_x,
               .y = p->grid_y + p->glass_wiper_y,
               .inner = fmin(p->glass_wiper_inner, p->glass_wiper_length),
               .outer = p->glass_wiper_length,
               .turn = rv_glass_wiper_angle(p, s->clock.time + dt) - angle};
    rv_sine(angle, &w.sine, &w.cosine);
    if (w.turn == 0.0) return;
    int count = s->count; // not those that it leaves now
    for (int i = 0; i < count; i++)
        if (!s->dead[i] && s->drops[i].state != RV_DROP_LEAVES) push_by_blade(s, &w, i);
    clear_sweep(s, &w);
}

void rv_glass_tools(rv_glass *s, double dt)
{
    if (s->params.glass_wiper) wiper(s, dt);
    if (s->has_rod) finger(s);
}
