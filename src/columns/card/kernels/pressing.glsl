// What presses on a column besides its level, m: with TENSE its head, which has what presses from
// outside in it.

float press_of(uint slot)
{
#if defined(TENSE)
    return press[law.slots + slot];
#elif defined(PRESSED)
    return press[slot];
#else
    return 0.0;
#endif
}
