// The engine: making, stepping, changing, asking; for solver `pipes`
// (docs/pipes.md; pipes paper §3) and solver `swe` (docs/swe.md; pipes paper §7). They differ in
// their settings only: rv_pipes_settle and rv_pipes_set_law say which parameters mean what.
#include "columns/card/card.h"
#include "columns/joints.h"
#include "columns/tension.h"

#include <math.h>
#include <string.h>

void rv_pipes_destroy(rv_engine *s)
{
    rv_allocator allocator = s->allocator;
    rv_card_close(s);
    rv_passages_free(s);
    rv_pipes_free_edit(s);
    rv_pipes_release(s);
    rv_free(&allocator, s, 1, sizeof *s);
}

// ---- Settings -----------------------------------------------------------------------------------

static bool is_swe(const rv_engine *s)
{
    return s->params.solver == RV_SOLVER_SWE;
}

void rv_pipes_settle(rv_engine *s)
{
    const rv_params *p = &s->params;
    bool swe = is_swe(s);
    s->flow = swe || p->pipes_area == RV_AREA_WET;
    s->eight = !swe && p->pipes_neighbours == RV_NEIGHBOURS_EIGHT;
    s->carries = s->flow && !s->eight && (swe || p->pipes_momentum);
    s->traced = swe && p->swe_advection == RV_SWE_SEMI;
    s->timed = swe && p->swe_order == 2 && !s->traced;
    s->tense = rv_tension_is_on(s);
}

// Shares of the push (see joints.h), and the greatest share of it that a pattern of the grid's own
// size feels, over that of four neighbours: a chessboard, or stripes where the diagonals are
// strong.
static double set_shares(rv_engine *s)
{
    s->share_axial = 1.0, s->share_diagonal = 0.0;
    if (!s->eight) return 1.0;
    s->share_axial = s->flow ? 2.0 / 3.0 : 1.0, s->share_diagonal = s->flow ? 1.0 / 6.0 : sqrt(0.5);
    // beside gaps the wet pipes are as strong as those of four neighbours
    return s->flow ? 1.0 : 0.5 * s->share_axial + s->share_diagonal;
}

// What both laws have.
static void set_common(rv_engine *s, double dt)
{
    const rv_params *p = &s->params;
    double weight = p->liquid_density * rv_gravity_down(p); // Pa/m
    double quotient = is_swe(s) ? 0 : rv_quotient_of(p, weight);
    bool bound = quotient > 0 && !p->pipes_quotient_holds;
    set_shares(s);
    s->law = (rv_law){
        .share = (float)s->share_axial,
        .share_gap = s->flow ? (float)(0.5 * s->share_diagonal) : 0.0f,
        .quotient = (float)quotient,
        .steepest = bound ? (float)(1 / sqrt(3 * quotient)) : 1e30f,
        .dt_area = (float)(dt / (p->grid_dx * p->grid_dx)),
        .film = (float)p->pipes_film,
        .salt = rv_salt(s->clock.substeps),
        .fall = (float)(p->grid_dx * RV_FALL_TANGENT),
    };
}

// Gravity's horizontal parts, as a head from one cell to the next.
static void set_slant(rv_engine *s)
{
    const rv_params *p = &s->params;
    double down = rv_gravity_down(p);
    if (!(down > 0.0)) return;
    s->law.slant[0] = (float)(p->gravity.x / down * p->grid_dx);
    s->law.slant[1] = (float)(p->gravity.y / down * p->grid_dx);
}

static double share_kept(const rv_engine *s, double time)
{
    const rv_params *p = &s->params;
    if (is_swe(s)) return pow(p->swe_kept, time);
    return pow(p->pipes_kept, time) * pow(p->pipes_kept_step, time / p->time_step);
}

// Velocities go from the middle of the last substep to the middle of this one.
static void set_flow(rv_engine *s, double dt)
{
    const rv_params *p = &s->params;
    double dx = p->grid_dx, g = rv_gravity_down(p), last = (double)s->clock.last;
    double time = 0.5 * (last + dt), stiff = set_shares(s) * rv_pipe_reach(s);
    bool bends = rv_pipes_corrects_slopes(s), second = !is_swe(s) || p->swe_order == 2;
    rv_law *law = &s->law;
    law->push = (float)(time * g * rv_pipe_reach(s) / dx / (double)RV_SLOPE_ONE);
    law->kept = (float)share_kept(s, time);
    law->drag = (float)(3.0 * time * p->liquid_viscosity * (double)RV_SLOPE_ONE);
    law->film = rv_f_max(law->film, 1e-25f); // something to divide by
    law->carried = (float)(last / (dx * dx));
    law->lead = (float)(last / dx);
    law->courant = (float)(dt / dx);
    law->width = (float)dx;
    law->second = law->reach = second ? 0.5f : 0.0f;
    law->deepest = s->clipped && g > 0.0 ? (float)(dx * dx / (2.0 * g * dt * dt)) : 1e30f;
    law->fastest = (float)(dx / dt);
    law->bend = bends ? (float)(1.0 / ((double)RV_SLOPE_ONE * dx * dx)) : 0.0f;
    law->bend_side =
        bends ? (float)(0.25 / ((double)RV_SLOPE_ONE * (double)RV_RISE_ONE * dx)) : 0.0f;
    law->draw = bends ? (float)(1.0 / ((double)RV_RISE_ONE * (double)RV_RISE_ONE)) : 0.0f;
    law->draw_side = bends ? (float)(0.25 / ((double)RV_RISE_ONE * dx)) : 0.0f;
    law->gravity = (float)(2.0 * g * stiff);
}

static void set_cell(rv_engine *s, double dt)
{
    const rv_params *p = &s->params;
    double push = dt * rv_gravity_down(p) * rv_pipe_reach(s) / (double)RV_SLOPE_ONE;
    s->law.push = (float)(push * p->grid_dx);
    s->law.kept = (float)share_kept(s, dt);
    s->law.drag = (float)(3.0 * dt * p->liquid_viscosity * (double)RV_SLOPE_ONE);
}

void rv_pipes_set_law(rv_engine *s, double dt)
{
    set_common(s, dt);
    set_slant(s);
    if (s->flow)
        set_flow(s, dt);
    else
        set_cell(s, dt);
    if (s->tense) rv_tension_set_law(s, dt);
    s->law_diagonal = s->law;
    s->law_diagonal.share = (float)s->share_diagonal, s->law_diagonal.share_gap = 0.0f;
    s->law_diagonal.fall = s->law.fall * 1.41421356f;
    s->law_diagonal.bend = 0.5f * s->law.bend;
}

rv_result rv_pipes_create(const rv_solver_setup *setup, rv_engine **out)
{
    rv_engine *s = rv_new(setup->allocator, 1, sizeof *s);
    rv_cut *cut = setup->columns->grid.cut;
    if (cut ? rv_cut_any(cut, !s) : !s) {
        rv_free(setup->allocator, s, 1, sizeof *s);
        return RV_OUT_OF_MEMORY;
    }
    s->columns = setup->columns, s->params = *setup->params;
    s->terrain = setup->terrain, s->map = setup->kept;
    s->pool = setup->pool, s->allocator = *setup->allocator;
    s->loops = rv_loops_best();
    rv_pipes_settle(s);
    rv_pipes_set_law(s, s->params.time_step);
    rv_result result = rv_pipes_build(s);
    if (result != RV_OK) {
        rv_pipes_destroy(s);
        return result;
    }
    s->map = NULL;
    rv_pipes_set_law(s, s->params.time_step); // by the angles that were found
    rv_pipes_scan(s);
    if (setup->device) result = rv_card_open(s, setup->device, setup->messages);
    if (result != RV_OK) {
        rv_pipes_destroy(s);
        return result;
    }
    *out = s;
    return RV_OK;
}

// Velocities of the fluxes there are: law `flow` goes on from law `cell`.
static void take_speeds(rv_engine *s)
{
    const rv_column_set *c = s->columns;
    float dx = (float)s->params.grid_dx;
    for (uint32_t r = 0; r < s->row_count; r++)
        for (int way = 0; way < rv_ways(s); way++) {
            uint32_t step = (uint32_t)rv_way_step((rv_way)way, c->plane[s->row[r].plane].pitch);
            for (uint32_t i = s->row[r].first; i < s->row[r].first + s->row[r].count; i++) {
                float depth = rv_f_max(s->depth[i], s->slope[way][i] ? s->depth[i + step] : 0.0f);
                s->speed[way][i] = depth > s->law.film ? s->flux[way][i] / (dx * depth) : 0.0f;
            }
        }
    for (uint32_t i = 0; i < s->odd_count; i++) s->odd_speed[i] = 0.0f;
}

void rv_pipes_set_params(rv_engine *s, const rv_params *params)
{
    bool was_flow = s->flow, was_tense = s->tense, corrected = rv_pipes_corrects_slopes(s);
    s->params = *params;
    rv_pipes_settle(s);
    rv_pipes_set_law(s, s->params.time_step);
    if (rv_pipes_corrects_slopes(s) != corrected) {
        rv_pipes_build_slopes(s);
        for (uint32_t r = 0; r < s->row_count; r++) rv_pipes_set_kind(s, r);
    }
    if (s->flow && !was_flow) take_speeds(s);
    if (s->tense && !was_tense) {
        rv_tension_begin(s);
        rv_tension_survey_all(s);
    } else if (s->tense) {
        rv_tension_new_params(s);
    }
    if (s->tense) rv_pipes_set_law(s, s->params.time_step); // by the range of angles there is now
    rv_rest_stir_all(s);
    rv_bands_forget(s);
    rv_pipes_scan(s);
}

// ---- Steps --------------------------------------------------------------------------------------

// Substeps a second that the explicit step needs, with a share of the bound for safety: with law
// `cell` dt = dx √(l / (2 g A)) (docs/pipes-inside.md, Substeps), with law `flow` by waves and
// flow.
static double rate_of(rv_engine *s)
{
    const rv_params *p = &s->params;
    if (s->flow) return s->pace / (p->grid_dx * p->time_safety);
    double stiff = 2.0 * set_shares(s) * rv_pipe_reach(s);
    return sqrt(stiff * rv_gravity_down(p) * p->grid_dx) / (p->grid_dx * p->time_safety);
}

int rv_pipes_substeps(rv_engine *s, double dt)
{
    const rv_params *p = &s->params;
    rv_card_begin_step(s);
    rv_far_begin(s);
    rv_rest_begin(s);
    double count = rv_substeps_wanted(&s->clock.rate, rate_of(s), dt);
    s->clipped = count > p->time_substeps_max;
    if (s->clipped) {
        s->totals.clipped++;
        count = p->time_substeps_max;
    }
    s->totals.substeps = count > 1.0 ? (int)count : 1;
    s->totals.iterations = 0;
    s->substeps_left = s->totals.substeps;
    return s->totals.substeps;
}

// Even all neighbours' liquid together cannot lift a column to the lid, and what comes through a
// border finds room.
bool rv_pipes_lid_near(const rv_engine *s)
{
    double most = (s->eight ? 9.0 : 5.0) * s->deepest;
    bool level = false;
    for (int side = 0; side < 4; side++)
        level |= rv_pipes_border(s, (rv_side)side) == RV_BORDER_LEVEL;
    return (double)s->highest_base + most >= s->params.grid_top || level;
}

// What stands at a pipe is at most the higher level and half of the bed's step, which is under a
// cell where there is no fall (rv_flow_depth).
bool rv_pipes_lid_touched(const rv_engine *s)
{
    return (double)s->highest_base + s->deepest + s->params.grid_dx >= s->params.grid_top;
}

// Everything is dry or sleeps.
static bool is_quiet(const rv_engine *s)
{
    uint64_t awake = s->far ? 1 : 0; // other ranks may have something to ask in a sweep
    for (uint32_t r = 0; r < s->row_count; r++) awake |= s->awake[r];
    return awake == 0;
}

static void stop_odd(rv_engine *s)
{
    for (uint32_t i = 0; i < s->odd_count; i++) s->odd_flux[i] = s->odd_speed[i] = 0.0f;
}

void rv_pipes_advance(rv_engine *s, double dt)
{
    rv_card_hear(s);
    rv_pipes_set_law(s, dt);
    s->dt = dt;
    bool once = true;
    if (s->card) {
        once = rv_card_advance(s);
    } else {
        rv_pipes_wake(s);
        rv_busy_find(s);
        if (s->tense && is_quiet(s))
            stop_odd(s);
        else
            rv_pipes_sweep(s);
    }
    if (once) s->clock.substeps++, s->clock.last = (float)dt;
    rv_far_swept(s);
    rv_card_check(s);
}

#define PARTS_MOST 64 // of a substep in which the liquid became faster

static int parts_of(const rv_engine *s, double dt)
{
    double parts = s->flow && !s->clipped ? ceil(dt * s->pace / s->params.grid_dx) : 1.0;
    return parts > 1.0 ? (int)fmin(parts, PARTS_MOST) : 1;
}

// A step's substeps are counted when it begins; where the liquid becomes faster on the way, or
// liquid that slept wakes, a substep is divided again. While a card has not told yet how fast it
// is, it is asked for a whole one, which it leaves out if it is too fast.
void rv_pipes_parts(rv_engine *s, double dt)
{
    rv_card_hear(s);
    int n = rv_card_is_ahead(s) || rv_card_goes_on(s) ? 1 : parts_of(s, dt);
    if (s->card) s->card->divided = n > 1;
    for (int i = 0; i < n; i++) {
        if (i > 0) rv_far_begin(s);
        if (i > 0 && rv_rest_rouse(s)) dt *= (double)(n - i) / n, n = parts_of(s, dt), i = 0;
        rv_pipes_advance(s, dt / n);
    }
    if (s->card) s->card->divided = false;
}

void rv_pipes_substep(rv_engine *s, double dt)
{
    s->span = dt;
    rv_far_begin(s);
    rv_rest_rouse(s);
    rv_pipes_parts(s, dt);
    if (--s->substeps_left > 0) return;
    if (s->eight) rv_card_pull(s);
    if (s->eight) rv_pipes_see(s);
    rv_rest_count(s);
}

void rv_pipes_changed(rv_engine *s)
{
    rv_far_stale(s);
    rv_pipes_scan(s);
    if (s->eight) rv_pipes_see(s);
}

void rv_pipes_press(rv_engine *s, const float *head, rv_rect cells)
{
    rv_rest_stir_cells(s, s->pressed);
    s->press = head, s->pressed = head ? cells : (rv_rect){0, 0, 0, 0};
    rv_rest_stir_cells(s, s->pressed);
}

// ---- What there is ------------------------------------------------------------------------------

void rv_pipes_info(const rv_engine *s, rv_solver_info *out)
{
    out->pipes = s->pipe_count;
    out->odd = 0;
    for (uint32_t i = 0; i < s->odd_count; i++) out->odd += s->odd[i].b != RV_NO_SLOT;
    out->bytes = sizeof *s + rv_pipes_bytes(s) + rv_bands_bytes(s) + rv_passages_bytes(s) +
                 rv_tension_bytes(s) + rv_pipes_edit_bytes(s);
    out->instructions = s->loops.rows->name;
}

static rv_state_field affinity_field(rv_engine *s)
{
    return (rv_state_field){"affinity", s->tension->affinity,
                            rv_pipes_row_first(s, "affinity", rv_grid_kept(&s->columns->grid).to),
                            1, false};
}

size_t rv_pipes_row_first(const rv_engine *s, const char *field, int y)
{
    const rv_grid *g = &s->columns->grid;
    if (strncmp(field, "odd_", 4) == 0) return s->odd_row[y];
    if (strcmp(field, "affinity") != 0) return SIZE_MAX;
    return (size_t)(y - rv_grid_kept(g).from) * (size_t)g->nx;
}

// What is saved as told; several may hash and save at once. With a cut a rank knows of its own rows
// until the next substep, and what is saved is the same on all.
static void tell(rv_engine *s)
{
    double most[2] = {s->deepest, s->pace};
    if (s->far) rv_cut_greatest(s->columns->grid.cut, most, 2);
    const float told[2] = {(float)most[0], (float)most[1]};
    rv_lock_take(&s->telling);
    if (memcmp(&s->told, told, sizeof told) != 0) memcpy(&s->told, told, sizeof told);
    rv_lock_give(&s->telling);
}

int rv_pipes_fields(rv_engine *s, rv_state_field *out)
{
    static const char *const flux[] = {"flux_x", "flux_y", "flux_ne", "flux_nw"};
    static const char *const speed[] = {"speed_x", "speed_y", "speed_ne", "speed_nw"};
    size_t n = s->slots;
    int count = 0, ways = rv_ways(s);
    out[count++] = (rv_state_field){"depth", s->depth, n, 4, true};
    for (int way = 0; way < ways; way++)
        out[count++] = (rv_state_field){flux[way], s->flux[way], n, 4, true};
    out[count++] = (rv_state_field){"head", s->head, n, 4, true};
    out[count++] = (rv_state_field){"full", s->full, n, 1, true};
    out[count++] = (rv_state_field){"odd_flux", s->odd_flux, s->odd_count, 4, false};
    for (int way = 0; s->flow && way < ways; way++)
        out[count++] = (rv_state_field){speed[way], s->speed[way], n, 4, true};
    if (s->flow) out[count++] = (rv_state_field){"odd_speed", s->odd_speed, s->odd_count, 4, false};
    if (s->tense) out[count++] = (rv_state_field){"wetted", s->tension->wetted, n, 4, true};
    if (s->tense) out[count++] = (rv_state_field){"rest", s->tension->rest, n, 1, true};
    if (s->tense && rv_wetting_affinity(s)) out[count++] = affinity_field(s);
    size_t clock = s->flow ? sizeof s->clock / 4 : 2; // law `cell` knows no last substep
    out[count++] = (rv_state_field){"clock", &s->clock, clock, 4, false};
    tell(s);
    out[count++] = (rv_state_field){"~told", &s->told, 2, 4, false};
    return count;
}

// Limits beyond what liquid on the grid does; what is no number is beyond them too.
bool rv_pipes_state_good(const rv_engine *s, const rv_saved_field *saved, int count)
{
    const rv_grid *g = &s->columns->grid;
    const struct {
        const char *begins;
        double low, high; // m, m³/s, m/s
    } numbers[] = {{"depth", 0, 2 * (g->top - g->bottom)},
                   {"flux_", -1e15, 1e15},
                   {"odd_flux", -1e15, 1e15},
                   {"head", -1e9, 1e9},
                   {"speed_", -1e6, 1e6},
                   {"odd_speed", -1e6, 1e6},
                   {"wetted", 0, 1},
                   {"~told", 0, 1e9}};
    for (const rv_saved_field *f = saved; f < saved + count; f++) {
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            if (strncmp(f->name, numbers[k].begins, strlen(numbers[k].begins)) == 0 &&
                !rv_saved_within(f, numbers[k].low, numbers[k].high))
                return false;
        if (strcmp(f->name, "full") == 0 && !rv_saved_below(f, 1)) return false;
        if (strcmp(f->name, "affinity") == 0 && !rv_saved_below(f, 254)) return false;
        rv_saved_field times = {f->name, f->from + 4, f->count - 1}; // after the count of substeps
        if (strcmp(f->name, "clock") == 0 && !rv_saved_within(&times, 0, 1e9)) return false;
    }
    return true;
}

void rv_pipes_view(const rv_engine *s, rv_liquid *out)
{
    const rv_params *p = &s->params;
    bool wet = p->pipes_area == RV_AREA_WET;
    *out = (rv_liquid){.depth = s->depth,
                       .head = s->head,
                       .full = s->full,
                       .film = p->pipes_film,
                       .eight = wet && p->pipes_neighbours == RV_NEIGHBOURS_EIGHT,
                       .waves = wet,
                       .flux_x = s->eight ? s->seen_x : s->flux[RV_WAY_X],
                       .flux_y = s->eight ? s->seen_y : s->flux[RV_WAY_Y]};
    if (s->flow) out->speed_x = s->speed[RV_WAY_X], out->speed_y = s->speed[RV_WAY_Y];
}
