// What bodies do to the liquid (SPEC §6): heads that press on columns are added to levels wherever
// a pipe's ends are compared; pushes change fluxes.
//
// The liquid's momentum is ρ Σ f d over all pipes, f the flux and d the way from one column's
// middle to the other's: what flows through a pipe moves the middle of all liquid by f d a second.
// A push of impulse over density J along x shares J/dx among the pipes of the column along x.
#include "solvers/pipes/joints.h"

// Cells of one row of a plane that something presses on. A pipe belongs to the row of its low end.
bool rv_pipes_is_tank_row(const rv_solver *s, uint32_t r)
{
    if (s->eight || s->law.quotient > 0.0f) return true;
    if (!s->press) return false;
    const rv_pipe_row *row = &s->row[r];
    const rv_plane *plane = &s->columns->plane[row->plane];
    int y = plane->y0 + (int)((row->first - plane->offset) / (size_t)plane->pitch);
    return y + 1 >= s->pressed.y0 && y < s->pressed.y1;
}

// A pipe of a column on one side: where its flux stands, and the share of a push that it gets. 0:
// there is none.
typedef struct grip {
    float *flux;
    double share;
} grip;

static grip grip_of(rv_solver *s, uint32_t slot, rv_way way, bool high)
{
    uint32_t step = (uint32_t)rv_way_step(way, rv_plane_of(s->columns, slot)->pitch);
    uint32_t low = high ? slot : slot - step;
    const uint16_t *gaps = way == RV_WAY_X ? s->gaps_x : way == RV_WAY_Y ? s->gaps_y : NULL;
    if (rv_slope_of(s, way)[low])
        return (grip){&rv_flux_of(s, way)[low], rv_pipe_share(s, way, gaps ? gaps[low] : 0)};
    const rv_odd_column *column = s->has_odd[slot] ? rv_pipes_odd_column(s, slot) : NULL;
    for (uint32_t e = 0; column && e < column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[column->first + e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        if (entry->side == rv_side_of(way, high) && p->b != RV_NO_SLOT)
            return (grip){&s->odd_flux[entry->pipe], rv_pipe_share(s, way, p->gaps)};
    }
    return (grip){NULL, 0.0};
}

// One pipe that takes part in a push, and which way its flux counts.
typedef struct part {
    grip grip;
    double sign;
} part;

// The pipes that a push along an axis moves, at most six. Diagonals come in pairs, so that nothing
// is pushed across: both on the same side of the column.
static int parts_along(rv_solver *s, uint32_t slot, bool along_y, part out[6])
{
    int n = 0;
    for (int high = 0; high < 2; high++) {
        grip axial = grip_of(s, slot, along_y ? RV_WAY_Y : RV_WAY_X, high);
        if (axial.flux) out[n++] = (part){axial, 1.0};
        if (!s->eight) continue;
        // along x the pipe to the north-west runs backward: it is low where the other is high
        grip a = grip_of(s, slot, RV_WAY_NE, high);
        grip b = grip_of(s, slot, RV_WAY_NW, along_y ? high : !high);
        if (!a.flux || !b.flux) continue;
        out[n++] = (part){a, 1.0}, out[n++] = (part){b, along_y ? 1.0 : -1.0};
    }
    return n;
}

static void see(rv_solver *s, size_t i, size_t pitch)
{
    const float *ne = s->flux_ne + i, *nw = s->flux_nw + i;
    s->seen_x[i] = s->flux_x[i] + 0.5f * ((ne[0] - nw[1]) + (*(ne - pitch) - *(nw + 1 - pitch)));
    s->seen_y[i] = s->flux_y[i] + 0.5f * ((ne[0] + nw[1]) + (ne[-1] + nw[0]));
}

// Half of what flows through a diagonal pipe goes by way of each of the two cells beside it.
void rv_pipes_see(rv_solver *s)
{
    for (uint32_t r = 0; r < s->row_count; r++) {
        size_t pitch = (size_t)s->columns->plane[s->row[r].plane].pitch;
        for (size_t i = s->row[r].first; i < s->row[r].first + s->row[r].count; i++)
            see(s, i, pitch);
    }
}

// The faces around a column whose diagonals were changed.
static void see_around(rv_solver *s, uint32_t slot)
{
    const rv_plane *plane = rv_plane_of(s->columns, slot);
    rv_place at = rv_place_of(s->columns, slot);
    for (int y = at.y - 1; y <= at.y + 1; y++)
        for (int x = at.x - 1; x <= at.x + 1; x++)
            if (rv_plane_has(plane, x, y)) see(s, rv_slot(plane, x, y), (size_t)plane->pitch);
}

bool rv_pipes_push(rv_solver *s, size_t slot, double x, double y)
{
    if (slot >= s->slots || !rv_column_exists(s->columns, slot)) return false;
    if (!(s->depth[slot] > s->law.film)) return false;
    if (s->share_axial == 0.0) rv_pipes_set_law(s, s->params.time_step); // before the first substep
    const double push[2] = {x / s->params.grid_dx, y / s->params.grid_dx};
    part parts[2][6];
    int n[2];
    for (int k = 0; k < 2; k++) {
        n[k] = push[k] != 0.0 ? parts_along(s, (uint32_t)slot, k == 1, parts[k]) : 0;
        if (push[k] != 0.0 && n[k] == 0) return false;
    }
    for (int k = 0; k < 2; k++) {
        double all = 0.0;
        for (int i = 0; i < n[k]; i++) all += parts[k][i].grip.share;
        for (int i = 0; i < n[k]; i++) {
            const part *p = &parts[k][i];
            *p->grip.flux =
                (float)((double)*p->grip.flux + p->sign * push[k] * p->grip.share / all);
        }
    }
    if (s->eight) see_around(s, (uint32_t)slot);
    return true;
}
