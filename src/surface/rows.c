// Chooses the widest instruction set that this machine has.
#include "surface/rows.h"
#include "surface/lists.h"

#include "base/isa.h"

RV_ISA_DECLARE(const rv_surface_rows, rv_surface_rows_)
RV_ISA_DECLARE(const rv_surface_lists, rv_surface_lists_)

const rv_surface_rows *rv_surface_rows_best(void)
{
    static const rv_surface_rows *const forms[] = {RV_ISA_LIST(rv_surface_rows_)};
    return forms[rv_isa_best()];
}

const rv_surface_lists *rv_surface_lists_best(void)
{
    static const rv_surface_lists *const forms[] = {RV_ISA_LIST(rv_surface_lists_)};
    return forms[rv_isa_best()];
}
