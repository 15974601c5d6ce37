/* Error rates and BLEU: by hand, and against the results of another program. */
#include "lookback/metrics.h"
#include "metrics/measures.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static const lb_bleu_smoothing smoothings[] = {LB_BLEU_EXP, LB_BLEU_NONE, LB_BLEU_FLOOR, LB_BLEU_ADD_K};

/* The words of a text, each as a number made of its letters. */
static lb_sequence words_of(const char *text, int32_t id[32])
{
    lb_sequence sequence = {id, 0};
    for (const char *at = text; *at; at += strspn(at, " ")) {
        uint32_t hash = 0;
        for (; *at && *at != ' '; at++) hash = hash * 31 + (unsigned char)*at;
        id[sequence.length++] = (int32_t)(hash & INT32_MAX);
    }
    return sequence;
}

static lb_statistics statistics_of_words(const char *output, const char *first, const char *second)
{
    int32_t id[3][32];
    lb_sequence references[] = {words_of(first, id[1]), second ? words_of(second, id[2]) : (lb_sequence){0}};
    lb_statistics found;
    ck_assert_int_eq(
        lb_statistics_of(words_of(output, id[0]), references, second ? 2 : 1, &found, NULL, NULL), LB_OK);
    return found;
}

static double bleu_of_words(const char *output, const char *reference, lb_bleu_config config)
{
    lb_statistics found = statistics_of_words(output, reference, NULL);
    return lb_bleu(&found.bleu, config);
}

START_TEST(test_bleu_by_hand)
{
    const double tolerance = 1e-10;
    lb_bleu_config none = {.smoothing = LB_BLEU_NONE};
    ck_assert_double_eq_tol(bleu_of_words("a b c d", "a b c d", (lb_bleu_config){0}), 100, tolerance);
    /* One symbol wrong: precisions 4/5, 3/4, 2/3, 1/2. */
    ck_assert_double_eq_tol(bleu_of_words("a b c d x", "a b c d e", none), 100 * pow(0.2, 0.25), tolerance);
    /* Three of four words, no 3-gram: 3/4, 1/3, then exp: 1/2 of 2 and 1/4 of 1. */
    ck_assert_double_eq_tol(bleu_of_words("a b x d", "a b c d", (lb_bleu_config){0}),
                            100 * pow(0.75 / 3 * 0.25 * 0.25, 0.25), tolerance);
    ck_assert_double_eq(bleu_of_words("a b x d", "a b c d", none), 0);
    lb_bleu_config floor_at = {.smoothing = LB_BLEU_FLOOR, .value = 0.01};
    ck_assert_double_eq_tol(bleu_of_words("a b x d", "a b c d", floor_at),
                            100 * pow(0.75 / 3 * 0.005 * 0.01, 0.25), tolerance);
    lb_bleu_config add_two = {.smoothing = LB_BLEU_ADD_K, .value = 2};
    ck_assert_double_eq_tol(bleu_of_words("a b x d", "a b c d", add_two),
                            100 * pow(0.75 * 3 / 5 * 2 / 4 * 2 / 3, 0.25), tolerance);
    /* A correct prefix: only the brevity penalty applies. */
    ck_assert_double_eq_tol(bleu_of_words("a b c d", "a b c d e f", none), 100 * exp(1 - 6.0 / 4), tolerance);
    /* No more matches than the reference has: 2 of 7. */
    lb_statistics clipped = statistics_of_words("the the the the the the the", "the cat is on the mat", NULL);
    ck_assert_int_eq(clipped.bleu.matches[0], 2);
    ck_assert_int_eq(clipped.bleu.totals[0], 7);
    ck_assert_int_eq(clipped.bleu.matches[1], 0);
}
END_TEST

START_TEST(test_bleu_without_matches_is_zero_and_without_long_n_grams_not_defined)
{
    for (int s = 0; SUPPORT_ROW(s, smoothings); s++) {
        lb_bleu_config config = {.smoothing = smoothings[s]};
        ck_assert_double_eq(bleu_of_words("x y z w", "a b c d", config), 0);
        ck_assert_double_eq(bleu_of_words("", "a b c d", config), 0);
        ck_assert_double_eq(lb_bleu(&(lb_bleu_statistics){{0}, {0}, 0, 0}, config), 0);
        ck_assert_double_eq(bleu_of_words("x y", "a b c d", config), 0);
        /* Three symbols have no 4-gram, right or wrong. Add-k smoothing still applies. */
        if (smoothings[s] == LB_BLEU_ADD_K) {
            ck_assert_double_eq_tol(bleu_of_words("a b c", "a b c", config), 100, 1e-10);
        } else {
            ck_assert_double_nan(bleu_of_words("a b c", "a b c", config));
            ck_assert_double_nan(bleu_of_words("a x c", "a b c", config));
        }
    }
}
END_TEST

/* The numbers are from sacreBLEU's own tests, test/test_bleu.py: its README's example with tokenize none, and
 * statistics as they are. */
START_TEST(test_bleu_equals_published_scores_of_sacrebleu)
{
    static const char *const rows[][3] = {
        {"The dog bit the man.", "The dog bit the man.", "The dog had bit the man."},
        {"It wasn't surprising.", "It was not unexpected.", "No one was surprised."},
        {"The man had just bitten him.", "The man bit him first.", "The man had bitten the dog."}};
    lb_statistics sum = {0};
    for (int i = 0; i < 3; i++) {
        lb_statistics one = statistics_of_words(rows[i][0], rows[i][1], rows[i][2]);
        lb_statistics_add(&sum, &one);
    }
    ck_assert_double_eq_tol(lb_bleu(&sum.bleu, (lb_bleu_config){0}), 49.1919566, 1e-7);
    /* The same with punctuation as separate words, as in tokenizer 13a. */
    static const char *const split[][3] = {
        {"The dog bit the man .", "The dog bit the man .", "The dog had bit the man ."},
        {"It wasn't surprising .", "It was not unexpected .", "No one was surprised ."},
        {"The man had just bitten him .", "The man bit him first .", "The man had bitten the dog ."}};
    sum = (lb_statistics){0};
    for (int i = 0; i < 3; i++) {
        lb_statistics one = statistics_of_words(split[i][0], split[i][1], split[i][2]);
        lb_statistics_add(&sum, &one);
    }
    ck_assert_double_eq_tol(lb_bleu(&sum.bleu, (lb_bleu_config){0}), 48.530827, 1e-6);
    lb_bleu_statistics given = {{9, 7, 5, 3}, {10, 8, 6, 4}, 11, 11};
    ck_assert_double_eq_tol(lb_bleu(&given, (lb_bleu_config){0}), 83.75922397, 1e-8);
    lb_bleu_config hundredth = {.smoothing = LB_BLEU_FLOOR, .value = 0.01};
    ck_assert_double_eq_tol(bleu_of_words("this is a fest", "this is a test", hundredth), 22.3606797749979,
                            1e-10);
}
END_TEST

START_TEST(test_measures_equal_those_of_another_program)
{
    support_fixture *fixture = support_fixture_open("measures");
    lb_shape shape = support_fixture_shape(fixture, "input.references");
    int64_t rows = shape.dim[0], most = shape.dim[1], width = shape.dim[2];
    const int32_t *outputs = support_fixture_ids(fixture, "input.outputs");
    const int32_t *lengths = support_fixture_ids(fixture, "input.output_lengths");
    const int32_t *references = support_fixture_ids(fixture, "input.references");
    const int32_t *reference_lengths = support_fixture_ids(fixture, "input.reference_lengths");
    const int32_t *edits = support_fixture_ids(fixture, "output.edits");
    const int32_t *matches = support_fixture_ids(fixture, "output.matches");
    const int32_t *totals = support_fixture_ids(fixture, "output.totals");
    const double *alone = support_fixture_values(fixture, "output.bleu_alone");
    lb_statistics sum = {0};
    for (int64_t row = 0; row < rows; row++) {
        lb_sequence own[8];
        int64_t count = 0;
        for (; count < most && reference_lengths[row * most + count] >= 0; count++)
            own[count] = (lb_sequence){references + (row * most + count) * width,
                                       reference_lengths[row * most + count]};
        lb_statistics one;
        lb_sequence output = {outputs + row * width, lengths[row]};
        ck_assert_int_eq(lb_statistics_of(output, own, count, &one, NULL, NULL), LB_OK);
        ck_assert_int_eq(one.edits, edits[row]);
        for (int n = 0; n < LB_BLEU_ORDER; n++) {
            ck_assert_int_eq(one.bleu.matches[n], matches[row * LB_BLEU_ORDER + n]);
            ck_assert_int_eq(one.bleu.totals[n], totals[row * LB_BLEU_ORDER + n]);
        }
        for (int s = 0; SUPPORT_ROW(s, smoothings); s++) {
            double found = lb_bleu(&one.bleu, (lb_bleu_config){.smoothing = smoothings[s]});
            /* The other program has 0 for what is not defined. */
            ck_assert(!isnan(found) || one.bleu.totals[LB_BLEU_ORDER - 1] == 0);
            ck_assert_double_eq_tol(isnan(found) ? 0 : found, alone[row * 4 + s], 1e-9);
        }
        lb_statistics_add(&sum, &one);
    }
    ck_assert_int_eq(sum.outputs, 40);
    for (int s = 0; SUPPORT_ROW(s, smoothings); s++) {
        lb_measures found = lb_measure(&sum, (lb_bleu_config){.smoothing = smoothings[s]});
        ck_assert_double_eq_tol(found.bleu, support_fixture_values(fixture, "output.bleu")[s], 1e-9);
        ck_assert_double_eq_tol(found.sequence_error_rate,
                                *support_fixture_values(fixture, "output.sequence_error_rate"), 1e-9);
        ck_assert_double_eq_tol(found.symbol_error_rate,
                                *support_fixture_values(fixture, "output.symbol_error_rate"), 1e-9);
    }
    support_fixture_close(fixture);
}
END_TEST

START_TEST(test_statistics_of_rows_on_their_own_count_each_row)
{
    /* One source with two pronunciations: the right one for the second row is an error in the first. */
    lb_statistics sum = {0}, first = statistics_of_words("p a t", "p a d e", NULL),
                  second = statistics_of_words("p a t", "p a t", NULL),
                  both = statistics_of_words("p a t", "p a d e", "p a t");
    lb_statistics_add(&sum, &first);
    lb_statistics_add(&sum, &second);
    ck_assert_double_eq_tol(lb_measure(&sum, (lb_bleu_config){0}).sequence_error_rate, 50, 1e-12);
    ck_assert_double_eq_tol(lb_measure(&sum, (lb_bleu_config){0}).symbol_error_rate, 100 * 2 / 7.0, 1e-12);
    ck_assert_double_eq(lb_measure(&both, (lb_bleu_config){0}).sequence_error_rate, 0);
    ck_assert_int_eq(both.reference_length, 3);
}
END_TEST

START_TEST(test_statistics_of_several_references_takes_the_nearest)
{
    const int32_t id[] = {1, 2, 3, 4, 5};
    lb_sequence references[] = {{id, 5}, {id + 1, 3}, {id, 3}, {id + 2, 2}};
    lb_statistics found;
    int64_t nearest;
    ck_assert_int_eq(lb_statistics_of((lb_sequence){id + 1, 2}, references, 4, &found, &nearest, NULL),
                     LB_OK);
    ck_assert_int_eq(nearest, 1); /* the one after it is equally near */
    ck_assert_int_eq(found.edits, 1);
    ck_assert_int_eq(found.errors, 1);
    ck_assert_int_eq(found.reference_length, 3);
    ck_assert_int_eq(found.bleu.reference_length, 2);
    lb_error error = {0};
    ck_assert_int_eq(lb_statistics_of((lb_sequence){id, 2}, references, 0, &found, NULL, &error),
                     LB_ERROR_ARGUMENT);
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
}
END_TEST

START_TEST(test_words_are_counted_on_their_own)
{
    const int32_t wanted[] = {7, 8, 9}, written[] = {7, 9};
    lb_statistics sum = {0}, one = statistics_of_words("o n e", "o n e", NULL),
                  two = statistics_of_words("o n", "o n e", NULL);
    ck_assert_double_eq(lb_measure(&one, (lb_bleu_config){0}).word_error_rate, 0);
    ck_assert_int_eq(
        lb_statistics_count_words((lb_sequence){wanted, 3}, (lb_sequence){wanted, 3}, &one, NULL), LB_OK);
    ck_assert_int_eq(
        lb_statistics_count_words((lb_sequence){written, 2}, (lb_sequence){wanted, 2}, &two, NULL), LB_OK);
    lb_statistics_add(&sum, &one);
    lb_statistics_add(&sum, &two);
    lb_measures found = lb_measure(&sum, (lb_bleu_config){0});
    ck_assert_double_eq_tol(found.word_error_rate, 20, 1e-12);
    ck_assert_double_eq_tol(found.sequence_error_rate, 50, 1e-12);
    ck_assert_double_eq_tol(found.symbol_error_rate, 100 / 6.0, 1e-12);
}
END_TEST

START_TEST(test_measure_of_nothing_is_zero_and_of_empty_references_infinite)
{
    lb_statistics nothing = {0}, endless = statistics_of_words("a b", "", NULL),
                  right = statistics_of_words("", "", NULL);
    lb_measures found = lb_measure(&nothing, (lb_bleu_config){0});
    ck_assert_double_eq(found.sequence_error_rate, 0);
    ck_assert_double_eq(found.symbol_error_rate, 0);
    ck_assert_double_eq(found.bleu, 0);
    ck_assert(isinf(lb_measure(&endless, (lb_bleu_config){0}).symbol_error_rate));
    ck_assert_double_eq(lb_measure(&right, (lb_bleu_config){0}).symbol_error_rate, 0);
    ck_assert_double_eq(lb_measure(&right, (lb_bleu_config){0}).sequence_error_rate, 0);
}
END_TEST
