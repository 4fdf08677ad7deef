// Functions of the mathematics library, made of sums, products and roots only, so that drops and
// droplets take the same way with every library and on every machine; and random numbers that
// depend on nothing but what they are asked for.
#ifndef RV_BASE_NUMBERS_H
#define RV_BASE_NUMBERS_H

#include <math.h>
#include <stdint.h>

#define RV_PI 3.14159265358979323846
#define RV_LN2 0.69314718055994530942

// exp(-x), x >= -700.
static inline double rv_decay(double x)
{
    if (!(x < 700.0)) return 0.0;
    x = fmax(x, -700.0);
    double k = floor(x / RV_LN2), r = x - k * RV_LN2, term = 1.0, sum = 1.0;
    for (int i = 1; i < 14; i++) term *= -r / i, sum += term;
    return ldexp(sum, -(int)k);
}

// Natural logarithm, x > 0: 2 artanh((m - 1)/(m + 1)) of the mantissa.
static inline double rv_ln(double x)
{
    int e;
    double m = frexp(x, &e), t = (m - 1.0) / (m + 1.0), power = t, sum = 0.0;
    for (int i = 1; i < 40; i += 2) sum += power / i, power *= t * t;
    return 2.0 * sum + e * RV_LN2;
}

// Cube root, x >= 0, by Newton's steps from the exponent.
static inline double rv_cube_root(double x)
{
    if (!(x > 0.0)) return 0.0;
    int e;
    frexp(x, &e);
    double y = ldexp(1.0, (e + (e < 0 ? 0 : 2)) / 3);
    for (int i = 0; i < 7; i++) y = (2.0 * y + x / (y * y)) / 3.0;
    return y;
}

// Sine and cosine of any angle that is not astronomic.
static inline void rv_sine(double angle, double *sine, double *cosine)
{
    double a = angle - 2.0 * RV_PI * floor(angle / (2.0 * RV_PI) + 0.5);
    double s = a, c = 1.0, term_s = a, term_c = 1.0;
    for (int i = 1; i < 14; i++) {
        term_c *= -a * a / ((2 * i - 1) * (2 * i)), c += term_c;
        term_s *= -a * a / ((2 * i) * (2 * i + 1)), s += term_s;
    }
    *sine = s, *cosine = c;
}

// Angle of (x, y) from +x, -π … π.
static inline double rv_angle(double x, double y)
{
    double size = sqrt(x * x + y * y);
    if (!(size > 0.0)) return 0.0;
    // tan(a/2) of the angle, then of an eighth of it
    double t = x > 0.0 ? y / (size + x) : (size - x) / (y == 0.0 ? 1e-300 : y), sum = 0.0;
    for (int i = 0; i < 3; i++) t = t / (1.0 + sqrt(1.0 + t * t));
    double power = t;
    for (int i = 1; i < 24; i += 2) sum += power / i, power *= -t * t;
    return 16.0 * sum;
}

static inline uint64_t rv_scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// The n-th number of the stream `key` of a seed, 0 <= … < 1.
static inline double rv_chance(int seed, uint64_t key, uint32_t n)
{
    uint64_t bits = rv_scramble(rv_scramble((uint64_t)(uint32_t)seed ^ (key << 32)) + n);
    return (double)(bits >> 11) * 0x1p-53;
}

#endif
