/* An ensemble or a sweep that is killed leaves trainings behind: the same command waits for them, and resumes.
 * It takes seconds. */
#include "io/path.h"
#include "support/pair_program.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRAIN    BIN_DIR "/lookback", "train", SUPPORT_SMALL, "--train", "train.tsv", "--threads", "2"
#define SWEEP    TRAIN, "--sweep", "sweep.json"
#define ENSEMBLE TRAIN, "--ensemble", "2"

/* The training in FOLDER kills its parent when it saves, and goes on when somebody writes to the pipe: it keeps its
 * lock. */
#define KILL_PARENT(folder)                                                                                  \
    "SUPPORT_STOP=rename " folder "/checkpoint.safetensors 1 sh echo $PPID >left-behind; "                   \
    "kill -KILL $(cut -d ' ' -f 4 /proc/$PPID/stat); read go <pipe"

/* The second look at its lock lets it go on. */
#define LET_IT_END(folder) "open " folder "/.lock 2 sh mv pipe open && echo >open"

static pid_t left_behind(void)
{
    size_t count;
    char *number = support_content("left-behind", &count);
    ck_assert_ptr_nonnull(number);
    pid_t process = (pid_t)strtol(number, NULL, 10);
    free(number);
    ck_assert_int_gt(process, 1);
    return process;
}

/* Kills the first run, and lets the second find what is left of it. */
static void kill_and_repeat(const char *const *argv, const char *kill_parent, const char *let_it_end)
{
    const char *const changes[] = {"LD_PRELOAD=" SUPPORT_STOP_LIBRARY, kill_parent, NULL};
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = changes};
    ck_assert_int_eq(mkfifo(support_path("pipe"), 0666), 0);
    support_run_as(&command, &support_ran);
    ck_assert_msg(support_ran.status == 128 + SIGKILL, "%s", support_ran.error);
    pid_t group = getpgid(left_behind());
    ck_assert_int_gt(group, 1);
    support_run_as(&(support_command){.argv = argv, .directory = support_tempdir(), .stop = let_it_end},
                   &support_ran);
    kill(-group, SIGKILL); /* if nobody has waited for it */
}

static void assert_waited(const char *folder)
{
    char said[160];
    snprintf(
        said, sizeof said,
        "lookback train: %s: another training writes to this folder, process %ld; waiting up to 120 s for "
        "it to end\n",
        folder, (long)left_behind());
    support_assert_trained();
    ck_assert_msg(strstr(support_ran.error, said) != NULL, "%s", support_ran.error);
}

START_TEST(test_sweep_waits_for_what_a_killed_one_has_left_behind)
{
    support_write_pairs("train.tsv", 300, 1);
    support_write_text("sweep.json", "{\"seed\": [1, 2]}");
    const char *const whole[] = {SWEEP, "--out", "whole", NULL}, *const killed[] = {SWEEP, NULL};
    support_run_as(&(support_command){.argv = whole, .directory = support_tempdir()}, &support_ran);
    support_assert_trained();
    kill_and_repeat(killed, KILL_PARENT("seed=1"), LET_IT_END("seed=1"));
    assert_waited("out/seed=1");
    support_assert_same_files("whole/seed=1/model.safetensors", "out/seed=1/model.safetensors");
    support_assert_same_files("whole/seed=2/model.safetensors", "out/seed=2/model.safetensors");
}
END_TEST

START_TEST(test_ensemble_waits_for_what_a_killed_one_has_left_behind)
{
    support_write_pairs("train.tsv", 300, 1);
    const char *const whole[] = {ENSEMBLE, "--out", "whole", NULL}, *const killed[] = {ENSEMBLE, NULL};
    support_run_as(&(support_command){.argv = whole, .directory = support_tempdir()}, &support_ran);
    support_assert_trained();
    kill_and_repeat(killed, KILL_PARENT("model-2"), LET_IT_END("model-2"));
    assert_waited("out/model-2");
    support_assert_same_weights("whole/model.safetensors", "out/model.safetensors");
}
END_TEST

#define A_SECOND    "LATER "
#define TEN_SECONDS A_SECOND A_SECOND A_SECOND A_SECOND A_SECOND A_SECOND A_SECOND A_SECOND A_SECOND A_SECOND
#define A_MINUTE    TEN_SECONDS TEN_SECONDS TEN_SECONDS TEN_SECONDS TEN_SECONDS TEN_SECONDS

START_TEST(test_sweep_waits_two_minutes_for_a_folder_and_no_longer)
{
    lb_lock *lock;
    const char *const argv[] = {SWEEP, NULL};
    support_write_pairs("train.tsv", 60, 1);
    support_write_text("sweep.json", "{\"seed\": [1, 2]}");
    ck_assert_int_eq(mkdir(support_path("out"), 0777), 0);
    ck_assert_int_eq(mkdir(support_path("out/seed=2"), 0777), 0);
    ck_assert_int_eq(lb_lock_folder(support_path("out/seed=2"), &lock, NULL), LB_OK);
    support_run_as(&(support_command){.argv = argv,
                                      .directory = support_tempdir(),
                                      .stop = "open seed=2/.lock 2 " A_MINUTE A_MINUTE},
                   &support_ran);
    support_assert_refused(75, "waiting up to 120 s");
    support_assert_refused(75, "; waited 120 s for it to end\n");
    ck_assert(!support_exists("out/seed=1"));
    lb_lock_free(lock);
}
END_TEST
