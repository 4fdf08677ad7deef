// Asking the field: distance and normal at a point, and where a ray meets the solid.
//
// Between samples the field is trilinear. The ground below the grid is a plane of its own, at
// grid.bottom. The ray walks from cell to cell and over unsampled bricks in one stride. Along it
// the field of one cell is a polynomial of degree 3, whose first root is found between its turning
// points: no step is too long for a thin wall or a grazing ray.
#include "terrain/field.h"

#include "base/simd.h"

#include <math.h>

#define B RV_BRICK

typedef struct place {
    int i, j, k;   // low corner of the cell
    float a, b, c; // 0 … 1 within it
} place;

static int cell_of(double u, int last)
{
    int i = (int)u;
    return i < last ? i : last;
}

static place place_of(const rv_terrain *t, double u, double v, double w)
{
    place p = {cell_of(u, t->grid.nx), cell_of(v, t->grid.ny), cell_of(w, t->grid.nz - 2), 0, 0, 0};
    p.a = (float)(u - p.i), p.b = (float)(v - p.j), p.c = (float)(w - p.k);
    return p;
}

// ---- Distance -----------------------------------------------------------------------------------

static bool same_brick(const place *p)
{
    return ((p->i & RV_BRICK_MASK) != RV_BRICK_MASK) & ((p->j & RV_BRICK_MASK) != RV_BRICK_MASK) &
           ((p->k & RV_BRICK_MASK) != RV_BRICK_MASK);
}

// The general case of `corners`: they stand in up to eight bricks.
static bool corners_apart(const rv_terrain *t, place *p, float f[8])
{
    const rv_brick *at[2][2][2];
    const rv_brick *first = rv_field_brick(t, p->i, p->j, p->k);
    size_t x = (p->i & RV_BRICK_MASK) == RV_BRICK_MASK ? t->step_x : 0;
    size_t y = (p->j & RV_BRICK_MASK) == RV_BRICK_MASK ? t->step_y : 0;
    size_t z = (p->k & RV_BRICK_MASK) == RV_BRICK_MASK ? 1 : 0;
    for (int n = 0; n < 8; n++) {
        int a = n & 1, b = n >> 1 & 1, c = n >> 2;
        const rv_brick *brick = at[c][b][a] = first + (a ? x : 0) + (b ? y : 0) + (c ? z : 0);
        if (!brick->samples) {
            p->i += a, p->j += b, p->k += c;
            return false;
        }
    }
    for (int n = 0; n < 8; n++) {
        int a = n & 1, b = n >> 1 & 1, c = n >> 2;
        f[n] = at[c][b][a]->samples[rv_brick_index(p->i + a, p->j + b, p->k + c)];
    }
    return true;
}

// The eight samples around, x fastest. false: one of their bricks has none; *p is then the corner
// in it.
RV_INLINE bool corners(const rv_terrain *t, place *p, float f[8])
{
    const rv_brick *brick = rv_field_brick(t, p->i, p->j, p->k);
    if (!brick->samples) return false;
    if (same_brick(p)) {
        const float *s = brick->samples + rv_brick_index(p->i, p->j, p->k);
        f[0] = s[0], f[1] = s[1], f[2] = s[B], f[3] = s[B + 1];
        s += B * B;
        f[4] = s[0], f[5] = s[1], f[6] = s[B], f[7] = s[B + 1];
        return true;
    }
    return corners_apart(t, p, f);
}

static float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

static float trilinear(const float f[8], float a, float b, float c)
{
    float low = mix(mix(f[0], f[1], a), mix(f[2], f[3], a), b);
    float high = mix(mix(f[4], f[5], a), mix(f[6], f[7], a), b);
    return mix(low, high, c);
}

// A brick without samples: the surface is at least so far as from its middle, less the way there,
// and outside its margin.
static float far_distance(const rv_terrain *t, const rv_brick *brick, const place *corner, double u,
                          double v, double w)
{
    double mid = 0.5 * (B - 1), dx = t->grid.dx, dz = t->grid.dz;
    double x = fabs(u - mid - (corner->i & ~RV_BRICK_MASK)) * dx;
    double y = fabs(v - mid - (corner->j & ~RV_BRICK_MASK)) * dx;
    double z = fabs(w - mid - (corner->k & ~RV_BRICK_MASK)) * dz;
    double side = x > y ? x : y,
           most = side - mid * dx > z - mid * dz ? side - mid * dx : z - mid * dz;
    float size = fabsf(brick->middle) - (float)sqrt(x * x + y * y + z * z);
    float inset = (float)((t->margin - most) * (1 - 1e-6));
    if (!(size > brick->least)) size = brick->least;
    if (!(size > inset)) size = inset;
    return brick->middle < 0 ? -size : size;
}

// At a point of the sampled box, the ground left out.
static float inner_distance(const rv_terrain *t, double u, double v, double w)
{
    place p = place_of(t, u, v, w);
    float f[8];
    if (corners(t, &p, f)) return trilinear(f, p.a, p.b, p.c);
    return far_distance(t, rv_field_brick(t, p.i, p.j, p.k), &p, u, v, w);
}

static double clamp(double x, double high)
{
    return x > 0 ? (x < high ? x : high) : 0; // 0 for NaN
}

// Outside the samples. What is solid at the border goes on as it is there; from free space the
// nearest solid of the grid is at least the way to the grid and, at a right angle or more, the
// distance from there.
static float outer_distance(const rv_terrain *t, double u, double v, double w)
{
    const rv_grid *g = &t->grid;
    double iu = clamp(u, g->nx + 1), iv = clamp(v, g->ny + 1), iw = clamp(w, g->nz - 1);
    double x = (u - iu) * g->dx, y = (v - iv) * g->dx, z = (w - iw) * g->dz;
    float d = inner_distance(t, iu, iv, iw);
    if (!(d > 0)) return d;
    return (float)sqrt((double)d * (double)d + x * x + y * y + z * z);
}

static double beyond(double v, double low, double high)
{
    return v < low ? low - v : v > high ? v - high : 0;
}

// Where the terrain was changed, only samples near its surface were brought up to date. What says
// to be farther away than that is a bound no more, but for the way to where changes happened.
static float limited(const rv_terrain *t, rv_vec3 p, float d)
{
    double x = beyond(p.x, t->touched.low.x, t->touched.high.x);
    double y = beyond(p.y, t->touched.low.y, t->touched.high.y);
    double z = beyond(p.z, t->touched.low.z, t->touched.high.z);
    const rv_grid *g = &t->grid;
    double sure = t->margin - sqrt(2 * g->dx * g->dx + g->dz * g->dz);
    float most = (float)(fmax(sqrt(x * x + y * y + z * z), sure) * (1 - 1e-6));
    return fabsf(d) <= most ? d : copysignf(most, d);
}

float rv_terrain_distance(const rv_terrain *t, rv_vec3 p)
{
    const rv_grid *g = &t->grid;
    double u = (p.x - t->x_first) * t->per_dx, v = (p.y - t->y_first) * t->per_dx;
    double w = (p.z - g->bottom) * t->per_dz;
    bool inside =
        (u >= 0) & (u <= g->nx + 1) & (v >= 0) & (v <= g->ny + 1) & (w >= 0) & (w <= g->nz - 1);
    float d = inside ? inner_distance(t, u, v, w) : outer_distance(t, u, v, w);
    if ((double)fabsf(d) > t->margin) d = limited(t, p, d);
    float ground = (float)(p.z - g->bottom);
    return ground < d ? ground : d;
}

rv_vec3 rv_terrain_normal(const rv_terrain *t, rv_vec3 p)
{
    double e = 0.5 * t->grid.dx, h = 0.5 * t->grid.dz;
    rv_vec3 n = {(double)rv_terrain_distance(t, (rv_vec3){p.x + e, p.y, p.z}) -
                     (double)rv_terrain_distance(t, (rv_vec3){p.x - e, p.y, p.z}),
                 (double)rv_terrain_distance(t, (rv_vec3){p.x, p.y + e, p.z}) -
                     (double)rv_terrain_distance(t, (rv_vec3){p.x, p.y - e, p.z}),
                 (double)rv_terrain_distance(t, (rv_vec3){p.x, p.y, p.z + h}) -
                     (double)rv_terrain_distance(t, (rv_vec3){p.x, p.y, p.z - h})};
    n.z *= t->grid.dx / t->grid.dz;
    double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(length > 0 && length < INFINITY)) return (rv_vec3){0, 0, 1};
    return (rv_vec3){n.x / length, n.y / length, n.z / length};
}

// ---- Rays ---------------------------------------------------------------------------------------

typedef struct ray {
    double from[3], rate[3]; // in samples: place and change per metre
    double first, last;      // m, the stretch within the grid
    bool ends_below;         // it leaves the grid through the bottom
} ray;

// Cuts the ray to the grid's box. false: it misses it.
static bool clip(const rv_terrain *t, ray *r)
{
    const rv_grid *g = &t->grid;
    double low[3] = {0.5, 0.5, 0};
    double high[3] = {g->nx + 0.5, g->ny + 0.5, (g->top - g->bottom) * t->per_dz};
    r->first = 0, r->last = INFINITY;
    for (int a = 0; a < 3; a++) {
        double from = r->from[a], rate = r->rate[a];
        if (rate == 0) {
            if (!(from >= low[a] && from <= high[a])) return false;
            continue;
        }
        double in = ((rate > 0 ? low[a] : high[a]) - from) / rate;
        double out = ((rate > 0 ? high[a] : low[a]) - from) / rate;
        if (in > r->first) r->first = in;
        if (out < r->last) r->last = out, r->ends_below = a == 2 && rate < 0;
    }
    return r->first <= r->last;
}

static double cubic(const double f[4], double s)
{
    return ((f[3] * s + f[2]) * s + f[1]) * s + f[0];
}

// f(l) >= 0 > f(r), and f falls in between.
static double root(const double f[4], double l, double r)
{
    for (int i = 0; i < 60; i++) {
        double m = 0.5 * (l + r);
        if (!(m > l && m < r)) break;
        if (cubic(f, m) < 0)
            r = m;
        else
            l = m;
    }
    return r;
}

// Turning points of the cubic within (0, 1), in order.
static int turns(const double f[4], double out[2])
{
    double a = 3 * f[3], b = 2 * f[2], c = f[1], n = 0, at[2];
    if (a == 0) {
        if (b != 0) at[0] = -c / b, n = 1;
    } else {
        double d = b * b - 4 * a * c;
        if (d <= 0) return 0;
        double q = -0.5 * (b + copysign(sqrt(d), b));
        at[0] = q / a, n = 1;
        if (q != 0) at[1] = c / q, n = 2;
        if (n == 2 && at[1] < at[0]) d = at[0], at[0] = at[1], at[1] = d;
    }
    int count = 0;
    for (int i = 0; i < (int)n; i++)
        if (at[i] > 0 && at[i] < 1) out[count++] = at[i];
    return count;
}

// The trilinear field along start + s way, s = 0 … 1, as a polynomial of s.
static void along_ray(const float c[8], const double start[3], const double way[3], double f[4])
{
    double x0 = (double)c[0], x = (double)c[1] - x0, y = (double)c[2] - x0, z = (double)c[4] - x0;
    double xy = (double)c[3] - x0 - x - y, xz = (double)c[5] - x0 - x - z;
    double yz = (double)c[6] - x0 - y - z;
    double xyz = (double)c[7] - x0 - x - y - z - xy - xz - yz;
    double a = start[0], b = start[1], d = start[2], p = way[0], q = way[1], r = way[2];
    f[0] = x0 + x * a + y * b + z * d + xy * a * b + xz * a * d + yz * b * d + xyz * a * b * d;
    f[1] = x * p + y * q + z * r + xy * (a * q + b * p) + xz * (a * r + d * p) +
           yz * (b * r + d * q) + xyz * (a * b * r + a * d * q + b * d * p);
    f[2] = xy * p * q + xz * p * r + yz * q * r + xyz * (a * q * r + b * p * r + d * p * q);
    f[3] = xyz * p * q * r;
}

// The first s in 0 … 1 at which the polynomial is negative; 2 when it never is.
static double first_negative(const double f[4])
{
    double stop[3], l = 0;
    if (f[0] < 0) return 0;
    int count = turns(f, stop);
    stop[count++] = 1;
    for (int i = 0; i < count; l = stop[i++])
        if (cubic(f, stop[i]) < 0) return root(f, l, stop[i]);
    return 2;
}

static bool all_positive(const float c[8])
{
    float least = c[0];
    for (int n = 1; n < 8; n++) least = c[n] < least ? c[n] : least;
    return least > 0;
}

// Distance along the ray at which it meets the solid between t0 and t1 in one cell; INFINITY.
static double meet(const ray *r, const int cell[3], const float c[8], double t0, double t1)
{
    if (all_positive(c)) return INFINITY;
    double start[3], way[3], f[4];
    for (int a = 0; a < 3; a++) {
        start[a] = clamp(r->from[a] + r->rate[a] * t0 - cell[a], 1);
        way[a] = clamp(r->from[a] + r->rate[a] * t1 - cell[a], 1) - start[a];
    }
    along_ray(c, start, way, f);
    double s = first_negative(f);
    return s > 1 ? INFINITY : t0 + s * (t1 - t0);
}

// Where the ray leaves cells lo … lo + size - 1 of one axis.
static double leaves(const ray *r, int a, int low, int size)
{
    if (r->rate[a] == 0) return INFINITY;
    return ((r->rate[a] > 0 ? low + size : low) - r->from[a]) / r->rate[a];
}

// The cell at t, on the way out of cells low … low + size - 1 of axis a. That axis changes whatever
// rounding says, and no axis ever goes back, so the walk ends.
static void next_cell(const ray *r, double t, int a, int low, int size, const int last[3],
                      int cell[3])
{
    for (int b = 0; b < 3; b++) {
        if (b == a) {
            cell[b] = r->rate[b] > 0 ? low + size : low - 1;
        } else if (size > 1 && r->rate[b] != 0) {
            int now = cell_of(clamp(r->from[b] + r->rate[b] * t, last[b]), last[b]);
            if ((now > cell[b]) == (r->rate[b] > 0)) cell[b] = now;
        }
    }
}

static double walk(const rv_terrain *t, const ray *r)
{
    int last[3] = {t->grid.nx, t->grid.ny, t->grid.nz - 2}, cell[3];
    double now = r->first;
    for (int a = 0; a < 3; a++)
        cell[a] = cell_of(clamp(r->from[a] + r->rate[a] * now, last[a]), last[a]);
    while (now < r->last || now == r->first) {
        float c[8];
        place p = {cell[0], cell[1], cell[2], 0, 0, 0};
        const rv_brick *brick = rv_field_brick(t, p.i, p.j, p.k);
        bool far = !brick->samples, known = !far && corners(t, &p, c);
        // where one corner is far from the surface, the whole cell has its sign
        if (!known && rv_field_brick(t, p.i, p.j, p.k)->middle < 0) return now;
        int size = far ? RV_BRICK : 1, axis = 0, low[3];
        double out = INFINITY;
        for (int a = 0; a < 3; a++) {
            low[a] = far ? cell[a] & ~RV_BRICK_MASK : cell[a];
            double leave = leaves(r, a, low[a], size);
            if (leave < out) out = leave, axis = a;
        }
        double end = fmin(fmax(out, now), r->last);
        if (known) {
            double hit = meet(r, cell, c, now, end);
            if (hit <= end) return hit;
        }
        if (!(out < r->last)) break;
        next_cell(r, end, axis, low[axis], size, last, cell);
        if (cell[axis] < 0 || cell[axis] > last[axis]) break;
        now = end;
    }
    return INFINITY;
}

double rv_terrain_cast(const rv_terrain *t, rv_vec3 from, rv_vec3 d)
{
    const rv_grid *g = &t->grid;
    ray r = {.from = {(from.x - t->x_first) * t->per_dx, (from.y - t->y_first) * t->per_dx,
                      (from.z - g->bottom) * t->per_dz},
             .rate = {d.x * t->per_dx, d.y * t->per_dx, d.z * t->per_dz}};
    for (int a = 0; a < 3; a++)
        if (!isfinite(r.from[a]) || !isfinite(r.rate[a])) return INFINITY;
    if (!clip(t, &r)) return INFINITY;
    if (from.z < g->bottom && r.from[2] + r.rate[2] * r.first <= 1e-9)
        return r.first; // from the ground
    if (!isfinite(r.last))
        return rv_terrain_distance(t, from) < 0 ? 0 : INFINITY; // it stands still
    double hit = walk(t, &r);
    return hit < INFINITY ? hit : r.ends_below ? r.last : INFINITY;
}
