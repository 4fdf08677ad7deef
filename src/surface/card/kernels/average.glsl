// Depths as the means of the columns around (mean_level in src/world/surface.c), where all of those are
// one sheet of liquid. Rings are these depths, which are as the solver's; groups are squares, in their
// order, once for each plane.
layout(local_size_x = 16, local_size_y = 16) in;

bool wet_at(uint plane, int x, int y, out uint slot)
{
    return slot_in(plane, x, y, slot) && max_at(slot) > base_at(slot) && depth[slot] > law.film;
}

float raw_level(uint slot)
{
    precise float level = base_at(slot) + depth[slot];
    return level;
}

float mean_level(uint plane, int x, int y, uint own)
{
    float level = raw_level(own);
    precise float sum = 0.0;
    for (int n = 0; n < 9; n++) {
        int i = n % 3 - 1, j = n / 3 - 1;
        // the sides of the grid are mirrors
        int ox = x + i < 0 || x + i >= int(law.nx) ? x : x + i;
        int oy = y + j < 0 || y + j >= int(law.ny) ? y : y + j;
        uint o;
        if (!wet_at(plane, ox, oy, o)) return level;
        float other = raw_level(o);
        if (!is_linked(own, level, o, other)) return level;
        sum = sum + float((2 - abs(i)) * (2 - abs(j))) * other;
    }
    precise float mean = sum * 0.0625;
    return mean;
}

void main()
{
    uint square = group_x(), own;
    int x = int(square % law.across) * SQUARE + int(gl_LocalInvocationID.x);
    int y = int(square / law.across) * SQUARE + int(gl_LocalInvocationID.y);
    uint plane = gl_WorkGroupID.z;
    if (x >= int(law.nx) || y >= int(law.ny) || !wet_at(plane, x, y, own)) return;
    precise float mean = mean_level(plane, x, y, own) - base_at(own);
    rings[own] = floatBitsToUint(mean > law.film ? mean : law.film);
}
