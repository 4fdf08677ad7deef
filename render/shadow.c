// Draws the terrain as the lamp sees it: straight rays, the whole block in a square.
#include "render/shadow.h"

#include <string.h>

static GLuint sampler(bool compare)
{
    GLuint name;
    GLint filter = compare ? GL_LINEAR : GL_NEAREST;
    glGenSamplers(1, &name);
    glSamplerParameteri(name, GL_TEXTURE_MIN_FILTER, filter);
    glSamplerParameteri(name, GL_TEXTURE_MAG_FILTER, filter);
    glSamplerParameteri(name, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(name, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    if (compare) {
        glSamplerParameteri(name, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glSamplerParameteri(name, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    }
    return name;
}

static bool make_floor(rv_shadow *s)
{
    glGenTextures(1, &s->floor);
    glBindTexture(GL_TEXTURE_2D, s->floor);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R8, RV_FLOOR_SIDE, RV_FLOOR_SIDE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &s->floor_framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, s->floor_framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->floor, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

bool rv_shadow_make(rv_shadow *s)
{
    const GLenum none = GL_NONE;
    glGenTextures(1, &s->depth);
    glBindTexture(GL_TEXTURE_2D, s->depth);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT24, RV_SHADOW_SIDE, RV_SHADOW_SIDE);
    glBindTexture(GL_TEXTURE_2D, 0);
    s->compare = sampler(true), s->read = sampler(false);
    glGenFramebuffers(1, &s->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, s->depth, 0);
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && make_floor(s);
}

void rv_shadow_free(rv_shadow *s)
{
    glDeleteFramebuffers(1, &s->framebuffer);
    glDeleteTextures(1, &s->depth);
    glDeleteFramebuffers(1, &s->floor_framebuffer);
    glDeleteTextures(1, &s->floor);
    glDeleteSamplers(1, &s->compare);
    glDeleteSamplers(1, &s->read);
    memset(s, 0, sizeof *s);
}

// To 0 … 1 across the map and along the light, so that the corners of the block just fit.
static void find_matrix(rv_shadow *s, const rv_extent *e, vec3 toward)
{
    vec3 side = unit(cross(fabsf(toward.z) < 0.99f ? v3(0, 0, 1) : v3(0, 1, 0), toward));
    vec3 axis[3] = {side, cross(toward, side), scale(toward, -1)};
    float lo[3] = {1e30f, 1e30f, 1e30f}, hi[3] = {-1e30f, -1e30f, -1e30f};
    for (int n = 0; n < 8; n++) {
        vec3 p =
            v3(n & 1 ? e->wide : 0, n & 2 ? e->deep : 0, n & 4 ? maxf(e->top, e->high) : e->floor);
        for (int a = 0; a < 3; a++) {
            lo[a] = minf(lo[a], dot(p, axis[a])), hi[a] = maxf(hi[a], dot(p, axis[a]));
        }
    }
    // A margin, so that the rim of the map is lit, and a square, so that a blur is round.
    float wide = 1.04f * maxf(hi[0] - lo[0], hi[1] - lo[1]) + 2;
    for (int a = 0; a < 2; a++) {
        float middle = 0.5f * (lo[a] + hi[a]);
        lo[a] = middle - 0.5f * wide, hi[a] = middle + 0.5f * wide;
    }
    lo[2] -= 2, hi[2] += 2;
    for (int a = 0; a < 3; a++) {
        float per = 1 / (hi[a] - lo[a]);
        s->matrix[a] = axis[a].x * per, s->matrix[4 + a] = axis[a].y * per;
        s->matrix[8 + a] = axis[a].z * per, s->matrix[12 + a] = -lo[a] * per;
    }
    s->matrix[3] = s->matrix[7] = s->matrix[11] = 0, s->matrix[15] = 1;
    s->wide = wide, s->far = hi[2] - lo[2];
}

bool rv_shadow_update(rv_shadow *s, const rv_tiles *tiles, rv_wide *wide, const rv_extent *e,
                      vec3 toward, GLuint program)
{
    vec3 moved = sub(toward, s->toward);
    if (s->fresh && dot(moved, moved) < 1e-10f) return false;
    find_matrix(s, e, toward);
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
    glViewport(0, 0, RV_SHADOW_SIDE, RV_SHADOW_SIDE);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 2);
    glUseProgram(program);
    glUniformMatrix4fv(glGetUniformLocation(program, "to_map"), 1, GL_FALSE, s->matrix);
    if (wide && rv_wide_choose_all(wide, s->wide / RV_SHADOW_SIDE)) rv_wide_draw(wide);
    if (!wide) rv_tiles_draw(tiles, NULL, 0);
    glDisable(GL_POLYGON_OFFSET_FILL);
    s->toward = toward, s->fresh = true;
    return true;
}
