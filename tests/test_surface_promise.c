// The promise of docs/surface.md, by brute force over random layered terrains and fills: no drawn
// triangle of liquid passes under an upward vertex of the terrain's mesh that the rule does not
// leave out.
//
// The terrain's mesh has its upward vertices over the middles of cells and on the lines between
// them. Each is held against all triangles over it, by what stands at the two ends of its line:
//
//   between two wet columns   over every vertex, but those left out;
//   at the liquid's end       over those that raise a column by a quarter of a cell or less, on
//   beds
//                             that rise by less than a cell: others belong to walls that the liquid
//                             stands against, and rise out of it by right;
//   beside an extra vertex    as at the end: it stands in a wall, or beyond an edge.
//
// Without surface.edge, as in the papers, dry columns are drawn at the level of the liquid beside
// them, in or over their beds: then only what is between wet columns is promised.
//
// A failure prints the seed; `test_surface_promise SEED` runs that one alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_check.h"
#include "world/world_internal.h"

#define SCENES 300
// dx, over which the terrain is cleared (heights.c), and what single precision loses of it
#define CLEAR 1e-3
// dx: what raises a column further counts only while both columns are wet (heights.c)
#define ALWAYS 0.25
// dx: from a rise of a cell on, from one least height to the next, the surface ends in a wall,
// level (triangles.c); so much of that may be beds
#define WALL 0.7

static uint64_t first_seed = 1, last_seed = SCENES;

// ---- Vertices of the terrain --------------------------------------------------------------------

// In cells from the middle of the first; z in m.
typedef struct peak {
    double x, y, z;
    int solid[2], free[2]; // the cells at the ends of its line; the same: it is over a middle
    size_t edge, foot;     // the columns whose solid, and whose void, it is in; NOTHING
    double share;          // of the way from the solid's cell to the other
    bool always;           // counts whether or not liquid runs over the edge
} peak;

typedef enum standing { WET_WET, AT_END, AT_EXTRA, STANDINGS } standing;

typedef struct tally {
    int64_t upward, pairs[STANDINGS], below[STANDINGS], walls[STANDINGS], under;
    int64_t thin, apart, far_; // left out: without columns, never linked, raised too far
    double worst[STANDINGS];   // dx, of those that pass below
} tally;

typedef struct ground {
    peak *peak;
    size_t count;
    uint32_t *first, *next; // by cell, floor of x and y
} ground;

static size_t column_with(const rv_columns *c, const int cell[2], double z, bool in_void)
{
    double near = 1e-4 * c->dx;
    size_t slot;
    for (int l = 0; l < c->planes; l++) {
        if (!column_at(c, l, cell[0], cell[1], &slot)) break;
        double low = (double)(in_void ? c->base : c->min)[slot];
        double high = (double)(in_void ? c->max : c->base)[slot];
        if (low <= z + near && high >= z - near) return slot;
    }
    return NOTHING;
}

static bool is_solid(const rv_world *world, const rv_columns *c, int x, int y, double z)
{
    rv_vec3 at = {middle_x(c, x), middle_y(c, y), z};
    float d;
    rv_world_distance(world, &at, 1, &d);
    return d < 0;
}

// Places on the lines between middles of cells are there exactly, but for single precision.
static double snap(double x)
{
    return fabs(x - round(x)) < 2e-4 ? round(x) : x;
}

static bool make_peak(const rv_world *world, const rv_columns *c, const float *at, peak *p)
{
    double x = ((double)at[0] - c->x0) / c->dx - 0.5, y = ((double)at[1] - c->y0) / c->dx - 0.5;
    double off_x = fabs(x - round(x)), off_y = fabs(y - round(y));
    if (fmin(off_x, off_y) > 2e-4) fail_msg("a vertex at %g, %g lies inside a quartet", x, y);
    x = snap(x), y = snap(y);
    int x0 = (int)floor(x), y0 = (int)floor(y), x1 = (int)ceil(x), y1 = (int)ceil(y);
    if (x0 < 0 || y0 < 0 || x1 >= c->nx || y1 >= c->ny) return false;
    *p = (peak){x,       y,       (double)at[2],       {x0, y0}, {x1, y1},
                NOTHING, NOTHING, (x - x0) + (y - y0), true};
    if (!is_solid(world, c, x0, y0, p->z) && (x0 != x1 || y0 != y1))
        *p = (peak){x, y, p->z, {x1, y1}, {x0, y0}, NOTHING, NOTHING, 1 - p->share, true};
    p->edge = column_with(c, p->solid, p->z, false);
    p->foot = column_with(c, p->free, p->z, true);
    return true;
}

static void list_peaks(const rv_world *world, const rv_columns *c, ground *g)
{
    rv_mesh mesh;
    size_t cells = (size_t)c->nx * (size_t)c->ny;
    rv_allocator a = rv_default_allocator();
    assert_int_equal(rv_terrain_mesh_plain(world->terrain, &a, &mesh), RV_OK);
    g->peak = test_malloc((mesh.vertex_count + 1) * sizeof *g->peak), g->count = 0;
    g->first = test_malloc(cells * sizeof *g->first);
    g->next = test_malloc((mesh.vertex_count + 1) * sizeof *g->next);
    memset(g->first, 0xff, cells * sizeof *g->first);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        peak *p = &g->peak[g->count];
        if (!(mesh.normals[3 * i + 2] > 0) || !make_peak(world, c, mesh.positions + 3 * i, p))
            continue;
        size_t cell = (size_t)floor(p->y) * (size_t)c->nx + (size_t)floor(p->x);
        g->next[g->count] = g->first[cell], g->first[cell] = (uint32_t)g->count++;
    }
    rv_mesh_free(&mesh);
}

static void free_ground(ground *g)
{
    test_free(g->peak), test_free(g->first), test_free(g->next);
}

// ---- The rule -----------------------------------------------------------------------------------

// What the vertex raises the column at its foot to, m: the smallest Σ w l² with l at least `least`
// has all of it there, for the other column's bed is not below the vertex.
static double raised_to(const rv_columns *c, const peak *p, double least)
{
    double drawn = (double)c->base[p->edge] + fmin(least, column_room(c, p->edge));
    return (p->z + CLEAR * c->dx - (1 - p->share) * drawn) / p->share;
}

typedef enum why_out { KEPT, THIN, APART, FAR } why_out;

static why_out left_out(const rv_columns *c, const peak *p, double least)
{
    // the solid, or the void, is too thin to be a column, or reaches up to the lid
    if (p->edge == NOTHING || p->foot == NOTHING) return THIN;
    if (p->share <= 0) return KEPT;
    // no level links the two
    if (c->base[p->edge] >= c->max[p->foot]) return APART;
    double to = raised_to(c, p, least),
           highest = fmax((double)c->base[p->edge], (double)c->base[p->foot]);
    return to > highest + c->dx || to > (double)c->max[p->foot] ? FAR : KEPT;
}

// What raises a column far, at a cliff, counts only while liquid runs over its edge, and so do all
// vertices of the same edge. Where the liquid ends, vertices of walls rise out of it.
static void find_walls(const rv_columns *c, const ground *g, double least)
{
    bool(*wall)[4] = test_calloc(c->slots, sizeof *wall); // by foot, and direction of the edge
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < g->count; i++) {
            peak *p = &g->peak[i];
            p->always = true;
            if (p->share <= 0 || left_out(c, p, least) != KEPT) continue;
            int d = p->solid[0] != p->free[0] ? p->solid[0] > p->free[0]
                                              : 2 + (p->solid[1] > p->free[1]);
            bool far_ = raised_to(c, p, least) - (double)c->base[p->foot] > ALWAYS * c->dx ||
                        (double)c->base[p->edge] - (double)c->base[p->foot] > WALL * c->dx ||
                        c->base[p->foot] < c->min[p->edge];
            if (pass == 0)
                wall[p->foot][d] = wall[p->foot][d] || far_;
            else
                p->always = !wall[p->foot][d];
        }
    test_free(wall);
}

// ---- Triangles over them ------------------------------------------------------------------------

typedef struct trial {
    const surface_view *v;
    const ground *g;
    double least;
    bool ends; // promised there too
    tally *t;
} trial;

// Height of a triangle over a place in cells, if that is in its plan.
static bool height_over(const surface_view *v, size_t triangle, double x, double y, double *z)
{
    double at[3][3], w[3], whole = plan_of(v, triangle);
    for (int k = 0; k < 3; k++) {
        const float *p = place_of(v, triangle, k);
        at[k][0] = snap(((double)p[0] - v->c->x0) / v->c->dx - 0.5);
        at[k][1] = snap(((double)p[1] - v->c->y0) / v->c->dx - 0.5), at[k][2] = (double)p[2];
    }
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = at[(k + 1) % 3], *b = at[(k + 2) % 3];
        w[k] = ((a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x)) / whole;
        if (w[k] < -1e-9) return false;
        w[k] = fmax(w[k], 0);
        sum += w[k];
    }
    *z = 0;
    for (int k = 0; k < 3; k++) *z += w[k] / sum * at[k][2];
    return true;
}

// The column of a cell at a corner of the triangle; NOTHING.
static size_t corner_in(const surface_view *v, size_t triangle, const int cell[2])
{
    for (size_t k = 0; k < 3; k++) {
        uint32_t i = v->mesh.indices[3 * triangle + k];
        if (v->column[i] != NOTHING && v->cell[i][0] == cell[0] && v->cell[i][1] == cell[1])
            return v->column[i];
    }
    return NOTHING;
}

static bool has_end(const surface_view *v, size_t triangle)
{
    for (size_t k = 0; k < 3; k++) {
        uint32_t i = v->mesh.indices[3 * triangle + k];
        if (v->cell[i][0] < 0 || v->mesh.depth[i] <= 0) return true;
    }
    return false;
}

// Whether the triangle has an extra corner in the solid of that cell.
static bool in_wall(const surface_view *v, size_t triangle, const int cell[2])
{
    for (size_t k = 0; k < 3; k++) {
        uint32_t i = v->mesh.indices[3 * triangle + k];
        if (v->column[i] != NOTHING || v->cell[i][0] != cell[0] || v->cell[i][1] != cell[1])
            continue;
        float z = v->mesh.positions[3 * i + 2];
        size_t slot;
        for (int l = 0; l < v->c->planes && column_at(v->c, l, cell[0], cell[1], &slot); l++)
            if (z > v->c->min[slot] && z < v->c->base[slot]) return true;
    }
    return false;
}

static void check_pair(const trial *r, size_t triangle, const peak *p)
{
    const surface_view *v = r->v;
    double z, dx = v->c->dx;
    if (!height_over(v, triangle, p->x, p->y, &z)) return;
    size_t solid = corner_in(v, triangle, p->solid), free = corner_in(v, triangle, p->free);
    standing s = solid != NOTHING && free != NOTHING ? WET_WET
                 : has_end(v, triangle)              ? AT_END
                                                     : AT_EXTRA;
    r->t->pairs[s]++;
    if (z >= p->z - 1e-6 * dx) return;
    why_out out = left_out(v->c, p, r->least);
    if (out != KEPT) {
        r->t->thin += out == THIN, r->t->apart += out == APART, r->t->far_ += out == FAR;
        return;
    }
    // in a void below the vertex's solid, or below the one at its foot
    if (z <= (double)v->c->min[p->edge] + 1e-6 * dx ||
        (solid != NOTHING && v->c->base[solid] < v->c->base[p->edge]) ||
        (s != WET_WET && z <= (double)v->c->min[p->foot])) {
        r->t->under++;
        return;
    }
    if (s != WET_WET && (!r->ends || in_wall(v, triangle, p->solid) ||
                         in_wall(v, triangle, p->free) || !p->always)) {
        r->t->walls[s]++;
        return;
    }
    r->t->below[s]++;
    r->t->worst[s] = fmax(r->t->worst[s], (p->z - z) / dx);
    complain(v, "vertex %.4f %.4f %.4f is %.5f over %s, %s, %s (%s)", p->x, p->y,
             (p->z - v->c->bottom) / dx, (p->z - z) / dx,
             place_text(v, v->mesh.indices[3 * triangle]).text,
             place_text(v, v->mesh.indices[3 * triangle + 1]).text,
             place_text(v, v->mesh.indices[3 * triangle + 2]).text,
             s == WET_WET  ? "between wet columns"
             : s == AT_END ? "at the end"
                           : "extra");
}

static void check_triangle(const trial *r, size_t t)
{
    const rv_columns *c = r->v->c;
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (int k = 0; k < 3; k++) {
        const float *p = place_of(r->v, t, k);
        double at[2] = {((double)p[0] - c->x0) / c->dx - 0.5, ((double)p[1] - c->y0) / c->dx - 0.5};
        for (int i = 0; i < 2; i++) low[i] = fmin(low[i], at[i]), high[i] = fmax(high[i], at[i]);
    }
    for (int y = (int)floor(low[1] - 0.01); y <= (int)floor(high[1] + 0.01); y++)
        for (int x = (int)floor(low[0] - 0.01); x <= (int)floor(high[0] + 0.01); x++) {
            if (x < 0 || y < 0 || x >= c->nx || y >= c->ny) continue;
            uint32_t i = r->g->first[(size_t)y * (size_t)c->nx + (size_t)x];
            for (; i != UINT32_MAX; i = r->g->next[i]) check_pair(r, t, &r->g->peak[i]);
        }
}

static void check_promise(rv_world *world, rv_surface *surface, uint64_t seed, bool edge,
                          int *problems, tally *t)
{
    rv_params p = *rv_world_params(world);
    rv_columns c;
    surface_view v;
    ground g;
    char what[64];
    p.surface_edge = edge;
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    rv_world_get_columns(world, &c);
    snprintf(what, sizeof what, "seed %llu%s", (unsigned long long)seed, edge ? "" : ", no edge");
    open_view(&v, &c, surface, p.surface_film, problems, what);
    list_peaks(world, &c, &g);
    find_walls(&c, &g, p.surface_over * c.dx);
    trial r = {&v, &g, p.surface_over * c.dx, edge, t};
    t->upward += (int64_t)g.count;
    for (size_t i = 0; i < v.mesh.triangle_count; i++)
        if (!v.curtain[i]) check_triangle(&r, i);
    free_ground(&g);
    close_view(&v);
}

static void nothing_pierces_the_surface(void **state)
{
    (void)state;
    tally t = {0};
    int problems = 0;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        random_scene s;
        rv_fill_def fill;
        rv_surface *surface;
        random_scene_of(&s, seed);
        random_fill(&s, &fill);
        rv_world *world = make_world(&s.def);
        random_liquid(&s, world);
        assert_int_equal(rv_surface_create(world, &surface), RV_OK);
        check_promise(world, surface, seed, true, &problems, &t);
        check_promise(world, surface, seed, false, &problems, &t);
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
    static const char *const name[STANDINGS] = {"between wet columns", "at ends", "beside extras"};
    print_message("%lld upward vertices\n", (long long)t.upward);
    for (int k = 0; k < STANDINGS; k++)
        print_message("%s: %lld with triangles, %lld walls, %lld above the surface, by %.4f dx\n",
                      name[k], (long long)t.pairs[k], (long long)t.walls[k], (long long)t.below[k],
                      t.worst[k]);
    print_message("of solids over the liquid %lld; left out: without columns %lld, never linked "
                  "%lld, raised too far %lld\n",
                  (long long)t.under, (long long)t.thin, (long long)t.apart, (long long)t.far_);
    assert_int_equal(problems, 0);
    if (last_seed == first_seed) return;
    assert_true(t.pairs[WET_WET] > t.upward && t.pairs[AT_END] > 100 * SCENES);
    assert_true(t.pairs[AT_EXTRA] > 100 * SCENES && t.far_ < t.upward / 1000);
}

int main(int argc, char **argv)
{
    if (argc > 1) first_seed = last_seed = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_pierces_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
