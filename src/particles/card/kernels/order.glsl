// Puts the particles into the order of their bins, those of one in the order they had: what a stable
// sort gives.
layout(local_size_x = 64) in;

void main()
{
    uint k = particle_here();
    if (stopped() || k >= status[COUNT]) return;
    uint i = counts[law.bins + k], bin = bin_of[i].x;
    uint from = first_at(bin), to = first_at(bin + 1u), place = from;
    for (uint j = from; j < to; j++)
        if (counts[law.bins + j] < i) place++;
    for (uint c = 0u; c < SIZE; c++) others[SIZE * place + c] = particles[SIZE * i + c];
#ifndef SPACE
    if (law.foam <= 0.0) return;
    uvec2 at = air_place(place);
    others[at.x][at.y] = air_of(i);
#endif
}
