// Foam of particles in a plane or as a height.
#include "render/foam.h"

#include "render/grow.h"
#include "render/program.h"
#include "render/texture.h"

#include <stdlib.h>
#include <string.h>

static void forget(rv_foam *f)
{
    glDeleteTextures(1, &f->texture);
    f->texture = 0, f->nx = f->ny = 0;
}

static rv_result send(rv_foam *f, int nx, int ny, const void *from)
{
    if (!f->texture || f->nx != nx || f->ny != ny) {
        forget(f);
        f->texture = rv_texture_make(GL_R8, nx, ny, GL_LINEAR), f->nx = nx, f->ny = ny;
    }
    glBindTexture(GL_TEXTURE_2D, f->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, nx, ny, GL_RED, GL_UNSIGNED_BYTE, from);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, 0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

rv_result rv_foam_take(rv_foam *f, int nx, int ny, const float *froth)
{
    size_t cells = (size_t)nx * (size_t)ny;
    if (!froth) {
        forget(f);
        return RV_OK;
    }
    if (!rv_grow((void **)&f->bytes, &f->room, cells, 1)) return RV_OUT_OF_MEMORY;
    for (size_t i = 0; i < cells; i++) f->bytes[i] = (uint8_t)(255 * froth[i] + 0.5f);
    return send(f, nx, ny, f->bytes);
}

rv_result rv_foam_take_card(rv_foam *f, int nx, int ny, GLuint buffer, size_t at)
{
    if (at == 0) {
        forget(f);
        return RV_OK;
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
    rv_result result = send(f, nx, ny, (const void *)(uintptr_t)at);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    return result;
}

void rv_foam_bind(const rv_foam *f)
{
    glActiveTexture(GL_TEXTURE0 + RV_AT_FROTH);
    glBindTexture(GL_TEXTURE_2D, f->texture);
    glActiveTexture(GL_TEXTURE0);
}

void rv_foam_free(rv_foam *f)
{
    forget(f);
    free(f->bytes);
    memset(f, 0, sizeof *f);
}
