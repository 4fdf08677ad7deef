// Droplets are sent as balls and drawn as squares that face the eye.
#include "render/drops.h"

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
    rv_result result = rv_world_get_droplets(world, &in);
    s->count = 0, s->uploaded = 0;
    if (result != RV_OK || in.count == 0) return result;
    if (!make_room(s, in.count)) return RV_OUT_OF_MEMORY;
    for (int n = 0; n < in.count; n++) {
        vec3 at = rv_extent_cells(e, in.at[n].x, in.at[n].y, in.at[n].z);
        s->ball[n][0] = at.x, s->ball[n][1] = at.y, s->ball[n][2] = at.z;
        s->ball[n][3] = (float)(in.radius[n] / e->dx);
    }
    return send(s, in.count);
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
