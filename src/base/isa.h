// Which of the instruction sets that files named *_simd.c are compiled for this machine has.
#ifndef RV_BASE_ISA_H
#define RV_BASE_ISA_H

#include "rivulet/base.h"

typedef enum rv_isa { RV_ISA_BASELINE, RV_ISA_AVX2, RV_ISA_AVX512, RV_ISA_COUNT } rv_isa;

// The widest set, or the one that the environment variable RIVULET_ISA names.
rv_isa rv_isa_best(void);
// By its name ("baseline", "avx2", "avx512"); RV_ISA_COUNT: this machine or this build lacks it.
rv_isa rv_isa_named(const char *name);

// The forms of a table or function that a *_simd.c defines, for a choice by rv_isa:
//     RV_ISA_DECLARE(const rv_rows, rv_rows_)
//     static const rv_rows *const forms[] = {RV_ISA_LIST(rv_rows_)};
#ifdef RV_HAVE_X86_ISAS
#define RV_ISA_DECLARE(type, name)                                                                 \
    extern type name##baseline;                                                                    \
    extern type name##avx2;                                                                        \
    extern type name##avx512;
#define RV_ISA_LIST(name) &name##baseline, &name##avx2, &name##avx512
#else
#define RV_ISA_DECLARE(type, name) extern type name##baseline;
#define RV_ISA_LIST(name) &name##baseline
#endif

#endif
