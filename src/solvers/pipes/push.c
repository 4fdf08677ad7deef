// What bodies do to the liquid (SPEC §6): heads that press on columns are added to levels wherever
// a pipe's ends are compared; pushes change fluxes.
//
// The liquid's momentum is ρ Σ f d over all pipes, f the flux and d the way from one column's
// middle to the other's: what flows through a pipe moves the middle of all liquid by f d a second.
// A push of impulse over density J along x shares J/dx among the pipes of the column along x.
#include "solvers/pipes/pipes.h"

// Cells of one row of a plane that something presses on. A pipe belongs to the row of its low end.
bool rv_pipes_is_tank_row(const rv_solver *s, uint32_t r)
{
    if (s->law.quotient > 0.0f) return true;
    if (!s->press) return false;
    const rv_pipe_row *row = &s->row[r];
    const rv_plane *plane = &s->columns->plane[row->plane];
    int y = plane->y0 + (int)((row->first - plane->offset) / (size_t)plane->pitch);
    return y + 1 >= s->pressed.y0 && y < s->pressed.y1;
}

// Regular pipes of a column along one axis, low and high; NULL: there is none.
static int along(rv_solver *s, uint32_t slot, bool along_y, float *pipes[2])
{
    uint32_t step = along_y ? (uint32_t)rv_plane_of(s->columns, slot)->pitch : 1;
    const uint16_t *slope = along_y ? s->slope_y : s->slope_x;
    float *flux = along_y ? s->flux_y : s->flux_x;
    int n = 0;
    if (slope[slot - step]) pipes[n++] = &flux[slot - step];
    if (slope[slot]) pipes[n++] = &flux[slot];
    return n;
}

bool rv_pipes_push(rv_solver *s, size_t slot, double x, double y)
{
    if (slot >= s->slots || !rv_column_exists(s->columns, slot)) return false;
    if (!(s->depth[slot] > s->law.film)) return false;
    float *pipes[2][2];
    const double part[2] = {x / s->params.grid_dx, y / s->params.grid_dx};
    int n[2];
    for (int k = 0; k < 2; k++) {
        n[k] = along(s, (uint32_t)slot, k == 1, pipes[k]);
        if (part[k] != 0.0 && n[k] == 0) return false;
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n[k]; i++)
            *pipes[k][i] = (float)((double)*pipes[k][i] + part[k] / (double)n[k]);
    return true;
}
