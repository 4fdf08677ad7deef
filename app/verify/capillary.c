// Shapes of Young and Laplace, integrated along the surface from its highest point on. With s the
// length along the surface, φ its slope, r and z what it has gone outward and down, k the curvature
// at the top:
//     r' = cos φ,  z' = sin φ,  φ' = 2k + z/ℓ² − sin φ / r   (a drop)
//                               φ' =  k + z/ℓ²               (a rivulet's section)
// until φ is the contact angle; k is found by halving, so that the volume or the flux is the wanted
// one.
#include "capillary.h"

#include <math.h>

#define TENSION 0.0716 // N/m: ℓ² = 7.3 mm² with density 1000 and g = 9.81
#define THIN 1e-4      // m

rv_world_def rv_wet_def(int nx, int ny, double dx, double angle)
{
    rv_world_def def = rv_verify_def();
    rv_params *p = &def.params;
    p->grid_nx = nx, p->grid_ny = ny, p->grid_dx = dx;
    p->liquid_viscosity = 1e-5, p->liquid_density = 1000, p->liquid_tension = TENSION;
    p->tension_on = true;
    p->liquid_advancing = p->liquid_receding = p->liquid_contact = angle;
    p->liquid_uneven = 0;
    return def;
}

double rv_wet_length2(const rv_params *p)
{
    return p->liquid_tension / (p->liquid_density * rv_gravity_down(p));
}

double rv_wet_full(const rv_params *p)
{
    double a = p->liquid_advancing, thick = 2 * sqrt(rv_wet_length2(p)) * sin(0.5 * a);
    return fmin(p->grid_dx * tan(fmin(a, 1.2)), 0.8 * thick);
}

// ---- Exact shapes -------------------------------------------------------------------------------

// Along the surface: outward, down, slope, and what is added up on the way: the volume above, or
// z, z² and z³ over r.
enum { OUT, DOWN, SLOPE, SUM1, SUM2, SUM3, COUNT };

typedef struct curve {
    double top, length2; // 1/m, m²
    bool drop;
} curve;

static void change(const curve *c, const double *at, double *out)
{
    double cosine = cos(at[SLOPE]), sine = sin(at[SLOPE]), z = at[DOWN];
    out[OUT] = cosine, out[DOWN] = sine;
    out[SLOPE] = c->top + z / c->length2;
    if (c->drop) out[SLOPE] += c->top - (at[OUT] > 1e-12 ? sine / at[OUT] : c->top);
    out[SUM1] = c->drop ? RV_PI * at[OUT] * at[OUT] * sine : z * cosine;
    out[SUM2] = z * z * cosine, out[SUM3] = z * z * z * cosine;
}

// One step of Runge and Kutta's fourth order.
static void advance(const curve *c, double *at, double step)
{
    static const double part[4] = {0, 0.5, 0.5, 1},
                        weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double slope[COUNT] = {0}, sum[COUNT] = {0};
    for (int stage = 0; stage < 4; stage++) {
        double there[COUNT];
        for (int k = 0; k < COUNT; k++) there[k] = at[k] + part[stage] * step * slope[k];
        change(c, there, slope);
        for (int k = 0; k < COUNT; k++) sum[k] += weight[stage] * slope[k];
    }
    for (int k = 0; k < COUNT; k++) at[k] += step * sum[k];
}

static rv_wet_shape shape_of(double top, double angle, double length2, bool drop)
{
    const curve c = {top, length2, drop};
    const double step = 1e-5;
    double at[COUNT] = {0}, before[COUNT] = {0};
    for (int i = 0; i < 20000 && at[SLOPE] < angle; i++) {
        for (int k = 0; k < COUNT; k++) before[k] = at[k];
        advance(&c, at, step);
    }
    double share = fmin((angle - before[SLOPE]) / (at[SLOPE] - before[SLOPE]), 1);
    for (int k = 0; k < COUNT; k++) at[k] = before[k] + share * (at[k] - before[k]);
    double h = at[DOWN];
    rv_wet_shape s = {.half = at[OUT], .high = h, .volume = at[SUM1], .top = top};
    if (drop) return s;
    s.volume = 2 * (h * at[OUT] - at[SUM1]);
    s.cubes = 2 * (h * h * h * at[OUT] - 3 * h * h * at[SUM1] + 3 * h * at[SUM2] - at[SUM3]);
    return s;
}

static rv_wet_shape find_shape(double wanted, double angle, double length2, bool drop)
{
    double low = 1e-6, high = 1e5; // 1/m
    rv_wet_shape s = {0};
    for (int i = 0; i < 60; i++) {
        double top = sqrt(low * high);
        s = shape_of(top, angle, length2, drop);
        if ((drop ? s.volume : s.cubes) > wanted)
            low = top;
        else
            high = top;
    }
    return s;
}

rv_wet_shape rv_wet_drop(double volume, double angle, double length2)
{
    return find_shape(volume, angle, length2, true);
}

rv_wet_shape rv_wet_rivulet(double cubes, double angle, double length2)
{
    return find_shape(cubes, angle, length2, false);
}

void rv_wet_draw_drop(rv_series *series, const rv_wet_shape *drop, double angle, double length2)
{
    const curve c = {drop->top, length2, true};
    double at[COUNT] = {0};
    for (int i = 0; i < 20000 && at[SLOPE] < angle; i++) {
        if (i % 10 == 0) rv_plot_point(series, at[OUT] * 1e3, (drop->high - at[DOWN]) * 1e3);
        advance(&c, at, 1e-5);
    }
    rv_plot_point(series, drop->half * 1e3, 0);
}

// ---- Measures -----------------------------------------------------------------------------------

static double column_depth(const rv_columns *c, double bed, int x, int y)
{
    double nearest = INFINITY, depth = 0;
    for (int l = 0; l < c->planes; l++) {
        if (!rv_plane_has(&c->plane[l], x, y)) continue;
        size_t slot = rv_slot(&c->plane[l], x, y);
        double off = fabs((double)c->base[slot] - bed);
        if (c->max[slot] > c->base[slot] && off < nearest)
            nearest = off, depth = (double)c->depth[slot];
    }
    return depth;
}

static double depth_at(const rv_columns *c, double bed, double x, double y)
{
    double u = (x - c->x0) / c->dx - 0.5, v = (y - c->y0) / c->dx - 0.5;
    int i = (int)floor(u), j = (int)floor(v);
    double fu = u - i, fv = v - j;
    double low = column_depth(c, bed, i, j) * (1 - fu) + column_depth(c, bed, i + 1, j) * fu;
    double high =
        column_depth(c, bed, i, j + 1) * (1 - fu) + column_depth(c, bed, i + 1, j + 1) * fu;
    return low * (1 - fv) + high * fv;
}

double rv_wet_depth(const rv_world *world, double bed, double x, double y)
{
    rv_columns c;
    return rv_world_get_columns(world, &c) == RV_OK ? depth_at(&c, bed, x, y) : (double)NAN;
}

double rv_wet_reach(const rv_world *world, double bed, double x, double y, double direction)
{
    const rv_params *p = rv_world_params(world);
    const double half = 0.5 * rv_wet_full(p), step = p->grid_dx / 20, cx = cos(direction),
                 cy = sin(direction);
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    double last = -1, far = 0.5 * c.dx * (c.nx < c.ny ? c.nx : c.ny);
    for (double r = 0; r < far; r += step)
        if (depth_at(&c, bed, x + r * cx, y + r * cy) > half) last = r;
    return last < 0 ? 0 : last + half / tan(p->liquid_advancing);
}

rv_wet_outline rv_wet_outline_of(const rv_world *world, double bed, double x, double y)
{
    enum { WAYS = 72 };
    double sum = 0, least = INFINITY, most = 0;
    for (int k = 0; k < WAYS; k++) {
        double r = rv_wet_reach(world, bed, x, y, 2 * RV_PI * k / WAYS);
        sum += r, least = fmin(least, r), most = fmax(most, r);
    }
    return (rv_wet_outline){sum / WAYS, 0.5 * (most - least) / (sum / WAYS)};
}

double rv_wet_fastest(const rv_world *world)
{
    rv_columns c;
    double most = 0;
    if (rv_world_get_columns(world, &c) != RV_OK) return NAN;
    for (size_t i = 0; i < c.slots; i++) {
        float u[2];
        if (!(c.max[i] > c.base[i]) || !((double)c.depth[i] > THIN)) continue;
        rv_world_get_column_velocity(world, i, u);
        most = fmax(most, hypot((double)u[0], (double)u[1]));
    }
    return most;
}
