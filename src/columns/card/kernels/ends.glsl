// Heads of columns beside a wall, an edge, a border or a pipe to another plane. One thread an end.
layout(local_size_x = 64) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_BITS, Bits, uint, bits);
READS(AT_STATUS, Status, uint, status);
READS(AT_ENDS, Ends, uint, ends);
CHANGES(AT_PRESS, Press, float, press);
#include "halted"
#include "curve"
#include "end_heads"

void main()
{
    uint k = thread_here().x;
    if (!is_halted() && k < law.ends) set_end(k);
}
