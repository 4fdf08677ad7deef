// Words of a list of places, for the processor: PLACES puts the list's words there instead.
layout(local_size_x = 64) in;
CHANGES(AT_DEPTH, Depth, float, depth);
CHANGES(AT_PRESS, Press, float, press);
CHANGES(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_SCALES, Scales, float, scales);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
CHANGES(AT_SPEED, Speed, float, speed);
CHANGES(AT_LIST, List, uint, list); // which buffer, place in it; and after all of them the words

// As rv_card_word_of in ../few_words.c.
#define TRADE(word)                                                                                \
    if (GIVES) word = uintBitsToFloat(list[told]);                                                 \
    else list[told] = floatBitsToUint(word);

#ifdef PLACES
#define GIVES true
#else
#define GIVES false
#endif

void main()
{
    uint k = thread_here().x;
    if (k >= law.count) return;
    uint kind = list[2u * k], at = list[2u * k + 1u], told = 2u * law.count + k;
    if (kind == 0u) {
        TRADE(depth[at])
    } else if (kind == 1u) {
        TRADE(press[at])
    } else if (kind == 2u) {
        TRADE(flux[at])
    } else if (kind == 3u) {
        TRADE(new_flux[at])
    } else if (kind == 4u) {
        TRADE(scales[at])
    } else if (kind == 5u) {
        TRADE(odd_flow[at])
    } else {
        TRADE(speed[at])
    }
}
