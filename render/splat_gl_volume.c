// The density as the textures that rays go through (render/density.h), filled on the card: nothing
// comes back to the CPU. A layer of a texture in space is drawn into like any picture, four at a
// time.
#include "render/splat_gl_parts.h"

#include <stdlib.h>

enum { AT_ONCE = 4 }; // what OpenGL ES 3.0 has at least

static void free_layers(rv_splat_gl_layers *l)
{
    if (l->frames) glDeleteFramebuffers(l->count, l->frames);
    free(l->frames);
    *l = (rv_splat_gl_layers){0};
}

// Framebuffers for all layers of a texture, kept while it stays the same.
static bool take_layers(rv_splat_gl_layers *l, GLuint texture, int depth)
{
    static const GLenum all[AT_ONCE] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
                                        GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3};
    if (l->texture == texture && l->depth == depth) return true;
    free_layers(l);
    int count = (depth + AT_ONCE - 1) / AT_ONCE;
    l->frames = calloc((size_t)count, sizeof *l->frames);
    if (!l->frames) return false;
    l->count = count;
    glGenFramebuffers(count, l->frames);
    bool good = true;
    for (int n = 0; n < count; n++) {
        int have = depth - n * AT_ONCE < AT_ONCE ? depth - n * AT_ONCE : AT_ONCE;
        glBindFramebuffer(GL_FRAMEBUFFER, l->frames[n]);
        for (int k = 0; k < have; k++)
            glFramebufferTextureLayer(GL_FRAMEBUFFER, all[k], texture, 0, n * AT_ONCE + k);
        glDrawBuffers(have, all);
        good = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && good;
    }
    if (good) l->texture = texture, l->depth = depth;
    return good;
}

static void draw_layers(const rv_splat_gl_layers *l, GLuint program, int width, int height)
{
    GLint first = glGetUniformLocation(program, "first");
    glViewport(0, 0, width, height);
    for (int n = 0; n < l->count; n++) {
        glBindFramebuffer(GL_FRAMEBUFFER, l->frames[n]);
        glUniform1i(first, n * AT_ONCE);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
}

rv_result rv_splat_gl_fill(rv_splat_gl *gl, unsigned density, unsigned boxes, double level)
{
    rv_splat_gl_state *s = gl ? gl->last : NULL;
    if (!s || s->sizes.form != RV_SPLAT_3D || !rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    const int32_t *cells = s->numbers.cells;
    rv_splat_gl_sum(s);
    rv_splat_gl_send_numbers(s);
    if (!take_layers(&s->slices, density, cells[2]) ||
        !take_layers(&s->boxes, boxes, (cells[2] + 3) / 4)) {
        free_layers(&s->slices);
        free_layers(&s->boxes);
        rv_splat_gl_leave(s);
        return RV_OUT_OF_MEMORY;
    }
    glActiveTexture(GL_TEXTURE0 + RV_SPLAT_AT_SUMS);
    glBindTexture(GL_TEXTURE_2D, s->sums);
    glUseProgram(gl->program.volume);
    draw_layers(&s->slices, gl->program.volume, cells[0], cells[1]);
    glActiveTexture(GL_TEXTURE0 + RV_SPLAT_AT_VOLUME);
    glBindTexture(GL_TEXTURE_3D, density);
    glUseProgram(gl->program.boxes);
    glUniform1f(glGetUniformLocation(gl->program.boxes, "level"), (float)level);
    draw_layers(&s->boxes, gl->program.boxes, (cells[0] + 3) / 4, (cells[1] + 3) / 4);
    glBindTexture(GL_TEXTURE_3D, 0);
    return rv_splat_gl_leave(s);
}

void rv_splat_gl_volume_free(rv_splat_gl_state *s)
{
    free_layers(&s->slices);
    free_layers(&s->boxes);
}
