// What crosses between here and the card: particles that are new, solids that changed, what came of
// substeps, and what somebody asks for.
#include "particles/card/card.h"

#include <math.h>
#include <string.h>

// ---- Failing ------------------------------------------------------------------------------------

// The particles here are those of the last time they were brought; the processor goes on with them.
void rv_grain_fail(rv_splat *s, rv_result why)
{
    if (!s->card) return;
    if (s->trouble == RV_OK) s->trouble = why;
    s->card_failed = true, s->card_said = s->card->said;
    if (s->away) s->count = s->card->host_count;
    s->away = false, s->sorted = s->sent = 0;
    if (s->count == 0) rv_splat_sort(s); // it counts as sorted
    s->shown.fresh = s->density_fresh = false;
    rv_grain_close(s);
}

static bool good(rv_splat *s, rv_result result)
{
    if (result != RV_OK) rv_grain_fail(s, result);
    return result == RV_OK;
}

bool rv_grain_send(rv_splat *s, rv_grain_binding to, size_t at, const void *data, size_t bytes)
{
    const rv_grain_card *c = s->card;
    return bytes == 0 || good(s, c->device->write(c->device->user, c->buffer[to], at, data, bytes));
}

static bool take(rv_splat *s, rv_device_buffer *from, size_t at, void *data, size_t bytes)
{
    const rv_grain_card *c = s->card;
    return bytes == 0 || good(s, c->device->fetch(c->device->user, from, at, data, bytes));
}

bool rv_grain_take(rv_splat *s, rv_grain_binding from, size_t at, void *data, size_t bytes)
{
    return s->card && take(s, s->card->buffer[from], at, data, bytes);
}

// ---- There --------------------------------------------------------------------------------------

static bool push_solids(rv_splat *s)
{
    rv_grain_card *c = s->card;
    size_t bytes = s->grid.slots * sizeof(float);
    if (c->solids_fresh) return true;
    c->solids_fresh = true;
    if (c->mirror) {
        memcpy(c->mirror, s->solid, bytes);
        memcpy(c->mirror + s->grid.slots, s->share, bytes);
    }
    return rv_grain_send(s, RV_GRAIN_SHARE, 0, s->share, bytes) &&
           rv_grain_send(s, RV_GRAIN_SOLID, 0, s->solid, bytes) &&
           (s->grid.up >= 0 || rv_grain_send(s, RV_GRAIN_SOLID, bytes, s->bed, bytes));
}

static size_t pressed_bytes(const rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    return g->up < 0 ? 0 : (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2] * sizeof *s->pressed;
}

static size_t pressed_at(const rv_splat *s)
{
    return s->card->constants.pressed_at * sizeof *s->pressed;
}

static bool push_pressed(rv_splat *s)
{
    if (s->card->pressed_fresh) return true;
    s->card->pressed_fresh = true;
    return rv_grain_send(s, RV_GRAIN_LEVELS, pressed_at(s), s->pressed, pressed_bytes(s));
}

// Foam that stands apart, behind all particles.
static size_t air_at(const rv_splat *s, int64_t first)
{
    return (size_t)s->card->room * 4 * sizeof(float) + (size_t)first * sizeof *s->air;
}

static bool push_air(rv_splat *s, int64_t first)
{
    if (!rv_splat_air_apart(s) || !rv_splat_foams(s)) return true;
    return rv_grain_send(s, RV_GRAIN_PARTICLES, air_at(s, first), s->air + first,
                         (size_t)(s->count - first) * sizeof *s->air);
}

bool rv_grain_push(rv_splat *s, bool *sent)
{
    size_t item = 2 * (size_t)rv_splat_size(s) * sizeof(float);
    *sent = s->sent != s->count || (s->count == 0 && s->card->there > 0);
    if (!s->away) s->card->host_count = s->count; // all are here, and stay
    if (!rv_grain_fit(s) || !push_solids(s) || !push_pressed(s)) return false;
    if (!*sent) return true;
    int64_t first = s->sent < s->count ? s->sent : 0;
    uint32_t count = (uint32_t)s->count;
    s->sent = s->card->there = s->count;
    return rv_grain_send(s, RV_GRAIN_PARTICLES, (size_t)first * item, rv_splat_particle(s, first),
                         (size_t)(s->count - first) * item) &&
           push_air(s, first) &&
           rv_grain_send(s, RV_GRAIN_STATUS, RV_GRAIN_COUNT * sizeof count, &count, sizeof count);
}

// ---- What came of it ----------------------------------------------------------------------------

static void take_record(rv_splat *s, const rv_grain_record *r)
{
    rv_grain_card *c = s->card;
    s->totals.border_out += (double)(s->count - (int64_t)r->count) * s->each;
    s->totals.not_finite += r->wrong;
    s->count = s->sorted = s->sent = c->there = r->count;
    s->clock.fastest = sqrtf(r->fastest);
    s->clock.densest = s->grid.up < 0 ? r->densest * s->law.per_rest : r->densest;
    s->cycles = (int)r->cycles;
    c->most_cycles = s->cycles > c->most_cycles ? s->cycles : c->most_cycles;
    c->columns_sum = ((double)r->more_parts * 65536 + (double)r->parts) / (double)RV_SPLAT_PARTS;
}

static bool read_status(rv_splat *s, uint32_t *words)
{
    rv_grain_card *c = s->card;
    rv_device_ticket ticket;
    bool done = false;
    size_t bytes =
        ((size_t)RV_GRAIN_RECORDS + (size_t)c->ahead_count * RV_GRAIN_RECORD_WORDS) * sizeof *words;
    rv_result result =
        c->device->read(c->device->user, c->buffer[RV_GRAIN_STATUS], 0, bytes, &ticket);
    if (result == RV_OK) result = c->device->collect(c->device->user, ticket, words, true, &done);
    return good(s, result);
}

// Those that were asked for are looked at; the first that has not found its pressure yet goes on,
// and those after it are asked for again.
void rv_grain_sync(rv_splat *s)
{
    uint32_t words[RV_GRAIN_STATUS_WORDS];
    while (s->card && s->card->ahead_count > 0) {
        rv_grain_card *c = s->card;
        if (!read_status(s, words)) return;
        for (; c->looked < c->ahead_count; c->looked++) {
            rv_grain_record r;
            memcpy(&r, words + RV_GRAIN_RECORDS + c->looked * RV_GRAIN_RECORD_WORDS, sizeof r);
            if (!r.whole) break;
            take_record(s, &r);
        }
        if (c->looked == c->ahead_count) {
            c->ahead_count = c->looked = 0;
            c->given = c->most_cycles > 1 ? c->most_cycles : 1;
            c->most_cycles = 0;
        } else {
            rv_grain_go_on(s, c->looked);
        }
    }
}

// ---- Back ---------------------------------------------------------------------------------------

// Where the bins begin stands there by groups.
static bool fetch_order(rv_splat *s)
{
    const rv_grain_card *c = s->card;
    size_t bins = s->bins, word = sizeof *s->first;
    uint32_t blocks[1024];
    if (!take(s, c->buffer[RV_GRAIN_FIRST], 0, s->first, bins * word)) return false;
    for (size_t from = 0; from * RV_GRAIN_GROUP < bins; from += 1024) {
        size_t all = (bins + RV_GRAIN_GROUP - 1) / RV_GRAIN_GROUP - from;
        size_t some = all < 1024 ? all : 1024;
        if (!take(s, s->card->buffer[RV_GRAIN_FIRST], (bins + from) * word, blocks, some * word))
            return false;
        for (size_t i = from * RV_GRAIN_GROUP; i < bins && i < (from + some) * RV_GRAIN_GROUP; i++)
            s->first[i] += blocks[i / RV_GRAIN_GROUP - from];
    }
    s->first[bins] = (uint32_t)s->sent;
    return true;
}

void rv_grain_fetch(rv_splat *s)
{
    rv_grain_sync(s);
    if (!s->card || !s->away) return;
    size_t item = 2 * (size_t)rv_splat_size(s) * sizeof(float);
    rv_device_buffer *from = s->card->buffer[RV_GRAIN_PARTICLES];
    if (!take(s, from, 0, s->particle, (size_t)s->sent * item) || !fetch_order(s)) return;
    bool apart = rv_splat_air_apart(s) && rv_splat_foams(s);
    if (apart && !take(s, from, air_at(s, 0), s->air, (size_t)s->sent * sizeof *s->air)) return;
    s->away = false, s->card->host_count = s->count;
    s->shown.fresh = false;
}

void rv_grain_fetch_pressed(rv_splat *s)
{
    rv_grain_sync(s);
    if (!s->card || !s->card->pressed_away) return;
    if (rv_grain_take(s, RV_GRAIN_LEVELS, pressed_at(s), s->pressed, pressed_bytes(s)))
        s->card->pressed_away = false;
}

// What the columns are follows from weights and motion of the substep that ended the last step.
void rv_grain_columns(rv_splat *s)
{
    rv_grain_sync(s);
    if (!s->card || !s->card->columns_due) return;
    rv_grain_card *c = s->card;
    const rv_splat_grid *g = &s->grid;
    size_t bytes = g->slots * sizeof(float);
    rv_device_buffer *from = c->columns_in_twin ? c->twin : c->buffer[RV_GRAIN_FIELDS];
    c->columns_due = false;
    rv_splat_clear(s); // of what was splatted here last
    memset(s->span, 0, s->span_count * sizeof *s->span);
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++)
        for (int a = 0; a < g->n[1]; a++)
            s->span[rv_splat_row(g, a, b)] = (rv_splat_span){0, g->n[0]};
    bool fine = take(s, from, 0, s->f.weight, bytes);
    for (int k = 0; k < g->axes && fine; k++)
        fine = take(s, from, (size_t)(1 + k) * bytes, s->f.motion[k], bytes);
    int64_t count = s->count;
    if (fine) s->count = c->columns_count;
    rv_splat_columns(s);
    if (fine) s->count = count;
}
