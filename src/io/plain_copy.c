#include "io/plain_copy.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/plain_reader.h"
#include "io/write_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16, PATH = 4096 };

int lb_nameless_file(void)
{
    char path[PATH];
    const char *folder = getenv("TMPDIR");
    int length = snprintf(path, sizeof path, "%s/lookback-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || length >= PATH) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int descriptor = mkstemp(path);
    if (descriptor >= 0) unlink(path);
    return descriptor;
}

bool lb_is_gzip(int descriptor)
{
    unsigned char first[LB_GZIP_MAGIC];
    ssize_t count = pread(descriptor, first, sizeof first, 0);
    return count > 0 && lb_begins_gzip(first, (size_t)count);
}

static lb_status cannot(const char *name, const char *what, int reason, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot %s: %s", name, what, strerror(reason));
}

lb_status lb_copy_add(int copy, size_t *room, const char *name, const void *bytes, size_t count,
                      lb_error *error)
{
    if (count > *room)
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: its temporary copy is too large; make it a plain file with tabs, or its weights smaller",
            name);
    if (!lb_write_all(copy, bytes, count)) return cannot(name, "copy", errno, error);
    *room -= count;
    return LB_OK;
}

/* What has no line ends is no file of lines, and may have no end. */
static bool is_endless(size_t *without, const char *bytes, size_t count)
{
    size_t behind = 0;
    while (behind < count && bytes[count - 1 - behind] != '\n') behind++;
    *without = behind == count ? *without + count : behind;
    return *without > LB_FILE_STREAM;
}

/* A few bytes of gzip data may be many. */
static lb_status grows_too_much(const char *name, size_t most, const char *expected, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found gzip data of more than %zu bytes, expected %s",
                        name, most, expected);
}

static lb_status copy_all(lb_plain_reader *from, const char *name, int to, size_t room, char *piece,
                          lb_error *error)
{
    ssize_t count;
    size_t without = 0, most = room;
    while ((count = lb_plain_reader_read(from, piece, PIECE, error)) > 0) {
        bool packed = lb_plain_reader_unpacks(from);
        if (is_endless(&without, piece, (size_t)count))
            return packed ? grows_too_much(name, LB_FILE_STREAM, "the end of a line", error)
                          : lb_file_is_endless(name, LB_FILE_STREAM, error);
        if (packed && (size_t)count > room)
            return grows_too_much(name, most, "fewer, or a plain file with tabs", error);
        lb_status status = lb_copy_add(to, &room, name, piece, (size_t)count, error);
        if (status) return status;
    }
    return count < 0 ? error->status : LB_OK;
}

static lb_status copy_from(lb_plain_reader *from, const char *name, size_t most, int *copy, lb_error *error)
{
    char *piece = lb_alloc(PIECE);
    if (!piece) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", name);
    *copy = lb_nameless_file();
    lb_status status =
        *copy < 0 ? cannot(name, "copy", errno, error) : copy_all(from, name, *copy, most, piece, error);
    if (!status && lseek(*copy, 0, SEEK_SET) != 0) status = cannot(name, "copy", errno, error);
    lb_release(piece);
    return status;
}

lb_status lb_plain_copy_rest(int descriptor, const char *first, size_t count, const char *name, size_t most,
                             int *copy, lb_error *error)
{
    lb_error found = {0};
    *copy = -1;
    lb_plain_reader *from = lb_plain_reader_new(descriptor, first, count, name, &found);
    lb_status status = from ? copy_from(from, name, most, copy, &found) : found.status;
    lb_plain_reader_free(from);
    if (status && *copy >= 0) close(*copy);
    if (status) *copy = -1;
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

lb_status lb_plain_copy(int descriptor, const char *name, size_t most, int *copy, lb_error *error)
{
    return lb_plain_copy_rest(descriptor, NULL, 0, name, most, copy, error);
}
