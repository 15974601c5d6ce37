#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* Temporary files.
 *
 * A save of `path` writes `path`.tmp0, or .tmp1 and so on if other saves of the same path are running. The writer of
 * a temporary file holds a lock on it, and the system releases the lock when the process dies. So a file that can be
 * locked is a leftover and can be removed, and a file that cannot be locked is in use.
 *
 * Two rules make this safe. A writer only writes to a file that it created itself (O_EXCL). And only the holder of the
 * lock may rename or remove a file, after checking that the name still refers to it: between creating and locking,
 * another process may have treated it as a leftover. */

enum { TEMP_SLOTS = 16, TEMP_SUFFIX = sizeof ".tmp15", FIRST_READ = 4096 };

typedef struct temp_file {
    char *name;
    int fd;
} temp_file;

static lb_status write_error(lb_error *error, const char *path, int reason)
{
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: %s", path, strerror(reason));
}

static bool names_open_file(const char *name, int fd)
{
    struct stat named, opened;
    return lstat(name, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

static void remove_leftover(const char *name)
{
    int fd = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && names_open_file(name, fd)) unlink(name);
    close(fd);
}

/* Creates the file and locks it; -1 with EEXIST in errno if another process has it. */
static int create_locked(const char *name, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return -1;
    /* A file system without locks (EOPNOTSUPP, ENOLCK) still has O_EXCL; only leftovers cannot be detected. */
    bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && names_open_file(name, fd)) return fd;
    close(fd);
    errno = EEXIST;
    return -1;
}

static lb_status temp_create(temp_file *temp, const char *path, mode_t mode, lb_error *error)
{
    size_t size = strlen(path) + TEMP_SUFFIX;
    temp->name = lb_alloc(size);
    if (!temp->name) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    for (int slot = 0; slot < TEMP_SLOTS; slot++) {
        snprintf(temp->name, size, "%s.tmp%d", path, slot);
        remove_leftover(temp->name);
    }
    for (int slot = 0; slot < TEMP_SLOTS; slot++) {
        snprintf(temp->name, size, "%s.tmp%d", path, slot);
        temp->fd = create_locked(temp->name, mode);
        if (temp->fd >= 0) return LB_OK;
        if (errno != EEXIST) break;
    }
    int reason = errno;
    lb_release(temp->name);
    return write_error(error, path, reason);
}

static bool write_all(int fd, lb_bytes part)
{
    const char *from = part.data;
    while (part.count > 0) {
        /* More than SSIZE_MAX at once is undefined. */
        ssize_t written = write(fd, from, part.count < SSIZE_MAX ? part.count : SSIZE_MAX);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        from += written;
        part.count -= (size_t)written;
    }
    return true;
}

static bool write_and_rename(const temp_file *temp, const char *path, const lb_bytes *parts,
                             size_t part_count)
{
    for (size_t p = 0; p < part_count; p++)
        if (!write_all(temp->fd, parts[p])) return false;
    return fsync(temp->fd) == 0 && rename(temp->name, path) == 0;
}

/* A descriptor of the folder of `path`, or -1. */
static int open_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = lb_alloc(length + 2);
    if (!folder) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(folder, slash ? path : ".", slash ? length : 1);
    folder[slash ? length : 1] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int reason = errno;
    lb_release(folder);
    errno = reason;
    return fd;
}

/* Some file systems cannot sync a folder and return EINVAL; this cannot be helped. */
static bool sync_folder(int folder)
{
    return fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP;
}

static lb_status replace(const char *path, int folder, const lb_bytes *parts, size_t part_count,
                         lb_error *error)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) return write_error(error, path, EISDIR);
    if (exists && !S_ISREG(old.st_mode))
        return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: not a regular file", path);

    temp_file temp = {.fd = -1};
    lb_status status = temp_create(&temp, path, 0666, error);
    if (status) return status;
    if ((exists && fchmod(temp.fd, old.st_mode & 0777) != 0) ||
        !write_and_rename(&temp, path, parts, part_count)) {
        status = write_error(error, path, errno);
        unlink(temp.name);
    } else if (!sync_folder(folder)) {
        status = write_error(error, path, errno);
    }
    close(temp.fd);
    lb_release(temp.name);
    return status;
}

lb_status lb_file_write_parts(const char *path, const lb_bytes *parts, size_t part_count, lb_error *error)
{
    int folder = open_folder(path);
    if (folder < 0 && errno == ENOMEM) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    if (folder < 0) return write_error(error, path, errno);
    lb_status status = replace(path, folder, parts, part_count, error);
    close(folder);
    return status;
}

lb_status lb_file_write_atomic(const char *path, const void *bytes, size_t count, lb_error *error)
{
    return lb_file_write_parts(path, &(lb_bytes){bytes, count}, 1, error);
}

static lb_status read_error(lb_error *error, const char *path, int reason)
{
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(reason));
}

/* Reads up to the end of the file; the size reported by the system is only an estimate (a pipe has none). */
static lb_status read_to_end(int fd, const char *path, size_t guess, void **bytes, size_t *count,
                             lb_error *error)
{
    size_t capacity = guess + 1, used = 0;
    char *buffer = lb_alloc(capacity);
    while (buffer) {
        ssize_t got = read(fd, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int reason = errno;
            lb_release(buffer);
            return read_error(error, path, reason);
        }
        if (got == 0) {
            buffer[used] = '\0';
            *bytes = buffer;
            *count = used;
            return LB_OK;
        }
        used += (size_t)got;
        if (used < capacity) continue;
        capacity = 2 * capacity + FIRST_READ;
        char *grown = lb_alloc_grow(buffer, used, capacity);
        if (!grown) lb_release(buffer);
        buffer = grown;
    }
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for %zu bytes", path, capacity);
}

lb_status lb_file_read(const char *path, void **bytes, size_t *count, lb_error *error)
{
    *bytes = NULL;
    *count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_error(error, path, errno);
    struct stat info;
    lb_status status;
    if (fstat(fd, &info) != 0)
        status = read_error(error, path, errno);
    else
        status = read_to_end(fd, path, S_ISREG(info.st_mode) ? (size_t)info.st_size : FIRST_READ, bytes,
                             count, error);
    close(fd);
    return status;
}
