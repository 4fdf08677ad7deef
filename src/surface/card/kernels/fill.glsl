// Depths with flooded columns up to their ceilings (fill_flooded in src/world/surface.c): such a
// column has no surface, though it may lack a thousandth of its height. Rings are these depths;
// then whether a column is flooded; then the slots of those that are. COPY: all of them as they
// are, four a thread; then a thread for each that is flooded.
layout(local_size_x = 256) in;

void main()
{
    uint i = thread_x(), n = law.slots;
#ifdef COPY
    for (uint slot = 4u * i; slot < 4u * i + 4u && slot < n; slot++)
        rings[slot] = floatBitsToUint(depth[slot]), rings[n + slot] = 0u;
#else
    if (i >= law.count) return;
    uint slot = rings[2u * n + i];
    float bed = base_at(slot), most = max_at(slot);
    precise float level = bed + uintBitsToFloat(rings[slot]), full = most - bed;
    rings[n + slot] = 1u;
    if (!(most > bed) || !(level < most)) return;
    for (;;) { // whatever the last bit of the sum does
        precise float reached = bed + full;
        if (!(reached < most)) break;
        full = uintBitsToFloat(floatBitsToUint(full) + 1u);
    }
    rings[slot] = floatBitsToUint(full);
#endif
}
