// Substeps of law `cell` of which several are one call (kernels/several.glsl): a card takes longer
// to begin a call than it takes for a small grid, and large ones are read and written once for all
// of them. They are asked for one by one, wait, and go when there are enough of them or somebody
// looks.
//
// What the card compares between substeps (docs/card.md, asking ahead), a call of several cannot:
// the greatest depth is known when all groups are done. It is told with the last one's, and where
// it was more than the next could begin with, the call does not count: what was before it is still
// there, in the other buffers, and its substeps are asked for again, one by one.
#include "columns/card/card.h"

#include <string.h>

#define ACROSS 128u   // columns side by side in a group of kernels/several.glsl
#define BAND 64u      // rows of it: so many that little is worked out twice,
#define BAND_MANY 96u // and that few processors are left without a group at the end
#define MANY 4000000u // slots
#define TIMES_MANY 2  // substeps a call, where it is memory that takes long
#define PATCH 32u     // columns each way of a group of kernels/patch.glsl

bool rv_card_takes_several(const rv_engine *s)
{
    return s->card->whole && !s->flow && !s->tense;
}

// Whether groups of patches do it; these need more memory than every card has.
static bool takes_patches(const rv_engine *s)
{
    return rv_card_is_small(s) && s->card->device->group_bytes >= 32768;
}

static int times_most(const rv_engine *s)
{
    if (s->card->device->group_bytes < 32768) return 1;
    return rv_card_is_small(s) ? RV_CARD_TIMES : TIMES_MANY;
}

static uint32_t parts_of(uint32_t all, uint32_t each)
{
    return (all + each - 1) / each;
}

static void call_several(rv_engine *s, unsigned ease, int times)
{
    rv_card *c = s->card;
    bool patches = takes_patches(s);
    uint32_t around = 4 * (uint32_t)times; // columns on both sides that others keep
    uint32_t wide = (patches ? PATCH : ACROSS) - around, high = wide;
    if (!patches) high = s->slots < MANY ? BAND : BAND_MANY;
    uint32_t groups[3] = {parts_of(c->wide, wide), parts_of(c->high, high), c->tiles[2]};
    ease |= RV_EASE_TWIN;
    c->constants.band[0] = high, c->constants.band[1] = (uint32_t)times;
    if (patches)
        rv_card_call_grid(s, "patch", ease, groups);
    else
        rv_card_call_grid(s, "several", ease | (times > 1 ? RV_EASE_TWICE : 0), groups);
}

void rv_card_make_several(rv_engine *s)
{
    unsigned ease = rv_card_flux_ease(s);
    for (int times = times_most(s); times > 0; times /= 2) call_several(s, ease, times);
}

// Of the substeps from `first` on that wait, `times` in one call.
static void call_waiting(rv_engine *s, int first, int times)
{
    rv_card *c = s->card;
    rv_card_constants *k = &c->constants;
    int before = first - 1; // the first of the call before
    while (before > 0 && c->ahead[before].times == 0) before--;
    *k = c->waiting_constants;
    rv_card_fill_places(s, k);
    memcpy(k->salts, c->waiting_salts + c->waiting - (c->ahead_count - first),
           (size_t)times * sizeof *k->salts);
    k->status_at = RV_STATUS_WORDS * (uint32_t)(first + times - 1);
    k->last_at = first > 0 ? RV_STATUS_WORDS * (uint32_t)(first - 1) : 1;
    if (before >= 0 && c->ahead[before].times > 1) k->pace_most = c->ahead[before].deep;
    for (int i = 0; i < times; i++) c->ahead[first + i].times = i == 0 ? times : 0;
    c->ahead[first].deep = k->deep_most;
    call_several(s, c->waiting_ease, times);
    rv_card_turn(s, 1, false);
}

void rv_card_flush(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->waiting == 0 || c->flushing) return;
    rv_card_constants kept = c->constants;
    int first = c->ahead_count - c->waiting;
    c->flushing = true;
    while (first < c->ahead_count) {
        int left = c->ahead_count - first, most = times_most(s), times = left < most ? left : most;
        call_waiting(s, first, times);
        first += times;
    }
    c->constants = kept, c->waiting = 0, c->flushing = false;
}

// The constants have what the card is to compare with.
void rv_card_wait(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_constants now = c->constants;
    unsigned ease = rv_card_flux_ease(s);
    rv_card_fill_law(s, &now);
    uint32_t salt = now.salt;
    now.salt = 0;
    c->ahead_count--; // those that wait are without it
    if (c->waiting > 0 &&
        (ease != c->waiting_ease || memcmp(&now, &c->waiting_constants, sizeof now) != 0))
        rv_card_flush(s);
    c->ahead_count++;
    c->waiting_constants = now, c->waiting_ease = ease;
    c->waiting_salts[c->waiting++] = salt;
    rv_card_forget_state(s);
    c->rested_fresh = false;
    if (c->waiting == times_most(s)) rv_card_flush(s);
}

int rv_card_calls(const rv_card *c, int first, int count)
{
    int calls = 0;
    for (int k = first; k < count; k += c->ahead[k].times) calls++;
    return calls;
}

// Its results stand where those of the next call go: as if it had not been.
void rv_card_undo_several(rv_engine *s)
{
    s->card->twin_fresh = false;
    rv_card_copy_fluxes(s);
    rv_card_send_bits(s, rv_card_wet_place(s->card, 1), NULL, false);
}
