// Odd pipes scaled by what their ends can give and take (../../seams.c). Needs scales, odd, odd_flow.
#define NO_SLOT 0xffffffffu

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

// Of pipe k, for the next substep too, and for what borders pass.
void finish_odd(uint k)
{
    OddLeft left = scaled_odd(k);
    precise float u = odd_flow[RAW_AT + law.pipes + k] * left.takes;
    odd_flow[k] = left.flux, odd_flow[LAST_AT + k] = left.flux;
    odd_flow[TOLD_AT + law.count * law.pipes + k] = left.flux;
    odd_flow[law.pipes + k] = u, odd_flow[LAST_AT + law.pipes + k] = u;
}
