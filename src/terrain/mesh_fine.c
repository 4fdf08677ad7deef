// The terrain's mesh made finer where its surface is bent within a cell, for pictures.
//
// Marching cubes has a vertex for each edge of the lattice that is crossed. What is round within a
// few cells has corners then, which are seen from close by: rims are notched, a handle is a prism.
// There the solids are asked again. An edge is divided where its ends face different ways, where it
// leads from one edge of the solid to another over a narrow strip, and where it runs along such an
// edge that is curved. What is made lies on the surface and has its normal. Whether an edge is
// divided follows from its own two ends alone: so triangles on both sides agree, and tiles.
#include "terrain/mesh_fine.h"

#include "base/memory.h"
#include "terrain/sharp.h"

#include <math.h>
#include <string.h>

#define TURNS 0.988 // cosine of the angle of two normals, 9 degrees, from which an edge is divided
#define ALONG 0.77  // and of 40: within that two ends on edges of the solid are on the same one
#define BENT 0.85   // and of 32: an edge of the solid is looked for between its ends
#define FOLDS 0.9   // and of 26: its middle may be on an edge of the solid
#define ON 0.004    // of dx: what is no farther from the surface is on it
#define REACH 0.5   // of dx: as far as a vertex is moved
#define OUT 0.8     // and the middle of an edge
#define LEAST 0.15  // of dx: the shortest edge that is divided
#define STRIP 0.3   // of dx: the same where an end is on an edge of the solid
#define SAGS 0.012  // of dx: the least that the middle of an edge along one is off it
#define KINK 0.1  // change of the distance's slope from one STEP to the next: an edge of the solid
#define STEP 0.04 // of dx
#define BESIDE 0.12 // of dx: where the two sides of an edge are looked at
#define UNDIVIDED (RV_SHARP_NONE - 1)

// WAS: marching cubes took it for one on an edge of the solid, and its normal is a mean.
enum { ASKED = 1, KNOWN = 2, JUDGED = 4, CREASE = 8, WAS = 16 };

typedef struct point {
    float at[3], normal[3];
    uint32_t beside; // of what was added: a vertex of the mesh that is near
    uint8_t state;
} point;

typedef struct fine {
    const rv_fine_input *in;
    const rv_allocator *allocator;
    point *points;
    uint32_t *corners[2], *made; // of triangles; of each edge its middle
    size_t point_count, point_room, corner_count, corner_room[2], made_room, first;
    size_t done; // corners of triangles none of whose edges is divided: none ever will be
    rv_sharp_lines middles;
    bool failed; // no memory
} fine;

static void double_of(const float from[3], double to[3])
{
    for (int d = 0; d < 3; d++) to[d] = (double)from[d];
}

static void float_of(const double from[3], float to[3])
{
    for (int d = 0; d < 3; d++) to[d] = (float)from[d];
}

static bool make_unit(double v[3])
{
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(size > 1e-6)) return false;
    for (int d = 0; d < 3; d++) v[d] /= size;
    return true;
}

static double apart(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static rv_vec3 place(const double at[3])
{
    return (rv_vec3){at[0], at[1], at[2]};
}

// ---- Vertices -----------------------------------------------------------------------------------

static bool is_cut(const fine *f, const double at[3])
{
    for (int d = 0; d < 3; d++)
        if (!(at[d] > f->in->low[d] && at[d] < f->in->high[d])) return true;
    return false;
}

// Whether a vertex is on an edge of the solid.
static bool is_crease(fine *f, point *p)
{
    double at[3];
    if (!(p->state & JUDGED)) {
        double_of(p->at, at);
        double kink = rv_exact_kink(f->in->exact, place(at), STEP * f->in->dx);
        p->state |= JUDGED | (kink < KINK ? 0 : CREASE);
    }
    return p->state & CREASE;
}

// Onto the surface, the first time. What cannot be asked stays, and all edges that end in it.
static void ask(fine *f, point *p)
{
    double at[3], normal[3];
    if (p->state & ASKED) return;
    p->state |= ASKED;
    double_of(p->at, at), double_of(p->normal, normal);
    if (is_cut(f, at)) return;
    double off = fabs(rv_exact_distance(f->in->exact, place(at)));
    if (!(off < REACH * f->in->dx)) return;
    bool moves = off > ON * f->in->dx;
    if (moves && !rv_exact_settle(f->in->exact, normal, REACH * f->in->dx, at)) return;
    if (moves) float_of(at, p->at);
    p->state |= KNOWN;
    if ((moves || (p->state & WAS && !is_crease(f, p))) &&
        rv_exact_normal(f->in->exact, place(at), normal))
        float_of(normal, p->normal);
}

static uint32_t add_point(fine *f, const double at[3], const double normal[3], uint32_t beside)
{
    if (f->point_count == f->point_room) {
        size_t room = f->point_room + f->point_room / 2 + 256;
        point *more = room < UNDIVIDED ? rv_regrow(f->allocator, f->points, f->point_room,
                                                   f->point_count, room, sizeof *more)
                                       : NULL;
        f->failed = !more;
        if (!more) return UNDIVIDED;
        f->points = more, f->point_room = room;
    }
    point *p = &f->points[f->point_count];
    *p = (point){.beside = f->points[beside].beside, .state = ASKED | KNOWN};
    float_of(at, p->at), float_of(normal, p->normal);
    return (uint32_t)f->point_count++;
}

// ---- Middles of edges ---------------------------------------------------------------------------

typedef struct span {
    double a[3], b[3], na[3], nb[3], middle[3], way[3]; // `way`: out of the solid
    double length, turn;
} span;

static bool span_of(const point *a, const point *b, span *s)
{
    double_of(a->at, s->a), double_of(b->at, s->b);
    double_of(a->normal, s->na), double_of(b->normal, s->nb);
    s->length = apart(s->a, s->b), s->turn = rv_sharp_turn(s->na, s->nb);
    for (int d = 0; d < 3; d++)
        s->middle[d] = 0.5 * (s->a[d] + s->b[d]), s->way[d] = s->na[d] + s->nb[d];
    return make_unit(s->way);
}

// How far what is made may be from the middle.
static double reach_of(const fine *f, const span *s)
{
    return fmin(OUT * f->in->dx, 0.55 * s->length);
}

static bool settle(fine *f, const span *s, double at[3])
{
    memcpy(at, s->middle, sizeof s->middle);
    return rv_exact_settle(f->in->exact, s->way, reach_of(f, s), at);
}

// A place on each side of an edge of the solid that runs through `at`, and the normals there.
static bool look_beside(fine *f, const span *s, const double at[3], rv_sharp_point side[2])
{
    double along[3], by = fmin(BESIDE * f->in->dx, 0.3 * s->length);
    for (int d = 0; d < 3; d++) along[d] = s->b[d] - s->a[d];
    double across[3] = {along[1] * s->way[2] - along[2] * s->way[1],
                        along[2] * s->way[0] - along[0] * s->way[2],
                        along[0] * s->way[1] - along[1] * s->way[0]};
    if (!make_unit(across)) return false;
    for (int n = 0; n < 2; n++) {
        for (int d = 0; d < 3; d++) side[n].at[d] = at[d] + (n ? -by : by) * across[d];
        if (!rv_exact_settle(f->in->exact, s->way, reach_of(f, s), side[n].at) ||
            !rv_exact_normal(f->in->exact, place(side[n].at), side[n].normal))
            return false;
    }
    return true;
}

// Both ends are on one edge of the solid: so is what is made, where both sides meet.
static bool settle_along(fine *f, const span *s, double at[3])
{
    rv_sharp_point side[2], found;
    memcpy(at, s->middle, sizeof s->middle);
    for (int n = 0; n < 2; n++) {
        if (!look_beside(f, s, at, side) || !rv_sharp_beside_face(&side[0], &side[1], &found) ||
            !(apart(found.at, s->middle) < reach_of(f, s)))
            return false;
        memcpy(at, found.at, sizeof found.at);
    }
    return fabs(rv_exact_distance(f->in->exact, place(at))) < 2 * ON * f->in->dx;
}

// Both ends are on two sides of an edge of the solid: what is made is on that, where the tangent
// planes of both meet, and then those of places nearer to it. False: it is round there.
static bool settle_between(fine *f, const span *s, double at[3])
{
    double dx = f->in->dx;
    rv_sharp_point side[2], found;
    memcpy(side[0].at, s->a, sizeof s->a), memcpy(side[0].normal, s->na, sizeof s->na);
    memcpy(side[1].at, s->b, sizeof s->b), memcpy(side[1].normal, s->nb, sizeof s->nb);
    for (int turn = 0; turn < 2; turn++) {
        if (!rv_sharp_beside_face(&side[0], &side[1], &found) ||
            !(apart(found.at, s->middle) < reach_of(f, s)))
            return false;
        memcpy(at, found.at, sizeof found.at);
        for (int n = 0; turn == 0 && n < 2; n++) {
            double toward[3], by = fmin(BESIDE * dx, 0.5 * apart(side[n].at, at));
            for (int d = 0; d < 3; d++) toward[d] = side[n].at[d] - at[d];
            if (!make_unit(toward)) return false;
            for (int d = 0; d < 3; d++) side[n].at[d] = at[d] + by * toward[d];
            if (!rv_exact_settle(f->in->exact, side[n].normal, reach_of(f, s), side[n].at) ||
                !rv_exact_normal(f->in->exact, place(side[n].at), side[n].normal))
                return false;
        }
    }
    return fabs(rv_exact_distance(f->in->exact, place(at))) < 2 * ON * dx &&
           !(rv_exact_kink(f->in->exact, place(at), STEP * dx) < KINK);
}

// The vertex in the middle of an edge between known ends, if it is divided; else UNDIVIDED.
static uint32_t divide(fine *f, uint32_t a, uint32_t b)
{
    point *p = &f->points[a], *q = &f->points[b];
    span s;
    double at[3], normal[3], dx = f->in->dx;
    if (!span_of(p, q, &s) || s.length < LEAST * dx) return UNDIVIDED;
    if (s.turn > TURNS && s.length < STRIP * dx) return UNDIVIDED;
    bool round = s.turn < TURNS;
    int creases = is_crease(f, p) + is_crease(f, q);
    if (creases == 0 && !round) return UNDIVIDED;
    if (creases > 0 && s.length < STRIP * dx) return UNDIVIDED;
    bool along = creases == 2 && s.turn > ALONG;
    bool between = creases == 0 && s.turn < BENT && settle_between(f, &s, at);
    if (!between && (along ? !settle_along(f, &s, at) : !settle(f, &s, at))) return UNDIVIDED;
    if ((along || creases == 1) && apart(at, s.middle) < SAGS * dx) return UNDIVIDED;
    memcpy(normal, s.way, sizeof normal);
    bool edge = along || between;
    if (!edge) rv_exact_normal(f->in->exact, place(at), normal);
    uint32_t made = add_point(f, at, normal, a);
    if (made == UNDIVIDED) return made;
    if (edge) f->points[made].state |= JUDGED | CREASE;
    if (!edge && s.turn > FOLDS) f->points[made].state |= JUDGED;
    return made;
}

static uint32_t middle_of(fine *f, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a, there;
    if (!(f->points[a].state & f->points[b].state & KNOWN)) return UNDIVIDED; // most of all edges
    there = rv_sharp_find(&f->middles, low, high);
    if (there != RV_SHARP_NONE) return there;
    // who comes first may not follow from the order of vertices, which differs between tiles
    const float *p = f->points[low].at, *q = f->points[high].at;
    int d = 0;
    while (d < 2 && !(p[d] < q[d] || p[d] > q[d])) d++;
    there = p[d] < q[d] ? divide(f, low, high) : divide(f, high, low);
    if (!rv_sharp_note(&f->middles, low, high, there, f->allocator)) f->failed = true;
    return there;
}

// ---- Triangles ----------------------------------------------------------------------------------

static void add_triangle(fine *f, int to, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *out = f->corners[to] + f->corner_count;
    out[0] = a, out[1] = b, out[2] = c;
    f->corner_count += 3;
}

static bool is_shorter(const fine *f, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    double p[4][3];
    const uint32_t n[4] = {a, b, c, d};
    for (int k = 0; k < 4; k++) double_of(f->points[n[k]].at, p[k]);
    return apart(p[0], p[1]) <= apart(p[2], p[3]);
}

// One triangle as two to four, by which of its edges are divided: one at least.
static void add_parts(fine *f, int to, const uint32_t v[3], const uint32_t m[3])
{
    int count = 0, k = 0;
    for (int n = 0; n < 3; n++) count += m[n] < UNDIVIDED;
    if (count == 3) {
        for (int n = 0; n < 3; n++) add_triangle(f, to, v[n], m[n], m[(n + 2) % 3]);
        add_triangle(f, to, m[0], m[1], m[2]);
    } else if (count == 1) {
        while (m[k] >= UNDIVIDED) k++;
        uint32_t a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
        add_triangle(f, to, a, m[k], c), add_triangle(f, to, m[k], b, c);
    } else { // the edge from a to b is whole
        while (m[k] < UNDIVIDED) k++;
        uint32_t a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
        uint32_t right = m[(k + 1) % 3], left = m[(k + 2) % 3];
        add_triangle(f, to, c, left, right);
        if (is_shorter(f, a, right, left, b))
            add_triangle(f, to, a, b, right), add_triangle(f, to, a, right, left);
        else
            add_triangle(f, to, a, b, left), add_triangle(f, to, b, right, left);
    }
}

static bool make_room(fine *f, uint32_t **list, size_t *room, size_t needed)
{
    if (needed <= *room) return true;
    rv_free(f->allocator, *list, *room, sizeof **list);
    *list = rv_new(f->allocator, needed, sizeof **list);
    *room = *list ? needed : 0;
    return *list;
}

static bool room_for(fine *f, int side, size_t corners)
{
    return make_room(f, &f->corners[side], &f->corner_room[side], corners);
}

static bool is_whole(const uint32_t m[3])
{
    return m[0] >= UNDIVIDED && m[1] >= UNDIVIDED && m[2] >= UNDIVIDED;
}

// All triangles that are not done, once, from one side's list to the other's; those that stay whole
// come first. How many edges were divided.
static size_t divide_all(fine *f, int from)
{
    size_t corners = f->corner_count, done = f->done, before = f->point_count;
    f->failed |= !make_room(f, &f->made, &f->made_room, corners);
    for (size_t n = done; n < corners && !f->failed; n++) {
        const uint32_t *v = f->corners[from] + n / 3 * 3;
        f->made[n] = middle_of(f, v[n % 3], v[(n + 1) % 3]);
    }
    if (f->failed || f->point_count == before) return 0;
    if (!room_for(f, !from, done + 4 * (corners - done))) {
        f->failed = true;
        return 0;
    }
    const uint32_t *list = f->corners[from];
    memcpy(f->corners[!from], list, done * sizeof *list);
    f->corner_count = done;
    for (size_t n = done; n < corners; n += 3)
        if (is_whole(f->made + n)) add_triangle(f, !from, list[n], list[n + 1], list[n + 2]);
    f->done = f->corner_count;
    for (size_t n = done; n < corners; n += 3)
        if (!is_whole(f->made + n)) add_parts(f, !from, list + n, f->made + n);
    return f->point_count - before;
}

// ---- All of it ----------------------------------------------------------------------------------

static bool take(fine *f, const rv_mesh *mesh)
{
    f->first = f->point_count = f->point_room = mesh->vertex_count;
    f->points = rv_new(f->allocator, f->point_room, sizeof *f->points);
    if (!f->points || !room_for(f, 0, 3 * mesh->triangle_count)) return false;
    for (size_t n = 0; n < mesh->vertex_count; n++) {
        point *p = &f->points[n];
        memcpy(p->at, mesh->positions + 3 * n, sizeof p->at);
        memcpy(p->normal, mesh->normals + 3 * n, sizeof p->normal);
        p->beside = (uint32_t)n, p->state = mesh->creases && mesh->creases[n] ? WAS : 0;
    }
    f->corner_count = 3 * mesh->triangle_count;
    memcpy(f->corners[0], mesh->indices, f->corner_count * sizeof *mesh->indices);
    return true;
}

static bool is_on_border(const fine *f, const point *p)
{
    for (int d = 0; d < 2; d++)
        for (int side = 0; side < 2; side++)
            if (fabs((double)p->at[d] - f->in->border[d][side]) < 1e-5 * f->in->dx) return true;
    return false;
}

// Ends of edges that may be divided; and all that the tile beside has too, where they may be.
static void ask_ends(fine *f)
{
    for (size_t n = 0; n < f->first; n++)
        if (is_on_border(f, &f->points[n])) ask(f, &f->points[n]);
    for (size_t n = 0; n < f->corner_count; n++) {
        const uint32_t *v = f->corners[0] + n / 3 * 3;
        point *p = &f->points[v[n % 3]], *q = &f->points[v[(n + 1) % 3]];
        span s;
        if (!span_of(p, q, &s) || !(s.turn < TURNS)) continue;
        ask(f, p), ask(f, q);
    }
}

static bool give(fine *f, int side, rv_mesh *mesh)
{
    const rv_allocator *a = &mesh->allocator;
    size_t count = f->point_count, triangles = f->corner_count / 3;
    rv_mesh out = {.allocator = *a, .vertex_count = count, .triangle_count = triangles};
    out.positions = rv_new(a, count, 3 * sizeof *out.positions);
    out.normals = rv_new(a, count, 3 * sizeof *out.normals);
    out.creases = rv_new(a, count, sizeof *out.creases);
    out.indices = rv_new(a, triangles, 3 * sizeof *out.indices);
    if (!out.positions || !out.normals || !out.creases || !out.indices) {
        rv_mesh_free(&out);
        return false;
    }
    for (size_t n = 0; n < count; n++) {
        const point *p = &f->points[n];
        memcpy(out.positions + 3 * n, p->at, sizeof p->at);
        memcpy(out.normals + 3 * n, p->normal, sizeof p->normal);
        out.creases[n] = (p->state & CREASE) || (p->state & (WAS | JUDGED)) == WAS;
    }
    memcpy(out.indices, f->corners[side], f->corner_count * sizeof *out.indices);
    rv_mesh_free(mesh);
    *mesh = out;
    for (size_t n = f->first; n < count; n++) f->in->added(f->in->user, f->points[n].beside);
    return true;
}

bool rv_mesh_make_fine(rv_mesh *mesh, const rv_fine_input *input)
{
    fine f = {.in = input, .allocator = &mesh->allocator};
    int side = 0;
    bool good = mesh->triangle_count == 0 || take(&f, mesh);
    if (good && mesh->triangle_count > 0) {
        ask_ends(&f);
        for (int n = 0; n < RV_FINE_LEVELS && divide_all(&f, side) > 0; n++) side = !side;
        good = !f.failed && give(&f, side, mesh);
    }
    rv_free(f.allocator, f.points, f.point_room, sizeof *f.points);
    for (int n = 0; n < 2; n++)
        rv_free(f.allocator, f.corners[n], f.corner_room[n], sizeof *f.corners[n]);
    rv_free(f.allocator, f.made, f.made_room, sizeof *f.made);
    rv_sharp_free(&f.middles, f.allocator);
    return good;
}
