#include frame
uniform sampler2D whole;
in vec2 place;
out vec4 colour;

void main()
{
    vec3 c = unkeep(texture(whole, place).rgb) * turn.w;
    c = c / (1.0 + 0.3 * c);
    c = mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
    colour = vec4(c, 1.0);
}
