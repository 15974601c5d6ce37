/* Applies a model to texts: a line in, a line with the text and what the model made of it out. */
#include "common/decoding.h"
#include "common/predict.h"
#include "common/report.h"
#include "common/text_lines.h"

#include <stdio.h>

/* A run from the first line to the last. */
typedef struct session {
    const app_predict *asked;
    app_text_model model;
    app_text_lines lines;
    bool longer_said; /* that a text is longer than those of the training */
    int64_t endless;  /* outputs that did not end */
} session;

static lb_status session_open(session *s, const char *path, const lb_safetensors *file, lb_error *error)
{
    const app_predict *asked = s->asked;
    lb_status status = app_text_model_load(&s->model, path, file, error);
    if (status) return status;
    lb_beam_config *search = &s->model.search;
    if (asked->beam) search->beam = asked->beam;
    if (search->beam < asked->n_best) search->beam = asked->n_best;
    search->length_penalty = asked->length_penalty > 0 ? asked->length_penalty : -1;
    status = app_check_decoding(s->model.translator.model, path, search->beam, asked->attention, error);
    if (status) return status;
    /* One text at a time where only one may be: it is answered whether the next has arrived or not. */
    int batch = asked->attention ? 1 : asked->batch;
    return app_text_lines_open(&s->lines, &s->model, batch, asked->source_column, asked->skip_bad_lines,
                               error);
}

/* Says what may surprise in an answer: each trouble at its first line only, for there may be millions. */
static void comment(session *s, const app_text_line *line, const app_text *text, const lb_hypothesis *best)
{
    int32_t longest = s->model.translator.longest_source;
    if (longest > 0 && text->length > longest && !s->longer_said) {
        s->longer_said = true;
        app_note("standard input:%lld: a text of %d symbols; those of the training had at most %d",
                 (long long)line->number, (int)text->length, (int)longest);
    }
    if (!best->finished && s->endless++ == 0)
        app_note("standard input:%lld: the model found no end; cut off after %lld symbols",
                 (long long)line->number, (long long)best->length);
}

static void print_source(const app_text_line *line)
{
    fwrite(line->source ? line->source : "", 1, line->length, stdout);
    putchar('\t');
}

/* A line for each of the best outputs. */
static lb_status print_answers(const session *s, const app_text_line *line, const lb_hypothesis *outputs,
                               lb_error *error)
{
    int n_best = s->asked->n_best;
    for (int i = 0; i == 0 || i < n_best; i++) {
        char *text = app_target_text(&s->model, &outputs[i], error);
        if (!text) return LB_ERROR_MEMORY;
        print_source(line);
        fputs(text, stdout);
        if (n_best > 0) printf("\t%.6f", outputs[i].score);
        putchar('\n');
        lb_release(text);
    }
    return LB_OK;
}

static lb_status write_attention(const session *s, const app_text *text, const lb_hypothesis *best,
                                 lb_error *error)
{
    const lb_model *model = s->model.translator.model;
    return app_write_attention(s->asked->attention, best->weights,
                               LB_SHAPE(model->layers, model->heads, best->steps, text->length), error);
}

/* Decodes and prints the lines from `first` on that can be decoded side by side; `*count` says how many these were. */
static lb_status answer_some(session *s, int first, int *count, lb_error *error)
{
    const app_text_line *line = s->lines.line + first;
    const app_text *text = s->lines.text + first;
    int good = 0;
    while (first + good < s->lines.count && !line[good].bad) good++;
    *count = (int)app_text_affordable(&s->model, text, good);
    lb_beam found;
    lb_status status = app_text_decode(&s->model, text, *count, &found, error);
    for (int i = 0; i < *count && !status; i++)
        status = print_answers(s, &line[i], &found.hypothesis[i * found.beam], error);
    if (status) return status;
    if (!app_flush_stdout()) return LB_ERROR_WRITE; /* app_close_stdout knows more of it */
    if (s->asked->attention) status = write_attention(s, text, found.hypothesis, error);
    for (int i = 0; i < *count && !status; i++)
        comment(s, &line[i], &text[i], &found.hypothesis[i * found.beam]);
    return status;
}

static lb_status answer(session *s, lb_error *error)
{
    lb_status status = LB_OK;
    for (int first = 0, count; first < s->lines.count && !status; first += count) {
        count = 1;
        if (s->lines.line[first].bad) {
            print_source(&s->lines.line[first]);
            fputs(s->asked->n_best > 0 ? "\t\n" : "\n", stdout);
        } else {
            status = answer_some(s, first, &count, error);
        }
    }
    if (!status && !app_flush_stdout()) status = LB_ERROR_WRITE;
    return status;
}

static lb_status answer_all(session *s, lb_error *error)
{
    lb_error found = {0};
    bool more = true;
    while (more) {
        more = app_text_lines_gather(&s->lines, &found);
        if (s->asked->attention && s->lines.count > 0 && s->lines.line->number > 1)
            return lb_error_set(error, LB_ERROR_FORMAT, "standard input:2: --attention takes one text");
        lb_status status = answer(s, error);
        if (status) return status;
    }
    return found.status ? lb_error_set(error, found.status, "%s", found.message) : LB_OK;
}

lb_status app_predict_texts(const app_predict *asked, const char *path, const lb_safetensors *file,
                            lb_error *error)
{
    session s = {.asked = asked};
    lb_status status = session_open(&s, path, file, error);
    if (!status) status = answer_all(&s, error);
    if (s.endless > 1) app_note("%lld outputs were cut off", (long long)s.endless);
    app_text_lines_sum_up(&s.lines);
    app_text_lines_close(&s.lines);
    app_text_model_close(&s.model);
    return status;
}
