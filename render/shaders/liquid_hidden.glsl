// Whether a pixel of liquid is thrown away: a solid is nearer, or (PEEL) it is not behind the nearest liquid. Depths are
// compared here and not by the driver, which would want a copy of the solids' for it. Needs scene_depth; PEEL: `liquid`.
#ifdef PEEL
uniform highp sampler2D front_depth;
#endif

bool is_hidden()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    if (gl_FragCoord.z > texelFetch(scene_depth, at, 0).r) return true;
#ifdef PEEL
    // Of curtains and streams only the nearest is seen: what stands behind several of them counts more.
    if (liquid.w > 0.5 && liquid.w < 1.5 || liquid.w > 2.5) return true;
    if (gl_FragCoord.z <= texelFetch(front_depth, at, 0).r + 2e-6) return true;
#endif
    return false;
}
