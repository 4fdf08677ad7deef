// Pressure and wind on chosen columns (tank paper: P = ρ g h + P_atm + P_ext).
//
// A pressure p adds the head p/(ρ g) to the columns it presses on, which the liquid flows by as it
// does under bodies; so at rest the level under it is lower by that head. Wind τ gives the liquid
// of a column, over dt, the impulse τ dx² dt along the surface. Both act where the columns are
// listed, in the order of slots; where several presses meet in a column they are added up in the
// order of their numbers, so nothing depends on threads.
#include "world/world_internal.h"

#include <string.h>

bool rv_world_check_press(const rv_press_def *press, const char *where, rv_messages *messages)
{
    bool good = rv_table_check(rv_press_table(), press, where, messages);
    rv_vec3 a = press->from, b = press->to;
    if (!(a.x <= b.x && a.y <= b.y && a.z <= b.z)) {
        rv_messages_add(messages, "%s.to: a component is lower than that of `from`", where);
        good = false;
    }
    if (press->start > press->stop) {
        rv_messages_add(messages, "%s.stop: %g s is before start, %g s", where, press->stop,
                        press->start);
        good = false;
    }
    return good;
}

void rv_press_free(rv_world *world)
{
    const rv_allocator *a = &world->allocator;
    rv_press_work *w = &world->press;
    rv_free(a, w->column, (size_t)w->room, sizeof *w->column);
    rv_free(a, w->head, w->slots, sizeof *w->head);
    rv_free(a, w->sum, w->slots, sizeof *w->sum);
    *w = (rv_press_work){0};
}

// ---- Finding columns ----------------------------------------------------------------------------

static bool presses(const rv_world *world, const rv_press *p, int x, int y, size_t slot)
{
    const rv_press_def *d = &p->def;
    return p->acts && rv_within(rv_cell_x(world, x), d->from.x, d->to.x) &&
           rv_within(rv_cell_y(world, y), d->from.y, d->to.y) &&
           rv_within((double)world->columns.base[slot], d->from.z, d->to.z);
}

// What all presses do to one column; false: nothing.
static bool press_column(const rv_world *world, int x, int y, size_t slot, rv_pressed *out)
{
    const rv_press_work *w = &world->press;
    double pressure = 0;
    bool any = false;
    *out = (rv_pressed){.slot = slot};
    for (int i = 0; i < world->press_count; i++) {
        const rv_press *p = &world->presses[i];
        if (!presses(world, p, x, y, slot)) continue;
        any = true;
        pressure += p->def.pressure;
        out->wind[0] += p->def.wind.x / w->density, out->wind[1] += p->def.wind.y / w->density;
    }
    out->head = w->weight > 0 ? (float)(pressure / w->weight) : 0.0f;
    return any;
}

static bool add_column(rv_world *world, const rv_pressed *column, int x, int y)
{
    rv_press_work *w = &world->press;
    if (w->count == w->room) {
        int room = w->room > 0 ? 2 * w->room : 256;
        rv_pressed *fresh = rv_new(&world->allocator, (size_t)room, sizeof *fresh);
        if (!fresh) return false;
        if (w->count > 0) memcpy(fresh, w->column, (size_t)w->count * sizeof *fresh);
        rv_free(&world->allocator, w->column, (size_t)w->room, sizeof *w->column);
        w->column = fresh, w->room = room;
    }
    w->column[w->count++] = *column;
    w->head[column->slot] = column->head;
    w->cells = rv_rect_join(w->cells, (rv_rect){x, y, x + 1, y + 1});
    w->blows = w->blows || column->wind[0] != 0 || column->wind[1] != 0;
    return true;
}

// Arrays as long as the columns are, all 0.
static bool clear(rv_world *world)
{
    rv_press_work *w = &world->press;
    size_t slots = world->columns.slots;
    if (w->slots != slots) {
        rv_free(&world->allocator, w->head, w->slots, sizeof *w->head);
        rv_free(&world->allocator, w->sum, w->slots, sizeof *w->sum);
        w->head = rv_new(&world->allocator, slots, sizeof *w->head);
        w->sum = rv_new(&world->allocator, slots, sizeof *w->sum);
        w->slots = w->head && w->sum ? slots : 0;
        if (w->slots == 0) {
            rv_free(&world->allocator, w->head, slots, sizeof *w->head);
            rv_free(&world->allocator, w->sum, slots, sizeof *w->sum);
            w->head = w->sum = NULL;
            return false;
        }
    } else {
        memset(w->head, 0, slots * sizeof *w->head);
    }
    w->count = 0, w->cells = (rv_rect){0, 0, 0, 0}, w->blows = false;
    return true;
}

// Without memory nothing presses in this step; the next one tries again.
static bool find_columns(rv_world *world)
{
    const rv_column_set *set = &world->columns;
    rv_press_work *w = &world->press;
    w->density = world->params.liquid_density;
    w->weight = w->density * rv_gravity_down(&world->params);
    if (!clear(world)) return false;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++)
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot;
                rv_pressed column;
                if (!rv_column_at(set, l, x, y, &slot)) continue;
                if (!press_column(world, x, y, slot, &column)) continue;
                if (!add_column(world, &column, x, y)) return false;
            }
    }
    return true;
}

// ---- A step -------------------------------------------------------------------------------------

bool rv_world_begin_press(rv_world *world, double time, double dt)
{
    rv_press_work *w = &world->press;
    double middle = time + 0.5 * dt;
    if (world->press_count == 0) return false;
    w->stale = w->stale || world->stale_feeds || w->density != world->params.liquid_density ||
               w->weight != w->density * rv_gravity_down(&world->params);
    for (int i = 0; i < world->press_count; i++) {
        rv_press *p = &world->presses[i];
        bool acts = middle >= p->def.start && middle < p->def.stop;
        w->stale = w->stale || acts != p->acts;
        p->acts = acts;
    }
    if (w->stale) {
        w->stale = !find_columns(world);
        if (w->stale && world->cut) world->cut->lost = true; // the others press
        w->any = !w->stale && w->count > 0;
        if (world->cut) w->any = rv_cut_any(world->cut, w->any); // all go the same way
    }
    return w->any;
}

void rv_world_set_heads(rv_world *world, const rv_bodies *bodies)
{
    rv_press_work *w = &world->press;
    const float *head = bodies ? bodies->head : NULL;
    rv_rect cells = bodies ? bodies->pressed : (rv_rect){0, 0, 0, 0};
    if (world->press_count > 0 && w->any) {
        cells = rv_rect_join(cells, w->cells);
        memcpy(w->sum, w->head, w->slots * sizeof *w->sum);
        for (int i = 0; bodies && i < bodies->linked; i++)
            w->sum[bodies->link[i]] += bodies->head[bodies->link[i]];
        head = w->sum;
    }
    head = rv_world_add_landing(world, head, &cells);
    world->api->columns->press(world->solver, head, cells);
}

void rv_world_blow(rv_world *world, double dt)
{
    const rv_press_work *w = &world->press;
    double area = world->params.grid_dx * world->params.grid_dx;
    if (world->cut) world->api->columns->ready(world->solver);
    for (int i = 0; w->blows && i < w->count; i++) {
        const rv_pressed *c = &w->column[i];
        if (c->wind[0] == 0 && c->wind[1] == 0) continue;
        // where liquid is too thin to flow, or has nowhere to go, wind moves nothing
        rv_world_put_push(world, c->slot, c->wind[0] * area * dt, c->wind[1] * area * dt);
    }
    rv_world_trade(world);
}
