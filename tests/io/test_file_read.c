/* Files are read at once, pipes too, and only what is certainly not there is missing. */
#include "base/alloc.h"
#include "io/file.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(test_missing_is_only_what_is_certainly_not_there)
{
    char name[SUPPORT_PATH], loop[SUPPORT_PATH];
    ck_assert(lb_file_is_missing(support_path(name, "new")));
    support_write_file(name, "", 0);
    ck_assert(!lb_file_is_missing(name));
    ck_assert_int_eq(symlink("loop", support_path(loop, "loop")), 0);
    ck_assert(!lb_file_is_missing(loop));
}
END_TEST

START_TEST(test_read_file_gives_bytes_and_a_nul)
{
    char path[SUPPORT_PATH];
    static char large[100000];
    for (size_t i = 0; i < sizeof large; i++) large[i] = (char)(i * 7);
    for (size_t count = 0; count <= sizeof large; count = 3 * count + 1) {
        void *bytes;
        size_t got;
        support_write_file(support_path(path, "file"), large, count);
        ck_assert_int_eq(lb_file_read(path, &bytes, &got, NULL), LB_OK);
        ck_assert_uint_eq(got, count);
        ck_assert_int_eq(memcmp(bytes, large, count), 0);
        ck_assert_int_eq(((char *)bytes)[count], '\0');
        lb_release(bytes);
    }
}
END_TEST

START_TEST(test_read_pipe_gives_all_that_comes)
{
    enum { PIECES = 300 };
    char path[SUPPORT_PATH];
    ck_assert_int_eq(mkfifo(support_path(path, "fifo"), 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY);
        for (int i = 0; i < PIECES; i++)
            if (write(fd, "0123456789abcdefghijklmnopqrstuvwxyz", 36) != 36) _exit(1);
        _exit(0);
    }
    void *bytes;
    size_t count;
    ck_assert_int_eq(lb_file_read(path, &bytes, &count, NULL), LB_OK);
    waitpid(child, NULL, 0);
    ck_assert_uint_eq(count, PIECES * 36);
    ck_assert_int_eq(memcmp((char *)bytes + count - 36, "0123456789abcdefghijklmnopqrstuvwxyz", 37), 0);
    lb_release(bytes);
}
END_TEST

START_TEST(test_read_failing_to_grow_leaks_nothing)
{
    char path[SUPPORT_PATH];
    ck_assert_int_eq(mkfifo(support_path(path, "fifo"), 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        static const char large[10000];
        signal(SIGPIPE, SIG_IGN); /* the reader gives up early */
        int fd = open(path, O_WRONLY);
        _exit(write(fd, large, sizeof large) < 0 ? 1 : 0);
    }
    void *bytes;
    size_t count;
    support_watch_allocations();
    support_fail_allocation(2);
    ck_assert_int_eq(lb_file_read(path, &bytes, &count, NULL), LB_ERROR_MEMORY);
    waitpid(child, NULL, 0);
    ck_assert_ptr_null(bytes);
    ck_assert_int_eq(support_allocation_count(), 2);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

static void assert_read_fails(const char *path, const char *reason)
{
    void *bytes = &bytes;
    size_t count = 1;
    lb_error error = {0};
    ck_assert_int_eq(lb_file_read(path, &bytes, &count, &error), LB_ERROR_OPEN);
    ck_assert_ptr_null(bytes);
    ck_assert_uint_eq(count, 0);
    ck_assert_msg(strstr(error.message, path) != NULL, "no path in: %s", error.message);
    ck_assert_msg(strstr(error.message, reason) != NULL, "no '%s' in: %s", reason, error.message);
}

START_TEST(test_read_impossible_path_fails_with_path_and_reason)
{
    char path[SUPPORT_PATH];
    assert_read_fails(support_path(path, "missing"), strerror(ENOENT));
    assert_read_fails(support_tempdir(), strerror(EISDIR));
}
END_TEST

int main(void)
{
    return support_run_tests(
        "file read",
        SUPPORT_TESTS(test_missing_is_only_what_is_certainly_not_there, test_read_file_gives_bytes_and_a_nul,
                      test_read_pipe_gives_all_that_comes, test_read_failing_to_grow_leaks_nothing,
                      test_read_impossible_path_fails_with_path_and_reason));
}
