// Chooses the widest instruction set that this machine has.
#include "solvers/pipes/rows.h"

#include <string.h>

extern const rv_pipes_rows rv_pipes_rows_baseline;
#ifdef RV_HAVE_X86_ISAS
extern const rv_pipes_rows rv_pipes_rows_avx2;
extern const rv_pipes_rows rv_pipes_rows_avx512;
#endif

const rv_pipes_rows *rv_pipes_rows_named(const char *name)
{
    if (strcmp(name, "baseline") == 0) return &rv_pipes_rows_baseline;
#ifdef RV_HAVE_X86_ISAS
    if (strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2")) return &rv_pipes_rows_avx2;
    if (strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        return &rv_pipes_rows_avx512;
#endif
    return NULL;
}

const rv_pipes_rows *rv_pipes_rows_best(void)
{
    const rv_pipes_rows *best = rv_pipes_rows_named("avx512");
    if (!best) best = rv_pipes_rows_named("avx2");
    return best ? best : &rv_pipes_rows_baseline;
}
