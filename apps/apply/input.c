#include "apply/input.h"

#include "apply/pair_input.h"
#include "base/alloc.h"
#include "console/console.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    POOL = 1 << 18, /* bytes of text in a batch, in addition to the longest line */
    SKIPPED_TOLD = 5
};

bool app_input_is_typed(const char *path)
{
    return (!path || strcmp(path, "-") == 0) && isatty(STDIN_FILENO);
}

lb_status app_input_open(app_input *input, const char *path, int capacity, lb_pair_format format, bool tabs,
                         lb_error *error)
{
    size_t room = (size_t)capacity;
    if (!path) path = "-";
    *input = (app_input){
        .name = lb_pair_file_name(path),
        .capacity = capacity,
        .tabs = tabs && format.source_column == 0,
        .format = format,
        .line = lb_alloc(room * sizeof *input->line),
        .text = lb_alloc(room * sizeof *input->text),
        .prefix = lb_alloc(room * sizeof *input->prefix),
        .letters = lb_alloc(2 * LB_PAIR_LINE_BYTES + POOL),
    };
    if (!input->line || !input->text || !input->prefix || !input->letters)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return lb_pair_stream_open(&input->stream, path, &input->format, error);
}

int64_t app_input_lines(const app_input *input)
{
    int descriptor = input->stream.file.descriptor;
    off_t at = lseek(descriptor, 0, SEEK_CUR);
    struct stat info;
    char bytes[1 << 16], last = '\n';
    int64_t lines = 0;
    if (at < 0 || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    for (ssize_t count; (count = pread(descriptor, bytes, sizeof bytes, at)) > 0; at += count) {
        for (const char *end = bytes; (end = memchr(end, '\n', (size_t)(bytes + count - end))); end++)
            lines++;
        last = bytes[count - 1];
    }
    return lines + (last != '\n');
}

void app_input_skip(app_input *input, const char *message)
{
    if (input->skipped++ < SKIPPED_TOLD) app_note("%s: skipped", message);
}

static void forget_lines(app_input *input)
{
    for (int i = 0; i < input->count; i++) lb_release(input->line[i].bad);
    input->count = input->text_count = 0;
    input->letters_used = 0;
}

void app_input_close(app_input *input)
{
    if (input->skipped > 0)
        app_warn("%lld bad line%s skipped", (long long)input->skipped,
                 input->skipped == 1 ? " was" : "s were");
    lb_pair_stream_close(&input->stream);
    lb_pair_line_free(&input->parts);
    forget_lines(input);
    lb_release(input->line);
    lb_release((void *)input->text);
    lb_release((void *)input->prefix);
    lb_release(input->letters);
    *input = (app_input){0};
}

/* Replaces tabs by blanks, for texts in which both mean the same. */
static void blank_tabs(const lb_line *line, char *copy)
{
    for (size_t i = 0; i < line->length; i++) copy[i] = line->text[i] == '\t' ? ' ' : line->text[i];
}

/* Whether the line has only blanks. A tab between columns does not count as a blank. */
static bool is_blank(const app_input *input, const lb_line *line)
{
    const char *blanks = input->format.source_column > 0 && input->stream.begun ? " " : " \t";
    for (size_t i = 0; i < line->length; i++)
        if (!line->text[i] || !strchr(blanks, line->text[i])) return false;
    return !line->cut;
}

/* A hint for a line with too few or too many columns. */
static const char *column_hint(const app_input *input, const char *message)
{
    if (input->parts.bad != LB_LINE_COLUMNS || strstr(message, "a tab and its features")) return "";
    if (lb_symbol_rule_has_features(&input->format.source))
        return "; the model reads a text, a tab and its features";
    return input->format.source_column == 0 ? "; --source-column chooses one of several" : "";
}

/* How the lines are read, once that is known, and not as texts. */
static void tell(app_input *input)
{
    const lb_pair_file *file = &input->stream.file;
    if (input->told || !input->stream.begun) return;
    input->told = true;
    input->format.kind = file->kind;
    if (*file->note)
        app_note("%s", file->note);
    else if (file->recognised)
        app_note("%s: read as %s%s", input->name, *file->kind ? file->kind : "tsv",
                 file->header ? "+header" : "");
}

/* The text of the prefix column; none if the line has no such column. */
static void take_prefix(app_input *input, const lb_line *line, app_input_line *to)
{
    const char *at = line->text, *end = at + line->length;
    if (input->prefix_column == 0) return;
    for (int32_t column = 1; column < input->prefix_column && at; column++) {
        at = memchr(at, '\t', (size_t)(end - at));
        if (at) at++;
    }
    if (!at) return;
    const char *stop = memchr(at, '\t', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    char *copy = input->letters + input->letters_used;
    memcpy(copy, at, length);
    copy[length] = '\0';
    input->letters_used += length + 1;
    to->prefix = copy;
}

static lb_status take(app_input *input, lb_line line, lb_error *error)
{
    if (is_blank(input, &line)) {
        input->line[input->count++] = (app_input_line){.number = line.number, .blank = true};
        return LB_OK;
    }
    tell(input);
    const char *text;
    size_t length;
    lb_error found = {0};
    char *copy = input->letters + input->letters_used;
    if (input->tabs) {
        blank_tabs(&line, copy);
        line.text = copy;
    }
    lb_status status =
        lb_pair_line_source(&input->format, input->name, &line, &input->parts, &text, &length, &found);
    if (status && !app_skips(&input->format, status))
        return lb_error_set(error, status, "%s%s", found.message, column_hint(input, found.message));
    app_input_line *to = &input->line[input->count++];
    *to = (app_input_line){.number = line.number};
    if (status) {
        to->bad = lb_alloc_string(found.message);
        return to->bad ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    }
    memmove(copy, text, length);
    copy[length] = '\0';
    input->letters_used += length + 1;
    to->text = copy;
    take_prefix(input, &line, to);
    input->prefix[input->text_count] = to->prefix;
    input->text[input->text_count++] = to->text;
    return LB_OK;
}

bool app_input_gather(app_input *input, lb_error *error)
{
    forget_lines(input);
    while (input->count < input->capacity && input->letters_used < POOL) {
        lb_line line;
        lb_lines_result result = lb_pair_stream_next(&input->stream, input->count == 0, &line, error);
        if (result == LB_LINES_LATER) return true;
        if (result != LB_LINES_ONE || take(input, line, error)) return false;
    }
    return true;
}
