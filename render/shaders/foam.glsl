// Foam of particles in a plane or as a height, where it covers what is drawn: in flecks where it is thin.
uniform lowp sampler2D froth; // by cell: how much of the liquid is foam

float scattered(vec2 c)
{
    vec2 q = fract(c * vec2(0.1031, 0.1030));
    q += dot(q, q.yx + 33.33);
    return fract((q.x + q.y) * q.x);
}

// Between 0 and 1, smooth, with bumps as wide as p counts.
float bumps(vec2 p)
{
    vec2 c = floor(p), f = p - c;
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(scattered(c), scattered(c + vec2(1.0, 0.0)), f.x);
    return mix(low, mix(scattered(c + vec2(0.0, 1.0)), scattered(c + 1.0), f.x), f.y);
}

// How far there are bubbles between flecks, at a place in cells.
float clumps(vec2 p)
{
    vec2 q = mat2(0.8, 0.6, -0.6, 0.8) * p;
    float a = bumps(0.45 * q), b = bumps(1.1 * q.yx + 7.0), c = bumps(2.6 * q + 3.0);
    return smoothstep(0.2, 0.8, 0.5 * a + 0.32 * b + 0.18 * c);
}

// Its light in that of a white sheet, and the share that it covers. f: how much of the liquid there is foam.
vec4 foam_on(float f, vec2 p, vec3 light)
{
    float gaps = clumps(p), cover = 0.94 * smoothstep(0.0, 0.5, f - 0.75 * (1.0 - f) * gaps);
    return vec4(vec3(0.78, 0.81, 0.83) * light * (1.08 - 0.3 * gaps), cover);
}
