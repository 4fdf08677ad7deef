// New fluxes of odd pipes; one thread a pipe.
layout(local_size_x = 64) in;
READS(AT_STATUS, Status, uint, status);
#include "halted"
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_SPEED, Speed, float, speed);
READS(AT_FLUX, Flux, float, flux);
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#if defined(PRESSED) || defined(TENSE)
READS(AT_PRESS, Press, float, press);
#endif
#ifdef TENSE
READS(AT_BITS, Bits, uint, bits);
#endif
#ifdef FLOW
#define HARD
#define TILTED
#include "through"
#else
struct End {
    float base, depth, behind, spread, press;
};
#endif
#include "odd_parts"

#include "pressing"

#include "odd_pipes"

void main()
{
    uint k = thread_here().x;
    if (!is_halted() && k < law.pipes) set_odd(k);
}
