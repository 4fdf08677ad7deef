// What particles are like as a whole: volume, depth, speed, energy.
#include "particles/splat.h"

#include "solvers/potential.h"

#include <math.h>

static double owed_volume(const rv_splat *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->columns->slots; i++) sum += (double)s->owed[i];
    return sum * s->dx * s->dx + s->clock.owed - s->clock.due;
}

// Σ of squares of speeds, m²/s², and of places along the grid's axes, cells; the greatest square.
typedef struct totals {
    double squares, place[3];
    float fastest;
} totals;

static void add_up(const rv_splat *s, totals *t)
{
    int size = rv_splat_size(s), axes = s->grid.axes;
    for (int64_t i = 0; i < s->count; i++) {
        const float *at = rv_splat_particle(s, i), *u = at + size;
        float square = 0.0f;
        for (int c = 0; c < axes; c++) square += u[c] * u[c], t->place[c] += (double)at[c];
        t->squares += (double)square;
        if (square > t->fastest) t->fastest = square;
    }
}

// Volume, energies, and the speed of the fastest particle. What is owed lies on its columns at
// rest; in form height particles have no height of their own, and the columns' depths tell.
static void weigh(rv_splat *s, rv_solver_stats *out)
{
    const rv_params *p = &s->params;
    totals t = {0};
    double lift = 0;
    rv_lock_take(&s->showing);
    bool told = rv_splat_fetch_totals(s, &t.squares, t.place);
    if (!told) rv_splat_fetch(s);
    if (!told) add_up(s, &t); // a reader that makes the density has them in another order meanwhile
    int64_t count = s->count;
    rv_lock_give(&s->showing);
    out->volume = (double)count * s->each + owed_volume(s);
    out->fastest = told ? (double)s->clock.fastest : sqrt((double)t.fastest);
    out->kinetic = 0.5 * p->liquid_density * s->each * t.squares;
    out->potential = rv_potential(s->columns, p, s->grid.up < 0 ? s->depth : s->owed);
    if (s->grid.up < 0) return;
    const double pull[3] = {p->gravity.x, p->gravity.y, p->gravity.z};
    for (int world = 0; world < 3; world++) { // from the middle, and from the bottom
        int c = s->axis_of[world];
        double from = c == s->grid.up ? 0 : 0.5;
        if (c >= 0) lift -= pull[world] * (t.place[c] - (double)count * from * s->grid.n[c]);
    }
    out->potential += p->liquid_density * s->each * s->dx * lift;
}

void rv_splat_measure(rv_splat *s, rv_solver_stats *out)
{
    rv_lock_take(&s->showing);
    rv_splat_see(s);
    rv_lock_give(&s->showing);
    *out = s->totals;
    out->wet = 0, out->deepest = 0;
    weigh(s, out);
    for (size_t i = 0; i < s->columns->slots; i++) {
        if (!(s->depth[i] > 0.0f)) continue;
        out->wet++;
        if ((double)s->depth[i] > out->deepest) out->deepest = (double)s->depth[i];
    }
}
