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
    c->words->holds = c->words->over = false;
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
    if (w->count == RV_CARD_WORDS && w->holds) {
        w->over = true;
        return;
    }
    if (w->count == RV_CARD_WORDS) rv_card_end_words(s);
    uint32_t *out = w->sent + w->used + 2 * w->count;
    out[0] = (uint32_t)kind, out[1] = (uint32_t)index;
    w->at[w->count++] = at;
}

// ---- Blocks -------------------------------------------------------------------------------------
// Names of words, two each; then these words, if they go to the card. Of others how many columns
// are listed, the first of these, the words, and the rest of the columns: the card fills that in,
// so such a block is the last that is sent at a time.

rv_card_block rv_card_close_words(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    rv_card_block b = {w->used, w->count};
    uint32_t *told = w->sent + b.at + 2 * b.count;
    if (!w->places) *told = 0;
    for (uint32_t k = 0; w->places && k < b.count; k++) memcpy(&told[k], w->at[k], sizeof *told);
    w->used += w->places ? 3 * b.count : 2 * b.count + 1;
    w->count = 0;
    return b;
}

uint32_t *rv_card_room(rv_engine *s, uint32_t *words)
{
    rv_card_words *w = s->card->words;
    *words = RV_WORDS_ROOM - w->used;
    return w->sent + w->used;
}

rv_card_block rv_card_close_room(rv_engine *s, uint32_t words)
{
    rv_card_words *w = s->card->words;
    rv_card_block b = {w->used, words};
    w->used += words;
    return b;
}

void rv_card_send_words(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    rv_card_send(s, RV_AT_LIST, RV_WORDS_AT * sizeof *w->sent, w->sent, w->used * sizeof *w->sent);
    w->used = 0;
}

void rv_card_call_words(rv_engine *s, rv_card_block block, bool places)
{
    if (block.count == 0) return;
    s->card->constants.list_at = RV_WORDS_AT + block.at;
    rv_card_call_few(s, "pick", places ? RV_EASE_PLACES : 0, block.count);
}

// Where answers of a block begin: how many columns are listed.
static size_t answer_at(rv_card_block block)
{
    return (RV_WORDS_AT + block.at + 2 * block.count) * sizeof(uint32_t);
}

static void put_words(rv_card_words *w, uint32_t count)
{
    const uint32_t *words = w->heard + 1 + RV_LISTED_FIRST;
    for (uint32_t k = 0; k < count; k++) memcpy(w->at[k], &words[k], sizeof *words);
}

// Those that were named so far cross.
void rv_card_end_words(rv_engine *s)
{
    rv_card_words *w = s->card->words;
    if (w->count == 0) return;
    rv_card_block b = rv_card_close_words(s);
    size_t skipped = (1 + RV_LISTED_FIRST) * sizeof *w->heard;
    rv_card_send_words(s);
    rv_card_call_words(s, b, w->places);
    if (!w->places && rv_card_read(s, RV_AT_LIST, answer_at(b) + skipped,
                                   w->heard + 1 + RV_LISTED_FIRST, b.count * sizeof *w->heard))
        put_words(w, b.count);
}

// ---- Lists --------------------------------------------------------------------------------------

void rv_card_ask_list(rv_engine *s, bool cut, rv_card_block block)
{
    rv_card *c = s->card;
    size_t bytes = (1 + RV_LISTED_FIRST + block.count) * sizeof *c->words->heard;
    rv_card_call_listed(s, cut, block);
    if (c->trouble != RV_OK) return;
    rv_result result = c->device->read(c->device->user, c->buffer[RV_AT_LIST], answer_at(block),
                                       bytes, &c->words->ticket);
    c->words->asked = result == RV_OK;
    if (result != RV_OK) rv_card_fail(s, result);
}

bool rv_card_take_list(rv_engine *s, bool cut, rv_card_block block)
{
    rv_card *c = s->card;
    rv_card_words *w = c->words;
    uint32_t *slots = cut ? w->cut : w->near, *count = cut ? &w->cut_count : &w->near_count;
    bool done = false;
    *count = 0;
    if (!w->asked) return false;
    w->asked = false;
    rv_result result = c->device->collect(c->device->user, w->ticket, w->heard, true, &done);
    if (result != RV_OK) rv_card_fail(s, result);
    if (c->trouble != RV_OK) return false;
    put_words(w, block.count);
    uint32_t n = w->heard[0], more = n > RV_LISTED_FIRST ? n - RV_LISTED_FIRST : 0;
    size_t rest = (1 + RV_LISTED_FIRST + block.count) * sizeof n;
    if (n > RV_CARD_LISTED) return false;
    memcpy(slots, w->heard + 1, (n - more) * sizeof *slots);
    if (more > 0 && !rv_card_read(s, RV_AT_LIST, answer_at(block) + rest, slots + RV_LISTED_FIRST,
                                  more * sizeof n))
        return false;
    qsort(slots, n, sizeof *slots, rv_by_word); // the card finds them in any order
    *count = n;
    return true;
}
