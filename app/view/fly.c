// A flight: heading and pitch are the camera's angles, and the camera moves along them. The
// renderer places the camera by what it looks at, so each frame shifts that by as much as the
// camera is off.
#include "app/view/fly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 128 };  // parts of the grid each way whose tops are known
#define TURN_KEY 0.05 // rad, one press
#define TURN_RATE 1.2 // 1/s: share of what is left to turn
#define FASTER 1.25   // one press
#define CROSSING 40.0 // s that it takes to cross the scene, at first
#define CLEAR 0.012   // of the scene's length, above ground and liquid
#define STEEPEST 1.4  // rad
#define BEYOND 0.5    // of the scene's length, that one may leave it by

// The highest ground or liquid of each part, with what is beside it.
static void find_tops(rv_fly *f, const rv_columns *c)
{
    for (int n = 0; n < SIDE * SIDE; n++) f->top[n] = (float)c->bottom;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *p = &c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++)
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot = rv_slot(p, x, y);
                if (c->max[slot] <= c->base[slot]) continue;
                int i = (int)(x * c->dx / f->size), j = (int)(y * c->dx / f->size);
                float *top = &f->top[(j < SIDE ? j : SIDE - 1) * SIDE + (i < SIDE ? i : SIDE - 1)];
                float level = c->base[slot] + fmaxf(c->depth[slot], 0);
                if (level > *top) *top = level;
            }
    }
}

bool rv_fly_begin(rv_fly *f, const rv_renderer *renderer, const rv_world *world,
                  const rv_params *drawn, int width, int height)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK) return false;
    if (!f->top) f->top = malloc(SIDE * SIDE * sizeof *f->top);
    if (!f->top) return false;
    double length = fmax(c.nx, c.ny) * c.dx;
    f->size = length / SIDE, f->low[0] = c.x0, f->low[1] = c.y0;
    find_tops(f, &c);
    f->clear = CLEAR * length, f->speed = length / CROSSING;
    f->turn = f->pitch = 0;
    f->at = rv_aim_of(renderer, drawn, width, height).eye;
    f->on = true;
    return true;
}

void rv_fly_steer(rv_fly *f, int right, int up, int faster)
{
    f->turn += TURN_KEY * right, f->pitch += TURN_KEY * up;
    f->speed *= pow(FASTER, faster);
}

// The top between the middles of parts, at the side the outermost one's.
static double top_at(const rv_fly *f, double x, double y)
{
    double u = fmin(fmax((x - f->low[0]) / f->size - 0.5, 0), SIDE - 1);
    double v = fmin(fmax((y - f->low[1]) / f->size - 0.5, 0), SIDE - 1);
    int i = u < SIDE - 2 ? (int)u : SIDE - 2, j = v < SIDE - 2 ? (int)v : SIDE - 2;
    const float *t = &f->top[j * SIDE + i];
    double s = u - i, w = v - j;
    return (1 - w) * ((1 - s) * (double)t[0] + s * (double)t[1]) +
           w * ((1 - s) * (double)t[SIDE] + s * (double)t[SIDE + 1]);
}

void rv_fly_turn(rv_fly *f, rv_params *p, double seconds)
{
    double share = 1 - exp(-TURN_RATE * 2 * seconds);
    p->view_azimuth = remainder(p->view_azimuth - share * f->turn, 2 * acos(-1));
    p->view_elevation = fmin(fmax(p->view_elevation - share * f->pitch, -STEEPEST), STEEPEST);
    f->turn *= 1 - share, f->pitch *= 1 - share;
    p->view_zoom = 1;
}

void rv_fly_move(rv_fly *f, rv_params *p, const rv_aim *aim, double seconds)
{
    double way = f->speed * seconds, length = SIDE * f->size, least;
    f->at.x += way * aim->forward.x, f->at.y += way * aim->forward.y;
    f->at.z += way * aim->forward.z;
    f->at.x = fmin(fmax(f->at.x, f->low[0] - BEYOND * length), f->low[0] + (1 + BEYOND) * length);
    f->at.y = fmin(fmax(f->at.y, f->low[1] - BEYOND * length), f->low[1] + (1 + BEYOND) * length);
    least = top_at(f, f->at.x, f->at.y) + f->clear;
    if (f->at.z < least) f->at.z = least;
    p->view_x += f->at.x - aim->eye.x, p->view_y += f->at.y - aim->eye.y;
    p->view_z += f->at.z - aim->eye.z;
}

void rv_fly_free(rv_fly *f)
{
    free(f->top);
    memset(f, 0, sizeof *f);
}
