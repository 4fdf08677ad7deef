// Surface tension on the card (docs/card.md): what the survey found goes there when columns are
// made or edited, and heads are kernels of every substep. Which wet blocks sleep is decided here,
// once a step, from bits by block; while substeps are under way the card watches whether something
// must wake, and leaves out what comes after.
#include "columns/card/card.h"

#include "columns/laws/tension.h"
#include "columns/tension.h"

#include <math.h>
#include <string.h>

// Places in the buffers, in arrays by slot and in pairs of words by row.
enum { AT_HEAD = 1, AT_SMOOTHED = 2, AT_WETTED = 4, AT_REST = 5, AT_FULL = 6 };

// Heads are smoothed from a little less than the depth on from which they must be, so that substeps
// are not left out all the time while the liquid is about as deep as that.
#define CALM_SOONER 0.8

// ---- What is sent -------------------------------------------------------------------------------

static uint32_t count_ends(const rv_engine *s)
{
    uint32_t count = 0;
    for (size_t i = 0; s->tension && i < s->slots; i++) count += s->tension->end[i] != 0;
    return count;
}

bool rv_card_fit_tension(rv_engine *s)
{
    rv_card *c = s->card;
    c->constants.ends = count_ends(s);
    if (!s->tension || c->asleep_count == s->row_count) return true;
    rv_card_free_tension(s);
    c->asleep = rv_new(&s->allocator, s->row_count, sizeof *c->asleep);
    if (!c->asleep) {
        rv_card_fail(s, RV_OUT_OF_MEMORY);
        return false;
    }
    c->asleep_count = s->row_count;
    return true;
}

void rv_card_free_tension(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->asleep) rv_free(&s->allocator, c->asleep, c->asleep_count, sizeof *c->asleep);
    c->asleep = NULL, c->asleep_count = 0;
}

// Ends, row by row, in pieces of as many as there is room for.
static void send_ends(rv_engine *s)
{
    rv_card *c = s->card;
    uint32_t *pack = c->pack;
    size_t at = 0, used = 0;
    for (uint32_t r = 0; r < s->row_count; r++)
        for (uint32_t x = 0; x < s->row[r].count; x++) {
            uint32_t slot = s->row[r].first + x;
            if (!s->tension->end[slot]) continue;
            pack[used] = slot;
            rv_ends_words(s, slot, pack + used + 1);
            pack[used + RV_END_WORDS - 1] = r | (x >> s->block_shift) << 24;
            used += RV_END_WORDS;
            if (used + RV_END_WORDS <= c->pack_count) continue;
            rv_card_send_changed(s, RV_AT_ENDS, at * 4, pack, used * 4);
            at += used, used = 0;
        }
    rv_card_send_changed(s, RV_AT_ENDS, at * 4, pack, used * 4);
    c->constants.ends = (uint32_t)((at + used) / RV_END_WORDS);
}

void rv_card_send_surveyed(rv_engine *s)
{
    const rv_tension *t = s->tension;
    const float *arrays[] = {t->lean, t->advance, t->recede};
    size_t slot = s->slots * sizeof(float);
    float *full = (float *)(void *)s->card->pack;
    for (size_t k = 0; k < 3; k++)
        rv_card_send_changed(s, RV_AT_BEDS, (2 + k) * slot, arrays[k], slot);
    for (size_t i = 0; i < s->slots; i++) full[i] = t->end[i] ? -t->full[i] : t->full[i];
    rv_card_send_changed(s, RV_AT_BEDS, 5 * slot, full, slot);
    send_ends(s);
}

// Bytes as the floats that the card has of them, in `pack`.
static const float *as_floats(rv_engine *s, const uint8_t *bytes)
{
    float *out = (float *)(void *)s->card->pack;
    for (size_t i = 0; i < s->slots; i++) out[i] = (float)bytes[i];
    return out;
}

void rv_card_send_tension(rv_engine *s)
{
    rv_tension *t = s->tension;
    size_t slot = s->slots * sizeof(float);
    rv_card_send_changed(s, RV_AT_PRESS, AT_HEAD * slot, t->head, slot);
    rv_card_send_changed(s, RV_AT_PRESS, AT_WETTED * slot, t->wetted, slot);
    rv_card_send_changed(s, RV_AT_PRESS, AT_REST * slot, as_floats(s, t->rest), slot);
    rv_card_send(s, RV_AT_PRESS, AT_FULL * slot, as_floats(s, s->full), slot);
    if (s->card->words) s->card->words->flag_count = 0;
    rv_card_send_bits(s, RV_BITS_ASLEEP, t->asleep, false);
    memcpy(s->card->asleep, t->asleep, s->row_count * sizeof *t->asleep);
}

void rv_card_mirror_tension(rv_engine *s)
{
    const rv_tension *t = s->tension;
    size_t slot = s->slots * sizeof(float);
    rv_card_mirror(s, RV_AT_PRESS, AT_HEAD * slot, t->head, slot);
    rv_card_mirror(s, RV_AT_PRESS, AT_WETTED * slot, t->wetted, slot);
    rv_card_mirror(s, RV_AT_PRESS, AT_REST * slot, as_floats(s, t->rest), slot);
}

// What is read of it with other arrays: so many words of `asks`, three at most.
int rv_card_ask_tension(rv_engine *s, rv_card_ask *asks)
{
    rv_tension *t = s->tension;
    size_t slot = s->slots * sizeof(float);
    asks[0] = (rv_card_ask){RV_AT_PRESS, AT_HEAD * slot, t->head, slot};
    asks[1] = (rv_card_ask){RV_AT_PRESS, AT_WETTED * slot, t->wetted, slot};
    asks[2] = (rv_card_ask){RV_AT_PRESS, AT_REST * slot, s->card->pack, slot};
    return 3;
}

void rv_card_take_tension(rv_engine *s)
{
    const float *rest = (const float *)(const void *)s->card->pack;
    for (size_t i = 0; i < s->slots; i++) s->tension->rest[i] = (uint8_t)rest[i];
}

void rv_card_send_asleep(rv_engine *s)
{
    rv_card *c = s->card;
    size_t bytes = s->row_count * sizeof *c->asleep;
    if (!s->tense || !c->asleep || memcmp(c->asleep, s->tension->asleep, bytes) == 0) return;
    rv_card_send_bits(s, RV_BITS_ASLEEP, s->tension->asleep, false);
    memcpy(c->asleep, s->tension->asleep, bytes);
}

// ---- Heads --------------------------------------------------------------------------------------

// The greatest float that is not more.
static float float_under(double value)
{
    float f = (float)value;
    return (double)f > value ? nextafterf(f, -INFINITY) : f;
}

void rv_card_set_tension(rv_engine *s, rv_card_constants *c)
{
    const rv_law *l = &s->law;
    rv_tension_law t = rv_tension_law_of(s);
    rv_rest_bounds b = rv_rest_bounds_of(s);
    c->stiff = l->stiff, c->stiff_thin = l->stiff_thin, c->thin = l->thin;
    c->drag_pace = l->drag_pace, c->draw = l->draw, c->draw_side = l->draw_side;
    c->damp = l->damp;
    memcpy(c->calm, l->calm, sizeof c->calm);
    c->length2 = t.length2, c->per = t.per, c->quarter = t.quarter;
    c->curve_bend = t.bend, c->curve_thin = t.thin, c->per_half = s->tension->per_half;
    c->rest_slow = b.slow, c->rest_drive = b.drive, c->rest_residue = float_under(b.residue);
    c->patience = (float)b.patience;
}

// How often heads are smoothed: 0, 2 or 4 times.
static uint32_t passes(const rv_engine *s)
{
    double deep = s->deepest / CALM_SOONER;
    if (s->clipped || s->eight || !(deep > rv_tension_calm_from(s, 0))) return 0;
    return deep > rv_tension_calm_from(s, 2) ? 4 : 2;
}

float rv_card_calm_most(const rv_engine *s)
{
    uint32_t count = passes(s);
    if (s->clipped || s->eight || count == 4) return 3e38f;
    return float_under(rv_tension_calm_from(s, count == 2 ? 2 : 0));
}

// Heads, and with few columns those of ends beside them: the bits of blocks are there then.
static void call_heads(rv_engine *s, unsigned ease)
{
    rv_card *c = s->card;
    uint32_t ends[3] = {(c->constants.ends + 63) / 64, 1, 1}, groups[3];
    bool both = !c->at_once && ends[0] && rv_card_is_small(s);
    unsigned wakes = c->at_once ? RV_EASE_WAKES | RV_EASE_TENSE : 0;
    if (!rv_card_is_small(s)) wakes |= RV_EASE_MANY;
    rv_card_add_listed(c->tiles, both ? c->constants.ends : 0, groups);
    rv_card_call_grid(s, "heads", ease | wakes | RV_EASE_STOPS | (both ? RV_EASE_ENDS : 0), groups);
    if (ends[0] && !both) rv_card_call_grid(s, "ends", ease, ends);
}

// Where heads are smoothed they go where nobody looks for them at first.
static void call_smoothed(rv_engine *s, unsigned common, uint32_t count)
{
    rv_card *c = s->card;
    bool at_once = count > 0 && rv_card_is_small(s) && (s->link_count == 0 || c->joined == 0);
    c->constants.heads_at = (count > 0 ? AT_SMOOTHED : AT_HEAD) * (uint32_t)s->slots;
    call_heads(s, s->press ? RV_EASE_PRESSED : 0);
    c->constants.calm_pass = count;
    if (at_once) rv_card_call_grid(s, "calm_all", s->link_count > 0 ? RV_EASE_ODD : 0, c->tiles);
    for (uint32_t pass = 0; pass < count && !at_once; pass += 2) { // two a call
        unsigned ease = (pass == 0 ? RV_EASE_FIRST : 0) | (pass + 2 == count ? RV_EASE_LAST : 0);
        rv_card_call_grid(s, "calm", ease | (common & RV_EASE_ODD), c->groups);
    }
    c->constants.calm_pass = 0;
}

void rv_card_call_heads(rv_engine *s, unsigned common)
{
    call_smoothed(s, common, passes(s));
}

void rv_card_make_tension(rv_engine *s)
{
    unsigned common = rv_card_common_ease(s);
    call_smoothed(s, common, 0);
    for (int joined = 0; joined < (s->link_count > 0 ? 2 : 1) && !s->eight; joined++) {
        s->card->joined = joined;
        for (uint32_t count = 2; count <= 4; count += 2) call_smoothed(s, common, count);
    }
    s->card->joined = 0;
    for (int parted = 0; parted < (s->has_ceilings ? 2 : 1); parted++)
        rv_card_call_all(s, "rest",
                         (common & (RV_EASE_ODD | RV_EASE_EIGHT)) | (parted ? RV_EASE_PARTED : 0));
    rv_card_call_all(s, "restless", 0);
}

// ---- What sleeps --------------------------------------------------------------------------------

void rv_card_call_rouse(rv_engine *s, unsigned common)
{
    uint32_t most = s->row_count > s->odd_column_count ? s->row_count : s->odd_column_count;
    const uint32_t groups[3] = {(most + 63) / 64, 1, 1};
    rv_card_call_grid(s, "rouse", common & (RV_EASE_ODD | RV_EASE_TENSE | RV_EASE_PARTED), groups);
}

// Whether the card has what counts, and substeps that were asked for are known.
static bool is_there(rv_engine *s)
{
    rv_card *c = s->card;
    return c && !c->host_fresh && c->card_fresh && c->trouble == RV_OK && c->ahead_count == 0 &&
           !c->untold;
}

int rv_card_ask_rested(rv_engine *s, rv_card_ask *asks)
{
    rv_card *c = s->card;
    size_t bytes = 2 * (size_t)s->row_count * sizeof(uint32_t);
    uint32_t *wet = c->answers + s->odd_count, *restless = wet + 2 * s->row_count;
    rv_card_send_bits(s, RV_BITS_RESTLESS, NULL, false);
    rv_card_call_all(s, "restless", 0);
    asks[0] = (rv_card_ask){RV_AT_BITS, rv_card_wet_place(c, 0) * bytes, wet, bytes};
    asks[1] = (rv_card_ask){RV_AT_BITS, RV_BITS_RESTLESS * bytes, restless, bytes};
    return 2;
}

bool rv_card_find_rested(rv_engine *s)
{
    if (!is_there(s)) return false;
    rv_card *c = s->card;
    rv_card_ask asks[2];
    const uint32_t *wet = c->answers + s->odd_count, *restless = wet + 2 * s->row_count;
    rv_card_push_few(s);
    if (!c->rested_fresh) {
        int n = rv_card_ask_rested(s, asks);
        if (!rv_card_read_all(s, asks, n)) return true;
    }
    rv_card_put_bits(s, wet, s->wet);
    for (uint32_t r = 0; r < s->row_count; r++) {
        uint64_t moves = restless[2 * r] | (uint64_t)restless[2 * r + 1] << 32;
        s->tension->rested[r] = (s->tension->rested[r] & ~s->wet[r]) | (s->wet[r] & ~moves);
    }
    return true;
}

bool rv_card_knows_rows(const rv_engine *s)
{
    return !s->card || (s->card->host_fresh && s->card->rows_fresh);
}

bool rv_card_take_over(rv_engine *s)
{
    if (rv_card_knows_rows(s)) return false;
    if (is_there(s)) {
        rv_card_look_again(s);
        return true;
    }
    rv_card_look_at_rows(s);
    return false;
}

bool rv_card_watches(rv_engine *s)
{
    if (!s->card) return false;
    if (rv_card_is_ahead(s) && !s->card->divided) return true;
    rv_card_settle(s);
    if (!is_there(s) || s->card->wet_fresh) return false;
    rv_card_push_few(s);
    rv_card_take_bits(s, rv_card_wet_place(s->card, 0), s->wet);
    return false;
}

// While substeps are under way the card counts if the last one is done.
bool rv_card_count_rest(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c || !c->card_fresh || c->trouble != RV_OK) return false;
    rv_card_ahead *last = rv_card_last(c);
    if (last) last->rests = true;
    rv_card_call_after(s, "rest", rv_card_common_ease(s) & (RV_EASE_ODD | RV_EASE_EIGHT),
                       c->groups);
    c->host_fresh = false;
    // the rest is looked at again when the next step begins
    memcpy(s->tension->rested, s->tension->asleep, s->row_count * sizeof *s->tension->rested);
    return true;
}

bool rv_card_stirs(rv_engine *s, rv_rect before, rv_rect now)
{
    rv_card_settle(s); // substeps under way know of others that sleep
    rv_card *c = s->card;
    if (!c) return true;
    if (c->trouble != RV_OK) return false;
    c->stirred = rv_rect_join(c->stirred, rv_rect_join(before, now));
    return true;
}

void rv_card_push_stirred(rv_engine *s)
{
    static float none = 0.0f;
    rv_card *c = s->card;
    rv_rect cells = c->stirred;
    c->stirred = (rv_rect){0, 0, 0, 0};
    if (!s->tense || cells.x1 <= cells.x0 || !rv_card_begin_words(s, true)) return;
    for (uint32_t r = 0; r < s->row_count; r++) {
        int from, to, x0 = s->columns->plane[s->row[r].plane].x0;
        if (!rv_row_within(s, r, cells, &from, &to)) continue;
        for (int x = from; x < to; x++)
            rv_card_word(s, RV_WORD_PRESS, AT_REST * s->slots + s->row[r].first + (size_t)(x - x0),
                         &none);
    }
    rv_card_end_words(s);
}
