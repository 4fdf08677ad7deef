// A pane of glass with water on it: what the renderer keeps of it, and how it draws it. Two passes:
// the water's shape from the pane's maps, cell by cell, and the picture, pixel by pixel, straight
// into the target.
#ifndef RENDER_PANE_H
#define RENDER_PANE_H

#include "render/eye.h"
#include "render/pane_blur.h"
#include "render/pane_maps.h"
#include "rivulet_gl/renderer.h"

#include <epoxy/gl.h>

typedef struct rv_pane_part {
    bool shown;  // the world that was taken over last is a pane
    double time; // s, simulated: where a wiper is
    rv_pane_maps maps;
    GLuint shape_program, picture_program;
    GLint shape_numbers, picture_numbers; // places of their uniforms
    // What is outside.
    rv_light_map outside;     // in focus; none: it is to be painted
    bool own;                 // the scene's picture, not the street
    uint32_t seed;            // of the street
    float radius;             // of a light out of focus, in pixels of `outside`; < 0: not known
    GLuint sharp, lens, soft; // in focus, out of focus, as fog spreads it
    vec3 mean, brightest;     // light of all, and about that of a bright place
} rv_pane_part;

// What a frame needs besides.
typedef struct rv_pane_frame {
    const rv_params *params;
    const rv_eye *eye;
    const rv_mark *mark;
    double x0, y0;               // m, low corner of the pane
    GLuint framebuffer, nothing; // to draw into; a vertex array without attributes
    GLuint room, colours, letters;
    double scale; // m, end of the colours of view.mode depth
} rv_pane_frame;

// Takes over the maps as they are now.
rv_result rv_pane_part_update(rv_pane_part *part, const rv_pane *pane, rv_messages *messages);
// The picture of outside; copied. NULL: a street by the seed.
rv_result rv_pane_part_backdrop(rv_pane_part *part, const rv_backdrop *backdrop);
// First the water's shape, where the maps changed; then the picture.
rv_result rv_pane_part_shape(rv_pane_part *part, const rv_pane_frame *frame);
rv_result rv_pane_part_draw(rv_pane_part *part, const rv_pane_frame *frame);
void rv_pane_part_free(rv_pane_part *part);

// The block that the camera sees: flat, and to be filled by the picture.
void rv_pane_extent(const rv_pane *pane, const rv_params *params, rv_extent *extent);

#endif
