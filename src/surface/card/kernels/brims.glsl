// Films that run on along edges that drip, over columns that are dry (../../flanks.c): a thread an
// edge. Rings are the depths that are shown, as the kernel `fill` has them.
layout(local_size_x = 64) in;

#include "flanks"

#define BRIM_LEAST 0.04
#define BRIM_SHARE 0.6

uint seen_at; // bits of places five by five around the edge
float number;
precise float sum;

void note_at(int x, int y, float deep)
{
    seen_at |= 1u << uint(5 * (y + 2) + x + 2);
    number += 1.0, sum += deep;
}

void look_along(uint edge, float least)
{
    seen_at = 0u, number = 0.0, sum = 0.0;
    for (int k = 0; k < 8; k++) {
        uint beside = flank_word(edge, FLANK_NEXT + uint(k));
        if (beside == NONE) continue;
        float own = depth[flank_word(beside, FLANK_SLOT)];
        if (own > least) {
            note_at(STEP_X[k], STEP_Y[k], own);
            continue;
        }
        for (int i = 0; i < 8; i++) {
            uint next = flank_word(beside, FLANK_NEXT + uint(i));
            if (next == NONE) continue;
            float far = depth[flank_word(next, FLANK_SLOT)];
            if (far > least) note_at(STEP_X[k] + STEP_X[i], STEP_Y[k] + STEP_Y[i], far);
        }
    }
}

bool on_both_sides()
{
    for (int i = 0; i < 25; i++) {
        if ((seen_at >> i & 1u) == 0u) continue;
        for (int k = 0; k < i; k++)
            if ((seen_at >> k & 1u) != 0u &&
                (i % 5 - 2) * (k % 5 - 2) + (i / 5 - 2) * (k / 5 - 2) < 0)
                return true;
    }
    return false;
}

void main()
{
    uint edge = thread_x();
    if (edge >= law.count) return;
    uint slot = flank_word(edge, FLANK_SLOT);
    precise float thin = BRIM_LEAST * law.dx;
    if (depth[slot] > law.film) return;
    look_along(edge, larger(law.film, thin));
    if (!on_both_sides()) return;
    precise float share = BRIM_SHARE * sum;
    float brim = quotient_of(share, number);
    if (brim > law.film) rings[slot] = floatBitsToUint(brim);
}
