/* Programs that mpirun starts: one result on any number of ranks, one message, and no rank that waits forever.
 * This test is too slow for sanitizers. Without MPI it says what it leaves out. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "support/pair_program.h"
#include "support/process.h"
#include "support/ranks.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/autograd.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKBACK BIN_DIR "/lookback"
#define SORT     SUPPORT_SORT_DIGITS
#define TRAIN    SUPPORT_TRAIN_PAIRS, "--evaluate-every", "50", "--steps", "400"

#define RUN        SUPPORT_RUN_RANKS
#define RUN_SCRIPT SUPPORT_RUN_RANKS_SCRIPT

START_TEST(test_ranks_sort_has_the_same_file_on_any_number_of_ranks_and_threads)
{
    RUN(0, SORT, "--steps", "200", "--set", "shards=8", "--out", "alone");
    support_assert_ranks_done();
    char *alone = strdup(support_ranks_result.output);
    static const char *const threads[] = {"1", "3"};
    for (int ranks = 1; ranks <= 8; ranks *= 2) {
        RUN(ranks, SORT, "--steps", "200", "--set", "shards=8", "--threads", threads[ranks == 2], "--out",
            "ranks", "--fresh");
        support_assert_ranks_done();
        ck_assert_str_eq(support_ranks_result.output, alone);
        support_assert_same_files("alone/sort.safetensors", "ranks/sort.safetensors");
    }
    free(alone);
    RUN(0, SORT, "--steps", "200", "--out", "whole");
    support_assert_ranks_done();
    size_t count;
    char *whole = support_weights("whole/sort.safetensors", &count),
         *parts = support_weights("alone/sort.safetensors", &count);
    ck_assert_int_ne(memcmp(whole, parts, count), 0);
    free(whole);
    free(parts);
}
END_TEST

START_TEST(test_ranks_train_the_same_model)
{
    static const char *const precisions[] = {"precision=float32", "precision=bfloat16"};
    support_write_pairs("pairs.tsv", 300, 7);
    support_write_pairs("dev.tsv", 40, 8);
    for (int i = 0; SUPPORT_ROW(i, precisions); i++) {
        if (i == LB_BFLOAT16 && lb_tape_set_precision(NULL, LB_BFLOAT16, NULL)) {
            support_skip("ranks in bfloat16", "this processor has no avx512_bf16");
            continue;
        }
        RUN(0, TRAIN, "--dev", "dev.tsv", "--steps", "100", "--set", "shards=4", "--set", precisions[i],
            "--out", "alone", "--fresh");
        support_assert_ranks_done();
        for (int ranks = 1; ranks <= 4; ranks *= 2) {
            RUN(ranks, TRAIN, "--dev", "dev.tsv", "--steps", "100", "--set", "shards=4", "--set",
                precisions[i], "--out", "ranks", "--fresh");
            support_assert_ranks_done();
            support_assert_same_files("alone/model.safetensors", "ranks/model.safetensors");
        }
    }
}
END_TEST

/* A run in "ranks" on so many, of which rank 1 is killed when the log gets so many lines. All end. */
static void run_until_killed(int ranks, int lines)
{
    char stop[128];
    snprintf(stop, sizeof stop, "write /log.jsonl %d " SUPPORT_SEND("KILL", "1"), lines);
    support_write_stops(stop, NULL);
    RUN_SCRIPT(ranks, TRAIN, "--set", "shards=4", "--out", "ranks");
    support_assert_ranks_failed();
}

static bool has_resumed(void)
{
    return strstr(support_ranks_result.error, "lookback train: resuming at step ") != NULL;
}

START_TEST(test_ranks_train_resumes_with_any_number_of_them)
{
    support_write_pairs("pairs.tsv", 300, 7);
    RUN(0, TRAIN, "--set", "shards=4", "--out", "alone");
    support_assert_ranks_done();
    run_until_killed(4, 2);
    ck_assert(!has_resumed());
    run_until_killed(2, 3);
    ck_assert(has_resumed());
    RUN(0, TRAIN, "--out", "ranks");
    support_assert_ranks_done();
    ck_assert(has_resumed());
    support_assert_same_weights("alone/model.safetensors", "ranks/model.safetensors");
}
END_TEST

START_TEST(test_ranks_without_shards_have_one_each_and_keep_them)
{
    RUN(2, SORT, "--steps", "60", "--out", "two");
    support_assert_ranks_done();
    RUN(0, SORT, "--steps", "60", "--set", "shards=2", "--out", "alone");
    support_assert_ranks_done();
    support_assert_same_weights("two/sort.safetensors", "alone/sort.safetensors");
    RUN(0, SORT, "--steps", "90", "--out", "two");
    support_assert_ranks_done();
    RUN(4, SORT, "--steps", "120", "--out", "two");
    support_assert_one_message(
        2, "lookback sort: cannot share 2 shards among 4 processes: expected 1, 2, 4, ... up to 2");
}
END_TEST

START_TEST(test_ranks_wrong_usage_is_one_message)
{
    RUN(4, SORT, "--batch", "x", "--out", "a");
    support_assert_one_message(
        2, "lookback sort: --batch: expected a whole number from 1 to 1048576, found \"x\"");
    RUN(3, SORT, "--set", "shards=4", "--out", "a");
    support_assert_one_message(2, "cannot share 4 shards among 3 processes");
    RUN(2, SORT, "--set", "shards=6", "--out", "a");
    support_assert_one_message(2, "shards: found 6, expected a power of two up to 1024");
    RUN(2, SORT, "--lr", "1e30", "--out", "a");
    support_assert_one_message(75, "lookback sort: training diverged: the loss of step 2 is not finite");
    support_write_text("file", "");
    RUN(2, SORT, "--out", "file/a");
    support_assert_one_message(74, "lookback sort: cannot write to file: Not a directory");
}
END_TEST

START_TEST(test_ranks_have_no_teacher)
{
    support_write_pairs("pairs.tsv", 60, 7);
    RUN(2, TRAIN, "--teacher", "a", "--dev", "pairs.tsv", "--out", "b");
    support_assert_one_message(2, "--teacher: expected no mpirun, found 2 ranks");
}
END_TEST

/* Their models could be on any number of machines: examples/slurm/array.sh. */
START_TEST(test_ranks_do_not_train_several_models)
{
    static const char *const several[][2] = {
        {"--seeds", "2"}, {"--sweep", "sweep.json"}, {"--ensemble", "additive:2"}};
    char text[256];
    support_write_pairs("pairs.tsv", 60, 7);
    support_write_text("sweep.json", "{\"seed\": [1, 2]}");
    for (size_t i = 0; SUPPORT_ROW(i, several); i++) {
        RUN(2, TRAIN, several[i][0], several[i][1], "--out", "a");
        snprintf(
            text, sizeof text,
            "lookback train: %s: expected no mpirun, found 2 ranks, which train one model together; start "
            "each training as a job of its own, and let lookback join make one model of them\n",
            several[i][0]);
        support_assert_one_message(2, text);
        ck_assert(!support_exists("a"));
    }
    /* A single rank, such as srun starts one, is a process like any other, and so are those that it starts. */
    RUN(1, TRAIN, "--sweep", "sweep.json", "--steps", "4", "--out", "a");
    support_assert_ranks_done();
    ck_assert(support_exists("a/seed=2/model.safetensors"));
}
END_TEST

/* What they have no common result for. A single rank is a process like any other. */
START_TEST(test_ranks_are_refused_by_commands_that_they_cannot_share)
{
    static const char *const commands[][4] = {
        {"predict", "a"},   {"evaluate", "a", "b"}, {"score", "a", "b"}, {"report", "a", "b"},
        {"visualize", "a"}, {"inspect", "a"},       {"join", "a", "b"},  {"compare"}};
    char text[256];
    for (size_t i = 0; SUPPORT_ROW(i, commands); i++) {
        support_run_ranks(2, LOOKBACK, NULL, commands[i]);
        snprintf(text, sizeof text,
                 "lookback %s: expected no mpirun, found 2 ranks: this command cannot share its work; to use "
                 "several processors, split the file or the list of kinds, and use xargs -P\n",
                 *commands[i]);
        support_assert_one_message(2, text);
    }
    RUN(2, "predict", "a", "--batch", "0");
    support_assert_one_message(2, "lookback predict: --batch: ");
    RUN(1, "inspect", "missing");
    support_assert_one_message(66, "lookback inspect: missing: ");
}
END_TEST

START_TEST(test_ranks_have_one_index_that_the_first_makes)
{
    support_write_pairs("pairs.tsv", 300, 7);
    RUN(0, TRAIN, "--steps", "60", "--set", "shards=4", "--set", "index=never", "--out", "alone");
    support_assert_ranks_done();
    for (int ranks = 4; ranks >= 2; ranks /= 2) {
        RUN(ranks, TRAIN, "--steps", "60", "--set", "shards=4", "--set", "index=always", "--out", "ranks",
            "--fresh");
        support_assert_ranks_done();
        ck_assert_int_eq(
            support_occurrences(support_ranks_result.error, "wrote the index pairs.tsv.index, 1 MB"),
            ranks == 4);
        support_assert_same_files("alone/model.safetensors", "ranks/model.safetensors");
    }
    support_write_text("pairs.tsv", "a\tb\nc\n");
    RUN(2, TRAIN, "--set", "index=always", "--out", "ranks");
    support_assert_one_message(65, "pairs.tsv:2: found 1 column, expected 2");
}
END_TEST

/* The private memory of rank 1, in KB, when it has trained on so many pairs with an index for a while. */
static int64_t memory_with(int pairs)
{
    size_t count;
    support_write_pairs("pairs.tsv", pairs, (unsigned)pairs);
    support_write_stops(
        "write /log.jsonl 1 sh grep RssAnon: /proc/$(cat pid-1)/status >memory; kill -KILL $(cat pid-1)",
        NULL);
    RUN_SCRIPT(2, TRAIN, "--dev", "few.tsv", "--set", "index=always", "--steps", "1000000", "--out", "ranks",
               "--fresh");
    support_assert_ranks_failed();
    char *memory = support_content("memory", &count);
    const int64_t kb = strtoll(memory + strlen("RssAnon:"), NULL, 10);
    free(memory);
    remove(support_path("ranks/log.jsonl"));
    return kb;
}

START_TEST(test_ranks_with_an_index_take_no_memory_for_more_pairs)
{
    support_write_pairs("few.tsv", 2000, 7);
    int64_t few = memory_with(2000), many = memory_with(200000);
    ck_assert_int_gt(few, 1000);
    ck_assert_msg(many < few + 4000, "%lld KB with few pairs, %lld KB with many", (long long)few,
                  (long long)many);
}
END_TEST

/* How many threads the last run had on each rank, as rank 0 says. */
static int threads_said(void)
{
    int threads = 0;
    const char *said = strstr(support_ranks_result.error, "loops for ");
    ck_assert_ptr_nonnull(said);
    ck_assert(sscanf(said, "loops for %*[^,], up to %d thread", &threads) == 1 ||
              sscanf(said, "loops for %*[^,], %d thread", &threads) == 1);
    return threads;
}

START_TEST(test_ranks_use_the_processors_that_they_may)
{
    cpu_set_t set;
    char first[16];
    size_t processor = 0;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(processor, &set)) processor++;
    snprintf(first, sizeof first, "%zu", processor);
    SUPPORT_RUN_RANKS_AS(0, "/usr/bin/taskset", "-c", first, LOOKBACK, SORT, "--steps", "1", "--out", "a");
    support_assert_ranks_done();
    ck_assert_int_eq(threads_said(), 1);
    RUN(0, SORT, "--steps", "1", "--out", "b");
    support_assert_ranks_done();
    const int all = threads_said();
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1); /* MPICH binds none anyway */
    RUN(2, SORT, "--steps", "1", "--out", "c");
    support_assert_ranks_done();
    ck_assert_int_eq(threads_said(), all > 1 ? all / 2 : 1);
}
END_TEST

START_TEST(test_ranks_with_another_file_or_format_do_not_take_the_index)
{
    support_write_pairs("pairs.tsv", 100, 7);
    support_write_pairs("other.tsv", 100, 8);
    support_write_rank_script("for word; do\nshift\ntest \"$word\" != pairs.tsv || word=other.tsv\n"
                              "set -- \"$@\" \"$word\"\ndone\nexec " LOOKBACK " \"$@\"");
    RUN_SCRIPT(2, TRAIN, "--set", "index=always", "--out", "a");
    support_assert_one_message(2, "lookback train: rank 1 on ");
    support_write_rank_script("exec " LOOKBACK " \"$@\" --source-separator ,");
    RUN_SCRIPT(2, TRAIN, "--set", "index=always", "--out", "a");
    support_assert_one_message(2, "lookback train: rank 1 on ");
    support_write_rank_script("rm -f pairs.tsv.index\nexec " LOOKBACK " \"$@\" --set index=never");
    RUN_SCRIPT(2, TRAIN, "--steps", "40", "--set", "index=always", "--out", "a");
    support_assert_ranks_done();
}
END_TEST

/* Instead of Slurm, its variables, and an srun that is mpirun. */
static void run_job(const char *script, const char *task, const char *const *arguments)
{
    char srun[256], search[SUPPORT_PATH + 512], id[64];
    const char *argv[64] = {script};
    const char *environment[16];
    int count = 0;
    for (; support_ranks_permission[count]; count++) environment[count] = support_ranks_permission[count];
    snprintf(srun, sizeof srun, "#!/bin/sh\n[ \"$1\" = --mpi=pmix ] && shift && exec %s -n 2 \"$@\"\n",
             support_mpirun());
    support_write_file(support_path("srun"), srun, strlen(srun));
    ck_assert_int_eq(chmod(support_path("srun"), 0755), 0);
    snprintf(search, sizeof search, "PATH=%s:" BIN_DIR ":%s", support_tempdir(), getenv("PATH"));
    snprintf(id, sizeof id, "SLURM_ARRAY_TASK_ID=%s", task);
    environment[count++] = search;
    environment[count++] = id;
    environment[count] = NULL;
    for (int i = 0; arguments[i]; i++) argv[i + 1] = arguments[i];
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = environment};
    support_run_as(&command, &support_ranks_result);
}

#define RUN_JOB(script, task, ...)                                                                           \
    run_job(SOURCE_DIR "/examples/slurm/" script, task, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_scripts_for_slurm_train_and_their_models_join)
{
    support_write_pairs("pairs.tsv", 100, 7);
    RUN_JOB("ranks.sh", "", "--train", "pairs.tsv", "--steps", "40", "--hidden", "16", "--out", "ranks");
    support_assert_ranks_done();
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "kept the model of step 40"));
    static const char *const tasks[] = {"1", "2"};
    for (int i = 0; i < 2; i++) {
        RUN_JOB("array.sh", tasks[i], "vote", "--train", "pairs.tsv", "--steps", "40", "--hidden", "16");
        support_assert_ranks_done();
    }
    RUN(0, "join", "vote/seed-1", "vote/seed-2", "--dev", "pairs.tsv", "-o", "vote");
    support_assert_ranks_done();
    ck_assert(support_exists("vote/model.safetensors"));
}
END_TEST

/* What another MPI says about a process that it has started. */
START_TEST(test_program_of_the_mpirun_of_another_mpi_says_so)
{
    const char *argv[] = {LOOKBACK, "sort", "--steps", "1", NULL};
    const bool is_mpich = strstr(support_mpirun(), "mpich") != NULL;
    const char *const environment[] = {is_mpich ? "OMPI_COMM_WORLD_SIZE=2" : "PMI_SIZE=2", NULL};
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = environment};
    support_run_as(&command, &support_ranks_result);
    support_assert_one_message(66, "lookback sort: mpirun started 2 processes that cannot reach each other: "
                                   "mpirun and lookback_mpi use different MPIs\n");
}
END_TEST

START_TEST(test_program_of_mpirun_without_its_library_says_so)
{
    const char *argv[] = {LOOKBACK, "sort", "--steps", "1", NULL};
    const char *const environment[] = {"PMI_SIZE=2", "LOOKBACK_MPI_LIBRARY", NULL};
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = environment};
    size_t count;
    char *program = support_read_file(LOOKBACK, &count);
    const char *copy = support_path("lookback");
    support_write_file(copy, program, count);
    free(program);
    ck_assert_int_eq(chmod(copy, 0755), 0);
    argv[0] = copy;
    support_run_as(&command, &support_ranks_result);
    ck_assert_int_eq(support_ranks_result.status, 66);
    ck_assert_msg(
        strstr(support_ranks_result.error, "lookback sort: started by mpirun, but cannot load MPI: ") != NULL,
        "%s", support_ranks_result.error);
}
END_TEST

static int leave_out(const char *why)
{
    support_skip("training on several ranks", why);
    return support_run_tests();
}

int main(void)
{
    const char *why = support_no_ranks();
    if (why) return leave_out(why);
    return support_run_tests();
}
