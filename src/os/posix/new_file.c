/* How several writers, and those that were killed, get along.
 *
 * A new file has no name until it is whole, so a kill leaves nothing behind. Where a file system has no such files
 * (O_TMPFILE), it has a name of its own from the start: process, time and a counter. Its writer locks it until
 * the process dies: a file that can be locked is a leftover. Where there are no locks, it is one if it is ours and an
 * hour old. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "os/os.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 16, OLD_SECONDS = 3600 };

/* Opens the folder of the file `path`, or a file without a name in it. */
static int open_beside(const char *path, int flags, mode_t mode)
{
    char folder[LB_OS_PATH];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    errno = ENAMETOOLONG;
    if (length >= sizeof folder) return -1;
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    return open(folder, flags | O_CLOEXEC, mode);
}

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
    lb_os_lock_result lock = lb_os_lock(lb_os_handle_of(fd));
    /* Its writer may have renamed it, and another file may have its name. */
    bool same = lock != LB_OS_LOCKED_BY_OTHERS && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
    bool old_and_ours = same && opened.st_uid == geteuid() && time(NULL) - opened.st_mtime > OLD_SECONDS;
    if (old_and_ours || (same && lock == LB_OS_LOCKED)) unlinkat(folder, name, 0);
    close(fd);
}

static void remove_leftovers(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    int folder = open_beside(path, O_RDONLY | O_DIRECTORY, 0);
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;)
        if (is_temp(entry->d_name, file)) remove_leftover(folder, entry->d_name);
    if (entries)
        closedir(entries);
    else if (folder >= 0)
        close(folder);
}

/* A file without a name; -1 if there are none here, or none that could get a name later. */
static int open_nameless(const char *path)
{
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0) return open_beside(path, O_TMPFILE | O_WRONLY, 0666);
#endif
    (void)path;
    return -1;
}

/* Between creation and lock, another process may have removed the file as a leftover: it is tried again. */
static lb_os_handle open_named(const char *path, char *name, size_t size)
{
    lb_os_info named;
    for (int i = 0; i < TRIES; i++) {
        choose_name(path, name, size);
        lb_os_handle file = lb_os_open(name, LB_OS_WRITE | LB_OS_NEW);
        if (!lb_os_is_open(file) && errno == EEXIST) continue;
        if (!lb_os_is_open(file)) return file;
        bool removed = lb_os_lock(file) == LB_OS_LOCKED_BY_OTHERS;
        if (!removed && (lb_os_info_at(name, false, &named) || errno != ENOENT)) return file;
        lb_os_drop(&file);
    }
    errno = EEXIST;
    return (lb_os_handle){0};
}

lb_os_handle lb_os_new_open(const char *path, char *name, size_t size)
{
    struct stat old;
    assert(size >= strlen(path) + LB_OS_NEW_SUFFIX);
    *name = '\0';
    remove_leftovers(path);
    int fd = open_nameless(path);
    lb_os_handle file = fd < 0 ? open_named(path, name, size) : lb_os_handle_of(fd);
    if (lb_os_is_open(file) && lstat(path, &old) == 0 &&
        fchmod(lb_os_descriptor(file), old.st_mode & 0777) != 0)
        lb_os_drop(&file);
    return file;
}

bool lb_os_new_name(lb_os_handle file, const char *path, char *name, size_t size)
{
    char link[64];
    if (*name) return true;
    snprintf(link, sizeof link, "/proc/self/fd/%d", lb_os_descriptor(file));
    (void)lb_os_lock(file);
    choose_name(path, name, size);
    if (lb_os_link(link, name)) return true;
    *name = '\0';
    return false;
}

/* Some file systems cannot sync a folder and return EINVAL; this cannot be helped. */
bool lb_os_sync_name(const char *path)
{
    int folder = open_beside(path, O_RDONLY | O_DIRECTORY, 0);
    bool synced = folder < 0 || fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP;
    int reason = errno;
    if (folder >= 0) close(folder);
    errno = reason;
    return synced;
}

/* A disk that is full later would end the process. */
void *lb_os_map_beside(const char *path, size_t bytes)
{
    void *memory = MAP_FAILED;
#ifdef O_TMPFILE
    int fd = open_beside(path, O_TMPFILE | O_RDWR, 0600);
    if (fd < 0) return NULL;
    if (posix_fallocate(fd, 0, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
#else
    (void)path, (void)bytes;
#endif
    return memory == MAP_FAILED ? NULL : memory;
}

void lb_os_unmap(void *memory, size_t bytes)
{
    munmap(memory, bytes);
}
