// Marching cubes cuts off every edge of the solid that passes between samples, each cell in its own
// way, and the rim of a cup has teeth. Where the normals at a loop's vertices say that the surface
// is bent within a cell, more vertices are made: one on each face where the tangents of the line's
// two ends meet, and one in the middle of the loop, from which it is filled. What is made on a face
// follows from the two ends alone, so the cells on both sides, and the meshes of two boxes that
// share it, agree without asking each other (the idea of faces first: Ho et al. 2005, Cubical
// marching squares).
#include "terrain/sharp.h"

#include <math.h>
#include <string.h>

#define KINK 0.97  // cosine of the least angle of a line in a face, which may pass the edge aslant
#define STEEP 0.08 // a normal that is nearly across the face says little of the line in it
#define THIN 0.97  // cosine of the angle of planes that hardly meet
#define PULL 0.02  // weight of the middle where tangents leave a direction open

double rv_sharp_turn(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void unit(double v[3], const double otherwise[3])
{
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int a = 0; a < 3; a++) v[a] = size > 1e-9 ? v[a] / size : otherwise[a];
}

static double length(double u, double v)
{
    return sqrt(u * u + v * v); // not hypot: every C library has its own bits of that
}

// Lexicographic: which of two places is the first does not depend on who asks.
bool rv_sharp_comes_first(const rv_sharp_point *a, const rv_sharp_point *b)
{
    for (int d = 0; d < 3; d++)
        if (a->at[d] < b->at[d] || a->at[d] > b->at[d]) return a->at[d] < b->at[d];
    return false;
}

bool rv_sharp_on_face(const rv_sharp_point *a, const rv_sharp_point *b, int axis,
                      const double low[3], const double high[3], rv_sharp_point *out)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double size_a = length(a->normal[u], a->normal[v]), size_b = length(b->normal[u], b->normal[v]);
    if (!(size_a > STEEP && size_b > STEEP)) return false;
    double au = a->normal[u] / size_a, av = a->normal[v] / size_a;
    double bu = b->normal[u] / size_b, bv = b->normal[v] / size_b;
    if (!(au * bu + av * bv < KINK)) return false;
    double turn = au * bv - av * bu; // sine of the angle between the tangents
    if (!(fabs(turn) > 0.1)) return false;
    double da = au * a->at[u] + av * a->at[v], db = bu * b->at[u] + bv * b->at[v];
    out->at[u] = (da * bv - db * av) / turn;
    out->at[v] = (au * db - bu * da) / turn;
    out->at[axis] = a->at[axis];
    for (int d = 0; d < 3; d++) {
        out->normal[d] = a->normal[d] + b->normal[d];
        if (d != axis && !(out->at[d] > low[d] && out->at[d] < high[d])) return false;
    }
    unit(out->normal, a->normal);
    return true;
}

bool rv_sharp_beside_face(const rv_sharp_point *a, const rv_sharp_point *b, rv_sharp_point *out)
{
    double turn = rv_sharp_turn(a->normal, b->normal), off = 0, other = 0;
    if (!(fabs(turn) < THIN)) return false;
    for (int d = 0; d < 3; d++) {
        double half = 0.5 * (a->at[d] - b->at[d]);
        off += a->normal[d] * half, other -= b->normal[d] * half;
    }
    double whole = 1 - turn * turn, x = (off - turn * other) / whole;
    double y = (other - turn * off) / whole;
    for (int d = 0; d < 3; d++) {
        out->at[d] = 0.5 * (a->at[d] + b->at[d]) + x * a->normal[d] + y * b->normal[d];
        out->normal[d] = a->normal[d] + b->normal[d];
    }
    unit(out->normal, a->normal);
    return true;
}

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// The place with the least sum of squared distances from the tangent planes, drawn to the middle.
static bool meeting_place(const rv_sharp_point *loop, int count, const bool *bend,
                          const double middle[3], double out[3])
{
    double m[3][3] = {{PULL, 0, 0}, {0, PULL, 0}, {0, 0, PULL}}, right[3] = {0, 0, 0};
    for (int n = 0; n < count; n++) {
        if (bend[n]) continue;
        const double *at = loop[n].at, *normal = loop[n].normal;
        double off = 0;
        for (int d = 0; d < 3; d++) off += normal[d] * (at[d] - middle[d]);
        for (int d = 0; d < 3; d++) {
            right[d] += normal[d] * off;
            for (int e = 0; e < 3; e++) m[d][e] += normal[d] * normal[e];
        }
    }
    double whole = determinant(m);
    if (!(whole > 0)) return false;
    for (int d = 0; d < 3; d++) {
        double with[3][3];
        memcpy(with, m, sizeof m);
        for (int e = 0; e < 3; e++) with[e][d] = right[e];
        out[d] = middle[d] + determinant(with) / whole;
    }
    return true;
}

static bool is_within(const double p[3], const double low[3], const double high[3])
{
    for (int d = 0; d < 3; d++)
        if (!(p[d] > low[d] && p[d] < high[d])) return false;
    return true;
}

void rv_sharp_mean(const rv_sharp_point *loop, int count, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int n = 0; n < count; n++)
        for (int d = 0; d < 3; d++) out[d] += loop[n].at[d] / count;
}

void rv_sharp_in_cell(const rv_sharp_point *loop, int count, const bool *bend, const double low[3],
                      const double high[3], rv_sharp_point *out)
{
    int bends = 0;
    double middle[3], between[3] = {0}, normal[3] = {0}, place[3];
    rv_sharp_mean(loop, count, middle);
    for (int n = 0; n < count; n++) {
        bends += bend[n];
        for (int d = 0; d < 3; d++) {
            if (bend[n]) between[d] += 0.5 * loop[n].at[d];
            normal[d] += loop[n].normal[d];
        }
    }
    const double *at = middle;
    if (bends == 2)
        at = between;
    else if (meeting_place(loop, count, bend, middle, place) && is_within(place, low, high))
        at = place;
    memcpy(out->at, at, sizeof out->at);
    memcpy(out->normal, normal, sizeof normal);
    unit(out->normal, loop[0].normal);
}

// ---- Which lines have one -----------------------------------------------------------------------

static size_t slot_of(const rv_sharp_lines *l, uint32_t a, uint32_t b)
{
    uint64_t key = (uint64_t)a << 32 | b;
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (l->room - 1);
    while ((l->slot[at][0] != 0 || l->slot[at][1] != 0) &&
           (l->slot[at][0] != a || l->slot[at][1] != b))
        at = (at + 1) & (l->room - 1);
    return at;
}

uint32_t rv_sharp_find(const rv_sharp_lines *l, uint32_t a, uint32_t b)
{
    if (l->count == 0) return RV_SHARP_NONE;
    size_t at = a < b ? slot_of(l, a, b) : slot_of(l, b, a);
    return l->slot[at][1] != 0 ? l->slot[at][2] : RV_SHARP_NONE;
}

static bool grow(rv_sharp_lines *l, const rv_allocator *allocator)
{
    rv_sharp_lines more = {.room = l->room ? 2 * l->room : 1024, .count = l->count};
    more.slot = rv_new(allocator, more.room, sizeof *more.slot);
    if (!more.slot) return false;
    for (size_t n = 0; n < l->room; n++)
        if (l->slot[n][1] != 0)
            memcpy(more.slot[slot_of(&more, l->slot[n][0], l->slot[n][1])], l->slot[n],
                   sizeof *l->slot);
    rv_sharp_free(l, allocator);
    *l = more;
    return true;
}

bool rv_sharp_note(rv_sharp_lines *l, uint32_t a, uint32_t b, uint32_t made,
                   const rv_allocator *allocator)
{
    if (2 * (l->count + 1) > l->room && !grow(l, allocator)) return false;
    uint32_t low = a < b ? a : b, high = a < b ? b : a; // never 0 and 0
    uint32_t *slot = l->slot[slot_of(l, low, high)];
    slot[0] = low, slot[1] = high, slot[2] = made;
    l->count++;
    return true;
}

void rv_sharp_free(rv_sharp_lines *l, const rv_allocator *allocator)
{
    rv_free(allocator, l->slot, l->room, sizeof *l->slot);
    *l = (rv_sharp_lines){0};
}
