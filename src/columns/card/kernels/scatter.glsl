// New depths of a list of columns; those that are more than a film wake their blocks.
layout(local_size_x = 64) in;
CHANGES(AT_DEPTH, Depth, float, depth);
CHANGES(AT_BITS, Bits, uint, bits);
READS(AT_LIST, List, uint, list); // slot, depth, and where the bit of its block stands

void main()
{
    uint k = gl_GlobalInvocationID.x;
    if (k >= law.count) return;
    float fresh = uintBitsToFloat(list[4u * k + 1u]);
    depth[list[4u * k]] = fresh;
    if (fresh > law.film) atomicOr(bits[law.wet_at + list[4u * k + 2u]], list[4u * k + 3u]);
}
