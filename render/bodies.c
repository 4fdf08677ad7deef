// Bodies on the card. One mesh serves spheres and boxes: the directions of a sphere, each with the
// octant that it belongs to. A vertex stands at its octant's corner of an inner box plus its
// direction times the radius of the edges; so a sphere is a box without an inside, and a box has
// edges that are a little round and catch the light.
#include "render/bodies.h"

#include <stdlib.h>
#include <string.h>

// Half as many segments as a face of the box has each way: 64 around a sphere, whose outline is
// then off by 0.12% of its radius.
enum { HALF = 8, LINES = 2 * (HALF + 1) };
#define EDGE 0.09f // of a box's smallest half edge: how round its edges are

typedef struct corner {
    int16_t normal[4];
    int8_t octant[4];
} corner;

// ---- The mesh ----------------------------------------------------------------------------------

// Both halves of a face have the line in its middle; between the two it is drawn out to a flat
// face.
static float line_at(int n)
{
    float t = n <= HALF ? (float)n / HALF - 1 : (float)(n - HALF - 1) / HALF;
    return tanf(0.785398163f * t);
}

static corner corner_of(int axis, int sign, int i, int j)
{
    float d[3];
    corner c = {{0}, {0}};
    int b = (axis + 1) % 3, a = (axis + 2) % 3;
    d[axis] = (float)sign, d[b] = line_at(i), d[a] = line_at(j);
    vec3 n = unit(v3(d[0], d[1], d[2]));
    c.normal[0] = (int16_t)lrintf(32767 * n.x), c.normal[1] = (int16_t)lrintf(32767 * n.y);
    c.normal[2] = (int16_t)lrintf(32767 * n.z);
    c.octant[axis] = (int8_t)sign;
    c.octant[b] = i <= HALF ? -1 : 1, c.octant[a] = j <= HALF ? -1 : 1;
    return c;
}

static void make_face(corner *to, uint16_t *index, int face)
{
    int axis = face / 2, sign = face % 2 ? 1 : -1, first = face * LINES * LINES;
    for (int j = 0; j < LINES; j++)
        for (int i = 0; i < LINES; i++) to[first + j * LINES + i] = corner_of(axis, sign, i, j);
    index += face * 6 * (LINES - 1) * (LINES - 1);
    for (int j = 0; j + 1 < LINES; j++) {
        for (int i = 0; i + 1 < LINES; i++, index += 6) {
            int at = first + j * LINES + i, right = at + 1, up = at + LINES;
            if (sign < 0) right = at + LINES, up = at + 1;
            const int order[6] = {at, right, at + LINES + 1, at, at + LINES + 1, up};
            for (int k = 0; k < 6; k++) index[k] = (uint16_t)order[k];
        }
    }
}

static void point_at_instances(const rv_body_set *s, int first)
{
    static const struct {
        GLint size;
        GLenum type;
        size_t offset;
    } part[] = {{4, GL_FLOAT, offsetof(rv_body_look, at)},
                {4, GL_FLOAT, offsetof(rv_body_look, half)},
                {4, GL_FLOAT, offsetof(rv_body_look, turn)},
                {3, GL_UNSIGNED_BYTE, offsetof(rv_body_look, open)},
                {3, GL_UNSIGNED_BYTE, offsetof(rv_body_look, open) + 4}};
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    for (GLuint n = 0; n < 5; n++)
        glVertexAttribPointer(2 + n, part[n].size, part[n].type, GL_TRUE, sizeof(rv_body_look),
                              (void *)((size_t)first * sizeof(rv_body_look) + part[n].offset));
}

static bool make_mesh(rv_body_set *s)
{
    enum { CORNERS = 6 * LINES * LINES, INDICES = 36 * (LINES - 1) * (LINES - 1) };
    corner *corners = malloc(CORNERS * sizeof *corners);
    uint16_t *indices = malloc(INDICES * sizeof *indices);
    bool good = corners && indices;
    for (int face = 0; good && face < 6; face++) make_face(corners, indices, face);
    if (good) {
        glGenVertexArrays(1, &s->array);
        glGenBuffers(1, &s->vertices);
        glGenBuffers(1, &s->indices);
        glGenBuffers(1, &s->instances);
        glGenBuffers(1, &s->near);
        glBindVertexArray(s->array);
        glBindBuffer(GL_ARRAY_BUFFER, s->vertices);
        glBufferData(GL_ARRAY_BUFFER, CORNERS * sizeof *corners, corners, GL_STATIC_DRAW);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, INDICES * sizeof *indices, indices, GL_STATIC_DRAW);
        for (GLuint n = 0; n < 7; n++) {
            glEnableVertexAttribArray(n);
            glVertexAttribDivisor(n, n < 2 ? 0 : 1);
        }
        glVertexAttribPointer(0, 3, GL_SHORT, GL_TRUE, sizeof(corner),
                              (void *)offsetof(corner, normal));
        glVertexAttribPointer(1, 3, GL_BYTE, GL_FALSE, sizeof(corner),
                              (void *)offsetof(corner, octant));
        glBindVertexArray(0);
        s->index_count = INDICES;
        good = glGetError() == GL_NO_ERROR;
    }
    free(corners);
    free(indices);
    return good;
}

// ---- Following a world -------------------------------------------------------------------------

// How open the sky is along the axes, at the body's surface.
static void find_openness(rv_body_look *look, const rv_openness *openness)
{
    vec3 at = v3(look->at[0], look->at[1], look->at[2]);
    for (int n = 0; n < 6; n++) {
        int axis = n % 3;
        float sign = n < 3 ? -1 : 1;
        vec3 d = v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
        float open = rv_openness_at(openness, along(at, d, 0.8f * look->half[axis]), d);
        look->open[n < 3 ? n : n + 1] = (uint8_t)lrintf(255 * open);
    }
}

static rv_body_look look_of(const rv_body_def *def, const rv_body_state *state, int number,
                            const rv_extent *e)
{
    rv_body_look l = {.seed = (float)(number % 64)};
    vec3 at = rv_extent_cells(e, state->at.x, state->at.y, state->at.z);
    double size[3] = {def->size.x, def->size.y, def->size.z}, least = INFINITY;
    l.at[0] = at.x, l.at[1] = at.y, l.at[2] = at.z;
    for (int k = 0; k < 3; k++) {
        double half = (def->shape == RV_BODY_BOX ? 0.5 * size[k] : def->radius) / e->dx;
        l.half[k] = (float)half, least = half < least ? half : least;
    }
    l.round = (def->shape == RV_BODY_BOX ? EDGE : 1) * (float)least;
    for (int k = 0; k < 4; k++) l.turn[k] = (float)state->turn[k];
    return l;
}

static bool make_room(rv_body_set *s, int count)
{
    if (count <= s->room) return true;
    size_t room = (size_t)count + (size_t)count / 2 + 16;
    rv_body_look *look = realloc(s->look, room * sizeof *look);
    if (look) s->look = look;
    rv_body_look *drawn = look ? realloc(s->drawn, room * sizeof *drawn) : NULL;
    if (!drawn) return false;
    s->drawn = drawn, s->room = (int)room;
    return true;
}

// Which there are now, by material.
static void gather(rv_body_set *s, const rv_world *world, const rv_extent *e)
{
    int numbers = rv_world_body_count(world), count = 0;
    rv_stats stats = {0};
    rv_world_get_counters(world, &stats);
    for (int m = 0; m < RV_BODY_MATERIALS; m++) {
        s->first[m] = count;
        for (int n = 0; n < numbers; n++) {
            rv_body_def def;
            rv_body_state state;
            if (rv_world_get_body(world, n, &def, &state) != RV_OK || (int)def.material != m) continue;
            if (def.start <= stats.time) s->look[count++] = look_of(&def, &state, n, e);
        }
    }
    s->first[RV_BODY_MATERIALS] = s->count = count;
}

static float reach_of(const rv_body_look *l)
{
    float h = sqrtf(l->half[0] * l->half[0] + l->half[1] * l->half[1] + l->half[2] * l->half[2]);
    return l->round >= l->half[0] ? l->round : h;
}

static void send(rv_body_set *s)
{
    // The block `Bodies` of render/shaders/bodies.glsl, std140.
    struct {
        float ball[RV_BODY_NEAR_MAX][3][4];
        int32_t count[4];
        float low[4], high[4]; // a box around all bodies
    } near = {.count = {s->count < RV_BODY_NEAR_MAX ? s->count : RV_BODY_NEAR_MAX}};
    near.count[1] = s->count - near.count[0];
    for (int n = 0; n < near.count[0]; n++) memcpy(near.ball[n], s->look[n].at, 12 * sizeof(float));
    for (int k = 0; k < 3; k++) near.low[k] = 1e9f, near.high[k] = -1e9f;
    for (int n = 0; n < s->count; n++) {
        float reach = reach_of(&s->look[n]);
        for (int k = 0; k < 3; k++) {
            near.low[k] = minf(near.low[k], s->look[n].at[k] - reach);
            near.high[k] = maxf(near.high[k], s->look[n].at[k] + reach);
        }
    }
    glBindBuffer(GL_UNIFORM_BUFFER, s->near);
    glBufferData(GL_UNIFORM_BUFFER, sizeof near, &near, GL_STREAM_DRAW);
    glBindBuffer(GL_UNIFORM_BUFFER, 0);
    s->uploaded = (size_t)s->count * sizeof *s->look + sizeof near;
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)s->count * sizeof *s->look), s->look,
                 GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

rv_result rv_body_set_update(rv_body_set *s, const rv_world *world, const rv_extent *e,
                             const rv_openness *openness)
{
    s->count = 0, s->uploaded = 0;
    int numbers = rv_world_body_count(world);
    if (numbers == 0) return RV_OK;
    if (!make_room(s, numbers) || (!s->array && !make_mesh(s))) return RV_OUT_OF_MEMORY;
    gather(s, world, e);
    for (int n = 0; n < s->count; n++) find_openness(&s->look[n], openness);
    if (!rv_body_set_moved(s)) return RV_OK;
    s->mapped = false;
    if (s->count > 0) send(s);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_body_set_peaks(const rv_world *world, rv_extent *e)
{
    const int side = RV_EXTENT_PEAKS;
    for (int n = 0; n < rv_world_body_count(world); n++) {
        rv_body_def def;
        if (rv_world_get_body(world, n, &def, NULL) != RV_OK) continue;
        vec3 at = rv_extent_cells(e, def.at.x, def.at.y, def.at.z);
        double tall = def.shape == RV_BODY_BOX ? 0.5 * def.size.z : def.radius;
        int i = (int)(clamp(at.x / e->wide, 0, 0.999f) * (float)side);
        int j = (int)(clamp(at.y / e->deep, 0, 0.999f) * (float)side);
        float *peak = &e->peak[j * side + i];
        *peak = maxf(*peak, at.z + (float)(tall / e->dx));
    }
}

void rv_body_set_free(rv_body_set *s)
{
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->vertices);
    glDeleteBuffers(1, &s->indices);
    glDeleteBuffers(1, &s->instances);
    glDeleteBuffers(1, &s->near);
    glDeleteFramebuffers(1, &s->framebuffer);
    glDeleteTextures(1, &s->depth);
    free(s->look);
    free(s->drawn);
    memset(s, 0, sizeof *s);
}

// ---- Where they are ----------------------------------------------------------------------------

bool rv_body_set_moved(const rv_body_set *s)
{
    if (s->count != s->drawn_count) return true;
    return s->count > 0 && memcmp(s->look, s->drawn, (size_t)s->count * sizeof *s->look) != 0;
}

void rv_body_set_keep(rv_body_set *s, const int area[4])
{
    if (s->count > 0) memcpy(s->drawn, s->look, (size_t)s->count * sizeof *s->look);
    s->drawn_count = s->count;
    memcpy(s->area, area, sizeof s->area);
}

// The square in the picture around a sphere, as shares of it. false: part of it is behind the eye.
static bool cover(const rv_eye *eye, vec3 at, float reach, float lo[2], float hi[2])
{
    vec3 d = sub(at, eye->at);
    float z = dot(d, eye->forward) - reach;
    if (z < 0.1f * reach || z < 1e-3f * eye->far) return false;
    const float place[2] = {dot(d, eye->right), dot(d, eye->up)};
    const float tangent[2] = {eye->sx, eye->sy};
    for (int a = 0; a < 2; a++) {
        // Both ends at the nearest and at the farthest: the sphere lies between these.
        for (int n = 0; n < 4; n++) {
            float edge = place[a] + (n & 1 ? reach : -reach), depth = n & 2 ? z : z + 2 * reach;
            float share = 0.5f + 0.5f * edge / (depth * tangent[a]);
            lo[a] = minf(lo[a], share), hi[a] = maxf(hi[a], share);
        }
    }
    return true;
}

void rv_body_set_area(const rv_body_set *s, const rv_extent *e, const rv_eye *eye, vec3 toward,
                      float radius, int area[4])
{
    float lo[2] = {1, 1}, hi[2] = {0, 0};
    bool all = false;
    memset(area, 0, 4 * sizeof *area);
    for (int n = 0; n < s->count; n++) {
        const rv_body_look *l = &s->look[n];
        vec3 at = v3(l->at[0], l->at[1], l->at[2]);
        float reach = reach_of(l), drop = maxf(at.z - e->low, 0) / maxf(toward.z, 0.1f);
        // What it darkens around itself, and its shadow on the lowest bed, half shadow included.
        all = all || !cover(eye, at, 3 * reach, lo, hi);
        all = all ||
              !cover(eye, along(at, toward, -drop), 1.2f * reach + 1.5f * radius * drop, lo, hi);
    }
    const int size[2] = {eye->width, eye->height};
    for (int a = 0; a < 2 && s->count > 0; a++) {
        int from = all ? 0 : (int)(clamp(lo[a], 0, 1) * (float)size[a]) - 3;
        int to = all ? size[a] : (int)(clamp(hi[a], 0, 1) * (float)size[a]) + 4;
        area[a] = from > 0 ? from : 0;
        area[2 + a] = (to < size[a] ? to : size[a]) - area[a];
    }
}

void rv_body_set_widen(const rv_body_set *s, rv_eye *eye)
{
    for (int n = 0; n < s->count; n++) {
        const rv_body_look *l = &s->look[n];
        float reach = reach_of(l);
        float z = dot(sub(v3(l->at[0], l->at[1], l->at[2]), eye->at), eye->forward);
        // In steps, so that what is kept while the camera stays is not lost in every frame.
        while (z - reach < eye->near && eye->near > 2e-3f * eye->far) eye->near *= 0.7f;
        while (z + reach > eye->far && eye->far < 1e6f) eye->far *= 1.3f;
    }
}

// ---- Drawing -----------------------------------------------------------------------------------

static bool make_map(rv_body_set *s)
{
    const GLenum none = GL_NONE;
    glGenTextures(1, &s->depth);
    glBindTexture(GL_TEXTURE_2D, s->depth);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT24, RV_BODY_MAP_SIDE, RV_BODY_MAP_SIDE);
    glBindTexture(GL_TEXTURE_2D, 0);
    glGenFramebuffers(1, &s->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, s->depth, 0);
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

rv_result rv_body_set_map(rv_body_set *s, const float matrix[16], GLuint program)
{
    if (s->count == 0) return RV_OK;
    if (s->mapped && memcmp(s->matrix, matrix, sizeof s->matrix) == 0) return RV_OK;
    if (!s->framebuffer && !make_map(s)) return RV_OUT_OF_MEMORY;
    memcpy(s->matrix, matrix, sizeof s->matrix);
    glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
    glViewport(0, 0, RV_BODY_MAP_SIDE, RV_BODY_MAP_SIDE);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    // Their far sides: so a body does not shadow its own lit side, and still meets its shadow.
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    glUseProgram(program);
    glUniformMatrix4fv(glGetUniformLocation(program, "to_map"), 1, GL_FALSE, matrix);
    rv_body_set_draw(s, -1);
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    s->mapped = true;
    return RV_OK;
}

void rv_body_set_draw(const rv_body_set *s, int material)
{
    int first = material < 0 ? 0 : s->first[material];
    int count = (material < 0 ? s->count : s->first[material + 1]) - first;
    if (s->count == 0 || count <= 0) return;
    glBindBufferBase(GL_UNIFORM_BUFFER, 1, s->near);
    glBindVertexArray(s->array);
    point_at_instances(s, first);
    glDrawElementsInstanced(GL_TRIANGLES, s->index_count, GL_UNSIGNED_SHORT, NULL, count);
    glBindVertexArray(0);
}
