// Marching cubes. A cell of eight samples has 256 cases of which corners are solid. On each face of
// the cell the surface leaves lines between the crossed edges; joined, they are closed loops, and
// each loop is filled with triangles.
//
// On a face with solid corners on one diagonal only, these are kept apart. Both cells beside the
// face see the same lines, one in each direction, so the triangles fit together. They do as long as
// no edge inside of a loop lies in a face, where the other cell could have the same one: the fan
// begins where there is none.
//
// The lattice is walked slice by slice. Signs are bits, 64 cells a word, so empty space costs
// little; each crossed edge gets its vertex when its slice arrives. Where the solid is cut, the
// lattice goes on with free samples, and the vertex of an edge that leads there is the last sample
// itself, one for all such edges of a sample: then the surface of these cells lies flat in the cut.
#include "terrain/marching_parts.h"

#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define SURE 0.93    // size of a distance's gradient over two spacings, but beside an edge
#define SAME 0.94    // cosine of how far it turns from one sample to the next: 20 degrees
#define A_LITTLE 0.1 // of an edge
#define ON_IT 1e-4   // of an edge: a sample that is no farther from a surface is on it
#define INSET 1e-4   // share of an edge; the columns' heights are rounded to about the same

// ---- The table ----------------------------------------------------------------------------------

// The edge between two neighbouring corners.
static int edge_between(int a, int b)
{
    int axis = (a ^ b) >> 1, low = a & b; // 1, 2, 4 → 0, 1, 2
    return axis << 2 | (low >> (axis + 1) % 3 & 1) | (low >> (axis + 2) % 3 & 1) << 1;
}

// The corners of a face, counter-clockwise seen from outside.
static void face_corners(int face, int corner[4])
{
    static const int around[4] = {0, 1, 3, 2}; // bit 0: along the next axis, bit 1: the one after
    int axis = face >> 1, high = face & 1;
    for (int n = 0; n < 4; n++) {
        int at = around[high ? n : 3 - n];
        corner[n] = high << axis | (at & 1) << (axis + 1) % 3 | at >> 1 << (axis + 2) % 3;
    }
}

// next[e]: the edge that the surface goes on to from edge e. On each face a line cuts off each run
// of solid corners, from the edge that leads into the run to the one that leads out of it.
static void join_edges(int solid, int next[12])
{
    for (int face = 0; face < 6; face++) {
        int corner[4];
        face_corners(face, corner);
        for (int n = 0; n < 4; n++) {
            int before = corner[n], in = corner[(n + 1) & 3];
            if (solid >> before & 1 || !(solid >> in & 1)) continue;
            int m = n + 1;
            while (solid >> corner[(m + 1) & 3] & 1) m++;
            next[edge_between(before, in)] = edge_between(corner[m & 3], corner[(m + 1) & 3]);
        }
    }
}

// Whether two edges belong to one face.
static bool share_face(int e, int f)
{
    int a = rv_march_start(e), b = rv_march_start(f);
    for (int axis = 0; axis < 3; axis++)
        if (axis != e >> 2 && axis != f >> 2 && (a >> axis & 1) == (b >> axis & 1)) return true;
    return false;
}

// Whether a fan from this place of the loop has no edge in a face.
static bool good_fan(const int *loop, int count, int from)
{
    for (int n = 2; n < count - 1; n++)
        if (share_face(loop[from], loop[(from + n) % count])) return false;
    return true;
}

static void fill_loop(const int *loop, int count, rv_march_case *out)
{
    int from = 0;
    out->around[out->loops++] = (uint8_t)count;
    while (from < count - 1 && !good_fan(loop, count, from)) from++;
    for (int n = 1; n < count - 1; n++) {
        uint8_t *edge = out->edge + 3 * (size_t)out->triangles++;
        edge[0] = (uint8_t)loop[from];
        edge[1] = (uint8_t)loop[(from + n) % count];
        edge[2] = (uint8_t)loop[(from + n + 1) % count];
    }
}

void rv_march_table_make(rv_march_table *out)
{
    memset(out, 0, sizeof *out);
    for (int solid = 1; solid < 255; solid++) {
        int next[12], loop[12];
        for (int e = 0; e < 12; e++) next[e] = -1;
        join_edges(solid, next);
        for (int e = 0; e < 12; e++) {
            int count = 0;
            for (int at = e; next[at] >= 0;) {
                int then = next[at];
                loop[count++] = at, next[at] = -1, at = then;
            }
            if (count > 0) fill_loop(loop, count, &out->of[solid]);
        }
    }
}

// ---- What is held while walking -----------------------------------------------------------------

static float *slice_of(const rv_marcher *m, int k)
{
    return m->samples + (size_t)(unsigned)(k & (SLICES - 1)) * m->flat;
}

static float sample_at(const rv_marcher *m, int i, int j, int k)
{
    return slice_of(m, k)[(size_t)(j - m->first[1]) * m->pitch + (size_t)(i - m->first[0])];
}

static size_t flat_index(const rv_marcher *m, int i, int j)
{
    return (size_t)j * (size_t)m->l->n[0] + (size_t)i;
}

static uint64_t *row_of(const rv_marcher *m, int j, int k)
{
    return m->solid[k & 1] + (size_t)(j + 1) * m->words;
}

static bool take_memory(rv_marcher *m, const rv_allocator *a)
{
    m->samples = rv_new(a, SLICES * m->flat, sizeof *m->samples);
    m->solid[0] = rv_new(a, 2 * m->rows * m->words, sizeof *m->solid[0]);
    m->indices_block = rv_new(a, 7 * m->cells, sizeof *m->indices_block);
    if (!m->samples || !m->solid[0] || !m->indices_block) return false;
    m->solid[1] = m->solid[0] + m->rows * m->words;
    for (int n = 0; n < 6; n++) m->vertex[n / 3][n % 3] = m->indices_block + (size_t)n * m->cells;
    m->upward = m->indices_block + 6 * m->cells;
    return true;
}

static void free_memory(rv_marcher *m, const rv_allocator *a)
{
    rv_free(a, m->samples, SLICES * m->flat, sizeof *m->samples);
    rv_free(a, m->solid[0], 2 * m->rows * m->words, sizeof *m->solid[0]);
    rv_free(a, m->indices_block, 7 * m->cells, sizeof *m->indices_block);
}

// Makes an array of rows of three a new length; what does not fit is lost.
static bool resize(const rv_allocator *a, void **array, size_t old, size_t now)
{
    void *larger = now > 0 ? rv_new(a, now, 3 * sizeof(float)) : NULL;
    if (now > 0 && !larger) return false;
    if (*array && larger) memcpy(larger, *array, (old < now ? old : now) * 3 * sizeof(float));
    rv_free(a, *array, old, 3 * sizeof(float));
    *array = larger;
    return true;
}

_Static_assert(sizeof(uint32_t) == sizeof(float), "resize serves both");

static bool resize_vertices(rv_marcher *m, size_t room)
{
    void *positions = m->out->positions, *normals = m->out->normals;
    bool good = resize(&m->out->allocator, &positions, m->vertex_room, room);
    m->out->positions = positions;
    if (good && m->l->normals) {
        good = resize(&m->out->allocator, &normals, m->vertex_room, room);
        // the mesh is given back as a whole: both arrays must have one length
        if (!good) {
            rv_free(&m->out->allocator, positions, room, 3 * sizeof(float));
            m->out->positions = NULL;
        }
        m->out->normals = normals;
    }
    if (good) m->vertex_room = room;
    return good;
}

static bool resize_triangles(rv_marcher *m, size_t room)
{
    void *indices = m->out->indices;
    if (!resize(&m->out->allocator, &indices, m->triangle_room, room)) return false;
    m->out->indices = indices, m->triangle_room = room;
    return true;
}

// ---- Vertices -----------------------------------------------------------------------------------

// The sample as the gradient sees it: no farther from the solid than from the ground.
static double felt(const rv_marcher *m, const int at[3])
{
    double f = (double)sample_at(m, at[0], at[1], at[2]);
    if (m->l->ground == INT_MIN) return f;
    return fmin(f, ((double)at[2] - m->l->ground) * m->l->spacing[2]);
}

static double slope(const rv_marcher *m, const int at[3], int axis)
{
    int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
    if (at[axis] > m->first[axis]) low[axis]--;
    if (at[axis] + 1 < m->end[axis]) high[axis]++;
    return (felt(m, high) - felt(m, low)) / ((high[axis] - low[axis]) * m->l->spacing[axis]);
}

static void unit(const double v[3], const double otherwise[3], float out[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    bool good = length > 0 && isfinite(length);
    for (int a = 0; a < 3; a++) out[a] = (float)(good ? v[a] / length : otherwise[a]);
}

static bool more_vertices(rv_marcher *m)
{
    size_t most = UINT32_MAX - 1, room = m->vertex_room ? 2 * m->vertex_room : 1024;
    if (room > most) room = most;
    if (m->vertex_room == most)
        m->result = RV_BAD_ARGUMENT;
    else if (!resize_vertices(m, room))
        m->result = RV_OUT_OF_MEMORY;
    return m->result == RV_OK;
}

static bool room_to_know(rv_marcher *m)
{
    if (m->out->vertex_count < m->known_room) return true;
    rv_march_known *more = rv_regrow(&m->out->allocator, m->known, m->known_room, m->known_room,
                                     m->vertex_room, sizeof *more);
    if (!more) m->result = RV_OUT_OF_MEMORY;
    if (more) m->known = more, m->known_room = m->vertex_room;
    return more;
}

uint32_t rv_march_vertex(rv_marcher *m, const float normal[3], rv_march_known known)
{
    rv_mesh *mesh = m->out;
    if (mesh->vertex_count == m->vertex_room && !more_vertices(m)) return RV_MARCH_NONE;
    if (m->l->exact && !room_to_know(m)) return RV_MARCH_NONE;
    size_t n = mesh->vertex_count++;
    if (m->l->normals) memcpy(mesh->normals + 3 * n, normal, 3 * sizeof *normal);
    if (m->l->exact) m->known[n] = known;
    return (uint32_t)n;
}

static uint32_t add_vertex(rv_marcher *m, const int at[3], int axis, double share,
                           const float normal[3], rv_march_known known)
{
    uint32_t n = rv_march_vertex(m, normal, known);
    if (n == RV_MARCH_NONE) return 0;
    m->l->place(m->l->user, at, axis, share, m->out->positions + 3 * (size_t)n);
    return n;
}

// Where the gradient is not of one size and direction at both ends of the edge, there is more to
// the surface than samples tell.
static bool is_doubtful(const double a[3], const double b[3])
{
    double aa = 0, ab = 0, bb = 0;
    for (int d = 0; d < 3; d++) aa += a[d] * a[d], ab += a[d] * b[d], bb += b[d] * b[d];
    return !(aa > SURE * SURE && bb > SURE * SURE && ab > SAME * sqrt(aa * bb));
}

// Where on its edge the surface is, when that is known. Beside another solid samples are no
// straight line: in the corner between the two a vertex between them stands off both, as a tooth,
// and at the edge of one it is a nick. Edges along z are columns, whose beds samples tell: what is
// off them by a little, as on all that is round, stays with them.
static double exact_share(const rv_marcher *m, const int at[3], int axis, double share,
                          const double place[3])
{
    double start[3];
    m->l->corner(m->l->user, at, start);
    double exact = (place[axis] - start[axis]) / m->l->spacing[axis];
    exact = fmin(fmax(exact, m->l->inset), 1 - m->l->inset);
    return axis == 2 && fabs(exact - share) < A_LITTLE ? share : exact;
}

static uint32_t add_crossing(rv_marcher *m, int i, int j, int k, int axis)
{
    int at[3] = {i, j, k}, to[3] = {i, j, k};
    to[axis]++;
    double a = (double)sample_at(m, i, j, k), b = (double)sample_at(m, to[0], to[1], to[2]);
    double share = isfinite(a) && isfinite(b) ? a / (a - b) : 0.5;
    if (axis == 2 && to[2] == m->l->ground) share = 1; // the ground reaches up to its plane
    share = fmin(fmax(share, m->l->inset), 1 - m->l->inset);
    float normal[3] = {0};
    rv_march_known known = {.kind = RV_MARCH_SMOOTH};
    if (m->l->normals) {
        double g[3], first[3], second[3], otherwise[3] = {0};
        otherwise[axis] = a < 0 ? 1 : -1;
        for (int d = 0; d < 3; d++) first[d] = slope(m, at, d), second[d] = slope(m, to, d);
        for (int d = 0; d < 3; d++) g[d] = (1 - share) * first[d] + share * second[d];
        if (m->l->exact && is_doubtful(first, second)) {
            double place[3], exact[3];
            bool good = m->l->exact(m->l->user, at, axis, (float)a, (float)b, place, exact);
            known.kind = good ? RV_MARCH_EXACT : RV_MARCH_DOUBTFUL;
            for (int d = 0; good && d < 3; d++) g[d] = exact[d], known.at[d] = (float)place[d];
            // a solid sample on a surface is as near to the edge's other end as to this one; a free
            // one, on ground that lies in a plane of samples, is not where a wall on it stands
            bool told = fmin(a, b) < -ON_IT * m->l->spacing[axis];
            if (good && told) share = exact_share(m, at, axis, share, place);
        }
        unit(g, otherwise, normal);
    }
    return add_vertex(m, at, axis, share, normal, known);
}

// A solid sample on one cut or several.
static uint32_t add_corner(rv_marcher *m, int i, int j, int k)
{
    int at[3] = {i, j, k};
    double out[3] = {0}, otherwise[3] = {0, 0, 1};
    for (int d = 0; d < 3; d++) {
        if (at[d] == 0 && m->l->cut[d][0]) out[d] = -1;
        if (at[d] == m->l->n[d] - 1 && m->l->cut[d][1]) out[d] = 1;
    }
    float normal[3];
    unit(out, otherwise, normal);
    return add_vertex(m, at, 0, 0, normal, (rv_march_known){.kind = RV_MARCH_DOUBTFUL});
}

// Whether samples of row j of slice k are on a cut, all of them.
static bool row_on_cut(const rv_lattice *l, int j, int k)
{
    return (k == 0 && l->cut[2][0]) || (k == l->n[2] - 1 && l->cut[2][1]) ||
           (j == 0 && l->cut[1][0]) || (j == l->n[1] - 1 && l->cut[1][1]);
}

// Bits of a row, each beside the one after it.
static uint64_t shifted(const uint64_t *row, size_t w, size_t words)
{
    return row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0);
}

// Bits first … last of word w.
static uint64_t bits_between(size_t w, int first, int last)
{
    int low = first - (int)(64 * w), high = last - (int)(64 * w);
    if (high < 0 || low > 63) return 0;
    uint64_t from = low > 0 ? ~0ull << low : ~0ull;
    return high < 63 ? from & ~(~0ull << (high + 1)) : from;
}

typedef uint32_t make_vertex(rv_marcher *m, int i, int j, int k);

static uint32_t make_x(rv_marcher *m, int i, int j, int k)
{
    return add_crossing(m, i, j, k, 0);
}

static uint32_t make_y(rv_marcher *m, int i, int j, int k)
{
    return add_crossing(m, i, j, k, 1);
}

static uint32_t make_z(rv_marcher *m, int i, int j, int k)
{
    return add_crossing(m, i, j, k, 2);
}

static void make_all(rv_marcher *m, uint64_t bits, size_t w, int j, int k, make_vertex *make,
                     uint32_t *index)
{
    for (; bits && m->result == RV_OK; bits &= bits - 1) {
        int i = (int)(64 * w) + __builtin_ctzll(bits) - 1;
        index[flat_index(m, i, j)] = make(m, i, j, k);
    }
}

// Vertices of row j of slice k, and of the edges from it up to the next slice.
static void make_row(rv_marcher *m, int j, int k)
{
    const rv_lattice *l = m->l;
    int last = l->n[0]; // bit of the last sample
    uint32_t **vertex = m->vertex[k & 1];
    const uint64_t *row = row_of(m, j, k), *beside = row_of(m, j + 1, k);
    bool has_next = j + 1 < l->n[1], on_cut = row_on_cut(l, j, k);
    for (size_t w = 0; w < m->words; w++) {
        uint64_t x = (row[w] ^ shifted(row, w, m->words)) & bits_between(w, 1, last - 1);
        uint64_t ends = on_cut ? ~0ull : 0;
        if (l->cut[0][0]) ends |= bits_between(w, 1, 1);
        if (l->cut[0][1]) ends |= bits_between(w, last, last);
        make_all(m, x, w, j, k, make_x, vertex[0]);
        if (has_next) make_all(m, row[w] ^ beside[w], w, j, k, make_y, vertex[1]);
        make_all(m, row[w] & ends, w, j, k, add_corner, vertex[2]);
    }
}

static void make_upward(rv_marcher *m, int j, int k)
{
    const uint64_t *row = row_of(m, j, k), *above = row_of(m, j, k + 1);
    for (size_t w = 0; w < m->words; w++)
        make_all(m, row[w] ^ above[w], w, j, k, make_z, m->upward);
}

// ---- Triangles ----------------------------------------------------------------------------------

// The vertex on an edge of cell (i, j, k). An edge that leads out of the lattice has that of its
// sample.
static uint32_t vertex_on(const rv_marcher *m, const int cell[3], int edge)
{
    int axis = edge >> 2, corner = rv_march_start(edge);
    int at[3] = {cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2)};
    int kind = axis;
    if (at[axis] < 0)
        at[axis]++, kind = 3;
    else if (at[axis] == m->l->n[axis] - 1)
        kind = 3;
    size_t place = flat_index(m, at[0], at[1]);
    if (kind == 2) return m->upward[place];
    return m->vertex[at[2] & 1][kind == 3 ? 2 : kind][place];
}

bool rv_march_room(rv_marcher *m, size_t triangles)
{
    if (m->out->triangle_count + triangles <= m->triangle_room) return true;
    if (resize_triangles(m, m->triangle_room ? 2 * m->triangle_room : 2048)) return true;
    m->result = RV_OUT_OF_MEMORY;
    return false;
}

// One loop of a cell, `around` edges, whose fan begins at `edge`.
static void add_loop(rv_marcher *m, const int cell[3], const uint8_t *edge, int around, bool sharp)
{
    uint32_t vertex[12];
    uint8_t passed[12];
    for (int n = 0; n < around; n++) {
        passed[n] = n < 3 ? edge[n] : edge[3 * (n - 2) + 2];
        vertex[n] = vertex_on(m, cell, passed[n]);
    }
    if (sharp && (rv_march_sharp(m, cell, vertex, passed, around) || m->result != RV_OK)) return;
    if (!rv_march_room(m, RV_MARCH_TRIANGLES)) return;
    uint32_t *out = m->out->indices + 3 * m->out->triangle_count;
    for (int n = 1; n < around - 1; n++, out += 3)
        out[0] = vertex[0], out[1] = vertex[n], out[2] = vertex[n + 1];
    m->out->triangle_count += (size_t)(around - 2);
}

static void add_cell(rv_marcher *m, const int cell[3], unsigned solid)
{
    int outside = 0;
    for (int a = 0; a < 3; a++) outside += cell[a] < 0 || cell[a] == m->l->n[a] - 1;
    if (outside > 1) return; // beside an edge of the cut block: all its triangles are flat
    const rv_march_case *c = &m->table.of[solid];
    const uint8_t *edge = c->edge;
    bool sharp = m->l->exact && outside == 0 && cell[2] >= m->l->ground;
    for (int n = 0; n < c->loops && m->result == RV_OK; n++) {
        add_loop(m, cell, edge, c->around[n], sharp);
        edge += 3 * (c->around[n] - 2);
    }
}

static unsigned corners_at(const uint64_t *row[4], int bit)
{
    unsigned solid = 0;
    for (int n = 0; n < 8; n++) {
        int b = bit + (n & 1);
        solid |= (unsigned)(row[n >> 1][b >> 6] >> (b & 63) & 1) << n;
    }
    return solid;
}

static void add_row(rv_marcher *m, int j, int k)
{
    const rv_lattice *l = m->l;
    const uint64_t *row[4] = {row_of(m, j, k), row_of(m, j + 1, k), row_of(m, j, k + 1),
                              row_of(m, j + 1, k + 1)};
    int first = l->cut[0][0] ? 0 : 1, last = l->n[0] - (l->cut[0][1] ? 0 : 1); // bits of cells
    for (size_t w = 0; w < m->words && m->result == RV_OK; w++) {
        uint64_t any = 0, all = ~0ull;
        for (int n = 0; n < 4; n++) {
            uint64_t next = shifted(row[n], w, m->words);
            any |= row[n][w] | next, all &= row[n][w] & next;
        }
        uint64_t mixed = any & ~all & bits_between(w, first, last);
        for (; mixed && m->result == RV_OK; mixed &= mixed - 1) {
            int bit = (int)(64 * w) + __builtin_ctzll(mixed), cell[3] = {bit - 1, j, k};
            add_cell(m, cell, corners_at(row, bit));
        }
    }
}

// ---- The walk -----------------------------------------------------------------------------------

static void read_signs(rv_marcher *m, int k)
{
    const rv_lattice *l = m->l;
    uint64_t *to = row_of(m, -1, k);
    memset(to, 0, m->rows * m->words * sizeof *to);
    if (k < 0 || k >= l->n[2]) return;
    for (int j = 0; j < l->n[1]; j++) {
        const float *from = slice_of(m, k) + (size_t)(j - m->first[1]) * m->pitch - m->first[0];
        uint64_t *row = row_of(m, j, k), word = 0;
        int bit = 1;
        for (int i = 0; i < l->n[0]; i++, bit++) {
            if (bit == 64) *row++ = word, word = 0, bit = 0;
            word |= (uint64_t)(from[i] < 0) << bit;
        }
        *row = word;
    }
}

// The vertices of slice k, whose neighbours must have been loaded.
static void make_slice(rv_marcher *m, int k)
{
    read_signs(m, k);
    for (int j = 0; k >= 0 && k < m->l->n[2] && j < m->l->n[1] && m->result == RV_OK; j++)
        make_row(m, j, k);
}

static void load(rv_marcher *m, int last)
{
    for (; m->loaded <= last && m->loaded < m->end[2]; m->loaded++)
        m->l->slice(m->l->user, m->loaded, slice_of(m, m->loaded));
}

static void walk(rv_marcher *m)
{
    const rv_lattice *l = m->l;
    int first = l->cut[2][0] ? -1 : 0, end = l->n[2] - (l->cut[2][1] ? 0 : 1);
    int first_row = l->cut[1][0] ? -1 : 0, end_row = l->n[1] - (l->cut[1][1] ? 0 : 1);
    load(m, first + 1);
    make_slice(m, first);
    for (int k = first; k < end && m->result == RV_OK; k++) {
        load(m, k + 2);
        make_slice(m, k + 1);
        if (k >= 0 && k + 1 < l->n[2])
            for (int j = 0; j < l->n[1] && m->result == RV_OK; j++) make_upward(m, j, k);
        for (int j = first_row; j < end_row && m->result == RV_OK; j++) add_row(m, j, k);
    }
}

double rv_march_inset(double farthest, double spacing)
{
    double told_apart = 4 * ldexp(farthest, -24) / spacing;
    return fmin(fmax(told_apart, INSET), 0.25);
}

static bool mark_creases(rv_marcher *m)
{
    rv_mesh *mesh = m->out;
    mesh->creases = rv_new(&mesh->allocator, mesh->vertex_count, sizeof *mesh->creases);
    for (size_t n = 0; mesh->creases && n < mesh->vertex_count; n++)
        mesh->creases[n] = m->known[n].kind == RV_MARCH_CREASE || m->known[n].crease;
    return mesh->creases;
}

static void empty_mesh(rv_marcher *m)
{
    rv_allocator a = m->out->allocator;
    rv_free(&a, m->out->creases, m->out->vertex_count, sizeof *m->out->creases);
    rv_free(&a, m->out->positions, m->vertex_room, 3 * sizeof(float));
    rv_free(&a, m->out->normals, m->vertex_room, 3 * sizeof(float));
    rv_free(&a, m->out->indices, m->triangle_room, 3 * sizeof(uint32_t));
    *m->out = (rv_mesh){.allocator = a};
}

rv_result rv_march(const rv_lattice *l, const rv_allocator *allocator, rv_mesh *out)
{
    rv_marcher m = {.l = l, .out = out};
    *out = (rv_mesh){.allocator = *allocator};
    for (int a = 0; a < 3; a++) m.first[a] = -l->margin[a][0], m.end[a] = l->n[a] + l->margin[a][1];
    m.pitch = (size_t)(m.end[0] - m.first[0]);
    m.flat = m.pitch * (size_t)(m.end[1] - m.first[1]);
    m.cells = (size_t)l->n[0] * (size_t)l->n[1];
    m.words = (size_t)(l->n[0] + 2) / 64 + 1, m.rows = (size_t)l->n[1] + 2;
    m.loaded = m.first[2];
    rv_march_table_make(&m.table);
    if (!take_memory(&m, allocator)) m.result = RV_OUT_OF_MEMORY;
    if (m.result == RV_OK) walk(&m);
    free_memory(&m, allocator);
    if (m.result == RV_OK && m.bends.count > 0 && !mark_creases(&m)) m.result = RV_OUT_OF_MEMORY;
    rv_free(allocator, m.known, m.known_room, sizeof *m.known);
    rv_sharp_free(&m.bends, allocator);
    if (m.result == RV_OK &&
        !(resize_vertices(&m, out->vertex_count) && resize_triangles(&m, out->triangle_count)))
        m.result = RV_OUT_OF_MEMORY;
    if (m.result != RV_OK) empty_mesh(&m);
    return m.result;
}
