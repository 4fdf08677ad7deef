// Groups of 32 columns in each of 8 rows; TALL: of 32 rows, and a thread has every eighth of them,
// so that what is known of the rows around is found once for more columns.
layout(local_size_x = 32, local_size_y = 8) in;
#ifdef TALL
#define TIMES 4u
#define HIGH 32u
#else
#define TIMES 1u
#define HIGH 8u
#endif

// Calls take(at, x, y) for all places of a field of `wide` by `high` around the group.
#define EACH_PLACE(take, at, wide, high)                                                           \
    for (uint k = gl_LocalInvocationIndex; k < (wide) * (high); k += 256u)                         \
        take(at, k % (wide), k / (wide));

// The first of this thread's columns.
Place place_first()
{
    uvec3 t = thread_here();
    uint p = min(t.z, 15u); // higher ones go over lists
    uvec4 a = law.plane[2u * p];
    uint y = (t.y - gl_LocalInvocationID.y) * TIMES + gl_LocalInvocationID.y;
    return Place(a.x + y * a.y + t.x, a.y, t.x, y, a.z, a.w, law.plane[2u * p + 1u].x + y,
                 t.x < a.z && y < a.w);
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

// This thread's column of pass `k`, of TIMES.
Place place_of_pass(Place at, uint k)
{
    return moved_to(at, int(at.x), int(at.y + 8u * k));
}
