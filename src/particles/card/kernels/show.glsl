// The density of the particles as it is drawn, 1 at rest: two cells a word, as half floats, x fastest.
layout(local_size_x = 256) in;

float density_at(uint i)
{
    uint nx = uint(law.cells.x), ny = uint(law.cells.y);
    if (i >= nx * ny * uint(law.cells.z)) return 0.0;
    uint row = i / nx;
    return sums[slot_of(ivec3(i - row * nx, row % ny, row / ny))].y;
}

void main()
{
    uint nx = uint(law.cells.x), all = nx * uint(law.cells.y) * uint(law.cells.z);
    uint at = thread_here().x + thread_here().y * gl_NumWorkGroups.x * 256u;
    if (2u * at < all) shown[at] = packHalf2x16(vec2(density_at(2u * at), density_at(2u * at + 1u)));
}
