// The terrain as triangles: marching cubes of the sampled field, with the columns' own crossings,
// so that the mesh meets the columns. Below the field one more slice of samples is ground, so that
// the ground under the grid has a surface, at grid.bottom, and the block that is made is closed. It
// is cut at the outermost samples: half a cell outside the grid, at the last samples above, one dz
// below the bottom.
#include "terrain/field.h"

#include "base/memory.h"
#include "terrain/exact.h"
#include "terrain/marching.h"
#include "terrain/mesh_fine.h"

#include <limits.h>
#include <string.h>

#define NEAR 1.1 // of dx: samples farther from the surface are not beside it
#define OFF 0.3  // of an edge: a surface farther from the vertex is another one

typedef struct block {
    const rv_terrain *t;
    int at[3];          // the field's sample that is (0, 0, 0) of the lattice
    int from[2], to[2]; // samples of a slice, margins included
    // Where vertices lie, noted in their order where that is wanted for their looks.
    rv_vertex_edge *edge;
    size_t edge_count, edge_room;
    bool noting, failed; // no memory to note more
    bool asked;          // where the next vertex is
    float exact_at[3];
    rv_exact exact;
    rv_allocator allocator;
} block;

// ---- The field ----------------------------------------------------------------------------------

static void fill(float *out, float value, int count)
{
    for (int i = 0; i < count; i++) out[i] = value;
}

// Moving solids are in the field as a lattice of their own has them, which rounds their edges, and
// another way after every turn. Where their surface is near, they are asked themselves.
static void sharpen(const block *b, const rv_brick *brick, int i, int stop, int j, int k,
                    float *out)
{
    const rv_brick *still = &b->t->still[brick - b->t->brick];
    double near = NEAR * b->t->grid.dx;
    if (still->samples == brick->samples) return;
    for (; i < stop; i++, out++) {
        if (!(fabs((double)*out) < near)) continue;
        float stays = still->samples ? still->samples[rv_brick_index(i, j, k)] : still->middle;
        double d = rv_exact_movers(&b->exact, rv_field_point(&b->t->grid, i, j, k));
        if (*out < stays && d < INFINITY) *out = fminf((float)d, stays);
    }
}

// One row of samples, a brick at a time.
static void read_row(const block *b, int from, int to, int j, int k, float *out)
{
    const rv_terrain *t = b->t;
    for (int i = from; i < to;) {
        int stop = (i | RV_BRICK_MASK) + 1 < to ? (i | RV_BRICK_MASK) + 1 : to;
        const rv_brick *brick = rv_field_brick(t, i, j, k);
        if (brick->samples)
            memcpy(out, brick->samples + rv_brick_index(i, j, k), (size_t)(stop - i) * sizeof *out);
        else
            fill(out, brick->middle, stop - i);
        if (brick->samples && t->still && b->exact.usable) sharpen(b, brick, i, stop, j, k, out);
        out += stop - i, i = stop;
    }
}

static void field_slice(void *user, int k, float *out)
{
    const block *b = user;
    int width = b->to[0] - b->from[0], field_k = b->at[2] + k;
    for (int j = b->from[1]; j < b->to[1]; j++, out += width) {
        if (field_k < 0)
            fill(out, (float)-b->t->grid.dz, width);
        else
            read_row(b, b->from[0], b->to[0], j, field_k, out);
    }
}

static void note_edge(block *b, rv_vertex_edge edge)
{
    if (b->edge_count == b->edge_room) {
        size_t room = b->edge_room ? 2 * b->edge_room : 4096;
        rv_vertex_edge *more = b->failed ? NULL
                                         : rv_regrow(&b->allocator, b->edge, b->edge_room,
                                                     b->edge_count, room, sizeof *more);
        b->failed = !more;
        if (!more) return;
        b->edge = more, b->edge_room = room;
    }
    b->edge[b->edge_count++] = edge;
}

static void field_place(void *user, const int at[3], int axis, double share, float out[3])
{
    block *b = user;
    const rv_grid *g = &b->t->grid;
    int i = b->at[0] + at[0], j = b->at[1] + at[1], k = b->at[2] + at[2];
    rv_vec3 p = rv_field_point(g, i, j, k);
    if (axis == 0)
        p.x = g->x0 + 0.5 * g->nx * g->dx + (i + share - 0.5 - 0.5 * g->nx) * g->dx;
    else if (axis == 1)
        p.y = g->y0 + 0.5 * g->ny * g->dx + (j + share - 0.5 - 0.5 * g->ny) * g->dx;
    else if (k < 0)
        p.z = g->bottom; // the ground's own surface
    else
        p.z = g->bottom + (k + share) * g->dz;
    out[0] = (float)p.x, out[1] = (float)p.y, out[2] = (float)p.z;
    if (b->noting) {
        rv_vertex_edge edge = {.at = {i, j, k},
                               .axis = share > 0 ? (uint8_t)axis : 3,
                               .known = b->asked,
                               .share = (float)share};
        memcpy(edge.exact, b->exact_at, sizeof edge.exact);
        for (int d = 0; d < 3; d++)
            edge.known &=
                fabs((double)edge.exact[d] - (double)out[d]) < OFF * (d < 2 ? g->dx : g->dz);
        note_edge(b, edge);
    }
    b->asked = false;
}

// ---- The solids themselves ----------------------------------------------------------------------

static bool exact_normal(void *user, const int at[3], int axis, float from, float to,
                         double place[3], double normal[3])
{
    block *b = user;
    int sample[3] = {b->at[0] + at[0], b->at[1] + at[1], b->at[2] + at[2]};
    b->asked = rv_exact_crossing(&b->exact, sample, axis, from, to, place, normal);
    for (int d = 0; b->asked && d < 3; d++) b->exact_at[d] = (float)place[d];
    return b->asked;
}

static bool settle(void *user, const double normal[3], double place[3])
{
    block *b = user;
    return rv_exact_settle(&b->exact, normal, 1.5 * b->t->grid.dx, place);
}

static bool normal_at(void *user, const double place[3], double out[3])
{
    block *b = user;
    return rv_exact_normal(&b->exact, (rv_vec3){place[0], place[1], place[2]}, out);
}

static void corner_place(void *user, const int at[3], double out[3])
{
    const block *b = user;
    rv_vec3 p = rv_field_point(&b->t->grid, b->at[0] + at[0], b->at[1] + at[1], b->at[2] + at[2]);
    out[0] = p.x, out[1] = p.y, out[2] = p.z;
}

static void added(void *user, uint32_t beside)
{
    block *b = user;
    if (!b->noting || b->failed) return;
    rv_vertex_edge edge = b->edge[beside];
    edge.known = false; // it is on the surface itself
    note_edge(b, edge);
}

static double farthest(const rv_grid *g)
{
    double x = fmax(fabs(g->x0), fabs(g->x0 + g->nx * g->dx));
    double y = fmax(fabs(g->y0), fabs(g->y0 + g->ny * g->dx));
    return fmax(fmax(x, y), fmax(fabs(g->bottom), fabs(g->top)));
}

double rv_terrain_mesh_inset(const rv_terrain *t)
{
    return rv_march_inset(farthest(&t->grid), fmin(t->grid.dx, t->grid.dz));
}

rv_cell_box rv_mesh_cells(const rv_grid *g)
{
    return (rv_cell_box){{0, 0, 0}, {g->nx + 1, g->ny + 1, g->nz}};
}

// The box along one axis, cut to what there is: margins for normals where it does not end there.
static bool take_axis(rv_lattice *l, int a, const rv_cell_box *box, const rv_cell_box *all,
                      int *low, int *high)
{
    *low = box->low[a] > all->low[a] ? box->low[a] : all->low[a];
    *high = box->high[a] < all->high[a] ? box->high[a] : all->high[a];
    if (*high <= *low) return false;
    l->n[a] = *high - *low + 1;
    l->cut[a][0] = *low == all->low[a], l->cut[a][1] = *high == all->high[a];
    l->margin[a][0] = !l->cut[a][0], l->margin[a][1] = !l->cut[a][1];
    return true;
}

rv_cell_box rv_terrain_mesh_cells(const rv_terrain *t)
{
    return rv_mesh_cells(&t->grid);
}

// A vertex and its normal follow samples up to two steps along one axis and one along another from
// the surface. What is that near to a surface has a value no larger, so a solid that gave it its
// value is no farther away.
int rv_terrain_mesh_reach(const rv_terrain *t)
{
    double step = fmax(t->grid.dx, t->grid.dz);
    return (int)ceil(sqrt(5) * step * t->per_dx) + 3;
}

// Gives every vertex its look. The mesh is empty unless the result is RV_OK.
static rv_result add_looks(block *b, rv_mesh *mesh)
{
    bool good = !b->failed;
    if (good && mesh->vertex_count > 0) {
        mesh->materials = rv_new(&mesh->allocator, mesh->vertex_count, sizeof *mesh->materials);
        good = mesh->materials &&
               rv_terrain_vertex_looks(b->t, mesh, b->edge, &b->allocator, mesh->materials);
    }
    if (!good) rv_mesh_free(mesh);
    return good ? RV_OK : RV_OUT_OF_MEMORY;
}

// Half a hundredth of a cell within the cuts, and over the ground's own plane.
static bool make_fine(block *b, const rv_lattice *l, rv_mesh *mesh)
{
    const rv_grid *g = &b->t->grid;
    rv_fine_input in = {.exact = &b->exact, .dx = g->dx, .added = added, .user = b};
    int last[3] = {b->at[0] + l->n[0] - 1, b->at[1] + l->n[1] - 1, b->at[2] + l->n[2] - 1};
    rv_vec3 low = rv_field_point(g, b->at[0], b->at[1], 0);
    rv_vec3 high = rv_field_point(g, last[0], last[1], last[2]);
    const double from[3] = {low.x, low.y, g->bottom}, to[3] = {high.x, high.y, high.z};
    for (int a = 0; a < 3; a++) {
        double inset = 0.005 * g->dx;
        in.low[a] = a == 2 || l->cut[a][0] ? from[a] + inset : -INFINITY;
        in.high[a] = l->cut[a][1] ? to[a] - inset : INFINITY;
    }
    for (int a = 0; a < 2; a++) {
        in.border[a][0] = l->cut[a][0] ? INFINITY : from[a];
        in.border[a][1] = l->cut[a][1] ? INFINITY : to[a];
    }
    return rv_mesh_make_fine(mesh, &in);
}

enum { PLAIN, SHARP, FINE };

static rv_result make_mesh(const rv_terrain *t, const rv_cell_box *box, int kind,
                           const rv_allocator *allocator, rv_mesh *out)
{
    const rv_grid *g = &t->grid;
    rv_cell_box all = rv_terrain_mesh_cells(t);
    rv_lattice l = {.slice = field_slice,
                    .place = field_place,
                    .normals = true,
                    .spacing = {g->dx, g->dx, g->dz},
                    .inset = rv_terrain_mesh_inset(t)};
    block b = {.t = t, .noting = rv_terrain_has_looks(t), .allocator = *allocator};
    *out = (rv_mesh){.allocator = *allocator};
    for (int a = 0; a < 3; a++) {
        int low, high;
        if (!take_axis(&l, a, box, &all, &low, &high)) return RV_OK;
        b.at[a] = a < 2 ? low : low - 1;
        if (a < 2) b.from[a] = low - l.margin[a][0], b.to[a] = high + 1 + l.margin[a][1];
    }
    l.ground = -b.at[2], l.user = &b;
    if (kind != PLAIN) b.exact = rv_exact_of(t, allocator);
    if (b.exact.usable)
        l.exact = exact_normal, l.settle = settle, l.normal = normal_at, l.corner = corner_place,
        l.added = added;
    rv_result r = rv_march(&l, allocator, out);
    if (r == RV_OK && kind == FINE && b.exact.usable && !make_fine(&b, &l, out)) {
        rv_mesh_free(out);
        r = RV_OUT_OF_MEMORY;
    }
    if (r == RV_OK && b.noting) r = add_looks(&b, out);
    rv_free(allocator, b.edge, b.edge_room, sizeof *b.edge);
    rv_exact_free(&b.exact);
    return r;
}

rv_result rv_terrain_mesh_box(const rv_terrain *t, const rv_cell_box *box,
                              const rv_allocator *allocator, rv_mesh *out)
{
    return make_mesh(t, box, SHARP, allocator, out);
}

rv_result rv_terrain_mesh_fine(const rv_terrain *t, const rv_cell_box *box,
                               const rv_allocator *allocator, rv_mesh *out)
{
    return make_mesh(t, box, FINE, allocator, out);
}

rv_result rv_terrain_mesh(const rv_terrain *t, const rv_allocator *allocator, rv_mesh *out)
{
    rv_cell_box all = rv_terrain_mesh_cells(t);
    return make_mesh(t, &all, SHARP, allocator, out);
}

rv_result rv_terrain_mesh_plain(const rv_terrain *t, const rv_allocator *allocator, rv_mesh *out)
{
    rv_cell_box all = rv_terrain_mesh_cells(t);
    return make_mesh(t, &all, PLAIN, allocator, out);
}

// ---- One layer of columns -----------------------------------------------------------------------

// Two slices, one under all beds and one over them; between them the height over the bed falls from
// positive to negative once in each column. The cells at the border go on half a cell, as the field
// does.
typedef struct beds {
    const rv_column_set *set;
    double low, high;   // m
    int at[2];          // the cell, counted from the ring outside, that is (0, 0) of the lattice
    int from[2], to[2]; // cells of a slice, margins included
} beds;

static int within(int x, int n)
{
    return x < 0 ? 0 : x < n ? x : n - 1;
}

// A cell without a column is solid up to the lid.
static double bed_at(const beds *b, int i, int j)
{
    const rv_grid *g = &b->set->grid;
    int x = within(i - 1, g->nx), y = within(j - 1, g->ny);
    if (b->set->planes == 0 || !rv_plane_has(&b->set->plane[0], x, y)) return g->top;
    size_t slot = rv_slot(&b->set->plane[0], x, y);
    return rv_column_exists(b->set, slot) ? (double)b->set->base[slot] : g->top;
}

static void beds_slice(void *user, int k, float *out)
{
    const beds *b = user;
    double z = k == 0 ? b->low : b->high;
    for (int j = b->from[1]; j < b->to[1]; j++)
        for (int i = b->from[0]; i < b->to[0]; i++) *out++ = (float)(z - bed_at(b, i, j));
}

static void beds_place(void *user, const int at[3], int axis, double share, float out[3])
{
    const beds *b = user;
    int i = b->at[0] + at[0], j = b->at[1] + at[1];
    rv_vec3 p = rv_field_point(&b->set->grid, i, j, 0);
    (void)share; // only edges upward are crossed
    out[0] = (float)p.x, out[1] = (float)p.y;
    out[2] = (float)(axis == 2 ? bed_at(b, i, j) : b->low);
}

bool rv_columns_are_beds(const rv_column_set *set)
{
    if (set->planes > 1) return false;
    float top = (float)rv_grid_snap(&set->grid, set->grid.top);
    for (size_t i = 0; i < set->slots; i++)
        if (rv_column_exists(set, i) && set->max[i] < top) return false;
    return true;
}

rv_result rv_columns_mesh_box(const rv_column_set *set, const rv_cell_box *box,
                              const rv_allocator *allocator, rv_mesh *out)
{
    const rv_grid *g = &set->grid;
    rv_cell_box all = rv_mesh_cells(g);
    beds b = {.set = set, .low = g->bottom - g->dz, .high = g->top + g->dz};
    rv_lattice l = {.n = {0, 0, 2},
                    .cut = {{false, false}, {false, false}, {true, false}},
                    .slice = beds_slice,
                    .place = beds_place,
                    .user = &b,
                    .normals = true,
                    .spacing = {g->dx, g->dx, b.high - b.low},
                    .ground = INT_MIN};
    *out = (rv_mesh){.allocator = *allocator};
    for (int a = 0; a < 2; a++) {
        int high;
        if (!take_axis(&l, a, box, &all, &b.at[a], &high)) return RV_OK;
        b.from[a] = b.at[a] - l.margin[a][0], b.to[a] = high + 1 + l.margin[a][1];
    }
    return rv_march(&l, allocator, out);
}

rv_result rv_columns_mesh(const rv_column_set *set, const rv_allocator *allocator, rv_mesh *out)
{
    rv_cell_box all = rv_mesh_cells(&set->grid);
    return rv_columns_mesh_box(set, &all, allocator, out);
}
