// Drops on solids are sent as caps, one rectangle each, on which every pixel finds the cap itself:
// they are round however near the eye is. A drop on a steep side hangs down, and one that runs is
// drawn out along its way.
#include "render/dew.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SAG_MOST 0.42f    // radii, of a large drop on an upright side
#define STRETCH_TIME 0.02 // s: a tail is as long as the way of so long; as glass.stretch
#define STRETCH_MOST 1.2f

static bool make_room(rv_dew_set *s, int count)
{
    if (count <= s->room) return true;
    size_t room = (size_t)count + (size_t)count / 2 + 256;
    void *cap = realloc(s->cap, room * sizeof *s->cap);
    if (cap) s->cap = cap;
    void *piece = realloc(s->piece, 2 * room * sizeof *s->piece); // half of it to sort into
    if (piece) s->piece = piece;
    void *far = realloc(s->far, room * sizeof *s->far);
    if (far) s->far = far;
    void *order = realloc(s->order, room * sizeof *s->order);
    if (order) s->order = order;
    if (!cap || !piece || !far || !order) return false;
    s->room = (int)room;
    return true;
}

static void make_buffers(rv_dew_set *s)
{
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->instances);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    for (GLuint n = 0; n < 4; n++) {
        glEnableVertexAttribArray(n);
        glVertexAttribDivisor(n, 1);
        glVertexAttribPointer(n, n < 3 ? 4 : 2, GL_FLOAT, GL_FALSE, sizeof(rv_dew_piece),
                              (const char *)NULL + n * 4 * sizeof(float));
    }
    glBindVertexArray(0);
}

// A number in 0 … 1 that belongs to a drop as long as it stays where it is.
static float chance_of(rv_vec3 at)
{
    uint64_t bits[3], h = 0;
    memcpy(bits, &at, sizeof bits);
    for (int k = 0; k < 3; k++) h = (h ^ bits[k]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return (float)(h >> 40) / 16777216.0f;
}

static rv_dew_piece piece_of(const rv_dew_cap *c, const rv_params *p, const rv_extent *e)
{
    float a_cell = (float)(1 / e->dx);
    vec3 at = rv_extent_cells(e, c->at.x, c->at.y, c->at.z);
    vec3 n = v3((float)c->normal.x, (float)c->normal.y, (float)c->normal.z);
    vec3 v = v3((float)c->velocity.x, (float)c->velocity.y, (float)c->velocity.z);
    vec3 g = v3((float)p->gravity.x, (float)p->gravity.y, (float)p->gravity.z);
    float speed = sqrtf(dot(v, v)), down = sqrtf(dot(g, g));
    vec3 pull = along(g, n, -dot(g, n));
    float steep = down > 0 ? sqrtf(dot(pull, pull)) / down : 0;
    vec3 way = speed > 1e-4f ? scale(v, 1 / speed) : steep > 1e-3f ? unit(pull) : v3(0, 0, 0);
    if (!(dot(way, way) > 0.5f)) way = unit(fabsf(n.z) < 0.9f ? v3(-n.y, n.x, 0) : v3(1, 0, 0));
    // a drop hangs down the more, the more its weight counts beside its tension
    double length2 = p->liquid_tension / (p->liquid_density * fmax((double)down, 1e-9));
    float heavy = (float)(c->radius * c->radius / fmax(length2, 1e-12));
    float tail = minf((float)(STRETCH_TIME * (double)speed / fmax(c->radius, 1e-9)), STRETCH_MOST);
    return (rv_dew_piece){.at = {at.x, at.y, at.z},
                          .radius = (float)c->radius * a_cell,
                          .normal = {n.x, n.y, n.z},
                          .height = (float)(c->height / fmax(c->radius, 1e-12)),
                          .way = {way.x, way.y, way.z},
                          .stretch = c->falls ? 0 : tail,
                          .sag = c->falls ? 0 : SAG_MOST * steep * heavy / (heavy + 0.5f),
                          .chance = c->falls ? -1 : chance_of(c->at)};
}

rv_result rv_dew_set_update(rv_dew_set *s, const rv_world *world, const rv_extent *e)
{
    const rv_params *p = rv_world_params(world);
    int count = rv_world_get_dew(world, NULL, 0);
    s->count = 0, s->uploaded = 0;
    if (!p->dew_on || count == 0) return RV_OK;
    if (!make_room(s, count)) return RV_OUT_OF_MEMORY;
    rv_world_get_dew(world, s->cap, count);
    s->low = v3(1e9f, 1e9f, 1e9f), s->high = v3(-1e9f, -1e9f, -1e9f);
    for (int n = 0; n < count; n++) {
        rv_dew_piece q = s->piece[n] = piece_of(&s->cap[n], p, e);
        float reach = 3 * q.radius;
        s->low = v3(minf(s->low.x, q.at[0] - reach), minf(s->low.y, q.at[1] - reach),
                    minf(s->low.z, q.at[2] - reach));
        s->high = v3(maxf(s->high.x, q.at[0] + reach), maxf(s->high.y, q.at[1] + reach),
                     maxf(s->high.z, q.at[2] + reach));
    }
    s->count = count, s->uploaded = (size_t)count * sizeof *s->piece;
    return RV_OK;
}

void rv_dew_set_free(rv_dew_set *s)
{
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->instances);
    free(s->cap);
    free(s->piece);
    free(s->far);
    free(s->order);
    memset(s, 0, sizeof *s);
}

// Heap sort by `far`, the farthest first: the order of the list decides between equals.
static bool comes_after(const rv_dew_set *s, int a, int b)
{
    return s->far[a] < s->far[b] || (s->far[a] == s->far[b] && a > b);
}

static void sink(const rv_dew_set *s, int at, int count)
{
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_after(s, s->order[child + 1], s->order[child])) child++;
        if (!comes_after(s, s->order[child], s->order[at])) return;
        int t = s->order[at];
        s->order[at] = s->order[child], s->order[child] = t;
    }
}

static void sort(rv_dew_set *s, const rv_eye *eye)
{
    for (int n = 0; n < s->count; n++) {
        const float *at = s->piece[n].at;
        vec3 d = sub(v3(at[0], at[1], at[2]), eye->at);
        s->far[n] = dot(d, d), s->order[n] = n;
    }
    for (int n = s->count / 2 - 1; n >= 0; n--) sink(s, n, s->count);
    for (int n = s->count - 1; n > 0; n--) {
        int t = s->order[0];
        s->order[0] = s->order[n], s->order[n] = t;
        sink(s, 0, n);
    }
    for (int n = 0; n < s->count; n++) s->piece[s->room + n] = s->piece[s->order[n]];
}

rv_result rv_dew_set_draw(rv_dew_set *s, const rv_eye *eye)
{
    if (s->count == 0) return RV_OK;
    if (!s->array) make_buffers(s);
    sort(s, eye);
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)s->uploaded, s->piece + s->room, GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindVertexArray(s->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, s->count);
    glBindVertexArray(0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}
