// Heads of deep liquid smoothed once. FIRST, LAST: it is the first time, the last.
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_SPEED, Speed, float, speed);
READS(AT_BITS, Bits, uint, bits);
READS(AT_STATUS, Status, uint, status);
CHANGES(AT_PRESS, Press, float, press);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
#include "odd_list"
#endif
#include "blocks"
#include "halted"
#include "calming"
#include "calm_column"

#ifdef FIRST
#define IS_FIRST true
#else
#define IS_FIRST false
#endif
#ifdef LAST
#define IS_LAST true
#else
#define IS_LAST false
#endif

void main()
{
    Place at = place_here();
    if (is_halted()) return;
    if (at.exists && is_awake(at)) calm_column(at, law.calm_pass, IS_FIRST, IS_LAST);
}
