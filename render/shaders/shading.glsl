// Solids in the light of the room and the lamp.
float power5(float x)
{
    float x2 = x * x;
    return x2 * x2 * x;
}

// Brushed metal spreads what it mirrors across its brush marks.
vec3 brushed(vec3 ray, vec3 d, vec3 marks, float rough, float seen)
{
    vec3 across = normalize(cross(d, marks) + 1e-4);
    vec3 sum = vec3(0.0);
    for (int k = -2; k <= 2; k++) {
        vec3 m = normalize(d + across * (0.17 * float(k)));
        sum += mirrored(reflect(ray, m), rough * 0.75) * (k == 0 ? 0.3 : abs(k) == 1 ? 0.22 : 0.13);
    }
    return without_lamp(sum, seen);
}

// At p, with bumps (d) and without (flat_normal); marks: along them metal is brushed.
vec3 shade(Solid s, vec3 p, vec3 d, vec3 flat_normal, vec3 marks, float open, float seen)
{
    vec3 ray = normalize(p - eye.xyz);
    float facing = max(-dot(d, ray), 0.02), toward = dot(d, key.xyz);
    // Light that goes in comes out beside it, redder.
    vec3 wrap = s.soft * vec3(0.55, 0.26, 0.14);
    vec3 lamp = max((vec3(toward) + wrap) / (1.0 + wrap), vec3(0.0)) * key_light.rgb;
    float hidden = min(seen, smoothstep(-0.15, 0.25, dot(flat_normal, key.xyz) + 0.15 * s.soft));
    // Corners lose less of the colours that bounce in them.
    vec3 corner = mix(vec3(open), vec3(1.0), 0.45 * s.colour * (1.0 - open));
    vec3 light = sky_light(d) * corner * open / max(open, 0.05) + lamp * hidden;
    vec3 f = s.straight + (max(vec3(1.0 - s.rough), s.straight) - s.straight) * power5(1.0 - facing);
    vec3 r = reflect(ray, d);
    vec3 shine = s.along > 0.5 ? brushed(ray, d, marks, s.rough, hidden) : without_lamp(mirrored(r, s.rough), hidden);
    // What is mirrored is hidden in corners too, the more the smoother the corner's walls would show.
    float clear = clamp(pow(open + facing, 1.0 + 3.0 * (1.0 - s.rough)) - 1.0 + open, 0.0, 1.0);
    shine *= mix(clear, 1.0, 0.15) * smoothstep(-0.6, 0.1, dot(r, flat_normal));
    return s.colour * light * (1.0 - f) + shine * f;
}
