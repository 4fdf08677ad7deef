// Heights of wet columns at a wall: a plane through the levels around (../../shape.c). The columns of a
// square and those around it are brought to where the threads of the group all have them.
#define AROUND 3
#define LOOSE 0.05
#define WIDE (SQUARE + 2 * AROUND)

shared vec4 near_by[WIDE * WIDE]; // base, depth, min, max; a depth under 0: there is none

// Where this thread's column is in it.
int near_here()
{
    return (int(gl_LocalInvocationID.y) + AROUND) * WIDE + int(gl_LocalInvocationID.x) + AROUND;
}

// All threads of a group together.
void bring_near(Place p)
{
    int x0 = p.x - int(gl_LocalInvocationID.x), y0 = p.y - int(gl_LocalInvocationID.y);
    for (int k = int(gl_LocalInvocationIndex); k < WIDE * WIDE; k += SQUARE * SQUARE) {
        uint o;
        bool is = slot_in(p.plane, x0 + k % WIDE - AROUND, y0 + k / WIDE - AROUND, o);
        o = is ? o : 0u;
        vec4 own = vec4(base_at(o), depth[o], min_at(o), max_at(o));
        near_by[k] = vec4(own.x, is ? own.y : -1.0, own.zw);
    }
    barrier();
}

float level_in(vec4 column)
{
    precise float level = column.x + (column.y > 0.0 ? column.y : 0.0);
    return level;
}

float wall_rise()
{
    vec4 own = near_by[near_here()];
    float level = level_in(own), low = 0.0, high = 0.0;
    precise float weight = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0;
    precise float sh = 0.0, sxh = 0.0, syh = 0.0;
    for (int y = -AROUND; y <= AROUND; y++) {
        for (int x = -AROUND; x <= AROUND; x++) {
            vec4 o = near_by[near_here() + y * WIDE + x];
            float other = level_in(o);
            bool linked = level >= o.z && level < o.w && other >= own.z && other < own.w;
            if (!linked || !(o.y > law.film)) continue;
            precise float cells = o.y * law.per_dx, h = other - level;
            precise float share =
                float((AROUND + 1 - abs(x)) * (AROUND + 1 - abs(y))) * clamp01(cells);
            precise float wx = share * float(x), wy = share * float(y);
            weight += share, sx += wx, sy += wy;
            sxx += wx * float(x), sxy += wx * float(y), syy += wy * float(y);
            sh += share * h, sxh += wx * h, syh += wy * h;
            low = h < low ? h : low, high = h > high ? h : high;
        }
    }
    if (!(weight > 0.5)) return 0.0;
    float per = quotient_of(1.0, weight);
    precise float x = sx * per, y = sy * per, h = sh * per;
    precise float xx = sxx * per - x * x + LOOSE, yy = syy * per - y * y + LOOSE;
    precise float xy = sxy * per - x * y, xh = sxh * per - x * h, yh = syh * per - y * h;
    precise float both = xx * yy - xy * xy;
    float whole = over_of(1.0, both);
    precise float along_x = (xh * yy - yh * xy) * whole, along_y = (yh * xx - xh * xy) * whole;
    precise float at = h - along_x * x - along_y * y;
    return smaller(larger(at, low), high);
}

// How far a column is at a wall; `near`: directions of all that it is linked to.
float walls_at(Node n, float bed, uint near)
{
    float steep = 0.0;
    for (int d = 0; d < 8; d++) {
        if ((near >> d & 1u) == 0u) continue;
        precise float up = n.base[d] - bed;
        precise float rise = abs(up) * law.per_dx * ((d & 1) != 0 ? 0.70710678 : 1.0);
        steep = larger(steep, rise);
    }
    precise float over = steep - 1.0;
    return over;
}

// Of a column that is at one: `over` more than 0.
float wall_height(uint slot, float over)
{
    precise float height = level_in(near_by[near_here()]) + wall_rise();
    return larger(mixed(z_of(slot), height, clamp01(over)), floor_at(slot));
}
