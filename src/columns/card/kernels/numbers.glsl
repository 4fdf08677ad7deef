// Numbers as the processor has them, bit for bit: for the kernels of columns and of the surface.

// The second where both are zeros, as the processor has it.
float larger(float a, float b)
{
    return a > b ? a : b;
}

float smaller(float a, float b)
{
    return a < b ? a : b;
}

// Of a whole number under 2^23, exactly; cards take long to convert one.
float whole_number(uint a)
{
    return uintBitsToFloat(0x4b000000u | a) - 8388608.0;
}

float inverse_of(float a)
{
    precise float guess = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(a));
    precise float next = guess * (2.0 - a * guess);
    precise float after = next * (2.0 - a * next);
    precise float last = after * (2.0 - a * after);
    return last;
}

#ifdef FUSED
// a / b, rounded to nearest, for a not under 0 and b over it. Of the two mantissas: what the card
// says of 1 / b is a guess, made better once, and so is the quotient. The rest of a that it leaves is
// exact, since fma() rounds once, and tells whether the next number is nearer.
float quotient_of(float a, float b)
{
    uint ia = floatBitsToUint(a), ib = floatBitsToUint(b);
    int exponent = int(ia >> 23) - int(ib >> 23) + 127;
    float ma = uintBitsToFloat((ia & 0x7fffffu) | 0x3f800000u);
    float mb = uintBitsToFloat((ib & 0x7fffffu) | 0x3f800000u);
    bool less = ma < mb;
    exponent -= less ? 1 : 0;
    if (ia < 0x800000u || ib < 0x800000u || exponent <= 0 || exponent >= 255) return a / b;
    precise float whole = less ? ma + ma : ma, guess = 1.0 / mb;
    precise float per = fma(fma(-mb, guess, 1.0), guess, guess), first = whole * per;
    precise float q = larger(fma(fma(-mb, first, whole), per, first), 1.0);
    precise float rest = fma(-mb, q, whole), most = mb * 5.9604644775390625e-8;
    int by = rest > most ? 1 : rest < -most ? -1 : 0;
    return uintBitsToFloat((uint(exponent) << 23) + (floatBitsToUint(q) - 0x3f800000u) + uint(by));
}

// √a, rounded to nearest, for a not under 0; in the same way.
float root_of(float a)
{
    uint ia = floatBitsToUint(a);
    if (ia < 0x800000u || ia >= 0x7f800000u) return sqrt(a);
    int exponent = int(ia >> 23) - 127;
    bool odd = (exponent & 1) != 0;
    float m = uintBitsToFloat((ia & 0x7fffffu) | (odd ? 0x40000000u : 0x3f800000u));
    precise float guess = inversesqrt(m), first = m * guess, part = 0.5 * guess;
    precise float s = larger(fma(fma(-first, first, m), part, first), 1.0);
    precise float rest = fma(-s, s, m), most = s * 1.1920928955078125e-7;
    int by = rest > most ? 1 : rest <= -most ? -1 : 0;
    return uintBitsToFloat((uint((exponent >> 1) + 127) << 23) + (floatBitsToUint(s) - 0x3f800000u) +
                           uint(by));
}
#else
// a / b, rounded to nearest, for a not under 0 and b over it. The quotient of the two mantissas is
// found as a whole number: what the card divides is a guess, and the remainder, which 32 bits hold
// whatever is above them, tells by how much it is off: almost, and then to the last one.
float quotient_of(float a, float b)
{
    uint ia = floatBitsToUint(a), ib = floatBitsToUint(b);
    int exponent = int(ia >> 23) - int(ib >> 23) + 127;
    uint ma = (ia & 0x7fffffu) | 0x800000u, mb = (ib & 0x7fffffu) | 0x800000u;
    bool less = ma < mb;
    exponent -= less ? 1 : 0;
    if (ia < 0x800000u || ib < 0x800000u || exponent <= 0 || exponent >= 255) return a / b;
    uint q = uint(float(ma) / float(mb) * (less ? 16777216.0 : 8388608.0));
    int rest = int((less ? ma << 24 : ma << 23) - q * mb), whole = int(mb);
    int off = int(floor(float(rest) / float(whole)));
    q += uint(off), rest -= off * whole;
    int last = rest < 0 ? -1 : rest >= whole ? 1 : 0;
    q += uint(last), rest -= last * whole;
    int twice = 2 * rest;
    if (twice > whole || (twice == whole && (q & 1u) != 0u)) q += 1u;
    return uintBitsToFloat((uint(exponent) << 23) + (q - 0x800000u));
}

// √a, rounded to nearest, for a not under 0; in the same way.
float root_of(float a)
{
    uint ia = floatBitsToUint(a);
    if (ia < 0x800000u || ia >= 0x7f800000u) return sqrt(a);
    int exponent = int(ia >> 23) - 127;
    uint m = (ia & 0x7fffffu) | 0x800000u;
    bool odd = (exponent & 1) != 0;
    uint s = uint(sqrt(float(m) * (odd ? 16777216.0 : 8388608.0)));
    int rest = int((odd ? m << 24 : m << 23) - s * s);
    int off = int(floor(0.5 * float(rest) / float(s)));
    rest -= off * (2 * int(s) + off), s += uint(off);
    int last = rest < 0 ? -1 : rest > 2 * int(s) ? 1 : 0;
    rest -= last * (2 * int(s) + last), s += uint(last);
    if (rest > int(s)) s += 1u;
    return uintBitsToFloat((uint((exponent >> 1) + 127) << 23) + (s - 0x800000u));
}
#endif
