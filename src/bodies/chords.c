// What bodies displace: each is cut into vertical chords, a few to a cell, and each chord into what
// lies in the void of each column. The area that a chord stands for is such that all chords of a
// body have its volume.
#include "bodies/bodies.h"

#include "base/memory.h"

#include <string.h>

// A body gets about so many chords across its narrow side; more bring its draught no nearer to
// Archimedes'.
#define CHORDS_ACROSS 12
#define CHORDS_LEAST 2 // in a cell, each way
#define CHORDS_MOST 16

// The vertical line at (x, y) from the body's middle; heights are from there too.
static bool chord_at(const rv_body *body, const rv_mat3 *turn, double x, double y, double *low,
                     double *high)
{
    if (body->def.shape == RV_BODY_SPHERE) {
        double square = body->def.radius * body->def.radius - x * x - y * y;
        if (!(square > 0)) return false;
        *high = sqrt(square), *low = -*high;
        return true;
    }
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

static bool add_cover(rv_bodies *bodies, int body, int plane, size_t slot, const cell_chords *cell,
                      double base, double ceiling)
{
    int first = bodies->chord_count;
    if (!rv_bodies_grow(bodies, &bodies->chord, &bodies->chord_room, first + cell->count,
                        sizeof *bodies->chord) ||
        !rv_bodies_grow(bodies, &bodies->cover, &bodies->cover_room, bodies->cover_count + 1,
                        sizeof *bodies->cover))
        return false;
    for (int k = 0; k < cell->count; k++) {
        rv_chord c = cell->chord[k];
        c.low = fmax(c.low, base), c.high = fmin(c.high, ceiling);
        if (c.high > c.low) bodies->chord[bodies->chord_count++] = c;
    }
    int count = bodies->chord_count - first;
    if (count == 0) return true;
    bodies->cover[bodies->cover_count] = (rv_cover){.body = body,
                                                    .x = cell->x,
                                                    .y = cell->y,
                                                    .plane = plane,
                                                    .slot = slot,
                                                    .first = first,
                                                    .count = count,
                                                    .next = bodies->first_cover[slot] - 1};
    bodies->first_cover[slot] = ++bodies->cover_count;
    bodies->work[body].covers++;
    return true;
}

// The columns of a cell whose liquid comes up to the body, or did.
static bool cover_cell(rv_bodies *bodies, int body, const rv_column_set *set,
                       const rv_body_liquid *liquid, const cell_chords *cell)
{
    const rv_body_work *w = &bodies->work[body];
    double least = bodies->body[body].afloat ? bodies->body[body].ambient : -INFINITY;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *plane = &set->plane[l];
        if (!rv_plane_has(plane, cell->x, cell->y)) continue;
        size_t slot = rv_slot(plane, cell->x, cell->y);
        if (!rv_column_exists(set, slot) || !((double)liquid->depth[slot] > liquid->film)) continue;
        double base = (double)set->base[slot], ceiling = (double)set->max[slot];
        double level = fmax(base + (double)liquid->depth[slot], least);
        if (base >= w->high || ceiling <= w->low || level <= w->low) continue;
        if (!add_cover(bodies, body, l, slot, cell, base, ceiling)) return false;
    }
    return true;
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

static bool in_grid(const rv_grid *g, int x, int y)
{
    return x >= 0 && x < g->nx && y >= 0 && y < g->ny;
}

// A body too small for any chord is one of its own.
static bool cover_point(rv_bodies *bodies, int index, const rv_column_set *set,
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
    return !in_grid(&set->grid, cell->x, cell->y) || cover_cell(bodies, index, set, liquid, cell);
}

static bool cover_body(rv_bodies *bodies, int index, const rv_column_set *set,
                       const rv_body_liquid *liquid)
{
    const rv_body *body = &bodies->body[index];
    const rv_grid *g = &set->grid;
    rv_body_work *w = &bodies->work[index];
    rv_vec3 e = extents(body, &w->turn), at = body->state.at;
    w->low = at.z - e.z, w->high = at.z + e.z;
    w->cells =
        (rv_rect){cell_of(at.x - e.x, g->x0, g->dx), cell_of(at.y - e.y, g->y0, g->dx),
                  cell_of(at.x + e.x, g->x0, g->dx) + 1, cell_of(at.y + e.y, g->y0, g->dx) + 1};
    if (w->cells.x0 >= g->nx || w->cells.y0 >= g->ny || w->cells.x1 <= 0 || w->cells.y1 <= 0)
        return true;
    double across = ceil(CHORDS_ACROSS * g->dx / (2 * fmin(e.x, e.y)));
    int n = (int)fmin(fmax(across, CHORDS_LEAST), CHORDS_MOST);
    double sum = 0;
    cell_chords cell;
    // cells outside the grid count for the volume, which part of a body outside it keeps
    for (cell.y = w->cells.y0; cell.y < w->cells.y1; cell.y++)
        for (cell.x = w->cells.x0; cell.x < w->cells.x1; cell.x++) {
            sum += cut_cell(body, &w->turn, g, n, &cell);
            if (cell.count > 0 && in_grid(g, cell.x, cell.y) &&
                !cover_cell(bodies, index, set, liquid, &cell))
                return false;
        }
    if (!(sum > 0)) return cover_point(bodies, index, set, liquid, &cell);
    w->sample = body->volume / sum;
    return true;
}

// ---- All bodies ---------------------------------------------------------------------------------

// Room by slot, and nothing in it.
static bool clear(rv_bodies *bodies, size_t slots)
{
    const rv_allocator *a = &bodies->allocator;
    if (bodies->slots == slots) {
        for (int k = 0; k < bodies->cover_count; k++) {
            bodies->first_cover[bodies->cover[k].slot] = 0;
            bodies->head[bodies->cover[k].slot] = 0;
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
    bodies->cover_count = bodies->chord_count = 0;
    bodies->pressed = (rv_rect){0, 0, 0, 0};
    return bodies->slots == slots;
}

bool rv_bodies_cover(rv_bodies *bodies, const rv_column_set *columns, const rv_body_liquid *liquid)
{
    if (!clear(bodies, columns->slots)) return false;
    for (int i = 0; i < bodies->count; i++) {
        bodies->work[i].covers = 0;
        if (bodies->work[i].here && !cover_body(bodies, i, columns, liquid)) return false;
    }
    for (int k = 0; k < bodies->cover_count; k++) {
        const rv_cover *c = &bodies->cover[k];
        bodies->pressed = rv_rect_join(bodies->pressed, (rv_rect){c->x, c->y, c->x + 1, c->y + 1});
    }
    return true;
}
