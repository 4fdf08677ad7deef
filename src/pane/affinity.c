// The pane's affinity for water (glass paper §3): 0 repels, 1 draws; and what follows from it: the
// contact angle, the radius of a drop and the friction that holds it.
//
// Noise has its octaves in metres, so the same spots are there on any grid.
#include "pane/glass.h"

#include "base/map.h"

#define OCTAVES 3

static double lattice(int seed, int octave, int64_t i, int64_t j)
{
    uint64_t key = rv_scramble((uint64_t)i * UINT64_C(0x632be59bd9b4e019) + (uint64_t)octave);
    return rv_chance(seed, rv_scramble(key ^ (uint64_t)j), 0) * 2.0 - 1.0;
}

static double ease(double t)
{
    return t * t * (3.0 - 2.0 * t);
}

// Value noise, -1 … 1, with a grain of one.
static double noise(int seed, int octave, double x, double y)
{
    double i = floor(x), j = floor(y), fx = ease(x - i), fy = ease(y - j);
    int64_t a = (int64_t)i, b = (int64_t)j;
    double low = lattice(seed, octave, a, b) * (1.0 - fx) + lattice(seed, octave, a + 1, b) * fx;
    double high =
        lattice(seed, octave, a, b + 1) * (1.0 - fx) + lattice(seed, octave, a + 1, b + 1) * fx;
    return low * (1.0 - fy) + high * fy;
}

static double rough(const rv_glass *s, double x, double y)
{
    double sum = 0.0, part = 1.0, size = s->params.glass_affinity_size;
    for (int k = 0; k < OCTAVES; k++, part *= 0.5, size *= 0.5)
        sum += part * noise(s->params.seed, k, x / size, y / size);
    return 0.5 + s->params.glass_affinity * sum;
}

void rv_glass_make_affinity(rv_glass *s, const rv_map *map)
{
    bool has_map = rv_map_is_good(map);
    for (int y = 0; y < s->ny; y++) {
        for (int x = 0; x < s->nx; x++) {
            double value = has_map ? rv_map_at(map, (x + 0.5) / s->nx, (y + 0.5) / s->ny)
                                   : rough(s, s->x0 + (x + 0.5) * s->dx, s->y0 + (y + 0.5) * s->dx);
            s->affinity[rv_cell(s, x, y)] = value > 0.0 ? (float)fmin(value, 1.0) : 0.0f;
            if (s->affinity[rv_cell(s, x, y)] < RV_REPELLING) s->repels[rv_group(s, x, y)] = 1;
        }
    }
}

double rv_glass_affinity_at(const rv_glass *s, double x, double y)
{
    double i = (x - s->x0) / s->dx - 0.5, j = (y - s->y0) / s->dx - 0.5;
    i = fmin(fmax(i, 0.0), s->nx - 1.0), j = fmin(fmax(j, 0.0), s->ny - 1.0);
    int a = (int)i, b = (int)j, a1 = a + 1 < s->nx ? a + 1 : a, b1 = b + 1 < s->ny ? b + 1 : b;
    double fx = i - a, fy = j - b;
    const float *low = s->affinity + rv_cell(s, 0, b), *high = s->affinity + rv_cell(s, 0, b1);
    return ((double)low[a] * (1.0 - fx) + (double)low[a1] * fx) * (1.0 - fy) +
           ((double)high[a] * (1.0 - fx) + (double)high[a1] * fx) * fy;
}

// The cosine goes with the affinity, as it does with a surface's energy: liquid.contact at one
// half, 100 degrees at 0, 12 degrees at 1. A height map has no overhang, so 86 degrees are the
// most.
double rv_glass_contact(const rv_glass *s, double affinity)
{
    double sine, middle, repelling = -0.17365, drawing = 0.97815;
    rv_sine(s->params.liquid_contact, &sine, &middle);
    double cosine = affinity < 0.5 ? repelling + (middle - repelling) * 2.0 * affinity
                                   : middle + (drawing - middle) * (2.0 * affinity - 1.0);
    cosine = fmin(fmax(cosine, 0.06976), drawing);
    return cosine;
}

// Water moves the easier the more it is drawn (glass paper §4.1), and rolls off what repels it.
double rv_glass_hold(double affinity)
{
    double hold = 1.5 - affinity;
    if (affinity < 0.25) hold *= affinity * 4.0;
    return fmax(hold, 0.02);
}

// A cap of contact radius a and angle t has the volume π a³ (2 - 3 cos t + cos³ t) / (3 sin³ t):
// for a hemisphere the paper's (3 V / (2 π n))^(1/3).
double rv_cap_radius(double volume, double caps, double cosine)
{
    double sine2 = 1.0 - cosine * cosine, sine = sqrt(sine2);
    double unit = RV_PI * (2.0 - 3.0 * cosine + cosine * cosine * cosine) / (3.0 * sine * sine2);
    return rv_cube_root(volume / (caps * unit));
}
