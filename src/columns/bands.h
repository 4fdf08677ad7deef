// Bands: the rows of the grid shared out among threads, each band with copies of its neighbours'
// nearest rows (ghosts). Within a part of a substep a band touches its own rows and its ghosts
// only, working out again what it needs of its neighbours; between parts ghosts are refreshed.
// Processes that share a grid need nothing else.
#ifndef RV_COLUMNS_BANDS_H
#define RV_COLUMNS_BANDS_H

#include "columns/columns.h"

// The arrays by slot that change in a substep, in sets for refreshing.
typedef enum rv_array {
    RV_DEPTH,
    RV_FLUX,                      // four
    RV_SPEED = RV_FLUX + RV_WAYS, // four
    RV_OUT = RV_SPEED + RV_WAYS,
    RV_IN,
    RV_ARRAYS
} rv_array;

#define RV_SET(array) (1u << (array))
#define RV_SET_FLUX (15u << RV_FLUX)
#define RV_SET_SPEED (15u << RV_SPEED)

#define RV_GHOSTS 6 // rows on each side; the passes of a fused sweep look that far at most

// One row of one plane as a band sees it: pointers to the first column. Beyond the plane's rows all
// arrays are zeros.
typedef struct rv_line {
    bool exists;
    bool own;
    uint8_t cut;  // RV_CUT_… in this substep
    uint32_t row; // of the solver
    size_t first; // slot of its first column; for rows next to the plane's too
    float *array[RV_ARRAYS];
} rv_line;

// Flow of rows as it was before the substep, and velocities half way between two rows.
typedef struct rv_band_ring {
    float *speed[2][4], *flux[2][4]; // along x and y, by row modulo 4
    int last_row[4];                 // which row it is
    // What flows half way between rows, by row modulo 2: flux, and that times the velocity; of the
    // velocities along x between row y - 1 and y, of those along y in the middle of row y.
    float *between[2][2][2];
    int between_row[2];
    // Velocities along x and y of one row, half way to the next: which row, and which of its
    // strips.
    float *ahead[2];
    int ahead_row;
    uint64_t ahead_strips;
    // What columns have around them, by row modulo 2: spread, rise of depths along x and y, and of
    // the heads of surface tension.
    float *around[2][5];
    int around_row[2];
} rv_band_ring;

#define RV_SEAM_BATCH 64

// Regular pipes along one way that are worked out again together (beside.c), gathered: both of
// their ends, what flows past them, and where the results go.
typedef struct rv_seam_batch {
    int count;
    float base[2][RV_SEAM_BATCH], max[2][RV_SEAM_BATCH], depth[2][RV_SEAM_BATCH];
    float behind[2][RV_SEAM_BATCH], press[2][RV_SEAM_BATCH];
    float spread[2][RV_SEAM_BATCH], lean[2][RV_SEAM_BATCH], pull[2][RV_SEAM_BATCH];
    float q_low[RV_SEAM_BATCH], q_high[RV_SEAM_BATCH], q_south[RV_SEAM_BATCH],
        q_north[RV_SEAM_BATCH];
    float low[RV_SEAM_BATCH], high[RV_SEAM_BATCH], south[RV_SEAM_BATCH], north[RV_SEAM_BATCH];
    float u[RV_SEAM_BATCH], carried[RV_SEAM_BATCH], comes[RV_SEAM_BATCH];
    float speed[RV_SEAM_BATCH], flux[RV_SEAM_BATCH];
    float *speed_at[RV_SEAM_BATCH], *flux_at[RV_SEAM_BATCH];
    uint16_t slope[RV_SEAM_BATCH];
    int16_t rise[RV_SEAM_BATCH];
} rv_seam_batch;

typedef struct rv_band {
    rv_engine *s;
    int planes;
    int first, end;          // own rows of the grid
    rv_line *line;           // [end - first + 2 RV_GHOSTS][planes]
    float *array[RV_ARRAYS]; // of the solver, by slot: what own rows are
    float *odd_flux, *odd_speed;
    uint8_t *live;        // by odd column: its odd pipes may carry something in this substep
    rv_band_ring *ring;   // [planes]
    float *scratch[4];    // rows
    rv_seam_batch *batch; // [2], along x and y
} rv_band;

struct rv_bands {
    int capacity;  // threads
    int count;     // bands of this substep
    rv_band *band; // [capacity]
    int *edge;     // [capacity + 1]: rows of the grid at which bands begin
    bool ghosts;   // they have neighbours, or there are rows beyond them
    bool own;      // they are of the rows that are this rank's, not of all that are here
    int low, high; // of the first and last bands: their rows are what other ranks wait for
    float *memory; // of rows: ghosts, rings, scratch; and odd pipes
    size_t memory_count;
    rv_line *line;
    size_t line_count;
    rv_band_ring *ring;
    size_t ring_count;
    float *zeros; // as long as a row
    size_t zero_count;
    size_t pitch;      // greatest
    size_t odd_room;   // odd pipes that there is room for
    bool valid;        // lines are those of the present arrays and edges
    uint8_t *was_live; // by odd column: its odd pipes carried something in the last substep; then
                       // the bands' own
    uint8_t *near;     // by odd column: what is around it, see busy.c
    rv_seam_batch *batch; // [capacity][2]
};

// Shares the rows out anew where that is worth it; `threads`: at most so many bands. `own`: of this
// rank's rows alone, those that other ranks keep in bands by themselves.
void rv_bands_share(rv_engine *s, int threads, bool own);
// Copies what the neighbours have in these sets into a band's ghosts.
void rv_band_refresh(const rv_band *t, unsigned sets);

static inline rv_line *rv_band_line(const rv_band *t, int plane, int y)
{
    return &t->line[(y - t->first + RV_GHOSTS) * t->planes + plane];
}

#endif
