// Drops that fall on the pane, and water that leaves it into the air (glass paper §4;
// docs/glass.md).
//
// Drops fall as a Poisson process in time: `rain` counts down the drops until the next one, so the
// same drops fall at the same times however the time is divided into steps. Volumes are evenly
// spread up to 1.25 times the largest that holds, so that 80% hold, or follow Marshall and Palmer:
// diameters are spread as exp(-Λ D), Λ = 4.1/mm (R mm/h)^-0.21.
#include "pane/glass.h"

#define SMALLEST 0.004      // of glass.static
#define THINNEST 3e-4       // m, the smallest diameter of marshall
#define THICKEST 6e-3       // m, larger ones break up while they fall
#define RAIN_STREAM 0       // of random numbers; drops have streams from 1 on
#define REDRAWN 0.03        // share of a drop at rest that may evaporate before it is drawn anew
#define KEEP_TIME 0.1       // s, in which the drops that glass.keep misses fall
#define SMALLEST_DROP 1e-13 // m³; a smaller one evaporates whole

int rv_glass_add_drop(rv_glass *s, double x, double y, int64_t volume)
{
    int most = s->params.glass_most < s->room ? s->params.glass_most : s->room;
    if (s->count >= most) {
        s->clock.refused++;
        return -1;
    }
    rv_drop *d = &s->drops[s->count];
    *d = (rv_drop){.x = x, .y = y, .last_x = x, .last_y = y, .volume = volume};
    d->state = RV_DROP_SETTLES;
    d->way_x = d->toward_x = s->down_x, d->way_y = d->toward_y = s->down_y;
    d->key = (uint32_t)++s->clock.keys;
    d->patience = -rv_ln(1.0 - rv_drop_chance(s, d));
    d->caps = 1 + (int)(rv_drop_chance(s, d) * s->params.glass_caps);
    return s->count++;
}

static double fall_chance(const rv_glass *s, uint32_t n)
{
    return rv_chance(s->params.seed, RAIN_STREAM, (uint32_t)(s->clock.falls * 4) + n);
}

// m³
static double fallen_volume(const rv_glass *s, double chance)
{
    const rv_params *p = &s->params;
    double volume = fmax(chance * p->glass_largest, SMALLEST) * p->glass_static;
    if (p->glass_sizes == RV_GLASS_SIZES_PAPER) return volume;
    double hourly = p->glass_intensity * 3.6e6; // mm/h
    double rate = 4100.0 * rv_decay(0.21 * fmax(rv_ln(hourly), 0.0));
    if (hourly < 1.0) rate = 4100.0 / rv_decay(-0.21 * rv_ln(hourly)); // R^-0.21 is over 1
    double diameter = fmin(THINNEST - rv_ln(1.0 - chance) / rate, THICKEST);
    return RV_PI / 6.0 * diameter * diameter * diameter;
}

// One drop at a random place. What finds no room is not rained.
static int64_t fall(rv_glass *s)
{
    double x = s->x0 + fall_chance(s, 0) * s->nx * s->dx;
    double y = s->y0 + fall_chance(s, 1) * s->ny * s->dx;
    int64_t volume = rv_glass_room(s, fallen_volume(s, fall_chance(s, 2)) / RV_QUANTUM);
    s->clock.falls++;
    if (volume == 0) s->clock.refused++;
    return volume == 0 || rv_glass_add_drop(s, x, y, volume) < 0 ? 0 : volume;
}

void rv_glass_begin_rain(rv_glass *s)
{
    s->clock.rain = -rv_ln(1.0 - fall_chance(s, 3));
    s->clock.falls = 1;
    for (int i = 0; i < s->params.glass_drops && s->count < s->room; i++)
        rv_glass_came(s, &s->clock.begun, fall(s));
}

void rv_glass_rain(rv_glass *s, double dt)
{
    const rv_params *p = &s->params;
    s->clock.rain -= p->glass_rain * (s->nx * s->dx) * (s->ny * s->dx) * dt;
    if (p->glass_keep > s->count) s->clock.rain -= (p->glass_keep - s->count) * (dt / KEEP_TIME);
    while (s->clock.rain <= 0.0) {
        s->clock.rain -= rv_ln(1.0 - fall_chance(s, 3));
        rv_glass_came(s, &s->clock.rained, fall(s));
    }
}

// From the wet area; so the smallest vanish first.
void rv_glass_evaporate(rv_glass *s, double dt)
{
    double rate = s->params.glass_evaporation * dt;
    if (!(rate > 0.0)) return;
    for (int i = 0; i < s->count; i++) {
        rv_drop *d = &s->drops[i];
        if (d->state == RV_DROP_LEAVES) continue;
        double part = rate * RV_PI * d->radius * d->radius / RV_QUANTUM;
        int64_t gone = part < (double)d->volume ? (int64_t)part : d->volume;
        if (rv_drop_volume(d) - (double)gone * RV_QUANTUM < SMALLEST_DROP) gone = d->volume;
        d->volume -= gone;
        rv_glass_went(s, &s->clock.evaporated, gone);
        if (d->volume == 0)
            s->dead[i] = 1;
        else if (d->state == RV_DROP_RESTS &&
                 rv_units_volume(s, d->drawn) > (1.0 + REDRAWN) * rv_drop_volume(d))
            rv_glass_loosen(s, i);
    }
}
