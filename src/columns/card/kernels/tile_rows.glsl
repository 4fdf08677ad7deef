// Which blocks of a group's rows work, and of some rows more to each side. WAKES: this is the first
// kernel of a substep, which finds it out (../../awake.c): those in which something stirs, and those
// beside them. Needs tile, rows, `bits`.
#ifndef ROWS_MORE
#define ROWS_MORE 2u
#endif
#define ROWS_ALL (HIGH + 2u * ROWS_MORE)
shared uvec2 awake_rows[ROWS_ALL], before_rows[ROWS_ALL];
uint tile_y; // the group's first row

#ifdef WAKES
// All rows are asked for at once, not one after the other: the way to them is long.
uvec2 wakes_in(Place at, uint row, uint y)
{
    uint low = y > 0u ? row - 1u : row, high = y + 1u < at.ny ? row + 1u : row;
    uvec2 own = stirs_in(law.wet_at, row), below = stirs_in(law.wet_at, low);
    uvec2 above = stirs_in(law.wet_at, high);
    return spread(own | below | above) & all_blocks(at.nx);
}

// For the kernels that come after.
void put_row(uint row, uvec2 awake)
{
    uint pair = 2u * row;
    bits[law.awake_at + pair] = awake.x, bits[law.awake_at + pair + 1u] = awake.y;
    bits[law.clear_at + pair] = 0u, bits[law.clear_at + pair + 1u] = 0u;
#ifdef TENSE
    uvec2 kept = words_at(law.wet_at + pair) & asleep_in(row);
    bits[law.next_at + pair] = kept.x, bits[law.next_at + pair + 1u] = kept.y;
#endif
}
#endif

void take_rows(Place at)
{
    uint k = gl_LocalInvocationIndex;
    tile_y = at.y - gl_LocalInvocationID.y;
    if (k >= ROWS_ALL) return;
    int y = int(tile_y + k) - int(ROWS_MORE);
    uvec2 awake = uvec2(0u), before = uvec2(0u);
    if (y >= 0 && y < int(at.ny)) {
        uint row = uint(int(at.row) - int(at.y) + y);
        before = words_at(law.before_at + 2u * row);
#ifdef WAKES
        awake = wakes_in(at, row, uint(y));
        if (at.x < 32u && k >= ROWS_MORE && k < ROWS_MORE + HIGH) put_row(row, awake);
#else
        awake = words_at(law.awake_at + 2u * row);
#endif
    }
    awake_rows[k] = awake, before_rows[k] = before;
}

bool has_block(uvec2 row, uint x)
{
    uint block = x >> law.shift;
    return (((block < 32u ? row.x >> block : row.y >> (block - 32u))) & 1u) != 0u;
}

bool is_awake(Place at)
{
    return has_block(awake_rows[at.y + ROWS_MORE - tile_y], at.x);
}

bool was_awake(Place at)
{
    return has_block(before_rows[at.y + ROWS_MORE - tile_y], at.x);
}

// Whether some column of the group is awake, or was: blocks are 32 columns wide or more.
bool group_works(Place at)
{
    uvec2 any = uvec2(0u);
    for (uint k = ROWS_MORE; k < ROWS_MORE + HIGH; k++) any |= awake_rows[k] | before_rows[k];
    return has_block(any, at.x);
}
