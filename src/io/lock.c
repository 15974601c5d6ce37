#include "io/lock.h"

#include "base/alloc.h"
#include "io/own_file.h"
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 24 };

struct lb_lock {
    char *path;
    int fd;
};

static bool is_file_of(const char *path, int fd)
{
    struct stat named, opened;
    return lstat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

static lb_status refuse(const char *folder, int fd, lb_error *error)
{
    char digits[DIGITS] = "", process[DIGITS + 16] = "";
    ssize_t count = pread(fd, digits, sizeof digits - 1, 0);
    long number = count > 0 ? strtol(digits, NULL, 10) : 0;
    if (number > 0) snprintf(process, sizeof process, ", process %ld", number);
    return lb_error_set(error, LB_ERROR_BUSY, "%s: another training writes to this folder%s", folder,
                        process);
}

/* For whoever is refused; without it the lock holds as well. */
static void write_number(int fd)
{
    char digits[DIGITS];
    int length = snprintf(digits, sizeof digits, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0 && pwrite(fd, digits, (size_t)length, 0) != length) errno = 0;
}

static lb_status lock_file(lb_lock *lock, const char *folder, lb_error *error)
{
    for (;;) {
        lock->fd = lb_own_open(lock->path, O_RDWR | O_CREAT, error);
        if (lock->fd < 0) return LB_ERROR_WRITE;
        bool locked = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
        if (!locked && errno == EWOULDBLOCK) return refuse(folder, lock->fd, error);
        /* The last holder may have removed the file before it unlocked it. */
        if (!locked || is_file_of(lock->path, lock->fd)) break;
        close(lock->fd);
    }
    write_number(lock->fd);
    return LB_OK;
}

lb_status lb_lock_folder(const char *folder, lb_lock **lock, lb_error *error)
{
    lb_lock made = {.fd = -1};
    *lock = NULL;
    made.path = lb_folder_path(folder, ".lock", error);
    lb_status status = made.path ? lock_file(&made, folder, error) : LB_ERROR_MEMORY;
    if (!status) {
        *lock = lb_alloc(sizeof **lock);
        if (*lock) **lock = made;
        if (!*lock) status = lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", made.path);
    }
    if (!status) return LB_OK;
    if (made.fd >= 0) close(made.fd);
    lb_release(made.path);
    return status;
}

void lb_lock_free(lb_lock *lock)
{
    if (!lock) return;
    unlink(lock->path);
    close(lock->fd);
    lb_release(lock->path);
    lb_release(lock);
}
