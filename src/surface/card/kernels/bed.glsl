#ifndef WITH_BED
#define WITH_BED
// Slopes of beds at contacts (../../contacts.c).
#define HALF_PI 1.57079633

float way(int direction)
{
    return (direction & 1) != 0 ? 1.41421356 : 1.0;
}

float wall_of(float rise)
{
    precise float wall = rise - 1.0;
    return smaller(larger(wall, 0.0), 1.0);
}

// Of an extra node: the mean around it.
float base_of(uint node)
{
    if (!is_extra(node)) return base_at(node);
    precise float bed = z_of(node) - values[2u * law.nodes + node];
    return bed;
}

// atan, to a unit or two in the last place: drivers' own may be far off. Of the quotient's least
// part a series, after tan(a) = (x - 1) / (x + 1) for x over tan(pi/8) and 1/x for x over its
// inverse.
float atan_of(float x)
{
    float v = abs(x), add = 0.0;
    if (v > 2.41421356) {
        add = HALF_PI, v = -quotient_of(1.0, v);
    } else if (v > 0.41421356) {
        precise float low = v - 1.0, high = v + 1.0;
        add = 0.785398163, v = over_of(low, high);
    }
    precise float z = v * v;
    precise float series =
        (((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z -
         3.33329491539e-1) * z * v + v;
    precise float angle = add + series;
    return x < 0.0 ? -angle : angle;
}
#endif
