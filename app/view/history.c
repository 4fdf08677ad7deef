// The last few hundred frames of some quantities, in a ring.
#include "app/view/history.h"

void rv_history_clear(rv_history *h)
{
    h->count = h->next = 0;
}

void rv_history_add(rv_history *h, const float value[RV_QUANTITIES])
{
    for (int i = 0; i < RV_QUANTITIES; i++) h->value[i][h->next] = value[i];
    h->next = (h->next + 1) % RV_HISTORY;
    if (h->count < RV_HISTORY) h->count++;
}

float rv_history_at(const rv_history *h, rv_quantity which, int back)
{
    if (back < 0 || back >= h->count) return 0;
    return h->value[which][(h->next - 1 - back + 2 * RV_HISTORY) % RV_HISTORY];
}

float rv_history_mean(const rv_history *h, rv_quantity which, int frames)
{
    int n = frames < h->count ? frames : h->count;
    float sum = 0;
    for (int i = 0; i < n; i++) sum += rv_history_at(h, which, i);
    return n > 0 ? sum / (float)n : 0;
}

float rv_history_most(const rv_history *h, rv_quantity which)
{
    float most = rv_history_at(h, which, 0);
    for (int i = 1; i < h->count; i++) {
        float v = rv_history_at(h, which, i);
        if (v > most) most = v;
    }
    return most;
}

float rv_history_least(const rv_history *h, rv_quantity which)
{
    float least = rv_history_at(h, which, 0);
    for (int i = 1; i < h->count; i++) {
        float v = rv_history_at(h, which, i);
        if (v < least) least = v;
    }
    return least;
}
