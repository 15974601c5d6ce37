/* The words that one knows, first: a lexicon in a model by train and join, and what predict, evaluate, inspect, score
 * and export make of it. It takes seconds. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "io/safetensors.h"
#include "support/exported.h"
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/report_page.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <lookback/translate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static support_result result;

#define RUN(input, ...) SUPPORT_RUN(&result, input, __VA_ARGS__)
#define LOOKBACK        BIN_DIR "/lookback"

/* Made once, in main: the model of pair_model.h, which writes "bad" as "B A tʃ". */
static const char *model;

/* "ab" has two answers, and one of them a symbol that the model lacks; the model lacks the letters of "xyz", too. */
static const char words[] = "bad\tA A\nab\tnew B\nab\tA B\nxyz\tB\n\xc3\xa9"
                            "a\tA\n";

static void join_words(const char *out, const char *option)
{
    support_write_text("words.tsv", words);
    RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "-o", out, option);
    ck_assert_msg(result.status == 0, "%s", result.error);
}

static void expect(const char *output)
{
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_str_eq(result.output, output);
}

static void expect_refused(const char *message)
{
    ck_assert_int_ne(result.status, 0);
    ck_assert_msg(strstr(result.error, message) != NULL, "%s", result.error);
}

START_TEST(test_lexicon_of_join_is_written_whatever_the_search)
{
    join_words("exact", NULL);
    ck_assert_ptr_nonnull(strstr(result.output, "1 model in exact\n4 entries in the lexicon\n"));
    ck_assert_ptr_nonnull(
        strstr(result.error, "1 of 4 entries of the lexicon have several targets; the first"));
    const char *const searches[][2] = {{"--beam", "1"}, {"--beam", "8"}, {"--batch", "1"}};
    for (int i = 0; SUPPORT_ROW(i, searches); i++) {
        RUN("bad\nab\nxyz\ne\xcc\x81"
            "a\nBad\n",
            LOOKBACK, "predict", "exact", "--only-outputs", searches[i][0], searches[i][1]);
        ck_assert_int_eq(strncmp(result.output, "A A\nnew B\nB\nA\n", strlen("A A\nnew B\nB\nA\n")), 0);
    }
    RUN("bad\n", LOOKBACK, "predict", "exact", "--only-outputs", "--no-lexicon");
    expect("B A t\xca\x83\n");
    RUN("bad\n", LOOKBACK, "predict", "exact", "--only-outputs", "--sample", "--temperature", "0");
    expect("B A t\xca\x83\n");
    RUN("", LOOKBACK, "inspect", "exact", "--lexicon");
    expect("ab\tnew B\nab\tA B\nbad\tA A\n\xc3\xa9"
           "a\tA\nxyz\tB\n");
}
END_TEST

START_TEST(test_lexicon_is_first_among_the_best_and_scored_as_score_does)
{
    join_words("exact", NULL);
    RUN("ab\n", LOOKBACK, "predict", "exact", "--jsonl", "--n-best", "4");
    cJSON *line = cJSON_Parse(result.output);
    const cJSON *outputs = cJSON_GetObjectItem(line, "outputs");
    ck_assert_int_eq(cJSON_GetArraySize(outputs), 4);
    const char *const texts[] = {"new B", "A B"};
    for (int i = 0; i < 4; i++) {
        const cJSON *output = cJSON_GetArrayItem(outputs, i);
        const char *from = cJSON_GetStringValue(cJSON_GetObjectItem(output, "from"));
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(output, "text"));
        ck_assert_int_eq(from && strcmp(from, "lexicon") == 0, i < 2);
        ck_assert_int_eq(cJSON_IsNull(cJSON_GetObjectItem(output, "probability")), i == 0);
        ck_assert_int_eq(cJSON_IsNull(cJSON_GetObjectItem(output, "score")), i == 0);
        const char *why = cJSON_GetStringValue(cJSON_GetObjectItem(output, "why_null"));
        ck_assert(i == 0 ? strstr(why, "the model lacks a symbol of this answer of the lexicon") == why
                         : !why);
        for (int k = 0; SUPPORT_ROW(k, texts); k++) ck_assert_int_eq(strcmp(text, texts[k]) == 0, k == i);
    }
    double probability = cJSON_GetObjectItem(cJSON_GetArrayItem(outputs, 1), "probability")->valuedouble;
    RUN("ab\tA B\n", LOOKBACK, "score", "exact", "-");
    ck_assert_double_eq_tol(log(probability), atof(strrchr(result.output, '\t')), 1e-4);
    cJSON_Delete(line);
    RUN("ab\n", LOOKBACK, "predict", "exact", "--n-best", "1");
    expect("ab\tnew B\t\n");
    RUN("ab\n", LOOKBACK, "predict", "exact", "--attention", "where.npy");
    expect_refused("found an answer of the lexicon, for which the model has no attention");
    RUN("bad\n", LOOKBACK, "predict", "exact", "--attention", "where.npy");
    expect("bad\tA A\n");
    RUN("ab\tA\n", LOOKBACK, "predict", "exact", "--prefix-column", "2", "--only-outputs");
    expect("A B\n");
}
END_TEST

START_TEST(test_lexicon_leaves_other_outputs_and_the_file_without_it_as_they_were)
{
    join_words("exact", NULL);
    RUN("dad\nbe\nabe\n", LOOKBACK, "predict", model, "--jsonl", "--n-best", "3");
    char *plain = strdup(result.output);
    RUN("dad\nbe\nabe\n", LOOKBACK, "predict", "exact", "--jsonl", "--n-best", "3");
    expect(plain);
    free(plain);
    RUN("", LOOKBACK, "join", "exact", "--no-lexicon", "-o", "back");
    ck_assert_int_eq(result.status, 0);
    RUN("", "/usr/bin/cmp", model, "back/model.safetensors");
    expect("");
}
END_TEST

START_TEST(test_lexicon_in_evaluate_gives_both_figures)
{
    join_words("exact", NULL);
    support_write_text("test.tsv", "bad\tA A\ndad\tt\xca\x83 A t\xca\x83\n");
    RUN("", LOOKBACK, "evaluate", "exact", "test.tsv", "--json", "--confusions", "0");
    cJSON *found = cJSON_Parse(result.output);
    ck_assert_msg(found != NULL, "%s", result.error);
    const cJSON *without = cJSON_GetObjectItem(found, "without_lexicon");
    ck_assert_int_eq(cJSON_GetObjectItem(found, "of_lexicon")->valueint, 1);
    double with = cJSON_GetObjectItem(cJSON_GetObjectItem(found, "exact_match"), "value")->valuedouble;
    double bare = cJSON_GetObjectItem(cJSON_GetObjectItem(without, "exact_match"), "value")->valuedouble;
    ck_assert_double_eq(with - bare, 50);
    cJSON_Delete(found);
    RUN("", LOOKBACK, "evaluate", "exact", "test.tsv");
    ck_assert_ptr_nonnull(
        strstr(result.output, "\nof the lexicon             1\nwithout the lexicon\nexact match"));
    RUN("", LOOKBACK, "evaluate", "exact", "test.tsv", "--no-lexicon");
    ck_assert_ptr_null(strstr(result.output, "lexicon"));
    RUN("", LOOKBACK, "evaluate", model, "test.tsv");
    ck_assert_ptr_null(strstr(result.output, "lexicon"));
}
END_TEST

/* Two words of the lexicon, of which one has a symbol that the model lacks, and three of the model. */
START_TEST(test_lexicon_in_a_report_counts_beside_the_model_and_in_no_chart)
{
    static const char *const measures[] = {"exact_match", "symbol_error_rate"};
    static const char *const of_page[] = {"exact", "symbol_error"};
    join_words("exact", NULL);
    support_write_text("test.tsv", "bad\tA A\ndad\tt\xca\x83 A t\xca\x83\ncab\tC A B\nab\tnew B\na\tA\n");
    RUN("", LOOKBACK, "evaluate", "exact", "test.tsv", "--json");
    cJSON *measured = cJSON_Parse(result.output);
    ck_assert_msg(measured != NULL, "%s", result.error);
    RUN("", LOOKBACK, "report", "exact", "test.tsv", "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    const cJSON *statistics = support_at(p.data, "statistics"),
                *alone = support_at(statistics, "without_lexicon"), *bin;
    ck_assert_double_eq(support_number(statistics, "of_lexicon"), 2);
    for (int i = 0; SUPPORT_ROW(i, measures); i++) {
        double with = support_number(support_at(measured, measures[i]), "value") / 100,
               without =
                   support_number(support_at(support_at(measured, "without_lexicon"), measures[i]), "value") /
                   100;
        ck_assert_double_eq_tol(support_number(statistics, of_page[i]), with, 1e-5);
        ck_assert_double_eq_tol(support_number(alone, of_page[i]), without, 1e-5);
        ck_assert_double_gt(fabs(with - without), 0.05);
    }
    double lengths = 0, binned = 0, confused = 0, edits = 0;
    cJSON_ArrayForEach(bin, support_at(statistics, "by_length")) lengths += support_number(bin, "pairs");
    cJSON_ArrayForEach(bin, support_at(statistics, "calibration")) binned += support_number(bin, "pairs");
    cJSON_ArrayForEach(bin, support_at(statistics, "confusions")) confused += support_number(bin, "count");
    for (int i = 0; i < 5; i++) {
        const cJSON *pair = cJSON_GetArrayItem(support_at(p.data, "pairs"), i);
        bool known = cJSON_GetObjectItem(support_at(pair, "outputs.0"), "lexicon") != NULL;
        ck_assert(known == (i == 0 || i == 3));
        if (!known) edits += support_number(pair, "edits");
    }
    ck_assert_double_eq(lengths, 3);
    ck_assert_double_eq(binned, 3);
    ck_assert_double_eq(confused, edits);
    ck_assert_double_eq(support_number(statistics, "why.pairs"), 2);
    support_close_page(&p);
    cJSON_Delete(measured);
}
END_TEST

START_TEST(test_lexicon_of_a_training_is_given_or_learned_and_stays_in_the_next_one)
{
    support_write_text("words.tsv", "ha\tx\n");
    support_write_text("train.tsv", "ha\ta h\nda\ta d\nda\td\nda\td\nbe\te b\nab\tb a\n");
    support_write_text("dev.tsv", "ad\td a\n");
    SUPPORT_TRAIN("--train", "train.tsv", "--dev", "dev.tsv", "--target-separator", " ", "--steps", "1",
                  "--hidden", "8", "--embed", "4", "--lexicon", "words.tsv", "--lexicon-from-train", "--out",
                  "a");
    support_assert_trained();
    RUN("", LOOKBACK, "inspect", "a", "--lexicon");
    expect("ab\tb a\nbe\te b\nda\td\nda\ta d\nha\tx\n");
    SUPPORT_TRAIN("--from", "a", "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "1", "--out", "b");
    support_assert_trained();
    RUN("ha\n", LOOKBACK, "predict", "b", "--only-outputs");
    expect("x\n");
    SUPPORT_TRAIN("--train", "train.tsv", "--dev", "dev.tsv", "--target-separator", " ", "--steps", "1",
                  "--hidden", "8", "--embed", "4", "--lexicon", "words.tsv", "--seeds", "2", "--out", "two");
    support_assert_trained();
    RUN("ha\n", LOOKBACK, "predict", "two", "--only-outputs");
    expect("x\n");
    RUN("", LOOKBACK, "join", "a", "two/seed-1", "-o", "both");
    expect_refused("they have different lexicons");
    RUN("", LOOKBACK, "join", "a", "two/seed-1", "-o", "both", "--lexicon", "words.tsv");
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN("ha\n", LOOKBACK, "predict", "both", "--only-outputs");
    expect("x\n");
}
END_TEST

enum { ENTRIES = 5000 };

/* Words of one to six letters, in no order, whose answers are no outputs of the model, or, for every fifth, are.
 * Returns the answers, a line each; `*others` is how many of them the model does not write. */
static char *write_many(const char *sources, const char *lexicon, int *others)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", "\xc3\xa9", "x"};
    lb_buffer words_of = {0}, pairs = {0}, answers = {0};
    for (int i = 0; i < ENTRIES; i++) {
        lb_buffer word = {0};
        for (int rest = i * 37 % ENTRIES + 1; rest > 0; rest /= 7)
            lb_buffer_print(&word, "%s", letters[rest % 7]);
        lb_buffer_print(&words_of, "%s\n", word.text);
        lb_release(word.text);
    }
    support_write_text(sources, words_of.text);
    RUN(words_of.text, LOOKBACK, "predict", model, "--only-outputs", "--beam", "1");
    ck_assert_int_eq(result.status, 0);
    const char *written = result.output, *word = words_of.text;
    for (int i = 0; i < ENTRIES; i++) {
        int bytes = (int)strcspn(word, "\n"), length = (int)strcspn(written, "\n");
        lb_buffer answer = {0};
        if (i % 5 == 0 && length > 0)
            lb_buffer_print(&answer, "%.*s", length, written);
        else
            lb_buffer_print(&answer, i % 5 == 1 ? "new%d A" : "A B A", i);
        lb_buffer_print(&pairs, "%.*s\t%s\n", bytes, word, answer.text);
        lb_buffer_print(&answers, "%s\n", answer.text);
        *others += (int)answer.length != length || memcmp(answer.text, written, answer.length) != 0;
        lb_release(answer.text);
        word += bytes + 1;
        written += length + 1;
    }
    support_write_text(lexicon, pairs.text);
    lb_release(words_of.text);
    lb_release(pairs.text);
    return answers.text;
}

static void expect_answers(const char *answers)
{
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert(strcmp(result.output, answers) == 0);
}

/* Reads the sources by a program with the exported file. */
static void expect_exported(const char *choice, const char *type, const char *beam, const char *answers)
{
    const char *const options[] = {"--lexicon", choice, "--type", type, "--beam", beam, NULL};
    support_compile_exported("many", options, "lines", "-O1");
    size_t count;
    char *sources = support_content("sources.txt", &count);
    RUN(sources, "./lines", NULL);
    expect_answers(answers);
    free(sources);
}

START_TEST(test_lexicon_that_folds_prefers_the_spelling_in_the_program_and_in_a_c_file)
{
    static const char entries[] = "job\tA\nJob\tB\nMa\xc3\x9f"
                                  "e\tA A\nMasse\tB B\n\xc3\x89"
                                  "a\tA B\n",
                      texts[] = "Job\njob\nJOB\nMa\xc3\x9f"
                                "e\nma\xc3\x9f"
                                "e\nMasse\nMASSE\n\xc3\xa9"
                                "A\ne\xcc\x81"
                                "a\n",
                      answers[] = "B\nA\nA\nA A\nA A\nB B\nB B\nA B\nA B\n";
    support_write_text("words.tsv", entries);
    support_write_text("sources.txt", texts);
    RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "--lexicon-case", "fold", "-o", "many");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_ptr_null(strstr(result.error, "have several targets"));
    RUN(texts, LOOKBACK, "predict", "many", "--only-outputs");
    expect(answers);
    RUN("Job\n", LOOKBACK, "predict", "many", "--n-best", "2");
    ck_assert_int_eq(strncmp(result.output, "Job\tB\t", 6), 0);
    ck_assert_ptr_nonnull(strstr(result.output, "\nJob\tA\t"));
    RUN("", LOOKBACK, "inspect", "many", "--lexicon");
    expect("\xc3\x89"
           "a\tA B\njob\tA\nJob\tB\nMasse\tB B\nMa\xc3\x9f"
           "e\tA A\n");
    expect_exported("all", "f32", "1", answers);
    expect_exported("exceptions", "int8", "3", answers);
}
END_TEST

START_TEST(test_lexicon_answers_are_in_the_order_of_their_weights)
{
    static const struct {
        const char *lines, *option, *value;
    } cases[] = {
        {"ab 0.2 A A\nbad 1.0 B B\nab 0.8 B A\n", NULL, NULL},
        {"word,count,ipa\nab,20,A A\nbad,1,B B\nab,80,B A\n", NULL, NULL},
        {"ab\tA A\t2\nbad\tB B\t1\nab\tB A\t8\n", "--weight-column", "3"},
        {"ab\tA A\t1\nbad\tB B\t1\nab\tB A\t2\nab\tA A\t0\n", "--weight-column", "3"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        support_write_text("words", cases[i].lines);
        RUN("", LOOKBACK, "join", model, "--lexicon", "words", "-o", "out", cases[i].option, cases[i].value);
        ck_assert_msg(strstr(result.error,
                             "1 of 2 entries of the lexicon have several targets; the one of the "
                             "greatest weight is written"),
                      "%s", result.error);
        RUN("ab\nbad\n", LOOKBACK, "predict", "out", "--only-outputs");
        expect("B A\nB B\n");
        RUN("", LOOKBACK, "inspect", "out", "--lexicon");
        expect("ab\tB A\nab\tA A\nbad\tB B\n");
        support_write_text("train.tsv", "ha\ta h\nda\ta d\nda\td\nbe\te b\nab\tb a\n");
        SUPPORT_TRAIN("train.tsv", "--no-hold-out", "--target-separator", " ", "--steps", "1", "--hidden",
                      "8", "--embed", "4", "--lexicon", "words", "--out", "a", cases[i].option,
                      cases[i].value);
        if (cases[i].option) continue; /* of --train, too, which has no such column */
        RUN("ab\n", LOOKBACK, "predict", "a", "--only-outputs");
        expect("B A\n");
    }
    support_write_text("words", "ab\tA A\tx\n");
    RUN("", LOOKBACK, "join", model, "--lexicon", "words", "-o", "out", "--weight-column", "3");
    expect_refused("words:1: found \"x\" in column 3, expected a weight");
}
END_TEST

START_TEST(test_lexicon_that_does_not_fit_the_model_is_said_with_what_mends_it)
{
    static const struct {
        const char *lines, *said; /* NULL: nothing */
    } cases[] = {
        {"bad\tA A\nab\tB A\n", NULL},
        {"Bad\tA A\nab\tB A\n", "1 pair (line 1): the source has capitals that the model knows as small "
                                "letters alone: --lexicon-case "
                                "fold finds it in small letters, too\n"},
        {"A A\tbad\nB A\tab\n",
         "2 pairs (line 1): source and target seem to be exchanged: --source-column and --target-column read "
         "them the other way round\n"},
        {"A A\tbad\nB A\tab\n", "no target has the separator \" \": each is one symbol\n"},
        {"bad\tBA\n", "1 target symbol never seen in training, 1 time: \"BA\" 1\n"},
        {"bad\tA / A\nab\tB A\n",
         "1 pair (line 1): the target seems to have several answers: a line for each"},
        {"ab\tB A\nbad\tA A, A B\n", "1 pair (line 2): the target seems to have several answers: a line for"},
        {"ab\tB A\nbad\tA A;A B\n", "1 pair (line 2): the target seems to have several answers: a line for"},
        {"bad\tA|A\nab\tB A\n", "1 pair (line 1): the target seems to have several answers: a line for each"},
        {"# bad\tA A\nab\tB A\n",
         "1 pair (line 1): the source begins with #, which no source of the training has: grep -v '^#' takes "
         "comments out\n"},
        {"orth\tsounds\nab\tB A\nbad\tB\n", "line 1 is like no other: --format tsv+header leaves it out\n"},
        {"ab\t<self>\nbad\tB\n",
         "1 pair (line 1): the target is <self>: the model would write that, not the source\n"},
        {"ab\t1.0 A A\nbad\t0.5 B\n",
         "2 pairs (line 1): the target begins with a number from 0 to 1: --format lexiconp reads it as a "
         "weight\n"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        support_write_text("words.tsv", cases[i].lines);
        RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "-o", "out");
        ck_assert_int_eq(result.status, 0);
        ck_assert_msg(cases[i].said ? strstr(result.error, cases[i].said) != NULL
                                    : !strstr(result.error, "(line") && !strstr(result.error, "never seen"),
                      "%s", result.error);
    }
    support_write_text("words.tsv", "ab\tB A\nda\td\nbe\tb b\n");
    support_write_text("train.tsv", "ha\ta h\nda\ta d\nda\td\nbe\te b\nab\tb a\n");
    RUN("", LOOKBACK, "data", "train.tsv", "--lexicon", "words.tsv", "--target-separator", " ");
    const char *said = "  3 pairs with a source that is also in train.tsv, 1 of them with the same target\n";
    ck_assert_ptr_nonnull(strstr(result.output, said));
    SUPPORT_TRAIN("train.tsv", "--no-hold-out", "--target-separator", " ", "--steps", "1", "--hidden", "8",
                  "--embed", "4", "--lexicon", "words.tsv", "--out", "a");
    ck_assert_ptr_nonnull(strstr(support_ran.error, said));
    support_write_text("words.tsv", "ab\tB A\tA B\n");
    RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "-o", "out");
    expect_refused("found 3 columns, expected 2, separated by tabs; choose two of them: --source-column 1 "
                   "--target-column 2, or give each answer a line");
}
END_TEST

START_TEST(test_lexicon_of_5000_entries_is_exact_in_the_program_and_in_a_c_file)
{
    int others = 0, kept = 0;
    char *answers = write_many("sources.txt", "many.tsv", &others);
    ck_assert_int_lt(others, 4 * ENTRIES / 5 + 100);
    RUN("", LOOKBACK, "join", model, "--lexicon", "many.tsv", "-o", "many");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_ptr_nonnull(strstr(result.output, "5000 entries in the lexicon\n"));
    RUN("", LOOKBACK, "predict", "many", "sources.txt", "--only-outputs", "--beam", "2");
    expect_answers(answers);
    expect_exported("all", "f32", "1", answers);
    expect_exported("exceptions", "int8", "1", answers);
    expect_exported("exceptions", "bf16", "3", answers);
    RUN("", LOOKBACK, "export", "many", "-o", "g2p.c", "--type", "f32");
    const char *said = strstr(result.error, "g2p.c has ");
    ck_assert_ptr_nonnull(said);
    ck_assert_int_eq(sscanf(said, "g2p.c has %d of 5000 entries", &kept), 1);
    ck_assert_int_eq(kept, others);
    ck_assert_ptr_nonnull(strstr(said, " entries of the lexicon: the model writes the others\n"));
    RUN("", LOOKBACK, "export", "many", "-o", "g2p.c", "--lexicon", "all");
    ck_assert_ptr_nonnull(strstr(result.error, "g2p.c has 5000 of 5000 entries of the lexicon\n"));
    free(answers);
}
END_TEST

/* Writes a checksum into the first bytes: of the file as digits, of the lexicon as a number. */
static void seal(unsigned char *file, size_t size, size_t lexicon, bool own)
{
    char digits[LB_SAFETENSORS_DIGIT_COUNT + 1];
    unsigned long sum = crc32_z(0, file + lexicon + 4, size - lexicon - 4);
    for (int i = 0; i < 4 && own; i++) file[lexicon + (size_t)i] = (unsigned char)(sum >> 8 * i);
    memcpy(file + LB_SAFETENSORS_DIGITS_AT, LB_SAFETENSORS_DIGITS, LB_SAFETENSORS_DIGIT_COUNT);
    snprintf(digits, sizeof digits, "%08lx", crc32_z(0, file, size));
    memcpy(file + LB_SAFETENSORS_DIGITS_AT, digits, LB_SAFETENSORS_DIGIT_COUNT);
}

/* What is written over the lexicon of `words`, which begins with "\0ab\0new B\0A B\xff"; the file keeps its length. */
static const struct {
    const char *kind;
    size_t at; /* from the head on */
    const char *bytes;
    const char *error;
} contradictions[] = {
    {"its checksum", 0, "?", "lookback.lexicon: found another checksum, head or end"},
    {"the case", 4, "\3", "lookback.lexicon: found another checksum, head or end"},
    {"the count", 8, "\7", "lookback.lexicon: entry 4: found the end, expected 7 entries"},
    {"the order", 13, "z", "lookback.lexicon: entry 2: found a key that is not after the one before it"},
    {"an answer that is not UTF-8", 17, "\xe9",
     "lookback.lexicon: entry 1: found 0xE9 at byte 2, expected UTF-8"},
    {"an answer of two lines", 17, "\n", "lookback.lexicon: entry 1: found a tab or a line end"},
    {"an answer with a tab", 17, "\t", "lookback.lexicon: entry 1: found a tab or a line end"},
};

START_TEST(test_lexicon_that_contradicts_itself_is_refused_by_each_command_alike)
{
    static const char *const commands[][8] = {
        {"predict", "hostile"},
        {"evaluate", "hostile", "words.tsv"},
        {"score", "hostile", "words.tsv"},
        {"report", "hostile", "words.tsv", "-o", "page.html"},
        {"join", "hostile", "--no-lexicon", "-o", "out"},
        {"train", "words.tsv", "--dev", "words.tsv", "--from", "hostile"},
        {"export", "hostile", "-o", "g2p.c", "--lexicon", "none"},
        {"visualize", "hostile", "--input", "ab", "-o", "map.svg"},
        {"inspect", "hostile"},
        {"inspect", "hostile", "--lexicon"},
        {"inspect", "hostile", "--json"},
    };
    size_t size, head = 0;
    join_words("exact", NULL);
    unsigned char *file = (unsigned char *)support_read_file(support_path("exact/model.safetensors"), &size);
    while (memcmp(file + head + 12, "\0ab\0new B", 9) != 0) head++;
    for (size_t i = 0; SUPPORT_ROW(i, contradictions); i++) {
        unsigned char *hostile = malloc(size);
        memcpy(hostile, file, size);
        memcpy(hostile + head + contradictions[i].at, contradictions[i].bytes, 1);
        seal(hostile, size, head, i > 0);
        support_write_file(support_path("hostile"), hostile, size);
        free(hostile);
        for (size_t k = 0; SUPPORT_ROW(k, commands); k++) {
            const char *const *c = commands[k];
            RUN("ab\n", LOOKBACK, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
            SUPPORT_CHECK(result.status == 65 && strstr(result.error, contradictions[i].error),
                          "%s, %s: %d, %s", contradictions[i].kind, c[0], result.status, result.error);
        }
    }
    free(file);
}
END_TEST

START_TEST(test_lexicon_that_cannot_be_is_refused_with_its_line)
{
    static const struct {
        const char *text, *message;
    } bad[] = {{"bad\tA\nab\t\n", "words.tsv:2: "},
               {"bad\tA\nab\n", "words.tsv:2: "},
               {"bad\tV;PST\tA\n", "words.tsv:1: "},
               {"bad\tA  B\n\xff\tA\n", "words.tsv:2: "},
               {"", "words.tsv"}};
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        support_write_text("words.tsv", bad[i].text);
        RUN("", LOOKBACK, "join", model, "--lexicon", "words.tsv", "-o", "out");
        expect_refused(bad[i].message);
        ck_assert(!support_exists("out/model.safetensors"));
    }
    join_words("exact", NULL);
    RUN("", LOOKBACK, "join", "exact", "--lexicon", "words.tsv", "--no-lexicon", "-o", "out");
    expect_refused("--lexicon and --no-lexicon: expected only one of them");
    RUN("", LOOKBACK, "join", "exact", "-o", "out");
    expect_refused("found 1 MODEL, expected several, or --lexicon or --no-lexicon");
    RUN("", LOOKBACK, "export", "exact", "-o", "g2p.onnx");
    expect_refused("found a lexicon, which ONNX has no place for; --lexicon none leaves it out");
    RUN("", LOOKBACK, "export", "exact", "-o", "g2p.c", "--longest", "2", "--lexicon", "all");
    expect_refused("the lexicon has a text of 3 symbols, expected at most 2");
    RUN("", "/usr/bin/env", "CC=/nowhere/cc", LOOKBACK, "export", "exact", "-o", "g2p.c");
    expect_refused("--lexicon all needs no compiler");
    RUN("", LOOKBACK, "export", model, "-o", "g2p.c", "--lexicon", "all");
    expect_refused("found no lexicon, expected one with --lexicon all");
    RUN("", LOOKBACK, "inspect", model, "--lexicon");
    expect_refused("found no lexicon");
    RUN("", LOOKBACK, "train", "words.tsv", "--lexicon-case", "fold", "--out", "out");
    expect_refused("lexicon_case: found no lexicon");
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
