// For each box of 4³ cells and those around it: red, some are as dense as the surface; green, some are not. Four layers of
// boxes at once.
precision highp float;
precision highp int;
precision highp sampler3D;
uniform sampler3D density;
uniform int first; // layer
uniform float level;
layout(location = 0) out vec4 boxes[4];

// The least and the most of a slice of cells.
vec2 range_of(ivec2 low, ivec2 high, int slice)
{
    vec2 range = vec2(1e30, -1e30);
    for (int y = low.y; y <= high.y; y++)
        for (int x = low.x; x <= high.x; x++) {
            float d = texelFetch(density, ivec3(x, y, slice), 0).r;
            range = vec2(min(range.x, d), max(range.y, d));
        }
    return range;
}

void main()
{
    ivec3 last = textureSize(density, 0) - 1;
    ivec2 box = ivec2(gl_FragCoord.xy);
    ivec2 low = max(4 * box - 1, ivec2(0)), high = min(4 * box + 4, last.xy);
    vec2 range[4];
    for (int k = 0; k < 4; k++) range[k] = vec2(1e30, -1e30);
    for (int z = -1; z <= 16; z++) {
        int slice = 4 * first + z;
        if (slice < 0 || slice > last.z) continue;
        vec2 here = range_of(low, high, slice);
        for (int k = 0; k < 4; k++)
            if (z >= 4 * k - 1 && z <= 4 * k + 4)
                range[k] = vec2(min(range[k].x, here.x), max(range[k].y, here.y));
    }
    boxes[0] = vec4(step(level, range[0].y), step(range[0].x, level), 0.0, 0.0);
    boxes[1] = vec4(step(level, range[1].y), step(range[1].x, level), 0.0, 0.0);
    boxes[2] = vec4(step(level, range[2].y), step(range[2].x, level), 0.0, 0.0);
    boxes[3] = vec4(step(level, range[3].y), step(range[3].x, level), 0.0, 0.0);
}
