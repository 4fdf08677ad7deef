// Which squares of cells have something of the surface, in what islands, and which of them must be
// made anew: from a word for each that the card tells (docs/surface.md, What is kept).
#include "surface/card/card.h"

#include "base/memory.h"

static size_t island_room(const rv_surface_squares *s)
{
    return (size_t)((s->across + 1) / 2) * (size_t)((s->along + 1) / 2);
}

// The lists of squares, and of islands what STATUS_ISLANDS of the kernels has.
static size_t words_of(size_t squares)
{
    return (RV_SQUARE_LISTS + 28) * squares + RV_SHEET_STATUS_WORDS;
}

#define ARRAYS(DO)                                                                                 \
    DO(squares.wet, n)                                                                             \
    DO(squares.group, n)                                                                           \
    DO(squares.last, n)                                                                            \
    DO(squares.now.island, islands)                                                                \
    DO(squares.now.span, n)                                                                        \
    DO(squares.now.of, n)                                                                          \
    DO(before, n)                                                                                  \
    DO(sizes, islands)                                                                             \
    DO(next_sizes, islands)                                                                        \
    DO(stays, islands)                                                                             \
    DO(look, n)                                                                                    \
    DO(missed, n)                                                                                  \
    DO(words, words_of(n))

void rv_card_sheet_free_squares(rv_card_sheet *c)
{
    size_t n = c->square_count, islands = island_room(&c->squares);
#define FREE(array, count)                                                                         \
    rv_free(&c->allocator, c->array, count, sizeof *c->array);                                     \
    c->array = NULL;
    ARRAYS(FREE)
#undef FREE
    c->square_count = 0, c->squares.across = c->squares.along = 0;
}

bool rv_card_sheet_take_squares(rv_card_sheet *c, const rv_column_set *columns)
{
    int across = (columns->grid.nx + RV_SQUARE - 1) / RV_SQUARE;
    int along = (columns->grid.ny + RV_SQUARE - 1) / RV_SQUARE;
    if (c->square_count > 0 && c->squares.across == across && c->squares.along == along)
        return true;
    rv_card_sheet_free_squares(c);
    c->squares.across = across, c->squares.along = along;
    c->there = false;
    size_t n = (size_t)across * (size_t)along, islands = island_room(&c->squares);
    bool good = true;
    c->square_count = n;
#define TAKE(array, count)                                                                         \
    good = (c->array = rv_new(&c->allocator, count, sizeof *c->array)) && good;
    ARRAYS(TAKE)
#undef TAKE
    if (!good) {
        rv_card_sheet_free_squares(c);
        rv_card_sheet_fail(c, RV_OUT_OF_MEMORY);
    }
    return good;
}

// ---- What the card sees -------------------------------------------------------------------------

static void call_look(rv_card_sheet *c)
{
    c->constants.list_at = 0, c->constants.groups = (uint32_t)c->square_count;
    c->constants.to = rv_sheet_look_at(c);
    rv_card_sheet_call(c, RV_DO_LOOK, (uint32_t)c->square_count, 1);
}

void rv_card_sheet_ask_look(rv_card_sheet *c, rv_device_ticket *ticket)
{
    size_t n = c->square_count;
    call_look(c);
    if (c->trouble != RV_OK) return;
    rv_result result = c->device->read(c->device->user, c->buffer[RV_SHEET_STATUS],
                                       4 * (size_t)rv_sheet_look_at(c), 4 * n, ticket);
    if (result != RV_OK) rv_card_sheet_fail(c, result);
}

static bool collect_look(rv_card_sheet *c, rv_device_ticket ticket)
{
    bool done = false;
    rv_result result = c->device->collect(c->device->user, ticket, c->look, true, &done);
    if (result != RV_OK) rv_card_sheet_fail(c, result);
    return result == RV_OK;
}

// Whether it counts is told later; if not, what had changed counts with the next look.
void rv_card_sheet_take_look(rv_card_sheet *c)
{
    c->ahead.known = false;
    if (!c->ahead.asked) return;
    c->ahead.asked = false;
    c->ahead.known = collect_look(c, c->ahead.ticket);
}

// More than an answer that comes later may have.
static bool look_at_many(rv_card_sheet *c)
{
    size_t n = c->square_count;
    call_look(c);
    if (c->trouble != RV_OK) return false;
    rv_result result = c->device->fetch(c->device->user, c->buffer[RV_SHEET_STATUS],
                                        4 * (size_t)rv_sheet_look_at(c), c->look, 4 * n);
    if (result != RV_OK) rv_card_sheet_fail(c, result);
    return result == RV_OK;
}

static bool look_again(rv_card_sheet *c)
{
    size_t n = c->square_count;
    rv_device_ticket ticket = 0;
    if (!c->there) { // all of it changed, and nothing is known of islands
        for (size_t i = 0; i < n; i++) c->words[i] = (uint32_t)i;
        rv_card_sheet_send(c, RV_SHEET_SQUARES, 0, c->words, 4 * n);
        for (size_t i = 0; i < n; i++) c->before[i] = RV_NO_NODE, c->missed[i] = 0;
    }
    if (4 * n > RV_DEVICE_READ_MOST) return look_at_many(c);
    rv_card_sheet_ask_look(c, &ticket);
    return c->trouble == RV_OK && collect_look(c, ticket);
}

static bool look(rv_card_sheet *c)
{
    size_t n = c->square_count;
    bool known = c->ahead.known;
    c->ahead.known = false;
    if (!known && !look_again(c)) return false;
    for (size_t i = 0; i < n; i++) c->look[i] |= c->missed[i], c->missed[i] = 0;
    for (size_t i = 0; i < n; i++) c->squares.wet[i] = (c->look[i] & 0xffff) != 0;
    return true;
}

// ---- Islands ------------------------------------------------------------------------------------

// Calls for the squares of an island, and of one around it.
typedef void on_square(rv_card_sheet *c, uint32_t island, uint32_t square, bool within);

static void each_square(rv_card_sheet *c, uint32_t i, on_square *does)
{
    const rv_surface_squares *s = &c->squares;
    const rv_surface_island *own = &s->now.island[i];
    for (int y = own->y0 - 1; y <= own->y1; y++) {
        if (y < 0 || y >= s->along) continue;
        int x0 = s->across, x1 = 0, from = 0, to = 0;
        for (int k = y - 1; k <= y + 1; k++) { // what the rows beside it have
            if (k < own->y0 || k >= own->y1) continue;
            const rv_surface_span *span = &s->now.span[own->spans + (uint32_t)(k - own->y0)];
            if (span->x0 - 1 < x0) x0 = span->x0 - 1;
            if (span->x1 + 1 > x1) x1 = span->x1 + 1;
            if (k == y) from = span->x0, to = span->x1;
        }
        for (int x = x0 > 0 ? x0 : 0; x < x1 && x < s->across; x++)
            does(c, i, (uint32_t)(y * s->across + x), x >= from && x < to);
    }
}

static void compare_square(rv_card_sheet *c, uint32_t island, uint32_t square, bool within)
{
    rv_surface_island *own = &c->squares.now.island[island];
    if (c->look[square] & RV_SQUARE_CHANGED) own->kept = false;
    if (!within) return;
    c->next_sizes[island]++;
    if (c->before[square] == RV_NO_NODE || c->before[square] != own->vertices) own->kept = false;
}

// Which islands are as they were: of the same squares, where nothing changed.
static void compare(rv_card_sheet *c)
{
    const rv_surface_squares *s = &c->squares;
    for (uint32_t i = 0; i < s->now.count; i++) {
        rv_surface_island *own = &s->now.island[i];
        uint32_t first = (uint32_t)(own->y0 * s->across + s->now.span[own->spans].x0);
        own->vertices = c->before[first]; // the island it was
        own->kept = c->there && own->vertices != RV_NO_NODE;
        c->next_sizes[i] = 0;
        each_square(c, i, compare_square);
        if (own->kept && c->sizes[own->vertices] != c->next_sizes[i]) own->kept = false;
    }
}

// ---- Lists --------------------------------------------------------------------------------------

static uint32_t *list_of(rv_card_sheet *c, int list)
{
    return c->words + (size_t)list * c->square_count;
}

static void mark_square(rv_card_sheet *c, uint32_t island, uint32_t square, bool within)
{
    uint32_t *of = list_of(c, RV_LIST_ISLAND);
    if (within || of[square] == RV_NO_NODE) of[square] = island;
    if (!c->squares.now.island[island].kept) list_of(c, RV_LIST_IS_MADE)[square] = 1;
    list_of(c, RV_LIST_ALL)[square] = 1; // until they are put together
}

static uint32_t put_together(const uint32_t *marks, size_t n, uint32_t *list)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (marks[i]) list[count++] = (uint32_t)i;
    return count;
}

// Squares of islands that are not as they were, and those around them, are cleared of what they
// had.
static void mark_gone(rv_card_sheet *c, uint32_t *made)
{
    const rv_surface_squares *s = &c->squares;
    memset(c->stays, 0, island_room(s));
    for (uint32_t i = 0; i < s->now.count; i++)
        if (s->now.island[i].kept) c->stays[s->now.island[i].vertices] = 1;
    for (size_t i = 0; i < c->square_count; i++) {
        if (!c->there) made[i] = 1;
        if (c->before[i] == RV_NO_NODE || c->stays[c->before[i]]) continue;
        int x = (int)i % s->across, y = (int)i / s->across;
        for (int k = 0; k < 9; k++) {
            int ox = x + k % 3 - 1, oy = y + k / 3 - 1;
            if (ox >= 0 && oy >= 0 && ox < s->across && oy < s->along)
                made[oy * s->across + ox] = 1;
        }
    }
}

static void list_squares(rv_card_sheet *c)
{
    size_t n = c->square_count;
    uint32_t *all = list_of(c, RV_LIST_ALL), *island = list_of(c, RV_LIST_ISLAND);
    uint32_t *made = list_of(c, RV_LIST_IS_MADE);
    const rv_surface_squares *s = &c->squares;
    for (size_t i = 0; i < n; i++) all[i] = made[i] = 0, island[i] = RV_NO_NODE;
    for (uint32_t i = 0; i < s->now.count; i++) each_square(c, i, mark_square);
    mark_gone(c, made);
    for (size_t i = 0; i < n; i++) c->before[i] = s->now.of[i];
    for (uint32_t i = 0; i < s->now.count; i++) { // of spans, all squares
        const rv_surface_island *own = &s->now.island[i];
        for (int y = own->y0; y < own->y1; y++) {
            const rv_surface_span *span = &s->now.span[own->spans + (uint32_t)(y - own->y0)];
            for (int x = span->x0; x < span->x1; x++) c->before[y * s->across + x] = i;
        }
    }
    memcpy(c->sizes, c->next_sizes, s->now.count * sizeof *c->sizes);
    c->made_count = put_together(made, n, list_of(c, RV_LIST_MADE));
    c->all_count = put_together(all, n, all);
}

// Rows of cells of an island that are wet or beside a wet one, as wet_rows of links.c has them.
static void rows_of(const rv_card_sheet *c, const rv_surface_island *own, int *y0, int *y1)
{
    const rv_surface_squares *s = &c->squares;
    int first = -1, last = 0;
    for (int y = own->y0; y < own->y1; y++) {
        const rv_surface_span *span = &s->now.span[own->spans + (uint32_t)(y - own->y0)];
        uint32_t rows = 0;
        for (int x = span->x0; x < span->x1; x++) rows |= c->look[y * s->across + x] & 0xffff;
        for (int k = 0; k < RV_SQUARE; k++) {
            if (!(rows >> k & 1)) continue;
            if (first < 0) first = y * RV_SQUARE + k;
            last = y * RV_SQUARE + k + 1;
        }
    }
    int ny = (int)c->constants.ny;
    *y0 = first > 0 ? first - 1 : 0, *y1 = last < ny ? last + 1 : last;
}

// The words of the status up to the counts of bands.
static void send_islands(rv_card_sheet *c)
{
    const rv_surface_squares *s = &c->squares;
    uint32_t *words = c->words + RV_SQUARE_LISTS * c->square_count, count = s->now.count;
    memset(words, 0, (RV_SHEET_STATUS_WORDS + 4 * (size_t)count) * sizeof *words);
    words[RV_SHEET_LOW] = UINT32_MAX;
    c->islands = count, c->bands = 0, c->at_side = false;
    for (uint32_t i = 0; i < count; i++) {
        const rv_surface_island *own = &s->now.island[i];
        int y0, y1;
        rows_of(c, own, &y0, &y1);
        int height = rv_surface_band_rows(y1 - y0);
        uint32_t *to = words + RV_SHEET_STATUS_WORDS + 4 * (size_t)i;
        to[0] = (uint32_t)y0, to[1] = (uint32_t)height, to[2] = c->bands;
        c->bands += (uint32_t)((y1 - y0 + height - 1) / height);
        c->at_side |= own->y0 == 0 || own->y1 == s->along;
        for (int y = own->y0; y < own->y1; y++) {
            const rv_surface_span *span = &s->now.span[own->spans + (uint32_t)(y - own->y0)];
            c->at_side |= span->x0 == 0 || span->x1 == s->across;
        }
    }
    memset(words + RV_SHEET_STATUS_WORDS + 4 * (size_t)count, 0, 16 * (size_t)c->bands);
    rv_card_sheet_send(c, RV_SHEET_STATUS, 0, words,
                       4 * (RV_SHEET_STATUS_WORDS + 4 * (size_t)count + 4 * (size_t)c->bands));
    c->constants.islands = count, c->constants.bands = c->bands > 0 ? c->bands : 1;
}

bool rv_card_sheet_list(rv_card_sheet *c)
{
    if (!look(c)) return false;
    rv_surface_squares *s = &c->squares;
    rv_surface_list_islands(s);
    compare(c);
    c->fresh_islands = 0;
    for (uint32_t i = 0; i < s->now.count; i++) c->fresh_islands += !s->now.island[i].kept;
    if (c->there && c->fresh_islands == 0 && s->now.count == c->islands) return false;
    list_squares(c);
    for (size_t i = 0; i < c->square_count; i++) c->words[i] = (uint32_t)i;
    size_t n = c->square_count;
    rv_card_sheet_send(c, RV_SHEET_SQUARES, 0, c->words, 4 * RV_SQUARE_LISTS * n);
    send_islands(c);
    return c->trouble == RV_OK;
}
