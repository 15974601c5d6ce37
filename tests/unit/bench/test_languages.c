/* bench/pronunciation.sh, bench/inflection.sh and bench/recipe.sh on languages of a few words, and bench/generalise.sh
 * on a few commands; their quality is not tested. It belongs to verify. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const environment[] = {"BIN=" BIN_DIR, NULL};

static void run(const char *script, const char *const *arguments)
{
    const char *argv[16] = {"/bin/bash", script};
    for (int i = 0; arguments[i]; i++) argv[i + 2] = arguments[i];
    support_command command = {.argv = argv, .environment = environment, .directory = support_tempdir()};
    support_run_as(&command, &support_ran);
}

#define PRONOUNCE(...) run(SOURCE_DIR "/bench/pronunciation.sh", (const char *const[]){__VA_ARGS__, NULL})
#define INFLECT(...)   run(SOURCE_DIR "/bench/inflection.sh", (const char *const[]){__VA_ARGS__, NULL})
#define VARY(...)      run(SOURCE_DIR "/bench/recipe.sh", (const char *const[]){__VA_ARGS__, NULL})

#define GENERALISE(...) run(SOURCE_DIR "/bench/generalise.sh", (const char *const[]){__VA_ARGS__, NULL})

static void make_data(void)
{
    ck_assert_int_eq(mkdir(support_path("data"), 0777), 0);
}

static void write_languages(void)
{
    make_data();
    support_write_pairs("data/one_train.tsv", 200, 1);
    support_write_pairs("data/one_dev.tsv", 20, 2);
    support_write_pairs("data/two_way_train.tsv", 100, 3);
    support_write_pairs("data/two_way_dev.tsv", 10, 4);
}

/* Runs it, and returns the table that it prints; to be freed. */
static char *quick_table(void)
{
    PRONOUNCE("--quick", "--out", "out", "data");
    support_assert_trained();
    char *table = strdup(support_ran.output);
    ck_assert_ptr_nonnull(table);
    return table;
}

static const char head[] =
    "| language | pairs | dev pairs | one model, mean of 2 | ensemble of 2 | ensemble of 3 | "
    "distilled from it | seconds of training one |\n";

/* The row of `name`: measures between 0 and 100, each with half its interval, and seconds. */
static void check_row(const char *table, const char *name, int measures)
{
    const char *line = strstr(table, name);
    ck_assert_msg(line != NULL, "%s", table);
    line += strlen(name);
    for (int i = 0; i < measures; i++) {
        double value, half;
        int length = 0;
        ck_assert_msg(sscanf(line, " %lf ± %lf |%n", &value, &half, &length) == 2 && length, "%s", table);
        ck_assert(value >= 0 && value <= 100);
        ck_assert(half >= 0 && half <= 50);
        line += length;
    }
    int seconds, end = 0;
    ck_assert_msg(sscanf(line, " %d |%n", &seconds, &end) == 1 && end && line[end] == '\n', "%s", table);
}

START_TEST(test_languages_quick_pronunciation_prints_a_row_for_each_language_and_keeps_it)
{
    size_t length;
    write_languages();
    char *first = quick_table();
    ck_assert_int_eq(strncmp(first, head, sizeof head - 1), 0);
    check_row(first, "\n| one | 200 | 20 |", 4);
    check_row(first, "\n| two_way | 100 | 10 |", 4);
    check_row(first, "\n| mean |  |  |", 4);
    char *kept = support_content("out/pronunciation.md", &length);
    ck_assert_str_eq(kept, first);
    free(kept);
    ck_assert(support_exists("out/pronunciation-quick/two_way/all/backward-3/model.safetensors"));
    ck_assert(support_exists("out/pronunciation-quick/two_way/distilled/model.safetensors"));
    char *second = quick_table();
    ck_assert_str_eq(second, first);
    ck_assert_str_eq(support_ran.error, "");
    free(first);
    free(second);
}
END_TEST

START_TEST(test_languages_quick_inflection_reads_features)
{
    make_data();
    static const char *const forms[][2] = {{"V;PRS", ""}, {"V;PST", "ed"}, {"V;V.PTCP;PRS", "ing"}};
    char pairs[4096] = "";
    for (int i = 0; i < 90; i++)
        sprintf(pairs + strlen(pairs), "w%c%c\t%s\tw%c%c%s\n", 'a' + i / 3 % 6, 'a' + i / 18, forms[i % 3][0],
                'a' + i / 3 % 6, 'a' + i / 18, forms[i % 3][1]);
    support_write_file(support_path("data/made_up_train.tsv"), pairs, strlen(pairs));
    const char *rest = strstr(pairs, "wab\t");
    ck_assert_ptr_nonnull(rest);
    support_write_file(support_path("data/made_up_dev.tsv"), pairs, (size_t)(rest - pairs));
    INFLECT("--quick", "--out", "out", "data");
    support_assert_trained();
    ck_assert_ptr_eq(strstr(support_ran.output,
                            "| language | pairs | dev pairs | one model, mean of 2 | ensemble of 3 | "
                            "seconds of training one |\n"),
                     support_ran.output);
    check_row(support_ran.output, "\n| made_up | 90 | 18 |", 2);
    size_t length;
    char *kept = support_content("out/inflection.md", &length);
    ck_assert_str_eq(kept, support_ran.output);
    free(kept);
}
END_TEST

/* The row of `setting`: the errors of two languages. */
static void check_setting(const char *table, const char *setting)
{
    double errors[2];
    const char *line = strstr(table, setting);
    ck_assert_msg(line != NULL, "%s", table);
    ck_assert_int_eq(sscanf(line + strlen(setting), " %lf | %lf |", &errors[0], &errors[1]), 2);
    for (int i = 0; i < 2; i++) ck_assert(errors[i] >= 0 && errors[i] <= 100);
}

START_TEST(test_languages_recipe_compares_settings_and_keeps_what_is_finished)
{
    write_languages();
    VARY("--quick", "--only", "layers", "--seeds", "1", "--out", "out", "data");
    support_assert_trained();
    ck_assert_ptr_null(strstr(support_ran.output, "| two layers")); /* nothing to compare it with */
    VARY("--quick", "--seeds", "2", "--out", "out", "data");
    support_assert_trained();
    char *first = strdup(support_ran.output);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_eq(strstr(first, "| setting | one | two_way | difference | time |\n"), first);
    check_setting(first, "\n| the recipe |");
    check_setting(first, "\n| two layers |");
    ck_assert(support_exists("out/recipe-quick/two_way/two layers-2/model.safetensors"));
    VARY("--quick", "--seeds", "2", "--out", "out", "data");
    ck_assert_str_eq(support_ran.output, first);
    free(first);
}
END_TEST

START_TEST(test_languages_other_pairs_are_not_taken_for_those_that_were_trained_on)
{
    write_languages();
    free(quick_table());
    support_write_pairs("data/one_train.tsv", 210, 5);
    PRONOUNCE("--quick", "--out", "out", "data");
    support_assert_refused(1, "one: cannot train; to start over, remove out/pronunciation-quick/one\n");
}
END_TEST

static const char *const splits[] = {"simple", "length", "addprim_turn_left", "addprim_jump"};

/* Commands of 1 to `most` actions, each of which is there ten times. */
static void write_commands(const char *part, const char *split, int most)
{
    static char text[1 << 16];
    char name[64];
    *text = '\0';
    snprintf(name, sizeof name, "data/tasks_%s_%s.txt", part, split);
    for (int i = 0; i < 10 * most; i++) {
        sprintf(text + strlen(text), "IN: walk %d OUT: I_WALK", i % most);
        for (int k = 0; k < i % most; k++) strcat(text, " I_WALK");
        strcat(text, "\n");
    }
    support_write_text(name, text);
}

START_TEST(test_generalise_quick_has_a_row_for_each_split_and_a_column_for_each_setting)
{
    make_data();
    for (size_t i = 0; SUPPORT_ROW(i, splits); i++) {
        write_commands("train", splits[i], 6);
        write_commands("test", splits[i], 30);
    }
    GENERALISE("--quick", "--only", "small", "--out", "out", "data");
    support_assert_trained();
    static const char first[] = "| split | recipe | small | longer | presented | relative "
                                "|\n|---|---|---|---|---|---|\n| simple |  | ";
    ck_assert_msg(strncmp(support_ran.output, first, strlen(first)) == 0, "%s", support_ran.output);
    for (size_t i = 0; SUPPORT_ROW(i, splits); i++)
        ck_assert_ptr_nonnull(strstr(support_ran.output, splits[i]));
    const char *border = strstr(support_ran.output, "\n| length_26 |  | ");
    ck_assert_msg(border != NULL, "%s", support_ran.output);
    size_t length;
    char *train = support_content("out/generalise-quick/train_26.txt", &length),
         *test = support_content("out/generalise-quick/test_26.txt", &length);
    int pairs[2] = {0};
    for (const char *c = train; *c; c++) pairs[0] += *c == '\n';
    for (const char *c = test; *c; c++) pairs[1] += *c == '\n';
    ck_assert_int_eq(pairs[0], 60 + 260);
    ck_assert_int_eq(pairs[1], 40);
    free(train);
    free(test);
    GENERALISE("--quick", "--only", "simple-relative", "--out", "out", "data");
    support_assert_trained();
    double small, relative;
    ck_assert_int_eq(
        sscanf(strstr(support_ran.output, "| simple"), "| simple | | %lf | | | %lf |", &small, &relative), 2);
}
END_TEST

START_TEST(test_generalise_quick_draws_the_curves_of_copying)
{
    GENERALISE("--quick", "--only", "fire", "--out", "out");
    support_assert_trained();
    ck_assert_ptr_nonnull(
        strstr(support_ran.output, "| model | 10 | 12 | 15 | 20 | 30 | 40 | 50 |\n|---|---|"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "\n| fire | "));
    ck_assert(support_exists("out/lengths_positions.png"));
    GENERALISE("--only", "fire", "missing");
    support_assert_refused(66, "missing: found no tasks_test_length.txt in it");
    GENERALISE("one", "two");
    support_assert_refused(2, "generalise.sh: expected one folder, or none");
    GENERALISE("--help");
    ck_assert_ptr_nonnull(strstr(support_ran.output, "usage: bench/generalise.sh"));
}
END_TEST

START_TEST(test_languages_wrong_usage_is_told)
{
    PRONOUNCE("--quick");
    support_assert_refused(2, "expected one folder of languages");
    INFLECT("--fast", ".");
    support_assert_refused(2, "inflection.sh: unknown option --fast");
    PRONOUNCE("--out");
    support_assert_refused(2, "--out: expected a value");
    PRONOUNCE("missing");
    support_assert_refused(66, "missing: found no such folder");
    make_data();
    PRONOUNCE("data");
    support_assert_refused(66, "data: found no LANG_train.tsv in it");
    support_write_pairs("data/one_train.tsv", 10, 1);
    PRONOUNCE("--out", "out", "data");
    support_assert_refused(66, "data/one_dev.tsv: found no such file");
    PRONOUNCE("--help");
    ck_assert_int_eq(support_ran.status, 0);
    ck_assert_ptr_nonnull(strstr(support_ran.output, "usage: bench/pronunciation.sh"));
    VARY("--seeds", "0", "data");
    support_assert_refused(2, "--seeds: found 0, expected a number above 0");
    VARY("--quick");
    support_assert_refused(2, "recipe.sh: expected folders of languages");
    INFLECT("--help");
    ck_assert_int_eq(support_ran.status, 0);
    ck_assert_ptr_nonnull(strstr(support_ran.output, "usage: bench/inflection.sh"));
}
END_TEST
