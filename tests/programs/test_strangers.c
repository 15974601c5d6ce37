/* lookback train without options on made-up tasks that nobody has tuned it for. Its models are of full size:
 * too slow for sanitizers, and it belongs to verify. */
#include "support/pair_program.h"
#include "support/strangers.h"
#include "support/suite.h"

#include <stdio.h>

enum { TRAIN_PAIRS = 1900, DEV_PAIRS = 200 };

/* The share of new sources with the right output, after fewer steps than in the recipe, to save time. Guessing is right
 * once in thousands of times. */
static double learn(support_stranger kind, const char *steps)
{
    double share = -1;
    support_write_stranger(kind, "train.tsv", TRAIN_PAIRS, "dev.tsv", DEV_PAIRS);
    SUPPORT_TRAIN("--train", "train.tsv", "--dev", "dev.tsv", "--steps", steps);
    support_assert_trained();
    ck_assert_int_eq(
        sscanf(support_ran.output, "exact match %lf %% (greedy) on 200 pairs of dev.tsv\n", &share), 1);
    return share / 100;
}

START_TEST(test_train_seq2seq_without_a_flag_learns_to_reverse_words)
{
    ck_assert_double_ge(learn(SUPPORT_REVERSED, "600"), 0.8);
}
END_TEST

START_TEST(test_train_seq2seq_without_a_flag_learns_roman_numerals)
{
    ck_assert_double_ge(learn(SUPPORT_ROMAN, "600"), 0.8);
}
END_TEST

START_TEST(test_train_seq2seq_without_a_flag_learns_plurals)
{
    ck_assert_double_ge(learn(SUPPORT_PLURALS, "600"), 0.8);
}
END_TEST

START_TEST(test_stranger_target_is_what_a_person_would_write)
{
    static const struct {
        support_stranger kind;
        const char *source, *target;
    } known[] = {
        {SUPPORT_REVERSED, "lamota", "atomal"},     {SUPPORT_ROMAN, "1979", "MCMLXXIX"},
        {SUPPORT_ROMAN, "3888", "MMMDCCCLXXXVIII"}, {SUPPORT_ROMAN, "4", "IV"},
        {SUPPORT_PLURALS, "gluty", "gluties"},      {SUPPORT_PLURALS, "gray", "grays"},
        {SUPPORT_PLURALS, "stife", "stives"},       {SUPPORT_PLURALS, "bach", "baches"},
        {SUPPORT_PLURALS, "volo", "voloes"},        {SUPPORT_PLURALS, "vio", "vios"},
        {SUPPORT_PLURALS, "trock", "trocks"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, known); i++) {
        char target[SUPPORT_STRANGER_TEXT];
        support_stranger_target(known[i].kind, known[i].source, target);
        ck_assert_str_eq(target, known[i].target);
    }
}
END_TEST
