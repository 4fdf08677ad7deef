// Droplets are sent as balls and drawn as squares that face the eye.
#include "render/drops.h"

#include "rivulet/surface.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(rv_drops *s, int count)
{
    if (count <= s->room) return true;
    size_t room = (size_t)count + (size_t)count / 2 + 256;
    void *ball = realloc(s->ball, room * sizeof *s->ball);
    if (!ball) return false;
    s->ball = ball, s->room = (int)room;
    return true;
}

static void make_buffers(rv_drops *s)
{
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->instances);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glEnableVertexAttribArray(0);
    glVertexAttribDivisor(0, 1);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    glBindVertexArray(0);
}

static rv_result send(rv_drops *s, int count)
{
    s->count = count;
    if (!s->array) make_buffers(s);
    s->uploaded = (size_t)s->count * sizeof *s->ball;
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)s->uploaded, s->ball, GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

rv_result rv_drops_update(rv_drops *s, const rv_world *world, const rv_extent *e)
{
    rv_droplets in;
    const rv_params *p = rv_world_params(world);
    rv_result result = rv_world_get_droplets(world, &in);
    s->count = 0, s->uploaded = 0;
    if (result != RV_OK || in.count == 0) return result;
    if (!make_room(s, in.count)) return RV_OUT_OF_MEMORY;
    int count = 0;
    for (int n = 0; n < in.count; n++) {
        if (in.hangs[n] && in.hangs[n] != RV_DROPLET_LANDS) continue; // beads.c draws it
        if (rv_surface_has_droplet(p, in.radius[n])) continue;        // it is part of the surface
        vec3 at = rv_extent_cells(e, in.at[n].x, in.at[n].y, in.at[n].z);
        float *ball = s->ball[count++];
        ball[0] = at.x, ball[1] = at.y, ball[2] = at.z;
        ball[3] = (float)(in.radius[n] / e->dx);
    }
    return count > 0 ? send(s, count) : RV_OK;
}

rv_result rv_drops_take(rv_drops *s, const float (*at)[4], int count, float radius)
{
    s->count = 0, s->uploaded = 0;
    if (count == 0) return RV_OK;
    if (!make_room(s, count)) return RV_OUT_OF_MEMORY;
    memcpy(s->ball, at, (size_t)count * sizeof *s->ball);
    for (int n = 0; n < count; n++) s->ball[n][3] = radius;
    return send(s, count);
}

void rv_drops_free(rv_drops *s)
{
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->instances);
    free(s->ball);
    memset(s, 0, sizeof *s);
}

void rv_drops_draw(const rv_drops *s)
{
    if (s->count == 0) return;
    glBindVertexArray(s->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, s->count);
    glBindVertexArray(0);
}
