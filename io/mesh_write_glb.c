// GLB: glTF 2.0 in one file. JSON that describes views of a buffer, then the buffer: indices first,
// then one array for each attribute (sections 3.6, 3.7 and 4 of the specification).
//
// glTF has y up, so every vector (x, y, z) is written as (x, z, −y), which costs no bits; nodes
// have no transform that a reader could forget. Attributes of our own begin with an underscore.
// Liquid is a blended material whose vertex colours carry the opacity: viewers show it so.
#include "io/mesh_writers.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#define MAGIC 0x46546c67u      // "glTF"
#define JSON_CHUNK 0x4e4f534au // "JSON"
#define BIN_CHUNK 0x004e4942u  // "BIN"
#define JSON_MAX 8192          // ours has about 2,000 bytes
#define CHUNK 1024             // vertices at a time

#define FLOAT 5126 // component types
#define UNSIGNED_INT 5125
#define UNSIGNED_BYTE 5121
#define ARRAY_BUFFER 34962 // targets
#define ELEMENT_ARRAY_BUFFER 34963

// One array of the buffer. Elements have 4 bytes per number, or as a colour 4 bytes in all, so that
// everything stays aligned.
typedef struct glb_array {
    char name[24];       // "POSITION"; empty: the indices
    int size;            // numbers of an element; 4 is a colour, of bytes
    size_t count;        // elements
    const float *values; // NULL: the indices
} glb_array;

typedef struct glb_layout {
    glb_array arrays[4 + RV_MESH_ATTRIBUTES_MAX];
    int count;
} glb_layout;

typedef struct glb_text {
    char text[JSON_MAX];
    size_t used;
} glb_text;

static uint64_t bytes_of(const glb_array *a)
{
    return 4 * (uint64_t)(a->size == 4 ? 1 : a->size) * a->count;
}

static uint64_t buffer_bytes(const glb_layout *layout)
{
    uint64_t sum = 0;
    for (int i = 0; i < layout->count; i++) sum += bytes_of(&layout->arrays[i]);
    return sum;
}

static void add_array(glb_layout *layout, const char *name, int size, size_t count,
                      const float *values)
{
    glb_array *a = &layout->arrays[layout->count++];
    *a = (glb_array){.size = size, .count = count, .values = values};
    snprintf(a->name, sizeof a->name, "%s", name);
}

// "depth" → "_DEPTH".
static void own_name(const char *name, char *out, size_t size)
{
    snprintf(out, size, "_%s", name);
    for (char *c = out; *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
}

// Accessors may not be empty: nothing at all for a mesh without triangles.
static glb_layout layout_of(const rv_mesh_export *mesh)
{
    glb_layout layout = {.count = 0};
    if (mesh->triangle_count == 0) return layout;
    add_array(&layout, "", 1, 3 * mesh->triangle_count, NULL);
    add_array(&layout, "POSITION", 3, mesh->vertex_count, mesh->positions);
    if (mesh->normals) add_array(&layout, "NORMAL", 3, mesh->vertex_count, mesh->normals);
    if (mesh->opacity) add_array(&layout, "COLOR_0", 4, mesh->vertex_count, mesh->opacity);
    for (int a = 0; a < mesh->attribute_count; a++) {
        const rv_mesh_attribute *attribute = &mesh->attributes[a];
        char name[24];
        own_name(attribute->name, name, sizeof name);
        add_array(&layout, name, attribute->size, mesh->vertex_count, attribute->values);
    }
    return layout;
}

bool rv_glb_fits(const rv_mesh_export *mesh)
{
    // so that the sums below cannot overflow
    if (mesh->vertex_count > UINT32_MAX || mesh->triangle_count > UINT32_MAX) return false;
    glb_layout layout = layout_of(mesh);
    return buffer_bytes(&layout) <= UINT32_MAX - JSON_MAX - 28; // three headers
}

// ---- JSON ---------------------------------------------------------------------------------------

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(glb_text *json, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(json->text + json->used, JSON_MAX - json->used, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < JSON_MAX - json->used);
    if (length > 0) json->used += (size_t)length;
    if (json->used > JSON_MAX - 1) json->used = JSON_MAX - 1;
}

// A vector as glTF wants it, y up.
static void turned(const float *from, float to[3])
{
    to[0] = from[0], to[1] = from[2], to[2] = -from[1];
}

// Places must come with their box. The digits are all that a double needs: readers compare.
static void say_box(glb_text *json, const glb_array *a)
{
    float low[3], high[3], p[3];
    turned(a->values, low);
    turned(a->values, high);
    for (size_t v = 1; v < a->count; v++) {
        turned(a->values + 3 * v, p);
        for (int i = 0; i < 3; i++) {
            if (p[i] < low[i]) low[i] = p[i];
            if (p[i] > high[i]) high[i] = p[i];
        }
    }
    say(json, ",\"min\":[%.17g,%.17g,%.17g],\"max\":[%.17g,%.17g,%.17g]", (double)low[0],
        (double)low[1], (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
}

static void say_accessor(glb_text *json, const glb_array *a, int view)
{
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    int component = !a->values ? UNSIGNED_INT : a->size == 4 ? UNSIGNED_BYTE : FLOAT;
    say(json, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"",
        view > 0 ? "," : "", view, component, a->count, types[a->size]);
    if (a->size == 4) say(json, ",\"normalized\":true");
    if (strcmp(a->name, "POSITION") == 0) say_box(json, a);
    say(json, "}");
}

static void say_buffer(glb_text *json, const glb_layout *layout)
{
    say(json, ",\"accessors\":[");
    for (int i = 0; i < layout->count; i++) say_accessor(json, &layout->arrays[i], i);
    say(json, "],\"bufferViews\":[");
    uint64_t offset = 0;
    for (int i = 0; i < layout->count; i++) {
        uint64_t bytes = bytes_of(&layout->arrays[i]);
        say(json,
            "%s{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64 ",\"target\":%d}",
            i > 0 ? "," : "", offset, bytes, i > 0 ? ARRAY_BUFFER : ELEMENT_ARRAY_BUFFER);
        offset += bytes;
    }
    say(json, "],\"buffers\":[{\"byteLength\":%" PRIu64 "}]", offset);
}

static void say_material(glb_text *json, const rv_mesh_export *mesh)
{
    say(json,
        ",\"materials\":[{\"name\":\"%.32s\",\"pbrMetallicRoughness\":{\"baseColorFactor\":"
        "[%.6g,%.6g,%.6g,1],\"metallicFactor\":0,\"roughnessFactor\":%.6g}",
        mesh->name, (double)mesh->color[0], (double)mesh->color[1], (double)mesh->color[2],
        (double)mesh->roughness);
    // a liquid's surface is open, and is looked at from below too
    if (mesh->opacity) say(json, ",\"alphaMode\":\"BLEND\",\"doubleSided\":true");
    say(json, "}]");
}

static void say_mesh(glb_text *json, const rv_mesh_export *mesh, const glb_layout *layout)
{
    say(json, ",\"meshes\":[{\"name\":\"%.32s\",\"primitives\":[{\"attributes\":{", mesh->name);
    for (int i = 1; i < layout->count; i++)
        say(json, "%s\"%s\":%d", i > 1 ? "," : "", layout->arrays[i].name, i);
    say(json, "},\"indices\":0,\"material\":0}]}]");
}

static void describe(glb_text *json, const rv_mesh_export *mesh, const glb_layout *layout)
{
    say(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"rivulet\"},\"scene\":0,"
              "\"scenes\":[{\"nodes\":[0]}],");
    say(json, "\"nodes\":[{\"name\":\"%.32s\",\"extras\":{\"time\":%.12g}%s}]", mesh->name,
        mesh->time, layout->count > 0 ? ",\"mesh\":0" : "");
    if (layout->count > 0) {
        say_mesh(json, mesh, layout);
        say_material(json, mesh);
        say_buffer(json, layout);
    }
    say(json, "}");
    while (json->used % 4) say(json, " "); // chunks have whole words
}

// ---- The buffer ---------------------------------------------------------------------------------

static void write_vectors(FILE *out, const float *values, size_t count)
{
    for (size_t from = 0; from < count; from += CHUNK) {
        unsigned char bytes[12 * CHUNK], *end = bytes;
        for (size_t v = from; v < count && v < from + CHUNK; v++) {
            float p[3];
            turned(values + 3 * v, p);
            for (int i = 0; i < 3; i++) end = rv_put_real(end, p[i]);
        }
        fwrite(bytes, 1, (size_t)(end - bytes), out);
    }
}

// White, so that the material's colour stays, and as opaque as the vertex is.
static void write_colors(FILE *out, const float *opacity, size_t count)
{
    for (size_t from = 0; from < count; from += CHUNK) {
        unsigned char bytes[4 * CHUNK], *end = bytes;
        for (size_t v = from; v < count && v < from + CHUNK; v++) {
            float o = opacity[v] > 0 ? opacity[v] < 1 ? opacity[v] : 1 : 0;
            for (int i = 0; i < 3; i++) *end++ = 255;
            *end++ = (unsigned char)lrintf(255 * o);
        }
        fwrite(bytes, 1, (size_t)(end - bytes), out);
    }
}

void rv_write_glb(FILE *out, const rv_mesh_export *mesh)
{
    glb_layout layout = layout_of(mesh);
    glb_text json = {.used = 0};
    describe(&json, mesh, &layout);
    uint32_t bin = (uint32_t)buffer_bytes(&layout), text = (uint32_t)json.used;
    uint32_t all = 12 + 8 + text + (bin > 0 ? 8 + bin : 0);
    rv_write_wholes(out, (uint32_t[]){MAGIC, 2, all, text, JSON_CHUNK}, 5);
    fwrite(json.text, 1, json.used, out);
    if (bin > 0) rv_write_wholes(out, (uint32_t[]){bin, BIN_CHUNK}, 2);
    for (int i = 0; i < layout.count; i++) {
        const glb_array *a = &layout.arrays[i];
        if (!a->values)
            rv_write_wholes(out, mesh->indices, a->count);
        else if (a->size == 4)
            write_colors(out, a->values, a->count);
        else if (a->size == 3)
            write_vectors(out, a->values, a->count);
        else
            rv_write_reals(out, a->values, a->count);
    }
}
