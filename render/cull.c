// Chooses triangles of liquid by three kernels: which of 256 are seen, as bits; where each group's
// begin; and their corners, in the order they had, so that pictures do not depend on which thread
// was first.
#include "render/cull.h"

#include "render/program.h"

#include <string.h>

// A page has no kernels.
#ifdef __EMSCRIPTEN__
bool rv_cull_pays(const rv_cull *c, const rv_kernels *k, const rv_sheet *s)
{
    (void)c, (void)k, (void)s;
    return false;
}

bool rv_cull_choose(rv_cull *c, const rv_sheet *s, rv_cull_way way, const float window[4],
                    const float size[2], int samples)
{
    (void)c, (void)s, (void)way, (void)window, (void)size, (void)samples;
    return false;
}

void rv_cull_draw(const rv_cull *c, const rv_sheet *s)
{
    (void)c, (void)s;
}

void rv_cull_free(rv_cull *c)
{
    memset(c, 0, sizeof *c);
}
#else
enum {
    GROUP = 256,
    ROW = 32768, // groups of a call along x
    DRAW = 5 * sizeof(GLuint),
    HEAD = 16 * sizeof(GLuint), // two draws, and how many corners there are
};

bool rv_cull_pays(const rv_cull *c, const rv_kernels *k, const rv_sheet *s)
{
    size_t least = c->least > 0 ? c->least : RV_CULL_LEAST;
    return k->can && !c->cannot && s->on_card && s->card.triangle_count >= least;
}

static bool make_kernels(rv_cull *c)
{
    rv_messages untold = {0};
    GLuint *const to[3] = {&c->test, &c->scan, &c->write};
    static const char *const names[3] = {"cull_kernel", "cull_scan_kernel", "cull_write_kernel"};
    rv_program_asked asked[3] = {0};
    bool good = true;
    for (int n = 0; n < 3; n++)
        if (!*to[n]) asked[n] = rv_program_ask_kernel(names[n], NULL, &untold);
    for (int n = 0; n < 3; n++) {
        if (!*to[n]) *to[n] = rv_program_take(&asked[n], &untold);
        good = good && *to[n];
    }
    return good;
}

static bool make_room(GLuint *buffer, size_t *has, size_t bytes)
{
    if (*buffer && *has >= bytes) return true;
    if (!*buffer) glGenBuffers(1, buffer);
    *has = bytes + bytes / 4;
    while (glGetError() != GL_NO_ERROR) continue;
    glBindBuffer(GL_COPY_WRITE_BUFFER, *buffer);
    glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)*has, NULL, GL_DYNAMIC_COPY);
    return glGetError() == GL_NO_ERROR;
}

// Where the driver has its samples within a pixel.
static void find_samples(rv_cull *c, int samples)
{
    if (c->samples == samples) return;
    c->samples = samples;
    for (int n = 0; n < samples; n++)
        glGetMultisamplefv(GL_SAMPLE_POSITION, (GLuint)n, c->sample_at[n]);
}

static void set_test(const rv_cull *c, const rv_sheet *s, rv_cull_way way, const float window[4],
                     const float size[2])
{
    static const float middle[2] = {0.5f, 0.5f};
    GLuint p = c->test;
    bool all = way == RV_CULL_SAMPLES && c->samples > 1;
    glUseProgram(p);
    glUniform4fv(glGetUniformLocation(p, "grid"), 1, s->grid);
    glUniform4fv(glGetUniformLocation(p, "window"), 1, window);
    glUniform2fv(glGetUniformLocation(p, "size"), 1, size);
    glUniform1i(glGetUniformLocation(p, "room"), (GLint)s->card.vertex_room);
    glUniform1i(glGetUniformLocation(p, "ends"), s->card.contact);
    glUniform1i(glGetUniformLocation(p, "way_of"), way == RV_CULL_LAMP        ? 1
                                                   : way == RV_CULL_LAMP_BENT ? 2
                                                                              : 0);
    glUniform1i(glGetUniformLocation(p, "samples"), all ? c->samples : 1);
    glUniform2fv(glGetUniformLocation(p, "sample_at"), all ? c->samples : 1,
                 all ? c->sample_at[0] : middle);
}

static void run(GLuint program, size_t triangles, size_t groups, size_t calls)
{
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "triangles"), (GLint)triangles);
    glUniform1i(glGetUniformLocation(program, "groups"), (GLint)groups);
    glDispatchCompute((GLuint)(calls < ROW ? calls : ROW), (GLuint)((calls + ROW - 1) / ROW), 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

bool rv_cull_choose(rv_cull *c, const rv_sheet *s, rv_cull_way way, const float window[4],
                    const float size[2], int samples)
{
    size_t triangles = s->card.triangle_count, groups = (triangles + GROUP - 1) / GROUP;
    if (way == RV_CULL_SAMPLES && samples > RV_CULL_SAMPLES_MOST) return false;
    if (way == RV_CULL_SAMPLES) find_samples(c, samples);
    c->cannot = c->cannot || !make_kernels(c) ||
                !make_room(&c->chosen, &c->chosen_bytes, 12 * triangles) ||
                !make_room(&c->work, &c->work_bytes, HEAD + 36 * groups);
    if (c->cannot || !glIsBuffer(s->card.draw)) return false;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    glBindBuffer(GL_COPY_READ_BUFFER, s->card.draw);
    glBindBuffer(GL_COPY_WRITE_BUFFER, c->work);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)s->card.draw_at,
                        2 * DRAW, sizeof(GLuint));
    const GLuint buffers[4] = {s->card.vertices, s->card.indices, c->chosen, c->work};
    GLint before[4]; // whoever steps the world relies on what it has bound there
    for (GLuint n = 0; n < 4; n++) {
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, n, &before[n]);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, n, buffers[n]);
    }
    set_test(c, s, way, window, size);
    run(c->test, triangles, groups, groups);
    run(c->scan, triangles, groups, 1);
    run(c->write, triangles, groups, groups);
    for (GLuint n = 0; n < 4; n++) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, n, (GLuint)before[n]);
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT);
    return true;
}

void rv_cull_draw(const rv_cull *c, const rv_sheet *s)
{
    if (!glIsBuffer(s->card.indices)) return; // its surface is gone
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, c->work);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, c->chosen);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, NULL);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->card.indices);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, (const void *)DRAW);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
}

void rv_cull_free(rv_cull *c)
{
    glDeleteProgram(c->test);
    glDeleteProgram(c->scan);
    glDeleteProgram(c->write);
    glDeleteBuffers(1, &c->chosen);
    glDeleteBuffers(1, &c->work);
    memset(c, 0, sizeof *c);
}
#endif
