// Blocks in which a column has not rested for long enough (find_rested in ../../rest.c).
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_DEPTH, Depth, float, depth);
CHANGES(AT_BITS, Bits, uint, bits);
READS(AT_PRESS, Press, float, press);
#include "blocks"

void main()
{
    Place at = place_here();
    if (!at.exists || !(depth[at.slot] > law.film)) return;
    if (!(press[5u * law.slots + at.slot] < law.patience)) return;
    uint word = RESTLESS_AT + block_word(at), bit = block_bit(at);
    if ((bits[word] & bit) == 0u) atomicOr(bits[word], bit);
}
