// Numbers of double precision as pairs of words, low and high: OpenGL ES has none. Sums, products and
// quotients are those of the processor, rounded to nearest: with DOUBLES the card's own, else by whole
// numbers of 64 bits.
#define D_SIGN 0x80000000u
#define D_INFINITY 0x7ff00000u // high word
#define D_ZERO uvec2(0u)
// Two, which no compiler knows: loops that it ends are not unrolled. Each of these functions is long
// where it is called, and drivers that put many of them into one kernel took six seconds for it.
#define D_TWO (1u + min(law.slots, 1u))

// ---- Whole numbers of 64 bits -------------------------------------------------------------------

uvec2 add64(uvec2 a, uvec2 b)
{
    uint carry, low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 sub64(uvec2 a, uvec2 b)
{
    uint borrow, low = usubBorrow(a.x, b.x, borrow);
    return uvec2(low, a.y - b.y - borrow);
}

bool less64(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

uvec2 left64(uvec2 a, uint n) // n < 64
{
    if (n >= 32u) return uvec2(0u, a.x << (n - 32u));
    if (n == 0u) return a;
    return uvec2(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}

// What is lost leaves its mark in the last bit.
uvec2 right64(uvec2 a, uint n)
{
    if (n == 0u) return a;
    if (n >= 64u) return uvec2((a.x | a.y) != 0u ? 1u : 0u, 0u);
    if (n == 32u) return uvec2(a.y | (a.x != 0u ? 1u : 0u), 0u);
    if (n > 32u) {
        uint lost = a.x | (a.y << (64u - n));
        return uvec2((a.y >> (n - 32u)) | (lost != 0u ? 1u : 0u), 0u);
    }
    uint lost = a.x << (32u - n);
    return uvec2((a.x >> n) | (a.y << (32u - n)) | (lost != 0u ? 1u : 0u), a.y >> n);
}

int top_bit(uvec2 a)
{
    return a.y != 0u ? 32 + findMSB(a.y) : findMSB(a.x);
}

// ---- Parts of a number --------------------------------------------------------------------------

uvec2 d_size(uvec2 a)
{
    return uvec2(a.x, a.y & ~D_SIGN);
}

uvec2 d_less(uvec2 a)
{
    return uvec2(a.x, a.y ^ D_SIGN);
}

bool d_is_zero(uvec2 a)
{
    return (a.x | (a.y & ~D_SIGN)) == 0u;
}

bool d_is_none(uvec2 a)
{
    uint high = a.y & ~D_SIGN;
    return high > D_INFINITY || (high == D_INFINITY && a.x != 0u);
}

// Of a number's size: its exponent, at least 1, and its 53 bits.
int exponent_of(uvec2 size)
{
    return max(int(size.y >> 20), 1);
}

uvec2 mantissa_of(uvec2 size)
{
    return uvec2(size.x, (size.y & 0xfffffu) | (size.y >= 0x100000u ? 0x100000u : 0u));
}

// Rounds 53 bits and three more that stand for a number of exponent e.
uvec2 rounded(uint sign, int e, uvec2 m)
{
    if (e < 1) m = right64(m, uint(1 - e)), e = 1;
    uint rest = m.x & 7u;
    m = uvec2((m.x >> 3) | (m.y << 29), m.y >> 3);
    if (rest > 4u || (rest == 4u && (m.x & 1u) != 0u)) m = add64(m, uvec2(1u, 0u));
    uint high = m.y + (uint(min(e, 2047) - 1) << 20); // the first of the bits is one more there
    return high >= D_INFINITY ? uvec2(0u, D_INFINITY | sign) : uvec2(m.x, high | sign);
}

// The same of any bits: e is the exponent if the first of them is bit 55.
uvec2 normalized(uint sign, int e, uvec2 m)
{
    if ((m.x | m.y) == 0u) return uvec2(0u, sign);
    int top = top_bit(m);
    return rounded(sign, e + top - 55, top > 55 ? right64(m, uint(top - 55)) : left64(m, uint(55 - top)));
}

// ---- Arithmetic ---------------------------------------------------------------------------------

#ifdef DOUBLES // that the card has
uvec2 d_sum(uvec2 a, uvec2 b)
{
    precise double sum = packDouble2x32(a) + packDouble2x32(b);
    return unpackDouble2x32(sum);
}

uvec2 d_product(uvec2 a, uvec2 b)
{
    precise double product = packDouble2x32(a) * packDouble2x32(b);
    return unpackDouble2x32(product);
}

uvec2 d_quotient(uvec2 a, uvec2 b)
{
    precise double quotient = packDouble2x32(a) / packDouble2x32(b);
    return unpackDouble2x32(quotient);
}
#else
uvec2 d_sum(uvec2 a, uvec2 b)
{
    if (less64(d_size(a), d_size(b))) {
        uvec2 c = a;
        a = b, b = c;
    }
    uvec2 large = d_size(a), small = d_size(b);
    uint sign = a.y & D_SIGN, other = b.y & D_SIGN;
    if (large.y >= D_INFINITY)
        return small.y >= D_INFINITY && sign != other ? uvec2(1u, D_INFINITY) : a;
    int e = exponent_of(large);
    uvec2 m = left64(mantissa_of(large), 3u), n = left64(mantissa_of(small), 3u);
    n = right64(n, uint(e - exponent_of(small)));
    m = sign == other ? add64(m, n) : sub64(m, n);
    if ((m.x | m.y) == 0u) return uvec2(0u, sign & other);
    return normalized(sign, e, m);
}

// The first of a number's 53 bits to bit 63; returns by how much the exponent is less then.
int align(inout uvec2 m)
{
    int by = 63 - top_bit(m);
    m = left64(m, uint(by));
    return by - 11;
}

// The upper 64 bits of a product, with a mark of the others.
uvec2 times64(uvec2 a, uvec2 b)
{
    uint h00, l00, h01, l01, h10, l10, h11, l11, c, d;
    umulExtended(a.x, b.x, h00, l00);
    umulExtended(a.x, b.y, h01, l01);
    umulExtended(a.y, b.x, h10, l10);
    umulExtended(a.y, b.y, h11, l11);
    uint middle = uaddCarry(h00, l01, c);
    middle = uaddCarry(middle, l10, d);
    uvec2 high = add64(uvec2(l11, h11), uvec2(h01, 0u));
    high = add64(high, uvec2(h10, 0u));
    high = add64(high, uvec2(c + d, 0u));
    high.x |= (middle | l00) != 0u ? 1u : 0u;
    return high;
}

uvec2 d_product(uvec2 a, uvec2 b)
{
    uint sign = (a.y ^ b.y) & D_SIGN;
    uvec2 u = d_size(a), v = d_size(b);
    if (u.y >= D_INFINITY || v.y >= D_INFINITY) {
        if (d_is_none(u) || d_is_none(v) || d_is_zero(u) || d_is_zero(v))
            return uvec2(1u, D_INFINITY);
        return uvec2(0u, D_INFINITY | sign);
    }
    if (d_is_zero(u) || d_is_zero(v)) return uvec2(0u, sign);
    uvec2 m = mantissa_of(u), n = mantissa_of(v);
    int e = exponent_of(u) + exponent_of(v) - align(m) - align(n);
    return normalized(sign, e - 1030, times64(m, n));
}

float float64(uvec2 a)
{
    return float(a.y) * 4294967296.0 + float(a.x);
}

// rest = rest · 2^19 - digit · m with a digit so that 0 ≤ rest < m. What the card divides is a
// guess, and at most one off.
uint next_digit(inout uvec2 rest, uvec2 m, float inverse)
{
    uint digit = uint(float64(rest) * inverse * 524288.0), high, low;
    umulExtended(digit, m.x, high, low);
    rest = sub64(left64(rest, 19u), uvec2(low, high + digit * m.y));
    if (rest.y >= D_SIGN) {
        rest = add64(rest, m), digit--;
    } else if (!less64(rest, m)) {
        rest = sub64(rest, m), digit++;
    }
    return digit;
}

uvec2 d_quotient(uvec2 a, uvec2 b)
{
    uint sign = (a.y ^ b.y) & D_SIGN;
    uvec2 u = d_size(a), v = d_size(b);
    bool none = d_is_zero(u), by_none = d_is_zero(v);
    if (d_is_none(u) || d_is_none(v) || (none && by_none) ||
        (u.y == D_INFINITY && v.y == D_INFINITY))
        return uvec2(1u, D_INFINITY);
    if (none || v.y == D_INFINITY) return uvec2(0u, sign);
    if (by_none || u.y == D_INFINITY) return uvec2(0u, D_INFINITY | sign);
    uvec2 m = mantissa_of(u), n = mantissa_of(v);
    int e = exponent_of(u) - align(m) - (exponent_of(v) - align(n)) + 1023;
    m = right64(m, 11u), n = right64(n, 11u);
    if (less64(m, n)) m = left64(m, 1u), e--;
    uvec2 rest = sub64(m, n); // the first bit is 1
    float inverse = 1.0 / float64(n);
    uvec2 q = uvec2(1u, 0u); // and becomes 2^57
    for (uint k = 0u; k < 1u + D_TWO; k++)
        q = add64(left64(q, 19u), uvec2(next_digit(rest, n, inverse), 0u));
    q.x |= (rest.x | rest.y) != 0u ? 1u : 0u;
    return normalized(sign, e - 2, q);
}
#endif

uvec2 d_difference(uvec2 a, uvec2 b)
{
    return d_sum(a, d_less(b));
}

bool d_is_under(uvec2 a, uvec2 b)
{
    if (d_is_none(a) || d_is_none(b) || (d_is_zero(a) && d_is_zero(b))) return false;
    bool under = a.y >= D_SIGN;
    if (under != (b.y >= D_SIGN)) return under;
    return under ? less64(d_size(b), d_size(a)) : less64(a, b);
}

bool d_is_more(uvec2 a) // than 0
{
    return a.y < D_SIGN && (a.x | a.y) != 0u && !d_is_none(a);
}

bool d_is_most(uvec2 a, uvec2 b) // a ≤ b
{
    return !d_is_under(b, a) && !d_is_none(a) && !d_is_none(b);
}

// ---- Floats -------------------------------------------------------------------------------------

uvec2 d_of(float f)
{
    uint bits = floatBitsToUint(f), sign = bits & D_SIGN, size = bits & ~D_SIGN;
    if (size >= 0x7f800000u) return uvec2(size << 29, (size >> 3) | D_INFINITY | sign);
    if (size < 0x800000u) { // its first bit goes to bit 52
        int top = findMSB(size);
        uvec2 m = left64(uvec2(size, 0u), uint(52 - max(top, 0)));
        return size == 0u ? uvec2(0u, sign)
                          : uvec2(m.x, (m.y & 0xfffffu) | uint(1023 - 149 + top) << 20 | sign);
    }
    return uvec2(size << 29, ((size >> 3) + (896u << 20)) | sign);
}

float d_rounded(uvec2 a)
{
    uvec2 size = d_size(a);
    uint sign = a.y & D_SIGN;
    if (size.y >= D_INFINITY)
        return uintBitsToFloat(0x7f800000u | sign | (d_is_none(a) ? 1u : 0u));
    int e = exponent_of(size) - 896;
    uint by = uint(27 + max(1 - e, 0)); // 24 bits and two more
    uvec2 m = right64(mantissa_of(size), min(by, 63u));
    uint rest = m.x & 3u, top = m.x >> 2;
    if (rest > 2u || (rest == 2u && (top & 1u) != 0u)) top++;
    uint bits = top + (uint(max(e, 1) - 1) << 23);
    return uintBitsToFloat((e >= 255 || bits >= 0x7f800000u ? 0x7f800000u : bits) | sign);
}

// Whole steps of 2^step.
uvec2 d_of_steps(uvec2 sum, int step)
{
    bool under = sum.y >= D_SIGN;
    if ((sum.x | sum.y) == 0u) return D_ZERO;
    return normalized(under ? D_SIGN : 0u, step + 1078, under ? sub64(D_ZERO, sum) : sum);
}
