// Minimum heights (docs/surface.md, pipes paper §4.4).
//
// A column k is drawn at its bed b plus l or higher. For an upward vertex v of the terrain's mesh,
// with weights c of the columns around it, the l are to be the smallest, by the sum of w l², with
//
//     Σ c (b + l) = h_v + ε,   l >= least,   w = dx / (h_v - b) where b <= h_v, else 1e10.
//
// A column keeps the largest l of all its vertices.
//
// The mesh is marching cubes of the field, and the field is sampled at the middles of the cells. So
// a vertex lies straight over the middle of a cell, where it is a bed and `least` is enough; or on
// the line between two 4-neighbour cells, in the plane of a sample, with one of the two samples in
// the solid. On that line the bilinear surface and the triangles of either diagonal are the same,
// and all but two weights are 0. Of these two columns the one on the solid's side, the edge, owns
// the solid that the vertex belongs to: its bed is not below the vertex, so w = 1e10 and it is not
// raised, but it is drawn at its bed + least at least. The other one, the foot, has the vertex in
// its void and is raised alone:
//
//     l_foot = (h_v + ε - c_edge (b_edge + least)) / c_foot - b_foot.
//
// Triangles that use another column of either cell pass over the vertex anyway, or belong to a void
// below its solid. Between vertices the terrain may still bulge through a triangle's diagonal: no
// vertex lies under that.
//
// This puts the foot at most ε over the edge's bed. More than dx over the highest bed, which is
// left out, happens only where the edge has no room for `least` under its ceiling. Also left out
// are vertices of solids and voids that are too thin to be columns, those between columns that no
// level links, and, by less than ε, those that would raise the foot into its ceiling.
//
// But a pool at the foot of a cliff must not climb it for the sake of liquid that could come over
// the edge. So what raises a column far is kept as a step, which counts while both columns are wet
// and linked. The same goes for edges of overhangs, whose columns are linked only when the liquid
// below reaches up to the solid's underside.
#include "surface/heights.h"

#include "base/memory.h"
#include "terrain/field.h"

#include <string.h>

// ε, in cells: over what single precision loses in drawn places (1e-5 to 1e-4 dx in scenes of usual
// size), and well below `least`, which keeps the two surfaces apart for the eye.
#define CLEAR 1e-3
// dx: what raises a column further is a step. A pool may stand so much too high at a wall without
// being seen to climb it; of the pairs in `surgery` that raise a column, two in three raise it
// more.
#define ALWAYS 0.25

typedef struct column {
    size_t slot;
    double min, base, max; // m
} column;

typedef struct stack {
    int x, y, count;
    column of[RV_LAYERS_MAX];
} stack;

// What one pass over cells works with.
typedef struct pass {
    rv_heights *h;
    const rv_column_set *set;
    const rv_terrain *t;
    double least, clear, inset; // m, m, share of an edge
    rv_rect area;
} pass;

// ---- The field ----------------------------------------------------------------------------------

// The samples over one cell.
typedef struct line {
    const rv_brick *brick; // the lowest
    size_t at;
} line;

static line line_of(const rv_terrain *t, const stack *s)
{
    int i = s->x + 1, j = s->y + 1; // the samples' ring
    return (line){rv_field_brick(t, i, j, 0), rv_brick_index(i, j, 0)};
}

static double sample(const line *l, int k)
{
    const rv_brick *brick = l->brick + (k >> RV_BRICK_SHIFT);
    return (double)(brick->samples ? brick->samples[l->at + rv_brick_index(0, 0, k)]
                                   : brick->middle);
}

// As the mesh's normals feel it: no farther from the solid than from the ground.
static double felt(const rv_grid *g, const line *l, int k)
{
    return fmin(k < 0 ? (double)(float)-g->dz : sample(l, k), k * g->dz);
}

static double rise(const rv_grid *g, const line *l, int k)
{
    int high = k + 1 < g->nz ? k + 1 : k;
    return (felt(g, l, high) - felt(g, l, k - 1)) / ((high - (k - 1)) * g->dz);
}

// ---- Pairs of columns ---------------------------------------------------------------------------

typedef struct pair {
    const column *foot, *edge;
    line foot_line, edge_line;
    bool edge_first; // it has the lower x or y
} pair;

static bool faces_up(const rv_grid *g, const pair *c, double share, int k)
{
    const line *first = c->edge_first ? &c->edge_line : &c->foot_line;
    const line *second = c->edge_first ? &c->foot_line : &c->edge_line;
    return (1 - share) * rise(g, first, k) + share * rise(g, second, k) > 0;
}

// How far over its bed the vertex in the plane of sample k raises the foot, m; 0 when there is
// none.
static double raise_at(const pass *p, const pair *c, int k)
{
    const rv_grid *g = &p->set->grid;
    double in = sample(&c->edge_line, k), out = sample(&c->foot_line, k);
    if (!(in < 0) || out < 0) return 0;
    double first = c->edge_first ? in : out, second = c->edge_first ? out : in;
    double share = fmin(fmax(first / (first - second), p->inset), 1 - p->inset);
    double weight = c->edge_first ? share : 1 - share; // of the foot
    double drawn = c->edge->base + fmin(p->least, c->edge->max - c->edge->base);
    double top = (g->bottom + k * g->dz + p->clear - (1 - weight) * drawn) / weight;
    if (top - c->foot->base <= p->least || top > c->edge->base + g->dx) return 0;
    return faces_up(g, c, share, k) ? top - c->foot->base : 0;
}

// The largest for all vertices between the two.
static double raise_of(const pass *p, const pair *c)
{
    const rv_grid *g = &p->set->grid;
    double low = fmax(c->foot->base, c->edge->min), most = 0;
    // a plane too many at either end, for rounding: the samples tell
    int first = (int)((low - g->bottom) * p->t->per_dz);
    int last = (int)((c->edge->base - g->bottom) * p->t->per_dz) + 1;
    if (first < 0) first = 0;
    if (last > g->nz - 1) last = g->nz - 1;
    for (int k = first; k <= last; k++) most = fmax(most, raise_at(p, c, k));
    return fmin(most, c->foot->max - c->foot->base);
}

// ---- Cells --------------------------------------------------------------------------------------

static void get_stack(const rv_column_set *set, int x, int y, stack *out)
{
    out->x = x, out->y = y, out->count = 0;
    for (int l = 0; l < set->planes && rv_plane_has(&set->plane[l], x, y); l++) {
        size_t slot = rv_slot(&set->plane[l], x, y);
        if (!rv_column_exists(set, slot)) break;
        out->of[out->count++] =
            (column){slot, (double)set->min[slot], (double)set->base[slot], (double)set->max[slot]};
    }
}

// Not below the height, in single precision.
static float at_least(double height)
{
    float f = (float)height;
    return (double)f < height ? nextafterf(f, INFINITY) : f;
}

static void start_over(const pass *p, const stack *here)
{
    for (int l = 0; l < p->set->planes; l++) {
        if (!rv_plane_has(&p->set->plane[l], here->x, here->y)) continue;
        const column *c = &here->of[l];
        p->h->over[rv_slot(&p->set->plane[l], here->x, here->y)] =
            l < here->count ? at_least(fmin(p->least, c->max - c->base)) : 0.0f;
    }
}

// What the columns of a cell beside it ask of a column. Returns how many steps that makes; written
// to `step` unless it is NULL.
static int look_beside(const pass *p, const stack *here, const stack *there, const column *foot,
                       rv_height_step *step)
{
    float *over = p->h->over + foot->slot;
    int steps = 0;
    for (int n = 0; n < there->count; n++) {
        const column *edge = &there->of[n];
        if (!(edge->base > foot->base && edge->base < foot->max)) continue;
        pair c = {foot, edge, line_of(p->t, here), line_of(p->t, there),
                  there->x < here->x || there->y < here->y};
        double raise = raise_of(p, &c);
        if (raise <= p->least) continue;
        bool linked = foot->base >= edge->min; // with any depth
        if (linked && raise <= ALWAYS * p->set->grid.dx) {
            *over = fmaxf(*over, at_least(raise));
            continue;
        }
        if (step)
            step[steps] =
                (rv_height_step){(uint32_t)foot->slot, (uint32_t)edge->slot, at_least(raise)};
        steps++;
    }
    return steps;
}

// The heights of a cell's columns. Returns how many steps they have.
static int do_cell(const pass *p, int x, int y, rv_height_step *step)
{
    static const int8_t beside[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
    const rv_grid *g = &p->set->grid;
    stack here, there;
    int steps = 0;
    get_stack(p->set, x, y, &here);
    start_over(p, &here);
    if (!p->t) return 0;
    for (int d = 0; d < 4; d++) {
        int bx = x + beside[d][0], by = y + beside[d][1];
        if (bx < 0 || by < 0 || bx >= g->nx || by >= g->ny) continue;
        get_stack(p->set, bx, by, &there);
        for (int n = 0; n < here.count; n++)
            steps += look_beside(p, &here, &there, &here.of[n], step ? step + steps : NULL);
    }
    return steps;
}

// ---- Passes over cells --------------------------------------------------------------------------

static uint8_t *count_at(const pass *p, int x, int y)
{
    return p->h->count + (size_t)y * (size_t)p->set->grid.nx + (size_t)x;
}

static void count_row(void *context, int n)
{
    const pass *p = context;
    int y = p->area.y0 + n;
    for (int x = p->area.x0; x < p->area.x1; x++)
        *count_at(p, x, y) = (uint8_t)do_cell(p, x, y, NULL);
}

static size_t steps_between(const pass *p, int y, int x0, int x1)
{
    size_t sum = 0;
    for (int x = x0; x < x1; x++) sum += *count_at(p, x, y);
    return sum;
}

// The steps of a row of the area, with those it has beside the area.
static void write_row(void *context, int n)
{
    const pass *p = context;
    int y = p->area.y0 + n;
    rv_height_step *to = p->h->step + p->h->row[y];
    size_t left = steps_between(p, y, 0, p->area.x0);
    size_t right = steps_between(p, y, p->area.x1, p->set->grid.nx);
    if (left > 0) memcpy(to, p->h->old_step + p->h->old_row[y], left * sizeof *to);
    to += left;
    for (int x = p->area.x0; x < p->area.x1; x++)
        if (*count_at(p, x, y) > 0) to += do_cell(p, x, y, to);
    if (right > 0) memcpy(to, p->h->old_step + p->h->old_row[y + 1] - right, right * sizeof *to);
}

// Both lists of steps get room for `need`; the current one keeps what it has.
static bool ensure_steps(rv_heights *h, size_t need)
{
    if (need <= h->step_room) return true;
    size_t room = need + need / 4 + 64;
    rv_height_step *a = rv_new(&h->allocator, room, sizeof *a);
    rv_height_step *b = rv_new(&h->allocator, room, sizeof *b);
    if (!a || !b) {
        rv_free(&h->allocator, a, room, sizeof *a);
        rv_free(&h->allocator, b, room, sizeof *b);
        return false;
    }
    if (h->step_count > 0) memcpy(a, h->step, h->step_count * sizeof *a);
    rv_free(&h->allocator, h->step, h->step_room, sizeof *a);
    rv_free(&h->allocator, h->old_step, h->step_room, sizeof *a);
    h->step = a, h->old_step = b, h->step_room = room;
    return true;
}

static void swap_lists(rv_heights *h)
{
    rv_height_step *step = h->step;
    size_t *row = h->row;
    h->step = h->old_step, h->old_step = step;
    h->row = h->old_row, h->old_row = row;
}

// Where the rows' steps begin, now that they have been counted.
static void count_steps(const pass *p, const size_t *was, size_t *row)
{
    row[0] = 0;
    for (int y = 0; y < p->set->grid.ny; y++) {
        bool same = y < p->area.y0 || y >= p->area.y1;
        row[y + 1] =
            row[y] + (same ? was[y + 1] - was[y] : steps_between(p, y, 0, p->set->grid.nx));
    }
}

// Heights and steps of the area's cells; the other steps are taken over.
static rv_result do_area(const pass *p, rv_pool *pool)
{
    rv_heights *h = p->h;
    int rows = p->area.y1 - p->area.y0, ny = p->set->grid.ny;
    if (rows <= 0 || p->area.x1 <= p->area.x0) return RV_OK;
    rv_parallel_for(pool, rows, count_row, (void *)p);
    count_steps(p, h->row, h->old_row);
    if (!ensure_steps(h, h->old_row[ny])) return RV_OUT_OF_MEMORY;
    swap_lists(h);
    size_t before = h->row[p->area.y0], after = h->row[ny] - h->row[p->area.y1];
    h->step_count = h->row[ny];
    if (before > 0) memcpy(h->step, h->old_step, before * sizeof *h->step);
    rv_parallel_for(pool, rows, write_row, (void *)p);
    if (after > 0)
        memcpy(h->step + h->row[p->area.y1], h->old_step + h->old_row[p->area.y1],
               after * sizeof *h->step);
    return RV_OK;
}

static pass pass_of(rv_heights *h, const rv_column_set *set, const rv_terrain *t, double least)
{
    pass p = {.h = h, .set = set, .t = t, .least = least, .clear = CLEAR * set->grid.dx};
    if (t) p.inset = rv_terrain_mesh_inset(t);
    return p;
}

rv_result rv_heights_build(rv_heights *h, const rv_column_set *set, const rv_terrain *t,
                           double least, rv_pool *pool, const rv_allocator *allocator)
{
    size_t ny = (size_t)set->grid.ny;
    *h = (rv_heights){.slots = set->slots, .rows = set->grid.ny, .allocator = *allocator};
    h->cells = (size_t)set->grid.nx * ny;
    h->over = rv_new(allocator, h->slots, sizeof *h->over);
    h->count = rv_new(allocator, h->cells, sizeof *h->count);
    h->row = rv_new(allocator, ny + 1, sizeof *h->row);
    h->old_row = rv_new(allocator, ny + 1, sizeof *h->row);
    pass p = pass_of(h, set, t, least);
    p.area = (rv_rect){0, 0, set->grid.nx, set->grid.ny};
    bool good = h->over && h->count && h->row && h->old_row;
    rv_result r = good ? do_area(&p, pool) : RV_OUT_OF_MEMORY;
    if (r != RV_OK) rv_heights_free(h);
    return r;
}

// An edit changes distances around it, by as much as they reach past the nearest surface. That can
// turn a vertex's normal max(dx, dz) beyond the cells whose columns it can change (the normal is
// felt from samples one dz farther from the surface), and a vertex raises columns of two cells. One
// cell more, for fields steeper than distances.
static rv_rect within_reach(const rv_grid *g, rv_rect area)
{
    int reach = 2 + (int)fmin(ceil(fmax(g->dx, g->dz) / g->dx), fmax(g->nx, g->ny));
    return (rv_rect){area.x0 > reach ? area.x0 - reach : 0, area.y0 > reach ? area.y0 - reach : 0,
                     area.x1 < g->nx - reach ? area.x1 + reach : g->nx,
                     area.y1 < g->ny - reach ? area.y1 + reach : g->ny};
}

rv_result rv_heights_update(rv_heights *h, const rv_column_set *set, const rv_terrain *t,
                            double least, rv_rect area)
{
    if (area.x1 <= area.x0 || area.y1 <= area.y0) return RV_OK;
    pass p = pass_of(h, set, t, least);
    p.area = within_reach(&set->grid, area);
    rv_result r = do_area(&p, NULL);
    if (r != RV_OK) rv_heights_free(h);
    return r;
}

void rv_heights_free(rv_heights *h)
{
    const rv_allocator *a = &h->allocator;
    size_t rows = (size_t)h->rows + 1;
    rv_free(a, h->over, h->slots, sizeof *h->over);
    rv_free(a, h->count, h->cells, sizeof *h->count);
    rv_free(a, h->row, rows, sizeof *h->row);
    rv_free(a, h->old_row, rows, sizeof *h->old_row);
    rv_free(a, h->step, h->step_room, sizeof *h->step);
    rv_free(a, h->old_step, h->step_room, sizeof *h->old_step);
    *h = (rv_heights){.allocator = h->allocator};
}
