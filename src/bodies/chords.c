// What bodies displace: each is cut into vertical chords, a few to a cell, and each chord into what
// lies in the void of each column. The area that a chord stands for is such that all chords of a
// body have its volume.
#include "bodies/bodies.h"

#include "base/memory.h"

#include <string.h>

// A body gets about so many chords across its narrow side; more bring its draught no nearer to
// Archimedes'.
#define CHORDS_ACROSS 8
#define CHORDS_LEAST 1 // in a cell, each way
#define CHORDS_MOST 16

// How the vertical line through a box at (x, y) from its middle is cut by the three pairs of its
// faces: between x·across + y·along ± half. Heights are from the middle too.
typedef struct faces {
    double across[3], along[3], half[3];
} faces;

static faces faces_of(const rv_body *body, const rv_mat3 *turn)
{
    const double *u = &turn->row[0].x, *v = &turn->row[1].x, *up = &turn->row[2].x;
    const double half[3] = {body->half.x, body->half.y, body->half.z};
    faces f;
    for (int a = 0; a < 3; a++) {
        // a face that stands upright cuts all of the line or, from the face itself on, nothing
        bool upright = fabs(up[a]) < 1e-12;
        double rise = upright ? 1e12 : 1 / up[a], inside = upright ? 1 - 1e-9 : 1;
        f.across[a] = -u[a] * rise, f.along[a] = -v[a] * rise;
        f.half[a] = inside * half[a] * fabs(rise);
    }
    return f;
}

static inline bool chord_at(const faces *f, double x, double y, double *low, double *high)
{
    double m0 = x * f->across[0] + y * f->along[0], m1 = x * f->across[1] + y * f->along[1];
    double m2 = x * f->across[2] + y * f->along[2];
    *low = rv_greater(rv_greater(m0 - f->half[0], m1 - f->half[1]), m2 - f->half[2]);
    *high = rv_lesser(rv_lesser(m0 + f->half[0], m1 + f->half[1]), m2 + f->half[2]);
    return *high > *low;
}

// Half of the box around a body.
static rv_vec3 extents(const rv_body *body, const rv_mat3 *turn)
{
    if (body->def.shape == RV_BODY_SPHERE) return body->half;
    rv_vec3 out;
    double *to = &out.x;
    for (int a = 0; a < 3; a++) {
        const rv_vec3 *r = &turn->row[a];
        to[a] = fabs(r->x) * body->half.x + fabs(r->y) * body->half.y + fabs(r->z) * body->half.z;
    }
    return out;
}

static int cell_of(double at, double low, double dx)
{
    return (int)fmin(fmax(floor((at - low) / dx), -1e8), 1e8);
}

// ---- Columns ------------------------------------------------------------------------------------

// Chords of one cell, before they are divided among its columns.
typedef struct cell_chords {
    int x, y, count;
    double low, high, length; // m, between which they are, and of all of them
    rv_chord *chord;          // they stand where the body's next ones go
} cell_chords;

static inline void begin_cell(cell_chords *cell)
{
    cell->count = 0, cell->length = 0;
    cell->low = INFINITY, cell->high = -INFINITY;
}

static inline void add_chord(cell_chords *cell, rv_chord c)
{
    cell->chord[cell->count++] = c;
    cell->low = rv_lesser(cell->low, c.low), cell->high = rv_greater(cell->high, c.high);
    cell->length += c.high - c.low;
}

// Only what lies in a column's void.
static void clip(const cell_chords *cell, double base, double ceiling, rv_chord *room,
                 cell_chords *out)
{
    out->chord = room;
    out->x = cell->x, out->y = cell->y;
    begin_cell(out);
    for (int k = 0; k < cell->count; k++) {
        rv_chord c = cell->chord[k];
        c.low = rv_greater(c.low, base), c.high = rv_lesser(c.high, ceiling);
        if (c.high > c.low) add_chord(out, c);
    }
}

// Where the covers of one body go, and what decides which there are.
typedef struct sheet {
    rv_cover *cover;
    rv_chord *chord; // all of them
    int covers, chords, body;
    double low, high, ambient; // m
    bool afloat, round;
} sheet;

static inline void add_cover(sheet *t, int plane, size_t slot, const cell_chords *cell, double sure)
{
    if (cell->count == 0) return;
    // of a sphere under water it matters only how much it displaces
    int count = t->round && cell->high < sure ? 0 : cell->count;
    rv_cover *c = &t->cover[t->covers++];
    c->low = cell->low, c->high = cell->high, c->length = cell->length;
    c->slot = (uint32_t)slot, c->body = t->body, c->next = -1;
    c->first = t->chords, c->count = (uint16_t)count, c->plane = (uint16_t)plane;
    rv_chord *to = t->chord + t->chords;
    if (cell->chord != to && count > 0) memcpy(to, cell->chord, (size_t)count * sizeof *to);
    t->chords += count;
}

// One column of a cell, if its liquid comes up to the body, or did.
static inline void cover_column(sheet *t, const rv_column_set *set, const rv_body_liquid *liquid,
                                const cell_chords *cell, int plane, size_t slot)
{
    double base = (double)set->base[slot], ceiling = (double)set->max[slot];
    double depth = (double)liquid->depth[slot], level = base + depth;
    if (!(ceiling > base) || !(depth > liquid->film)) return;
    if (base >= t->high || ceiling <= t->low) return;
    if (level <= t->low && !(t->afloat && t->ambient > t->low)) return;
    double sure = t->afloat ? rv_lesser(level, t->ambient) : -INFINITY;
    if (cell->low >= base && cell->high <= ceiling) {
        add_cover(t, plane, slot, cell, sure);
        return;
    }
    rv_chord room[CHORDS_MOST * CHORDS_MOST];
    cell_chords clipped;
    clip(cell, base, ceiling, room, &clipped);
    add_cover(t, plane, slot, &clipped, sure);
}

static inline void cover_cell(sheet *t, const rv_column_set *set, const rv_body_liquid *liquid,
                              const cell_chords *cell)
{
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *plane = &set->plane[l];
        if (rv_plane_has(plane, cell->x, cell->y))
            cover_column(t, set, liquid, cell, l, rv_slot(plane, cell->x, cell->y));
    }
}

// A body's middle seen from the grid, and the chords of a cell.
typedef struct knife {
    double x, y, z; // m, of the grid's low corner from the middle; height of the middle
    double dx, step, square;
    int n; // chords in a cell, each way
    faces faces;
} knife;

// The chords of one cell of a box.
static void cut_cell(const knife *f, cell_chords *cell)
{
    double left = f->x + cell->x * f->dx + 0.5 * f->step;
    double near = f->y + cell->y * f->dx + 0.5 * f->step;
    begin_cell(cell);
    for (int j = 0; j < f->n; j++) {
        double y = near + j * f->step;
        for (int i = 0; i < f->n; i++) {
            double x = left + i * f->step, low, high;
            if (!chord_at(&f->faces, x, y, &low, &high)) continue;
            add_chord(cell, (rv_chord){f->z + low, f->z + high, (float)x, (float)y});
        }
    }
}

// The same of a sphere, which most bodies are.
static inline void cut_cell_round(const knife *f, cell_chords *cell)
{
    double left = f->x + cell->x * f->dx + 0.5 * f->step;
    double near = f->y + cell->y * f->dx + 0.5 * f->step, longest = 0, sum = 0;
    int count = 0;
    for (int j = 0; j < f->n; j++) {
        double y = near + j * f->step, rest = f->square - y * y;
        for (int i = 0; i < f->n; i++) {
            double x = left + i * f->step, left_over = rest - x * x;
            if (!(left_over > 0)) continue;
            double half = sqrt(left_over);
            longest = rv_greater(longest, half), sum += half;
            cell->chord[count++] = (rv_chord){f->z - half, f->z + half, (float)x, (float)y};
        }
    }
    cell->count = count;
    cell->low = f->z - longest, cell->high = f->z + longest, cell->length = 2 * sum;
}

// Keeps of the cells [*x0, *x1) those that may have chords between `low` and `high` from the
// middle.
static void keep_between(const knife *f, double low, double high, int *x0, int *x1)
{
    double left = (low - f->x) / f->dx - 1, right = (high - f->x) / f->dx + 2;
    if (!(high >= low)) *x1 = *x0;
    if (left > *x0) *x0 = left < *x1 ? (int)left : *x1;
    if (right < *x1) *x1 = right > *x0 ? (int)right : *x0;
}

// Cells of a row that a sphere's chords can be in.
static void row_of_round(const knife *f, int y, int *x0, int *x1)
{
    double near = f->y + y * f->dx + 0.5 * f->step, far = near + (f->n - 1) * f->step;
    double off = near > 0 ? near : far < 0 ? far : 0, rest = f->square - off * off;
    double half = rest > 0 ? sqrt(rest) : -1;
    keep_between(f, -half, half, x0, x1);
}

// The same of a box: what two pairs of faces leave of the line overlaps where their middles are not
// farther apart than their halves.
static void row_of_box(const knife *f, int y, int *x0, int *x1)
{
    const faces *s = &f->faces;
    double near = f->y + y * f->dx, most = near + f->dx, low = -INFINITY, high = INFINITY;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        double slope = s->across[a] - s->across[b], half = s->half[a] + s->half[b];
        double one = (s->along[a] - s->along[b]) * near, two = (s->along[a] - s->along[b]) * most;
        if (!(fabs(slope) > 1e-9 * (fabs(s->across[a]) + fabs(s->across[b])) + 1e-30)) continue;
        double reach = half / fabs(slope);
        low = rv_greater(low, rv_lesser(-one / slope, -two / slope) - reach);
        high = rv_lesser(high, rv_greater(-one / slope, -two / slope) + reach);
    }
    keep_between(f, low, high, x0, x1);
}

static bool in_grid(const rv_grid *g, int x, int y)
{
    return x >= 0 && x < g->nx && y >= 0 && y < g->ny;
}

// A body too small for any chord is one of its own.
static void cover_point(sheet *t, const rv_body *body, const rv_column_set *set,
                        const rv_body_liquid *liquid, cell_chords *cell)
{
    rv_vec3 at = body->state.at;
    double length = 4.0 / 3.0 * body->round;
    cell->x = cell_of(at.x, set->grid.x0, set->grid.dx);
    cell->y = cell_of(at.y, set->grid.y0, set->grid.dx);
    cell->chord = t->chord + t->chords;
    begin_cell(cell);
    add_chord(cell, (rv_chord){at.z - 0.5 * length, at.z + 0.5 * length, 0, 0});
    if (in_grid(&set->grid, cell->x, cell->y)) cover_cell(t, set, liquid, cell);
}

// Which cells it may reach into, and room for all that it can need there.
static bool reserve(rv_bodies *bodies, int index, const rv_column_set *set)
{
    const rv_body *body = &bodies->body[index];
    const rv_grid *g = &set->grid;
    rv_body_work *w = &bodies->work[index];
    rv_vec3 e = extents(body, &w->turn), at = body->state.at;
    w->low = at.z - e.z, w->high = at.z + e.z;
    w->cells =
        (rv_rect){cell_of(at.x - e.x, g->x0, g->dx), cell_of(at.y - e.y, g->y0, g->dx),
                  cell_of(at.x + e.x, g->x0, g->dx) + 1, cell_of(at.y + e.y, g->y0, g->dx) + 1};
    w->first = bodies->cover_count, w->chords = bodies->chord_count;
    w->across = 0;
    if (w->cells.x0 >= g->nx || w->cells.y0 >= g->ny || w->cells.x1 <= 0 || w->cells.y1 <= 0)
        return true;
    double across = ceil(CHORDS_ACROSS * g->dx / (2 * fmin(e.x, e.y)) - 1e-9); // not by rounding
    int n = w->across = (int)fmin(fmax(across, CHORDS_LEAST), CHORDS_MOST);
    double most = (double)(w->cells.x1 - w->cells.x0) * (w->cells.y1 - w->cells.y0) * set->planes;
    if (!(bodies->chord_count + most * n * n < 1e8)) return false;
    bodies->cover_count += (int)most, bodies->chord_count += (int)most * n * n;
    return true;
}

typedef struct task {
    rv_bodies *bodies;
    const rv_column_set *set;
    const rv_body_liquid *liquid;
} task;

// All chords of a body; returns the sum of their lengths. Cells outside the grid count for the
// volume, which part of a body outside it keeps.
static double cut_body(const task *t, const rv_body_work *w, const knife *f, sheet *own,
                       cell_chords *cell)
{
    double sum = 0;
    for (cell->y = w->cells.y0; cell->y < w->cells.y1; cell->y++) {
        int x0 = w->cells.x0, x1 = w->cells.x1;
        if (own->round)
            row_of_round(f, cell->y, &x0, &x1);
        else
            row_of_box(f, cell->y, &x0, &x1);
        for (cell->x = x0; cell->x < x1; cell->x++) {
            cell->chord = own->chord + own->chords;
            if (own->round)
                cut_cell_round(f, cell);
            else
                cut_cell(f, cell);
            if (cell->count == 0) continue;
            sum += cell->length;
            if (in_grid(&t->set->grid, cell->x, cell->y)) cover_cell(own, t->set, t->liquid, cell);
        }
    }
    return sum;
}

static void cover_body(void *context, int index)
{
    const task *t = context;
    const rv_grid *g = &t->set->grid;
    const rv_body *body = &t->bodies->body[index];
    rv_body_work *w = &t->bodies->work[index];
    cell_chords cell;
    w->covers = 0;
    if (!w->here || w->across == 0) return;
    rv_vec3 at = body->state.at;
    knife f = {.x = g->x0 - at.x,
               .y = g->y0 - at.y,
               .z = at.z,
               .dx = g->dx,
               .step = g->dx / w->across,
               .square = body->def.radius * body->def.radius,
               .n = w->across,
               .faces = faces_of(body, &w->turn)};
    sheet own = {.cover = t->bodies->cover + w->first,
                 .chord = t->bodies->chord,
                 .chords = w->chords,
                 .body = index,
                 .low = w->low,
                 .high = w->high,
                 .ambient = body->ambient,
                 .afloat = body->afloat,
                 .round = body->def.shape == RV_BODY_SPHERE};
    double sum = cut_body(t, w, &f, &own, &cell);
    if (!(sum > 0)) {
        cover_point(&own, body, t->set, t->liquid, &cell);
        sum = cell.length;
    }
    w->covers = own.covers, w->chords = own.chords;
    w->sample = body->volume / sum, w->share = w->sample / (g->dx * g->dx);
}

// ---- All bodies ---------------------------------------------------------------------------------

// Room by slot, and nothing in it.
static bool clear(rv_bodies *bodies, size_t slots)
{
    const rv_allocator *a = &bodies->allocator;
    if (bodies->slots == slots) {
        for (int k = 0; k < bodies->linked; k++) {
            bodies->first_cover[bodies->link[k]] = 0;
            bodies->head[bodies->link[k]] = 0;
        }
    } else {
        rv_free(a, bodies->first_cover, bodies->slots, sizeof *bodies->first_cover);
        rv_free(a, bodies->head, bodies->slots, sizeof *bodies->head);
        bodies->first_cover = rv_new(a, slots, sizeof *bodies->first_cover);
        bodies->head = rv_new(a, slots, sizeof *bodies->head);
        bodies->slots = slots;
        if (!bodies->first_cover || !bodies->head) {
            rv_free(a, bodies->first_cover, slots, sizeof *bodies->first_cover);
            rv_free(a, bodies->head, slots, sizeof *bodies->head);
            bodies->first_cover = NULL, bodies->head = NULL, bodies->slots = 0;
        }
    }
    bodies->cover_count = bodies->chord_count = bodies->linked = 0;
    bodies->pressed = (rv_rect){0, 0, 0, 0};
    return bodies->slots == slots;
}

// Joins the covers of the same column, and lists the columns.
static bool link_covers(rv_bodies *bodies)
{
    int all = 0;
    for (int i = 0; i < bodies->count; i++) all += bodies->work[i].covers;
    if (!rv_array_grow(&bodies->allocator, &bodies->link, &bodies->link_room, all,
                       sizeof *bodies->link))
        return false;
    for (int i = 0; i < bodies->count; i++) {
        const rv_body_work *w = &bodies->work[i];
        for (int k = w->first; k < w->first + w->covers; k++) {
            rv_cover *c = &bodies->cover[k];
            int *first = &bodies->first_cover[c->slot];
            c->next = *first - 1;
            if (*first == 0)
                bodies->link[bodies->linked++] = c->slot;
            else
                bodies->work[i].meets = bodies->work[bodies->cover[c->next].body].meets = true;
            *first = k + 1;
        }
        if (w->covers > 0) bodies->pressed = rv_rect_join(bodies->pressed, w->cells);
    }
    return true;
}

bool rv_bodies_cover(rv_bodies *bodies, const rv_column_set *columns, const rv_body_liquid *liquid)
{
    if (!clear(bodies, columns->slots)) return false;
    for (int i = 0; i < bodies->count; i++) {
        bodies->work[i].covers = bodies->work[i].across = 0;
        bodies->work[i].meets = false;
        if (bodies->work[i].here && !reserve(bodies, i, columns)) return false;
    }
    if (!rv_array_grow(&bodies->allocator, &bodies->cover, &bodies->cover_room, bodies->cover_count,
                       sizeof *bodies->cover) ||
        !rv_array_grow(&bodies->allocator, &bodies->chord, &bodies->chord_room, bodies->chord_count,
                       sizeof *bodies->chord))
        return false;
    task t = {bodies, columns, liquid};
    rv_bodies_for_each(bodies, cover_body, &t);
    return link_covers(bodies);
}
