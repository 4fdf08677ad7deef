// Passes over pixels by compute.
#include "render/kernels.h"

#include "render/program.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 8 }; // pixels of a group each way, as part.glsl has it

void rv_kernels_make(rv_kernels *k)
{
    memset(k, 0, sizeof *k);
#ifndef __EMSCRIPTEN__
    k->can = epoxy_gl_version() >= 31 && epoxy_has_gl_extension("GL_EXT_color_buffer_float");
#endif
}

void rv_kernels_free(rv_kernels *k)
{
    const GLuint programs[] = {k->light,         k->light_bodies, k->liquid, k->liquid_bodies,
                               k->liquid_second, k->finish,       k->halve,  k->rays,
                               k->shade,         k->rays_foam,    k->clear};
    for (size_t n = 0; n < sizeof programs / sizeof programs[0]; n++) glDeleteProgram(programs[n]);
    memset(k, 0, sizeof *k);
}

// A driver that does not take one gets none at all.
static GLuint made(rv_kernels *k, GLuint *program, const char *name, const char *defines)
{
    rv_messages untold = {0};
    if (!k->can || *program) return k->can ? *program : 0;
    *program = rv_program_make_kernel(name, defines, &untold);
    if (*program)
        rv_program_wire(*program);
    else
        k->can = false;
    return *program;
}

GLuint rv_kernels_light(rv_kernels *k, bool bodies)
{
    return bodies ? made(k, &k->light_bodies, "wet_light_kernel", "#define BODIES 1\n")
                  : made(k, &k->light, "wet_light_kernel", NULL);
}

GLuint rv_kernels_liquid(rv_kernels *k, bool bodies, bool second)
{
    if (second) return made(k, &k->liquid_second, "liquid_kernel", "#define SECOND 1\n");
    return bodies ? made(k, &k->liquid_bodies, "liquid_kernel", "#define BODIES 1\n")
                  : made(k, &k->liquid, "liquid_kernel", NULL);
}

GLuint rv_kernels_rays(rv_kernels *k, bool foams)
{
    return foams ? made(k, &k->rays_foam, "density_ray_kernel", "#define FOAM 1\n")
                 : made(k, &k->rays, "density_ray_kernel", NULL);
}

GLuint rv_kernels_shade(rv_kernels *k)
{
    return made(k, &k->shade, "density_shade_kernel", NULL);
}

GLuint rv_kernels_halve(rv_kernels *k)
{
    return made(k, &k->halve, "halve_kernel", NULL);
}

GLuint rv_kernels_clear(rv_kernels *k)
{
    return made(k, &k->clear, "clear_kernel", NULL);
}

GLuint rv_kernels_finish(rv_kernels *k, int samples)
{
    char defines[64];
    if (samples != k->samples) {
        glDeleteProgram(k->finish);
        k->finish = 0, k->samples = samples;
    }
    snprintf(defines, sizeof defines, "#define SAMPLES %d\n", samples);
    return made(k, &k->finish, "finish_kernel", defines);
}

void rv_kernels_bind(GLuint place, GLuint image, int level, GLenum format)
{
#ifdef __EMSCRIPTEN__
    (void)place, (void)image, (void)level, (void)format;
#else
    glBindImageTexture(place, image, level, GL_FALSE, 0, GL_WRITE_ONLY, format);
#endif
}

void rv_kernels_go(GLuint program, const int part[4])
{
#ifdef __EMSCRIPTEN__
    (void)program, (void)part;
#else
    if (part[2] <= 0 || part[3] <= 0) return;
    glUseProgram(program);
    glUniform4iv(glGetUniformLocation(program, "part"), 1, part);
    glDispatchCompute((GLuint)(part[2] + GROUP - 1) / GROUP, (GLuint)(part[3] + GROUP - 1) / GROUP,
                      1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT |
                    GL_PIXEL_BUFFER_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
#endif
}

void rv_kernels_run(GLuint program, const int part[4], GLuint image, GLenum format)
{
    rv_kernels_bind(0, image, 0, format);
    rv_kernels_go(program, part);
}
