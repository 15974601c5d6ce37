#include "report/report.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static lb_status make_room(app_report_rows *rows, size_t capacity, lb_error *error)
{
    rows->capacity = capacity;
    rows->row = lb_alloc(capacity * sizeof *rows->row);
    return rows->row ? LB_OK : app_report_no_memory(error);
}

/* Moves the last row to `all`. */
static lb_status keep(app_report_rows *rows, lb_error *error)
{
    if (!lb_alloc_more(&rows->all, rows->all_count, &rows->all_room, sizeof *rows->all))
        return app_report_no_memory(error);
    rows->all[rows->all_count++] = rows->row[--rows->count];
    return LB_OK;
}

static lb_status take_line(app_report_rows *rows, const char *line, size_t length, lb_error *error)
{
    char *copy = lb_alloc(length + 1);
    if (!copy) return app_report_no_memory(error);
    memcpy(copy, line, length);
    copy[length] = '\0';
    rows->row[rows->count++] = (app_report_row){.source = copy};
    return keep(rows, error);
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

lb_status app_report_rows_take(app_report_rows *rows, const lb_strings *texts, size_t capacity,
                               lb_error *error)
{
    *rows = (app_report_rows){.name = "--input"};
    lb_status status = make_room(rows, capacity, error);
    for (size_t i = 0; i < texts->count && !status; i++) status = take_lines(rows, texts->text[i], error);
    if (status || rows->all_count > 0) return status;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found an empty text", rows->name);
}

static void free_row(app_report_row *row)
{
    lb_release(row->source);
    lb_strings_free(&row->targets);
    lb_release(row->error);
    *row = (app_report_row){0};
}

static void clear(app_report_rows *rows)
{
    while (rows->count > 0) free_row(&rows->row[--rows->count]);
}

static lb_status take_pair(app_report_rows *rows, app_report_row *row, lb_error *error)
{
    const lb_pair_format *format = &rows->file.format;
    const lb_symbols *source = &rows->file.pair.source, *target = &rows->file.pair.target;
    row->source = lb_symbols_join(&format->source, source->symbol, source->count, error);
    if (!row->source) return LB_ERROR_MEMORY;
    return lb_strings_add(&row->targets,
                          lb_symbols_join(&format->target, target->symbol, target->count, error), error);
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
    if (!app_skips(&file->format, status)) {
        lb_error_set(error, status, "%s%s", bad.message, app_columns_help(bad.message, true));
        return false;
    }
    file->skipped++;
    row->error = lb_alloc_string(bad.message);
    if (!row->error) app_report_no_memory(error);
    return row->error;
}

static bool has_same_source(const app_report_row *a, const app_report_row *b)
{
    return a->source && b->source && strcmp(a->source, b->source) == 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const app_report_row *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* By source, then by number; lines that could not be read come last. */
static int compare_sources(const void *a, const void *b)
{
    const app_report_row *x = a, *y = b;
    int order = x->source && y->source ? strcmp(x->source, y->source) : !x->source - !y->source;
    return order ? order : compare_numbers(a, b);
}

static int compare_pairs(const void *a, const void *b)
{
    const app_report_row *x = a, *y = b;
    int order = has_same_source(x, y) ? strcmp(x->targets.text[0], y->targets.text[0]) : 0;
    return order ? order : compare_sources(a, b);
}

/* Leaves out lines with a pair that an earlier line has. */
static void drop_repeated(app_report_rows *rows)
{
    size_t kept = 0;
    qsort(rows->all, rows->all_count, sizeof *rows->all, compare_pairs);
    for (size_t i = 0; i < rows->all_count; i++) {
        app_report_row *row = &rows->all[i], *last = kept > 0 ? &rows->all[kept - 1] : NULL;
        if (last && has_same_source(last, row) && strcmp(last->targets.text[0], row->targets.text[0]) == 0)
            free_row(row);
        else
            rows->all[kept++] = *row;
    }
    rows->all_count = kept;
}

/* Moves the only target of `from` to another row. */
static lb_status move_target(app_report_row *from, app_report_row *to, lb_error *error)
{
    char *target = from->targets.text[--from->targets.count];
    free_row(from);
    return lb_strings_add(&to->targets, target, error);
}

static lb_status merge(app_report_rows *rows, lb_error *error)
{
    size_t kept = 0;
    lb_status status = LB_OK;
    drop_repeated(rows);
    qsort(rows->all, rows->all_count, sizeof *rows->all, compare_sources);
    for (size_t i = 0; i < rows->all_count && !status; i++) {
        app_report_row *row = &rows->all[i], *last = kept > 0 ? &rows->all[kept - 1] : NULL;
        if (last && has_same_source(last, row)) {
            status = move_target(row, last, error);
        } else {
            app_report_row moved = *row;
            *row = (app_report_row){0};
            rows->all[kept++] = moved;
        }
    }
    if (status) return status;
    rows->all_count = kept;
    qsort(rows->all, kept, sizeof *rows->all, compare_numbers);
    return LB_OK;
}

/* Reads all lines; those of the same source become one row. */
static lb_status gather(app_report_rows *rows, lb_error *error)
{
    while (read_line(rows, error))
        if (keep(rows, error)) return error->status;
    return error->status || rows->all_count == 0 ? error->status : merge(rows, error);
}

lb_status app_report_rows_open(app_report_rows *rows, const char *path, const lb_pair_format *format,
                               size_t capacity, bool once, lb_error *error)
{
    *rows = (app_report_rows){0};
    lb_status status = make_room(rows, capacity, error);
    if (!status) status = app_pair_input_open(&rows->file, path, format, error);
    if (!status) status = app_pair_input_check(&rows->file, error);
    rows->name = rows->file.name;
    return status || !once ? status : gather(rows, error);
}

static bool take_gathered(app_report_rows *rows)
{
    if (rows->next == rows->all_count) return false;
    rows->row[rows->count++] = rows->all[rows->next];
    rows->all[rows->next++] = (app_report_row){0};
    return true;
}

lb_status app_report_rows_read(app_report_rows *rows, size_t most, lb_error *error)
{
    bool more = true;
    clear(rows);
    if (most > rows->capacity) most = rows->capacity;
    while (more && rows->count < most) more = rows->all ? take_gathered(rows) : read_line(rows, error);
    return error->status;
}

int64_t app_report_rows_expected(const app_report_rows *rows)
{
    return rows->all ? (int64_t)rows->all_count : rows->file.checked;
}

void app_report_rows_close(app_report_rows *rows)
{
    clear(rows);
    for (size_t i = 0; i < rows->all_count; i++) free_row(&rows->all[i]);
    lb_release(rows->all);
    lb_release(rows->row);
    app_pair_input_close(&rows->file);
}
