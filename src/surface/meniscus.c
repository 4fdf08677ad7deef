// The meniscus field (docs/meniscus.md; pipes paper §5): near where the liquid meets a solid its
// surface is bent, which normals show.
//
// Contacts are the vertices where the surface ends and those in walls; without an edge inside cells
// the dry columns. Lips and the border of the grid are none: there the mesh merely ends. At a
// contact the normal tilts by psi = beta - alpha: beta is the slope of the solid away from the
// liquid, from the bases of the columns on either side and beside them, alpha the contact angle.
// Contacts that share a triangle are joined to lines.
//
// Distances spread over links in rings, by dead reckoning: a column takes the nearest of the
// contacts that earlier rings have beside it, goes on along the line while that brings it nearer,
// and keeps its distance to the line there. A ring ends at a distance: who is farther waits for the
// next one, when nearer contacts may have come. A ring reads only what earlier rings wrote, so the
// order of columns does not matter. The direction is the gradient of the distance, by central
// differences; where contacts on two sides are equally near it is short, so that nothing jumps when
// one of them wins.
#include "surface/meniscus.h"

#include "base/clock.h"
#include "base/memory.h"
#include "surface/contacts.h"

#include <math.h>

// A gradient this long or longer is a direction; shorter ones fade. Distances of grid points to a
// curved line leave a few per cent (tried on bowls of 10 cells and more).
#define WHOLE 0.75f
// Cells from ring to ring, and to the end of the first. Of the eight columns around one, that
// toward the contact is at least cos(pi/8) of a cell nearer, so it belongs to an earlier ring.
// Columns that share no triangle with a contact are at least half a diagonal away from it.
#define RING 0.92f
#define FIRST_RING (0.7f + RING)
// Cells: a column this much nearer to a contact than its ring came to it over a fold.
#define FOLD 0.5f

// ---- Rings --------------------------------------------------------------------------------------

// Square of the distance to the line between two contacts; t: where on it.
static float square_to_line(const rv_contact *a, const rv_contact *b, float x, float y, float *t)
{
    float ux = b->x - a->x, uy = b->y - a->y, px = x - a->x, py = y - a->y;
    float along = ux * px + uy * py, whole = ux * ux + uy * uy;
    *t = along <= 0.0f ? 0.0f : along >= whole ? 1.0f : along / whole;
    px -= *t * ux, py -= *t * uy;
    return px * px + py * py;
}

// A place beside the line of contacts.
typedef struct reading {
    uint32_t nearest;
    float distance, tilt;
} reading;

// From a contact that is not far from the nearest one. Goes along the line from contact to contact
// while that comes nearer, but not nearer than columns of this ring can be: there the line lies
// under another layer.
static reading measure(const rv_spread *s, uint32_t best, float x, float y)
{
    const rv_contact *c = rv_contact_of(s, best);
    float square = rv_square_to(c, x, y), tilt = c->tilt, t;
    for (;;) {
        const uint32_t beside[2] = {c->before, c->after};
        uint32_t next = RV_NO_NODE;
        for (int k = 0; k < 2; k++) {
            if (beside[k] == RV_NO_NODE) continue;
            const rv_contact *o = rv_contact_of(s, beside[k]);
            float other = square_to_line(c, o, x, y, &t);
            if (!(other < square) || other < s->least) continue;
            square = other, tilt = c->tilt + t * (o->tilt - c->tilt);
            next = t == 1.0f ? beside[k] : RV_NO_NODE; // at the end of the way it may go on
        }
        if (next == RV_NO_NODE) return (reading){best, sqrtf(square), tilt};
        best = next, c = rv_contact_of(s, best);
    }
}

// Keeps it for a column, if that belongs to the ring.
static bool keep(const rv_spread *s, uint32_t slot, uint32_t from, float x, float y)
{
    reading r = measure(s, from, x, y);
    if (!(r.distance < s->ring)) return false;
    s->m->nearest[slot] = r.nearest, s->m->distance[slot] = r.distance, s->m->tilt[slot] = r.tilt;
    return true;
}

// Whether the surface may have a triangle with the way from a node in a direction: a third node
// that both are linked to. Layers that pass each other may be linked without.
static bool has_sheet(const rv_spread *s, const uint32_t link[RV_DIRECTIONS], int d)
{
    static const int8_t direction[3][3] = {
        {RV_SW, RV_S, RV_SE}, {RV_W, 0, RV_E}, {RV_NW, RV_N, RV_NE}};
    int most = d % 2 ? 1 : 2;
    for (int k = -most; k <= most; k++) {
        int t = (d + k) & 7;
        if (k == 0 || link[t] == RV_NO_NODE) continue;
        int x = rv_step_x(t) - rv_step_x(d), y = rv_step_y(t) - rv_step_y(d);
        if (rv_linked(s->w, s->p->in->columns, link[d], direction[y + 1][x + 1]) == link[t])
            return true;
    }
    return false;
}

// The nearest of the contacts that columns around have.
static uint32_t nearest_around(const rv_spread *s, uint32_t slot, ptrdiff_t pitch, float x, float y)
{
    const rv_meniscus *m = s->m;
    const rv_surface_work *w = s->w;
    const ptrdiff_t step[RV_DIRECTIONS] = {1,  pitch + 1,  pitch,  pitch - 1,
                                           -1, -pitch - 1, -pitch, -pitch + 1};
    const uint32_t *link = rv_has_record(w, slot) ? w->records[w->record[slot]].link : NULL;
    uint32_t best = RV_NO_NODE;
    float square = INFINITY;
    if (m->near[slot] & RV_SEED)
        best = m->nearest[slot], square = rv_square_to(rv_contact_of(s, best), x, y);
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        size_t o = link ? link[d] : (size_t)((ptrdiff_t)slot + step[d]);
        if (o >= w->slots || !(m->near[o] & RV_NEAR) || m->nearest[o] == best) continue;
        float other = rv_square_to(rv_contact_of(s, m->nearest[o]), x, y);
        if (other > square || (other == square && best != RV_NO_NODE &&
                               rv_contact_key(s, m->nearest[o]) > rv_contact_key(s, best)))
            continue;
        if (other < s->least) continue; // it lies under another layer
        if (link && !has_sheet(s, link, d)) continue;
        square = other, best = m->nearest[o];
    }
    return best;
}

static uint64_t load8(const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

// Of eight columns, those inside that are not found yet, but have a guess, or are beside ones that
// are found, or linked to other planes: 1 each.
static uint64_t waiting(const rv_spread *s, size_t slot, size_t pitch)
{
    const uint8_t *near = s->m->near + slot;
    uint64_t own = load8(near), open = load8(s->w->inside + slot) & ~own;
    if (open == 0) return 0;
    uint64_t around = own >> 1 | own >> 2 | load8(near - 1) | load8(near + 1);
    for (const uint8_t *row = near - pitch; row <= near + pitch; row += 2 * pitch)
        around |= load8(row - 1) | load8(row) | load8(row + 1);
    return open & around;
}

static void spread_row(const rv_spread *s, const rv_surface_row *row, size_t pitch, float y)
{
    const rv_surface_work *w = s->w;
    rv_meniscus *m = s->m;
    size_t n = (size_t)(row->x1 - row->x0);
    memcpy(m->found + row->first, m->near + row->first, n);
    for (size_t i = 0; i < n; i += 8) {
        uint8_t is[8];
        uint64_t word = waiting(s, row->first + i, pitch);
        if (word == 0) continue;
        memcpy(is, &word, sizeof is);
        for (size_t k = 0; k < 8; k++) {
            if (!is[k]) continue;
            uint32_t slot = row->first + (uint32_t)(i + k);
            float x = w->cell_x[row->x0 + (int)(i + k)];
            uint32_t best = nearest_around(s, slot, (ptrdiff_t)pitch, x, y);
            if (best == RV_NO_NODE || !keep(s, slot, best, x, y)) continue;
            m->found[slot] = RV_NEAR;
        }
    }
}

static void spread_band(void *context, int task)
{
    const rv_spread *s = context;
    const rv_surface_band *band = rv_spread_band(s, task);
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < s->w->planes; l++) {
            const rv_surface_row *row = rv_row_of(s->w, y, l);
            if (row->x1 <= row->x0) continue;
            spread_row(s, row, (size_t)s->p->in->columns->plane[l].pitch, s->w->cell_y[y]);
        }
    }
}

// Columns in one triangle with a contact: those less than a cell from it need not ask others.
static void measure_band(void *context, int task)
{
    const rv_spread *s = context;
    const rv_surface_work *w = s->w;
    const rv_surface_band *band = rv_spread_band(s, task);
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            uint8_t *near = s->m->near + row->first;
            int n = row->x1 - row->x0;
            for (int x = rv_next_byte(near, n, 1, 0); x < n; x = rv_next_byte(near, n, 1, x + 1)) {
                uint32_t slot = row->first + (uint32_t)x;
                if (!keep(s, slot, s->m->nearest[slot], w->cell_x[row->x0 + x], w->cell_y[y]))
                    s->m->near[slot] = RV_SEED;
            }
        }
    }
}

static void spread_rings(rv_spread *s)
{
    rv_pool *pool = s->w->pool;
    s->ring = RING * s->p->dx, s->least = 0.0f;
    rv_parallel_for(pool, s->w->bands, measure_band, s);
    s->least = (0.7f - FOLD) * s->p->dx, s->least *= s->least;
    s->ring = rv_lesser_f(FIRST_RING * s->p->dx, s->reach);
    for (;;) {
        rv_parallel_for(pool, s->w->bands, spread_band, s);
        uint8_t *found = s->m->found;
        s->m->found = s->m->near, s->m->near = found;
        if (!(s->ring < s->reach)) return;
        s->least = rv_greater_f(s->ring - FOLD * s->p->dx, 0.0f), s->least *= s->least;
        s->ring = rv_lesser_f(s->ring + RING * s->p->dx, s->reach);
    }
}

// ---- The field ----------------------------------------------------------------------------------

// What a column has beside it on an axis: how far it is (m, 0: nothing) and its distance.
typedef struct beside {
    float way, distance;
} beside;

static beside look(const rv_spread *s, uint32_t slot, int direction)
{
    const rv_surface_work *w = s->w;
    const rv_meniscus *m = s->m;
    uint32_t o = rv_linked(w, s->p->in->columns, slot, direction);
    if (o == RV_NO_NODE) return (beside){0, 0};
    if (o < w->slots && w->inside[o])
        return m->near[o] & RV_NEAR ? (beside){s->p->dx, m->distance[o]} : (beside){0, 0};
    uint32_t name = w->vertex[o];
    if (!w->inside[o]) name = w->ends[w->record[o]].end[rv_opposite(direction)];
    if (name == RV_NO_NODE) return (beside){0, 0};
    uint32_t vertex = w->band[name >> RV_FRESH_BITS & (RV_BANDS_MAX - 1)].vertices;
    vertex += name & ((1u << RV_FRESH_BITS) - 1);
    if (!rv_is_contact(s, vertex)) return (beside){0, 0};
    const rv_contact *c = rv_contact_of(s, vertex);
    const float *at = w->positions + 3 * (size_t)w->vertex[slot];
    float along =
        (c->x - at[0]) * (float)rv_step_x(direction) + (c->y - at[1]) * (float)rv_step_y(direction);
    return (beside){rv_greater_f(along, 0.01f * s->p->dx), 0.0f};
}

// Slope of the distance, from both sides if there are two; exact where it is a parabola.
static float slope_of(float here, beside back, beside on)
{
    float before = back.way > 0.0f ? (here - back.distance) / back.way : 0.0f;
    float after = on.way > 0.0f ? (on.distance - here) / on.way : 0.0f;
    if (!(back.way > 0.0f)) return after;
    if (!(on.way > 0.0f)) return before;
    return (before * on.way + after * back.way) / (back.way + on.way);
}

static void write_column(const rv_spread *s, uint32_t slot, size_t pitch, uint32_t vertex)
{
    const rv_surface_work *w = s->w;
    const float *d = s->m->distance + slot;
    const uint8_t *near = s->m->near + slot;
    float x, y;
    bool even = !rv_has_record(w, slot);
    if (!even) {
        const uint32_t *link = w->records[w->record[slot]].link;
        even = link[RV_E] == slot + 1 && link[RV_W] == slot - 1 && link[RV_N] == slot + pitch &&
               link[RV_S] == slot - pitch;
    }
    if (even && (near[1] & near[-1] & near[pitch] & *(near - pitch) & RV_NEAR)) {
        float per = 0.5f * s->p->per_dx;
        x = per * (d[1] - d[-1]), y = per * (d[pitch] - *(d - pitch));
    } else {
        x = slope_of(*d, look(s, slot, RV_W), look(s, slot, RV_E));
        y = slope_of(*d, look(s, slot, RV_S), look(s, slot, RV_N));
    }
    float per = -1.0f / rv_greater_f(sqrtf(x * x + y * y), WHOLE);
    rv_set_field(s, vertex, rv_lesser_f(*d, s->length), x * per, y * per, s->m->tilt[slot]);
}

static void write_row(const rv_spread *s, const rv_surface_row *row, size_t pitch)
{
    const rv_surface_work *w = s->w;
    uint32_t vertex = row->vertices, last = vertex + row->vertex_count;
    for (uint32_t slot = row->first; vertex < last; slot++) {
        if (!w->inside[slot]) continue;
        if (!(s->m->near[slot] & RV_NEAR)) {
            rv_set_field(s, vertex, s->length, 0.0f, 0.0f, 0.0f);
        } else if (w->kind[slot] == RV_NODE_DRY) {
            const rv_contact *c = rv_contact_of(s, vertex);
            rv_set_field(s, vertex, 0.0f, c->to_x, c->to_y, c->tilt);
        } else {
            write_column(s, slot, pitch, vertex);
        }
        vertex++;
    }
}

// A lip has what is near the columns that it belongs to; curtains have nothing.
static void write_lip(const rv_spread *s, rv_fresh_vertex what, uint32_t vertex)
{
    const rv_surface_work *w = s->w;
    const float *at = w->positions + 3 * (size_t)vertex;
    reading best = {rv_contact_of(s, vertex)->last, s->length, 0.0f};
    if (best.nearest != RV_NO_NODE) best = measure(s, best.nearest, at[0], at[1]);
    const rv_node_record *n = &w->records[w->record[what.node]];
    for (unsigned wet = what.with == RV_NO_NODE ? n->wet : 0; wet; wet &= wet - 1) {
        uint32_t o = n->link[__builtin_ctz(wet)];
        if (!(s->m->near[o] & RV_NEAR)) continue;
        reading r = measure(s, s->m->nearest[o], at[0], at[1]);
        if (r.distance < best.distance) best = r;
    }
    const rv_contact none = {0}, *c = &none;
    if (best.nearest != RV_NO_NODE) c = rv_contact_of(s, best.nearest);
    rv_set_field(s, vertex, rv_lesser_f(best.distance, s->length), c->to_x, c->to_y, best.tilt);
}

static void write_band(void *context, int task)
{
    const rv_spread *s = context;
    const rv_surface_band *band = rv_spread_band(s, task);
    for (int y = band->y0; y < band->y1; y++)
        for (int l = 0; l < s->w->planes; l++)
            write_row(s, rv_row_of(s->w, y, l), (size_t)s->p->in->columns->plane[l].pitch);
    for (uint32_t i = 0; i < band->fresh_count; i++)
        if (!rv_is_contact(s, band->vertices + i))
            write_lip(s, s->w->fresh[band->fresh + i], band->vertices + i);
}

// ---- What it is for -----------------------------------------------------------------------------

void rv_surface_bend(const float normal[3], const float contact[4], double length, float out[3])
{
    if (!normal || !contact || !out) return;
    float size = sqrtf(contact[1] * contact[1] + contact[2] * contact[2]);
    float share = 1.0f - contact[0] / (float)length;
    memcpy(out, normal, 3 * sizeof *out);
    if (!(size > 0.0f) || !(share > 0.0f)) return;
    float x = contact[1] / size, y = contact[2] / size;
    float angle = contact[3] * share * rv_lesser_f(size, 1.0f), c = cosf(angle), d = sinf(angle);
    float toward = normal[0] * x + normal[1] * y;
    float change = toward * c - normal[2] * d - toward;
    out[0] += change * x, out[1] += change * y;
    out[2] = normal[2] * c + toward * d;
}

// ---- All of it ----------------------------------------------------------------------------------

#define BY_SLOT(DO) DO(nearest) DO(distance) DO(tilt) DO(near) DO(found)

static void free_maps(rv_meniscus *m, const rv_allocator *allocator)
{
#define FREE(array)                                                                                \
    rv_free(allocator, m->array, m->slots, sizeof *m->array);                                      \
    m->array = NULL;
    BY_SLOT(FREE)
#undef FREE
    m->slots = 0;
}

static bool take_maps(rv_meniscus *m, const rv_allocator *allocator, size_t slots)
{
    if (m->slots == slots) return true;
    free_maps(m, allocator);
    bool good = true;
    m->slots = slots;
#define TAKE(array) good = (m->array = rv_new(allocator, slots, sizeof *m->array)) && good;
    BY_SLOT(TAKE)
#undef TAKE
    if (!good) free_maps(m, allocator);
    return good;
}

void rv_meniscus_free(rv_meniscus *m, const rv_allocator *allocator)
{
    free_maps(m, allocator);
    rv_free(allocator, m->contacts, m->contact_room, sizeof *m->contacts);
    *m = (rv_meniscus){0};
}

size_t rv_meniscus_bytes(const rv_meniscus *m)
{
    size_t bytes = m->contact_room * sizeof *m->contacts;
#define ADD(array) bytes += m->slots * sizeof *m->array;
    BY_SLOT(ADD)
#undef ADD
    return bytes;
}

bool rv_meniscus_make(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    rv_meniscus *m = &w->meniscus;
    if (!p->in->meniscus) return true;
    double began = rv_wall_ms();
    uint32_t before = p->island->vertices; // of the islands before this one
    m->first = before + (p->in->edge ? (uint32_t)w->stats.columns : 0);
    if (!take_maps(m, &w->allocator, w->slots) ||
        !rv_surface_grow(w, (void **)&m->contacts, &m->contact_room, w->vertices - m->first,
                         sizeof *m->contacts))
        return false;
    m->field = w->contact;
    float length = (float)p->in->meniscus_length;
    rv_spread s = {.p = p, .m = m, .w = w, .length = length, .reach = length + 0.5f * p->dx};
    s.alpha = (float)p->in->contact, s.step = 1;
    rv_meniscus_find_contacts(&s);
    spread_rings(&s);
    rv_parallel_for(w->pool, w->bands + 1, write_band, &s);
    m->ms += rv_wall_ms() - began;
    return true;
}
