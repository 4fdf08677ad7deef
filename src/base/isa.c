#include "base/isa.h"

#include <string.h>

static int has(rv_isa isa)
{
    if (isa == RV_ISA_BASELINE) return 1;
#ifdef RV_HAVE_X86_ISAS
    if (isa == RV_ISA_AVX2) return __builtin_cpu_supports("avx2") != 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
    return 0;
#endif
}

rv_isa rv_isa_named(const char *name)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    for (int i = 0; i < RV_ISA_COUNT; i++)
        if (strcmp(name, names[i]) == 0 && has((rv_isa)i)) return (rv_isa)i;
    return RV_ISA_COUNT;
}

rv_isa rv_isa_best(void)
{
    int best = RV_ISA_COUNT - 1;
    while (!has((rv_isa)best)) best--;
    return (rv_isa)best;
}
