// The check of STL files. Binary: 80 bytes of anything, a count, 50 bytes a triangle. Text: facets
// of three vertices each.
#include "io/mesh_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 80, FIRST = 84, EACH = 50 };

static uint32_t little32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float little_float(const unsigned char *b)
{
    uint32_t bits = little32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool check_binary(const rv_mesh_reader *reader, rv_file_bytes *file, uint32_t count)
{
    snprintf(reader->out->format, sizeof reader->out->format, "binary stl");
    if (count == 0) return rv_mesh_refuse(reader, "has no triangles");
    if (count > RV_MESH_TRIANGLES_MAX)
        return rv_mesh_refuse(reader, "%u triangles are more than %zu", count,
                              RV_MESH_TRIANGLES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *corner = file->data + FIRST + (size_t)i * EACH + 12;
        for (int k = 0; k < 9; k++)
            if (!isfinite(little_float(corner + 4 * k)))
                return rv_mesh_refuse(reader, "triangle %u is not finite", i + 1);
    }
    // The header may hold a colour or a name; neither is wanted. Nor is what follows the triangles.
    memset(file->data, 0, HEAD);
    file->size = FIRST + (size_t)count * EACH;
    file->data[file->size] = 0;
    return true;
}

// ---- Text ---------------------------------------------------------------------------------------

typedef struct stl_text {
    const rv_mesh_reader *reader;
    int line;
    bool in_facet;
    int vertices; // of the facet
    int64_t facets;
} stl_text;

static bool starts_with(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && (isspace((unsigned char)at[length]) || !at[length]);
}

static bool wrong_line(const stl_text *t, const char *what)
{
    return rv_mesh_refuse(t->reader, "line %d: %s", t->line, what);
}

static void blank(char *from, const char *end)
{
    while (from < end) *from++ = ' ';
}

static bool check_vertex(stl_text *t, const char *at)
{
    double number;
    for (int i = 0; i < 3; i++)
        if (!rv_text_real(&at, &number)) return wrong_line(t, "a vertex needs three numbers");
    if (!rv_text_line_ends(at)) return wrong_line(t, "a vertex needs three numbers");
    if (!t->in_facet) return wrong_line(t, "a vertex outside a facet");
    if (++t->vertices > 3) return wrong_line(t, "a facet has three vertices");
    return true;
}

// A facet's normal is not wanted, and is often not a number; but assimp needs one.
static bool replace_normal(const stl_text *t, char *at, char *end)
{
    static const char plain[] = "facet normal 0 0 0";
    const size_t length = sizeof plain - 1;
    if ((size_t)(end - at) < length) return wrong_line(t, "a facet needs a normal");
    memcpy(at, plain, length);
    blank(at + length, end);
    return true;
}

// One line from `at` to `end`, blanks before it passed over.
static bool check_line(stl_text *t, char *at, char *end)
{
    if (at == end) return true;
    if (starts_with(at, "vertex")) return check_vertex(t, at + 6);
    if (starts_with(at, "facet")) {
        if (t->in_facet) return wrong_line(t, "a facet within a facet");
        t->in_facet = true, t->vertices = 0;
        return replace_normal(t, at, end);
    }
    if (starts_with(at, "endfacet")) {
        if (!t->in_facet || t->vertices != 3) return wrong_line(t, "a facet has three vertices");
        t->in_facet = false, t->facets++;
        return true;
    }
    if (starts_with(at, "outer") || starts_with(at, "endloop")) return true;
    bool begins = starts_with(at, "solid");
    if (!begins && !starts_with(at, "endsolid") && !starts_with(at, "end"))
        return wrong_line(t, "is no line of an STL file");
    if (t->in_facet) return wrong_line(t, "the solid ends within a facet");
    blank(at + (begins ? 5 : 8 < end - at ? 8 : end - at), end); // names may be anything
    return true;
}

static bool check_text(const rv_mesh_reader *reader, rv_file_bytes *file)
{
    snprintf(reader->out->format, sizeof reader->out->format, "ascii stl");
    stl_text t = {.reader = reader, .line = 1};
    char *text = (char *)file->data;
    for (char *at = text; *at; t.line++) {
        char *end = at + strcspn(at, "\r\n");
        while (*at == ' ' || *at == '\t') at++;
        for (char *c = at; c < end; c++) *c = (char)tolower((unsigned char)*c);
        if (!check_line(&t, at, end)) return false;
        at = *end == '\r' && end[1] == '\n' ? end + 2 : *end ? end + 1 : end;
    }
    if (t.in_facet)
        return rv_mesh_refuse(reader, "cut short: facet %lld does not end",
                              (long long)t.facets + 1);
    if (t.facets == 0) return rv_mesh_refuse(reader, "has no triangles");
    if ((uint64_t)t.facets > RV_MESH_TRIANGLES_MAX)
        return rv_mesh_refuse(reader, "%lld triangles are more than %zu", (long long)t.facets,
                              RV_MESH_TRIANGLES_MAX);
    return true;
}

bool rv_stl_check(const rv_mesh_reader *reader, rv_file_bytes *file)
{
    const char *text = (const char *)file->data;
    // In text, the four bytes of the count would mean more than half a billion triangles.
    uint32_t count = file->size >= FIRST ? little32(file->data + HEAD) : 0;
    bool is_text = !memchr(file->data, 0, file->size);
    if (file->size >= FIRST && FIRST + (uint64_t)count * EACH <= file->size)
        return check_binary(reader, file, count);
    if (is_text && starts_with(text + strspn(text, " \t\r\n"), "solid"))
        return check_text(reader, file);
    if (file->size < FIRST || is_text) return rv_mesh_refuse(reader, "is no STL file");
    return rv_mesh_refuse(reader, "cut short: %u triangles announced, %zu there", count,
                          (file->size - FIRST) / EACH);
}
