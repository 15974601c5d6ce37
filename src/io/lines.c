#include "io/lines.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/path.h"

#include <errno.h>
#include <string.h>

enum { CHUNK = 65536 };

static lb_status grow(lb_lines *lines, size_t capacity, lb_error *error)
{
    char *buffer = lb_alloc_grow(lines->buffer, lines->end, capacity);
    if (!buffer) return lb_out_of_memory_for(lines->name, error);
    lines->buffer = buffer;
    lines->capacity = capacity;
    return LB_OK;
}

lb_status lb_lines_open(lb_lines *lines, lb_os_handle handle, const char *name, size_t longest,
                        lb_error *error)
{
    *lines = (lb_lines){.handle = handle, .name = name, .limit = longest + CHUNK};
    return grow(lines, CHUNK, error);
}

void lb_lines_keep(lb_lines *lines, bool piped)
{
    lb_os_info info;
    bool regular = lb_os_info_of(lines->handle, &info) && info.kind == LB_OS_IS_FILE;
    lines->most = regular && !piped ? 0 : LB_LINES_KEPT;
}

void lb_lines_close(lb_lines *lines)
{
    lb_release(lines->buffer);
    lines->buffer = NULL;
}

/* Returns the bytes up to `end` as a line; the next line begins at `next`. */
static lb_lines_result hand_out(lb_lines *lines, size_t end, size_t next, lb_line *line)
{
    *line = (lb_line){.text = lines->buffer + lines->begin,
                      .length = end - lines->begin,
                      .number = ++lines->number,
                      .offset = lines->base + (int64_t)lines->begin};
    line->crlf = line->length > 0 && line->text[line->length - 1] == '\r';
    line->length -= line->crlf;
    lines->begin = lines->searched = next;
    return LB_LINES_ONE;
}

/* Finds the next line, if a whole one is in the buffer. */
static bool find_line(lb_lines *lines, lb_line *line)
{
    const char *found = memchr(lines->buffer + lines->searched, '\n', lines->end - lines->searched);
    lines->searched = lines->end;
    if (!found) return false;
    size_t end = (size_t)(found - lines->buffer);
    hand_out(lines, end, end + 1, line);
    return true;
}

/* Drops the part of the rest of a cut line that has arrived, including its end. */
static void skip(lb_lines *lines)
{
    const char *found = memchr(lines->buffer + lines->begin, '\n', lines->end - lines->begin);
    size_t begin = found ? (size_t)(found - lines->buffer) + 1 : lines->end;
    lines->skipped = found ? 0 : lines->skipped + begin - lines->begin;
    lines->begin = lines->searched = begin;
    lines->skipping = !found;
}

static lb_status check_end(const lb_lines *lines, lb_error *error)
{
    if (lines->skipped > LB_FILE_STREAM)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: found more than %zu bytes, expected a line",
                            lines->name, (long long)lines->number, LB_FILE_STREAM);
    if (lines->most && (size_t)lines->base + lines->end > lines->most)
        return lb_file_is_endless(lines->name, lines->most, error);
    return LB_OK;
}

/* Reads available bytes after the content of the buffer. */
static lb_status fill(lb_lines *lines, lb_error *error)
{
    size_t held = lines->end - lines->begin;
    memmove(lines->buffer, lines->buffer + lines->begin, held);
    lines->searched -= lines->begin;
    lines->base += (int64_t)lines->begin;
    lines->begin = 0;
    lines->end = held;
    if (held == lines->capacity) {
        size_t twice = 2 * held;
        if (grow(lines, twice < lines->limit ? twice : lines->limit, error)) return LB_ERROR_MEMORY;
    }
    int64_t count = lb_os_read(lines->handle, lines->buffer + held, lines->capacity - held);
    if (count < 0) return lb_cannot_read(lines->name, strerror(errno), error);
    lines->end += (size_t)count;
    lines->at_end = count == 0;
    return LB_OK;
}

lb_lines_result lb_lines_next(lb_lines *lines, bool wait, lb_line *line, lb_error *error)
{
    for (;;) {
        if (lines->skipping) skip(lines);
        if (!lines->skipping && find_line(lines, line)) return LB_LINES_ONE;
        size_t held = lines->end - lines->begin;
        if (lines->at_end) return held ? hand_out(lines, lines->end, lines->end, line) : LB_LINES_NONE;
        if (held == lines->limit) {
            hand_out(lines, lines->end, lines->end, line);
            line->cut = lines->skipping = true;
            return LB_LINES_ONE;
        }
        if (!wait && !lb_os_has_arrived(lines->handle)) return LB_LINES_LATER;
        if (check_end(lines, error) || fill(lines, error)) return LB_LINES_FAILED;
    }
}
