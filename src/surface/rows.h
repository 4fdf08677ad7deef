// Loops of the surface over rows of columns, compiled once per instruction set (rows_simd.c), all
// with the same results. Rows begin at a slot that is a multiple of 16; n is one too.
#ifndef RV_SURFACE_ROWS_H
#define RV_SURFACE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bits of a column: links within its plane to the east, north-east, north and north-west; wet;
// there at all.
#define RV_BIT_E 1
#define RV_BIT_NE 2
#define RV_BIT_N 4
#define RV_BIT_NW 8
#define RV_BIT_WET 16
#define RV_BIT_THERE 32
#define RV_BITS_LINKS 15
// Bits of `held`: whether the neighbour of the same plane to the east, north-east, north and
// north-west has the column's level in its range; from bit 4 on, whether it has theirs.

// Bit 0: wet. Bit 1: a column with a record. Above EVEN: all that have records.
typedef enum rv_node_kind {
    RV_NODE_NONE = 0, // not part of the surface
    RV_NODE_EVEN = 1, // wet, and so are all eight around it, in the same plane and linked
    RV_NODE_DRY = 2,  // linked to wet ones
    RV_NODE_WET = 3,
    RV_NODE_WALL = 4, // extra, in a wall that liquid stands against
    RV_NODE_LIP = 6   // extra, beyond an edge that liquid falls over
} rv_node_kind;

// What the four columns a, b east of it, c north and d north-east make: bits for the triangles to
// be drawn; or that they have two pairs to choose from, by records; or that records must tell what
// there is; or two triangles that are all inside and wet, with the diagonal from b to c or a to d.
#define RV_QUAD_ABC 1
#define RV_QUAD_BDC 2
#define RV_QUAD_ABD 4
#define RV_QUAD_ADC 8
#define RV_QUAD_EITHER 16
#define RV_QUAD_ODD 32
#define RV_QUAD_BC 64
#define RV_QUAD_AD 128
#define RV_QUAD_WHOLE (RV_QUAD_BC | RV_QUAD_AD)
#define RV_QUAD_SLOW (255 - RV_QUAD_WHOLE)

typedef struct rv_quad_count {
    int inside, whole, slow;
} rv_quad_count;

// Arrays of a row, and of the row above from the same x on.
typedef struct rv_link_view {
    const float *level, *min, *max, *base, *depth;
    const float *level_above, *min_above, *max_above;
} rv_link_view;

typedef struct rv_row_kinds {
    uint8_t *kind, *even;  // even: 1
    uint8_t *linked, *wet; // directions of links within the plane, and of those to wet ones
} rv_row_kinds;

// Arrays of a row, beginning at its first column; the rows beside it are a pitch away.
typedef struct rv_row_view {
    ptrdiff_t pitch;
    const float *z, *depth, *flux_x, *flux_y;
    const uint8_t *bits, *kind, *inside, *odd, *wet;
    const float *x;                    // m
    const float *nx, *ny, *nz, *rough; // what vertices have; see rv_row_normals
    float y, per_dx, per_opaque;
} rv_row_view;

// Unit normals of a row's wet nodes, beginning at its first column.
typedef struct rv_row_normals {
    float *x, *y, *z;
} rv_row_normals;

typedef struct rv_row_mesh {
    float *positions, *normals, *velocity, *opacity, *depth, *roughness, *drop;
} rv_row_mesh;

// Depths of a row, beginning at its first column, and what fronts are (shape.c).
typedef struct rv_wedge_view {
    const float *depth;
    const uint8_t *kind;
    ptrdiff_t pitch;
    float rim, dx, per_dx;
} rv_wedge_view;

// Cells: what depths smoothed over three by three cells have at the end of a wedge, over their
// slope. For a continuous kernel of that width 0.56; 0.52 is nearer on the grid, where the end is
// found by straight lines between columns (tried on wedges at all places and angles).
#define RV_WEDGE_BLURRED 0.52f
#define RV_WEDGE_FARTHEST 0.75f // cells from the end: farther away it is not known how far
#define RV_WEDGE_LEAST 0.05f    // cells: an even column is at least so far inside

typedef struct rv_surface_rows {
    const char *name;
    // Whether any is deeper than the film; and then first and after the last. n is any number.
    bool (*wet)(const float *depth, float film, int n, int *from, int *to);
    // Whether any of 16 slots has a column.
    bool (*there)(const float *base, const float *max);
    // Level, and the height at which the surface is drawn: at least the bed and `over`.
    void (*levels)(const float *base, const float *depth, const float *over, int n, float *level,
                   float *z);
    // Bits of the columns of a row, and of `held` if it is not NULL.
    void (*links)(const rv_link_view *row, float film, int n, uint8_t *bits, uint8_t *held);
    // Kinds as far as bits tell; returns how many have records.
    int (*kinds)(const uint8_t *bits, ptrdiff_t pitch, int n, const rv_row_kinds *to);
    // 1 where a column is no node yet, but beside a cell where one of `planes` is wet and its own
    // plane does not hold its level. Returns whether any is.
    bool (*candidates)(const uint16_t *wet_planes, ptrdiff_t wet_pitch, uint16_t planes,
                       const uint8_t *bits, const uint8_t *held, const uint8_t *kind,
                       ptrdiff_t pitch, int n, uint8_t *out);
    // How far inside even columns are, m.
    void (*insides)(const rv_wedge_view *row, int n, float *to);
    rv_quad_count (*quads)(const rv_row_view *row, int n, uint8_t *quad);
    // Normals of wet nodes as heights tell them, by the links of bits.
    void (*normals)(const rv_row_view *row, int n, const rv_row_normals *to);
    // The same as nx, ny, nz of the row and those of the wet nodes around tell: a mean that counts
    // `least` at least. Raises `rough` to what it takes away; returns at how many it is choppy.
    // With least 0 groups that are not rough yet stay as they are.
    int (*smooth)(const rv_row_view *row, int n, float least, const rv_row_normals *to,
                  float *rough);
    // Vertices of the columns inside, in their order, numbered from `next` to before `end`. It
    // takes them all for wet, and links to be those of bits; what is otherwise must be put right
    // after.
    void (*vertices)(const rv_row_view *row, int n, uint32_t next, uint32_t end, uint32_t *vertex,
                     const rv_row_mesh *to);
    // Triangles of the whole quads. Vertices of the row are numbered from `next` on, those above
    // from `above` on.
    void (*triangles)(const uint8_t *quad, const uint8_t *inside, ptrdiff_t pitch, int n,
                      uint32_t next, uint32_t above, uint32_t *indices);
} rv_surface_rows;

// How normals are smoothed (docs/surface.md): by how far one differs from the mean of those around
// it, both unit, the mean counts more, up to RV_EVEN_MOST. Waves of two cells, the shortest that
// columns can hold, differ by much, what is bent evenly does not.
#define RV_EVEN_FROM 0.04f
#define RV_EVEN_TO 0.2f
#define RV_EVEN_MOST 0.95f
#define RV_ROUGH_FROM 0.03f
#define RV_ROUGH_TO 0.35f
#define RV_ROUGH_MOST 0.6f
#define RV_CHOPPY 0.15f

const rv_surface_rows *rv_surface_rows_best(void);

#endif
