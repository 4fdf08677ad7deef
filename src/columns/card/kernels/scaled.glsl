// A flux that is left of one from slot a to slot b. Needs scales.

float scaled(float f, uint a, uint b)
{
#ifdef PARTED
    float forth = smaller(scales[a], scales[law.slots + b]);
    float back = smaller(scales[b], scales[law.slots + a]);
#else
    float forth = scales[a], back = scales[b];
#endif
    precise float result = f * (f > 0.0 ? forth : back);
    return result;
}
