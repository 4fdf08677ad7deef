// What solids are made of: colours and bumps from noise in space, in parts of the scene's length.
uniform mediump sampler3D noise;

struct Solid {
    vec3 colour;   // diffuse
    vec3 straight; // mirrored straight on
    float rough;
    float soft;    // share of light that goes round a corner below the surface
    vec3 slope;    // of the bumps
    float along;   // how much longer highlights are across the grain than along it
};

// How a place faces, in the material's own axes: metal is brushed along x, where it is upright along z.
vec3 faces;

// x: value around 0.5; yzw: slope around 0. `bumps` along the scene's length.
vec4 noise_at(vec3 q, float bumps)
{
    vec4 t = texture(noise, q * (bumps / 16.0));
    return vec4(t.x, t.yzw - 0.5);
}

Solid plain_of(vec3 q)
{
    vec4 a = noise_at(q, 9.0), b = noise_at(q.yzx + 0.37, 61.0), c = noise_at(q.zxy + 0.11, 260.0);
    float tone = 0.92 + 0.10 * (a.x - 0.5) + 0.10 * (b.x - 0.5) + 0.14 * (c.x - 0.5);
    Solid s = Solid(vec3(0.40, 0.393, 0.375) * tone, vec3(0.035), 0.62, 0.05, vec3(0.0), 0.0);
    s.slope = 0.05 * b.wyz + 0.16 * c.zwy;
    return s;
}

Solid bone_of(vec3 q)
{
    vec4 a = noise_at(q, 6.0), b = noise_at(q.yzx + 0.21, 37.0), c = noise_at(q.zxy + 0.57, 290.0);
    float old = smoothstep(0.28, 0.74, 0.62 * a.x + 0.38 * b.x);
    vec3 colour = mix(vec3(0.50, 0.385, 0.245), vec3(0.67, 0.595, 0.46), old);
    // Pores: fine pits that stand close in some places and are missing in others.
    float pit = smoothstep(0.44, 0.26, c.x) * smoothstep(0.42, 0.66, b.x);
    colour *= (1.0 - 0.16 * pit) * (0.95 + 0.10 * c.x);
    Solid s = Solid(colour, vec3(0.042), 0.44 + 0.15 * pit, 0.30, vec3(0.0), 0.0);
    s.slope = 0.14 * b.wyz + (0.10 + 0.40 * pit) * c.zwy + 0.05 * a.yzw;
    return s;
}

Solid tissue_of(vec3 q)
{
    // Muscle runs in strands along y, bent by a large noise; between them fat and thin vessels.
    vec4 a = noise_at(q, 5.0), b = noise_at(q.yzx + 0.13 + 0.02 * a.yzw, 23.0);
    vec4 strand = noise_at(vec3(q.x, 0.16 * q.y, q.z) + 0.05 * a.zwy + 0.41, 120.0);
    float fat = smoothstep(0.50, 0.78, 0.5 * a.x + 0.5 * b.x);
    vec3 colour = mix(vec3(0.155, 0.022, 0.018), vec3(0.36, 0.075, 0.055), smoothstep(0.22, 0.80, 0.65 * strand.x + 0.35 * b.x));
    colour = mix(colour, vec3(0.52, 0.27, 0.15), 0.55 * fat);
    float vessel = smoothstep(0.030, 0.008, abs(b.x - 0.47)) * smoothstep(0.38, 0.58, strand.x);
    colour = mix(colour, vec3(0.16, 0.012, 0.016), 0.5 * vessel);
    Solid s = Solid(colour, vec3(0.036), 0.27 + 0.16 * fat, 0.36, vec3(0.0), 0.0);
    s.slope = (0.34 - 0.2 * fat) * vec3(strand.y, 0.16 * strand.z, strand.w) + 0.16 * b.wyz;
    return s;
}

Solid ceramic_of(vec3 q)
{
    vec4 a = noise_at(q, 5.0), b = noise_at(q.yzx + 0.3, 40.0);
    vec3 colour = vec3(0.66, 0.65, 0.62) * (0.975 + 0.05 * (a.x - 0.5));
    Solid s = Solid(colour, vec3(0.045), 0.10, 0.10, vec3(0.0), 0.0);
    s.slope = 0.012 * a.yzw + 0.008 * b.wyz;
    return s;
}

Solid wood_of(vec3 q)
{
    // The trunk runs along x, its heart below and behind.
    vec4 bend = noise_at(vec3(0.35 * q.x, q.y, q.z) + 0.19, 3.5);
    vec4 wave = noise_at(vec3(0.22 * q.x, q.y, q.z) + 0.53, 12.0);
    vec2 heart = vec2(q.y - 0.35, q.z + 0.55) + 0.10 * bend.yz + 0.02 * wave.zw;
    float ring = length(heart) * 30.0 + 0.9 * bend.x + 0.22 * wave.x;
    float way = fract(ring), year = floor(ring);
    // Early wood is pale and goes over slowly, late wood is dark and ends at once.
    float edge = clamp(1.5 * fwidth(ring), 0.02, 0.5);
    float late = smoothstep(0.25, 0.88, way) * (1.0 - smoothstep(1.0 - edge, 1.0, way));
    float tone = 0.5 + 0.5 * sin(year * 12.9898);
    vec4 fibre = noise_at(vec3(0.035 * q.x, q.y, q.z), 420.0);
    vec4 pore = noise_at(vec3(0.055 * q.x + 0.3, q.y, q.z), 190.0);
    vec3 colour = mix(vec3(0.45, 0.255, 0.118), vec3(0.235, 0.112, 0.048), 0.80 * late * (0.75 + 0.25 * tone));
    colour *= 0.93 + 0.14 * (wave.x - 0.5) + 0.34 * (fibre.x - 0.5);
    float open = smoothstep(0.36, 0.27, pore.x) * (1.0 - 0.6 * late);
    colour *= 1.0 - 0.42 * open;
    Solid s = Solid(colour, vec3(0.040), 0.36 + 0.20 * open, 0.06, vec3(0.0), 0.0);
    s.slope = 0.10 * vec3(0.0, fibre.zw) + (0.10 + 0.30 * open) * vec3(0.0, pore.zw);
    return s;
}

float brushed_along_z()
{
    return 1.0 - smoothstep(0.25, 0.85, abs(faces.z));
}

// The way that it is brushed, along its face.
vec3 marks_of()
{
    vec3 level = vec3(1.0, 0.0, 0.0) - faces * faces.x, upright = vec3(0.0, 0.0, 1.0) - faces * faces.z;
    return mix(level, dot(level, upright) < 0.0 ? -upright : upright, brushed_along_z());
}

Solid steel_of(vec3 q)
{
    float turns = brushed_along_z();
    vec4 a = noise_at(vec3(0.012 * q.x, q.y, q.z), 520.0), b = noise_at(vec3(0.03 * q.x, q.y, q.z) + 0.4, 130.0);
    vec4 c = noise_at(vec3(q.x, q.y, 0.012 * q.z), 520.0), e = noise_at(vec3(q.x, q.y, 0.03 * q.z) + 0.4, 130.0);
    a.y = b.y = c.w = e.w = 0.0;
    a = mix(a, c, turns), b = mix(b, e, turns);
    float line = 0.6 * a.x + 0.4 * b.x - 0.5;
    Solid s = Solid(vec3(0.012), vec3(0.60, 0.61, 0.625) * (1.0 + 0.30 * line), 0.30 + 0.16 * line, 0.0, vec3(0.0), 1.0);
    s.slope = 0.10 * a.yzw + 0.05 * b.yzw;
    return s;
}

// Where the block is cut: the same for all, and quiet.
Solid side_of(vec3 q)
{
    vec4 a = noise_at(q, 90.0);
    vec3 colour = vec3(0.118, 0.120, 0.125) * (1.0 + 0.14 * (a.x - 0.5));
    return Solid(colour, vec3(0.03), 0.6, 0.0, vec3(0.0), 0.0);
}

Solid mixed(Solid a, Solid b, float t)
{
    return Solid(mix(a.colour, b.colour, t), mix(a.straight, b.straight, t), mix(a.rough, b.rough, t),
                 mix(a.soft, b.soft, t), mix(a.slope, b.slope, t), mix(a.along, b.along, t));
}
