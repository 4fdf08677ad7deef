// Bodies among particles that live on a card: both ways, with the processor's bits. What a body
// does is worked out here, in doubles and in the order of floating.c and bodies.c; what crosses is
// what is near one. In a plane and in space that is
//
//  - distance and share of the cells around it that changed, before a substep;
//  - after each cycle of the pressure that of the cells at its skin; back goes what they are asked;
//  - the particles that come near it, once they were moved.
//
// In form height it is the rows of cells and nodes that it floats over, and their particles.
#include "particles/card/card.h"

#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CYCLES 16   // at most, as in pressure.c
#define BOXES_AT 2  // words, where the boxes stand among those of the particles that meet a body
#define LIST_AT 400 // and where these begin
#define SLIDES 3    // cells further than a body's own that particles feel it
#define FOLLOWS 0x80000000u

typedef struct skin { // as kernels/skins.glsl has it
    uint32_t slot, next;
    float take, give;
} skin;

// ---- Cells --------------------------------------------------------------------------------------

static bool has_mirrors(rv_splat *s)
{
    rv_grain_card *c = s->card;
    size_t slots = s->grid.slots;
    if (c->mirror) return true;
    c->mirror = rv_new(&s->allocator, 2 * slots, sizeof *c->mirror);
    c->follower = rv_new(&s->allocator, slots, sizeof *c->follower);
    if (c->mirror && c->follower) {
        c->solids_fresh = false; // all are sent once
        return true;
    }
    rv_grain_fail(s, RV_OUT_OF_MEMORY);
    return false;
}

// Cells of a box, and one more to each side, that are not there as they are here.
static size_t list_changed(rv_splat *s, const rv_splat_box *box, size_t count)
{
    const rv_splat_grid *g = &s->grid;
    float *solid = s->card->mirror, *share = solid + g->slots;
    int deep = g->axes == 3 ? 1 : 0;
    for (int b = box->low[2] - deep; b < box->high[2] + deep; b++)
        for (int a = box->low[1] - 1; a <= box->high[1]; a++)
            for (int x = box->low[0] - 1; x <= box->high[0]; x++) {
                size_t slot = rv_splat_slot(g, x, a, b);
                if (solid[slot] == s->solid[slot] && share[slot] == s->share[slot]) continue;
                uint32_t *words = rv_grain_list_room(s, 3 * (count + 1));
                if (!words) return 0;
                solid[slot] = s->solid[slot], share[slot] = s->share[slot];
                words[3 * count] = (uint32_t)slot;
                memcpy(words + 3 * count + 1, &s->solid[slot], sizeof(float));
                memcpy(words + 3 * count + 2, &s->share[slot], sizeof(float));
                count++;
            }
    return count;
}

// As many words as a box may have, so that the list need not grow, and lose what is in it.
static size_t box_words(const rv_splat_box *b)
{
    size_t cells = 3;
    for (int c = 0; c < 3; c++) cells *= (size_t)(b->high[c] - b->low[c] + 2);
    return cells;
}

void rv_grain_place_bodies(rv_splat *s)
{
    rv_splat_box box[2 * RV_SPLAT_BODIES];
    int count = s->box_count;
    size_t words = 0, changed = 0;
    memcpy(box, s->boxes, (size_t)count * sizeof *box);
    rv_splat_place_bodies(s);
    if (s->grid.up < 0 || !has_mirrors(s)) return;
    memcpy(box + count, s->boxes, (size_t)s->box_count * sizeof *box);
    count += s->box_count;
    if (!s->card->solids_fresh) return; // they go there with all others
    for (int i = 0; i < count; i++) words += box_words(&box[i]);
    if (!rv_grain_list_room(s, words)) return;
    for (int i = 0; i < count && s->card; i++) changed = list_changed(s, &box[i], changed);
    if (s->card && changed > 0 && rv_grain_send_list(s, 0, 3 * changed))
        rv_grain_call_list(s, "placed", changed, 0);
}

// ---- Pressure -----------------------------------------------------------------------------------

// The cells at the skins of bodies; those of one slot after each other. Returns how many.
static size_t list_skins(rv_splat *s)
{
    rv_grain_card *c = s->card;
    size_t count = 0;
    skin *list = (skin *)(void *)rv_grain_list_room(s, 5 * s->near_count + 2);
    for (size_t i = 0; list && i < s->near_count; i++) {
        uint32_t slot = s->near[i].slot;
        if (s->near[i].body < 0) continue;
        uint32_t before = c->follower[slot]; // 1 + the last of this slot
        list[count] =
            (skin){slot | (before ? FOLLOWS : 0), 0, 0.0f, rv_splat_skin_asks(s, &s->near[i])};
        if (before) list[before - 1].next = (uint32_t)count + 1;
        c->follower[slot] = (uint32_t)++count;
    }
    for (size_t i = 0; i < count; i++) c->follower[list[i].slot & ~FOLLOWS] = 0;
    return count;
}

static bool ask_again(rv_splat *s, size_t count)
{
    skin *list = (skin *)(void *)s->card->list;
    for (size_t i = 0, k = 0; i < s->near_count; i++) {
        if (s->near[i].body < 0) continue;
        list[k].take = list[k].give, list[k].give = rv_splat_skin_asks(s, &s->near[i]), k++;
    }
    return rv_grain_send_list(s, 0, 4 * count) && rv_grain_call_list(s, "skins", count, 0);
}

// What the cycle is to do, for kernels that ask the status.
static bool send_cycle(rv_splat *s, int number, const rv_narrow_cycles *c)
{
    uint32_t words[4] = {0, 0, c->whole ? 2 : c->anew ? 1 : 0, 0};
    memcpy(&words[3], &c->trust, sizeof c->trust);
    return rv_grain_send(s, RV_GRAIN_STATUS, (RV_GRAIN_CYCLES + 8 * (size_t)number) * sizeof *words,
                         words, sizeof words);
}

// The pressures at the skins, put where lead and press look for them. Returns what is left; under
// 0: the card waits.
static float take_pressures(rv_splat *s, size_t count)
{
    float left;
    if (!rv_grain_call_list(s, "pressed", count, 4 * count) ||
        !rv_grain_fetch_list(s, 4 * count, count + 2))
        return -1.0f;
    const uint32_t *words = s->card->list + 4 * count;
    for (size_t i = 0, k = 0; i < s->near_count; i++)
        if (s->near[i].body >= 0) memcpy(&s->f.pressure[s->near[i].slot], words + k++, sizeof left);
    memcpy(&left, words + count, sizeof left);
    return words[count + 1] ? -1.0f : left;
}

// rv_narrow_solve() of pressure.c. False: it must be begun again.
static bool solve(rv_splat *s, size_t count)
{
    const rv_narrow_limits limits = rv_narrow_limits_of(s);
    rv_narrow_cycles c = rv_narrow_cycles_begin();
    for (s->cycles = 0; s->cycles < CYCLES; s->cycles++) {
        rv_narrow_cycle_next(&limits, &c, s->cycles);
        if (!send_cycle(s, s->cycles, &c)) return true;
        rv_grain_cycle(s, s->cycles);
        float most = s->card ? take_pressures(s, count) : 0.0f;
        if (!s->card) return true;
        if (most < 0.0f) return false;
        most = fmaxf(most, (float)rv_splat_lead(s));
        if (!ask_again(s, count)) return true;
        if (rv_narrow_cycle_done(&limits, &c, s->cycles, most)) break;
    }
    return true;
}

bool rv_grain_press_bodies(rv_splat *s)
{
    rv_splat_start_leads(s);
    size_t count = list_skins(s);
    if (!s->card || !rv_grain_send_list(s, 0, 4 * count) ||
        !rv_grain_call_list(s, "skins", count, 0))
        return true;
    bool found = solve(s, count);
    if (found && s->card) rv_splat_press_bodies(s);
    for (size_t i = 0; i < s->near_count; i++) s->f.pressure[s->near[i].slot] = 0.0f;
    return found;
}

// ---- Particles ----------------------------------------------------------------------------------

// What `move` is to know: nobody met a body yet, and where the bodies are.
void rv_grain_list_boxes(rv_splat *s)
{
    size_t item = 1 + 2 * (size_t)s->grid.axes;
    uint32_t *words = rv_grain_list_room(s, LIST_AT + item * (size_t)s->count);
    if (!words) return;
    words[0] = 0, words[1] = (uint32_t)s->box_count;
    for (int i = 0; i < s->box_count; i++)
        for (int c = 0; c < 3; c++) {
            words[BOXES_AT + 6 * i + c] = (uint32_t)s->boxes[i].low[c];
            words[BOXES_AT + 6 * i + 3 + c] = (uint32_t)s->boxes[i].high[c];
        }
    s->card->constants.boxes_at = LIST_AT;
    rv_grain_send_list(s, 0, LIST_AT);
}

// Those that met one, in their order: bodies get what each loses.
void rv_grain_push_out(rv_splat *s)
{
    int axes = s->grid.axes, size = rv_splat_size(s);
    size_t item = 1 + 2 * (size_t)axes, guess = s->card->met + s->card->met / 4 + 64;
    if (guess > (size_t)s->count) guess = (size_t)s->count;
    if (!rv_grain_fetch_list(s, 0, LIST_AT + item * guess)) return;
    uint32_t *words = s->card->list;
    size_t count = words[0];
    if (count > guess && !rv_grain_fetch_list(s, LIST_AT + item * guess, item * (count - guess)))
        return;
    s->card->met = count;
    qsort(words + LIST_AT, count, item * sizeof *words, rv_by_word);
    for (size_t i = 0; i < count; i++) {
        uint32_t *own = words + LIST_AT + item * i;
        float p[8] = {0};
        memcpy(p, own + 1, (size_t)axes * sizeof *p);
        memcpy(p + size, own + 1 + axes, (size_t)axes * sizeof *p);
        rv_splat_push_out(s, p);
        memcpy(own + 1, p, (size_t)axes * sizeof *p);
        memcpy(own + 1 + axes, p + size, (size_t)axes * sizeof *p);
    }
    if (count > 0 && rv_grain_send_list(s, LIST_AT, item * count))
        rv_grain_call_list(s, "put", count, LIST_AT);
}

// ---- Form height --------------------------------------------------------------------------------

// Rows that bodies are over, `more` to each side. False: there are none.
static bool body_rows(const rv_splat *s, int more, int *from, int *to)
{
    int n = s->grid.n[1];
    *from = n, *to = 0;
    for (int i = 0; i < s->body_count; i++) {
        rv_splat_box box = rv_splat_rim_box(s, &s->body[i]);
        *from = box.low[1] < *from ? box.low[1] : *from;
        *to = box.high[1] > *to ? box.high[1] : *to;
    }
    *from = *from > more ? *from - more : 0, *to = *to + more < n ? *to + more : n;
    return *from < *to;
}

// Levels must be there, without their mirror images.
void rv_grain_float_bodies(rv_splat *s)
{
    int from, to;
    rv_grain_call_grid(s, "unmark", 0, 0);
    if (!s->card || !body_rows(s, 0, &from, &to)) return;
    const rv_splat_grid *g = &s->grid;
    size_t first = rv_splat_slot(g, 0, from, 0), last = rv_splat_slot(g, g->n[0] - 1, to - 1, 0);
    size_t count = last + 1 - first, f = sizeof(float);
    if (!rv_grain_take(s, RV_GRAIN_FIELDS, first * f, s->f.weight + first, count * f) ||
        !rv_grain_take(s, RV_GRAIN_CELLS, 4 * first * f, s->cell + 4 * first, 4 * count * f))
        return;
    for (int a = from; a < to; a++) // so that they are cleared before the next splat here
        s->span[rv_splat_row(g, a, 0)] = (rv_splat_span){0, g->n[0]};
    rv_splat_float_bodies(s);
    rv_grain_send(s, RV_GRAIN_CELLS, 4 * first * f, s->cell + 4 * first, 4 * count * f);
}

// Where the particles of a row begin.
static bool first_of_row(rv_splat *s, int row, int64_t *out)
{
    uint32_t bin = (uint32_t)row * s->card->constants.wide, at = 0, group = 0, word = sizeof at;
    *out = s->count;
    if (bin >= s->card->constants.bins) return true;
    size_t of_group = s->card->constants.bins + bin / RV_GRAIN_GROUP;
    bool fine = rv_grain_take(s, RV_GRAIN_FIRST, (size_t)bin * word, &at, word) &&
                rv_grain_take(s, RV_GRAIN_FIRST, of_group * word, &group, word);
    *out = (int64_t)at + (int64_t)group;
    return fine;
}

// Nodes must be there; before particles move.
void rv_grain_answer_bodies(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    int from, to;
    int64_t low, high;
    size_t item = 4 * sizeof(float);
    if (!s->card || !body_rows(s, SLIDES, &from, &to)) return;
    if (!first_of_row(s, from, &low) || !first_of_row(s, to, &high) || high <= low) return;
    size_t first = rv_splat_slot(g, -1, from - 1, 0), last = rv_splat_slot(g, g->n[0], to, 0);
    float *some = s->other;
    if (!rv_grain_take(s, RV_GRAIN_NODES, first * item, s->f.node + 4 * first,
                       (last + 1 - first) * item) ||
        !rv_grain_take(s, RV_GRAIN_PARTICLES, (size_t)low * item, some,
                       (size_t)(high - low) * item))
        return;
    rv_splat_answer_bodies(s, some, high - low);
    rv_grain_send(s, RV_GRAIN_PARTICLES, (size_t)low * item, some, (size_t)(high - low) * item);
}
