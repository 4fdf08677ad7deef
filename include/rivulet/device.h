// rivulet/device.h: what a graphics card must offer so that worlds can live on it.
//
// A host hands the core a table of functions, as it hands it an allocator; the core owns the
// kernels' text and the order in which they run, and knows no graphics library. `rivulet_gl` has
// such a table over OpenGL (rivulet_gl/device_gl.h).
//
//     def.device = rv_device_gl_table(card); // def: rv_world_def
//
// All functions are called from the thread that steps the world, which must be the one that the
// device belongs to. Work is done in the order in which it was asked for: what a dispatch wrote,
// the next one, a copy, a read or a draw sees. Kernels are text in GLSL's words for compute that is
// valid from OpenGL ES 3.1 and OpenGL 4.3 on, without the line that names the version; sums and
// products that are `precise` must be rounded one by one.
#ifndef RIVULET_DEVICE_H
#define RIVULET_DEVICE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_device_buffer rv_device_buffer;
typedef struct rv_device_kernel rv_device_kernel;

#define RV_DEVICE_BUFFERS 16       // that one call may have, at most
#define RV_DEVICE_CONSTANTS 1024   // bytes of a call, at most
#define RV_DEVICE_READ_MOST 262144 // bytes of an asynchronous read, at most

// An answer that comes later: of a read, a fence or a timer.
typedef uint64_t rv_device_ticket;

// A kernel and what it works on.
typedef struct rv_device_call {
    rv_device_kernel *kernel;
    rv_device_buffer *const *buffers; // std430 blocks 0, 1, 2 …; NULL ones are not looked at
    int buffer_count;
    const void *constants; // std140 block 0; NULL: none
    size_t constant_bytes;
    uint32_t groups[3];         // of a dispatch
    rv_device_buffer *indirect; // NULL: as `groups` says; else three words there say it. Draws: the
                                // four words count, instances, first, 0
    size_t indirect_at;         // bytes
} rv_device_call;

typedef struct rv_device {
    void *user;
    const char *name;     // the driver's own words
    size_t buffer_most;   // bytes of one buffer
    int bindings;         // buffers of one call
    bool timers;          // begin_timer and end_timer tell something
    uint32_t groups_most; // of a dispatch, along x; 0: the 65,535 that every card takes

    // Zeros at first. RV_OUT_OF_MEMORY: the card has no room.
    rv_result (*make_buffer)(void *user, size_t bytes, rv_device_buffer **out);
    void (*free_buffer)(void *user, rv_device_buffer *buffer);
    // What the host's graphics library calls it, for renderers of that library. Between dispatches
    // that write to it and draws that read it through that name stands a call of shown().
    uint32_t (*name_of)(void *user, const rv_device_buffer *buffer);
    void (*shown)(void *user);
    // `at` and `bytes` are multiples of 4; 0 bytes are nothing to do, here and in what follows.
    rv_result (*write)(void *user, rv_device_buffer *buffer, size_t at, const void *data,
                       size_t bytes);
    rv_result (*copy)(void *user, rv_device_buffer *from, size_t from_at, rv_device_buffer *to,
                      size_t to_at, size_t bytes);
    // Waits until it is there.
    rv_result (*fetch)(void *user, rv_device_buffer *buffer, size_t at, void *data, size_t bytes);
    // The same for little, later: collect() gives it.
    rv_result (*read)(void *user, rv_device_buffer *buffer, size_t at, size_t bytes,
                      rv_device_ticket *out);
    // *done: it is there, was copied, and the ticket is used up. With `wait` it always is.
    rv_result (*collect)(void *user, rv_device_ticket ticket, void *data, bool wait, bool *done);

    // A word ahead of make_kernel(): the driver may begin to compile that text, and go on with
    // several at once. May be NULL. What is wrong with it make_kernel() says.
    void (*ask_kernel)(void *user, const char *const *text, int parts);
    // The parts of the text are put together. On failure one message with the kernel's name.
    rv_result (*make_kernel)(void *user, const char *name, const char *const *text, int parts,
                             rv_device_kernel **out, rv_messages *messages);
    // For draws: a vertex and a fragment shader, after the parts that both have. Triangles.
    rv_result (*make_painter)(void *user, const char *name, const char *common, const char *vertex,
                              const char *fragment, rv_device_kernel **out, rv_messages *messages);
    void (*free_kernel)(void *user, rv_device_kernel *kernel);
    rv_result (*dispatch)(void *user, const rv_device_call *call);
    // Always indirect; into what the host has made ready to draw on.
    rv_result (*draw)(void *user, const rv_device_call *call);

    rv_result (*fence)(void *user, rv_device_ticket *out);
    rv_result (*passed)(void *user, rv_device_ticket ticket, bool wait, bool *done);

    rv_result (*begin_timer)(void *user);
    rv_result (*end_timer)(void *user, rv_device_ticket *out);
    // ms between the two on the card.
    rv_result (*timer)(void *user, rv_device_ticket ticket, bool wait, bool *done, double *ms);

    size_t group_bytes; // that the threads of a group may share; 0: 16384, which all have
    // Groups of up to 1024 threads of one call that the card runs at the same time, so that they
    // may wait for each other; 0: not known. Where that proves wrong kernels notice.
    uint32_t together;
    uint32_t group_threads; // that a group may have; 0: 256, which all have
    // Kernels may use doubles, as OpenGL 4.3 has them; sums, products and quotients that are
    // `precise`, and floats of doubles, are rounded as the processor rounds them.
    bool doubles;
} rv_device;

#ifdef __cplusplus
}
#endif
#endif
