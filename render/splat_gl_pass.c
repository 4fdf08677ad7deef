// One step by drawing (splat paper §1.3 to §1.6): splat, grid pass, particles' update. The splat is
// made when somebody asks for it, a step or a picture, and is there for the other.
#include "render/splat_gl_parts.h"

#include <math.h>
#include <string.h>

static void bind(int place, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(GL_TEXTURE_2D, texture);
}

static void draw_whole(void)
{
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void rv_splat_gl_send_numbers(rv_splat_gl_state *s)
{
    glBindBufferBase(GL_UNIFORM_BUFFER, RV_SPLAT_BLOCK, s->block);
    if (!s->stale_numbers) return;
    s->numbers.parts[0] = s->parts_wide, s->numbers.parts[1] = (int32_t)s->count;
    glBufferData(GL_UNIFORM_BUFFER, sizeof s->numbers, &s->numbers, GL_DYNAMIC_DRAW);
    s->stale_numbers = false;
}

void rv_splat_gl_sum(rv_splat_gl_state *s)
{
    static const float none[4] = {0, 0, 0, 0};
    if (s->summed == s->count) return;
    rv_splat_gl_send_numbers(s);
    bool solid = s->sizes.form == RV_SPLAT_3D;
    int64_t first = s->summed > 0 ? s->summed : 0;
    glBindFramebuffer(GL_FRAMEBUFFER, s->splats_frame);
    glViewport(0, 0, s->wide, s->high);
    if (s->summed < 0) glClearBufferfv(GL_COLOR, 0, none);
    bind(RV_SPLAT_AT_PLACES, s->places[s->now]);
    bind(RV_SPLAT_AT_MOTIONS, s->motions[s->now]);
    glUseProgram(s->gl->program.splat[solid]);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE);
    if (s->count > first)
        glDrawArraysInstanced(GL_POINTS, (GLint)first, (GLsizei)(s->count - first),
                              solid ? (GLsizei)ceilf(2 * s->numbers.kernel[0]) : 1);
    glDisable(GL_BLEND);
    glBindFramebuffer(GL_FRAMEBUFFER, s->sums_frame);
    bind(RV_SPLAT_AT_SPLATS, s->splats);
    glUseProgram(s->gl->program.fold[solid]);
    draw_whole();
    s->summed = s->count;
}

void rv_splat_gl_pass_grid(rv_splat_gl_state *s)
{
    glViewport(0, 0, s->wide, s->high);
    bind(RV_SPLAT_AT_SUMS, s->sums);
    bind(RV_SPLAT_AT_SOLIDS, s->solids);
    if (s->numbers.more[0] && s->sizes.form == RV_SPLAT_3D) {
        glBindFramebuffer(GL_FRAMEBUFFER, s->smooth_frame);
        glUseProgram(s->gl->program.smooth);
        draw_whole();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, s->pressure_frame);
    bind(RV_SPLAT_AT_SMOOTH, s->smooth);
    bind(RV_SPLAT_AT_BED, s->bed);
    glUseProgram(s->gl->program.press[s->sizes.form]);
    draw_whole();
    glBindFramebuffer(GL_FRAMEBUFFER, s->grid_frame);
    bind(RV_SPLAT_AT_PRESS, s->pressure);
    glUseProgram(s->gl->program.grid[s->sizes.form]);
    draw_whole();
}

void rv_splat_gl_pass_move(rv_splat_gl_state *s)
{
    int next = 1 - s->now, rows = (int)((s->count + s->parts_wide - 1) / s->parts_wide);
    glBindFramebuffer(GL_FRAMEBUFFER, s->parts_frame[next]);
    glViewport(0, 0, s->parts_wide, rows);
    bind(RV_SPLAT_AT_PLACES, s->places[s->now]);
    bind(RV_SPLAT_AT_MOTIONS, s->motions[s->now]);
    bind(RV_SPLAT_AT_AFTER, s->after);
    bind(RV_SPLAT_AT_CHANGE, s->change);
    bind(RV_SPLAT_AT_SOLIDS, s->solids);
    glUseProgram(s->gl->program.move[s->sizes.form]);
    draw_whole();
    s->now = next, s->summed = -1;
}

// ---- Extremes ----------------------------------------------------------------------------------

static bool make_level(rv_splat_gl_level *l, GLenum format, int width, int height)
{
    l->width = width, l->height = height;
    glGenTextures(1, &l->texture);
    glBindTexture(GL_TEXTURE_2D, l->texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &l->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, l->frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, l->texture, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

bool rv_splat_gl_levels_make(rv_splat_gl_state *s)
{
    bool good = true;
    for (int of = 0; of < 3; of++) {
        bool cells = of == 1;
        int width = cells ? s->wide : s->parts_wide, height = cells ? s->high : s->parts_high;
        GLenum format = of == 2 ? GL_RGBA32UI : GL_R32UI;
        while (good && (width > 1 || height > 1 || s->levels[of] == 0)) {
            width = (width + 7) / 8, height = (height + 7) / 8;
            good = s->levels[of] < RV_SPLAT_LEVELS &&
                   make_level(&s->level[of][s->levels[of]++], format, width, height);
        }
    }
    glGenBuffers(RV_SPLAT_RING, s->answer);
    for (int n = 0; n < RV_SPLAT_RING; n++) {
        glBindBuffer(GL_PIXEL_PACK_BUFFER, s->answer[n]);
        glBufferData(GL_PIXEL_PACK_BUFFER, 8 * sizeof(GLuint), NULL, GL_STREAM_READ);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return good;
}

void rv_splat_gl_levels_free(rv_splat_gl_state *s)
{
    for (int of = 0; of < 3; of++)
        for (int n = 0; n < s->levels[of]; n++) {
            glDeleteFramebuffers(1, &s->level[of][n].frame);
            glDeleteTextures(1, &s->level[of][n].texture);
        }
    glDeleteBuffers(RV_SPLAT_RING, s->answer);
}

void rv_splat_gl_ask(rv_splat_gl_state *s)
{
    bind(RV_SPLAT_AT_MOTIONS, s->motions[s->now]);
    bind(RV_SPLAT_AT_SUMS, s->sums);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, s->answer[s->asked % RV_SPLAT_RING]);
    for (int of = 0; of < 2; of++) {
        glUseProgram(of ? s->gl->program.cells : s->gl->program.parts);
        for (int n = 0; n < s->levels[of]; n++) {
            const rv_splat_gl_level *l = &s->level[of][n];
            glBindFramebuffer(GL_FRAMEBUFFER, l->frame);
            glViewport(0, 0, l->width, l->height);
            if (n == 1) glUseProgram(s->gl->program.greatest);
            if (n > 0) bind(RV_SPLAT_AT_FOUND, s->level[of][n - 1].texture);
            draw_whole();
        }
        const GLuint *start = NULL; // of the buffer
        glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, (void *)(start + 4 * of));
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    s->asked++;
}

bool rv_splat_gl_answer(rv_splat_gl_state *s)
{
    int64_t which = s->asked > RV_SPLAT_RING ? s->asked - 1 - RV_SPLAT_LATE : s->asked - 1;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, s->answer[which % RV_SPLAT_RING]);
    const GLuint *bits =
        glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, 8 * sizeof(GLuint), GL_MAP_READ_BIT);
    if (bits) {
        union {
            uint32_t bits;
            float value;
        } speed = {bits[0]}, sum = {bits[4]};
        s->fastest = sqrt((double)speed.value);
        s->densest = (double)(sum.value * s->numbers.kernel[3]);
        glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return bits != NULL;
}

// ---- Totals ------------------------------------------------------------------------------------

bool rv_splat_gl_total(rv_splat_gl_state *s, float out[4])
{
    GLuint bits[4] = {0};
    bind(RV_SPLAT_AT_PLACES, s->places[s->now]);
    bind(RV_SPLAT_AT_MOTIONS, s->motions[s->now]);
    for (int n = 0; n < s->levels[2]; n++) {
        const rv_splat_gl_level *l = &s->level[2][n];
        glUseProgram(s->gl->program.total[n > 0]);
        glBindFramebuffer(GL_FRAMEBUFFER, l->frame);
        glViewport(0, 0, l->width, l->height);
        if (n > 0) bind(RV_SPLAT_AT_FOUND, s->level[2][n - 1].texture);
        draw_whole();
    }
    glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, bits);
    memcpy(out, bits, sizeof bits);
    return s->levels[2] > 0;
}
