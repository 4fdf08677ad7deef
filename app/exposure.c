// Depth of field and motion blur: a picture is the mean of several, each seen through another place
// of the lens and at another time while the shutter is open. Means are of light, not of the bytes
// that stand for it.
#include "app/exposure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float light_of(int byte)
{
    float v = (float)byte / 255.0f;
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static uint8_t byte_of(float light)
{
    float v = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * (v < 0 ? 0 : v > 1 ? 1 : v) + 0.5f);
}

bool rv_exposure_start(rv_exposure *e, int width, int height, bool lens, double shutter, int most,
                       int steps)
{
    *e = (rv_exposure){.most = most, .lens = lens, .shutter = shutter};
    if ((!lens && !(shutter > 0)) || most < 2) return true;
    e->steps = shutter > 0 && steps > 1 ? steps : 1;
    e->values = (int64_t)width * height * 3;
    for (int n = 0; n < 256; n++) e->light[n] = light_of(n);
    e->sum = calloc((size_t)e->values, sizeof *e->sum);
    return e->sum != NULL;
}

void rv_exposure_free(rv_exposure *e)
{
    free(e->sum);
    *e = (rv_exposure){.most = 0};
}

int rv_exposure_due(rv_exposure *e, bool last)
{
    // Evenly over the steps, and never more than `most` in all.
    int64_t k = e->open_at++, before = k * e->most / e->steps, after = (k + 1) * e->most / e->steps;
    int count = (int)(after - before);
    if (!e->lens && count > 1) count = 1; // the same moment, seen from the same place
    if (count > e->most - e->taken) count = e->most - e->taken;
    return last && e->taken == 0 && count < 1 ? 1 : count;
}

void rv_exposure_place(const rv_exposure *e, double place[2])
{
    place[0] = place[1] = 0;
    if (!e->lens) return;
    // Fills a disk evenly, whatever share of its points is taken in the end.
    double r = sqrt((e->taken + 0.5) / e->most), a = 2.399963229728653 * e->taken;
    place[0] = r * cos(a), place[1] = r * sin(a);
}

void rv_exposure_add(rv_exposure *e, const uint8_t *rgb)
{
    for (int64_t n = 0; n < e->values; n++) e->sum[n] += e->light[rgb[n]];
    e->taken++;
}

void rv_exposure_develop(rv_exposure *e, uint8_t *rgb)
{
    float each = 1 / (float)(e->taken > 0 ? e->taken : 1);
    for (int64_t n = 0; n < e->values; n++) rgb[n] = byte_of(e->sum[n] * each);
    memset(e->sum, 0, (size_t)e->values * sizeof *e->sum);
    e->taken = 0, e->open_at = 0;
}
