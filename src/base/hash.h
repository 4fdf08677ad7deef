// A 64-bit hash of bytes, independent of the machine's byte order for the little-endian data it is
// given.
#ifndef RV_BASE_HASH_H
#define RV_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define RV_HASH_START 0xcbf29ce484222325ull

// Continues `hash` over the bytes.
uint64_t rv_hash_bytes(uint64_t hash, const void *bytes, size_t count);

// The same where the bytes come piece by piece: the hash after rv_hasher_end is that of all of
// them.
typedef struct rv_hasher {
    uint64_t hash;
    unsigned char rest[8];
    uint64_t count; // of the rest
} rv_hasher;
void rv_hasher_add(rv_hasher *hasher, const void *bytes, size_t count);
void rv_hasher_end(rv_hasher *hasher);

#endif
