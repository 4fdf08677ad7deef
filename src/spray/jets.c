// Emitters that give droplets: jets, drops, blocks and rain over columns, in particles of one size.
//
// How the points of a jet lie is said in base/jets.h; each has the volume h³ here.
// Drops and blocks are cut into cubes of about h, which together have the volume that was asked
// for.
#include "base/jets.h"
#include "spray/spray.h"

#define PI 3.14159265358979324
#define SHAKE 0.25       // of h, how far off its lattice a particle is put at most
#define DROPS_MOST 10000 // of rain at once

typedef struct giving {
    const rv_emission *of;
    rv_on_grain *each;
    void *user;
    double volume; // m³, that found a place
} giving;

static void give(giving *g, const rv_grain *grain)
{
    if (g->each(g->user, grain)) g->volume += grain->volume;
}

static double length_of(rv_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static void numbers(const rv_emission *of, double rate, double *from, double *to)
{
    rv_jet_numbers(of->time - of->emitter->start, of->dt, rate, from, to);
}

// ---- Jets ---------------------------------------------------------------------------------------

// Disk m, which leaves the mouth at a time.
static void give_disk(giving *g, double m, double when)
{
    const rv_emitter_def *e = g->of->emitter;
    double h = g->of->h, speed = length_of(e->velocity), a[3], b[3];
    rv_vec3 v = e->velocity;
    const double d[3] = {v.x / speed, v.y / speed, v.z / speed};
    int count = rv_jet_points(m, PI * e->radius * e->radius / (h * h));
    rv_jet_across(d, 3, a, b);
    for (int i = 0; i < count; i++) {
        rv_jet_point p = rv_jet_point_at(m, i, count, e->radius, 3);
        double x = p.x, y = p.y, on = 0.5 * h * p.on;
        rv_grain grain = {.velocity = v, .volume = h * h * h, .when = when};
        grain.off = (rv_vec3){x * a[0] + y * b[0], x * a[1] + y * b[1], x * a[2] + y * b[2]};
        grain.at = (rv_vec3){e->at.x + grain.off.x + on * d[0], e->at.y + grain.off.y + on * d[1],
                             e->at.z + grain.off.z + on * d[2]};
        give(g, &grain);
    }
}

static void give_jet(giving *g)
{
    const rv_emission *of = g->of;
    double start = of->emitter->start, per = length_of(of->emitter->velocity) / of->h; // disks/s
    if (!(per > 0)) return;
    double from, to;
    numbers(of, per, &from, &to);
    for (double m = from; m < to && m - from < RV_JET_MOST; m++) give_disk(g, m, start + m / per);
}

// ---- Drops, blocks, rain ------------------------------------------------------------------------

static double chance(const rv_emission *of, double index, int draw)
{
    return rv_spray_chance(of->seed + ((uint64_t)of->number << 32),
                           (uint64_t)index * 4 + (uint64_t)draw);
}

// Cubes of a lattice within a box, and within a ball in it unless the radius is 0; NULL: only
// counts them.
static double fill_box(giving *g, rv_vec3 low, rv_vec3 high, double radius, const rv_grain *like)
{
    const rv_emission *of = g->of;
    const double size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    int n[3];
    double h[3], count = 0;
    for (int a = 0; a < 3; a++) {
        n[a] = (int)fmax(fmin(floor(size[a] / of->h + 0.5), 1000), 1);
        h[a] = size[a] / n[a];
    }
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const double p[3] = {(i + 0.5) * h[0], (j + 0.5) * h[1], (k + 0.5) * h[2]};
                double x = p[0] - 0.5 * size[0], y = p[1] - 0.5 * size[1], z = p[2] - 0.5 * size[2];
                if (radius > 0 && x * x + y * y + z * z > radius * radius) continue;
                if (like) {
                    rv_grain grain = *like;
                    grain.at =
                        (rv_vec3){low.x + p[0] + SHAKE * h[0] * (2 * chance(of, count, 0) - 1),
                                  low.y + p[1] + SHAKE * h[1] * (2 * chance(of, count, 1) - 1),
                                  low.z + p[2] + SHAKE * h[2] * (2 * chance(of, count, 2) - 1)};
                    give(g, &grain);
                }
                count++;
            }
    return count;
}

static void give_ball(giving *g, rv_vec3 at, double radius, double when)
{
    const rv_emitter_def *e = g->of->emitter;
    rv_grain grain = {.at = at, .velocity = e->velocity, .when = when};
    grain.volume = rv_ball_volume(radius);
    if (radius < g->of->h) { // one droplet
        give(g, &grain);
        return;
    }
    rv_vec3 low = {at.x - radius, at.y - radius, at.z - radius};
    rv_vec3 high = {at.x + radius, at.y + radius, at.z + radius};
    grain.volume /= fill_box(g, low, high, radius, NULL);
    fill_box(g, low, high, radius, &grain);
}

// The corners of a box within the grid; false: none of it is.
static bool clip(const rv_emission *of, rv_vec3 *low, rv_vec3 *high)
{
    const rv_grid *g = of->grid;
    const rv_emitter_def *e = of->emitter;
    *low = (rv_vec3){fmax(e->from.x, g->x0), fmax(e->from.y, g->y0), fmax(e->from.z, g->bottom)};
    *high = (rv_vec3){fmin(e->to.x, g->x0 + g->nx * g->dx), fmin(e->to.y, g->y0 + g->ny * g->dx),
                      fmin(e->to.z, g->top)};
    return low->x <= high->x && low->y <= high->y && low->z <= high->z;
}

static void give_block(giving *g)
{
    rv_vec3 low, high;
    if (!clip(g->of, &low, &high)) return;
    double volume = (high.x - low.x) * (high.y - low.y) * (high.z - low.z);
    if (!(volume > 0)) return;
    rv_grain grain = {.velocity = g->of->emitter->velocity, .when = g->of->time};
    grain.volume = volume / fill_box(g, low, high, 0, NULL);
    fill_box(g, low, high, 0, &grain);
}

// Drop m falls when the rate has brought m of them.
static void give_rain(giving *g)
{
    const rv_emission *of = g->of;
    const rv_emitter_def *e = of->emitter;
    double rate = e->rate / rv_ball_volume(e->radius); // 1/s
    double from, to;
    rv_vec3 low, high;
    numbers(of, rate, &from, &to);
    if (!clip(of, &low, &high)) return;
    for (double m = from; m < to && m - from < DROPS_MOST; m++) {
        rv_vec3 at = {low.x + (high.x - low.x) * chance(of, m, 0),
                      low.y + (high.y - low.y) * chance(of, m, 1),
                      low.z + (high.z - low.z) * chance(of, m, 2)};
        give_ball(g, at, e->radius, e->start + m / rate);
    }
}

double rv_spray_emit(const rv_emission *of, rv_on_grain *each, void *user)
{
    giving g = {of, each, user, 0};
    switch (of->emitter->kind) {
    case RV_EMITTER_BLOCK:
        give_block(&g);
        break;
    case RV_EMITTER_DROP:
        give_ball(&g, of->emitter->at, of->emitter->radius, of->time);
        break;
    case RV_EMITTER_JET:
        give_jet(&g);
        break;
    case RV_EMITTER_RAIN:
        give_rain(&g);
        break;
    }
    return g.volume;
}
