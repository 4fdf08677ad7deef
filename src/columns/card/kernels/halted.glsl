// Whether this substep is left out, or what comes after the scales waits for the processor: columns
// that cannot take all of their inflow (PARTED). Needs status.

bool is_halted()
{
#if defined(AFTER_SCALES) && defined(PARTED)
    if (status[law.status_at + CUT_IN] != 0u) return true;
#endif
    return status[law.status_at + HALT] != 0u;
}
