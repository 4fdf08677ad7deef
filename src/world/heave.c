// How a bed that moves under liquid lifts its surface (docs/terrain.md).
//
// Liquid of a column whose bed rises goes up with it, and the surface has a bump as wide as a cell.
// What is uneven at the bed of deep liquid does not show at its surface: a bump of wavelength L is
// 1/cosh(2πH/L) of what it was, H the depth (Kajiura 1963, for the sea bed in an earthquake). So
// the lifts of neighbouring columns are evened out, over about a depth and at most some cells,
// before they take effect: as much liquid as one column gets, the one beside it loses. A solid that
// lifts or sinks as a whole lifts all of it alike, and nothing is exchanged.
#include "world/world_internal.h"

#define PASSES 16  // over √(2 · SHARE · PASSES) cells: 2.5
#define SHARE 0.2  // of the difference to each neighbour
#define DEEPER 0.7 // cells of depth that a pass needs, times the root of its number

#define FULL 1e-3 // cells under its ceiling, and a column is full

typedef rv_lifted lifted;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// Of the column that goes on from an old one, where both are deep. Under a ceiling that rises a
// full column lacks what would fill it.
static lifted find_lift(const rv_world *world, int index)
{
    const rv_edit_work *w = &world->edit;
    const rv_cell_change *c = &w->change[index];
    rv_liquid view = rv_world_view(world);
    double dx = world->params.grid_dx;
    lifted best = {.layer = -1};
    for (int i = 0; i < c->before; i++) {
        int j = c->to[i];
        const float *old = w->before[index][i];
        double was = (double)view.depth[rv_slot(&world->columns.plane[i], c->x, c->y)];
        if (j < 0 || !(was > dx)) continue;
        const float *now = w->after[index][j];
        double depth = (double)c->depth[j], level = (double)now[1] + depth;
        double top = smaller((double)old[1] + was, (double)now[2]);
        if (top > (double)old[2] - FULL * dx) top = (double)now[2];
        double lift = level - top;
        if (!(depth > dx) || !(lift < dx) || !(lift > -depth)) continue;
        if (best.layer >= 0 && best.depth >= depth) continue;
        best = (lifted){.lift = lift, .depth = depth - lift, .base = now[1], .layer = j};
        best.level = now[1] + c->depth[j];
    }
    return best;
}

static int *at_cell(const rv_edit_work *w, rv_rect area, int x, int y)
{
    if (x < area.x0 || x >= area.x1 || y < area.y0 || y >= area.y1) return NULL;
    return &w->first[(size_t)(y - area.y0) * (size_t)(area.x1 - area.x0) + (size_t)(x - area.x0)];
}

// How far two columns take part in a pass, 0 … 1.
static double shared(const lifted *a, const lifted *b, double needed, double dx)
{
    if (b->layer < 0 || a->base >= b->level || b->base >= a->level) return 0;
    double share = (a->depth < b->depth ? a->depth : b->depth) / dx - needed;
    return share > 0 ? (share < 1 ? share : 1) : 0;
}

// What a column gets of the one beside it in a pass; neither gives more than a quarter of what it
// has, so that four neighbours do not empty it.
static double got_from(const lifted *a, const lifted *b, double needed, double dx)
{
    double got = shared(a, b, needed, dx) * (b->lift - a->lift);
    double most = 0.25 / SHARE * (got > 0 ? b->depth + b->lift : a->depth + a->lift);
    if (!(most > 0)) return 0;
    return got > most ? most : got < -most ? -most : got;
}

static void even_out(rv_world *world, rv_rect area, int pass)
{
    static const int beside[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const rv_edit_work *w = &world->edit;
    lifted *all = w->lifted;
    double dx = world->params.grid_dx, needed = 1 + DEEPER * sqrt(pass);
    for (int i = 0; i < w->change_count; i++) {
        double sum = 0;
        for (int k = 0; k < 4 && all[i].layer >= 0; k++) {
            const int *o =
                at_cell(w, area, w->change[i].x + beside[k][0], w->change[i].y + beside[k][1]);
            if (!o || *o < 0) continue;
            sum += got_from(&all[i], &all[*o], needed, dx);
        }
        all[i].next = all[i].lift + SHARE * sum;
    }
    for (int i = 0; i < w->change_count; i++) all[i].lift = all[i].next;
}

// What no longer fits under a ceiling is pushed.
static bool take_lift(rv_world *world, int index, double *rest)
{
    const lifted *l = &world->edit.lifted[index];
    const float *now = world->edit.after[index][l->layer];
    rv_cell_change *c = &world->edit.change[index];
    double was = (double)c->depth[l->layer], want = l->depth + l->lift;
    if (!(want > 0)) want = 0; // by rounding
    double kept = smaller(want, (double)(now[2] - now[1]));
    c->depth[l->layer] = (float)kept;
    double lost = was - want + (kept - (double)c->depth[l->layer]); // rounding
    return rv_note_rest(world, rest, lost) &&
           rv_push_liquid(world, c->x, c->y, (double)now[1], (double)now[2], want - kept);
}

bool rv_even_lifts(rv_world *world, rv_rect area, double *rest)
{
    rv_edit_work *w = &world->edit;
    int64_t cells = (int64_t)(area.x1 - area.x0) * (area.y1 - area.y0);
    int64_t deep = 0;
    bool room =
        rv_array_grow(&world->allocator, &w->lifted, &w->lifted_room, w->change_count,
                      sizeof *w->lifted) &&
        rv_array_grow(&world->allocator, &w->first, &w->first_room, cells, sizeof *w->first);
    if (rv_world_agree(world, room ? RV_OK : RV_OUT_OF_MEMORY) != RV_OK) return false;
    for (int64_t i = 0; i < cells; i++) w->first[i] = -1;
    for (int i = 0; i < w->change_count; i++) {
        w->lifted[i] = find_lift(world, i);
        w->lifted[i].next = w->lifted[i].lift;
        *at_cell(w, area, w->change[i].x, w->change[i].y) = i;
        deep += w->lifted[i].layer >= 0 && rv_edit_owns(world, i);
    }
    if (world->cut) rv_cut_sum(world->cut, &deep, 1);
    if (deep < 2) return true;
    // with a cut the rows that are kept beside the own ones are more than the passes
    for (int pass = 0; pass < PASSES; pass++) even_out(world, area, pass);
    for (int i = 0; i < w->change_count; i++) {
        w->foreign = !rv_edit_owns(world, i);
        if (w->lifted[i].layer >= 0 && !take_lift(world, i, rest)) return false;
    }
    w->foreign = false;
    return true;
}
