// Bits of whole rows, 64 of them in two words. Needs `bits`.

uvec2 words_at(uint at)
{
    return uvec2(bits[at], bits[at + 1u]);
}

uvec2 spread(uvec2 b)
{
    uvec2 up = uvec2(b.x << 1, (b.y << 1) | (b.x >> 31));
    uvec2 down = uvec2((b.x >> 1) | (b.y << 31), b.y >> 1);
    return b | up | down;
}

uvec2 one_block(uint block)
{
    return block < 32u ? uvec2(1u << block, 0u) : uvec2(0u, 1u << (block - 32u));
}

// All blocks of a row with so many columns.
uvec2 all_blocks(uint columns)
{
    uint blocks = (columns + (1u << law.shift) - 1u) >> law.shift;
    return uvec2(blocks >= 32u ? 0xffffffffu : (1u << blocks) - 1u,
                 blocks >= 64u  ? 0xffffffffu
                 : blocks > 32u ? (1u << (blocks - 32u)) - 1u
                                : 0u);
}

// The plane of a row.
uint plane_of(uint row)
{
    uint p = 0u;
    while (p < 15u && law.plane[2u * p + 2u].w > 0u && row >= law.plane[2u * p + 3u].x) p++;
    return p;
}

// Wet blocks of a row that sleep (../../rest.c).
uvec2 asleep_in(uint row)
{
#ifdef TENSE
    return words_at(ASLEEP_AT + 2u * row);
#else
    return uvec2(0u);
#endif
}

// Wet blocks of a row that do not, by the bits that stand at `wet`.
uvec2 stirs_in(uint wet, uint row)
{
    return words_at(wet + 2u * row) & ~asleep_in(row);
}
