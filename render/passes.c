// Draws a frame, in passes:
//
//     terrain and backdrop   several samples a pixel
//     liquid                 over them, reading what lies behind from a copy with one sample
//     finish                 exposure, curve, sRGB, into the target
#include "render/renderer_parts.h"

#include <string.h>

static void put(float out[4], vec3 v, float w)
{
    out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = w;
}

static void put4(float out[4], float x, float y, float z, float w)
{
    out[0] = x, out[1] = y, out[2] = z, out[3] = w;
}

static void fill_numbers(rv_renderer *r, const rv_params *p, const rv_eye *eye)
{
    rv_frame_numbers *n = &r->numbers;
    const rv_extent *e = &r->extent;
    float opaque = (float)(p->view_opaque / e->dx);
    rv_eye_matrix(eye, n->to_picture);
    put(n->eye, eye->at, 0);
    put(n->right, eye->right, eye->sx);
    put(n->up, eye->up, eye->sy);
    put(n->forward, eye->forward, maxf(e->wide, e->deep));
    put4(n->picture, (float)eye->width, (float)eye->height, 1 / (float)eye->width,
         1 / (float)eye->height);
    put4(n->range, eye->near, eye->far, 0, 0);
    put4(n->block, e->wide, e->deep, e->floor, e->high);
    float a = r->azimuth - 1.75f + (float)p->view_turn, h = 0.92f;
    put(n->key, v3(cosf(h) * cosf(a), cosf(h) * sinf(a), sinf(h)), 0.16f);
    put4(n->turn, 1, 0, 5, (float)p->view_exposure);
    put4(n->rest, 1, 1, 1, opaque);
    glBindBuffer(GL_UNIFORM_BUFFER, r->numbers_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *n, n, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->numbers_buffer);
}

static void bind(int place, GLenum kind, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(kind, texture);
}

static void copy(const rv_frame *f, GLuint from, GLuint to, GLbitfield what)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    glBlitFramebuffer(0, 0, f->width, f->height, 0, 0, f->width, f->height, what, GL_NEAREST);
}

static void draw_whole(const rv_renderer *r, GLuint program)
{
    glUseProgram(program);
    glBindVertexArray(r->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_solid(rv_renderer *r, const rv_eye *eye)
{
    glBindFramebuffer(GL_FRAMEBUFFER, r->frame.many);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_FALSE);
    draw_whole(r, r->program.backdrop);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glEnable(GL_CULL_FACE);
    glUseProgram(r->program.terrain);
    rv_tiles_draw(&r->tiles, eye);
    glDisable(GL_CULL_FACE);
}

static void draw_liquid(rv_renderer *r)
{
    copy(&r->frame, r->frame.many, r->frame.scene, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    bind(RV_AT_SCENE, GL_TEXTURE_2D, r->frame.scene_colour);
    bind(RV_AT_DEPTH, GL_TEXTURE_2D, r->frame.scene_depth);
    glBindFramebuffer(GL_FRAMEBUFFER, r->frame.many);
    glUseProgram(r->program.liquid);
    rv_sheet_draw(&r->sheet);
}

static void finish(rv_renderer *r)
{
    copy(&r->frame, r->frame.many, r->frame.whole, GL_COLOR_BUFFER_BIT);
    bind(RV_AT_WHOLE, GL_TEXTURE_2D, r->frame.whole_colour);
    glBindFramebuffer(GL_FRAMEBUFFER, rv_target_framebuffer(r->target));
    glDisable(GL_DEPTH_TEST);
    draw_whole(r, r->program.finish);
}

// Whoever shares the context may have left it in any state.
static void reset(int width, int height)
{
    glViewport(0, 0, width, height);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_RASTERIZER_DISCARD);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    glDepthRangef(0, 1);
    glClearDepthf(1);
    glFrontFace(GL_CCW);
    glCullFace(GL_BACK);
    while (glGetError() != GL_NO_ERROR) continue;
}

rv_result rv_renderer_frame(rv_renderer *r, const rv_params *p, int width, int height)
{
    rv_messages messages = {0};
    reset(width, height);
    rv_result result = rv_frame_take(&r->frame, width, height, p->view_samples, &messages);
    if (result != RV_OK) return result;
    if (!(r->extent.dx > 0)) return RV_BAD_ARGUMENT; // nothing was taken over yet
    rv_eye eye = rv_eye_of(p, &r->extent, width, height);
    fill_numbers(r, p, &eye);
    draw_solid(r, &eye);
    draw_liquid(r);
    finish(r);
    glBindVertexArray(0);
    glUseProgram(0);
    glActiveTexture(GL_TEXTURE0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}
