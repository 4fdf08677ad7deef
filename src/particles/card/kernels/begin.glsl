// Begins a substep: the processor's slabs (rv_splat_slabs in sort.c), from which the order of sums
// follows, and the clock of the pressure's cycles. One group.
layout(local_size_x = 256) in;

#define SLABS 64
#define THICK 4

shared uint many[256];
shared bool idle;

void main()
{
    uint t = gl_LocalInvocationIndex;
    if (t == 0u) {
        idle = halted();
        // the substep before this one has not found its pressure
        if (!idle && law.before > 0u && law.before < MOST_CYCLES &&
            status[CYCLES + 8u * law.before + SKIPPED] == 0u) {
            status[HALT] = 1u;
            idle = true;
        }
    }
    barrier();
    if (idle) return;
    if (t <= MOST_CYCLES)
        for (uint k = 0u; k < 8u; k++) status[CYCLES + 8u * t + k] = 0u;
    if (t < 8u) status[RECORDS + 8u * law.record + t] = 0u;
    int n = law.cells.y, layers = law.cells.z, from = 0, slabs = 0, own = 0;
    int share_of_all = int(status[COUNT]) / 24 + 1;
    for (int chunk = 0; chunk < n; chunk += 256) {
        int wide = min(n - chunk, 256);
        many[t] = 0u;
        barrier();
        for (int k = int(t); k < wide * layers; k += 256) {
            int b = k / wide, a = k - b * wide;
            uint row = (uint(b) * uint(n) + uint(chunk + a)) * law.wide;
            uint own_many = first_at(row + law.wide) - first_at(row);
            if (own_many > 0u) atomicAdd(many[a], own_many);
        }
        barrier();
        for (int k = chunk; k < chunk + 256 && k < n && t == 0u; k++) {
            int next = k + 1;
            own += int(many[k - chunk]);
            rows[k] = uint(slabs & 1);
            bool full = next - from >= THICK && own >= share_of_all && n - next >= THICK;
            if (next < n && !(full && slabs + 1 < SLABS)) continue;
            slabs++;
            from = next, own = 0;
        }
        barrier();
    }
    if (t != 0u) return;
    status[MET] = 0u;
    status[CYCLES + RELEVEL] = 1u;
    status[CYCLES + TRUST] = floatBitsToUint(1.0);
    status[CYCLES + LAST_LEFT] = status[CYCLES + BEFORE_LEFT] = WITHOUT_END;
}
