// Memory through the host's allocator, sizes checked, always zeroed and 64-byte aligned.
#ifndef RV_BASE_MEMORY_H
#define RV_BASE_MEMORY_H

#include "rivulet/base.h"

// NULL when count * size overflows, is more than the address space, or the allocator has none.
void *rv_new(const rv_allocator *allocator, size_t count, size_t size);
// The same, cleared by all threads of a pool: clearing memory fresh from the system takes longer
// than most of what is done with it.
void *rv_new_wide(const rv_allocator *allocator, rv_pool *pool, size_t count, size_t size);
// The same, of which perhaps only some will be written to: the rest takes no room.
void *rv_new_sparse(const rv_allocator *allocator, size_t count, size_t size);
void rv_free(const rv_allocator *allocator, void *memory, size_t count, size_t size);

// An array of `fresh` items in place of one of `room`, whose first `kept` it holds and which is
// freed. NULL: there is no memory, and the old one stays.
void *rv_regrow(const rv_allocator *allocator, void *old, size_t room, size_t kept, size_t fresh,
                size_t size);
// Room for `need` items in an array that grows by doubling; `array` is the address of a pointer to
// it, `room` its length. false: no memory, and it stays as it was.
bool rv_array_grow(const rv_allocator *allocator, void *array, int *room, int64_t need,
                   size_t size);

#endif
