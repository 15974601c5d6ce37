#include "console/console.h"
#include "support/pair_program.h"
#include "support/process.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "training/train_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE TEST_BIN_DIR "/sample_program"

static double now;

static double fake_clock(void)
{
    return now;
}

static app_progress progress;

static void begin(int64_t first, int64_t total, FILE *stream)
{
    now = 100;
    app_progress_init(&progress, (app_progress_config){
                                     .first = first, .total = total, .stream = stream, .clock = fake_clock});
}

/* The contents of a log. */
static const char *content(FILE *stream)
{
    static char text[4096];
    rewind(stream);
    size_t length = fread(text, 1, sizeof text - 1, stream);
    text[length] = '\0';
    fclose(stream);
    return text;
}

START_TEST(test_app_progress_update_log_writes_each_tenth)
{
    FILE *log = tmpfile();
    begin(0, 40, log);
    for (int step = 1; step <= 10; step++) {
        now += 2;
        app_progress_update(&progress, step, "loss %.1f", 10.0 / step);
    }
    ck_assert_str_eq(content(log), "step  4/40  loss 2.5  1:12 left\n"
                                   "step  8/40  loss 1.2  1:04 left\n");
}
END_TEST

START_TEST(test_app_progress_update_log_writes_every_ten_seconds)
{
    FILE *log = tmpfile();
    begin(0, 1000, log);
    for (int step = 1; step <= 25; step++) {
        now += 1;
        app_progress_update(&progress, step, "%s", "");
    }
    ck_assert_str_eq(content(log), "step   10/1000  16:30 left\nstep   20/1000  16:20 left\n");
}
END_TEST

START_TEST(test_app_progress_update_log_writes_at_most_once_a_second)
{
    FILE *log = tmpfile();
    begin(0, 10, log);
    for (int step = 1; step <= 10; step++) {
        now += 0.01;
        app_progress_update(&progress, step, "x");
    }
    app_progress_end(&progress);
    ck_assert_str_eq(content(log), "step 10/10  x  0:00\n");
}
END_TEST

/* The line of a step waits for its measures, and the last one is not repeated. */
START_TEST(test_app_progress_log_last_line_appears_once_with_its_measures)
{
    FILE *log = tmpfile();
    begin(0, 10, log);
    for (int step = 1; step <= 10; step++) {
        now += 1;
        app_progress_update(&progress, step, "loss %d", step);
        if (step % 5 == 0) app_progress_update(&progress, step, "loss %d  exact match %d %%", step, step);
    }
    app_progress_end(&progress);
    const char *text = content(log);
    ck_assert_ptr_nonnull(strstr(text, "step  4/10  loss 4  0:06 left\n"
                                       "step  5/10  loss 5  exact match 5 %  0:05 left\n"
                                       "step  6/10  loss 6  0:04 left\n"));
    ck_assert_ptr_nonnull(strstr(text, "step  9/10  loss 9  0:01 left\n"
                                       "step 10/10  loss 10  exact match 10 %  0:10\n"));
    ck_assert_ptr_eq(strstr(text, "step 10/10"), strrchr(text, '/') - 7);
}
END_TEST

START_TEST(test_app_progress_end_without_update_writes_nothing)
{
    FILE *log = tmpfile();
    begin(0, 10, log);
    app_progress_end(&progress);
    ck_assert_str_eq(content(log), "");
}
END_TEST

START_TEST(test_app_progress_update_resumed_counts_only_own_work)
{
    FILE *log = tmpfile();
    begin(900, 1000, log);
    now += 10;
    app_progress_update(&progress, 950, "x");
    app_progress_update(&progress, 951, "y");
    ck_assert_double_eq_tol(app_progress_rate(&progress), 5.1, 1e-12);
    ck_assert_str_eq(content(log), "step  950/1000  x  0:10 left\n");
}
END_TEST

START_TEST(test_app_progress_update_total_unknown_tells_no_time_left)
{
    FILE *log = tmpfile();
    begin(0, 0, log);
    now += 11;
    app_progress_update(&progress, 1234, "x");
    app_progress_update(&progress, 1235, "y");
    ck_assert_str_eq(content(log), "step 1234  x\n");
}
END_TEST

START_TEST(test_app_progress_update_overlong_text_is_cut)
{
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    FILE *log = tmpfile();
    begin(0, 10, log);
    now += 11;
    app_progress_update(&progress, 1, "%s", text);
    app_progress_end(&progress);
    const char *line = content(log);
    ck_assert_uint_gt(strlen(line), APP_PROGRESS_TEXT);
    ck_assert_uint_lt(strlen(line), APP_PROGRESS_LINE);
}
END_TEST

START_TEST(test_app_short_count_keeps_three_digits)
{
    const struct {
        double count;
        const char *text;
    } cases[] = {{0, "0"},          {7.4, "7"},       {999.4, "999"},  {999.5, "1.00k"}, {9994, "9.99k"},
                 {9995, "10.0k"},   {45123, "45.1k"}, {99950, "100k"}, {999499, "999k"}, {999500, "1.00M"},
                 {1.2e10, "12.0G"}, {3e18, "3.00E"},  {1e21, "1000E"}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char text[APP_SHORT];
        ck_assert_str_eq(app_short_count(cases[i].count, text), cases[i].text);
    }
}
END_TEST

START_TEST(test_app_short_time_rounds_to_seconds)
{
    const struct {
        double seconds;
        const char *text;
    } cases[] = {{-1, "0:00"},   {0.4, "0:00"},       {59.6, "1:00"},
                 {754, "12:34"}, {3599.5, "1:00:00"}, {90061, "25:01:01"}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        char text[APP_SHORT];
        ck_assert_str_eq(app_short_time(cases[i].seconds, text), cases[i].text);
    }
}
END_TEST

/* The output of the sample program, which ends at once, on a terminal of this width in this environment. */
static void expect_drawn(int columns, const char *const environment[], const char *expected)
{
    const char *const argv[] = {SAMPLE, "--steps=4", NULL};
    support_result result;
    ck_assert(support_run_command(
        &(support_command){
            .argv = argv, .environment = environment, .terminal_columns = columns, .stop = SUPPORT_TICKING},
        &result));
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.output, "counted 4 seed 1 out out\n");
    ck_assert_str_eq(result.error, expected);
    support_result_free(&result);
}

START_TEST(test_app_progress_terminal_utf8_draws_coloured_bar)
{
    const char *const environment[] = {"LC_ALL=en_US.UTF-8", "TERM=xterm", "NO_COLOR", NULL};
    expect_drawn(80, environment,
                 "\rstep 4/4  \033[36m"
                 "\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501"
                 "\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501"
                 "\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501\u2501"
                 "\033[0m  loss 0.2500  0:00\033[K\n");
}
END_TEST

START_TEST(test_app_progress_terminal_no_color_other_locale_draws_plain_bar)
{
    const char *const environment[] = {"LC_ALL=C", "LANG=C", "TERM=xterm", "NO_COLOR=1", NULL};
    expect_drawn(80, environment, "\rstep 4/4  ##############################  loss 0.2500  0:00\033[K\n");
}
END_TEST

START_TEST(test_app_progress_terminal_narrow_gives_up_bar_then_text)
{
    const char *const environment[] = {"LC_ALL=C", "TERM=xterm", "NO_COLOR=1", NULL};
    expect_drawn(38, environment, "\rstep 4/4  ########  loss 0.2500  0:00\033[K\n");
    expect_drawn(37, environment, "\rstep 4/4  loss 0.2500  0:00\033[K\n");
    expect_drawn(16, environment, "\rstep 4/4  0:00\033[K\n");
    expect_drawn(14, environment, "\r0:00\033[K\n");
    expect_drawn(4, environment, "\r\033[K\n");
}
END_TEST

/* What a training draws on a terminal of this width. */
static const char *drawn_training(int columns)
{
    static char text[APP_PROGRESS_LINE];
    int master, slave;
    support_open_terminal(columns, &master, &slave);
    FILE *terminal = fdopen(slave, "w");
    ck_assert_ptr_nonnull(terminal);
    begin(0, 10000, terminal);
    progress.terminal = true;
    progress.colour = progress.utf8 = false;
    now += 10;
    app_progress_update(&progress, 4000, "loss 0.1234  exact match 97.5 %%  45.1k tokens/s");
    fflush(terminal);
    ssize_t length = read(master, text, sizeof text - 1);
    ck_assert_int_gt(length, 0);
    text[length] = '\0';
    fclose(terminal);
    close(master);
    return text;
}

START_TEST(test_app_progress_terminal_narrow_drops_whole_fields_but_not_the_time_left)
{
    ck_assert_str_eq(drawn_training(120),
                     "\rstep  4000/10000  ############..................  loss 0.1234  exact match 97.5 %  "
                     "45.1k tokens/s  0:15 left\033[K");
    ck_assert_str_eq(drawn_training(80),
                     "\rstep  4000/10000  ######...........  loss 0.1234  exact match 97.5 %  "
                     "0:15 left\033[K");
    ck_assert_str_eq(drawn_training(60),
                     "\rstep  4000/10000  ######...........  loss 0.1234  0:15 left\033[K");
    ck_assert_str_eq(drawn_training(40), "\rstep  4000/10000  ####......  0:15 left\033[K");
    for (int columns = 11; columns < 120; columns++) {
        const char *line = drawn_training(columns);
        ck_assert_msg(strlen(line) <= (size_t)columns - 1 + strlen("\r\033[K"), "%d columns: %s", columns,
                      line);
        ck_assert_msg(strstr(line, "0:15 left\033[K") != NULL, "%d columns: %s", columns, line);
    }
}
END_TEST

START_TEST(test_app_progress_late_waits_for_a_second_and_is_erased)
{
    FILE *screen = tmpfile();
    now = 100;
    app_progress_config config = {
        .unit = "line", .total = 10, .late = true, .stream = screen, .clock = fake_clock};
    app_progress_init(&progress, config);
    app_progress_tick(&progress);
    now += 2;
    app_progress_tick(&progress); /* no terminal */
    app_progress_update(&progress, 1, "%s", "");
    app_progress_end(&progress);
    ck_assert_int_eq(ftell(screen), 0);
    app_progress_init(&progress, config);
    progress.terminal = true;
    progress.colour = progress.utf8 = false;
    now += 0.5;
    app_progress_update(&progress, 1, "%s", "");
    ck_assert(!app_progress_tick(&progress));
    ck_assert_int_eq(ftell(screen), 0);
    now += 0.5;
    app_progress_tick(&progress);
    app_progress_tick(&progress);
    app_progress_end(&progress);
    app_progress_end(&progress);
    ck_assert_str_eq(content(screen),
                     "\rline  1/10  ###...........................  0:05 left\033[K\r\033[K");
}
END_TEST

START_TEST(test_app_progress_terminal_dumb_is_plain)
{
    const char *const environment[] = {"TERM=dumb", NULL};
    expect_drawn(80, environment, "step 4/4  loss 0.2500  0:00\n");
}
END_TEST

START_TEST(test_app_progress_terminal_redraws_at_most_ten_times_a_second)
{
    FILE *screen = tmpfile();
    begin(0, 10, screen);
    progress.terminal = true;
    progress.colour = progress.utf8 = false;
    for (int step = 1; step <= 4; step++) {
        now += 0.0625;
        app_progress_update(&progress, step, "x");
    }
    now += 1;
    app_progress_end(&progress);
    ck_assert_str_eq(content(screen), "\rstep  2/10  ######........................  x  0:01 left\033[K"
                                      "\rstep  4/10  ############..................  x  0:00 left\033[K"
                                      "\rstep  4/10  ############..................  x  0:01\033[K\n");
}
END_TEST

START_TEST(test_app_progress_terminal_half_way_colours_both_parts)
{
    FILE *screen = tmpfile();
    begin(0, 2, screen);
    progress.terminal = progress.colour = true;
    progress.utf8 = false;
    now += 1;
    app_progress_update(&progress, 1, "%048d", 0);
    ck_assert_str_eq(content(screen), "\rstep 1/2  \033[36m####\033[0;2m....\033[0m  "
                                      "000000000000000000000000000000000000000000000000  0:01 left\033[K");
}
END_TEST

START_TEST(test_app_train_in_view_counts_the_pairs_that_it_reads)
{
    enum { PAIRS = 10000, LINE = 4 };
    static char text[PAIRS * LINE];
    for (int i = 0; i < PAIRS; i++) memcpy(text + (ptrdiff_t)i * LINE, "a\tb\n", LINE);
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    support_write_file("pairs.tsv", text, sizeof text);
    const lb_training_config config = {
        .train = "pairs.tsv", .out = "out", .steps = 1, .hidden = 4, .no_hold_out = true};
    lb_training_result result = {0};
    lb_error error = {0};
    app_training_view view = {0};
    ck_assert_msg(!app_train_in_view(&view, config, &result, &error), "%s", error.message);
    ck_assert_str_eq(view.counting.config.unit, "pair");
}
END_TEST

START_TEST(test_an_evaluation_is_shown_at_once)
{
    support_write_pairs("train.tsv", 100, 1);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--steps", "40", "--evaluate-every", "40");
    support_assert_trained();
    const char *last = strstr(support_ran.error, "step 40/40  loss ");
    ck_assert_msg(last && strstr(last, "  exact match ") < strchr(last, '\n') &&
                      strstr(last, "  exact match "),
                  "%s", support_ran.error);
}
END_TEST
