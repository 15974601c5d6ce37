#include "io/file.h"

#include "base/alloc.h"
#include "io/own_file.h"
#include "io/path.h"
#include "io/temp_file.h"
#include "io/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 4096 };

static bool write_parts(int fd, const lb_bytes *parts, size_t part_count)
{
    for (size_t p = 0; p < part_count; p++)
        if (!lb_write_all(fd, parts[p].data, parts[p].count)) return false;
    return fsync(fd) == 0;
}

/* A descriptor of the folder of `path`, or -1. */
static int open_folder(const char *path)
{
    char *folder = lb_folder_of(path);
    if (!folder) {
        errno = ENOMEM;
        return -1;
    }
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

bool lb_file_sync_name(const char *path)
{
    int folder = open_folder(path);
    if (folder < 0) return true;
    bool synced = sync_folder(folder);
    int reason = errno;
    close(folder);
    errno = reason;
    return synced;
}

/* `name` has room for the name of the new file. */
static lb_status replace(const char *path, const char *target, int folder, char *name, size_t size,
                         const lb_bytes *parts, size_t part_count, lb_error *error)
{
    struct stat old;
    bool exists = lstat(target, &old) == 0;
    if (!exists && errno != ENOENT) return lb_cannot_write(path, strerror(errno), error);
    if (exists && S_ISDIR(old.st_mode)) return lb_cannot_write(path, strerror(EISDIR), error);
    if (exists && !S_ISREG(old.st_mode)) return lb_cannot_write(path, "not a regular file", error);
    int fd = lb_temp_open(folder, target, 0666, name, size);
    if (fd < 0) return lb_cannot_write(path, strerror(errno), error);
    lb_status status = LB_OK;
    if ((exists && fchmod(fd, old.st_mode & 0777) != 0) || !write_parts(fd, parts, part_count) ||
        !lb_temp_rename(fd, target, name, size)) {
        status = lb_cannot_write(path, strerror(errno), error);
        lb_temp_remove(name);
    } else if (!sync_folder(folder)) {
        status = lb_cannot_write(path, strerror(errno), error);
    }
    close(fd);
    return status;
}

/* Writes `target`, which messages call `path`. */
static lb_status write_file(const char *path, const char *target, const lb_bytes *parts, size_t part_count,
                            lb_error *error)
{
    size_t size = strlen(target) + LB_TEMP_SUFFIX;
    char *name = lb_alloc(size);
    int folder = name ? open_folder(target) : -1;
    lb_status status;
    if (!name || (folder < 0 && errno == ENOMEM))
        status = lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    else if (folder < 0)
        status = lb_cannot_write(path, strerror(errno), error);
    else
        status = replace(path, target, folder, name, size, parts, part_count, error);
    if (folder >= 0) close(folder);
    lb_release(name);
    return status;
}

lb_status lb_file_write_parts(const char *path, const lb_bytes *parts, size_t part_count, lb_error *error)
{
    char target[PATH_MAX];
    struct stat found;
    if (lstat(path, &found) != 0 || !S_ISLNK(found.st_mode))
        return write_file(path, path, parts, part_count, error);
    if (realpath(path, target)) return write_file(path, target, parts, part_count, error);
    if (errno != ENOENT) return lb_cannot_write(path, strerror(errno), error);
    return lb_cannot_write(path, "a link to a file that does not exist", error);
}

lb_status lb_file_write_own(const char *path, const lb_bytes *parts, size_t part_count, lb_error *error)
{
    lb_status status = lb_own_check(path, "a file", error);
    return status ? status : write_file(path, path, parts, part_count, error);
}

lb_status lb_file_write_atomic(const char *path, const void *bytes, size_t count, lb_error *error)
{
    return lb_file_write_parts(path, &(lb_bytes){bytes, count}, 1, error);
}

lb_status lb_file_is_endless(const char *path, size_t most, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: found a pipe or device with more than %zu bytes, expected a file", path, most);
}

/* Reads up to the end of the file, or one byte more than `most`. `guess` is the size that the system reports: only an
 * estimate. */
static lb_status read_to_end(int fd, const char *path, size_t guess, size_t most, void **bytes, size_t *count,
                             lb_error *error)
{
    size_t capacity = (guess < most ? guess : most) + 1, used = 0;
    char *buffer = lb_alloc(capacity);
    while (buffer) {
        ssize_t got = read(fd, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int reason = errno;
            lb_release(buffer);
            return lb_cannot_read(path, strerror(reason), error);
        }
        used += (size_t)got;
        if (got == 0 || used > most) {
            if (got == 0) buffer[used] = '\0';
            *bytes = buffer;
            *count = used;
            return LB_OK;
        }
        if (used < capacity) continue;
        capacity = capacity <= most / 2 ? 2 * capacity + FIRST_READ : most + 1;
        if (capacity > most) capacity = most + 1;
        char *grown = lb_alloc_grow(buffer, used, capacity);
        if (!grown) lb_release(buffer);
        buffer = grown;
    }
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for %zu bytes", path, capacity);
}

bool lb_file_is_missing(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

/* Reads an open file and closes it. */
static lb_status read_opened(int fd, const char *path, size_t most, void **bytes, size_t *count,
                             lb_error *error)
{
    struct stat info;
    lb_status status = fstat(fd, &info) == 0 ? LB_OK : lb_cannot_read(path, strerror(errno), error);
    size_t guess = !status && S_ISREG(info.st_mode) ? (size_t)info.st_size : FIRST_READ;
    if (most == 0) most = guess > LB_FILE_STREAM ? guess : LB_FILE_STREAM;
    if (!status) status = read_to_end(fd, path, guess, most, bytes, count, error);
    close(fd);
    if (status || *count <= most) return status;
    lb_release(*bytes);
    *bytes = NULL;
    *count = 0;
    if (most == LB_FILE_STREAM) return lb_file_is_endless(path, most, error);
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found more than %zu bytes, expected fewer", path, most);
}

lb_status lb_file_read(const char *path, size_t most, void **bytes, size_t *count, lb_error *error)
{
    *bytes = NULL;
    *count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? lb_cannot_read(path, strerror(errno), error)
                  : read_opened(fd, path, most, bytes, count, error);
}

lb_status lb_file_read_own(const char *path, size_t most, void **bytes, size_t *count, lb_error *error)
{
    *bytes = NULL;
    *count = 0;
    int fd = lb_own_open(path, O_RDONLY, error);
    return fd < 0 ? LB_ERROR_OPEN : read_opened(fd, path, most, bytes, count, error);
}
