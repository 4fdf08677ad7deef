// The studio behind the block, and the floor that it stands on.
#include frame
#include light
uniform sampler2D floor_light;
in vec2 place;
out vec4 colour;

void main()
{
    vec2 side = 2.0 * place - 1.0;
    vec3 ray = normalize(forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz);
    // A sheet of paper that hangs behind and lies in front: brightest where it bends.
    float rise = smoothstep(-0.1, 1.05, place.y);
    vec3 c = mix(vec3(0.40, 0.405, 0.415), vec3(0.150, 0.165, 0.190), rise);
    c *= vec3(sky[0].w, sky[1].w, sky[2].w) * (1.0 - 0.22 * dot(side, side) * 0.5);
    if (ray.z < -1e-4 && eye.z > block.z) {
        vec3 p = eye.xyz + ray * ((block.z - eye.z) / ray.z);
        vec2 out_of = max(max(-p.xy, p.xy - block.xy), vec2(0.0));
        float d = length(out_of) / forward.w;
        float near = 1.0 - 0.55 * exp(-d / 0.018) - 0.26 * exp(-d / 0.11);
        float seen = texture(floor_light, (p.xy + 0.5 * forward.w) / (block.xy + forward.w)).r;
        c *= near * mix(0.60, 1.0, seen);
    }
    colour = vec4(keep(c), 1.0);
}
