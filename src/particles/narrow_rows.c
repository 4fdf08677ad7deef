// Chooses the widest instruction set that this machine has.
#include "particles/narrow.h"

#include "base/isa.h"

RV_ISA_DECLARE(const rv_narrow_rows, rv_narrow_rows_)
RV_ISA_DECLARE(const rv_pressure_rows, rv_pressure_rows_)
static const rv_narrow_rows *const forms[] = {RV_ISA_LIST(rv_narrow_rows_)};
static const rv_pressure_rows *const pressure_forms[] = {RV_ISA_LIST(rv_pressure_rows_)};

const rv_narrow_rows *rv_narrow_rows_named(const char *name)
{
    rv_isa isa = rv_isa_named(name);
    return isa < RV_ISA_COUNT ? forms[isa] : NULL;
}

const rv_narrow_rows *rv_narrow_rows_best(void)
{
    return forms[rv_isa_best()];
}

const rv_pressure_rows *rv_pressure_rows_named(const char *name)
{
    rv_isa isa = rv_isa_named(name);
    return isa < RV_ISA_COUNT ? pressure_forms[isa] : NULL;
}

const rv_pressure_rows *rv_pressure_rows_best(void)
{
    return pressure_forms[rv_isa_best()];
}
