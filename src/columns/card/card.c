// Opening and closing columns on a card, and its buffers.
#include "columns/card/card.h"

#include "columns/joints.h"

#include <string.h>

// ---- Buffers ------------------------------------------------------------------------------------

#define LIST_WORDS (RV_TRADE_AT + RV_TRADE_WORDS)

static void size_buffers(const rv_engine *s, size_t bytes[RV_CARD_BUFFERS])
{
    size_t slot = s->slots * sizeof(float), ways = (size_t)rv_ways(s);
    size_t odd = s->odd_count, columns = s->odd_column_count;
    bytes[RV_AT_BEDS] = (s->tension ? 6 : 2) * slot;
    bytes[RV_AT_DEPTH] = slot;
    bytes[RV_AT_PIPES] = (s->eight ? 4 : 2) * slot;
    bytes[RV_AT_SPEED] = bytes[RV_AT_NEW_SPEED] = s->flow ? ways * slot : 4;
    bytes[RV_AT_FLUX] = bytes[RV_AT_NEW_FLUX] = ways * slot;
    bytes[RV_AT_SCALES] = 2 * slot;
    bytes[RV_AT_BITS] = 2 * RV_CARD_BITS * (size_t)s->row_count * sizeof(uint32_t);
    bytes[RV_AT_STATUS] = (RV_AHEAD + RV_CARD_TIMES) * RV_STATUS_WORDS * sizeof(uint32_t);
    bytes[RV_AT_ODD] = (odd ? odd : 1) * RV_ODD_WORDS * sizeof(uint32_t);
    bytes[RV_AT_ODD_COLUMNS] =
        odd ? slot + (4 * columns + 2 * (size_t)s->odd_of_count + s->row_count + 1 +
                      2 * (2 * (size_t)s->link_count + columns)) *
                         sizeof(uint32_t)
            : 4;
    bytes[RV_AT_ODD_FLOW] = (rv_card_raw_odd(s) + 2 * odd + 1) * sizeof(float);
    bytes[RV_AT_PRESS] = s->tension ? 7 * slot : s->press ? slot : 4;
    bytes[RV_AT_LIST] = LIST_WORDS * sizeof(uint32_t);
    bytes[RV_AT_FULL] = rv_card_has_full(s) ? 2 * slot + RV_FULL_WORDS * sizeof(uint32_t) : 4;
    bytes[RV_AT_ENDS] = (s->card->constants.ends + 1) * RV_END_WORDS * sizeof(uint32_t);
}

static bool take_buffer(rv_engine *s, size_t bytes, rv_device_buffer **out)
{
    rv_card *c = s->card;
    rv_result result = c->device->make_buffer(c->device->user, bytes, out);
    if (result == RV_OK) return true;
    double mib = 1.0 / 1048576.0;
    const rv_grid *g = &s->columns->grid;
    if (bytes > c->device->buffer_most)
        rv_messages_add(&c->said,
                        "card: no memory for %.0f MiB of %d x %d cells on %s: it takes %.0f MiB in "
                        "one buffer; --backend cpu has no such bound",
                        (double)bytes * mib, g->nx, g->ny, c->device->name,
                        (double)c->device->buffer_most * mib);
    else
        rv_messages_add(&c->said, "card: no memory for %.0f MiB of %d x %d cells on %s",
                        (double)bytes * mib, g->nx, g->ny, c->device->name);
    rv_card_fail(s, result);
    return false;
}

static void drop_depths(rv_engine *s)
{
    rv_card *c = s->card;
    c->device->free_buffer(c->device->user, c->twin);
    c->device->free_buffer(c->device->user, c->buffer[RV_AT_DEPTH]);
    c->twin = c->buffer[RV_AT_DEPTH] = NULL;
    rv_card_forget_mirror(s, RV_AT_DEPTH, 0, c->bytes[RV_AT_DEPTH]);
    c->twin_bytes = c->bytes[RV_AT_DEPTH] = 0, c->twin_fresh = false;
}

// Takes buffers that are not there or too small; the rest stay, with what is in them. The two of
// depths change places, so they are of one size.
static bool take_buffers(rv_engine *s)
{
    rv_card *c = s->card;
    size_t bytes[RV_CARD_BUFFERS];
    size_buffers(s, bytes);
    size_t twin = s->eight || s->odd_count > 0 ? 0 : bytes[RV_AT_DEPTH];
    if (c->twin_bytes != twin) drop_depths(s);
    for (int k = 0; k < RV_CARD_BUFFERS; k++) {
        if (c->buffer[k] && c->bytes[k] >= bytes[k]) continue;
        c->device->free_buffer(c->device->user, c->buffer[k]);
        c->buffer[k] = NULL;
        rv_card_forget_mirror(s, (rv_card_binding)k, 0, c->bytes[k]);
        if (k == RV_AT_PRESS) c->press_known = false;
        if (k == RV_AT_FULL) c->full_fresh = c->full_none = false;
        if (!take_buffer(s, bytes[k], &c->buffer[k])) return false;
        c->bytes[k] = bytes[k];
    }
    if (twin && !c->twin && !take_buffer(s, twin, &c->twin)) return false;
    c->twin_bytes = twin;
    return true;
}

static void set_planes(rv_engine *s)
{
    rv_card *c = s->card;
    uint32_t wide = 0, high = 0;
    memset(c->constants.plane, 0, sizeof c->constants.plane);
    for (int p = 0; p < s->columns->planes; p++) {
        const rv_plane *plane = &s->columns->plane[p];
        uint32_t *out = c->constants.plane[2 * p];
        out[0] = (uint32_t)plane->offset, out[1] = (uint32_t)plane->pitch;
        out[2] = (uint32_t)plane->nx, out[3] = (uint32_t)plane->ny;
        out[4] = s->plane_row[p];
        wide = out[2] > wide ? out[2] : wide, high = out[3] > high ? out[3] : high;
    }
    c->wide = wide, c->high = high;
    c->groups[0] = (wide + 63) / 64, c->groups[1] = (high + 3) / 4;
    c->tiles[0] = (wide + 31) / 32, c->tiles[1] = (high + 7) / 8;
    c->groups[2] = c->tiles[2] = (uint32_t)s->columns->planes;
    c->constants.slots = (uint32_t)s->slots, c->constants.rows = s->row_count;
    c->constants.shift = (uint32_t)s->block_shift, c->constants.ways = (uint32_t)rv_ways(s);
    c->constants.pipes = s->odd_count, c->constants.columns = s->odd_column_count;
    c->constants.entries = s->odd_of_count, c->constants.planes = c->groups[2];
}

static bool take_words(rv_engine *s, uint32_t **words, size_t *count, size_t most)
{
    if (*count >= most) return true;
    uint32_t *made = rv_new(&s->allocator, most, sizeof *made);
    if (!made) {
        rv_card_fail(s, RV_OUT_OF_MEMORY);
        return false;
    }
    rv_free(&s->allocator, *words, *count, sizeof **words);
    *words = made, *count = most;
    return true;
}

// Room to put words together: as much as an array by slot, or by odd pipe, takes; and for what is
// told of rows and odd pipes.
static bool take_pack(rv_engine *s)
{
    rv_card *c = s->card;
    size_t most = s->slots > s->odd_count ? s->slots : s->odd_count;
    return take_words(s, &c->pack, &c->pack_count, most) &&
           take_words(s, &c->answers, &c->answer_count, s->odd_count + 4 * (size_t)s->row_count);
}

bool rv_card_fit(rv_engine *s)
{
    if (!take_pack(s) || !rv_card_fit_tension(s)) return false;
    set_planes(s);
    return take_buffers(s);
}

rv_result rv_card_open(rv_engine *s, const rv_device *device, rv_messages *messages)
{
    if (device->bindings < RV_CARD_BINDINGS) {
        rv_messages_add(messages, "card: %s lets a kernel have %d buffers; wanted are %d",
                        device->name, device->bindings, RV_CARD_BINDINGS);
        return RV_BAD_ARGUMENT;
    }
    s->card = rv_new(&s->allocator, 1, sizeof *s->card);
    if (!s->card) return RV_OUT_OF_MEMORY;
    s->card->device = device, s->card->host_fresh = true;
    rv_card_keep(s);
    // a first substep's kernels, so that what a driver cannot do is known now
    if (rv_card_fit(s)) rv_card_make_kernels(s);
    if (s->card->trouble == RV_OK) rv_card_push(s);
    rv_result result = s->card->trouble;
    if (result != RV_OK && s->card->said.count > 0)
        rv_messages_add(messages, "%s", s->card->said.text);
    return result;
}

void rv_card_close(rv_engine *s)
{
    rv_card *c = s->card;
    if (!c) return;
    rv_card_watch(s, (rv_card_watcher){0});
    if (c->scan.there) rv_card_collect(s, &c->scan); // a ticket that nobody collects stays in use
    for (int k = 0; k < RV_CARD_BUFFERS; k++) c->device->free_buffer(c->device->user, c->buffer[k]);
    c->device->free_buffer(c->device->user, c->twin);
    for (int k = 0; k < c->kernel_count; k++)
        c->device->free_kernel(c->device->user, c->kernel[k].kernel);
    rv_card_free_few(s);
    if (c->answers) rv_free(&s->allocator, c->answers, c->answer_count, sizeof *c->answers);
    rv_card_free_tension(s);
    rv_card_free_words(s);
    rv_card_free_later(s);
    rv_card_free_full(s);
    rv_card_free_trade(s);
    rv_card_free_mirrors(s);
    if (c->kept_depth) rv_free(&s->allocator, c->kept_depth, c->kept_count, sizeof(float));
    if (c->pack) rv_free(&s->allocator, c->pack, c->pack_count, sizeof *c->pack);
    rv_free(&s->allocator, c, 1, sizeof *c);
    s->card = NULL;
}

size_t rv_card_bytes(const rv_engine *s)
{
    size_t sum = s->card ? s->card->twin_bytes : 0;
    for (int k = 0; s->card && k < RV_CARD_BUFFERS; k++) sum += s->card->bytes[k];
    return sum;
}
