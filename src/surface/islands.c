// Parts of the surface that nothing joins, and which of them are as they were (docs/surface.md,
// What is kept).
//
// The plan is divided into squares. Squares with something wet in any plane that touch each other,
// at a side or a corner, are an island; in a row of squares it takes all between its first and its
// last, and with them the islands that stand there. So the loops over rows have one stretch of
// cells to work on. A dry square lies between two islands: a link, a triangle, a contact's line
// never reach from one to the other.
//
// An island is made from the depths and fluxes of its squares and of two cells around, the terrain
// and the settings, and from nothing else. When all these are the same, bit for bit, as those that
// the mesh was made from, so is what it would become, and it is kept.
#include "base/memory.h"
#include "surface/surface.h"

#define AROUND 2 // cells beside an island that it looks at

// ---- Memory -------------------------------------------------------------------------------------

static size_t square_count(const rv_surface_squares *s)
{
    return (size_t)s->across * (size_t)s->along;
}

// Every second one in both directions is the most.
static size_t island_room(const rv_surface_squares *s)
{
    return (size_t)((s->across + 1) / 2) * (size_t)((s->along + 1) / 2);
}

#define OF_SQUARES(DO)                                                                             \
    DO(wet, square_count(s))                                                                       \
    DO(group, square_count(s))                                                                     \
    DO(last, square_count(s))                                                                      \
    DO(now.island, island_room(s))                                                                 \
    DO(now.span, square_count(s))                                                                  \
    DO(now.of, square_count(s))                                                                    \
    DO(before.island, island_room(s))                                                              \
    DO(before.span, square_count(s))                                                               \
    DO(before.of, square_count(s))                                                                 \
    DO(depth, slots)                                                                               \
    DO(flux_x, slots)                                                                              \
    DO(flux_y, slots)                                                                              \
    DO(sheet, s->sheet_room)

bool rv_surface_take_squares(rv_surface_work *w)
{
    rv_surface_squares *s = &w->squares;
    size_t slots = w->slots;
    bool good = true;
    s->across = (w->nx + RV_SQUARE - 1) / RV_SQUARE, s->along = (w->ny + RV_SQUARE - 1) / RV_SQUARE;
    s->there = false, s->sheet_room = 1;
#define TAKE(array, n) good = (s->array = rv_new(&w->allocator, n, sizeof *s->array)) && good;
    OF_SQUARES(TAKE)
#undef TAKE
    return good;
}

void rv_surface_free_squares(rv_surface_work *w)
{
    rv_surface_squares *s = &w->squares;
    size_t slots = w->slots;
#define FREE(array, n) rv_free(&w->allocator, s->array, n, sizeof *s->array);
    OF_SQUARES(FREE)
#undef FREE
    *s = (rv_surface_squares){0};
}

size_t rv_surface_squares_bytes(const rv_surface_work *w)
{
    const rv_surface_squares *s = &w->squares;
    size_t slots = w->slots, bytes = 0;
#define ADD(array, n) bytes += (n) * sizeof *s->array;
    OF_SQUARES(ADD)
#undef ADD
    return bytes;
}

// ---- Squares ------------------------------------------------------------------------------------

// Marks the squares of a row of cells of a plane that have something wet.
static void mark_row(const rv_surface_pass *p, const rv_plane *plane, int y, uint8_t *wet)
{
    const rv_surface_rows *loops = p->w->loops;
    const float *depth = p->in->depth + rv_slot(plane, plane->x0, y);
    int a, b, from, to;
    if (!loops->wet(depth, p->film, plane->nx, &a, &b)) return;
    for (int x = a; x < b;) {
        int square = (plane->x0 + x) / RV_SQUARE, end = (square + 1) * RV_SQUARE - plane->x0;
        if (end > b) end = b;
        if (!wet[square]) wet[square] = loops->wet(depth + x, p->film, end - x, &from, &to);
        x = end;
    }
}

static void mark_squares(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_squares *s = &p->w->squares;
    const rv_column_set *c = p->in->columns;
    uint8_t *wet = s->wet + (size_t)task * (size_t)s->across;
    memset(wet, 0, (size_t)s->across);
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        int y0 = task * RV_SQUARE, y1 = y0 + RV_SQUARE;
        if (y0 < plane->y0) y0 = plane->y0;
        if (y1 > plane->y0 + plane->ny) y1 = plane->y0 + plane->ny;
        for (int y = y0; y < y1; y++) mark_row(p, plane, y, wet);
    }
}

// ---- Groups of squares --------------------------------------------------------------------------

static uint32_t first_of(const rv_surface_squares *s, uint32_t square)
{
    while (s->group[square] != square) square = s->group[square];
    return square;
}

// The lower number stands for both, so that a group is named by its first square.
static bool unite(rv_surface_squares *s, uint32_t a, uint32_t b)
{
    a = first_of(s, a), b = first_of(s, b);
    if (a == b) return false;
    if (a < b)
        s->group[b] = a;
    else
        s->group[a] = b;
    return true;
}

// Joins wet squares to those before them that they touch.
static void join_squares(rv_surface_squares *s)
{
    for (int y = 0; y < s->along; y++) {
        for (int x = 0; x < s->across; x++) {
            uint32_t own = (uint32_t)(y * s->across + x);
            s->group[own] = own;
            if (!s->wet[own]) continue;
            if (x > 0 && s->wet[own - 1]) unite(s, own, own - 1);
            for (int k = x > 0 ? -1 : 0; y > 0 && k <= 1 && x + k < s->across; k++) {
                uint32_t below = (uint32_t)((y - 1) * s->across + x + k);
                if (s->wet[below]) unite(s, own, below);
            }
        }
    }
}

// Joins groups of which one stands between squares of another in a row. Returns whether any does.
static bool join_row(rv_surface_squares *s, int y)
{
    uint32_t row = (uint32_t)(y * s->across), current = 0;
    int reach = -1;
    bool any = false;
    for (int x = 0; x < s->across; x++)
        if (s->wet[row + (uint32_t)x]) s->last[first_of(s, row + (uint32_t)x)] = x;
    for (int x = 0; x < s->across; x++) {
        if (!s->wet[row + (uint32_t)x]) continue;
        uint32_t own = first_of(s, row + (uint32_t)x);
        int last = s->last[own];
        if (x <= reach)
            any |= unite(s, own, current);
        else
            current = own;
        if (last > reach) reach = last;
    }
    return any;
}

// ---- Islands ------------------------------------------------------------------------------------

// Islands in the order of their first squares, and where they are in each row.
static void list_islands(rv_surface_squares *s)
{
    rv_surface_islands *now = &s->now;
    now->count = now->span_count = 0;
    for (uint32_t i = 0; i < square_count(s); i++) {
        now->of[i] = RV_NO_NODE;
        if (!s->wet[i]) continue;
        uint32_t first = first_of(s, i);
        int y = (int)i / s->across;
        if (first == i) {
            now->of[i] = now->count++;
            now->island[now->of[i]] = (rv_surface_island){.y0 = y};
        }
        now->of[i] = now->of[first];
        now->island[now->of[i]].y1 = y + 1;
    }
    for (uint32_t k = 0; k < now->count; k++) {
        rv_surface_island *own = &now->island[k];
        own->spans = now->span_count;
        now->span_count += (uint32_t)(own->y1 - own->y0);
        for (uint32_t i = own->spans; i < now->span_count; i++)
            now->span[i] = (rv_surface_span){.x0 = s->across};
    }
    for (uint32_t i = 0; i < square_count(s); i++) {
        if (now->of[i] == RV_NO_NODE) continue;
        const rv_surface_island *own = &now->island[now->of[i]];
        int x = (int)i % s->across, y = (int)i / s->across;
        rv_surface_span *span = &now->span[own->spans + (uint32_t)(y - own->y0)];
        if (x < span->x0) span->x0 = x;
        if (x + 1 > span->x1) span->x1 = x + 1;
    }
}

// The island of the last mesh with the same squares, NULL: none.
static const rv_surface_island *same_before(const rv_surface_squares *s,
                                            const rv_surface_island *own)
{
    const rv_surface_islands *now = &s->now, *before = &s->before;
    uint32_t other = before->of[(uint32_t)(own->y0 * s->across + now->span[own->spans].x0)];
    if (other == RV_NO_NODE) return NULL;
    const rv_surface_island *was = &before->island[other];
    if (was->y0 != own->y0 || was->y1 != own->y1) return NULL;
    for (uint32_t i = 0; i < (uint32_t)(own->y1 - own->y0); i++) {
        const rv_surface_span *a = &now->span[own->spans + i], *b = &before->span[was->spans + i];
        if (a->x0 != b->x0 || a->x1 != b->x1) return NULL;
    }
    return was;
}

// ---- What they are made from --------------------------------------------------------------------

// A stretch of slots that an island looks at, in a row of cells of a plane; false: none. Fluxes
// over the plane's border stand one cell beyond it.
static bool stretch(const rv_plane *plane, const rv_surface_span *span, int y, size_t *first,
                    size_t *count)
{
    int x0 = span->x0 * RV_SQUARE - AROUND, x1 = span->x1 * RV_SQUARE + AROUND;
    if (x0 < plane->x0 - 1) x0 = plane->x0 - 1;
    if (x1 > plane->x0 + plane->nx + 1) x1 = plane->x0 + plane->nx + 1;
    if (x1 <= x0) return false;
    ptrdiff_t at = (ptrdiff_t)rv_slot(plane, plane->x0, plane->y0);
    at += (ptrdiff_t)(y - plane->y0) * plane->pitch + (x0 - plane->x0);
    *first = (size_t)at, *count = (size_t)(x1 - x0);
    return true;
}

// Goes over what a row of squares of an island looks at: compares it with what was remembered, or
// remembers it. Returns whether it is the same.
static bool look_at(const rv_surface_pass *p, const rv_surface_span *span, int row, bool remember)
{
    rv_surface_squares *s = &p->w->squares;
    const rv_column_set *c = p->in->columns;
    const float *is[3] = {p->in->depth, p->in->flux_x, p->in->flux_y};
    float *was[3] = {s->depth, s->flux_x, s->flux_y};
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        int y0 = row * RV_SQUARE - AROUND, y1 = (row + 1) * RV_SQUARE + AROUND;
        if (y0 < plane->y0 - 1) y0 = plane->y0 - 1;
        if (y1 > plane->y0 + plane->ny + 1) y1 = plane->y0 + plane->ny + 1;
        for (int y = y0; y < y1; y++) {
            size_t first, count;
            if (!stretch(plane, span, y, &first, &count)) break;
            for (int k = 0; k < 3; k++) {
                if (remember)
                    memcpy(was[k] + first, is[k] + first, count * sizeof *is[k]);
                else if (memcmp(was[k] + first, is[k] + first, count * sizeof *is[k]) != 0)
                    return false;
            }
        }
    }
    return true;
}

static void compare_row(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_islands *now = &p->w->squares.now;
    int across = p->w->squares.across;
    const uint32_t *of = now->of + (size_t)task * (size_t)across;
    for (int x = 0; x < across; x++) {
        if (of[x] == RV_NO_NODE || !now->island[of[x]].kept) continue;
        const rv_surface_island *own = &now->island[of[x]];
        rv_surface_span *span = &now->span[own->spans + (uint32_t)(task - own->y0)];
        span->other = !look_at(p, span, task, false);
        x = span->x1;
    }
}

// Whether all but the liquid is as it was.
static bool same_settings(const rv_surface_squares *s, const rv_surface_input *in)
{
    const rv_surface_input *a = &s->made;
    return s->there && a->columns == in->columns && a->changes == in->changes &&
           a->over == in->over && a->least == in->least && a->film == in->film &&
           a->opaque == in->opaque && a->edge == in->edge && a->boundary == in->boundary &&
           a->links == in->links && a->curtain == in->curtain && a->meniscus == in->meniscus &&
           a->bends == in->bends && a->meniscus_length == in->meniscus_length &&
           a->contact == in->contact && a->rim == in->rim && rv_same_fall(a, in) &&
           !a->drip == !in->drip && a->drips == in->drips && a->brim == in->brim &&
           !a->flank == !in->flank &&
           (in->drips == 0 || memcmp(s->sheet, in->sheet, in->drips) == 0);
}

void rv_surface_list_islands(rv_surface_squares *s)
{
    join_squares(s);
    for (bool more = true; more;) {
        more = false;
        for (int y = 0; y < s->along; y++) more |= join_row(s, y);
    }
    list_islands(s);
}

void rv_surface_find_islands(rv_surface_pass *p)
{
    rv_surface_squares *s = &p->w->squares;
    rv_parallel_for(p->w->pool, s->along, mark_squares, p);
    rv_surface_list_islands(s);
    if (!same_settings(s, p->in)) return;
    for (uint32_t i = 0; i < s->now.count; i++)
        s->now.island[i].kept = same_before(s, &s->now.island[i]) != NULL;
    rv_parallel_for(p->w->pool, s->along, compare_row, p);
    for (uint32_t i = 0; i < s->now.count; i++) {
        rv_surface_island *own = &s->now.island[i];
        for (uint32_t k = 0; k < (uint32_t)(own->y1 - own->y0); k++)
            own->kept &= !s->now.span[own->spans + k].other;
    }
}

// A row of squares looks at cells of the rows beside it: every second one at a time.
static void remember_row(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_islands *now = &p->w->squares.now;
    int across = p->w->squares.across, y = p->first + task * p->step;
    const uint32_t *of = now->of + (size_t)y * (size_t)across;
    for (int x = 0; x < across; x++) {
        if (of[x] == RV_NO_NODE) continue;
        const rv_surface_island *own = &now->island[of[x]];
        const rv_surface_span *span = &now->span[own->spans + (uint32_t)(y - own->y0)];
        if (!own->kept) look_at(p, span, y, true);
        x = span->x1;
    }
}

bool rv_surface_remember(rv_surface_pass *p)
{
    rv_surface_squares *s = &p->w->squares;
    s->there = false;
    if (!rv_surface_grow(p->w, (void **)&s->sheet, &s->sheet_room, p->in->drips, sizeof *s->sheet))
        return false;
    s->made = *p->in;
    if (p->in->drips > 0) memcpy(s->sheet, p->in->sheet, p->in->drips);
    p->step = 2;
    for (p->first = 0; p->first < 2; p->first++)
        rv_parallel_for(p->w->pool, (s->along + 1 - p->first) / 2, remember_row, p);
    p->first = 0, p->step = 1;
    return true;
}
