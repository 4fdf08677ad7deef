// Photo studios, made up lamp by lamp.
//
//     plain     a large softbox at the upper left, a little behind the scene; a bright wall high
//               behind it and a low window, between which level liquid mirrors the dark; a tall
//               strip at the right, which draws a line along edges
//     neutral   a white tent with one large panel above: no colour of its own, soft shadows
//     warm      a low lamp of evening light from the left, a fire's glow in the room, and a cool
//               window opposite
#include "render/studio.h"

// A rectangle of light, seen in a direction.
typedef struct lamp {
    float azimuth, elevation;         // rad, from the camera's side toward its right
    float half_wide, half_high, soft; // tangents
    vec3 light;
} lamp;

enum { LAMPS = 4 };
typedef struct studio {
    vec3 ground, horizon, sky; // far down, level, far up
    vec3 sheets;               // light of white sheets that nothing mirrors
    vec3 paper;                // tint of the backdrop
    lamp lamps[LAMPS];
} studio;

static const studio studios[] = {
    {{0.16f, 0.155f, 0.15f},
     {0.070f, 0.074f, 0.080f},
     {0.15f, 0.16f, 0.18f},
     {0.150f, 0.154f, 0.162f},
     {1, 1, 1},
     {{-1.95f, 0.92f, 0.32f, 0.22f, 0.09f, {15.5f, 14.8f, 13.7f}}, // softbox
      {2.75f, 1.12f, 0.70f, 0.30f, 0.28f, {0.80f, 0.84f, 0.90f}},  // wall
      {3.30f, 0.20f, 1.60f, 0.07f, 0.04f, {1.3f, 1.35f, 1.45f}},   // a window low behind
      {1.15f, 0.52f, 0.06f, 0.42f, 0.05f, {4.2f, 4.5f, 5.0f}}}},   // strip
    {{0.30f, 0.30f, 0.30f},
     {0.34f, 0.34f, 0.34f},
     {0.46f, 0.46f, 0.46f},
     {0.10f, 0.10f, 0.10f},
     {1.15f, 1.13f, 1.10f},
     {{-1.80f, 1.15f, 0.50f, 0.40f, 0.06f, {4.6f, 4.6f, 4.6f}},      // panel
      {3.00f, 0.55f, 1.20f, 0.30f, 0.25f, {0.45f, 0.45f, 0.45f}},    // bright cloth behind
      {1.25f, 0.40f, 0.12f, 0.60f, 0.05f, {0.9f, 0.9f, 0.9f}},       // its seam at the right
      {0.00f, -0.60f, 0.60f, 0.20f, 0.20f, {0.10f, 0.10f, 0.10f}}}}, // the table's white
    {{0.17f, 0.12f, 0.08f},
     {0.090f, 0.062f, 0.042f},
     {0.13f, 0.105f, 0.085f},
     {0.150f, 0.122f, 0.095f},
     {1.02f, 0.86f, 0.70f},
     {{-1.85f, 0.72f, 0.26f, 0.22f, 0.02f, {20.0f, 14.2f, 8.4f}}, // the evening
      {2.75f, 1.05f, 0.80f, 0.30f, 0.28f, {0.80f, 0.58f, 0.38f}}, // its light on the wall
      {3.40f, 0.18f, 1.50f, 0.07f, 0.04f, {1.5f, 0.95f, 0.50f}},  // glow low behind
      {1.20f, 0.50f, 0.09f, 0.42f, 0.03f, {2.0f, 2.5f, 3.3f}}}},  // a window
};

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

static const studio *studio_of(rv_studio_kind kind)
{
    size_t n = (size_t)kind;
    return &studios[n < sizeof studios / sizeof studios[0] ? n : 0];
}

vec3 rv_studio(rv_studio_kind kind, vec3 d)
{
    const studio *s = studio_of(kind);
    vec3 c = d.z > 0 ? mix(s->horizon, s->sky, smooth(0.1f, 1, d.z))
                     : mix(s->horizon, s->ground, smooth(0, 0.5f, -d.z));
    for (int n = 0; n < LAMPS; n++)
        c = add(c, scale(s->lamps[n].light, rectangle(&s->lamps[n], d)));
    return c;
}

vec3 rv_studio_sheets(rv_studio_kind kind)
{
    return studio_of(kind)->sheets;
}

vec3 rv_studio_paper(rv_studio_kind kind)
{
    return studio_of(kind)->paper;
}
