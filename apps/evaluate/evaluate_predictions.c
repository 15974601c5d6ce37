/* Evaluates given predictions, from any source, against the pairs. */
#include "apply/pair_input.h"
#include "console/progress.h"
#include "data/symbols.h"
#include "evaluate/evaluate.h"

#include <string.h>

typedef struct measuring {
    const app_evaluate *asked;
    app_pair_input pairs, predictions;
    lb_symbols source, output;
    app_score *score;
    app_progress progress;
} measuring;

/* The next line; false, maybe with an error, if there is none. */
static bool next_line(app_pair_input *in, lb_line *line, lb_error *error)
{
    if (!app_pair_input_line(in, line, error)) return false;
    if (line->number == 1 && lb_pair_line_has_mark(line->text, line->length)) {
        line->text += LB_PAIR_LINE_MARK;
        line->length -= LB_PAIR_LINE_MARK;
    }
    return true;
}

static lb_status bad(const app_pair_input *in, const lb_line *line, const char *found, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: %s", in->name, (long long)line->number, found);
}

static lb_status split(const measuring *s, const lb_line *line, const lb_symbol_rule *rule, const char *text,
                       size_t length, lb_symbols *symbols, lb_error *error)
{
    lb_error found = {0};
    lb_status status = lb_symbols_split(rule, text, length, symbols, &found);
    if (status == LB_ERROR_FORMAT) return bad(&s->predictions, line, found.message, error);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

static lb_status read_prediction(measuring *s, const lb_line *line, lb_error *error)
{
    const char *end = line->text + line->length, *tab = memchr(line->text, '\t', line->length);
    bool features = lb_symbol_rule_has_features(&s->pairs.format.source);
    if (tab && features) tab = memchr(tab + 1, '\t', (size_t)(end - tab) - 1);
    if (line->cut) return bad(&s->predictions, line, "found a line that is too long", error);
    if (!tab || memchr(tab + 1, '\t', (size_t)(end - tab) - 1))
        return bad(&s->predictions, line,
                   features
                       ? tab ? "found more than 3 columns, expected a source, its features and its output"
                             : "found fewer than 3 columns, expected a source, its features and its output"
                   : tab ? "found more than 2 columns, expected a source and its output"
                         : "found 1 column, expected a source, a tab and its output",
                   error);
    const lb_pair_format *format = &s->pairs.format;
    lb_status status =
        split(s, line, &format->source, line->text, (size_t)(tab - line->text), &s->source, error);
    if (status) return status;
    return split(s, line, &format->target, tab + 1, (size_t)(end - tab) - 1, &s->output, error);
}

/* Compares one line of each file. */
static lb_status compare(measuring *s, const lb_line *pair, const lb_line *prediction, lb_error *error)
{
    lb_error found = {0};
    const lb_pair_format *format = &s->pairs.format;
    lb_status status = lb_pair_line_read(format, s->pairs.name, pair, &s->pairs.pair, &found);
    if (app_skips(format, status)) {
        s->score->skipped++;
        return LB_OK;
    }
    if (status)
        return lb_error_set(error, status, "%s%s", found.message, app_columns_help(found.message, false));
    status = read_prediction(s, prediction, error);
    if (status) return status;
    if (!app_same_symbols(&s->source, &s->pairs.pair.source))
        return lb_error_set(
            error, LB_ERROR_FORMAT, "%s:%lld: the source differs from the one in line %lld of %s",
            s->predictions.name, (long long)prediction->number, (long long)pair->number, s->pairs.name);
    const lb_pair_line *line = &s->pairs.pair;
    return app_score_add(
        s->score,
        (app_answer){.source = &line->source, .reference = &line->target, .output = &s->output, .outputs = 1},
        error);
}

static lb_status compare_all(measuring *s, lb_error *error)
{
    for (;;) {
        lb_line pair, prediction;
        bool more = next_line(&s->pairs, &pair, error),
             others = next_line(&s->predictions, &prediction, error);
        if (error->status) return error->status;
        if (!more && !others) return LB_OK;
        if (!more || !others)
            return lb_error_set(error, LB_ERROR_FORMAT, "%s has %s lines than %s, expected the same number",
                                s->predictions.name, more ? "fewer" : "more", s->pairs.name);
        lb_status status = compare(s, &pair, &prediction, error);
        if (status) return status;
        app_progress_count(&s->progress, "line", pair.number, 0);
    }
}

lb_status app_evaluate_predictions(const app_evaluate *asked, const char *predictions, app_score *score,
                                   lb_error *error)
{
    measuring s = {.asked = asked, .score = score};
    lb_status status = app_pair_input_open(&s.pairs, asked->pairs, &asked->format, error);
    const lb_pair_format as_written = {.kind = "tsv"};
    if (!status) status = app_pair_input_open(&s.predictions, predictions, &as_written, error);
    if (!status) status = app_score_open(score, asked->judging, &s.pairs.format.target, error);
    if (!status) status = compare_all(&s, error);
    app_progress_end(&s.progress);
    if (!status && score->pairs == 0)
        status =
            lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", asked->pairs);
    lb_symbols_free(&s.source);
    lb_symbols_free(&s.output);
    app_pair_input_close(&s.pairs);
    app_pair_input_close(&s.predictions);
    return status;
}
