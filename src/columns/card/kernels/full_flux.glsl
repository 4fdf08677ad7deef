// What a pipe of a passage carries, before the substep and after it. Needs full_pipes, flux, new_flux,
// with ODD odd_flow, with TENSE bits.

// What flowed in a pipe before the substep.
double old_flux(uint place)
{
#ifdef ODD
    if ((place & ODD_PLACE) != 0u) return double(odd_flow[place & ~ODD_PLACE]);
#endif
    return double(flux[place]);
}

#ifdef TENSE
// Where a block sleeps fluxes are neither scaled nor moved on.
bool sleeps(uint slot)
{
    uint p = plane_with(slot), ahead = slot - law.plane[2u * p].x, pitch = law.plane[2u * p].y;
    uint row = law.plane[2u * p + 1u].x + ahead / pitch, x = ahead % pitch;
    uint word = ASLEEP_AT + 2u * row + (x >> law.shift >> 5);
    return (bits[word] & (1u << ((x >> law.shift) & 31u))) != 0u;
}
#endif

// Before fluxes are scaled.
void put_flux(uint place, float value)
{
#ifdef ODD
    if ((place & ODD_PLACE) != 0u) {
        odd_flow[RAW_AT + (place & ~ODD_PLACE)] = value;
        return;
    }
#endif
    new_flux[place] = value;
#ifdef TENSE
    if (sleeps(place % law.slots)) flux[place] = value;
#endif
}

// After that; borders are counted by it, and the next substep begins with it.
void put_last_flux(uint place, float value)
{
#ifdef ODD
    uint k = place & ~ODD_PLACE;
    if ((place & ODD_PLACE) != 0u) {
        odd_flow[k] = value, odd_flow[LAST_AT + k] = value;
        odd_flow[TOLD_AT + law.count * law.pipes + k] = value;
        return;
    }
#endif
    flux[place] = value;
}
