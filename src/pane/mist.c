// Micro-droplets on dry glass: a share of each cell that they cover, without a mass of its own.
// Drops, fingers and wipers wipe them off; they come back as m' = m + (most - m)(1 - exp(-t/τ)).
//
// They change slowly, so a substep brings only one band of rows in turn up to date, over all the
// time since it was last done.
#include "pane/glass.h"

void rv_glass_mist(rv_glass *s)
{
    rv_glass_clock *c = &s->clock;
    int band = (int)c->band, y0 = s->ny * band / RV_MIST_BANDS;
    int y1 = s->ny * (band + 1) / RV_MIST_BANDS;
    float most = (float)s->params.glass_mist;
    float more = (float)(1.0 - rv_decay((c->time - c->misted[band]) / s->params.glass_mist_return));
    for (int y = y0; y < y1; y++) {
        float *mist = s->mist + rv_cell(s, 0, y);
        const float *height = s->height + rv_cell(s, 0, y);
        for (int x = 0; x < s->nx; x++) {
            float next = mist[x] + (most - mist[x]) * more;
            mist[x] = height[x] > 0.0f ? 0.0f : next;
        }
    }
    c->misted[band] = c->time;
    c->band = (band + 1) % RV_MIST_BANDS;
}
