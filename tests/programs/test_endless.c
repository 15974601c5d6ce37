/* Every reader comes to its end, whatever it is given: a device, a pipe that never ends, or a pipe without a writer in
 * the place of a file that we name. A reader that does not would hang here. It limits addresses, of which
 * sanitizers need many, and is too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL  "train --threads 1 --embed 8 --hidden 8 --steps 2 --evaluate-every 1 --out out "
#define LENGTH 1024

/* Runs lookback with the words of a command, with standard input from another one. A reader without a limit finds no
 * memory before the machine is short of it. */
static void run(const char *input, const char *words)
{
    char command[LENGTH];
    snprintf(command, sizeof command, "ulimit -v 6000000; %s | %s/lookback %s", input, BIN_DIR, words);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", command);
}

static void make_model(void)
{
    support_write_pairs("train.tsv", 60, 1);
    run("true", SMALL "--train train.tsv");
    support_assert_trained();
}

static void make_pipe(const char *name)
{
    const char *path = support_path(name);
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0666), 0);
}

/* "%s" is the file without an end. */
static const char *const readers[] = {
    "inspect %s",
    "predict %s train.tsv",
    "evaluate %s train.tsv",
    "score %s train.tsv",
    "report %s train.tsv",
    "report out train.tsv --engine %s",
    "visualize %s --input ab -o v.png",
    "visualize --matrix %s -o v.png",
    "visualize out --input ab --compare %s -o v.png",
    "visualize out --input ab --font %s -o v.png",
    "join %s out -o joined",
    "join out %s -o joined",
    "join out out --dev %s -o joined",
    "sort --from %s",
    SMALL "--train %s",
    SMALL "--train %s --skip-bad-lines",
    SMALL "--train train.tsv --dev %s",
    SMALL "--train train.tsv --out other --from %s",
    SMALL "--train train.tsv --out other --no-hold-out --teacher %s",
    SMALL "--train train.tsv --out other --no-hold-out --teacher out --unlabelled %s",
    SMALL "--train train.tsv --config %s",
    SMALL "--train train.tsv --sweep %s"};

/* They answer each line, and need no end: only one line has one. */
static const char *const streams[] = {"predict out %s --skip-bad-lines", "evaluate out %s --skip-bad-lines",
                                      "evaluate train.tsv --predictions %s --skip-bad-lines",
                                      "score out %s --skip-bad-lines", "report out %s --skip-bad-lines"};

static void assert_ends(const char *input, const char *reader, const char *path)
{
    char words[LENGTH];
    snprintf(words, sizeof words, reader, path);
    run(input, words);
    int status = support_ran.status;
    const char *said = support_ran.error;
    ck_assert_msg(status == 65 || status == 66, "%s | %s: %d, %s", input, words, status, said);
    ck_assert_msg(strstr(said, path) != NULL, "%s: %s", words, said);
}

START_TEST(test_reader_of_a_device_without_an_end_ends)
{
    make_model();
    for (size_t i = 0; SUPPORT_ROW(i, readers); i++) assert_ends("true", readers[i], "/dev/zero");
    for (size_t i = 0; SUPPORT_ROW(i, streams); i++) assert_ends("true", streams[i], "/dev/zero");
}
END_TEST

START_TEST(test_reader_of_a_pipe_without_an_end_ends)
{
    make_model();
    for (size_t i = 0; SUPPORT_ROW(i, readers); i++) assert_ends("yes", readers[i], "/dev/stdin");
}
END_TEST

/* Nobody writes to these pipes: to open one would wait for ever. */
START_TEST(test_file_of_ours_that_is_a_pipe_is_an_error)
{
    static const struct {
        const char *name, *words, *said;
        int status;
    } cases[] = {
        {"out/film.jsonl", "report out train.tsv", "out/film.jsonl: cannot read: not a regular file", 66},
        {"out/checkpoint.safetensors", SMALL "--train train.tsv --steps 4",
         "out/checkpoint.safetensors: cannot read: not a regular file", 66},
        {"out/model.safetensors", "inspect out", "out/model.safetensors: cannot read: not a regular file",
         66},
        {"out/model.safetensors", "predict out train.tsv",
         "out/model.safetensors: cannot read: not a regular file", 66},
        {"train.tsv.index", SMALL "--train train.tsv --set index=always --out other",
         "train.tsv.index: cannot write: not a regular file", 0},
    };
    make_model();
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        make_pipe(cases[i].name);
        run("true", cases[i].words);
        const char *error = support_ran.error;
        ck_assert_msg(support_ran.status == cases[i].status, "%s: %s", cases[i].words, error);
        ck_assert_msg(strstr(error, cases[i].said) != NULL, "%s: %s", cases[i].words, error);
    }
}
END_TEST
