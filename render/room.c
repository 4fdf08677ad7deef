// Prepares the surroundings once, on the CPU.
//
// Rough surfaces mirror a blurred room: for each level, directions around each texel's are taken as
// a GGX surface of that roughness spreads them (Walter et al. 2007, seen straight on), each from a
// smaller copy of the room whose texels are as large as the sample stands for. Diffuse light is
// nine numbers a colour: spherical harmonics of degree 2 hold the irradiance of any room to a few
// percent (Ramamoorthi & Hanrahan 2001).
#include "render/room.h"

#include "render/studio.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265f

enum { SAMPLES = 24, COPIES = 9 };

// Pictures of the six sides, each side × side × 3.
typedef struct cube {
    int side;
    float *rgb;
} cube;

static vec3 direction_of(int face, float u, float v)
{
    switch (face) {
    case 0:
        return v3(1, -v, -u);
    case 1:
        return v3(-1, -v, u);
    case 2:
        return v3(u, 1, v);
    case 3:
        return v3(u, -1, -v);
    case 4:
        return v3(u, -v, 1);
    default:
        return v3(-u, -v, -1);
    }
}

static int face_of(vec3 d, float *u, float *v)
{
    float x = fabsf(d.x), y = fabsf(d.y), z = fabsf(d.z);
    if (x >= y && x >= z) {
        *u = (d.x > 0 ? -d.z : d.z) / x, *v = -d.y / x;
        return d.x > 0 ? 0 : 1;
    }
    if (y >= z) {
        *u = d.x / y, *v = (d.y > 0 ? d.z : -d.z) / y;
        return d.y > 0 ? 2 : 3;
    }
    *u = (d.z > 0 ? d.x : -d.x) / z, *v = -d.y / z;
    return d.z > 0 ? 4 : 5;
}

static vec3 texel(const cube *c, int face, int i, int j)
{
    const float *p =
        c->rgb + 3 * (((size_t)face * (size_t)c->side + (size_t)j) * (size_t)c->side + (size_t)i);
    return v3(p[0], p[1], p[2]);
}

static vec3 lookup(const cube *c, vec3 d)
{
    float u, v, last = (float)(c->side - 1);
    int face = face_of(d, &u, &v);
    float x = clamp((0.5f * u + 0.5f) * (float)c->side - 0.5f, 0, last);
    float y = clamp((0.5f * v + 0.5f) * (float)c->side - 0.5f, 0, last);
    int i = (int)x, j = (int)y, i1 = i < c->side - 1 ? i + 1 : i, j1 = j < c->side - 1 ? j + 1 : j;
    x -= (float)i, y -= (float)j;
    return mix(mix(texel(c, face, i, j), texel(c, face, i1, j), x),
               mix(texel(c, face, i, j1), texel(c, face, i1, j1), x), y);
}

// ---- Sources -----------------------------------------------------------------------------------

// Rows from the top, columns from +x toward +y.
static vec3 environment_at(const rv_environment *e, vec3 d)
{
    d = unit(d);
    float x = (atan2f(d.y, d.x) / (2 * PI) + 1) * (float)e->width - 0.5f;
    float y = acosf(clamp(d.z, -1, 1)) / PI * (float)e->height - 0.5f;
    float fx = floorf(x), fy = floorf(y);
    vec3 c[4];
    for (int n = 0; n < 4; n++) {
        int i = ((int)fx + (n & 1)) % e->width, j = (int)fy + (n >> 1);
        j = j < 0 ? 0 : j >= e->height ? e->height - 1 : j;
        const float *p = e->rgb + 3 * ((size_t)j * (size_t)e->width + (size_t)i);
        c[n] = v3(p[0], p[1], p[2]);
    }
    vec3 v = mix(mix(c[0], c[1], x - fx), mix(c[2], c[3], x - fx), y - fy);
    // A sun may be thousands of times as bright as the sky; half floats and blurring cannot take
    // all.
    return v3(clamp(v.x, 0, 500), clamp(v.y, 0, 500), clamp(v.z, 0, 500));
}

static void fill(cube *c, const rv_environment *e, rv_studio_kind kind)
{
    float *out = c->rgb;
    for (int face = 0; face < 6; face++)
        for (int j = 0; j < c->side; j++)
            for (int i = 0; i < c->side; i++) {
                float u = 2 * ((float)i + 0.5f) / (float)c->side - 1;
                float v = 2 * ((float)j + 0.5f) / (float)c->side - 1;
                vec3 d = unit(direction_of(face, u, v));
                vec3 light = e ? environment_at(e, d) : rv_studio(kind, d);
                *out++ = light.x, *out++ = light.y, *out++ = light.z;
            }
}

static void halve(const cube *from, cube *to)
{
    float *out = to->rgb;
    for (int face = 0; face < 6; face++)
        for (int j = 0; j < to->side; j++)
            for (int i = 0; i < to->side; i++) {
                vec3 a = add(texel(from, face, 2 * i, 2 * j), texel(from, face, 2 * i + 1, 2 * j));
                vec3 b = add(texel(from, face, 2 * i, 2 * j + 1),
                             texel(from, face, 2 * i + 1, 2 * j + 1));
                vec3 mean = scale(add(a, b), 0.25f);
                *out++ = mean.x, *out++ = mean.y, *out++ = mean.z;
            }
}

// ---- Blurred levels ----------------------------------------------------------------------------

typedef struct ray {
    vec3 way;     // around +z
    float weight; // all add up to 1
    int copy;     // which of the smaller rooms to look into
} ray;

static void spread(ray *rays, float roughness)
{
    float alpha = roughness * roughness, all = 0;
    for (int n = 0; n < SAMPLES; n++) {
        float u = ((float)n + 0.5f) / SAMPLES, turn = 2.39996323f * (float)n;
        float c2 = (1 - u) / (1 + (alpha * alpha - 1) * u), c = sqrtf(c2), s = sqrtf(1 - c2);
        vec3 half = v3(s * cosf(turn), s * sinf(turn), c);
        vec3 way = sub(scale(half, 2 * half.z), v3(0, 0, 1));
        float k = c2 * (alpha * alpha - 1) + 1, density = alpha * alpha / (PI * k * k) * 0.25f;
        float room = 4 * PI / (6.0f * RV_ROOM_SIDE * RV_ROOM_SIDE);
        float copy = 0.5f * log2f(1 / (SAMPLES * density) / room) + 0.7f;
        rays[n] = (ray){way, maxf(way.z, 0), (int)clamp(copy + 0.5f, 0, COPIES - 1)};
        all += rays[n].weight;
    }
    for (int n = 0; n < SAMPLES; n++) rays[n].weight /= all;
}

static vec3 blurred(const cube *copies, const ray *rays, vec3 n)
{
    vec3 side = unit(cross(fabsf(n.z) < 0.9f ? v3(0, 0, 1) : v3(1, 0, 0), n));
    vec3 up = cross(n, side), sum = v3(0, 0, 0);
    for (int k = 0; k < SAMPLES; k++) {
        vec3 w = rays[k].way;
        if (rays[k].weight <= 0) continue;
        vec3 d = add(add(scale(side, w.x), scale(up, w.y)), scale(n, w.z));
        sum = add(sum, scale(lookup(&copies[rays[k].copy], d), rays[k].weight));
    }
    return sum;
}

static void send_level(const cube *copies, int level, float *room)
{
    ray rays[SAMPLES];
    int side = RV_ROOM_SIDE >> level;
    spread(rays, (float)level / (RV_ROOM_LEVELS - 1));
    for (int face = 0; face < 6; face++) {
        float *out = room;
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++) {
                float u = 2 * ((float)i + 0.5f) / (float)side - 1;
                float v = 2 * ((float)j + 0.5f) / (float)side - 1;
                vec3 c = level == 0 ? texel(&copies[0], face, i, j)
                                    : blurred(copies, rays, unit(direction_of(face, u, v)));
                *out++ = c.x, *out++ = c.y, *out++ = c.z, *out++ = 1;
            }
        glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, level, 0, 0, side, side,
                        GL_RGBA, GL_FLOAT, room);
    }
}

static GLuint make_cube(const cube *copies)
{
    GLuint name;
    float *room = malloc((size_t)RV_ROOM_SIDE * RV_ROOM_SIDE * 4 * sizeof *room);
    if (!room) return 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_CUBE_MAP, name);
    glTexStorage2D(GL_TEXTURE_CUBE_MAP, RV_ROOM_LEVELS, GL_RGBA16F, RV_ROOM_SIDE, RV_ROOM_SIDE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    for (int level = 0; level < RV_ROOM_LEVELS; level++) send_level(copies, level, room);
    glBindTexture(GL_TEXTURE_CUBE_MAP, 0);
    free(room);
    return name;
}

// ---- The lamp, and the light of the rest -------------------------------------------------------

static float bright(vec3 c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

// Calls for each texel of a cube: what it shows, its direction and the solid angle that it fills.
typedef void visit(void *user, vec3 light, vec3 d, float angle);

static void each_texel(const cube *c, visit *f, void *user)
{
    for (int face = 0; face < 6; face++)
        for (int j = 0; j < c->side; j++)
            for (int i = 0; i < c->side; i++) {
                float u = 2 * ((float)i + 0.5f) / (float)c->side - 1;
                float v = 2 * ((float)j + 0.5f) / (float)c->side - 1;
                float r2 = 1 + u * u + v * v, cell = 2 / (float)c->side;
                f(user, texel(c, face, i, j), unit(direction_of(face, u, v)),
                  cell * cell / (r2 * sqrtf(r2)));
            }
}

typedef struct lighting {
    vec3 peak_way; // of the brightest part
    float peak, share;
    vec3 sum, way; // of what counts as the lamp
    float angle;
    vec3 sky[9];
} lighting;

static void find_peak(void *user, vec3 light, vec3 d, float angle)
{
    lighting *l = user;
    (void)angle;
    if (bright(light) > l->peak) l->peak = bright(light), l->peak_way = d;
}

// The lamp is what is at least a third as bright as the brightest part and within 35 degrees of it.
static bool of_lamp(const lighting *l, vec3 light, vec3 d)
{
    return dot(d, l->peak_way) > 0.82f && bright(light) > 0.33f * l->peak;
}

static void sum_lamp(void *user, vec3 light, vec3 d, float angle)
{
    lighting *l = user;
    if (!of_lamp(l, light, d)) return;
    l->sum = add(l->sum, scale(light, angle));
    l->way = along(l->way, d, bright(light) * angle);
    l->angle += angle;
}

static void sum_sky(void *user, vec3 light, vec3 d, float angle)
{
    lighting *l = user;
    // In the lamp's place stands what is around it.
    if (of_lamp(l, light, d)) light = scale(light, 0.04f);
    const float band[9] = {0.282095f,
                           0.488603f * d.y,
                           0.488603f * d.z,
                           0.488603f * d.x,
                           1.092548f * d.x * d.y,
                           1.092548f * d.y * d.z,
                           0.315392f * (3 * d.z * d.z - 1),
                           1.092548f * d.x * d.z,
                           0.546274f * (d.x * d.x - d.y * d.y)};
    for (int n = 0; n < 9; n++) l->sky[n] = add(l->sky[n], scale(light, band[n] * angle));
}

static void find_light(rv_room *room, const cube *copies)
{
    // A cosine lobe's share of each band, over pi; and the bands' own factors, so that the shader
    // multiplies by plain products of the normal's parts.
    static const float factor[9] = {0.282095f,         0.488603f * 2 / 3, 0.488603f * 2 / 3,
                                    0.488603f * 2 / 3, 1.092548f / 4,     1.092548f / 4,
                                    0.315392f / 4,     1.092548f / 4,     0.546274f / 4};
    lighting l = {.share = 0};
    each_texel(&copies[4], find_peak, &l);
    each_texel(&copies[2], sum_lamp, &l);
    each_texel(&copies[2], sum_sky, &l);
    room->key = l.angle > 0 ? unit(l.way) : v3(0, 0, 1);
    room->key_light = scale(l.sum, 1 / PI);
    room->key_width = clamp(sqrtf(l.angle / PI), 0.01f, 0.5f);
    room->key_peak = l.peak;
    for (int n = 0; n < 9; n++) room->sky[n] = scale(l.sky[n], factor[n]);
    // White sheets out of the picture brighten the studio's shadows; nothing mirrors them.
    if (room->studio) room->sky[0] = add(room->sky[0], rv_studio_sheets(room->kind));
}

rv_result rv_room_make(rv_room *room, const rv_environment *e, rv_studio_kind kind)
{
    cube copies[COPIES] = {{0}};
    bool good = true;
    for (int n = 0; n < COPIES; n++) {
        int side = RV_ROOM_SIDE >> n;
        copies[n].side = side;
        copies[n].rgb = malloc((size_t)side * (size_t)side * 18 * sizeof(float));
        good = good && copies[n].rgb;
    }
    rv_room fresh = {.studio = !e, .kind = kind};
    if (good) {
        fill(&copies[0], e, kind);
        for (int n = 1; n < COPIES; n++) halve(&copies[n - 1], &copies[n]);
        find_light(&fresh, copies);
        fresh.cube = make_cube(copies);
        good = fresh.cube != 0;
    }
    for (int n = 0; n < COPIES; n++) free(copies[n].rgb);
    if (!good) return RV_OUT_OF_MEMORY;
    rv_room_free(room);
    *room = fresh;
    return RV_OK;
}

void rv_room_free(rv_room *room)
{
    glDeleteTextures(1, &room->cube);
    memset(room, 0, sizeof *room);
}
