// Bringing the engine's arrays to the card and back.
#include "columns/card/card.h"

#include "columns/joints.h"

#include <string.h>

void rv_card_fail(rv_engine *s, rv_result why)
{
    rv_card *c = s->card;
    if (c->trouble == RV_OK) c->trouble = why == RV_OK ? RV_DEVICE_LOST : why;
}

void rv_card_keep(rv_engine *s)
{
    rv_card *c = s->card;
    c->kept_substeps = s->clock.substeps;
    c->kept_rate = s->clock.rate, c->kept_last = s->clock.last;
    c->kept_whole = false;
}

bool rv_card_keep_depths(rv_engine *s)
{
    rv_card *c = s->card;
    if (c->kept_whole) return true;
    if (c->kept_count != s->slots) {
        if (c->kept_depth) rv_free(&s->allocator, c->kept_depth, c->kept_count, sizeof(float));
        c->kept_depth = rv_new(&s->allocator, s->slots, sizeof(float));
        c->kept_count = c->kept_depth ? s->slots : 0;
    }
    if (!c->kept_depth) return false;
    memcpy(c->kept_depth, s->depth, s->slots * sizeof(float));
    c->kept_whole = true;
    return true;
}

// Depths as they were, and what is full by them.
static void take_kept(rv_engine *s)
{
    const rv_card *c = s->card;
    if (!c->kept_whole || c->kept_count != s->slots) return;
    memcpy(s->depth, c->kept_depth, s->slots * sizeof(float));
    for (uint32_t i = 0; i < s->slots; i++)
        if (s->full[i] && !rv_still_full(s, i)) s->full[i] = 0, s->head[i] = 0.0f;
}

// ---- To the card --------------------------------------------------------------------------------

bool rv_card_send(rv_engine *s, rv_card_binding to, size_t at, const void *data, size_t bytes)
{
    rv_card *c = s->card;
    rv_card_flush(s);
    if (c->trouble != RV_OK) return false;
    rv_card_forget_mirror(s, to, at, bytes);
    if (to != RV_AT_LIST) c->rested_fresh = false;
    if (to == RV_AT_DEPTH || to == RV_AT_FLUX) c->version++;
    rv_result result =
        bytes == 0 ? RV_OK : c->device->write(c->device->user, c->buffer[to], at, data, bytes);
    if (result != RV_OK) rv_card_fail(s, result);
    return result == RV_OK;
}

// Two arrays of 16 bits by slot, side by side in words.
static void send_pairs(rv_engine *s, size_t place, const void *low, const void *high)
{
    uint32_t *pack = s->card->pack;
    const uint16_t *a = low, *b = high;
    for (size_t i = 0; i < s->slots; i++) pack[i] = a[i] | (uint32_t)b[i] << 16;
    rv_card_send_changed(s, RV_AT_PIPES, place * s->slots * 4, pack, s->slots * 4);
}

static void send_odd(rv_engine *s);

static void send_beds(rv_engine *s)
{
    size_t slot = s->slots * sizeof(float);
    rv_card_send_changed(s, RV_AT_BEDS, 0, s->columns->base, slot);
    rv_card_send_changed(s, RV_AT_BEDS, slot, s->columns->max, slot);
    send_pairs(s, 0, s->slope[RV_WAY_X], s->slope[RV_WAY_Y]);
    send_pairs(s, 1, s->rise[0], s->rise[1]);
    if (s->tension) rv_card_send_surveyed(s);
    if (s->eight) {
        send_pairs(s, 2, s->slope[RV_WAY_NE], s->slope[RV_WAY_NW]);
        send_pairs(s, 3, s->gaps_x, s->gaps_y);
    }
    send_odd(s);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// One way of a link between blocks: what stirs at its end wakes its beginning. `level`: so does a
// border that holds one.
typedef struct half_link {
    uint32_t row, block, end_row, end_block;
    bool level;
} half_link;

// The k-th of all.
static half_link half_of(const rv_engine *s, size_t k)
{
    if (k < 2 * (size_t)s->link_count) {
        const rv_block_link *l = &s->link[k / 2];
        return k % 2 ? (half_link){l->row_b, l->block_b, l->row_a, l->block_a, false}
                     : (half_link){l->row_a, l->block_a, l->row_b, l->block_b, false};
    }
    const rv_odd_column *c = &s->odd_column[k - 2 * (size_t)s->link_count];
    return (half_link){c->row, c->block, c->row, c->block, s->has_borders && c->at_level};
}

// By row, where those of each begin and then these.
static void send_links(rv_engine *s, size_t at)
{
    size_t all = 2 * (size_t)s->link_count + s->odd_column_count, rows = s->row_count;
    uint32_t *words = rv_new(&s->allocator, rows + 2 + 2 * all, sizeof *words);
    if (!words) {
        rv_card_fail(s, RV_OUT_OF_MEMORY);
        return;
    }
    uint32_t *first = words + 1, *links = words + rows + 2; // `first` of a row moves on to its end
    for (size_t k = 0; k < all; k++) {
        half_link l = half_of(s, k);
        if (k < 2 * (size_t)s->link_count || l.level) words[l.row + 2]++;
    }
    for (size_t r = 2; r <= rows; r++) words[r] += words[r - 1];
    for (size_t k = 0; k < all; k++) {
        half_link l = half_of(s, k);
        if (k >= 2 * (size_t)s->link_count && !l.level) continue;
        uint32_t place = first[l.row]++;
        links[2 * place] = l.block | l.end_block << 8 | (l.level ? 65536u : 0);
        links[2 * place + 1] = l.end_row;
    }
    rv_card_send_changed(s, RV_AT_ODD_COLUMNS, at * 4, words, (rows + 1) * 4);
    rv_card_send_changed(s, RV_AT_ODD_COLUMNS, (at + rows + 1) * 4, links, 2 * all * 4);
    rv_free(&s->allocator, words, rows + 2 + 2 * all, sizeof *words);
}

// In pieces, because there may be more of them than room to put them together.
static void send_odd(rv_engine *s)
{
    uint32_t *pack = s->card->pack;
    size_t at = 0, used = 0, room = s->card->pack_count;
    for (uint32_t i = 0; i < s->odd_count; i++) {
        const rv_odd_pipe *p = &s->odd[i];
        bool border = p->b == RV_NO_SLOT;
        const uint32_t words[RV_ODD_WORDS] = {
            p->a,
            p->b,
            (uint32_t)(p->way | p->side << 4 | p->plane_a << 8 | p->plane_b << 16),
            (uint32_t)p->slope | (uint32_t)p->gaps << 16,
            border ? bits_of(rv_f_max(rv_pipes_level_beyond(s, p) - p->beyond, 0.0f)) : 0,
            bits_of(p->opening),
            bits_of(p->beyond),
            border ? (uint32_t)rv_pipes_border(s, (rv_side)p->side) : 0};
        memcpy(pack + used, words, sizeof words);
        used += RV_ODD_WORDS;
        if (used + RV_ODD_WORDS <= room && i + 1 < s->odd_count) continue;
        rv_card_send_changed(s, RV_AT_ODD, at * 4, pack, used * 4);
        at += used, used = 0;
    }
    if (s->odd_count == 0) return;
    rv_card_send_changed(s, RV_AT_ODD_COLUMNS, 0, s->odd_at, s->slots * 4);
    at = s->slots;
    for (uint32_t k = 0; k < s->odd_column_count; k++) {
        const rv_odd_column *column = &s->odd_column[k];
        const uint32_t words[4] = {column->slot, column->first, column->count,
                                   column->row | (uint32_t)column->block << 24};
        memcpy(pack + used, words, sizeof words);
        used += 4;
        if (used + 4 <= room && k + 1 < s->odd_column_count) continue;
        rv_card_send_changed(s, RV_AT_ODD_COLUMNS, at * 4, pack, used * 4);
        at += used, used = 0;
    }
    for (uint32_t e = 0; e < s->odd_of_count; e++) {
        pack[used++] = s->odd_of[e].pipe;
        pack[used++] = s->odd_of[e].side | (s->odd_of[e].sign > 0 ? 256u : 0u);
        if (used + 2 <= room && e + 1 < s->odd_of_count) continue;
        rv_card_send_changed(s, RV_AT_ODD_COLUMNS, at * 4, pack, used * 4);
        at += used, used = 0;
    }
    send_links(s, at);
}

// A word of 64 bits by row, as pairs of words; `all`: every block of the row.
void rv_card_send_bits(rv_engine *s, uint32_t place, const uint64_t *bits, bool all)
{
    uint32_t *pack = s->card->pack;
    for (uint32_t r = 0; r < s->row_count; r++) {
        uint64_t b = all ? rv_pipes_all_blocks(s, r) : bits ? bits[r] : 0;
        pack[2 * r] = (uint32_t)b, pack[2 * r + 1] = (uint32_t)(b >> 32);
    }
    size_t bytes = 2 * (size_t)s->row_count * sizeof *pack;
    rv_card_send(s, RV_AT_BITS, place * bytes, pack, bytes);
}

void rv_card_send_awake(rv_engine *s)
{
    rv_card_flush(s); // places are those after it
    rv_card_send_bits(s, rv_card_wet_place(s->card, 0), NULL, false);
    rv_card_send_bits(s, rv_card_awake_place(s->card, 1), NULL, true);
}

static void send_state(rv_engine *s)
{
    rv_card *c = s->card;
    size_t slot = s->slots * sizeof(float), odd = s->odd_count * sizeof(float);
    rv_card_send_changed(s, RV_AT_DEPTH, 0, s->depth, slot);
    c->twin_fresh = false;
    for (size_t way = 0; way < (size_t)rv_ways(s); way++) {
        rv_card_send_changed(s, RV_AT_FLUX, way * slot, s->flux[way], slot);
        if (s->flow) rv_card_send_changed(s, RV_AT_SPEED, way * slot, s->speed[way], slot);
    }
    rv_card_send(s, RV_AT_ODD_FLOW, 0, s->odd_flux, odd);
    rv_card_send(s, RV_AT_ODD_FLOW, odd, s->odd_speed, odd);
    c->odd_kept = false;
    rv_card_send_full(s);
    if (s->tension) rv_card_send_tension(s);
    c->turns = 0;
    rv_card_send_bits(s, rv_card_wet_place(c, 0), s->wet, false);
    rv_card_send_bits(s, rv_card_wet_place(c, 1), NULL, false);
    // as if all had been awake: then what sleeps is cleared
    rv_card_send_bits(s, rv_card_awake_place(c, 1), NULL, true);
}

void rv_card_copy_fluxes(rv_engine *s)
{
    rv_card *c = s->card;
    size_t bytes = (size_t)rv_ways(s) * s->slots * sizeof(float);
    if (c->trouble != RV_OK) return;
    rv_result result = c->device->copy(c->device->user, c->buffer[RV_AT_FLUX], 0,
                                       c->buffer[RV_AT_NEW_FLUX], 0, bytes);
    if (result == RV_OK && s->flow)
        result = c->device->copy(c->device->user, c->buffer[RV_AT_SPEED], 0,
                                 c->buffer[RV_AT_NEW_SPEED], 0, bytes);
    if (result != RV_OK) rv_card_fail(s, result);
}

// Heads from outside: rows in which there are some, or were.
static void send_press(rv_engine *s)
{
    rv_card *c = s->card;
    rv_rect cells = rv_rect_join(c->press_sent, s->pressed);
    if (!c->press_known) {
        rv_card_send(s, RV_AT_PRESS, 0, s->press, s->slots * sizeof(float));
    } else {
        for (int l = 0; l < s->columns->planes && cells.x1 > cells.x0; l++) {
            const rv_plane *p = &s->columns->plane[l];
            int low = cells.y0 > p->y0 ? cells.y0 : p->y0;
            int high = cells.y1 < p->y0 + p->ny ? cells.y1 : p->y0 + p->ny;
            if (low >= high) continue;
            size_t first = rv_slot(p, p->x0, low), words = (size_t)(high - low) * (size_t)p->pitch;
            if (first + words > s->slots) words = s->slots - first;
            rv_card_send(s, RV_AT_PRESS, first * sizeof(float), s->press + first,
                         words * sizeof(float));
        }
    }
    c->press_sent = s->pressed, c->press_known = c->trouble == RV_OK;
}

bool rv_card_push(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c->beds_fresh) {
        if (!rv_card_fit(s)) return false;
        send_beds(s);
        if (c->words) c->words->nearly.count = c->words->limited.count = 0;
        if (c->later) c->later->sent = false;
    }
    if (!c->card_fresh || !c->beds_fresh) {
        rv_card_forget_few(s); // all go
        send_state(s);
    }
    // slots around rows, which no kernel writes to, may have been columns before
    if (!c->beds_fresh) rv_card_copy_fluxes(s);
    if (s->press && !c->press_fresh) {
        if (!rv_card_fit(s)) return false;
        send_press(s);
        c->press_fresh = true;
    }
    c->beds_fresh = c->card_fresh = true;
    if (c->trouble == RV_OK) rv_card_push_few(s);
    if (!c->scan.there) rv_card_send_asleep(s); // else it is not known yet
    return c->trouble == RV_OK;
}

void rv_card_stale(rv_engine *s)
{
    if (!s->card) return;
    rv_card_pull(s);
    if (s->card) s->card->card_fresh = false;
}

void rv_card_stale_beds(rv_engine *s)
{
    rv_card_stale(s);
    if (s->card) s->card->beds_fresh = false;
}

// ---- And back -----------------------------------------------------------------------------------

bool rv_card_fetch(rv_engine *s, rv_card_binding from, size_t at, void *data, size_t bytes)
{
    rv_card *c = s->card;
    rv_card_flush(s);
    if (c->trouble != RV_OK) return false;
    rv_result result =
        bytes == 0 ? RV_OK : c->device->fetch(c->device->user, c->buffer[from], at, data, bytes);
    if (result != RV_OK) rv_card_fail(s, result);
    return result == RV_OK;
}

void rv_card_put_bits(const rv_engine *s, const uint32_t *words, uint64_t *bits)
{
    for (uint32_t r = 0; r < s->row_count; r++)
        bits[r] = words[2 * r] | (uint64_t)words[2 * r + 1] << 32;
}

void rv_card_take_bits(rv_engine *s, uint32_t place, uint64_t *bits)
{
    uint32_t *pack = s->card->pack;
    size_t bytes = 2 * (size_t)s->row_count * sizeof *pack;
    if (!rv_card_fetch(s, RV_AT_BITS, place * bytes, pack, bytes)) return;
    rv_card_put_bits(s, pack, bits);
}

// The card failed: the engine goes on by itself from what it knew last.
static void go_on_without(rv_engine *s)
{
    rv_card *c = s->card;
    s->clock.substeps = c->kept_substeps, s->clock.rate = c->kept_rate;
    s->clock.last = c->kept_last;
    s->card_trouble = c->trouble;
    take_kept(s);
    rv_card_close(s);
    rv_pipes_scan(s);
}

rv_result rv_card_trouble(rv_engine *s)
{
    if (s->card && s->card->trouble != RV_OK) go_on_without(s);
    rv_result result = s->card_trouble;
    s->card_trouble = RV_OK;
    return result;
}

// All arrays, in one wait.
static void take_state(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_ask asks[RV_CARD_ASKS];
    size_t slot = s->slots * sizeof(float), odd = s->odd_count * sizeof(float);
    size_t rows = 2 * (size_t)s->row_count * sizeof(uint32_t);
    uint32_t *wet = c->answers + s->odd_count, *awake = wet + 2 * s->row_count;
    int n = 0;
    c->rested_fresh = false; // that is where bits of awake blocks come to stand
    asks[n++] = (rv_card_ask){RV_AT_DEPTH, 0, s->depth, slot};
    for (size_t way = 0; way < (size_t)rv_ways(s); way++) {
        asks[n++] = (rv_card_ask){RV_AT_FLUX, way * slot, s->flux[way], slot};
        if (s->flow) asks[n++] = (rv_card_ask){RV_AT_SPEED, way * slot, s->speed[way], slot};
    }
    asks[n++] = (rv_card_ask){RV_AT_ODD_FLOW, 0, s->odd_flux, odd};
    asks[n++] = (rv_card_ask){RV_AT_ODD_FLOW, odd, s->odd_speed, odd};
    asks[n++] = (rv_card_ask){RV_AT_BITS, rv_card_wet_place(c, 0) * rows, wet, rows};
    asks[n++] = (rv_card_ask){RV_AT_BITS, rv_card_awake_place(c, 1) * rows, awake, rows};
    if (s->tension) n += rv_card_ask_tension(s, asks + n);
    if (!rv_card_read_all(s, asks, n)) return;
    rv_card_put_bits(s, wet, s->wet);
    rv_card_put_bits(s, awake, s->awake);
    if (s->tension) rv_card_take_tension(s);
    rv_card_check_full(s);
    rv_card_mirror_state(s);
}

void rv_card_pull(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c) return;
    rv_card_settle(s);
    c = s->card;
    if (!c) return;
    if (c->trouble == RV_OK && !c->host_fresh) {
        rv_card_push_few(s);
        take_state(s);
        rv_card_keep(s);
        c->host_fresh = true;
    }
    if (c->trouble != RV_OK) go_on_without(s);
}

// ---- To who draws it ----------------------------------------------------------------------------

static rv_card_liquid liquid_of(const rv_engine *s)
{
    const rv_card *c = s->card;
    return (rv_card_liquid){c->device, c->buffer[RV_AT_DEPTH], c->buffer[RV_AT_FLUX],
                            s->has_ceilings ? s->full : NULL, c->version};
}

static void drop_watcher(rv_card_watcher *w)
{
    if (w->ask) w->drop(w->user);
    *w = (rv_card_watcher){0};
}

void rv_card_watch(rv_engine *s, rv_card_watcher watcher)
{
    rv_card_watcher own = watcher;
    if (s->card) drop_watcher(&s->card->watcher);
    if (s->card)
        s->card->watcher = watcher;
    else
        drop_watcher(&own);
}

void rv_card_call_watcher(rv_engine *s)
{
    rv_card *c = s->card;
    rv_card_flush(s);
    if (!c->watcher.ask || c->trouble != RV_OK || c->dirty_count + c->pushed_count > 0) return;
    if (c->passing) return; // which columns are full is not known yet
    rv_card_liquid liquid = liquid_of(s);
    c->watcher.ask(&liquid, c->watcher.user);
    drop_watcher(&c->watcher);
}

bool rv_card_lend(rv_engine *s, rv_card_liquid *out)
{
    if (rv_card_is_ahead(s)) rv_card_call_watcher(s);
    rv_card_settle_substeps(s); // a scan changes nothing
    rv_card *c = s->card;
    if (!c || c->trouble != RV_OK || !rv_card_push(s)) return false;
    *out = liquid_of(s);
    return true;
}
