// The device table over OpenGL: what a driver must have, and the table itself. Kernels need
// compute, buffers that they may write, and `precise`, without which a driver may fuse a product
// with a sum and round otherwise than a processor does: OpenGL ES 3.2, OpenGL ES 3.1 with
// GL_EXT_gpu_shader5, or OpenGL 4.3.
#include "gl/device_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVIDIA_USUAL 64 // processors

// A context that was not made to tell never does, and to ask it takes time after every wait.
static bool tells_of_resets(void)
{
    GLint strategy = GL_NO_RESET_NOTIFICATION;
    glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY, &strategy);
    return strategy == GL_LOSE_CONTEXT_ON_RESET;
}

// Writes what the shaders begin with; false: the driver is too old.
static bool choose_header(rv_device_gl *d, rv_messages *messages)
{
    int version = epoxy_gl_version();
    d->desktop = epoxy_is_desktop_gl();
    bool has = d->desktop ? version >= 43 : version >= 31;
    bool precise = d->desktop || version >= 32 || epoxy_has_gl_extension("GL_EXT_gpu_shader5");
    if (!has || !precise) {
        rv_messages_add(messages,
                        "card: %s has OpenGL%s %d.%d%s; wanted is OpenGL ES 3.2, ES 3.1 with "
                        "GL_EXT_gpu_shader5, or OpenGL 4.3",
                        d->name, d->desktop ? "" : " ES", version / 10, version % 10,
                        has ? " without GL_EXT_gpu_shader5" : "");
        return false;
    }
    const char *words = d->desktop ? "#version 430\n"
                        : version >= 32
                            ? "#version 320 es\n"
                            : "#version 310 es\n#extension GL_EXT_gpu_shader5 : require\n";
    snprintf(d->header, sizeof d->header, "%sprecision highp float;\nprecision highp int;\n",
             words);
    d->can_reset = (!d->desktop && version >= 32) || (d->desktop && version >= 45);
    if (d->can_reset) d->can_reset = tells_of_resets();
    return true;
}

// A group for each of its processors: those run at the same time. Drivers that do not tell how many
// there are get a guess; kernels notice where it is too high.
static uint32_t groups_together(const char *driver)
{
    GLint count = 0, threads = 0;
    glGetIntegerv(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &threads);
    if (!strstr(driver, "NVIDIA") || threads < 512) return 0;
    glGetIntegerv(GL_SM_COUNT_NV, &count);
    while (glGetError() != GL_NO_ERROR) {
    } // it does not know the question
    return count > 0 ? (uint32_t)count : NVIDIA_USUAL;
}

static bool has_limits(rv_device_gl *d, rv_messages *messages)
{
    GLint blocks = 0, align = 256, wide = 0, shared = 0;
    GLint64 bytes = 0;
    glGetIntegerv(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, &blocks);
    glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &align);
    glGetIntegerv(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &wide);
    glGetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &shared);
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
    d->table.together = groups_together(d->name);
    d->table.group_bytes = shared > 0 ? (size_t)shared : 0;
    d->table.group_threads = wide > 0 ? (uint32_t)wide : 0;
    d->table.bindings = blocks < RV_DEVICE_BUFFERS ? blocks : RV_DEVICE_BUFFERS;
    d->table.buffer_most = bytes > 0 ? (size_t)bytes : 0;
    size_t step = align > 0 ? (size_t)align : 256;
    d->constants_step = (RV_DEVICE_CONSTANTS + step - 1) / step * step;
    if (blocks >= RV_DEVICE_BUFFERS && wide >= 256) return true;
    rv_messages_add(messages,
                    "card: %s lets a kernel have %d buffers and %d threads; wanted are %d and 256",
                    d->name, blocks, wide, RV_DEVICE_BUFFERS);
    return false;
}

rv_result rv_gl_trouble(rv_device_gl *d)
{
    rv_result result = d->lost ? RV_DEVICE_LOST : RV_OK;
    for (int k = 0; k < RV_GL_ERRORS; k++) {
        GLenum error = glGetError();
        if (error == GL_NO_ERROR) break;
        if (error == GL_OUT_OF_MEMORY && result == RV_OK)
            result = RV_OUT_OF_MEMORY;
        else if (error != GL_OUT_OF_MEMORY)
            result = RV_DEVICE_LOST;
    }
    if (d->can_reset && glGetGraphicsResetStatus() != GL_NO_ERROR) result = RV_DEVICE_LOST;
    d->lost = result == RV_DEVICE_LOST;
    return result;
}

static const rv_device functions = {
    .make_buffer = rv_gl_make_buffer,
    .free_buffer = rv_gl_free_buffer,
    .name_of = rv_gl_name_of,
    .shown = rv_gl_shown,
    .write = rv_gl_write,
    .copy = rv_gl_copy,
    .fetch = rv_gl_fetch,
    .read = rv_gl_read,
    .collect = rv_gl_collect,
    .ask_kernel = rv_gl_ask_kernel,
    .make_kernel = rv_gl_make_kernel,
    .make_painter = rv_gl_make_painter,
    .free_kernel = rv_gl_free_kernel,
    .dispatch = rv_gl_dispatch,
    .draw = rv_gl_draw,
    .fence = rv_gl_fence_now,
    .passed = rv_gl_passed,
    .begin_timer = rv_gl_begin_timer,
    .end_timer = rv_gl_end_timer,
    .timer = rv_gl_timer_ms,
};

static bool open_device(rv_device_gl *d, rv_target *target, rv_messages *messages)
{
    snprintf(d->name, sizeof d->name, "%s", rv_target_driver(target));
    d->table = functions, d->table.user = d, d->table.name = d->name, d->timing = -1;
    if (strcmp(d->name, "none") == 0) {
        rv_messages_add(messages, "card: there is no graphics context");
        return false;
    }
    while (glGetError() != GL_NO_ERROR) {
    } // others' troubles
    if (!choose_header(d, messages) || !has_limits(d, messages)) return false;
    d->table.timers = d->desktop || epoxy_has_gl_extension("GL_EXT_disjoint_timer_query");
    d->shares = d->desktop
                    ? epoxy_gl_version() >= 44 || epoxy_has_gl_extension("GL_ARB_buffer_storage")
                    : epoxy_has_gl_extension("GL_EXT_buffer_storage");
    if (epoxy_has_gl_extension("GL_KHR_parallel_shader_compile"))
        glMaxShaderCompilerThreadsKHR(~0u); // as many as it likes
    rv_gl_make_ring(d);
    d->table.doubles = rv_gl_has_doubles(d);
    rv_gl_hurry(d);
    rv_gl_make_bringer(d);
    if (rv_gl_is_fused(d)) strcat(d->header, "#define FUSED\n");
    if (rv_gl_trouble(d) == RV_OK) return true;
    rv_messages_add(messages, "card: %s gives no memory", d->name);
    return false;
}

rv_result rv_device_gl_create(rv_target *target, rv_device_gl **out, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (out) *out = NULL;
    if (!target || !out) {
        rv_messages_add(messages, "rv_device_gl_create: no target or no place for the card");
        return RV_BAD_ARGUMENT;
    }
    rv_device_gl *d = calloc(1, sizeof *d);
    if (!d) return RV_OUT_OF_MEMORY;
    if (!open_device(d, target, messages)) {
        rv_device_gl_destroy(d);
        return RV_BAD_ARGUMENT;
    }
    *out = d;
    return RV_OK;
}

void rv_device_gl_destroy(rv_device_gl *d)
{
    if (!d) return;
    if (d->constants) { // else nothing was made, perhaps without a context
        rv_gl_issue(d);
        rv_gl_free_ring(d);
        rv_gl_free_sends(d);
        rv_gl_free_answers(d);
        rv_gl_free_kept(d);
    }
    free(d);
}

const rv_device *rv_device_gl_table(const rv_device_gl *d)
{
    return d ? &d->table : NULL;
}
