// A photo studio: a large softbox at the upper left, a little behind the scene; a bright wall high
// behind it and a low window, between which level liquid mirrors the dark; a tall strip at the
// right, which draws a line along edges.
#include "render/studio.h"

// A rectangle of light, seen in a direction.
typedef struct lamp {
    float azimuth, elevation;         // rad, from the camera's side toward its right
    float half_wide, half_high, soft; // tangents
    vec3 light;
} lamp;

static float rectangle(const lamp *l, vec3 d)
{
    float ca = cosf(l->azimuth), sa = sinf(l->azimuth), ce = cosf(l->elevation),
          se = sinf(l->elevation);
    vec3 ahead = v3(ce * ca, ce * sa, se), side = v3(-sa, ca, 0), up = cross(ahead, side);
    float z = dot(d, ahead);
    if (z <= 0.05f) return 0;
    // Rounded corners: the distance to a smaller rectangle.
    float r = 0.25f * minf(l->half_wide, l->half_high);
    float x = maxf(fabsf(dot(d, side)) / z - l->half_wide + r, 0);
    float y = maxf(fabsf(dot(d, up)) / z - l->half_high + r, 0);
    return 1 - smooth(r - l->soft, r + l->soft, sqrtf(x * x + y * y));
}

vec3 rv_studio(vec3 d)
{
    static const lamp lamps[] = {
        {-1.95f, 0.92f, 0.32f, 0.22f, 0.02f, {15.5f, 14.8f, 13.7f}}, // softbox
        {2.75f, 1.12f, 0.70f, 0.30f, 0.28f, {0.80f, 0.84f, 0.90f}},  // wall
        {3.30f, 0.20f, 1.60f, 0.07f, 0.04f, {1.3f, 1.35f, 1.45f}},   // a window low behind
        {1.15f, 0.52f, 0.06f, 0.42f, 0.02f, {4.2f, 4.5f, 5.0f}},     // strip
    };
    vec3 horizon = v3(0.070f, 0.074f, 0.080f);
    vec3 c = d.z > 0 ? mix(horizon, v3(0.15f, 0.16f, 0.18f), smooth(0.1f, 1, d.z))
                     : mix(horizon, v3(0.16f, 0.155f, 0.15f), smooth(0, 0.5f, -d.z));
    for (size_t n = 0; n < sizeof lamps / sizeof lamps[0]; n++)
        c = add(c, scale(lamps[n].light, rectangle(&lamps[n], d)));
    return c;
}
