// Lists of words that cross between here and a card, where only a few of its particles or cells are
// wanted: what bodies do (bodies.c), and which particles are near where new ones come.
#include "particles/card/card.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_AT 8 // words; kernels/beside.glsl

// ---- Lists --------------------------------------------------------------------------------------

// Room for so many words, here and there. NULL: there is none, and the card has failed.
uint32_t *rv_grain_list_room(rv_splat *s, size_t words)
{
    rv_grain_card *c = s->card;
    if (c->list_room >= words) return c->list;
    size_t room = words + words / 2;
    uint32_t *fresh = rv_new(&s->allocator, room, sizeof *fresh);
    rv_device_buffer *there = NULL;
    rv_result result = fresh ? RV_OK : RV_OUT_OF_MEMORY;
    if (fresh) result = c->device->make_buffer(c->device->user, room * sizeof *fresh, &there);
    if (result != RV_OK) {
        rv_free(&s->allocator, fresh, room, sizeof *fresh);
        rv_grain_fail(s, result);
        return NULL;
    }
    rv_free(&s->allocator, c->list, c->list_room, sizeof *fresh);
    c->device->free_buffer(c->device->user, c->listed);
    c->list = fresh, c->listed = there, c->list_room = room;
    return fresh;
}

// Some words of the list, there or back.
static bool bring(rv_splat *s, size_t at, size_t words, bool there)
{
    const rv_grain_card *c = s->card;
    const rv_device *d = c->device;
    size_t from = at * sizeof *c->list, bytes = words * sizeof *c->list;
    rv_result r = there ? d->write(d->user, c->listed, from, c->list + at, bytes)
                        : d->fetch(d->user, c->listed, from, c->list + at, bytes);
    if (r != RV_OK) rv_grain_fail(s, r);
    return r == RV_OK;
}

bool rv_grain_send_list(rv_splat *s, size_t at, size_t words)
{
    return bring(s, at, words, true);
}

bool rv_grain_fetch_list(rv_splat *s, size_t at, size_t words)
{
    return bring(s, at, words, false);
}

// A kernel over `count` of what is listed; `at`: words before it.
bool rv_grain_call_list(rv_splat *s, const char *name, size_t count, size_t at)
{
    rv_grain_card *c = s->card;
    c->constants.most = (uint32_t)count, c->constants.boxes_at = (uint32_t)at;
    rv_grain_call_many(s, name, RV_GRAIN_LISTED, count > 0 ? count : 1);
    return s->card;
}

// ---- Places -------------------------------------------------------------------------------------

bool rv_grain_know(rv_splat *s, const double low[3], const double high[3])
{
    size_t item = 1 + (size_t)s->grid.axes, most = (size_t)s->count;
    rv_grain_sync(s);
    if (!s->card) return false;
    uint32_t *words = rv_grain_list_room(s, PLACES_AT + item * most);
    if (!words) return false;
    words[0] = 0;
    for (size_t c = 0; c < 3; c++) { // a little more: floats may be rounded either way
        float corner[2] = {(float)(low[c] - 0.01), (float)(high[c] + 0.01)};
        memcpy(words + 1 + c, &corner[0], sizeof *corner);
        memcpy(words + 4 + c, &corner[1], sizeof *corner);
    }
    size_t guess = s->card->near_count + s->card->near_count / 4 + 64;
    guess = guess < most ? guess : most;
    if (!rv_grain_send_list(s, 0, PLACES_AT) || !rv_grain_call_list(s, "beside", most, 0) ||
        !rv_grain_fetch_list(s, 0, PLACES_AT + item * guess))
        return false;
    s->card->near_count = s->card->list[0];
    return s->card->near_count <= guess ||
           rv_grain_fetch_list(s, PLACES_AT + item * guess, item * (s->card->near_count - guess));
}

const uint32_t *rv_grain_known(const rv_splat *s, size_t *count)
{
    *count = s->card->near_count;
    return s->card->list + PLACES_AT;
}

uint32_t *rv_grain_known_in_order(rv_splat *s, size_t *count)
{
    uint32_t *near = s->card->list + PLACES_AT;
    *count = s->card->near_count;
    qsort(near, *count, (1 + (size_t)s->grid.axes) * sizeof *near, rv_by_word);
    return near;
}

void rv_grain_remove(rv_splat *s, size_t count)
{
    s->card->near_count = 0; // the list is another one now
    s->sorted = s->sent = s->sent - (int64_t)count;
    if (count == 0 || !rv_grain_send_list(s, PLACES_AT, count) ||
        !rv_grain_call_list(s, "gone", count, PLACES_AT))
        return;
    rv_grain_sort(s, s->sent + (int64_t)count);
    if (s->card) s->card->there = s->sent;
}
