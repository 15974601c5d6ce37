/* bench/tasks.sh on a few pairs of each task, and bench/why.sh: their tables, and whether the pairs are correct. The
 * quality of the models is not tested. They are of full size: too slow for sanitizers, and it belongs to verify. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 40, DEV = 5, TEST = 5 };

static const char *const environment[] = {"BIN=" BIN_DIR, NULL};
static const char *const tasks[] = {"plurals", "roman", "cyrillic", "numbers", "phrases",
                                    "sql",     "dates", "copy",     "reverse", "inflection"};

static void run_script(const char *script, const char *const *arguments)
{
    const char *argv[16] = {"/bin/bash", script};
    for (int i = 0; arguments[i]; i++) argv[i + 2] = arguments[i];
    support_command command = {.argv = argv, .environment = environment, .directory = support_tempdir()};
    support_run_as(&command, &support_ran);
}

#define RUN(...)     run_script(SOURCE_DIR "/bench/tasks.sh", (const char *const[]){__VA_ARGS__, NULL})
#define RUN_WHY(...) run_script(SOURCE_DIR "/bench/why.sh", (const char *const[]){__VA_ARGS__, NULL})

static char *pairs_of(const char *task, const char *file)
{
    char name[SUPPORT_PATH];
    size_t length;
    snprintf(name, sizeof name, "out/tasks-quick/%s/pairs/%s.tsv", task, file);
    return support_content(name, &length);
}

static int line_count(const char *text)
{
    int count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

/* Asserts that no source of `text` begins a line of `other`. */
static void expect_no_source_of(const char *text, const char *other)
{
    char begun[256];
    for (; *text; text = strchr(text, '\n') + 1) {
        int length = (int)strcspn(text, "\n");
        while (text[length - 1] != '\t') length--; /* features belong to the source */
        snprintf(begun, sizeof begun, "\n%.*s", length, text);
        ck_assert_msg(strncmp(other, text, (size_t)length) != 0 && !strstr(other, begun),
                      "%s is in both files", begun);
    }
}

static void check_files(const char *task)
{
    char *train = pairs_of(task, "train"), *dev = pairs_of(task, "dev"), *test = pairs_of(task, "test");
    ck_assert_int_eq(line_count(train), TRAIN);
    ck_assert_int_eq(line_count(dev), DEV);
    ck_assert_int_eq(line_count(test), TEST);
    expect_no_source_of(dev, train);
    expect_no_source_of(test, train);
    expect_no_source_of(test, dev);
    free(train);
    free(dev);
    free(test);
}

START_TEST(test_tasks_quick_prints_a_row_for_each_task_and_keeps_it)
{
    size_t length;
    RUN("--quick", "--threads", "1", "--out", "out");
    support_assert_trained();
    char *first = strdup(support_ran.output);
    for (size_t i = 0; SUPPORT_ROW(i, tasks); i++) {
        char row[64];
        double rates[4];
        int steps, seconds;
        snprintf(row, sizeof row, "\n| %s | 40 | ", tasks[i]);
        const char *line = strstr(first, row);
        ck_assert_msg(line != NULL, "%s is not in %s", tasks[i], first);
        ck_assert_int_eq(sscanf(line + strlen(row), "%d | %d | %lf | %lf | %lf | %lf |", &steps, &seconds,
                                &rates[0], &rates[1], &rates[2], &rates[3]),
                         6);
        ck_assert_int_eq(steps, 5);
        for (int r = 0; r < 4; r++) ck_assert_double_gt(rates[r], 0);
        check_files(tasks[i]);
    }
    char *kept = support_content("out/tasks.md", &length);
    ck_assert_str_eq(kept, first);
    RUN("--quick", "--threads", "1", "--out", "out");
    ck_assert_str_eq(support_ran.output, first);
    ck_assert_str_eq(support_ran.error, "");
    free(kept);
    free(first);
}
END_TEST

/* Some pairs of a task in the list below, for readers to check. */
static const struct {
    const char *generator, *pairs[4];
    int wanted; /* so many that all of these are there */
} known[] = {
    {"plurals", {"tooth\tteeth", "knife\tknives", "analysis\tanalyses", "woodlouse\twoodlice"}, 1000},
    {"roman", {"4\tIV", "1987\tMCMLXXXVII", "3999\tMMMCMXCIX", "944\tCMXLIV"}, 3999},
    {"numbers",
     {"eleven thousand forty five\t11045", "thirty two thousand nine\t32009",
      "eighty eight thousand eight hundred twelve\t88812", "ninety two thousand ninety\t92090"},
     3000},
    {"inflection",
     {"contar\tPRS;1;SG\tcuento", "dormir\tPST;3;PL\tdurmieron", "buscar\tPST;1;SG\tbusqué",
      "vivir\tCOND;3;SG\tviviría"},
     2100},
};

START_TEST(test_tasks_pairs_follow_their_rules)
{
    char command[2 * SUPPORT_PATH];
    static const char generate[] = "cd " SOURCE_DIR "/bench/tasks && awk -v wanted=%d -f pairs.awk -f %s.awk";
    for (size_t i = 0; SUPPORT_ROW(i, known); i++) {
        snprintf(command, sizeof command, generate, known[i].wanted, known[i].generator);
        support_result_free(&support_ran);
        ck_assert(support_run((const char *const[]){"/bin/sh", "-c", command, NULL}, NULL, &support_ran));
        for (int p = 0; p < 4; p++) {
            char line[128];
            snprintf(line, sizeof line, "%s\n", known[i].pairs[p]);
            ck_assert_msg(strstr(support_ran.output, line) != NULL, "no pair %s", line);
        }
    }
}
END_TEST

START_TEST(test_tasks_copy_and_reverse_have_forty_symbols)
{
    static const char *const names[] = {"copy", "reverse"};
    RUN("--quick", "--task", "copy", "--task", "reverse", "--threads", "1", "--out", "out");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.output, "| roman |"));
    for (int reverse = 0; SUPPORT_ROW(reverse, names); reverse++) {
        char *text = pairs_of(names[reverse], "test");
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            ck_assert(line[40] == '\t' && line[81] == '\n');
            for (int i = 0; i < 40; i++) ck_assert_int_eq(line[41 + (reverse ? 39 - i : i)], line[i]);
        }
        free(text);
    }
}
END_TEST

START_TEST(test_tasks_wrong_usage_is_told)
{
    RUN("--fast");
    support_assert_refused(2, "unknown argument --fast");
    RUN("--task", "chess");
    support_assert_refused(2, "--task: no task is named chess; there are plurals roman");
    RUN("--out");
    support_assert_refused(2, "--out: expected a value");
    RUN("--help");
    ck_assert_int_eq(support_ran.status, 0);
    ck_assert_ptr_nonnull(strstr(support_ran.output, "usage: bench/tasks.sh"));
}
END_TEST

START_TEST(test_why_quick_prints_a_row_for_each_kind_and_keeps_it)
{
    static const struct {
        const char *begin;
        bool has_heads;
    } rows[] = {{"| spanish | additive |", false},
                {"| spanish | multi-head |", true},
                {"| spanish | hard |", false},
                {"| spanish | transformer |", true}};
    RUN_WHY("--quick", "--only", "spanish", "--out", "out");
    support_assert_trained();
    char *first = strdup(support_ran.output);
    ck_assert_ptr_nonnull(
        strstr(first, "| task | attention | right, % | tau | same first symbol, % | best head |"));
    for (size_t i = 0; SUPPORT_ROW(i, rows); i++) {
        double right, tau, half;
        const char *row = strstr(first, rows[i].begin);
        ck_assert_msg(row != NULL, "%s", first);
        ck_assert_int_eq(sscanf(row + strlen(rows[i].begin), "%lf | %lf ± %lf |", &right, &tau, &half), 3);
        ck_assert(right >= 0 && right <= 100 && tau >= -1 && tau <= 1 && half >= 0);
        const char *head = strstr(row, "| layer ");
        ck_assert(rows[i].has_heads == (head && head < strchr(row, '\n')));
    }
    RUN_WHY("--quick", "--only", "nothing", "--out", "other");
    support_assert_refused(2, "why.sh: --only nothing: found no such task and kind");
    RUN_WHY("--quick", "--only", "spanish", "--out", "out");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.error, "step"));
    ck_assert_str_eq(support_ran.output, first);
    free(first);
}
END_TEST
