#include "apply/input.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "console/console.h"
#include "data/pairs/pairs.h"
#include "translate/plan/recipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pairs. ---- */

void app_set_symbols(lb_pair_format *format, int symbols, int normalize)
{
    format->source.normalize = format->target.normalize = (lb_normal_form)normalize;
    format->source.graphemes = format->target.graphemes = symbols != 0;
}

void app_set_targets(lb_pair_format *format, const lb_strings *files)
{
    if (files->count == 0) return;
    format->targets = files->text[0];
    format->references = (const char *const *)files->text + 1;
    format->reference_count = (int64_t)files->count - 1;
}

lb_pair_format app_pair_format(lb_pair_format asked, const lb_translator_facts *model)
{
    asked.source = model->source_rule;
    asked.target = model->target_rule;
    asked.longest = model->most > model->longest_target ? model->most : model->longest_target;
    if (!asked.source.features) asked.source.features = ""; /* the file has nothing to add */
    asked.usual = &model->columns;
    return asked;
}

/* Notes what the file says about its format, or as which it is read, unless that was to be expected. */
static void note_format(const char *name, const lb_pair_file *file, bool expected)
{
    if (*file->note)
        app_note("%s", file->note);
    else if (file->recognised && !expected)
        app_note("%s: read as %s%s", name, *file->kind ? file->kind : "tsv", file->header ? "+header" : "");
}

lb_status app_pair_input_open(app_pair_input *input, const char *path, const lb_pair_format *format,
                              lb_error *error)
{
    *input = (app_pair_input){.name = lb_pair_file_name(path), .format = *format};
    lb_status status = lb_pair_format_check(format, error);
    if (!status) status = lb_pair_file_open(&input->file, path, &input->format, error);
    if (status) return status;
    note_format(input->name, &input->file, format->usual);
    if (input->file.met.broken > 0)
        app_note("%s: %lld text%s a line break or a tab, which became a space", input->name,
                 (long long)input->file.met.broken, input->file.met.broken == 1 ? " has" : "s have");
    input->pair.usual = input->file.look.width;
    input->format.kind = input->file.kind;
    status = lb_pair_format_check(&input->format, error);
    return status ? status
                  : lb_lines_open(&input->lines, input->file.handle, input->name, LB_PAIR_LINE_BYTES, error);
}

lb_status app_pair_input_hold_out(app_pair_input *input, const char *path, lb_error *error)
{
    lb_pair_format format = input->format;
    if (strcmp(path, "-") == 0)
        return lb_error_set(error, LB_ERROR_OPEN,
                            "--held-out: found standard input, expected a file, which is read twice");
    format.source.subwords = format.target.subwords = NULL; /* pairs are held out before there are any */
    lb_pairs *all = lb_pairs_open(path, format, error);
    input->held = all ? lb_pairs_hold_out(all, LB_HELD_OUT, error) : NULL;
    lb_pairs_close(all);
    return input->held ? LB_OK : error->status;
}

static int compare_place(const void *offset, const void *place)
{
    uint64_t a = *(const uint64_t *)offset, b = ((const lb_place *)place)->offset;
    return (a > b) - (a < b);
}

static bool is_passed_over(const app_pair_input *input, const lb_line *line)
{
    lb_line bare = *line;
    lb_line_drop_mark(&bare);
    const uint64_t offset = (uint64_t)bare.offset;
    return input->held && !bsearch(&offset, input->held->places, (size_t)input->held->count,
                                   sizeof *input->held->places, compare_place);
}

bool app_pair_input_line(app_pair_input *input, lb_line *line, lb_error *error)
{
    do {
        if (lb_lines_next(&input->lines, true, line, error) != LB_LINES_ONE) return false;
        lb_pair_file_line(&input->file, line);
    } while (is_passed_over(input, line));
    return true;
}

bool app_lacks_targets(const char *message)
{
    return lb_ends_with(message, "found 1 column, expected 2, separated by tabs");
}

lb_status app_pair_input_refuse(const app_pair_input *input, const lb_error *found, bool trained,
                                lb_error *error)
{
    lb_error said = *found;
    const char *text = said.message;
    lb_pair_advise(input->name, &input->file, &input->format, &said);
    bool columns = trained && strstr(text, " expected at least ") && strstr(text, " column");
    return lb_error_set(
        error, said.status, "%s%s%s", text,
        columns ? "; without --source-column and --target-column, they are those of the training" : "",
        app_lacks_targets(text) ? "; --targets names a file of the targets" : "");
}

/* Reads the next pair into input->pair. Returns false at the end, and after an error. */
static bool next_pair(app_pair_input *input, lb_line *line, lb_error *error)
{
    while (app_pair_input_line(input, line, error)) {
        lb_error found = {0};
        lb_status status = lb_pair_line_read(&input->format, input->name, line, &input->pair, &found);
        input->count += !status;
        if (!status) return true;
        if (!app_skips(&input->format, status)) {
            (void)app_pair_input_refuse(input, &found, true, error);
            return false;
        }
        input->skipped++;
    }
    return false;
}

lb_status app_pair_input_check(app_pair_input *input, lb_error *error)
{
    lb_line line;
    const int64_t begin = lb_os_place(input->file.handle);
    bool more = true;
    while (more) more = next_pair(input, &line, error);
    if (error->status) return error->status;
    if (input->count == 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", input->name);
    if (!lb_os_go(input->file.handle, begin))
        return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read twice: %s", input->name, strerror(errno));
    lb_lines_close(&input->lines);
    input->checked = input->count;
    input->count = input->skipped = input->pair.columns = 0;
    return lb_lines_open(&input->lines, input->file.handle, input->name, LB_PAIR_LINE_BYTES, error);
}

static lb_status take_pair(app_pair_input *input, int64_t number, lb_error *error)
{
    const lb_symbols *source = &input->pair.source, *target = &input->pair.target;
    size_t count = input->sources.count;
    if (!lb_alloc_more(&input->number, count, &input->number_room, sizeof *input->number))
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %zu pairs", count + 1);
    input->number[count] = number;
    char *text = lb_symbols_join(&input->format.source, source->symbol, source->count, error);
    lb_status status = lb_strings_add(&input->sources, text, error);
    if (status) return status;
    text = lb_symbols_join(&input->format.target, target->symbol, target->count, error);
    return lb_strings_add(&input->targets, text, error);
}

static void free_texts(app_pair_input *input)
{
    lb_strings_free(&input->sources);
    lb_strings_free(&input->targets);
}

lb_status app_pair_input_texts(app_pair_input *input, size_t most, lb_error *error)
{
    lb_line line;
    free_texts(input);
    while (input->sources.count < most && next_pair(input, &line, error))
        if (take_pair(input, line.number, error)) break;
    return error->status;
}

void app_pair_input_close(app_pair_input *input)
{
    lb_lines_close(&input->lines);
    lb_pair_line_free(&input->pair);
    lb_pair_file_close(&input->file);
    lb_pairs_close(input->held);
    free_texts(input);
    lb_release(input->number);
}

/* ---- Texts. ---- */

enum {
    POOL = 1 << 18,  /* bytes of text in a batch, in addition to the longest line */
    MOST_COPIES = 3, /* of a line: its text, its prefix, and the line */
    SKIPPED_TOLD = 5
};

bool app_input_is_typed(const char *path)
{
    return (!path || strcmp(path, "-") == 0) && lb_os_is_terminal(stdin);
}

bool app_ends_in(const char *path, const char *ending)
{
    return path && strlen(path) > strlen(ending) && lb_ends_with(path, ending);
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
        .chosen = format.source_column > 0,
        .parts.usual = LB_WIDTH_VARIES,
        .line = lb_alloc(room * sizeof *input->line),
        .text = lb_alloc(room * sizeof *input->text),
        .prefix = lb_alloc(room * sizeof *input->prefix),
        .letters = lb_alloc(MOST_COPIES * LB_PAIR_LINE_BYTES + POOL),
    };
    if (!input->line || !input->text || !input->prefix || !input->letters)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return lb_pair_stream_open(&input->stream, path, &input->format, error);
}

int64_t app_input_lines(const app_input *input)
{
    const lb_os_handle file = input->stream.file.handle;
    int64_t at = lb_os_place(file), count;
    lb_os_info info;
    char bytes[1 << 16], last = '\n';
    int64_t lines = 0;
    if (at < 0 || !lb_os_info_of(file, &info) || info.kind != LB_OS_IS_FILE) return 0;
    for (; (count = lb_os_read_at(file, at, bytes, sizeof bytes)) > 0; at += count) {
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

/* Says how the lines are read, once that is known, and not as texts. */
static void tell(app_input *input)
{
    const lb_pair_file *file = &input->stream.file;
    if (input->told || !input->stream.begun) return;
    input->told = true;
    input->format.kind = file->kind;
    note_format(input->name, file, false);
    const lb_pair_kind_row *row = input->stream.kind.row;
    if (!*file->unused || file->header || !(row->quotes || row->members)) return;
    /* A table of others: nothing says which column has the texts. */
    if (!input->chosen)
        app_warn("%s: the texts are those of column %d, not of %s; --source-column chooses others",
                 input->name, (int)input->format.source_column, file->unused);
    if (row->quotes)
        app_note("%s: if its first line has names, --format %s+header leaves it out", input->name,
                 file->kind);
}

/* Some bytes as a string, which lasts until the next lines are gathered. */
static const char *keep(app_input *input, const char *text, size_t length)
{
    char *copy = input->letters + input->letters_used;
    memmove(copy, text, length);
    copy[length] = '\0';
    input->letters_used += length + 1;
    return copy;
}

/* The text of the prefix column; NULL if the line has no such column. */
static const char *take_prefix(app_input *input, const lb_line *line)
{
    const char *at = line->text, *end = at + line->length;
    if (input->prefix_column == 0) return NULL;
    for (int32_t column = 1; column < input->prefix_column && at; column++) {
        at = memchr(at, '\t', (size_t)(end - at));
        if (at) at++;
    }
    if (!at) return NULL;
    const char *stop = memchr(at, '\t', (size_t)(end - at));
    return keep(input, at, (size_t)((stop ? stop : end) - at));
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
    bool tab = memchr(line.text, '\t', line.length), sentence = tab && memchr(line.text, ' ', line.length);
    if (input->plain && sentence && !input->tabs) {
        app_warn("%s:%lld: found a tab among spaces, and none before: tabs are read as spaces", input->name,
                 (long long)line.number);
        input->tabs = true;
    }
    bool columns = input->format.source_column > 0 || lb_symbol_rule_has_features(&input->format.source);
    input->plain = input->plain || !(tab || columns);
    if (input->tabs) { /* they mean the same as blanks */
        for (size_t i = 0; i < line.length; i++) copy[i] = line.text[i] == '\t' ? ' ' : line.text[i];
        line.text = copy;
    }
    const char *row = input->rows ? keep(input, line.text, line.length) : NULL;
    lb_status status =
        lb_pair_line_source(&input->format, input->name, &line, &input->parts, &text, &length, &found);
    const char *prefix = take_prefix(input, &line);
    if (!status && input->prefix_column > 0 && !prefix)
        status = lb_error_set(
            &found, LB_ERROR_FORMAT,
            "%s:%lld: found fewer than %d columns, expected the beginning of the output in the last",
            input->name, (long long)line.number, (int)input->prefix_column);
    if (status && !app_skips(&input->format, status))
        return lb_error_set(error, status, "%s%s", found.message, column_hint(input, found.message));
    app_input_line *to = &input->line[input->count++];
    *to = (app_input_line){.number = line.number, .row = row};
    if (status) {
        to->bad = lb_alloc_string(found.message);
        return to->bad ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    }
    to->text = keep(input, text, length);
    input->prefix[input->text_count] = prefix;
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
