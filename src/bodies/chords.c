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

// The vertical line through a box at (x, y) from its middle; heights are from there too.
static bool chord_at(const rv_body *body, const rv_mat3 *turn, double x, double y, double *low,
                     double *high)
{
    rv_vec3 from = rv_apply_back(turn, (rv_vec3){x, y, 0}), up = turn->row[2];
    const double p[3] = {from.x, from.y, from.z}, d[3] = {up.x, up.y, up.z};
    const double half[3] = {body->half.x, body->half.y, body->half.z};
    *low = -INFINITY, *high = INFINITY;
    for (int a = 0; a < 3; a++) {
        if (fabs(d[a]) < 1e-12) {
            if (fabs(p[a]) >= half[a]) return false;
            continue;
        }
        double one = (-half[a] - p[a]) / d[a], two = (half[a] - p[a]) / d[a];
        *low = fmax(*low, fmin(one, two)), *high = fmin(*high, fmax(one, two));
    }
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
    rv_chord chord[CHORDS_MOST * CHORDS_MOST];
} cell_chords;

static void add_cover(rv_bodies *bodies, int body, int plane, size_t slot, const cell_chords *cell,
                      double base, double ceiling, double sure)
{
    rv_body_work *w = &bodies->work[body];
    rv_chord *chord = bodies->chord + w->chords;
    double low = INFINITY, high = -INFINITY, length = 0;
    int inside = 0;
    for (int k = 0; k < cell->count; k++) {
        rv_chord c = cell->chord[k];
        if (c.low < base) c.low = base;
        if (c.high > ceiling) c.high = ceiling;
        if (!(c.high > c.low)) continue;
        if (c.low < low) low = c.low;
        if (c.high > high) high = c.high;
        length += c.high - c.low, inside++;
        *chord++ = c;
    }
    if (inside == 0) return;
    // of a sphere under water it matters only how much it displaces
    bool whole = high < sure && bodies->body[body].def.shape == RV_BODY_SPHERE;
    int count = whole ? 0 : inside;
    bodies->cover[w->first + w->covers++] = (rv_cover){.body = body,
                                                       .x = cell->x,
                                                       .y = cell->y,
                                                       .plane = plane,
                                                       .slot = slot,
                                                       .first = w->chords,
                                                       .count = count,
                                                       .low = low,
                                                       .high = high,
                                                       .length = length,
                                                       .next = -1};
    w->chords += count;
}

// The columns of a cell whose liquid comes up to the body, or did.
static void cover_cell(rv_bodies *bodies, int body, const rv_column_set *set,
                       const rv_body_liquid *liquid, const cell_chords *cell)
{
    const rv_body_work *w = &bodies->work[body];
    bool afloat = bodies->body[body].afloat;
    double ambient = bodies->body[body].ambient;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *plane = &set->plane[l];
        if (!rv_plane_has(plane, cell->x, cell->y)) continue;
        size_t slot = rv_slot(plane, cell->x, cell->y);
        if (!rv_column_exists(set, slot) || !((double)liquid->depth[slot] > liquid->film)) continue;
        double base = (double)set->base[slot], ceiling = (double)set->max[slot];
        double level = base + (double)liquid->depth[slot];
        if (base >= w->high || ceiling <= w->low) continue;
        if (level <= w->low && !(afloat && ambient > w->low)) continue;
        double sure = afloat ? fmin(level, ambient) : -INFINITY;
        add_cover(bodies, body, l, slot, cell, base, ceiling, sure);
    }
}

// The chords of one cell; returns the sum of their lengths.
static double cut_cell(const rv_body *body, const rv_mat3 *turn, const rv_grid *g, int n,
                       cell_chords *cell)
{
    rv_vec3 at = body->state.at;
    double sum = 0;
    cell->count = 0;
    for (int j = 0; j < n; j++) {
        double y = g->y0 + (cell->y + (j + 0.5) / n) * g->dx - at.y;
        for (int i = 0; i < n; i++) {
            double x = g->x0 + (cell->x + (i + 0.5) / n) * g->dx - at.x, low, high;
            if (!chord_at(body, turn, x, y, &low, &high)) continue;
            sum += high - low;
            cell->chord[cell->count++] = (rv_chord){at.z + low, at.z + high, (float)x, (float)y};
        }
    }
    return sum;
}

// The same of a sphere, which most bodies are.
static double cut_cell_round(const rv_body *body, const rv_grid *g, int n, cell_chords *cell)
{
    rv_vec3 at = body->state.at;
    double step = g->dx / n, left = g->x0 + cell->x * g->dx + 0.5 * step - at.x;
    double low = g->y0 + cell->y * g->dx + 0.5 * step - at.y, sum = 0;
    double square = body->def.radius * body->def.radius;
    int count = 0;
    for (int j = 0; j < n; j++) {
        double y = low + j * step, rest = square - y * y;
        for (int i = 0; i < n; i++) {
            double x = left + i * step, left_over = rest - x * x;
            if (!(left_over > 0)) continue;
            double half = sqrt(left_over);
            sum += half;
            cell->chord[count++] = (rv_chord){at.z - half, at.z + half, (float)x, (float)y};
        }
    }
    cell->count = count;
    return 2 * sum;
}

static bool in_grid(const rv_grid *g, int x, int y)
{
    return x >= 0 && x < g->nx && y >= 0 && y < g->ny;
}

// A body too small for any chord is one of its own.
static void cover_point(rv_bodies *bodies, int index, const rv_column_set *set,
                        const rv_body_liquid *liquid, cell_chords *cell)
{
    const rv_body *body = &bodies->body[index];
    rv_vec3 at = body->state.at;
    double length = 4.0 / 3.0 * body->round;
    cell->x = cell_of(at.x, set->grid.x0, set->grid.dx);
    cell->y = cell_of(at.y, set->grid.y0, set->grid.dx);
    cell->count = 1;
    cell->chord[0] = (rv_chord){at.z - 0.5 * length, at.z + 0.5 * length, 0, 0};
    bodies->work[index].sample = body->volume / length;
    if (in_grid(&set->grid, cell->x, cell->y)) cover_cell(bodies, index, set, liquid, cell);
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
    double across = ceil(CHORDS_ACROSS * g->dx / (2 * fmin(e.x, e.y)));
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

static void cover_body(void *context, int index)
{
    const task *t = context;
    const rv_grid *g = &t->set->grid;
    const rv_body *body = &t->bodies->body[index];
    rv_body_work *w = &t->bodies->work[index];
    double sum = 0;
    cell_chords cell;
    w->covers = 0;
    if (!w->here || w->across == 0) return;
    // cells outside the grid count for the volume, which part of a body outside it keeps
    for (cell.y = w->cells.y0; cell.y < w->cells.y1; cell.y++)
        for (cell.x = w->cells.x0; cell.x < w->cells.x1; cell.x++) {
            sum += body->def.shape == RV_BODY_SPHERE
                       ? cut_cell_round(body, g, w->across, &cell)
                       : cut_cell(body, &w->turn, g, w->across, &cell);
            if (cell.count > 0 && in_grid(g, cell.x, cell.y))
                cover_cell(t->bodies, index, t->set, t->liquid, &cell);
        }
    if (sum > 0)
        w->sample = body->volume / sum;
    else
        cover_point(t->bodies, index, t->set, t->liquid, &cell);
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
    if (!rv_bodies_grow(bodies, &bodies->link, &bodies->link_room, all, sizeof *bodies->link))
        return false;
    for (int i = 0; i < bodies->count; i++) {
        const rv_body_work *w = &bodies->work[i];
        for (int k = w->first; k < w->first + w->covers; k++) {
            rv_cover *c = &bodies->cover[k];
            int *first = &bodies->first_cover[c->slot];
            c->next = *first - 1;
            if (*first == 0) bodies->link[bodies->linked++] = c->slot;
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
        if (bodies->work[i].here && !reserve(bodies, i, columns)) return false;
    }
    if (!rv_bodies_grow(bodies, &bodies->cover, &bodies->cover_room, bodies->cover_count,
                        sizeof *bodies->cover) ||
        !rv_bodies_grow(bodies, &bodies->chord, &bodies->chord_room, bodies->chord_count,
                        sizeof *bodies->chord))
        return false;
    task t = {bodies, columns, liquid};
    rv_bodies_for_each(bodies, cover_body, &t);
    return link_covers(bodies);
}
