// Edges that drip: the rims of solids that hang over a void (docs/drips.md).
//
// A column is at such an edge where a column beside it or across its corner, whose void meets its
// own, has its bed under the underside of the solid that the first one stands on. Edges of one
// solid in cells around each other hang together, and beads gather along them. All this follows
// from the terrain, in the order of planes and rows; which bead is nearest to an edge is a search
// from all beads, one after the other, in which the first of two that are equally near wins.
#include "spray/spray.h"

#include <string.h>

static const int side[RV_EDGE_SIDES][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                           {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

static bool column_of(const rv_column_set *set, int l, int x, int y, size_t *slot)
{
    if (!rv_plane_has(&set->plane[l], x, y)) return false;
    *slot = rv_slot(&set->plane[l], x, y);
    return rv_column_exists(set, *slot);
}

// ---- The list -----------------------------------------------------------------------------------

// Whether liquid from a column falls by `clear` under its solid, to a column joined to it.
static bool hangs_over(const rv_column_set *set, size_t a, int x, int y, double clear)
{
    for (int k = 0; k < RV_EDGE_SIDES; k++) { // the surface goes on along diagonals too
        size_t b;
        for (int l = 0; l < set->planes; l++) {
            if (!column_of(set, l, x + side[k][0], y + side[k][1], &b)) break;
            if (!(fmaxf(set->base[a], set->base[b]) < fminf(set->max[a], set->max[b]))) continue;
            if ((double)set->min[a] - (double)set->base[b] >= clear) return true;
        }
    }
    return false;
}

// Writes edges to `out` unless it is NULL; returns how many there are.
static int list_edges(const rv_column_set *set, double clear, rv_edge *out)
{
    int count = 0;
    for (int l = 1; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot = rv_slot(p, x, y);
                if (!rv_column_exists(set, slot) || !hangs_over(set, slot, x, y, clear)) continue;
                if (out) out[count] = (rv_edge){.slot = slot, .x = x, .y = y};
                count++;
            }
        }
    }
    return count;
}

// Of two columns: the same solid is under both.
static bool is_one_solid(const rv_column_set *set, size_t a, size_t b)
{
    return fmaxf(set->min[a], set->min[b]) < fminf(set->base[a], set->base[b]);
}

static void join(rv_edges *edges, const rv_column_set *set)
{
    for (int i = 0; i < edges->count; i++) {
        rv_edge *e = &edges->edge[i];
        for (int k = 0; k < RV_EDGE_SIDES; k++) {
            e->next[k] = -1;
            for (int l = 1; l < set->planes && e->next[k] < 0; l++) {
                size_t b;
                if (!column_of(set, l, e->x + side[k][0], e->y + side[k][1], &b)) break;
                if (edges->of[b] > 0 && is_one_solid(set, e->slot, b))
                    e->next[k] = edges->of[b] - 1;
            }
        }
    }
}

// Half the width of all edges that hang together with one, and of those themselves.
static void measure(rv_edges *edges, int first, double dx)
{
    int head = 0, tail = 0;
    int x0 = edges->edge[first].x, x1 = x0, y0 = edges->edge[first].y, y1 = y0;
    edges->queue[tail++] = first, edges->waits[first] = 1;
    for (; head < tail; head++) {
        const rv_edge *e = &edges->edge[edges->queue[head]];
        x0 = e->x < x0 ? e->x : x0, x1 = e->x > x1 ? e->x : x1;
        y0 = e->y < y0 ? e->y : y0, y1 = e->y > y1 ? e->y : y1;
        for (int k = 0; k < RV_EDGE_SIDES; k++) {
            int next = e->next[k];
            if (next < 0 || edges->waits[next]) continue;
            edges->queue[tail++] = next, edges->waits[next] = 1;
        }
    }
    int wide = x1 - x0 > y1 - y0 ? x1 - x0 : y1 - y0;
    for (int i = 0; i < tail; i++) edges->edge[edges->queue[i]].half = 0.5 * (wide + 1) * dx;
}

static void free_lists(rv_edges *e, const rv_allocator *a)
{
    size_t room = (size_t)e->room;
    rv_free(a, e->edge, room, sizeof *e->edge);
    rv_free(a, e->slot, room, sizeof *e->slot);
    rv_free(a, e->site, room, sizeof *e->site);
    rv_free(a, e->far, room, sizeof *e->far);
    rv_free(a, e->queue, room, sizeof *e->queue);
    rv_free(a, e->waits, room, sizeof *e->waits);
    rv_free(a, e->sheet, room, sizeof *e->sheet);
    rv_free(a, e->wet, room, sizeof *e->wet);
    e->edge = NULL, e->slot = NULL, e->site = NULL, e->far = NULL, e->queue = NULL;
    e->waits = NULL, e->sheet = NULL, e->wet = NULL;
    e->room = 0;
}

static bool make_lists(rv_edges *e, int count, const rv_allocator *a)
{
    if (count <= e->room) return true;
    free_lists(e, a);
    size_t room = (size_t)count;
    e->room = count;
    e->edge = rv_new(a, room, sizeof *e->edge);
    e->slot = rv_new(a, room, sizeof *e->slot);
    e->site = rv_new(a, room, sizeof *e->site);
    e->far = rv_new(a, room, sizeof *e->far);
    e->queue = rv_new(a, room, sizeof *e->queue);
    e->waits = rv_new(a, room, sizeof *e->waits);
    e->sheet = rv_new(a, room, sizeof *e->sheet);
    e->wet = rv_new(a, room, sizeof *e->wet);
    if (e->edge && e->slot && e->site && e->far && e->queue && e->waits && e->sheet && e->wet)
        return true;
    free_lists(e, a);
    return false;
}

static bool make_slots(rv_edges *e, size_t slots, const rv_allocator *a)
{
    if (slots <= e->of_room) return true;
    rv_free(a, e->of, e->of_room, sizeof *e->of);
    e->of = rv_new(a, slots, sizeof *e->of);
    e->of_room = e->of ? slots : 0;
    return e->of != NULL;
}

void rv_edges_free(rv_edges *edges, const rv_allocator *allocator)
{
    free_lists(edges, allocator);
    rv_free(allocator, edges->of, edges->of_room, sizeof *edges->of);
    *edges = (rv_edges){0};
}

bool rv_edges_list(rv_edges *edges, const rv_column_set *set, double clear,
                   const rv_allocator *allocator)
{
    int count = set->planes > 1 ? list_edges(set, clear, NULL) : 0;
    edges->count = 0;
    if (count <= 0) return true;
    if (!make_lists(edges, count, allocator) || !make_slots(edges, set->slots, allocator))
        return false;
    edges->count = list_edges(set, clear, edges->edge);
    memset(edges->of, 0, edges->of_room * sizeof *edges->of);
    for (int i = 0; i < count; i++) {
        edges->slot[i] = edges->edge[i].slot;
        edges->of[edges->slot[i]] = i + 1;
    }
    join(edges, set);
    memset(edges->waits, 0, (size_t)count);
    for (int i = 0; i < count; i++)
        if (!edges->waits[i]) measure(edges, i, set->grid.dx);
    memset(edges->waits, 0, (size_t)count);
    memset(edges->sheet, 0, (size_t)count);
    rv_edges_clear(edges);
    return true;
}

int rv_edges_find(const rv_edges *edges, const rv_column_set *set, rv_spray_cell cell, double z,
                  double within)
{
    int found = -1;
    size_t slot;
    for (int l = 1; edges->count > 0 && l < set->planes; l++) {
        if (!column_of(set, l, cell.x, cell.y, &slot)) break;
        double off = fabs((double)set->min[slot] - z);
        if (edges->of[slot] == 0 || !(off <= within)) continue;
        found = edges->of[slot] - 1, within = off;
    }
    return found;
}

// ---- Sites --------------------------------------------------------------------------------------

void rv_edges_clear(rv_edges *edges)
{
    for (int i = 0; i < edges->count; i++) {
        edges->site[i] = 0, edges->far[i] = INFINITY;
        edges->wet[i] = 0;
    }
}

static bool is_wet(const rv_edges *edges, int edge, const rv_edge_reach *reach)
{
    return (double)reach->depth[edges->edge[edge].slot] > reach->film;
}

// Gives the edge on one side of another to the same site, if that is within reach and nearer than
// its own.
static bool spread(rv_edges *edges, int own, int k, const rv_edge_reach *reach)
{
    int next = edges->edge[own].next[k];
    if (next < 0) return false;
    double far = edges->far[own] + (k % 2 ? 1.41421356237309505 : 1) * reach->dx;
    bool wet = edges->wet[own] && is_wet(edges, next, reach);
    if (far > (wet ? 2 : 1) * reach->far || !(far < edges->far[next])) return false;
    edges->far[next] = far, edges->site[next] = edges->site[own], edges->wet[next] = wet;
    return true;
}

void rv_edges_claim(rv_edges *edges, int edge, int droplet, const rv_edge_reach *reach)
{
    // a ring: no edge waits twice, so all of them have room
    int head = 0, waiting = 1;
    if (!(edges->far[edge] > 0)) return;
    edges->far[edge] = 0, edges->site[edge] = droplet + 1;
    edges->wet[edge] = is_wet(edges, edge, reach);
    edges->queue[0] = edge, edges->waits[edge] = 1;
    while (waiting > 0) {
        int own = edges->queue[head];
        head = head + 1 < edges->count ? head + 1 : 0;
        waiting--, edges->waits[own] = 0;
        for (int k = 0; k < RV_EDGE_SIDES; k++) {
            if (!spread(edges, own, k, reach)) continue;
            int next = edges->edge[own].next[k], tail = head + waiting;
            if (edges->waits[next]) continue;
            edges->queue[tail < edges->count ? tail : tail - edges->count] = next;
            edges->waits[next] = 1, waiting++;
        }
    }
}

int rv_edges_adopt(rv_edges *edges, int edge, const rv_edge_reach *reach)
{
    for (int k = 0; k < RV_EDGE_SIDES; k++) {
        int beside = edges->edge[edge].next[k];
        if (beside < 0 || edges->site[beside] == 0) continue;
        // sides are joined both ways
        spread(edges, beside, (k + RV_EDGE_SIDES / 2) % RV_EDGE_SIDES, reach);
    }
    return edges->site[edge] - 1;
}
