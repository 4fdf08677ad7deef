// Copies of what buffers on the card hold, as far as it is known here: of an edit, and of what the
// processor changed after it looked at everything, only the parts that are other cross. Beds and
// pipes are known from when they are sent, for no kernel writes to them; depths, fluxes, velocities
// and what surface tension keeps from when they were brought, until the next kernel.
#include "columns/card/card.h"

#include <string.h>

#define BYTES_MOST ((size_t)8 << 20) // of a buffer; larger ones have no copy
#define CHUNK 64u                    // words that are compared together
#define GAP 4u                       // chunks alike that are sent along between two that are not

static const rv_card_binding of_state[] = {RV_AT_DEPTH, RV_AT_FLUX, RV_AT_SPEED, RV_AT_PRESS};

static void drop(rv_engine *s, rv_card_binding of)
{
    rv_card_mirror_of *m = &s->card->mirror[of];
    rv_free(&s->allocator, m->word, m->count, sizeof *m->word);
    rv_free(&s->allocator, m->known, m->count, sizeof *m->known);
    *m = (rv_card_mirror_of){NULL, NULL, 0};
}

void rv_card_free_mirrors(rv_engine *s)
{
    for (int k = 0; k < RV_CARD_BUFFERS; k++) drop(s, (rv_card_binding)k);
}

// NULL: there is none.
static rv_card_mirror_of *mirror_of(rv_engine *s, rv_card_binding of)
{
    rv_card_mirror_of *m = &s->card->mirror[of];
    size_t count = s->card->bytes[of] / sizeof *m->word;
    if (m->count == count && m->word) return m;
    drop(s, of);
    if (count == 0 || count > BYTES_MOST / sizeof *m->word) return NULL;
    m->word = rv_new(&s->allocator, count, sizeof *m->word);
    m->known = rv_new(&s->allocator, count, sizeof *m->known);
    m->count = count;
    if (m->word && m->known) return m;
    drop(s, of);
    return NULL;
}

void rv_card_forget_mirror(rv_engine *s, rv_card_binding of, size_t at, size_t bytes)
{
    const rv_card_mirror_of *m = &s->card->mirror[of];
    size_t from = at / sizeof *m->word, to = (at + bytes + 3) / sizeof *m->word;
    if (to > m->count) to = m->count;
    if (m->known && from < to) memset(m->known + from, 0, to - from);
}

void rv_card_mirror(rv_engine *s, rv_card_binding of, size_t at, const void *data, size_t bytes)
{
    rv_card_mirror_of *m = mirror_of(s, of);
    if (!m || s->card->trouble != RV_OK) return;
    memcpy(m->word + at / 4, data, bytes);
    memset(m->known + at / 4, 1, bytes / 4);
}

void rv_card_mirror_state(rv_engine *s)
{
    size_t slot = s->slots * sizeof(float);
    if (s->card->trouble != RV_OK) return;
    rv_card_mirror(s, RV_AT_DEPTH, 0, s->depth, slot);
    for (size_t way = 0; way < (size_t)rv_ways(s); way++) {
        rv_card_mirror(s, RV_AT_FLUX, way * slot, s->flux[way], slot);
        if (s->flow) rv_card_mirror(s, RV_AT_SPEED, way * slot, s->speed[way], slot);
    }
    if (s->tension) rv_card_mirror_tension(s);
    s->card->state_known = true;
}

void rv_card_forget_state(rv_engine *s)
{
    if (!s->card->state_known) return;
    for (size_t k = 0; k < sizeof of_state / sizeof *of_state; k++)
        rv_card_forget_mirror(s, of_state[k], 0, s->card->bytes[of_state[k]]);
    s->card->state_known = false;
}

static bool is_alike(const rv_card_mirror_of *m, size_t at, const uint32_t *data, size_t count)
{
    return memcmp(m->word + at, data, count * sizeof *data) == 0 &&
           !memchr(m->known + at, 0, count);
}

bool rv_card_send_changed(rv_engine *s, rv_card_binding to, size_t at, const void *data,
                          size_t bytes)
{
    const rv_card_mirror_of *m = mirror_of(s, to);
    const uint32_t *words = data;
    size_t count = bytes / sizeof *words, place = at / sizeof *words, from = 0, end = 0;
    if (!m) return rv_card_send(s, to, at, data, bytes);
    bool good = true;
    for (size_t k = 0; k < count && good; k += CHUNK) { // [from, end): what is to be sent
        size_t n = count - k < CHUNK ? count - k : CHUNK;
        if (is_alike(m, place + k, words + k, n)) continue;
        if (end > from && k - end > GAP * CHUNK) {
            good = rv_card_send(s, to, at + 4 * from, words + from, 4 * (end - from));
            from = k;
        }
        if (end == from) from = k;
        end = k + n;
    }
    if (end > from && good)
        good = rv_card_send(s, to, at + 4 * from, words + from, 4 * (end - from));
    rv_card_mirror(s, to, at, data, bytes);
    return good;
}
