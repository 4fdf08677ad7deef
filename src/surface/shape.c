// How high the surface is drawn at each node, and where it ends (docs/surface.md; pipes paper §4.3,
// §4.4).
//
// The surface ends between nodes, where `inside` is zero. Against a shore that is where the level
// meets the bed. On a bed that goes on evenly there is no such place: a front is a step from some
// depth to none, a cell wide. There the end is put where the liquid of the last column would reach
// if it stood as deep as what is behind it: with depths 1, H, 0 in a row, at half a cell behind the
// middle of the last one and H further. So it moves evenly as H grows, over the middle of one cell
// and of the next. What stands as high as the liquid around it is covered, dry neighbours or not:
// so shores are fronts that have come to rest, and nothing jumps between the two.
//
// Where surface tension holds a front together it is no step but a wedge, with an angle that some
// cells can hold. Its end is where the depth would be zero: with depths H smoothed over three by
// three cells and the slope of these, H/|∇H| less what the smoothing adds is how far away that is,
// whatever the angle and however the front runs over the grid.
#include "surface/surface.h"

#include <math.h>

static float clamp01(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

// 1: dry or no deeper than the thinnest film, 0: four times as deep.
static float dryness(float film, float depth)
{
    if (film <= 0.0f) return depth > 0.0f ? 0.0f : 1.0f;
    float over = depth - film, most = 3.0f * film;
    // nearly all are one or the other: no division
    return over >= most ? 0.0f : over > 0.0f ? 1.0f - over / most : 1.0f;
}

static float mixed(float a, float b, float t)
{
    return a + t * (b - a);
}

// How far a depth is more than a film, 0 … 1 from a quarter of a cell to a half.
static float more_than_film(const rv_surface_pass *p, float depth)
{
    return clamp01(4.0f * depth * p->per_dx - 1.0f);
}

// How thick what stands that deep is across a bed that rises by so much in a cell, m.
static float thick_on(const rv_surface_pass *p, float depth, float rise)
{
    float slope = rise * p->per_dx;
    return depth / sqrtf(1.0f + slope * slope);
}

// ---- What clings to steep beds ------------------------------------------------------------------

// The column of a plane behind one, seen from a direction; RV_NO_NODE: none.
static uint32_t behind(const rv_surface_pass *p, uint32_t slot, int direction)
{
    const rv_column_set *c = p->in->columns;
    ptrdiff_t step =
        rv_step_x(direction) + (ptrdiff_t)rv_step_y(direction) * rv_surface_plane(c, slot)->pitch;
    uint32_t back = (uint32_t)((ptrdiff_t)slot - step);
    return rv_column_exists(c, back) ? back : RV_NO_NODE;
}

float rv_surface_goes_on(const rv_surface_pass *p, uint32_t node, uint32_t above, int direction)
{
    const float *base = p->in->columns->base;
    if (node >= p->w->slots || above >= p->w->slots) return 0.0f;
    uint32_t back = behind(p, node, direction);
    if (back == RV_NO_NODE) return 0.0f;
    float rise = base[above] - base[node], fall = base[node] - base[back];
    return rise > 0.0f ? clamp01(3.0f * fall / rise - 1.0f) : 0.0f;
}

// A pool is level, what clings falls as its bed does.
float rv_surface_clings(const rv_surface_pass *p, uint32_t node, uint32_t above, int direction)
{
    const float *base = p->in->columns->base, *depth = p->in->depth;
    float on = rv_surface_goes_on(p, node, above, direction);
    if (!(on > 0.0f)) return 0.0f;
    uint32_t back = behind(p, node, direction);
    float fall = base[node] - base[back], deeper = depth[node] - rv_greater_f(depth[back], 0.0f);
    return on * clamp01(2.0f * (fall + deeper) / fall - 0.5f);
}

// ---- Columns around -----------------------------------------------------------------------------

// What a node is linked to, by direction, as vectors: where there is no column it is as the node
// itself. Loops over all eight have no branches, so that the compiler makes vectors of them; sums
// are taken in the order of directions, and what does not count is added as nothing.
typedef struct around {
    float base[RV_DIRECTIONS], depth[RV_DIRECTIONS], level[RV_DIRECTIONS];
    int32_t wet[RV_DIRECTIONS]; // 0 or 1
} around;

// One over how long the way in a direction is, in cells.
static const float PER_WAY[RV_DIRECTIONS] = {1.0f, 0.70710678f, 1.0f, 0.70710678f,
                                             1.0f, 0.70710678f, 1.0f, 0.70710678f};

static void look_around(const rv_surface_pass *p, const rv_node_record *n, around *a)
{
    const float *base = p->in->columns->base, *depth = p->in->depth, *level = p->w->level;
    uint32_t slots = (uint32_t)p->w->slots;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d] < slots ? n->link[d] : n->node;
        a->base[d] = base[o], a->depth[d] = depth[o], a->level[d] = level[o];
        a->wet[d] = n->wet >> d & 1;
    }
}

// ---- As levels tell -----------------------------------------------------------------------------

// How deep the liquid around would stand here: of each wet column as deep as it is, or up to its
// level if that is less; a mean, by depth, so that a film that comes or goes changes nothing. What
// clings to a steep bed would be as deep a cell further up.
// `least`: lowered to the least depth around.
static float depth_around(const rv_surface_pass *p, const rv_node_record *n, const around *a,
                          float bed, float *least)
{
    float over[RV_DIRECTIONS], steep[RV_DIRECTIONS], sum = 0.0f, weight = 0.0f;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        float rise = (bed - a->base[d]) * p->per_dx * PER_WAY[d];
        over[d] = a->level[d] - bed;
        steep[d] = clamp01(2.0f * rise - 1.4f); // from 0.7 of a cell in a cell to 1.2
    }
    for (unsigned wet = n->wet; wet; wet &= wet - 1) {
        int d = __builtin_ctz(wet);
        float depth = a->depth[d];
        if (over[d] < depth && steep[d] > 0.0f)
            over[d] = mixed(over[d], depth,
                            steep[d] * rv_surface_clings(p, n->link[d], n->node, rv_opposite(d)));
        sum += depth * (over[d] < depth ? over[d] : depth), weight += depth;
        *least = depth < *least ? depth : *least;
    }
    return weight > 0.0f ? sum / weight : n->depth;
}

// A column lacks what the liquid around would stand deeper, by how dry it is or the driest that it
// is linked to.
static float inside_wet(const rv_surface_pass *p, const rv_node_record *n, const around *a,
                        float bed, bool beside_dry)
{
    float least = n->depth, lack = depth_around(p, n, a, bed, &least) - n->depth;
    if (!(lack > 0.0f)) return n->depth;
    return n->depth - (beside_dry ? 1.0f : dryness(p->film, least)) * lack;
}

// ---- Fronts that are wedges ---------------------------------------------------------------------

// Cells: a dry column is at least so far outside. At a front none of its cell is covered; at a
// shore its middle may be just above the level, and the end is then drawn a tenth of a cell too
// early.
#define DRY_LEAST 0.33f
#define STEEP 1.2f // cells a cell, see even_bed

// How far inside the end of a wedge a place is, m, by the depths around it. Even columns' are found
// by the loops over rows.
static float inside_wedge(const rv_surface_pass *p, float own, const float at[RV_DIRECTIONS])
{
    float sides = (at[RV_E] + at[RV_W]) + (at[RV_N] + at[RV_S]);
    float corners = (at[RV_NE] + at[RV_SW]) + (at[RV_NW] + at[RV_SE]);
    float mean = (4.0f * own + 2.0f * sides + corners) * (1.0f / 16.0f);
    float diagonal = at[RV_NE] - at[RV_SW], other = at[RV_SE] - at[RV_NW];
    float x = 2.0f * (at[RV_E] - at[RV_W]) + (diagonal + other);
    float y = 2.0f * (at[RV_N] - at[RV_S]) + (diagonal - other);
    float slope = sqrtf(x * x + y * y) * 0.125f; // m a cell
    float most = RV_WEDGE_FARTHEST * p->dx;
    if (!(mean < (RV_WEDGE_BLURRED + RV_WEDGE_FARTHEST) * slope)) return most;
    return rv_greater_f((mean / slope - RV_WEDGE_BLURRED) * p->dx, -most);
}

// Depths around a column; where it is linked to none, and up a wall, as its own. Returns the
// greatest, its own too.
static float depths_around(const rv_surface_pass *p, const rv_node_record *n, const around *a,
                           float at[RV_DIRECTIONS])
{
    float own = n->depth, level = p->in->columns->base[n->node] + own, most = own;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        float wall = clamp01((a->base[d] - level) * p->per_dx - 1.0f);
        at[d] = own + (1.0f - wall) * ((a->depth[d] > 0.0f ? a->depth[d] : 0.0f) - own);
    }
    for (int d = 0; d < RV_DIRECTIONS; d++) most = at[d] > most ? at[d] : most;
    return most;
}

// How far the bed goes on as one under a wedge between a column and those of the other kind beside
// it, dry or wet, 1 … 0: where it rises by a cell a cell or so the level against the bed tells more
// of the end, as it does at the wall of a cup.
static float even_bed(const rv_surface_pass *p, const rv_node_record *n, const around *a, bool wet)
{
    float share[RV_DIRECTIONS], up[RV_DIRECTIONS], bed = p->in->columns->base[n->node];
    float sign = wet ? 1.0f : -1.0f, rise = 0.0f, weight = 0.0f;
    uint32_t slots = (uint32_t)p->w->slots;
    for (int d = 0; d < RV_DIRECTIONS; d++) share[d] = dryness(p->film, a->depth[d]);
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        float is = wet ? share[d] : 1.0f - share[d];
        share[d] = n->link[d] < slots ? is : 0.0f;
        up[d] = sign * (a->base[d] - bed) * p->per_dx * PER_WAY[d];
    }
    for (int d = 0; d < RV_DIRECTIONS; d++) rise += share[d] * up[d], weight += share[d];
    return weight > 0.0f ? clamp01(2.5f * (STEEP - rise / weight)) : 1.0f;
}

// What ends here is a rim, from a quarter of a cell thick to a half: a film ends where its last
// cell does, as a step.
static void end_wedge(const rv_surface_pass *p, rv_node_record *n, const around *a, bool wet)
{
    float at[RV_DIRECTIONS], most = wet ? INFINITY : -DRY_LEAST * p->dx;
    if (!(p->in->rim > 0.0f)) return;
    float share = p->in->rim * more_than_film(p, depths_around(p, n, a, at));
    if (share > 0.0f) share *= even_bed(p, n, a, wet);
    if (!(share > 0.0f)) return;
    n->inside = mixed(n->inside, rv_lesser_f(inside_wedge(p, n->depth, at), most), share);
}

void rv_surface_even_insides(const rv_surface_pass *p, const rv_surface_row *row, int plane)
{
    const rv_surface_work *w = p->w;
    size_t i = row->first;
    const rv_wedge_view view = {.depth = p->in->depth + i,
                                .kind = w->kind + i,
                                .pitch = p->in->columns->plane[plane].pitch,
                                .rim = p->in->rim,
                                .dx = p->dx,
                                .per_dx = p->per_dx};
    w->loops->insides(&view, row->x1 - row->x0, w->soft_y + i); // not needed for normals yet
}

// ---- Films on walls -----------------------------------------------------------------------------

// What a wet column on a wall has for being inside: as far outside as it stands over a deeper one.
// A film left on a wall is not drawn up from the pool at its foot: between a deep column and a wet
// one high above it the sheet would be a dark spike.
static float inside_wall(const rv_surface_pass *p, const rv_node_record *n, const around *a,
                         float bed)
{
    float up[RV_DIRECTIONS], above = 0.0f;
    int highest = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        bool counts = a->wet[d] & !(a->depth[d] < 2.0f * n->depth);
        up[d] = counts ? bed - a->level[d] : 0.0f;
    }
    for (int d = 0; d < RV_DIRECTIONS; d++)
        if (up[d] > above) above = up[d], highest = d;
    float wall = clamp01(above * p->per_dx - 1.0f);
    if (!(wall > 0.0f)) return n->inside;
    float thick = thick_on(p, n->depth, bed - a->base[highest]);
    return mixed(n->inside, -above, wall * (1.0f - more_than_film(p, thick)));
}

// Heights of wet columns at a wall. Where the bed rises by cells within one cell, a column's level
// depends on where in the cell its bed was taken, by as much: along the wall of a cup the levels of
// the last columns differ by half a cell and more, and the waterline would be ragged. Tension keeps
// no wave that short. There the height is that of a plane through the levels of RV_WALL_AROUND
// cells around, by least squares, as far as these are more than films: what climbs the wall evenly
// stays (lists_simd.c). Here: how far a column is at a wall, by the most that the bed rises or
// falls to one that it is linked to.
static float at_wall(const rv_surface_pass *p, const rv_node_record *n, const around *a)
{
    float rise[RV_DIRECTIONS], steep = 0.0f, bed = p->in->columns->base[n->node];
    for (int d = 0; d < RV_DIRECTIONS; d++)
        rise[d] = fabsf(a->base[d] - bed) * p->per_dx * PER_WAY[d];
    for (int d = 0; d < RV_DIRECTIONS; d++) steep = rise[d] > steep ? rise[d] : steep;
    return clamp01(steep - 1.0f);
}

void rv_surface_even_walls(const rv_surface_pass *p, const rv_surface_row *row, int plane, int y)
{
    const rv_surface_work *w = p->w;
    const rv_column_set *c = p->in->columns;
    const rv_plane *of = &c->plane[plane];
    size_t i = row->first;
    int below = y - of->y0, above = of->y0 + of->ny - 1 - y;
    const rv_list_walls walls = {
        .base = c->base + i,
        .min = c->min + i,
        .max = c->max + i,
        .depth = p->in->depth + i,
        .level = w->level + i,
        .over = p->in->over + i,
        .kind = w->kind + i,
        .wall = w->soft_x + i,
        .z = w->z + i,
        .pitch = of->pitch,
        .below = below < RV_WALL_AROUND ? below : RV_WALL_AROUND,
        .above = above < RV_WALL_AROUND ? above : RV_WALL_AROUND,
        .dx = p->dx,
        .per_dx = p->per_dx,
        .film = p->film,
    };
    w->lists->walls(&walls, row->x1 - row->x0);
}

// ---- Columns ------------------------------------------------------------------------------------

// The mean level of the wet ones around it.
static float dry_height(const rv_surface_pass *p, const rv_node_record *n)
{
    float level = 0.0f;
    int count = 0;
    for (unsigned wet = n->wet; wet; wet &= wet - 1, count++)
        level += p->w->level[n->link[__builtin_ctz(wet)]];
    return level * (count > 0 ? 1.0f / (float)count : 0.0f);
}

// A node outside has vertices around it where the surface ends: none yet.
void rv_surface_settle(rv_surface_work *w, const rv_node_record *n)
{
    w->inside[n->node] = n->inside > 0.0f;
    if (!w->inside[n->node]) {
        rv_node_ends *ends = &w->ends[w->record[n->node]];
        memset(ends, 0xff, sizeof *ends); // RV_NO_NODE
    }
}

void rv_surface_shape_column(const rv_surface_pass *p, rv_node_record *n, bool beside_dry)
{
    const rv_surface_input *in = p->in;
    rv_surface_work *w = p->w;
    float bed = in->columns->base[n->node], depth = in->depth[n->node], least = 0.0f;
    around a;
    look_around(p, n, &a);
    n->depth = depth > 0.0f ? depth : 0.0f;
    if (w->kind[n->node] == RV_NODE_WET) {
        n->inside = inside_wet(p, n, &a, bed, beside_dry);
        end_wedge(p, n, &a, true);
        if (in->bends) {
            n->inside = inside_wall(p, n, &a, bed);
            w->soft_x[n->node] = at_wall(p, n, &a); // not needed for normals yet
        }
    } else {
        w->z[n->node] = in->boundary ? dry_height(p, n) : bed;
        n->inside = -fabsf(depth_around(p, n, &a, bed, &least));
    }
    if (!in->edge) n->inside = 1.0f;
    rv_surface_settle(w, n);
}

// Cells a cell: as steep as that a rim is drawn; the rest of its angle is the meniscus'.
#define STEEPEST 2.0f

// Where the surface would be at a dry column if it went on as it comes down to its end: with it a
// rim has the slope that it is drawn with. A pool goes on level, and so it does into a wall.
static float beyond_rim(const rv_surface_pass *p, const rv_node_record *n)
{
    const rv_surface_work *w = p->w;
    const float *base = p->in->columns->base, *over = p->in->over;
    float inside[RV_DIRECTIONS], low[RV_DIRECTIONS], z[RV_DIRECTIONS], to[RV_DIRECTIONS];
    float sum = 0.0f, high = base[n->node] + over[n->node];
    int count = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        bool wet = n->wet >> d & 1;
        uint32_t o = wet ? n->link[d] : n->node;
        inside[d] = wet ? rv_surface_inside_found(w, o) : 0.0f;
        low[d] = base[o] + over[o], z[d] = w->z[o];
    }
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        float t = rv_greater_f(inside[d] / (inside[d] - n->inside), 0.1f);
        float way = (d % 2 ? 1.41421356f : 1.0f) * p->dx;
        float wall = clamp01((high - low[d]) / way - 1.0f);
        float falls = rv_greater_f(z[d] - (low[d] + t * (high - low[d])), 0.0f) / t;
        to[d] = z[d] - (1.0f - wall) * rv_lesser_f(falls, STEEPEST * way);
    }
    for (int d = 0; d < RV_DIRECTIONS; d++)
        if (inside[d] > 0.0f) sum += to[d], count++;
    return count > 0 ? sum * (1.0f / (float)count) : w->z[n->node];
}

// As far outside as the liquid around is below its bed, or has still to come: by how much the wet
// columns around lack, a mean by depth.
void rv_surface_shape_dry(const rv_surface_pass *p, rv_node_record *n)
{
    const rv_surface_work *w = p->w;
    float sum = 0.0f, weight = 0.0f;
    around a;
    if (!p->in->edge) return;
    look_around(p, n, &a);
    for (unsigned wet = n->wet; wet; wet &= wet - 1) {
        int d = __builtin_ctz(wet);
        float depth = a.depth[d];
        sum += depth * (depth - w->records[w->record[n->link[d]]].inside), weight += depth;
    }
    float lack = weight > 0.0f ? sum / weight : 0.0f;
    n->inside = -rv_greater_f(-n->inside, lack);
    end_wedge(p, n, &a, false);
    if (p->in->bends) w->z[n->node] = beyond_rim(p, n);
}

// The drawn height and the depth of the wet ones around it.
void rv_surface_shape_extra(const rv_surface_pass *p, rv_node_record *n)
{
    rv_surface_work *w = p->w;
    float z = 0.0f, depth = 0.0f;
    int count = 0;
    for (unsigned wet = n->wet; wet; wet &= wet - 1, count++) {
        uint32_t o = n->link[__builtin_ctz(wet)];
        z += w->z[o], depth += p->in->depth[o];
    }
    float share = count > 0 ? 1.0f / (float)count : 0.0f;
    w->z[n->node] = z * share;
    n->depth = depth * share;
    n->inside = !p->in->edge ? 1.0f : p->in->bends ? p->dx : n->depth;
    rv_surface_settle(w, n);
}

// While liquid runs over the edge of a cliff, the column at its foot is drawn as high as the edge
// needs.
void rv_surface_raise_steps(const rv_surface_pass *p, int y)
{
    const rv_surface_work *w = p->w;
    const rv_heights *h = p->in->heights;
    const rv_column_set *c = p->in->columns;
    if (y >= h->rows || w->wet_to[y] <= w->wet_from[y]) return;
    for (size_t i = h->row[y]; i < h->row[y + 1]; i++) {
        uint32_t a = h->step[i].slot, b = h->step[i].beside;
        if (!rv_is_wet_node(w->kind[a]) || !rv_is_wet_node(w->kind[b])) continue;
        float la = w->level[a], lb = w->level[b], z = c->base[a] + h->step[i].over;
        bool linked = rv_levels_linked(c, a, (double)la, b, (double)lb);
        float share = p->in->bends
                          ? more_than_film(p, thick_on(p, p->in->depth[b], c->base[b] - c->base[a]))
                          : 1.0f;
        if (linked && z > w->z[a]) w->z[a] += share * (z - w->z[a]);
    }
}
