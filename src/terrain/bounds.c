// Boxes around solids: where an edit or a moving solid can matter at all.
//
// A union reaches as far as its parts, its smooth seam a quarter of the blend further; what is
// subtracted or intersected never adds anything.
#include "terrain/parts.h"

#include <math.h>

rv_ball rv_ball_around(rv_box b)
{
    double x = 0.5 * (b.high.x - b.low.x), y = 0.5 * (b.high.y - b.low.y);
    double z = 0.5 * (b.high.z - b.low.z);
    return (rv_ball){{b.low.x + x, b.low.y + y, b.low.z + z}, sqrt(x * x + y * y + z * z)};
}

rv_box rv_box_of_nothing(void)
{
    return (rv_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static rv_box all_space(void)
{
    return (rv_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

bool rv_box_meets(rv_box a, rv_box b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

rv_box rv_box_join(rv_box a, rv_box b)
{
    return (rv_box){{fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
                    {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)}};
}

rv_box rv_box_grow(rv_box b, double by)
{
    return (rv_box){{b.low.x - by, b.low.y - by, b.low.z - by},
                    {b.high.x + by, b.high.y + by, b.high.z + by}};
}

static rv_box around_origin(double x, double y, double z)
{
    return (rv_box){{-x, -y, -z}, {x, y, z}};
}

static rv_box capsule_box(const rv_part *s)
{
    rv_vec3 f = s->as.capsule.from, a = s->as.capsule.along;
    double l = s->as.capsule.length, ra = s->as.capsule.radius, rb = s->as.capsule.radius2;
    rv_vec3 t = {f.x + l * a.x, f.y + l * a.y, f.z + l * a.z};
    return rv_box_join(rv_box_grow((rv_box){f, f}, ra), rv_box_grow((rv_box){t, t}, rb));
}

// Of any shape but a group, in its own frame.
static rv_box shape_box(const rv_part *s)
{
    double r;
    switch (s->shape) {
    case RV_SHAPE_BOX:
        r = s->as.box.round;
        return around_origin(s->as.box.half.x + r, s->as.box.half.y + r, s->as.box.half.z + r);
    case RV_SHAPE_SPHERE:
        r = s->as.sphere.radius;
        return around_origin(r, r, r);
    case RV_SHAPE_ELLIPSOID:
        r = s->as.ellipsoid.least;
        return around_origin(r * s->as.ellipsoid.ratio.x, r * s->as.ellipsoid.ratio.y,
                             r * s->as.ellipsoid.ratio.z);
    case RV_SHAPE_CAPSULE:
        return capsule_box(s);
    case RV_SHAPE_CYLINDER:
        r = s->as.cylinder.radius + s->as.cylinder.round;
        return around_origin(r, r, s->as.cylinder.half + s->as.cylinder.round);
    case RV_SHAPE_CONE:
        r = fmax(s->as.cone.bottom, s->as.cone.top);
        return around_origin(r, r, s->as.cone.half);
    case RV_SHAPE_TORUS:
        r = s->as.torus.ring + s->as.torus.tube;
        return around_origin(r, r, s->as.torus.tube);
    case RV_SHAPE_MESH:
    case RV_SHAPE_VOLUME:
    case RV_SHAPE_HEIGHTS:
        return s->as.form->box;
    case RV_SHAPE_PLANE:
    case RV_SHAPE_GROUP:
        break;
    }
    return all_space();
}

// p = at + scale · (rows transposed) q; a box's image is the box around its eight corners.
rv_box rv_part_box_outside(const rv_part *part, rv_box own)
{
    if (!(own.low.x <= own.high.x)) return own;
    if (!isfinite(own.high.x - own.low.x) || !isfinite(own.high.y - own.low.y) ||
        !isfinite(own.high.z - own.low.z))
        return all_space();
    rv_box box = rv_box_of_nothing();
    for (int corner = 0; corner < 8; corner++) {
        rv_vec3 q = {(corner & 1 ? own.high.x : own.low.x) * part->scale,
                     (corner & 2 ? own.high.y : own.low.y) * part->scale,
                     (corner & 4 ? own.high.z : own.low.z) * part->scale};
        const rv_vec3 *r = part->row;
        if (part->turned)
            q = (rv_vec3){r[0].x * q.x + r[1].x * q.y + r[2].x * q.z,
                          r[0].y * q.x + r[1].y * q.y + r[2].y * q.z,
                          r[0].z * q.x + r[1].z * q.y + r[2].z * q.z};
        q.x += part->at.x, q.y += part->at.y, q.z += part->at.z;
        box = rv_box_join(box, (rv_box){q, q});
    }
    for (int image = 1; image < 4; image++) {
        if (!rv_part_has_image(part, image)) continue;
        rv_box m = box;
        if (image & 1) m.low.x = -box.high.x, m.high.x = -box.low.x;
        if (image & 2) m.low.y = -box.high.y, m.high.y = -box.low.y;
        box = rv_box_join(box, m);
    }
    return box;
}

rv_box rv_parts_box(const rv_part *parts, int count)
{
    rv_box box = rv_box_of_nothing();
    for (int i = 0; i < count;) {
        const rv_part *part = &parts[i];
        int children = part->children < count - i - 1 ? part->children : count - i - 1;
        i += 1 + children;
        if (part->op != RV_UNION) continue;
        rv_box own =
            part->shape == RV_SHAPE_GROUP ? rv_parts_box(part + 1, children) : shape_box(part);
        own = rv_part_box_outside(part, rv_box_grow(own, part->noise));
        box = rv_box_join(box, rv_box_grow(own, 0.25 * part->blend));
    }
    return box;
}
