// Chooses the widest instruction set that this machine has.
#include "particles/rows.h"

#include "base/isa.h"

RV_ISA_DECLARE(const rv_splat_rows, rv_splat_rows_)
static const rv_splat_rows *const forms[] = {RV_ISA_LIST(rv_splat_rows_)};

const rv_splat_rows *rv_splat_rows_named(const char *name)
{
    rv_isa isa = rv_isa_named(name);
    return isa < RV_ISA_COUNT ? forms[isa] : NULL;
}

const rv_splat_rows *rv_splat_rows_best(void)
{
    return forms[rv_isa_best()];
}
