/* train_sort from the user's view: what it prints, its files, and that it survives a kill. This is
 * too slow for sanitizers. */
#include "base/instruction_set.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "tensor/gemm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRAIN BIN_DIR "/train_sort"
/* A run of a second. */
#define SMALL                                                                                                \
    "--max-number", "9", "--min-length", "1", "--max-length", "3", "--embed", "8", "--hidden", "16",         \
        "--batch", "16", "--steps", "400"

#define RUN(...) SUPPORT_RUN(&support_ran, NULL, TRAIN, __VA_ARGS__)

START_TEST(test_train_sort_computes_with_the_instruction_set_that_is_asked_for)
{
    char said[128];
    lb_instruction_set here = lb_instruction_set_here();
    atomic_store(&lb_instruction_set_in_force, LB_SET_BASE); /* OpenBLAS may serve it on any processor */
    snprintf(said, sizeof said, "%s, loops for " LB_SET_BASE_NAME ", ", lb_kernel_name());
    atomic_store(&lb_instruction_set_in_force, (int)here);
    RUN(SMALL, "--steps", "2", "--isa", "baseline", "--out", "a");
    ck_assert_msg(support_ran.status == 0 && strstr(support_ran.error, said), "%s", support_ran.error);
    setenv(LB_SET_VARIABLE, "baseline", 1);
    RUN(SMALL, "--steps", "2", "--out", "b");
    ck_assert_msg(support_ran.status == 0 && strstr(support_ran.error, said), "%s", support_ran.error);
    setenv(LB_SET_VARIABLE, "none", 1);
    RUN(SMALL, "--steps", "2", "--out", "c");
    support_assert_refused(2, "LOOKBACK_ISA: found \"none\", expected ");
    ck_assert(!support_exists("c"));
    unsetenv(LB_SET_VARIABLE);
    if (lb_instruction_set_widest() == LB_SET_AVX512) return;
    RUN(SMALL, "--steps", "2", "--isa", "avx512", "--out", "c");
    support_assert_refused(2, "--isa: found avx512, but this processor has no more than ");
}
END_TEST

START_TEST(test_train_sort_small_task_learns_and_leaves_its_files)
{
    RUN(SMALL, "--target", "0.8", "--steps", "4000", "--out", "a");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    double share = 0;
    int end = 0;
    ck_assert_int_eq(
        sscanf(support_ran.output, "exact match %lf %% (greedy) on 2000 held-out lists\n%n", &share, &end),
        1);
    ck_assert_int_eq(end, (int)support_ran.output_length);
    ck_assert_double_ge(share, 80);
    ck_assert(support_exists("a/sort.safetensors") && support_exists("a/loss.png") &&
              support_exists("a/train.jsonl"));
    ck_assert_ptr_nonnull(strstr(support_ran.error, lb_kernel_name()));
    size_t count;
    char *log = support_content("a/train.jsonl", &count);
    ck_assert_int_eq(strncmp(log, "{\"step\":250,\"loss\":", 19), 0);
    ck_assert_int_eq(log[count - 1], '\n');
    free(log);
}
END_TEST

START_TEST(test_train_sort_takes_a_task_and_lengths_and_measures_other_ones)
{
    RUN("--task", "add", "--lengths", "1-2", "--test", "long=3-4", "--hidden", "16", "--steps", "20", "--out",
        "a");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    ck_assert_ptr_nonnull(strstr(support_ran.output, "held-out lists\n"));
    ck_assert_msg(strstr(support_ran.output, "test long") != NULL, "%s", support_ran.output);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "test long: exact match "));
    RUN("--task", "add", "--max-number", "99", "--out", "b");
    support_assert_refused(2, "found 99 as the largest number, expected 9");
    RUN("--task", "multiply", "--out", "b");
    support_assert_refused(2, "expected sort, reverse, copy or add");
    RUN("--lengths", "5-", "--out", "b");
    support_assert_refused(2, "--lengths: found \"5-\", expected lengths of lists, such as 5-10");
    RUN("--test", "long", "--out", "b");
    support_assert_refused(2, "NAME=LENGTHS");
    RUN("--test", "long=many", "--out", "b");
    support_assert_refused(2, "test long: found \"many\", expected lengths of lists, such as 5-10");
}
END_TEST

START_TEST(test_train_sort_any_number_of_threads_gives_the_same_bits)
{
    RUN(SMALL, "--target", "0", "--threads", "1", "--out", "one");
    RUN(SMALL, "--target", "0", "--threads", "2", "--out", "two");
    RUN(SMALL, "--target", "0", "--threads", "3", "--out", "three");
    support_assert_same_files("one/sort.safetensors", "two/sort.safetensors");
    support_assert_same_files("one/sort.safetensors", "three/sort.safetensors");
}
END_TEST

START_TEST(test_train_sort_number_of_threads_is_that_of_the_environment_unless_given)
{
    static const char *const three[] = {"OMP_NUM_THREADS=3", NULL};
    const char *argv[] = {TRAIN, "--max-number", "5", "--steps", "1", "--fresh", "--threads", "0", NULL};
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = three};
    ck_assert(support_run_command(&command, &support_ran));
    ck_assert_msg(strstr(support_ran.error, ", up to 3 threads\n") != NULL, "%s", support_ran.error);
    support_result_free(&support_ran);
    argv[7] = "1";
    ck_assert(support_run_command(&command, &support_ran));
    ck_assert_msg(strstr(support_ran.error, ", 1 thread\n") != NULL, "%s", support_ran.error);
}
END_TEST

START_TEST(test_train_sort_another_seed_gives_other_weights)
{
    RUN(SMALL, "--target", "0", "--seed", "1", "--out", "one");
    RUN(SMALL, "--target", "0", "--seed", "2", "--out", "two");
    size_t count_a, count_b;
    char *a = support_weights("one/sort.safetensors", &count_a),
         *b = support_weights("two/sort.safetensors", &count_b);
    ck_assert_int_ne(memcmp(a, b, count_a), 0);
    free(a);
    free(b);
}
END_TEST

START_TEST(test_train_sort_killed_again_and_again_ends_with_the_same_bits)
{
    RUN(SMALL, "--target", "0", "--steps", "3000", "--out", "whole");
    ck_assert_int_eq(support_ran.status, 0);
    const char *argv[] = {TRAIN, SMALL, "--target", "0", "--steps", "3000", "--out", "killed", NULL};
    support_command command = {.argv = argv, .directory = support_tempdir(), .stop = "clock 777 KILL"};
    support_run_as(&command, &support_ran);
    ck_assert_int_eq(support_ran.status, 128 + SIGKILL);
    ck_assert_int_gt(support_kill_until_done(command, &support_ran), 10);
    support_assert_same_files("whole/sort.safetensors", "killed/sort.safetensors");
    size_t count;
    char *log = support_content("killed/train.jsonl", &count);
    int lines = 0;
    for (size_t i = 0; i < count; i++) lines += log[i] == '\n';
    ck_assert_int_eq(lines, 12);
    free(log);
}
END_TEST

START_TEST(test_train_sort_finished_run_repeats_its_result_without_training)
{
    RUN(SMALL, "--target", "0", "--out", "a");
    char *first = strdup(support_ran.output);
    RUN(SMALL, "--target", "0", "--out", "a");
    ck_assert_int_eq(support_ran.status, 0);
    ck_assert_str_eq(support_ran.output, first);
    free(first);
}
END_TEST

START_TEST(test_train_sort_checkpoint_of_another_run_is_refused_and_fresh_replaces_it)
{
    RUN(SMALL, "--out", "a");
    size_t before;
    char *old = support_content("a/checkpoint.safetensors", &before);
    RUN(SMALL, "--lr", "0.004", "--out", "a");
    support_assert_refused(
        65, "cannot resume from a/checkpoint.safetensors: it was trained with --lr 0.005, this run has --lr "
            "0.004; --fresh starts over, or choose another --out\n");
    ck_assert_ptr_nonnull(strstr(support_ran.error, "--fresh"));
    support_assert_content("a/checkpoint.safetensors", old, before);
    RUN(SMALL, "--lr", "0.004", "--out", "a", "--fresh");
    ck_assert_int_eq(support_ran.status, 0);
}
END_TEST

START_TEST(test_train_sort_damaged_checkpoint_is_refused)
{
    RUN(SMALL, "--out", "a");
    size_t count;
    char *bytes = support_content("a/checkpoint.safetensors", &count);
    support_write_file(support_path("a/checkpoint.safetensors"), bytes, count / 2);
    RUN(SMALL, "--out", "a");
    support_assert_refused(65, "a/checkpoint.safetensors");
    bytes[count - 100] ^= 4;
    support_write_file(support_path("a/checkpoint.safetensors"), bytes, count);
    RUN(SMALL, "--out", "a");
    support_assert_refused(65, "a/checkpoint.safetensors");
    free(bytes);
}
END_TEST

START_TEST(test_train_sort_divergence_is_status_75_and_the_last_good_checkpoint_stays)
{
    RUN(SMALL, "--target", "0", "--out", "a");
    size_t before;
    char *good = support_content("a/checkpoint.safetensors", &before);
    RUN(SMALL, "--lr", "1e30", "--out", "a", "--fresh");
    support_assert_refused(75, "diverged");
    support_assert_content("a/checkpoint.safetensors", good, before);
}
END_TEST

static const struct {
    const char *flags[8];
    int status;
    const char *message;
} wrong[] = {
    {{"--no-such-flag"}, 2, "--no-such-flag"},
    {{"--hidden", "-1"}, 2, "--hidden"},
    {{"--batch", "abc"}, 2, "abc"},
    {{"--attention", "sideways"}, 2, "sideways"},
    {{"--min-length", "9", "--max-length", "3"}, 2, "9 to 3"},
    {{"--max-number", "0", "--min-length", "1", "--max-length", "1"}, 2, "too few"},
    {{"operand"}, 2, "operand"},
    {{"--out", "/proc/nothing/here"}, 74, "/proc/nothing"},
    {{"--out", ""}, 2, "--out: expected DIR, found \"\""},
};

START_LOOP_TEST(test_train_sort_wrong_usage_is_one_clear_line, sizeof wrong / sizeof *wrong)
{
    const char *argv[16] = {TRAIN};
    memcpy((void *)(argv + 1), (const void *)wrong[_i].flags, sizeof wrong[_i].flags);
    support_run_in_tempdir(argv, NULL, &support_ran);
    support_assert_refused(wrong[_i].status, wrong[_i].message);
    ck_assert_ptr_eq(strchr(support_ran.error, '\n'), support_ran.error + support_ran.error_length - 1);
    ck_assert_int_eq(strncmp(support_ran.error, "train_sort: ", 12), 0);
}
END_TEST

START_TEST(test_train_sort_disk_full_while_saving_is_status_74_and_the_old_checkpoint_stays)
{
    RUN(SMALL, "--target", "0", "--out", "a");
    size_t before;
    char *old = support_content("a/checkpoint.safetensors", &before);
    /* ulimit -f counts blocks of 512 bytes: fewer than a model has, which is saved before its checkpoint. */
    const char *argv[] = {
        "/bin/sh", "-c", "ulimit -f 20; exec \"$@\"", "sh", TRAIN, SMALL, "--target", "0", "--fresh", "--out",
        "a",       NULL};
    support_run_in_tempdir(argv, NULL, &support_ran);
    support_assert_refused(74, "a/sort.safetensors");
    support_assert_content("a/checkpoint.safetensors", old, before);
    ck_assert_uint_eq(support_match_count("a/*.tmp*"), 0);
}
END_TEST

START_TEST(test_train_sort_one_number_lists_and_layers_work)
{
    RUN("--max-number", "99", "--min-length", "1", "--max-length", "1", "--embed", "4", "--hidden", "8",
        "--steps", "20", "--out", "one", "--layers", "2", "--bidirectional");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    RUN("--max-number", "30", "--min-length", "300", "--max-length", "300", "--embed", "4", "--hidden", "8",
        "--steps", "2", "--batch", "3", "--out", "long", "--attention", "none");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
}
END_TEST

START_TEST(test_train_sort_transformer_learns_and_impossible_ones_are_refused)
{
    RUN("--model", "transformer", "--max-number", "9", "--min-length", "1", "--max-length", "3", "--hidden",
        "16", "--heads", "2", "--lr", "0.01", "--batch", "16", "--steps", "1000", "--target", "0.5", "--out",
        "t");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    double share = 0;
    ck_assert_int_eq(sscanf(support_ran.output, "exact match %lf", &share), 1);
    ck_assert_double_ge(share, 50);
    RUN("--model", "transformer", "--attention", "dot", "--out", "t");
    support_assert_refused(2, "--attention are options of --model seq2seq, not of transformer");
    RUN("--set", "window=3", "--out", "t");
    support_assert_refused(
        2, "window is an option of a transformer and of local-m, local-p and location attention, "
           "not of multi-head");
    RUN("--set", "softcap=3", "--out", "t");
    support_assert_refused(
        2, "--set softcap and --set embedding-scale are options of --model transformer, not of seq2seq");
    RUN("--model", "transformer", "--heads", "3", "--out", "u");
    support_assert_refused(2, "cannot divide a width of 128 into 3 heads");
}
END_TEST
