/* Reads all texts of a report at once: lines of a file of pairs, or those of the command line. */
#include "report/report.h"

#include "base/alloc.h"

#include <string.h>

/* A new row behind the others; NULL if memory runs out. */
static app_report_row *add_row(app_report_rows *rows, lb_error *error)
{
    if (!lb_alloc_more(&rows->all, rows->all_count, &rows->all_room, sizeof *rows->all))
        return lb_null(app_report_no_memory(error));
    app_report_row *row = &rows->all[rows->all_count++];
    *row = (app_report_row){0};
    return row;
}

static void drop_last(app_report_rows *rows)
{
    app_report_row *row = &rows->all[--rows->all_count];
    lb_release(row->source);
    lb_strings_free(&row->targets);
    lb_release(row->error);
}

static lb_status take_lines(app_report_rows *rows, const char *text, lb_error *error)
{
    size_t length;
    for (const char *line = text; *line; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        if (strspn(line, " \t\r") >= length) continue;
        lb_buffer copy = {0};
        app_report_row *row = add_row(rows, error);
        lb_buffer_add(&copy, line, length);
        if (row) row->source = lb_buffer_end(&copy);
        if (!row || !row->source) return app_report_no_memory(error);
    }
    return LB_OK;
}

lb_status app_report_rows_take(app_report_rows *rows, const lb_strings *texts, lb_error *error)
{
    lb_status status = LB_OK;
    *rows = (app_report_rows){.name = "--input"};
    for (size_t i = 0; i < texts->count && !status; i++) status = take_lines(rows, texts->text[i], error);
    rows->expected = (int64_t)rows->all_count;
    if (status || rows->all_count > 0) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found an empty text", rows->name);
}

static lb_status take_pair(app_report_row *row, const app_pair_input *file, lb_error *error)
{
    const lb_pair_format *format = &file->format;
    const lb_symbols *source = &file->pair.source, *target = &file->pair.target;
    row->source = lb_symbols_join(&format->source, source->symbol, source->count, error);
    if (!row->source) return LB_ERROR_MEMORY;
    return lb_strings_add(&row->targets,
                          lb_symbols_join(&format->target, target->symbol, target->count, error), error);
}

/* Reads one line as a row. False at the end of the file, and after an error. */
static bool read_line(app_report_rows *rows, app_pair_input *file, lb_error *error)
{
    lb_line line;
    lb_error bad = {0};
    if (!app_pair_input_line(file, &line, error)) return false;
    app_report_row *row = add_row(rows, error);
    if (!row) return false;
    row->number = line.number;
    lb_status status = lb_pair_line_read(&file->format, file->name, &line, &file->pair, &bad);
    rows->expected += !status;
    if (!status) return take_pair(row, file, error) == LB_OK;
    if (!app_skips(&file->format, status)) {
        (void)app_pair_input_refuse(file, &bad, true, error);
        return false;
    }
    row->error = lb_alloc_string(bad.message);
    if (!row->error) app_report_no_memory(error);
    return row->error;
}

/* Whether a source has a target for the first time. */
static bool is_new(lb_vocabulary *pairs, size_t source, const char *target, lb_error *error)
{
    lb_buffer pair = {0};
    int32_t before = lb_vocabulary_size(pairs);
    lb_buffer_print(&pair, "%zu %s", source, target);
    const char *text = pair.text;
    lb_status status = pair.failed ? app_report_no_memory(error) : lb_vocabulary_add(pairs, &text, 1, error);
    lb_release(pair.text);
    return !status && lb_vocabulary_size(pairs) > before;
}

/* Reads all lines. With `once`, those of the same source become one row. */
static lb_status gather(app_report_rows *rows, app_pair_input *file, bool once, lb_error *error)
{
    lb_vocabulary *sources = lb_vocabulary_new_reserved(error);
    lb_vocabulary *pairs = sources ? lb_vocabulary_new_reserved(error) : NULL;
    size_t *place = NULL, count = 0, room = 0; /* [count] the row of each source */
    while (pairs && !error->status && read_line(rows, file, error)) {
        app_report_row *row = &rows->all[rows->all_count - 1];
        const char *source = row->source;
        if (!source || !once || lb_vocabulary_add(sources, &source, 1, error)) continue;
        size_t id = (size_t)(lb_vocabulary_id(sources, source) - LB_FIRST_TOKEN);
        bool added = is_new(pairs, id, row->targets.text[0], error);
        if (place && id < count) {
            lb_strings *targets = &rows->all[place[id]].targets;
            if (added && lb_strings_add(targets, row->targets.text[--row->targets.count], error)) break;
            drop_last(rows);
        } else if (lb_alloc_more(&place, count, &room, sizeof *place))
            place[count++] = rows->all_count - 1;
        else
            app_report_no_memory(error);
    }
    lb_vocabulary_free(pairs);
    lb_vocabulary_free(sources);
    lb_release(place);
    bool none = !error->status && rows->expected == 0;
    if (once) rows->expected = (int64_t)rows->all_count;
    if (!none) return error->status;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", rows->name);
}

lb_status app_report_rows_open(app_report_rows *rows, const char *path, const lb_pair_format *format,
                               bool once, bool held_out, lb_error *error)
{
    app_pair_input file;
    lb_status status = app_pair_input_open(&file, path, format, error);
    *rows = (app_report_rows){.name = file.name};
    if (!status && held_out) status = app_pair_input_hold_out(&file, path, error);
    if (!status) status = gather(rows, &file, once, error);
    app_pair_input_close(&file);
    return status;
}

void app_report_rows_next(app_report_rows *rows, size_t most)
{
    rows->row = rows->row ? rows->row + rows->count : rows->all;
    size_t left = (size_t)(rows->all + rows->all_count - rows->row);
    rows->count = left < most ? left : most;
}

void app_report_rows_close(app_report_rows *rows)
{
    while (rows->all_count > 0) drop_last(rows);
    lb_release(rows->all);
}
