// The smaller levels of the map of light through liquid, all of them at once: means of four texels. A group has 16 x 16 of
// the first.
#include frame
#include part
uniform highp sampler2D wet_light;
layout(rgba16f, binding = 0) writeonly uniform highp image2D to;
layout(rgba16f, binding = 1) writeonly uniform highp image2D to_third;
layout(rgba16f, binding = 2) writeonly uniform highp image2D to_fourth;
layout(rgba16f, binding = 3) writeonly uniform highp image2D to_fifth;
shared highp uvec2 light[64];

// As a texel holds it: what a level is made of is rounded as it would be if it were read again.
uvec2 halved(vec4 c)
{
    return uvec2(packHalf2x16(c.rg), packHalf2x16(c.ba));
}

vec4 whole(uvec2 c)
{
    return vec4(unpackHalf2x16(c.x), unpackHalf2x16(c.y));
}

// The mean of four of the level before, which has `side` texels of this group each way.
vec4 mean_of(ivec2 own, int side)
{
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 4; k++) {
        ivec2 from = 2 * own + ivec2(k & 1, k >> 1);
        sum += whole(light[from.y * side + from.x]);
    }
    return 0.25 * sum;
}

void main()
{
    ivec2 at = own_pixel(), own = ivec2(gl_LocalInvocationID.xy);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 4; k++) sum += texelFetch(wet_light, 2 * at + ivec2(k & 1, k >> 1), 0);
    sum *= 0.25;
    imageStore(to, at, sum);
    light[own.y * 8 + own.x] = halved(sum);
    for (int side = 4; side >= 1; side /= 2) {
        bool works = own.x < side && own.y < side;
        barrier();
        if (works) sum = mean_of(own, 2 * side);
        barrier();
        if (!works) continue;
        ivec2 there = at / 8 * side + own;
        light[own.y * side + own.x] = halved(sum);
        if (side == 4) imageStore(to_third, there, sum);
        else if (side == 2) imageStore(to_fourth, there, sum);
        else imageStore(to_fifth, there, sum);
    }
}
