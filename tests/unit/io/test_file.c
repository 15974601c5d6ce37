/* Files are written atomically, whatever comes between. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "io/file.h"
#include "support/alloc.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

static lb_status save(const char *path, const char *text, lb_error *error)
{
    return lb_file_write_atomic(path, text, strlen(text), error);
}

START_TEST(test_write_new_file_holds_the_bytes_and_nothing_else_lies_there)
{
    lb_error error = {0};
    ck_assert_int_eq(save(support_path("new"), "hello", &error), LB_OK);
    ck_assert_int_eq(error.status, LB_OK);
    assert_content(support_path("new"), "hello");
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_write_shorter_content_replaces_the_longer)
{
    const char *path = support_path("file");
    ck_assert_int_eq(save(path, "something long", NULL), LB_OK);
    ck_assert_int_eq(save(path, "short", NULL), LB_OK);
    assert_content(path, "short");
    ck_assert_int_eq(save(path, "", NULL), LB_OK);
    assert_content(path, "");
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_write_parts_joins_them_in_order)
{
    const lb_bytes parts[] = {{"one ", 4}, {NULL, 0}, {"two ", 4}, {"three", 5}};
    const char *path = support_path("file");
    ck_assert_int_eq(lb_file_write_parts(path, parts, 4, NULL), LB_OK);
    assert_content(path, "one two three");
    ck_assert_int_eq(lb_file_write_parts(path, NULL, 0, NULL), LB_OK);
    assert_content(path, "");
}
END_TEST

START_TEST(test_write_relative_path_writes_into_the_current_folder)
{
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    ck_assert_int_eq(save("relative", "here", NULL), LB_OK);
    assert_content("relative", "here");
    ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(test_write_existing_file_hands_on_its_permissions)
{
    struct stat info;
    const char *path = support_path("secret");
    support_write_file(path, "old", 3);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(save(path, "new", NULL), LB_OK);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0600);
}
END_TEST

START_TEST(test_write_symbolic_link_replaces_its_target)
{
    struct stat info;
    ck_assert_int_eq(mkdir(support_path("elsewhere"), 0700), 0);
    support_write_file(support_path("elsewhere/target"), "old", 3);
    ck_assert_int_eq(symlink("elsewhere/target", support_path("link")), 0);
    const char *second = support_path("second");
    ck_assert_int_eq(symlink("link", second), 0);
    ck_assert_int_eq(save(second, "new", NULL), LB_OK);
    ck_assert_int_eq(lstat(support_path("link"), &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    ck_assert_int_eq(lstat(second, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    assert_content(support_path("elsewhere/target"), "new");
}
END_TEST

static void assert_write_fails(const char *path, const char *reason)
{
    lb_error error = {0};
    ck_assert_int_eq(save(path, "new", &error), LB_ERROR_WRITE);
    ck_assert_int_eq(error.status, LB_ERROR_WRITE);
    ck_assert_msg(strstr(error.message, path) != NULL, "no path in: %s", error.message);
    ck_assert_msg(strstr(error.message, reason) != NULL, "no '%s' in: %s", reason, error.message);
}

START_TEST(test_write_impossible_path_fails_with_path_and_reason)
{
    const char *device;
    assert_write_fails(support_path("no/such/folder"), strerror(ENOENT));
    assert_write_fails(support_tempdir(), strerror(EISDIR));
    /* Through a link of our own: if the check ever breaks, root loses the link and not the machine's device. */
    ck_assert_int_eq(symlink("/dev/null", device = support_path("device")), 0);
    assert_write_fails(device, "not a regular file");
    ck_assert_int_eq(unlink(device), 0);
    ck_assert_int_eq(symlink("nothing", device), 0);
    assert_write_fails(device, "a link to a file that does not exist");
    ck_assert_int_eq(unlink(device), 0);
    ck_assert_int_eq(symlink("device", device), 0);
    assert_write_fails(device, strerror(ELOOP));
    ck_assert_int_eq(mkfifo(support_path("fifo"), 0600), 0);
    assert_write_fails(support_path("fifo"), "not a regular file");
    support_write_file(support_path("file"), "", 0);
    assert_write_fails(support_path("file/below"), strerror(ENOTDIR));
    ck_assert_uint_eq(support_file_count(), 3);
}
END_TEST

/* root may write everywhere, so this drops root privileges in a child. */
static int save_unprivileged(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
        _exit((int)save(path, "new", NULL));
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(test_write_folder_without_permission_fails_and_spares_the_old_file)
{
    const char *path = support_path("file");
    support_write_file(path, "old", 3);
    ck_assert_int_eq(chmod(support_tempdir(), 0555), 0);
    ck_assert_int_eq(save_unprivileged(path), LB_ERROR_WRITE);
    assert_content(path, "old");
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_write_disk_full_fails_and_spares_the_old_file)
{
    static char large[20000];
    const char *path = support_path("file");
    support_write_file(path, "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 10000;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    lb_error error = {0};
    lb_status status = lb_file_write_atomic(path, large, sizeof large, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(status, LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, strerror(EFBIG)));
    assert_content(path, "old");
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_write_all_writes_all_files_or_none)
{
    const char *bad;
    const lb_bytes before = {"before", 6}, after = {"after", 5};
    const char *old = support_path("old");
    support_write_file(old, before.data, before.count);
    const char *new = support_path("new");
    static const char *const names[] = {"none/file", "folder", "."};
    ck_assert_int_eq(mkdir(bad = support_path("folder"), 0700), 0);
    for (size_t i = 0; SUPPORT_ROW(i, names); i++) {
        const lb_new_file files[] = {
            {old, &after, 1}, {new, &after, 1}, {bad = support_path(names[i]), &after, 1}};
        lb_error error = {0};
        ck_assert_int_eq(lb_file_write_all(files, 3, &error), LB_ERROR_WRITE);
        ck_assert_msg(strstr(error.message, bad) != NULL, "%s", error.message);
        ck_assert_uint_eq(support_file_count(), 2);
        size_t count;
        char *kept = support_read_file(old, &count);
        ck_assert_str_eq(kept, "before");
        free(kept);
        ck_assert_int_ne(access(new, F_OK), 0);
    }
    const lb_new_file files[] = {{old, &after, 1}, {new, (lb_bytes[]){after, before}, 2}};
    ck_assert_int_eq(lb_file_write_all(files, 2, NULL), LB_OK);
    size_t count;
    char *first = support_read_file(old, &count), *second = support_read_file(new, &count);
    ck_assert_str_eq(first, "after");
    ck_assert_str_eq(second, "afterbefore");
    free(first);
    free(second);
    ck_assert_uint_eq(support_file_count(), 3);
}
END_TEST

START_TEST(test_write_after_a_kill_removes_the_leftover)
{
    support_write_file(support_path("file.tmp0"), "half", 4);
    support_write_file(support_path("file.tmp-1f-6921-3b9aca00-0"), "half", 4);
    support_write_file(support_path("other.tmp0"), "half", 4);
    support_write_file(support_path("file.tmpx"), "half", 4);
    ck_assert_int_eq(save(support_path("file"), "whole", NULL), LB_OK);
    assert_content(support_path("file"), "whole");
    assert_content(support_path("other.tmp0"), "half");
    assert_content(support_path("file.tmpx"), "half");
    ck_assert_uint_eq(support_file_count(), 3);
}
END_TEST

START_TEST(test_write_while_many_others_are_under_way_leaves_their_files_alone)
{
    enum { OTHERS = 40 };
    const char *busy;
    char name[32];
    for (int i = 0; i < OTHERS; i++) {
        snprintf(name, sizeof name, "file.tmp%d", i);
        support_write_file(busy = support_path(name), "half", 4);
        int fd = open(busy, O_WRONLY);
        ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    }
    ck_assert_int_eq(save(support_path("file"), "whole", NULL), LB_OK);
    assert_content(support_path("file"), "whole");
    assert_content(busy, "half");
    ck_assert_uint_eq(support_file_count(), OTHERS + 1);
}
END_TEST

START_TEST(test_write_and_read_leave_no_file_open)
{
    void *bytes;
    size_t count;
    const char *path = support_path("file");
    int before = support_next_descriptor();
    ck_assert_int_eq(save(path, "one", NULL), LB_OK);
    ck_assert_int_eq(save(path, "two", NULL), LB_OK);
    ck_assert(lb_os_sync_name(path));
    ck_assert_int_eq(save(support_path("missing/file"), "one", NULL), LB_ERROR_WRITE);
    ck_assert_int_eq(save(support_tempdir(), "one", NULL), LB_ERROR_WRITE);
    ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, NULL), LB_OK);
    lb_release(bytes);
    ck_assert_int_eq(lb_file_read(support_path("missing/file"), 0, &bytes, &count, NULL), LB_ERROR_OPEN);
    ck_assert_int_eq(lb_file_read(support_tempdir(), 0, &bytes, &count, NULL), LB_ERROR_OPEN);
    ck_assert_int_eq(support_next_descriptor(), before);
}
END_TEST

START_TEST(test_write_planted_link_at_the_temporary_name_is_not_followed)
{
    const char *victim = support_path("victim");
    support_write_file(victim, "precious", 8);
    ck_assert_int_eq(symlink(victim, support_path("file.tmp0")), 0);
    ck_assert_int_eq(link(victim, support_path("file.tmp1")), 0);
    ck_assert_int_eq(save(support_path("file"), "new", NULL), LB_OK);
    assert_content(support_path("file"), "new");
    assert_content(victim, "precious");
}
END_TEST

enum { CONTENT = 100000 };

/* Saves forever; each content is CONTENT times the same letter. */
static void save_in_a_loop(const char *path, char first)
{
    static char content[CONTENT];
    for (int i = 0;; i++) {
        memset(content, first + i % 10, sizeof content);
        if (lb_file_write_atomic(path, content, sizeof content, NULL)) _exit(1);
    }
}

/* Returns its letter. */
static char assert_whole(const char *path)
{
    size_t count;
    char *content = support_read_file(path, &count);
    ck_assert_uint_eq(count, CONTENT);
    size_t same = 1;
    while (same < count && content[same] == content[0]) same++;
    ck_assert_msg(same == count, "torn at byte %zu", same);
    char letter = content[0];
    free(content);
    return letter;
}

/* That is after each of its calls for files, in the first saves and in later ones. */
START_TEST(test_write_killed_at_any_call_leaves_a_whole_file)
{
    enum { KILLS = 50 };
    char stop[32];
    char *first = calloc(CONTENT, 1);
    const char *path = support_path("file");
    ck_assert_int_eq(lb_file_write_atomic(path, first, CONTENT, NULL), LB_OK);
    free(first);
    for (int kills = 1; kills <= KILLS; kills++) {
        pid_t child = fork();
        if (child == 0) {
            snprintf(stop, sizeof stop, "file %d KILL", kills);
            support_stop(stop);
            save_in_a_loop(path, 'a');
        }
        int status;
        waitpid(child, &status, 0);
        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "a save failed");
        assert_whole(path);
        ck_assert_uint_le(support_file_count(), 2);
    }
    ck_assert_int_eq(save(path, "last", NULL), LB_OK);
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

/* A folder comes to lie at the path while the file is under way. What was renamed before and is new is taken back. */
START_TEST(test_write_rename_that_fails_is_an_error_and_leaves_no_new_file)
{
    char stop[2 * SUPPORT_PATH];
    const lb_bytes text = {"new", 3};
    lb_error error = {0};
    const char *first = support_path("first");
    const char *second = support_path("second");
    const lb_new_file files[] = {{first, &text, 1}, {second, &text, 1}};
    for (int replaces = 0; replaces < 2; replaces++) {
        if (replaces) support_write_file(first, "old", 3);
        snprintf(stop, sizeof stop, "fsync 2 sh mkdir %s", second);
        support_stop(stop);
        ck_assert_int_eq(lb_file_write_all(files, 2, &error), LB_ERROR_WRITE);
        support_stop(NULL);
        ck_assert_ptr_nonnull(strstr(error.message, second));
        ck_assert_ptr_nonnull(strstr(error.message, strerror(EISDIR)));
        ck_assert_uint_eq(support_file_count(), replaces ? 2 : 1);
        if (replaces) assert_content(first, "new");
        ck_assert_int_eq(rmdir(second), 0);
    }
}
END_TEST

/* Until the file has been seen to change so often. */
START_TEST(test_write_by_three_processes_at_once_is_never_torn)
{
    enum { WRITERS = 3, CHANGES = 50 };
    pid_t writers[WRITERS];
    char *first = calloc(CONTENT, 1);
    const char *path = support_path("file");
    ck_assert_int_eq(lb_file_write_atomic(path, first, CONTENT, NULL), LB_OK);
    free(first);
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        if (writers[w] == 0) save_in_a_loop(path, (char)('A' + 10 * w));
    }
    char last = '\0';
    for (int changes = 0; changes < CHANGES;) {
        char letter = assert_whole(path);
        changes += letter != last;
        last = letter;
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        kill(writers[w], SIGKILL);
        waitpid(writers[w], &status, 0);
        ck_assert_msg(WIFSIGNALED(status), "a save failed");
    }
    assert_whole(path);
    ck_assert_int_eq(save(path, "last", NULL), LB_OK);
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

START_TEST(test_any_call_failing_allocation_is_an_error_and_leaks_nothing)
{
    const char *path = support_path("file");
    support_watch_allocations();
    ck_assert_int_eq(save(path, "old", NULL), LB_OK);
    long in_write = support_allocation_count();
    void *bytes;
    size_t count;
    ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, NULL), LB_OK);
    lb_release(bytes);
    long in_read = support_allocation_count() - in_write;
    ck_assert_int_gt(in_write, 0);
    ck_assert_int_gt(in_read, 0);
    for (long n = 1; n <= in_write; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(save(path, "new", NULL), LB_ERROR_MEMORY);
    }
    for (long n = 1; n <= in_read; n++) {
        support_fail_allocation(n);
        ck_assert_int_eq(lb_file_read(path, 0, &bytes, &count, NULL), LB_ERROR_MEMORY);
        ck_assert_ptr_null(bytes);
    }
    ck_assert_int_eq(support_live_allocations(), 0);
    assert_content(path, "old");
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

/* The hash of a file is that of its pieces. */

enum { PIECE = 1 << 20, MOST = 2 * PIECE + 3 };

static lb_error failure;

START_TEST(test_hash_of_a_file_is_that_of_its_pieces)
{
    static const size_t counts[] = {0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, MOST};
    char *text = malloc(MOST);
    for (size_t i = 0; i < MOST; i++) text[i] = (char)(i * i >> 8);
    for (size_t c = 0; SUPPORT_ROW(c, counts); c++) {
        uint64_t hash, bytes, expected = LB_HASH;
        support_write_file(support_path("file"), text, counts[c]);
        for (size_t at = 0; at < counts[c]; at += PIECE)
            expected = lb_hash_long(expected, text + at, counts[c] - at < PIECE ? counts[c] - at : PIECE);
        ck_assert_msg(lb_file_hash(support_path("file"), &hash, &bytes, &failure) == LB_OK, "%s",
                      failure.message);
        ck_assert_uint_eq(bytes, counts[c]);
        ck_assert_msg(hash == expected, "%zu bytes", counts[c]);
    }
    free(text);
}
END_TEST

START_TEST(test_hash_of_what_cannot_be_read_is_an_error_with_path_and_reason)
{
    uint64_t hash, bytes;
    ck_assert_int_eq(lb_file_hash("/nowhere/file", &hash, &bytes, &failure), LB_ERROR_OPEN);
    ck_assert_str_eq(failure.message, "/nowhere/file: cannot read: No such file or directory");
    failure = (lb_error){0};
    ck_assert_int_eq(lb_file_hash("/", &hash, &bytes, &failure), LB_ERROR_OPEN);
    ck_assert_str_eq(failure.message, "/: cannot read: Is a directory");
}
END_TEST

START_TEST(test_hash_failing_allocation_is_an_error_and_leaks_nothing)
{
    uint64_t hash, bytes;
    support_write_file(support_path("file"), "text", 4);
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_int_eq(lb_file_hash(support_path("file"), &hash, &bytes, &failure), LB_ERROR_MEMORY);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
