// rivulet_gl/painter.h: pictures for hosts that have threads or a context of their own.
//
//     rv_painter *painter;
//     rv_painter_create(&painter, &messages);
//     rv_painting what = {.world = world, .surface = surface, .width = 640, .height = 400};
//     rv_painter_draw(painter, &what, rgba, &messages); // from any thread
//     ...
//     rv_painter_destroy(painter);
//
// A painter has a thread with a headless context, and draws there: the caller's thread may have any context, or none,
// and keeps it.
#ifndef RIVULET_GL_PAINTER_H
#define RIVULET_GL_PAINTER_H

#include "renderer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_painter rv_painter;

typedef struct rv_painting {
    const rv_world *world;
    const rv_surface *surface;         // of that world, as it is now; NULL where rv_renderer_needs_surface is false
    const rv_params *params;           // of these view.* and liquid.look count; NULL: the world's own
    int width, height;                 // pixels
    const rv_environment *environment; // NULL: the studio
    const rv_backdrop *backdrop;       // behind a pane; NULL: the street
    // A number of the host's for the two above, as making them takes a while: those of the last picture stay where it has
    // the same one. 0: they are made anew each time.
    uint64_t surroundings;
} rv_painting;

// What keeps a picture from being drawn here at all, no driver or too old a one, is told now.
RV_API rv_result rv_painter_create(rv_painter **out, rv_messages *messages);
RV_API void rv_painter_destroy(rv_painter *painter);

// Draws into width × height × 4 bytes, rows from the top; the last is 255 unless view.alpha asks for more. Waits for its
// turn and for the picture. Nobody may change the world meanwhile.
RV_API rv_result rv_painter_draw(rv_painter *painter, const rv_painting *what, uint8_t *rgba,
                                 rv_messages *messages);
// A world that was drawn is about to be destroyed: another may come to stand in its place.
RV_API void rv_painter_forget(rv_painter *painter, const rv_world *world);
// The driver's own words.
RV_API const char *rv_painter_driver(const rv_painter *painter);

#ifdef __cplusplus
}
#endif
#endif
