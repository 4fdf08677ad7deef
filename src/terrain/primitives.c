// Primitives: the exact signed distance of each shape in its own frame, negative inside.
//
// Every one of them changes by at most the distance that the point moves. That is what whole bricks
// are judged by (nodes.c), and why the ellipsoid's distance is solved for and not the usual cheap
// estimate, which on flat ellipsoids is wrong by their ratio. Sums are ordered (x + y) + z, so that
// a shape turned by a quarter about z gives the same bits.
#include "terrain/parts.h"

#include <math.h>
#include <string.h>

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static rv_vec3 minus(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length2(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double length3(rv_vec3 a)
{
    return sqrt(dot(a, a));
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// ---- Distances ----------------------------------------------------------------------------------

static double box(const rv_part *s, rv_vec3 p)
{
    double x = fabs(p.x) - s->as.box.half.x, y = fabs(p.y) - s->as.box.half.y;
    double z = fabs(p.z) - s->as.box.half.z;
    rv_vec3 outside = {larger(x, 0), larger(y, 0), larger(z, 0)};
    return length3(outside) + smaller(larger(larger(x, y), z), 0) - s->as.box.round;
}

// One term of the ellipsoid's equation: (e q / d)², and its share of the slope.
static void ellipsoid_term(double e, double q, double d, double *sum, double *slope)
{
    if (!(q > 0)) return; // the only case in which d may be 0
    double per = 1 / d, root = e * q * per;
    *sum += root * root, *slope += root * root * per;
}

// Lengths in units of the smallest half axis; e are the half axes, q the point, all not negative.
// The nearest point x satisfies x + (u - 1) x / e² = q for one number u ≥ 0, the root of
//     F(u) = Σ (e q / (u + e² - 1))² - 1,
// which falls and is convex, so Newton's steps from the left of the root climb to it and never pass
// it. They start where the largest single term is 1. The distance is (u - 1) |q / (u + e² - 1)|,
// inside where u < 1.
static double ellipsoid_distance(rv_vec3 e, rv_vec3 q)
{
    rv_vec3 gap = {e.x * e.x - 1, e.y * e.y - 1, e.z * e.z - 1};
    double u = larger(larger(e.x * q.x - gap.x, e.y * q.y - gap.y), larger(e.z * q.z - gap.z, 0));
    for (int i = 0; i < 64; i++) {
        double sum = 0, slope = 0;
        ellipsoid_term(e.x, q.x, u + gap.x, &sum, &slope);
        ellipsoid_term(e.y, q.y, u + gap.y, &sum, &slope);
        ellipsoid_term(e.z, q.z, u + gap.z, &sum, &slope);
        if (!(sum > 1)) break;
        double next = u + 0.5 * (sum - 1) / slope;
        if (!(next - u > 1e-15 * next)) break;
        u = next;
    }
    rv_vec3 d = {u + gap.x, u + gap.y, u + gap.z};
    rv_vec3 x = {q.x > 0 ? q.x / d.x : 0, q.y > 0 ? q.y / d.y : 0, q.z > 0 ? q.z / d.z : 0};
    if (u > 0) return (u - 1) * length3(x);
    // in the middle plane, so deep that the nearest point is off it, up or down the smallest axis
    rv_vec3 share = {x.x * e.x, x.y * e.y, x.z * e.z};
    return -sqrt(dot(x, x) + larger(1 - dot(share, share), 0));
}

static double ellipsoid(const rv_part *s, rv_vec3 p)
{
    double k = s->as.ellipsoid.shrink;
    rv_vec3 q = {fabs(p.x) * k, fabs(p.y) * k, fabs(p.z) * k};
    return s->as.ellipsoid.least * ellipsoid_distance(s->as.ellipsoid.ratio, q);
}

// A row of spheres whose radius changes evenly: the least of |p - c(t)| - r(t), which is convex in
// t.
static double capsule(const rv_part *s, rv_vec3 p)
{
    rv_vec3 q = minus(p, s->as.capsule.from), a = s->as.capsule.along;
    double ra = s->as.capsule.radius, rb = s->as.capsule.radius2, length = s->as.capsule.length;
    if (!(length > 0)) return length3(q) - larger(ra, rb);
    double along = dot(q, a);
    rv_vec3 cross = {q.y * a.z - q.z * a.y, q.z * a.x - q.x * a.z, q.x * a.y - q.y * a.x};
    double off = length3(cross);
    double t = along - off * s->as.capsule.shift;
    if (fabs(s->as.capsule.lean) >= 1) t = ra > rb ? 0 : length; // one end swallows the other
    t = smaller(larger(t, 0), length);
    return length2(along - t, off) - (ra - s->as.capsule.lean * t);
}

static double cylinder(const rv_part *s, rv_vec3 p)
{
    double x = length2(p.x, p.y) - s->as.cylinder.radius, y = fabs(p.z) - s->as.cylinder.half;
    return length2(larger(x, 0), larger(y, 0)) + smaller(larger(x, y), 0) - s->as.cylinder.round;
}

// In the half plane of radius and height the cone is a trapezium: distance to its boundary, signed.
static double cone(const rv_part *s, rv_vec3 p)
{
    double half = s->as.cone.half, run = s->as.cone.run, rise = s->as.cone.rise;
    double r = length2(p.x, p.y), over = r - s->as.cone.bottom, up = p.z + half;
    double bottom = length2(larger(over, 0), up);
    double top = length2(larger(r - s->as.cone.top, 0), p.z - half);
    double t = smaller(larger((over * run + up * rise) * s->as.cone.inverse, 0), 1);
    double side = length2(over - t * run, up - t * rise);
    double nearest = smaller(smaller(bottom, top), side);
    bool inside = fabs(p.z) < half && over * rise < up * run;
    return inside ? -nearest : nearest;
}

static double torus(const rv_part *s, rv_vec3 p)
{
    return length2(length2(p.x, p.y) - s->as.torus.ring, p.z) - s->as.torus.tube;
}

double rv_part_shape(const rv_part *s, rv_vec3 q)
{
    switch (s->shape) {
    case RV_SHAPE_BOX:
        return box(s, q);
    case RV_SHAPE_SPHERE:
        return length3(q) - s->as.sphere.radius;
    case RV_SHAPE_ELLIPSOID:
        return ellipsoid(s, q);
    case RV_SHAPE_CAPSULE:
        return capsule(s, q);
    case RV_SHAPE_CYLINDER:
        return cylinder(s, q);
    case RV_SHAPE_CONE:
        return cone(s, q);
    case RV_SHAPE_TORUS:
        return torus(s, q);
    case RV_SHAPE_PLANE:
        return dot(q, s->as.plane.normal);
    case RV_SHAPE_MESH:
    case RV_SHAPE_VOLUME:
    case RV_SHAPE_HEIGHTS:
        return s->as.form->kind->distance(s->as.form, q);
    case RV_SHAPE_GROUP:
        break;
    }
    return INFINITY;
}

// ---- Preparing ----------------------------------------------------------------------------------

static void prepare_ellipsoid(rv_part *s, rv_vec3 size)
{
    double least = 0.5 * smaller(size.x, smaller(size.y, size.z));
    s->as.ellipsoid.least = least, s->as.ellipsoid.shrink = 1 / least;
    s->as.ellipsoid.ratio =
        (rv_vec3){0.5 * size.x / least, 0.5 * size.y / least, 0.5 * size.z / least};
}

static void prepare_capsule(rv_part *s, const rv_solid_def *def)
{
    rv_vec3 axis = minus(def->to, def->from);
    double length = length3(axis), ra = def->radius, rb = def->radius2 < 0 ? ra : def->radius2;
    s->as.capsule.from = def->from, s->as.capsule.radius = ra, s->as.capsule.radius2 = rb;
    if (!(length > 0)) return;
    double lean = (ra - rb) / length;
    s->as.capsule.length = length, s->as.capsule.lean = lean;
    s->as.capsule.along = (rv_vec3){axis.x / length, axis.y / length, axis.z / length};
    if (fabs(lean) < 1) s->as.capsule.shift = lean / sqrt(1 - lean * lean);
}

static void prepare_cone(rv_part *s, const rv_solid_def *def)
{
    double bottom = def->radius, top = larger(def->radius2, 0);
    double run = top - bottom, rise = def->height;
    s->as.cone.bottom = bottom, s->as.cone.top = top, s->as.cone.half = 0.5 * rise;
    s->as.cone.run = run, s->as.cone.rise = rise;
    s->as.cone.inverse = 1 / (run * run + rise * rise);
}

static void prepare_plane(rv_part *s, rv_vec3 normal)
{
    double length = length3(normal); // not 0, see check.c
    s->as.plane.normal = (rv_vec3){normal.x / length, normal.y / length, normal.z / length};
}

static void prepare_shape(rv_part *s, const rv_solid_def *def)
{
    double round = def->round;
    switch (def->shape) {
    case RV_SHAPE_BOX:
        s->as.box.half = (rv_vec3){0.5 * def->size.x - round, 0.5 * def->size.y - round,
                                   0.5 * def->size.z - round};
        s->as.box.round = round;
        break;
    case RV_SHAPE_SPHERE:
        s->as.sphere.radius = def->radius;
        break;
    case RV_SHAPE_ELLIPSOID:
        prepare_ellipsoid(s, def->size);
        break;
    case RV_SHAPE_CAPSULE:
        prepare_capsule(s, def);
        break;
    case RV_SHAPE_CYLINDER:
        s->as.cylinder.radius = def->radius - round;
        s->as.cylinder.half = 0.5 * def->height - round;
        s->as.cylinder.round = round;
        break;
    case RV_SHAPE_CONE:
        prepare_cone(s, def);
        break;
    case RV_SHAPE_TORUS:
        s->as.torus.ring = def->radius;
        s->as.torus.tube = def->radius2 < 0 ? 0.25 * def->radius : def->radius2;
        break;
    case RV_SHAPE_PLANE:
        prepare_plane(s, def->normal);
        break;
    case RV_SHAPE_MESH:
    case RV_SHAPE_VOLUME:
    case RV_SHAPE_HEIGHTS:
        s->as.form = def->form;
        break;
    case RV_SHAPE_GROUP:
        break;
    }
}

// Quarter turns are made exact, so that a turned scene is the same scene, bit for bit.
static void turn(double angle, double *c, double *s)
{
    *c = cos(angle), *s = sin(angle);
    if (fabs(*c) < 1e-12) *c = 0, *s = *s > 0 ? 1 : -1;
    if (fabs(*s) < 1e-12) *s = 0, *c = *c > 0 ? 1 : -1;
}

// The inverse of: about x, then y, then z.
static void prepare_turn(rv_part *part, rv_vec3 angle)
{
    double cx, sx, cy, sy, cz, sz;
    turn(angle.x, &cx, &sx), turn(angle.y, &cy, &sy), turn(angle.z, &cz, &sz);
    part->turned = angle.x != 0 || angle.y != 0 || angle.z != 0;
    part->row[0] = (rv_vec3){cy * cz, cy * sz, -sy};
    part->row[1] = (rv_vec3){sx * sy * cz - cx * sz, sx * sy * sz + cx * cz, sx * cy};
    part->row[2] = (rv_vec3){cx * sy * cz + sx * sz, cx * sy * sz - sx * cz, cx * cy};
}

static void prepare_noise(rv_part *part, const rv_solid_def *def)
{
    double total = 0, weight = 1;
    for (int i = 0; i < def->noise_octaves; i++) total += weight, weight *= 0.5;
    part->noise = def->noise, part->noise_rate = 1 / def->noise_size;
    part->noise_share = total > 0 ? def->noise / total : 0;
    part->noise_octaves = def->noise_octaves, part->noise_seed = (uint32_t)def->noise_seed;
}

rv_part rv_part_of(const rv_solid_def *def)
{
    rv_part part;
    memset(&part, 0, sizeof part);
    part.shape = def->shape, part.op = def->op, part.mirror = def->mirror;
    part.children = def->shape == RV_SHAPE_GROUP && def->children > 0 ? def->children : 0;
    part.blend = def->blend, part.scale = def->scale, part.shrink = 1 / def->scale;
    part.at = def->at;
    part.look = (uint8_t)def->material;
    prepare_turn(&part, def->rotate);
    prepare_shape(&part, def);
    prepare_noise(&part, def);
    return part;
}
