/* Philox4x32-10 against its authors' known answers, and the distributions made from its bits. */
#include "base/bytes.h"
#include "lookback/base.h"
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>

/* Counter words c0 to c3, key words k0 and k1: as in kat_vectors of Random123 (D. E. Shaw Research). */
static lb_rng_block philox(const uint32_t c[4], const uint32_t k[2])
{
    lb_rng rng = {.seed = (uint64_t)k[1] << 32 | k[0], .step = c[2], .stream = c[3]};
    return lb_rng_bits(rng, (uint64_t)c[1] << 32 | c[0]);
}

START_TEST(test_bits_published_vectors_give_the_published_answers)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < 3; i++) {
        lb_rng_block found = philox(known[i].counter, known[i].key);
        for (int w = 0; w < 4; w++)
            ck_assert_msg(found.word[w] == known[i].answer[w], "vector %d, word %d: %08x, not %08x", i, w,
                          found.word[w], known[i].answer[w]);
    }
}
END_TEST

START_TEST(test_bits_each_part_of_the_key_changes_them)
{
    const lb_rng base = {.seed = 5, .stream = 6, .step = 7};
    lb_rng_block first = lb_rng_bits(base, 8);
    lb_rng others[] = {base, base, base, base};
    others[0].seed = 5 + (1ULL << 32);
    others[1].stream = 5;
    others[2].step = 8;
    for (int i = 0; SUPPORT_ROW(i, others); i++) {
        lb_rng_block other = lb_rng_bits(others[i], i == 3 ? 8 + (1ULL << 32) : 8);
        int differing = 0;
        for (int w = 0; w < 4; w++)
            for (uint32_t x = first.word[w] ^ other.word[w]; x; x &= x - 1) differing++;
        ck_assert_int_gt(differing, 40); /* of 128: half, give or take */
        ck_assert_int_lt(differing, 88);
    }
    ck_assert_mem_eq(&first, &(lb_rng_block[]){lb_rng_bits(base, 8)}[0], sizeof first);
}
END_TEST

enum { DRAWS = 400000, BINS = 50 };

START_TEST(test_uniform_fills_the_unit_interval_evenly)
{
    const lb_rng rng = {.seed = 11, .stream = 3, .step = 9};
    int bins[BINS] = {0};
    double sum = 0, squares = 0, product = 0, last = 0.5;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double u = lb_rng_uniform(rng, i);
        SUPPORT_CHECK(u >= 0 && u < 1 && ldexp(u, 53) == floor(ldexp(u, 53)), "%.17g", u);
        bins[(int)(u * BINS)]++;
        sum += u;
        squares += u * u;
        product += (u - 0.5) * (last - 0.5);
        last = u;
    }
    /* Five standard deviations. */
    ck_assert_double_eq_tol(sum / DRAWS, 0.5, 5 * sqrt(1.0 / 12 / DRAWS));
    ck_assert_double_eq_tol(squares / DRAWS, 1.0 / 3, 5 * sqrt(4.0 / 45 / DRAWS));
    ck_assert_double_eq_tol(product / DRAWS, 0, 5 * (1.0 / 12) / sqrt(DRAWS));
    double expected = (double)DRAWS / BINS, chi = 0;
    for (int b = 0; b < BINS; b++) chi += (bins[b] - expected) * (bins[b] - expected) / expected;
    ck_assert_double_lt(chi, 49 + 5 * sqrt(2 * 49.0));
    ck_assert_double_gt(chi, 49 - 4 * sqrt(2 * 49.0)); /* too even is not random either */
}
END_TEST

START_TEST(test_normal_has_the_moments_and_tails_of_a_normal_distribution)
{
    const lb_rng rng = {.seed = 12, .stream = 4};
    double moment[5] = {0};
    int within = 0, far = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double x = lb_rng_normal(rng, i), power = 1;
        SUPPORT_CHECK(isfinite(x), "number %d is %g", (int)i, x);
        for (int m = 1; m <= 4; m++) moment[m] += (power *= x);
        within += fabs(x) < 1;
        far += fabs(x) > 3;
    }
    /* The variances of x, x^2, x^3, x^4 are 1, 2, 15, 96. */
    ck_assert_double_eq_tol(moment[1] / DRAWS, 0, 5 * sqrt(1.0 / DRAWS));
    ck_assert_double_eq_tol(moment[2] / DRAWS, 1, 5 * sqrt(2.0 / DRAWS));
    ck_assert_double_eq_tol(moment[3] / DRAWS, 0, 5 * sqrt(15.0 / DRAWS));
    ck_assert_double_eq_tol(moment[4] / DRAWS, 3, 5 * sqrt(96.0 / DRAWS));
    ck_assert_double_eq_tol((double)within / DRAWS, 0.682689, 5 * sqrt(0.68 * 0.32 / DRAWS));
    ck_assert_double_eq_tol((double)far / DRAWS, 0.0026998, 5 * sqrt(0.0027 / DRAWS));
}
END_TEST

START_TEST(test_below_draws_each_number_equally_often)
{
    const lb_rng rng = {.seed = 13, .stream = 5};
    int bins[7] = {0};
    for (uint64_t i = 0; i < 70000; i++) {
        uint64_t n = lb_rng_below(rng, i, 7);
        SUPPORT_CHECK(n < 7, "%d", (int)n);
        bins[n]++;
    }
    for (int b = 0; SUPPORT_ROW(b, bins); b++)
        ck_assert_double_eq_tol(bins[b], 10000, 5 * sqrt(10000 * 6.0 / 7));
}
END_TEST

/* Computes the high half of the product digit by digit in base 2^8. */
static uint64_t high_of_product(uint64_t a, uint64_t b)
{
    uint64_t digits[17] = {0};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) digits[i + j] += (a >> (8 * i) & 255) * (b >> (8 * j) & 255);
    uint64_t carry = 0, high = 0;
    for (int d = 0; d < 16; d++) {
        carry += digits[d];
        if (d >= 8) high |= (carry & 255) << (8 * (d - 8));
        carry >>= 8;
    }
    return high;
}

START_TEST(test_below_is_the_high_half_of_the_product)
{
    static const uint64_t bounds[] = {
        1, 2, 3, 100, 1ULL << 32, (1ULL << 32) + 1, 0xFFFFFFFFULL, 0x8000000000000001ULL, UINT64_MAX};
    const lb_rng rng = {.seed = 14, .stream = 6, .step = 2};
    ck_assert(high_of_product(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    for (uint64_t i = 0; i < 5000; i++) {
        lb_rng_block bits = lb_rng_bits(rng, i);
        uint64_t word = (uint64_t)bits.word[0] << 32 | bits.word[1];
        for (int b = 0; SUPPORT_ROW(b, bounds); b++)
            SUPPORT_CHECK(lb_rng_below(rng, i, bounds[b]) == high_of_product(word, bounds[b]), "bound %d", b);
    }
}
END_TEST

START_TEST(test_stream_is_fnv_1a_and_tells_names_apart)
{
    ck_assert_uint_eq(lb_rng_stream(""), 0x811c9dc5);
    ck_assert_uint_eq(lb_rng_stream("a"), 0xe40c292c);
    ck_assert_uint_eq(lb_rng_stream("foobar"), 0xbf9cf968);
    ck_assert_uint_ne(lb_rng_stream("weight_ih_l0"), lb_rng_stream("weight_hh_l0"));
}
END_TEST
