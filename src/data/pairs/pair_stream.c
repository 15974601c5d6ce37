/* Reads a file of sources line by line as it arrives, for programs that answer each line at once. */
#include "data/pairs/pair_line.h"

#include "io/scratch_file.h"

#include <string.h>

/* Puts a plain copy of gzip data in the place of the handle. */
static lb_status unpack(lb_pair_stream *s, lb_error *error)
{
    lb_os_handle copy;
    lb_status status = lb_plain_copy(s->file.handle, s->lines.buffer, s->lines.end, s->lines.name,
                                     LB_COPY_MOST, &copy, error);
    lb_pair_file_close(&s->file);
    s->file.handle = s->lines.handle = copy;
    s->lines.end = 0;
    return status;
}

/* Reads the first bytes of a pipe, which cannot be put back, until they are a text or gzip data. */
static bool begins_as_gzip(lb_pair_stream *s)
{
    char *first = s->lines.buffer;
    int64_t count = 1;
    while (count > 0 && s->lines.end < LB_GZIP_MAGIC && (s->lines.end == 0 || *first == LB_GZIP_FIRST)) {
        count = lb_os_read(s->file.handle, first + s->lines.end, 1);
        if (count > 0) s->lines.end++;
    }
    return lb_begins_gzip(first, s->lines.end);
}

lb_status lb_pair_stream_open(lb_pair_stream *stream, const char *path, lb_pair_format *format,
                              lb_error *error)
{
    bool regular;
    lb_pair_stream *s = stream;
    const char *name = lb_pair_file_name(path);
    *s = (lb_pair_stream){.format = format,
                          .asked = *format,
                          .converter = {.name = name, .kind = &s->kind, .format = format, .file = &s->file}};
    lb_status status = lb_pair_file_source(path, &s->file.handle, &regular, error);
    if (!status) status = lb_lines_open(&s->lines, s->file.handle, name, LB_PAIR_LINE_BYTES, error);
    if (status) return status;
    bool packed = regular ? lb_is_gzip(s->file.handle) : begins_as_gzip(s);
    if (packed) status = unpack(s, error);
    if (!status && (regular || packed)) status = lb_json_unpack(&s->file.handle, name, format, error);
    s->lines.handle = s->file.handle;
    s->asked.kind = format->kind;
    return status;
}

/* The first line with a text says how it and all others are read; where they are objects, the first of these. */
static lb_status decide(lb_pair_stream *s, const lb_line *line, lb_error *error)
{
    lb_pair_kind_free(&s->kind);
    *s->format = s->asked;
    lb_status status = lb_pair_file_decide(&s->file, s->lines.name, line->text, line->cut ? 0 : line->length,
                                           true, s->format, &s->kind, error);
    if (!status) status = lb_pair_format_check(s->format, error);
    if (status) return status;
    s->begun = !s->kind.row->members || s->kind.keys.count > 0 || *line->text == '[';
    lb_line first = *line;
    lb_line_drop_mark(&first);
    if (s->file.header) lb_pair_kind_split(&s->kind, (lb_span){first.text, first.length}, false, &s->names);
    s->file.numbered = s->file.header || !s->kind.row->plain;
    s->file.look = (lb_first_look){0}; /* the line has its number in the file */
    return LB_OK;
}

/* A converted line that has not been handed out. */
static bool take_converted(lb_pair_stream *s, lb_line *line)
{
    const lb_buffer *out = &s->converter.out;
    if (s->taken == out->length) return false;
    const char *at = out->text + s->taken;
    size_t length = (size_t)((const char *)memchr(at, '\n', out->length - s->taken) - at);
    *line = (lb_line){.text = at, .length = length};
    lb_pair_file_line(&s->file, line);
    s->taken += length + 1;
    return true;
}

lb_lines_result lb_pair_stream_next(lb_pair_stream *stream, bool wait, lb_line *line, lb_error *error)
{
    lb_pair_stream *s = stream;
    for (;;) {
        if (take_converted(s, line)) return LB_LINES_ONE;
        lb_lines_result result = lb_lines_next(&s->lines, wait, line, error);
        bool one = result == LB_LINES_ONE;
        if (one && !s->begun && !lb_line_is_blank(line) && decide(s, line, error)) return LB_LINES_FAILED;
        if (!s->file.numbered) return result;
        s->converter.out.length = s->taken = 0;
        if (one && lb_converter_take(&s->converter, line, error)) return LB_LINES_FAILED;
        if (result == LB_LINES_NONE && lb_converter_end(&s->converter, error)) return LB_LINES_FAILED;
        if (!one && s->taken == s->converter.out.length) return result;
    }
}

void lb_pair_stream_close(lb_pair_stream *stream)
{
    lb_lines_close(&stream->lines);
    lb_pair_file_close(&stream->file);
    lb_pair_kind_free(&stream->kind);
    lb_converter_free(&stream->converter);
    lb_release(stream->names.text.text);
}
