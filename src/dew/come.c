// Where drops come from: rain from above, and condensation.
//
// Rain falls in straight lines, evenly over the grid as it is seen along them. Seeds of condensed
// drops are to be spread evenly over a surface of any shape: lines in random directions through a
// ball around the grid cross every piece of a surface as often as it is large (Crofton), whatever
// way it faces. n lines through a ball of radius R cross a square metre n/(2πR²) times, each way
// counted, half of them going in.
#include "dew/dew.h"

#define CROSSINGS 16      // of one line, at most
#define LINES_MOST 200000 // in a step
#define SURFACE 0.1       // cells: so near to it a line meets the surface

enum { KEY_RAIN = 71, KEY_SEED = 72 };

static double chance(const rv_params *p, uint64_t key, int64_t number, uint32_t draw)
{
    return rv_chance(p->seed, rv_scramble(((uint64_t)number << 8) + key), draw);
}

static double ball_volume(double diameter)
{
    return RV_PI / 6 * diameter * diameter * diameter;
}

// Where raindrops come through the top of the grid: what falls slantwise comes from beside it, too.
typedef struct shower {
    double low_x, low_y, long_x, long_y; // m
    rv_vec3 down;                        // unit
    double rate;                         // drops a second
} shower;

static shower shower_of(const rv_params *p)
{
    double wide = p->grid_nx * p->grid_dx, deep = p->grid_ny * p->grid_dx;
    double high = p->grid_top - p->grid_bottom;
    double aside_x = p->dew_slant_x * high, aside_y = p->dew_slant_y * high;
    shower s = {.long_x = wide + fabs(aside_x), .long_y = deep + fabs(aside_y)};
    s.low_x = p->grid_x - 0.5 * wide - fmax(aside_x, 0);
    s.low_y = p->grid_y - 0.5 * deep - fmax(aside_y, 0);
    rv_vec3 down = {p->dew_slant_x, p->dew_slant_y, -1};
    double size = rv_dew_length(down);
    s.down = (rv_vec3){down.x / size, down.y / size, down.z / size};
    s.rate = p->dew_rain * s.long_x * s.long_y;
    return s;
}

// Raindrop k: where it comes from, how wide it is, and how far it is to where it lands. false: it
// lands beside the grid, or meets no surface.
static bool raindrop(const rv_dew_place *place, const shower *s, int64_t k, rv_vec3 *from,
                     double *wide, double *way)
{
    const rv_params *p = place->params;
    *from = (rv_vec3){s->low_x + s->long_x * chance(p, KEY_RAIN, k, 0),
                      s->low_y + s->long_y * chance(p, KEY_RAIN, k, 1), p->grid_top};
    double share = chance(p, KEY_RAIN, k, 2);
    // most are small, as in real rain: even in the cube root of what they hold would be too few
    *wide = p->dew_smallest + (p->dew_largest - p->dew_smallest) * share * share;
    *way = rv_terrain_cast(place->terrain, *from, s->down);
    if (!(*way < INFINITY)) return false; // beside the grid
    // a line that comes in through the side of the ground meets no surface there
    rv_vec3 at = rv_dew_along(*from, s->down, *way);
    return !(fabs((double)rv_terrain_distance(place->terrain, at)) > SURFACE * p->grid_dx);
}

void rv_dew_rain(rv_dew *dew, const rv_dew_place *place, rv_dew_on_drop *each, void *user)
{
    shower s = shower_of(place->params);
    dew->due[0] += s.rate * place->dt;
    for (int n = 0; dew->due[0] >= 1 && n < LINES_MOST; n++, dew->due[0] -= 1) {
        rv_vec3 from;
        double wide, way;
        if (!raindrop(place, &s, dew->rained++, &from, &wide, &way)) continue;
        rv_vec3 at = rv_dew_along(from, s.down, way);
        rv_dew_drop drop = rv_dew_sitting(place->terrain, at, ball_volume(wide));
        each(user, &drop);
    }
    dew->due[0] = fmin(dew->due[0], 1);
}

// m/s: how fast a raindrop falls in air (Atlas et al. 1973, from Gunn and Kinzer's measurements);
// the formula ends at 0.6 mm, below which it is taken to grow with the diameter.
static double falling_speed(double diameter)
{
    double mm = 1e3 * diameter, least = 2.5;
    return mm < 0.6 ? fmax(least * mm / 0.6, 0.1) : fmax(9.65 - 10.3 * exp(-0.6 * mm), least);
}

int rv_dew_in_air(const rv_dew *dew, const rv_dew_place *place, rv_dew_drop *out, int room)
{
    const rv_params *p = place->params;
    shower s = shower_of(p);
    double high = (p->grid_top - p->grid_bottom) / fmax(-s.down.z, 1e-3);
    double longest = high / falling_speed(p->dew_smallest);
    int count = 0;
    for (int64_t n = 0; s.rate > 0 && n < LINES_MOST && count < room; n++) {
        double until = ((double)n + 1 - dew->due[0]) / s.rate, wide, way; // s, when it lands
        rv_vec3 from;
        if (!(until < longest)) break;
        if (!raindrop(place, &s, dew->rained + n, &from, &wide, &way)) continue;
        double speed = falling_speed(wide), at = way - speed * until;
        if (!(at > 0)) continue; // over the grid still
        out[count++] =
            (rv_dew_drop){.at = rv_dew_along(from, s.down, at),
                          .normal = {0, 0, 1},
                          .velocity = {speed * s.down.x, speed * s.down.y, speed * s.down.z},
                          .volume = ball_volume(wide),
                          .form = RV_DEW_FALLS};
    }
    return count;
}

// ---- Seeds --------------------------------------------------------------------------------------

// A line through a ball: evenly over all lines.
static void some_line(const rv_params *p, int64_t k, rv_vec3 middle, double ball, rv_vec3 *from,
                      rv_vec3 *along)
{
    double s, c, z = 2 * chance(p, KEY_SEED, k, 0) - 1, flat = sqrt(fmax(1 - z * z, 0));
    rv_sine(2 * RV_PI * chance(p, KEY_SEED, k, 1), &s, &c);
    rv_vec3 d = {flat * c, flat * s, z};
    // a disk across it
    rv_vec3 one = fabs(z) < 0.7 ? (rv_vec3){-d.y, d.x, 0} : (rv_vec3){0, -d.z, d.y};
    double size = rv_dew_length(one);
    one = (rv_vec3){one.x / size, one.y / size, one.z / size};
    rv_vec3 two = {d.y * one.z - d.z * one.y, d.z * one.x - d.x * one.z, d.x * one.y - d.y * one.x};
    double r = ball * sqrt(chance(p, KEY_SEED, k, 2));
    rv_sine(2 * RV_PI * chance(p, KEY_SEED, k, 3), &s, &c);
    *from = rv_dew_along(rv_dew_along(rv_dew_along(middle, one, r * c), two, r * s), d, -ball);
    *along = d;
}

// From a place in the solid along the line to where it is free again; INFINITY: nowhere.
static double way_out(const rv_terrain *t, rv_vec3 at, rv_vec3 along, double least, double most)
{
    for (double way = least; way < most;) {
        double d = (double)rv_terrain_distance(t, rv_dew_along(at, along, way));
        if (d > 0) return way;
        way += fmax(-d, least);
    }
    return INFINITY;
}

void rv_dew_seed(rv_dew *dew, const rv_dew_place *place, rv_dew_on_drop *each, void *user)
{
    const rv_params *p = place->params;
    double high = p->grid_top - p->grid_bottom, dx = p->grid_dx;
    double wide = p->grid_nx * dx, deep = p->grid_ny * dx;
    double ball = 0.5 * sqrt(wide * wide + deep * deep + high * high);
    rv_vec3 middle = {p->grid_x, p->grid_y, p->grid_bottom + 0.5 * high};
    if (!(p->dew_sweat > 0) || !(dew->coldest > 0)) return;
    // only crossings that go in are looked for: there are half as many
    dew->due[1] += p->dew_seeds * 4 * RV_PI * ball * ball * place->dt;
    for (int n = 0; dew->due[1] >= 1 && n < LINES_MOST; n++, dew->due[1] -= 1) {
        int64_t k = dew->seeded++;
        rv_vec3 from, along;
        some_line(p, k, middle, ball, &from, &along);
        for (int c = 0; c < CROSSINGS; c++) {
            double t = rv_terrain_cast(place->terrain, from, along);
            if (!(t < INFINITY)) break;
            from = rv_dew_along(from, along, t);
            rv_dew_drop drop = rv_dew_sitting(place->terrain, from, 0);
            const rv_dew_foot *foot = &dew->foot[drop.set];
            double a = p->dew_seed_size;
            double off = fabs((double)rv_terrain_distance(place->terrain, from));
            drop.volume = foot->shape * a * a * a;
            if (off <= SURFACE * dx && chance(p, KEY_SEED, k, (uint32_t)(4 + c)) < foot->cold)
                each(user, &drop);
            t = way_out(place->terrain, from, along, 0.25 * dx, 2 * ball);
            if (!(t < INFINITY)) break;
            from = rv_dew_along(from, along, t);
        }
    }
    dew->due[1] = fmin(dew->due[1], 1);
}

void rv_dew_grow(rv_dew *dew, const rv_dew_place *place, double *came, double *went)
{
    const rv_params *p = place->params;
    double comes = p->dew_sweat * place->dt, goes = p->dew_evaporation * place->dt;
    for (int i = 0; i < dew->count && (comes > 0 || goes > 0); i++) {
        rv_dew_drop *d = &dew->drop[i];
        if (d->form != RV_DEW_SITS) continue;
        double area = RV_PI * dew->radius[i] * dew->radius[i];
        double more = comes * dew->foot[d->set].cold * area, less = fmin(goes * area, d->volume);
        if (!(more > 0) && !(less > 0)) continue;
        *came += more, *went += less;
        rv_dew_set_volume(dew, i, d->volume + more - less);
    }
}
