// Triangles of PLY files. The header was checked: its lines are format, element, property and
// comments, and the body has what they say.
#define _POSIX_C_SOURCE 200809L
#include "web/mesh_direct.h"

#include <stdio.h>
#include <string.h>

enum { PROPERTIES = 64 };

typedef struct number_type {
    char kind; // 'i', 'u', 'f'
    int bytes; // 0: none
} number_type;

typedef struct property {
    number_type type, count; // count: of a list
    int axis;                // 0 to 2: a vertex's x, y, z; -1: none
    bool corners;
} property;

typedef struct body {
    const char *at, *end;
    bool text, big;
} body;

static number_type type_of(const char *word)
{
    static const struct {
        const char *name;
        number_type type;
    } names[] = {
        {"char", {'i', 1}},  {"int8", {'i', 1}},    {"uchar", {'u', 1}},  {"uint8", {'u', 1}},
        {"short", {'i', 2}}, {"int16", {'i', 2}},   {"ushort", {'u', 2}}, {"uint16", {'u', 2}},
        {"int", {'i', 4}},   {"int32", {'i', 4}},   {"uint", {'u', 4}},   {"uint32", {'u', 4}},
        {"float", {'f', 4}}, {"float32", {'f', 4}}, {"double", {'f', 8}}, {"float64", {'f', 8}}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i].name) == 0) return names[i].type;
    return (number_type){0, 0};
}

static double take(body *b, number_type type)
{
    double value = 0;
    if (b->text) {
        b->at += strspn(b->at, " \t\r\n");
        rv_text_real(&b->at, &value);
        return value;
    }
    unsigned char bytes[8] = {0};
    if (b->end - b->at < type.bytes) return 0;
    for (int i = 0; i < type.bytes; i++)
        bytes[i] = (unsigned char)b->at[b->big ? type.bytes - 1 - i : i];
    b->at += type.bytes;
    uint64_t bits = 0;
    for (int i = 7; i >= 0; i--) bits = bits << 8 | bytes[i];
    if (type.kind == 'f' && type.bytes == 8) {
        memcpy(&value, &bits, sizeof value);
    } else if (type.kind == 'f') {
        uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        value = (double)single;
    } else {
        int64_t top = (int64_t)1 << (8 * type.bytes - 1);
        value = (double)(type.kind == 'i' ? ((int64_t)bits ^ top) - top : (int64_t)bits);
    }
    return value;
}

// One row of an element.
static void take_row(rv_mesh_build *build, body *b, const property *p, int count, bool vertex)
{
    double place[3] = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        if (p[i].count.bytes == 0) {
            double value = take(b, p[i].type);
            if (p[i].axis >= 0) place[p[i].axis] = value;
            continue;
        }
        int items = (int)take(b, p[i].count);
        for (int k = 0; k < items; k++) {
            uint32_t corner = (uint32_t)take(b, p[i].type);
            if (p[i].corners) rv_build_corner(build, corner);
        }
        if (p[i].corners) rv_build_face_end(build);
    }
    if (vertex) rv_build_vertex(build, place[0], place[1], place[2]);
}

typedef struct element {
    long long count;
    bool vertex;
    int properties;
    property property[PROPERTIES];
} element;

static void read_property(element *e, const char *line)
{
    char a[32] = "", b[32] = "", c[32] = "", d[64] = "";
    if (e->properties == PROPERTIES) return;
    property *p = &e->property[e->properties++];
    *p = (property){.axis = -1};
    if (sscanf(line, "property list %31s %31s %63s", a, b, d) == 3) {
        p->count = type_of(a), p->type = type_of(b);
        p->corners = strcmp(d, "vertex_indices") == 0 || strcmp(d, "vertex_index") == 0;
    } else if (sscanf(line, "property %31s %31s", c, d) == 2) {
        p->type = type_of(c);
        if (e->vertex && d[1] == '\0' && d[0] >= 'x' && d[0] <= 'z') p->axis = d[0] - 'x';
    }
}

bool rv_direct_ply(rv_mesh_build *build, const rv_file_bytes *file)
{
    element elements[32];
    int count = 0;
    const char *text = (const char *)file->data, *end = text + file->size;
    body b = {.end = end};
    for (const char *at = text; at < end && !b.at;) {
        char line[256], kind[32] = "", name[64] = "";
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) return true; // cannot be: the header was checked
        snprintf(line, sizeof line, "%.*s", (int)(stop - at), at);
        long long rows = 0;
        if (sscanf(line, "format %31s", kind) == 1)
            b.text = strcmp(kind, "ascii") == 0, b.big = strcmp(kind, "binary_big_endian") == 0;
        else if (sscanf(line, "element %63s %lld", name, &rows) == 2 && count < 32)
            elements[count++] = (element){.count = rows, .vertex = strcmp(name, "vertex") == 0};
        else if (strncmp(line, "property", 8) == 0 && count > 0)
            read_property(&elements[count - 1], line);
        at = stop + 1;
        if (strncmp(line, "end_header", 10) == 0) b.at = at;
    }
    for (int k = 0; k < count; k++)
        for (long long row = 0; row < elements[k].count && !build->full; row++)
            take_row(build, &b, elements[k].property, elements[k].properties, elements[k].vertex);
    return true;
}
