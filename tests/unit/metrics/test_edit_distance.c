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

START_TEST(test_edit_distance_counts_a_symbol_that_no_output_can_have)
{
    const int32_t unwritable[] = {-1, 5, -1}, written[] = {5};
    ck_assert_int_eq(distance_of((lb_sequence){unwritable, 1}, (lb_sequence){NULL, 0}), 1);
    ck_assert_int_eq(distance_of((lb_sequence){NULL, 0}, (lb_sequence){unwritable, 1}), 1);
    ck_assert_int_eq(distance_of((lb_sequence){written, 1}, (lb_sequence){unwritable, 3}), 2);
    ck_assert_int_eq(distance_of((lb_sequence){written, 1}, (lb_sequence){unwritable + 1, 2}), 1);
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

/* An alignment side by side. */
typedef struct alignment {
    int32_t reference[64], output[64];
    int64_t length, most, edits; /* most: that are taken */
} alignment;

static bool take(void *to, int32_t reference, int32_t output)
{
    alignment *a = to;
    if (a->length == a->most) return false;
    a->reference[a->length] = reference;
    a->output[a->length++] = output;
    return true;
}

static alignment align(lb_sequence reference, lb_sequence output)
{
    alignment found = {.most = 64};
    ck_assert_int_eq(lb_edit_alignment(reference, output, take, &found, &found.edits, NULL), LB_OK);
    return found;
}

START_TEST(test_edit_alignment_keeps_the_common_beginning_and_has_as_many_edits_as_the_distance)
{
    int32_t x[LONGEST], y[LONGEST];
    for (uint32_t i = 0; i < TRIALS; i += 2) {
        lb_sequence reference = draw(i, x), output = draw(i + 1, y);
        const alignment found = align(reference, output);
        int64_t r = 0, o = 0, edits = 0, common = 0, kept = 0;
        while (common < reference.length && common < output.length && x[common] == y[common]) common++;
        for (int64_t at = 0; at < found.length; at++) {
            const int32_t of_reference = found.reference[at], of_output = found.output[at];
            edits += of_reference != of_output;
            kept += edits == 0;
            if (of_reference != LB_NO_SYMBOL) SUPPORT_CHECK(of_reference == x[r++], "pair %u", i);
            if (of_output != LB_NO_SYMBOL) SUPPORT_CHECK(of_output == y[o++], "pair %u", i);
        }
        SUPPORT_CHECK(r == reference.length && o == output.length, "pair %u is not whole", i);
        SUPPORT_CHECK(kept == common, "pair %u: %lld of %lld kept", i, (long long)kept, (long long)common);
        SUPPORT_CHECK(edits == distance_of(reference, output), "pair %u: %lld edits", i, (long long)edits);
        SUPPORT_CHECK(edits == found.edits, "pair %u: %lld counted", i, (long long)found.edits);
    }
}
END_TEST

/* Against pairs of characters, where '-' is no symbol. */
static void expect_alignment(const char *reference, const char *output, const char *references,
                             const char *outputs)
{
    int32_t x[64], y[64];
    const alignment found = align(sequence_of(reference, x), sequence_of(output, y));
    ck_assert_int_eq(found.length, (int64_t)strlen(references));
    for (int64_t i = 0; i < found.length; i++) {
        ck_assert_int_eq(found.reference[i], references[i] == '-' ? LB_NO_SYMBOL : references[i]);
        ck_assert_int_eq(found.output[i], outputs[i] == '-' ? LB_NO_SYMBOL : outputs[i]);
    }
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
    for (int i = 0; SUPPORT_ROW(i, expected); i++) {
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
        lb_sequence reference = {x, 8}, output = {y, 8};
        ck_assert_int_eq(lb_confusions_add(&found, reference, output, NULL), LB_OK);
        const alignment pairs = align(reference, output);
        for (int64_t at = 0; at < pairs.length; at++) {
            const int32_t a = pairs.reference[at], b = pairs.output[at];
            all += a != b;
            if (a >= 0 && b >= 0) expected[a][b]++;
        }
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
    for (long n = 1; n <= 4; n++) {
        lb_confusions found = {0};
        lb_error error = {0};
        int64_t distance;
        support_fail_allocation(n);
        lb_status status = lb_confusions_add(&found, (lb_sequence){x, 3}, (lb_sequence){y, 2}, &error);
        if (!status) status = lb_edit_distance((lb_sequence){x, 3}, (lb_sequence){y, 2}, &distance, &error);
        ck_assert_int_eq(status, n <= 3 ? LB_ERROR_MEMORY : LB_OK);
        ck_assert_int_eq(error.status, status);
        lb_confusions_free(&found);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST

START_TEST(test_edit_alignment_that_cannot_be_taken_is_an_error)
{
    int32_t x[] = {1, 2, 3, 7}, y[] = {1, 5};
    for (int64_t most = 0; most <= 4; most++) {
        alignment found = {.most = most};
        lb_error error = {0};
        lb_status status =
            lb_edit_alignment((lb_sequence){x, 4}, (lb_sequence){y, 2}, take, &found, &found.edits, &error);
        ck_assert_int_eq(status, most < 4 ? LB_ERROR_MEMORY : LB_OK);
        ck_assert_int_eq(error.status, status);
        ck_assert_int_eq(found.length, most); /* nothing is taken after a pair that was refused */
    }
}
END_TEST
