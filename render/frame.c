// The framebuffers of a frame. Colours are kept as c / (1 + c), which half floats hold well, which
// keeps the edges of highlights smooth when samples are averaged, and which 10 bits can hold where
// a driver cannot draw into floats.
#include "render/frame.h"

#include "render/driver.h"
#include "render/spots.h"
#include "render/texture.h"

#include <string.h>

static GLuint buffer(GLenum format, int width, int height, int samples)
{
    GLuint name;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    return name;
}

#ifndef __EMSCRIPTEN__ // a page has no textures of several samples
// A texture of several samples; 0: the driver has none of that kind.
static GLuint samples_texture(GLenum format, int width, int height, int samples)
{
    GLuint name;
    while (glGetError() != GL_NO_ERROR) continue;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, name);
    glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, samples, format, width, height, GL_TRUE);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
    if (glGetError() == GL_NO_ERROR) return name;
    glDeleteTextures(1, &name);
    return 0;
}

// Into such a texture, with the solids' depths.
static bool join_samples(GLuint *name, GLuint colour, GLuint depth)
{
    glGenFramebuffers(1, name);
    glBindFramebuffer(GL_FRAMEBUFFER, *name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, colour,
                           0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void make_codes(rv_picture_frame *f)
{
    f->codes = samples_texture(GL_R8, f->width, f->height, f->samples);
    if (f->codes && join_samples(&f->code, f->codes, f->many_depth)) return;
    glDeleteFramebuffers(1, &f->code);
    glDeleteTextures(1, &f->codes);
    f->code = f->codes = 0;
}
#endif

static bool join(GLuint *name, GLuint colour, GLuint depth, bool buffers)
{
    glGenFramebuffers(1, name);
    glBindFramebuffer(GL_FRAMEBUFFER, *name);
    if (buffers) {
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    } else {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    }
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// What lies over the solids: its samples in a texture, or in a buffer that only the driver reads.
static bool make_over(rv_picture_frame *f, bool read)
{
    int w = f->width, h = f->height;
#ifndef __EMSCRIPTEN__
    if (read && f->samples > 1)
        f->over_colour = samples_texture(f->colour_format, w, h, f->samples);
    f->over_read = f->over_colour != 0;
    if (f->over_read) {
        if (join_samples(&f->over, f->over_colour, f->many_depth)) {
            make_codes(f);
            return true;
        }
        glDeleteFramebuffers(1, &f->over);
        glDeleteTextures(1, &f->over_colour);
        f->over_read = false;
    }
#else
    (void)read;
#endif
    f->over_colour = buffer(f->colour_format, w, h, f->samples);
    return join(&f->over, f->over_colour, f->many_depth, true);
}

static bool make(rv_picture_frame *f, bool read)
{
    int w = f->width, h = f->height;
    f->many_colour = buffer(f->colour_format, w, h, f->samples);
    f->many_depth = buffer(f->depth_format, w, h, f->samples);
    f->scene_colour = rv_texture_make(f->colour_format, w, h, GL_LINEAR);
    f->scene_depth = rv_texture_make(f->depth_format, w, h, GL_NEAREST);
    f->front_colour = rv_texture_make(f->colour_format, w, h, GL_NEAREST);
    f->front_depth = rv_texture_make(f->depth_format, w, h, GL_NEAREST);
    f->second_colour = rv_texture_make(f->colour_format, w, h, GL_LINEAR);
    f->second_depth = rv_texture_make(f->depth_format, w, h, GL_NEAREST);
    f->whole_colour = rv_texture_make(f->colour_format, w, h, GL_NEAREST);
    f->lit_colour = rv_texture_make(f->colour_format, w, h, GL_LINEAR);
    f->done_colour = rv_texture_make(GL_RGBA8, w, h, GL_NEAREST);
    return join(&f->many, f->many_colour, f->many_depth, true) &&
           join(&f->scene, f->scene_colour, f->scene_depth, false) &&
           join(&f->front, f->front_colour, f->front_depth, false) &&
           join(&f->second, f->second_colour, f->second_depth, false) && make_over(f, read) &&
           join(&f->whole, f->whole_colour, 0, false) && join(&f->lit, f->lit_colour, 0, false) &&
           join(&f->done, f->done_colour, 0, false) && glGetError() == GL_NO_ERROR;
}

// The most samples that the driver offers for a format, up to those asked for.
static int possible_samples(GLenum format, int samples)
{
    GLint offered[16] = {0}; // WebGL does not tell how many there are: those not offered stay 0
    glGetInternalformativ(GL_RENDERBUFFER, format, GL_SAMPLES, 16, offered);
    int best = 0;
    for (int n = 0; n < 16; n++)
        if (offered[n] <= samples && offered[n] > best) best = offered[n];
    return best > 1 ? best : 0;
}

rv_result rv_frame_take(rv_picture_frame *f, int width, int height, int samples, bool read,
                        rv_messages *messages)
{
    // Asked for in every frame, and the driver's answers take long.
    if (f->many && f->width == width && f->height == height && f->asked == samples) return RV_OK;
    int asked = samples;
    GLenum colour = rv_driver_draws_halves() ? GL_RGBA16F : GL_RGB10_A2;
    GLenum depth = GL_DEPTH_COMPONENT24;
    int colours = possible_samples(colour, samples), depths = possible_samples(depth, samples);
    samples = colours < depths ? colours : depths;
    // Where memory does not suffice for so many samples, try with fewer.
    for (;; samples = possible_samples(colour, samples / 2)) {
        rv_frame_free(f);
        *f =
            (rv_picture_frame){.width = width, .height = height, .samples = samples, .fresh = true};
        f->asked = asked, f->colour_format = colour, f->depth_format = depth;
        if (make(f, read)) return RV_OK;
        while (glGetError() != GL_NO_ERROR) continue;
        if (samples == 0) break;
    }
    rv_frame_free(f);
    rv_messages_add(messages, "renderer: the driver has no room for a picture of %d x %d", width,
                    height);
    return RV_OUT_OF_MEMORY;
}

static bool make_shape(rv_picture_frame *f, rv_shape_frame *s, GLuint depth)
{
    static const GLenum both[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    while (glGetError() != GL_NO_ERROR) continue;
    s->first = rv_texture_make(GL_RGBA32UI, f->width, f->height, GL_NEAREST);
    s->rest = rv_texture_make(GL_RG32UI, f->width, f->height, GL_NEAREST);
    bool good = join(&s->framebuffer, s->first, depth, false);
    glFramebufferTexture2D(GL_FRAMEBUFFER, both[1], GL_TEXTURE_2D, s->rest, 0);
    glDrawBuffers(2, both);
    return good && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
           glGetError() == GL_NO_ERROR;
}

static void take_tiles(rv_picture_frame *f)
{
    if (!f->tiles && !f->shapeless)
        f->tiles = rv_texture_make(GL_R32UI, (f->width + RV_PIXEL_TILE - 1) / RV_PIXEL_TILE,
                                   (f->height + RV_PIXEL_TILE - 1) / RV_PIXEL_TILE, GL_NEAREST);
}

bool rv_frame_take_numbers(rv_picture_frame *f, int count)
{
    take_tiles(f);
    while (glGetError() != GL_NO_ERROR) continue;
    for (int n = 0; n < count; n++) {
        if (f->number_frame[n]) continue;
        f->numbers[n] = rv_texture_make(GL_R32UI, f->width, f->height, GL_NEAREST);
        if (!join(&f->number_frame[n], f->numbers[n], n == 0 ? f->front_depth : f->second_depth,
                  false) ||
            glGetError() != GL_NO_ERROR)
            return false;
    }
    return true;
}

bool rv_frame_take_shapes(rv_picture_frame *f, int count)
{
    take_tiles(f);
    for (int n = 0; n < count && !f->shapeless; n++)
        if (!f->shape[n].framebuffer)
            f->shapeless = !make_shape(f, &f->shape[n], n == 0 ? f->front_depth : f->second_depth);
    while (f->shapeless && glGetError() != GL_NO_ERROR) continue;
    return !f->shapeless;
}

enum { CODES_MOST = 31 }; // five bits of a byte, and three for the code itself

void rv_frame_next_codes(rv_picture_frame *f)
{
    glBindFramebuffer(GL_FRAMEBUFFER, f->code);
    if (f->code_now == 0 || f->code_now == CODES_MOST) {
        glClear(GL_COLOR_BUFFER_BIT);
        f->code_now = 0;
    }
    f->code_now++;
}

void rv_frame_take_rays(rv_picture_frame *f)
{
    for (int n = 0; n < 2 && !f->ray_depth[n]; n++) {
        f->ray_colour[n] = rv_texture_make(GL_RGBA16F, f->width, f->height, GL_NEAREST);
        f->ray_depth[n] = rv_texture_make(GL_R32F, f->width, f->height, GL_NEAREST);
    }
}

void rv_frame_free(rv_picture_frame *f)
{
    glDeleteTextures(2, f->ray_colour);
    glDeleteTextures(2, f->ray_depth);
    glDeleteTextures(1, &f->tiles);
    glDeleteTextures(1, &f->codes);
    glDeleteFramebuffers(1, &f->code);
    glDeleteTextures(2, f->numbers);
    glDeleteFramebuffers(2, f->number_frame);
    for (int n = 0; n < 2; n++) {
        glDeleteFramebuffers(1, &f->shape[n].framebuffer);
        glDeleteTextures(1, &f->shape[n].first);
        glDeleteTextures(1, &f->shape[n].rest);
    }
    const GLuint framebuffers[] = {f->many, f->scene, f->front, f->second,
                                   f->over, f->whole, f->lit,   f->done};
    const GLuint buffers[] = {f->many_colour, f->many_depth, f->over_read ? 0 : f->over_colour};
    const GLuint textures[] = {f->scene_colour,  f->scene_depth,
                               f->front_colour,  f->front_depth,
                               f->second_colour, f->second_depth,
                               f->whole_colour,  f->lit_colour,
                               f->done_colour,   f->over_read ? f->over_colour : 0};
    glDeleteFramebuffers(8, framebuffers);
    glDeleteRenderbuffers(3, buffers);
    glDeleteTextures(10, textures);
    memset(f, 0, sizeof *f);
}
