// Solids: signed distances of primitives, moved, roughened and combined. Negative is inside.
//
// Distances are exact for single primitives, and bounds after combining: never more than the true distance
// times the factor that noise adds, so whole bricks can be judged by the value at their middle (field.c).
#include "terrain/terrain.h"

#include <math.h>
#include <string.h>

#define DEPTH_MAX 32 // groups within groups

static rv_vec3 minus(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length2(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double length3(rv_vec3 a)
{
    return sqrt(dot(a, a));
}

// ---- Primitives, in their own frame --------------------------------------------------------------

static double box(rv_vec3 p, rv_vec3 size, double round)
{
    double x = fabs(p.x) - 0.5 * size.x + round;
    double y = fabs(p.y) - 0.5 * size.y + round;
    double z = fabs(p.z) - 0.5 * size.z + round;
    rv_vec3 outside = {fmax(x, 0), fmax(y, 0), fmax(z, 0)};
    return length3(outside) + fmin(fmax(x, fmax(y, z)), 0) - round;
}

// A bound that is exact on the surface's axes: the scaled sphere, divided by its own gradient.
static double ellipsoid(rv_vec3 p, rv_vec3 size)
{
    rv_vec3 r = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z};
    rv_vec3 once = {p.x / r.x, p.y / r.y, p.z / r.z};
    rv_vec3 twice = {once.x / r.x, once.y / r.y, once.z / r.z};
    double k = length3(once), gradient = length3(twice);
    double least = fmin(r.x, fmin(r.y, r.z));
    if (k < 1e-9) return -least;
    double value = k * (k - 1.0) / gradient;
    return k < 1.0 ? fmax(value, -least) : value;
}

// A cone with rounded ends: the nearest of the spheres along the axis.
static double capsule(rv_vec3 p, const rv_solid_def *s)
{
    double ra = s->radius, rb = s->radius2 < 0 ? ra : s->radius2;
    rv_vec3 axis = minus(s->to, s->from), q = minus(p, s->from);
    double len2 = dot(axis, axis);
    if (len2 < 1e-30) return length3(q) - fmax(ra, rb);
    double len = sqrt(len2), along = dot(q, axis) / len;
    double off = sqrt(fmax(dot(q, q) - along * along, 0));
    double lean = (ra - rb) / len; // sine of the flank's angle
    if (fabs(lean) >= 1.0) return ra > rb ? length3(q) - ra : length3(minus(p, s->to)) - rb;
    double foot = along + off * lean / sqrt(1.0 - lean * lean);
    double t = fmin(fmax(foot, 0), len);
    return length2(along - t, off) - (ra + (rb - ra) * t / len);
}

static double cylinder(rv_vec3 p, const rv_solid_def *s)
{
    double x = length2(p.x, p.y) - s->radius + s->round;
    double y = fabs(p.z) - 0.5 * s->height + s->round;
    return length2(fmax(x, 0), fmax(y, 0)) + fmin(fmax(x, y), 0) - s->round;
}

// In the half plane of radius and height the cone is a trapezium: distance to its boundary, signed.
static double cone(rv_vec3 p, const rv_solid_def *s)
{
    double bottom = s->radius, top = s->radius2 < 0 ? 0 : s->radius2, half = 0.5 * s->height;
    double r = length2(p.x, p.y), z = p.z;
    double to_cap_r = fmax(r - (z < 0 ? bottom : top), 0), to_cap_z = fabs(z) - half;
    double cap = length2(to_cap_r, to_cap_z);
    double run = top - bottom, rise = 2 * half;
    double t = ((r - bottom) * run + (z + half) * rise) / (run * run + rise * rise);
    t = fmin(fmax(t, 0), 1);
    double flank = length2(r - bottom - t * run, z + half - t * rise);
    bool inside = to_cap_z < 0 && (r - bottom) * rise - (z + half) * run < 0;
    return inside ? -fmin(cap, flank) : fmin(cap, flank);
}

static double torus(rv_vec3 p, const rv_solid_def *s)
{
    double tube = s->radius2 < 0 ? 0.25 * s->radius : s->radius2;
    return length2(length2(p.x, p.y) - s->radius, p.z) - tube;
}

static double plane(rv_vec3 p, const rv_solid_def *s)
{
    double len = length3(s->normal);
    return len > 0 ? dot(p, s->normal) / len : p.z;
}

// ---- Noise ---------------------------------------------------------------------------------------

static double lattice(int32_t x, int32_t y, int32_t z, uint32_t seed)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu ^
                 seed * 0x9e3779b9u;
    h ^= h >> 15, h *= 0x2c1b3c6du, h ^= h >> 12, h *= 0x297a2d39u, h ^= h >> 15;
    return (double)h * (2.0 / 4294967295.0) - 1.0;
}

static double smooth(double t)
{
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0);
}

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

// Values on a lattice, smoothly joined, within -1 … 1.
static double value_noise(rv_vec3 p, uint32_t seed)
{
    double fx = floor(p.x), fy = floor(p.y), fz = floor(p.z);
    int32_t x = (int32_t)fx, y = (int32_t)fy, z = (int32_t)fz;
    double tx = smooth(p.x - fx), ty = smooth(p.y - fy), tz = smooth(p.z - fz);
    double plane_value[2];
    for (int k = 0; k < 2; k++) {
        double low = mix(lattice(x, y, z + k, seed), lattice(x + 1, y, z + k, seed), tx);
        double high = mix(lattice(x, y + 1, z + k, seed), lattice(x + 1, y + 1, z + k, seed), tx);
        plane_value[k] = mix(low, high, ty);
    }
    return mix(plane_value[0], plane_value[1], tz);
}

static double noise(const rv_solid_def *s, rv_vec3 p)
{
    double sum = 0, weight = 1, total = 0, scale = 1.0 / s->noise_size;
    for (int i = 0; i < s->noise_octaves; i++) {
        rv_vec3 q = {p.x * scale, p.y * scale, p.z * scale};
        sum += weight * value_noise(q, (uint32_t)s->noise_seed * 31u + (uint32_t)i);
        total += weight;
        weight *= 0.5, scale *= 2.0;
    }
    return s->noise * sum / total;
}

// ---- One solid -----------------------------------------------------------------------------------

// Inverse of: turn about x, then y, then z.
static rv_vec3 turn_back(rv_vec3 p, rv_vec3 a)
{
    if (a.z != 0) {
        double c = cos(a.z), s = sin(a.z);
        p = (rv_vec3){c * p.x + s * p.y, c * p.y - s * p.x, p.z};
    }
    if (a.y != 0) {
        double c = cos(a.y), s = sin(a.y);
        p = (rv_vec3){c * p.x - s * p.z, p.y, c * p.z + s * p.x};
    }
    if (a.x != 0) {
        double c = cos(a.x), s = sin(a.x);
        p = (rv_vec3){p.x, c * p.y + s * p.z, c * p.z - s * p.y};
    }
    return p;
}

static rv_vec3 into_frame(const rv_solid_def *s, rv_vec3 p)
{
    if (s->mirror == RV_MIRROR_X || s->mirror == RV_MIRROR_XY) p.x = fabs(p.x);
    if (s->mirror == RV_MIRROR_Y || s->mirror == RV_MIRROR_XY) p.y = fabs(p.y);
    p = turn_back(minus(p, s->at), s->rotate);
    double k = 1.0 / s->scale;
    return (rv_vec3){p.x * k, p.y * k, p.z * k};
}

static double join(double a, double b, rv_operation op, double blend)
{
    if (op == RV_SUBTRACT) b = -b;
    if (op == RV_UNION) {
        if (blend <= 0) return fmin(a, b);
        double h = fmax(blend - fabs(a - b), 0);
        return fmin(a, b) - 0.25 * h * h / blend;
    }
    if (blend <= 0) return fmax(a, b);
    double h = fmax(blend - fabs(a - b), 0);
    return fmax(a, b) + 0.25 * h * h / blend;
}

static double list_distance(const rv_solid_def *solids, int count, rv_vec3 p);

static double own_distance(const rv_solid_def *s, rv_vec3 p)
{
    switch (s->shape) {
    case RV_SHAPE_GROUP:
        return list_distance(s + 1, s->children, p);
    case RV_SHAPE_BOX:
        return box(p, s->size, s->round);
    case RV_SHAPE_SPHERE:
        return length3(p) - s->radius;
    case RV_SHAPE_ELLIPSOID:
        return ellipsoid(p, s->size);
    case RV_SHAPE_CAPSULE:
        return capsule(p, s);
    case RV_SHAPE_CYLINDER:
        return cylinder(p, s);
    case RV_SHAPE_CONE:
        return cone(p, s);
    case RV_SHAPE_TORUS:
        return torus(p, s);
    case RV_SHAPE_PLANE:
        return plane(p, s);
    }
    return INFINITY;
}

static double solid_distance(const rv_solid_def *s, rv_vec3 p)
{
    rv_vec3 q = into_frame(s, p);
    double d = own_distance(s, q);
    if (s->noise > 0 && fabs(d) < 4 * s->noise) d += noise(s, q);
    return d * s->scale;
}

static int extent(const rv_solid_def *s)
{
    return s->shape == RV_SHAPE_GROUP ? 1 + s->children : 1;
}

static double list_distance(const rv_solid_def *solids, int count, rv_vec3 p)
{
    double d = INFINITY;
    for (int i = 0; i < count; i += extent(&solids[i])) {
        double own = solid_distance(&solids[i], p);
        if (d == INFINITY && solids[i].op == RV_UNION)
            d = own;
        else if (d == INFINITY)
            continue; // nothing yet to take away from
        else
            d = join(d, own, solids[i].op, solids[i].blend);
    }
    return d;
}

double rv_solids_distance(const rv_solid_def *solids, int count, rv_vec3 p)
{
    return list_distance(solids, count, p);
}
