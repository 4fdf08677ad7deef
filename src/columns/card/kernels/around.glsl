// What is around a column, as it was before the substep; beyond the plane's rows there are zeros.
// Needs beds, depth, speed, flux, and with PRESSED or TENSE press; TILED: what take_tile and
// stop_tile put together for the group.
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

#ifdef TILED
#define TILE_WIDE (32u + 2u * ROWS_MORE)
#define TILE_COLUMNS (TILE_WIDE * ROWS_ALL)
// Of the group's columns and some more to each side.
shared float tile_base[TILE_COLUMNS], tile_depth[TILE_COLUMNS];
shared float tile_speed[2u * TILE_COLUMNS], tile_flux[2u * TILE_COLUMNS];
#if defined(PRESSED) || defined(TENSE)
shared float tile_press[TILE_COLUMNS];
#endif
uint tile_x;

void take_place(Place at, uint k)
{
    int x = int(tile_x + k % TILE_WIDE) - int(ROWS_MORE);
    int y = int(tile_y + k / TILE_WIDE) - int(ROWS_MORE);
    bool there = y >= 0 && y < int(at.ny) && x >= -2 && x <= int(at.nx) + 1;
    uint i = moved_to(at, there ? x : 0, there ? y : 0).slot, n = law.slots;
    float own = depth[i], base = beds[i];
    float u = speed[i], v = speed[n + i], q = flux[i], r = flux[n + i];
#if defined(PRESSED) || defined(TENSE)
    float head = press_of(i);
    tile_press[k] = there ? head : 0.0;
#endif
    tile_base[k] = there ? base : 0.0, tile_depth[k] = there ? own : 0.0;
    tile_speed[k] = there ? u : 0.0, tile_speed[TILE_COLUMNS + k] = there ? v : 0.0;
    tile_flux[k] = there ? q : 0.0, tile_flux[TILE_COLUMNS + k] = there ? r : 0.0;
}

// They are asked for before it is known whether the group works: the way to them is long.
void take_tile(Place at)
{
    tile_x = at.x - gl_LocalInvocationID.x;
    for (uint k = gl_LocalInvocationIndex; k < TILE_COLUMNS; k += 256u) take_place(at, k);
    barrier();
}

// Nothing flows in columns that fall asleep now, which another group may be about to stop.
void stop_tile(Place at)
{
#ifdef STOPS
    uvec2 any = uvec2(0u);
    for (uint k = 0u; k < ROWS_ALL; k++) any |= before_rows[k] & ~awake_rows[k];
    if ((any.x | any.y) == 0u) return;
    for (uint k = gl_LocalInvocationIndex; k < TILE_COLUMNS; k += 256u) {
        Place own = moved_to(at, int(tile_x + k % TILE_WIDE) - int(ROWS_MORE),
                             int(tile_y + k / TILE_WIDE) - int(ROWS_MORE));
        if (!own.exists || !was_awake(own) || is_awake(own)) continue;
        for (uint way = 0u; way < 2u; way++)
            tile_speed[way * TILE_COLUMNS + k] = 0.0, tile_flux[way * TILE_COLUMNS + k] = 0.0;
    }
    barrier();
#endif
}

uint tile_at(Place at, int dx, int dy)
{
    return (at.y + ROWS_MORE - tile_y) * TILE_WIDE + (at.x + ROWS_MORE - tile_x) +
           uint(dy * int(TILE_WIDE) + dx);
}

float speed_at(Place at, uint way, int dx, int dy)
{
    return tile_speed[way * TILE_COLUMNS + tile_at(at, dx, dy)];
}

float flux_at(Place at, uint way, int dx, int dy)
{
    return tile_flux[way * TILE_COLUMNS + tile_at(at, dx, dy)];
}

float depth_at(Place at, int dx, int dy)
{
    return tile_depth[tile_at(at, dx, dy)];
}

float base_at(Place at, int dx, int dy)
{
    return tile_base[tile_at(at, dx, dy)];
}

float press_at(Place at, int dx, int dy)
{
#if defined(PRESSED) || defined(TENSE)
    return tile_press[tile_at(at, dx, dy)];
#else
    return 0.0;
#endif
}
#else
float base_at(Place at, int dx, int dy)
{
    return beds[slot_at(at, dx, dy)];
}

float press_at(Place at, int dx, int dy)
{
    return press_of(slot_at(at, dx, dy));
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
#endif

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
float pressure_at(Place at, int dx, int dy)
{
    precise float pressure = (base_at(at, dx, dy) + depth_at(at, dx, dy)) + press_at(at, dx, dy);
    return pressure;
}

float rise_to(Place at, int dx, int dy, float own)
{
    if (!(depth_at(at, dx, dy) > law.film)) return 0.0;
    precise float rise = pressure_at(at, dx, dy) - own;
    return rise;
}

// Twice the rise of level and head at a column along (ax, ay), between wet columns.
float pull_at(Place at, int dx, int dy, int ax, int ay)
{
    float own = pressure_at(at, dx, dy);
    precise float pull =
        rise_to(at, dx + ax, dy + ay, own) - rise_to(at, dx - ax, dy - ay, own);
    return pull;
}
#endif

// The column at (dx, dy) as an end of a pipe; what is behind it lies at (bx, by) from there.
End end_at(Place at, int dx, int dy, int bx, int by)
{
    End e;
    e.base = base_at(at, dx, dy), e.depth = depth_at(at, dx, dy), e.behind = depth_at(at, dx + bx, dy + by);
    e.spread = spread_at(at, dx, dy), e.press = press_at(at, dx, dy);
    return e;
}
