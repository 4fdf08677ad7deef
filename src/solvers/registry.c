// The solvers there are. A new one is one line in this list, and its word in rv_solver_kind and
// RV_WORDS_SOLVER.
#include "solvers/solver.h"

#define SOLVERS(EACH)                                                                              \
    EACH(RV_SOLVER_PIPES, rv_pipes_api)                                                            \
    EACH(RV_SOLVER_SWE, rv_swe_api)                                                                \
    EACH(RV_SOLVER_SPLAT, rv_splat_api)                                                            \
    EACH(RV_SOLVER_GLASS, rv_glass_api)

#define DECLARE(kind, api) extern const rv_solver_api api;
SOLVERS(DECLARE)

#define PLACE(kind, api) [kind] = &api,
static const rv_solver_api *const solvers[] = {SOLVERS(PLACE)};

const rv_solver_api *rv_solver_find(rv_solver_kind kind)
{
    size_t count = sizeof solvers / sizeof *solvers;
    return (size_t)kind < count ? solvers[kind] : NULL;
}
