// The meniscus field (SPEC §5; 000 and 003 §5): near where the liquid meets a solid its surface is
// bent, which normals show.
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

#include "base/memory.h"
#include "surface/surface.h"

#include <math.h>
#include <time.h>

#define HALF_PI 1.57079633f
// A gradient this long or longer is a direction; shorter ones fade. Distances of grid points to a
// curved line leave a few per cent (tried on bowls of 10 cells and more).
#define WHOLE 0.75f
// Cells from ring to ring, and to the end of the first. Of the eight columns around one, that
// toward the contact is at least cos(pi/8) of a cell nearer, so it belongs to an earlier ring.
// Columns that share no triangle with a contact are at least half a diagonal away from it.
#define RING 0.92f
#define FIRST_RING (0.7f + RING)
// Cells: contacts nearer to each other do not tell where their line goes.
#define NEAR_ON_LINE 0.15f
// Cells: a column this much nearer to a contact than its ring came to it over a fold.
#define FOLD 0.5f

typedef struct spread {
    const rv_surface_pass *p;
    rv_meniscus *m;
    rv_surface_work *w;
    float length, reach; // m; half a cell more, for the slopes of the last columns
    float ring, least;   // m, m²: end of the ring in work; square of the least distance in it
    float alpha;         // rad
    int first, step;     // of tasks, as rv_surface_pass
} spread;

static rv_surface_band *band_of(const spread *s, int task)
{
    return &s->w->band[s->first + task * s->step];
}

static rv_contact *contact_of(const spread *s, uint32_t vertex)
{
    return &s->m->contacts[vertex - s->m->first];
}

static bool is_contact(const spread *s, uint32_t vertex)
{
    return vertex >= s->m->first && contact_of(s, vertex)->kind > 0.0f;
}

// ---- Contacts -----------------------------------------------------------------------------------

// What tells the slope of the bed at a contact: rises to places around, by least squares.
typedef struct bed {
    float xx, xy, yy, xh, yh;
} bed;

static void add_rise(bed *b, float x, float y, float rise)
{
    b->xx += x * x, b->xy += x * y, b->yy += y * y;
    b->xh += x * rise, b->yh += y * rise;
}

// The slope along a unit direction; with all rises on one line, none across it.
static float slope_along(const bed *b, float x, float y)
{
    float few = 1e-3f * (b->xx + b->yy), xx = b->xx + few, yy = b->yy + few;
    float per = 1.0f / (xx * yy - b->xy * b->xy);
    float sx = per * (yy * b->xh - b->xy * b->yh), sy = per * (xx * b->yh - b->xy * b->xh);
    return sx * x + sy * y;
}

// Whether there is a wall on the way (1), as ends are drawn: by the rise in lengths of the way.
static float wall_of(float rise)
{
    return fminf(fmaxf(rise - 1.0f, 0.0f), 1.0f);
}

static float way(int direction)
{
    return direction % 2 ? 1.41421356f : 1.0f;
}

static float base_of(const spread *s, uint32_t node)
{
    const rv_surface_work *w = s->w;
    if (node < w->slots) return s->p->in->columns->base[node];
    return w->z[node] - w->records[w->record[node]].depth; // of an extra node: the mean around it
}

// The angle psi at a contact with a bed; wall: share of a vertical one.
static float tilt_at(const spread *s, const rv_contact *c, const bed *b, float wall)
{
    float beta = atanf(slope_along(b, c->to_x, c->to_y));
    return beta + wall * (HALF_PI - beta) - s->alpha;
}

// An end between a node inside and one outside, which is in a direction from it.
static void tilt_end(const spread *s, rv_contact *c, uint32_t in, uint32_t out, int direction)
{
    const rv_column_set *columns = s->p->in->columns;
    float base = base_of(s, in), per_dx = s->p->per_dx;
    float main = (base_of(s, out) - base) * per_dx;
    bed b = {0};
    add_rise(&b, (float)rv_step_x(direction), (float)rv_step_y(direction), main);
    int beside = direction % 2 ? 1 : 2; // eighths of a turn to the places beside the way
    for (int k = -1; k <= 1 && in < s->w->slots; k += 2) {
        int d = (direction + k * beside + RV_DIRECTIONS) % RV_DIRECTIONS;
        uint32_t node = rv_linked(s->w, columns, in, d);
        if (node == RV_NO_NODE || node >= s->w->slots) continue;
        float rise = (columns->base[node] - base) * per_dx;
        if (fabsf(rise) < 2.0f) add_rise(&b, (float)rv_step_x(d), (float)rv_step_y(d), rise);
    }
    c->tilt = tilt_at(s, c, &b, wall_of(main / way(direction)));
}

// A dry column, without an edge inside cells: rises from all around it, walls from wet ones.
static void tilt_dry(const spread *s, rv_contact *c, const rv_node_record *n)
{
    bed b = {0};
    float wall = 0.0f, count = 0.0f;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        if (n->link[d] >= s->w->slots) continue;
        float rise = (base_of(s, n->node) - base_of(s, n->link[d])) * s->p->per_dx;
        bool wet = n->wet >> d & 1;
        if (wet) wall += wall_of(rise / way(d)), count += 1.0f;
        if (wet || fabsf(rise) < 2.0f)
            add_rise(&b, (float)-rv_step_x(d), (float)-rv_step_y(d), rise);
    }
    c->tilt = tilt_at(s, c, &b, count > 0.0f ? wall / count : 0.0f);
}

// Away from the wet columns around a node: adds that direction.
static void point_away(rv_contact *c, const rv_node_record *n)
{
    for (unsigned wet = n->wet; wet; wet &= wet - 1) {
        int d = __builtin_ctz(wet);
        c->to_x -= (float)rv_step_x(d) / way(d), c->to_y -= (float)rv_step_y(d) / way(d);
    }
}

static void begin_contact(rv_contact *c, float x, float y, float kind)
{
    *c = (rv_contact){.x = x,
                      .y = y,
                      .before = RV_NO_NODE,
                      .after = RV_NO_NODE,
                      .kind = kind,
                      .at_x = x,
                      .at_y = y,
                      .last = RV_NO_NODE,
                      .next = RV_NO_NODE};
}

// Of a wall only columns on either side are known: it is taken to be halfway.
static void begin_end(const spread *s, rv_contact *c, rv_fresh_vertex what, const float *at)
{
    const rv_surface_work *w = s->w;
    const rv_node_record *out = &w->records[what.with / RV_DIRECTIONS];
    int direction = rv_opposite((int)(what.with % RV_DIRECTIONS));
    float x = (float)rv_step_x(direction), y = (float)rv_step_y(direction);
    float rise = (base_of(s, out->node) - base_of(s, what.node)) * s->p->per_dx / way(direction);
    float wall = wall_of(rise), half = 0.5f * s->p->dx;
    begin_contact(c, at[0] + wall * (w->cell_x[out->x] - half * x - at[0]),
                  at[1] + wall * (w->cell_y[out->y] - half * y - at[1]), 1.0f + wall);
}

static void begin_wall(const spread *s, rv_contact *c, const rv_node_record *n)
{
    const rv_surface_work *w = s->w;
    float x = 0.0f, y = 0.0f;
    int count = 0;
    for (unsigned wet = n->wet; wet; wet &= wet - 1, count++) {
        int d = __builtin_ctz(wet);
        x += (float)rv_step_x(d), y += (float)rv_step_y(d);
    }
    float half = count > 0 ? 0.5f * s->p->dx / (float)count : 0.0f;
    begin_contact(c, w->cell_x[n->x] + half * x, w->cell_y[n->y] + half * y, 2.0f);
}

// Dry columns of a row that are drawn.
static void begin_dry(const spread *s, const rv_surface_row *row)
{
    const rv_surface_work *w = s->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        const rv_node_record *n = &w->records[i];
        if (w->kind[n->node] != RV_NODE_DRY || !w->inside[n->node]) continue;
        uint32_t vertex = w->vertex[n->node];
        begin_contact(contact_of(s, vertex), w->cell_x[n->x], w->cell_y[n->y], 1.0f);
        s->m->near[n->node] = RV_NEAR, s->m->nearest[n->node] = vertex;
    }
}

// Marks columns that are linked to other planes.
static void mark_across(const spread *s, const rv_surface_row *row, ptrdiff_t pitch)
{
    const rv_surface_work *w = s->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        const rv_node_record *n = &w->records[i];
        if (!w->odd[n->node] || !w->inside[n->node]) continue;
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            ptrdiff_t step = rv_step_x(d) + rv_step_y(d) * pitch;
            if (n->link[d] < w->slots && (ptrdiff_t)n->link[d] != (ptrdiff_t)n->node + step)
                s->m->near[n->node] = RV_ACROSS;
        }
    }
}

static void begin_band(void *context, int task)
{
    const spread *s = context;
    const rv_surface_work *w = s->w;
    const rv_surface_band *band = band_of(s, task);
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            if (row->x1 <= row->x0) continue;
            memset(s->m->near + row->first, 0, (size_t)(row->x1 - row->x0));
            if (w->planes > 1) mark_across(s, row, s->p->in->columns->plane[l].pitch);
            if (s->p->in->edge || row->vertex_count == 0) continue;
            memset(contact_of(s, row->vertices), 0, row->vertex_count * sizeof(rv_contact));
            begin_dry(s, row);
        }
    }
    for (uint32_t i = 0; i < band->fresh_count; i++) {
        rv_fresh_vertex what = w->fresh[band->fresh + i];
        rv_contact *c = contact_of(s, band->vertices + i);
        if (what.with < RV_BOTTOM)
            begin_end(s, c, what, w->positions + 3 * (size_t)(band->vertices + i));
        else if (what.with == RV_NO_NODE && w->kind[what.node] == RV_NODE_WALL)
            begin_wall(s, c, &w->records[w->record[what.node]]);
        else
            c->kind = 0.0f, c->last = RV_NO_NODE; // lips, and the bottoms of curtains
    }
}

// ---- Lines --------------------------------------------------------------------------------------

static float square_to(const rv_contact *c, float x, float y)
{
    return (c->x - x) * (c->x - x) + (c->y - y) * (c->y - y);
}

// A column or a lip in one triangle with a contact begins with it, if there is none nearer.
static void seed(const spread *s, uint32_t name, uint32_t vertex, uint32_t contact)
{
    rv_meniscus *m = s->m;
    bool lip = name & RV_FRESH;
    uint32_t *nearest = lip ? &contact_of(s, vertex)->last : &m->nearest[name];
    if (lip ? *nearest != RV_NO_NODE : m->near[name] & RV_NEAR) {
        const float *at = s->w->positions + 3 * (size_t)vertex;
        float old = square_to(contact_of(s, *nearest), at[0], at[1]);
        float new = square_to(contact_of(s, contact), at[0], at[1]);
        if (new > old || (new == old &&contact >= *nearest)) return;
    }
    *nearest = contact;
    if (!lip) m->near[name] = RV_NEAR;
}

static void join_band(void *context, int task)
{
    const spread *s = context;
    const rv_surface_work *w = s->w;
    const rv_surface_band *band = band_of(s, task);
    const uint32_t *name = w->loose + 3 * (size_t)band->loose;
    const uint32_t *number = w->indices + 3 * (size_t)band->triangles;
    for (uint32_t i = 0; i < band->loose_count; i++, name += 3, number += 3) {
        bool is[3];
        for (int k = 0; k < 3; k++) is[k] = is_contact(s, number[k]);
        if (!(is[0] | is[1] | is[2])) continue;
        for (int k = 0; k < 3; k++) {
            int next = (k + 1) % 3;
            // the solid is on its right
            if (is[k] && is[next])
                contact_of(s, number[k])->next = number[next],
                              contact_of(s, number[next])->last = number[k];
            if (is[k]) continue;
            for (int o = 0; o < 3; o++)
                if (is[o]) seed(s, name[k], number[k], number[o]);
        }
    }
}

static void set_field(const spread *s, uint32_t vertex, float distance, float x, float y,
                      float tilt)
{
    float *to = s->m->field + 4 * (size_t)vertex;
    to[0] = distance, to[1] = x, to[2] = y, to[3] = tilt;
}

// Makes a direction unit; without any, of no length.
static void make_unit(rv_contact *c)
{
    float length = sqrtf(c->to_x * c->to_x + c->to_y * c->to_y);
    float per = length > 1e-12f ? 1.0f / length : 0.0f;
    c->to_x *= per, c->to_y *= per;
}

// The contact beside one on its line, but for those so near that the line's direction is not to be
// trusted: where it passes a node, three may stand within some hundredths of a cell.
static uint32_t beside_on_line(const spread *s, uint32_t vertex, bool on)
{
    const rv_contact *c = contact_of(s, vertex);
    uint32_t other = on ? c->next : c->last;
    for (int k = 0; k < 3 && other != RV_NO_NODE; k++) {
        const rv_contact *o = contact_of(s, other);
        float x = o->at_x - c->at_x, y = o->at_y - c->at_y, least = NEAR_ON_LINE * s->p->dx;
        uint32_t beyond = on ? o->next : o->last;
        if (x * x + y * y >= least * least || beyond == RV_NO_NODE || beyond == vertex) break;
        other = beyond;
    }
    return other;
}

// Direction and place, from the line; x, y: the way from the liquid, where that does not tell.
static void lay_on_line(const spread *s, rv_contact *c, uint32_t vertex, float x, float y)
{
    c->before = beside_on_line(s, vertex, false), c->after = beside_on_line(s, vertex, true);
    const rv_contact *a = c->before != RV_NO_NODE ? contact_of(s, c->before) : c;
    const rv_contact *b = c->after != RV_NO_NODE ? contact_of(s, c->after) : c;
    c->to_x = b->at_y - a->at_y, c->to_y = a->at_x - b->at_x;
    float least = 1e-3f * s->p->dx;
    if (!(c->to_x * x + c->to_y * y > least * least)) c->to_x = x, c->to_y = y;
    make_unit(c);
    if (a == c || b == c) return;
    float share = 0.5f * (c->kind - 1.0f);
    c->x += share * (0.5f * (a->at_x + b->at_x) - c->at_x);
    c->y += share * (0.5f * (a->at_y + b->at_y) - c->at_y);
}

static void settle_fresh(const spread *s, rv_fresh_vertex what, uint32_t vertex)
{
    const rv_surface_work *w = s->w;
    rv_contact *c = contact_of(s, vertex);
    if (what.with < RV_BOTTOM) {
        int direction = rv_opposite((int)(what.with % RV_DIRECTIONS));
        lay_on_line(s, c, vertex, (float)rv_step_x(direction), (float)rv_step_y(direction));
        tilt_end(s, c, what.node, w->records[what.with / RV_DIRECTIONS].node, direction);
    } else {
        point_away(c, &w->records[w->record[what.node]]);
        lay_on_line(s, c, vertex, c->to_x, c->to_y);
        c->tilt = HALF_PI - s->alpha;
    }
    set_field(s, vertex, 0.0f, c->to_x, c->to_y, c->tilt);
}

static void settle_dry(const spread *s, const rv_surface_row *row)
{
    const rv_surface_work *w = s->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        const rv_node_record *n = &w->records[i];
        if (w->kind[n->node] != RV_NODE_DRY || !w->inside[n->node]) continue;
        rv_contact *c = contact_of(s, w->vertex[n->node]);
        c->before = c->last, c->after = c->next;
        point_away(c, n); // lines of whole cells are saws: what is beside it has a say
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            uint32_t o = n->link[d];
            if (o < w->slots && w->kind[o] == RV_NODE_DRY) point_away(c, &w->records[w->record[o]]);
        }
        make_unit(c);
        tilt_dry(s, c, n);
    }
}

static void settle_band(void *context, int task)
{
    const spread *s = context;
    const rv_surface_band *band = band_of(s, task);
    for (uint32_t i = 0; i < band->fresh_count; i++)
        if (is_contact(s, band->vertices + i))
            settle_fresh(s, s->w->fresh[band->fresh + i], band->vertices + i);
    for (int y = band->y0; y < band->y1 && !s->p->in->edge; y++)
        for (int l = 0; l < s->w->planes; l++) settle_dry(s, rv_row_of(s->w, y, l));
}

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
static reading measure(const spread *s, uint32_t best, float x, float y)
{
    const rv_contact *c = contact_of(s, best);
    float square = square_to(c, x, y), tilt = c->tilt, t;
    for (;;) {
        const uint32_t beside[2] = {c->before, c->after};
        uint32_t next = RV_NO_NODE;
        for (int k = 0; k < 2; k++) {
            if (beside[k] == RV_NO_NODE) continue;
            const rv_contact *o = contact_of(s, beside[k]);
            float other = square_to_line(c, o, x, y, &t);
            if (!(other < square) || other < s->least) continue;
            square = other, tilt = c->tilt + t * (o->tilt - c->tilt);
            next = t == 1.0f ? beside[k] : RV_NO_NODE; // at the end of the way it may go on
        }
        if (next == RV_NO_NODE) return (reading){best, sqrtf(square), tilt};
        best = next, c = contact_of(s, best);
    }
}

// Keeps it for a column, if that belongs to the ring.
static bool keep(const spread *s, uint32_t slot, uint32_t from, float x, float y)
{
    reading r = measure(s, from, x, y);
    if (!(r.distance < s->ring)) return false;
    s->m->nearest[slot] = r.nearest, s->m->distance[slot] = r.distance, s->m->tilt[slot] = r.tilt;
    return true;
}

// Whether the surface may have a triangle with the way from a node in a direction: a third node
// that both are linked to. Layers that pass each other may be linked without.
static bool has_sheet(const spread *s, const uint32_t link[RV_DIRECTIONS], int d)
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
static uint32_t nearest_around(const spread *s, uint32_t slot, ptrdiff_t pitch, float x, float y)
{
    const rv_meniscus *m = s->m;
    const rv_surface_work *w = s->w;
    const ptrdiff_t step[RV_DIRECTIONS] = {1,  pitch + 1,  pitch,  pitch - 1,
                                           -1, -pitch - 1, -pitch, -pitch + 1};
    const uint32_t *link = rv_has_record(w, slot) ? w->records[w->record[slot]].link : NULL;
    uint32_t best = RV_NO_NODE;
    float square = INFINITY;
    if (m->near[slot] & RV_SEED)
        best = m->nearest[slot], square = square_to(contact_of(s, best), x, y);
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        size_t o = link ? link[d] : (size_t)((ptrdiff_t)slot + step[d]);
        if (o >= w->slots || !(m->near[o] & RV_NEAR) || m->nearest[o] == best) continue;
        float other = square_to(contact_of(s, m->nearest[o]), x, y);
        if (other > square || (other == square && m->nearest[o] > best)) continue;
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
static uint64_t waiting(const spread *s, size_t slot, size_t pitch)
{
    const uint8_t *near = s->m->near + slot;
    uint64_t own = load8(near), open = load8(s->w->inside + slot) & ~own;
    if (open == 0) return 0;
    uint64_t around = own >> 1 | own >> 2 | load8(near - 1) | load8(near + 1);
    for (const uint8_t *row = near - pitch; row <= near + pitch; row += 2 * pitch)
        around |= load8(row - 1) | load8(row) | load8(row + 1);
    return open & around;
}

static void spread_row(const spread *s, const rv_surface_row *row, size_t pitch, float y)
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
    const spread *s = context;
    const rv_surface_band *band = band_of(s, task);
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
    const spread *s = context;
    const rv_surface_work *w = s->w;
    const rv_surface_band *band = band_of(s, task);
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

static void spread_rings(spread *s)
{
    rv_pool *pool = s->w->pool;
    s->ring = RING * s->p->dx, s->least = 0.0f;
    rv_parallel_for(pool, s->w->bands, measure_band, s);
    s->least = (0.7f - FOLD) * s->p->dx, s->least *= s->least;
    s->ring = fminf(FIRST_RING * s->p->dx, s->reach);
    for (;;) {
        rv_parallel_for(pool, s->w->bands, spread_band, s);
        uint8_t *found = s->m->found;
        s->m->found = s->m->near, s->m->near = found;
        if (!(s->ring < s->reach)) return;
        s->least = fmaxf(s->ring - FOLD * s->p->dx, 0.0f), s->least *= s->least;
        s->ring = fminf(s->ring + RING * s->p->dx, s->reach);
    }
}

// ---- The field ----------------------------------------------------------------------------------

// What a column has beside it on an axis: how far it is (m, 0: nothing) and its distance.
typedef struct beside {
    float way, distance;
} beside;

static beside look(const spread *s, uint32_t slot, int direction)
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
    if (!is_contact(s, vertex)) return (beside){0, 0};
    const rv_contact *c = contact_of(s, vertex);
    const float *at = w->positions + 3 * (size_t)w->vertex[slot];
    float along =
        (c->x - at[0]) * (float)rv_step_x(direction) + (c->y - at[1]) * (float)rv_step_y(direction);
    return (beside){fmaxf(along, 0.01f * s->p->dx), 0.0f};
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

static void write_column(const spread *s, uint32_t slot, size_t pitch, uint32_t vertex)
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
    float per = -1.0f / fmaxf(sqrtf(x * x + y * y), WHOLE);
    set_field(s, vertex, fminf(*d, s->length), x * per, y * per, s->m->tilt[slot]);
}

static void write_row(const spread *s, const rv_surface_row *row, size_t pitch)
{
    const rv_surface_work *w = s->w;
    uint32_t vertex = row->vertices, last = vertex + row->vertex_count;
    for (uint32_t slot = row->first; vertex < last; slot++) {
        if (!w->inside[slot]) continue;
        if (!(s->m->near[slot] & RV_NEAR)) {
            set_field(s, vertex, s->length, 0.0f, 0.0f, 0.0f);
        } else if (w->kind[slot] == RV_NODE_DRY) {
            const rv_contact *c = contact_of(s, vertex);
            set_field(s, vertex, 0.0f, c->to_x, c->to_y, c->tilt);
        } else {
            write_column(s, slot, pitch, vertex);
        }
        vertex++;
    }
}

// A lip has what is near the columns that it belongs to; the bottoms of curtains have nothing.
static void write_lip(const spread *s, rv_fresh_vertex what, uint32_t vertex)
{
    const rv_surface_work *w = s->w;
    const float *at = w->positions + 3 * (size_t)vertex;
    reading best = {contact_of(s, vertex)->last, s->length, 0.0f};
    if (best.nearest != RV_NO_NODE) best = measure(s, best.nearest, at[0], at[1]);
    const rv_node_record *n = &w->records[w->record[what.node]];
    for (unsigned wet = what.with == RV_NO_NODE ? n->wet : 0; wet; wet &= wet - 1) {
        uint32_t o = n->link[__builtin_ctz(wet)];
        if (!(s->m->near[o] & RV_NEAR)) continue;
        reading r = measure(s, s->m->nearest[o], at[0], at[1]);
        if (r.distance < best.distance) best = r;
    }
    const rv_contact none = {0}, *c = &none;
    if (best.nearest != RV_NO_NODE) c = contact_of(s, best.nearest);
    set_field(s, vertex, fminf(best.distance, s->length), c->to_x, c->to_y, best.tilt);
}

static void write_band(void *context, int task)
{
    const spread *s = context;
    const rv_surface_band *band = band_of(s, task);
    for (int y = band->y0; y < band->y1; y++)
        for (int l = 0; l < s->w->planes; l++)
            write_row(s, rv_row_of(s->w, y, l), (size_t)s->p->in->columns->plane[l].pitch);
    for (uint32_t i = 0; i < band->fresh_count; i++)
        if (!is_contact(s, band->vertices + i))
            write_lip(s, s->w->fresh[band->fresh + i], band->vertices + i);
}

// ---- What it is for -----------------------------------------------------------------------------

void rv_surface_bend(const float normal[3], const float contact[4], double length, float out[3])
{
    float size = sqrtf(contact[1] * contact[1] + contact[2] * contact[2]);
    float share = 1.0f - contact[0] / (float)length;
    memcpy(out, normal, 3 * sizeof *out);
    if (!(size > 0.0f) || !(share > 0.0f)) return;
    float x = contact[1] / size, y = contact[2] / size;
    float angle = contact[3] * share * fminf(size, 1.0f), c = cosf(angle), d = sinf(angle);
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
    rv_free(allocator, m->field, m->field_room, 4 * sizeof *m->field);
    *m = (rv_meniscus){0};
}

size_t rv_meniscus_bytes(const rv_meniscus *m)
{
    size_t bytes = m->contact_room * sizeof *m->contacts + 4 * m->field_room * sizeof *m->field;
#define ADD(array) bytes += m->slots * sizeof *m->array;
    BY_SLOT(ADD)
#undef ADD
    return bytes;
}

static double wall_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// A band writes to vertices and columns of the rows beside it: every second one at a time.
static void join_bands(spread *s)
{
    s->step = 2;
    for (s->first = 0; s->first < 2; s->first++)
        rv_parallel_for(s->w->pool, (s->w->bands + 1 - s->first) / 2, join_band, s);
    s->first = 0, s->step = 1;
}

bool rv_meniscus_make(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    rv_meniscus *m = &w->meniscus;
    m->there = false, m->ms = 0;
    if (!p->in->meniscus) return true;
    double began = wall_clock();
    m->first = p->in->edge ? (uint32_t)w->stats.columns : 0;
    if (!take_maps(m, &w->allocator, w->slots) ||
        !rv_surface_grow(w, (void **)&m->contacts, &m->contact_room, w->vertices - m->first,
                         sizeof *m->contacts) ||
        !rv_surface_grow(w, (void **)&m->field, &m->field_room, w->vertices, 4 * sizeof *m->field))
        return false;
    m->there = true;
    if (w->bands == 0) return true;
    float length = (float)p->in->meniscus_length;
    spread s = {.p = p, .m = m, .w = w, .length = length, .reach = length + 0.5f * p->dx};
    s.alpha = (float)p->in->contact, s.step = 1;
    rv_parallel_for(w->pool, w->bands + 1, begin_band, &s);
    join_bands(&s);
    rv_parallel_for(w->pool, w->bands, settle_band, &s);
    spread_rings(&s);
    rv_parallel_for(w->pool, w->bands + 1, write_band, &s);
    m->ms = wall_clock() - began;
    return true;
}
