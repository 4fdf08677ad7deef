// Passes over pixels by compute.
#include "render/kernels.h"

#include "render/driver.h"
#include "render/sheet.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 8 }; // pixels of a group each way, as part.glsl has it

void rv_kernels_make(rv_kernels *k)
{
    memset(k, 0, sizeof *k);
#ifndef __EMSCRIPTEN__
    k->can = rv_driver_version() >= 31 && rv_driver_draws_floats();
    GLint bindings = 0;
    if (k->can) glGetIntegerv(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, &bindings);
    k->numbers = k->can && rv_driver_version() >= 32 && bindings > RV_SHEET_CORNERS;
#endif
}

void rv_kernels_free(rv_kernels *k)
{
    for (int n = 0; n < RV_KERNELS; n++) {
        glDeleteProgram(k->program[n]);
        rv_program_drop(&k->asked[n]);
    }
    memset(k, 0, sizeof *k);
}

#define TEXT_OF(number) #number
#define NUMBERED_WITH(vertices, corners)                                                           \
    "#version 320 es\n#define NUMBERED 1\n#define VERTICES " TEXT_OF(                              \
        vertices) "\n"                                                                             \
                  "#define CORNERS " TEXT_OF(corners) "\n"
#define NUMBERED NUMBERED_WITH(16, 17)
_Static_assert(RV_SHEET_VERTICES == 16 && RV_SHEET_CORNERS == 17, "as the kernels have them");

static const struct {
    const char *name, *defines;
} texts[RV_KERNELS] = {
    [RV_KERNEL_LIGHT] = {"wet_light_kernel", NULL},
    [RV_KERNEL_LIGHT_BODIES] = {"wet_light_kernel", "#define BODIES 1\n"},
    [RV_KERNEL_LIQUID] = {"liquid_kernel", NULL},
    [RV_KERNEL_LIQUID_BODIES] = {"liquid_kernel", "#define BODIES 1\n"},
    [RV_KERNEL_SECOND] = {"liquid_kernel", "#define SECOND 1\n"},
    [RV_KERNEL_NUMBERED] = {"liquid_kernel", NUMBERED},
    [RV_KERNEL_NUMBERED_BODIES] = {"liquid_kernel", NUMBERED "#define BODIES 1\n"},
    [RV_KERNEL_NUMBERED_SECOND] = {"liquid_kernel", NUMBERED "#define SECOND 1\n"},
    [RV_KERNEL_RAYS] = {"density_ray_kernel", NULL},
    [RV_KERNEL_RAYS_FOAM] = {"density_ray_kernel", "#define FOAM 1\n"},
    [RV_KERNEL_SHADE] = {"density_shade_kernel", NULL},
    [RV_KERNEL_HALVE] = {"halve_kernel", NULL},
    [RV_KERNEL_CLEAR] = {"clear_kernel", NULL},
    [RV_KERNEL_FINISH] = {"finish_kernel", ""},
    [RV_KERNEL_FINISH_CODED] = {"finish_kernel", "#define CODED 1\n"},
};

void rv_kernels_ask(rv_kernels *k, rv_kernel which)
{
    rv_messages untold = {0};
    char defines[64];
    if (!k->can || k->program[which] || k->asked[which].program) return;
    const char *before = texts[which].defines;
    if (which >= RV_KERNEL_FINISH) {
        snprintf(defines, sizeof defines, "#define SAMPLES %d\n%s", k->samples, before);
        before = defines;
    }
    k->asked[which] = rv_program_ask_kernel(texts[which].name, before, &untold);
}

// A driver that does not take one gets none at all.
GLuint rv_kernels_take(rv_kernels *k, rv_kernel which)
{
    rv_messages untold = {0};
    if (!k->can || k->program[which]) return k->can ? k->program[which] : 0;
    rv_kernels_ask(k, which);
    k->program[which] = rv_program_take(&k->asked[which], &untold);
    // without these shapes are drawn, and without the others everything
    bool numbered = which >= RV_KERNEL_NUMBERED && which <= RV_KERNEL_NUMBERED_SECOND;
    if (numbered)
        k->numbers = k->program[which] != 0;
    else
        k->can = k->program[which] != 0;
    return k->program[which];
}

void rv_kernels_sample(rv_kernels *k, int samples)
{
    if (samples == k->samples) return;
    for (int n = RV_KERNEL_FINISH; n < RV_KERNELS; n++) {
        glDeleteProgram(k->program[n]);
        rv_program_drop(&k->asked[n]);
        k->program[n] = 0;
    }
    k->samples = samples;
}

bool rv_kernels_room(GLuint *buffer, size_t *has, size_t bytes)
{
    if (*buffer && *has >= bytes) return true;
    if (!*buffer) glGenBuffers(1, buffer);
    *has = bytes + bytes / 4;
    while (glGetError() != GL_NO_ERROR) continue;
    glBindBuffer(GL_COPY_WRITE_BUFFER, *buffer);
    glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)*has, NULL, GL_DYNAMIC_COPY);
    if (glGetError() == GL_NO_ERROR) return true;
    *has = 0; // what it held is lost too
    return false;
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
