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

static void bring(rv_engine *s, wanted w, const uint32_t *slots, uint32_t count)
{
    if (!rv_card_begin_words(s, false)) return;
    rv_card_forget_named(s);
    for (uint32_t k = 0; k < count; k++) name_around(s, w, slots[k]);
    rv_card_end_words(s);
}

// Names what is around columns that are full, and around those that were listed lately: that comes
// with the next list. It is sent before what it asks for is there, so none may cross at once;
// false: it is too much for that, and nothing is named.
static bool name_all(rv_engine *s, wanted w, const uint32_t *full, uint32_t count,
                     const rv_card_lately *lately)
{
    rv_card_words *words = s->card->words;
    if (!rv_card_begin_words(s, false)) return false;
    rv_card_forget_named(s);
    words->holds = true;
    for (uint32_t k = 0; k < count; k++) name_around(s, w, full[k]);
    for (uint32_t k = 0; k < lately->count; k++) name_around(s, w, lately->slot[k]);
    if (words->over) words->count = 0;
    return !words->over;
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

// Fluxes of passages, as words that are named.
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

// Names flags of columns that are full, for heads of surface tension, where the card may have
// others.
static void put_full(rv_engine *s, const uint32_t *slots, uint32_t count)
{
    rv_card_words *w = s->card->words;
    if (!rv_card_begin_words(s, true) || !s->tense) return;
    bool known =
        count > 0 && w->flag_count == count && memcmp(w->ended, slots, count * sizeof *slots) == 0;
    w->flags[0] = 0.0f, w->flags[1] = 1.0f;
    for (uint32_t k = 0; k < count; k++) {
        bool full = s->full[slots[k]] != 0;
        if (known && (w->flag[k] != 0) == full) continue;
        rv_card_word(s, RV_WORD_PRESS, 6 * s->slots + slots[k], w->flags + full);
        if (known) w->flag[k] = full;
    }
}

// ---- Lists --------------------------------------------------------------------------------------

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

#define AGE_MOST 8 // substeps for which a column is known that was listed

// Those that are listed now, and those that were lately: many are so in every other substep.
static void know(rv_card_lately *lately, rv_card_lately *old, const uint32_t *now, uint32_t count)
{
    uint32_t at = 0, n = 0;
    memcpy(old->slot, lately->slot, lately->count * sizeof *old->slot);
    memcpy(old->age, lately->age, lately->count * sizeof *old->age);
    old->count = lately->count;
    for (uint32_t k = 0; (k < count || at < old->count) && n < RV_CARD_LISTED;) {
        bool fresh = k < count && (at == old->count || now[k] <= old->slot[at]);
        bool both = fresh && at < old->count && now[k] == old->slot[at];
        if (fresh)
            lately->slot[n] = now[k++], lately->age[n++] = 0;
        else if (old->age[at] < AGE_MOST)
            lately->slot[n] = old->slot[at], lately->age[n++] = (uint8_t)(old->age[at] + 1);
        at += !fresh || both;
    }
    lately->count = n;
}

// ---- Shares of inflow ---------------------------------------------------------------------------

static const wanted flows = {
    .depths = true, .scales = true, .fluxes = true, .flux = RV_WORD_NEW_FLUX};

static void put_shares(rv_engine *s, const uint32_t *slots, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        rv_card_word(s, RV_WORD_SCALES, s->slots + slots[k], s->in_scale + slots[k]);
}

bool rv_card_relax(rv_engine *s)
{
    if (!rv_card_begin_words(s, false)) return false;
    const rv_card_words *w = s->card->words;
    rv_card_block block = rv_card_close_words(s);
    rv_card_send_words(s);
    rv_card_ask_list(s, true, block);
    if (!rv_card_take_list(s, true, block)) return false;
    bring(s, flows, w->cut, w->cut_count);
    if (s->card->trouble != RV_OK || !rv_card_begin_words(s, true)) return true;
    rv_pipes_relax_listed(s, w->cut, w->cut_count);
    put_shares(s, w->cut, w->cut_count);
    rv_card_end_words(s);
    return true;
}

// ---- The whole ----------------------------------------------------------------------------------

static const wanted before = {.depths = true, .heads = true, .fluxes = true, .flux = RV_WORD_FLUX};

static void call_fluxes(rv_engine *s)
{
    rv_card_call_stage(s, RV_STAGE_FLUXES);
}

// Waits for the list of nearly full columns, and for what came of the substep before this one if
// that is not known yet. Fluxes of ordinary pipes are found meanwhile.
static rv_card_flooded take_near(rv_engine *s, rv_card_block named)
{
    rv_card *c = s->card;
    c->halted = false;
    if (c->follows) {
        rv_card_settle_while(s, NULL, 0, call_fluxes);
        if (!s->card) return RV_FLOODED_AGAIN; // it failed
        c->follows = false;
    } else {
        call_fluxes(s);
    }
    bool listed = rv_card_take_list(s, false, named);
    if (c->trouble != RV_OK) return RV_FLOODED;
    if (c->halted) {
        c->odd_kept = false; // nor were these: that was left out as well
        return RV_FLOODED_AGAIN;
    }
    if (!listed) return RV_FLOODED_NOT; // words of the next substeps stand from the first on
    c->told_at = c->place;
    return RV_FLOODED;
}

// Nearly full columns are mostly those of the last substeps: what is around these comes with the
// list, and then what is around others.
static rv_card_flooded list_near(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    if (s->passage && !s->card->follows)
        put_full(s, s->passage->slot, s->passage->count); // some may have been touched
    else
        rv_card_begin_words(s, true);
    rv_card_block full = rv_card_close_words(s);
    bool all = name_all(s, before, NULL, 0, &w->nearly);
    rv_card_block named = rv_card_close_words(s);
    rv_card_send_words(s);
    rv_card_call_words(s, full, true);
    rv_card_call_stage(s, RV_STAGE_AWAKE);
    rv_card_ask_list(s, false, named);
    rv_card_flooded how = take_near(s, named);
    if (how != RV_FLOODED || s->card->trouble != RV_OK) return how;
    uint32_t known = all ? w->nearly.count : 0;
    uint32_t missing = find_others(w->near, w->near_count, w->nearly.slot, known, w->others);
    bring(s, before, w->others, missing);
    know(&w->nearly, &w->before, w->near, w->near_count);
    return RV_FLOODED;
}

// Solves for the heads; whether there are passages.
static bool prepare(rv_engine *s)
{
    s->heads = s->tense ? s->tension->head : s->press;
    if (s->card->trouble == RV_OK) rv_passages_prepare(s);
    return rv_passages_active(s);
}

// What passages set goes to the card, and shares are found there. What is around full columns, and
// around those that could not take all of their inflow lately, comes with the list of those that
// cannot now; then what is around others of these.
static bool list_cut(rv_engine *s, bool active)
{
    rv_card_words *w = s->card->words;
    const uint32_t *slots = active ? s->passage->slot : NULL;
    uint32_t count = active ? s->passage->count : 0;
    if (active)
        put_fluxes(s, RV_WORD_NEW_FLUX, false);
    else
        rv_card_begin_words(s, true);
    rv_card_block fluxes = rv_card_close_words(s);
    bool all = name_all(s, flows, slots, count, &w->limited);
    rv_card_block named = rv_card_close_words(s);
    rv_card_send_words(s);
    rv_card_call_words(s, fluxes, true);
    rv_card_call_stage(s, RV_STAGE_SCALES);
    rv_card_ask_list(s, true, named);
    if (!rv_card_take_list(s, true, named)) return false;
    if (!all) bring(s, flows, slots, count);
    uint32_t known = all ? w->limited.count : 0;
    uint32_t missing = find_others(w->cut, w->cut_count, slots, count, w->others);
    know(&w->limited, &w->before, w->others, missing);
    missing = find_others(w->others, missing, w->before.slot, known, w->others);
    bring(s, flows, w->others, missing);
    return true;
}

// Shares of inflow, as words that are named.
static void share(rv_engine *s, bool active)
{
    static float none = 0.0f;
    const rv_passage_work *p = s->passage;
    const rv_card_words *w = s->card->words;
    bool listed = list_cut(s, active);
    if (listed && s->card->trouble == RV_OK)
        rv_pipes_relax_listed(s, w->cut, w->cut_count);
    else if (!listed)
        rv_card_relax_all(s);
    if (active && s->card->trouble == RV_OK) {
        if (!listed) bring(s, flows, p->slot, p->count);
        rv_passages_scales(s);
    }
    if (s->card->trouble != RV_OK || !rv_card_begin_words(s, true)) return;
    if (listed) put_shares(s, w->cut, w->cut_count);
    if (active) put_shares(s, p->slot, p->count);
    rv_card_word(s, RV_WORD_STATUS, RV_STATUS_WORDS * s->card->place + RV_STATUS_CUT_IN, &none);
}

// Depths are new, and the card was not told what becomes of full columns.
static void finish(rv_engine *s)
{
    static const wanted after = {.depths = true, .fluxes = true, .flux = RV_WORD_FLUX};
    if (s->card->trouble != RV_OK) return;
    bring(s, after, s->passage->slot, s->passage->count);
    if (s->card->trouble != RV_OK) return;
    rv_passages_levels(s);
    put_speeds(s);
    put_full(s, s->passage->slot, s->passage->count);
    rv_card_end_words(s);
}

bool rv_card_leaves_fluxes(const rv_engine *s)
{
    return s->params.pipes_passages == RV_PASSAGES_PRESSURE && !(s->tense && s->tension->sleeping);
}

static void settle(rv_engine *s, bool active)
{
    rv_card_end_words(s);
    rv_card_call_stage(s, RV_STAGE_SETTLE);
    if (active && s->params.pipes_passages != RV_PASSAGES_PRESSURE) {
        rv_passages_finish(s);
        put_fluxes(s, RV_WORD_FLUX, true);
        rv_card_end_words(s);
    }
}

// From shares on; what becomes of full columns goes along if it is known.
static void stages(rv_engine *s)
{
    rv_card_block shares, ends = {0, 0};
    bool active = prepare(s), plain = rv_card_leaves_fluxes(s);
    if (active) rv_passages_fluxes(s);
    share(s, active);
    if (s->card->trouble != RV_OK) return;
    if (!plain) settle(s, active);
    if (!plain) rv_card_begin_words(s, true);
    shares = rv_card_close_words(s);
    bool there = active && rv_card_put_ends(s, &ends);
    rv_card_send_words(s);
    rv_card_call_words(s, shares, true);
    rv_card_call_stage(s, plain ? RV_STAGE_FINISH : RV_STAGE_LEVELS);
    rv_card_end_substep(s);
    if (there)
        rv_card_call_ended(s, ends);
    else if (active)
        finish(s);
    s->card->odd_kept = plain && (there || !active);
    rv_card_tell_later(s, there);
}

// The next substep may be asked for before it is known what came of the last, if that was flooded
// too and nobody has looked at it or touched a column since: the card compares, as in other
// substeps that are asked for ahead, and leaves it out where it came out otherwise.
bool rv_card_goes_on(const rv_engine *s)
{
    const rv_card *c = s->card;
    return c && c->untold && rv_card_leaves_fluxes(s) && !rv_card_takes_passages(s) &&
           !c->one_by_one && !c->divided && !c->host_fresh && c->card_fresh && c->beds_fresh &&
           c->trouble == RV_OK && !(s->press && !c->press_fresh) &&
           c->dirty_count + c->pushed_count == 0 && c->stirred.x1 <= c->stirred.x0 &&
           rv_passages_active(s);
}

rv_card_flooded rv_card_advance_flooded(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_hear(s); // which columns are full
    if (!s->card) return RV_FLOODED_AGAIN;
    c->follows = c->untold, c->place = c->follows ? 1 - c->told_at : 0;
    if (!rv_card_begin_substep(s) || !rv_card_begin_words(s, false)) return RV_FLOODED; // it failed
    if (!rv_card_leaves_fluxes(s)) c->speeds_stay = false;
    c->full_fresh = false;
    if (!rv_card_keep_depths(s)) return RV_FLOODED_NOT;
    rv_card_flooded how = list_near(s);
    if (how != RV_FLOODED || c->trouble != RV_OK) return how;
    c->flooding = true;
    stages(s);
    c->flooding = false;
    c->ahead[0] = (rv_card_ahead){.dt = s->dt, .span = s->span, .parted = s->parted};
    return RV_FLOODED;
}
