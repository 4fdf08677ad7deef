// What inflow borders give and drains take after substeps, on the card: beside what is asked for
// later (later.c), with its columns, amounts and log. The card must have doubles.
#include "columns/card/card.h"

#include <string.h>

static const size_t word = sizeof(uint32_t);

void rv_card_free_trade(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->trade) rv_free(&s->allocator, c->trade, 1, sizeof *c->trade);
    c->trade = NULL;
}

static bool send(rv_engine *s, size_t at, const uint32_t *words, size_t count)
{
    return rv_card_send(s, RV_AT_LIST, (RV_TRADE_AT + at) * word, words, count * word);
}

// Columns of drains, and then of cells. false: they are too many.
static bool put_columns(rv_engine *s, const rv_later *what)
{
    rv_card_trade_work *t = s->card->trade;
    const rv_pouring *p = what->pouring;
    uint32_t n = 0, *columns = t->word + RV_TRADE_COLUMN;
    for (int d = 0; d < what->draining_count; d++) {
        const rv_draining *g = &what->draining[d];
        if ((uint32_t)g->count > RV_TRADE_COLUMNS - n) return false;
        t->word[RV_TRADE_SPAN + 2 * d] = n, t->word[RV_TRADE_SPAN + 2 * d + 1] = (uint32_t)g->count;
        for (int k = 0; k < g->count; k++)
            rv_card_put_column(s, (uint32_t)g->slots[k], columns + 4 * n++);
    }
    int cells = p ? p->cells : 0;
    if (cells > RV_TRADE_CELLS || (p && (uint32_t)p->first[cells] > RV_TRADE_COLUMNS - n))
        return false;
    for (int c = 0; c < cells; c++) {
        uint32_t *cell = t->word + RV_TRADE_CELL + 4 * c;
        cell[0] = n, cell[1] = (uint32_t)(p->first[c + 1] - p->first[c]);
        rv_card_put_double(cell + 2, p->rate[c]);
        for (int k = p->first[c]; k < p->first[c + 1]; k++)
            rv_card_put_column(s, (uint32_t)p->slots[k], columns + 4 * n++);
    }
    return send(s, RV_TRADE_CELL, t->word + RV_TRADE_CELL, 4 * (size_t)cells) &&
           send(s, RV_TRADE_COLUMN, columns, 4 * (size_t)n);
}

// Whether the card has these: drains may be others, or elsewhere, and cells may get more.
static bool has_columns(const rv_card_trade_work *t, const rv_later *what)
{
    const rv_pouring *p = what->pouring;
    const uint32_t *column = t->word + RV_TRADE_COLUMN;
    if (t->drains != what->draining_count || t->cells != (p ? p->cells : 0)) return false;
    for (int d = 0; d < t->drains; d++) {
        const rv_draining *g = &what->draining[d];
        if (t->word[RV_TRADE_SPAN + 2 * d + 1] != (uint32_t)g->count) return false;
        for (int k = 0; k < g->count; k++, column += 4)
            if (column[0] != (uint32_t)g->slots[k]) return false;
    }
    for (int c = 0; c < t->cells; c++)
        if (rv_card_double_at(t->word + RV_TRADE_CELL + 4 * c + 2) != p->rate[c]) return false;
    return true;
}

static void put_head(const rv_later *what, uint32_t head[RV_TRADE_VOLUME])
{
    const rv_pouring *p = what->pouring;
    memset(head, 0, RV_TRADE_VOLUME * word);
    head[0] = (uint32_t)what->draining_count;
    head[RV_TRADE_CELL_COUNT] = p ? (uint32_t)p->cells : 0;
    rv_card_put_double(head + RV_TRADE_AREA, what->area);
    if (!p) return;
    rv_card_put_double(head + RV_TRADE_FRESH, p->fresh);
    rv_card_put_double(head + RV_TRADE_OWED, p->owed);
    rv_card_put_double(head + RV_TRADE_TIME, p->dt);
    rv_card_put_double(head + RV_TRADE_SWALLOWED, p->swallowed);
    rv_card_put_double(head + RV_TRADE_SCALE, p->scale);
}

// The first after all was known: columns where they may be others, what is owed, and amounts.
static bool put_first(rv_engine *s, const rv_later *what, bool columns)
{
    rv_card_trade_work *t = s->card->trade;
    if (columns && !put_columns(s, what)) return false;
    put_head(what, t->word);
    for (int d = 0; d < what->draining_count; d++) {
        rv_card_put_double(t->word + RV_TRADE_VOLUME + 2 * d, what->draining[d].volume);
        rv_card_put_double(t->word + RV_TRADE_DRAIN_OWED + 2 * d, what->draining[d].owed);
        rv_card_put_double(t->word + RV_TRADE_DRAIN_SCALE + 2 * d, what->draining[d].scale);
    }
    return send(s, 0, t->word, RV_TRADE_LOG);
}

// Others go on with what that left owed. false: more is other than how much drains take.
static bool put_next(rv_engine *s, const rv_later *what)
{
    rv_card_trade_work *t = s->card->trade;
    uint32_t head[RV_TRADE_VOLUME], volumes[2 * RV_TRADE_DRAINS] = {0};
    size_t count = 2 * (size_t)what->draining_count;
    put_head(what, head);
    memcpy(head + RV_TRADE_OWED, t->word + RV_TRADE_OWED, 2 * word);
    for (int d = 0; d < what->draining_count; d++)
        rv_card_put_double(volumes + 2 * d, what->draining[d].volume);
    if (memcmp(head, t->word, sizeof head) != 0) return false;
    if (memcmp(t->word + RV_TRADE_VOLUME, volumes, count * word) == 0) return true;
    memcpy(t->word + RV_TRADE_VOLUME, volumes, count * word);
    return send(s, RV_TRADE_VOLUME, volumes, count);
}

bool rv_card_put_trade(rv_engine *s, const rv_later *what)
{
    rv_card *c = s->card;
    int cells = what->pouring ? what->pouring->cells : 0;
    bool none = what->draining_count == 0 && cells == 0;
    if (!none && !c->device->doubles) return false;
    if (!none && !c->trade) c->trade = rv_new(&s->allocator, 1, sizeof *c->trade);
    rv_card_trade_work *t = c->trade;
    if (!t) return none;
    if (c->later->pending > 0)
        return t->cells == cells && t->drains == what->draining_count &&
               (none || put_next(s, what));
    bool same =
        t->sent && c->later->sent && c->later->changes == what->changes && has_columns(t, what);
    t->sent = none || put_first(s, what, !same);
    t->cells = t->sent ? cells : 0, t->drains = t->sent ? what->draining_count : 0;
    return t->sent;
}

void rv_card_call_trade(rv_engine *s)
{
    rv_card *c = s->card;
    unsigned ease = (rv_card_common_ease(s) & (RV_EASE_FLOW | RV_EASE_TENSE)) | RV_EASE_DOUBLES |
                    (c->twin ? RV_EASE_TWIN : 0) | (rv_card_has_full(s) ? RV_EASE_PASSAGES : 0);
    if (!c->trade || c->trade->drains + c->trade->cells == 0) return;
    c->constants.list_at = RV_TRADE_AT;
    rv_card_call_after(s, "exchange", ease, (const uint32_t[3]){1, 1, 1});
}

bool rv_card_ask_trade(const rv_engine *s, size_t substeps, rv_card_ask *out)
{
    rv_card_trade_work *t = s->card->trade;
    if (!t || t->drains + t->cells == 0) return false;
    *out = (rv_card_ask){RV_AT_LIST, (RV_TRADE_AT + RV_TRADE_LOG) * word, t->log,
                         substeps * RV_TRADE_LOG_WORDS * word};
    return true;
}

void rv_card_tell_trade(const rv_card *c, int substep, rv_later_told *out, double *taken,
                        double *owed)
{
    const rv_card_trade_work *t = c->trade;
    if (!t) return;
    const uint32_t *log = t->log + RV_TRADE_LOG_WORDS * (size_t)substep;
    out->poured_left = rv_card_double_at(log);
    for (int d = 0; d < t->drains; d++) {
        taken[d] = rv_card_double_at(log + 2 + 4 * d);
        owed[d] = rv_card_double_at(log + 4 + 4 * d);
    }
    out->taken = taken, out->owed = owed;
}
