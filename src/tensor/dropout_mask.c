#include "tensor/dropout_mask.h"

enum { WORDS = 4 };

void lb_dropout_mask(lb_rng rng, lb_real p, int64_t first, int64_t count, lb_real *factor)
{
    lb_rng_block bits = {{0}};
    for (int64_t i = first; i < first + count; i++) {
        if (i == first || i % WORDS == 0) bits = lb_rng_bits(rng, (uint64_t)i / WORDS);
        factor[i - first] = (double)bits.word[i % WORDS] * 0x1p-32 < (double)p ? 0 : 1 / (1 - p);
    }
}
