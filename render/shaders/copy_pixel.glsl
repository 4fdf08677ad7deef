// What was drawn with one sample a pixel, where it was.
#include frame
uniform sampler2D nearest;
uniform highp sampler2D front_depth;
in vec2 place;
out vec4 colour;

void main()
{
    colour = texelFetch(nearest, ivec2(gl_FragCoord.xy), 0);
    if (colour.a < 0.005) discard;
    gl_FragDepth = texelFetch(front_depth, ivec2(gl_FragCoord.xy), 0).r;
}
