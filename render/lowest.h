// How low the camera may look.
#ifndef RENDER_LOWEST_H
#define RENDER_LOWEST_H

#include "rivulet/rivulet.h"

#include <math.h>

#define RV_STEEPEST 1.565 // rad, of elevation
#define RV_LOW_PANE 0.1   // rad between a pane and the lowest ray of a picture of it

// The least elevation that a picture has, rad: a pane is seen from its own side, with no ray along
// it.
static inline double rv_eye_lowest(const rv_params *p)
{
    if (p->solver != RV_SOLVER_GLASS) return -RV_STEEPEST;
    return fmin(RV_LOW_PANE + 0.5 * p->view_lens, RV_STEEPEST);
}

#endif
