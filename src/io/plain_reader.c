#include "io/plain_reader.h"

#include "base/alloc.h"
#include "io/lines.h"
#include "io/path.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 1 << 16, GZIP = 16 + MAX_WBITS };

typedef enum state {
    BEGIN, /* nothing has been read */
    PLAIN,
    INSIDE, /* of gzip data */
    BEHIND  /* them */
} state;

struct lb_plain_reader {
    int descriptor;
    const char *name;
    state state;
    z_stream stream; /* its input is what has been read */
    unsigned char piece[PIECE];
};

lb_plain_reader *lb_plain_reader_new(int descriptor, const char *first, size_t count, const char *name,
                                     lb_error *error)
{
    lb_plain_reader *r = lb_alloc_zero(sizeof *r);
    if (!r) return lb_null(lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", name));
    r->descriptor = descriptor;
    r->name = name;
    if (count > 0) memcpy(r->piece, first, count);
    r->stream.next_in = r->piece;
    r->stream.avail_in = (unsigned)count;
    return r;
}

void lb_plain_reader_free(lb_plain_reader *reader)
{
    if (reader && reader->state >= INSIDE) inflateEnd(&reader->stream);
    lb_release(reader);
}

bool lb_plain_reader_unpacks(const lb_plain_reader *reader)
{
    return reader->state >= INSIDE;
}

/* Reads until there are this many bytes; fewer only at the end. */
static lb_status fill(lb_plain_reader *r, size_t wanted, lb_error *error)
{
    z_stream *s = &r->stream;
    if (s->avail_in > 0 && s->avail_in < wanted) memmove(r->piece, s->next_in, s->avail_in);
    if (s->avail_in < wanted) s->next_in = r->piece;
    while (s->avail_in < wanted) {
        ssize_t count = lb_lines_read(r->descriptor, (char *)r->piece + s->avail_in, PIECE - s->avail_in);
        if (count < 0) return lb_cannot_read(r->name, strerror(errno), error);
        if (count == 0) return LB_OK;
        s->avail_in += (unsigned)count;
    }
    return LB_OK;
}

static lb_status damaged(const lb_plain_reader *r, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: damaged gzip data", r->name);
}

static lb_status begin(lb_plain_reader *r, lb_error *error)
{
    lb_status status = fill(r, LB_GZIP_MAGIC, error);
    bool gzip = lb_begins_gzip(r->stream.next_in, r->stream.avail_in);
    if (status) return status;
    r->state = PLAIN;
    if (!gzip) return LB_OK;
    if (inflateInit2(&r->stream, GZIP) != Z_OK)
        return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", r->name);
    r->state = INSIDE;
    return LB_OK;
}

static ssize_t read_plain(lb_plain_reader *r, char *to, size_t room, lb_error *error)
{
    if (fill(r, 1, error)) return -1;
    size_t count = r->stream.avail_in < room ? r->stream.avail_in : room;
    memcpy(to, r->stream.next_in, count);
    r->stream.next_in += count;
    r->stream.avail_in -= (unsigned)count;
    return (ssize_t)count;
}

static ssize_t read_gzip(lb_plain_reader *r, char *to, size_t room, lb_error *error)
{
    z_stream *s = &r->stream;
    s->next_out = (unsigned char *)to;
    s->avail_out = room < PIECE ? (unsigned)room : PIECE;
    unsigned before = s->avail_out;
    if (fill(r, 1, error)) return -1;
    int code =
        inflate(s, Z_NO_FLUSH); /* without input, it may have output yet; without either, that is an error */
    if (code == Z_MEM_ERROR) lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", r->name);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_MEM_ERROR) damaged(r, error);
    if (code != Z_OK && code != Z_STREAM_END) return -1;
    if (code == Z_STREAM_END) r->state = BEHIND;
    LB_MARK_WRITTEN(to, before - s->avail_out); /* zlib is not compiled for the memory sanitizer */
    return (ssize_t)(before - s->avail_out);
}

/* More gzip data, or the end, maybe behind zeros. */
static lb_status go_on(lb_plain_reader *r, bool *end, lb_error *error)
{
    z_stream *s = &r->stream;
    bool zeros = false;
    *end = false;
    for (;;) {
        lb_status status = fill(r, 1, error);
        if (status) return status;
        *end = s->avail_in == 0;
        if (*end) return LB_OK;
        if (*s->next_in != 0) break;
        zeros = true;
        s->next_in++;
        s->avail_in--;
    }
    if (zeros || *s->next_in != LB_GZIP_FIRST)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: found something else behind the gzip data, expected their end: gunzip it, "
                            "and put the parts together as text",
                            r->name);
    r->state = INSIDE;
    return inflateReset(s) == Z_OK ? LB_OK : damaged(r, error);
}

ssize_t lb_plain_reader_read(lb_plain_reader *r, char *to, size_t room, lb_error *error)
{
    bool end;
    ssize_t count = 0;
    if (r->state == BEGIN && begin(r, error)) return -1;
    if (r->state == PLAIN) return read_plain(r, to, room, error);
    while (count == 0) {
        if (r->state == BEHIND && go_on(r, &end, error)) return -1;
        if (r->state == BEHIND) return 0;
        count = read_gzip(r, to, room, error);
    }
    return count;
}
