// Moves the particles (move_plane, move_space, flow_some in move_simd.c), and counts them by the
// bins they come to.
layout(local_size_x = 64) in;
#include "binned"
#include "moved"

float share_of(float a)
{
    float over = a > 0.0 ? a : 0.0; // what is no number, too
    return over > 1.0 ? 1.0 : over;
}

// As foamed() in move_simd.c. A height is all surface.
float foamed(float air, vec3 u, vec3 on, float dense)
{
    precise vec3 off = u - on, square = off * off, own = u * u;
    precise float against = square.x + square.y + square.z, speed = own.x + own.y + own.z;
    precise float under = (1.05 - dense) * 4.0, thin = (0.25 - dense) * 4.0;
#ifdef HEIGHT
    under = 1.0;
#endif
    precise float struck = against * share_of(under) + 0.2 * (speed * share_of(thin));
    precise float more = law.foam * (struck - 0.01);
    precise float left = share_of(air) * law.foam_left;
    precise float now = left + (1.0 - left) * share_of(more);
    return now;
}

// Density of the cell that a particle is in.
float dense_at(vec3 p)
{
    precise float dense = fields[slot_of(ivec3(int(p.x), int(p.y), 0))] * law.per_rest;
    return dense;
}

#ifndef HEIGHT
// The node of the low corner around a place, and the shares of the others.
uint corner_of(vec3 x, out vec3 f)
{
    ivec3 at = ivec3(0);
    f = vec3(0.0);
    for (int c = 0; c < AXES; c++) {
        precise float y = x[c] + 0.5;
        int i = int(y);
        precise float rest = y - float(i);
        f[c] = rest, at[c] = i - 1;
    }
    return slot_of(at);
}

vec4 mixed(vec4 a, vec4 b, float f)
{
    precise vec4 v = a + f * (b - a);
    return v;
}

vec4 node_at(uint at, uint j)
{
    return nodes[SIZE * at + j];
}

// Between the nodes: their first or second four floats.
vec4 between(uint at, vec3 f, uint j)
{
    uint y = law.grid.x;
    vec4 low = mixed(node_at(at, j), node_at(at + 1u, j), f.x);
    vec4 high = mixed(node_at(at + y, j), node_at(at + y + 1u, j), f.x);
    vec4 v = mixed(low, high, f.y);
#ifdef SPACE
    at += law.grid.y;
    low = mixed(node_at(at, j), node_at(at + 1u, j), f.x);
    high = mixed(node_at(at + y, j), node_at(at + y + 1u, j), f.x);
    v = mixed(v, mixed(low, high, f.y), f.z);
#endif
    return v;
}

float move_one(inout vec3 p, inout vec3 own, inout float air)
{
    vec3 f, mid = vec3(0.0), u = vec3(0.0), way = vec3(0.0), after;
    uint at = corner_of(p, f);
    precise float half_move = 0.5 * law.move;
    bool far = false;
#ifdef SPACE
    vec3 change = between(at, f, 0u).xyz;
    vec4 after_there = between(at, f, 1u);
    after = after_there.xyz;
    precise vec3 on = after - change;
    air = law.foam > 0.0 ? foamed(air, own, on, after_there.w) : 0.0;
#else
    vec4 v = between(at, f, 0u);
    vec3 change = vec3(v.xy, 0.0);
    after = vec3(v.zw, 0.0);
    precise vec3 on = after - change;
    if (law.foam > 0.0) air = foamed(air, own, on, dense_at(p));
#endif
    for (int c = 0; c < AXES; c++) {
        precise float kept = law.pic * after[c] + law.keep * (own[c] + change[c]);
        precise float to = p[c] + half_move * after[c];
        u[c] = kept, mid[c] = within(to, 0.0, law.high[c]);
        precise float gone = mid[c] - p[c];
        far = far || abs(gone) > 1.0;
    }
    at = corner_of(mid, f);
#ifdef SPACE
    way = between(at, f, 1u).xyz;
#else
    way = vec3(between(at, f, 0u).zw, 0.0);
#endif
    return finish(p, own, u, far ? after : way);
}
#else
// Particles slide down the level, by the slope of the very kernel that was splatted.
float move_one(inout vec3 p, inout vec3 own, inout float air)
{
    int at[2] = int[2](int(p.x), int(p.y));
    vec3 w[2], d[2];
    for (int c = 0; c < 2; c++) {
        precise float f = p[c] - float(at[c]) - 0.5;
        precise float low = 0.5 - f, high = 0.5 + f;
        precise vec3 weight = vec3(0.5 * low * low, 0.75 - f * f, 0.5 * high * high);
        precise vec3 slope = vec3(-low, -2.0 * f, high);
        w[c] = weight, d[c] = slope;
    }
    uint corner = slot_of(ivec3(at[0] - 1, at[1] - 1, 0));
    precise vec4 v = vec4(0.0);
    precise float along = 0.0, beside = 0.0;
    for (int j = 0; j < 3; j++) {
        uint row = corner + uint(j) * law.grid.x;
        vec4 n0 = nodes[row], n1 = nodes[row + 1u], n2 = nodes[row + 2u];
        precise vec4 sum = w[0].x * n0 + w[0].y * n1 + w[0].z * n2;
        v = v + w[1][j] * sum;
        precise float slope = d[0].x * n0.x + d[0].y * n1.x + d[0].z * n2.x;
        along = along + w[1][j] * slope;
        beside = beside + d[1][j] * sum.x;
    }
    if (law.foam > 0.0) air = foamed(air, own, vec3(v.zw, 0.0), dense_at(p));
    precise float x = law.pic * v.z + law.keep * own.x - along;
    precise float y = law.pic * v.w + law.keep * own.y - beside;
    vec3 u = vec3(x, y, 0.0);
    return finish(p, own, u, u);
}
#endif

void main()
{
    uint i = particle_here();
    if (stopped() || i >= status[COUNT]) return;
#ifdef SPACE
    vec3 p = particles[2u * i].xyz, u = particles[2u * i + 1u].xyz;
#else
    vec4 both = particles[i];
    vec3 p = vec3(both.xy, 0.0), u = vec3(both.zw, 0.0);
#endif
    float air = law.foam > 0.0 ? air_of(i) : 0.0;
    float fastest = move_one(p, u, air);
    if (fastest > 0.0)
        atomicMax(status[RECORDS + 8u * law.record + DONE_FASTEST], floatBitsToUint(fastest));
    bool met = false;
#ifdef SOLID
    met = push_out(p, u);
#endif
#ifdef SPACE
    particles[2u * i] = vec4(p, 0.0);
    particles[2u * i + 1u] = vec4(u, air);
#else
    particles[i] = vec4(p.xy, u.xy);
    uvec2 foams = air_place(i);
    if (law.foam > 0.0) particles[foams.x][foams.y] = air;
#endif
    if (!met) count_in(i, p);
#ifdef BODIES
    if (!met) return;
    uint at = law.boxes_at + uint(1 + 2 * AXES) * atomicAdd(shown[0], 1u);
    shown[at] = i;
    for (int c = 0; c < AXES; c++) {
        shown[at + uint(1 + c)] = floatBitsToUint(p[c]);
        shown[at + uint(1 + AXES + c)] = floatBitsToUint(u[c]);
    }
#endif
}
