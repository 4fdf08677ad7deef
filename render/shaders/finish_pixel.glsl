// The finished picture, drawn.
#include frame
uniform sampler2D whole;

vec4 over_at(ivec2 pixel)
{
    return texelFetch(whole, pixel, 0);
}

#include finish
out vec4 colour;

void main()
{
    colour = finished(ivec2(gl_FragCoord.xy));
}
