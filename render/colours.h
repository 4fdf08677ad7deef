// Colours that stand for numbers and for kinds.
#ifndef RENDER_COLOURS_H
#define RENDER_COLOURS_H

#include "render/letters.h"

enum { RV_COLOURS = 256, RV_KINDS = 8 };

// From low to high: even steps look even, and grey copies keep the order.
rv_colour rv_colour_of(double share);
// Kinds that must be told apart; counts on from the start after the last.
rv_colour rv_colour_of_kind(int kind);

#endif
