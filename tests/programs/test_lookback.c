/* lookback: its commands, and the links to two of them. It takes seconds. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "cli/commands.h"
#include <lookback/base.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOKBACK BIN_DIR "/lookback"

static const struct command {
    const char *name, *about;
} commands[] = {
#define COMMAND(name, about) {#name, about},
    APP_PROGRAM_LIST(COMMAND)
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static support_result result;

#define RUN(...) SUPPORT_RUN(&result, NULL, __VA_ARGS__)

static void expect_list(void)
{
    char line[128];
    for (int i = 0; i < COMMANDS; i++) {
        snprintf(line, sizeof line, "\n  %-10s  %s\n", commands[i].name, commands[i].about);
        ck_assert_msg(strstr(result.output, line) != NULL, "no \"%s\" in %s", line, result.output);
    }
    ck_assert_str_eq(result.error, "");
}

START_TEST(test_lookback_bare_lists_its_commands_and_fails)
{
    RUN(LOOKBACK, NULL);
    ck_assert_int_eq(result.status, 2);
    expect_list();
}
END_TEST

START_TEST(test_lookback_help_lists_its_commands)
{
    static const char *const words[] = {"help", "--help", "-h"};
    for (int i = 0; SUPPORT_ROW(i, words); i++) {
        RUN(LOOKBACK, words[i]);
        ck_assert_int_eq(result.status, 0);
        expect_list();
    }
    RUN(LOOKBACK, "help", "version");
    ck_assert_int_eq(result.status, 0);
    expect_list();
}
END_TEST

START_TEST(test_lookback_version_is_that_of_the_library)
{
    char version[64];
    static const char *const words[] = {"--version", "-V", "version"};
    for (int i = 0; SUPPORT_ROW(i, words); i++) {
        RUN(LOOKBACK, words[i]);
        ck_assert_int_eq(result.status, 0);
        snprintf(version, sizeof version, "lookback %s\n", lb_version());
        ck_assert_int_eq(strncmp(result.output, version, strlen(version)), 0);
        if (*words[i] != '-') continue;
        RUN(LOOKBACK, "train", words[i]);
        ck_assert_int_eq(strncmp(result.output, "lookback train (Lookback) ", 26), 0);
    }
}
END_TEST

static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

START_LOOP_TEST(test_help_of_a_command_is_short_and_says_how_to_see_all, COMMANDS)
{
    enum { SHORT = 60 };
    char text[1 << 15];
    const char *name = commands[_i].name;
    RUN(LOOKBACK, "help", name);
    snprintf(text, sizeof text, "%s", result.output);
    ck_assert_int_le(lines_of(text), SHORT);
    RUN(LOOKBACK, name, "--help", "--all");
    ck_assert_int_eq(result.status, 0);
    bool marked = strstr(text, " options; --help --all shows them all\n") != NULL;
    ck_assert(marked ? lines_of(result.output) > lines_of(text) : strcmp(result.output, text) == 0);
    snprintf(text, sizeof text, "%s", result.output);
    RUN(LOOKBACK, "help", name, "--all");
    ck_assert_str_eq(result.output, text);
}
END_TEST

START_LOOP_TEST(test_help_of_a_command_is_the_same_in_each_way_to_ask, COMMANDS)
{
    char usage[64], text[1 << 14];
    const char *name = commands[_i].name;
    RUN(LOOKBACK, "help", name);
    ck_assert_int_eq(result.status, 0);
    snprintf(usage, sizeof usage, "usage: lookback %s [OPTION]...", name);
    ck_assert_int_eq(strncmp(result.output, usage, strlen(usage)), 0);
    snprintf(text, sizeof text, "%s", result.output);
    RUN(LOOKBACK, name, "--help");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.output, text);
    ck_assert_str_eq(result.error, "");
}
END_TEST

static const char *const links[] = {"train_sort", "visualize"};

/* As if an mpirun had started it whose MPI is not ours. */
START_LOOP_TEST(test_command_tells_of_itself_whatever_mpirun_has_set, COMMANDS)
{
    static const char *const asked[] = {"--help", "-h", "--version", "-V"};
    static const char *const changes[] = {"PMI_SIZE=2", "OMPI_COMM_WORLD_SIZE=2", "PMIX_RANK=0",
                                          "LOOKBACK_MPI_LIBRARY=/no/library.so", NULL};
    for (int i = 0; SUPPORT_ROW(i, asked); i++) {
        const char *const argv[] = {LOOKBACK, commands[_i].name, asked[i], NULL};
        support_run_as(&(support_command){.argv = argv, .environment = changes}, &result);
        ck_assert_msg(result.status == 0, "%s %s: %s", commands[_i].name, asked[i], result.error);
        ck_assert_str_ne(result.output, "");
        ck_assert_str_eq(result.error, "");
    }
}
END_TEST

START_TEST(test_train_prints_its_options_whatever_mpirun_has_set)
{
    static const char *const changes[] = {"PMI_SIZE=2", "LOOKBACK_MPI_LIBRARY=/no/library.so", NULL};
    const char *const print[] = {LOOKBACK, "train", "--print-config", NULL}, *const train[] = {LOOKBACK,
                                                                                               "train", NULL};
    support_run_as(&(support_command){.argv = print, .environment = changes}, &result);
    ck_assert_int_eq(result.status, 0);
    support_run_as(&(support_command){.argv = train, .environment = changes}, &result);
    ck_assert_int_eq(result.status, 66);
    ck_assert_ptr_nonnull(strstr(result.error, "started by mpirun, but cannot load MPI: "));
}
END_TEST

START_TEST(test_command_writes_over_no_file_that_it_names_twice)
{
    static const struct {
        const char *words[8], *said;
    } cases[] = {
        {{"visualize", "m", "-o", "v.png", "--scores", "v.png"},
         "visualize: --output and --scores: found one file, v.png, expected two"},
        {{"visualize", "m", "-o", "v.png", "--scores", "./v.png"},
         "visualize: --output and --scores: found one file, v.png, expected two"},
        {{"visualize", "m", "--scores", "attention.png"},
         "visualize: --output and --scores: found one file, attention.png, expected two"},
        {{"report", "m", "p.tsv", "-o", "p.tsv"},
         "report: --output and p.tsv: found one file, p.tsv, expected two"},
        {{"predict", "m.npy", "--attention", "m.npy"},
         "predict: --attention and m.npy: found one file, m.npy, expected two"},
        {{"train", "--train", "p.tsv", "--set", "index-file=p.tsv"},
         "train: --set index-file and --train: found one file, p.tsv, expected two"},
    };
    char expected[160];
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        const char *argv[16] = {LOOKBACK};
        memcpy((void *)(argv + 1), (const void *)cases[i].words, sizeof cases[i].words);
        support_run_in_tempdir(argv, NULL, &result);
        snprintf(expected, sizeof expected, "lookback %s\n", cases[i].said);
        support_expect(&result, 2, "", expected);
    }
}
END_TEST

START_LOOP_TEST(test_command_called_by_a_link_goes_by_that_name, 2)
{
    char path[SUPPORT_PATH], expected[128];
    const char *link = links[_i];
    snprintf(path, sizeof path, BIN_DIR "/%s", link);
    RUN(path, "--help");
    ck_assert_int_eq(result.status, 0);
    snprintf(expected, sizeof expected, "usage: %s [OPTION]...", link);
    ck_assert_int_eq(strncmp(result.output, expected, strlen(expected)), 0);
    RUN(path, "--qqq");
    snprintf(expected, sizeof expected, "%s: unknown option --qqq; see %s --help\n", link, link);
    support_expect(&result, 2, "", expected);
}
END_TEST

START_LOOP_TEST(test_command_names_itself_as_it_was_called, COMMANDS)
{
    char expected[128];
    const char *name = commands[_i].name;
    RUN(LOOKBACK, name, "--qqq");
    snprintf(expected, sizeof expected, "lookback %s: unknown option --qqq; see lookback %s --help\n", name,
             name);
    support_expect(&result, 2, "", expected);
}
END_TEST

START_TEST(test_lookback_through_a_link_of_any_other_name_takes_commands)
{
    ck_assert_int_eq(symlink(LOOKBACK, support_path("lb")), 0);
    RUN(support_path("lb"), "inspect");
    support_expect(&result, 2, "", "lookback inspect: expected MODEL; see lookback inspect --help\n");
}
END_TEST

START_TEST(test_lookback_unknown_word_is_refused)
{
    RUN(LOOKBACK, "dance");
    support_expect(&result, 2, "", "lookback: unknown command \"dance\"; see lookback --help\n");
    RUN(LOOKBACK, "help", "dance");
    support_expect(&result, 2, "", "lookback: unknown command \"dance\"; see lookback --help\n");
    RUN(LOOKBACK, "--dance");
    support_expect(&result, 2, "",
                   "lookback: unknown option \"--dance\", expected a command before it: lookback COMMAND "
                   "--dance; see lookback --help\n");
    RUN(LOOKBACK, "");
    support_expect(&result, 2, "", "lookback: unknown command \"\"; see lookback --help\n");
    RUN(LOOKBACK, support_tempdir());
    ck_assert_ptr_nonnull(strstr(
        result.error, ", expected a command before the file, such as data or train; see lookback --help\n"));
}
END_TEST

START_TEST(test_lookback_misspelt_word_is_answered_with_the_likely_one)
{
    static const char *const words[][2] = {
        {"trian", "train"}, {"visualise", "visualize"}, {"eval", "evaluate"},   {"Predict", "predict"},
        {"hepl", "help"},   {"train-sort", NULL},       {"verison", "version"}, {"TRAIN", "train"}};
    for (size_t i = 0; SUPPORT_ROW(i, words); i++) {
        char hint[64] = "", expected[128];
        if (words[i][1]) snprintf(hint, sizeof hint, " (did you mean %s?)", words[i][1]);
        snprintf(expected, sizeof expected, "lookback: unknown command \"%s\"%s; see lookback --help\n",
                 words[i][0], hint);
        RUN(LOOKBACK, words[i][0]);
        support_expect(&result, 2, "", expected);
        RUN(LOOKBACK, "help", words[i][0]);
        support_expect(&result, 2, "", expected);
    }
    RUN(LOOKBACK, "--verison");
    support_expect(&result, 2, "",
                   "lookback: unknown option \"--verison\" (did you mean --version?); see lookback --help\n");
}
END_TEST

START_TEST(test_train_understands_the_names_of_the_notebooks)
{
    static const char *const names[][2] = {{"bahdanau", "additive"}, {"luong", "general"}};
    for (int i = 0; SUPPORT_ROW(i, names); i++) {
        char line[64];
        RUN(LOOKBACK, "train", "--attention", names[i][0], "--print-config");
        ck_assert_int_eq(result.status, 0);
        snprintf(line, sizeof line, "\n  \"attention\": \"%s\",\n", names[i][1]);
        ck_assert_ptr_nonnull(strstr(result.output, line));
    }
}
END_TEST

/* How often a text occurs in another. */
static int count(const char *text, const char *in)
{
    int found = 0;
    for (; (in = strstr(in, text)) != NULL; in += strlen(text)) found++;
    return found;
}

/* The runtime tells what it has read from the environment each time that it starts. */
static void start(const char *choice)
{
    const char *const argv[] = {LOOKBACK, "--version", NULL};
    const char *const environment[] = {"OMP_DISPLAY_ENV=verbose", "OMP_WAIT_POLICY", "KMP_BLOCKTIME", choice,
                                       NULL};
    support_command command = {.argv = argv, .environment = environment};
    support_run_as(&command, &result);
    ck_assert_int_eq(result.status, 0);
}

START_TEST(test_lookback_with_the_runtime_inside_starts_once_with_threads_that_sleep)
{
    if (!OPENMP_INSIDE) return;
    start("GOMP_SPINCOUNT");
    ck_assert_msg(count("BEGIN", result.error) == 1, "%s", result.error);
    ck_assert_msg(strstr(result.error, "GOMP_SPINCOUNT = '10000'") != NULL, "%s", result.error);
    start("GOMP_SPINCOUNT=77");
    ck_assert_msg(count("BEGIN", result.error) == 1, "%s", result.error);
    ck_assert_msg(strstr(result.error, "GOMP_SPINCOUNT = '77'") != NULL, "%s", result.error);
}
END_TEST

/* With a smaller one, it would end in SIGSEGV, somewhere. */
START_TEST(test_lookback_with_a_stack_of_128_kb_trains_and_with_less_says_so)
{
    static char script[] = "ulimit -s $1 && exec " LOOKBACK
                           " sort --quiet --steps 2 --hidden 40 --embed 24 --threads 2 --fresh --out \"$2\"";
    RUN("/bin/sh", "-c", script, "sh", "127", support_path("out"));
    support_expect(&result, 1, "", "lookback: found a stack of 127 kB (ulimit -s), expected at least 128\n");
    if (SUPPORT_SANITIZED) return;
    RUN("/bin/sh", "-c", script, "sh", "128", support_path("out"));
    ck_assert_msg(result.status == 0, "%d: %s", result.status, result.error);
}
END_TEST
