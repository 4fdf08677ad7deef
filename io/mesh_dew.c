// A drop of contact angle θ is the part of a ball over its foot: rings of vertices from the foot up
// to its top, closed by a fan below and one above.
#include "io/mesh_dew.h"

#include "rivulet/liquid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RINGS 5
#define AROUND 16
#define VERTICES (RINGS * AROUND + 2)
#define TRIANGLES (2 * RINGS * AROUND)
#define PI 3.14159265358979323846

typedef struct frame {
    rv_vec3 across, along, up;
} frame;

static frame frame_of(rv_vec3 up)
{
    rv_vec3 a = fabs(up.z) < 0.7 ? (rv_vec3){-up.y, up.x, 0} : (rv_vec3){0, -up.z, up.y};
    double size = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    if (!(size > 0)) return (frame){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    a = (rv_vec3){a.x / size, a.y / size, a.z / size};
    rv_vec3 b = {up.y * a.z - up.z * a.y, up.z * a.x - up.x * a.z, up.x * a.y - up.y * a.x};
    return (frame){a, b, up};
}

static void put(float *to, const frame *f, double x, double y, double z, rv_vec3 from)
{
    to[0] = (float)(from.x + x * f->across.x + y * f->along.x + z * f->up.x);
    to[1] = (float)(from.y + x * f->across.y + y * f->along.y + z * f->up.y);
    to[2] = (float)(from.z + x * f->across.z + y * f->along.z + z * f->up.z);
}

// Vertex n of a drop: r from its axis and z over its foot, with the normal's share of both.
static void put_vertex(rv_dew_export *own, size_t n, const rv_dew_cap *c, const frame *f,
                       const double at[2], const double normal[2], double turn)
{
    const rv_vec3 nowhere = {0, 0, 0};
    double x = cos(turn), y = sin(turn);
    put(own->positions + 3 * n, f, at[0] * x, at[0] * y, at[1], c->at);
    put(own->normals + 3 * n, f, normal[0] * x, normal[0] * y, normal[1], nowhere);
    own->opacity[n] = 1, own->depth[n] = (float)fmax(at[1], 0);
    float *v = own->velocity + 3 * n;
    v[0] = (float)c->velocity.x, v[1] = (float)c->velocity.y, v[2] = (float)c->velocity.z;
}

static void put_drop(rv_dew_export *own, size_t first, const rv_dew_cap *c)
{
    frame f = frame_of(c->normal);
    double high = c->falls ? c->radius : fmax(c->height, 1e-3 * c->radius);
    double ball = c->falls ? c->radius : (c->radius * c->radius + high * high) / (2 * high);
    double angle = c->falls ? PI : 2 * atan2(high, c->radius);
    for (int i = 0; i < RINGS; i++) {
        // a ball's lowest ring is not its pole
        double share = c->falls ? 1 - (i + 1.0) / (RINGS + 1) : 1 - i / (double)RINGS;
        double s = sin(angle * share), k = cos(angle * share);
        double at[2] = {ball * s, ball * k + high - ball}, normal[2] = {s, k};
        if (c->falls) at[1] = ball * k;
        for (int n = 0; n < AROUND; n++)
            put_vertex(own, first + (size_t)(i * AROUND + n), c, &f, at, normal,
                       2 * PI * n / AROUND);
    }
    double low[2] = {0, c->falls ? -ball : 0}, top[2] = {0, high};
    put_vertex(own, first + VERTICES - 2, c, &f, low, (double[2]){0, -1}, 0);
    put_vertex(own, first + VERTICES - 1, c, &f, top, (double[2]){0, 1}, 0);
}

static uint32_t *put_triangle(uint32_t *to, size_t a, size_t b, size_t c)
{
    to[0] = (uint32_t)a, to[1] = (uint32_t)b, to[2] = (uint32_t)c;
    return to + 3;
}

static void put_triangles(uint32_t *to, size_t first)
{
    size_t low = first + VERTICES - 2, top = first + VERTICES - 1;
    for (size_t n = 0; n < AROUND; n++) {
        size_t next = (n + 1) % AROUND, last = first + (RINGS - 1) * AROUND;
        to = put_triangle(to, low, first + next, first + n);
        for (size_t i = 0; i + 1 < RINGS; i++) {
            size_t ring = first + i * AROUND, above = ring + AROUND;
            to = put_triangle(to, ring + n, ring + next, above + next);
            to = put_triangle(to, ring + n, above + next, above + n);
        }
        to = put_triangle(to, last + n, last + next, top);
    }
}

// The liquid's own arrays come first.
static bool take(const rv_mesh_export *m, size_t vertices, size_t triangles, rv_dew_export *own)
{
    own->positions = malloc(vertices * 3 * sizeof(float));
    own->normals = malloc(vertices * 3 * sizeof(float));
    own->velocity = malloc(vertices * 3 * sizeof(float));
    own->opacity = malloc(vertices * sizeof(float));
    own->depth = malloc(vertices * sizeof(float));
    own->indices = malloc(triangles * 3 * sizeof(uint32_t));
    if (!own->positions || !own->normals || !own->velocity || !own->opacity || !own->depth ||
        !own->indices)
        return false;
    if (m->vertex_count == 0) return true;
    memcpy(own->positions, m->positions, m->vertex_count * 3 * sizeof(float));
    memcpy(own->normals, m->normals, m->vertex_count * 3 * sizeof(float));
    memcpy(own->opacity, m->attributes[0].values, m->vertex_count * sizeof(float));
    memcpy(own->depth, m->attributes[1].values, m->vertex_count * sizeof(float));
    memcpy(own->velocity, m->attributes[2].values, m->vertex_count * 3 * sizeof(float));
    memcpy(own->indices, m->indices, m->triangle_count * 3 * sizeof(uint32_t));
    return true;
}

bool rv_export_add_dew(rv_mesh_export *mesh, const rv_world *world, rv_dew_export *own)
{
    *own = (rv_dew_export){0};
    int count = rv_world_get_dew(world, NULL, 0);
    if (count <= 0) return true;
    size_t vertices = mesh->vertex_count + (size_t)count * VERTICES;
    size_t triangles = mesh->triangle_count + (size_t)count * TRIANGLES;
    rv_dew_cap *caps = malloc((size_t)count * sizeof *caps);
    if (!caps || vertices > UINT32_MAX || !take(mesh, vertices, triangles, own)) {
        free(caps);
        return false;
    }
    rv_world_get_dew(world, caps, count);
    for (int n = 0; n < count; n++) {
        size_t first = mesh->vertex_count + (size_t)n * VERTICES;
        put_drop(own, first, &caps[n]);
        put_triangles(own->indices + 3 * (mesh->triangle_count + (size_t)n * TRIANGLES), first);
    }
    free(caps);
    mesh->vertex_count = vertices, mesh->triangle_count = triangles;
    mesh->positions = own->positions, mesh->normals = own->normals, mesh->indices = own->indices;
    mesh->opacity = mesh->attributes[0].values = own->opacity;
    mesh->attributes[1].values = own->depth, mesh->attributes[2].values = own->velocity;
    return true;
}

bool rv_export_all_liquid(const rv_surface_mesh *surface, const rv_world *world,
                          rv_mesh_export *out, rv_dew_export *own)
{
    rv_stats stats = {0};
    const rv_liquid_info *liquid = rv_liquid_get(rv_world_params(world)->liquid_look);
    *out = rv_export_liquid(surface);
    for (int c = 0; c < 3; c++) out->color[c] = (float)rv_liquid_back(liquid, c);
    rv_world_get_counters(world, &stats);
    out->time = stats.time;
    return rv_export_add_dew(out, world, own);
}

void rv_dew_export_free(rv_dew_export *own)
{
    free(own->positions), free(own->normals), free(own->opacity);
    free(own->depth), free(own->velocity), free(own->indices);
    *own = (rv_dew_export){0};
}
