// What the world sees of the engine: its tables as solvers `pipes` and `swe`, which differ in their
// settings only. This is the one place where an rv_solver is known to be an rv_engine.
#include "base/map.h"
#include "columns/card/card.h"
#include "columns/tension.h"

// As it is: for what looks at no array of the state.
static rv_engine *bare(const rv_solver *solver)
{
    return (rv_engine *)(uintptr_t)solver;
}

// To be changed: on a card, its arrays are brought here first, and back before the next substep.
static rv_engine *own(rv_solver *solver)
{
    rv_engine *s = (rv_engine *)solver;
    rv_card_stale(s);
    return s;
}

// The same where columns or pipes become others.
static rv_engine *rebuilt(rv_solver *solver)
{
    rv_engine *s = (rv_engine *)solver;
    rv_card_stale_beds(s);
    return s;
}

// To be looked at: on a card, its arrays are brought here first.
static const rv_engine *seen(const rv_solver *solver)
{
    rv_engine *s = bare(solver);
    rv_card_pull(s);
    return s;
}

// ---- What all solvers have ----------------------------------------------------------------------

static bool check(const rv_params *params, const rv_world_def *def, rv_messages *messages)
{
    bool good = rv_solver_check_down(params, messages);
    if (def && def->affinity && !rv_map_is_good(def->affinity)) {
        rv_messages_add(messages, "affinity: an empty map");
        good = false;
    }
    return good;
}

static rv_solver_traits traits(const rv_params *params)
{
    bool flow = params->solver == RV_SOLVER_SWE || params->pipes_area == RV_AREA_WET;
    return (rv_solver_traits){.bodies = RV_BODIES_PRESS,
                              .has_layers = true,
                              .has_spray = true,
                              .has_tension =
                                  flow && params->tension_on && params->liquid_tension > 0.0};
}

static rv_result create(const rv_solver_setup *setup, rv_solver **out)
{
    rv_engine *made = NULL;
    rv_result r = rv_pipes_create(setup, &made);
    if (r == RV_OK) *out = (rv_solver *)made;
    return r;
}

static void destroy(rv_solver *solver)
{
    rv_pipes_destroy(bare(solver));
}

static void set_params(rv_solver *solver, const rv_params *params)
{
    rv_pipes_set_params(rebuilt(solver), params);
}

static int substeps(rv_solver *solver, double dt)
{
    return rv_pipes_substeps(bare(solver), dt);
}

static void substep(rv_solver *solver, double dt)
{
    rv_pipes_substep(bare(solver), dt);
}

static void exchange(rv_solver *solver, rv_entry *entries, int count)
{
    if (!rv_card_trade(bare(solver), entries, count))
        rv_pipes_exchange(own(solver), entries, count);
}

static void changed(rv_solver *solver)
{
    if (!rv_card_scan(bare(solver))) rv_pipes_changed(own(solver));
}

static void restored(rv_solver *solver)
{
    rv_engine *s = rebuilt(solver);
    const float deepest = s->told.deepest, pace = s->told.pace;
    rv_wetting_restored(s);
    rv_pipes_changed(own(solver));
    s->deepest = fmax(s->deepest, (double)deepest), s->pace = (double)pace;
}

static rv_growth grows(rv_solver *solver)
{
    return rv_pipes_grows(bare(solver));
}

static void stir(rv_solver *solver, const rv_solver_rod *rod)
{
    if (rv_card_stir(bare(solver), rod))
        changed(solver);
    else
        rv_pipes_stir(own(solver), rod);
}

static void counters(const rv_solver *solver, rv_solver_stats *out)
{
    rv_pipes_counters(bare(solver), out);
}

static void measure(const rv_solver *solver, rv_solver_stats *out)
{
    rv_pipes_measure(seen(solver), out);
}

static void info(const rv_solver *solver, rv_solver_info *out)
{
    rv_pipes_info(bare(solver), out);
}

static int fields(rv_solver *solver, rv_state_field *out)
{
    seen(solver);
    return rv_pipes_fields(bare(solver), out);
}

static bool state_good(const rv_solver *solver, const rv_saved_field *saved, int count)
{
    return rv_pipes_state_good(bare(solver), saved, count);
}

static void view(const rv_solver *solver, rv_liquid *out)
{
    rv_pipes_view(seen(solver), out);
}

static void velocity(const rv_solver *solver, size_t slot, float out[2])
{
    rv_pipes_velocity(seen(solver), slot, out);
}

// ---- Columns and ground
// --------------------------------------------------------------------------

static void press(rv_solver *solver, const float *head, rv_rect cells)
{
    rv_engine *s = bare(solver);
    bool wakes = s->tense && (head || s->press); // what is pressed on
    if (wakes && !rv_card_stirs(s, s->pressed, head ? cells : (rv_rect){0, 0, 0, 0})) own(solver);
    rv_pipes_press(s, head, cells);
    if (bare(solver)->card) bare(solver)->card->press_fresh = false;
}

static void falls(rv_solver *solver, double drop, rv_on_fall *each, void *user)
{
    // what is taken meanwhile goes through exchange()
    if (!rv_card_look_falls(bare(solver), drop)) seen(solver);
    rv_pipes_falls(bare(solver), drop, each, user);
}

static rv_result set_borders(rv_solver *solver, const rv_params *params)
{
    return rv_pipes_set_borders(rebuilt(solver), params);
}

static bool paint(rv_solver *solver, double x, double y, double radius, double affinity)
{
    return rv_wetting_paint(rebuilt(solver), x, y, radius, affinity);
}

static void rewet(rv_solver *solver, rv_rect cells)
{
    rv_wetting_changed(rebuilt(solver), cells);
}

static const uint8_t *affinity(const rv_solver *solver)
{
    return rv_wetting_affinity(seen(solver));
}

static rv_result edited(rv_solver *solver, const rv_cell_change *changes, int count)
{
    return rv_pipes_edited(rebuilt(solver), changes, count);
}

static rv_result relaid(rv_solver *solver, const rv_column_set *old)
{
    rv_engine *s = rebuilt(solver);
    if (s->card) s->card->press_known = false; // its heads stand by the old slots
    return rv_pipes_relaid(s, old);
}

static void view_of(rv_solver *solver, const size_t *slots, int count, rv_liquid *out)
{
    rv_engine *s = bare(solver);
    if (!rv_card_look(s, slots, count)) rv_card_pull(s);
    rv_pipes_view(s, out);
}

static void view_depths(rv_solver *solver, rv_liquid *out)
{
    rv_engine *s = bare(solver);
    if (!rv_card_look_depths(s)) rv_card_pull(s);
    rv_pipes_view(s, out);
}

static size_t row_first(const rv_solver *solver, const char *field, int y)
{
    return rv_pipes_row_first(bare(solver), field, y);
}

static rv_result keep_more(rv_solver *solver, const rv_column_set *old)
{
    return rv_pipes_keep_more(bare(solver), old);
}

static void ready(rv_solver *solver)
{
    rv_far_begin(bare(solver));
}

static rv_result trouble(rv_solver *solver)
{
    return rv_card_trouble(bare(solver));
}

static bool on_card(rv_solver *solver, rv_card_liquid *out)
{
    return rv_card_lend(bare(solver), out);
}

static void watch(rv_solver *solver, rv_card_watcher watcher)
{
    rv_card_watch(bare(solver), watcher);
}

static void fill(rv_solver *solver, rv_fill_row *more, const void *user)
{
    rv_pipes_fill(own(solver), more, user);
}

static bool later(rv_solver *solver, const rv_later *what)
{
    return rv_card_later_too(bare(solver), what);
}

static void settle(rv_solver *solver)
{
    rv_card_end_step(bare(solver));
}

static const rv_columns_api columns_api = {.press = press,
                                           .falls = falls,
                                           .set_borders = set_borders,
                                           .paint = paint,
                                           .rewet = rewet,
                                           .affinity = affinity,
                                           .view_of = view_of,
                                           .view_depths = view_depths,
                                           .row_first = row_first,
                                           .ready = ready,
                                           .keep_more = keep_more,
                                           .trouble = trouble,
                                           .on_card = on_card,
                                           .watch = watch,
                                           .fill = fill,
                                           .later = later,
                                           .settle = settle};
static const rv_ground_api ground_api = {.edited = edited, .relaid = relaid};

#define COLUMNS_API(word)                                                                          \
    {                                                                                              \
        .name = word, .columns = &columns_api, .ground = &ground_api, .traits = traits,            \
        .check = check, .keep = rv_keep_map, .drop = rv_drop_map, .create = create,                \
        .destroy = destroy, .set_params = set_params, .substeps = substeps, .substep = substep,    \
        .grows = grows, .exchange = exchange, .changed = changed, .restored = restored,            \
        .stir = stir, .counters = counters, .measure = measure, .info = info, .fields = fields,    \
        .state_good = state_good, .view = view, .velocity = velocity,                              \
    }

const rv_solver_api rv_pipes_api;
const rv_solver_api rv_pipes_api = COLUMNS_API("pipes");
const rv_solver_api rv_swe_api;
const rv_solver_api rv_swe_api = COLUMNS_API("swe");
