// Sums that come out the same in any order. Sums of rounded numbers depend on the order of their
// terms only by their roundings; where all terms are whole multiples of one step, and the sum is
// not too many of them, there are none.
#include "columns/passages/passages.h"

#include <math.h>

// Least n with 2^n > count.
static int bits_of(uint32_t count)
{
    int bits = 1;
    while (bits < 32 && (1u << bits) <= count) bits++;
    return bits;
}

// 2^exponent > most, and n of them are at most 2^52 steps. Numbers of no use have none, by their
// exponents: these are what a graphics card looks at (../card/kernels/any_order.glsl).
double rv_rounder(uint32_t n, double most)
{
    int exponent;
    if (!(most > 0.0) || !(most < 0x1p930)) return 0.0;
    (void)frexp(most, &exponent);
    return exponent < -930 ? 0.0 : ldexp(1.5, exponent + bits_of(n));
}

double rv_sum_any_order(uint32_t n, rv_get *get, const void *context)
{
    double most = 0.0, sum = 0.0;
    for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(get(context, i)));
    double rounder = rv_rounder(n, most);
    for (uint32_t i = 0; i < n; i++) sum += rv_rounded(get(context, i), rounder);
    return sum;
}

// In lanes, since a maximum waits for the one before it.
double rv_most(uint32_t n, const double *v)
{
    double most[4] = {0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++) {
            double size = fabs(v[i + (uint32_t)lane]);
            most[lane] = size > most[lane] ? size : most[lane];
        }
    for (; i < n; i++) most[0] = fmax(most[0], fabs(v[i]));
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

double rv_passage_dot(uint32_t n, const double *a, const double *b)
{
    double most[4] = {0}, sum[4] = {0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double size = fabs(a[i + lane] * b[i + lane]);
            most[lane] = size > most[lane] ? size : most[lane];
        }
    for (; i < n; i++) most[0] = fmax(most[0], fabs(a[i] * b[i]));
    double rounder = rv_rounder(n, fmax(fmax(most[0], most[1]), fmax(most[2], most[3])));
    for (i = 0; i + 4 <= n; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++)
            sum[lane] += rv_rounded(a[i + lane] * b[i + lane], rounder);
    for (; i < n; i++) sum[0] += rv_rounded(a[i] * b[i], rounder);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
