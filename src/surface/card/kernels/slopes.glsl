// Slopes of a node by its links (../../normals.c).
float slope_between(uint node, uint a, uint b)
{
    precise float slope = 0.0, half_dx = 0.5 * law.per_dx;
    if (a != NONE && b != NONE)
        slope = half_dx * (z_of(a) - z_of(b));
    else if (a != NONE)
        slope = law.per_dx * (z_of(a) - z_of(node));
    else if (b != NONE)
        slope = law.per_dx * (z_of(node) - z_of(b));
    return slope;
}

vec2 slopes_of(uint node)
{
    return vec2(slope_between(node, linked_to(node, EAST), linked_to(node, WEST)),
                slope_between(node, linked_to(node, NORTH), linked_to(node, SOUTH)));
}
