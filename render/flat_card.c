// The textures of a cut through particles in a vertical plane (render/flat.h), from a density that
// is in the card's memory: three small passes, as for particles that are stepped by drawing.
#include "render/flat.h"

#include "render/program.h"
#include "render/texture.h"

#include <stdio.h>

static bool make_programs(rv_flat_card *c, rv_messages *messages)
{
    for (int k = 0; k < 3; k++) {
        char defines[64];
        snprintf(defines, sizeof defines, "#define GIVEN\n#define STAGE %d\n", k);
        if (!c->program[k])
            c->program[k] =
                rv_program_make("splat_whole_vertex", "splat_cut_pixel", defines, NULL, messages);
        if (!c->program[k]) return false;
    }
    return true;
}

// Textures and framebuffers for a grid of that size, and for the texture that is filled.
static bool make_frames(rv_flat_card *c, int nx, int nz, GLuint target)
{
    if (c->nx == nx && c->nz == nz && c->target == target) return true;
    rv_flat_card old = *c;
    rv_flat_card_free(&old);
    *c = (rv_flat_card){.nx = nx, .nz = nz, .target = target};
    c->given = rv_texture_make(GL_RG16F, nx, nz, GL_NEAREST);
    const GLuint to[3] = {rv_texture_make(GL_RGBA16F, (nx + 3) / 4, (nz + 3) / 4, GL_LINEAR),
                          rv_texture_make(GL_RGBA16F, (nx + 3) / 4, (nz + 3) / 4, GL_LINEAR),
                          target};
    c->blocks[0] = to[0], c->blocks[1] = to[1];
    glGenFramebuffers(3, c->frame);
    for (int k = 0; k < 3; k++) {
        glBindFramebuffer(GL_FRAMEBUFFER, c->frame[k]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, to[k], 0);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
    }
    return true;
}

void rv_flat_card_free(rv_flat_card *c)
{
    glDeleteTextures(1, &c->given);
    glDeleteTextures(2, c->blocks);
    glDeleteFramebuffers(3, c->frame);
    for (int k = 0; k < 3; k++) glDeleteProgram(c->program[k]);
    *c = (rv_flat_card){0};
}

static void take_given(const rv_flat_card *c, GLuint buffer)
{
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, c->given);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, c->nx, c->nz, GL_RG, GL_HALF_FLOAT, NULL);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

static void set_state(GLuint nothing)
{
    static const GLenum off[] = {GL_BLEND,        GL_CULL_FACE,    GL_DEPTH_TEST,
                                 GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_DITHER};
    for (size_t k = 0; k < sizeof off / sizeof *off; k++) glDisable(off[k]);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glBindVertexArray(nothing);
}

rv_result rv_flat_card_fill(rv_flat_card *c, const rv_flat *f, const rv_density_card *card,
                            float fade, GLuint nothing, rv_messages *messages)
{
    enum { GIVEN, WALLS, BLOCKS };
    if (!make_frames(c, f->nx, f->nz, f->cells) || !make_programs(c, messages)) {
        rv_flat_card_free(c);
        return RV_OUT_OF_MEMORY;
    }
    set_state(nothing);
    glActiveTexture(GL_TEXTURE0 + WALLS);
    glBindTexture(GL_TEXTURE_2D, f->solids);
    glActiveTexture(GL_TEXTURE0 + GIVEN);
    take_given(c, card->values);
    for (int k = 0; k < 3; k++) {
        GLuint program = c->program[k];
        glActiveTexture(GL_TEXTURE0 + BLOCKS);
        glBindTexture(GL_TEXTURE_2D, k > 0 ? c->blocks[k - 1] : 0);
        glBindFramebuffer(GL_FRAMEBUFFER, c->frame[k]);
        glViewport(0, 0, k < 2 ? (c->nx + 3) / 4 : c->nx, k < 2 ? (c->nz + 3) / 4 : c->nz);
        glUseProgram(program);
        glUniform1i(glGetUniformLocation(program, "given"), GIVEN);
        glUniform1i(glGetUniformLocation(program, "walls"), WALLS);
        glUniform1i(glGetUniformLocation(program, "blocks"), BLOCKS);
        glUniform1f(glGetUniformLocation(program, "fade"), fade / (float)c->nz);
        glUniform1f(glGetUniformLocation(program, "per_cell"), (float)(1 / card->grid.dx));
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    glBindTexture(GL_TEXTURE_2D, 0);
    glActiveTexture(GL_TEXTURE0);
    glBindVertexArray(0);
    glUseProgram(0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}
