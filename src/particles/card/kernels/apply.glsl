// Velocities from pressures, as cells, and what evens out density (apply_of in narrow_simd.c);
// beyond walls their mirror images (reflect in narrow.c).
layout(local_size_x = 32, local_size_y = 4) in;
#include "densities"
#include "walls"

// How much of a cell's density is too much, between 0 and what may count.
float too_dense(float weight, float free)
{
    precise float over = density_of(weight, free, 1.0) - 1.0;
    float more = over < 0.0 ? 0.0 : over;
    return more > 0.25 ? 0.25 : more;
}

void main()
{
    ivec3 to = ivec3(thread_here()) - ivec3(1, 1, AXES - 2);
    if (stopped() || to.x > law.cells.x || to.y > law.cells.y || (AXES == 3 && to.z > law.cells.z))
        return;
    vec4 sign = vec4(1.0);
    ivec3 c = before_wall(to, sign);
    uint at = slot_of(c), slots = law.grid.w, base = law.levels[1].z;
    float p = levels[base + at], own = too_dense(fields[at], share_of(c));
    precise float kept = p * law.fill;
    if (to == c) levels[pressed_of(c)] = kept; // for the next substep
    precise float half_even = 0.5 * law.even;
    vec4 change = vec4(0.0), after = vec4(0.0);
    for (int k = 0; k < AXES; k++) {
        uint s = step_of(k), face = uint(k) * slots + at, speed = uint(AXES + k) * slots + at;
        ivec3 u = unit_of(k);
        float light = faces[face], lighter = faces[face + s];
        precise float low = (light > 0.0 ? law.fall[k] : 0.0) - light * (p - levels[base + at - s]);
        precise float high =
            (lighter > 0.0 ? law.fall[k] : 0.0) - lighter * (levels[base + at + s] - p);
        precise float mean = 0.5 * (low + high);
        precise float end = 0.5 * ((faces[speed] + low) + (faces[speed + s] + high));
        float before = too_dense(weight_of(c, k, -1), share_of(c - u));
        float next = too_dense(weight_of(c, k, 1), share_of(c + u));
        precise float out_of = light > 0.0 ? before - own : 0.0;
        precise float into = lighter > 0.0 ? own - next : 0.0;
        precise float way = half_even * (out_of + into);
        mean = mean - law.hold * way;
        end = end + way;
        change[k] = mean, after[k] = end;
    }
    uint place = SIZE * slot_of(to);
#ifdef SPACE
    precise float whole = fields[at] * law.per_rest;
    if (law.foam > 0.0) after.w = whole;
    cells[place] = sign * change;
    cells[place + 1u] = sign * after;
#else
    cells[place] = sign * vec4(change.xy, after.xy);
#endif
}
