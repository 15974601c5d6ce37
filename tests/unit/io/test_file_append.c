/* Files that grow: all bytes arrive, whatever interrupts the system, or the reason is that of the system. */
#include "io/file.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "support/wait.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void assert_content(const char *path, const char *expected)
{
    size_t count;
    char *content = support_read_file(path, &count);
    ck_assert_uint_eq(count, strlen(expected));
    ck_assert_str_eq(content, expected);
    free(content);
}

START_TEST(test_append_adds_at_the_end_or_after_a_number_of_bytes)
{
    const char *path = support_path("file");
    support_write_file(path, "one\n", 4);
    ck_assert_int_eq(lb_file_append(path, LB_FILE_END, "two\n", 4, NULL), LB_OK);
    assert_content(path, "one\ntwo\n");
    ck_assert_int_eq(lb_file_append(path, 4, "2\n", 2, NULL), LB_OK);
    assert_content(path, "one\n2\n");
    ck_assert_int_eq(lb_file_append(path, LB_FILE_END, NULL, 0, NULL), LB_OK);
    assert_content(path, "one\n2\n");
}
END_TEST

static void assert_append_fails(const char *path, size_t count, int reason)
{
    static const char bytes[20000];
    char expected[SUPPORT_PATH + 128];
    lb_error error = {0};
    ck_assert_int_eq(lb_file_append(path, LB_FILE_END, bytes, count, &error), LB_ERROR_WRITE);
    snprintf(expected, sizeof expected, "%s: cannot write: %s", path, strerror(reason));
    ck_assert_str_eq(error.message, expected);
}

START_TEST(test_append_to_what_is_no_file_is_an_error_with_its_reason)
{
    assert_append_fails(support_path("missing"), 1, ENOENT);
    assert_append_fails(support_tempdir(), 1, EISDIR);
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

/* The system writes up to the limit first, without an error. */
START_TEST(test_append_beyond_the_largest_file_is_an_error_with_that_reason)
{
    struct rlimit limit;
    support_write_file(support_path("file"), "", 0);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 10000;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_append_fails(support_path("file"), 20000, EFBIG);
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
END_TEST
