// Groups of 32 columns in each of 8 rows.
layout(local_size_x = 32, local_size_y = 8) in;
#define HIGH 8u

// Calls take(at, x, y) for all places of a field of `wide` by `high` around the group.
#define EACH_PLACE(take, at, wide, high)                                                           \
    for (uint k = gl_LocalInvocationIndex; k < (wide) * (high); k += 256u)                         \
        take(at, k % (wide), k / (wide));

// This thread's column.
Place place_first()
{
    uvec3 t = thread_here();
    uint p = min(t.z, 15u); // higher ones go over lists
    uvec4 a = law.plane[2u * p];
    return Place(a.x + t.y * a.y + t.x, a.y, t.x, t.y, a.z, a.w, law.plane[2u * p + 1u].x + t.y,
                 t.x < a.z && t.y < a.w);
}

// The one at (x, y) of the same plane.
Place moved_to(Place at, int x, int y)
{
    Place other = at;
    other.slot = uint(int(at.slot) + (x - int(at.x)) + (y - int(at.y)) * int(at.pitch));
    other.x = uint(x), other.y = uint(y), other.row = uint(int(at.row) + y - int(at.y));
    other.exists = x >= 0 && x < int(at.nx) && y >= 0 && y < int(at.ny);
    return other;
}
