// What kernels read and change that work out pipes which carry momentum.
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_SPEED, Speed, float, speed);
CHANGES(AT_NEW_SPEED, NewSpeed, float, new_speed);
READS(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
READS(AT_BITS, Bits, uint, bits);
READS(AT_STATUS, Status, uint, status);
#if defined(PRESSED) || defined(TENSE)
READS(AT_PRESS, Press, float, press);
#endif
#include "blocks"
#include "halted"
