#include "apply/pair_input.h"

#include "base/alloc.h"
#include "console/console.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void app_set_symbols(lb_pair_format *format, int symbols, int normalize)
{
    format->source.normalize = format->target.normalize = (lb_normal_form)normalize;
    format->source.graphemes = format->target.graphemes = symbols != 0;
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

lb_status app_pair_input_open(app_pair_input *input, const char *path, const lb_pair_format *format,
                              lb_error *error)
{
    *input = (app_pair_input){.name = lb_pair_file_name(path), .format = *format};
    lb_status status = lb_pair_format_check(format, error);
    if (!status) status = lb_pair_file_open(&input->file, path, &input->format, error);
    if (status) return status;
    const char *kind = input->file.kind;
    if (*input->file.note)
        app_note("%s", input->file.note);
    else if (input->file.recognised && !format->usual)
        app_note("%s: read as %s%s", input->name, *kind ? kind : "tsv", input->file.header ? "+header" : "");
    input->format.kind = input->file.kind;
    status = lb_pair_format_check(&input->format, error);
    return status
               ? status
               : lb_lines_open(&input->lines, input->file.descriptor, input->name, LB_PAIR_LINE_BYTES, error);
}

void app_pair_input_close(app_pair_input *input)
{
    lb_lines_close(&input->lines);
    lb_pair_line_free(&input->pair);
    lb_pair_file_close(&input->file);
}

lb_status app_pair_input_check(app_pair_input *input, lb_error *error)
{
    lb_line line;
    off_t begin = lseek(input->file.descriptor, 0, SEEK_CUR);
    bool more = true;
    while (more) more = app_pair_input_next(input, &line, error);
    if (error->status) return error->status;
    if (input->count == 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", input->name);
    if (lseek(input->file.descriptor, begin, SEEK_SET) != begin)
        return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read twice: %s", input->name, strerror(errno));
    lb_lines_close(&input->lines);
    input->checked = input->count;
    input->count = input->skipped = input->pair.columns = 0;
    return lb_lines_open(&input->lines, input->file.descriptor, input->name, LB_PAIR_LINE_BYTES, error);
}

bool app_pair_input_line(app_pair_input *input, lb_line *line, lb_error *error)
{
    bool more = lb_lines_next(&input->lines, true, line, error) == LB_LINES_ONE;
    if (more) lb_pair_file_line(&input->file, line);
    return more;
}

const char *app_columns_help(const char *message, bool trained)
{
    static const char choose[] = LB_PAIR_LINE_CHOOSE, text[] = ", expected text";
    size_t length = strlen(message), end = sizeof choose - 1;
    if (length >= end && strcmp(message + length - end, choose) == 0)
        return " with --source-column and --target-column";
    if (strstr(message, ": found no ") || strstr(message, "--format")) return ""; /* it names what helps */
    if (strstr(message, "found an empty line, expected text")) return "; --skip-bad-lines leaves it out";
    if (length >= sizeof text - 1 && strcmp(message + length - (sizeof text - 1), text) == 0)
        return "; --skip-bad-lines leaves such lines out";
    if (strstr(message, "found 1 column, expected 2"))
        return "; --format names another format, and --skip-bad-lines leaves such lines out";
    return trained && strstr(message, " expected at least ") && strstr(message, " column")
               ? "; without --source-column and --target-column, they are those of the training"
               : "";
}

bool app_pair_input_next(app_pair_input *input, lb_line *line, lb_error *error)
{
    while (app_pair_input_line(input, line, error)) {
        lb_error found = {0};
        lb_status status = lb_pair_line_read(&input->format, input->name, line, &input->pair, &found);
        input->count += !status;
        if (!status) return true;
        if (!app_skips(&input->format, status)) {
            lb_error_set(error, status, "%s%s", found.message, app_columns_help(found.message, true));
            return false;
        }
        input->skipped++;
    }
    return false;
}

void app_pair_texts_free(app_pair_texts *texts)
{
    lb_strings_free(&texts->sources);
    lb_strings_free(&texts->targets);
    lb_release(texts->number);
    *texts = (app_pair_texts){0};
}

static lb_status take_pair(app_pair_texts *texts, const app_pair_input *input, int64_t number,
                           lb_error *error)
{
    const lb_symbols *source = &input->pair.source, *target = &input->pair.target;
    size_t count = texts->sources.count;
    if (!lb_alloc_more(&texts->number, count, &texts->number_room, sizeof *texts->number))
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %zu pairs", count + 1);
    texts->number[count] = number;
    char *text = lb_symbols_join(&input->format.source, source->symbol, source->count, error);
    lb_status status = lb_strings_add(&texts->sources, text, error);
    if (status) return status;
    text = lb_symbols_join(&input->format.target, target->symbol, target->count, error);
    return lb_strings_add(&texts->targets, text, error);
}

lb_status app_pair_texts_read(app_pair_texts *texts, app_pair_input *input, size_t most, lb_error *error)
{
    lb_line line;
    app_pair_texts_free(texts);
    while (texts->sources.count < most && app_pair_input_next(input, &line, error))
        if (take_pair(texts, input, line.number, error)) break;
    return error->status;
}
