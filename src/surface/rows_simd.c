// The loops of rows.h, written so that the compiler makes vectors of them.
#include "surface/rows.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

static void levels(const float *restrict base, const float *restrict depth,
                   const float *restrict over, int n, float *restrict level, float *restrict z)
{
    for (int x = 0; x < n; x++) {
        float d = depth[x] > 0.0f ? depth[x] : 0.0f;
        float h = base[x] + d, floor = base[x] + over[x];
        level[x] = h;
        z[x] = h > floor ? h : floor;
    }
}

static void links(const float *restrict level, const float *restrict min, const float *restrict max,
                  const float *restrict level_above, const float *restrict min_above,
                  const float *restrict max_above, const float *restrict base,
                  const float *restrict depth, float film, int n, int32_t *restrict bits)
{
    for (int x = 0; x < n; x++) {
        float h = level[x], low = min[x], high = max[x];
        int32_t b = 0;
#define LINK(other, lows, highs, at, bit)                                                          \
    b |= ((h >= lows[at]) & (h < highs[at]) & (other[at] >= low) & (other[at] < high)) ? (bit) : 0
        LINK(level, min, max, x + 1, RV_BIT_E);
        LINK(level_above, min_above, max_above, x + 1, RV_BIT_NE);
        LINK(level_above, min_above, max_above, x, RV_BIT_N);
        LINK(level_above, min_above, max_above, x - 1, RV_BIT_NW);
#undef LINK
        b |= depth[x] > film ? RV_BIT_WET : 0;
        b |= high > base[x] ? RV_BIT_THERE : 0;
        bits[x] = b;
    }
}

static void even(const int32_t *restrict below, const int32_t *restrict bits,
                 const int32_t *restrict above, int n, uint8_t *restrict out)
{
    for (int x = 0; x < n; x++) {
        int32_t all = bits[x] & (bits[x - 1] | ~RV_BIT_E) & (below[x] | ~RV_BIT_N) &
                      (below[x - 1] | ~RV_BIT_NE) & (below[x + 1] | ~RV_BIT_NW);
        int32_t own = bits[x] & RV_BITS_LINKS;
        int32_t wet = bits[x] & bits[x - 1] & bits[x + 1] & below[x - 1] & below[x] & below[x + 1] &
                      above[x - 1] & above[x] & above[x + 1] & RV_BIT_WET;
        out[x] = (uint8_t)((own == RV_BITS_LINKS) & ((all & RV_BITS_LINKS) == RV_BITS_LINKS) &
                           (wet != 0));
    }
}

const rv_surface_rows PASTE(rv_surface_rows_, RV_ISA);
const rv_surface_rows PASTE(rv_surface_rows_, RV_ISA) = {
    .name = TEXT(RV_ISA), .levels = levels, .links = links, .even = even};
