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
    glUniform1i(glGetUniformLocation(p, "room"), (GLint)s->drawn.vertex_room);
    glUniform1i(glGetUniformLocation(p, "ends"), s->drawn.contact);
    glUniform1i(glGetUniformLocation(p, "way_of"), way == RV_CULL_LAMP        ? 1
                                                   : way == RV_CULL_LAMP_BENT ? 2
                                                                              : 0);
    glUniform1i(glGetUniformLocation(p, "samples"), all ? c->samples : 1);
    glUniform2fv(glGetUniformLocation(p, "sample_at"), all ? c->samples : 1,
                 all ? c->sample_at[0] : middle);
}

// How many corners there are in all, and triangles without those at the sides of the grid, which of
// a finer surface only the card knows.
static void copy_counts(const rv_cull *c, const rv_sheet *s)
{
    const GLuint triangles = (GLuint)s->drawn.triangle_count;
    glBindBuffer(GL_COPY_READ_BUFFER, s->drawn.draw);
    glBindBuffer(GL_COPY_WRITE_BUFFER, c->work);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)s->drawn.draw_at,
                        2 * DRAW, sizeof(GLuint));
    if (rv_sheet_is_finer(s))
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER,
                            (GLintptr)s->finer_card.own_at, 2 * DRAW + sizeof(GLuint),
                            sizeof(GLuint));
    else
        glBufferSubData(GL_COPY_WRITE_BUFFER, 2 * DRAW + sizeof(GLuint), sizeof triangles,
                        &triangles);
}

static void run(GLuint program, size_t groups, size_t calls)
{
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, "groups"), (GLint)groups);
    glDispatchCompute((GLuint)(calls < ROW ? calls : ROW), (GLuint)((calls + ROW - 1) / ROW), 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

bool rv_cull_choose(rv_cull *c, const rv_sheet *s, rv_cull_way way, const float window[4],
                    const float size[2], int samples)
{
    size_t triangles = s->drawn.triangle_count, groups = (triangles + GROUP - 1) / GROUP;
    if (way == RV_CULL_SAMPLES && samples > RV_CULL_SAMPLES_MOST) return false;
    if (way == RV_CULL_SAMPLES) find_samples(c, samples);
    c->cannot = c->cannot || !make_kernels(c) ||
                !rv_kernels_room(&c->chosen, &c->chosen_bytes, 12 * triangles) ||
                !rv_kernels_room(&c->work, &c->work_bytes, HEAD + 36 * groups);
    if (c->cannot || !glIsBuffer(s->drawn.draw)) return false;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    copy_counts(c, s);
    const GLuint buffers[4] = {s->drawn.vertices, s->drawn.indices, c->chosen, c->work};
    GLint before[4]; // whoever steps the world relies on what it has bound there
    for (GLuint n = 0; n < 4; n++) {
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, n, &before[n]);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, n, buffers[n]);
    }
    set_test(c, s, way, window, size);
    run(c->test, groups, groups);
    run(c->scan, groups, 1);
    run(c->write, groups, groups);
    for (GLuint n = 0; n < 4; n++) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, n, (GLuint)before[n]);
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT);
    return true;
}

void rv_cull_draw(const rv_cull *c, const rv_sheet *s)
{
    if (!glIsBuffer(s->drawn.indices)) return; // its surface is gone
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, c->work);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, c->chosen);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, NULL);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->drawn.indices);
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
