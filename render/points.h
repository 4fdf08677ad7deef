// Single particles on the graphics card: all of them, or those that are too few to make a surface.
#ifndef RENDER_POINTS_H
#define RENDER_POINTS_H

#include "render/extent.h"

#include <epoxy/gl.h>

typedef struct rv_points {
    GLuint array, instances;
    GLuint speeds, drops; // programs: in the colours of speeds; of the liquid, in a plane
    float (*point)[8];    // middle, cells; speed, cells/s; velocity; foam, 0 … 1
    size_t room;
    int count;
    float radius;    // cells
    float fastest;   // cells/s
    size_t uploaded; // bytes, by the last update
} rv_points;

// Collects particles; with a density only those at places thinner than `level`.
rv_result rv_points_take(rv_points *points, const rv_particles *particles,
                         const rv_density *density, double level, const rv_extent *extent);
rv_result rv_points_send(rv_points *points);
// Their programs. false: messages has why.
bool rv_points_prepare(rv_points *points, rv_messages *messages);
void rv_points_draw(const rv_points *points, GLuint program);
void rv_points_free(rv_points *points);

#endif
