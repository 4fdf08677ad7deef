// The `swe` solver's own data (SPEC §9). State: depths, face velocities, the fluxes that made the
// depths what they are. All else is derived from the columns or lives only during a substep.
//
// There is one layer: of a cell with several columns the topmost one, what is seen from above. The
// arrays have the layout of the lowest plane, which has a slot for every cell; where a cell has
// more columns, its liquid stands at the slot of its lowest and is shown at that of its topmost
// (layers.c). A velocity and a flux stand at the slot of the cell on their low side; those through
// the west and the south border at the slots of the ring around the plane.
#ifndef RV_SWE_SWE_H
#define RV_SWE_SWE_H

#include "base/memory.h"
#include "solvers/solver.h"
#include "solvers/swe/rows.h"

#define RV_NO_SLOT UINT32_MAX

// Cells of a row, from the plane's first; a multiple of RV_SWE_BLOCK. end 0: none.
typedef struct rv_swe_span {
    int first, end;
} rv_swe_span;

// A cell with several columns.
typedef struct rv_swe_raised {
    uint32_t flat; // where its liquid stands
    uint32_t top;  // slot of its topmost column
} rv_swe_raised;

// Through a border: what the ring holds, kept by cell of the grid.
typedef struct rv_swe_rim {
    float speed, flux; // m/s, m³/s
} rv_swe_rim;

struct rv_solver {
    const rv_column_set *columns;
    rv_params params;
    rv_pool *pool;
    rv_allocator allocator;
    const rv_swe_rows *rows;

    // The lowest plane.
    size_t slots, first; // first: slot of its first cell
    ptrdiff_t pitch;
    int x0, y0, nx, ny; // cells

    float *memory; // of the arrays by slot
    // State, by slot.
    float *depth, *speed_x, *speed_y; // m, m/s
    float *flux_x, *flux_y;           // m³/s, of the last substep
    rv_swe_rim *rim;                  // west by y, then south by x
    struct {
        uint32_t substeps; // so far
        float rate;        // 1/s, the substeps' last rate, see substeps() in swe.c
        float last;        // s, the last substep
    } clock;

    // Ground, by slot.
    float *bed;                // m; RV_SWE_WALL where there is no cell
    uint16_t *tilt_x, *tilt_y; // of faces
    float highest_bed;

    // Cells with several columns, and what is seen of the liquid by slot where there are any.
    rv_swe_raised *raised;
    uint32_t raised_count, raised_capacity;
    float *seen; // depth, flux_x, flux_y, press, [slots] each; NULL: there never were any

    // Rows.
    rv_swe_span *wet, *awake;
    float *row_most, *row_pace; // m, m/s
    uint8_t *row_cut;           // RV_CUT_…
    uint8_t *row_tilted;        // a face of it has a tilt

    // Heads that press from outside, by slot of the columns; not ours, see solver.h.
    const float *press;

    // During a substep.
    rv_swe_law law;
    float *last_x, *last_y; // velocities before it
    float *out_scale, *in_scale;
    float *zeros; // as long as a row
    bool bare, limited, lid_near;
    bool in_cut; // shares of inflow may be under 1

    bool clipped;         // the step has fewer substeps than it needs
    bool passable[4];     // borders, west east south north
    double deepest, pace; // m, m/s, after the last substep
    rv_solver_stats totals;
};

// build.c
rv_result rv_swe_build(rv_solver *s);
void rv_swe_release(rv_solver *s);
size_t rv_swe_bytes(const rv_solver *s);
rv_result rv_swe_edited(rv_solver *s, const rv_cell_change *changes, int count);
rv_result rv_swe_relaid(rv_solver *s, const rv_column_set *old);

// ground.c
void rv_swe_ground(rv_solver *s, rv_rect cells); // beds and tilts of these cells
void rv_swe_set_sides(rv_solver *s);             // which borders are passable
void rv_swe_set_ring(rv_solver *s);              // what stands beyond them
rv_border rv_swe_border(const rv_solver *s, int side);

// layers.c
rv_result rv_swe_find_raised(rv_solver *s);
uint32_t rv_swe_flat(const rv_solver *s, size_t slot); // RV_NO_SLOT: the column takes no part
void rv_swe_see(rv_solver *s);                         // all that is seen
const float *rv_swe_pressed(const rv_solver *s);       // heads as the cells stand; NULL: none

// step.c
void rv_swe_step(rv_solver *s, double dt);
void rv_swe_scan(rv_solver *s); // what is known of the rows, from the state
void rv_swe_touch(rv_solver *s, uint32_t flat);
void rv_swe_set_law(rv_solver *s, double dt);

// push.c
bool rv_swe_push(rv_solver *s, size_t slot, double x, double y);
double rv_swe_calm(rv_solver *s, size_t slot, double share);

// semi.c
void rv_swe_trace(rv_solver *s, int y, int x, int count);

static inline int rv_swe_width(const rv_solver *s) // of a row in whole blocks
{
    return (s->nx + RV_SWE_BLOCK - 1) / RV_SWE_BLOCK * RV_SWE_BLOCK;
}

// Slot of a cell of the plane; the ring has x and y of -1, nx and ny.
static inline size_t rv_swe_at(const rv_solver *s, int x, int y)
{
    return (size_t)((ptrdiff_t)s->first + y * s->pitch + x);
}

// The same place of an array `by` rows further on; past the ring there are zeros.
static inline const float *rv_swe_row_by(const rv_solver *s, const float *array, size_t i, int y,
                                         int by)
{
    bool inside = y + by >= -1 && y + by <= s->ny;
    return inside ? array + (ptrdiff_t)i + by * s->pitch : s->zeros;
}

static inline float rv_swe_cap(const rv_solver *s, size_t flat)
{
    return (float)s->columns->grid.top - s->bed[flat];
}

#endif
