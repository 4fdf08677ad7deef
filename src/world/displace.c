// Where liquid goes when the terrain under or around it changes (docs/terrain.md: it is kept, and
// what no longer fits goes to neighbouring columns).
//
// Within a cell, liquid that stood between two heights belongs to the new columns whose voids share
// them; where that is solid now, to the column that goes on from the old one, as on a plate that is
// lifted. Where a wall came in from the side, its top far above, liquid does not climb it: that,
// and what does not fit, is pushed: liquid pushed out of cells side by side is one body, which goes
// ring by ring outward through columns that are joined, first where the bed is lower than it stood,
// then over anything it can reach, then to whatever is nearest. Volume is never lost: what finds no
// room at all is held until there is some.
//
// Particles are pushed out of the way by their solver, one by one; only those that something thick
// came over are taken out here, to be placed like other liquid that was pushed.
#include "world/world_internal.h"

#include <string.h>

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

bool rv_push_liquid(rv_world *world, int x, int y, double low, double high, double depth)
{
    rv_edit_work *w = &world->edit;
    if (!(depth > 0) || w->foreign) return true;
    if (!rv_array_grow(&world->allocator, &w->pushed, &w->pushed_room, (int64_t)w->pushed_count + 1,
                       sizeof *w->pushed))
        return false;
    w->pushed[w->pushed_count++] = (rv_pushed){x, y, (float)low, (float)high, depth, -1, -1};
    return true;
}

#define THICK 1.5 // cells of solid, that particles do not get out of in one go

// Takes the particles of a cell that are between two heights.
static bool take_between(rv_world *world, const rv_cell_change *c, double low, double high)
{
    double dx = world->params.grid_dx, x = rv_cell_x(world, c->x), y = rv_cell_y(world, c->y);
    if (!(high - low > THICK * dx)) return true;
    rv_vec3 from = {x - 0.5 * dx, y - 0.5 * dx, low}, to = {x + 0.5 * dx, y + 0.5 * dx, high};
    double taken = world->api->bulk->take(world->solver, from, to, INFINITY);
    return rv_push_liquid(world, c->x, c->y, low, high, taken / (dx * dx));
}

bool rv_take_buried(rv_world *world, int index)
{
    const rv_cell_change *c = &world->edit.change[index];
    const float(*old)[3] = (const float(*)[3])world->edit.before[index];
    const float(*now)[3] = (const float(*)[3])world->edit.after[index];
    for (int i = 0; i < c->before; i++) {
        double at = (double)old[i][1], top = (double)old[i][2];
        for (int j = 0; j < c->after; j++) {
            double base = (double)now[j][1], ceiling = (double)now[j][2];
            if (ceiling <= at || base >= top) continue;
            if (!take_between(world, c, at, base)) return false;
            at = larger(at, ceiling);
        }
        if (!take_between(world, c, at, top)) return false;
    }
    return true;
}

// The new column with most of an old one's void.
static int heir(const float *old, float (*now)[3], int count)
{
    int best = -1;
    double most = 0;
    for (int j = 0; j < count; j++) {
        double shared =
            smaller((double)old[2], (double)now[j][2]) - larger((double)old[1], (double)now[j][1]);
        if (shared > most) most = shared, best = j;
    }
    return best;
}

bool rv_divide_liquid(rv_world *world, int index, double *rest)
{
    rv_edit_work *w = &world->edit;
    rv_cell_change *c = &w->change[index];
    const float(*old)[3] = (const float(*)[3])w->before[index];
    float(*now)[3] = w->after[index];
    rv_liquid view = rv_world_view(world);
    double amount[RV_LAYERS_MAX] = {0}, lift = world->params.grid_dx;
    for (int i = 0; i < c->before; i++) {
        double depth = (double)view.depth[rv_slot(&world->columns.plane[i], c->x, c->y)];
        double base = (double)old[i][1], level = base + depth, left = depth;
        c->to[i] = (int8_t)heir(old[i], now, c->after);
        if (!(depth > 0)) continue;
        for (int j = 0; j < c->after; j++) {
            double shared = smaller(level, (double)now[j][2]) - larger(base, (double)now[j][1]);
            if (shared > 0) amount[j] += shared, left -= shared;
        }
        if (!(left > 0)) {
            if (!rv_note_rest(world, rest, left)) return false;
        } else if (c->to[i] >= 0 && (double)now[c->to[i]][1] - base < lift)
            amount[c->to[i]] += left;
        else if (!rv_push_liquid(world, c->x, c->y, base, level, left))
            return false;
    }
    // a solver without layers has liquid in the topmost column only
    for (int j = 0; !world->traits.has_layers && j + 1 < c->after; j++)
        amount[c->after - 1] += amount[j], amount[j] = 0;
    for (int j = 0; j < c->after; j++) {
        double cap = (double)(now[j][2] - now[j][1]), kept = smaller(amount[j], cap);
        c->depth[j] = (float)kept;
        if (!rv_note_rest(world, rest, kept - (double)c->depth[j])) return false;
        if (!rv_push_liquid(world, c->x, c->y, (double)now[j][1], (double)now[j][2],
                            amount[j] - kept))
            return false;
    }
    return true;
}

// ---- Bodies of pushed liquid --------------------------------------------------------------------

static int *first_at(const rv_edit_work *w, rv_rect area, int x, int y)
{
    if (x < area.x0 || x >= area.x1 || y < area.y0 || y >= area.y1) return NULL;
    return &w->first[(size_t)(y - area.y0) * (size_t)(area.x1 - area.x0) + (size_t)(x - area.x0)];
}

static const int beside[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

// Gives all that hang together with `start` its group. The list of those still to be looked at is
// kept in the ring's memory.
static rv_result group_from(rv_world *world, rv_rect area, int start, int group)
{
    rv_edit_work *w = &world->edit;
    int count = 0;
    if (!rv_array_grow(&world->allocator, &w->ring, &w->ring_room, w->pushed_count,
                       sizeof *w->ring))
        return RV_OUT_OF_MEMORY;
    w->ring[count++] = (size_t)start;
    w->pushed[start].group = group;
    while (count > 0) {
        const rv_pushed *p = &w->pushed[w->ring[--count]];
        for (int k = 0; k < 4; k++) {
            const int *first = first_at(w, area, p->x + beside[k][0], p->y + beside[k][1]);
            for (int i = first ? *first : -1; i >= 0; i = w->pushed[i].next) {
                rv_pushed *other = &w->pushed[i];
                if (other->group >= 0 || other->low > p->high || p->low > other->high) continue;
                other->group = group;
                w->ring[count++] = (size_t)i;
            }
        }
    }
    return RV_OK;
}

static rv_result find_groups(rv_world *world, rv_rect area, int *groups)
{
    rv_edit_work *w = &world->edit;
    int64_t cells = (int64_t)(area.x1 - area.x0) * (area.y1 - area.y0);
    if (!rv_array_grow(&world->allocator, &w->first, &w->first_room, cells, sizeof *w->first))
        return RV_OUT_OF_MEMORY;
    for (int64_t i = 0; i < cells; i++) w->first[i] = -1;
    for (int i = 0; i < w->pushed_count; i++) {
        int *first = first_at(w, area, w->pushed[i].x, w->pushed[i].y);
        w->pushed[i].next = *first, w->pushed[i].group = -1;
        *first = i;
    }
    *groups = 0;
    for (int i = 0; i < w->pushed_count; i++) {
        if (w->pushed[i].group >= 0) continue;
        rv_result r = group_from(world, area, i, (*groups)++);
        if (r != RV_OK) return r;
    }
    return RV_OK;
}

// ---- Rings --------------------------------------------------------------------------------------

static rv_result begin_search(rv_world *world)
{
    rv_edit_work *w = &world->edit;
    if (world->cut) return rv_ring_begin(world);
    if (w->seen_room < world->columns.slots || w->search == UINT32_MAX) {
        rv_free(&world->allocator, w->seen, w->seen_room, sizeof *w->seen);
        w->seen = rv_new(&world->allocator, world->columns.slots, sizeof *w->seen);
        w->seen_room = w->seen ? world->columns.slots : 0, w->search = 0;
        if (!w->seen) return RV_OUT_OF_MEMORY;
    }
    w->search++, w->ring_count = 0;
    return RV_OK;
}

static rv_result see(rv_world *world, int plane, int x, int y, size_t slot)
{
    rv_edit_work *w = &world->edit;
    if (world->cut) return rv_ring_reach(world, plane, x, y);
    if (w->seen[slot] == w->search) return RV_OK;
    if (!rv_array_grow(&world->allocator, &w->ring, &w->ring_room, (int64_t)w->ring_count + 1,
                       sizeof *w->ring))
        return RV_OUT_OF_MEMORY;
    w->seen[slot] = w->search;
    w->ring[w->ring_count++] = slot;
    return RV_OK;
}

// The columns of a cell whose void meets low … high and whose bed is under `top`.
static rv_result see_cell(rv_world *world, int x, int y, float low, float high, float top)
{
    const rv_column_set *set = &world->columns;
    rv_result r = RV_OK;
    size_t slot;
    for (int l = 0; l < set->planes && r == RV_OK; l++) {
        if (!rv_column_at(set, l, x, y, &slot)) continue;
        if (set->base[slot] < high && low < set->max[slot] && set->base[slot] < top)
            r = see(world, l, x, y, slot);
    }
    return r;
}

// Whether this process looks at what is beside a column of the ring.
static bool looks(const rv_world *world, int index)
{
    return !world->cut || rv_ring_owns(world, index);
}

static rv_result join(rv_world *world, rv_result r)
{
    return world->cut ? rv_ring_join(world, r) : r;
}

static void cell_of(const rv_column_set *set, size_t slot, int *x, int *y)
{
    int l = set->planes - 1;
    while (l > 0 && slot < set->plane[l].offset) l--;
    const rv_plane *p = &set->plane[l];
    size_t ahead = slot - p->offset;
    *x = p->x0 + (int)(ahead % (size_t)p->pitch), *y = p->y0 + (int)(ahead / (size_t)p->pitch);
}

#define DEEP_RINGS 6

// Adds rings of deep liquid: what is pushed into it under its surface lifts that over about its
// depth, not only beside what pushed (see heave.c).
static rv_result reach_deep(rv_world *world, float top)
{
    rv_edit_work *w = &world->edit;
    const rv_column_set *set = &world->columns;
    rv_result r = RV_OK;
    for (int ring = 1, from = 0; ring <= DEEP_RINGS && r == RV_OK; ring++) {
        const float *depth = rv_world_view(world).depth;
        float least = (float)(ring * world->params.grid_dx);
        for (int end = w->ring_count; from < end && r == RV_OK; from++) {
            if (!looks(world, from)) continue;
            size_t slot = w->ring[from], there;
            int x, y;
            cell_of(set, slot, &x, &y);
            for (int k = 0; k < 4 && depth[slot] > least; k++)
                for (int l = 0; l < set->planes && r == RV_OK; l++) {
                    if (!rv_column_at(set, l, x + beside[k][0], y + beside[k][1], &there)) continue;
                    bool joined = set->base[there] < set->base[slot] + depth[slot] &&
                                  set->base[slot] < set->base[there] + depth[there];
                    if (joined && depth[there] > least && set->base[there] < top)
                        r = see(world, l, x + beside[k][0], y + beside[k][1], there);
                }
        }
        r = join(world, r);
    }
    return r;
}

// Gives `left` to the ring that starts at `from`, then to the next one, until nothing is left or no
// ring is.
static rv_result spread_out(rv_world *world, float top, double *left)
{
    rv_edit_work *w = &world->edit;
    rv_result r = reach_deep(world, top);
    for (int from = 0; from<w->ring_count && * left> 0 && r == RV_OK;) {
        int end = w->ring_count;
        bool room = false;
        *left = world->cut
                    ? rv_ring_spread(world, from, end - from, *left, &room)
                    : rv_world_spread(world, w->ring + from, end - from, end - from, *left, &room);
        if (room || (world->cut && world->cut->lost)) break; // only rounding is left
        for (; from < end && r == RV_OK; from++) {
            if (!looks(world, from)) continue;
            const rv_column_set *set = &world->columns;
            size_t slot = w->ring[from];
            int x, y;
            cell_of(set, slot, &x, &y);
            for (int k = 0; k < 4 && r == RV_OK; k++)
                r = see_cell(world, x + beside[k][0], y + beside[k][1], set->base[slot],
                             set->max[slot], top);
        }
        r = join(world, r);
    }
    return r;
}

static rv_result place_group(rv_world *world, int group, bool uphill, double *left)
{
    rv_edit_work *w = &world->edit;
    float top = -INFINITY;
    rv_result r = begin_search(world);
    for (int i = 0; i < w->pushed_count; i++)
        if (w->pushed[i].group == group && w->pushed[i].high > top) top = w->pushed[i].high;
    if (uphill) top = INFINITY;
    for (int i = 0; i < w->pushed_count && r == RV_OK; i++) {
        const rv_pushed *p = &w->pushed[i];
        if (p->group != group) continue;
        float high = uphill ? INFINITY : p->high;
        world->counters.held_x = p->x, world->counters.held_y = p->y;
        if (world->cut && !rv_ring_looks_from(world, i, p->y)) continue;
        r = see_cell(world, p->x, p->y, p->low, high, top);
        for (int k = 0; k < 4 && r == RV_OK; k++)
            r = see_cell(world, p->x + beside[k][0], p->y + beside[k][1], p->low, high, top);
    }
    r = join(world, r);
    return r == RV_OK ? spread_out(world, top, left) : r;
}

// Any column, nearest first, by squares around a cell.
static rv_result place_anywhere(rv_world *world, double *left)
{
    const rv_grid *g = &world->columns.grid;
    int most = g->nx > g->ny ? g->nx : g->ny, x = world->counters.held_x,
        y = world->counters.held_y;
    rv_result r = RV_OK;
    for (int d = 0; d < most && (*left > 0) && r == RV_OK; d++) {
        bool room = false;
        r = begin_search(world);
        for (int j = y - d; j <= y + d && r == RV_OK; j++) {
            if (world->cut && !rv_ring_looks_from(world, j - (y - d), j)) continue;
            for (int i = x - d; i <= x + d && r == RV_OK;
                 i += j == y - d || j == y + d || d == 0 ? 1 : 2 * d)
                r = see_cell(world, i, j, -INFINITY, INFINITY, INFINITY);
        }
        r = join(world, r);
        if (r != RV_OK || world->edit.ring_count == 0) continue;
        int n = world->edit.ring_count;
        *left = world->cut ? rv_ring_spread(world, 0, n, *left, &room)
                           : rv_world_spread(world, world->edit.ring, n, n, *left, &room);
        if (room || (world->cut && world->cut->lost)) break;
    }
    return r;
}

rv_result rv_place_pushed(rv_world *world, rv_rect area, double *volume)
{
    rv_edit_work *w = &world->edit;
    double dx2 = world->params.grid_dx * world->params.grid_dx, lost = 0;
    int groups = 0;
    *volume = 0;
    if (w->pushed_count == 0) return RV_OK;
    for (int i = 0; i < w->pushed_count; i++) *volume += w->pushed[i].depth * dx2;
    rv_result r = rv_world_agree(world, find_groups(world, area, &groups));
    if (r != RV_OK) {
        world->counters.held += *volume;
        return r;
    }
    for (int g = 0; g < groups; g++) {
        double left = 0;
        for (int i = 0; i < w->pushed_count; i++)
            if (w->pushed[i].group == g) left += w->pushed[i].depth;
        if (r == RV_OK) r = place_group(world, g, false, &left);
        bool much = left > 1e-6 * (world->columns.grid.top - world->columns.grid.bottom);
        if (r == RV_OK && much) r = place_group(world, g, true, &left);
        if (r == RV_OK && much) r = place_anywhere(world, &left);
        lost += left;
    }
    world->counters.held += lost * dx2;
    return r;
}

// What is worth a search: more than rounding.
void rv_place_held(rv_world *world)
{
    double dx2 = world->params.grid_dx * world->params.grid_dx, held = world->counters.held / dx2;
    if (!(held > 1e-6 * (world->columns.grid.top - world->columns.grid.bottom))) return;
    if (place_anywhere(world, &held) == RV_OK) world->counters.held = held * dx2;
}
