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
    double waited;    // s, for these answers
    double asking;    // s, until the driver had taken dispatches, writes, copies and reads
} rv_card_calls;

// What the calls of one kernel took, by the card's own clock.
typedef struct rv_timed_kernel {
    const rv_device_kernel *kernel; // NULL: another of the same name stands for it
    char name[32];
    int64_t calls;
    double ms;
} rv_timed_kernel;

enum { RV_TIMED_KERNELS = 128, RV_TIMED_CALLS = 32 };

typedef struct rv_counted {
    rv_device table; // this one is handed to worlds
    const rv_device *real;
    rv_card_calls calls;
    bool busy;  // with what was asked for since the last answer
    bool times; // each call of a kernel, which keeps one from beginning while another ends
    rv_timed_kernel kernel[RV_TIMED_KERNELS];
    int kernel_count;
    struct {
        int kernel;
        rv_device_ticket ticket;
    } under_way[RV_TIMED_CALLS]; // a ring
    int first, waiting;
} rv_counted;

// Has to stay where it is while its table is used.
void rv_counted_over(rv_counted *counted, const rv_device *real);
// What kernels took since the last time it was asked, each a line, for so many frames.
void rv_counted_print_kernels(rv_counted *counted, double frames);

#endif
