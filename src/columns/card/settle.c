// What came of substeps on the card: waits for the words that these leave there, and goes on from
// the first that was left out, or that needs the processor.
#include "columns/card/card.h"

#include "columns/tension.h"

#include <math.h>
#include <string.h>

// ---- What came of it ----------------------------------------------------------------------------

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Waits for what is read.
bool rv_card_read(rv_engine *s, rv_card_binding from, size_t at, void *data, size_t bytes)
{
    rv_card *c = s->card;
    rv_device_ticket ticket;
    bool done = false;
    rv_card_flush(s);
    if (c->trouble != RV_OK || bytes == 0) return c->trouble == RV_OK;
    rv_result result = c->device->read(c->device->user, c->buffer[from], at, bytes, &ticket);
    if (result == RV_OK) result = c->device->collect(c->device->user, ticket, data, true, &done);
    if (result != RV_OK) rv_card_fail(s, result);
    return result == RV_OK;
}

// Else it is fetched at once, or nothing.
static bool comes_later(const rv_card_ask *ask)
{
    return ask->bytes > 0 && ask->bytes <= RV_DEVICE_READ_MOST;
}

// How many were asked for.
static int ask_all(rv_engine *s, const rv_card_ask *asks, int count, rv_device_ticket *ticket)
{
    rv_card *c = s->card;
    rv_card_flush(s);
    rv_result result = c->trouble;
    int asked = 0;
    for (; asked < count && result == RV_OK; asked++)
        if (comes_later(&asks[asked]))
            result = c->device->read(c->device->user, c->buffer[asks[asked].from], asks[asked].at,
                                     asks[asked].bytes, &ticket[asked]);
    if (result == RV_OK) return asked;
    rv_card_fail(s, result);
    return asked > 0 ? asked - 1 : 0; // the last is not under way
}

// `asked`: of these. When the last is there, so are those before it.
static bool collect_all(rv_engine *s, const rv_card_ask *asks, int count, int asked,
                        const rv_device_ticket *ticket)
{
    rv_card *c = s->card;
    rv_result result = c->trouble;
    for (int k = asked - 1; k >= 0; k--) {
        bool done = false;
        if (!comes_later(&asks[k])) continue;
        rv_result own = c->device->collect(c->device->user, ticket[k], asks[k].data, true, &done);
        if (result == RV_OK) result = own;
    }
    if (result != RV_OK) rv_card_fail(s, result);
    for (int k = 0; k < count && c->trouble == RV_OK; k++)
        if (!comes_later(&asks[k]))
            rv_card_fetch(s, asks[k].from, asks[k].at, asks[k].data, asks[k].bytes);
    return c->trouble == RV_OK;
}

void rv_card_read_later(rv_engine *s, rv_card_awaited *a)
{
    a->asked = ask_all(s, a->asks, a->count, a->ticket);
    a->there = true;
}

bool rv_card_collect(rv_engine *s, rv_card_awaited *a)
{
    a->there = false;
    return collect_all(s, a->asks, a->count, a->asked, a->ticket);
}

static bool read_while(rv_engine *s, const rv_card_ask *asks, int count,
                       void (*meanwhile)(rv_engine *s))
{
    rv_device_ticket ticket[RV_CARD_ASKS];
    int asked = ask_all(s, asks, count, ticket);
    if (meanwhile) meanwhile(s);
    return collect_all(s, asks, count, asked, ticket);
}

bool rv_card_read_all(rv_engine *s, const rv_card_ask *asks, int count)
{
    return read_while(s, asks, count, NULL);
}

// The words of the first `count` substeps that were asked for.
static bool read_status(rv_engine *s, uint32_t (*out)[RV_STATUS_WORDS], int count)
{
    size_t bytes = (size_t)count * sizeof *out;
    memset(out, 0, bytes);
    return rv_card_read(s, RV_AT_STATUS, 0, out, bytes);
}

// A depth that is no number: the engine mends it, as it does its own.
static void mend(rv_engine *s)
{
    rv_card_stale(s);
    s->row_most[0] = INFINITY;
    rv_pipes_gather(s);
}

static void take_status(rv_engine *s, const uint32_t status[RV_STATUS_WORDS])
{
    float most = float_of(status[RV_STATUS_MOST]);
    if (status[RV_STATUS_NOT_FINITE] || most > 3e38f) {
        mend(s);
        return;
    }
    s->deepest = most > s->law.film ? (double)most : 0.0;
    s->pace = s->flow ? (double)float_of(status[RV_STATUS_PACE]) : 0.0;
    s->card->full = status[RV_STATUS_FULL];
}

void rv_card_send_zeros(rv_engine *s)
{
    static const uint32_t zeros[RV_CARD_TIMES * RV_STATUS_WORDS] = {0};
    size_t at = s->card->told_at * RV_STATUS_WORDS * sizeof *zeros;
    rv_card_send(s, RV_AT_STATUS, at, zeros, sizeof zeros);
}

static void call_look(rv_engine *s)
{
    rv_card_call_all(s, "look",
                     rv_card_common_ease(s) & (RV_EASE_FLOW | RV_EASE_TENSE | RV_EASE_EIGHT));
}

void rv_card_tell_later(rv_engine *s, bool zero)
{
    if (!zero) rv_card_send_zeros(s);
    call_look(s);
    s->card->untold = true;
}

static bool tell(rv_engine *s)
{
    uint32_t status[RV_STATUS_WORDS] = {0};
    rv_card_send_zeros(s);
    call_look(s);
    if (!rv_card_read(s, RV_AT_STATUS, 0, status, sizeof status)) return false;
    take_status(s, status);
    return true;
}

// ---- All of it, when somebody must know ---------------------------------------------------------

void rv_card_begin_scan(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_awaited *a = &c->scan;
    rv_card_send_awake(s);
    a->count = s->tense ? rv_card_ask_rested(s, a->asks) : 0; // that is looked at next
    rv_card_send_zeros(s);
    call_look(s);
    a->asks[a->count++] = (rv_card_ask){RV_AT_STATUS, 0, c->scanned, sizeof c->scanned};
    rv_card_read_later(s, a);
    c->rested_fresh = s->tense;
}

bool rv_card_end_scan(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c || !c->scan.there) return true;
    bool fresh = c->rested_fresh;
    if (!rv_card_collect(s, &c->scan)) return false;
    take_status(s, c->scanned);
    c = s->card;
    if (!c) return false;
    c->rested_fresh = fresh && !c->host_fresh;
    rv_rest_restored(s);
    if (s->tense && s->tension->sleeping) rv_card_look_again(s);
    return s->card && s->card->trouble == RV_OK;
}

void rv_card_look_again(rv_engine *s)
{
    double deepest = 0.0, pace = 0.0; // of what was touched since the last substep
    for (uint32_t r = 0; r < s->row_count; r++) {
        deepest = fmax(deepest, (double)s->row_most[r]);
        pace = fmax(pace, (double)s->row_pace[r]);
    }
    rv_card_send_asleep(s);
    if (!tell(s) || !s->card) return;
    s->deepest = fmax(s->deepest, deepest > (double)s->law.film ? deepest : 0.0);
    s->pace = fmax(s->pace, pace);
}

// ---- Those that were asked for ------------------------------------------------------------------

// Of the substeps from `first` on, whose fluxes of odd pipes were put together.
static void count_borders(rv_engine *s, int first, int count)
{
    const rv_card *c = s->card;
    size_t odd = s->odd_count;
    double dt = s->dt;
    for (int i = 0; i < count; i++) {
        memcpy(s->odd_flux, c->pack + (size_t)i * odd, odd * sizeof(float));
        s->dt = c->ahead[first + i].dt;
        rv_pipes_count_borders(s);
    }
    s->dt = dt;
}

// Where they stand on the card.
static rv_card_ask ask_borders(const rv_engine *s, int first, int count)
{
    size_t odd = s->odd_count, at = rv_card_told_odd(s) + (size_t)first * odd;
    return (rv_card_ask){RV_AT_ODD_FLOW, at * sizeof(float), s->card->pack,
                         (size_t)count * odd * sizeof(float)};
}

// In pieces of as many as there is room for.
void rv_card_count_borders(rv_engine *s, int first, int count)
{
    rv_card *c = s->card;
    size_t odd = s->odd_count;
    int room =
        odd > 0 && odd < c->pack_count ? (int)fmin((double)(c->pack_count / odd), RV_AHEAD) : 1;
    for (int k = 0; s->has_borders && k < count; k += room) {
        int n = count - k < room ? count - k : room;
        rv_card_ask ask = ask_borders(s, first + k, n);
        if (!rv_card_fetch(s, ask.from, ask.at, ask.data, ask.bytes)) return;
        count_borders(s, k, n);
    }
}

// The first that was not done, or not wholly; of several in one call what came of them stands with
// the last, and it does not count where one before that was deeper than the next may begin with.
static int first_undone(const rv_card *c, uint32_t (*status)[RV_STATUS_WORDS], int count)
{
    for (int k = 0; k < count; k += c->ahead[k].times) {
        const rv_card_ahead *ahead = &c->ahead[k];
        const uint32_t *words = status[k + ahead->times - 1];
        if (words[RV_STATUS_HALT] || (ahead->parted && words[RV_STATUS_CUT_IN]) ||
            (ahead->times > 1 && float_of(words[RV_STATUS_PACE]) > ahead->deep))
            return k;
    }
    return count;
}

// Ends a substep whose shares of inflow the engine must work out.
static void end_substep(rv_engine *s, int k)
{
    rv_card *c = s->card;
    static const uint32_t zero = 0;
    rv_pipes_set_law(s, c->ahead[k].dt);
    s->parted = c->ahead[k].parted;
    rv_card_set_constants(s, k);
    if (!rv_card_relax(s)) rv_card_relax_all(s);
    rv_card_set_constants(s, k);
    rv_card_send(s, RV_AT_STATUS,
                 (RV_STATUS_WORDS * (size_t)k + RV_STATUS_CUT_IN) * sizeof(uint32_t), &zero,
                 sizeof zero);
    rv_card_call_levels(s);
    rv_card_turn(s, 1, false);
    s->clock.substeps++, s->clock.last = (float)c->ahead[k].dt;
}

// The words of substeps under way, and what else is looked at after them, in one wait.
typedef struct answers {
    uint32_t status[RV_AHEAD][RV_STATUS_WORDS];
    uint32_t both[2][RV_STATUS_WORDS]; // of a flooded one, and of the next
    bool borders, wet, ended, full;    // these are there as well
} answers;

static bool read_answers(rv_engine *s, answers *out, const rv_card_ask *asks, int more,
                         void (*meanwhile)(rv_engine *s))
{
    rv_card *c = s->card;
    rv_card_ask all[RV_CARD_ASKS];
    int count = c->untold ? 1 : c->ahead_count, n = 0;
    rv_card_ask borders = ask_borders(s, (int)c->told_at, count);
    size_t rows = 2 * (size_t)s->row_count * sizeof(uint32_t);
    out->borders = s->has_borders && count > 0 && borders.bytes <= RV_DEVICE_READ_MOST &&
                   borders.bytes <= c->pack_count * sizeof *c->pack;
    out->wet = s->tense && s->tension->sleeping && count > 0;
    if (c->follows)
        all[n++] = (rv_card_ask){RV_AT_STATUS, 0, out->both, sizeof out->both};
    else if (count > 0)
        all[n++] = (rv_card_ask){RV_AT_STATUS, c->told_at * sizeof *out->status, out->status,
                                 (size_t)count * sizeof *out->status};
    if (out->borders) all[n++] = borders;
    if (out->wet)
        all[n++] = (rv_card_ask){RV_AT_BITS, rv_card_wet_place(c, 0) * rows,
                                 c->answers + s->odd_count, rows};
    out->ended = rv_card_ask_ended(s, &all[n]);
    n += out->ended;
    out->full = c->ahead_count > 0 && rv_card_ask_full(s, &all[n]);
    n += out->full;
    n += rv_card_ask_later(s, &all[n]);
    for (int k = 0; k < more && n < RV_CARD_ASKS; k++) all[n++] = asks[k];
    if (!read_while(s, all, n, meanwhile)) return false;
    if (!c->follows) return true;
    memcpy(out->status, out->both[c->told_at], sizeof *out->status);
    c->halted = out->both[c->place][RV_STATUS_HALT];
    return true;
}

// What came after a substep, by the processor; what fell is of all of that substep.
static void do_later(rv_engine *s, const rv_card_ahead *ahead, rv_later_done done)
{
    double span = s->span;
    s->span = ahead->span;
    rv_card_do_later(s, ahead->later, done);
    s->span = span;
}

// The same after one that is done again, perhaps by the processor: the card may have failed.
static void finish_after(rv_engine *s, const rv_card_ahead *ahead, const rv_later *asked)
{
    if (ahead->rests) rv_rest_count(s);
    if (ahead->later && s->card)
        do_later(s, ahead, RV_DONE_NOTHING);
    else if (ahead->later)
        asked->redo(asked->user, ahead->later - 1, RV_DONE_NOTHING);
}

// Deep columns that odd pipes join stay so for a while.
#define JOINED_STEPS 64

// Goes on from the first substep that was not done, or not wholly.
static void settle_from(rv_engine *s, answers *a, int done)
{
    rv_card *c = s->card;
    rv_card_ahead left[RV_AHEAD];
    rv_card_forget_few(s); // what is read along is of other columns than those that will be
    const rv_later asked = c->later ? c->later->asked : (rv_later){0};
    int count = c->ahead_count, from = done;
    rv_card_turn(s, rv_card_calls(c, done, count), true);
    if (c->ahead[done].times > 1) rv_card_undo_several(s);
    s->clock.substeps = c->ahead[done].substeps, s->clock.last = c->ahead[done].last;
    if (c->ahead[done].parted && !a->status[done][RV_STATUS_HALT]) {
        end_substep(s, done);
        if (!read_status(s, a->status, done + 1)) return;
        done++;
    }
    rv_card_count_borders(s, 0, done);
    memcpy(left, c->ahead, sizeof left);
    c->ahead_count = 0;
    if (a->status[from][RV_STATUS_HALT] == 2) c->joined = JOINED_STEPS;
    if (a->status[from][RV_STATUS_HALT] == 3) rv_card_left_out(s);
    bool before = c->one_by_one;
    c->one_by_one = true;
    rv_card_took(s, a->status, 0, from);
    if (done > 0) take_status(s, a->status[done - 1]); // the card may be gone after it
    if (done > from) {                                 // it was ended here
        finish_after(s, &left[done - 1], &asked);
        from = done;
    } else if (done > 0 && a->status[done - 1][RV_STATUS_LATER]) {
        do_later(s, &left[done - 1], rv_card_later_done(a->status[done - 1]));
    }
    for (int k = from; k < count; k++) {
        if (left[k].part)
            rv_pipes_advance(s, left[k].dt);
        else {
            rv_rest_rouse(s);
            rv_pipes_parts(s, left[k].dt);
        }
        finish_after(s, &left[k], &asked);
    }
    if (s->card) s->card->one_by_one = before;
}

bool rv_card_settle_and(rv_engine *s, const rv_card_ask *asks, int more)
{
    return rv_card_settle_while(s, asks, more, NULL);
}

bool rv_card_settle_while(rv_engine *s, const rv_card_ask *asks, int more,
                          void (*meanwhile)(rv_engine *s))
{
    rv_card *c = s->card;
    answers a;
    memset(a.status, 0, sizeof a.status);
    rv_card_flush(s); // places are those after it
    int count = c->untold ? 1 : c->ahead_count, first = (int)c->told_at;
    if (!read_answers(s, &a, asks, more, meanwhile)) return false;
    if (a.ended) rv_card_take_ended(s);
    if (a.full) rv_card_take_full(s);
    if (count == 0) return true;
    int done = c->untold ? count : first_undone(c, a.status, count);
    if (done < count) {
        settle_from(s, &a, done);
        return false;
    }
    c->ahead_count = 0, c->untold = false, c->told_at = 0;
    if (a.wet) {
        rv_card_put_bits(s, c->answers + s->odd_count, s->wet);
        c->wet_fresh = true;
    }
    if (a.borders)
        count_borders(s, 0, count);
    else
        rv_card_count_borders(s, first, count);
    rv_card_took(s, a.status, first, count);
    const rv_card_ahead last = c->ahead[count - 1]; // the card may be gone after it
    bool redone = a.status[count - 1][RV_STATUS_LATER] && last.later;
    take_status(s, a.status[count - 1]);
    if (redone && s->card) rv_card_forget_few(s); // columns that are read along become others
    if (redone) do_later(s, &last, rv_card_later_done(a.status[count - 1]));
    return !redone && s->card && s->card->trouble == RV_OK && !s->card->host_fresh;
}

void rv_card_settle_substeps(rv_engine *s)
{
    if (s->card && (s->card->ahead_count > 0 || s->card->untold)) rv_card_settle_and(s, NULL, 0);
}

void rv_card_settle(rv_engine *s)
{
    rv_card_end_scan(s);
    rv_card_settle_substeps(s);
}

void rv_card_check(rv_engine *s)
{
    rv_card *c = s->card;
    if (!rv_card_is_ahead(s)) return;
    if (c->one_by_one || c->ahead_count == RV_AHEAD) rv_card_settle(s);
}
