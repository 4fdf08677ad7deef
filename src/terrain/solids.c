// Solids: shapes moved, mirrored, roughened and combined, in the order of their list, starting from
// empty space.
//
// Empty space is infinitely far from any solid: a union makes the first solid, and subtracting from
// nothing or intersecting with it leaves nothing. Combined values are bounds: never more than the
// true distance outside.
#include "terrain/parts.h"
#include "terrain/terrain.h"

#include <math.h>

rv_vec3 rv_part_frame(const rv_part *part, rv_vec3 p, int image)
{
    if (image & 1) p.x = -p.x;
    if (image & 2) p.y = -p.y;
    p.x -= part->at.x, p.y -= part->at.y, p.z -= part->at.z;
    if (part->turned) {
        const rv_vec3 *r = part->row;
        p = (rv_vec3){r[0].x * p.x + r[0].y * p.y + r[0].z * p.z,
                      r[1].x * p.x + r[1].y * p.y + r[1].z * p.z,
                      r[2].x * p.x + r[2].y * p.y + r[2].z * p.z};
    }
    return (rv_vec3){p.x * part->shrink, p.y * part->shrink, p.z * part->shrink};
}

// Noise fades out between two and four times its height from the surface. It cannot make or close a
// surface there, being smaller than the distance, and most points need none.
double rv_part_finish(const rv_part *part, double own, rv_vec3 q)
{
    double far = RV_NOISE_FADE_END * part->noise, size = fabs(own);
    if (size < far) {
        double t = fmin((far - size) / (far - RV_NOISE_FADE_START * part->noise), 1);
        own += t * t * (3 - 2 * t) * rv_noise_at(part, q);
    }
    return own * part->scale;
}

// Sharp: the smaller or larger of the two. Smooth: where they differ by less than the blend, a
// parabola whose ends meet both in value and slope; equal to the sharp one elsewhere, to the bit
// (culling relies on it).
double rv_part_join(const rv_part *part, double a, double b)
{
    if (part->op == RV_SUBTRACT) b = -b;
    double h = part->blend - fabs(a - b);
    double seam = h > 0 ? 0.25 * h * h / part->blend : 0;
    if (part->op == RV_UNION) {
        double least = b < a ? b : a;
        return h > 0 ? least - seam : least;
    }
    double most = b > a ? b : a;
    return h > 0 ? most + seam : most;
}

static double list_distance(const rv_solid_def *solids, int count, rv_vec3 p);

static double solid_distance(const rv_solid_def *solid, const rv_part *part, rv_vec3 p)
{
    double nearest = INFINITY;
    for (int image = 0; image < 4; image++) {
        if (!rv_part_has_image(part, image)) continue;
        rv_vec3 q = rv_part_frame(part, p, image);
        double own = part->shape == RV_SHAPE_GROUP ? list_distance(solid + 1, part->children, q)
                                                   : rv_part_shape(part, q);
        own = rv_part_finish(part, own, q);
        if (own < nearest) nearest = own;
    }
    return nearest;
}

static double list_distance(const rv_solid_def *solids, int count, rv_vec3 p)
{
    double d = INFINITY;
    for (int i = 0; i < count;) {
        rv_part part = rv_part_of(&solids[i]);
        if (part.children > count - i - 1) part.children = count - i - 1;
        d = rv_part_join(&part, d, solid_distance(&solids[i], &part, p));
        i += 1 + part.children;
    }
    return d;
}

double rv_solids_distance(const rv_solid_def *solids, int count, rv_vec3 p)
{
    return list_distance(solids, count, p);
}
