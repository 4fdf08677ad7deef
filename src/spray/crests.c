// Columns that rise faster than a height field can hold: splash crowns, jets, crests that break.
//
// A column rises at the speed that its pipes fill it with. It throws where this is more than the
// rule's speed and the column stands over the mean of its neighbours by more than the rule's
// height: then liquid that has that speed is not held by liquid beside it. In dt it throws a share
// of what rose, at most what stands over that height, and at most half of what it has. Walls beside
// a column are mirrors. What flows through the column gives droplets their speed sideways, as if it
// all ran in a layer of one cell at its top: a crown opens outward, however deep the water.
#include "spray/spray.h"

// Level of the column beside, or its own where there is a wall or no column.
static double level_beside(const rv_column_set *set, const rv_spray_flow *f, size_t slot,
                           double own)
{
    if (!rv_column_exists(set, slot) || (double)set->base[slot] > own) return own;
    return rv_surface_level(set, f->depth, f->lift, slot);
}

static double mean_beside(const rv_column_set *set, const rv_spray_flow *f, size_t i, size_t pitch,
                          double own)
{
    return 0.25 * ((level_beside(set, f, i - 1, own) + level_beside(set, f, i + 1, own)) +
                   (level_beside(set, f, i - pitch, own) + level_beside(set, f, i + pitch, own)));
}

// m/s, from the pipes to columns of the same plane.
static double rise_of(const rv_spray_flow *f, size_t i, size_t pitch, double dx)
{
    double in = ((double)f->flux_x[i - 1] - (double)f->flux_x[i]) +
                ((double)f->flux_y[i - pitch] - (double)f->flux_y[i]);
    return in / (dx * dx);
}

// The frequency of a short wave over that of shallow water, kh = wave number times depth: so much
// slower does a crest of few cells rise where the water is deep.
static double slowness(double kh)
{
    return kh > 1e-3 ? sqrt(tanh(kh) / kh) : 1;
}

static bool throws(const rv_column_set *set, const rv_spray_flow *f, const rv_throw_rule *rule,
                   double dt, size_t i, size_t pitch, rv_crest *crest)
{
    double dx = set->grid.dx, depth = (double)f->depth[i];
    double level = rv_surface_level(set, f->depth, f->lift, i);
    crest->rise = rise_of(f, i, pitch, dx);
    if (!(crest->rise > rule->speed)) return false;
    crest->rise = fmin(crest->rise * slowness(rule->wave * depth), rule->most);
    if (!(crest->rise > rule->speed)) return false;
    double over = level - mean_beside(set, f, i, pitch, level) - rule->height;
    crest->depth = fmin(fmin(over, rule->share * crest->rise * dt), 0.5 * depth);
    if (!(crest->depth >= rule->least)) return false;
    crest->slot = i, crest->level = level;
    double layer = dx * fmin(depth, dx);
    crest->u = 0.5 * ((double)f->flux_x[i - 1] + (double)f->flux_x[i]) / layer;
    crest->v = 0.5 * ((double)f->flux_y[i - pitch] + (double)f->flux_y[i]) / layer;
    double speed = sqrt(crest->u * crest->u + crest->v * crest->v);
    if (speed > crest->rise) crest->u *= crest->rise / speed, crest->v *= crest->rise / speed;
    return true;
}

int rv_spray_find_crests(rv_spray *spray, const rv_column_set *set, const rv_spray_flow *flow,
                         const rv_throw_rule *rule, double dt)
{
    float film = (float)(2 * rule->least);
    int found = 0;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            size_t first = rv_slot(p, p->x0, y);
            for (int x = 0; x < p->nx; x++) {
                rv_crest crest = {.x = p->x0 + x, .y = y};
                if (!(flow->depth[first + (size_t)x] >= film)) continue;
                if (!rv_column_exists(set, first + (size_t)x)) continue;
                if (!throws(set, flow, rule, dt, first + (size_t)x, (size_t)p->pitch, &crest))
                    continue;
                if (found < spray->room)
                    spray->crest[found++] = crest;
                else
                    spray->refused++;
            }
        }
    }
    return found;
}

double rv_spray_highest(const rv_column_set *set, const float *depth, const float *lift)
{
    double highest = set->grid.bottom;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        rv_rows own = rv_rows_both((rv_rows){p->y0, p->y0 + p->ny}, rv_grid_own(&set->grid));
        for (int y = own.from; y < own.to; y++) {
            size_t first = rv_slot(p, p->x0, y);
            for (size_t i = first; i < first + (size_t)p->nx; i++) {
                if (!rv_column_exists(set, i)) continue;
                double level = rv_surface_level(set, depth, lift, i);
                highest = level > highest ? level : highest;
            }
        }
    }
    return highest;
}
