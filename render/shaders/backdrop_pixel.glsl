#include frame
in vec2 place;
out vec4 colour;

void main()
{
    vec3 c = mix(vec3(0.46, 0.48, 0.505), vec3(0.15, 0.17, 0.20), smoothstep(0.0, 1.0, place.y));
    colour = vec4(keep(c), 1.0);
}
