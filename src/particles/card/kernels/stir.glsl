// Particles near a rod are pulled toward its velocity (stir in ../../narrow.c).
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here();
    if (halted() || i >= status[COUNT]) return;
#ifdef SPACE
    vec3 p = particles[2u * i].xyz, u = particles[2u * i + 1u].xyz;
#else
    vec3 p = vec3(particles[i].xy, 0.0), u = vec3(particles[i].zw, 0.0);
#endif
    precise vec3 off = vec3(0.0);
    precise float along = 0.0, square = 0.0;
    for (int c = 0; c < AXES; c++) {
        off[c] = p[c] - law.rod_from[c];
        along = along + off[c] * law.rod_way[c];
    }
    along = along * law.rod_way.w;
    along = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
    for (int c = 0; c < AXES; c++) {
        off[c] = off[c] - along * law.rod_way[c];
        square = square + off[c] * off[c];
    }
    precise float left = 1.0 - square * law.rod_from.w;
    if (!(left > 0.0)) return;
    precise float part = left * law.rod_speed.w;
    for (int c = 0; c < AXES; c++) {
        precise float v = u[c] + part * (law.rod_speed[c] - u[c]);
        u[c] = v;
    }
#ifdef SPACE
    particles[2u * i + 1u].xyz = u;
#else
    particles[i] = vec4(p.xy, u.xy);
#endif
}
