// What the world gives to columns and takes from them: depth, pushes, and what droplets take along.
#include "columns/columns.h"

#include <math.h>

// What a column has when something was added to it.
static float depth_with(const rv_engine *s, size_t slot, double depth)
{
    float before = s->depth[slot];
    float after = (float)((double)before + depth);
    float cap = rv_cap(s, (uint32_t)slot);
    if (!(after > 0.0f)) after = 0.0f;
    if (after > cap) after = before > cap ? before : cap;
    return after;
}

double rv_pipes_add(rv_engine *s, size_t slot, double depth)
{
    if (slot >= s->slots || !rv_column_exists(s->columns, slot)) return 0.0;
    float before = s->depth[slot], after = depth_with(s, slot, depth);
    s->depth[slot] = after;
    rv_pipes_touch(s, (uint32_t)slot);
    if (after != before) rv_rest_stir(s, s->touched, (uint32_t)slot);
    return (double)after - (double)before;
}

// ---- Filling ------------------------------------------------------------------------------------

#define PIECE 256 // columns

typedef struct filling {
    rv_engine *s;
    rv_fill_row *more;
    const void *user;
} filling;

static void fill_row(void *context, int task)
{
    const filling *f = context;
    rv_engine *s = f->s;
    const rv_pipe_row *row = &s->row[task];
    int count = (int)row->count, x0 = s->columns->plane[row->plane].x0;
    for (int x = 0; x < count; x += PIECE) {
        double more[PIECE];
        int n = count - x < PIECE ? count - x : PIECE;
        size_t first = row->first + (size_t)x;
        f->more(f->user, row->plane, x0 + x, row->y, n, s->depth + first, more);
        for (int i = 0; i < n; i++)
            if (more[i] > 0 && rv_column_exists(s->columns, first + (size_t)i))
                s->depth[first + (size_t)i] = depth_with(s, first + (size_t)i, more[i]);
    }
}

void rv_pipes_fill(rv_engine *s, rv_fill_row *more, const void *user)
{
    filling f = {s, more, user};
    rv_parallel_for(s->pool, (int)s->row_count, fill_row, &f);
}

// ---- Pushing ------------------------------------------------------------------------------------

// Share of a push on a column that 004's viscosity quotient leaves, as of a pressure. What is lost
// the bed takes.
static double left_of(const rv_engine *s, size_t slot, double push, double seconds)
{
    const rv_params *p = &s->params;
    double depth = fmax((double)s->depth[slot], p->pipes_film);
    double pressure = p->liquid_density * push / (seconds * p->grid_dx * fmax(depth, 1e-9));
    double lost = rv_quotient_of(p, pressure);
    if (lost > 1.0 / 3 && !p->pipes_quotient_holds) return 2.0 / 3 * sqrt(1.0 / 3 / lost);
    return fmax(1 - lost, 0);
}

static bool push(rv_engine *s, const rv_entry *e, double amount)
{
    double x = e->x * amount, y = e->y * amount;
    if (e->seconds > 0 && s->params.pipes_quotient > 0) {
        double left = left_of(s, e->slot, hypot(x, y), e->seconds);
        x *= left, y *= left;
    }
    return e->asks ? rv_pipes_can_push(s, e->slot, x, y) : rv_pipes_push(s, e->slot, x, y);
}

// Droplets take the kinetic energy with which they leave from the flow that lifts the column.
static double throw_from(rv_engine *s, const rv_entry *e)
{
    double area = s->params.grid_dx * s->params.grid_dx;
    double energy = rv_pipes_calm(s, e->slot, 1);
    double volume = fmin(e->amount, e->share * energy / e->energy);
    if (!(volume >= e->least)) return 0;
    volume = -rv_pipes_add(s, e->slot, -volume / area) * area;
    rv_pipes_calm(s, e->slot, sqrt(fmax(1 - e->energy * volume / energy, 0)));
    return volume;
}

void rv_pipes_exchange(rv_engine *s, rv_entry *entries, int count)
{
    double owed = 0;
    for (rv_entry *e = entries; e < entries + count; e++) {
        if (e->kind == RV_ENTRY_ADD) {
            e->done = rv_pipes_add(s, e->slot, e->amount);
            if (e->still) rv_pipes_dilute(s, e->slot, e->done);
        } else if (e->kind == RV_ENTRY_THROW) {
            e->done = throw_from(s, e);
        } else {
            double amount = owed + e->amount;
            e->done = push(s, e, amount) ? 0 : amount;
            owed = e->hands_on ? e->done : 0;
        }
    }
}

// ---- A rod --------------------------------------------------------------------------------------

// Distance of a point to the way of the rod, seen from above.
static double distance_to_way(const rv_solver_rod *rod, double x, double y)
{
    double ax = rod->to.x - rod->from.x, ay = rod->to.y - rod->from.y;
    double px = x - rod->from.x, py = y - rod->from.y, length = ax * ax + ay * ay;
    double t = length > 0 ? fmin(fmax((px * ax + py * ay) / length, 0), 1) : 0;
    return hypot(px - t * ax, py - t * ay);
}

// The cells that a rod may reach.
static rv_rect cells_of(const rv_grid *g, const rv_solver_rod *rod)
{
    double dx = g->dx, r = rod->radius;
    double x0 = fmin(rod->from.x, rod->to.x) - r, x1 = fmax(rod->from.x, rod->to.x) + r;
    double y0 = fmin(rod->from.y, rod->to.y) - r, y1 = fmax(rod->from.y, rod->to.y) + r;
    return (rv_rect){(int)fmin(fmax((x0 - g->x0) / dx - 1, 0), g->nx),
                     (int)fmin(fmax((y0 - g->y0) / dx - 1, 0), g->ny),
                     (int)fmin(fmax((x1 - g->x0) / dx + 1, 0), g->nx),
                     (int)fmin(fmax((y1 - g->y0) / dx + 1, 0), g->ny)};
}

rv_rect rv_pipes_rod_cells(const rv_engine *s, const rv_solver_rod *rod)
{
    return cells_of(&s->columns->grid, rod);
}

// Columns have no rod in them: those that it passes take on its velocity, fewer toward its rim.
void rv_pipes_stir_cells(rv_engine *s, const rv_solver_rod *rod)
{
    const rv_column_set *set = s->columns;
    const rv_params *p = &s->params;
    double dx = set->grid.dx, u = (rod->to.x - rod->from.x) / rod->seconds,
           v = (rod->to.y - rod->from.y) / rod->seconds;
    rv_rect cells = cells_of(&set->grid, rod);
    for (int y = cells.y0; y < cells.y1; y++) {
        for (int x = cells.x0; x < cells.x1; x++) {
            double far = distance_to_way(rod, rv_middle_x(p, x), rv_middle_y(p, y));
            int l = rv_columns_below(set, x, y, fmax(rod->from.z, rod->to.z));
            if (!(far < rod->radius) || l < 0) continue;
            size_t slot = rv_slot(&set->plane[l], x, y);
            double depth = (double)s->depth[slot], volume = depth * dx * dx;
            if (!(depth > p->pipes_film)) continue;
            double near = 1 - far * far / (rod->radius * rod->radius);
            float own[2];
            rv_pipes_velocity(s, slot, own);
            rv_pipes_push(s, slot, volume * near * (u - (double)own[0]),
                          volume * near * (v - (double)own[1]));
        }
    }
}

void rv_pipes_stir(rv_engine *s, const rv_solver_rod *rod)
{
    rv_pipes_stir_cells(s, rod);
    rv_pipes_changed(s);
}
