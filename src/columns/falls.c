// Liquid that runs over an edge onto a column far below: the flows of odd pipes, told to the world,
// which may let it fall as droplets (pipes paper §7 leaves this open).
#include "columns/joints.h"

static void way_of(rv_way way, int *dx, int *dy)
{
    static const int step[RV_WAYS][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    *dx = step[way][0], *dy = step[way][1];
}

void rv_pipes_falls(rv_engine *s, double drop, rv_on_fall *each, void *user)
{
    const rv_column_set *c = s->columns;
    for (uint32_t i = 0; i < s->odd_count; i++) {
        const rv_odd_pipe *p = &s->odd[i];
        float flux = s->odd_flux[i];
        if (flux == 0.0f || p->b == RV_NO_SLOT) continue;
        uint32_t from = flux > 0.0f ? p->a : p->b, to = flux > 0.0f ? p->b : p->a;
        double under = (double)c->base[from] - ((double)c->base[to] + (double)s->depth[to]);
        if (!(under >= drop)) continue;
        rv_place at = rv_place_of(c, to);
        rv_fall fall = {.from = from, .to = to, .x = at.x, .y = at.y};
        way_of((rv_way)p->way, &fall.dx, &fall.dy);
        if (flux < 0.0f) fall.dx = -fall.dx, fall.dy = -fall.dy;
        fall.volume = s->dt * fabs((double)flux);
        each(user, &fall);
    }
}
