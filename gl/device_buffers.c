// Buffers of the device table, and what is sent to them.
#include "gl/device_parts.h"

#include <stdlib.h>
#include <string.h>

#define ZEROS ((size_t)4 << 20)

void rv_gl_share(const rv_device_gl *d, GLenum target, size_t bytes, GLbitfield how)
{
    // what the processor reads stands where it has it
    if (how & GL_MAP_READ_BIT) how |= GL_CLIENT_STORAGE_BIT;
    if (d->desktop)
        glBufferStorage(target, (GLsizeiptr)bytes, NULL, how);
    else
        glBufferStorageEXT(target, (GLsizeiptr)bytes, NULL, how);
}

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
    rv_gl_issue(d);                        // it may be among theirs
    for (int k = 0; k < RV_GL_PLACES; k++) // its name may be given again
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
    rv_gl_begin(d);
    if (!d->lost)
        glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT |
                        GL_COMMAND_BARRIER_BIT | GL_PIXEL_BUFFER_BARRIER_BIT);
}

bool rv_gl_within(const rv_device_buffer *b, size_t at, size_t bytes)
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
    rv_gl_share(d, GL_COPY_READ_BUFFER, RV_GL_SENT, how);
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
    if (!rv_gl_within(b, at, bytes) || (!data && bytes > 0)) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    if (!d->asked_sends) make_sends(d);
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
    if (!rv_gl_within(from, from_at, bytes) || !rv_gl_within(to, to_at, bytes))
        return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    glBindBuffer(GL_COPY_READ_BUFFER, from->name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to->name);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)from_at,
                        (GLintptr)to_at, (GLsizeiptr)bytes);
    return RV_OK;
}
