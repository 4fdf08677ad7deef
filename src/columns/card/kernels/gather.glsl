// What the processor asks for of a list of columns: depth, fluxes, and with FLOW the velocities
// around, with TENSE the frames that it has been at rest.
layout(local_size_x = 64) in;
READS(AT_DEPTH, Depth, float, depth);
READS(AT_SPEED, Speed, float, speed);
READS(AT_FLUX, Flux, float, flux);
#define FEW_AT law.list_at // RV_FEW_AT, RV_FEW_ANSWERS in ../card.h
#define FEW_ANSWERS (law.list_at + 32768u)
#ifdef TENSE
READS(AT_PRESS, Press, float, press);
#endif
CHANGES(AT_LIST, List, uint, list); // slots and pitches; then what was asked for

void main()
{
    uint k = thread_here().x, n = law.slots;
    if (k >= law.count) return;
    uint at = FEW_AT + 2u * k, i = list[at], pitch = list[at + 1u], out_at = FEW_ANSWERS + 8u * k;
    list[out_at + 6u] = floatBitsToUint(flux[i]);
    list[out_at + 7u] = floatBitsToUint(flux[n + i]);
    list[out_at] = floatBitsToUint(depth[i]);
#ifdef FLOW
    list[out_at + 1u] = floatBitsToUint(speed[i - 1u]);
    list[out_at + 2u] = floatBitsToUint(speed[i]);
    list[out_at + 3u] = floatBitsToUint(speed[n + i - pitch]);
    list[out_at + 4u] = floatBitsToUint(speed[n + i]);
#endif
#ifdef TENSE
    list[out_at + 5u] = floatBitsToUint(press[5u * n + i]);
#endif
}
