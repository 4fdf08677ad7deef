// The solvers there are, in the order of rv_solver_kind. A new one is one line here.
#include "solvers/solver.h"

extern const rv_solver_api rv_pipes_api;
extern const rv_solver_api rv_glass_api;
extern const rv_solver_api rv_swe_api;
extern const rv_solver_api rv_splat_api;

static const rv_solver_api *const solvers[] = {
    [RV_SOLVER_PIPES] = &rv_pipes_api,
    [RV_SOLVER_SWE] = &rv_swe_api,
    [RV_SOLVER_SPLAT] = &rv_splat_api,
    [RV_SOLVER_GLASS] = &rv_glass_api,
};

const rv_solver_api *rv_solver_find(rv_solver_kind kind)
{
    size_t count = sizeof solvers / sizeof *solvers;
    return (size_t)kind < count ? solvers[kind] : NULL;
}
