// The passes of a substep over one row of the grid, in all planes, as a band sees it: fluxes (and
// velocities, with law `flow`), scales, scaled fluxes, depths. sweep.c orders them; passes.c has
// the rows, seams.c the odd pipes and the columns that have them.
#ifndef RV_COLUMNS_SWEEP_H
#define RV_COLUMNS_SWEEP_H

#include "columns/bands.h"

// passes.c
void rv_pass_fluxes(rv_band *t, int y);
void rv_pass_scales(rv_band *t, int y);
void rv_pass_finish(rv_band *t, int y);
void rv_pass_levels(rv_band *t, int y);

// Velocities and fluxes of a row along x or y as they were before the substep.
const float *rv_band_speed(const rv_band *t, int plane, int y, rv_way way);
const float *rv_band_flux(const rv_band *t, int plane, int y, rv_way way);

// trace.c: velocities of a run along x or y, traced back; valid until the next call for that way.
const float *rv_band_trace(rv_band *t, int plane, int y, int x, int count, rv_way way);

// seams.c
// Marks the columns of odd pipes [from, to) that carry something.
void rv_odd_mark(const rv_engine *s, const float *flux, uint32_t from, uint32_t to, uint8_t *live);
void rv_odd_fluxes(rv_band *t, int y);
int rv_odd_scales(rv_band *t, rv_line *line, int plane, int y); // RV_CUT_…
void rv_odd_finish(rv_band *t, int y);
// New depths of a row's odd columns, kept from before its loop, which leaves them out, until after
// it.
void rv_odd_depths(rv_band *t, const rv_line *line, int plane, int y);
void rv_odd_depths_set(rv_band *t, const rv_line *line, rv_level_result *found);

// beside.c: of regular pipes beside odd ones; set when rv_seams_finish is called.
void rv_seam_fluxes(rv_band *t, int plane, int y);
void rv_seams_finish(rv_band *t);

// First odd pipe whose low cell is in row y of the grid or further on.
static inline uint32_t rv_odd_from(const rv_engine *s, int y)
{
    int ny = s->columns->grid.ny;
    return s->odd_row[y < 0 ? 0 : y > ny ? ny : y];
}

#endif
