// Gradient noise (Perlin 1985, with the smoother blending of 2002), sampled into a texture that
// repeats. Filtering it takes away what is too fine to be seen; its slope beside its value gives
// bumps without further samples.
#include "render/noise.h"

#include "render/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, BUMPS = 16 };

static uint32_t lattice(int x, int y, int z)
{
    uint32_t h = (uint32_t)(x & (BUMPS - 1)) * 0x8da6b343u ^
                 (uint32_t)(y & (BUMPS - 1)) * 0xd8163841u ^
                 (uint32_t)(z & (BUMPS - 1)) * 0xcb1ab31fu;
    h ^= h >> 15, h *= 0x2c1b3c6du, h ^= h >> 12, h *= 0x297a2d39u, h ^= h >> 15;
    return h;
}

static vec3 slope_at(int x, int y, int z)
{
    uint32_t h = lattice(x, y, z);
    vec3 g = v3((float)(h & 1023) / 511.5f - 1, (float)(h >> 10 & 1023) / 511.5f - 1,
                (float)(h >> 20 & 1023) / 511.5f - 1);
    return unit(g);
}

static float blend(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static float noise_at(vec3 p)
{
    float fx = floorf(p.x), fy = floorf(p.y), fz = floorf(p.z), v[8];
    int x = (int)fx, y = (int)fy, z = (int)fz;
    for (int n = 0; n < 8; n++) {
        int a = n & 1, b = n >> 1 & 1, c = n >> 2;
        vec3 d = v3(p.x - fx - (float)a, p.y - fy - (float)b, p.z - fz - (float)c);
        v[n] = dot(slope_at(x + a, y + b, z + c), d);
    }
    float u = blend(p.x - fx), w = blend(p.y - fy), t = blend(p.z - fz);
    return mixf(mixf(mixf(v[0], v[1], u), mixf(v[2], v[3], u), w),
                mixf(mixf(v[4], v[5], u), mixf(v[6], v[7], u), w), t);
}

// Slopes by differences between texels, one bump apart.
static void fill(float *rgba, const float *value)
{
    const int last = SIDE - 1;
    for (int k = 0; k < SIDE; k++)
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++, rgba += 4) {
                int x0 = (i + last) & last, x1 = (i + 1) & last, y0 = (j + last) & last;
                int y1 = (j + 1) & last, z0 = (k + last) & last, z1 = (k + 1) & last;
                float per = 0.25f * (float)SIDE / BUMPS;
                rgba[0] = 0.5f + 0.7f * value[(k * SIDE + j) * SIDE + i];
                rgba[1] = 0.5f + per * (value[(k * SIDE + j) * SIDE + x1] -
                                        value[(k * SIDE + j) * SIDE + x0]);
                rgba[2] = 0.5f + per * (value[(k * SIDE + y1) * SIDE + i] -
                                        value[(k * SIDE + y0) * SIDE + i]);
                rgba[3] = 0.5f + per * (value[(z1 * SIDE + j) * SIDE + i] -
                                        value[(z0 * SIDE + j) * SIDE + i]);
                for (int c = 0; c < 4; c++) rgba[c] = clamp(rgba[c], 0, 1);
            }
}

// Half as fine, in place.
static void halve(float *rgba, int side)
{
    float *to = rgba;
    for (int k = 0; k < side; k += 2)
        for (int j = 0; j < side; j += 2)
            for (int i = 0; i < side; i += 2, to += 4) {
                float sum[4] = {0};
                for (int n = 0; n < 8; n++) {
                    int x = i + (n & 1), y = j + (n >> 1 & 1), z = k + (n >> 2);
                    const float *from =
                        rgba +
                        4 * (((size_t)z * (size_t)side + (size_t)y) * (size_t)side + (size_t)x);
                    for (int c = 0; c < 4; c++) sum[c] += 0.125f * from[c];
                }
                memcpy(to, sum, sizeof sum);
            }
}

GLuint rv_noise_make(void)
{
    GLuint name = 0;
    size_t count = (size_t)SIDE * SIDE * SIDE;
    float *value = malloc(count * sizeof *value);
    float *rgba = malloc(4 * count * sizeof *rgba);
    if (value && rgba) {
        for (size_t n = 0; n < count; n++) {
            int i = (int)n % SIDE, j = (int)n / SIDE % SIDE, k = (int)n / (SIDE * SIDE);
            value[n] = noise_at(scale(v3((float)i, (float)j, (float)k), (float)BUMPS / SIDE));
        }
        fill(rgba, value);
        glGenTextures(1, &name);
        glBindTexture(GL_TEXTURE_3D, name);
        // Bytes are too coarse: between two of them the rings of wood went up steps. Smaller levels
        // are made here, because not every driver makes them of halves.
        for (int level = 0, side = SIDE; side > 0; level++, halve(rgba, side), side /= 2)
            glTexImage3D(GL_TEXTURE_3D, level, GL_RGBA16F, side, side, side, 0, GL_RGBA, GL_FLOAT,
                         rgba);
        // Between levels nothing is seen of the step, and it costs half.
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_S, GL_REPEAT);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_T, GL_REPEAT);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_WRAP_R, GL_REPEAT);
        glBindTexture(GL_TEXTURE_3D, 0);
    }
    free(value);
    free(rgba);
    return name;
}
