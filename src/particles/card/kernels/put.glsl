// Particles that met a body come back, and are counted: which one, place, velocity (../bodies.c).
layout(local_size_x = 64) in;
#include "binned"

float listed_at(uint at)
{
    return uintBitsToFloat(shown[at]);
}

void main()
{
    uint k = particle_here(), at = law.boxes_at + uint(1 + 2 * AXES) * k, v = at + uint(1 + AXES);
    if (halted() || k >= law.most) return;
    uint i = shown[at];
    vec3 p = vec3(listed_at(at + 1u), listed_at(at + 2u), 0.0);
#ifdef SPACE
    p.z = listed_at(at + 3u);
    particles[2u * i] = vec4(p, 0.0);
    particles[2u * i + 1u].xyz = vec3(listed_at(v), listed_at(v + 1u), listed_at(v + 2u));
#else
    particles[i] = vec4(p.xy, listed_at(v), listed_at(v + 1u));
#endif
    count_in(i, p);
}
