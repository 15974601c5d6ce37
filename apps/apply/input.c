#include "apply/input.h"

#include "base/alloc.h"
#include "console/console.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    POOL = 1 << 18, /* bytes of text in a batch, in addition to the longest line */
    SKIPPED_TOLD = 5
};

lb_status app_input_open(app_input *input, const char *path, int capacity, lb_pair_format format, bool tabs,
                         lb_error *error)
{
    size_t room = (size_t)capacity;
    bool standard = !path || strcmp(path, "-") == 0;
    *input = (app_input){
        .name = standard ? "standard input" : path,
        .descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
        .capacity = capacity,
        .tabs = tabs && format.source_column == 0,
        .format = format,
        .line = lb_alloc(room * sizeof *input->line),
        .text = lb_alloc(room * sizeof *input->text),
        .letters = lb_alloc(LB_PAIR_LINE_BYTES + POOL),
    };
    if (input->descriptor < 0)
        return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, strerror(errno));
    if (!input->line || !input->text || !input->letters)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return lb_lines_open(&input->lines, input->descriptor, input->name, LB_PAIR_LINE_BYTES, error);
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
    lb_lines_close(&input->lines);
    if (input->descriptor > STDIN_FILENO) close(input->descriptor);
    lb_pair_line_free(&input->parts);
    forget_lines(input);
    lb_release(input->line);
    lb_release((void *)input->text);
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
    const char *blanks = input->format.source_column > 0 ? " " : " \t";
    for (size_t i = 0; i < line->length; i++)
        if (!line->text[i] || !strchr(blanks, line->text[i])) return false;
    return !line->cut;
}

/* A hint for a line with too few or too many columns. */
static const char *column_hint(const app_input *input)
{
    if (input->parts.bad != LB_LINE_COLUMNS) return "";
    if (lb_symbol_rule_has_features(&input->format.source))
        return "; the model reads a text, a tab and its features";
    return input->format.source_column == 0 ? "; --source-column chooses one of several" : "";
}

/* A first line with more columns than a text is one of a file like that of the training. */
static void choose_columns(app_input *input, const lb_line *line)
{
    int columns = 1, of_text = lb_symbol_rule_has_features(&input->format.source) ? 2 : 1;
    char ignored[LB_MESSAGE_LENGTH];
    bool given = input->format.source_column || input->format.features_column;
    if (given || input->begun) return;
    input->begun = true;
    for (size_t i = 0; i < line->length; i++) columns += line->text[i] == '\t';
    if (columns > of_text) lb_pair_format_take_columns(&input->format, input->usual, ignored);
}

static lb_status take(app_input *input, lb_line line, lb_error *error)
{
    if (is_blank(input, &line)) {
        input->line[input->count++] = (app_input_line){.number = line.number, .blank = true};
        return LB_OK;
    }
    choose_columns(input, &line);
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
    if (status && (status != LB_ERROR_FORMAT || !input->format.skip_bad_lines))
        return lb_error_set(error, status, "%s%s", found.message, column_hint(input));
    app_input_line *to = &input->line[input->count++];
    *to = (app_input_line){.number = line.number};
    if (status) {
        to->bad = lb_alloc_string(found.message);
        return to->bad ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    }
    memmove(copy, text, length);
    copy[length] = '\0';
    input->letters_used += length + 1;
    input->text[input->text_count++] = to->text = copy;
    return LB_OK;
}

bool app_input_gather(app_input *input, lb_error *error)
{
    forget_lines(input);
    while (input->count < input->capacity && input->letters_used < POOL) {
        lb_line line;
        lb_lines_result result = lb_lines_next(&input->lines, input->count == 0, &line, error);
        if (result == LB_LINES_LATER) return true;
        if (result != LB_LINES_ONE || take(input, line, error)) return false;
    }
    return true;
}
