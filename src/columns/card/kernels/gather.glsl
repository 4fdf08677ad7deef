// What the processor asks for of a list of columns: depth, and with FLOW the velocities around, with
// TENSE the frames that it has been at rest.
layout(local_size_x = 64) in;
READS(AT_DEPTH, Depth, float, depth);
READS(AT_SPEED, Speed, float, speed);
#ifdef TENSE
READS(AT_PRESS, Press, float, press);
#endif
CHANGES(AT_LIST, List, uint, list); // slots and pitches; then what was asked for

void main()
{
    uint k = thread_here().x, n = law.slots;
    if (k >= law.count) return;
    uint i = list[2u * k], pitch = list[2u * k + 1u], out_at = 2u * law.count + 6u * k;
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
