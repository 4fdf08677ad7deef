// A substep on the card in which passages are flooded (../passages/): the columns stay there, and
// the processor, which solves for the heads, sees those that are full and those beside them. It
// does so at four places, as in sweep.c: before the fluxes, after them, after the shares and after
// the depths. The arrays here are up to date for these columns and no others.
#include "columns/card/card.h"

#include "columns/passages/passages.h"
#include "columns/tension.h"

#include <string.h>

// ---- What is around a column --------------------------------------------------------------------

// What of a column, of those that pipes join to it, and of these pipes crosses.
typedef struct wanted {
    bool depths, heads, scales;
    bool fluxes;
    rv_card_kind flux; // of regular pipes: before the substep, or after
} wanted;

// Whether this is the first time that a column, or a pipe of it by `1 + way`, is named.
static bool is_first(rv_engine *s, size_t i, unsigned bit)
{
    rv_card_words *w = s->card->words;
    if (w->named_count != s->slots) return true; // no memory: it crosses twice
    if (w->named[i] / 32 != w->named_now) w->named[i] = 32 * w->named_now;
    bool first = (w->named[i] >> bit & 1) == 0;
    w->named[i] |= 1u << bit;
    return first;
}

static void name_column(rv_engine *s, wanted w, size_t i)
{
    if (!is_first(s, i, 0)) return;
    if (w.depths) rv_card_word(s, RV_WORD_DEPTH, i, s->depth + i);
    if (w.heads && s->tense) rv_card_word(s, RV_WORD_PRESS, s->slots + i, s->tension->head + i);
    if (!w.scales) return;
    rv_card_word(s, RV_WORD_SCALES, i, s->out_scale + i);
    rv_card_word(s, RV_WORD_SCALES, s->slots + i, s->in_scale + i);
}

// Where fluxes of odd pipes stand that are those of a kind of regular ones.
static size_t odd_at(const rv_engine *s, rv_card_kind flux)
{
    return flux == RV_WORD_NEW_FLUX ? rv_card_raw_odd(s) : 0;
}

static void name_odd(rv_engine *s, wanted w, size_t i)
{
    const rv_odd_column *column = rv_pipes_odd_column(s, (uint32_t)i);
    for (uint32_t e = 0; column && e < column->count; e++) {
        uint32_t pipe = s->odd_of[column->first + e].pipe;
        const rv_odd_pipe *p = &s->odd[pipe];
        if (w.fluxes) rv_card_word(s, RV_WORD_ODD, odd_at(s, w.flux) + pipe, s->odd_flux + pipe);
        if (p->b != RV_NO_SLOT) name_column(s, w, p->a == i ? p->b : p->a);
    }
}

static void name_around(rv_engine *s, wanted w, size_t i)
{
    ptrdiff_t pitch = rv_plane_of(s->columns, (uint32_t)i)->pitch;
    name_column(s, w, i);
    for (int way = 0; way < rv_ways(s); way++) {
        size_t step = (size_t)rv_way_step((rv_way)way, pitch);
        for (size_t a = i - step; a <= i; a += step) {
            if (s->slope[way][a] == 0) continue;
            name_column(s, w, a == i ? i + step : a);
            if (w.fluxes && is_first(s, a, 1 + (unsigned)way))
                rv_card_word(s, w.flux, (size_t)way * s->slots + a, s->flux[way] + a);
        }
    }
    name_odd(s, w, i);
}

// They cross with what is asked for next.
static void name_all(rv_engine *s, wanted w, const uint32_t *slots, uint32_t count)
{
    if (!rv_card_begin_words(s, false)) return;
    rv_card_forget_named(s);
    for (uint32_t k = 0; k < count; k++) name_around(s, w, slots[k]);
}

static void bring(rv_engine *s, wanted w, const uint32_t *slots, uint32_t count)
{
    name_all(s, w, slots, count);
    if (s->card->words) rv_card_end_words(s);
}

// ---- What passages set --------------------------------------------------------------------------

// Whether a column's block is left out: what passages set there is neither scaled nor moved on.
static bool sleeps(const rv_engine *s, uint32_t slot)
{
    if (!s->tense) return false;
    uint32_t row = rv_pipes_row_of(s, slot);
    return s->tension->asleep[row] >> ((slot - s->row[row].first) >> s->block_shift) & 1;
}

// A flux of the engine's, wherever it stands. `told`: what borders are counted by, too.
static void put_flux(rv_engine *s, rv_card_kind kind, float *at, bool told)
{
    if (s->odd_count > 0 && at >= s->odd_flux && at < s->odd_flux + s->odd_count) {
        size_t pipe = (size_t)(at - s->odd_flux);
        rv_card_word(s, RV_WORD_ODD, odd_at(s, kind) + pipe, at);
        if (told) rv_card_word(s, RV_WORD_ODD, rv_card_told_odd(s) + pipe, at);
        return;
    }
    for (int way = 0; way < rv_ways(s); way++) {
        if (at < s->flux[way] || at >= s->flux[way] + s->slots) continue;
        uint32_t slot = (uint32_t)(at - s->flux[way]);
        rv_card_word(s, kind, (size_t)way * s->slots + slot, at);
        if (kind == RV_WORD_NEW_FLUX && sleeps(s, slot))
            rv_card_word(s, RV_WORD_FLUX, (size_t)way * s->slots + slot, at);
    }
}

static void put_fluxes(rv_engine *s, rv_card_kind kind, bool told)
{
    const rv_passage_work *w = s->passage;
    rv_passages how = s->params.pipes_passages;
    if (!rv_card_begin_words(s, true)) return;
    for (uint32_t i = 0; how == RV_PASSAGES_AXIS && i < w->runs; i++)
        for (uint32_t k = 0; k < w->run[i].count; k++)
            put_flux(s, kind, w->run_flux[w->run[i].first + k], told);
    for (uint32_t i = 0; how != RV_PASSAGES_AXIS && i < w->pipes; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        bool held = rv_is_member(w, p->ia) || rv_is_member(w, p->ib);
        if (how == RV_PASSAGES_UNIFIED || held) put_flux(s, kind, p->flux, told);
    }
    rv_card_end_words(s);
}

// Velocities of the pipes of columns that are listed, and what became of these.
static void put_speeds(rv_engine *s)
{
    const rv_passage_work *w = s->passage;
    if (!rv_card_begin_words(s, true)) return;
    for (uint32_t k = 0; k < w->count; k++) {
        size_t i = w->slot[k];
        ptrdiff_t pitch = rv_plane_of(s->columns, (uint32_t)i)->pitch;
        rv_card_word(s, RV_WORD_DEPTH, i, s->depth + i);
        for (int way = 0; s->flow && way < rv_ways(s); way++) {
            size_t step = (size_t)rv_way_step((rv_way)way, pitch);
            for (size_t a = i - step; a <= i; a += step)
                if (s->slope[way][a])
                    rv_card_word(s, RV_WORD_SPEED, (size_t)way * s->slots + a, s->speed[way] + a);
        }
        const rv_odd_column *column = rv_pipes_odd_column(s, (uint32_t)i);
        for (uint32_t e = 0; s->flow && column && e < column->count; e++) {
            uint32_t pipe = s->odd_of[column->first + e].pipe;
            rv_card_word(s, RV_WORD_ODD, s->odd_count + pipe, s->odd_speed + pipe);
        }
    }
    rv_card_end_words(s);
}

// Which columns are full, for heads of surface tension: those that were or may be.
static void put_full(rv_engine *s, const uint32_t *slots, uint32_t count)
{
    if (!s->tense || count == 0 || !rv_card_begin_words(s, true)) return;
    float *flags = s->card->words->flags;
    flags[0] = 0.0f, flags[1] = 1.0f;
    for (uint32_t k = 0; k < count; k++)
        rv_card_word(s, RV_WORD_PRESS, 6 * s->slots + slots[k], flags + (s->full[slots[k]] != 0));
    rv_card_end_words(s);
}

// ---- Shares of inflow ---------------------------------------------------------------------------

static void put_shares(rv_engine *s, const uint32_t *slots, uint32_t count)
{
    if (!rv_card_begin_words(s, true)) return;
    for (uint32_t k = 0; k < count; k++)
        rv_card_word(s, RV_WORD_SCALES, s->slots + slots[k], s->in_scale + slots[k]);
    rv_card_end_words(s);
}

static const wanted flows = {
    .depths = true, .scales = true, .fluxes = true, .flux = RV_WORD_NEW_FLUX};

// Of columns that are listed, with what is around them here.
static void relax_known(rv_engine *s)
{
    const rv_card_words *w = s->card->words;
    if (s->card->trouble != RV_OK) return;
    rv_pipes_relax_listed(s, w->cut, w->cut_count);
    put_shares(s, w->cut, w->cut_count);
}

bool rv_card_relax(rv_engine *s)
{
    if (!rv_card_begin_words(s, false) || !rv_card_list(s, true)) return false;
    bring(s, flows, s->card->words->cut, s->card->words->cut_count);
    relax_known(s);
    return true;
}

// ---- The whole ----------------------------------------------------------------------------------

static const wanted before = {.depths = true, .heads = true, .fluxes = true, .flux = RV_WORD_FLUX};

// Those of the first list that are not in the second; both are sorted.
static uint32_t find_others(const uint32_t *of, uint32_t count, const uint32_t *in, uint32_t others,
                            uint32_t *out)
{
    uint32_t at = 0, found = 0;
    for (uint32_t k = 0; k < count; k++) {
        while (at < others && in[at] < of[k]) at++;
        if (at == others || in[at] != of[k]) out[found++] = of[k];
    }
    return found;
}

#define AGE_MOST 8 // substeps for which a column is known that was nearly full

// Those that are nearly full now, and those that were lately: many are so in every other substep.
static void know(rv_card_words *w)
{
    uint32_t *old = w->cut, at = 0, count = 0, left = w->known_count;
    uint8_t *age = w->age_before;
    memcpy(old, w->known, left * sizeof *old);
    memcpy(age, w->age, left * sizeof *age);
    for (uint32_t k = 0; (k < w->near_count || at < left) && count < RV_CARD_LISTED;) {
        bool near = k < w->near_count && (at == left || w->near[k] <= old[at]);
        bool both = near && at < left && w->near[k] == old[at];
        if (near)
            w->known[count] = w->near[k++], w->age[count++] = 0;
        else if (age[at] < AGE_MOST)
            w->known[count] = old[at], w->age[count++] = (uint8_t)(age[at] + 1);
        at += !near || both;
    }
    w->known_count = count;
}

// Nearly full columns are mostly those of the last substeps: what is around these comes with the
// list, and then what is around others.
static bool list_near(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    name_all(s, before, w->known, w->known_count);
    if (!rv_card_list(s, false)) return false;
    uint32_t missing = find_others(w->near, w->near_count, w->known, w->known_count, w->cut);
    bring(s, before, w->cut, missing);
    know(w);
    return true;
}

// Solves for the heads; whether there are passages.
static bool prepare(rv_engine *s)
{
    s->heads = s->tense ? s->tension->head : s->press;
    if (s->card->trouble == RV_OK) rv_passages_prepare(s);
    return rv_passages_active(s);
}

// What is around full columns, and around those that could not take all of their inflow the last
// time, comes with the list of those that cannot now; then what is around others of these.
static bool list_cut(rv_engine *s, const uint32_t *full, uint32_t count)
{
    rv_card_words *w = s->card->words;
    name_all(s, flows, full, count);
    for (uint32_t k = 0; k < w->habit_count; k++) name_around(s, flows, w->habit[k]);
    if (!rv_card_list(s, true)) return false;
    uint32_t missing = find_others(w->cut, w->cut_count, full, count, w->near);
    missing = find_others(w->near, missing, w->habit, w->habit_count, w->near);
    bring(s, flows, w->near, missing);
    w->habit_count = find_others(w->cut, w->cut_count, full, count, w->habit);
    return true;
}

static void share(rv_engine *s, bool active)
{
    static const uint32_t zero = 0;
    const rv_passage_work *p = s->passage;
    bool listed = list_cut(s, active ? p->slot : NULL, active ? p->count : 0);
    if (listed)
        relax_known(s);
    else
        rv_card_relax_all(s);
    if (active && s->card->trouble == RV_OK) {
        if (!listed) bring(s, flows, p->slot, p->count);
        rv_passages_scales(s);
        put_shares(s, p->slot, p->count);
    }
    rv_card_send(s, RV_AT_STATUS, RV_STATUS_CUT_IN * sizeof zero, &zero, sizeof zero);
}

// Depths are new: what becomes of full columns.
static void finish(rv_engine *s)
{
    static const wanted after = {.depths = true, .fluxes = true, .flux = RV_WORD_FLUX};
    if (s->card->trouble != RV_OK || rv_card_end_there(s)) return;
    bring(s, after, s->passage->slot, s->passage->count);
    if (s->card->trouble != RV_OK) return;
    rv_passages_levels(s);
    put_speeds(s);
    put_full(s, s->passage->slot, s->passage->count);
}

static void stages(rv_engine *s)
{
    bool active = prepare(s);
    rv_card_call_stage(s, RV_STAGE_FLUXES);
    if (active) {
        rv_passages_fluxes(s);
        put_fluxes(s, RV_WORD_NEW_FLUX, false);
    }
    rv_card_call_stage(s, RV_STAGE_SCALES);
    share(s, active);
    rv_card_call_stage(s, RV_STAGE_SETTLE);
    if (active && s->params.pipes_passages != RV_PASSAGES_PRESSURE) {
        rv_passages_finish(s);
        put_fluxes(s, RV_WORD_FLUX, true);
    }
    rv_card_call_stage(s, RV_STAGE_LEVELS);
    rv_card_end_substep(s);
    if (active) finish(s);
    s->card->odd_kept = false;
}

bool rv_card_advance_flooded(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_hear(s); // which columns are full
    if (!s->card) return true;
    if (!rv_card_begin_substep(s) || !rv_card_begin_words(s, false)) return true; // it failed
    c->speeds_stay = false;
    if (s->passage) put_full(s, s->passage->slot, s->passage->count); // some may have been touched
    rv_card_call_stage(s, RV_STAGE_AWAKE);
    if (!rv_card_keep_depths(s)) return false;
    if (!list_near(s)) return c->trouble != RV_OK;
    c->flooding = true;
    stages(s);
    c->flooding = false;
    c->ahead[0] = (rv_card_ahead){.dt = s->dt};
    rv_card_tell_later(s);
    return true;
}
