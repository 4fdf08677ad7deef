// What the files of the solver `swe` share.
#ifndef APP_VERIFY_CASE_SWE_H
#define APP_VERIFY_CASE_SWE_H

#include "verify.h"

// A world of the solver, without terrain or liquid.
rv_world_def rv_swe_def(int nx, int ny, double dx, double viscosity);
// Rows of viscous films; case_swe_films.c.
void rv_swe_films(rv_report *report);

#endif
