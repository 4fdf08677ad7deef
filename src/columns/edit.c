// Terrain that changes under the liquid (docs/terrain.md): the pipes of some cells are made anew,
// everything else stays.
//
// Let R be the rectangle of the cells that changed. Pipes with an end in it are new; pipes with an
// end beside it may have another slope. All of them belong to the low cells of Q = R grown by two
// to the west and south and by one to the east and north, so the pipes of Q's cells are found
// again (a diagonal pipe needs no more: it looks at the four cells around its middle). The lists of
// odd pipes are sorted by cell and by slot, so the new ones are merged with what is kept of the
// old: their order, and with it every sum, is that of a solver built from scratch. New lists are
// put together in twins of the old ones, which then change places: nothing is changed before all
// memory is there, and a second edit needs none.
#include "columns/joints.h"
#include "columns/tension.h"

#include <string.h>

#define GONE UINT32_MAX

// What flowed between two columns, by their new slots.
typedef struct flow {
    uint32_t a, b; // b is RV_NO_SLOT through a border
    float flux, speed;
    uint8_t way, side;
} flow;

struct rv_pipes_edit {
    rv_odd_pipe *odd;
    float *odd_flux, *odd_speed;
    rv_odd_column *column;
    rv_odd_entry *entry;
    rv_block_link *link;
    uint32_t odd_room, flux_room, speed_room, column_room, entry_room, link_room;
    rv_joints fresh;
    flow *flows;
    rv_pipe_slot *ends;
    int32_t *change_at; // by cell of R: index of its change, -1
    uint32_t *renumber; // by old odd pipe of the span: its new number, or GONE
    rv_block_link *fresh_link;
    uint32_t flow_room, end_room, cell_room, renumber_room, fresh_link_room;
    // of the edit at hand
    const rv_cell_change *changes;
    int change_count;
    rv_rect r, q, d;       // d: Q and the cells beside it that its pipes reach
    uint32_t span0, span1; // old odd pipes of Q's rows
    uint32_t flow_count;
    int64_t delta; // how much later the pipes after the span stand now
};

#define EDIT_ARRAYS(DO)                                                                            \
    DO(odd, odd_room)                                                                              \
    DO(odd_flux, flux_room)                                                                        \
    DO(odd_speed, speed_room)                                                                      \
    DO(column, column_room)                                                                        \
    DO(entry, entry_room)                                                                          \
    DO(link, link_room)                                                                            \
    DO(flows, flow_room)                                                                           \
    DO(ends, end_room)                                                                             \
    DO(change_at, cell_room)                                                                       \
    DO(renumber, renumber_room)                                                                    \
    DO(fresh_link, fresh_link_room)

void rv_pipes_free_edit(rv_engine *s)
{
    rv_pipes_edit *e = s->edit;
    if (!e) return;
#define FREE(array, room) rv_free(&s->allocator, e->array, e->room, sizeof *e->array);
    EDIT_ARRAYS(FREE)
#undef FREE
    rv_free(&s->allocator, e->fresh.odd, e->fresh.capacity, sizeof *e->fresh.odd);
    rv_free(&s->allocator, e, 1, sizeof *e);
    s->edit = NULL;
}

size_t rv_pipes_edit_bytes(const rv_engine *s)
{
    const rv_pipes_edit *e = s->edit;
    if (!e) return 0;
    size_t bytes = sizeof *e + e->fresh.capacity * sizeof *e->fresh.odd;
#define ADD(array, room) bytes += e->room * sizeof *e->array;
    EDIT_ARRAYS(ADD)
#undef ADD
    return bytes;
}

// Contents are not kept.
static bool reserve(rv_engine *s, void **array, uint32_t *room, uint64_t need, size_t size)
{
    if (need <= *room) return true;
    uint64_t fresh = need + need / 4 + 64;
    if (fresh >= UINT32_MAX) return false;
    void *memory = rv_new(&s->allocator, (size_t)fresh, size);
    if (!memory) return false;
    rv_free(&s->allocator, *array, *room, size);
    *array = memory, *room = (uint32_t)fresh;
    return true;
}

// ---- Places -------------------------------------------------------------------------------------

static bool in_rect(const rv_rect *r, int x, int y)
{
    return x >= r->x0 && x < r->x1 && y >= r->y0 && y < r->y1;
}

static rv_rect clipped(const rv_grid *g, int x0, int y0, int x1, int y1)
{
    return (rv_rect){x0 > 0 ? x0 : 0, y0 > 0 ? y0 : 0, x1 < g->nx ? x1 : g->nx,
                     y1 < g->ny ? y1 : g->ny};
}

// First odd pipe whose low cell has at least this y.
static uint32_t first_of_row(const rv_engine *s, int y)
{
    uint32_t low = 0, high = s->odd_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->odd[middle].y < y)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const rv_cell_change *change_of(const rv_pipes_edit *e, int x, int y)
{
    if (!in_rect(&e->r, x, y)) return NULL;
    int32_t i =
        e->change_at[(size_t)(y - e->r.y0) * (size_t)(e->r.x1 - e->r.x0) + (size_t)(x - e->r.x0)];
    return i >= 0 ? &e->changes[i] : NULL;
}

// Where the column that was plane `plane` of a cell is now; RV_NO_SLOT: nowhere.
static uint32_t new_slot(const rv_engine *s, int x, int y, int plane)
{
    const rv_cell_change *c = change_of(s->edit, x, y);
    if (c) plane = plane < c->before ? c->to[plane] : -1;
    return plane < 0 ? RV_NO_SLOT : (uint32_t)rv_slot(&s->columns->plane[plane], x, y);
}

// ---- What flowed --------------------------------------------------------------------------------

static void note(rv_engine *s, uint32_t a, uint32_t b, rv_way way, float flux, float speed)
{
    rv_pipes_edit *e = s->edit;
    if ((flux == 0.0f && speed == 0.0f) || a == RV_NO_SLOT || b == RV_NO_SLOT) return;
    e->flows[e->flow_count++] =
        (flow){.a = a, .b = b, .flux = flux, .speed = speed, .way = (uint8_t)way};
}

// The regular pipes of a changed cell; those between two changed cells once.
static void note_cell(rv_engine *s, const rv_cell_change *c)
{
    static const int way_x[] = {1, 0, 1, -1}, way_y[] = {0, 1, 1, 1};
    for (int p = 0; p < c->before; p++) {
        const rv_plane *plane = &s->columns->plane[p];
        size_t i = rv_slot(plane, c->x, c->y);
        uint32_t own = new_slot(s, c->x, c->y, p);
        for (int way = 0; way < rv_ways(s); way++) {
            const float *flux = s->flux[way], *speed = s->speed[way];
            size_t step = (size_t)rv_way_step((rv_way)way, plane->pitch);
            int hx = c->x + way_x[way], hy = c->y + way_y[way];
            int lx = c->x - way_x[way], ly = c->y - way_y[way];
            if (rv_plane_has(plane, hx, hy))
                note(s, own, new_slot(s, hx, hy, p), (rv_way)way, flux[i], speed[i]);
            if (rv_plane_has(plane, lx, ly) && !change_of(s->edit, lx, ly))
                note(s, new_slot(s, lx, ly, p), own, (rv_way)way, flux[i - step], speed[i - step]);
        }
    }
}

// The odd pipes that will be found again.
static void note_odd(rv_engine *s)
{
    rv_pipes_edit *e = s->edit;
    for (uint32_t k = e->span0; k < e->span1; k++) {
        const rv_odd_pipe *p = &s->odd[k];
        rv_place a = rv_place_of(s->columns, p->a);
        float flux = s->odd_flux[k], speed = s->odd_speed[k];
        if ((flux == 0.0f && speed == 0.0f) || !in_rect(&e->q, a.x, a.y)) continue;
        uint32_t own = new_slot(s, a.x, a.y, a.plane);
        if (p->b == RV_NO_SLOT) {
            if (own != RV_NO_SLOT)
                e->flows[e->flow_count++] = (flow){own, RV_NO_SLOT, flux, speed, p->way, p->side};
            continue;
        }
        rv_place b = rv_place_of(s->columns, p->b);
        note(s, own, new_slot(s, b.x, b.y, b.plane), (rv_way)p->way, flux, speed);
    }
}

static void forget_cell(rv_engine *s, const rv_cell_change *c)
{
    for (int p = 0; p < s->columns->planes; p++) {
        const rv_plane *plane = &s->columns->plane[p];
        if (!rv_plane_has(plane, c->x, c->y)) continue;
        size_t i = rv_slot(plane, c->x, c->y);
        for (int way = 0; way < rv_ways(s); way++) {
            size_t low = i - (size_t)rv_way_step((rv_way)way, plane->pitch);
            s->flux[way][i] = s->flux[way][low] = 0.0f;
            s->speed[way][i] = s->speed[way][low] = 0.0f;
        }
    }
}

// Depths are new; whether a column was full, and its head, go with it.
static void set_cell(rv_engine *s, const rv_cell_change *c)
{
    float head[RV_LAYERS_MAX] = {0}, wetted[RV_LAYERS_MAX] = {0};
    uint8_t full[RV_LAYERS_MAX] = {0};
    for (int p = 0; p < c->before; p++) {
        size_t i = rv_slot(&s->columns->plane[p], c->x, c->y);
        if (c->to[p] >= 0 && s->full[i]) full[c->to[p]] = 1, head[c->to[p]] = s->head[i];
        if (c->to[p] >= 0 && s->tense) wetted[c->to[p]] = s->tension->wetted[i];
    }
    for (int p = 0; p < s->columns->planes; p++) {
        if (!rv_plane_has(&s->columns->plane[p], c->x, c->y)) continue;
        size_t i = rv_slot(&s->columns->plane[p], c->x, c->y);
        bool there = p < c->after;
        s->depth[i] = there ? c->depth[p] : 0.0f;
        s->full[i] = there ? full[p] : 0;
        s->head[i] = there ? head[p] : 0.0f;
        if (s->tense) s->tension->wetted[i] = there ? wetted[p] : 0.0f;
        if (s->full[i] && !rv_still_full(s, (uint32_t)i)) s->full[i] = 0, s->head[i] = 0.0f;
    }
}

static void resume(rv_engine *s, const flow *f)
{
    rv_way way = (rv_way)f->way;
    if (f->b == f->a + (uint32_t)rv_way_step(way, rv_plane_of(s->columns, f->a)->pitch)) {
        if (s->slope[way][f->a]) s->flux[way][f->a] += f->flux;
        s->speed[way][f->a] += f->speed;
        return;
    }
    const rv_odd_column *column = rv_pipes_odd_column(s, f->a);
    for (uint32_t k = 0; column && k < column->count; k++) {
        uint32_t pipe = s->odd_of[column->first + k].pipe;
        const rv_odd_pipe *p = &s->odd[pipe];
        if (p->a != f->a || p->b != f->b || p->way != f->way) continue;
        if (p->b == RV_NO_SLOT && p->side != f->side) continue;
        s->odd_flux[pipe] += f->flux;
        s->odd_speed[pipe] += f->speed;
        return;
    }
}

// ---- Lists of odd pipes -------------------------------------------------------------------------

static int64_t count_pipes(const rv_engine *s, const rv_rect *q)
{
    int64_t n = 0;
    for (int p = 0; p < s->columns->planes; p++) {
        const rv_plane *plane = &s->columns->plane[p];
        for (int y = q->y0; y < q->y1; y++) {
            for (int x = q->x0; x < q->x1; x++) {
                if (!rv_plane_has(plane, x, y)) continue;
                size_t i = rv_slot(plane, x, y);
                for (int way = 0; way < rv_ways(s); way++) n += s->slope[way][i] != 0;
            }
        }
    }
    return n;
}

static bool before(rv_place a, rv_place b)
{
    return a.y != b.y ? a.y < b.y : a.x < b.x;
}

// The old pipes but those of Q's cells, merged with the fresh ones.
static void merge_pipes(rv_engine *s)
{
    rv_pipes_edit *e = s->edit;
    const rv_column_set *c = s->columns;
    rv_odd_pipe *odd = e->odd;
    float *flux = e->odd_flux, *speed = e->odd_speed;
    uint32_t n = e->span0, f = 0, tail = s->odd_count - e->span1;
    // where there are none, the arrays may not be there either
    if (n > 0) {
        memcpy(odd, s->odd, n * sizeof *odd);
        memcpy(flux, s->odd_flux, n * sizeof *flux);
        memcpy(speed, s->odd_speed, n * sizeof *speed);
    }
    for (uint32_t k = e->span0; k < e->span1; k++) {
        rv_place at = rv_place_of(c, s->odd[k].a);
        e->renumber[k - e->span0] = GONE;
        if (in_rect(&e->q, at.x, at.y)) {
            s->pipe_count -= s->odd[k].b != RV_NO_SLOT;
            continue;
        }
        for (; f < e->fresh.count && before(rv_place_of(c, e->fresh.odd[f].a), at); f++)
            odd[n] = e->fresh.odd[f], flux[n] = 0.0f, speed[n++] = 0.0f;
        e->renumber[k - e->span0] = n;
        odd[n] = s->odd[k], flux[n] = s->odd_flux[k], speed[n++] = s->odd_speed[k];
    }
    for (; f < e->fresh.count; f++) odd[n] = e->fresh.odd[f], flux[n] = 0.0f, speed[n++] = 0.0f;
    e->delta = (int64_t)n - (int64_t)e->span1;
    if (tail > 0) {
        memcpy(odd + n, s->odd + e->span1, tail * sizeof *odd);
        memcpy(flux + n, s->odd_flux + e->span1, tail * sizeof *flux);
        memcpy(speed + n, s->odd_speed + e->span1, tail * sizeof *speed);
    }
#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type swapped = a;                                                                          \
        a = b, b = swapped;                                                                        \
    } while (0)
    SWAP(rv_odd_pipe *, s->odd, e->odd);
    SWAP(uint32_t, s->odd_capacity, e->odd_room);
    SWAP(float *, s->odd_flux, e->odd_flux);
    SWAP(uint32_t, s->odd_flux_capacity, e->flux_room);
    SWAP(float *, s->odd_speed, e->odd_speed);
    SWAP(uint32_t, s->odd_speed_capacity, e->speed_room);
    s->odd_count = n + tail;
}

// Ends in D of the pipes as they are now, by slot.
static uint32_t collect_ends(rv_engine *s)
{
    rv_pipes_edit *e = s->edit;
    uint32_t n = 0, end = first_of_row(s, e->d.y1);
    for (uint32_t k = first_of_row(s, e->d.y0 - 1); k < end; k++) {
        rv_pipe_slot two[2];
        int count = rv_pipes_ends(&s->odd[k], k, two);
        for (int i = 0; i < count; i++) {
            rv_place at = rv_place_of(s->columns, two[i].slot);
            if (in_rect(&e->d, at.x, at.y)) e->ends[n++] = two[i];
        }
    }
    rv_pipes_sort_ends(e->ends, n);
    return n;
}

static uint32_t renumbered(const rv_pipes_edit *e, uint32_t pipe)
{
    if (pipe < e->span0) return pipe;
    if (pipe < e->span1) return e->renumber[pipe - e->span0];
    return (uint32_t)((int64_t)pipe + e->delta);
}

static void keep_column(rv_engine *s, rv_odd_column column, const rv_odd_entry *entries)
{
    const rv_pipes_edit *e = s->edit;
    const rv_odd_entry *from = entries + column.first;
    column.first = s->odd_of_count;
    for (uint32_t i = 0; i < column.count; i++) {
        rv_odd_entry entry = from[i];
        entry.pipe = renumbered(e, entry.pipe);
        s->odd_of[s->odd_of_count++] = entry;
    }
    s->odd_column[s->odd_column_count++] = column;
    s->odd_at[column.slot] = s->odd_column_count;
}

static void merge_row(rv_engine *s, uint32_t r, const rv_odd_column *old,
                      const rv_odd_entry *entries, uint32_t ends, uint32_t *next)
{
    rv_pipes_edit *e = s->edit;
    rv_pipe_row *row = &s->row[r];
    const rv_plane *plane = &s->columns->plane[row->plane];
    uint32_t count = row->odd_count, limit = row->first + row->count;
    int y = plane->y0 + (int)((row->first - plane->offset) / (size_t)plane->pitch);
    bool inside = y >= e->d.y0 && y < e->d.y1;
    old += row->odd_first;
    row->odd_first = s->odd_column_count, row->odd_count = 0;
    for (uint32_t k = 0; k <= count; k++) {
        uint32_t slot = k < count ? old[k].slot : limit;
        while (*next < ends && e->ends[*next].slot < slot) {
            uint32_t first = *next;
            while (*next < ends && e->ends[*next].slot == e->ends[first].slot) ++*next;
            rv_pipes_append_column(s, e->ends + first, *next - first);
        }
        if (k == count) break;
        int x = plane->x0 + (int)(slot - row->first);
        if (inside && x >= e->d.x0 && x < e->d.x1) {
            // made anew from its ends, now or, where it has none left, never again
            continue;
        }
        keep_column(s, old[k], entries);
        row->odd_count++;
    }
}

static void merge_columns(rv_engine *s, uint32_t ends)
{
    rv_pipes_edit *e = s->edit;
    const rv_odd_column *old = s->odd_column;
    const rv_odd_entry *entries = s->odd_of;
    SWAP(rv_odd_column *, s->odd_column, e->column);
    SWAP(uint32_t, s->odd_column_capacity, e->column_room);
    SWAP(rv_odd_entry *, s->odd_of, e->entry);
    SWAP(uint32_t, s->odd_of_capacity, e->entry_room);
    s->odd_column_count = s->odd_of_count = 0;
    for (int p = 0; p < s->columns->planes; p++)
        for (int y = e->d.y0; y < e->d.y1; y++)
            for (int x = e->d.x0; x < e->d.x1; x++)
                if (rv_plane_has(&s->columns->plane[p], x, y))
                    s->odd_at[rv_slot(&s->columns->plane[p], x, y)] = 0;
    uint32_t next = 0;
    for (uint32_t r = 0; r < s->row_count; r++) merge_row(s, r, old, entries, ends, &next);
}

// Links of pipes that are gone stay until they are looked for: they only keep blocks awake.
static void merge_links(rv_engine *s)
{
    rv_pipes_edit *e = s->edit;
    uint32_t fresh = 0, n = 0, i = 0, k = 0;
    for (uint32_t f = 0; f < e->fresh.count; f++)
        if (e->fresh.odd[f].b != RV_NO_SLOT)
            e->fresh_link[fresh++] = rv_pipes_link(s, &e->fresh.odd[f]);
    fresh = rv_pipes_sort_links(e->fresh_link, fresh);
    while (i < s->link_count || k < fresh) {
        int order = i == s->link_count ? 1
                    : k == fresh       ? -1
                                       : rv_pipes_compare_links(&s->link[i], &e->fresh_link[k]);
        e->link[n++] = order <= 0 ? s->link[i] : e->fresh_link[k];
        i += order <= 0, k += order >= 0;
    }
    SWAP(rv_block_link *, s->link, e->link);
    SWAP(uint32_t, s->link_capacity, e->link_room);
    s->link_count = n, s->links_stale = true;
}

// ---- The edit -----------------------------------------------------------------------------------

static void set_area(rv_engine *s, const rv_cell_change *changes, int count)
{
    rv_pipes_edit *e = s->edit;
    const rv_grid *g = &s->columns->grid;
    rv_rect r = {0, 0, 0, 0};
    for (int i = 0; i < count; i++)
        r = rv_rect_join(r,
                         (rv_rect){changes[i].x, changes[i].y, changes[i].x + 1, changes[i].y + 1});
    e->changes = changes, e->change_count = count, e->r = r, e->flow_count = 0;
    e->q = clipped(g, r.x0 - 2, r.y0 - 2, r.x1 + 1, r.y1 + 1);
    e->d = clipped(g, r.x0 - 2 - s->eight, r.y0 - 2, r.x1 + 2, r.y1 + 2);
    e->span0 = first_of_row(s, e->q.y0), e->span1 = first_of_row(s, e->q.y1);
}

static bool reserve_all(rv_engine *s)
{
    rv_pipes_edit *e = s->edit;
    uint64_t fresh = 0, span = e->span1 - e->span0, cells;
    uint64_t beside = first_of_row(s, e->d.y1) - first_of_row(s, e->d.y0 - 1);
    for (int y = e->q.y0; y < e->q.y1; y++)
        for (int x = e->q.x0; x < e->q.x1; x++) fresh += rv_pipes_count_odd(s, x, y);
    uint64_t odd = s->odd_count + fresh, ends = 2 * (fresh + beside), flows = span;
    for (int i = 0; i < e->change_count; i++)
        flows += (s->eight ? 8 : 4) * (uint64_t)e->changes[i].before;
    cells = (uint64_t)(e->r.x1 - e->r.x0) * (uint64_t)(e->r.y1 - e->r.y0);
#define NEED(array, room, count) reserve(s, (void **)&e->array, &e->room, count, sizeof *e->array)
    return NEED(odd, odd_room, odd) && NEED(odd_flux, flux_room, odd) &&
           NEED(odd_speed, speed_room, odd) && rv_bands_reserve(s, odd) &&
           NEED(column, column_room, s->odd_column_count + ends) &&
           NEED(entry, entry_room, s->odd_of_count + ends) &&
           NEED(link, link_room, s->link_count + fresh) &&
           NEED(fresh_link, fresh_link_room, fresh) && NEED(flows, flow_room, flows) &&
           NEED(ends, end_room, ends) && NEED(change_at, cell_room, cells) &&
           NEED(renumber, renumber_room, span) && NEED(fresh.odd, fresh.capacity, fresh) &&
           reserve(s, (void **)&s->odd_depth, &s->odd_depth_capacity, s->odd_column_count + ends,
                   sizeof *s->odd_depth);
#undef NEED
}

static void mark_changes(rv_pipes_edit *e)
{
    int width = e->r.x1 - e->r.x0;
    size_t cells = (size_t)width * (size_t)(e->r.y1 - e->r.y0);
    for (size_t i = 0; i < cells; i++) e->change_at[i] = -1;
    for (int i = 0; i < e->change_count; i++)
        e->change_at[(size_t)(e->changes[i].y - e->r.y0) * (size_t)width +
                     (size_t)(e->changes[i].x - e->r.x0)] = i;
}

// Rows whose columns or pipes may be others now: what their loops may assume, and which blocks of
// them may have work.
static void refresh_rows(rv_engine *s)
{
    const rv_rect *d = &s->edit->d;
    for (int pass = 0; pass < 2; pass++) { // a row's kind depends on the row above it
        uint32_t first = 0;
        for (int p = 0; p < s->columns->planes; first += (uint32_t)s->columns->plane[p++].ny) {
            const rv_plane *plane = &s->columns->plane[p];
            for (int y = d->y0; y < d->y1; y++) {
                if (y < plane->y0 || y >= plane->y0 + plane->ny) continue;
                uint32_t r = first + (uint32_t)(y - plane->y0);
                if (pass == 0) {
                    rv_pipes_survey_row(s, r);
                    continue;
                }
                rv_pipes_set_kind(s, r);
                rv_pipes_wake_row(s, r);
            }
        }
    }
    rv_pipes_survey_all(s);
}

// How deep and how fast liquid is follows from all rows as they stand, those that stayed too: what
// was left of them by the last substep, and by those who took liquid out since, a card does not
// know.
static void look_at_rows(rv_engine *s)
{
    rv_far_refresh(s);
    for (uint32_t r = 0; r < s->row_count; r++) rv_pipes_look(s, r);
    rv_pipes_gather(s);
    rv_far_stale(s); // what is known of rows, too, is taken from their owners
}

// What follows from the pipes of D being others; with a cut all ranks do it together.
static rv_result conclude(rv_engine *s)
{
    rv_pipes_edit *e = s->edit;
    rv_rest_stir_cells(s, e->d);
    refresh_rows(s);
    if (s->tense) {
        rv_rect around =
            clipped(&s->columns->grid, e->d.x0 - 1, e->d.y0 - 1, e->d.x1 + 1, e->d.y1 + 1);
        rv_tension_survey(s, e->d.x1 > e->d.x0 ? around : e->d);
    }
    rv_bands_forget(s);
    rv_busy_forget(s);
    rv_passages_forget(s);
    if (s->eight) rv_pipes_see(s);
    rv_far_stale(s);
    rv_result r = rv_far_fit(s);
    if (s->far && rv_far_any(s, r != RV_OK)) {
        s->columns->grid.cut->lost = true; // pipes are others already
        return RV_OUT_OF_MEMORY;
    }
    look_at_rows(s);
    return r;
}

rv_result rv_pipes_edited(rv_engine *s, const rv_cell_change *changes, int count)
{
    if (count < 1 && !s->far) return RV_OK;
    if (!s->edit) s->edit = rv_new(&s->allocator, 1, sizeof *s->edit);
    rv_pipes_edit *e = s->edit;
    if (e && count > 0) set_area(s, changes, count);
    if (rv_far_any(s, !e || (count > 0 && !reserve_all(s)))) return RV_OUT_OF_MEMORY;
    if (count < 1) { // in rows of other ranks only
        e->d = (rv_rect){0, 0, 0, 0};
        return conclude(s);
    }
    mark_changes(e);
    for (int i = 0; i < count; i++) note_cell(s, &changes[i]);
    note_odd(s);
    for (int i = 0; i < count; i++) forget_cell(s, &changes[i]);
    for (int i = 0; i < count; i++) set_cell(s, &changes[i]);
    s->pipe_count -= count_pipes(s, &e->q);
    e->fresh.count = 0, e->fresh.pipes = 0, e->fresh.failed = false;
    for (int y = e->q.y0; y < e->q.y1; y++)
        for (int x = e->q.x0; x < e->q.x1; x++) rv_pipes_join_cell(s, &e->fresh, x, y);
    s->has_borders |= e->fresh.border;
    s->pipe_count += e->fresh.pipes;
    merge_pipes(s);
    merge_columns(s, collect_ends(s));
    merge_links(s);
    rv_pipes_index_rows(s);
    for (uint32_t i = 0; i < e->flow_count; i++) resume(s, &e->flows[i]);
    return conclude(s);
}

// ---- Another layout, other borders --------------------------------------------------------------

static void copy_plane(rv_engine *to, const rv_engine *from, const rv_plane *p, const rv_plane *old)
{
    for (int y = old->y0; y < old->y0 + old->ny; y++) {
        size_t a = rv_slot(old, old->x0, y), b = rv_slot(p, old->x0, y), n = (size_t)old->nx;
        memcpy(to->depth + b, from->depth + a, n * sizeof(float));
        for (int way = 0; way < rv_ways(to); way++) {
            memcpy(to->flux[way] + b, from->flux[way] + a, n * sizeof(float));
            memcpy(to->speed[way] + b, from->speed[way] + a, n * sizeof(float));
        }
        memcpy(to->head + b, from->head + a, n * sizeof(float));
        memcpy(to->full + b, from->full + a, n);
        if (!to->tense || !from->tense) continue;
        memcpy(to->tension->wetted + b, from->tension->wetted + a, n * sizeof(float));
        memcpy(to->tension->rest + b, from->tension->rest + a, n);
    }
}

// The list of odd pipes is ordered by cells, not by slots: but for borders that came or went it is
// the same list.
static void copy_odd_flux(rv_engine *to, const rv_engine *from)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < to->odd_count; i++) {
        while (k < from->odd_count && from->odd[k].b == RV_NO_SLOT &&
               !rv_pipes_lets_through(to, (rv_side)from->odd[k].side))
            k++;
        bool is_new =
            to->odd[i].b == RV_NO_SLOT && !rv_pipes_lets_through(from, (rv_side)to->odd[i].side);
        if (is_new || k == from->odd_count) continue;
        to->odd_flux[i] = from->odd_flux[k], to->odd_speed[i] = from->odd_speed[k], k++;
    }
}

// With a cut the list may have other rows: those that are this rank's own are whole in both.
static void copy_own_odd(rv_engine *to, const rv_engine *from)
{
    rv_rows own = rv_grid_own(&to->columns->grid);
    for (int y = own.from; y < own.to; y++) {
        uint32_t a = from->odd_row[y], b = to->odd_row[y], n = from->odd_row[y + 1] - a;
        if (n != to->odd_row[y + 1] - b || n == 0) continue;
        memcpy(to->odd_flux + b, from->odd_flux + a, n * sizeof *to->odd_flux);
        memcpy(to->odd_speed + b, from->odd_speed + a, n * sizeof *to->odd_speed);
    }
}

static void copy_affinity(rv_engine *to, const rv_engine *from)
{
    const rv_grid *g = &to->columns->grid;
    rv_rows had = from->tension->cells, has = to->tension->cells;
    size_t nx = (size_t)g->nx;
    memcpy(to->tension->affinity + (size_t)(had.from - has.from) * nx, from->tension->affinity,
           nx * (size_t)(had.to - had.from));
    rv_far_affinity(to);
    rv_tension_adjust(to, (rv_rect){0, 0, g->nx, g->ny});
}

// What is known of rows besides their arrays, where nothing but the number of rows is another: one
// process would not look at them again. Those of other ranks come with their liquid.
static void keep_known(rv_engine *to, const rv_engine *from, const rv_column_set *old)
{
    rv_rows own = rv_grid_own(&to->columns->grid);
    for (int p = 0; p < old->planes; p++) {
        rv_rows had = {old->plane[p].y0, old->plane[p].y0 + old->plane[p].ny};
        had = rv_rows_both(had, own);
        for (int y = had.from; y < had.to; y++) {
            uint32_t a = from->plane_row[p] + (uint32_t)(y - old->plane[p].y0);
            uint32_t b = to->plane_row[p] + (uint32_t)(y - to->columns->plane[p].y0);
            to->wet[b] = from->wet[a], to->row_full[b] = from->row_full[a];
            to->row_most[b] = from->row_most[a], to->row_pace[b] = from->row_pace[a];
            if (!to->tense) continue;
            to->tension->rested[b] = from->tension->rested[a];
            to->tension->asleep[b] = from->tension->asleep[a];
            to->tension->slept[b] = from->tension->slept[a];
        }
    }
    if (to->tense) to->tension->sleeping = from->tension->sleeping;
    to->deepest = from->deepest, to->pace = from->pace;
    rv_far_stale(to);
}

// Built from scratch beside the old one: rare, and simple. `old` is how the columns stood; `known`:
// there are more rows, and that is all.
static rv_result build_anew(rv_engine *s, const rv_params *params, const rv_column_set *old,
                            bool known)
{
    rv_engine *fresh = rv_new(&s->allocator, 1, sizeof *fresh);
    if (rv_far_any(s, !fresh)) {
        rv_free(&s->allocator, fresh, 1, sizeof *fresh);
        return RV_OUT_OF_MEMORY;
    }
    fresh->columns = s->columns, fresh->params = *params, fresh->pool = s->pool;
    fresh->terrain = s->terrain;
    fresh->allocator = s->allocator, fresh->loops = s->loops, fresh->law = s->law;
    rv_pipes_settle(fresh);
    rv_result result = rv_pipes_build(fresh);
    if (result == RV_OK) {
        for (int p = 0; p < old->planes; p++)
            copy_plane(fresh, s, &s->columns->plane[p], &old->plane[p]);
        if (fresh->far && params == &s->params) // no border is another
            copy_own_odd(fresh, s);
        else
            copy_odd_flux(fresh, s);
        if (fresh->tension && s->tension) copy_affinity(fresh, s);
        fresh->clock = s->clock, fresh->totals = s->totals;
        memcpy(fresh->border[0], s->border[0],
               2 * (size_t)s->columns->grid.ny * sizeof *s->border[0]);
        rv_pipes_scan(fresh);
        if (fresh->eight) rv_pipes_see(fresh);
        if (known) keep_known(fresh, s, old);
        SWAP(rv_engine, *s, *fresh); // what pressed was by the old slots: none now
        SWAP(rv_pipes_edit *, s->edit, fresh->edit);
        SWAP(rv_card *, s->card, fresh->card);
    }
    rv_passages_free(fresh);
    rv_pipes_free_edit(fresh);
    rv_pipes_release(fresh);
    rv_free(&s->allocator, fresh, 1, sizeof *fresh);
    return result;
}

rv_result rv_pipes_relaid(rv_engine *s, const rv_column_set *old)
{
    return build_anew(s, &s->params, old, false);
}

rv_result rv_pipes_keep_more(rv_engine *s, const rv_column_set *old)
{
    return build_anew(s, &s->params, old, true);
}

rv_result rv_pipes_set_borders(rv_engine *s, const rv_params *params)
{
    rv_params mixed = s->params;
    mixed.border_west = params->border_west, mixed.border_east = params->border_east;
    mixed.border_south = params->border_south, mixed.border_north = params->border_north;
    rv_result result = build_anew(s, &mixed, s->columns, false);
    if (result != RV_OK || !s->tense) return result;
    rv_rest_stir_all(s);
    rv_pipes_scan(s);
    return RV_OK;
}
