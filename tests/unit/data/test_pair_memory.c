/* Pairs in memory: what a file with the same pairs gives, and every kind of bad input, with its index. */
#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 40, LINE = 64 };

static const lb_pair_format plain = {0}, words = {.source = {.separator = " "}, .target = {.separator = " "}},
                            inflected = {.source = {.features = ";"}, .features_column = 2};

static lb_error error;
static char sources[PAIRS][LINE], targets[PAIRS][LINE], features[PAIRS][LINE];
static const char *source[PAIRS], *target[PAIRS], *feature[PAIRS];

/* Pairs with and without marks, and the same as lines of the file pairs.tsv. */
static lb_pair_texts write_pairs(bool with_features)
{
    static char text[PAIRS * 3 * LINE];
    size_t used = 0;
    for (int i = 0; i < PAIRS; i++) {
        snprintf(sources[i], LINE, i % 3 ? "b\xC3\xA9 %d" : "be\xCC\x81 %d", i % 17);
        snprintf(targets[i], LINE, "%d a\xCC\x80\xCC\xA3", i);
        snprintf(features[i], LINE, "V;%s", i % 2 ? "PST" : "PRS");
        source[i] = sources[i];
        target[i] = targets[i];
        feature[i] = features[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\t%s%s%s\n", sources[i],
                                 with_features ? features[i] : "", with_features ? "\t" : "", targets[i]);
    }
    support_write_file(support_path("pairs.tsv"), text, used);
    return (lb_pair_texts){PAIRS, source, target, with_features ? feature : NULL};
}

static lb_pairs *open_file(lb_pair_format format)
{
    lb_pairs *pairs = lb_pairs_open(support_path("pairs.tsv"), format, &error);
    ck_assert_msg(pairs != NULL, "%s", error.message);
    return pairs;
}

static lb_pairs *open_memory(lb_pair_texts texts, lb_pair_format format)
{
    lb_pairs *pairs = lb_pairs_from_memory(texts, format, &error);
    ck_assert_msg(pairs != NULL, "%s", error.message);
    return pairs;
}

static void assert_same_symbols(const lb_symbols *a, const lb_symbols *b)
{
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) ck_assert_str_eq(a->symbol[i], b->symbol[i]);
}

static void assert_same_pairs(lb_pairs *a, lb_pairs *b)
{
    ck_assert_int_eq(lb_pairs_count(a), lb_pairs_count(b));
    for (int64_t i = lb_pairs_count(a) - 1; i >= 0; i--) {
        const lb_pair_line *x, *y;
        ck_assert_msg(!lb_pairs_read(a, i, &x, &error) && !lb_pairs_read(b, i, &y, &error), "%s",
                      error.message);
        assert_same_symbols(&x->source, &y->source);
        assert_same_symbols(&x->target, &y->target);
        ck_assert_int_eq(lb_pairs_source_length(a, i), lb_pairs_source_length(b, i));
        ck_assert_int_eq(lb_pairs_target_length(a, i), lb_pairs_target_length(b, i));
    }
    ck_assert_uint_eq(a->facts.hash, b->facts.hash);
}

START_TEST(test_memory_has_the_pairs_of_a_file_also_the_held_out_ones)
{
    const lb_pair_format formats[] = {plain, words, inflected};
    for (int i = 0; SUPPORT_ROW(i, formats); i++) {
        lb_pair_texts texts = write_pairs(i == 2);
        lb_pairs *file = open_file(formats[i]), *memory = open_memory(texts, formats[i]);
        assert_same_pairs(file, memory);
        lb_pairs *file_dev = lb_pairs_hold_out(file, 4, &error),
                 *memory_dev = lb_pairs_hold_out(memory, 4, &error);
        ck_assert_msg(file_dev && memory_dev, "%s", error.message);
        assert_same_pairs(file, memory);
        assert_same_pairs(file_dev, memory_dev);
        ck_assert_str_eq(memory_dev->path, "held out from pairs in memory");
        lb_pairs_close(memory);
        const lb_pair_line *line;
        ck_assert_int_eq(lb_pairs_read(memory_dev, 0, &line, &error), LB_OK);
        lb_pairs_close(memory_dev);
        lb_pairs_close(file_dev);
        lb_pairs_close(file);
    }
}
END_TEST

static void expect_refused(lb_pair_texts texts, lb_pair_format format, lb_status status, const char *message)
{
    error = (lb_error){0};
    ck_assert_ptr_null(lb_pairs_from_memory(texts, format, &error));
    ck_assert_str_eq(error.message, message);
    ck_assert_int_eq(error.status, status);
}

START_TEST(test_memory_missing_arrays_are_an_error_of_argument)
{
    lb_pair_texts texts = write_pairs(true), t = texts;
    t.count = 0;
    expect_refused(t, plain, LB_ERROR_ARGUMENT, "found 0 pairs, expected at least one");
    t.count = -3;
    expect_refused(t, plain, LB_ERROR_ARGUMENT, "found -3 pairs, expected at least one");
    t = (lb_pair_texts){.count = PAIRS, .target = target};
    expect_refused(t, plain, LB_ERROR_ARGUMENT, "found no sources of 40 pairs, expected an array of texts");
    t = (lb_pair_texts){.count = PAIRS, .source = source};
    expect_refused(t, plain, LB_ERROR_ARGUMENT, "found no targets of 40 pairs, expected an array of texts");
    t = (lb_pair_texts){PAIRS, source, target, NULL};
    expect_refused(t, inflected, LB_ERROR_ARGUMENT,
                   "found no features of 40 pairs, expected an array of texts");
    expect_refused(texts, plain, LB_ERROR_ARGUMENT, "features in column 2 need a separator, such as \";\"");
    lb_pairs *sources_alone =
        open_memory((lb_pair_texts){.count = PAIRS, .source = source}, (lb_pair_format){.no_target = true});
    ck_assert_int_eq(lb_pairs_count(sources_alone), PAIRS);
    lb_pairs_close(sources_alone);
}
END_TEST

static void expect_bad_pair(const char *bad_source, const char *bad_target, const char *message)
{
    lb_pair_texts texts = write_pairs(false);
    lb_pair_format skipping = {.skip_bad_lines = true};
    if (bad_source) source[7] = strcmp(bad_source, "NULL") ? bad_source : NULL;
    if (bad_target) target[7] = bad_target;
    expect_refused(texts, plain, LB_ERROR_FORMAT, message);
    lb_pairs *pairs = open_memory(texts, skipping);
    const lb_pairs_facts *facts = &pairs->facts;
    ck_assert_int_eq(lb_pairs_count(pairs), PAIRS - 1);
    ck_assert_int_eq(facts->lines, PAIRS);
    ck_assert_uint_eq(facts->first_bad.count, 1);
    ck_assert_str_eq(facts->first_bad.text[0], message);
    const lb_pair_line *line;
    ck_assert_int_eq(lb_pairs_read(pairs, 7, &line, &error), LB_OK);
    ck_assert_str_eq(line->target.symbol[0], "8");
    lb_pairs_close(pairs);
}

START_TEST(test_memory_bad_pair_is_an_error_with_its_index_or_skipped)
{
    expect_bad_pair("NULL", NULL, "pair 7: found NULL in the source, expected text");
    expect_bad_pair("a\tb", NULL, "pair 7: found a tab in the source, expected text");
    expect_bad_pair(NULL, "a\nb", "pair 7: found a line break in the target, expected text");
    expect_bad_pair("", NULL, "pair 7: found an empty source, expected text");
    expect_bad_pair(NULL, "", "pair 7: found an empty target, expected text");
    expect_bad_pair("\xFF", NULL, "pair 7: found 0xFF at byte 1 of the line, expected UTF-8");
    lb_pair_texts texts = write_pairs(false);
    target[0] = "";
    texts.count = 1;
    expect_refused(texts, (lb_pair_format){.skip_bad_lines = true}, LB_ERROR_FORMAT,
                   "found no valid pair among 1; the first: pair 0: found an empty target, expected text");
}
END_TEST

START_TEST(test_memory_text_that_changes_is_an_error)
{
    const lb_pair_line *line;
    lb_pairs *pairs = open_memory(write_pairs(false), plain);
    sources[2][0] ^= 1; /* another letter */
    strcpy(sources[3], "shorter");
    for (int i = 2; i < 4; i++) {
        ck_assert_int_eq(lb_pairs_read(pairs, i, &line, &error), LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, "pairs in memory: a text has changed since it was opened");
    }
    lb_pairs_close(pairs);
}
END_TEST

START_TEST(test_memory_failing_allocation_is_an_error_and_leaks_nothing)
{
    lb_pair_texts texts = write_pairs(true);
    support_watch_allocations();
    for (long n = 0;; n++) {
        support_fail_allocation(n);
        error = (lb_error){0};
        lb_pairs *pairs = lb_pairs_from_memory(texts, inflected, &error);
        if (n == 0) ck_assert_ptr_nonnull(pairs);
        bool whole = pairs != NULL;
        lb_pairs_close(pairs);
        ck_assert_int_eq(support_live_allocations(), 0);
        if (n > 0 && whole) return;
        ck_assert(n == 0 || error.status == LB_ERROR_MEMORY);
    }
}
END_TEST
