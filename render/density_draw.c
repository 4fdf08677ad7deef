// Draws liquid of particles in space: its shadow on the solids, itself, and its edges.
#include "render/renderer_parts.h"

static void bind(int place, GLenum kind, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)place);
    glBindTexture(kind, texture);
}

// All of the picture by a kernel, or by a triangle.
static void go_over(const rv_renderer *r, GLuint program)
{
    const int all[4] = {0, 0, r->frame.width, r->frame.height};
    const GLuint *k = r->kernels.program;
    if (program == k[RV_KERNEL_RAYS] || program == k[RV_KERNEL_RAYS_FOAM] ||
        program == k[RV_KERNEL_SHADE]) {
        rv_kernels_go(program, all);
        return;
    }
    glBindVertexArray(r->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// A pass over the whole picture that looks at the density.
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
    go_over(r, program);
    bind(RV_AT_DENSITY, GL_TEXTURE_3D, 0);
    bind(RV_AT_COARSE, GL_TEXTURE_3D, 0);
    bind(RV_AT_SOLIDS, GL_TEXTURE_3D, 0);
    bind(RV_AT_FROTH, GL_TEXTURE_3D, 0);
}

// Rays that look for foam are a program of their own, made when there is some first. 0: they are a
// kernel's.
static GLuint rays_of(const rv_renderer *r)
{
    return r->box.froth ? r->program.density_foam : r->program.density;
}

static bool made(GLuint *program, const char *pixel, const char *defines, rv_messages *messages)
{
    if (*program) return true;
    *program = rv_program_make("whole_vertex", pixel, defines, NULL, messages);
    return *program != 0;
}

// Of a card only a small part may draw, and all of it compute: rays are a kernel's where there are
// kernels.
static bool computes(rv_renderer *r, bool foams)
{
    rv_kernel rays = foams ? RV_KERNEL_RAYS_FOAM : RV_KERNEL_RAYS;
    rv_kernels_ask(&r->kernels, rays);
    rv_kernels_ask(&r->kernels, RV_KERNEL_SHADE);
    return rv_kernels_take(&r->kernels, rays) && rv_kernels_take(&r->kernels, RV_KERNEL_SHADE);
}

bool rv_density_prepare(rv_renderer *r, bool foams, rv_messages *messages)
{
    rv_programs *p = &r->program;
    GLuint *rays = foams ? &p->density_foam : &p->density;
    if (!made(&p->copy, "copy_pixel", NULL, messages) || !rv_points_prepare(&r->points, messages))
        return false;
    return computes(r, foams) ||
           (made(&p->density_shade, "density_shade_pixel", NULL, messages) &&
            made(rays, "density_ray_pixel", foams ? "#define FOAM 1\n" : NULL, messages));
}

void rv_density_shade(rv_renderer *r)
{
    const rv_picture_frame *f = &r->frame;
    bind(RV_AT_SCENE, GL_TEXTURE_2D, f->scene_colour);
    r->shown = f->second_colour;
    if (r->program.density_shade == 0) {
        rv_kernels_bind(0, f->second_colour, 0, GL_RGBA16F);
        draw_whole(r, r->kernels.program[RV_KERNEL_SHADE], false);
        return;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, f->second);
    glDisable(GL_DEPTH_TEST);
    draw_whole(r, r->program.density_shade, false);
    glEnable(GL_DEPTH_TEST);
}

// Copies what kernels saw, with its depths, into what is bound.
static void copy_rays(rv_renderer *r, int which)
{
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, r->frame.ray_colour[which]);
    bind(RV_AT_FRONT, GL_TEXTURE_2D, r->frame.ray_depth[which]);
    glUseProgram(r->program.copy);
    glBindVertexArray(r->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// Rays of all pixels; `which` 1: the second time, where the first have edges.
static void cast_rays(rv_renderer *r, int which)
{
    const rv_picture_frame *f = &r->frame;
    rv_frame_take_rays(&r->frame); // which binds what it makes
    bind(RV_AT_SCENE, GL_TEXTURE_2D, r->shown);
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, which ? f->ray_colour[0] : 0);
    bind(RV_AT_FRONT, GL_TEXTURE_2D, which ? f->ray_depth[0] : 0);
    rv_kernels_bind(0, f->ray_colour[which], 0, GL_RGBA16F);
    rv_kernels_bind(1, f->ray_depth[which], 0, GL_R32F);
    draw_whole(r, rv_kernels_take(&r->kernels, r->box.froth ? RV_KERNEL_RAYS_FOAM : RV_KERNEL_RAYS),
               which);
}

void rv_density_draw(rv_renderer *r)
{
    const rv_picture_frame *f = &r->frame;
    glBindFramebuffer(GL_FRAMEBUFFER, f->front);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (!r->box.any) return;
    if (rays_of(r) == 0) {
        cast_rays(r, 0);
        copy_rays(r, 0);
        return;
    }
    bind(RV_AT_SCENE, GL_TEXTURE_2D, r->shown);
    bind(RV_AT_NEAREST, GL_TEXTURE_2D, 0); // which this pass draws into
    bind(RV_AT_FRONT, GL_TEXTURE_2D, 0);
    draw_whole(r, rays_of(r), false);
}

void rv_density_cover(rv_renderer *r)
{
    if (!r->box.any) return;
    if (rays_of(r) == 0) cast_rays(r, 1);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (rays_of(r) == 0) {
        copy_rays(r, 1);
    } else {
        bind(RV_AT_SCENE, GL_TEXTURE_2D, r->shown);
        bind(RV_AT_NEAREST, GL_TEXTURE_2D, r->frame.front_colour);
        bind(RV_AT_FRONT, GL_TEXTURE_2D, r->frame.front_depth);
        draw_whole(r, rays_of(r), true);
    }
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
