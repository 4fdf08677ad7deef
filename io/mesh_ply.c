// The check of PLY files: a header that lists elements with their counts and properties, then the
// elements, as text or binary. The body is walked whole, so that each count is known to be there
// and each face to name vertices that exist.
#define _POSIX_C_SOURCE 200809L
#include "io/mesh_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX 32
#define PROPERTIES_MAX 64
#define LIST_MAX 65535 // corners of a face, and anything else in a list

typedef enum ply_kind { PLY_NONE, PLY_INT, PLY_UINT, PLY_REAL } ply_kind;

typedef struct ply_type {
    ply_kind kind;
    int bytes;
} ply_type;

typedef struct ply_property {
    ply_type type;
    ply_type count;  // of a list; PLY_NONE: not a list
    bool is_place;   // x, y or z of a vertex
    bool is_corners; // the indices of a face
} ply_property;

typedef struct ply_element {
    int64_t count;
    bool is_vertex, is_face;
    int properties;
    ply_property property[PROPERTIES_MAX];
} ply_element;

typedef struct ply_file {
    const rv_mesh_reader *reader;
    bool text, big;
    int elements;
    ply_element element[ELEMENTS_MAX];
    int64_t vertices, faces, triangles;
    unsigned places; // bits: x, y and z are there
    bool has_corners;
    const char *at, *end; // in the body
} ply_file;

// ---- Header -------------------------------------------------------------------------------------

static bool word_is(const char *word, const char *words)
{
    for (; *words; words += strlen(words) + 1)
        if (strcmp(word, words) == 0) return true;
    return false;
}

static ply_type type_named(const char *word)
{
    if (word_is(word, "char\0int8\0")) return (ply_type){PLY_INT, 1};
    if (word_is(word, "uchar\0uint8\0")) return (ply_type){PLY_UINT, 1};
    if (word_is(word, "short\0int16\0")) return (ply_type){PLY_INT, 2};
    if (word_is(word, "ushort\0uint16\0")) return (ply_type){PLY_UINT, 2};
    if (word_is(word, "int\0int32\0")) return (ply_type){PLY_INT, 4};
    if (word_is(word, "uint\0uint32\0")) return (ply_type){PLY_UINT, 4};
    if (word_is(word, "float\0float32\0")) return (ply_type){PLY_REAL, 4};
    if (word_is(word, "double\0float64\0")) return (ply_type){PLY_REAL, 8};
    return (ply_type){PLY_NONE, 0};
}

static bool wrong_header(const ply_file *ply, const char *line)
{
    return rv_mesh_refuse(ply->reader, "header: `%.60s` is not understood", line);
}

static bool read_format(ply_file *ply, const char *kind)
{
    if (ply->reader->out->format[0]) return false; // twice
    ply->text = strcmp(kind, "ascii") == 0;
    ply->big = strcmp(kind, "binary_big_endian") == 0;
    snprintf(ply->reader->out->format, sizeof ply->reader->out->format, "%s ply",
             ply->text ? "ascii" : "binary");
    return ply->text || ply->big || strcmp(kind, "binary_little_endian") == 0;
}

// assimp keeps one list of each kind, as long as the first it meets.
static bool read_element(ply_file *ply, const char *name, const char *count)
{
    if (ply->elements == ELEMENTS_MAX) return false;
    ply_element *e = &ply->element[ply->elements++];
    *e = (ply_element){.is_vertex = strcmp(name, "vertex") == 0,
                       .is_face = strcmp(name, "face") == 0};
    if (!rv_text_whole(&count, &e->count) || *count || e->count < 0) return false;
    for (int i = 0; i < ply->elements - 1; i++)
        if ((e->is_vertex && (ply->element[i].is_vertex || ply->element[i].is_face)) ||
            (e->is_face && ply->element[i].is_face))
            return false;
    if (e->is_vertex) ply->vertices = e->count;
    if (e->is_face) ply->faces = e->count;
    return strcmp(name, "tristrips") != 0 || e->count == 0; // strips are not read
}

static bool read_property(ply_file *ply, char *word[5], int words)
{
    ply_element *e = ply->elements ? &ply->element[ply->elements - 1] : NULL;
    bool list = words == 5 && strcmp(word[1], "list") == 0;
    if (!e || e->properties == PROPERTIES_MAX || (!list && words != 3)) return false;
    ply_property *p = &e->property[e->properties++];
    *p = (ply_property){.type = type_named(word[list ? 3 : 1])};
    const char *name = word[list ? 4 : 2];
    if (p->type.kind == PLY_NONE) return false;
    if (!list) {
        p->is_place = e->is_vertex && word_is(name, "x\0y\0z\0");
        if (p->is_place) ply->places |= 1u << (name[0] - 'x');
        return true;
    }
    p->count = type_named(word[2]);
    p->is_corners = e->is_face && word_is(name, "vertex_indices\0vertex_index\0");
    ply->has_corners |= p->is_corners;
    // assimp reads indices of whole numbers only, and places that are no lists
    return (p->count.kind == PLY_INT || p->count.kind == PLY_UINT) && !e->is_vertex &&
           (!p->is_corners || p->type.kind != PLY_REAL);
}

// Comments, and lines that someone forgot to mark as such. assimp need not see them.
static bool is_comment(const char *line)
{
    static const char *const meant[] = {"ply", "format", "element", "property", "end_header"};
    size_t word = strcspn(line, " \t\r");
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++)
        if (strlen(meant[i]) == word && memcmp(line, meant[i], word) == 0) return false;
    return strlen(line) >= 8;
}

static void blank_comment(char *line)
{
    size_t length = strlen(line);
    if (line[length - 1] == '\r') length--;
    memset(line, '-', length);
    memcpy(line, "comment", 7);
    if (length > 7) line[7] = ' ';
}

// What is neither a place nor a corner gets a name that assimp does not know.
static void hide_names(const ply_file *ply, char *line, const char *copy, char *word[], int words)
{
    const ply_element *e = ply->elements ? &ply->element[ply->elements - 1] : NULL;
    bool element = strcmp(word[0], "element") == 0;
    char *name = element ? word[1] : word[words - 1];
    if (!e || strcmp(word[0], "format") == 0) return;
    const ply_property *p = element ? NULL : &e->property[e->properties - 1];
    if (element ? e->is_vertex || e->is_face : p->is_place || p->is_corners) return;
    memset(line + (name - copy), '_', strlen(name));
}

static bool read_header_line(ply_file *ply, char *line)
{
    char copy[256], *word[6], *keep = NULL;
    int words = 0;
    if (strlen(line) >= sizeof copy) return wrong_header(ply, line);
    memcpy(copy, line, strlen(line) + 1);
    for (char *w = strtok_r(copy, " \t\r", &keep); w && words < 6;
         w = strtok_r(NULL, " \t\r", &keep))
        word[words++] = w;
    if (words == 0 || word_is(word[0], "comment\0obj_info\0ply\0")) return true;
    bool good = false;
    if (strcmp(word[0], "format") == 0)
        good = words == 3 && read_format(ply, word[1]);
    else if (strcmp(word[0], "element") == 0)
        good = words == 3 && read_element(ply, word[1], word[2]);
    else if (strcmp(word[0], "property") == 0)
        good = read_property(ply, word, words);
    if (good) hide_names(ply, line, copy, word, words);
    return good ? true : wrong_header(ply, line);
}

// Reads up to and with end_header.
static bool read_header(ply_file *ply, char *at, char *end)
{
    while (at < end) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) break;
        *stop = '\0';
        bool comment = is_comment(at);
        bool last = strncmp(at, "end_header", 10) == 0 && rv_text_line_ends(at + 10);
        bool good = comment || last || read_header_line(ply, at);
        if (comment) blank_comment(at);
        *stop = '\n';
        if (!good) return false;
        at = stop + 1;
        if (last) {
            ply->at = at;
            return true;
        }
    }
    return rv_mesh_refuse(ply->reader, "cut short: its header does not end");
}

// ---- Body ---------------------------------------------------------------------------------------

static bool short_body(const ply_file *ply, const ply_element *e, int64_t there)
{
    return rv_mesh_refuse(ply->reader, "cut short: %lld %s announced, %lld there",
                          (long long)e->count,
                          e->is_vertex ? "vertices"
                          : e->is_face ? "faces"
                                       : "elements",
                          (long long)there);
}

// One value. Whole numbers fit a double exactly. false: it is not there, or no number.
static bool take(ply_file *ply, ply_type type, double *out)
{
    if (ply->text && type.kind == PLY_REAL) return rv_text_real(&ply->at, out);
    if (ply->text) {
        int64_t whole;
        bool good = rv_text_whole(&ply->at, &whole) && strchr(" \t\r\n", *ply->at);
        *out = good ? (double)whole : 0;
        return good;
    }
    if (ply->end - ply->at < type.bytes) return false;
    unsigned char b[8] = {0};
    for (int i = 0; i < type.bytes; i++)
        b[i] = (unsigned char)ply->at[ply->big ? type.bytes - 1 - i : i];
    ply->at += type.bytes;
    uint64_t bits = 0;
    for (int i = 7; i >= 0; i--) bits = bits << 8 | b[i];
    if (type.kind == PLY_REAL && type.bytes == 8) {
        memcpy(out, &bits, sizeof *out);
    } else if (type.kind == PLY_REAL) {
        float value;
        uint32_t half = (uint32_t)bits;
        memcpy(&value, &half, sizeof value);
        *out = (double)value;
    } else {
        int64_t top = (int64_t)1 << (8 * type.bytes - 1);
        *out = (double)(type.kind == PLY_INT ? ((int64_t)bits ^ top) - top : (int64_t)bits);
    }
    return true;
}

static bool check_list(ply_file *ply, const ply_element *e, const ply_property *p, int64_t row)
{
    double count, value;
    if (!take(ply, p->count, &count)) return short_body(ply, e, row);
    if (!(count >= 0 && count <= LIST_MAX) || count != floor(count))
        return rv_mesh_refuse(ply->reader, "a list of %g at element %lld; at most %d are possible",
                              count, (long long)row, LIST_MAX);
    for (int i = 0; i < (int)count; i++) {
        if (!take(ply, p->type, &value)) return short_body(ply, e, row);
        if (p->is_corners && !(value >= 0 && value < (double)ply->vertices))
            return rv_mesh_refuse(ply->reader, "face %lld: vertex %.0f of %lld", (long long)row,
                                  value, (long long)ply->vertices);
    }
    if (p->is_corners && count > 2) ply->triangles += (int64_t)count - 2;
    return true;
}

static bool check_row(ply_file *ply, const ply_element *e, int64_t row)
{
    for (int i = 0; i < e->properties; i++) {
        const ply_property *p = &e->property[i];
        double value;
        if (p->count.kind != PLY_NONE) {
            if (!check_list(ply, e, p, row)) return false;
        } else if (!take(ply, p->type, &value)) {
            return short_body(ply, e, row);
        } else if (p->is_place && !(fabs(value) <= 3.4028234e38)) {
            return rv_mesh_refuse(ply->reader, "vertex %lld is not finite", (long long)row);
        }
    }
    if (!ply->text) return true;
    // assimp reads lines, one a row
    if (!rv_text_line_ends(ply->at))
        return rv_mesh_refuse(ply->reader, "more numbers in a line than its header says");
    while (ply->at < ply->end && strchr(" \t\r\n", *ply->at) && *ply->at) ply->at++;
    return true;
}

// Bytes that a row has at least.
static int64_t row_bytes(const ply_file *ply, const ply_element *e)
{
    int64_t bytes = 0;
    for (int i = 0; i < e->properties; i++) {
        const ply_property *p = &e->property[i];
        bytes += ply->text ? 2 : p->count.kind != PLY_NONE ? p->count.bytes : p->type.bytes;
    }
    return bytes;
}

static bool check_body(ply_file *ply)
{
    for (int k = 0; k < ply->elements; k++) {
        const ply_element *e = &ply->element[k];
        int64_t least = row_bytes(ply, e), there = ply->end - ply->at;
        if (e->count > 0 && least == 0)
            return rv_mesh_refuse(ply->reader, "header: an element without properties");
        if (e->count > 0 && (there + 1) / least < e->count) // text may end without a line end
            return short_body(ply, e, there / least);
        for (int64_t row = 0; row < e->count; row++)
            if (!check_row(ply, e, row)) return false;
    }
    return true;
}

bool rv_ply_check(const rv_mesh_reader *reader, rv_file_bytes *file)
{
    char *text = (char *)file->data;
    if (file->size < 4 || memcmp(text, "ply", 3) != 0 || (text[3] != '\n' && text[3] != '\r'))
        return rv_mesh_refuse(reader, "is no PLY file");
    ply_file *ply = calloc(1, sizeof *ply);
    if (!ply) return rv_mesh_refuse(reader, "not enough memory");
    ply->reader = reader;
    ply->end = text + file->size;
    bool good = read_header(ply, text, text + file->size);
    if (good && !reader->out->format[0]) good = rv_mesh_refuse(reader, "header: no format");
    if (good && (!ply->vertices || ply->places != 7))
        good = rv_mesh_refuse(reader, "has no vertices");
    if (good && (!ply->faces || !ply->has_corners)) good = rv_mesh_refuse(reader, "has no faces");
    good = good && check_body(ply);
    if (good && (uint64_t)ply->triangles > RV_MESH_TRIANGLES_MAX)
        good = rv_mesh_refuse(reader, "%lld triangles are more than %zu", (long long)ply->triangles,
                              RV_MESH_TRIANGLES_MAX);
    free(ply);
    return good;
}
