// What of the lamp's light the liquid takes (blue: 1) and where it lets it fall: red, times the light without it; green, that
// times its way through the liquid; alpha, times the depth in the map where it ends.
#include frame
uniform highp sampler2D blocker;
uniform highp sampler2D wet_depth;
in vec3 start;
in float way;
in vec2 bed;
out vec4 colour;

void main()
{
    // How much of the lamp's light, as it comes, falls into this texel of the map.
    vec2 across = dFdx(start.xy), along = dFdy(start.xy);
    float gain = abs(across.x * along.y - across.y * along.x) * wet.y * wet.y;
    // Not what stands in the shadow of solids. A film lies on its bed, whose map is coarse: two cells do not hide it.
    if (start.z > textureLod(blocker, start.xy, 0.0).r + 2.0 / key_light.w) discard;
    // A film takes nothing that would be seen, and what is bent in it is not known.
    float whole = smoothstep(0.0, 0.25, bed.x);
#ifdef BENT
    // Nor what has liquid before it: light goes in once.
    if (start.z > textureLod(wet_depth, start.xy, 0.0).r + 1.5 / key_light.w) discard;
    gain = whole * min(gain, 6.0);
    colour = vec4(gain, gain * way, 0.0, gain * bed.y);
#else
    colour = vec4(0.0, 0.0, gain > 0.0 ? whole : 0.0, 0.0);
#endif
}
