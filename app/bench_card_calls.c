// Counts calls of a device table.
#include "app/bench_card_calls.h"

#include "app/progress.h"

#include <stdio.h>
#include <string.h>

static rv_result make_buffer(void *user, size_t bytes, rv_device_buffer **out)
{
    const rv_counted *c = user;
    return c->real->make_buffer(c->real->user, bytes, out);
}

static void free_buffer(void *user, rv_device_buffer *buffer)
{
    const rv_counted *c = user;
    c->real->free_buffer(c->real->user, buffer);
}

static uint32_t name_of(void *user, const rv_device_buffer *buffer)
{
    const rv_counted *c = user;
    return c->real->name_of(c->real->user, buffer);
}

static void shown(void *user)
{
    const rv_counted *c = user;
    c->real->shown(c->real->user);
}

static rv_result write_to(void *user, rv_device_buffer *buffer, size_t at, const void *data,
                          size_t bytes)
{
    rv_counted *c = user;
    c->calls.moves++, c->calls.up += (int64_t)bytes;
    double start = rv_seconds();
    rv_result result = c->real->write(c->real->user, buffer, at, data, bytes);
    c->calls.asking += rv_seconds() - start;
    return result;
}

static rv_result copy(void *user, rv_device_buffer *from, size_t from_at, rv_device_buffer *to,
                      size_t to_at, size_t bytes)
{
    rv_counted *c = user;
    c->calls.moves++;
    double start = rv_seconds();
    rv_result result = c->real->copy(c->real->user, from, from_at, to, to_at, bytes);
    c->calls.asking += rv_seconds() - start;
    return result;
}

static rv_result fetch(void *user, rv_device_buffer *buffer, size_t at, void *data, size_t bytes)
{
    rv_counted *c = user;
    c->calls.waits++, c->calls.down += (int64_t)bytes, c->busy = false;
    double start = rv_seconds();
    rv_result result = c->real->fetch(c->real->user, buffer, at, data, bytes);
    c->calls.waited += rv_seconds() - start;
    return result;
}

static rv_result read_later(void *user, rv_device_buffer *buffer, size_t at, size_t bytes,
                            rv_device_ticket *out)
{
    rv_counted *c = user;
    c->calls.down += (int64_t)bytes, c->busy = true;
    double start = rv_seconds();
    rv_result result = c->real->read(c->real->user, buffer, at, bytes, out);
    c->calls.asking += rv_seconds() - start;
    return result;
}

static rv_result collect(void *user, rv_device_ticket ticket, void *data, bool wait, bool *done)
{
    rv_counted *c = user;
    c->calls.waits += wait && c->busy;
    if (wait) c->busy = false;
    double start = rv_seconds();
    rv_result result = c->real->collect(c->real->user, ticket, data, wait, done);
    c->calls.waited += rv_seconds() - start;
    return result;
}

static void ask_kernel(void *user, const char *const *text, int parts)
{
    const rv_counted *c = user;
    if (c->real->ask_kernel) c->real->ask_kernel(c->real->user, text, parts);
}

static rv_result make_kernel(void *user, const char *name, const char *const *text, int parts,
                             rv_device_kernel **out, rv_messages *messages)
{
    rv_counted *c = user;
    rv_result result = c->real->make_kernel(c->real->user, name, text, parts, out, messages);
    if (result != RV_OK || c->kernel_count == RV_TIMED_KERNELS) return result;
    rv_timed_kernel *made = &c->kernel[c->kernel_count++];
    *made = (rv_timed_kernel){.kernel = *out};
    snprintf(made->name, sizeof made->name, "%s", name);
    return result;
}

static rv_result make_painter(void *user, const char *name, const char *common, const char *vertex,
                              const char *fragment, rv_device_kernel **out, rv_messages *messages)
{
    const rv_counted *c = user;
    return c->real->make_painter(c->real->user, name, common, vertex, fragment, out, messages);
}

static void free_kernel(void *user, rv_device_kernel *kernel)
{
    const rv_counted *c = user;
    c->real->free_kernel(c->real->user, kernel);
}

// ---- Kernels by the card's clock ----------------------------------------------------------------

// Worlds that are made anew have the same kernels again: the last one counts.
static int find_kernel(const rv_counted *c, const rv_device_kernel *kernel)
{
    for (int k = c->kernel_count - 1; k >= 0; k--)
        if (c->kernel[k].kernel == kernel) return k;
    return -1;
}

// The oldest of those under way.
static void collect_time(rv_counted *c)
{
    bool done = false;
    double ms = 0;
    rv_timed_kernel *k = &c->kernel[c->under_way[c->first].kernel];
    rv_device_ticket ticket = c->under_way[c->first].ticket;
    if (c->real->timer(c->real->user, ticket, true, &done, &ms) == RV_OK && done)
        k->calls++, k->ms += ms;
    c->first = (c->first + 1) % RV_TIMED_CALLS, c->waiting--;
}

void rv_counted_print_kernels(rv_counted *c, double frames)
{
    while (c->waiting > 0) collect_time(c);
    for (int i = 0; i < c->kernel_count; i++) {
        rv_timed_kernel sum = c->kernel[i];
        if (sum.calls == 0) continue;
        for (int k = i + 1; k < c->kernel_count; k++) {
            if (strcmp(c->kernel[k].name, sum.name) != 0) continue;
            sum.calls += c->kernel[k].calls, sum.ms += c->kernel[k].ms;
            c->kernel[k].calls = 0, c->kernel[k].ms = 0;
        }
        printf("    %-16s %8.2f a frame, %8.2f us each, %8.4f ms\n", sum.name,
               (double)sum.calls / frames, 1e3 * sum.ms / (double)sum.calls, sum.ms / frames);
        c->kernel[i].calls = 0, c->kernel[i].ms = 0;
    }
}

static rv_result time_dispatch(rv_counted *c, const rv_device_call *call)
{
    double start = rv_seconds();
    rv_result result = c->real->dispatch(c->real->user, call);
    c->calls.asking += rv_seconds() - start;
    return result;
}

static rv_result dispatch(void *user, const rv_device_call *call)
{
    rv_counted *c = user;
    int k = c->times ? find_kernel(c, call->kernel) : -1;
    c->calls.dispatches++, c->busy = true;
    if (k < 0) return time_dispatch(c, call);
    if (c->waiting == RV_TIMED_CALLS) collect_time(c);
    // who times already keeps others from it
    bool timing = c->real->begin_timer(c->real->user) == RV_OK;
    rv_result result = c->real->dispatch(c->real->user, call);
    int place = (c->first + c->waiting) % RV_TIMED_CALLS;
    if (timing && c->real->end_timer(c->real->user, &c->under_way[place].ticket) == RV_OK)
        c->under_way[place].kernel = k, c->waiting++;
    return result;
}

static rv_result draw(void *user, const rv_device_call *call)
{
    const rv_counted *c = user;
    return c->real->draw(c->real->user, call);
}

static rv_result fence(void *user, rv_device_ticket *out)
{
    const rv_counted *c = user;
    return c->real->fence(c->real->user, out);
}

static rv_result passed(void *user, rv_device_ticket ticket, bool wait, bool *done)
{
    rv_counted *c = user;
    c->calls.waits += wait && c->busy;
    if (wait) c->busy = false;
    double start = rv_seconds();
    rv_result result = c->real->passed(c->real->user, ticket, wait, done);
    c->calls.waited += rv_seconds() - start;
    return result;
}

// Of two timers one within the other drivers take one: where each kernel is timed nobody else is.
static rv_result begin_timer(void *user)
{
    const rv_counted *c = user;
    if (c->times) return RV_BAD_ARGUMENT;
    return c->real->begin_timer(c->real->user);
}

static rv_result end_timer(void *user, rv_device_ticket *out)
{
    const rv_counted *c = user;
    if (c->times) return RV_BAD_ARGUMENT;
    return c->real->end_timer(c->real->user, out);
}

static rv_result timer(void *user, rv_device_ticket ticket, bool wait, bool *done, double *ms)
{
    const rv_counted *c = user;
    return c->real->timer(c->real->user, ticket, wait, done, ms);
}

void rv_counted_over(rv_counted *c, const rv_device *real)
{
    *c = (rv_counted){.real = real, .table = *real};
    c->table = (rv_device){.user = c,
                           .name = real->name,
                           .buffer_most = real->buffer_most,
                           .bindings = real->bindings,
                           .timers = real->timers,
                           .groups_most = real->groups_most,
                           .group_bytes = real->group_bytes,
                           .together = real->together,
                           .group_threads = real->group_threads,
                           .doubles = real->doubles,
                           .make_buffer = make_buffer,
                           .free_buffer = free_buffer,
                           .name_of = name_of,
                           .shown = shown,
                           .write = write_to,
                           .copy = copy,
                           .fetch = fetch,
                           .read = read_later,
                           .collect = collect,
                           .ask_kernel = ask_kernel,
                           .make_kernel = make_kernel,
                           .make_painter = make_painter,
                           .free_kernel = free_kernel,
                           .dispatch = dispatch,
                           .draw = draw,
                           .fence = fence,
                           .passed = passed,
                           .begin_timer = begin_timer,
                           .end_timer = end_timer,
                           .timer = timer};
}
