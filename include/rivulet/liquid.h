// rivulet/liquid.h: liquids with published properties.
//
//     rv_params params = rv_default_params();
//     rv_params_set_liquid(&params, RV_LOOK_BLOOD);
//
// sets viscosity, density, surface tension, contact angles and look. In scene files: `liquid: {preset: blood}`; what else the scene says of
// its liquid goes before the preset.
#ifndef RIVULET_LIQUID_H
#define RIVULET_LIQUID_H

#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_liquid_info {
    const char *name;     // as in liquid.look
    double viscosity;     // m²/s, kinematic
    double density;       // kg/m³
    double contact;       // rad, on the solid named in `solid`
    double tension;       // N/m
    double advancing, receding; // rad, contact angles on that solid when it is dry, and when it was wet
    const char *solid;    // "glass", …
    double index;         // of refraction
    double absorption[3]; // 1/m, of red, green and blue light (about 610, 550 and 465 nm)
    double scattering[3]; // 1/m, reduced: as if all directions were alike
    const char *source;   // where the numbers are from, one line
} rv_liquid_info;

// NULL when there is no such liquid. `which` counts from 0, in the order of rv_liquid_look.
RV_API const rv_liquid_info *rv_liquid_get(rv_liquid_look which);
RV_API int rv_liquid_count(void);
// Sets viscosity, density, surface tension, contact angles and look; nothing when there is no such liquid.
RV_API void rv_params_set_liquid(rv_params *params, rv_liquid_look which);

// The key `liquid.preset` of scene files and --set, as a row for a single rv_liquid_look. It is no parameter: what it
// sets may be changed afterwards.
RV_API const rv_field_info *rv_liquid_field(void);

// Diffuse light of a colour (0 red, 1 green, 2 blue) on a layer, without what its surface mirrors: the share that
// gets through a depth (m), and the share that a layer too deep to see through throws back: its colour.
RV_API double rv_liquid_through(const rv_liquid_info *liquid, int colour, double depth);
RV_API double rv_liquid_back(const rv_liquid_info *liquid, int colour);
// The depth, m, at which it hides what is under it: of no colour more than 5% get down and up again.
RV_API double rv_liquid_hides(const rv_liquid_info *liquid);

#ifdef __cplusplus
}
#endif
#endif
