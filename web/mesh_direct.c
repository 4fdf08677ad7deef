// Triangles of OBJ and STL files, and what all formats share. Nothing is joined: the library welds
// vertices itself. Faces of more than three corners are cut ear by ear, so that hollow ones stay
// so.
#include "web/mesh_direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Building -----------------------------------------------------------------------------------

// Room for one more of `count` items.
static bool grow(void **items, size_t *room, size_t count, size_t bytes, size_t most)
{
    if (count < *room) return true;
    size_t more = *room ? 2 * *room : 1024;
    void *grown = count < most ? realloc(*items, more * bytes) : NULL;
    if (!grown) return false;
    *items = grown, *room = more;
    return true;
}

void rv_build_vertex(rv_mesh_build *b, double x, double y, double z)
{
    rv_mesh_file *out = b->out;
    if (b->full || !grow((void **)&out->positions, &b->vertex_room, out->vertex_count, 12,
                         3 * RV_MESH_TRIANGLES_MAX)) {
        b->full = true;
        return;
    }
    float *at = out->positions + 3 * out->vertex_count++;
    at[0] = (float)x, at[1] = (float)y, at[2] = (float)z;
}

void rv_build_triangle(rv_mesh_build *b, uint32_t i, uint32_t j, uint32_t k)
{
    rv_mesh_file *out = b->out;
    if (b->full || !grow((void **)&out->indices, &b->triangle_room, out->triangle_count, 12,
                         RV_MESH_TRIANGLES_MAX)) {
        b->full = true;
        return;
    }
    uint32_t *at = out->indices + 3 * out->triangle_count++;
    at[0] = i, at[1] = j, at[2] = k;
}

void rv_build_corner(rv_mesh_build *b, uint32_t vertex)
{
    if (b->full || !grow((void **)&b->corner, &b->corner_room, b->corners, sizeof *b->corner,
                         3 * RV_MESH_TRIANGLES_MAX)) {
        b->full = true;
        return;
    }
    b->corner[b->corners++] = vertex;
}

// ---- Ears: corners whose triangle lies within the face and holds no other corner
// -----------------

typedef struct point {
    double x, y;
} point;

// The face seen along its normal (Newell's): the axis that the normal is longest along is left out.
typedef struct flat_face {
    const rv_mesh_build *build;
    int axis;
    double sign;
} flat_face;

static const float *place_of(const rv_mesh_build *b, size_t k)
{
    return b->out->positions + 3 * (size_t)b->corner[k];
}

static flat_face flatten(const rv_mesh_build *b)
{
    double n[3] = {0, 0, 0};
    for (size_t k = 0; k < b->corners; k++) {
        const float *p = place_of(b, k), *q = place_of(b, (k + 1) % b->corners);
        for (int a = 0; a < 3; a++) {
            int u = (a + 1) % 3, v = (a + 2) % 3;
            n[a] += ((double)p[u] - (double)q[u]) * ((double)p[v] + (double)q[v]);
        }
    }
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(n[a]) > fabs(n[axis])) axis = a;
    return (flat_face){b, axis, n[axis] < 0 ? -1 : 1};
}

static point at_corner(const flat_face *f, size_t k)
{
    const float *p = place_of(f->build, k);
    return (point){(double)p[(f->axis + 1) % 3], f->sign * (double)p[(f->axis + 2) % 3]};
}

static double turn(point a, point b, point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool is_ear(const flat_face *f, size_t k)
{
    size_t n = f->build->corners;
    point a = at_corner(f, (k + n - 1) % n), b = at_corner(f, k), c = at_corner(f, (k + 1) % n);
    if (!(turn(a, b, c) > 0)) return false;
    for (size_t i = 2; i + 1 < n; i++) {
        point p = at_corner(f, (k + i) % n);
        bool corner = (p.x == a.x && p.y == a.y) || (p.x == c.x && p.y == c.y);
        if (!corner && turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
}

void rv_build_face_end(rv_mesh_build *b)
{
    for (size_t k = 0; k < b->corners; k++)
        if (b->corner[k] >= b->out->vertex_count) b->full = true; // cannot be: it was checked
    while (!b->full && b->corners > 2) {
        flat_face flat = flatten(b);
        size_t n = b->corners, k = 0;
        while (n > 3 && k < n && !is_ear(&flat, k)) k++;
        if (k == n) k = 1; // a face that crosses itself: any corner will do
        rv_build_triangle(b, b->corner[(k + n - 1) % n], b->corner[k], b->corner[(k + 1) % n]);
        memmove(b->corner + k, b->corner + k + 1, (n - k - 1) * sizeof *b->corner);
        b->corners--;
    }
    b->corners = 0;
}

// ---- OBJ ----------------------------------------------------------------------------------------

static const char *next_line(const char *at)
{
    at += strcspn(at, "\r\n");
    return at + strspn(at, "\r\n");
}

// Counted from the end where an index is negative: of the vertices before the face.
static void obj_face(rv_mesh_build *b, const char *at, int64_t before)
{
    int64_t index;
    while (!rv_text_line_ends(at) && rv_text_whole(&at, &index))
        rv_build_corner(b, (uint32_t)(index > 0 ? index - 1 : before + index));
    rv_build_face_end(b);
}

// Faces may name vertices that come later, so all vertices are read first.
static bool direct_obj(rv_mesh_build *b, const rv_file_bytes *file)
{
    for (int faces = 0; faces < 2; faces++) {
        int64_t before = 0;
        for (const char *at = (const char *)file->data; *at; at = next_line(at)) {
            at += strspn(at, " \t\r\n");
            double v[3] = {0, 0, 0};
            const char *word = at + 1;
            bool blank = at[0] && (at[1] == ' ' || at[1] == '\t');
            if (faces && blank && at[0] == 'f') obj_face(b, word, before);
            if (!blank || at[0] != 'v') continue;
            before++;
            if (faces) continue;
            for (int i = 0; i < 3; i++) rv_text_real(&word, &v[i]);
            rv_build_vertex(b, v[0], v[1], v[2]);
        }
    }
    return true;
}

// ---- STL ----------------------------------------------------------------------------------------

// Three vertices more than before are a triangle.
static void stl_vertex(rv_mesh_build *b, double x, double y, double z)
{
    rv_build_vertex(b, x, y, z);
    uint32_t count = (uint32_t)b->out->vertex_count;
    if (count % 3 == 0) rv_build_triangle(b, count - 3, count - 2, count - 1);
}

static double little_float(const unsigned char *d)
{
    uint32_t bits =
        (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool direct_stl(rv_mesh_build *b, const rv_file_bytes *file)
{
    if (strcmp(b->out->format, "binary stl") == 0) {
        for (size_t at = 84; at + 50 <= file->size; at += 50)
            for (int corner = 0; corner < 3; corner++) {
                const unsigned char *d = file->data + at + 12 + 12 * corner;
                stl_vertex(b, little_float(d), little_float(d + 4), little_float(d + 8));
            }
        return true;
    }
    for (const char *at = (const char *)file->data; *at; at = next_line(at)) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "vertex", 6) != 0) continue;
        const char *word = at + 6;
        double v[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) rv_text_real(&word, &v[i]);
        stl_vertex(b, v[0], v[1], v[2]);
    }
    return true;
}

// ---- All ----------------------------------------------------------------------------------------

bool rv_mesh_direct(const rv_mesh_reader *reader, const rv_file_bytes *file, const char *extension)
{
    rv_mesh_build build = {.out = reader->out};
    bool good;
    if (strcmp(extension, "obj") == 0)
        good = direct_obj(&build, file);
    else if (strcmp(extension, "stl") == 0)
        good = direct_stl(&build, file);
    else if (strcmp(extension, "ply") == 0)
        good = rv_direct_ply(&build, file);
    else
        good = rv_direct_glb(&build, reader, file);
    free(build.corner);
    if (good && build.full) return rv_mesh_refuse(reader, "not enough memory");
    if (good && reader->out->triangle_count == 0) return rv_mesh_refuse(reader, "has no triangles");
    if (reader->out->parts == 0) reader->out->parts = 1;
    return good;
}
