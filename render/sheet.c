// Makes one stream of vertices from the liquid's surface: the sheet itself, copies of it where it
// hangs as a curtain (which know how far they have fallen), and what closes it at the sides of the
// grid.
#include "render/sheet.h"

#include "render/grow.h"

#include <stdlib.h>
#include <string.h>

// Kinds of faces; the rest of the number is how rough it is.
enum { ROUGH = 8191, CURTAIN = 8192, CUT = 16384 };

// Cells; vertices of the mesh lie at least ten times as far from each other.
static const float SAME = 2e-3f;

static int16_t to_short(float v)
{
    return (int16_t)lrintf(clamp(v, -1, 1) * 32767);
}

static void set_normal(rv_sheet_vertex *v, vec3 n)
{
    n = unit(n);
    v->normal[0] = to_short(n.x), v->normal[1] = to_short(n.y), v->normal[2] = to_short(n.z);
}

// ---- The surface -------------------------------------------------------------------------------

static void take_vertices(rv_sheet *s, const rv_surface_mesh *mesh, const rv_extent *e)
{
    float per = (float)(1 / e->dx);
    s->deepest = s->fastest = 0;
    s->low = v3(INFINITY, INFINITY, INFINITY), s->high = scale(s->low, -1);
    for (size_t n = 0; n < mesh->vertex_count; n++) {
        rv_sheet_vertex *v = &s->vertex[n];
        const float *p = mesh->positions + 3 * n, *u = mesh->velocity + 3 * n;
        vec3 at = rv_extent_cells(e, (double)p[0], (double)p[1], (double)p[2]);
        *v = (rv_sheet_vertex){.at = {at.x, at.y, at.z},
                               .depth = mesh->depth[n] * per,
                               .speed = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * per,
                               .contact = {1e9f, 0, 0, 0}};
        if (mesh->contact) {
            memcpy(v->contact, mesh->contact + 4 * n, sizeof v->contact);
            v->contact[0] *= per;
        }
        s->low = v3(minf(s->low.x, at.x), minf(s->low.y, at.y), minf(s->low.z, at.z));
        s->high = v3(maxf(s->high.x, at.x), maxf(s->high.y, at.y), maxf(s->high.z, at.z));
        s->deepest = maxf(s->deepest, v->depth), s->fastest = maxf(s->fastest, v->speed);
    }
    s->vertex_count = mesh->vertex_count;
}

// Where the sheet ends at a steep solid, it is carried on into it, so that what is seen is where
// the two meet, and not the corners of its end. On a slope of 30 degrees or more this end is out of
// sight.
static void sink_ends(rv_sheet *s, const rv_surface_mesh *mesh, float angle)
{
    for (size_t n = 0; n < mesh->vertex_count; n++) {
        rv_sheet_vertex *v = &s->vertex[n];
        const float *c = v->contact;
        float far = 0.6f * smooth(0.45f, 0.75f, c[3] + angle);
        if (mesh->depth[n] > 0 || far <= 0) continue;
        v->at[0] += far * c[1], v->at[1] += far * c[2];
    }
}

static bool above(const rv_sheet_vertex *a, const rv_sheet_vertex *b)
{
    return fabsf(a->at[0] - b->at[0]) < SAME && fabsf(a->at[1] - b->at[1]) < SAME;
}

// Whether a triangle hangs: one of its edges goes straight down.
static bool hangs(const rv_sheet *s, const uint32_t *corner)
{
    const rv_sheet_vertex *a = &s->vertex[corner[0]], *b = &s->vertex[corner[1]];
    const rv_sheet_vertex *c = &s->vertex[corner[2]];
    return above(a, b) || above(b, c) || above(c, a);
}

static vec3 normal_of(const rv_surface_mesh *mesh, uint32_t vertex)
{
    const float *n = mesh->normals + 3 * (size_t)vertex;
    return v3(n[0], n[1], n[2]);
}

// A mean of the normals around each vertex, half of it its own. Waves of two cells, the shortest
// that the columns can hold, would make the surface sparkle: where a normal differs from those
// around it, which it does in such waves and not where the surface is bent evenly, the mean
// counts more, and what is left makes the surface rough. Gives the share of vertices of that kind.
// `least`: what the mean counts everywhere.
static float smooth_normals(rv_sheet *s, size_t count, float least)
{
    size_t rough = 0;
    memset(s->sum, 0, count * sizeof *s->sum);
    for (size_t n = 0; n < s->index_count; n += 3) {
        const uint32_t *corner = s->index + n;
        vec3 a = s->normal[corner[0]], b = s->normal[corner[1]], c = s->normal[corner[2]];
        s->sum[corner[0]] = add(s->sum[corner[0]], add(b, c));
        s->sum[corner[1]] = add(s->sum[corner[1]], add(a, c));
        s->sum[corner[2]] = add(s->sum[corner[2]], add(a, b));
    }
    for (size_t n = 0; n < count; n++) {
        vec3 own = s->normal[n], sum = s->sum[n];
        vec3 mean = dot(sum, sum) > 0 ? unit(sum) : own, off = sub(own, mean);
        float differs = sqrtf(dot(off, off));
        s->normal[n] = unit(mix(own, mean, mixf(least, 0.95f, smooth(0.04f, 0.2f, differs))));
        int16_t kind = (int16_t)(ROUGH * 0.6f * smooth(0.03f, 0.35f, differs));
        if (kind > s->vertex[n].kind) s->vertex[n].kind = kind;
        rough += differs > 0.15f;
    }
    return (float)rough / (float)count;
}

// Once, and where some of the surface is choppy, as in a vessel that is moved, there a few times
// more.
static void take_normals(rv_sheet *s, const rv_surface_mesh *mesh)
{
    for (uint32_t n = 0; n < mesh->vertex_count; n++) s->normal[n] = normal_of(mesh, n);
    for (int n = 0; n < 4; n++)
        if (smooth_normals(s, mesh->vertex_count, n == 0 ? 0.5f : 0) < 0.004f) break;
    for (size_t n = 0; n < mesh->vertex_count; n++) set_normal(&s->vertex[n], s->normal[n]);
}

// ---- Curtains ----------------------------------------------------------------------------------

// The end of a curtain's edge that is straight above or below a corner, or the corner itself.
static uint32_t partner(const rv_sheet *s, const uint32_t *corner, int k)
{
    for (int m = 1; m < 3; m++)
        if (above(&s->vertex[corner[k]], &s->vertex[corner[(k + m) % 3]]))
            return corner[(k + m) % 3];
    return corner[k];
}

// The height of a triangle's lip, or of its foot: the ends of its edge that goes straight down.
static float end_of(const rv_sheet *s, const uint32_t *corner, bool lip)
{
    float z = lip ? -INFINITY : INFINITY;
    for (int k = 0; k < 3; k++) {
        float own = s->vertex[corner[k]].at[2];
        if (partner(s, corner, k) != corner[k]) z = lip ? maxf(z, own) : minf(z, own);
    }
    return z;
}

// Curtains look outward. They hang from the middles of cells, now along x and now along y: the mean
// over those that meet at a lip, and over their neighbours, takes the steps out. Normals of
// curtains are in `sum` then.
static void face_curtains(rv_sheet *s, const rv_surface_mesh *mesh)
{
    memset(s->sum, 0, mesh->vertex_count * sizeof *s->sum);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t n = 0; n < s->hung_count; n++) {
            const uint32_t *corner = mesh->indices + s->hung[n];
            vec3 p[3];
            for (int k = 0; k < 3; k++) {
                const float *at = s->vertex[corner[k]].at;
                p[k] = v3(at[0], at[1], at[2]);
            }
            vec3 facing = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
            vec3 all = add(add(s->sum[corner[0]], s->sum[corner[1]]), s->sum[corner[2]]);
            if (pass == 1) facing = unit(all);
            for (int k = 0; k < 3; k++) s->sum[corner[k]] = add(s->sum[corner[k]], facing);
        }
    }
}

// Of a curtain between two lips each triangle has one edge that goes straight down, and a third
// corner that is the other lip, or the other foot, whose lip is not in this triangle.
static void add_curtain(rv_sheet *s, const uint32_t *corner)
{
    float top = end_of(s, corner, true), bottom = end_of(s, corner, false);
    uint32_t lip = corner[0];
    for (int k = 0; k < 3; k++)
        if (s->vertex[corner[k]].at[2] == top) lip = corner[k];
    for (int k = 0; k < 3; k++) {
        rv_sheet_vertex v = s->vertex[corner[k]];
        bool foot = fabsf(v.at[2] - bottom) < fabsf(v.at[2] - top);
        v.kind = CURTAIN;
        v.drop = foot ? maxf(top - v.at[2], 0) : 0;
        if (foot) v.depth = s->vertex[lip].depth, v.speed = s->vertex[lip].speed;
        v.contact[0] = 1e9f, v.contact[3] = 0;
        set_normal(&v, s->sum[corner[k]]);
        s->vertex[s->vertex_count] = v;
        s->index[s->index_count++] = (uint32_t)s->vertex_count++;
    }
    s->curtains++;
}

// ---- Sides -------------------------------------------------------------------------------------

static void add_sides(rv_sheet *s, const rv_surface_mesh *mesh, const rv_extent *e)
{
    // Numbers of the sides' vertices begin after the mesh's; here the curtains stand between.
    uint32_t first = (uint32_t)mesh->vertex_count, shift = (uint32_t)s->vertex_count - first;
    for (size_t n = 0; n < s->sides.vertex_count; n++) {
        const rv_side_vertex *from = &s->sides.vertices[n];
        rv_sheet_vertex v = s->vertex[from->like];
        vec3 at = rv_extent_cells(e, (double)from->position[0], (double)from->position[1],
                                  (double)from->position[2]);
        v.at[0] = at.x, v.at[1] = at.y, v.at[2] = at.z;
        if (from->face) {
            v.kind = CUT;
            set_normal(&v, v3(from->normal[0], from->normal[1], from->normal[2]));
        }
        s->vertex[s->vertex_count++] = v;
    }
    for (size_t n = 0; n < 3 * s->sides.triangle_count; n++) {
        uint32_t index = s->sides.indices[n];
        s->index[s->index_count++] = index < first ? index : index + shift;
    }
}

// ---- To the card -------------------------------------------------------------------------------

static void make_buffers(rv_sheet *s)
{
    const GLsizei stride = sizeof(rv_sheet_vertex);
    glGenVertexArrays(1, &s->array);
    glGenBuffers(1, &s->vertices);
    glGenBuffers(1, &s->indices);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->indices);
    for (GLuint n = 0; n < 4; n++) glEnableVertexAttribArray(n);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, (void *)offsetof(rv_sheet_vertex, at));
    glVertexAttribPointer(1, 4, GL_SHORT, GL_TRUE, stride,
                          (void *)offsetof(rv_sheet_vertex, normal));
    glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, stride,
                          (void *)offsetof(rv_sheet_vertex, depth));
    glVertexAttribPointer(3, 4, GL_FLOAT, GL_FALSE, stride,
                          (void *)offsetof(rv_sheet_vertex, contact));
}

// A fresh store of the same size lets the driver go on reading the old one.
static void stream(GLenum kind, size_t *room, size_t bytes, const void *data)
{
    if (bytes > *room) *room = bytes + bytes / 2 + 65536;
    glBufferData(kind, (GLsizeiptr)*room, NULL, GL_STREAM_DRAW);
    glBufferSubData(kind, 0, (GLsizeiptr)bytes, data);
}

static rv_result send(rv_sheet *s)
{
    size_t vertex_bytes = s->vertex_count * sizeof *s->vertex;
    size_t index_bytes = s->index_count * sizeof *s->index;
    if (!s->array) make_buffers(s);
    glBindVertexArray(s->array);
    glBindBuffer(GL_ARRAY_BUFFER, s->vertices);
    stream(GL_ARRAY_BUFFER, &s->vertex_bytes, vertex_bytes, s->vertex);
    stream(GL_ELEMENT_ARRAY_BUFFER, &s->index_bytes, index_bytes, s->index);
    glBindVertexArray(0);
    s->uploaded = vertex_bytes + index_bytes;
    return glGetError() == GL_NO_ERROR ? RV_OK : RV_OUT_OF_MEMORY;
}

// The sheet's triangles as they are, and a list of the curtains'.
static bool sort_triangles(rv_sheet *s, const rv_surface_mesh *mesh)
{
    s->hung_count = 0;
    for (size_t n = 0; n < 3 * mesh->triangle_count; n += 3) {
        if (hangs(s, mesh->indices + n)) {
            if (!rv_grow((void **)&s->hung, &s->hung_room, s->hung_count + 1, sizeof *s->hung))
                return false;
            s->hung[s->hung_count++] = (uint32_t)n;
            continue;
        }
        memcpy(s->index + s->index_count, mesh->indices + n, 3 * sizeof *s->index);
        s->index_count += 3;
    }
    return true;
}

rv_result rv_sheet_update(rv_sheet *s, const rv_surface_mesh *mesh, const rv_columns *columns,
                          const rv_extent *e, double contact)
{
    rv_result result = rv_sides_make(&s->sides, mesh, columns);
    if (result != RV_OK) return result;
    size_t corners = 3 * mesh->triangle_count;
    s->uploaded = 0, s->vertex_count = s->index_count = 0, s->curtains = 0;
    // At most every triangle is a curtain's, with three vertices of its own.
    size_t vertices = mesh->vertex_count + corners + s->sides.vertex_count;
    if (!rv_grow((void **)&s->vertex, &s->vertex_room, vertices, sizeof *s->vertex) ||
        !rv_grow((void **)&s->index, &s->index_room, corners + 3 * s->sides.triangle_count,
                 sizeof *s->index) ||
        !rv_grow((void **)&s->sum, &s->sum_room, mesh->vertex_count, sizeof *s->sum) ||
        !rv_grow((void **)&s->normal, &s->normal_room, mesh->vertex_count, sizeof *s->normal))
        return RV_OUT_OF_MEMORY;
    if (corners == 0) return RV_OK;
    take_vertices(s, mesh, e);
    if (!sort_triangles(s, mesh)) return RV_OUT_OF_MEMORY;
    take_normals(s, mesh);
    if (s->hung_count > 0) face_curtains(s, mesh);
    for (size_t n = 0; n < s->hung_count; n++) add_curtain(s, mesh->indices + s->hung[n]);
    add_sides(s, mesh, e);
    if (mesh->contact) sink_ends(s, mesh, (float)contact);
    return send(s);
}

void rv_sheet_free(rv_sheet *s)
{
    if (s->array) {
        glDeleteVertexArrays(1, &s->array);
        glDeleteBuffers(1, &s->vertices);
        glDeleteBuffers(1, &s->indices);
        glDeleteVertexArrays(1, &s->wire);
        glDeleteBuffers(1, &s->edges);
    }
    rv_sides_free(&s->sides);
    free(s->vertex);
    free(s->index);
    free(s->hung);
    free(s->sum);
    free(s->normal);
    memset(s, 0, sizeof *s);
}

void rv_sheet_draw(const rv_sheet *s)
{
    if (s->index_count == 0) return;
    glBindVertexArray(s->array);
    glDrawElements(GL_TRIANGLES, (GLsizei)s->index_count, GL_UNSIGNED_INT, NULL);
    glBindVertexArray(0);
}

void rv_sheet_draw_wire(rv_sheet *s)
{
    if (s->index_count == 0) return;
    uint32_t *edges = malloc(2 * s->index_count * sizeof *edges);
    if (!edges) return;
    for (size_t n = 0; n < s->index_count; n++) {
        edges[2 * n] = s->index[n];
        edges[2 * n + 1] = s->index[n % 3 == 2 ? n - 2 : n + 1];
    }
    if (!s->wire) {
        glGenVertexArrays(1, &s->wire);
        glGenBuffers(1, &s->edges);
        glBindVertexArray(s->wire);
        glBindBuffer(GL_ARRAY_BUFFER, s->vertices);
        glEnableVertexAttribArray(0);
        glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(rv_sheet_vertex),
                              (void *)offsetof(rv_sheet_vertex, at));
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s->edges);
    }
    glBindVertexArray(s->wire);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(2 * s->index_count * sizeof *edges), edges,
                 GL_STREAM_DRAW);
    glDrawElements(GL_LINES, (GLsizei)(2 * s->index_count), GL_UNSIGNED_INT, NULL);
    glBindVertexArray(0);
    free(edges);
}
