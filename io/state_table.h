// What a state file holds, as named arrays: the columns of a world, its particles or its drops.
// Used by the writer of state files only.
#ifndef IO_STATE_TABLE_H
#define IO_STATE_TABLE_H

#include "rivulet/world.h"

#define RV_STATE_COLUMNS 12
#define RV_STATE_SCALARS 12
#define RV_STATE_MAPS 4

// One value for each item.
typedef struct rv_state_column {
    const char *name;
    int32_t *whole; // one of the two
    float *real;
} rv_state_column;

typedef struct rv_state_scalar {
    const char *name;
    double value;
} rv_state_scalar;

// A grid of values, x fastest; nz 0: it has two axes.
typedef struct rv_state_map {
    const char *name;
    int nx, ny, nz;
    float *value;
} rv_state_map;

typedef struct rv_state_table {
    size_t count; // items
    rv_state_column column[RV_STATE_COLUMNS];
    rv_state_scalar scalar[RV_STATE_SCALARS];
    rv_state_map map[RV_STATE_MAPS];
    int columns, scalars, maps;
} rv_state_table;

// Free it in any case.
rv_result rv_state_gather(const rv_world *world, rv_state_table *out);
void rv_state_table_free(rv_state_table *table);

#endif
