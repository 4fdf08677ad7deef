// Places the camera so that the whole block just fits, whatever its shape and the picture's.
#include "render/eye.h"

#include "render/lowest.h"

enum { POINTS = 4 + 4 * RV_EXTENT_PEAKS * RV_EXTENT_PEAKS };

// Points that must be in the picture: the foot of the block, and the corners of its parts at the
// height of their peaks.
static vec3 point_of(const rv_extent *e, int n)
{
    int right = n & 1, back = n >> 1 & 1, part = (n >> 2) - 1, side = RV_EXTENT_PEAKS;
    if (part < 0 || e->peak[part] < e->floor)
        return v3(right ? e->wide : 0, back ? e->deep : 0, e->floor);
    float x = (float)(part % side + right) / (float)side;
    float y = (float)(part / side + back) / (float)side;
    return v3(x * e->wide, y * e->deep, e->peak[part]);
}

// How far back the eye must stand for all points to lie within the angles of view.
static float fitting_distance(const rv_eye *c, const rv_extent *e, vec3 target)
{
    float distance = 1;
    for (int n = 0; n < POINTS; n++) {
        vec3 d = sub(point_of(e, n), target);
        float ahead = dot(d, c->forward);
        distance = maxf(distance, 1.06f * fabsf(dot(d, c->right)) / c->sx - ahead);
        distance = maxf(distance, 1.06f * fabsf(dot(d, c->up)) / c->sy - ahead);
    }
    return distance;
}

// Near things look larger than far ones: where to look so that the block is in the middle.
static vec3 centred(const rv_eye *c, const rv_extent *e, vec3 target)
{
    for (int n = 0; n < 5; n++) {
        float distance = fitting_distance(c, e, target);
        float lo[2] = {1e9f, 1e9f}, hi[2] = {-1e9f, -1e9f};
        for (int k = 0; k < POINTS; k++) {
            vec3 d = sub(point_of(e, k), target);
            float z = distance + dot(d, c->forward);
            const float at[2] = {dot(d, c->right) / z, dot(d, c->up) / z};
            for (int a = 0; a < 2; a++) lo[a] = minf(lo[a], at[a]), hi[a] = maxf(hi[a], at[a]);
        }
        target = along(target, c->right, 0.5f * (lo[0] + hi[0]) * distance);
        target = along(target, c->up, 0.5f * (lo[1] + hi[1]) * distance);
    }
    return target;
}

// How near the eye must be for a pane to fill the picture, seen straight on; a hair nearer, so that
// its edge does not show.
static float filling_distance(const rv_eye *c, const rv_extent *e)
{
    return 0.498f * minf(e->wide / c->sx, e->deep / c->sy);
}

// Distances between which the whole grid lies, with its block; a tight range keeps depths exact.
static void find_range(rv_eye *c, const rv_extent *e)
{
    float near = INFINITY, far = 0;
    for (int n = 0; n < 8; n++) {
        vec3 p = v3(n & 1 ? e->wide + 1 : -1, n & 2 ? e->deep + 1 : -1,
                    n & 4 ? maxf(e->top, e->high) + 2 : e->floor - 1);
        float d = dot(sub(p, c->at), c->forward);
        near = minf(near, d), far = maxf(far, d);
    }
    c->far = maxf(far, 1) * 1.01f;
    c->near = maxf(near * 0.99f, c->far * 1e-3f);
}

rv_eye rv_eye_of(const rv_params *p, const rv_extent *extent, int width, int height)
{
    rv_eye c = {.width = width, .height = height};
    float a = (float)p->view_azimuth;
    float e = clamp((float)p->view_elevation, (float)rv_eye_lowest(p), (float)RV_STEEPEST);
    vec3 back = v3(cosf(e) * cosf(a), cosf(e) * sinf(a), sinf(e));
    c.forward = scale(back, -1);
    c.right = v3(-sinf(a), cosf(a), 0);
    c.up = cross(c.right, c.forward);
    c.sy = tanf(0.5f * (float)p->view_lens);
    c.sx = c.sy * (float)width / (float)height;
    vec3 middle = v3(0.5f * extent->wide, 0.5f * extent->deep, 0.5f * (extent->low + extent->high));
    vec3 target = extent->fill ? middle : centred(&c, extent, middle);
    float zoom = (float)p->view_zoom;
    float distance =
        extent->fill ? filling_distance(&c, extent) : fitting_distance(&c, extent, target);
    // Closer views look at the middle itself, from which the offsets are meant.
    target = mix(middle, target, minf(1 / zoom, 1));
    target.x += (float)(p->view_x / extent->dx), target.y += (float)(p->view_y / extent->dx);
    target.z += (float)(p->view_z / extent->dx);
    c.target = target;
    c.at = along(target, back, distance);
    c.sx /= zoom, c.sy /= zoom;
    find_range(&c, extent);
    return c;
}

void rv_eye_shift(rv_eye *c, const rv_extent *e, const float place[2], float radius, float focus)
{
    float distance = maxf(dot(sub(c->target, c->at), c->forward) + focus, 1);
    vec3 sharp = along(c->at, c->forward, distance), up = c->up;
    c->at = along(along(c->at, c->right, place[0] * radius), c->up, place[1] * radius);
    c->forward = unit(sub(sharp, c->at));
    c->right = unit(cross(c->forward, up));
    c->up = cross(c->right, c->forward);
    find_range(c, e);
}

void rv_eye_matrix(const rv_eye *c, float out[16])
{
    float a = (c->far + c->near) / (c->far - c->near);
    float b = -2 * c->far * c->near / (c->far - c->near);
    const vec3 row[4] = {scale(c->right, 1 / c->sx), scale(c->up, 1 / c->sy), scale(c->forward, a),
                         c->forward};
    for (int n = 0; n < 4; n++) {
        out[n] = row[n].x, out[4 + n] = row[n].y, out[8 + n] = row[n].z;
        out[12 + n] = -dot(row[n], c->at) + (n == 2 ? b : 0);
    }
}

vec3 rv_eye_ray(const rv_eye *c, float px, float py)
{
    float a = (2 * px / (float)c->width - 1) * c->sx, b = (1 - 2 * py / (float)c->height) * c->sy;
    return unit(along(along(c->forward, c->right, a), c->up, b));
}

bool rv_eye_pixel(const rv_eye *c, vec3 p, float *px, float *py)
{
    vec3 d = sub(p, c->at);
    float z = dot(d, c->forward);
    if (z <= 0) return false;
    *px = (dot(d, c->right) / (z * c->sx) + 1) * 0.5f * (float)c->width;
    *py = (1 - dot(d, c->up) / (z * c->sy)) * 0.5f * (float)c->height;
    return *px >= 0 && *py >= 0 && *px < (float)c->width && *py < (float)c->height;
}

bool rv_eye_hides(const rv_eye *eye, vec3 low, vec3 high)
{
    int left = 0, right = 0, below = 0, above = 0, behind = 0;
    for (int n = 0; n < 8; n++) {
        vec3 p = v3(n & 1 ? low.x : high.x, n & 2 ? low.y : high.y, n & 4 ? low.z : high.z);
        vec3 d = sub(p, eye->at);
        float ahead = dot(d, eye->forward), x = dot(d, eye->right), y = dot(d, eye->up);
        left += x<-ahead * eye->sx, right += x> ahead * eye->sx;
        below += y<-ahead * eye->sy, above += y> ahead * eye->sy;
        behind += ahead < 0;
    }
    return left == 8 || right == 8 || below == 8 || above == 8 || behind == 8;
}
