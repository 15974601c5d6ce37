/* The table of --errors: each output that is wrong, by how much, how and where. */
#include "evaluate/evaluate.h"

#include "base/alloc.h"
#include "metrics/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 6 };

/* An alignment on its way into a cell. */
typedef struct telling {
    const lb_vocabulary *symbols;
    lb_buffer *text;
    int64_t at; /* symbols of the reference so far */
} telling;

static bool tell_edit(void *to, int32_t reference, int32_t output)
{
    telling *t = to;
    t->at += reference != LB_NO_SYMBOL;
    if (reference == output) return true;
    const bool extra = reference == LB_NO_SYMBOL, missing = output == LB_NO_SYMBOL;
    const char *wanted = extra ? "" : lb_vocabulary_symbol(t->symbols, reference),
               *found = missing ? "" : lb_vocabulary_symbol(t->symbols, output);
    lb_buffer_print(t->text, "%s%s", t->text->length > 0 ? ", " : "", extra ? "after " : "");
    lb_buffer_print(t->text, "%lld: %s%s%s", (long long)t->at, missing ? "no " : found,
                    extra     ? " too much"
                    : missing ? ""
                              : " for ",
                    wanted);
    return true;
}

static void add_cell(lb_buffer *csv, const char *text)
{
    lb_buffer_csv_cell(csv, text, strlen(text));
    lb_buffer_print(csv, ",");
}

lb_status app_errors_add(lb_strings *errors, app_row row, const char *target, const char *text,
                         const lb_vocabulary *symbols, lb_sequence reference, lb_sequence output,
                         lb_error *error)
{
    lb_buffer how = {0}, line = {0}, *csv = &line;
    telling t = {.symbols = symbols, .text = &how};
    int64_t edits = 0;
    lb_status status = lb_edit_alignment(reference, output, tell_edit, &t, &edits, error);
    if (!status && edits > 0) {
        lb_buffer_print(csv, "%lld,", (long long)row.line);
        add_cell(csv, row.source);
        add_cell(csv, target);
        add_cell(csv, text);
        if (isfinite(row.probability)) lb_buffer_print(csv, "%.*g", DIGITS, row.probability);
        lb_buffer_print(csv, ",%s,%lld,", row.from, (long long)edits);
        lb_buffer_csv_cell(csv, how.text ? how.text : "", how.length);
        lb_buffer_print(csv, "\n");
    }
    line.failed = line.failed || how.failed; /* then its end is no text, and nothing is left */
    if (!status && edits > 0) status = lb_strings_add(errors, lb_buffer_end(&line), error);
    lb_release(how.text);
    return status;
}

/* Each begins with the number of its line. */
static int compare_lines(const void *a, const void *b)
{
    const char *one = *(char *const *)a, *other = *(char *const *)b;
    const long long x = strtoll(one, NULL, 10), y = strtoll(other, NULL, 10);
    return x == y ? strcmp(one, other) : x < y ? -1 : 1;
}

lb_status app_errors_write(lb_strings *errors, const char *path, lb_error *error)
{
    lb_buffer csv = {0};
    lb_buffer_print(&csv, "line,source,target,output,probability,from,errors,where\n");
    if (errors->count > 1) qsort(errors->text, errors->count, sizeof *errors->text, compare_lines);
    for (size_t i = 0; i < errors->count; i++) lb_buffer_print(&csv, "%s", errors->text[i]);
    lb_status status = app_write_lines(path, &csv, error);
    lb_release(csv.text);
    return status;
}
