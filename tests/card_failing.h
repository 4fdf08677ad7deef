// A card that fails after some calls, or whose kernels begin with more words.
#ifndef TESTS_CARD_FAILING_H
#define TESTS_CARD_FAILING_H

#include "small_worlds.h"

#include "rivulet/device.h"

typedef struct failing {
    const rv_device *real;
    int dispatches, buffers; // that are left; -1: any number
    const char *words;       // that kernels begin with; NULL: none more
} failing;

static rv_result fail_dispatch(void *user, const rv_device_call *call)
{
    failing *f = user;
    if (f->dispatches == 0) return RV_DEVICE_LOST;
    if (f->dispatches > 0) f->dispatches--;
    return f->real->dispatch(f->real->user, call);
}

static rv_result fail_buffer(void *user, size_t bytes, rv_device_buffer **out)
{
    failing *f = user;
    *out = NULL;
    if (f->buffers == 0) return RV_OUT_OF_MEMORY;
    if (f->buffers > 0) f->buffers--;
    return f->real->make_buffer(f->real->user, bytes, out);
}

#define PASS(result, name, arguments, ...)                                                         \
    static result pass_##name arguments                                                            \
    {                                                                                              \
        const rv_device *d = ((failing *)user)->real;                                              \
        return d->name(d->user, __VA_ARGS__);                                                      \
    }
PASS(rv_result, write, (void *user, rv_device_buffer *b, size_t at, const void *data, size_t bytes),
     b, at, data, bytes)
PASS(rv_result, copy,
     (void *user, rv_device_buffer *from, size_t from_at, rv_device_buffer *to, size_t to_at,
      size_t bytes),
     from, from_at, to, to_at, bytes)
PASS(rv_result, fetch, (void *user, rv_device_buffer *b, size_t at, void *data, size_t bytes), b,
     at, data, bytes)
PASS(rv_result, read,
     (void *user, rv_device_buffer *b, size_t at, size_t bytes, rv_device_ticket *out), b, at,
     bytes, out)
PASS(rv_result, collect, (void *user, rv_device_ticket ticket, void *data, bool wait, bool *done),
     ticket, data, wait, done)
PASS(rv_result, fence, (void *user, rv_device_ticket *out), out)
PASS(rv_result, passed, (void *user, rv_device_ticket ticket, bool wait, bool *done), ticket, wait,
     done)
// ---- Waits --------------------------------------------------------------------------------------

static int waits;
static bool asked; // something, since the last wait

static inline rv_result note_read(void *user, rv_device_buffer *b, size_t at, size_t bytes,
                                  rv_device_ticket *out)
{
    asked = true;
    return pass_read(user, b, at, bytes, out);
}

static inline rv_result note_collect(void *user, rv_device_ticket ticket, void *data, bool wait,
                                     bool *done)
{
    waits += asked, asked = false; // those that were asked for together are one
    return pass_collect(user, ticket, data, wait, done);
}

static inline rv_result note_fetch(void *user, rv_device_buffer *b, size_t at, void *data,
                                   size_t bytes)
{
    waits++;
    return pass_fetch(user, b, at, data, bytes);
}

static inline void count_waits(rv_device *device)
{
    device->read = note_read, device->collect = note_collect, device->fetch = note_fetch;
}

// -------------------------------------------------------------------------------------------------

static rv_result more_words(void *user, const char *name, const char *const *text, int parts,
                            rv_device_kernel **out, rv_messages *messages)
{
    failing *f = user;
    const char *all[8] = {f->words ? f->words : ""};
    assert_in_range(parts, 1, 7);
    for (int k = 0; k < parts; k++) all[k + 1] = text[k];
    return f->real->make_kernel(f->real->user, name, all, parts + 1, out, messages);
}

static void pass_free_buffer(void *user, rv_device_buffer *b)
{
    const rv_device *d = ((failing *)user)->real;
    d->free_buffer(d->user, b);
}

static void pass_free_kernel(void *user, rv_device_kernel *k)
{
    const rv_device *d = ((failing *)user)->real;
    d->free_kernel(d->user, k);
}

static rv_device failing_device(failing *f)
{
    rv_device d = *f->real;
    d.user = f, d.dispatch = fail_dispatch, d.make_buffer = fail_buffer;
    d.write = pass_write, d.copy = pass_copy, d.fetch = pass_fetch, d.read = pass_read,
    d.collect = pass_collect, d.fence = pass_fence, d.passed = pass_passed;
    d.make_kernel = more_words, d.ask_kernel = NULL;
    d.free_buffer = pass_free_buffer, d.free_kernel = pass_free_kernel;
    return d;
}

#endif
