// Places the camera so that the whole block just fits, whatever its shape and the picture's.
#include "render/camera.h"

static vec3 corner_of(const rv_field *f, int n)
{
    return v3(n & 1 ? f->wide : 0, n & 2 ? f->deep : 0, n & 4 ? f->high : f->floor);
}

// How far back the eye must stand for the corners of the block to lie within the angles of view.
static float fitting_distance(const rv_camera *c, const rv_field *f, vec3 target)
{
    float distance = 1;
    for (int n = 0; n < 8; n++) {
        vec3 d = sub(corner_of(f, n), target);
        float ahead = dot(d, c->forward);
        distance = maxf(distance, fabsf(dot(d, c->right)) / c->sx - ahead);
        distance = maxf(distance, fabsf(dot(d, c->up)) / c->sy - ahead);
    }
    return distance * 1.05f; // a little air around it
}

// The near corners look larger than the far ones: where to look so that the block is in the middle.
static vec3 centred(const rv_camera *c, const rv_field *f, vec3 target)
{
    for (int n = 0; n < 4; n++) {
        float distance = fitting_distance(c, f, target), lo[2] = {1e9f, 1e9f},
              hi[2] = {-1e9f, -1e9f};
        for (int k = 0; k < 8; k++) {
            vec3 d = sub(corner_of(f, k), target);
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
