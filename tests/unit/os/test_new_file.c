/* Where a file system has no files without a name, or /proc is missing, a new file has a name while it is written. Here
 * a filter of system calls refuses such files. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "io/file.h"
#include "os/os.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOUR = 3600, SOMEBODY = 65534 };

static const uid_t OURS = (uid_t)-1; /* chown changes nothing */

#ifdef __linux__
#    include <linux/filter.h>
#    include <linux/seccomp.h>
#    include <sys/prctl.h>
#    include <sys/syscall.h>

static bool begin_filter(struct sock_filter *filter, unsigned short length)
{
    const struct sock_fprog program = {length, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* openat with O_TMPFILE fails from now on. False if that is not possible, as in an emulator. */
static bool refuse_nameless_files(void)
{
    const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    const unsigned flags = offsetof(struct seccomp_data, args[2]) + (big_endian ? 4 : 0);
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    if (!begin_filter(filter, sizeof filter / sizeof *filter)) return false;
    int fd = open(support_tempdir(), O_TMPFILE | O_WRONLY, 0600);
    if (fd >= 0) close(fd);
    return fd < 0 && errno == EOPNOTSUPP;
}

/* flock fails from now on, as on some network file systems. */
static bool refuse_locks(int file)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return begin_filter(filter, sizeof filter / sizeof *filter) && flock(file, LOCK_SH) < 0;
}

/* Whether the file system of the tests has files without a name. */
static bool has_nameless_files(void)
{
    int fd = open(support_tempdir(), O_TMPFILE | O_WRONLY, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0 && access("/proc/self/fd", X_OK) == 0;
}
#else
static bool refuse_nameless_files(void)
{
    return true;
}

static bool refuse_locks(int file)
{
    (void)file;
    return false;
}

static bool has_nameless_files(void)
{
    return false;
}
#endif

static bool can_refuse(void)
{
    support_tempdir();
    if (refuse_nameless_files()) return true;
    support_skip("files with a name while they are written", "no filter of system calls here");
    return false;
}

START_TEST(test_write_replaces_the_file_and_leaves_nothing_else)
{
    size_t count;
    lb_error error = {0};
    if (!can_refuse()) return;
    const char *path = support_path("file");
    ck_assert_msg(lb_file_write_atomic(path, "one", 3, &error) == LB_OK, "%s", error.message);
    ck_assert_msg(lb_file_write_atomic(path, "other", 5, &error) == LB_OK, "%s", error.message);
    char *content = support_read_file(path, &count);
    ck_assert_str_eq(content, "other");
    ck_assert_uint_eq(support_file_count(), 1);
    free(content);
}
END_TEST

START_TEST(test_files_under_way_are_locked_and_left_alone_by_other_writers)
{
    char first[SUPPORT_PATH + LB_OS_NEW_SUFFIX], second[SUPPORT_PATH + LB_OS_NEW_SUFFIX];
    if (!can_refuse()) return;
    const char *path = support_path("file");
    lb_os_handle one = lb_os_new_open(path, first, sizeof first);
    ck_assert(lb_os_is_open(one));
    ck_assert_int_eq(strncmp(first, path, strlen(path)), 0);
    lb_os_handle two = lb_os_new_open(path, second, sizeof second);
    ck_assert(lb_os_is_open(two));
    ck_assert_str_ne(first, second);
    ck_assert_uint_eq(support_file_count(), 2);
    int again = open(first, O_WRONLY);
    ck_assert_int_ge(again, 0);
    ck_assert_int_eq(flock(again, LOCK_EX | LOCK_NB), -1);
    ck_assert_int_eq(errno, EWOULDBLOCK);
    close(again);
    ck_assert(lb_os_new_name(two, path, second, sizeof second));
    ck_assert_int_eq(rename(second, path), 0);
    ck_assert(lb_os_remove(first));
    ck_assert_uint_eq(support_file_count(), 1);
    lb_os_drop(&one);
    lb_os_drop(&two);
}
END_TEST

START_TEST(test_file_under_way_has_no_name_where_that_is_possible)
{
    char name[SUPPORT_PATH + LB_OS_NEW_SUFFIX];
    // cppcheck-suppress knownConditionTrueFalse ; Linux asks the file system
    if (!has_nameless_files()) {
        support_skip("files without a name", "the file system has none");
        return;
    }
    const char *path = support_path("file");
    lb_os_handle file = lb_os_new_open(path, name, sizeof name);
    ck_assert(lb_os_is_open(file));
    ck_assert_str_eq(name, "");
    ck_assert_uint_eq(support_file_count(), 0);
    ck_assert(lb_os_new_name(file, path, name, sizeof name));
    ck_assert_int_eq(rename(name, path), 0);
    ck_assert_uint_eq(support_file_count(), 1);
    lb_os_drop(&file);
}
END_TEST

/* Writes "file" where there are neither nameless files nor locks. False if that cannot be tested here. */
static bool save_without_locks(void)
{
    lb_error error = {0};
    if (!can_refuse()) return false;
    bool refused = refuse_locks(STDOUT_FILENO);
    if (refused)
        ck_assert_msg(lb_file_write_atomic(support_path("file"), "one", 3, &error) == LB_OK, "%s",
                      error.message);
    else
        support_skip("files without locks", "no filter of system calls here");
    return refused;
}

/* What a process of this owner left `age` seconds ago. */
static void leave(const char *name, uid_t owner, time_t age)
{
    struct stat written;
    const char *path = support_path(name);
    support_write_file(path, "half", 4);
    ck_assert_int_eq(stat(path, &written), 0);
    const struct timespec left = {.tv_sec = written.st_mtim.tv_sec - age}, times[] = {left, left};
    ck_assert_int_eq(chown(path, owner, (gid_t)-1), 0);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *name)
{
    return access(support_path(name), F_OK) == 0;
}

START_TEST(test_file_is_written_where_there_are_no_locks)
{
    if (!save_without_locks()) return;
    ck_assert(is_there("file"));
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_leftover_is_removed_after_an_hour_where_there_are_no_locks)
{
    leave("file.tmp-1", OURS, 2 * HOUR);
    leave("file.tmp-2", OURS, 1);
    if (!save_without_locks()) return;
    ck_assert(!is_there("file.tmp-1"));
    ck_assert(is_there("file.tmp-2"));
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

/* A folder may be shared, and the clocks of its machines may differ. */
START_TEST(test_leftover_of_somebody_else_stays_where_there_are_no_locks)
{
    if (geteuid() != 0) {
        support_skip("leftovers of somebody else", "only root can give files away");
        return;
    }
    leave("file.tmp-1", SOMEBODY, 2 * HOUR);
    if (!save_without_locks()) return;
    ck_assert(is_there("file.tmp-1"));
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

START_TEST(test_many_files_under_way_do_not_prevent_another_where_there_are_no_locks)
{
    enum { MANY = 20 };
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "file.tmp%d", i);
        leave(name, OURS, 0);
    }
    if (!save_without_locks()) return;
    ck_assert(is_there("file"));
    ck_assert_uint_eq(support_file_count(), MANY + 1);
}
END_TEST

/* Opening one waits for a reader, unless it is told not to. */
START_TEST(test_pipe_with_the_name_of_a_leftover_keeps_nobody_waiting)
{
    lb_error error = {0};
    ck_assert_int_eq(mkfifo(support_path("file.tmp-1"), 0600), 0);
    ck_assert_msg(lb_file_write_atomic(support_path("file"), "one", 3, &error) == LB_OK, "%s", error.message);
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

/* Each name has the number of the process and that of the file. */
START_TEST(test_files_under_way_have_names_of_their_own_without_a_clock)
{
    char expected[SUPPORT_PATH + LB_OS_NEW_SUFFIX], name[SUPPORT_PATH + LB_OS_NEW_SUFFIX];
    if (!can_refuse()) return;
    support_fail_clock(true);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(lb_os_is_open(lb_os_new_open(support_path("file"), name, sizeof name)));
        snprintf(expected, sizeof expected, "%s.tmp-%lx-0-0-%x", support_path("file"), (long)getpid(), i);
        ck_assert_str_eq(name, expected);
    }
    support_fail_clock(false);
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

START_TEST(test_file_that_cannot_be_created_is_an_error_with_its_reason)
{
    char name[SUPPORT_PATH + LB_OS_NEW_SUFFIX];
    if (!can_refuse()) return;
    ck_assert(!lb_os_is_open(lb_os_new_open(support_path("missing/file"), name, sizeof name)));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_no_file_descriptors_left_is_an_error_with_its_reason)
{
    char name[SUPPORT_PATH + LB_OS_NEW_SUFFIX];
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)support_next_descriptor();
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    lb_os_handle file = lb_os_new_open(support_path("file"), name, sizeof name);
    int reason = errno;
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert(!lb_os_is_open(file));
    ck_assert_int_eq(reason, EMFILE);
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST
