/* The distance of two sequences, their alignment, and the table of confusions. */
#include "lookback/metrics.h"
#include "metrics/measures.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 12, TRIALS = 3000 };

static lb_sequence sequence_of(const char *text, int32_t id[64])
{
    int64_t length = 0;
    for (; text[length]; length++) id[length] = (unsigned char)text[length];
    return (lb_sequence){id, length};
}

static int64_t distance_of(lb_sequence a, lb_sequence b)
{
    int64_t distance = -1;
    ck_assert_int_eq(lb_edit_distance(a, b, &distance, NULL), LB_OK);
    return distance;
}

static int64_t distance_of_words(const char *a, const char *b)
{
    int32_t x[64], y[64];
    return distance_of(sequence_of(a, x), sequence_of(b, y));
}

/* Of up to LONGEST symbols out of four. */
static lb_sequence draw(uint32_t number, int32_t id[LONGEST])
{
    lb_rng rng = {.seed = 5, .step = number};
    int64_t length = (int64_t)lb_rng_below(rng, LONGEST, LONGEST + 1);
    for (int64_t i = 0; i < LONGEST; i++) id[i] = (int32_t)lb_rng_below(rng, (uint64_t)i, 4);
    return (lb_sequence){id, length};
}

START_TEST(test_edit_distance_of_known_words)
{
    ck_assert_int_eq(distance_of_words("kitten", "sitting"), 3);
    ck_assert_int_eq(distance_of_words("saturday", "sunday"), 3);
    ck_assert_int_eq(distance_of_words("intention", "execution"), 5);
    ck_assert_int_eq(distance_of_words("abc", "bc"), 1);
    ck_assert_int_eq(distance_of_words("abcd", "d"), 3); /* all at the beginning */
    ck_assert_int_eq(distance_of_words("ab", "ba"), 2);  /* a swap is not a single edit */
    ck_assert_int_eq(distance_of_words("", "four"), 4);
    ck_assert_int_eq(distance_of_words("four", ""), 4);
    ck_assert_int_eq(distance_of_words("", ""), 0);
    ck_assert_int_eq(distance_of((lb_sequence){NULL, 0}, (lb_sequence){NULL, 0}), 0);
}
END_TEST

/* The distance by its definition, without a table. */
static int64_t slow_distance(lb_sequence a, lb_sequence b)
{
    if (a.length == 0 || b.length == 0) return a.length + b.length;
    lb_sequence shorter_a = {a.id, a.length - 1}, shorter_b = {b.id, b.length - 1};
    if (a.id[a.length - 1] == b.id[b.length - 1]) return slow_distance(shorter_a, shorter_b);
    int64_t least = slow_distance(shorter_a, shorter_b), missing = slow_distance(shorter_a, b),
            more = slow_distance(a, shorter_b);
    least = missing < least ? missing : least;
    return 1 + (more < least ? more : least);
}

START_TEST(test_edit_distance_is_what_its_definition_says)
{
    int32_t x[LONGEST], y[LONGEST];
    for (uint32_t i = 0; i < TRIALS; i += 2) {
        lb_sequence a = draw(i, x), b = draw(i + 1, y);
        a.length = a.length > 6 ? 6 : a.length;
        b.length = b.length > 6 ? 6 : b.length;
        SUPPORT_CHECK(distance_of(a, b) == slow_distance(a, b), "pair %u", i);
    }
}
END_TEST

START_TEST(test_edit_distance_is_a_metric)
{
    int32_t x[LONGEST], y[LONGEST], z[LONGEST];
    for (uint32_t i = 0; i < TRIALS; i += 3) {
        lb_sequence a = draw(i, x), b = draw(i + 1, y), c = draw(i + 2, z);
        int64_t ab = distance_of(a, b), bc = distance_of(b, c), ac = distance_of(a, c);
        bool same = a.length == b.length && memcmp(x, y, (size_t)a.length * sizeof *x) == 0;
        SUPPORT_CHECK(distance_of(a, a) == 0, "sequence %u is not itself", i);
        SUPPORT_CHECK((ab == 0) == same, "pair %u: %lld", i, (long long)ab);
        SUPPORT_CHECK(ab == distance_of(b, a), "pair %u is not symmetric", i);
        SUPPORT_CHECK(ac <= ab + bc, "the way from %u by %u is shorter", i, i + 1);
        SUPPORT_CHECK(ab >= llabs(a.length - b.length), "pair %u: the lengths alone differ by more", i);
        SUPPORT_CHECK(ab <= (a.length > b.length ? a.length : b.length), "pair %u", i);
    }
}
END_TEST

START_TEST(test_edit_alignment_keeps_the_common_beginning_and_has_as_many_edits_as_the_distance)
{
    int32_t x[LONGEST], y[LONGEST];
    for (uint32_t i = 0; i < TRIALS; i += 2) {
        lb_sequence reference = draw(i, x), output = draw(i + 1, y);
        lb_alignment found;
        SUPPORT_CHECK(lb_edit_alignment(reference, output, &found, NULL) == LB_OK, "pair %u", i);
        int64_t r = 0, o = 0, edits = 0, common = 0, kept = 0;
        while (common < reference.length && common < output.length && x[common] == y[common]) common++;
        for (int64_t at = 0; at < found.length; at++) {
            lb_aligned pair = found.pair[at];
            edits += pair.reference != pair.output;
            kept += edits == 0;
            if (pair.reference != LB_NO_SYMBOL) SUPPORT_CHECK(pair.reference == x[r++], "pair %u", i);
            if (pair.output != LB_NO_SYMBOL) SUPPORT_CHECK(pair.output == y[o++], "pair %u", i);
        }
        SUPPORT_CHECK(r == reference.length && o == output.length, "pair %u is not whole", i);
        SUPPORT_CHECK(kept == common, "pair %u: %lld of %lld kept", i, (long long)kept, (long long)common);
        SUPPORT_CHECK(edits == distance_of(reference, output), "pair %u: %lld edits", i, (long long)edits);
        lb_alignment_free(&found);
    }
}
END_TEST

/* Against pairs of characters, where '-' is no symbol. */
static void expect_alignment(const char *reference, const char *output, const char *references,
                             const char *outputs)
{
    int32_t x[64], y[64];
    lb_alignment found;
    ck_assert_int_eq(lb_edit_alignment(sequence_of(reference, x), sequence_of(output, y), &found, NULL),
                     LB_OK);
    ck_assert_int_eq(found.length, (int64_t)strlen(references));
    for (int64_t i = 0; i < found.length; i++) {
        ck_assert_int_eq(found.pair[i].reference, references[i] == '-' ? LB_NO_SYMBOL : references[i]);
        ck_assert_int_eq(found.pair[i].output, outputs[i] == '-' ? LB_NO_SYMBOL : outputs[i]);
    }
    lb_alignment_free(&found);
    ck_assert_ptr_null(found.pair);
}

START_TEST(test_edit_alignment_names_what_is_replaced_missing_and_too_many)
{
    expect_alignment("kitten", "sitting", "kitten-", "sitting");
    expect_alignment("abcd", "acd", "abcd", "a-cd");
    expect_alignment("acd", "abcd", "a-cd", "abcd");
    expect_alignment("ab", "", "ab", "--");
    expect_alignment("", "ab", "--", "ab");
    expect_alignment("", "", "", "");
    /* What is right from the start stays right. */
    expect_alignment("aa", "a", "aa", "a-");
    expect_alignment("abc", "abcabc", "abc---", "abcabc");
    expect_alignment("abcabc", "abc", "abcabc", "abc---");
}
END_TEST

START_TEST(test_edit_alignment_prefers_from_the_start_two_symbols_to_a_missing_to_an_extra_one)
{
    expect_alignment("ab", "ba", "ab", "ba"); /* not a deletion and an insertion */
    expect_alignment("ab", "c", "ab", "c-");
    expect_alignment("c", "ab", "c-", "ab");
    expect_alignment("aba", "bab", "aba-",
                     "-bab"); /* at the start, one is missing; it could be one too many */
    expect_alignment("bab", "aba", "bab-", "-aba");
    expect_alignment("xabc", "yabcabc", "xabc---", "yabcabc");
}
END_TEST

static void add(lb_confusions *confusions, const char *reference, const char *output)
{
    int32_t x[64], y[64];
    ck_assert_int_eq(lb_confusions_add(confusions, sequence_of(reference, x), sequence_of(output, y), NULL),
                     LB_OK);
}

START_TEST(test_confusions_are_sorted_by_how_often_they_occur)
{
    lb_confusions found = {0};
    add(&found, "bet", "bat");
    add(&found, "bit", "bat");
    add(&found, "tin", "tan");
    add(&found, "bit", "bit");
    add(&found, "bit", "bi");
    add(&found, "go", "good");
    lb_confusions_sort(&found);
    const lb_confusion expected[] = {
        {'i', 'a', 2}, {LB_NO_SYMBOL, 'd', 1}, {LB_NO_SYMBOL, 'o', 1}, {'e', 'a', 1}, {'t', LB_NO_SYMBOL, 1}};
    ck_assert_int_eq(found.count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(found.pair[i].reference, expected[i].reference);
        ck_assert_int_eq(found.pair[i].output, expected[i].output);
        ck_assert_int_eq(found.pair[i].count, expected[i].count);
    }
    lb_confusions_sort(&found); /* sorting again changes nothing */
    ck_assert_int_eq(found.count, 5);
    ck_assert_int_eq(found.pair[0].count, 2);
    lb_confusions_free(&found);
    ck_assert_ptr_null(found.pair);
}
END_TEST

START_TEST(test_confusions_of_many_outputs_need_room_for_the_pairs_only)
{
    enum { OUTPUTS = 2000, SYMBOLS = 20 };
    static int64_t expected[SYMBOLS][SYMBOLS];
    int64_t all = 0, sum = 0;
    lb_confusions found = {0};
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        int32_t x[8], y[8];
        for (uint64_t k = 0; k < 8; k++) {
            x[k] = (int32_t)lb_rng_below((lb_rng){.seed = 1, .step = i}, k, SYMBOLS);
            y[k] = (x[k] + (int32_t)lb_rng_below((lb_rng){.seed = 2, .step = i}, k, 2)) % SYMBOLS;
        }
        lb_alignment alignment;
        lb_sequence reference = {x, 8}, output = {y, 8};
        ck_assert_int_eq(lb_confusions_add(&found, reference, output, NULL), LB_OK);
        ck_assert_int_eq(lb_edit_alignment(reference, output, &alignment, NULL), LB_OK);
        for (int64_t at = 0; at < alignment.length; at++) {
            lb_aligned pair = alignment.pair[at];
            all += pair.reference != pair.output;
            if (pair.reference >= 0 && pair.output >= 0) expected[pair.reference][pair.output]++;
        }
        lb_alignment_free(&alignment);
    }
    ck_assert_int_gt(all, 5000);
    ck_assert_int_le(found.capacity, 1024);
    lb_confusions_sort(&found);
    for (int64_t i = 0; i < found.count; i++) {
        lb_confusion c = found.pair[i];
        sum += c.count;
        if (i > 0) ck_assert_int_ge(found.pair[i - 1].count, c.count);
        if (c.reference >= 0 && c.output >= 0) ck_assert_int_eq(c.count, expected[c.reference][c.output]);
    }
    ck_assert_int_eq(sum, all);
    lb_confusions_free(&found);
}
END_TEST

START_TEST(test_confusions_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    int32_t x[] = {1, 2, 3}, y[] = {4, 5};
    support_watch_allocations();
    for (long n = 1; n <= 6; n++) {
        lb_confusions found = {0};
        lb_error error = {0};
        int64_t distance;
        support_fail_allocation(n);
        lb_status status = lb_confusions_add(&found, (lb_sequence){x, 3}, (lb_sequence){y, 2}, &error);
        if (!status) status = lb_edit_distance((lb_sequence){x, 3}, (lb_sequence){y, 2}, &distance, &error);
        ck_assert_int_eq(status, n <= 5 ? LB_ERROR_MEMORY : LB_OK);
        ck_assert_int_eq(error.status, status);
        lb_confusions_free(&found);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    for (long n = 1; n <= 3; n++) {
        lb_alignment alignment;
        support_fail_allocation(n);
        ck_assert_int_eq(lb_edit_alignment((lb_sequence){x, 3}, (lb_sequence){y, 2}, &alignment, NULL),
                         LB_ERROR_MEMORY);
        ck_assert_ptr_null(alignment.pair);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST

int main(void)
{
    return support_run_tests(
        "edit distance",
        SUPPORT_TESTS(test_edit_distance_of_known_words, test_edit_distance_is_what_its_definition_says,
                      test_edit_distance_is_a_metric,
                      test_edit_alignment_keeps_the_common_beginning_and_has_as_many_edits_as_the_distance,
                      test_edit_alignment_names_what_is_replaced_missing_and_too_many,
                      test_edit_alignment_prefers_from_the_start_two_symbols_to_a_missing_to_an_extra_one,
                      test_confusions_are_sorted_by_how_often_they_occur,
                      test_confusions_of_many_outputs_need_room_for_the_pairs_only,
                      test_confusions_any_failing_allocation_is_an_error_and_leaks_nothing));
}
