// Bits of blocks, for kernels that go over a grid. Needs `bits`.

uint block_word(Place at)
{
    return 2u * at.row + (at.x >> law.shift >> 5);
}

uint block_bit(Place at)
{
    return 1u << ((at.x >> law.shift) & 31u);
}

bool is_awake(Place at)
{
    return (bits[4u * law.rows + block_word(at)] & block_bit(at)) != 0u;
}

bool was_awake(Place at)
{
    return (bits[6u * law.rows + block_word(at)] & block_bit(at)) != 0u;
}

// Wet, and at rest (../../rest.c).
bool is_asleep(Place at)
{
#ifdef TENSE
    return (bits[8u * law.rows + block_word(at)] & block_bit(at)) != 0u;
#else
    return false;
#endif
}
