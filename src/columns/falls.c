// Liquid that runs over an edge onto a column far below: the flows of odd pipes, told to the world,
// which may let it fall as droplets (pipes paper §7 leaves this open).
#include "columns/joints.h"

rv_fall rv_pipes_fall_of(const rv_engine *s, uint32_t pipe, bool back)
{
    static const int step[RV_WAYS][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    const rv_odd_pipe *p = &s->odd[pipe];
    uint32_t from = back ? p->b : p->a, to = back ? p->a : p->b;
    rv_place at = rv_place_of(s->columns, to);
    int sign = back ? -1 : 1;
    return (rv_fall){.from = from,
                     .to = to,
                     .x = at.x,
                     .y = at.y,
                     .dx = sign * step[p->way][0],
                     .dy = sign * step[p->way][1]};
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
        rv_fall fall = rv_pipes_fall_of(s, i, flux < 0.0f);
        fall.volume = s->span * fabs((double)flux);
        each(user, &fall);
    }
}
