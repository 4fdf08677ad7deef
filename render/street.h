// A street in a wet dusk, painted by numbers: what is behind a pane unless the scene brings a
// picture.
#ifndef RENDER_STREET_H
#define RENDER_STREET_H

#include "rivulet/base.h"

enum { RV_STREET_WIDE = 1200, RV_STREET_HIGH = 800 };

// Paints RV_STREET_WIDE × RV_STREET_HIGH × 3 numbers of linear light, rows from the top; 1 is a
// white sheet in full light, lamps are many times as bright. The same seed gives the same street.
void rv_street_paint(float *rgb, uint32_t seed);

#endif
