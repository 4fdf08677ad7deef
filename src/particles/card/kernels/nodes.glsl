// Cells smoothed by (¼, ½, ¼) along each axis, and their mirror images beyond walls (reflect in
// narrow.c, blur_nodes in narrow_simd.c).
layout(local_size_x = 32, local_size_y = 4) in;

// What changes its sign beyond walls.
vec4 turned(int k)
{
    vec4 sign = vec4(1.0);
#ifdef SPACE
    sign[k] = -1.0;
#else
    sign[2 + k] = -1.0;
#ifndef HEIGHT
    sign[k] = -1.0;
#endif
#endif
    return sign;
}

// The cell that stands for one beyond walls, and its signs.
ivec3 before_wall(ivec3 c, inout vec4 sign)
{
    for (int k = 0; k < AXES; k++) {
        if (c[k] < 0) {
            if (!open_low(k)) sign *= turned(k);
            c[k] = 0;
        }
        if (c[k] >= law.cells[k]) {
            if (!open_high(k)) sign *= turned(k);
            c[k] = law.cells[k] - 1;
        }
    }
    return c;
}

vec4 at(ivec3 c, uint j)
{
    vec4 sign = vec4(1.0);
    ivec3 in_there = before_wall(c, sign);
    return sign * cells[SIZE * slot_of(in_there) + j];
}

vec4 blurred_y(ivec3 c, uint j)
{
    vec4 l = at(c - ivec3(0, 1, 0), j), h = at(c + ivec3(0, 1, 0), j);
    precise vec4 v = 0.25 * (l + h) + 0.5 * at(c, j);
    return v;
}

vec4 across(ivec3 c, uint j)
{
#ifdef SPACE
    vec4 near = blurred_y(c - ivec3(0, 0, 1), j), own = blurred_y(c, j);
    vec4 beyond = blurred_y(c + ivec3(0, 0, 1), j);
    precise vec4 v = 0.25 * (near + beyond) + 0.5 * own;
    return v;
#else
    return blurred_y(c, j);
#endif
}

void main()
{
    ivec3 c = ivec3(thread_here()) - ivec3(1, 1, AXES - 2);
    if (stopped() || c.x > law.cells.x || c.y > law.cells.y || (AXES == 3 && c.z > law.cells.z))
        return;
    vec4 sign = vec4(1.0);
    ivec3 own = before_wall(c, sign);
    for (uint j = 0u; j < SIZE; j++) {
        vec4 low = across(own - ivec3(1, 0, 0), j), high = across(own + ivec3(1, 0, 0), j);
        precise vec4 v = 0.25 * (low + high) + 0.5 * across(own, j);
        nodes[SIZE * slot_of(c) + j] = sign * v;
    }
}
