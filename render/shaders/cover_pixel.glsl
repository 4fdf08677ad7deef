// The liquid's colours, made with one sample a pixel, to all samples that it covers. Where it covers some but not the
// middle of a pixel, those of a pixel beside it.
#include frame
uniform sampler2D nearest;
out vec4 colour;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), last = ivec2(picture.xy) - 1;
    vec4 c = texelFetch(nearest, at, 0);
    if (c.a < 0.5) {
        vec4 a = texelFetch(nearest, ivec2(max(at.x - 1, 0), at.y), 0);
        vec4 b = texelFetch(nearest, ivec2(min(at.x + 1, last.x), at.y), 0);
        vec4 d = texelFetch(nearest, ivec2(at.x, max(at.y - 1, 0)), 0);
        vec4 e = texelFetch(nearest, ivec2(at.x, min(at.y + 1, last.y)), 0);
        vec4 sum = a + b + d + e;
        if (sum.a < 0.5) discard;
        c = sum / sum.a;
    }
    colour = c;
}
