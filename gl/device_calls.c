// Calls of kernels. They are handed to the driver some at a time, after their constants: those
// stand in the card's own memory, which one copy brings there. Where a kernel reads its constants
// from memory that the processor has, it waits for them line by line: 2 to 4 µs a call on an H200,
// where a call that waits for the one before it takes 3.
#include "gl/device_parts.h"

#include <string.h>

#define WAIT_MOST 1000000000u // ns, for a part of the ring

void rv_gl_enter_part(GLsync read[RV_GL_PARTS], size_t last, size_t next)
{
    if (read[last]) glDeleteSync(read[last]);
    read[last] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!read[next]) return;
    GLenum how = glClientWaitSync(read[next], GL_SYNC_FLUSH_COMMANDS_BIT, WAIT_MOST);
    if (how != GL_ALREADY_SIGNALED && how != GL_CONDITION_SATISFIED) glFinish();
    glDeleteSync(read[next]);
    read[next] = NULL;
}

// ---- The ring of constants ----------------------------------------------------------------------

// The card's, and if the driver can a second one in memory that both sides see, which is written to
// without asking it and copied from there.
void rv_gl_make_ring(rv_device_gl *d)
{
    const GLbitfield how = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    glGenBuffers(1, &d->constants);
    glBindBuffer(GL_UNIFORM_BUFFER, d->constants);
    glBufferData(GL_UNIFORM_BUFFER, RV_GL_RING, NULL, GL_STREAM_DRAW);
    if (!d->shares) return;
    glGenBuffers(1, &d->written);
    glBindBuffer(GL_COPY_READ_BUFFER, d->written);
    rv_gl_share(d, GL_COPY_READ_BUFFER, RV_GL_RING, how);
    d->ring = glMapBufferRange(GL_COPY_READ_BUFFER, 0, RV_GL_RING, how);
}

void rv_gl_free_ring(rv_device_gl *d)
{
    for (int k = 0; k < RV_GL_PARTS; k++)
        if (d->read[k]) glDeleteSync(d->read[k]);
    if (d->written) glDeleteBuffers(1, &d->written);
    glDeleteBuffers(1, &d->constants);
}

// A part of the ring that is full is not written to again before the calls that read it are done.
static void write_ring(rv_device_gl *d, const void *data, size_t bytes)
{
    size_t part = RV_GL_RING / RV_GL_PARTS, last = d->sent_at / part, at = d->constants_at;
    if (at + d->constants_step > RV_GL_RING) at = 0;
    if (at / part != last) {
        rv_gl_issue(d);
        rv_gl_enter_part(d->read, last, at / part);
        d->copied_at = at;
    }
    d->constants_at = at;
    memcpy(d->ring + at, data, bytes);
}

static void send_ring(rv_device_gl *d, const void *data, size_t bytes)
{
    rv_gl_issue(d); // in their order
    glBindBuffer(GL_UNIFORM_BUFFER, d->constants);
    if (d->constants_at + d->constants_step > RV_GL_RING) {
        glBufferData(GL_UNIFORM_BUFFER, RV_GL_RING, NULL, GL_STREAM_DRAW); // those in use stay
        d->constants_at = 0;
    }
    glBufferSubData(GL_UNIFORM_BUFFER, (GLintptr)d->constants_at, (GLsizeiptr)bytes, data);
}

void rv_gl_put_constants(rv_device_gl *d, const void *data, size_t bytes, rv_gl_call *call)
{
    call->has_constants = true;
    if (d->sent_bytes != bytes || memcmp(d->sent, data, bytes) != 0) {
        if (d->ring)
            write_ring(d, data, bytes);
        else
            send_ring(d, data, bytes);
        memcpy(d->sent, data, bytes);
        d->sent_bytes = bytes, d->sent_at = d->constants_at;
        d->constants_at += d->constants_step;
    }
    call->constants_at = d->sent_at;
}

// ---- Waiting to be issued -----------------------------------------------------------------------

static rv_result put_call(rv_device_gl *d, const rv_device_call *call)
{
    if (d->lost) return RV_DEVICE_LOST;
    if (!call->kernel || call->buffer_count > d->table.bindings) return RV_BAD_ARGUMENT;
    if (call->constants && call->constant_bytes > RV_DEVICE_CONSTANTS) return RV_BAD_ARGUMENT;
    rv_gl_bring(d); // what was asked for is of before this call
    rv_gl_call c = {.kernel = call->kernel, .buffer_count = call->buffer_count, .fence = -1};
    if (call->constants) rv_gl_put_constants(d, call->constants, call->constant_bytes, &c);
    for (int k = 0; k < call->buffer_count; k++)
        c.buffer[k] = call->buffers[k] ? call->buffers[k]->name : 0;
    memcpy(c.groups, call->groups, sizeof c.groups);
    if (call->indirect) c.indirect = call->indirect->name, c.indirect_at = call->indirect_at;
    d->waiting[d->waiting_count++] = c;
    return RV_OK;
}

static void bind(rv_device_gl *d, const rv_gl_call *c)
{
    if (c->has_constants)
        glBindBufferRange(GL_UNIFORM_BUFFER, 0, d->constants, (GLintptr)c->constants_at,
                          (GLsizeiptr)RV_DEVICE_CONSTANTS);
    for (int k = 0; k < c->buffer_count; k++) {
        int place = c->place + k;
        if (!c->buffer[k] || d->bound[place] == c->buffer[k]) continue;
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, (GLuint)place, c->buffer[k]);
        d->bound[place] = c->buffer[k];
    }
    glUseProgram(c->kernel->program);
}

// What a call wrote is there for all that comes after it, also for copies and indirect calls: to
// say so once costs no more than for other calls alone.
#define AFTER_CALL                                                                                 \
    (GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT)

static void issue(rv_device_gl *d, const rv_gl_call *c)
{
    const uint32_t *n = c->groups;
    bind(d, c);
    if (c->indirect) {
        glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, c->indirect);
        glDispatchComputeIndirect((GLintptr)c->indirect_at);
    } else if (n[0] && n[1] && n[2]) {
        glDispatchCompute(n[0], n[1], n[2]);
    }
    glMemoryBarrier(AFTER_CALL | (c->fence >= 0 ? GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT : 0));
    if (c->fence >= 0) rv_gl_set_fence(d, c->fence);
}

// What was written to the ring since the last time.
static void copy_constants(rv_device_gl *d)
{
    if (!d->ring || d->copied_at == d->constants_at) return;
    glBindBuffer(GL_COPY_READ_BUFFER, d->written);
    glBindBuffer(GL_COPY_WRITE_BUFFER, d->constants);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)d->copied_at,
                        (GLintptr)d->copied_at, (GLsizeiptr)(d->constants_at - d->copied_at));
    d->copied_at = d->constants_at;
}

void rv_gl_issue(rv_device_gl *d)
{
    if (d->asked_count > 0) rv_gl_bring(d);
    int count = d->waiting_count;
    if (count == 0) return;
    copy_constants(d);
    d->waiting_count = 0;
    for (int k = 0; k < count && !d->lost; k++) issue(d, &d->waiting[k]);
    d->unbegun += count;
}

void rv_gl_begin(rv_device_gl *d)
{
    if (d->lost || d->unbegun < RV_GL_BEGIN) return;
    glFlush();
    d->unbegun = 0;
}

void rv_gl_hurry(rv_device_gl *d)
{
    d->together = RV_GL_FIRST;
}

// A card that has nothing to do gets the first calls at once; while it works at them there is time
// to put more together, for which it and the driver take less.
rv_result rv_gl_dispatch(void *user, const rv_device_call *call)
{
    rv_device_gl *d = user;
    rv_result result = put_call(d, call);
    if (d->waiting_count < d->together) return result;
    rv_gl_issue(d);
    if (!d->lost) glFlush();
    d->unbegun = 0;
    d->together = 2 * d->together < RV_GL_WAITING ? 2 * d->together : RV_GL_WAITING;
    return result;
}

rv_result rv_gl_draw(void *user, const rv_device_call *call)
{
    rv_device_gl *d = user;
    if (!call->kernel || !call->kernel->array || !call->indirect) return RV_BAD_ARGUMENT;
    rv_gl_issue(d);
    rv_result result = put_call(d, call);
    if (result != RV_OK) return result;
    copy_constants(d);
    d->waiting_count = 0;
    bind(d, &d->waiting[0]);
    glBindVertexArray(call->kernel->array);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, call->indirect->name);
    glDrawArraysIndirect(GL_TRIANGLES, (const void *)(uintptr_t)call->indirect_at);
    glBindVertexArray(0);
    glUseProgram(0);
    return RV_OK;
}
