// Sums of doubles over the threads of a group that come out the same in any order, as those of
// ../../passages/sums.c: numbers are rounded to a common step, for which the greatest exponent is found
// first, and added as whole numbers, in two parts. Between noting sizes, adding and looking stands a
// barrier each. SUMS: how many there are at a time; `sum_…` of those that are used next must be 0.
shared uint sum_top[SUMS];
shared int sum_low[SUMS], sum_high[SUMS];

void clear_sum(uint which)
{
    sum_top[which] = 0u, sum_low[which] = 0, sum_high[which] = 0;
}

uint exponent_of(double a)
{
    return (unpackDouble2x32(a).y >> 20) & 2047u;
}

// Of up to `count` numbers whose exponents are at most that; 0: there is nothing to add.
uint rounder_exponent(uint count, uint exponent)
{
    return exponent < 92u || exponent > 1952u ? 0u : exponent + 1u + uint(max(findMSB(count) + 1, 1));
}

// rv_rounder.
double rounder_of(uint count, uint exponent)
{
    uint e = rounder_exponent(count, exponent);
    return e == 0u ? 0.0lf : packDouble2x32(uvec2(0u, (e << 20) | 0x80000u));
}

double rounded(double value, double rounder)
{
    precise double sum = value + rounder;
    precise double result = sum - rounder;
    return result;
}

void note_size(uint which, double value)
{
    uint e = exponent_of(value);
    if (e > sum_top[which]) atomicMax(sum_top[which], e);
}

// A number as steps, of at most 52 bits with those that their count adds: 21 bits, which up to 2,047
// numbers add up to a word without a sign, and the rest.
ivec2 steps_of(double value, double rounder)
{
    precise double sum = value + rounder;
    uvec2 a = unpackDouble2x32(sum), b = unpackDouble2x32(rounder);
    uint borrow, low = usubBorrow(a.x, b.x, borrow), high = a.y - b.y - borrow;
    return ivec2(int(low & 0x1fffffu), int((low >> 21) | (high << 11)));
}

// `e` is the rounder's exponent.
double sum_of_steps(ivec2 steps, uint e)
{
    precise double all = double(steps.y) * 2097152.0lf + double(uint(steps.x));
    precise double result = all * packDouble2x32(uvec2(0u, (e - 52u) << 20));
    return e == 0u ? 0.0lf : result;
}

void add_up(uint which, uint count, double value)
{
    double rounder = rounder_of(count, sum_top[which]);
    ivec2 steps = steps_of(value, rounder);
    if (rounder == 0.0lf || steps == ivec2(0)) return;
    atomicAdd(sum_low[which], steps.x);
    atomicAdd(sum_high[which], steps.y);
}

double sum_of(uint which, uint count)
{
    return sum_of_steps(ivec2(sum_low[which], sum_high[which]),
                        rounder_exponent(count, sum_top[which]));
}
