// What solids.c and bodies.c share.
#ifndef RV_SPLAT_SOLIDS_H
#define RV_SPLAT_SOLIDS_H

#include "particles/splat.h"

#define RV_SPLAT_BESIDE                                                                            \
    0.5f                   // cells; velocity of cells nearer than this must not point into a solid
#define RV_SPLAT_FELT 2.6f // cells; how far the narrow form's kernel feels a solid

static inline double rv_splat_along(const rv_splat *s, int axis, double cells)
{
    return s->low[axis] + cells * s->dx;
}

// A place of the grid in the world, m.
static inline rv_vec3 rv_splat_world_place(const rv_splat *s, const double at[3])
{
    rv_vec3 p = {rv_splat_along(s, 0, at[0]), s->params.grid_y, 0};
    if (s->grid.up == 1)
        p.z = rv_splat_along(s, 1, at[1]);
    else
        p.y = rv_splat_along(s, 1, at[1]);
    if (s->grid.up == 2) p.z = rv_splat_along(s, 2, at[2]);
    return p;
}

// The middle of a slot's cell, in cells.
static inline void rv_splat_cell_of(const rv_splat_grid *g, size_t slot, double at[3])
{
    size_t from = slot - g->origin + (size_t)g->pad * (g->pitch + (g->axes == 3 ? g->layer : 0));
    size_t b = g->axes == 3 ? from / g->layer : 0, rest = g->axes == 3 ? from % g->layer : from;
    // margins before a row's first cell belong to the row before: slots of cells never lie there
    at[0] = (double)(rest % g->pitch) + 0.5, at[1] = (double)(rest / g->pitch) - g->pad + 0.5;
    at[2] = (double)b - (g->axes == 3 ? g->pad : 0) + 0.5;
}

// solids.c: what the distance of a row's cells means; cells whose velocity must not point into a
// solid (wide form), or whose liquid a body displaces (narrow).
void rv_splat_derive_row(rv_splat *s, int a, int b, int x0, int x1);
void rv_splat_add_wall(rv_splat *s, size_t slot, int body);
void rv_splat_add_skin(rv_splat *s, int x, int a, int b, int body);
// Distances, and shares for borders that are open, one cell beyond the walls: those before them.
void rv_splat_spread_edges(rv_splat *s);
void rv_splat_spread_shares(rv_splat *s);

// bodies.c
double rv_splat_body_distance(const rv_splat *s, const rv_solver_body *b, rv_vec3 p); // m
void rv_splat_press_boxes(rv_splat *s); // the pressure on all of them, wide form

#endif
