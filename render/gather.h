// The lamp's light where liquid stands in it: a map of what the liquid takes and of where it lets
// it fall, kept while lamp, terrain and liquid stay; and the picture of solids in that light.
#ifndef RENDER_GATHER_H
#define RENDER_GATHER_H

#include "render/program.h"

#include <epoxy/gl.h>

// Levels as many as are looked at (wet_light.glsl), and as one kernel makes of the first.
enum { RV_GATHER_SIDE = 1024, RV_GATHER_LEVELS = 5 };

typedef struct rv_gather {
    GLuint first, second; // framebuffers: with depth, and without
    GLuint light, depth;
    GLuint program[2][2]; // as the lamp sees it, and bent; then those of a wide world
    rv_program_asked asked[2][2];
    GLuint shade[2]; // without compute; with bodies
    bool cannot;     // the driver cannot add up in floats
    bool there;      // the map is that of the liquid
    uint64_t sent;   // of the sheet that it was made from
    float matrix[16], index;
    int part[4]; // of the map, that is drawn into: elsewhere nothing is
} rv_gather;

// Asks the driver for the programs that will be needed.
void rv_gather_ask(rv_gather *gather, bool wide, bool buffered);
// Those of a wide world find their liquid elsewhere now.
void rv_gather_drop_wide(rv_gather *gather);
void rv_gather_free(rv_gather *gather);

#endif
