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
    const char *name = support_path("new");
    ck_assert(lb_file_is_missing(name));
    support_write_file(name, "", 0);
    ck_assert(!lb_file_is_missing(name));
    ck_assert_int_eq(symlink("loop", support_path("loop")), 0);
    ck_assert(!lb_file_is_missing(support_path("loop")));
}
END_TEST

START_TEST(test_read_file_gives_bytes_and_a_nul)
{
    static char large[100000];
    for (size_t i = 0; i < sizeof large; i++) large[i] = (char)(i * 7);
    for (size_t count = 0; count <= sizeof large; count = 3 * count + 1) {
        void *bytes;
        size_t got;
        support_write_file(support_path("file"), large, count);
        ck_assert_int_eq(lb_file_read(support_path("file"), 0, &bytes, &got, NULL), LB_OK);
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
    const char *path = support_path("fifo");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY);
        for (int i = 0; i < PIECES; i++)
            if (write(fd, "0123456789abcdefghijklmnopqrstuvwxyz", 36) != 36) _exit(1);
        _exit(0);
    }
    void *bytes;
    size_t count;
    ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, NULL), LB_OK);
    waitpid(child, NULL, 0);
    ck_assert_uint_eq(count, PIECES * 36);
    ck_assert_int_eq(memcmp((char *)bytes + count - 36, "0123456789abcdefghijklmnopqrstuvwxyz", 37), 0);
    lb_release(bytes);
}
END_TEST

START_TEST(test_read_failing_to_grow_leaks_nothing)
{
    const char *path = support_path("fifo");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
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
    ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, NULL), LB_ERROR_MEMORY);
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
    ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, &error), LB_ERROR_OPEN);
    ck_assert_ptr_null(bytes);
    ck_assert_uint_eq(count, 0);
    ck_assert_msg(strstr(error.message, path) != NULL, "no path in: %s", error.message);
    ck_assert_msg(strstr(error.message, reason) != NULL, "no '%s' in: %s", reason, error.message);
}

static void assert_too_long(lb_status (*read)(const char *, size_t, void **, size_t *, lb_error *),
                            const char *path, size_t most, const char *why)
{
    void *bytes = &bytes;
    size_t count = 1;
    lb_error error = {0};
    support_watch_allocations();
    ck_assert_int_eq(read(path, most, &bytes, &count, &error), LB_ERROR_FORMAT);
    ck_assert_ptr_null(bytes);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(support_live_allocations(), 0);
    ck_assert_msg(strstr(error.message, why) != NULL, "no '%s' in: %s", why, error.message);
}

START_TEST(test_read_has_a_limit_in_bytes)
{
    static const char large[10000] = "x";
    void *bytes;
    size_t count;
    const char *path = support_path("file");
    support_write_file(path, large, sizeof large);
    for (size_t most = 1; most < sizeof large; most = 2 * most + 97) {
        assert_too_long(lb_file_read, path, most, "bytes, expected fewer");
        assert_too_long(lb_file_read_own, path, most, "bytes, expected fewer");
    }
    assert_too_long(lb_file_read, path, sizeof large - 1, "file: found more than 9999 bytes, expected fewer");
    ck_assert_int_eq(lb_file_read(path, sizeof large, &bytes, &count, NULL), LB_OK);
    ck_assert_uint_eq(count, sizeof large);
    lb_release(bytes);
    ck_assert_int_eq(lb_file_read_own(path, sizeof large, &bytes, &count, NULL), LB_OK);
    ck_assert_uint_eq(count, sizeof large);
    lb_release(bytes);
    assert_too_long(lb_file_read, "/dev/zero", 5000, "/dev/zero: found more than 5000 bytes, expected fewer");
    assert_too_long(lb_file_read, "/dev/zero", 0,
                    "/dev/zero: found a pipe or device with more than 268435456 bytes, expected a file");
}
END_TEST

/* The size of a regular file is no limit of its own. */
START_TEST(test_read_of_a_regular_file_has_its_size_as_its_limit)
{
    void *bytes;
    size_t count;
    const char *path = support_path("file");
    support_write_file(path, "", 0);
    ck_assert_int_eq(truncate(path, (off_t)LB_FILE_STREAM + 1), 0);
    ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, NULL), LB_OK);
    ck_assert_uint_eq(count, LB_FILE_STREAM + 1);
    lb_release(bytes);
}
END_TEST

START_TEST(test_read_own_takes_only_regular_files)
{
    static const struct {
        const char *name, *why;
    } cases[] = {{"missing", "missing: cannot read: No such file or directory"},
                 {"link", "link: found a symbolic link, expected a file"},
                 {"pipe", "pipe: cannot read: not a regular file"},
                 {".", ".: cannot read: not a regular file"}};
    const char *path;
    support_write_file(path = support_path("file"), "x", 1);
    ck_assert_int_eq(symlink("file", path = support_path("link")), 0);
    ck_assert_int_eq(mkfifo(path = support_path("pipe"), 0600), 0);
    int next = support_next_descriptor();
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        void *bytes;
        size_t count;
        lb_error error = {0};
        path = support_path(cases[i].name);
        ck_assert_int_eq(lb_file_read_own(path, 0, &bytes, &count, &error), LB_ERROR_OPEN);
        ck_assert_msg(strstr(error.message, cases[i].why) != NULL, "%s", error.message);
        ck_assert_int_eq(error.status, LB_ERROR_OPEN);
    }
    ck_assert_int_eq(support_next_descriptor(), next);
}
END_TEST

START_TEST(test_read_impossible_path_fails_with_path_and_reason)
{
    assert_read_fails(support_path("missing"), strerror(ENOENT));
    assert_read_fails(support_tempdir(), strerror(EISDIR));
}
END_TEST
