// The finished picture, as it is.
#include frame
uniform sampler2D whole;
out vec4 colour;

void main()
{
    colour = texelFetch(whole, ivec2(gl_FragCoord.xy), 0);
}
