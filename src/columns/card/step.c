// A substep on the card: the passes of sweep.c as kernels, each over the whole grid.
#include "columns/card/card.h"

#include "columns/joints.h"
#include "columns/tension.h"

#include <math.h>
#include <string.h>

// ---- Constants ----------------------------------------------------------------------------------

void rv_card_fill_law(const rv_engine *s, rv_card_constants *c)
{
    const rv_law *l = &s->law;
    c->push = l->push, c->share = l->share, c->share_gap = l->share_gap, c->kept = l->kept;
    c->drag = l->drag, c->dt_area = l->dt_area, c->film = l->film, c->fall = l->fall;
    c->quotient = l->quotient, c->steepest = l->steepest, c->carried = l->carried,
    c->lead = l->lead;
    c->courant = l->courant, c->width = l->width, c->second = l->second, c->reach = l->reach;
    c->deepest = l->deepest, c->fastest = l->fastest, c->bend = l->bend;
    c->bend_side = l->bend_side, c->gravity = l->gravity;
    c->slant_x = l->slant[0], c->slant_y = l->slant[1];
    c->diagonal_share = s->law_diagonal.share, c->diagonal_fall = s->law_diagonal.fall;
    c->turned = l->reach * l->courant, c->salt = l->salt;
    c->top = (float)s->columns->grid.top;
}

// Where bits stand.
void rv_card_fill_places(const rv_engine *s, rv_card_constants *c)
{
    uint32_t pairs = 2 * s->row_count;
    c->wet_at = pairs * rv_card_wet_place(s->card, 0);
    c->next_at = pairs * rv_card_wet_place(s->card, 1);
    c->clear_at = pairs * rv_card_wet_place(s->card, 2);
    c->awake_at = pairs * rv_card_awake_place(s->card, 0);
    c->before_at = pairs * rv_card_awake_place(s->card, 1);
}

// Of the substep that is the k-th to be looked at.
void rv_card_set_constants(rv_engine *s, int k)
{
    rv_card_flush(s);
    rv_card_constants *c = &s->card->constants;
    rv_card_fill_law(s, c);
    rv_card_fill_places(s, c);
    c->status_at = RV_STATUS_WORDS * (uint32_t)k, c->count = (uint32_t)k;
    if (s->tense) rv_card_set_tension(s, c);
    if (rv_card_has_full(s)) rv_card_fill_full(s, c);
}

// ---- Which kernels ------------------------------------------------------------------------------

static bool is_slanted(const rv_engine *s)
{
    return s->law.slant[0] != 0.0f || s->law.slant[1] != 0.0f;
}

// What the pipes of all rows want; a loop for more gives the same bits as one for less.
unsigned rv_card_flux_ease(const rv_engine *s)
{
    bool special = s->eight || s->law.quotient > 0.0f || is_slanted(s) || s->press;
    unsigned ease = (s->eight ? RV_EASE_EIGHT : 0) | (s->press ? RV_EASE_PRESSED : 0);
    if (!s->flow) return ease | (special ? 0 : RV_EASE_PLAIN);
    int kind = special || s->clipped || s->lid_touched ? RV_FLOW_HARD : RV_FLOW_LEVEL;
    for (uint32_t r = 0; r < s->row_count; r++)
        kind = s->row[r].kind > kind ? s->row[r].kind : kind;
    ease |= RV_EASE_FLOW | (s->tense ? RV_EASE_TENSE : 0);
    if (kind != RV_FLOW_LEVEL || s->tense) ease |= RV_EASE_TILTED;
    if (kind == RV_FLOW_HARD) ease |= RV_EASE_HARD;
    if (s->carries) ease |= s->traced ? RV_EASE_TRACED : RV_EASE_CARRIES;
    return ease | (s->timed ? RV_EASE_TIMED : 0);
}

unsigned rv_card_common_ease(const rv_engine *s)
{
    return (s->flow ? RV_EASE_FLOW : 0) | (s->eight ? RV_EASE_EIGHT : 0) |
           (s->odd_count > 0 ? RV_EASE_ODD : 0) | (s->tense ? RV_EASE_TENSE : 0);
}

// ---- Calls --------------------------------------------------------------------------------------

// Whether a kernel leaves depths and fluxes as they are.
static bool only_looks(const char *name)
{
    static const char *const names[] = {"gather", "look", "pick", "rest", "restless"};
    bool found = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        found = found || strcmp(name, names[k]) == 0;
    return found;
}

// Kernels that do nothing in a substep that is left out.
static bool may_halt(const char *name)
{
    static const char *const names[] = {
        "awake", "calm", "calm_all", "cell",  "ends",  "finish", "flow",    "heads",     "later",
        "level", "odd",  "patch",    "rouse", "scale", "seam",   "several", "whole_flow"};
    bool found = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        found = found || strcmp(name, names[k]) == 0;
    return found;
}

static void call(rv_engine *s, const char *name, unsigned ease, uint32_t x, uint32_t y, uint32_t z)
{
    rv_card *c = s->card;
    if (c->trouble != RV_OK) return;
    rv_device_kernel *kernel = rv_card_kernel_for(s, name, ease);
    if (!kernel || (c->making && !may_halt(name))) return;
    if (c->making) { // drivers bring a kernel to the card when it is first called
        x = y = z = 1;
        c->constants.last_at = 0, c->constants.status_at = RV_STATUS_WORDS;
    }
    if (strcmp(name, "gather") != 0) c->rested_fresh = false;
    if (!only_looks(name)) c->version++;
    rv_card_forget_state(s);
    rv_device_buffer *buffers[RV_CARD_BINDINGS];
    memcpy(buffers, c->buffer, sizeof buffers);
    if (ease & RV_EASE_TWIN) buffers[RV_AT_SCALES] = c->twin;
    if (ease & RV_EASE_PASSAGES) buffers[RV_CARD_BINDINGS - 1] = c->buffer[RV_AT_FULL];
    rv_device_call what = {.kernel = kernel,
                           .buffers = buffers,
                           .buffer_count = RV_CARD_BINDINGS,
                           .constants = &c->constants,
                           .constant_bytes = sizeof c->constants,
                           .groups = {x, y, z}};
    rv_result result = c->device->dispatch(c->device->user, &what);
    if (result != RV_OK) rv_card_fail(s, result);
}

void rv_card_call_grid(rv_engine *s, const char *name, unsigned ease, const uint32_t groups[3])
{
    call(s, name, ease, groups[0], groups[1], groups[2]);
}

static void call_grid(rv_engine *s, const char *name, unsigned ease)
{
    call(s, name, ease, s->card->groups[0], s->card->groups[1], s->card->groups[2]);
}

void rv_card_call_all(rv_engine *s, const char *name, unsigned ease)
{
    rv_card_set_constants(s, (int)s->card->told_at);
    s->card->constants.awake_at = s->card->constants.before_at; // in the last one
    call_grid(s, name, ease);
}

// After the last substep that was asked for, if that was done.
void rv_card_call_after(rv_engine *s, const char *name, unsigned ease, const uint32_t groups[3])
{
    rv_card *c = s->card;
    const rv_card_ahead *last = rv_card_last(c);
    if (last && last->parted) ease |= RV_EASE_PARTED;
    rv_card_set_constants(s, c->ahead_count > 0 ? c->ahead_count - 1 : (int)c->told_at);
    s->card->constants.awake_at = s->card->constants.before_at; // in the last one
    rv_card_call_grid(s, name, ease, groups);
}

void rv_card_call_few(rv_engine *s, const char *name, unsigned ease, uint32_t count)
{
    rv_card_set_constants(s, (int)s->card->told_at);
    s->card->constants.count = count;
    call(s, name, ease, (count + 63) / 64, 1, 1);
}

void rv_card_call_listed(rv_engine *s, bool cut, rv_card_block block)
{
    uint32_t groups[3];
    rv_card_add_listed(s->card->groups, block.count, groups);
    rv_card_set_constants(s, 0);
    s->card->constants.count = block.count;
    s->card->constants.list_at = RV_WORDS_AT + block.at;
    rv_card_call_grid(s, "listed", cut ? RV_EASE_LIMITED : 0, groups);
}

static void swap(rv_device_buffer **a, rv_device_buffer **b)
{
    rv_device_buffer *c = *a;
    *a = *b, *b = c;
}

// ---- Passages -----------------------------------------------------------------------------------

// Whether passages may have a say in this substep: they are the processor's, see docs/card.md.
static bool has_passages(const rv_engine *s)
{
    bool full = rv_passages_active(s) || s->card->full;
    if (!s->has_ceilings || s->params.pipes_passages == RV_PASSAGES_NONE) return false;
    for (uint32_t r = 0; !full && r < s->row_count; r++) full = s->row_full[r];
    return full;
}

// Shares of inflow where a ceiling is in reach depend on each other (scales.c). The engine works
// them out; here for so many columns that they are better brought all.
void rv_card_relax_all(rv_engine *s)
{
    rv_card *c = s->card;
    size_t slot = s->slots * sizeof(float), odd = s->odd_count * sizeof(float);
    for (int way = 0; way < rv_ways(s); way++)
        rv_card_fetch(s, RV_AT_NEW_FLUX, (size_t)way * slot, s->flux[way], slot);
    rv_card_fetch(s, RV_AT_ODD_FLOW, rv_card_raw_odd(s) * sizeof(float), s->odd_flux, odd);
    rv_card_fetch(s, RV_AT_DEPTH, 0, s->depth, slot);
    rv_card_fetch(s, RV_AT_SCALES, 0, s->out_scale, slot);
    rv_card_fetch(s, RV_AT_SCALES, slot, s->in_scale, slot);
    rv_card_take_bits(s, rv_card_awake_place(c, 0), s->awake);
    rv_busy_forget(s);
    rv_busy_find(s);
    memset(s->row_cut, RV_CUT_IN, s->row_count);
    if (c->trouble != RV_OK) return;
    rv_pipes_relax_scales(s);
    rv_card_send(s, RV_AT_SCALES, slot, s->in_scale, slot);
}

// Fills in what the engine knows of its rows, which the card does not tell.
void rv_card_look_at_rows(rv_engine *s)
{
    if (s->card->rows_fresh) return;
    for (uint32_t r = 0; r < s->row_count; r++) rv_pipes_look(s, r);
    rv_busy_forget(s);
    s->card->rows_fresh = true;
}

static void advance_here(rv_engine *s)
{
    rv_card_stale(s);
    if (s->card) rv_card_look_at_rows(s);
    if (s->card) s->card->full = false;
    s->totals.on_cpu++;
    rv_pipes_wake(s);
    rv_busy_find(s);
    rv_pipes_sweep(s);
}

// ---- One substep --------------------------------------------------------------------------------

typedef struct eases {
    unsigned flux, odd, common, parted, limited;
    unsigned passing;        // passages are the card's
    uint32_t pipes, columns; // groups
} eases;

static eases eases_of(const rv_engine *s)
{
    unsigned flux = rv_card_flux_ease(s);
    return (eases){.flux = flux,
                   .odd = flux & (RV_EASE_FLOW | RV_EASE_PLAIN | RV_EASE_PRESSED | RV_EASE_CARRIES |
                                  RV_EASE_TENSE),
                   .common = rv_card_common_ease(s),
                   .parted = s->parted ? RV_EASE_PARTED : 0,
                   .limited = s->parted ? RV_EASE_LIMITED : 0,
                   .passing = s->card->passing ? RV_EASE_PASSAGES : 0,
                   .pipes = (s->odd_count + 63) / 64,
                   .columns = (s->odd_column_count + 63) / 64};
}

// Which blocks work, and heads.
static void call_awake(rv_engine *s, eases e)
{
    unsigned ease = e.common & (RV_EASE_ODD | RV_EASE_TENSE);
    uint32_t most = 8 * s->row_count; // threads
    if (s->tense && s->odd_column_count > most) most = s->odd_column_count;
    if (!s->card->at_once) call(s, "awake", ease, (most + 63) / 64, 1, 1); // else the next does it
    if (e.pipes && !s->card->odd_kept) call(s, "odd_keep", 0, e.pipes, 1, 1);
    s->card->odd_kept = true;
    if (s->tense) rv_card_call_heads(s, e.common);
}

// Groups of 256 threads, and planes of them after the last for a list.
void rv_card_add_listed(const uint32_t groups[3], uint32_t count, uint32_t out[3])
{
    uint32_t threads = 256 * groups[0] * groups[1];
    out[0] = groups[0], out[1] = groups[1];
    out[2] = groups[2] + (threads ? (count + threads - 1) / threads : 0);
}

// Of pipes that carry momentum; where there are few columns odd ones are worked out beside them,
// with a loop that is hard enough for these.
static void call_flow(rv_engine *s, eases e)
{
    unsigned first = s->tense ? 0 : RV_EASE_STOPS | (s->card->at_once ? RV_EASE_WAKES : 0);
    bool both = e.pipes && rv_card_is_small(s);
    unsigned odd = both ? RV_EASE_ODD | RV_EASE_HARD | RV_EASE_TILTED : 0;
    if (!rv_card_is_small(s)) first |= RV_EASE_MANY;
    uint32_t groups[3];
    rv_card_add_listed(s->card->tiles, both ? s->odd_count : 0, groups);
    rv_card_call_grid(s, "flow", e.flux | first | odd, groups);
    if (!e.pipes || both) return;
    call(s, "odd", e.odd, e.pipes, 1, 1);
    if (e.flux & RV_EASE_CARRIES)
        call(s, "seam", e.flux & (RV_EASE_PRESSED | RV_EASE_TENSE), e.columns, 1, 1);
}

static void call_fluxes(rv_engine *s, eases e)
{
    if (s->card->whole) return; // it is done at once with the depths
    if (s->flow) {
        call_flow(s, e);
    } else {
        call_grid(s, "cell", e.flux);
        if (e.pipes) call(s, "odd", e.odd, e.pipes, 1, 1);
    }
}

static void call_scales(rv_engine *s, eases e)
{
    if (s->card->at_once) return;
    call_grid(s, "scale",
              (e.common & ~(unsigned)(RV_EASE_FLOW | RV_EASE_TENSE)) | e.limited | e.passing |
                  (rv_card_is_small(s) ? 0 : RV_EASE_MANY));
}

// Shares and depths at once; where that is better fluxes too. Of law `cell` see several.c.
static void call_at_once(rv_engine *s, eases e)
{
    bool whole = s->card->whole;
    unsigned ease = (whole ? e.flux : e.common) | RV_EASE_TWIN;
    if (whole && !s->tense) ease |= RV_EASE_WAKES;
    rv_card_call_grid(s, whole ? "whole_flow" : "finish", ease, s->card->tiles);
    if (s->tense && s->tension->sleeping) rv_card_call_rouse(s, e.common);
}

// Scaled fluxes and new depths; odd pipes beside the columns.
static void call_level(rv_engine *s, eases e)
{
    uint32_t groups[3];
    rv_card_add_listed(s->card->groups, s->odd_count, groups);
    unsigned full = (s->has_ceilings ? RV_EASE_CEILINGS : 0) | e.passing;
    rv_card_call_grid(s, "level", e.common | e.parted | full, groups);
}

static void call_levels(rv_engine *s, eases e)
{
    if (s->card->at_once) {
        call_at_once(s, e);
        return;
    }
    call_level(s, e);
    if (s->tense && s->tension->sleeping) rv_card_call_rouse(s, e.common | e.parted);
}

// The same in parts: fluxes that are scaled may be changed before depths are.
static void call_settle(rv_engine *s, eases e)
{
    if (e.pipes) call(s, "odd_finish", e.parted, e.pipes, 1, 1);
    call_grid(s, "settle", (e.common & RV_EASE_EIGHT) | e.parted);
}

static void call_settled(rv_engine *s, eases e)
{
    unsigned full = (s->has_ceilings ? RV_EASE_CEILINGS : 0) | e.passing;
    if (e.passing && s->params.pipes_passages == RV_PASSAGES_UNIFIED) full |= RV_EASE_KEEPS;
    call_grid(s, "level", e.common | e.parted | full | RV_EASE_SETTLED);
    if (s->parted && s->flow) call_grid(s, "stop", (e.common & RV_EASE_EIGHT) | e.parted);
}

void rv_card_call_levels(rv_engine *s)
{
    call_levels(s, eases_of(s));
}

// What was new is what there is; or `back`, so many times.
void rv_card_turn(rv_engine *s, int times, bool back)
{
    rv_card *c = s->card;
    c->version++;
    c->turns = (c->turns + (uint32_t)(back ? 6 * RV_AHEAD - times : times)) % 6;
    if (times % 2 == 0) return;
    if (!c->speeds_stay) swap(&c->buffer[RV_AT_SPEED], &c->buffer[RV_AT_NEW_SPEED]);
    if (c->at_once) swap(&c->buffer[RV_AT_DEPTH], &c->twin);
    if (c->whole) swap(&c->buffer[RV_AT_FLUX], &c->buffer[RV_AT_NEW_FLUX]);
}

// Whether fluxes are too: a kernel that carries momentum needs more room than every card has.
static bool works_at_once(const rv_engine *s)
{
    const rv_card *c = s->card;
    return c->at_once && (!s->flow || (rv_card_is_small(s) && c->device->group_bytes >= 32768));
}

// Whether shares and depths are found at once; then the other buffer has what does not change.
static void choose_way(rv_engine *s)
{
    rv_card *c = s->card;
    c->at_once = c->twin && !s->parted, c->whole = works_at_once(s);
    if (!c->at_once) c->twin_fresh = false;
    if (!c->at_once || c->twin_fresh || c->trouble != RV_OK) return;
    rv_result result = c->device->copy(c->device->user, c->buffer[RV_AT_DEPTH], 0, c->twin, 0,
                                       s->slots * sizeof(float));
    if (result != RV_OK) rv_card_fail(s, result);
    c->twin_fresh = true;
}

// No column that is less deep can bring the lid into reach.
static float deep_most(const rv_engine *s)
{
    double room = s->params.grid_top - (double)s->highest_base;
    double most = fmin(room / (s->eight ? 9.0 : 5.0), room - s->params.grid_dx);
    float deep = s->lid_near ? 3e38f : (float)fmax(0.999 * most, 0.0);
    return s->tense ? rv_f_min(deep, rv_card_calm_most(s)) : deep;
}

// The fastest pace at which a substep need not be divided, as parts_of in columns.c has it.
static float pace_most(const rv_engine *s)
{
    double dx = s->params.grid_dx;
    if (!s->flow || s->clipped || s->card->divided) return 3e38f;
    float most = (float)(dx / s->dt);
    for (int k = 0; k < 8 && s->dt * (double)most / dx > 1.0; k++) most = nextafterf(most, 0.0f);
    return most;
}

bool rv_card_begin_substep(rv_engine *s)
{
    s->lid_near = rv_pipes_lid_near(s), s->lid_touched = rv_pipes_lid_touched(s);
    s->parted = s->has_ceilings || s->lid_near;
    s->totals.passages = 0;
    if (!rv_card_push(s)) return false;
    rv_card_forget_few(s); // what was looked at is of before
    if (s->card->ahead_count == 0) choose_way(s);
    s->card->speeds_stay = s->parted && s->flow;
    return true;
}

// The arrays here are behind.
static void leave_behind(rv_engine *s)
{
    s->card->host_fresh = s->card->rows_fresh = false;
    s->card->odd_speed_fresh = false;
    s->card->odd_fresh = s->card->wet_fresh = s->card->depths_fresh = false;
    s->card->few_turned = true;
    memset(s->row_full, 0, s->row_count); // from now on what is told by hand
    memset(s->row_most, 0, s->row_count * sizeof *s->row_most);
    memset(s->row_pace, 0, s->row_count * sizeof *s->row_pace);
}

void rv_card_end_substep(rv_engine *s)
{
    rv_card_turn(s, 1, false);
    leave_behind(s);
}

// It will be asked for with those that come after it.
static void advance_later(rv_engine *s)
{
    rv_card_constants *c = &s->card->constants;
    c->pace_most = 3e38f, c->deep_most = deep_most(s);
    rv_card_wait(s);
    leave_behind(s);
}

// A substep in which passages may have a say, whoever can do it.
static bool advance_passages(rv_engine *s)
{
    double dt = s->dt;
    rv_card_flooded how = rv_card_advance_flooded(s);
    if (how == RV_FLOODED_NOT) advance_here(s);
    if (how == RV_FLOODED_AGAIN && s->card) rv_pipes_parts(s, dt);
    return how != RV_FLOODED_AGAIN || !s->card;
}

#define FOLLOWS_FLOODED 0x40000000u // as kernels/halted.glsl has it

// The kernels of a substep; between them those of passages, if these are the card's.
static void call_all(rv_engine *s)
{
    eases e = eases_of(s);
    bool passing = s->card->passing, plain = !passing || rv_card_leaves_fluxes(s);
    call_awake(s, e);
    if (passing) rv_card_call_full(s, RV_FULL_LISTS);
    call_fluxes(s, e);
    if (passing) rv_card_call_full(s, RV_FULL_HEADS);
    call_scales(s, e);
    if (passing) rv_card_call_full(s, RV_FULL_SHARES);
    if (plain) {
        call_levels(s, e);
    } else {
        call_settle(s, e);
        if (s->params.pipes_passages != RV_PASSAGES_PRESSURE) rv_card_call_full(s, RV_FULL_LAST);
        call_settled(s, e);
        if (s->tense && s->tension->sleeping) rv_card_call_rouse(s, e.common | e.parted);
    }
    rv_card_end_substep(s);
    if (passing) rv_card_call_full(s, RV_FULL_END);
}

bool rv_card_advance(rv_engine *s)
{
    rv_card *c = s->card;
    if (!rv_card_is_ahead(s) && has_passages(s)) {
        if (!rv_card_choose_passing(s)) return advance_passages(s);
    } else if (!rv_card_is_ahead(s)) {
        c->passing = false;
    }
    if (!rv_card_begin_substep(s)) return true;
    if (c->passing && !rv_card_leaves_fluxes(s)) c->speeds_stay = false;
    int k = c->ahead_count++;
    c->ahead[k] = (rv_card_ahead){.dt = s->dt,
                                  .span = s->span,
                                  .substeps = s->clock.substeps,
                                  .last = s->clock.last,
                                  .parted = s->parted,
                                  .part = c->divided,
                                  .times = 1};
    if (k == 0 && c->at_once)
        rv_card_send_zeros(s); // the words of others begin with the one before them
    if (rv_card_takes_several(s)) {
        advance_later(s);
        return true;
    }
    rv_card_set_constants(s, k);
    c->constants.last_at = k > 0 ? RV_STATUS_WORDS * (uint32_t)(k - 1) : 1;
    c->constants.pace_most = pace_most(s), c->constants.deep_most = deep_most(s);
    if (k > 0 && c->passing) c->constants.last_at |= FOLLOWS_FLOODED;
    call_all(s);
    return true;
}

// A stage of a substep that is worked out alone, and waits for the processor in between.
void rv_card_call_stage(rv_engine *s, rv_card_stage stage)
{
    rv_card_constants *c = &s->card->constants;
    int joined = s->card->joined;
    s->card->joined = 1; // there is no second try
    eases e = eases_of(s);
    uint32_t place = s->card->place;
    rv_card_set_constants(s, (int)place);
    c->last_at = 1, c->pace_most = c->deep_most = 3e38f;
    if (s->card->follows) {
        c->last_at = RV_STATUS_WORDS * (1 - place) | FOLLOWS_FLOODED;
        c->pace_most = pace_most(s), c->deep_most = deep_most(s);
    }
    if (stage == RV_STAGE_AWAKE) {
        call_awake(s, e);
    } else if (stage == RV_STAGE_FLUXES) {
        call_fluxes(s, e);
    } else if (stage == RV_STAGE_SCALES) {
        call_scales(s, e);
    } else if (stage == RV_STAGE_FINISH) {
        call_level(s, e);
    } else if (stage == RV_STAGE_SETTLE) {
        call_settle(s, e);
    } else {
        call_settled(s, e);
    }
    s->card->joined = joined;
}

// ---- Before the first ---------------------------------------------------------------------------

// What is other where passages are the card's.
static void make_passing(rv_engine *s)
{
    if (!rv_card_takes_passages(s)) return;
    s->card->passing = true;
    rv_card_make_full(s);
    call_scales(s, eases_of(s));
    if (s->params.pipes_passages == RV_PASSAGES_PRESSURE) call_level(s, eases_of(s));
    if (s->tense || s->params.pipes_passages != RV_PASSAGES_PRESSURE) call_settled(s, eases_of(s));
    s->card->passing = false;
}

// Goes through kernels that substeps of this world will call, as far as that is known.
static void pass_kernels(rv_engine *s)
{
    rv_card *c = s->card;
    bool sleeping = s->tense && s->tension->sleeping;
    unsigned seen = rv_card_common_ease(s) & (RV_EASE_FLOW | RV_EASE_TENSE | RV_EASE_EIGHT);
    c->making = true;
    s->parted = s->has_ceilings;
    c->at_once = c->twin && !s->parted, c->whole = works_at_once(s);
    if (s->tense) s->tension->sleeping = true;
    for (int stage = RV_STAGE_AWAKE; stage <= RV_STAGE_LEVELS; stage++)
        if (stage < RV_STAGE_FINISH ||
            (s->has_ceilings && s->params.pipes_passages != RV_PASSAGES_NONE))
            rv_card_call_stage(s, (rv_card_stage)stage);
    if (rv_card_takes_several(s)) rv_card_make_several(s);
    if (s->has_ceilings && s->params.pipes_passages != RV_PASSAGES_NONE)
        call(s, "ended", seen & RV_EASE_TENSE, 1, 1, 1);
    for (int cut = 0; cut < 2 && s->has_ceilings; cut++)
        call_grid(s, "listed", cut ? RV_EASE_LIMITED : 0);
    if (!rv_card_takes_several(s)) call_levels(s, eases_of(s));
    make_passing(s);
    if (s->tense) rv_card_make_tension(s);
    call(s, "look", seen, 1, 1, 1);
    call(s, "gather", seen & (RV_EASE_FLOW | RV_EASE_TENSE), 1, 1, 1);
    call(s, "later", rv_card_later_ease(s) | (s->has_ceilings ? RV_EASE_PARTED : 0), 1, 1, 1);
    call(s, "pick", 0, 1, 1, 1);
    call(s, "pick", RV_EASE_PLACES, 1, 1, 1);
    call(s, "scatter",
         (seen & RV_EASE_TENSE) | (c->twin ? RV_EASE_TWIN : 0) |
             (rv_card_has_full(s) ? RV_EASE_PASSAGES : 0),
         1, 1, 1);
    if (s->tense) s->tension->sleeping = sleeping;
    c->making = c->at_once = c->whole = c->odd_kept = false;
}

// Before the first substep, so that none has to wait for a driver that compiles. Each is called
// once, in a substep that is left out; what the card has is sent after that.
void rv_card_make_kernels(rv_engine *s)
{
    uint32_t status[3][RV_STATUS_WORDS] = {{0}};
    s->card->asking = s->card->device->ask_kernel != NULL;
    if (s->card->asking) pass_kernels(s);
    s->card->asking = false;
    status[0][RV_STATUS_HALT] = status[1][RV_STATUS_HALT] = 1;
    rv_card_send(s, RV_AT_STATUS, 0, status, sizeof status);
    pass_kernels(s);
    memset(status, 0, sizeof status);
    rv_card_send(s, RV_AT_STATUS, 0, status, sizeof status);
}
