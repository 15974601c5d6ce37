/* Programs that mpirun starts: one result on any number of ranks, one message, and no rank that waits forever.
 * This test is too slow for sanitizers. Without MPI it says what it leaves out. */
#include "support/pair_program.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKBACK BIN_DIR "/lookback"
/* More ranks than processors, by root, in a container. MPICH asks for no such permission. */
static const char *const permission[] = {"OMPI_ALLOW_RUN_AS_ROOT=1",
                                         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                         "OMPI_MCA_rmaps_base_oversubscribe=1",
                                         "OMPI_MCA_btl_vader_single_copy_mechanism=none",
                                         "OMP_NUM_THREADS",
                                         NULL};

/* A model of a second. */
#define SORT                                                                                                 \
    "sort", "--max-number", "9", "--min-length", "1", "--max-length", "3", "--embed", "8", "--hidden", "16", \
        "--batch", "16", "--target", "0"
#define TRAIN                                                                                                \
    "train", "--train", "pairs.tsv", "--target-separator", " ", "--embed", "16", "--hidden", "24",           \
        "--dropout", "0.2", "--evaluate-every", "500", "--steps", "1500", "--batch", "24"

static support_result result;

static const char *mpirun(void)
{
    const char *chosen = getenv("LOOKBACK_MPIRUN");
    return chosen ? chosen : "mpirun";
}

static bool is_installed(const char *program)
{
    const char *argv[] = {"/bin/sh", "-c", "command -v \"$0\"", program, NULL};
    support_result_free(&result);
    return support_run(argv, NULL, &result) && result.status == 0;
}

/* Runs a program on so many ranks, or alone. */
static void run(int ranks, const char *program, int signal_after_ms, const char *const *arguments)
{
    char count[16];
    const char *argv[64] = {"/usr/bin/env", mpirun(), "-n", count, program};
    snprintf(count, sizeof count, "%d", ranks);
    const char **at = argv + 5;
    if (ranks == 0) {
        argv[0] = program;
        at = argv + 1;
    }
    while (*arguments) *at++ = *arguments++;
    *at = NULL;
    support_command command = {.argv = argv,
                               .directory = support_tempdir(),
                               .environment = permission,
                               .signal_after_ms = signal_after_ms,
                               .signal = SIGINT};
    support_result_free(&result);
    ck_assert(support_run_command(&command, &result));
    ck_assert(!result.timed_out);
}

#define RUN(ranks, ...)         run(ranks, LOOKBACK, 0, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_SCRIPT(ranks, ...)  run(ranks, "./script", 0, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_FOR(ranks, ms, ...) run(ranks, LOOKBACK, ms, (const char *const[]){__VA_ARGS__, NULL})

static void assert_done(void)
{
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.error);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

/* One line of ours, whatever mpirun itself says. */
static void assert_said_once(const char *text)
{
    ck_assert_msg(strstr(result.error, text) != NULL, "\"%s\" does not say \"%s\"", result.error, text);
    ck_assert_msg(count_of(result.error, text) == 1, "more than once: %s", result.error);
}

static void assert_one_message(int status, const char *text)
{
    ck_assert_msg(result.status == status, "status %d: %s", result.status, result.error);
    assert_said_once(text);
}

/* A script that is another program on rank 1. */
static void write_script(const char *on_rank_1)
{
    char path[SUPPORT_PATH], text[1024];
    snprintf(text, sizeof text,
             "#!/bin/sh\nif [ \"${OMPI_COMM_WORLD_RANK-$PMI_RANK}\" = 1 ]; then\n%s\nfi\nexec " LOOKBACK
             " \"$@\"\n",
             on_rank_1);
    support_write_file(support_path(path, "script"), text, strlen(text));
    ck_assert_int_eq(chmod(path, 0755), 0);
}

START_TEST(test_ranks_sort_has_the_same_file_on_any_number_of_ranks_and_threads)
{
    RUN(0, SORT, "--steps", "300", "--shards", "4", "--out", "alone");
    assert_done();
    char *alone = strdup(result.output);
    static const char *const threads[] = {"1", "3"};
    for (int ranks = 1; ranks <= 4; ranks *= 2) {
        RUN(ranks, SORT, "--steps", "300", "--shards", "4", "--threads", threads[ranks == 2], "--out",
            "ranks", "--fresh");
        assert_done();
        ck_assert_str_eq(result.output, alone);
        support_assert_same_files("alone/sort.safetensors", "ranks/sort.safetensors");
    }
    free(alone);
    RUN(0, SORT, "--steps", "300", "--out", "whole");
    assert_done();
    size_t count;
    char *whole = support_weights("whole/sort.safetensors", &count),
         *parts = support_weights("alone/sort.safetensors", &count);
    ck_assert_int_ne(memcmp(whole, parts, count), 0);
    free(whole);
    free(parts);
}
END_TEST

START_TEST(test_ranks_train_resumes_with_any_number_of_them)
{
    support_write_pairs("pairs.tsv", 300, 7);
    RUN(0, TRAIN, "--shards", "4", "--out", "alone");
    assert_done();
    static const int ranks[] = {4, 2, 1};
    for (int i = 0; i < 3; i++) {
        RUN_FOR(ranks[i], 1200, TRAIN, "--shards", "4", "--out", "ranks");
    }
    RUN(2, TRAIN, "--out", "ranks");
    assert_done();
    support_assert_same_weights("alone/model.safetensors", "ranks/model.safetensors");
}
END_TEST

START_TEST(test_ranks_without_shards_have_one_each_and_keep_them)
{
    RUN(2, SORT, "--steps", "60", "--out", "two");
    assert_done();
    RUN(0, SORT, "--steps", "60", "--shards", "2", "--out", "alone");
    assert_done();
    support_assert_same_weights("two/sort.safetensors", "alone/sort.safetensors");
    RUN(0, SORT, "--steps", "90", "--out", "two");
    assert_done();
    RUN(4, SORT, "--steps", "120", "--out", "two");
    assert_one_message(
        2, "lookback sort: cannot share 2 shards among 4 processes: expected 1, 2, 4, ... up to 2");
}
END_TEST

START_TEST(test_ranks_wrong_usage_is_one_message)
{
    RUN(4, SORT, "--batch", "x", "--out", "a");
    assert_one_message(2, "lookback sort: --batch: expected a whole number from 1 to 1048576, found \"x\"");
    RUN(3, SORT, "--shards", "4", "--out", "a");
    assert_one_message(2, "cannot share 4 shards among 3 processes");
    RUN(2, SORT, "--shards", "6", "--out", "a");
    assert_one_message(2, "shards: found 6, expected a power of two up to 1024");
    RUN(2, SORT, "--lr", "1e30", "--out", "a");
    assert_one_message(75, "lookback sort: training diverged: the loss of step 2 is not finite");
    support_write_text("file", "");
    RUN(2, SORT, "--out", "file/a");
    assert_one_message(74, "lookback sort: cannot write to file: Not a directory");
}
END_TEST

START_TEST(test_ranks_do_not_start_processes_of_their_own)
{
    support_write_pairs("pairs.tsv", 60, 7);
    support_write_text("sweep.json", "{\"seed\": [1, 2]}");
    RUN(2, TRAIN, "--sweep", "sweep.json", "--out", "a");
    assert_one_message(2, "--sweep trains in processes of its own: expected no mpirun, found 2 ranks");
    RUN(2, TRAIN, "--ensemble", "additive:2", "--out", "a");
    assert_one_message(2, "--ensemble trains in processes of its own: expected no mpirun, found 2 ranks");
    RUN(2, TRAIN, "--teacher", "a", "--dev", "pairs.tsv", "--out", "b");
    assert_one_message(2, "--teacher: expected no mpirun, found 2 ranks");
    RUN(1, TRAIN, "--steps", "20", "--sweep", "sweep.json", "--out", "c");
    assert_done();
}
END_TEST

START_TEST(test_ranks_share_out_several_models)
{
    support_write_pairs("pairs.tsv", 60, 7);
    RUN(0, TRAIN, "--steps", "60", "--seeds", "5", "--out", "alone");
    assert_done();
    char *alone = strdup(result.output);
    for (int ranks = 2; ranks <= 4; ranks++) {
        RUN(ranks, TRAIN, "--steps", "60", "--seeds", "5", "--out", "ranks", "--fresh");
        assert_done();
        ck_assert_str_eq(result.output, alone);
        support_assert_same_files("alone/model.safetensors", "ranks/model.safetensors");
        support_assert_same_files("alone/seed-4/model.safetensors", "ranks/seed-4/model.safetensors");
        ck_assert(support_exists("ranks/seed-5/training.png"));
    }
    RUN(2, TRAIN, "--steps", "60", "--seeds", "5", "--out", "ranks");
    assert_done();
    ck_assert_str_eq(result.output, alone);
    free(alone);
}
END_TEST

START_TEST(test_ranks_that_do_not_agree_are_named)
{
    write_script("exec " LOOKBACK " \"$@\" --seed 5");
    RUN_SCRIPT(4, SORT, "--steps", "50", "--out", "a");
    assert_one_message(2, "lookback sort: rank 1 on ");
    assert_one_message(2, ": found the hash of data and settings ");
    support_write_pairs("pairs.tsv", 100, 7);
    support_write_pairs("other.tsv", 100, 8);
    write_script("exec " LOOKBACK " \"$@\" --train other.tsv");
    RUN_SCRIPT(2, TRAIN, "--out", "b");
    assert_one_message(2, "lookback train: rank 1 on ");
}
END_TEST

START_TEST(test_ranks_that_fail_alone_end_all)
{
    write_script("exec " LOOKBACK " \"$@\" --hidden nothing");
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--out", "a");
    assert_one_message(2, "--hidden: expected a whole number from 1 to 65536, found \"nothing\"");
    ck_assert_ptr_nonnull(strstr(result.error, "lookback sort: rank 1 on "));
}
END_TEST

START_TEST(test_ranks_one_of_which_is_killed_leave_a_checkpoint)
{
    write_script("(sleep 2; kill -KILL $$) &");
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--shards", "2", "--out", "a");
    ck_assert_int_ne(result.status, 0);
    ck_assert(support_exists("a/checkpoint.safetensors"));
    RUN(0, "inspect", "a/sort.safetensors");
    assert_done();
    RUN_FOR(2, 1500, SORT, "--steps", "1000000", "--out", "a");
    ck_assert_ptr_nonnull(strstr(result.error, "interrupted at step "));
}
END_TEST

START_TEST(test_ranks_that_wait_too_long_name_the_one_that_hangs)
{
    setenv("LOOKBACK_MPI_PATIENCE", "2", 1);
    write_script("(sleep 2; kill -STOP $$) &");
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--shards", "2", "--out", "a");
    ck_assert_int_ne(result.status, 0);
    assert_said_once("lookback sort: rank 1 on ");
    assert_said_once(" has not answered for 2 s\n");
    ck_assert(support_exists("a/checkpoint.safetensors"));
}
END_TEST

START_TEST(test_ranks_interrupted_save_and_say_so_once)
{
    RUN_FOR(2, 1500, SORT, "--steps", "1000000", "--out", "a");
    assert_said_once("lookback sort: interrupted at step "); /* the status is that of mpirun, whichever */
    ck_assert_ptr_nonnull(strstr(result.error, "the same command resumes"));
    ck_assert(support_exists("a/checkpoint.safetensors"));
}
END_TEST

/* Instead of Slurm, its variables, and an srun that is mpirun. */
static void run_job(const char *script, const char *task, const char *const *arguments)
{
    char path[SUPPORT_PATH], srun[256], search[SUPPORT_PATH + 512], id[64];
    const char *argv[64] = {script};
    const char *environment[16];
    int count = 0;
    for (; permission[count]; count++) environment[count] = permission[count];
    snprintf(srun, sizeof srun, "#!/bin/sh\n[ \"$1\" = --mpi=pmix ] && shift && exec %s -n 2 \"$@\"\n",
             mpirun());
    support_write_file(support_path(path, "srun"), srun, strlen(srun));
    ck_assert_int_eq(chmod(path, 0755), 0);
    snprintf(search, sizeof search, "PATH=%s:" BIN_DIR ":%s", support_tempdir(), getenv("PATH"));
    snprintf(id, sizeof id, "SLURM_ARRAY_TASK_ID=%s", task);
    environment[count++] = search;
    environment[count++] = id;
    environment[count] = NULL;
    for (int i = 0; arguments[i]; i++) argv[i + 1] = arguments[i];
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = environment};
    support_result_free(&result);
    ck_assert(support_run_command(&command, &result));
}

#define RUN_JOB(script, task, ...)                                                                           \
    run_job(SOURCE_DIR "/examples/slurm/" script, task, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_scripts_for_slurm_train_and_their_models_join)
{
    support_write_pairs("pairs.tsv", 100, 7);
    RUN_JOB("ranks.sh", "", "--train", "pairs.tsv", "--steps", "40", "--hidden", "16", "--out", "ranks");
    assert_done();
    ck_assert_ptr_nonnull(strstr(result.error, "kept the model of step 40"));
    static const char *const tasks[] = {"1", "2"};
    for (int i = 0; i < 2; i++) {
        RUN_JOB("array.sh", tasks[i], "vote", "--train", "pairs.tsv", "--steps", "40", "--hidden", "16");
        assert_done();
    }
    RUN(0, "join", "vote/seed-1", "vote/seed-2", "--dev", "pairs.tsv", "-o", "vote");
    assert_done();
    ck_assert(support_exists("vote/model.safetensors"));
}
END_TEST

START_TEST(test_program_of_mpirun_without_its_library_says_so)
{
    const char *argv[] = {LOOKBACK, "sort", "--steps", "1", NULL};
    const char *const environment[] = {"PMI_SIZE=2", "LOOKBACK_MPI_LIBRARY", NULL};
    char copy[SUPPORT_PATH];
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = environment};
    size_t count;
    char *program = support_read_file(LOOKBACK, &count);
    support_write_file(support_path(copy, "lookback"), program, count);
    free(program);
    ck_assert_int_eq(chmod(copy, 0755), 0);
    argv[0] = copy;
    support_result_free(&result);
    ck_assert(support_run_command(&command, &result));
    ck_assert_int_eq(result.status, 66);
    ck_assert_msg(strstr(result.error, "lookback sort: started by mpirun, but cannot load MPI: ") != NULL,
                  "%s", result.error);
}
END_TEST

static int leave_out(const char *why)
{
    printf("left out: training on several ranks: %s\n", why);
    return support_run_tests("ranks", SUPPORT_TESTS(test_program_of_mpirun_without_its_library_says_so));
}

int main(void)
{
    if (!HAS_MPI) return leave_out("built without MPI");
    if (!is_installed(mpirun())) return leave_out("no mpirun");
    return support_run_tests(
        "ranks",
        SUPPORT_TESTS(
            test_ranks_sort_has_the_same_file_on_any_number_of_ranks_and_threads,
            test_ranks_train_resumes_with_any_number_of_them,
            test_ranks_without_shards_have_one_each_and_keep_them, test_ranks_wrong_usage_is_one_message,
            test_ranks_do_not_start_processes_of_their_own, test_ranks_share_out_several_models,
            test_ranks_that_do_not_agree_are_named, test_ranks_that_fail_alone_end_all,
            test_ranks_one_of_which_is_killed_leave_a_checkpoint,
            test_ranks_that_wait_too_long_name_the_one_that_hangs,
            test_scripts_for_slurm_train_and_their_models_join, test_ranks_interrupted_save_and_say_so_once,
            test_program_of_mpirun_without_its_library_says_so));
}
