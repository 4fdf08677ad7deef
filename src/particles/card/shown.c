// What a renderer shows of particles that live on a card: their density there, with what is thin
// closed (../drawn.c), and here those few that lie alone, which no surface shows.
#include "particles/card/card.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#define ALONE_AT 8        // words of the list, where those that lie alone begin: kernels/lone.glsl
#define ALONE_WORDS 8     // of each: its number, place, velocity, foam
#define ALONE_MOST 262144 // more are not looked for

static void call_words(rv_splat *s, const char *name, size_t words)
{
    uint32_t all = (uint32_t)((words + 255) / 256),
             wide = all < RV_GRAIN_WIDE ? all : RV_GRAIN_WIDE;
    if (words > 0) rv_grain_call(s, name, 0, (const uint32_t[3]){wide, (all + wide - 1) / wide, 1});
}

// ---- Those that lie alone -----------------------------------------------------------------------

static bool alone_room(rv_splat *s, size_t count)
{
    rv_grain_card *c = s->card;
    if (count <= c->alone_room) return true;
    size_t room = count + count / 2;
    float *fresh = rv_new(&s->allocator, room * RV_SPLAT_SHOWN, sizeof *fresh);
    if (!fresh) return false;
    rv_free(&s->allocator, c->alone, c->alone_room * RV_SPLAT_SHOWN, sizeof *fresh);
    c->alone = fresh, c->alone_room = room;
    return true;
}

// Their numbers and what they are, in the list, in the order of their numbers. Returns how many.
static size_t find_alone(rv_splat *s, double level)
{
    rv_grain_card *c = s->card;
    size_t most = s->count < ALONE_MOST ? (size_t)s->count : ALONE_MOST;
    size_t guess = c->alone_count + c->alone_count / 4 + 64;
    uint32_t *words = rv_grain_list_room(s, ALONE_AT + ALONE_WORDS * most);
    guess = guess < most ? guess : most;
    if (!words) return 0;
    memset(words, 0, ALONE_AT * sizeof *words);
    if (!rv_grain_send_list(s, 0, ALONE_AT)) return 0;
    c->constants.most = (uint32_t)most, c->constants.boxes_at = ALONE_AT;
    c->constants.seen = (float)(level + (s->grid.axes == 3 ? 0 : RV_DENSITY_WITHIN));
    rv_grain_call_many(s, "lone", RV_GRAIN_LISTED, (size_t)s->count);
    if (!s->card || !rv_grain_fetch_list(s, 0, ALONE_AT + ALONE_WORDS * guess)) return 0;
    size_t count = c->list[0] < most ? c->list[0] : most;
    if (count > guess &&
        !rv_grain_fetch_list(s, ALONE_AT + ALONE_WORDS * guess, ALONE_WORDS * (count - guess)))
        return 0;
    qsort(c->list + ALONE_AT, count, ALONE_WORDS * sizeof *c->list, rv_by_word);
    return count;
}

// As lists of their own, in the world's axes.
static void show_alone(rv_splat *s, double level, rv_particles *out)
{
    size_t count = s->count > 0 ? find_alone(s, level) : 0;
    *out = (rv_particles){.at = {0, s->params.grid_y, s->params.grid_bottom}, .each = s->each};
    if (!s->card || count == 0 || !alone_room(s, count)) return;
    rv_grain_card *c = s->card;
    size_t room = c->alone_room;
    c->alone_count = count;
    for (size_t i = 0; i < count; i++) {
        float own[ALONE_WORDS];
        memcpy(own, c->list + ALONE_AT + ALONE_WORDS * i, sizeof own);
        for (int w = 0; w < 3; w++) {
            int axis = s->axis_of[w];
            if (axis < 0) continue;
            c->alone[(size_t)w * room + i] = (float)(s->low[axis] + (double)own[1 + axis] * s->dx);
            c->alone[(size_t)(3 + w) * room + i] = own[4 + axis];
        }
        c->alone[6 * room + i] = own[7];
    }
    const float *v[6];
    for (int w = 0; w < 6; w++) v[w] = s->axis_of[w % 3] >= 0 ? c->alone + (size_t)w * room : NULL;
    out->count = (int64_t)count;
    out->x = v[0], out->y = v[1], out->z = v[2], out->u = v[3], out->v = v[4], out->w = v[5];
    out->air = rv_splat_foams(s) ? c->alone + 6 * room : NULL;
}

// ---- Densities ----------------------------------------------------------------------------------

// In a plane: density and speed as halves, a word a cell; then foam, four cells a word.
static bool show_plane(rv_splat *s, double level, rv_density_card *out)
{
    size_t cells = (size_t)s->grid.n[0] * (size_t)s->grid.n[1];
    size_t froth = rv_splat_foams(s) ? (cells + 3) / 4 : 0;
    if (!rv_grain_gather(s) || !rv_grain_fit_shown(s, (cells + froth) * sizeof(uint32_t)))
        return false;
    s->card->constants.seen = (float)level, s->card->constants.froth_at = (uint32_t)cells;
    rv_grain_call_grid(s, "mend", 0, 0);
    rv_grain_call_grid(s, "cut", 0, 0);
    call_words(s, "froth", froth);
    out->froth_at = froth > 0 ? cells * sizeof(uint32_t) : 0;
    return s->card;
}

// As a height, whose surface is a mesh: foam alone, after a word that is nothing.
static bool show_height(rv_splat *s, rv_density_card *out)
{
    size_t cells = (size_t)s->grid.n[0] * (size_t)s->grid.n[1], froth = (cells + 3) / 4;
    if (!rv_splat_foams(s) || !rv_grain_gather(s) ||
        !rv_grain_fit_shown(s, (1 + froth) * sizeof(uint32_t)))
        return false;
    s->card->constants.froth_at = 1;
    call_words(s, "froth", froth);
    out->froth_at = sizeof(uint32_t);
    return s->card;
}

// In space: halves, two a word; then boxes, a word each; then foam, four cells a word.
static bool show_space(rv_splat *s, double level, rv_density_card *out)
{
    const rv_splat_grid *g = &s->grid;
    size_t cells = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2], boxes = 1;
    size_t words = (cells + 1) / 2, froth = rv_splat_foams(s) ? (cells + 3) / 4 : 0;
    uint32_t groups[3];
    for (int c = 0; c < 3; c++) {
        uint32_t n = ((uint32_t)g->n[c] + 3) / 4;
        boxes *= n, groups[c] = (n + 3) / 4;
    }
    if (!rv_grain_gather(s) || !rv_grain_fit_shown(s, (words + boxes + froth) * sizeof(uint32_t)))
        return false;
    rv_grain_constants *k = &s->card->constants;
    k->boxes_at = (uint32_t)words, k->seen = (float)level;
    k->froth_at = (uint32_t)(words + boxes);
    rv_grain_call_grid(s, "mend", 0, 0);
    rv_grain_call_grid(s, "soften", 0, 0);
    call_words(s, "show", words);
    rv_grain_call(s, "boxes", 0, groups);
    call_words(s, "froth", froth);
    out->boxes_at = words * sizeof(uint32_t), out->side = 4;
    out->froth_at = froth > 0 ? (words + boxes) * sizeof(uint32_t) : 0;
    return s->card;
}

bool rv_grain_show(rv_splat *s, double level, rv_density_card *out)
{
    *out = (rv_density_card){0};
    if (!s->card) return false;
    bool flat = s->grid.up < 0;
    if (!(s->grid.axes == 3 ? show_space(s, level, out)
          : flat            ? show_height(s, out)
                            : show_plane(s, level, out)))
        return false;
    if (!flat) show_alone(s, level, &out->alone);
    if (!s->card) return false;
    const rv_device *d = s->card->device;
    d->shown(d->user);
    out->values = d->name_of(d->user, s->card->buffer[RV_GRAIN_SHOWN]);
    return true;
}
