// The depth of the nearest liquid behind the nearest.
#include frame
uniform highp sampler2D front_depth;
centroid in vec4 liquid;

void main()
{
    // Of curtains only the nearest is seen: what stands behind several of them counts more.
    if (liquid.w > 0.5 && liquid.w < 1.5) discard;
    if (gl_FragCoord.z <= texelFetch(front_depth, ivec2(gl_FragCoord.xy), 0).r + 2e-6) discard;
}
