// Numbers of double precision as pairs of words, the low one first, rounded to nearest as the
// processor rounds them: worked out with whole numbers, because kernels have no doubles. Without
// what is no number; what is smaller than 1e-307 is 0.

// ± m · 2^(e − 1086), m of 64 bits, the highest of which is set but for 0.
struct Open {
    uint sign;
    int e;
    uvec2 m;
};

Open opened(uvec2 a)
{
    int e = int((a.y >> 20) & 2047u);
    uvec2 m = uvec2(a.x << 11, 0x80000000u | ((a.y & 0xfffffu) << 11) | (a.x >> 21));
    return Open(a.y & 0x80000000u, e, e == 0 ? uvec2(0u) : m);
}

// What carries over the last bit goes into the exponent.
uvec2 closed(Open a)
{
    if (a.m.y == 0u) return uvec2(0u, a.sign);
    uint over = a.m.x & 0x7ffu;
    uvec2 q = uvec2((a.m.x >> 11) | (a.m.y << 21), a.m.y >> 11);
    if (over > 0x400u || (over == 0x400u && (q.x & 1u) != 0u)) {
        q.x += 1u;
        if (q.x == 0u) q.y += 1u;
    }
    return uvec2(q.x, a.sign | ((uint(a.e) << 20) + (q.y - 0x100000u)));
}

// By 0 … 63 bits.
uvec2 moved_up(uvec2 m, int n)
{
    if (n == 0) return m;
    if (n >= 32) return uvec2(0u, m.x << uint(n - 32));
    return uvec2(m.x << uint(n), (m.y << uint(n)) | (m.x >> uint(32 - n)));
}

// By any number of bits; the last one tells whether any below it was set.
uvec2 moved_down(uvec2 m, int n)
{
    if (n == 0) return m;
    if (n >= 64) return uvec2((m.x | m.y) != 0u ? 1u : 0u, 0u);
    uvec2 lost = moved_up(m, 64 - n), left;
    if (n >= 32)
        left = uvec2(n == 32 ? m.y : m.y >> uint(n - 32), 0u);
    else
        left = uvec2((m.x >> uint(n)) | (m.y << uint(32 - n)), m.y >> uint(n));
    if ((lost.x | lost.y) != 0u) left.x |= 1u;
    return left;
}

Open normal(Open a)
{
    if ((a.m.x | a.m.y) == 0u) return a;
    int zeros = a.m.y != 0u ? 31 - findMSB(a.m.y) : 63 - findMSB(a.m.x);
    a.m = moved_up(a.m, zeros), a.e -= zeros;
    return a;
}

bool is_below(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

uvec2 difference_of(uvec2 a, uvec2 b)
{
    return uvec2(a.x - b.x, a.y - b.y - (a.x < b.x ? 1u : 0u));
}

uvec2 d_of(float a)
{
    uint bits = floatBitsToUint(a), e = (bits >> 23) & 255u, sign = bits & 0x80000000u;
    if (e == 0u) return uvec2(0u, sign);
    return uvec2(bits << 29, sign | ((e + 896u) << 20) | ((bits & 0x7fffffu) >> 3));
}

float d_rounded(uvec2 a)
{
    int e = int((a.y >> 20) & 2047u) - 896;
    uint over = a.x & 0x1fffffffu, m = ((a.y & 0xfffffu) << 3) | (a.x >> 29);
    if (e <= 0) return 0.0;
    uint bits = (uint(e) << 23) | m;
    if (over > 0x10000000u || (over == 0x10000000u && (m & 1u) != 0u)) bits += 1u;
    return uintBitsToFloat((a.y & 0x80000000u) | bits);
}

uvec2 d_less(uvec2 a)
{
    return uvec2(a.x, a.y ^ 0x80000000u);
}

uvec2 d_sum(uvec2 a, uvec2 b)
{
    Open x = opened(a), y = opened(b);
    if (y.m.y == 0u) return a;
    if (x.m.y == 0u) return b;
    if (x.e < y.e || (x.e == y.e && is_below(x.m, y.m))) {
        Open z = x;
        x = y, y = z;
    }
    uvec2 other = moved_down(y.m, x.e - y.e);
    if (x.sign != y.sign) {
        x.m = difference_of(x.m, other);
        if ((x.m.x | x.m.y) == 0u) return uvec2(0u);
        return closed(normal(x));
    }
    uvec2 sum = x.m + other;
    uint carry = sum.x < other.x ? 1u : 0u;
    sum.y += carry;
    if (sum.y < other.y || (carry != 0u && sum.y == other.y)) {
        x.m = moved_down(sum, 1), x.e += 1;
        x.m.y |= 0x80000000u;
    } else {
        x.m = sum;
    }
    return closed(x);
}

uvec2 d_difference(uvec2 a, uvec2 b)
{
    return d_sum(a, d_less(b));
}

uvec2 d_product(uvec2 a, uvec2 b)
{
    Open x = opened(a), y = opened(b);
    uint sign = x.sign ^ y.sign, high, low, h, l;
    if (x.m.y == 0u || y.m.y == 0u) return uvec2(0u, sign);
    uvec4 p = uvec4(0u); // the lowest word first
    umulExtended(x.m.x, y.m.x, h, l);
    p.x = l, p.y = h;
    umulExtended(x.m.x, y.m.y, high, low);
    p.y += low;
    uint c = p.y < low ? 1u : 0u;
    p.z = high + c;
    umulExtended(x.m.y, y.m.x, high, low);
    p.y += low;
    c = p.y < low ? 1u : 0u;
    uint more = high + c; // no carry: it is under 2^32 − 1
    p.z += more;
    p.w = p.z < more ? 1u : 0u;
    umulExtended(x.m.y, y.m.y, high, low);
    p.z += low;
    p.w += high + (p.z < low ? 1u : 0u);
    Open r = Open(sign, x.e + y.e - 1022, p.zw);
    uint below = p.x | p.y;
    if ((r.m.y & 0x80000000u) == 0u) {
        r.m = moved_up(r.m, 1), r.m.x |= p.y >> 31, r.e -= 1;
        below = p.x | (p.y << 1);
    }
    if (below != 0u) r.m.x |= 1u;
    return closed(r);
}

// Bit by bit.
uvec2 d_quotient(uvec2 a, uvec2 b)
{
    Open x = opened(a), y = opened(b);
    uint sign = x.sign ^ y.sign;
    if (x.m.y == 0u) return uvec2(0u, sign);
    uvec2 rest = moved_down(x.m, 11), by = moved_down(y.m, 11), q = uvec2(0u);
    int e = x.e - y.e + 1023;
    if (is_below(rest, by)) rest = moved_up(rest, 1), e -= 1;
    for (int k = 0; k < 55; k++) {
        bool goes = !is_below(rest, by);
        q = uvec2(q.x << 1, (q.y << 1) | (q.x >> 31));
        if (goes) rest = difference_of(rest, by), q.x |= 1u;
        rest = uvec2(rest.x << 1, (rest.y << 1) | (rest.x >> 31));
    }
    q = moved_up(q, 9);
    if ((rest.x | rest.y) != 0u) q.x |= 1u;
    return closed(Open(sign, e, q));
}

bool d_is_more(uvec2 a) // than 0
{
    return (a.y & 0x80000000u) == 0u && (a.x | a.y) != 0u;
}

// a ≤ b, for b not under 0.
bool d_is_most(uvec2 a, uvec2 b)
{
    return (a.y & 0x80000000u) != 0u || !is_below(b, a);
}
