// What fell beyond walls folded back into the grid, and beyond walls the mirror image of what is
// before them (fold, reflect in narrow.c). Stands where cells will stand.
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
    if (c.y < 0 || c.y >= law.cells.y) return v; // over an open border: not folded at the floor
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
    bool over = (c.y < 0 && open_low(1)) || (c.y >= law.cells.y && open_high(1));
    for (int k = over ? 1 : 0; k < AXES; k++) { // nor mirrored along x there
        if (c[k] < 0 && !open_low(k)) c[k] = 0, sign[1 + k] = -1.0;
        if (c[k] >= law.cells[k] && !open_high(k)) c[k] = law.cells[k] - 1, sign[1 + k] = -1.0;
    }
    return sign * folded(c);
}

void main()
{
    ivec3 c = ivec3(thread_here()) - ivec3(1, 1, AXES - 2);
    if (halted() || c.x > law.cells.x || c.y > law.cells.y || (AXES == 3 && c.z > law.cells.z))
        return;
    cells[SIZE * slot_of(c)] = mirrored(c);
}
