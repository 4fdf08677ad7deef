// Words that cross one by one, and lists of columns that the card finds: for what the processor
// decides of a few columns between kernels (flooded.c).
#include "columns/card/card.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

bool rv_card_begin_words(rv_engine *s, bool places)
{
    rv_card *c = s->card;
    if (!c->words) c->words = rv_new(&s->allocator, 1, sizeof *c->words);
    if (!c->words) {
        rv_card_fail(s, RV_OUT_OF_MEMORY);
        return false;
    }
    c->words->count = 0, c->words->places = places;
    return true;
}

void rv_card_forget_named(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    if (w->named_count != s->slots) {
        rv_free(&s->allocator, w->named, w->named_count, sizeof *w->named);
        w->named = rv_new(&s->allocator, s->slots, sizeof *w->named);
        w->named_count = w->named ? s->slots : 0, w->named_now = 0;
    }
    if (++w->named_now < UINT32_MAX / 32) return;
    if (w->named) memset(w->named, 0, w->named_count * sizeof *w->named);
    w->named_now = 1;
}

void rv_card_free_words(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->words) rv_free(&s->allocator, c->words->named, c->words->named_count, sizeof(uint32_t));
    if (c->words) rv_free(&s->allocator, c->words, 1, sizeof *c->words);
    c->words = NULL;
}

void rv_card_word(rv_engine *s, rv_card_kind kind, size_t index, float *at)
{
    rv_card_words *w = s->card->words;
    if (w->count == RV_CARD_WORDS) rv_card_end_words(s);
    w->sent[2 * w->count] = (uint32_t)kind, w->sent[2 * w->count + 1] = (uint32_t)index;
    w->at[w->count++] = at;
}

// Sends the names of `n` words, and what goes there; else *ask is for what comes back.
static void call_pick(rv_engine *s, uint32_t n, rv_card_ask *ask)
{
    rv_card_words *w = s->card->words;
    uint32_t *told = w->sent + 2 * n;
    size_t named = 2 * n * sizeof *told, words = n * sizeof *told;
    for (uint32_t k = 0; w->places && k < n; k++) memcpy(&told[k], w->at[k], sizeof *told);
    rv_card_send(s, RV_AT_LIST, 0, w->sent, w->places ? named + words : named);
    rv_card_call_few(s, "pick", w->places ? RV_EASE_PLACES : 0, n);
    *ask = (rv_card_ask){RV_AT_LIST, named, told, words};
}

static void put_words(const rv_card_words *w, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) memcpy(w->at[k], &w->sent[2 * n + k], sizeof *w->sent);
}

// Those that were named so far cross.
void rv_card_end_words(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    rv_card_ask ask;
    uint32_t n = w->count;
    w->count = 0;
    if (n == 0) return;
    call_pick(s, n, &ask);
    if (!w->places && rv_card_read_all(s, &ask, 1)) put_words(w, n);
}

#define FIRST 255u // slots that are read together with how many there are

bool rv_card_list(rv_engine *s, bool cut)
{
    static const uint32_t none = 0;
    rv_card_words *w = s->card->words;
    uint32_t *slots = cut ? w->cut : w->near, *count = cut ? &w->cut_count : &w->near_count;
    uint32_t head[1 + FIRST], words = w->count;
    size_t at = RV_LISTED_AT * sizeof none;
    rv_card_ask asks[2] = {{RV_AT_LIST, at, head, sizeof head}};
    *count = w->count = 0;
    rv_card_send(s, RV_AT_LIST, at, &none, sizeof none);
    rv_card_call_listed(s, cut ? RV_EASE_LIMITED : 0, RV_CARD_LISTED);
    if (words > 0) call_pick(s, words, &asks[1]);
    if (!rv_card_read_all(s, asks, words > 0 ? 2 : 1)) return false;
    put_words(w, words);
    uint32_t n = head[0], more = n > FIRST ? n - FIRST : 0;
    if (n > RV_CARD_LISTED) return false;
    memcpy(slots, head + 1, (n - more) * sizeof *slots);
    if (more > 0 && !rv_card_read(s, RV_AT_LIST, at + sizeof head, slots + FIRST, more * sizeof n))
        return false;
    qsort(slots, n, sizeof *slots, rv_by_word); // the card finds them in any order
    *count = n;
    return true;
}
