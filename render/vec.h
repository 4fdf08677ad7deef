// Small vectors of floats. The renderer works in cells: x and y in units of grid.dx from the low
// corner of the grid, z likewise from grid.bottom, so that no number depends on how large the scene
// is.
#ifndef RENDER_VEC_H
#define RENDER_VEC_H

#include <math.h>
#include <stddef.h>

typedef struct vec3 {
    float x, y, z;
} vec3;

// Unlike fminf and fmaxf these are one instruction each; none of their arguments is NaN here.
static inline float minf(float a, float b)
{
    return a < b ? a : b;
}

static inline float maxf(float a, float b)
{
    return a > b ? a : b;
}

static inline vec3 v3(float x, float y, float z)
{
    return (vec3){x, y, z};
}

static inline vec3 add(vec3 a, vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec3 sub(vec3 a, vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline vec3 mul(vec3 a, vec3 b)
{
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline vec3 scale(vec3 a, float s)
{
    return v3(a.x * s, a.y * s, a.z * s);
}

static inline vec3 along(vec3 from, vec3 direction, float t)
{
    return v3(from.x + direction.x * t, from.y + direction.y * t, from.z + direction.z * t);
}

static inline float dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 cross(vec3 a, vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline vec3 unit(vec3 a)
{
    float l = sqrtf(dot(a, a));
    return l > 1e-20f ? scale(a, 1 / l) : v3(0, 0, 1);
}

static inline float clamp(float v, float lo, float hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static inline float mixf(float a, float b, float s)
{
    return a + (b - a) * s;
}

static inline vec3 mix(vec3 a, vec3 b, float s)
{
    return v3(mixf(a.x, b.x, s), mixf(a.y, b.y, s), mixf(a.z, b.z, s));
}

static inline float smooth(float lo, float hi, float v)
{
    float s = clamp((v - lo) / (hi - lo), 0, 1);
    return s * s * (3 - 2 * s);
}

static inline vec3 mirror(vec3 d, vec3 n)
{
    return along(d, n, -2 * dot(d, n));
}

#endif
