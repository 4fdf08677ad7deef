// Turns tiles of the terrain's mesh into what the card wants: places in cells, normals of 16 bits,
// material and openness of 8.
//
// The mesh is a closed block that stands half a cell over the grid's sides. Pictures cut it there:
// what is outside is pushed onto the side, and the bottom to the floor that the block stands on.
#include "render/tiles.h"

#include "render/grow.h"
#include "render/sheet.h"

#include <stdlib.h>
#include <string.h>

#define CREASE 0.02f // weight of the mean normal and of the material on an edge of a solid
#define LINE 0.08f   // height of a triangle over its longest edge that is no more than a line
#define BEND 0.8f    // cosine between triangle and normal where two materials meet in an edge

// ---- Vertices ----------------------------------------------------------------------------------

static vec3 place_of(const rv_mesh *mesh, const rv_extent *e, size_t n)
{
    const float *p = mesh->positions + 3 * n;
    return rv_extent_cells(e, (double)p[0], (double)p[1], (double)p[2]);
}

static vec3 cut(const rv_extent *e, vec3 p)
{
    p.x = clamp(p.x, 0, e->wide), p.y = clamp(p.y, 0, e->deep);
    p.z = p.z < -1e-3f ? e->floor : maxf(p.z, e->floor);
    return p;
}

static bool outside(const rv_extent *e, vec3 p)
{
    return p.x < 0 || p.x > e->wide || p.y < 0 || p.y > e->deep;
}

// Along the rim of the block the mesh has normals that look out of its side. The ground beside it
// needs its own: the sum over the triangles that are not part of the side. First the old normals
// are taken away, then the sums are made.
static void mend_rim(float *normal, const rv_mesh *mesh, const rv_extent *e, bool add_up)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->indices + 3 * t;
        vec3 p[3];
        int out = 0;
        for (int k = 0; k < 3; k++) p[k] = place_of(mesh, e, corner[k]), out += outside(e, p[k]);
        if (out == 0 || out == 3) continue;
        vec3 area = cross(sub(p[1], p[0]), sub(p[2], p[0]));
        for (int k = 0; k < 3; k++) {
            float *to = normal + 3 * (size_t)corner[k];
            if (!outside(e, p[k])) continue;
            if (!add_up) to[0] = to[1] = to[2] = 0;
            if (add_up) to[0] += area.x, to[1] += area.y, to[2] += area.z;
        }
    }
}

static int16_t to_short(float v)
{
    return (int16_t)lrintf(clamp(v, -1, 1) * 32767);
}

// Which way a triangle faces; 0: it is hardly more than a line, which does not tell.
static vec3 face_of(const rv_tile_vertex *v, const uint32_t corner[3])
{
    const float *a = v[corner[0]].at, *b = v[corner[1]].at, *c = v[corner[2]].at;
    vec3 ab = v3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    vec3 ac = v3(c[0] - a[0], c[1] - a[1], c[2] - a[2]), bc = sub(ac, ab), face = cross(ab, ac);
    float longest = maxf(maxf(dot(ab, ab), dot(ac, ac)), dot(bc, bc));
    return dot(face, face) > LINE * LINE * longest * longest ? unit(face) : v3(0, 0, 0);
}

static bool parts(const rv_tile_vertex *vertex, const rv_mesh *mesh, uint32_t a, uint32_t b)
{
    int m = mesh->materials[a], n = mesh->materials[b];
    return m != n && m < RV_MATERIALS && n < RV_MATERIALS && vertex[a].share[m] == 255 &&
           vertex[b].share[n] == 255;
}

// Where a thing stands on ground of another material the mesh does not know every vertex of the
// foot as one of an edge: ground that lies right in a plane of samples has none of its own to find.
// Such a vertex would paint half a triangle of ground on the thing, or of the thing on the ground:
// teeth. It counts as little as one that is known.
static void mend_feet(rv_tile_vertex *vertex, const float *normal, const rv_mesh *mesh)
{
    enum { MIXED = 1, BENT = 2 };
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->indices + 3 * t;
        bool mixed = false; // of vertices that count in full: one on an edge may be of either side
        for (int k = 0; k < 3; k++) mixed |= parts(vertex, mesh, corner[k], corner[(k + 1) % 3]);
        vec3 face = face_of(vertex, corner);
        if (!(dot(face, face) > 0.5f)) continue;
        for (int k = 0; k < 3; k++) {
            const float *n = normal + 3 * (size_t)corner[k];
            rv_tile_vertex *v = &vertex[corner[k]];
            if (mixed) v->spare |= MIXED;
            if (dot(unit(v3(n[0], n[1], n[2])), face) < BEND) v->spare |= BENT;
        }
    }
    for (rv_tile_vertex *v = vertex, *end = v + mesh->vertex_count; v < end; v++) {
        int material = mesh->materials[v - vertex] < RV_MATERIALS ? mesh->materials[v - vertex] : 0;
        if (v->spare == (MIXED | BENT) && v->share[material] == 255) {
            for (int d = 0; d < 3; d++) v->normal[d] = (int16_t)lrintf(CREASE * v->normal[d]);
            v->share[material] = (uint8_t)(CREASE * 255);
        }
        v->spare = 0;
    }
}

static bool make_vertices(rv_tiles *s, const rv_mesh *mesh, const rv_extent *e,
                          const rv_openness *openness, rv_tile *tile)
{
    size_t count = mesh->vertex_count;
    if (!rv_grow((void **)&s->vertex, &s->vertex_room, count, sizeof *s->vertex) ||
        !rv_grow((void **)&s->normal, &s->normal_room, count, 3 * sizeof *s->normal))
        return false;
    if (count > 0) memcpy(s->normal, mesh->normals, 3 * count * sizeof *s->normal);
    mend_rim(s->normal, mesh, e, false);
    mend_rim(s->normal, mesh, e, true);
    tile->materials = 0;
    tile->low = v3(INFINITY, INFINITY, INFINITY), tile->high = scale(tile->low, -1);
    for (size_t n = 0; n < count; n++) {
        rv_tile_vertex *v = &s->vertex[n];
        vec3 p = cut(e, place_of(mesh, e, n));
        vec3 d = unit(v3(s->normal[3 * n], s->normal[3 * n + 1], s->normal[3 * n + 2]));
        tile->low = v3(minf(tile->low.x, p.x), minf(tile->low.y, p.y), minf(tile->low.z, p.z));
        tile->high = v3(maxf(tile->high.x, p.x), maxf(tile->high.y, p.y), maxf(tile->high.z, p.z));
        // on an edge the triangles' other corners say how each side looks
        bool crease = mesh->creases && mesh->creases[n];
        vec3 w = crease ? scale(d, CREASE) : d;
        *v = (rv_tile_vertex){.at = {p.x, p.y, p.z},
                              .normal = {to_short(w.x), to_short(w.y), to_short(w.z), 0}};
        int material = mesh->materials[n] < RV_MATERIALS ? mesh->materials[n] : 0;
        v->share[material] = crease ? (uint8_t)(CREASE * 255) : 255;
        tile->materials |= 1u << material;
        v->open = (uint8_t)lrintf(255 * rv_openness_at(openness, p, d));
    }
    if (tile->materials & (tile->materials - 1)) mend_feet(s->vertex, s->normal, mesh);
    return true;
}

// ---- Buffers -----------------------------------------------------------------------------------

static void point_at_place(void)
{
    const GLsizei stride = sizeof(rv_tile_vertex);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, (void *)offsetof(rv_tile_vertex, at));
    glVertexAttribPointer(1, 3, GL_SHORT, GL_TRUE, stride,
                          (void *)offsetof(rv_tile_vertex, normal));
}

static void make_buffers(rv_tile *tile)
{
    const GLsizei stride = sizeof(rv_tile_vertex);
    glGenVertexArrays(1, &tile->array);
    glGenVertexArrays(1, &tile->bare);
    glGenBuffers(1, &tile->vertices);
    glGenBuffers(1, &tile->indices);
    glGenBuffers(1, &tile->lamp);
    glBindVertexArray(tile->bare);
    glBindBuffer(GL_ARRAY_BUFFER, tile->vertices);
    point_at_place();
    glBindVertexArray(tile->array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, tile->indices);
    point_at_place();
    for (GLuint n = 2; n < 5; n++) glEnableVertexAttribArray(n);
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (void *)offsetof(rv_tile_vertex, share));
    glVertexAttribPointer(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (void *)(offsetof(rv_tile_vertex, share) + 4));
    glBindBuffer(GL_ARRAY_BUFFER, tile->lamp);
    glVertexAttribPointer(4, 1, GL_FLOAT, GL_FALSE, 0, NULL);
}

static rv_result send(rv_tiles *s, const rv_mesh *mesh, const rv_extent *e,
                      const rv_openness *openness, rv_tile *tile)
{
    if (!make_vertices(s, mesh, e, openness, tile)) return RV_OUT_OF_MEMORY;
    if (!tile->array) make_buffers(tile);
    size_t vertex_bytes = mesh->vertex_count * sizeof *s->vertex;
    size_t index_bytes = mesh->triangle_count * 3 * sizeof *mesh->indices;
    glBindVertexArray(tile->array);
    glBindBuffer(GL_ARRAY_BUFFER, tile->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)vertex_bytes, s->vertex, GL_STATIC_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)index_bytes, mesh->indices, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, tile->lamp);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh->vertex_count * sizeof(float)), NULL,
                 GL_DYNAMIC_COPY);
    glBindVertexArray(0);
    tile->points = (GLsizei)mesh->vertex_count;
    glDeleteBuffers(1, &tile->edges);
    tile->edges = 0;
    s->triangles += (int64_t)mesh->triangle_count - tile->count / 3;
    tile->count = (GLsizei)(3 * mesh->triangle_count);
    s->uploaded += vertex_bytes + index_bytes, s->tiles++;
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

rv_result rv_tiles_update(rv_tiles *s, const rv_world *world, const rv_extent *e,
                          const rv_openness *openness, rv_tile_range range, rv_messages *messages)
{
    int across, along;
    s->uploaded = 0, s->tiles = 0;
    rv_result result = rv_world_get_terrain_tiles(world, &across, &along);
    if (result != RV_OK) return result;
    if (across != s->across || along != s->along) {
        rv_tiles_free(s);
        s->tile = calloc((size_t)across * (size_t)along, sizeof *s->tile);
        if (!s->tile) return RV_OUT_OF_MEMORY;
        s->across = across, s->along = along;
        range = (rv_tile_range){0, 0, across, along};
    }
    for (int j = range.j0; j < range.j1; j++) {
        for (int i = range.i0; i < range.i1; i++) {
            rv_mesh mesh;
            result = rv_world_terrain_tile_fine(world, i, j, &mesh, messages);
            if (result == RV_OK) result = send(s, &mesh, e, openness, &s->tile[j * across + i]);
            rv_mesh_free(&mesh);
            if (result != RV_OK) return result;
        }
    }
    s->mixes = 0;
    for (int n = 0; n < across * along; n++) s->mixes |= (uint64_t)1 << s->tile[n].materials;
    return RV_OK;
}

void rv_tiles_free(rv_tiles *s)
{
    for (int n = 0; s->tile && n < s->across * s->along; n++) {
        glDeleteVertexArrays(1, &s->tile[n].array);
        glDeleteVertexArrays(1, &s->tile[n].bare);
        glDeleteVertexArrays(1, &s->tile[n].wire);
        glDeleteBuffers(1, &s->tile[n].edges);
        glDeleteBuffers(1, &s->tile[n].lamp);
        glDeleteBuffers(1, &s->tile[n].vertices);
        glDeleteBuffers(1, &s->tile[n].indices);
    }
    free(s->tile);
    free(s->vertex);
    free(s->normal);
    memset(s, 0, sizeof *s);
}

// ---- Drawing -----------------------------------------------------------------------------------

void rv_tiles_draw(const rv_tiles *s, const rv_eye *eye, unsigned materials)
{
    for (int n = 0; n < s->across * s->along; n++) {
        const rv_tile *t = &s->tile[n];
        if (materials && t->materials != materials) continue;
        if (t->count == 0 || (eye && rv_eye_hides(eye, t->low, t->high))) continue;
        glBindVertexArray(t->array);
        glDrawElements(GL_TRIANGLES, t->count, GL_UNSIGNED_INT, NULL);
    }
    glBindVertexArray(0);
}

// Three lines a triangle, from the triangles that the card has.
static void make_edges(rv_tile *t)
{
    GLsizeiptr bytes = (GLsizeiptr)t->count * (GLsizeiptr)sizeof(uint32_t);
    uint32_t *edges = malloc(2 * (size_t)bytes);
    glBindVertexArray(0);
    glBindBuffer(GL_COPY_READ_BUFFER, t->indices);
    const uint32_t *corner =
        edges ? glMapBufferRange(GL_COPY_READ_BUFFER, 0, bytes, GL_MAP_READ_BIT) : NULL;
    for (GLsizei n = 0; corner && n < t->count; n++) {
        edges[2 * n] = corner[n];
        edges[2 * n + 1] = corner[n % 3 == 2 ? n - 2 : n + 1];
    }
    if (corner) {
        glUnmapBuffer(GL_COPY_READ_BUFFER);
        if (!t->wire) glGenVertexArrays(1, &t->wire);
        glGenBuffers(1, &t->edges);
        glBindVertexArray(t->wire);
        glBindBuffer(GL_ARRAY_BUFFER, t->vertices);
        point_at_place();
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, t->edges);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, 2 * bytes, edges, GL_STATIC_DRAW);
    }
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    free(edges);
}

void rv_tiles_draw_wire(rv_tiles *s, const rv_eye *eye)
{
    glVertexAttrib4f(RV_AT_GRID, 0, 0, 0, 1); // tiles are in cells
    for (int n = 0; n < s->across * s->along; n++) {
        rv_tile *t = &s->tile[n];
        if (t->count == 0 || (eye && rv_eye_hides(eye, t->low, t->high))) continue;
        if (!t->edges) make_edges(t);
        if (!t->edges) continue;
        glBindVertexArray(t->wire);
        glDrawElements(GL_LINES, 2 * t->count, GL_UNSIGNED_INT, NULL);
    }
    glBindVertexArray(0);
}

void rv_tiles_light(const rv_tiles *s, GLuint program)
{
    glUseProgram(program);
    glBindBuffer(GL_ARRAY_BUFFER, 0); // WebGL writes to no buffer that is bound elsewhere too
    glEnable(GL_RASTERIZER_DISCARD);
    for (int n = 0; n < s->across * s->along; n++) {
        const rv_tile *t = &s->tile[n];
        if (t->points == 0) continue;
        glBindVertexArray(t->bare);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, t->lamp);
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, t->points);
        glEndTransformFeedback();
    }
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    glDisable(GL_RASTERIZER_DISCARD);
    glBindVertexArray(0);
}
