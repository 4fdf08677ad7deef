// What is read back from buffers. Answers go through memory of their own: a driver that sees the
// processor map a buffer of kernels may move it out of the card's memory, and everything is slow from
// then on.
//
// A copy between two calls of kernels takes a card twice as long as a call, and a fence the driver
// longer than anything else. So short answers that are asked for one after the other are brought by
// one kernel, into memory that both sides see, with one fence.
#include "gl/device_parts.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)64 << 20) // bytes fetched at a time
#define LEAST ((size_t)4096)     // bytes of memory for an answer
#define WAIT 60000000000ull      // ns; a card that takes longer has failed

// ---- Fences -------------------------------------------------------------------------------------

// For so many answers; there are as many fences as answers. It is set later.
static int take_fence(rv_device_gl *d, int users)
{
    for (int k = 0; k < RV_TICKETS; k++) {
        if (d->fence[k].users > 0) continue;
        d->fence[k] = (rv_gl_fence){.users = users};
        return k;
    }
    return -1;
}

void rv_gl_set_fence(rv_device_gl *d, int fence)
{
    d->fence[fence].sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

static void leave_fence(rv_device_gl *d, int fence)
{
    rv_gl_fence *f = &d->fence[fence];
    if (--f->users > 0) return;
    if (f->sync) glDeleteSync(f->sync);
    f->sync = NULL;
}

// Whether an answer is there; it leaves its fence then.
static rv_result await(rv_device_gl *d, rv_gl_answer *a, bool wait, bool *done)
{
    rv_gl_fence *f = &d->fence[a->fence];
    rv_gl_issue(d); // they may begin meanwhile
    if (!f->passed && !d->lost) {
        if (wait && d->unbegun > 0) glFlush(); // what comes after the fence is not to wait with us
        GLenum state = glClientWaitSync(f->sync, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? WAIT : 0);
        f->passed = state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
        if (state == GL_WAIT_FAILED || (wait && !f->passed)) d->lost = true;
        d->unbegun = 0;
        if (wait) rv_gl_hurry(d);
    }
    *done = f->passed;
    if (*done || d->lost) {
        leave_fence(d, a->fence);
        a->used = false;
    }
    return d->lost ? RV_DEVICE_LOST : RV_OK;
}

// ---- Long answers -------------------------------------------------------------------------------

// Memory for an answer, which the processor sees all the time if the driver can do that.
static rv_result make_room(rv_device_gl *d, rv_gl_answer *a, size_t bytes)
{
    const GLbitfield how = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (a->buffer) glDeleteBuffers(1, &a->buffer); // the memory of a shared one cannot grow
    a->seen = NULL, a->room = 0;
    if (bytes < LEAST) bytes = LEAST;
    if (bytes <= RV_DEVICE_READ_MOST / 2) bytes *= 2; // the next one may be somewhat longer
    glGenBuffers(1, &a->buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, a->buffer);
    if (d->shares)
        rv_gl_share(d, GL_COPY_WRITE_BUFFER, bytes, how);
    else
        glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
    rv_result result = rv_gl_trouble(d);
    if (result != RV_OK) return result;
    if (d->shares) a->seen = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)bytes, how);
    a->room = bytes;
    return RV_OK;
}

// Copies into a buffer that the processor may read, made larger where it must be.
static rv_result stage(rv_device_gl *d, rv_gl_answer *a, const rv_device_buffer *b, size_t at,
                       size_t bytes)
{
    rv_gl_issue(d);
    rv_result result = a->room < bytes ? make_room(d, a, bytes) : RV_OK;
    if (result != RV_OK || bytes == 0) return result;
    glBindBuffer(GL_COPY_WRITE_BUFFER, a->buffer);
    glBindBuffer(GL_COPY_READ_BUFFER, b->name);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)at, 0,
                        (GLsizeiptr)bytes);
    return RV_OK;
}

// What was copied and is there; or waits for it, where the driver must be asked for it.
static rv_result take(rv_device_gl *d, const rv_gl_answer *a, void *data, size_t bytes)
{
    if (bytes == 0) return RV_OK;
    const unsigned char *seen = a->brought ? d->told + (a - d->answer) * RV_GL_SHORT : a->seen;
    if (seen) {
        memcpy(data, seen, bytes);
        return RV_OK;
    }
    glBindBuffer(GL_COPY_READ_BUFFER, a->buffer);
    const void *from = glMapBufferRange(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);
    if (from) memcpy(data, from, bytes);
    bool whole = glUnmapBuffer(GL_COPY_READ_BUFFER);
    if (from && whole) return RV_OK;
    d->lost = true;
    return RV_DEVICE_LOST;
}

// ---- Short answers ------------------------------------------------------------------------------

#define TEXT_OF(number) #number
#define BUFFER(name, place)                                                                        \
    "layout(std430, binding = " TEXT_OF(place) ") readonly buffer B" #name " { uint b" #name       \
                                               "[]; };\n"

static const char *const text =
    "layout(local_size_x = 256) in;\n"
    "layout(std140, binding = 0) uniform Asked { uvec4 asked[8]; };\n" // from, to, words
    BUFFER(0, 18) BUFFER(1, 19) BUFFER(2, 20) BUFFER(3, 21) BUFFER(4, 22) BUFFER(5, 23)
    BUFFER(6, 24) BUFFER(7, 25)
    "layout(std430, binding = 26) writeonly buffer Told { uint told[]; };\n"
    "void main()\n"
    "{\n"
    "    uint n = gl_WorkGroupID.y;\n"
    "    uvec4 a = asked[n];\n"
    "    uint each = 256u * gl_NumWorkGroups.x;\n"
    "    for (uint k = gl_GlobalInvocationID.x; k < a.z; k += each) {\n"
    "        uint at = a.x + k;\n"
    "        told[a.y + k] = n == 0u ? b0[at] : n == 1u ? b1[at] : n == 2u ? b2[at] : n == 3u ?\n"
    "            b3[at] : n == 4u ? b4[at] : n == 5u ? b5[at] : n == 6u ? b6[at] : b7[at];\n"
    "    }\n"
    "}\n";

_Static_assert(RV_GL_FIRST_PLACE == 18 && RV_GL_BROUGHT == 8, "as the kernel has them");

// Where the driver cannot, all answers are copied.
void rv_gl_make_bringer(rv_device_gl *d)
{
    const GLbitfield how = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    rv_messages unread = {0};
    GLint places = 0;
    glGetIntegerv(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, &places);
    if (!d->shares || places < RV_GL_PLACES) return;
    if (rv_gl_make_kernel(d, "bring", &text, 1, &d->bringer, &unread) != RV_OK) return;
    glGenBuffers(1, &d->telling);
    glBindBuffer(GL_COPY_WRITE_BUFFER, d->telling);
    rv_gl_share(d, GL_COPY_WRITE_BUFFER, RV_TICKETS * RV_GL_SHORT, how);
    d->told = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, RV_TICKETS * RV_GL_SHORT, how);
    for (int k = 0; !d->told && k < RV_GL_ERRORS && glGetError() != GL_NO_ERROR; k++) {
    }
}

static bool is_short(const rv_device_gl *d, size_t at, size_t bytes)
{
    return d->told && bytes > 0 && bytes <= RV_GL_SHORT && at % 4 == 0 && bytes % 4 == 0;
}

// Those that were asked for since the last time, as one call. Before any other that may change what
// they ask for.
void rv_gl_bring(rv_device_gl *d)
{
    uint32_t asked[RV_GL_BROUGHT][4] = {{0}};
    int count = d->asked_count;
    uint32_t most = 0;
    if (count == 0) return;
    d->asked_count = 0;
    rv_gl_call call = {.kernel = d->bringer, .buffer_count = count, .place = RV_GL_FIRST_PLACE};
    call.fence = take_fence(d, count);
    for (int k = 0; k < count; k++) {
        const rv_gl_asked *a = &d->asked[k];
        asked[k][0] = a->at, asked[k][1] = (uint32_t)(a->answer * (RV_GL_SHORT / 4));
        asked[k][2] = a->words;
        most = a->words > most ? a->words : most;
        call.buffer[k] = a->buffer;
        d->answer[a->answer].fence = call.fence;
    }
    call.buffer[RV_GL_BROUGHT] = d->telling, call.buffer_count = RV_GL_BROUGHT + 1;
    call.groups[0] = (most + 255) / 256, call.groups[1] = (uint32_t)count, call.groups[2] = 1;
    rv_gl_put_constants(d, asked, sizeof asked, &call);
    d->waiting[d->waiting_count++] = call;
    rv_gl_issue(d);
    rv_gl_begin(d); // who asks may have something to do meanwhile
}

static void ask(rv_device_gl *d, int answer, const rv_device_buffer *b, size_t at, size_t bytes)
{
    if (d->asked_count == RV_GL_BROUGHT) rv_gl_bring(d);
    d->asked[d->asked_count++] =
        (rv_gl_asked){b->name, (uint32_t)(at / 4), (uint32_t)(bytes / 4), answer};
}

// ---- Answers that come later --------------------------------------------------------------------

static rv_device_ticket ticket_of(int index, uint32_t serial)
{
    return (uint64_t)serial << 8 | (unsigned)index;
}

static int free_answer(const rv_device_gl *d)
{
    for (int k = 0; k < RV_TICKETS; k++)
        if (!d->answer[k].used) return k;
    return -1;
}

static rv_gl_answer *answer_of(rv_device_gl *d, rv_device_ticket ticket)
{
    unsigned index = ticket & 255;
    if (index >= RV_TICKETS) return NULL;
    rv_gl_answer *a = &d->answer[index];
    return a->used && a->serial == (uint32_t)(ticket >> 8) ? a : NULL;
}

static void seal(rv_device_gl *d, int index, size_t bytes, bool brought, rv_device_ticket *out)
{
    rv_gl_answer *a = &d->answer[index];
    a->used = true, a->serial = ++d->serial, a->bytes = bytes, a->brought = brought;
    *out = ticket_of(index, a->serial);
    if (brought) return; // its fence comes with the call that brings it
    a->fence = take_fence(d, 1);
    rv_gl_set_fence(d, a->fence);
    rv_gl_begin(d); // who asks may have something to do meanwhile
}

rv_result rv_gl_read(void *user, rv_device_buffer *b, size_t at, size_t bytes,
                     rv_device_ticket *out)
{
    rv_device_gl *d = user;
    int index = free_answer(d);
    if (d->lost) return RV_DEVICE_LOST;
    if (!rv_gl_within(b, at, bytes) || bytes > RV_DEVICE_READ_MOST || index < 0)
        return RV_BAD_ARGUMENT;
    if (is_short(d, at, bytes)) {
        ask(d, index, b, at, bytes);
        seal(d, index, bytes, true, out);
        return RV_OK;
    }
    rv_result result = stage(d, &d->answer[index], b, at, bytes);
    if (result == RV_OK) seal(d, index, bytes, false, out);
    return result;
}

rv_result rv_gl_fence_now(void *user, rv_device_ticket *out)
{
    rv_device_gl *d = user;
    int index = free_answer(d);
    if (d->lost) return RV_DEVICE_LOST;
    if (index < 0) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    seal(d, index, 0, false, out);
    return RV_OK;
}

rv_result rv_gl_collect(void *user, rv_device_ticket ticket, void *data, bool wait, bool *done)
{
    rv_device_gl *d = user;
    rv_gl_answer *a = answer_of(d, ticket);
    *done = false;
    if (d->lost) return RV_DEVICE_LOST;
    if (!a) return RV_BAD_ARGUMENT;
    rv_gl_bring(d); // its fence is known then
    rv_result result = await(d, a, wait, done);
    if (result == RV_OK && *done) result = take(d, a, data, a->bytes);
    if (result == RV_OK && *done) result = rv_gl_trouble(d);
    return result;
}

rv_result rv_gl_passed(void *user, rv_device_ticket ticket, bool wait, bool *done)
{
    rv_device_gl *d = user;
    rv_gl_answer *a = answer_of(d, ticket);
    *done = false;
    if (d->lost) return RV_DEVICE_LOST;
    if (!a) return RV_BAD_ARGUMENT;
    rv_gl_bring(d);
    return await(d, a, wait, done);
}

// ---- At once ------------------------------------------------------------------------------------

static rv_result fetch_part(rv_device_gl *d, const rv_device_buffer *b, size_t at, void *data,
                            size_t bytes)
{
    rv_gl_answer *a = &d->staging;
    bool there = false;
    rv_result result = stage(d, a, b, at, bytes);
    if (result != RV_OK) return result;
    a->fence = take_fence(d, 1);
    if (a->fence < 0) return RV_BAD_ARGUMENT;
    rv_gl_set_fence(d, a->fence);
    result = await(d, a, true, &there);
    return result == RV_OK ? take(d, a, data, bytes) : result;
}

rv_result rv_gl_fetch(void *user, rv_device_buffer *b, size_t at, void *data, size_t bytes)
{
    rv_device_gl *d = user;
    rv_device_ticket ticket;
    rv_result result = RV_OK;
    bool there;
    if (d->lost) return RV_DEVICE_LOST;
    if (!rv_gl_within(b, at, bytes) || (!data && bytes > 0)) return RV_BAD_ARGUMENT;
    if (is_short(d, at, bytes) && rv_gl_read(d, b, at, bytes, &ticket) == RV_OK)
        return rv_gl_collect(d, ticket, data, true, &there);
    rv_gl_bring(d);
    for (size_t done = 0; result == RV_OK && done < bytes; done += CHUNK) {
        size_t n = bytes - done < CHUNK ? bytes - done : CHUNK;
        result = fetch_part(d, b, at + done, (unsigned char *)data + done, n);
    }
    return result == RV_OK ? rv_gl_trouble(d) : result;
}

void rv_gl_free_answers(rv_device_gl *d)
{
    for (int k = 0; k < RV_TICKETS; k++) {
        if (d->fence[k].sync) glDeleteSync(d->fence[k].sync);
        if (d->answer[k].buffer) glDeleteBuffers(1, &d->answer[k].buffer);
    }
    if (d->telling) glDeleteBuffers(1, &d->telling);
    if (d->staging.buffer) glDeleteBuffers(1, &d->staging.buffer);
    for (int k = 0; k < RV_TIMER_TICKETS; k++)
        if (d->timer[k].query) glDeleteQueries(1, &d->timer[k].query);
}
