// Words that the processor names, for it, or with PLACES from it: which buffer, and the place in it.
CHANGES(AT_DEPTH, Depth, float, depth);
CHANGES(AT_PRESS, Press, float, press);
CHANGES(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_SCALES, Scales, float, scales);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
CHANGES(AT_SPEED, Speed, float, speed);
CHANGES(AT_STATUS, Status, uint, status);
CHANGES(AT_LIST, List, uint, list); // from law.list_at on: names, and then what ../words.c says

#ifdef PLACES
#define TRADE(word) word = uintBitsToFloat(list[told])
#else
#define TRADE(word) list[told] = floatBitsToUint(word)
#endif

// The k-th word, which stands at `told` in the list; kinds as rv_card_kind in ../card.h has them.
void trade(uint k, uint told)
{
    uint kind = list[law.list_at + 2u * k], at = list[law.list_at + 2u * k + 1u];
    if (kind == 0u)
        TRADE(depth[at]);
    else if (kind == 1u)
        TRADE(press[at]);
    else if (kind == 2u)
        TRADE(flux[at]);
    else if (kind == 3u)
        TRADE(new_flux[at]);
    else if (kind == 4u)
        TRADE(scales[at]);
    else if (kind == 5u)
        TRADE(odd_flow[at]);
    else if (kind == 6u)
        TRADE(speed[at]);
#ifdef PLACES
    else
        status[at] = list[told];
#endif
}
