/* Copies pipes and gzip data to plain files without a name, for readers that go back. */
#include "io/scratch_file.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/lines.h"
#include "io/path.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 16, GZIP = 16 + MAX_WBITS };

typedef enum state {
    BEGIN, /* nothing has been read */
    PLAIN,
    INSIDE, /* the gzip data */
    BEHIND  /* the gzip data */
} state;

/* The bytes of a file, or what is in them if they are gzip data. */
typedef struct reader {
    lb_os_handle from;
    const char *name; /* for messages */
    state state;
    z_stream stream; /* its input is what has been read */
    unsigned char piece[PIECE];
    char plain[PIECE]; /* what is copied next */
} reader;

/* Begins with `count` bytes that have been read, and goes on at the place of the handle. NULL after an error. */
static reader *new_reader(lb_os_handle from, const char *first, size_t count, const char *name,
                          lb_error *error)
{
    reader *r = lb_alloc_zero(sizeof *r);
    if (!r) return lb_null(lb_out_of_memory_for(name, error));
    r->from = from;
    r->name = name;
    if (count > 0) memcpy(r->piece, first, count);
    r->stream.next_in = r->piece;
    r->stream.avail_in = (unsigned)count;
    return r;
}

/* Reads until there are this many bytes; fewer only at the end. */
static lb_status fill(reader *r, size_t wanted, lb_error *error)
{
    z_stream *s = &r->stream;
    if (s->avail_in > 0 && s->avail_in < wanted) memmove(r->piece, s->next_in, s->avail_in);
    if (s->avail_in < wanted) s->next_in = r->piece;
    while (s->avail_in < wanted) {
        int64_t count = lb_os_read(r->from, r->piece + s->avail_in, PIECE - s->avail_in);
        if (count < 0) return lb_cannot_read(r->name, strerror(errno), error);
        if (count == 0) return LB_OK;
        s->avail_in += (unsigned)count;
    }
    return LB_OK;
}

static lb_status damaged(const reader *r, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: damaged gzip data", r->name);
}

static lb_status begin_reading(reader *r, lb_error *error)
{
    lb_status status = fill(r, LB_GZIP_MAGIC, error);
    bool gzip = lb_begins_gzip(r->stream.next_in, r->stream.avail_in);
    if (status) return status;
    r->state = PLAIN;
    if (!gzip) return LB_OK;
    if (inflateInit2(&r->stream, GZIP) != Z_OK) return lb_out_of_memory_for(r->name, error);
    r->state = INSIDE;
    return LB_OK;
}

static int64_t read_plain(reader *r, char *to, size_t room, lb_error *error)
{
    if (fill(r, 1, error)) return -1;
    size_t count = r->stream.avail_in < room ? r->stream.avail_in : room;
    memcpy(to, r->stream.next_in, count);
    r->stream.next_in += count;
    r->stream.avail_in -= (unsigned)count;
    return (int64_t)count;
}

static int64_t read_gzip(reader *r, char *to, size_t room, lb_error *error)
{
    z_stream *s = &r->stream;
    s->next_out = (unsigned char *)to;
    s->avail_out = room < PIECE ? (unsigned)room : PIECE;
    unsigned before = s->avail_out;
    if (fill(r, 1, error)) return -1;
    int code =
        inflate(s, Z_NO_FLUSH); /* without input, it may have output yet; without either, that is an error */
    if (code == Z_MEM_ERROR) lb_out_of_memory_for(r->name, error);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_MEM_ERROR) damaged(r, error);
    if (code != Z_OK && code != Z_STREAM_END) return -1;
    if (code == Z_STREAM_END) r->state = BEHIND;
    LB_MARK_WRITTEN(to, before - s->avail_out); /* zlib is not compiled for the memory sanitizer */
    return (int64_t)(before - s->avail_out);
}

/* Goes on with more gzip data, or stays behind it at the end, maybe behind zeros. */
static lb_status go_on(reader *r, lb_error *error)
{
    z_stream *s = &r->stream;
    bool zeros = false;
    for (;; zeros = true) {
        lb_status status = fill(r, 1, error);
        if (status || s->avail_in == 0) return status;
        if (*s->next_in != 0) break;
        s->next_in++;
        s->avail_in--;
    }
    if (zeros || *s->next_in != LB_GZIP_FIRST)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: found something else after the gzip data, expected their end: gunzip it, "
                            "and put the parts together as text",
                            r->name);
    r->state = INSIDE;
    return inflateReset(s) == Z_OK ? LB_OK : damaged(r, error);
}

/* Reads up to `room` bytes. Returns how many; 0 at the end; -1 after an error. Several pieces of gzip data may follow
 * each other, and zeros may fill up the last block. */
static int64_t read_some(reader *r, char *to, size_t room, lb_error *error)
{
    int64_t count = 0;
    if (r->state == BEGIN && begin_reading(r, error)) return -1;
    if (r->state == PLAIN) return read_plain(r, to, room, error);
    while (count == 0) {
        if (r->state == BEHIND && go_on(r, error)) return -1;
        if (r->state == BEHIND) return 0;
        count = read_gzip(r, to, room, error);
    }
    return count;
}

bool lb_is_gzip(lb_os_handle file)
{
    unsigned char first[LB_GZIP_MAGIC];
    int64_t count = lb_os_read_at(file, 0, first, sizeof first);
    return count > 0 && lb_begins_gzip(first, (size_t)count);
}

lb_status lb_cannot_copy(const char *name, lb_error *error)
{
    const char *why = strerror(errno);
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot copy to %s: %s", name, lb_os_temp_folder(), why);
}

lb_status lb_copy_add(lb_os_handle copy, size_t *room, const char *name, const void *bytes, size_t count,
                      lb_error *error)
{
    if (count > *room)
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: its temporary copy is too large; make it a plain file with tabs, or its weights smaller",
            name);
    if (!lb_os_write_all(copy, bytes, count)) return lb_cannot_copy(name, error);
    *room -= count;
    return LB_OK;
}

/* Whether there are too many bytes without the end of a line: they may have no end. */
static bool is_endless(size_t *without, const char *bytes, size_t count)
{
    size_t behind = 0;
    while (behind < count && bytes[count - 1 - behind] != '\n') behind++;
    *without = behind == count ? *without + count : behind;
    return *without > LB_FILE_STREAM;
}

/* Says that a few bytes of gzip data became too many. */
static lb_status grows_too_much(const char *name, size_t most, const char *expected, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found gzip data of more than %zu bytes, expected %s",
                        name, most, expected);
}

static lb_status copy_all(reader *from, const char *name, lb_os_handle to, size_t room, lb_error *error)
{
    int64_t count;
    size_t without = 0, most = room;
    while ((count = read_some(from, from->plain, PIECE, error)) > 0) {
        bool packed = from->state >= INSIDE;
        if (is_endless(&without, from->plain, (size_t)count))
            return packed ? grows_too_much(name, LB_FILE_STREAM, "the end of a line", error)
                          : lb_file_is_endless(name, LB_FILE_STREAM, error);
        if (packed && (size_t)count > room)
            return grows_too_much(name, most, "fewer, or a plain file with tabs", error);
        lb_status status = lb_copy_add(to, &room, name, from->plain, (size_t)count, error);
        if (status) return status;
    }
    if (count < 0) return error->status;
    return lb_os_go(to, 0) ? LB_OK : lb_cannot_copy(name, error);
}

lb_status lb_plain_copy(lb_os_handle file, const char *first, size_t count, const char *name, size_t most,
                        lb_os_handle *copy, lb_error *error)
{
    lb_error found = {0};
    *copy = (lb_os_handle){0};
    reader *from = new_reader(file, first, count, name, &found);
    if (!from) return lb_error_set(error, found.status, "%s", found.message);
    *copy = lb_os_temp_file();
    lb_status status =
        lb_os_is_open(*copy) ? copy_all(from, name, *copy, most, &found) : lb_cannot_copy(name, &found);
    if (from->state >= INSIDE) inflateEnd(&from->stream);
    lb_release(from);
    if (status) lb_os_drop(copy);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}
