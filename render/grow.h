// Arrays that grow as they are filled.
#ifndef RENDER_GROW_H
#define RENDER_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// Room for `need` items of a size, with some to spare; what was there stays. false: no memory.
static inline bool rv_grow(void **array, size_t *room, size_t need, size_t size)
{
    if (need <= *room) return true;
    size_t fresh = need + need / 2 + 1024;
    void *memory = realloc(*array, fresh * size);
    if (!memory) return false;
    *array = memory, *room = fresh;
    return true;
}

#endif
