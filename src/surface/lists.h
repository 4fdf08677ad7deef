// Loops of the surface over lists of single things, ends and columns with records, and over the
// few columns of a row that are at walls, compiled once per instruction set (lists_simd.c), all
// with the same results. Lists are worked on in groups of RV_LIST_GROUP: what stands behind the
// last must be there to be read, and be written.
#ifndef RV_SURFACE_LISTS_H
#define RV_SURFACE_LISTS_H

#include <stddef.h>
#include <stdint.h>

#define RV_LIST_GROUP 16
#define RV_LIST_PIECE 256 // of a list: one task

static inline uint32_t rv_list_room(uint32_t count)
{
    return (count + RV_LIST_GROUP - 1) / RV_LIST_GROUP * RV_LIST_GROUP;
}

// Ends on the line along which the surface ends (line.c), each line in its order. Around each line
// stands what its first and its last have beside them, RV_LIST_BESIDE places far: of a closed line
// its other side, else places infinitely far, and those move by nothing (`free` 0).
typedef struct rv_list_line {
    const float *t, *x, *y, *z;            // shares of the way between two nodes, and places there
    float *new_t, *new_x, *new_y, *new_z;  // the same after this turn
    const float *from_x, *from_y, *from_z; // the way: where it begins, and how far it goes
    const float *way_x, *way_y, *way_z;
    const float *wall, *free;  // rv_line_end
    const float *first, *most; // share as it was found, and by how much it may change
    const float *reach;        // m along the line to the ends of the chord
    const float *stiff;        // m²: what is added to the square of the way across the chord
    float share, least;        // of the way to the chord; m: shorter chords tell nothing
    float dx, stays, nearest;  // m; cells off the chord that are no tooth; bound of shares
} rv_list_line;

#define RV_LIST_BESIDE 12

// The same ends when they are done: how high they may stand on steep beds.
typedef struct rv_list_spikes {
    const float *z, *way_z; // m: heights, and how far the bed rises on the way
    float *to;
    float steep, over; // m: what is a steep bed, and how far an end may stand over the line there
} rv_list_spikes;

#define RV_LIST_SPAN 5 // ends to either side: what is narrower and high up a steep bed is a spike

// Columns with records, being made fair (fair.c): eight neighbours each, by direction, `stride`
// from one direction to the next.
typedef struct rv_list_fair {
    const int32_t *beside; // places in `own`
    const float *weight;   // of each neighbour
    uint32_t stride;
    const float *all; // sum of the weights
    const float *own; // cells
    float *to;
    const float *first, *top; // as it was found; what it may be at most
    float share, most, far;
} rv_list_fair;

// A row of columns, of which some are at walls (shape.c). Arrays begin at its first.
typedef struct rv_list_walls {
    const float *base, *min, *max, *depth, *level, *over;
    const uint8_t *kind;
    const float *wall; // of wet columns with records: how far they are at a wall, 0 … 1
    float *z;
    ptrdiff_t pitch;
    int below, above; // rows of the plane, as far as they count
    float dx, per_dx, film;
} rv_list_walls;

#define RV_WALL_AROUND 3 // cells

typedef struct rv_surface_lists {
    const char *name;
    // A turn of ends or columns from `from` to before `to`, both multiples of a group. `own` and
    // `to` of columns begin RV_FAIR_FIRST numbers before the first.
    void (*slide)(const rv_list_line *line, uint32_t from, uint32_t to);
    void (*spikes)(const rv_list_spikes *line, uint32_t from, uint32_t to);
    void (*even)(const rv_list_fair *fair, uint32_t from, uint32_t to);
    // Heights at walls, of n columns, a multiple of a group.
    void (*walls)(const rv_list_walls *row, int n);
} rv_surface_lists;

// Places before the first column: what is far inside, and what is far outside.
enum { RV_FAIR_INSIDE, RV_FAIR_OUTSIDE, RV_FAIR_FIRST };

const rv_surface_lists *rv_surface_lists_best(void);

#endif
