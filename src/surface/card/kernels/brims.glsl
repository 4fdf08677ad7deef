// Films that run on along edges that drip, over columns that are dry (../../flanks.c): a thread an
// edge. Rings are the depths that are shown, as the kernel `fill` has them.
layout(local_size_x = 64) in;

#include "flanks"

#define BRIM_LEAST 0.04
#define BRIM_SHARE 0.6

#define BRIM_FAR 5
#define PLACES 40

uint seen[4];
ivec4 wet_at[PLACES], dry_at[PLACES]; // edge; in cells from the one that it is about; steps
int number;
precise float sum;

bool is_new(int x, int y)
{
    int bit = (2 * BRIM_FAR + 1) * (y + BRIM_FAR) + x + BRIM_FAR;
    uint mask = 1u << uint(bit % 32);
    bool fresh_one = (seen[bit / 32] & mask) == 0u;
    seen[bit / 32] |= mask;
    return fresh_one;
}

void look_along(uint edge, float least)
{
    int from = 0, to = 1;
    seen[0] = seen[1] = seen[2] = seen[3] = 0u, number = 0, sum = 0.0;
    dry_at[0] = ivec4(int(edge), 0, 0, 0);
    is_new(0, 0);
    for (uint ring = 0u; ring < law.brim; ring++) {
        int end = to;
        for (; from < end; from++) {
            uint next[8], slot[8]; // each asked of memory for all eight at once
            float deep[8];
            ivec4 here = dry_at[from];
            for (uint k = 0u; k < 8u; k++) next[k] = flank_word(uint(here.x), FLANK_NEXT + k);
            for (uint k = 0u; k < 8u; k++)
                slot[k] = flank_word(next[k] != NONE ? next[k] : edge, FLANK_SLOT);
            for (int k = 0; k < 8; k++) deep[k] = depth[slot[k]];
            for (int k = 0; k < 8; k++) {
                int x = here.y + STEP_X[k], y = here.z + STEP_Y[k];
                if (next[k] == NONE || !is_new(x, y)) continue;
                float own = deep[k];
                ivec4 there = ivec4(int(next[k]), x, y, int(ring) + 1);
                if (!(own > least) && to < PLACES) dry_at[to++] = there;
                if (own > least && number < PLACES) wet_at[number++] = there, sum += own;
            }
        }
    }
}

bool on_both_sides()
{
    for (int i = 0; i < number; i++)
        for (int k = 0; k < i; k++)
            if (wet_at[i].w + wet_at[k].w - 1 <= int(law.brim) &&
                wet_at[i].y * wet_at[k].y + wet_at[i].z * wet_at[k].z < 0)
                return true;
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
    float brim = quotient_of(share, float(number));
    if (brim > law.film) rings[slot] = floatBitsToUint(brim);
}
