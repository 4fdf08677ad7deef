// Whether this substep is left out, or what comes after the scales waits for the processor: columns
// that cannot take all of their inflow (PARTED). Needs status.

#ifdef WAKES
#define FLOODED 0x40000000u // of law.last_at: passages have a say in this one and in the one before

// Substeps are asked for before it is known what came of those before them. Where that is more than
// the processor counted on, this one and those after it are left out, and it asks again. The first
// kernel of a substep finds it out.
bool is_halted()
{
    uint last = law.last_at == 1u ? 0u : law.last_at & ~FLOODED;
    uint full = (law.last_at & FLOODED) != 0u ? 0u : status[last + FULL]; // then it is known
    // all words at once, not one after the other: the way to them is long
    uint any = status[last + HALT] | status[last + NOT_FINITE] | status[last + CUT_IN] |
               full | status[last + ROUSED] | status[last + LATER];
    uint pace = status[last + PACE], most = status[last + MOST];
    bool more = pace > floatBitsToUint(law.pace_most) || most > floatBitsToUint(law.deep_most);
    return law.last_at != 1u && (any != 0u || more);
}

// For the kernels that come after; and the words of the next substep begin with zeros.
bool tell_halted()
{
    bool halted = is_halted();
    uvec3 t = thread_here();
    if (t.x + t.y + t.z == 0u) {
        if (halted) status[law.status_at + HALT] = 1u;
        for (uint k = 0u; k < 8u; k++) status[law.status_at + 8u + k] = 0u;
    }
    return halted;
}
#else
bool is_halted()
{
#if defined(AFTER_SCALES) && defined(PARTED)
    if (status[law.status_at + CUT_IN] != 0u) return true;
#endif
    return status[law.status_at + HALT] != 0u;
}
#endif
