// The check of glTF files: JSON, alone or in a GLB, that describes meshes in buffers.
//
// The tables below name every key that geometry needs, and of which kind its value must be. All
// other keys (materials, animations, cameras, names …) are renamed, so that assimp does not know
// them. Then every reference and every size is followed to the end: accessor, buffer view, buffer,
// bytes.
#include "io/json_text.h"
#include "io/mesh_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_DEPTH_MAX 500 // assimp walks nodes by recursion

typedef enum gltf_level {
    IN_FILE,
    IN_ASSET,
    IN_SCENE,
    IN_NODE,
    IN_MESH,
    IN_PRIMITIVE,
    IN_ATTRIBUTES,
    IN_EXTENSIONS,
    IN_DRACO,
    IN_ACCESSOR,
    IN_SPARSE,
    IN_VALUES,
    IN_VIEW,
    IN_BUFFER
} gltf_level;

typedef enum gltf_kind {
    A_COUNT, // a whole number from 0 to 2^31
    COUNTS,  // a list of them
    NUMBERS, // a list of numbers
    A_STRING,
    STRINGS,
    AN_OBJECT, // of the level in the row
    OBJECTS    // a list of those
} gltf_kind;

static const struct {
    gltf_level level;
    const char *key;
    gltf_kind kind;
    gltf_level inside;
} keys[] = {
    {IN_FILE, "asset", AN_OBJECT, IN_ASSET},
    {IN_FILE, "scene", A_COUNT, 0},
    {IN_FILE, "scenes", OBJECTS, IN_SCENE},
    {IN_FILE, "nodes", OBJECTS, IN_NODE},
    {IN_FILE, "meshes", OBJECTS, IN_MESH},
    {IN_FILE, "accessors", OBJECTS, IN_ACCESSOR},
    {IN_FILE, "bufferViews", OBJECTS, IN_VIEW},
    {IN_FILE, "buffers", OBJECTS, IN_BUFFER},
    {IN_FILE, "extensionsUsed", STRINGS, 0},
    {IN_FILE, "extensionsRequired", STRINGS, 0},
    {IN_ASSET, "version", A_STRING, 0},
    {IN_SCENE, "nodes", COUNTS, 0},
    {IN_NODE, "children", COUNTS, 0},
    {IN_NODE, "mesh", A_COUNT, 0},
    {IN_NODE, "matrix", NUMBERS, 0},
    {IN_NODE, "translation", NUMBERS, 0},
    {IN_NODE, "rotation", NUMBERS, 0},
    {IN_NODE, "scale", NUMBERS, 0},
    {IN_MESH, "primitives", OBJECTS, IN_PRIMITIVE},
    {IN_PRIMITIVE, "attributes", AN_OBJECT, IN_ATTRIBUTES},
    {IN_PRIMITIVE, "indices", A_COUNT, 0},
    {IN_PRIMITIVE, "mode", A_COUNT, 0},
    {IN_PRIMITIVE, "extensions", AN_OBJECT, IN_EXTENSIONS},
    {IN_ATTRIBUTES, "POSITION", A_COUNT, 0},
    {IN_EXTENSIONS, "KHR_draco_mesh_compression", AN_OBJECT, IN_DRACO},
    {IN_DRACO, "bufferView", A_COUNT, 0},
    {IN_DRACO, "attributes", AN_OBJECT, IN_ATTRIBUTES},
    {IN_ACCESSOR, "bufferView", A_COUNT, 0},
    {IN_ACCESSOR, "byteOffset", A_COUNT, 0},
    {IN_ACCESSOR, "componentType", A_COUNT, 0},
    {IN_ACCESSOR, "count", A_COUNT, 0},
    {IN_ACCESSOR, "type", A_STRING, 0},
    {IN_ACCESSOR, "sparse", AN_OBJECT, IN_SPARSE},
    {IN_SPARSE, "count", A_COUNT, 0},
    {IN_SPARSE, "indices", AN_OBJECT, IN_VALUES},
    {IN_SPARSE, "values", AN_OBJECT, IN_VALUES},
    {IN_VALUES, "bufferView", A_COUNT, 0},
    {IN_VALUES, "byteOffset", A_COUNT, 0},
    {IN_VALUES, "componentType", A_COUNT, 0},
    {IN_VIEW, "buffer", A_COUNT, 0},
    {IN_VIEW, "byteOffset", A_COUNT, 0},
    {IN_VIEW, "byteLength", A_COUNT, 0},
    {IN_VIEW, "byteStride", A_COUNT, 0},
    {IN_BUFFER, "byteLength", A_COUNT, 0},
    {IN_BUFFER, "uri", A_STRING, 0},
};
#define KEYS ((int)(sizeof keys / sizeof keys[0]))

typedef struct gltf_list {
    uint32_t *item; // values of the JSON
    uint32_t count;
} gltf_list;

typedef struct gltf_file {
    const rv_mesh_reader *reader;
    rv_json json;
    uint32_t root;
    double bin; // bytes of a GLB's own buffer; -1: there is none
    gltf_list nodes, meshes, accessors, views, buffers;
} gltf_file;

// ---- Kinds --------------------------------------------------------------------------------------

static bool check_object(gltf_file *g, uint32_t object, gltf_level level);

static bool is_count(const rv_json_value *v)
{
    return v->kind == RV_JSON_NUMBER && v->number >= 0 && v->number <= 2147483648.0 &&
           v->number == floor(v->number) && !memchr(v->text, '.', v->length) &&
           !memchr(v->text, 'e', v->length) && !memchr(v->text, 'E', v->length) &&
           v->text[0] != '-'; // assimp wants digits only
}

// One value, or one item of a list.
static bool one_good(gltf_file *g, uint32_t index, gltf_kind kind, gltf_level inside)
{
    const rv_json_value *v = &g->json.values[index];
    switch (kind) {
    case A_COUNT:
        return is_count(v);
    case NUMBERS:
        return v->kind == RV_JSON_NUMBER && fabs(v->number) <= 1e30;
    case A_STRING:
        return v->kind == RV_JSON_STRING;
    default:
        return v->kind == RV_JSON_OBJECT && check_object(g, index, inside);
    }
}

static bool value_good(gltf_file *g, uint32_t index, gltf_kind kind, gltf_level inside)
{
    bool list = kind == COUNTS || kind == NUMBERS || kind == STRINGS || kind == OBJECTS;
    if (!list) return one_good(g, index, kind, inside);
    if (g->json.values[index].kind != RV_JSON_ARRAY) return false;
    gltf_kind each = kind == COUNTS ? A_COUNT : kind == STRINGS ? A_STRING : kind;
    for (uint32_t i = g->json.values[index].first; i; i = g->json.values[i].next)
        if (!one_good(g, i, each, inside)) return false;
    return true;
}

// Renames what is not known. false: something has the wrong kind, and that was said.
static bool check_object(gltf_file *g, uint32_t object, gltf_level level)
{
    int before = g->reader->messages->count;
    for (uint32_t i = g->json.values[object].first; i; i = g->json.values[i].next) {
        rv_json_value *v = &g->json.values[i];
        int row = 0;
        while (row < KEYS && (keys[row].level != level || !rv_json_name_is(v, keys[row].key)))
            row++;
        if (row == KEYS) {
            if (memchr(v->name, '\\', v->name_length)) // it could spell anything
                return rv_mesh_refuse(g->reader, "keys with a backslash are not read");
            if (v->name_length) v->name[0] = '_';
        } else if (!value_good(g, i, keys[row].kind, keys[row].inside)) {
            return g->reader->messages->count > before
                       ? false
                       : rv_mesh_refuse(g->reader, "`%s` has a value of the wrong kind",
                                        keys[row].key);
        }
    }
    return true;
}

// ---- References ---------------------------------------------------------------------------------

static bool list_of(gltf_file *g, const char *key, gltf_list *out)
{
    uint32_t array = rv_json_get(&g->json, g->root, key);
    uint32_t count = array ? g->json.values[array].count : 0;
    out->item = calloc(count ? count : 1, sizeof *out->item);
    if (!out->item) return rv_mesh_refuse(g->reader, "not enough memory");
    for (uint32_t i = array ? g->json.values[array].first : 0; i; i = g->json.values[i].next)
        out->item[out->count++] = i;
    return true;
}

// The item of a list that `object` refers to by `key`; 0 when it does not, or there is no such.
static uint32_t referred(const gltf_file *g, uint32_t object, const char *key,
                         const gltf_list *list)
{
    double index = rv_json_number(&g->json, object, key, -1);
    return index >= 0 && index < list->count ? list->item[(uint32_t)index] : 0;
}

static double count_of(const gltf_file *g, uint32_t object, const char *key)
{
    return rv_json_number(&g->json, object, key, 0);
}

// Bytes within `data:…;base64,…`, at most; -1 when it is something else.
static double data_bytes(const rv_json_value *uri)
{
    const char *comma = memchr(uri->text, ',', uri->length), *end = uri->text + uri->length;
    if (!comma || comma - uri->text < 12 || memcmp(comma - 7, ";base64", 7) != 0) return -1;
    const char *start = comma + 1;
    while (end > start && end[-1] == '=' && uri->text + uri->length - end < 2) end--;
    for (const char *c = start; c < end; c++)
        if (!((*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ||
              *c == '+' || *c == '/'))
            return -1;
    if ((uri->text + uri->length - start) % 4) return -1;
    return floor((double)(end - start) * 0.75);
}

static bool check_buffer(gltf_file *g, uint32_t buffer)
{
    uint32_t uri = rv_json_get(&g->json, buffer, "uri"), index = 0;
    while (g->buffers.item[index] != buffer) index++;
    double announced = count_of(g, buffer, "byteLength");
    if (!uri) {
        if (index != 0 || g->bin < announced)
            return rv_mesh_refuse(g->reader, "cut short: buffer %u of %.0f bytes, %.0f there",
                                  index, announced, index == 0 && g->bin > 0 ? g->bin : 0.0);
        return true;
    }
    const rv_json_value *v = &g->json.values[uri];
    if (v->length >= 5 && memcmp(v->text, "data:", 5) == 0) {
        double there = data_bytes(v);
        if (there < 0) return rv_mesh_refuse(g->reader, "buffer %u: damaged base64", index);
        if (there < announced)
            return rv_mesh_refuse(g->reader, "cut short: buffer %u of %.0f bytes, %.0f there",
                                  index, announced, there);
        return true;
    }
    char name[1024];
    if (v->length >= sizeof name || memchr(v->text, '\\', v->length))
        return rv_mesh_refuse(g->reader, "buffer %u: no such file", index);
    memcpy(name, v->text, v->length);
    name[v->length] = '\0';
    if (!g->reader->path) return rv_mesh_refuse(g->reader, "refers to `%.60s`", name);
    char *path = rv_file_beside(g->reader->path, name);
    uint64_t size = 0;
    bool found = path && rv_file_size(path, &size);
    free(path);
    if (!found) return rv_mesh_refuse(g->reader, "`%.60s`: no such file in its own folder", name);
    if ((double)size < announced)
        return rv_mesh_refuse(g->reader, "`%.60s`: cut short: %.0f bytes announced, %llu there",
                              name, announced, (unsigned long long)size);
    return true;
}

static bool check_view(gltf_file *g, uint32_t view)
{
    uint32_t buffer = referred(g, view, "buffer", &g->buffers);
    double stride = count_of(g, view, "byteStride");
    if (!buffer) return rv_mesh_refuse(g->reader, "a buffer view has no buffer");
    if (count_of(g, view, "byteOffset") + count_of(g, view, "byteLength") >
        count_of(g, buffer, "byteLength"))
        return rv_mesh_refuse(g->reader, "a buffer view is larger than its buffer");
    if (stride != 0 && (stride < 4 || stride > 252))
        return rv_mesh_refuse(g->reader, "a buffer view has a stride of %.0f", stride);
    return check_buffer(g, buffer);
}

static int component_bytes(double type)
{
    if (type == 5120 || type == 5121) return 1;
    if (type == 5122 || type == 5123) return 2;
    return type == 5125 || type == 5126 ? 4 : 0;
}

static int components(const gltf_file *g, uint32_t accessor)
{
    static const struct {
        const char *name;
        int count;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    uint32_t type = rv_json_get(&g->json, accessor, "type");
    for (int i = 0; type && i < 7; i++)
        if (rv_json_text_is(&g->json.values[type], types[i].name)) return types[i].count;
    return 0;
}

// Do `count` elements of `bytes` each, from the object's offset on, lie within its buffer view?
static bool within_view(gltf_file *g, uint32_t object, double count, int bytes)
{
    uint32_t view = referred(g, object, "bufferView", &g->views);
    double stride = view ? count_of(g, view, "byteStride") : 0;
    double need = count > 0 ? (count - 1) * (stride != 0 ? stride : bytes) + bytes : 0;
    if (!view || (stride != 0 && stride < bytes) ||
        count_of(g, object, "byteOffset") + need > count_of(g, view, "byteLength"))
        return rv_mesh_refuse(g->reader, "an accessor is larger than its buffer view");
    return check_view(g, view);
}

static bool check_sparse(gltf_file *g, uint32_t accessor, uint32_t sparse, int bytes)
{
    double count = count_of(g, sparse, "count");
    uint32_t indices = rv_json_get(&g->json, sparse, "indices");
    uint32_t values = rv_json_get(&g->json, sparse, "values");
    int index_bytes = component_bytes(count_of(g, indices, "componentType"));
    if (count < 1 || count > count_of(g, accessor, "count") || !index_bytes)
        return rv_mesh_refuse(g->reader, "a sparse accessor of %.0f", count);
    return within_view(g, indices, count, index_bytes) && within_view(g, values, count, bytes);
}

static bool check_accessor(gltf_file *g, uint32_t accessor)
{
    double count = count_of(g, accessor, "count");
    int bytes = component_bytes(count_of(g, accessor, "componentType")) * components(g, accessor);
    if (bytes == 0) return rv_mesh_refuse(g->reader, "an accessor has no known type");
    if (count < 1 || count > 3.0 * (double)RV_MESH_TRIANGLES_MAX)
        return rv_mesh_refuse(g->reader, "an accessor of %.0f elements", count);
    bool has_view = rv_json_get(&g->json, accessor, "bufferView") != 0;
    if (has_view && !within_view(g, accessor, count, bytes)) return false;
    uint32_t sparse = rv_json_get(&g->json, accessor, "sparse");
    return !sparse || check_sparse(g, accessor, sparse, bytes);
}

// ---- Meshes and nodes ---------------------------------------------------------------------------

// Compressed with Draco, places and indices have no buffer view of their own.
static bool check_indices(gltf_file *g, uint32_t primitive, bool draco)
{
    if (!rv_json_get(&g->json, primitive, "indices")) return true;
    uint32_t indices = referred(g, primitive, "indices", &g->accessors);
    double type = count_of(g, indices, "componentType");
    if (!indices || components(g, indices) != 1 || (type != 5121 && type != 5123 && type != 5125) ||
        (!draco && !rv_json_get(&g->json, indices, "bufferView")) ||
        rv_json_get(&g->json, indices, "sparse"))
        return rv_mesh_refuse(g->reader, "a part of a mesh has no usable indices");
    return check_accessor(g, indices);
}

static bool check_primitive(gltf_file *g, uint32_t primitive)
{
    uint32_t attributes = rv_json_get(&g->json, primitive, "attributes");
    uint32_t place = referred(g, attributes, "POSITION", &g->accessors);
    uint32_t draco = rv_json_get(&g->json, rv_json_get(&g->json, primitive, "extensions"),
                                 "KHR_draco_mesh_compression");
    if (!place || (!draco && !rv_json_get(&g->json, place, "bufferView") &&
                   !rv_json_get(&g->json, place, "sparse")))
        return rv_mesh_refuse(g->reader, "a part of a mesh has no places");
    if (components(g, place) != 3 || count_of(g, place, "componentType") != 5126)
        return rv_mesh_refuse(g->reader, "places that are not three floats are not read");
    if (draco) {
        uint32_t view = referred(g, draco, "bufferView", &g->views);
        if (!view) return rv_mesh_refuse(g->reader, "a part of a mesh has no places");
        if (!check_view(g, view)) return false;
    }
    if (count_of(g, primitive, "mode") > 6) return rv_mesh_refuse(g->reader, "mode: 0 to 6");
    return check_accessor(g, place) && check_indices(g, primitive, draco != 0);
}

static bool check_meshes(gltf_file *g)
{
    for (uint32_t i = 0; i < g->meshes.count; i++) {
        uint32_t list = rv_json_get(&g->json, g->meshes.item[i], "primitives");
        if (!list) return rv_mesh_refuse(g->reader, "mesh %u is empty", i);
        for (uint32_t p = g->json.values[list].first; p; p = g->json.values[p].next)
            if (!check_primitive(g, p)) return false;
    }
    return true;
}

// Lists of numbers in a node have one length each.
static bool check_node(gltf_file *g, uint32_t index)
{
    static const struct {
        const char *key;
        uint32_t count;
    } lists[] = {{"matrix", 16}, {"translation", 3}, {"rotation", 4}, {"scale", 3}};
    uint32_t node = g->nodes.item[index];
    for (int i = 0; i < 4; i++) {
        uint32_t list = rv_json_get(&g->json, node, lists[i].key);
        if (list && g->json.values[list].count != lists[i].count)
            return rv_mesh_refuse(g->reader, "node %u: %s needs %u numbers", index, lists[i].key,
                                  lists[i].count);
    }
    if (rv_json_get(&g->json, node, "mesh") && !referred(g, node, "mesh", &g->meshes))
        return rv_mesh_refuse(g->reader, "node %u has a mesh that is not there", index);
    return true;
}

// Marks `index` as the parent of its children; each has one at most.
static bool mark_children(gltf_file *g, uint32_t list, uint32_t index, uint32_t *parent)
{
    for (uint32_t i = list ? g->json.values[list].first : 0; i; i = g->json.values[i].next) {
        double child = g->json.values[i].number;
        if (!(child < g->nodes.count))
            return rv_mesh_refuse(g->reader, "node %.0f of %u", child, g->nodes.count);
        if (parent[(uint32_t)child])
            return rv_mesh_refuse(g->reader, "node %.0f is in two places", child);
        parent[(uint32_t)child] = index + 1;
    }
    return true;
}

static bool check_tree(gltf_file *g, uint32_t *parent)
{
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        uint32_t list = rv_json_get(&g->json, g->nodes.item[i], "children");
        if (!check_node(g, i) || !mark_children(g, list, i, parent)) return false;
    }
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        int depth = 0;
        for (uint32_t up = parent[i]; up; up = parent[up - 1])
            if (++depth > NODE_DEPTH_MAX)
                return rv_mesh_refuse(g->reader, "nodes within nodes without end");
    }
    uint32_t scenes = rv_json_get(&g->json, g->root, "scenes");
    for (uint32_t s = scenes ? g->json.values[scenes].first : 0; s; s = g->json.values[s].next) {
        uint32_t list = rv_json_get(&g->json, s, "nodes");
        for (uint32_t i = list ? g->json.values[list].first : 0; i; i = g->json.values[i].next)
            if (!(g->json.values[i].number < g->nodes.count))
                return rv_mesh_refuse(g->reader, "node %.0f of %u", g->json.values[i].number,
                                      g->nodes.count);
    }
    return true;
}

// What a file says cannot be done without: how things look does not matter here.
static bool check_required(gltf_file *g)
{
    static const char *const known[] = {"KHR_draco_mesh_compression",
                                        "KHR_materials",
                                        "KHR_texture",
                                        "KHR_technique",
                                        "KHR_lights",
                                        "EXT_texture"};
    uint32_t list = rv_json_get(&g->json, g->root, "extensionsRequired");
    for (uint32_t i = list ? g->json.values[list].first : 0; i; i = g->json.values[i].next) {
        const rv_json_value *v = &g->json.values[i];
        bool good = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            good |=
                v->length >= strlen(known[k]) && memcmp(v->text, known[k], strlen(known[k])) == 0;
        if (!good)
            return rv_mesh_refuse(g->reader, "needs the extension %.*s, which is not read",
                                  v->length < 60 ? (int)v->length : 60, v->text);
    }
    return true;
}

static bool check_lists(gltf_file *g)
{
    if (!list_of(g, "nodes", &g->nodes) || !list_of(g, "meshes", &g->meshes) ||
        !list_of(g, "accessors", &g->accessors) || !list_of(g, "bufferViews", &g->views) ||
        !list_of(g, "buffers", &g->buffers))
        return false;
    if (g->meshes.count == 0 || g->nodes.count == 0)
        return rv_mesh_refuse(g->reader, "has no meshes");
    if (!check_required(g) || !check_meshes(g)) return false;
    uint32_t *parent = calloc(g->nodes.count, sizeof *parent);
    bool good = parent ? check_tree(g, parent) : rv_mesh_refuse(g->reader, "not enough memory");
    free(parent);
    return good;
}

// ---- Files --------------------------------------------------------------------------------------

static bool check_json(const rv_mesh_reader *reader, char *text, size_t size, double bin)
{
    gltf_file g = {.reader = reader, .root = 1, .bin = bin};
    const char *why;
    char kept = text[size];
    text[size] = '\0'; // of a GLB: the next chunk's first byte
    bool good = rv_json_read(&g.json, text, size, &why);
    text[size] = kept;
    if (!good) return rv_mesh_refuse(reader, "its JSON is damaged: %s", why);
    uint32_t asset = rv_json_get(&g.json, 1, "asset");
    uint32_t version = rv_json_get(&g.json, asset, "version");
    const rv_json_value *v = &g.json.values[version];
    if (!version || v->kind != RV_JSON_STRING || v->length < 2 || memcmp(v->text, "2.", 2) != 0)
        good = rv_mesh_refuse(reader, "is no glTF 2.0, which is the version that is read");
    good = good && check_object(&g, 1, IN_FILE) && check_lists(&g);
    rv_json_free(&g.json);
    free(g.nodes.item);
    free(g.meshes.item);
    free(g.accessors.item);
    free(g.views.item);
    free(g.buffers.item);
    return good;
}

static uint32_t little32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// A GLB: 12 bytes, then chunks of length, type and bytes: the JSON, and perhaps a buffer.
static bool check_glb(const rv_mesh_reader *reader, rv_file_bytes *file)
{
    unsigned char *d = file->data;
    if (file->size < 20 || little32(d + 4) != 2)
        return rv_mesh_refuse(reader, "is no GLB of version 2, which is the one that is read");
    size_t length = little32(d + 8), json = little32(d + 12);
    if (length > file->size || length < 20 || json > length - 20)
        return rv_mesh_refuse(reader, "cut short: %zu bytes announced, %zu there",
                              length > file->size ? length : json + 20, file->size);
    if (little32(d + 16) != 0x4e4f534a) return rv_mesh_refuse(reader, "does not begin with JSON");
    file->size = length;
    d[length] = 0;
    double bin = -1;
    size_t next = 20 + json;
    if (length - next >= 8) {
        size_t bytes = little32(d + next);
        if (json % 4 || bytes > length - next - 8)
            return rv_mesh_refuse(reader, "cut short: a buffer of %zu bytes, %zu there", bytes,
                                  length - next - 8);
        if (little32(d + next + 4) == 0x004e4942) bin = (double)bytes;
    }
    return check_json(reader, (char *)d + 20, json, bin);
}

bool rv_gltf_check(const rv_mesh_reader *reader, rv_file_bytes *file)
{
    bool glb = file->size >= 4 && memcmp(file->data, "glTF", 4) == 0;
    snprintf(reader->out->format, sizeof reader->out->format, "%s", glb ? "glb" : "gltf");
    reader->out->unit = RV_UNIT_M; // glTF 2.0, section 3.4: metres, y up
    reader->out->up = RV_UP_Y;
    return glb ? check_glb(reader, file) : check_json(reader, (char *)file->data, file->size, -1);
}
