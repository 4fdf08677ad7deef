// The liquid in the colours of a quantity: mode.x says which, mode.y and mode.z its low and high end.
#include frame
#include light
uniform sampler2D colours;
centroid in vec3 p;
centroid in vec3 n;
centroid in vec4 liquid;
centroid in vec4 bend;
out vec4 colour;

void main()
{
    if (liquid.w > 0.5 && liquid.w < 1.5) discard; // curtains would hide what stands behind them
    float value = liquid.x; // depth
    if (mode.x > 3.5) value = (1.0 - bend.x) * meniscus.x; // distance to the boundary
    else if (mode.x > 2.5) value = liquid.y; // speed
    vec3 c = texture(colours, vec2((value - mode.y) / max(mode.z - mode.y, 1e-9), 0.5)).rgb;
    c = pow(c, vec3(2.2)) * 0.92;
    c = c / pow(max(1.0 - pow(c, vec3(1.7)), vec3(0.05)), vec3(1.0 / 1.7)) / max(turn.w, 1e-3);
    // A little light from above left shows the shape and leaves the colours readable.
    float shape = 0.86 + 0.14 * abs(dot(normalize(n), normalize(key.xyz + vec3(0.0, 0.0, 1.0))));
    colour = vec4(keep(c * shape), 1.0 - 0.1 * liquid.w);
}
