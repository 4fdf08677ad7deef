// Buffers of the device table, and what is read back from them. Reads go through memory of their
// own: a driver that sees the processor map a buffer of kernels may move it out of the card's
// memory, and everything is slow from then on.
#include "gl/device_parts.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)64 << 20) // bytes fetched at a time
#define ZEROS ((size_t)4 << 20)
#define WAIT 60000000000ull // ns; a card that takes longer has failed

static void *zeros_of(size_t bytes)
{
    return calloc(1, bytes);
}

rv_result rv_gl_make_buffer(void *user, size_t bytes, rv_device_buffer **out)
{
    rv_device_gl *d = user;
    *out = NULL;
    if (bytes > d->table.buffer_most) return RV_OUT_OF_MEMORY;
    size_t chunk = bytes < ZEROS ? bytes : ZEROS;
    rv_device_buffer *b = calloc(1, sizeof *b);
    void *zeros = zeros_of(chunk + 4);
    rv_result result = b && zeros ? RV_OK : RV_OUT_OF_MEMORY;
    if (result == RV_OK) {
        b->bytes = bytes;
        glGenBuffers(1, &b->name);
        glBindBuffer(GL_COPY_WRITE_BUFFER, b->name);
        glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_COPY);
        result = rv_gl_trouble(d);
    }
    for (size_t at = 0; result == RV_OK && at < bytes; at += chunk)
        glBufferSubData(GL_COPY_WRITE_BUFFER, (GLintptr)at,
                        (GLsizeiptr)(bytes - at < chunk ? bytes - at : chunk), zeros);
    if (result == RV_OK) result = rv_gl_trouble(d);
    free(zeros);
    if (result == RV_OK)
        *out = b;
    else
        rv_gl_free_buffer(d, b);
    return result;
}

void rv_gl_free_buffer(void *user, rv_device_buffer *b)
{
    rv_device_gl *d = user;
    if (!b) return;
    rv_gl_issue(d);                             // it may be among theirs
    for (int k = 0; k < RV_DEVICE_BUFFERS; k++) // its name may be given again
        if (d->bound[k] == b->name) d->bound[k] = 0;
    if (b->name) glDeleteBuffers(1, &b->name);
    free(b);
}

uint32_t rv_gl_name_of(void *user, const rv_device_buffer *b)
{
    rv_gl_issue(user);
    return b ? b->name : 0;
}

void rv_gl_shown(void *user)
{
    rv_device_gl *d = user;
    rv_gl_issue(d);
    if (!d->lost)
        glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT |
                        GL_COMMAND_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT);
}

static bool within(const rv_device_buffer *b, size_t at, size_t bytes)
{
    return b && at <= b->bytes && bytes <= b->bytes - at;
}

// ---- There --------------------------------------------------------------------------------------

// A ring that both sides see. What is sent is copied from it by the card itself, in its turn: one
// driver (NVIDIA 580), told to write 12 KB and then 1.6 KB over the beginning of them, with calls
// between that read both, has the 12 KB there in the end.
static void make_sends(rv_device_gl *d)
{
    const GLbitfield how = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    d->asked_sends = true;
    if (!d->shares) return;
    glGenBuffers(1, &d->sending);
    glBindBuffer(GL_COPY_READ_BUFFER, d->sending);
    if (d->desktop)
        glBufferStorage(GL_COPY_READ_BUFFER, (GLsizeiptr)RV_GL_SENT, NULL, how);
    else
        glBufferStorageEXT(GL_COPY_READ_BUFFER, (GLsizeiptr)RV_GL_SENT, NULL, how);
    d->sends = glMapBufferRange(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)RV_GL_SENT, how);
    if (d->sends) return;
    glDeleteBuffers(1, &d->sending);
    d->sending = 0;
    for (int k = 0; k < RV_GL_ERRORS && glGetError() != GL_NO_ERROR; k++) {
    } // then the driver is asked to send
}

void rv_gl_free_sends(rv_device_gl *d)
{
    for (int k = 0; k < RV_GL_PARTS; k++)
        if (d->left[k]) glDeleteSync(d->left[k]);
    if (d->sending) glDeleteBuffers(1, &d->sending);
}

static void next_part(rv_device_gl *d)
{
    size_t part = RV_GL_SENT / RV_GL_PARTS, last = (d->sends_at - 1) / part;
    size_t next = (last + 1) % RV_GL_PARTS;
    rv_gl_enter_part(d->left, last, next);
    d->sends_at = next * part;
}

// As much as the part of the ring has room for; returns how much that was.
static size_t send_some(rv_device_gl *d, size_t at, const void *data, size_t bytes)
{
    size_t part = RV_GL_SENT / RV_GL_PARTS, room = part - d->sends_at % part;
    size_t some = bytes < room ? bytes : room;
    memcpy(d->sends + d->sends_at, data, some);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)d->sends_at,
                        (GLintptr)at, (GLsizeiptr)some);
    d->sends_at += (some + 15) & ~(size_t)15;
    if (d->sends_at % part == 0) next_part(d);
    return some;
}

rv_result rv_gl_write(void *user, rv_device_buffer *b, size_t at, const void *data, size_t bytes)
{
    rv_device_gl *d = user;
    if (d->lost) return RV_DEVICE_LOST;
    if (!within(b, at, bytes) || (!data && bytes > 0)) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    if (!d->asked_sends) make_sends(d);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_WRITE_BUFFER, b->name);
    if (!d->sends) {
        glBufferSubData(GL_COPY_WRITE_BUFFER, (GLintptr)at, (GLsizeiptr)bytes, data);
        return RV_OK;
    }
    glBindBuffer(GL_COPY_READ_BUFFER, d->sending);
    for (size_t done = 0; done < bytes;)
        done += send_some(d, at + done, (const unsigned char *)data + done, bytes - done);
    return RV_OK;
}

rv_result rv_gl_copy(void *user, rv_device_buffer *from, size_t from_at, rv_device_buffer *to,
                     size_t to_at, size_t bytes)
{
    rv_device_gl *d = user;
    if (d->lost) return RV_DEVICE_LOST;
    if (!within(from, from_at, bytes) || !within(to, to_at, bytes)) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, from->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to->name);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)from_at,
                        (GLintptr)to_at, (GLsizeiptr)bytes);
    return RV_OK;
}

// Memory for an answer, which the processor sees all the time if the driver can do that.
static rv_result make_room(rv_device_gl *d, rv_gl_answer *a, size_t bytes)
{
    const GLbitfield how = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (a->buffer) glDeleteBuffers(1, &a->buffer); // the memory of a shared one cannot grow
    a->seen = NULL, a->room = 0;
    glGenBuffers(1, &a->buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, a->buffer);
    if (d->shares && d->desktop)
        glBufferStorage(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, how | GL_CLIENT_STORAGE_BIT);
    else if (d->shares)
        glBufferStorageEXT(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL,
                           how | GL_CLIENT_STORAGE_BIT_EXT);
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
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
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
    if (a->seen) {
        memcpy(data, a->seen, bytes);
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

// Whether an answer is there; frees its fence then.
static rv_result await(rv_device_gl *d, rv_gl_answer *a, bool wait, bool *done)
{
    rv_gl_issue(d); // they may begin meanwhile
    d->unbegun = 0;
    GLenum state = glClientWaitSync(a->fence, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? WAIT : 0);
    *done = state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
    if (state == GL_WAIT_FAILED || (wait && !*done)) d->lost = true;
    if (*done || d->lost) {
        glDeleteSync(a->fence);
        a->used = false;
    }
    return d->lost ? RV_DEVICE_LOST : RV_OK;
}

rv_result rv_gl_fetch(void *user, rv_device_buffer *b, size_t at, void *data, size_t bytes)
{
    rv_device_gl *d = user;
    rv_gl_answer *a = &d->staging;
    if (d->lost) return RV_DEVICE_LOST;
    if (!within(b, at, bytes) || (!data && bytes > 0)) return RV_BAD_ARGUMENT;
    rv_result result = RV_OK;
    for (size_t done = 0; result == RV_OK && done < bytes; done += CHUNK) {
        size_t n = bytes - done < CHUNK ? bytes - done : CHUNK;
        bool there = false;
        result = stage(d, a, b, at + done, n);
        if (result == RV_OK) {
            a->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
            result = await(d, a, true, &there);
        }
        if (result == RV_OK) result = take(d, a, (unsigned char *)data + done, n);
    }
    return result == RV_OK ? rv_gl_trouble(d) : result;
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

static void seal(rv_device_gl *d, int index, size_t bytes, rv_device_ticket *out)
{
    rv_gl_answer *a = &d->answer[index];
    a->used = true, a->serial = ++d->serial, a->bytes = bytes;
    a->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    rv_gl_begin(d); // who asks may have something to do meanwhile
    *out = ticket_of(index, a->serial);
}

rv_result rv_gl_read(void *user, rv_device_buffer *b, size_t at, size_t bytes,
                     rv_device_ticket *out)
{
    rv_device_gl *d = user;
    int index = free_answer(d);
    if (d->lost) return RV_DEVICE_LOST;
    if (!within(b, at, bytes) || bytes > RV_DEVICE_READ_MOST || index < 0) return RV_BAD_ARGUMENT;
    rv_gl_answer *a = &d->answer[index];
    rv_result result = stage(d, a, b, at, bytes);
    if (result == RV_OK) seal(d, index, bytes, out);
    return result;
}

rv_result rv_gl_fence(void *user, rv_device_ticket *out)
{
    rv_device_gl *d = user;
    int index = free_answer(d);
    if (d->lost) return RV_DEVICE_LOST;
    if (index < 0) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    seal(d, index, 0, out);
    return RV_OK;
}

rv_result rv_gl_collect(void *user, rv_device_ticket ticket, void *data, bool wait, bool *done)
{
    rv_device_gl *d = user;
    rv_gl_answer *a = answer_of(d, ticket);
    *done = false;
    if (d->lost) return RV_DEVICE_LOST;
    if (!a) return RV_BAD_ARGUMENT;
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
    return a ? await(d, a, wait, done) : RV_BAD_ARGUMENT;
}

void rv_gl_free_answers(rv_device_gl *d)
{
    for (int k = 0; k < RV_TICKETS; k++) {
        if (d->answer[k].used) glDeleteSync(d->answer[k].fence);
        if (d->answer[k].buffer) glDeleteBuffers(1, &d->answer[k].buffer);
    }
    if (d->staging.buffer) glDeleteBuffers(1, &d->staging.buffer);
    for (int k = 0; k < RV_TIMER_TICKETS; k++)
        if (d->timer[k].query) glDeleteQueries(1, &d->timer[k].query);
}
