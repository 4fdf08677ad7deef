// From light to a screen's numbers: a film's curve, then sRGB.

// Straight for dark colours, bent toward 1 for bright ones.
vec3 curve(vec3 c)
{
    return c / pow(1.0 + pow(c, vec3(1.7)), vec3(1.0 / 1.7));
}

vec3 to_screen(vec3 c)
{
    float most = max(max(c.r, c.g), max(c.b, 1e-4));
    // Bent by its brightest part a colour keeps its hue, part by part it goes to white; between the two blood stays red
    // and a lamp is white.
    vec3 own = c * (curve(vec3(most)).r / most);
    c = mix(own, curve(c), 0.25 + 0.75 * smoothstep(1.0, 6.0, most));
    return mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
