// Where the liquid meets solids: contacts, the lines they stand in, and by what angle the surface
// is bent there (docs/meniscus.md; pipes paper §5.2).
//
// At a contact the normal tilts by psi = beta - alpha: beta is the slope of the solid away from the
// liquid, from the bases of the columns on either side and beside them, alpha the contact angle.
// Contacts that share a triangle are joined to lines. Where tension bends the columns' own surface
// toward that angle, only the rest of psi is left to normals.
#include "surface/contacts.h"

#include <math.h>

#define HALF_PI 1.57079633f
// Cells: contacts nearer to each other do not tell where their line goes.
#define NEAR_ON_LINE 0.15f
// Cells to either side over which a line that tension makes smooth has its direction: over less,
// how it passes the grid would show.
#define ALONG_LINE 2.0f
#define EVEN_OVER 8 // contacts to either side, of which angles are means, the farther the less

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
    return rv_lesser_f(rv_greater_f(rise - 1.0f, 0.0f), 1.0f);
}

static float way(int direction)
{
    return direction % 2 ? 1.41421356f : 1.0f;
}

static float base_of(const rv_spread *s, uint32_t node)
{
    const rv_surface_work *w = s->w;
    if (node < w->slots) return s->p->in->columns->base[node];
    return w->z[node] - w->records[w->record[node]].depth; // of an extra node: the mean around it
}

// The contact angle on the bed of a node.
static float alpha_at(const rv_spread *s, uint32_t node)
{
    const float *angle = s->p->in->angle;
    return angle && node < s->w->slots && angle[node] >= 0.0f ? angle[node] : s->alpha;
}

// The angle psi at a contact with the bed of a node; wall: share of a vertical one.
static float tilt_at(const rv_spread *s, const rv_contact *c, const bed *b, float wall,
                     uint32_t node)
{
    float beta = atanf(slope_along(b, c->to_x, c->to_y));
    return beta + wall * (HALF_PI - beta) - alpha_at(s, node);
}

// What normals still lack: the drawn surface rises toward the contact by some angle of its own,
// which counts as far as it is on the way to psi and no farther. `beside`: a vertex whose normal is
// seen there; that of an end in a wall is not.
static float rest_of(const rv_spread *s, const rv_contact *c, uint32_t beside)
{
    const float *normal = s->w->normals + 3 * (size_t)beside;
    if (!s->p->in->bends) return c->tilt;
    float rises = atan2f(-(normal[0] * c->to_x + normal[1] * c->to_y), normal[2]);
    if (c->tilt > 0.0f) return rv_greater_f(c->tilt - rv_greater_f(rises, 0.0f), 0.0f);
    return rv_lesser_f(c->tilt - rv_lesser_f(rises, 0.0f), 0.0f);
}

// An end between a node inside and one outside, which is in a direction from it.
static void tilt_end(const rv_spread *s, rv_contact *c, uint32_t in, uint32_t out, int direction)
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
    c->tilt = tilt_at(s, c, &b, c->kind - 1.0f, in);
}

// A dry column, without an edge inside cells: rises from all around it, walls from wet ones.
static void tilt_dry(const rv_spread *s, rv_contact *c, const rv_node_record *n)
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
    c->tilt = tilt_at(s, c, &b, count > 0.0f ? wall / count : 0.0f, n->node);
}

// Away from the wet columns around a node: adds that direction.
static void point_away(rv_contact *c, const rv_node_record *n)
{
    for (unsigned wet = n->wet; wet; wet &= wet - 1) {
        int d = __builtin_ctz(wet);
        c->to_x -= (float)rv_step_x(d) / way(d), c->to_y -= (float)rv_step_y(d) / way(d);
    }
}

// `key`: 16 times its node, and a direction or what else it is.
static void begin_contact(rv_contact *c, float x, float y, float kind, uint32_t key)
{
    *c = (rv_contact){.key = key,
                      .x = x,
                      .y = y,
                      .before = RV_NO_NODE,
                      .after = RV_NO_NODE,
                      .kind = kind,
                      .at_x = x,
                      .at_y = y,
                      .last = RV_NO_NODE,
                      .next = RV_NO_NODE};
}

// Of a wall only columns on either side are known: it is taken to be halfway, unless the bed goes
// on evenly, as that of a cup does: then it is where the level meets it.
static void begin_end(const rv_spread *s, rv_contact *c, rv_fresh_vertex what, uint32_t vertex)
{
    const rv_surface_work *w = s->w;
    const rv_surface_pass *p = s->p;
    const rv_node_record *out = &w->records[what.with / RV_DIRECTIONS];
    const float *at = w->positions + 3 * (size_t)vertex;
    int direction = rv_opposite((int)(what.with % RV_DIRECTIONS));
    float x = (float)rv_step_x(direction), y = (float)rv_step_y(direction);
    float rise = (base_of(s, out->node) - base_of(s, what.node)) * p->per_dx / way(direction);
    float wall = wall_of(rise), back = 0.5f * p->dx;
    if (wall > 0.0f && p->in->bends) {
        float on = rv_surface_goes_on(p, what.node, out->node, direction);
        wall *= 1.0f - rv_surface_clings(p, what.node, out->node, direction);
        if (what.node < w->slots)
            wall *= 1.0f - rv_runs_down(w->normals[3 * (size_t)w->vertex[what.node] + 2]);
        back *= 1.0f + on * (1.0f - 2.0f * w->line[vertex - w->band[0].vertices].t);
    }
    begin_contact(c, at[0] + wall * (w->cell_x[out->x] - back * x - at[0]),
                  at[1] + wall * (w->cell_y[out->y] - back * y - at[1]), 1.0f + wall,
                  16 * out->node + what.with % RV_DIRECTIONS);
}

// Of an extra node, by its first column and where it is from there.
static uint32_t key_of(const rv_surface_work *w, const rv_node_record *n)
{
    uint32_t first = RV_NO_NODE;
    int direction = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++)
        if (n->link[d] < w->slots && n->link[d] < first)
            first = n->link[d], direction = rv_opposite(d);
    return 16 * first + RV_DIRECTIONS + (uint32_t)direction;
}

static void begin_wall(const rv_spread *s, rv_contact *c, const rv_node_record *n)
{
    const rv_surface_work *w = s->w;
    float x = 0.0f, y = 0.0f;
    int count = 0;
    for (unsigned wet = n->wet; wet; wet &= wet - 1, count++) {
        int d = __builtin_ctz(wet);
        x += (float)rv_step_x(d), y += (float)rv_step_y(d);
    }
    float half = count > 0 ? 0.5f * s->p->dx / (float)count : 0.0f;
    begin_contact(c, w->cell_x[n->x] + half * x, w->cell_y[n->y] + half * y, 2.0f, key_of(w, n));
}

// Dry columns of a row that are drawn.
static void begin_dry(const rv_spread *s, const rv_surface_row *row)
{
    const rv_surface_work *w = s->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        const rv_node_record *n = &w->records[i];
        if (w->kind[n->node] != RV_NODE_DRY || !w->inside[n->node]) continue;
        uint32_t vertex = w->vertex[n->node];
        begin_contact(rv_contact_of(s, vertex), w->cell_x[n->x], w->cell_y[n->y], 1.0f,
                      16 * n->node + RV_DIRECTIONS);
        s->m->near[n->node] = RV_NEAR, s->m->nearest[n->node] = vertex;
    }
}

// Marks columns that are linked to other planes.
static void mark_across(const rv_spread *s, const rv_surface_row *row, ptrdiff_t pitch)
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
    const rv_spread *s = context;
    const rv_surface_work *w = s->w;
    const rv_surface_band *band = rv_spread_band(s, task);
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            if (row->x1 <= row->x0) continue;
            memset(s->m->near + row->first, 0, (size_t)(row->x1 - row->x0));
            if (w->planes > 1) mark_across(s, row, s->p->in->columns->plane[l].pitch);
            if (s->p->in->edge || row->vertex_count == 0) continue;
            memset(rv_contact_of(s, row->vertices), 0, row->vertex_count * sizeof(rv_contact));
            begin_dry(s, row);
        }
    }
    for (uint32_t i = 0; i < band->fresh_count; i++) {
        rv_fresh_vertex what = w->fresh[band->fresh + i];
        rv_contact *c = rv_contact_of(s, band->vertices + i);
        if (what.with < RV_TOP)
            begin_end(s, c, what, band->vertices + i);
        else if (what.with == RV_NO_NODE && w->kind[what.node] == RV_NODE_WALL)
            begin_wall(s, c, &w->records[w->record[what.node]]);
        else
            c->kind = 0.0f, c->last = RV_NO_NODE; // lips, and curtains
    }
}

// ---- Lines --------------------------------------------------------------------------------------

// A column or a lip in one triangle with a contact begins with it, if there is none nearer.
static void seed(const rv_spread *s, uint32_t name, uint32_t vertex, uint32_t contact)
{
    rv_meniscus *m = s->m;
    bool lip = name & RV_FRESH;
    uint32_t *nearest = lip ? &rv_contact_of(s, vertex)->last : &m->nearest[name];
    if (lip ? *nearest != RV_NO_NODE : m->near[name] & RV_NEAR) {
        const float *at = s->w->positions + 3 * (size_t)vertex;
        float old = rv_square_to(rv_contact_of(s, *nearest), at[0], at[1]);
        float new = rv_square_to(rv_contact_of(s, contact), at[0], at[1]);
        if (new > old || (new == old &&rv_contact_key(s, contact) >= rv_contact_key(s, *nearest)))
            return;
    }
    *nearest = contact;
    if (!lip) m->near[name] = RV_NEAR;
}

// Where lines meet in a point there are several.
static void join(const rv_spread *s, uint32_t *beside, uint32_t contact)
{
    if (*beside == RV_NO_NODE || rv_contact_key(s, contact) > rv_contact_key(s, *beside))
        *beside = contact;
}

static void join_band(void *context, int task)
{
    const rv_spread *s = context;
    const rv_surface_work *w = s->w;
    const rv_surface_band *band = rv_spread_band(s, task);
    const uint32_t *name = w->loose + 3 * (size_t)band->loose;
    const uint32_t *number = w->indices + 3 * (size_t)band->triangles;
    for (uint32_t i = 0; i < band->loose_count; i++, name += 3, number += 3) {
        bool is[3];
        for (int k = 0; k < 3; k++) is[k] = rv_is_contact(s, number[k]);
        if (!(is[0] | is[1] | is[2])) continue;
        for (int k = 0; k < 3; k++) {
            int next = (k + 1) % 3;
            // the solid is on its right
            if (is[k] && is[next]) {
                join(s, &rv_contact_of(s, number[k])->next, number[next]);
                join(s, &rv_contact_of(s, number[next])->last, number[k]);
            }
            if (is[k]) continue;
            for (int o = 0; o < 3; o++)
                if (is[o]) seed(s, name[k], number[k], number[o]);
        }
    }
}

// Makes a direction unit; without any, of no length.
static void make_unit(rv_contact *c)
{
    float length = sqrtf(c->to_x * c->to_x + c->to_y * c->to_y);
    float per = length > 1e-12f ? 1.0f / length : 0.0f;
    c->to_x *= per, c->to_y *= per;
}

// The contact beside one on its line that is some cells away, of the next few. Those too near do
// not tell of the line's direction: where it passes a node, three may stand within some hundredths
// of a cell.
static uint32_t beside_on_line(const rv_spread *s, uint32_t vertex, bool on, float cells, int most)
{
    const rv_contact *c = rv_contact_of(s, vertex);
    uint32_t other = on ? c->next : c->last;
    for (int k = 0; k < most && other != RV_NO_NODE; k++) {
        const rv_contact *o = rv_contact_of(s, other);
        float x = o->at_x - c->at_x, y = o->at_y - c->at_y, least = cells * s->p->dx;
        uint32_t beyond = on ? o->next : o->last;
        if (x * x + y * y >= least * least || beyond == RV_NO_NODE || beyond == vertex) break;
        other = beyond;
    }
    return other;
}

// Across the line between the contacts beside it, or between farther ones.
static void direct(const rv_spread *s, rv_contact *c, uint32_t vertex, const rv_contact *a,
                   const rv_contact *b)
{
    if (s->p->in->bends) {
        uint32_t before = beside_on_line(s, vertex, false, ALONG_LINE, 9);
        uint32_t after = beside_on_line(s, vertex, true, ALONG_LINE, 9);
        if (before != RV_NO_NODE && after != RV_NO_NODE)
            a = rv_contact_of(s, before), b = rv_contact_of(s, after);
    }
    c->to_x = b->at_y - a->at_y, c->to_y = a->at_x - b->at_x;
}

// Direction and place, from the line; x, y: the way from the liquid, where that does not tell.
static void lay_on_line(const rv_spread *s, rv_contact *c, uint32_t vertex, float x, float y)
{
    c->before = beside_on_line(s, vertex, false, NEAR_ON_LINE, 3);
    c->after = beside_on_line(s, vertex, true, NEAR_ON_LINE, 3);
    const rv_contact *a = c->before != RV_NO_NODE ? rv_contact_of(s, c->before) : c;
    const rv_contact *b = c->after != RV_NO_NODE ? rv_contact_of(s, c->after) : c;
    direct(s, c, vertex, a, b);
    float least = 1e-3f * s->p->dx;
    if (!(c->to_x * x + c->to_y * y > least * least)) c->to_x = x, c->to_y = y;
    make_unit(c);
    if (a == c || b == c) return;
    float share = 0.5f * (c->kind - 1.0f);
    c->x += share * (0.5f * (a->at_x + b->at_x) - c->at_x);
    c->y += share * (0.5f * (a->at_y + b->at_y) - c->at_y);
}

static void settle_fresh(const rv_spread *s, rv_fresh_vertex what, uint32_t vertex)
{
    const rv_surface_work *w = s->w;
    rv_contact *c = rv_contact_of(s, vertex);
    if (what.with < RV_TOP) {
        int direction = rv_opposite((int)(what.with % RV_DIRECTIONS));
        lay_on_line(s, c, vertex, (float)rv_step_x(direction), (float)rv_step_y(direction));
        tilt_end(s, c, what.node, w->records[what.with / RV_DIRECTIONS].node, direction);
    } else {
        point_away(c, &w->records[w->record[what.node]]);
        lay_on_line(s, c, vertex, c->to_x, c->to_y);
        c->tilt = HALF_PI - s->alpha;
    }
    bool seen = what.with >= RV_TOP || c->kind < 1.5f || what.node >= w->slots;
    c->rest = rest_of(s, c, seen ? vertex : w->vertex[what.node]);
}

static void settle_dry(const rv_spread *s, const rv_surface_row *row)
{
    const rv_surface_work *w = s->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        const rv_node_record *n = &w->records[i];
        if (w->kind[n->node] != RV_NODE_DRY || !w->inside[n->node]) continue;
        rv_contact *c = rv_contact_of(s, w->vertex[n->node]);
        c->before = c->last, c->after = c->next;
        point_away(c, n); // lines of whole cells are saws: what is beside it has a say
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            uint32_t o = n->link[d];
            if (o < w->slots && w->kind[o] == RV_NODE_DRY) point_away(c, &w->records[w->record[o]]);
        }
        make_unit(c);
        tilt_dry(s, c, n);
        c->rest = rest_of(s, c, w->vertex[n->node]);
    }
}

static void settle_band(void *context, int task)
{
    const rv_spread *s = context;
    const rv_surface_band *band = rv_spread_band(s, task);
    for (uint32_t i = 0; i < band->fresh_count; i++)
        if (rv_is_contact(s, band->vertices + i))
            settle_fresh(s, s->w->fresh[band->fresh + i], band->vertices + i);
    for (int y = band->y0; y < band->y1 && !s->p->in->edge; y++)
        for (int l = 0; l < s->w->planes; l++) settle_dry(s, rv_row_of(s->w, y, l));
}

// ---- Along lines --------------------------------------------------------------------------------

static const rv_contact *step_on(const rv_spread *s, const rv_contact *c, bool on)
{
    uint32_t other = on ? c->after : c->before;
    return other != RV_NO_NODE ? rv_contact_of(s, other) : c;
}

// Where the surface bends of itself, what is left differs from column to column: a mean over the
// contacts beside it on the line.
static void even_out(const rv_spread *s, rv_contact *c)
{
    c->tilt = c->rest;
    if (!s->p->in->bends) return;
    float sum = (float)EVEN_OVER * c->rest;
    for (int on = 0; on < 2; on++) {
        const rv_contact *o = c;
        for (int k = EVEN_OVER - 1; k > 0; k--) o = step_on(s, o, on), sum += (float)k * o->rest;
    }
    c->tilt = sum * (1.0f / (float)(EVEN_OVER * EVEN_OVER));
}

static void even_band(void *context, int task)
{
    const rv_spread *s = context;
    const rv_surface_work *w = s->w;
    const rv_surface_band *band = rv_spread_band(s, task);
    for (uint32_t i = band->vertices; i < band->vertices + band->fresh_count; i++) {
        if (!rv_is_contact(s, i)) continue;
        rv_contact *c = rv_contact_of(s, i);
        even_out(s, c);
        rv_set_field(s, i, 0.0f, c->to_x, c->to_y, c->tilt);
    }
    const rv_surface_row *first = rv_row_of(w, band->y0, 0), *last = rv_row_of(w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last && !s->p->in->edge; row++)
        for (uint32_t i = row->vertices; i < row->vertices + row->vertex_count; i++)
            if (rv_is_contact(s, i)) even_out(s, rv_contact_of(s, i));
}

// ---- All of it ----------------------------------------------------------------------------------

// A band writes to vertices and columns of the rows beside it: every second one at a time.
static void join_bands(rv_spread *s)
{
    s->step = 2;
    for (s->first = 0; s->first < 2; s->first++)
        rv_parallel_for(s->w->pool, (s->w->bands + 1 - s->first) / 2, join_band, s);
    s->first = 0, s->step = 1;
}

void rv_meniscus_find_contacts(rv_spread *s)
{
    rv_parallel_for(s->w->pool, s->w->bands + 1, begin_band, s);
    join_bands(s);
    rv_parallel_for(s->w->pool, s->w->bands, settle_band, s);
    rv_parallel_for(s->w->pool, s->w->bands, even_band, s);
}
