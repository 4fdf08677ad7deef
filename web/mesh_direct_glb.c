// Triangles of GLB files: nodes place meshes, whose places and indices lie in the file's own
// buffer. References and sizes were checked. Draco and sparse accessors are not read here.
#include "io/json_text.h"
#include "web/mesh_direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct glb {
    const rv_mesh_reader *reader;
    rv_mesh_build *build;
    rv_json json;
    const unsigned char *bytes; // of the buffer
    size_t size;
    int depth;
} glb;

// Numbers of an accessor: `columns` of them an item.
typedef struct numbers {
    const unsigned char *at;
    size_t stride, count;
    int type;
} numbers;

static const rv_json_value *value(const glb *g, uint32_t index)
{
    return &g->json.values[index];
}

static uint32_t item(const glb *g, const char *list, double number)
{
    uint32_t i = rv_json_get(&g->json, 1, list);
    i = i ? value(g, i)->first : 0;
    while (i && number-- > 0) i = value(g, i)->next;
    return i;
}

static size_t type_bytes(int type)
{
    return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : 4;
}

static bool open_accessor(const glb *g, double index, size_t columns, numbers *out)
{
    uint32_t a = item(g, "accessors", index);
    double view_index = rv_json_number(&g->json, a, "bufferView", -1);
    uint32_t view = view_index >= 0 ? item(g, "bufferViews", view_index) : 0;
    if (!view || rv_json_get(&g->json, a, "sparse"))
        return rv_mesh_refuse(g->reader, "sparse and compressed meshes are not read here");
    if (rv_json_number(&g->json, view, "buffer", 0) != 0)
        return rv_mesh_refuse(g->reader, "a buffer outside the file is not read here");
    out->type = (int)rv_json_number(&g->json, a, "componentType", 5126);
    out->count = (size_t)rv_json_number(&g->json, a, "count", 0);
    size_t each = columns * type_bytes(out->type);
    out->stride = (size_t)rv_json_number(&g->json, view, "byteStride", (double)each);
    size_t first = (size_t)(rv_json_number(&g->json, view, "byteOffset", 0) +
                            rv_json_number(&g->json, a, "byteOffset", 0));
    if (out->count > 0 &&
        (first > g->size || each > g->size - first ||
         (out->count - 1) > (g->size - first - each) / (out->stride ? out->stride : 1)))
        return rv_mesh_refuse(g->reader, "cut short: an accessor goes past the buffer");
    out->at = g->bytes + first;
    return true;
}

static double number_at(const numbers *n, size_t index, size_t column)
{
    const unsigned char *d = n->at + index * n->stride + column * type_bytes(n->type);
    uint32_t bits = d[0];
    for (size_t i = 1; i < type_bytes(n->type); i++) bits |= (uint32_t)d[i] << (8 * i);
    if (n->type != 5126) return (double)bits; // indices are not negative
    float single;
    memcpy(&single, &bits, sizeof single);
    return (double)single;
}

// ---- Places -------------------------------------------------------------------------------------

typedef struct matrix {
    double m[3][4];
} matrix;

static void read_list(const glb *g, uint32_t node, const char *key, double *out)
{
    uint32_t list = rv_json_get(&g->json, node, key);
    for (uint32_t i = list ? value(g, list)->first : 0; i; i = value(g, i)->next)
        *out++ = value(g, i)->number;
}

static matrix matrix_of(const glb *g, uint32_t node)
{
    double c[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; // by columns
    double t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    read_list(g, node, "matrix", c);
    read_list(g, node, "translation", t);
    read_list(g, node, "rotation", q);
    read_list(g, node, "scale", s);
    matrix out;
    if (rv_json_get(&g->json, node, "matrix")) {
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 4; k++) out.m[r][k] = c[4 * k + r];
        return out;
    }
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) out.m[r][k] = turn[r][k] * s[k];
        out.m[r][3] = t[r];
    }
    return out;
}

static matrix times(const matrix *a, const matrix *b)
{
    matrix out;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 4; k++)
            out.m[r][k] = a->m[r][0] * b->m[0][k] + a->m[r][1] * b->m[1][k] +
                          a->m[r][2] * b->m[2][k] + (k == 3 ? a->m[r][3] : 0);
    return out;
}

static bool mirrors(const matrix *a)
{
    const double(*m)[4] = a->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
           0;
}

// ---- Meshes -------------------------------------------------------------------------------------

static bool add_primitive(glb *g, uint32_t primitive, const matrix *place)
{
    uint32_t attributes = rv_json_get(&g->json, primitive, "attributes");
    double position = rv_json_number(&g->json, attributes, "POSITION", -1);
    double index = rv_json_number(&g->json, primitive, "indices", -1);
    int mode = (int)rv_json_number(&g->json, primitive, "mode", 4);
    numbers places, corners = {0};
    if (mode < 4) { // points and lines
        g->reader->out->skipped++;
        return true;
    }
    if (!open_accessor(g, position, 3, &places)) return false;
    if (index >= 0 && !open_accessor(g, index, 1, &corners)) return false;
    uint32_t first = (uint32_t)g->build->out->vertex_count;
    for (size_t i = 0; i < places.count; i++) {
        double p[3], v[3];
        for (size_t k = 0; k < 3; k++) p[k] = number_at(&places, i, k);
        for (int r = 0; r < 3; r++)
            v[r] = place->m[r][0] * p[0] + place->m[r][1] * p[1] + place->m[r][2] * p[2] +
                   place->m[r][3];
        rv_build_vertex(g->build, v[0], v[1], v[2]);
    }
    size_t count = index >= 0 ? corners.count : places.count;
    bool turn = mirrors(place);
    // mode 4: triangles; 5: a strip, every second one the other way round; 6: a fan
    for (size_t i = 2; i < count; i += mode == 4 ? 3 : 1) {
        size_t at[3] = {mode == 6 ? 0 : i - 2, i - 1, i};
        uint32_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = first + (uint32_t)(index >= 0 ? number_at(&corners, at[k], 0) : (double)at[k]);
        bool back = turn != (mode == 5 && i % 2 == 1);
        rv_build_triangle(g->build, v[back ? 2 : 0], v[1], v[back ? 0 : 2]);
    }
    g->reader->out->parts++;
    return true;
}

static bool add_node(glb *g, uint32_t node, const matrix *above)
{
    matrix own = matrix_of(g, node), place = times(above, &own);
    double mesh = rv_json_number(&g->json, node, "mesh", -1);
    uint32_t list = mesh >= 0 ? rv_json_get(&g->json, item(g, "meshes", mesh), "primitives") : 0;
    for (uint32_t p = list ? value(g, list)->first : 0; p; p = value(g, p)->next)
        if (!add_primitive(g, p, &place)) return false;
    uint32_t children = rv_json_get(&g->json, node, "children");
    for (uint32_t c = children ? value(g, children)->first : 0; c; c = value(g, c)->next)
        if (!add_node(g, item(g, "nodes", value(g, c)->number), &place)) return false;
    return true;
}

static uint32_t little32(const unsigned char *d)
{
    return (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

static bool add_scene(glb *g)
{
    const matrix unmoved = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    uint32_t scene = item(g, "scenes", rv_json_number(&g->json, 1, "scene", 0));
    uint32_t list = rv_json_get(&g->json, scene, "nodes");
    for (uint32_t n = list ? value(g, list)->first : 0; n; n = value(g, n)->next)
        if (!add_node(g, item(g, "nodes", value(g, n)->number), &unmoved)) return false;
    return true;
}

bool rv_direct_glb(rv_mesh_build *build, const rv_mesh_reader *reader, const rv_file_bytes *file)
{
    const unsigned char *d = file->data;
    if (file->size < 20 || memcmp(d, "glTF", 4) != 0)
        return rv_mesh_refuse(reader, "a glTF in several files is not read here; a GLB is");
    size_t json = little32(d + 12), next = 20 + json;
    glb g = {.reader = reader, .build = build};
    if (file->size - next >= 8) g.bytes = d + next + 8, g.size = little32(d + next);
    // A copy: reading needs a zero after the text, where the buffer begins.
    char *text = malloc(json + 1);
    const char *why;
    if (!text) return rv_mesh_refuse(reader, "not enough memory");
    memcpy(text, d + 20, json);
    text[json] = '\0';
    bool good = rv_json_read(&g.json, text, json, &why);
    if (good) {
        good = add_scene(&g);
        rv_json_free(&g.json);
    } else {
        rv_mesh_refuse(reader, "its JSON is damaged: %s", why);
    }
    free(text);
    return good;
}
