// How much of the lamp the floor sees, around the block; red. The picture reaches half the scene's length beyond it.
#include frame
#include lamp
in vec2 place;
out vec4 colour;

void main()
{
    vec2 at = mix(vec2(-0.5 * forward.w), block.xy + 0.5 * forward.w, place);
    colour = vec4(lamp_seen(vec3(at, block.z), vec3(0.0, 0.0, 1.0), 160));
}
