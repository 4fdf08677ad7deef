// Lists the particles of each bin, in any order.
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here();
    if (stopped() || i >= status[COUNTED]) return;
    uvec2 own = bin_of[i];
    if (own.x != GONE) counts[law.bins + first_at(own.x) + own.y] = i;
}
