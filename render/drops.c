// Droplets are sent as balls with their velocities, and drawn as rectangles that face the eye: as
// long as the ball moves while a picture is taken.
#include "render/drops.h"

#include "rivulet/surface.h"

#include <limits.h>
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
    for (GLuint k = 0; k < 2; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribDivisor(k, 1);
        glVertexAttribPointer(k, 4, GL_FLOAT, GL_FALSE, sizeof *s->ball,
                              (void *)(k * 4 * sizeof(float)));
    }
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

// A column throws what it has to throw in few droplets, but what leaves water fast leaves it in
// many small ones. By Weber's number of the droplet, inertia over tension: a slow drop from an edge
// stays whole, a splash is drawn in up to so many pieces.
enum { PIECES = 12, RAIN_MOST = 256 };
#define WEBER                                                                                      \
    150.0 // per piece; tuned on drops that fall from a tap, whole at 10 cm, and on splashes
#define FIRST 0.6f   // size of the largest of several pieces, over which the others are between
#define OTHERS 0.34f // this
#define VARY 0.2f    // and so much less or more
// Radii: half of the way on which a droplet is seen, at most. Whole ones: foam is what is behind
// the point.
#define SPRAY_REACH 5.0f
#define RAIN_REACH 40.0f
#define PARTICLE_REACH 3.0f
#define FOAM_MOST 0.999f

static int pieces_of(const rv_params *p, rv_vec3 v, double radius)
{
    double inertia = p->liquid_density * (v.x * v.x + v.y * v.y + v.z * v.z) * 2 * radius;
    double pieces = inertia / (WEBER * fmax(p->liquid_tension, 1e-3));
    return pieces < 2 ? 1 : pieces > PIECES ? PIECES : (int)pieces;
}

// A number in -1 … 1 that belongs to a droplet as long as it flies: its radius does not change.
static float chance(double radius, int n)
{
    uint64_t bits;
    memcpy(&bits, &radius, sizeof bits);
    bits = (bits ^ (uint64_t)n * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 29) * 0x94d049bb133111ebu;
    return (float)((double)(bits >> 40) / 8388608.0 - 1);
}

// The pieces keep the droplet's volume, the first being the largest. They lie around its path,
// farther along it than beside it.
static void put_pieces(rv_drops *s, vec3 at, vec3 v, double radius, float cells, int pieces)
{
    float rest = 0, size[PIECES];
    for (int k = 0; k < pieces; k++) {
        size[k] = k > 0 ? OTHERS + VARY * chance(radius, 5 * k) : pieces > 1 ? FIRST : 1;
        rest += size[k] * size[k] * size[k];
    }
    float whole = cells / cbrtf(rest), speed = sqrtf(dot(v, v));
    vec3 ahead = speed > 0 ? scale(v, 1 / speed) : v3(0, 0, 0);
    for (int k = 0; k < pieces; k++) {
        float *ball = s->ball[s->count++];
        float wide = k == 0 ? 0 : 2.2f * cells;
        vec3 off =
            v3(chance(radius, 5 * k + 1), chance(radius, 5 * k + 2), chance(radius, 5 * k + 3));
        vec3 p = along(along(at, off, wide), ahead, 2.5f * wide * chance(radius, 5 * k + 4));
        ball[0] = p.x, ball[1] = p.y, ball[2] = p.z, ball[3] = whole * size[k];
        ball[4] = v.x, ball[5] = v.y, ball[6] = v.z, ball[7] = SPRAY_REACH;
    }
}

// Of others beads.c draws those that hang, and the surface has those that fly close together.
static bool is_drawn(const rv_params *p, const rv_droplets *in, int n)
{
    if (in->hangs[n] && in->hangs[n] != RV_DROPLET_LANDS) return false;
    return !rv_surface_has_droplet(p, in->radius[n]);
}

static vec3 in_cells(rv_vec3 v, const rv_extent *e)
{
    return v3((float)(v.x / e->dx), (float)(v.y / e->dx), (float)(v.z / e->dx));
}

static rv_result take_droplets(rv_drops *s, const rv_world *world, const rv_extent *e)
{
    rv_droplets in;
    const rv_params *p = rv_world_params(world);
    rv_result result = rv_world_get_droplets(world, &in);
    if (result != RV_OK || in.count == 0) return result;
    int64_t all = 0;
    for (int n = 0; n < in.count; n++)
        if (is_drawn(p, &in, n)) all += pieces_of(p, in.velocity[n], in.radius[n]);
    if (all > INT_MAX / 2 || !make_room(s, (int)all)) return RV_OUT_OF_MEMORY;
    for (int n = 0; n < in.count; n++) {
        if (!is_drawn(p, &in, n)) continue;
        rv_vec3 v = in.velocity[n];
        put_pieces(s, rv_extent_cells(e, in.at[n].x, in.at[n].y, in.at[n].z), in_cells(v, e),
                   in.radius[n], (float)(in.radius[n] / e->dx), pieces_of(p, v, in.radius[n]));
    }
    return RV_OK;
}

// Rain falls so fast that no eye and no camera sees drops: each is a thin, faint line, as long as
// its way while the picture is taken.
static rv_result take_rain(rv_drops *s, const rv_world *world, const rv_extent *e)
{
    rv_dew_cap rain[RAIN_MOST];
    int count = rv_world_get_rain(world, rain, RAIN_MOST);
    if (!make_room(s, s->count + count)) return RV_OUT_OF_MEMORY;
    for (int n = 0; n < count; n++) {
        float *ball = s->ball[s->count++];
        vec3 at = rv_extent_cells(e, rain[n].at.x, rain[n].at.y, rain[n].at.z);
        vec3 v = in_cells(rain[n].velocity, e);
        ball[0] = at.x, ball[1] = at.y, ball[2] = at.z, ball[3] = (float)(rain[n].radius / e->dx);
        ball[4] = v.x, ball[5] = v.y, ball[6] = v.z, ball[7] = RAIN_REACH;
    }
    return RV_OK;
}

rv_result rv_drops_update(rv_drops *s, const rv_world *world, const rv_extent *e)
{
    s->count = 0, s->uploaded = 0;
    rv_result result = take_droplets(s, world, e);
    if (result == RV_OK) result = take_rain(s, world, e);
    return result == RV_OK && s->count > 0 ? send(s, s->count) : result;
}

rv_result rv_drops_take(rv_drops *s, const float (*at)[8], int count, float radius)
{
    s->count = 0, s->uploaded = 0;
    if (count == 0) return RV_OK;
    if (!make_room(s, count)) return RV_OUT_OF_MEMORY;
    memcpy(s->ball, at, (size_t)count * sizeof *s->ball);
    for (int n = 0; n < count; n++) {
        s->ball[n][3] = radius;
        s->ball[n][7] = PARTICLE_REACH + minf(s->ball[n][7], FOAM_MOST);
    }
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
