// Opening and closing particles on a card, its buffers and kernels.
#include "particles/card/card.h"

#include <stdio.h>
#include <string.h>

#define GROUP_LEAST 512u // threads of a group of kernels/whole.glsl; twice as many are better

// ---- Buffers ------------------------------------------------------------------------------------

static void size_buffers(const rv_splat *s, int64_t room, size_t bytes[RV_GRAIN_BINDINGS])
{
    const rv_splat_grid *g = &s->grid;
    size_t f = sizeof(float), axes = (size_t)g->axes, grain = 2 * (size_t)rv_splat_size(s) * f;
    size_t blocks = (s->bins + RV_GRAIN_GROUP - 1) / RV_GRAIN_GROUP, levels = 0;
    for (int i = 0; i < s->levels; i++) levels += s->level[i].slots * RV_GRAIN_ARRAYS * f;
    bytes[RV_GRAIN_PARTICLES] = (size_t)room * grain;
    if (rv_splat_air_apart(s)) bytes[RV_GRAIN_PARTICLES] += ((size_t)room + 3) / 4 * 4 * f;
    bytes[RV_GRAIN_OTHERS] = bytes[RV_GRAIN_PARTICLES];
    bytes[RV_GRAIN_BINS] = (size_t)room * 2 * sizeof(uint32_t);
    bytes[RV_GRAIN_FIRST] = (s->bins + blocks + 1) * sizeof(uint32_t);
    bytes[RV_GRAIN_COUNTS] = (s->bins + (size_t)room) * sizeof(uint32_t);
    bytes[RV_GRAIN_SUMS] = g->slots * RV_NARROW_SUM * f;
    bytes[RV_GRAIN_FIELDS] = g->slots * (1 + axes) * f;
    bytes[RV_GRAIN_SHARE] = g->slots * f;
    bytes[RV_GRAIN_FACES] = g->up < 0 ? 16 : g->slots * 2 * axes * f;
    size_t pressed = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2] * f; // after all levels
    bytes[RV_GRAIN_LEVELS] = g->up < 0 ? 16 : levels + pressed;
    bytes[RV_GRAIN_CELLS] = bytes[RV_GRAIN_NODES] = g->slots * grain;
    bytes[RV_GRAIN_SOLID] = g->slots * (g->up < 0 ? 2 : 1) * f;
    bytes[RV_GRAIN_STATUS] = RV_GRAIN_STATUS_WORDS * sizeof(uint32_t);
    bytes[RV_GRAIN_SHOWN] = 16; // more when somebody draws
    bytes[RV_GRAIN_ROWS] = ((size_t)g->n[1] + s->level_rows) * sizeof(uint32_t);
}

static bool take_buffer(rv_splat *s, size_t bytes, rv_device_buffer **out)
{
    rv_grain_card *c = s->card;
    rv_result result = c->device->make_buffer(c->device->user, bytes, out);
    if (result == RV_OK) return true;
    rv_messages_add(&c->said, "card: no memory for %.0f MiB on %s", (double)bytes / 1048576.0,
                    c->device->name);
    rv_grain_fail(s, result);
    return false;
}

// Takes buffers that are not there or too small. Particles must be here, all of them.
static bool take_buffers(rv_splat *s, int64_t room)
{
    rv_grain_card *c = s->card;
    size_t bytes[RV_GRAIN_BINDINGS];
    size_buffers(s, room, bytes);
    for (int k = 0; k < RV_GRAIN_BINDINGS; k++) {
        if (c->buffer[k] && c->bytes[k] >= bytes[k]) continue;
        c->device->free_buffer(c->device->user, c->buffer[k]);
        c->buffer[k] = NULL;
        if (!take_buffer(s, bytes[k], &c->buffer[k])) return false;
        c->bytes[k] = bytes[k];
    }
    if (!c->twin && !take_buffer(s, bytes[RV_GRAIN_FIELDS], &c->twin)) return false;
    c->room = room, c->constants.air_at = (uint32_t)room; // which has the size of one there
    return true;
}

bool rv_grain_fit_shown(rv_splat *s, size_t bytes)
{
    rv_grain_card *c = s->card;
    if (c->bytes[RV_GRAIN_SHOWN] >= bytes) return true;
    c->device->free_buffer(c->device->user, c->buffer[RV_GRAIN_SHOWN]);
    c->buffer[RV_GRAIN_SHOWN] = NULL;
    if (!take_buffer(s, bytes, &c->buffer[RV_GRAIN_SHOWN])) return false;
    c->bytes[RV_GRAIN_SHOWN] = bytes;
    return true;
}

bool rv_grain_fit(rv_splat *s)
{
    int64_t room = s->room > 1024 ? s->room : 1024;
    if (s->card->room >= s->count) return true;
    rv_grain_fetch(s);
    s->sent = 0;
    return s->card && take_buffers(s, room);
}

// ---- Kernels ------------------------------------------------------------------------------------

static const char *text_of(const char *name)
{
    for (const rv_grain_text *k = rv_grain_texts; k->name; k++)
        if (strcmp(k->name, name) == 0) return k->text;
    return "";
}

// What kernels of one group, or of groups that meet, have room for: threads; how long a row is at
// most; the cells that one group does alone, and whether all that it reads of them fits into what it
// shares.
static size_t write_room(const rv_splat *s, const char *name, char *out, size_t room)
{
    static const char *const row_of[] = {"relax", "sink", "rise", "whole"};
    const rv_grain_card *c = s->card;
    size_t used = 0, most = rv_grain_alone_cells(s), axes = (size_t)s->grid.axes;
    bool whole = strcmp(name, "whole") == 0, strips = whole && rv_grain_has_bands(s);
    size_t cells = ((size_t)s->grid.n[0] + 31) / 32 * 32, large = c->constants.coarse;
    for (int k = 0; k < 4; k++)
        if (strcmp(name, row_of[k]) == 0)
            used = (size_t)snprintf(out, room, "#define ROOM %zu\n", cells);
    bool wide = c->device->group_threads >= 1024;
    if (strcmp(name, "begin") == 0)
        return (size_t)snprintf(out, room, "#define ALL %d\n", wide ? 1024 : 256);
    if (!whole && strcmp(name, "small") != 0) return used;
    size_t threads = wide ? 1024 : GROUP_LEAST;
    if (whole) used += (size_t)snprintf(out + used, room - used, "#define ALL %zu\n", threads);
    size_t pool = strips  ? RV_GRAIN_STRIP * (cells + 2)
                  : whole ? 2 * threads + RV_GRAIN_RELAXED
                          : most;
    pool = strips && pool < 4 * threads ? 4 * threads : pool; // kernels/levels.glsl
    pool = pool > most ? pool : most;
    size_t lists = whole && !strips ? large * RV_GRAIN_LIST_WORDS : 0;
    size_t words = pool + (2 + axes) * most + lists + 16;
    bool kept = words * sizeof(float) <= (c->device->group_bytes ? c->device->group_bytes : 16384);
    const rv_narrow_level *l = &s->level[large];
    size_t widest = (size_t)((l->n[0] + 1) / 2) * (size_t)((l->n[1] + 1) / 2) * (size_t)l->n[2];
    used += (size_t)snprintf(
        out + used, room - used,
        "#define MOST %zu\n#define WIDEST %zu\n#define POOL %zu\n#define LARGE %zu\n%s%s", most,
        widest, pool, large, kept ? "#define KEPT\n" : "", strips ? "#define STRIPS\n" : "");
    return used;
}

// A line for each word.
static void write_words(const rv_splat *s, const char *name, unsigned words, char *out, size_t room)
{
    static const char *const text[RV_GRAIN_WORDS] = {"SPACE", "HEIGHT", "SOLID", "ENDS",
                                                     "MAKES", "ALONE",  "AGAIN", "BODIES"};
    size_t used = write_room(s, name, out, room);
    for (int k = 0; k < RV_GRAIN_WORDS; k++)
        if (words >> k & 1)
            used += (size_t)snprintf(out + used, room - used, "#define %s\n", text[k]);
}

rv_device_kernel *rv_grain_kernel_for(rv_splat *s, const char *name, unsigned words)
{
    rv_grain_card *c = s->card;
    if (!c) return NULL;
    for (int k = 0; k < c->kernel_count; k++)
        if (c->kernel[k].words == words && strcmp(c->kernel[k].name, name) == 0)
            return c->kernel[k].kernel;
    char lines[RV_GRAIN_WORDS * 24 + 220];
    lines[0] = 0;
    write_words(s, name, words, lines, sizeof lines);
    const char *parts[] = {lines, text_of("common"), text_of(name), text_of("thread")};
    rv_device_kernel *made = NULL;
    rv_result result =
        c->kernel_count < RV_GRAIN_KERNELS
            ? c->device->make_kernel(c->device->user, name, parts, 4, &made, &c->said)
            : RV_OUT_OF_MEMORY;
    if (result != RV_OK) {
        rv_grain_fail(s, result);
        return NULL;
    }
    c->kernel[c->kernel_count++] = (rv_grain_kernel){name, words, made};
    return made;
}

// ---- Opening and closing ------------------------------------------------------------------------

rv_result rv_grain_open(rv_splat *s, const rv_device *device, rv_messages *messages)
{
    if (device->bindings < RV_GRAIN_BINDINGS) {
        rv_messages_add(messages, "card: %s lets a kernel have %d buffers; wanted are %d",
                        device->name, device->bindings, RV_GRAIN_BINDINGS);
        return RV_BAD_ARGUMENT;
    }
    s->card = rv_new(&s->allocator, 1, sizeof *s->card);
    if (!s->card) return RV_OUT_OF_MEMORY;
    s->card->device = device, s->card->given = 4;
    if (device->group_bytes >= 32768 && device->group_threads >= GROUP_LEAST)
        s->card->together = device->together;
    rv_grain_set_sizes(s);
    if (take_buffers(s, 1024)) rv_grain_make_kernels(s);
    if (s->card) return RV_OK;
    if (s->card_said.count > 0) rv_messages_add(messages, "%s", s->card_said.text);
    rv_result result = s->trouble;
    s->trouble = RV_OK;
    return result;
}

void rv_grain_close(rv_splat *s)
{
    rv_grain_card *c = s->card;
    if (!c) return;
    for (int k = 0; k < RV_GRAIN_BINDINGS; k++)
        c->device->free_buffer(c->device->user, c->buffer[k]);
    c->device->free_buffer(c->device->user, c->twin);
    c->device->free_buffer(c->device->user, c->listed);
    rv_grain_free_sheet(s);
    rv_free(&s->allocator, c->list, c->list_room, sizeof *c->list);
    rv_free(&s->allocator, c->mirror, 2 * s->grid.slots, sizeof *c->mirror);
    rv_free(&s->allocator, c->follower, s->grid.slots, sizeof *c->follower);
    rv_free(&s->allocator, c->alone, c->alone_room * RV_SPLAT_SHOWN, sizeof *c->alone);
    for (int k = 0; k < c->kernel_count; k++)
        c->device->free_kernel(c->device->user, c->kernel[k].kernel);
    rv_free(&s->allocator, c, 1, sizeof *c);
    s->card = NULL;
}

size_t rv_grain_bytes(const rv_splat *s)
{
    size_t sum = s->card ? s->card->bytes[RV_GRAIN_FIELDS] + s->card->list_room * 4 : 0;
    for (int k = 0; s->card && k < RV_GRAIN_BINDINGS; k++) sum += s->card->bytes[k];
    return sum;
}
