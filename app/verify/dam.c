// A dam that breaks, by the shallow water equations: Ritter on a dry bed, Stoker on a wet one.
#include "dam.h"

#include <math.h>

#define GRAVITY 9.81

// Stoker: across the fan, u + 2c is that of the high side; across the shock, mass and momentum are
// kept. Both give u over the depth in the middle, one falling and one rising.
rv_dam rv_dam_of(double high, double low)
{
    rv_dam d = {.high = high, .low = low};
    double below = low, above = high;
    for (int i = 0; low > 0 && i < 100; i++) {
        d.middle = 0.5 * (below + above);
        d.speed = 2 * (sqrt(GRAVITY * high) - sqrt(GRAVITY * d.middle));
        double needed =
            (d.middle - low) * sqrt(0.5 * GRAVITY * (d.middle + low) / (d.middle * low));
        if (needed > d.speed)
            above = d.middle;
        else
            below = d.middle;
    }
    if (low > 0) d.shock = d.middle * d.speed / (d.middle - low);
    return d;
}

// Ritter's fan on the dry bed, c = (2 c0 - x/t)/3 between -c0 t and 2 c0 t; on the wet bed it ends
// where it meets the depth in the middle.
double rv_dam_depth(const rv_dam *d, double x, double time)
{
    double c0 = sqrt(GRAVITY * d->high), fan = (2 * c0 - x / time) / 3, depth = fan * fan / GRAVITY;
    if (x < -c0 * time) return d->high;
    if (d->low <= 0) return x < 2 * c0 * time ? depth : 0;
    if (x < (d->speed - sqrt(GRAVITY * d->middle)) * time) return depth;
    return x < d->shock * time ? d->middle : d->low;
}

// Mean over a cell.
double rv_dam_cell(const rv_dam *d, double x, double dx, double time)
{
    double sum = 0;
    for (int k = 0; k < 16; k++) sum += rv_dam_depth(d, x + ((k + 0.5) / 16 - 0.5) * dx, time);
    return sum / 16;
}
