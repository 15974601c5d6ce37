#include "io/file.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/path.h"

#include <errno.h>
#include <string.h>

enum { FIRST_READ = 4096, PIECE = 1 << 20 };

static bool write_parts(lb_os_handle file, const lb_bytes *parts, size_t part_count)
{
    for (size_t p = 0; p < part_count; p++)
        if (!lb_os_write_all(file, parts[p].data, parts[p].count)) return false;
    return lb_os_sync(file);
}

/* A new file under way. */
typedef struct staged {
    const char *path; /* for messages */
    char *target;     /* what it replaces: links are followed */
    char *name;       /* [size] its own; "" if it has none, and then nothing is to be removed */
    size_t size;
    lb_os_handle file;
    bool replaces; /* a file that was there */
} staged;

/* Sets a copy of the path, or of that to which it leads as a link. */
static lb_status resolve(staged *s, bool follows, lb_error *error)
{
    char target[LB_OS_PATH];
    lb_os_info found;
    bool link = follows && lb_os_info_at(s->path, false, &found) && found.kind == LB_OS_IS_LINK;
    if (link && !lb_os_resolve(s->path, target))
        return lb_cannot_write(
            s->path, errno == ENOENT ? "a link to a file that does not exist" : strerror(errno), error);
    s->target = lb_alloc_string(link ? target : s->path);
    return s->target ? LB_OK : lb_out_of_memory_for(s->path, error);
}

/* Writes the new file, under its own name or none. */
static lb_status stage(staged *s, const lb_new_file *file, bool follows, lb_error *error)
{
    lb_os_info old;
    *s = (staged){.path = file->path};
    lb_status status = resolve(s, follows, error);
    if (!s->target) return status;
    s->size = strlen(s->target) + LB_OS_NEW_SUFFIX;
    s->name = lb_alloc_zero(s->size);
    if (!s->name) return lb_out_of_memory_for(s->path, error);
    s->replaces = lb_os_info_at(s->target, false, &old);
    if (!s->replaces && errno != ENOENT) return lb_cannot_write(s->path, strerror(errno), error);
    if (s->replaces && old.kind == LB_OS_IS_FOLDER) return lb_cannot_write(s->path, strerror(EISDIR), error);
    if (s->replaces && old.kind != LB_OS_IS_FILE)
        return lb_cannot_write(s->path, "not a regular file", error);
    s->file = lb_os_new_open(s->target, s->name, s->size);
    if (!lb_os_is_open(s->file)) return lb_cannot_write(s->path, strerror(errno), error);
    return write_parts(s->file, file->parts, file->part_count)
               ? LB_OK
               : lb_cannot_write(s->path, strerror(errno), error);
}

static void unstage(staged *s)
{
    if (s->name && *s->name) (void)lb_os_remove(s->name);
    lb_os_drop(&s->file);
    lb_release(s->name);
    lb_release(s->target);
}

/* All get names of their own before the first is renamed: what a full disk refuses is known by then. */
static lb_status put_in_place(staged *all, size_t count, lb_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!lb_os_new_name(all[i].file, all[i].target, all[i].name, all[i].size))
            return lb_cannot_write(all[i].path, strerror(errno), error);
    for (size_t i = 0; i < count; i++) {
        if (lb_os_rename(all[i].name, all[i].target)) continue;
        lb_status status = lb_cannot_write(all[i].path, strerror(errno), error);
        while (i-- > 0)
            if (!all[i].replaces) lb_os_remove(all[i].target);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        lb_release(all[i].name); /* which the file no longer has */
        all[i].name = NULL;
        if (!lb_os_sync_name(all[i].target)) return lb_cannot_write(all[i].path, strerror(errno), error);
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
static lb_status read_to_end(lb_os_handle file, const char *path, size_t guess, size_t most, void **bytes,
                             size_t *count, lb_error *error)
{
    size_t capacity = (guess < most ? guess : most) + 1, used = 0;
    char *buffer = lb_alloc(capacity);
    while (buffer) {
        int64_t got = lb_os_read_all(file, buffer + used, capacity - used);
        if (got < 0) {
            lb_status status = lb_cannot_read(path, strerror(errno), error);
            lb_release(buffer);
            return status;
        }
        used += (size_t)got;
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
    lb_os_info found;
    return !lb_os_info_at(path, true, &found) && errno == ENOENT;
}

/* Reads an open file and closes it; one that is not has its error. */
static lb_status read_opened(lb_os_handle file, const char *path, size_t most, void **bytes, size_t *count,
                             lb_error *error)
{
    lb_os_info info;
    *bytes = NULL;
    *count = 0;
    if (!lb_os_is_open(file)) return LB_ERROR_OPEN;
    lb_status status = lb_os_info_of(file, &info) ? LB_OK : lb_cannot_read(path, strerror(errno), error);
    size_t guess = info.kind == LB_OS_IS_FILE ? (size_t)info.bytes : FIRST_READ;
    if (most == 0) most = guess > LB_FILE_STREAM ? guess : LB_FILE_STREAM;
    if (!status) status = read_to_end(file, path, guess, most, bytes, count, error);
    lb_os_drop(&file);
    if (status || *count <= most) return status;
    lb_release(*bytes);
    *bytes = NULL;
    *count = 0;
    if (most == LB_FILE_STREAM) return lb_file_is_endless(path, most, error);
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found more than %zu bytes, expected fewer", path, most);
}

lb_status lb_file_read(const char *path, size_t most, void **bytes, size_t *count, lb_error *error)
{
    lb_os_handle file = lb_os_open(path, LB_OS_READ);
    if (!lb_os_is_open(file)) lb_cannot_read(path, strerror(errno), error);
    return read_opened(file, path, most, bytes, count, error);
}

lb_status lb_file_read_own(const char *path, size_t most, void **bytes, size_t *count, lb_error *error)
{
    return read_opened(lb_own_open(path, LB_OS_READ, error), path, most, bytes, count, error);
}

/* ---- Files that grow while they are read. ---- */

lb_status lb_file_append(const char *path, size_t size, const void *bytes, size_t count, lb_error *error)
{
    lb_os_handle file = lb_own_open(path, LB_OS_WRITE | LB_OS_APPEND, error);
    if (!lb_os_is_open(file)) return LB_ERROR_WRITE;
    bool ready = size == LB_FILE_END || lb_os_cut(file, (int64_t)size);
    bool written = ready && lb_os_write_all(file, bytes, count);
    int reason = errno;
    if (!lb_os_close(file) && written) {
        written = false;
        reason = errno;
    }
    return written ? LB_OK : lb_cannot_write(path, strerror(reason), error);
}

/* ---- The hash of a file that may be larger than memory. ---- */

static bool hash_pieces(lb_os_handle file, char *piece, uint64_t *hash, uint64_t *bytes)
{
    for (int64_t held = PIECE; held == PIECE; *bytes += (uint64_t)held) {
        held = lb_os_read_all(file, piece, PIECE);
        if (held < 0) return false;
        if (held > 0) *hash = lb_hash_long(*hash, piece, (size_t)held);
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
    lb_os_handle file = {0};
    if (!status) file = lb_os_open(path, LB_OS_READ | LB_OS_NO_WAIT);
    if (!status && !(lb_os_is_open(file) && hash_pieces(file, piece, hash, bytes)))
        status = lb_cannot_read(path, strerror(errno), error);
    lb_os_drop(&file);
    lb_release(piece);
    return status;
}
