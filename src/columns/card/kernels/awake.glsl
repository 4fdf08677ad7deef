// Which blocks work in this substep, and whether it is left out.
layout(local_size_x = 64) in;
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef ODD
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#include "rows"
#define WAKES
#include "halted"
#define ROWS_HERE 8
#include "awake_row"

void main()
{
    uint thread = thread_here().x;
    bool halted = is_halted();
    if (thread < 8u) status[law.status_at + thread] = thread == HALT && halted ? 1u : 0u;
    if (!halted) wake_row(thread);
}
