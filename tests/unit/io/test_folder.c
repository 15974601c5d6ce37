/* Folders are created with their parents, and an unwritable one is reported in advance. */
#include "base/alloc.h"
#include "io/path.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static lb_error error;

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

START_TEST(test_folder_make_makes_all_parents_and_is_content_with_what_is_there)
{
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(lb_folder_make(support_path("a/b/c"), &error) == LB_OK, "%s", error.message);
        ck_assert(is_folder(support_path("a/b/c")));
    }
}
END_TEST

static void expect_refused(const char *path, const char *message)
{
    error = (lb_error){0};
    ck_assert_int_eq(lb_folder_make(path, &error), LB_ERROR_WRITE);
    ck_assert_str_eq(error.message, message);
}

START_TEST(test_folder_make_that_cannot_be_names_what_stands_in_the_way)
{
    char message[2 * SUPPORT_PATH];
    const char *path = support_path("file");
    support_write_file(path, "", 0);
    snprintf(message, sizeof message, "cannot write to %s: Not a directory", path);
    expect_refused(path, message);
    expect_refused(support_path("file/below"), message);
    expect_refused("", "cannot write to a folder with an empty name");
    expect_refused("/proc/nothing/here", "cannot write to /proc/nothing: No such file or directory");
}
END_TEST

START_TEST(test_folder_failing_allocation_is_an_error)
{
    support_watch_allocations();
    char *name = lb_folder_path("out", "log.jsonl", &error);
    ck_assert_str_eq(name, "out/log.jsonl");
    lb_release(name);
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_folder_path("out", "log.jsonl", &error));
    ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
    support_fail_allocation(1);
    ck_assert_int_eq(lb_folder_make(support_path("a"), NULL), LB_ERROR_MEMORY);
    ck_assert(!is_folder(support_path("a")));
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_folder_of_a_file_is_what_stands_before_its_name)
{
    static const char *const paths[][2] = {{"file", "."}, {"a/b/file", "a/b/"}, {"/file", "/"}, {"a/", "a/"}};
    for (size_t i = 0; SUPPORT_ROW(i, paths); i++) {
        char *folder = lb_folder_of(paths[i][0]);
        ck_assert_str_eq(folder, paths[i][1]);
        lb_release(folder);
    }
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_folder_of("a/b"));
}
END_TEST

/* A folder has one owner at a time, whoever dies. */

static const char *folder; /* of the test, whichever of its processes asks */

static lb_lock *lock(void)
{
    lb_lock *made;
    error = (lb_error){0};
    if (!folder) folder = support_path("");
    return lb_lock_folder(folder, &made, &error) ? NULL : made;
}

/* A process that locks the folder, says whether it could, and waits to be killed. */
static pid_t start_holder(bool *holds)
{
    int pipe_ends[2];
    char answer = 'n';
    folder = support_path("");
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
    support_write_file(support_path(".lock"), "99999999999999999999999 and more than a number", 47);
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

/* A file that will be replaced is kept under a name that nothing else has. */

static void expect_kept(const char *path, const char *name, const char *content)
{
    char *kept;
    size_t count;
    ck_assert_msg(lb_set_aside(path, &kept, &error) == LB_OK, "%s", error.message);
    ck_assert_str_eq(kept, support_path(name));
    char *text = support_read_file(kept, &count);
    ck_assert_uint_eq(count, strlen(content));
    ck_assert_int_eq(memcmp(text, content, count), 0);
    free(text);
    lb_release(kept);
}

START_TEST(test_set_aside_keeps_each_file_under_a_name_of_its_own)
{
    const char *path = support_path("model.safetensors");
    support_write_file(path, "one", 3);
    expect_kept(path, "model.old-1.safetensors", "one");
    expect_kept(path, "model.old-1.safetensors", "one"); /* again: it has that name */
    ck_assert_int_eq(unlink(path), 0);
    support_write_file(path, "two", 3);
    expect_kept(path, "model.old-2.safetensors", "two");
    ck_assert_uint_eq(support_file_count(), 3);
}
END_TEST

START_TEST(test_set_aside_follows_a_link)
{
    support_write_file(support_path("target"), "one", 3);
    ck_assert_int_eq(symlink("target", support_path("link")), 0);
    expect_kept(support_path("link"), "link.old-1", "one");
}
END_TEST

/* The file of that name would be the new one. */
START_TEST(test_set_aside_does_not_take_a_link_for_what_it_keeps)
{
    support_write_file(support_path("model.safetensors"), "one", 3);
    ck_assert_int_eq(symlink("model.safetensors", support_path("model.old-1.safetensors")), 0);
    ck_assert_int_eq(symlink("nothing", support_path("model.old-2.safetensors")), 0);
    expect_kept(support_path("model.safetensors"), "model.old-3.safetensors", "one");
}
END_TEST

START_TEST(test_set_aside_of_nothing_keeps_nothing)
{
    char untouched, *kept = &untouched;
    ck_assert_int_eq(lb_set_aside(support_path("nothing"), &kept, &error), LB_OK);
    ck_assert_ptr_null(kept);
    support_write_file(support_path("file"), "", 0);
    ck_assert_int_eq(lb_set_aside(support_path("file/below"), &kept, &error), LB_ERROR_WRITE);
    ck_assert_ptr_null(kept);
}
END_TEST

/* Each name fails for the same reason, which is not that it is taken. */
START_TEST(test_set_aside_under_names_that_are_too_long_says_so_at_once)
{
    enum { LONGEST = 250 };
    char name[LONGEST + 1], *kept;
    memset(name, 'a', LONGEST);
    name[LONGEST] = '\0';
    const char *path = support_path(name);
    support_write_file(path, "one", 3);
    ck_assert_int_eq(lb_set_aside(path, &kept, &error), LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, strerror(ENAMETOOLONG)));
    ck_assert_ptr_null(kept);
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST
