// Noise: pseudo-random values on a lattice, smoothly joined. The values come from an integer hash,
// so the same seed gives the same stone, and the same spots that are wetted easily, on every
// machine.
#include "base/noise.h"

#include <math.h>

#define FAR 1e15 // lattice cells beyond which a double holds no fraction worth having

static double lattice(uint32_t x, uint32_t y, uint32_t z, uint32_t seed)
{
    uint32_t h = x * 0x8da6b343u ^ y * 0xd8163841u ^ z * 0xcb1ab31fu ^ seed * 0x9e3779b9u;
    h ^= h >> 15, h *= 0x2c1b3c6du, h ^= h >> 12, h *= 0x297a2d39u, h ^= h >> 15;
    return (double)h * (2.0 / 4294967295.0) - 1.0;
}

// 0 to 1 with first and second derivative 0 at both ends: no creases at the lattice.
static double smooth(double t)
{
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0);
}

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

double rv_noise(rv_vec3 p, uint32_t seed)
{
    double fx = floor(p.x), fy = floor(p.y), fz = floor(p.z), level[2];
    if (!(fabs(fx) < FAR && fabs(fy) < FAR && fabs(fz) < FAR)) return 0;
    uint32_t x = (uint32_t)(int64_t)fx, y = (uint32_t)(int64_t)fy, z = (uint32_t)(int64_t)fz;
    double tx = smooth(p.x - fx), ty = smooth(p.y - fy), tz = smooth(p.z - fz);
    for (uint32_t k = 0; k < 2; k++) {
        double low = mix(lattice(x, y, z + k, seed), lattice(x + 1, y, z + k, seed), tx);
        double high = mix(lattice(x, y + 1, z + k, seed), lattice(x + 1, y + 1, z + k, seed), tx);
        level[k] = mix(low, high, ty);
    }
    return mix(level[0], level[1], tz);
}
