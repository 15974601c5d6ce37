/* Names of files: folders, links, new files that have none yet, and files that nobody finds. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "os/posix/descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(PATH_MAX <= LB_OS_PATH, "realpath writes up to PATH_MAX bytes");

const char lb_os_separators[] = "/";

bool lb_os_resolve(const char *path, char target[LB_OS_PATH])
{
    return realpath(path, target) != NULL;
}

bool lb_os_make_folder(const char *path)
{
    return mkdir(path, 0777) == 0;
}

bool lb_os_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool lb_os_link(const char *path, const char *name)
{
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

bool lb_os_remove(const char *path)
{
    return unlink(path) == 0;
}

bool lb_os_remove_folder(const char *folder)
{
    return rmdir(folder) == 0;
}

void lb_os_list(lb_os_handle folder, void (*visit)(void *context, const char *name), void *context)
{
    int fd = openat(lb_os_descriptor(folder), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (!entries) {
        if (fd >= 0) close(fd);
        return;
    }
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        visit(context, entry->d_name);
    closedir(entries);
}

void lb_os_remove_abandoned(lb_os_handle folder, const char *name, int64_t seconds)
{
    struct stat named, opened;
    int in = lb_os_descriptor(folder), fd = openat(in, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    lb_os_lock_result lock = lb_os_lock(lb_os_handle_of(fd));
    /* Its writer may have renamed it, and another file may have its name. */
    bool same = lock != LB_OS_LOCKED_BY_OTHERS && fstatat(in, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
    bool old_and_ours = same && opened.st_uid == geteuid() && time(NULL) - opened.st_mtime > seconds;
    if (old_and_ours || (same && lock == LB_OS_LOCKED)) unlinkat(in, name, 0);
    close(fd);
}

/* ---- Files without a name. ---- */

/* Without /proc, a file without a name could not get one. */
lb_os_handle lb_os_nameless(lb_os_handle folder)
{
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0)
        return lb_os_handle_of(openat(lb_os_descriptor(folder), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
#endif
    (void)folder;
    return (lb_os_handle){0};
}

bool lb_os_give_name(lb_os_handle handle, const char *name)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", lb_os_descriptor(handle));
    (void)lb_os_lock(handle);
    return lb_os_link(link, name);
}

const char *lb_os_temp_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

lb_os_handle lb_os_temp_file(void)
{
    char path[LB_OS_PATH];
    int length = snprintf(path, sizeof path, "%s/lookback-XXXXXX", lb_os_temp_folder());
    if (length < 0 || length >= LB_OS_PATH) {
        errno = ENAMETOOLONG;
        return (lb_os_handle){0};
    }
    int fd = mkstemp(path);
#ifdef __EMSCRIPTEN__ /* a second descriptor opens the path again there; the file goes with its instance */
    if (fd >= 0) close(fd);
    return lb_os_handle_of(fd >= 0 ? open(path, O_RDWR) : -1);
#else
    if (fd >= 0) unlink(path);
    return lb_os_handle_of(fd);
#endif
}
