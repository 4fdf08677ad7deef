// The numbers of a step, from the parameters: the same as on the CPU, where the opening comment of
// src/particles/step.c has the formulas.
#include "render/splat_gl_parts.h"

#include <math.h>

#define WEIGHTLESS 9.81 // m/s², what stands for gravity in the stiffness where there is none

// Height of the grid, m.
static double height_of(const rv_splat_gl_state *s)
{
    if (s->sizes.form != RV_SPLAT_HEIGHT) return s->sizes.nz * s->sizes.dx;
    return s->params.grid_top - s->params.grid_bottom;
}

// Speed of sound at rest, m/s: of waves, in form height.
static double sound(const rv_splat_gl_state *s)
{
    const rv_params *p = &s->params;
    double weight = s->sizes.form == RV_SPLAT_HEIGHT ? rv_gravity_down(p) : rv_gravity_size(p);
    double g = weight > 0 ? weight : WEIGHTLESS;
    if (s->sizes.form == RV_SPLAT_HEIGHT) return sqrt(g * height_of(s));
    return sqrt(p->splat_gamma * p->splat_stiffness * g * height_of(s));
}

// Share of their own motion that particles lose in a step, by splat.pic and by viscosity.
static double lost(const rv_splat_gl_state *s, double dt)
{
    const rv_params *p = &s->params;
    if (p->splat_plain) return p->splat_pic;
    int axes = s->sizes.form == RV_SPLAT_3D ? 3 : 2;
    double spread = p->splat_radius * p->splat_radius / (8 + axes), dx = s->sizes.dx;
    double kept = 1 - 2 * p->liquid_viscosity * dt / (spread * dx * dx);
    return 1 - pow(1 - p->splat_pic, sound(s) * dt / dx) * fmax(kept, 0);
}

// What Σ of weights in liquid at rest goes with.
static double crowd(const rv_splat_gl_state *s, const rv_params *p)
{
    double apart = p->splat_radius / p->splat_spacing;
    return p->splat_rest * pow(apart, s->sizes.form == RV_SPLAT_3D ? 3 : 2);
}

// Open borders, a bit for each side of each axis of the grid.
static int32_t open_walls(const rv_splat_gl_state *s)
{
    const rv_params *p = &s->params;
    const rv_border side[2][2] = {{p->border_west, p->border_east},
                                  {p->border_south, p->border_north}};
    int32_t bits = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 2; i++)
            if ((s->axis[c] == 0 || s->axis[c] == 1) && side[s->axis[c]][i] == RV_BORDER_OPEN)
                bits |= 1 << (2 * c + i);
    return bits;
}

rv_result rv_splat_gl_set_law(rv_splat_gl_state *s, const rv_params *p)
{
    rv_splat_gl_numbers *n = &s->numbers;
    // The points of kernels, and the rim around the grid.
    if (2 * p->splat_radius + 0.25 > (double)s->gl->largest_point ||
        p->splat_radius > (double)n->parts[2])
        return RV_BAD_ARGUMENT;
    if (!(s->crowd > 0)) s->crowd = crowd(s, p); // what sizes.rest was for
    double rest = s->sizes.rest * crowd(s, p) / s->crowd;
    s->params = *p;
    bool plain = p->splat_plain;
    double stiff = sound(s) * sound(s) / p->splat_gamma;
    n->law[0] = s->sizes.form == RV_SPLAT_HEIGHT ? -1 : s->sizes.form == RV_SPLAT_2D ? 1 : 2;
    n->law[1] = p->splat_gamma;
    n->law[2] = plain, n->law[3] = p->splat_mirror && !plain;
    n->more[0] = p->splat_smooth && !plain, n->more[2] = open_walls(s);
    n->kernel[0] = (float)p->splat_radius;
    n->kernel[1] = (float)(1 / (p->splat_radius * p->splat_radius));
    n->kernel[2] = (float)rest, n->kernel[3] = (float)(1 / rest);
    double slack = p->splat_slack * stiff / p->splat_stiffness;
    n->press[0] = (float)stiff, n->press[1] = (float)(plain || slack > stiff ? stiff : slack);
    n->press[2] = (float)(rv_gravity_down(p) * p->splat_depth * s->sizes.dx * p->splat_rest);
    n->metre[0] = (float)s->sizes.dx, n->metre[1] = (float)(1 / s->sizes.dx);
    n->metre[2] = (float)rv_gravity_down(p);
    s->dt = -1; // what depends on it is to be found again
    s->stale_numbers = true, s->summed = -1;
    return RV_OK;
}

void rv_splat_gl_set_step(rv_splat_gl_state *s, double dt)
{
    const rv_params *p = &s->params;
    rv_splat_gl_numbers *n = &s->numbers;
    double dx = s->sizes.dx;
    if (!(s->dt < dt) && !(s->dt > dt)) return;
    bool calms = !p->splat_plain && s->sizes.form != RV_SPLAT_HEIGHT;
    double calm = calms ? p->splat_calm * sound(s) * dx : 0;
    n->press[3] = (float)(fmin(calm, 0.5 * dx * dx / dt) / (2 * dx));
    n->time[0] = (float)(dt / (2 * dx));
    const double pull[3] = {p->gravity.x, p->gravity.y, p->gravity.z};
    for (int c = 0; c < 3; c++)
        n->fall[c] = s->axis[c] >= 0 ? (float)(0.0 - dt * pull[s->axis[c]]) : 0;
    n->time[2] = (float)(dt / dx), n->time[3] = (float)lost(s, dt);
    n->stirring[3] = (float)dt;
    s->dt = dt, s->stale_numbers = true;
}
