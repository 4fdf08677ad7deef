// Hash of a state: eight bytes at a time, a multiply and a fold each, so that megabytes cost
// little.
#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

uint64_t rv_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (; count >= 8; count -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = mix(hash, word);
    }
    if (count > 0) {
        uint64_t word = 0;
        memcpy(&word, p, count);
        hash = mix(hash, word ^ ((uint64_t)count << 56));
    }
    return hash;
}

void rv_hasher_add(rv_hasher *h, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    while (count > 0 && h->count > 0) {
        h->rest[h->count++] = *p++, count--;
        if (h->count < 8) continue;
        h->hash = rv_hash_bytes(h->hash, h->rest, 8);
        h->count = 0;
    }
    size_t whole = count / 8 * 8;
    h->hash = rv_hash_bytes(h->hash, p, whole);
    for (p += whole, count -= whole; count > 0; count--) h->rest[h->count++] = *p++;
}

void rv_hasher_end(rv_hasher *h)
{
    h->hash = rv_hash_bytes(h->hash, h->rest, (size_t)h->count);
    h->count = 0;
}
