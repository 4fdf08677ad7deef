// Draws liquid of particles in space: its shadow on the solids, itself, and its edges.
#include "render/renderer_parts.h"

static void bind(int place, GLenum kind, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(kind, texture);
}

// A triangle over the whole picture that looks at the density.
static void draw_whole(const rv_renderer *r, GLuint program, bool second)
{
    const rv_density_box *b = &r->box;
    bind(RV_AT_DENSITY, GL_TEXTURE_3D, b->texture);
    bind(RV_AT_COARSE, GL_TEXTURE_3D, b->coarse);
    bind(RV_AT_SOLIDS, GL_TEXTURE_3D, b->solids);
    bind(RV_AT_FROTH, GL_TEXTURE_3D, b->froth);
    bind(RV_AT_DEPTH, GL_TEXTURE_2D, r->frame.scene_depth);
    glUseProgram(program);
    rv_density_numbers(b, program);
    glUniform1i(glGetUniformLocation(program, "second_pass"), second);
    glBindVertexArray(r->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    bind(RV_AT_DENSITY, GL_TEXTURE_3D, 0);
    bind(RV_AT_COARSE, GL_TEXTURE_3D, 0);
    bind(RV_AT_SOLIDS, GL_TEXTURE_3D, 0);
    bind(RV_AT_FROTH, GL_TEXTURE_3D, 0);
}

// Rays that look for foam are a program of their own, made when there is some first.
static GLuint rays_of(const rv_renderer *r)
{
    return r->box.froth ? r->program.density_foam : r->program.density;
}

static bool made(GLuint *program, const char *pixel, const char *defines, rv_messages *messages)
{
    if (*program) return true;
    *program = rv_program_make("whole_vertex", pixel, defines, NULL, messages);
    if (*program) rv_program_wire(*program);
    return *program != 0;
}

bool rv_density_prepare(rv_renderer *r, bool foams, rv_messages *messages)
{
    rv_programs *p = &r->program;
    GLuint *rays = foams ? &p->density_foam : &p->density;
    return made(&p->copy, "copy_pixel", NULL, messages) &&
           rv_points_prepare(&r->points, messages) &&
           made(&p->density_shade, "density_shade_pixel", NULL, messages) &&
           made(rays, "density_pixel", foams ? "#define FOAM 1\n" : NULL, messages);
}

void rv_density_shade(rv_renderer *r)
{
    const rv_picture_frame *f = &r->frame;
    glBindFramebuffer(GL_FRAMEBUFFER, f->second);
    glDisable(GL_DEPTH_TEST);
    bind(RV_AT_SCENE, GL_TEXTURE_2D, f->scene_colour);
    draw_whole(r, r->program.density_shade, false);
    glEnable(GL_DEPTH_TEST);
    r->shown = f->second_colour;
}

void rv_density_draw(rv_renderer *r)
{
    const rv_picture_frame *f = &r->frame;
    glBindFramebuffer(GL_FRAMEBUFFER, f->front);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (!r->box.any) return;
    bind(RV_AT_SCENE, GL_TEXTURE_2D, r->shown);
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, 0); // which this pass draws into
    bind(RV_AT_FRONT, GL_TEXTURE_2D, 0);
    draw_whole(r, rays_of(r), false);
}

void rv_density_cover(rv_renderer *r)
{
    if (!r->box.any) return;
    bind(RV_AT_SCENE, GL_TEXTURE_2D, r->shown);
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, r->frame.front_colour);
    bind(RV_AT_FRONT, GL_TEXTURE_2D, r->frame.front_depth);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    draw_whole(r, rays_of(r), true);
    glDisable(GL_BLEND);
}

void rv_density_draw_points(rv_renderer *r)
{
    const rv_picture_frame *f = &r->frame;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, f->scene);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, f->front);
    glBlitFramebuffer(0, 0, f->width, f->height, 0, 0, f->width, f->height, GL_DEPTH_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, f->front);
    glClear(GL_COLOR_BUFFER_BIT);
    rv_points_draw(&r->points, r->points.speeds);
}

void rv_density_cover_points(rv_renderer *r)
{
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, r->frame.front_colour);
    bind(RV_AT_FRONT, GL_TEXTURE_2D, r->frame.front_depth);
    glUseProgram(r->program.copy);
    glBindVertexArray(r->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
