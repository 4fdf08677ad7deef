// What vertices.c, ends.c and line.c share: vertices that are made one by one.
#ifndef RV_SURFACE_MESHER_H
#define RV_SURFACE_MESHER_H

#include "surface/surface.h"

// Makes the vertex of a column inside that is dry, or has links the loops over rows do not know of.
void rv_surface_put_odd(const rv_surface_pass *p, const rv_node_record *n);
// Of the way between nodes: the end stays so far from both, or triangles would vanish.
#define RV_END_NEAREST 0.02f

// Where it is between its two nodes, of a place on the bed there: at a wall it goes on into that.
static inline float rv_end_share(const rv_line_end *e, float t)
{
    return t + e->wall * (1.0f - RV_END_NEAREST - t);
}

// Makes the vertex with this number, when those of columns inside are there.
void rv_surface_put_fresh(const rv_surface_pass *p, rv_fresh_vertex what, uint32_t number);
// Moves an end to where it stands on its line (t).
void rv_surface_move_end(const rv_surface_work *w, const rv_line_end *e, uint32_t number);
// A lip that liquid falls from: where it is, how it faces and moves, and how high what it falls on
// stands.
typedef struct rv_lip {
    float at[3], normal[3], velocity[3], low;
} rv_lip;

// falls.c: all vertices of the fall at a lip, from this number on.
void rv_surface_put_fall(const rv_surface_pass *p, const rv_node_record *n, const rv_lip *lip,
                         uint32_t number);
// line.c: slides ends along their ways until the line they make is smooth.
// false: no memory.
bool rv_surface_smooth_line(const rv_surface_pass *p);

#endif
