// Blurs pictures of light once, on the CPU, when a backdrop is taken over.
//
// A disk is summed row by row: with sums from the left end of each row, what a row of the disk
// covers is one difference, so a disk of radius R costs 2R differences a pixel, not πR².
#include "render/pane_blur.h"

#include "render/vec.h"

#include <stdlib.h>
#include <string.h>

bool rv_light_map_make(rv_light_map *map, int width, int height)
{
    *map = (rv_light_map){width, height, NULL};
    map->rgb = malloc((size_t)width * (size_t)height * 3 * sizeof *map->rgb);
    return map->rgb != NULL;
}

void rv_light_map_free(rv_light_map *map)
{
    free(map->rgb);
    *map = (rv_light_map){0};
}

static int within(int i, int count)
{
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

// ---- The disk of a lens -------------------------------------------------------------------------

enum { BLADES = 8 };
#define ANGULAR 0.55f   // 0: a circle, 1: straight edges between the blades' corners
#define EDGE_FROM 0.86f // share of the radius from which the disk is brighter
#define EDGE_GAIN 0.45f

// The radius of the iris in a direction, of 1.
static float iris(float angle)
{
    const float part = 6.2831853f / BLADES;
    float a = fmodf(angle + 10 * part + 0.2f, part) - 0.5f * part;
    return mixf(1, cosf(0.5f * part) / cosf(a), ANGULAR);
}

// How far the iris reaches to a side (±1) in the row dy, pixels; < 0: not at all.
static float reach(float radius, float dy, float side)
{
    float x = radius;
    while (x >= 0 && sqrtf(x * x + dy * dy) > radius * iris(atan2f(dy, side * x))) x -= 0.0625f;
    return x;
}

// Adds one row of the disk to one row of the picture. `sums` of a row begin `margin` pixels left of
// it: sums[i] is what lies left of pixel i - margin.
static void add_span(const float *sums, int margin, float left, float right, float weight,
                     int width, float *out)
{
    // The span of pixel x is [x + 0.5 - left - 0.5, x + 0.5 + right + 0.5]; its ends lie between
    // pixels.
    float from = (float)margin - left, to = (float)margin + 1 + right;
    int i = (int)floorf(from), j = (int)floorf(to);
    float u = from - (float)i, v = to - (float)j;
    const float *a = sums + 3 * i, *b = sums + 3 * j;
    for (int n = 0; n < 3 * width; n++)
        out[n] += weight * (b[n] + (b[n + 3] - b[n]) * v - a[n] - (a[n + 3] - a[n]) * u);
}

static void row_sums(const rv_light_map *in, int y, int margin, float *sums)
{
    const float *row = in->rgb + 3 * (size_t)in->width * (size_t)y;
    float sum[3] = {0};
    memset(sums, 0, 3 * sizeof *sums);
    for (int i = 0; i < in->width + 2 * margin; i++) {
        const float *p = row + 3 * within(i - margin, in->width);
        for (int k = 0; k < 3; k++) sums[3 * (i + 1) + k] = sum[k] += p[k];
    }
}

// One disk, of all rows that it reaches, times a weight that counts for the whole disk.
static void add_disk(const float *sums, size_t pitch, const rv_light_map *in, float radius,
                     int margin, float weight, rv_light_map *out)
{
    int reach_rows = (int)radius;
    float area = 0;
    for (int dy = -reach_rows; dy <= reach_rows; dy++)
        area += reach(radius, (float)dy, 1) + reach(radius, (float)dy, -1) + 1;
    for (int dy = -reach_rows; dy <= reach_rows; dy++) {
        float left = reach(radius, (float)dy, -1), right = reach(radius, (float)dy, 1);
        for (int y = 0; left + right > -1 && y < in->height; y++)
            add_span(sums + (size_t)within(y - dy, in->height) * pitch, margin, left, right,
                     weight / area, in->width, out->rgb + 3 * (size_t)in->width * (size_t)y);
    }
}

bool rv_blur_lens(const rv_light_map *in, float radius, rv_light_map *out)
{
    if (!rv_light_map_make(out, in->width, in->height)) return false;
    size_t count = 3 * (size_t)in->width * (size_t)in->height;
    if (radius < 0.75f) {
        memcpy(out->rgb, in->rgb, count * sizeof *in->rgb);
        return true;
    }
    int margin = (int)radius + 3;
    size_t pitch = 3 * ((size_t)in->width + 2 * (size_t)margin + 2);
    float *sums = malloc(pitch * (size_t)in->height * sizeof *sums);
    if (!sums) {
        rv_light_map_free(out);
        return false;
    }
    memset(sums, 0, pitch * (size_t)in->height * sizeof *sums);
    for (int y = 0; y < in->height; y++) row_sums(in, y, margin, sums + (size_t)y * pitch);
    memset(out->rgb, 0, count * sizeof *out->rgb);
    // Brighter at the edge: a disk, less a smaller one.
    float inner = EDGE_FROM * EDGE_FROM * EDGE_GAIN;
    add_disk(sums, pitch, in, radius, margin, (1 + EDGE_GAIN) / (1 + EDGE_GAIN - inner), out);
    add_disk(sums, pitch, in, EDGE_FROM * radius, margin, -inner / (1 + EDGE_GAIN - inner), out);
    for (size_t n = 0; n < count; n++) out->rgb[n] = maxf(out->rgb[n], 0); // of rounding
    free(sums);
    return true;
}

// ---- Soft ---------------------------------------------------------------------------------------

bool rv_blur_halve(const rv_light_map *in, rv_light_map *out)
{
    int width = in->width > 1 ? in->width / 2 : 1, height = in->height > 1 ? in->height / 2 : 1;
    if (!rv_light_map_make(out, width, height)) return false;
    float *to = out->rgb;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++, to += 3) {
            const int i[2] = {within(2 * x, in->width), within(2 * x + 1, in->width)};
            const int j[2] = {within(2 * y, in->height), within(2 * y + 1, in->height)};
            for (int k = 0; k < 3; k++) {
                float sum = 0;
                for (int n = 0; n < 4; n++)
                    sum += in->rgb[3 * ((size_t)j[n >> 1] * (size_t)in->width + (size_t)i[n & 1]) +
                                   (size_t)k];
                to[k] = 0.25f * sum;
            }
        }
    }
    return true;
}

// A mean over 2 · radius + 1 numbers of a line, `step` apart; the ends go on as they are.
static void mean_line(float *line, int count, size_t step, int radius, float *room)
{
    float sum = 0;
    for (int i = 0; i < count; i++) room[i] = line[(size_t)i * step];
    for (int i = -radius; i <= radius; i++) sum += room[within(i, count)];
    for (int i = 0; i < count; i++) {
        line[(size_t)i * step] = maxf(sum, 0) / (float)(2 * radius + 1);
        sum += room[within(i + radius + 1, count)] - room[within(i - radius, count)];
    }
}

bool rv_blur_soft(const rv_light_map *in, int radius, rv_light_map *out)
{
    rv_light_map half = {0};
    *out = (rv_light_map){0};
    bool good = rv_blur_halve(in, &half) && rv_blur_halve(&half, out);
    rv_light_map_free(&half);
    int most = out->width > out->height ? out->width : out->height;
    float *room = good ? malloc((size_t)most * sizeof *room) : NULL;
    // Three means of a line after each other are close to a bell.
    for (int pass = 0; room && pass < 3; pass++) {
        for (int y = 0; y < out->height; y++)
            for (int k = 0; k < 3; k++)
                mean_line(out->rgb + 3 * (size_t)y * (size_t)out->width + k, out->width, 3, radius,
                          room);
        for (int n = 0; n < 3 * out->width; n++)
            mean_line(out->rgb + n, out->height, 3 * (size_t)out->width, radius, room);
    }
    if (!room) rv_light_map_free(out);
    free(room);
    return room != NULL;
}
