// Smooths the sums by (¼, ½, ¼) along each axis; what fell beyond walls is folded back on the way
// (fold, reflect in narrow.c).
layout(local_size_x = 32, local_size_y = 4) in;

// Along x, as folding leaves it.
vec4 folded_x(ivec3 c)
{
    precise vec4 v = sums[slot_of(c)];
    if (c.x == 0 && !open_low(0)) {
        vec4 o = sums[slot_of(c - ivec3(1, 0, 0))];
        v = v + vec4(o.x, -o.y, o.z, o.w);
    }
    if (c.x == law.cells.x - 1 && !open_high(0)) {
        vec4 o = sums[slot_of(c + ivec3(1, 0, 0))];
        v = v + vec4(o.x, -o.y, o.z, o.w);
    }
    return v;
}

vec4 folded_y(ivec3 c)
{
    precise vec4 v = folded_x(c);
    if (c.y == 0 && !open_low(1)) {
        vec4 o = folded_x(c - ivec3(0, 1, 0));
        v = v + vec4(o.x, o.y, -o.z, o.w);
    }
    if (c.y == law.cells.y - 1 && !open_high(1)) {
        vec4 o = folded_x(c + ivec3(0, 1, 0));
        v = v + vec4(o.x, o.y, -o.z, o.w);
    }
    return v;
}

vec4 folded(ivec3 c)
{
    precise vec4 v = folded_y(c);
#ifdef SPACE
    if (c.z == 0 && !open_low(2)) {
        vec4 o = folded_y(c - ivec3(0, 0, 1));
        v = v + vec4(o.xyz, -o.w);
    }
    if (c.z == law.cells.z - 1 && !open_high(2)) {
        vec4 o = folded_y(c + ivec3(0, 0, 1));
        v = v + vec4(o.xyz, -o.w);
    }
#endif
    return v;
}

// With its mirror image beyond walls that are closed.
vec4 mirrored(ivec3 c)
{
    vec4 sign = vec4(1.0);
    for (int k = 0; k < AXES; k++) {
        if (c[k] < 0 && !open_low(k)) c[k] = 0, sign[1 + k] = -1.0;
        if (c[k] >= law.cells[k] && !open_high(k)) c[k] = law.cells[k] - 1, sign[1 + k] = -1.0;
    }
    return sign * folded(c);
}

vec4 at(ivec3 c, bool far)
{
    return far ? sums[slot_of(c)] : mirrored(c);
}

vec4 blurred_y(ivec3 c, bool far)
{
    vec4 l = at(c - ivec3(0, 1, 0), far), h = at(c + ivec3(0, 1, 0), far);
    precise vec4 v = 0.25 * (l + h) + 0.5 * at(c, far);
    return v;
}

vec4 across(ivec3 c, bool far)
{
#ifdef SPACE
    vec4 near = blurred_y(c - ivec3(0, 0, 1), far), own = blurred_y(c, far);
    vec4 beyond = blurred_y(c + ivec3(0, 0, 1), far);
    precise vec4 v = 0.25 * (near + beyond) + 0.5 * own;
    return v;
#else
    return blurred_y(c, far);
#endif
}

void main()
{
    ivec3 c = ivec3(thread_here());
    if (halted() || !inside(c)) return;
    bool far = all(greaterThan(c.xy, ivec2(1))) && all(lessThan(c.xy, law.cells.xy - 2));
#ifdef SPACE
    far = far && c.z > 1 && c.z < law.cells.z - 2;
#endif
    vec4 low = across(c - ivec3(1, 0, 0), far), own = across(c, far);
    vec4 high = across(c + ivec3(1, 0, 0), far);
    precise vec4 v = 0.25 * (low + high) + 0.5 * own;
    uint slot = slot_of(c);
    for (uint k = 0u; k <= uint(AXES); k++) fields[k * law.grid.w + slot] = v[k];
    // rows as the next kernels find them
    if (c.x == 0)
        rows[law.levels[2].x + uint(c.y) + uint(c.z) * uint(law.cells.y)] = TOO_FAR;
}
