// What flows past regular pipes beside odd ones that carried something (../../beside.c). Needs around,
// odd_parts.

// Whether an odd pipe of odd column k did.
bool was_live(uint k)
{
    uint first = column_word(k, 1u), end = first + column_word(k, 2u);
    for (uint e = first; e < end; e++)
        if (odd_flow[LAST_AT + entry_of(e, 0u)] != 0.0) return true;
    return false;
}

// What flows past the pipe of `way` at a column, to first order.
Past past_beside(Place at, uint way)
{
    uint other = 1u - way, a = at.slot;
    int dx = way == 0u ? 1 : 0, dy = 1 - dx;
    uint b = slot_at(at, dx, dy);
    SideFlow own = SideFlow(flux_at(at, way, 0, 0), speed_at(at, way, 0, 0));
    SideFlow low = side_sum(a, 2u * way, SideFlow(flux_at(at, way, -dx, -dy),
                                                  speed_at(at, way, -dx, -dy)));
    SideFlow high = side_sum(b, 2u * way + 1u, SideFlow(flux_at(at, way, dx, dy),
                                                        speed_at(at, way, dx, dy)));
    precise float q_low = low.flux + own.flux, q_high = own.flux + high.flux;
    uint below = 2u * other, above = below + 1u;
    precise float q_south = side_flux(a, below, flux_at(at, other, -dy, -dx)) +
                            side_flux(b, below, flux_at(at, other, dx - dy, dy - dx));
    precise float q_north = side_flux(a, above, flux_at(at, other, 0, 0)) +
                            side_flux(b, above, flux_at(at, other, dx, dy));
    return Past(q_low, q_high, q_south, q_north, pass_by(q_low, low.speed, own.speed),
                pass_by(q_high, own.speed, high.speed),
                pass_by(q_south, speed_at(at, way, -dy, -dx), own.speed),
                pass_by(q_north, own.speed, speed_at(at, way, dy, dx)));
}
