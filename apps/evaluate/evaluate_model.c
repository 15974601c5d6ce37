/* Evaluates a model on the sources of pairs. */
#include "apply/decoding.h"
#include "apply/model_operand.h"
#include "apply/pair_input.h"
#include "apply/unknown.h"
#include "base/alloc.h"
#include "console/progress.h"
#include "data/symbols.h"
#include "evaluate/evaluate.h"
#include "translate/apply/translator.h"

#include <string.h>

/* A model applied to a file. */
typedef struct measuring {
    const app_evaluate *asked;
    lb_translator *translator;
    lb_translator_facts model;
    app_pair_input pairs;
    app_pair_texts texts; /* the next pairs */
    lb_symbols target;
    lb_symbols *output; /* [n_best], at least one */
    app_score *score;
    app_unknown unknown;
    app_progress progress;
} measuring;

static int n_best(const measuring *s)
{
    return s->asked->judging.n_best > 1 ? s->asked->judging.n_best : 1;
}

static lb_status open_model(measuring *s, const char *model, lb_error *error)
{
    s->translator = app_open_model(model, s->asked->pairs, error);
    if (!s->translator) return error->status;
    s->model = lb_translator_about(s->translator);
    s->output = lb_alloc((size_t)n_best(s) * sizeof *s->output);
    if (!s->output) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    return s->asked->copy_unknown ? app_check_copy(&s->model, error) : LB_OK;
}

static lb_status open_pairs(measuring *s, lb_error *error)
{
    const lb_pair_format format = app_pair_format(s->asked->format, &s->model);
    lb_status status = app_pair_input_open(&s->pairs, s->asked->pairs, &format, error);
    if (!status) status = app_pair_input_check(&s->pairs, error);
    app_progress_init(&s->progress,
                      (app_progress_config){.unit = "pair", .total = s->pairs.checked, .late = true});
    return status ? status : app_score_open(s->score, s->asked->judging, &s->model.target_rule, error);
}

static lb_status add_row(measuring *s, size_t row, const lb_translation *text, lb_error *error)
{
    if (text->error)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s:%lld: %s", s->pairs.name,
                            (long long)s->texts.number[row], text->error);
    const char *reference = s->texts.targets.text[row];
    const lb_symbols source = {.count = (size_t)text->length, .symbol = text->symbol};
    for (int64_t i = 0; i < text->count; i++)
        s->output[i] =
            (lb_symbols){.count = (size_t)text->output[i].length, .symbol = text->output[i].symbol};
    lb_status status = app_unknown_count(&s->unknown, text, error);
    if (!status)
        status = lb_symbols_split(&s->model.target_rule, reference, strlen(reference), &s->target, error);
    const app_answer answer = {
        .source = &source, .reference = &s->target, .output = s->output, .outputs = (int)text->count};
    return status ? status : app_score_add(s->score, answer, error);
}

static lb_status translate(measuring *s, lb_error *error)
{
    lb_translate_config config = {.beam = s->asked->beam,
                                  .n_best = n_best(s),
                                  .length_penalty = app_length_penalty(s->asked->length_penalty),
                                  .copy_unknown = s->asked->copy_unknown,
                                  .skip_bad_texts = true,
                                  .stop = app_progress_tick,
                                  .context = &s->progress};
    lb_status status = lb_translate_fill_in(s->translator, &config, error);
    if (status) return status;
    s->score->beam = config.beam;
    lb_translations *found = lb_translate_all(s->translator, (const char *const *)s->texts.sources.text,
                                              (int64_t)s->texts.sources.count, config, error);
    if (!found) return error->status;
    for (int64_t i = 0; i < found->count && !status; i++)
        status = add_row(s, (size_t)i, &found->text[i], error);
    lb_translations_free(found);
    return status;
}

static lb_status evaluate(measuring *s, lb_error *error)
{
    lb_status status = open_pairs(s, error);
    if (status) return status;
    do {
        status = app_pair_texts_read(&s->texts, &s->pairs, (size_t)s->asked->batch, error);
        if (!status && s->texts.sources.count > 0) status = translate(s, error);
        app_progress_update(&s->progress, s->pairs.count, "%s", "");
    } while (!status && s->texts.sources.count > 0);
    app_progress_end(&s->progress);
    s->score->skipped = s->pairs.skipped;
    if (status) return status;
    app_unknown_say(&s->unknown, s->pairs.name);
    if (s->score->pairs > 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", s->pairs.name);
}

lb_status app_evaluate_model(const app_evaluate *asked, const char *model, app_score *score, lb_error *error)
{
    measuring s = {.asked = asked, .score = score};
    *score = (app_score){0};
    lb_status status = open_model(&s, model, error);
    if (!status) status = evaluate(&s, error);
    app_unknown_close(&s.unknown);
    lb_symbols_free(&s.target);
    lb_release(s.output);
    app_pair_texts_free(&s.texts);
    app_pair_input_close(&s.pairs);
    lb_translator_close(s.translator);
    return status;
}
