// Columns around a cell that want something in it, and the order in which the processor goes over
// them.
uint wanted(uint slot)
{
    return nodes[AT_MASK * law.nodes + slot] >> 8 & 255u;
}

// 0 or 1: the rows of every second band come first.
uint turn_of(int y)
{
    uint island = squares[law.from + square_here()];
    if (island == NONE) return 0u;
    int first = int(status[STATUS_ISLANDS + 4u * island]);
    int height = int(status[STATUS_ISLANDS + 4u * island + 1u]);
    return y < first || height <= 0 ? 0u : uint((y - first) / height) & 1u;
}

// Whether a column around the cell does.
bool is_wanted(int x, int y)
{
    for (int d = 0; d < 8; d++) {
        for (uint l = 0u; l < law.planes; l++) {
            uint slot;
            if (!slot_in(l, x + STEP_X[d], y + STEP_Y[d], slot)) continue;
            if ((wanted(slot) >> opposite(d) & 1u) != 0u) return true;
        }
    }
    return false;
}
