// What full columns can take when a passage is solved by pressure.
#include "columns/passages/passages.h"

#define LIMIT_ROUNDS 60
#define LIMIT_GENTLE 20 // rounds in which outflow still counts as room

// A full column may take as much as it gives: its room is what is free plus what leaves. Where a
// gate is full or empty and cuts a flux, the cut goes back through the passage until every column
// fits.
void rv_pressure_scales(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t k = 0; k < w->count; k++)
        if (w->member[k]) s->in_scale[w->slot[k]] = 1.0f;
    for (int round = 0; round < LIMIT_ROUNDS; round++) {
        bool cut = false;
        for (uint32_t k = 0; k < w->count; k++) {
            uint32_t i = w->slot[k];
            w->share[k] = s->in_scale[i];
            if (!w->member[k]) continue;
            rv_through t = rv_pipes_through(s, i, true);
            float out = round < LIMIT_GENTLE ? t.out : 0.0f;
            float room = rv_f_max(rv_cap(s, i) * RV_DEPTH_SHARE - s->depth[i], 0.0f) + out;
            if (t.in <= room) continue;
            w->share[k] = rv_f_min(w->share[k], RV_DEPTH_SHARE * room / t.asked);
            cut = true;
        }
        if (!cut) return;
        for (uint32_t k = 0; k < w->count; k++) s->in_scale[w->slot[k]] = w->share[k];
    }
}
