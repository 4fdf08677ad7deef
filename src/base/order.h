// Orders for qsort that several lists have.
#ifndef RV_BASE_ORDER_H
#define RV_BASE_ORDER_H

#include <stdint.h>

// Of items that begin with a word, by that.
static inline int rv_by_word(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

#endif
