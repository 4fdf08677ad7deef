// Of boxes of four cells a side, for rays: whether some of a box is liquid, in the first byte, and
// whether some is not. A ray between two cells looks at both, so those beside the box count too.
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;

#define SIDE 4

void main()
{
    ivec3 c = ivec3(thread_here()), n = (law.cells.xyz + SIDE - 1) / SIDE;
    if (any(greaterThanEqual(c, n))) return;
    ivec3 low = max(SIDE * c - 1, ivec3(0)), high = min(SIDE * c + SIDE, law.cells.xyz - 1);
    bool some = false, gaps = false;
    for (int z = low.z; z <= high.z; z++)
        for (int y = low.y; y <= high.y; y++)
            for (int x = low.x; x <= high.x; x++) {
                bool full = sums[slot_of(ivec3(x, y, z))].y >= law.seen;
                some = some || full, gaps = gaps || !full;
            }
    shown[law.boxes_at + uint(c.x + n.x * (c.y + n.y * c.z))] =
        (some ? 255u : 0u) | (gaps ? 0xff00u : 0u);
}
