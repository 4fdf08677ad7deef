// What the files of the device table over OpenGL share.
#ifndef GL_DEVICE_PARTS_H
#define GL_DEVICE_PARTS_H

#include "rivulet_gl/device_gl.h"

#include <epoxy/gl.h>

struct rv_device_buffer {
    GLuint name;
    size_t bytes;
};

struct rv_device_kernel {
    GLuint program;
    GLuint array; // painters: a vertex array without attributes
    // Kernels stay for who asks for the same text again: compiling takes long, and worlds are made
    // anew.
    uint64_t print; // of the text; 0: not kept
    GLuint asked;   // its shader, while nobody has looked what came of it
    rv_device_kernel *next;
};

enum { RV_TICKETS = 64, RV_TIMER_TICKETS = 64 };

#define RV_GL_ERRORS 16 // that are asked for at a time: a lost context may report for ever

#define RV_GL_RING 262144            // bytes of constants
#define RV_GL_PARTS 4                // of the ring: one is not written to again before it was read
#define RV_GL_SENT ((size_t)8 << 20) // bytes of what is on its way to buffers; as many parts

#define RV_GL_SHORT 32768    // bytes of an answer that a kernel brings, at most
#define RV_GL_BROUGHT 8      // answers that one call brings
#define RV_GL_FIRST_PLACE 18 // where buffers of that call are bound: after all others', and
#define RV_GL_PLACES 27      // the renderer's
_Static_assert(RV_GL_PLACES <= RV_GL_FREE_PLACE, "others begin there");

// Of answers that came together.
typedef struct rv_gl_fence {
    GLsync sync; // NULL: not set yet
    int users;   // answers that were not taken yet
    bool passed;
} rv_gl_fence;

// An answer under way: a copy in memory that the processor may read, or nothing but a fence.
typedef struct rv_gl_answer {
    bool used;
    bool brought; // it stands in its part of rv_device_gl.told
    uint32_t serial;
    int fence;
    GLuint buffer;             // else in one of its own, kept for the next one
    const unsigned char *seen; // where it stands, without asking the driver; NULL: it must be
    size_t room, bytes;
} rv_gl_answer;

// A short one that was asked for and is not on its way yet.
typedef struct rv_gl_asked {
    GLuint buffer;
    uint32_t at, words;
    int answer;
} rv_gl_asked;

typedef struct rv_gl_timer {
    bool used;
    uint32_t serial;
    GLuint query;
} rv_gl_timer;

// A dispatch that was asked for. Buffers are named, since who asked may free them.
typedef struct rv_gl_call {
    const rv_device_kernel *kernel;
    GLuint buffer[RV_DEVICE_BUFFERS]; // 0: none
    int buffer_count, place;          // of the first
    int fence;                        // that comes after it; -1: none
    bool has_constants;
    size_t constants_at;
    uint32_t groups[3];
    GLuint indirect; // 0: as `groups` says
    size_t indirect_at;
} rv_gl_call;

#define RV_GL_WAITING 16 // calls that are issued together, at most
#define RV_GL_FIRST 2    // the same of the first after the card had nothing to do
#define RV_GL_BEGIN 5    // that the driver is told to begin with, not to gather more

struct rv_device_gl {
    rv_device table;
    char name[160];
    char header[160]; // the lines that kernels begin with
    bool desktop;     // OpenGL, not ES
    bool can_reset;   // the driver tells of a card that was lost
    bool lost;
    GLuint constants;    // a ring of blocks, in the card's memory
    GLuint written;      // the same in memory that both sides see; 0: there is none
    unsigned char *ring; // where that stands, written to without asking the driver; NULL: it must
    GLsync read[RV_GL_PARTS]; // by then what stands in a part of it was read
    size_t constants_at, constants_step;
    size_t copied_at;                      // up to here it was copied
    rv_gl_call waiting[RV_GL_WAITING + 1]; // calls that were asked for and not yet issued
    int waiting_count;
    int together; // so many are issued next
    int unbegun;  // calls that were issued since the driver was last told to begin
    unsigned char sent[RV_DEVICE_CONSTANTS]; // the last ones, and where they stand
    size_t sent_bytes, sent_at;
    GLuint sending; // a ring for what write() sends; 0: it was not asked for yet, or there is none
    unsigned char *sends; // where it stands; NULL: the driver is asked to send
    bool asked_sends;
    GLsync left[RV_GL_PARTS]; // by then what stands in a part of it has left
    size_t sends_at;
    GLuint bound[RV_GL_PLACES]; // buffers as they are bound; nobody else binds any there
    rv_gl_answer staging;       // of fetch()
    rv_device_kernel *bringer;  // NULL: short answers are copied too
    GLuint telling;
    const unsigned char *told; // where short answers stand, RV_GL_SHORT bytes each
    rv_gl_asked asked[RV_GL_BROUGHT];
    int asked_count;
    rv_gl_fence fence[RV_TICKETS + 1];
    bool shares; // the driver gives memory that both sides see
    uint32_t serial;
    rv_gl_answer answer[RV_TICKETS];
    rv_gl_timer timer[RV_TIMER_TICKETS];
    int timing; // which is under way, -1: none
    rv_device_kernel *kept;
};

// What went wrong since the last time: RV_OK, RV_OUT_OF_MEMORY or RV_DEVICE_LOST.
rv_result rv_gl_trouble(rv_device_gl *d);

// device_buffers.c
// Memory that both sides see, for the buffer that is bound there.
void rv_gl_share(const rv_device_gl *d, GLenum target, size_t bytes, GLbitfield how);
bool rv_gl_within(const rv_device_buffer *b, size_t at, size_t bytes);
rv_result rv_gl_make_buffer(void *user, size_t bytes, rv_device_buffer **out);
void rv_gl_free_buffer(void *user, rv_device_buffer *buffer);
uint32_t rv_gl_name_of(void *user, const rv_device_buffer *buffer);
void rv_gl_shown(void *user);
rv_result rv_gl_write(void *user, rv_device_buffer *buffer, size_t at, const void *data,
                      size_t bytes);
rv_result rv_gl_copy(void *user, rv_device_buffer *from, size_t from_at, rv_device_buffer *to,
                     size_t to_at, size_t bytes);
void rv_gl_free_sends(rv_device_gl *d);

// device_answers.c
rv_result rv_gl_fetch(void *user, rv_device_buffer *buffer, size_t at, void *data, size_t bytes);
rv_result rv_gl_read(void *user, rv_device_buffer *buffer, size_t at, size_t bytes,
                     rv_device_ticket *out);
rv_result rv_gl_collect(void *user, rv_device_ticket ticket, void *data, bool wait, bool *done);
rv_result rv_gl_fence_now(void *user, rv_device_ticket *out);
rv_result rv_gl_passed(void *user, rv_device_ticket ticket, bool wait, bool *done);
void rv_gl_set_fence(rv_device_gl *d, int fence);
void rv_gl_make_bringer(rv_device_gl *d);
void rv_gl_bring(rv_device_gl *d);
void rv_gl_free_answers(rv_device_gl *d);

// device_fused.c
bool rv_gl_is_fused(rv_device_gl *d);

// device_doubles.c
bool rv_gl_has_doubles(rv_device_gl *d);

// device_calls.c
void rv_gl_make_ring(rv_device_gl *d);
void rv_gl_free_ring(rv_device_gl *d);
// A part of a ring ends, and is not written to again before it was read; waits until the next was.
void rv_gl_enter_part(GLsync read[RV_GL_PARTS], size_t last, size_t next);
// Hands the driver the calls that were asked for. Before anything else of the driver's is.
void rv_gl_issue(rv_device_gl *d);
// Drivers gather what they are asked for until somebody waits, or there is much of it: told now and
// then, the card works while more is asked for.
void rv_gl_begin(rv_device_gl *d);
void rv_gl_hurry(rv_device_gl *d); // somebody waited for it: it has nothing to do
// The constants of a call go to the next place of a ring, so that none waits for those before it;
// those of a call like the last one are there.
void rv_gl_put_constants(rv_device_gl *d, const void *data, size_t bytes, rv_gl_call *call);
rv_result rv_gl_dispatch(void *user, const rv_device_call *call);
rv_result rv_gl_draw(void *user, const rv_device_call *call);

// device_kernels.c
void rv_gl_ask_kernel(void *user, const char *const *text, int parts);
rv_result rv_gl_make_kernel(void *user, const char *name, const char *const *text, int parts,
                            rv_device_kernel **out, rv_messages *messages);
rv_result rv_gl_make_painter(void *user, const char *name, const char *common, const char *vertex,
                             const char *fragment, rv_device_kernel **out, rv_messages *messages);
void rv_gl_free_kernel(void *user, rv_device_kernel *kernel);
void rv_gl_free_kept(rv_device_gl *d);
rv_result rv_gl_begin_timer(void *user);
rv_result rv_gl_end_timer(void *user, rv_device_ticket *out);
rv_result rv_gl_timer_ms(void *user, rv_device_ticket ticket, bool wait, bool *done, double *ms);

#endif
