#include "report/rows.h"

#include "base/alloc.h"
#include "report/pack.h"

#include <string.h>

static lb_status make_room(app_report_rows *rows, size_t capacity, lb_error *error)
{
    rows->capacity = capacity;
    rows->row = lb_alloc(capacity * sizeof *rows->row);
    return rows->row ? LB_OK : app_report_no_memory(error);
}

lb_status app_report_rows_open(app_report_rows *rows, const char *path, const lb_pair_format *format,
                               size_t capacity, lb_error *error)
{
    *rows = (app_report_rows){0};
    lb_status status = make_room(rows, capacity, error);
    if (!status) status = app_pair_input_open(&rows->file, path, format, error);
    if (!status) status = app_pair_input_check(&rows->file, error);
    rows->name = rows->file.name;
    return status;
}

static lb_status take_line(app_report_rows *rows, const char *line, size_t length, lb_error *error)
{
    char *copy = lb_alloc(length + 1);
    if (copy) {
        memcpy(copy, line, length);
        copy[length] = '\0';
    }
    return lb_strings_add(&rows->texts, copy, error);
}

static lb_status take_lines(app_report_rows *rows, const char *text, lb_error *error)
{
    lb_status status = LB_OK;
    for (const char *line = text; *line && !status; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        bool blank = strspn(line, " \t\r") >= length;
        if (!blank) status = take_line(rows, line, length, error);
        line += length;
    }
    return status;
}

lb_status app_report_rows_take(app_report_rows *rows, const char *option, const char *const *texts,
                               size_t count, size_t capacity, lb_error *error)
{
    *rows = (app_report_rows){.name = option};
    lb_status status = make_room(rows, capacity, error);
    for (size_t i = 0; i < count && !status; i++) status = take_lines(rows, texts[i], error);
    if (status || rows->texts.count > 0) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found an empty text", option);
}

static void clear(app_report_rows *rows)
{
    for (; rows->count > 0; rows->count--) {
        const app_report_row *row = &rows->row[rows->count - 1];
        lb_release(row->source);
        lb_release(row->target);
        lb_release(row->error);
    }
}

static lb_status take_pair(app_report_rows *rows, app_report_row *row, lb_error *error)
{
    const lb_pair_format *format = &rows->file.format;
    const lb_symbols *source = &rows->file.pair.source, *target = &rows->file.pair.target;
    row->source = lb_symbols_join(&format->source, source->symbol, source->count, error);
    if (row->source) row->target = lb_symbols_join(&format->target, target->symbol, target->count, error);
    return row->target ? LB_OK : LB_ERROR_MEMORY;
}

/* Reads one line as a row. False at the end of the file, and after an error. */
static bool read_line(app_report_rows *rows, lb_error *error)
{
    app_pair_input *file = &rows->file;
    lb_line line;
    lb_error bad = {0};
    if (!app_pair_input_line(file, &line, error)) return false;
    app_report_row *row = &rows->row[rows->count++];
    *row = (app_report_row){.number = line.number};
    lb_status status = lb_pair_line_read(&file->format, file->name, &line, &file->pair, &bad);
    if (!status) return take_pair(rows, row, error) == LB_OK;
    if (status != LB_ERROR_FORMAT || !file->format.skip_bad_lines) {
        lb_error_set(error, status, "%s%s", bad.message, app_columns_help(bad.message));
        return false;
    }
    file->skipped++;
    row->error = lb_alloc_string(bad.message);
    if (!row->error) app_report_no_memory(error);
    return row->error;
}

static bool take_text(app_report_rows *rows, lb_error *error)
{
    if (rows->next == rows->texts.count) return false;
    app_report_row *row = &rows->row[rows->count++];
    *row = (app_report_row){.source = lb_alloc_string(rows->texts.text[rows->next++]),
                            .number = (int64_t)rows->next};
    if (!row->source) app_report_no_memory(error);
    return row->source;
}

lb_status app_report_rows_read(app_report_rows *rows, size_t most, lb_error *error)
{
    lb_error found = {0};
    bool more = true;
    clear(rows);
    if (most > rows->capacity) most = rows->capacity;
    while (more && rows->count < most)
        more = rows->texts.count > 0 ? take_text(rows, &found) : read_line(rows, &found);
    return found.status ? lb_error_set(error, found.status, "%s", found.message) : LB_OK;
}

void app_report_rows_close(app_report_rows *rows)
{
    clear(rows);
    lb_release(rows->row);
    lb_strings_free(&rows->texts);
    app_pair_input_close(&rows->file);
}
