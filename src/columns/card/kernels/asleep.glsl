// What falls asleep stops, after odd pipes woke what they join (`awake_odd`). One thread a row.
layout(local_size_x = 64) in;
READS(AT_STATUS, Status, uint, status);
READS(AT_BITS, Bits, uint, bits);
#include "halted"
#include "rows"
#include "stops"

void main()
{
    uint row = thread_here().x;
    if (is_halted() || row >= law.rows) return;
    stop_blocks(row, words_at(law.before_at + 2u * row) & ~words_at(law.awake_at + 2u * row));
}
