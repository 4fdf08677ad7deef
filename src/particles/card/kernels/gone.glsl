// Particles that are taken out: beyond the grid, so that no bin counts them when they are sorted next.
layout(local_size_x = 64) in;

void main()
{
    uint k = particle_here();
    if (k < law.most) particles[SIZE * shown[law.boxes_at + k]].x = -1.0;
}
