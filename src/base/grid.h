// The grid of cells and of terrain samples. Cell (x, y) has its centre at x0 + (x + ½) dx.
#ifndef RV_BASE_GRID_H
#define RV_BASE_GRID_H

#include "base/cut.h"
#include "rivulet/params.h"

#include <math.h>

typedef struct rv_grid {
    int nx, ny; // cells
    int nz;     // samples of the field per column: bottom + k dz, k = 0 … nz-1; the last >= top
    double dx, dz;      // m
    double x0, y0;      // m, low corner
    double bottom, top; // m
    int begin;          // cells: rows of columns begin at a multiple of it
    rv_cut *cut;        // rows that are here; NULL: all
} rv_grid;

static inline rv_rows rv_grid_kept(const rv_grid *g)
{
    return g->cut ? g->cut->kept : (rv_rows){0, g->ny};
}

static inline rv_rows rv_grid_own(const rv_grid *g)
{
    return g->cut ? g->cut->own : (rv_rows){0, g->ny};
}

// Rows of columns are cut into blocks, at most 64, of 32 cells or a multiple: what sleeps (columns/
// awake.c).
static inline int rv_grid_block(int nx)
{
    int block = 32;
    while (nx > 64 * block) block *= 2;
    return block;
}

// Heights of columns are multiples of a step that single precision holds exactly over the whole
// grid. Then base + depth is exact for liquid at rest: equal levels are equal numbers, and a lake
// does not stir.
static inline double rv_grid_step(const rv_grid *g)
{
    double most = fmax(fabs(g->bottom), fabs(g->top));
    return most > 0 ? ldexp(1.0, ilogb(most) + 1 - 24) : 1.0;
}

static inline double rv_snap(double step, double z)
{
    return round(z / step) * step;
}

static inline double rv_grid_snap(const rv_grid *g, double z)
{
    return rv_snap(rv_grid_step(g), z);
}

static inline rv_grid rv_grid_of(const rv_params *p)
{
    rv_grid g;
    g.cut = NULL;
    g.nx = p->grid_nx, g.ny = p->grid_ny;
    g.dx = p->grid_dx, g.dz = p->grid_dx * p->grid_stretch;
    g.x0 = p->grid_x - 0.5 * g.nx * g.dx, g.y0 = p->grid_y - 0.5 * g.ny * g.dx;
    g.bottom = p->grid_bottom, g.top = p->grid_top;
    g.nz = (int)ceil((g.top - g.bottom) / g.dz - 1e-9) + 1;
    // with surface tension wet blocks sleep: they must be the same however rows came to their ends
    g.begin = p->tension_on ? rv_grid_block(g.nx) : 1;
    return g;
}

// x and y of a cell's centre, written so that a mirrored cell has exactly the mirrored place.
static inline double rv_middle_x(const rv_params *p, int x)
{
    return p->grid_x + ((x + 0.5) - 0.5 * p->grid_nx) * p->grid_dx;
}

static inline double rv_middle_y(const rv_params *p, int y)
{
    return p->grid_y + ((y + 0.5) - 0.5 * p->grid_ny) * p->grid_dx;
}

#endif
