/* Random numbers without a state, for initial weights, dropout and draws: Philox4x32-10 as a function of seed, stream,
 * step and index. */
#include "base/bytes.h"
#include "base/transcendental.h"
#include "lookback/base.h"

#include <assert.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

lb_rng_block lb_rng_bits(lb_rng rng, uint64_t index)
{
    uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32), c2 = rng.step, c3 = rng.stream;
    uint32_t k0 = (uint32_t)rng.seed, k1 = (uint32_t)(rng.seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t next0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, next2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = next0;
        c2 = next2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return (lb_rng_block){{c0, c1, c2, c3}};
}

static uint64_t high_word(lb_rng_block bits)
{
    return (uint64_t)bits.word[0] << 32 | bits.word[1];
}

static double unit(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

double lb_rng_uniform(lb_rng rng, uint64_t index)
{
    return unit(high_word(lb_rng_bits(rng, index)));
}

double lb_rng_normal(lb_rng rng, uint64_t index)
{
    lb_rng_block bits = lb_rng_bits(rng, index);
    double radius = sqrt(-2.0 * lb_log64(1.0 - unit(high_word(bits))));
    uint64_t low_word = (uint64_t)bits.word[2] << 32 | bits.word[3];
    return radius * lb_cos64(2.0 * PI * unit(low_word));
}

uint64_t lb_rng_below(lb_rng rng, uint64_t index, uint64_t bound)
{
    assert(bound > 0);
    /* The high half of a 64 x 64 bit product, in 32-bit pieces: ISO C has no 128-bit integer. */
    uint64_t word = high_word(lb_rng_bits(rng, index));
    uint64_t w0 = (uint32_t)word, w1 = word >> 32, b0 = (uint32_t)bound, b1 = bound >> 32;
    uint64_t middle = w1 * b0 + (w0 * b0 >> 32), other = w0 * b1 + (uint32_t)middle;
    return w1 * b1 + (middle >> 32) + (other >> 32);
}

uint32_t lb_rng_stream(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}
