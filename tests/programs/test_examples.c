/* Every example of every --help works as printed. Takes seconds; too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK    BIN_DIR "/lookback"
#define FIRST_STEPS "\nFrom pairs of texts to a picture of the attention\n"
#define EXAMPLES    "\nExamples\n"

static const char *const commands[] = {
#define NAME(name, about) #name,
    APP_PROGRAM_LIST(NAME)
#undef NAME
};

enum { COMMANDS = sizeof commands / sizeof *commands, SCRIPT = 1024 };

static support_result result;

static void run(const char *const *argv)
{
    const char *const environment[] = {"PATH=" BIN_DIR ":/usr/bin:/bin", "OMP_NUM_THREADS=1", NULL};
    const support_command command = {
        .argv = argv, .environment = environment, .directory = support_tempdir()};
    support_run_as(&command, &result);
}

/* The files of a user who has read --help. */
static void make_files(void)
{
    support_write_pairs("pairs.tsv", 100, 1);
    support_write_pairs("dev.tsv", 20, 2);
    support_write_pairs("test.tsv", 20, 3);
    support_write_text("words.txt", "abc\nbad\nhead\n");
    support_write_text("words.csv", "id,word\n1,abc\n2,bad\n");
}

/* The examples in a text: the part below their heading. */
static char *examples_of(const char *const *argv, const char *heading)
{
    run(argv);
    ck_assert_int_eq(result.status, 0);
    const char *found = strstr(result.output, heading);
    ck_assert_msg(found != NULL, "no examples in %s", result.output);
    return strdup(found + strlen(heading));
}

/* Runs them in turn. Each begins with a comment, and calls the program as `lookback name`. Returns their number. */
static int run_all(const char *examples, const char *name)
{
    char call[64], script[SCRIPT];
    int count = 0;
    snprintf(call, sizeof call, "lookback %s", name);
    for (const char *example = examples, *end; example && *example; example = end) {
        ck_assert_int_eq(strncmp(example, "  # ", 4), 0);
        end = strstr(example, "\n\n  # ");
        end = end ? end + 2 : NULL;
        snprintf(script, sizeof script, "%.*s", end ? (int)(end - example) : (int)strlen(example), example);
        ck_assert_msg(strstr(script, call) != NULL, "no \"%s\" in:\n%s", call, script);
        run((const char *const[]){"/bin/sh", "-e", "-c", script, NULL});
        ck_assert_msg(result.status == 0, "status %d of:\n%s\n%s", result.status, script, result.error);
        count++;
    }
    return count;
}

static void take_first_steps(void)
{
    make_files();
    char *steps = examples_of((const char *const[]){LOOKBACK, "--help", NULL}, FIRST_STEPS);
    ck_assert_int_eq(run_all(steps, ""), 4);
    free(steps);
}

/* A user who only reads `lookback --help` gets from a TSV file to a picture. */
START_TEST(test_four_commands_of_help_lead_from_pairs_to_a_picture)
{
    size_t count;
    take_first_steps();
    char *picture = support_content("attention.png", &count);
    ck_assert_uint_gt(count, 5000);
    ck_assert_int_eq(memcmp(picture, "\x89PNG", 4), 0);
    free(picture);
    ck_assert_int_eq(support_line_count("predicted.tsv"), 3);
    char *predicted = support_content("predicted.tsv", &count);
    ck_assert_int_eq(strncmp(predicted, "abc\t", 4), 0);
    free(predicted);
}
END_TEST

START_TEST(test_each_example_of_each_command_runs)
{
    take_first_steps();
    for (int i = 0; i < COMMANDS; i++) {
        char *examples = examples_of((const char *const[]){LOOKBACK, "help", commands[i], NULL}, EXAMPLES);
        ck_assert_msg(run_all(examples, commands[i]) >= 2, "%s: fewer than two examples", commands[i]);
        free(examples);
    }
    static const char *const files[] = {"out/small/model.safetensors",
                                        "settings.json",
                                        "where.npy",
                                        "model.json",
                                        "where.png",
                                        "out/attention/exact_match.png",
                                        "out/sort/sort.safetensors"};
    for (size_t i = 0; SUPPORT_ROW(i, files); i++)
        ck_assert_msg(support_exists(files[i]), "there is no %s", files[i]);
}
END_TEST

START_TEST(test_example_in_the_manual_is_that_of_help)
{
    run((const char *const[]){LOOKBACK, "generate", "man", "predict", NULL});
    ck_assert_ptr_nonnull(strstr(result.output, "\n.EX\nlookback predict out < words.txt\n.EE\n"));
    run((const char *const[]){LOOKBACK, "generate", "man", NULL});
    ck_assert_ptr_nonnull(strstr(result.output, "\nlookback evaluate out test.tsv\n.EE\n"));
}
END_TEST
