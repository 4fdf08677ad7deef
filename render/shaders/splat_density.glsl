// Density for the pressure, 1 at rest, and what solids do to it.
uniform sampler2D sums;
uniform sampler2D solids; // their velocity, m/s; distance to them, cells

// Share of a kernel on the liquid's side of a plane, t radii away from its middle.
float share_of(float t)
{
    if (abs(t) >= 1.0) return step(0.0, t);
    float t2 = t * t;
    return 0.5 + 315.0 / 256.0 * t * (1.0 + t2 * (-4.0 / 3.0 + t2 * (6.0 / 5.0 + t2 * (-4.0 / 7.0 + t2 / 9.0))));
}

// Density of a cell, and 1, or 0 where it is in a solid and has no pressure of its own.
vec2 dense_at(ivec3 cell)
{
    ivec2 at = texel(cell);
    float density = texelFetch(sums, at, 0).w * kernel.w;
    if (more.y == 0) return vec2(density, 1.0);
    float away = texelFetch(solids, at, 0).w;
#if !HEIGHT
    float share = share_of(away / kernel.x);
    density = law.w != 0 ? min(density / max(share, 0.2), max(density, 1.25)) : density + 1.0 - share;
#endif
    return vec2(density, away > -1.0 ? 1.0 : 0.0);
}

// Smoothed along one axis: what flows over from its two neighbours, none over walls.
float flows(vec2 own, vec2 low, vec2 high)
{
    return own.x + 0.25 * (low.y * (low.x - own.x) + high.y * (high.x - own.x));
}

vec2 smooth_x(ivec3 cell)
{
    vec2 own = dense_at(cell);
    ivec3 low = ivec3(max(cell.x - 1, 0), cell.yz), high = ivec3(min(cell.x + 1, cells.x - 1), cell.yz);
    return vec2(flows(own, dense_at(low), dense_at(high)), own.y);
}

float smooth_xy(ivec3 cell)
{
    ivec3 low = ivec3(cell.x, max(cell.y - 1, 0), cell.z), high = ivec3(cell.x, min(cell.y + 1, cells.y - 1), cell.z);
    return flows(smooth_x(cell), smooth_x(low), smooth_x(high));
}
