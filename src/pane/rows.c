// Chooses the widest instruction set that this machine has.
#include "pane/rows.h"

#include "base/isa.h"

#include <stddef.h>

RV_ISA_DECLARE(const rv_glass_rows, rv_glass_rows_)
static const rv_glass_rows *const forms[] = {RV_ISA_LIST(rv_glass_rows_)};

const rv_glass_rows *rv_glass_rows_named(const char *name)
{
    rv_isa isa = rv_isa_named(name);
    return isa < RV_ISA_COUNT ? forms[isa] : NULL;
}

const rv_glass_rows *rv_glass_rows_best(void)
{
    return forms[rv_isa_best()];
}
