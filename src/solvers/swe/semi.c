// Velocities traced back, as Chentanez and Müller carry them (SPEC §9): a face takes the velocity
// from where its liquid was a substep ago. No face moves by more than a cell in a substep, so that
// place lies between the face and its upstream neighbours. It keeps no momentum: shocks come out
// slow, and edges blur.
#include "solvers/swe/swe.h"

// Velocity at a place `back` and `side` cells upstream; steps lead to the upstream neighbours.
static float blend(float own, float along, float across, float both, float back, float side)
{
    float near = own + back * (along - own), far = across + back * (both - across);
    return near + side * (far - near);
}

static float share_of(float u, float courant)
{
    float c = rv_f_abs(u) * courant;
    return c < 1.0f ? c : 1.0f;
}

// One face at slot i whose neighbours stand `step` further along it and `side` across; v is the
// mean of the four velocities across around it.
static float trace(const float *u, size_t i, ptrdiff_t step, ptrdiff_t side, float v, float courant)
{
    ptrdiff_t at = (ptrdiff_t)i;
    ptrdiff_t back = u[i] > 0.0f ? -step : step, aside = v > 0.0f ? -side : side;
    return blend(u[at], u[at + back], u[at + aside], u[at + back + aside], share_of(u[i], courant),
                 share_of(v, courant));
}

// Faces of `count` cells of a row from cell x on, along both axes; x and y are -1 in the ring.
// Those of borders keep their velocity: what is beyond is not known.
void rv_swe_trace(rv_solver *s, int y, int x, int count)
{
    const float *u = s->last_x, *v = s->last_y;
    ptrdiff_t p = s->pitch;
    float courant = s->clock.last / (float)s->params.grid_dx;
    for (int k = x; k < x + count; k++) {
        size_t i = rv_swe_at(s, k, y), north = i + (size_t)p, south = i - (size_t)p;
        bool end_x = k < 0 || k >= s->nx - 1, end_y = y < 0 || y == s->ny - 1;
        s->speed_x[i] = u[i], s->speed_y[i] = v[i];
        if (!end_x && y >= 0) {
            float mean = 0.25f * ((v[i] + v[i + 1]) + (v[south] + v[south + 1]));
            s->speed_x[i] = trace(u, i, 1, p, mean, courant);
        }
        if (!end_y && k >= 0) {
            float mean = 0.25f * ((u[i] + u[north]) + (u[i - 1] + u[north - 1]));
            s->speed_y[i] = trace(v, i, p, 1, mean, courant);
        }
    }
}
