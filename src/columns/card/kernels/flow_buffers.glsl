// What kernels read and change that work out pipes which carry momentum. WAKES: blocks that fall
// asleep stop in the same kernel.
#ifdef WAKES
#define STOPS CHANGES
#else
#define STOPS READS
#endif
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
STOPS(AT_SPEED, Speed, float, speed);
CHANGES(AT_NEW_SPEED, NewSpeed, float, new_speed);
STOPS(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
STOPS(AT_BITS, Bits, uint, bits);
STOPS(AT_STATUS, Status, uint, status);
#if defined(PRESSED) || defined(TENSE)
READS(AT_PRESS, Press, float, press);
#endif
