#include "io/file.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { FIRST_READ = 4096, PIECE = 1 << 20 };

bool lb_write_all(int fd, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        /* More than SSIZE_MAX at once is undefined. */
        ssize_t written = write(fd, from, count < SSIZE_MAX ? count : SSIZE_MAX);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        from += written;
        count -= (size_t)written;
    }
    return true;
}

bool lb_read_all(int fd, void *bytes, size_t count, size_t *held)
{
    for (*held = 0; *held < count;) {
        size_t left = count - *held;
        ssize_t got = read(fd, (char *)bytes + *held, left < SSIZE_MAX ? left : SSIZE_MAX);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) break;
        *held += (size_t)got;
    }
    return true;
}

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

/* A new file under way. */
typedef struct staged {
    const char *path; /* for messages */
    char *target;     /* what it replaces: links are followed */
    char *name;       /* [size] its own; "" if it has none, and then nothing is to be removed */
    size_t size;
    int folder, file; /* descriptors; -1: none */
    bool replaces;    /* a file that was there */
} staged;

static lb_status failed(const staged *s, lb_error *error)
{
    int reason = errno;
    if (reason == ENOMEM) return lb_out_of_memory_for(s->path, error);
    return lb_cannot_write(s->path, strerror(reason), error);
}

/* Sets a copy of the path, or of that to which it leads as a link. */
static lb_status resolve(staged *s, bool follows, lb_error *error)
{
    char target[PATH_MAX];
    struct stat found;
    bool link = follows && lstat(s->path, &found) == 0 && S_ISLNK(found.st_mode);
    if (link && !realpath(s->path, target))
        return lb_cannot_write(
            s->path, errno == ENOENT ? "a link to a file that does not exist" : strerror(errno), error);
    s->target = lb_alloc_string(link ? target : s->path);
    return s->target ? LB_OK : lb_out_of_memory_for(s->path, error);
}

/* Writes the new file, under its own name or none. */
static lb_status stage(staged *s, const lb_new_file *file, bool follows, lb_error *error)
{
    struct stat old;
    *s = (staged){.path = file->path, .folder = -1, .file = -1};
    lb_status status = resolve(s, follows, error);
    if (status) return status;
    s->size = strlen(s->target) + LB_TEMP_SUFFIX;
    s->name = lb_alloc_zero(s->size);
    if (!s->name) return lb_out_of_memory_for(s->path, error);
    s->folder = open_folder(s->target);
    if (s->folder < 0) return failed(s, error);
    s->replaces = lstat(s->target, &old) == 0;
    if (!s->replaces && errno != ENOENT) return failed(s, error);
    if (s->replaces && S_ISDIR(old.st_mode)) return lb_cannot_write(s->path, strerror(EISDIR), error);
    if (s->replaces && !S_ISREG(old.st_mode)) return lb_cannot_write(s->path, "not a regular file", error);
    s->file = lb_temp_open(s->folder, s->target, 0666, s->name, s->size);
    if (s->file < 0) return lb_cannot_write(s->path, strerror(errno), error);
    bool written = (!s->replaces || fchmod(s->file, old.st_mode & 0777) == 0) &&
                   write_parts(s->file, file->parts, file->part_count);
    return written ? LB_OK : lb_cannot_write(s->path, strerror(errno), error);
}

static void unstage(staged *s)
{
    if (s->name) lb_temp_remove(s->name);
    if (s->file >= 0) close(s->file);
    if (s->folder >= 0) close(s->folder);
    lb_release(s->name);
    lb_release(s->target);
}

/* All get names of their own before the first is renamed: what a full disk refuses is known by then. */
static lb_status put_in_place(staged *all, size_t count, lb_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!lb_temp_name(all[i].file, all[i].target, all[i].name, all[i].size))
            return lb_cannot_write(all[i].path, strerror(errno), error);
    for (size_t i = 0; i < count; i++) {
        if (rename(all[i].name, all[i].target) == 0) continue;
        lb_status status = lb_cannot_write(all[i].path, strerror(errno), error);
        while (i-- > 0)
            if (!all[i].replaces) unlink(all[i].target);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        *all[i].name = '\0';
        if (!sync_folder(all[i].folder)) return lb_cannot_write(all[i].path, strerror(errno), error);
    }
    return LB_OK;
}

static lb_status write_all(const lb_new_file *files, size_t count, bool follows, lb_error *error)
{
    staged *all = lb_alloc((count + 1) * sizeof *all);
    lb_status status = LB_OK;
    size_t begun = 0;
    if (!all) return lb_out_of_memory_for(files->path, error);
    while (begun < count && !status) {
        status = stage(&all[begun], &files[begun], follows, error);
        begun++;
    }
    if (!status) status = put_in_place(all, count, error);
    for (size_t i = 0; i < begun; i++) unstage(&all[i]);
    lb_release(all);
    return status;
}

lb_status lb_file_write_all(const lb_new_file *files, size_t count, lb_error *error)
{
    return write_all(files, count, true, error);
}

lb_status lb_file_write_parts(const char *path, const lb_bytes *parts, size_t part_count, lb_error *error)
{
    return write_all(&(lb_new_file){path, parts, part_count}, 1, true, error);
}

lb_status lb_file_write_own(const char *path, const lb_bytes *parts, size_t part_count, lb_error *error)
{
    lb_status status = lb_own_check(path, "a file", error);
    return status ? status : write_all(&(lb_new_file){path, parts, part_count}, 1, false, error);
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
        size_t got;
        if (!lb_read_all(fd, buffer + used, capacity - used, &got)) {
            lb_status status = lb_cannot_read(path, strerror(errno), error);
            lb_release(buffer);
            return status;
        }
        used += got;
        if (used < capacity || used > most) {
            if (used < capacity) buffer[used] = '\0';
            *bytes = buffer;
            *count = used;
            return LB_OK;
        }
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

/* ---- Files that grow while they are read. ---- */

lb_status lb_file_append(const char *path, size_t size, const void *bytes, size_t count, lb_error *error)
{
    int file = lb_own_open(path, O_WRONLY | O_APPEND, error);
    if (file < 0) return LB_ERROR_WRITE;
    bool ready = size == LB_FILE_END || ftruncate(file, (off_t)size) == 0;
    bool written = ready && lb_write_all(file, bytes, count);
    int reason = errno;
    if (close(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    return written ? LB_OK : lb_cannot_write(path, strerror(reason), error);
}

/* ---- The hash of a file that may be larger than memory. ---- */

static bool hash_pieces(int descriptor, char *piece, uint64_t *hash, uint64_t *bytes)
{
    size_t held = PIECE;
    while (held == PIECE) {
        if (!lb_read_all(descriptor, piece, PIECE, &held)) return false;
        if (held > 0) *hash = lb_hash_long(*hash, piece, held);
        *bytes += held;
    }
    return true;
}

lb_status lb_file_hash(const char *path, uint64_t *hash, uint64_t *bytes, lb_error *error)
{
    *hash = LB_HASH;
    *bytes = 0;
    char *piece = lb_alloc(PIECE);
    if (!piece) return lb_out_of_memory_for(path, error);
    lb_status status = lb_own_check_content(path, error);
    int descriptor = status ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (!status && (descriptor < 0 || !hash_pieces(descriptor, piece, hash, bytes)))
        status = lb_cannot_read(path, strerror(errno), error);
    if (descriptor >= 0) close(descriptor);
    lb_release(piece);
    return status;
}
