// Velocities traced back, as Chentanez and Müller carry them (docs/swe.md): a pipe takes the
// velocity from where its liquid was a substep ago. No liquid moves by more than a cell in a
// substep, so that place lies between the pipe and its upstream neighbours. It keeps no momentum:
// shocks come out slow, and edges blur.
#include "columns/sweep.h"

// Velocity at a place `back` and `side` cells upstream.
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

const float *rv_band_trace(rv_band *t, int plane, int y, int x, int count, rv_way way)
{
    bool along_y = way == RV_WAY_Y;
    float courant = t->s->law.lead;
    const float *u[3], *v[3]; // rows y - 1, y, y + 1, of this way and of the other
    for (int k = 0; k < 3; k++) {
        u[k] = rv_band_speed(t, plane, y - 1 + k, way);
        v[k] = rv_band_speed(t, plane, y - 1 + k, along_y ? RV_WAY_X : RV_WAY_Y);
    }
    for (int i = x; i < x + count; i++) {
        float own = u[1][i];
        float mean = along_y ? 0.25f * ((v[1][i] + v[2][i]) + (v[1][i - 1] + v[2][i - 1]))
                             : 0.25f * ((v[1][i] + v[1][i + 1]) + (v[0][i] + v[0][i + 1]));
        int back = own > 0.0f ? -1 : 1, aside = mean > 0.0f ? -1 : 1;
        const float *row_along = u[along_y ? 1 + back : 1],
                    *row_across = u[along_y ? 1 : 1 + aside];
        const float *row_both = u[along_y ? 1 + back : 1 + aside];
        int at_along = along_y ? i : i + back, at_across = along_y ? i + aside : i;
        int at_both = along_y ? i + aside : i + back;
        t->scratch[along_y][i] =
            blend(own, row_along[at_along], row_across[at_across], row_both[at_both],
                  share_of(own, courant), share_of(mean, courant));
    }
    return t->scratch[along_y] + x;
}
