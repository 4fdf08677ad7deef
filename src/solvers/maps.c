// The map of the affinity, for solvers that want it of a definition.
#include "base/map.h"
#include "solvers/solver.h"

rv_result rv_keep_map(const rv_world_def *def, void **kept)
{
    *kept = NULL;
    if (!def->affinity) return RV_OK;
    *kept = rv_map_copy(def->affinity, &def->allocator);
    return *kept ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_drop_map(const rv_allocator *allocator, void *kept)
{
    rv_map_free(kept, allocator);
}
