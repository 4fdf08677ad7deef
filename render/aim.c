// The camera on the screen. The renderer alone knows how view.* becomes a camera; here it is asked
// for three rays, and everything follows from those.
#include "rivulet_gl/aim.h"

#include "render/lowest.h"

#define TURN 0.006    // rad a pixel
#define STEEPEST 1.55 // rad, of elevation
#define ROOM 0.96     // share of the window that a fitted scene takes

static rv_vec3 plus(rv_vec3 a, rv_vec3 b, double s)
{
    return (rv_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static rv_vec3 unit(rv_vec3 a)
{
    double length = sqrt(dot(a, a));
    double s = length > 0 ? 1 / length : 0;
    return (rv_vec3){s * a.x, s * a.y, s * a.z};
}

// From the middle of the picture to a point of its edge, at distance 1 along `forward`.
static rv_vec3 edge(rv_vec3 forward, rv_vec3 toward)
{
    double along = dot(forward, toward);
    rv_vec3 out = {toward.x / along, toward.y / along, toward.z / along};
    return plus(out, forward, -1);
}

rv_aim rv_aim_of(const rv_renderer *renderer, const rv_params *params, int width, int height)
{
    rv_ray middle = rv_renderer_ray(renderer, params, 0.5 * width, 0.5 * height);
    rv_ray right = rv_renderer_ray(renderer, params, width, 0.5 * height);
    rv_ray top = rv_renderer_ray(renderer, params, 0.5 * width, 0);
    rv_aim aim = {.eye = middle.from, .forward = unit(middle.toward)};
    aim.width = width, aim.height = height;
    aim.right = edge(aim.forward, unit(right.toward));
    aim.up = edge(aim.forward, unit(top.toward));
    return aim;
}

bool rv_aim_pixel(const rv_aim *aim, rv_vec3 point, double *x, double *y)
{
    if (!aim || !x || !y) return false;
    rv_vec3 d = plus(point, aim->eye, -1);
    double ahead = dot(d, aim->forward);
    if (!(ahead > 0)) return false;
    double a = dot(d, aim->right) / (ahead * dot(aim->right, aim->right));
    double b = dot(d, aim->up) / (ahead * dot(aim->up, aim->up));
    *x = 0.5 * (1 + a) * aim->width;
    *y = 0.5 * (1 - b) * aim->height;
    return true;
}

void rv_camera_orbit(rv_params *p, double dx, double dy)
{
    if (!p) return;
    p->view_azimuth = remainder(p->view_azimuth - TURN * dx, 2 * acos(-1));
    double e = p->view_elevation + TURN * dy;
    p->view_elevation = fmin(fmax(e, fmax(-STEEPEST, rv_eye_lowest(p))), STEEPEST);
}

void rv_camera_pin(rv_params *p, const rv_aim *aim, rv_vec3 point, double x, double y)
{
    if (!p || !aim || aim->width <= 0 || aim->height <= 0) return;
    double a = 2 * x / aim->width - 1, b = 1 - 2 * y / aim->height;
    rv_vec3 ray = plus(plus(aim->forward, aim->right, a), aim->up, b);
    double ahead = dot(plus(point, aim->eye, -1), aim->forward);
    if (!(ahead > 0)) return;
    rv_vec3 shift = plus(point, plus(aim->eye, ray, ahead), -1);
    p->view_x += shift.x, p->view_y += shift.y, p->view_z += shift.z;
}

// Heights between which the terrain is seen.
static void heights(const rv_columns *c, double *low, double *high)
{
    *low = c->bottom, *high = c->bottom;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *p = &c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++)
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot = rv_slot(p, x, y);
                if (c->max[slot] > c->base[slot] && c->base[slot] > *high) *high = c->base[slot];
            }
    }
}

double rv_camera_fit(const rv_renderer *renderer, const rv_world *world, const rv_params *params,
                     int width, int height, double covered)
{
    rv_columns c;
    if (width <= 0 || height <= 0 || rv_world_get_columns(world, &c) != RV_OK) return 1;
    rv_params p = params ? *params : rv_default_params();
    p.view_zoom = 1, p.view_x = p.view_y = p.view_z = 0;
    rv_aim aim = rv_aim_of(renderer, &p, width, height);
    double low, high, half = 0;
    heights(&c, &low, &high);
    for (int corner = 0; corner < 8; corner++) {
        rv_vec3 at = {c.x0 + (corner & 1 ? c.nx * c.dx : 0), c.y0 + (corner & 2 ? c.ny * c.dx : 0),
                      corner & 4 ? high : low};
        double x, y;
        if (rv_aim_pixel(&aim, at, &x, &y)) half = fmax(half, fabs(x - 0.5 * width));
    }
    double fit = ROOM * 0.5 * (width - covered) / half;
    return fit < 1 && fit > 0 ? fit : 1;
}

rv_params rv_camera_beside(const rv_renderer *renderer, const rv_params *params, double fit,
                           double covered)
{
    rv_params p = params ? *params : rv_default_params();
    p.view_zoom = fmax(fit * p.view_zoom, 0.01);
    double shift = 0.5 * covered * rv_renderer_pixel(renderer, &p);
    p.view_x -= shift * sin(p.view_azimuth);
    p.view_y += shift * cos(p.view_azimuth);
    return p;
}
