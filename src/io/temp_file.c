/* How several writers, and those that were killed, get along.
 *
 * A new file has no name until it is whole (O_TMPFILE), so a kill leaves nothing behind. Where a file system has no
 * such files, it has a name of its own from the start: process, time and a counter. Its writer holds a lock on it,
 * which the system releases when the process dies: a file that can be locked is a leftover. Where there are no locks,
 * it is one if it is ours and an hour old. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "io/file.h"

#include "io/path.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 16, OLD_SECONDS = 3600 };

static void choose_name(const char *path, char *name, size_t size)
{
    static atomic_uint count;
    struct timespec now;
    /* Without a clock, process and counter still tell apart all files that are under way. */
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) now = (struct timespec){0};
    snprintf(name, size, "%s.tmp-%lx-%llx-%lx-%x", path, (long)getpid(), (unsigned long long)now.tv_sec,
             now.tv_nsec, atomic_fetch_add(&count, 1));
}

static bool is_temp(const char *entry, const char *file)
{
    size_t length = strlen(file);
    if (strncmp(entry, file, length) != 0 || strncmp(entry + length, ".tmp", 4) != 0) return false;
    const char *rest = entry + length + 4;
    return *rest && rest[strspn(rest, "0123456789abcdef-")] == '\0';
}

static void remove_leftover(int folder, const char *name)
{
    struct stat named, opened;
    int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0, used = !locked && errno == EWOULDBLOCK;
    /* Its writer may have renamed it, and another file may have its name. */
    bool same = !used && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &opened) == 0 &&
                lb_is_one_file(&named, &opened);
    bool old_and_ours = same && opened.st_uid == geteuid() && time(NULL) - opened.st_mtime > OLD_SECONDS;
    if (old_and_ours || (same && locked)) unlinkat(folder, name, 0);
    close(fd);
}

static void remove_leftovers(int folder, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (!entries) {
        if (fd >= 0) close(fd);
        return;
    }
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        if (is_temp(entry->d_name, file)) remove_leftover(folder, entry->d_name);
    closedir(entries);
}

/* A file without a name; -1 if there are none here, or none that could get a name later. */
static int open_nameless(int folder, mode_t mode)
{
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0)
        return openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
#endif
    (void)folder;
    (void)mode;
    return -1;
}

/* Between creation and lock, another process may have removed the file as a leftover: it is tried again. */
static int open_named(const char *path, mode_t mode, char *name, size_t size)
{
    struct stat named;
    for (int i = 0; i < TRIES; i++) {
        choose_name(path, name, size);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return -1;
        bool removed = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!removed && (lstat(name, &named) == 0 || errno != ENOENT)) return fd;
        close(fd);
    }
    errno = EEXIST;
    return -1;
}

int lb_temp_open(int folder, const char *path, mode_t mode, char *name, size_t size)
{
    assert(size >= strlen(path) + LB_TEMP_SUFFIX);
    remove_leftovers(folder, path);
    *name = '\0';
    int fd = open_nameless(folder, mode);
    return fd < 0 ? open_named(path, mode, name, size) : fd;
}

bool lb_temp_name(int fd, const char *path, char *name, size_t size)
{
    char link[64];
    if (*name) return true;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    flock(fd, LOCK_EX | LOCK_NB);
    choose_name(path, name, size);
    if (linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return true;
    *name = '\0';
    return false;
}

void lb_temp_remove(const char *name)
{
    int reason = errno;
    if (*name) unlink(name);
    errno = reason;
}
