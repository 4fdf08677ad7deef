// Counts the particles of each bin; which of them comes first is found later.
layout(local_size_x = 64) in;
#include "binned"

void main()
{
    uint i = particle_here();
    if (halted() || i >= status[COUNT]) return;
    count_in(i, particles[SIZE * i].xyz);
}
