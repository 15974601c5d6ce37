/* Pairs with features, as for inflection: train, predict and evaluate on files of three columns. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 200, LINE = 48 };

static support_result result;

/* The word with this number. */
static void write_word(char word[8], unsigned number)
{
    static const char letters[] = "aekmotur";
    int length = 2 + (int)(number % 3);
    for (int i = 0; i < length; i++) word[i] = letters[(number * 2654435761U >> (8 + 4 * i)) % 8];
    word[length] = '\0';
}

/* Lemma, form, features: the plural ends with s, the definite begins with n, whatever the word. */
static void write_forms(const char *name, unsigned first, unsigned count)
{
    static char text[4 * WORDS * LINE];
    char word[8];
    size_t used = 0;
    for (unsigned i = first; i < first + count; i++) {
        write_word(word, i);
        for (int form = 0; form < 4; form++) {
            const char *plural = form % 2 ? "PL" : "SG", *definite = form / 2 ? "DEF" : "INDF";
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\t%s%s%s\tN;%s;%s\n", word,
                                     form / 2 ? "n" : "", word, form % 2 ? "s" : "", plural, definite);
        }
    }
    support_write_file(support_path(name), text, used);
}

#define RUN(input, ...) SUPPORT_RUN(&result, input, BIN_DIR "/lookback", __VA_ARGS__)

#define TRAIN                                                                                                \
    "train", "--train", "train.tsv", "--dev", "dev.tsv", "--features-column", "3", "--embed", "24",          \
        "--hidden", "48", "--dropout", "0", "--warm-up", "20", "--lr", "0.01", "--steps", "400",             \
        "--evaluate-every", "100", "--threads", "1"

START_TEST(test_features_choose_the_form_of_the_same_word)
{
    write_forms("train.tsv", 0, WORDS);
    write_forms("dev.tsv", WORDS, 40);
    RUN(NULL, TRAIN);
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN("mare\tN;SG;INDF\nmare\tN;PL;INDF\nmare\tN;PL;DEF\n", "predict", "out");
    support_expect(&result, 0,
                   "mare\tN;SG;INDF\tmare\n"
                   "mare\tN;PL;INDF\tmares\n"
                   "mare\tN;PL;DEF\tnmares\n",
                   "");
    RUN("mare\tnmares\tN;PL;DEF\n", "predict", "out", "--source-column", "1", "--features-column", "3");
    support_expect(&result, 0, "mare\tN;PL;DEF\tnmares\n", "");
    RUN(NULL, "evaluate", "out", "dev.tsv", "--features-column", "3", "--json");
    ck_assert_msg(strstr(result.output, "\"pairs\":160,") != NULL, "%s%s", result.output, result.error);
    RUN("mare\tnmares\n", "predict", "out");
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(strstr(result.error, "nmares") != NULL, "%s", result.error); /* it is read as a feature */
}
END_TEST

/* Writes the lines of a file with a column in front. */
static void shift_columns(const char *from, const char *to)
{
    static char moved[8 * WORDS * LINE];
    size_t count, used = 0;
    char *text = support_read_file(support_path(from), &count);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        used += (size_t)snprintf(moved + used, sizeof moved - used, "-\t%s\n", line);
    support_write_file(support_path(to), moved, used);
    free(text);
}

#define SHIFTED "--source-column", "2", "--target-column", "3", "--features-column", "4"
#define SAID(program)                                                                                        \
    "lookback " program                                                                                      \
    ": shifted.tsv: read as source 2, target 3, features 4; the model was trained with source 1, "           \
    "target 2, features 3\n"

/* A model remembers the columns that it was trained with: no program is told again. */
START_TEST(test_features_columns_of_the_training_are_the_default_of_all_programs)
{
    static char one[1 << 16];
    write_forms("train.tsv", 0, WORDS);
    write_forms("dev.tsv", WORDS, 40);
    shift_columns("dev.tsv", "shifted.tsv");
    RUN(NULL, TRAIN);
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN(NULL, "evaluate", "out", "dev.tsv", "--json");
    ck_assert_msg(strstr(result.output, "\"exact_match\":{\"value\":100,"), "%s", result.output);
    support_expect(&result, 0, result.output, "");
    snprintf(one, sizeof one, "%s", result.output);
    RUN(NULL, "evaluate", "out", "shifted.tsv", "--json", SHIFTED);
    support_expect(&result, 0, one, SAID("evaluate"));
    RUN(NULL, "score", "out", "dev.tsv");
    support_expect(&result, 0, result.output, "");
    snprintf(one, sizeof one, "%s", result.output);
    RUN(NULL, "score", "out", "shifted.tsv", SHIFTED);
    support_expect(&result, 0, one, SAID("score"));
    RUN(NULL, "report", "out", "dev.tsv");
    ck_assert_msg(strstr(result.error, "wrote report.html (160 pairs"), "%s", result.error);
    RUN(NULL, "report", "out", "shifted.tsv", SHIFTED);
    ck_assert_msg(strncmp(result.error, SAID("report"), strlen(SAID("report"))) == 0, "%s", result.error);
    RUN("mare\tN;PL;DEF\n", "score", "out", "-");
    support_expect(
        &result, 65, "",
        "lookback score: standard input:1: found 2 columns, expected at least 3, separated by tabs; "
        "without --source-column and --target-column, they are those of the training\n");
    RUN("mare\tnmares\tN;PL;DEF\n", "predict", "out");
    support_expect(&result, 0, "mare\tN;PL;DEF\tnmares\n",
                   "lookback predict: standard input: read as unimorph\n");
    RUN("-\tmare\tN;PL;DEF\n", "predict", "out", "--source-column", "2");
    support_expect(&result, 0, "mare\tN;PL;DEF\tnmares\n",
                   "lookback predict: standard input: read as source 2, features 3; the model was trained "
                   "with source 1, "
                   "features 3\n");
}
END_TEST

START_TEST(test_features_columns_of_the_training_are_those_of_further_ones)
{
    write_forms("train.tsv", 0, WORDS);
    write_forms("dev.tsv", WORDS, 40);
    shift_columns("dev.tsv", "shifted.tsv");
    RUN(NULL, TRAIN);
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN(NULL, "train", "--from", "out", "--train", "train.tsv", "--dev", "dev.tsv", "--lr", "0.0001",
        "--steps", "10", "--out", "on");
    ck_assert_msg(result.status == 0 && strstr(result.output, "exact match 100.00 % (greedy) on 160"), "%s",
                  result.error);
    ck_assert_ptr_null(strstr(result.error, "the model was trained with"));
    RUN(NULL, "train", "--from", "out", "--train", "shifted.tsv", "--lr", "0.0001", "--steps", "10", "--out",
        "other", SHIFTED);
    ck_assert_msg(result.status == 0 && strstr(result.error, SAID("train")), "%s", result.error);
    RUN(NULL, "train", "--from", "out", "--train", "train.tsv", "--dev", "dev.tsv", "--teacher", "out",
        "--made-up", "0", "--lr", "0.0001", "--steps", "10", "--out", "pupil");
    ck_assert_msg(result.status == 0 && strstr(result.output, "exact match 100.00 % (greedy) on 160"), "%s",
                  result.error);
    RUN(NULL, "join", "out", "on", "--dev", "dev.tsv", "-o", "both");
    ck_assert_msg(strstr(result.output, "exact match 100.00 % (beam 5) on 160"), "%s%s", result.output,
                  result.error);
    support_expect(&result, 0, result.output, "");
    RUN(NULL, "join", "out", "on", "--dev", "shifted.tsv", "-o", "both", SHIFTED);
    ck_assert_msg(result.status == 0 && strstr(result.error, SAID("join")), "%s", result.error);
    static const char *const models[] = {"on", "both", "pupil"};
    for (int i = 0; i < 3; i++) {
        RUN(NULL, "evaluate", models[i], "dev.tsv", "--json");
        ck_assert_msg(strstr(result.output, "\"exact_match\":{\"value\":100,"), "%s", result.output);
    }
    RUN(NULL, "evaluate", "other", "shifted.tsv", "--json");
    ck_assert_msg(strstr(result.output, "\"exact_match\":{\"value\":100,"), "%s%s", result.output,
                  result.error);
}
END_TEST

START_TEST(test_features_that_are_missing_are_refused)
{
    write_forms("train.tsv", 0, WORDS);
    write_forms("dev.tsv", WORDS, 40);
    RUN(NULL, TRAIN, "--steps", "1");
    ck_assert_msg(result.status == 0, "%s", result.error);
    static const char *const without[] = {"mare\n", "mare N;PL\n", "mare;N;PL\n", "m a r e\n"};
    for (size_t i = 0; SUPPORT_ROW(i, without); i++) {
        RUN(without[i], "predict", "out");
        support_expect(&result, 65, "",
                       "lookback predict: standard input:1: found no tab, expected a text, a tab and its "
                       "features, such as walk<TAB>V;PST\n");
    }
    RUN("mare,N\n", "predict", "out");
    support_expect(
        &result, 65, "",
        "lookback predict: standard input:1: found text with commas, such as CSV, expected columns "
        "with tabs between them; the model reads a text, a tab and its features\n");
    RUN("mare\tN;PL\t1\nmule\n", "predict", "out", "--features-column", "2");
    ck_assert_ptr_nonnull(
        strstr(result.error, "found 1 column, expected at least 2, separated by tabs; the model"));
    RUN("mare\tN;;PL\n", "predict", "out");
    support_expect(
        &result, 65, "",
        "lookback predict: standard input:1: found an empty symbol, expected text before and after each "
        "separator\n");
    RUN(NULL, TRAIN, "--features-column", "1");
    ck_assert_int_eq(result.status, 2);
    RUN(NULL, TRAIN, "--features-column", "4");
    ck_assert_int_eq(result.status, 65);
}
END_TEST

START_TEST(test_features_predictions_are_compared_with_their_features)
{
    static const char pairs[] = "mare\tN;PL\tmares\n", same[] = "mare\tN;PL\tmares\n",
                      other[] = "mare\tN;SG\tmares\n";
    support_write_file(support_path("pairs.tsv"), pairs, sizeof pairs - 1);
    RUN(same, "evaluate", "--predictions", "-", "--features-separator", ";", "pairs.tsv");
    ck_assert_msg(result.status == 0 && strstr(result.output, "100.00"), "%s%s", result.output, result.error);
    RUN(other, "evaluate", "--predictions", "-", "--features-separator", ";", "pairs.tsv");
    ck_assert_int_eq(result.status, 65);
}
END_TEST

/* The last number of a line. */
static double last_number(const char *end)
{
    while (end[-1] != '\t') end--;
    return strtod(end, NULL);
}

/* The order of features means nothing to a transformer, if it is asked for, but for the order of sums. */
START_TEST(test_features_of_a_transformer_have_no_order)
{
    static const char *const ways[] = {"feature_positions=true", "feature_positions=false"};
    write_forms("train.tsv", 0, WORDS);
    write_forms("dev.tsv", WORDS, 40);
    for (int i = 0; SUPPORT_ROW(i, ways); i++) {
        RUN(NULL, "train", "--train", "train.tsv", "--dev", "dev.tsv", "--features-column", "3", "--model",
            "transformer", "--hidden", "16", "--heads", "2", "--steps", "30", "--threads", "1", "--fresh",
            "--set", ways[i]);
        ck_assert_msg(result.status == 0, "%s", result.error);
        RUN("mare\tN;PL;DEF\nmare\tDEF;N;PL\n", "predict", "out", "--n-best", "1", "--threads", "1");
        const char *end = strchr(result.output, '\n');
        ck_assert_ptr_nonnull(end);
        double first = last_number(end);
        end = strchr(end + 1, '\n');
        ck_assert_ptr_nonnull(end);
        double apart = fabs(last_number(end) - first);
        ck_assert_msg(i == 0 ? apart < 1e-5 : apart > 1e-4, "%g apart", apart);
        RUN(NULL, "inspect", "out");
        ck_assert_int_eq(strstr(result.output, "feature_positions: true") != NULL, i == 0);
    }
}
END_TEST

/* What a teacher adds has the columns of the file. */
START_TEST(test_features_of_a_teacher_keep_their_columns)
{
    size_t count;
    write_forms("train.tsv", 0, WORDS);
    write_forms("dev.tsv", WORDS, 40);
    RUN(NULL, TRAIN);
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_write_file(support_path("words.tsv"), "mare\t?\tN;PL;DEF\n", strlen("mare\t?\tN;PL;DEF\n"));
    RUN(NULL, TRAIN, "--teacher", "out", "--unlabelled", "words.tsv", "--steps", "10", "--out", "pupil");
    ck_assert_msg(result.status == 0, "%s", result.error);
    char *pairs = support_read_file(support_path("pupil/taught.tsv"), &count);
    ck_assert_ptr_nonnull(strstr(pairs, "\nmare\tnmares\tN;PL;DEF\n"));
    free(pairs);
}
END_TEST

/* The endings of ten words do not tell which letters belong to a word. Killed, it ends with the same file. */
START_TEST(test_features_of_few_words_are_learned_on_made_up_ones)
{
    double exact[2];
    static const char *const shares[] = {"0", "0.9"}, *const folders[] = {"seen", "made-up"};
    write_forms("train.tsv", 0, 10);
    write_forms("dev.tsv", WORDS, 40);
    for (int i = 0; SUPPORT_ROW(i, shares); i++) {
        RUN(NULL, TRAIN, "--hallucinate", shares[i], "--out", folders[i]);
        ck_assert_msg(result.status == 0, "%s", result.error);
        ck_assert_int_eq(sscanf(result.output, "exact match %lf on ", &exact[i]), 1);
    }
    ck_assert_double_gt(exact[1], exact[0] + 20);
    support_command command = {.argv = (const char *const[]){BIN_DIR "/lookback", TRAIN, "--hallucinate",
                                                             "0.9", "--out", "killed", NULL},
                               .directory = support_tempdir()};
    ck_assert_int_gt(support_kill_until_done(command, &result), 5);
    support_assert_same_files("made-up/model.safetensors", "killed/model.safetensors");
    RUN(NULL, TRAIN, "--hallucinate", "0.5", "--out", "killed", "--steps", "800");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(strstr(result.error, "it was trained with --hallucinate 0.9, this run has"));
}
END_TEST
