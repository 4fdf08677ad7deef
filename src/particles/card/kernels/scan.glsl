// Where bins begin, within groups of GROUP bins; counts are 0 again for the next time.
layout(local_size_x = 256) in;

shared uint part[256];

void main()
{
    uint t = gl_LocalInvocationIndex, group = thread_here().x / 256u;
    uint at = group * GROUP + t * 8u, own[8], sum = 0u;
    bool idle = stopped();
    for (uint k = 0u; k < 8u; k++) {
        own[k] = sum;
        if (at + k < law.bins && !idle) {
            sum += counts[at + k];
            counts[at + k] = 0u;
        }
    }
    part[t] = sum;
    barrier();
    for (uint step = 1u; step < 256u; step *= 2u) {
        uint more = t >= step ? part[t - step] : 0u;
        barrier();
        part[t] += more;
        barrier();
    }
    uint before = part[t] - sum;
    for (uint k = 0u; k < 8u; k++)
        if (at + k < law.bins && !idle) first[at + k] = before + own[k];
    if (t == 255u && !idle) first[law.bins + group] = part[255];
}
