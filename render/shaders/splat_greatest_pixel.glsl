// The greatest of 8 × 8 texels of the last level: of the squared speeds of particles, of the sums of weights of cells, or
// of what was found so far. Numbers that are not negative compare like their bits.
#include splat_numbers
#if PARTS
uniform usampler2D motions;
#elif CELLS
uniform sampler2D sums;
#else
uniform usampler2D found;
#endif
out uvec4 greatest;

void main()
{
    ivec2 low = 8 * ivec2(gl_FragCoord.xy);
#if PARTS
    ivec2 high = min(low + 8, textureSize(motions, 0));
#elif CELLS
    ivec2 high = min(low + 8, textureSize(sums, 0));
#else
    ivec2 high = min(low + 8, textureSize(found, 0));
#endif
    uint most = 0u;
    for (int y = low.y; y < high.y; y++)
        for (int x = low.x; x < high.x; x++) {
#if PARTS
            if (y * parts.x + x >= parts.y) break;
            vec3 u = uintBitsToFloat(texelFetch(motions, ivec2(x, y), 0).xyz);
            most = max(most, floatBitsToUint(dot(u, u)));
#elif CELLS
            most = max(most, floatBitsToUint(max(texelFetch(sums, ivec2(x, y), 0).w, 0.0)));
#else
            most = max(most, texelFetch(found, ivec2(x, y), 0).x);
#endif
        }
    greatest = uvec4(most);
}
