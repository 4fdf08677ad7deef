// Chooses the widest instruction set that this machine has.
#include "columns/rows.h"

#include "base/isa.h"

#include <stddef.h>

RV_ISA_DECLARE(const rv_pipes_rows, rv_pipes_rows_)
static const rv_pipes_rows *const forms[] = {RV_ISA_LIST(rv_pipes_rows_)};

const rv_pipes_rows *rv_pipes_rows_named(const char *name)
{
    rv_isa isa = rv_isa_named(name);
    return isa < RV_ISA_COUNT ? forms[isa] : NULL;
}

const rv_pipes_rows *rv_pipes_rows_best(void)
{
    return forms[rv_isa_best()];
}
