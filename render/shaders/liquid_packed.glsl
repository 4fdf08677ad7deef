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

// Nearness and how much it was turned, 16 and 14 bits, and the kind of face.
uint packed_kind(Shape s)
{
    vec2 whole = round(clamp(vec2(s.near, s.turned), 0.0, 1.0) * vec2(65535.0, 16383.0));
    return uint(whole.x) | uint(whole.y) << 16 | uint(s.kind + 0.5) << 30;
}

void unpack_kind(uint word)
{
    s.near = float(word & 65535u) / 65535.0, s.turned = float(word >> 16 & 16383u) / 16383.0;
    s.kind = float(word >> 30);
}
