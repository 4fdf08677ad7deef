// A shape in six words, between drawing and computing (docs/rendering-inside.md). Of its place only how far it is ahead.

// A direction as a point of a square: the octahedron around it, folded out.
vec2 folded_out(vec3 d)
{
    vec2 at = d.xy / (abs(d.x) + abs(d.y) + abs(d.z));
    vec2 sides = vec2(at.x >= 0.0 ? 1.0 : -1.0, at.y >= 0.0 ? 1.0 : -1.0);
    return d.z >= 0.0 ? at : (1.0 - abs(at.yx)) * sides;
}

vec3 folded_in(vec2 at)
{
    float z = 1.0 - abs(at.x) - abs(at.y);
    vec2 sides = vec2(at.x >= 0.0 ? 1.0 : -1.0, at.y >= 0.0 ? 1.0 : -1.0);
    return normalize(vec3(z >= 0.0 ? at : (1.0 - abs(at.yx)) * sides, z));
}
