// The card's buffers and kernels for the surface, and one update from beginning to end.
#include "surface/card/card.h"

#include "base/memory.h"

#include <stdio.h>

#define GROUPS_MOST                                                                                \
    65535u // of a dispatch in one direction, that every card takes; more are several

void rv_card_sheet_fail(rv_card_sheet *c, rv_result why)
{
    if (c->trouble == RV_OK) c->trouble = why == RV_OK ? RV_DEVICE_LOST : why;
}

// ---- Buffers ------------------------------------------------------------------------------------

// Room in a buffer; what was there is lost if it must be another, which *lost tells.
bool rv_card_sheet_take(rv_card_sheet *c, rv_sheet_binding which, size_t bytes, bool *lost)
{
    if (c->trouble != RV_OK) return false;
    if (c->buffer[which] && c->bytes[which] >= bytes) return true;
    const rv_device *d = c->device;
    d->free_buffer(d->user, c->buffer[which]);
    c->buffer[which] = NULL, c->bytes[which] = 0;
    rv_result result = d->make_buffer(d->user, bytes, &c->buffer[which]);
    if (result != RV_OK) {
        rv_messages_add(&c->said, "surface: no memory for %.0f MiB on %s",
                        (double)bytes / 1048576.0, d->name);
        rv_card_sheet_fail(c, result);
        return false;
    }
    c->bytes[which] = bytes;
    if (lost) *lost = true;
    return true;
}

#define SPARE 65536 // bytes

bool rv_card_sheet_grow(rv_card_sheet *c, rv_sheet_binding which, size_t bytes)
{
    if (c->buffer[which] && c->bytes[which] >= bytes) return true;
    return rv_card_sheet_take(c, which, bytes + bytes / 2 + SPARE, NULL);
}

bool rv_card_sheet_send(rv_card_sheet *c, rv_sheet_binding to, size_t at, const void *data,
                        size_t bytes)
{
    if (c->trouble != RV_OK) return false;
    if (bytes == 0) return true;
    rv_result result = c->device->write(c->device->user, c->buffer[to], at, data, bytes);
    if (result != RV_OK) rv_card_sheet_fail(c, result);
    return result == RV_OK;
}

// ---- Kernels ------------------------------------------------------------------------------------

// What a group of so many threads does alone, if there is little to do: passes that follow each other
// without a call for each.
#define ALONE "#define ALONE 512\n"
#define ENDS_ALONE 1024 // vertices that are none of a column, or uneven columns: two a thread

static const struct {
    const char *name, *word; // the text, and what is defined before it
} kernels[RV_SHEET_KERNELS] = {
    [RV_DO_FILL_COPY] = {"fill", "#define COPY\n"},
    [RV_DO_FILL] = {"fill", ""},
    [RV_DO_AVERAGE] = {"average", ""},
    [RV_DO_BRIMS] = {"brims", ""},
    [RV_DO_LOOK] = {"look", ""},
    [RV_DO_KINDS] = {"kinds", ""},
    [RV_DO_NODES] = {"nodes", ""},
    [RV_DO_STEPS] = {"steps", ""},
    [RV_DO_DRY] = {"dry", ""},
    [RV_DO_FAIR_BEGIN] = {"fair", "#define BEGIN\n"},
    [RV_DO_FAIR] = {"fair", ""},
    [RV_DO_FAIR_END] = {"fair", "#define END\n"},
    [RV_DO_FAIR_ALONE] = {"fair", ALONE},
    [RV_DO_CLEAR] = {"clear", ""},
    [RV_DO_FIND_FULL] = {"join_full", ""},
    [RV_DO_JOIN_FULL] = {"join_full", "#define MADE\n"},
    [RV_DO_FIND_TO_FULL] = {"join_full", "#define TO_FULL\n"},
    [RV_DO_EXTRAS] = {"extras", ""},
    [RV_DO_EXTRAS_EMIT] = {"extras", "#define EMIT\n"},
    [RV_DO_SCAN] = {"scan", ""},
    [RV_DO_JOIN_EXTRAS] = {"join_extras", ""},
    [RV_DO_JOIN_AGREED] = {"join_extras", "#define AGREED\n"},
    [RV_DO_NORMALS] = {"normals", ""},
    [RV_DO_SMOOTH] = {"smooth", ""},
    [RV_DO_QUARTETS] = {"quartets", ""},
    [RV_DO_QUARTETS_EMIT] = {"quartets", "#define EMIT\n"},
    [RV_DO_HANG_FIRST] = {"hang", "#define FIRST\n"},
    [RV_DO_HANG] = {"hang", ""},
    [RV_DO_HANG_LAST] = {"hang", "#define LAST\n"},
    [RV_DO_COUNT] = {"count", ""},
    [RV_DO_NUMBER] = {"number", ""},
    [RV_DO_FRESH] = {"fresh", ""},
    [RV_DO_SLIDE] = {"slide", ""},
    [RV_DO_SLIDE_PUT] = {"slide", "#define PUT\n"},
    [RV_DO_SLIDE_ALONE] = {"slide", ALONE},
    [RV_DO_CONTACTS] = {"contacts", ""},
    [RV_DO_LINES] = {"lines", ""},
    [RV_DO_LINES_GUESS] = {"lines", "#define GUESS\n"},
    [RV_DO_SETTLE] = {"settle", ""},
    [RV_DO_EVEN] = {"even", ""},
    [RV_DO_RINGS_BEGIN] = {"rings", "#define BEGIN\n"},
    [RV_DO_RINGS_FIRST] = {"rings", "#define FIRST\n"},
    [RV_DO_RINGS] = {"rings", ""},
    [RV_DO_FIELD] = {"field", ""},
    [RV_DO_LIPS] = {"lips", ""},
    [RV_DO_MENISCUS] = {"meniscus", ALONE},
    [RV_DO_SIDES] = {"sides", ""},
    [RV_DO_FLOODED] = {"flooded", ""},
};

static const char *text_of(const char *name)
{
    for (const rv_sheet_text *k = rv_sheet_texts; k->name; k++)
        if (strcmp(k->name, name) == 0) return k->text;
    return "";
}

// Vertices for which there is room where the threads of a group share it, 24 bytes each. Drivers that
// are processors gain nothing, and take a minute to compile it.
static uint32_t ends_alone(const rv_device *d)
{
    bool can = d->together > 0 && d->group_threads >= 512 && d->group_bytes >= 24 * ENDS_ALONE;
    return can ? ENDS_ALONE : 0;
}

static bool is_wanted(const rv_card_sheet *c, int k)
{
    return c->ends_most > 0 || strcmp(kernels[k].word, ALONE) != 0;
}

// All at once, before the first is called: a driver that compiles in the middle of a run is seen as
// a picture that stops.
static void make_kernels(rv_card_sheet *c)
{
    const rv_device *d = c->device;
    char most[64];
    c->ends_most = ends_alone(d);
    snprintf(most, sizeof most, "#define ENDS_MOST %u\n", (unsigned)c->ends_most);
    for (int k = 0; d->ask_kernel && k < RV_SHEET_KERNELS; k++) {
        const char *parts[] = {kernels[k].word, most, text_of("common"), text_of(kernels[k].name)};
        if (is_wanted(c, k)) d->ask_kernel(d->user, parts, 4);
    }
    for (int k = 0; k < RV_SHEET_KERNELS && c->trouble == RV_OK; k++) {
        const char *parts[] = {kernels[k].word, most, text_of("common"), text_of(kernels[k].name)};
        if (c->kernel[k] || !is_wanted(c, k)) continue; // those after it failed
        rv_result result =
            d->make_kernel(d->user, kernels[k].name, parts, 4, &c->kernel[k], &c->said);
        if (result != RV_OK) rv_card_sheet_fail(c, result);
    }
}

void rv_card_sheet_call(rv_card_sheet *c, rv_sheet_kernel kernel, uint32_t x, uint32_t z)
{
    rv_device_buffer *buffers[RV_SHEET_BINDINGS];
    if (c->trouble != RV_OK || x == 0) return;
    memcpy(buffers, c->buffer, sizeof buffers);
    if (kernel == RV_DO_LOOK) buffers[RV_SHEET_RINGS] = c->buffer[RV_SHEET_SEEN];
    if (kernel == RV_DO_FILL_COPY || kernel == RV_DO_AVERAGE || kernel == RV_DO_FILL ||
        kernel == RV_DO_FLOODED || kernel == RV_DO_BRIMS)
        buffers[RV_SHEET_RINGS] = c->buffer[RV_SHEET_FILLED];
    rv_device_call call = {.kernel = c->kernel[kernel],
                           .buffers = buffers,
                           .buffer_count = RV_SHEET_BINDINGS,
                           .constants = &c->constants,
                           .constant_bytes = sizeof c->constants};
    for (uint32_t first = 0; call.kernel && first < x && c->trouble == RV_OK;
         first += c->groups_most) {
        uint32_t groups = x - first < c->groups_most ? x - first : c->groups_most;
        c->constants.first = first;
        call.groups[0] = groups, call.groups[1] = 1, call.groups[2] = z;
        rv_result result = c->device->dispatch(c->device->user, &call);
        if (result != RV_OK) rv_card_sheet_fail(c, result);
    }
}

// ---- Times --------------------------------------------------------------------------------------

static void collect_times(rv_card_sheet *c, bool wait)
{
    for (int k = 0; k < RV_SHEET_TIMES; k++) {
        bool done = false;
        double ms = 0;
        if (!c->timed[k]) continue;
        rv_result result = c->device->timer(c->device->user, c->timer[k], wait, &done, &ms);
        if (result != RV_OK || done) c->timed[k] = false;
        if (result == RV_OK && done) c->ms[k] = ms;
    }
}

void rv_card_sheet_times(rv_card_sheet *c, double *surface, double *meniscus)
{
    if (c->device) collect_times(c, false);
    c->times_wanted = RV_SHEET_TIMED;
    *surface = c->ms[0] + c->ms[1], *meniscus = c->ms[2];
}

// ---- An update ----------------------------------------------------------------------------------

static void set_constants(rv_card_sheet *c, const rv_surface_input *in)
{
    const rv_column_set *set = in->columns;
    const rv_grid *g = &set->grid;
    rv_sheet_constants *k = &c->constants;
    double x1 = g->x0 + g->nx * g->dx, y1 = g->y0 + g->ny * g->dx, half = 0.5 * g->dx;
    const float line[4] = {(float)(g->x0 + half), (float)(x1 - half), (float)(g->y0 + half),
                           (float)(y1 - half)};
    const float side[4] = {(float)g->x0, (float)x1, (float)g->y0, (float)y1};
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        const uint32_t words[8] = {(uint32_t)p->offset, (uint32_t)p->pitch, (uint32_t)p->nx,
                                   (uint32_t)p->ny,     (uint32_t)p->x0,    (uint32_t)p->y0};
        memcpy(k->plane[2 * l], words, sizeof words);
    }
    k->slots = (uint32_t)set->slots, k->planes = (uint32_t)set->planes;
    k->across = (uint32_t)c->squares.across, k->nodes = k->slots + k->extras;
    k->nx = (uint32_t)g->nx, k->ny = (uint32_t)g->ny;
    k->dx = (float)g->dx, k->per_dx = (float)(1 / g->dx), k->film = (float)in->film;
    k->rim = in->rim, k->top = (float)g->top, k->length = (float)in->meniscus_length;
    k->reach = k->length + 0.5f * k->dx, k->alpha = (float)in->contact;
    k->near_line = (float)(1e-3 * g->dx);
    k->brim = (uint32_t)in->brim;
    k->fall[0] = in->fall.gravity, k->fall[1] = in->fall.rims, k->fall[2] = in->fall.held;
    memcpy(k->line, line, sizeof line);
    memcpy(k->side, side, sizeof side);
    k->has = (in->curtain ? RV_HAS_CURTAIN : 0u) | (in->bends ? RV_HAS_BENDS : 0u) |
             (in->drip ? RV_HAS_DRIPS : 0u) | (in->meniscus ? RV_HAS_MENISCUS : 0u);
}

static bool can(rv_card_sheet *c, const rv_column_set *set, const rv_device *device)
{
    // 48 bytes a column are the most that one buffer has
    if (device->bindings >= RV_SHEET_BINDINGS && set->slots <= device->buffer_most / 48 &&
        set->grid.nx < 65536 && set->grid.ny < 65536 && device->name_of)
        return true;
    rv_messages_add(&c->said, "surface: %s cannot make one of %d × %d cells", device->name,
                    set->grid.nx, set->grid.ny);
    return false;
}

// Buffers by column; what was in them is lost together.
static bool take_buffers(rv_card_sheet *c)
{
    size_t slots = c->constants.slots, nodes = slots + c->constants.extras, n = c->square_count;
    size_t groups = n * c->constants.planes + c->constants.extras / 256 + 1;
    bool lost = false;
    bool good =
        rv_card_sheet_take(c, RV_SHEET_VALUES, 24 * nodes, &lost) &&
        rv_card_sheet_take(c, RV_SHEET_NODES, 32 * nodes, &lost) &&
        rv_card_sheet_take(c, RV_SHEET_LINKS, 32 * nodes, &lost) &&
        rv_card_sheet_take(c, RV_SHEET_NORMALS, 48 * slots, &lost) &&
        rv_card_sheet_take(c, RV_SHEET_EXTRAS, 64 * (size_t)c->constants.extras, &lost) &&
        rv_card_sheet_take(c, RV_SHEET_SQUARES, 4 * RV_SQUARE_LISTS * n, &lost) &&
        rv_card_sheet_take(c, RV_SHEET_STATUS, 4 * (rv_sheet_sums_at(c) + 3 * groups), &lost) &&
        rv_card_sheet_take(c, RV_SHEET_RINGS, 24 * slots, &lost) &&
        rv_card_sheet_take(c, RV_SHEET_SEEN, 12 * slots, &lost);
    if (lost) c->there = false;
    return good;
}

// ---- Flooded columns ----------------------------------------------------------------------------

// `full`: by slot, 1: flooded; NULL: none ever is.
static bool list_flooded(rv_card_sheet *c, const uint8_t *full, size_t slots)
{
    size_t count = 0;
    const uint8_t *at = full ? memchr(full, 1, slots) : NULL;
    c->flooded_count = 0;
    if (!at) return true;
    if (c->flooded_room < slots) {
        rv_free(&c->allocator, c->flooded, c->flooded_room, sizeof *c->flooded);
        c->flooded = rv_new(&c->allocator, slots, sizeof *c->flooded);
        c->flooded_room = c->flooded ? slots : 0;
        if (!c->flooded) return false;
    }
    for (; at; at = memchr(at + 1, 1, (size_t)(full + slots - at - 1)))
        c->flooded[count++] = (uint32_t)(at - full);
    c->flooded_count = (uint32_t)count;
    return true;
}

// Depths as means, with flooded columns up to their ceilings, and films that run on along edges that
// drip.
// From here on the kernels see these in place of the solver's.
static void fill_depths(rv_card_sheet *c, const rv_surface_input *in)
{
    size_t slots = c->constants.slots, edges = in->flank ? in->drips : 0;
    if (c->flooded_count == 0 && edges == 0 && !in->average) return;
    if (!rv_card_sheet_take(c, RV_SHEET_FILLED, 12 * slots, NULL)) return;
    rv_card_sheet_call(c, RV_DO_FILL_COPY, (uint32_t)((slots + 1023) / 1024), 1);
    if (in->average)
        rv_card_sheet_call(c, RV_DO_AVERAGE, (uint32_t)c->square_count, c->constants.planes);
    if (c->flooded_count > 0) {
        rv_card_sheet_send(c, RV_SHEET_FILLED, 8 * slots, c->flooded, 4 * (size_t)c->flooded_count);
        c->constants.count = c->flooded_count;
        rv_card_sheet_call(c, RV_DO_FILL, (c->flooded_count + 255) / 256, 1);
    }
    c->constants.count = (uint32_t)edges;
    if (edges > 0) rv_card_sheet_call(c, RV_DO_BRIMS, (uint32_t)((edges + 63) / 64), 1);
    c->buffer[RV_SHEET_DEPTH] = c->buffer[RV_SHEET_FILLED];
}

// What was seen along with the step counts if nothing came in between.
static void heed_ahead(rv_card_sheet *c, const rv_card_liquid *liquid)
{
    const rv_card_liquid *a = &c->ahead.liquid;
    if (!c->ahead.known) return;
    if (c->there && c->flooded_count == 0 && a->version == liquid->version &&
        a->depth == liquid->depth && a->flux == liquid->flux)
        return;
    for (size_t i = 0; i < c->square_count; i++) c->missed[i] |= c->look[i] & RV_SQUARE_CHANGED;
    c->ahead.known = false;
}

static void begin(rv_card_sheet *c, const rv_surface_input *in, const rv_card_liquid *liquid)
{
    if (c->device && c->device != liquid->device) rv_card_sheet_free(c);
    c->trouble = RV_OK, c->said = (rv_messages){0}, c->changed = false;
    rv_card_sheet_take_look(c);
    c->device = liquid->device;
    c->buffer[RV_SHEET_DEPTH] = liquid->depth, c->buffer[RV_SHEET_FLUX] = liquid->flux;
    if (c->constants.extras == 0) c->constants.extras = 1024;
    c->groups_most = c->device->groups_most ? c->device->groups_most : GROUPS_MOST;
    if (!can(c, in->columns, c->device)) {
        rv_card_sheet_fail(c, RV_BAD_DATA);
        return;
    }
    if (!c->kernel[RV_SHEET_KERNELS - 1]) make_kernels(c), c->times_wanted = RV_SHEET_TIMED;
    if (c->trouble != RV_OK || !rv_card_sheet_take_squares(c, in->columns)) return;
    set_constants(c, in);
    if (!take_buffers(c) || !rv_card_sheet_follow(c, in)) return;
    if (!list_flooded(c, liquid->full, in->columns->slots)) {
        rv_card_sheet_fail(c, RV_OUT_OF_MEMORY);
        return;
    }
    heed_ahead(c, liquid);
    if (!c->ahead.known)
        fill_depths(c, in);
    else if (c->ahead.filled)
        c->buffer[RV_SHEET_DEPTH] = c->buffer[RV_SHEET_FILLED];
}

// ---- Ahead of an update -------------------------------------------------------------------------

static bool has_full(const rv_card_liquid *liquid, size_t slots)
{
    return liquid->full && memchr(liquid->full, 1, slots);
}

void rv_card_sheet_look_ahead(rv_card_sheet *c, const rv_column_set *columns, int64_t changes,
                              const rv_card_liquid *liquid)
{
    if (!c->there || c->ahead.asked || c->device != liquid->device || c->trouble != RV_OK ||
        c->made.columns != columns || c->made.changes != changes || c->slots != columns->slots ||
        4 * c->square_count > RV_DEVICE_READ_MOST || has_full(liquid, c->slots))
        return;
    c->buffer[RV_SHEET_DEPTH] = liquid->depth, c->buffer[RV_SHEET_FLUX] = liquid->flux;
    c->flooded_count = 0;
    fill_depths(c, &c->made);
    c->ahead.filled = c->buffer[RV_SHEET_DEPTH] != liquid->depth;
    rv_card_sheet_ask_look(c, &c->ahead.ticket);
    c->ahead.asked = c->trouble == RV_OK;
    c->ahead.liquid = *liquid;
    c->buffer[RV_SHEET_DEPTH] = c->buffer[RV_SHEET_FLUX] = NULL;
}

// Whether there is something to make. Droplets fly on where columns stay as they are: then all is
// made again, since what stands behind them moves.
static bool is_to_make(rv_card_sheet *c)
{
    if (rv_card_sheet_list(c)) return true;
    if (c->trouble != RV_OK || (c->more->vertices == 0 && c->constants.more == 0)) return false;
    c->there = false;
    return rv_card_sheet_list(c);
}

rv_result rv_card_sheet_build(rv_card_sheet *c, const rv_surface_input *in,
                              const rv_card_liquid *liquid, const rv_blob_work *droplets)
{
    c->more = droplets;
    begin(c, in, liquid);
    // once more when there was more than could be known
    for (int round = 0; round < 8 && c->trouble == RV_OK; round++) {
        if (c->times_wanted > 0) collect_times(c, true);
        if (!is_to_make(c)) break;
        c->changed = true, c->constants.more = (uint32_t)droplets->vertices;
        c->constants.more_triangles = (uint32_t)droplets->triangles;
        rv_card_sheet_make(c);
        if (c->trouble != RV_OK || !c->again) break;
        c->there = false;
        if (c->status[RV_SHEET_EXTRA_COUNT] <= c->constants.extras) continue;
        c->constants.extras = c->status[RV_SHEET_EXTRA_COUNT] * 3 / 2 / 256 * 256 + 512;
        c->constants.nodes = c->constants.slots + c->constants.extras;
        if (!take_buffers(c)) break;
    }
    if (c->changed && c->times_wanted > 0) c->times_wanted--;
    c->there = c->trouble == RV_OK;
    c->buffer[RV_SHEET_DEPTH] = c->buffer[RV_SHEET_FLUX] = NULL; // not ours
    return c->trouble;
}

void rv_card_sheet_free(rv_card_sheet *c)
{
    const rv_device *d = c->device;
    c->buffer[RV_SHEET_DEPTH] = c->buffer[RV_SHEET_FLUX] = NULL;
    rv_card_sheet_take_look(c); // a ticket that nobody collects stays in use
    for (int k = 0; d && k < RV_SHEET_BUFFERS; k++) d->free_buffer(d->user, c->buffer[k]);
    for (int k = 0; d && k < RV_SHEET_KERNELS; k++)
        if (c->kernel[k]) d->free_kernel(d->user, c->kernel[k]);
    rv_card_sheet_free_squares(c);
    rv_free(&c->allocator, c->sheet, c->sheet_room, sizeof *c->sheet);
    rv_free(&c->allocator, c->flooded, c->flooded_room, sizeof *c->flooded);
    rv_free(&c->allocator, c->more_part, c->more_room, sizeof *c->more_part);
    *c = (rv_card_sheet){.allocator = c->allocator};
}
