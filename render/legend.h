// What a view's colours mean, as a small picture in the corner.
#ifndef RENDER_LEGEND_H
#define RENDER_LEGEND_H

#include "rivulet/rivulet.h"

#include <epoxy/gl.h>

enum { RV_LEGEND_ROWS = 10 };

// A scale of numbers from low to high, or rows of kinds.
typedef struct rv_legend_def {
    char title[32];
    bool scale;
    double low, high; // in the title's unit
    int rows;
    struct {
        uint8_t rgb[3];
        char text[32];
    } row[RV_LEGEND_ROWS];
} rv_legend_def;

typedef struct rv_legend {
    GLuint texture;
    int width, height; // pixels
    int size;          // pixels of a letter's dot
    rv_legend_def def; // that it shows
} rv_legend;

// Draws it anew if it is another one. false: no memory.
bool rv_legend_update(rv_legend *legend, const rv_legend_def *def, int size);
void rv_legend_free(rv_legend *legend);

// A scale from 0 to at least `most` metres, or metres a second with `unit` "m/s": a round end, in a
// unit that keeps numbers short. Gives the end, in SI units.
double rv_legend_scale(rv_legend_def *def, const char *name, const char *unit, double most);

#endif
