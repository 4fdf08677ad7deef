// Micro-droplets on dry glass: a share of each cell that they cover, without a mass of its own.
// Drops, fingers and wipers wipe them off; they come back as m' = m + (most - m)(1 - exp(-t/τ)).
//
// They change slowly, so a substep brings only one band of rows in turn up to date, over all the
// time since it was last done. Where it has come back whole nothing changes any more, and who keeps
// a copy need not look there.
#include "pane/glass.h"

// One row of one tile; returns whether it changed.
static bool grow(const float *height, float *mist, int count, float most, float more)
{
    int changed = 0;
    for (int x = 0; x < count; x++) {
        float before = mist[x], next = before + (most - before) * more;
        mist[x] = height[x] > 0.0f ? 0.0f : next;
        changed |= mist[x] != before;
    }
    return changed;
}

void rv_glass_mist(rv_glass *s)
{
    rv_glass_clock *c = &s->clock;
    int band = (int)c->band, y0 = s->ny * band / RV_MIST_BANDS;
    int y1 = s->ny * (band + 1) / RV_MIST_BANDS;
    float most = (float)s->params.glass_mist;
    float more = (float)(1.0 - rv_decay((c->time - c->misted[band]) / s->params.glass_mist_return));
    for (int y = y0; y < y1; y++) {
        size_t row = rv_cell(s, 0, y), tile = rv_tile_of(s, 0, y);
        for (int x = 0; x < s->nx; x += RV_GLASS_TILE, tile++) {
            size_t cell = row + (size_t)x;
            int count = s->nx - x < RV_GLASS_TILE ? s->nx - x : RV_GLASS_TILE;
            if (grow(s->height + cell, s->mist + cell, count, most, more))
                s->mist_changes[tile] = s->changes;
        }
    }
    c->misted[band] = c->time;
    c->band = (band + 1) % RV_MIST_BANDS;
}
