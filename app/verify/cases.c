// The cases of `rivulet verify`, in the order in which they run.
#include "verify.h"

static const rv_case *const cases[] = {
    &rv_case_lake,           &rv_case_volume,       &rv_case_wave,          &rv_case_film,
    &rv_case_drop,           &rv_case_sheet,        &rv_case_incline,       &rv_case_tanks,
    &rv_case_period,         &rv_case_turned,       &rv_case_threads,       &rv_case_edits,
    &rv_case_draught,        &rv_case_sinking,      &rv_case_momentum,      &rv_case_energy,
    &rv_case_response,       &rv_case_dam,          &rv_case_bowl,          &rv_case_shallow,
    &rv_case_glass,          &rv_case_splat,        &rv_case_whole,         &rv_case_froude,
    &rv_case_disc,           &rv_case_slope,        &rv_case_layers,        &rv_case_slosh,
    &rv_case_tilt,           &rv_case_splat_energy, &rv_case_tension_drops, &rv_case_tension_waves,
    &rv_case_tension_slopes, &rv_case_tension_rest, &rv_case_tension_brim,  &rv_case_press,
    &rv_case_drips,          &rv_case_landing,
};

const rv_case *const *rv_verify_cases(int *count)
{
    *count = (int)(sizeof cases / sizeof *cases);
    return cases;
}
