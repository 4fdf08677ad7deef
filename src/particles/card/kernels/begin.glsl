// Begins a substep: the processor's slabs (rv_splat_slabs in sort.c), from which the order of sums
// follows, and the clock of the pressure's cycles. One group, ALL: its threads.
layout(local_size_x = ALL) in;

#define SLABS 64
#define THICK 4

shared uint many[ALL]; // particles in planes up to that one, of so many planes
shared uint ends[SLABS]; // where slabs end; the last, at the end of the grid, is not among them
shared uint before; // particles in the planes before those
shared int slabs, from;
shared uint from_many; // where the slab begins that is not full yet, particles before it
shared bool idle, last;

// Particles of `wide` planes, a few threads each.
void count_planes(int chunk, int wide)
{
    int t = int(gl_LocalInvocationIndex), each = ALL / wide, a = t % wide, layers = law.cells.z;
    uint sum = 0u;
    many[t] = 0u;
    barrier();
    for (int b = t / wide; b < layers && t < each * wide; b += each) {
        uint row = (uint(b) * uint(law.cells.y) + uint(chunk + a)) * law.wide;
        sum += first_at(row + law.wide) - first_at(row);
    }
    if (sum > 0u) atomicAdd(many[a], sum);
    barrier();
}

void sum_up(int t)
{
    for (int step = 1; step < ALL; step *= 2) {
        uint more = t >= step ? many[t - step] : 0u;
        barrier();
        many[t] += more;
        barrier();
    }
}

// The slabs that end in these planes, by one thread: each where there are enough particles.
void end_slabs(int chunk, int wide, uint enough)
{
    int n = law.cells.y;
    while (!last) {
        int low = max(from + THICK - chunk, 1), high = wide + 1; // planes of these, up to the end
        int goal = int(from_many + enough) - int(before);
        while (low < high) {
            int mid = (low + high) / 2;
            if (int(many[mid - 1]) >= goal)
                high = mid;
            else
                low = mid + 1;
        }
        if (low > wide) return;
        last = n - chunk - low < THICK || slabs + 1 == SLABS;
        if (last) return;
        ends[slabs++] = uint(chunk + low);
        from = chunk + low, from_many = before + many[low - 1];
    }
}

// A slab is odd if so many ended before.
void tell_rows(int t)
{
    for (int k = t; k < law.cells.y; k += ALL) {
        uint odd = 0u;
        for (int i = 0; i < slabs; i++) odd ^= uint(k) >= ends[i] ? 1u : 0u;
        rows[k] = odd;
    }
}

void begin_clock(uint t)
{
    for (uint k = t; k < 8u * (MOST_CYCLES + 1u); k += uint(ALL)) {
        uint word = k == RELEVEL ? 1u : k == TRUST ? floatBitsToUint(1.0) : 0u;
        status[CYCLES + k] = k == LAST_LEFT || k == BEFORE_LEFT ? WITHOUT_END : word;
    }
    if (t < 8u) status[RECORDS + 8u * law.record + t] = 0u;
    if (t == 0u) status[MET] = 0u;
}

void main()
{
    int t = int(gl_LocalInvocationIndex), n = law.cells.y;
    if (t == 0) {
        idle = halted(), last = false;
        slabs = 0, from = 0, from_many = before = 0u;
        // the substep before this one has not found its pressure
        if (!idle && law.before > 0u && law.before < MOST_CYCLES &&
            status[CYCLES + 8u * law.before + SKIPPED] == 0u) {
            status[HALT] = 1u;
            idle = true;
        }
    }
    barrier();
    if (idle) return;
    begin_clock(uint(t));
    uint enough = status[COUNT] / 24u + 1u;
    for (int chunk = 0; chunk < n; chunk += ALL) {
        int wide = min(n - chunk, ALL);
        count_planes(chunk, wide);
        sum_up(t);
        if (t == 0) end_slabs(chunk, wide, enough);
        barrier();
        if (t == 0) before += many[ALL - 1];
        barrier();
    }
    tell_rows(t);
}
