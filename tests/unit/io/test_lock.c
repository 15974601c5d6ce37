/* A folder has one owner at a time, whoever dies. */
#include "io/path.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static lb_error error;
static char folder[SUPPORT_PATH]; /* of the test, whichever of its processes asks */

static lb_lock *lock(void)
{
    lb_lock *made;
    error = (lb_error){0};
    if (!*folder) support_path(folder, "");
    return lb_lock_folder(folder, &made, &error) ? NULL : made;
}

/* A process that locks the folder, says whether it could, and waits to be killed. */
static pid_t start_holder(bool *holds)
{
    int pipe_ends[2];
    char answer = 'n';
    support_path(folder, "");
    ck_assert_int_eq(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        answer = lock() ? 'y' : 'n';
        if (write(pipe_ends[1], &answer, 1) != 1) _exit(1);
        for (;;) pause();
    }
    ck_assert_int_eq(read(pipe_ends[0], &answer, 1), 1);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    *holds = answer == 'y';
    return child;
}

START_TEST(test_lock_of_another_process_is_busy_with_its_number)
{
    bool holds;
    char number[64];
    pid_t child = start_holder(&holds);
    ck_assert(holds);
    ck_assert_ptr_null(lock());
    ck_assert_int_eq(error.status, LB_ERROR_BUSY);
    snprintf(number, sizeof number, "another training writes to this folder, process %ld", (long)child);
    ck_assert_msg(strstr(error.message, number) != NULL, "%s", error.message);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    waitpid(child, NULL, 0);
    lb_lock *made = lock(); /* the dead hold nothing */
    ck_assert_msg(made != NULL, "%s", error.message);
    lb_lock_free(made);
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_lock_in_the_same_process_is_busy_until_it_is_freed)
{
    lb_lock *first = lock();
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(lock());
    lb_lock_free(first);
    lb_lock *second = lock();
    ck_assert_ptr_nonnull(second);
    lb_lock_free(second);
    lb_lock_free(NULL);
}
END_TEST

START_TEST(test_lock_by_many_at_once_goes_to_one)
{
    enum { MANY = 12 };
    pid_t child[MANY];
    int winners = 0;
    for (int i = 0; i < MANY; i++) {
        bool holds;
        child[i] = start_holder(&holds);
        winners += holds;
    }
    ck_assert_int_eq(winners, 1);
    for (int i = 0; i < MANY; i++) {
        kill(child[i], SIGKILL);
        waitpid(child[i], NULL, 0);
    }
}
END_TEST

START_TEST(test_lock_file_with_anything_in_it_is_taken_over)
{
    char path[SUPPORT_PATH];
    support_write_file(support_path(path, ".lock"), "99999999999999999999999 and more than a number", 47);
    lb_lock *made = lock();
    ck_assert_msg(made != NULL, "%s", error.message);
    ck_assert_ptr_null(lock());
    ck_assert_ptr_nonnull(strstr(error.message, ", process "));
    lb_lock_free(made);
}
END_TEST

START_TEST(test_lock_failing_is_an_error_and_leaks_nothing)
{
    lb_lock *made;
    ck_assert_int_eq(lb_lock_folder("/nowhere/at/all", &made, &error), LB_ERROR_WRITE);
    ck_assert_ptr_null(made);
    support_watch_allocations();
    for (long n = 1; n <= 2; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(lb_lock_folder(support_tempdir(), &made, &error), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    made = lock();
    ck_assert_ptr_nonnull(made);
    lb_lock_free(made);
}
END_TEST
