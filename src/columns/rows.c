// Chooses the widest instruction set that this machine has.
#include "columns/rows.h"

#include "base/isa.h"

#include <stddef.h>

RV_ISA_DECLARE(const rv_row_loops, rv_row_loops_)
RV_ISA_DECLARE(const rv_cell_loops, rv_cell_loops_)
RV_ISA_DECLARE(const rv_flow_loops, rv_flow_loops_)
RV_ISA_DECLARE(const rv_tension_loops, rv_tension_loops_)
static const rv_row_loops *const rows[] = {RV_ISA_LIST(rv_row_loops_)};
static const rv_cell_loops *const cells[] = {RV_ISA_LIST(rv_cell_loops_)};
static const rv_flow_loops *const flows[] = {RV_ISA_LIST(rv_flow_loops_)};
static const rv_tension_loops *const tensions[] = {RV_ISA_LIST(rv_tension_loops_)};

static rv_loops of_set(rv_isa isa)
{
    return (rv_loops){rows[isa], cells[isa], flows[isa], tensions[isa]};
}

rv_loops rv_loops_named(const char *name)
{
    rv_isa isa = rv_isa_named(name);
    return isa < RV_ISA_COUNT ? of_set(isa) : (rv_loops){NULL, NULL, NULL, NULL};
}

rv_loops rv_loops_best(void)
{
    return of_set(rv_isa_best());
}
