// Foam in liquid of particles: white where it is at the surface, a haze of bubbles below.
uniform lowp sampler3D froth; // by cell: how much of the liquid is foam
uniform mediump sampler3D noise;

float froth_at(vec3 p)
{
    return textureLod(froth, (p - grid_low.xyz) / grid_size.xyz, 0.0).r;
}

// Light that a sheet of it throws back.
vec3 froth_light(vec3 light)
{
    return vec3(0.78, 0.81, 0.83) * light;
}

// Foam on a surface: its light, and the share that it covers, which thin foam does in flecks. `n`: out of the liquid.
vec4 froth_on(vec3 p, vec3 n, vec3 light)
{
    float f = froth_at(p - n * 0.8 * grid_size.w);
    vec3 q = p / grid_size.w;
    float fine = textureLod(noise, q * 0.06, 0.0).r, finer = textureLod(noise, q.yzx * 0.17, 0.0).g;
    float clumps = smoothstep(0.2, 0.8, 0.6 * fine + 0.4 * finer);
    float cover = 0.94 * smoothstep(0.0, 0.5, f - 0.75 * (1.0 - f) * clumps);
    return vec4(froth_light(light) * (1.08 - 0.3 * clumps), cover); // what is between bubbles is darker
}

// Share of light that bubbles on a way of length t take, in few looks.
float froth_haze(vec3 p, vec3 d, float t)
{
    float sum = 0.0, way = min(t, 24.0 * grid_size.w), before = 0.0;
    for (int k = 1; k <= 8; k++) {
        float to = way * float(k * k) / 64.0; // closer where one sees most of it
        sum += froth_at(p + d * 0.5 * (before + to)) * (to - before);
        before = to;
    }
    return 1.0 - exp(-0.22 * sum / grid_size.w);
}
