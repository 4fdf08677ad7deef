// Odd pipes scaled by what their ends can give and take (../../seams.c). Needs scales, odd, odd_flow.
#ifndef NO_SLOT
#define NO_SLOT 0xffffffffu
#endif

struct OddLeft {
    float flux, takes;
};

OddLeft scaled_odd(uint k)
{
    float f = odd_flow[RAW_AT + k], takes = 1.0, gives = 1.0;
    if (f == 0.0) return OddLeft(f, 1.0); // also: its scales may be old
    uint a = odd[8u * k], b = odd[8u * k + 1u];
    bool border = b == NO_SLOT;
    if (f > 0.0) {
        gives = scales[a];
#ifdef PARTED
        if (!border) takes = scales[law.slots + b];
#endif
    } else {
        if (!border) gives = scales[b];
#ifdef PARTED
        takes = scales[law.slots + a];
#endif
    }
    precise float left = f * smaller(gives, takes);
    return OddLeft(left, takes);
}

#ifdef FOUR_OF
// The same of four, of which `raw` is known: all that could count is asked for at once.
vec4 scaled_four(uvec4 pipe, vec4 raw)
{
    uvec4 a = FOUR_WORDS(odd, 8u * pipe), b = FOUR_WORDS(odd, 8u * pipe + 1u), far;
    for (int k = 0; k < 4; k++) far[k] = b[k] == NO_SLOT ? a[k] : b[k];
    vec4 here = FOUR_OF(scales, a), there = FOUR_OF(scales, far), left;
    vec4 takes_here = vec4(1.0), takes_there = vec4(1.0);
#ifdef PARTED
    takes_here = FOUR_OF(scales, law.slots + a), takes_there = FOUR_OF(scales, law.slots + far);
#endif
    for (int k = 0; k < 4; k++) {
        bool border = b[k] == NO_SLOT, forth = raw[k] > 0.0;
        float gives = forth ? here[k] : border ? 1.0 : there[k];
        float takes = !forth ? takes_here[k] : border ? 1.0 : takes_there[k];
        precise float product = raw[k] * smaller(gives, takes);
        left[k] = raw[k] == 0.0 ? raw[k] : product; // its scales may be old
    }
    return left;
}
#endif

// Of pipe k, for the next substep too, and for what borders pass.
void finish_odd(uint k)
{
    OddLeft left = scaled_odd(k);
    precise float u = odd_flow[RAW_AT + law.pipes + k] * left.takes;
    odd_flow[k] = left.flux, odd_flow[LAST_AT + k] = left.flux;
    odd_flow[TOLD_AT + law.count * law.pipes + k] = left.flux;
    odd_flow[law.pipes + k] = u, odd_flow[LAST_AT + law.pipes + k] = u;
}
