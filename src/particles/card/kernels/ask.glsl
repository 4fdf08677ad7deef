// Which cells have pressure, what is asked of it, and the conductances between them (ask, join in
// narrow_simd.c); and the pressure to begin with, that of the substep before (guess in pressure.c).
layout(local_size_x = 32, local_size_y = 4) in;
#include "densities"

// What density off that at rest asks for: of a divergence, in cells a substep.
float wanted(float density)
{
    precise float off = density - 1.0;
    precise float thin = 0.03 * (off > -0.4 ? off : -0.4);
    precise float gap = off + 0.4;
    precise float closing = thin + (gap < 0.0 ? gap : 0.0);
    precise float over = off - 0.01;
    precise float dense = 0.03 * (over < 0.25 ? over : 0.25);
    return over > 0.0 ? dense : off > 0.0 ? 0.0 : closing;
}

float own_density(ivec3 c)
{
    float w = fields[slot_of(c)];
    precise float other = w * law.per_rest;
    return density_of(w, share_of(c), other);
}

// Of the contraction that a cell may ask for, the share that it gets.
float blunt_part(float density, float steep)
{
    precise float sharp = 2.9 * (density * (1.0 - density));
    precise float part = 8.0 * (sharp - steep);
    return part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
}

float steep_at(ivec3 c, float own)
{
    float steep = 0.0;
    for (int k = 0; k < AXES; k++) {
        ivec3 u = unit_of(k);
        float low = density_of(weight_of(c, k, -1), share_of(c - u), own);
        float high = density_of(weight_of(c, k, 1), share_of(c + u), own);
        precise float off = high > low ? high - low : low - high;
        precise float twice = off + off;
        off = low == own || high == own ? twice : off;
        steep = steep > off ? steep : off;
    }
    return steep;
}

bool has_pressure(ivec3 c)
{
    if (!inside(c)) return false;
    return share_of(c) > 0.03 && own_density(c) > 0.05;
}

void main()
{
    ivec3 c = ivec3(thread_here());
    if (halted() || !inside(c)) return;
    uint at = slot_of(c), slots = law.grid.w;
    float q = own_density(c), free = share_of(c);
    bool has = free > 0.03 && q > 0.05;
    float asked = wanted(q), part = blunt_part(q, steep_at(c, q));
    precise float parted = part * asked;
    float first_b = asked < 0.0 ? parted : asked;
    precise float filling = law.fill * free;
    precise float b = first_b * filling;
    precise float diag = 0.0;
    uint base = law.levels[1].z, joints = base + 4u * slots;
    for (int k = 0; k < AXES; k++) {
        uint face = uint(k) * slots + at, speed = uint(AXES + k) * slots + at, s = step_of(k);
        float light = faces[face], lighter = faces[face + s];
        precise float low = faces[speed] + (light > 0.0 ? law.fall[k] : 0.0);
        precise float high = faces[speed + s] + (lighter > 0.0 ? law.fall[k] : 0.0);
        precise float k_low = light, k_high = lighter;
#ifdef SOLID
        ivec3 u = unit_of(k);
        float below = face_share(free, share_of(c - u)), above = face_share(free, share_of(c + u));
        low = low * below, high = high * above;
        k_low = k_low * below, k_high = k_high * above;
#endif
        b = b - (high - low);
        diag = diag + (k_low + k_high);
        bool both = has && has_pressure(c - unit_of(k));
        levels[joints + uint(k) * slots + at] = both ? k_low : 0.0;
    }
    bool presses = has && diag > 0.0;
    precise float begins = levels[pressed_of(c)] * law.move;
    float p = presses ? begins : 0.0;
    levels[base + at] = p;
#ifndef SPACE
    levels[base + 6u * slots + at] = p; // strip.glsl begins there
#endif
    levels[base + slots + at] = b;
    levels[base + 2u * slots + at] = diag;
    levels[base + 3u * slots + at] = presses ? quotient_of(1.0, diag) : 0.0;
    if (has) atomicMin(rows[law.levels[2].x + uint(c.y) + uint(c.z * law.cells.y)], uint(c.x));
    if (q > 0.0) atomicMax(status[RECORDS + 8u * law.record + DONE_DENSEST], floatBitsToUint(q));
}
