// Casting: the vertical line through a cell's middle meets solids; each gives one column
// (docs/terrain.md, pipes paper §3.1).
//
// Where the field changes sign between two samples, the height of the surface is interpolated
// between them. Below the grid all is solid. Heights are rounded to the grid's step here, so that
// what counts as a column is what the rounded heights say.
#include "terrain/field.h"

// Solids and voids thinner than this share of dz are noise of the interpolation, where the surface
// only touches a sample. As columns they would hold no liquid to speak of and force the solver to
// tiny substeps.
#define THIN 1e-3

typedef struct caster {
    const rv_grid *grid;
    rv_stack *out;
    double top, thin;
    bool solid;       // the line is in a solid
    double low;       // where it went in
    double min, base; // the solid below
    bool covered;     // no further solid counts: the top was reached
} caster;

static void add_column(caster *c, double max)
{
    rv_stack *s = c->out;
    if (s->count == RV_LAYERS_MAX) {
        s->dropped++;
        return;
    }
    float *column = s->column[s->count++];
    column[0] = (float)c->min, column[1] = (float)c->base, column[2] = (float)max;
}

static void enter_solid(caster *c, double z)
{
    c->solid = true, c->low = z;
}

// The solid from c->low to z ends.
static void leave_solid(caster *c, double z)
{
    c->solid = false;
    if (c->low - c->base < c->thin) { // no void worth the name between the two: one solid
        c->base = z;
        return;
    }
    if (z - c->low < c->thin) return;
    add_column(c, c->low);
    c->min = c->low, c->base = z;
}

static void cross(caster *c, int k, float a, float b)
{
    const rv_grid *g = c->grid;
    double share = (double)a / ((double)a - (double)b);
    double z = rv_grid_snap(g, g->bottom + (k + share) * g->dz);
    if (z >= c->top) {
        // above the lid nothing counts, but whether the line arrives there in a solid
        c->covered = true;
        return;
    }
    if (c->solid)
        leave_solid(c, z);
    else
        enter_solid(c, z);
}

static void finish(caster *c)
{
    double max = c->top;
    if (c->solid) {
        if (c->low - c->base < c->thin) return; // solid from the last bed to the lid
        max = c->low;
    }
    if (max - c->base >= c->thin) add_column(c, max);
}

void rv_stack_cast(const rv_grid *g, const rv_brick *bricks, int i, int j, rv_stack *out)
{
    double bottom = rv_grid_snap(g, g->bottom);
    caster c = {.grid = g, .out = out, .top = rv_grid_snap(g, g->top), .thin = THIN * g->dz};
    c.min = c.base = c.low = bottom;
    if (c.thin <= 0) c.thin = 1e-30;
    out->count = out->dropped = 0;
    size_t at = rv_brick_index(i, j, 0), step = rv_brick_index(0, 0, 1);
    float before = 0;
    for (int first = 0; first < g->nz && !c.covered; first += RV_BRICK) {
        const rv_brick *brick = &bricks[first >> RV_BRICK_SHIFT];
        if (first == 0) {
            before = brick->samples ? brick->samples[at] : brick->middle;
            c.solid = before < 0;
        }
        if (!brick->samples) { // nothing is crossed in it, nor on the way into it
            before = brick->middle;
            continue;
        }
        const float *sample = brick->samples + at;
        int n = g->nz - first < RV_BRICK ? g->nz - first : RV_BRICK;
        for (int k = 0; k < n && !c.covered; k++) {
            float now = sample[(size_t)k * step];
            if ((now < 0) != (before < 0)) cross(&c, first + k - 1, before, now);
            before = now;
        }
    }
    finish(&c);
}
