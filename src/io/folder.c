#include "io/path.h"

#include "base/alloc.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_one(const char *path)
{
    struct stat found;
    /* A power failure must not take the folder away when files in it have been saved. */
    if (mkdir(path, 0777) == 0) return lb_file_sync_name(path);
    return errno == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Creates the folder and its parents. After an error, `path` ends with the folder that could not be created. */
static bool make_all(char *path)
{
    size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        path[i] = '\0';
        if (!make_one(path)) return false;
        if (i < length) path[i] = '/';
    }
    return true;
}

lb_status lb_folder_make(const char *folder, lb_error *error)
{
    if (*folder == '\0')
        return lb_error_set(error, LB_ERROR_WRITE, "cannot write to a folder with an empty name");
    char *path = lb_alloc_string(folder);
    if (!path) return lb_out_of_memory_for(folder, error);
    lb_status status = LB_OK;
    if (!make_all(path) || access(folder, W_OK | X_OK) != 0)
        status = lb_error_set(error, LB_ERROR_WRITE, "cannot write to %s: %s", path,
                              strerror(errno == EEXIST ? ENOTDIR : errno));
    lb_release(path);
    return status;
}

/* ---- A folder for one process alone. ---- */

enum { DIGITS = 24 };

struct lb_lock {
    char *path;
    int fd;
};

static bool is_file_of(const char *path, int fd)
{
    struct stat named, opened;
    return lstat(path, &named) == 0 && fstat(fd, &opened) == 0 && lb_is_one_file(&named, &opened);
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

/* Writes the number that a refused process will name; without it the lock holds as well. */
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
        if (!*lock) status = lb_out_of_memory_for(made.path, error);
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

void lb_lock_leave(const lb_lock *lock)
{
    if (lock) close(lock->fd);
}

/* ---- A file that is about to be replaced, kept under another name. ---- */

enum { MOST = 10000, SUFFIX = 32 };

static void choose_name(const char *path, int number, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    snprintf(name, size, "%.*s.old-%d%s", (int)stem, path, number, path + stem);
}

static bool link_or_rename(const char *path, const char *name)
{
    if (linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return true;
    /* No links on this file system, or the file is on another one. */
    return errno != EEXIST && errno != ENOENT && rename(path, name) == 0;
}

/* `name` receives the first free name, under which the file is then, or the one that it has. */
static bool keep_file(const char *path, const struct stat *file, char *name, size_t size)
{
    struct stat found;
    for (int number = 1; number < MOST; number++) {
        choose_name(path, number, name, size);
        bool taken = lstat(name, &found) == 0;
        if (taken && lb_is_one_file(&found, file)) return true;
        if (taken) continue;
        if (link_or_rename(path, name)) return true;
        if (errno != EEXIST) return false;
    }
    errno = EEXIST;
    return false;
}

lb_status lb_set_aside(const char *path, char **kept, lb_error *error)
{
    struct stat file;
    size_t size = strlen(path) + SUFFIX;
    *kept = NULL;
    if (stat(path, &file) != 0)
        return errno == ENOENT ? LB_OK : lb_cannot_write(path, strerror(errno), error);
    char *name = lb_alloc(size);
    if (!name) return lb_out_of_memory_for(path, error);
    /* The name has to be on the disk before the file is replaced. */
    if (keep_file(path, &file, name, size) && lb_file_sync_name(name)) {
        *kept = name;
        return LB_OK;
    }
    lb_error_set(error, LB_ERROR_WRITE, "%s: cannot keep it under another name: %s", path, strerror(errno));
    lb_release(name);
    return LB_ERROR_WRITE;
}
