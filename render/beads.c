// Beads and threads are sent as a few numbers each, and drawn on rectangles around them in which
// every pixel finds the round thing itself: they have no corners however near the eye is.
#include "render/beads.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define OVER 1.0f    // of its half width, that a bead reaches up the side of the edge
#define RUNS_UP 1.1f // of its half width there, that a thread does
#define WIDER 1.3f   // times a thread's radius, that it has at least where it leaves the edge

static bool make_room(void **array, int *room, int count, size_t size)
{
    if (count <= *room) return true;
    int more = count + count / 2 + 64;
    void *fresh = realloc(*array, (size_t)more * size);
    if (!fresh) return false;
    *array = fresh, *room = more;
    return true;
}

static void make_buffers(rv_beads *s)
{
    const GLsizei size = sizeof(rv_bead_piece);
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->instances);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    for (GLuint n = 0; n < 2; n++) {
        glEnableVertexAttribArray(n);
        glVertexAttribDivisor(n, 1);
    }
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, size, NULL);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, size,
                          (const char *)NULL + offsetof(rv_bead_piece, down));
    glBindVertexArray(0);
}

static void add_bead(rv_beads *s, const rv_bead *b, const rv_extent *e)
{
    vec3 at = rv_extent_cells(e, b->at.x, b->at.y, b->at.z);
    float a_cell = (float)(1 / e->dx), radius = (float)b->radius * a_cell;
    bool thread = b->thread > 0 && b->head > 0 && b->at.z > b->foot;
    rv_bead_piece *piece = &s->piece[s->count++];
    *piece = (rv_bead_piece){.at = {at.x, at.y, at.z},
                             .radius = radius,
                             .down = (float)b->height * a_cell,
                             .up = OVER * radius};
    if (!thread) return;
    piece->radius = (float)b->thread * a_cell;
    piece->wide = fmaxf(radius, WIDER * piece->radius);
    piece->up = RUNS_UP * piece->wide;
    piece->down = (float)(b->at.z - b->foot) * a_cell;
    piece->head = (float)b->head * a_cell;
}

rv_result rv_beads_update(rv_beads *s, const rv_world *world, const rv_extent *e)
{
    int count = rv_world_get_beads(world, NULL, 0);
    s->count = 0, s->uploaded = 0;
    if (count == 0) return RV_OK;
    if (!make_room((void **)&s->bead, &s->bead_room, count, sizeof *s->bead) ||
        !make_room((void **)&s->piece, &s->piece_room, count, sizeof *s->piece))
        return RV_OUT_OF_MEMORY;
    rv_world_get_beads(world, s->bead, count);
    for (int n = 0; n < count; n++) add_bead(s, &s->bead[n], e);
    if (!s->array) make_buffers(s);
    s->uploaded = (size_t)s->count * sizeof *s->piece;
    glBindBuffer(GL_ARRAY_BUFFER, s->instances);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)s->uploaded, s->piece, GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_beads_free(rv_beads *s)
{
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->instances);
    free(s->piece);
    free(s->bead);
    memset(s, 0, sizeof *s);
}

void rv_beads_draw(const rv_beads *s)
{
    if (s->count == 0) return;
    glBindVertexArray(s->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, s->count);
    glBindVertexArray(0);
}
