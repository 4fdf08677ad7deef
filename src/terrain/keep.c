// Saving what edits did to a field, and bringing it back: the bricks that were ever edited, as they
// are now, and the tools that did it.
#include "terrain/field.h"

#include "base/memory.h"

#include <string.h>

typedef struct saved_brick {
    uint32_t brick;   // TOOLS: behind all bricks, and all that follows are tools
    uint32_t follows; // SAMPLES, STAMPS: those bytes follow
    float middle, least;
} saved_brick;

#define SAMPLES 1u
#define STAMPS 2u
#define TOOLS UINT32_MAX
#define SAMPLE_BYTES (RV_BRICK_SAMPLES * sizeof(float))
#define STAMP_BYTES ((size_t)RV_BRICK_SAMPLES)

rv_box rv_terrain_touched(const rv_terrain *t)
{
    return t ? t->touched : rv_box_of_nothing();
}

void rv_terrain_set_touched(rv_terrain *t, rv_box touched)
{
    if (t) t->touched = touched;
}

bool rv_terrain_is_edited(const rv_terrain *t)
{
    for (size_t i = t ? rv_first_brick(t) : 0; t && t->born && i < rv_end_brick(t); i++)
        if (!rv_never_edited(t, i)) return true;
    return false;
}

static const rv_brick *edited(const rv_terrain *t, size_t i)
{
    return rv_never_edited(t, i) ? NULL : t->still ? &t->still[i] : &t->brick[i];
}

// NULL where none was set: whether there was memory for some is no part of the state.
static const uint8_t *stamps_of(const rv_terrain *t, size_t i)
{
    const uint8_t *stamps = t->stamp ? t->stamp[i] : NULL;
    for (size_t n = 0; stamps && n < STAMP_BYTES; n++)
        if (stamps[n]) return stamps;
    return NULL;
}

// The bricks that this rank is to tell about: with a cut those of the rows of bricks that it owns.
static size_t first_own(const rv_terrain *t)
{
    if (!t || !t->grid.cut) return 0;
    rv_rows bands = rv_field_bands(t);
    while (bands.from < bands.to && rv_band_owner(t, bands.from) < t->grid.cut->ranks->rank)
        bands.from++;
    return (size_t)bands.from * t->step_y;
}

static size_t end_own(const rv_terrain *t)
{
    if (!t->grid.cut) return t->bricks;
    rv_rows bands = rv_field_bands(t);
    while (bands.from < bands.to && rv_band_owner(t, bands.to - 1) > t->grid.cut->ranks->rank)
        bands.to--;
    return (size_t)bands.to * t->step_y;
}

// All ranks have the tools; the last one tells.
static bool tells_tools(const rv_terrain *t)
{
    const rv_cut *cut = t ? t->grid.cut : NULL;
    return t && t->tool_count > 0 && (!cut || cut->ranks->rank == cut->ranks->count - 1);
}

size_t rv_terrain_saved_bytes(const rv_terrain *t)
{
    size_t bytes = tells_tools(t) ? sizeof(saved_brick) + rv_tools_bytes(t) : 0;
    for (size_t i = first_own(t); t && t->born && i < end_own(t); i++) {
        const rv_brick *b = edited(t, i);
        if (!b) continue;
        bytes += sizeof(saved_brick);
        bytes += (b->samples ? SAMPLE_BYTES : 0) + (stamps_of(t, i) ? STAMP_BYTES : 0);
    }
    return bytes;
}

void rv_terrain_save(const rv_terrain *t, unsigned char *to)
{
    for (size_t i = first_own(t); t && t->born && i < end_own(t); i++) {
        const rv_brick *b = edited(t, i);
        if (!b) continue;
        const uint8_t *stamps = stamps_of(t, i);
        uint32_t follows = (b->samples ? SAMPLES : 0) | (stamps ? STAMPS : 0);
        saved_brick head = {(uint32_t)i, follows, b->middle, b->least};
        memcpy(to, &head, sizeof head);
        to += sizeof head;
        if (b->samples) memcpy(to, b->samples, SAMPLE_BYTES), to += SAMPLE_BYTES;
        if (stamps) memcpy(to, stamps, STAMP_BYTES), to += STAMP_BYTES;
    }
    if (!tells_tools(t)) return;
    saved_brick head = {.brick = TOOLS};
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, t->tool, rv_tools_bytes(t));
}

static bool stamps_are_sound(const unsigned char *stamps)
{
    for (size_t i = 0; i < STAMP_BYTES; i++)
        if (stamps[i] > RV_LOOKS) return false;
    return true;
}

// Whether the bytes are bricks of this field, in order, and nothing else. Tells how many of them
// are those of bricks.
static bool is_sound(const rv_terrain *t, const unsigned char *from, size_t size, int64_t *sampled,
                     size_t *bricks)
{
    int64_t last = -1;
    size_t at = 0;
    *sampled = 0;
    while (at < size) {
        saved_brick head;
        if (size - at < sizeof head) return false;
        memcpy(&head, from + at, sizeof head);
        *bricks = at, at += sizeof head;
        if (head.brick == TOOLS) return rv_tools_are_sound(from + at, size - at);
        bool has_samples = head.follows & SAMPLES;
        if ((int64_t)head.brick <= last || head.brick >= t->bricks ||
            head.follows > (SAMPLES | STAMPS))
            return false;
        if (!has_samples && !(head.middle != 0 && head.least > 0)) return false;
        if (has_samples && size - at < SAMPLE_BYTES) return false;
        if (has_samples) at += SAMPLE_BYTES, ++*sampled;
        if (head.follows & STAMPS) {
            if (size - at < STAMP_BYTES || !stamps_are_sound(from + at)) return false;
            at += STAMP_BYTES;
        }
        last = (int64_t)head.brick;
    }
    *bricks = at;
    return true;
}

// With a cut a rank has some of the bricks.
static bool is_here(const rv_terrain *t, size_t brick)
{
    return brick >= rv_first_brick(t) && brick < rv_end_brick(t);
}

// Takes the memory for the stamps that will be read.
static bool open_stamps(rv_terrain *t, const unsigned char *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        saved_brick head;
        memcpy(&head, from + at, sizeof head);
        at += sizeof head + (head.follows & SAMPLES ? SAMPLE_BYTES : 0);
        if (!(head.follows & STAMPS)) continue;
        if (is_here(t, head.brick) && !rv_stamps_open(t, head.brick)) return false;
        at += STAMP_BYTES;
    }
    return true;
}

// All as built, but for `brick` where moving solids are: those are brought up to date by moving
// them.
static void go_back(rv_terrain *t)
{
    for (size_t i = rv_first_brick(t); t->stamp && i < rv_end_brick(t); i++)
        if (t->stamp[i]) memset(t->stamp[i], 0, STAMP_BYTES);
    rv_brick *still = rv_still_bricks(t);
    for (size_t i = rv_first_brick(t); i < rv_end_brick(t); i++) {
        float *shared = still[i].samples;
        if (t->still) {
            float *own = t->brick[i].samples;
            if (own && own != shared) rv_put_spare(t, own);
        }
        if (!rv_never_edited(t, i)) {
            if (shared) rv_put_spare(t, shared);
            still[i] = t->born[i];
            t->born[i].least = RV_NOT_BORN;
        }
        if (t->still) t->brick[i] = still[i];
    }
}

// Samples that go_back() will give back, and those of moving solids besides.
static int64_t count_own(const rv_terrain *t)
{
    int64_t own = 0;
    for (size_t i = rv_first_brick(t); i < rv_end_brick(t); i++) {
        const rv_brick *still = t->still ? &t->still[i] : &t->brick[i];
        own += t->born && !rv_never_edited(t, i) && still->samples;
        own += t->still && t->brick[i].samples && t->brick[i].samples != still->samples;
    }
    return own;
}

bool rv_terrain_reserve(rv_terrain *t)
{
    int64_t moving = 0;
    if (!t) return true;
    for (int m = 1; m <= t->mover_count; m++) moving += rv_terrain_mover_bricks(t, m);
    return rv_remember_birth(t) && rv_ensure_spares(t, count_own(t) + 2 * moving);
}

static bool take_tools(rv_terrain *t, const unsigned char *from, size_t size)
{
    size_t bytes = size > sizeof(saved_brick) ? size - sizeof(saved_brick) : 0;
    int64_t count = (int64_t)(bytes / sizeof *t->tool);
    if (!rv_array_grow(&t->allocator, &t->tool, &t->tool_room, count, sizeof *t->tool))
        return false;
    if (bytes > 0) memcpy(t->tool, from + sizeof(saved_brick), bytes);
    t->tool_count = (int)count;
    return true;
}

rv_result rv_terrain_restore(rv_terrain *t, const unsigned char *from, size_t size)
{
    int64_t sampled;
    size_t bricks;
    if (!is_sound(t, from, size, &sampled, &bricks)) return RV_BAD_DATA;
    if (!rv_remember_birth(t) || !rv_ensure_spares(t, sampled - count_own(t)) ||
        !open_stamps(t, from, bricks) || !take_tools(t, from + bricks, size - bricks))
        return RV_OUT_OF_MEMORY;
    size = bricks;
    go_back(t);
    rv_brick *still = rv_still_bricks(t);
    for (size_t at = 0; at < size;) {
        saved_brick head;
        memcpy(&head, from + at, sizeof head);
        at += sizeof head;
        int by = (int)(head.brick / t->step_y), bx = (int)(head.brick % t->step_y / t->step_x);
        rv_box box = rv_brick_box(t, bx, by, (int)(head.brick % t->step_x));
        t->touched = rv_box_join(t->touched, box);
        if (!is_here(t, head.brick)) {
            at += (head.follows & SAMPLES ? SAMPLE_BYTES : 0) +
                  (head.follows & STAMPS ? STAMP_BYTES : 0);
            continue;
        }
        rv_brick *b = &still[head.brick];
        t->born[head.brick] = *b;
        *b = (rv_brick){NULL, head.middle, head.least};
        if (head.follows & SAMPLES) {
            b->samples = rv_take_spare(t);
            memcpy(b->samples, from + at, SAMPLE_BYTES);
            at += SAMPLE_BYTES;
        }
        if (head.follows & STAMPS) {
            memcpy(t->stamp[head.brick], from + at, STAMP_BYTES);
            at += STAMP_BYTES;
        }
        if (t->still) t->brick[head.brick] = *b;
    }
    return RV_OK;
}
