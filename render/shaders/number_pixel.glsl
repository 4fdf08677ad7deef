// The nearest liquid that no solid hides, or (PEEL) the nearest behind that: its depth, and the number of its triangle.
// Solids' depths are looked up as in front_pixel.glsl.
#include frame
#ifdef PEEL
uniform highp sampler2D front_depth;
centroid in vec4 liquid;
#endif
uniform highp sampler2D scene_depth;
out highp uint number;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    if (gl_FragCoord.z > texelFetch(scene_depth, at, 0).r) discard;
#ifdef PEEL
    // Of curtains only the nearest is seen: what stands behind several of them counts more.
    if (liquid.w > 0.5 && liquid.w < 1.5) discard;
    if (gl_FragCoord.z <= texelFetch(front_depth, at, 0).r + 2e-6) discard;
#endif
    number = uint(gl_PrimitiveID);
}
