// What kernels read and change that work out pipes which carry momentum. STOPS: blocks that fall
// asleep stop in the same kernel.
#ifdef STOPS
#define STOPPED CHANGES
#else
#define STOPPED READS
#endif
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
STOPPED(AT_SPEED, Speed, float, speed);
CHANGES(AT_NEW_SPEED, NewSpeed, float, new_speed);
STOPPED(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
STOPPED(AT_BITS, Bits, uint, bits);
STOPPED(AT_STATUS, Status, uint, status);
#if defined(PRESSED) || defined(TENSE)
READS(AT_PRESS, Press, float, press);
#endif
