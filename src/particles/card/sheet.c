// Form height: the columns in the card's memory, for who makes a surface of them there
// (src/surface/card/). They follow from the sums of the substep that ended the last step; where the
// columns here are newer, these are sent.
#include "particles/card/card.h"

#include <string.h>

// Depths, then fluxes, then by cell which column it has and what that is owed.
enum { DEPTH, FLUX, CELLS, PARTS };

static size_t cells_of(const rv_splat *s)
{
    return (size_t)s->grid.n[0] * (size_t)s->grid.n[1];
}

void rv_grain_free_sheet(rv_splat *s)
{
    rv_grain_sheet *h = &s->card->sheet;
    const rv_device *d = s->card->device;
    for (int k = 0; k < PARTS; k++) d->free_buffer(d->user, h->buffer[k]);
    rv_free(&s->allocator, h->words, h->words ? 2 * cells_of(s) : 0, sizeof *h->words);
    *h = (rv_grain_sheet){0};
}

// A card without this much memory has the surface made here.
static bool take_sheet(rv_splat *s)
{
    rv_grain_sheet *h = &s->card->sheet;
    const rv_device *d = s->card->device;
    size_t slots = s->columns->slots, cells = cells_of(s);
    const size_t bytes[PARTS] = {slots * sizeof(float), 2 * slots * sizeof(float),
                                 2 * cells * sizeof *h->words};
    if (h->slots == slots && h->words) return true;
    rv_grain_free_sheet(s);
    h->words = rv_new(&s->allocator, 2 * cells, sizeof *h->words);
    bool good = h->words;
    for (int k = 0; k < PARTS && good; k++)
        good = d->make_buffer(d->user, bytes[k], &h->buffer[k]) == RV_OK;
    if (!good) rv_grain_free_sheet(s);
    h->slots = good ? slots : 0;
    return good;
}

static bool send(rv_splat *s, int to, size_t at, const void *data, size_t bytes)
{
    const rv_device *d = s->card->device;
    rv_result r = d->write(d->user, s->card->sheet.buffer[to], at, data, bytes);
    if (r != RV_OK) rv_grain_fail(s, r);
    return r == RV_OK;
}

// Which column each cell has, where others may have come.
static bool send_sky(rv_splat *s)
{
    rv_grain_sheet *h = &s->card->sheet;
    size_t cells = cells_of(s);
    if (h->sky_fresh) return true;
    for (size_t i = 0; i < cells; i++)
        h->words[i] = s->sky[i] == SIZE_MAX ? UINT32_MAX : (uint32_t)s->sky[i];
    h->sky_fresh = true;
    return send(s, CELLS, 0, h->words, cells * sizeof *h->words);
}

// What columns are owed, if any is.
static bool send_owed(rv_splat *s)
{
    rv_grain_sheet *h = &s->card->sheet;
    size_t cells = cells_of(s), slots = s->columns->slots, i = 0;
    float *owed = (float *)h->words + cells;
    while (i < slots && !(s->owed[i] > 0.0f || s->owed[i] < 0.0f)) i++;
    h->owes = i < slots;
    if (!h->owes) return true;
    for (size_t k = 0; k < cells; k++) owed[k] = s->sky[k] == SIZE_MAX ? 0.0f : s->owed[s->sky[k]];
    return send(s, CELLS, cells * sizeof *owed, owed, cells * sizeof *owed);
}

// The columns here are as they are.
static bool send_columns(rv_splat *s)
{
    size_t bytes = s->columns->slots * sizeof(float);
    return send(s, DEPTH, 0, s->depth, bytes) && send(s, FLUX, 0, s->flux_x, bytes) &&
           send(s, FLUX, bytes, s->flux_y, bytes);
}

static bool make_columns(rv_splat *s)
{
    rv_grain_card *c = s->card;
    rv_device_buffer *own[RV_GRAIN_BINDINGS];
    if (!send_sky(s) || !send_owed(s)) return false;
    memcpy(own, c->buffer, sizeof own);
    if (c->columns_in_twin) c->buffer[RV_GRAIN_FIELDS] = c->twin;
    c->buffer[RV_GRAIN_FACES] = c->sheet.buffer[DEPTH];
    c->buffer[RV_GRAIN_LEVELS] = c->sheet.buffer[FLUX];
    c->buffer[RV_GRAIN_SHOWN] = c->sheet.buffer[CELLS];
    c->constants.most = c->sheet.owes, c->constants.boxes_at = (uint32_t)s->columns->slots;
    rv_splat_columns_scale(s, c->columns_sum, c->columns_count, &c->constants.column_deep,
                           &c->constants.column_flow);
    rv_grain_call_many(s, "columns", 0, cells_of(s));
    if (s->card) memcpy(c->buffer, own, sizeof own);
    return s->card;
}

bool rv_grain_columns_there(rv_splat *s, rv_card_liquid *out)
{
    rv_grain_sync(s);
    if (!s->card || s->grid.up >= 0 || s->body_count > 0 || !take_sheet(s)) return false;
    if (!(s->card->columns_due ? make_columns(s) : send_columns(s))) return false;
    rv_grain_sheet *h = &s->card->sheet;
    *out = (rv_card_liquid){s->card->device, h->buffer[DEPTH], h->buffer[FLUX], NULL, ++h->lent};
    return true;
}
