/* Sorts lists of numbers: a line in, a line out. */
#include "common/decoding.h"
#include "common/predict.h"
#include "common/report.h"
#include "common/sort_model.h"

#include "io/lines.h"
#include "train/evaluate.h"

#include <stdio.h>
#include <unistd.h>

enum {
    POOL = 1 << 16,        /* numbers that a batch holds, and the longest list beside them */
    BYTES_PER_NUMBER = 12, /* digits and a blank */
};

/* A run from the first line to the last. */
typedef struct session {
    app_sort_model sort;
    lb_lines lines;
    int batch;             /* lists at most */
    app_list *lists;       /* [batch] what has been read and is not answered yet */
    int64_t *line;         /* [batch] where each list stands */
    app_sorted *sorted;    /* [batch] */
    int32_t *pool;         /* their numbers */
    const char *attention; /* where to write what the model looked at; NULL: nowhere */
    int count;             /* lists */
    int32_t used;          /* numbers */
    bool longer_said;      /* that a list is longer than those of the training */
    int64_t endless;       /* outputs that did not end */
    lb_error error;
} session;

static lb_status session_open(session *s, const app_predict *asked, const char *path,
                              const lb_safetensors *file)
{
    size_t batch = (size_t)asked->batch;
    lb_error *error = &s->error;
    s->batch = asked->batch;
    s->attention = asked->attention;
    if (app_sort_model_load(&s->sort, path, file, error)) return error->status;
    s->sort.beam = asked->beam ? asked->beam : 1;
    if (app_check_decoding(s->sort.model, path, s->sort.beam, asked->attention, error)) return error->status;
    s->lists = lb_alloc(batch * sizeof *s->lists);
    s->line = lb_alloc(batch * sizeof *s->line);
    s->sorted = lb_alloc(batch * sizeof *s->sorted);
    s->pool = lb_alloc(((size_t)s->sort.longest + POOL) * sizeof *s->pool);
    if (!s->lists || !s->line || !s->sorted || !s->pool)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    size_t longest = (size_t)s->sort.longest * BYTES_PER_NUMBER;
    return lb_lines_open(&s->lines, STDIN_FILENO, "standard input", longest, error);
}

static void session_close(session *s)
{
    lb_lines_close(&s->lines);
    lb_release(s->lists);
    lb_release(s->line);
    lb_release(s->sorted);
    lb_release(s->pool);
    app_sort_model_close(&s->sort);
}

/* Adds a line to the batch. */
static lb_status take(session *s, const lb_line *line)
{
    lb_error found = {0};
    app_list *list = &s->lists[s->count];
    if (s->attention && line->number > 1)
        return lb_error_set(&s->error, LB_ERROR_FORMAT,
                            "standard input, line %lld: --attention takes one list", (long long)line->number);
    list->values = s->pool + s->used;
    lb_status status = app_sort_read(&s->sort, line->text, line->length, list, &found);
    if (!status && line->cut)
        status = lb_error_set(&found, LB_ERROR_FORMAT, "the line has more than %zu bytes", line->length);
    if (status)
        return lb_error_set(&s->error, status, "standard input, line %lld: %s", (long long)line->number,
                            found.message);
    s->line[s->count++] = line->number;
    s->used += list->length;
    return LB_OK;
}

/* Fills the batch with the lines that are there, waiting only for the first. False if no more can follow. */
static bool gather(session *s)
{
    s->count = 0;
    s->used = 0;
    while (s->count < s->batch && s->used <= POOL) {
        lb_line line;
        lb_lines_result result = lb_lines_next(&s->lines, s->count == 0, &line, &s->error);
        if (result == LB_LINES_LATER) return true;
        if (result != LB_LINES_ONE || take(s, &line)) return false;
    }
    return true;
}

/* How many of the lists from `first` on can be sorted side by side without taking too much memory. */
static int affordable(const session *s, int first)
{
    int64_t longest = 0;
    int count = 0;
    while (first + count < s->count) {
        int32_t length = s->lists[first + count].length;
        longest = length > longest ? length : longest;
        int64_t each = app_decoding_reals(s->sort.model, s->sort.beam, longest, lb_decoding_limit(longest));
        if (count > 0 && (count + 1) * each > APP_DECODING_MOST) break;
        count++;
    }
    return count;
}

static void print_sorted(const app_sorted *sorted)
{
    char text[APP_TOKEN];
    for (int64_t i = 0; i < sorted->length; i++) {
        if (i > 0) putchar(' ');
        fputs(app_sort_token(sorted->id[i], text), stdout);
    }
    putchar('\n');
}

/* Says what may surprise in an answer: each trouble at its first line only, for there may be millions. */
static void comment(session *s, int index)
{
    const lb_sort_task *task = &s->sort.task;
    const app_list *list = &s->lists[index];
    const app_sorted *sorted = &s->sorted[index];
    long long line = (long long)s->line[index];
    if (list->length > task->max_length && !s->longer_said) {
        s->longer_said = true;
        app_note("standard input, line %lld: %d numbers; the model was trained on lists of %d to %d", line,
                 (int)list->length, (int)task->min_length, (int)task->max_length);
    }
    if (!sorted->ended && s->endless++ == 0)
        app_note("standard input, line %lld: the model found no end; cut off after %lld numbers", line,
                 (long long)sorted->length);
}

/* Sorts and prints the batch. */
static lb_status answer(session *s)
{
    for (int first = 0, count; first < s->count; first += count) {
        count = affordable(s, first);
        lb_status status = app_sort_lists(&s->sort, s->lists + first, count, s->sorted + first, &s->error);
        if (status) return status;
        for (int i = first; i < first + count; i++) print_sorted(&s->sorted[i]);
        if (!app_flush_stdout()) return LB_ERROR_WRITE; /* app_close_stdout knows more of it */
        if (s->attention && app_sorted_write_attention(s->sorted, s->attention, &s->error))
            return s->error.status;
        for (int i = first; i < first + count; i++) comment(s, i);
    }
    return LB_OK;
}

static lb_status answer_all(session *s)
{
    bool more = true;
    while (more) {
        more = gather(s);
        lb_status status = answer(s);
        if (status) return status;
    }
    return s->error.status;
}

lb_status app_predict_lists(const app_predict *asked, const char *path, const lb_safetensors *file,
                            lb_error *error)
{
    session s = {0};
    lb_status status = session_open(&s, asked, path, file);
    if (!status) status = answer_all(&s);
    if (s.endless > 1) app_note("%lld outputs were cut off", (long long)s.endless);
    session_close(&s);
    return s.error.status ? lb_error_set(error, s.error.status, "%s", s.error.message) : status;
}
