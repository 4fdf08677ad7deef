// Cells beyond walls stand for those before them.

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
