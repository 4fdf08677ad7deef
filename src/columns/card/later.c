// What the world asks for after substeps, and the card does without waiting: liquid that falls from
// edges is taken for what hangs there, and sources give. A substep after which the card could not
// do it, as the kernel finds out, is the last that counts: the processor does what is left of it,
// and goes on from there.
#include "columns/card/card.h"

#include "base/order.h"
#include "columns/joints.h"
#include "columns/tension.h"

#include <stdlib.h>
#include <string.h>

#define ODD_PIPE 0x40000000u // as kernels/later.glsl has them
#define TURNED_PIPE 0x80000000u

#define UNDER_WORDS 7 // of a column that is fallen into; the last is the card's own

// Columns of a source: one for each thread of the kernel.
#define EACH_MOST 256

static const size_t word = sizeof(uint32_t);

void rv_card_free_later(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->later) rv_free(&s->allocator, c->later, 1, sizeof *c->later);
    c->later = NULL;
}

// ---- What is sent -------------------------------------------------------------------------------

void rv_card_put_double(uint32_t *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    out[0] = (uint32_t)bits, out[1] = (uint32_t)(bits >> 32);
}

double rv_card_double_at(const uint32_t *in)
{
    uint64_t bits = in[0] | (uint64_t)in[1] << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Whether no column is there twice.
static bool are_others(const uint32_t *columns, uint32_t count)
{
    uint32_t sorted[RV_LATER_COLUMNS];
    for (uint32_t k = 0; k < count; k++) sorted[k] = columns[4 * k];
    qsort(sorted, count, sizeof *sorted, rv_by_word);
    for (uint32_t k = 1; k < count; k++)
        if (sorted[k] == sorted[k - 1]) return false;
    return true;
}

void rv_card_put_column(const rv_engine *s, uint32_t slot, uint32_t out[4])
{
    uint32_t row = rv_pipes_row_of(s, slot);
    uint32_t block = (slot - s->row[row].first) >> s->block_shift;
    out[0] = slot, out[1] = (uint32_t)rv_plane_of(s->columns, slot)->pitch;
    out[2] = 2 * row + (block >> 5), out[3] = 1u << (block & 31);
}

// Sources and their columns. false: there are too many, or some are of two.
static bool put_giving(rv_engine *s, const rv_later *what)
{
    rv_card_later *l = s->card->later;
    uint32_t made[RV_LATER_COLUMN - RV_LATER_SPAN + 4 * RV_LATER_COLUMNS] = {0}, n = 0;
    uint32_t *spans = made, *columns = made + (RV_LATER_COLUMN - RV_LATER_SPAN);
    if (what->giving_count > RV_LATER_GIVING) return false;
    for (int f = 0; f < what->giving_count; f++) {
        const rv_giving *g = &what->giving[f];
        if (g->count > EACH_MOST || (uint32_t)g->count > RV_LATER_COLUMNS - n) return false;
        spans[2 * f] = n, spans[2 * f + 1] = (uint32_t)g->count;
        for (int k = 0; k < g->count; k++)
            rv_card_put_column(s, (uint32_t)g->slots[k], columns + 4 * n++);
    }
    size_t bytes = (RV_LATER_COLUMN - RV_LATER_SPAN + 4 * n) * word;
    if (l->sent && memcmp(l->word + RV_LATER_SPAN, made, bytes) == 0) return true;
    if (!are_others(columns, n)) return false;
    memcpy(l->word + RV_LATER_SPAN, made, bytes);
    return rv_card_send(s, RV_AT_LIST, (RV_LATER_AT + RV_LATER_SPAN) * word, made, bytes);
}

// A pipe with an edge at its higher end, if liquid can hang there. false: there are too many.
static bool put_fall(const rv_engine *s, const rv_later *what, uint32_t pipe, rv_fall fall)
{
    rv_card_later *l = s->card->later;
    const rv_column_set *c = s->columns;
    double most = (double)c->min[fall.from] - what->clear - (double)c->base[fall.to];
    if (what->edges[fall.from] <= 0 || !(most >= -1e-9)) return true;
    if (l->fall_count == RV_LATER_FALLS) return false;
    l->fall[l->fall_count++] = (rv_card_fall){fall, pipe};
    return true;
}

// Of odd pipe i, along it or back.
static bool put_odd_fall(const rv_engine *s, const rv_later *what, uint32_t i, bool back)
{
    return put_fall(s, what, i | ODD_PIPE | (back ? TURNED_PIPE : 0), rv_pipes_fall_of(s, i, back));
}

// By what they fall into, and then as the world takes them.
static int by_column(const void *a, const void *b)
{
    const rv_fall *p = &((const rv_card_fall *)a)->fall, *q = &((const rv_card_fall *)b)->fall;
    if (p->to != q->to) return p->to < q->to ? -1 : 1;
    if (p->dy != q->dy) return p->dy < q->dy ? -1 : 1;
    if (p->dx != q->dx) return p->dx < q->dx ? -1 : 1;
    return p->from < q->from ? -1 : p->from > q->from;
}

static void put_words(rv_engine *s)
{
    rv_card_later *l = s->card->later;
    uint32_t under = 0;
    for (uint32_t k = 0; k < l->fall_count; k++) {
        const rv_fall *f = &l->fall[k].fall;
        uint32_t *column = l->word + RV_LATER_UNDER + UNDER_WORDS * under;
        if (k == 0 || f->to != l->fall[k - 1].fall.to) {
            rv_card_put_column(s, (uint32_t)f->to, column);
            column[4] = k, column[5] = 0, under++;
        } else {
            column -= UNDER_WORDS;
        }
        column[5]++;
        uint32_t *out = l->word + RV_LATER_FALL + 4 * k;
        out[0] = l->fall[k].pipe, out[1] = (uint32_t)f->from, out[3] = under - 1;
        memcpy(&out[2], &s->columns->min[f->from], sizeof(float));
    }
    l->word[RV_LATER_UNDER_COUNT] = under, l->word[RV_LATER_FALL_COUNT] = l->fall_count;
}

// All pipes that liquid may fall through. false: there are too many.
static bool put_falls(rv_engine *s, const rv_later *what)
{
    rv_card_later *l = s->card->later;
    bool fits = true;
    l->fall_count = 0;
    for (uint32_t i = 0; what->edges && i < s->odd_count && fits; i++)
        if (s->odd[i].b != RV_NO_SLOT)
            fits = put_odd_fall(s, what, i, false) && put_odd_fall(s, what, i, true);
    for (int i = 0; what->edges && i < what->brink_count && fits; i++) {
        const rv_brink *b = &what->brinks[i];
        uint32_t place = (uint32_t)(b->low + (b->fall.dy != 0 ? s->slots : 0));
        bool back = b->fall.dx + b->fall.dy < 0;
        fits = put_fall(s, what, place | (back ? TURNED_PIPE : 0), b->fall);
    }
    if (!fits) return false;
    if (l->fall_count > 0) qsort(l->fall, l->fall_count, sizeof *l->fall, by_column);
    put_words(s);
    memset(l->word + RV_LATER_SITE, 255, l->fall_count * word); // not sent yet
    return rv_card_send(s, RV_AT_LIST, (RV_LATER_AT + RV_LATER_UNDER) * word,
                        l->word + RV_LATER_UNDER,
                        UNDER_WORDS * l->word[RV_LATER_UNDER_COUNT] * word) &&
           rv_card_send(s, RV_AT_LIST, (RV_LATER_AT + RV_LATER_FALL) * word,
                        l->word + RV_LATER_FALL, 4 * l->fall_count * word);
}

// What hangs at their edges.
static bool put_sites(rv_engine *s, const rv_later *what)
{
    rv_card_later *l = s->card->later;
    bool same = true;
    for (uint32_t k = 0; k < l->fall_count; k++) {
        uint32_t site = what->sites[what->edges[l->fall[k].fall.from] - 1];
        same = same && l->word[RV_LATER_SITE + k] == site;
        l->word[RV_LATER_SITE + k] = site;
    }
    return same || rv_card_send(s, RV_AT_LIST, (RV_LATER_AT + RV_LATER_SITE) * word,
                                l->word + RV_LATER_SITE, l->fall_count * word);
}

// How many there are, volumes, what is owed and what may be left.
static bool put_amounts(rv_engine *s, const rv_later *what)
{
    rv_card_later *l = s->card->later;
    l->word[0] = (uint32_t)what->giving_count;
    l->word[RV_LATER_ANEW] = 1;
    rv_card_put_double(l->word + RV_LATER_AREA, what->area);
    rv_card_put_double(l->word + RV_LATER_DROP, what->clear);
    rv_card_put_double(l->word + RV_LATER_TIME, s->span);
    for (int f = 0; f < what->giving_count; f++) {
        const rv_giving *g = &what->giving[f];
        rv_card_put_double(l->word + RV_LATER_VOLUME + 2 * f, g->volume);
        rv_card_put_double(l->word + RV_LATER_OWED + 2 * f, g->owed);
        rv_card_put_double(l->word + RV_LATER_SWALLOWED + 2 * f, g->swallowed);
    }
    return rv_card_send(s, RV_AT_LIST, RV_LATER_AT * word, l->word, RV_LATER_SPAN * word);
}

// The first after all was known: everything that is other than last time.
static bool put_first(rv_engine *s, const rv_later *what)
{
    rv_card_later *l = s->card->later;
    if (!put_giving(s, what)) return false;
    if ((!l->sent || l->changes != what->changes) && !put_falls(s, what)) return false;
    l->changes = what->changes, l->sent = true;
    return put_sites(s, what) && put_amounts(s, what);
}

// Others go on with the columns of the first, and with what that left owed.
static bool put_next(rv_engine *s, const rv_later *what)
{
    rv_card_later *l = s->card->later;
    uint32_t volumes[2 * RV_LATER_GIVING] = {0};
    size_t bytes = 2 * (size_t)what->giving_count * word;
    if (what->giving != l->asked.giving || what->giving_count != l->asked.giving_count ||
        what->changes != l->changes || rv_card_double_at(l->word + RV_LATER_TIME) != s->span)
        return false;
    for (int f = 0; f < what->giving_count; f++)
        rv_card_put_double(volumes + 2 * f, what->giving[f].volume);
    if (memcmp(l->word + RV_LATER_VOLUME, volumes, bytes) == 0) return true;
    memcpy(l->word + RV_LATER_VOLUME, volumes, bytes);
    return rv_card_send(s, RV_AT_LIST, (RV_LATER_AT + RV_LATER_VOLUME) * word, volumes, bytes);
}

// ---- Asking, and what came of it ----------------------------------------------------------------

static bool can_ask(const rv_card *c)
{
    return c && (c->ahead_count > 0 || c->untold) && !c->one_by_one && !c->divided &&
           !c->host_fresh && c->card_fresh && c->trouble == RV_OK &&
           c->dirty_count + c->pushed_count == 0;
}

// Where a source finds no room under a ceiling it will not soon.
#define SHY 32

bool rv_card_later_too(rv_engine *s, const rv_later *what)
{
    rv_card *c = s->card;
    if (!can_ask(c) || s->slots >= ODD_PIPE / 2) return false;
    if (!c->later) c->later = rv_new(&s->allocator, 1, sizeof *c->later);
    if (!c->later) return false;
    if ((c->untold || c->passing) && c->later->shy > 0) {
        c->later->shy--;
        return false;
    }
    // whether columns are others than were sent is asked before that is known to be so no more
    if (!rv_card_put_trade(s, what)) return false;
    if (!(c->later->pending ? put_next(s, what) : put_first(s, what))) {
        if (!c->later->pending) c->later->sent = false;
        return false;
    }
    rv_card_ahead *last = rv_card_last(c);
    c->constants.list_at = RV_LATER_AT;
    rv_card_call_after(s, "later", rv_card_later_ease(s), (const uint32_t[3]){1, 1, 1});
    rv_card_call_trade(s);
    last->later = what->number + 1;
    c->later->asked = *what, c->later->pending++;
    return true;
}

unsigned rv_card_later_ease(const rv_engine *s)
{
    return rv_card_common_ease(s) | (s->card->twin ? RV_EASE_TWIN : 0) |
           (s->card->device->doubles ? RV_EASE_DOUBLES : 0) |
           (rv_card_has_full(s) ? RV_EASE_PASSAGES : 0);
}

#define FELL_FIRST 256u // of what fell, that is read with how much it is
#define FELL_AT (RV_LATER_FELL - RV_LATER_LOG)

int rv_card_ask_later(const rv_engine *s, rv_card_ask *asks)
{
    rv_card_later *l = s->card->later;
    if (!l || l->pending == 0) return 0;
    size_t count = s->card->untold ? 1 : (size_t)s->card->ahead_count;
    size_t words = 2 * (size_t)l->asked.giving_count * (count + s->card->told_at);
    if (l->fell_read < FELL_FIRST) l->fell_read = FELL_FIRST;
    if (l->fall_count > 0) words = FELL_AT + 4 * l->fell_read;
    asks[0] = (rv_card_ask){RV_AT_LIST, (RV_LATER_AT + RV_LATER_LOG) * word, l->log, words * word};
    int n = words > 0;
    return n + rv_card_ask_trade(s, count + s->card->told_at, &asks[n]);
}

// More fell than was read: the rest. As much as that is read the next time.
static void read_fell(rv_engine *s)
{
    rv_card_later *l = s->card->later;
    uint32_t n = l->fell_read, all = l->log[FELL_AT - 1];
    if (all > RV_LATER_FALLS) all = RV_LATER_FALLS;
    if (all > n)
        rv_card_fetch(s, RV_AT_LIST, (RV_LATER_AT + RV_LATER_FELL + 4 * n) * word,
                      l->log + FELL_AT + 4 * n, 4 * (all - n) * word);
    l->fell_count = all;
    l->fell_read = all < FELL_FIRST ? FELL_FIRST : all < RV_LATER_FALLS / 2 ? all + all / 4 : all;
}

static float float_at(const uint32_t *in)
{
    float value;
    memcpy(&value, in, sizeof value);
    return value;
}

// What fell after the k-th substep, which the card has as `there`.
static void tell_fell(rv_engine *s, int k, int there)
{
    rv_card_later *l = s->card->later;
    double dt = rv_card_double_at(l->word + RV_LATER_TIME);
    int n = 0;
    for (uint32_t i = 0; i < l->fell_count; i++) {
        const uint32_t *in = l->log + FELL_AT + 4 * i;
        if ((int)(in[0] >> 16) != there || (in[0] & 65535) >= l->fall_count) continue;
        rv_fall fall = l->fall[in[0] & 65535].fall;
        fall.volume = dt * (double)float_at(in + 1);
        l->told[n++] = (rv_fallen){fall, (double)float_at(in + 3) - (double)float_at(in + 2)};
    }
    if (n > 0) l->asked.fell(l->asked.user, s->card->ahead[k].later - 1, l->told, n);
}

void rv_card_took(rv_engine *s, uint32_t (*status)[RV_STATUS_WORDS], int first, int count)
{
    rv_card *c = s->card;
    rv_card_later *l = c->later;
    if (!l || l->pending == 0) return;
    size_t giving = (size_t)l->asked.giving_count;
    l->fell_count = 0;
    if (l->fall_count > 0) read_fell(s);
    for (int k = 0; k < count; k++) {
        double left[RV_LATER_GIVING], taken[RV_TRADE_DRAINS], owed[RV_TRADE_DRAINS];
        rv_later_told told = {.left = left};
        rv_later_done done = rv_card_later_done(status[k]);
        if (!c->ahead[k].later || done == RV_DONE_NOTHING) continue;
        tell_fell(s, k, first + k);
        if (done == RV_DONE_FELL) continue;
        for (size_t f = 0; f < giving; f++)
            left[f] = rv_card_double_at(l->log + 2 * (giving * (size_t)(first + k) + f));
        rv_card_tell_trade(c, first + k, &told, taken, owed);
        l->asked.told(l->asked.user, c->ahead[k].later - 1, &told, done);
    }
    l->pending = 0;
}

rv_later_done rv_card_later_done(const uint32_t status[RV_STATUS_WORDS])
{
    static const rv_later_done done[] = {RV_DONE_ALL, RV_DONE_NOTHING, RV_DONE_FELL, RV_DONE_GAVE};
    return done[status[RV_STATUS_LATER] & 3];
}

void rv_card_do_later(rv_engine *s, int later, rv_later_done done)
{
    if (!s->card || !later) return;
    if (rv_passages_active(s) || s->card->passing) s->card->later->shy = SHY;
    const rv_later what = s->card->later->asked;
    what.redo(what.user, later - 1, done);
    const rv_card *c = s->card; // it may be gone
    if (c && !c->host_fresh && c->card_fresh && c->trouble == RV_OK) rv_card_push_few(s);
}

void rv_card_end_step(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_ask asks[3];
    if (!c || (c->ahead_count == 0 && !c->untold)) return;
    int rested = s->tense && s->params.tension_rest > 0.0 ? rv_card_ask_rested(s, asks) : 0;
    bool habit = rv_card_ask_habit(s, &asks[rested]);
    rv_card_call_watcher(s);
    bool good = rv_card_settle_and(s, asks, rested + habit);
    if (s->card) s->card->rested_fresh = good && rested > 0;
    if (habit) rv_card_take_habit(s, good);
}

void rv_card_begin_step(rv_engine *s)
{
    rv_card_end_scan(s);
    rv_card_end_step(s);
    if (s->card && s->card->joined > 0) s->card->joined--;
}
