// The depth of liquid, where no solid hides it. Depths are compared here and not by the driver, which would want a copy of
// the solids' for it; what is drawn after this asks for the very depth that is left (GL_EQUAL).
#include frame
#ifdef PEEL
uniform highp sampler2D front_depth;
centroid in vec4 liquid;
#endif
uniform highp sampler2D scene_depth;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    if (gl_FragCoord.z > texelFetch(scene_depth, at, 0).r) discard;
#ifdef PEEL // of the nearest behind the nearest
    // Of curtains only the nearest is seen: what stands behind several of them counts more.
    if (liquid.w > 0.5 && liquid.w < 1.5) discard;
    if (gl_FragCoord.z <= texelFetch(front_depth, at, 0).r + 2e-6) discard;
#endif
}
