// Functions that C libraries round differently in the last bit: made here of sums, products and
// quotients alone, so that worlds have the same bits everywhere, in a browser too.
#ifndef RV_BASE_EXACT_H
#define RV_BASE_EXACT_H

#include <math.h>

// The cube root of a number, to about a unit in the last place; 0 of what is not above 0.
static inline double rv_cube_root(double v)
{
    if (!(v > 0)) return 0;
    int exponent;
    double m = frexp(v, &exponent); // 0.5 … 1
    while (exponent % 3 != 0) m *= 0.5, exponent++;
    // 0.125 … 1: a line, then Halley's steps, each of which trebles the digits that are right
    double r = 0.44 + 0.58 * m;
    for (int i = 0; i < 4; i++) {
        double cube = r * r * r;
        r += r * (m - cube) / (2 * cube + m);
    }
    return ldexp(r, exponent / 3);
}

// Cosine and sine of so many whole turns.
static inline void rv_cos_sin(double turns, double *cosine, double *sine)
{
    double quarters = floor(4 * turns + 0.5), x = (turns - 0.25 * quarters) * 6.28318530717958648;
    double square = x * x, c = 1, s = 1; // |x| is at most an eighth of a turn
    for (int n = 16; n >= 2; n -= 2) {
        c = 1 - square / (n * (n - 1)) * c;
        s = 1 - square / (n * (n + 1)) * s;
    }
    s *= x;
    int quadrant = (int)(quarters - 4 * floor(0.25 * quarters));
    *cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
    *sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
}

#endif
