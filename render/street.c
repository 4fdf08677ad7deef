// Paints a street at dusk after rain: sky, a canyon of houses with lit windows, shops and signs,
// rows of lamps, cars, and the wet road that mirrors them.
//
// Everything stands along a road that runs from the eye to the horizon, and is placed by
// perspective: what stands x to the side, y over the road and z ahead is seen at
// (x, y - EYE) / z · LENS from the vanishing point. What is far is painted first. Lights are small
// and many times brighter than 1: out of focus each of them becomes a disk.
#include "render/street.h"

#include "render/vec.h"

#include <string.h>

#define LENS 760.0f // pixels a unit of tangent
#define EYE 2.3f    // m over the road
#define ROAD 7.0f   // m, half of the road's width with its parking
#define WALK 11.0f  // m, from the middle to the houses

enum { WIDE = RV_STREET_WIDE, HIGH = RV_STREET_HIGH, HORIZON = 440 };

typedef struct canvas {
    float *rgb;
    uint32_t state;
} canvas;

// ---- Numbers by chance --------------------------------------------------------------------------
// One at a time: the order of two in one expression is the compiler's, and the street would be too.

static float chance(canvas *c)
{
    uint32_t h = c->state += 0x9e3779b9u;
    h ^= h >> 16, h *= 0x21f0aaadu, h ^= h >> 15, h *= 0x735a2d97u, h ^= h >> 15;
    return (float)(h >> 8) / 16777216.0f;
}

static float between(canvas *c, float low, float high)
{
    return low + (high - low) * chance(c);
}

static float lattice(uint32_t seed, int x, int y)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ seed * 0xcb1ab31fu;
    h ^= h >> 15, h *= 0x2c1b3c6du, h ^= h >> 12, h *= 0x297a2d39u, h ^= h >> 15;
    return (float)(h >> 8) / 16777216.0f;
}

// Value noise, 0 … 1.
static float noise(uint32_t seed, float x, float y)
{
    float fx = floorf(x), fy = floorf(y), u = x - fx, v = y - fy;
    int i = (int)fx, j = (int)fy;
    u = u * u * (3 - 2 * u), v = v * v * (3 - 2 * v);
    float low = mixf(lattice(seed, i, j), lattice(seed, i + 1, j), u);
    float high = mixf(lattice(seed, i, j + 1), lattice(seed, i + 1, j + 1), u);
    return mixf(low, high, v);
}

// ---- Brushes ------------------------------------------------------------------------------------

static float *at(canvas *c, int x, int y)
{
    return c->rgb + 3 * ((size_t)y * WIDE + (size_t)x);
}

static void lay(float *p, vec3 light, float cover)
{
    p[0] += (light.x - p[0]) * cover;
    p[1] += (light.y - p[1]) * cover;
    p[2] += (light.z - p[2]) * cover;
}

static void shine(float *p, vec3 light)
{
    p[0] += light.x, p[1] += light.y, p[2] += light.z;
}

static int whole(float v, int most)
{
    return v < 0 ? 0 : v > (float)most ? most : (int)v;
}

// How much of a pixel [i, i + 1] lies in [from, to].
static float share(int i, float from, float to)
{
    return maxf(minf((float)i + 1, to) - maxf((float)i, from), 0);
}

// A rectangle of light, or of dark; smooth at its edges.
static void box(canvas *c, float x0, float y0, float x1, float y1, vec3 light)
{
    int i1 = whole(ceilf(x1), WIDE), j1 = whole(ceilf(y1), HIGH);
    for (int j = whole(y0, HIGH); j < j1; j++)
        for (int i = whole(x0, WIDE); i < i1; i++)
            lay(at(c, i, j), light, share(i, x0, x1) * share(j, y0, y1));
}

// A lamp: a small disk and a faint glow around it, as wet air shows it.
static void lamp(canvas *c, float x, float y, float radius, vec3 light)
{
    float reach = 14 * radius + 6;
    // A lamp smaller than a pixel keeps its light.
    float whole_light = radius < 0.8f ? radius * radius / 0.64f : 1;
    radius = maxf(radius, 0.8f);
    int i1 = whole(x + reach + 1, WIDE), j1 = whole(y + reach + 1, HIGH);
    for (int j = whole(y - reach, HIGH); j < j1; j++) {
        for (int i = whole(x - reach, WIDE); i < i1; i++) {
            float dx = (float)i + 0.5f - x, dy = (float)j + 0.5f - y;
            float d = sqrtf(dx * dx + dy * dy), fall = maxf(1 - d / reach, 0);
            float disk = clamp(radius + 0.5f - d, 0, 1);
            float glow = 0.012f * fall * fall / (1 + d * d / (radius * radius) * 0.15f);
            shine(at(c, i, j), scale(light, whole_light * (disk + glow)));
        }
    }
}

// What a wet road shows of a lamp: a streak from its foot toward the eye.
static void streak(canvas *c, float x, float y, float radius, float length, vec3 light)
{
    float wide = 1.1f * radius + 1;
    int i1 = whole(x + 3 * wide + 1, WIDE), j1 = whole(y + 2.5f * length + 1, HIGH);
    for (int j = whole(y - 0.6f * length, HIGH); j < j1; j++) {
        float v = ((float)j + 0.5f - y) / length, along_it = expf(-2 * v * v * (v < 0 ? 6 : 1));
        for (int i = whole(x - 3 * wide, WIDE); i < i1; i++) {
            float u = ((float)i + 0.5f - x) / wide;
            float broken = 0.35f + 1.3f * lattice(77, i / 3, j / 2);
            shine(at(c, i, j), scale(light, 0.02f * broken * along_it * expf(-u * u)));
        }
    }
}

// ---- Perspective --------------------------------------------------------------------------------

static float seen_x(float x, float z)
{
    return 0.5f * WIDE + LENS * x / z;
}

static float seen_y(float y, float z)
{
    return (float)HORIZON - LENS * (y - EYE) / z;
}

// ---- Sky and far houses -------------------------------------------------------------------------

static void paint_sky(canvas *c, uint32_t seed)
{
    for (int j = 0; j < HIGH; j++) {
        float up = clamp((float)(HORIZON - j) / HORIZON, 0, 1);
        vec3 low = v3(0.150f, 0.105f, 0.120f), middle = v3(0.050f, 0.078f, 0.155f);
        vec3 sky = mix(mix(low, middle, smooth(0, 0.35f, up)), v3(0.014f, 0.028f, 0.074f),
                       smooth(0.25f, 1, up));
        for (int i = 0; i < WIDE; i++) {
            float x = (float)i / 190, y = (float)j / 60;
            float cloud = 0.6f * noise(seed, x, y) + 0.3f * noise(seed + 1, 2.1f * x, 2.3f * y) +
                          0.1f * noise(seed + 2, 5 * x, 5 * y);
            vec3 lit = scale(mix(v3(0.11f, 0.075f, 0.075f), v3(0.03f, 0.04f, 0.07f), up), 0.9f);
            vec3 v = mix(sky, lit, 0.65f * smooth(0.45f, 0.75f, cloud));
            float *p = at(c, i, j);
            p[0] = v.x, p[1] = v.y, p[2] = v.z;
        }
    }
}

static vec3 window_light(canvas *c)
{
    float k = chance(c);
    vec3 warm = v3(1.0f, 0.60f, 0.26f), pale = v3(1.0f, 0.80f, 0.52f), cold = v3(0.62f, 0.80f, 1);
    vec3 hue = k < 0.62f ? warm : k < 0.88f ? pale : cold;
    float bright = chance(c);
    return scale(hue, 0.25f + 2.6f * bright * bright * bright);
}

// Towers over the end of the street, paler the farther.
static void paint_skyline(canvas *c)
{
    for (int layer = 0; layer < 3; layer++) {
        vec3 wall =
            mix(v3(0.060f, 0.062f, 0.088f), v3(0.026f, 0.030f, 0.046f), 0.5f * (float)layer);
        for (float x = -20; x < WIDE;) {
            float width = between(c, 26, 70), from_middle = fabsf(x + 0.5f * width - 0.5f * WIDE);
            float high = between(c, 30, 120);
            high += 70 * smooth(60, 420, from_middle) * chance(c);
            float top = (float)HORIZON - high * (1.25f - 0.25f * (float)layer);
            box(c, x, top, x + width, HORIZON + 4, wall);
            for (float y = top + 5; y < HORIZON - 6; y += 7)
                for (float u = x + 4; u < x + width - 5; u += 6)
                    if (chance(c) < 0.16f)
                        box(c, u, y, u + 2.2f, y + 3, scale(window_light(c), 0.8f));
            if (chance(c) < 0.3f) lamp(c, x + 0.5f * width, top - 4, 0.9f, v3(14, 0.8f, 0.5f));
            x += width + between(c, -8, 14);
        }
    }
}

// ---- The street's houses ------------------------------------------------------------------------

// What stands on a house's front between z0 and z1 along the street, y0 and y1 over it: a
// trapezium, narrower at its far end.
static void front(canvas *c, float side, float z0, float z1, float y0, float y1, vec3 light)
{
    float xa = seen_x(side, z0), xb = seen_x(side, z1);
    float left = minf(xa, xb), right = maxf(xa, xb);
    for (int i = whole(left, WIDE); i < whole(ceilf(right), WIDE); i++) {
        float x = clamp((float)i + 0.5f, left + 1e-3f, right - 1e-3f);
        float z = LENS * side / (x - 0.5f * WIDE), wide = share(i, left, right);
        float top = seen_y(y1, z), bottom = seen_y(y0, z);
        for (int j = whole(top, HIGH); j < whole(ceilf(bottom), HIGH); j++)
            lay(at(c, i, j), light, wide * share(j, top, bottom));
    }
}

static vec3 sign_light(canvas *c)
{
    static const vec3 hues[] = {{1, 0.08f, 0.30f}, {0.05f, 0.75f, 1},    {1, 0.28f, 0.04f},
                                {0.10f, 1, 0.35f}, {0.62f, 0.16f, 1},    {1, 0.72f, 0.10f},
                                {1, 0.05f, 0.05f}, {0.95f, 0.90f, 0.80f}};
    float bright = between(c, 2, 6.5f);
    return scale(hues[(int)(chance(c) * 7.99f)], bright);
}

static void paint_shop(canvas *c, float side, float z0, float z1)
{
    float k = chance(c), width = z1 - z0;
    vec3 inside = k < 0.6f    ? v3(1.0f, 0.58f, 0.24f)
                  : k < 0.85f ? v3(1.0f, 0.80f, 0.55f)
                              : v3(0.55f, 0.85f, 1.0f);
    inside = scale(inside, between(c, 0.5f, 1.9f));
    front(c, side, z0 + 0.06f * width, z1 - 0.06f * width, 0.5f, 3.1f, inside);
    // Goods and people in it: darker and brighter upright patches.
    for (int n = 0; n < 7; n++) {
        float z = between(c, z0 + 0.08f * width, z1 - 0.2f * width), y = between(c, 1.2f, 2.4f);
        front(c, side, z, z + 0.06f * width, 0.5f, y, scale(inside, between(c, 0.15f, 0.7f)));
    }
    for (int n = 0; n < 3; n++) {
        float z = between(c, z0 + 0.1f * width, z1 - 0.1f * width);
        lamp(c, seen_x(side, z), seen_y(2.8f, z), 0.09f * LENS / z,
             scale(v3(1, 0.78f, 0.48f), between(c, 14, 30)));
    }
    if (chance(c) < 0.75f) {
        vec3 light = sign_light(c);
        float top = between(c, 3.65f, 4.0f), end = z0 + width * between(c, 0.4f, 0.8f);
        front(c, side, z0 + 0.2f * width, end, 3.45f, top, light);
    }
    if (chance(c) < 0.5f) { // one that hangs out over the pavement
        float z = between(c, z0, z1), x = seen_x(side * 0.93f, z), s = LENS / z;
        float y = seen_y(between(c, 4, 5.5f), z);
        box(c, x - 0.16f * s, y - 0.7f * s, x + 0.16f * s, y + 0.7f * s, sign_light(c));
    }
}

static void paint_house(canvas *c, float side, float z0, float z1)
{
    float tall = between(c, 11, 24), tone = between(c, 0.6f, 1.3f);
    vec3 wall = scale(v3(0.030f, 0.027f, 0.032f), tone);
    front(c, side, z0, z1, 0, tall, wall);
    front(c, side, z0, z1, 3.2f, 3.4f, scale(wall, 0.4f));
    for (float y = 5; y < tall - 2; y += 3.2f) {
        for (float z = z0 + 0.8f; z < z1 - 1.6f; z += 2.1f) {
            bool lit = chance(c) < 0.34f;
            vec3 light = lit ? window_light(c) : scale(v3(0.02f, 0.026f, 0.042f), 1.2f);
            front(c, side, z, z + 1.15f, y, y + 1.7f, light);
            if (lit) front(c, side, z + 0.52f, z + 0.6f, y, y + 1.7f, scale(light, 0.25f));
        }
    }
    paint_shop(c, side, z0, z1);
}

static void paint_houses(canvas *c)
{
    float ends[2][40];
    int count[2];
    for (int side = 0; side < 2; side++) {
        float z = 4;
        for (count[side] = 0; z < 190 && count[side] < 39; count[side]++)
            ends[side][count[side]] = z, z += between(c, 9, 17);
    }
    for (int side = 0; side < 2; side++)
        for (int n = count[side] - 2; n >= 0; n--)
            paint_house(c, side ? WALK : -WALK, ends[side][n], ends[side][n + 1]);
}

// ---- Lamps and cars -----------------------------------------------------------------------------

static void paint_lamps(canvas *c)
{
    static const vec3 light = {1, 0.66f, 0.32f};
    for (int n = 11; n >= 0; n--) {
        float z = 11 + 13.5f * (float)n;
        for (int side = -1; side <= 1; side += 2) {
            float x = seen_x((float)side * 8.2f, z), s = LENS / z;
            box(c, x - 0.07f * s, seen_y(6.4f, z), x + 0.07f * s, seen_y(0, z),
                v3(0.012f, 0.012f, 0.015f));
            lamp(c, seen_x((float)side * 7.2f, z), seen_y(6.3f, z), maxf(0.17f * s, 0.9f),
                 scale(light, 46));
        }
    }
    // Traffic lights over a crossing.
    float z = 44;
    for (int side = -1; side <= 1; side += 2)
        lamp(c, seen_x((float)side * 6.2f, z), seen_y(4.6f, z), 0.16f * LENS / z,
             side < 0 ? v3(60, 4, 1.5f) : v3(3, 52, 26));
    lamp(c, seen_x(1.0f, 78), seen_y(5.2f, 78), 0.22f * LENS / 78, v3(3, 52, 26));
}

// Strings of bulbs that hang over the street from house to house.
static void paint_strings(canvas *c)
{
    for (int n = 5; n >= 0; n--) {
        float z = 9.5f + 9 * (float)n + between(c, -1.5f, 1.5f), hang = between(c, 0.9f, 1.6f);
        float left = between(c, 6.4f, 8.4f), right = between(c, 6.4f, 8.4f);
        int bulbs = 15 + (int)(6 * chance(c));
        for (int k = 0; k <= bulbs; k++) {
            float u = (float)k / (float)bulbs, sag = 4 * hang * u * (1 - u);
            float x = mixf(-WALK, WALK, u), y = mixf(left, right, u) - sag;
            lamp(c, seen_x(x, z), seen_y(y, z), 0.055f * LENS / z,
                 scale(v3(1, 0.62f, 0.26f), between(c, 30, 60)));
        }
    }
}

// Two lights, a body, and the glass over it.
static void paint_car(canvas *c, float x, float z, bool away)
{
    float s = LENS / z, y = seen_y(0.75f, z), middle = seen_x(x, z);
    float tone = between(c, 0.006f, 0.05f);
    vec3 paint = v3(tone, tone, 1.2f * tone);
    box(c, middle - 0.92f * s, seen_y(1.0f, z), middle + 0.92f * s, seen_y(0.15f, z), paint);
    box(c, middle - 0.7f * s, seen_y(1.5f, z), middle + 0.7f * s, seen_y(1.0f, z),
        scale(v3(0.03f, 0.035f, 0.05f), 1.2f));
    bool braking = chance(c) < 0.45f;
    vec3 light = away ? scale(v3(1, 0.035f, 0.02f), braking ? 75.0f : 26.0f)
                      : scale(v3(1, 0.93f, 0.80f), between(c, 70, 120));
    float radius = maxf((away ? 0.13f : 0.11f) * s, 0.7f);
    for (int side = -1; side <= 1; side += 2) {
        float lamp_x = middle + 0.68f * (float)side * s;
        lamp(c, lamp_x, y, radius, light);
        streak(c, lamp_x, seen_y(-0.9f, z), radius, 1.1f * s + 4, light);
    }
}

static void paint_cars(canvas *c)
{
    for (int n = 8; n >= 0; n--) {
        float z = 10.5f + 13 * (float)n + between(c, -3, 3);
        if (chance(c) < 0.8f) paint_car(c, -2.1f + between(c, -0.4f, 0.4f), z + 5, false);
        if (chance(c) < 0.85f) paint_car(c, 2.1f + between(c, -0.4f, 0.4f), z + 1, true);
        // Parked ones are dark; now and then one is about to leave.
        if (chance(c) < 0.25f) paint_car(c, 5.6f, z + 3, true);
    }
}

// ---- The wet road -------------------------------------------------------------------------------

// Sums of a column from the top down to each row, to take means with.
static void column_sums(canvas *c, int x, vec3 *sum)
{
    sum[0] = v3(0, 0, 0);
    for (int j = 0; j < HORIZON; j++) {
        const float *p = at(c, x, j);
        sum[j + 1] = add(sum[j], v3(p[0], p[1], p[2]));
    }
}

// Of rows `from` to `to` above the horizon, which may lie between rows; what is over the picture's
// top is as its top row.
static vec3 column_mean(const vec3 *sum, float from, float to)
{
    float a = clamp((float)HORIZON - to, 0, HORIZON - 1),
          b = clamp((float)HORIZON - from, 1, HORIZON);
    if (b < a + 1) b = a + 1;
    int i = (int)a, j = (int)b < HORIZON ? (int)b : HORIZON;
    return scale(sub(sum[j], sum[i]), 1 / (float)(j - i > 0 ? j - i : 1));
}

// Ripples spread what the road mirrors up and down, the more the nearer the road, and hardly to the
// sides.
static void paint_road(canvas *c, uint32_t seed)
{
    vec3 sum[HORIZON + 1];
    for (int i = 0; i < WIDE; i++) {
        column_sums(c, i, sum);
        for (int j = HORIZON; j < HIGH; j++) {
            float down = (float)(j - HORIZON) + 0.5f, z = LENS * EYE / down;
            float x = ((float)i + 0.5f - 0.5f * WIDE) * z / LENS;
            float rough = noise(seed + 7, 1.1f * x, 0.35f * z);
            float wave = noise(seed + 9, 5 * x, 2.5f * z) - 0.5f;
            float wet = 0.30f + 0.60f * smooth(0.35f, 0.7f, rough);
            float centre = down * (1 + 0.10f * wave), spread = 3 + down * (0.75f - 0.35f * wet);
            vec3 near = column_mean(sum, centre - 0.35f * spread, centre + 0.35f * spread);
            vec3 wide = column_mean(sum, centre - spread, centre + 1.6f * spread);
            vec3 light = scale(mix(wide, near, 0.35f), wet * mixf(0.75f, 0.42f, down / 360));
            float line = fabsf(x) < 0.09f && fmodf(z, 6) < 3 ? 0.03f : 0;
            bool kerb = fabsf(x) > ROAD;
            vec3 stone = scale(v3(0.020f, 0.020f, 0.024f), (kerb ? 1.7f : 1.0f) + 0.5f * rough);
            light = add(scale(light, kerb ? 0.6f : 1), add(stone, v3(line, line, 0.9f * line)));
            memcpy(at(c, i, j), (float[3]){light.x, light.y, light.z}, 3 * sizeof(float));
        }
    }
}

void rv_street_paint(float *rgb, uint32_t seed)
{
    canvas c = {rgb, seed * 2654435761u + 12345u};
    paint_sky(&c, seed);
    paint_skyline(&c);
    paint_houses(&c);
    paint_strings(&c);
    paint_lamps(&c);
    paint_road(&c, seed);
    paint_cars(&c);
}
