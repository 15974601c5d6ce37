/* What a command that takes long shows on a terminal, and nowhere else. It takes seconds. */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */

#include "console/console.h"
#include "support/pair_model.h"
#include "support/process.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKBACK BIN_DIR "/lookback"
/* Its clock advances by a millisecond at each reading, and a bar comes after a second: each batch reads it. */
#define BATCHES "--batch=1", "--threads=1"

enum { LINES = 1500 };

static const char *model; /* made once, in main */

static support_result result;

static void write_lines(const char *name, const char *line)
{
    char text[LINES * 16];
    size_t length = strlen(line);
    for (size_t i = 0; i < LINES; i++) memcpy(text + i * length, line, length);
    support_write_file(support_path(name), text, LINES * length);
}

static void run(const char *const argv[], support_command command)
{
    static const char *const environment[] = {"LC_ALL=C", "TERM=xterm", "NO_COLOR=1", NULL};
    write_lines("words", "bad\n");
    write_lines("pairs", "bad\tB A B\n");
    command.argv = argv;
    command.environment = environment;
    command.directory = support_tempdir();
    if (!command.stop) command.stop = SUPPORT_TICKING;
    support_run_as(&command, &result);
}

#define RUN(command, ...)    run((const char *const[]){LOOKBACK, __VA_ARGS__, NULL}, command)
#define RUN_ON_TERMINAL(...) RUN((support_command){.terminal_columns = 80}, __VA_ARGS__)

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), ending = strlen(end);
    return length >= ending && strcmp(text + length - ending, end) == 0;
}

/* The lines of this unit are drawn and erased, and then comes nothing but `rest`. */
static void expect_bar(const char *unit, const char *rest)
{
    char begin[32];
    ck_assert_int_eq(result.status, 0);
    snprintf(begin, sizeof begin, "\r%s ", unit);
    ck_assert_msg(strstr(result.error, begin) != NULL, "%.500s", result.error);
    ck_assert_msg(strstr(result.error, "/1500  ") != NULL, "%.500s", result.error);
    ck_assert_msg(strstr(result.error, "#..") != NULL, "%.500s", result.error);
    ck_assert_msg(strstr(result.error, " left\033[K\r") != NULL, "%.500s", result.error);
    const char *erased = strstr(result.error, APP_ERASE_LINE);
    ck_assert_ptr_nonnull(erased);
    ck_assert_msg(ends_with(erased, rest), "%.500s", erased);
    ck_assert_ptr_null(strchr(erased + strlen(APP_ERASE_LINE), '\r'));
}

START_TEST(test_predict_into_a_file_shows_a_bar_on_a_terminal)
{
    RUN_ON_TERMINAL("predict", model, "words", BATCHES, "-o", "answers");
    expect_bar("line", "");
    RUN((support_command){0}, "predict", model, "words", BATCHES, "-o", "answers");
    support_expect(&result, 0, "", "");
    RUN_ON_TERMINAL("predict", model, "words", BATCHES, "-o", "answers", "--quiet");
    support_expect(&result, 0, "", "");
}
END_TEST

START_TEST(test_predict_of_a_pipe_shows_a_count_without_a_bar)
{
    char words[LINES * 4 + 1] = "";
    for (int i = 0; i < LINES; i++) memcpy(words + 4 * i, "bad\n", 5);
    RUN(((support_command){.terminal_columns = 80, .input = words}), "predict", model, BATCHES);
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(strncmp(result.error, "\rline ", 6) == 0, "%.500s", result.error);
    ck_assert_ptr_null(strpbrk(result.error, "/#"));
    ck_assert_ptr_null(strstr(result.error, "left"));
    ck_assert(ends_with(result.error, "\033[K" APP_ERASE_LINE));
}
END_TEST

START_TEST(test_answers_on_the_terminal_have_no_bar_between_them)
{
    RUN(((support_command){.terminal_columns = 80, .terminal_output = true}), "predict", model, "words",
        BATCHES);
    ck_assert_str_eq(result.error, "");
    RUN(((support_command){.terminal_columns = 80, .terminal_output = true}), "score", model, "pairs",
        BATCHES);
    ck_assert_str_eq(result.error, "");
}
END_TEST

START_TEST(test_evaluate_score_and_report_show_a_bar)
{
    RUN_ON_TERMINAL("evaluate", model, "pairs", BATCHES);
    expect_bar("pair", "");
    RUN_ON_TERMINAL("score", model, "pairs", BATCHES);
    expect_bar("pair", "");
    RUN_ON_TERMINAL("report", model, "pairs", BATCHES, "--details=0", "--heads-off=0");
    expect_bar("pair", " kB of data)\n");
}
END_TEST

START_TEST(test_ctrl_c_erases_the_bar)
{
    RUN(((support_command){.terminal_columns = 80, .stop = "clock 1300 INT"}), "evaluate", model, "pairs",
        BATCHES);
    ck_assert_int_eq(result.status, 128 + SIGINT);
    ck_assert_str_eq(result.output, "");
    ck_assert_msg(strncmp(result.error, "\rpair ", 6) == 0, "%.500s", result.error);
    ck_assert_msg(ends_with(result.error, "\033[K" APP_ERASE_LINE), "%.500s", result.error);
}
END_TEST

START_TEST(test_a_warning_erases_the_bar_first)
{
    char text[LINES * 4 + 16];
    for (size_t i = 0; i < LINES; i++) memcpy(text + 4 * i, "bad\n", 4);
    memcpy(text + sizeof text - 16, "badbadbad\nbad\na\n", 16); /* longer than any in training */
    support_write_file(support_path("long"), text, sizeof text);
    RUN_ON_TERMINAL("predict", model, "long", BATCHES, "-o", "answers");
    ck_assert_int_eq(result.status, 0);
    ck_assert_msg(strstr(result.error,
                         "\033[K" APP_ERASE_LINE "lookback predict: long:1501: found 9 symbols; ") != NULL,
                  "%.500s", result.error);
}
END_TEST

START_TEST(test_predict_says_that_it_waits_for_the_keyboard)
{
    char path[SUPPORT_PATH];
    int keyboard, held; /* otherwise what is typed before the program reads is lost */
    support_open_terminal(80, &keyboard, &held);
    ck_assert_int_lt(snprintf(path, sizeof path, "%s", ptsname(keyboard)), SUPPORT_PATH);
    static const char typed[] = "bad\n\x04";
    ck_assert_int_eq(write(keyboard, typed, sizeof typed - 1), sizeof typed - 1);
    RUN(((support_command){.input_path = path}), "predict", model);
    ck_assert_str_eq(result.error,
                     "lookback predict: waiting for lines from the keyboard; Ctrl-D ends them\n");
    ck_assert_int_eq(memcmp(result.output, "bad\t", 4), 0);
    close(held);
    close(keyboard);
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 0, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
