// Columns around a cell that want something in it, and the order in which the processor goes over
// them.
#define WIDE (SQUARE + 2)
#define AT_ONCE 4u // planes that are asked for at a time

shared uint wants[WIDE * WIDE]; // by cell of the square and of a row around it, over all planes
shared bool wants_any;

uint wanted(uint slot)
{
    return nodes[AT_MASK * law.nodes + slot] >> 8 & 255u;
}

uint wanted_over(int x, int y)
{
    uint all = 0u;
    for (uint first = 0u; first < law.planes; first += AT_ONCE) {
        uint own[AT_ONCE];
        for (uint k = 0u; k < AT_ONCE; k++) {
            uint slot, l = min(first + k, law.planes - 1u);
            bool is = slot_in(l, x, y, slot);
            uint word = wanted(is ? slot : 0u);
            own[k] = is ? word : 0u;
        }
        for (uint k = 0u; k < AT_ONCE; k++) all |= own[k];
    }
    return all;
}

// All threads of a group together: whether a column in or beside the square wants something.
bool bring_wants(Place p)
{
    int x0 = p.x - int(gl_LocalInvocationID.x), y0 = p.y - int(gl_LocalInvocationID.y);
    if (gl_LocalInvocationIndex == 0u) wants_any = false;
    barrier();
    for (int k = int(gl_LocalInvocationIndex); k < WIDE * WIDE; k += SQUARE * SQUARE) {
        wants[k] = wanted_over(x0 + k % WIDE - 1, y0 + k / WIDE - 1);
        if (wants[k] != 0u) wants_any = true;
    }
    barrier();
    return wants_any;
}

// Whether a column around the cell of this thread does.
bool is_wanted()
{
    int own = (int(gl_LocalInvocationID.y) + 1) * WIDE + int(gl_LocalInvocationID.x) + 1;
    uint any = 0u;
    for (int d = 0; d < 8; d++) any |= wants[own + STEP_X[d] + STEP_Y[d] * WIDE] >> opposite(d);
    return (any & 1u) != 0u;
}

// Of a cell: who around it does, a byte a plane, a bit a direction; 0 or 1 by row: the rows of every
// second band come first.
uint asking[4];
uint turn[3];

void ask_around(int x, int y)
{
    uint island = squares[law.from + square_here()], at = STATUS_ISLANDS + 4u * island;
    bool is = island != NONE;
    int first = is ? int(status[at]) : 0, height = is ? int(status[at + 1u]) : 0;
    for (int j = 0; j < 3; j++) {
        int row = y + j - 1;
        turn[j] = row < first || height <= 0 ? 0u : uint((row - first) / height) & 1u;
    }
    for (int k = 0; k < 4; k++) asking[k] = 0u;
    for (uint l = 0u; l < law.planes; l++) {
        uint own[8];
        for (int d = 0; d < 8; d++) {
            uint slot;
            bool there = slot_in(l, x + STEP_X[d], y + STEP_Y[d], slot);
            uint word = wanted(there ? slot : 0u);
            own[d] = there ? word : 0u;
        }
        for (int d = 0; d < 8; d++)
            asking[l / 4u] |= (own[d] >> opposite(d) & 1u) << (8u * (l % 4u) + uint(d));
    }
}

// Direction to the cell beside.
int direction_to(int x, int y)
{
    const int direction[9] = int[9](5, 6, 7, 4, 0, 0, 3, 2, 1);
    return direction[3 * (y + 1) + x + 1];
}

// Whether the column of a plane beside, x and y from the cell, wants something in it.
bool is_asking(uint plane, int x, int y)
{
    return (asking[plane / 4u] >> (8u * (plane % 4u) + uint(direction_to(x, y))) & 1u) != 0u;
}
