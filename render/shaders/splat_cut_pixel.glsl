// What the picture of a vertical plane of particles needs (render/flat.c), in three stages. Light and thickness are smooth:
// they are found for blocks of 4 × 4 cells.
// GIVEN: of what a card's kernels have made (rv_density_card), else of the sums that were drawn.
#ifdef GIVEN
precision highp float;
precision highp int;
precision highp sampler2D;

uniform sampler2D given; // density, speed in m/s
uniform float per_cell;  // cells of a metre

ivec2 size_of_grid()
{
    return textureSize(given, 0);
}

float density_at(ivec2 c)
{
    return texelFetch(given, c, 0).x;
}

float speed_at(ivec2 c)
{
    return texelFetch(given, c, 0).y * per_cell;
}
#else
#include splat_numbers
uniform sampler2D sums;

ivec2 size_of_grid()
{
    return cells.xy;
}

float density_at(ivec2 c)
{
    return texelFetch(sums, texel(ivec3(c, 0)), 0).w * kernel.w;
}

float speed_at(ivec2 c)
{
    vec4 sum = texelFetch(sums, texel(ivec3(c, 0)), 0);
    return sum.w > 1e-3 * kernel.z ? length(sum.xyz) / sum.w * metre.y : 0.0;
}
#endif
uniform sampler2D walls;  // distance to solids and to bodies, cells
uniform sampler2D blocks; // the stage before
uniform float fade;       // light that a cell takes, as the power of e
out vec4 result;

#if STAGE == 0
// Means over a block: what takes light, what is solid, how full it is.
void main()
{
    ivec2 low = 4 * ivec2(gl_FragCoord.xy), size = size_of_grid();
    vec3 sum = vec3(0.0);
    float count = 0.0;
    for (int y = low.y; y < min(low.y + 4, size.y); y++)
        for (int x = low.x; x < min(low.x + 4, size.x); x++) {
            float density = density_at(ivec2(x, y));
            vec2 wall = texelFetch(walls, ivec2(x, y), 0).xy;
            sum += vec3(clamp(density, 0.0, 1.5), clamp(0.5 - min(wall.x, wall.y), 0.0, 1.0), clamp(density, 0.0, 1.0));
            count += 1.0;
        }
    result = vec4(sum / count, 1.0);
}
#elif STAGE == 1
// Light comes down, leaning to the right, and spreads on its way; the liquid takes some of it, solids nearly all. Then how
// full the surroundings are.
void main()
{
    const float LEAN = 0.26; // cells to the side in a row
    ivec2 block = ivec2(gl_FragCoord.xy), size = textureSize(blocks, 0);
    float lost = 0.0;
    for (int y = block.y; y < size.y; y++) {
        float up = float(y - block.y), x = gl_FragCoord.x - LEAN * up, wide = 0.18 * sqrt(4.0 * up);
        float row = (float(y) + 0.5) / float(size.y);
        vec2 a = textureLod(blocks, vec2((x - wide) / float(size.x), row), 0.0).xy;
        vec2 b = textureLod(blocks, vec2((x + wide) / float(size.x), row), 0.0).xy;
        vec2 mean = 0.5 * (a + b);
        lost += (y == block.y ? 2.0 : 4.0) * (fade * mean.x - log(1.0 - 0.12 * mean.y));
    }
    float full = 0.0, weights = 0.0;
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++) {
            float w = float((3 - abs(x)) * (3 - abs(y)));
            full += w * texelFetch(blocks, clamp(block + ivec2(x, y), ivec2(0), size - 1), 0).z;
            weights += w;
        }
    result = vec4(exp(-lost), full / weights, 0.0, 0.0);
}
#else
// Density, light, how full around, speed in cells a second.
void main()
{
    vec2 soft = textureLod(blocks, 0.25 * gl_FragCoord.xy / vec2(textureSize(blocks, 0)), 0.0).xy;
    ivec2 c = ivec2(gl_FragCoord.xy);
    result = vec4(density_at(c), soft, speed_at(c));
}
#endif
