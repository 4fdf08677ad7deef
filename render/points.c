// Particles are sent as places and speeds and drawn as squares that face the eye, with a ball on
// each.
#include "render/points.h"

#include "render/grow.h"
#include "render/program.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979

static double part(const float *values, int64_t n, double otherwise)
{
    return values ? (double)values[n] : otherwise;
}

static int cell_of(double at, double low, double dx, int cells)
{
    double c = (at - low) / dx;
    return c <= 0 ? 0 : c >= cells ? cells - 1 : (int)c;
}

static double density_at(const rv_density *d, double x, double y, double z)
{
    size_t i = (size_t)cell_of(x, d->low.x, d->dx, d->nx);
    size_t j = (size_t)cell_of(y, d->low.y, d->dx, d->ny);
    size_t k = (size_t)cell_of(z, d->low.z, d->dx, d->nz);
    return (double)d->value[(k * (size_t)d->ny + j) * (size_t)d->nx + i];
}

static void make_buffers(rv_points *s)
{
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->instances);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glEnableVertexAttribArray(0);
    glVertexAttribDivisor(0, 1);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof *s->point, NULL);
    glBindVertexArray(0);
}

rv_result rv_points_take(rv_points *s, const rv_particles *p, const rv_density *d, double level,
                         const rv_extent *e)
{
    s->count = 0, s->uploaded = 0, s->fastest = 0;
    if (!rv_grow((void **)&s->point, &s->room, (size_t)p->count, sizeof *s->point))
        return RV_OUT_OF_MEMORY;
    for (int64_t n = 0; n < p->count; n++) {
        double x = part(p->x, n, p->at.x), y = part(p->y, n, p->at.y), z = part(p->z, n, p->at.z);
        if (d && density_at(d, x, y, z) >= level) continue;
        double u = part(p->u, n, 0), v = part(p->v, n, 0), w = part(p->w, n, 0);
        vec3 at = rv_extent_cells(e, x, y, z);
        float *out = s->point[s->count++], speed = (float)(sqrt(u * u + v * v + w * w) / e->dx);
        out[0] = at.x, out[1] = at.y, out[2] = at.z, out[3] = speed;
        out[4] = (float)(u / e->dx), out[5] = (float)(v / e->dx), out[6] = (float)(w / e->dx);
        out[7] = (float)part(p->air, n, 0);
        s->fastest = maxf(s->fastest, speed);
    }
    // As much liquid as they stand for: a ball, in a plane a disk that is a cell thick.
    double each = p->each / (e->dx * e->dx * e->dx);
    s->radius = (float)(p->y ? cbrt(0.75 * each / PI) : sqrt(each / PI));
    return RV_OK;
}

rv_result rv_points_send(rv_points *s)
{
    if (s->count == 0) return RV_OK;
    if (!s->array) make_buffers(s);
    s->uploaded = (size_t)s->count * sizeof *s->point;
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)s->uploaded, s->point, GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

static bool made(GLuint *program, const char *defines, rv_messages *messages)
{
    if (*program) return true;
    *program = rv_program_make("point_vertex", "point_pixel", defines, NULL, messages);
    return *program != 0;
}

bool rv_points_prepare(rv_points *s, rv_messages *messages)
{
    return made(&s->speeds, NULL, messages) && made(&s->drops, "#define LIQUID 1\n", messages);
}

void rv_points_draw(const rv_points *s, GLuint program)
{
    if (s->count == 0) return;
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "radius"), s->radius);
    glBindVertexArray(s->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, s->count);
    glBindVertexArray(0);
}

void rv_points_free(rv_points *s)
{
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->instances);
    glDeleteProgram(s->speeds);
    glDeleteProgram(s->drops);
    free(s->point);
    memset(s, 0, sizeof *s);
}
