// Marks the tiles of the picture that drops are seen in. It is done here and not on the card, which
// would have to draw each drop once more for it: drops are few.
#include "render/spots.h"

#include "render/renderer_parts.h"
#include "render/texture.h"

#include <stdlib.h>
#include <string.h>

enum { DROPS_MOST = 2048, PARTS_MOST = 64 }; // more take longer than clearing all

static bool begin(rv_spots *s, const rv_eye *eye)
{
    int across = (eye->width + RV_PIXEL_TILE - 1) / RV_PIXEL_TILE,
        along = (eye->height + RV_PIXEL_TILE - 1) / RV_PIXEL_TILE;
    size_t count = (size_t)across * (size_t)along;
    if (s->across != across || s->along != along) {
        uint8_t *tile = realloc(s->tile, count);
        if (!tile) return false;
        glDeleteTextures(1, &s->texture);
        s->texture = 0, s->tile = tile, s->across = across, s->along = along;
    }
    memset(s->tile, 0, count);
    return true;
}

// The tiles from the least to the greatest that a ball reaches along one axis of the picture: its
// nearest point and its farthest decide, whichever side of the middle it is on.
static void reach(float middle, float radius, float near, float far, int size, int tiles[2])
{
    float low = middle - radius, high = middle + radius;
    low = minf(low / near, low / far), high = maxf(high / near, high / far);
    low = clamp((0.5f + 0.5f * low) * (float)size - 1, 0, (float)size);
    high = clamp((0.5f + 0.5f * high) * (float)size + 1, 0, (float)(size - 1));
    tiles[0] = (int)low / RV_PIXEL_TILE, tiles[1] = (int)high / RV_PIXEL_TILE;
}

static void add_ball(rv_spots *s, const rv_eye *eye, vec3 at, float radius)
{
    vec3 d = sub(at, eye->at);
    float ahead = dot(d, eye->forward), near = maxf(ahead - radius, eye->near);
    int x[2], y[2];
    if (!(ahead + radius > eye->near)) return; // behind the eye
    reach(dot(d, eye->right) / eye->sx, radius / eye->sx, near, ahead + radius, eye->width, x);
    reach(dot(d, eye->up) / eye->sy, radius / eye->sy, near, ahead + radius, eye->height, y);
    for (int j = y[0]; j <= y[1]; j++)
        for (int i = x[0]; i <= x[1]; i++) s->tile[j * s->across + i] = 1;
}

// What is long and thin as balls along it: one around all of it would be seen in far more tiles.
static void add_line(rv_spots *s, const rv_eye *eye, vec3 middle, vec3 half, float radius)
{
    float length = sqrtf(dot(half, half));
    int parts = length > radius ? (int)minf(ceilf(length / (4 * radius)), PARTS_MOST) : 1;
    for (int k = 0; k < parts; k++)
        add_ball(s, eye, along(middle, half, (float)(2 * k + 1) / (float)parts - 1),
                 radius + length / (float)parts);
}

// The side of a pixel as far away as that, cells.
static float pixel_at(const rv_eye *eye, vec3 d)
{
    return 2 * sqrtf(dot(d, d)) * eye->sy / (float)eye->height;
}

// As drop_vertex.glsl draws it.
static void add_drop(rv_renderer *r, const rv_eye *eye, const float ball[8])
{
    vec3 at = v3(ball[0], ball[1], ball[2]), d = sub(eye->at, at);
    float pixel = pixel_at(eye, d), most = floorf(ball[7]);
    float own = ball[3] * (1 + 1.2f * (ball[7] - most));
    vec3 way = scale(v3(ball[4], ball[5], ball[6]), 0.5f * r->numbers.wet[2]);
    way = along(way, d, -dot(way, d) / maxf(dot(d, d), 1e-9f));
    float length = sqrtf(dot(way, way)), seen = minf(length, most * own);
    way = length > 0 ? scale(way, seen / length) : way;
    add_line(&r->spots, eye, at, way, 1.5f * (maxf(own, 0.75f * pixel) + pixel));
}

// As bead_vertex.glsl does.
static void add_bead(rv_renderer *r, const rv_eye *eye, const rv_bead_piece *b)
{
    bool thread = b->wide > 0;
    float low = thread ? b->down + 0.4f * b->radius : b->down, half = 0.5f * (low + b->up);
    vec3 at = v3(b->at[0], b->at[1], b->at[2] + 0.5f * (b->up - low));
    float pixel = pixel_at(eye, sub(eye->at, at));
    if (thread)
        add_line(&r->spots, eye, at, v3(0, 0, half), 1.5f * (maxf(b->wide, 2 * b->radius) + pixel));
    else
        add_ball(&r->spots, eye, at, 1.5f * (1.2f * maxf(b->radius, half) + pixel));
}

// As dew_vertex.glsl does.
static void add_dew(rv_renderer *r, const rv_eye *eye, const rv_dew_piece *q)
{
    vec3 at = v3(q->at[0], q->at[1], q->at[2]);
    float pixel = pixel_at(eye, sub(eye->at, at)), radius = maxf(q->radius, 0.75f * pixel);
    float wide = radius * (1.8f + q->stretch + q->sag + 0.8f * q->height) + pixel;
    add_ball(&r->spots, eye, at, 1.5f * wide);
}

static void send(rv_spots *s)
{
    glActiveTexture(GL_TEXTURE0 + RV_AT_SPOTS);
    if (!s->texture) s->texture = rv_texture_make(GL_R8UI, s->across, s->along, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, s->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, s->across, s->along, GL_RED_INTEGER, GL_UNSIGNED_BYTE,
                    s->tile);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

bool rv_spots_find(rv_renderer *r, const rv_eye *eye)
{
    if (r->drops.count + r->beads.count + r->dew.count > DROPS_MOST) return false;
    if (!begin(&r->spots, eye)) return false;
    for (int n = 0; n < r->drops.count; n++) add_drop(r, eye, r->drops.ball[n]);
    for (int n = 0; n < r->beads.count; n++) add_bead(r, eye, &r->beads.piece[n]);
    for (int n = 0; n < r->dew.count; n++) add_dew(r, eye, &r->dew.piece[n]);
    send(&r->spots);
    return true;
}

void rv_spots_free(rv_spots *s)
{
    glDeleteTextures(1, &s->texture);
    free(s->tile);
    memset(s, 0, sizeof *s);
}
