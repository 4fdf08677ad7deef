// Programs of the graphics driver from the texts in render/shaders/.
#ifndef RENDER_PROGRAM_H
#define RENDER_PROGRAM_H

#include "rivulet/base.h"

#include <epoxy/gl.h>

// A program that the driver was asked for. It may compile several at once, so all that are known to
// be needed are asked for before the first is taken.
typedef struct rv_program_asked {
    GLuint program, shader[2];
    const char *name[2];
} rv_program_asked;

// Compiles and links two texts by their names in rv_shader_texts. A line `#include NAME` in a text
// stands for another one. `defines` (may be NULL) goes after the first line: "#define WIRE 1\n"; if
// it begins with a version, that is the first line. Its textures and its block of numbers are tied
// to the places that all programs share (RV_AT_…). `captured` (may be NULL) is what the vertices
// give that is written to a buffer. 0: messages has the driver's words.
GLuint rv_program_make(const char *vertex, const char *pixel, const char *defines,
                       const char *captured, rv_messages *messages);
// A program of one text that computes; defines as above. 0 also where the driver
// has no compute.
GLuint rv_program_make_kernel(const char *name, const char *defines, rv_messages *messages);
// The same in two steps: asks for one, and waits for it; a failure is told by either, and then
// taking gives 0. Names must stay. One that is asked for and not taken is dropped.
rv_program_asked rv_program_ask(const char *vertex, const char *pixel, const char *defines,
                                const char *captured, rv_messages *messages);
rv_program_asked rv_program_ask_kernel(const char *name, const char *defines,
                                       rv_messages *messages);
GLuint rv_program_take(rv_program_asked *asked, rv_messages *messages);
void rv_program_drop(rv_program_asked *asked);

// Where a texture is bound, whatever the program.
enum {
    RV_AT_SCENE,   // colours without liquid
    RV_AT_DEPTH,   // and their depths
    RV_AT_FRONT,   // depth of the nearest liquid
    RV_AT_NEAREST, // and its colours
    RV_AT_SECOND,  // colours of the liquid behind it
    RV_AT_SECOND_DEPTH,
    RV_AT_WHOLE,   // everything, before the curve
    RV_AT_SHADOW,  // depths seen from the lamp, for comparing
    RV_AT_BLOCKER, // the same, to read
    RV_AT_ROOM,    // the surroundings
    RV_AT_NOISE,
    RV_AT_FLOOR,       // how much of the lamp the floor sees
    RV_AT_LETTERS,     // the legend
    RV_AT_COLOURS,     // of numbers
    RV_AT_BODY_SHADOW, // as RV_AT_SHADOW and RV_AT_BLOCKER, of bodies
    RV_AT_BODY_BLOCKER,
    RV_AT_DENSITY,   // of particles
    RV_AT_COARSE,    // where there is some
    RV_AT_WET,       // the lamp's light through liquid, by place in the lamp's view
    RV_AT_WET_DEPTH, // and how far the liquid is from it
    RV_AT_SOLIDS,    // distance to solids, beside it
    RV_AT_HEIGHTS,   // of a wide world (render/wide.h): its ground, by column
    RV_AT_LIQUID,    // and depths of its liquid
    RV_AT_OPEN,      // how much of the sky and of the lamp its ground sees
    RV_AT_LAMP,
    RV_AT_SHAPE, // of liquid, by pixel: liquid_packed.glsl; or numbers of triangles
    RV_AT_SHAPE_REST,
    RV_AT_TILES, // squares of pixels with liquid
    RV_AT_SPOTS, // and with drops
    RV_AT_FROTH, // foam of particles
    RV_AT_CODES, // where samples have their colours from
};

#endif
