// Chooses the widest instruction set that this machine has.
#include "surface/rows.h"

extern const rv_surface_rows rv_surface_rows_baseline;
#ifdef RV_HAVE_X86_ISAS
extern const rv_surface_rows rv_surface_rows_avx2;
extern const rv_surface_rows rv_surface_rows_avx512;
#endif

const rv_surface_rows *rv_surface_rows_best(void)
{
#ifdef RV_HAVE_X86_ISAS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return &rv_surface_rows_avx512;
    if (__builtin_cpu_supports("avx2")) return &rv_surface_rows_avx2;
#endif
    return &rv_surface_rows_baseline;
}
