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
    // What columns have around them, by row modulo 2: spread, and rise of depths along x and y.
    float *around[2][3];
    int around_row[2];
} rv_band_ring;

typedef struct rv_band {
    rv_engine *s;
    int first, end;          // own rows of the grid
    rv_line *line;           // [end - first + 2 RV_GHOSTS][planes]
    float *array[RV_ARRAYS]; // of the solver, by slot: what own rows are
    float *odd_flux, *odd_speed;
    rv_band_ring *ring; // [planes]
    float *scratch[4];  // rows
} rv_band;

struct rv_bands {
    int capacity;  // threads
    int count;     // bands of this substep
    rv_band *band; // [capacity]
    int *edge;     // [capacity + 1]: rows of the grid at which bands begin
    float *memory; // of rows: ghosts, rings, scratch; and odd pipes
    size_t memory_count;
    rv_line *line;
    size_t line_count;
    rv_band_ring *ring;
    size_t ring_count;
    float *zeros; // as long as a row
    size_t zero_count;
    size_t pitch;       // greatest
    size_t odd_room;    // odd pipes that there is room for
    bool valid;         // lines are those of the present arrays and edges
    unsigned refreshed; // sets to refresh in this part
};

// Shares the rows out anew where that is worth it; `threads`: at most so many bands.
void rv_bands_share(rv_engine *s, int threads);
// Copies what the neighbours have in these sets into a band's ghosts.
void rv_band_refresh(const rv_band *t, unsigned sets);

static inline rv_line *rv_band_line(const rv_band *t, int plane, int y)
{
    return &t->line[(size_t)(y - t->first + RV_GHOSTS) * (size_t)t->s->columns->planes +
                    (size_t)plane];
}

#endif
