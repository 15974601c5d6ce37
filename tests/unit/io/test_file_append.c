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
    char path[SUPPORT_PATH];
    support_write_file(support_path(path, "file"), "one\n", 4);
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
    char path[SUPPORT_PATH];
    assert_append_fails(support_path(path, "missing"), 1, ENOENT);
    assert_append_fails(support_tempdir(), 1, EISDIR);
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

/* The system writes up to the limit first, without an error. */
START_TEST(test_append_beyond_the_largest_file_is_an_error_with_that_reason)
{
    char path[SUPPORT_PATH];
    struct rlimit limit;
    support_write_file(support_path(path, "file"), "", 0);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 10000;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_append_fails(path, 20000, EFBIG);
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
END_TEST

enum { SIGNALS = 50 };

static volatile sig_atomic_t woken;

static void wake(int number)
{
    (void)number;
    woken++;
}

/* Interrupts the writer many times, each time when it is stuck, and only then reads. The first signal ends a call that
 * has written a part, the next ones calls that have written nothing. Returns whether each byte came once. */
static bool interrupt_and_read(pid_t writer, int pipe, size_t count)
{
    char bytes[4096];
    size_t read_before = 0;
    for (int i = 0; i < SIGNALS; i++)
        if (!support_wait_until_asleep(writer) || kill(writer, SIGUSR1) != 0) return false;
    if (!support_wait_until_asleep(writer)) return false;
    for (ssize_t got; (got = read(pipe, bytes, sizeof bytes)) > 0; read_before += (size_t)got)
        for (ssize_t i = 0; i < got; i++)
            if (bytes[i] != (char)((read_before + (size_t)i) % 251)) return false;
    return read_before == count;
}

START_TEST(test_write_all_that_signals_interrupt_writes_all_bytes)
{
    enum { COUNT = 500000 };
    static char bytes[COUNT];
    int ends[2];
    struct sigaction action = {.sa_handler = wake}; /* without SA_RESTART */
    for (int i = 0; i < COUNT; i++) bytes[i] = (char)(i % 251);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    pid_t writer = getpid(), reader = fork();
    if (reader == 0) {
        close(ends[1]);
        _exit(interrupt_and_read(writer, ends[0], COUNT) ? 0 : 1);
    }
    ck_assert(lb_write_all(ends[1], bytes, COUNT));
    close(ends[1]);
    ck_assert_int_eq(woken, SIGNALS);
    int status;
    ck_assert_int_eq(waitpid(reader, &status, 0), reader);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST
