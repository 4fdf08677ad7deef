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
    return (bits[law.awake_at + block_word(at)] & block_bit(at)) != 0u;
}

bool was_awake(Place at)
{
    return (bits[law.before_at + block_word(at)] & block_bit(at)) != 0u;
}

// Wet, and at rest (../../rest.c).
bool is_asleep(Place at)
{
#ifdef TENSE
    return (bits[ASLEEP_AT + block_word(at)] & block_bit(at)) != 0u;
#else
    return false;
#endif
}

// Whether some column of a group of 32 by 8 is awake, or was: blocks are 32 columns wide or more.
bool group_works(Place at)
{
    uint first = at.y - gl_LocalInvocationID.y, any = 0u;
    for (uint k = 0u; k < 8u && first + k < at.ny; k++) {
        uint word = block_word(at) + 2u * k - 2u * gl_LocalInvocationID.y;
        any |= bits[law.awake_at + word] | bits[law.before_at + word];
    }
    return (any & block_bit(at)) != 0u;
}
