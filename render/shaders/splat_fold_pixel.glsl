// Walls are mirrors: what was splatted behind one counts before it, with the velocity into the wall turned round.
#include splat_numbers
uniform sampler2D splats;
out vec4 sum;

// Where cell c has its mirror image behind the low (−1) or the high (1) wall of an axis. false: it has none.
bool mirror(inout int c, int n, int axis, int side)
{
    if (side == 0) return true;
    if (is_open(axis, side < 0 ? 0 : 1)) return false;
    c = side < 0 ? -1 - c : 2 * n - 1 - c;
    return c >= -parts.z && c < n + parts.z;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec3 cell = cell_of(at), n = cells.xyz;
    sum = vec4(0.0);
    if (!on_grid(cell)) return;
    bvec3 near = lessThan(min(cell, n - 1 - cell), ivec3(parts.z));
#if !SOLID
    near.z = false;
#endif
    if (!any(near) || law.w == 0) {
        sum = texelFetch(splats, at, 0);
        return;
    }
    for (int z = SOLID * -1; z <= SOLID; z++) {
        int k = cell.z;
        if (!mirror(k, n.z, 2, z)) continue;
        for (int y = -1; y <= 1; y++) {
            int j = cell.y;
            if (!mirror(j, n.y, 1, y)) continue;
            for (int x = -1; x <= 1; x++) {
                int i = cell.x;
                if (!mirror(i, n.x, 0, x)) continue;
                vec3 turned = vec3(x == 0 ? 1.0 : -1.0, y == 0 ? 1.0 : -1.0, z == 0 ? 1.0 : -1.0);
                sum += texelFetch(splats, texel(ivec3(i, j, k)), 0) * vec4(turned, 1.0);
            }
        }
    }
}
