// Holes: rings of open edges, and patches that close them.
//
// A ring runs against its open edges, as the triangles that are missing would. A patch is a fan
// about the ring's middle where that sees all of the ring, else the ring's own corners are cut off
// one by one in its mean plane. For the winding number any patch is as good: two patches of one
// ring differ by closed surfaces. A ring that is about as large as its whole piece is not a hole
// but the rim of a sheet, and is left open.
#include "terrain/mesh_repair.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define RIM_SHARE 0.75 // of its piece's area, from which on a ring is a rim
#define CUT_MAX 1024   // corners of a ring that are cut off one by one

typedef struct holes {
    rv_faces *mesh;
    rv_form_report *report;
    bool fill;
    size_t count;     // open half edges
    uint32_t *start;  // [places + 1], the first of them by where the ring leaves it
    uint32_t *sorted; // [count]
    uint32_t *path;   // [count], the way walked
    uint32_t *seen;   // [places], where in the path a place was left, plus 1
    uint32_t *used;   // [places], how many of its half edges were walked
    double *area;     // [pieces], twice
    size_t places, pieces;
} holes;

typedef struct flat_point {
    double x, y;
} flat_point;

static rv_vec3 minus(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static rv_vec3 cross(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// ---- Patches ------------------------------------------------------------------------------------

typedef struct ring {
    const uint32_t *half; // open ones; the ring leaves each at its end
    size_t n;
    uint32_t piece;
    rv_vec3 middle, area; // twice the area, as a vector
    rv_vec3 u, v;         // of its mean plane
} ring;

static rv_vec3 ring_place(const rv_faces *m, const ring *r, size_t i)
{
    return minus(rv_mesh_place(m, rv_half_to(m, r->half[i % r->n])), r->middle);
}

static void measure(const rv_faces *m, ring *r)
{
    rv_vec3 sum = {0, 0, 0};
    r->middle = sum, r->area = sum;
    for (size_t i = 0; i < r->n; i++) {
        rv_vec3 p = ring_place(m, r, i);
        sum.x += p.x, sum.y += p.y, sum.z += p.z;
    }
    double per = 1.0 / (double)r->n;
    r->middle = (rv_vec3){sum.x * per, sum.y * per, sum.z * per};
    for (size_t i = 0; i < r->n; i++) {
        rv_vec3 a = cross(ring_place(m, r, i), ring_place(m, r, i + 1));
        r->area.x += a.x, r->area.y += a.y, r->area.z += a.z;
    }
    rv_vec3 n = r->area;
    bool steep = fabs(n.x) > fabs(n.y) && fabs(n.x) > fabs(n.z);
    rv_vec3 other = steep ? (rv_vec3){0, 1, 0} : (rv_vec3){1, 0, 0};
    rv_vec3 u = cross(other, n), v = cross(n, u);
    double size_u = sqrt(dot(u, u)), size_v = sqrt(dot(v, v));
    r->u = (rv_vec3){u.x / size_u, u.y / size_u, u.z / size_u};
    r->v = (rv_vec3){v.x / size_v, v.y / size_v, v.z / size_v};
}

static void add_triangle(rv_faces *m, uint32_t piece, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *corner = m->corner[m->triangles];
    corner[0] = a, corner[1] = b, corner[2] = c;
    m->piece[m->triangles] = piece, m->mark[m->triangles++] = RV_MESH_PATCH;
}

static flat_point flat(const ring *r, rv_vec3 p)
{
    return (flat_point){dot(p, r->u), dot(p, r->v)};
}

static double turn_of(flat_point a, flat_point b, flat_point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool sees_all(const rv_faces *m, const ring *r)
{
    for (size_t i = 0; i < r->n; i++) {
        flat_point a = flat(r, ring_place(m, r, i)), b = flat(r, ring_place(m, r, i + 1));
        if (!(a.x * b.y - a.y * b.x > 0)) return false;
    }
    return true;
}

static void add_fan(rv_faces *m, const ring *r)
{
    uint32_t middle = (uint32_t)m->places++;
    m->place[middle][0] = (float)r->middle.x, m->place[middle][1] = (float)r->middle.y;
    m->place[middle][2] = (float)r->middle.z;
    for (size_t i = 0; i < r->n; i++)
        add_triangle(m, r->piece, rv_half_to(m, r->half[i]), rv_half_from(m, r->half[i]), middle);
}

typedef struct outline {
    flat_point at[CUT_MAX];
    uint32_t place[CUT_MAX];
    size_t n;
} outline;

// Whether corner i can be cut off: it turns inward and nothing lies in its triangle.
static bool can_cut(const outline *o, size_t i)
{
    size_t before = (i + o->n - 1) % o->n, after = (i + 1) % o->n;
    flat_point a = o->at[before], b = o->at[i], c = o->at[after];
    if (!(turn_of(a, b, c) > 0)) return false;
    for (size_t k = 0; k < o->n; k++) {
        if (k == before || k == i || k == after) continue;
        flat_point p = o->at[k];
        if (turn_of(a, b, p) >= 0 && turn_of(b, c, p) >= 0 && turn_of(c, a, p) >= 0) return false;
    }
    return true;
}

static void cut_off(outline *o, size_t i)
{
    memmove(o->at + i, o->at + i + 1, (o->n - i - 1) * sizeof *o->at);
    memmove(o->place + i, o->place + i + 1, (o->n - i - 1) * sizeof *o->place);
    o->n--;
}

// false, and nothing added, when no corner is left that can be cut off.
static bool add_cuts(rv_faces *m, const ring *r)
{
    outline o = {.n = r->n};
    for (size_t i = 0; i < r->n; i++) {
        o.at[i] = flat(r, ring_place(m, r, i));
        o.place[i] = rv_half_to(m, r->half[i]);
    }
    size_t before = m->triangles, i = 0;
    for (size_t tries = 0; o.n > 3; tries++, i++) {
        if (i >= o.n) i = 0;
        if (tries == o.n) {
            m->triangles = before;
            return false;
        }
        if (!can_cut(&o, i)) continue;
        add_triangle(m, r->piece, o.place[(i + o.n - 1) % o.n], o.place[i], o.place[(i + 1) % o.n]);
        cut_off(&o, i), tries = 0;
    }
    add_triangle(m, r->piece, o.place[0], o.place[1], o.place[2]);
    return true;
}

static void take_ring(holes *h, const uint32_t *half, size_t n)
{
    rv_faces *m = h->mesh;
    ring r = {.half = half, .n = n, .piece = m->piece[half[0] / 3]};
    h->report->holes++;
    measure(m, &r);
    if (!h->fill || sqrt(dot(r.area, r.area)) > RIM_SHARE * h->area[r.piece]) return;
    h->report->filled++;
    if (n > 3 && (sees_all(m, &r) || n > CUT_MAX)) {
        add_fan(m, &r);
    } else if (!add_cuts(m, &r)) {
        add_fan(m, &r);
    }
}

// ---- Rings --------------------------------------------------------------------------------------

// Sorts the open half edges by where the ring leaves them.
static void sort_open(holes *h, const uint32_t *open)
{
    const rv_faces *m = h->mesh;
    for (size_t i = 0; i < h->count; i++) h->start[rv_half_to(m, open[i]) + 1]++;
    for (size_t i = 0; i < h->places; i++) h->start[i + 1] += h->start[i];
    // `seen` counts for a moment how many each place has already
    for (size_t i = 0; i < h->count; i++) {
        uint32_t place = rv_half_to(m, open[i]);
        h->sorted[h->start[place] + h->seen[place]++] = open[i];
    }
    memset(h->seen, 0, h->places * sizeof *h->seen);
}

// The next half edge that leaves a place and was not walked yet.
static uint32_t next_from(holes *h, uint32_t place)
{
    uint32_t at = h->start[place] + h->used[place];
    if (at >= h->start[place + 1]) return RV_MESH_NONE;
    h->used[place]++;
    return h->sorted[at];
}

// Walks from a place until no open edge leads on. Each time the way comes back to a place it has
// been at, the way since is a ring.
static void walk_from(holes *h, uint32_t place)
{
    const rv_faces *m = h->mesh;
    size_t n = 0;
    for (;;) {
        uint32_t half = next_from(h, place);
        if (half == RV_MESH_NONE) break;
        h->path[n++] = half, h->seen[place] = (uint32_t)n;
        place = rv_half_from(m, half);
        if (h->seen[place] == 0) continue;
        size_t first = h->seen[place] - 1;
        for (size_t i = first; i < n; i++) h->seen[rv_half_to(m, h->path[i])] = 0;
        if (n - first >= 3) take_ring(h, h->path + first, n - first);
        n = first;
    }
    for (size_t i = 0; i < n; i++) h->seen[rv_half_to(m, h->path[i])] = 0;
}

static void walk_all(holes *h)
{
    for (uint32_t place = 0; place < h->places; place++)
        while (h->used[place] < h->start[place + 1] - h->start[place]) walk_from(h, place);
}

// ---- All of it ----------------------------------------------------------------------------------

// Room for as many patches as the open edges may need.
static bool make_room(rv_faces *m, size_t open)
{
    rv_faces larger = *m;
    larger.place_room += open / 3, larger.triangle_room += open;
    const rv_allocator *a = &m->allocator;
    larger.place = rv_new(a, larger.place_room, sizeof *larger.place);
    larger.corner = rv_new(a, larger.triangle_room, sizeof *larger.corner);
    larger.mark = rv_new(a, larger.triangle_room, sizeof *larger.mark);
    larger.piece = rv_new(a, larger.triangle_room, sizeof *larger.piece);
    bool good = larger.place && larger.corner && larger.mark && larger.piece;
    if (good) {
        memcpy(larger.place, m->place, m->places * sizeof *m->place);
        memcpy(larger.corner, m->corner, m->triangles * sizeof *m->corner);
        memcpy(larger.mark, m->mark, m->triangles * sizeof *m->mark);
        memcpy(larger.piece, m->piece, m->triangles * sizeof *m->piece);
    }
    rv_faces_free(good ? m : &larger);
    if (good) *m = larger;
    return good;
}

static void find_areas(holes *h)
{
    const rv_faces *m = h->mesh;
    for (size_t t = 0; t < m->triangles; t++) {
        rv_vec3 a = rv_mesh_place(m, m->corner[t][0]);
        rv_vec3 area = cross(minus(rv_mesh_place(m, m->corner[t][1]), a),
                             minus(rv_mesh_place(m, m->corner[t][2]), a));
        h->area[m->piece[t]] += sqrt(dot(area, area));
    }
}

rv_result rv_mesh_close(rv_faces *mesh, const uint32_t *open, size_t count, bool fill,
                        rv_form_report *report)
{
    if (count == 0) return RV_OK;
    const rv_allocator *a = &mesh->allocator;
    holes h = {.mesh = mesh, .report = report, .fill = fill, .count = count};
    h.places = mesh->places, h.pieces = mesh->pieces;
    h.start = rv_new(a, h.places + 1, sizeof *h.start);
    h.sorted = rv_new(a, count, sizeof *h.sorted);
    h.path = rv_new(a, count, sizeof *h.path);
    h.seen = rv_new(a, h.places, sizeof *h.seen);
    h.used = rv_new(a, h.places, sizeof *h.used);
    h.area = rv_new(a, h.pieces, sizeof *h.area);
    bool good = h.start && h.sorted && h.path && h.seen && h.used && h.area;
    if (good && fill) good = make_room(mesh, count);
    if (good) find_areas(&h), sort_open(&h, open), walk_all(&h);
    rv_free(a, h.area, h.pieces, sizeof *h.area);
    rv_free(a, h.used, h.places, sizeof *h.used);
    rv_free(a, h.seen, h.places, sizeof *h.seen);
    rv_free(a, h.path, count, sizeof *h.path);
    rv_free(a, h.sorted, count, sizeof *h.sorted);
    rv_free(a, h.start, h.places + 1, sizeof *h.start);
    return good ? RV_OK : RV_OUT_OF_MEMORY;
}
