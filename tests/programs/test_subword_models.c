/* Models of sentences, in pieces of words: what programs make of them. It takes seconds. */
#include "figures/maps.h"
#include "support/exported.h"
#include "support/pair_program.h"
#include "support/report_page.h"
#include "support/suite.h"
#include "support/tempdir.h"

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
    RUN("", LOOKBACK, "export", "out", "-o", "pieces.onnx");
    ck_assert_ptr_nonnull(
        strstr(result.error, "the caller cuts texts into pieces by the merges in the metadata"));
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
    ck_assert_ptr_nonnull(strstr(result.output, "\nperplexity "));
    ck_assert_ptr_nonnull(strstr(result.output, "\nword perplexity "));
    /* Where symbols are words, both perplexities are one line, and JSON has both. */
    SUPPORT_TRAIN(SENTENCES, "--source-separator", " ", "--target-separator", " ", "--steps", "2", "--out",
                  "words");
    support_assert_trained();
    RUN("Die Frau liest ein Buch.\tThe woman reads a book.\n", LOOKBACK, "evaluate", "words", "-");
    ck_assert_ptr_null(strstr(result.output, "\nperplexity "));
    ck_assert_ptr_nonnull(strstr(result.output, "\nword perplexity "));
    RUN("Die Frau liest ein Buch.\tThe woman reads a book.\n", LOOKBACK, "evaluate", "words", "-", "--json");
    ck_assert_ptr_nonnull(strstr(result.output, "\"perplexity\":{"));
    ck_assert_ptr_nonnull(strstr(result.output, "\"word_perplexity\":{"));
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

/* A matrix with these labels, in one map for each value that its first cell begins with. */
static app_matrix pieces_of(size_t maps, size_t rows, const char *const *row, size_t columns,
                            const char *const *column)
{
    app_matrix m = {.layers = 1, .heads = maps, .rows = rows, .columns = columns};
    m.values = malloc(maps * rows * columns * sizeof *m.values);
    for (size_t i = 0; i < rows; i++)
        ck_assert_int_eq(lb_strings_add(&m.labels[APP_ROWS], strdup(row[i]), NULL), LB_OK);
    for (size_t i = 0; i < columns; i++)
        ck_assert_int_eq(lb_strings_add(&m.labels[APP_COLUMNS], strdup(column[i]), NULL), LB_OK);
    for (size_t i = 0; i < maps * rows * columns; i++) m.values[i] = (double)(i * i % 17);
    return m;
}

static void assert_labels(const app_matrix *m, int which, size_t count, const char *expected)
{
    char joined[200] = "";
    ck_assert_uint_eq(m->labels[which].count, count);
    for (size_t i = 0; i < count; i++) strcat(strcat(joined, m->labels[which].text[i]), "|");
    ck_assert_str_eq(joined, expected);
}

/* Weights are averaged over the pieces of an output word; log-probabilities, which have a unit, add up. */
static void check_joined(const char *unit)
{
    static const char *const row[] = {"\u2581a", "b", ".", "<0xE6>", "<0xBC>", "<0xA2>", "</s>"},
                             *const column[] = {"\u2581", "x", "y", "\u2581", "\u2581z"};
    app_matrix m = pieces_of(2, 7, row, 5, column);
    m.unit = unit;
    double *before = malloc(70 * sizeof *before);
    memcpy(before, m.values, 70 * sizeof *before);
    lb_error error = {0};
    ck_assert_int_eq(app_matrix_join_words(&m, true, &error), LB_OK);
    assert_labels(&m, APP_ROWS, m.rows, "ab|.|\u6f22|</s>|");
    assert_labels(&m, APP_COLUMNS, m.columns, "xy|\u2581|z|");
    static const size_t first_row[] = {0, 2, 3, 6, 7}, first_column[] = {0, 3, 4, 5};
    for (size_t cell = 0; cell < 2 * m.rows * m.columns; cell++) {
        size_t head = cell / 12, r = cell / 3 % 4, c = cell % 3;
        double sum = 0;
        for (size_t i = first_row[r]; i < first_row[r + 1]; i++)
            for (size_t k = first_column[c]; k < first_column[c + 1]; k++)
                sum += before[head * 35 + i * 5 + k];
        if (!unit) sum /= (double)(first_row[r + 1] - first_row[r]);
        ck_assert_double_eq_tol(m.values[cell], sum, 1e-12);
    }
    app_matrix_free(&m);
    free(before);
}

START_TEST(test_join_words_averages_weights_over_pieces_of_the_output)
{
    check_joined(NULL);
}
END_TEST

START_TEST(test_join_words_adds_up_log_probabilities)
{
    check_joined("log-probability lost");
}
END_TEST

/* An output may begin in the middle, end within a character, and was cut off; features are no part of a word. */
START_TEST(test_join_words_of_an_odd_output)
{
    static const char *const row[] = {"c", "\u2581\u2581", "d", "<0xE6>", "e"}, *const column[] = {
                                                                                    "\u2581a", "\tV", "\tV"};
    app_matrix m = pieces_of(1, 5, row, 3, column);
    lb_error error = {0};
    ck_assert_int_eq(app_matrix_join_words(&m, false, &error), LB_OK);
    assert_labels(&m, APP_ROWS, m.rows, "c|\u2581|d|\ufffd|e|");
    assert_labels(&m, APP_COLUMNS, m.columns, "a|\tV|\tV|");
    app_matrix_free(&m);
}
END_TEST

START_TEST(test_visualize_words_of_a_model)
{
    train("out", "120");
    RUN("", LOOKBACK, "visualize", "out", "--input", "Die Frau liest.", "--words", "-o", "map.svg");
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_ptr_nonnull(strstr(result.error, " x 4)\n"));
    size_t bytes;
    char *picture = support_content("map.svg", &bytes);
    ck_assert_ptr_nonnull(strstr(picture, ">Frau<"));
    ck_assert_ptr_nonnull(strstr(picture, ">liest<"));
    ck_assert_ptr_null(strstr(picture, "\u2581"));
    free(picture);
    SUPPORT_TRAIN(SENTENCES, "--subwords", "0", "--steps", "2", "--out", "letters");
    support_assert_trained();
    RUN("", LOOKBACK, "visualize", "letters", "--input", "Die", "--words", "-o", "map.svg");
    ck_assert_int_eq(result.status, 2);
    ck_assert_ptr_nonnull(strstr(result.error, "--words: letters/model.safetensors has no subwords to join"));
}
END_TEST

static bool count_step(void *context)
{
    ++*(int64_t *)context;
    return false;
}

START_TEST(test_subwords_a_search_waits_for_outputs_of_twice_the_source)
{
    train("out", "120");
    lb_error error = {0};
    int64_t steps = 0;
    const char *text = "Die Frau liest ein Buch.";
    lb_translator *translator = lb_translator_open(support_path("out"), &error);
    ck_assert_msg(translator, "%s", error.message);
    lb_translate_config config = {.limit = 1000, .stop = count_step, .context = &steps};
    lb_translations *all = lb_translate_all(translator, &text, 1, config, &error);
    ck_assert_msg(all && all->text->output->finished, "%s", error.message);
    ck_assert_int_gt(steps, 3);
    ck_assert_int_le(steps, 2 * all->text->length + 9);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

/* A piece cannot have a blank inside: these are two for each x. */
/* What the page of an output that is wrong in some words says of them, by the texts of predict. */
START_TEST(test_subwords_in_a_report_are_compared_by_words)
{
    train("out", "120");
    RUN("Die Frau liest.\nEin Mann.\n", LOOKBACK, "predict", "out", "--only-outputs");
    ck_assert_msg(result.status == 0, "%s", result.error);
    char first[200], second[200], text[1024];
    ck_assert_int_eq(sscanf(result.output, "%199[^\n]\n%199[^\n]", first, second), 2);
    const char *word = strrchr(first, ' ');
    ck_assert_msg(word != NULL, "%s", first);
    lb_buffer pairs = {0};
    lb_buffer_print(&pairs, "Die Frau liest.\t%.*s weltbekannt\nEin Mann.\t%s\n", (int)(word - first), first,
                    second);
    support_write_text("pairs.tsv", pairs.text);
    lb_release(pairs.text);
    RUN("", LOOKBACK, "report", "out", "pairs.tsv", "-o", "page.html");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_page p = support_open_page("page.html");
    ck_assert(cJSON_IsNull(support_at(p.data, "about.source_separator")));
    ck_assert(cJSON_IsNull(support_at(p.data, "about.target_separator")));
    ck_assert_double_eq(support_number(p.data, "pairs.0.edits"), 1);
    ck_assert_double_eq(support_number(p.data, "pairs.1.edits"), 0); /* maybe in other pieces */
    ck_assert_int_eq(support_count(p.data, "statistics.confusions"), 1);
    const cJSON *symbols = support_at(p.data, "symbols"),
                *confusion = support_at(p.data, "statistics.confusions.0");
    ck_assert_str_eq(cJSON_GetArrayItem(symbols, (int)support_number(confusion, "expected"))->valuestring,
                     "weltbekannt");
    ck_assert_str_eq(cJSON_GetArrayItem(symbols, (int)support_number(confusion, "found"))->valuestring,
                     word + 1);
    ck_assert_ptr_nonnull(
        strstr(support_page_text(&p, support_at(p.data, "pairs.0.outputs.0.symbols"), "", text), "\u2581"));
    ck_assert_double_eq(support_number(p.data, "statistics.exact"), 0.5);
    support_close_page(&p);
    RUN("", LOOKBACK, "evaluate", "out", "pairs.tsv");
    ck_assert_msg(strstr(result.output, "exact match  ") && strstr(result.output, " 50.00 %"), "%s",
                  result.output);
    snprintf(text, sizeof text, "       1  weltbekannt -> %s\n", word + 1);
    ck_assert_msg(strstr(result.output, text) != NULL, "%s", result.output);
}
END_TEST

START_TEST(test_subwords_of_a_long_input_are_a_message)
{
    train("out", "120");
    char text[2048] = "";
    for (int i = 0; i < 500; i++) strcat(text, "\u00a7 ");
    strcat(text, "\n");
    RUN(text, LOOKBACK, "predict", "out");
    ck_assert_int_eq(result.status, 65);
    ck_assert_msg(strstr(result.error, "1000"), "%s", result.error);
}
END_TEST

START_TEST(test_subwords_of_each_side_and_fewer_than_wanted)
{
    SUPPORT_TRAIN(SENTENCES, "--subwords", "100000", "--set", "separate-subwords=true", "--steps", "2",
                  "--out", "out");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.error, " merges instead of 100000 (subwords): no pair of "
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
    support_assert_refused(2, "subwords: found separators, expected none: words are found by spaces");
    SUPPORT_TRAIN(SENTENCES, "--subwords", "50", "--set", "symbols=graphemes", "--out", "out");
    support_assert_refused(2, "subwords: found graphemes, expected characters to begin with");
    SUPPORT_TRAIN(SENTENCES, "--subwords", "0", "--set", "separate-subwords=true", "--out", "out");
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
