// The check of OBJ files. What assimp is left to see are places (`v x y z`) and what joins them
// (`f`, `l` and `p` with indices of places only); materials, groups, normals, curves become
// comments.
#include "io/mesh_read.h"

#include <stdio.h>
#include <string.h>

typedef struct obj_text {
    const rv_mesh_reader *reader;
    int line;
    int64_t all_vertices, vertices; // in the file, and so far
    int64_t faces;
    int parts;
    bool new_part; // begun by `o` or `g`, still without a face
} obj_text;

static bool wrong_line(const obj_text *t, const char *what)
{
    return rv_mesh_refuse(t->reader, "line %d: %s", t->line, what);
}

// UTF-16 with its mark, as some programs of Windows write it; only ASCII matters here. UTF-8's mark
// is blanked.
static void to_ascii(rv_file_bytes *file)
{
    unsigned char *d = file->data;
    if (file->size >= 3 && memcmp(d, "\xef\xbb\xbf", 3) == 0) memset(d, ' ', 3);
    if (file->size < 2 || d[0] + d[1] != 0xfe + 0xff || (d[0] != 0xfe && d[0] != 0xff)) return;
    size_t low = d[0] == 0xfe ? 1 : 0, count = file->size / 2 - 1;
    for (size_t i = 0; i < count; i++) {
        unsigned char lower = d[2 * i + 2 + low], upper = d[2 * i + 3 - low];
        d[i] = upper == 0 && lower < 0x80 ? lower : '?';
    }
    file->size = count;
    d[count] = 0;
}

static void blank(char *from, const char *end)
{
    while (from < end) *from++ = ' ';
}

// A line that ends with a backslash goes on in the next; the count of lines is off by those.
static void join_lines(char *text)
{
    for (char *c = strchr(text, '\\'); c; c = strchr(c + 1, '\\')) {
        size_t ends = c[1] == '\r' && c[2] == '\n' ? 2 : c[1] == '\n' ? 1 : 0;
        if (ends) blank(c, c + 1 + ends);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// The next line's first character that is not blank; its end is left in *end.
static char *line_at(char *at, char **end)
{
    *end = at + strcspn(at, "\r\n");
    while (is_blank(*at)) at++;
    return at;
}

static char *next_line(char *end)
{
    if (*end == '\r' && end[1] == '\n') return end + 2;
    return *end ? end + 1 : end;
}

static int64_t count_vertices(char *text)
{
    int64_t count = 0;
    for (char *at = text, *end; *at; at = next_line(end)) {
        const char *c = line_at(at, &end);
        count += c[0] == 'v' && is_blank(c[1]);
    }
    return count;
}

// After three numbers there may be a weight or a colour.
static bool check_vertex(obj_text *t, char *at, char *end)
{
    const char *c = at + 1;
    double number;
    for (int i = 0; i < 3; i++)
        if (!rv_text_real(&c, &number)) return wrong_line(t, "a vertex needs three finite numbers");
    blank(at + (c - at), end);
    t->vertices++;
    return true;
}

// `f 1/2/3 4//5 6`: leaves the first of each, which is the place.
static bool check_corners(obj_text *t, char *at, char *end)
{
    int corners = 0;
    for (char *c = at + 1; !rv_text_line_ends(c); corners++) {
        const char *after = c;
        int64_t index;
        if (!rv_text_whole(&after, &index)) return wrong_line(t, "an index is a whole number");
        c += after - c;
        if (index == 0 || index > t->all_vertices || index < -t->vertices)
            return rv_mesh_refuse(t->reader, "line %d: vertex %lld of %lld", t->line,
                                  (long long)index, (long long)t->all_vertices);
        size_t rest = strspn(c, "/-+0123456789");
        if (rest && *c != '/') return wrong_line(t, "an index is a whole number");
        if (c + rest < end && !is_blank(c[rest]))
            return wrong_line(t, "an index is a whole number");
        blank(c, c + rest);
        c += rest;
    }
    if (*at != 'f' || corners < 3) { // points and lines
        t->reader->out->skipped += corners > 0;
        *at = '#';
        return true;
    }
    if (t->new_part || t->parts == 0) t->parts++;
    t->new_part = false;
    t->faces += corners - 2;
    return true;
}

static bool check_line(obj_text *t, char *at, char *end)
{
    if (at == end || *at == '#') return true;
    if (is_blank(at[1])) {
        if (*at == 'v') return check_vertex(t, at, end);
        if (*at == 'f' || *at == 'l' || *at == 'p') return check_corners(t, at, end);
    }
    if (*at == 'o' || *at == 'g') t->new_part = true;
    *at = '#';
    return true;
}

bool rv_obj_check(const rv_mesh_reader *reader, rv_file_bytes *file)
{
    snprintf(reader->out->format, sizeof reader->out->format, "obj");
    to_ascii(file);
    if (memchr(file->data, 0, file->size)) return rv_mesh_refuse(reader, "is no OBJ file");
    char *text = (char *)file->data;
    join_lines(text);
    obj_text t = {.reader = reader, .line = 1, .all_vertices = count_vertices(text)};
    if (t.all_vertices == 0) return rv_mesh_refuse(reader, "has no vertices, or is no OBJ file");
    for (char *at = text, *end; *at; at = next_line(end), t.line++) {
        char *start = line_at(at, &end);
        if (!check_line(&t, start, end)) return false;
    }
    if (t.faces == 0) return rv_mesh_refuse(reader, "has no triangles");
    if ((uint64_t)t.faces > RV_MESH_TRIANGLES_MAX)
        return rv_mesh_refuse(reader, "%lld triangles are more than %zu", (long long)t.faces,
                              RV_MESH_TRIANGLES_MAX);
    reader->out->parts = t.parts;
    return true;
}
