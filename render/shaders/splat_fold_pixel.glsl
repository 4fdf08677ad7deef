// Walls are mirrors: what was splatted behind one counts before it, with the velocity into the wall turned round.
#include splat_numbers
uniform sampler2D splats;
out vec4 sum;

// Where cell c has its mirror image behind the low (−1) or the high (1) wall.
int mirror(int c, int n, int side)
{
    return side == 0 ? c : side < 0 ? -1 - c : 2 * n - 1 - c;
}

bool outside(int c, int n)
{
    return c < -parts.z || c >= n + parts.z;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec3 cell = cell_of(at), n = cells.xyz;
    bvec3 low = lessThan(cell, ivec3(0)), high = greaterThanEqual(cell, n);
    sum = vec4(0.0);
    if (any(low) || any(high)) return; // behind a wall, or no cell at all
    sum = texelFetch(splats, at, 0);
    bvec3 near = lessThan(min(cell, n - 1 - cell), ivec3(parts.z));
#if !SOLID
    near.z = false;
#endif
    if (!any(near) || liquid.z < 0.5) return;
    sum = vec4(0.0);
    for (int z = SOLID * -1; z <= SOLID; z++) {
        int k = mirror(cell.z, n.z, z);
        if (outside(k, n.z)) continue;
        for (int y = -1; y <= 1; y++) {
            int j = mirror(cell.y, n.y, y);
            if (outside(j, n.y)) continue;
            for (int x = -1; x <= 1; x++) {
                int i = mirror(cell.x, n.x, x);
                if (outside(i, n.x)) continue;
                vec3 turned = vec3(x == 0 ? 1.0 : -1.0, y == 0 ? 1.0 : -1.0, z == 0 ? 1.0 : -1.0);
                sum += texelFetch(splats, texel(ivec3(i, j, k)), 0) * vec4(turned, 1.0);
            }
        }
    }
}
