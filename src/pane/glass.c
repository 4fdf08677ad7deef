// The solver `glass`: drops and rivulets on a pane (docs/glass.md; the glass paper). This file is
// what the world sees of it: making, stepping, asking, saving. glass.h tells how its parts go
// together.
#include "pane/glass.h"

#include "base/clock.h"
#include "base/map.h"

#include <string.h>

#define GROUPS (RV_GLASS_TILE * RV_GLASS_TILE / RV_GLASS_GROUP) // of a tile

// ---- Making and ending --------------------------------------------------------------------------

static void release(rv_solver *solver)
{
    rv_glass *s = (rv_glass *)solver;
    rv_allocator a = s->allocator;
    size_t n = s->slots, room = (size_t)s->room, tiles = (size_t)(s->tiles_x * s->tiles_y);
    rv_free(&a, s->height, n, sizeof *s->height);
    rv_free(&a, s->id, n, sizeof *s->id);
    rv_free(&a, s->kind, n, sizeof *s->kind);
    rv_free(&a, s->loose, tiles * GROUPS, sizeof *s->loose);
    rv_free(&a, s->repels, tiles * GROUPS, sizeof *s->repels);
    rv_free(&a, s->mist, n, sizeof *s->mist);
    rv_free(&a, s->affinity, n, sizeof *s->affinity);
    rv_free(&a, s->next, s->next_size, sizeof *s->next);
    rv_free(&a, s->trail, s->next_size, sizeof *s->trail);
    rv_free(&a, s->still, n, sizeof *s->still);
    rv_free(&a, s->drops, room, sizeof *s->drops);
    rv_free(&a, s->sums, room, sizeof *s->sums);
    rv_free(&a, s->thin, room, sizeof *s->thin);
    rv_free(&a, s->parent, room, sizeof *s->parent);
    rv_free(&a, s->moved, room, sizeof *s->moved);
    rv_free(&a, s->dead, room, sizeof *s->dead);
    rv_free(&a, s->out, room * 5, sizeof *s->out);
    rv_free(&a, s->shapes, RV_SHAPES_MAX, sizeof *s->shapes);
    rv_free(&a, s->tile_on, tiles, sizeof *s->tile_on);
    rv_free(&a, s->tiles, tiles, sizeof *s->tiles);
    rv_free(&a, s->tile_loose, tiles, sizeof *s->tile_loose);
    rv_free(&a, s->height_changes, tiles, sizeof *s->height_changes);
    rv_free(&a, s->mist_changes, tiles, sizeof *s->mist_changes);
    rv_free(&a, s, 1, sizeof *s);
}

static bool make_cells(rv_glass *s)
{
    const rv_allocator *a = &s->allocator;
    size_t n = s->slots, tiles = (size_t)(s->tiles_x * s->tiles_y);
    s->height = rv_new(a, n, sizeof *s->height);
    s->id = rv_new(a, n, sizeof *s->id);
    s->kind = rv_new(a, n, sizeof *s->kind);
    s->loose = rv_new(a, tiles * GROUPS, sizeof *s->loose);
    s->repels = rv_new(a, tiles * GROUPS, sizeof *s->repels);
    s->mist = rv_new(a, n, sizeof *s->mist);
    s->affinity = rv_new(a, n, sizeof *s->affinity);
    s->next_size = tiles * GROUPS * RV_GLASS_GROUP > n ? tiles * GROUPS * RV_GLASS_GROUP : n;
    s->next = rv_new(a, s->next_size, sizeof *s->next);
    s->trail = rv_new(a, s->next_size, sizeof *s->trail);
    s->still = rv_new(a, n, sizeof *s->still);
    s->shapes = rv_new(a, RV_SHAPES_MAX, sizeof *s->shapes);
    s->tile_on = rv_new(a, tiles, sizeof *s->tile_on);
    s->tiles = rv_new(a, tiles, sizeof *s->tiles);
    s->tile_loose = rv_new(a, tiles, sizeof *s->tile_loose);
    s->height_changes = rv_new(a, tiles, sizeof *s->height_changes);
    s->mist_changes = rv_new(a, tiles, sizeof *s->mist_changes);
    return s->height && s->id && s->kind && s->loose && s->repels && s->mist && s->affinity &&
           s->next && s->trail && s->still && s->shapes && s->tile_on && s->tiles &&
           s->tile_loose && s->height_changes && s->mist_changes;
}

static bool make_drops(rv_glass *s, int room)
{
    const rv_allocator *a = &s->allocator;
    size_t n = (size_t)room;
    s->room = room;
    s->drops = rv_new(a, n, sizeof *s->drops);
    s->sums = rv_new(a, n, sizeof *s->sums);
    s->thin = rv_new(a, n, sizeof *s->thin);
    s->parent = rv_new(a, n, sizeof *s->parent);
    s->moved = rv_new(a, n, sizeof *s->moved);
    s->dead = rv_new(a, n, sizeof *s->dead);
    s->out = rv_new(a, n * 5, sizeof *s->out);
    return s->drops && s->sums && s->thin && s->parent && s->moved && s->dead && s->out;
}

static void all_changed(rv_glass *s)
{
    s->changes++;
    for (int i = 0; i < s->tiles_x * s->tiles_y; i++)
        s->height_changes[i] = s->mist_changes[i] = s->changes;
}

static rv_result create(const rv_solver_setup *setup, rv_solver **out)
{
    const rv_column_set *c = setup->columns;
    const rv_params *p = setup->params;
    if (c->planes != 1) return RV_BAD_ARGUMENT;
    rv_glass *s = rv_new(setup->allocator, 1, sizeof *s);
    if (!s) return RV_OUT_OF_MEMORY;
    s->columns = c, s->params = *p, s->pool = setup->pool, s->allocator = *setup->allocator;
    s->rows = rv_glass_rows_best();
    s->nx = c->grid.nx, s->ny = c->grid.ny, s->dx = c->grid.dx, s->x0 = c->grid.x0,
    s->y0 = c->grid.y0;
    s->slots = c->slots, s->pitch = (size_t)c->plane[0].pitch, s->offset = c->plane[0].offset;
    s->tiles_x = (s->nx + RV_GLASS_TILE - 1) / RV_GLASS_TILE;
    s->tiles_y = (s->ny + RV_GLASS_TILE - 1) / RV_GLASS_TILE;
    if (!make_cells(s) || !make_drops(s, p->glass_most)) {
        release((rv_solver *)s);
        return RV_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < s->slots; i++) s->id[i] = -1;
    for (int y = 0; y < s->ny; y++)
        for (int x = 0; x < s->nx; x++) s->mist[rv_cell(s, x, y)] = (float)p->glass_mist;
    rv_glass_make_affinity(s, setup->kept);
    rv_glass_aim(s);
    // Two panes may be made at the same place, but not at the same time.
    s->made = (uint64_t)(rv_wall_ms() * 1e6) * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)s;
    all_changed(s);
    rv_glass_begin_rain(s);
    rv_glass_draw(s);
    rv_glass_merge(s);
    rv_glass_bury(s);
    rv_total_add(&s->clock.begun, -s->clock.over.part); // what stood too high was never there
    s->clock.over = (rv_total){0, 0};
    *out = (rv_solver *)s;
    return RV_OK;
}

static void set_params(rv_solver *solver, const rv_params *params)
{
    rv_glass *s = (rv_glass *)solver;
    s->params = *params;
    rv_glass_aim(s);
}

// ---- Stepping -----------------------------------------------------------------------------------

// As many as the paper's step, the smoothing and the erosion need.
static int substeps(rv_solver *solver, double dt)
{
    rv_glass *s = (rv_glass *)solver;
    const rv_params *p = &s->params;
    double rate = 1.0 / RV_GLASS_STEP_MAX; // 1/s
    rate = fmax(rate, 3.7 * p->glass_smooth / (s->dx * s->dx));
    rate = fmax(rate, 2.0 * p->glass_erode / s->dx);
    double count = ceil(dt * rate - 1e-9);
    if (count > p->time_substeps_max) {
        s->clipped++;
        count = p->time_substeps_max;
    }
    s->substeps = count > 1.0 ? (int)count : 1;
    s->substeps_left = s->substeps;
    s->touched = 0;
    return s->substeps;
}

static void substep(rv_solver *solver, double dt)
{
    rv_glass *s = (rv_glass *)solver;
    s->dt = dt, s->listed = false;
    s->changes++;
    rv_glass_rain(s, dt);
    rv_glass_evaporate(s, dt);
    rv_glass_tools(s, dt);
    rv_glass_move(s, dt);
    rv_glass_film(s, dt);
    rv_glass_draw(s);
    rv_glass_merge(s);
    rv_glass_bury(s);
    s->clock.time += dt;
    rv_glass_mist(s);
    s->substeps_left--;
}

// The drop that covers the cell takes it; else it is a drop of its own.
static double add(rv_glass *s, size_t slot, double depth)
{
    if (slot >= s->slots || !rv_column_exists(s->columns, slot)) return 0.0;
    size_t place = slot - s->offset;
    int x = (int)(place % s->pitch), y = (int)(place / s->pitch), drop = s->id[slot];
    double area = s->dx * s->dx;
    double asked = depth * area / RV_QUANTUM;
    int64_t volume = asked > 0 ? rv_glass_room(s, asked) : (int64_t)fmax(asked, -RV_PANE_MOST);
    if (drop < 0 && volume > 0) {
        drop = rv_glass_add_drop(s, s->x0 + (x + 0.5) * s->dx, s->y0 + (y + 0.5) * s->dx, volume);
        if (drop < 0) return 0.0;
    } else if (drop >= 0) {
        rv_drop *d = &s->drops[drop];
        if (d->volume + volume < 0) volume = -d->volume;
        d->volume += volume;
        if (d->volume == 0) s->dead[drop] = 1;
        if (d->state == RV_DROP_RESTS) rv_glass_loosen(s, drop);
    } else {
        volume = 0;
    }
    rv_glass_came(s, &s->clock.poured, volume);
    return (double)volume * RV_QUANTUM / area;
}

static void exchange(rv_solver *solver, rv_entry *entries, int count)
{
    rv_glass *s = (rv_glass *)solver;
    s->listed = false;
    for (rv_entry *e = entries; e < entries + count; e++)
        e->done = e->kind == RV_ENTRY_ADD ? add(s, e->slot, e->amount) : 0;
}

// A drop as large as a ball of that radius, with its velocity along the pane.
static double emit(rv_solver *solver, const rv_emitter_def *emitter, int number, double time,
                   double dt)
{
    rv_glass *s = (rv_glass *)solver;
    (void)number, (void)time, (void)dt;
    double x = emitter->at.x, y = emitter->at.y, r = emitter->radius;
    double u = emitter->velocity.x, v = emitter->velocity.y, speed = sqrt(u * u + v * v);
    double volume = 4.0 / 3.0 * RV_PI * r * r * r / RV_QUANTUM;
    if (emitter->kind != RV_EMITTER_DROP || rv_glass_room(s, volume) == 0) return 0.0;
    if (!(x >= s->x0 && x <= s->x0 + s->nx * s->dx)) return 0.0;
    if (!(y >= s->y0 && y <= s->y0 + s->ny * s->dx)) return 0.0;
    int drop = rv_glass_add_drop(s, x, y, rv_glass_room(s, volume));
    if (drop < 0) return 0.0;
    rv_drop *d = &s->drops[drop];
    s->listed = false;
    if (speed > 0.0) {
        d->speed = speed, d->state = RV_DROP_RUNS;
        d->way_x = d->toward_x = u / speed, d->way_y = d->toward_y = v / speed;
    }
    rv_glass_came(s, &s->clock.poured, d->volume);
    return rv_drop_volume(d);
}

// ---- What it knows ------------------------------------------------------------------------------

static void counters(const rv_solver *solver, rv_solver_stats *out)
{
    const rv_glass *s = (const rv_glass *)solver;
    *out = (rv_solver_stats){.substeps = s->substeps,
                             .clipped = s->clipped,
                             .not_finite = s->not_finite,
                             .border_in = rv_total_volume(s->clock.rained),
                             .border_out = rv_total_volume(s->clock.over) +
                                           rv_total_volume(s->clock.evaporated)};
}

static void measure(const rv_solver *solver, rv_solver_stats *out)
{
    const rv_glass *s = (const rv_glass *)solver;
    counters(solver, out);
    int64_t volume = 0;
    double squares = 0, up = 0, across = 0, sine, cosine;
    for (int i = 0; i < s->count; i++) {
        const rv_drop *d = &s->drops[i];
        volume += d->volume;
        out->fastest = fmax(out->fastest, d->speed);
        squares += (double)d->volume * d->speed * d->speed;
        up += (double)d->volume * (d->y - s->y0);
        across += (double)d->volume * (d->x - s->x0 - 0.5 * s->nx * s->dx);
    }
    out->volume = (double)volume * RV_QUANTUM;
    rv_sine(s->params.glass_tilt, &sine, &cosine);
    rv_vec3 g = rv_glass_gravity(&s->params, sine, cosine);
    double mass = s->params.liquid_density * RV_QUANTUM; // of a quantum, kg
    out->kinetic = 0.5 * mass * squares;
    out->potential = 0.0 - mass * (g.y * up + g.x * across); // along the pane, from its lower edge
    float deepest = 0.0f;
    for (int y = 0; y < s->ny; y++) {
        const float *row = s->height + rv_cell(s, 0, y);
        int wet = 0;
        for (int x = 0; x < s->nx; x++) {
            wet += row[x] > 0.0f;
            deepest = row[x] > deepest ? row[x] : deepest;
        }
        out->wet += wet;
    }
    out->deepest = (double)deepest;
}

static void info(const rv_solver *solver, rv_solver_info *out)
{
    const rv_glass *s = (const rv_glass *)solver;
    size_t tiles = (size_t)(s->tiles_x * s->tiles_y), room = (size_t)s->room;
    *out = (rv_solver_info){.instructions = s->rows->name};
    out->bytes = sizeof *s + s->slots * (7 * sizeof(float) + sizeof(uint16_t)) + tiles * 25 +
                 room * (sizeof(rv_drop) + 8 + 3 * 4 + 1 + 5 * sizeof(float)) +
                 RV_SHAPES_MAX * sizeof(rv_outline);
}

static void view(const rv_solver *solver, rv_liquid *out)
{
    const rv_glass *s = (const rv_glass *)solver;
    *out = (rv_liquid){.depth = s->height, .flux_x = s->still, .flux_y = s->still};
}

// The map tells of no motion: drops have velocities, see particles().
static void velocity(const rv_solver *solver, size_t slot, float out[2])
{
    (void)solver, (void)slot;
    out[0] = out[1] = 0.0f;
}

static void fill_list(rv_glass *s)
{
    size_t room = (size_t)s->room;
    float *x = s->out, *y = x + room, *u = y + room, *v = u + room, *volume = v + room;
    for (int i = 0; i < s->count; i++) {
        const rv_drop *d = &s->drops[i];
        x[i] = (float)d->x, y[i] = (float)d->y;
        u[i] = (float)(d->speed * d->way_x), v[i] = (float)(d->speed * d->way_y);
        volume[i] = (float)rv_drop_volume(d);
    }
    s->listed = true;
}

static rv_result list(const rv_solver *solver, rv_particles *out)
{
    rv_glass *s = (rv_glass *)(uintptr_t)solver; // the list is the first reader's to make
    size_t room = (size_t)s->room;
    const float *x = s->out, *y = x + room, *u = y + room, *v = u + room, *volume = v + room;
    rv_lock_take(&s->listing);
    if (!s->listed) fill_list(s);
    rv_lock_give(&s->listing);
    *out = (rv_particles){.count = s->count, .x = x, .y = y, .u = u, .v = v, .volume = volume};
    out->at.z = s->columns->grid.bottom;
    return RV_OK;
}

static void show(const rv_solver *solver, rv_pane *out)
{
    const rv_glass *s = (const rv_glass *)solver;
    const rv_glass_clock *c = &s->clock;
    int64_t shown = 0;
    for (int i = 0; i < s->count; i++) shown += s->drops[i].drawn;
    *out = (rv_pane){.nx = s->nx,
                     .ny = s->ny,
                     .pitch = (int)s->pitch,
                     .dx = s->dx,
                     .height = s->height + s->offset,
                     .mist = s->mist + s->offset,
                     .affinity = s->affinity + s->offset,
                     .drop = s->id + s->offset,
                     .touched = s->touched,
                     .rained = rv_total_volume(c->begun) + rv_total_volume(c->rained) +
                               rv_total_volume(c->poured),
                     .over = rv_total_volume(c->over),
                     .evaporated = rv_total_volume(c->evaporated),
                     .shown = rv_units_volume(s, shown),
                     .tile = RV_GLASS_TILE,
                     .changes = s->changes,
                     .height_changes = s->height_changes,
                     .mist_changes = s->mist_changes,
                     .made = s->made};
}

static void stir(rv_solver *solver, const rv_solver_rod *rod)
{
    rv_glass *s = (rv_glass *)solver;
    s->rod = *rod, s->has_rod = true;
}

// ---- Saving -------------------------------------------------------------------------------------

static int fields(rv_solver *solver, rv_state_field *out)
{
    rv_glass *s = (rv_glass *)solver;
    size_t n = s->slots;
    int count = 0;
    out[count++] = (rv_state_field){"height", s->height, n, sizeof *s->height, true};
    out[count++] = (rv_state_field){"id", s->id, n, sizeof *s->id, true};
    out[count++] = (rv_state_field){"kind", s->kind, n, sizeof *s->kind, true};
    out[count++] = (rv_state_field){"mist", s->mist, n, sizeof *s->mist, true};
    out[count++] = (rv_state_field){"drops", s->drops, (size_t)s->count, sizeof *s->drops, false};
    out[count++] = (rv_state_field){"clock", &s->clock, sizeof s->clock / 8, 8, false};
    return count;
}

// Which of the fields holds the drops.
#define DROPS_FIELD 4

static rv_result resize(rv_solver *solver, const uint64_t *counts, int fields_given)
{
    rv_glass *s = (rv_glass *)solver;
    rv_state_field own[RV_STATE_FIELDS_MAX];
    if (fields_given != fields(solver, own)) return RV_BAD_DATA;
    if (counts[DROPS_FIELD] > (uint64_t)s->room ||
        counts[DROPS_FIELD + 1] != own[DROPS_FIELD + 1].count)
        return RV_BAD_DATA;
    s->count = (int)counts[DROPS_FIELD];
    return RV_OK;
}

// A drop that cannot be one, of a snapshot that was damaged.
static bool is_drop(const rv_glass *s, const rv_drop *d)
{
    const double numbers[] = {d->x,        d->y,        d->speed,  d->way_x, d->way_y,
                              d->toward_x, d->toward_y, d->choose, d->since, d->apart,
                              d->patience, d->radius,   d->last_x, d->last_y};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(fabs(numbers[i]) < 1e7)) return false;
    const int64_t units = 100000000000000000; // far more than a pane can hold
    if (d->drawn < 0 || d->drawn > units || d->tail < -units || d->tail > units) return false;
    return d->volume > 0 && d->volume <= (int64_t)RV_PANE_MOST && d->state >= RV_DROP_RESTS &&
           d->state <= RV_DROP_LEAVES && d->caps >= 1 && d->caps <= RV_CAPS_MAX && d->x0 >= 0 &&
           d->y0 >= 0 && d->x1 <= s->nx && d->y1 <= s->ny && d->radius >= 0.0 && d->speed >= 0.0;
}

static bool drops_good(const rv_glass *s, const rv_saved_field *f)
{
    for (uint64_t i = 0; i < f->count; i++) {
        rv_drop d;
        memcpy(&d, f->from + i * sizeof d, sizeof d);
        bool sums = d.drawn >= 0 && d.drawn < INT64_MAX / 4 && d.tail > INT64_MIN / 4 &&
                    d.tail < INT64_MAX / 4;
        if (d.volume != 0 && (!is_drop(s, &d) || !sums || d.x1 < d.x0 || d.y1 < d.y0)) return false;
    }
    return true;
}

// Each cell's drop is one of `drops`, and its kind one that there is.
static bool cells_good(const rv_saved_field *id, const rv_saved_field *kind, uint64_t drops)
{
    for (uint64_t i = 0; i < id->count; i++) {
        int32_t drop;
        uint16_t what;
        memcpy(&drop, id->from + i * sizeof drop, sizeof drop);
        memcpy(&what, kind->from + i * sizeof what, sizeof what);
        if (drop < -1 || drop >= (int64_t)drops || what > RV_CELL_HEAD) return false;
    }
    return true;
}

static bool clock_good(const unsigned char *from)
{
    rv_glass_clock c;
    memcpy(&c, from, sizeof c);
    const rv_total totals[] = {c.begun, c.rained, c.poured, c.over, c.evaporated};
    const int64_t counts[] = {c.keys, c.falls, c.refused};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 0 || counts[i] > INT64_MAX / 4) return false;
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        if (totals[i].part < 0 || totals[i].part > 1000000000000000000 ||
            totals[i].whole < -1000000000 || totals[i].whole > 1000000000)
            return false;
    for (int i = 0; i < RV_MIST_BANDS; i++)
        if (!(fabs(c.misted[i]) <= 1e12)) return false;
    return fabs(c.time) <= 1e12 && fabs(c.rain) <= 1e12 && c.band >= 0 && c.band < RV_MIST_BANDS;
}

static bool state_good(const rv_solver *solver, const rv_saved_field *saved, int count)
{
    const rv_glass *s = (const rv_glass *)solver;
    const rv_saved_field *drops = &saved[DROPS_FIELD];
    return count == DROPS_FIELD + 2 && rv_saved_within(&saved[0], 0, 1e6) &&
           cells_good(&saved[1], &saved[2], drops->count) && rv_saved_within(&saved[3], 0, 1) &&
           drops_good(s, drops) && clock_good(drops[1].from);
}

// After a snapshot: tiles, and what the checksum does not rule out.
static void changed(rv_solver *solver)
{
    rv_glass *s = (rv_glass *)solver;
    s->clock.inside = 0;
    for (int i = 0; i < s->count; i++) {
        rv_drop *d = &s->drops[i];
        s->parent[i] = i, s->dead[i] = d->volume == 0;
        bool room = s->clock.inside <= (int64_t)RV_PANE_MOST;
        if (d->volume == 0) continue;
        if (is_drop(s, d) && room) {
            s->clock.inside += d->volume;
            continue;
        }
        *d = (rv_drop){.state = RV_DROP_LEAVES};
        s->dead[i] = 1, s->not_finite++;
    }
    memset(s->tile_on, 0, (size_t)(s->tiles_x * s->tiles_y));
    s->tile_count = 0;
    for (int y = 0; y < s->ny; y++) {
        for (int x = 0; x < s->nx; x++) {
            size_t c = rv_cell(s, x, y);
            bool good = s->id[c] >= 0 && s->id[c] < s->count && s->kind[c] <= RV_CELL_HEAD &&
                        s->kind[c] != RV_CELL_DRY && s->height[c] > 0.0f &&
                        s->height[c] < RV_HEIGHT_MOST;
            if (!good)
                rv_set_dry(s, x, y);
            else
                rv_set_kind(s, x, y, s->kind[c]);
            if (!(s->mist[c] >= 0.0f && s->mist[c] <= 1.0f)) s->mist[c] = 0.0f;
            if (rv_is_loose(s, c)) rv_glass_wake_tiles(s, x, y, x + 1, y + 1);
        }
    }
    s->clock.band = s->clock.band >= 0 ? s->clock.band % RV_MIST_BANDS : 0;
    s->has_rod = s->listed = false;
    all_changed(s);
}

// ---- The tables ---------------------------------------------------------------------------------

static rv_solver_traits traits(const rv_params *params)
{
    (void)params;
    return (rv_solver_traits){
        .no_bodies = "solver glass has none", .counts_vary = true, .on_pane = true};
}

// All that gives and takes water on a pane are parameters, and drops.
static bool check(const rv_params *params, const rv_world_def *def, rv_messages *messages)
{
    (void)params;
    bool good = true;
    for (int i = 0; def && i < def->emitter_count; i++) {
        if (def->emitters[i].kind == RV_EMITTER_DROP) continue;
        rv_messages_add(messages, "emitters[%d].kind: on a pane only drop", i);
        good = false;
    }
    const rv_map *map = def ? def->affinity : NULL;
    if (map && !rv_map_is_good(map)) {
        rv_messages_add(messages, "affinity: an empty map");
        good = false;
    }
    return good;
}

static const rv_particles_api particles_api = {.list = list, .emit = emit, .resize = resize};
static const rv_pane_api pane_api = {.show = show};

static rv_growth grows(rv_solver *solver)
{
    (void)solver;
    return RV_GROWS_NOT; // there are no more drops than glass.most
}

const rv_solver_api rv_glass_api;
const rv_solver_api rv_glass_api = {
    .name = "glass",
    .particles = &particles_api,
    .pane = &pane_api,
    .traits = traits,
    .check = check,
    .keep = rv_keep_map,
    .drop = rv_drop_map,
    .create = create,
    .destroy = release,
    .set_params = set_params,
    .substeps = substeps,
    .substep = substep,
    .grows = grows,
    .exchange = exchange,
    .changed = changed,
    .restored = changed,
    .stir = stir,
    .counters = counters,
    .measure = measure,
    .info = info,
    .fields = fields,
    .state_good = state_good,
    .view = view,
    .velocity = velocity,
};
