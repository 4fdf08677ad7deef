// Places the camera so that the whole block just fits, whatever its shape and the picture's.
#include "render/camera.h"

// How far back the eye must stand for the corners of the block to lie within the angles of view.
static float fitting_distance(const rv_camera *c, const rv_field *f, vec3 target)
{
    float distance = 1;
    for (int n = 0; n < 8; n++) {
        vec3 corner = v3(n & 1 ? f->wide : 0, n & 2 ? f->deep : 0, n & 4 ? f->high : f->floor);
        vec3 d = sub(corner, target);
        float ahead = dot(d, c->forward);
        distance = fmaxf(distance, fabsf(dot(d, c->right)) / c->sx - ahead);
        distance = fmaxf(distance, fabsf(dot(d, c->up)) / c->sy - ahead);
    }
    return distance * 1.04f; // a little air around it
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
    // Zoom 1 without an offset looks at the middle of the block as it is seen.
    vec3 target = v3(0.5f * f->wide, 0.5f * f->deep, 0.5f * (f->floor + f->high));
    float distance = fitting_distance(&c, f, target);
    double dx = p->grid_dx;
    target.x += (float)(p->view_x / dx), target.y += (float)(p->view_y / dx);
    target.z += (float)(p->view_z / dx);
    c.eye = along(target, back, distance);
    c.sx /= (float)p->view_zoom, c.sy /= (float)p->view_zoom;
    return c;
}
