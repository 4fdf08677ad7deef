// The camera: from view.* to rays and back.
#ifndef RENDER_CAMERA_H
#define RENDER_CAMERA_H

#include "render/field.h"

typedef struct rv_camera {
    vec3 eye, right, up, forward; // cells
    float sx, sy;                 // tangents of half the angles of view
    int width, height;
} rv_camera;

// Zoom 1 shows all of the block; the lens is the vertical angle, zoom narrows it.
rv_camera rv_camera_of(const rv_params *params, const rv_field *field, int width, int height);

// The ray through a point of the picture, in pixels from its upper left corner.
static inline vec3 rv_camera_ray(const rv_camera *c, float px, float py)
{
    float a = (2 * px / (float)c->width - 1) * c->sx, b = (1 - 2 * py / (float)c->height) * c->sy;
    return unit(along(along(c->forward, c->right, a), c->up, b));
}

// The pixel a point is seen in. false: outside the picture.
static inline bool rv_camera_pixel(const rv_camera *c, vec3 p, int *x, int *y)
{
    vec3 d = sub(p, c->eye);
    float z = dot(d, c->forward);
    if (z <= 0) return false;
    float a = (dot(d, c->right) / (z * c->sx) + 1) * 0.5f * (float)c->width;
    float b = (1 - dot(d, c->up) / (z * c->sy)) * 0.5f * (float)c->height;
    if (!(a >= 0 && b >= 0 && a < (float)c->width && b < (float)c->height)) return false;
    *x = (int)a, *y = (int)b;
    return true;
}

#endif
