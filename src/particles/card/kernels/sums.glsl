// Where the groups of bins begin, and how many particles there are now. ENDS: it ends a substep.
layout(local_size_x = 256) in;

shared uint part[256];

void main()
{
    uint t = gl_LocalInvocationIndex, each = (law.blocks + 255u) / 256u, sum = 0u;
    bool idle = stopped();
    for (uint k = t * each; k < (t + 1u) * each && k < law.blocks; k++)
        sum += first[law.bins + k];
    part[t] = sum;
    barrier();
    for (uint step = 1u; step < 256u; step *= 2u) {
        uint more = t >= step ? part[t - step] : 0u;
        barrier();
        part[t] += more;
        barrier();
    }
    sum = part[t] - sum;
    for (uint k = t * each; k < (t + 1u) * each && k < law.blocks && !idle; k++) {
        uint own = first[law.bins + k];
        first[law.bins + k] = sum;
        sum += own;
    }
    if (t != 255u || idle) return;
    status[COUNTED] = status[COUNT];
    status[COUNT] = part[255];
#ifdef ENDS
    uint at = RECORDS + 8u * law.record;
    status[at + DONE_COUNT] = part[255];
    status[at + DONE_WHOLE] = 1u;
#endif
}
