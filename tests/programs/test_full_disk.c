/* A disk that is full ends each command with 74, and a last line that names the file and the reason. A limit on the
 * size of files is as good as a full disk. It takes seconds, and is too slow for sanitizers, which write files. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1024 };

#define SMALL "--threads 1 --embed 8 --hidden 8 --steps 2 --evaluate-every 1 "

/* Runs lookback with the words of a command; no file gets more than so many blocks of 512 bytes. */
static void run(int blocks, const char *before, const char *words)
{
    char command[LENGTH];
    snprintf(command, sizeof command, "TMPDIR=.; export TMPDIR; ulimit -f %d; %s %s/lookback %s", blocks,
             before, BIN_DIR, words);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", command);
}

/* The last line of a message, without its end. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
    const char *end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

static void assert_last(int status, const char *file, const char *reason)
{
    const char *said = last_line(support_ran.error);
    ck_assert_msg(support_ran.status == status, "status %d: %s", support_ran.status, said);
    ck_assert_msg(strstr(said, file) != NULL, "\"%s\" does not name %s", said, file);
    ck_assert_msg(strstr(said, reason) != NULL, "\"%s\" does not say \"%s\"", said, reason);
}

static void make_model(void)
{
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 20, 2);
    support_write_text("texts", "abc\nde\n");
    support_write_text("sweep.json", "{\"seed\": [1, 2]}");
    run(99999, "", "train train.tsv --dev dev.tsv --lexicon-from-train " SMALL "--out out");
    support_assert_trained();
    run(99999, "", "train train.tsv --dev dev.tsv --no-bidirectional " SMALL "--out plain");
    support_assert_trained();
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", "gzip -c train.tsv >train.tsv.gz");
    ck_assert_int_eq(support_ran.status, 0);
}

#define TRAIN "train train.tsv --dev dev.tsv --out new " SMALL

/* What is written, and with which file it ends. */
static const struct {
    const char *words, *file;
} writers[] = {
    {TRAIN, "new/checkpoint.safetensors: cannot write"},
    {TRAIN "--from plain --no-bidirectional", "new/checkpoint.safetensors: cannot write"},
    {TRAIN "--seeds 2", "new/seed-1/checkpoint.safetensors: cannot write"},
    {TRAIN "--sweep sweep.json", ": 2 of 2 trainings failed: new/seed="},
    {TRAIN "--ensemble 2", ": 2 of 2 trainings failed: new/model-"},
    {"compare train.tsv --dev dev.tsv --kinds none,additive --out new " SMALL,
     ": 2 of 2 trainings failed: new/"},
    {"compare --quick --kinds none,additive --max-length 4 --out new --threads 1 --hidden 8 --steps 2",
     ": 2 of 2 trainings failed: new/"},
    {"sort --max-number 5 --max-length 3 --out new " SMALL, "new/checkpoint.safetensors: cannot write"},
    {"join plain plain --out new --threads 1", "new/model.safetensors: cannot write"},
    {"export plain -o m.c", "m.h: cannot write"},
    {"export out -o m.c", "/g2p.h: cannot write"},
    {"export plain -o m.onnx", "m.encoder.onnx: cannot write"},
    {"report plain dev.tsv --threads 1", "report.html: cannot write"},
    {"visualize plain --input abc -o map.png", "map.png: cannot write"},
    {"visualize plain --input abc -o map.svg", "map.svg: cannot write"},
    {"visualize plain --input abc -o map.pdf", "map.pdf: cannot write"},
    {"visualize plain --input abc --scores map.png", "png: cannot write"},
    {"predict plain texts -o predicted.tsv", "predicted.tsv: cannot write"},
    {"predict plain texts --attention where.jsonl", "where.jsonl: cannot write"},
    {"predict plain texts >standard", "cannot write standard output"},
    {"evaluate plain dev.tsv >standard", "cannot write standard output"},
    {"score plain dev.tsv >standard", "cannot write standard output"},
    {"inspect plain >standard", "cannot write standard output"},
    {"data train.tsv >standard", "cannot write standard output"},
    {"data train.tsv -o lengths.png", "lengths.png: cannot write"},
    {"train --help --all >standard", "cannot write standard output"},
    {"data train.tsv.gz", "train.tsv.gz: cannot copy to ."},
    {"evaluate plain train.tsv.gz", "train.tsv.gz: cannot copy to ."},
    {"train train.tsv.gz --dev dev.tsv --out new " SMALL, "train.tsv.gz: cannot copy to ."},
};
enum { WRITERS = sizeof writers / sizeof *writers };

START_TEST(test_a_full_disk_has_one_status_and_a_last_line_with_file_and_reason)
{
    make_model();
    for (int i = 0; i < WRITERS; i++) {
        run(0, "", writers[i].words);
        assert_last(74, writers[i].file, ": File too large");
        SUPPORT_RUN(&support_ran, NULL, "/bin/rm", "-rf", "new", "standard");
    }
}
END_TEST

/* The log of a training may lack the reason for its end, and has it if there is room. */
START_TEST(test_trainings_side_by_side_say_why_they_failed_in_the_log_or_in_the_last_line)
{
    size_t count;
    make_model();
    run(0, "", TRAIN "--sweep sweep.json");
    assert_last(74, "new/seed=1/", ": File too large; the same command tries them again");
    char *log = support_content("new/seed=1/train.log", &count);
    ck_assert_str_eq(log, "");
    free(log);
    run(4, "", TRAIN "--sweep sweep.json");
    assert_last(74, "new/seed=1/", ": File too large; the same command tries them again");
    log = support_content("new/seed=1/train.log", &count);
    ck_assert_ptr_nonnull(strstr(log, "safetensors: cannot write: File too large\n"));
    free(log);
}
END_TEST

START_TEST(test_export_without_room_for_a_compiler_does_not_blame_it)
{
    make_model();
    support_write_text(
        "compiler", "echo 'run.c: fatal error: error writing to a.s: No space left on device' >&2; exit 1");
    run(99999, "CC='sh ../compiler'", "export out -o m.c");
    assert_last(74, "out/model.safetensors: ./lookback-", ": cannot write: No space left on device");
    support_write_text("compiler", "echo 'cannot find -lm: Too many open files' >&2; exit 1");
    run(99999, "CC='sh ../compiler'", "export out -o m.c");
    assert_last(66, "out/model.safetensors: ", "cannot run a compiler: Too many open files");
    run(99999, "ulimit -n 9;", "export out -o m.c");
    assert_last(66, "out/model.safetensors: ", "cannot run a compiler: Too many open files");
    run(99999, "CC=false", "export out -o m.c");
    assert_last(65, "out/model.safetensors: ", "could not be compiled or run on this machine");
    ck_assert_uint_eq(support_match_count("lookback-*"), 0);
    run(99999, "mkdir \"it's\"; TMPDIR=\"./it's\"", "export out -o m.c");
    support_assert_trained();
}
END_TEST
