// What the kernels of the surface are given: columns, least heights and steps, edges that drip.
#include "surface/card/card.h"

#include "base/memory.h"

// Whether all but the liquid is as it was.
static bool same_settings(const rv_card_sheet *c, const rv_surface_input *in)
{
    const rv_surface_input *a = &c->made;
    return a->film == in->film && a->curtain == in->curtain && a->meniscus == in->meniscus &&
           a->bends == in->bends && a->meniscus_length == in->meniscus_length &&
           a->contact == in->contact && a->rim == in->rim && rv_same_fall(a, in) &&
           !a->drip == !in->drip && a->drips == in->drips && a->brim == in->brim &&
           !a->flank == !in->flank &&
           (in->drips == 0 || memcmp(c->sheet, in->sheet, in->drips) == 0);
}

static bool same_terrain(const rv_card_sheet *c, const rv_surface_input *in)
{
    const rv_surface_input *a = &c->made;
    return a->columns == in->columns && a->changes == in->changes && a->over == in->over &&
           a->least == in->least && a->drip == in->drip && c->slots == in->columns->slots &&
           c->planes == in->columns->planes;
}

// Whether a column can meet a wall under an overhang or stand on an edge.
static bool may_extend(const rv_column_set *set)
{
    if (set->planes > 1) return true;
    for (size_t i = 0; i < set->slots; i++)
        if (rv_column_exists(set, i) && set->max[i] < (float)set->grid.top) return true;
    return false;
}

static int by_slot(const void *a, const void *b)
{
    const uint32_t *p = a, *q = b; // slot, beside, over, square; those of a slot keep their order
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return 0;
}

static bool send_beds(rv_card_sheet *c, const rv_surface_input *in)
{
    const rv_column_set *set = in->columns;
    const rv_grid *g = &set->grid;
    size_t bytes = set->slots * sizeof(float), cells = (size_t)g->nx + (size_t)g->ny;
    const float *arrays[4] = {set->base, set->min, set->max, in->over};
    float *middle = rv_new(&c->allocator, cells, sizeof *middle);
    if (!middle || !rv_card_sheet_take(c, RV_SHEET_BEDS, 4 * bytes + cells * 4, NULL)) {
        rv_free(&c->allocator, middle, cells, sizeof *middle);
        return false;
    }
    for (int x = 0; x < g->nx; x++) middle[x] = (float)(g->x0 + (x + 0.5) * g->dx);
    for (int y = 0; y < g->ny; y++) middle[g->nx + y] = (float)(g->y0 + (y + 0.5) * g->dx);
    for (size_t k = 0; k < 4; k++)
        rv_card_sheet_send(c, RV_SHEET_BEDS, k * bytes, arrays[k], bytes);
    rv_card_sheet_send(c, RV_SHEET_BEDS, 4 * bytes, middle, cells * 4);
    rv_free(&c->allocator, middle, cells, sizeof *middle);
    return c->trouble == RV_OK;
}

// Steps in the order of their columns, each with the square that it is in.
static void write_steps(const rv_card_sheet *c, const rv_surface_input *in, uint32_t *words)
{
    const rv_heights *h = in->heights;
    for (int y = 0; y < h->rows; y++)
        for (size_t i = h->row[y]; i < h->row[y + 1]; i++) {
            uint32_t *to = words + 4 * i, slot = h->step[i].slot;
            const rv_plane *p = rv_surface_plane(in->columns, slot);
            int x = p->x0 + (int)((slot - p->offset) % (size_t)p->pitch);
            to[0] = slot, to[1] = h->step[i].beside;
            memcpy(&to[2], &h->step[i].over, sizeof to[2]);
            to[3] = (uint32_t)(y / RV_SQUARE * c->squares.across + x / RV_SQUARE);
        }
}

// A sort that leaves equal ones in their order: within a row of cells they are by cell already, so
// few change places.
static void sort_steps(uint32_t *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t own[4];
        size_t k = i;
        memcpy(own, words + 4 * i, sizeof own);
        for (; k > 0 && by_slot(words + 4 * (k - 1), own) > 0; k--)
            memcpy(words + 4 * k, words + 4 * (k - 1), sizeof own);
        memcpy(words + 4 * k, own, sizeof own);
    }
}

// Steps; then by slot the number of the edge that drips there, and by number whether a sheet falls;
// then, if they are known, what is at these edges; then by slot contact angles, if beds differ.
static bool send_given(rv_card_sheet *c, const rv_surface_input *in)
{
    const rv_heights *h = in->heights;
    size_t steps = h->step_count, slots = in->drip ? in->columns->slots : 0;
    size_t flanks = in->flank ? in->drips * (sizeof *in->flank / sizeof(uint32_t)) : 0;
    size_t angles = in->angle ? in->columns->slots : 0;
    size_t count = 4 * steps + slots + in->drips + flanks + angles + 1;
    uint32_t *words = rv_new(&c->allocator, count, sizeof *words);
    if (!words || !rv_card_sheet_take(c, RV_SHEET_GIVEN, 4 * count, NULL)) {
        rv_free(&c->allocator, words, count, sizeof *words);
        return false;
    }
    write_steps(c, in, words);
    for (int y = 0; y < h->rows; y++) sort_steps(words + 4 * h->row[y], h->row[y + 1] - h->row[y]);
    c->constants.steps = (uint32_t)steps, c->constants.drip_at = (uint32_t)(4 * steps);
    c->constants.sheet_at = c->constants.drip_at + (uint32_t)slots;
    for (size_t i = 0; i < slots; i++) words[4 * steps + i] = (uint32_t)in->drip[i];
    for (size_t i = 0; i < in->drips; i++) words[c->constants.sheet_at + i] = in->sheet[i];
    size_t flank_at = c->constants.sheet_at + in->drips;
    c->constants.flank_at = flanks > 0 ? (uint32_t)flank_at : 0;
    if (flanks > 0) memcpy(words + flank_at, in->flank, flanks * sizeof *words);
    size_t angle_at = flank_at + flanks;
    c->constants.angle_at = angles > 0 ? (uint32_t)angle_at : UINT32_MAX;
    if (angles > 0) memcpy(words + angle_at, in->angle, angles * sizeof *words);
    rv_card_sheet_send(c, RV_SHEET_GIVEN, 0, words, 4 * count);
    rv_free(&c->allocator, words, count, sizeof *words);
    return c->trouble == RV_OK;
}

static bool keep_settings(rv_card_sheet *c, const rv_surface_input *in)
{
    if (c->sheet_room < in->drips) {
        rv_free(&c->allocator, c->sheet, c->sheet_room, sizeof *c->sheet);
        c->sheet = rv_new(&c->allocator, in->drips, sizeof *c->sheet);
        c->sheet_room = c->sheet ? in->drips : 0;
        if (!c->sheet) return false;
    }
    if (in->drips > 0) memcpy(c->sheet, in->sheet, in->drips);
    c->made = *in;
    return true;
}

bool rv_card_sheet_follow(rv_card_sheet *c, const rv_surface_input *in)
{
    bool terrain = c->buffer[RV_SHEET_BEDS] && same_terrain(c, in);
    bool settings = terrain && same_settings(c, in);
    if (settings) return true;
    c->there = false;
    bool good = terrain || send_beds(c, in);
    good = good && keep_settings(c, in) && send_given(c, in);
    c->may_extend = terrain ? c->may_extend : may_extend(in->columns);
    c->slots = in->columns->slots, c->planes = in->columns->planes;
    if (!good) rv_card_sheet_fail(c, RV_OUT_OF_MEMORY);
    if (!good) c->slots = 0;
    return good;
}
