// The textures of a cut through particles in a vertical plane (render/flat.h), filled on the card:
// density, light from above, how full the surroundings are, speed.
#include "render/splat_gl_parts.h"

#include "render/texture.h"

static bool make_frame(GLuint *frame, GLuint texture)
{
    if (!*frame) glGenFramebuffers(1, frame);
    glBindFramebuffer(GL_FRAMEBUFFER, *frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// Framebuffers for the two stages between, and for what is filled.
static bool take_frames(rv_splat_gl_cut *c, GLuint target, int wide, int high)
{
    bool good = true;
    for (int n = 0; n < 2 && !c->blocks[n]; n++) {
        c->blocks[n] = rv_texture_make(GL_RGBA16F, wide, high, GL_LINEAR);
        good = make_frame(&c->frame[n], c->blocks[n]) && good;
    }
    if (good && c->target != target) {
        good = make_frame(&c->frame[2], target);
        if (good) c->target = target;
    }
    return good;
}

void rv_splat_gl_cut_free(rv_splat_gl_state *s)
{
    glDeleteTextures(2, s->cut.blocks);
    glDeleteFramebuffers(3, s->cut.frame);
    s->cut = (rv_splat_gl_cut){0};
}

rv_result rv_splat_gl_fill_cut(rv_splat_gl *gl, unsigned cells, unsigned walls, double fade)
{
    rv_splat_gl_state *s = gl ? gl->last : NULL;
    if (!s || s->sizes.form != RV_SPLAT_2D || !rv_splat_gl_use(s)) return RV_BAD_ARGUMENT;
    const int32_t *n = s->numbers.cells;
    int wide = (n[0] + 3) / 4, high = (n[1] + 3) / 4;
    rv_splat_gl_sum(s);
    rv_splat_gl_send_numbers(s);
    if (!take_frames(&s->cut, cells, wide, high)) {
        rv_splat_gl_cut_free(s);
        rv_splat_gl_leave(s);
        return RV_OUT_OF_MEMORY;
    }
    glActiveTexture(GL_TEXTURE0 + RV_SPLAT_AT_SUMS);
    glBindTexture(GL_TEXTURE_2D, s->sums);
    glActiveTexture(GL_TEXTURE0 + RV_SPLAT_AT_WALLS);
    glBindTexture(GL_TEXTURE_2D, walls);
    glActiveTexture(GL_TEXTURE0 + RV_SPLAT_AT_BLOCKS);
    for (int stage = 0; stage < 3; stage++) {
        glBindTexture(GL_TEXTURE_2D, stage > 0 ? s->cut.blocks[stage - 1] : 0);
        glBindFramebuffer(GL_FRAMEBUFFER, s->cut.frame[stage]);
        glViewport(0, 0, stage < 2 ? wide : n[0], stage < 2 ? high : n[1]);
        glUseProgram(gl->program.cut[stage]);
        if (stage == 1)
            glUniform1f(glGetUniformLocation(gl->program.cut[1], "fade"), (float)(fade / n[1]));
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    return rv_splat_gl_leave(s);
}
