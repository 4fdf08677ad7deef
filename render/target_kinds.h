// What each kind of target does, as a table of functions; render/target.c chooses one.
#ifndef RENDER_TARGET_KINDS_H
#define RENDER_TARGET_KINDS_H

#include "rivulet_gl/target.h"

typedef struct rv_target_functions {
    // Makes the context, current for this thread; false: a message says why not. `room` is zeroed
    // memory of room_size bytes that lives as long as the target.
    bool (*open)(void *room, const rv_target_def *def, rv_messages *messages);
    void (*close)(void *room);
    void (*use)(void *room); // makes the context current, if it is not
    void (*size)(const void *room, int *width, int *height);
    bool (*resize)(void *room, int width, int height);
    unsigned (*framebuffer)(const void *room);
    unsigned (*image)(const void *room); // the texture behind it, GL_RGBA8; NULL: there is none
    void (*present)(void *room);
    void *(*window)(const void *room);
    size_t room_size;
    bool draws; // has a context
} rv_target_functions;

extern const rv_target_functions rv_target_of_window, rv_target_of_headless;

// Whether the libraries are there that GL is loaded from; epoxy ends the program where they are
// not. The second: those of OpenGL that is not ES.
bool rv_target_has_libraries(const char *who, rv_messages *messages);
bool rv_target_has_desktop(void);
// The context that was just made current has OpenGL 4.5 and with it all of OpenGL ES 3.2, and
// kernels may use doubles.
bool rv_target_is_whole(void);

// Makes the target's context current for this thread. false: it has none.
bool rv_target_use(rv_target *target);

// The texture that the target's picture is, which kernels may write into; 0: it has none.
unsigned rv_target_image(const rv_target *target);

#endif
