// Units that numbers may carry. Each converts to an SI unit by an exact factor up / down, and
// dividing by an exact number keeps "5 mm" the very same double as 0.005.
#include "params/units.h"

#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct unit {
    const char *si; // the field's unit that it converts to
    const char *name;
    double up, down;
} unit;

// The first of each kind is its SI unit; the rest stand in the order in which they are suggested.
// clang-format off
static const unit units[] = {
    {"m", "m", 1, 1}, {"m", "mm", 1, 1e3}, {"m", "cm", 1, 1e2}, {"m", "um", 1, 1e6},
    {"m", "µm", 1, 1e6}, {"m", "km", 1e3, 1},
    {"s", "s", 1, 1}, {"s", "ms", 1, 1e3}, {"s", "us", 1, 1e6}, {"s", "min", 60, 1},
    {"s", "h", 3600, 1},
    {"rad", "rad", 1, 1}, {"rad", "deg", PI, 180}, {"rad", "°", PI, 180},
    {"m3", "m3", 1, 1}, {"m3", "l", 1, 1e3}, {"m3", "ml", 1, 1e6}, {"m3", "ul", 1, 1e9},
    {"m3", "cm3", 1, 1e6}, {"m3", "mm3", 1, 1e9},
    {"m3/s", "m3/s", 1, 1}, {"m3/s", "l/s", 1, 1e3}, {"m3/s", "ml/s", 1, 1e6},
    {"m3/s", "cm3/s", 1, 1e6}, {"m3/s", "mm3/s", 1, 1e9}, {"m3/s", "l/min", 1, 6e4},
    {"m3/s", "ml/min", 1, 6e7}, {"m3/s", "m3/h", 1, 3600},
    {"m2/s", "m2/s", 1, 1}, {"m2/s", "cSt", 1, 1e6}, {"m2/s", "mm2/s", 1, 1e6},
    {"m2/s", "cm2/s", 1, 1e4}, {"m2/s", "St", 1, 1e4},
    {"kg/m3", "kg/m3", 1, 1}, {"kg/m3", "g/cm3", 1e3, 1}, {"kg/m3", "g/ml", 1e3, 1},
    {"kg/m3", "kg/l", 1e3, 1},
    {"m/s2", "m/s2", 1, 1}, {"m/s2", "cm/s2", 1, 1e2}, {"m/s2", "mm/s2", 1, 1e3},
    {"Pa", "Pa", 1, 1}, {"Pa", "hPa", 1e2, 1}, {"Pa", "kPa", 1e3, 1}, {"Pa", "bar", 1e5, 1},
    {"N/m", "N/m", 1, 1}, {"N/m", "mN/m", 1, 1e3}, {"N/m", "dyn/cm", 1, 1e3},
    {"1/s", "1/s", 1, 1}, {"1/s", "Hz", 1, 1}, {"1/s", "fps", 1, 1},
    {"px", "px", 1, 1},
    {"cells", "cells", 1, 1},
    {"1", "%", 1, 1e2},
};
// clang-format on
#define UNIT_COUNT (sizeof units / sizeof units[0])

bool rv_unit_convert(const char *field_unit, const char *text, size_t length, double *value)
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        const unit *u = &units[i];
        if (strcmp(u->si, field_unit) != 0) continue;
        if (strlen(u->name) != length || memcmp(u->name, text, length) != 0) continue;
        *value = *value * u->up / u->down;
        return true;
    }
    return false;
}

void rv_unit_choices(const char *field_unit, char *out, size_t out_size)
{
    if (out_size == 0) return;
    out[0] = '\0';
    const char *before = NULL;
    size_t used = 0;
    for (size_t i = 0; i <= UNIT_COUNT; i++) {
        bool ours = i < UNIT_COUNT && strcmp(units[i].si, field_unit) == 0;
        if (!ours && (i < UNIT_COUNT || !before)) continue;
        if (before) {
            const char *join = used == 0 ? "" : i == UNIT_COUNT ? " or " : ", ";
            int wrote = snprintf(out + used, out_size - used, "%s%s", join, before);
            if (wrote < 0 || (size_t)wrote >= out_size - used) return;
            used += (size_t)wrote;
        }
        before = ours ? units[i].name : NULL;
    }
}
