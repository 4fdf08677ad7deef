// What the cases of surface tension share: their liquid, the exact shapes of drops and rivulets at
// rest, and where liquid ends on a bed.
#ifndef APP_VERIFY_CAPILLARY_H
#define APP_VERIFY_CAPILLARY_H

#include "verify.h"

#define RV_PI 3.14159265358979323846
#define RV_DEGREE (RV_PI / 180)

// A grid of nx by ny cells with a liquid of density 1000 and tension 0.0716 N/m, so that ℓ² =
// γ/(ρg) is 7.3 mm², viscosity 1e-5 m²/s, one contact angle (rad) for wetting, drying and walls,
// even solids; all else as by default.
rv_world_def rv_wet_def(int nx, int ny, double dx, double angle);
double rv_wet_length2(const rv_params *p); // ℓ², m²
// The thickness over which the cost of wetting is spread, h*, m (docs/tension.md).
double rv_wet_full(const rv_params *p);

// A shape of Young and Laplace: the surface falls from its highest point until it stands at the
// contact angle.
typedef struct rv_wet_shape {
    double half;   // m, radius of a drop, half of a rivulet's width
    double high;   // m, thickness in the middle
    double volume; // m³; of a rivulet m², the area of its section
    double cubes;  // m⁴, of a rivulet: ∫ h³ dy
    double top;    // 1/m, curvature at the highest point
} rv_wet_shape;
// A drop of this volume on a level bed.
rv_wet_shape rv_wet_drop(double volume, double angle, double length2);
// A rivulet whose ∫ h³ dy is `cubes`.
rv_wet_shape rv_wet_rivulet(double cubes, double angle, double length2);
// Adds a drop's thickness over the distance from its middle, both in mm, to a plot.
void rv_wet_draw_drop(rv_series *series, const rv_wet_shape *drop, double angle, double length2);

// Depth at (x, y) m, of the columns whose bed is the nearest to `bed`, by straight lines between
// the middles of cells.
double rv_wet_depth(const rv_world *world, double bed, double x, double y);
// From (x, y) in a direction (rad): how far liquid reaches on a level bed, m. The last place that
// is deeper than h*/2, and from there on a wedge of the contact angle. 0: dry.
double rv_wet_reach(const rv_world *world, double bed, double x, double y, double direction);

typedef struct rv_wet_outline {
    double radius; // m, mean over all directions
    double round;  // half of what the greatest and the least radius are apart, over the mean
} rv_wet_outline;
rv_wet_outline rv_wet_outline_of(const rv_world *world, double bed, double x, double y);

// The greatest speed of columns deeper than 0.1 mm, m/s.
double rv_wet_fastest(const rv_world *world);

#endif
