/* Models of sentences, in pieces of words: what programs make of them. It takes seconds. */
#include "support/exported.h"
#include "support/pair_program.h"
#include "support/suite.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"
#define DATA     SOURCE_DIR "/examples/data/sentences"

static support_result result;

#define RUN(input, ...) SUPPORT_RUN(&result, input, __VA_ARGS__)

#define SENTENCES                                                                                            \
    "--train", DATA ".de", "--train-targets", DATA ".en", "--tied", "--embed", "24", "--hidden", "48",       \
        "--batch", "16", "--threads", "1", "--dropout", "0"

/* Options of a run of a few seconds that writes words, if not always the right ones. */
static void train(const char *out, const char *merges)
{
    SUPPORT_TRAIN(SENTENCES, "--subwords", merges, "--steps", "150", "--lr", "0.01", "--out", out);
    support_assert_trained();
}

/* A text of the object that inspect prints; to be freed. */
static char *inspected(const char *model, const char *name)
{
    RUN("", LOOKBACK, "inspect", model, "--json");
    ck_assert_msg(result.status == 0, "%s", result.error);
    cJSON *json = cJSON_Parse(result.output);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(json, name));
    char *copy = text ? strdup(text) : NULL;
    cJSON_Delete(json);
    return copy;
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* Letters, scripts and pictures that the sentences lack, and their parts. */
static const char *const texts[] = {"Die Frau ", "liest", " ein",    "  Bücher", "12.30",  ".",
                                    "?!",        "漢字",  "\u0301",  "é",        "\u2581", "<0x41>",
                                    "각",        "😀",     "א\u05b8", "क्"};

START_TEST(test_subwords_any_text_is_read_and_a_c_file_reads_it_alike)
{
    train("out", "120");
    support_write_texts(texts, sizeof texts / sizeof *texts);
    RUN("", LOOKBACK, "predict", "out", "texts.txt", "--jsonl");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_int_eq(count_lines(result.output), 150);
    ck_assert_ptr_null(strstr(result.output, "\"unknown\":[\""));
    ck_assert_ptr_nonnull(strstr(result.output, "\"unknown\":[]"));
    ck_assert_int_eq(support_compare_exported("out", "1", "f32"), 0);
    ck_assert_int_eq(support_compare_exported("out", "4", "f32"), 0);
}
END_TEST

START_TEST(test_subwords_are_shown_and_scored_as_they_are_written)
{
    train("out", "120");
    RUN("", LOOKBACK, "inspect", "out");
    ck_assert_ptr_nonnull(strstr(result.output, "subwords of the sources and targets: 120 merges\n"));
    char *merges = inspected("out", "source_subwords");
    ck_assert_int_eq(count_lines(merges), 120);
    ck_assert_ptr_null(inspected("out", "target_subwords"));
    free(merges);
    RUN("Die Frau liest ein Buch.\tThe woman reads a bo\u0308ok.\n", LOOKBACK, "score", "out", "-",
        "--jsonl");
    ck_assert_msg(result.status == 0, "%s", result.error);
    cJSON *json = cJSON_Parse(result.output);
    const cJSON *output = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "outputs"), 0), *symbol;
    double sum = log(cJSON_GetObjectItem(output, "end")->valuedouble);
    char joined[200] = "";
    cJSON_ArrayForEach(symbol, cJSON_GetObjectItem(output, "symbols"))
    {
        strcat(joined, cJSON_GetStringValue(cJSON_GetObjectItem(symbol, "symbol")));
        sum += log(cJSON_GetObjectItem(symbol, "probability")->valuedouble);
    }
    ck_assert_str_eq(joined, "\u2581The\u2581woman\u2581reads\u2581a\u2581bo<0xCC><0x88>ok.");
    ck_assert_double_eq_tol(cJSON_GetObjectItem(output, "score")->valuedouble, sum, 1e-3);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(output, "text")),
                     "The woman reads a b\u00f6ok.");
    cJSON_Delete(json);
    RUN("Die Frau liest ein Buch.\tThe woman reads a book.\n", LOOKBACK, "evaluate", "out", "-");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_ptr_nonnull(strstr(result.output, "\nBLEU of subwords "));
    ck_assert_ptr_nonnull(strstr(result.output, "\nBLEU   "));
    ck_assert_ptr_nonnull(strstr(result.output, "\nchrF2 "));
}
END_TEST

/* The key of an entry is a text, whatever its pieces are. */
START_TEST(test_subwords_and_a_lexicon)
{
    train("out", "120");
    support_write_text("known.tsv", "Die Frau\tThe lady\nStra\u00dfe\u6f22 7\tno road\n");
    RUN("", LOOKBACK, "join", "out", "--lexicon", "known.tsv", "-o", "exact");
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN("Stra\u00dfe\u6f22 7\nDie Frau\n", LOOKBACK, "predict", "exact");
    ck_assert_str_eq(result.output, "Stra\u00dfe\u6f22 7\tno road\nDie Frau\tThe lady\n");
    support_write_text("texts.txt", "Die Frau\nStra\u00dfe\u6f22 7\nDie Frau liest.\n Die Frau\n");
    support_compile_exported("exact", (const char *const[]){"--lexicon", "all", "--beam", "1", NULL}, "lines",
                             "-O1");
    size_t bytes;
    char *file = support_content("texts.txt", &bytes);
    RUN(file, "./lines");
    ck_assert_int_eq(strncmp(result.output, "The lady\nno road\n", 17), 0);
    free(file);
}
END_TEST

START_TEST(test_subwords_of_each_side_and_fewer_than_wanted)
{
    SUPPORT_TRAIN(SENTENCES, "--subwords", "100000", "--set", "separate_subwords=true", "--steps", "2",
                  "--out", "out");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_run_result.error, " merges instead of 100000 (subwords): no pair of "
                                                           "pieces occurs twice any more"));
    char *source = inspected("out", "source_subwords"), *target = inspected("out", "target_subwords");
    ck_assert_ptr_nonnull(target);
    ck_assert_str_ne(source, target);
    free(source);
    free(target);
}
END_TEST

START_TEST(test_subwords_belong_to_the_run_and_to_what_starts_from_it)
{
    train("out", "120");
    char *before = inspected("out", "source_subwords");
    SUPPORT_TRAIN(SENTENCES, "--from", "out", "--steps", "4", "--out", "more");
    support_assert_trained();
    char *after = inspected("more", "source_subwords");
    ck_assert_str_eq(after, before);
    free(before);
    free(after);
    SUPPORT_TRAIN(SENTENCES, "--from", "out", "--subwords", "50", "--steps", "4", "--out", "other");
    support_assert_refused(2, "cannot start from out: it has --subwords 120, this run has --subwords 50");
    SUPPORT_TRAIN(SENTENCES, "--subwords", "50", "--steps", "150", "--lr", "0.01", "--out", "out");
    support_assert_refused(65, "it was trained with --subwords 120, this run has --subwords 50; ");
    SUPPORT_TRAIN(SENTENCES, "--subwords", "50", "--steps", "2", "--out", "few");
    support_assert_trained();
    RUN("", LOOKBACK, "join", "out", "few", "-o", "both");
    ck_assert_int_ne(result.status, 0);
    ck_assert_ptr_nonnull(
        strstr(result.error, "the subwords of the sources differ, expected the same merges"));
    RUN("", LOOKBACK, "join", "out", "more", "-o", "both");
    ck_assert_msg(result.status == 0, "%s", result.error);
    RUN("Die Frau liest.\n", LOOKBACK, "predict", "both");
    ck_assert_msg(result.status == 0, "%s", result.error);
}
END_TEST

START_TEST(test_subwords_need_no_separators)
{
    SUPPORT_TRAIN(SENTENCES, "--subwords", "50", "--source-separator", " ", "--out", "out");
    support_assert_refused(2, "subwords: found separators, expected none: words are found by blanks");
    SUPPORT_TRAIN(SENTENCES, "--subwords", "50", "--set", "symbols=graphemes", "--out", "out");
    support_assert_refused(2, "subwords: found graphemes, expected characters to begin with");
    SUPPORT_TRAIN(SENTENCES, "--set", "separate_subwords=true", "--out", "out");
    support_assert_refused(2, "separate_subwords: found no subwords");
    SUPPORT_TRAIN(SENTENCES, "--subwords", "100001", "--out", "out");
    support_assert_refused(2, "100000");
}
END_TEST

/* A run that was killed anywhere ends with the same bytes. */
START_TEST(test_subwords_resumed_training_has_the_same_weights)
{
    SUPPORT_TRAIN(SENTENCES, "--subwords", "60", "--steps", "6", "--evaluate-every", "2", "--out", "whole");
    support_assert_trained();
    SUPPORT_TRAIN_UNTIL("rename 3", SENTENCES, "--subwords", "60", "--steps", "6", "--evaluate-every", "2",
                        "--out", "parts");
    SUPPORT_TRAIN(SENTENCES, "--subwords", "60", "--steps", "6", "--evaluate-every", "2", "--out", "parts");
    support_assert_trained();
    support_assert_same_weights("whole/model.safetensors", "parts/model.safetensors");
}
END_TEST

int main(void)
{
    return support_run_tests(
        "subword models",
        SUPPORT_TESTS(test_subwords_any_text_is_read_and_a_c_file_reads_it_alike,
                      test_subwords_are_shown_and_scored_as_they_are_written, test_subwords_and_a_lexicon,
                      test_subwords_of_each_side_and_fewer_than_wanted,
                      test_subwords_belong_to_the_run_and_to_what_starts_from_it,
                      test_subwords_need_no_separators, test_subwords_resumed_training_has_the_same_weights));
}
