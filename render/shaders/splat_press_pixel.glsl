// Pressure over density at rest (m²/s²): k ((ρ/ρ0)^γ − 1) + κ, with κ instead of k where that is less than κ; and what
// damps motion that compresses. Form height: g times the level (splat paper §1.6: the bed is the obstacle, density the depth).
#include splat_numbers
#include splat_density
uniform sampler2D smoothed;
uniform sampler2D bed; // form height: its height over the grid's bottom, m
out vec4 pressure;

float power(float q)
{
    float q2 = q * q, q4 = q2 * q2;
    return ((law.y & 1) != 0 ? q : 1.0) * (((law.y & 2) != 0 ? q2 : 1.0) * ((law.y & 4) != 0 ? q4 : 1.0));
}

// Density that is pressed.
float pressed(ivec3 cell)
{
    if (more.x == 0) return dense_at(cell).x;
#if SOLID
    vec2 own = texelFetch(smoothed, texel(cell), 0).xy;
    vec2 low = texelFetch(smoothed, texel(ivec3(cell.xy, max(cell.z - 1, 0))), 0).xy;
    vec2 high = texelFetch(smoothed, texel(ivec3(cell.xy, min(cell.z + 1, cells.z - 1))), 0).xy;
    return flows(own, low, high);
#else
    return smooth_xy(cell);
#endif
}

// Velocity along an axis in a neighbouring cell; in solids and beyond walls that of the cell, turned round.
float velocity(ivec3 cell, float own, int axis)
{
    if (!on_grid(cell)) return -own;
    ivec2 at = texel(cell);
    if (more.y != 0 && texelFetch(solids, at, 0).w <= -1.0) return -own;
    vec4 sum = texelFetch(sums, at, 0);
    return sum.w > TINY ? sum[axis] / sum.w : 0.0;
}

void main()
{
    ivec3 cell = cell_of(ivec2(gl_FragCoord.xy));
    pressure = vec4(0.0);
    if (!on_grid(cell)) return;
    float q = pressed(cell);
#if HEIGHT
    pressure.x = metre.z * texelFetch(bed, cell.xy, 0).x + press.z * q;
#else
    float over = power(q) - 1.0;
    pressure.x = (over > 0.0 ? press.x : press.y) * over + press.y;
    if (press.w <= 0.0 || dense_at(cell).x <= 0.9) return;
    vec4 sum = texelFetch(sums, texel(cell), 0);
    vec3 u = sum.w > TINY ? sum.xyz / sum.w : vec3(0.0);
    for (int axis = 0; axis < 2 + SOLID; axis++) {
        ivec3 side = ivec3(axis == 0, axis == 1, axis == 2);
        pressure.x -= press.w * (velocity(cell + side, u[axis], axis) - velocity(cell - side, u[axis], axis));
    }
#endif
}
