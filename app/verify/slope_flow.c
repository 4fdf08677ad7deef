// A drop that runs down a plane: the shallow water equations with the drag of a film, in
// coordinates along (s) and across (y) the plane, h the thickness normal to it, a the slope,
//     dh/dt + d(hu)/ds + d(hv)/dy = 0,
//     du/dt + u du/ds + v du/dy = g sin(a) - g cos(a) dh/ds - 3 nu u / h²,
//     dv/dt + u dv/ds + v dv/dy =          - g cos(a) dh/dy - 3 nu v / h².
// Without the left of the last two this is lubrication theory; with it, the drop needs its time to
// fall together and spreads across while it does. Nothing here is vertical: no slope correction, no
// bed under the depths, no film that is cut off, and doubles throughout.
//
// Velocities stand on faces, thickness in cells. Momentum is carried in the form that keeps it
// (Stelling and Duinmeijer 2003), upwind. A face is as high as what comes from upstream where the
// plane drives the flow, and as the mean of h³ where thickness does: theory's own choice for
// either.
#include "slope_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DRY 1e-9 // m

// The half y >= 0. Cell (i, j) is at i * nj + j; u and fx of it stand on the face to i + 1, v and
// fy on the face to j + 1. A ring of one cell beyond 0 < i < ni - 1 and j < nj - 1 stays dry.
typedef struct flow {
    const rv_slope_def *def;
    int ni, nj;
    int low, high, across; // cells that may be wet: low <= i < high, j < across
    double sine, cosine;
    double *h, *u, *v, *fx, *fy, *next_u, *next_v;
} flow;

static double face_height(double from, double to, double fall)
{
    double apart = fabs(from - to), level = apart / (apart + fall + 1e-15);
    return level * cbrt(0.25 * (from + to) * (from * from + to * to)) + (1 - level) * from;
}

// What is carried into and out of the face between cells k and k + step, as a velocity a second.
// `speed` and `flux` are those along `step`, `cross` the flux along `side`; `mirror`: the cells
// before these two along `side` are their own images.
static double carried(const double *h, const double *speed, const double *flux, const double *cross,
                      size_t k, size_t step, size_t side, bool mirror, double d)
{
    double here = speed[k], behind = 0.5 * (flux[k - step] + flux[k]);
    double ahead = 0.5 * (flux[k] + flux[k + step]);
    double right = mirror ? 0 : 0.5 * (cross[k - side] + cross[k + step - side]);
    double left = 0.5 * (cross[k] + cross[k + step]);
    double sum = ahead * ((ahead > 0 ? here : speed[k + step]) - here) -
                 behind * ((behind > 0 ? speed[k - step] : here) - here);
    sum += left * ((left > 0 ? here : speed[k + side]) - here);
    if (!mirror) sum -= right * ((right > 0 ? speed[k - side] : here) - here);
    return sum / (d * 0.5 * (h[k] + h[k + step]));
}

static double next_speed(const flow *f, const double *speed, size_t k, size_t step, double drive,
                         double fall, double carry, double dt)
{
    const rv_slope_def *p = f->def;
    double a = f->h[k], b = f->h[k + step];
    double push = drive - p->gravity * f->cosine * (b - a) / p->side;
    double from = push > 0 ? a : b, to = push > 0 ? b : a;
    if (from <= DRY) return 0;
    double height = face_height(from, to, fall);
    return (speed[k] + dt * (push - carry)) / (1 + 3 * p->viscosity * dt / (height * height));
}

static void move_faces(flow *f, double dt)
{
    const double drive = f->def->gravity * f->sine, d = f->def->side;
    const double fall = d * f->sine / f->cosine;
    const size_t row = (size_t)f->nj;
    for (int i = f->low - 1; i < f->high; i++)
        for (int j = 0; j < f->across; j++) {
            size_t k = (size_t)i * row + (size_t)j;
            bool along = f->h[k] > DRY && f->h[k + row] > DRY;
            bool beside = f->h[k] > DRY && f->h[k + 1] > DRY;
            double cu = along ? carried(f->h, f->u, f->fx, f->fy, k, row, 1, j == 0, d) : 0;
            double cv = 0;
            // of v, the face beyond the middle line is the image of its own, with no flux between
            if (beside && j > 0) cv = carried(f->h, f->v, f->fy, f->fx, k, 1, row, false, d);
            f->next_u[k] = next_speed(f, f->u, k, row, drive, fall, cu, dt);
            f->next_v[k] = next_speed(f, f->v, k, 1, 0, 0, cv, dt);
        }
}

// A cell gives at most what it has.
static double share_of(const flow *f, size_t k, double dt)
{
    size_t row = (size_t)f->nj;
    double out = fmax(f->fx[k], 0) + fmax(-f->fx[k - row], 0) + fmax(f->fy[k], 0);
    if (k % row > 0) out += fmax(-f->fy[k - 1], 0);
    out *= dt / f->def->side;
    return out > f->h[k] ? f->h[k] / out : 1;
}

static void find_fluxes(flow *f, double dt)
{
    const double fall = f->def->side * f->sine / f->cosine;
    const size_t row = (size_t)f->nj;
    double *share = f->next_u; // free by now
    for (int i = f->low - 1; i < f->high; i++)
        for (int j = 0; j < f->across; j++) {
            size_t k = (size_t)i * row + (size_t)j;
            double h = f->h[k], e = f->h[k + row], n = f->h[k + 1];
            double u = f->u[k] = f->next_u[k], v = f->v[k] = f->next_v[k];
            f->fx[k] = u * (u > 0 ? face_height(h, e, fall) : face_height(e, h, fall));
            f->fy[k] = v * (v > 0 ? face_height(h, n, 0) : face_height(n, h, 0));
            // what is dry upstream gives nothing
            if ((u > 0 ? h : e) <= DRY) f->fx[k] = 0;
            if ((v > 0 ? h : n) <= DRY) f->fy[k] = 0;
        }
    for (int i = f->low - 1; i <= f->high; i++)
        for (int j = 0; j <= f->across; j++) {
            size_t k = (size_t)i * row + (size_t)j;
            share[k] = share_of(f, k, dt);
        }
    for (int i = f->low - 1; i < f->high; i++)
        for (int j = 0; j < f->across; j++) {
            size_t k = (size_t)i * row + (size_t)j;
            f->fx[k] *= share[f->fx[k] > 0 ? k : k + row];
            f->fy[k] *= share[f->fy[k] > 0 ? k : k + 1];
        }
}

static void move_cells(flow *f, double dt)
{
    const size_t row = (size_t)f->nj;
    const int low = f->low, high = f->high, across = f->across;
    f->low = f->ni, f->high = 0, f->across = 0;
    for (int i = low; i < high; i++)
        for (int j = 0; j < across; j++) {
            size_t k = (size_t)i * row + (size_t)j;
            double in = f->fx[k - row] - f->fx[k] - f->fy[k] + (j > 0 ? f->fy[k - 1] : 0);
            f->h[k] = fmax(0, f->h[k] + dt / f->def->side * in);
            if (f->h[k] <= DRY) continue;
            // a cell more all around, for what comes next
            if (i - 1 < f->low) f->low = i - 1;
            if (i + 2 > f->high) f->high = i + 2;
            if (j + 2 > f->across) f->across = j + 2;
        }
    if (f->low < 2) f->low = 2;
    if (f->high > f->ni - 2) f->high = f->ni - 2;
    if (f->across > f->nj - 2) f->across = f->nj - 2;
}

static double longest_step(const flow *f)
{
    double most = 0;
    for (int i = f->low; i < f->high; i++)
        for (int j = 0; j < f->across; j++) {
            size_t k = (size_t)i * (size_t)f->nj + (size_t)j;
            double wave = sqrt(2 * f->def->gravity * f->cosine * f->h[k]);
            if (f->h[k] > DRY) most = fmax(most, wave + fabs(f->u[k]) + fabs(f->v[k]));
        }
    return fmin(1e-3, 0.5 * f->def->side / most);
}

static double front_of(const flow *f)
{
    double edge = f->def->edge, d = f->def->side;
    for (int i = f->high; i-- > f->low;) {
        double here = f->h[(size_t)i * (size_t)f->nj],
               ahead = f->h[(size_t)(i + 1) * (size_t)f->nj];
        if (here >= edge) return (i + 0.5 + (here - edge) / (here - ahead)) * d - f->def->behind;
    }
    return NAN;
}

// The paraboloid of the columns, seen along the slope: h = H cos(a) at x = s cos(a).
static void start(flow *f)
{
    const rv_slope_def *p = f->def;
    double middle = 2 * p->volume / (PI * p->radius * p->radius), r2 = p->radius * p->radius;
    for (int i = 0; i < f->ni; i++)
        for (int j = 0; j < f->nj; j++) {
            double s = ((i + 0.5) * p->side - p->behind) * f->cosine, y = (j + 0.5) * p->side;
            double h = f->cosine * middle * fmax(0, 1 - (s * s + y * y) / r2);
            f->h[(size_t)i * (size_t)f->nj + (size_t)j] = h;
        }
    f->low = 2, f->high = f->ni - 2, f->across = f->nj - 2;
}

bool rv_slope_flow(const rv_slope_def *def, double end, int count, double *front)
{
    flow f = {.def = def, .sine = sin(def->slope), .cosine = cos(def->slope)};
    f.ni = (int)lround((def->ahead + def->behind) / def->side);
    f.nj = (int)lround(def->wide / def->side);
    size_t cells = (size_t)f.ni * (size_t)f.nj;
    double *all = calloc(7 * cells, sizeof *all), time = 0;
    if (!all) return false;
    f.h = all, f.u = all + cells, f.v = all + 2 * cells, f.fx = all + 3 * cells;
    f.fy = all + 4 * cells, f.next_u = all + 5 * cells, f.next_v = all + 6 * cells;
    start(&f);
    for (int k = 0; k <= count; k++) {
        double until = end * k / count;
        while (time < until) {
            double dt = fmin(longest_step(&f), until - time);
            move_faces(&f, dt);
            find_fluxes(&f, dt);
            move_cells(&f, dt);
            time = until - time <= dt ? until : time + dt;
        }
        front[k] = front_of(&f);
    }
    free(all);
    return true;
}
