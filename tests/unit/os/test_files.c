/* Open files: how they are opened, read, written and locked, and what they are. */
#include "os/os.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "support/wait.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path, *other;

START_TEST(test_handle_of_the_first_descriptor_is_one_and_zero_is_none)
{
    lb_os_info info;
    lb_os_handle none = {0}, input = lb_os_input();
    errno = ENOSPC;
    lb_os_drop(&none);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert(!lb_os_is_open(none));
    ck_assert(lb_os_close(input));
    lb_os_drop(&input);
    ck_assert(!lb_os_is_open(input));
    ck_assert(lb_os_info_of(lb_os_input(), &info));
    close(STDIN_FILENO);
    lb_os_handle first = lb_os_open(support_tempdir(), LB_OS_READ);
    ck_assert(lb_os_is_open(first));
    ck_assert(lb_os_info_of(lb_os_input(), &info));
    lb_os_drop(&first);
    ck_assert(!lb_os_is_open(first));
    ck_assert(!lb_os_info_of(lb_os_input(), &info));
    ck_assert_int_eq(errno, EBADF);
}
END_TEST

static void assert_refused(const char *name, int how, int reason)
{
    errno = 0;
    ck_assert_msg(!lb_os_is_open(lb_os_open(name, how)) && errno == reason, "%s %d: %d", name, how, errno);
}

START_TEST(test_open_refuses_what_it_is_told_to_refuse)
{
    support_write_file(path = support_path("file"), "whole", 5);
    ck_assert_int_eq(symlink("file", other = support_path("link")), 0);
    assert_refused(path, LB_OS_WRITE | LB_OS_NEW, EEXIST);
    assert_refused(other, LB_OS_READ | LB_OS_NO_LINK, ELOOP);
    ck_assert_int_eq(mkfifo(path = support_path("pipe"), 0600), 0);
    assert_refused(path, LB_OS_WRITE | LB_OS_NO_WAIT, ENXIO);
    assert_refused(path = support_path("none"), LB_OS_READ | LB_OS_WRITE, ENOENT);
}
END_TEST

START_TEST(test_handle_goes_to_a_place_and_reads_elsewhere_from_its_place)
{
    char bytes[8];
    size_t length;
    lb_os_handle file = lb_os_open(path = support_path("file"), LB_OS_READ | LB_OS_WRITE | LB_OS_CREATE);
    ck_assert(lb_os_write_all(file, "abcdef", 6));
    ck_assert(lb_os_go(file, 1));
    ck_assert_int_eq(lb_os_read_at(file, 4, bytes, sizeof bytes), 2);
    ck_assert_mem_eq(bytes, "ef", 2);
    ck_assert_int_eq(lb_os_place(file), 1);
    ck_assert_int_eq(lb_os_read_all(file, bytes, sizeof bytes), 5);
    ck_assert_mem_eq(bytes, "bcdef", 5);
    lb_os_handle again = lb_os_again(file);
    ck_assert_int_eq(lb_os_place(again), 6);
    ck_assert(lb_os_go(again, 2));
    ck_assert_int_eq(lb_os_place(file), 2);
    lb_os_drop(&again);
    ck_assert(lb_os_cut(file, 3));
    ck_assert_int_eq(lb_os_read(file, bytes, sizeof bytes), 1);
    ck_assert(lb_os_close(file));
    file = lb_os_open(path, LB_OS_WRITE | LB_OS_APPEND);
    ck_assert(lb_os_write_all(file, "z", 1));
    ck_assert_int_eq(lb_os_read_all(file, bytes, 1), -1);
    ck_assert_int_eq(lb_os_read_at(file, 0, bytes, 1), -1);
    ck_assert_int_eq(errno, EBADF);
    ck_assert_int_eq(lb_os_read_at(file, -1, bytes, 1), -1);
    ck_assert_int_eq(errno, EINVAL);
    ck_assert(lb_os_close(file));
    char *content = support_read_file(path, &length);
    ck_assert_str_eq(content, "abcz");
    free(content);
}
END_TEST

START_TEST(test_lock_holds_until_its_handle_is_closed)
{
    support_write_file(path = support_path("file"), "", 0);
    lb_os_handle one = lb_os_open(path, LB_OS_WRITE), two = lb_os_open(path, LB_OS_WRITE);
    ck_assert_int_eq(lb_os_lock(one), LB_OS_LOCKED);
    ck_assert_int_eq(lb_os_lock(two), LB_OS_LOCKED_BY_OTHERS);
    lb_os_drop(&one);
    ck_assert_int_eq(lb_os_lock(two), LB_OS_LOCKED);
    lb_os_drop(&two);
    ck_assert_int_eq(lb_os_lock(two), LB_OS_NO_LOCKS);
}
END_TEST

START_TEST(test_info_tells_files_folders_links_and_others_apart)
{
    lb_os_info file, found;
    support_write_file(path = support_path("file"), "whole", 5);
    ck_assert(lb_os_info_at(path, true, &file));
    ck_assert_int_eq(file.kind, LB_OS_IS_FILE);
    ck_assert_int_eq(file.bytes, 5);
    ck_assert_int_eq(symlink("file", other = support_path("link")), 0);
    ck_assert(lb_os_info_at(other, false, &found));
    ck_assert_int_eq(found.kind, LB_OS_IS_LINK);
    ck_assert(!lb_os_is_one(&file, &found));
    ck_assert(lb_os_info_at(other, true, &found));
    ck_assert(lb_os_is_one(&file, &found));
    ck_assert(lb_os_info_at(support_tempdir(), true, &found));
    ck_assert_int_eq(found.kind, LB_OS_IS_FOLDER);
    ck_assert(lb_os_info_at("/dev/null", true, &found));
    ck_assert_int_eq(found.kind, LB_OS_IS_OTHER);
    ck_assert(!lb_os_info_at(other = support_path("none"), true, &found));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_uint_eq(found.number, 0);
    ck_assert(lb_os_exists(path) && lb_os_may(path, LB_OS_READ) && !lb_os_exists(other) &&
              !lb_os_may(other, LB_OS_READ));
    ck_assert(lb_os_may(support_tempdir(), LB_OS_WRITE) && !lb_os_may(other, LB_OS_WRITE));
    lb_os_handle handle = lb_os_open(path, LB_OS_READ);
    ck_assert(lb_os_info_of(handle, &found) && lb_os_is_one(&file, &found));
    ck_assert(lb_os_sync(handle));
    lb_os_drop(&handle);
}
END_TEST

START_TEST(test_has_arrived_is_true_of_what_has_been_written_and_of_the_end)
{
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    const lb_os_handle reader = lb_os_handle_of(ends[0]);
    ck_assert(!lb_os_has_arrived(reader));
    ck_assert_int_eq(lb_os_place(reader), -1);
    ck_assert_int_eq(write(ends[1], "a", 1), 1);
    ck_assert(lb_os_has_arrived(reader));
    ck_assert_int_eq(lb_os_read(reader, &byte, 1), 1);
    ck_assert(!lb_os_has_arrived(reader));
    close(ends[1]);
    ck_assert(lb_os_has_arrived(reader));
    ck_assert_int_eq(lb_os_read(reader, &byte, 1), 0);
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
    ck_assert(lb_os_write_all(lb_os_handle_of(ends[1]), bytes, COUNT));
    close(ends[1]);
    ck_assert_int_eq(woken, SIGNALS);
    int status;
    ck_assert_int_eq(waitpid(reader, &status, 0), reader);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST
