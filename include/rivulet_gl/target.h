// rivulet_gl/target.h: where pictures go: a window, memory without a display, or nowhere.
//
// A target owns a context of OpenGL ES 3.0, which is what WebGL 2 is, or one that has all of it.
// Creating one makes its context current for the calling thread; everything that draws expects it
// so. A target of kind RV_TARGET_NONE has no context: what is drawn on it costs nothing and shows
// nothing, and programs run the same.
#ifndef RIVULET_GL_TARGET_H
#define RIVULET_GL_TARGET_H

#include <rivulet/rivulet.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rv_target_kind {
    RV_TARGET_WINDOW,   // GLFW
    RV_TARGET_HEADLESS, // EGL without a display
    RV_TARGET_NONE
} rv_target_kind;

typedef struct rv_target rv_target;

typedef struct rv_target_def {
    rv_target_kind kind;
    int width, height; // pixels (of a window: at first)
    const char *title; // of a window
    bool hidden;       // a window that is not shown
    // The device table will run kernels in it (device_gl.h): OpenGL 4.5 is preferred, where the
    // driver has it with all of OpenGL ES 3.2, since kernels may use doubles there.
    bool computes;
} rv_target_def;

// Where there is no display, no driver, or too old a one: RV_BAD_ARGUMENT and a message that says
// which and what would help.
RV_API rv_result rv_target_create(const rv_target_def *def, rv_target **out, rv_messages *messages);
RV_API void rv_target_destroy(rv_target *target);

// Of what is drawn on, in pixels; a window's changes with it.
RV_API void rv_target_get_size(const rv_target *target, int *width, int *height);
// Another size; of a window, as far as the window system lets it. RV_BAD_ARGUMENT: it cannot be
// had, nothing changed.
RV_API rv_result rv_target_resize(rv_target *target, int width, int height);
// The framebuffer to draw into. 0 for a window.
RV_API unsigned rv_target_framebuffer(const rv_target *target);
// Shows what was drawn (a window; nothing else needs it).
RV_API void rv_target_present(rv_target *target);
// What was drawn (in a window: since it was last presented), as width × height × 3 bytes, rows from
// the top. Black on RV_TARGET_NONE.
RV_API rv_result rv_target_read(rv_target *target, uint8_t *rgb);
// The same with alpha, 4 bytes a pixel. Pictures have some where view.alpha asks for it; a window
// may have none to give.
RV_API rv_result rv_target_read_alpha(rv_target *target, uint8_t *rgba);
// The driver's own words, "Mesa llvmpipe …"; "none" without a context.
RV_API const char *rv_target_driver(const rv_target *target);
// The GLFWwindow of a window, else NULL.
RV_API void *rv_target_window(const rv_target *target);

#ifdef __cplusplus
}
#endif
#endif
