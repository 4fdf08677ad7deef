// Liquid, drawn: its shape and its light at once.
#include frame
#include liquid_seen
#include liquid_shape
#include liquid_light
#ifdef SECOND
uniform highp sampler2D front_depth;
#endif
out vec4 colour;

void main()
{
#ifdef SECOND
    // Of curtains only the nearest is seen: what stands behind several of them counts more.
    if (liquid.w > 0.5 && liquid.w < 1.5 || liquid.w > 2.5) discard; // and of streams
    if (gl_FragCoord.z <= texelFetch(front_depth, ivec2(gl_FragCoord.xy), 0).r + 2e-6) discard;
#endif
    find_shape();
    colour = liquid_colour(gl_FragCoord.xy * picture.zw);
}
