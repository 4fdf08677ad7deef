// Where particles end up: within the walls, out of solids (finish in move_simd.c,
// rv_splat_push_out in solids.c).
float within(float a, float low, float high)
{
    a = a > low ? a : low; // NaN becomes low
    return a < high ? a : high;
}

float arrive(int c, float x, inout float u)
{
    precise float last = law.high[c] - law.inset;
    precise float beyond = law.high[c] + 2.0;
    float low = open_low(c) ? -2.0 : law.inset, high = open_high(c) ? beyond : last;
    x = within(x, low, high);
    if (!open_low(c) && x <= law.inset && u < 0.0) u = 0.0;
    if (!open_high(c) && x >= last && u > 0.0) u = 0.0;
    return x;
}

bool is_number(float a)
{
    return (floatBitsToUint(a) & 0x7f800000u) != 0x7f800000u;
}

// Takes a particle the way that it goes; returns the greatest square of a component of its velocity.
float finish(inout vec3 p, inout vec3 own, vec3 u, vec3 way)
{
    float fastest = 0.0;
    bool fine = true;
    for (int c = 0; c < AXES; c++) {
        precise float both = u[c] + way[c];
        fine = fine && is_number(both);
    }
    if (!fine) { // what is no number stays where it is
        own = vec3(0.0);
        atomicAdd(status[RECORDS + 8u * law.record + DONE_WRONG], 1u);
        return 0.0;
    }
    for (int c = 0; c < AXES; c++) {
        float v = u[c];
        precise float to = p[c] + law.move * way[c];
        p[c] = arrive(c, to, v);
        own[c] = v;
        precise float square = v * v;
        fastest = fastest > square ? fastest : square;
    }
    return fastest;
}

#ifdef SOLID
// Distance to solids at a place, cells, and its gradient.
float distance_at(vec3 p, out vec3 normal)
{
    ivec3 at = ivec3(0);
    vec3 f = vec3(0.0);
    precise float d = 0.0;
    precise vec3 n = vec3(0.0);
    for (int c = 0; c < AXES; c++) {
        precise float x = p[c] - 0.5;
        float low = floor(x);
        precise float rest = x - low;
        at[c] = int(low), f[c] = rest;
    }
    for (int corner = 0; corner < (1 << AXES); corner++) {
        ivec3 o = ivec3(corner & 1, corner >> 1 & 1, corner >> 2 & 1);
        precise vec3 w = vec3(1.0);
        for (int c = 0; c < AXES; c++) {
            precise float left = 1.0 - f[c];
            w[c] = o[c] != 0 ? f[c] : left;
        }
        float v = solid[slot_of(at + o)];
        precise float more = v * w.x * w.y * w.z;
        d = d + more;
        for (int c = 0; c < AXES; c++) {
            precise float others = w[(c + 1) % 3] * w[(c + 2) % 3];
            precise float slope = (o[c] != 0 ? v : -v) * others;
            n[c] = n[c] + slope;
        }
    }
    normal = n;
    return d;
}

// Whether a place is in the cells around a body: those particles are the processor's.
bool by_body(vec3 p)
{
#ifdef BODIES
    ivec3 c = ivec3(p);
    for (uint k = 0u; k < shown[1]; k++) {
        bool there = true;
        for (int a = 0; a < AXES; a++) {
            uint at = 2u + 6u * k + uint(a);
            there = there && c[a] >= int(shown[at]) && c[a] < int(shown[at + 3u]);
        }
        if (there) return true;
    }
#endif
    return false;
}

// True: it met a body, and is not moved.
bool push_out(inout vec3 place, inout vec3 velocity)
{
    vec3 p = place, u = velocity;
    for (int c = 0; c < AXES; c++)
        if (!(p[c] >= 0.0 && p[c] < law.high[c])) return false; // leaves over an open border
    ivec3 own = ivec3(p);
    if (AXES == 2) own.z = 0;
    if (solid[slot_of(own)] > 1.5) return false;
    for (int again = 0; again < 2 && !by_body(p); again++) {
        vec3 n;
        float d = distance_at(p, n);
        precise float square = 0.0, into = 0.0;
        if (!(d < law.clear)) break;
        for (int c = 0; c < AXES; c++) square = square + n[c] * n[c];
        if (!(square > 1e-8)) break;
        float per = quotient_of(1.0, root_of(square));
        precise vec3 unit = n * per;
        for (int c = 0; c < AXES; c++) into = into + u[c] * unit[c];
        for (int c = 0; c < AXES; c++) {
            precise float less = u[c] - into * unit[c];
            if (into < 0.0) u[c] = less;
            precise float x = p[c] + (law.clear - d) * unit[c];
            precise float high = law.high[c] - law.inset;
            p[c] = x < law.inset ? law.inset : x > high ? high : x;
        }
    }
    if (by_body(p)) return true;
    place = p, velocity = u;
    return false;
}
#endif
