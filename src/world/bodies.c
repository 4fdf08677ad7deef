// Bodies in a world: adding, asking and driving them, their part in a step, and in a snapshot.
//
// In each substep the bodies are cut against the columns as they are; the heads that this gives
// press on the liquid while it flows, the same heads give the forces that then move the bodies.
// What drag takes from a body sideways is pushed into the columns it displaces.
// Bodies among particles are in carry.c.
#include "base/hash.h"
#include "world/world_internal.h"

#include <string.h>

// ---- Checks -------------------------------------------------------------------------------------

// The default says that the density counts; nothing else may be without mass.
static bool has_mass(const rv_body_def *body)
{
    return body->mass > 0 || body->mass == rv_default_body_def().mass;
}

bool rv_world_check_body(const rv_body_def *body, const rv_params *params, const char *where,
                         rv_messages *messages)
{
    if (!rv_table_check(rv_body_table(), body, where, messages)) return false;
    double half_x = 0.5 * params->grid_nx * params->grid_dx;
    double half_y = 0.5 * params->grid_ny * params->grid_dx;
    bool good = has_mass(body);
    if (!good)
        rv_messages_add(messages,
                        "%s.mass: %g kg: must be above 0, or left out: then the density counts",
                        where, body->mass);
    if (fabs(body->at.x - params->grid_x) > half_x || fabs(body->at.y - params->grid_y) > half_y) {
        rv_messages_add(messages, "%s.at: (%g, %g) lies outside the grid", where, body->at.x,
                        body->at.y);
        good = false;
    } else if (body->at.z < params->grid_bottom) {
        rv_messages_add(messages, "%s.at: height %g lies under grid.bottom %g", where, body->at.z,
                        params->grid_bottom);
        good = false;
    }
    return good;
}

static const rv_body *body_of(const rv_world *world, int index)
{
    if (!world || index < 0 || index >= world->bodies.count) return NULL;
    const rv_body *body = &world->bodies.body[index];
    return body->gone ? NULL : body;
}

// ---- Adding, asking, driving --------------------------------------------------------------------

rv_result rv_world_make_bodies(rv_world *world, const rv_body_def *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        rv_result r = rv_bodies_add(&world->bodies, &bodies[i], NULL);
        if (r != RV_OK) return r;
    }
    return RV_OK;
}

int rv_world_count_bodies(const rv_world *world)
{
    int count = 0;
    for (int i = 0; i < world->bodies.count; i++) {
        const rv_body *body = &world->bodies.body[i];
        count += !body->gone && world->counters.time >= body->def.start;
    }
    return count;
}

int rv_world_body_count(const rv_world *world)
{
    return world ? world->bodies.count : 0;
}

rv_result rv_world_get_body(const rv_world *world, int index, rv_body_def *def,
                            rv_body_state *state)
{
    const rv_body *body = body_of(world, index);
    if (!body) return RV_BAD_ARGUMENT;
    if (def) *def = body->def;
    if (state) *state = body->state;
    return RV_OK;
}

const char *rv_world_no_bodies(const rv_world *world)
{
    if (world->traits.bodies == RV_BODIES_NONE) return world->traits.no_bodies;
    return NULL;
}

rv_result rv_world_add_body(rv_world *world, const rv_body_def *def, int *body,
                            rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!world || !def) {
        rv_messages_add(messages, "rv_world_add_body: no world or no body");
        return RV_BAD_ARGUMENT;
    }
    const char *none = rv_world_no_bodies(world);
    if (none) {
        rv_messages_add(messages, "body: %s", none);
        return RV_BAD_ARGUMENT;
    }
    if (!world->terrain && !rv_columns_are_beds(&world->columns)) {
        rv_messages_add(messages, "terrain.keep: must be true where there are bodies");
        return RV_BAD_ARGUMENT;
    }
    if (!rv_world_check_body(def, &world->params, "body", messages)) return RV_BAD_ARGUMENT;
    int rows = world->cut ? rv_body_rows(def, world->params.grid_dx) : 0;
    if (world->cut && rows > world->cut->bodies && !world->terrain) {
        rv_messages_add(
            messages, "body: larger than those that this world was made with: terrain.keep must be "
                      "true for that while processes share the grid");
        return RV_BAD_ARGUMENT;
    }
    rv_result r = rv_world_reach_further(world, rows);
    if (r == RV_OK) r = rv_bodies_add(&world->bodies, def, body);
    if (r != RV_OK) rv_messages_add(messages, "body: not enough memory for another one");
    return r;
}

rv_result rv_world_remove_body(rv_world *world, int index)
{
    if (!body_of(world, index)) return RV_BAD_ARGUMENT;
    world->bodies.body[index].gone = true;
    return RV_OK;
}

rv_result rv_world_set_body(rv_world *world, int index, const rv_body_state *state)
{
    double turn[4];
    if (!body_of(world, index) || !state) return RV_BAD_ARGUMENT;
    if (!rv_finite(state->at) || !rv_finite(state->velocity) || !rv_finite(state->spin))
        return RV_BAD_ARGUMENT;
    memcpy(turn, state->turn, sizeof turn);
    if (!rv_quaternion_unit(turn)) return RV_BAD_ARGUMENT;
    rv_body_state *own = &world->bodies.body[index].state;
    own->at = state->at, own->velocity = state->velocity, own->spin = state->spin;
    memcpy(own->turn, turn, sizeof turn);
    return RV_OK;
}

int rv_body_rows(const rv_body_def *def, double dx)
{
    rv_body body = {.def = *def};
    rv_body_weigh(&body);
    return (int)fmin(ceil(body.reach / dx), 1e6) + 5; // and the rows beside it
}

// ---- A step -------------------------------------------------------------------------------------

// `eight`: of the liquid's view; only those that float ask for it.
static rv_surroundings surroundings(const rv_world *world, bool eight)
{
    const rv_params *p = &world->params;
    bool plane = world->traits.in_plane; // has no walls before and behind it
    return (rv_surroundings){
        .terrain = world->terrain,
        .columns = &world->columns,
        .pull = {p->gravity.x, plane ? 0 : p->gravity.y, p->gravity.z},
        .gravity = rv_gravity_down(p),
        .wall = {p->border_west != RV_BORDER_OPEN, p->border_east != RV_BORDER_OPEN,
                 p->border_south != RV_BORDER_OPEN && !plane,
                 p->border_north != RV_BORDER_OPEN && !plane},
        .eight = eight,
        .density = p->liquid_density,
        .viscosity = p->liquid_viscosity,
    };
}

bool rv_world_begin_bodies(rv_world *world, double time)
{
    bool any = world->bodies.count > 0 && rv_bodies_begin(&world->bodies, time);
    if (!any && world->carried_count > 0) { // those that the solver knows are gone
        world->carried_count = 0;
        world->api->bulk->carry(world->solver, NULL, 0);
    }
    // the solver must know them before it divides the step
    if (any && rv_carries_bodies(world)) rv_world_carry_bodies(world);
    return any;
}

// A push on the columns of a body at home: which of them take it, and how much.
static void note_pushes(rv_world *world, const rv_body_push *push, const rv_cover *first, int count,
                        double dt)
{
    const rv_column_set *set = &world->columns;
    double owed = 0;
    for (const rv_cover *c = first; c < first + count; c++) {
        if (!(c->head > 0)) continue;
        rv_entry e = {.kind = RV_ENTRY_PUSH,
                      .asks = true,
                      .slot = c->slot,
                      .amount = owed + c->head,
                      .x = push->along_x,
                      .y = push->along_y,
                      .seconds = dt};
        world->api->exchange(world->solver, &e, 1);
        owed = e.done;
        if (e.done != 0) continue;
        rv_body_push p = *push;
        int x, y;
        rv_cell_of_slot(set, c->slot, &x, &y);
        p.plane = c->plane, p.x = x, p.y = y, p.amount = e.amount;
        if (!rv_bodies_note_push(&world->bodies, &p)) return;
    }
}

typedef struct pushing {
    rv_world *world;
    double dt;
} pushing;

static void apply_push(void *user, const rv_body_push *p)
{
    const pushing *t = user;
    size_t slot;
    if (!rv_column_at(&t->world->columns, p->plane, p->x, p->y, &slot)) return;
    rv_world_put_drag(t->world, slot, p->amount, p->along_x, p->along_y, t->dt);
    rv_world_end_drag(t->world);
}

// The drag's other half: over the columns that the body displaces, by how much it does. Where a
// column has no pipe to take its share, the next one does.
static void push_liquid(rv_world *world, int index, double dt)
{
    const rv_body_work *w = &world->bodies.work[index];
    const rv_cover *first = world->bodies.cover + w->first, *end = first + w->covers;
    double all = 0;
    for (const rv_cover *c = first; c < end; c++) all += c->head;
    // of a body at rest there is nothing but rounding
    double least = 1e-12 * world->bodies.body[index].mass * rv_gravity_size(&world->params) * dt;
    if (!(all > 0) || fabs(w->drag.x) + fabs(w->drag.y) <= least) return;
    double a_head = -1 / (all * world->params.liquid_density);
    double along_x = w->drag.x * a_head, along_y = w->drag.y * a_head;
    if (world->cut) {
        rv_body_push p;
        memset(&p, 0, sizeof p);
        p.body = index, p.along_x = along_x, p.along_y = along_y;
        note_pushes(world, &p, first, w->covers, dt);
        return;
    }
    for (const rv_cover *c = first; c < end; c++)
        if (c->head > 0) rv_world_put_drag(world, c->slot, c->head, along_x, along_y, dt);
    rv_world_end_drag(world);
}

#define BESIDE 4 // cells around a body that it may look at

// What bodies may look at of the liquid: columns under and around them, and what flows there.
static rv_liquid view_around(rv_world *world)
{
    const rv_bodies *b = &world->bodies;
    const rv_grid *g = &world->columns.grid;
    rv_liquid view = {0};
    bool any = false;
    for (int i = 0; world->device && i < b->count; i++) {
        const rv_body *body = &b->body[i];
        double x = (body->state.at.x - g->x0) / g->dx, far = body->reach / g->dx + BESIDE;
        double y = (body->state.at.y - g->y0) / g->dx;
        if (!b->work[i].here) continue;
        rv_rect cells = {(int)fmin(fmax(x - far, 0), g->nx), (int)fmin(fmax(y - far, 0), g->ny),
                         (int)fmin(fmax(x + far, 0), g->nx), (int)fmin(fmax(y + far, 0), g->ny)};
        view = rv_world_view_cells(world, cells);
        any = true;
    }
    return any ? view : rv_world_view(world);
}

void rv_world_press_bodies(rv_world *world, double dt)
{
    if (rv_carries_bodies(world)) {
        rv_world_carry_bodies(world);
        return;
    }
    rv_bodies *b = &world->bodies;
    if (world->cut) world->api->columns->ready(world->solver);
    rv_liquid view = view_around(world);
    rv_surroundings around = surroundings(world, view.eight);
    rv_body_liquid liquid = {view.depth, view.flux_x, view.flux_y, view.film};
    rv_bodies_refresh(b);
    bool covered = rv_bodies_cover(b, &world->columns, &liquid);
    if (!covered && world->cut) world->cut->lost = true; // the others would wait for this one
    bool any = covered && rv_bodies_float(b, &around, &liquid, dt);
    rv_world_set_heads(world, any ? b : NULL);
    for (int i = 0; any && i < b->count; i++)
        if (b->work[i].touches && rv_body_is_home(b, i)) push_liquid(world, i, dt);
    pushing t = {world, dt};
    if (any && world->cut) rv_bodies_share_pushes(b, apply_push, &t);
    rv_world_trade(world);
}

void rv_world_move_bodies(rv_world *world, double dt)
{
    rv_bodies *b = &world->bodies;
    rv_surroundings around = surroundings(world, false);
    if (rv_carries_bodies(world)) rv_world_take_impulses(world, dt);
    for (int i = 0; i < b->count; i++) {
        rv_body_work *w = &b->work[i];
        w->given = rv_add(rv_along(w->given, dt, w->force), w->drag);
        w->turned = rv_add(rv_along(w->turned, dt, w->torque), w->drag_turn);
        if (!rv_carries_bodies(world)) b->body[i].state.submerged = w->immersed;
    }
    rv_bodies_move(b, &around, dt);
}

// Slow enough to count as lying still: under a hundredth of its size in the time it falls by that.
static bool is_slow(const rv_body *body, double gravity)
{
    double most = 0.02 * sqrt(gravity * body->thin);
    return rv_length(body->state.velocity) < most &&
           rv_length(body->state.spin) * body->reach < most;
}

void rv_world_end_bodies(rv_world *world, double dt)
{
    rv_bodies *b = &world->bodies;
    if (rv_carries_bodies(world))
        rv_world_measure_bodies(world);
    else
        world->api->columns->press(world->solver, NULL, (rv_rect){0, 0, 0, 0});
    for (int i = 0; i < b->count; i++) {
        rv_body *body = &b->body[i];
        rv_body_work *w = &b->work[i];
        if (!w->here) continue;
        rv_vec3 impulse = w->given;
        if (w->free) { // what changed its momentum and was neither weight nor contact
            impulse = rv_scaled(rv_sub(body->state.velocity, w->before), body->mass);
            impulse = rv_sub(impulse, w->contacts);
            impulse = rv_sub(impulse, w->weighed);
            body->state.resting = w->supported && is_slow(body, rv_gravity_size(&world->params));
        }
        body->state.force = rv_scaled(impulse, 1 / dt);
        body->state.torque = rv_scaled(w->turned, 1 / dt);
    }
}

// ---- For those who draw -------------------------------------------------------------------------

// The level that is shown in a column with bodies, m. What a body displaces stands over it at once
// where it goes in fast, and would hide it; in nature it is pushed aside first. So as long as a
// body stands out of the level around it, the liquid in its columns is shown no higher than that;
// once its top is under by half its size, as high as it is.
static double shown_level(const rv_world *world, const rv_bodies *scratch, size_t slot,
                          double level)
{
    double shown = level;
    for (int k = scratch->first_cover[slot] - 1; k >= 0; k = scratch->cover[k].next) {
        int index = scratch->cover[k].body;
        const rv_body *body = &world->bodies.body[index];
        double under = (body->ambient - scratch->work[index].high) / (0.5 * body->thin);
        if (under >= 1 || level <= body->ambient) continue;
        shown = fmin(shown, body->ambient + fmax(under, 0) * (level - body->ambient));
    }
    return shown;
}

const float *rv_world_raise_depths(const rv_world *world, rv_bodies *scratch, float *raised)
{
    const rv_column_set *set = &world->columns;
    if (rv_carries_bodies(world)) return NULL;
    rv_liquid view = rv_world_view(world);
    rv_surroundings around = surroundings(world, view.eight);
    rv_body_liquid liquid = {view.depth, view.flux_x, view.flux_y, view.film};
    if (!rv_bodies_raise(scratch, &world->bodies, &around, &liquid, world->counters.time))
        return NULL;
    memcpy(raised, view.depth, set->slots * sizeof *raised);
    for (int i = 0; i < scratch->linked; i++) {
        size_t s = scratch->link[i];
        double base = (double)set->base[s], own = base + (double)raised[s];
        double level = shown_level(world, scratch, s, own + (double)scratch->head[s]);
        raised[s] = (float)(fmin(fmax(level, own), (double)set->max[s]) - base);
    }
    return raised;
}

// ---- Snapshot and hash --------------------------------------------------------------------------

typedef struct saved_body {
    rv_body_def def;
    rv_vec3 at, velocity, spin, force, torque;
    double turn[4], submerged, immersed, ambient;
    int32_t resting, afloat, gone, unused;
} saved_body;

static saved_body pack(const rv_body *body)
{
    const rv_body_state *s = &body->state;
    saved_body out;
    memset(&out, 0, sizeof out);
    out.def = body->def;
    out.at = s->at, out.velocity = s->velocity, out.spin = s->spin;
    out.force = s->force, out.torque = s->torque;
    memcpy(out.turn, s->turn, sizeof out.turn);
    out.submerged = s->submerged, out.immersed = body->immersed, out.ambient = body->ambient;
    out.resting = s->resting, out.afloat = body->afloat, out.gone = body->gone;
    return out;
}

uint64_t rv_world_hash_bodies(const rv_world *world, uint64_t hash)
{
    for (int i = 0; i < world->bodies.count; i++) {
        saved_body s = pack(&world->bodies.body[i]);
        size_t from = offsetof(saved_body, at); // the definition does not change
        hash = rv_hash_bytes(hash, (const unsigned char *)&s + from, sizeof s - from);
    }
    return hash;
}

size_t rv_world_bodies_bytes(int count)
{
    return (size_t)count * sizeof(saved_body);
}

void rv_world_save_bodies(const rv_world *world, unsigned char *to)
{
    for (int i = 0; i < world->bodies.count; i++, to += sizeof(saved_body)) {
        saved_body s = pack(&world->bodies.body[i]);
        memcpy(to, &s, sizeof s);
    }
}

static bool is_flag(int32_t x)
{
    return x == 0 || x == 1;
}

bool rv_world_bodies_good(const unsigned char *from, int count)
{
    rv_messages unread = {0};
    for (int i = 0; i < count; i++, from += sizeof(saved_body)) {
        saved_body s;
        memcpy(&s, from, sizeof s);
        if (!rv_table_check(rv_body_table(), &s.def, "body", &unread)) return false;
        if (!has_mass(&s.def)) return false;
        if (!is_flag(s.resting) || !is_flag(s.afloat) || !is_flag(s.gone)) return false;
        bool finite = rv_finite(s.at) && rv_finite(s.velocity) && rv_finite(s.spin) &&
                      rv_finite(s.force) && rv_finite(s.torque) && isfinite(s.submerged) &&
                      isfinite(s.immersed) && isfinite(s.ambient);
        double square = 0;
        for (int k = 0; k < 4; k++) square += s.turn[k] * s.turn[k];
        if (!s.gone && (!finite || !(fabs(square - 1) < 1e-6))) return false;
    }
    return true;
}

int rv_world_bodies_rows(const rv_world *world, const unsigned char *from, int count)
{
    int most = 0;
    for (int i = 0; i < count; i++, from += sizeof(saved_body)) {
        saved_body s;
        memcpy(&s, from, sizeof s);
        int rows = s.gone ? 0 : rv_body_rows(&s.def, world->params.grid_dx);
        if (rows > most) most = rows;
    }
    return most;
}

bool rv_world_bodies_room(rv_world *world, int count)
{
    rv_bodies *b = &world->bodies;
    return rv_array_grow(&b->allocator, &b->body, &b->room, count, sizeof *b->body) &&
           rv_array_grow(&b->allocator, &b->work, &b->work_room, count, sizeof *b->work);
}

void rv_world_restore_bodies(rv_world *world, const unsigned char *from, int count)
{
    world->bodies.count = count;
    for (int i = 0; i < count; i++, from += sizeof(saved_body)) {
        rv_body *body = &world->bodies.body[i];
        saved_body s;
        memcpy(&s, from, sizeof s);
        memset(body, 0, sizeof *body);
        body->def = s.def;
        body->state = (rv_body_state){.at = s.at,
                                      .velocity = s.velocity,
                                      .spin = s.spin,
                                      .force = s.force,
                                      .torque = s.torque,
                                      .submerged = s.submerged,
                                      .resting = s.resting != 0};
        memcpy(body->state.turn, s.turn, sizeof s.turn);
        body->immersed = s.immersed, body->ambient = s.ambient;
        body->afloat = s.afloat != 0, body->gone = s.gone != 0;
        rv_body_weigh(body);
    }
}
