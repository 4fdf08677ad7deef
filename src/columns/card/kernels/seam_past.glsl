// What flows past regular pipes beside odd ones that carried something (../../beside.c). Needs around,
// odd_parts.

// Of the column at (dx, dy), of which `odd` is 1 + the odd column.
Sides sides_at(Place at, uint odd, int dx, int dy)
{
    return sides_of(odd, vec4(flux_at(at, 0u, dx - 1, dy), flux_at(at, 0u, dx, dy),
                              flux_at(at, 1u, dx, dy - 1), flux_at(at, 1u, dx, dy)),
                    vec4(speed_at(at, 0u, dx - 1, dy), speed_at(at, 0u, dx, dy),
                         speed_at(at, 1u, dx, dy - 1), speed_at(at, 1u, dx, dy)));
}

// What flows past the pipe of `way` at a column, to first order; a, b: through the sides of its ends.
Past past_beside(Place at, uint way, Sides a, Sides b)
{
    uint other = 1u - way;
    int dx = way == 0u ? 1 : 0, dy = 1 - dx;
    SideFlow own = SideFlow(flux_at(at, way, 0, 0), speed_at(at, way, 0, 0));
    SideFlow low = side_of(a, 2u * way, speed_at(at, way, -dx, -dy));
    SideFlow high = side_of(b, 2u * way + 1u, speed_at(at, way, dx, dy));
    precise float q_low = low.flux + own.flux, q_high = own.flux + high.flux;
    uint below = 2u * other, above = below + 1u;
    precise float q_south = a.total[below] + b.total[below];
    precise float q_north = a.total[above] + b.total[above];
    return Past(q_low, q_high, q_south, q_north, pass_by(q_low, low.speed, own.speed),
                pass_by(q_high, own.speed, high.speed),
                pass_by(q_south, speed_at(at, way, -dy, -dx), own.speed),
                pass_by(q_north, own.speed, speed_at(at, way, dy, dx)));
}
