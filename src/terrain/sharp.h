// Edges and corners of solids that lie between samples: vertices that marching cubes lacks.
#ifndef RV_TERRAIN_SHARP_H
#define RV_TERRAIN_SHARP_H

#include "base/memory.h"

// A vertex on an edge of a cell: its place and the normal of the surface there.
typedef struct rv_sharp_point {
    double at[3], normal[3];
} rv_sharp_point;

// Cosine of the angle between two normals.
double rv_sharp_turn(const double a[3], const double b[3]);

// Whose turn it is, of two points: what both cells beside a face make of them must have one order.
bool rv_sharp_comes_first(const rv_sharp_point *a, const rv_sharp_point *b);

// Where the line between two neighbours of a loop, in a face of the cell across `axis`, bends: the
// place where the tangents at both meet, if that is between low and high. False: nowhere.
bool rv_sharp_on_face(const rv_sharp_point *a, const rv_sharp_point *b, int axis,
                      const double low[3], const double high[3], rv_sharp_point *out);

// The place of the edge between the tangent planes of both that is nearest to their middle: where
// the edge passes the face aslant, their lines in it meet far away. False: they hardly meet.
bool rv_sharp_beside_face(const rv_sharp_point *a, const rv_sharp_point *b, rv_sharp_point *out);

// The middle of a loop, some of whose points were made by rv_sharp_on_face: on the edge between two
// of them, else where all the other points' tangents meet as nearly as they can, if that is between
// low and high.
void rv_sharp_in_cell(const rv_sharp_point *loop, int count, const bool *bend, const double low[3],
                      const double high[3], rv_sharp_point *out);

// The mean of their places.
void rv_sharp_mean(const rv_sharp_point *loop, int count, double out[3]);

// Which vertex was made for the line between two vertices.
typedef struct rv_sharp_lines {
    uint32_t (*slot)[3]; // both vertices, the lower first, and the one made; [room], 0 0: free
    size_t count, room;  // room is a power of 2
} rv_sharp_lines;

#define RV_SHARP_NONE UINT32_MAX
uint32_t rv_sharp_find(const rv_sharp_lines *lines, uint32_t a, uint32_t b);
bool rv_sharp_note(rv_sharp_lines *lines, uint32_t a, uint32_t b, uint32_t made,
                   const rv_allocator *allocator);
void rv_sharp_free(rv_sharp_lines *lines, const rv_allocator *allocator);

#endif
