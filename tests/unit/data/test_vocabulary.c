/* Symbols and ids, as in torchtext: tests/data/text/make_fixtures.py. */
#include "data/text/symbols.h"

#include "lookback/tensor.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const specials[] = {"<pad>", "<unk>"};

static lb_vocabulary *new_vocabulary(void)
{
    lb_vocabulary *v = lb_vocabulary_new(specials, 2, 1, NULL);
    ck_assert_ptr_nonnull(v);
    return v;
}

static void add(lb_vocabulary *v, const char *symbol)
{
    SUPPORT_CHECK(lb_vocabulary_add(v, &symbol, 1, NULL) == LB_OK, "%s", symbol);
}

/* Splits a line of vocabulary.txt at its blanks. */
static size_t cut(char *line, const char *words[500])
{
    char *rest = NULL;
    size_t count = 0;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        ck_assert_uint_lt(count, 500);
        words[count++] = word;
    }
    return count;
}

START_TEST(test_sort_ids_are_those_of_torchtext)
{
    const char *words[500], *symbols[500];
    size_t length;
    char *file = support_read_file(TEST_DATA "/text/vocabulary.txt", &length), *rest = NULL;
    size_t count = cut(strtok_r(file, "\n", &rest), words);
    int lines = 0;
    for (char *line; (line = strtok_r(NULL, "\n", &rest)) != NULL; lines++) {
        lb_vocabulary *v = new_vocabulary();
        int64_t least = strtol(line, &line, 10);
        size_t size = cut(line, symbols);
        ck_assert_int_eq(lb_vocabulary_add(v, words, (int64_t)count, NULL), LB_OK);
        lb_vocabulary_sort(v, least);
        ck_assert_int_eq(lb_vocabulary_size(v), (int)size);
        for (size_t id = 0; id < size; id++) {
            ck_assert_str_eq(lb_vocabulary_symbol(v, (int32_t)id), symbols[id]);
            ck_assert_int_eq(lb_vocabulary_id(v, symbols[id]), (int)id);
        }
        lb_vocabulary_free(v);
    }
    ck_assert_int_eq(lines, 4);
    free(file);
}
END_TEST

START_TEST(test_id_of_what_is_not_there_is_that_of_the_unknown)
{
    static const char *const four[] = {"<pad>", "<s>", "</s>", "<unk>"};
    lb_vocabulary *v = lb_vocabulary_new(four, 4, LB_UNK, NULL);
    add(v, "rare");
    add(v, "often");
    add(v, "often");
    ck_assert_int_eq(lb_vocabulary_id(v, "rare"), LB_FIRST_TOKEN);
    ck_assert_int_eq(lb_vocabulary_id(v, "never"), LB_UNK);
    ck_assert_int_eq(lb_vocabulary_id(v, ""), LB_UNK);
    lb_vocabulary_sort(v, 2);
    ck_assert_int_eq(lb_vocabulary_id(v, "rare"), LB_UNK);
    ck_assert_int_eq(lb_vocabulary_id(v, "often"), LB_FIRST_TOKEN);
    ck_assert_int_eq(lb_vocabulary_id(v, "</s>"), LB_EOS);
    lb_vocabulary_free(v);
}
END_TEST

START_TEST(test_add_after_sort_goes_on_with_the_next_id)
{
    lb_vocabulary *v = new_vocabulary();
    add(v, "b");
    add(v, "a");
    lb_vocabulary_sort(v, 1);
    add(v, "0");
    add(v, "b");
    ck_assert_int_eq(lb_vocabulary_id(v, "a"), 2);
    ck_assert_int_eq(lb_vocabulary_id(v, "b"), 3);
    ck_assert_int_eq(lb_vocabulary_id(v, "0"), 4);
    lb_vocabulary_sort(v, 1);
    ck_assert_int_eq(lb_vocabulary_id(v, "b"), 2);
    lb_vocabulary_free(v);
}
END_TEST

START_TEST(test_new_reserved_spelling_of_a_special_is_a_symbol_like_any_other)
{
    lb_vocabulary *v = lb_vocabulary_new_reserved(NULL);
    ck_assert_int_eq(lb_vocabulary_size(v), LB_FIRST_TOKEN);
    ck_assert_str_eq(lb_vocabulary_symbol(v, LB_EOS), "<eos>");
    const int32_t none[] = {-1, lb_vocabulary_size(v)};
    for (int i = 0; SUPPORT_ROW(i, none); i++) {
        ck_assert_ptr_null(lb_vocabulary_symbol(v, none[i]));
        ck_assert_int_eq(lb_vocabulary_count(v, none[i]), 0);
    }
    ck_assert_int_eq(lb_vocabulary_id(v, "<eos>"), LB_UNK);
    for (int i = 0; i < 200; i++) { /* enough to make the table grow */
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        add(v, text);
    }
    add(v, "<eos>");
    add(v, "<eos>");
    ck_assert_int_eq(lb_vocabulary_id(v, "<eos>"), LB_FIRST_TOKEN + 200);
    lb_vocabulary_sort(v, 2);
    ck_assert_int_eq(lb_vocabulary_size(v), LB_FIRST_TOKEN + 1);
    ck_assert_int_eq(lb_vocabulary_id(v, "<eos>"), LB_FIRST_TOKEN);
    ck_assert_int_eq(lb_vocabulary_count(v, LB_FIRST_TOKEN), 2);
    ck_assert_int_eq(lb_vocabulary_count(v, LB_EOS), 0);
    ck_assert_int_eq(lb_vocabulary_id(v, "<pad>"), LB_UNK);
    lb_vocabulary_free(v);
}
END_TEST

START_TEST(test_encode_pads_and_cuts)
{
    lb_vocabulary *v = new_vocabulary();
    add(v, "good");
    const char *const words[] = {"good", "film", "good"};
    int32_t id[6] = {9, 9, 9, 9, 9, 9};
    ck_assert_int_eq(lb_vocabulary_encode(v, words, 3, id, 5), 3);
    ck_assert_mem_eq(id, ((const int32_t[]){2, 1, 2, LB_PAD, LB_PAD, 9}), sizeof id);
    id[2] = 9;
    ck_assert_int_eq(lb_vocabulary_encode(v, words, 3, id, 2), 2);
    ck_assert_mem_eq(id, ((const int32_t[]){2, 1, 9, LB_PAD, LB_PAD, 9}), sizeof id);
    ck_assert_int_eq(lb_vocabulary_encode(v, NULL, 0, id, 2), 0);
    ck_assert_mem_eq(id, ((const int32_t[]){LB_PAD, LB_PAD, 9, LB_PAD, LB_PAD, 9}), sizeof id);
    lb_vocabulary_free(v);
}
END_TEST

/* Numbers as words: 2, 3, 5 or 7 digits of them are all different. */
START_TEST(test_add_a_million_words_keeps_them_apart)
{
    enum { DIFFERENT = 100000, TIMES = 10 };
    char word[16];
    lb_vocabulary *v = new_vocabulary();
    for (int i = 0; i < DIFFERENT * TIMES; i++) {
        snprintf(word, sizeof word, "%d", i % DIFFERENT);
        add(v, word);
    }
    ck_assert_int_eq(lb_vocabulary_size(v), DIFFERENT + 2);
    for (int i = 0; i < DIFFERENT; i++) {
        snprintf(word, sizeof word, "%d", i);
        SUPPORT_CHECK(lb_vocabulary_id(v, word) == i + 2, "%s", word);
        SUPPORT_CHECK(strcmp(lb_vocabulary_symbol(v, i + 2), word) == 0, "%s", word);
    }
    lb_vocabulary_free(v);
}
END_TEST

START_TEST(test_new_impossible_specials_are_refused)
{
    static const char *const twice[] = {"<pad>", "<unk>", "<pad>"};
    lb_error error = {0};
    ck_assert_ptr_null(lb_vocabulary_new(twice, 3, 1, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "vocabulary: special symbol \"<pad>\" occurs twice");
    error = (lb_error){0};
    ck_assert_ptr_null(lb_vocabulary_new(specials, 2, 2, &error));
    ck_assert_str_eq(error.message,
                     "vocabulary: invalid unknown symbol 2, expected one of the 2 special symbols");
    ck_assert_ptr_null(lb_vocabulary_new(NULL, 0, 0, NULL));
    lb_vocabulary_free(NULL);
}
END_TEST

/* Adds until memory runs out. Earlier symbols stay correct. */
static lb_status add_many(void)
{
    lb_error error = {0};
    lb_vocabulary *v = lb_vocabulary_new(specials, 2, 1, &error);
    if (!v) return error.status;
    lb_status status = LB_OK;
    for (int i = 0; i < 3000 && !status; i++) {
        char text[16];
        const char *word = text;
        snprintf(text, sizeof text, "%d", i);
        status = lb_vocabulary_add(v, &word, 1, &error);
    }
    for (int32_t id = 0; id < lb_vocabulary_size(v); id++)
        ck_assert_int_eq(lb_vocabulary_id(v, lb_vocabulary_symbol(v, id)), id);
    lb_vocabulary_free(v);
    return status;
}

START_TEST(test_add_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    ck_assert_int_eq(add_many(), LB_OK);
    long all = support_allocation_count();
    ck_assert_int_gt(all, 10);
    for (long n = 1; n <= all; n++)
        for (int once = 0; once < 2; once++) {
            (once ? support_fail_allocation : support_fail_from_allocation)(n);
            ck_assert_int_eq(add_many(), LB_ERROR_MEMORY);
            ck_assert_int_eq(support_live_allocations(), 0);
        }
}
END_TEST
