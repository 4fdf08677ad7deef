// Minimum heights: over many layered terrains and fills no triangle of the surface passes under an
// upward vertex of the terrain's mesh, no column is raised further than that takes, and what an
// update leaves is what building anew would make.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "surface/heights.h"
#include "terrain/field.h"

#include <math.h>

#define DX 1e-3
#define LEAST (0.05 * DX)
#define TERRAINS 150
#define SOLIDS 16

static uint64_t random_state;

static double uniform(double low, double high)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static int below(int n)
{
    return (int)uniform(0, n);
}

// ---- Terrains -----------------------------------------------------------------------------------

typedef struct place {
    rv_solid_def solid[SOLIDS];
    int count;
    rv_grid grid;
    rv_terrain *terrain;
    rv_column_set columns;
    rv_heights heights;
} place;

static rv_solid_def *add(place *p, rv_shape shape, double x, double y, double z)
{
    rv_solid_def *s = &p->solid[p->count++];
    *s = rv_default_solid_def();
    s->shape = shape, s->at = (rv_vec3){x, y, z};
    return s;
}

static rv_grid grid_of(int nx, int ny, double top, double stretch)
{
    rv_params p = rv_default_params();
    p.grid_nx = nx, p.grid_ny = ny, p.grid_dx = DX, p.grid_bottom = 0, p.grid_top = top;
    p.grid_stretch = stretch;
    return rv_grid_of(&p);
}

static void build_heights(place *p, rv_pool *pool)
{
    rv_allocator a = rv_default_allocator();
    assert_int_equal(rv_heights_build(&p->heights, &p->columns, p->terrain, LEAST, pool, &a),
                     RV_OK);
}

static void build(place *p)
{
    rv_allocator a = rv_default_allocator();
    rv_messages m = {0};
    if (!rv_solids_check(p->solid, p->count, "solids", &m)) fail_msg("%s", m.text);
    assert_int_equal(rv_terrain_build(p->solid, p->count, &p->grid, true, NULL, &a, NULL, NULL,
                                      &p->terrain, &p->columns),
                     RV_OK);
    build_heights(p, NULL);
}

static void end(place *p)
{
    rv_heights_free(&p->heights);
    rv_terrain_free(p->terrain);
    rv_columns_free(&p->columns);
}

static rv_solid_def random_tool(double size)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = (rv_shape[]){RV_SHAPE_SPHERE, RV_SHAPE_BOX, RV_SHAPE_CYLINDER}[below(3)];
    double r = uniform(0.3, 1) * size;
    s.radius = r, s.height = uniform(0.5, 3) * r;
    s.size = (rv_vec3){uniform(0.5, 2) * r, uniform(0.5, 2) * r, uniform(0.5, 2) * r};
    s.rotate = (rv_vec3){uniform(0, 3), uniform(0, 3), uniform(0, 3)};
    if (below(3) == 0) s.noise = 0.1 * r, s.noise_size = r;
    return s;
}

// A floor, even, tilted or rough, with slabs over it, lumps on it and holes through all.
static void make_random(place *p, uint64_t seed)
{
    static const double stretches[] = {1, 1, 0.6, 1.7};
    *p = (place){.grid = grid_of(26, 22, 0.016, stretches[seed % 4])};
    random_state = seed * 77773;
    rv_solid_def *floor =
        add(p, RV_SHAPE_PLANE, 0, 0, uniform(-0.001, 0.005)); // down to the ground
    if (below(2)) floor->normal = (rv_vec3){uniform(-0.3, 0.3), uniform(-0.3, 0.3), 1};
    if (below(2)) floor->noise = uniform(0.0002, 0.0015), floor->noise_size = uniform(0.002, 0.008);
    for (int i = below(4); i >= 0; i--) {
        rv_solid_def *slab =
            add(p, RV_SHAPE_BOX, uniform(-0.01, 0.01), uniform(-0.01, 0.01), uniform(0.005, 0.013));
        slab->size =
            (rv_vec3){uniform(0.004, 0.015), uniform(0.004, 0.015), uniform(0.0008, 0.004)};
        if (below(2))
            slab->rotate = (rv_vec3){uniform(-0.4, 0.4), uniform(-0.4, 0.4), uniform(0, 3)};
        if (below(3) == 0) slab->noise = 0.0004, slab->noise_size = 0.003;
    }
    for (int i = below(5); i >= 0; i--) {
        rv_solid_def *lump = &p->solid[p->count++];
        *lump = random_tool(0.005);
        lump->at = (rv_vec3){uniform(-0.012, 0.012), uniform(-0.01, 0.01), uniform(0.002, 0.013)};
        lump->op = below(2) ? RV_SUBTRACT : RV_UNION;
    }
    build(p);
}

// ---- What is drawn ------------------------------------------------------------------------------

// All columns are wet, most of them hardly. Some reach up to just over the underside of a solid
// beside them, where they are first linked with what is on it.
static float random_level(const rv_column_set *c, int x, int y, size_t slot)
{
    double base = (double)c->base[slot], max = (double)c->max[slot], level = base + 1e-8;
    rv_stack beside;
    int bx = x + below(3) - 1, by = y + below(3) - 1, kind = below(4);
    if (kind == 0) level = uniform(base, max);
    if (kind == 1 && bx >= 0 && by >= 0 && bx < c->grid.nx && by < c->grid.ny) {
        beside.count = rv_columns_get(c, bx, by, beside.column);
        for (int l = 0; l < beside.count; l++) {
            double min = (double)beside.column[l][0] + 1e-8;
            if (min > level && min < max && below(2)) level = min;
        }
    }
    return (float)fmin(level, max);
}

static bool linked(const rv_column_set *c, const float *level, size_t a, size_t b)
{
    return level[a] > c->min[b] && level[a] < c->max[b] && level[b] > c->min[a] &&
           level[b] < c->max[a];
}

// Drawn heights from levels, as the header says.
static void draw(const place *p, const float *level, float *drawn)
{
    const rv_column_set *c = &p->columns;
    const rv_heights *h = &p->heights;
    for (size_t i = 0; i < c->slots; i++) drawn[i] = fmaxf(level[i], c->base[i] + h->over[i]);
    for (size_t i = 0; i < h->step_count; i++) {
        const rv_height_step *s = &h->step[i];
        if (linked(c, level, s->slot, s->beside))
            drawn[s->slot] = fmaxf(drawn[s->slot], c->base[s->slot] + s->over);
    }
}

static void fill(const place *p, float *level)
{
    const rv_column_set *c = &p->columns;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++)
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t slot = rv_slot(plane, x, y);
                if (rv_column_exists(c, slot)) level[slot] = random_level(c, x, y, slot);
            }
    }
}

// ---- Vertices of the terrain --------------------------------------------------------------------

// An upward vertex, in cells from the middle of cell (0, 0): on the line between the middles of two
// cells, or both are the same cell.
typedef struct vertex {
    double x, y, z; // z in m
    int solid[2];   // cell in whose middle the solid is, at this height
    int free[2];
    double share; // of the way from the solid's cell to the free one
} vertex;

typedef struct tally {
    int64_t upward, checked, raised;
    int64_t outside, thin, steep, buried; // left out, and why
} tally;

static float sample_at(const rv_terrain *t, int x, int y, int k)
{
    const rv_brick *brick = rv_field_brick(t, x + 1, y + 1, k);
    return brick->samples ? brick->samples[rv_brick_index(x + 1, y + 1, k)] : brick->middle;
}

// All upward vertices lie on lattice lines. false: not between cells of the grid.
static bool find_vertex(const place *p, const float *at, vertex *v)
{
    const rv_grid *g = &p->grid;
    double x = ((double)at[0] - g->x0) / g->dx - 0.5, y = ((double)at[1] - g->y0) / g->dx - 0.5;
    double off_x = fabs(x - round(x)), off_y = fabs(y - round(y));
    if (fmin(off_x, off_y) > 2e-5) fail_msg("a vertex at %g, %g lies inside a quartet", x, y);
    // that it is on the line exactly, single precision cannot say
    if (off_x <= off_y || off_x < 2e-5) x = round(x);
    if (off_y <= off_x || off_y < 2e-5) y = round(y);
    int x0 = (int)floor(x), y0 = (int)floor(y), x1 = (int)ceil(x), y1 = (int)ceil(y);
    if (x0 < 0 || y0 < 0 || x1 >= g->nx || y1 >= g->ny) return false;
    *v = (vertex){x, y, (double)at[2], {x0, y0}, {x1, y1}, (x - x0) + (y - y0)};
    if (x0 == x1 && y0 == y1) return true;
    int k = (int)lround((v->z - g->bottom) / g->dz);
    assert_true(fabs(v->z - (g->bottom + k * g->dz)) < 1e-4 * g->dz); // in the plane of a sample
    bool first = sample_at(p->terrain, x0, y0, k) < 0,
         second = sample_at(p->terrain, x1, y1, k) < 0;
    assert_true(first != second);
    if (second) *v = (vertex){x, y, v->z, {x1, y1}, {x0, y0}, 1 - v->share};
    return true;
}

static double base_of(const rv_column_set *c, size_t slot)
{
    return (double)c->base[slot];
}

// The column of a cell whose solid (or, with in_void, whose void) the height belongs to.
static bool find_column(const rv_column_set *c, const int cell[2], double z, bool in_void,
                        size_t *slot)
{
    double near = 2e-4 * c->grid.dz; // the mesh keeps that far from samples, half of it
    for (int l = 0; l < c->planes && rv_plane_has(&c->plane[l], cell[0], cell[1]); l++) {
        *slot = rv_slot(&c->plane[l], cell[0], cell[1]);
        if (!rv_column_exists(c, *slot)) return false;
        double low = (double)(in_void ? c->base : c->min)[*slot];
        double high = (double)(in_void ? c->max : c->base)[*slot];
        if (low <= z + near && high >= z - near) return true;
    }
    return false;
}

// The closed form of docs/surface.md for a vertex between two columns: what it raises the second
// one by.
static double closed_form(double z, double share, double solid, double free)
{
    double c[2] = {1 - share, share}, b[2] = {solid, free}, sum = 0, rest = z + 1e-3 * DX, w[2];
    for (int k = 0; k < 2; k++) {
        w[k] = b[k] < z ? DX / (z - b[k]) : 1e10;
        sum += c[k] * c[k] / w[k], rest -= c[k] * b[k];
    }
    return c[1] / w[1] * rest / sum;
}

// Whether the rule leaves the vertex out; counted by reason.
static bool left_out(const place *p, const vertex *v, tally *t)
{
    const rv_column_set *c = &p->columns;
    size_t solid, free;
    if (!find_column(c, v->solid, v->z, false, &solid) ||
        !find_column(c, v->free, v->z, true, &free)) {
        // the solid reaches up to the lid, or it, or the void, is too thin to be a column
        t->thin++;
        return true;
    }
    if (v->share <= 0) return false;
    if (c->base[solid] >= c->max[free]) { // no level links the two
        t->buried++;
        return true;
    }
    double raise = closed_form(v->z, v->share, base_of(c, solid), base_of(c, free));
    bool steep = base_of(c, free) + raise > fmax(base_of(c, solid), base_of(c, free)) + DX;
    t->steep += steep;
    // else the column above is drawn `least` over its bed, and that spares the one below
    return steep && c->max[solid] - c->base[solid] < (float)LEAST;
}

// ---- The promise --------------------------------------------------------------------------------

// Weights of the corners (0, 0), (1, 0), (0, 1), (1, 1) in the triangle without corner `without`.
static bool weights_at(double u, double v, int without, double weight[4])
{
    static const double one[4][4][3] = {
        // 1, u, v
        {{0, 0, 0}, {1, 0, -1}, {1, -1, 0}, {-1, 1, 1}},
        {{1, 0, -1}, {0, 0, 0}, {0, -1, 1}, {0, 1, 0}},
        {{1, -1, 0}, {0, 1, -1}, {0, 0, 0}, {0, 0, 1}},
        {{1, -1, -1}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},
    };
    for (int n = 0; n < 4; n++) {
        const double *f = one[without][n];
        weight[n] = f[0] + f[1] * u + f[2] * v;
        if (weight[n] < 0) return false;
    }
    return true;
}

typedef struct view {
    const place *p;
    const float *level, *drawn;
    tally *t;
} view;

// One triangle over a vertex. It may pass under it only in a void below the vertex's own solid.
static void check_triangle(const view *w, const vertex *v, const size_t slot[3],
                           const double weight[3], const int cell[3][2])
{
    const rv_column_set *c = &w->p->columns;
    for (int n = 0; n < 3; n++)
        if (!linked(c, w->level, slot[n], slot[(n + 1) % 3])) return;
    double z = 0;
    for (int n = 0; n < 3; n++) {
        z += weight[n] * (double)w->drawn[slot[n]];
        if (cell[n][0] != v->solid[0] || cell[n][1] != v->solid[1]) continue;
        if ((double)c->max[slot[n]] < v->z + 1e-4 * c->grid.dz) return; // below the solid
    }
    w->t->checked++;
    if (!(z >= v->z + 0.5e-3 * DX))
        fail_msg("vertex %.5f, %.5f: %.4f dx over the surface, share %.5f", v->x, v->y,
                 (v->z - z) / DX, v->share);
}

// All choices of columns for the corners of a triangle of the quartet from cell (i, j).
static void check_quartet(const view *w, const vertex *v, int i, int j)
{
    const rv_column_set *c = &w->p->columns;
    if (i < 0 || j < 0 || i + 1 >= c->grid.nx || j + 1 >= c->grid.ny) return;
    for (int without = 0; without < 4; without++) {
        double all[4], weight[3];
        int cell[3][2], count[3], n = 0;
        if (!weights_at(v->x - i, v->y - j, without, all)) continue;
        for (int k = 0; k < 4; k++) {
            if (k == without) continue;
            rv_stack s;
            cell[n][0] = i + (k & 1), cell[n][1] = j + (k >> 1), weight[n] = all[k];
            count[n] = rv_columns_get(c, cell[n][0], cell[n][1], s.column);
            n++;
        }
        for (int k = 0; k < count[0] * count[1] * count[2]; k++) {
            int layer[3] = {k % count[0], k / count[0] % count[1], k / count[0] / count[1]};
            size_t slot[3];
            for (n = 0; n < 3; n++) slot[n] = rv_slot(&c->plane[layer[n]], cell[n][0], cell[n][1]);
            check_triangle(w, v, slot, weight, (const int(*)[2])cell);
        }
    }
}

static void check_vertex(const view *w, const vertex *v)
{
    if (left_out(w->p, v, w->t)) return;
    int x = (int)floor(v->x), y = (int)floor(v->y);
    for (int j = y - (v->y == y); j <= y; j++)
        for (int i = x - (v->x == x); i <= x; i++) check_quartet(w, v, i, j);
}

static void check_promise(const place *p, int fills, tally *t)
{
    rv_allocator a = rv_default_allocator();
    float *level = test_calloc(2 * p->columns.slots, sizeof *level),
          *drawn = level + p->columns.slots;
    rv_mesh mesh;
    assert_int_equal(rv_terrain_mesh_plain(p->terrain, &a, &mesh), RV_OK);
    for (int n = 0; n < fills; n++) {
        view w = {p, level, drawn, t};
        fill(p, level);
        draw(p, level, drawn);
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            vertex v;
            if (!(mesh.normals[3 * i + 2] > 0)) continue;
            t->upward++;
            if (find_vertex(p, mesh.positions + 3 * i, &v))
                check_vertex(&w, &v);
            else
                t->outside++;
        }
    }
    rv_mesh_free(&mesh);
    test_free(level);
}

static void nothing_pierces_the_surface(void **state)
{
    (void)state;
    tally t = {0};
    int64_t layered = 0, steps = 0;
    for (int n = 1; n <= TERRAINS; n++) {
        place p;
        make_random(&p, (uint64_t)n);
        check_promise(&p, 3, &t);
        layered += p.columns.planes > 1, steps += (int64_t)p.heights.step_count;
        end(&p);
    }
    double all = (double)(t.upward - t.outside) / 100;
    print_message(
        "%lld upward vertices, %lld triangles over them; left out: without columns %.2f%%, "
        "never linked %.2f%%, raised too far %.4f%%\n",
        (long long)t.upward, (long long)t.checked, (double)t.thin / all, (double)t.buried / all,
        (double)t.steep / all);
    assert_true(layered > TERRAINS / 2 && steps > TERRAINS);
    assert_true(t.checked > t.upward);
    assert_true(t.steep < t.upward / 1000);
}

// ---- No further than it takes -------------------------------------------------------------------

// The smallest raise of the free column that puts the line over the vertex, the solid's column
// being drawn `least` over its bed: the closed form, unless that asks less than `least` of the
// solid's column.
static double bounded_form(const rv_column_set *c, const vertex *v, size_t solid, size_t free)
{
    double a = base_of(c, solid), b = base_of(c, free), room = (double)c->max[solid] - a;
    double rest = v->z + 1e-3 * DX - (1 - v->share) * (a + fmin(LEAST, room)) - v->share * b;
    return fmin(fmin(closed_form(v->z, v->share, a, b), rest / v->share), (double)c->max[free] - b);
}

typedef struct found {
    bool *over, *step; // by slot, by step: a vertex asks for just this
} found;

static bool same_height(double a, double b, double share)
{
    return fabs(a - b) <= 1e-4 * DX + 1e-5 * b / share; // places are in single precision
}

static void match_vertex(const place *p, const vertex *v, const found *f)
{
    const rv_column_set *c = &p->columns;
    const rv_heights *h = &p->heights;
    size_t solid, free;
    if (v->share <= 0 || !find_column(c, v->solid, v->z, false, &solid) ||
        !find_column(c, v->free, v->z, true, &free))
        return;
    double raise = bounded_form(c, v, solid, free);
    if (same_height((double)h->over[free], raise, v->share)) f->over[free] = true;
    for (size_t i = h->row[v->free[1]]; i < h->row[v->free[1] + 1]; i++)
        if (h->step[i].slot == free && h->step[i].beside == solid &&
            same_height((double)h->step[i].over, raise, v->share))
            f->step[i] = true;
}

static void check_needed(const place *p)
{
    const rv_column_set *c = &p->columns;
    const rv_heights *h = &p->heights;
    rv_allocator a = rv_default_allocator();
    found f = {test_calloc(c->slots, sizeof(bool)), test_calloc(h->step_count + 1, sizeof(bool))};
    rv_mesh mesh;
    assert_int_equal(rv_terrain_mesh_plain(p->terrain, &a, &mesh), RV_OK);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        vertex v;
        if (mesh.normals[3 * i + 2] > 0 && find_vertex(p, mesh.positions + 3 * i, &v))
            match_vertex(p, &v, &f);
    }
    for (size_t i = 0; i < c->slots; i++) {
        float room = c->max[i] - c->base[i], least = fmaxf(0, fminf((float)LEAST, room));
        if (!rv_column_exists(c, i)) assert_true(h->over[i] == 0);
        assert_true(!(h->over[i] > 1.0001f * least) || f.over[i]);
        assert_true(h->over[i] <= fmaxf(0, room) && h->over[i] >= least);
    }
    for (size_t i = 0; i < h->step_count; i++) assert_true(f.step[i]);
    rv_mesh_free(&mesh);
    test_free(f.over), test_free(f.step);
}

static void no_column_is_raised_without_need(void **state)
{
    (void)state;
    for (int n = 1; n <= TERRAINS / 3; n++) {
        place p;
        make_random(&p, (uint64_t)n + 1000);
        check_needed(&p);
        end(&p);
    }
}

// ---- Between vertices ---------------------------------------------------------------------------

// How far the terrain's triangles bulge through the diagonals of the surface, at its lowest. Not
// promised away.
typedef struct bulges {
    int64_t seen, through;
    double sum, most; // dx
} bulges;

static rv_vec3 in_cells(const rv_grid *g, const float *at)
{
    return (rv_vec3){((double)at[0] - g->x0) / g->dx - 0.5, ((double)at[1] - g->y0) / g->dx - 0.5,
                     (double)at[2]};
}

static bool in_range(const rv_column_set *c, int x, int y, double z, size_t *slot)
{
    int cell[2] = {x, y};
    return find_column(c, cell, z, true, slot) || find_column(c, cell, z, false, slot);
}

// Where the terrain's edge from a to b, in cells, crosses the diagonal of a quartet: the rising
// one, or the other.
static void measure_edge(const view *w, rv_vec3 a, rv_vec3 b, bool rising, bulges *out)
{
    const rv_column_set *c = &w->p->columns;
    int i = (int)floor(0.5 * (a.x + b.x)), j = (int)floor(0.5 * (a.y + b.y));
    if (i < 0 || j < 0 || i + 1 >= c->grid.nx || j + 1 >= c->grid.ny) return;
    double from = rising ? (a.x - i) - (a.y - j) : (a.x - i) + (a.y - j) - 1;
    double to = rising ? (b.x - i) - (b.y - j) : (b.x - i) + (b.y - j) - 1;
    if (!(from * to < 0)) return;
    double s = from / (from - to), u = a.x + s * (b.x - a.x) - i, z = a.z + s * (b.z - a.z);
    size_t corner[4];
    for (int k = 0; k < 4; k++)
        if (!in_range(c, i + (k & 1), j + (k >> 1), z, &corner[k])) return;
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < k; m++)
            if (!linked(c, w->level, corner[k], corner[m])) return;
    const float *d = w->drawn;
    double rise = (double)d[corner[0]] + (double)d[corner[3]];
    double fall = (double)d[corner[1]] + (double)d[corner[2]];
    if (rising != (rise >= fall)) return; // the other diagonal is drawn
    size_t left = corner[rising ? 0 : 2], right = corner[rising ? 3 : 1];
    double over = z - ((1 - u) * (double)d[left] + u * (double)d[right]);
    out->seen++;
    if (over <= 0) return;
    out->through++, out->sum += over / DX, out->most = fmax(out->most, over / DX);
}

static void measure_bulges(const place *p, bulges *out)
{
    rv_allocator a = rv_default_allocator();
    const rv_column_set *c = &p->columns;
    float *level = test_calloc(2 * c->slots, sizeof *level);
    view w = {p, level, level + c->slots, NULL};
    rv_mesh mesh;
    for (size_t i = 0; i < c->slots; i++) level[i] = c->base[i] + 1e-8f;
    draw(p, level, level + c->slots);
    assert_int_equal(rv_terrain_mesh_plain(p->terrain, &a, &mesh), RV_OK);
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        rv_vec3 v[3];
        for (int n = 0; n < 3; n++)
            v[n] = in_cells(&p->grid, mesh.positions + 3 * (size_t)mesh.indices[3 * t + (size_t)n]);
        double up = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[1].y - v[0].y) * (v[2].x - v[0].x);
        for (int n = 0; n < 3 && up > 0; n++)
            for (int rising = 0; rising < 2; rising++)
                measure_edge(&w, v[n], v[(n + 1) % 3], rising, out);
    }
    rv_mesh_free(&mesh);
    test_free(level);
}

static void bulges_between_vertices_are_small(void **state)
{
    (void)state;
    bulges b = {0};
    for (int n = 1; n <= TERRAINS / 3; n++) {
        place p;
        make_random(&p, (uint64_t)n + 2000);
        measure_bulges(&p, &b);
        end(&p);
    }
    print_message("terrain over diagonals: at %lld of %lld places, there %.3f dx in the mean, "
                  "%.3f dx at most\n",
                  (long long)b.through, (long long)b.seen, b.sum / (double)b.through, b.most);
    assert_true(b.seen > 10000);
    assert_true(1000 * b.through < b.seen);
}

// ---- Cliffs -------------------------------------------------------------------------------------

// A pool at the foot of a wall does not climb it. Liquid that comes over the wall is drawn outside
// of it.
static void walls_are_steps(void **state)
{
    (void)state;
    place p = {.grid = grid_of(20, 10, 0.03, 1)};
    add(&p, RV_SHAPE_PLANE, 0, 0, 0.0025);
    rv_solid_def *wall = add(&p, RV_SHAPE_BOX, -0.005, 0, 0.01);
    wall->size = (rv_vec3){0.0103, 0.04, 0.0203}; // up to z = 20.15 mm, x = 0.15 mm
    build(&p);
    const rv_column_set *c = &p.columns;
    const rv_heights *h = &p.heights;
    for (size_t i = 0; i < c->slots; i++) assert_true(h->over[i] <= 0.25f * (float)DX);
    assert_int_equal(h->step_count, 10); // one a row: from cell 10 up to cell 9
    for (int y = 0; y < 10; y++) {
        const rv_height_step *s = &h->step[y];
        assert_int_equal(h->row[y], y);
        assert_int_equal(s->slot, rv_slot(&c->plane[0], 10, y));
        assert_int_equal(s->beside, rv_slot(&c->plane[0], 9, y));
        assert_true(s->over > 16.0f * (float)DX && s->over < 17.8f * (float)DX);
    }
    end(&p);
}

// A shelf's edge raises the floor beside it only while the liquid there reaches up to the shelf.
static void edges_of_shelves_are_steps(void **state)
{
    (void)state;
    place p = {.grid = grid_of(20, 10, 0.03, 1)};
    add(&p, RV_SHAPE_PLANE, 0, 0, 0.0025);
    rv_solid_def *shelf = add(&p, RV_SHAPE_BOX, -0.006, 0, 0.02);
    shelf->size = (rv_vec3){0.0123, 0.04, 0.0043};
    build(&p);
    for (size_t i = 0; i < p.columns.slots; i++)
        assert_true(p.heights.over[i] <= 0.0501f * (float)DX);
    for (size_t i = 0; i < p.heights.step_count; i++) {
        const rv_height_step *s = &p.heights.step[i];
        float drawn = p.columns.base[s->slot] + s->over;
        assert_true(drawn > p.columns.min[s->beside] &&
                    p.columns.base[s->slot] < p.columns.min[s->beside]);
    }
    assert_true(p.heights.step_count >= 10);
    end(&p);
}

// ---- Heights ------------------------------------------------------------------------------------

static void without_a_field_least_is_enough(void **state)
{
    (void)state;
    float bed[12 * 9];
    rv_allocator a = rv_default_allocator();
    rv_grid grid = grid_of(12, 9, 0.01, 1);
    rv_column_set c;
    rv_heights h;
    random_state = 5;
    for (int i = 0; i < 12 * 9; i++) bed[i] = (float)uniform(0, 0.0101);
    bed[5] = 0.01f - 0.2f * (float)LEAST; // not even that much room
    assert_int_equal(rv_columns_from_heights(&c, &grid, bed, NULL, &a), RV_OK);
    assert_int_equal(rv_heights_build(&h, &c, NULL, LEAST, NULL, &a), RV_OK);
    for (size_t i = 0; i < c.slots; i++) {
        float room = c.max[i] - c.base[i];
        float least = rv_column_exists(&c, i) ? fminf((float)LEAST, room) : 0;
        assert_true(h.over[i] >= least && h.over[i] <= 1.000001f * least);
    }
    assert_int_equal(h.step_count, 0);
    assert_int_equal(rv_heights_update(&h, &c, NULL, LEAST, (rv_rect){2, 2, 4, 4}), RV_OK);
    rv_heights_free(&h);
    rv_columns_free(&c);
}

// ---- Updates ------------------------------------------------------------------------------------

static void assert_same_heights(const rv_heights *a, const rv_heights *b)
{
    assert_int_equal(a->slots, b->slots);
    assert_int_equal(a->step_count, b->step_count);
    assert_int_equal(a->rows, b->rows);
    assert_memory_equal(a->over, b->over, a->slots * sizeof *a->over);
    assert_memory_equal(a->row, b->row, ((size_t)a->rows + 1) * sizeof *a->row);
    if (a->step_count > 0) assert_memory_equal(a->step, b->step, a->step_count * sizeof *a->step);
}

// Casts the cells again; false: the planes have no slots for them.
static bool recast(place *p, rv_rect cells)
{
    for (int y = cells.y0; y < cells.y1; y++) {
        for (int x = cells.x0; x < cells.x1; x++) {
            rv_stack s;
            rv_terrain_cast_cell(p->terrain, x, y, &s);
            if (s.count > p->columns.planes) return false;
            for (int l = 0; l < s.count; l++)
                if (!rv_plane_has(&p->columns.plane[l], x, y)) return false;
            rv_columns_put(&p->columns, x, y, (const float(*)[3])s.column, s.count);
        }
    }
    return true;
}

static rv_terrain_change random_edit(place *p)
{
    rv_terrain_change change;
    rv_solid_def tool = random_tool(below(2) ? 0.004 : 0.0015);
    rv_vec3 path[2] = {{uniform(-0.015, 0.015), uniform(-0.013, 0.013), uniform(0, 0.016)},
                       {0, 0, 0}};
    path[1] = (rv_vec3){path[0].x + uniform(-0.003, 0.003), path[0].y + uniform(-0.003, 0.003),
                        path[0].z + uniform(-0.003, 0.003)};
    assert_int_equal(
        rv_terrain_edit(p->terrain, &tool, 1, path, 1 + below(2), below(2), NULL, &change), RV_OK);
    return change;
}

static void updates_are_as_building_anew(void **state)
{
    (void)state;
    int updated = 0, same = 0;
    for (int n = 1; n <= 12; n++) {
        place p, q;
        make_random(&p, (uint64_t)n + 3000);
        for (int k = 0; k < 40; k++) {
            rv_terrain_change change = random_edit(&p);
            if (recast(&p, change.cells)) {
                assert_int_equal(
                    rv_heights_update(&p.heights, &p.columns, p.terrain, LEAST, change.cells),
                    RV_OK);
                updated++;
            } else {
                rv_columns_free(&p.columns);
                rv_heights_free(&p.heights);
                assert_int_equal(rv_terrain_columns(p.terrain, NULL, &p.columns), RV_OK);
                build_heights(&p, NULL);
            }
            q = p;
            build_heights(&q, NULL);
            assert_same_heights(&p.heights, &q.heights);
            rv_heights_free(&q.heights);
        }
        tally t = {0};
        check_promise(&p, 1, &t);
        same += t.checked > 0;
        end(&p);
    }
    assert_true(updated > 300 && same == 12);
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    rv_pool *pool = rv_pool_create(3);
    for (int n = 1; n <= 10; n++) {
        place p, q;
        make_random(&p, (uint64_t)n + 4000);
        q = p;
        build_heights(&q, pool);
        assert_same_heights(&p.heights, &q.heights);
        rv_heights_free(&q.heights);
        end(&p);
    }
    rv_pool_destroy(pool);
}

// ---- Memory -------------------------------------------------------------------------------------

typedef struct purse {
    int left;     // allocations
    int64_t held; // bytes
} purse;

static void *spend(size_t bytes, void *user)
{
    purse *p = user;
    if (p->left-- <= 0) return NULL;
    p->held += (int64_t)bytes;
    return aligned_alloc(64, bytes);
}

static void refund(void *memory, size_t bytes, void *user)
{
    if (memory) ((purse *)user)->held -= (int64_t)bytes;
    free(memory);
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    place p;
    make_random(&p, 5001);
    assert_true(p.heights.step_count > 0);
    for (int n = 0;; n++) {
        purse own = {n, 0};
        rv_allocator a = {spend, refund, &own};
        rv_heights h;
        rv_result r = rv_heights_build(&h, &p.columns, p.terrain, LEAST, NULL, &a);
        if (r == RV_OK) {
            assert_true(n > 3);
            rv_heights_free(&h);
            assert_int_equal(own.held, 0);
            break;
        }
        assert_int_equal(r, RV_OUT_OF_MEMORY);
        assert_int_equal(own.held, 0);
        assert_null(h.over);
    }
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_pierces_the_surface),
        cmocka_unit_test(no_column_is_raised_without_need),
        cmocka_unit_test(bulges_between_vertices_are_small),
        cmocka_unit_test(walls_are_steps),
        cmocka_unit_test(edges_of_shelves_are_steps),
        cmocka_unit_test(without_a_field_least_is_enough),
        cmocka_unit_test(updates_are_as_building_anew),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
