// What is around a column, as it was before the substep; beyond the plane's rows there are zeros.
// Needs beds, depth, speed, flux, and with PRESSED or TENSE press.
#include "pressing"

bool has_row(Place at, int dy)
{
    int y = int(at.y) + dy;
    return y >= 0 && y < int(at.ny);
}

uint slot_at(Place at, int dx, int dy)
{
    return uint(int(at.slot) + dx + dy * int(at.pitch));
}

float speed_at(Place at, uint way, int dx, int dy)
{
    return has_row(at, dy) ? speed[way * law.slots + slot_at(at, dx, dy)] : 0.0;
}

float flux_at(Place at, uint way, int dx, int dy)
{
    return has_row(at, dy) ? flux[way * law.slots + slot_at(at, dx, dy)] : 0.0;
}

float depth_at(Place at, int dx, int dy)
{
    return has_row(at, dy) ? depth[slot_at(at, dx, dy)] : 0.0;
}

// Outflow of a column's four velocities.
float spread_at(Place at, int dx, int dy)
{
    if (!has_row(at, dy)) return 0.0;
    precise float along = speed_at(at, 0u, dx, dy) - speed_at(at, 0u, dx - 1, dy);
    precise float sum = along + (speed_at(at, 1u, dx, dy) - speed_at(at, 1u, dx, dy - 1));
    return sum;
}

// Twice the rise of depths at a column along (ax, ay).
float lean_at(Place at, int dx, int dy, int ax, int ay)
{
    if (!has_row(at, dy)) return 0.0;
    precise float rise = depth_at(at, dx + ax, dy + ay) - depth_at(at, dx - ax, dy - ay);
    return rise;
}

#ifdef TENSE
// Level and head of a column, m.
float pressure_at(uint i, float deep)
{
    precise float pressure = (beds[i] + deep) + press_of(i);
    return pressure;
}

float rise_to(Place at, int dx, int dy, float own)
{
    float there = depth_at(at, dx, dy);
    precise float rise = there > law.film ? pressure_at(slot_at(at, dx, dy), there) - own : 0.0;
    return rise;
}

// Twice the rise of level and head at a column along (ax, ay), between wet columns.
float pull_at(Place at, int dx, int dy, int ax, int ay)
{
    float own = pressure_at(slot_at(at, dx, dy), depth_at(at, dx, dy));
    precise float pull =
        rise_to(at, dx + ax, dy + ay, own) - rise_to(at, dx - ax, dy - ay, own);
    return pull;
}
#endif

// The column at (dx, dy) as an end of a pipe; what is behind it lies at (bx, by) from there.
End end_at(Place at, int dx, int dy, int bx, int by)
{
    uint i = slot_at(at, dx, dy);
    End e;
    e.base = beds[i], e.depth = depth_at(at, dx, dy), e.behind = depth_at(at, dx + bx, dy + by);
    e.spread = spread_at(at, dx, dy), e.press = press_of(i);
    return e;
}
