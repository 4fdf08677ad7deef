// A 64-bit hash of bytes, independent of the machine's byte order for the little-endian data it is
// given.
#ifndef RV_BASE_HASH_H
#define RV_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define RV_HASH_START 0xcbf29ce484222325ull

// Continues `hash` over the bytes.
uint64_t rv_hash_bytes(uint64_t hash, const void *bytes, size_t count);

#endif
