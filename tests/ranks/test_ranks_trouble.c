/* Ranks that differ, fail, die or hang: one message, a checkpoint, and no rank that waits forever.
 * This test is too slow for sanitizers. Without MPI it says what it leaves out. */
#include "base/instruction_set.h"
#include "support/pair_program.h"
#include "support/ranks.h"
#include "support/suite.h"
#include "tensor/gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"
#define SORT     SUPPORT_SORT_DIGITS
#define TRAIN    SUPPORT_TRAIN_PAIRS, "--evaluate-every", "100", "--steps", "300"

#define RUN        SUPPORT_RUN_RANKS
#define RUN_SCRIPT SUPPORT_RUN_RANKS_SCRIPT

START_TEST(test_ranks_that_do_not_agree_are_named)
{
    support_set_patience("2");
    support_write_rank_script("exec " LOOKBACK " \"$@\" --seed 5");
    RUN_SCRIPT(4, SORT, "--steps", "50", "--out", "a");
    support_assert_one_message(2, "lookback sort: rank 1 on ");
    support_assert_one_message(2, ": found the hash of data and settings ");
    support_write_pairs("pairs.tsv", 100, 7);
    support_write_pairs("other.tsv", 100, 8);
    support_write_rank_script("exec " LOOKBACK " \"$@\" --train other.tsv");
    RUN_SCRIPT(2, TRAIN, "--out", "b");
    support_assert_one_message(2, "lookback train: rank 1 on ");
}
END_TEST

START_TEST(test_ranks_with_other_commands_are_named)
{
    support_write_pairs("pairs.tsv", 100, 7);
    support_write_rank_script("exec " LOOKBACK " predict a pairs.tsv");
    RUN_SCRIPT(3, TRAIN, "--out", "a");
    support_assert_one_message(2, ": found the command predict, expected train as in rank 0\n");
    support_assert_said_once("rank 1 on ");
    ck_assert(!support_exists("a"));
}
END_TEST

/* As on another processor. */
START_TEST(test_ranks_with_other_instruction_sets_are_named)
{
    if (lb_instruction_set_widest() == LB_SET_BASE) {
        support_skip("ranks with other instruction sets", "this processor has no AVX2");
        return;
    }
    support_write_rank_script("LOOKBACK_ISA=baseline exec " LOOKBACK " \"$@\"");
    RUN_SCRIPT(2, SORT, "--steps", "20", "--out", "a");
    support_assert_one_message(2, "lookback sort: rank 1 on ");
    char said[128];
    lb_instruction_set here = lb_instruction_set_here();
    atomic_store(&lb_instruction_set_in_force, LB_SET_BASE); /* OpenBLAS may serve it on any processor */
    snprintf(said, sizeof said, ": found the kernel %s, expected ", lb_kernel_name());
    atomic_store(&lb_instruction_set_in_force, (int)here);
    support_assert_said_once(said);
    ck_assert(!support_exists("a/sort.safetensors"));
}
END_TEST

START_TEST(test_ranks_that_fail_alone_end_all)
{
    support_set_patience("2");
    support_write_rank_script("exec " LOOKBACK " \"$@\" --hidden nothing");
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--out", "a");
    support_assert_one_message(2, "--hidden: expected a whole number from 0 to 65536, found \"nothing\"");
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "lookback sort: rank 1 on "));
    support_write_script_of_rank(0, "exec " LOOKBACK " \"$@\" --hidden nothing");
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--out", "a");
    support_assert_one_message(2, "--hidden: expected a whole number from 0 to 65536, found \"nothing\"");
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "lookback sort: rank 0 on "));
}
END_TEST

/* Rank 0 keeps the files, and may not make one larger than 10 KB from its first evaluation on. */
START_TEST(test_ranks_whose_disk_is_full_name_the_first_and_resume)
{
    support_set_patience("2");
    support_write_pairs("pairs.tsv", 300, 7);
    support_write_stops("write /log.jsonl 1 sh prlimit --pid $PPID --fsize=10000", NULL);
    RUN_SCRIPT(2, TRAIN, "--set", "shards=2", "--out", "a");
    support_assert_one_message(74, "lookback train: rank 0 on ");
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "safetensors: cannot write: File too large\n"));
    RUN(2, TRAIN, "--out", "a");
    support_assert_ranks_done();
    support_assert_said_once("lookback train: resuming at step ");
}
END_TEST

START_TEST(test_ranks_whose_memory_is_full_are_named)
{
    support_set_patience("2");
    support_write_rank_script("ulimit -v 500000");
    RUN_SCRIPT(2, SORT, "--hidden", "1536", "--batch", "2", "--steps", "4", "--out", "a");
    support_assert_one_message(1, "lookback sort: rank 1 on ");
    support_assert_said_once(": out of memory");
}
END_TEST

#define AT_CHECKPOINT "rename /checkpoint.safetensors 1 "

START_TEST(test_ranks_one_of_which_is_killed_leave_a_checkpoint)
{
    support_write_stops(AT_CHECKPOINT SUPPORT_SEND("KILL", "1"), NULL);
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--set", "shards=2", "--out", "a");
    support_assert_ranks_failed();
    ck_assert(support_exists("a/checkpoint.safetensors"));
    RUN(0, "inspect", "a/sort.safetensors");
    support_assert_ranks_done();
    RUN(2, SORT, "--steps", "300", "--out", "a");
    support_assert_ranks_done();
    support_assert_said_once("lookback sort: resuming at step 250 of 300\n");
}
END_TEST

/* Rank 1 hangs. With four ranks, 0 and 3 wait for it, and 2 for 0. Those that wait answer each other. */
START_TEST(test_ranks_that_wait_too_long_name_the_one_that_hangs)
{
    support_set_patience("5");
    support_write_stops(AT_CHECKPOINT SUPPORT_SEND("STOP", "1"), NULL);
    for (int ranks = 2; ranks <= 4; ranks += 2) {
        RUN_SCRIPT(ranks, SORT, "--steps", "1000000", "--set", "shards=4", "--out", "a", "--fresh");
        support_assert_ranks_failed();
        support_assert_said_once(": rank 1 on ");
        support_assert_said_once(" has not answered for 5 s\n");
        ck_assert(support_exists("a/checkpoint.safetensors"));
    }
}
END_TEST

#define IN_TRAINING "clock 300 "

/* The status is that of mpirun, whichever. */
START_TEST(test_ranks_at_sigusr1_save_and_say_so_once)
{
    support_write_stops(IN_TRAINING SUPPORT_SEND("USR1", "mpirun"), NULL);
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--out", "a");
    support_assert_said_once("lookback sort: interrupted at step ");
    support_assert_said_once("the same command resumes");
    ck_assert(support_exists("a/checkpoint.safetensors"));
}
END_TEST

/* mpirun leaves its ranks a second to save, which is not always enough: what is saved before is kept. */
START_TEST(test_ranks_at_ctrl_c_end_and_resume)
{
    support_write_stops(AT_CHECKPOINT SUPPORT_SEND("INT", "mpirun"), NULL);
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--out", "a");
    ck_assert(support_exists("a/checkpoint.safetensors"));
    support_write_stops(IN_TRAINING SUPPORT_SEND("USR1", "mpirun"), NULL);
    RUN_SCRIPT(2, SORT, "--steps", "1000000", "--out", "a");
    support_assert_said_once("lookback sort: resuming at step ");
}
END_TEST

int main(void)
{
    const char *why = support_no_ranks();
    if (why) {
        support_skip("trouble of ranks", why);
        return 0;
    }
    return support_run_tests();
}
