// Solids in the shadow of liquid of particles, drawn.
#include density_shade
in vec2 place;
out vec4 colour;

void main()
{
    colour = shaded_at(ivec2(gl_FragCoord.xy));
}
