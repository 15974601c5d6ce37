/* Many trainings under mpirun: --seeds, --sweep, --ensemble and compare are shared out among the ranks, and make the files
 * that they make alone. This test is too slow for sanitizers. Without MPI it says what it leaves out. */
#include "io/lock.h"
#include "support/pair_program.h"
#include "support/ranks.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/tensor.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN        SUPPORT_RUN_RANKS
#define RUN_SCRIPT SUPPORT_RUN_RANKS_SCRIPT

/* A model of a moment. */
#define TRAIN    SUPPORT_TRAIN_PAIRS, "--evaluate-every", "30", "--steps", "60"
#define SWEEP    TRAIN, "--sweep", "sweep.json"
#define ENSEMBLE TRAIN, "--ensemble", "additive:2,backward:1,transformer:1"
#define COMPARE                                                                                              \
    "compare", "--kinds", "none,additive,dot,transformer", "--max-number", "9", "--min-length", "2",         \
        "--max-length", "3", "--hidden", "8", "--batch", "8"
/* Any of these trains for minutes. */
#define LONG "--steps", "1000000", "--patience", "0", "--evaluate-every", "100"

static const char *const trainings[] = {"hidden=16,seed=1", "hidden=16,seed=2", "hidden=16,seed=3",
                                        "hidden=24,seed=1", "hidden=24,seed=2", "hidden=24,seed=3"};
enum { TRAININGS = sizeof trainings / sizeof *trainings };

static const char *const members[] = {"additive-1", "additive-2", "backward-3", "transformer-4"};
static const char *const kinds[] = {"none", "additive", "dot", "transformer"};

static void write_inputs(void)
{
    support_write_pairs("pairs.tsv", 60, 7);
    support_write_text("sweep.json", "{\"hidden\": [16, 24], \"seed\": [1, 2, 3]}");
}

/* A text file without what differs from run to run: the seconds, in the fifth column of a table or after their name. */
static char *content_without_seconds(const char *name)
{
    size_t count;
    char *text = support_content(name, &count);
    ck_assert_msg(text != NULL, "no %s", name);
    int column = 0;
    for (char *at = text; *at; at++) {
        column = *at == '\n' ? 0 : column + (*at == '\t');
        if (column == 4 && *at != '\t') *at = '-';
    }
    for (char *at = text; (at = strstr(at, "\"seconds\":")) != NULL;)
        for (at += strlen("\"seconds\":"); isdigit((unsigned char)*at) || *at == '.'; at++) *at = '-';
    return text;
}

static void assert_same_but_for_seconds(const char *a, const char *b)
{
    char *text_a = content_without_seconds(a), *text_b = content_without_seconds(b);
    /* The time of a short training may have one digit more. */
    for (char *text = text_a; text; text = text == text_a ? text_b : NULL) {
        char *to = text;
        for (char *at = text; *at; at++)
            if (*at != '-' || at[1] != '-') *to++ = *at;
        *to = '\0';
    }
    ck_assert_str_eq(text_a, text_b);
    free(text_a);
    free(text_b);
}

/* These files of two folders, such as out/NAME/model.safetensors, are equal. */
static void assert_same_models(const char *a, const char *b, const char *const *names, int count,
                               const char *end)
{
    for (int i = 0; i < count; i++) {
        char path_a[128], path_b[128];
        snprintf(path_a, sizeof path_a, "%s/%s%s", a, names[i], end);
        snprintf(path_b, sizeof path_b, "%s/%s%s", b, names[i], end);
        support_assert_same_files(path_a, path_b);
    }
}

#define ASSERT_SAME_MODELS(a, b, names, end)                                                                 \
    assert_same_models(a, b, names, (int)(sizeof(names) / sizeof *(names)), end)

/* How often the log of a training in a folder has this text. */
static int count_in_log(const char *folder, int training, const char *text)
{
    char name[128];
    size_t count;
    snprintf(name, sizeof name, "%s/%s/train.log", folder, trainings[training]);
    if (!support_exists(name)) return 0;
    char *log = support_content(name, &count);
    int found = support_occurrences(log, text);
    free(log);
    return found;
}

static int count_in_logs(const char *folder, const char *text)
{
    int found = 0;
    for (int i = 0; i < TRAININGS; i++) found += count_in_log(folder, i, text);
    return found;
}

START_TEST(test_ranks_share_out_seeds)
{
    write_inputs();
    RUN(0, TRAIN, "--seeds", "5", "--out", "alone");
    support_assert_ranks_done();
    char *alone = strdup(support_ranks_result.output);
    for (int ranks = 2; ranks <= 4; ranks++) {
        RUN(ranks, TRAIN, "--seeds", "5", "--out", "ranks", "--fresh");
        support_assert_ranks_done();
        ck_assert_str_eq(support_ranks_result.output, alone);
        support_assert_same_files("alone/model.safetensors", "ranks/model.safetensors");
        support_assert_same_files("alone/seed-4/model.safetensors", "ranks/seed-4/model.safetensors");
        ck_assert(support_exists("ranks/seed-5/training.png"));
        ck_assert_int_eq(support_occurrences(support_ranks_result.error, ": kept the model of step "), 5);
    }
    RUN(2, TRAIN, "--seeds", "5", "--out", "ranks");
    support_assert_ranks_done();
    ck_assert_str_eq(support_ranks_result.output, alone);
    free(alone);
}
END_TEST

START_TEST(test_ranks_share_out_a_sweep)
{
    write_inputs();
    RUN(0, SWEEP, "--out", "alone");
    support_assert_ranks_done();
    for (int ranks = 1; ranks <= 3; ranks++) {
        RUN(ranks, SWEEP, "--fresh", "--out", "ranks");
        support_assert_ranks_done();
        ck_assert_int_eq(support_occurrences(support_ranks_result.output, "exact match  symbol error"), 1);
        support_assert_said_once("lookback train: 6 trainings in ranks\n");
        support_assert_said_once("lookback train: [6/6] ");
        support_assert_said_once("lookback train: ranks/model.safetensors is the model of ");
        assert_same_but_for_seconds("alone/sweep.tsv", "ranks/sweep.tsv");
        support_assert_same_files("alone/model.safetensors", "ranks/model.safetensors");
        ASSERT_SAME_MODELS("alone", "ranks", trainings, "/model.safetensors");
        ck_assert(!support_exists("ranks/.work"));
        ck_assert(!support_exists("ranks/.lock"));
    }
}
END_TEST

START_TEST(test_ranks_of_a_sweep_train_each_model_once_and_all_work)
{
    write_inputs();
    RUN(2, SWEEP, "--threads", "1", "--out", "ranks");
    support_assert_ranks_done();
    const char *said = support_ranks_result.error;
    int by_0 = support_occurrences(said, "(rank 0)\n"), by_1 = support_occurrences(said, "(rank 1)\n");
    ck_assert_msg(by_0 > 0 && by_1 > 0 && by_0 + by_1 == 6, "%s", said);
    ck_assert_int_eq(count_in_logs("ranks", "lookback train: rank 0 on "), by_0);
    ck_assert_int_eq(count_in_logs("ranks", "lookback train: rank 1 on "), by_1);
    RUN(2, SWEEP, "--out", "ranks");
    support_assert_ranks_done();
    ck_assert_int_eq(count_in_logs("ranks", "has been trained already"), 6);
}
END_TEST

START_TEST(test_ranks_share_out_the_members_of_an_ensemble)
{
    write_inputs();
    RUN(0, ENSEMBLE, "--out", "alone");
    support_assert_ranks_done();
    for (int ranks = 1; ranks <= 3; ranks++) {
        RUN(ranks, ENSEMBLE, "--fresh", "--out", "ranks");
        support_assert_ranks_done();
        ck_assert_int_eq(support_occurrences(support_ranks_result.output, "exact match  symbol error"), 1);
        support_assert_same_files("alone/model.safetensors", "ranks/model.safetensors");
        ASSERT_SAME_MODELS("alone", "ranks", members, "/model.safetensors");
    }
}
END_TEST

START_TEST(test_ranks_share_out_what_compare_trains)
{
    RUN(0, COMPARE, "--steps", "300", "--out", "alone");
    support_assert_ranks_done();
    char *alone = strdup(support_ranks_result.output);
    for (int ranks = 1; ranks <= 3; ranks++) {
        RUN(ranks, COMPARE, "--steps", "300", "--fresh", "--out", "ranks");
        support_assert_ranks_done();
        ck_assert_str_eq(support_ranks_result.output, alone);
        assert_same_but_for_seconds("alone/exact_match.json", "ranks/exact_match.json");
        support_assert_same_files("alone/exact_match.png", "ranks/exact_match.png");
        ASSERT_SAME_MODELS("alone", "ranks", kinds, ".safetensors");
        ck_assert((support_occurrences(support_ranks_result.error, ": trained by rank ") > 0) == (ranks > 1));
        /* Of four, the first rank has trained the others. */
        ck_assert_int_lt(support_occurrences(support_ranks_result.error, ": trained by rank "), 4);
    }
    RUN(0, COMPARE, "--steps", "300", "--out", "ranks");
    support_assert_ranks_done();
    ck_assert_str_eq(support_ranks_result.output, alone);
    ck_assert_int_eq(support_occurrences(support_ranks_result.error, "300/300"), 0);
    free(alone);
}
END_TEST

/* A node where a file is missing. */
START_TEST(test_ranks_take_over_what_fails_on_another_one)
{
    char path[SUPPORT_PATH], out[SUPPORT_PATH], list[SUPPORT_PATH];
    write_inputs();
    RUN(0, SWEEP, "--out", "alone");
    support_assert_ranks_done();
    ck_assert_int_eq(mkdir(support_path(path, "elsewhere"), 0777), 0);
    support_write_rank_script("cd elsewhere");
    RUN_SCRIPT(2, TRAIN, "--sweep", support_path(list, "sweep.json"), "--out", support_path(out, "ranks"));
    support_assert_ranks_done();
    ck_assert_int_gt(count_in_logs("ranks", "lookback train: pairs.tsv: cannot read: No such file"), 0);
    ck_assert_int_eq(support_occurrences(support_ranks_result.error, "(rank 0)\n"), 6);
    assert_same_but_for_seconds("alone/sweep.tsv", "ranks/sweep.tsv");
    ASSERT_SAME_MODELS("alone", "ranks", trainings, "/model.safetensors");
}
END_TEST

/* A node whose disk is full, from the time on when it opens a file. */
#define FULL_DISK_FROM(file) "open " file " 1 sh prlimit --pid $PPID --fsize=2000"

START_TEST(test_ranks_take_over_the_seeds_that_another_one_cannot_save)
{
    write_inputs();
    RUN(0, TRAIN, "--seeds", "3", "--out", "alone");
    support_assert_ranks_done();
    support_write_stops(NULL, FULL_DISK_FROM("/seed-2/.lock"));
    RUN_SCRIPT(2, TRAIN, "--seeds", "3", "--out", "ranks");
    support_assert_ranks_done();
    ck_assert_int_eq(support_occurrences(support_ranks_result.error, ": kept the model of step 60"), 3);
    support_assert_said_once("seed 2 60/60");
    support_assert_same_files("alone/model.safetensors", "ranks/model.safetensors");
    support_assert_same_files("alone/seed-2/model.safetensors", "ranks/seed-2/model.safetensors");
}
END_TEST

START_TEST(test_ranks_take_over_what_compare_cannot_save_on_another_one)
{
    RUN(0, COMPARE, "--steps", "300", "--out", "alone");
    support_assert_ranks_done();
    support_write_stops(NULL, FULL_DISK_FROM("/.work"));
    RUN_SCRIPT(2, COMPARE, "--steps", "300", "--out", "ranks");
    support_assert_ranks_done();
    ck_assert_int_eq(support_occurrences(support_ranks_result.error, ": trained by rank 1"), 0);
    ASSERT_SAME_MODELS("alone", "ranks", kinds, ".safetensors");
}
END_TEST

START_TEST(test_ranks_do_not_write_into_what_the_link_of_their_list_leads_to)
{
    size_t count;
    char path[SUPPORT_PATH];
    write_inputs();
    support_set_patience("2");
    support_write_text("victim", "precious");
    ck_assert_int_eq(mkdir(support_path(path, "out"), 0777), 0);
    ck_assert_int_eq(symlink("../victim", support_path(path, "out/.work")), 0);
    RUN(2, SWEEP, "--out", "out");
    support_assert_ranks_status(74);
    support_assert_said_once("out/.work: found a symbolic link, expected a file\n");
    char *content = support_content("victim", &count);
    ck_assert_str_eq(content, "precious");
    free(content);
}
END_TEST

START_TEST(test_ranks_set_no_model_aside_in_a_folder_that_another_process_has)
{
    char path[SUPPORT_PATH];
    lb_lock *lock;
    write_inputs();
    support_set_patience("2");
    ck_assert_int_eq(mkdir(support_path(path, "out"), 0777), 0);
    ck_assert_int_eq(mkdir(support_path(path, "out/seed-2"), 0777), 0);
    support_write_text("out/seed-2/model.safetensors", "of the other");
    ck_assert_int_eq(lb_lock_folder(path, &lock, NULL), LB_OK);
    RUN(2, TRAIN, "--seeds", "2", "--fresh", "--out", "out");
    support_assert_ranks_status(75);
    ck_assert_uint_eq(support_match_count("out/seed-2/*"), 1);
    lb_lock_free(lock);
}
END_TEST

START_TEST(test_ranks_report_what_fails_on_all_of_them)
{
    write_inputs();
    support_write_text("sweep.json", "{\"lr\": [0.01, 1e30]}");
    RUN(2, SWEEP, "--out", "some");
    support_assert_one_message(1, ": 1 of 2 trainings failed; the same command tries them again\n");
    support_assert_said_once("lr=1e+30: failed with status 75; see some/lr=1e+30/train.log\n");
    support_write_text("sweep.json", "{\"lr\": [1e30]}");
    RUN(2, SWEEP, "--out", "all");
    support_assert_one_message(75, "lookback train: no training of the sweep succeeded\n");
    RUN(2, TRAIN, "--ensemble", "additive:2", "--lr", "1e30", "--out", "vote");
    support_assert_one_message(
        75, "lookback train: 2 of 2 trainings failed; the same command tries them again\n");
    ck_assert(!support_exists("vote/model.safetensors"));
}
END_TEST

START_TEST(test_ranks_of_a_sweep_that_is_not_the_same_are_named)
{
    write_inputs();
    support_set_patience("2");
    support_write_text("other.json", "{\"seed\": [1, 2]}");
    support_write_rank_script("exec " BIN_DIR "/lookback"
                              " \"$@\" --sweep other.json");
    RUN_SCRIPT(3, SWEEP, "--out", "ranks");
    ck_assert_int_ne(support_ranks_result.status, 0);
    support_assert_said_once(": found 2 trainings, expected 6 as in rank 0\n");
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "lookback train: rank 1 on "));
    ck_assert(!support_exists("ranks/hidden=16,seed=1"));
#ifdef __x86_64__
    const char *kernel = lb_kernel_name();
    if (strncmp(kernel, "OpenBLAS", 8) != 0 || strstr(kernel, "Nehalem")) {
        support_skip("ranks with different kernels", "this OpenBLAS has one kernel, or this is its simplest");
        return;
    }
    support_write_rank_script("export OPENBLAS_CORETYPE=Nehalem");
    RUN_SCRIPT(2, COMPARE, "--out", "kernels");
    ck_assert_int_ne(support_ranks_result.status, 0);
    support_assert_said_once("lookback compare: rank 1 on ");
    support_assert_said_once(": found the kernel OpenBLAS ");
    RUN_SCRIPT(2, TRAIN, "--seeds", "2", "--out", "seeds");
    ck_assert_int_ne(support_ranks_result.status, 0);
    support_assert_said_once("lookback train: rank 1 on ");
    support_assert_said_once(": found the kernel OpenBLAS ");
    ck_assert(!support_exists("seeds/seed-1"));
#endif
}
END_TEST

/* Killed when the fourth training begins, on whichever rank: then at least two have ended. */
START_TEST(test_ranks_one_of_which_is_killed_keep_what_is_finished)
{
    static const char stop[] = "open /hidden=24,seed=1/.lock 1 " SUPPORT_SEND("KILL", "1");
    write_inputs();
    RUN(0, SWEEP, "--out", "alone");
    support_assert_ranks_done();
    support_write_stops(stop, stop);
    RUN_SCRIPT(2, SWEEP, "--threads", "1", "--out", "ranks");
    ck_assert_int_ne(support_ranks_result.status, 0);
    bool finished[TRAININGS];
    int read_again[TRAININGS], all = 0; /* the other rank may have taken over for a moment */
    for (int i = 0; i < TRAININGS; i++) {
        finished[i] = count_in_log("ranks", i, "lookback train: kept the model of step ") > 0;
        read_again[i] = count_in_log("ranks", i, "has been trained already");
        all += finished[i];
    }
    ck_assert_int_ge(all, 2);
    ck_assert(!support_exists("ranks/sweep.tsv"));
    RUN(2, SWEEP, "--out", "ranks");
    support_assert_ranks_done();
    for (int i = 0; i < TRAININGS; i++)
        ck_assert(!finished[i] || count_in_log("ranks", i, "has been trained already") == read_again[i] + 1);
    assert_same_but_for_seconds("alone/sweep.tsv", "ranks/sweep.tsv");
    ASSERT_SAME_MODELS("alone", "ranks", trainings, "/model.safetensors");
}
END_TEST

/* Interrupts when both ranks have a checkpoint of what they train. The first waits for the second. */
static void write_meeting_at(const char *checkpoint)
{
    char path[SUPPORT_PATH], first[256], second[256];
    remove(support_path(path, "meeting"));
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    snprintf(first, sizeof first, "rename %s 1 sh read met <meeting; kill -USR1 $(cat pid-mpirun)",
             checkpoint);
    snprintf(second, sizeof second, "rename %s 1 sh echo >meeting", checkpoint);
    support_write_stops(first, second);
}

START_TEST(test_ranks_with_many_trainings_save_all_at_an_interruption_and_say_so_once)
{
    write_inputs();
    write_meeting_at("/checkpoint.safetensors");
    RUN_SCRIPT(2, SWEEP, LONG, "--threads", "1", "--out", "sweep");
    support_assert_said_once("lookback train: interrupted after 0 trainings; the same command resumes\n");
    ck_assert_int_eq(count_in_logs("sweep", "interrupted at step "), 2);
    write_meeting_at(".checkpoint.safetensors");
    RUN_SCRIPT(2, COMPARE, "--steps", "1000000", "--out", "compare");
    support_assert_said_once("the same command resumes\n");
    ck_assert(support_exists("compare/none.checkpoint.safetensors"));
    ck_assert(support_exists("compare/additive.checkpoint.safetensors"));
}
END_TEST

int main(void)
{
    const char *why = support_no_ranks();
    if (why) {
        support_skip("many trainings on several ranks", why);
        return 0;
    }
    return support_run_tests(
        "ranks_many",
        SUPPORT_TESTS(
            test_ranks_share_out_seeds, test_ranks_share_out_a_sweep,
            test_ranks_of_a_sweep_train_each_model_once_and_all_work,
            test_ranks_share_out_the_members_of_an_ensemble, test_ranks_share_out_what_compare_trains,
            test_ranks_take_over_what_fails_on_another_one,
            test_ranks_take_over_the_seeds_that_another_one_cannot_save,
            test_ranks_take_over_what_compare_cannot_save_on_another_one,
            test_ranks_do_not_write_into_what_the_link_of_their_list_leads_to,
            test_ranks_set_no_model_aside_in_a_folder_that_another_process_has,
            test_ranks_report_what_fails_on_all_of_them, test_ranks_of_a_sweep_that_is_not_the_same_are_named,
            test_ranks_one_of_which_is_killed_keep_what_is_finished,
            test_ranks_with_many_trainings_save_all_at_an_interruption_and_say_so_once));
}
