// Memory through the host's allocator, sizes checked, always zeroed and 64-byte aligned.
#ifndef RV_BASE_MEMORY_H
#define RV_BASE_MEMORY_H

#include "rivulet/base.h"

// NULL when count * size overflows, is more than the address space, or the allocator has none.
void *rv_new(const rv_allocator *allocator, size_t count, size_t size);
void rv_free(const rv_allocator *allocator, void *memory, size_t count, size_t size);

#endif
