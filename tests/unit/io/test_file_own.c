/* Under a name of ours, a link that somebody has planted leads nowhere. */
#include "io/file.h"
#include "io/path.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lb_error error;
static const char *victim, *path;

static lb_status open_own(const char *name)
{
    lb_os_handle file = lb_own_open(name, LB_OS_READ | LB_OS_WRITE | LB_OS_CREATE, &error);
    bool opened = lb_os_is_open(file);
    lb_os_drop(&file);
    return opened ? LB_OK : error.status;
}

static lb_status write_own(const char *name)
{
    return lb_file_write_own(name, &(lb_bytes){"new", 3}, 1, &error);
}

static lb_status append_own(const char *name)
{
    return lb_file_append(name, LB_FILE_END, "new", 3, &error);
}

static lb_status append_own_at(const char *name)
{
    return lb_file_append(name, 0, "new", 3, &error);
}

static lb_status check_own(const char *name)
{
    return lb_own_check(name, "a file", &error);
}

static lb_status lock_own(const char *name)
{
    lb_lock *lock;
    (void)name; /* of the lock in the folder of the test */
    lb_status status = lb_lock_folder(support_tempdir(), &lock, &error);
    lb_lock_free(lock);
    return status;
}

static lb_status (*const uses[])(const char *name) = {open_own,      write_own, append_own,
                                                      append_own_at, check_own, lock_own};
enum { USES = sizeof uses / sizeof *uses };

static void assert_refuses(int use, const char *target)
{
    char expected[SUPPORT_PATH + 64];
    struct stat found;
    error = (lb_error){0};
    ck_assert_int_eq(symlink(target, path), 0);
    lb_status status = uses[use](path);
    ck_assert_msg(status == LB_ERROR_WRITE, "use %d of %s: %s", use, target, error.message);
    snprintf(expected, sizeof expected, "%s: found a symbolic link, expected a file", path);
    ck_assert_str_eq(error.message, expected);
    ck_assert(lstat(path, &found) == 0 && S_ISLNK(found.st_mode));
    ck_assert_int_eq(unlink(path), 0);
}

START_TEST(test_own_file_that_is_a_link_is_an_error_whatever_it_leads_to)
{
    size_t count;
    path = support_path(".lock");
    support_write_file(victim = support_path("victim"), "precious", 8);
    for (int use = 0; use < USES; use++) {
        assert_refuses(use, "victim");
        assert_refuses(use, "nothing");
        assert_refuses(use, ".lock");
    }
    char *content = support_read_file(victim, &count);
    ck_assert_str_eq(content, "precious");
    free(content);
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_own_file_in_a_folder_that_is_a_link_is_opened)
{
    ck_assert_int_eq(mkdir(support_path("folder"), 0700), 0);
    ck_assert_int_eq(symlink("folder", support_path("link")), 0);
    path = support_path("link/file");
    ck_assert_int_eq(open_own(path), LB_OK);
    ck_assert_int_eq(write_own(path), LB_OK);
    ck_assert_int_eq(append_own(path), LB_OK);
    ck_assert_int_eq(check_own(path), LB_OK);
}
END_TEST

static void assert_open_fails(const char *name, int how, const char *why)
{
    char expected[SUPPORT_PATH + 64];
    error = (lb_error){0};
    ck_assert(!lb_os_is_open(lb_own_open(name, how, &error)));
    snprintf(expected, sizeof expected, "%s: cannot write: %s", name, why);
    ck_assert_str_eq(error.message, expected);
}

/* A pipe without a reader would be waited for. */
START_TEST(test_own_open_of_what_is_no_file_is_an_error_at_once)
{
    int next = support_next_descriptor();
    assert_open_fails(path = support_path("missing"), LB_OS_READ | LB_OS_WRITE, strerror(ENOENT));
    assert_open_fails(support_tempdir(), LB_OS_READ | LB_OS_WRITE, strerror(EISDIR));
    ck_assert_int_eq(mkfifo(path = support_path("pipe"), 0600), 0);
    assert_open_fails(path, LB_OS_WRITE, strerror(ENXIO));
    assert_open_fails(path, LB_OS_READ | LB_OS_WRITE, "not a regular file");
    ck_assert_int_eq(support_next_descriptor(), next);
}
END_TEST
