// Normals as heights tell them (../../normals.c), and velocities (../../ends.c).
layout(local_size_x = 16, local_size_y = 16) in;

#include "slopes"

shared uint inside;

// By the links within the plane.
vec2 slopes_within(uint slot, int pitch)
{
    uint linked = nodes[slot] >> 8;
    return vec2(slope_between(slot, (linked & 1u) != 0u ? slot + 1u : NONE,
                              (linked & 16u) != 0u ? slot - 1u : NONE),
                slope_between(slot, (linked & 4u) != 0u ? slot + uint(pitch) : NONE,
                              (linked & 64u) != 0u ? slot - uint(pitch) : NONE));
}

// Flux over the deeper of two columns, one of them wet, m²/s.
float through(uint at, uint a, uint b)
{
    return over_of(flux[at + a], depth[a] > depth[b] ? depth[a] : depth[b]);
}

vec3 velocity_of(uint slot, int pitch, vec2 slope)
{
    uint up = slot + uint(pitch), down = slot - uint(pitch), n = law.slots;
    precise float half_dx = 0.5 * law.per_dx;
    precise float u = half_dx * (through(0u, slot - 1u, slot) + through(0u, slot, slot + 1u));
    precise float v = half_dx * (through(n, down, slot) + through(n, slot, up));
    precise float w = u * slope.x + v * slope.y;
    return vec3(u, v, w);
}

void main()
{
    Place p = place_here();
    if (gl_LocalInvocationIndex == 0u) inside = 0u;
    barrier();
    uint kind = p.exists ? kind_of(p.slot) : KIND_NONE;
    if (p.exists) {
        vec2 slope = slopes_within(p.slot, p.pitch);
        if (kind == KIND_WET) slope = slopes_of(p.slot);
        precise float square = slope.x * slope.x + slope.y * slope.y + 1.0;
        float per = quotient_of(1.0, root_of(square));
        precise float x = -slope.x * per, y = -slope.y * per;
        normals[p.slot] = vec4(x, y, per, 0.0);
        if ((kind & 1u) != 0u)
            normals[2u * law.slots + p.slot] = vec4(velocity_of(p.slot, p.pitch, slope), 0.0);
    }
    if (kind != KIND_NONE && is_inside(p.slot)) atomicAdd(inside, 1u);
    barrier();
    uint island = squares[law.from + square_here()];
    if (gl_LocalInvocationIndex == 0u && inside > 0u && island != NONE)
        atomicAdd(status[STATUS_ISLANDS + 4u * island + 3u], inside);
}
