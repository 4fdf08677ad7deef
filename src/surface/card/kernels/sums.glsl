// Sums over the threads of a group, and over groups: status has three words for each, from law.to
// on.
shared uint running[256];

// The sum of what the threads before this one have.
uint sum_before(uint own)
{
    uint n = gl_LocalInvocationIndex;
    barrier();
    running[n] = own;
    barrier();
    for (uint step = 1u; step < 256u; step *= 2u) {
        uint more = n >= step ? running[n - step] : 0u;
        barrier();
        running[n] += more;
        barrier();
    }
    return running[n] - own;
}

uint sum_of_group(uint own)
{
    sum_before(own);
    return running[255];
}

uint sums_at(uint group, uint which)
{
    return status[law.to + 3u * group + which];
}

void put_sum(uint group, uint which, uint sum)
{
    status[law.to + 3u * group + which] = sum;
}
