// A drop that runs down a plane, with inertia, in the plane's own coordinates: what case_incline.c
// compares thin liquid with.
#ifndef APP_VERIFY_SLOPE_FLOW_H
#define APP_VERIFY_SLOPE_FLOW_H

#include <stdbool.h>

typedef struct rv_slope_def {
    double gravity, viscosity, slope; // m/s², m²/s, rad
    double volume, radius;            // m³, m: a paraboloid, as seen from above
    double side;                      // m, of a cell
    double behind, ahead, wide;       // m from the drop's middle that there are cells
    double edge;                      // m, normal to the plane: thickness at the front
} rv_slope_def;

// Gives the front along the slope from the drop's middle, m, at `count` + 1 even times from 0 to
// `end`. false: no memory.
bool rv_slope_flow(const rv_slope_def *def, double end, int count, double *front);

#endif
