/* Folders are created with their parents, and an unwritable one is reported in advance. */
#include "base/alloc.h"
#include "io/path.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static lb_error error;

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

START_TEST(test_folder_make_makes_all_parents_and_is_content_with_what_is_there)
{
    char path[SUPPORT_PATH];
    support_path(path, "a/b/c");
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(lb_folder_make(path, &error) == LB_OK, "%s", error.message);
        ck_assert(is_folder(path));
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
    char path[SUPPORT_PATH], message[2 * SUPPORT_PATH];
    support_write_file(support_path(path, "file"), "", 0);
    snprintf(message, sizeof message, "cannot write to %s: Not a directory", path);
    expect_refused(path, message);
    expect_refused(support_path(path, "file/below"), message);
    expect_refused("", "cannot write to a folder with an empty name");
    expect_refused("/proc/nothing/here", "cannot write to /proc/nothing: No such file or directory");
}
END_TEST

START_TEST(test_folder_failing_allocation_is_an_error)
{
    char path[SUPPORT_PATH];
    support_path(path, "a");
    support_watch_allocations();
    char *name = lb_folder_path("out", "log.jsonl", &error);
    ck_assert_str_eq(name, "out/log.jsonl");
    lb_release(name);
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_folder_path("out", "log.jsonl", &error));
    ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
    support_fail_allocation(1);
    ck_assert_int_eq(lb_folder_make(path, NULL), LB_ERROR_MEMORY);
    ck_assert(!is_folder(path));
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_folder_of_a_file_is_what_stands_before_its_name)
{
    static const char *const paths[][2] = {{"file", "."}, {"a/b/file", "a/b/"}, {"/file", "/"}, {"a/", "a/"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *folder = lb_folder_of(paths[i][0]);
        ck_assert_str_eq(folder, paths[i][1]);
        lb_release(folder);
    }
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_ptr_null(lb_folder_of("a/b"));
}
END_TEST
