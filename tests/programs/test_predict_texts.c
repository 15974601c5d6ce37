/* predict with a model of texts: a text and its output for each line, and one clear line for each kind of bad input. */
#include "support/pair_model.h"
#include "support/process.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/talk.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREDICT BIN_DIR "/lookback", "predict"

#define INPUT   "lookback predict: standard input:"
#define ACUTE   "\xcc\x81"
#define TSH     "t\xca\x83"
#define OPEN_E  "\xc9\x9b"
#define LONG    "\xcb\x90"
#define NO_CHAR "\xef\xbf\xbd"
#define STRANGER                                                                                             \
    "the model knows no symbol of this text; it was trained on texts of a, b, c, d, e, U+0301 ...\n"

/* Made once, in main; `folder` holds the first as model.safetensors. */
static const char *folder, *model, *plain, *beginner, *ensemble, *sorter;

static support_result result;

/* Runs predict; the options `flag` and `other` may be NULL. */
static void run2(const char *path, const char *flag, const char *other, const char *input)
{
    SUPPORT_RUN(&result, input, PREDICT, path, flag, other);
}

static void run(const char *path, const char *flag, const char *input)
{
    run2(path, flag, NULL, input);
}

static void expect(int status, const char *output, const char *error)
{
    support_expect(&result, status, output, error);
}

static const char words[] = "bad\nec\xc3\xa9\r\ne" ACUTE "\ncab";
static const char answers[] = "bad\tB A " TSH "\nec\xc3\xa9\t" OPEN_E " C " OPEN_E " " LONG "\ne" ACUTE
                              "\t" OPEN_E " " LONG "\ncab\tC A B\n";

START_TEST(test_predict_text_stands_before_its_output)
{
    const char *const models[] = {folder, model, plain, ensemble};
    const char *const flags[] = {NULL, "--beam=4", "--batch=1"};
    for (size_t m = 0; SUPPORT_ROW(m, models); m++)
        for (size_t f = 0; SUPPORT_ROW(f, flags); f++) {
            run(models[m], flags[f], words);
            expect(0, answers, "");
        }
    run(model, NULL, NULL);
    expect(0, "", "");
    run(model, NULL,
        "\xef\xbb\xbf"
        "bad\n");
    expect(0, "bad\tB A " TSH "\n", "");
}
END_TEST

START_TEST(test_predict_text_is_one_of_several_columns)
{
    run(model, "--source-column=2", "1\tbad\tx\n2\tcab\t\n");
    expect(0, "bad\tB A " TSH "\ncab\tC A B\n", "");
    run(model, "--source-column=2", "1\tbad\tx\n2\tcab\n");
    expect(0, "bad\tB A " TSH "\ncab\tC A B\n", ""); /* a third column may be there sometimes */
    run(model, "--source-column=2", "1\tbad\tx\n2\n");
    expect(65, "bad\tB A " TSH "\n", INPUT "2: found 1 column, expected at least 2, separated by tabs\n");
}
END_TEST

/* The training had no blank. One within a text is an unknown symbol. */
START_TEST(test_predict_blanks_around_a_text_mean_nothing)
{
    run(model, NULL, " bad\ncab  \n   bad ");
    expect(0, " bad\tB A " TSH "\ncab  \tC A B\n   bad \tB A " TSH "\n", "");
    run(model, NULL, "b ad");
    ck_assert_msg(strstr(result.error, "unknown") || strstr(result.error, "does not know"), "%s",
                  result.error);
}
END_TEST

START_TEST(test_predict_file_is_read_in_place_of_standard_input)
{
    char message[2 * SUPPORT_PATH];
    const char *path = support_path("texts");
    support_write_file(path, "abc\n\xff\n", 6);
    run2(model, path, "--batch=7", "cab\n");
    snprintf(message, sizeof message, "lookback predict: %s:2: found 0xFF at byte 1", path);
    ck_assert_str_eq(result.output, "abc\tA B C\n");
    ck_assert_msg(strncmp(result.error, message, strlen(message)) == 0, "%s", result.error);
    ck_assert_int_eq(result.status, 65);
    run2(model, "-", "--batch=7", "cab\n");
    support_expect(&result, 0, "cab\tC A B\n", "");
    run2(model, "missing", "--batch=7", "");
    support_expect(&result, 66, "",
                   "lookback predict: missing: cannot read: No such file or directory; a text itself comes "
                   "by a pipe: echo TEXT | lookback predict MODEL\n");
}
END_TEST

START_TEST(test_predict_n_best_outputs_come_with_falling_scores)
{
    run(model, "--n-best=3", "bad\ncab\n");
    ck_assert_int_eq(result.status, 0);
    double before = 0;
    char *line = result.output;
    for (int i = 0; i < 6; i++) {
        char source[16], output[64];
        double score;
        int read = 0;
        ck_assert_int_eq(sscanf(line, "%15[^\t]\t%63[^\t]\t%lf\n%n", source, output, &score, &read), 3);
        ck_assert_str_eq(source, i < 3 ? "bad" : "cab");
        if (i % 3 == 0) ck_assert_str_eq(output, i ? "C A B" : "B A " TSH);
        ck_assert(score <= (i % 3 ? before : 0));
        before = score;
        line += read;
    }
    ck_assert_str_eq(line, "");
}
END_TEST

START_TEST(test_predict_length_penalty_changes_scores_not_the_order_of_lines)
{
    double with, without;
    run2(model, "--n-best=1", "--length-penalty=1", "bad\n");
    ck_assert_int_eq(sscanf(result.output, "bad\tB A " TSH "\t%lf\n", &with), 1);
    run2(model, "--n-best=1", "--length-penalty=0", "bad\n");
    ck_assert_int_eq(sscanf(result.output, "bad\tB A " TSH "\t%lf\n", &without), 1);
    ck_assert_double_eq_tol(without, 4 * with, 1e-5); /* three symbols and the end */
}
END_TEST

START_TEST(test_predict_unknown_symbols_are_told_at_the_end_and_the_texts_answered)
{
    run(model, NULL, "bad\nbyd\nxyb\nbad\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.error,
                     "lookback predict: standard input: the model does not know 3 of the 12 symbols: "
                     "\"y\" 2 times, \"x\" 1 time\n");
    ck_assert_int_eq(strncmp(result.output, "bad\tB A " TSH "\nbyd\t", 16), 0);
    ck_assert_ptr_nonnull(strstr(result.output, "\nxyb\t"));
    ck_assert_ptr_nonnull(strstr(result.output, "\nbad\tB A " TSH "\n"));
}
END_TEST

START_TEST(test_predict_blank_line_is_answered_with_a_blank_line)
{
    run(model, NULL, "bad\n\n  \r\ncab\n");
    expect(0, "bad\tB A " TSH "\n\n\ncab\tC A B\n", "");
    run(model, "--source-column=2", "1\tbad\n\n2\tcab\n");
    expect(0, "bad\tB A " TSH "\n\ncab\tC A B\n", "");
}
END_TEST

START_TEST(test_predict_text_of_another_kind_is_told)
{
    run(model, NULL, "7 3\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.error,
                     INPUT "1: " STRANGER
                           "lookback predict: standard input: the model does not know 3 of the 3 symbols: "
                           "\" \" 1 time, \"3\" 1 time, \"7\" 1 time\n");
    run(sorter, NULL, "bad\n");
    expect(65, "", INPUT "1: bad is not a number from 0 to 9\n");
}
END_TEST

START_TEST(test_predict_many_unknown_symbols_are_summed_up)
{
    char input[256] = "", *end = input;
    for (int i = 0; i < 30; i++) end += sprintf(end, "a%c\n", 'A' + i);
    run(model, NULL, input);
    ck_assert_int_eq(result.status, 0);
    static const char begin[] =
        "lookback predict: standard input: the model does not know 30 of the 60 symbols: \"A\" 1 time, ";
    static const char end_of[] = "\"T\" 1 time and 10 others\n";
    ck_assert_int_eq(strncmp(result.error, begin, sizeof begin - 1), 0);
    ck_assert_ptr_nonnull(strstr(result.error, end_of));
    ck_assert_uint_eq(strlen(strchr(result.error, '\n')), 1);
}
END_TEST

/* The likeliest token of this model has no symbol. */
START_TEST(test_predict_padding_is_never_written)
{
    run(beginner, "--beam=1", "a\nb\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_null(strstr(result.output, NO_CHAR));
    ck_assert_ptr_null(strstr(result.output, "<pad>"));
    ck_assert_str_eq(result.error, INPUT "1: no end-of-sequence symbol; cut off after 20 symbols\n"
                                         "lookback predict: 2 outputs were cut off\n");
}
END_TEST

static const struct {
    const char *line, *error;

} bad_lines[] = {
    {"a\tb", "found 2 columns, expected 1"},
    {"\xff", "found 0xFF at byte 1 of the line, expected UTF-8"},
    {"ab\xc3(", "found 0xC3 at byte 3 of the line, expected UTF-8"},
};

START_TEST(test_predict_bad_line_is_status_65_after_answers_to_those_before)
{
    for (size_t i = 0; SUPPORT_ROW(i, bad_lines); i++) {
        char input[64], error[256];
        snprintf(input, sizeof input, "bad\ncab\n%s\nbad\n", bad_lines[i].line);
        snprintf(error, sizeof error, INPUT "3: %s%s\n", bad_lines[i].error,
                 strchr(bad_lines[i].line, '\t') ? "; --source-column chooses one of several" : "");
        run(model, NULL, input);
        expect(65, "bad\tB A " TSH "\ncab\tC A B\n", error);
        snprintf(error, sizeof error, INPUT "3: %s: skipped\nlookback predict: 1 bad line was skipped\n",
                 bad_lines[i].error);
        run(model, "--skip-bad-lines", input);
        expect(0, "bad\tB A " TSH "\ncab\tC A B\n\t\nbad\tB A " TSH "\n", error);
    }
}
END_TEST

/* Training and evaluate read a tab in a sentence as a blank, where targets are in a file of their own. */
START_TEST(test_predict_tab_among_blanks_is_one_if_the_first_line_has_none)
{
    run(model, NULL, "bad\nb a\td\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.error, INPUT
                                 "2: found a tab among spaces, and none before: tabs are read as spaces\n"));
    run(model, NULL, "b a\td\nbad\n");
    expect(65, "", INPUT "1: found 2 columns, expected 1; --source-column chooses one of several\n");
}
END_TEST

/* A good line, one with this many letters, and another good one. */
static char *with_long_line(size_t count)
{
    char *text = malloc(count + 16);
    ck_assert_ptr_nonnull(text);
    memcpy(text, "bad\n", 4);
    memset(text + 4, 'a', count);
    strcpy(text + 4 + count, "\ncab\n");
    return text;
}

START_TEST(test_predict_line_of_a_megabyte_is_refused)
{
    static const struct {
        size_t count;
        const char *error;
    } cases[] = {
        {1001, "found a text of 1001 symbols, expected at most 1000"},
        {(1 << 20) + 1, "found a line of more than 1048576 bytes, expected at most that many"},
        {5 << 20, "found a line of more than 1048576 bytes, expected at most that many"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char error[256], *text = with_long_line(cases[i].count);
        run(model, NULL, text);
        snprintf(error, sizeof error, INPUT "2: %s\n", cases[i].error);
        expect(65, "bad\tB A " TSH "\n", error);
        run(model, "--skip-bad-lines", text);
        ck_assert_int_eq(result.status, 0);
        ck_assert_ptr_nonnull(strstr(result.output, "\t\ncab\tC A B\n"));
        free(text);
    }
}
END_TEST

/* A model of words of three letters and more, as the program makes it. */
START_TEST(test_predict_text_shorter_than_learned_is_told_once)
{
    static const char pairs[] = "abc\tcba\nbcab\tbacb\ncab\tbac\n";
    const char *file = support_path("train.tsv");
    support_write_file(file, pairs, sizeof pairs - 1);
    SUPPORT_RUN(&result, NULL, BIN_DIR "/lookback", "train", "--train", file, "--dev", file, "--steps", "2",
                "--hidden", "8", "--out", support_path("words"));
    ck_assert_msg(result.status == 0, "%s", result.error);
    run(support_path("words"), NULL, "abc\nca\nb\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(
        strstr(result.error, INPUT "2: found 2 symbols; the shortest text in training had 3\n"));
    ck_assert_ptr_null(strstr(result.error, "a text of 1 symbol"));
}
END_TEST

START_TEST(test_predict_text_longer_than_learned_is_told_once)
{
    run(model, NULL, "abcabc\nabcabca\nabcabcab\n");
    ck_assert_int_eq(result.status, 0);
    const char *const said = INPUT "2: found 7 symbols; the longest text in training had 6\n";
    ck_assert_int_eq(strncmp(result.error, said, strlen(said)), 0);
    ck_assert_ptr_null(strstr(result.error + strlen(said), "symbols; those"));
}
END_TEST

START_TEST(test_predict_zero_byte_is_no_text)
{
    const char *const argv[] = {PREDICT, model, NULL};
    support_command command = {.argv = argv, .input = "a\0b\n", .input_length = 4};
    ck_assert(support_run_command(&command, &result));
    expect(65, "", INPUT "1: found a zero byte at byte 2 of the line, expected text\n");
}
END_TEST

START_TEST(test_predict_attention_of_a_text_is_an_array)
{
    const char *const flags[] = {"--beam=1", "--beam=3"};
    for (int f = 0; SUPPORT_ROW(f, flags); f++) {
        char flag[SUPPORT_PATH + 16];
        snprintf(flag, sizeof flag, "--attention=%s", support_path("out.npy"));
        run2(model, flag, flags[f], "cab\n");
        expect(0, "cab\tC A B\n", "");
        lb_shape shape;
        double *values;
        ck_assert_int_eq(lb_npy_read(support_path("out.npy"), &shape, &values, NULL), LB_OK);
        ck_assert(lb_shape_equal(shape, LB_SHAPE(1, 1, 4, 3)));
        for (int64_t row = 0; row < 4; row++)
            ck_assert_double_eq_tol(values[3 * row] + values[3 * row + 1] + values[3 * row + 2], 1, 1e-5);
        lb_release(values);
    }
}
END_TEST

START_TEST(test_predict_attention_takes_one_text_and_a_model_that_attends)
{
    char flag[SUPPORT_PATH + 16];
    snprintf(flag, sizeof flag, "--attention=%s", support_path("out.npy"));
    run(model, flag, "bad\ncab\n");
    expect(65, "bad\tB A " TSH "\n",
           INPUT "2: --attention accepts only one text, unless its file is .jsonl\n");
    run(plain, flag, "bad\n");
    ck_assert_int_eq(result.status, 65);
    ck_assert_ptr_nonnull(strstr(result.error, "the model has no attention to write"));
}
END_TEST

START_TEST(test_predict_text_is_answered_before_the_next_is_written)
{
    support_talk talk;
    ck_assert(support_talk_begin((const char *const[]){PREDICT, model, NULL}, &talk));
    ck_assert_str_eq(support_say(&talk, "cab\n", 10), "cab\tC A B\n");
    ck_assert_str_eq(support_say(&talk, "a\nb\nca", 8), "a\tA\nb\tB\n");
    ck_assert_str_eq(support_say(&talk, "b\n", 10), "cab\tC A B\n");
    ck_assert_str_eq(support_say(&talk, "c", 0), "");
    ck_assert_str_eq(support_say(&talk, NULL, 4), "c\tC\n");
    ck_assert_int_eq(support_talk_end(&talk), 0);
}
END_TEST

/* Words of one to nine letters, some longer than those of the training. */
static char *make_words(int count)
{
    char *words_of = malloc(16 * (size_t)count), *end = words_of;
    ck_assert_ptr_nonnull(words_of);
    for (int i = 0; i < count; i++) {
        lb_rng rng = {.seed = 4};
        uint64_t at = (uint64_t)i * 16;
        for (uint64_t n = 1 + lb_rng_below(rng, at, 9); n > 0; n--)
            *end++ = (char)('a' + (int)lb_rng_below(rng, at + n, 5));
        *end++ = '\n';
    }
    *end = '\0';
    return words_of;
}

static void expect_batches_change_nothing(const char *path, const char *beam, int count)
{
    char *input = make_words(count);
    run2(path, beam, "--batch=1", input);
    ck_assert_int_eq(result.status, 0);
    char *single = strdup(result.output);
    const char *const batches[] = {"--batch=7", "--batch=4096"};
    for (int b = 0; SUPPORT_ROW(b, batches); b++) {
        run2(path, beam, batches[b], input);
        ck_assert_str_eq(result.output, single);
    }
    free(single);
    free(input);
}

START_TEST(test_predict_many_texts_keep_order_and_batches_change_nothing)
{
    expect_batches_change_nothing(model, "--beam=1", 3000);
    expect_batches_change_nothing(model, "--beam=3", 1000);
    expect_batches_change_nothing(beginner, "--beam=3", 100);
}
END_TEST

int main(void)
{
    folder = support_path("out");
    if (mkdir(folder, 0777) != 0) return EXIT_FAILURE;
    model = support_train_pair_model("out/model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    plain = support_train_pair_model("plain.safetensors", 600, LB_ATTENTION_NONE);
    beginner = support_train_pair_model("beginner.safetensors", 0, LB_ATTENTION_ADDITIVE);
    ensemble = support_train_pair_model("ensemble.safetensors", 600, SUPPORT_ENSEMBLE);
    sorter = support_train_model("sort.safetensors", 0, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
