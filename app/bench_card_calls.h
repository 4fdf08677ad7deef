// A card that counts what it is asked for, and hands it on to another: how much a step asks of a
// card does not depend on how fast that is.
#ifndef APP_BENCH_CARD_CALLS_H
#define APP_BENCH_CARD_CALLS_H

#include "rivulet/device.h"

typedef struct rv_card_calls {
    int64_t dispatches;
    int64_t waits;    // for answers: several that were asked for together are one
    int64_t moves;    // writes and copies
    int64_t up, down; // bytes written to the card, and read back
} rv_card_calls;

typedef struct rv_counted {
    rv_device table; // this one is handed to worlds
    const rv_device *real;
    rv_card_calls calls;
    bool busy; // with what was asked for since the last answer
} rv_counted;

// Has to stay where it is while its table is used.
void rv_counted_over(rv_counted *counted, const rv_device *real);

#endif
