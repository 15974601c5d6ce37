/* predict from the user's view: answers in order and at once, and one clear line for each kind of bad input. It
 * takes seconds. */
#include "support/process.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/talk.h"
#include "support/tempdir.h"
#include "tensor/gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREDICT BIN_DIR "/lookback", "predict"

/* Made once, in main. */
static const char *model, *headed, *transformer, *beginner, *plain;

static support_result result;

/* Runs predict; `flag`, an option, may be NULL. */
static void run(const char *path, const char *flag, const char *input)
{
    SUPPORT_RUN(&result, input, PREDICT, path, flag);
}

static void expect(int status, const char *output, const char *error)
{
    support_expect(&result, status, output, error);
}

START_TEST(test_predict_lists_are_sorted)
{
    run(model, NULL, "7 3 9 1\n5 0 5\n  4\t2 \r\n\t8 6\t1");
    expect(0, "1 3 7 9\n0 5 5\n2 4\n1 6 8\n", "");
    run(plain, NULL, "7 3\n5 0\n");
    expect(0, "3 7\n0 5\n", "");
    run(headed, NULL, "7 3 9 1\n5 0\n");
    expect(0, "1 3 7 9\n0 5\n", "");
    run(transformer, NULL, "7 3 9 1\n5 0\n");
    expect(0, "1 3 7 9\n0 5\n", "");
}
END_TEST

START_TEST(test_predict_leading_zeros_are_read)
{
    run(model, NULL, "07 0003\n");
    expect(0, "3 7\n", "");
}
END_TEST

START_TEST(test_predict_no_input_is_no_output)
{
    run(model, NULL, NULL);
    expect(0, "", "");
}
END_TEST

START_TEST(test_predict_bad_line_ends_after_answers_to_those_before)
{
    const struct {
        const char *line, *error;
    } cases[] = {
        {"1 10 2", "10 is not a number from 0 to 9"},
        {"1 -1", "-1 is not a number from 0 to 9"},
        {"2,1", "2,1 is not a number from 0 to 9"},
        {"1.0", "1.0 is not a number from 0 to 9"},
        {"two", "two is not a number from 0 to 9"},
        {"99999999999999999999999999999999999999999999",
         "9999999999999999999999999999999999999999... is not a number from 0 to 9"},
        {"\xce\xb1", "\xce\xb1 is not a number from 0 to 9"},
        /* a colour, a line end, and a C1 control character */
        {"\033[31m\v\xc2\x9b", "?[31m?\?? is not a number from 0 to 9"},
        {"1 \xff", "found 0xFF at byte 3 of the line, expected UTF-8"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char input[256], error[256];
        snprintf(input, sizeof input, "7 3\n5 0\n%s\n4 2\n", cases[i].line);
        snprintf(error, sizeof error, "lookback predict: standard input:3: %s\n", cases[i].error);
        run(model, NULL, input);
        expect(65, "3 7\n0 5\n", error);
    }
}
END_TEST

START_TEST(test_predict_blank_line_is_answered_with_a_blank_line)
{
    run(model, NULL, "7 3\n\n \t \n5 0\n\r\n");
    expect(0, "3 7\n\n\n0 5\n\n", "");
    run(model, "--n-best=2", "\n");
    expect(0, "\n", "");
}
END_TEST

START_TEST(test_predict_zero_byte_is_no_number)
{
    const char *const argv[] = {PREDICT, model, NULL};
    support_command command = {.argv = argv, .input = "7 3\n1 2\0\n", .input_length = 9};
    ck_assert(support_run_command(&command, &result));
    expect(65, "3 7\n",
           "lookback predict: standard input:2: found a zero byte at byte 4 of the line, expected text\n");
}
END_TEST

START_TEST(test_predict_list_shorter_than_learned_is_told_once)
{
    run(model, NULL, "7 3\n5\n6\n7 3\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(
        result.error,
        "lookback predict: standard input:2: found 1 number; the shortest list in training had 2\n");
    ck_assert_int_eq(strncmp(result.output, "3 7\n", 4), 0);
}
END_TEST

START_TEST(test_predict_list_longer_than_learned_is_told_once)
{
    run(model, NULL, "7 3\n1 2 3 4 5\n6 5 4 3 2 1\n7 3\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(
        result.error,
        "lookback predict: standard input:2: found 5 numbers; the longest list in training had 4\n");
    ck_assert_int_eq(strncmp(result.output, "3 7\n", 4), 0);
    ck_assert_str_eq(result.output + result.output_length - 5, "\n3 7\n");
}
END_TEST

/* A good line, followed by a line of `count` ones. */
static char *line_of_ones(size_t count)
{
    char *text = malloc(2 * count + 8), *at = text;
    ck_assert_ptr_nonnull(text);
    at = stpcpy(at, "7 3\n");
    for (size_t i = 0; i < count; i++) at = stpcpy(at, "1 ");
    stpcpy(at, "\n");
    return text;
}

START_TEST(test_predict_list_of_a_million_numbers_is_refused)
{
    const struct {
        size_t count;
        const char *error;
    } cases[] = {
        {41, "found a list of 41 numbers, expected at most 40"},
        {1000, "found a list of 1000 numbers, expected at most 40"},
        {1000000, "found a line of more than 1048576 bytes, expected at most that many"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char error[256], *text = line_of_ones(cases[i].count);
        run(model, NULL, text);
        snprintf(error, sizeof error, "lookback predict: standard input:2: %s\n", cases[i].error);
        expect(65, "3 7\n", error);
        free(text);
    }
    char *text = line_of_ones(40);
    run(model, NULL, text);
    ck_assert_int_eq(result.status, 0);
    free(text);
}
END_TEST

START_TEST(test_predict_endless_blank_line_is_refused)
{
    enum { LENGTH = 3000000 };
    char *text = malloc(LENGTH + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', LENGTH);
    text[LENGTH] = '\0';
    text[0] = '1';
    run(model, NULL, text);
    expect(65, "",
           "lookback predict: standard input:1: found a line of more than 1048576 bytes, expected at most "
           "that many\n");
    free(text);
}
END_TEST

START_TEST(test_predict_output_without_end_is_cut_and_told)
{
    run(beginner, NULL, "7 3\n1 2 3\n9 0\n");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(
        result.error,
        "lookback predict: standard input:1: no end-of-sequence symbol; cut off after 16 numbers\n"
        "lookback predict: 3 outputs were cut off\n");
    int lines = 0;
    for (const char *c = result.output; *c; c++) lines += *c == '\n';
    ck_assert_int_eq(lines, 3);
}
END_TEST

/* Lists 0, 1, ... of one to four numbers as text; returns where the text ends. */
static char *write_list(char *at, uint64_t number)
{
    lb_rng rng = {.seed = 5};
    int length = 1 + (int)lb_rng_below(rng, 8 * number, 4);
    for (int i = 1; i <= length; i++) {
        *at++ = (char)('0' + (int)lb_rng_below(rng, 8 * number + (uint64_t)i, 10));
        *at++ = i < length ? ' ' : '\n';
    }
    *at = '\0';
    return at;
}

/* The lists 0, stride, 2 stride ... modulo `different`, as input. */
static char *write_lists(size_t count, size_t stride, size_t different)
{
    char *text = malloc(8 * count + 1), *at = text;
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < count; i++) at = write_list(at, i * stride % different);
    return text;
}

/* Asserts that each line of `output` equals the line of `single` for the same list. */
static void expect_same_answers(const char *output, size_t count, size_t stride, const char *single,
                                size_t different)
{
    const char **answers = malloc(different * sizeof *answers);
    ck_assert_ptr_nonnull(answers);
    for (size_t i = 0; i < different; i++) {
        answers[i] = single;
        single = strchr(single, '\n') + 1;
    }
    for (size_t i = 0; i < count; i++) {
        const char *answer = answers[i * stride % different];
        size_t length = (size_t)(strchr(answer, '\n') + 1 - answer);
        ck_assert_msg(strncmp(output, answer, length) == 0, "line %zu: %.20s, not %.*s", i + 1, output,
                      (int)length, answer);
        output += length;
    }
    ck_assert_str_eq(output, "");
    free(answers);
}

static void expect_batches_change_nothing(const char *path, size_t different, size_t count)
{
    enum { STRIDE = 77 };
    char *few = write_lists(different, 1, different), *many = write_lists(count, STRIDE, different);
    run(path, "--batch=1", few);
    ck_assert_int_eq(result.status, 0);
    char *single = strdup(result.output);
    run(path, "--batch=7", few);
    ck_assert_str_eq(result.output, single);
    run(path, "--threads=1", many);
    ck_assert_int_eq(result.status, 0);
    expect_same_answers(result.output, count, STRIDE, single, different);
    run(path, "--batch=65536", many);
    expect_same_answers(result.output, count, STRIDE, single, different);
    free(few);
    free(many);
    free(single);
}

START_TEST(test_predict_many_lines_keep_order_and_batches_change_nothing)
{
    expect_batches_change_nothing(model, 1000, 100000);
}
END_TEST

START_TEST(test_predict_batches_change_nothing_where_outputs_do_not_end)
{
    expect_batches_change_nothing(beginner, 100, 1000);
}
END_TEST

START_TEST(test_predict_line_is_answered_before_the_next_is_written)
{
    support_talk talk;
    ck_assert(support_talk_begin((const char *const[]){PREDICT, model, NULL}, &talk));
    ck_assert_str_eq(support_say(&talk, "7 3\n", 4), "3 7\n");
    ck_assert_str_eq(support_say(&talk, "5 0 1\n9 8\n4 ", 10), "0 1 5\n8 9\n");
    ck_assert_str_eq(support_say(&talk, "2\n", 4), "2 4\n");
    ck_assert_str_eq(support_say(&talk, "6 1", 0), "");
    ck_assert_str_eq(support_say(&talk, NULL, 4), "1 6\n");
    ck_assert_int_eq(support_talk_end(&talk), 0);
}
END_TEST

START_TEST(test_predict_full_disk_is_status_74)
{
    const char *const argv[] = {PREDICT, model, NULL};
    support_command command = {.argv = argv, .input = "7 3\n", .output_path = "/dev/full"};
    ck_assert(support_run_command(&command, &result));
    ck_assert_str_eq(result.error,
                     "lookback predict: cannot write standard output: No space left on device\n");
    ck_assert_int_eq(result.status, 74);
}
END_TEST

START_TEST(test_predict_reader_gone_ends_without_a_word)
{
    const char *const argv[] = {PREDICT, model, NULL};
    enum { LISTS = 100000 };
    char *many = malloc(4 * LISTS + 1);
    ck_assert_ptr_nonnull(many);
    for (size_t i = 0; i < LISTS; i++) strcpy(many + 4 * i, "7 3\n");
    support_command command = {.argv = argv, .input = many, .close_output = true};
    ck_assert(support_run_command(&command, &result));
    ck_assert_str_eq(result.error, "");
    ck_assert_int_eq(result.status, 74);
    free(many);
}
END_TEST

START_TEST(test_predict_standard_input_that_cannot_be_read_is_status_66)
{
    char command[2 * SUPPORT_PATH];
    snprintf(command, sizeof command, "%s %s %s </", PREDICT, model);
    SUPPORT_RUN(&result, NULL, "/bin/sh", "-c", command);
    expect(66, "", "lookback predict: standard input: cannot read: Is a directory\n");
    snprintf(command, sizeof command, "%s %s %s <&-", PREDICT, model);
    SUPPORT_RUN(&result, NULL, "/bin/sh", "-c", command);
    expect(66, "", "lookback predict: standard input: cannot read: Bad file descriptor\n");
}
END_TEST

START_TEST(test_predict_wrong_usage_is_status_2)
{
    run(model, "--batch=0", "7 3\n");
    expect(2, "", "lookback predict: --batch: expected a whole number from 1 to 65536, found \"0\"\n");
    run(model, "--bean", "7 3\n");
    expect(2, "",
           "lookback predict: unknown option --bean (did you mean --beam?); see lookback predict --help\n");
    SUPPORT_RUN(&result, "7 3\n", PREDICT, model, model, model);
    ck_assert_int_eq(result.status, 2);
    SUPPORT_RUN(&result, NULL, PREDICT);
    expect(2, "", "lookback predict: expected MODEL [FILE]; see lookback predict --help\n");
}
END_TEST

START_TEST(test_predict_help_and_version_go_to_standard_output)
{
    SUPPORT_RUN(&result, NULL, PREDICT, "--help");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.error, "");
    ck_assert_int_eq(strncmp(result.output, "usage: lookback predict [OPTION]... MODEL [FILE]\n", 49), 0);
    SUPPORT_RUN(&result, NULL, PREDICT, "--version");
    ck_assert_int_eq(strncmp(result.output, "lookback predict (Lookback) ", 28), 0);
    ck_assert_ptr_nonnull(strstr(result.output, lb_kernel_name()));
}
END_TEST

static void free_result(void)
{
    support_result_free(&result);
}

int main(void)
{
    model = support_train_model("model.safetensors", 500, LB_ATTENTION_ADDITIVE);
    headed = support_train_model("headed.safetensors", 500, LB_ATTENTION_MULTI_HEAD);
    transformer = support_train_model("transformer.safetensors", 1500, SUPPORT_TRANSFORMER);
    plain = support_train_model("plain.safetensors", 500, LB_ATTENTION_NONE);
    beginner = support_train_model("beginner.safetensors", 0, LB_ATTENTION_ADDITIVE);
    return support_run_tests_between(NULL, free_result);
}
