// The solver `splat`: liquid as particles whose density on a grid presses them apart
// (docs/splat.md; splat paper), in a vertical plane, in space, or as a height over the terrain.
// This file is what the world sees of it; the step is in step.c, which has the formulas, and in
// rows_simd.c.
#include "particles/splat.h"
#include "particles/card/card.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
// Cells that sound may go in a substep. Tried on columns 24 to 128 cells deep and on dams: with
// splat.smooth 2.2 is quiet and 3 boils; without, 1 is quiet and 2 explodes.
#define SOUND_SMOOTH 2.0
#define SOUND_ROUGH 1.0
#define FLOW_STEPS 1.0   // cells that particles may go
#define NARROW_STEPS 4.0 // the same in the narrow form
// Cells that gravity may move liquid in a substep, g dt²/dx, where there are bodies (narrow form).
// Balls of 4 cells that float: with 0.1 liquid circles under them for ever, with 0.03 it rests.
#define BODY_FALL 0.03

// ---- Making -------------------------------------------------------------------------------------

static bool is_narrow(const rv_params *p)
{
    return p->splat_method == RV_SPLAT_NARROW && !p->splat_plain;
}

// What particles on a card cannot do yet.
static bool check_card(const rv_params *p, rv_messages *messages)
{
    bool good = true;
    if (!is_narrow(p)) {
        rv_messages_add(messages, "%s: particles on the card have the narrow form only",
                        p->splat_plain ? "splat.plain" : "splat.method");
        good = false;
    }
    if (p->grid_nx > 2048) {
        rv_messages_add(messages,
                        "grid.nx: particles on the card have at most 2048 cells along x, "
                        "not %d",
                        p->grid_nx);
        good = false;
    }
    return good;
}

static bool check(const rv_params *p, const rv_world_def *def, rv_messages *messages)
{
    bool good = true;
    if (def && def->backend && is_narrow(p)) {
        rv_messages_add(messages, "splat.method: a backend has none but wide, set it to that");
        good = false;
    }
    if (p->splat_form == RV_SPLAT_2D && p->grid_ny != 1) {
        rv_messages_add(messages, "grid.ny: must be 1 with splat.form 2d, is %d", p->grid_ny);
        good = false;
    }
    if (p->splat_foam > 0 && !is_narrow(p)) {
        rv_messages_add(messages, "splat.foam: only splat.method narrow has it");
        good = false;
    }
    const rv_border side[4] = {p->border_west, p->border_east, p->border_south, p->border_north};
    static const char *const name[4] = {"west", "east", "south", "north"};
    for (int i = 0; i < 4; i++) {
        if (side[i] == RV_BORDER_WALL || side[i] == RV_BORDER_OPEN) continue;
        rv_messages_add(messages, "border.%s: solver splat has walls and open borders only",
                        name[i]);
        good = false;
    }
    if (p->splat_form == RV_SPLAT_HEIGHT) good = rv_solver_check_down(p, messages) && good;
    double cells = (double)p->grid_nx * p->grid_ny;
    if (p->splat_form != RV_SPLAT_HEIGHT) cells *= (p->grid_top - p->grid_bottom) / p->grid_dx + 1;
    if (def && def->device) good = check_card(p, messages) && good;
    if (cells > 2e8) {
        rv_messages_add(messages, "grid.nx: %.3g cells are more than solver splat takes, 2e8",
                        cells);
        good = false;
    }
    return good;
}

static void lay_out(rv_splat *s)
{
    const rv_params *p = &s->params;
    const rv_grid *c = &s->columns->grid;
    int tall = (int)ceil((p->grid_top - p->grid_bottom) / p->grid_dx - 1e-9);
    rv_splat_grid *g = &s->grid;
    if (tall < 1) tall = 1;
    s->dx = p->grid_dx, s->height = p->grid_top - p->grid_bottom;
    *g = (rv_splat_grid){.n = {p->grid_nx, p->grid_ny, 1}, .axes = 2, .up = -1};
    s->axis_of[0] = 0, s->axis_of[1] = 1, s->axis_of[2] = -1;
    s->low[0] = c->x0, s->low[1] = c->y0, s->low[2] = p->grid_bottom;
    if (p->splat_form == RV_SPLAT_2D) {
        g->n[1] = tall, g->up = 1;
        s->axis_of[1] = -1, s->axis_of[2] = 1, s->low[1] = p->grid_bottom;
    } else if (p->splat_form == RV_SPLAT_3D) {
        g->n[2] = tall, g->axes = 3, g->up = 2, s->axis_of[2] = 2;
    }
    g->pad = (int)ceil(p->splat_radius) + 2;
    size_t across = ((size_t)g->n[0] + 15) / 16 * 16, rows = (size_t)(g->n[1] + 2 * g->pad);
    g->pitch = across + 2 * RV_SPLAT_MARGIN;
    g->layer = g->pitch * rows;
    size_t layers = g->axes == 3 ? (size_t)(g->n[2] + 2 * g->pad) : 1;
    g->slots = g->layer * layers + RV_SPLAT_MARGIN + RV_SPLAT_SHIFT;
    g->origin = RV_SPLAT_MARGIN + RV_SPLAT_SHIFT +
                (size_t)g->pad * (g->pitch + (g->axes == 3 ? g->layer : 0));
    s->span_count = rv_splat_row_count(g);
    s->bins = ((size_t)g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN * (size_t)g->n[1] *
              (size_t)(g->axes == 3 ? g->n[2] : 1);
}

// Volume of a particle, and the sum of kernel weights where they lie splat.spacing apart: the
// integral of (1 - d²/r²)³ over the space of one.
static void set_rest(rv_splat *s)
{
    const rv_params *p = &s->params;
    double r = p->splat_radius, h = p->splat_spacing, side = h * s->dx;
    bool space = s->grid.axes == 3;
    double integral = space ? 64 * PI * r * r * r / 315 : PI * r * r / 4;
    if (s->narrow) integral = 1;
    s->rest = p->splat_rest * integral / (space ? h * h * h : h * h);
    s->each = side * side * (space ? side : s->grid.up < 0 ? p->splat_depth * s->dx : s->dx);
}

// Arrays of the solver: one list serves making and freeing.
typedef struct part {
    void **array;
    size_t count, item;
} part;

#define PARTS 48

static size_t grid_cells(const rv_splat *s)
{
    return (size_t)s->grid.n[0] * (size_t)s->grid.n[1] * (size_t)s->grid.n[2];
}

// Cells whose pressure the next substep begins with.
static size_t pressed_cells(const rv_splat *s)
{
    return s->narrow && s->grid.up >= 0 ? grid_cells(s) : 0;
}

static int list_parts(rv_splat *s, part *out)
{
    const rv_splat_grid *g = &s->grid;
    size_t n = g->slots, cells = grid_cells(s);
    size_t flat = g->up < 0 ? cells : 0, slots = s->columns->slots, f = sizeof(float);
    int threads = rv_pool_threads(s->pool), parts = threads < 8 ? threads : 8;
    size_t own = s->narrow ? n : 0, deep = g->axes == 3 ? own : 0;
    const part all[] = {
        {(void **)&s->f.weight, n, f},
        {(void **)&s->f.motion[0], n, f},
        {(void **)&s->f.motion[1], n, f},
        {(void **)&s->f.motion[2], g->axes == 3 ? n : 0, f},
        {(void **)&s->f.dense, n, f},
        {(void **)&s->f.smooth[0], n, f},
        {(void **)&s->f.smooth[1], n, f},
        {(void **)&s->f.pressure, n, f},
        {(void **)&s->f.node, n * 2 * (size_t)rv_splat_size(s), f},
        {(void **)&s->share, n, f},
        {(void **)&s->extra, n, f},
        {(void **)&s->open, n, f},
        {(void **)&s->bed, g->up < 0 ? n : 0, f},
        {(void **)&s->bed_height, flat, f},
        {(void **)&s->solid, n, f},
        {(void **)&s->still, n, f},
        {(void **)&s->sky, flat, sizeof *s->sky},
        {(void **)&s->span, s->span_count, sizeof *s->span},
        {(void **)&s->span_next, s->span_count, sizeof *s->span_next},
        {(void **)&s->span_last, s->narrow ? s->span_count : 0, sizeof *s->span_last},
        {(void **)&s->row_most, s->span_count, f},
        {(void **)&s->row_sum, s->span_count, sizeof *s->row_sum},
        {(void **)&s->column_of, g->up == 1 ? n : 0, sizeof *s->column_of},
        {(void **)&s->solid_row, s->span_count, 1},
        {(void **)&s->first, s->bins + 1, sizeof *s->first},
        {(void **)&s->counts, s->bins * (size_t)parts, sizeof *s->counts},
        {(void **)&s->columns_all, slots * 4, f},
        {(void **)&s->density, cells, f},
        {(void **)&s->drawn[0].value, s->narrow && g->up >= 0 ? cells : 0, f},
        {(void **)&s->froth, own > 0 ? cells : 0, f},
        {(void **)&s->sum, own * RV_NARROW_SUM, f},
        {(void **)&s->cell, own * 2 * (size_t)rv_splat_size(s), f},
        {(void **)&s->speed[0], own, f},
        {(void **)&s->speed[1], own, f},
        {(void **)&s->speed[2], deep, f},
        {(void **)&s->light[0], own, f},
        {(void **)&s->light[1], own, f},
        {(void **)&s->light[2], deep, f},
        {(void **)&s->joint[0], own, f},
        {(void **)&s->joint[1], own, f},
        {(void **)&s->joint[2], deep, f},
        {(void **)&s->coarse, s->coarse_floats, f},
        {(void **)&s->level_row, 2 * s->level_rows, sizeof *s->level_row},
        {(void **)&s->pressed, pressed_cells(s), f},
        {(void **)&s->span_pressed, pressed_cells(s) / (size_t)g->n[0], sizeof *s->span_pressed},
    };
    int count = (int)(sizeof all / sizeof *all);
    memcpy(out, all, sizeof all);
    return count;
}

static void release(rv_solver *solver)
{
    rv_splat *s = (rv_splat *)solver;
    rv_allocator a = s->allocator;
    part parts[PARTS];
    int count = list_parts(s, parts);
    rv_splat_close_backend(s);
    rv_grain_close(s);
    for (int i = 0; i < count; i++) rv_free(&a, *parts[i].array, parts[i].count, parts[i].item);
    size_t item = 2 * (size_t)rv_splat_size(s) * sizeof(float);
    rv_free(&a, s->particle, (size_t)s->room, item);
    rv_free(&a, s->other, (size_t)s->room, item);
    rv_free(&a, s->bin, (size_t)s->room, sizeof *s->bin);
    rv_free(&a, s->air_room, s->air_room ? 2 * (size_t)s->room : 0, sizeof *s->air_room);
    rv_free(&a, s->near, s->near_room, sizeof *s->near);
    rv_free(&a, s->moved, (size_t)s->moved_room, sizeof *s->moved);
    for (int i = 1; i < RV_SPLAT_DRAWN; i++)
        rv_free(&a, s->drawn[i].value, grid_cells(s), sizeof(float));
    for (int c = 0; c < RV_SPLAT_SHOWN; c++)
        rv_free(&a, s->shown.value[c], (size_t)s->shown.room, sizeof(float));
    rv_free(&a, s, 1, sizeof *s);
}

static rv_result make_arrays(rv_splat *s)
{
    part parts[PARTS];
    int count = list_parts(s, parts);
    for (int i = 0; i < count; i++) {
        *parts[i].array = rv_new(&s->allocator, parts[i].count, parts[i].item);
        if (!*parts[i].array && parts[i].count > 0) return RV_OUT_OF_MEMORY;
    }
    size_t slots = s->columns->slots;
    s->depth = s->columns_all, s->flux_x = s->depth + slots;
    s->flux_y = s->flux_x + slots, s->owed = s->flux_y + slots;
    s->f.share = s->share, s->f.extra = s->extra, s->f.open = s->open;
    s->f.bed = s->bed, s->f.solid = s->solid;
    if (s->narrow) rv_narrow_place(s);
    return RV_OK;
}

static rv_result create(const rv_solver_setup *setup, rv_solver **out)
{
    rv_splat *s = rv_new(setup->allocator, 1, sizeof *s);
    if (!s) return RV_OUT_OF_MEMORY;
    s->columns = setup->columns, s->terrain = setup->terrain, s->params = *setup->params;
    s->pool = setup->pool, s->allocator = *setup->allocator, s->backend = setup->kept;
    s->air_saved = -1;
    s->rows = rv_splat_rows_best();
    if (is_narrow(&s->params))
        s->narrow = rv_narrow_rows_best(), s->pressing = rv_pressure_rows_best();
    lay_out(s);
    if (s->narrow) rv_narrow_lay_out(s, &s->coarse_floats, &s->level_rows);
    set_rest(s);
    rv_result r = make_arrays(s);
    rv_splat_set_law(s, s->params.time_step);
    if (r == RV_OK) r = rv_splat_make_solids(s);
    if (r == RV_OK && s->backend) r = rv_splat_open_backend(s);
    if (r == RV_OK && setup->device) r = rv_grain_open(s, setup->device, setup->messages);
    if (r != RV_OK) {
        release((rv_solver *)s);
        return r;
    }
    rv_splat_columns(s);
    *out = (rv_solver *)s;
    return RV_OK;
}

// What stands apart from the particles begins with none, and is forgotten where there is to be none.
static void forget_air(rv_splat *s)
{
    if (!rv_splat_air_apart(s) || !s->air) return;
    rv_splat_fetch(s);
    memset(s->air_room, 0, 2 * (size_t)s->room * sizeof *s->air_room);
    s->sent = 0;
}

static void set_params(rv_solver *solver, const rv_params *params)
{
    rv_splat *s = (rv_splat *)solver;
    if ((params->splat_foam > 0) != rv_splat_foams(s)) forget_air(s);
    bool solids = s->params.splat_mirror != params->splat_mirror ||
                  s->params.splat_plain != params->splat_plain ||
                  (s->grid.up < 0 && rv_gravity_down(&s->params) != rv_gravity_down(params));
    s->params = *params;
    set_rest(s);
    rv_splat_set_law(s, params->time_step);
    if (solids) rv_splat_make_solids(s);
    if (solids && s->card) s->card->solids_fresh = false;
    rv_splat_send_params(s);
    s->density_fresh = s->shown.fresh = false;
}

// ---- Stepping -----------------------------------------------------------------------------------

// Sound must not go further than it may in a substep, and neither may particles. Sound is faster in
// liquid that is compressed.
static int substeps(rv_solver *solver, double dt)
{
    rv_splat *s = (rv_splat *)solver;
    const rv_params *p = &s->params;
    if (s->card_failed) s->trouble = RV_OK, s->card_failed = false; // it was told
    double dense = fmin(fmax((double)s->clock.densest, 1), 2), sound = rv_splat_sound(s);
    if (s->grid.up < 0)
        sound = sqrt(rv_gravity_down(p) * (double)s->clock.densest * p->splat_depth *
                     p->splat_rest * s->dx);
    else
        sound *= pow(dense, 0.5 * (p->splat_gamma - 1));
    bool smooth = p->splat_smooth && !p->splat_plain;
    double rate =
        sound / (smooth ? SOUND_SMOOTH : SOUND_ROUGH) + (double)s->clock.fastest / FLOW_STEPS;
    if (s->narrow && s->grid.up >= 0) {
        rate = (double)s->clock.fastest / NARROW_STEPS;
        if (s->body_count > 0) rate = fmax(rate, sqrt(rv_gravity_size(p) * s->dx / BODY_FALL));
    }
    rate /= s->dx * p->time_safety;
    double count = rv_substeps_wanted(&s->clock.rate, rate, dt);
    if (count > p->time_substeps_max) {
        s->totals.clipped++;
        count = p->time_substeps_max;
    }
    s->totals.substeps = count > 1.0 ? (int)count : 1;
    s->substeps_left = s->totals.substeps;
    return s->totals.substeps;
}

static void substep(rv_solver *solver, double dt)
{
    rv_splat *s = (rv_splat *)solver;
    s->given = false;
    if (s->card)
        rv_grain_step(s, dt);
    else if (s->backend)
        rv_splat_remote_step(s, dt);
    else
        rv_splat_step(s, dt);
    s->shown.fresh = s->density_fresh = false;
    if (--s->substeps_left > 0) return;
    s->stirring = false;
    if (s->card) {
        rv_grain_end(s);
        return;
    }
    if (s->backend && s->grid.up < 0) rv_splat_fetch_weights(s);
    if (!s->backend || s->grid.up < 0) rv_splat_columns(s);
}

// Columns of the particles as they are.
static void see_columns(rv_splat *s)
{
    rv_splat_set_law(s, s->params.time_step);
    rv_splat_fetch(s);
    if (s->card) s->card->columns_due = false;
    rv_splat_sort(s);
    s->sent = 0; // in another order now
    rv_splat_gather(s);
    for (size_t i = 0; i < s->grid.slots && !s->narrow;
         i++) // sums to velocities, as a substep leaves them
        for (int c = 0; c < s->grid.axes && s->f.weight[i] > RV_SPLAT_TINY; c++)
            s->f.motion[c][i] /= s->f.weight[i];
    rv_splat_columns(s);
}

// Columns are part of the state, and so is the particles' order.
static void restored(rv_solver *solver)
{
    rv_splat *s = (rv_splat *)solver;
    rv_splat_fetch(s);                   // what a card has is newer, unless resize() came before
    if (!s->backend) s->trouble = RV_OK; // memory may be there again
    s->shown.fresh = s->density_fresh = s->given = false;
    s->sorted = s->sent = 0;
    if (s->air_saved == 0 || !rv_splat_foams(s)) forget_air(s); // none was saved, or none is wanted
    s->air_saved = -1;
    rv_narrow_new_pressed(s);
    if (s->card && !s->card->pressed_away) s->card->pressed_fresh = false;
}

// Liquid may have been added.
static void changed(rv_solver *solver)
{
    rv_splat *s = (rv_splat *)solver;
    if (!s->given) {
        restored(solver);
        return;
    }
    s->shown.fresh = s->density_fresh = false;
    rv_splat_settle(s, true);
    see_columns(s);
    s->given = false;
}

static void exchange(rv_solver *solver, rv_entry *entries, int count)
{
    rv_splat *s = (rv_splat *)solver;
    for (rv_entry *e = entries; e < entries + count; e++)
        e->done = e->kind == RV_ENTRY_ADD ? rv_splat_add(s, e->slot, e->amount) : 0;
}

static void launch(rv_solver *solver, rv_vec3 velocity)
{
    rv_splat *s = (rv_splat *)solver;
    const double v[3] = {velocity.x, velocity.y, velocity.z};
    for (int world = 0; world < 3; world++)
        if (s->axis_of[world] >= 0) s->launch[s->axis_of[world]] = (float)v[world];
}

static void carry(rv_solver *solver, rv_solver_body *bodies, int count)
{
    rv_splat *s = (rv_splat *)solver;
    s->body = bodies, s->body_count = count;
}

static void stir(rv_solver *solver, const rv_solver_rod *rod)
{
    rv_splat *s = (rv_splat *)solver;
    s->rod = *rod, s->stirring = true;
}

static double each(const rv_solver *solver)
{
    const rv_splat *s = (const rv_splat *)solver;
    return s->each;
}

static rv_result trouble(const rv_solver *solver)
{
    const rv_splat *s = (const rv_splat *)solver;
    return s->trouble;
}

// ---- What it knows ------------------------------------------------------------------------------

static void counters(const rv_solver *solver, rv_solver_stats *out)
{
    const rv_splat *s = (const rv_splat *)solver;
    *out = s->totals;
}

static void measure(const rv_solver *solver, rv_solver_stats *out)
{
    rv_splat_measure((rv_splat *)(uintptr_t)solver, out); // a backend may have to be asked
}

static void info(const rv_solver *solver, rv_solver_info *out)
{
    const rv_splat *s = (const rv_splat *)solver;
    part parts[PARTS];
    int count = list_parts((rv_splat *)(uintptr_t)s, parts);
    *out = (rv_solver_info){.instructions = s->rows->name, .bytes = sizeof *s};
    for (int i = 0; i < count; i++) out->bytes += parts[i].count * parts[i].item;
    for (int i = 1; i < RV_SPLAT_DRAWN; i++)
        out->bytes += s->drawn[i].value ? grid_cells(s) * sizeof(float) : 0;
    out->bytes += (size_t)s->room * (4 * (size_t)rv_splat_size(s) * sizeof(float) + sizeof *s->bin);
    out->bytes += s->air_room ? 2 * (size_t)s->room * sizeof *s->air_room : 0;
    out->bytes += rv_grain_bytes(s);
}

static int fields(rv_solver *solver, rv_state_field *out)
{
    rv_splat *s = (rv_splat *)solver;
    size_t item = 2 * (size_t)rv_splat_size(s) * sizeof(float);
    int n = 0;
    rv_lock_take(&s->showing); // hash and snapshot only read
    rv_splat_fetch(s);
    rv_splat_see(s);
    if (s->card) rv_grain_fetch_pressed(s);
    out[n++] = (rv_state_field){"particles", s->particle, (size_t)s->count, item, false};
    rv_lock_give(&s->showing);
    out[n++] = (rv_state_field){"owed", s->owed, s->columns->slots, sizeof(float), true};
    out[n++] = (rv_state_field){"depth", s->depth, s->columns->slots, sizeof(float), true};
    out[n++] = (rv_state_field){"flux_x", s->flux_x, s->columns->slots, sizeof(float), true};
    out[n++] = (rv_state_field){"flux_y", s->flux_y, s->columns->slots, sizeof(float), true};
    out[n++] = (rv_state_field){"clock", &s->clock, 1, sizeof s->clock, false};
    size_t cells = pressed_cells(s);
    if (cells > 0) out[n++] = (rv_state_field){"pressure", s->pressed, cells, sizeof(float), false};
    int64_t air = s->air_saved >= 0 ? s->air_saved : rv_splat_foams(s) ? s->count : 0;
    if (rv_splat_air_apart(s))
        out[n++] = (rv_state_field){"air", s->air, (size_t)air, sizeof(float), false};
    return n;
}

// Of what is saved without regard to columns, where foam is; as fields() has it.
int rv_splat_air_field(const rv_splat *s)
{
    if (!rv_splat_air_apart(s)) return -1;
    return pressed_cells(s) > 0 ? 7 : 6;
}

static rv_result resize(rv_solver *solver, const uint64_t *counts, int count)
{
    rv_splat *s = (rv_splat *)solver;
    int air = rv_splat_air_field(s);
    if (count < 6 || counts[5] != 1) return RV_BAD_DATA;
    if (count > 6 && air != 6 && counts[6] != pressed_cells(s)) return RV_BAD_DATA;
    if (air >= 0 && air < count && counts[air] != 0 && counts[air] != counts[0]) return RV_BAD_DATA;
    if (counts[0] > (uint64_t)s->params.splat_particles) return RV_BAD_DATA;
    if (s->card) rv_grain_sync(s);
    if (s->card) s->card->columns_due = false;
    rv_result r = rv_splat_room(s, (int64_t)counts[0]);
    if (r != RV_OK) return r;
    s->count = (int64_t)counts[0], s->sorted = 0;
    s->sent = 0, s->away = false;
    if (air >= 0 && air < count) s->air_saved = (int64_t)counts[air];
    if (s->card) s->card->pressed_away = false;
    if (s->count == 0) rv_splat_sort(s); // else it counts as sorted, with the bins of before
    s->shown.fresh = s->density_fresh = false;
    return RV_OK;
}

// Before the density is made anew.
static void forget_drawn(rv_splat *s)
{
    for (int i = 0; i < RV_SPLAT_DRAWN; i++) s->drawn[i].fresh = false;
    s->froth_fresh = false;
}

static void make_density(rv_splat *s)
{
    if (!s->density_fresh) forget_drawn(s);
    if (!s->density_fresh && s->backend)
        rv_splat_fetch_density(s);
    else if (!s->density_fresh)
        rv_splat_see(s), rv_splat_fetch(s), rv_splat_fill_density(s);
    s->density_fresh = true, s->froth_fresh = s->froth_fresh || s->grid.up < 0;
}

static void place_density(const rv_splat *s, rv_density *out)
{
    const rv_splat_grid *g = &s->grid;
    bool plane = g->up == 1;
    *out = (rv_density){.nx = g->n[0],
                        .ny = plane ? 1 : g->n[1],
                        .nz = plane ? g->n[1] : g->n[2],
                        .dx = s->dx,
                        .low = {s->low[0], plane ? s->params.grid_y - 0.5 * s->dx : s->low[1],
                                s->params.grid_bottom}};
}

static bool on_card(rv_solver *solver, double level, rv_density_card *out)
{
    rv_splat *s = (rv_splat *)solver;
    if (!s->card || !rv_grain_show(s, level, out)) return false;
    place_density(s, &out->grid);
    return true;
}

static bool columns_on_card(rv_solver *solver, rv_card_liquid *out)
{
    rv_splat *s = (rv_splat *)solver;
    return s->card && rv_grain_columns_there(s, out);
}

static rv_result density(const rv_solver *solver, rv_density *out)
{
    rv_splat *s = (rv_splat *)(uintptr_t)solver; // it is the first reader's to make
    rv_lock_take(&s->showing);
    make_density(s);
    rv_lock_give(&s->showing);
    place_density(s, out);
    out->value = s->density;
    if (s->grid.up < 0 && rv_splat_foams(s)) out->froth = s->froth;
    return s->trouble;
}

// The one of a level, or the one that may become it: not asked for yet, or longest ago.
static rv_splat_drawn *find_drawn(rv_splat *s, float level)
{
    rv_splat_drawn *oldest = NULL;
    for (rv_splat_drawn *d = s->drawn; d < s->drawn + RV_SPLAT_DRAWN; d++) {
        if (d->fresh && d->level == level) return d;
        bool sooner = !oldest || (oldest->fresh && (!d->fresh || d->asked < oldest->asked));
        if (sooner) oldest = d;
    }
    return oldest;
}

static rv_result make_drawn(rv_splat *s, float level, rv_splat_drawn **out)
{
    if (!s->density_fresh) forget_drawn(s);
    rv_splat_drawn *d = find_drawn(s, level);
    if (!d->value) d->value = rv_new(&s->allocator, grid_cells(s), sizeof *d->value);
    if (!d->value) return RV_OUT_OF_MEMORY;
    *out = d, d->asked = ++s->drawn_asked;
    if (d->fresh && d->level == level) return s->trouble;
    d->level = level;
    rv_splat_see(s), rv_splat_fetch(s), rv_splat_fill_drawn(s, d);
    s->density_fresh = d->fresh = s->froth_fresh = true;
    return s->trouble;
}

static rv_result drawn(const rv_solver *solver, double level, rv_density *out)
{
    rv_splat *s = (rv_splat *)(uintptr_t)solver; // as above
    rv_splat_drawn *d = NULL;
    if (!s->drawn[0].value || s->backend) return density(solver, out);
    rv_lock_take(&s->showing);
    rv_result r = make_drawn(s, (float)level, &d);
    rv_lock_give(&s->showing);
    place_density(s, out);
    out->value = d ? d->value : NULL;
    if (d && rv_splat_foams(s)) out->froth = s->froth;
    return r;
}

// Nothing is elsewhere without a backend; then only the views are made.
static rv_result fetch(rv_solver *solver, unsigned what)
{
    rv_splat *s = (rv_splat *)solver;
    rv_particles unread;
    double squares, place[3];
    rv_result r = RV_OK;
    if (what & RV_FETCH_PARTICLES) r = rv_splat_shown_now(s, &unread);
    if (what & RV_FETCH_DENSITY) make_density(s);
    if ((what & RV_FETCH_TOTALS) && !rv_splat_fetch_totals(s, &squares, place)) rv_splat_fetch(s);
    return r == RV_OK ? s->trouble : r;
}

static void view(const rv_solver *solver, rv_liquid *out)
{
    rv_splat *s = (rv_splat *)(uintptr_t)solver; // columns may be behind
    rv_lock_take(&s->showing);
    rv_splat_see(s);
    rv_lock_give(&s->showing);
    *out = (rv_liquid){.depth = s->depth, .flux_x = s->flux_x, .flux_y = s->flux_y};
}

static void velocity(const rv_solver *solver, size_t slot, float out[2])
{
    rv_splat *s = (rv_splat *)(uintptr_t)solver;
    rv_lock_take(&s->showing);
    rv_splat_see(s);
    rv_lock_give(&s->showing);
    float per = s->depth[slot] > 0.0f ? 1.0f / (s->depth[slot] * (float)s->dx) : 0.0f;
    out[0] = s->flux_x[slot] * per, out[1] = s->flux_y[slot] * per;
}

// ---- Terrain that changes -----------------------------------------------------------------------

static void rect_of(const rv_cell_change *changes, int count, rv_rect *out)
{
    *out = (rv_rect){INT32_MAX, INT32_MAX, 0, 0};
    for (int i = 0; i < count; i++)
        *out = rv_rect_join(
            *out, (rv_rect){changes[i].x, changes[i].y, changes[i].x + 1, changes[i].y + 1});
}

// What was owed to columns that went is owed to none: their slots are no part of a snapshot.
static void release_owed(rv_splat *s, const rv_cell_change *change)
{
    for (int l = change->after; l < s->columns->planes; l++) {
        const rv_plane *plane = &s->columns->plane[l];
        if (!rv_plane_has(plane, change->x, change->y)) continue;
        size_t slot = rv_slot(plane, change->x, change->y);
        double volume = (double)s->owed[slot] * s->dx * s->dx;
        if (volume > 0)
            s->clock.owed += volume;
        else
            s->clock.due -= volume;
        s->owed[slot] = 0.0f;
    }
}

// Particles are pushed out of what came; the depths of the columns follow from them.
static rv_result edited(rv_solver *solver, const rv_cell_change *changes, int count)
{
    rv_splat *s = (rv_splat *)solver;
    rv_rect cells;
    if (count == 0) return RV_OK;
    rect_of(changes, count, &cells);
    for (int i = 0; i < count; i++) release_owed(s, &changes[i]);
    int wide = s->law.reach + 2;
    rv_splat_fetch(s);
    rv_splat_read_solids(
        s, (rv_rect){cells.x0 - wide, cells.y0 - wide, cells.x1 + wide, cells.y1 + wide});
    rv_splat_use_solids(s);
    if (s->card) s->card->solids_fresh = false;
    for (int64_t i = 0; i < s->count && s->any_solid; i++)
        for (int again = 0; again < 4; again++) rv_splat_push_out(s, rv_splat_particle(s, i));
    s->sent = 0;
    rv_splat_send_solids(s);
    restored(solver); // what is owed is looked at in the next substep
    see_columns(s);
    return s->trouble;
}

static int within(double cells, int most)
{
    return (int)fmin(fmax(cells, 0), most);
}

// Distances are known as far as RV_SPLAT_FAR, and where the terrain ever changed only near solids:
// so they may be others that far from what changed, whether or not columns did.
static void reshaped(rv_solver *solver, const rv_box *box)
{
    rv_splat *s = (rv_splat *)solver;
    if (!s->terrain) return;
    const rv_params *p = &s->params;
    double west = p->grid_x - 0.5 * p->grid_nx * s->dx, wide = (double)RV_SPLAT_FAR + 2;
    double south = p->grid_y - 0.5 * p->grid_ny * s->dx;
    rv_splat_fetch(s);
    rv_splat_read_solids(s, (rv_rect){within((box->low.x - west) / s->dx - wide, p->grid_nx),
                                      within((box->low.y - south) / s->dx - wide, p->grid_ny),
                                      within((box->high.x - west) / s->dx + wide, p->grid_nx),
                                      within((box->high.y - south) / s->dx + wide, p->grid_ny)});
    rv_splat_use_solids(s);
    if (s->card) s->card->solids_fresh = false;
    s->shown.fresh = s->density_fresh = false;
    s->sent = 0;
    rv_splat_send_solids(s);
}

// Columns stand in other slots: what is by slot goes with them. A restored world may be laid out
// anew where the one that was saved need not be, and both must go on alike.
static rv_result relaid(rv_solver *solver, const rv_column_set *old)
{
    rv_splat *s = (rv_splat *)solver;
    const rv_column_set *set = s->columns;
    size_t slots = set->slots;
    float *fresh = rv_new(&s->allocator, slots * 4, sizeof *fresh);
    if (!fresh) return RV_OUT_OF_MEMORY;
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < old->planes; l++) {
            const rv_plane *from = &old->plane[l], *to = &set->plane[l];
            for (int y = from->y0; y < from->y0 + from->ny; y++)
                memcpy(fresh + (size_t)k * slots + rv_slot(to, from->x0, y),
                       s->columns_all + (size_t)k * old->slots + rv_slot(from, from->x0, y),
                       (size_t)from->nx * sizeof *fresh);
        }
    rv_free(&s->allocator, s->columns_all, old->slots * 4, sizeof *fresh);
    s->columns_all = fresh;
    s->depth = fresh, s->flux_x = fresh + slots, s->flux_y = fresh + 2 * slots;
    s->owed = fresh + 3 * slots;
    if (s->grid.up < 0) rv_splat_find_sky(s, (rv_rect){0, 0, s->grid.n[0], s->grid.n[1]});
    return RV_OK;
}

// ---- The tables ---------------------------------------------------------------------------------

static rv_solver_traits traits(const rv_params *p)
{
    bool height = p->splat_form == RV_SPLAT_HEIGHT;
    return (rv_solver_traits){
        .bodies = height && !is_narrow(p) ? RV_BODIES_NONE : RV_BODIES_INSIDE,
        .no_bodies = "particles as a height carry them with splat.method narrow only",
        .has_density = !height,
        .counts_vary = true,
        .in_plane = p->splat_form == RV_SPLAT_2D,
        .gets_buried = !height, // as a height they are lifted
    };
}

static rv_result keep(const rv_world_def *def, void **kept)
{
    *kept = (void *)(uintptr_t)def->backend; // the host's own
    return RV_OK;
}

static rv_result list(const rv_solver *solver, rv_particles *out)
{
    rv_splat *s = (rv_splat *)(uintptr_t)solver; // it is the first reader's to make
    rv_lock_take(&s->showing);
    rv_result r = rv_splat_shown_now(s, out);
    rv_lock_give(&s->showing);
    return r;
}

static double emit(rv_solver *solver, const rv_emitter_def *emitter, int number, double time,
                   double dt)
{
    return rv_splat_emit((rv_splat *)solver, emitter, number, time, dt);
}

static double take(rv_solver *solver, rv_vec3 from, rv_vec3 to, double volume)
{
    return rv_splat_take((rv_splat *)solver, from, to, volume);
}

static const rv_particles_api particles_api = {.list = list, .emit = emit, .resize = resize};

static const rv_bulk_api bulk_api = {
    .density = density,
    .drawn = drawn,
    .on_card = on_card,
    .columns_on_card = columns_on_card,
    .fetch = fetch,
    .launch = launch,
    .take = take,
    .carry = carry,
    .each = each,
    .trouble = trouble,
};

static const rv_ground_api ground_api = {.edited = edited, .relaid = relaid, .reshaped = reshaped};

static rv_growth grows(rv_solver *solver)
{
    const rv_splat *s = (const rv_splat *)solver;
    return s->backend ? RV_GROWS_ELSEWHERE : RV_GROWS;
}

const rv_solver_api rv_splat_api;
const rv_solver_api rv_splat_api = {
    .name = "splat",
    .particles = &particles_api,
    .bulk = &bulk_api,
    .ground = &ground_api,
    .traits = traits,
    .check = check,
    .keep = keep,
    .drop = rv_drop_nothing,
    .create = create,
    .destroy = release,
    .set_params = set_params,
    .substeps = substeps,
    .substep = substep,
    .grows = grows,
    .exchange = exchange,
    .changed = changed,
    .restored = restored,
    .stir = stir,
    .counters = counters,
    .measure = measure,
    .info = info,
    .fields = fields,
    .state_good = rv_splat_state_good,
    .view = view,
    .velocity = velocity,
};
