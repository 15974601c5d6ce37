#include "base/hash.h"

#include <string.h>

enum { LANES = 4, WORD = 8, BLOCK = LANES * WORD };

uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

/* One-to-one in the hash and in the word, so that a difference never disappears by itself. One product would keep a
 * difference of the highest bit a single bit; the second one spreads it. */
static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x6A09E667F3BCC909);
    return (hash ^ (hash >> 32)) * UINT64_C(0xBB67AE8584CAA73B);
}

static inline void mix_block(uint64_t lane[LANES], const unsigned char *block)
{
    for (int i = 0; i < LANES; i++) {
        uint64_t word;
        memcpy(&word, block + (size_t)i * WORD, WORD);
        lane[i] = mix(lane[i], word);
    }
}

/* The lanes do not wait for each other. */
uint64_t lb_hash_long(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t lane[LANES];
    unsigned char last[BLOCK] = {0};
    for (int i = 0; i < LANES; i++) lane[i] = mix(hash, (uint64_t)i);
    size_t left = count;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK) mix_block(lane, at);
    if (left > 0) memcpy(last, at, left);
    mix_block(lane, last);
    hash = count;
    for (int i = 0; i < LANES; i++) hash = mix(hash, lane[i]);
    return hash ^ (hash >> 32);
}
