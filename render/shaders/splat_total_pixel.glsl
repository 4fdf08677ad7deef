// The total of 8 × 8 texels of the last level: of the particles' places and the squares of their speeds, or of totals so
// far. Kept as bits, as particles are: not every driver draws into textures of floats.
#include splat_numbers
#if PARTS
uniform usampler2D places, motions;
#else
uniform usampler2D found;
#endif
out uvec4 total;

void main()
{
    ivec2 low = 8 * ivec2(gl_FragCoord.xy);
#if PARTS
    ivec2 high = min(low + 8, textureSize(motions, 0));
#else
    ivec2 high = min(low + 8, textureSize(found, 0));
#endif
    vec4 sum = vec4(0.0);
    for (int y = low.y; y < high.y; y++) {
        vec4 row = vec4(0.0);
        for (int x = low.x; x < high.x; x++) {
#if PARTS
            if (y * parts.x + x >= parts.y) break;
            uvec4 place = texelFetch(places, ivec2(x, y), 0);
            vec3 u = uintBitsToFloat(texelFetch(motions, ivec2(x, y), 0).xyz);
            if (place.w == 0u) row += vec4(uintBitsToFloat(place.xyz), dot(u, u)); // it is on the grid
#else
            row += uintBitsToFloat(texelFetch(found, ivec2(x, y), 0));
#endif
        }
        sum += row;
    }
    total = floatBitsToUint(sum);
}
