/* Measures of sequences so long that nothing may take the square of their length: a table of 90,000 by 90,000 cells
 * needs gigabytes, and a million symbols squared take hours. This takes seconds. */
#include "lookback/metrics.h"
#include "metrics/measures.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400, TRIALS = 300, LONG = 90000, ENDLESS = 1000000 };

/* ---- Alignments. ---- */

typedef struct alignment {
    int32_t (*pair)[2]; /* [length] */
    int64_t length;
} alignment;

static bool take(void *to, int32_t reference, int32_t output)
{
    alignment *a = to;
    a->pair[a->length][0] = reference;
    a->pair[a->length++][1] = output;
    return true;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* By the whole table of the distances of what is left of both. */
static int64_t align_by_table(lb_sequence reference, lb_sequence output, alignment *to)
{
    static int64_t left[MOST + 2][MOST + 2];
    for (int64_t i = reference.length; i >= 0; i--)
        for (int64_t j = output.length; j >= 0; j--) {
            if (i == reference.length || j == output.length) {
                left[i][j] = reference.length - i + output.length - j;
                continue;
            }
            left[i][j] = left[i + 1][j + 1] + (reference.id[i] != output.id[j]);
            left[i][j] = least(left[i][j], 1 + least(left[i + 1][j], left[i][j + 1]));
        }
    for (int64_t i = 0, j = 0; i < reference.length || j < output.length;) {
        const bool more = i < reference.length, others = j < output.length;
        const bool both =
            more && others && left[i][j] == left[i + 1][j + 1] + (reference.id[i] != output.id[j]);
        const bool missing = !both && more && left[i][j] == left[i + 1][j] + 1;
        take(to, both || missing ? reference.id[i] : LB_NO_SYMBOL, missing ? LB_NO_SYMBOL : output.id[j]);
        i += both || missing;
        j += !missing;
    }
    return left[0][0];
}

/* A random sequence of few or many different symbols, and one that is made from it or has nothing to do with it. */
static void draw(uint32_t number, int32_t *x, int32_t *y, lb_sequence *reference, lb_sequence *output)
{
    const lb_rng rng = {.seed = 8, .step = number};
    const uint64_t symbols = (uint64_t[]){2, 4, 30, 1 << 30}[number % 4], kept = number % 7;
    uint64_t at = 0;
    *reference = (lb_sequence){x, (int64_t)lb_rng_below(rng, at++, MOST + 1)};
    *output = (lb_sequence){y, (int64_t)lb_rng_below(rng, at++, MOST + 1)};
    for (int64_t i = 0; i < reference->length; i++) x[i] = (int32_t)lb_rng_below(rng, at++, symbols);
    for (int64_t j = 0, i = 0; j < output->length; j++) {
        const bool copy = i < reference->length && lb_rng_below(rng, at++, 7) < kept;
        y[j] = copy ? x[i] : (int32_t)lb_rng_below(rng, at++, symbols);
        i += (int64_t)(copy ? 1 : lb_rng_below(rng, at++, 3));
    }
}

START_TEST(test_edit_alignment_is_that_of_the_whole_table)
{
    static int32_t x[MOST], y[MOST], expected[2 * MOST][2], given[2 * MOST][2];
    for (uint32_t i = 0; i < TRIALS; i++) {
        lb_sequence reference, output;
        int64_t edits, distance;
        alignment table = {.pair = expected}, found = {.pair = given};
        draw(i, x, y, &reference, &output);
        const int64_t wanted = align_by_table(reference, output, &table);
        SUPPORT_CHECK(!lb_edit_alignment(reference, output, take, &found, &edits, NULL), "pair %u", i);
        SUPPORT_CHECK(!lb_edit_distance(reference, output, &distance, NULL), "pair %u", i);
        SUPPORT_CHECK(edits == wanted && distance == wanted, "pair %u: %lld, %lld, expected %lld", i,
                      (long long)edits, (long long)distance, (long long)wanted);
        SUPPORT_CHECK(found.length == table.length &&
                          memcmp(given, expected, (size_t)table.length * sizeof *given) == 0,
                      "pair %u: another alignment", i);
    }
}
END_TEST

/* Symbols from `first` on, all different. */
static lb_sequence count_up(int64_t length, int32_t first)
{
    int32_t *id = malloc((size_t)length * sizeof *id);
    for (int64_t i = 0; i < length; i++) id[i] = first + (int32_t)i;
    return (lb_sequence){id, length};
}

START_TEST(test_confusions_of_long_sequences_need_memory_for_their_symbols_only)
{
    enum { SHIFT = 1000 };
    lb_sequence reference = count_up(LONG, 0), output = count_up(LONG, SHIFT);
    lb_confusions found = {0};
    int64_t distance;
    support_watch_allocations();
    ck_assert_int_eq(lb_edit_distance(reference, output, &distance, NULL), LB_OK);
    ck_assert_int_eq(distance, 2 * SHIFT);
    ck_assert_int_le(support_most_bytes(), 24 * 2 * LONG);
    ck_assert_int_eq(lb_confusions_add(&found, reference, output, NULL), LB_OK);
    ck_assert_int_le(support_most_bytes(), 50 * 2 * LONG);
    lb_confusions_sort(&found);
    ck_assert_int_eq(found.count, 2 * SHIFT);
    for (int32_t i = 0; i < SHIFT; i++) {
        const lb_confusion *extra = &found.pair[i], *missing = &found.pair[SHIFT + i];
        ck_assert(extra->reference == LB_NO_SYMBOL && extra->output == LONG + i && extra->count == 1);
        ck_assert(missing->reference == i && missing->output == LB_NO_SYMBOL && missing->count == 1);
    }
    lb_confusions_free(&found);
    ck_assert_int_eq(support_live_allocations(), 0);
    free((void *)reference.id);
    free((void *)output.id);
}
END_TEST

START_TEST(test_edit_distance_of_endless_sequences_is_that_of_their_pieces)
{
    lb_sequence reference = count_up(ENDLESS, 0), output = count_up(ENDLESS, 0);
    int32_t *id = (int32_t *)(uintptr_t)output.id;
    alignment found = {.pair = malloc((size_t)ENDLESS * sizeof *found.pair)};
    int64_t edits, distance;
    id[7] = id[ENDLESS - 2] = id[ENDLESS - 9] = ENDLESS;
    ck_assert_int_eq(lb_edit_distance(reference, output, &distance, NULL), LB_OK);
    ck_assert_int_eq(distance, 3);
    ck_assert_int_eq(lb_edit_alignment(reference, output, take, &found, &edits, NULL), LB_OK);
    ck_assert_int_eq(edits, 3);
    ck_assert_int_eq(found.length, ENDLESS);
    for (int64_t i = 0; i < ENDLESS; i++)
        ck_assert(found.pair[i][0] == reference.id[i] && found.pair[i][1] == output.id[i]);
    free(found.pair);
    free((void *)reference.id);
    free((void *)output.id);
}
END_TEST

/* ---- n-grams, and the order of positions. ---- */

START_TEST(test_bleu_of_a_million_equal_symbols)
{
    int32_t *id = calloc(ENDLESS + 1, sizeof *id);
    lb_bleu_statistics found;
    id[ENDLESS] = 1;
    lb_sequence output = {id, ENDLESS}, references[] = {{id + 1, ENDLESS}, {id, 3}};
    ck_assert_int_eq(lb_bleu_tally(output, references, 2, &found, NULL), LB_OK);
    for (int n = 1; n <= LB_BLEU_ORDER; n++) {
        ck_assert_int_eq(found.totals[n - 1], ENDLESS - n + 1);
        ck_assert_int_eq(found.matches[n - 1], ENDLESS - n);
    }
    free(id);
}
END_TEST

START_TEST(test_text_measures_of_a_hundred_thousand_words)
{
    enum { WORDS = 100000 };
    char *output = malloc(2 * WORDS + 1), *reference = malloc(2 * WORDS + 1);
    lb_statistics found;
    for (int i = 0; i < WORDS; i++) {
        memcpy(output + 2 * i, "a ", 3);
        memcpy(reference + 2 * i, i == 0 ? "b " : "a ", 3);
    }
    const char *const references[] = {reference};
    ck_assert_int_eq(lb_statistics_count_text(output, references, 1, false, &found, NULL), LB_OK);
    for (int n = 1; n <= LB_BLEU_ORDER; n++) ck_assert_int_eq(found.bleu_13a.matches[n - 1], WORDS - n);
    for (int n = 1; n <= LB_CHRF_ORDER; n++) ck_assert_int_eq(found.chrf2.matches[n - 1], WORDS - n);
    free(output);
    free(reference);
}
END_TEST

START_TEST(test_agreement_of_a_million_positions)
{
    double *a = malloc(2 * ENDLESS * sizeof *a), *b = a + ENDLESS;
    lb_agreement found;
    for (int i = 0; i < ENDLESS; i++) {
        a[i] = i;
        b[i] = -i;
    }
    ck_assert_int_eq(lb_agreement_of(a, b, 1, ENDLESS, &found, NULL), LB_OK);
    ck_assert_double_eq(found.tau, -1);
    ck_assert_double_eq(found.first, 0);
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_int_eq(lb_agreement_of(a, b, 1, ENDLESS, &found, NULL), LB_ERROR_MEMORY);
    free(a);
}
END_TEST
