// Edges that drip, as ../../flanks.h has them.
#define FLANK_ROWS 3
#define FLANK_WORDS 14u // out, two words; reach, three; slot; the edges around, eight
#define FLANK_REACH 2u
#define FLANK_SLOT 5u
#define FLANK_NEXT 6u

uint flank_word(uint edge, uint word)
{
    return given[law.flank_at + edge * FLANK_WORDS + word];
}

float flank_value(uint edge, uint word)
{
    return uintBitsToFloat(flank_word(edge, word));
}
