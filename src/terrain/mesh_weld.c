// Welding: vertices at the same place become one, so that triangles know their neighbours.
//
// Exactly equal places first, which is all that most data needs. What is still open after that may
// be a gap of rounding: of the places on open edges, those nearer to each other than a given length
// become one, too. Places inside the surface never move, so thin features do not collapse.
#include "terrain/mesh_repair.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// ---- Equal places -------------------------------------------------------------------------------

static uint64_t mixed(uint64_t h)
{
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

static size_t table_size(size_t count)
{
    size_t size = 64;
    while (size < 2 * count) size *= 2;
    return size;
}

static uint64_t hash_of(const float p[3])
{
    uint32_t bits[3];
    memcpy(bits, p, sizeof bits);
    return mixed(mixed((uint64_t)bits[0] << 32 | bits[1]) ^ bits[2]);
}

// Puts the different places into the mesh; to[i] is where vertex i went. The table holds places
// + 1.
static void weld_equal(rv_faces *m, const rv_triangles *given, uint32_t *to, uint32_t *table,
                       size_t size)
{
    for (size_t i = 0; i < given->vertex_count; i++) {
        float *p = m->place[m->places];
        for (int k = 0; k < 3; k++) p[k] = given->positions[3 * i + (size_t)k] + 0.0f; // no -0
        size_t slot = (size_t)hash_of(p) & (size - 1);
        while (table[slot] && memcmp(m->place[table[slot] - 1], p, sizeof *m->place) != 0)
            slot = (slot + 1) & (size - 1);
        if (!table[slot]) table[slot] = (uint32_t)++m->places;
        to[i] = table[slot] - 1;
    }
}

static void take_triangles(rv_faces *m, const rv_triangles *given, const uint32_t *to,
                           rv_form_report *report)
{
    for (size_t t = 0; t < given->triangle_count; t++) {
        uint32_t *corner = m->corner[m->triangles];
        bool good = true;
        for (size_t k = 0; k < 3; k++) {
            size_t vertex = given->indices ? given->indices[3 * t + k] : 3 * t + k;
            good = good && vertex < given->vertex_count;
            corner[k] = good ? to[vertex] : 0;
        }
        if (!good || corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            report->degenerate++;
        else
            m->triangles++;
    }
}

rv_result rv_mesh_take(rv_faces *m, const rv_triangles *given, rv_form_report *report)
{
    const rv_allocator *a = &m->allocator;
    size_t size = table_size(given->vertex_count);
    m->place_room = given->vertex_count + 1, m->triangle_room = given->triangle_count + 1;
    m->place = rv_new(a, m->place_room, sizeof *m->place);
    m->corner = rv_new(a, m->triangle_room, sizeof *m->corner);
    m->mark = rv_new(a, m->triangle_room, sizeof *m->mark);
    m->piece = rv_new(a, m->triangle_room, sizeof *m->piece);
    uint32_t *to = rv_new(a, given->vertex_count, sizeof *to);
    uint32_t *table = rv_new(a, size, sizeof *table);
    bool good = m->place && m->corner && m->mark && m->piece && to && table;
    if (good) {
        weld_equal(m, given, to, table, size);
        take_triangles(m, given, to, report);
    }
    rv_free(a, table, size, sizeof *table);
    rv_free(a, to, given->vertex_count, sizeof *to);
    return good ? RV_OK : RV_OUT_OF_MEMORY;
}

// ---- Near places --------------------------------------------------------------------------------

// Kept places by the cell they lie in, in lists.
typedef struct cells {
    double per_cell; // cells are two `within` wide
    double within;
    uint32_t *head; // [size], place + 1
    uint32_t *next; // [places], place + 1
    uint32_t *to;   // [places], place + 1 that it became; 0: not asked yet
    size_t size;
} cells;

static size_t slot_of(const cells *c, const int64_t cell[3])
{
    uint64_t key = (uint64_t)cell[0] | (uint64_t)cell[1] << 21 | (uint64_t)cell[2] << 42;
    return (size_t)mixed(key) & (c->size - 1);
}

static double square_between(const float a[3], const float b[3])
{
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1];
    double z = (double)a[2] - (double)b[2];
    return x * x + y * y + z * z;
}

// The nearest kept place within reach in one of the eight cells around, plus 1, or 0.
static uint32_t find_near(const cells *c, const rv_faces *m, uint32_t place, const int64_t cell[3],
                          const int64_t side[3])
{
    uint32_t found = 0;
    double least = c->within * c->within;
    for (int k = 0; k < 8; k++) {
        int64_t at[3] = {cell[0] + (k & 1 ? side[0] : 0), cell[1] + (k & 2 ? side[1] : 0),
                         cell[2] + (k & 4 ? side[2] : 0)};
        for (uint32_t i = c->head[slot_of(c, at)]; i; i = c->next[i - 1]) {
            double square = square_between(m->place[i - 1], m->place[place]);
            if (square > least || (square == least && found && found < i)) continue;
            least = square, found = i;
        }
    }
    return found;
}

static void settle(cells *c, const rv_faces *m, uint32_t place)
{
    if (c->to[place]) return;
    const double low[3] = {m->low.x, m->low.y, m->low.z};
    int64_t cell[3], side[3];
    for (int k = 0; k < 3; k++) {
        double x = ((double)m->place[place][k] - low[k]) * c->per_cell + 1;
        cell[k] = (int64_t)x, side[k] = x - (double)cell[k] < 0.5 ? -1 : 1;
    }
    c->to[place] = find_near(c, m, place, cell, side);
    if (c->to[place]) return;
    size_t slot = slot_of(c, cell);
    c->next[place] = c->head[slot], c->head[slot] = c->to[place] = place + 1;
}

// Triangles that lost an edge are marked.
static bool apply(const cells *c, rv_faces *m)
{
    bool any = false;
    for (size_t t = 0; t < m->triangles; t++) {
        uint32_t *corner = m->corner[t];
        for (int k = 0; k < 3; k++) {
            uint32_t to = c->to[corner[k]];
            if (to && to - 1 != corner[k]) corner[k] = to - 1, any = true;
        }
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            m->mark[t] |= RV_MESH_DROP;
    }
    return any;
}

rv_result rv_mesh_weld_near(rv_faces *m, const uint32_t *halves, size_t count, double within,
                            bool *any)
{
    const rv_allocator *a = &m->allocator;
    cells c = {.per_cell = 0.5 / within, .within = within, .size = table_size(2 * count)};
    c.head = rv_new(a, c.size, sizeof *c.head);
    c.next = rv_new(a, m->places, sizeof *c.next);
    c.to = rv_new(a, m->places, sizeof *c.to);
    bool good = c.head && c.next && c.to;
    *any = false;
    for (size_t i = 0; good && i < count; i++) {
        settle(&c, m, rv_half_from(m, halves[i]));
        settle(&c, m, rv_half_to(m, halves[i]));
    }
    if (good) *any = apply(&c, m);
    rv_free(a, c.to, m->places, sizeof *c.to);
    rv_free(a, c.next, m->places, sizeof *c.next);
    rv_free(a, c.head, c.size, sizeof *c.head);
    return good ? RV_OK : RV_OUT_OF_MEMORY;
}
