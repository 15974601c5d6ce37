/* The two forms of evaluate: outputs of a model for the sources of pairs, and given ones. */
#include "apply/decoding.h"
#include "apply/input.h"
#include "base/alloc.h"
#include "console/console.h"
#include "evaluate/evaluate.h"
#include "translate/apply/translator.h"

#include <math.h>
#include <string.h>

/* ---- Outputs of a model. ---- */

/* A model applied to a file. */
typedef struct measuring {
    const app_evaluate *asked;
    lb_translator *translator;
    lb_translator_facts model;
    lb_translate_config config;
    app_pair_input pairs;
    lb_symbols target;
    lb_symbols *output,
        *again; /* [n_best], at least one; the memory of their symbols, where it is their own */
    app_score *score, *without; /* without: of the lexicon; NULL: there is none */
    app_unknown unknown;
    app_progress progress;
} measuring;

static lb_status open_model(measuring *s, const char *model, lb_error *error)
{
    s->translator = app_open_model(model, s->asked->pairs, &s->model, error);
    if (!s->translator) return error->status;
    lb_translate_config *c = &s->config;
    *c = s->asked->config;
    c->n_best = s->asked->judging.n_best > 1 ? s->asked->judging.n_best : 1;
    c->attention = c->erasure = s->asked->why;
    c->stop = app_progress_tick;
    c->context = &s->progress;
    s->output = lb_alloc((size_t)c->n_best * sizeof *s->output);
    s->again = lb_alloc_zero((size_t)c->n_best * sizeof *s->again);
    if (!s->output || !s->again) return lb_no_memory(error, NULL);
    if (s->asked->held_out && app_check_held_out(&s->model, error)) return error->status;
    const char *option = c->copy_unknown ? "--copy-unknown" : s->asked->why ? "--why" : NULL;
    return option ? app_check_attention(&s->model, option, error) : LB_OK;
}

static lb_status open_pairs(measuring *s, lb_error *error)
{
    const lb_pair_format format = app_pair_format(s->asked->format, &s->model);
    lb_status status = app_pair_input_open(&s->pairs, s->asked->pairs, &format, error);
    if (!status && s->asked->held_out) status = app_pair_input_hold_out(&s->pairs, s->asked->pairs, error);
    if (!status) status = app_pair_input_check(&s->pairs, error);
    app_progress_init(&s->progress,
                      (app_progress_config){.unit = "pair", .total = s->pairs.checked, .late = true});
    if (s->model.lexicon == 0 || s->config.no_lexicon) s->without = NULL;
    if (!status) status = app_score_open(s->score, s->asked->judging, &s->model.target_rule, error);
    s->score->errors = s->asked->errors;
    if (status || !s->without) return status;
    return app_score_open(s->without, s->asked->judging, &s->model.target_rule, error);
}

static lb_status add_row(measuring *s, size_t row, const lb_translation *text, app_score *score,
                         lb_error *error)
{
    if (text->error)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: %s", s->pairs.name,
                            (long long)s->pairs.number[row], text->error);
    const char *reference = s->pairs.targets.text[row];
    const lb_symbols source = {.count = (size_t)text->length, .symbol = text->symbol};
    for (int64_t i = 0; i < text->count; i++)
        s->output[i] = app_output_symbols(&s->model.target_rule, &text->output[i], &s->again[i]);
    lb_status status = score == s->score ? app_unknown_count(&s->unknown, text, error) : LB_OK;
    if (!status)
        status = lb_symbols_split(&s->model.target_rule, reference, strlen(reference), &s->target, error);
    if (status) return status;
    score->known += text->output->from_lexicon;
    const char *of_row = s->pairs.sources.text[row];
    const app_row about = {s->pairs.number[row], of_row, strlen(of_row), text->output->probability,
                           text->output->from_lexicon ? "lexicon" : "model"};
    return app_score_add(score, about, &source, &s->target, s->output, (int)text->count, error);
}

/* Adds all rows once more, those of the lexicon as the model writes them. */
static lb_status add_without(measuring *s, const lb_translations *found, lb_error *error)
{
    int64_t count = 0, next = 0;
    lb_translate_config config = s->config;
    const char **text = lb_alloc((size_t)(found->count + 1) * sizeof *text);
    if (!text) return lb_no_memory(error, NULL);
    for (int64_t i = 0; i < found->count; i++)
        if (found->text[i].output->from_lexicon) text[count++] = s->pairs.sources.text[i];
    config.no_lexicon = true;
    config.attention = config.erasure = false;
    lb_translations *others = lb_translate_all(s->translator, text, count, config, error);
    lb_status status = others ? LB_OK : error->status;
    for (int64_t i = 0; others && i < found->count && !status; i++) {
        bool known = found->text[i].output->from_lexicon;
        status = add_row(s, (size_t)i, known ? &others->text[next++] : &found->text[i], s->without, error);
    }
    lb_translations_free(others);
    lb_release((void *)text);
    return status;
}

/* Words of a text, and its end. */
static lb_status count_words(app_score *score, char *text, lb_error *error)
{
    lb_words words;
    lb_text_join_pieces(&score->texts, text);
    lb_status status = lb_words_split(text, &words, error);
    if (!status) score->scored_words += (int64_t)words.count + 1;
    lb_words_free(&words);
    return status;
}

/* Adds what the model thinks of the targets, for perplexities. One that it cannot read has no score. */
static lb_status add_scores(const measuring *s, lb_error *error)
{
    const char *const *sources = (const char *const *)s->pairs.sources.text;
    const char *const *targets = (const char *const *)s->pairs.targets.text;
    lb_translations *found = lb_translator_score(
        s->translator, sources, targets, (int64_t)s->pairs.sources.count, (lb_score_config){0}, error);
    lb_status status = found ? LB_OK : error->status;
    for (int64_t i = 0; found && i < found->count && !status; i++) {
        if (found->text[i].count == 0) continue;
        s->score->log_probability += found->text[i].output->score;
        s->score->scored += found->text[i].output->steps;
        status = count_words(s->score, s->pairs.targets.text[i], error);
    }
    lb_translations_free(found);
    return status;
}

static lb_status translate(measuring *s, lb_error *error)
{
    lb_status status = lb_translate_fill_in(s->translator, &s->config, error);
    if (status) return status;
    s->score->beam = s->config.beam;
    lb_translations *found = lb_translate_all(s->translator, (const char *const *)s->pairs.sources.text,
                                              (int64_t)s->pairs.sources.count, s->config, error);
    if (!found) return error->status;
    if (s->asked->why) status = lb_translate_show_alignments(s->translator, found, error);
    for (int64_t i = 0; i < found->count && !status; i++) {
        status = add_row(s, (size_t)i, &found->text[i], s->score, error);
        if (!status) status = app_why_add(&s->score->why, found, &found->text[i], error);
    }
    if (!status && s->without) status = add_without(s, found, error);
    if (!status) status = add_scores(s, error);
    lb_translations_free(found);
    return status;
}

static lb_status evaluate_pairs(measuring *s, lb_error *error)
{
    lb_status status = open_pairs(s, error);
    if (status) return status;
    do {
        status = app_pair_input_texts(&s->pairs, (size_t)s->asked->batch, error);
        if (!status && s->pairs.sources.count > 0) status = translate(s, error);
        app_progress_update(&s->progress, s->pairs.count, "%s", "");
    } while (!status && s->pairs.sources.count > 0);
    app_progress_end(&s->progress);
    s->score->skipped = s->pairs.skipped;
    if (status) return status;
    app_unknown_say(&s->unknown, s->pairs.name);
    if (s->asked->why && s->score->why.pairs == 0)
        app_warn("--why: found no source of several symbols in %s", s->pairs.name);
    if (s->score->pairs > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", s->pairs.name);
}

lb_status app_evaluate_model(const app_evaluate *asked, const char *model, app_score *score,
                             app_score *without, lb_error *error)
{
    measuring s = {.asked = asked, .score = score, .without = without};
    *score = *without = (app_score){0};
    lb_status status = open_model(&s, model, error);
    if (!status) status = evaluate_pairs(&s, error);
    app_unknown_close(&s.unknown);
    lb_symbols_free(&s.target);
    lb_release(s.output);
    for (int i = 0; s.again && i < s.config.n_best; i++) lb_symbols_free(&s.again[i]);
    lb_release(s.again);
    app_pair_input_close(&s.pairs);
    lb_translator_close(s.translator);
    return status;
}

/* ---- Given outputs, from any source. ---- */

typedef struct comparing {
    app_pair_input pairs, predictions;
    lb_symbols source, output;
    app_score *score;
    app_progress progress;
} comparing;

/* The next line; false, maybe with an error, if there is none. */
static bool next_line(app_pair_input *in, lb_line *line, lb_error *error)
{
    if (!app_pair_input_line(in, line, error)) return false;
    lb_line_drop_mark(line);
    return true;
}

static lb_status bad(const app_pair_input *in, const lb_line *line, const char *found, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: %s", in->name, (long long)line->number, found);
}

static lb_status split(const comparing *s, const lb_line *line, const lb_symbol_rule *rule, const char *text,
                       size_t length, lb_symbols *symbols, lb_error *error)
{
    lb_error found = {0};
    lb_status status = lb_symbols_split(rule, text, length, symbols, &found);
    if (status == LB_ERROR_FORMAT) return bad(&s->predictions, line, found.message, error);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

static lb_status read_prediction(comparing *s, const lb_line *line, lb_error *error)
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
static lb_status compare(comparing *s, const lb_line *pair, const lb_line *prediction, lb_error *error)
{
    lb_error found = {0};
    const lb_pair_format *format = &s->pairs.format;
    lb_status status = lb_pair_line_read(format, s->pairs.name, pair, &s->pairs.pair, &found);
    if (app_skips(format, status)) {
        s->score->skipped++;
        return LB_OK;
    }
    if (status) return app_pair_input_refuse(&s->pairs, &found, false, error);
    status = read_prediction(s, prediction, error);
    if (status) return status;
    if (!app_same_symbols(&s->source, &s->pairs.pair.source))
        return lb_error_set(
            error, LB_ERROR_FORMAT, "%s:%lld: the source differs from the one in line %lld of %s",
            s->predictions.name, (long long)prediction->number, (long long)pair->number, s->pairs.name);
    const lb_pair_line *line = &s->pairs.pair;
    const char *tab = memchr(prediction->text, '\t', prediction->length);
    const app_row about = {pair->number, prediction->text, (size_t)(tab - prediction->text), NAN, ""};
    return app_score_add(s->score, about, &line->source, &line->target, &s->output, 1, error);
}

static lb_status compare_all(comparing *s, lb_error *error)
{
    lb_line pair = {0}, prediction = {.text = ""};
    const lb_pair_format *format = &s->pairs.format;
    for (int64_t before = 0;; before = pair.number) {
        bool more = next_line(&s->pairs, &pair, error),
             again = more && pair.number == before && format->reference_count > 0,
             others = again || next_line(&s->predictions, &prediction, error);
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

lb_status app_evaluate_predictions(const app_evaluate *asked, app_score *score, lb_error *error)
{
    comparing s = {.score = score};
    lb_status status = app_pair_input_open(&s.pairs, asked->pairs, &asked->format, error);
    const lb_pair_format as_written = {.kind = "tsv"};
    if (!status) status = app_pair_input_open(&s.predictions, asked->predictions, &as_written, error);
    if (!status) status = app_score_open(score, asked->judging, &s.pairs.format.target, error);
    score->errors = asked->errors;
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
