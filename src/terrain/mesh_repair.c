// Repair of triangle meshes: leaving out and turning (welding and holes have their own files).
//
// Everything follows from the edges, sorted by their two ends: an edge with one triangle is open,
// with two it joins them, with more it is crowded. Triangles that hang together by edges of two are
// a piece. Sorting is by counting, in a fixed order, so the same data always gives the same mesh.
#include "terrain/mesh_repair.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX (((size_t)1 << 31) / 8)
#define WELD 1e-6 // of the box's diagonal: places on open edges that are nearer are one
#define FLAT 1e-8 // height over length of a triangle without area
// Share of a ball's volume, for its area, that an open mesh must enclose for its turn to count.
#define TURN_SHARE 0.02

typedef struct repair {
    rv_faces *mesh;
    rv_form_report *report;
    size_t room;             // half edges that the arrays below have room for
    size_t count_room;       // of count
    uint32_t *order, *spare; // half edges, sorted by their ends
    uint32_t *mate;          // of each half edge, the other one of an edge with two
    uint32_t *count;         // for sorting, by place
    uint32_t *queue;         // triangles
    size_t queue_room;
    size_t open; // half edges that are alone, first in `spare` after find_edges
} repair;

// ---- Small things -------------------------------------------------------------------------------

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

// Twice the area, as a vector.
static rv_vec3 area_of(const rv_faces *m, size_t t)
{
    rv_vec3 a = rv_mesh_place(m, m->corner[t][0]);
    return cross(minus(rv_mesh_place(m, m->corner[t][1]), a),
                 minus(rv_mesh_place(m, m->corner[t][2]), a));
}

static double size_of(rv_vec3 a)
{
    return sqrt(dot(a, a));
}

// ---- The box ------------------------------------------------------------------------------------

static void find_box(rv_faces *m)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t t = 0; t < m->triangles; t++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                double x = (double)m->place[m->corner[t][i]][k];
                low[k] = x < low[k] ? x : low[k], high[k] = x > high[k] ? x : high[k];
            }
        }
    }
    m->low = (rv_vec3){low[0], low[1], low[2]}, m->high = (rv_vec3){high[0], high[1], high[2]};
}

// ---- Sorting ------------------------------------------------------------------------------------

typedef uint32_t key_of(const rv_faces *m, uint32_t item);

static uint32_t low_end(const rv_faces *m, uint32_t half)
{
    uint32_t a = rv_half_from(m, half), b = rv_half_to(m, half);
    return a < b ? a : b;
}

static uint32_t high_end(const rv_faces *m, uint32_t half)
{
    uint32_t a = rv_half_from(m, half), b = rv_half_to(m, half);
    return a < b ? b : a;
}

static uint32_t first_corner(const rv_faces *m, uint32_t t)
{
    const uint32_t *c = m->corner[t];
    uint32_t least = c[0] < c[1] ? c[0] : c[1];
    return least < c[2] ? least : c[2];
}

static uint32_t last_corner(const rv_faces *m, uint32_t t)
{
    const uint32_t *c = m->corner[t];
    uint32_t most = c[0] > c[1] ? c[0] : c[1];
    return most > c[2] ? most : c[2];
}

static uint32_t middle_corner(const rv_faces *m, uint32_t t)
{
    const uint32_t *c = m->corner[t];
    return c[0] ^ c[1] ^ c[2] ^ first_corner(m, t) ^ last_corner(m, t);
}

// Those with equal keys keep their order. from: NULL: 0 … n - 1.
static inline void sort_by(repair *r, key_of *key, const uint32_t *from, uint32_t *to, size_t n)
{
    const rv_faces *m = r->mesh;
    memset(r->count, 0, (m->places + 1) * sizeof *r->count);
    for (size_t i = 0; i < n; i++) r->count[key(m, (uint32_t)i) + 1]++;
    for (size_t i = 0; i < m->places; i++) r->count[i + 1] += r->count[i];
    for (size_t i = 0; i < n; i++) {
        uint32_t item = from ? from[i] : (uint32_t)i;
        to[r->count[key(m, item)]++] = item;
    }
}

// ---- Leaving out --------------------------------------------------------------------------------

static size_t drop_marked(rv_faces *m)
{
    size_t n = 0;
    for (size_t t = 0; t < m->triangles; t++) {
        if (m->mark[t] & RV_MESH_DROP) continue;
        memcpy(m->corner[n], m->corner[t], sizeof *m->corner);
        m->mark[n++] = m->mark[t];
    }
    size_t dropped = m->triangles - n;
    m->triangles = n;
    return dropped;
}

// Whether two triangles with the same corners have them in the same turn.
static bool same_turn(const uint32_t a[3], const uint32_t b[3])
{
    int k = a[0] == b[0] ? 0 : a[0] == b[1] ? 1 : 2;
    return a[1] == b[(k + 1) % 3];
}

static void drop_duplicates(repair *r)
{
    rv_faces *m = r->mesh;
    size_t n = m->triangles;
    sort_by(r, last_corner, NULL, r->order, n);
    sort_by(r, middle_corner, r->order, r->spare, n);
    sort_by(r, first_corner, r->spare, r->order, n);
    for (size_t i = 0, first = 0; i < n; i++) {
        uint32_t a = r->order[first], b = r->order[i];
        if (i == first) continue;
        if (first_corner(m, a) != first_corner(m, b) || last_corner(m, a) != last_corner(m, b) ||
            middle_corner(m, a) != middle_corner(m, b)) {
            first = i;
            continue;
        }
        m->mark[b] |= RV_MESH_DROP;
        if (!same_turn(m->corner[a], m->corner[b])) m->mark[a] |= RV_MESH_BOTH;
    }
    r->report->duplicate += (int64_t)drop_marked(m);
}

static void mark_flat(rv_faces *m)
{
    for (size_t t = 0; t < m->triangles; t++) {
        double most = 0;
        for (int k = 0; k < 3; k++) {
            rv_vec3 edge = minus(rv_mesh_place(m, m->corner[t][(k + 1) % 3]),
                                 rv_mesh_place(m, m->corner[t][k]));
            most = fmax(most, dot(edge, edge));
        }
        if (!(size_of(area_of(m, t)) > FLAT * most)) m->mark[t] |= RV_MESH_FLAT;
    }
}

// ---- Edges --------------------------------------------------------------------------------------

static void close_run(repair *r, size_t first, size_t end)
{
    const uint32_t *half = r->order + first;
    if (end - first == 2) {
        r->mate[half[0]] = half[1], r->mate[half[1]] = half[0];
        return;
    }
    for (size_t i = first; i < end; i++) r->mate[r->order[i]] = RV_MESH_NONE;
    if (end - first == 1)
        r->spare[r->open++] = half[0];
    else
        r->report->crowded_edges++;
}

// Sorts the half edges into `order`, finds mates, open and crowded edges.
static void find_edges(repair *r)
{
    const rv_faces *m = r->mesh;
    size_t n = 3 * m->triangles;
    sort_by(r, high_end, NULL, r->spare, n);
    sort_by(r, low_end, r->spare, r->order, n);
    r->open = 0, r->report->crowded_edges = 0;
    for (size_t first = 0, end; first < n; first = end) {
        uint32_t low = low_end(m, r->order[first]), high = high_end(m, r->order[first]);
        for (end = first + 1; end < n; end++)
            if (low_end(m, r->order[end]) != low || high_end(m, r->order[end]) != high) break;
        close_run(r, first, end);
    }
    r->report->open_edges = (int64_t)r->open;
}

// A flat triangle between others closes the gap between their edges, one with an open edge closes
// nothing.
static bool drop_flat(repair *r)
{
    rv_faces *m = r->mesh;
    for (size_t i = 0; i < r->open; i++) {
        size_t t = r->spare[i] / 3;
        if (m->mark[t] & RV_MESH_FLAT) m->mark[t] |= RV_MESH_DROP;
    }
    size_t dropped = drop_marked(m);
    r->report->degenerate += (int64_t)dropped;
    return dropped > 0;
}

// How much more often an edge, a run in `order`, is passed one way than the other.
static int64_t net_of(const repair *r, size_t first, size_t *end)
{
    const rv_faces *m = r->mesh;
    uint32_t low = low_end(m, r->order[first]), high = high_end(m, r->order[first]);
    int64_t net = 0;
    for (*end = first; *end < 3 * m->triangles; ++*end) {
        uint32_t half = r->order[*end];
        if (low_end(m, half) != low || high_end(m, half) != high) break;
        net += rv_half_from(m, half) == low ? 1 : -1;
    }
    return net < 0 ? -net : net;
}

// Loose edges are those that are passed more often one way than the other.
static rv_result find_loose(repair *r)
{
    rv_faces *m = r->mesh;
    size_t n = 3 * m->triangles, end, first = 0;
    while (first < n && net_of(r, first, &end) == 0) first = end;
    m->steady = first == n;
    if (m->steady) return RV_OK;
    m->loose = rv_new(&m->allocator, m->triangle_room, sizeof *m->loose);
    if (!m->loose) return RV_OUT_OF_MEMORY;
    for (; first < n; first = end) {
        int64_t net = net_of(r, first, &end);
        uint32_t half = r->order[first];
        rv_vec3 way =
            minus(rv_mesh_place(m, rv_half_to(m, half)), rv_mesh_place(m, rv_half_from(m, half)));
        // for each of its triangles, in case one is left out of the tree
        for (size_t i = first; net > 0 && i < end; i++)
            m->loose[r->order[i] / 3] += (float)(size_of(way) * (double)net);
    }
    return RV_OK;
}

// ---- Pieces -------------------------------------------------------------------------------------

static void turn(rv_faces *m, size_t t)
{
    uint32_t swap = m->corner[t][1];
    m->corner[t][1] = m->corner[t][2], m->corner[t][2] = swap;
}

// Lists in r->queue the triangles that hang together with the seed, and marks those that are turned
// other than it. How many; the area of both kinds.
static size_t gather(repair *r, uint32_t seed, double area[2])
{
    rv_faces *m = r->mesh;
    size_t n = 0;
    r->queue[n++] = seed, m->piece[seed] = (uint32_t)m->pieces;
    for (size_t i = 0; i < n; i++) {
        uint32_t t = r->queue[i];
        bool turned = m->mark[t] & RV_MESH_TURN;
        area[turned] += size_of(area_of(m, t));
        for (uint32_t half = 3 * t; half < 3 * t + 3; half++) {
            uint32_t mate = r->mate[half], other = mate / 3;
            if (mate == RV_MESH_NONE || m->piece[other] != RV_MESH_NONE) continue;
            bool same = rv_half_from(m, half) == rv_half_to(m, mate);
            if (turned == same) m->mark[other] |= RV_MESH_TURN;
            m->piece[other] = (uint32_t)m->pieces, r->queue[n++] = other;
        }
    }
    return n;
}

// Makes each piece of one turn, that of the larger part of its area.
static void turn_pieces(repair *r)
{
    rv_faces *m = r->mesh;
    int64_t before = r->report->flipped;
    for (size_t t = 0; t < m->triangles; t++)
        m->piece[t] = RV_MESH_NONE, m->mark[t] &= (uint8_t)~RV_MESH_TURN;
    m->pieces = 0;
    for (size_t seed = 0; seed < m->triangles; seed++) {
        if (m->piece[seed] != RV_MESH_NONE) continue;
        double area[2] = {0, 0};
        size_t n = gather(r, (uint32_t)seed, area);
        uint8_t wrong = area[1] > area[0] ? 0 : RV_MESH_TURN;
        for (size_t i = 0; i < n; i++) {
            if ((m->mark[r->queue[i]] & RV_MESH_TURN) != wrong) continue;
            turn(m, r->queue[i]), r->report->flipped++;
        }
        m->pieces++;
    }
    if (r->report->flipped != before) find_edges(r);
}

#define HAS_SINGLE 1 // triangles that were not given both ways
#define HAS_OPEN 2   // open edges
#define HAS_END 4    // open or crowded edges
#define HAS_AREA 8   // triangles with an area

// What each piece has, of the above, or NULL.
static uint8_t *piece_flags(const repair *r)
{
    const rv_faces *m = r->mesh;
    uint8_t *flags = rv_new(&m->allocator, m->pieces, sizeof *flags);
    if (!flags) return NULL;
    for (size_t t = 0; t < m->triangles; t++) {
        uint8_t *has = &flags[m->piece[t]];
        if (!(m->mark[t] & RV_MESH_BOTH)) *has |= HAS_SINGLE;
        if (!(m->mark[t] & RV_MESH_FLAT)) *has |= HAS_AREA;
        for (size_t half = 3 * t; half < 3 * t + 3; half++)
            if (r->mate[half] == RV_MESH_NONE) *has |= HAS_END;
    }
    for (size_t i = 0; i < r->open; i++) flags[m->piece[r->spare[i] / 3]] |= HAS_OPEN;
    return flags;
}

// Pieces without an area, and walls: where two solids share one, it was given once by each, and
// neither wants it. That is a piece given both ways that ends at crowded edges only. (One without
// an end, or with an open one, is the surface itself, drawn from both sides.)
static rv_result drop_pieces(repair *r)
{
    rv_faces *m = r->mesh;
    uint8_t *flags = piece_flags(r);
    if (!flags) return RV_OUT_OF_MEMORY;
    int64_t flat = 0;
    for (size_t t = 0; t < m->triangles; t++) {
        uint8_t has = flags[m->piece[t]];
        if ((has & HAS_AREA) && has != (HAS_END | HAS_AREA)) continue;
        m->mark[t] |= RV_MESH_DROP, flat += !(has & HAS_AREA);
    }
    rv_free(&m->allocator, flags, m->pieces, sizeof *flags);
    int64_t dropped = (int64_t)drop_marked(m);
    if (dropped == 0) return RV_OK;
    r->report->degenerate += flat, r->report->duplicate += dropped - flat;
    find_edges(r), turn_pieces(r);
    return RV_OK;
}

// ---- Inside and outside -------------------------------------------------------------------------

typedef struct extent {
    double volume;
    float low[3], high[3];
} extent;

static void measure(repair *r, extent *e)
{
    rv_faces *m = r->mesh;
    rv_vec3 middle = {0.5 * (m->low.x + m->high.x), 0.5 * (m->low.y + m->high.y),
                      0.5 * (m->low.z + m->high.z)};
    for (size_t i = 0; i < m->pieces; i++)
        for (int k = 0; k < 3; k++) e[i].low[k] = INFINITY, e[i].high[k] = -INFINITY;
    for (size_t t = 0; t < m->triangles; t++) {
        rv_vec3 area = area_of(m, t);
        extent *own = &e[m->piece[t]];
        own->volume += dot(area, minus(rv_mesh_place(m, m->corner[t][0]), middle)) / 6;
        if (!(m->mark[t] & RV_MESH_PATCH)) r->report->area += 0.5 * size_of(area);
        for (int k = 0; k < 9; k++) {
            float x = m->place[m->corner[t][k / 3]][k % 3];
            own->low[k % 3] = fminf(own->low[k % 3], x);
            own->high[k % 3] = fmaxf(own->high[k % 3], x);
        }
    }
    for (size_t i = 0; i < m->pieces; i++) r->report->volume += e[i].volume;
}

static bool lies_in(const extent *a, const extent *b)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] < b->low[k] || a->high[k] > b->high[k]) return false;
    return true;
}

#define PIECES_MAX 4096 // looked at one against the other
#define IS_STRAY 16     // among the flags of a piece

// A closed piece that encloses less than nothing is a cavity, if there is anything around it; else
// it was turned by mistake.
static void turn_strays(repair *r, extent *e, uint8_t *flags)
{
    rv_faces *m = r->mesh;
    if (m->pieces > PIECES_MAX) return;
    for (size_t i = 0; i < m->pieces; i++) {
        bool stray = e[i].volume < 0 && !(flags[i] & HAS_END);
        for (size_t k = 0; stray && k < m->pieces; k++)
            if (e[k].volume > 0 && lies_in(&e[i], &e[k])) stray = false;
        if (!stray) continue;
        flags[i] |= IS_STRAY;
        r->report->volume -= 2 * e[i].volume, e[i].volume = -e[i].volume;
    }
    for (size_t t = 0; t < m->triangles; t++)
        if (flags[m->piece[t]] & IS_STRAY) turn(m, t), r->report->flipped++;
}

static rv_result turn_outward(repair *r)
{
    rv_faces *m = r->mesh;
    extent *e = rv_new(&m->allocator, m->pieces, sizeof *e);
    uint8_t *flags = piece_flags(r);
    if (e && flags) {
        measure(r, e);
        double size = r->report->area * sqrt(r->report->area) / (6 * sqrt(3.14159265358979));
        double least = r->report->closed ? 0 : -TURN_SHARE * size;
        if (r->report->volume < least) {
            for (size_t t = 0; t < m->triangles; t++) turn(m, t);
            for (size_t i = 0; i < m->pieces; i++) e[i].volume = -e[i].volume;
            r->report->volume = -r->report->volume, r->report->inside_out = true;
        }
        turn_strays(r, e, flags);
    }
    bool good = e && flags;
    rv_free(&m->allocator, flags, m->pieces, sizeof *flags);
    rv_free(&m->allocator, e, m->pieces, sizeof *e);
    return good ? RV_OK : RV_OUT_OF_MEMORY;
}

// ---- All of it ----------------------------------------------------------------------------------

static rv_result make_room(repair *r)
{
    const rv_faces *m = r->mesh;
    const rv_allocator *a = &m->allocator;
    r->room = 3 * m->triangle_room, r->count_room = m->place_room + 1;
    r->order = rv_new(a, r->room, sizeof *r->order);
    r->spare = rv_new(a, r->room, sizeof *r->spare);
    r->mate = rv_new(a, r->room, sizeof *r->mate);
    r->queue = rv_new(a, m->triangle_room, sizeof *r->queue);
    r->queue_room = m->triangle_room;
    r->count = rv_new(a, r->count_room, sizeof *r->count);
    return r->order && r->spare && r->mate && r->queue && r->count ? RV_OK : RV_OUT_OF_MEMORY;
}

static void free_room(repair *r)
{
    const rv_allocator *a = &r->mesh->allocator;
    rv_free(a, r->order, r->room, sizeof *r->order);
    rv_free(a, r->spare, r->room, sizeof *r->spare);
    rv_free(a, r->mate, r->room, sizeof *r->mate);
    rv_free(a, r->queue, r->queue_room, sizeof *r->queue);
    rv_free(a, r->count, r->count_room, sizeof *r->count);
    *r = (repair){.mesh = r->mesh, .report = r->report, .open = r->open};
}

static rv_result find_neighbours(repair *r)
{
    rv_faces *m = r->mesh;
    drop_duplicates(r), mark_flat(m), find_edges(r);
    if (drop_flat(r)) find_edges(r);
    find_box(m);
    double within = WELD * size_of(minus(m->high, m->low));
    if (r->open == 0 || m->triangles == 0 || !(within > 0)) return RV_OK;
    bool any;
    rv_result result = rv_mesh_weld_near(m, r->spare, r->open, within, &any);
    if (result != RV_OK || !any) return result;
    r->report->degenerate += (int64_t)drop_marked(m);
    drop_duplicates(r), mark_flat(m), find_edges(r);
    if (drop_flat(r)) find_edges(r);
    return RV_OK;
}

static rv_result fill(repair *r, bool fill_holes)
{
    rv_faces *m = r->mesh;
    rv_form_report found = *r->report;
    size_t before = m->triangles;
    rv_result result = rv_mesh_close(m, r->spare, r->open, fill_holes, r->report);
    if (result != RV_OK || m->triangles == before) return result;
    free_room(r); // for the patches
    result = make_room(r);
    if (result != RV_OK) return result;
    find_edges(r);
    r->report->open_edges = found.open_edges, r->report->crowded_edges = found.crowded_edges;
    return RV_OK;
}

static void count_rest(repair *r)
{
    const rv_faces *m = r->mesh;
    rv_form_report *report = r->report;
    memset(r->count, 0, m->places * sizeof *r->count);
    for (size_t t = 0; t < m->triangles; t++) {
        if (m->mark[t] & RV_MESH_PATCH) continue;
        if (m->mark[t] & RV_MESH_FLAT) report->degenerate++;
        for (int k = 0; k < 3; k++) {
            uint32_t *seen = &r->count[m->corner[t][k]];
            report->vertices += !*seen, *seen = 1;
        }
    }
    report->pieces = (int64_t)m->pieces, report->closed = r->open == 0;
}

static void tell(const rv_form_work *work, double share)
{
    if (work->progress) work->progress(share, work->progress_user);
}

static rv_result repair_all(repair *r, const rv_form_def *def, const rv_form_work *work)
{
    tell(work, 0.3);
    rv_result result = make_room(r);
    if (result == RV_OK) result = find_neighbours(r);
    tell(work, 0.7);
    if (result == RV_OK) turn_pieces(r), result = drop_pieces(r);
    if (result == RV_OK && r->mesh->triangles == 0) return RV_BAD_DATA;
    if (result == RV_OK) result = fill(r, def->fill_holes);
    if (result != RV_OK) return result;
    find_box(r->mesh), count_rest(r);
    result = find_loose(r);
    return result == RV_OK ? turn_outward(r) : result;
}

static bool check(const rv_triangles *given, rv_messages *messages)
{
    if (given->vertex_count > COUNT_MAX || given->triangle_count > COUNT_MAX) {
        rv_messages_add(messages, "mesh: %zu vertices and %zu triangles; at most %zu of each",
                        given->vertex_count, given->triangle_count, COUNT_MAX);
        return false;
    }
    size_t wrong = 0;
    for (size_t i = 0; i < 3 * given->vertex_count; i++)
        if (!isfinite(given->positions[i])) wrong++;
    if (wrong > 0) rv_messages_add(messages, "mesh: %zu coordinates are not finite numbers", wrong);
    return wrong == 0;
}

rv_result rv_mesh_repair(const rv_triangles *given, const rv_form_def *def,
                         const rv_form_work *work, rv_faces *out, rv_form_report *report,
                         rv_messages *messages)
{
    *out = (rv_faces){.allocator = work->allocator};
    report->triangles = (int64_t)given->triangle_count;
    if (!check(given, messages)) return RV_BAD_DATA;
    repair r = {.mesh = out, .report = report};
    rv_result result = rv_mesh_take(out, given, report);
    if (result == RV_OK) result = repair_all(&r, def, work);
    free_room(&r);
    if (result == RV_BAD_DATA) rv_messages_add(messages, "mesh: no triangle with an area");
    return result;
}

void rv_faces_free(rv_faces *mesh)
{
    const rv_allocator *a = &mesh->allocator;
    rv_free(a, mesh->place, mesh->place_room, sizeof *mesh->place);
    rv_free(a, mesh->corner, mesh->triangle_room, sizeof *mesh->corner);
    rv_free(a, mesh->mark, mesh->triangle_room, sizeof *mesh->mark);
    rv_free(a, mesh->piece, mesh->triangle_room, sizeof *mesh->piece);
    rv_free(a, mesh->loose, mesh->triangle_room, sizeof *mesh->loose);
}
