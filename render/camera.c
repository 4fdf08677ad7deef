// Places the camera so that the whole block just fits, whatever its shape and the picture's.
#include "render/camera.h"

enum { POINTS = 4 + 4 * RV_FIELD_PEAKS * RV_FIELD_PEAKS };

// Points that must be in the picture: the foot of the block, and the corners of its parts at the
// height of their peaks.
static vec3 point_of(const rv_field *f, int n)
{
    int right = n & 1, back = n >> 1 & 1, part = (n >> 2) - 1, side = RV_FIELD_PEAKS;
    if (part < 0 || f->peak[part] < f->floor)
        return v3(right ? f->wide : 0, back ? f->deep : 0, f->floor);
    float x = (float)(part % side + right) / (float)side,
          y = (float)(part / side + back) / (float)side;
    return v3(x * f->wide, y * f->deep, f->peak[part]);
}

// How far back the eye must stand for all points to lie within the angles of view.
static float fitting_distance(const rv_camera *c, const rv_field *f, vec3 target)
{
    float distance = 1;
    for (int n = 0; n < POINTS; n++) {
        vec3 d = sub(point_of(f, n), target);
        float ahead = dot(d, c->forward);
        distance = maxf(distance, 1.06f * fabsf(dot(d, c->right)) / c->sx - ahead);
        distance = maxf(distance, 1.06f * fabsf(dot(d, c->up)) / c->sy - ahead);
    }
    return distance;
}

// Near things look larger than far ones: where to look so that the block is in the middle.
static vec3 centred(const rv_camera *c, const rv_field *f, vec3 target)
{
    for (int n = 0; n < 5; n++) {
        float distance = fitting_distance(c, f, target);
        float lo[2] = {1e9f, 1e9f}, hi[2] = {-1e9f, -1e9f};
        for (int k = 0; k < POINTS; k++) {
            vec3 d = sub(point_of(f, k), target);
            float z = distance + dot(d, c->forward);
            const float at[2] = {dot(d, c->right) / z, dot(d, c->up) / z};
            for (int a = 0; a < 2; a++) lo[a] = minf(lo[a], at[a]), hi[a] = maxf(hi[a], at[a]);
        }
        target = along(target, c->right, 0.5f * (lo[0] + hi[0]) * distance);
        target = along(target, c->up, 0.5f * (lo[1] + hi[1]) * distance);
    }
    return target;
}

rv_camera rv_camera_of(const rv_params *p, const rv_field *f, int width, int height)
{
    rv_camera c;
    float a = (float)p->view_azimuth, e = clamp((float)p->view_elevation, -1.565f, 1.565f);
    vec3 back = v3(cosf(e) * cosf(a), cosf(e) * sinf(a), sinf(e));
    c.width = width, c.height = height;
    c.forward = scale(back, -1);
    c.right = v3(-sinf(a), cosf(a), 0);
    c.up = cross(c.right, c.forward);
    c.sy = tanf(0.5f * (float)p->view_lens);
    c.sx = c.sy * (float)width / (float)height;
    vec3 middle = v3(0.5f * f->wide, 0.5f * f->deep, 0.5f * (f->low + f->high));
    vec3 target = centred(&c, f, middle);
    float distance = fitting_distance(&c, f, target), zoom = (float)p->view_zoom;
    // Closer views look at the middle itself, from which the offsets are meant.
    target = mix(middle, target, minf(1 / zoom, 1));
    double dx = p->grid_dx;
    target.x += (float)(p->view_x / dx), target.y += (float)(p->view_y / dx);
    target.z += (float)(p->view_z / dx);
    c.eye = along(target, back, distance);
    c.sx /= zoom, c.sy /= zoom;
    return c;
}
