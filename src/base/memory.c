// Memory: the default allocator and the checked, zeroed arrays that everything else uses.
#define _DEFAULT_SOURCE // madvise
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__) && !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#endif

#define ALIGNMENT 64u // a cache line, and the widest vector

static void *default_allocate(size_t bytes, void *user)
{
    (void)user;
    return aligned_alloc(ALIGNMENT, bytes);
}

static void default_release(void *memory, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    free(memory);
}

rv_allocator rv_default_allocator(void)
{
    return (rv_allocator){default_allocate, default_release, NULL};
}

// Bytes asked of the allocator: a whole number of lines, at least one. 0 when it cannot be.
static size_t rounded(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size) return 0;
    size_t bytes = count * size;
    if (bytes == 0) bytes = 1;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *rv_new(const rv_allocator *allocator, size_t count, size_t size)
{
    size_t bytes = rounded(count, size);
    if (bytes == 0) return NULL;
    void *memory = allocator->allocate(bytes, allocator->user);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

#define PIECE ((size_t)4 << 20) // bytes that one task clears

typedef struct clearing {
    unsigned char *memory;
    size_t bytes;
} clearing;

static void clear_piece(void *context, int task)
{
    const clearing *c = context;
    size_t at = (size_t)task * PIECE, n = c->bytes - at < PIECE ? c->bytes - at : PIECE;
    memset(c->memory + at, 0, n);
}

// In pages of 2 MiB, where the system has them: with small ones it takes longer to hand them out
// than to write to them. A hint, which may be refused.
static void use_large_pages(unsigned char *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE) && !defined(__EMSCRIPTEN__)
    const uintptr_t large = (uintptr_t)2 << 20;
    uintptr_t first = ((uintptr_t)memory + large - 1) / large * large;
    uintptr_t end = ((uintptr_t)memory + bytes) / large * large;
    if (end > first) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

void *rv_new_wide(const rv_allocator *allocator, rv_pool *pool, size_t count, size_t size)
{
    size_t bytes = rounded(count, size), pieces = (bytes + PIECE - 1) / PIECE;
    if (bytes == 0 || pieces > INT32_MAX) return NULL;
    clearing c = {allocator->allocate(bytes, allocator->user), bytes};
    if (!c.memory) return NULL;
    use_large_pages(c.memory, bytes);
    rv_parallel_for(pool, (int)pieces, clear_piece, &c);
    return c.memory;
}

#define PAGE 4096u

// Memory fresh from the system is zero already, and a page of it that is not written to takes no
// room: so only the pages that are not zero are cleared.
void *rv_new_sparse(const rv_allocator *allocator, size_t count, size_t size)
{
    static const unsigned char zeros[PAGE];
    size_t bytes = rounded(count, size);
    unsigned char *memory = bytes > 0 ? allocator->allocate(bytes, allocator->user) : NULL;
    for (size_t at = 0; memory && at < bytes; at += PAGE) {
        size_t n = bytes - at < PAGE ? bytes - at : PAGE;
        if (memcmp(memory + at, zeros, n) != 0) memset(memory + at, 0, n);
    }
    return memory;
}

void rv_free(const rv_allocator *allocator, void *memory, size_t count, size_t size)
{
    if (memory) allocator->release(memory, rounded(count, size), allocator->user);
}

void *rv_regrow(const rv_allocator *allocator, void *old, size_t room, size_t kept, size_t fresh,
                size_t size)
{
    void *memory = rv_new(allocator, fresh, size);
    if (!memory) return NULL;
    if (old && kept > 0) memcpy(memory, old, kept * size);
    rv_free(allocator, old, room, size);
    return memory;
}

#define LEAST 16 // items

bool rv_array_grow(const rv_allocator *allocator, void *array, int *room, int64_t need, size_t size)
{
    if (need <= *room) return true;
    if (need > INT32_MAX / 2) return false;
    int fresh = *room > LEAST ? *room : LEAST;
    while (fresh < need) fresh *= 2;
    void *old;
    memcpy(&old, array, sizeof old);
    size_t held = (size_t)*room;
    void *memory = rv_regrow(allocator, old, held, held, (size_t)fresh, size);
    if (!memory) return false;
    memcpy(array, &memory, sizeof memory);
    *room = fresh;
    return true;
}
