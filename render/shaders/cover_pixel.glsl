// The liquid's colours, made with one sample a pixel, to all samples that it covers. At edges the middle of a pixel may
// show something else: then the colour is that of a pixel beside it whose depth is more like this one's.
#include frame
uniform sampler2D nearest;
uniform highp sampler2D front_depth;
centroid in vec3 p;
centroid in vec4 liquid;
#ifdef CODED // only which pixel a sample has its colour from, for finish_kernel.glsl: a byte, not four half floats
uniform int code_of_frame; // other frames have others, so that nothing need be cleared
out float code;
#else
out vec4 colour;
#endif

// Distance along the camera's axis of what a pixel shows.
float ahead(ivec2 at)
{
    float z = texelFetch(front_depth, at, 0).r;
    return range.x * range.y / (range.y - z * (range.y - range.x));
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), last = ivec2(picture.xy) - 1;
    float own = dot(p - eye.xyz, forward.xyz), near = 0.3 + 2.0 * fwidth(own);
    // Alpha says what kind of face a pixel shows: the edge between two kinds is one too.
    float kind = 1.0 - 0.1 * liquid.w;
    vec4 c = texelFetch(nearest, at, 0), sum = vec4(0.0);
    float off = abs(c.a - kind) < 0.04 ? abs(ahead(at) - own) : 1e9, least = off;
    vec4 found = c;
    float count = 0.0, from = 1.0; // itself
    // Inside a face nothing beside it matters. (As a count of rounds, which all drivers skip; some run both sides of an if.)
    int rounds = off <= near && c.a >= 0.5 ? 0 : 4;
    for (int k = 0; k < rounds; k++) {
        ivec2 beside = clamp(at + ivec2(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0), ivec2(0), last);
        vec4 other = texelFetch(nearest, beside, 0);
        float by = abs(other.a - kind) < 0.04 ? abs(ahead(beside) - own) : 1e9;
        if (other.a > 0.5) sum += other, count += 1.0;
        if (by < least) least = by, found = other, from = 2.0 + float(k);
    }
    if (off > near && least < near) c = found;
    else from = 1.0;
    if (c.a < 0.5) {
        if (count < 0.5) discard;
        c = vec4(sum.rgb / max(count, 1.0), 1.0), from = 6.0; // those around it
    }
#ifdef CODED
    code = (8.0 * float(code_of_frame) + from) / 255.0;
#else
    colour = vec4(c.rgb, 1.0);
#endif
}
