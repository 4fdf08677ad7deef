// Few columns at a time: sources and drains look at some and change some in every substep, and the
// rest stays on the card. What is looked at is stamped; only depths of stamped columns are changed
// here, and go back before the next substep.
#include "columns/card/card.h"

#include "columns/joints.h"
#include "columns/tension.h"

#include <string.h>

#define MOST 8192 // columns at a time; for more all are brought

static bool takes_few(const rv_engine *s)
{
    const rv_card *c = s->card;
    return c && !c->host_fresh && c->card_fresh && c->trouble == RV_OK;
}

static bool take_stamps(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->stamp_count == s->slots) return true;
    rv_free(&s->allocator, c->stamp, c->stamp_count, sizeof *c->stamp);
    c->stamp_count = 0;
    c->stamp = rv_new(&s->allocator, s->slots, sizeof *c->stamp);
    if (!c->stamp) return false;
    c->stamp_count = s->slots, c->stamp_now = 1;
    return true;
}

void rv_card_forget_few(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c) return;
    c->dirty_count = 0;
    if (++c->stamp_now != 0) return;
    if (c->stamp) memset(c->stamp, 0, c->stamp_count * sizeof *c->stamp);
    c->stamp_now = 1;
}

static size_t pitch_of(const rv_engine *s, size_t slot)
{
    return (size_t)rv_plane_of(s->columns, (uint32_t)slot)->pitch;
}

// Puts one column's answer where the engine has it.
static void put(rv_engine *s, size_t slot, const float answer[6])
{
    size_t pitch = pitch_of(s, slot);
    s->card->stamp[slot] = s->card->stamp_now;
    s->depth[slot] = answer[0];
    if (s->tense) s->tension->rest[slot] = (uint8_t)answer[5];
    if (!s->flow) return;
    s->speed[RV_WAY_X][slot - 1] = answer[1], s->speed[RV_WAY_X][slot] = answer[2];
    s->speed[RV_WAY_Y][slot - pitch] = answer[3], s->speed[RV_WAY_Y][slot] = answer[4];
}

bool rv_card_look(rv_engine *s, const size_t *slots, int count)
{
    rv_card *c = s->card;
    if (!c) return true;
    rv_card_settle(s);
    if (!s->card) return true;
    if (c->host_fresh && c->card_fresh) return true; // so are all
    if (!takes_few(s) || count > MOST || !take_stamps(s)) return false;
    uint32_t *pack = c->pack, n = 0;
    for (int k = 0; k < count && n < MOST; k++) {
        if (slots[k] >= s->slots || !rv_column_exists(s->columns, slots[k])) continue;
        if (c->stamp[slots[k]] == c->stamp_now) continue;
        pack[2 * n] = (uint32_t)slots[k], pack[2 * n + 1] = (uint32_t)pitch_of(s, slots[k]);
        n++;
    }
    if (n == 0) return true;
    if (8 * (size_t)n > c->pack_count) return false;
    rv_card_send(s, RV_AT_LIST, 0, pack, 2 * n * sizeof *pack);
    rv_card_call_few(s, "gather", (s->flow ? RV_EASE_FLOW : 0) | (s->tense ? RV_EASE_TENSE : 0), n);
    uint32_t *answers = pack + 2 * n;
    if (!rv_card_read(s, RV_AT_LIST, 2 * n * sizeof *pack, answers, 6 * n * sizeof *pack))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        float answer[6];
        memcpy(answer, answers + 6 * k, sizeof answer);
        put(s, pack[2 * k], answer);
    }
    return true;
}

// ---- Changes ------------------------------------------------------------------------------------

// Whether entries are all of depth, of columns that can be looked at.
bool rv_card_trade(rv_engine *s, rv_entry *entries, int count)
{
    rv_card *c = s->card;
    size_t slots[64];
    if (!c) return false;
    for (int k = 0; k < count; k++)
        if (entries[k].kind != RV_ENTRY_ADD || entries[k].still) return false;
    for (int first = 0; first < count; first += 64) {
        int n = count - first < 64 ? count - first : 64;
        for (int k = 0; k < n; k++) slots[k] = entries[first + k].slot;
        if (!rv_card_look(s, slots, n) || !s->card) return false;
    }
    if (c->dirty_count + (uint32_t)count > RV_CARD_DIRTY) return false;
    for (int k = 0; k < count; k++)
        if (entries[k].slot < s->slots) c->dirty[c->dirty_count++] = (uint32_t)entries[k].slot;
    rv_pipes_exchange(s, entries, count);
    return true;
}

// Depths that were changed here, to the card.
void rv_card_push_few(rv_engine *s)
{
    rv_card *c = s->card;
    uint32_t *pack = c->pack, n = 0, room = (uint32_t)(c->pack_count / 5);
    for (uint32_t k = 0; k < c->dirty_count; k++) {
        uint32_t slot = c->dirty[k], row = rv_pipes_row_of(s, slot);
        uint32_t block = (slot - s->row[row].first) >> s->block_shift;
        memcpy(&pack[5 * n + 1], &s->depth[slot], sizeof(float));
        pack[5 * n] = slot, pack[5 * n + 2] = 2 * row + (block >> 5);
        pack[5 * n + 3] = 1u << (block & 31);
        pack[5 * n + 4] = s->tense ? s->tension->rest[slot] : 0;
        if (++n < room && k + 1 < c->dirty_count) continue;
        rv_card_send(s, RV_AT_LIST, 0, pack, 5 * n * sizeof *pack);
        rv_card_call_few(s, "scatter",
                         (s->tense ? RV_EASE_TENSE : 0) | (c->twin ? RV_EASE_TWIN : 0), n);
        n = 0;
    }
    rv_card_forget_few(s);
}

// ---- All of them, without bringing them ---------------------------------------------------------

bool rv_card_scan(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c) return false;
    rv_card_settle(s);
    if (!s->card || !takes_few(s) || s->eight) return false;
    rv_card_push_few(s);
    if (s->tense) memset(s->tension->asleep, 0, s->row_count * sizeof *s->tension->asleep);
    rv_card_send_asleep(s);
    if (!rv_card_look_at_all(s)) return false;
    rv_rest_restored(s);
    if (s->tense && s->tension->sleeping) rv_card_look_again(s);
    return c->trouble == RV_OK;
}
